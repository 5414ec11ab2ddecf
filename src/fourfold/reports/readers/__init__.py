"""Readers, one file a format, behind one door."""
