"""Scores, holes and the catalogue of metrics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from ..metrics import Catalogue, Contrast, Metric, Scores
from ..space import Description, Holes
from ..table import Matrix, Table
from .numbers import number, percent
from .shapes import fact_grid, note_lines, score_bar, to_text


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
            grid.add_row(*lead, number(row["value"]), score_bar(row["value"], limits), *tail)
    return Group(_data(result.data), "", grid)


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
    grid = fact_grid(facts(entry))
    for found in result.holes:
        sizes = " and ".join(map(str, found.sizes))
        share = f"{found.count} of {found.total} ({percent(found.share)})"
        grid.add_row(Text(f"of size {sizes}", style="dim"), f"undefined for {share}")
    return Group(Text(entry.label, style="bold"), Text(entry.says), "", grid, *note_lines(result.notes))


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
