"""Reports about more than two classes: what was reported, as it was read.

A k-by-k table is a fourfold table for each class, tied by sums: so a claim is about one class, or about a sum over the
classes. `class_search` finds the tables, `class_recovery` tells what follows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Annotated, Any, Final, TypeAlias

from ..errors import NOTHING, InputError
from ..exact import CELLS, Formula, Operation, Quantity, Root, float_error
from ..exact.reported import Reported
from ..exact.surd import Exact
from ..metrics import (
    AVERAGES,
    CLASS_SUMS,
    COUNTS,
    METRICS,
    TOTAL,
    Average,
    Averaged,
    Convention,
    Metric,
    claimed_metric,
    read_convention,
)
from ..table import Matrix, whole
from .claim import (
    BUDGET,
    MOST_BUDGET,
    Claim,
    ClaimedScore,
    Size,
    TableClaim,
    is_blank,
    is_of_class,
    is_outside,
    no_score,
    out_of_range,
    pass_over,
    read_count,
    split_class,
)

#: Sizes of classes: by place, by name, as text such as ``a=50,b=40-60``, or how many classes there are.
Classes: TypeAlias = str | int | Sequence[Any] | Mapping[Any, Any]
#: Names and sizes of classes, and how many cases there are.
ReadClasses: TypeAlias = tuple[tuple[str, ...], tuple[Size, ...], Size]

# So many choices are looked at for a reading other than the plain one.
_LOOKED_AT: Final = 200_000

#: What one class adds to each sum that scores of all classes are made of.
SUMS: Final[Mapping[str, Formula]] = {**CLASS_SUMS, **{name: Quantity(name) for name in CELLS}}


# A report of many classes names the same few metrics again and again.
_known_metric: Final = lru_cache(maxsize=256)(claimed_metric)


@dataclass(frozen=True)
class ClassScore:
    """A score of a k-by-k table: of one class against the rest, or of all classes.

    Examples
    --------
    >>> ClassScore.find("macro_f1", ("a", "b", "c")).name
    'macro_f1'
    >>> ClassScore.find("sensitivity[b]", ("a", "b", "c")).name
    'recall[b]'
    """

    name: Annotated[str, "The score, and of which class."]
    metric: Metric
    place: int | None = None

    @classmethod
    def find(cls, name: str, labels: Sequence[str]) -> ClassScore:
        """Return the score with a name such as ``kappa``, ``macro_f1`` or ``recall[cat]``."""
        base, place = split_class(name, labels)
        found = _known_metric(base)
        over = found.over_classes
        if place is None:
            if over is None:
                hint = f"say of which class, {found.id}[{labels[0]}]"
                hint += "" if found.id in COUNTS else f", or which average, {AVERAGES[0]}_{found.id}"
                raise InputError("bad_metric", name, "is a score of one class", name, hint)
            if isinstance(over, Averaged) and not over.base.formula.rational and over.average != "micro":
                raise InputError("bad_metric", name, "cannot be searched for", over.base.formula.text(), "leave it out")
            return cls(found.id, found)
        if isinstance(over, Averaged) and found.id not in METRICS:
            problem = "is an average, so it is not of one class"
            raise InputError("bad_metric", name, problem, name, "leave the class out")
        return cls(f"{found.id}[{labels[place]}]", found, place)

    @property
    def label(self) -> str:
        """Its name for readers."""
        return self.metric.label if self.place is None else f"{self.metric.label}{self.name[len(self.metric.id) :]}"

    @property
    def mean(self) -> Averaged | None:
        """The metric of one class that it averages, where it is a macro or weighted average."""
        form = self.metric.over_classes if self.place is None else None
        return form if isinstance(form, Averaged) and form.average != "micro" else None

    @property
    def base(self) -> Metric:
        """The metric of one class that it is, or that it averages."""
        form = self.metric.over_classes
        return form.base if self.place is None and isinstance(form, Averaged) else self.metric

    @property
    def of_sums(self) -> Formula | None:
        """Its formula over sums of all classes, where it is neither of one class nor an average over them."""
        form = None if self.place is not None or self.mean else self.metric.over_classes
        return form.base.formula if isinstance(form, Averaged) else form

    @property
    def of_hits(self) -> bool:
        """Whether it follows from the number of right cases alone, once all cases are counted."""
        form = self.of_sums
        return form is not None and set(form.quantities) <= {"correct", "total", *CELLS}

    def from_hits(self, hits: Any, total: int, classes: int) -> tuple[Formula, dict[str, Any]]:
        """Return a formula, and the values with which it gives the score of so many right cases."""
        assert self.of_sums is not None
        cells = (hits, total - hits, total - hits, (classes - 2) * total + hits)
        return self.of_sums, {**dict(zip(CELLS, cells, strict=True)), "correct": hits, "total": total}

    @cached_property
    def fraction(self) -> tuple[Formula, ...]:
        """Numerator and denominator as sums over classes; both factors of the denominator where it is their root."""
        form = self.metric.over_classes
        assert isinstance(form, Operation)
        assert form.symbol == "/"
        factors = [form.right]
        if isinstance(form.right, Root):
            assert isinstance(form.right.radicand, Operation)
            factors = [form.right.radicand.left, form.right.radicand.right]
        return tuple(map(_of_one_class, (form.left, *factors)))

    def value_of(self, tables: Sequence[Mapping[str, int]], convention: Convention) -> Exact | None:
        """Return the score from the table of each class against the rest."""
        if self.mean is not None:
            return self.mean.value(tables, convention)
        if self.place is not None:
            value = self.metric.formula.exact(tables[self.place])
        else:
            assert self.of_sums is not None
            names = self.of_sums.quantities
            # Sums of counts are never undefined.
            value = self.of_sums.exact({name: sum(SUMS[name].exact(table) or 0 for table in tables) for name in names})
        return self.metric.fill(convention) if value is None else value


def _of_one_class(formula: Formula) -> Formula:
    """Return what one class adds to a formula over the sums of a matrix; `total` as a factor is that of all cases."""
    if isinstance(formula, Quantity):
        return CLASS_SUMS[formula.name]
    assert isinstance(formula, Operation)
    if formula.symbol == "*":
        assert formula.left == Quantity("total")
        return TOTAL * _of_one_class(formula.right)
    return Operation(formula.symbol, _of_one_class(formula.left), _of_one_class(formula.right))


@dataclass(frozen=True)
class ClaimedClassScore(ClaimedScore):
    """One reported score of a k-by-k table, of one class or of all."""

    @cached_property
    def score(self) -> ClassScore:
        """The score that is meant."""
        return ClassScore(self.meant, self.metric, self.place)

    def about(self, score: ClassScore) -> ClaimedClassScore:
        """Return the same text as that of another score."""
        label = score.name[len(score.metric.id) + 1 : -1]
        return replace(self, metric=score.metric, place=score.place, label=label)


@dataclass(frozen=True)
class ClassClaim(Claim, members="classes=named_sizes total scores undefined=convention multilabel"):
    """A report about several classes on one test set: what was reported, as it was read.

    Examples
    --------
    >>> classes = read_classes({"a": 50, "b": "40-60", "c": 30})
    >>> claim = ClassClaim.read({"recall[b]": "0.90", "accuracy": "0.85"}, classes)
    >>> claim.labels, claim.sizes[1]
    (('a', 'b', 'c'), Size(low=40, high=60))
    """

    scores: Annotated[tuple[ClaimedClassScore, ...], "The reported scores."]
    sizes: tuple[Size, ...]
    total: Annotated[Size, "All cases: a number, or a range.", str]
    multilabel: Annotated[bool, "Whether a case can have several labels: each class is then a separate test."] = False

    @property
    def named_sizes(self) -> Annotated[dict[str, str], "The cases of each class: a number, or a range."]:
        """The sizes by class, as text."""
        return {label: str(size) for label, size in zip(self.labels, self.sizes, strict=True)}

    @classmethod
    def read(
        cls,
        given: Mapping[str, Any],
        classes: ReadClasses,
        rounding: str = "any",
        undefined: object = "any",
        budget: object = BUDGET,
    ) -> ClassClaim:
        """Read scores of classes as `read_classes` read them; values that stand for nothing are passed over."""
        labels, sizes, cases = classes
        filled = {str(name): value for name, value in given.items() if not is_blank(value)}
        filled, passed = pass_over(filled, classes=True)
        scores = tuple(read_class_score(name, value, classes, rounding) for name, value in filled.items())
        if not scores:
            raise no_score(passed, "give at least one, such as accuracy=0.85")
        notes = (*(note for claimed in scores for note in claimed.reported.notes), *passed)
        convention = read_convention(undefined)
        most = min(whole(budget, "budget", text=True), MOST_BUDGET)
        return cls(scores, sizes, cases, labels=labels, rounding=rounding, convention=convention, budget=most,
            notes=notes)  # fmt: skip

    def read_score(self, name: str, value: object) -> ClaimedClassScore:
        """Read one reported score, or say what is wrong with it."""
        return read_class_score(name, value, (self.labels, self.sizes, self.total), self.rounding)

    def in_single(self) -> ClassClaim:
        """Return the claim as it reads if its scores were computed inexactly, as in 32-bit floats."""
        return self.having(tuple(claimed.in_single(self.total.high or 0) for claimed in self.scores))

    def sparing(self) -> ClassClaim:
        """Return the claim with a small budget, as a search of classes can take seconds."""
        return self.changed(budget=min(self.budget, _LOOKED_AT))

    def averaged(self, average: Average) -> ClassClaim:
        """Return the claim with scores of a bare name as averages."""
        scores = tuple(
            claimed.about(ClassScore.find(f"{average}_{claimed.score.base.id}", self.labels))
            if claimed.bare
            else claimed
            for claimed in self.scores
        )
        return self.having(scores)

    def about(self, place: int) -> tuple[ClaimedClassScore, ...]:
        """Return the scores of one class."""
        return tuple(claimed for claimed in self.scores if claimed.score.place == place)

    def of_class(self, place: int) -> TableClaim | None:
        """Return what is claimed of one class against the rest, as of one table; None where that is nothing or open."""
        size, scores = self.sizes[place], self.about(place)
        if not scores or not size.known or not self.total.known:
            return None
        claimed = tuple(ClaimedScore(each.name, each.metric, each.reported) for each in scores)
        rest = self.total.low - size.low
        return TableClaim(claimed, size, Size(rest, rest), convention=self.convention, budget=self.budget)

    def may_be_undefined(self, convention: Convention) -> bool:
        """Tell whether a score may stand for an undefined one, or average some that are."""
        if convention.drop:
            return any(claimed.score.mean for claimed in self.scores)
        return any(
            claimed.score.base.formula.guards and (claimed.score.mean or convention.fill in claimed.reported)
            for claimed in self.scores
            if self.multilabel or not claimed.score.of_hits
        )

    @property
    def may_be_multilabel(self) -> bool:
        """Whether no score needs that each case has one label: accuracy does, and what is made of all right cases."""
        return all(
            claimed.score.place is not None or isinstance(claimed.score.metric.over_classes, Averaged)
            for claimed in self.scores
        )

    def fits(self, matrix: Matrix) -> bool:
        """Tell whether a matrix fits sizes and scores, from the definitions alone."""
        classes = matrix.one_vs_rest().cells()
        tables = [{name: int(column[i]) for name, column in classes.items()} for i in range(len(matrix.labels))]
        for table, size in zip(tables, self.sizes, strict=True):
            n = table["tp"] + table["fn"]
            if n < size.low or (size.high is not None and n > size.high):
                return False
        values = ((claimed.score.value_of(tables, self.meant), claimed.reported) for claimed in self.scores)
        return all(value is not None and value in reported for value, reported in values)


def read_class_score(name: str, value: object, classes: ReadClasses, rounding: str) -> ClaimedClassScore:
    """Read one reported score, or say what is wrong with it."""
    labels = classes[0]
    base = _known_metric(split_class(name, labels)[0])
    bare = not is_of_class(name) and base.over_classes is None and base.id not in COUNTS
    score = ClassScore.find(f"{AVERAGES[0]}_{base.id}" if bare else name, labels)
    if score.metric.id in COUNTS:
        return ClaimedClassScore(name.strip(), score.metric, read_count(value, name)).about(score)

    def error() -> float:
        """Return how far off a score computed in floats can be, by the table of each class against the rest."""
        _, sizes, cases = classes
        total = cases.low if cases.high is None else cases.high
        ends = {min(end, total) for size in sizes for end in (size.low, size.high) if end is not None}
        return max(float_error(score.base.formula, end, total - end) for end in ends)

    reported = Reported.read(value, rounding=rounding, argument=name, float_error=error)
    if is_outside(reported, score.metric.limits):
        reported = reported.within(score.metric.limits.low, score.metric.limits.high)
    if is_outside(reported, score.metric.limits):
        raise out_of_range(name, score.metric.limits, reported)
    return ClaimedClassScore(name.strip(), score.metric, reported, bare=bare).about(score)


def read_classes(classes: Classes, total: object = None) -> ReadClasses:
    """Read the names and sizes of classes, and how many cases there are.

    Examples
    --------
    >>> read_classes("cat=50, dog=30-40")
    (('cat', 'dog'), (Size(low=50, high=50), Size(low=30, high=40)), Size(low=80, high=90))
    >>> read_classes(3, total=30)[2]
    Size(low=30, high=30)
    """
    cases = None if is_blank(total) else Size.read(total, "total")
    given = _listed(classes)
    if len(given) < 2:
        raise InputError("bad_shape", "classes", "must be at least two", classes, "give the size of each class")
    labels = tuple(str(label).strip() for label, _ in given)
    if len(set(labels)) < len(labels):
        raise InputError("ambiguous", "classes", "must have different names", list(labels), "name each class once")
    open_ = Size(0, None if cases is None else cases.high)
    sizes = tuple(open_ if is_blank(size) else Size.read(size, f"classes[{label}]") for label, size in given)
    low = sum(size.low for size in sizes)
    highs = [size.high for size in sizes if size.high is not None]
    high = sum(highs) if len(highs) == len(sizes) else None
    if cases is None:
        if high is None:
            hint = "give the size of each class, or total="
            raise InputError("empty", "total", "is required if the sizes of classes are not given", NOTHING, hint)
        cases = Size(low, high)
    elif (cases.high is not None and low > cases.high) or (high is not None and high < cases.low):
        problem = f"does not agree with classes of {low} cases"
        raise InputError("bad_count", "total", problem, str(cases), "check the sizes")
    if not cases.high:
        raise InputError("bad_count", "classes", "must have cases", str(cases), "give the size of each class")
    return labels, sizes, Size(max(cases.low, low), cases.high if high is None else min(cases.high, high))


def _listed(classes: Classes) -> list[tuple[Any, Any]]:
    if isinstance(classes, str):
        items = [item.strip() for item in classes.split(",") if item.strip()]
        if len(items) == 1 and items[0].isdigit():
            return _listed(int(items[0]))
        named = [item.rpartition("=")[::2] for item in items]
        if all(label for label, _ in named):
            return list(named)
        if any(label for label, _ in named):
            hint = "name all of them, as in cat=50,dog=40, or none"
            raise InputError("ambiguous", "classes", "some have names and some have none", classes, hint)
        return [(place, size) for place, (_, size) in enumerate(named)]
    if isinstance(classes, Mapping):
        return list(classes.items())
    if isinstance(classes, Sequence):
        return list(enumerate(classes))
    return [(place, None) for place in range(min(whole(classes, "classes"), 1000))]
