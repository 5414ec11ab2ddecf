"""Results as text, HTML, JSON and CSV. The only room that formats numbers."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import singledispatch
from html import escape
from itertools import groupby
from typing import Any, Final, NamedTuple, Protocol

from rich.console import Group, RenderableType
from rich.table import Column
from rich.table import Table as Grid
from rich.text import Text

from .certainty import Decomposition, Overview
from .claims import Claim, Implied, Recovery, Repair
from .errors import Note
from .groups import Audit, Comparison, Finding, Interval, Match, Smoothed
from .metrics import METRICS, Catalogue, Contrast, Limits, Metric, Scores
from .reported import Reported
from .reproduce import Experiments, Part, Reproduction
from .space import Description, Holes
from .table import Matrix, Table

_BAR = 20


class Result(Protocol):
    """What every answer can do."""

    def rows(self) -> list[dict[str, Any]]:
        """Return flat records."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        ...


def number(x: float | None, digits: int = 4) -> str:
    """Return a score as text; a number too large or too small for decimals keeps its digits.

    Examples
    --------
    >>> number(0.85), number(None), number(12345.678), number(1e-7)
    ('0.8500', 'undefined', '12345.7', '1e-07')
    """
    if x is None or x != x:
        return "undefined"
    if x and not 10**-digits <= abs(x) < 1000:
        return f"{x:.6g}"
    return f"{x:.{digits}f}"


def many(count: int, noun: str) -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> many(1, "case"), many(12, "case")
    ('1 case', '12 cases')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def chance(x: float | None) -> str:
    """Return a probability as text, small ones with two digits.

    Examples
    --------
    >>> chance(0.0312), chance(3.61e-8), chance(0.0), chance(None)
    ('0.0312', '3.6e-08', '0', '-')
    """
    if x is None:
        return "-"
    if x < 1e-30:
        return "< 1e-30" if x else "0"
    return f"{x:.4f}" if x >= 0.001 else f"{x:.1e}"


def percent(x: float) -> str:
    """Return a share in percent, with as many digits as tell it from zero.

    Examples
    --------
    >>> percent(0.022), percent(0), percent(0.000004)
    ('2.2 %', '0 %', '0.0004 %')
    """
    value = 100 * x
    return f"{value:.1f} %" if value >= 0.1 else f"{value:.1g} %"


def to_json(result: Result) -> str:
    """Return a result as JSON text."""
    return json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False, indent=2)


def to_csv(result: Result) -> str:
    """Return a result's rows as CSV text with a header."""
    rows = result.rows()
    names = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


@singledispatch
def to_text(result: object) -> RenderableType:
    """Return a result as something that rich can print."""
    raise TypeError(f"no text for {type(result).__name__}")


@to_text.register
def _(result: Scores) -> RenderableType:
    grid = Grid(box=None, pad_edge=False, header_style="bold")
    several = isinstance(result.data, Matrix)
    for name in ("metric", *(["average"] if several else []), "value", "", *([] if several else ["exact"])):
        grid.add_column(name, justify="right" if name == "value" else "left", no_wrap=name == "metric")
    for row, limits in zip(result.rows(), (found.limits for found in result.scores), strict=True):
        lead = [row["label"], *([row["average"] or "all classes"] if several else [])]
        if row["undefined"]:
            grid.add_row(*lead, Text("undefined", style="yellow"), Text(row["undefined"], style="yellow"))
        else:
            tail = [] if several or len(row["exact"]) > 30 else [Text(row["exact"], style="dim")]
            grid.add_row(*lead, number(row["value"]), _bar(row["value"], limits), *tail)
    return Group(_data(result.data), "", grid)


@to_text.register
def _(result: Recovery) -> RenderableType:
    parts: list[RenderableType] = [Text(_verdict_line(result), style="bold")]
    parts += [Text("   " + _implied_line(each)) for each in result.implied]
    if result.repairs:
        parts += ["", Text(f"{_REPAIRS}:")]
        parts += [Text("   " + _repair_line(repair)) for repair in result.repairs]
    if result.count and not result.feasible.unwalked:
        parts += ["", *_tables_shown(result), "", _bounds_grid(result)]
    parts += [Text(f"Note: {note.text}.", style="dim") for note in result.notes]
    return Group(*parts)


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
        return f"{_listed(names)} contradict each other"
    if len(names) == 2:
        return f"{names[0]} and {names[1]} contradict each other; each alone is possible"
    few = {3: "any two", 4: "any three"}.get(len(names), f"any {len(names) - 1}")
    return f"{_listed(names)} contradict each other; {few} of them are possible"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _repair_line(repair: Repair) -> str:
    cells = " ".join(f"{name}={n}" for name, n in repair.table.cells().items())
    tables = "the only table" if repair.count == 1 else f"one of {repair.count} tables"
    return f"{repair.change}: then {cells} fits, {tables}"


def _implied_line(each: Implied) -> str:
    verb = "force" if len(each.others) > 1 else "forces"
    digits = decimals(each.reported)
    low, high = number(each.bounds.low, digits), number(each.bounds.high, digits)
    values = low if low == high else f"from {low} to {high}"
    return f"{_listed(each.others)} {verb} {each.name} {values}, not {each.reported}"


def decimals(text: str) -> int:
    """Return how many decimals a printed score has, as a fraction.

    Examples
    --------
    >>> decimals("0.850"), decimals("85.0%"), decimals("3/10")
    (3, 3, 4)
    """
    match = re.fullmatch(r"\s*[-+−]?\d*[.,]?(\d*)\s*(%?)\s*", text)
    return len(match[1]) + (2 if match[2] else 0) if match else 4


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
    for name, found in result.all_bounds.items():
        chosen = METRICS[name]
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
    first = min(int((low - start) / width * _BAR), _BAR - 1)
    last = max(first + 1, round((high - start) / width * _BAR))
    bar = Text("·" * first, style="dim")
    bar.append("█" * (last - first), style="blue")
    bar.append("·" * (_BAR - last), style="dim")
    return bar


@to_text.register
def _(result: Holes) -> RenderableType:
    if len(result.sizes) == 1:
        what = f"tables of size {result.sizes[0]}"
    else:
        what = f"pairs of tables of sizes {' and '.join(map(str, result.sizes))}"
    line = f"{result.count} of {result.total} {what} ({percent(result.share)})"
    if not result.reasons:
        return Text(f"{line}: {result.label} is always defined.")
    grid = Grid(box=None, pad_edge=False, show_header=False)
    for words, many in result.reasons:
        grid.add_row("  ", str(many), words)
    heading = Text(f"{line} leave {result.label} undefined:")
    overlap = sum(many for _, many in result.reasons) > result.count
    return Group(heading, grid, *(["  (some have several reasons)"] if overlap else []))


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
    return Group(Text(line + ".", style="bold"), "", _pairs(facts), *_notes(result.notes))


@to_text.register
def _(result: Comparison) -> RenderableType:
    line = f"{result.label} {number(result.value)}"
    return Group(Text(line, style="bold"), _pairs(_interval_facts(result)), *_notes(result.notes))


@to_text.register
def _(result: Interval) -> RenderableType:
    return Group(Text(number(result.value), style="bold"), _pairs(_interval_facts(result)), *_notes(result.notes))


def _interval_facts(found: Comparison | Interval) -> dict[str, str]:
    if found.value is None:
        return {}
    return {f"{level(found.level)} interval": between(found.low, found.high), "method": found.method}


def level(x: float) -> str:
    """Return a level in percent.

    Examples
    --------
    >>> level(0.95), level(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * x:g} %"


def between(low: float | None, high: float | None) -> str:
    """Return an interval as text; an end without limit says so.

    Examples
    --------
    >>> between(0.19, 0.5), between(None, None), between(1.2, float("inf"))
    ('0.1900 to 0.5000', '-', '1.2000 or more')
    """
    if low is None or high is None:
        return "-"
    return f"{number(low)} or more" if high == float("inf") else f"{number(low)} to {number(high)}"


@to_text.register
def _(result: Smoothed) -> RenderableType:
    grid = _grid("", "tp", "fn", "fp", "tn", "total")
    grid.add_row("group", *map(str, result.group.cells().values()), str(result.group.total))
    if result.reference is not None:
        grid.add_row("reference", *map(str, result.reference.cells().values()), str(result.reference.total))
    grid.add_row("smoothed", *(number(x) for x in result.cells().values()), number(result.total))
    scores = _grid("metric", "raw", "smoothed")
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
    return Group(grid, "", _pairs(facts), "", scores, *_notes(result.notes))


@to_text.register
def _(result: Audit) -> RenderableType:
    parts: list[RenderableType] = []
    for name in result.metrics:
        parts += [Text(_metric_heading(result, name), style="bold"), _findings_grid(result, name), ""]
    parts.append(Text(_audit_line(result), style="dim"))
    return Group(*parts, *_notes(result.notes))


def _metric_heading(result: Audit, name: str) -> str:
    label = next((each.label for each in result.findings if each.metric == name), name)
    return f"{label}: {number(result.overall[name].value)} overall"


def _findings_grid(result: Audit, name: str) -> Grid:
    grid = _grid("group", "n", "score", f"{level(result.level)} interval", "percentile", "p (Holm)", "smoothed", "note")
    for each in result.findings:
        if each.metric == name:
            grid.add_row(*_finding_cells(each, result.level))
    return grid


def _audit_line(result: Audit) -> str:
    total = f"{many(result.table.total, 'case')} in {many(len(result.groups), 'group')}"
    chosen = f"strength {result.strength:.4g} ({result.strength_chosen_by})"
    return f"{total}, each compared with {_reference(result.reference)}; {chosen}."


def _reference(name: str) -> str:
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


@to_text.register
def _(result: Overview) -> RenderableType:
    parts: list[RenderableType] = []
    for name, model in result.models.items():
        heading = [Text(name, style="bold")] if len(result.models) > 1 else []
        parts += [*heading, _ratio_grid(result, name), Text(_mass_line(model), style="dim"), ""]
    return Group(*parts[:-1], *_notes(result.notes))


def _ratio_grid(result: Overview, name: str) -> Grid:
    several = bool(result.models[name].parts)
    last = list(result.models[name].named_parts())[-1] if several else None
    lead = ["metric", *(["part"] if several else [])]
    grid = _grid(*lead, "hard", "soft", "certain", "uncertain", "certainty ratio", "note")
    for (model, part, _), found in result.ratios.items():
        if model != name:
            continue
        values = (found.hard, found.soft, found.certain, found.uncertain)
        shown = [found.label, *(["(all)" if part is None else part] if several else [])]
        ratio = Text(number(found.value), style="bold" if found.value is not None else "yellow")
        grid.add_row(*shown, *map(number, values), ratio, "; ".join(found.reasons))
        if several and part == last:
            grid.add_row(found.label, *_mean_row(result, name, found.metric))
    return grid


def _mean_row(result: Overview, name: str, metric: str) -> list[RenderableType]:
    """Return the means over the parts, which need not be the pooled numbers."""
    whole, parts = result.models[name], ("hard", "soft", "certain", "uncertain", "value")
    means = [whole.over_parts(metric, convention=result.convention, of=part) for part in parts]
    left = means[-1].undefined
    words = f"without {many(left, 'undefined part')}" if left else ""
    return ["mean", *(number(mean.mean) for mean in means), words]


def _mass_line(model: Decomposition) -> str:
    certain, uncertain = number(model.weight_certain), number(1 - model.weight_certain)
    most = model.largest_divergence
    mass = f"{model.rows_read} rows   mass certain {certain}, uncertain {uncertain}"
    divergence = f"divergence {number(model.divergence)}" + (f" (at most {number(most)})" if most else "")
    return f"{mass}   {divergence}   rows tied at the top: {model.tied}"


@to_text.register
def _(result: Reproduction) -> RenderableType:
    shown: list[RenderableType] = [Text(title(result), style="bold"), _parts_grid(result)]
    if result.statements:
        shown += [Text("What the paper says, and whether it is so", style="bold"), _statements_grid(result)]
    return Group(*shown, *_notes(result.notes))


@to_text.register
def _(result: Experiments) -> RenderableType:
    grid = _worded_grid("name", "minutes", "what", "needs")
    for each in result.entries:
        grid.add_row(each.name, f"about {each.minutes}", Text(each.what), Text(each.needs))
    return Group(grid, Text("Minutes are for two processes: --jobs 2. Figures need fourfold[plots].", style="dim"))


def worded(words: str, numbers: Mapping[str, Any]) -> str:
    """Return words with numbers in the places that name them.

    Examples
    --------
    >>> worded("{found} at N = {size}", {"found": 0.0070381, "size": 12})
    '0.007038 at N = 12'
    """
    return words.format_map({name: _figures(value) for name, value in numbers.items()})


def _figures(value: object) -> str:
    """Return a number with four significant digits, a whole one with all; anything else as it is."""
    if value is None:
        return "undefined"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "undefined" if value != value else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


_SAID = {True: "true", False: "false", None: "not decided"}


def _worded_grid(*names: str) -> Grid:
    """Return a grid of columns of words, the last ones broken into lines."""
    grid = Grid(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for i, name in enumerate(names):
        grid.add_column(name, no_wrap=i < 2, overflow="fold")
    return grid


def _parts_grid(result: Reproduction) -> Grid:
    grid = _worded_grid("place", "outcome", "what and why")
    for part in result.parts:
        grid.add_row(part.place, part.verdict, Text(f"{part.title}: {worded(part.words, part.numbers)}"))
    return grid


def _statements_grid(result: Reproduction) -> Grid:
    grid = _worded_grid("place", "so?", "the paper says", "found")
    for each in result.statements:
        grid.add_row(each.place, _SAID[each.holds], Text(each.says), Text(_sentence(worded(each.words, each.numbers))))
    return grid


def _part_grid(part: Part) -> Grid:
    """Return the numbers of a table: printed ones in their rows and columns, with what was found where they differ."""
    if not all("agrees" in record for record in part.records):
        names = list(dict.fromkeys(name for record in part.records for name in record))
        grid = _grid(*names)
        for record in part.records:
            grid.add_row(*(_figures(record.get(name, "")) for name in names))
        return grid
    cells = {(record["row"], record["column"]): record for record in part.records}
    columns = list(dict.fromkeys(column for _, column in cells))
    grid = _grid("", *columns)
    for row in dict.fromkeys(row for row, _ in cells):
        grid.add_row(Text(row), *(_beside(cells.get((row, column))) for column in columns))
    return grid


def _beside(record: dict[str, Any] | None) -> str:
    if record is None:
        return ""
    paper = str(record["paper"])
    return paper if record["agrees"] else f"{_figures(record['found'])}, printed {paper}"


def to_markdown(part: Part) -> str:
    """Return a table of a paper as markdown."""
    grid = _part_grid(part)
    heads = [str(column.header) for column in grid.columns]
    rows = zip(*([str(cell) for cell in column.cells] for column in grid.columns), strict=True)
    lines = [heads, ["---"] * len(heads), *rows]
    table = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
    about = f"{part.verdict}: {worded(part.words, part.numbers)}"
    return f"# {part.place}: {part.title}\n\n{_sentence(about)}\n\n{table}\n"


def _grid(*names: str) -> Grid:
    """Return a grid of columns: the first and any note to the left, numbers to the right."""
    grid = Grid(box=None, pad_edge=False, header_style="bold")
    for i, name in enumerate(names):
        grid.add_column(name, justify="left" if i == 0 or name == "note" else "right", no_wrap=name not in ("", "note"))
    return grid


def _pairs(facts: dict[str, str]) -> Grid:
    grid = Grid(box=None, pad_edge=False, show_header=False)
    for name, value in facts.items():
        grid.add_row(Text(name, style="dim"), value)
    return grid


def _notes(notes: Iterable[Note]) -> list[Text]:
    return [Text(f"Note: {note.text}.", style="dim") for note in notes]


@to_text.register
def _(result: Catalogue) -> RenderableType:
    grid = Grid(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 1, 0))
    for name in ("metric and its other names", "formula and what it says", "range"):
        grid.add_column(name)
    for entry in result.entries:
        names = Text(entry.id, style="bold")
        names.append("\n" + ", ".join(entry.aliases), style="not bold dim")
        formula = Text(_formula(entry))
        formula.append("\n" + entry.says, style="dim")
        grid.add_row(names, formula, str(entry.limits) if isinstance(entry, Metric) else "two groups")
    return Group(grid, *(Text(line, style="dim") for line in DERIVED))


@to_text.register
def _(result: Description) -> RenderableType:
    entry = result.entry
    grid = Grid(box=None, pad_edge=False, show_header=False)
    for name, value in facts(entry).items():
        grid.add_row(Text(name, style="dim"), value)
    for found in result.holes:
        sizes = " and ".join(map(str, found.sizes))
        share = f"{found.count} of {found.total} ({percent(found.share)})"
        grid.add_row(Text(f"of size {sizes}", style="dim"), f"undefined for {share}")
    notes = [Text(f"Note: {note.text}.", style="dim") for note in result.notes]
    return Group(Text(entry.label, style="bold"), Text(entry.says), "", grid, *notes)


#: The names that are built from those of the catalogue.
DERIVED: Final = (
    "F-beta for any beta: f2, f0.5. The negative class: f2_negative.",
    "Averages over the classes: macro_f1, micro_f1, weighted_f1.",
    "Two groups: <metric>_difference and <metric>_ratio for every metric.",
)


def _formula(entry: Metric | Contrast) -> str:
    if isinstance(entry, Metric):
        return entry.formula.text()
    parts = [part.text() for part in entry.parts]
    return parts[0] if len(parts) == 1 else " and ".join(f"|{part}|" for part in parts) + ", the larger"


def facts(entry: Metric | Contrast) -> dict[str, str]:
    """Return what is known of a metric or a contrast, each fact by its name.

    Examples
    --------
    >>> from fourfold.metrics import metric
    >>> facts(metric("sensitivity"))["formula"]
    'tp / (tp + fn)'
    """
    found = {"id": entry.id, "aliases": ", ".join(entry.aliases), "formula": _formula(entry)}
    if isinstance(entry, Metric):
        found |= {"range": str(entry.limits), "better": entry.better}
    return found | {"undefined where": "; ".join(entry.undefined_where) or "never"}


def _data(data: Table | Matrix) -> RenderableType:
    if isinstance(data, Table):
        labels: Iterable[object] = ("positive", "negative")
        values = [[data.tp, data.fn], [data.fp, data.tn]]
    else:
        labels, values = data.labels, data.values.tolist()
    if len(values) > 12:
        return Text(f"{len(values)} classes, {sum(map(sum, values))} cases")
    grid = Grid(box=None, pad_edge=False, header_style="dim")
    grid.add_column("actual \\ predicted", style="dim")
    for label in labels:
        grid.add_column(Text(str(label)), justify="right")
    for label, row in zip(labels, values, strict=True):
        grid.add_row(Text(str(label)), *map(str, row))
    return grid


def _bar(value: float, limits: Limits) -> Text:
    """Return a bar for a value from 0 to 1 of a metric that ends at 1, and nothing for others."""
    if value < 0 or limits.high != 1:
        return Text("")
    filled = round(value * _BAR)
    bar = Text("█" * filled, style="blue")
    bar.append("░" * (_BAR - filled), style="dim")
    return bar


class Section(NamedTuple):
    """A part of a report: what a picture in it would be about, its heading, words, and what follows them."""

    about: str | None
    heading: str
    words: Sequence[RenderableType] = ()
    tables: Sequence[RenderableType] = ()


@singledispatch
def title(result: object) -> str:
    """Return a result's heading in a report.

    Examples
    --------
    >>> from fourfold.claims import recover
    >>> title(recover(accuracy="0.85", positives=40, negatives=60))
    '16 tables fit'
    """
    raise TypeError(f"no report on {type(result).__name__}")


@title.register
def _(result: Recovery) -> str:
    return _sentence(_verdict(result)).removesuffix(".")


@title.register
def _(result: Audit) -> str:
    by = f" by {_listed(result.by)}" if result.by else ""
    return f"Audit of {many(len(result.groups), 'group')}{by}"


@title.register
def _(result: Overview) -> str:
    return f"Certainty of {_listed(list(result.models))}"


@title.register
def _(result: Reproduction) -> str:
    outcomes = [part.verdict for part in result.parts]
    words = [f"{outcomes.count(verdict)} {verdict}" for verdict in dict.fromkeys(outcomes)]
    heading = f"{result.name}: of {len(outcomes)} figures and tables {_listed(words)}"
    return f"{heading}; {result.agree} of {result.compared} printed numbers agree" if result.compared else heading


@singledispatch
def sections(result: object) -> list[Section]:
    """Return a result in parts, for a report; the numbers and words are those of `to_text`.

    Examples
    --------
    >>> from fourfold.claims import recover
    >>> [part.about for part in sections(recover(accuracy="0.85", positives=40, negatives=60))]
    ['claim', 'tables', 'bounds']
    """
    raise TypeError(f"no report on {type(result).__name__}")


@sections.register
def _(result: Recovery) -> list[Section]:
    sizes = [Text(_sizes_line(result.claim))]
    parts = [Section("claim", "What was reported", sizes, [_claim_grid(result.claim)])]
    if result.verdict == "impossible":
        forced = [Text("   " + _implied_line(each)) for each in result.implied]
        why = forced or [Text(_sentence(_verdict(result)))]
        parts.append(Section("contradiction", "Why it cannot be", why))
    if result.repairs:
        changes = [Text("   " + _repair_line(repair)) for repair in result.repairs]
        parts.append(Section("repairs", "What may have gone wrong", [Text(f"{_REPAIRS}:"), *changes]))
    if result.count and not result.feasible.unwalked:
        heading = "The table that fits" if result.count == 1 and result.feasible.complete else "Tables that fit"
        parts.append(Section("tables", heading, [Text(_cell_ranges(result))], _tables_shown(result)))
        parts.append(Section("bounds", "What every metric must then be", (), [_bounds_grid(result)]))
    return parts + _notes_section(result.notes)


@sections.register
def _(result: Audit) -> list[Section]:
    lead = Section("groups", "What was compared", [Text(_audit_line(result))])
    found = [
        Section(name, _metric_heading(result, name), (), [_findings_grid(result, name)]) for name in result.metrics
    ]
    return [lead, *found, *_notes_section(result.notes)]


@sections.register
def _(result: Overview) -> list[Section]:
    models = [
        Section(name, name, (), [_ratio_grid(result, name), Text(_mass_line(model), style="dim")])
        for name, model in result.models.items()
    ]
    return models + _notes_section(result.notes)


# A page shows the numbers of a table up to so many; all are in the files beside it.
_SHOWN = 400


@sections.register
def _(result: Reproduction) -> list[Section]:
    parts = [Section("parts", "Figures and tables", [Text(result.paper)], [_parts_grid(result)])]
    if result.statements:
        parts.append(Section("statements", "What the paper says, and whether it is so", (), [_statements_grid(result)]))
    for part in result.parts:
        words = [Text(_sentence(f"{part.verdict}: {worded(part.words, part.numbers)}."))]
        table = [] if part.view or not 0 < len(part.records) <= _SHOWN else [_part_grid(part)]
        if part.records and not table:
            words.append(Text(f"The numbers are in {part.slug}.csv.", style="dim"))
        parts.append(Section(part.place, f"{part.place}: {part.title}", words, table))
    return parts + _notes_section(result.notes)


def _notes_section(notes: Sequence[Note]) -> list[Section]:
    return [Section(None, "Notes", [Text(f"   {_sentence(note.text)}.") for note in notes])] if notes else []


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _claim_grid(claim: Claim) -> Grid:
    """Return each score that was claimed, as printed and as read."""
    grid = _grid("reported as", "metric", "printed", "stands for")
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


def to_html(*shown: RenderableType, caption: str = "") -> str:
    """Return what `to_text` builds as paragraphs, lists and tables of HTML, all text escaped.

    Parameters
    ----------
    shown
        Texts, tables and groups of them.
    caption
        What the tables are called where they are read aloud.

    Examples
    --------
    >>> print(to_html(Text("a < b", style="bold"), "", Text("   one"), Text("   two")))
    <p><strong>a &lt; b</strong></p>
    <ul>
    <li>one</li>
    <li>two</li>
    </ul>
    """
    lines: list[str] = []
    for indented, run in groupby(_flat(Group(*shown)), key=_is_item):
        if indented:
            lines += ["<ul>", *(f"<li>{_words_html(part)}</li>" for part in run), "</ul>"]
        else:
            lines += [_table_html(p, caption) if isinstance(p, Grid) else f"<p>{_words_html(p)}</p>" for p in run]
    return "\n".join(lines)


def _flat(shown: RenderableType) -> list[RenderableType]:
    """Return texts and tables without groups around them and empty lines between them."""
    if isinstance(shown, Group):
        return [part for each in shown.renderables for part in _flat(each)]
    return [shown] if isinstance(shown, Grid) or str(shown) else []


def _is_item(part: RenderableType) -> bool:
    return not isinstance(part, Grid) and str(part).startswith("   ")


#: Characters that neither a page nor a picture may hold; a mark stands for each.
UNSHOWN: Final = dict.fromkeys(
    (
        *(*range(9), 11, 12, *range(14, 32), *range(127, 160), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF),
        # Marks that turn the direction of what follows, so that numbers would read backwards.
        *(*range(0x202A, 0x202F), *range(0x2066, 0x206A)),
    ),
    "\N{REPLACEMENT CHARACTER}",
)


def escaped(text: str) -> str:
    """Return text that shows in HTML as it is, inside and outside of attributes.

    Examples
    --------
    >>> escaped('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    return escape(text.translate(UNSHOWN))


def _words_html(part: RenderableType) -> str:
    # What lies more than one blank apart on a line are facts of their own.
    words = escaped(re.sub(r" {2,}", " · ", str(part).strip()))
    style = str(part.style) if isinstance(part, Text) else ""
    tags = {"bold": ("<strong>", "</strong>"), "dim": ("<small>", "</small>"), "yellow": ("<em>", "</em>")}
    before, after = tags.get(style, ("", "")) if words else ("", "")
    return f"{before}{words}{after}"


def _table_html(grid: Grid, caption: str) -> str:
    """Return a table: its first column heads the rows, unless it is of numbers; empty columns are left out."""
    columns = [each for each in grid.columns if not grid.row_count or any(map(str, each.cells))]
    label = escaped(caption)
    # What may have to be moved sideways can be reached by keyboard, and has a name.
    lines = [f'<div class="scroll" role="region" tabindex="0" aria-label="{label}">', "<table>"]
    lines += [f"<caption>{label}</caption>"] if caption else []
    if grid.show_header:
        heads = "".join(_cell_html(each.header, each, "col") for each in columns)
        lines += ["<thead>", f"<tr>{heads}</tr>", "</thead>"]
    lines.append("<tbody>")
    scopes = ["row" if i == 0 and each.justify == "left" else "" for i, each in enumerate(columns)]
    for row in zip(*(each.cells for each in columns), strict=True):
        lines.append(f"<tr>{''.join(map(_cell_html, row, columns, scopes))}</tr>")
    return "\n".join([*lines, "</tbody>", "</table>", "</div>"])


def _cell_html(cell: RenderableType, column: Column, scope: str) -> str:
    words = _bar_html(str(cell)) or _words_html(cell)
    side = ' class="number"' if column.justify == "right" else ""
    if not scope or not words:
        return f"<td{side}>{words}</td>"
    return f'<th scope="{scope}"{side}>{words}</th>'


def _bar_html(text: str) -> str:
    """Return a bar of characters as a drawn one, hidden from readers aloud: the numbers stand beside it."""
    if not text or set(text) - set("·█░"):
        return ""
    first, width = (100 * n // len(text) for n in (text.find("█"), text.count("█")))
    style = f"margin-left:{max(first, 0)}%;width:{width}%"
    return f'<span class="bar" aria-hidden="true"><span style="{style}"></span></span>'
