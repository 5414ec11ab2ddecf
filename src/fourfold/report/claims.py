"""What `recover` found."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from ..claims import Claim, Implied, Recovery, Repair
from ..metrics import Limits, metric
from ..reported import Reported
from ..table import Table
from .numbers import decimals, listed, number, sentence
from .shapes import BAR_WIDTH, Section, note_lines, notes_section, number_grid, sections, title, to_text


@to_text.register
def _(result: Recovery) -> RenderableType:
    parts: list[RenderableType] = [Text(_verdict_line(result), style="bold")]
    parts += [Text("   " + _implied_line(each)) for each in result.implied]
    if result.repairs:
        parts += ["", Text(f"{_REPAIRS}:")]
        parts += [Text("   " + _repair_line(repair)) for repair in result.repairs]
    if result.count and not result.feasible.unwalked:
        parts += ["", *_tables_shown(result), "", _bounds_grid(result)]
    return Group(*parts, *note_lines(result.notes))


_TABLES = 10
_REPAIRS = "Single changes that would make it possible, each no more than a hypothesis"


def _tables_shown(result: Recovery) -> list[RenderableType]:
    """Return the first tables that fit, and how many more there are."""
    tables = list(result.tables(_TABLES))
    more = result.count - len(tables)
    return [_tables_grid(tables), *([Text(f"... and {more} more", style="dim")] if more else [])]


def _verdict_line(result: Recovery) -> str:
    ranges = _cell_ranges(result)
    return f"{_verdict(result)}  {ranges}" if ranges else _verdict(result)


def _cell_ranges(result: Recovery) -> str:
    return "  ".join(f"{name} {_range(*ends)}" for name, ends in result.cells.items())


def _verdict(result: Recovery) -> str:
    if result.verdict == "impossible":
        sure = not any(note.code == "blame_incomplete" for note in result.notes)
        sets = [_contradiction(names, sure=sure) for names in result.contradictions]
        kinds = {repair.kind for repair in result.repairs}
        only = " Possible if undefined scores were printed as 0." if kinds == {"undefined_as_zero"} else ""
        return "impossible: " + "; ".join(sets) + "." + only
    if result.verdict == "undecided":
        return "undecided: the budget was spent before an answer was certain."
    at_least = "" if result.feasible.complete else "at least "
    tables = "1 table fits" if result.count == 1 else f"{result.count} tables fit"
    return f"{at_least}{tables}."


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


def _contradiction(names: tuple[str, ...], *, sure: bool) -> str:
    if len(names) == 1:
        return f"no table has this {names[0]}"
    if not sure:
        return f"{listed(names)} contradict each other"
    if len(names) == 2:
        return f"{names[0]} and {names[1]} contradict each other; each alone is possible"
    few = {3: "any two", 4: "any three"}.get(len(names), f"any {len(names) - 1}")
    return f"{listed(names)} contradict each other; {few} of them are possible"


def _repair_line(repair: Repair) -> str:
    cells = " ".join(f"{name}={n}" for name, n in repair.table.cells().items())
    tables = "the only table" if repair.count == 1 else f"one of {repair.count} tables"
    return f"{repair.change}: then {cells} fits, {tables}"


def _implied_line(each: Implied) -> str:
    verb = "force" if len(each.others) > 1 else "forces"
    digits = decimals(each.reported)
    low, high = number(each.bounds.low, digits), number(each.bounds.high, digits)
    values = low if low == high else f"from {low} to {high}"
    return f"{listed(each.others)} {verb} {each.name} {values}, not {each.reported}"


def _tables_grid(tables: Sequence[Table]) -> Grid:
    grid = Grid(box=None, pad_edge=False, header_style="bold")
    for name in ("tp", "fn", "fp", "tn"):
        grid.add_column(name, justify="right")
    for table in tables:
        grid.add_row(*map(str, table.cells().values()))
    return grid


def _bounds_grid(result: Recovery) -> Grid:
    grid = Grid(box=None, pad_edge=False, header_style="bold")
    grid.add_column("metric")
    grid.add_column("at least", justify="right")
    grid.add_column("at most", justify="right")
    grid.add_column("")
    for name, found in result.shown_bounds.items():
        chosen = metric(name)
        if found.low is None or found.high is None:
            grid.add_row(chosen.label, Text("undefined", style="yellow"), "", "")
        else:
            bar = _span(found.low, found.high, chosen.limits)
            grid.add_row(chosen.label, number(found.low), number(found.high), bar)
    return grid


def _span(low: float, high: float, limits: Limits) -> Text:
    """Return a bar from low to high over the metric's range, and nothing where that has no end."""
    if limits.high is None:
        return Text("")
    start, width = float(limits.low), float(limits.high - limits.low)
    first = min(int((low - start) / width * BAR_WIDTH), BAR_WIDTH - 1)
    last = max(first + 1, round((high - start) / width * BAR_WIDTH))
    bar = Text("·" * first, style="dim")
    bar.append("█" * (last - first), style="blue")
    bar.append("·" * (BAR_WIDTH - last), style="dim")
    return bar


@title.register
def _(result: Recovery) -> str:
    return sentence(_verdict(result)).removesuffix(".")


@sections.register
def _(result: Recovery) -> list[Section]:
    sizes = [Text(_sizes_line(result.claim))]
    parts = [Section("claim", "What was reported", sizes, [_claim_grid(result.claim)])]
    if result.verdict == "impossible":
        forced = [Text("   " + _implied_line(each)) for each in result.implied]
        why = forced or [Text(sentence(_verdict(result)))]
        parts.append(Section("contradiction", "Why it cannot be", why))
    if result.repairs:
        changes = [Text("   " + _repair_line(repair)) for repair in result.repairs]
        parts.append(Section("repairs", "What may have gone wrong", [Text(f"{_REPAIRS}:"), *changes]))
    if result.count and not result.feasible.unwalked:
        heading = "The table that fits" if result.count == 1 and result.feasible.complete else "Tables that fit"
        parts.append(Section("tables", heading, [Text(_cell_ranges(result))], _tables_shown(result)))
        parts.append(Section("bounds", "What every metric must then be", (), [_bounds_grid(result)]))
    return parts + notes_section(result.notes)


def _claim_grid(claim: Claim) -> Grid:
    """Return each score that was claimed, as printed and as read."""
    grid = number_grid("reported as", "metric", "printed", "stands for")
    for reading in claim.readings:
        printed = Text(reading.reported.text)
        grid.add_row(Text(reading.name), reading.metric.label, printed, _stands_for(reading.reported))
    grid.columns[1].justify = "left"
    return grid


def _stands_for(reported: Reported) -> str:
    """Return the values that a printed score can stand for."""
    # A rounded number's interval ends half a unit beyond its last digit, so one digit more shows it whole.
    low, high = (number(float(end), decimals(reported.text) + 1) for end in (reported.low, reported.high))
    if reported.low == reported.high:
        return low
    return f"{'above ' if reported.low_open else ''}{low} to {'below ' if reported.high_open else ''}{high}"


def _sizes_line(claim: Claim) -> str:
    sizes = {"positives": claim.positives, "negatives": claim.negatives, "total": claim.total}
    given = [f"{name} {size}" for name, size in sizes.items() if size.high is not None or size.low]
    words = f"Sizes: {', '.join(given)}." if given else "No size was given."
    return f"{words} Totals up to {claim.largest_total} were tried." if claim.open_ended else words
