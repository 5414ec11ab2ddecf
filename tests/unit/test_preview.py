"""What something is that was pasted or dropped, and tables of cases in documents."""

from __future__ import annotations

import csv
import random
from pathlib import Path
from typing import Any

import pytest

import fourfold as ff
from fourfold.questions import QUESTIONS, Asked, DataFile

CASES = "y,yhat,site\n1,1,N\n1,0,E\n0,0,N\n0,1,E\n1,1,E\n"
MARKDOWN = "Results.\n\n| y | yhat | site |\n|---|---|---|\n" + "".join(
    f"| {' | '.join(row.split(','))} |\n" for row in CASES.splitlines()[1:]
)
HTML = (
    "<table>"
    + "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row.split(','))}</tr>" for row in CASES.splitlines())
    + "</table>"
)


def roles(found: ff.reports.Preview) -> dict[str, str]:
    return {column.name: column.role for column in found.columns}


@pytest.mark.parametrize("text", [CASES, CASES.replace(",", "\t"), MARKDOWN, HTML])
def test_cases_are_known_in_every_form(text: str) -> None:
    found = ff.reports.preview(text)
    assert (found.content, found.fits) == ("cases", "groups")
    assert roles(found) == {"y": "truth", "yhat": "prediction", "site": "group"}
    assert set(found.labels) == {"0", "1"}


def test_probabilities_are_found_by_their_sums(tmp_path: Path) -> None:
    draws = random.Random(5)
    rows = []
    for _ in range(40):
        weights = [draws.random() for _ in range(10)]
        shares = [round(1000 * weight / sum(weights)) for weight in weights]
        shares[0] += 1000 - sum(shares)
        rows.append([draws.randrange(10), *(share / 1000 for share in shares)])
    path = tmp_path / "digits.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["digit", *range(10)], *rows])
    found = ff.reports.preview(path)
    assert found.fits == "certainty"
    assert roles(found) == {"digit": "truth", **{str(place): "probability" for place in range(10)}}


def test_a_score_has_a_threshold_from_the_middle() -> None:
    rows = [f"{place % 2},{1 + place % 10},{'ab'[place % 2]}" for place in range(30)]
    found = ff.reports.preview("two_year_recid,decile_score,race\n" + "\n".join(rows))
    assert (found.fits, found.threshold) == ("groups", 5.0)
    assert roles(found) == {"two_year_recid": "not used", "decile_score": "score", "race": "group"}


def test_tables_of_groups_are_read_with_their_counts() -> None:
    found = ff.reports.preview("clinic\tTP\tFN\tFP\tTN\nEast\t14\t11\t7\t1,038\nIsland\t2\t3\t0\t7")
    assert found.fits == "groups"
    assert found.groups == {
        "East": {"tp": 14, "fn": 11, "fp": 7, "tn": 1038},
        "Island": {"tp": 2, "fn": 3, "fp": 0, "tn": 7},
    }


def test_scores_are_for_check() -> None:
    found = ff.reports.preview("Model,Accuracy,Recall,F1\nours,0.938,0.966,0.952\ntheirs,0.91,0.9,0.9")
    assert (found.content, found.fits) == ("scores", "check")
    assert roles(found)["Recall"] == "recall"


@pytest.mark.parametrize(("text", "content"), [("", "nothing"), ("just words", "text")])
def test_what_has_no_table_is_said(text: str, content: str) -> None:
    assert ff.reports.preview(text).content == content


def asked(name: str, path: Path, **values: Any) -> Any:
    return QUESTIONS[name].answer(Asked(values, [DataFile(path.name, str(path))]))


@pytest.mark.parametrize(("name", "text"), [("cases.md", MARKDOWN), ("cases.html", HTML), ("pasted.txt", CASES)])
def test_cases_in_a_document_are_audited_as_those_of_a_file(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "plain.csv").write_text(CASES)
    (tmp_path / name).write_text(text)
    given = {"truth": "y", "prediction": "yhat", "by": ["site"], "metric": ["recall"]}
    plain, other = (asked("audit", tmp_path / file, **given).to_dict() for file in ("plain.csv", name))
    assert other["findings"] == plain["findings"]
    # Two of the three positives are found: one of one at N, one of two at E.
    assert {row["group"]: row["tp"] for row in other["findings"]} == {"site=N": 1, "site=E": 1}


def test_cases_in_a_workbook_are_audited(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="needs fourfold[documents]")
    pytest.importorskip("python_calamine", reason="needs fourfold[documents]")
    book = openpyxl.Workbook()
    for row in csv.reader(CASES.splitlines()):
        book.active.append([int(cell) if cell.isdigit() else cell for cell in row])
    book.save(tmp_path / "cases.xlsx")
    found = asked("audit", tmp_path / "cases.xlsx", truth="y", prediction="yhat", by=["site"], metric=["recall"])
    assert found.table.tp == 2


def test_a_document_without_a_table_says_so(tmp_path: Path) -> None:
    (tmp_path / "words.md").write_text("just words")
    with pytest.raises(ff.InputError, match="has no table"):
        asked("audit", tmp_path / "words.md", truth="y", prediction="yhat", by=["site"])


TABLE = "Model\tX1\tRecall\tPrecision\nA\t0.9400\t0.8700\t0.9750\nB\t0.9567\t0.8700\t0.9750\n"


def test_what_columns_are_can_be_said() -> None:
    sizes: Any = {"positives": 100, "negatives": 200, "folds": "none"}
    said = ff.check(TABLE, columns={"X1": "accuracy", "Precision": "specificity"}, **sizes)
    # 87 of 100 and 195 of 200 are 282 of 300 right: 0.94, and not 0.9567.
    assert [finding.verdict for finding in said.findings] == ["possible", "impossible"]
    read = {column.head: (column.meaning, column.said) for column in said.tables[0].columns}
    assert read["X1"] == ("accuracy", "accuracy")
    assert read["Recall"] == ("recall", None)
    unused = ff.check(TABLE, columns={"Recall": "not used", "Precision": "specificity"}, **sizes)
    assert unused.verdict == "possible"
    assert unused.findings[0].report.scores == {"specificity": "0.9750"}


def test_what_rows_are_can_be_said() -> None:
    text = "Metric\tA\tB\nX1\t0.9400\t0.9567\nRecall\t0.8700\t0.8700\nSpecificity\t0.9750\t0.9750\n"
    said = ff.check(text, columns={"X1": "accuracy"}, positives=100, negatives=200, folds="none")
    assert [finding.verdict for finding in said.findings] == ["possible", "impossible"]


def test_what_columns_are_can_be_said_of_a_sheet_that_is_written_again(tmp_path: Path) -> None:
    from fourfold.reports import Given
    from fourfold.writers import write_verdicts

    (tmp_path / "sheet.csv").write_text(TABLE.replace("\t", ","))
    given = Given(100, 200, folds="none", columns={"X1": "accuracy", "Precision": "specificity"})
    write_verdicts(tmp_path / "sheet.csv", tmp_path / "out.csv", given)
    rows = list(csv.DictReader((tmp_path / "out.csv").read_text().splitlines()))
    assert [row["verdict"] for row in rows] == ["possible", "impossible"]
