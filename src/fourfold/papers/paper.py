"""What the package keeps of a paper: the numbers it prints, and words about its figures, tables and statements."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from fourfold import Note
from fourfold.words import decimals

from .outcome import Agreement, Part, Reproduction, Statement, View


@cache
def table(name: str) -> tuple[dict[str, str], ...]:
    """Read one of the small tables that come with the package."""
    text = (files(__package__) / name).read_text(encoding="utf-8")
    return tuple(csv.DictReader(text.splitlines()))


class Paper(NamedTuple):
    """A paper by its name in the tables.

    In texts.csv a name in angle brackets stands for a text that is given here, one in braces for one of the numbers.
    """

    name: str

    def printed(self, place: str) -> dict[tuple[str, str], str]:
        """Return what is printed at a place, as printed, by row and column."""
        lines = (line for line in table("printed.csv") if (line["paper"], line["place"]) == (self.name, place))
        return {(line["row"], line["column"]): line["value"] for line in lines}

    def printed_row(self, place: str, row: str) -> dict[str, str]:
        """Return a row of what is printed at a place, by column."""
        return {column: value for (name, column), value in self.printed(place).items() if name == row}

    def part(
        self,
        key: str,
        verdict: Agreement | bool,
        numbers: Mapping[str, Any] | None = None,
        records: Iterable[dict[str, Any]] = (),
        view: View | None = None,
        *,
        place: str | None = None,
        **texts: str,
    ) -> Part:
        """Return a figure or table; where the verdict is a truth value, that tells whether it comes out as printed."""
        if isinstance(verdict, bool):
            verdict = "reproduced" if verdict else "differs"
        own_place, title, words = self._texts(key, texts)
        return Part(place or own_place, title, verdict, words, numbers or {}, tuple(records), view)

    def statement(
        self, key: str, holds: bool | None, numbers: Mapping[str, Any] | None = None, **texts: str
    ) -> Statement:
        """Return a statement of the paper with what came of it."""
        place, says, words = self._texts(key, texts)
        return Statement(place, says, holds, words, numbers or {})

    def reproduction(
        self, parts: Iterable[Part], statements: Iterable[Statement], notes: Iterable[Note] = ()
    ) -> Reproduction:
        """Return all of it."""
        return Reproduction(self.name, self._texts("title", {})[1], tuple(parts), tuple(statements), tuple(notes))

    def _texts(self, key: str, texts: Mapping[str, str]) -> tuple[str, str, str]:
        """Return the place, the title or statement, and the words that belong to a key."""
        line = next(line for line in table("texts.csv") if (line["paper"], line["key"]) == (self.name, key))
        says, words = line["says"], line["words"]
        for name, text in texts.items():
            says, words = says.replace(f"<{name}>", text), words.replace(f"<{name}>", text)
        return line["place"], says, words


def compared(row: str, column: str, printed: str, value: float | None) -> dict[str, Any]:
    """Return a record of a printed number and the value found here."""
    return {"row": row, "column": column, "paper": printed, "found": value, "agrees": agrees(printed, value)}


def agrees(printed: str, value: float | None) -> bool:
    """Tell whether rounding a value gives what is printed."""
    return value is not None and round(value, decimals(printed)) == float(printed)
