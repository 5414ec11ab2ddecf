from __future__ import annotations

import csv
import gzip
import io
import json
import re
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fourfold import cli


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]):
    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stopped:
            cli.main(list(arguments))
        out, err = capsys.readouterr()
        return stopped.value.code, out, err

    return call


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    path = tmp_path / "predictions.csv"
    path.write_text("id; Y ;yhat\n1;sick;sick\n2;well; sick\n3;sick;well\n4;well;well\n")
    return path


def test_score(run) -> None:
    code, out, _ = run("score", "tp=45", "fn=5", "fp=10", "tn=40")
    assert code == 0
    assert "Accuracy" in out
    assert "0.8500" in out
    assert "17/20" in out
    assert "undefined" not in out


def test_score_says_why_undefined(run) -> None:
    code, out, _ = run("score", "tp=0,fn=4,fp=0,tn=46", "--metric", "ppv")
    assert code == 0
    assert "undefined  no predicted positives" in out


def test_score_with_an_order(run) -> None:
    _, named, _ = run("score", "tp=45", "fn=5", "fp=10", "tn=40")
    code, ordered, _ = run("score", "40", "10", "5", "45", "--order", "tn fp fn tp")
    assert code == 0
    assert ordered == named


def test_score_json(run) -> None:
    code, out, _ = run("score", "tp=0", "fn=4", "fp=0", "tn=46", "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["schema"], found["version"]) == ("fourfold/scores", 1)
    by_id = {row["metric"]: row for row in found["scores"]}
    assert by_id["precision"]["value"] is None
    assert by_id["precision"]["undefined"] == "no predicted positives"
    assert by_id["specificity"]["exact"] == "1"


def test_score_csv(run) -> None:
    _, out, _ = run("score", "tp=1", "fn=1", "fp=1", "tn=1", "--csv", "--metric", "f1")
    assert list(csv.DictReader(io.StringIO(out))) == [
        {"metric": "f1", "average": "", "label": "F1 score", "value": "0.5", "exact": "1/2", "undefined": ""}
    ]


def test_score_of_a_file(run, labels: Path) -> None:
    code, out, _ = run("score", str(labels), "--truth", "y", "--prediction", "YHAT", "--positive", "sick", "--json")
    assert code == 0
    assert json.loads(out)["table"] == {"tp": 1, "fn": 1, "fp": 1, "tn": 1}


@pytest.mark.parametrize(
    ("threshold", "cells"),
    [("5", {"tp": 2, "fn": 1, "fp": 1, "tn": 2}), ("8.5", {"tp": 1, "fn": 2, "fp": 0, "tn": 3})],
)
def test_score_of_a_column_of_scores(run, tmp_path: Path, threshold: str, cells: dict[str, int]) -> None:
    path = tmp_path / "risks.csv"
    path.write_text("y,risk\nsick,9\nsick,5\nsick,4.9\nwell,8\nwell,1\nwell,0\n")
    arguments = ["--truth", "y", "--score", "risk", "--threshold", threshold, "--positive", "sick", "--json"]
    code, out, _ = run("score", str(path), *arguments)
    assert code == 0
    assert json.loads(out)["table"] == cells


def test_a_score_that_was_taken_for_labels(run, tmp_path: Path) -> None:
    path = tmp_path / "risks.csv"
    path.write_text("y,risk\n" + "".join(f"{n % 2},{n}\n" for n in range(1, 11)))
    code, _, err = run("score", str(path), "--truth", "y", "--prediction", "risk", "--positive", "1")
    assert code == 2
    assert "prediction: has labels that the truth never has" in err
    assert "--score risk --threshold 5" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--score", "risk"], "threshold: is required with a score"),
        (["--prediction", "risk", "--threshold", "5"], "threshold: works only with a score"),
        (["--threshold", "5"], "threshold: works only with a score"),
        (["--prediction", "y", "--score", "risk", "--threshold", "5"], "score: cannot be used with a prediction"),
        ([], "--prediction: is required to read"),
        (["--score", "word", "--threshold", "5"], "score: column word must hold numbers, got 'low'"),
    ],
)
def test_a_score_goes_with_its_threshold(run, tmp_path: Path, arguments: list[str], words: str) -> None:
    path = tmp_path / "risks.csv"
    path.write_text("y,risk,word\n1,9,low\n0,5,low\n")
    code, _, err = run("score", str(path), "--truth", "y", *arguments)
    assert code == 2
    assert err.startswith(words)


def test_one_class_of_a_file_against_the_others(run, tmp_path: Path) -> None:
    path = tmp_path / "species.csv"
    path.write_text("y,yhat\ncat,cat\ndog,cat\nbird,dog\n")
    code, out, _ = run("score", str(path), "--truth", "y", "--prediction", "yhat", "--positive", "cat", "--json")
    assert code == 0
    found = json.loads(out)
    assert found["table"] == {"tp": 1, "fn": 0, "fp": 1, "tn": 1}
    assert [note["code"] for note in found["notes"]] == ["one_against_rest"]


def score_of(run, *arguments: str) -> dict[str, int]:
    code, out, err = run("score", *arguments, "--truth", "y", "--prediction", "yhat", "--positive", "1", "--json")
    assert code == 0, err
    return dict(json.loads(out)["table"])


#: tp, fn, fp, tn of these rows are 2, 1, 0, 3.
LABELS = {"y": [1, 1, 1, 0, 0, 0], "yhat": [1, 1, 0, 0, 0, 0]}


@pytest.mark.parametrize("name", ["rows.csv", "rows.csv.gz", "rows.tsv", "rows.csv.zst", "rows.parquet", "part-*"])
def test_score_reads_what_audit_reads(run, tmp_path: Path, name: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    pl = pytest.importorskip("polars")
    frame, path = pl.DataFrame(LABELS), tmp_path / name
    frame.write_csv(tmp_path / "rows.csv")
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress((tmp_path / "rows.csv").read_bytes()))
    elif name.endswith(".zst"):
        duckdb.sql(f"copy (from read_csv('{tmp_path}/rows.csv')) to '{path}' (header true, compression zstd)")
    elif name.endswith(".tsv"):
        frame.write_csv(path, separator="\t")
    elif name.endswith(".parquet"):
        frame.write_parquet(path)
    elif name.startswith("part"):
        frame[:2].write_csv(tmp_path / "part-1.csv")
        frame.select("yhat", "y")[2:].write_csv(tmp_path / "part-2.csv")
    assert score_of(run, str(path)) == {"tp": 2, "fn": 1, "fp": 0, "tn": 3}


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_score_of_a_database(run, tmp_path: Path, kind: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / f"log.{kind}"
    base = sqlite3.connect(path) if kind == "sqlite" else duckdb.connect(str(path))
    base.execute("create table log (y int, yhat int)")
    base.executemany("insert into log values (?, ?)", list(zip(*LABELS.values(), strict=True)))
    base.commit()
    base.close()
    asked = (str(path), "--query", "select * from log")
    assert score_of(run, *asked) == {"tp": 2, "fn": 1, "fp": 0, "tn": 3}
    assert score_of(run, *asked[:2], "select * from log where y = 1 or yhat = 0") == {
        "tp": 2,
        "fn": 1,
        "fp": 0,
        "tn": 3,
    }
    code, _, err = run("score", str(path), "--truth", "y", "--prediction", "yhat")
    assert (code, err.partition(". Hint")[0]) == (2, "query: is required for a database")
    code, _, err = run("score", "tp=1", "fn=1", "fp=1", "tn=1", "--query", "select 1")
    assert code == 2


@pytest.mark.skipif(not Path("/dev/stdin").exists(), reason="standard input is no file here")
def test_score_of_standard_input() -> None:
    """A pipe is read once; a missing label is named by its line, and rows of blanks are passed over."""

    def piped(text: str) -> tuple[int, str, str]:
        command = [sys.executable, "-m", "fourfold", "score", "-", "--truth", "y", "--prediction", "yhat", "--json"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    code, out, _ = piped("y,yhat\n1,1\n1.0,0\n,\n0,0\n")
    assert (code, json.loads(out)["table"]) == (0, {"tp": 1, "fn": 1, "fp": 0, "tn": 1})
    code, out, _ = piped("y,yhat\n1,1\n1,\n,0\n")
    assert code == 2
    assert "2 missing, the first in line 3" in json.loads(out)["message"]


def test_missing_labels_of_other_files(run, tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    pl = pytest.importorskip("polars")
    pl.DataFrame({"y": [1, None, 0], "yhat": [1, 1, None]}).write_parquet(tmp_path / "rows.parquet")
    code, _, err = run("score", str(tmp_path / "rows.parquet"), "--truth", "y", "--prediction", "yhat")
    assert (code, err.split(". ")[0]) == (2, "labels: must not be missing, got 2 missing")
    (tmp_path / "a.csv").write_text("y,yhat\n1,1\n")
    (tmp_path / "b.csv").write_text("y,yhat\n1,1\n1,NA\n")
    code, _, err = run("score", str(tmp_path / "*.csv"), "--truth", "y", "--prediction", "yhat")
    assert code == 2
    assert "labels: must not be missing, got 1 missing, the first in line 3 of b.csv. Hint" in err


def test_rows_of_blanks_are_no_cases(run, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("y,yhat,z\n1,1,a\n,,\n1,0,b\n ,,\n")
    assert score_of(run, str(tmp_path / "rows.csv")) == {"tp": 1, "fn": 1, "fp": 0, "tn": 0}


def test_score_of_a_file_with_many_classes(run, tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    path.write_text("y,z\n" + "".join(f"c{i % 15},c{i % 15}\n" for i in range(60)))
    code, out, _ = run(
        "score", str(path), "--truth", "y", "--prediction", "z", "--metric", "f1", "--metric", "accuracy"
    )
    assert code == 0
    assert "15 classes, 60 cases" in out
    assert "all classes" in out
    assert "macro" in out


def test_a_large_file_gets_a_progress_bar(run, labels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "_LARGE", {"score": 1})
    code, out, _ = run("score", str(labels), "--truth", "y", "--prediction", "yhat", "--positive", "sick", "--csv")
    assert code == 0
    assert out.startswith("metric,")


def test_a_long_search_shows_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.StringIO()
    monkeypatch.setattr(shown, "isatty", lambda: True)
    monkeypatch.setattr("sys.stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(cli, "_PATIENCE", 0.05)
    with cli._spinner():
        pass
    assert not shown.getvalue(), "a short one does not"
    with cli._spinner():
        time.sleep(0.5)
    assert "Ctrl-C stops it" in shown.getvalue()


def test_holes(run) -> None:
    code, out, _ = run("holes", "mcc", "30")
    assert code == 0
    assert out.startswith("120 of 5456 tables of size 30 (2.2 %)")
    assert "31  no predicted positives" in out
    assert "always defined" in run("holes", "accuracy", "30")[1]
    assert "pairs of tables of sizes 1 and 2" in run("holes", "te", "1", "2")[1]


def test_metrics(run) -> None:
    code, out, _ = run("metrics")
    assert code == 0
    assert "sensitivity" in out
    code, out, _ = run("metrics", "mcc")
    assert "undefined for 4000 of 167668501" in out
    assert "no cases" not in out
    assert json.loads(run("metrics", "--json")[1])["metrics"][0]["id"] == "accuracy"
    assert json.loads(run("metrics", "te", "--json")[1])["holes"][0]["count"] == 33396
    assert "the larger" in run("metrics", "equalized_odds")[1]
    assert run("metrics", "mcc", "--csv")[1].startswith("id,")


def test_version_and_help(run) -> None:
    assert run("--version")[1].startswith("fourfold ")
    for command in ("metrics", "score", "holes"):
        code, out, _ = run(command, "--help")
        assert code == 0
        assert f"fourfold {command}" in out


BAD = {
    "negative count": (["score", "tp=-1", "fn=0", "fp=0", "tn=0"], "bad_count"),
    "fractional count": (["score", "tp=1.5", "fn=0", "fp=0", "tn=0"], "bad_count"),
    "count that is text": (["score", "tp=x", "fn=0", "fp=0", "tn=0"], "bad_count"),
    "missing cell": (["score", "tp=1", "fn=0"], "bad_shape"),
    "unknown cell": (["score", "tpp=1", "fn=0", "fp=0", "tn=0"], "bad_shape"),
    "cell twice": (["score", "tp=1", "tp=1", "fp=0", "tn=0"], "ambiguous"),
    "half named": (["score", "tp=1", "2", "fp=0", "tn=0"], "usage"),
    "ambiguous orientation": (["score", "40", "10", "5", "45"], "ambiguous"),
    "three numbers": (["score", "40", "10", "5", "--order", "tn fp fn tp"], "bad_shape"),
    "one number": (["score", "40"], "ambiguous"),
    "unknown metric": (["score", "tp=1", "fn=0", "fp=0", "tn=0", "--metric", "precison"], "unknown_metric"),
    "unknown metric to describe": (["metrics", "precison"], "unknown_metric"),
    "unknown metric for holes": (["holes", "precison", "30"], "unknown_metric"),
    "negative size": (["holes", "mcc", "--", "-3"], "bad_count"),
    "fractional size": (["holes", "mcc", "3.5"], "bad_count"),
    "two sizes": (["holes", "mcc", "3", "4"], "bad_option"),
    "too large": (["holes", "pt", "100000000000001"], "too_large"),
    "no file": (["score", "nowhere.csv", "--truth", "y", "--prediction", "yhat"], "no_file"),
    "no columns said": (["score", "nowhere.csv"], "usage"),
    "no arguments": (["score"], "usage"),
    "unknown option": (["score", "--colour"], "usage"),
    "unknown command": (["scroe"], "usage"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(run, case: str) -> None:
    import re

    arguments, code = BAD[case]
    status, out, err = run(*arguments)
    assert status == 2
    assert out == ""
    assert re.fullmatch(r"[^:]+: .+\. Hint: .+[.?]\n", err), err
    assert ", got None" not in err
    status, out, err = run(*arguments[:1], "--json", *arguments[1:])
    assert status == 2
    assert json.loads(out)["schema"] == "fourfold/error"
    if case != "unknown command":
        assert json.loads(out)["code"] == code


FILES = {
    "empty file": ("", "empty"),
    "header only": ("y,yhat\n", "empty"),
    "unknown column": ("Y_true,yhat\n1,1\n", "unknown_column"),
    "two such columns": ("Y,Y,yhat\n1,1,1\n", "ambiguous"),
    "too few columns": ("y,yhat\n1\n0\n", "length_mismatch"),
    "missing label": ("y,yhat\n1,1\n,1\n1,\n", "bad_label"),
    "which is positive": ("y,yhat\nsick,well\n", "ambiguous"),
    "not text": (b"\xff\xfe\x00PAR1", "bad_shape"),
    "nul bytes": (b"y,yhat\n1,\x00\n", None),
    "byte order mark only": (b"\xef\xbb\xbf", "empty"),
    "nan label": ("y,yhat\n1,nan\n0,1\n", "bad_label"),
    "NA label": ("y,yhat\n1,1\nNA,1\n", "bad_label"),
    "stray quotes": ('y,yhat,n\n1,1,"5 inch\n1,0,"6 inch\n', "bad_shape"),
    "an id as label": ("y,yhat\n" + "".join(f"a{i},a{i}\n" for i in range(5000)), "too_large"),
    "a positive that does not occur": ("y,yhat\nsick,sick\n", "ambiguous"),
}


@pytest.mark.parametrize("case", FILES)
def test_bad_files(run, tmp_path: Path, case: str) -> None:
    content, code = FILES[case]
    path = tmp_path / "labels.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    status, out, _ = run("score", str(path), "--truth", "y", "--prediction", "yhat", "--json")
    assert status == 2
    if code:
        assert json.loads(out)["code"] == code
    if case == "missing label":
        assert "2 missing, the first in line 3" in json.loads(out)["message"]


def test_a_folder_is_not_a_file(run, tmp_path: Path) -> None:
    status, _, err = run("score", str(tmp_path), "--truth", "y", "--prediction", "yhat")
    assert status == 2
    assert err.startswith("file: is a folder")


def test_a_misspelt_file_is_suggested(run, labels: Path) -> None:
    _, _, err = run("score", str(labels.with_name("predictoins.csv")), "--truth", "y", "--prediction", "yhat")
    assert "did you mean 'predictions.csv'?" in err


def test_whole_numbers_are_one_label_however_they_are_written(run, tmp_path: Path) -> None:
    path = tmp_path / "floats.csv"
    path.write_text("\n\ny,yhat\n1,1.0\n0,0.0\n1,0.0\n  \n")
    code, out, _ = run("score", str(path), "--truth", "y", "--prediction", "yhat", "--json")
    assert code == 0
    assert json.loads(out)["table"] == {"tp": 1, "fn": 1, "fp": 0, "tn": 1}


def test_the_delimiter_is_not_looked_for_inside_quotes(run, tmp_path: Path) -> None:
    path = tmp_path / "quoted.csv"
    path.write_text('"a;b;c;d",y,yhat\nx,1,1\n')
    assert run("score", str(path), "--truth", "y", "--prediction", "yhat")[0] == 0


def test_labels_are_shown_as_they_are(run, tmp_path: Path) -> None:
    path = tmp_path / "markup.csv"
    path.write_text("y,yhat\n[red]a,[/b]\n:dog:,[a]\n[a],[a]\n")
    code, out, _ = run("score", str(path), "--truth", "y", "--prediction", "yhat", "--metric", "accuracy")
    assert code == 0
    assert all(label in out for label in ("[red]a", "[/b]", ":dog:", "[a]"))


def test_a_slip_in_the_positive_label_is_caught(run, tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("y,yhat\nsick,sick\n")
    code, _, err = run("score", str(path), "--truth", "y", "--prediction", "yhat", "--positive", "sikc")
    assert code == 2
    assert "did you mean 'sick'?" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "tp=1", "fn=1", "fp=1", "tn=1", "--truth", "y"],
        ["score", "labels.csv", "--order", "tn fp fn tp"],
        ["score", "x" * 5000, "--truth", "y", "--prediction", "z"],
        ["score", "="],
        ["score", "tp=1", "fn=1", "fp=1", "tn=1", "--metric", ""],
        ["metrics", "macro_" * 30 + "f1"],
        ["metrics", "f1" + "_negative" * 600],
    ],
)
def test_more_that_must_not_pass(run, arguments: list[str]) -> None:
    code, _, err = run(*arguments)
    assert code == 2
    assert ", got " in err
    assert ". Hint: " in err
    assert not err.startswith(":")


def test_any_beta_can_be_shown(run) -> None:
    for name in ("f0.1234567", "f1/3", "f2.50"):
        code, out, _ = run("score", "tp=1", "fn=2", "fp=3", "tn=4", "--metric", name)
        assert code == 0
        assert "score" in out


def test_nothing_typed_shows_the_help(run) -> None:
    code, out, _ = run()
    assert code == 0
    assert out.startswith("Usage: fourfold")


def test_interrupted(run, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli.cli, "main", stop)
    assert run("metrics")[0] == 130


GROUPS = ["--group", "tp=1,fn=4,fp=2,tn=13", "--reference", "tp=60,fn=40,fp=80,tn=320"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["metrics", ""], "NAME: is empty, got ''."),
        (["match", *GROUPS, ""], "METRIC: is empty, got ''."),
        (["score", ""], "CELLS: is empty, got ''."),
        (["audit", "", "--truth", "y", "--prediction", "p", "--by", "g"], "FILE: is empty, got ''."),
        (["match", "--group", "1,4,2,13", *GROUPS[2:], "recall"], "cells: must be name=count, got '1 4 2 13'."),
        (["recover", "--table", "a.csv", "--csv"], "--csv: cannot be used with --table, got '--csv'."),
    ],
)
def test_what_is_empty_or_has_no_name_is_refused(run, arguments: list[str], words: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith(words)


def test_a_column_cannot_steer_the_terminal(run, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("y\x1b[31m,p\n1,1\n")
    _, _, err = run("score", str(path), "--truth", "nothing", "--prediction", "p")
    assert "[31m" in err
    assert "\x1b" not in err


#: Colours, a title, the same by one character, marks of direction, and a return to the start of the line.
STEERING = "\x1b[31m\x1b]0;t\x07\x9b2J\u202e\u200f\u061c\rfine\nfine"


def steers(text: str) -> bool:
    """Tell whether a text steers a terminal otherwise than by the styles of an answer."""
    plain = re.sub(r"\x1b\[(?!31m)[\d;]*m", "", text)
    return not set(plain).isdisjoint("\x1b\x07\x9b\u202e\u200f\u061c\r")


@pytest.mark.parametrize("form", [[], ["--csv"], ["--json"], ["--markdown"], ["--latex"]])
def test_labels_cannot_steer_the_terminal(
    run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: list[str]
) -> None:
    path, column = tmp_path / f"a{STEERING}[red].csv", f"site{STEERING}"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["y", "p", column])
        rows.writerows([f"a{STEERING}", f"{'ab'[n % 2]}{STEERING}", f"{n % 3}{STEERING}"] for n in range(12))
        rows.writerows([f"b{STEERING}", f"{'ab'[n % 2]}{STEERING}", f"{n % 3}{STEERING}"] for n in range(12))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(cli, "_LARGE_OTHERS", 0)
    asked = ["audit", str(path), "--truth", "y", "--prediction", "p", "--by", column, "--metric", "recall"]
    code, out, err = run(*asked, "--positive", f"a{STEERING}", *form)
    assert code == 0
    assert not steers(out + err)
    assert not any(line.startswith("fine") for line in out.splitlines() if form != ["--csv"])
    # The same in errors: of a column, a label and a file.
    for wrong in (["--truth", column], ["--positive", f"x{STEERING}"], ["--prediction", f"q{STEERING}"]):
        code, out, err = run(*asked, *wrong, *form)
        assert code == 2
        assert not steers(out + err)
        assert form == ["--json"] or len(err.strip().splitlines()) == 1


def test_a_review_cannot_steer_the_terminal(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / f"a{STEERING}[red].csv"
    path.write_text("acc,positives,negatives,verdict\n0.85,40,60,mine\n0.85,40,60,mine\n")
    monkeypatch.setattr(cli, "_LARGE", {})
    monkeypatch.setattr(cli, "_LARGE_OTHERS", 0)
    code, out, err = run("recover", "--table", str(path), "-o", str(tmp_path / f"b{STEERING}.csv"))
    assert code == 0
    assert not steers(out + err)
    assert len(out.splitlines()) == 2


def test_what_programs_read_is_as_it_was(run, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('y,p,g\n1,1,"a\u009b\u202e"\n0,0,b\n')
    asked = ["audit", str(path), "--truth", "y", "--prediction", "p", "--by", "g", "--metric", "accuracy"]
    assert "a\u009b\u202e" in run(*asked, "--csv")[1]
    text = run(*asked, "--json")[1]
    assert "\u009b" not in text
    assert "g=a\u009b\u202e" in [finding["group"] for finding in json.loads(text)["findings"]]


def test_a_fault_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from fourfold import __main__ as started

    def broken(_: object) -> None:
        raise RuntimeError(STEERING)

    monkeypatch.setattr(cli, "main", broken)
    with pytest.raises(SystemExit) as stopped:
        started.main([])
    err = capsys.readouterr().err
    assert stopped.value.code == 70
    assert "RuntimeError" in err
    assert not steers(err)


def test_errors_in_plain_order(run) -> None:
    assert run("chek")[2] == "chek: unknown command. Hint: did you mean 'check'? `fourfold --help` lists all.\n"
    assert run("plan", "recall")[2] == "--group: is required. Hint: see `fourfold plan --help`.\n"
    assert run("check")[2] == "DOCUMENTS: is required. Hint: see `fourfold check --help`.\n"


def test_help_lists_each_command_once_below_a_question(run) -> None:
    from fourfold.cli import GROUPED, cli

    assert sorted(" ".join(GROUPED.values()).split()) == sorted(cli.commands)
    shown = run("--help")[1]
    for title in GROUPED:
        assert f"\n{title}\n" in shown
    assert re.findall(r"^  ([a-z][a-z-]*) ", shown, re.MULTILINE) == " ".join(GROUPED.values()).split()


def test_check_refuses_a_column_that_no_table_has_and_a_meaning_that_nothing_has(run, tmp_path: Path) -> None:
    sheet = tmp_path / "scores.csv"
    sheet.write_text("accuracy,speed\n0.9,0.8\n")
    for more in ((), ("-o", str(tmp_path / "out.csv"))):
        code, _, err = run("check", str(sheet), "--map", "sped=f1", *more)
        assert (code, err.partition(",")[0]) == (2, "--map: no table of scores has such a column")
        assert "did you mean 'speed'?" in err
        code, _, err = run("check", str(sheet), "--map", "speed=fone", *more)
        assert (code, err.partition(",")[0]) == (2, "map: does not know what speed is")
        for meaning in ("f1", "not used", "accuracy sd", "method", "positives", "F1 (%)"):
            assert run("check", str(sheet), "--map", f"speed={meaning}", *more)[0] == 0, meaning


def test_a_table_of_which_no_row_could_be_read_fails(run, tmp_path: Path) -> None:
    table, out = tmp_path / "scores.csv", str(tmp_path / "out.csv")
    table.write_text("positives,negatives,accuracy\nx,1,0.5\n")
    assert run("recover", "--table", str(table), "-o", out)[0] == 2
    table.write_text("positives,negatives,accuracy\nx,1,0.5\n1,1,0.5\n")
    assert run("recover", "--table", str(table), "-o", out)[0] == 0
