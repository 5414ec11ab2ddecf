"""What is wrong with some rows of a file, while the rest is read: it is counted, and told by the first of its kind."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from ..errors import InputError, Note, verbatim
from ..words import count_of

#: What can be wrong with a row, as programs read it.
QUOTE, WIDTH, LENGTH, EMPTY = "quote", "columns", "length", "empty"
_PROBLEMS: Final = {
    QUOTE: "a quote that is not closed, or is closed within a cell",
    WIDTH: "too few or too many columns",
    LENGTH: "a cell that is far too long",
    EMPTY: "empty cells only",
}
_HINTS: Final = {
    QUOTE: "close the quote, or write it twice within quotes",
    WIDTH: "every row needs a value for each column of the header",
    LENGTH: "check whether a quote is left open",
}


class _Some(NamedTuple):
    """How many lines, and the first of them in words."""

    lines: int
    first: str


@dataclass
class Faults:
    """Rows that were left out, and lines that were read in another encoding than UTF-8."""

    #: Where rows that were left out stood among all rows of all files.
    places: list[int] = field(default_factory=list)
    _left_out: dict[str, _Some] = field(default_factory=dict)
    _recoded: dict[str, _Some] = field(default_factory=dict)
    _encodings: dict[str, str] = field(default_factory=dict)

    def leave_out(self, kind: str, where: str, place: int) -> None:
        """Count a row that cannot be read."""
        self.places.append(place)
        before = self._left_out.get(kind, _Some(0, where))
        self._left_out[kind] = before._replace(lines=before.lines + 1)

    def recode(self, line: int, file: Path) -> None:
        """Count a line with bytes that are not UTF-8."""
        before = self._recoded.get(file.name, _Some(0, f"line {line}"))
        self._recoded[file.name] = before._replace(lines=before.lines + 1)

    def encoded(self, file: Path, encoding: str) -> None:
        """Remember that a file is not in UTF-8 as a whole."""
        self._encodings[file.name] = encoding.upper()

    def refused(self, argument: str = "data") -> InputError | None:
        """Return what to say where no row is left; None where none was left out."""
        unread = {kind: some for kind, some in self._left_out.items() if kind != EMPTY}
        if not unread:
            return None
        kind, some = max(unread.items(), key=lambda item: item[1].lines)
        code = "length_mismatch" if kind == WIDTH else "bad_shape"
        shown = verbatim(
            f"{some.first}, as the first of {count_of(some.lines, 'row')}" if some.lines > 1 else some.first
        )
        return InputError(code, argument, f"every row has {_PROBLEMS[kind]}", shown, _HINTS[kind])

    @property
    def notes(self) -> tuple[Note, ...]:
        """All of it in words."""
        return (*self._on_rows(), *self._on_encodings())

    def _on_rows(self) -> list[Note]:
        return [
            Note(
                "rows_left_out",
                f"{count_of(some.lines, 'row')} left out because of {_PROBLEMS[kind]}: "
                f"{'the first is ' if some.lines > 1 else ''}{some.first}",
                {"reason": kind, "rows": some.lines, "first": some.first},
            )
            for kind, some in self._left_out.items()
        ]

    def _on_encodings(self) -> list[Note]:
        notes = [
            Note("encoding_found", f"{file} was read as {encoding}", {"file": file, "encoding": encoding})
            for file, encoding in self._encodings.items()
        ]
        for file, some in self._recoded.items():
            words = (
                f"{file} is not in UTF-8: letters of {count_of(some.lines, 'line')} were read as Windows-1252 (Latin-1)"
            )
            words += f", {'the first is ' if some.lines > 1 else ''}{some.first}"
            data = {"file": file, "encoding": "WINDOWS-1252", "lines": some.lines, "first": some.first}
            notes.append(Note("encoding_found", words, data))
        return notes


def bad_row(kind: str, where: str) -> InputError:
    """Say what is wrong with one row, in that row."""
    code = "length_mismatch" if kind == WIDTH else "bad_shape"
    problem = "has more cells than the header" if kind == WIDTH else f"has {_PROBLEMS[kind]}"
    hint = "quote cells that hold the delimiter" if kind == WIDTH else _HINTS[kind]
    return InputError(code, "row", problem, verbatim(where), hint)
