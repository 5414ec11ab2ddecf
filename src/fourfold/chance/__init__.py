"""Chances of tables and scores: exact laws, draws, exchanges of predictions, and intervals of a share."""
