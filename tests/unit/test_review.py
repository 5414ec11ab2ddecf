from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import pytest

import fourfold as ff
from fourfold import cli
from fourfold.claims import VERDICT_COLUMNS

# The room has a function of the same name.
claims_review = sys.modules["fourfold.claims.reviews"]

HEADER = "study,n_positives,Neg,Sens,ACC,F1-score,folds,comment\n"
ROWS = [
    "Smith,100,200,0.8700,0.9567,,none,possible",
    "Lee,40,60,0.80,85%,,none,possible",
    "Kim,40,60,abc,0.85,,none,error",
    "Ono,994,1006,,0.898,0.8968,none,possible",
    "Roe,10,10,0.553,,,none,impossible",
    "Doe,40,60,,,,none,error",
]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "review.csv"
    path.write_text(HEADER + "\n".join(ROWS) + "\n")
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]):
    def call(*arguments: str) -> tuple[int, str, str]:
        try:
            cli.main(list(arguments))
        except SystemExit as stopped:
            out, err = capsys.readouterr()
            return stopped.code, out, err
        raise AssertionError("the command line always exits")

    return call


def test_verdicts_beside_each_row(run, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "verdicts.csv"
    code, text, _ = run("recover", "--table", str(table), "-o", str(out))
    assert code == 1
    assert text.startswith("6 reports: 2 error, 1 impossible, 3 possible.")
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert [row["verdict"] for row in rows] == [row["comment"] for row in rows]
    assert [row["count"] for row in rows] == ["1", "1", "", "3", "0", ""]
    assert float(rows[0]["specificity_low"]) == 1.0
    assert rows[4]["blame"] == "Sens"
    assert "Sens: is not a reported number, got 'abc'" in rows[2]["error"]
    assert list(rows[0])[: len(HEADER.split(","))] == HEADER.strip().split(",")


def test_several_processes_give_the_same(run, table: Path, tmp_path: Path) -> None:
    outs = [tmp_path / "one.csv", tmp_path / "two.csv"]
    for jobs, out in zip(("1", "2"), outs, strict=True):
        assert run("recover", "--table", str(table), "-o", str(out), "--jobs", jobs)[0] == 1
    assert outs[0].read_text() == outs[1].read_text()


def test_mapped_columns_and_options_for_all_rows() -> None:
    rows = [{"who": "A", "P": "10", "N": "20", "our score": "0.00", "TNR": "1.00"}]
    mapped = {"P": "positives", "N": "negatives", "our score": "precision"}
    assert next(ff.review(rows, columns=mapped, undefined="none", folds="none"))["verdict"] == "impossible"
    zero = next(ff.review(rows, columns=mapped, undefined="zero"))
    assert (zero["verdict"], zero["count"]) == ("possible", 1)
    tried = next(ff.review(rows, columns=mapped))
    assert tried["verdict"] == "conditional"
    assert tried["reading"].startswith("an undefined precision was printed as 0")


def test_a_short_row_is_reported_in_its_row() -> None:
    rows = [{"acc": "0.5", "positives": "2", "negatives": "2"}, {"acc": "0.5"}]
    found = list(ff.review(rows, max_total=4))
    assert [row["verdict"] for row in found] == ["possible", "possible"]
    assert found[0]["count"] == 3, "2 of 2 + 2 are right: tp and tn are 0 and 2, 1 and 1, or 2 and 0"
    assert found[1]["count"] > 1


@pytest.mark.parametrize(
    ("header", "mapped", "code"),
    [
        ("a,b", {}, "unknown_column"),
        ("acc,positives", {"accc": "f1"}, "unknown_column"),
    ],
)
def test_bad_tables(header: str, mapped: dict, code: str) -> None:
    with pytest.raises(ff.InputError) as caught:
        list(ff.review([dict.fromkeys(header.split(","), "1")], columns=mapped))
    assert caught.value.code == code


def test_two_columns_for_one_metric() -> None:
    rows = [{"sens": "0.5", "x": "0.9", "positives": "10", "negatives": "10"}]
    assert next(ff.review(rows, columns={"x": "sens"}))["verdict"] == "error"
    # Of no average of two classes is one of them so far off.
    both = [{"sens": "0.1", "recall": "1.0", "positives": "10", "negatives": "10", "folds": "none"}]
    assert next(ff.review(both))["verdict"] == "impossible"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--table", "nowhere.csv", "-o", "out.csv"],
        ["--table", "review.csv"],
        ["--table", "review.csv", "-o", "review.csv"],
        ["--table", "review.csv", "-o", "no/such/folder/out.csv"],
        ["--table", "review.csv", "-o", "out.csv", "accuracy=0.5"],
        ["--table", "review.csv", "-o", "out.csv", "--total", "5"],
        ["--table", "review.csv", "-o", "out.csv", "--csv"],
        ["--table", "empty.csv", "-o", "out.csv"],
        ["--table", "header.csv", "-o", "out.csv"],
        ["--table", "twice.csv", "-o", "out.csv"],
        ["--table", "binary.csv", "-o", "out.csv"],
        ["accuracy=0.5", "-o", "out.csv"],
        ["accuracy"],
        ["accuracy=0.5", "accuracy=0.6"],
        [],
    ],
)
def test_bad_calls(run, table: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    monkeypatch.chdir(table.parent)
    Path("empty.csv").touch()
    Path("header.csv").write_text("accuracy,total\n")
    Path("twice.csv").write_text("acc,acc\n1,1\n")
    Path("binary.csv").write_bytes(b"\xff\xfe\x00")
    before = table.read_text()
    code, _, err = run("recover", *arguments)
    assert code == 2
    assert ". Hint: " in err
    assert table.read_text() == before
    assert not Path("out.csv.part").exists()


def test_recover_on_the_command_line(run) -> None:
    code, out, _ = run("recover", "--positives", "994", "--negatives", "1006", "accuracy=0.898", "f1=0.8968")
    assert code == 0
    assert out.startswith("3 tables fit.  tp 882-891  fn 103-112  fp 91-102  tn 904-915")
    code, out, _ = run("recover", "--total", "110", "accuracy=92.7%", "precision=96.9%", "recall=95%", "--json")
    assert [table["tn"] for table in json.loads(out)["tables"]] == [9, 8, 7]
    code, out, _ = run("recover", "accuracy=68.00%", "recall=51.28%", "precision=80.00%", "f1=62.50%")
    assert code == 0
    assert " 20   19   5   31" in out
    arguments = ("accuracy=0.9567", "sensitivity=0.8700", "specificity=0.9750")
    code, out, _ = run("recover", "--folds", "none", "--positives", "100", "--negatives", "200", *arguments)
    assert code == 1
    first, *rest = out.splitlines()
    assert first == (
        "impossible: accuracy, sensitivity and specificity contradict each other; any two of them are possible."
    )
    assert "   given accuracy and sensitivity, specificity is 1.0000 (200 of 200), not 0.9750" in rest
    assert "   given accuracy and specificity, sensitivity is 0.9200 (92 of 100), not 0.8700" in rest


def test_more_answers_on_the_command_line(run) -> None:
    code, out, _ = run("recover", "--positives", "1000000", "--negatives", "1000000", "mcc=0.9", "--budget", "10")
    assert (code, out.split(":")[0]) == (3, "undecided")
    said = ("--undefined", "none")
    code, out, _ = run(
        "recover",
        "--positives",
        "10",
        "--negatives",
        "20",
        "precision=0.00",
        "specificity=1.00",
        "--folds",
        "none",
        *said,
    )
    assert code == 1
    assert "hypothesis" in out
    assert "contradict each other; each alone is possible" in out
    assert (
        run("recover", "--positives", "10", "--negatives", "9", "recall=0.55", "--folds", "none", *said, "--csv")[0]
        == 1
    )
    code, out, _ = run("recover", "accuracy=0.85", "--total", "0-1000", "--budget", "20000")
    assert out.startswith("at least ")
    assert "Note: the budget of 20000 rows was spent" in out


def test_parquet_tables(run, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pytest.importorskip("duckdb")
    from pyarrow import parquet

    columns = {
        "study": ["A", "B"],
        "positives": [994, 40],
        "negatives": [1006, 60],
        "acc": ["0.898", None],
        "f1": ["0.8968", "0.80"],
    }
    parquet.write_table(pa.table(columns), tmp_path / "review.parquet")
    code, out, _ = run("recover", "--table", str(tmp_path / "review.parquet"), "-o", str(tmp_path / "out.csv"))
    assert (code, out.split(".")[0]) == (0, "2 reports: 2 possible")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 not really")
    assert run("recover", "--table", str(tmp_path / "broken.parquet"), "-o", str(tmp_path / "out.csv"))[0] == 2


def test_parquet_without_duckdb_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from fourfold.data import read_rows

    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ImportError, match=r"Hint: pip install 'fourfold\[data\]'"):
        list(read_rows(tmp_path / "x.parquet"))


def test_pictures_from_the_command_line(run, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    plot, bars = tmp_path / "feasible.svg", tmp_path / "bounds.png"
    report = ("recover", "--positives", "40", "--negatives", "60", "accuracy=0.85")
    assert run(*report, "--plot", str(plot), "--bars", str(bars))[0] == 0
    assert plot.read_text().startswith("<svg")
    assert bars.read_bytes().startswith(b"\x89PNG")
    assert run(*report, "--plot", str(tmp_path / "x.docx"))[0] == 2


def test_columns_added_are_the_documented_ones() -> None:
    row = next(ff.review([{"acc": "0.5", "positives": "2", "negatives": "2"}]))
    expected = [*VERDICT_COLUMNS, *(f"{name}_{end}" for name in ff.METRICS for end in ("low", "high"))]
    assert list(row)[3:] == expected


def test_rows_of_other_lengths(run, tmp_path: Path) -> None:
    table, out = tmp_path / "ragged.csv", tmp_path / "out.csv"
    table.write_text("study,positives,negatives,accuracy,comment\nA,40,60\nB,40,60,0.85,hello\nC,40,60,0.85,x,EXTRA\n")
    assert run("recover", "--table", str(table), "-o", str(out))[0] == 0
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert [row["verdict"] for row in rows] == ["error", "possible", "error"]
    assert rows[1]["count"] == "16"
    assert rows[1]["comment"] == "hello"
    assert "EXTRA" in rows[2]["error"]


def test_two_columns_may_share_a_name_where_one_is_blank() -> None:
    rows = [
        {"A": "0.99", "B": "", "positives": "40", "negatives": "60"},
        {"A": "", "B": "0.85", "positives": "40", "negatives": "60"},
    ]
    found = list(ff.review(rows, columns={"A": "accuracy", "B": "accuracy"}))
    # 99 of 100 are right in two ways, 85 in sixteen.
    assert [(row["verdict"], row["count"]) for row in found] == [("possible", 2), ("possible", 16)]


def test_a_blank_cell_leaves_the_option_alone() -> None:
    rows = [{"precision": "0.00", "positives": "10", "negatives": "20", "tnr": "1.00", "undefined": ""}]
    found = next(ff.review(rows, undefined="zero"))
    assert (found["verdict"], found["count"]) == ("possible", 1)


def test_output_is_written_to_pipes_and_through_links_and_never_half(run, table: Path, tmp_path: Path) -> None:
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("old")
    link.symlink_to(real)
    assert run("recover", "--table", str(table), "-o", str(link))[0] == 1
    assert link.is_symlink()
    assert real.read_text().startswith("study,")
    empty = tmp_path / "empty.csv"
    empty.write_text("accuracy,total\n")
    assert run("recover", "--table", str(empty), "-o", str(tmp_path / "none.csv"))[0] == 2
    assert not (tmp_path / "none.csv").exists()
    assert run("recover", "--table", str(table), "-o", "/dev/null")[0] == 1
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("arguments", [["--jobs", "0"], ["--map", "comment=accurcy"]])
def test_more_bad_calls(run, table: Path, tmp_path: Path, arguments: list[str]) -> None:
    code, _, err = run("recover", "--table", str(table), "-o", str(tmp_path / "out.csv"), *arguments)
    assert code == 2
    assert ". Hint: " in err


def test_a_very_long_cell(run, tmp_path: Path) -> None:
    table = tmp_path / "long.csv"
    table.write_text("accuracy,total,comment\n0.5,4," + "x" * 200_000 + "\n")
    assert run("recover", "--table", str(table), "-o", str(tmp_path / "out.csv"))[0] == 0


def test_rows_are_flat(run) -> None:
    _, out, _ = run("recover", "--positives", "4", "--negatives", "4", "accuracy=0.5", "--csv")
    first = next(csv.DictReader(out.splitlines()))
    assert first["metric"] == "accuracy"
    assert int(first["low_tp"]) + int(first["low_fn"]) == 4


def test_columns_that_are_there_already_stay_and_those_added_get_other_names(run, tmp_path: Path) -> None:
    table, out = tmp_path / "review.csv", tmp_path / "out.csv"
    table.write_text(
        "acc,positives,negatives,folds,notes,verdict\n0.85,40.0,60.00,none,mine,good\n,,,,,\n , ,,,,\n0.8555,40,60,none,,\n"
    )
    code, text, _ = run("recover", "--table", str(table), "-o", str(out))
    assert code == 1
    assert "2 empty rows left out." in text
    assert "verdict (fourfold), notes (fourfold)" in text
    first, second = csv.DictReader(out.read_text().splitlines())
    assert (first["notes"], first["verdict"], first["verdict (fourfold)"]) == ("mine", "good", "possible")
    assert second["verdict (fourfold)"] == "impossible"


def test_a_workbook_is_a_table_too(run, tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (
        ["study", "acc", "positives", "negatives", "folds"],
        ["A", "0.85", 40, 60, "none"],
        ["B", "0.8555", 40, 60, "none"],
    ):
        book.active.append(row)
    book.save(tmp_path / "review.xlsx")
    code, _, _ = run("recover", "--table", str(tmp_path / "review.xlsx"), "-o", str(tmp_path / "out.csv"))
    assert code == 1
    rows = csv.DictReader((tmp_path / "out.csv").read_text().splitlines())
    assert [row["verdict"] for row in rows] == ["possible", "impossible"]


@pytest.mark.parametrize("change", ["nothing", "table", "half a row"])
def test_an_interrupted_table_goes_on(
    run, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    out, whole, part = tmp_path / "out.csv", tmp_path / "whole.csv", tmp_path / "out.csv.part"
    run("recover", "--table", str(table), "-o", str(whole))
    judged: list[str] = []
    judge = claims_review.verdict_rows

    def stopping(row, **said):
        judged.append(row["study"])
        if len(judged) == 4:
            raise KeyboardInterrupt
        return judge(row, **said)

    monkeypatch.setattr(claims_review, "verdict_rows", stopping)
    code, _, err = run("recover", "--table", str(table), "-o", str(out))
    assert (code, out.exists()) == (130, False)
    assert "Stopped after 3 rows. The same command continues from here." in err
    assert part.read_bytes() == b"".join(whole.read_bytes().splitlines(keepends=True)[:4])
    if change == "table":
        table.write_text(table.read_text().replace("Smith", "Smyth"))
    elif change == "half a row":
        part.write_bytes(part.read_bytes() + b"Ono,994")
    code, text, err = run("recover", "--table", str(table), "-o", str(out))
    assert text.startswith("6 reports: 2 error, 1 impossible, 3 possible.")
    assert judged[4:] == (["Smyth", "Lee", "Kim"] if change == "table" else []) + ["Ono", "Roe", "Doe"]
    assert out.read_text() == whole.read_text().replace("Smith", "Smyth" if change == "table" else "Smith")
    assert "An earlier run was interrupted" in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "review.csv", "whole.csv"]
