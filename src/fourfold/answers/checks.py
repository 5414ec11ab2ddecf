"""What `check` found in documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from ..claims import Recovery
from ..document import (
    Ask,
    Block,
    Cell,
    Column,
    Detail,
    Details,
    Document,
    Facts,
    Grid,
    Heading,
    Items,
    Notes,
    Sentence,
    Tone,
)
from ..reports import Check, Finding, ReadColumn, Report, SheetCheck, ToldRow
from ..words import count_of, figures, listed, number, sentence
from .any_result import document
from .verdicts import contradiction, only_if

_TONES: Final[dict[str, Tone]] = {"impossible": "bad", "undecided": "open", "possible only if": "open"}
# Of what is told about every report, terminals show so much.
_MOST_TOLD: Final = 12
# Of rows to open, pages hold so many.
_MOST_OPENED: Final = 1000
_MOST_NAMED: Final = 4


@document.register
def _(result: Check) -> Document:
    words = check_summary(result)
    tone: Tone = _TONES.get(result.verdict, "good" if result.findings else "plain")
    cites = [_cite(finding) for finding in result.findings if finding.verdict == "impossible"]
    return Document("Check of documents", words.removesuffix("."), tone, list(_blocks(result, words)), " ".join(cites))


def _cite(finding: Finding) -> str:
    """Return a sentence to paste into a review."""
    name = f"{finding.report.title} ({_where(finding)})" if finding.report.title else _where(finding)
    if finding.recovery is not None:
        return f"{name}: {document(finding.recovery).cite}"
    return f"{name}: {_wrong_words(finding)}"


def check_summary(result: Check) -> str:
    """Say how many reports got which verdict."""
    documents = count_of(len(result.documents), "document")
    found = f"{documents}, {count_of(len(result.findings), 'report')}"
    verdicts = [
        f"{n} {'possible only if ...' if verdict == 'possible only if' else verdict}"
        for verdict, n in result.counts.items()
    ]
    unread = sum(one.error is not None for one in result.documents)
    more = f" {count_of(unread, 'document')} could not be read." if unread else ""
    if not result.findings:
        return f"{documents}, no scores of a classifier were found.{more}"
    return f"{found}: {', '.join(verdicts)}.{more}"


def _blocks(result: Check, words: str) -> Iterator[Block]:
    if result.findings:
        yield _every_report(result)
    groups = [list(own) for _, own in groupby(result.findings, key=_group)]
    columns = [Column("where", "text"), Column("what", "words"), Column("verdict", "words")]
    rows = [[_where(own[0]), report_words(own), _verdicts(own)] for own in groups]
    if rows:
        yield Grid("Reports, in order", columns, rows, place="terminal")
    for verdict, title in _TITLES.items():
        told = _told([finding for finding in result.findings if finding.verdict == verdict])
        if told:
            yield Heading(title, place="terminal")
            yield Items(told, place="terminal")
    unread = [f"{one.name}: {one.error}" for one in result.documents if one.error]
    if unread:
        yield Heading("What could not be read")
        yield Items(unread)
    for title, part in (("What was assumed", "assumed"), ("What was not used", "ignored")):
        told = _together(result.findings, part)
        if told:
            yield Heading(title)
            yield Items(
                [*told[:_MOST_TOLD], *([f"and {len(told) - _MOST_TOLD} more"] if len(told) > _MOST_TOLD else [])]
            )
    read = [
        f"{_name(table.document)} {table.where}: {line}" for table in result.tables for line in _read_as(table.columns)
    ]
    if read:
        yield Heading("What columns were read as")
        yield Items(_cut(read))
    opened = [_opened(finding) for finding in result.findings[:_MOST_OPENED]]
    yield Details("Every report", opened, len(result.findings) - len(opened))
    yield Notes(result.notes)
    yield Sentence(words, strong=True, place="terminal")


def _every_report(result: Check) -> Grid:
    """Return a row for each report, which opens what was found about it."""
    several = len(result.documents) > 1
    columns = [Column("report", "text"), Column("what", "words"), Column("verdict", "text"), Column("why", "words")]
    rows = [
        [
            Cell(finding.report.title or str(finding.report.where) or "text", ask=_ask(finding),
                remark=finding.document if several else ""),
            f"{_where(finding)}: {report_words([finding])}",
            Cell(finding.verdict, marked=finding.verdict == "impossible"),
            "" if finding.verdict == "possible" else checked_words(finding),
        ]
        for finding in result.findings
    ]  # fmt: skip
    return Grid("Reports, in order", columns, rows, place="page")


def _ask(finding: Finding) -> Ask | None:
    """Return the question that tells all about a report, where `recover` was asked."""
    given = dict(finding.asked)
    classes = given.pop("classes", None)
    if not given or any("," in label or "=" in label for label in classes or ()):
        return None
    if classes is not None:
        given["classes"] = ",".join(f"{label}={'' if size is None else size}" for label, size in classes.items())
    return Ask("recover", {name: value if isinstance(value, int) else str(value) for name, value in given.items()})


def _cut(told: Sequence[str]) -> list[str]:
    more = len(told) - _MOST_TOLD
    return [*told[:_MOST_TOLD], *([f"and {more} more"] if more > 0 else [])]


def _read_as(columns: Sequence[ReadColumn]) -> Iterator[str]:
    """Say which columns of a table were read, and which were not."""
    used = [f"{column.head or 'without a head'} as {column.meaning}" for column in columns if column.used]
    unused = [f"{column.head} ({column.meaning.removeprefix(_NOT_USED)})" for column in columns if not column.used]
    yield f"read {'; '.join(used)}"
    if unused:
        yield f"not used {'; '.join(unused)}"


_NOT_USED: Final = "not used: "


def _opened(finding: Finding) -> Detail:
    report = finding.report
    told = [checked_words(finding)]
    told += [f"Read: {', '.join(f'{name} {text}' for name, text in report.scores.items())}"] if report.scores else []
    told += [f"Assumed: {words}" for words in report.assumed] + [f"Not used: {words}" for words in finding.ignored]
    title = f"{_name(finding.document)} {report.where}  {report.title}".strip()
    return Detail(title, finding.verdict, _TONES.get(finding.verdict, "good"), told)


@document.register
def _(result: SheetCheck) -> Document:
    words = sheet_summary(result)
    tone: Tone = _TONES.get(result.verdict, "good" if result.row_count else "plain")
    return Document("Check of a sheet", words.removesuffix("."), tone, list(_sheet_blocks(result, words)))


def sheet_summary(result: SheetCheck) -> str:
    """Say how many rows of a sheet got which verdict."""
    verdicts = [f"{n} {verdict}" for verdict, n in sorted(result.counts.items(), key=lambda item: -item[1])]
    return f"{count_of(result.row_count, 'row')}: {', '.join(verdicts)}."


def _sheet_blocks(result: SheetCheck, words: str) -> Iterator[Block]:
    sheets = len({column.sheet for column in result.columns}) > 1
    columns = [*([Column("sheet", "text")] if sheets else []), Column("column", "text"), Column("head", "text")]
    rows = [[*([one.sheet] if sheets else []), one.column, one.head, one.meaning] for one in result.columns]
    yield Grid("What columns were read as", [*columns, Column("read as", "words")], rows)
    if result.impossible:
        yield Heading("Impossible")
        yield Items(_cut([f"{row.where}, {row.title}: {row.why}" for row in result.impossible]))
    if result.unread:
        yield Heading("Not read or not checked")
        yield Items(_cut([f"{count_of(n, 'row')}: {reason}" for reason, n in result.unread.items()]))
    yield Details("Every row", [_opened_row(row) for row in result.told], result.row_count - len(result.told))
    empty = {"Empty rows": str(result.empty_rows)} if result.empty_rows else {}
    yield Facts({**empty, "Written to": result.output})
    yield Notes(result.notes)
    yield Sentence(words, strong=True, place="terminal")


def _opened_row(row: ToldRow) -> Detail:
    parts = (("", row.why or row.error), ("Assumed: ", row.assumed), ("Not used: ", row.ignored))
    told = [f"{lead}{words}" for lead, words in parts if words]
    return Detail(
        f"{row.where}  {row.title}", row.verdict, _TONES.get(row.verdict, "good" if row.why else "plain"), told
    )


_TITLES: Final = {
    "impossible": "Impossible",
    "possible only if": "Possible only if something is so",
    "undecided": "Undecided",
    "not checked": "Not checked",
}


def _group(finding: Finding) -> tuple[object, ...]:
    """Return what the reports of one table share."""
    report = finding.report
    return (finding.document, report.table if report.table is not None else report.where, report.kind)


def _name(document: str) -> str:
    return document.replace("\\", "/").rpartition("/")[2]


def _where(finding: Finding) -> str:
    report = finding.report
    place = report.table if report.table is not None else report.where
    name = _name(finding.document)
    if place.line is not None and place.page is None and place.cell is None and name:
        return f"{name}:{place.line}"
    return f"{name} {place}".strip()


def report_words(findings: Sequence[Finding]) -> str:
    """Say what a report is, or the rows of one table together."""
    report = findings[0].report
    sizes = _size_words(report)
    if report.kind == "scores":
        scores = count_of(len(report.scores), "score")
        what = f"table of {count_of(len(findings), 'row')}, {scores}" if report.table is not None else scores
        folds = f"means over {report.folds} folds" if report.folds else ""
        title = f"{report.title}: " if report.title and report.table is None else ""
        return title + ", ".join(part for part in (what, sizes or "no sizes", folds) if part)
    classes = max(len(report.classes), len(report.matrix or ()))
    beside = " and matrix" if report.kind == "classification report" and report.matrix else ""
    kind = "confusion matrix" if report.kind == "matrix" else f"{report.kind}{beside}"
    parts = [kind, count_of(classes, "class"), sizes]
    return ", ".join(part for part in parts if part)


def _size_words(report: Report) -> str:
    if report.matrix is not None:
        return count_of(sum(map(sum, report.matrix)), "case")
    if report.positives is not None and report.negatives is not None:
        return f"{report.positives} positive and {report.negatives} negative cases"
    return count_of(report.total, "case") if report.total is not None else ""


def _verdicts(findings: Sequence[Finding]) -> str:
    """Say the verdicts of the reports of one table."""
    if len(findings) == 1:
        return findings[0].verdict
    counts: dict[str, int] = {}
    for finding in findings:
        counts[finding.verdict] = counts.get(finding.verdict, 0) + 1
    return ", ".join(f"{verdict} ({n})" for verdict, n in counts.items())


def _told(findings: Sequence[Finding]) -> list[str]:
    """Say the verdicts, once for rows of one table that have the same."""
    rows: dict[tuple[str, str], list[str]] = {}
    for finding in findings:
        own = [] if finding.report.table is None else [finding.report.title or str(finding.report.where)]
        rows.setdefault((_where(finding), checked_words(finding)), []).extend(own)
    return [f"{', '.join([place, *_few(names)])}: {words}" for (place, words), names in rows.items()]


def _few(names: Sequence[str]) -> list[str]:
    return [*names[:_MOST_NAMED], f"and {len(names) - _MOST_NAMED} more"] if len(names) > _MOST_NAMED else [*names]


def checked_words(finding: Finding) -> str:
    """Say the verdict on a report, in a sentence or two."""
    if finding.verdict == "not checked":
        return f"{finding.reason}."
    if finding.wrong:
        return _wrong_words(finding)
    if finding.verdict == "possible only if" and finding.reading:
        return f"{only_if(listed([departure.words for departure in finding.reading]))}."
    title = f"{document(finding.recovery).title}." if finding.recovery is not None else f"{finding.verdict}."
    if finding.verdict == "undecided" and finding.reason:
        found = finding.recovery
        sets = found.contradictions[:1] if isinstance(found, Recovery) else ()
        why = f": {contradiction(sets[0], sure=False)}" if sets else ""
        return f"Not for one test set with two classes{why}. But {finding.reason}."
    return title


def _wrong_words(finding: Finding) -> str:
    wrong = [f"{one.name} {_given(one.given, one.printed)}, printed {one.printed}" for one in finding.wrong]
    words = f"{_matrix_words(finding.report)} gives {'; '.join(wrong)}."
    if finding.reading:
        words += f" That is if {listed([departure.words for departure in finding.reading])}; else more is wrong."
    if finding.slip is not None:
        words += f" All would be right if {finding.slip.words}."
    return words


def _given(value: float | None, printed: str) -> str:
    if value is None:
        return "undefined"
    if printed.strip().endswith("%"):
        return f"{figures(round(100 * value, 4))}%"
    return number(value) if value != int(value) or value <= 1 else str(int(value))


def _matrix_words(report: Report) -> str:
    assert report.matrix is not None
    if len(report.matrix) == 2:
        (tn, fp), (fn, tp) = report.matrix
        if report.positive is not None and report.labels[:1] == (report.positive,):
            tp, fn, fp, tn = tn, fp, fn, tp
        return f"the matrix TN {tn} FP {fp} FN {fn} TP {tp}"
    return f"the matrix of {len(report.matrix)} classes"


def _together(findings: Sequence[Finding], part: str) -> list[str]:
    """Return what is told of reports, said once where several share it."""
    said: dict[str, list[str]] = {}
    for finding in findings:
        for words in getattr(finding, part) if part == "ignored" else finding.report.assumed:
            said.setdefault(words, []).append(_where(finding))
    return [
        f"{sentence(words)} ({places[0]}{f' and {len(places) - 1} more' if len(places) > 1 else ''})"
        for words, places in said.items()
    ]
