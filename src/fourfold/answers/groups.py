"""What `match`, `smooth` and `audit` found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ..document import Ask, Block, Cell, Chart, Column, Document, Facts, Grid, Heading, Items, Notes, Sentence
from ..groups import Audit, ContrastInterval, ExpectedError, Finding, Interval, Match, Smoothed
from ..metrics import METRICS
from ..words import between, chance, count_of, level, listed, number, percent
from .any_result import document, label_of, plain_document

# A headline names this many groups, a table shows this many rows.
_MOST_NAMED: Final = 6
_MOST_ROWS: Final = 500


@document.register
def _(result: Match) -> Document:
    facts = {
        "a lower score": chance(result.below),
        "the same score": chance(result.equal),
        "a higher score": chance(result.above),
        "percentile (at most as high)": chance(result.percentile),
        "p-value, two-sided": chance(result.p_value),
        "with half the chance of a tie (mid-p)": chance(result.mid_p),
        "undefined": chance(result.undefined) if result.undefined else "never",
        "method": result.method + (", reference uncertain" if result.reference_uncertainty else ""),
    }
    title = f"{result.label} {number(result.score)} in {count_of(result.group.total, 'case')}"
    law = Chart("law", "Each score that such a sample can have, with its chance; the group's is marked.")
    drawn = [law] if result.percentile is not None else []
    line = [Sentence(f"{title}.", strong=True, place="terminal"), Sentence(sample_words(result))]
    return Document("A group beside its reference", title, blocks=[*line, *drawn, Facts(facts), Notes(result.notes)])


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
    times = "never" if not often else f"{'less than 0.01 %' if often < 1e-4 else percent(often)} of the time"
    size = result.group.total
    sample = "One random reference case" if size == 1 else f"A random sample of {size} reference cases"
    return f"{sample} would score {side} {times}."


@document.register
def _(result: ContrastInterval) -> Document:
    title = f"{result.label} {number(result.value)}"
    return Document("Two groups beside each other", title, blocks=_interval_blocks(title, result))


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
    scores = [Column("metric", "text"), Column("raw"), Column("smoothed"), Column(f"{level(0.95)} interval", "interval")]
    blocks: list[Block] = [
        _smoothed_tables(result),
        Facts(_smoothing_facts(result)),
        Grid("Scores, raw and smoothed", scores, [_raw_and_smoothed(result, name) for name in METRICS]),
        Notes(result.notes),
    ]
    return Document("A smoothed table", title, blocks=blocks)


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
    different = [finding for finding in result.findings if finding.differs(result.level)]
    return Document(
        kind, _headline(result, len(different)), "differs" if different else "plain", list(_audit(result, different))
    )


def _headline(result: Audit, different: int) -> str:
    against = reference_words(result.reference)
    if not different:
        return f"No group is shown to be different from {against}"
    all_tests = (len(result.findings), "comparison") if len(result.metrics) > 1 else (len(result.groups), "group")
    verb = "is" if different == 1 else "are"
    return f"{different} of {count_of(*all_tests)} {verb} different from {against}"


def _audit(result: Audit, different: list[Finding]) -> Iterator[Block]:
    yield Items([_named(finding) for finding in different[:_MOST_NAMED]], place="page")
    more = len(different) - _MOST_NAMED
    yield Items([f"and {more} more"] if more > 0 else [], place="page")
    yield Sentence(_audit_line(result), place="page")
    if len(result.metrics) > 1 and result.findings:
        yield Heading("Groups", place="page")
        yield Chart("forest", "Each group's score with its interval, and its smoothed score.")
    for name in result.metrics:
        findings = [finding for finding in result.findings if finding.metric == name]
        label = findings[0].label if findings else name
        yield Heading(f"{label}: {number(result.overall[name].value)} overall")
        if len(result.metrics) == 1 and findings:
            yield Chart("forest", "Each group's score with its interval, beside its smoothed score.", of=name)
        yield _findings_grid(result, label, findings)
    yield Sentence(_audit_line(result), quiet=True, place="terminal")
    yield Notes(result.notes)


def _named(finding: Finding) -> str:
    group, score = finding.group.name, number(finding.score)
    return f"{group}: {finding.label} {score}, p = {chance(finding.p_holm)} (Holm)"


def _findings_grid(result: Audit, label: str, findings: list[Finding]) -> Grid:
    interval = Column(f"{level(result.level)} interval", "interval")
    chances = [Column("percentile", "chance"), Column("p (Holm)", "chance")]
    scores = [Column("n", "count"), Column("score"), interval, *chances, Column("smoothed")]
    columns = [Column("group", "text"), *scores, Column("note", "words")]
    tested = [finding for finding in result.findings if finding.p_holm is not None]
    first = min(tested, key=lambda finding: finding.p_holm or 0, default=None)
    rows = [_finding_cells(finding, result.level, first=finding is first) for finding in findings[:_MOST_ROWS]]
    return Grid(f"{label} of each group", columns, rows, left_out=max(0, len(findings) - _MOST_ROWS))


def _audit_line(result: Audit) -> str:
    total = f"{count_of(result.table.total, 'case')} in {count_of(len(result.groups), 'group')}"
    chosen = f"strength {result.strength:.4g} ({result.strength_chosen_by})"
    return f"{total}, each compared with {reference_words(result.reference)}; {chosen}."


def reference_words(name: str) -> str:
    """Return what an audit compares groups with, in words."""
    return {"rest": "all other cases", "all": "all cases"}.get(name, name)


def _finding_cells(finding: Finding, wanted: float, *, first: bool) -> list[Any]:
    match, marked = finding.match, finding.differs(wanted)
    return [
        Cell(finding.group.name, marked, ask=_law_of(finding, first=first)),
        finding.group.table.total,
        Cell(finding.score, marked),
        (finding.interval.low, finding.interval.high),
        match.percentile if match else None,
        Cell(finding.p_holm, marked),
        finding.smoothed if match else "-",
        "; ".join(finding_words(finding, wanted)),
    ]


def _law_of(finding: Finding, *, first: bool) -> Ask | None:
    """Return the question that shows the law of a group's score, by the same law that it was tested by."""
    match = finding.match
    if match is None:
        return None
    tables = {"group": match.group.cells(), "reference": match.reference.cells()}
    uncertain = {"reference_uncertainty": match.reference_uncertainty}
    return Ask("match", {"metric": finding.metric, **tables, **uncertain}, first)


def finding_words(finding: Finding, wanted: float) -> list[str]:
    """Say in a few words what a reader should know of a finding."""
    words = list(finding.reasons)
    size = finding.group.table.total
    if finding.differs(wanted):
        words.append("different from the reference")
    elif finding.p_value is not None and finding.p_value <= 1 - wanted:
        words.append("different taken alone, not after correction for all tests")
    elif finding.too_small:
        words.append(f"too small: no score could have been significant with n={size}")
    elif finding.significant_up_to is not None and finding.significant_from is None:
        least = number(finding.significant_up_to)
        words.append(f"with n={size} only a score up to {least} could have been significant")
    elif finding.significant_from is not None and finding.significant_up_to is None:
        most = number(finding.significant_from)
        words.append(f"with n={size} only a score from {most} on could have been significant")
    said = {
        *("approximation", "impossible_cell", "small_reference"),
        *("group_is_reference", "no_reference", "overlapping_reference"),
    }
    return words + [note.text for note in finding.notes if note.code in said]
