"""What holds for every paper done again: verdicts and statements as text, as a folder, and after an interruption."""

from __future__ import annotations

import csv
import json
import re
import shutil
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import fourfold as ff
from fourfold import words
from fourfold.cli import main
from fourfold.errors import MissingExtra
from fourfold.papers import (
    EXPERIMENTS,
    Part,
    Reproduction,
    Statement,
    View,
    drawing,
    experiment,
    figure,
    folder,
    sets,
    write_folder,
)
from fourfold.papers.paper import Paper, compared, table
from fourfold.papers.running import run_all
from fourfold.papers.sets import find_sets

POINTS = tuple(
    {"N": size, "error": 1 / size, "sd": 0.01, "kind": kind, "metric": metric}
    for metric in ("A", "B")
    for kind in ("raw", "smoothed")
    for size in (1, 2, 4)
)
VIEW = View("N", "error", "kind", panel="metric", spread="sd", titles={"N": "Cases"}, log_x=True, columns=2)
RESULT = Reproduction(
    "small-data",
    "somebody, some day",
    (
        Part("Figure 1", "Errors", "reproduced", "{count} sizes", {"count": 3}, POINTS, VIEW),
        Part(
            "Table 1",
            "Holes | gaps",
            "differs",
            "off at {size}",
            {"size": 4},
            (compared("f1", "n", "1.0", 1.04), compared("mcc", "n", "2.0", 2.5)),
        ),
        Part("Table 2", "Pictures", "not reproduced", "no data"),
    ),
    (Statement("§2", "All is well.", False, "not at N = {size}: {error}", {"size": 12, "error": 0.0070381}),),
)


@pytest.mark.parametrize(
    ("value", "found", "agrees"),
    [("0.90", 0.9049, True), ("0.90", 0.906, False), ("12", 12.4, True), ("0.0", 0.04, True), ("0.5", None, False)],
)
def test_a_number_agrees_where_rounding_gives_what_is_printed(value: str, found: float | None, agrees: bool) -> None:
    assert compared("row", "column", value, found)["agrees"] is agrees


def test_counts_and_rows() -> None:
    assert (RESULT.agree, RESULT.compared) == (1, 2)
    outcomes = [row["outcome"] for row in RESULT.rows()]
    assert outcomes == ["reproduced", "differs", "not reproduced", "false"]


def test_words_take_their_numbers_in_four_digits() -> None:
    assert words.worded("{a} {b} {c} {d} {e}", {"a": 0.0070381, "b": 12345, "c": None, "d": True, "e": "x"}) == (
        "0.007038 12,345 undefined yes x"
    )


def test_a_folder_holds_all_of_it(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    write_folder(RESULT, tmp_path / "new" / "out", command=["fourfold", "reproduce"])
    place = tmp_path / "new" / "out"
    names = {path.name for path in place.iterdir()}
    figures = {f"figure-1.{suffix}" for suffix in ("png", "svg", "csv")}
    assert names == figures | {"table-1.csv", "table-1.md", "outcome.json", "index.html"}
    page = (place / "index.html").read_text(encoding="utf-8")
    assert "not at N = 12: 0.007038" in page.replace("Not at", "not at")
    assert "<svg" in page
    assert "<script" not in page
    assert not re.search(r"(src|href)=\"(http|//)", page)
    with (place / "figure-1.csv").open(encoding="utf-8") as file:
        assert [float(row["error"]) for row in csv.DictReader(file)][:3] == [1.0, 0.5, 0.25]
    lines = (place / "table-1.md").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# Table 1: Holes | gaps"
    assert lines[-2:] == ["| f1 | 1.04 (1.0) |", "| mcc | 2.50 (2.0) ✗ |"]
    assert json.loads((place / "outcome.json").read_text(encoding="utf-8"))["agree"] == 1


def test_without_pictures_the_rest_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(part: Part) -> Any:
        raise MissingExtra("missing_extra", "plots", "needs altair, which is not installed", None, "pip install it")

    monkeypatch.setattr(folder, "figure", missing)
    monkeypatch.setattr(drawing, "figure", missing)
    write_folder(RESULT, tmp_path)
    assert "has no pictures" in (tmp_path / "index.html").read_text(encoding="utf-8")
    assert not list(tmp_path.glob("*.png"))


def test_what_an_earlier_run_left_does_not_stay(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    write_folder(RESULT, tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    write_folder(Reproduction("small-data", "x", (Part("Table 1", "Holes", "not reproduced", "no data"),)), tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"index.html", "outcome.json", "notes.txt"} | {
        f"figure-1.{suffix}" for suffix in ("png", "svg", "csv")
    }


def test_a_figure_has_a_panel_for_each_kind_and_its_axes() -> None:
    pytest.importorskip("altair")
    spec = figure(RESULT.parts[0]).to_dict()
    assert [panel["title"]["text"] for panel in spec["concat"]] == ["A", "B"]
    line = spec["concat"][0]["layer"][0]
    assert line["encoding"]["x"]["scale"]["type"] == "log"
    assert line["encoding"]["color"]["scale"]["domain"] == ["raw", "smoothed"]
    with pytest.raises(ff.InputError, match="is not a figure"):
        figure(RESULT.parts[1])


def _counted(folder: str, name: str) -> str:
    path = Path(folder) / name
    path.write_text(path.read_text() + "x" if path.exists() else "x")
    return name


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    cache, shares = tmp_path / "cache.jsonl", []
    jobs = {name: (_counted, str(tmp_path), name) for name in "abc"}
    assert run_all({"a": jobs["a"]}, output=tmp_path, name="cache") == {"a": "a"}
    with cache.open("a", errors="surrogateescape") as file:
        file.write('{"about": "0.0.0", "name": "b", "found": "old", "sum": 1}\n')
        file.write(json.dumps({"about": ff.__version__, "name": "b", "found": None, "sum": 1}) + '\n\udcff{"about": "')
    assert run_all(jobs, output=tmp_path, name="cache", progress=shares.append) == {"a": "a", "b": "b", "c": "c"}
    assert [(tmp_path / name).read_text() for name in "abc"] == ["x", "x", "x"]
    assert shares[-1] == 1
    assert run_all(jobs, output=tmp_path, name="cache") == {"a": "a", "b": "b", "c": "c"}
    assert (tmp_path / "b").read_text() == "x"
    with pytest.raises(ff.InputError, match="n_jobs"):
        run_all(jobs, output=None, name="cache", n_jobs=0)


def _broken(folder: str, name: str) -> str:
    if name == "c":
        raise KeyboardInterrupt
    return _counted(folder, name)


def test_an_interruption_loses_nothing_that_was_done(tmp_path: Path) -> None:
    cache = tmp_path / "cache.jsonl"
    jobs = {name: (_counted, str(tmp_path), name) for name in "abc"}
    with pytest.raises(KeyboardInterrupt):
        run_all({name: (_broken, *rest) for name, (_, *rest) in jobs.items()}, output=tmp_path, name="cache")
    assert [json.loads(line)["name"] for line in cache.read_text().splitlines()] == ["a", "b"]
    run_all(jobs, output=tmp_path, name="cache")
    assert [(tmp_path / name).read_text() for name in "abc"] == ["x", "x", "x"]


def test_every_printed_number_has_its_place() -> None:
    lines = table("printed.csv")
    assert len({tuple(line[name] for name in ("paper", "place", "row", "column")) for line in lines}) == len(lines)
    assert {line["paper"] for line in lines} == {"reclaim", "small-data", "certainty", "skin", "tpehg"}
    assert Paper("certainty").printed("Table 6")["random forest", "hard"] == "0.856"


class _OpenML:
    """Stands for OpenML: sonar as it is known there."""

    def __init__(self, rows: int = 208) -> None:
        self.asked: list[dict[str, Any]] = []
        self.rows = rows

    def __call__(self, **asked: Any) -> SimpleNamespace:
        self.asked.append(asked)
        data = np.zeros((self.rows, 60))
        names = [f"v{i}" for i in range(60)]
        target = np.array(["Rock", "Mine"] * (self.rows // 2), dtype=object)
        return SimpleNamespace(
            data=data, feature_names=names, target=target, categories={"v0": ["7", "5"], "Class": ["Rock"]}
        )


def test_openml_is_asked_only_where_that_was_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    datasets = pytest.importorskip("sklearn.datasets")
    known = _OpenML()
    monkeypatch.setattr(datasets, "fetch_openml", known)
    usable, others = find_sets(["sonar", "vowel"], tmp_path, None)
    assert not usable
    assert others == {"sonar": "has no sonar.parquet", "vowel": "has no vowel.parquet"}
    assert not known.asked
    (sonar,), others = find_sets(["sonar", "vowel"], tmp_path, tmp_path)
    assert others == {"vowel": "has no vowel.parquet"}
    assert (sonar.mark, sonar.rows, sonar.features, sonar.classes) == ("OpenML 40", 208, 60, 2)
    assert known.asked[0]["data_home"] == str(tmp_path)
    assert set(sonar.numbers()[0][:, 0]) == {7}


def test_categories_of_openml_are_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    datasets = pytest.importorskip("sklearn.datasets")
    bunch = SimpleNamespace(
        data=np.array([[0.0, 1], [np.nan, 2]]),
        feature_names=["job", "age"],
        target=np.array(["<=50K", ">50K"]),
        categories={"job": ["clerk"], "class": ["<=50K"]},
    )
    monkeypatch.setattr(datasets, "fetch_openml", lambda **_: bunch)
    columns, _ = sets._fetched(1590, tmp_path)
    assert columns["job"].tolist() == ["clerk", "?"]
    assert columns["age"].tolist() == [1, 2]


def test_what_openml_sends_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    datasets = pytest.importorskip("sklearn.datasets")
    monkeypatch.setattr(datasets, "fetch_openml", _OpenML(rows=200))
    assert find_sets(["sonar"], None, tmp_path)[1] == {
        "sonar": "has 200 rows, 60 features and 2 classes, not 208 rows, 60 features and 2 classes"
    }

    def unreachable(**_: Any) -> None:
        raise OSError("no network")

    monkeypatch.setattr(datasets, "fetch_openml", unreachable)
    assert find_sets(["sonar"], None, tmp_path)[1] == {"sonar": "OpenML 40 cannot be had"}


def _sonar(folder: Path, **changes: list[Any]) -> Path:
    """Write a table that has the shape of sonar."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    columns: dict[str, Any] = {f"f{i}": [float(i + row) for row in range(208)] for i in range(60)}
    columns |= {"target": ["R", "M"] * 104}
    folder.mkdir(exist_ok=True)
    frame = pandas.DataFrame({name: values for name, values in (columns | changes).items() if values})
    frame.to_parquet(folder / "sonar.parquet")
    return folder


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({}, None),
        ({"target": []}, "sonar.parquet has no column target"),
        ({"f0": []}, "has 208 rows, 59 features and 2 classes, not 208 rows, 60 features and 2 classes"),
        (
            {"target": ["R", "M", None, "M"] * 52},
            "has 208 rows, 60 features and 3 classes, not 208 rows, 60 features and 2 classes",
        ),
        ({"f7": [None, *([1.0] * 207)]}, "has missing values in f7"),
        ({"f7": ["x"] * 208}, "has texts or missing values in f7"),
    ],
)
def test_files_are_checked(tmp_path: Path, changes: dict[str, list[Any]], problem: str | None) -> None:
    usable, others = find_sets(["sonar"], _sonar(tmp_path, **changes), None)
    assert others == ({"sonar": problem} if problem else {})
    assert len(usable) == (not problem)


def test_the_same_shape_is_not_the_same_data(tmp_path: Path) -> None:
    (one,), _ = find_sets(["sonar"], _sonar(tmp_path / "a"), None)
    (other,), _ = find_sets(["sonar"], _sonar(tmp_path / "b", f0=[0.5] * 208), None)
    assert one.mark != other.mark


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(ended.value.code or 0)


def test_the_list_says_what_each_needs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("reproduce", "--json") == 0
    listed = json.loads(capsys.readouterr().out)["experiments"]
    names = ["reclaim", "small-data", "certainty", "drive", "skin", "tpehg"]
    assert [each["name"] for each in listed] == list(EXPERIMENTS) == names
    assert all(each["needs"] and each["minutes"] for each in listed)


def test_options_that_an_experiment_has_no_use_for_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("reproduce", "small-data", "--data", "x") == 2
    assert "--data: cannot be used with small-data" in capsys.readouterr().err
    assert run("reproduce", "reclaim", "--set", "sonar") == 2
    assert run("reproduce", "--data", "x") == 2
    assert run("reproduce", "small-data", "-o", "") == 2
    assert run("reproduce", "smalldata") == 2
    assert "did you mean 'small-data'" in capsys.readouterr().err
    with pytest.raises(ff.InputError, match="there are reclaim, small-data, certainty, drive"):
        experiment("xyz")


def test_the_command_writes_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ran(*, output: str, n_jobs: int, progress: Any) -> Reproduction:
        progress(1.0)
        return RESULT

    module = import_module("fourfold.papers.small_data")
    monkeypatch.setattr(module, "reproduce_small_data", ran)
    assert run("reproduce", "small-data", "-o", str(tmp_path)) == 0
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "fourfold reproduce small-data" in page
    shutil.rmtree(tmp_path)


def test_the_old_name_of_the_papers_still_works() -> None:
    import fourfold.reproduce

    with pytest.warns(DeprecationWarning, match="fourfold.papers.EXPERIMENTS"):
        assert "reclaim" in fourfold.reproduce.EXPERIMENTS
