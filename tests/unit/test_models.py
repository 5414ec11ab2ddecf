"""Two models on the same rows: the law of swaps, the interval, and what is read from data."""

from __future__ import annotations

import csv
import itertools
import json
from collections import Counter
from decimal import Decimal, localcontext
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, binomtest, norm

import fourfold as ff
from fourfold import cli
from fourfold.chance.swaps import Agreement, PairedTables, swap_law
from fourfold.groups.testing import paired

from ..conftest import ROOT

BOTH = PairedTables(Agreement(30, 12, 3, 5), Agreement(40, 2, 6, 2))


def rows_of(pairs: PairedTables) -> dict[tuple[int, int, int], int]:
    """Spell out two tables of the same rows."""
    (a, b, c, d), (e, f, g, h) = pairs
    positives = {(1, 1, 1): a, (1, 1, 0): b, (1, 0, 1): c, (1, 0, 0): d}
    return {**positives, (0, 0, 0): e, (0, 0, 1): f, (0, 1, 0): g, (0, 1, 1): h}


def drawn(random: Random, most: int) -> PairedTables:
    return PairedTables(*(Agreement(*(random.randrange(most) for _ in range(4))) for _ in range(2)))


# The slow twin: every way to swap the rows on which two models differ, one by one.


def f1(tp: Decimal, fn: Decimal, fp: Decimal, tn: Decimal) -> Decimal | None:
    return 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else None


def mcc(tp: Decimal, fn: Decimal, fp: Decimal, tn: Decimal) -> Decimal | None:
    square = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return (tp * tn - fp * fn) / square.sqrt() if square else None


def precision(tp: Decimal, fn: Decimal, fp: Decimal, tn: Decimal) -> Decimal | None:
    return tp / (tp + fp) if tp + fp else None


def kappa(tp: Decimal, fn: Decimal, fp: Decimal, tn: Decimal) -> Decimal | None:
    total = tp + fn + fp + tn
    by_chance = ((tp + fp) * (tp + fn) + (tn + fp) * (tn + fn)) / total**2
    return ((tp + tn) / total - by_chance) / (1 - by_chance) if by_chance != 1 else None


def odds_ratio(tp: Decimal, fn: Decimal, fp: Decimal, tn: Decimal) -> Decimal | None:
    return tp * tn / (fp * fn) if fp * fn else None


def table(rows: list[tuple[int, int]]) -> tuple[Decimal, Decimal, Decimal, Decimal]:
    counts = Counter(rows)
    return Decimal(counts[1, 1]), Decimal(counts[1, 0]), Decimal(counts[0, 1]), Decimal(counts[0, 0])


def by_brute_force(pairs: PairedTables, score: Any) -> tuple[float, float] | None:
    """Return the p-value and the mid-p over all swaps that leave both scores defined."""
    listed = [kind for kind, count in rows_of(pairs).items() for _ in range(count)]
    same = [(truth, first) for truth, first, second in listed if first == second]
    differ = [kind for kind in listed if kind[1] != kind[2]]
    found = []
    with localcontext() as context:
        context.prec = 60
        for ways in itertools.product((1, 2), repeat=len(differ)):
            one = score(*table(same + [(kind[0], kind[way]) for kind, way in zip(differ, ways, strict=True)]))
            other = score(*table(same + [(kind[0], kind[3 - way]) for kind, way in zip(differ, ways, strict=True)]))
            found.append(None if one is None or other is None else one - other)
        if found[0] is None:
            return None
        defined = [abs(value) for value in found if value is not None]
        near = Decimal("1e-40")
        more = sum(1 for value in defined if value > abs(found[0]) + near)
        same_size = sum(1 for value in defined if abs(value - abs(found[0])) <= near)
    if abs(found[0]) <= near:
        return 1.0, 1.0
    return (more + same_size) / len(defined), (more + same_size / 2) / len(defined)


@pytest.mark.parametrize(
    ("name", "score"), [("f1", f1), ("mcc", mcc), ("precision", precision), ("kappa", kappa), ("dor", odds_ratio)]
)
def test_any_metric_equals_brute_force_over_swaps(name: str, score: Any) -> None:
    random = Random(6)
    tried = 0
    while tried < 12:
        pairs = drawn(random, 4)
        if pairs.positives.differ + pairs.negatives.differ > 12 or not any(map(sum, pairs)):
            continue
        expected = by_brute_force(pairs, score)
        found = ff.groups.compare_paired(rows_of(pairs), name)
        if expected is None:
            assert found.p_value is None
            continue
        tried += 1
        assert (found.p_value, found.mid_p) == pytest.approx(expected, rel=1e-12), pairs


@pytest.mark.parametrize(("better", "worse"), [(0, 1), (3, 3), (12, 3), (40, 17), (600, 10), (100, 700)])
def test_accuracy_is_mcnemars_exact_test(better: int, worse: int) -> None:
    pairs = PairedTables(
        Agreement(30, better // 2, worse // 3, 5), Agreement(40, better - better // 2, worse - worse // 3, 2)
    )
    found = ff.groups.compare_paired(rows_of(pairs), "accuracy")
    assert found.p_value == pytest.approx(binomtest(better, better + worse).pvalue, rel=1e-12)
    point = binom.pmf(better, better + worse, 0.5)
    if better != worse:
        assert found.mid_p == pytest.approx(found.p_value - point, rel=1e-9)
    assert (found.only_a, found.only_b, found.differ) == (better, worse, better + worse)


def test_recall_counts_positives_only() -> None:
    found = ff.groups.compare_paired(rows_of(BOTH), "recall")
    assert found.p_value == pytest.approx(binomtest(12, 15).pvalue, rel=1e-12)
    assert (found.only_a, found.only_b) == (12, 3)
    assert found.score_a == 42 / 50
    assert found.score_b == 33 / 50


def test_a_share_of_predictions_counts_the_other_way_in_negatives() -> None:
    # Predicted positives of the first model only: 12 found and 6 wrongly cleared by the other; of the second 3 and 2.
    found = ff.groups.compare_paired(rows_of(BOTH), "predicted_positive_rate")
    assert found.p_value == pytest.approx(binomtest(18, 23).pvalue, rel=1e-12)


@pytest.mark.parametrize(("first", "second"), [(12, 3), (9, 0), (0, 4), (7, 7)])
def test_the_tilt_for_accuracy_is_clopper_and_pearsons(first: int, second: int) -> None:
    counts = np.zeros((2, 2, 2), dtype=np.int64)
    counts[1, 1, 1], counts[1, 1, 0], counts[0, 1, 0], counts[0, 0, 0] = 30, first, second, 50
    swaps = paired._Swaps(counts, paired._of_table(ff.metric("accuracy")))
    law = swap_law(ff.metric("accuracy").formula, PairedTables(Agreement(30, first, 0, 0), Agreement(50, 0, second, 0)))
    total = 80 + first + second
    tilt = paired._Tilt(swaps, law, (first - second) / total, 0.95)
    expected = binomtest(first, first + second).proportion_ci(0.95)
    for upper, share in ((False, expected.low), (True, expected.high)):
        assert tilt.mean(tilt.end(upper=upper)) == pytest.approx((2 * share - 1) * (first + second) / total, abs=1e-9)


@pytest.mark.parametrize("name", ["accuracy", "recall", "precision", "f1", "mcc", "informedness", "g_mean"])
def test_the_interval_agrees_with_the_test(name: str) -> None:
    random = Random(7)
    for _ in range(25):
        found = ff.groups.compare_paired(rows_of(drawn(random, 14)), name)
        if found.low is None or found.p_value is None:
            continue
        assert found.low <= found.difference <= found.high
        assert (found.p_value <= 0.05) == (found.low > 0 or found.high < 0), found


def test_exchanging_the_models_turns_the_sign() -> None:
    rows = rows_of(BOTH)
    turned = {(truth, second, first): count for (truth, first, second), count in rows.items()}
    for name in ("f1", "mcc", "accuracy", "fnr"):
        one, other = ff.groups.compare_paired(rows, name), ff.groups.compare_paired(turned, name)
        assert other.p_value == pytest.approx(one.p_value, rel=1e-12)
        assert (other.difference, other.low, other.high) == pytest.approx(
            (-one.difference, -one.high, -one.low), abs=1e-7
        )


def test_a_metric_that_swaps_cannot_change_tells_nothing() -> None:
    found = ff.groups.compare_paired(rows_of(BOTH), "prevalence")
    assert (found.p_value, found.differ, found.low, found.least_p) == (1.0, 0, None, 1.0)


def test_an_undefined_score_says_why() -> None:
    found = ff.groups.compare_paired({(0, 0, 0): 5, (0, 1, 0): 2}, "recall")
    assert (found.p_value, found.difference, found.method) == (None, None, "none")
    assert "no actual positives" in found.notes[0].text


def test_undefined_ways_are_left_out_and_told() -> None:
    # Precision of a model without predicted positives is undefined: of 4 ways to swap, 2 leave one such model.
    found = ff.groups.compare_paired({(1, 1, 0): 1, (0, 0, 1): 1, (0, 0, 0): 3}, "precision")
    assert found.undefined == 0.5
    assert found.p_value == 1.0
    assert [note.code for note in found.notes] == ["undefined_mass"]


def test_many_differing_rows_stay_exact() -> None:
    pairs = PairedTables(Agreement(10**5, 25_300, 24_700, 10**4), Agreement(10**5, 25_150, 24_850, 10**4))
    found = ff.groups.compare_paired(rows_of(pairs), "mcc")
    assert found.method == "all swaps, row by row"
    # With classes of one size MCC counts rows nearly alike, and so many of them are normal: 50,450 of 100,000.
    assert found.p_value == pytest.approx(2 * norm.sf(900 / 10**2.5), rel=0.01)


# More than two classes.


def classes(count: int, seed: int, labels: str = "abc") -> Counter[tuple[str, str, str]]:
    random = Random(seed)
    rows: Counter[tuple[str, str, str]] = Counter()
    for _ in range(count):
        truth = random.choice(labels)
        guesses = [truth if random.random() < right else random.choice(labels) for right in (0.8, 0.6)]
        rows[truth, guesses[0], guesses[1]] += 1
    return rows


def test_accuracy_of_classes_is_mcnemars_test_too() -> None:
    rows = classes(200, 1)
    first = sum(count for (truth, one, two), count in rows.items() if one == truth != two)
    second = sum(count for (truth, one, two), count in rows.items() if two == truth != one)
    found = ff.groups.compare_paired(rows, "accuracy")
    assert (found.only_a, found.only_b) == (first, second)
    assert found.p_value == pytest.approx(binomtest(first, first + second).pvalue, rel=1e-12)
    assert found.seed is None


@pytest.mark.parametrize("name", ["macro_f1", "mcc", "kappa", "weighted_precision", "balanced_accuracy", "micro_f1"])
def test_scores_of_classes_are_those_of_matrices(name: str) -> None:
    rows = classes(150, 2)
    found = ff.groups.compare_paired(rows, name, draws=10)
    for model, value in ((1, found.score_a), (2, found.score_b)):
        pairs = Counter[Any]()
        for kind, count in rows.items():
            pairs[kind[0], kind[model]] += count
        metric = ff.metric(name)
        assert value == pytest.approx(ff.metrics.score_of(ff.Matrix.from_pairs(pairs), metric).value, rel=1e-12)


def test_random_swaps_come_near_all_swaps() -> None:
    same = {("a", "a", "a"): 6, ("b", "b", "b"): 5, ("c", "c", "c"): 4}
    differ = [
        ("a", "a", "b"),
        ("a", "c", "a"),
        ("b", "b", "c"),
        ("b", "b", "a"),
        ("c", "c", "b"),
        ("c", "a", "b"),
        ("a", "a", "c"),
    ]
    rows = Counter(same) + Counter(differ)
    sklearn = pytest.importorskip("sklearn.metrics")
    fixed = [kind for kind, count in same.items() for _ in range(count)]
    truth = [kind[0] for kind in (*fixed, *differ)]
    found = []
    for ways in itertools.product((1, 2), repeat=len(differ)):
        one, other = (
            [kind[1] for kind in fixed]
            + [kind[way if first else 3 - way] for kind, way in zip(differ, ways, strict=True)]
            for first in (True, False)
        )
        scores = [sklearn.f1_score(truth, predicted, average="macro") for predicted in (one, other)]
        found.append(scores[0] - scores[1])
    expected = sum(abs(value) >= abs(found[0]) - 1e-12 for value in found) / len(found)
    result = ff.groups.compare_paired(rows, "macro_f1", draws=20_000, rng=3)
    assert result.p_value == pytest.approx(expected, abs=4 * (expected / 20_000) ** 0.5)
    assert result.seed == 3
    assert "20000 draws" in result.method
    assert ff.groups.compare_paired(rows, "macro_f1", draws=20_000, rng=3) == result


def test_a_metric_of_one_class_needs_a_positive_label() -> None:
    with pytest.raises(ff.InputError, match="has no form for several classes"):
        ff.groups.compare_paired(classes(50, 3), "recall")
    assert ff.groups.compare_paired(classes(50, 3), "recall", positive="a").score_a is not None


# Data.

TRUTH = ["sick", "sick", "well", "well", "sick", "well"]
OLD = ["sick", "well", "well", "sick", "well", "well"]
NEW = ["sick", "sick", "well", "well", "sick", "sick"]
SITE = ["x", "x", "y", "y", "y", "x"]


def counts(result: ff.groups.ModelComparison) -> dict[str, tuple[int, int]]:
    return {found.group: (found.comparison.only_a, found.comparison.only_b) for found in result.findings}


def asked(data: Any, other: Any = None, **more: Any) -> ff.groups.ModelComparison:
    given = {"truth": "y", "prediction": ["new", "old"], "by": "site", "positive": "sick", "metrics": ["accuracy"]}
    return ff.compare_models(data, other, **(given | more))


WANTED = {"all rows": (3, 1), "site=x": (1, 1), "site=y": (2, 0)}
COLUMNS = {"y": TRUTH, "old": OLD, "new": NEW, "site": SITE}


def test_one_source_of_any_kind_is_counted_alike(tmp_path: Path) -> None:
    pandas, polars, duckdb = (pytest.importorskip(name) for name in ("pandas", "polars", "duckdb"))
    frame = pandas.DataFrame(COLUMNS)
    frame.to_csv(tmp_path / "both.csv", index=False)
    polars.DataFrame(COLUMNS).write_parquet(tmp_path / "both.parquet")
    relation = duckdb.sql(f"select * from '{tmp_path / 'both.parquet'}'")
    sources = [COLUMNS, frame, polars.DataFrame(COLUMNS), polars.LazyFrame(COLUMNS), relation]
    for source in (*sources, str(tmp_path / "both.csv"), tmp_path / "both.parquet"):
        assert counts(asked(source)) == WANTED


def write(path: Path, **columns: Any) -> str:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return str(path)


def test_two_files_are_matched_by_order_or_by_key(tmp_path: Path) -> None:
    ids = ["p1", "p2", "p3", "p4", "p5", "p6"]
    order = [3, 0, 5, 1, 2, 4]
    first = write(tmp_path / "new.csv", id=ids, y=TRUTH, yhat=NEW, site=SITE)
    second = write(tmp_path / "old.csv", id=ids, y=TRUTH, yhat=OLD)
    turned = write(
        tmp_path / "turned.csv", **{n: [c[i] for i in order] for n, c in {"id": ids, "y": TRUTH, "yhat": OLD}.items()}
    )
    result = asked(first, second, prediction="yhat")
    assert counts(result) == WANTED
    assert result.models == ("new", "old")
    assert counts(asked(first, turned, prediction="yhat", key="id")) == WANTED
    with pytest.raises(ff.InputError) as raised:
        asked(first, turned, prediction="yhat")
    assert str(raised.value).startswith("truth: must be the same in both, got 'sick' and 'well' in row 1. Hint: ")


def test_frames_and_files_can_be_mixed(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    second = write(tmp_path / "old.csv", y=TRUTH, old=OLD)
    assert counts(asked(polars.DataFrame(COLUMNS), second)) == WANTED
    assert counts(asked(COLUMNS, {"y": TRUTH, "old": OLD})) == WANTED
    with pytest.raises(ff.InputError, match="data: has rows without an order"):
        asked(polars.LazyFrame(COLUMNS), second)


def test_numbers_are_labels_however_they_are_written(tmp_path: Path) -> None:
    one = write(tmp_path / "a.csv", y=[1, 0, 1, 1], a=[1, 0, 1, 0], b=["1.0", "0.0", "0.0", ""])
    result = ff.compare_models(one, truth="y", prediction=["a", "b"], metrics=["accuracy"])
    assert counts(result) == {"all rows": (1, 0)}
    assert [note.text for note in result.notes] == ["rows left out because they have no label in b: 1"]
    two = write(tmp_path / "b.csv", y=["1.0", "0.0", "1.0", "1.0"], a=[1, 0, 0, 0])
    assert counts(ff.compare_models(one, two, truth="y", prediction="a", metrics="accuracy")) == {"all rows": (1, 0)}
    numbers = {"y": np.array([1, 0, 1, 1]), "a": np.array([1, 0, 0, 0])}
    assert counts(ff.compare_models(one, numbers, truth="y", prediction="a", metrics="accuracy")) == {
        "all rows": (1, 0)
    }


@pytest.mark.parametrize(
    ("other", "more", "said"),
    [
        ({"y": TRUTH[:5], "old": OLD[:5]}, {}, "data: both must have the same rows, got 6 and 5 rows"),
        (None, {"prediction": "new"}, "prediction: only one model is named, got 'new'"),
        (None, {"prediction": ["new", "new"]}, "prediction: is named twice, got 'new'"),
        (None, {"prediction": ["new", "od"]}, "prediction: the data has no such column, got 'od'"),
        (None, {"key": "id"}, "key: works only with two sources, got 'id'"),
        (None, {"positive": "ill"}, "positive: is not a label in the data, got 'ill'"),
        (None, {"level": 2}, "level: must lie between 0 and 1, got 2"),
        (
            {"y": TRUTH, "old": OLD, "site": SITE},
            {"key": "site", "by": ()},
            "key: site must name each row once, got 'x'",
        ),
    ],
)
def test_what_does_not_fit_is_said(other: Any, more: dict[str, Any], said: str) -> None:
    with pytest.raises(ff.InputError) as raised:
        asked(COLUMNS, other, **more)
    assert str(raised.value).startswith(said)


def test_a_row_that_one_source_lacks_is_named() -> None:
    one = {"id": [1, 2], "y": [1, 0], "yhat": [1, 0]}
    with pytest.raises(ff.InputError, match="data: both must have the same rows, got 2 in one of them only"):
        ff.compare_models(one, one | {"id": [1, 3]}, truth="y", prediction="yhat", key="id")


def test_all_tests_are_corrected_together() -> None:
    random = Random(9)
    data = {"y": [1] * 400, "a": [1] * 400, "b": [int(random.random() < 0.9) for _ in range(400)]}
    data["site"] = [i % 4 for i in range(400)]
    result = ff.compare_models(data, truth="y", prediction=["a", "b"], by="site", metrics=["recall"])
    assert result.tests == 5
    values = sorted(found.comparison.p_value for found in result.findings)
    expected = list(itertools.accumulate((min(1, p * (5 - i)) for i, p in enumerate(values)), max))
    assert sorted(found.p_holm for found in result.findings) == pytest.approx(expected, rel=1e-12)
    assert result.findings[0].verdict == "different"


def test_too_few_rows_to_tell() -> None:
    # Five rows that differ give at best 2 / 2**5 = .0625; six give .03125, which is enough for one test alone.
    for differ, verdict in ((5, "too few"), (6, "different")):
        data = {"y": [1] * 20, "a": [1] * 20, "b": [0] * differ + [1] * (20 - differ)}
        result = ff.compare_models(data, truth="y", prediction=["a", "b"], metrics=["recall"])
        assert result.findings[0].verdict == verdict
        assert result.findings[0].comparison.least_p == 2.0 ** (1 - differ)
    data["site"] = [0] * 10 + [1] * 10
    result = ff.compare_models(data, truth="y", prediction=["a", "b"], by="site", metrics=["recall"])
    assert [found.verdict for found in result.findings] == ["too few"] * 3


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    out, err = capsys.readouterr()
    return ended.value.code, out, err


def test_the_command_answers_in_every_form(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    files = [str(ROOT / "docs" / "examples" / f"screen_{name}.csv") for name in ("new", "old")]
    command = [
        "compare",
        *files,
        "--truth",
        "truth",
        "--prediction",
        "prediction",
        "--positive",
        "sick",
        "--key",
        "patient",
    ]
    code, out, _ = run(capsys, *command, "--json", "--by", "site")
    answer = json.loads(out)
    assert code == 0
    assert (answer["schema"], answer["models"]) == ("fourfold/model_comparison", ["screen_new", "screen_old"])
    rows = [list(csv.DictReader(Path(file).read_text().splitlines())) for file in files]
    only = [0, 0]
    for new, old in zip(*rows, strict=True):
        right = [row["prediction"] == row["truth"] for row in (new, old)]
        only[0] += right[0] > right[1]
        only[1] += right[1] > right[0]
    accuracy = answer["findings"][0]
    assert [accuracy["only_a"], accuracy["only_b"]] == only
    assert accuracy["p_value"] == pytest.approx(binomtest(only[0], sum(only)).pvalue, rel=1e-12)
    code, out, _ = run(capsys, *command, "--csv", "--html", str(tmp_path / "page.html"))
    assert out.startswith("group,n,metric,score_a")
    assert "Two models on the same rows" in (tmp_path / "page.html").read_text(encoding="utf-8")
    code, out, _ = run(capsys, *command)
    assert "better on" in out


def test_three_files_are_too_many(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(ROOT / "docs" / "examples" / "screen_new.csv")
    code, _, err = run(capsys, "compare", file, file, file, "--truth", "truth", "--prediction", "prediction")
    assert code == 2
    assert err.startswith("file: must be one or two, got 3")


def test_words_of_few_rows() -> None:
    data = {"y": [1, 1, 0], "a": [1, 1, 0], "b": [0, 1, 0]}
    text = " ".join(str(ff.compare_models(data, truth="y", prediction=["a", "b"])).split())
    assert "No difference between a and b is shown" in text
    assert "too few to tell" in text
