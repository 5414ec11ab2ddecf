"""What `match`, `smooth` and `audit` found."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from ..groups import Audit, Comparison, Finding, Interval, Match, Smoothed
from ..metrics import METRICS
from .numbers import between, chance, level, listed, many, number
from .shapes import Section, fact_grid, note_lines, notes_section, number_grid, sections, title, to_text


@to_text.register
def _(result: Match) -> RenderableType:
    line = f"{result.label} {number(result.score)} in {many(result.group.total, 'case')}"
    if result.p_lower is not None and result.p_upper is not None:
        low = result.p_lower <= result.p_upper
        side = "so low or lower" if low else "so high or higher"
        least = chance(min(result.p_lower, result.p_upper))
        line += f": drawn from the reference, as many cases score {side} with a chance of {least}"
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
    return Group(Text(line + ".", style="bold"), "", fact_grid(facts), *note_lines(result.notes))


@to_text.register
def _(result: Comparison) -> RenderableType:
    line = f"{result.label} {number(result.value)}"
    return Group(Text(line, style="bold"), fact_grid(_interval_facts(result)), *note_lines(result.notes))


@to_text.register
def _(result: Interval) -> RenderableType:
    return Group(
        Text(number(result.value), style="bold"), fact_grid(_interval_facts(result)), *note_lines(result.notes)
    )


def _interval_facts(found: Comparison | Interval) -> dict[str, str]:
    if found.value is None:
        return {}
    return {f"{level(found.level)} interval": between(found.low, found.high), "method": found.method}


@to_text.register
def _(result: Smoothed) -> RenderableType:
    grid = number_grid("", "tp", "fn", "fp", "tn", "total")
    grid.add_row("group", *map(str, result.group.cells().values()), str(result.group.total))
    if result.reference is not None:
        grid.add_row("reference", *map(str, result.reference.cells().values()), str(result.reference.total))
    grid.add_row("smoothed", *(number(x) for x in result.cells().values()), number(result.total))
    scores = number_grid("metric", "raw", "smoothed")
    for chosen in METRICS.values():
        raw = chosen.formula.exact(result.group.cells())
        scores.add_row(chosen.label, number(None if raw is None else float(raw)), number(result.score(chosen)))
    facts = {"strength": f"{result.strength:.4g} ({result.chosen_by})"}
    if result.divergence is not None:
        facts["divergence from the reference"] = number(result.divergence) if result.divergence < 1e300 else "infinite"
    if result.best_strengths:
        best = (f"{name} {'any' if x is None else f'{x:.4g}'}" for name, x in result.best_strengths.items())
        facts["best strength for each cell"] = "  ".join(best)
    for check in result.checks:
        gain = f"{number(check.raw)} raw, {number(check.smoothed)} smoothed"
        facts[f"squared error, had it {check.size} cases"] = gain
    return Group(grid, "", fact_grid(facts), "", scores, *note_lines(result.notes))


@to_text.register
def _(result: Audit) -> RenderableType:
    parts: list[RenderableType] = []
    for name in result.metrics:
        parts += [Text(_metric_heading(result, name), style="bold"), _findings_grid(result, name), ""]
    parts.append(Text(_audit_line(result), style="dim"))
    return Group(*parts, *note_lines(result.notes))


def _metric_heading(result: Audit, name: str) -> str:
    label = next((each.label for each in result.findings if each.metric == name), name)
    return f"{label}: {number(result.overall[name].value)} overall"


def _findings_grid(result: Audit, name: str) -> Grid:
    grid = number_grid(
        "group", "n", "score", f"{level(result.level)} interval", "percentile", "p (Holm)", "smoothed", "note"
    )
    for each in result.findings:
        if each.metric == name:
            grid.add_row(*_finding_cells(each, result.level))
    return grid


def _audit_line(result: Audit) -> str:
    total = f"{many(result.table.total, 'case')} in {many(len(result.groups), 'group')}"
    chosen = f"strength {result.strength:.4g} ({result.strength_chosen_by})"
    return f"{total}, each compared with {reference_words(result.reference)}; {chosen}."


def reference_words(name: str) -> str:
    """Return what an audit compares groups with, in words."""
    return {"rest": "all other cases", "all": "all cases"}.get(name, name)


def _finding_cells(each: Finding, wanted: float) -> list[RenderableType]:
    found = each.match
    style = "bold" if each.differs(wanted) else ""
    return [
        Text(each.group.name, style=style),
        str(each.group.table.total),
        Text(number(each.score), style=style if each.score is not None else "yellow"),
        between(each.interval.low, each.interval.high),
        chance(found.percentile if found else None),
        Text(chance(each.p_holm), style=style),
        number(each.smoothed) if found else "-",
        "; ".join(finding_words(each, wanted)),
    ]


def finding_words(each: Finding, wanted: float) -> list[str]:
    """Say in a few words what a reader should know of a finding."""
    words = list(each.reasons)
    size = each.group.table.total
    if each.differs(wanted):
        words.append("different from the reference")
    elif each.p_value is not None and each.p_value <= 1 - wanted:
        words.append("different taken alone, not after correction for all tests")
    elif each.too_small:
        words.append(f"too small: no score could have been significant with n={size}")
    elif each.significant_up_to is not None and each.significant_from is None:
        words.append(f"with n={size} only a score up to {number(each.significant_up_to)} could have been significant")
    elif each.significant_from is not None and each.significant_up_to is None:
        words.append(f"with n={size} only a score from {number(each.significant_from)} on could have been significant")
    shown = {
        *("approximation", "impossible_cell", "small_reference"),
        *("group_is_reference", "no_reference", "overlapping_reference"),
    }
    return words + [note.text for note in each.notes if note.code in shown]


@title.register
def _(result: Audit) -> str:
    by = f" by {listed(result.by)}" if result.by else ""
    return f"Audit of {many(len(result.groups), 'group')}{by}"


@sections.register
def _(result: Audit) -> list[Section]:
    lead = Section("groups", "What was compared", [Text(_audit_line(result))])
    found = [
        Section(name, _metric_heading(result, name), (), [_findings_grid(result, name)]) for name in result.metrics
    ]
    return [lead, *found, *notes_section(result.notes)]
