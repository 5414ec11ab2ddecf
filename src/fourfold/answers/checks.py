"""What `check` found in documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any, Final

from ..claims import MOST_TABLES, Recovery, TableClaim
from ..document import (
    Ask,
    Block,
    Cell,
    Choose,
    Column,
    Detail,
    Details,
    Document,
    Facts,
    Grid,
    Heading,
    Items,
    Notes,
    Place,
    Sentence,
    Tone,
)
from ..exact.reported import Reported
from ..metrics import ACCURACY, AVERAGES, METRICS, Metric
from ..reports import (
    SHEETS,
    UNUSED,
    AcceptedFinding,
    Baseline,
    Check,
    CheckedTable,
    Finding,
    ReadColumn,
    Report,
    SheetCheck,
    Studies,
    ToldRow,
    relative_name,
)
from ..reports import Place as PlaceInDocument
from ..reports.studies import HIGHEST, Study
from ..words import clear_of, count_of, decimals, listed, sentence, told_once
from .any_result import document
from .result_tables import table_words
from .verdicts import TONES, all_sizes, contradiction, only_if, verdict_words

# Of what is told about every report, terminals show so much.
_MOST_TOLD: Final = 12
# Of rows to open, pages hold this many.
_MOST_OPENED: Final = 1000
_MOST_NAMED: Final = 4
# No table of more cases is told of.
_MOST_SHOWN: Final = 10**7
# Of this many classes a matrix is drawn.
_MOST_DRAWN: Final = 12


@document.register
def _(result: Check) -> Document:
    words = check_summary(result)
    # What was not checked may be anything: beside more of it, what is possible is no good news.
    checked = 2 * result.counts.get("not checked", 0) < len(result.findings)
    tone: Tone = TONES.get(result.verdict, "good" if checked else "plain")
    return Document("Check of documents", _title(result, words), tone, list(_blocks(result, words)), _cited(result))


def _title(result: Check, words: str) -> str:
    """Return the verdict on the only report, or how many reports got which."""
    if len(result.findings) != 1 or len(result.documents) != 1 or result.accepted:
        return words.removesuffix(".")
    [finding] = result.findings
    verdict = finding.verdict
    verdict_words = checked_words(finding).removesuffix(".")
    first = verdict_words.partition(". ")[0]
    repeats = first.casefold().startswith((verdict.casefold(), "possible only if"))
    return sentence(first if repeats else f"{verdict}: {first}")


@document.register
def _(result: Report) -> Document:
    words = _words_of(result)
    return Document("What is printed", words, "plain", [_head(words), *_shown(result)])


@document.register
def _(result: Baseline) -> Document:
    lines = [f"{one.document}: {_gone(one)}" for one in result.findings]
    words = f"{count_of(len(lines), 'finding')} accepted"
    return Document("Baseline", words, "plain", [_head(words), Items(lines)])


def _head(words: str) -> Sentence:
    return Sentence(f"{sentence(words)}.", strong=True, place="terminal")


def _shown(report: Report) -> Iterator[Block]:
    """Show what a report says, as it is printed."""
    if report.title:
        yield Sentence(report.title)
    if report.classes:
        names = list(dict.fromkeys(name for row in report.classes for name in row))
        rows = [[row.get(name, "") for name in names] for row in report.classes]
        yield Grid("Classes", [Column(name, "text") for name in names], rows)
    if report.matrix is not None:
        labels = report.labels or tuple(map(str, range(len(report.matrix))))
        rows = [[label, *map(str, row)] for label, row in zip(labels, report.matrix, strict=True)]
        yield Grid("Matrix", [Column(name, "text") for name in ("actual", *labels)], rows)
    scores = [*_averages(report), *report.scores.items()]
    if scores:
        rows = [[name, text] for name, text in scores]
        yield Grid("Scores", [Column("score", "text"), Column("printed", "text")], rows)
    yield from _listed("What was assumed", list(report.assumed))
    yield from _listed("What was not used", list(report.ignored))


def _averages(report: Report) -> Iterator[tuple[str, str]]:
    if report.accuracy is not None:
        yield ACCURACY.id, report.accuracy
    for average in AVERAGES:
        yield from ((f"{average}_{name}", text) for name, text in getattr(report, average).items())


def _cited(result: Check) -> str:
    """Return sentences to paste into a review: on what cannot be, or else on the first few reports."""
    findings = result.failing() or result.findings[:_MOST_NAMED]
    alone, several = len(findings) == 1, len(result.documents) > 1
    return " ".join(
        _cite(finding, alone=alone, several=several)
        for finding in findings
        if finding.cite and finding.verdict != "not checked"
    )


def _cite(finding: Finding, *, alone: bool, several: bool) -> str:
    """Return the sentence of a report, after its name; with its place if there are several documents."""
    where = _at(finding, finding.report.where) if several else ""
    title = finding.report.title or ("" if alone or several else str(finding.report.where))
    name = f"{title} ({where})" if title and where else title or where
    return f"{name}: {finding.cite}" if name else sentence(finding.cite)


def checked_cite(finding: Finding) -> str:
    """Say the verdict on a report as it can be cited."""
    return finding.words if finding.recovery is None else document(finding.recovery).cite


def check_summary(result: Check) -> str:
    """Say how many reports got which verdict, and what of it does not count."""
    return " ".join([_verdicts_in(len(result.documents), result.counts), *_counted(result)])


def findings_summary(documents: int, verdicts: Mapping[str, int], unread: int, left_out: int) -> str:
    """Say the same of findings that were written to a file.

    Examples
    --------
    >>> findings_summary(3, {"impossible": 1, "possible": 4}, unread=1, left_out=2)
    '1 of 5 reports in 3 documents cannot be true, 4 are possible. 1 document could not be read. 2 left out by a mark.'
    """
    return " ".join([_verdicts_in(documents, verdicts), *_not_counted(unread, left_out)])


def _not_counted(unread: int, left_out: int) -> Iterator[str]:
    if unread:
        yield f"{count_of(unread, 'document')} could not be read."
    if left_out:
        yield f"{left_out} left out by a mark."


def _verdicts_in(documents: int, counts: Mapping[str, int]) -> str:
    count_words = count_of(documents, "document")
    if not counts:
        return f"{count_words}, no scores of a classifier were found."
    reports = sum(counts.values())
    parts = [f"{n} {_ONE[verdict] if n == 1 else _SEVERAL[verdict]}" for verdict, n in _worst_first(counts)]
    within = f" in {count_words}" if documents > 1 else ""
    if reports == 1:
        return f"The {'only ' * bool(within)}report{within} {parts[0].removeprefix('1 ')}."
    first, *rest = parts
    number, _, words = first.partition(" ")
    some = f"{number} of {reports}" if rest else "Both" if reports == 2 else f"All {reports}"
    return f"{', '.join([f'{some} reports{within} {words}', *rest])}."


def _worst_first(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return [(verdict, counts[verdict]) for verdict in _IN_ORDER if counts.get(verdict)]


#: What accuses comes first.
_IN_ORDER: Final = ("impossible", "unexplained", "conditional", "undecided", "possible", "not checked", "error")
#: What becomes of one report, and of several, with each verdict.
_ONE: Final[Mapping[str, str]] = {
    "impossible": "cannot be true",
    "unexplained": "is unexplained",
    "conditional": "depends on an assumption",
    "undecided": "is undecided",
    "possible": "is possible",
    "not checked": "was not checked",
    "error": "failed",
}
_SEVERAL: Final[Mapping[str, str]] = {
    **_ONE,
    "unexplained": "are unexplained",
    "conditional": "depend on an assumption",
    "undecided": "are undecided",
    "possible": "are possible",
    "not checked": "were not checked",
}


def _counted(result: Check) -> Iterator[str]:
    """Say what does not count, or no longer occurs."""
    unread = sum(one.error is not None for one in result.documents)
    yield from _not_counted(unread, 0)
    if result.accepted:
        yield f"{count_of(result.accepted, 'finding')} {'is' if result.accepted == 1 else 'are'} accepted."
    yield from _not_counted(0, result.left_out)
    if result.gone:
        gone = len(result.gone)
        are, them = ("is", "it") if gone == 1 else ("are", "them")
        yield f"{count_of(gone, 'accepted finding')} {are} gone: remove {them} with --write-baseline."


def _blocks(result: Check, words: str) -> Iterator[Block]:
    if result.findings:
        yield _every_report(result)
        yield from _drawn_matrix(result.findings)
    else:
        yield Sentence(_NOTHING, place="page")
    groups = [list(findings) for _, findings in groupby(result.findings, key=_group)]
    columns = [Column("where", "text"), Column("what", "words"), Column("verdict", "words")]
    rows = [[_where(findings[0]), report_words(findings), _verdicts(findings)] for findings in groups]
    if rows:
        yield Grid("Reports, in order", columns, rows, place="terminal")
    for verdict, title in _TITLES.items():
        findings = [finding for finding in result.findings if finding.verdict == verdict and not finding.accepted]
        yield from _listed(title, _table_words(findings), "terminal")
    yield from _listed(
        "Accepted", _table_words([finding for finding in result.findings if finding.accepted]), "terminal"
    )
    for table in result.results:
        place = f"{_name(table.document)} {table.where}".strip()
        yield from _listed(f"{place}: the rows together", list(table_words(table.read)))
    yield from _listed("Accepted, and gone", [f"{one.document}: {_gone(one)}" for one in result.gone])
    yield from _listed("What could not be read", [f"{one.name}: {one.error}" for one in result.documents if one.error])
    for title, part in (("What was assumed", "assumed"), ("What was not used", "ignored")):
        lines = _together(result.findings, part)
        yield from _listed(title, _cut(lines))
    read = [
        f"{_name(table.document)} {table.where}: {line}"
        for table in result.tables
        if table.document.casefold().endswith(tuple(SHEETS))
        for line in _read_as(table.columns)
    ]
    yield from _listed("What columns were read as", _cut(read), "terminal")
    if result.tables:
        yield Heading("What columns were read as", place="page")
        yield from (_columns_to_choose(table) for table in result.tables[:_MOST_NAMED])
    opened = [_opened(finding) for finding in result.findings[:_MOST_OPENED]]
    yield Details("Every report", opened, len(result.findings) - len(opened))
    yield Notes(result.notes)
    yield Sentence(words, strong=True, place="terminal")


def _every_report(result: Check) -> Grid:
    """Return a row for each report, which opens what was found about it."""
    several = len(result.documents) > 1
    columns = [Column("report", "text"), Column("what", "words"), Column("verdict", "text"), Column("why", "words")]
    worst = next((finding for finding in result.findings if finding.verdict == result.verdict), None)
    rows = [
        [
            Cell(finding.report.title or str(finding.report.where) or "text", ask=_ask(finding, first=finding is worst),
                remark=finding.document if several else ""),
            f"{_at(finding, finding.report.where)}: {_printed(finding)}",
            Cell(_verdicts([finding]), marked=finding.verdict == "impossible" and not finding.accepted),
            "" if finding.verdict == "possible" else finding.words,
        ]
        for finding in result.findings
    ]  # fmt: skip
    return Grid("Reports, in order", columns, rows, place="page")


def _drawn_matrix(findings: Sequence[Finding]) -> Iterator[Block]:
    """Draw the matrix that is printed, where it is the only report."""
    matrix = findings[0].report.matrix if len(findings) == 1 else None
    if matrix is None or len(matrix) > _MOST_DRAWN:
        return
    labels = findings[0].report.labels or tuple(map(str, range(len(matrix))))
    columns = [Column("", "text"), *(Column(f"predicted {label}", "count") for label in labels)]
    rows = [[f"actually {label}", *row] for label, row in zip(labels, matrix, strict=True)]
    yield Grid("The confusion matrix as printed", columns, rows, place="page", matrix=True)


def _printed(finding: Finding) -> str:
    """Say what a report prints: the scores of a row, or what it is."""
    report = finding.report
    if report.kind != "scores":
        return report_words([finding])
    scores = [f"{name} {text}" for name, text in report.scores.items()]
    return ", ".join([*scores, _size_words(report) or _given_sizes(finding)]).rstrip(", ")


def _given_sizes(finding: Finding) -> str:
    sizes = [f"{finding.asked[name]} {name}" for name in ("positives", "negatives", "total") if name in finding.asked]
    return f"{listed(sizes)} (given)" if sizes else ""


def _ask(finding: Finding, *, first: bool) -> Ask | None:
    """Return the question that tells all about a report, where `recover` was asked."""
    given = dict(finding.asked)
    classes = given.pop("classes", None)
    if not given or any("," in label or "=" in label for label in classes or ()):
        return None
    if classes is not None:
        given["classes"] = ",".join(f"{label}={'' if size is None else size}" for label, size in classes.items())
    # Sizes are numbers; folds are text even where they are a number.
    texts = {name: value if isinstance(value, int) and name != "folds" else str(value) for name, value in given.items()}
    return Ask("recover", texts, first)


def _cut(lines: Sequence[str]) -> list[str]:
    more = len(lines) - _MOST_TOLD
    return [*lines[:_MOST_TOLD], *([f"and {more} more"] if more > 0 else [])]


def _read_as(columns: Sequence[ReadColumn]) -> Iterator[str]:
    """Say which columns of a table were read, and which were not."""
    used = [f"{column.head or 'without a head'} as {column.meaning}" for column in columns if column.used]
    unused = [f"{column.head} ({column.meaning.removeprefix(_NOT_USED)})" for column in columns if not column.used]
    yield f"read {'; '.join(used)}"
    if unused:
        yield f"not used {'; '.join(unused)}"


_NOT_USED: Final = "not used: "


def _columns_to_choose(table: CheckedTable) -> Grid:
    """Return the columns of a table, each with what else it could be."""
    there = [one for one in METRICS.values() if any(column.meaning.split(",")[0] == one.id for column in table.columns)]
    rows = [
        [column.head, Cell(column.meaning, choose=_choices(column, there) if column.head else None)]
        for column in table.columns
        if column.head or column.used
    ]
    caption = f"{_name(table.document)} {table.where}".strip() or "Pasted table"
    return Grid(caption, [Column("column", "text"), Column("read as", "words")], rows, place="page")


def _choices(column: ReadColumn, there: Sequence[Metric]) -> Choose:
    """Return what a column could be: of the scores that are `there`, it may be the deviation."""
    read = "as its head says" if column.said else f"as read: {column.meaning}"
    options = [("", read, ""), (UNUSED, "not used", ""), ("method", "the name of the row", "")]
    options += [(size, words, "sizes") for size, words in _SIZES_TO_CHOOSE.items()]
    options += [(metric.id, metric.label, "scores") for metric in METRICS.values()]
    options += [(f"{metric.id} (%)", f"{metric.label}, in per cent", "in per cent") for metric in there]
    options += [(f"{metric.id} sd", f"the number after ± of {metric.label}", "deviations") for metric in there]
    known = {value for value, _, _ in options}
    more = [(column.said, column.said, "")] if column.said and column.said not in known else []
    return Choose(column.head, [*more, *options], column.said or "")


_NOTHING: Final = (
    "A table needs heads that name the scores, such as accuracy and recall. A sentence needs each name next to its "
    "number."
)
_SIZES_TO_CHOOSE: Final = {
    "positives": "actual positives",
    "negatives": "actual negatives",
    "total": "all cases",
    "folds": "number of folds",
}


def _opened(finding: Finding) -> Detail:
    report = finding.report
    lines = [finding.words]
    lines += [f"Read: {', '.join(f'{name} {text}' for name, text in report.scores.items())}"] if report.scores else []
    lines += [f"Assumed: {words}" for words in report.assumed] + [f"Not used: {words}" for words in finding.ignored]
    title = f"{_name(finding.document)} {report.where}  {report.title}".strip()
    return Detail(title, finding.verdict, TONES.get(finding.verdict, "good"), lines)


@document.register
def _(result: SheetCheck) -> Document:
    words = sheet_summary(result)
    tone: Tone = TONES.get(result.verdict, "good" if result.row_count else "plain")
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
    lines = [f"{lead}{words}" for lead, words in parts if words]
    return Detail(
        f"{row.where}  {row.title}", row.verdict, TONES.get(row.verdict, "good" if row.why else "plain"), lines
    )


@document.register
def _(result: Studies) -> Document:
    several = [study for study in result.studies if study.count > 1]
    number = len(result.studies)
    words = f"{number} {'study' if number == 1 else 'studies'} with counts, {len(result.left_out)} left out"
    return Document("Studies for a meta-analysis", words, "plain", list(_study_blocks(result, several, f"{words}.")))


def _study_blocks(result: Studies, several: Sequence[Study], words: str) -> Iterator[Block]:
    if several:
        rates = [Column("sensitivities", "range"), Column("specificities", "range")]
        rows: list[list[Any]] = [[one.name, one.count, one.sensitivity, one.specificity] for one in several]
        yield Grid("Several tables fit", [Column("study", "text"), Column("tables", "count"), *rates], rows)
        words_of_tables = f"Each table has a row: of a study at most {MOST_TABLES:,}, with the ends of both rates."
        if not result.all_tables:
            words_of_tables = (
                f"Their counts are those of a table with the lowest sensitivity; columns that end in {HIGHEST} are "
                "those of one with the highest."
            )
        yield Sentence(words_of_tables)
    if result.left_out:
        yield Heading("Left out")
        yield Items(_cut([f"{one.name}: {one.why}" for one in result.left_out]))
    yield Notes(result.notes)
    yield Sentence(words, strong=True, place="terminal")


def _listed(title: str, items: list[str], place: Place = "everywhere") -> Iterator[Block]:
    if items:
        yield Heading(title, place=place)
        yield Items(items, place=place)


def _gone(one: AcceptedFinding) -> str:
    return f"{one.title}: {one.words}" if one.title else one.words


_TITLES: Final = {
    "impossible": "Impossible",
    "conditional": "Possible only under a condition",
    "unexplained": "Unexplained",
    "undecided": "Undecided",
    "not checked": "Not checked",
}


def _group(finding: Finding) -> tuple[object, ...]:
    """Return what the reports of one table share."""
    report = finding.report
    return (finding.document, report.table if report.table is not None else report.where, report.kind)


def _name(document: str) -> str:
    """Return a document's name, short where it is not below the folder where one works."""
    name = relative_name(document)
    return name.rpartition("/")[2] if name.startswith("../") else name


def _where(finding: Finding) -> str:
    report = finding.report
    return _at(finding, report.table if report.table is not None else report.where)


def _at(finding: Finding, place: PlaceInDocument) -> str:
    name = _name(finding.document)
    if place.line is not None and place.page is None and place.cell is None and name:
        return f"{name}:{place.line}"
    return f"{name} {place}".strip()


def report_words(findings: Sequence[Finding]) -> str:
    """Say what a report is, or the rows of one table together."""
    return _words_of(findings[0].report, len(findings), _given_sizes(findings[0]))


def _words_of(report: Report, rows: int = 1, given: str = "") -> str:
    sizes = _size_words(report) or given
    if report.kind == "scores":
        scores = count_of(len(report.scores), "score")
        what = f"table of {count_of(rows, 'row')}, {scores}" if report.table is not None else scores
        folds = f"means over {report.folds} folds" if report.folds else ""
        title = f"{report.title}: " if report.title and report.table is None else ""
        sizes = sizes or "no sizes"
        return title + ", ".join(part for part in (what, sizes, folds) if part)
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
    verdicts = [finding.verdict + (", accepted" if finding.accepted else "") for finding in findings]
    if len(verdicts) == 1:
        return verdicts[0]
    counts: dict[str, int] = {}
    for verdict in verdicts:
        counts[verdict] = counts.get(verdict, 0) + 1
    return ", ".join(f"{verdict} ({n})" for verdict, n in counts.items())


def _table_words(findings: Sequence[Finding]) -> list[str]:
    """Say the verdicts, once for rows of one table that have the same."""
    rows: dict[tuple[str, str], list[str]] = {}
    for finding in findings:
        lines = [] if finding.report.table is None else [finding.report.title or str(finding.report.where)]
        rows.setdefault((_where(finding), finding.words), []).extend(lines)
    return [f"{', '.join([place, *_few(names)])}: {words}" for (place, words), names in rows.items()]


def _few(names: Sequence[str]) -> list[str]:
    return [*names[:_MOST_NAMED], f"and {len(names) - _MOST_NAMED} more"] if len(names) > _MOST_NAMED else [*names]


def checked_words(finding: Finding) -> str:
    """Say the verdict on a report, in a sentence or two, and what is to be asked."""
    if finding.question and finding.recovery is None and not finding.checked:
        return finding.question
    return " ".join(filter(None, (_verdict_words(finding), finding.question)))


def _verdict_words(finding: Finding) -> str:
    if finding.verdict == "not checked":
        return f"{finding.reason.removesuffix('.')}."
    if finding.wrong:
        wrong = [f"{one.name} {_given(one.given, one.printed)}, printed {one.printed}" for one in finding.wrong]
        words = f"{_matrix_words(finding.report)} gives {'; '.join(wrong)}."
        if finding.reading:
            words += f" That is if {listed([departure.words for departure in finding.reading])}; else more is wrong."
        if finding.slip is not None:
            words += f" All would be right if {finding.slip.words}."
        return words
    if finding.verdict == "conditional" and finding.reading:
        return f"{only_if(listed([departure.words for departure in finding.reading]))}."
    if finding.recovery is None:
        return f"{sentence(finding.verdict)}: {finding.reason}." if finding.reason else f"{finding.verdict}."
    title = f"{_shown_title(finding.recovery)}."
    if finding.verdict == "undecided" and finding.reason and finding.recovery.verdict == "undecided":
        return f"Undecided: {finding.reason}."
    if finding.verdict == "undecided" and finding.reason:
        sets = finding.recovery.contradictions[:1] if isinstance(finding.recovery.stated, TableClaim) else ()
        why = f": {contradiction(sets[0], sure=False)}" if sets else ""
        return f"Not for one test set with two classes{why}. But {finding.reason}."
    if finding.verdict == "impossible" and finding.recovery.layout != "parts":
        return f"{_blamed(finding, finding.recovery) or title}{_nor(finding.recovery)}"
    return title


def _shown_title(recovery: Recovery) -> str:
    """Return the verdict of a recovery, without a table of more cases than anybody tests."""
    if recovery.verdict == "possible" and all_sizes(recovery):
        solution: Any = recovery.solution
        if solution.feasible.first().total > _MOST_SHOWN:
            return (
                f"Possible: tables of some sizes fit; the smallest that was found has more than {_MOST_SHOWN:,} cases"
            )
    return sentence(verdict_words(recovery)).removesuffix(".")


def _blamed(finding: Finding, recovery: Recovery) -> str:
    """Say which scores contradict each other where that are many sets: one that is in all, or the first few."""
    sets = recovery.contradictions
    if recovery.left_out or len(sets) <= _MOST_NAMED:
        return ""
    shared = [name for name in sets[0] if all(name in names for names in sets)]
    if len(shared) == 1:
        others = len({name for names in sets for name in names}) - 1
        return f"Impossible: {shared[0]} {finding.asked.get(shared[0], '')} contradicts {others} other scores."
    words = "; ".join(contradiction(names, sure=False) for names in sets[:_MOST_NAMED])
    return f"Impossible: {words}; and {len(sets) - _MOST_NAMED} more like these."


def _nor(recovery: Recovery) -> str:
    """Name the other readings that were tried and ruled out."""
    tried = told_once([reading.words for reading in recovery.readings if len(reading.departures) == 1])
    return f" Nor is it possible if {'; or if '.join(tried)}." if tried else ""


def _given(value: float | None, printed: str) -> str:
    if value is None:
        return "undefined"
    text = printed.strip()
    if value == int(value) and (value > 1 or text.isdigit()):
        return str(int(value))
    return clear_of(Fraction(value), Reported.read(text).__contains__, max(4, decimals(text)), percent="%" in text)


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
    sizes = Counter(map(_where, findings))
    rows: dict[str, list[Finding]] = {}
    for finding in findings:
        for words in getattr(finding, part) if part == "ignored" else finding.report.assumed:
            rows.setdefault(words, []).append(finding)
    lines = []
    for words, of_rows in rows.items():
        # What holds of all rows of a table is told of the table.
        of_tables = Counter(map(_where, of_rows))
        wholly = {table for table, n in of_tables.items() if n == sizes[table]}
        places = told_once(_where(one) if _where(one) in wholly else _at(one, one.report.where) for one in of_rows)
        lines.append(f"{sentence(words)} ({places[0]}{f' and {len(places) - 1} more' if len(places) > 1 else ''})")
    return lines
