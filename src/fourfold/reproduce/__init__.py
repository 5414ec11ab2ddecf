"""The papers' own experiments, done again and set beside what they print."""

from .certainty import reproduce_certainty
from .listing import EXPERIMENTS, Experiment, Experiments, experiment
from .outcome import Part, Reproduction, Statement, View
from .reclaim import reproduce_reclaim
from .small_data import reproduce_small_data

__all__ = [
    "EXPERIMENTS",
    "Experiment",
    "Experiments",
    "Part",
    "Reproduction",
    "Statement",
    "View",
    "experiment",
    "reproduce_certainty",
    "reproduce_reclaim",
    "reproduce_small_data",
]
