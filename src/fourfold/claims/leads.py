"""Whether one row of a table of results is better than another on the same cases: what any overlap of errors allows.

Which cases two classifiers both get right is not printed. Of p positives let a get x right, and b get y. Then a alone
is right on |x - y| more or fewer than b alone, and the cases on which just one is right are any of |x - y|,
|x - y| + 2, ..., min(x + y, 2p - x - y). Negatives alike. McNemar's exact p-value grows with these discordant cases if
the difference stays. So its range over all overlaps ends at the fewest and at the most, and the range over all tables
that fit is that of the ends. No agreement between classifiers is assumed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, Notes, TooLarge
from ..metrics import ACCURACY, RECALL, SPECIFICITY, Convention, Metric, MetricId
from ..shape import Chance, Count, Level, Record, Result
from ..solve.rows import Ints, unrolled
from ..table import Table
from .claim import TableClaim
from .recovery import PrintedScore
from .search import solve
from .shared_sizes import ResultRows, SharedSizes, meanings, read_row, sizes

#: One side: its scores as printed, or its table.
LeadSide: TypeAlias = Mapping[str, PrintedScore] | Table
LeadVerdict: TypeAlias = Literal["different", "depends", "tied"]

# Pairs of tables that are compared together.
_MOST_PAIRS: Final = 4_000_000


#: By how many cases a leads b, and the fewest and the most cases that just one of both gets right.
_Ends: TypeAlias = tuple[Ints, Ints, Ints]


@dataclass(frozen=True)
class LeadRange(Record, members="metric cases low high least_p largest_p least_discordant largest_discordant verdict"):
    """One metric of two rows: the lead, and the p-values that are left open by what is printed."""

    metric: MetricId
    label: str
    cases: Annotated[Count, "The cases that the metric is about."]
    low: Annotated[int, "The smallest lead of the first row over the second, in cases; below 0 where it is behind."]
    high: Annotated[int, "The largest lead, in cases."]
    least_p: Annotated[Chance, "The smallest p-value of McNemar's exact test, over all overlaps of their errors."]
    largest_p: Annotated[Chance, "The largest p-value."]
    least_discordant: Annotated[Count, "How many cases just one row gets right where the p-value is smallest."]
    largest_discordant: Annotated[Count, "How many cases just one row gets right where the p-value is largest."]
    alpha: float = 0.05

    @property
    def verdict(self) -> LeadVerdict:
        """Whether the rows differ whatever the overlap is, only for some overlaps, or for none."""
        if self.least_p > self.alpha:
            return "tied"
        return "different" if self.largest_p <= self.alpha else "depends"


@dataclass(frozen=True)
class Lead(Result, schema="lead", source="`lead`", members="names positives negatives tables level ranges notes"):
    """By how much one row of a table of results leads another, and what exact p-values that can have.

    Examples
    --------
    >>> found = lead({"accuracy": "0.855"}, {"accuracy": "0.844"}, positives=75, negatives=304)
    >>> found.ranges[0].low, found.ranges[0].high, found.ranges[0].least_p, found.ranges[0].verdict
    (4, 4, 0.125, 'tied')
    """

    names: Annotated[tuple[str, str], "The names of both rows."]
    positives: Annotated[Count, "Actual positives."]
    negatives: Annotated[Count, "Actual negatives."]
    tables: Annotated[tuple[Count, Count], "How many tables fit each row."]
    ranges: Annotated[tuple[LeadRange, ...], "A range for each metric."]
    level: Annotated[Level, "Rows are tied if every p-value is above 1 minus this."] = 0.95
    notes: Notes = field(default=())

    def _rows(self) -> list[dict[str, Any]]:
        """Return a record for each metric."""
        return [{**each.to_dict(), "verdict": each.verdict} for each in self.ranges]


def lead(
    a: LeadSide,
    b: LeadSide,
    *,
    positives: int | str,
    negatives: int | str,
    names: Sequence[str] = ("the first", "the second"),
    rounding: str = "any",
    undefined: Convention | str = "any",
    level: float = 0.95,
) -> Lead:
    """Say by how much one row of results leads another on the same cases, and the exact range of the p-value of that.

    The p-value is that of McNemar's exact test, two-sided. Its range is over all tables that fit what is printed, and
    over all ways in which the errors of both can overlap.

    Parameters
    ----------
    a, b
        The scores of each row as printed, by any of a metric's names; or their tables.
    positives, negatives
        The sizes of the test set that both share.
    names
        What to call them.
    rounding, undefined
        As `recover` takes them.
    level
        The rows are tied in a metric if every p-value is above 1 minus this.

    Examples
    --------
    >>> found = lead({"recall": "0.91"}, {"recall": "0.55"}, positives=100, negatives=50)
    >>> {each.metric: each.verdict for each in found.ranges}
    {'accuracy': 'depends', 'recall': 'different', 'specificity': 'depends'}
    """
    if not 0 < level < 1:
        raise InputError("bad_option", "level", "must lie between 0 and 1", level, "give 0.95")
    options = {"rounding": rounding, "undefined": undefined, "positives": positives, "negatives": negatives}
    given = [side.cells() if isinstance(side, Table) else side for side in (a, b)]
    claims = [read_row(name, {**scores, **options}) for name, scores in zip("ab", given, strict=True)]
    margins = claims[0].margins
    if margins is None or min(margins) < 0:
        hint = "find them first"
        raise InputError("bad_count", "positives", "must be one number, and negatives too", positives, hint)
    p, n = margins
    (tp_a, tn_a), (tp_b, tn_b) = (_tables(claim, name) for claim, name in zip(claims, "ab", strict=True))
    if len(tp_a) * len(tp_b) > _MOST_PAIRS:
        hint = "give more scores or digits"
        raise TooLarge("too_large", "a", "fits too many tables, or b does", len(tp_a) * len(tp_b), hint)
    found, missed = _ends(tp_a, tp_b, p), _ends(tn_a, tn_b, n)
    right: Any = tuple(one + two for one, two in zip(found, missed, strict=True))
    ways: list[tuple[Metric, int, _Ends]] = [(ACCURACY, p + n, right), (RECALL, p, found), (SPECIFICITY, n, missed)]
    first, second = names
    ranges = list[LeadRange]()
    for metric, size, (leads, fewest, most) in ways:
        if size or metric is ACCURACY:
            least, least_at = _extreme(leads, fewest, largest=False)
            largest, largest_at = _extreme(leads, most, largest=True)
            low, high, alpha = int(leads.min()), int(leads.max()), 1 - level
            of_metric = LeadRange(metric.id, metric.label, size, low, high, least, largest, least_at, largest_at, alpha)
            ranges.append(of_metric)
    return Lead((first, second), p, n, (len(tp_a), len(tp_b)), tuple(ranges), level)


def _tables(claim: TableClaim, name: str) -> tuple[Ints, Ints]:
    """Return tp and tn of all tables that fit, whatever undefined scores were printed as."""
    pieces = list[NDArray[np.int64]]()
    for meaning in meanings(claim):
        feasible = solve(meaning)
        if feasible.unwalked or not feasible.complete or feasible.count > _MOST_PAIRS:
            raise TooLarge("too_large", name, "fits too many tables", feasible.count, "give more scores or digits")
        rows = feasible.rows
        row, tn = unrolled(rows.low, rows.high - rows.low + 1)
        pieces.append(np.stack([rows.tp[row], tn]))
    known = np.unique(np.concatenate(pieces, axis=1), axis=1)
    if not known.size:
        hint = "`fourfold sizes` finds sizes, `fourfold recover` says why"
        raise InputError("empty", name, "has no table of these sizes", [each.name for each in claim.scores], hint)
    return known[0], known[1]


def _ends(a: Ints, b: Ints, size: int) -> _Ends:
    """Return for every two tables what the overlaps of right cases of one class allow."""
    one, two = a[:, None], b[None, :]
    return one - two, np.abs(one - two), np.minimum(one + two, 2 * size - one - two)


def _extreme(leads: Ints, discordant: Ints, *, largest: bool) -> tuple[float, int]:
    """Return the smallest or largest p-value of leads with so many discordant cases each, and these cases."""
    step = int(discordant.max()) + 1
    known = np.unique(np.abs(leads) * step + discordant)
    lead_of, cases = known // step, known % step
    chances = mcnemar(lead_of, cases)
    place = int(chances.argmax() if largest else chances.argmin())
    return float(chances[place]), int(cases[place])


def mcnemar(leads: Any, discordant: Any) -> NDArray[np.float64]:
    """Return the two-sided p-value of McNemar's exact test, of leads in cases and of cases on which just one is right.

    Examples
    --------
    >>> mcnemar([4, 5, 6], [4, 5, 6]).tolist()
    [0.125, 0.0625, 0.03125]
    """
    from scipy.special import bdtr

    lead_of, cases = np.abs(np.asarray(leads)), np.asarray(discordant)
    chances = 2 * bdtr((cases - lead_of) // 2, np.maximum(cases, 1), 0.5)
    return np.where(lead_of == 0, 1.0, np.minimum(chances, 1.0))


class ReadTable(NamedTuple):
    """A table of results, read as one experiment: the sizes its rows share, and the leads of its best row."""

    sizes: SharedSizes
    leads: tuple[Lead, ...]

    @property
    def tied(self) -> tuple[str, ...]:
        """The rows that the best cannot be told from in accuracy, whatever the overlap of errors; itself first."""
        tied = (found.names[1] for found in self.leads if found.ranges[0].verdict == "tied")
        return (self.leads[0].names[0], *tied) if self.leads else ()


def read_results(rows: ResultRows, *, ours: str = "", **options: Any) -> ReadTable:
    """Find the sizes that rows of a table of results share, and what the lead of one over each other comes to.

    Leads are those of the row called `ours`, else of the row with the highest accuracy. There are none if the sizes are
    neither given nor beyond chance, or if that row does not fit them.

    Parameters
    ----------
    rows, options
        As `sizes` takes them.
    ours
        The name of the row whose leads are asked for.

    Examples
    --------
    >>> rows = {"ours": {"accuracy": "0.9"}, "A": {"accuracy": "0.8"}, "B": {"accuracy": "0.1"}}
    >>> read = read_results(rows, positives=5, negatives=5)
    >>> [(found.names[1], found.ranges[0].low, found.ranges[0].least_p) for found in read.leads], read.tied
    ([('A', 1, 1.0), ('B', 8, 0.0078125)], ('ours', 'A'))
    """
    named = [*rows.items()] if isinstance(rows, Mapping) else [*rows]
    shared = sizes(named, **options)
    if not shared.are_known:
        return ReadTable(shared, ())
    pair = shared.pairs[0]
    said: dict[str, Any] = {name: options[name] for name in ("undefined",) if name in options}
    said["rounding"] = shared.rounding
    margins: dict[str, Any] = {"positives": pair.positives, "negatives": pair.negatives}
    fitting = [row for row, sized in zip(named, shared.sized_rows, strict=True) if sized.fits]
    scored = [(_most_right({**scores, **said, **margins}), name, scores) for name, scores in fitting]
    best = next((each for each in scored if each[1] == ours), None) if ours else max(scored, key=lambda each: each[0])
    if best is None:
        return ReadTable(shared, ())
    others = sorted((each for each in scored if each is not best), key=lambda each: -each[0])
    leads = list[Lead]()
    for _, name, scores in others:
        try:
            leads.append(lead(best[2], scores, names=(best[1], name), **margins, **said))
        except TooLarge:
            continue  # what fits nearly everything is told from nothing
    return ReadTable(shared, tuple(leads))


def _most_right(given: Mapping[str, Any]) -> int:
    """Return how many cases a row gets right at most."""
    rows = [solve(meaning).rows for meaning in meanings(TableClaim.read(given))]
    return max(int((each.tp + each.high).max()) for each in rows if len(each))
