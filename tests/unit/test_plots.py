from __future__ import annotations

import re
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import fourfold as ff
from fourfold import plots

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

SEVERAL = {"accuracy": "0.898", "f1": "0.8968", "positives": 994, "negatives": 1006}
LINE = {"accuracy": "0.85", "positives": 40, "negatives": 60}
IMPOSSIBLE = {
    "accuracy": "0.9567",
    "sensitivity": "0.8700",
    "specificity": "0.9750",
    "positives": 100,
    "negatives": 200,
}
UNKNOWN_SIZES = {"total": 110, "accuracy": "92.7%", "precision": "96.9%", "recall": "95%"}
NO_SIZE = {"accuracy": "0.91", "max_total": 60}
UNPLACED = {"accuracy": "0.8", "positives": 0, "negatives": 10}
UNDECIDED = {"accuracy": "0.85", "positives": 40, "negatives": 60, "budget": 3}
NOTHING_ENDLESS = {"accuracy": "1.0", "positives": 0, "negatives": 10}
CONTRARY = {"accuracy": "1.00", "recall": "0.0", "plr": "3", "positives": 40, "negatives": 60}
NOT_PRINTABLE = {"accuracy": "0.8555", "positives": 40, "negatives": 60}
ALL = [SEVERAL, LINE, IMPOSSIBLE, UNKNOWN_SIZES, NO_SIZE, UNPLACED, UNDECIDED, NOTHING_ENDLESS, CONTRARY, NOT_PRINTABLE]


def drawn(chart: Any, mark: str) -> list[list[dict[str, Any]]]:
    """Return the records of every layer with a mark, layer by layer."""
    spec = chart.to_dict(validate=False)
    found = []

    def look(part: dict[str, Any], data: dict[str, Any] | None) -> None:
        data = part.get("data", data)
        for inner in (*part.get("layer", []), *part.get("vconcat", []), *part.get("concat", [])):
            look(inner, data)
        if part.get("mark", {}).get("type") == mark:
            assert data is not None
            found.append(list(data["values"] if "values" in data else spec["datasets"][data["name"]]))

    look(spec, None)
    return found


def fitting_dots(chart: Any) -> list[dict[str, Any]]:
    return [dot for layer in drawn(chart, "circle") for dot in layer if dot["kind"] == "fits every claim"]


def grey_dots(chart: Any) -> list[dict[str, Any]]:
    return [dot for layer in drawn(chart, "circle") for dot in layer if dot["kind"] == "fails a claim"]


def bars(chart: Any) -> dict[str, dict[str, Any]]:
    return {bar["label"]: bar for layer in drawn(chart, "bar") for bar in layer}


def heading(chart: Any) -> tuple[str, list[str]]:
    title = chart.to_dict()["title"]
    return title["text"], title["subtitle"]


@pytest.mark.parametrize("given", ALL, ids=str)
def test_every_answer_has_two_valid_pictures(given: dict[str, Any], tmp_path: Path) -> None:
    found = ff.recover(**given)
    for plot in (plots.feasible, plots.bounds):
        assert plot(found).to_dict()["title"]["text"]
        plots.save(plot(found), tmp_path / "picture.svg")
        assert (tmp_path / "picture.svg").stat().st_size > 1000


@pytest.mark.parametrize("given", [SEVERAL, LINE, UNKNOWN_SIZES, NO_SIZE], ids=str)
def test_every_table_that_fits_is_a_dot(given: dict[str, Any]) -> None:
    found = ff.recover(**given)
    dots = fitting_dots(plots.feasible(found))
    cells = [tuple(dot[name] for name in ("tp", "fn", "fp", "tn")) for dot in dots]
    placed = [t for t in found.tables() if t.tp + t.fn and t.fp + t.tn]
    assert sorted(cells) == sorted((t.tp, t.fn, t.fp, t.tn) for t in placed)
    assert all(dot["x"] == dot["fp"] / (dot["fp"] + dot["tn"]) for dot in dots)
    assert all(dot["y"] == dot["tp"] / (dot["tp"] + dot["fn"]) for dot in dots)


def test_tables_without_a_place_are_counted() -> None:
    found = ff.recover(**NO_SIZE)
    chart = plots.feasible(found)
    left_out = sum(not (t.tp + t.fn and t.fp + t.tn) for t in found.tables())
    assert left_out > 0
    assert len(fitting_dots(chart)) + left_out == found.count
    assert f"{left_out} without positives or without negatives have no place here" in heading(chart)[1]


def test_many_tables_are_thinned_and_the_picture_says_so() -> None:
    found = ff.recover(mcc="0.5", positives=400, negatives=600)
    chart = plots.feasible(found)
    dots = fitting_dots(chart)
    assert found.count > 5000
    assert len({(dot["tp"], dot["tn"]) for dot in dots}) == len(dots) == 5000
    assert "5000 of them are drawn, evenly thinned" in heading(chart)[1]
    ranks = {(t.tp, t.tn): i for i, t in enumerate(found.tables())}
    places = sorted(ranks[dot["tp"], dot["tn"]] for dot in dots)
    gaps = {after - before for before, after in pairwise(places)}
    assert gaps == {found.count // 5000, found.count // 5000 + 1}


def test_other_tables_are_drawn_where_they_can_be_told_apart() -> None:
    found = ff.recover(**LINE)
    chart = plots.feasible(found)
    fitting = {(t.tp, t.fp) for t in found.tables()}
    grey = {(dot["tp"], dot["fp"]) for dot in grey_dots(chart)}
    assert grey
    assert not grey & fitting
    assert not grey_dots(plots.feasible(ff.recover(mcc="0.5", positives=400, negatives=600)))


def test_an_accuracy_band_is_where_the_accuracy_is_as_printed() -> None:
    (band,) = drawn(plots.feasible(ff.recover(**LINE)), "area")
    assert {each["claim"] for each in band} == {"A  accuracy = 0.85"}
    assert len(band) > 100
    for each in band:
        ends = [(each["x"], each["y"]), (each.get("x2", each["x"]), each.get("y2", each["y"]))]
        for x, y in ends:
            assert 0.845 - 1e-9 <= (40 * y + 60 * (1 - x)) / 100 <= 0.855 + 1e-9


def test_bands_of_the_two_axes_are_their_intervals() -> None:
    layers = drawn(plots.feasible(ff.recover(recall="0.8", specificity="0.9", positives=40, negatives=60)), "area")
    by_claim = {each["claim"]: each for layer in layers for each in layer}
    across, upright = by_claim["A  recall = 0.8"], by_claim["B  specificity = 0.9"]
    assert (across["y"], across["y2"]) == pytest.approx((0.75, 0.85))
    assert (upright["x"], upright["x2"]) == pytest.approx((0.05, 0.15))


@pytest.mark.parametrize("name", [*ff.METRICS, "macro_f1", "f2"])
def test_tables_that_fit_lie_in_the_band(name: str) -> None:
    table = ff.Table(tp=31, fn=9, fp=7, tn=53)
    value = ff.score(table, name)
    found = ff.recover(**{name: f"[{value - 0.01:.4f}, {value + 0.01:.4f}]"}, positives=40, negatives=60)
    chart = plots.feasible(found)
    assert (31 / 40, 7 / 60) in {(dot["y"], dot["x"]) for dot in fitting_dots(chart)}
    (band,) = [layer for layer in drawn(chart, "area") if layer]
    across, other = ("x", "y") if "y2" in band[0] else ("y", "x")
    at = min(band, key=lambda each: abs(each[across] - (7 / 60 if across == "x" else 31 / 40)))
    slack = 0.02
    assert at[other] - slack <= (31 / 40 if other == "y" else 7 / 60) <= at[f"{other}2"] + slack


def test_claims_are_named_as_printed() -> None:
    found = ff.recover(acc="[0.8, 0.9]", sens="80%", spec="=0.9", positives=40, negatives=60)
    layers = drawn(plots.feasible(found), "area")
    claims = {each["claim"] for layer in layers for each in layer}
    assert claims == {"A  acc in [0.8, 0.9]", "B  sens = 80%", "C  spec = 0.9"}


def test_an_impossible_report_shows_bands_and_no_table_that_fits() -> None:
    chart = plots.feasible(ff.recover(**IMPOSSIBLE))
    claims = {each["claim"] for layer in drawn(chart, "area") for each in layer}
    assert claims == {"A  accuracy = 0.9567", "B  sensitivity = 0.8700", "C  specificity = 0.9750"}
    # Letters on the bands tell them apart without their colours.
    assert [each["letter"] for layer in drawn(chart, "text") for each in layer] == ["A", "B", "C"]
    assert not fitting_dots(chart)
    title, lines = heading(chart)
    assert title == "No table fits"
    assert "accuracy, sensitivity and specificity contradict each other" in lines


def test_an_impossible_report_is_shown_where_the_claims_come_close() -> None:
    """By hand: two of the three claims at a time give tp 87 with fp 0 or 5, and tp 92 with fp 5."""
    chart = plots.feasible(ff.recover(**IMPOSSIBLE))
    seen = {(dot["tp"], dot["fp"]) for dot in grey_dots(chart)}
    assert {(87, 0), (87, 5), (92, 5)} <= seen
    assert len(seen) < 200


def test_one_claim_that_no_table_has_is_shown_between_tables() -> None:
    chart = plots.feasible(ff.recover(**NOT_PRINTABLE, folds="none"))
    assert any(drawn(chart, "area"))
    assert grey_dots(chart)
    assert "No table has this accuracy" in heading(chart)[1]


def test_unknown_sizes_show_tables_only() -> None:
    chart = plots.feasible(ff.recover(**UNKNOWN_SIZES))
    assert drawn(chart, "area") == []
    assert {dot["positives"] for dot in fitting_dots(chart)} == {98, 99, 100}
    assert heading(chart) == (
        "3 tables fit",
        ["total: 110", "Claims are drawn as bands only where positives and negatives are known"],
    )


def test_an_undecided_answer_says_so() -> None:
    found = ff.recover(**UNDECIDED)
    assert heading(plots.feasible(found))[0] == "Undecided: the search was not finished"
    assert not fitting_dots(plots.feasible(found))
    assert not grey_dots(plots.feasible(found))


@pytest.mark.parametrize("given", [SEVERAL, LINE, UNKNOWN_SIZES], ids=str)
def test_bars_are_the_bounds(given: dict[str, Any]) -> None:
    found = ff.recover(**given)
    shown = bars(plots.bounds(found))
    defined = {m.label: found.bounds(m) for m in ff.METRICS.values() if found.bounds(m).low is not None}
    assert {label: (bar["low"], bar["high"]) for label, bar in shown.items()} == {
        label: (each.low, each.high) for label, each in defined.items()
    }
    for label, bar in shown.items():
        table = defined[label].low_witness
        assert table is not None
        assert bar["least at"] == f"tp {table.tp}, fn {table.fn}, fp {table.fp}, tn {table.tn}"


def test_claimed_metrics_come_first_and_stand_out() -> None:
    shown = bars(plots.bounds(ff.recover(macro_f1="0.85", acc="0.85", positives=40, negatives=60)))
    assert [label for label, bar in shown.items() if bar["kind"] == "claimed"] == list(shown)[:2]
    assert list(shown)[:2] == ["F1 score, macro average", "Accuracy"]
    assert shown["Accuracy"]["at least"] == "17/20"


def test_metrics_without_an_end_have_a_logarithmic_axis() -> None:
    chart = plots.bounds(ff.recover(**LINE))
    ends, endless = drawn(chart, "bar")
    assert {bar["label"] for bar in endless} == {m.label for m in ff.METRICS.values() if m.limits.high is None}
    assert len(ends) + len(endless) == len(ff.METRICS)
    assert all(0 < bar["start"] <= bar["end"] for bar in endless)
    assert min(bar["low"] for bar in endless) == 0


def test_a_metric_that_no_table_defines_is_named_without_a_bar() -> None:
    chart = plots.bounds(ff.recover(**UNPLACED))
    assert "Recall" not in bars(chart)
    texts = {each["label"]: each["text"] for layer in drawn(chart, "text") for each in layer}
    assert texts["Recall"] == "undefined"
    assert texts["Accuracy"] == "0.8000"


def test_a_contradiction_shows_what_the_other_claims_leave() -> None:
    chart = plots.bounds(ff.recover(**IMPOSSIBLE))
    left, claimed = drawn(chart, "bar")
    assert [(bar["label"], bar["low"], bar["high"], bar["text"]) for bar in left] == [
        ("specificity, given accuracy and sensitivity", 1.0, 1.0, "1.0000 (200 of 200), not 0.9750"),
        ("sensitivity, given accuracy and specificity", 0.92, 0.92, "0.9200 (92 of 100), not 0.8700"),
        ("accuracy, given sensitivity and specificity", 0.94, 0.94, "0.9400 (282 of 300), not 0.9567"),
    ]
    assert [bar["kind"] for bar in claimed] == ["claimed"] * 3
    assert (claimed[0]["start"], claimed[0]["end"]) == pytest.approx((0.97495, 0.97505))


def test_what_was_claimed_stays_within_what_a_metric_can_be() -> None:
    claimed = [bar for layer in drawn(plots.bounds(ff.recover(**CONTRARY)), "bar") for bar in layer if "low" not in bar]
    assert {(bar["start"], bar["end"]) for bar in claimed if bar["label"].startswith("recall")} == {(0, 0.05)}
    assert {bar["end"] for bar in claimed if bar["label"].startswith("accuracy")} == {1}


@pytest.mark.parametrize(("suffix", "start"), [("png", b"\x89PNG"), ("PDF", b"%PDF"), ("svg", b"<svg")])
def test_saving_by_the_files_ending(suffix: str, start: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"picture.{suffix}"
    plots.save(plots.feasible(ff.recover(**LINE)), path)
    assert path.read_bytes().startswith(start)


def test_files_fetch_nothing(tmp_path: Path) -> None:
    chart = plots.bounds(ff.recover(**LINE))
    plots.save(chart, tmp_path / "picture.svg")
    text = (tmp_path / "picture.svg").read_text()
    assert set(re.findall(r"https?://[^\"\s]+", text)) <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    plots.save(chart, str(tmp_path / "picture.html"))
    page = (tmp_path / "picture.html").read_text()
    assert not re.findall(r"<(?:script|link)[^>]*(?:src|href)=", page)


def test_an_unknown_ending(tmp_path: Path) -> None:
    with pytest.raises(ff.InputError) as caught:
        plots.save(plots.bounds(ff.recover(**LINE)), tmp_path / "picture.jpg")
    assert caught.value.code == "bad_option"
    assert str(caught.value).endswith("Hint: one of .png, .svg, .pdf, .html.")


@pytest.mark.parametrize("package", ["altair", "vl_convert"])
def test_a_missing_package_names_its_extra(package: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = ff.recover(**LINE)
    chart = plots.feasible(found)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ff.MissingExtra) as caught:
        plots.feasible(found) if package == "altair" else plots.save(chart, tmp_path / "picture.svg")
    assert isinstance(caught.value, ImportError)
    assert isinstance(caught.value, ff.FourfoldError)
    assert str(caught.value) == (
        f"plots: needs {package}, which is not installed. Hint: pip install 'fourfold[plots]'."
    )
    assert caught.value.to_dict()["code"] == "missing_extra"
