"""What `match`, `smooth` and `audit` found."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ..document import (
    Ask,
    Block,
    Cell,
    Chart,
    Column,
    Document,
    Facts,
    Grid,
    Heading,
    Items,
    Notes,
    Sentence,
    Slider,
    Tone,
)
from ..groups import (
    Audit,
    Comparison,
    ContrastInterval,
    Counted,
    Effect,
    ExpectedError,
    Finding,
    Interval,
    Match,
    Smoothed,
    SmoothedMatrix,
)
from ..metrics import METRICS, metric
from ..solve import holes
from ..words import (
    between,
    chance,
    count_of,
    effect,
    either,
    in_sentence,
    level,
    listed,
    number,
    p_words,
    percent,
    sentence,
)
from .any_result import document, label_of, plain_document

# A headline names this many groups, what is cited this many, a table shows this many rows.
_MOST_NAMED: Final = 6
_MOST_CITED: Final = 2
_MOST_ROWS: Final = 500
#: A picture of an audit shows this many groups of each metric.
MOST_DRAWN: Final = 20
# A slider of sizes ends at twice the largest group, but here at least and at most.
_PLANNED_AT_LEAST, _PLANNED_AT_MOST = 200, 1000
# The logarithm of the largest number whose inverse is a float.
_LEAST_FLOAT: Final = 700
_MATCH_ASSUMES: Final = (
    "This describes a sample drawn from the reference as it is, prevalence included. It is not a test of the metric; "
    "the comparison of groups is one."
)


@document.register
def _(result: Match) -> Document:
    facts = {
        "a lower score": _chance_words(result.below, result),
        "the same score": _chance_words(result.equal, result),
        "a higher score": _chance_words(result.above, result),
        "percentile (at most as high)": _chance_words(result.percentile, result),
        "undefined": _undefined_words(result),
        "method": result.method + (", reference uncertain" if result.reference_uncertainty else ""),
    }
    title = f"{result.label} {number(result.score)} in {count_of(result.group.total, 'case')}"
    law = Chart("law", "Each score that such a sample can have, with its chance; the group's is marked.")
    drawn = [law] if result.percentile is not None else []
    line = [Sentence(f"{title}.", strong=True, place="terminal"), Sentence(sample_words(result))]
    assumed = Sentence(_MATCH_ASSUMES, quiet=True)
    blocks = [*line, *drawn, Facts(facts), assumed, Notes(result.notes)]
    return Document("A group and its reference", title, blocks=blocks)


def sample_words(result: Match) -> str:
    """Say how often a random sample of the reference would score as low or as high as the group.

    Examples
    --------
    >>> from fourfold.groups import match
    >>> from fourfold.table import Table
    >>> sample_words(match(Table(tp=1, fn=4, fp=2, tn=13), Table(tp=60, fn=40, fp=80, tn=320), "recall"))
    'A random sample of 20 reference cases would score this low or lower 8.6 % of the time.'
    """
    if result.p_lower is None or result.p_upper is None:
        return "There is nothing to compare this score with."
    side = "this low or lower" if result.p_lower <= result.p_upper else "this high or higher"
    often = min(result.p_lower, result.p_upper)
    times = f"{'less than 0.01 %' if often < 1e-4 else percent(often)} of the time"
    times = "never" if often == 0 and _is_known(result) else times
    size = result.group.total
    sample = "One random reference case" if size == 1 else f"A random sample of {size} reference cases"
    return f"{sample} would score {side} {times}."


def _undefined_words(result: Match) -> str:
    words = _chance_words(result.undefined, result)
    # A score that every single case has is never undefined.
    return words if words != "0" and holes(result.metric, 1).count else "never"


def _chance_words(chance_of: float | None, result: Match) -> str:
    return "0" if chance_of == 0 and _is_known(result) else chance(chance_of)


def _is_known(result: Match) -> bool:
    """Tell whether a chance of 0 is none, and not one that is too small for floats.

    Each kind of case that the reference has is at least one of its cases, and where its shares are uncertain, of as
    many more as are drawn. So no sample that can be drawn has a smaller chance than this to the power of its size.
    """
    exact = all(note.code != "approximation" for note in result.notes)
    return exact and result.size * math.log(result.reference.total + result.size) < _LEAST_FLOAT


@document.register
def _(result: Comparison) -> Document:
    facts = {"group": _score_and_counts(result.score, result.counted, result.metric)}
    facts["reference"] = _score_and_counts(result.reference_score, result.reference_counted, result.metric)
    if result.difference.value is not None:
        facts["difference"] = effect(*result.difference)
    if result.ratio.value is not None or result.ratio.low is not None:
        facts["ratio"] = _ratio_words(result.ratio)
    if result.p_value is not None:
        facts |= {
            "p-value, two-sided": chance(result.p_value),
            "with half the chance of a tie (mid-p)": chance(result.mid_p),
        }
    facts["method"] = result.method + ("" if result.seed is None else f", seed {result.seed}")
    line = comparison_words(result)
    blocks = [Sentence(line, strong=True, place="terminal"), Facts(facts), Notes(result.notes)]
    differs = result.p_value is not None and result.p_value <= 1 - result.level
    return Document("Two groups compared", line.rstrip("."), "differs" if differs else "plain", blocks)


def comparison_words(result: Comparison) -> str:
    """Say in a sentence what a comparison of two groups tells.

    Examples
    --------
    >>> from fourfold.groups import compare_groups
    >>> from fourfold.table import Table
    >>> few, many = Table(tp=60, fn=30, fp=5, tn=95), Table(tp=320, fn=80, fp=20, tn=180)
    >>> comparison_words(compare_groups(few, many, "recall"))[:73]
    'Recall is different: 0.6667 (60 of 90 found) against 0.8000 (320 of 400),'
    """
    score = _score_and_counts(result.score, result.counted, result.metric)
    other = _score_and_counts(result.reference_score, result.reference_counted)
    if result.p_value is None:
        return f"{result.label} cannot be compared: {score} and {other}."
    verdict = "is different" if result.p_value <= 1 - result.level else "is not shown to be different"
    distance = "" if result.difference.value is None else f", difference {effect(*result.difference)}"
    return f"{result.label} {verdict}: {score} against {other}{distance}, {p_words(result.p_value)}."


def _score_and_counts(score: float | None, counted: Counted | None, name: str = "", whose: str = "") -> str:
    """Return a score with the counts behind it; a name of a metric adds what is counted."""
    if counted is None or not _is_share(score, counted):
        return f"{number(score)}{whose}"
    hits = f" {metric(name.partition('[')[0]).hits}" if name else ""
    return f"{number(score)}{whose} ({counted.hits} of {counted.of}{hits})"


def _is_share(score: float | None, counted: Counted) -> bool:
    """Tell whether a score is just hits over cases, as F1 is not."""
    return score is None or not counted.of or math.isclose(score, counted.hits / counted.of, rel_tol=1e-9)


def _ratio_words(ratio: Effect) -> str:
    shown = "-" if ratio.value is None else "no limit" if math.isinf(ratio.value) else number(ratio.value, 2)
    if ratio.low is None or ratio.high is None:
        return shown
    high = "no limit" if math.isinf(ratio.high) else number(ratio.high, 2)
    return f"{shown} ({number(ratio.low, 2)} to {high})"


@document.register
def _(result: ContrastInterval) -> Document:
    title = f"{result.label} {number(result.value)}"
    return Document("Two groups compared", title, blocks=_interval_blocks(title, result))


@document.register
def _(result: Interval) -> Document:
    title = f"{label_of(result.metric)} {number(result.value)}"
    return Document("An interval", title, blocks=_interval_blocks(title, result))


@document.register
def _(result: ExpectedError) -> Document:
    error = f"The expected squared error of {label_of(result.metric)} is {number(result.mse)}"
    return plain_document(result, f"{error} with {count_of(result.size, 'case')}")


def _interval_blocks(title: str, result: ContrastInterval | Interval) -> list[Block]:
    facts = {f"{level(result.level)} interval": between(result.low, result.high), "method": result.method}
    line = Sentence(title, strong=True, place="terminal")
    return [line, Facts({} if result.low is None else facts), Notes(result.notes)]


@document.register
def _(result: Smoothed) -> Document:
    added = f"{result.strength:.4g}"
    title = f"The group's table with {added} {'case' if added == '1' else 'cases'} of the reference added"
    if result.reference is None:
        title = "The group's table with a little added to each cell"
    ends = Column(f"{level(0.95)} interval", "interval")
    scores = [Column("metric", "text"), Column("raw"), Column("smoothed"), ends]
    blocks: list[Block] = [
        _smoothed_tables(result),
        Facts(_smoothing_facts(result)),
        Grid("Scores, raw and smoothed", scores, [_raw_and_smoothed(result, name) for name in METRICS]),
        Notes(result.notes),
    ]
    return Document("A smoothed table", title, blocks=blocks)


@document.register
def _(result: SmoothedMatrix) -> Document:
    added = count_of(round(result.strength), "case")
    columns = [Column("actual \\ predicted", "text"), *(Column(name) for name in result.classes)]
    rows = [[name, *row] for name, row in zip(result.classes, result.matrix.values.tolist(), strict=True)]
    facts = Facts({"strength": f"{result.strength:.4g} ({result.chosen_by})"})
    blocks = [Grid("The smoothed matrix", columns, rows), facts, Notes(result.notes)]
    return Document("A smoothed matrix", f"The group's matrix with {added} of the reference added", blocks=blocks)


def _smoothed_tables(result: Smoothed) -> Grid:
    columns = [Column("", "text"), *(Column(name, "number") for name in ("tp", "fn", "fp", "tn", "total"))]
    counted = {"group": result.group, "reference": result.reference}
    rows: list[list[Any]] = [
        [name, *map(str, table.cells().values()), str(table.total)] for name, table in counted.items() if table
    ]
    return Grid("Tables", columns, [*rows, ["smoothed", *result.cells().values(), result.total]])


def _raw_and_smoothed(result: Smoothed, name: str) -> list[Any]:
    metric = METRICS[name]
    raw = metric.formula.exact(result.group.cells())
    ends = result.interval(metric)
    return [metric.label, None if raw is None else float(raw), result.score(metric), (ends.low, ends.high)]


def _smoothing_facts(result: Smoothed) -> dict[str, str]:
    facts = {"strength": f"{result.strength:.4g} ({result.chosen_by})"}
    if result.divergence is not None:
        facts["divergence from the reference"] = number(result.divergence) if result.divergence < 1e300 else "infinite"
    if result.best_strengths:
        best = (f"{name} {'any' if x is None else f'{x:.4g}'}" for name, x in result.best_strengths.items())
        facts["best strength for each cell"] = "  ".join(best)
    for check in result.checks:
        gain = f"{number(check.raw)} raw, {number(check.smoothed)} smoothed"
        facts[f"squared error, had it {check.size} cases"] = gain
    return facts


@document.register
def _(result: Audit) -> Document:
    by = f" by {listed(result.by)}" if result.by else ""
    kind = f"Audit of {count_of(len(result.groups), 'group')}{by}"
    different = [finding for finding in result.surest() if finding.differs]
    tone: Tone = "differs" if different else "plain"
    title = _headline(result, different)
    cite = " ".join([f"{title}.", *list(_told_of(result))[:_MOST_CITED]])
    return Document(kind, title, tone, list(_audit(result, different)), cite)


def _headline(result: Audit, different: Sequence[Finding]) -> str:
    """Say how many of how many groups differ, and which."""
    reference, pairs = reference_words(result.reference), result.reference == "pairs"
    if not result.tests:
        beside = any(finding.against for finding in result.findings)
        return f"No group could be tested: {'the table says why' if beside else 'there is nothing to compare with'}"
    if not different:
        return f"No group is shown to differ from {reference}"
    metrics = list(dict.fromkeys(_in_sentence(finding.metric) for finding in different))
    if _are_each_others_rest(result):
        return f"{listed([group.name for group in result.groups])} differ in {listed(metrics)}"
    among = either(metrics) if len(metrics) <= _MOST_NAMED // 2 else "some metric"
    if pairs:
        some = _some_of(len(different), len(result.findings), "comparison")
        named = [f"{finding.group.name} and {finding.reference}" for finding in different]
        which = f": {'; '.join(named)}" if len(metrics) == 1 and len(named) <= _MOST_NAMED // 2 else ""
        return f"{some} {_is_or_are(len(different), 'show')} a difference in {among}{which}"
    by_group: dict[str, list[str]] = {}
    for finding in different:
        by_group.setdefault(finding.group.name, []).append(_in_sentence(finding.metric))
    count = len({finding.group.name for finding in result.findings if finding.against})
    some = f"{_some_of(len(by_group), count, 'group')} {_is_or_are(len(by_group), 'differ')}"
    if len(by_group) > _MOST_NAMED // 2:
        return f"{some} from {reference} in {among}"
    if len(metrics) == 1:
        return f"{some} from {reference} in {among}: {listed(list(by_group))}"
    return f"{some} from {reference}: {listed([f'{name} in {listed(names)}' for name, names in by_group.items()])}"


def _are_each_others_rest(result: Audit) -> bool:
    """Tell whether there are two groups only, so that what holds of one holds of the other."""
    return len(result.groups) == 2 and result.reference in ("rest", "all")


def _some_of(some: int | str, count: int, noun: str) -> str:
    return f"{some} of {count_of(count, noun)}"


def _in_sentence(name: str) -> str:
    """Return a metric's label within a sentence, with its class where it has one."""
    base, _, of_class = name.partition("[")
    label = in_sentence(label_of(base))
    return f"{label} of {of_class.rstrip(']')}" if of_class else label


def _audit(result: Audit, different: Sequence[Finding]) -> Iterator[Block]:
    yield Sentence(f"{_headline(result, different)}.", strong=True, place="terminal")
    left = 0 if _are_each_others_rest(result) else len(different) - _MOST_NAMED
    more = [f"And {left} more, in the tables below."] if left > 0 else []
    yield Items([*_told_of(result), *more])
    if len(result.metrics) > 1 and result.findings:
        yield Heading("Groups", place="page")
        about = "Each group's score with its interval, and its difference to what it is compared with."
        yield Chart("forest", f"{about}{left_out_words(result)}")
    planned: Slider | None = None
    for name in result.metrics:
        findings = result.surest(name)
        label = findings[0].label if findings else name
        by = f" by {listed(result.by)}" if result.by else ""
        overall = _score_and_counts(result.overall[name].value, result.overall_counted.get(name), name, " overall")
        yield Heading(f"{label}{by}. {overall}.")
        if len(result.metrics) == 1 and findings:
            about = "Each group's score with its interval, beside its smoothed score."
            yield Chart("forest", f"{about}{left_out_words(result)}", of=name)
        if len(findings) > 1 and result.tests:
            yield Sentence(_found_words(result, findings), quiet=True)
        yield _findings_grid(result, label, findings)
        if planned is None:
            planned = _planning(result, findings)
            yield from [planned] if planned else []
    yield Sentence(_audit_line(result), quiet=True)
    yield Notes(result.notes)


def left_out_words(result: Audit) -> str:
    """Say how many groups a picture leaves out, if any."""
    rows = max(Counter(finding.metric for finding in result.findings).values(), default=0)
    left = rows - MOST_DRAWN
    more = f"{count_of(left, 'comparison' if result.reference == 'pairs' else 'group')} more {_is_or_are(left)}"
    return f" The {MOST_DRAWN} clearest differences are drawn; {more} in the table." if left > 0 else ""


def _found_words(result: Audit, findings: Sequence[Finding]) -> str:
    """Say what was found of how many groups, and in which order they stand."""
    what = "comparison" if result.reference == "pairs" else "group"
    compared = [finding for finding in findings if finding.against]
    counts = Counter(finding.verdict for finding in compared)
    some = _some_of(counts["different"] or "none", len(compared), what)
    verb = "is shown to differ" if not counts["different"] else _is_or_are(counts["different"], "differ")
    rest = [f"{counts['too few']} {_is_or_are(counts['too few'])} too small to tell"] if counts["too few"] else []
    rest += [f"{counts['not tested']} could not be tested"] if counts["not tested"] else []
    return f"{sentence('; '.join([f'{some} {verb}', *rest]))}. The clearest difference comes first."


def _is_or_are(count: int, verb: str = "") -> str:
    if verb:
        return f"{verb}s" if count == 1 else verb
    return "is" if count == 1 else "are"


def _told_of(result: Audit) -> Iterator[str]:
    """Put in words the smallest group, then what differs, or else what comes nearest to it."""
    compared = [finding for finding in result.surest() if finding.against]
    if not compared or compared[0].p_value is None:
        return
    # Columns that are crossed make groups as small as one likes: the smallest is one that a column names.
    least = min(len(finding.group.by) for finding in compared)
    single = [finding for finding in compared if len(finding.group.by) == least]
    size = min(finding.group.size for finding in single)
    smallest = next(finding for finding in single if finding.group.size == size)
    several = len({finding.group.name for finding in single if finding.group.size == size}) > 1
    is_smallest = "is one of the smallest groups" if several else "is the smallest group"
    named = [finding for finding in compared if finding.differs][:_MOST_NAMED] or compared[:1]
    is_what = {id(finding): "differs too" if finding.differs else "" for finding in (smallest, *named)}
    is_what[id(named[0])] = "differs most clearly" if named[0].differs else "comes closest to a difference"
    yield _finding_sentence(result, smallest, " and ".join(filter(None, [is_smallest, is_what[id(smallest)]])))
    for finding in named:
        # A difference between two groups has one line.
        if finding is not smallest and not (_are_each_others_rest(result) and finding.group is not smallest.group):
            yield _finding_sentence(result, finding, is_what[id(finding)])


def _finding_sentence(result: Audit, finding: Finding, is_what: str) -> str:
    """Say of one group what was found, beside what, and how sure that is."""
    compared = finding.comparison
    size = _cases_of(finding.group.size, finding.group.units)
    lead = f"{finding.group.name} ({size}) {is_what}: {_in_sentence(finding.metric)}"
    if compared is None or finding.p_value is None:
        return f"{lead} {number(finding.score)}, {'; '.join(finding_words(finding, result.level))}."
    score = _score_and_counts(compared.score, compared.counted, compared.metric)
    other = _score_and_counts(compared.reference_score, compared.reference_counted)
    distance = "" if compared.difference.value is None else f", difference {effect(*compared.difference)}"
    return f"{lead} {score}, {finding.reference} {other}{distance}; {_sure(result, finding)}."


def _cases_of(size: int, units: int | None, unit: str = "") -> str:
    """Say how many cases there are, and how many units they belong to."""
    named = f" ({unit})," if unit else ""
    return count_of(size, "case") + (f", {count_of(units, 'unit')}{named}" if units is not None else "")


def _sure(result: Audit, finding: Finding) -> str:
    """Say what the test tells, with its p-value."""
    corrected = p_words(finding.p_value)
    if result.tests > 1:
        corrected += f", {chance(finding.p_corrected)} after correction for {result.tests} tests"
    if finding.differs:
        return corrected
    if finding.verdict == "too few":
        return f"{_too_few(finding)} ({corrected})"
    alone = finding.p_value is not None and finding.p_value <= 1 - result.level
    return f"{'it would differ only if tested alone' if alone else 'that may be chance'} ({corrected})"


def _planning(result: Audit, findings: Sequence[Finding]) -> Slider | None:
    """Ask which scores a group of another size could tell from the others', if the metric is a share of cases."""
    by_size = sorted(findings, key=lambda finding: finding.group.size)
    compared = [finding.comparison for finding in by_size if finding.comparison and finding.p_value is not None]
    largest = max((one.counted.of for one in compared if one.counted), default=0)
    high = min(max(_PLANNED_AT_LEAST, 2 * largest), _PLANNED_AT_MOST)
    for one in compared if result.table else ():
        if one.counted and one.reference_counted and one.score not in (None, one.reference_score):
            beside = {"reference": one.reference_score, "reference_cases": one.reference_counted.of}
            given = {"metric": one.metric, "group": one.score, **beside, "level": result.level, "tests": result.tests}
            label = f"How many cases would tell? Cases in a group that {_in_sentence(one.metric)} is about:"
            return Slider(label, Ask("plan", given), "cases", 1, high, min(max(one.counted.of, 1), high))
    return None


def _findings_grid(result: Audit, label: str, findings: Sequence[Finding]) -> Grid:
    counted = any(finding.counted for finding in findings)
    counted = counted and all(_is_share(f.score, f.counted) for f in findings if f.counted is not None)
    hits = [Column(_hits_of(findings), "text")] if counted else []
    versus = [Column("beside", "text")] if result.reference == "pairs" else []
    against = "difference" if versus else f"difference to {_short_reference(result.reference)}"
    tests = [Column("p", "chance"), *([Column(_CORRECTIONS[result.correction], "chance")] if result.tests > 1 else [])]
    asked = [Column("percentile", "chance")] if any(finding.percentile is not None for finding in findings) else []
    score = Column(label if len(label) < 14 else "score")
    interval = Column(f"{level(result.level)} interval", "range")
    # With more columns there is no room for the smoothed score.
    smoothed = [] if versus or asked else [Column("smoothed")]
    columns = [
        *(Column("group", "text"), *versus, Column("n", "count"), *hits, score, interval, Column(against, "effect")),
        *(*tests, *asked, *smoothed, Column("verdict", "words")),
    ]
    shown = [bool(versus), bool(hits), len(tests) > 1, bool(asked)]
    rows = [_finding_cells(result, finding, shown, first=finding is findings[0]) for finding in findings[:_MOST_ROWS]]
    return Grid(f"{label} of each group", columns, rows, max(0, len(findings) - _MOST_ROWS), sortable=True)


def _hits_of(findings: Sequence[Finding]) -> str:
    return metric(findings[0].metric.partition("[")[0]).hits


_CORRECTIONS: Final = {"holm": "Holm", "fdr": "FDR", "max": "max"}
_CORRECTION_WORDS: Final = {
    "holm": "Holm's method",
    "fdr": "Benjamini and Hochberg's method",
    "max": "Westfall and Young's method, shuffling all cases",
}


def _audit_line(result: Audit) -> str:
    total = f"{_cases_of(result.total, result.units, result.unit or '')} in {count_of(len(result.groups), 'group')}"
    tests = f"{count_of(result.tests, 'test')}"
    if result.tests > 1:
        tests += f", corrected by {_CORRECTION_WORDS[result.correction]}"
    seed = "" if result.seed is None else f"; seed {result.seed}"
    how = "as given" if result.strength_chosen_by == "given" else "learnt from all groups"
    smoothing = f"smoothed with strength {result.strength:.3g}, {how}"
    return f"{total}, each compared with {reference_words(result.reference)}; {tests}{seed}; {smoothing}."


def reference_words(name: str) -> str:
    """Return what an audit compares groups with, in words."""
    return {"rest": "all other cases", "all": "all other cases", "pairs": "each other"}.get(name, name)


def _short_reference(name: str) -> str:
    return {"rest": "the others", "all": "the others"}.get(name, name)


def _finding_cells(result: Audit, finding: Finding, shown: Sequence[bool], *, first: bool) -> list[Any]:
    compared, marked = finding.comparison, finding.differs
    versus, hits, corrected, asked = shown
    counted = finding.counted
    return [
        Cell(finding.group.name, marked, ask=_law_of(finding, first=first)),
        *([finding.reference or "-"] if versus else []),
        finding.group.size,
        *([f"{counted.hits} of {counted.of}" if counted else "-"] if hits else []),
        Cell(finding.score, marked),
        (finding.interval.low, finding.interval.high),
        tuple(compared.difference) if compared else (None, None, None),
        Cell(finding.p_value, marked),
        *([Cell(finding.p_corrected, marked)] if corrected else []),
        *([finding.percentile] if asked else []),
        *([] if versus or asked else [finding.smoothed if compared else "-"]),
        "; ".join(finding_words(finding, result.level)),
    ]


def _law_of(finding: Finding, *, first: bool) -> Ask | None:
    """Return the question that shows where a sample of the reference would score."""
    compared = finding.comparison
    if compared is None or compared.group_table is None or compared.reference_table is None:
        return None
    tables = {"group": compared.group_table.cells(), "reference": compared.reference_table.cells()}
    return Ask("match", {"metric": finding.metric, **tables}, first)


def finding_words(finding: Finding, wanted: float) -> list[str]:
    """Say in a few words what a test of a group tells, and what a reader should know of it."""
    words = list(finding.reasons)
    if finding.verdict == "different":
        words.append("different")
    elif finding.verdict == "too few":
        words.append(_too_few(finding))
    elif finding.verdict == "not shown":
        alone = finding.p_value is not None and finding.p_value <= 1 - wanted
        words.append("only if tested alone" if alone else "not shown")
    elif finding.comparison is not None and not words:
        why = [note.text for note in finding.comparison.notes if note.code in ("score_undefined", "not_tested")]
        words.append(f"not tested: {why[0]}" if why else "not tested: nothing could differ")
    shown_elsewhere = {"no_reference", "overlapping_reference"}
    return words + [note.text for note in finding.notes if note.code in shown_elsewhere]


def _too_few(finding: Finding) -> str:
    """Say that a group is too small to tell, and what would have been needed."""
    compared = finding.comparison
    if compared is None or compared.counted is None or not _is_share(compared.score, compared.counted):
        return "too few to tell"
    of, needed = compared.counted.of, finding.cases_needed
    return f"too few to tell: about {needed:,} needed, not {of}" if needed and needed > of else "too few to tell"
