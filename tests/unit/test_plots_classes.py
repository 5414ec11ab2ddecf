"""Pictures of a report about several classes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import fourfold as ff
from fourfold.errors import TooLarge

from .pictures import assert_drawn

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

from fourfold import plots

SCORES = {"accuracy": "0.95", "recall[a]": "1.00", "precision[b]": "0.92"}


def records_of(chart: Any) -> list[dict[str, Any]]:
    return [record for records in chart.to_dict()["datasets"].values() for record in records]


def cells_of(chart: Any) -> dict[tuple[str, str], str]:
    return {(cell["Actual"], cell["Predicted"]): cell["text"] for cell in records_of(chart)}


def test_each_cell_has_its_counts(tmp_path: Path) -> None:
    found = ff.recover(classes={"a": 50, "b": 50, "c": 50}, **SCORES)
    chart = plots.cells(found)
    assert_drawn(chart, tmp_path)
    texts, cells = cells_of(chart), found.class_cells
    assert plots.feasible(found).to_dict() == chart.to_dict()
    assert texts["a", "a"] == "50"
    assert texts["c", "b"] == "4"
    assert texts["b", "b"] == f"{cells.low[1][1]} to {cells.high[1][1]}"
    assert chart.to_dict()["title"]["text"] == "23 sets of margins fit"


def test_ends_that_need_not_be_attained_are_said(tmp_path: Path) -> None:
    chart = plots.cells(ff.recover(classes=[50] * 8, accuracy="0.9", bounds="none"))
    assert_drawn(chart, tmp_path)
    assert chart.to_dict()["title"]["subtitle"][-1].startswith("No table goes beyond")


def test_where_nothing_fits_the_cells_are_empty(tmp_path: Path) -> None:
    found = ff.recover(classes=[50, 50, 50], accuracy="0.95", macro_f1="0.90")
    for chart in (plots.cells(found), plots.bounds(found)):
        assert_drawn(chart, tmp_path)
        title = chart.to_dict()["title"]
        assert title["text"] == "No table fits"
        assert "accuracy and macro_f1 contradict each other" in title["subtitle"]
    assert set(cells_of(plots.cells(found)).values()) == {""}


def test_more_classes_than_are_drawn() -> None:
    found = ff.recover(classes=[2] * 13, accuracy="1.0", bounds="none")
    with pytest.raises(TooLarge, match="more than 12 classes"):
        plots.cells(found)


def test_bars_of_every_score(tmp_path: Path) -> None:
    found = ff.recover(classes={"a": 50, "b": 50, "c": 50}, **SCORES)
    chart = plots.bounds(found)
    assert_drawn(chart, tmp_path)
    bars = {record["label"]: record for record in records_of(chart)}
    assert {label for label, bar in bars.items() if bar["kind"] == "claimed"} == {
        "Accuracy",
        "Recall, a",
        "Precision, b",
    }
    assert bars["Cohen's kappa"]["text"] == "0.9200 to 0.9300"
    assert len(bars) == len(found.shown_bounds)


@pytest.mark.parametrize("theme", ["light", "dark", "narrow", "narrow_dark"])
def test_the_page_has_it_in_every_theme(theme: str) -> None:
    chart = plots.draw(ff.recover(classes=[5, 5, 5], accuracy="0.8"), "feasible")
    drawn = plots.themes(chart)[theme]
    assert drawn["background"] == "transparent"
    assert "margins fit" in drawn["description"]
