"""What an answer about several classes shows: a row a class, the cells, pictures; each as wide as a terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fourfold as ff
from fourfold import cli
from fourfold.answers import document
from fourfold.document import Chart
from fourfold.writers import html_file, markdown, terminal_text

IRIS = {"setosa": 50, "versicolor": 50, "virginica": 50}
SCORES = {"accuracy": "0.95", "recall[setosa]": "1.00", "precision[versicolor]": "0.92"}


def lines(found: ff.Recovery) -> list[str]:
    """The answer on a terminal of eighty columns, words apart by one blank."""
    text = terminal_text(found, width=80)
    assert all(len(line) <= 80 for line in text.split("\n"))
    return [" ".join(line.split()) for line in text.split("\n")]


def test_a_row_a_class() -> None:
    """Setosa: 50 of 50 right, and at most 4 others taken for it, as 8 at most are wrong and 4 of them versicolor."""
    shown = lines(ff.recover(classes=IRIS, **SCORES))
    assert "class cases right predicted Precision Recall F1 score" in shown
    assert "setosa 50 50 50-54 0.926-1.000 1.000 0.962-1.000" in shown
    assert "Cohen's kappa 0.9200 0.9300" in shown
    assert "virginica 0-3 4 43-46" in shown


@pytest.mark.parametrize(("sizes", "sharp"), [((50, 50, 50), True), ((300, 400, 500), False)])
def test_the_picture_of_cells_says_whether_their_ends_are_attained(sizes: tuple[int, ...], sharp: bool) -> None:
    """So many margins of the larger classes fit that not all are listed: what is shown are limits."""
    found = ff.recover(classes=dict(zip("abc", sizes, strict=True)), accuracy="0.95")
    [chart] = [block for block in document(found).blocks if isinstance(block, Chart) and block.name == "feasible"]
    assert found.class_cells.sharp is sharp
    assert ("not proven" in chart.caption) is not sharp


def test_cells_that_unique_margins_leave_open() -> None:
    """Four wrong cases, two of them of b: a cycle through all three classes may be turned round."""
    margins = {"recall[a]": "0.8", "recall[b]": "0.6", "recall[c]": "0.8", "precision[c]": "4/6", "precision[a]": "4/5"}
    found = ff.recover(classes={"a": 5, "b": 5, "c": 5}, accuracy="0.733", **margins)
    assert (found.verdict, found.count, found.counted) == ("possible", 1, True)
    cells = found.class_cells
    assert cells.low == ((4, 0, 0), (0, 3, 1), (0, 0, 4))
    assert cells.high == ((4, 1, 1), (1, 3, 2), (1, 1, 4))
    text = " ".join(lines(found))
    assert "The margins are unique, the table is not. Determined are the right cases of each class and no other" in text
    assert "b 0-1 3 1-2" in text


def test_cells_that_unique_margins_determine() -> None:
    margins = {"recall[a]": "0.8", "recall[b]": "0.6", "precision[a]": "4/5", "precision[c]": "5/7", "recall[c]": "1.0"}
    found = ff.recover(classes={"a": 5, "b": 5, "c": 5}, accuracy="0.80", **margins)
    assert found.class_cells.determined == ((True,) * 3,) * 3
    assert "The margins are unique, and so is the table." in lines(found)


def test_cells_that_unique_margins_determine_are_named() -> None:
    """The three classes from above beside a fourth that nobody mistakes."""
    scores = {"recall[a]": "0.8", "recall[b]": "0.6", "recall[c]": "0.8", "precision[c]": "4/6", "precision[a]": "4/5"}
    scores |= {"recall[d]": "1.0", "precision[d]": "5/5"}
    found = ff.recover(classes=dict.fromkeys("abcd", 5), accuracy="0.80", **scores)
    named = "a as d, b as d, c as d, d as a, d as b and d as c."
    assert f"Determined are the right cases of each class, and {named}" in " ".join(lines(found))


def test_margins_that_are_not_all_listed() -> None:
    found = ff.recover(classes=[50, 50, 50], accuracy="0.8")
    shown = lines(found)
    assert not found.solution.listed
    assert not found.class_cells.sharp
    assert "class cases Precision Recall F1 score" in shown
    assert "One table that fits" in shown
    assert "Each cell, over all tables that fit" not in shown


def test_many_classes_are_shortened() -> None:
    found = ff.recover(classes=[5] * 35, accuracy="1.000")
    shown = lines(found)
    assert "29 5 5 5" in shown
    assert "... and 5 more" in shown
    assert "30 5 5 5" not in shown
    assert "class_cells" not in found.to_dict()
    assert found.solution.class_cells.high[34][34] == 5


def test_long_names_and_large_counts_are_not_cut() -> None:
    sizes = {"a class with a long name": 12_000, "another-class-with-a-long-name": 9_000, "third": 11_000}
    found = ff.recover(classes=sizes, accuracy="0.9912", **{"recall[third]": "0.9934", "precision[third]": "0.9877"})
    assert any("0.9934" in line for line in lines(found))


def test_other_forms_have_both_tables() -> None:
    found = ff.recover(classes=IRIS, **SCORES)
    for text in (html_file(found), markdown(found)):
        assert "43-46" in text
        assert "Specificity" in text
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["class_cells"]["low"][2] == [0, 4, 43]
    assert plain["class_cells"]["high"][2] == [3, 4, 46]
    assert plain["class_cells"]["sharp"]


def test_the_command_draws_what_the_answer_is_about(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("vl_convert")
    plot, bars = tmp_path / "cells.svg", tmp_path / "bars.svg"
    scores = [f"{name}={text}" for name, text in SCORES.items()]
    sizes = ",".join(f"{name}={size}" for name, size in IRIS.items())
    with pytest.raises(SystemExit) as stopped:
        cli.main(["recover", "--classes", sizes, *scores, "--plot", str(plot), "--bars", str(bars)])
    assert stopped.value.code == 0
    assert "43 to 46" in plot.read_text(encoding="utf-8")
    assert "0.9200 to 0.9300" in bars.read_text(encoding="utf-8")
    capsys.readouterr()
