"""What every reader hands on: blocks of a document in their order, each row or line with its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final, NamedTuple, TypeAlias

#: What a column is said to be that is not to be used.
UNUSED: Final = "not used"


class Place(NamedTuple):
    """Where something stands in a document."""

    line: Annotated[int | None, "The line, from 1; in a notebook the line of the cell."] = None
    page: Annotated[int | None, "The page, from 1."] = None
    sheet: Annotated[str | None, "The sheet of a workbook."] = None
    cell: Annotated[str | None, "The cell: B7 of a sheet, or the number of a notebook's cell from 1."] = None

    def __str__(self) -> str:
        parts = (
            self.sheet,
            self.cell and (self.cell if self.sheet is not None else f"cell {self.cell}"),
            self.page and f"page {self.page}",
            self.line and f"line {self.line}",
        )
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True)
class Lines:
    """A run of text with its columns kept: a paragraph, a code block, an output, a page."""

    texts: tuple[str, ...]
    places: tuple[Place, ...]

    def __iter__(self) -> Iterator[tuple[Place, str]]:
        return zip(self.places, self.texts, strict=True)


@dataclass(frozen=True)
class Grid:
    """A table: rows of cells, all of one length, as plain text without marks of bold and the like.

    A cell that spans several rows or columns stands in each of them.
    """

    rows: tuple[tuple[str, ...], ...]
    places: tuple[Place, ...]
    caption: str = ""
    #: How many rows at the top the document itself marks as heads; None where it does not say.
    heads: int | None = None
    #: What somebody says that columns are, by their heads: the name of a score or a size, or `UNUSED`.
    said: Mapping[str, str] = field(default_factory=dict)
    #: Of data: the keys of what it stands in, from the outermost; None in other documents.
    inside: tuple[str, ...] | None = None


Block: TypeAlias = Lines | Grid
