"""Deliberate faults in a copy of the project, all of them behind switches, so that one can be turned on at a time."""
