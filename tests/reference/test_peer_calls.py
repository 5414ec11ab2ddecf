"""Every kind of call of mlscorecheck, the nearest peer, as it is expressed here; where verdicts differ, why.

The calls are those of its own documentation and tests. To its half-width the peer adds 1e-6, and so do the intervals
here. Sizes of the data that it only names come from the package itself, where it is installed.
"""

from __future__ import annotations

import ast
import importlib
import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import fourfold as ff
from fourfold.errors import InputError
from fourfold.solve.experiment import stratified_folds
from fourfold.solve.whole_sums import Line, solved

from ..conftest import SHARED, needs

CASES, FAULTS = SHARED / "oracle" / "peer_cases.json", SHARED / "oracle" / "peer_faults.json"
#: What the peer looks at where scores are means; it passes others over.
LINEAR = ("acc", "sens", "spec", "bacc")
ROOM = Fraction(1, 10**6)

Folds = list[tuple[int, int]]


def cases_of(kind: str) -> list[dict[str, Any]]:
    return [case for case in json.loads(CASES.read_text())["cases"] if case["kind"] == kind]


def interval(value: float, room: Fraction) -> str:
    centre = Fraction(str(value))
    return f"[{float(centre - room)!r}, {float(centre + room)!r}]"


def texts(case: dict[str, Any], names: tuple[str, ...] | None = None) -> dict[str, str]:
    """The scores as intervals; those with a beta under the name of that beta."""
    room = Fraction(str(case["eps"])) + ROOM
    scores = {name: value for name, value in case["scores"].items() if not name.startswith("beta_")}
    named = {
        {"fbp": f"f{case['scores'].get('beta_positive')}", "fbn": ""}.get(name, name): interval(value, room)
        for name, value in scores.items()
        if names is None or name in names
    }
    named.pop("", None)
    return named


def impossible(**asked: Any) -> bool:
    """Whether a report is proven to be impossible; none of these may be left undecided."""
    try:
        verdict = ff.recover(**{"bounds": "none", "folds": "none", **asked}).verdict
    except InputError as error:
        assert error.code == "out_of_range", error
        return True
    assert verdict != "undecided", asked
    return verdict == "impossible"


def sized(dataset: dict[str, Any]) -> tuple[int, int]:
    """Positives and negatives of a data set, by the peer's own list where it is only named."""
    if dataset.get("p") is None:
        dataset = pytest.importorskip("mlscorecheck.experiments").dataset_statistics[dataset["dataset_name"]]
    return dataset["p"], dataset["n"]


def dealt(evaluation: dict[str, Any]) -> Folds:
    """The folds of a data set, repeats included."""
    folding = evaluation["folding"]
    repeats = folding.get("n_repeats", 1)
    if folding.get("folds"):
        return [(fold["p"], fold["n"]) for fold in folding["folds"]] * repeats
    p, n = sized(evaluation["dataset"])
    parts = stratified_folds(p, n, folding["n_folds"])
    return [(part.positives, part.negatives) for part in parts for _ in range(part.count)] * repeats


def together(evaluation: dict[str, Any]) -> tuple[int, int]:
    """The positives and negatives of all folds of a data set, repeats included."""
    folding = evaluation["folding"]
    if folding.get("folds"):
        folds = dealt(evaluation)
        return sum(p for p, _ in folds), sum(n for _, n in folds)
    p, n = sized(evaluation["dataset"])
    return p * folding.get("n_repeats", 1), n * folding.get("n_repeats", 1)


def bounds_of(setup: dict[str, Any], key: str) -> dict[str, Any]:
    each = {name: f"[{low}, {high}]" for name, (low, high) in (setup.get(key) or {}).items()}
    return {"each": each} if each else {}


def one_test_set(case: dict[str, Any]) -> bool:
    testset = case["setup"]["testset"]
    return impossible(positives=testset["p"], negatives=testset["n"], undefined="none", **texts(case))


def folds_means(case: dict[str, Any]) -> bool:
    each = bounds_of(case["setup"], "fold_score_bounds")
    return impossible(folds=dealt(case["setup"]), over="mean", undefined="none", **each, **texts(case, LINEAR))


def sets_pooled(case: dict[str, Any]) -> bool:
    sets = [(one["p"], one["n"]) for one in case["setup"]["testsets"]]
    return impossible(sets=sets, over="pooled", undefined="none", **texts(case))


def sets_means(case: dict[str, Any]) -> bool:
    sets = [(one["p"], one["n"]) for one in case["setup"]["testsets"]]
    each = bounds_of(case["setup"], "testset_score_bounds")
    return impossible(sets=sets, over="mean", undefined="none", **each, **texts(case, LINEAR))


def folds_pooled(case: dict[str, Any]) -> bool:
    p, n = together(case["setup"])
    return impossible(positives=p, negatives=n, undefined="none", **texts(case))


def data_sets_pooled(case: dict[str, Any]) -> bool:
    sets = [together(each) for each in case["setup"]["evaluations"]]
    return impossible(sets=sets, over="pooled", undefined="none", **texts(case))


def means_of_pooled(case: dict[str, Any]) -> bool:
    sets = [together(each) for each in case["setup"]["evaluations"]]
    each = bounds_of(case["setup"], "dataset_score_bounds")
    return impossible(sets=sets, over="mean", undefined="none", **each, **texts(case, LINEAR))


def means_of_means(case: dict[str, Any]) -> bool:
    """A mean of means: a fold weighs less the more folds its data set has."""
    rows = [
        {"positives": p, "negatives": n, "weight": Fraction(1, len(folds))}
        for folds in map(dealt, case["setup"]["evaluations"])
        for p, n in folds
    ]
    return impossible(sets=rows, over="mean", undefined="none", **texts(case, LINEAR))


def unknown_folds(case: dict[str, Any]) -> bool:
    """Folds of known sizes and unknown make-up; one fold is the data set itself."""
    (p, n), folding = sized(case["setup"]["dataset"]), case["setup"]["folding"]
    repeats, scores = folding.get("n_repeats", 1), texts(case, LINEAR)
    asked = {"over": "mean", "undefined": "zero", "repeats": repeats, **scores}
    if folding["n_folds"] == 1:
        return impossible(**{**asked, "repeats": 1}, sets=[(p, n)] * repeats)
    return impossible(positives=p, negatives=n, folds=f"{folding['n_folds']} unstratified", **asked)


def means_of_unknown_folds(case: dict[str, Any]) -> bool:
    """Several data sets with folds of unknown make-up."""
    rows = []
    for evaluation in case["setup"]["evaluations"]:
        p, n = sized(evaluation["dataset"])
        row: dict[str, Any] = {"positives": p, "negatives": n}
        if evaluation["folding"]["n_folds"] > 1:
            row["folds"] = f"{evaluation['folding']['n_folds']} unstratified"
        rows.append(row)
    return impossible(sets=rows, over="mean", undefined="zero", **texts(case, LINEAR))


BINARY: dict[str, Callable[[dict[str, Any]], bool]] = {
    "check_1_testset_no_kfold": one_test_set,
    "check_1_dataset_known_folds_mos": folds_means,
    "check_n_testsets_som_no_kfold": sets_pooled,
    "check_n_testsets_mos_no_kfold": sets_means,
    "check_1_dataset_kfold_som": folds_pooled,
    "check_n_datasets_som_kfold_som": data_sets_pooled,
    "check_n_datasets_mos_kfold_som": means_of_pooled,
    "check_n_datasets_mos_known_folds_mos": means_of_means,
    "check_1_dataset_unknown_folds_mos": unknown_folds,
    "check_n_datasets_mos_unknown_folds_mos": means_of_unknown_folds,
}


@needs(CASES)
@pytest.mark.parametrize("kind", BINARY)
def test_calls_about_two_classes(kind: str) -> None:
    """No verdict differs on scores that the peer looks at."""
    cases = cases_of(f"binary.{kind}")
    assert cases
    for case in cases[: 2 if "unknown" in kind else 6]:
        assert BINARY[kind](case) == case["peer_verdict"], case["id"]


def class_folds(setup: dict[str, Any]) -> list[list[int]]:
    """The sizes of the classes in each fold, repeats included; one fold where nothing says how they were dealt."""
    if "testset" in setup:
        return [list(setup["testset"].values())]
    folding = setup["folding"]
    repeats = folding.get("n_repeats", 1)
    if folding.get("folds"):
        return [list(fold.values()) for fold in folding["folds"]] * repeats
    labels = [c for c, n in enumerate(setup["dataset"].values()) for _ in range(n)]
    number = folding["n_folds"]
    return [[labels[i::number].count(c) for c in range(len(setup["dataset"]))] for i in range(number)] * repeats


def pooled_classes(setup: dict[str, Any]) -> list[int]:
    return [sum(own) for own in zip(*class_folds(setup), strict=True)]


def micro(case: dict[str, Any]) -> bool:
    """Micro scores are those of one table: n cases of their own class, (k - 1) n of others, as many fp as fn."""
    sizes = pooled_classes(case["setup"])
    total = sum(sizes)
    asked = {"positives": total, "negatives": (len(sizes) - 1) * total, "predicted_positives": total}
    return impossible(**asked, undefined="none", **texts(case))


def means_of_micro(case: dict[str, Any]) -> bool:
    """Over folds micro scores that are linear follow from the mean of one: the share of right answers."""
    folds = class_folds(case["setup"])
    k, room = len(folds[0]), Fraction(str(case["eps"])) + ROOM
    # Each score as a + b times the share of right answers: accuracy is that of one class against the rest.
    lines = {"sens": (0, 1), "ppv": (0, 1), "acc": (1 - Fraction(2, k), Fraction(2, k))}
    lines["spec"] = lines["npv"] = (1 - Fraction(1, k - 1), Fraction(1, k - 1))
    lines["bacc"] = (lines["spec"][0] / 2, (1 + lines["spec"][1]) / 2)
    ends = [
        ((Fraction(str(value)) - room - a) / b, (Fraction(str(value)) + room - a) / b)
        for name, value in case["scores"].items()
        if name in lines
        for a, b in [lines[name]]
    ]
    low, high = max(end[0] for end in ends), min(end[1] for end in ends)
    if low > high:
        return True
    return impossible(sets=[(sum(fold), 0) for fold in folds], over="mean", recall=f"[{float(low)!r}, {float(high)!r}]")


def macro(case: dict[str, Any]) -> bool:
    """Macro scores of classes; the peer's accuracy is that of each class against the rest, on average."""
    names = {"acc": "macro_accuracy", "sens": "macro_recall", "spec": "macro_specificity"}
    scores = {names[name]: text for name, text in texts(case, tuple(names)).items()}
    return impossible(classes=pooled_classes(case["setup"]), undefined="none", **scores)


def means_of_macro(case: dict[str, Any]) -> bool:
    """Over folds linear macro scores are lines through tp and fp of each class in each fold, with whole numbers."""
    folds = class_folds(case["setup"])
    k, count = len(folds[0]), len(folds) * len(folds[0])
    places = [(f, c) for f in range(len(folds)) for c in range(k)]
    ranges = [end for f, c in places for end in ((0, folds[f][c]), (0, sum(folds[f]) - folds[f][c]))]
    room = Fraction(str(case["eps"])) + ROOM

    def line(weights: Callable[[int, int, int], tuple[Fraction, Fraction]], constant: Fraction, value: float) -> Line:
        factors = [x for f, c in places for x in weights(f, folds[f][c], sum(folds[f]))]
        return Line(tuple(factors), Fraction(str(value)) - room - constant, Fraction(str(value)) + room - constant)

    def recall(f: int, n: int, total: int) -> tuple[Fraction, Fraction]:
        return Fraction(1, n * count), Fraction(0)

    def specificity(f: int, n: int, total: int) -> tuple[Fraction, Fraction]:
        return Fraction(0), Fraction(-1, (total - n) * count)

    def accuracy(f: int, n: int, total: int) -> tuple[Fraction, Fraction]:
        return Fraction(1, total * count), Fraction(-1, total * count)

    others = sum((Fraction(sum(folds[f]) - folds[f][c], sum(folds[f]) * count) for f, c in places), Fraction(0))
    known = {"sens": (recall, Fraction(0)), "spec": (specificity, Fraction(1)), "acc": (accuracy, others)}
    lines = [line(*known[name], case["scores"][name]) for name in known if name in case["scores"]]
    for f, fold in enumerate(folds):
        # Who is wrong is wrongly told to be of another class: fp and fn add up to the same, and none to its own class.
        ones = [Fraction(own == f) for own, _ in places for _ in range(2)]
        lines.append(Line(tuple(ones), Fraction(sum(fold)), Fraction(sum(fold))))
        for c in range(k):
            kept = [Fraction(own == f and (d != c if i == 0 else d == c)) for own, d in places for i in range(2)]
            lines.append(Line(tuple(kept), None, Fraction(sum(fold) - fold[c])))
    found = solved(lines, ranges)
    assert found is not None
    return found is False


MULTICLASS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "check_1_testset_no_kfold_micro": micro,
    "check_1_dataset_known_folds_som_micro": micro,
    "check_1_dataset_known_folds_mos_micro": means_of_micro,
    "check_1_testset_no_kfold_macro": macro,
    "check_1_dataset_known_folds_som_macro": macro,
    "check_1_dataset_known_folds_mos_macro": means_of_macro,
}


@needs(CASES)
@pytest.mark.parametrize("kind", MULTICLASS)
def test_calls_about_several_classes(kind: str) -> None:
    """No verdict differs on scores that the peer looks at, though it takes the classes apart and we do not."""
    cases = cases_of(f"multiclass.{kind}")
    assert cases
    for case in cases[:2]:
        assert MULTICLASS[kind](case) == case["peer_verdict"], case["id"]


@needs(CASES)
def test_calls_about_regressions() -> None:
    cases = cases_of("regression.check_1_testset_no_kfold")
    assert len(cases) == 12
    for case in cases:
        scores = texts(case)
        variance = f"={Fraction(str(case['setup']['var']))}"
        found = ff.recover_regression(n=case["setup"]["n_samples"], variance=variance, **scores)  # type: ignore[arg-type]
        assert (found.verdict == "impossible") == case["peer_verdict"], case["id"]


def asked_here(monkeypatch: pytest.MonkeyPatch, module: Any) -> None:
    """Let a bundle of the peer, which knows the sizes of public data, ask us in place of its own functions."""

    def answer(kind: str, **given: Any) -> dict[str, Any]:
        setup = {name: value for name, value in given.items() if name not in ("scores", "eps")}
        return {"inconsistency": BINARY[kind]({"setup": setup, "scores": given["scores"], "eps": given["eps"]})}

    for kind in BINARY:
        if hasattr(module, kind):
            monkeypatch.setattr(module, kind, lambda kind=kind, **given: answer(kind, **given))


@needs(CASES)
def test_bundles_of_public_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """Images of eyes and skin, and recordings of births: their sizes are the peer's, the verdicts are ours."""
    pytest.importorskip("mlscorecheck", reason="needs the peer, which has the sizes")
    kinds = dict.fromkeys(
        case["kind"] for case in json.loads(CASES.read_text())["cases"] if case["kind"].startswith("bundles.")
    )
    assert len(kinds) == 17
    for kind in kinds:
        _, room, name = kind.split(".")
        function = getattr(importlib.import_module(f"mlscorecheck.check.bundles.{room}"), name)
        asked_here(monkeypatch, importlib.import_module(function.__module__))
        for case in cases_of(kind)[:1]:
            told = function(**case["setup"], scores=case["scores"], eps=case["eps"])["inconsistency"]
            assert told == case["peer_verdict"], (kind, case["id"])


@needs(FAULTS)
def test_the_peers_faults_about_classes_and_regressions() -> None:
    """Each report that the peer gets wrong, with the true verdict; those about folds are in `test_means_oracle`."""
    verdicts = []
    for fault in json.loads(FAULTS.read_text()):
        given = {name: ast.literal_eval(text) for name, text in fault["arguments"].items()}
        if fault["call"] == "check_1_testset_no_kfold":
            verdicts.append(_regression(given))
        elif "testset" in given:
            verdicts.append(_classes(given))
        elif fault["call"].endswith("_macro"):
            # Nothing says how nine cases were dealt: of one error in the fold of five, the share of cases that are
            # rightly of a class or not is (13/15 + 1) / 2.
            parts = [(5, 10), (4, 8)]
            assert not impossible(sets=parts, over="mean", accuracy=interval(0.9333, Fraction(1, 10**4)))
            verdicts.append("possible")
    assert verdicts == [
        "impossible", "impossible",  # no error, so specificity is 1: macro and micro
        "possible",  # 8 of 10 right in each of three classes
        "possible",  # folds of five and four
        "impossible",  # an F1 of 3
        "impossible", "impossible", "impossible", "impossible",  # rmse 5 beside mse 1; r2 is 0.99; rmse at most 2 mae; mae -3
        "impossible",  # an eps for each score: rmse is at most 2 mae
    ]  # fmt: skip


def _regression(given: dict[str, Any]) -> str:
    rooms = given["eps"] if isinstance(given["eps"], dict) else dict.fromkeys(given["scores"], given["eps"])
    scores: Any = {name: interval(value, Fraction(str(rooms[name]))) for name, value in given["scores"].items()}
    try:
        return ff.recover_regression(n=given["n_samples"], variance=f"={given['var']}", **scores).verdict
    except InputError as error:
        assert error.code == "out_of_range"
        return "impossible"


def _classes(given: dict[str, Any]) -> str:
    """Accuracy is the usual one here; micro specificity follows from it, and with it from recall."""
    names = {"acc": "accuracy", "sens": "macro_recall", "spec": "macro_specificity", "f1p": "macro_f1"}
    room = Fraction(str(given["eps"]))
    scores = {names[name]: interval(value, room) for name, value in given["scores"].items()}
    sizes = list(given["testset"].values())
    return "impossible" if impossible(classes=sizes, undefined="none", **scores) else "possible"
