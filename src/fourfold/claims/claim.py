"""What was reported: scores as printed, and what they are about.

A `Claim` is what a report says: its scores, and what undefined ones count as. Its layout is its class: one table here,
`ClassClaim` and `FoldClaim` beside it. The layout alone knows how its tables are searched for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import Annotated, Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, Note, Notes, TooLarge, verbatim
from ..exact import Formula, float_error
from ..exact.reported import Reported, short_decimal
from ..metrics import AREA, COUNTS, METRICS, SIZE_PARTS, Averaged, Limits, Metric, claimed_metric, ranked
from ..metrics.convention import CONVENTIONS, STRICT, Convention, convention_word, read_convention
from ..shape import Count, Record, also
from ..solve import Area, Curve, row_monotone, undefined_tables
from ..strategy import strategy
from ..table import whole

#: How many rows may be looked at before the answer is "undecided".
BUDGET: Final = 5_000_000
#: No budget is larger: so many rows take about as much memory as a machine has.
MOST_BUDGET: Final = 100_000_000
MAX_TOTAL: Final = 1000
# Where sizes are open, so many rows are looked at for a reading other than the plain one.
_LOOKED_AT: Final = 30_000

SIZES: Final = {
    **dict.fromkeys(("positives", "pos", "n_positives"), "positives"),
    **dict.fromkeys(("negatives", "neg", "n_negatives"), "negatives"),
    **dict.fromkeys(("total", "size", "sample_size"), "total"),
}
_NAMES: Final = frozenset(SIZES.values())
OPTIONS: Final = ("rounding", "undefined", "max_total", "budget", "curve")
# What people write where nothing was reported.
_NOT_GIVEN: Final = frozenset({"", "-", "–", "na", "n/a", "nan", "nr", "none", "null", "not reported"})
# A score of one class, such as recall[cat].
_OF_CLASS: Final = re.compile(r"(.+?)\s*\[(.*)\]\s*")
# 0,5 is a decimal, and no range from 0 to 5.
_RANGE: Final = re.compile(r"(?!0,)\[?\s*(\d+)\s*(?:-|–|\.\.|,|to)\s*(\d+)\s*\]?")

_THOUSANDS: Final = re.compile(r"\d{1,3},\d{3}")
#: A whole number as programs write those of a column with gaps.
_NO_FRACTION: Final = re.compile(r"[0-9]+\.0+")


class Size(NamedTuple):
    """A number of cases: known where both ends agree, open upwards where there is no high end."""

    low: int = 0
    high: int | None = None

    @classmethod
    def read(cls, value: object, argument: str) -> Size:
        """Read a whole number, a range such as ``40-60`` or ``[40, 60]``, or nothing; a size ``40.0`` is 40.

        Examples
        --------
        >>> Size.read("40-60", "positives")
        Size(low=40, high=60)
        """
        if type(value) is int and 0 <= value < _TOO_MANY:
            return cls(value, value)
        if isinstance(value, Size):
            return value
        if isinstance(value, str) and _THOUSANDS.fullmatch(value.strip()):
            hint = "write 1024, or 1-24 for a range"
            raise InputError("ambiguous", argument, "may be one number or a range", value, hint)
        if isinstance(value, str) and (match := _RANGE.fullmatch(value.strip())):
            ends: tuple[object, object] = (match[1], match[2])
        elif isinstance(value, tuple | list) and len(value) == 2:
            ends = (value[0], value[1])
        else:
            ends = (value, value)
        if argument in _NAMES:
            ends = whole_text(ends[0]), whole_text(ends[1])
        low, high = (whole(end, argument, text=True) for end in ends)
        if high >= _TOO_MANY:
            raise InputError("bad_count", argument, "must be below 1e18", value, "count in larger units")
        if low > high:
            hint = "put the smaller number first"
            raise InputError("bad_number", argument, "is a range in the wrong order", value, hint)
        return cls(low, high)

    @property
    def known(self) -> bool:
        """Whether it is one number."""
        return self.low == self.high

    def __str__(self) -> str:
        if self.known:
            return str(self.low)
        return f"{self.low} or more" if self.high is None else f"{self.low}-{self.high}"


def whole_text(value: object) -> object:
    """Return a size: of the text 40.0, which programs write in a column with gaps, 40; all else as it is.

    Examples
    --------
    >>> whole_text(" 40.0"), whole_text("40.5"), whole_text(40.0)
    ('40', '40.5', 40.0)
    """
    text = value.strip() if isinstance(value, str) else ""
    return text.partition(".")[0] if _NO_FRACTION.fullmatch(text) else value


_OPEN: Final = Size()
_TOO_MANY: Final = 10**18


class PrintedInterval(NamedTuple):
    """An interval printed beside a score: its ends, its level if that is printed, and whether it is called a range."""

    low: Reported
    high: Reported
    level: float | None = None
    is_range: bool = False


@dataclass(frozen=True)
class ClaimedScore(Record, members="name metric=meant *reported"):
    """One reported score: the name it was given under, the metric meant, and what its text says."""

    name: Annotated[str, "The name under which it was given."]
    metric: Metric
    reported: Reported
    #: Looked at once the tables are found: it rules none of them out.
    interval: PrintedInterval | None = None
    #: Of several classes: the place and the name of the one that it is about; None where it is about all of them.
    place: int | None = None
    label: str = ""
    #: Whether the name says neither a class nor an average, where there are several classes.
    bare: bool = False

    @property
    def meant(self) -> str:
        """The metric, and of which class."""
        return self.metric.id if self.place is None else f"{self.metric.id}[{self.label}]"

    @property
    def is_area(self) -> bool:
        """Whether it is the area under the ROC curve, for which a table leaves a range."""
        return self.metric.id == AREA.id

    @property
    def is_count(self) -> bool:
        """Whether it is a count of cases."""
        return self.metric.id in COUNTS

    def in_single(self, cases: int = 0) -> Self:
        """Return it as it reads if it was computed inexactly, as in 32-bit floats, before it was rounded."""
        return replace(self, reported=self.reported.as_single(cases))


@dataclass(frozen=True)
class Claim(Record):
    """What a report says: scores, and what undefined ones count as. Each layout is a class of its own."""

    scores: Annotated[tuple[ClaimedScore, ...], "The reported scores."]
    _: KW_ONLY
    convention: Annotated[
        Convention | None,
        "How undefined scores were assumed to be printed.",
        convention_word,
        also(enum=tuple(CONVENTIONS)),
    ] = None
    rounding: str = "any"
    budget: int = BUDGET
    notes: Notes = ()
    #: The negative and the positive class, or several classes.
    labels: tuple[str, ...] = ("negative", "positive")

    @staticmethod
    def from_mapping(given: Mapping[str, Any], labels: tuple[str, ...] = ("negative", "positive")) -> TableClaim:
        """Return a claim about one table from names and texts; `TableClaim.read` says how."""
        return TableClaim.read(given, labels)

    @property
    def meant(self) -> Convention:
        """What undefined scores count as; they may not occur unless the report or the user says so."""
        return self.convention or STRICT

    def changed(self, **fields: Any) -> Self:
        """Return the claim with other fields, as `replace` does, in a tenth of its time: a search makes many."""
        other = object.__new__(type(self))
        # A claim keeps nothing that is computed from its fields.
        other.__dict__.update(self.__dict__, **fields)
        return other

    def having(self, scores: tuple[ClaimedScore, ...]) -> Self:
        """Return the claim with other scores."""
        return self.changed(scores=scores)

    def in_single(self) -> Self:
        """Return the claim as it reads if its scores were computed inexactly, as in 32-bit floats."""
        return self.having(tuple(claimed.in_single() for claimed in self.scores))

    def sparing(self) -> Self:
        """Return the claim for a reading other than the plain one, which is worth less of a search."""
        return self


@dataclass(frozen=True)
class TableClaim(Claim, members="positives negatives total scores undefined=convention max_total=largest_total"):
    """A report about one classifier on one test set: what was reported, as it was read.

    Examples
    --------
    >>> claim = Claim.from_mapping({"sens": "80%", "accuracy": "0.85", "positives": 40, "negatives": "60"})
    >>> [claimed.metric.id for claimed in claim.scores], claim.positives
    (['recall', 'accuracy'], Size(low=40, high=40))
    """

    positives: Annotated[Size, "Actual positives: a number, a range, or words where they are unknown.", str] = _OPEN
    negatives: Annotated[Size, "Actual negatives, in the same way.", str] = _OPEN
    total: Annotated[Size, "All cases, in the same way.", str] = _OPEN
    max_total: int | None = None
    curve: Curve = "any"

    @classmethod
    def read(cls, given: Mapping[str, Any], labels: tuple[str, ...] = ("negative", "positive")) -> TableClaim:
        """Build a claim from names and texts: the one door for Python, command line, JSON and table rows.

        Parameters
        ----------
        given
            ``positives``, ``negatives`` and ``total`` are sizes; ``rounding``, ``undefined``, ``max_total``,
            ``budget`` and ``curve`` are options; every other name is that of a metric, of a count such as ``tp``, or
            of the area under the ROC curve. A score is of the positive class unless its name says of which, as
            ``precision[negative]`` does. Empty values, ``-``, ``n/a`` and the like are ignored.
        labels
            What the negative and the positive class are called.
        """
        if (plain := read_plainly(given, labels)) is not None:
            return plain
        options: dict[str, Any] = {}
        sizes: dict[str, Size] = {}
        filled: dict[str, Any] = {}
        for name, value in by_name(given).items():
            if is_left_out(name, value):
                continue
            if name in OPTIONS:
                options[name] = value
            elif (size := SIZES.get(name.strip().lower())) is None:
                filled[name] = value
            elif size in sizes:
                raise InputError("ambiguous", size, "is given twice", value, "give each size once")
            else:
                sizes[size] = Size.read(value, size)
        filled, passed = pass_over(filled)
        if not filled:
            raise no_score(passed, "give at least one, such as accuracy=0.85; `fourfold metrics` lists all")
        claim = cls(
            (),
            **sizes,
            rounding=options.get("rounding", "any"),
            convention=read_convention(options.get("undefined", "any")),
            max_total=whole(options["max_total"], "max_total", text=True) if "max_total" in options else None,
            # More rows than memory holds are as good as any.
            budget=min(whole(options["budget"], "budget", text=True), MOST_BUDGET) if "budget" in options else BUDGET,
            notes=passed,
            labels=labels,
            curve=read_curve(options.get("curve", "any")),
        )
        # Counts say something about the sizes, and those about how far off computed scores can be.
        counts = {name: claim.read_score(name, value) for name, value in filled.items() if is_count(name, value)}
        claim = claim.having(tuple(counts.values())) if counts else claim
        scores = tuple([counts.get(name) or claim.read_score(name, value) for name, value in filled.items()])
        notes = [note for claimed in scores for note in claimed.reported.notes]
        claim = claim.changed(scores=scores, notes=(*notes, *passed))
        claim._check_sizes()
        return claim

    def read_score(self, name: str, value: object) -> ClaimedScore:
        """Read one reported score, or say what is wrong with it."""
        chosen = value.metric if isinstance(value, OfMetric) else metric_of_class(name, self.labels)
        value = value.value if isinstance(value, OfMetric) else value
        if chosen.id in COUNTS:
            return ClaimedScore(name.strip(), chosen, read_count(value, name))
        error = partial(self.float_error, chosen)
        reported = Reported.read(value, rounding=self.rounding, argument=name, float_error=error)
        if outside := is_outside(reported, chosen.limits):
            reported = reported.within(chosen.limits.low, chosen.limits.high)
        if outside or METRICS.get(chosen.id) is not chosen:
            check_claimable(name, chosen, reported)
        return ClaimedScore(name.strip(), chosen, reported)

    def float_error(self, metric: Metric) -> float:
        """Return how far off a score can be that was computed in floats, in units of what they round off near 1."""
        total = self.largest_total
        if metric.id == AREA.id:
            # A sum of as many steps as there are cases.
            return float(total)
        low = max(self.positives.low, 0 if self.negatives.high is None else total - self.negatives.high)
        high = min(total - self.negatives.low, total if self.positives.high is None else self.positives.high)
        middle = (low + high) // 2
        margins = {p for p in (low, low + 1, middle, high - 1, high) if low <= p <= high} if low < high else {low}
        return max(float_error(metric.formula, p, total - p) for p in margins if 0 <= p <= total)

    def _check_sizes(self) -> None:
        if self.total == _OPEN and self.max_total is None:
            return
        most = self.total.high
        if self.open_ended and self.max_total is not None and self.positives.low + self.negatives.low > self.max_total:
            hint = "raise it, or leave it out"
            raise InputError("bad_count", "max_total", "is below the sizes given", self.max_total, hint)
        for name, size in (("positives", self.positives), ("negatives", self.negatives)):
            if most is not None and size.low > most:
                raise InputError("bad_count", name, f"is more than the total of {most}", size.low, "check the sizes")
        low, (p, n) = self.positives.low + self.negatives.low, (self.positives.high, self.negatives.high)
        problem = "positives and negatives add up to {} than the total of {}"
        if most is not None and low > most:
            raise InputError("bad_count", "total", problem.format("more", most), low, "check the sizes")
        if p is not None and n is not None and p + n < self.total.low:
            raise InputError("bad_count", "total", problem.format("less", self.total.low), p + n, "check the sizes")

    def may_be_undefined(self, convention: Convention) -> bool:
        """Tell whether any table of the sizes given leaves a score undefined, where that would be printed."""
        # What is printed alike whatever was said, such as a coefficient with a root, makes no difference.
        own = tuple(claimed for claimed in self.scores if claimed.metric.fill(convention) == convention.fill)
        holes = self.having(own).holes(convention)
        if self.margins is None:
            return bool(holes)
        try:
            return any(len(undefined_tables(hole, *self.margins, most_rows=self.budget)) for hole in holes)
        except TooLarge:
            return True

    def holes(self, convention: Convention) -> list[Formula]:
        """Return the formulas of claimed scores, and of classes in claimed averages, that may be undefined."""
        if convention.strict:
            return []
        scores = [claimed for claimed in self.scores if not claimed.is_area]
        formulas = [formula for claimed in scores for formula in claimed.metric.components]
        # A score that is printed by itself has a value, or is what stands for an undefined one.
        printed = {
            claimed.metric.formula
            for claimed in scores
            if len(claimed.metric.components) == 1 and claimed.metric.fill(convention) not in claimed.reported
        }
        return [formula for formula in dict.fromkeys(formulas) if formula.guards and formula not in printed]

    def in_single(self) -> Self:
        """Return the claim as it reads if its scores were computed inexactly, as in 32-bit floats."""
        cases = 0 if self.open_ended else self.largest_total
        return self.having(tuple(claimed.in_single(cases) for claimed in self.scores))

    def sparing(self) -> Self:
        """Return the claim with a small budget where no search can rule out tables of all sizes."""
        return self.changed(budget=min(self.budget, _LOOKED_AT)) if self.undecidable else self

    @property
    def consistent(self) -> bool:
        """Whether the sizes agree with each other."""
        try:
            self._check_sizes()
        except InputError:
            return False
        return self.margins is None or sum(self.margins) >= self.total.low

    def with_intervals(self, intervals: Mapping[str, PrintedInterval]) -> TableClaim:
        """Return the claim with the intervals that are printed beside scores, by the names given."""
        if not intervals and all(claimed.interval is None for claimed in self.scores):
            return self
        known = {name.strip(): interval for name, interval in intervals.items()}
        return self.having(tuple(replace(claimed, interval=known.get(claimed.name)) for claimed in self.scores))

    def sized(self) -> TableClaim | None:
        """Return the claim with what its counts say about the sizes; None where that contradicts the sizes given.

        Examples
        --------
        >>> Claim.from_mapping({"tp": 40, "fn": "8-10", "accuracy": "0.85"}).sized().positives
        Size(low=48, high=50)
        """
        counts = {claimed.metric.id: claimed.reported for claimed in self.scores if claimed.metric.id in COUNTS}
        if not counts:
            return self
        sizes: dict[str, Size] = {}
        for name, *parts in SIZE_PARTS:
            known = [counts[part] for part in parts if part in counts]
            low, high = sizes.get(name, getattr(self, name))
            low = max(low, sum(int(part.low) for part in known))
            if len(known) == len(parts):
                most = sum(int(part.high) for part in known)
                high = most if high is None else min(high, most)
            sizes[name] = Size(low, high)
        claim = self.changed(**sizes)
        upside_down = any(size.high is not None and size.low > size.high for size in sizes.values())
        return None if upside_down or not claim.consistent else claim

    @property
    def area(self) -> Area | None:
        """What is claimed about the area under the ROC curve; None where nothing is."""
        intervals = [claimed.reported for claimed in self.scores if claimed.metric.id == AREA.id]
        return Area(tuple(intervals), self.curve) if intervals else None

    @property
    def margins(self) -> tuple[int, int] | None:
        """Positives and negatives where both are known."""
        (p, most_p), (n, most_n), total = self.positives, self.negatives, self.total
        if p == most_p and n == most_n:
            return p, n
        if not total.known or (p != most_p and n != most_n):
            return None
        return (p, total.low - p) if p == most_p else (total.low - n, n)

    @property
    def is_of_two_classes(self) -> bool:
        """Whether the report itself says so: by the size of one of them, or by counts or scores of one.

        Where nothing says so, bare names may be those of averages over more classes.
        """
        return self.positives != _OPEN or self.negatives != _OPEN or any(
            claimed.is_count or is_of_class(claimed.name) for claimed in self.scores)  # fmt: skip

    @property
    def share(self) -> tuple[float, float] | None:
        """The least and the largest share of positives; None where the sizes of both classes are open."""
        p, most_p = self.positives
        n, most_n = self.negatives
        if self.margins is not None:
            (p, n) = (most_p, most_n) = self.margins
        if most_p is None or most_n is None:
            return None
        return p / max(p + most_n, 1), most_p / max(most_p + n, 1)

    @property
    def largest_total(self) -> Count:
        """The largest total that is searched: what the sizes allow, else `max_total`, else about a thousand."""
        claim = self.sized() or self
        positives, negatives, total = claim.positives, claim.negatives, claim.total
        ends = [] if total.high is None else [total.high]
        if positives.high is not None and negatives.high is not None:
            ends.append(positives.high + negatives.high)
        if ends:
            return min(ends)
        known = positives.low + negatives.low
        return max(MAX_TOTAL, 2 * known) if self.max_total is None else self.max_total

    @property
    def open_ended(self) -> bool:
        """Whether larger totals than the largest looked at are possible."""
        return self.total.high is None and (self.positives.high is None or self.negatives.high is None)

    @property
    def undecidable(self) -> bool:
        """Whether larger totals than those looked at are possible and the caller did not say to leave them out."""
        return self.open_ended and self.max_total is None

    def pairs(self) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.int64]]]:
        """Walk the margins that the sizes allow, smallest total first, in batches."""
        step = strategy().margins_together
        # A table without cases is not a test set.
        for total in range(max(self.total.low, self.positives.low + self.negatives.low, 1), self.largest_total + 1):
            low = max(self.positives.low, 0 if self.negatives.high is None else total - self.negatives.high)
            high = min(total - self.negatives.low, total if self.positives.high is None else self.positives.high)
            for start in range(low, high + 1, step):
                positives = np.arange(start, min(start + step, high + 1))
                yield total, positives, total - positives


#: What all claims have that are given by nothing but sizes and scores.
_PLAIN: Final = TableClaim(())


def read_plainly(given: Mapping[str, Any], labels: tuple[str, ...]) -> TableClaim | None:
    """Read a claim of known sizes and of shares such as 0.85, as most are; None where anything needs a closer look."""
    roles = _roles_of(tuple(given))
    if roles is None:
        return None
    sizes: dict[str, Any] = {}
    scores = []
    for role, value in zip(roles, given.values(), strict=True):
        if isinstance(role, str):
            if type(value) is not int or not 0 <= value < _TOO_MANY:
                return None
            sizes[role] = Size(value, value)
        else:
            # Such a number lies within the limits of every metric that is among them.
            reported = short_decimal(value, "any") if type(value) is str and value[:2] == "0." else None
            if reported is None:
                return None
            scores.append(ClaimedScore.made(name=role[0], metric=role[1], reported=reported))
    claim = _PLAIN.changed(scores=tuple(scores), labels=labels, **sizes)
    claim._check_sizes()
    return claim


@lru_cache(maxsize=1024)
def _roles_of(names: tuple[object, ...]) -> tuple[str | tuple[str, Metric], ...] | None:
    """Return for each name which size it is, or which metric of the catalogue; None where one is anything else."""
    roles: list[str | tuple[str, Metric]] = []
    for name in names:
        if not isinstance(name, str) or name in OPTIONS:
            return None
        size = SIZES.get(name.strip().lower())
        if size is not None:
            roles.append(size)
            continue
        try:
            metric = None if ranked(name) or is_of_class(name) else claimed_metric(name)
        except InputError:
            return None
        if metric is None or METRICS.get(metric.id) is not metric:
            return None
        low, high = metric.limits.low, metric.limits.high
        if low > 0 or (high is not None and high < 1):
            return None
        roles.append((name.strip(), metric))
    sizes = [role for role in roles if isinstance(role, str)]
    return tuple(roles) if len(set(sizes)) == len(sizes) < len(roles) else None


class OfMetric(NamedTuple):
    """A score of a metric that was given itself, not by name: it need not be in the catalogue."""

    metric: Metric
    value: Any


def by_name(given: Mapping[Any, Any]) -> dict[str, Any]:
    """Return what was given with names as texts; a metric that stands in place of a name goes with its value."""
    return {
        name.id if isinstance(name, Metric) else str(name): OfMetric(name, value) if isinstance(name, Metric) else value
        for name, value in given.items()
    }


def is_left_out(name: str, value: object) -> bool:
    """Tell whether nothing was said under a name; "none" is something to say about undefined scores and folds."""
    return is_blank(value) and not (name in ("undefined", "folds") and value == "none")


def is_blank(value: object) -> bool:
    """Tell whether a value stands for nothing reported."""
    if isinstance(value, OfMetric):
        return is_blank(value.value)
    if isinstance(value, str):
        # A digit is something; most cells begin with one.
        return not "0" <= value[:1] <= "9" and value.strip().casefold() in _NOT_GIVEN
    return value is None or bool(value != value)


def read_curve(value: object) -> Curve:
    """Read the form of the ROC curve of a claimed area."""
    if value == "any" or value == "convex":
        return value
    raise InputError("bad_option", "curve", "unknown form of the ROC curve", value, "one of any, convex")


def pass_over(given: Mapping[str, Any], *, classes: bool = False) -> tuple[dict[str, Any], Notes]:
    """Return what one table says something about, and a note for each score of a ranking that is left out."""
    left: dict[str, Any] = {}
    notes: list[Note] = []
    for name, value in given.items():
        if ranked(name, classes=classes) is None:
            left[name] = value
            continue
        words = f"{name.strip()} was left out: a ranking or probabilities decide it, not a table"
        notes.append(Note("score_passed_over", words, {"name": name.strip(), "text": str(value)}))
    return left, tuple(notes)


def no_score(passed: Notes, hint: str) -> InputError:
    """Return what is wrong where no score is left to check."""
    if not passed:
        return InputError("empty", "scores", "no score is given", verbatim("none"), hint)
    names = verbatim(", ".join(note.data["name"] for note in passed))
    return InputError("empty", "scores", "no score is given that a table determines", names, hint)


def is_outside(reported: Reported, limits: Limits) -> bool:
    """Tell whether a score lies outside its limits; compared in integers, in half the time that fractions take."""
    (low, of_low), (high, of_high) = reported.low.as_integer_ratio(), reported.high.as_integer_ratio()
    least, of_least = limits.low.as_integer_ratio()
    most, of_most = (1, 0) if limits.high is None else limits.high.as_integer_ratio()
    return high * of_least < least * of_high or most * of_low < low * of_most


def out_of_range(name: str, limits: Limits, reported: Reported) -> InputError:
    """Return what is wrong with a score that lies outside its limits."""
    percent = limits.high == 1 and 1 < reported.low <= 100 and "%" not in reported.text
    hint = f"write {reported.text}% if it is a percentage" if percent else "check the metric and the number"
    return InputError("out_of_range", name, f"lies outside {limits}", reported.text, hint)


def check_claimable(name: str, metric: Metric, reported: Reported) -> None:
    """Refuse a score that lies outside its limits, or that no table can be searched for."""
    if is_outside(reported, metric.limits):
        raise out_of_range(name, metric.limits, reported)
    if METRICS.get(metric.id) is not metric and metric.id != AREA.id and not row_monotone(metric.formula):
        hint = "leave it out, or give the scores of each class"
        raise InputError("bad_metric", name, "cannot be searched for", metric.formula.text(), hint)


def is_count(name: str, value: object = None) -> bool:
    """Tell whether a name is that of a count of cases."""
    return not isinstance(value, OfMetric) and claimed_metric(name.partition("[")[0]).id in COUNTS


def is_of_class(name: str) -> bool:
    """Tell whether a name says of which class a score is, as recall[cat] does."""
    return _OF_CLASS.fullmatch(name.strip()) is not None


def split_class(name: str, labels: Sequence[str]) -> tuple[str, int | None]:
    """Return a score's name and the place of its class; None where the name says no class.

    Examples
    --------
    >>> split_class("recall[Dog]", ("cat", "dog"))
    ('recall', 1)
    """
    match = _OF_CLASS.fullmatch(name.strip()) if "[" in name else None
    if match is None:
        return name, None
    base, label = match[1], match[2].strip()
    for known in (labels, [each.casefold() for each in labels], [str(place) for place in range(len(labels))]):
        if label in known or label.casefold() in known:
            return base, list(known).index(label if label in known else label.casefold())
    hint = f"the classes are {', '.join(labels[:12])}"
    raise InputError("bad_label", name, "names a class that was not given", label, hint)


def metric_of_class(name: str | Metric, labels: Sequence[str]) -> Metric:
    """Return the metric with a name, of the positive class unless it says of the other, as ``recall[negative]`` does.

    Examples
    --------
    >>> metric_of_class("recall[negative]", ("negative", "positive")).id
    'specificity'
    """
    if not isinstance(name, str):
        return claimed_metric(name)
    base, place = split_class(name, labels)
    chosen = claimed_metric(base)
    if place is not None and isinstance(chosen.over_classes, Averaged) and chosen.id not in METRICS:
        raise InputError("bad_metric", name, "is an average, so it is not of one class", name, "leave the class out")
    return chosen.negative() if place == 0 else chosen


def read_count(value: object, name: str) -> Reported:
    """Read a count of cases: a whole number, which is exact, or a range.

    Examples
    --------
    >>> read_count("87", "tp"), read_count([80, 90], "tp")
    (Reported('87': [87, 87]), Reported('80-90': [80, 90]))
    """
    size = Size.read(value, name.strip())
    assert size.high is not None
    rule = "exact" if size.known else "interval"
    return Reported(str(size), Fraction(size.low), Fraction(size.high), rounding=rule)
