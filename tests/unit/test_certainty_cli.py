"""The commands of pillar three, as they are typed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fourfold as ff
from fourfold import cli
from fourfold.papers.certainty import COLUMNS, reproduce_certainty

from ..conftest import ROOT, SHARED, needs

DATA = SHARED / "data"
NEEDS_DATA = needs(DATA)
THREE = ["fertility diagnosis", "parkinson", "sonar"]
EXAMPLE = """y,p_A,p_B,p_C
A,0.9,0.1,0
A,0.8,0,0.2
A,0.6,0.1,0.3
B,0.4,0.3,0.3
B,0.1,0.8,0.1
C,0,0.9,0.1
"""


@pytest.fixture
def example(tmp_path: Path) -> Path:
    path = tmp_path / "example.csv"
    path.write_text(EXAMPLE, encoding="utf-8")
    return path


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as caught:
        cli.main([str(argument) for argument in arguments])
    return int(caught.value.code or 0)


def test_the_papers_example(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Aguilar-Ruiz (2024): accuracy 2/3, soft 7/12, certain 31/44, uncertain 1/4, ratio 31/42; divergence the root of 1.22 over 6."""
    assert run("certainty", example, "--truth", "y", "--probabilities", "p_A,p_B,p_C", "--metric", "accuracy") == 0
    shown = capsys.readouterr().out.split()
    assert {"0.6667", "0.5833", "0.7045", "0.2500", "0.7381", "0.7333", "0.1841"} <= {word.strip(",") for word in shown}
    assert run("certainty", example, "--truth", "y", "--probabilities", "p_*", "--metric", "accuracy", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "fourfold/certainty"
    assert found["ratios"][0]["value"] == pytest.approx(31 / 42, abs=1e-12)
    model = found["models"][str(example)]
    assert model["certain"] == [pytest.approx(row) for row in ([2.3, 0, 0], [0.4, 0.8, 0], [0, 0.9, 0])]


def test_models_side_by_side(example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    second = tmp_path / "second.csv"
    second.write_text(EXAMPLE.replace("0.6,0.1,0.3", "0.2,0.5,0.3"), encoding="utf-8")
    assert (
        run("certainty", example, second, "--truth", "y", "--probabilities", "p_*", "--metric", "accuracy", "--csv")
        == 0
    )
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 3
    assert rows[1].startswith(str(example))
    assert rows[2].startswith(str(second))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--truth", "z", "--probabilities", "p_*"], "truth: "),
        (["--truth", "y", "--probabilities", "q_*"], "probabilities: "),
        (["--truth", "y", "--probabilities", "p_A,p_B"], "sum to one"),
        (["--truth", "y", "--probabilities", "p_*", "--convention", "loose"], "convention: "),
        (["--truth", "y", "--probabilities", "p_*", "--metric", "recall"], "metric: "),
    ],
)
def test_bad_input(example: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("certainty", example, *arguments) == 2
    message = capsys.readouterr().err
    assert words in message
    assert "Hint: " in message


def test_reproduce_lists_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("reproduce") == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in ("reclaim", "small-data", "certainty", "minutes", "needs"))
    assert run("reproduce", "everything") == 2
    assert run("reproduce", "certainty") == 2
    assert run("reproduce", "certainty", "--data", "nowhere") == 2


@pytest.fixture(scope="module")
def three_sets(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any, list[float]]:
    """Run three small sets: where the results are kept, what was found, and the progress that was told."""
    folder, done = tmp_path_factory.mktemp("three"), []
    return folder, reproduce_certainty(DATA, sets=THREE, output=folder, progress=done.append), done


@NEEDS_DATA
def test_three_small_sets_agree_to_the_printed_digit(three_sets: tuple[Path, Any, list[float]]) -> None:
    """Fertility, parkinson and sonar: 4 classifiers and 7 columns each, as Aguilar-Ruiz (2024) prints them."""
    folder, found, done = three_sets
    # And three numbers for each set in Table 1.
    assert found.compared == 3 * 4 * len(COLUMNS) + 3 * 3
    wrong = [record for part in found.parts for record in part.records if not record.get("agrees", True)]
    assert wrong == []
    assert found.agree == found.compared
    assert done[-1] == 1
    again = reproduce_certainty(DATA, sets=THREE, output=folder)
    assert again == found


@NEEDS_DATA
def test_a_set_that_is_not_there_is_named(three_sets: tuple[Path, Any, list[float]], tmp_path: Path) -> None:
    (tmp_path / "sonar.parquet").write_bytes((DATA / "sonar.parquet").read_bytes())
    (tmp_path / "out").mkdir()
    lines = (three_sets[0] / "certainty.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    known = [line for line in lines if not ("sonar" in line and "naive Bayes" in line)]
    assert len(known) == len(lines) - 1
    half_a_line = '{"version": "0.1", "job": "naive Ba'
    (tmp_path / "out" / "certainty.jsonl").write_text("".join(known) + half_a_line, encoding="utf-8")
    found = reproduce_certainty(tmp_path, sets=["sonar", "vowel"], output=tmp_path / "out")
    assert [note.code for note in found.notes] == ["sets_missing"]
    (table,) = (part for part in found.parts if part.place == "Table 2")
    assert {record["row"] for record in table.records} == {"sonar"}
    assert found.parts[-1].verdict == "not reproduced"
    with pytest.raises(ff.InputError, match="did you mean 'sonar'"):
        reproduce_certainty(tmp_path, sets=["sonnar"])


ANIMALS = ROOT / "docs" / "examples"
SHY, BOLD = ANIMALS / "animals_shy.csv", ANIMALS / "animals_bold.csv"


def asked(*arguments: object, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert run("certainty", *arguments, "--json") == 0
    return json.loads(capsys.readouterr().out)


def test_columns_are_found_and_said(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same answer as with the columns named, and a note that names them."""
    named = asked(example, "--truth", "y", "--probabilities", "p_*", capsys=capsys)
    found = asked(example, "--truth", "y", capsys=capsys)
    assert found["ratios"] == named["ratios"]
    assert {name: found[name] for name in ("calibration", "abstention")} == {
        name: named[name] for name in ("calibration", "abstention")
    }
    assert [note["code"] for note in found["notes"] if note not in named["notes"]] == ["columns_found"]


def test_what_is_wanted_and_what_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    """Of 120 pictures sorted by their certainty, the most that are right nine times in ten: counted here."""
    found = asked(SHY, "--truth", "y", "--want", "0.9", "--level", "0.9", capsys=capsys)["abstention"][str(SHY)]
    rows = [line.split(",") for line in SHY.read_text(encoding="utf-8").splitlines()[1:]]
    best = [(max(p), ["cat", "dog", "bird"][p.index(max(p))] == y) for _, y, *p, _ in rows for p in [[*map(float, p)]]]
    kept = {least: [right for p, right in best if p >= least] for least, _ in best}
    most = max((own for own in kept.values() if 10 * sum(own) >= 9 * len(own)), key=len)
    assert (found["chosen"]["kept"], found["chosen"]["right"]) == (len(most), sum(most))
    assert found["level"] == 0.9
    assert run("certainty", SHY, "--truth", "y", "--want", "0.9") == 0
    words = " ".join(capsys.readouterr().out.split())
    assert f"keep the {100 * len(most) / 120:.1f} % of cases" in words
    assert "The threshold was chosen on the same cases." in words
    assert run("certainty", SHY, "--truth", "y", "--want", "2") == 2
    assert "want: must be a number from 0 to 1" in capsys.readouterr().err


def test_two_models_of_the_same_cases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(SHY, BOLD, "--truth", "y", "--metric", "accuracy", capsys=capsys)["comparison"]
    assert found["surer"] == str(BOLD)
    assert found["low"] < found["difference"] < found["high"] < 0
    header, *rows = BOLD.read_text(encoding="utf-8").splitlines()
    turned = tmp_path / "turned.csv"
    turned.write_text("\n".join([header, *rows[::-1]]), encoding="utf-8")
    again = asked(SHY, turned, "--truth", "y", "--metric", "accuracy", "--key", "picture", capsys=capsys)["comparison"]
    assert {**again, "second": "", "surer": ""} == {**found, "second": "", "surer": ""}
    # In another order and without a key they are not compared, and a note says why.
    apart = asked(SHY, turned, "--truth", "y", capsys=capsys)
    assert apart["comparison"] is None
    assert "not_tested" in [note["code"] for note in apart["notes"]]
    short = tmp_path / "short.csv"
    short.write_text("\n".join([header, *rows[:50]]), encoding="utf-8")
    fewer = asked(SHY, short, "--truth", "y", "--metric", "accuracy", "--key", "picture", capsys=capsys)
    assert fewer["comparison"] is None
    assert run("certainty", SHY, "--truth", "y", "--key", "picture") == 2


def test_predictions_decide_what_is_certain_and_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "given.csv"
    path.write_text("y,yhat,a,b\na,b,0.5,0.5\nb,b,0.4,0.6\nb,,0.3,0.7\n", encoding="utf-8")
    found = asked(path, "--truth", "y", "--prediction", "yhat", capsys=capsys)
    [kept] = found["abstention"].values()
    assert [(point["threshold"], point["kept"], point["right"]) for point in kept["points"]] == [
        (0.6, 1, 1),
        (0.5, 2, 1),
    ]


def test_ten_classes_from_parquet_with_the_tables_other_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As scikit-learn leaves it: an index, the truth, a prediction, and columns 0 to 9."""
    pandas, numpy = pytest.importorskip("pandas"), pytest.importorskip("numpy")
    draw = numpy.random.default_rng(4)
    frame = pandas.DataFrame(draw.dirichlet(numpy.ones(10), 80))
    frame.columns = list(map(str, range(10)))
    frame["target"], frame["pred"] = numpy.arange(80) % 10, frame.to_numpy().argmax(axis=1)
    path = tmp_path / "digits.parquet"
    frame.to_parquet(path)
    found = asked(path, "--truth", "target", capsys=capsys)
    assert found["models"][str(path)]["labels"] == list(range(10))
    right = int((frame["target"] == frame["pred"]).sum())
    assert found["ratios"][0]["hard"] == pytest.approx(right / 80)
    assert found["abstention"][str(path)]["points"][-1]["right"] == right


@pytest.mark.parametrize(
    ("header", "named", "labels", "said"),
    [
        ("y,u,v", "u,v", ["no", "yes"], True),
        ("y,u,v", "v,u", ["no", "yes"], True),
        ("y,P_No,P_Yes", "P_*", ["no", "yes"], False),
        ("y,p_yes,p_no", "p_*", ["yes", "no"], False),
    ],
)
def test_named_columns_belong_to_labels_by_name_or_in_order(
    header: str, named: str, labels: list[str], said: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "named.csv"
    path.write_text(f"{header}\nno,0.875,0.125\nyes,0.25,0.75\nno,0.5,0.5\n", encoding="utf-8")
    found = asked(path, "--truth", "y", "--probabilities", named, capsys=capsys)
    [model] = found["models"].values()
    assert model["labels"] == labels
    first = "v" if named == "v,u" else header.split(",")[1]
    own = {"u": 1.375, "v": 0.625, "P_No": 1.375, "p_yes": 1.375}[first]
    assert model["soft"][labels.index("no")][0] == pytest.approx(own)
    assert ("columns_found" in [note["code"] for note in found["notes"]]) == said
