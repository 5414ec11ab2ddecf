"""From a report as it is printed to a verdict: which claims it makes, and whether any table fits them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from importlib import import_module
from math import ceil
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

from ..claims import Claim, ClassClaim, Departure, Recovery, Size, recover
from ..claims.classes import read_classes
from ..claims.recovery import recovered
from ..errors import FourfoldError, InputError
from ..metrics import ACCURACY, AREA, COUNTS, OF_TWO_MEANINGS, PRECISION, Metric, claimed_metric, is_claimed, ranked
from ..reported import Reported, split_spread
from ..shape import Record
from ..table import Table
from ..words import listed
from .against_matrix import Comparison, WrongScore, compare
from .cells import LABEL, SUPPORT, count
from .report import OtherUnit, Report

CheckVerdict: TypeAlias = Literal["possible", "conditional", "unexplained", "impossible", "undecided", "not checked"]

# A document may hold hundreds of reports: less is looked at for each than where one is asked about.
_BUDGET: Final = 200_000
# Where no size is known nothing is ruled out, whatever is looked at: a little shows most of what is possible.
_BUDGET_WITHOUT_SIZES: Final = 5_000


@dataclass(frozen=True)
class Given:
    """What is said beside a document, and holds where the document says nothing."""

    positives: Any = None
    negatives: Any = None
    total: Any = None
    folds: Any = None
    over: str = "any"
    spread: str = "any"
    rounding: str = "any"
    undefined: str = "any"
    #: What columns of tables are, by their heads, whatever the heads say.
    columns: Mapping[str, str] = field(default_factory=dict)

    def options(self) -> dict[str, Any]:
        """Return what is said about how scores are to be read."""
        named = {name: getattr(self, name) for name in ("over", "spread", "rounding", "undefined")}
        return {name: value for name, value in named.items() if value != "any"}

    @property
    def sizes(self) -> dict[str, Any]:
        """What is said about sizes."""
        named = {name: getattr(self, name) for name in _SIZES}
        return {name: value for name, value in named.items() if value is not None}


class Told(NamedTuple):
    """What a recovery says about a report, where the recovery itself was not kept."""

    words: str
    cite: str
    table: dict[str, int] | None


@dataclass(frozen=True)
class Finding(
    Record,
    members="document where=report.where verdict accepted words reason departures=reading wrong slip table=only_table "
    "checked ignored report",
):
    """A report in a document, and whether it is possible."""

    report: Annotated[Report, "What is printed."]
    verdict: Annotated[CheckVerdict, "Whether any table fits; only if: one fits under a condition."]
    document: Annotated[str, "The document's name; empty for text without one."] = ""
    reason: Annotated[str, "Why it was not checked, or what the verdict rests on beside the recovery."] = ""
    reading: Annotated[tuple[Departure, ...], "The condition, if it is possible only under one."] = ()
    wrong: Annotated[tuple[WrongScore, ...], "Scores that the matrix beside them does not give."] = ()
    slip: Annotated[Departure | None, "A change that would make them right."] = None
    checked: Annotated[tuple[str, ...], "The scores that were checked, by name."] = ()
    dropped: tuple[str, ...] = ()
    accepted: Annotated[bool, "Whether a baseline accepts it."] = False
    #: What `recover` was asked.
    asked: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    recovery: Recovery | None = field(default=None, compare=False, repr=False)
    told: Told | None = field(default=None, compare=False, repr=False)

    @property
    def words(self) -> str:
        """The verdict in a sentence."""
        return self.told.words if self.told else str(import_module("fourfold.answers").checked_words(self))

    @property
    def cite(self) -> str:
        """The verdict in a sentence to paste into a review, without the name of the report."""
        return self.told.cite if self.told else str(import_module("fourfold.answers").checked_cite(self))

    @property
    def ignored(self) -> Annotated[tuple[str, ...], "What was there but not used, each with its reason."]:
        """What was there but not used."""
        return (*self.report.ignored, *self.dropped)

    @property
    def only_table(self) -> Annotated[dict[str, int] | None, "The one table that fits, where it is only one."]:
        """The one table that fits."""
        found = self.recovery
        if self.told:
            return self.told.table
        if found is not None and found.layout == "one table" and found.count == 1:
            table: Table = next(iter(found.tables()))
            return table.cells()
        return None


def judge(report: Report, given: Given | None = None, document: str = "") -> Finding:
    """Decide whether any table fits what a report says.

    A report with a matrix or with the sizes of its classes is about one test set. Scores alone are about what sizes and
    folds the document says, or else what is `given`.
    """
    found = _judged_as_read(report, given or Given(), document)
    if report.other_units and found.verdict in ("impossible", "conditional"):
        return _in_other_units(found, given or Given())
    return found


def _judged_as_read(report: Report, given: Given, document: str) -> Finding:
    try:
        return _judged(report, given, document)
    except FourfoldError as error:
        return Finding(report, "not checked", document, str(error).rstrip("."))


#: So many readings of open units are held at once; contradictions leave far fewer.
_MOST_READINGS: Final = 64
_OTHER_UNITS: Final = "other units of its numbers, shares of 1 or per cent, are not ruled out"


def _in_other_units(found: Finding, given: Given) -> Finding:
    """Return what is found where scores of open unit are read the other way, if that is better; else what was found.

    Score by score, both ways are tried beside what is left of those before: more scores never make the impossible
    possible.
    """
    report = found.report
    bare = report
    for other in report.other_units:
        bare = _with_score(bare, other.name, None)
    tried = [replace(found, report=bare)]
    for other in report.other_units:
        readings = [
            reading
            for one in tried
            for reading in (
                _with_score(one.report, other.name, _score(report, other.name)),
                _with_score(replace(one.report, assumed=_assumed(one.report, other)), other.name, other.text),
            )
        ]
        judged = [_judged_as_read(reading, given, found.document) for reading in readings]
        tried = [one for one in judged if one.verdict != "impossible"]
        if len(tried) > _MOST_READINGS:
            return replace(found, verdict="undecided", reason=_OTHER_UNITS) if found.verdict == "impossible" else found
    better: tuple[CheckVerdict, ...] = ("possible", "conditional", "undecided")
    better = better[: better.index(found.verdict)] if found.verdict in better else better
    # A score that could not be read the other way would be left out, which is no reading of it.
    whole = [one for one in tried if len(one.checked) >= len(found.checked)]
    return next((one for verdict in better for one in whole if one.verdict == verdict), found)


def _score(report: Report, name: str) -> str:
    """Return the text of a score, which may be one of a class."""
    if name in report.scores:
        return report.scores[name]
    score, _, label = name.rstrip("]").partition("[")
    return next(row[score] for row in report.classes if row[LABEL] == label)


def _with_score(report: Report, name: str, text: str | None) -> Report:
    """Return a report with another text of a score, which may be one of a class; without the score for None."""
    score, _, label = name.rstrip("]").partition("[")
    if not any(row[LABEL] == label for row in report.classes):
        return replace(report, scores=_changed(report.scores, name, text))
    classes = tuple(_changed(row, score, text) if row[LABEL] == label else row for row in report.classes)
    return replace(report, classes=classes)


def _changed(printed: Mapping[str, str], name: str, text: str | None) -> dict[str, str]:
    left = {other: each for other, each in printed.items() if other != name}
    return left if text is None else left | {name: text}


def _assumed(report: Report, other: OtherUnit) -> tuple[str, ...]:
    """Return what is assumed where a score is read in its other unit."""
    return (*(words for words in report.assumed if words != other.instead_of), other.assumed)


def _judged(report: Report, given: Given, document: str) -> Finding:
    if not report.complete:
        return _of_what_is_left(report, document)
    scores, dropped = _claims(report)
    if report.matrix is not None:
        return _beside_matrix(report, scores, dropped, document)
    if not scores:
        return Finding(report, "not checked", document, "no score is printed that a table decides", dropped=dropped)
    if report.classes:
        return _of_classes(report, scores, dropped, given, document)
    return _of_scores(report, scores, dropped, given, document)


def _claims(report: Report) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the scores by the names that `recover` takes, and what of the report is none."""
    scores: dict[str, str] = {}
    dropped: list[str] = []

    def add(name: str, text: str) -> None:
        base = name.partition("[")[0]
        if not is_claimed(base) or ranked(base):
            dropped.append(f"{name} {text}: no table of counts decides it")
            return
        if report.matrix is not None and base in OF_TWO_MEANINGS:
            dropped.append(f"{name} {text}: {OF_TWO_MEANINGS[base]}")
            return
        metric = claimed_metric(base)
        if name in scores:
            # The same score twice: under another of its names it is a second claim.
            if scores[name] == text:
                return
            name = next((other for other in metric.aliases if other not in scores), name)
        scores[name] = text

    labels = class_labels(report)
    for label, row in zip(labels, report.classes, strict=True):
        for name, text in row.items():
            if name not in (LABEL, SUPPORT) and text:
                if name == AREA.id:
                    dropped.append(f"{name} of {label}: an area of one class is not checked")
                else:
                    add(f"{name}[{label}]", text)
    if report.accuracy:
        add(ACCURACY.id, report.accuracy)
    for average in ("macro", "weighted", "micro"):
        for name, text in getattr(report, average).items():
            if name == AREA.id:
                dropped.append(f"{average} {name}: an average of areas is not checked")
            elif ranked(name):
                # The name of an average of it may be that of an average of something else.
                dropped.append(f"{average} {name} {text}: no table of counts decides it")
            elif name != SUPPORT and text:
                add(f"{average}_{name}", text)
    for name, text in report.scores.items():
        add(name, text)
    return scores, tuple(dropped)


def class_labels(report: Report) -> tuple[str, ...]:
    """Return the classes of a report, each by a name of its own."""
    seen: dict[str, int] = {}
    labels = []
    for row in report.classes:
        label = row[LABEL].replace("[", "(").replace("]", ")").strip() or "class"
        seen[label] = seen.get(label, 0) + 1
        labels.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return tuple(labels)


def _sizes(report: Report) -> list[int | None]:
    """Return the printed sizes of the classes."""
    return [count(row.get(SUPPORT, "")) for row in report.classes]


def _beside_matrix(report: Report, scores: dict[str, str], dropped: tuple[str, ...], document: str) -> Finding:
    """Compare scores with the matrix that is printed beside them."""
    assert report.matrix is not None
    size = len(report.matrix)
    sizes: dict[int | None, int] = {place: n for place, n in enumerate(_sizes(report)) if n is not None}
    if report.total is not None and not sizes:
        sizes[None] = report.total
    labels = class_labels(report) if len(report.classes) == size else report.labels
    if len(labels) != size or len(set(labels)) < size:
        labels = tuple(str(place) for place in range(size))
    positive = report.labels.index(report.positive) if report.positive in report.labels else None
    kept = {name: text for name, text in scores.items() if claimed_metric(name.partition("[")[0]) is not AREA}
    dropped += tuple(
        f"{name} {text}: a matrix does not decide an area" for name, text in scores.items() if name not in kept
    )
    if not kept and not sizes:
        return Finding(report, "not checked", document, "a matrix without scores beside it", dropped=dropped)
    found: Comparison = compare(
        report.matrix,
        kept,
        labels,
        sizes=sizes,
        positive=positive,
        rows_said=report.matrix_rows_printed is not None,
    )
    verdict: CheckVerdict = "impossible" if found.wrong else "conditional" if found.departures else "possible"
    return Finding(
        report, verdict, document, "", found.departures, found.wrong, found.slip, tuple(kept), dropped=dropped
    )


def _of_classes(
    report: Report, scores: dict[str, str], dropped: tuple[str, ...], given: Given, document: str
) -> Finding:
    sizes = _sizes(report)
    labels = class_labels(report)
    if len(labels) < 2:
        reason = "it has one class only"
        return Finding(report, "not checked", document, reason, dropped=dropped)
    said: dict[str, Any] = {"classes": dict(zip(labels, sizes, strict=True))}
    if any(size is None for size in sizes):
        total = report.total or given.total
        if total is None:
            reason = "the sizes of its classes are not printed"
            return Finding(report, "not checked", document, reason, dropped=dropped)
        said["total"] = total
    found = _recovered(report, scores, dropped, said | given.options(), document)
    # A micro average in place of the accuracy says that cases have none or several of the labels.
    if found.verdict != "impossible" or not report.micro or report.accuracy or None in sizes:
        return found
    return _with_other_cases(found)


def _with_other_cases(found: Finding) -> Finding:
    """Judge a report of classes again where there are cases of none of them: each class is then a test of its own."""
    given = dict(found.asked)
    classes = read_classes(given.pop("classes"))
    claim = ClassClaim.read({name: given[name] for name in found.checked}, classes, given.get("rounding", "any"))
    ends = [end for claimed in claim.scores for end in (claimed.reported.low, claimed.reported.high) if end > 0]
    # With more cases than these nothing else is possible: none of the scores could be as high as it is, or as low.
    total = claim.total.low + ceil(max(size.low for size in claim.sizes) / min(ends, default=Fraction(1))) + 1
    again = recovered(replace(claim, multilabel=True, total=Size(total, total), budget=_BUDGET), "none")
    if again.verdict == "impossible":
        # What contradicts each other even then does so in any case.
        return replace(found, recovery=again)
    if again.verdict == "undecided":
        return replace(found, verdict="undecided", reason=f"it is not ruled out that {_SEVERAL_LABELS.words}")
    others = tuple(departure for departure in again.departures if departure.code != "several_labels")
    return replace(found, verdict="conditional", reading=(_SEVERAL_LABELS, *others), asked={}, recovery=again)


def _of_what_is_left(report: Report, document: str) -> Finding:
    """Judge a report of which rows are cut out: a class that is there may still contradict itself."""
    labels = zip(class_labels(report), report.classes, _sizes(report), strict=True)
    wrong = [label for label, row, size in labels if _contradicts_itself(row, size)]
    if not wrong:
        return Finding(report, "not checked", document, "rows of it are cut out")
    reason = f"rows of it are cut out, but no counts give what is printed for {listed(wrong)}"
    return Finding(report, "impossible", document, reason)


def _contradicts_itself(row: Mapping[str, str], size: int | None) -> bool:
    """Tell whether no counts give what is printed for one class, however many cases of other classes there are."""
    scores = {f"{name}[{Claim.labels[1]}]": text for name, text in row.items() if name not in (LABEL, SUPPORT) and text}
    precise = row.get(PRECISION.id)
    if size is None or not precise or (low := Reported.read(precise).low) <= 0:
        return False
    # No more can be predicted than this, so no other case makes a difference.
    ask: Any = recover
    try:
        found = ask(positives=size, negatives=ceil(size / low) + 1, **scores, bounds="none", budget=_BUDGET)
    except FourfoldError:
        return False
    return bool(found.verdict == "impossible")


def _of_scores(
    report: Report, scores: dict[str, str], dropped: tuple[str, ...], given: Given, document: str
) -> Finding:
    """Judge scores with what sizes and folds are known."""
    said = {name: getattr(report, name) for name in _SIZES if getattr(report, name) is not None}
    if not said:
        said = given.sizes
    elif not said.keys() & {"positives", "negatives"}:
        # A total of its own holds; of what is given, so do positives or negatives.
        said |= {name: value for name, value in given.sizes.items() if name != "total"}
    known = _is_known(said)
    options = given.options()
    folds = report.folds or given.folds
    spread = any(_has_spread(text) for text in scores.values()) and options.get("spread") != "bounds"
    means = spread or report.runs is not None
    if folds or means or not said:
        areas = list(_areas(scores))
        scores = {name: text for name, text in scores.items() if name not in areas}
        why = "no size is known" if not said else "scores are means"
        dropped += tuple(f"{name}: an area is not checked where {why}" for name in areas)
    if not scores:
        return Finding(report, "not checked", document, "there is no score that a table decides", dropped=dropped)
    if (folds or means) and not known:
        over = (
            f"over {folds} folds" if folds else f"over {report.runs} runs" if report.runs else "with a number after ±"
        )
        reason = f"means {over}: to check them, give positives and negatives"
        reason += "" if folds or report.runs else ", and folds"
        return Finding(report, "not checked", document, reason, dropped=dropped)
    if folds:
        repeats = {"repeats": report.runs} if report.runs else {}
        return _of_means(report, scores, dropped, said | options | {"folds": folds} | repeats, document)
    if report.runs is not None:
        # Runs are scored on one and the same test set.
        pair = _margins(said)
        if pair is None:
            return Finding(
                report, "not checked", document, "means over runs on a test set of open size", dropped=dropped
            )
        sets = {"sets": [pair] * report.runs, "over": "mean"}
        return _of_means(report, scores, dropped, options | sets, document)
    if means:
        return _of_unknown_folds(report, scores, dropped, said | options, document)
    found = _recovered(report, scores, dropped, said | options, document)
    if found.verdict not in ("impossible", "undecided") or known:
        return found
    classes = not _is_of_two_classes(scores, said)
    if found.verdict == "impossible" and not classes and {*scores} & {*COUNTS}:
        return found  # counts of cases are those of one test set
    reason = _MORE_CLASSES if classes and said else _FOLDS if said or not classes else _MORE_CLASSES_OR_FOLDS
    return replace(found, verdict="undecided", reason=reason)


_SIZES: Final = ("positives", "negatives", "total")
_SEVERAL_LABELS: Final = Departure("other_cases", "there are cases with none or several of these labels")
_MORE_CLASSES: Final = "averages over more than two classes are not ruled out"
_FOLDS: Final = "means over folds are not ruled out: to check them, give positives and negatives"
_MORE_CLASSES_OR_FOLDS: Final = "averages over more than two classes, and means over folds, are not ruled out"
#: Folds that are tried where a deviation is printed and their number is not.
_TRIED_FOLDS: Final = (10, 5)


def _of_means(
    report: Report, scores: dict[str, str], dropped: tuple[str, ...], asked: dict[str, Any], document: str
) -> Finding:
    """Judge means; where only the numbers after ± cannot be, these may be something else than people say."""
    found = _recovered(report, scores, dropped, asked, document)
    if found.verdict != "impossible" or not any(_has_spread(text) for text in scores.values()):
        return found
    bare = {name: split_spread(text).value if _has_spread(text) else text for name, text in scores.items()}
    without = _recovered(report, bare, dropped, asked, document)
    if without.verdict not in ("possible", "conditional"):
        return found
    other = Departure(
        "spread_otherwise", "the numbers after ± are neither deviations nor standard errors over the folds"
    )
    return replace(without, verdict="conditional", reading=(*without.reading, other))


def _margins(said: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return positives and negatives as numbers; None where they are ranges."""
    sizes = {name: count(str(value)) for name, value in said.items()}
    p, n, total = (sizes.get(name) for name in _SIZES)
    if p is None and n is not None and total is not None:
        p = total - n
    if n is None and p is not None and total is not None:
        n = total - p
    return None if p is None or n is None or min(p, n) < 0 else (p, n)


def _of_unknown_folds(
    report: Report, scores: dict[str, str], dropped: tuple[str, ...], said: dict[str, Any], document: str
) -> Finding:
    """Judge scores with a number after ±, over folds or runs of unknown number."""
    for folds in _TRIED_FOLDS:
        found = _of_means(report, scores, dropped, said | {"folds": folds}, document)
        if found.verdict in ("possible", "conditional"):
            over = Departure("means_over_folds", f"the scores are means over {folds} stratified folds")
            return replace(found, verdict="conditional", reading=(over, *found.reading))
    reason = f"{' and '.join(map(str, _TRIED_FOLDS))} folds do not fit, and how many there were is not printed"
    return replace(found, verdict="undecided", reason=reason)


def _has_spread(text: str) -> bool:
    try:
        return split_spread(text)[1] is not None
    except InputError:
        return False  # what cannot be read is said when it is


def _is_known(said: Mapping[str, Any]) -> bool:
    """Tell whether positives and negatives are known."""
    return sum(said.get(name) is not None for name in ("positives", "negatives", "total")) >= 2 and (
        "positives" in said or "negatives" in said
    )


def _is_of_two_classes(scores: Mapping[str, str], said: Mapping[str, Any]) -> bool:
    """Tell whether the report itself is about two classes: it has positives, or a score that only those have."""
    if "positives" in said or "negatives" in said:
        return True
    return any(_is_of_the_negative_class(claimed_metric(name.partition("[")[0])) for name in scores)


def _is_of_the_negative_class(metric: Metric) -> bool:
    """Tell whether a score needs true negatives, and is no average: more than two classes have none."""
    return metric.over_classes is None and metric.id not in COUNTS and "tn" in _cells_of(metric)


def _cells_of(metric: Metric) -> set[str]:
    return set(metric.formula.quantities)


def _areas(scores: Mapping[str, str]) -> Iterator[str]:
    for name in scores:
        if is_claimed(name) and claimed_metric(name) is AREA:
            yield name


def _recovered(
    report: Report,
    scores: Mapping[str, str],
    dropped: Sequence[str],
    said: Mapping[str, Any],
    document: str,
) -> Finding:
    """Recover what a report says; a score that cannot be read is left out with its reason."""
    left, out = dict(scores), list(dropped)
    sized = any(name in said for name in (*_SIZES, "classes"))
    budget = _BUDGET if sized else _BUDGET_WITHOUT_SIZES
    ask: Any = recover
    while left:
        try:
            found = ask(**said, **left, bounds="none", budget=budget)
        except FourfoldError as error:
            if error.argument in left:
                out.append(f"{error.argument} {left.pop(error.argument)}: {error.problem}")
                continue
            return Finding(report, "not checked", document, str(error), dropped=tuple(out))
        return Finding(
            report,
            found.verdict,
            document,
            reading=found.departures,
            checked=tuple(left),
            dropped=tuple(out),
            asked={**said, **left},
            recovery=found,
        )
    return Finding(report, "not checked", document, "none of its scores can be read", dropped=tuple(out))
