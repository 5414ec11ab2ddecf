"""What came of doing a paper again: its figures and tables, its statements, and whether they hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeAlias

from fourfold.errors import Notes
from fourfold.shape import Count, Members, Record, Result, named

#: A figure or table comes out as printed or stated; comes out, but not so; is made, but what is printed was not at hand
#: or data is missing; or cannot be made here.
Agreement: TypeAlias = Literal["reproduced", "differs", "in part", "not reproduced"]
Words: TypeAlias = Annotated[str, "Why, with names in braces where numbers go."]
Numbers: TypeAlias = Annotated[Mapping[str, Any], "Those numbers, by name."]


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
    #: Each record is a point of its own, with no lines between them.
    points: bool = False
    #: Each value holds up to the next, as in a distribution function.
    steps: bool = False
    #: Panels in a row.
    columns: int = 4
    #: All panels share one axis of values.
    shared_y: bool = True


@dataclass(frozen=True)
class Part(Record):
    """One figure or table of the paper.

    `words` say why the verdict is what it is; a name in braces stands for one of the `numbers`.
    """

    place: Annotated[str, "Where in the paper: Figure 1, Table 2."]
    title: Annotated[str, "What it shows."]
    verdict: Annotated[Agreement, "The outcome."]
    words: Words
    numbers: Numbers = field(default_factory=dict)
    records: Annotated[
        tuple[dict[str, Any], ...],
        "Its numbers: points of lines or cells of a table, by column; where a printed number stands beside one that "
        "was found, `row`, `column`, `paper`, `found` and `agrees`.",
    ] = ()
    view: View | None = None

    @property
    def slug(self) -> str:
        """Return the name of its files."""
        return self.place.lower().replace(" ", "-")


@dataclass(frozen=True)
class Statement(Record):
    """Something the paper says in words, and whether the numbers agree: `holds` is None if they cannot tell."""

    place: Annotated[str, "Where in the paper."]
    says: Annotated[str, "What it says, in other words."]
    holds: Annotated[bool | None, "Whether it is true; null if the numbers cannot tell."]
    words: Words
    numbers: Numbers = field(default_factory=dict)

    @property
    def outcome(self) -> str:
        """Whether it is true, in words."""
        return {True: "true", False: "false", None: "not decided"}[self.holds]


@dataclass(frozen=True)
class Reproduction(Result, schema="reproduction", version=2, source="`reproduce`"):
    """A paper that was reproduced: every figure and table with its verdict, every statement with true or false."""

    name: Annotated[str, "Which experiments."]
    paper: Annotated[str, "The paper's authors, year and subject."]
    parts: Annotated[tuple[Part, ...], "Every figure and table."]
    statements: Annotated[tuple[Statement, ...], "What the paper says in words."] = ()
    notes: Notes = ()

    def _members(self) -> Members:
        return self.name, self.paper, self.agree, named("of", self.compared), self.parts, self.statements, self.notes

    @property
    def agree(self) -> Count:
        """How many of the printed numbers come out to the printed digit."""
        return sum(record["agrees"] for record in self._compared())

    @property
    def compared(self) -> Count:
        """How many numbers were compared with printed ones."""
        return len(self._compared())

    def _compared(self) -> list[dict[str, Any]]:
        return [record for part in self.parts for record in part.records if "agrees" in record]

    def _rows(self) -> list[dict[str, Any]]:
        """Return a record for each figure, table and statement."""
        rows: list[tuple[str, str, str]] = [(part.place, part.title, part.verdict) for part in self.parts]
        rows += [(statement.place, statement.says, statement.outcome) for statement in self.statements]
        return [dict(zip(("place", "about", "outcome"), row, strict=True)) for row in rows]
