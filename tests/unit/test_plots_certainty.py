"""Pictures of certainty: what is drawn and said is what the results hold."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fourfold as ff
from fourfold import plots
from fourfold.certainty.curves import imcp, mcp
from fourfold.certainty.decomposition import Decomposition, decompose
from fourfold.certainty.overviews import Overview, overview
from fourfold.words import between, number, percent

from .pictures import assert_drawn
from .test_plots import drawn, heading
from .test_plots_groups import marks

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

LABELS = ["A", "B", "C"]
TRUTH = list("AAABBC")
ROWS = [[0.9, 0.1, 0], [0.8, 0, 0.2], [0.6, 0.1, 0.3], [0.4, 0.3, 0.3], [0.1, 0.8, 0.1], [0, 0.9, 0.1]]
PAPER = decompose(TRUTH, ROWS, LABELS)
SURE = decompose(TRUTH, [[1, 0, 0]] * 3 + [[0, 1, 0]] * 3, LABELS)
NEVER = decompose(["A", "A"], [[1, 0], [1, 0]], ["A", "B"])
SCORES = ("hard", "soft", "certain", "uncertain")


def model(k: int, n: int, skill: float, seed: int) -> tuple[Any, Any]:
    """Return labels and rows of probabilities; the more skill, the closer they come."""
    truth = np.arange(n) * 7 % k
    raw = np.random.default_rng(seed).normal(size=(n, k))
    raw[np.arange(n), truth] += skill
    rows = np.exp(1.5 * raw)
    return truth, rows / rows.sum(axis=1, keepdims=True)


def parted(skill: float, seed: int) -> Decomposition:
    truth, rows = model(3, 200, skill, seed)
    return decompose(truth, rows, [0, 1, 2], by=np.arange(200) % 5)


MODELS = {"good": parted(1, 3), "bad": parted(-0.3, 4)}
TWO = overview(MODELS)
ONE = overview({"paper": PAPER})
UNDEFINED = overview({"sure": SURE})
# Each part is sure of itself in the first model; only one part is in the second.
SOME = overview(
    {
        "all": decompose(TRUTH, [[1, 0, 0]] * 3 + [[0, 1, 0]] * 3, LABELS, by=[1, 1, 1, 2, 2, 2]),
        "one": decompose(TRUTH, [[1, 0, 0]] * 3 + ROWS[3:], LABELS, by=[1, 1, 1, 2, 2, 2]),
    },
    ["accuracy"],
)
TRUTH_MANY, ROWS_MANY = model(3, 4000, 1, 5)
CURVES = {"first": mcp(TRUTH, ROWS, LABELS), "second": imcp(TRUTH, ROWS, LABELS)}

CHARTS: dict[str, Callable[[], Any]] = {
    "matrices": lambda: plots.matrices(PAPER),
    "matrices of two": lambda: plots.matrices(NEVER),
    "matrices of ten": lambda: plots.matrices(decompose(*model(10, 300, 1, 1), list(range(10)))),
    "matrices of thirty": lambda: plots.matrices(decompose(*model(30, 300, 1, 1), list(range(30)))),
    "weighted": lambda: plots.matrices(decompose(TRUTH, ROWS, LABELS, weights=[0.5] * 5 + [1e6])),
    "one model": lambda: plots.certainty(ONE),
    "two models": lambda: plots.certainty(TWO),
    "undefined": lambda: plots.certainty(UNDEFINED),
    "never defined": lambda: plots.certainty(overview({"never": NEVER}, ["mcc"])),
    "some undefined": lambda: plots.certainty(SOME),
    "as in the paper": lambda: plots.certainty(overview({"sure": SURE}, convention="paper")),
    "endless": lambda: plots.certainty(overview(MODELS, ["accuracy", "macro_plr"])),
    "curve": lambda: plots.curve(CURVES["first"]),
    "curves": lambda: plots.curve(CURVES),
    "many points": lambda: plots.curve(mcp(TRUTH_MANY, ROWS_MANY, [0, 1, 2])),
}
CHARTS = {name: cache(draw) for name, draw in CHARTS.items()}


def texts(chart: Any) -> list[str]:
    return [each["words"] for layer in drawn(chart, "text") for each in layer]


def placed(chart: Any, mark: str) -> dict[tuple[str, str, str], float]:
    """Return where marks of a kind are, by model, metric and kind."""
    return {(each["Model"], each["Metric"], each["kind"]): each["at"] for layer in drawn(chart, mark) for each in layer}


@pytest.mark.parametrize("name", CHARTS)
def test_every_picture_is_valid_and_can_be_saved(name: str, tmp_path: Path) -> None:
    assert_drawn(CHARTS[name](), tmp_path)


@pytest.mark.parametrize("name", CHARTS)
def test_everything_drawn_has_a_tooltip_and_every_axis_a_title(name: str) -> None:
    for part in marks(CHARTS[name]()):
        encoding = part["encoding"]
        if part["mark"]["type"] != "text":
            assert encoding["tooltip"]
        for axis in ("x", "y"):
            if "scale" in encoding.get(axis, {}):
                assert encoding[axis]["title"]


@pytest.mark.parametrize("found", [PAPER, SURE, MODELS["good"]], ids=["paper", "sure", "parts"])
def test_the_matrices_are_those_of_the_decomposition(found: Decomposition) -> None:
    chart = plots.matrices(found)
    panels = drawn(chart, "rect")
    assert [panel["title"]["text"] for panel in chart.to_dict()["concat"]] == ["Hard", "Soft", "Certain", "Uncertain"]
    for name, cells in zip(SCORES, panels, strict=True):
        shown = {(cell["Actual"], cell["Predicted"]): cell["value"] for cell in cells}
        assert shown == {(str(row["actual"]), str(row["predicted"])): row[name] for row in found.rows()}
    assert drawn(chart, "text") == panels


def test_the_matrices_have_actual_classes_in_rows_and_one_scale() -> None:
    chart = plots.matrices(decompose(["b", "a"], [[0.9, 0.1], [0.2, 0.8]], ["b", "a"]))
    for part in marks(chart):
        axes = {name: part["encoding"][name] for name in ("x", "y")}
        assert (axes["x"]["field"], axes["y"]["field"]) == ("Predicted", "Actual")
        assert axes["x"]["sort"] == axes["y"]["sort"] == ["b", "a"]
    scales = [part["encoding"]["color"]["scale"] for part in marks(chart) if part["mark"]["type"] == "rect"]
    assert len(scales) == 4
    assert all(scale == scales[0] for scale in scales)
    assert scales[0]["domain"] == [0, 0.5, 1]


def test_the_cells_say_their_mass() -> None:
    (hard, soft, *_) = drawn(plots.matrices(PAPER), "text")
    assert [cell["text"] for cell in hard[:3]] == ["3", "0", "0"]
    assert [cell["text"] for cell in soft[:3]] == ["2.30", "0.20", "0.50"]
    tiny = decompose(["a", "b"], [[0.99999, 0.00001], [0.004, 0.996]], ["a", "b"], weights=[1, 1e6])
    cells = drawn(plots.matrices(tiny), "text")[3]
    assert [(cell["text"], cell["Mass"]) for cell in cells] == [
        ("0", "0"),
        ("< 0.01", "< 0.0001"),
        (number(4000.0, 2), number(4000.0)),
        ("0", "0"),
    ]


def test_the_numbers_in_the_cells_can_be_read() -> None:
    """Black or white on every shade, with the contrast of 4.5 that guidelines for the web ask for."""

    def light(rgb: Any) -> float:
        parts = np.asarray(rgb) / 255
        return float(
            np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]
        )

    (part, words, *_) = marks(plots.matrices(PAPER))
    shades = [[int(shade[i : i + 2], 16) for i in (1, 3, 5)] for shade in part["encoding"]["color"]["scale"]["range"]]
    condition = words["encoding"]["color"]
    assert (condition["condition"]["value"], condition["value"]) == ("white", "#000000")
    threshold = float(re.search(r"> ([\d.]+)", condition["condition"]["test"])[1]) / 3  # type: ignore[index]
    for share in np.linspace(0, 1, 201):
        behind = light([np.interp(share, [0, 0.5, 1], channel) for channel in zip(*shades, strict=True)])
        front = 1.0 if share > threshold else 0.0
        assert (max(front, behind) + 0.05) / (min(front, behind) + 0.05) > 4.5


def test_many_classes_have_no_numbers_and_too_many_no_picture() -> None:
    assert drawn(CHARTS["matrices of thirty"](), "text") == []
    assert len(drawn(CHARTS["matrices of ten"](), "text")) == 4
    truth, rows = model(101, 101, 1, 1)
    with pytest.raises(ff.TooLarge, match="has more than 100 classes, got 101"):
        plots.matrices(decompose(truth, rows, list(range(101))))


def test_the_heading_of_the_matrices() -> None:
    assert heading(plots.matrices(PAPER)) == (
        "3 classes, four ways to count",
        [
            f"6 rows; {percent(PAPER.weight_certain)} of the probability is certain: it lies on predicted classes",
            f"Divergence of hard and soft: {number(PAPER.divergence)}; at most {number(PAPER.largest_divergence)} "
            "where the most probable class is predicted",
            "Rows tied at the top: 0",
        ],
    )
    tied = decompose(["a", "a"], [[0.5, 0.5], [0.9, 0.1]], ["a", "b"], by=[1, 2])
    lines = heading(plots.matrices(tied))[1]
    assert lines[0].startswith("2 rows in 2 parts; ")
    assert lines[2:] == ["Rows tied at the top: 1", "Note: no case is b"]


@pytest.mark.parametrize("found", [ONE, TWO, UNDEFINED, SOME], ids=["one", "two", "undefined", "some"])
def test_bars_and_marks_are_the_scores(found: Overview) -> None:
    chart = plots.certainty(found)
    whole = {(model, ratio.label): ratio for (model, part, _), ratio in found.ratios.items() if part is None}
    for mark, kinds in (("bar", SCORES[2:]), ("point", SCORES[:2])):
        assert placed(chart, mark) == {
            (*key, f"{kind} score"): getattr(ratio, kind)
            for key, ratio in whole.items()
            for kind in kinds
            if getattr(ratio, kind) is not None
        }


@pytest.mark.parametrize("found", [ONE, TWO, UNDEFINED, SOME], ids=["one", "two", "undefined", "some"])
def test_ticks_are_the_scores_of_parts(found: Overview) -> None:
    layers = drawn(plots.certainty(found), "tick")
    shown = [(each["Model"], each["Part"], each["Metric"], each["at"]) for layer in layers for each in layer]
    assert sorted(shown) == sorted(
        (model, str(part), ratio.label, value)
        for (model, part, _), ratio in found.ratios.items()
        for value in (ratio.certain, ratio.uncertain)
        if part is not None and value is not None
    )


def test_negative_scores_are_left_of_zero() -> None:
    chart = plots.certainty(TWO)
    ratio = TWO.ratios["bad", None, "mcc"]
    assert ratio.certain is not None
    assert ratio.certain < 0
    bars = [part for part in marks(chart) if part["mark"]["type"] == "bar"]
    lowest = min(each["at"] for mark in ("bar", "tick", "point") for layer in drawn(chart, mark) for each in layer)
    for bar in bars:
        assert bar["encoding"]["x2"] == {"datum": 0}
        low, high = bar["encoding"]["x"]["scale"]["domain"]
        assert low <= lowest < 0
        assert high == 1
    (bar, *_) = [part for part in marks(plots.certainty(ONE)) if part["mark"]["type"] == "bar"]
    assert bar["encoding"]["x"]["scale"]["domain"] == [0, 1]


def test_a_metric_without_an_upper_end_has_its_own_axis() -> None:
    chart = CHARTS["endless"]()
    ends = [part["encoding"]["x"]["scale"]["domain"] for part in marks(chart) if part["mark"]["type"] == "bar"]
    assert ends[0] == ends[1] == [0, 1]
    most = max(each["at"] for mark in ("bar", "tick", "point") for layer in drawn(chart, mark) for each in layer)
    assert ends[2] == ends[3]
    assert ends[2][1] > most > 1


def test_one_model_has_one_panel_and_several_have_one_for_each_metric() -> None:
    (panel,) = plots.certainty(ONE).to_dict()["vconcat"]
    rows = [ONE.ratios["paper", None, name].label for name in ONE.metrics]
    assert [part["encoding"]["y"]["sort"] for part in panel["layer"]] == [rows] * len(panel["layer"])
    chart = plots.certainty(TWO)
    panels = chart.to_dict()["vconcat"]
    assert [panel["title"]["text"] for panel in panels] == [
        TWO.ratios["good", None, name].label for name in TWO.metrics
    ]
    assert all(part["encoding"]["y"]["sort"] == ["good", "bad"] for panel in panels for part in panel["layer"])


def test_scores_and_ratios_are_written_beside() -> None:
    said = texts(plots.certainty(ONE))
    for ratio in ONE.ratios.values():
        for name in SCORES:
            assert f"{name} {number(getattr(ratio, name))}" in said
        assert f"certainty ratio {number(ratio.value)}" in said
    assert "certainty ratio 0.7381" in said
    assert not any("part" in words or "undefined" in words for words in said)


def test_the_ratios_of_parts_are_summed_up() -> None:
    said = texts(plots.certainty(TWO))
    for name, found in MODELS.items():
        for metric in TWO.metrics:
            over = found.over_parts(metric)
            values = [TWO.ratios[name, part, metric].value for part in found.named_parts()]
            ends = between(min(filter(None, values)), max(filter(None, values)))
            assert f"in 5 parts: mean {number(over.mean)} ({ends})" in said


def test_undefined_is_said_in_words_and_not_drawn() -> None:
    chart = plots.certainty(UNDEFINED)
    assert {kind for *_, kind in placed(chart, "bar")} == {"certain score"}
    said = texts(chart)
    assert "undefined: no cases at all" in said
    assert "undefined: class 'A': no positives, actual or predicted; 2 more" in said
    assert said.count("uncertain undefined") == said.count("certainty ratio undefined") == 3
    (tooltip,) = {
        each["Reasons"] for layer in drawn(chart, "bar") for each in layer if each["Metric"].startswith("Accuracy")
    }
    assert tooltip == "uncertain: no cases at all"


def test_undefined_parts_are_counted() -> None:
    chart = plots.certainty(SOME)
    said = texts(chart)
    ratio = SOME.ratios["one", "2", "accuracy"]
    assert SOME.ratios["one", "1", "accuracy"].value is None
    assert f"in 2 parts: mean {number(ratio.value)} ({between(ratio.value, ratio.value)}); undefined in 1" in said
    assert "in 2 parts: undefined" in said
    assert "Each tick is the score of one part; 3 undefined ones have none" in heading(chart)[1]


def test_scores_that_cancel_have_no_ratio_and_say_why() -> None:
    found = decompose(["a", "b"], [[0.4, 0.6], [0.6, 0.4]], ["a", "b"])
    given = overview({"it": found}, ["mcc"])
    assert given.ratios["it", None, "mcc"].value is None
    said = texts(plots.certainty(given))
    assert "certainty ratio undefined" in said
    assert "certain and uncertain scores sum to zero" in said


def test_the_convention_of_the_paper_is_said() -> None:
    chart = CHARTS["as in the paper"]()
    words = "An undefined certain or uncertain score counts as 0 in the ratio, as in the paper"
    assert words in heading(chart)[1]
    assert words not in heading(plots.certainty(UNDEFINED))[1]
    said = texts(chart)
    assert said.count("certainty ratio 1.0000") == said.count("uncertain undefined") == 3
    assert "undefined: no cases at all" in said


def test_the_heading_of_scores() -> None:
    title, lines = heading(plots.certainty(TWO))
    assert title == "Certain and uncertain scores of 2 models"
    assert all(any(line.startswith(f"{name}: 200 rows in 5 parts; ") for line in lines) for name in MODELS)
    assert TWO.notes
    assert all(f"Note: {note.text}" in " ".join(lines) for note in TWO.notes)
    assert heading(plots.certainty(ONE))[0] == "Certain and uncertain scores of paper"
    many = overview({f"model {i}": PAPER for i in range(9)}, ["accuracy"])
    assert not any(line.startswith("model") for line in heading(plots.certainty(many))[1])


def test_curves_are_their_points_with_areas_in_the_legend() -> None:
    chart = plots.curve(CURVES)
    for layer in (*drawn(chart, "line"), *drawn(chart, "circle")):
        for name, found in CURVES.items():
            shown = [(each["x"], each["y"]) for each in layer if each["Name"] == name]
            assert shown == list(zip(found.x.tolist(), found.y.tolist(), strict=True))
    (line, _) = marks(chart)
    assert line["encoding"]["color"]["scale"]["domain"] == [
        f"{name} ({found.kind.upper()}): area {number(found.area)}" for name, found in CURVES.items()
    ]
    for axis in ("x", "y"):
        assert line["encoding"][axis]["scale"]["domain"] == [0, 1]
    assert "equally wide" in line["encoding"]["x"]["title"]
    assert heading(chart)[0] == "MCP and IMCP curves"


def test_a_curve_without_a_name_has_that_of_its_kind() -> None:
    chart = plots.curve(CURVES["first"])
    (line, _) = marks(chart)
    assert line["encoding"]["color"]["scale"]["domain"] == [f"MCP: area {number(CURVES['first'].area)}"]
    assert line["encoding"]["x"]["title"] == "Share of cases, worst first"
    assert heading(chart)[0] == "MCP curve"


def test_curves_are_told_apart_by_more_than_colour() -> None:
    (line, _) = marks(plots.curve({str(i): CURVES["first"] for i in range(12)}))
    looks = [line["encoding"][name]["scale"]["range"] for name in ("color", "strokeDash")]
    assert len({(colour, str(dash)) for colour, dash in zip(*looks, strict=True)}) == 12
    assert len({str(dash) for dash in looks[1][:6]}) == 6


@pytest.mark.parametrize("kind", [mcp, imcp])
def test_long_curves_are_thinned_and_say_so(kind: Any) -> None:
    found = kind(TRUTH_MANY, ROWS_MANY, [0, 1, 2])
    chart = plots.curve(found)
    (shown,) = drawn(chart, "line")
    points = set(zip(found.x.tolist(), found.y.tolist(), strict=True))
    assert {(each["x"], each["y"]) for each in shown} <= points
    assert (shown[0]["x"], shown[-1]["x"]) == (0, 1)
    assert 400 < len(shown) <= 502
    x, y = np.array([(each["x"], each["y"]) for each in shown]).T
    assert float(np.diff(x) @ (y[1:] + y[:-1])) / 2 == pytest.approx(found.area, abs=1e-3)
    assert "Curves with more than 500 points are thinned" in heading(chart)[1]


def test_curves_pass_on_their_notes() -> None:
    found = imcp(["A", "B"], ROWS[:2], LABELS)
    assert found.notes
    assert heading(plots.curve(found))[1][-1] == f"Note: {found.notes[0].text}"


def test_no_curves() -> None:
    with pytest.raises(ff.InputError, match="curves: must hold at least one curve"):
        plots.curve({})


def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    for draw in (lambda: plots.matrices(PAPER), lambda: plots.certainty(ONE), lambda: plots.curve(CURVES)):
        with pytest.raises(ff.MissingExtra, match=r"pip install 'fourfold\[plots\]'"):
            draw()
