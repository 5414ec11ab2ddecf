"""What a notebook shows of a result, and its pictures by name."""

from __future__ import annotations

import re
import subprocess
import sys
from base64 import b64decode
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest

import fourfold as ff
from fourfold import answers, document, plots, writers
from fourfold.writers import html

from ..results import RESULTS

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

#: One result of every kind that has a picture, and the name of its main one.
DRAWN = {
    "recovery": "feasible",
    "match": "law",
    "plan": "curve",
    "audit": "forest",
    "abstention": "abstention",
    "calibration": "calibration",
    "certainty": "certainty",
    "decomposition": "matrices",
    "curve": "mcp",
}
IMPOSSIBLE = {"positives": 100, "negatives": 200, "accuracy": "0.9567", "recall": "0.8700", "specificity": "0.9750"}


class Shown(HTMLParser):
    """Collects the tags of HTML, and checks that each is closed."""

    VOID = ("br", "img", "meta", "rect", "path", "line", "image", "stop", "use")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._open: list[str] = []
        self.feed(text)
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self._open.pop() == tag

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def charts(result: Any) -> list[document.Chart]:
    return [block for block in answers.document(result).blocks if isinstance(block, document.Chart)]


def test_these_are_all_the_results_with_pictures() -> None:
    found = {cls.json_kind.name for cls in plots.DRAWERS}
    # Figures of a paper are drawn from its data, which is not here.
    assert found - {"reproduction"} == set(DRAWN)


def classes() -> ff.Recovery:
    return ff.recover(classes=[5, 4, "3-4"], accuracy="0.75", macro_f1="0.73")


@pytest.mark.parametrize(("kind", "make"), [*((kind, RESULTS[kind][0]) for kind in DRAWN), ("recovery", classes)])
def test_the_main_picture_stands_in_the_notebook(kind: str, make: Callable[[], Any]) -> None:
    result = make()
    assert charts(result)[0].name == DRAWN[kind]
    title = result.plot().to_dict(validate=False)["title"]["text"]
    text = result._repr_html_()
    shown = Shown(text)
    (picture,) = (given for given in shown.all("svg") if given.get("role") == "img")
    assert str(picture["aria-label"]).startswith(title)
    assert len(text) < 300_000
    # Nothing is fetched, linked to or run.
    assert not re.search(r"<script|https?://|\bon\w+=", text)
    ids = {str(given["id"]) for _, given in shown.tags if "id" in given}
    assert set(re.findall(r"url\(#([\w-]+)\)", text)) <= ids


def test_a_notebook_run_again_is_the_same() -> None:
    found, other = (ff.decompose(["a", "b"], [[p, 1 - p], [0.4, 0.6]]) for p in (0.9, 0.8))
    first = found._repr_html_()
    assert first == found._repr_html_()
    ids = [{given["id"] for _, given in Shown(text).tags if "id" in given} for text in (first, other._repr_html_())]
    assert ids[0]
    assert not ids[0] & ids[1]


@pytest.mark.parametrize("kind", ["scores", "holes", "comparison"])
def test_a_result_without_a_picture_says_so(kind: str) -> None:
    result = RESULTS[kind][0]()
    with pytest.raises(ff.InputError, match=f"plot: this result has no picture, got {type(result).__name__}"):
        result.plot()


def test_pictures_by_name() -> None:
    found = ff.recover(**IMPOSSIBLE)
    assert found.plot("bounds").to_dict() == plots.bounds(found).to_dict()
    assert "<code>.plot(&#x27;bounds&#x27;)</code>" in found._repr_html_()
    with pytest.raises(ff.InputError, match=re.escape("got 'forest'. Hint: one of feasible, bounds")):
        found.plot("forest")


def test_pictures_of_one_model_or_metric_of_several() -> None:
    first, second = (ff.decompose(["a", "b"], rows) for rows in ([[0.9, 0.1], [0.4, 0.6]], [[0.5, 0.5], [0.2, 0.8]]))
    both = ff.certainty.overview({"first": first, "second": second}, ["accuracy"])
    assert both.plot("matrices", of="second").to_dict() == plots.matrices(second).to_dict()
    with pytest.raises(ff.InputError, match=r"matrices \(of='first'\), matrices \(of='second'\)"):
        both.plot("matrices", of="third")
    groups = {"a": ff.Table(tp=8, fn=2, fp=3, tn=7), "b": ff.Table(tp=30, fn=9, fp=12, tn=49)}
    audit = ff.audit_tables(groups, metrics=["recall", "precision"])
    assert audit.plot(of="recall").to_dict() == plots.forest(audit, "recall").to_dict()


def test_a_large_picture_is_made_of_points_and_a_huge_one_only_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = ff.recover(accuracy="0.90", recall="0.90", positives=200, negatives=300)
    monkeypatch.setattr(html, "_MOST_DRAWN", 10_000)
    (image,) = Shown(found._repr_html_()).all("img")
    assert str(image["alt"]).startswith(f"{found.count} tables fit")
    assert b64decode(str(image["src"]).removeprefix("data:image/png;base64,")).startswith(b"\x89PNG")
    for limit in ("_MOST_POINTS", "_MOST_PARTS"):
        monkeypatch.setattr(html, limit, 100)
        text = found._repr_html_()
        assert "<img" not in text
        assert ".plot(&#x27;feasible&#x27;)" in text


def test_long_tables_are_folded() -> None:
    tables = {str(n): ff.Table(tp=n, fn=3, fp=4, tn=9) for n in range(30)}
    audit = ff.audit_tables(tables, metrics=["recall"])
    text = writers.notebook_html(audit)
    assert "<summary>Recall of each group: 30 rows</summary>" in text
    assert "<details" not in writers.fragment(audit).html
    assert "<details" not in writers.notebook_html(ff.scores(ff.Table(tp=1, fn=2, fp=3, tn=4)))


def test_parts_are_attributes_and_without_the_extra_there_are_words_and_tables() -> None:
    code = """
import sys
sys.modules["altair"] = sys.modules["vl_convert"] = None
import fourfold as ff
print("fourfold.plots" in sys.modules, "plots" in dir(ff))
found = ff.recover(accuracy="0.85", positives=40, negatives=60)
text = found._repr_html_()
print("16 tables fit" in text, "<figure" in text)
try:
    found.plot()
except ff.MissingExtra as error:
    print(error.hint)
print(ff.plots.forest.__name__, ff.certainty.calibrate.__name__)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert done.splitlines() == ["False True", "True False", "pip install 'fourfold[plots]'", "forest calibrate"]
