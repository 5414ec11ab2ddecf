"""Files of every kind that is read, broken on purpose, and what asks the doors about them.

``python scripts/fire.py csv pdf --count 10000 --seed 1`` runs it.
"""
