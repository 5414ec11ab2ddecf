"""What margins of several classes leave open: the least and the largest count of every cell of a k-by-k table.

Let fn_c and fp_c be the missed and the falsely predicted cases of each class, E all wrong cases, and (i, j) a cell off
the diagonal. Margins have a table just where no fn_c + fp_c is larger than E (`class_search` says why).

- Most. With x cases put into the cell, fn_i, fp_j and E are x smaller, so what is left has a table just where
  fn_c + fp_c <= E - x for all other classes: most = min(fn_i, fp_j, E - max(fn_c + fp_c, c not i or j)).
- Least. Let the cell hold at most x. A set of rows then asks for too much where all it reaches cannot take its fn. That
  is new only where j is reached through the cell alone: by {i}, which asks fn_i <= E - fp_i - fp_j + x, and by {i, j},
  as j does not reach itself, which asks fn_i + fn_j <= E - fp_j + x. So least is
  max(0, fn_i + fp_i + fp_j - E, fn_i + fn_j + fp_j - E).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Annotated, NamedTuple

import numpy as np

from ..shape import Record
from ..solve.rows import Ints
from .class_search import Found, rows_of
from .classes import ClassClaim

#: A smallest and a largest count.
Range = tuple[int, int]
_Counts = tuple[tuple[int, ...], ...]


class ClassRanges(NamedTuple):
    """The smallest and the largest size, right and predicted cases of a class among some margins."""

    label: str
    size: Range
    right: Range
    predicted: Range


@dataclass(frozen=True)
class ClassCells(Record):
    """The least and the largest count of every cell of a k-by-k table: rows actual, columns predicted.

    Examples
    --------
    >>> from fourfold import recover
    >>> scores = {"recall[a]": "0.8", "recall[b]": "0.6", "recall[c]": "1.0", "precision[c]": "5/7"}
    >>> cells = recover(classes={"a": 5, "b": 5, "c": 5}, **scores, accuracy="0.80").class_cells
    >>> cells.low[1], cells.high[1]
    ((0, 3, 1), (1, 3, 2))
    """

    labels: Annotated[tuple[str, ...], "The classes, in the order of rows and columns."]
    low: Annotated[_Counts, "The least count of each cell: a row an actual class, a column a predicted one."]
    high: Annotated[_Counts, "The largest count of each cell."]
    sharp: Annotated[bool, "Whether some table that fits attains each end; in any case, none goes beyond."]

    @property
    def determined(self) -> tuple[tuple[bool, ...], ...]:
        """Whether a cell has one count in all tables."""
        rows = zip(self.low, self.high, strict=True)
        return tuple(tuple(a == b for a, b in zip(*row, strict=True)) for row in rows)


def _margins_of(found: Found) -> Ints:
    """Return the sizes, right and predicted cases that a search found: of each a row a class, a column a choice."""
    cells = {name: column[found.choices + found.problem.starts] for name, column in found.problem.cells.items()}
    return np.stack([cells["tp"] + cells["fn"], cells["tp"], cells["tp"] + cells["fp"]])


def cells_of(margins: Ints) -> tuple[Ints, Ints]:
    """Return the least and the largest count of every cell, over all tables with any of the margins.

    These are the sizes, right and predicted cases: of each a row a class, a column a set of margins.

    Examples
    --------
    >>> low, high = cells_of(np.array([[[3], [3], [4]], [[2], [1], [3]], [[3], [2], [5]]]))
    >>> low.tolist(), high.tolist()
    ([[2, 0, 0], [0, 1, 1], [0, 0, 3]], [[2, 1, 1], [1, 1, 2], [1, 1, 3]])
    """
    size, right, predicted = margins
    fn, fp = size - right, predicted - right
    wrong, all_wrong = fn + fp, fn.sum(axis=0)
    low, high = np.diag(right.min(axis=1)), np.diag(right.max(axis=1))
    for i, j in permutations(range(len(fn)), 2):
        others = np.delete(wrong, (i, j), axis=0).max(axis=0, initial=0)
        low[i, j] = max(int((fn[i] + fp[j] + np.maximum(fp[i], fn[j]) - all_wrong).min()), 0)
        high[i, j] = np.minimum.reduce([fn[i], fp[j], all_wrong - others]).max()
    return low, high


def join_cells(claim: ClassClaim, found: Sequence[Found]) -> ClassCells | None:
    """Return the cells over all that fits; None where nothing does, or where not all was searched."""
    fitting = [each for each in found if each.choices.size]
    if claim.multilabel or not fitting or not all(each.complete for each in found):
        return None
    ends = [cells_of(_margins_of(each)) if each.listed else _outer_cells(claim, each) for each in fitting]
    low, high = np.minimum.reduce([low for low, _ in ends]), np.maximum.reduce([high for _, high in ends])
    least, most = (tuple(map(tuple, each.tolist())) for each in (low, high))
    return ClassCells(claim.labels, least, most, all(each.listed for each in fitting))


def _outer_cells(claim: ClassClaim, found: Found) -> tuple[Ints, Ints]:
    """Return counts beyond which no cell can be, from what each class may be by itself, and all wrong cases."""
    assert found.problem.hits is not None
    wrong = found.total - int(found.problem.hits.min())
    rows = rows_of(claim, found.total)
    cells = [
        [np.concatenate(ends) for ends in zip(part.cells(part.low), part.cells(part.high), strict=True)]
        for part in rows
    ]
    tp, fn, fp, _ = np.array([[(column.min(), column.max()) for column in part] for part in cells]).transpose(1, 2, 0)
    apart = ~np.eye(len(claim.labels), dtype=bool)
    # The rules for one set of margins, each count at the end that leaves most room.
    least = fn[0][:, None] + fp[0] + np.maximum(fp[0][:, None], fn[0]) - wrong
    most = np.minimum(np.minimum(fn[1][:, None], fp[1]), wrong)
    return np.where(apart, np.maximum(least, 0), np.diag(tp[0])), np.where(apart, most, np.diag(tp[1]))


def join_ranges(labels: Sequence[str], found: Iterable[Found]) -> tuple[ClassRanges, ...]:
    """Return the ranges of the margins of each class over all that searches found."""
    each = [_margins_of(some) for some in found if some.choices.size]
    if not each:
        return ()
    margins = np.concatenate(each, axis=2)
    # By class: the ends of its size, of its right and of its predicted cases.
    ends = np.stack([margins.min(axis=2), margins.max(axis=2)], axis=2).transpose(1, 0, 2).tolist()
    return tuple(ClassRanges(label, *map(tuple, ranges)) for label, ranges in zip(labels, ends, strict=True))
