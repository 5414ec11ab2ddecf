"""Means over folds and test sets: full enumeration in fractions by others, and what a peer says or gets wrong."""

from __future__ import annotations

import ast
import json
from fractions import Fraction
from typing import Any

import pytest

from fourfold.exact.reported import Reported
from fourfold.metrics import metric, read_convention
from fourfold.solve.experiment import Deviation, EqualParts, MeansReport, OpenParts, stratified_folds, stratified_ways
from fourfold.solve.means import bounds, decide

from ..conftest import SHARED, needs

FOLDS = SHARED / "oracle" / "folds.json"
PEER_CASES, PEER_FAULTS = SHARED / "oracle" / "peer_cases.json", SHARED / "oracle" / "peer_faults.json"
#: What the peer calls the metrics.
PEER_NAMES = {"acc": "accuracy", "sens": "recall", "sensitivity": "recall", "spec": "specificity", "ppv": "precision"}
PEER_NAMES |= {"bacc": "balanced_accuracy", "f1": "f1"}


def reports_of(case: dict[str, Any]) -> list[MeansReport]:
    """A case as reports of which one must fit: several where it is not known how folds were dealt."""
    means = tuple((metric(name), Reported.read(text)) for name, text in case["report"].items())
    kind: Any = "sample_sd" if case.get("ddof") else "sd"
    deviations = tuple(Deviation(metric(name), Reported.read(text), kind) for name, text in case.get("sd", {}).items())
    if "folds" in case:
        parts: Any = tuple(EqualParts(*fold) for fold in case["folds"])
        return [MeansReport(parts, means, read_convention(case["undefined"]), deviations=deviations)]
    folding = case["folding"]
    positives, negatives, folds = folding["positives"], folding["negatives"], folding["folds"]
    if folding["strategy"].startswith("stratified"):
        return [
            MeansReport(way, means, read_convention(case["undefined"]))
            for way in stratified_ways(positives, negatives, folds)
        ]
    return [
        MeansReport(
            open_folds(positives + negatives, folds), means, read_convention(case["undefined"]), positives=positives
        )
    ]


def open_folds(total: int, folds: int) -> tuple[OpenParts, ...]:
    """Folds that are not stratified: their sizes differ by at most one."""
    return tuple(OpenParts(total // folds + (i < total % folds)) for i in range(folds))


@needs(FOLDS)
def test_verdicts_are_those_of_all_assignments() -> None:
    cases = json.loads(FOLDS.read_text())["cases"]
    assert len(cases) == 254
    for case in cases:
        reports = reports_of(case)
        decisions = [decide(report) for report in reports]
        verdicts = {decision.verdict for decision in decisions}
        assert verdicts <= {"possible", "impossible"}
        assert ("possible" in verdicts) == (case["verdict"] != "impossible"), case["id"]
        for report, decision in zip(reports, decisions, strict=True):
            assert decision.witness is None or report.holds(decision.witness)


@needs(FOLDS)
def test_bounds_enclose_the_ends_of_all_assignments() -> None:
    checked = 0
    for case in json.loads(FOLDS.read_text())["cases"]:
        for over, key in (("mean", "mean_accuracy"), ("pooled", "pooled_accuracy")):
            if key not in case:
                continue
            low, high = (float(Fraction(end)) for end in case[key])
            ends = [found for report in reports_of(case) if (found := bounds(report, metric("accuracy"), over=over))]
            assert min(found.low for found in ends) <= low + 1e-9, case["id"]
            assert max(found.high for found in ends) >= high - 1e-9, case["id"]
            # Here all choices are looked at, so every witness that could be is found.
            assert low - 1e-9 <= min(found.low_found for found in ends if found.low_found is not None), case["id"]
            assert high + 1e-9 >= max(found.high_found for found in ends if found.high_found is not None), case["id"]
            checked += 1
    assert checked == 168


def peer_folds(dataset: dict[str, Any], folding: dict[str, Any]) -> list[tuple[int, int]]:
    """The folds of a peer's data set, repeats included; none where it is only named or its folds are not known."""
    repeats = folding.get("n_repeats", 1)
    if "folds" in folding:
        return [(fold["p"], fold["n"]) for fold in folding["folds"]] * repeats
    if "p" not in dataset or folding.get("strategy") != "stratified_sklearn":
        return []
    folds = stratified_folds(dataset["p"], dataset["n"], folding["n_folds"])
    return [(part.positives, part.negatives) for part in folds for _ in range(part.count)] * repeats


def peer_parts(kind: str, setup: dict[str, Any]) -> tuple[EqualParts, ...]:
    """A peer's experiment as parts; none where it cannot be told from the file alone."""
    if any(key.endswith("bounds") for key in json.dumps(setup).split('"')):
        return ()
    if kind == "check_1_dataset_known_folds_mos":
        return tuple(EqualParts(*fold) for fold in peer_folds(setup["dataset"], setup["folding"]))
    if kind == "check_n_testsets_mos_no_kfold":
        return tuple(EqualParts(each["p"], each["n"]) for each in setup["testsets"])
    if kind == "check_n_datasets_mos_known_folds_mos":
        # A mean of means: a fold weighs less the more folds its data set has.
        dealt = [peer_folds(each["dataset"], each["folding"]) for each in setup["evaluations"]]
        if not all(dealt):
            return ()
        return tuple(EqualParts(*fold, weight=Fraction(1, len(folds))) for folds in dealt for fold in folds)
    return ()


@needs(PEER_CASES)
def test_the_peers_own_calls_have_the_peers_verdict() -> None:
    """To its half-width the peer adds 1e-6; with that added here too, no verdict differs on scores that it looks at."""
    checked = 0
    for case in json.loads(PEER_CASES.read_text())["cases"]:
        parts = peer_parts(case["kind"].split(".")[-1], case["setup"])
        if not parts or not set(case["scores"]) <= {"acc", "sens", "spec", "bacc"}:
            continue
        room = Fraction(str(case["eps"])) + Fraction(1, 10**6)
        means = tuple(
            (metric(PEER_NAMES[name]), Reported("", Fraction(str(value)) - room, Fraction(str(value)) + room))
            for name, value in case["scores"].items()
        )
        assert (decide(MeansReport(parts, means)).verdict == "impossible") == case["peer_verdict"], case["id"]
        checked += 1
    assert checked == 24


@needs(PEER_FAULTS)
def test_the_peers_faults_about_folds() -> None:
    """Each report of known or unknown folds that the peer gets wrong, with the true verdict as the file tells it."""
    faults = [fault for fault in json.loads(PEER_FAULTS.read_text()) if fault["call"].startswith("check_1_dataset")]
    faults = [fault for fault in faults if fault["call"].endswith("known_folds_mos")]
    verdicts = [fault_verdict(fault) for fault in faults]
    assert verdicts == [
        "impossible",  # 37/126 does not round to 0.2936
        "possible", "possible", "possible", "possible",  # recall alone, specificity alone, an eps each, five digits
        "impossible", "impossible",  # accuracy 1 with precision 0.1, an F1 of 7
        "impossible",  # bounds on scores of every fold that are not reported
        "possible",  # 2/3 is 0.67 rounded
        "possible", "possible",  # a fold without positives is left out, in either order
        "possible", "possible",  # unknown folds, under either name
        "impossible",  # scikit-learn since 0.22 deals (2, 1), (1, 2)
    ]  # fmt: skip


def fault_verdict(fault: dict[str, Any]) -> str:
    arguments = {name: ast.literal_eval(text) for name, text in fault["arguments"].items()}
    scores, eps = arguments["scores"], arguments["eps"]
    rooms = eps if isinstance(eps, dict) else dict.fromkeys(scores, eps)
    means = tuple((metric(PEER_NAMES[name]), around(value, rooms[name])) for name, value in scores.items())
    each = tuple(
        (metric(PEER_NAMES[name]), Reported("", Fraction(str(low)) - half, Fraction(str(high)) + half))
        for name, (low, high) in arguments.get("fold_score_bounds", {}).items()
        for half in [Fraction(1, 200)]
    )
    dataset, folding = arguments["dataset"], arguments["folding"]
    folds = peer_folds(dataset, folding)
    undefined: Any = "excluded" if any(0 in fold for fold in folds) else "zero" if not folds else "none"
    if folds:
        return decide(
            MeansReport(tuple(EqualParts(*fold) for fold in folds), means, read_convention(undefined), each)
        ).verdict
    parts = open_folds(dataset["p"] + dataset["n"], folding["n_folds"])
    return decide(MeansReport(parts, means, read_convention(undefined), each, positives=dataset["p"])).verdict


def around(value: float, room: float) -> Reported:
    return Reported("", Fraction(str(value)) - Fraction(str(room)), Fraction(str(value)) + Fraction(str(room)))


@pytest.mark.parametrize("folds", [2, 3, 5, 7, 10])
def test_stratified_folds_are_those_of_scikit_learn(folds: int) -> None:
    selection = pytest.importorskip("sklearn.model_selection")
    np = pytest.importorskip("numpy")
    for positives in range(folds, 3 * folds + 2, 2):
        for negatives in range(folds, 4 * folds, 3):
            truth = np.array([1] * positives + [0] * negatives)
            for labels in (truth, truth[::-1]):
                dealt = [
                    (int(labels[test].sum()), int((1 - labels[test]).sum()))
                    for _, test in selection.StratifiedKFold(folds).split(labels, labels)
                ]
                ours = [
                    (part.positives, part.negatives)
                    for part in stratified_folds(positives, negatives, folds)
                    for _ in range(part.count)
                ]
                assert sorted(ours) == sorted(dealt)


def test_gaussian_naive_bayes_on_breast_cancer_in_ten_folds() -> None:
    """Means that scikit-learn printed: impossible for one table, possible for ten stratified folds."""
    claims = {"accuracy": "0.9384", "precision": "0.9392", "recall": "0.9663", "f1": "0.9518"}
    means = tuple((metric(name), Reported.read(text)) for name, text in claims.items())
    report = MeansReport(stratified_folds(357, 212, 10), means, read_convention("zero"))
    decision = decide(report)
    assert decision.verdict == "possible"
    assert decision.witness is not None
    assert report.holds(decision.witness)
    assert decide(MeansReport((EqualParts(357, 212),), means, read_convention("zero"))).verdict == "impossible"
