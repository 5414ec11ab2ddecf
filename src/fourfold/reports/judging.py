"""From a report as it is printed to a verdict: which claims it makes, and whether any table fits them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

from .. import shape
from ..claims import Claim, ClassClaim, Departure, Fitting, Recovery, Size, fitting, recover
from ..claims.classes import read_classes
from ..claims.folds import is_one_set
from ..claims.recovery import recovered
from ..errors import FourfoldError, InputError
from ..exact.reported import Reported, split_spread
from ..metrics import (
    ACCURACY,
    AREA,
    COUNTS,
    F1,
    OF_TWO_MEANINGS,
    PRECISION,
    Metric,
    claimed_metric,
    is_claimed,
    ranked,
)
from ..shape import Record
from ..words import listed
from .against_matrix import Comparison, WrongScore, compare
from .cells import LABEL, NEGATIVE, POSITIVE, SUPPORT, count
from .class_lines import RATES
from .report import Nearby, Report

CheckVerdict: TypeAlias = Literal["possible", "conditional", "unexplained", "impossible", "undecided", "not checked"]
#: From the worst: what says most against a report comes first.
SEVERITY: Final[tuple[CheckVerdict, ...]] = (
    "impossible",
    "unexplained",
    "conditional",
    "undecided",
    "not checked",
    "possible",
)

# A document may hold hundreds of reports: less is looked at for each than where one is asked about.
_BUDGET: Final = 200_000
# Where no size is known nothing is ruled out, whatever is looked at: a little shows most of what is possible.
_BUDGET_WITHOUT_SIZES: Final = 5_000
_BAD: Final = SEVERITY[:2]
_MATRIX_ALONE: Final = "a matrix without scores beside it"


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
        named = {name: getattr(self, name) for name in SIZES}
        return {name: value for name, value in named.items() if value is not None}


class Told(NamedTuple):
    """What a recovery says about a report, where the recovery itself was not kept."""

    words: str
    cite: str
    table: dict[str, int] | None


@dataclass(frozen=True)
class Finding(
    Record,
    members="document where=report.where verdict accepted words reason question departures=reading wrong slip "
    "table=only_table checked ignored report",
):
    """A report in a document, and whether it is possible."""

    report: Annotated[Report, "What is printed."]
    verdict: Annotated[
        CheckVerdict, "conditional: possible only under a condition; unexplained: some average could give it."
    ]
    document: Annotated[str, "The document's name; empty for text without one."] = ""
    reason: Annotated[str, "Why it was not checked, or what the verdict rests on beside the recovery."] = ""
    reading: Annotated[tuple[Departure, ...], "The condition, if it is possible only under one."] = ()
    wrong: Annotated[tuple[WrongScore, ...], "Scores that the matrix beside them does not give."] = ()
    slip: Annotated[Departure | None, "A change that would make them right."] = None
    checked: Annotated[tuple[str, ...], "The scores that were checked, by name."] = ()
    dropped: tuple[str, ...] = ()
    accepted: Annotated[bool, "Whether a baseline accepts it."] = False
    question: Annotated[str, "What the text near it says that does not fit it, if it is about this report."] = ""
    #: What `recover` was asked.
    asked: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    recovery: Recovery | None = field(default=None, compare=False, repr=False)
    told: Told | None = field(default=None, compare=False, repr=False)

    @property
    def words(self) -> str:
        """The verdict in a sentence."""
        return self.told.words if self.told else shape.above.verdict(self)

    @property
    def cite(self) -> str:
        """The verdict in a sentence to paste into a review, without the name of the report."""
        return self.told.cite if self.told else shape.above.citation(self)

    @property
    def ignored(self) -> Annotated[tuple[str, ...], "What was there but not used, each with its reason."]:
        """What was there but not used."""
        return (*self.report.ignored, *self.dropped)

    @property
    def only_table(self) -> Annotated[dict[str, int] | None, "The one table that fits, or the one that is printed."]:
        """The one table that fits, or the one that is printed where its scores are right."""
        if self.told:
            return self.told.table
        table = self.recovery.only_table if self.recovery is not None else None
        return self.printed_counts if table is None else table.cells()

    @property
    def printed_counts(self) -> dict[str, int] | None:
        """The counts that are printed by name, unless scores beside them are wrong or right only if read otherwise."""
        report = self.report
        # Heads of columns name the counts of a row, and text by name is read with these labels.
        if report.matrix is None or not (report.columns or report.labels == (NEGATIVE, POSITIVE)):
            return None
        if self.verdict != "possible" and self.reason != _MATRIX_ALONE:
            return None
        (tn, fp), (fn, tp) = report.matrix
        return {"tp": tp, "fn": fn, "fp": fp, "tn": tn}

    @property
    def fitting(self) -> Fitting | None:
        """The tables that fit, where all of them are known, with the ends of sensitivity and specificity."""
        ask: Any = recover
        printed = self.printed_counts
        found = self.recovery if printed is None else ask(**printed, folds="none", bounds="none")
        return None if found is None else fitting(found)


def judge(report: Report, given: Given | None = None, document: str = "") -> Finding:
    """Decide whether any table fits what a report says.

    A report with a matrix or with the sizes of its classes is about one test set. Scores alone are about what sizes and
    folds the document says, or else what is `given`.
    """
    given = given or Given()
    found = _judged_as_read(report, given, document)
    if report.other_units and found.verdict in (*_BAD, "conditional"):
        return _in_other_units(found, given)
    return _with_nearby(found, given) if report.nearby else found


def _with_nearby(found: Finding, given: Given) -> Finding:
    """Ask about what the text near a report says of it, perhaps: where it does not fit, it accuses nobody.

    Scores of the text are looked at one by one. A report with nothing else to check is possible with those that fit.
    """
    report, asked = found.report, []
    fitting: dict[str, str] = {}
    for near in report.nearby:
        name, text = near.name, near.text
        if name in report.scores or name in fitting:
            others = claimed_metric(name).aliases if is_claimed(name) else ()
            name = next((one for one in others if one not in report.scores and one not in fitting), name)
        beside = _judged_as_read(replace(report, scores={**report.scores, name: text}), given, found.document)
        if beside.verdict in ("possible", "conditional"):
            fitting[name] = text
        elif beside.verdict == "impossible" and found.verdict != "impossible":
            asked.append(_question(near, beside))
    question = " ".join(dict.fromkeys(asked))
    if found.checked or found.verdict == "impossible":
        return replace(found, question=question)
    if question:
        return replace(found, verdict="undecided", reason="", question=question)
    if not fitting:
        return found
    assumed = (*report.assumed, "the text near it is taken to be about it")
    return _judged_as_read(replace(report, scores={**report.scores, **fitting}, assumed=assumed), given, found.document)


def _question(near: Nearby, beside: Finding) -> str:
    """Say what the text near a report says, and what the report gives."""
    metric = claimed_metric(near.name)
    given = next(
        (one.given for one in beside.wrong if is_claimed(one.name) and claimed_metric(one.name) is metric), None
    )
    gives = f", but here it would be {given:.4g}" if given is not None else ", and that does not fit"
    return f"The text {near.where} says {near.name} {near.text}: if that is about this{gives}."


@dataclass(frozen=True)
class _Case:
    """A report to judge: its scores by the names that `recover` takes, and what of it is none of these."""

    report: Report
    given: Given
    document: str
    scores: Mapping[str, str]
    dropped: tuple[str, ...] = ()

    def finding(self, verdict: CheckVerdict, reason: str = "", **more: Any) -> Finding:
        """Return a finding about the report."""
        return Finding(self.report, verdict, self.document, reason, **({"dropped": self.dropped} | more))


def _judged_as_read(report: Report, given: Given, document: str) -> Finding:
    case = _Case(report, given, document, {})
    try:
        if not report.complete:
            return _of_what_is_left(case)
        scores, dropped = _claims(report)
        case = replace(case, scores=scores, dropped=dropped)
        if report.matrix is not None:
            return _beside_matrix(case)
        if not scores:
            nothing = not dropped and not report.scores and report.ignored
            return case.finding("not checked", report.ignored[0] if nothing else _NO_SCORE)
        if not report.classes:
            return _of_scores(case)
        # All cases of the folds may have been scored together: then they are checked, and possible.
        found = _of_classes(case)
        over = _over_what(report, report.folds or (None if is_one_set(given.folds) else given.folds))
        is_mean = over and found.verdict != "possible"
        return case.finding("not checked", f"means {over}, and of no one table") if is_mean else found
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
    tried, left_open = [replace(found, report=bare)], False
    for other in report.other_units:
        readings: list[Report] = []
        for one in tried:
            readings.append(_with_score(one.report, other.name, _score(report, other.name)))
            assumed = (*(words for words in one.report.assumed if words != other.instead_of), other.assumed)
            readings.append(_with_score(replace(one.report, assumed=assumed), other.name, other.text))
        judged = [_judged_as_read(reading, given, found.document) for reading in readings]
        tried = [one for one in judged if one.verdict not in _BAD]
        left_open |= any(one.verdict == "unexplained" for one in judged)
        if len(tried) > _MOST_READINGS:
            return replace(found, verdict="undecided", reason=_OTHER_UNITS) if found.verdict == "impossible" else found
    better: tuple[CheckVerdict, ...] = ("possible", "conditional", "undecided")
    better = better[: better.index(found.verdict)] if found.verdict in better else better
    # A score that could not be read the other way would be left out, which is no reading of it.
    whole = [one for one in tried if len(one.checked) >= len(found.checked)]
    if found.verdict == "impossible" and left_open and not whole:
        return replace(found, verdict="undecided", reason=_OTHER_UNITS)
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


_NO_SCORE: Final = "no score is printed that a table decides"


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
    return [count(row.get(SUPPORT, "")) for row in report.classes]


def _beside_matrix(case: _Case) -> Finding:
    """Compare scores with the matrix that is printed beside them."""
    report, document = case.report, case.document
    assert report.matrix is not None
    size = len(report.matrix)
    sizes: dict[int | None, int] = {place: n for place, n in enumerate(_sizes(report)) if n is not None}
    if report.total is not None and not sizes:
        sizes[None] = report.total
    labels = class_labels(report) if len(report.classes) == size else report.labels
    if len(labels) != size or len(set(labels)) < size:
        labels = tuple(str(place) for place in range(size))
    positive = report.labels.index(report.positive) if report.positive in report.labels else None
    kept = {name: text for name, text in case.scores.items() if claimed_metric(name.partition("[")[0]) is not AREA}
    areas = {name: text for name, text in case.scores.items() if name not in kept}
    ranges = (f"{name} {text}: a matrix gives only a range for an area" for name, text in areas.items())
    case = replace(case, scores=kept, dropped=(*case.dropped, *ranges))
    if not kept and not sizes and not areas:
        return case.finding("not checked", _MATRIX_ALONE)
    rows_said = report.matrix_rows_printed is not None
    named = report.labels == (NEGATIVE, POSITIVE) and rows_said
    beside = partial(
        compare, report.matrix, labels=labels, sizes=sizes, positive=positive, rows_said=rows_said, cells_named=named
    )
    found: Comparison = beside(kept)
    if found.wrong and size == 2:
        ways = (_some_of_other_class(found, kept, label, beside) for label in labels)
        found = min((found, *ways), key=lambda way: len(way.wrong))
    counts = {}
    if size == 2:
        (tn, fp), (fn, tp) = report.matrix
        counts = {"tp": tp, "fn": fn, "fp": fp, "tn": tn}
    if found.wrong and counts and (over_folds := _of_folds_together(case, counts)):
        return over_folds
    if found.wrong and report.runs:
        return case.finding("not checked", f"means {_over_what(report, None)}, and the matrix need not be of all")
    if areas and counts and not found.wrong:
        # An area cannot stand beside a matrix where it lies beyond the range that this leaves.
        of_area = _recovered(_Case(report, case.given, document, areas), {**counts, "folds": "none"})
        if of_area.verdict == "impossible":
            return replace(of_area, dropped=case.dropped)
    verdict: CheckVerdict = "impossible" if found.wrong else "conditional" if found.departures else "possible"
    return case.finding(verdict, reading=found.departures, wrong=found.wrong, slip=found.slip, checked=tuple(kept))


_GIVEN_TWICE: Final = "scores are given twice, and which is of which class is not said"


def _some_of_other_class(
    found: Comparison, scores: Mapping[str, str], label: str, beside: Callable[[Mapping[str, str]], Comparison]
) -> Comparison:
    """Take scores that the matrix does not give as those of the other class, where it gives them so.

    Sheets have a column for each class, with heads such as Recall and Recall'.
    """
    bare = {one.name: claimed_metric(one.name) for one in found.wrong if "[" not in one.name and is_claimed(one.name)}
    other = {name: f"{metric.id}[{label}]" for name, metric in bare.items() if metric.over_classes is None}

    def renamed(names: Iterable[str]) -> dict[str, str]:
        return {other[name] if name in names else name: text for name, text in scores.items()}

    wrong = {one.name for one in beside(renamed(other)).wrong}
    fitting = [name for name in other if other[name] not in wrong]
    if not fitting:
        return found
    words = f"{listed(fitting)} {'is that' if len(fitting) == 1 else 'are those'} of class {label}"
    again: Comparison = beside(renamed(fitting))
    return again._replace(departures=(Departure("score_of_other_class", words), *again.departures))


def _is_given_twice(scores: Mapping[str, str]) -> bool:
    """Tell whether a score is given twice, and differently, without a word of the class that it is of."""
    texts: dict[str, set[str]] = {}
    for name, text in scores.items():
        if "[" not in name:
            texts.setdefault(claimed_metric(name).id, set()).add(text)
    return any(len(several) > 1 for several in texts.values())


def _of_folds_together(case: _Case, counts: Mapping[str, int]) -> Finding | None:
    """Judge scores as means over folds whose matrices were added up; None where nothing is said of folds."""
    given = case.given.folds
    folds = None if is_one_set(given) else case.report.folds or given
    if not folds:
        return None
    found = _of_means(case, {**counts, **case.given.options(), "folds": folds})
    if found.verdict == "possible":
        together = Departure("folds_together", "the scores are means over the folds, and the matrix is of all")
        return replace(found, verdict="conditional", reading=(together, *found.reading))
    return found if found.verdict in ("conditional", "unexplained", "undecided") else None


def _of_classes(case: _Case) -> Finding:
    report, given = case.report, case.given
    sizes = _sizes(report)
    labels = class_labels(report)
    if len(labels) < 2:
        return case.finding("not checked", "it has one class only")
    # Rows of classes with their cases are what a tool prints of one test set.
    said: dict[str, Any] = {"classes": dict(zip(labels, sizes, strict=True)), "folds": "none"}
    if any(size is None for size in sizes):
        total = report.total or given.total
        if total is None:
            return _of_classes_without_sizes(case)
        said["total"] = total
    found = _recovered(case, said | given.options())
    # A micro average in place of the accuracy says that cases have none or several of the labels.
    if found.verdict not in _BAD or not report.micro or report.accuracy or None in sizes:
        return found
    return _with_other_cases(found)


_NO_SIZES: Final = "the sizes of its classes are not printed"


def _of_classes_without_sizes(case: _Case) -> Finding:
    """Judge what needs no sizes: the F1 of each class beside its precision and recall, and averages of the rows."""
    report = case.report
    checked, beyond, odd, unlike = [], [], [], []
    for label, row in zip(class_labels(report), report.classes, strict=True):
        rates = {name: row[name] for name in RATES if row.get(name)}
        if len(rates) < len(RATES):
            continue
        found = _recovered(replace(case, scores=rates), case.given.options())
        checked += [f"{name}[{label}]" for name in found.checked]
        if found.verdict == "impossible":
            beyond.append(f"no table has the precision, recall and F1 printed for {label}")
        elif found.verdict == "conditional" and [departure.code for departure in found.reading] == ["cut_off"]:
            continue
        elif found.verdict in ("conditional", "unexplained") or not _is_harmonic(rates):
            odd.append(label)
    for average in ("macro", "weighted"):
        printed = getattr(report, average)
        for name in (name for name in RATES if printed.get(name)):
            fits = _is_average(printed[name], [row.get(name, "") for row in report.classes], even=average == "macro")
            if fits is None or (name == F1.id and not fits and _is_harmonic(printed)):
                continue
            checked.append(f"{average}_{name}")
            unlike += [] if fits else [f"{average}_{name} {printed[name]}"]
    told = partial(case.finding, checked=tuple(checked))
    if not checked:
        return told("not checked", _NO_SIZES)
    if beyond:
        return told("impossible", listed(beyond))
    if unlike:
        are = "is" if len(unlike) == 1 else "are"
        return told("unexplained", f"{listed(unlike)} {are} no such mean of the rows printed")
    if odd:
        words = f"the precision, recall and F1 of {listed(odd)} are of no one table, but may be averages"
        return told("unexplained", words)
    return told("possible", f"as far as it can be checked: {_NO_SIZES}")


def _is_average(text: str, rows: Sequence[str], *, even: bool) -> bool | None:
    """Tell whether a number can be an average of others, as all are rounded; None where that cannot be told."""
    try:
        parts = [Reported.read(row) for row in rows if row]
        whole = Reported.read(text)
    except FourfoldError:
        return None
    if len(parts) < max(len(rows), 2):
        return None
    low, high = (sum((getattr(part, end) for part in parts), Fraction(0)) / len(parts) for end in ("low", "high"))
    if not even:
        low, high = min(part.low for part in parts), max(part.high for part in parts)
    return bool(whole.high >= low and whole.low <= high)


def _is_harmonic(printed: Mapping[str, str]) -> bool:
    """Tell whether an average F1 may be that of the average precision and recall."""
    try:
        precise, recalled, f1 = (Reported.read(printed.get(name, "")) for name in RATES)
    except FourfoldError:
        return False
    low, high = (
        2 * one * other / (one + other) if one + other else Fraction(0)
        for one, other in ((precise.low, recalled.low), (precise.high, recalled.high))
    )
    return bool(f1.low <= high and f1.high >= low)


def _with_other_cases(found: Finding) -> Finding:
    """Judge a report of classes again where there are cases of none of them: each class is then a test of its own."""
    given = dict(found.asked)
    classes = read_classes(given.pop("classes"))
    claim = ClassClaim.read({name: given[name] for name in found.checked}, classes, given.get("rounding", "any"))
    ends = [end for claimed in claim.scores for end in (claimed.reported.low, claimed.reported.high) if end > 0]
    # With more cases than these nothing else is possible: none of the scores could be as high as it is, or as low.
    total = claim.total.low + ceil(max(size.low for size in claim.sizes) / min(ends, default=Fraction(1))) + 1
    again = recovered(replace(claim, multilabel=True, total=Size(total, total), budget=_BUDGET), "none", one_set=True)
    if again.verdict == "impossible":
        # What contradicts each other even then does so in any case.
        return replace(found, recovery=again)
    if again.verdict == "undecided":
        return replace(found, verdict="undecided", reason=f"it is not ruled out that {_SEVERAL_LABELS.words}")
    others = tuple(departure for departure in again.departures if departure.code != "several_labels")
    return replace(found, verdict="conditional", reading=(_SEVERAL_LABELS, *others), asked={}, recovery=again)


def _of_what_is_left(case: _Case) -> Finding:
    """Judge a report of which rows are cut out: a class that is there may still contradict itself."""
    report = case.report
    labels = zip(class_labels(report), report.classes, _sizes(report), strict=True)
    wrong = [label for label, row, size in labels if _contradicts_itself(row, size)]
    if not wrong:
        return case.finding("not checked", "rows of it are cut out")
    reason = f"rows of it are cut out, but no counts give what is printed for {listed(wrong)}"
    return case.finding("impossible", reason)


def _contradicts_itself(row: Mapping[str, str], size: int | None) -> bool:
    """Tell whether no counts give what is printed for one class, however many cases of other classes there are."""
    scores = {f"{name}[{Claim.labels[1]}]": text for name, text in row.items() if name not in (LABEL, SUPPORT) and text}
    precise = row.get(PRECISION.id)
    if size is None or not precise or (low := Reported.read(precise).low) <= 0:
        return False
    # No more can be predicted than this, so no other case makes a difference.
    ask: Any = recover
    try:
        found = ask(
            positives=size, negatives=ceil(size / low) + 1, **scores, folds="none", bounds="none", budget=_BUDGET
        )
    except FourfoldError:
        return False
    return bool(found.verdict == "impossible")


def _of_scores(case: _Case) -> Finding:
    """Judge scores with what sizes and folds are known."""
    report, given = case.report, case.given
    said = {name: getattr(report, name) for name in SIZES if getattr(report, name) is not None}
    if not said:
        said = given.sizes
    elif not said.keys() & {"positives", "negatives"}:
        # A total of its own holds; of what is given, so do positives or negatives.
        said |= {name: value for name, value in given.sizes.items() if name != "total"}
    # Whether positives and negatives are known.
    known = sum(said.get(name) is not None for name in SIZES) >= 2 and not said.keys().isdisjoint(SIZES[:2])
    options = given.options()
    # Who says that there are no folds says that there is one test set.
    one_set = is_one_set(given.folds) and not report.folds
    folds = None if one_set else report.folds or given.folds
    spread = any(_has_spread(text) for text in case.scores.values()) and options.get("spread") != "bounds"
    means = spread or report.runs is not None or report.means
    if folds or means or not said:
        areas = [name for name in case.scores if is_claimed(name) and claimed_metric(name) is AREA]
        why = "no size is known" if not said else "scores are means"
        left = {name: text for name, text in case.scores.items() if name not in areas}
        left_out = (f"{name}: an area is not checked where {why}" for name in areas)
        case = replace(case, scores=left, dropped=(*case.dropped, *left_out))
    if not case.scores:
        return case.finding("not checked", "there is no score that a table decides")
    if (folds or means) and not known:
        over = _over_what(report, folds) or "with a number after ±"
        reason = f"means {over}: to check them, give positives and negatives"
        return case.finding("not checked", reason + ("" if folds or report.runs else ", and folds"))
    if folds:
        repeats = {"repeats": report.runs} if report.runs else {}
        return _of_means(case, said | options | {"folds": folds} | repeats)
    if report.runs is not None:
        # Runs are scored on one and the same test set.
        pair = _margins(said)
        if pair is None:
            return case.finding("not checked", "means over runs on a test set of open size")
        found = _of_means(case, options | {"sets": [pair] * report.runs, "over": "mean"})
        if found.verdict not in _BAD:
            return found
        # The best of some runs is no mean, and each run may have had a test set of its own.
        other = _recovered(case, said | options)
        one = Departure("one_test_set", "the scores are those of one test set, not means over runs")
        return replace(other, verdict="conditional", reading=(one,)) if other.verdict == "possible" else other
    if means:
        return _of_unknown_folds(case, said | options)
    found = _recovered(case, said | options | ({"folds": "none"} if one_set else {}))
    if found.verdict == "undecided":
        notes = found.recovery.notes if found.recovery is not None else ()
        spent = [note.text for note in notes if note.code == "budget_spent"]
        not_tried = ["no table that fits was found, and none was ruled out", *spent] if spent else []
        return replace(found, reason="; ".join(not_tried))
    if found.verdict not in _BAD:
        return found
    if _is_given_twice(case.scores):
        return replace(found, verdict="undecided", reason=_GIVEN_TWICE)
    if known or _is_beyond_averages(found):
        return found
    classes = not _is_of_two_classes(case.scores, said) and not all(map(_is_share_of_right, case.scores))
    if found.verdict == "impossible" and not classes and (one_set or {*case.scores} & {*COUNTS}):
        return found  # counts of cases are those of one test set
    reason = _MORE_CLASSES if classes and said else _FOLDS if said or not classes else _MORE_CLASSES_OR_FOLDS
    return replace(found, verdict="undecided", reason=reason)


def _is_share_of_right(name: str) -> bool:
    """Tell whether a score counts right or wrong predictions among all, which is the same for any number of classes."""
    over: Any = claimed_metric(name).over_classes
    return over is not None and {*getattr(over, "quantities", ("",))} <= {"correct", "total"}


def _is_beyond_averages(found: Finding) -> bool:
    """Tell whether no average gives a score, over classes neither: an F1 beyond what precision and recall allow."""
    average = found.recovery.average if found.recovery is not None else None
    limit = average.limit if average is not None else None
    return limit is not None and not any(
        _needs_true_negatives(claimed_metric(name)) for name in (limit.score, limit.one, limit.other)
    )


def _over_what(report: Report, folds: Any) -> str:
    """Return what scores are means over; empty where nothing is said."""
    if folds or report.runs:
        return f"over {folds} folds" if folds else f"over {report.runs} runs"
    return "over folds or runs" if report.means else ""


SIZES: Final = ("positives", "negatives", "total")
_SEVERAL_LABELS: Final = Departure("other_cases", "there are cases with none or several of these labels")
_MORE_CLASSES: Final = "averages over more than two classes are not ruled out"
_FOLDS: Final = "means over folds are not ruled out: to check them, give positives and negatives"
_MORE_CLASSES_OR_FOLDS: Final = "averages over more than two classes, and means over folds, are not ruled out"
#: Folds that are tried where a deviation is printed and their number is not.
_TRIED_FOLDS: Final = (10, 5)


def _of_means(case: _Case, asked: dict[str, Any]) -> Finding:
    """Judge means; where only the numbers after ± cannot be, these may be something else than people say."""
    found = _recovered(case, asked)
    if found.verdict not in _BAD or not any(map(_has_spread, case.scores.values())):
        return found
    bare = {name: split_spread(text).value if _has_spread(text) else text for name, text in case.scores.items()}
    without = _recovered(replace(case, scores=bare), asked)
    if without.verdict not in ("possible", "conditional"):
        return found
    words = "the numbers after ± are neither deviations nor standard errors over the folds"
    other = Departure("spread_otherwise", words)
    return replace(without, verdict="conditional", reading=(*without.reading, other))


def _margins(said: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return positives and negatives as numbers; None where they are ranges."""
    sizes = {name: count(str(value)) for name, value in said.items()}
    p, n, total = (sizes.get(name) for name in SIZES)
    if p is None and n is not None and total is not None:
        p = total - n
    if n is None and p is not None and total is not None:
        n = total - p
    return None if p is None or n is None or min(p, n) < 0 else (p, n)


def _of_unknown_folds(case: _Case, said: dict[str, Any]) -> Finding:
    """Judge scores with a number after ±, over folds or runs of unknown number."""
    for folds in _TRIED_FOLDS:
        found = _of_means(case, said | {"folds": folds})
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


def _is_of_two_classes(scores: Mapping[str, str], said: Mapping[str, Any]) -> bool:
    """Tell whether the report itself is about two classes: it has positives, or a score that only those have."""
    if "positives" in said or "negatives" in said:
        return True
    # A score that needs true negatives, and is no average: more than two classes have none.
    metrics = [claimed_metric(name.partition("[")[0]) for name in scores]
    return any(one.over_classes is None and one.id not in COUNTS and _needs_true_negatives(one) for one in metrics)


def _needs_true_negatives(metric: Metric) -> bool:
    return "tn" in metric.formula.quantities


def _recovered(case: _Case, said: Mapping[str, Any]) -> Finding:
    """Recover what a report says; a score that cannot be read is left out with its reason."""
    left, out, beyond = dict(case.scores), list(case.dropped), list[Departure]()
    budget = _BUDGET if any(name in said for name in (*SIZES, "classes")) else _BUDGET_WITHOUT_SIZES
    ask: Any = recover
    while left:
        try:
            found = ask(**said, **left, bounds="none", budget=budget)
        except FourfoldError as error:
            if error.argument not in left:
                return case.finding("not checked", str(error), dropped=tuple(out))
            text = left.pop(error.argument)
            out.append(f"{error.argument} {text}: {error.problem}")
            if error.code == "out_of_range":
                words = f"{error.argument} {text}, which {error.problem}, is misprinted or is something else"
                beyond.append(Departure("score_out_of_range", words))
            continue
        verdict: CheckVerdict = "conditional" if beyond and found.verdict == "possible" else found.verdict
        reading, asked = (*beyond, *found.departures), {**said, **left}
        return case.finding(
            verdict, reading=reading, checked=tuple(left), dropped=tuple(out), asked=asked, recovery=found
        )
    return case.finding("not checked", "none of its scores can be read", dropped=tuple(out))
