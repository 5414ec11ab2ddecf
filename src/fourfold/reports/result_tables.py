"""Tables of results in documents, each read as one experiment: its rows share a test set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated, Any, Final

from ..claims import Lead, ReadTable, SharedSizes, read_results
from ..documents.blocks import Place
from ..errors import FourfoldError, Note
from ..shape import Record
from .judging import SIZES, Finding

# A table takes up to half a second, so that of very many the first ones are read.
_MOST_TABLES: Final = 10
# Rows of tables that are searched for scores which no array decides.
_BUDGET: Final = 200_000
# Fewer rows of unknown sizes agree on some test set by chance.
_LEAST_ROWS: Final = 3
# What chance gives more often than this is not told.
_OFTEN: Final = 0.05


@dataclass(frozen=True)
class ResultsTable(Record, members="document where sizes leads tied"):
    """A table of results whose rows share a test set."""

    document: Annotated[str, "The document's name; empty for text without one."]
    where: Annotated[Place, "Where its first row of scores stands."]
    read: ReadTable

    @property
    def sizes(self) -> Annotated[SharedSizes, "The sizes of the test set that its rows can share."]:
        """The sizes of the test set that its rows can share."""
        return self.read.sizes

    @property
    def leads(self) -> Annotated[tuple[Lead, ...], "By how much its best row leads each other in accuracy."]:
        """By how much its best row leads each other."""
        return self.read.leads

    @property
    def tied(self) -> Annotated[tuple[str, ...], "The best row and those that no overlap of errors tells it from."]:
        """The best row and those that it cannot be told from."""
        return self.read.tied


def results_tables(findings: Sequence[Finding]) -> tuple[tuple[ResultsTable, ...], tuple[Note, ...]]:
    """Return the tables among some findings whose rows tell something together, and a note where there are too many."""
    groups = groupby(findings, key=lambda one: (one.document, one.report.table))
    tables = [rows for (_, place), group in groups if place is not None and len(rows := [*filter(_is_row, group)]) > 1]
    left = len(tables) - _MOST_TABLES
    words = f"{left} more tables were not read as one experiment: `fourfold sizes` reads one"
    notes = (Note("tables_left_out", words, {"tables": left}),) if left > 0 else ()
    return tuple(_read(tables[:_MOST_TABLES])), notes


def _is_row(finding: Finding) -> bool:
    """Tell whether a finding is about scores of two classes on one test set, as far as is printed."""
    asked, report = finding.asked, finding.report
    is_mean = report.means or asked.get("folds", "none") != "none"
    return bool(asked) and report.kind == "scores" and not is_mean and not any("[" in name for name in asked)


def _read(tables: Sequence[Sequence[Finding]]) -> Iterator[ResultsTable]:
    for rows in tables:
        said = [{name: row.asked.get(name) for name in SIZES} for row in rows]
        known: dict[str, Any] = said[0] if all(each == said[0] for each in said) else {}
        is_sized = None not in (known.get("positives"), known.get("negatives"))
        if not is_sized and len(rows) < _LEAST_ROWS:
            continue
        named = [
            (row.report.title or f"row {i}", {name: row.asked[name] for name in row.checked if name in row.asked})
            for i, row in enumerate(rows, 1)
        ]
        try:
            read = read_results(named, budget=_BUDGET, **known)
        except FourfoldError:
            continue  # scores that no table of two classes decides, or sizes that are too large
        chance = read.sizes.chance
        if read.leads or (chance is not None and chance < _OFTEN):
            yield ResultsTable(rows[0].document, rows[0].report.table or rows[0].report.where, read)
