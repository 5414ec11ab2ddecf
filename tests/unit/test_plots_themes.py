"""Charts as the page shows them: what is drawn stays, what is around it fits and can be read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

import fourfold as ff
from fourfold import plots
from fourfold.certainty import decompose, mcp, overview
from fourfold.plots import colours
from fourfold.plots.theming import _IN_THE_DARK

pytest.importorskip("altair")
vl_convert = pytest.importorskip("vl_convert")

CLINICS = {"East": ff.Table(tp=14, fn=11, fp=7, tn=38), "North": ff.Table(tp=73, fn=13, fp=20, tn=134)}
MODEL = decompose(["cat", "dog", "dog"], {"p_cat": [0.9, 0.4, 0.2], "p_dog": [0.1, 0.6, 0.8]})
LINE = ff.recover(accuracy="0.85", positives=40, negatives=60)
IMPOSSIBLE = ff.recover(accuracy="0.85", recall="0.81", f1="0.3", positives=40, negatives=60)
CHARTS: dict[str, Callable[[], Any]] = {
    "feasible": lambda: plots.feasible(LINE),
    "impossible": lambda: plots.feasible(IMPOSSIBLE),
    "bounds": lambda: plots.bounds(LINE),
    "forest": lambda: plots.forest(ff.audit_tables(CLINICS, metrics=["recall", "dor"])),
    "law": lambda: plots.law(ff.match(CLINICS["East"], CLINICS["North"], "recall")),
    "certainty": lambda: plots.certainty(overview({"first": MODEL, "second": MODEL}, ["accuracy", "macro_f1"])),
    "matrices": lambda: plots.matrices(MODEL),
    "curve": lambda: plots.curve(mcp(["a", "b"], [[1.0, 0.0], [0.3, 0.7]])),
}
CHARTS = {name: cache(draw) for name, draw in CHARTS.items()}
LOOKS = ("light", "dark", "narrow", "narrow_dark")


@cache
def themed(name: str) -> dict[str, Any]:
    return plots.themes(CHARTS[name]())


def parts(spec: Any) -> Iterator[dict[str, Any]]:
    """Walk all mappings in a specification."""
    if isinstance(spec, dict):
        yield spec
    for part in spec.values() if isinstance(spec, dict) else spec if isinstance(spec, list) else ():
        yield from parts(part)


def brightness(colour: str) -> float:
    linear = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in linear]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("name", CHARTS)
def test_every_look_has_its_data_and_its_heading_as_a_description(name: str) -> None:
    found = themed(name)
    title = CHARTS[name]().to_dict()["title"]
    for look in LOOKS:
        spec = found[look]
        assert "title" not in spec
        assert spec["description"].startswith(title["text"])
        assert all(line in spec["description"] for line in title["subtitle"])
        named = {part["name"] for part in parts(spec) if str(part.get("name")).startswith("data-")}
        assert named
        assert named <= found["datasets"].keys()


@pytest.mark.parametrize("name", CHARTS)
def test_a_file_is_what_save_writes(name: str) -> None:
    found = themed(name)
    assert found["file"] | {"datasets": found["datasets"]} == plots.drawable(CHARTS[name]())


@pytest.mark.parametrize("name", CHARTS)
def test_pictures_are_about_as_wide_as_their_room(name: str) -> None:
    found = themed(name)
    for look, most in (("light", 760), ("narrow", 370)):
        svg = vl_convert.vegalite_to_svg(found[look] | {"datasets": found["datasets"]})
        width = re.search(r'width="([\d.]+)"', svg)
        assert width
        assert float(width[1]) <= most


@pytest.mark.parametrize("name", sorted(CHARTS.keys() - {"matrices"}))
def test_marks_can_be_seen_in_the_dark(name: str) -> None:
    text = str(themed(name)["dark"])
    assert not re.search("'(#000000|black|white|#FFFFFF|#EEEEEE|#222222)'", text)


def test_a_heat_map_keeps_its_colours_in_the_dark() -> None:
    found = themed("matrices")
    assert [panel["layer"] for panel in found["dark"]["concat"]] == [
        panel["layer"] for panel in found["light"]["concat"]
    ]


@pytest.mark.parametrize(("look", "paper"), [("light", "#ffffff"), ("dark", "#1a2026")])
def test_words_around_a_plot_can_be_read(look: str, paper: str) -> None:
    config = themed("forest")[look]["config"]
    colours = (config["axis"]["labelColor"], config["axis"]["titleColor"], config["legend"]["labelColor"])
    for colour in colours:
        high, low = sorted((brightness(colour), brightness(paper)), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 4.5


def test_columns_of_numbers_are_left_to_the_pages_table() -> None:
    wide, narrow = (themed("forest")[look] for look in ("light", "narrow"))
    for spec in (wide, narrow):
        assert not [part for part in parts(spec) if part.get("mark", {}).get("type") == "text"]
    assert [part for part in parts(themed("law")["light"]) if part.get("type") == "text"]


def test_panels_stand_below_each_other_where_it_is_narrow() -> None:
    found = themed("matrices")
    assert (found["light"]["columns"], found["narrow"]["columns"]) == (2, 1)


def test_a_name_that_is_a_colour_stays_a_name() -> None:
    groups = {"black": CLINICS["East"], "white": CLINICS["North"]}
    dark = plots.themes(plots.forest(ff.audit_tables(groups, metrics=["recall"])))["dark"]
    assert {"black", "white"} <= {name for part in parts(dark) for name in part.get("sort") or ()}


def _light(text: str) -> float:
    parts = [int(text[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_light(one), _light(other)))
    return (high + 0.05) / (low + 0.05)


def test_every_colour_of_a_mark_stands_out() -> None:
    """By 3 to 1 at least, as WCAG 1.4.11 asks for what is not text."""
    for colour in (*colours.COLOURS, colours.GREY):
        assert _contrast(colour, "#FFFFFF") >= 3, colour
        assert _contrast(_IN_THE_DARK[colour], _IN_THE_DARK["#FFFFFF"]) >= 3, colour
