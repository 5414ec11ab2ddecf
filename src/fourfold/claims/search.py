"""The search for tables that fit a claim, within its budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import combinations
from typing import Annotated, Any, TypeAlias

import numpy as np

from ..errors import TooLarge
from ..space import Rows, count_fitting, fitting, fitting_many, undefined_in
from ..strategy import strategy
from ..table import Table
from .claim import Claim, ClaimedScore


@dataclass(frozen=True)
class Feasible:
    """The tables that fit, and whether all margins were looked at.

    Where tables can be counted without walking them, the count is known at once and the rows are made when asked for.
    """

    find: Callable[[], Rows]
    complete: Annotated[bool, "Whether all tables were looked at."] = True
    reason: str = ""
    known: int | None = None
    #: Why the tables can be counted and not walked; empty where they can.
    unwalked: str = ""

    @classmethod
    def of(cls, rows: Rows, reason: str = "") -> Feasible:
        """Return rows that are there; with a reason, not all that there may be."""
        feasible = cls(partial(_known, rows), complete=not reason, reason=reason)
        feasible.__dict__["rows"] = rows
        return feasible

    @cached_property
    def rows(self) -> Rows:
        """The tables as rows."""
        return self.find()

    @property
    def count(self) -> int:
        """How many tables there are."""
        return self.rows.count if self.known is None else self.known


# Functions with a name, so that a result can be pickled.
def _known(rows: Rows) -> Rows:
    return rows


def _rows_alone(scores: Any, positives: int, negatives: int, budget: int) -> Rows:
    return fitting(scores, positives, negatives, most_rows=budget)[0]


def fits(claim: Claim, table: Table) -> bool:
    """Tell whether a table fits every score of a claim, from the definitions alone."""
    if claim.area is not None and not claim.area.fits(table):
        return False
    for claimed in of_cells(claim.scores):
        value = claimed.metric.formula.exact(table.cells())
        if value is None and claim.undefined == "zero":
            value = Fraction(0)
        if value is None or value not in claimed.reported:
            return False
    return True


def of_cells(scores: Sequence[ClaimedScore]) -> list[ClaimedScore]:
    """Return the scores that the cells of a table decide: all but the area under the ROC curve."""
    return [claimed for claimed in scores if not claimed.is_area]


def solve(claim: Claim) -> Feasible:
    """Find the tables that fit a claim, within its budget of rows."""
    sized = claim.sized()
    if sized is None:
        return Feasible.of(Rows.joined([]))
    claim = sized
    if claim.margins is None:
        return _solve_many(claim)
    positives, negatives = claim.margins
    many = min(positives, negatives) > strategy().counted_above
    if many and claim.undefined == "excluded" and claim.area is None:
        constraints = [(claimed.metric, claimed.reported) for claimed in claim.scores]
        counted = count_fitting(constraints, positives, negatives)
        if counted is not None:
            known, rows = counted
            reason = f"{rows} rows hold them, the budget is {claim.budget}" if rows > claim.budget else ""
            find = partial(_rows_alone, constraints, positives, negatives, claim.budget)
            return Feasible(find, known=known, unwalked=reason)
    try:
        return Feasible.of(_within_area(claim, positives, negatives, claim.budget)[0])
    except TooLarge as error:
        return Feasible.of(
            Rows.joined([]), f"{error.got} rows would have to be looked at, the budget is {claim.budget}"
        )


def _within_area(claim: Claim, positives: Any, negatives: Any, budget: int) -> tuple[Rows, int]:
    """Return the tables that fit, cut by what is claimed about the area, and how many rows were looked at."""
    rows, looked = _with_zeros(claim, positives, negatives, budget)
    return (rows if claim.area is None else claim.area.cut(rows)), looked


def _with_zeros(claim: Claim, positives: Any, negatives: Any, budget: int) -> tuple[Rows, int]:
    """Return the tables that fit and how many rows were looked at.

    Under the convention "zero", tables where a score of 0 stands for an undefined one fit as well.
    """
    search = fitting if isinstance(positives, int) else fitting_many
    scores = of_cells(claim.scores)
    if claim.undefined == "excluded":
        constraints = [(claimed.metric, claimed.reported) for claimed in scores]
        return search(constraints, positives, negatives, most_rows=budget)
    hidden = [claimed for claimed in scores if 0 in claimed.reported]
    pieces, looked = [], 0
    for size in range(len(hidden) + 1):
        for chosen in combinations(hidden, size):
            constraints = [(claimed.metric, claimed.reported) for claimed in scores if claimed not in chosen]
            rows, more = search(constraints, positives, negatives, most_rows=budget - looked)
            looked += more
            for claimed in chosen:
                rows = undefined_in(rows, claimed.metric.formula)
            pieces.append(rows)
    return Rows.joined(pieces), looked


def _solve_many(claim: Claim) -> Feasible:
    """Look at all margins the sizes allow, smallest total first, until the budget of rows is spent."""
    pieces: list[Rows] = []
    left = claim.budget
    for totals in _batches(claim):
        try:
            rows, looked = _batch(claim, totals, left)
            pieces.append(rows)
            left -= looked
        except TooLarge:
            for one in totals:
                try:
                    rows, looked = _batch(claim, [one], left)
                except TooLarge:
                    reason = f"the budget of {claim.budget} rows was spent at total {one[0]} of {claim.largest_total}"
                    return Feasible.of(Rows.joined(pieces), reason)
                pieces.append(rows)
                left -= looked
    return Feasible.of(Rows.joined(pieces))


_Total: TypeAlias = tuple[int, Any, Any]


def _batch(claim: Claim, totals: list[_Total], left: int) -> tuple[Rows, int]:
    positives, negatives = (np.concatenate([total[k] for total in totals]) for k in (1, 2))
    if len(positives) > left:
        raise TooLarge("too_large", "budget", "more margins would have to be looked at", len(positives), "raise it")
    rows, looked = _within_area(claim, positives, negatives, left - len(positives))
    return rows, looked + len(positives)


def _batches(claim: Claim) -> Iterator[list[_Total]]:
    """Walk the totals a few at a time: small ones are not worth a search of their own."""
    batch: list[_Total] = []
    waiting = 0
    for total in claim.pairs():
        batch.append(total)
        waiting += len(total[1])
        if waiting >= strategy().margins_together:
            yield batch
            batch, waiting = [], 0
    if batch:
        yield batch
