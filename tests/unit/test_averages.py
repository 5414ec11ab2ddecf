"""Averages over parts of any kind: what is refuted is checked against tables that the proof never saw."""

from __future__ import annotations

import numpy as np
import pytest

import fourfold as ff
from fourfold.answers.verdicts import verdict_words
from fourfold.solve.averages import AVERAGED, Averages, Refuted

SETS = (
    ("accuracy", "recall", "specificity"),
    ("precision", "recall", "f1"),
    ("accuracy", "precision", "recall", "f1"),
    ("accuracy", "recall", "specificity", "f1", "mcc"),
    ("balanced_accuracy", "mcc", "kappa"),
    ("macro_precision", "macro_recall", "macro_f1", "accuracy"),
    ("weighted_precision", "weighted_f1", "accuracy"),
    ("precision", "negative_predictive_value", "specificity", "jaccard"),
)


def tables(rng: np.random.Generator, count: int, least: float = 0.0, most: float = 1.0) -> list[tuple[int, ...]]:
    """Return tables of 1 to 400 cases, some with empty cells, whose share of positives is in a range."""
    found = []
    while len(found) < count:
        total = int(rng.integers(1, 400))
        positives = int(rng.integers(0, total + 1))
        if not least <= positives / total <= most:
            continue
        tp, tn = rng.integers(0, positives + 1), rng.integers(0, total - positives + 1)
        if rng.random() < 0.2:
            tp = 0 if rng.random() < 0.5 else positives
        if rng.random() < 0.2:
            tn = 0 if rng.random() < 0.5 else total - positives
        found.append((int(tp), positives - int(tp), total - positives - int(tn), int(tn)))
    return found


def scored(names: tuple[str, ...], table: tuple[int, ...], fill: float) -> list[float]:
    """Return scores from their formulas; one that is undefined counts as `fill`, those with a root as 0."""
    cells = dict(zip(("tp", "fn", "fp", "tn"), table, strict=True))
    values = []
    for name in names:
        average, _, plain = name.partition("_")
        metric = ff.metric(plain).averaged(average) if average in ("macro", "weighted") else ff.metric(name)
        parts = [formula.exact(cells) for formula in metric.components]
        if average == "weighted":
            positives, total = table[0] + table[1], sum(table)
            pair = [ff.metric(plain).formula.exact(cells), ff.metric(plain).negative().formula.exact(cells)]
            shares = (positives / total, 1 - positives / total)
            values.append(sum(s * (fill if v is None else float(v)) for s, v in zip(shares, pair, strict=True)))
        elif average == "macro":
            values.append(float(np.mean([fill if v is None else float(v) for v in parts])))
        else:
            value = metric.formula.exact(cells)
            missing = 0.0 if name in ("mcc", "kappa") else fill
            if value is None and name == "balanced_accuracy":
                defined = [
                    v for v in (ff.metric(n).formula.exact(cells) for n in ("recall", "specificity")) if v is not None
                ]
                value = defined[0]
            values.append(missing if value is None else float(value))
    return values


@pytest.mark.parametrize("names", SETS, ids="-".join)
def test_honest_averages_are_never_refuted(names: tuple[str, ...]) -> None:
    """Means of one to eight tables, whatever undefined scores counted as, rounded to three digits."""
    rng = np.random.default_rng(7)
    for _ in range(40):
        own = tables(rng, int(rng.integers(1, 9)))
        fill = float(rng.integers(0, 2))
        means = np.mean([scored(names, table, fill) for table in own], axis=0).round(3)
        found = Averages(names, means - 0.0005, means + 0.0005).decide()
        assert not isinstance(found, Refuted), (own, fill, means)


@pytest.mark.parametrize("names", SETS, ids="-".join)
def test_what_refutes_holds_for_tables_it_never_saw(names: tuple[str, ...]) -> None:
    """A direction that refutes a random report is larger there than in any of two thousand random tables."""
    rng, refuted = np.random.default_rng(11), 0
    values = {
        ends: np.array([scored(names, table, fill) for table in tables(rng, 1000, *ends) for fill in (0.0, 1.0)])
        for ends in ((0.0, 1.0), (0.2, 0.4))
    }
    for _ in range(8):
        printed = rng.random(len(names)).round(2)
        for ends, seen in values.items():
            found = Averages(names, printed - 0.005, printed + 0.005).decide(*ends)
            refuted += isinstance(found, Refuted)
            # A closed form has no direction.
            if isinstance(found, Refuted) and found.weights:
                assert found.largest < found.needed
                assert (seen @ np.array(found.weights)).max() <= found.largest + 1e-9
    assert refuted >= 2


@pytest.mark.parametrize("names", SETS, ids="-".join)
def test_parts_that_explain_a_report_average_to_it(names: tuple[str, ...]) -> None:
    rng, explained = np.random.default_rng(13), 0
    for _ in range(10):
        means = np.mean([scored(names, table, 0.0) for table in tables(rng, 5, 0.1, 0.9)], axis=0)
        found = Averages(names, means - 0.005, means + 0.005).decide()
        if isinstance(found, tuple):
            explained += 1
            assert sum(part.weight for part in found) == pytest.approx(1)
            cells = [(p.prevalence * p.tpr, p.prevalence * (1 - p.tpr), (1 - p.prevalence) * p.fpr,
                      (1 - p.prevalence) * (1 - p.fpr)) for p in found]  # fmt: skip
            whole = [tuple(round(x * 10**9) for x in own) for own in cells]
            mixed = sum(part.weight * np.array(scored(names, own, 0.0)) for part, own in zip(found, whole, strict=True))
            assert (np.abs(mixed - means) <= 0.0051).all()
    assert explained >= 8


def test_f1_beside_precision_and_recall() -> None:
    """It cannot exceed their harmonic mean, nor fall short of their sum less one, in any average."""
    for f1, refuted in ((0.903, True), (0.405, False), (0.42, True), (0.30, False)):
        low, high = (0.395, 0.405, f1 - 0.0005), (0.405, 0.415, f1 + 0.0005)
        assert isinstance(Averages(("precision", "recall", "f1"), low, high).decide(), Refuted) is refuted, f1
    assert isinstance(Averages(("precision", "recall", "f1"), (0.9, 0.9, 0.7), (0.91, 0.91, 0.78)).decide(), Refuted)
    # What the closed form says the boxes find too.
    twin = Averages(("recall", "precision", "jaccard"), (0.405, 0.395, 0.8), (0.415, 0.405, 0.82))
    assert twin.known_limit() is None
    assert isinstance(twin.decide(), Refuted)


@pytest.mark.parametrize("given", [("precision", "recall", "f1"), ("recall", "f1"), ("f1",)])
def test_f1_of_averages_is_no_average_of_f1(given: tuple[str, ...]) -> None:
    """Hospitals with tables of 19, 171, 0, 10 and 10, 0, 190, 0: precision is 1 and 0.05, recall 0.1 and 1.

    F1 of these averages is 0.537. No mean of F1 is as high beside an accuracy of 0.0975, and the authors are honest.
    """
    scores = {"precision": "0.525", "recall": "0.550", "f1": "0.537"}
    report = {f"{name}[positive]": scores[name] for name in given} | {"accuracy": "0.0975", "specificity": "0.500"}
    assert ff.recover(report, bounds="none").verdict != "impossible"
    assert ff.recover(report, positives=200, negatives=200, bounds="none").verdict != "impossible"


def test_accuracy_beside_recall_and_specificity() -> None:
    """In any average it is at least their sum less one; it lies between them where the make-up is one."""
    names = ("accuracy", "recall", "specificity")
    low, high = np.array([0.45, 0.795, 0.695]), np.array([0.46, 0.805, 0.705])
    assert isinstance(Averages(names, low, high).decide(), Refuted)
    low[0], high[0] = 0.55, 0.56
    assert not isinstance(Averages(names, low, high).decide(), Refuted)
    assert isinstance(Averages(names, low, high).decide(0.3, 0.4), Refuted)


def test_medians_are_refuted_by_a_pair() -> None:
    """Where F1 is 0.9 or more precision is 0.82 or more, so a median of 0.4 cannot stand beside a median of 0.9."""
    low, high = (0.395, 0.405, 0.9025), (0.405, 0.415, 0.9035)
    assert Averages(("precision", "recall", "f1"), low, high).no_quantile()
    # Of three folds (0.5, 0.5), (0.5, 0.9) and (0.9, 0.5) the medians are 0.5, 0.5 and F1 0.643: no average, yet true.
    low, high = (0.495, 0.495, 0.6425), (0.505, 0.505, 0.6435)
    asked = Averages(("precision", "recall", "f1"), low, high)
    assert isinstance(asked.decide(), Refuted)
    assert not asked.no_quantile()


def test_medians_of_an_even_number_of_parts_are_no_scores_of_a_part() -> None:
    """They are means of two ranks. Of folds (0.08, 0.1), (0.1, 0.08), (0.5, 1) and (1, 0.5) they are as below.

    F1 is too high for an average, and no table has such a Jaccard index beside such an F1, as it is convex in it.
    """
    names, values = ("precision", "recall", "f1", "jaccard"), np.array([0.300, 0.300, 0.378, 0.273])
    asked = Averages(names, values - 0.001, values + 0.001)
    assert isinstance(asked.decide(), Refuted)
    assert not asked.no_quantile()


@pytest.mark.parametrize(
    ("scores", "least", "most"),
    [
        # Two of three parts have no positives and no errors: their precision, recall and F1 counted as 1, MCC as 0.
        ({"precision": 1, "recall": 1, "f1": 1, "accuracy": 1, "mcc": 1 / 3}, 0, 1),
        # Of (5, 0, 0, 5) and (0, 5, 0, 5) the second has no MCC, which was left out.
        ({"recall": 1 / 2, "specificity": 1, "mcc": 1}, 0, 1),
        # In (0, 1, 0, 9) no case is called positive: precision and markedness counted as 0.
        ({"precision": 0, "negative_predictive_value": 9 / 10, "markedness": 0}, 0, 1),
        # In (0, 1, 0, 9) precision is left out, and macro precision is that of negatives; beside (1, 1, 9, 1).
        ({"precision": 1 / 10, "negative_predictive_value": 7 / 10, "macro_precision": 0.6}, 0, 1),
        # As the first, with the index of Fowlkes and Mallows, which is 1 where no positive is found or called.
        ({"recall": 0, "precision": 1, "fowlkes_mallows": 1}, 0, 1),
        # All parts have negatives alone, and some tools take the balanced accuracy from these.
        ({"specificity": 0.6, "recall": 0, "balanced_accuracy": 0.6}, 0, 0),
    ],
)
def test_parts_in_which_scores_are_undefined_refute_nothing(scores: dict, least: float, most: float) -> None:
    """By hand: what is undefined counted as 0, as 1, or was left out."""
    values = np.array(list(scores.values()), dtype=float)
    assert not isinstance(Averages(tuple(scores), values - 0.0005, values + 0.0005).decide(least, most), Refuted)


def test_parts_may_have_the_least_share_of_positives() -> None:
    """Shares are floats: a part whose share is the end of a range lies in it, in every way to describe tables."""
    names = ("accuracy", "recall", "precision")
    for total in (49, 97, 121, 1009):
        means = np.array(scored(names, (1, 0, 1, total - 2), 0.0))
        assert not isinstance(Averages(names, means - 1e-3, means + 1e-3).decide(1 / total, 1 / total), Refuted)


def test_every_known_score_is_the_formula_of_its_name() -> None:
    rng = np.random.default_rng(17)
    names = tuple(sorted(AVERAGED))
    for table in tables(rng, 60, 0.05, 0.95):
        if min(table) == 0:
            continue
        tp, fn, fp, tn = table
        shares = np.array([[(tp + fn) / sum(table), tp / (tp + fn), fp / (fp + tn)]])
        assert Averages(names, np.zeros(len(names)), np.ones(len(names))).values(shares)[0] == pytest.approx(
            scored(names, table, 0.0)
        )


def test_without_sizes_there_may_be_more_than_two_classes() -> None:
    """Of two classes kappa is at most each F1; weighted, or beside a macro F1 of more classes, it need not be."""
    report = {"accuracy": "0.6239", "kappa": "0.6790", "recall": "0.6602", "f1": "0.6201"}
    assert ff.recover(**report, bounds="none").verdict == "undecided"
    found = ff.recover(total=500, **report, bounds="none")
    assert found.verdict == "unexplained"
    assert ff.recover(positives=200, negatives=300, **report, bounds="none").verdict == "impossible"


def test_without_sizes_an_f1_above_precision_and_recall_is_in_no_average() -> None:
    """The harmonic mean of 0.705 and 0.765 is 0.7338; but medians of folds could be printed so."""
    found = ff.recover(precision="0.70", recall="0.76", f1="0.80", bounds="none")
    assert found.verdict == "unexplained"
    assert {reading.verdict for reading in found.readings} == {"impossible"}
    assert found.average is not None
    assert found.average.limit is not None
    assert found.average.limit.value == pytest.approx(2 * 0.705 * 0.765 / (0.705 + 0.765))
    sized = ff.recover(positives=100, negatives=200, precision="0.70", recall="0.76", f1="0.80", bounds="none")
    assert sized.verdict == "unexplained"
    assert "F1 score cannot exceed 0.734" in verdict_words(sized)


def test_bare_averages_may_be_over_more_than_two_classes() -> None:
    found = ff.recover(accuracy="0.784", precision="0.791", recall="0.784", f1="0.786", bounds="none")
    assert found.verdict == "conditional"
    assert found.reading.endswith("or averages over more than two classes")
    sized = ff.recover(positives=321, negatives=200, accuracy="0.784", precision="0.791", f1="0.786", bounds="none")
    assert "more than two classes" not in sized.reading
