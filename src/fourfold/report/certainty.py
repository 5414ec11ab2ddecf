"""What scores rest on."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from ..certainty import Decomposition, Overview
from .numbers import listed, many, number
from .shapes import Section, note_lines, notes_section, number_grid, sections, title, to_text


@to_text.register
def _(result: Overview) -> RenderableType:
    parts: list[RenderableType] = []
    for name, model in result.models.items():
        heading = [Text(name, style="bold")] if len(result.models) > 1 else []
        parts += [*heading, _ratio_grid(result, name), Text(_mass_line(model), style="dim"), ""]
    return Group(*parts[:-1], *note_lines(result.notes))


def _ratio_grid(result: Overview, name: str) -> Grid:
    several = bool(result.models[name].parts)
    last = list(result.models[name].named_parts())[-1] if several else None
    lead = ["metric", *(["part"] if several else [])]
    grid = number_grid(*lead, "hard", "soft", "certain", "uncertain", "certainty ratio", "note")
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


@title.register
def _(result: Overview) -> str:
    return f"Certainty of {listed(list(result.models))}"


@sections.register
def _(result: Overview) -> list[Section]:
    models = [
        Section(name, name, (), [_ratio_grid(result, name), Text(_mass_line(model), style="dim")])
        for name, model in result.models.items()
    ]
    return models + notes_section(result.notes)
