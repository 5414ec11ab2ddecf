"""What scores rest on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..certainty import CertaintyRatio, Curve, Decomposition, Overview, Resampled
from ..document import Block, Cell, Chart, Column, Document, Grid, Heading, Items, Notes, Sentence
from ..words import between, count_of, level, listed, number, percent
from .any_result import document, label_of, plain_document

_PARTS = ("hard", "soft", "certain", "uncertain")


@document.register
def _(result: Overview) -> Document:
    several = len(result.models) > 1
    title = f"{len(result.models)} models side by side" if several else _ratio_words(next(iter(result.ratios.values())))
    return Document(f"Certainty of {listed(list(result.models))}", title, blocks=list(_blocks(result)))


@document.register
def _(result: CertaintyRatio) -> Document:
    return plain_document(result, _ratio_words(result))


@document.register
def _(result: Decomposition) -> Document:
    return plain_document(result, f"{percent(result.weight_certain)} of the probability lies on predicted classes")


@document.register
def _(result: Curve) -> Document:
    return plain_document(result, f"The area under the {result.kind.upper()} curve is {number(result.area)}")


@document.register
def _(result: Resampled) -> Document:
    what = "certainty ratio" if result.share_above is None else "difference of the certainty ratios"
    value = f"The {what} of {label_of(result.metric)} is {number(result.value)}"
    return plain_document(result, f"{value}, {level(result.level)} interval {between(result.low, result.high)}")


def _ratio_words(ratio: CertaintyRatio) -> str:
    if ratio.value is None:
        return ": ".join([f"The certainty ratio of {ratio.label} is undefined", *ratio.reasons[:1]])
    return f"The certainty ratio of {ratio.label} is {number(ratio.value)}"


def _blocks(result: Overview) -> Iterator[Block]:
    several = len(result.models) > 1
    yield Items([_model_line(result, name, named=several) for name in result.models], place="page")
    yield Chart("certainty", "Each metric on the certain and on the uncertain part of the predictions.")
    for name, model in result.models.items():
        yield Heading(name, place="everywhere" if several else "page")
        yield _ratio_grid(result, name)
        yield Sentence(_mass_line(model), quiet=True)
        yield Chart("matrices", "Four ways to count: rows are actual classes, columns predicted ones.", of=name)
    if result.curves:
        yield Heading("Curves", place="page")
        yield Chart(
            "mcp", "How close each row comes to being certain of its class, in falling order; rows count the same."
        )
        yield Chart("imcp", "The same, with classes counting the same.")
    yield Notes(result.notes)


def _model_line(result: Overview, name: str, *, named: bool) -> str:
    """Say what each certainty ratio of a model is, and how much probability lies on what it predicts."""
    ratios = [ratio for (model, part, _), ratio in result.ratios.items() if model == name and part is None]
    values = listed([f"{ratio.label} {number(ratio.value)}" for ratio in ratios])
    certain = percent(result.models[name].weight_certain)
    lead = f"{name}: certainty" if named else "Certainty"
    return f"{lead} ratio of {values}; {certain} of the probability lies on predicted classes"


def _ratio_grid(result: Overview, name: str) -> Grid:
    several = bool(result.models[name].parts)
    last = list(result.models[name].named_parts())[-1] if several else None
    part_column = [Column("part", "text")] if several else []
    numbers = [Column(part) for part in _PARTS]
    columns = [Column("metric", "text"), *part_column, *numbers, Column("certainty ratio"), Column("note", "words")]
    rows: list[list[Any]] = []
    for (model, part, _), ratio in result.ratios.items():
        if model != name:
            continue
        shown_part = ["(all)" if part is None else part] if several else []
        values = [getattr(ratio, kind) for kind in _PARTS]
        value = Cell(ratio.value, marked=ratio.value is not None)
        rows.append([ratio.label, *shown_part, *values, value, "; ".join(ratio.reasons)])
        if several and part == last:
            rows.append([ratio.label, *_mean_row(result, name, ratio.metric)])
    return Grid(f"Scores of {name}", columns, rows)


def _mean_row(result: Overview, name: str, metric_name: str) -> list[Any]:
    """Return the means over the parts, which need not be the pooled numbers."""
    whole = result.models[name]
    means = [whole.over_parts(metric_name, convention=result.convention, of=part) for part in (*_PARTS, "value")]
    left = means[-1].undefined
    words = f"without {count_of(left, 'undefined part')}" if left else ""
    return ["mean", *(mean.mean for mean in means), words]


def _mass_line(model: Decomposition) -> str:
    certain, uncertain = number(model.weight_certain), number(1 - model.weight_certain)
    most = model.largest_divergence
    mass = f"{model.rows_read} rows   mass certain {certain}, uncertain {uncertain}"
    divergence = f"divergence {number(model.divergence)}" + (f" (at most {number(most)})" if most else "")
    return f"{mass}   {divergence}   rows tied at the top: {model.tied}"
