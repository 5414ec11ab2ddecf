"""Papers done again as documents: all words about them stand here or in texts.csv."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from fourfold.answers import document
from fourfold.document import Block, Chart, Column, Document, Grid, Heading, Notes, Sentence
from fourfold.words import decimals, figures, listed, number, sentence, worded

from .listing import Experiments
from .outcome import Part, Reproduction

# A page shows the numbers of a table up to this many; all are in the files beside it.
_MOST_NUMBERS: Final = 400
_STATEMENTS: Final = "Statements, and whether they hold"


@document.register
def _(result: Experiments) -> Document:
    columns = [Column("name", "text"), Column("minutes", "text"), Column("what", "words"), Column("needs", "words")]
    rows = [(entry.name, f"about {entry.minutes}", entry.what, entry.needs) for entry in result.entries]
    words = "Minutes are for two processes: --jobs 2. Figures need fourfold[plots]."
    title = f"{len(rows)} papers and fields can be reproduced"
    return Document("Papers", title, blocks=[Grid("Papers", columns, rows), Sentence(words, quiet=True)])


@document.register
def _(result: Reproduction) -> Document:
    return Document("A paper done again", _title(result), blocks=list(_blocks(result)))


def _title(result: Reproduction) -> str:
    outcomes = [part.verdict for part in result.parts]
    counts = [f"{outcomes.count(verdict)} {verdict}" for verdict in dict.fromkeys(outcomes)]
    title = f"{result.name}: of {len(outcomes)} figures and tables {listed(counts)}"
    return f"{title}; {result.agree} of {result.compared} printed numbers agree" if result.compared else title


def _blocks(result: Reproduction) -> Iterator[Block]:
    yield Sentence(_title(result), strong=True, place="terminal")
    yield Heading("Figures and tables", place="page")
    yield Sentence(result.paper, place="page")
    columns = [Column("place", "text"), Column("outcome", "text"), Column("what and why", "words")]
    rows: list[Any] = [(part.place, part.verdict, f"{part.title}: {_why(part)}") for part in result.parts]
    yield Grid("Figures and tables", columns, rows)
    if result.statements:
        yield Heading(_STATEMENTS)
        columns = [Column("place", "text"), Column("holds?", "text"), Column("statement", "words")]
        rows = [
            (statement.place, statement.outcome, statement.says, sentence(_why(statement)))
            for statement in result.statements
        ]
        yield Grid(_STATEMENTS, [*columns, Column("found", "words")], rows)
    for part in result.parts:
        yield from _part_blocks(part)
    yield Notes(result.notes)


def _part_blocks(part: Part) -> Iterator[Block]:
    """Yield a figure or table on a page: its heading, why the verdict is what it is, its picture or its numbers."""
    heading = f"{part.place}: {part.title}"
    yield Heading(heading, place="page")
    yield Sentence(f"{verdict_and_why(part).rstrip('.')}.", place="page")
    if part.view:
        yield Chart("figure", f"{part.place}, drawn from the numbers found here.", of=part.place)
    elif 0 < len(part.records) <= _MOST_NUMBERS:
        yield part_grid(part)
        return
    if part.records:
        yield Sentence(f"The numbers are in {part.slug}.csv.", quiet=True, place="page")


def _why(statement: Any) -> str:
    return worded(statement.words, statement.numbers)


def verdict_and_why(part: Part) -> str:
    """Return what came of a figure or table, and why."""
    return sentence(f"{part.verdict}: {_why(part)}")


def part_grid(part: Part) -> Grid:
    """Return the numbers of a table: where some are printed, in their rows and columns beside what was found."""
    if not all("agrees" in record for record in part.records):
        names = list(dict.fromkeys(name for record in part.records for name in record))
        records = [[figures(record.get(name, "")) for name in names] for record in part.records]
        return Grid(part.title, _columns(names), records, place="page")
    cells = {(record["row"], record["column"]): record for record in part.records}
    names = list(dict.fromkeys(column for _, column in cells))
    rows = dict.fromkeys(row for row, _ in cells)
    shown = [[row, *(_beside(cells.get((row, name))) for name in names)] for row in rows]
    return Grid(part.title, _columns(["", *names]), shown, place="page")


def _columns(names: list[str]) -> list[Column]:
    return [Column(name, "printed" if i else "text") for i, name in enumerate(names)]


def _beside(record: dict[str, Any] | None) -> str:
    """Return what was found with one digit more than is printed, and what is printed; a cross where they differ."""
    if record is None:
        return ""
    paper, value = str(record["paper"]), record["found"]
    exact = isinstance(value, float) and "." in paper
    shown = number(value, decimals(paper) + 1) if exact else figures(value)
    return f"{shown} ({paper}){'' if record['agrees'] else ' ✗'}"
