from __future__ import annotations

import json
import math
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import fourfold as ff
from fourfold import cli
from fourfold.answers import document
from fourfold.answers.planning import told_apart_words
from fourfold.document import Grid, Items, Sentence, Slider
from fourfold.writers import to_json

CELLS = ("tp", "fn", "fp", "tn")
TABLES = {
    "a": ff.Table(tp=8, fn=2, fp=3, tn=7),
    "b": ff.Table(tp=30, fn=9, fp=12, tn=49),
    "c": ff.Table(tp=2, fn=11, fp=4, tn=13),
    "d": ff.Table(tp=20, fn=20, fp=10, tn=60),
}
EMPTY = ff.Table(tp=0, fn=0, fp=0, tn=0)


def people(size: int = 400, seed: int = 3) -> dict[str, list]:
    """Return columns of labels and two kinds of groups; one group is found less often."""
    rng = np.random.default_rng(seed)
    sex = rng.choice(["f", "m"], size)
    race = rng.choice(["x", "y", "z"], size, p=[0.5, 0.3, 0.2])
    truth = rng.integers(0, 2, size)
    hit = np.where(race == "z", 0.55, 0.8)
    prediction = np.where(rng.random(size) < hit, truth, 1 - truth)
    return {"y": truth.tolist(), "yhat": prediction.tolist(), "sex": sex.tolist(), "race": race.tolist()}


def counted(data: dict[str, list], **group: object) -> ff.Table:
    """Count a group's table row by row."""
    found: Counter[str] = Counter()
    for i, (truth, prediction) in enumerate(zip(data["y"], data["yhat"], strict=True)):
        if all(data[name][i] == value for name, value in group.items()):
            found[{(1, 1): "tp", (1, 0): "fn", (0, 1): "fp", (0, 0): "tn"}[truth, prediction]] += 1
    return ff.Table(**{name: found[name] for name in CELLS})


def minus(whole: ff.Table, part: ff.Table) -> ff.Table:
    return ff.Table(**{name: whole.cells()[name] - part.cells()[name] for name in CELLS})


def codes(finding: object) -> list[str]:
    return [note.code for note in finding.notes]


def test_counts_of_groups_and_of_their_combinations() -> None:
    data = people()
    found = ff.audit(data, truth="y", prediction="yhat", by=["sex", "race"], metrics=["recall"])
    assert found.by == ("sex", "race")
    assert found.rows_read == 400
    assert found.table == counted(data)
    singles = [f"sex={s}" for s in "fm"] + [f"race={r}" for r in "xyz"]
    pairs = [f"sex={s}, race={r}" for s in "fm" for r in "xyz"]
    assert [group.name for group in found.groups] == singles + pairs
    for group in found.groups:
        assert group.table == counted(data, **group.by), group.name
    for finding in found.findings:
        assert finding.against.cases == minus(counted(data), finding.group.table)
    assert list(found.by_group) == [group.name for group in found.groups]
    assert found.overall["recall"].value == pytest.approx(ff.score(found.table, "recall"))


def test_a_finding_is_what_its_parts_say() -> None:
    data = people()
    found = ff.audit(data, truth="y", prediction="yhat", by="race", metrics=["recall", "mcc"], strength=7, level=0.9)
    assert (found.metrics, found.level, found.strength, found.strength_chosen_by) == (
        ("recall", "mcc"),
        0.9,
        7,
        "given",
    )
    for each in found.findings:
        group, rest = each.group.table, each.against.cases
        again, interval = (
            ff.compare_groups(group, rest, each.metric, level=0.9),
            ff.interval(group, each.metric, level=0.9),
        )
        assert each.score == pytest.approx(ff.score(group, each.metric))
        assert each.comparison.difference == pytest.approx(again.difference)
        assert each.p_value == pytest.approx(again.p_value)
        assert (each.interval.low, each.interval.high) == pytest.approx((interval.low, interval.high))
        assert each.smoothed == pytest.approx(ff.smooth(group, rest, strength=7).score(each.metric))
        assert each.reasons == ()


def test_references() -> None:
    whole = ff.Table(tp=60, fn=42, fp=29, tn=129)
    others = [minus(whole, table) for table in TABLES.values()]
    rest = ff.audit_tables(TABLES, metrics=["recall"])
    assert [each.against.cases for each in rest.findings] == others
    # A case is no evidence against itself.
    everyone = ff.audit_tables(TABLES, metrics=["recall"], reference="all")
    assert [each.against.cases for each in everyone.findings] == others
    named = ff.audit_tables(TABLES, metrics=["recall"], reference="b")
    assert [each.reference for each in named.findings] == ["b", None, "b", "b"]
    given = ff.audit_tables(TABLES, metrics=["recall"], reference=whole)
    assert {each.against.cases for each in given.findings} == {whole}
    assert [each.reference for each in (rest, everyone, named)] == ["rest", "all", "b"]
    own = named.by_group["b"]["recall"]
    assert (own.comparison, own.p_value, own.smoothed, own.p_corrected) == (None, None, None, None)
    assert (own.verdict, codes(own)) == ("not tested", ["no_reference"])
    assert own.score == pytest.approx(30 / 39)


def test_every_pair_of_groups() -> None:
    found = ff.audit_tables(TABLES, metrics=["recall"], reference="pairs")
    pairs = [(each.group.name, each.reference) for each in found.findings]
    assert pairs == [("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")]
    assert found.tests == 6
    for each in found.findings:
        assert each.p_value == ff.compare_groups(TABLES[each.group.name], TABLES[each.reference], "recall").p_value


def test_a_reference_named_in_any_spelling() -> None:
    data = people()
    names = ["sex=f, race=x", "sex=f,race=x", "SEX=F, Race=X"]
    options = {"truth": "y", "prediction": "yhat", "by": ["sex", "race"], "metrics": ["accuracy"]}
    first, *others = [ff.audit(data, reference=name, **options) for name in names]
    assert first.by_group["sex=m"]["accuracy"].against.cases == counted(data, sex="f", race="x")
    for other in others:
        assert [each.p_value for each in other.findings] == [each.p_value for each in first.findings]


def test_the_reference_may_be_counts_by_name() -> None:
    """Groups may be given as counts by name, and so may what they are compared with."""
    counts = {"tp": 50, "fn": 50, "fp": 50, "tn": 50}
    found = ff.audit_tables(TABLES, metrics=["recall"], reference=counts)
    assert {each.against.cases for each in found.findings} == {ff.Table(**counts)}


def test_a_reference_of_another_kind_is_refused() -> None:
    with pytest.raises(ff.InputError, match="reference"):
        ff.audit_tables(TABLES, metrics=["recall"], reference=5)


def test_two_groups_with_one_table_are_two_groups() -> None:
    same = ff.Table(tp=8, fn=2, fp=3, tn=7)
    found = ff.audit_tables({"a": same, "b": same}, metrics=["recall"], reference="a")
    assert found.by_group["b"]["recall"].p_value is not None
    assert found.by_group["a"]["recall"].p_value is None


def test_names_that_read_the_same_are_not_lost() -> None:
    with pytest.raises(ff.InputError, match="1"):
        ff.audit_tables({1: TABLES["a"], "1": TABLES["b"]}, metrics=["recall"])


def holm(values: list[float]) -> list[float]:
    """Step down: the smallest times all, the next times one fewer, never less than what came before."""
    found, largest = [0.0] * len(values), 0.0
    for rank, i in enumerate(sorted(range(len(values)), key=lambda i: values[i])):
        largest = max(largest, (len(values) - rank) * values[i])
        found[i] = min(1.0, largest)
    return found


def benjamini_hochberg(values: list[float]) -> list[float]:
    """Return for each the smallest share of false findings at which it would be called one."""
    many = len(values)
    ranks = {i: rank for rank, i in enumerate(sorted(range(many), key=lambda i: values[i]), start=1)}
    return [
        min(1.0, min(values[j] * many / ranks[j] for j in range(many) if ranks[j] >= ranks[i])) for i in range(many)
    ]


def test_corrections_for_many_tests() -> None:
    names = ["recall", "precision", "mcc", "accuracy"]
    found = ff.audit_tables(TABLES, metrics=names)
    values = [each.p_value for each in found.findings]
    assert found.tests == 16
    assert [each.p_corrected for each in found.findings] == pytest.approx(holm(values), rel=1e-12)
    by_share = ff.audit_tables(TABLES, metrics=names, correction="fdr")
    assert [each.p_value for each in by_share.findings] == values
    assert [each.p_corrected for each in by_share.findings] == pytest.approx(benjamini_hochberg(values), rel=1e-12)


def test_tests_that_ask_the_same_count_once() -> None:
    """Recall and the false negative rate are one question, F1 and Jaccard another; and so are each other's rests."""
    found = ff.audit_tables(TABLES, metrics=["recall", "fnr", "f1", "jaccard"])
    assert found.tests == 8
    for group in found.by_group.values():
        assert group["recall"].p_value == pytest.approx(group["false_negative_rate"].p_value, rel=1e-9)
        assert group["recall"].p_corrected == group["false_negative_rate"].p_corrected
        assert group["f1"].p_corrected == group["jaccard"].p_corrected
    halves = ff.audit_tables({"a": TABLES["a"], "b": TABLES["b"]}, metrics=["recall"])
    assert halves.tests == 1
    assert [each.p_corrected for each in halves.findings] == [each.p_value for each in halves.findings]


def test_groups_with_the_same_counts_are_not_one_test() -> None:
    same = ff.Table(tp=3, fn=2, fp=1, tn=4)
    assert ff.audit_tables({"a": same, "b": same, "c": same}, metrics=["recall"]).tests == 3


def shuffled_maximum(tables: dict[str, ff.Table], name: str, draws: int) -> dict[str, float]:
    """Return p-values by the largest of all statistics, cases dealt out one by one; not stepped down."""
    rng = np.random.default_rng(1)
    cases = np.concatenate([np.repeat(range(4), list(table.cells().values())) for table in tables.values()])
    owners = np.concatenate([np.full(table.total, i) for i, table in enumerate(tables.values())])

    def sizes(own: np.ndarray) -> list[float]:
        found = []
        for i in range(len(tables)):
            parts = [np.bincount(cases[own == i], minlength=4), np.bincount(cases[own != i], minlength=4)]
            scores = [(tp + 0.5) / (tp + fn + 1) for tp, fn, *_ in parts]
            spreads = []
            for tp, fn, fp, tn in (part + 0.5 for part in parts):
                share = tp / (tp + fn)
                # Only cases in tp and fn move recall; the variance of its slopes over all cases.
                spreads.append(share * (1 - share) * (tp + fn + fp + tn) / (tp + fn) / (tp + fn + fp + tn - 2))
            found.append(abs(scores[0] - scores[1]) / math.sqrt(sum(spreads)))
        return found

    observed = sizes(owners)
    largest = [max(sizes(rng.permutation(owners))) for _ in range(draws)]
    return {group: np.mean([each >= own for each in largest]) for group, own in zip(tables, observed, strict=True)}


def test_correction_by_the_largest_statistic() -> None:
    found = ff.audit_tables(TABLES, metrics=["recall"], correction="max")
    expected = shuffled_maximum(TABLES, "recall", 4000)
    p = {each.group.name: each.p_corrected for each in found.findings}
    first = min(p, key=p.get)
    assert p[first] == pytest.approx(expected[first], abs=0.02)
    # Stepping down never makes a p-value larger.
    assert all(p[name] <= expected[name] + 0.02 for name in p)
    assert found.seed is not None
    with pytest.raises(ff.InputError, match="part of the data"):
        ff.audit_tables(TABLES, metrics=["recall"], correction="max", reference=TABLES["a"])


def test_tests_without_an_answer_are_not_counted() -> None:
    """A group whose recall is undefined makes no test, and the other two are each other's rest: one test."""
    tables = {"a": TABLES["a"], "b": TABLES["c"], "none": ff.Table(tp=0, fn=0, fp=3, tn=4)}
    audit = ff.audit_tables(tables, metrics=["recall"], strength=10)
    found = audit.by_group
    none = found["none"]["recall"]
    assert (none.score, none.p_value, none.p_corrected, none.verdict) == (None, None, None, "not tested")
    assert none.reasons == ("no actual positives",)
    assert none.row()["undefined_because"] == "no actual positives"
    assert "score_undefined" in codes(none)
    assert none.smoothed == pytest.approx(10 / 23)
    p = sorted(found[name]["recall"].p_value for name in "ab")
    assert sorted(found[name]["recall"].p_corrected for name in "ab") == pytest.approx(
        [min(1, 2 * p[0]), min(1, max(2 * p[0], p[1]))]
    )


def test_a_group_without_rows() -> None:
    found = ff.audit_tables({**TABLES, "none": EMPTY}, metrics=["recall", "accuracy"])
    assert found.table == ff.audit_tables(TABLES, metrics=["recall"]).table
    for each in found.by_group["none"].values():
        assert (each.score, each.p_value) == (None, None)
        assert each.reasons
        assert each.verdict == "not tested"
    # Nothing is known of it but what all others are like.
    assert found.by_group["none"]["recall"].smoothed == pytest.approx(ff.score(found.table, "recall"))


def test_one_group_has_nothing_to_be_compared_with() -> None:
    found = ff.audit_tables({"a": TABLES["a"]}, metrics=["recall"]).findings[0]
    assert (found.score, found.comparison, found.smoothed) == (0.8, None, None)
    assert codes(found) == ["no_reference"]
    data = {"y": [1, 0, 1], "yhat": [1, 1, 0], "g": ["a", "a", "a"]}
    only = ff.audit(data, truth="y", prediction="yhat", by="g", metrics=["recall"])
    assert [codes(each) for each in only.findings] == [["no_reference"]]


def test_a_reference_that_never_defines_the_metric() -> None:
    """Nobody else is positive: there is no recall to compare with, and the audit says so."""
    tables = {"a": ff.Table(tp=3, fn=2, fp=1, tn=1), "b": ff.Table(tp=0, fn=0, fp=5, tn=5)}
    found = ff.audit_tables(tables, metrics=["recall", "mcc", "accuracy"])
    recall = found.by_group["a"]["recall"]
    assert recall.score == 0.6
    assert (recall.p_value, recall.p_corrected, recall.verdict) == (None, None, "not tested")
    assert found.by_group["b"]["recall"].score is None
    assert found.by_group["a"]["accuracy"].p_value is not None


def test_missing_labels_are_counted() -> None:
    data = {
        "y": [1, None, 1, 0, 1, 0, None],
        "yhat": [1, 0, None, 0, 1, 1, None],
        "g": ["a", "a", "a", "b", "b", "b", "b"],
    }
    found = ff.audit(data, truth="y", prediction="yhat", by="g", metrics=["accuracy"])
    notes = [note for note in found.notes if note.code == "labels_missing"]
    assert {note.data["column"] for note in notes} <= {"y", "yhat"}
    assert found.rows_read == 7
    assert found.table == ff.Table(tp=2, fn=0, fp=1, tn=1)
    # Two rows lack the truth, one of them the prediction too; one more lacks only the prediction.
    assert sum(note.data["rows"] for note in notes) == found.rows_read - found.table.total


def test_a_missing_group_is_a_group() -> None:
    data = {"y": [1, 0, 1, 0], "yhat": [1, 1, 0, 0], "g": ["a", None, "b", None]}
    found = ff.audit(data, truth="y", prediction="yhat", by="g", metrics=["accuracy"])
    assert [group.name for group in found.groups] == ["g=a", "g=b", "g=(missing)"]
    assert found.by_group["g=(missing)"]["accuracy"].row()["g"] == "(missing)"
    assert found.groups[-1].by == {"g": None}
    assert found.table.total == 4
    assert json.loads(to_json(found))["findings"][-1]["by"] == {"g": None}


THREE = {"y": list("abcabcab"), "yhat": list("abcbaaca"), "g": [1, 1, 1, 1, 2, 2, 2, 2]}


def test_more_than_two_classes_are_audited_together() -> None:
    found = ff.audit(THREE, truth="y", prediction="yhat", by="g")
    assert found.classes == ("a", "b", "c")
    assert found.table is None
    assert found.matrix.values.tolist() == [[1, 1, 1], [2, 1, 0], [1, 0, 1]]
    assert found.metrics == ("accuracy", "macro_recall", "macro_precision", "macro_f1")
    first = found.by_group["g=1"]["accuracy"]
    assert (first.score, first.comparison.counted) == (0.75, (3, 4))
    classes = ff.audit(THREE, truth="y", prediction="yhat", by="g", metrics=["recall", "precision[b]"])
    assert classes.metrics == ("recall[a]", "recall[b]", "recall[c]", "precision[b]")
    assert classes.by_group["g=2"]["recall[b]"].score == 0
    assert [row["tp"] for row in found.rows()] == [None] * 8


def test_a_third_class() -> None:
    found = ff.audit(THREE, truth="y", prediction="yhat", by="g", metrics=["recall"], positive="a")
    assert found.table == ff.Table(tp=1, fn=2, fp=3, tn=2)
    assert found.notes[0].code == "one_against_rest"
    assert found.notes[0].data["labels"] == ["a", "b", "c"]
    with pytest.raises(ff.InputError, match="positive"):
        ff.audit(THREE, truth="y", prediction="yhat", by="g", positive="d")


def test_labels_that_are_words() -> None:
    data = {"y": ["yes", "no", "yes", "no"], "yhat": ["yes", "yes", "no", "no"], "g": ["a", "a", "b", "b"]}
    with pytest.raises(ff.InputError, match="the positive label must be named"):
        ff.audit(data, truth="y", prediction="yhat", by="g")
    found = ff.audit(data, truth="y", prediction="yhat", by="g", metrics=["recall"], positive="yes")
    assert [each.score for each in found.findings] == [1.0, 0.0]


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ({"truth": "truth"}, "unknown_column", "truth: the data has no such column"),
        ({"by": "gender"}, "unknown_column", "by: the data has no such column"),
        ({"by": []}, "usage", "by: must name at least one column"),
        ({"by": ["y"]}, "ambiguous", "by: is a column already named"),
        ({"metrics": []}, "usage", "metrics: must name at least one"),
        ({"metrics": ["recal"]}, "unknown_metric", "did you mean 'recall'"),
        ({"metrics": ["recall_difference"]}, "bad_metric", "compares two groups"),
        ({"reference": "race=w"}, "bad_option", "did you mean 'race="),
        ({"reference": "white"}, "bad_option", "rest, pairs, or one of race=x"),
        ({"level": 95}, "bad_option", "level: must lie between 0 and 1"),
        ({"strength": -1}, "bad_option", "strength: must be a number"),
        ({"strength": "much"}, "bad_option", "strength: must be a number"),
        ({"positive": 7}, None, "positive"),
    ],
)
def test_bad_input(options: dict, code: str | None, words: str) -> None:
    given = {"truth": "y", "prediction": "yhat", "by": "race", "metrics": ["recall"]} | options
    with pytest.raises(ff.InputError, match=r"^[^:]+: .+, got .+\. Hint: .+") as caught:
        ff.audit(people(60), **given)
    assert code is None or caught.value.code == code
    assert words in str(caught.value)


def test_bad_tables() -> None:
    with pytest.raises(ff.InputError, match="must hold at least one group") as caught:
        ff.audit_tables({})
    assert caught.value.code == "empty"
    with pytest.raises(ff.InputError, match="b: must be a table"):
        ff.audit_tables({"a": TABLES["a"], "b": [1, 2, 3, 4]})
    with pytest.raises(ff.InputError, match="is not a group"):
        ff.audit_tables(TABLES, reference="e")


@pytest.mark.parametrize("strength", [-1, "much"])
def test_a_bad_strength_is_refused_even_where_nothing_is_smoothed(strength: object) -> None:
    with pytest.raises(ff.InputError, match="strength: must be a number"):
        ff.audit_tables({"a": TABLES["a"]}, metrics=["recall"], strength=strength)


def p_value(hits: int, of: int, other_hits: int, other_of: int) -> float:
    """Return twice the smaller hypergeometric tail, in whole numbers."""
    total = hits + other_hits
    ways = {x: math.comb(of, x) * math.comb(other_of, total - x) for x in range(of + 1) if 0 <= total - x <= other_of}
    lower, upper = (
        sum(way for x, way in ways.items() if side(x)) for side in (lambda x: x <= hits, lambda x: x >= hits)
    )
    return min(1.0, 2 * float(Fraction(min(lower, upper), sum(ways.values()))))


@pytest.mark.parametrize("of", [2, 5, 12])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_a_group_has_too_few_where_at_most_one_count_on_each_side_would_tell(of: int, level: float) -> None:
    for tp, fn in ((60, 40), (95, 5), (150, 3), (50, 50), (2, 98)):
        for hits in range(of + 1):
            group, reference = ff.Table(tp=hits, fn=of - hits, fp=1, tn=1), ff.Table(tp=tp, fn=fn, fp=80, tn=320)
            found = ff.audit_tables({"a": group}, metrics=["recall"], reference=reference, level=level).findings[0]
            p = [p_value(x, of, tp, tp + fn) for x in range(of + 1)]
            assert found.p_value == pytest.approx(p[hits])
            low = [x for x in range(of + 1) if p[x] <= 1 - level and x * (tp + fn) < of * tp]
            high = [x for x in range(of + 1) if p[x] <= 1 - level and x * (tp + fn) > of * tp]
            if found.verdict == "different":
                assert hits in low + high
                continue
            assert hits not in low + high
            assert (found.telling_up_to, found.telling_from) == (max(low, default=None), min(high, default=None))
            assert (found.verdict == "too few") == (len(low) <= 1 and len(high) <= 1)


def test_how_many_cases_would_have_told() -> None:
    """The island found two of five; at its corrected level, six of fifteen is the first that would show a difference."""
    island, others = ff.Table(tp=2, fn=3, fp=0, tn=7), ff.Table(tp=138, fn=38, fp=39, tn=245)
    third, fourth = ff.Table(tp=0, fn=0, fp=1, tn=1), ff.Table(tp=1, fn=1, fp=1, tn=1)
    found = ff.audit_tables({"a": island, "b": others, "c": third, "d": fourth}, metrics=["recall"]).by_group["a"][
        "recall"
    ]
    own, other = found.comparison.counted, found.comparison.reference_counted
    limit = 0.05 / 3
    tells = [k for k in range(5, 40) if p_value(-(-2 * k // 5), k, *other) <= limit]
    assert (found.verdict, tuple(own), found.cases_needed) == ("too few", (2, 5), tells[0])


def test_large_groups_are_not_called_too_small() -> None:
    large = ff.Table(tp=200, fn=100, fp=100, tn=300)
    found = ff.audit_tables({"a": large, "b": large}, metrics=["recall"]).findings[0]
    assert (found.verdict, found.telling_up_to, found.telling_from) == ("not shown", None, None)


def test_a_group_that_differs_is_taken_out_of_the_rest() -> None:
    """One bad group makes the rest of the others worse, so that a good one looks better than it is."""
    good, bad = ff.Table(tp=90, fn=10, fp=10, tn=90), ff.Table(tp=400, fn=600, fp=10, tn=90)
    tables = {"a": good, "b": good, "bad": bad}
    tainted = ff.audit_tables(tables, metrics=["recall"])
    assert [each.verdict for each in tainted.findings] == ["different"] * 3
    assert tainted.notes[0].code == "different_in_rest"
    cleared = ff.audit_tables(tables, metrics=["recall"], step_down=True)
    assert [each.verdict for each in cleared.findings] == ["not shown", "not shown", "different"]
    assert [each.against.cases for each in cleared.findings][:2] == [good, good]
    with pytest.raises(ff.InputError, match="step_down"):
        ff.audit_tables(tables, metrics=["recall"], step_down=True, reference="a")


@pytest.mark.parametrize(("bad", "named"), [("ab", "a, b, large are"), ("abc", "a, b, c and others are")])
def test_of_groups_that_differ_three_are_named(bad: str, named: str) -> None:
    """No positive of a small group is found, and half of those of the large one: all differ from all others."""
    tables = {**dict.fromkeys(bad, ff.Table(tp=0, fn=90, fp=10, tn=90)), "large": ff.Table(tp=40, fn=40, fp=10, tn=90)}
    audit = ff.audit_tables(tables, metrics=["recall"])
    assert {each.verdict for each in audit.findings} == {"different"}
    [note] = [note for note in audit.notes if note.code == "different_in_rest"]
    assert note.text.startswith(named)


def test_conditions_that_fail_a_build() -> None:
    audit = ff.audit_tables({"a": ff.Table(tp=90, fn=10, fp=10, tn=90), "b": ff.Table(tp=40, fn=60, fp=10, tn=90)})
    assert {each.metric for each in audit.failing("different")} == {"accuracy", "recall"}
    assert [each.group.name for each in audit.failing("recall_difference < -0.1")] == ["b"]
    assert [each.group.name for each in audit.failing("sensitivity_difference<−0.1")] == ["b"]
    assert [each.group.name for each in audit.failing("tpr_ratio>=2")] == ["a"]
    assert audit.failing("specificity<0.5") == ()
    for wrong in ("", "recall", "recall<x", "mcc<0.1", "recal<0.1"):
        with pytest.raises(ff.InputError):
            audit.failing(wrong)


def test_automatic_strength_is_that_of_all_groups() -> None:
    found = ff.audit_tables(TABLES, metrics=["recall"], strength="auto")
    assert "Dirichlet-multinomial" in found.strength_chosen_by
    expected = ff.groups.smooth_groups(TABLES)
    assert found.strength == pytest.approx(expected["a"].strength, rel=1e-6)
    assert found.by_group["c"]["recall"].smoothed == pytest.approx(expected["c"].score("recall"), rel=1e-6)


def test_a_reference_that_is_known() -> None:
    """A registry's recall is no sample: the group's own binomial number is all that is left to chance."""
    from scipy.stats import binomtest

    found = ff.audit_tables(
        TABLES, metrics=["recall"], reference=ff.Table(tp=7, fn=3, fp=1, tn=1), reference_known=True
    )
    for each in found.findings:
        table = each.group.table
        tails = [binomtest(table.tp, table.tp + table.fn, 0.7, side).pvalue for side in ("less", "greater")]
        assert each.p_value == pytest.approx(min(1, 2 * min(tails)), rel=1e-10)


def test_the_paper_percentile_is_shown_on_request() -> None:
    assert all(each.percentile is None for each in ff.audit_tables(TABLES, metrics=["recall"]).findings)
    for each in ff.audit_tables(TABLES, metrics=["recall"], percentile=True).findings:
        assert each.percentile == ff.match(each.group.table, each.against.cases, "recall").percentile


def test_metrics_are_named_once_and_in_order() -> None:
    found = ff.audit_tables(TABLES, metrics=["mcc", "sensitivity", "recall", "tpr"])
    assert found.metrics == ("mcc", "recall")
    assert [each.metric for each in found.findings[:2]] == ["mcc", "recall"]
    assert set(ff.audit_tables(TABLES).metrics) == {"accuracy", "recall", "specificity", "precision"}


def test_what_is_drawn_says_so() -> None:
    tables = {"a": ff.Table(tp=3000, fn=1000, fp=900, tn=4100), "b": ff.Table(tp=2900, fn=1100, fp=1000, tn=4000)}
    audit = ff.audit_tables(tables, metrics=["mcc"], rng=7)
    found = audit.by_group["a"]["mcc"]
    assert "studentised permutation" in found.comparison.method
    assert "approximation" in codes(found)
    assert (audit.seed, found.comparison.seed) == (7, 7)
    assert ff.audit_tables(tables, metrics=["recall"]).seed is None


def test_progress_rises_to_one() -> None:
    seen: list[float] = []
    ff.audit(people(80), truth="y", prediction="yhat", by="race", metrics=["recall"], progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(1)


def audits() -> list[ff.Audit]:
    data = people(120) | {"age": [20.5, None, 31.0] * 40}
    return [
        ff.audit(data, truth="y", prediction="yhat", by=["race", "sex"]),
        ff.audit(data, truth="y", prediction="yhat", by="age", metrics=["mcc"]),
        ff.audit_tables({**TABLES, "none": EMPTY}, metrics=["recall", "prevalence_threshold"], reference="b"),
        ff.audit_tables({"a": TABLES["a"]}, metrics=["recall"]),
    ]


def test_audits_survive_json() -> None:
    for found in audits():
        plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert plain == found.to_dict()
        assert json.loads(to_json(found)) == plain
        assert len(plain["findings"]) == len(found.findings)
        assert {"n", "score", "p_value", "by"} <= set(plain["findings"][0])


def test_an_open_interval_survives_json() -> None:
    found = ff.audit_tables(TABLES | {"e": ff.Table(tp=3, fn=2, fp=1, tn=2)}, metrics=["diagnostic_odds_ratio"])
    assert json.loads(to_json(found))["metrics"] == ["diagnostic_odds_ratio"]


def test_rows_fill_a_data_frame() -> None:
    import pandas as pd

    for found in audits():
        frame = pd.DataFrame(found.rows())
        assert len(frame) == len(found.findings)
        assert frame["group"].tolist() == [each.group.name for each in found.findings]
        assert frame["n"].tolist() == [each.group.table.total for each in found.findings]
        assert frame[list(CELLS)].sum(axis=1).tolist() == frame["n"].tolist()
    first = pd.DataFrame(audits()[0].rows())
    columns = {
        "score",
        "hits",
        "of",
        "low",
        "high",
        "difference",
        "difference_low",
        "p_value",
        "p_corrected",
        "verdict",
    }
    assert {"race", "sex", "smoothed", *columns} <= set(first)


@pytest.mark.parametrize("column", ["n", "group", "score", "metric", "tp"])
def test_a_column_with_the_name_of_a_result(column: str) -> None:
    """A column may have any name: neither what it says nor the result is lost."""
    data = {"y": [1, 0, 1, 0, 1, 0], "yhat": [1, 0, 0, 1, 1, 1], column: [7, 7, 7, 8, 8, 8]}
    found = ff.audit(data, truth="y", prediction="yhat", by=column, metrics=["accuracy"])
    assert [each.group.by for each in found.findings] == [{column: 7}, {column: 8}]
    plain = found.to_dict()["findings"]
    assert [row["by"] for row in plain] == [{column: 7}, {column: 8}]
    assert [(row["n"], row["tp"], row["metric"], row["group"]) for row in plain] == [
        (3, 1, "accuracy", f"{column}=7"),
        (3, 1, "accuracy", f"{column}=8"),
    ]
    assert [7 in row.values() for row in found.rows()] == [True, False]


def test_pandas_and_columns_give_the_same() -> None:
    import pandas as pd

    data = people(90)
    options = {"truth": "y", "prediction": "yhat", "by": ["sex", "race"], "metrics": ["recall", "f1"]}
    assert ff.audit(pd.DataFrame(data), **options).to_dict() == ff.audit(data, **options).to_dict()


def test_groups_that_are_written_alike_are_kept_apart() -> None:
    data = {"y": [1, 0, 1, 0], "p": [1, 1, 0, 0], "g": [None, "(missing)", None, "(missing)"]}
    found = ff.audit(data, truth="y", prediction="p", by="g", metrics="accuracy")
    assert sorted(group.table.total for group in found.groups) == [2, 2]
    mixed = {"y": [1, 0, 1, 0], "p": [1, 1, 0, 0], "g": [1, "1", 1, "1"]}
    assert len(ff.audit(mixed, truth="y", prediction="p", by="g", metrics="accuracy").groups) == 2


def test_the_data_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("y,p,g\n1,1,a\n0,1,b\n", encoding="utf-8")
    with pytest.raises(SystemExit) as caught:
        cli.main(["audit", str(file), "--truth", "y", "--prediction", "p", "--by", "g", "-o", str(file)])
    assert caught.value.code == 2
    assert "would overwrite" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8").startswith("y,p,g")


def test_cases_in_a_group_and_its_reference_count_once() -> None:
    data = {"y": [1, 0, 1, 0, 1, 0], "p": [1, 1, 0, 0, 1, 0], "g": list("aaabbb"), "h": list("uvuvuv")}
    found = ff.audit(data, truth="y", prediction="p", by=["g", "h"], metrics="accuracy", reference="g=a")
    shared = {
        each.group.name: each.against.cases.total for each in found.findings if "overlapping_reference" in codes(each)
    }
    # Three cases have g=a; two of them h=u, one h=v.
    assert shared == {"h=u": 1, "h=v": 2, "g=a, h=u": 1, "g=a, h=v": 2}


def test_of_two_groups_neither_is_taken_out() -> None:
    """Each is the other's rest: taken out, the other would have nothing to be compared with."""
    tables = {"a": ff.Table(tp=400, fn=100, fp=50, tn=350), "b": ff.Table(tp=17, fn=33, fp=5, tn=45)}
    found = ff.audit_tables(tables, metrics=["recall"], step_down=True)
    assert [each.verdict for each in found.findings] == ["different", "different"]
    assert "a and b differ in recall" in str(found)


def test_cases_that_are_taken_out_leave_overlapping_groups_too() -> None:
    """Only race=x deviates; women and men are innocent, whatever share of x is among them."""
    rng = np.random.default_rng(4)
    race = rng.choice(["w", "x"], 3000, p=[0.8, 0.2])
    sex = np.where(rng.random(3000) < np.where(race == "x", 0.8, 0.45), "f", "m")
    prediction = (rng.random(3000) < np.where(race == "x", 0.4, 0.8)).astype(int)
    data = {"y": [1] * 3000, "yhat": prediction.tolist(), "race": race.tolist(), "sex": sex.tolist()}
    options = {"truth": "y", "prediction": "yhat", "by": ["race", "sex"], "metrics": ["recall"]}
    verdicts = {name: own["recall"].verdict for name, own in ff.audit(data, **options).by_group.items()}
    assert verdicts["sex=f"] == "different"
    found = ff.audit(data, **options, step_down=True)
    verdicts = {name: own["recall"].verdict for name, own in found.by_group.items()}
    assert verdicts["race=x"] == "different"
    assert {verdicts["sex=f"], verdicts["sex=m"]} == {"not shown"}
    assert found.notes[0].code == "taken_out"
    assert found.notes[0].data == {"group": "race=x"}
    left = found.by_group["sex=f"]["recall"]
    assert left.group.table == counted(data, race="w", sex="f")
    assert left.against.cases == counted(data, race="w", sex="m")


def test_too_few_is_judged_by_the_level_that_the_correction_leaves() -> None:
    """Five groups differ anyway, so the sixth is tested at 5 %: none of five would show a difference."""
    bad, good = ff.Table(tp=20, fn=80, fp=1, tn=9), ff.Table(tp=95, fn=5, fp=1, tn=9)
    tables = {"a": bad, "b": bad, "c": good, "d": good, "e": good}
    verdicts = []
    for hits in (0, 1):
        small = ff.Table(tp=hits, fn=5 - hits, fp=1, tn=1)
        verdicts.append(ff.audit_tables({**tables, "small": small}, metrics=["recall"]).by_group["small"]["recall"])
    assert [each.verdict for each in verdicts] == ["different", "too few"]
    assert verdicts[1].telling_up_to == 0


def test_conditions_name_any_metric() -> None:
    audit = ff.audit_tables(TABLES, metrics=["treatment_ratio", "lr+", "selection_rate"])
    assert audit.failing("treatment_ratio > 100") == ()
    assert len(audit.failing("treatment_ratio > 0")) == 4
    assert len(audit.failing("demographic_parity_difference < 2")) == 4
    assert len(audit.failing("positive_likelihood_ratio_ratio >= 0")) == 4
    with pytest.raises(ff.InputError, match="several metrics"):
        audit.failing("equalized_odds < 0.1")


CLINICS = {
    "East": ff.Table(tp=14, fn=11, fp=7, tn=38),
    "Island": ff.Table(tp=2, fn=3, fp=0, tn=7),
    "North": ff.Table(tp=73, fn=13, fp=20, tn=134),
    "South": ff.Table(tp=51, fn=14, fp=12, tn=73),
}


def told(found: ff.Audit) -> tuple[str, list[str]]:
    """Return the answer in a line, and the sentences that follow it."""
    answer = document(found)
    return answer.title, [item for block in answer.blocks if isinstance(block, Items) for item in block.items]


def test_the_smallest_group_and_what_comes_nearest_to_a_difference_are_told_first() -> None:
    title, sentences = told(ff.audit_tables(CLINICS, metrics=["recall"]))
    assert title == "No group is shown to differ from all other cases"
    smallest, nearest = sentences
    assert smallest.startswith(
        "Island (12 cases) is the smallest group: recall 0.4000 (2 of 5 found), all others 0.7841"
    )
    assert "too few to tell: about 15 needed, not 5 (" in smallest
    assert nearest.startswith("East (70 cases) comes closest to a difference: recall 0.5600 (14 of 25 found)")
    assert "it would differ only if tested alone" in nearest


def test_how_many_of_how_many_groups_differ_is_told() -> None:
    worse = CLINICS | {"East": ff.Table(tp=14, fn=31, fp=7, tn=38)}
    title, sentences = told(ff.audit_tables(worse, metrics=["recall"]))
    assert title == "2 of 4 groups differ from all other cases in recall: East and North"
    assert [words.split(":")[0] for words in sentences] == [
        "Island (12 cases) is the smallest group",
        "East (90 cases) differs most clearly",
        "North (240 cases) differs too",
    ]
    # The reference is not a group that could differ from itself.
    title, _ = told(ff.audit_tables(worse, metrics=["recall"], reference="North"))
    assert title == "1 of 3 groups differs from North in recall: East"
    title, _ = told(ff.audit_tables(worse, metrics=["recall"], reference="pairs"))
    assert title == "2 of 6 comparisons show a difference in recall: East and North; East and South"
    title, _ = told(ff.audit_tables(worse, metrics=["recall", "accuracy", "specificity"]))
    assert title.startswith("2 of 4 groups differ from all other cases: East in recall and accuracy")


def test_what_differs_between_two_groups_is_told_once() -> None:
    few, many = ff.Table(tp=1, fn=9, fp=3, tn=9), ff.Table(tp=31, fn=9, fp=3, tn=9)
    title, sentences = told(ff.audit_tables({"many": many, "few": few}, metrics=["recall"]))
    assert title == "many and few differ in recall"
    assert [words.split(":")[0] for words in sentences] == [
        "few (22 cases) is the smallest group and differs most clearly"
    ]


def test_a_smallest_group_without_the_score_is_told_too() -> None:
    tables = {"none": ff.Table(tp=0, fn=0, fp=3, tn=4), **CLINICS}
    _, sentences = told(ff.audit_tables(tables, metrics=["recall"]))
    assert sentences[0] == "none (7 cases) is the smallest group: recall undefined, no actual positives."
    title, sentences = told(ff.audit_tables({"a": tables["none"], "b": tables["none"]}, metrics=["recall"]))
    assert (title, sentences) == ("No group could be tested: the table says why", [])
    title, sentences = told(ff.audit_tables({"East": CLINICS["East"]}, metrics=["recall"]))
    assert (title, sentences) == ("No group could be tested: there is nothing to compare with", [])
    # Everybody is of one age, so that nobody is left to compare that group with; of the sites, nobody is sick.
    rows = {"y": [0] * 4, "p": [0, 1] * 2, "site": ["x", "x", "z", "z"], "age": ["old"] * 4}
    audit = ff.audit(rows, truth="y", prediction="p", positive=1, by=["site", "age"], metrics=["recall"])
    assert {finding.group.name for finding in audit.findings if finding.against is None} == {"age=old"}
    assert told(audit)[0] == "No group could be tested: the table says why"


def test_the_surest_difference_comes_first_and_is_said_to() -> None:
    found = ff.audit_tables(CLINICS | {"none": ff.Table(tp=0, fn=0, fp=3, tn=4)}, metrics=["recall", "precision"])
    assert [finding.group.name for finding in found.surest("recall")] == ["East", "North", "Island", "South", "none"]
    blocks = document(found).blocks
    grids = [block for block in blocks if isinstance(block, Grid)]
    names = [[row[0].value for row in grid.rows] for grid in grids]
    assert names[0] == ["East", "North", "Island", "South", "none"]
    said = [block.text for block in blocks if isinstance(block, Sentence) and "clearest" in block.text]
    assert said[0] == (
        "None of 5 groups is shown to differ; 1 is too small to tell; 1 could not be tested. "
        "The clearest difference comes first."
    )
    assert len(said) == len(grids) == 2


def test_a_slider_plans_for_the_first_metric_that_is_a_share() -> None:
    found = ff.audit_tables(CLINICS, metrics=["mcc", "recall", "precision"])
    [slider] = [block for block in document(found).blocks if isinstance(block, Slider)]
    assert slider.ask.question == "plan"
    assert slider.start == 5
    made = ff.plan(**slider.ask.given, cases=60)
    assert (made.metric, made.reference_count, made.tests) == ("recall", 138 + 38, found.tests)
    words = told_apart_words(made)
    assert words.startswith("With 60 actual positives, only a recall of ")
    low, high = (float(text) for text in re.findall(r"of (0\.\d+) or", words))
    # What is said to be told apart is found with the power that is said, a hundredth nearer it is not.
    beside = slider.ask.given | {"cases": 60}
    powers = {score: ff.plan(**beside | {"group": score}).value for score in (low, high, low + 0.01, high - 0.01)}
    assert [value >= 0.8 for value in powers.values()] == [True, True, False, False]


@pytest.mark.parametrize("metrics", [["mcc"], ["recall"]])
def test_without_a_share_or_a_test_there_is_no_slider(metrics: list[str]) -> None:
    tables = CLINICS if metrics == ["mcc"] else {"East": CLINICS["East"]}
    blocks = document(ff.audit_tables(tables, metrics=metrics)).blocks
    assert not [block for block in blocks if isinstance(block, Slider)]
