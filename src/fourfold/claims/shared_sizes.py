"""The sizes of the one test set that all rows of a table of results share.

Each row alone leaves many pairs of positives and negatives a table; all rows together leave few. Scores of the
positives alone leave each number of positives an interval of tp, those of the negatives an interval of tn, and accuracy
an interval of their sum. The first two hold every whole number between their ends, so a pair fits where the interval of
the sum meets the sum of the intervals: three arrays decide millions of pairs. Rows with other scores are searched for
only on the pairs that this leaves over, and the prevalence that their scores have in tables of any size. Integers
decide.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, Note, Notes, TooLarge
from ..exact import Formula, zero_sets
from ..metrics import CONVENTIONS, PREVALENCE, Convention, is_claimed
from ..shape import Chance, Count, Record, Result
from ..solve.cone import AllSizes, linear_ratio
from ..solve.region import Constraint, cut, half_planes
from ..solve.rows import Bools, Ints, Rows, unrolled
from ..table import whole
from .claim import Size, TableClaim, is_left_out
from .recovery import PrintedScore, Recovery, recover
from .search import fitting_pairs, of_cells

#: Rows of a table of results: the scores of each by its name, or in pairs with it where a name comes twice.
ResultRows: TypeAlias = Mapping[str, Mapping[str, PrintedScore]] | Iterable[tuple[str, Mapping[str, PrintedScore]]]
#: Sizes that are open are never a contradiction: the test set may be larger, or the rows may be means.
SharedVerdict: TypeAlias = Literal["possible", "conditional", "unexplained", "undecided"]

MAX_TOTAL: Final = 2000
# A search of so many rows takes a second or two.
SHARED_BUDGET: Final = 1_000_000
# All pairs are held at once, in about 20 bytes each and one more for each row.
_MOST_TOTAL: Final = 5000
_MOST_ROWS: Final = 200
_MOST_LISTED: Final = 100
# Pairs that are searched together, and pairs from which a share is estimated.
_TOGETHER: Final = 5_000
_SAMPLED: Final = 400
# The least correlation of what serves one row with what serves another: no sample shows that there is none.
_LEAST_ALIKE: Final = 0.02
# Totals that are as large as another but for this factor are about the same.
_NEARLY: Final = 0.8
# Rows that may be odd are at most these, or a fifth of all. Others agree on smaller sizes without them if chance gives
# such sizes less often than this, and by this factor less often than what serves more rows.
_MOST_ODD: Final = 3
_NO_CHANCE: Final = 1e-3
_CUT_OFF: Final = "truncate"


class SharedPair(NamedTuple):
    """A number of positives and of negatives that leaves rows a table."""

    positives: Annotated[Count, "Actual positives."]
    negatives: Annotated[Count, "Actual negatives."]

    @property
    def total(self) -> int:
        """All cases."""
        return self.positives + self.negatives


@dataclass(frozen=True)
class SizedRow(Record, members="name fits count verdict"):
    """One row of a table of results, and what it leaves."""

    name: Annotated[str, "The name of the row."]
    fits: Annotated[bool | None, "Whether it has a table of the first of the pairs; null if there is none."]
    count: Annotated[
        Count | None, "How many of the pairs that were tried leave it a table; null if they were not counted."
    ]
    #: For a row that does not fit: what its scores come to on a test set of these sizes.
    recovery: Recovery | None = field(default=None, repr=False)

    @property
    def verdict(self) -> str | None:
        """For a row that does not fit: the verdict on its scores with the first pair as its test set; else null."""
        return None if self.recovery is None else self.recovery.verdict


@dataclass(frozen=True)
class SharedSizes(
    Result,
    schema="sizes",
    source="`sizes`",
    members="verdict rows=sized_rows serving count pairs unique odd chance all_rows tried max_total complete rounding "
    "notes",
):
    """The sizes of a test set that rows of a table of results can share.

    Examples
    --------
    >>> found = sizes({"A": {"recall": "0.507", "specificity": "0.941"}}, positives=75, negatives=304)
    >>> found.verdict, found.pairs[0]
    ('possible', SharedPair(positives=75, negatives=304))
    """

    sized_rows: Annotated[tuple[SizedRow, ...], "The rows, each with what it alone leaves."]
    serving: Annotated[Count, "How many rows each of the pairs serves."]
    count: Annotated[Count, "How many pairs serve so many rows."]
    pairs: Annotated[tuple[SharedPair, ...], "These pairs, fewest cases first; of many only the first ones."]
    unique: Annotated[bool, "Whether there is one such pair, apart from its multiples, which always fit too."]
    odd: Annotated[
        tuple[str, ...],
        "The rows that do not fit the first pair, if both sizes are given or chance does not explain it.",
    ]
    chance: Annotated[
        Chance | None,
        "About how likely a pair as small as the first serves so many rows if it is not the true one; null for one row "
        "and if both sizes are given.",
    ]
    all_rows: Annotated[SharedPair | None, "The smallest pair that serves all rows; null if none does."]
    tried: Annotated[Count, "How many pairs were tried."]
    max_total: Annotated[Count, "The largest number of cases that was tried."]
    complete: Annotated[bool, "Whether all pairs were looked at."] = True
    rounding: Annotated[str, "How the scores were taken to be rounded."] = "any"
    notes: Notes = ()

    @property
    def verdict(self) -> SharedVerdict:
        """Whether a test set serves all rows: conditional if digits had to be cut off, unexplained if none does."""
        if self.all_rows is not None:
            return "conditional" if any(note.code == "digits_cut_off" for note in self.notes) else "possible"
        return "unexplained" if self.complete else "undecided"

    @property
    def are_known(self) -> bool:
        """Whether the first pair is given, or beyond what chance explains."""
        return bool(self.pairs) and (self.tried == 1 or (self.chance is not None and self.chance < _NO_CHANCE))

    def _rows(self) -> list[dict[str, Any]]:
        """Return a record for each row, with the first of the pairs."""
        positives, negatives = self.pairs[0] if self.pairs else (None, None)
        sizes = {"positives": positives, "negatives": negatives}
        return [
            {"row": row.name, "fits": row.fits, "count": row.count, **sizes, "verdict": row.verdict}
            for row in self.sized_rows
        ]


def sizes(
    rows: ResultRows,
    *,
    positives: Any = None,
    negatives: Any = None,
    total: Any = None,
    max_total: int | str = MAX_TOTAL,
    rounding: str = "any",
    undefined: Convention | str = "any",
    budget: int | str = SHARED_BUDGET,
) -> SharedSizes:
    """Find the numbers of positives and negatives that leave every row of a table of results a table of counts.

    All rows are taken as scores of two classes on one test set. Where no test set serves all rows, the ones that serve
    most are returned, and the other rows are named.

    Parameters
    ----------
    rows
        The scores of each row by its name, as printed: ``{"ours": {"accuracy": "0.855", "recall": "0.507"}}``; or pairs
        of both.
    positives, negatives, total
        What is known of the sizes, each a number or a range.
    max_total
        The largest number of cases to try.
    rounding, undefined
        As `recover` takes them. With any rounding, cut-off digits are tried if no test set serves all rows.
    budget
        How many rows of tables to search for scores other than those of one class and accuracy.

    Examples
    --------
    >>> rows = {
    ...     "A": {"accuracy": "0.855", "recall": "0.507", "specificity": "0.941"},
    ...     "B": {"accuracy": "0.813", "recall": "0.573", "specificity": "0.872"},
    ...     "C": {"accuracy": "0.834", "recall": "0.320", "specificity": "0.961"},
    ... }
    >>> [(pair.positives, pair.negatives) for pair in sizes(rows, total=379).pairs]
    [(75, 304)]
    """
    named = _named(rows)
    options = {"rounding": rounding, "undefined": undefined, "budget": budget}
    known = {"positives": positives, "negatives": negatives, "total": total}
    known = {name: size for name, size in known.items() if size is not None}
    most = whole(max_total, "max_total", text=True)
    claims = [read_row(name, {**scores, **options}) for name, scores in named]
    pairs = _Pairs.of({name: Size.read(size, name) for name, size in known.items()}, most)
    search = _Search(claims, pairs)
    notes = [note for claim in claims for note in claim.notes]
    if search.all_served is None and search.spent_at is None and rounding == "any":
        cut = [read_row(name, {**scores, **options, "rounding": _CUT_OFF}) for name, scores in named]
        other = _Search(cut, pairs)
        if other.all_served is not None:
            words = "no sizes serve all rows if digits were rounded; these do if they were cut off"
            search, rounding, options["rounding"] = other, _CUT_OFF, _CUT_OFF
            notes.append(Note("digits_cut_off", words, {}))
    if search.spent_at is not None:
        words = f"the budget of {claims[0].budget} rows was spent at a total of {search.spent_at}; max_total is {most}"
        notes.append(Note("budget_spent", words, {"budget": claims[0].budget, "total": search.spent_at}))
    if any(claim.area is not None for claim in claims):
        notes.append(Note("area_not_used", "areas under the ROC curve were not used to find sizes", {}))
    chosen, tried, all_served = search.chosen, search.pairs, search.all_served
    places = [] if chosen is None else chosen.best.tolist()
    listed = [tried.pair(place) for place in places[:_MOST_LISTED]]
    # Where chance leaves such sizes often, which rows they do not serve tells nothing.
    told = chosen is not None and (len(named) == 1 or chosen.chance < _NO_CHANCE)
    sized = list[SizedRow]()
    for i, (name, scores) in enumerate(named):
        fits = bool(search.masks[i][places[0]]) if listed else None
        odd = fits is False and told
        recovery = recover({**scores, **options, **listed[0]._asdict(), "folds": "none"}) if odd else None
        sized.append(SizedRow(name, fits, search.count(i), recovery))
    return SharedSizes(
        tuple(sized),
        serving=0 if chosen is None else chosen.served,
        count=len(places),
        pairs=tuple(listed),
        unique=bool(listed) and all(tried.is_multiple(place, places[0]) for place in places),
        odd=tuple(row.name for row in sized if row.verdict in ("impossible", "unexplained", "undecided")),
        chance=chosen.chance if chosen is not None and len(named) > 1 and len(tried.total) > 1 else None,
        all_rows=None if all_served is None else tried.pair(all_served.best[0]),
        tried=len(tried.positives),
        max_total=tried.largest,
        complete=search.spent_at is None,
        rounding=rounding,
        notes=tuple(dict.fromkeys(notes)),
    )


def result_rows(records: Iterable[Mapping[Any, Any]]) -> list[tuple[str, dict[str, PrintedScore]]]:
    """Return the rows of a table of results that was read: the first column that is not a score names them.

    Examples
    --------
    >>> result_rows([{"method": "ours", "year": "2017", "ACC (%)": "85.5", "sens.": "0.507"}])
    [('ours', {'ACC (%)': '85.5%', 'sens.': '0.507'})]
    """
    rows = list[tuple[str, dict[str, PrintedScore]]]()
    for place, record in enumerate(records, 1):
        columns = [column for column in record if isinstance(column, str)]
        scores = {column: str(record[column] or "") for column in columns if is_claimed(column)}
        parts: dict[str, PrintedScore] = {
            name: f"{text}%" if "%" in name and "%" not in text else text
            for name, text in scores.items()
            if not is_left_out(name, text)
        }
        named = next((str(record[column] or "") for column in columns if not is_claimed(column)), "")
        if parts:
            rows.append((named.strip() or f"row {place}", parts))
    if not rows:
        hint = "name columns after scores; `fourfold metrics` lists all"
        raise InputError("unknown_column", "table", "no column is a score", None, hint)
    return rows


def read_rows(rows: ResultRows, options: Mapping[str, Any] = MappingProxyType({})) -> list[tuple[str, TableClaim]]:
    """Return rows of a table of results as claims, by name."""
    return [(name, read_row(name, {**scores, **options})) for name, scores in _named(rows)]


def _named(rows: ResultRows) -> list[tuple[str, Mapping[str, PrintedScore]]]:
    named = [*rows.items()] if isinstance(rows, Mapping) else [(str(name), scores) for name, scores in rows]
    if not named:
        raise InputError("empty", "rows", "must hold at least one", len(named), "give the scores of each row")
    if len(named) > _MOST_ROWS:
        raise TooLarge("too_large", "rows", f"must be at most {_MOST_ROWS}", len(named), "give some of them")
    return named


def read_row(name: str, given: Mapping[str, Any]) -> TableClaim:
    """Read a row; what is wrong with it says where."""
    try:
        return TableClaim.read(given)
    except InputError as error:
        raise InputError(error.code, f"{name}: {error.argument}", error.problem, error.got, error.hint) from None


class _Pairs(NamedTuple):
    """All pairs of sizes that are tried, fewest cases first."""

    positives: Ints
    negatives: Ints
    total: Ints
    largest: int

    @classmethod
    def of(cls, known: Mapping[str, Size], most: int) -> _Pairs:
        """Return the pairs that the sizes given allow, each class with at least one case."""
        p, n, total = (known.get(name, Size()) for name in ("positives", "negatives", "total"))
        given = p.high is not None and n.high is not None
        ends = [] if total.high is None else [total.high]
        largest = min([*ends, p.high + n.high] if p.high is not None and n.high is not None else ends or [most])
        if largest > _MOST_TOTAL and not (given and p.known and n.known):
            hint = f"give positives and negatives, or at most {_MOST_TOTAL}"
            raise TooLarge("too_large", "max_total", "are more cases than can be tried", largest, hint)
        if given and p.known and n.known:
            return cls(np.array([p.low]), np.array([n.low]), np.array([p.low + n.low]), largest)
        totals = np.arange(max(total.low, 2), largest + 1)
        first = np.maximum(max(p.low, 1), 0 * totals if n.high is None else totals - n.high)
        last = np.minimum(totals - max(n.low, 1), totals if p.high is None else p.high)
        place, positives = unrolled(first, np.maximum(last - first + 1, 0))
        if not len(positives):
            hint = "raise max_total, or check the sizes"
            raise InputError("bad_count", "max_total", "leaves no sizes to try", most, hint)
        return cls(positives, totals[place] - positives, totals[place], largest)

    def pair(self, place: int | np.intp) -> SharedPair:
        return SharedPair(int(self.positives[place]), int(self.negatives[place]))

    def is_multiple(self, place: int | np.intp, first: int | np.intp) -> bool:
        """Tell whether one pair is another a whole number of times."""
        times, rest = divmod(int(self.total[place]), int(self.total[first]))
        return not rest and int(self.positives[place]) == times * int(self.positives[first])


def _may_be_undefined(formula: Formula) -> bool:
    """Tell whether some table with cases of both classes leaves a score undefined."""
    return any(
        guard.signed or not all({"tp", "fn"} <= cells or {"fp", "tn"} <= cells for cells in zero_sets(guard))
        for guard in formula.guards
    )


def _side(formula: Formula) -> str:
    """Return what of a table a score of two classes depends on: one class, the cases that are right, or more."""
    affine = formula.affine_ratio
    if affine is None or _may_be_undefined(formula):
        return "all"
    (a, b, c), (d, e, f) = affine.numerator, affine.denominator
    used = {name for part in (a, b, c, d, e, f) for name in sum(part.terms, ())}
    if not b.terms and not e.terms and "negatives" not in used:
        return "positives"
    if not a.terms and not d.terms and "positives" not in used:
        return "negatives"
    alike = all(part.terms.get(("positives",)) == part.terms.get(("negatives",)) for part in (a, b, c, d, e, f))
    straight = all(len(names) <= 1 for part in (a, b, c, d, e, f) for names in part.terms)
    return "total" if a == b and d == e and alike and straight else "all"


def _interval(constraints: Sequence[Constraint], side: str, largest: int) -> tuple[Ints, Ints]:
    """Return for each size of a class, or of both, the least and the most right cases that scores of it allow.

    Where they allow none, the least is above the most.
    """
    size = np.arange(largest + 1)
    planes = half_planes(constraints, *((0 * size, size) if side == "negatives" else (size, 0 * size)))
    if side != "negatives":
        # The right cases of these are tp: it takes the place of tn.
        planes = [(b, a, c) for a, b, c in planes]
    rows = cut(planes, Rows.of(0 * size, size, 0 * size, 0 * size, size))
    low, high = size + 1, 0 * size - 1
    low[rows.negatives], high[rows.negatives] = rows.low, rows.high
    return low, high


def meanings(claim: TableClaim) -> list[TableClaim]:
    """Return a claim once for each thing that an undefined score may have been printed as, where that may matter."""
    if claim.convention is not None:
        return [claim]
    others = (each for each in CONVENTIONS.values() if each is not None and not each.strict)
    changed = [claim.changed(convention=each) for each in others]
    strict = claim.changed(convention=claim.meant)
    return [strict, *(own for own in changed if any(map(_may_be_undefined, own.holes(own.meant))))]


class _Row:
    """One row: what its scores of one class and of all cases decide at once, and the rest of them."""

    def __init__(self, claim: TableClaim, largest: int) -> None:
        self.claim = claim = claim.having(tuple(of_cells(claim.scores)))
        constraints = [(claimed.metric, claimed.reported) for claimed in claim.scores]
        sides: dict[str, list[Constraint]] = {"positives": [], "negatives": [], "total": [], "all": []}
        for metric, reported in constraints:
            sides[_side(metric.formula)].append((metric, reported))
        self.intervals = {side: _interval(own, side, largest) for side, own in sides.items() if own and side != "all"}
        self.claims = meanings(claim)
        self.searched = bool(sides["all"])
        self.straight = constraints

    @cached_property
    def shares(self) -> tuple[Fraction, Fraction]:
        """The ends of the share of positives in tables of any size that fit; the first is larger if there are none."""
        if any(claimed.is_count for claimed in self.claim.scores):
            return Fraction(0), Fraction(1)
        ends: list[tuple[Fraction, Fraction]] = []
        for claim in self.claims:
            kept = [
                (metric, reported)
                for metric, reported in self.straight
                if (claim.meant.strict or len(metric.components) == 1) and linear_ratio(metric.formula)
            ]
            of_all = AllSizes.of(kept, claim.meant)
            if of_all is None:
                return Fraction(0), Fraction(1)
            if (limits := of_all.limits([PREVALENCE])[PREVALENCE.id]) is not None:
                ends.append((Fraction(limits.low.value), Fraction(limits.high.value)))  # type: ignore[arg-type]
        return min((low for low, _ in ends), default=Fraction(1)), max((high for _, high in ends), default=Fraction(0))

    def mask(self, pairs: _Pairs) -> Bools:
        """Tell which pairs may leave it a table: just those that do, where it has no other scores."""
        p, n, total, _ = pairs
        claim = self.claim.sized()
        if claim is None:
            return np.zeros(len(p), dtype=bool)
        mask = np.ones(len(p), dtype=bool)
        for own, size in ((p, claim.positives), (n, claim.negatives), (total, claim.total)):
            mask &= (own >= size.low) & (own <= (pairs.largest if size.high is None else size.high))
        none = np.zeros(pairs.largest + 1, dtype=np.int64), np.arange(pairs.largest + 1)
        sides = (self.intervals.get(side, none) for side in ("positives", "negatives", "total"))
        (tp, most_tp), (tn, most_tn), (right, most_right) = sides
        mask &= (tp <= most_tp)[p] & (tn <= most_tn)[n]
        if "total" in self.intervals:
            least, most = tp[p] + tn[n], most_tp[p] + most_tn[n]
            mask &= np.maximum(least, right[total]) <= np.minimum(most, most_right[total])
        return mask & _within(self.shares, pairs) if self.searched else mask

    def fitting(self, positives: Ints, negatives: Ints, budget: int) -> tuple[Bools, int]:
        """Tell which of some pairs leave it a table, and how many rows of tables were looked at."""
        fits, looked = np.zeros(len(positives), dtype=bool), 0
        for claim in self.claims:
            some = np.flatnonzero(~fits)
            found, rows = fitting_pairs(claim, positives[some], negatives[some], budget - looked)
            fits[some] = found
            looked += rows + len(some)
        return fits, looked


def _within(shares: tuple[Fraction, Fraction], pairs: _Pairs, places: Any = slice(None)) -> Bools:
    """Tell which of some pairs have a share of positives between two ends, with a little room for floats."""
    share = pairs.positives[places] / pairs.total[places]
    return np.asarray((share >= float(shares[0]) - 1e-9) & (share <= float(shares[1]) + 1e-9))


class _Level(NamedTuple):
    """The pairs that serve so many rows, fewest cases first, and how likely chance gives one as small as the first."""

    served: int
    best: NDArray[np.intp]
    chance: float


class _Search:
    """The search for the pairs that serve most rows."""

    def __init__(self, claims: Sequence[TableClaim], pairs: _Pairs) -> None:
        self.pairs, self.left = pairs, claims[0].budget
        self.rows = [_Row(claim, pairs.largest) for claim in claims]
        self.masks = [row.mask(pairs) for row in self.rows]
        #: For each row with other scores, for which pairs it is known whether it fits.
        self.known = {i: ~mask for i, mask in enumerate(self.masks) if self.rows[i].searched}
        #: The total up to which all pairs were looked at where the budget did not reach; else None.
        self.spent_at: int | None = None

    @cached_property
    def levels(self) -> list[_Level]:
        """The most rows that pairs serve, and a few less: each with its pairs, as far as there are any."""
        levels = list[_Level]()
        rows = len(self.rows)
        if len(self.pairs.total) == 1 and self._decide(0):
            return [_Level(int(self._sure()[0]), np.array([0]), 0.0)]
        for served in range(rows, max(rows // 2, rows - max(_MOST_ODD, rows // 5) - 1), -1):
            if not self._decide(served) and levels:
                break
            best = np.flatnonzero(self._sure() == served)
            if len(best):
                levels.append(_Level(served, best, self._chance(served, best)))
            if self.spent_at is not None:
                break
        return levels

    @property
    def all_served(self) -> _Level | None:
        """The pairs that serve all rows; None if there are none."""
        return self.levels[0] if self.levels and self.levels[0].served == len(self.rows) else None

    @property
    def chosen(self) -> _Level | None:
        """The pairs that serve most rows, or some fewer rows if chance gives those and not these.

        Large test sets leave nearly every row a table, also a false one.
        """
        chosen = self.levels[0] if self.levels else None
        for level in self.levels:
            if chosen and level.best[0] < chosen.best[0] and level.chance < _NO_CHANCE:
                # What fits the first fits its multiples.
                is_multiple = self.pairs.is_multiple(chosen.best[0], level.best[0])
                chosen = level if is_multiple or level.chance < _NO_CHANCE * chosen.chance else chosen
        return chosen

    def count(self, row: int) -> int | None:
        """Return how many pairs leave a row a table; None where that is not known."""
        return int(self.masks[row].sum()) if row not in self.known or self.known[row].all() else None

    def _sure(self) -> NDArray[np.int16]:
        """Return how many rows each pair serves; none where that is not known."""
        counts = np.sum(self.masks, axis=0, dtype=np.int16)
        return np.where(np.all([*self.known.values(), counts >= 0], axis=0), counts, 0)

    def _decide(self, served: int) -> bool:
        """Search where so many rows may be served, fewest cases first; return whether the budget was enough."""
        counts = np.sum(self.masks, axis=0, dtype=np.int16)
        places = np.flatnonzero((counts >= served) & ~np.all([*self.known.values(), counts >= 0], axis=0))
        for start in range(0, len(places), _TOGETHER):
            some = places[start : start + _TOGETHER]
            for row in self.known:
                some = some[np.sum([mask[some] for mask in self.masks], axis=0) >= served]
                if not self._search(row, some[~self.known[row][some]]):
                    self.spent_at = int(self.pairs.total[places[start]]) - 1
                    return False
        return True

    def _search(self, row: int, places: NDArray[np.intp]) -> bool:
        """Search for tables of a row of some pairs of sizes; return whether the budget was enough."""
        if not len(places):
            return True
        p, n = self.pairs.positives[places], self.pairs.negatives[places]
        try:
            self.masks[row][places], looked = self.rows[row].fitting(p, n, self.left)
        except TooLarge:
            return False
        self.known[row][places] = True
        self.left -= looked
        return True

    def _chance(self, served: int, best: NDArray[np.intp]) -> float:
        """Return about how likely a pair as small as the first is that serves so many rows, if it is not the true one.

        Only pairs count with a share of positives that all these rows have in tables of some size. How many rows those
        serve that have about as many cases as the first pair, or more, has a mean and a variance. A beta-binomial law
        with these says how often so many are served: rows agree by more than chance on pairs that share one size with
        the true one, or nearly its prevalence.
        """
        total, smallest = self.pairs.total, int(self.pairs.total[best[0]])
        rows = [row for row, mask in zip(self.rows, self.masks, strict=True) if mask[best[0]]]
        free = _within((max(row.shares[0] for row in rows), min(row.shares[1] for row in rows)), self.pairs)
        free[best] = False
        as_small = int(free[: np.searchsorted(total, smallest, "right")].sum())
        # Without a total the first pair may itself be there by chance: that no other is possible proves nothing.
        as_small += int(total[0] != total[-1])
        start = int(np.searchsorted(total, _NEARLY * smallest))
        sample = start + np.flatnonzero(free[start:])
        sample = sample[: max(int(np.searchsorted(total[sample], smallest / _NEARLY, "right")), _SAMPLED)]
        sample = sample[:: max(1, len(sample) // _SAMPLED)]
        for row in self.known:
            self._search(row, sample[~self.known[row][sample]])
        # Where it is not known if a row is served, it is.
        return min(as_small * _tail(np.sum([mask[sample] for mask in self.masks], axis=0), len(self.rows), served), 1.0)


def _tail(counts: NDArray[Any], most: int, least: int) -> float:
    """Return the chance of at least so many, by the beta-binomial law with the mean and the variance of some counts."""
    mean = (float(counts.sum()) + 0.5) / (most * len(counts) + 1)
    spread = float(((counts - most * mean) ** 2).sum() + 1) / (len(counts) + 1)
    alike = (spread / (most * mean * (1 - mean)) - 1) / max(most - 1, 1)
    rest = 1 / min(max(alike, _LEAST_ALIKE), 0.99) - 1
    a, b = mean * rest, (1 - mean) * rest
    whole = math.lgamma(a) + math.lgamma(b) - math.lgamma(rest)
    parts = (
        math.comb(most, k) * math.exp(math.lgamma(a + k) + math.lgamma(b + most - k) - math.lgamma(rest + most) - whole)
        for k in range(least, most + 1)
    )
    return min(sum(parts), 1.0)
