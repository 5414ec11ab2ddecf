"""Documents in, findings out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, get_args

from ..documents import open_document
from ..documents.blocks import Place
from ..errors import FourfoldError, InputError, Notes
from ..processes import share
from ..shape import Count, Record, Result
from .baseline import AcceptedFinding, Baseline, fingerprints
from .cells import CELLS
from .documents import CheckedDocument, Document, documents_in
from .joining import find_reports
from .judging import SEVERITY, CheckVerdict, Finding, Given, judge
from .kept import Found, KeptChecks
from .marks import without_marked
from .report import ReadColumn, Report
from .result_tables import ResultsTable, results_tables
from .studies import Studies, StudyLeftOut, studies

#: The verdicts on which a check fails, by what it may fail on: a verdict, or a worse one.
FAILING: Final[Mapping[str, tuple[CheckVerdict, ...]]] = {
    "never": (),
    **{verdict: SEVERITY[:number] for number, verdict in enumerate(SEVERITY[:4], 1)},
    # The word of the releases before.
    "condition": SEVERITY[:3],
}
FAIL_ON: Final = tuple(FAILING)
VERDICTS: Final[tuple[CheckVerdict, ...]] = get_args(CheckVerdict)


@dataclass(frozen=True)
class CheckedTable(Record):
    """A table of scores, and what its columns were taken for."""

    document: Annotated[str, "The document's name; empty for text without one."]
    where: Annotated[Place, "Where its first row of scores stands."]
    columns: Annotated[tuple[ReadColumn, ...], "Its columns, in order."]


@dataclass(frozen=True)
class Check(
    Result,
    schema="check",
    version=2,
    source="`check`",
    members="verdict documents counts accepted left_out gone tables results findings notes",
):
    """What documents say about classifiers, and whether it is possible."""

    documents: Annotated[tuple[CheckedDocument, ...], "The documents, in order."]
    findings: Annotated[tuple[Finding, ...], "Every report that was found, in order."]
    gone: Annotated[tuple[AcceptedFinding, ...], "Accepted findings that no longer occur."] = ()
    results: Annotated[tuple[ResultsTable, ...], "Tables of results whose rows tell something together."] = ()
    notes: Notes = ()
    #: The version of its JSON; the one before can be asked for.
    json_version: int = field(default=2, repr=False, compare=False)

    def to_dict(self, version: int | None = None) -> dict[str, Any]:
        """Return plain JSON values, in this version of the schema or in the one before."""
        now = super().to_dict()
        if (version or self.json_version) != 1:
            return now
        findings = [one | {"verdict": _version_1(one["verdict"])} for one in now["findings"]]
        counts = {_version_1(verdict): n for verdict, n in now["counts"].items()}
        return now | {"version": 1, "verdict": _version_1(now["verdict"]), "counts": counts, "findings": findings}

    @property
    def counts(self) -> Annotated[dict[str, int], "How many reports got each verdict."]:
        """How many reports got each verdict."""
        return {
            verdict: n for verdict in VERDICTS if (n := sum(finding.verdict == verdict for finding in self.findings))
        }

    @property
    def verdict(self) -> Annotated[CheckVerdict, "The worst verdict of all: impossible, then unexplained, and so on."]:
        """The worst verdict of all; what was not checked says nothing beside others."""
        checked = [verdict for verdict in SEVERITY if verdict in self.counts and verdict != "not checked"]
        return checked[0] if checked else "not checked"

    @property
    def tables(self) -> Annotated[tuple[CheckedTable, ...], "The tables of scores, and how their columns were read."]:
        """The tables of scores that were found, and how their columns were read."""
        found: dict[tuple[str, Place], CheckedTable] = {}
        for finding in self.findings:
            table, columns = finding.report.table, finding.report.columns
            if table is not None and columns:
                found.setdefault((finding.document, table), CheckedTable(finding.document, table, columns))
        return tuple(found.values())

    @property
    def accepted(self) -> Annotated[Count, "How many findings are accepted."]:
        """How many findings are accepted."""
        return sum(finding.accepted for finding in self.findings)

    @property
    def left_out(self) -> Annotated[Count, "How many reports are left out by marks in the documents."]:
        """How many reports are left out by marks in the documents."""
        return sum(document.left_out for document in self.documents)

    @property
    def _read(self) -> list[str]:
        """The names of the documents that could be read."""
        return [document.name for document in self.documents if document.error is None]

    def against(self, baseline: Baseline) -> Check:
        """Return the same with the findings of a baseline accepted, and with those of it that no longer occur."""
        known = {one.fingerprint for one in baseline.findings}
        marked = zip(fingerprints(self.findings), self.findings, strict=True)
        findings = tuple(replace(one, accepted=mark in known) for mark, one in marked)
        return replace(self, findings=findings, gone=baseline.gone(findings, self._read))

    def baseline(self, fail_on: str = "impossible", before: Baseline | None = None) -> Baseline:
        """Return a baseline that accepts all on which a build would fail.

        What another one, from `before`, accepts in documents that were not checked now stays accepted.
        """
        failing = [finding for finding in self.findings if finding.verdict in _failing_verdicts(fail_on)]
        others = before.of_others(self._read) if before is not None else ()
        return Baseline((*others, *Baseline.of(failing).findings))

    def failing(self, fail_on: str = "impossible") -> tuple[Finding, ...]:
        """Return the findings, except accepted ones, with the verdict on which a build should fail, or a worse one."""
        bad = _failing_verdicts(fail_on)
        return tuple(finding for finding in self.findings if finding.verdict in bad and not finding.accepted)

    def named(self, names: Mapping[str, str]) -> Check:
        """Return the same with other names of documents, in what is told of them too."""

        def renamed(document: CheckedDocument) -> CheckedDocument:
            name = names.get(document.name, document.name)
            error = document.error and document.error.replace(Path(document.name).name, Path(name).name)
            return replace(document, name=name, error=error)

        findings = tuple(replace(one, document=names.get(one.document, one.document)) for one in self.findings)
        results = tuple(replace(one, document=names.get(one.document, one.document)) for one in self.results)
        return replace(self, documents=tuple(map(renamed, self.documents)), findings=findings, results=results)

    def studies(self, program: str = "mada", *, all_tables: bool = False) -> Studies:
        """Return the counts of each study as a program for meta-analyses reads them: "mada", "meta" or "revman".

        With all tables there is a row for each table that fits, of at most 1,000 for each study.

        Examples
        --------
        >>> check("tp=55, tn=20, fp=13, fn=9. Accuracy: 0.773").studies().rows()[0]["TP"]
        55
        """
        found = studies(self.findings, program, all_tables=all_tables)
        unread = (StudyLeftOut(one.name, one.name, one.error) for one in self.documents if one.error is not None)
        return replace(found, left_out=(*found.left_out, *unread))

    def _rows(self) -> list[dict[str, Any]]:
        return [finding_row(finding) for finding in self.findings]


def _version_1(verdict: str) -> str:
    return "possible only if" if verdict == "conditional" else verdict


def _failing_verdicts(fail_on: str) -> tuple[CheckVerdict, ...]:
    if fail_on not in FAIL_ON:
        raise InputError("bad_option", "fail_on", "unknown word", fail_on, f"one of {', '.join(FAIL_ON)}")
    return FAILING[fail_on]


def finding_row(finding: Finding) -> dict[str, Any]:
    """Return a finding as a flat record."""
    table = finding.only_table or dict.fromkeys(CELLS)
    return {
        "document": finding.document,
        "where": str(finding.report.where),
        "kind": finding.report.kind,
        "title": finding.report.title,
        "verdict": finding.verdict,
        "accepted": finding.accepted,
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
    return find_reports(document)


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
    columns: Mapping[str, str] | None = None,
    baseline: Baseline | str | Path | None = None,
    n_jobs: int = 1,
    progress: Callable[[float], None] | None = None,
    keep_in: str | Path | None = None,
    tell: Callable[[str], None] | None = None,
) -> Check:
    """Check everything that documents say about classifiers.

    Parameters
    ----------
    documents
        Texts, or paths of files; see `read`. In a folder, all files of known formats are checked, except hidden ones.
    positives, negatives, total, folds
        Sizes and the number of folds, used where the document does not give them.
    over, spread, rounding, undefined
        How scores are to be read, as for `recover`.
    columns
        What columns of tables are, by their headings, if the headings do not say it: the name of a score or a size,
        or "not used".
    baseline
        Findings that are accepted, or the file of them.
    n_jobs
        How many processes to use, through joblib.
    progress
        Called with the share of documents that are done.
    keep_in
        A folder of your own for what was found so far: a check that was stopped continues from there, and removes it
        when it is done.
    tell
        Called with words about what an earlier run has left there.

    Examples
    --------
    >>> found = check("tp=55, tn=20, fp=13, fn=9. Accuracy: 0.853")
    >>> found.verdict, found.findings[0].wrong[0].given
    ('impossible', 0.7731958762886598)
    """
    given = Given(positives, negatives, total, folds, over, spread, rounding, undefined, columns or {})
    accepted = baseline if isinstance(baseline, Baseline | None) else Baseline.read(baseline)
    sources = documents_in(documents, without=[baseline] if isinstance(baseline, str | Path) else ())
    done: list[Found] = []
    # Of one document there is nothing to go on with.
    folder = None if keep_in is None or len(sources) < 2 else Path(keep_in)
    with KeptChecks(folder, sources, given, tell or (lambda words: None)) as kept:
        for place, one in enumerate(_checked(sources, given, n_jobs, kept), 1):
            done.append(one)
            if progress is not None:
                progress(place / len(sources))
    findings = tuple(finding for _, findings in done for finding in findings)
    results, notes = results_tables(findings)
    found = Check(tuple(document for document, _ in done), findings, results=results, notes=notes)
    return found if accepted is None else found.against(accepted)


def _checked(documents: Sequence[Document], given: Given, n_jobs: int, kept: KeptChecks) -> Iterator[Found]:
    """Walk what is found in documents, in their order; what was found before is not looked for again."""
    before = [kept.find(document) for document in documents]
    left = [document for document, found in zip(documents, before, strict=True) if found is None]
    one = check_document if len(documents) < 2 else check_one_of_many
    new = share(partial(one, given=given), left, 1 if len(left) < 2 else n_jobs)
    for document, found in zip(documents, before, strict=True):
        if found is None:
            found = next(new)
            kept.add(document, found)
        yield found


def check_document(document: Document, given: Given) -> Found:
    """Check one document; what is wrong with it does not stop the others."""
    source = open_document(document)
    name = str(source) if isinstance(source, Path) else ""
    try:
        found = find_reports(source, given.columns)
        reports = without_marked(found, source)
        findings = [judge(report, given, name) for report in reports]
    except FourfoldError as error:
        return CheckedDocument(name, 0, error=str(error)), []
    return CheckedDocument(name, len(findings), len(found) - len(reports)), findings


def check_one_of_many(document: Document, given: Given) -> Found:
    """Check one document, and let not even a fault of the program stop the others."""
    try:
        return check_document(document, given)
    except Exception as error:  # whatever it is: thousands of others may be waiting
        name = str(document) if isinstance(document, Path) else ""
        return CheckedDocument(name, 0, error=unexpected(error)), []


def unexpected(error: Exception) -> str:
    """Return what is told of a fault of the program in one of many documents or rows, in no more than 500 letters."""
    return f"unexpected {type(error).__name__}: {error}"[:500]
