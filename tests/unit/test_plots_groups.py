"""Pictures of groups: what is drawn and said is what the results hold."""

from __future__ import annotations

import json
import math
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import fourfold as ff
from fourfold import plots
from fourfold.plots import laws as drawing
from fourfold.words import between, chance, effect, number, percent

from .pictures import assert_drawn
from .test_plots import drawn, heading

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

REFERENCE = ff.Table(tp=26305, fn=16163, fp=20040, tn=93579)
GROUPS = {
    "race=White": ff.Table(tp=620, fn=380, fp=430, tn=2570),
    "race=Black": ff.Table(tp=205, fn=195, fp=190, tn=810),
    "race=Asian": ff.Table(tp=13, fn=26, fp=31, tn=275),
    "race=Native": ff.Table(tp=1, fn=1, fp=0, tn=3),
    "race=Other": ff.Table(tp=0, fn=0, fp=3, tn=14),
}
AUDIT = ff.audit_tables(GROUPS, metrics=["recall", "precision", "mcc"])
ENDLESS = ff.audit_tables(
    {
        "a": ff.Table(tp=3, fn=1, fp=1, tn=9),
        "b": ff.Table(tp=20, fn=0, fp=1, tn=40),
        "c": ff.Table(tp=5, fn=1, fp=3, tn=40),
    },
    metrics=["dor", "plr"],
    reference="c",
    level=0.9,
)
ESTIMATORS = [(0, 0), (0, 1e-10), (0, 1), (5, 0), (10, 0), (20, 0)]
NAMES = ["raw", "add 1e-10 to each cell", "add 1 to each cell", "strength 5", "strength 10", "strength 20"]


SMALL, LARGE = ff.Table(tp=1, fn=2, fp=1, tn=6), ff.Table(tp=16000, fn=10200, fp=12000, tn=61000)


def expected() -> Iterator[ff.groups.ExpectedError]:
    return ff.groups.expected_errors(GROUPS["race=Asian"], REFERENCE, ["recall", "mcc"], range(1, 9), ESTIMATORS)


CHARTS: dict[str, Callable[[], Any]] = {
    "forest": lambda: plots.forest(AUDIT),
    "one metric": lambda: plots.forest(AUDIT, "sensitivity"),
    "endless": lambda: plots.forest(ENDLESS),
    "law": lambda: plots.law(ff.match(SMALL, REFERENCE, "recall")),
    "law in bins": lambda: plots.law(ff.match(GROUPS["race=Asian"], REFERENCE, "recall")),
    "law of many": lambda: plots.law(ff.match(LARGE, REFERENCE, "recall")),
    "endless law": lambda: plots.law(ff.match(SMALL, REFERENCE, "dor")),
    "undefined law": lambda: plots.law(ff.match(GROUPS["race=Other"], REFERENCE, "recall")),
    "jagged": lambda: plots.jagged("mcc", REFERENCE, sizes=range(1, 16)),
    "endless jagged": lambda: plots.jagged("plr", REFERENCE, sizes=range(1, 6)),
    "errors": lambda: plots.errors(expected()),
    "errors, log": lambda: plots.errors(expected(), log=True),
}
CHARTS = {name: cache(draw) for name, draw in CHARTS.items()}


def marks(chart: Any) -> list[dict[str, Any]]:
    """Return every part of a chart that has a mark."""

    def walk(part: dict[str, Any]) -> list[dict[str, Any]]:
        inner = [*part.get("layer", []), *part.get("vconcat", []), *part.get("concat", [])]
        return [part] if "mark" in part else [found for each in inner for found in walk(each)]

    return walk(chart.to_dict())


def points(chart: Any) -> list[dict[str, Any]]:
    return [each for layer in drawn(chart, "point") for each in layer]


def rules(chart: Any, line: str) -> list[dict[str, Any]]:
    return [each for layer in drawn(chart, "rule") for each in layer if each.get("line") == line]


def bars(match: ff.groups.Match) -> list[dict[str, Any]]:
    (found,) = drawn(plots.law(match), "bar")
    return found


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
            if "scale" in encoding.get(axis, {}) and encoding[axis].get("axis", {}).get("labels", True):
                assert encoding[axis]["title"]


def test_a_forest_shows_every_score_and_smoothed_score() -> None:
    for name in AUDIT.metrics:
        shown = points(plots.forest(AUDIT, name))
        found = {each.group.name: each for each in AUDIT.findings if each.metric == name}
        smoothed = {each["Group"]: each["at"] for each in shown if each["kind"] == "smoothed score"}
        scores = {each["Group"]: each["at"] for each in shown if each["kind"] != "smoothed score"}
        assert smoothed == {group: each.smoothed for group, each in found.items() if each.smoothed is not None}
        assert scores == {group: each.score for group, each in found.items() if each.score is not None}


def test_a_forest_shows_intervals_and_the_overall_score() -> None:
    chart = plots.forest(AUDIT)
    shown = sorted((each["Group"], each["at"], each["end"]) for each in rules(chart, "95 % interval"))
    found = [(f.group.name, f.interval.low, f.interval.high) for f in AUDIT.findings if f.interval.low is not None]
    assert shown == sorted(found)
    assert [each["at"] for each in rules(chart, "overall score")] == [found.value for found in AUDIT.overall.values()]
    titles = [panel["title"]["text"] for panel in chart.to_dict()["vconcat"]]
    assert titles == [
        f"{ff.metric(name).label}: {number(found.value)} overall" for name, found in AUDIT.overall.items()
    ]


def test_a_forest_tells_what_differs_by_shape_and_what_is_too_small_by_filling() -> None:
    chart = plots.forest(AUDIT)
    kinds = {(each["Group"], each["Score"]): each["kind"] for each in points(chart) if each["kind"] != "smoothed score"}
    for found in AUDIT.findings:
        if found.score is None or found.p_corrected is None:
            continue
        expected = "score, too few to tell" if found.verdict == "too few" else "score"
        expected = "score that differs: corrected p < 0.05" if found.p_corrected < 0.05 else expected
        assert kinds[found.group.name, number(found.score)] == expected
    assert len(set(kinds.values())) == 3
    (part, *_) = [part for part in marks(chart) if part["mark"]["type"] == "point"]
    looks = {name: part["encoding"][name]["scale"] for name in ("shape", "stroke", "fill")}
    by_kind = dict(
        zip(looks["shape"]["domain"], zip(*(look["range"] for look in looks.values()), strict=True), strict=True)
    )
    assert len({(shape, fill in ("white", "transparent")) for shape, _, fill in by_kind.values()}) == 4


def test_a_forest_keeps_the_groups_in_order_with_their_sizes() -> None:
    chart = plots.forest(AUDIT, "recall")
    sort = [part["encoding"]["y"]["sort"] for part in marks(chart) if "sort" in part["encoding"].get("y", {})]
    assert all(order == list(GROUPS) for order in sort)
    columns = [layer for layer in drawn(chart, "text") if "n" in layer[0]]
    assert [each["n"] for each in columns[0]] == [table.total for table in GROUPS.values()]


def test_a_forest_says_undefined_and_too_small_in_words() -> None:
    chart = plots.forest(AUDIT, "recall")
    said = {each["Group"]: each for layer in drawn(chart, "text") for each in layer if "Group" in each}
    assert said["race=Other"]["Score"] == "undefined: no actual positives"
    assert said["race=Other"]["test"] == ""
    assert said["race=Native"]["test"] == "too few to tell"
    found = AUDIT.by_group["race=Asian"]["recall"]
    assert (said["race=Asian"]["Score"], said["race=Asian"]["Corrected p"]) == ("0.3333", chance(found.p_corrected))
    assert said["race=Asian"]["Interval"] == between(found.interval.low, found.interval.high)
    assert said["race=Asian"]["Difference"] == effect(*found.comparison.difference)


def test_a_forest_passes_on_the_notes_of_the_audit() -> None:
    assert AUDIT.notes
    lines = " ".join(heading(plots.forest(AUDIT))[1])
    assert all(f"Note: {note.text}" in lines for note in AUDIT.notes)


def test_a_forest_without_an_upper_end_is_logarithmic() -> None:
    chart = plots.forest(ENDLESS, "dor")
    (scale,) = {
        json.dumps(part["encoding"]["x"]["scale"]) for part in marks(chart) if "scale" in part["encoding"].get("x", {})
    }
    low, high = json.loads(scale)["domain"]
    assert json.loads(scale)["type"] == "log"
    found = {each.group.name: each for each in ENDLESS.findings if each.metric == ENDLESS.metrics[0]}
    assert found["b"].score is None
    assert found["b"].interval.high == math.inf
    (interval,) = [each for each in rules(chart, "90 % interval") if each["Group"] == "b"]
    assert low < interval["at"] < interval["end"] == high
    assert "or more" in interval["Interval"]
    assert "b" not in [each["Group"] for each in points(chart) if each["kind"] != "smoothed score"]
    assert interval["Score"] == "undefined: no false negatives"


def test_a_forest_says_what_was_not_tested() -> None:
    said = {each["Group"]: each for layer in drawn(plots.forest(ENDLESS), "text") for each in layer if "Group" in each}
    assert (said["c"]["test"], said["c"]["Corrected p"], said["c"]["Smoothed"]) == ("not tested", "-", "-")
    assert heading(plots.forest(ENDLESS))[1][0] == "124 cases; each group is compared with c"


def test_a_forest_of_scores_that_no_group_has() -> None:
    tables = {name: ff.Table(tp=0, fn=0, fp=n, tn=9) for name, n in (("a", 2), ("b", 3))}
    chart = plots.forest(ff.audit_tables(tables, metrics=["recall"], reference=REFERENCE))
    assert {each["kind"] for each in points(chart)} == {"smoothed score"}
    assert rules(chart, "overall score") == []
    assert chart.to_dict()["vconcat"][0]["title"]["text"] == "Recall: undefined overall, no actual positives"


def test_a_forest_of_many_groups_shows_those_with_the_smallest_p_values() -> None:
    tables = {f"g{i}": ff.Table(tp=i % 7, fn=i % 5, fp=i % 3, tn=9) for i in range(70)}
    audit = ff.audit_tables(tables, metrics=["recall"])
    chart = plots.forest(audit)
    shown = list(dict.fromkeys(each["Group"] for each in drawn(chart, "text")[0]))
    values = {each.group.name: 2.0 if each.p_value is None else each.p_value for each in audit.findings}
    assert len(shown) == 20
    assert [values[name] for name in shown] == sorted(values[name] for name in shown)
    assert max(values[name] for name in shown) <= min(values[name] for name in tables if name not in shown)
    assert "The 20 clearest differences are drawn; 50 groups more are in the table." in heading(chart)[1]


def test_a_forest_of_many_pairs_says_what_it_leaves_out() -> None:
    tables = {f"g{i}": ff.Table(tp=20 + i, fn=5, fp=3, tn=9) for i in range(7)}
    chart = plots.forest(ff.audit_tables(tables, metrics=["recall"], reference="pairs"))
    assert "The 20 clearest differences are drawn; 1 comparison more is in the table." in heading(chart)[1]


def test_a_forest_of_a_metric_that_was_not_audited() -> None:
    with pytest.raises(ff.InputError) as caught:
        plots.forest(AUDIT, "accuracy")
    assert caught.value.code == "bad_metric"
    assert str(caught.value) == ("metric: is not in the audit, got 'accuracy'. Hint: one of recall, precision, mcc.")


def test_a_law_by_hand() -> None:
    """Two cases, three of four right: none, one or both are right with chances 1/16, 6/16 and 9/16."""
    found = ff.match(ff.Table(tp=1, fn=1, fp=0, tn=0), ff.Table(tp=2, fn=1, fp=0, tn=1), "accuracy")
    shown = bars(found)
    assert [each["start"] for each in shown] == [0, 0.5, 1]
    assert [each["chance"] for each in shown] == pytest.approx([1 / 16, 6 / 16, 9 / 16])
    assert [each["part"] for each in shown] == ["at most as high as this group's"] * 2 + ["higher"]
    (marker,) = drawn(plots.law(found), "rule")
    assert marker == [{"start": 0.5, "words": "this group: 0.5000"}]
    assert shown[1]["Score"] == "0.5000"
    assert shown[1]["Chance"] == "37.5 %"


@pytest.mark.parametrize("uncertain", [False, True])
@pytest.mark.parametrize("table", [ff.Table(tp=2, fn=1, fp=1, tn=4), ff.Table(tp=4, fn=6, fp=4, tn=16)], ids=str)
@pytest.mark.parametrize("name", ff.METRICS)
def test_the_shaded_part_is_the_percentile(name: str, table: ff.Table, uncertain: bool) -> None:
    found = ff.match(table, REFERENCE, name, reference_uncertainty=uncertain)
    shown = bars(found)
    assert math.fsum(each["chance"] for each in shown) == pytest.approx(1, abs=1e-12)
    shaded = math.fsum(each["chance"] for each in shown if each["part"].startswith("at most"))
    assert shaded == pytest.approx(found.percentile, abs=1e-12)
    assert all(each["start"] <= each["end"] for each in shown)


@pytest.mark.parametrize("name", ["recall", "mcc", "dor", "plr", "f1"])
@pytest.mark.parametrize(
    "table", [ff.Table(tp=9, fn=9, fp=8, tn=40), ff.Table(tp=0, fn=9, fp=8, tn=40), ff.Table(tp=0, fn=0, fp=8, tn=40)]
)
def test_a_law_summed_up_at_the_ends_of_bins(name: str, table: ff.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for groups too large to walk through: the same chances on both sides, and none is negative."""
    found = ff.match(table, REFERENCE, name)
    monkeypatch.setattr(drawing, "_MOST_STEPS", 0)
    shown = bars(found)
    assert len(shown) == 51
    assert min(each["chance"] for each in shown) >= 0
    assert math.fsum(each["chance"] for each in shown) == pytest.approx(1, abs=1e-12)
    shaded = math.fsum(each["chance"] for each in shown if each["part"].startswith("at most"))
    assert shaded == pytest.approx(found.percentile or 0, abs=1e-12)


def test_a_law_of_a_large_group() -> None:
    found = ff.match(LARGE, REFERENCE, "recall")
    shown = bars(found)
    assert found.percentile is not None
    shaded = math.fsum(each["chance"] for each in shown if each["part"].startswith("at most"))
    assert shaded == pytest.approx(found.percentile, rel=1e-9)
    assert max(each["chance"] for each in shown) > 0.05
    assert "The possible scores are put together in bins" in heading(plots.law(found))[1]


def test_a_law_says_how_often_it_is_undefined() -> None:
    found = ff.match(SMALL, REFERENCE, "recall")
    title, lines = heading(plots.law(found))
    assert title == "Recall of 10 cases drawn from the reference"
    assert lines == [
        f"This group's score: 0.3333; a score at most as high has a chance of {percent(found.percentile or 0)}",
        f"The score of such a draw is undefined with a chance of {percent(found.undefined)}; "
        "chances are given that it is not",
    ]
    always = ff.match(SMALL, REFERENCE, "accuracy")
    assert "never undefined" in heading(plots.law(always))[1][1]


def test_a_law_for_a_group_without_a_score() -> None:
    chart = plots.law(ff.match(GROUPS["race=Other"], REFERENCE, "recall"))
    assert heading(chart)[1][0] == "This group's score is undefined: no actual positives"
    assert drawn(chart, "rule") == []
    assert {each["part"] for layer in drawn(chart, "bar") for each in layer} == {"higher"}


def test_a_law_that_is_never_defined() -> None:
    chart = plots.law(ff.match(ff.Table(tp=1, fn=0, fp=0, tn=0), REFERENCE, "mcc"))
    assert drawn(chart, "bar") == [[]]
    assert heading(chart)[1][0].startswith("This group's score is undefined: ")
    chart = plots.law(ff.match(ff.Table(tp=1, fn=1, fp=0, tn=0), ff.Table(tp=0, fn=0, fp=200, tn=300), "recall"))
    lines = heading(chart)[1]
    assert drawn(chart, "bar") == [[]]
    assert lines[0] == "This group's score: 0.5000; no such draw has a score"
    assert any(line.startswith("Note: the reference has no tp and no fn") for line in lines)


def test_jagged_by_hand() -> None:
    """One case of five is positive, three of five positives are found: recall of one or two cases."""
    chart = plots.jagged("recall", ff.Table(tp=60, fn=40, fp=80, tn=320), sizes=[1, 2])
    (bubbles,) = drawn(chart, "circle")
    both = 0.2**2 / (1 - 0.8**2)
    expected = {
        (1, 0.0): 0.4,
        (1, 1.0): 0.6,
        (2, 0.0): (1 - both) * 0.4 + both * 0.4**2,
        (2, 0.5): both * 2 * 0.6 * 0.4,
        (2, 1.0): (1 - both) * 0.6 + both * 0.6**2,
    }
    assert {(each["size"], each["value"]): each["chance"] for each in bubbles} == pytest.approx(expected)
    (strip,) = drawn(chart, "bar")
    assert [each["chance"] for each in strip] == pytest.approx([0.8, 0.64])
    assert [each["Undefined"] for each in strip] == ["80.0 %", "64.0 %"]
    (lines,) = drawn(chart, "line")
    assert {each["value"] for each in lines if each["Line"] == "median"} == {1.0}
    assert {each["value"] for each in lines if each["Line"] == "score of the reference"} == {0.6}
    assert [each["value"] for each in lines if each["line"] == "0.025"] == [0, 0]
    assert [each["value"] for each in lines if each["line"] == "0.975"] == [1, 1]


def test_jagged_puts_nearby_scores_together_and_keeps_every_chance() -> None:
    chart = plots.jagged("mcc", REFERENCE, sizes=range(1, 21))
    sums: defaultdict[int, float] = defaultdict(float)
    (bubbles,) = drawn(chart, "circle")
    for each in bubbles:
        sums[each["size"]] += each["chance"]
    assert dict(sums) == pytest.approx(dict.fromkeys(range(2, 21), 1.0))
    assert "Where there are more than 150 scores, nearby ones share a bubble" in heading(chart)[1]
    assert max(sum(each["size"] == size for each in bubbles) for size in sums) <= 150


def test_jagged_says_undefined_in_words() -> None:
    (lines,) = drawn(plots.jagged("mcc", REFERENCE, sizes=[1, 2]), "line")
    never = [each for each in lines if each["size"] == 1 and each["Line"] != "score of the reference"]
    assert [(each["value"], each["Score"]) for each in never] == [(None, "undefined")] * 3
    (lines,) = drawn(plots.jagged("recall", ff.Table(tp=0, fn=0, fp=1, tn=1), sizes=[1]), "line")
    assert "score of the reference" not in {each["Line"] for each in lines}


def test_jagged_at_no_size() -> None:
    with pytest.raises(ff.InputError, match="sizes: must hold at least one size"):
        plots.jagged("recall", REFERENCE, sizes=[])


@pytest.mark.parametrize("log", [False, True])
def test_errors_are_lines_of_what_was_expected(log: bool) -> None:
    found = list(ff.groups.expected_errors(GROUPS["race=Asian"], REFERENCE, ["recall", "mcc"], range(5, 9), ESTIMATORS))
    chart = plots.errors(iter(found), log=log)
    panels = drawn(chart, "line")
    shown = [(each["size"], each["mse"]) for panel in panels for each in panel]
    assert sorted(shown) == sorted((each.size, each.mse) for each in found)
    assert [[*dict.fromkeys(each["estimator"] for each in panel)] for panel in panels] == [NAMES, NAMES]
    parts = chart.to_dict()["concat"]
    assert [part["title"]["text"] for part in parts] == ["Recall", "Matthews correlation coefficient"]
    assert {part["encoding"]["y"]["scale"]["type"] for part in parts} == {"log" if log else "linear"}
    for channel in ("color", "strokeDash"):
        scale = parts[0]["encoding"][channel]["scale"]
        assert scale["domain"] == NAMES
        assert len({str(each) for each in scale["range"]}) == len(NAMES)


def test_errors_that_are_undefined_leave_a_gap_and_words() -> None:
    found = ff.groups.expected_errors(GROUPS["race=Asian"], REFERENCE, ["mcc"], [1, 2], [(0, 0), (10, 0)])
    chart = plots.errors(found)
    (panel,) = drawn(chart, "line")
    assert [(each["mse"] is None, each["Squared error"] == "undefined") for each in panel] == [
        (True, True),
        *[(False, False)] * 3,
    ]
    assert chart.to_dict()["concat"][0]["title"]["subtitle"] == ["raw: undefined where the number of cases is 1"]
    never = plots.errors(ff.groups.expected_errors(GROUPS["race=Other"], REFERENCE, ["recall"], [5], [(0, 0)]))
    assert never.to_dict()["concat"][0]["title"]["subtitle"] == ["The group's Recall is undefined: no actual positives"]


def test_errors_need_one_group() -> None:
    found = list(ff.groups.expected_errors(GROUPS["race=Asian"], REFERENCE, ["recall"], [5], [(0, 0)]))
    with pytest.raises(ff.InputError, match="draw one group at a time"):
        plots.errors([*found, *found])
    with pytest.raises(ff.InputError, match="must hold at least one error"):
        plots.errors([])


def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    match = ff.match(SMALL, REFERENCE, "recall")
    monkeypatch.setitem(sys.modules, "altair", None)
    for draw in (
        lambda: plots.forest(AUDIT),
        lambda: plots.law(match),
        lambda: plots.jagged("recall", REFERENCE, sizes=[1]),
        lambda: plots.errors([]),
    ):
        with pytest.raises(ff.MissingExtra, match=r"pip install 'fourfold\[plots\]'"):
            draw()


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_characters_that_cannot_be_drawn_do_no_harm(tmp_path: Path, suffix: str) -> None:
    """A control character in a group's name must not end the process that draws it."""
    tables = {"a\x1b\x00b": ff.Table(tp=5, fn=3, fp=2, tn=9), "c\ufffe": ff.Table(tp=4, fn=4, fp=3, tn=8)}
    path = tmp_path / f"forest{suffix}"
    plots.save(plots.forest(ff.audit_tables(tables, metrics=["recall"])), path)
    assert path.stat().st_size > 1000


def test_a_picture_that_cannot_be_written_says_where(tmp_path: Path) -> None:
    with pytest.raises(ff.InputError, match="cannot be written"):
        plots.save(plots.forest(AUDIT), tmp_path / "nowhere" / "x.png")


def test_ends_of_lines_in_a_name_are_drawn_as_blanks() -> None:
    table = ff.Table(tp=8, fn=2, fp=3, tn=7)
    chart = plots.forest(ff.audit_tables({"a\u2028b\u2029c\rd": table, "e": table}, metrics=["recall"]))
    assert "a b c" in plots.Drawing.of(chart).svg
