from __future__ import annotations

import math

import numpy as np
import pytest

import fourfold as ff
from fourfold.metrics import WORDS, find


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Sensitivity", "recall"),
        ("TPR", "recall"),
        ("hit rate", "recall"),
        ("PPV", "precision"),
        ("F1-Score", "f1"),
        ("F₁", "f1"),
        ("f_1", "f1"),
        ("Dice", "f1"),
        ("f1n", "f1_negative"),
        ("f-beta 2", "f2"),
        ("F2 score", "f2"),
        ("f0.5", "f0.5"),
        ("f0.50", "f0.5"),
        ("f2_negative", "f2_negative"),
        ("recall_negative", "specificity"),
        ("precision_neg", "negative_predictive_value"),
        ("f1_neg", "f1_negative"),
        ("macro F1", "macro_f1"),
        ("weighted-avg precision", "weighted_precision"),
        ("LR+", "positive_likelihood_ratio"),
        ("LR-", "negative_likelihood_ratio"),
        ("LR−", "negative_likelihood_ratio"),
        ("Cohen's Kappa", "kappa"),
        ("κ", "kappa"),
        ("Φ", "mcc"),
        ("Youden’s J", "informedness"),
        ("csi", "jaccard"),
        ("UPM", "p4"),
        ("OFI", "objective_fairness_index"),
        ("disparate impact", "disparate_impact"),
        ("recall_difference", "recall_difference"),
        ("f2 ratio", "f2_ratio"),
    ],
)
def test_names_people_use(name: str, expected: str) -> None:
    assert find(name).id == expected


def test_all_21_of_paper_001_are_here() -> None:
    names = "ACC PREV PPR INACC NPREV PNR TPR FPR TNR FNR PPV NPV FDR FOR f1_original f1 MCC PT marginal_benefit OFI TE"
    assert len({find(name).id for name in names.split()}) == 21


def test_ids_are_words_and_every_alias_leads_home() -> None:
    for entry in (*ff.METRICS.values(), *ff.metrics.CONTRASTS.values()):
        assert entry.id.replace("_", "").isalnum()
        for name in (entry.id, entry.label, *entry.aliases):
            assert find(name) is entry


@pytest.mark.parametrize("name", ["precison", "", "accuracy_", "f", "f_", "macro_", "xyz_negative", "ofi_ratio", "auc"])
def test_unknown_metrics(name: str) -> None:
    if name == "accuracy_":
        assert ff.metric(name).id == "accuracy"
        return
    with pytest.raises(ff.InputError, match=r"unknown metric, got '.*'\. Hint: "):
        ff.metric(name)


def test_the_error_of_a_misspelt_metric_reads_as_promised() -> None:
    with pytest.raises(ff.InputError) as caught:
        ff.metric("precison")
    assert str(caught.value) == (
        "precison: unknown metric, got 'precison'. Hint: did you mean 'precision'? `fourfold metrics` lists all."
    )


@pytest.mark.parametrize("name", ["f_beta", "f0", "f0.0"])
def test_beta_must_be_a_positive_number(name: str) -> None:
    with pytest.raises(ff.InputError, match="beta"):
        ff.metric(name)


@pytest.mark.parametrize("beta", ["x", -1, "1/0"])
def test_bad_beta(beta: object) -> None:
    with pytest.raises(ff.InputError, match=r"^beta: "):
        ff.metrics.f_beta(beta)


def test_beta_of_one_is_the_simplified_f1() -> None:
    assert ff.metrics.f_beta(1).formula == ff.metric("f1").formula
    assert ff.metrics.f_beta("1/3").id == "f1/3"


def test_metric_and_contrast_are_told_apart() -> None:
    assert ff.metric(ff.METRICS["mcc"]) is ff.METRICS["mcc"]
    assert ff.metrics.contrast(ff.metrics.CONTRASTS["treatment_equality"]).id == "treatment_equality"
    for call in (lambda: ff.metric("ofi"), lambda: ff.metrics.contrast("mcc"), lambda: ff.metric(3)):
        with pytest.raises(ff.InputError, match=r"^metric: "):
            call()


def test_words_name_formulas_in_causes() -> None:
    assert ff.metric("pt").undefined_where[-1] == "recall equals false positive rate"
    assert WORDS[ff.metric("recall").formula] == "recall"


GROUP, REFERENCE = ff.Table(tp=3, fn=1, fp=2, tn=4), ff.Table(tp=6, fn=2, fp=1, tn=11)

# By hand: recalls 3/4 and 6/8, false positive rates 2/6 and 1/12, predicted positives 5/10 and 7/20.
CONTRASTS = {
    "ofi": (2 - 1) / 10 - (1 - 2) / 20,
    "treatment_equality": 1 / 2 - 2 / 1,
    "disparate_impact": (5 / 10) / (7 / 20),
    "statistical_parity_difference": 5 / 10 - 7 / 20,
    "equal_opportunity_difference": 0.0,
    "equalized_odds": 2 / 6 - 1 / 12,
    "precision_difference": 3 / 5 - 6 / 7,
    "precision_ratio": (3 / 5) / (6 / 7),
}


@pytest.mark.parametrize("name", CONTRASTS)
def test_contrasts_by_hand(name: str) -> None:
    assert ff.score(GROUP, name, against=REFERENCE) == pytest.approx(CONTRASTS[name], abs=1e-15)


def test_undefined_contrasts_say_in_which_group() -> None:
    none = ff.Table(tp=0, fn=0, fp=0, tn=5)
    assert math.isnan(ff.score(GROUP, "equalized_odds", against=none))
    assert ff.metrics.contrast("equalized_odds").why_undefined(GROUP, none) == ("no actual positives in the reference",)
    assert ff.metrics.contrast("te").undefined_where == (
        "no false positives in the group",
        "no false positives in the reference",
    )


def test_contrasts_need_both_tables() -> None:
    for call in (
        lambda: ff.score(GROUP, "ofi"),
        lambda: ff.score(GROUP, "recall", against=REFERENCE),
        lambda: ff.score(ff.Tables.from_tables([GROUP]), "ofi", against=REFERENCE),
    ):
        with pytest.raises(ff.InputError) as caught:
            call()
        assert caught.value.code == "bad_metric"


MATRIX = ff.Matrix([[5, 1, 0], [2, 3, 1], [0, 1, 7]], ("a", "b", "c"))


def test_k_classes_by_hand() -> None:
    assert ff.score(MATRIX, "accuracy") == 15 / 20
    assert ff.score(MATRIX, "inaccuracy") == 5 / 20
    assert ff.score(MATRIX, "balanced_accuracy") == pytest.approx((5 / 6 + 3 / 6 + 7 / 8) / 3)
    assert ff.score(MATRIX, "recall") == pytest.approx([5 / 6, 3 / 6, 7 / 8])
    assert ff.score(MATRIX, "recall", average="micro") == 15 / 20
    assert ff.score(MATRIX, "precision", average="weighted") == pytest.approx((6 * 5 / 7 + 6 * 3 / 5 + 8 * 7 / 8) / 20)
    chance = (6 * 7 + 6 * 5 + 8 * 8) / 400
    assert ff.score(MATRIX, "kappa") == pytest.approx((0.75 - chance) / (1 - chance))


@pytest.mark.parametrize("name", ["accuracy", "inaccuracy", "balanced_accuracy", "kappa", "mcc"])
def test_k_class_forms_agree_with_the_two_class_ones(name: str) -> None:
    for cells in [(3, 1, 2, 4), (0, 3, 2, 5), (5, 0, 0, 0), (0, 0, 0, 5), (2, 0, 3, 0), (0, 2, 0, 3), (0, 0, 2, 3)]:
        table = ff.Table(**dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True)))
        matrix = ff.Matrix([[table.tp, table.fn], [table.fp, table.tn]])
        assert ff.score(matrix, name) == pytest.approx(ff.score(table, name), nan_ok=True), cells


@pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
@pytest.mark.parametrize("name", ["f1", "precision", "recall", "mcc", "jaccard"])
def test_two_class_averages_agree_with_their_formulas(name: str, average: str) -> None:
    for cells in [(3, 1, 2, 4), (0, 3, 2, 5), (5, 0, 0, 0)]:
        table = ff.Table(**dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True)))
        matrix = ff.Matrix([[table.tp, table.fn], [table.fp, table.tn]])
        expected = ff.score(table, f"{average}_{name}")
        assert ff.score(matrix, name, average=average) == pytest.approx(expected, nan_ok=True), cells


def test_an_undefined_class_makes_the_average_undefined_and_says_which() -> None:
    matrix = ff.Matrix([[2, 0, 0], [1, 1, 0], [1, 0, 0]], ("a", "b", "c"))
    found = ff.scores(matrix, ["precision", "mcc"])
    assert math.isnan(ff.score(matrix, "precision", average="macro"))
    assert found["macro_precision"].undefined == ("class 'c': no predicted positives",)
    assert found["micro_precision"].value == 3 / 5
    empty = ff.Matrix([[0, 0], [0, 0]])
    assert ff.scores(empty, ["accuracy"])["accuracy"].undefined == ("no cases at all",)
    assert ff.scores(ff.Matrix([[3, 0], [2, 0]]), ["mcc"])["mcc"].undefined == ("only one predicted class",)


def test_real_mass() -> None:
    """Aguilar-Ruiz (2024), Examples 6 and 9: the soft matrix has accuracy 7/12."""
    soft = ff.Matrix([[2.3, 0.2, 0.5], [0.5, 1.1, 0.4], [0.0, 0.9, 0.1]])
    assert ff.score(soft, "accuracy") == pytest.approx(7 / 12, abs=1e-15)


def test_many_tables_at_once() -> None:
    tables = ff.Tables(tp=[45, 0], fn=[5, 0], fp=[10, 3], tn=[40, 4])
    found = ff.score(tables, "recall")
    assert found[0] == 0.9
    assert np.isnan(found[1])


def test_averages_mean_the_same_everywhere() -> None:
    table = ff.Table(tp=45, fn=5, fp=10, tn=40)
    two = ff.Matrix([[45, 5], [10, 40]])
    assert ff.score(table, "f1", average="macro") == pytest.approx(ff.score(two, "f1", average="macro"))
    assert ff.score(table, "macro_f1") == pytest.approx(ff.score(two, "macro_f1"))
    three = ff.Matrix.from_labels(list("abcac"), list("abbcc"))
    assert ff.score(three, "macro_f1") == pytest.approx((2 / 3 + 2 / 3 + 1 / 2) / 3)
    assert [s.average for s in ff.scores(three, ["macro_f1"]).scores] == [None]
    assert ff.score(ff.Tables.from_tables([table]), "f1", average="macro")[0] == pytest.approx(
        ff.score(table, "macro_f1")
    )


def test_extreme_mass_is_neither_lost_nor_undefined() -> None:
    tiny = ff.Tables(tp=[1e-200], fn=[1e-200], fp=[1e-200], tn=[1e-200])
    assert ff.score(tiny, "p4")[0] == 0.5
    assert ff.score(tiny, "kappa")[0] == 0.0
    huge = ff.Tables(tp=[1e100], fn=[1e99], fp=[0.0], tn=[1e100])
    assert ff.score(huge, "mcc")[0] == pytest.approx(ff.score(ff.Matrix([[1e100, 1e99], [0.0, 1e100]]), "mcc"))


def test_differences_of_averages_and_of_the_negative_class_exist() -> None:
    assert ff.metrics.contrast("macro_f1_difference").id == "macro_f1_difference"
    assert ff.metrics.contrast("f2_negative_ratio").id == "f2_negative_ratio"
    assert ff.metric("f1.0") is ff.metric("f1")
    assert ff.metrics.f_beta(0.1).id == "f0.1"
    assert ff.scores(GROUP)["tpr"].metric == "recall"


def test_unknown_average() -> None:
    with pytest.raises(ff.InputError, match=r"^average: "):
        ff.score(MATRIX, "f1", average="binary")


def test_scores_to_rows_and_dict() -> None:
    found = ff.scores(ff.Table(tp=0, fn=4, fp=0, tn=46), ["precision", "recall", "g_mean"])
    assert found.to_dict()["table"] == {"tp": 0, "fn": 4, "fp": 0, "tn": 46}
    assert found.rows()[0] == {
        "metric": "precision",
        "average": None,
        "label": "Precision",
        "value": None,
        "exact": None,
        "undefined": "no predicted positives",
    }
    assert found["recall"].value == 0.0
    assert ff.scores(MATRIX).to_dict()["labels"] == ["a", "b", "c"]
