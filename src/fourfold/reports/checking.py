"""Documents in, findings out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

from ..errors import FourfoldError, InputError, Notes
from ..shape import Record, Result
from .blocks import Place
from .judging import CheckVerdict, Finding, Given, judge
from .recognition import find_reports
from .report import ReadColumn, Report

#: A text, or the path of a document.
Document: TypeAlias = str | Path

#: What a check may fail on, from the strictest.
FAIL_ON: Final = ("never", "impossible", "condition")
VERDICTS: Final[tuple[CheckVerdict, ...]] = (
    "possible",
    "possible only if",
    "impossible",
    "undecided",
    "not checked",
)


@dataclass(frozen=True)
class CheckedDocument(Record):
    """A document that was checked."""

    name: Annotated[str, "Its name; empty for text without one."]
    reports: Annotated[int, "How many reports stand in it."]
    error: Annotated[str | None, "Why it could not be read."] = None


@dataclass(frozen=True)
class CheckedTable(Record):
    """A table of scores, and what its columns were taken for."""

    document: Annotated[str, "The document's name; empty for text without one."]
    where: Annotated[Place, "Where its first row of scores stands."]
    columns: Annotated[tuple[ReadColumn, ...], "Its columns, in order."]


@dataclass(frozen=True)
class Check(Result, schema="check", source="`check`", members="verdict documents counts tables findings notes"):
    """What documents say about classifiers, and whether it is possible."""

    documents: Annotated[tuple[CheckedDocument, ...], "The documents, in order."]
    findings: Annotated[tuple[Finding, ...], "Every report that was found, in order."]
    notes: Notes = ()

    @property
    def counts(self) -> Annotated[dict[str, int], "How many reports got each verdict."]:
        """How many reports got each verdict."""
        return {
            verdict: n for verdict in VERDICTS if (n := sum(finding.verdict == verdict for finding in self.findings))
        }

    @property
    def verdict(self) -> Annotated[CheckVerdict, "The worst verdict of all: impossible, then undecided, and so on."]:
        """The worst verdict of all."""
        order: tuple[CheckVerdict, ...] = ("impossible", "undecided", "possible only if", "possible")
        return next((verdict for verdict in order if verdict in self.counts), "not checked")

    @property
    def tables(self) -> Annotated[tuple[CheckedTable, ...], "The tables of scores, and what columns were taken for."]:
        """The tables of scores that were found, and what their columns were taken for."""
        found: dict[tuple[str, Place], CheckedTable] = {}
        for finding in self.findings:
            table, columns = finding.report.table, finding.report.columns
            if table is not None and columns:
                found.setdefault((finding.document, table), CheckedTable(finding.document, table, columns))
        return tuple(found.values())

    def failing(self, fail_on: str = "impossible") -> tuple[Finding, ...]:
        """Return the findings on which a build should fail: "impossible" ones, on "condition" also "only if"."""
        if fail_on not in FAIL_ON:
            raise InputError("bad_option", "fail_on", "unknown word", fail_on, f"one of {', '.join(FAIL_ON)}")
        bad = {"never": (), "impossible": ("impossible",), "condition": ("impossible", "possible only if")}[fail_on]
        return tuple(finding for finding in self.findings if finding.verdict in bad)

    def named(self, names: Mapping[str, str]) -> Check:
        """Return the same with other names of documents."""
        documents = tuple(replace(one, name=names.get(one.name, one.name)) for one in self.documents)
        findings = tuple(replace(one, document=names.get(one.document, one.document)) for one in self.findings)
        return replace(self, documents=documents, findings=findings)

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record a report."""
        return [finding_row(finding) for finding in self.findings]


def finding_row(finding: Finding) -> dict[str, Any]:
    """Return a finding as a flat record."""
    table = finding.only_table or dict.fromkeys(("tp", "fn", "fp", "tn"))
    return {
        "document": finding.document,
        "where": str(finding.report.where),
        "kind": finding.report.kind,
        "title": finding.report.title,
        "verdict": finding.verdict,
        "words": finding.words,
        "wrong": "; ".join(f"{one.name}: {one.printed}, the matrix gives {one.given}" for one in finding.wrong),
        **table,
        "checked": ", ".join(finding.checked),
        "assumed": "; ".join(finding.report.assumed),
        "ignored": "; ".join(finding.ignored),
    }


def read(document: Document) -> list[Report]:
    """Read what a text or a document says about classifiers: reports, matrices, tables of scores.

    Parameters
    ----------
    document
        A text, or the path of a file: text, markdown, HTML, LaTeX, CSV, JSON, a notebook, a spreadsheet, Word or PDF.
        A text of one line that names a file is a path.

    Examples
    --------
    >>> [report] = read("tp=55, tn=20, fp=13, fn=9. Accuracy: 0.773")
    >>> report.matrix, report.scores
    (((20, 13), (9, 55)), {'accuracy': '0.773'})
    """
    return list(find_reports(document))


def check(
    *documents: Document,
    positives: Any = None,
    negatives: Any = None,
    total: Any = None,
    folds: Any = None,
    over: str = "any",
    spread: str = "any",
    rounding: str = "any",
    undefined: str = "any",
    n_jobs: int = 1,
    progress: Callable[[float], None] | None = None,
) -> Check:
    """Check everything that documents say about classifiers.

    Parameters
    ----------
    documents
        Texts, or paths of files; see `read`.
    positives, negatives, total, folds
        Sizes, and over how many folds scores are means, for scores about which the document does not say it.
    over, spread, rounding, undefined
        How scores are to be read, as for `recover`.
    n_jobs
        How many processes work at it, through joblib.
    progress
        Called with the share of documents that are done.

    Examples
    --------
    >>> found = check("tp=55, tn=20, fp=13, fn=9. Accuracy: 0.853")
    >>> found.verdict, found.findings[0].wrong[0].given
    ('impossible', 0.7731958762886598)
    """
    given = Given(positives, negatives, total, folds, over, spread, rounding, undefined)
    done: list[tuple[CheckedDocument, list[Finding]]] = []
    for place, one in enumerate(_checked(documents, given, n_jobs), 1):
        done.append(one)
        if progress is not None:
            progress(place / len(documents))
    findings = tuple(finding for _, own in done for finding in own)
    return Check(tuple(document for document, _ in done), findings)


def _checked(
    documents: Sequence[Document], given: Given, n_jobs: int
) -> Iterable[tuple[CheckedDocument, list[Finding]]]:
    work = partial(check_document, given=given)
    if n_jobs == 1 or len(documents) == 1:
        return map(work, documents)
    from joblib import Parallel, delayed

    return Parallel(n_jobs=n_jobs, return_as="generator")(delayed(work)(document) for document in documents)  # type: ignore[no-any-return]


def check_document(document: Document, given: Given) -> tuple[CheckedDocument, list[Finding]]:
    """Check one document; what is wrong with it does not stop the others."""
    name = str(document) if isinstance(document, Path) else ""
    try:
        findings = list(findings_of(document, given, name))
    except FourfoldError as error:
        return CheckedDocument(name, 0, str(error)), []
    return CheckedDocument(name, len(findings)), findings


def findings_of(document: Document, given: Given, name: str) -> Iterator[Finding]:
    """Walk the reports of a document, each with its verdict."""
    for report in find_reports(document):
        yield judge(report, given, name)
