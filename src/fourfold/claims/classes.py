"""Reports about more than two classes: what was reported, as it was read.

A k-by-k table is a fourfold table for each class, tied by sums: so a claim is about one class, or about a sum over the
classes. `class_search` finds the tables, `class_recovery` tells what follows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Annotated, Any, Final, Literal, TypeAlias

from ..errors import InputError, Notes, verbatim
from ..formula import Formula, Operation, Quantity, Root
from ..metrics import AVERAGES, CLASS_SUMS, COUNTS, METRICS, TOTAL, Averaged, Limits, Metric, claimed_metric
from ..reported import Reported
from ..shape import Record
from ..surd import Exact
from ..table import Matrix, whole
from .claim import BUDGET, Size, is_blank, no_score, pass_over, read_count

UndefinedOfClasses: TypeAlias = Literal["none", "zero", "excluded"]
CONVENTIONS: Final[tuple[UndefinedOfClasses, ...]] = ("none", "zero", "excluded")
#: Sizes of classes: by place, by name, as text such as ``a=50,b=40-60``, or how many classes there are.
Classes: TypeAlias = str | int | Sequence[Any] | Mapping[Any, Any]

_OF_CLASS: Final = re.compile(r"(.+?)\s*\[(.*)\]\s*")
_POOLED_NAMES: Final = ("tp", "fn", "fp", "tn")


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
        match = _OF_CLASS.fullmatch(name.strip())
        if match is None:
            found = _known_metric(name)
            if found.over_classes is None:
                hint = f"say of which class, {found.id}[{labels[0]}]"
                hint += "" if found.id in COUNTS else f", or which average, {AVERAGES[0]}_{found.id}"
                raise InputError("bad_metric", name, "is a score of one class", name, hint)
            base = found.over_classes
            if isinstance(base, Averaged) and not base.base.formula.rational and base.average != "micro":
                raise InputError("bad_metric", name, "cannot be searched for", base.base.formula.text(), "leave it out")
            return cls(found.id, found)
        found, label = _known_metric(match[1]), match[2].strip()
        if isinstance(found.over_classes, Averaged) and found.id not in METRICS:
            raise InputError("bad_metric", name, "is an average, and not of one class", name, "leave the class out")
        place = next((i for i, known in enumerate(labels) if known == label), None)
        if place is None:
            place = next((i for i, known in enumerate(labels) if known.casefold() == label.casefold()), None)
        if place is None:
            hint = f"the classes are {', '.join(labels[:12])}"
            raise InputError("bad_label", name, "is of no class that was named", label, hint)
        return cls(f"{found.id}[{labels[place]}]", found, place)

    @property
    def label(self) -> str:
        """Its name for readers."""
        return self.metric.label if self.place is None else f"{self.metric.label}{self.name[len(self.metric.id) :]}"

    @property
    def limits(self) -> Limits:
        """Its smallest and largest value."""
        return self.metric.limits

    @property
    def mean(self) -> Averaged | None:
        """The metric of one class that it averages, where it is a macro or weighted average."""
        form = self.metric.over_classes
        averages = self.place is None and isinstance(form, Averaged) and form.average != "micro"
        return form if averages and isinstance(form, Averaged) else None

    @property
    def of_hits(self) -> bool:
        """Whether it follows from the number of right cases alone, once all cases are counted."""
        form = self.metric.over_classes
        if self.place is not None or self.mean:
            return False
        return isinstance(form, Averaged) or (form is not None and set(form.quantities) <= {"correct", "total"})

    def from_hits(self, hits: Any, total: int, classes: int) -> tuple[Formula, dict[str, Any]]:
        """Return a formula, and the values with which it gives the score of so many right cases."""
        form = self.metric.over_classes
        if isinstance(form, Averaged):
            cells = (hits, total - hits, total - hits, (classes - 2) * total + hits)
            return form.base.formula, dict(zip(_POOLED_NAMES, cells, strict=True))
        assert form is not None
        return form, {"correct": hits, "total": total}

    @cached_property
    def fraction(self) -> tuple[Formula, tuple[Formula, ...], bool]:
        """Numerator, denominator, and whether a root is taken of the denominator's factors, as sums over classes."""
        form = self.metric.over_classes
        assert isinstance(form, Operation)
        assert form.symbol == "/"
        bottom = form.right
        if isinstance(bottom, Root):
            product = bottom.radicand
            assert isinstance(product, Operation)
            return _of_one_class(form.left), (_of_one_class(product.left), _of_one_class(product.right)), True
        return _of_one_class(form.left), (_of_one_class(bottom),), False

    def value(self, matrix: Matrix, undefined: UndefinedOfClasses) -> Exact | None:
        """Return the score of a matrix of counts from its definition; None where it is undefined."""
        classes = matrix.one_vs_rest().cells()
        tables = [{name: int(column[i]) for name, column in classes.items()} for i in range(len(matrix.labels))]
        return self.value_of(tables, undefined, matrix.sums())

    def value_of(
        self, tables: Sequence[Mapping[str, int]], undefined: UndefinedOfClasses, sums: Mapping[str, Any] | None = None
    ) -> Exact | None:
        """Return the score from the table of each class against the rest, and the sums of the matrix if at hand."""
        form = self.metric.over_classes
        zero = Fraction(0) if undefined == "zero" else None
        if self.place is not None:
            value = self.metric.formula.exact(tables[self.place])
            return zero if value is None else value
        if not isinstance(form, Averaged):
            assert form is not None
            if sums is None:
                sums = {name: _added(CLASS_SUMS[name], tables) for name in form.quantities}
            value = form.exact(sums)
            # scikit-learn prints 0 for the coefficient with the root, and nan for the other.
            return zero if value is None and not form.rational else value
        if form.average == "micro":
            pooled = {name: sum(table[name] for table in tables) for name in _POOLED_NAMES}
            value = form.base.formula.exact(pooled)
            return zero if value is None else value
        return _mean(form, tables, undefined)


def _added(formula: Formula, tables: Sequence[Mapping[str, int]]) -> Exact:
    whole: Exact = Fraction(0)
    for table in tables:
        value = formula.exact(table)
        assert value is not None
        whole = whole + value
    return whole


def _mean(form: Averaged, tables: Sequence[Mapping[str, int]], undefined: UndefinedOfClasses) -> Exact | None:
    top: Exact = Fraction(0)
    weights = Fraction(0)
    for table in tables:
        value = form.base.formula.exact(table)
        weight = table["tp"] + table["fn"] if form.average == "weighted" else 1
        if value is None:
            if undefined == "none":
                return None
            weights += weight if undefined == "zero" else 0
            continue
        top = top + value * weight
        weights += weight
    return top / weights if weights else None


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
class ClaimedClassScore(Record, members="name score=score.name *reported"):
    """One reported score: the name it was given under, the score meant, and what its text says."""

    name: Annotated[str, "The name under which it was given."]
    score: ClassScore
    reported: Reported


@dataclass(frozen=True)
class ClassClaim(Record, members="classes=named_sizes total scores undefined"):
    """A report about several classes on one test set: what was reported, as it was read.

    Examples
    --------
    >>> claim = ClassClaim.read({"recall[b]": "0.90", "accuracy": "0.85"}, classes={"a": 50, "b": "40-60"}, total=100)
    >>> claim.labels, claim.sizes[1]
    (('a', 'b'), Size(low=40, high=60))
    """

    scores: Annotated[tuple[ClaimedClassScore, ...], "The reported scores."]
    labels: tuple[str, ...]
    sizes: tuple[Size, ...]
    total: Annotated[Size, "All cases: a number, or a range.", str]
    rounding: str = "any"
    undefined: Annotated[UndefinedOfClasses, "How undefined scores of a class were taken to be printed."] = "none"
    budget: int = BUDGET
    notes: Notes = ()

    @property
    def named_sizes(self) -> Annotated[dict[str, str], "The cases of each class: a number, or a range."]:
        """The sizes by class, as text."""
        return {label: str(size) for label, size in zip(self.labels, self.sizes, strict=True)}

    @classmethod
    def read(
        cls,
        given: Mapping[str, Any],
        *,
        classes: Classes,
        total: object = None,
        rounding: str = "any",
        undefined: str = "none",
        budget: object = BUDGET,
    ) -> ClassClaim:
        """Read the sizes of classes and scores by their names; values that stand for nothing are passed over."""
        labels, sizes, cases = read_classes(classes, total)
        filled = {str(name): value for name, value in given.items() if not is_blank(value)}
        filled, passed = pass_over(filled, classes=True)
        scores = tuple(read_class_score(name, value, labels, rounding) for name, value in filled.items())
        if not scores:
            raise no_score(passed, "give at least one, such as accuracy=0.85")
        if undefined not in CONVENTIONS:
            raise InputError(
                "bad_option", "undefined", "unknown convention", undefined, f"one of {', '.join(CONVENTIONS)}"
            )
        notes = (*(note for claimed in scores for note in claimed.reported.notes), *passed)
        most = whole(budget, "budget", text=True)
        return cls(scores, labels, sizes, cases, rounding, undefined, most, notes)

    def having(self, scores: tuple[ClaimedClassScore, ...]) -> ClassClaim:
        """Return the claim with other scores."""
        return replace(self, scores=scores)

    def fits(self, matrix: Matrix) -> bool:
        """Tell whether a matrix fits sizes and scores, from the definitions alone."""
        rows = [sum(row) for row in matrix.tolist()]
        if any(
            not size.low <= n <= (n if size.high is None else size.high)
            for n, size in zip(rows, self.sizes, strict=True)
        ):
            return False
        for claimed in self.scores:
            value = claimed.score.value(matrix, self.undefined)
            if value is None or value not in claimed.reported:
                return False
        return True


def read_class_score(name: str, value: object, labels: Sequence[str], rounding: str) -> ClaimedClassScore:
    """Read one reported score, or say what is wrong with it."""
    score = ClassScore.find(name, labels)
    if score.metric.id in COUNTS:
        return ClaimedClassScore(name.strip(), score, read_count(value, name))
    reported = Reported.read(value, rounding=rounding, argument=name)
    low, high, _ = score.limits
    if reported.high < low or (high is not None and reported.low > high):
        percent = high == 1 and 1 < reported.low <= 100
        hint = f"write {reported.text}% if it is a percentage" if percent else "check the metric and the number"
        raise InputError("out_of_range", name, f"lies outside {score.limits}", value, hint)
    return ClaimedClassScore(name.strip(), score, reported)


def read_classes(classes: Classes, total: object = None) -> tuple[tuple[str, ...], tuple[Size, ...], Size]:
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
    highs = [size.high for size in sizes]
    high = None if None in highs else sum(n for n in highs if n is not None)
    if cases is None:
        if high is None:
            hint = "give the size of each class, or total="
            raise InputError("empty", "total", "must be said where sizes of classes are not", verbatim("none"), hint)
        cases = Size(low, high)
    elif (cases.high is not None and low > cases.high) or (high is not None and high < cases.low):
        raise InputError(
            "bad_count", "total", f"does not agree with classes of {low} cases", str(cases), "check the sizes"
        )
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
        return [(place, size) for place, (_, size) in enumerate(named)]
    if isinstance(classes, Mapping):
        return list(classes.items())
    if isinstance(classes, Sequence):
        return list(enumerate(classes))
    return [(place, None) for place in range(min(whole(classes, "classes"), 1000))]
