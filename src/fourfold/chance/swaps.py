"""Swap laws: two models on the same rows, and all ways in which their predictions could have been exchanged.

Where two models are equally good, the two predictions of a row could as well stand the other way round. Rows on which
both models agree do not change by that. Of d1 actual positives on which they differ, u go to the first model as found,
and of d0 actual negatives v as cleared: two binomial numbers with share one half. The (d1 + 1)(d0 + 1) tables are all
there is, so any metric has an exact test. For accuracy it is McNemar's.
"""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np

from ..exact import Formula
from ..exact.polynomial import Polynomial
from ..exact.surd import Exact
from ..solve.region import row_monotone
from ..solve.rows import Ints
from ..strategy import strategy
from ..table import Table
from .draws import Floats, binomial, windows
from .laws import Split

# Differences closer than this, relative to the scores, are compared exactly.
_NEAR: Final = 1e-9
# More tables, or more rows of tables, than this are not looked at.
_MOST_TABLES: Final = 4_000_000
_MOST_ROWS: Final = 1_000_000
# Draws at a time: memory does not grow with their number.
_DRAWN_TOGETHER: Final = 1 << 18


class Agreement(NamedTuple):
    """Rows of one actual class: how many both models get right, only the first, only the second, neither."""

    both: int = 0
    first: int = 0
    second: int = 0
    neither: int = 0

    @property
    def differ(self) -> int:
        """The rows on which the two models differ."""
        return self.first + self.second

    @property
    def total(self) -> int:
        """All rows."""
        return sum(self)


class PairedTables(NamedTuple):
    """Two fourfold tables of the same rows: what each class has in common.

    Examples
    --------
    >>> pairs = PairedTables(Agreement(30, 12, 3, 5), Agreement(40, 2, 6, 2))
    >>> pairs.tables()
    (Table(tp=42, fn=8, fp=8, tn=42), Table(tp=33, fn=17, fp=4, tn=46))
    """

    positives: Agreement
    negatives: Agreement

    def cells(self, u: Any, v: Any) -> dict[str, Any]:
        """Return a model's cells if it alone gets u of the positives and v of the negatives right."""
        tp, tn = self.positives.both + u, self.negatives.both + v
        return {"tp": tp, "fn": self.positives.total - tp, "fp": self.negatives.total - tn, "tn": tn}

    def tables(self) -> tuple[Table, Table]:
        """Return the tables of both models."""
        first = self.cells(self.positives.first, self.negatives.first)
        second = self.cells(self.positives.second, self.negatives.second)
        return Table(**first), Table(**second)


class SwapLaw:
    """The law of the difference of a metric when predictions are swapped, seen from the difference that was observed.

    Swaps need not be fair: `split` takes the log-odds with which the first model gets a row of each class.
    """

    method: str
    #: The chance that one of the two scores is undefined, under fair swaps.
    undefined: float = 0.0
    #: Whether other log-odds than 0 can be asked for.
    tilts: bool = True

    def split(self, positives: float = 0.0, negatives: float = 0.0) -> Split:
        """Return the chances of a smaller, the same and a larger difference, given that it is defined."""
        raise NotImplementedError


def swap_law(
    formula: Formula, pairs: PairedTables, *, rng: np.random.Generator | None = None, draws: int = 0
) -> SwapLaw | None:
    """Return the law of the difference of a metric under swaps; None where it is undefined for the data.

    It is exact at any size for a metric whose rows are monotone, as all of the catalogue are. Else, beyond a number of
    tables, swaps are drawn at random.

    Examples
    --------
    >>> from fourfold.metrics import metric
    >>> pairs = PairedTables(Agreement(30, 12, 3, 5), Agreement(40, 2, 6, 2))
    >>> law = swap_law(metric("accuracy").formula, pairs)
    >>> law.method, round(law.split().above + law.split().equal, 4)
    ('binomial', 0.2024)
    """
    if any(formula.exact(table.cells()) is None for table in pairs.tables()):
        return None
    weights = _weights(formula, pairs)
    if weights is not None and (0 in weights or abs(weights[0]) == abs(weights[1])):
        return _Binomial(pairs, weights)
    tables = (pairs.positives.differ + 1) * (pairs.negatives.differ + 1)
    # A denominator that can cancel leaves holes inside of rows.
    if tables > strategy().swapped_together_up_to and not formula.cancels and row_monotone(formula):
        law = _RowByRow.made(formula, pairs)
        if law is not None:
            return law
    if tables <= _MOST_TABLES:
        return _AllTables(formula, pairs)
    return _Drawn(formula, pairs, rng or np.random.default_rng(0), draws)


def _weights(formula: Formula, pairs: PairedTables) -> tuple[int, int] | None:
    """Return by how much a found positive and a cleared negative move the metric; None where that is not constant."""
    margins = {
        "fn": Polynomial.of("positives") - Polynomial.of("tp"),
        "fp": Polynomial.of("negatives") - Polynomial.of("tn"),
    }
    guards = [guard.ratio(margins) for guard in formula.guards]
    affine = formula.affine_ratio
    if affine is None or any(affine.denominator[i].terms for i in (0, 1)):
        return None
    # What is divided by must not depend on the predictions either: it decides where the metric is defined.
    if any(guard is None or {"tp", "tn"} & {*sum(guard.numerator.terms, ())} for guard in guards):
        return None
    (a, b, _), (_, _, f) = affine.at(pairs.positives.total, pairs.negatives.total)
    sign = 1 if f > 0 else -1
    return (sign * a if pairs.positives.differ else 0), (sign * b if pairs.negatives.differ else 0)


def _share(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds)) if log_odds > -700 else 0.0


def _chances(numbers: Ints, size: int, log_odds: float) -> Floats:
    """Return binomial chances of some numbers; where the log-odds are extreme, all or none."""
    share = _share(log_odds)
    if not size or share in (0.0, 1.0):
        return np.asarray(numbers == round(size * share), dtype=np.float64)
    return binomial(numbers, np.full(len(numbers), size), share)


class _Binomial(SwapLaw):
    """A metric that only counts in how many rows the first model is the better one."""

    method = "binomial"

    def __init__(self, pairs: PairedTables, weights: tuple[int, int]) -> None:
        parts = [(w, part) for w, part in zip(weights, pairs, strict=True) if w]
        self._size = sum(part.differ for _, part in parts)
        self._better = sum(part.first if w > 0 else part.second for w, part in parts)
        self._signs = tuple((w > 0) - (w < 0) for w in weights)

    def split(self, positives: float = 0.0, negatives: float = 0.0) -> Split:
        from scipy.special import betainc

        one, other = self._signs
        log_odds = one * positives if one else other * negatives
        x, n, share = self._better, self._size, _share(log_odds)
        if not n:
            return Split(0.0, 1.0, 0.0)
        equal = float(_chances(np.array([x]), n, log_odds)[0])
        below = float(betainc(n - x + 1, x, 1 - share)) if x else 0.0
        above = float(betainc(x + 1, n - x, share)) if x < n else 0.0
        return Split(below, equal, above)


class _Compared:
    """Tells how differences lie beside the one that was observed; those that are close are compared exactly."""

    def __init__(self, formula: Formula, pairs: PairedTables) -> None:
        self.formula, self.pairs = formula, pairs
        self.sizes = pairs.positives.differ, pairs.negatives.differ
        self.at = pairs.positives.first, pairs.negatives.first
        self._exact: dict[tuple[int, int], Exact | None] = {}
        self.observed = self._difference(*self.at)
        scores = [self._score(*self.at), self._score(self.sizes[0] - self.at[0], self.sizes[1] - self.at[1])]
        self._scale = sum(abs(float(score)) for score in scores if score is not None)

    def scores(self, u: Any, v: Any) -> Floats:
        return self.formula.evaluate(self.pairs.cells(u, v))

    def doubt(self, scores: Floats, others: Floats) -> Floats:
        """Return within which distance of the observed difference floats decide nothing."""
        return np.asarray(_NEAR * (np.abs(scores) + np.abs(others) + self._scale + _NEAR))

    def sign(self, u: int, v: int) -> int:
        """Return -1, 0 or 1 for a difference below, at or above the observed one, exactly."""
        off: Any = self._difference(u, v)
        assert off is not None, "only defined differences are compared"
        return int(off > self.observed) - int(off < self.observed)

    def _difference(self, u: int, v: int) -> Any:
        one, other = self._score(u, v), self._score(self.sizes[0] - u, self.sizes[1] - v)
        return None if one is None or other is None else one - other

    def _score(self, u: int, v: int) -> Exact | None:
        if (u, v) not in self._exact:
            self._exact[u, v] = self.formula.exact(self.pairs.cells(u, v))
        return self._exact[u, v]


class _AllTables(SwapLaw):
    """Every table that swaps can give, looked at once; log-odds only change the chances of rows and columns."""

    method = "all swaps"

    def __init__(self, formula: Formula, pairs: PairedTables) -> None:
        compared = _Compared(formula, pairs)
        self._sizes = compared.sizes
        u, v = np.arange(self._sizes[0] + 1)[:, None], np.arange(self._sizes[1] + 1)[None, :]
        scores = compared.scores(u, v)
        others = scores[::-1, ::-1]  # swapped, each model has the other's table
        off = scores - others - float(compared.observed)
        signs = np.sign(off)
        with np.errstate(invalid="ignore"):
            near = np.argwhere(np.abs(off) <= compared.doubt(scores, others))
        for i, j in near.tolist():
            signs[i, j] = compared.sign(i, j)
        self._parts = [(signs == way).astype(np.float64) for way in (-1, 0, 1)]
        self._complete = not np.isnan(signs).any()
        self.undefined = 0.0 if self._complete else self._undefined(signs)

    def _undefined(self, signs: Floats) -> float:
        rows, columns = self._margins(0.0, 0.0)
        return float(rows @ np.isnan(signs).astype(np.float64) @ columns)

    def _margins(self, positives: float, negatives: float) -> list[Floats]:
        both = zip(self._sizes, (positives, negatives), strict=True)
        return [_chances(np.arange(size + 1), size, log_odds) for size, log_odds in both]

    def split(self, positives: float = 0.0, negatives: float = 0.0) -> Split:
        rows, columns = self._margins(positives, negatives)
        below, equal, above = (float(rows @ part @ columns) for part in self._parts)
        whole = 1.0 if self._complete else below + equal + above
        return Split(below / whole, equal / whole, above / whole) if whole else Split(0.0, 1.0, 0.0)


class _RowByRow(SwapLaw):
    """Many tables: in each row of them the difference rises or falls, so that a bisection tells where it is passed.

    Rows with a chance below 1e-40 both under fair swaps and around the data are left out.
    """

    method = "all swaps, row by row"

    def __init__(self, compared: _Compared, rows: Ints, *, along: int) -> None:
        self._along, self._rows = along, rows
        self._sizes = compared.sizes[along], compared.sizes[1 - along]
        self._compared = compared
        self.rising = True

    @classmethod
    def made(cls, formula: Formula, pairs: PairedTables) -> _RowByRow | None:
        """Return the law; None where there are too many rows, or where a row is not of this kind."""
        compared = _Compared(formula, pairs)
        along = 0 if compared.sizes[0] >= compared.sizes[1] else 1
        size, at = compared.sizes[1 - along], compared.at[1 - along]
        ends = [windows(np.array([size]), share) for share in (0.5, min(max(at / size, 1e-9), 1 - 1e-9) if size else 0)]
        low, high = min(int(end[0][0]) for end in ends), max(int(end[1][0]) for end in ends)
        if high - low >= _MOST_ROWS:
            return None
        law = cls(compared, np.arange(low, high + 1), along=along)
        return law if law._is_defined() else None

    def _scores(self, along: Ints, rows: Ints) -> Floats:
        return self._compared.scores(*((along, rows) if self._along == 0 else (rows, along)))

    def _is_defined(self) -> bool:
        """Find where each row passes the observed difference."""
        size, other = self._sizes
        rows, ends = self._rows, np.zeros(len(self._rows), dtype=np.int64)
        steps = [self._scores(ends + size, part) - self._scores(ends, part) for part in (rows, other - rows)]
        if any(np.isnan(step).any() for step in steps):
            return False
        self.rising = all((step >= 0).all() for step in steps)
        if not self.rising and not all((step <= 0).all() for step in steps):
            return False
        first, last = self._passed(strict=False), self._passed(strict=True)
        self._equal = np.zeros(len(rows), dtype=np.int64)
        for i in np.flatnonzero(last > first).tolist():
            signs = [self._sign(number, int(rows[i])) for number in range(int(first[i]), int(last[i]))]
            first[i] += signs.count(-1)
            self._equal[i] = signs.count(0)
        self._from = first
        return True

    def _number(self, place: Any) -> Any:
        """Return the number at a place in a row, counted so that differences rise."""
        return place if self.rising else self._sizes[0] - place

    def _sign(self, place: int, row: int) -> int:
        number = self._number(place)
        return self._compared.sign(*((number, row) if self._along == 0 else (row, number)))

    def _passed(self, *, strict: bool) -> Ints:
        """Return the first place in each row whose difference is surely larger, or surely not smaller."""
        size, other = self._sizes
        low, high = np.zeros(len(self._rows), dtype=np.int64), np.full(len(self._rows), size + 1, dtype=np.int64)
        observed = float(self._compared.observed)
        while (low < high).any():
            middle = (low + high) // 2
            number = self._number(np.minimum(middle, size))
            scores, others = self._scores(number, self._rows), self._scores(size - number, other - self._rows)
            doubt = self._compared.doubt(scores, others)
            passed = scores - others - observed > (doubt if strict else -doubt)
            going = low < high
            high = np.where(going & passed, middle, high)
            low = np.where(going & ~passed, middle + 1, low)
        return low

    def split(self, positives: float = 0.0, negatives: float = 0.0) -> Split:
        from scipy.special import betainc

        along, other = (positives, negatives) if self._along == 0 else (negatives, positives)
        size, share = self._sizes[0], _share(along if self.rising else -along)
        rows = _chances(self._rows, self._sizes[1], other)

        def reached(place: Ints) -> Floats:
            inner = betainc(np.maximum(place, 1), np.maximum(size - place + 1, 1), share)
            return np.where(place <= 0, 1.0, np.where(place > size, 0.0, inner))

        def missed(place: Ints) -> Floats:
            inner = betainc(np.maximum(size - place + 1, 1), np.maximum(place, 1), 1 - share)
            return np.where(place <= 0, 0.0, np.where(place > size, 1.0, inner))

        first, last = self._from, self._from + self._equal
        lower, upper = missed(first), reached(last)
        equal = np.where(
            self._equal == 1, _chances(np.clip(first, 0, size), size, along if self.rising else -along), 0.0
        )
        equal = np.where(self._equal > 1, reached(first) - upper, equal)
        below, same, above = (float(rows @ part) for part in (lower, equal, upper))
        whole = below + same + above
        return Split(below / whole, same / whole, above / whole)


class _Drawn(SwapLaw):
    """Swaps drawn at random: what is left where there are too many tables to look at."""

    tilts = False

    def __init__(self, formula: Formula, pairs: PairedTables, rng: np.random.Generator, draws: int) -> None:
        compared = _Compared(formula, pairs)
        counts = np.zeros(3, dtype=np.int64)
        self.method = f"monte carlo, {draws} draws"
        for start in range(0, draws, _DRAWN_TOGETHER):
            drawn = min(_DRAWN_TOGETHER, draws - start)
            u, v = (rng.binomial(size, 0.5, drawn) for size in compared.sizes)
            scores, others = compared.scores(u, v), compared.scores(compared.sizes[0] - u, compared.sizes[1] - v)
            off, doubt = scores - others - float(compared.observed), compared.doubt(scores, others)
            counts += [int((off < -doubt).sum()), int((np.abs(off) <= doubt).sum()), int((off > doubt).sum())]
        self.undefined = 1 - int(counts.sum()) / draws
        # The data themselves are one of the ways.
        self._counts = counts + np.array([0, 1, 0])

    def split(self, positives: float = 0.0, negatives: float = 0.0) -> Split:
        return Split(*(self._counts / self._counts.sum()).tolist())
