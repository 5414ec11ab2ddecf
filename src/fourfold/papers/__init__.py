"""The experiments of three papers, and the results of three fields, repeated and set beside what is printed.

In: public names of the package, as a user has them.
Out: a `Reproduction` for each paper and field.
What an experiment needs is imported when it is run, so that its outcome can be shown without it.
"""

from .drawing import figure
from .folder import write_folder
from .listing import EXPERIMENTS, Experiment, Experiments, experiment
from .outcome import Part, Reproduction, Statement, View

__all__ = [
    "EXPERIMENTS", "Experiment", "Experiments", "Part", "Reproduction", "Statement", "View", "experiment", "figure",
    "write_folder",
]  # fmt: skip
