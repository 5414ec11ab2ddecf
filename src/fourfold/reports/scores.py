"""Reports of scores in a block of a document: tables of them, lists of names and values, sentences."""

from __future__ import annotations

from ..documents.blocks import Block, Grid
from . import score_lines, score_tables
from .cells import Found


def find(block: Block) -> list[Found]:
    """Return all reports of scores in a block, in its order."""
    found = find_tables(block)
    if isinstance(block, Grid):
        return found
    for look in (score_lines.find_lists, score_lines.find_sentences):
        found += look(block, {line for one in found for line in one.rows})
    return sorted(found, key=lambda one: one.rows.start)


def find_tables(block: Block) -> list[Found]:
    """Return the reports of scores in tables alone: a grid, or lines set in columns."""
    return score_tables.find(block) if isinstance(block, Grid) else score_lines.find_columns(block)
