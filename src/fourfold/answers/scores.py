"""Scores, holes and the catalogue of metrics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from ..document import Bar, Block, Cell, Column, Document, Facts, Grid, Heading, Items, Notes, Sentence
from ..metrics import Catalogue, Contrast, Limits, Metric, Scores
from ..solve import Description, Holes
from ..table import Matrix, Table
from ..words import count_of, percent
from .any_result import document

_MOST_CLASSES: Final = 12
_LONGEST_EXACT: Final = 30


@document.register
def _(result: Scores) -> Document:
    several = isinstance(result.data, Matrix)
    average = [Column("average", "text")] if several else []
    exact = [] if several else [Column("exact", "text")]
    columns = [Column("metric", "text"), *average, Column("value"), Column("", "bar"), *exact]
    limits = (score.limits for score in result.scores)
    rows = [_score_row(row, bounds, several=several) for row, bounds in zip(result.rows(), limits, strict=True)]
    title = f"Scores of {count_of(_size(result.data), 'case')}"
    blocks: list[Block] = [_counts(result.data), Grid("Scores", columns, rows), Notes(result.notes)]
    return Document("Scores of one table", title, blocks=blocks)


def _score_row(row: dict[str, Any], limits: Limits, *, several: bool) -> list[Any]:
    lead = [row["label"], *([row["average"] or "all classes"] if several else [])]
    exact = [] if several else ["" if row["undefined"] or len(row["exact"]) > _LONGEST_EXACT else row["exact"]]
    return [*lead, row["value"], row["undefined"] or _bar(row["value"], limits), *exact]


def _bar(value: float, limits: Limits) -> Bar | None:
    """Return a bar for a value from 0 to 1 of a metric that ends at 1, and nothing for others."""
    return None if value < 0 or limits.high != 1 else Bar(0, value)


@document.register
def _(result: Holes) -> Document:
    sizes = " and ".join(map(str, result.sizes))
    what = f"tables of size {sizes}" if len(result.sizes) == 1 else f"pairs of tables of sizes {sizes}"
    line = f"{result.count} of {result.total} {what} ({percent(result.share)})"
    if not result.reasons:
        title = f"{line}: {result.label} is always defined"
        return Document("Where a metric is undefined", title, blocks=[Sentence(f"{title}.", place="terminal")])
    title = f"{line} leave {result.label} undefined"
    overlap = sum(count for _, count in result.reasons) > result.count
    several = [Sentence("(some have several reasons)", quiet=True)] if overlap else []
    reasons = Items([f"{count}  {words}" for words, count in result.reasons])
    blocks: list[Block] = [Sentence(f"{title}:", place="terminal"), reasons, *several]
    return Document("Where a metric is undefined", title, blocks=blocks)


@document.register
def _(result: Catalogue) -> Document:
    columns = [Column(name, "words") for name in ("metric and its other names", "formula and what it says", "range")]
    rows = [_catalogue_row(entry) for entry in result.entries]
    derived = [Sentence(line, quiet=True) for line in DERIVED]
    title = f"{len(rows)} metrics and measures of two groups"
    return Document("Every metric", title, blocks=[Grid(title, columns, rows), *derived])


def _catalogue_row(entry: Metric | Contrast) -> list[Any]:
    limits = str(entry.limits) if isinstance(entry, Metric) else "two groups"
    name = Cell(entry.id, marked=True, remark=", ".join(entry.aliases))
    return [name, Cell(_formula(entry), remark=entry.says), limits]


@document.register
def _(result: Description) -> Document:
    known = facts(result.entry)
    for holes in result.holes:
        sizes = " and ".join(map(str, holes.sizes))
        known[f"of size {sizes}"] = f"undefined for {holes.count} of {holes.total} ({percent(holes.share)})"
    lead = [Heading(result.entry.label, place="terminal"), Sentence(result.entry.says)]
    return Document("A metric", result.entry.label, blocks=[*lead, Facts(known), Notes(result.notes)])


#: The names that are built from those of the catalogue.
DERIVED: Final = (
    "F-beta for any beta: f2, f0.5. The negative class: f2_negative.",
    "Averages over the classes: macro_f1, micro_f1, weighted_f1.",
    "Two groups: <metric>_difference and <metric>_ratio (or _disparity) for every metric.",
)


def _formula(entry: Metric | Contrast) -> str:
    if isinstance(entry, Metric):
        return entry.formula.text()
    parts = [part.text() for part in entry.parts]
    if len(parts) == 1:
        return parts[0]
    if entry.how == "ratio":
        return " and ".join(parts) + ", the smaller, those above 1 inverted"
    return " and ".join(f"|{part}|" for part in parts) + ", the larger"


def facts(entry: Metric | Contrast) -> dict[str, str]:
    """Return what is known of a metric or a contrast, each fact by its name.

    Examples
    --------
    >>> from fourfold.metrics import metric
    >>> facts(metric("sensitivity"))["formula"]
    'tp / (tp + fn)'
    """
    known = {"id": entry.id, "aliases": ", ".join(entry.aliases), "formula": _formula(entry)}
    if isinstance(entry, Metric):
        known |= {"range": str(entry.limits), "better": entry.better}
    return known | {"undefined where": "; ".join(entry.undefined_where) or "never"}


def _size(data: Table | Matrix) -> int:
    return data.total if isinstance(data, Table) else int(data.values.sum())


def _counts(data: Table | Matrix) -> Block:
    if isinstance(data, Table):
        labels: Iterable[object] = ("positive", "negative")
        values = [[data.tp, data.fn], [data.fp, data.tn]]
    else:
        labels, values = data.labels, data.values.tolist()
    if len(values) > _MOST_CLASSES:
        return Sentence(f"{len(values)} classes, {sum(map(sum, values))} cases")
    columns = [Column("actual \\ predicted", "text"), *(Column(str(label), "count") for label in labels)]
    rows = [[str(label), *row] for label, row in zip(labels, values, strict=True)]
    return Grid("Cases by actual and predicted class", columns, rows)
