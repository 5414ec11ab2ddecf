"""The papers' own experiments, done again and set beside what they print."""

from .certainty import Reproduction, reproduce_certainty

__all__ = ["Reproduction", "reproduce_certainty"]
