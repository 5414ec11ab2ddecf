"""Aguilar-Ruiz's Tables 1 to 6: four classifiers on 21 data sets, ten folds each.

The paper does not say its protocol; this one was found by trying: stratified folds, shuffled with seed 0, no scaling,
every column the mean of the folds' values, an undefined part counted as 0, the first maximum predicted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fourfold import InputError, Note, decompose
from fourfold.certainty import imcp
from fourfold.errors import verbatim
from fourfold.metrics import ACCURACY
from fourfold.words import decimals

from .outcome import Agreement, Part, Reproduction, Statement
from .paper import Paper, agrees, compared
from .running import run_all
from .sets import DataSet, find_sets, require_sklearn, set_names

_PAPER: Final = Paper("certainty")
_FOLDS: Final = 10
#: The columns of the paper's tables.
COLUMNS: Final = ("hard", "soft", "certain", "uncertain", "divergence", "ratio", "imcp")
# These two are printed in per cent.
_PERCENT: Final = frozenset({"divergence", "ratio"})
_NEIGHBOURS, _BAYES, _TREE, _FOREST = "3-nearest neighbours", "naive Bayes", "decision tree", "random forest"
_TABLES: Final = {"Table 2": _NEIGHBOURS, "Table 3": _BAYES, "Table 4": _TREE, "Table 5": _FOREST}
_SUMMARY: Final = "Table 6"
_MEAN: Final = "Mean"

Numbers: TypeAlias = dict[str, Any]
#: Numbers by data set and classifier.
Results: TypeAlias = dict[tuple[str, str], Numbers]


def reproduce_certainty(
    data: str | Path | None = None, *, kept: str | Path | None = None, sets: Sequence[str] | None = None, **options: Any
) -> Reproduction:
    """Do the experiments of Aguilar-Ruiz (2024) again; data sets that cannot be had are named in a note."""
    require_sklearn()
    usable, others = find_sets(set_names(_PAPER.name, sets), data, kept)
    problems = "; ".join(f"{name}: {problem}" for name, problem in others.items())
    if not usable:
        hint = "name the folder that has them"
        raise InputError("no_file", "data", "none of the data sets can be used", verbatim(problems), hint)
    pairs = product(usable, _TABLES.values())
    calls = {f"{model} on {data_set.name}, {data_set.mark}": (_one, data_set, model) for data_set, model in pairs}
    numbers = run_all(calls, name=_PAPER.name, **options)
    results = {(data_set.name, model): numbers[name] for name, (_, data_set, model) in calls.items()}
    whole = len(usable) == len(set_names(_PAPER.name))
    means = _means(results) if whole else {}
    columns = {data_set.name: data_set._asdict() for data_set in usable}
    verdict: Agreement = "reproduced" if whole else "in part"
    parts = [
        _PAPER.part("Table 1", verdict, {"count": len(usable)}, _beside("Table 1", columns)),
        *(_table(place, results, means) for place in _TABLES),
        _judged(_SUMMARY, _beside(_SUMMARY, means), whole=True) if means else _PAPER.part("no means", "not reproduced"),
    ]
    notes = [Note("sets_missing", f"left out: {problems}", {"sets": list(others)})] if others else []
    return _PAPER.reproduction(parts, _statements(results, means), notes)


def _models() -> dict[str, Callable[[], Any]]:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    return {
        _NEIGHBOURS: lambda: KNeighborsClassifier(n_neighbors=3),
        _BAYES: GaussianNB,
        _TREE: lambda: DecisionTreeClassifier(random_state=0),
        _FOREST: lambda: RandomForestClassifier(n_estimators=100, random_state=0),
    }


def _one(data: DataSet, model: str) -> Numbers:
    features, target = data.numbers()
    _, times = np.unique(features, axis=0, return_counts=True)
    return fold_means(features, target, _models()[model]) | {"repeated": int(times[times > 1].sum())}


def fold_means(features: NDArray[Any], target: NDArray[Any], make: Callable[[], Any]) -> Numbers:
    """Return the mean over ten folds of each column of the paper's tables.

    Beside them stand the ratio of all folds taken together, None where undefined, and the number of folds without one.
    """
    from sklearn.model_selection import StratifiedKFold

    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=0)
    sums = dict.fromkeys(COLUMNS, 0.0)
    undefined, all_truth, all_rows = 0, [], []
    for train, test in folds.split(features, target):
        model = make().fit(features[train], target[train])
        rows = model.predict_proba(features[test])
        labels = model.classes_.tolist()
        split = decompose(target[test], rows, labels)
        ratio = split.ratio(ACCURACY, convention="paper")
        numbers = {name: getattr(ratio, name) or 0.0 for name in ("hard", "soft", "certain", "uncertain")}
        numbers |= {"divergence": split.divergence, "ratio": ratio.value or 0.0}
        numbers["imcp"] = imcp(target[test], rows, labels).area
        sums = {name: sums[name] + numbers[name] / _FOLDS for name in COLUMNS}
        undefined += split.ratio(ACCURACY).value is None
        all_truth.append(target[test])
        all_rows.append(rows)
    pooled = decompose(np.concatenate(all_truth), np.concatenate(all_rows), labels).ratio(ACCURACY).value
    return sums | {"pooled": pooled, "undefined": undefined}


def _means(results: Results) -> dict[str, Numbers]:
    """Return the mean of each column over the data sets, by classifier."""
    return {
        model: {
            name: fmean(numbers[name] for (_, its_model), numbers in results.items() if its_model == model)
            for name in COLUMNS
        }
        for model in _TABLES.values()
    }


def _beside(place: str, numbers: Mapping[str, Numbers]) -> list[Numbers]:
    """Return records of what is printed at a place, of the rows that there are numbers for."""
    return [
        compared(row, column, value, numbers[row][column] * (100 if column in _PERCENT else 1))
        for (row, column), value in _PAPER.printed(place).items()
        if row in numbers
    ]


def _table(place: str, results: Results, means: Mapping[str, Numbers]) -> Part:
    model = _TABLES[place]
    rows = {name: numbers for (name, its_model), numbers in results.items() if its_model == model}
    records = _beside(place, rows | ({_MEAN: means[model]} if means else {}))
    part = _judged(place, records, whole=len(records) == len(_PAPER.printed(place)))
    far = dict.fromkeys(record["row"] for record in records if _is_far(record) and record["row"] != _MEAN)
    twins = [rows[row]["repeated"] for row in far]
    if model != _NEIGHBOURS or not twins or not all(twins):
        return part
    words = (
        part.words + ". Of their rows {twins} occur more than once; which of equally near neighbours counts depends on"
        " the order of rows, and that may be why"
    )
    return replace(part, words=words, numbers={**part.numbers, "twins": " and ".join(map(str, twins))})


def _judged(place: str, records: Sequence[dict[str, Any]], *, whole: bool) -> Part:
    """Return a table with its verdict: one unit of the last digit counts as reproduced, and has a note."""
    off = [record for record in records if not record["agrees"]]
    far = [record for record in off if _is_far(record)]
    words = "" if whole else "; data sets are missing"
    numbers: dict[str, Any] = {"agree": len(records) - len(off), "of": len(records)}
    if len(off) > len(far):
        words += "; off by one in the last digit, as other versions of a library may be: {near}"
        numbers["near"] = _named(record for record in off if record not in far)
    if far:
        words += "; off by more: {far}"
        numbers["far"] = _named(far)
    verdict: Agreement = "differs" if far else "reproduced" if whole else "in part"
    part = _PAPER.part(place, verdict, numbers, records)
    return replace(part, words=part.words + words)


def _is_far(record: dict[str, Any]) -> bool:
    """Tell whether a number is off by more than one in the last printed digit."""
    unit = 10.0 ** -decimals(record["paper"])
    return bool(abs(record["found"] - float(record["paper"])) > 1.5 * unit)


def _named(records: Iterable[dict[str, Any]]) -> str:
    return ", ".join(f"{record['row']} ({record['column']})" for record in records)


def _statements(results: Results, means: Mapping[str, Numbers]) -> Iterator[Statement]:
    """Yield what section 7 says of the tables; it can be judged only where all data sets are there."""
    pairs = [numbers for numbers in results.values() if numbers["soft"] != numbers["hard"]]
    closer = sum(abs(pair["imcp"] - pair["soft"]) < abs(pair["imcp"] - pair["hard"]) for pair in pairs)
    yield _PAPER.statement("closer", closer == len(pairs) if means else None, {"closer": closer, "pairs": len(pairs)})
    yield _on_tree(results, whole=bool(means))
    if means:
        yield from _on_means(means)


def _on_tree(results: Results, *, whole: bool) -> Statement:
    of_tree = [numbers for (_, model), numbers in results.items() if model == _TREE]
    empty = sum(numbers["undefined"] == _FOLDS for numbers in of_tree)
    rest = [numbers["pooled"] for numbers in of_tree if numbers["pooled"] is not None]
    words, numbers = "", {"empty": empty, "sets": len(of_tree)}
    if rest:
        words = "; where there is one, the ratio of all folds together is {ratio} on average, data sets: {others}"
        numbers |= {"others": len(rest), "ratio": fmean(rest)}
    return _PAPER.statement("robust tree", False if whole and empty > len(of_tree) / 2 else None, numbers, others=words)


def _on_means(means: Mapping[str, Numbers]) -> Iterator[Statement]:
    for key, model, column in (("highest accuracy", _FOREST, "hard"), ("largest area", _TREE, "imcp")):
        mean, best_other = means[model][column], max(means[other][column] for other in means if other != model)
        yield _PAPER.statement(key, mean > best_other, {"own": mean, "next": best_other})
    printed = _PAPER.printed("§7")[_NEIGHBOURS, "divergence"]
    value = 100 * means[_NEIGHBOURS]["divergence"]
    yield _PAPER.statement("divergence in the text", agrees(printed, value), {"said": printed, "value": value})
    table, summary = _PAPER.printed("Table 4")[_MEAN, "divergence"], _PAPER.printed(_SUMMARY)[_TREE, "divergence"]
    numbers = {"table": table, "summary": summary, "value": 100 * means[_TREE]["divergence"]}
    yield _PAPER.statement("divergence in the tables", table == summary, numbers)
