"""The pictures in the documentation are those that its code draws."""

from __future__ import annotations

import re
import sys
from xml.etree import ElementTree

import pytest

from ..conftest import ROOT

pytest.importorskip("vl_convert")
sys.path.insert(0, str(ROOT / "scripts"))

import gallery

SHOWN = re.compile(r"\]\([./\w-]*pictures/([\w-]+\.svg)\)")


def test_every_picture_is_drawn_by_the_page_and_shown() -> None:
    drawn = dict(gallery.charts())
    assert {path.name for path in gallery.FOLDER.iterdir()} == {*drawn, "house.svg"}
    for name, chart in drawn.items():
        texts = "".join(ElementTree.parse(gallery.FOLDER / name).getroot().itertext())
        heading = chart.to_dict()["title"]
        for line in (heading["text"], *heading["subtitle"]):
            assert line in texts, f"{name} is not what the page draws: run python scripts/gallery.py"


def test_pictures_of_the_readme_are_there() -> None:
    shown = SHOWN.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(shown) >= 6
    assert {path.name for path in gallery.FOLDER.iterdir()} >= set(shown)
