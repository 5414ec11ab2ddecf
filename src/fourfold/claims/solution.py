"""What a search found, for each layout behind one door: `solve`.

Two searches differ in kind, that of classes, which counts margins, and that of folds, which has multiplicities. A
`Solution` hides which of them ran: whether anything fits and how many, one way in which it does, and bounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, reduce
from itertools import islice
from math import ceil, floor
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from ..errors import InputError, Note, TooLarge
from ..exact import CELLS
from ..metrics import AREA, AUDITED, COUNTS, F1, MCC, METRICS, OF_CLASSES, OF_EACH_CLASS, Averaged, Metric
from ..shape import Count
from ..solve import TOLERANCE, is_exact, means, table_means
from ..solve.dealing import split_table
from ..solve.experiment import Decision, pooled
from ..solve.problem import Bounds
from ..table import Matrix, Table
from ..words import count_of, listed
from .claim import Claim, TableClaim, metric_of_class
from .class_bounds import ClassMargins, Evaluator, Margins
from .class_cells import ClassCells, ClassRanges, join_cells, join_ranges
from .class_search import Found, solve_classes
from .classes import ClassClaim, ClassScore
from .folds import FoldClaim, Over
from .implied import bounds_over
from .search import Feasible, fits
from .search import solve as solve_table

Layout: TypeAlias = Literal["one table", "classes", "parts"]

# Up to this many rows, the bounds of all metrics take about a second where margins are open: a single score leaves
# much more of each row to look at than several do.
_QUICK_ROWS: Final = 150_000
_QUICK_ROWS_OF_SEVERAL: Final = 2_000_000
# Bounds of each class, and of cells, are left out for more classes than this, unless they are asked for.
MOST_BOUNDED: Final = 12
# A search for an end of a bound makes less effort than that for the verdict.
SMALL_EFFORT: Final = 0.3
ALL: Final = tuple(METRICS.values())
_USUAL: Final = tuple(metric for metric in ALL if metric.id in (*AUDITED, F1.id, MCC.id))
# Counts are proven up to so much.
_ALIKE: Final = 1e-9


class PartTable(NamedTuple):
    """A table that some of the parts have."""

    count: Annotated[Count, "How many parts have it."]  # type: ignore[assignment]
    table: Annotated[Table, "The table."]


def asked_scores(claim: Claim, asked: object) -> tuple[Any, ...] | None:
    """Return the scores whose bounds are asked for; None where that is left to what is quick."""
    if not isinstance(asked, str | Sequence):
        hint = "say auto, all, none, or names of scores"
        raise InputError("bad_option", "bounds", "must be a name or several", asked, hint)
    names = [name.strip() for name in asked.split(",") if name.strip()] if isinstance(asked, str) else list(asked)
    word = names[0] if len(names) == 1 and names[0] in ("auto", "all", "none") else None
    if word == "none":
        return ()
    if isinstance(claim, ClassClaim):
        each = claim.labels if word == "all" or len(claim.labels) <= MOST_BOUNDED else ()
        every = (*OF_CLASSES, *(f"{name}[{label}]" for label in each for name in OF_EACH_CLASS))
        return every if word else tuple(dict.fromkeys(ClassScore.find(name, claim.labels).name for name in names))
    if word == "auto":
        return _USUAL if isinstance(claim, FoldClaim) else None
    metrics = METRICS if word else {m.id: m for m in (metric_of_class(name, claim.labels) for name in names)}
    if AREA.id in metrics and isinstance(claim, FoldClaim):
        raise InputError("bad_metric", "bounds", "is not a score of each fold", AREA.id, "leave it out")
    return tuple(metrics.values())


class Solution:
    """What the search for one claim found."""

    layout: ClassVar[Layout]
    #: Whether the count is of all that fit.
    counted: bool = False

    def __init__(self, claim: Any, *, fits: bool, certain: bool, complete: bool, reason: str) -> None:
        self.claim = claim
        #: Whether something is known that fits, and whether it is certain that it does, or that nothing does.
        self.fits, self.certain = fits, certain
        #: Whether the verdict rests on all tables, and why it does not.
        self.complete, self.reason = complete, reason

    @property
    def verdict(self) -> Literal["possible", "impossible", "undecided"]:
        """Whether anything fits the claim as it was searched."""
        return "possible" if self.fits else "impossible" if self.certain else "undecided"

    @property
    def count(self) -> int | None:
        """How many ways fit, or were found; None where that is not counted."""
        return None

    def undefined(self) -> Iterable[str]:
        """Yield the labels of scores that are undefined in a way that fits, as far as they are named."""
        return ()

    def notes(self) -> Iterator[Note]:
        """Say where the search ended before all was looked at."""
        yield from ()

    def approximations(self, shown: Sequence[Any]) -> Iterator[Note]:
        """Say which bounds are no more than approximations."""
        yield from ()

    def bounded(self, named: tuple[Any, ...] | None) -> tuple[tuple[Any, ...], tuple[Note, ...]]:
        """Return the scores whose bounds are part of the answer, and what is to be said of that."""
        return named or (), ()

    def all_bounds(self, names: Sequence[Any], over: Over | None = None) -> dict[str, Bounds]:
        """Return the bounds of several scores, computed once."""
        raise NotImplementedError

    # What only some layouts have.

    def tables(self, limit: int | None = None) -> Iterator[Table]:
        """Yield the tables that fit, smallest total first; of parts, one table for each part."""
        raise InputError("usage", "tables", "are those of one table or of parts", self.layout, "ask for margins()")

    def margins(self, limit: int | None = None) -> Iterator[Margins]:
        """Yield what fits as the cases, the right and the predicted cases of each class."""
        raise InputError("usage", "margins", "are those of classes", self.layout, "ask for tables()")

    def matrix(self) -> Matrix | None:
        """Return one table that fits as a matrix, checked from the definitions; None where none was found."""
        return None

    def parts(self) -> tuple[PartTable, ...] | None:
        """Return the tables of the parts that fit, equal ones together: one possible outcome."""
        return None

    def pooled(self) -> Table | None:
        """Return the sum of the tables of the parts that fit; None where none was found."""
        return None

    @property
    def cells(self) -> dict[str, tuple[int, int]]:
        """The smallest and largest count of each cell, of parts in sum; empty where that is not known."""
        return {}

    @property
    def class_cells(self) -> ClassCells | None:
        """The smallest and the largest count of every cell of a table of classes."""
        return None


class TableSolution(Solution):
    """All tables of one test set that fit."""

    layout = "one table"

    def __init__(self, claim: TableClaim, effort: float = 1.0) -> None:
        self.feasible = feasible = solve_table(claim)
        #: The claim with what its counts say about the sizes; None where that contradicts the sizes given.
        self.sized = claim.sized()
        #: Whether all tables were looked at, and no larger ones could fit.
        self.counted = feasible.complete and not (self.sized and self.sized.undecidable)
        certain = not feasible.empty or feasible.all_sizes is not None or self.counted
        super().__init__(claim, fits=not feasible.empty, certain=certain, complete=feasible.complete,
            reason=feasible.reason)  # fmt: skip
        self._known: dict[str, Bounds] = {}

    @property
    def count(self) -> int:
        """How many tables fit; where no size is known, how many of the smallest were found."""
        return self.feasible.count

    def undefined(self) -> Iterator[str]:
        """Yield the labels of scores that are undefined in the first table that fits."""
        if self.feasible.unwalked:
            return
        cells = self.feasible.first().cells()
        for claimed in self.claim.scores:
            over = claimed.metric.over_classes
            if not claimed.is_area and any(formula.exact(cells) is None for formula in claimed.metric.components):
                yield over.base.label if isinstance(over, Averaged) else claimed.metric.label

    def notes(self) -> Iterator[Note]:
        """Say where the search ended before all tables were looked at."""
        claim, feasible = self.sized, self.feasible
        if claim is None:
            return
        if feasible.unwalked:
            yield Note("budget_spent", f"the tables were counted, not walked: {feasible.unwalked}",
                {"budget": claim.budget})  # fmt: skip
        elif feasible.all_sizes:
            if not feasible.empty:
                words = "verdict and bounds are those of tables of all sizes, only small ones are listed"
                yield Note("max_total_reached", f"no size was given: {words}", {})
        elif not feasible.complete:
            yield Note("budget_spent", feasible.reason, {"budget": claim.budget})
        elif claim.open_ended:
            words = f"totals up to {claim.largest_total} were tried, larger ones were not; max_total sets the limit"
            yield Note("max_total_reached", words, {"max_total": claim.largest_total})

    def approximations(self, shown: Sequence[Metric]) -> Iterator[Note]:
        """Say which bounds over all sizes are no more than approximations."""
        all_sizes = self.feasible.all_sizes
        if all_sizes and not all_sizes.empty and all_sizes.only is None:
            names = [metric.id for metric in shown if not is_exact(metric.formula)]
            if names:
                words = f"the bounds of {listed(names)} were looked for in floats; they may be off by {TOLERANCE:g}"
                yield Note("approximation", words, {"metrics": names, "tolerance": TOLERANCE})

    def bounded(self, named: tuple[Metric, ...] | None) -> tuple[tuple[Metric, ...], tuple[Note, ...]]:
        """Return the metrics whose bounds are part of the answer: of all where that is quick."""
        feasible, sized = self.feasible, self.sized
        every = ALL if self.claim.area is None else (*ALL, AREA)
        if feasible.unwalked:
            return (), ()
        if named is not None:
            return (every if named == ALL else named), ()
        quick = _QUICK_ROWS if len(self.claim.scores) == 1 else _QUICK_ROWS_OF_SEVERAL
        if not feasible.all_sizes and sized and not sized.margins and len(feasible.rows) > quick:
            words = "the bounds of the metrics were left out, because they would take long; --bounds all computes them"
            return (), (Note("bounds_left_out", words, {"rows": len(feasible.rows)}),)
        return every, ()

    def tables(self, limit: int | None = None) -> Iterator[Table]:
        """Yield the tables that fit, smallest total first, each checked once more against every score."""
        self.check_walkable()
        for table in islice(self.feasible.tables(), None if limit is None else max(limit, 0)):
            assert fits(self.claim, table), f"{table} was found to fit and does not"
            yield table

    def margins(self, limit: int | None = None) -> Iterator[Margins]:
        """Yield the tables that fit as the cases, the right and the predicted cases of each class."""
        negative, positive = self.claim.labels
        for table in self.tables(limit):
            tp, fn, fp, tn = table.cells().values()
            yield ClassMargins(negative, fp + tn, tn, tn + fn), ClassMargins(positive, tp + fn, tp, tp + fp)

    def matrix(self) -> Matrix | None:
        """Return the first table as a matrix, the positive class last; None where tables can only be counted."""
        if self.feasible.unwalked:
            return None
        for table in self.tables(1):
            return Matrix(np.array([[table.tn, table.fp], [table.fn, table.tp]]), self.claim.labels)
        return None

    def check_walkable(self) -> None:
        """Refuse to list tables that can only be counted."""
        if self.feasible.unwalked:
            problem = f"the tables can be counted, not walked: {self.feasible.unwalked}"
            raise TooLarge("too_large", "budget", problem, self.claim.budget, "raise the budget")

    def bounds(self, name: str | Metric, over: Over | None = None) -> Bounds:
        """Return a metric's smallest and largest value over the tables that fit, with tables that attain them."""
        metric = metric_of_class(name, self.claim.labels)
        self.check_walkable()
        return self.all_bounds([metric])[metric.id]

    def all_bounds(self, metrics: Sequence[Metric], over: Over | None = None) -> dict[str, Bounds]:
        """Return the bounds of several metrics, computed once."""
        if metrics is ALL and not self._known:
            self._known = self.feasible.bounds(ALL, self.claim.meant)
            return dict(self._known)
        missing = [metric for metric in metrics if metric.id not in self._known]
        self._known.update(bounds_over(self.claim, self.feasible, missing) if missing else {})
        return {metric.id: self._known[metric.id] for metric in metrics}

    @property
    def cells(self) -> dict[str, tuple[int, int]]:
        """The smallest and largest count of each cell; empty if nothing or too much fits, or if no size is known."""
        if self.feasible.unwalked or self.feasible.all_sizes or not len(rows := self.feasible.rows):
            return {}
        fn, fp = rows.positives - rows.tp, (rows.negatives - rows.high, rows.negatives - rows.low)
        ends = {"tp": (rows.tp, rows.tp), "fn": (fn, fn), "fp": fp, "tn": (rows.low, rows.high)}
        return {name: (int(low.min()), int(high.max())) for name, (low, high) in ends.items()}


class ClassSolution(Solution):
    """The margins of k-by-k tables that fit, for every number of cases that is left open."""

    layout = "classes"

    def __init__(self, claim: ClassClaim, effort: float = 1.0, found: Sequence[Found] | None = None) -> None:
        self.found: tuple[Found, ...] = tuple(solve_classes(claim) if found is None else found)
        fitting = any(each.count for each in self.found)
        complete = all(each.complete for each in self.found)
        reasons = [each.reason for each in self.found if each.reason]
        self.counted = all(each.counted for each in self.found)
        super().__init__(claim, fits=fitting, certain=fitting or complete, complete=complete, reason="; ".join(reasons))

    @property
    def count(self) -> int:
        """How many sets of margins fit; a lower limit if they were not all counted."""
        return sum(each.count for each in self.found)

    def undefined(self) -> Iterator[str]:
        """Yield the labels of scores that are undefined in the first margins that fit."""
        tables = next(each for each in self.found if each.some is not None).tables()
        for claimed in self.claim.scores:
            places = range(len(tables)) if claimed.place is None else [claimed.place]
            if any(claimed.score.base.formula.exact(tables[place]) is None for place in places):
                yield claimed.score.base.label

    def notes(self) -> Iterator[Note]:
        """Say where the search ended, or what was not counted."""
        for each in self.found:
            if each.reason:
                yield Note("budget_spent", each.reason, {"budget": self.claim.budget})
        if self.complete and self.count and not self.counted:
            words = f"at least {count_of(self.count, 'set')} of margins fit; counting all would take long"
            yield Note("margins_not_counted", words, {"count": self.count})

    @cached_property
    def _evaluators(self) -> list[Evaluator]:
        return [Evaluator(self.claim, found) for found in self.found if found.some is not None]

    def margins(self, limit: int | None = None) -> Iterator[Margins]:
        """Yield the sets of margins that were found to fit: all of them where they are few, else some."""
        pairs = ((each, choice) for each in self._evaluators for choice in each.found.choices.T.tolist())
        every = (evaluator.margins(choice) for evaluator, choice in pairs)
        return islice(every, None if limit is None else max(limit, 0))

    def matrix(self) -> Matrix | None:
        """Return one k-by-k table that fits, checked from the definitions; None where none was found."""
        if not self._evaluators or self.claim.multilabel:
            return None
        evaluator = self._evaluators[0]
        assert evaluator.found.some is not None
        matrix = evaluator.matrix(evaluator.found.some)
        assert self.claim.fits(matrix), f"{matrix} was found to fit and does not"
        return matrix

    @property
    def listed(self) -> bool:
        """Whether all margins that fit are known one by one."""
        return all(found.listed for found in self.found)

    @cached_property
    def class_cells(self) -> ClassCells | None:
        """The cells of all tables that fit; None if none was found, or not all was searched.

        Where the margins are too many to be listed, no table goes beyond, and the ends need not be attained.
        """
        return join_cells(self.claim, self.found)

    @cached_property
    def ranges(self) -> tuple[ClassRanges, ...]:
        """The smallest and the largest size, right and predicted cases of each class among the margins found."""
        return join_ranges(self.claim.labels, self.found)

    def bounds(self, name: str, over: Over | None = None) -> Bounds:
        """Return a score's smallest and largest value, such as of "kappa", "macro_f1" or "recall[cat]"."""
        score = ClassScore.find(name, self.claim.labels)
        if not self._evaluators:
            return Bounds(None, None)
        if not self.complete:
            least, most, _ = score.metric.limits
            return Bounds(float(least), float("inf") if most is None else float(most), (), (), False, False)
        return reduce(Bounds.joined, [evaluator.bounds(score) for evaluator in self._evaluators])

    def all_bounds(self, names: Sequence[str], over: Over | None = None) -> dict[str, Bounds]:
        """Return the bounds of several scores; none where not all margins were searched."""
        return {name: self.bounds(name) for name in names} if self.complete else {}


class PartSolution(Solution):
    """Tables of folds or test sets that fit: one way in which they do, or the proof that there is none."""

    layout = "parts"

    def __init__(self, claim: FoldClaim, effort: float = 1.0) -> None:
        #: All tables of all cases together, where these are all that the report is about.
        self.together: Feasible | None = None
        if claim.repeated:
            self.decision = table_means.mixed(claim.report())
        else:
            self.decision = self._as_one_table(claim) or means.decide(claim.report(), effort=effort)
        decision = self.decision
        verdict = decision.verdict
        super().__init__(claim, fits=verdict == "possible", certain=verdict != "undecided",
            complete=verdict != "undecided", reason=decision.reason)  # fmt: skip
        self._known: dict[tuple[str, Over], Bounds] = {}

    def _as_one_table(self, claim: FoldClaim) -> Decision | None:
        """Decide scores of all cases together as those of one table; None where that is not all, or too much."""
        one_table = claim.as_one_table()
        feasible = None if one_table is None else solve_table(one_table)
        if feasible is None or not feasible.decided or feasible.unwalked:
            return None
        self.together = feasible
        if feasible.empty:
            return Decision("impossible", "all tables of all cases were looked at")
        return Decision("possible", "a table of all cases was found", split_table(feasible.first(), claim.report()))

    def notes(self) -> Iterator[Note]:
        """Say which shares of tables have the reported means, where parts may be repeated."""
        if self.decision.shares:
            rows = [{"share": float(share), **table.cells()} for share, table in self.decision.shares]
            words = "no tables of a usual number of parts were found: the shares are those of an average over many"
            yield Note("shares_of_tables", words, {"tables": rows})

    def tables(self, limit: int | None = None) -> Iterator[Table]:
        """Yield one table that fits for each part; none if none was found."""
        every = (table for own in self.decision.witness or () for table in own)
        return islice(every, None if limit is None else max(limit, 0))

    def parts(self) -> tuple[PartTable, ...]:
        """Return the tables of the parts that fit, equal ones together: one possible outcome."""
        counts = Counter(tuple(table.cells().values()) for table in self.tables())
        return tuple(PartTable(count, Table.of_counts(*cells)) for cells, count in counts.items())

    def pooled(self) -> Table | None:
        """Return the sum of the tables of the parts that fit; None where none was found."""
        tables = list(self.tables())
        return pooled(tables) if tables else None

    def bounds(self, name: str | Metric, over: Over | None = None) -> Bounds:
        """Return what a metric can be, its mean or its value for all cases together: proven ends, and attained ones."""
        [metric] = [COUNTS[str(name)]] if name in COUNTS else asked_scores(self.claim, [name]) or ()
        return self.all_bounds([metric], over)[metric.id]

    def all_bounds(self, metrics: Sequence[Metric], over: Over | None = None) -> dict[str, Bounds]:
        """Return the bounds of several metrics, computed once."""
        over = over or self.claim.over
        for metric in metrics:
            if (metric.id, over) not in self._known:
                if over == "mean" or self.together is None:
                    ends = means.bounds(self.claim.report(), metric, over=over, effort=SMALL_EFFORT)
                else:
                    low, high, *_ = self.together.bounds([metric], self.claim.meant)[metric.id]
                    ends = None if low is None or high is None else Bounds.proven(low, high, low, high)
                self._known[metric.id, over] = ends or Bounds(None, None)
        return {metric.id: self._known[metric.id, over] for metric in metrics}

    @property
    def cells(self) -> dict[str, tuple[int, int]]:
        """The least and the most of tp, fn, fp and tn of all cases together, in every way that fits."""
        ends = self.cell_bounds()
        return {name: (ceil((e.low or 0) - _ALIKE), floor((e.high or 0) + _ALIKE)) for name, e in ends.items()}

    def cell_bounds(self) -> dict[str, Bounds]:
        """Return the bounds of the counts of all cases together."""
        cells = CELLS if self.decision.witness else ()
        return self.all_bounds([COUNTS[name] for name in cells], "pooled")


_LAYOUTS: Final[dict[type[Claim], Any]] = {
    TableClaim: TableSolution,
    ClassClaim: ClassSolution,
    FoldClaim: PartSolution,
}


def solve(claim: Claim, effort: float = 1.0) -> Any:
    """Search for what fits a claim, whatever its layout; `effort` is a share of what is usually tried."""
    return _LAYOUTS[type(claim)](claim, effort)
