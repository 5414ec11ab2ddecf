"""Every kind of call of mlscorecheck, the nearest peer, as it is expressed here; where verdicts differ, why.

The calls are those of its own documentation and tests. To its half-width the peer adds 1e-6, and so do the intervals
here. Sizes of the data that it only names come from the package itself, where it is installed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import pytest

import fourfold as ff
from fourfold.errors import InputError
from fourfold.space.experiment import stratified_folds

from ..conftest import SHARED

CASES, FAULTS = SHARED / "oracle" / "peer_cases.json", SHARED / "oracle" / "peer_faults.json"
#: What the peer looks at where scores are means; it passes others over.
LINEAR = ("acc", "sens", "spec", "bacc")
ROOM = Fraction(1, 10**6)
#: Cases of one kind of a bundle that are run: they differ in numbers only.
FEW = 3

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
        verdict = ff.recover(**{"bounds": "none", **asked}).verdict
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


def splits(evaluation: dict[str, Any]) -> Iterator[Folds]:
    """All ways to deal the positives of a data set to folds of known sizes; a repeat is dealt anew."""
    p, n = sized(evaluation["dataset"])
    folds, repeats = evaluation["folding"]["n_folds"], evaluation["folding"].get("n_repeats", 1)
    sizes = [(p + n) // folds + (i < (p + n) % folds) for i in range(folds)]
    once = [
        [(own, size - own) for own, size in zip(chosen, sizes, strict=True)]
        for chosen in product(*(range(min(p, size) + 1) for size in sizes))
        if sum(chosen) == p
    ]
    once.sort(key=lambda parts: max(own for own, _ in parts) - min(own for own, _ in parts))
    for several in combinations_with_replacement(once, repeats):
        yield [part for parts in several for part in parts]


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
    """Several data sets with folds of unknown make-up: every way to deal them is asked about until one is possible."""
    for ways in product(*map(splits, case["setup"]["evaluations"])):
        rows = [{"positives": p, "negatives": n, "weight": Fraction(1, len(folds))} for folds in ways for p, n in folds]
        if not impossible(sets=rows, over="mean", undefined="zero", **texts(case, LINEAR)):
            return False
    return True


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
