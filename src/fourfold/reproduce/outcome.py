"""What came of doing a paper again: its figures and tables, its statements, and whether they hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ..errors import Note

#: A figure or table comes out as printed or stated; comes out, but not so; is made, but what is printed was not at hand
#: or data is missing; or cannot be made here.
Verdict: TypeAlias = Literal["reproduced", "differs", "in part", "not reproduced"]


@dataclass(frozen=True)
class View:
    """How a figure's records are drawn: lines over `x`, one for each kind of `series`, in a panel for each `panel`."""

    x: str
    y: str
    series: str
    panel: str | None = None
    #: A column told apart by solid and broken lines, where the series alone do not say all.
    dash: str | None = None
    #: The column of the standard deviation, drawn as error bars.
    spread: str | None = None
    #: What the axes say, by column.
    titles: Mapping[str, str] = field(default_factory=dict)
    log_x: bool = False
    #: Each value holds up to the next, as in a distribution function.
    steps: bool = False
    #: Panels in a row.
    columns: int = 4
    #: All panels share one axis of values.
    shared_y: bool = True


@dataclass(frozen=True)
class Part:
    """One figure or table of the paper.

    `words` say why the verdict is what it is; a name in braces stands for one of the `numbers`.
    """

    place: str
    title: str
    verdict: Verdict
    words: str
    numbers: Mapping[str, Any] = field(default_factory=dict)
    records: tuple[dict[str, Any], ...] = ()
    view: View | None = None

    @property
    def slug(self) -> str:
        """Return the name of its files."""
        return self.place.lower().replace(" ", "-")

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "place": self.place,
            "title": self.title,
            "verdict": self.verdict,
            "words": self.words,
            "numbers": dict(self.numbers),
            "records": [dict(record) for record in self.records],
        }


@dataclass(frozen=True)
class Statement:
    """Something the paper says in words, and what the numbers say of it: `holds` is None where they cannot tell."""

    place: str
    says: str
    holds: bool | None
    words: str
    numbers: Mapping[str, Any] = field(default_factory=dict)

    @property
    def outcome(self) -> str:
        """Whether it is so, in words."""
        return {True: "true", False: "false", None: "not decided"}[self.holds]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "place": self.place,
            "says": self.says,
            "holds": self.holds,
            "words": self.words,
            "numbers": dict(self.numbers),
        }


@dataclass(frozen=True)
class Reproduction:
    """A paper done again: every figure and table with its verdict, every statement with true or false."""

    name: str
    paper: str
    parts: tuple[Part, ...]
    statements: tuple[Statement, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def agree(self) -> int:
        """How many of the printed numbers come out to the printed digit."""
        return sum(1 for record in self._compared() if record["agrees"])

    @property
    def compared(self) -> int:
        """How many numbers were set beside printed ones."""
        return sum(1 for _ in self._compared())

    def _compared(self) -> Iterable[dict[str, Any]]:
        return (record for part in self.parts for record in part.records if "agrees" in record)

    def rows(self) -> list[dict[str, Any]]:
        """Return a record for each figure, table and statement."""
        parts = [{"place": part.place, "about": part.title, "outcome": part.verdict} for part in self.parts]
        return parts + [{"place": each.place, "about": each.says, "outcome": each.outcome} for each in self.statements]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "schema": "fourfold/reproduction",
            "version": 2,
            "name": self.name,
            "paper": self.paper,
            "agree": self.agree,
            "of": self.compared,
            "parts": [part.to_dict() for part in self.parts],
            "statements": [each.to_dict() for each in self.statements],
            "notes": [note.to_dict() for note in self.notes],
        }
