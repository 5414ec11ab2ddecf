from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import fourfold as ff
from fourfold import cli
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
        assert group.reference == minus(counted(data), group.table)
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
        group, rest = each.group.table, each.group.reference
        match, interval = ff.match(group, rest, each.metric), ff.interval(group, each.metric, level=0.9)
        assert each.score == pytest.approx(ff.score(group, each.metric))
        assert (each.match.below, each.match.equal) == pytest.approx((match.below, match.equal))
        assert each.p_value == pytest.approx(match.p_value)
        assert (each.interval.low, each.interval.high) == pytest.approx((interval.low, interval.high))
        assert each.smoothed == pytest.approx(ff.smooth(group, rest, strength=7).score(each.metric))
        assert each.reasons == ()


def test_references() -> None:
    whole = ff.Table(tp=60, fn=42, fp=29, tn=129)
    rest = ff.audit_tables(TABLES, metrics=["recall"])
    assert [group.reference for group in rest.groups] == [minus(whole, table) for table in TABLES.values()]
    everyone = ff.audit_tables(TABLES, metrics=["recall"], reference="all")
    assert {group.reference for group in everyone.groups} == {whole}
    named = ff.audit_tables(TABLES, metrics=["recall"], reference="b")
    assert [group.reference for group in named.groups] == [TABLES["b"], None, TABLES["b"], TABLES["b"]]
    given = ff.audit_tables(TABLES, metrics=["recall"], reference=whole)
    assert {group.reference for group in given.groups} == {whole}
    assert [each.reference for each in (rest, everyone, named)] == ["rest", "all", "b"]
    own = named.by_group["b"]["recall"]
    assert (own.match, own.p_value, own.smoothed, own.p_holm, codes(own)) == (None, None, None, None, ["no_reference"])
    assert own.score == pytest.approx(30 / 39)


def test_a_reference_named_in_any_spelling() -> None:
    data = people()
    names = ["sex=f, race=x", "sex=f,race=x", "SEX=F, Race=X"]
    options = {"truth": "y", "prediction": "yhat", "by": ["sex", "race"], "metrics": ["accuracy"]}
    first, *others = [ff.audit(data, reference=name, **options) for name in names]
    assert first.by_group["sex=m"]["accuracy"].group.reference == counted(data, sex="f", race="x")
    for other in others:
        assert [each.p_value for each in other.findings] == [each.p_value for each in first.findings]


def test_the_reference_may_be_counts_by_name() -> None:
    """Groups may be given as counts by name, and so may what they are compared with."""
    counts = {"tp": 50, "fn": 50, "fp": 50, "tn": 50}
    found = ff.audit_tables(TABLES, metrics=["recall"], reference=counts)
    assert {group.reference for group in found.groups} == {ff.Table(**counts)}


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
    found = ff.audit_tables(TABLES, metrics=["recall", "precision", "mcc", "accuracy"])
    tested = [each for each in found.findings if each.p_value is not None]
    values = [each.p_value for each in tested]
    assert len(values) == 16
    assert [each.p_holm for each in tested] == pytest.approx(holm(values), rel=1e-12)
    assert [each.p_fdr for each in tested] == pytest.approx(benjamini_hochberg(values), rel=1e-12)
    assert all(p <= fdr <= by_holm for p, fdr, by_holm in
               zip(values, (e.p_fdr for e in tested), (e.p_holm for e in tested), strict=True))  # fmt: skip


def test_tests_without_an_answer_are_not_counted() -> None:
    """A group whose recall is undefined makes no test, so the others are corrected for two and not for three."""
    tables = {"a": TABLES["a"], "b": TABLES["c"], "none": ff.Table(tp=0, fn=0, fp=3, tn=4)}
    found = ff.audit_tables(tables, metrics=["recall"]).by_group
    none = found["none"]["recall"]
    assert (none.score, none.p_value, none.p_holm, none.p_fdr) == (None,) * 4
    assert none.reasons == ("no actual positives",)
    assert none.row()["undefined_because"] == "no actual positives"
    assert "score_undefined" in codes(none)
    assert none.smoothed == pytest.approx(10 / 23)
    p = sorted(found[name]["recall"].p_value for name in "ab")
    assert sorted(found[name]["recall"].p_holm for name in "ab") == pytest.approx(
        [min(1, 2 * p[0]), min(1, max(2 * p[0], p[1]))]
    )


def test_a_group_without_rows() -> None:
    found = ff.audit_tables({**TABLES, "none": EMPTY}, metrics=["recall", "accuracy"])
    assert found.table == ff.audit_tables(TABLES, metrics=["recall"]).table
    for each in found.by_group["none"].values():
        assert (each.score, each.p_value, each.interval.low) == (None, None, None)
        assert each.reasons
        assert not each.too_small
    # Nothing is known of it but what all others are like.
    assert found.by_group["none"]["recall"].smoothed == pytest.approx(ff.score(found.table, "recall"))


def test_one_group_has_nothing_to_be_compared_with() -> None:
    found = ff.audit_tables({"a": TABLES["a"]}, metrics=["recall"]).findings[0]
    assert (found.score, found.match, found.smoothed) == (0.8, None, None)
    assert codes(found) == ["no_reference"]
    data = {"y": [1, 0, 1], "yhat": [1, 1, 0], "g": ["a", "a", "a"]}
    only = ff.audit(data, truth="y", prediction="yhat", by="g", metrics=["recall"])
    assert [codes(each) for each in only.findings] == [["no_reference"]]
    all_of_it = ff.audit(data, truth="y", prediction="yhat", by="g", metrics=["recall"], reference="all")
    assert "group_is_reference" in codes(all_of_it.findings[0])


def test_a_reference_that_never_defines_the_metric() -> None:
    """Nobody else is positive: there is no recall to compare with, and the audit says so."""
    tables = {"a": ff.Table(tp=3, fn=2, fp=1, tn=1), "b": ff.Table(tp=0, fn=0, fp=5, tn=5)}
    found = ff.audit_tables(tables, metrics=["recall", "mcc", "accuracy"])
    recall = found.by_group["a"]["recall"]
    assert recall.score == 0.6
    assert (recall.p_value, recall.p_holm, recall.too_small) == (None, None, False)
    assert recall.match.undefined == 1
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


def test_a_third_class() -> None:
    with pytest.raises(ff.InputError, match="more than two classes") as caught:
        ff.audit(THREE, truth="y", prediction="yhat", by="g")
    assert caught.value.code == "bad_label"
    assert "which class is positive" in caught.value.hint
    found = ff.audit(THREE, truth="y", prediction="yhat", by="g", metrics=["recall"], positive="a")
    assert found.table == ff.Table(tp=1, fn=2, fp=3, tn=2)
    assert found.notes[0].code == "one_against_rest"
    assert found.notes[0].data["labels"] == ["a", "b", "c"]
    with pytest.raises(ff.InputError, match="is no label of the data"):
        ff.audit(THREE, truth="y", prediction="yhat", by="g", positive="d")


def test_labels_that_are_words() -> None:
    data = {"y": ["yes", "no", "yes", "no"], "yhat": ["yes", "yes", "no", "no"], "g": ["a", "a", "b", "b"]}
    with pytest.raises(ff.InputError, match="which label is positive must be said"):
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
        ({"reference": "white"}, "bad_option", "rest, all, or one of race=x"),
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
    with pytest.raises(ff.InputError, match="is no group"):
        ff.audit_tables(TABLES, reference="e")


@pytest.mark.parametrize("strength", [-1, "much"])
def test_a_bad_strength_is_refused_even_where_nothing_is_smoothed(strength: object) -> None:
    with pytest.raises(ff.InputError, match="strength: must be a number"):
        ff.audit_tables({"a": TABLES["a"]}, metrics=["recall"], strength=strength)


def p_values(size: int, reference: ff.Table, name: str) -> dict[float, float]:
    """Return the two-sided p-value of every score that a group of a size can have, by adding up all tables."""
    chances: Counter[float] = Counter()
    shares = [Fraction(count, reference.total) for count in reference.cells().values()]
    for a in range(size + 1):
        for b in range(size + 1 - a):
            for c in range(size + 1 - a - b):
                cells = (a, b, c, size - a - b - c)
                value = ff.metric(name).formula.exact(dict(zip(CELLS, cells, strict=True)))
                ways = Fraction(math.factorial(size), math.prod(map(math.factorial, cells)))
                chance = ways * math.prod(share**count for share, count in zip(shares, cells, strict=True))
                if value is not None:
                    chances[round(float(value), 12)] += chance
    whole = sum(chances.values())
    found = {}
    for value in chances:
        lower = sum(chance for other, chance in chances.items() if other <= value) / whole
        upper = sum(chance for other, chance in chances.items() if other >= value) / whole
        found[value] = float(min(1, 2 * min(lower, upper)))
    return found


REFERENCES = [
    ff.Table(tp=60, fn=40, fp=80, tn=320),
    ff.Table(tp=95, fn=5, fp=10, tn=190),
    ff.Table(tp=150, fn=3, fp=10, tn=50),
    ff.Table(tp=50, fn=50, fp=50, tn=50),
    ff.Table(tp=2, fn=98, fp=2, tn=98),
]


@pytest.mark.parametrize("name", ["recall", "accuracy", "f1", "mcc", "marginal_benefit"])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_a_group_is_too_small_where_no_score_could_be_significant(name: str, level: float) -> None:
    group = ff.Table(tp=2, fn=1, fp=1, tn=1)
    for reference in REFERENCES:
        found = ff.audit_tables({"a": group}, metrics=[name], reference=reference, level=level).findings[0]
        expected = p_values(5, reference, name)
        significant = [value for value, p in expected.items() if p <= 1 - level]
        assert found.too_small == (not significant), reference
        assert found.p_value == pytest.approx(expected[round(ff.score(group, name), 12)])
        low = [v for v in significant if found.significant_up_to is not None and v <= found.significant_up_to + 1e-9]
        high = [v for v in significant if found.significant_from is not None and v >= found.significant_from - 1e-9]
        assert sorted({*low, *high}) == pytest.approx(sorted(significant))
        if found.significant_up_to is not None:
            assert found.significant_up_to == pytest.approx(max(low))
        if found.significant_from is not None:
            assert found.significant_from == pytest.approx(min(high))


def test_both_kinds_of_groups_occur() -> None:
    """With five cases no recall differs from .6 by enough; but none found where 95 % are would."""
    group = ff.Table(tp=2, fn=1, fp=1, tn=1)
    small = ff.audit_tables({"a": group}, metrics=["recall"], reference=REFERENCES[0]).findings[0]
    assert small.too_small
    assert (small.significant_up_to, small.significant_from) == (None, None)
    assert small.row()["too_small"] is True
    told = ff.audit_tables({"a": group}, metrics=["recall"], reference=REFERENCES[2]).findings[0]
    assert not told.too_small
    assert told.significant_up_to is not None


def test_what_is_significant_is_not_too_small() -> None:
    """Of 100 positives none was found; by Jeffreys' prior one more is found with a chance of 0.5 / 101.

    Of two cases, one or two are positive, two times in three one.
    """
    group, reference = ff.Table(tp=1, fn=0, fp=0, tn=1), ff.Table(tp=0, fn=100, fp=100, tn=0)
    found = ff.audit_tables({"a": group}, metrics=["recall"], reference=reference).findings[0]
    assert found.p_value == pytest.approx(2 * (2 / 3 * 0.5 / 101 + 1 / 3 * 0.5 * 1.5 / (101 * 102)), rel=0.01)
    assert "impossible_cell" in codes(found)
    assert not found.too_small


def test_large_groups_are_not_called_too_small() -> None:
    large = ff.Table(tp=200, fn=100, fp=100, tn=300)
    found = ff.audit_tables({"a": large, "b": large}, metrics=["recall"]).findings[0]
    assert (found.too_small, found.significant_up_to, found.significant_from) == (False, None, None)


def test_automatic_strength_is_that_of_all_groups() -> None:
    found = ff.audit_tables(TABLES, metrics=["recall"], strength="auto")
    assert "Dirichlet-multinomial" in found.strength_chosen_by
    expected = ff.smooth_groups(TABLES)
    assert found.strength == pytest.approx(expected["a"].strength, rel=1e-6)
    assert found.by_group["c"]["recall"].smoothed == pytest.approx(expected["c"].score("recall"), rel=1e-6)


def test_references_that_are_themselves_uncertain() -> None:
    """References of fewer than ten times a group's cases are noted, unless their own chance is counted in."""
    sure = ff.audit_tables(TABLES, metrics=["recall", "mcc"])
    note = next(note for note in sure.notes if note.code == "reference_taken_as_known")
    # 260 cases in all: only the group of 20 has a rest of ten times its size.
    assert note.data == {"groups": 3}
    found = ff.audit_tables(TABLES, metrics=["recall", "mcc"], reference_uncertainty=True)
    assert found.notes == ()
    for each in found.findings:
        match = ff.match(each.group.table, each.group.reference, each.metric, reference_uncertainty=True)
        assert each.p_value == pytest.approx(match.p_value)
        assert each.match.reference_uncertainty
    large = ff.Table(tp=600, fn=200, fp=100, tn=1000)
    assert ff.audit_tables(TABLES, metrics=["recall"], reference=large).notes == ()


def test_metrics_are_named_once_and_in_order() -> None:
    found = ff.audit_tables(TABLES, metrics=["mcc", "sensitivity", "recall", "tpr"])
    assert found.metrics == ("mcc", "recall")
    assert [each.metric for each in found.findings[:2]] == ["mcc", "recall"]
    assert set(ff.audit_tables(TABLES).metrics) == {"accuracy", "recall", "specificity", "precision"}


def test_a_law_that_takes_too_long_is_approximated_and_says_so() -> None:
    tables = {"a": ff.Table(tp=3000, fn=1000, fp=900, tn=4100), "b": ff.Table(tp=2900, fn=1100, fp=1000, tn=4000)}
    found = ff.audit_tables(tables, metrics=["mcc"]).by_group["a"]["mcc"]
    assert "normal" in found.match.method
    assert codes(found).count("approximation") == 2
    assert found.p_value is not None


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
    assert {"race", "sex", "score", "low", "high", "percentile", "p_value", "p_holm", "p_fdr", "smoothed"} <= set(first)


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


def test_a_group_inside_its_reference_says_so() -> None:
    data = {"y": [1, 0, 1, 0, 1, 0], "p": [1, 1, 0, 0, 1, 0], "g": list("aaabbb"), "h": list("uvuvuv")}
    found = ff.audit(data, truth="y", prediction="p", by=["g", "h"], metrics="accuracy", reference="g=a")
    inside = {each.group.name for each in found.findings if "overlapping_reference" in codes(each)}
    assert inside == {"g=a, h=u", "g=a, h=v"}


def test_a_finding_says_by_what_law_it_was_tested() -> None:
    """Where the reference lacks a cell that the group has, its shares are uncertain: whoever asks again must know."""
    groups = {"small": ff.Table(tp=2, fn=3, fp=1, tn=4), "rest": ff.Table(tp=9, fn=0, fp=3, tn=12)}
    (found, *_) = ff.audit_tables(groups, metrics=["recall"]).to_dict()["findings"]
    assert found["group"] == "small"
    assert found["reference_uncertainty"] is True
    again, plain = (
        ff.match(groups["small"], groups["rest"], "recall", reference_uncertainty=each).p_value
        for each in (True, False)
    )
    assert found["p_value"] == pytest.approx(again, rel=1e-12)
    assert found["p_value"] != pytest.approx(plain)
