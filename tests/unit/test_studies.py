"""From a sheet of studies to files that programs for meta-analyses read: their columns, their types and their counts."""

from __future__ import annotations

import csv
import io
import json
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import fourfold as ff
from fourfold import cli
from fourfold.claims import MOST_TABLES, fitting
from fourfold.reports.studies import PROGRAMS
from fourfold.writers import write_verdicts

# The room has a function of the same name.
reviews = import_module("fourfold.claims.reviews")
SHEET = Path(__file__).parents[2] / "docs" / "examples" / "forty_studies.csv"
NAMES = [
    "Abara",
    "Bloom",
    "Chand",
    "Drury",
    "Eklund",
    "Faye",
    "Gatto",
    "Hino",
    "Ivarsson",
    "Jonas",
    "Kato",
    "Lund",
    "Mbeki",
    "Novak",
    "Orr",
    "Pires",
    "Quist",
    "Rossi",
    "Sato",
    "Tan",
    "Ulmer",
    "Vance",
    "Weiss",
    "Xu",
    "Yilmaz",
    "Zorn",
    "Acker",
    "Borg",
    "Costa",
    "Diaz",
    "Ebert",
    "Frey",
    "Grant",
    "Haas",
    "Imre",
    "Jung",
    "Klein",
    "Lopez",
    "Meyer",
    "Noor",
]
#: The study whose printed specificity is not that of its table, and the one without sizes.
MISPRINTED, WITHOUT_SIZES = 17, 30


def made_up() -> list[tuple[str, ff.Table, dict[str, str]]]:
    """Return forty studies: a name, the table behind it, and what is printed of it."""
    rng = np.random.default_rng(30)
    studies = []
    for place, name in enumerate(NAMES):
        p, n = (int(size) for size in rng.integers(18, 90, 2) * (1 + 3 * (place % 5 == 0)))
        tp, tn = int(rng.binomial(p, rng.uniform(0.7, 0.92))), int(rng.binomial(n, rng.uniform(0.75, 0.95)))
        table = ff.Table(tp=tp, fn=p - tp, fp=n - tn, tn=tn)
        hits = {"Sens": (tp, p), "Spec": (tn, n), "Acc": (tp + tn, p + n)}
        shown = (("Sens", "Spec"), ("Sens", "Spec"), ("Spec", "Acc"), ("Sens", "Spec", "Acc"))[place % 4]
        digits = 3 if place % 4 == 0 else 2
        printed = {score: rounded(hits[score], digits) for score in shown}
        if place == MISPRINTED:
            printed["Spec"] = "0.999"
        sizes = {} if place == WITHOUT_SIZES else {"N": str(p + n), "Positives": str(p)}
        studies.append((f"{name} {2004 + place % 19}", table, {**sizes, **printed}))
    return studies


def rounded(share: tuple[int, int], digits: int) -> str:
    """Round half up, as people do."""
    hits, of = share
    return f"{(2 * hits * 10**digits + of) // (2 * of) / 10**digits:.{digits}f}"


def sheet_text() -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, ["Study", "N", "Positives", "Sens", "Spec", "Acc"], lineterminator="\n")
    writer.writeheader()
    writer.writerows({"Study": name, **printed} for name, _, printed in made_up())
    return out.getvalue()


TRUTH = {name: table for name, table, _ in made_up()}
WRITTEN = [name for place, name in enumerate(TRUTH) if place not in (MISPRINTED, WITHOUT_SIZES)]


def cells(row: dict[str, str], end: str = "") -> dict[str, int]:
    return {cell: int(row[f"{cell.upper()}{end}"]) for cell in ("tp", "fn", "fp", "tn")}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]):
    def call(*arguments: object) -> tuple[int, str]:
        with pytest.raises(SystemExit) as stopped:
            cli.main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return int(stopped.value.code or 0), out + err

    return call


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_sheet_of_the_pages_is_this_one() -> None:
    assert SHEET.read_text() == sheet_text()


def test_mada_reads_the_forty_studies(run, tmp_path: Path) -> None:
    out = tmp_path / "counts.csv"
    code, text = run("check", SHEET, "--folds", "none", "-o", out, "--for", "mada")
    assert code == 1, "one study is impossible"
    assert "38 studies with counts, 2 left out." in text
    assert f"{NAMES[MISPRINTED]} 2021: Impossible: no table has this specificity" in text
    rows = rows_of(out)
    # madad takes names from `names`, and reitsma stops unless TP, FN, FP and TN are there and round to themselves.
    assert list(rows[0])[:5] == ["names", "TP", "FN", "FP", "TN"]
    assert [row["names"] for row in rows] == WRITTEN
    for row in rows:
        assert all(text.isdigit() for name, text in row.items() if name != "names")
        truth, low, high = TRUTH[row["names"]].cells(), cells(row), cells(row, ".high")
        assert low["tp"] <= truth["tp"] <= high["tp"]
        if row["tables"] == "1":
            assert low == high == truth
        else:
            assert low["tp"] < high["tp"] or int(row["tables"]) > 1
    assert sum(row["tables"] == "1" for row in rows) == 31


def test_meta_reads_events_and_numbers_and_revman_its_order() -> None:
    found = ff.check(SHEET, folds="none")
    for row in found.studies("meta").rows():
        truth = TRUTH[row["studlab"]]
        assert (row["n.e"], row["n.c"]) == (truth.positives, truth.negatives)
        assert 0 <= row["event.e"] <= row["event.e.high"] <= row["n.e"]
    assert list(found.studies("revman").rows()[0])[:5] == ["Study", "TP", "FP", "FN", "TN"]
    with pytest.raises(ff.InputError, match="one of mada, meta, revman"):
        found.studies("stata")


def test_all_tables_are_those_of_a_brute_force() -> None:
    sheet = "study,positives,negatives,sensitivity,accuracy\nA,150,60,0.80,0.81\nB,40,60,0.80,0.90"
    found = ff.check(sheet, folds="none").studies(all_tables=True)
    # 0.795 to 0.805 of 150 are 120 cases; 0.805 to 0.815 of 210 are 170 or 171.
    rows = [row for row in found.rows() if row["names"] == "A"]
    assert [(row["TP"], row["TN"]) for row in rows] == [(120, 50), (120, 51)]
    assert all(row["tables"] == 2 for row in rows)
    whole = ff.check(SHEET, folds="none").studies(all_tables=True).rows()
    for name in WRITTEN:
        assert TRUTH[name].cells() in [
            {cell: row[cell.upper()] for cell in TRUTH[name].cells()} for row in whole if row["names"] == name
        ]


def test_of_very_many_tables_the_ends_are_listed() -> None:
    fit = fitting(ff.recover(accuracy="0.85", positives=5000, negatives=5000, bounds="none"))
    assert fit is not None
    tables = fit.tables()
    assert fit.count > MOST_TABLES == len(tables) == len(set(tables))
    # 8,450 to 8,550 of 10,000 are right: at least 3,450 of either class.
    assert (tables[0].tp, tables[-1].tp) == (3450, 5000)
    assert {min(one.tn for one in tables), max(one.tn for one in tables)} == {3450, 5000}
    assert all(8450 <= one.tp + one.tn <= 8550 for one in tables)
    assert [one.tp for one in tables] == sorted(one.tp for one in tables)


def test_a_name_is_no_formula_and_only_possible_studies_are_written(run, tmp_path: Path) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text("study,TP,FN,FP,TN,Acc\n=1+1,40,10,5,45,0.85\nB,40,10,5,45,\nC,40,10,5,45,0.86\n")
    assert run("check", source, "-o", out, "--for", "revman")[0] == 1
    assert [list(row.values())[:5] for row in rows_of(out)] == [
        ["'=1+1", "40", "5", "10", "45"],
        ["B", "40", "5", "10", "45"],
    ]
    found = ff.check(
        "| | precision | recall | support |\n|---|---|---|---|\n| a | 0.80 | 0.80 | 5 |\n| b | 0.80 | 0.80 | 5 |"
    )
    assert [one.why for one in found.studies().left_out] == ["which of its classes is positive is not said"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--for", "mada"], "--for: needs a file to write"),
        (["--for", "mada", "-o", "counts.xlsx"], "--for: needs a file to write"),
        (["--for", "stata", "-o", "counts.csv"], "one of mada, meta, revman"),
        (["--all-tables"], "--all-tables: works only with --for"),
        (["--for", "mada", "-o", "counts.csv", "--sarif", "x.sarif"], "cannot be used with --for"),
    ],
)
def test_what_cannot_be_asked(run, tmp_path: Path, monkeypatch, arguments: list[str], words: str) -> None:
    monkeypatch.chdir(tmp_path)
    code, text = run("check", SHEET, *arguments)
    assert (code, words in text) == (2, True)
    assert not list(tmp_path.iterdir())


def test_the_answer_as_json_names_every_table_and_study(run, tmp_path: Path) -> None:
    code, text = run("check", SHEET, "-o", tmp_path / "a.csv", "--for", "mada", "--json")
    found = json.loads(text)
    assert (found["schema"], found["program"], len(found["studies"]) + len(found["left_out"])) == (
        "fourfold/studies",
        "mada",
        40,
    )
    assert code == 0, "without `--folds none` the misprint may be that of an average"
    assert set(PROGRAMS) == {"mada", "meta", "revman"}


def test_a_sheet_gets_counts_and_the_ends_of_both_rates(run, tmp_path: Path) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text("study,N,positives,TP,FN,FP,TN,Acc\nA,100,50,,,,,0.85\nB,,,40,10,5,45,0.85\nC,,,40,10,5,45,\n")
    run("check", source, "-o", out)
    with out.open(encoding="utf-8-sig", newline="") as file:
        several, printed, alone = csv.DictReader(file)
    # 85 of 100 are right: 35 to 50 of either class.
    ends = [several[f"{rate} {end}"] for rate in ("sensitivity", "specificity") for end in ("low", "high")]
    assert (several["tables"], several["tp (fourfold)"], ends) == ("16", "", ["0.7000", "1.0000"] * 2)
    for row in (printed, alone):
        assert [row[f"{cell} (fourfold)"] for cell in ("tp", "fn", "fp", "tn")] == ["40", "10", "5", "45"]
        assert (row["tables"], row["sensitivity low"], row["specificity high"]) == ("1", "0.8000", "0.9000")


def test_a_workbook_has_them_as_numbers(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    write_verdicts(SHEET.parent / "studies.xlsx", tmp_path / "out.xlsx")
    head, row, *_ = openpyxl.load_workbook(tmp_path / "out.xlsx").worksheets[0].iter_rows(values_only=True)
    shown = dict(zip(head, row, strict=True))
    assert {name: shown[name] for name in ("tp", "tables", "sensitivity low", "specificity high")} == {
        "tp": 37, "tables": 1, "sensitivity low": 0.74, "specificity high": 0.8667
    }  # fmt: skip


def test_means_are_of_no_one_table() -> None:
    sheet = "study,positives,negatives,recall,specificity,folds\nA,50,150,0.96,0.97,10"
    assert [one.why for one in ff.check(sheet).studies().left_out] == ["its scores are means, and of no one table"]


def test_one_table_that_was_found_is_not_the_only_one() -> None:
    # Without sizes only the smallest table is listed: with all counts doubled, the score is the same.
    [finding] = ff.check("F1: 0.123456789").findings
    assert finding.recovery is not None
    assert (finding.recovery.count, finding.only_table, finding.fitting) == (1, None, None)


def test_a_review_has_counts_and_a_row_for_each_table(run, tmp_path: Path) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text("study,positives,negatives,recall,acc,table\nA,40,60,0.80,0.90,x\nB,2,2,,0.5,y\nC,x,2,,0.5,z\n")
    assert run("recover", "--table", source, "-o", out)[0] == 0
    rows = rows_of(out)
    assert [(row["table"], row["count"], row["tp"], row["tn"]) for row in rows] == [
        ("x", "1", "32", "58"), ("y", "3", "", ""), ("z", "", "", "")
    ]  # fmt: skip
    code, text = run("recover", "--table", source, "-o", out, "--all-tables")
    assert (code, text.startswith("3 reports: 1 error, 2 possible.")) == (0, True)
    rows = rows_of(out)
    assert [(row["study"], row["table (fourfold)"], row["tp"], row["tn"]) for row in rows] == [
        ("A", "1", "32", "58"), ("B", "1", "0", "2"), ("B", "2", "1", "1"), ("B", "3", "2", "0"), ("C", "", "", "")
    ]  # fmt: skip
    assert {(row["recall_low"], row["recall_high"]) for row in rows if row["study"] == "B"} == {("0.0", "1.0")}


def test_an_interrupted_review_writes_no_table_twice(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, out, whole = (tmp_path / name for name in ("in.csv", "out.csv", "whole.csv"))
    source.write_text("study,positives,negatives,acc\nA,2,2,0.5\nB,40,60,0.85\nC,3,3,0.5\n")
    asked = ("recover", "--table", source, "--all-tables", "-o")
    run(*asked, whole)
    judge = reviews.verdict_rows

    def stopping(row, **options):
        if row["study"] == "C":
            raise KeyboardInterrupt
        return judge(row, **options)

    with monkeypatch.context() as patched:
        patched.setattr(reviews, "verdict_rows", stopping)
        assert run(*asked, out)[0] == 130
    code, text = run(*asked, out)
    assert (code, "continues after the 2 rows that were done" in text) == (0, True)
    assert out.read_bytes() == whole.read_bytes()
    # Half of 4 and of 6 cases are right in 3 and in 4 ways, 85 of 40 and 60 in 16.
    assert [row["study"] for row in rows_of(out)] == ["A"] * 3 + ["B"] * 16 + ["C"] * 4


def test_a_document_that_cannot_be_read_is_named(run, tmp_path: Path) -> None:
    (tmp_path / "good.md").write_text("tp=55, tn=20, fp=13, fn=9. Accuracy: 0.773")
    code, text = run("check", tmp_path / "good.md", tmp_path / "none.md", "-o", tmp_path / "a.csv", "--for", "mada")
    # A long path of the folder breaks the line.
    assert (code, "none.md: document: cannot be read (no such file" in " ".join(text.split())) == (2, True)
    assert [row["TP"] for row in rows_of(tmp_path / "a.csv")] == ["55"]
