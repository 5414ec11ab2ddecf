"""From findings to a meta-analysis: the counts of each study in the columns that other programs read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from ..errors import InputError, Notes, suggestion
from ..shape import Count, Record, Result
from ..table import Table
from .judging import Finding

#: What each program calls the study, then its counts, each with the property of a table that it is.
PROGRAMS: Final[Mapping[str, Mapping[str, str]]] = {
    # R's mada: `madad` names studies by the column names; `reitsma` takes the four counts by these names.
    "mada": {"names": "", "TP": "tp", "FN": "fn", "FP": "fp", "TN": "tn"},
    # R's meta: the arguments of `metabin`; `metaprop` takes the same columns as event and n.
    "meta": {"studlab": "", "event.e": "tp", "n.e": "positives", "event.c": "fp", "n.c": "negatives"},
    # RevMan: the columns of the data table of a test, in its order.
    "revman": {"Study": "", "TP": "tp", "FP": "fp", "FN": "fn", "TN": "tn"},
}
#: What the columns of the second table end in, the one of the highest sensitivity.
HIGHEST: Final = ".high"


@dataclass(frozen=True)
class Study(Record):
    """A study with the tables that fit what it reports."""

    name: Annotated[str, "What it is called."]
    where: Annotated[str, "Where it is reported."]
    count: Annotated[Count, "How many tables fit."]
    tables: Annotated[tuple[Table, ...], "A table of the lowest and one of the highest sensitivity, or all."]
    sensitivity: Annotated[tuple[float | None, float | None], "The lowest and highest sensitivity; null if undefined."]
    specificity: Annotated[tuple[float | None, float | None], "The lowest and highest specificity; null if undefined."]


@dataclass(frozen=True)
class StudyLeftOut(Record):
    """A study whose counts are not written."""

    name: Annotated[str, "What it is called."]
    where: Annotated[str, "Where it is reported."]
    why: Annotated[str, "Why it is left out."]


@dataclass(frozen=True)
class Studies(
    Result,
    schema="studies",
    source="`check` with `--for`",
    members="program all_tables studies left_out notes",
):
    """Studies with the tables of counts that fit them, for a meta-analysis.

    `rows` has what the program reads: a row for each study. Counts are those of the only table that fits; of several
    those of a table with the lowest sensitivity, and columns that end in ``.high`` those of one with the highest. With
    all tables there is a row for each of them.
    """

    program: Annotated[str, "The program that the rows are for."]
    all_tables: Annotated[bool, "Whether each table has a row."]
    studies: Annotated[tuple[Study, ...], "The studies, in order."]
    left_out: Annotated[tuple[StudyLeftOut, ...], "Studies whose counts are not known, each with the reason."]
    notes: Notes = ()

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record a study, or a table."""
        return [row for study in self.studies for row in self._rows_of(study)]

    def _rows_of(self, study: Study) -> Iterator[dict[str, Any]]:
        name, *columns = PROGRAMS[self.program]
        counts = [{head: getattr(one, PROGRAMS[self.program][head]) for head in columns} for one in study.tables]
        if self.all_tables:
            yield from ({name: study.name, **cells, "tables": study.count} for cells in counts)
        else:
            high = {f"{head}{HIGHEST}": value for head, value in counts[-1].items()}
            yield {name: study.name, **counts[0], "tables": study.count, **high}


def studies(findings: Iterable[Finding], program: str, *, all_tables: bool = False) -> Studies:
    """Return the studies among findings: each report that is possible as it stands, if all tables of it are known."""
    if program not in PROGRAMS:
        hint = suggestion(program, PROGRAMS, f"one of {', '.join(PROGRAMS)}")
        raise InputError("bad_option", "program", "is not known", program, hint)
    kept: list[Study] = []
    left_out: list[StudyLeftOut] = []
    for finding in findings:
        where = f"{finding.document} {finding.report.where}".strip()
        name, why = finding.report.title or where, _why_not(finding)
        fit = None if why else finding.fitting
        if fit is None:
            left_out.append(StudyLeftOut(name, where, why or "its tables are not all known: give both sizes"))
            continue
        tables = tuple(fit.tables()) if all_tables else fit.ends
        rates = [(rate.low, rate.high) for rate in (fit.sensitivity, fit.specificity)]
        kept.append(Study(name, where, fit.count, tables, *rates))
    return Studies(program, all_tables, tuple(kept), tuple(left_out))


def _why_not(finding: Finding) -> str:
    """Say why the counts of a report are no study's; empty where they may be."""
    if finding.report.classes:
        return "which of its classes is positive is not said"
    if finding.printed_counts is not None:
        return ""
    if finding.verdict == "possible":
        of_parts = finding.recovery is not None and finding.recovery.layout == "parts"
        return "its scores are means, and of no one table" if of_parts else ""
    # What else was tried stands in the answer of a check.
    return finding.words.partition(". ")[0]
