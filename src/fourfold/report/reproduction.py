"""Papers done again."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from ..reproduce import Experiments, Part, Reproduction
from ..words import decimals, figures, listed, number, sentence, worded
from .shapes import Section, note_lines, notes_section, number_grid, sections, title, to_text, word_grid


@to_text.register
def _(result: Reproduction) -> RenderableType:
    shown: list[RenderableType] = [Text(title(result), style="bold"), _parts_grid(result)]
    if result.statements:
        shown += [Text("What the paper says, and whether it is so", style="bold"), _statements_grid(result)]
    return Group(*shown, *note_lines(result.notes))


@to_text.register
def _(result: Experiments) -> RenderableType:
    grid = word_grid("name", "minutes", "what", "needs")
    for each in result.entries:
        grid.add_row(each.name, f"about {each.minutes}", Text(each.what), Text(each.needs))
    return Group(grid, Text("Minutes are for two processes: --jobs 2. Figures need fourfold[plots].", style="dim"))


def _parts_grid(result: Reproduction) -> Grid:
    grid = word_grid("place", "outcome", "what and why")
    for part in result.parts:
        grid.add_row(part.place, part.verdict, Text(f"{part.title}: {worded(part.words, part.numbers)}"))
    return grid


def _statements_grid(result: Reproduction) -> Grid:
    grid = word_grid("place", "so?", "the paper says", "found")
    for each in result.statements:
        grid.add_row(each.place, each.outcome, Text(each.says), Text(sentence(worded(each.words, each.numbers))))
    return grid


def _part_grid(part: Part) -> Grid:
    """Return the numbers of a table: where some are printed, in their rows and columns beside what was found."""
    if not all("agrees" in record for record in part.records):
        names = list(dict.fromkeys(name for record in part.records for name in record))
        grid = number_grid(*names)
        for record in part.records:
            grid.add_row(*(figures(record.get(name, "")) for name in names))
        return grid
    cells = {(record["row"], record["column"]): record for record in part.records}
    columns = list(dict.fromkeys(column for _, column in cells))
    grid = number_grid("", *columns)
    for row in dict.fromkeys(row for row, _ in cells):
        grid.add_row(Text(row), *(_beside(cells.get((row, column))) for column in columns))
    return grid


def _beside(record: dict[str, Any] | None) -> str:
    """Return what was found with one digit more than is printed, and what is printed; a cross where they differ."""
    if record is None:
        return ""
    paper, value = str(record["paper"]), record["found"]
    exact = isinstance(value, float) and "." in paper
    shown = number(value, decimals(paper) + 1) if exact else figures(value)
    return f"{shown} ({paper}){'' if record['agrees'] else ' ✗'}"


def to_markdown(part: Part) -> str:
    """Return a table of a paper as markdown."""
    grid = _part_grid(part)
    heads = [str(column.header) for column in grid.columns]
    rows = zip(*([str(cell) for cell in column.cells] for column in grid.columns), strict=True)
    lines = [heads, ["---"] * len(heads), *rows]
    table = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
    about = f"{part.verdict}: {worded(part.words, part.numbers)}"
    return f"# {part.place}: {part.title}\n\n{sentence(about)}\n\n{table}\n"


@title.register
def _(result: Reproduction) -> str:
    outcomes = [part.verdict for part in result.parts]
    words = [f"{outcomes.count(verdict)} {verdict}" for verdict in dict.fromkeys(outcomes)]
    heading = f"{result.name}: of {len(outcomes)} figures and tables {listed(words)}"
    return f"{heading}; {result.agree} of {result.compared} printed numbers agree" if result.compared else heading


# A page shows the numbers of a table up to so many; all are in the files beside it.
_SHOWN = 400


@sections.register
def _(result: Reproduction) -> list[Section]:
    parts = [Section("parts", "Figures and tables", [Text(result.paper)], [_parts_grid(result)])]
    if result.statements:
        parts.append(Section("statements", "What the paper says, and whether it is so", (), [_statements_grid(result)]))
    for part in result.parts:
        words = [Text(sentence(f"{part.verdict}: {worded(part.words, part.numbers)}".rstrip(".") + "."))]
        table = [] if part.view or not 0 < len(part.records) <= _SHOWN else [_part_grid(part)]
        if part.records and not table:
            words.append(Text(f"The numbers are in {part.slug}.csv.", style="dim"))
        parts.append(Section(part.place, f"{part.place}: {part.title}", words, table))
    return parts + notes_section(result.notes)
