"""From reported scores of a regression to what its errors can have been.

The scores of n predictions depend on each other: mae <= rmse <= max error, and r2 = 1 - mse / variance. `error_sums`
knows exactly which of them fit together; here printed scores become ranges, and the answer says who contradicts whom.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

from ..errors import InputError, Note, Notes
from ..exact.reported import Reported
from ..exact.surd import Exact, root
from ..shape import Count, Result
from ..table import whole
from .error_sums import Ends, ErrorSums, Range, Runs, Spent, WholeErrors, exact_root

RegressionVerdict: TypeAlias = Literal["possible", "impossible", "undecided"]

#: How many choices of whole errors may be looked at before the answer is "undecided".
ERRORS_LOOKED_AT: Final = 200_000
# The same for one end of one score, and for one set of scores that may contradict each other.
_FOR_AN_END: Final = 20_000

# The sums of so many whole targets are tried, at most.
_MOST_TARGETS: Final = 100_000

_POSITIVE: Final = Range(low_open=True)

#: The ends of the sum, the largest and the sum of squares of whole errors.
_AllEnds: TypeAlias = tuple[Ends, Ends, Ends]


class ScoreBounds(NamedTuple):
    """A score's smallest and largest value over all errors that fit."""

    low: Annotated[float | None, "No smaller value is possible; null where there is no limit."]
    high: Annotated[float | None, "No larger value is possible; null where there is no limit."]
    low_attained: Annotated[bool, "Whether the smallest value itself is known to be possible."] = True
    high_attained: Annotated[bool, "Whether the largest value itself is known to be possible."] = True


class Leftover(NamedTuple):
    """What other scores leave for one that contradicts them."""

    others: Annotated[tuple[str, ...], "The others."]
    score: Annotated[str, "The score."]
    low: Annotated[float | None, "Its smallest value by the others; null where there is no limit."]
    high: Annotated[float | None, "Its largest value by the others; null where there is no limit."]


class ErrorRun(NamedTuple):
    """Errors of one size."""

    size: Annotated[Fraction, "The error without its sign, exact.", str]
    cases: Annotated[Count, "How many cases have it."]


@dataclass(frozen=True)
class RegressionRecovery(
    Result,
    schema="regression_recovery",
    source="`recover_regression`",
    members="verdict n scores integer_errors sample_variance bounds blame leftover errors notes",
):
    """Whether one set of errors could have produced the scores of a regression, and what follows from that.

    Examples
    --------
    >>> result = recover_regression(n=100, mae="0.60", rmse="0.45")
    >>> result.verdict, result.blame
    ('impossible', (('mae', 'rmse'),))
    """

    n: Annotated[Count, "How many cases were predicted."]
    scores: Annotated[dict[str, Reported], "What was reported, as it was read, by name."]
    verdict: Annotated[RegressionVerdict, "undecided if whole errors were neither found nor ruled out."]
    bounds: Annotated[dict[str, ScoreBounds], "What every score can be, by name; empty where nothing is possible."]
    blame: Annotated[
        tuple[tuple[str, ...], ...], "Scores that contradict each other, none of which can be left out."
    ] = ()
    leftover: Annotated[
        tuple[Leftover, ...], "For each set that contradicts itself: what the other scores leave for the last one."
    ] = ()
    errors: Annotated[
        tuple[ErrorRun, ...], "Errors that fit, checked from the definitions; empty if none were worked out."
    ] = ()
    integer_errors: Annotated[bool, "Whether all errors are whole numbers."] = False
    sample_variance: Annotated[bool, "Whether the variance was divided by n - 1."] = False
    notes: Notes = ()

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record for each score: what was printed, and its bounds where it has some."""
        names = dict.fromkeys((*self.scores, *self.bounds))
        printed = {name: reported.text for name, reported in self.scores.items()}
        none = dict.fromkeys(ScoreBounds._fields)
        bounds = {name: self.bounds[name]._asdict() if name in self.bounds else none for name in names}
        return [{"score": name, "printed": printed.get(name), **bounds[name]} for name in names]


def recover_regression(
    *,
    n: int,
    mae: object = None,
    rmse: object = None,
    mse: object = None,
    max_error: object = None,
    r2: object = None,
    variance: object = None,
    integer_errors: bool = False,
    sample_variance: bool = False,
    rounding: str = "any",
    budget: int = ERRORS_LOOKED_AT,
) -> RegressionRecovery:
    """Say whether the scores of a regression fit together, and which values the others can have.

    Parameters
    ----------
    n
        How many cases were predicted.
    mae, rmse, mse, max_error
        The mean absolute error, the root of the mean squared error, the mean squared error and the largest absolute
        error, as printed: text keeps trailing zeros.
    r2
        One minus the mean squared error over the variance of the targets.
    variance
        The variance of the targets.
    integer_errors
        Targets *and* predictions are whole numbers, so that all errors are. Whole targets alone are not enough.
    sample_variance
        The variance was divided by n - 1, not by n.
    rounding
        How scores were rounded, as for `Reported.read`.
    budget
        How many choices of whole errors to try at most.

    Returns
    -------
    RegressionRecovery
        The verdict, the bounds of every score, what contradicts what, and errors that fit. The verdict is exact,
        unless it is "undecided", which only happens with whole errors.

    Examples
    --------
    >>> result = recover_regression(n=50, mae="0.42", max_error="1.9")
    >>> result.verdict, [round(end, 3) for end in result.bounds["rmse"][:2]]
    ('possible', [0.463, 0.907])
    """
    given = {
        "mae": mae, "rmse": rmse, "mse": mse, "max_error": max_error, "r2": r2, "variance": variance
    }  # fmt: skip
    claim = _Claim.read(whole(n, "n"), given, rounding, whole_errors=integer_errors, sample=sample_variance)
    notes = [note for reported in claim.scores.values() for note in reported.notes]
    try:
        runs = claim.solve(budget)
        verdict: RegressionVerdict = "impossible" if runs is None else "possible"
    except Spent:
        runs, verdict = None, "undecided"
        words = f"no whole errors that fit were found among {budget} choices, and not all were looked at"
        notes.append(Note("budget_spent", words, {"budget": budget}))
    blame: tuple[tuple[str, ...], ...] = ()
    if verdict == "impossible":
        blame, sure = _blame(claim)
        if not sure:
            notes.append(Note("blame_incomplete", "not every set of claims was checked for a contradiction", {}))
    return RegressionRecovery(
        n=claim.n,
        scores=dict(claim.scores),
        verdict=verdict,
        bounds={} if verdict == "impossible" else claim.bounds(min(budget, _FOR_AN_END)),
        blame=blame,
        leftover=tuple(left for names in blame for left in claim.leftover(names)),
        errors=tuple(ErrorRun(*run) for run in runs or ()),
        integer_errors=integer_errors,
        sample_variance=sample_variance,
        notes=tuple(notes),
    )


@dataclass(frozen=True)
class _Claim:
    """Reported scores of n predictions, as ranges."""

    n: int
    scores: Mapping[str, Reported]
    whole_errors: bool
    sample: bool

    @classmethod
    def read(cls, n: int, given: Mapping[str, object], rounding: str, *, whole_errors: bool, sample: bool) -> _Claim:
        if not n:
            raise InputError("bad_count", "n", "must be at least one case", n, "say how many cases were predicted")
        scores = {
            name: Reported.read(value, rounding=rounding, argument=name)
            for name, value in given.items()
            if value is not None
        }
        if not scores:
            raise InputError("empty", "scores", "no score is given", None, f"give some of {', '.join(given)}")
        claim = cls(n, scores, whole_errors, sample)
        for name, reported in scores.items():
            if (claim.unexplained if name == "r2" else claim.range(name)).is_empty:
                limit = "must be at most 1" if name == "r2" else "must be 0 or more"
                raise InputError("out_of_range", name, limit, reported.text, "check how it was printed")
        if n == 1 and ("r2" in scores or (sample and "variance" in scores)):
            name = "r2" if "r2" in scores else "variance"
            raise InputError("bad_option", name, "is undefined for one case", scores[name].text, "leave it out")
        if "r2" in scores and "variance" in scores and claim.variance.is_empty:
            hint = "leave r2 out, which is undefined where the targets do not vary"
            raise InputError("out_of_range", "variance", "must be above 0", scores["variance"].text, hint)
        return claim

    def range(self, name: str) -> Range:
        """Return what is said of a score that is 0 or more; without limit where it is not reported."""
        reported = self.scores.get(name)
        return Range() if reported is None else Range().meet(_range(reported))

    @property
    def variance(self) -> Range:
        """What is known of the targets' variance, divided by n."""
        said = self.range("variance")
        if "variance" in self.scores and self.sample:
            said = said.times(Fraction(self.n - 1, self.n))
        return said.meet(_POSITIVE) if "r2" in self.scores else said

    @property
    def unexplained(self) -> Range:
        """What is known of 1 - r2."""
        if "r2" not in self.scores:
            return Range()
        low, high, low_open, high_open = _range(self.scores["r2"])
        assert high is not None
        return Range().meet(Range(1 - high, 1 - low, high_open, low_open))

    @property
    def sums(self) -> ErrorSums:
        """What is known of the errors' sum, largest and sum of squares."""
        squares = self.range("rmse").mapped(lambda x: x * x).meet(self.range("mse"))
        if "r2" in self.scores:
            squares = squares.meet(self.variance.product(self.unexplained))
        return ErrorSums(self.n, self.range("mae").times(self.n), self.range("max_error"), squares.times(self.n))

    def solve(self, budget: int) -> Runs | None:
        """Return errors that fit, none written down where they are not rational; None where there are none."""
        bounds = self.sums.bounds()
        if bounds is None or (self.n == 1 and 0 not in self.variance) or not self._has_targets():
            return None
        some = self.sums.some_errors()
        if self.whole_errors:
            ends = _whole_ends(bounds)
            if any(low > high for low, high in ends):
                return None
            start = None if some is None else round(sum(size * count for size, count in some))
            some = WholeErrors(self.n, budget).find(*ends, start)
            if some is None:
                return None
        assert not some or self.fits(some), f"{some} was found to fit and does not"
        return some or ()

    def _has_targets(self) -> bool:
        """Tell whether targets can have the variance, as far as is looked at; whole errors are those of whole targets.

        Of whole numbers the squares add up to Q and they to S, both even or both odd; the variance is Q/n - (S/n)².
        Less a whole number each, which leaves the variance, S is below n, and Q is at least S.
        """
        least, most, is_open, most_open = self.variance
        if not self.whole_errors or most is None or self.n > _MOST_TARGETS:
            return True
        for total in range(self.n):
            around = Fraction(total, self.n) ** 2
            room = Range(least + around, most + around, is_open, most_open).times(self.n)
            low, high = room.whole()
            low = max(low, total)
            if high is not None and low + (low - total) % 2 <= high:
                return True
        return False

    def fits(self, runs: Runs) -> bool:
        """Tell from the definitions whether errors have the scores."""
        assert sum(count for _, count in runs) == self.n
        mse = sum((size * size * count for size, count in runs), Fraction(0)) / self.n
        own: dict[str, Exact] = {
            "mae": sum((size * count for size, count in runs), Fraction(0)) / self.n,
            "mse": mse,
            "rmse": root(mse),
            "max_error": max(size for size, _ in runs),
        }
        explained = "r2" not in self.scores or mse in self.variance.product(self.unexplained)
        return explained and all(own[name] in self.scores[name] for name in own if name in self.scores)

    def bounds(self, budget: int) -> dict[str, ScoreBounds]:
        """Return the ends of every score; empty where the scores contradict each other."""
        sums = self.sums.bounds()
        if sums is None:
            return {}
        if self.whole_errors:
            sums = _whole_bounds(sums, budget)
        mse = sums.squares.times(Fraction(1, self.n))
        total = sums.total.times(Fraction(1, self.n))
        ranges = {"mae": total, "rmse": mse.mapped(exact_root), "mse": mse, "max_error": sums.largest}
        bounds = {name: _ends(each) for name, each in ranges.items()}
        if self.n > 1 and ("r2" in self.scores or "variance" in self.scores):
            left = self.unexplained.meet(mse.factors(self.variance.meet(_POSITIVE)))
            low = None if left.high is None else float(1 - left.high)
            attained = low is not None and not left.high_open
            bounds["r2"] = ScoreBounds(low, float(1 - left.low), attained, not left.low_open)
            variance = self.variance.meet(mse.factors(self.unexplained)) if "r2" in self.scores else self.variance
            bounds["variance"] = _ends(variance.times(Fraction(self.n, self.n - 1)) if self.sample else variance)
        return bounds

    def leftover(self, names: Sequence[str]) -> list[Leftover]:
        """Tell what others leave for the last of scores that contradict each other, whole errors or not."""
        *others, last = names
        rest = replace(self, scores={name: self.scores[name] for name in others}, whole_errors=False)
        bounds = rest.bounds(0).get(last) if others else None
        return [] if bounds is None else [Leftover(tuple(others), last, bounds.low, bounds.high)]


def _range(reported: Reported) -> Range:
    return Range(reported.low, reported.high, reported.low_open, reported.high_open)


def _ends(range_: Range) -> ScoreBounds:
    low, high, low_open, high_open = range_
    most = None if high is None else float(high)
    return ScoreBounds(float(low), most, not low_open, high is not None and not high_open)


def _blame(claim: _Claim) -> tuple[tuple[tuple[str, ...], ...], bool]:
    """Return every set of scores that contradict each other, none of them to spare, and whether that is sure."""
    blamed: list[tuple[str, ...]] = []
    sure = True
    for size in range(1, len(claim.scores) + 1):
        for names in combinations(claim.scores, size):
            if any(set(each) <= set(names) for each in blamed):
                continue
            try:
                if replace(claim, scores={name: claim.scores[name] for name in names}).solve(_FOR_AN_END) is None:
                    blamed.append(names)
            except Spent:
                sure = False
    return tuple(blamed) or (tuple(claim.scores),), sure


def _whole_ends(bounds: ErrorSums) -> _AllEnds:
    """Return the ends in whole numbers; where there is no limit, one that a single large error keeps."""
    (total, most_total), (largest, most), (squares, most_squares) = (
        each.whole() for each in (bounds.total, bounds.largest, bounds.squares)
    )
    far = max(total, largest, squares) + 1
    return (
        (total, far if most_total is None else most_total),
        (largest, far if most is None else most),
        (squares, far * far if most_squares is None else most_squares),
    )


def _whole_bounds(bounds: ErrorSums, budget: int) -> ErrorSums:
    """Return the ends that whole errors have; those that are not proven are left open."""
    ends, ranges = _whole_ends(bounds), []
    for place, (real, (low, high)) in enumerate(zip(bounds[1:], ends, strict=True)):
        first, found = _first(bounds.cases, ends, place, range(low, high + 1), budget)
        if real.high is None:
            ranges.append(Range(Fraction(first), None, not found))
            continue
        last, last_found = _first(bounds.cases, ends, place, range(high, low - 1, -1), budget)
        ranges.append(Range(Fraction(first), Fraction(last), not found, not last_found))
    return ErrorSums(bounds.cases, *ranges)


def _first(cases: int, ends: _AllEnds, place: int, values: range, budget: int) -> tuple[int, bool]:
    """Return the first value of one of the three that whole errors have, and whether it is known to be one."""
    search, value = WholeErrors(cases, budget), ends[place][0]
    for value in values:
        total, largest, squares = ((value, value) if other == place else ends[other] for other in range(3))
        try:
            if search.find(total, largest, squares) is not None:
                return value, True
        except Spent:
            break
    return value, False
