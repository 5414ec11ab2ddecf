"""Aguilar-Ruiz's Tables 1 to 6: four classifiers on 21 data sets, ten folds each.

The paper does not say its protocol; this one was found by trying: stratified folds, shuffled with seed 0, no scaling,
every column the mean of the folds' values, an undefined part counted as 0, the first maximum predicted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..certainty import decompose, imcp
from ..errors import InputError, Note, verbatim
from ..metrics import SPLIT
from .outcome import Part, Reproduction, Statement, Verdict, compared, decimals_of, printed
from .running import done
from .sets import DataSet, chosen, found, needed

_PAPER: Final = "certainty"
_TITLE: Final = (
    "J. S. Aguilar-Ruiz (2024), The Certainty Ratio: A Novel Metric for Assessing the Reliability of Classifier"
    " Predictions"
)
_FOLDS: Final = 10
#: The columns of the paper's tables.
COLUMNS: Final = ("hard", "soft", "certain", "uncertain", "divergence", "ratio", "imcp")
# These two are printed in percent.
_PERCENT: Final = frozenset({"divergence", "ratio"})
_TABLES: Final = {
    "Table 2": "3-nearest neighbours",
    "Table 3": "naive Bayes",
    "Table 4": "decision tree",
    "Table 5": "random forest",
}
_NEIGHBOURS: Final = "Table 2"
_SUMMARY: Final = "Table 6"
_MEAN: Final = "Mean"

Numbers = dict[str, Any]
Found = dict[tuple[str, str], Numbers]


def reproduce_certainty(
    data: str | Path | None = None,
    *,
    kept: str | Path | None = None,
    sets: Sequence[str] | None = None,
    output: str | Path | None = None,
    n_jobs: int = 1,
    progress: Callable[[float], None] | None = None,
) -> Reproduction:
    """Do the experiments of Aguilar-Ruiz (2024) again.

    Parameters
    ----------
    data
        The folder with a parquet file for each data set: features, and a column called target.
    kept
        A folder to keep what is fetched from OpenML; nothing is fetched where it is left out.
    sets
        Names of data sets; all when left out. Sets that cannot be had are named in a note.
    output
        A folder for what was found so far: a run that was stopped goes on from there.
    n_jobs
        How many processes work at it, through joblib.
    progress
        Called with the share that is done.
    """
    needed()
    usable, others = found(chosen(_PAPER, sets), data, kept)
    if not usable:
        why = verbatim("; ".join(f"{name}: {problem}" for name, problem in others.items()))
        raise InputError("no_file", "data", "none of the data sets can be used", why, "name the folder that has them")
    jobs = {
        f"{model} on {each.name}, {each.mark}": (_one, each, model) for each in usable for model in _TABLES.values()
    }
    numbers = done(jobs, output=output, name="certainty", n_jobs=n_jobs, progress=progress)
    results = {(each.name, model): numbers[job] for job, (_, each, model) in jobs.items()}
    whole = len(usable) == len(chosen(_PAPER, None))
    means = _means(results) if whole else {}
    parts = [_sets_table(usable, whole), *(_table(place, results, means) for place in _TABLES), _summary(means)]
    return Reproduction("certainty", _TITLE, tuple(parts), tuple(_statements(results, means)), tuple(_notes(others)))


def _notes(others: Mapping[str, str]) -> Iterator[Note]:
    if others:
        words = "; ".join(f"{name}: {problem}" for name, problem in others.items())
        yield Note("sets_missing", f"left out: {words}", {"sets": list(others)})


def _models() -> dict[str, Callable[[], Any]]:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    makers = (
        lambda: KNeighborsClassifier(n_neighbors=3),
        GaussianNB,
        lambda: DecisionTreeClassifier(random_state=0),
        lambda: RandomForestClassifier(n_estimators=100, random_state=0),
    )
    return dict(zip(_TABLES.values(), makers, strict=True))


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
        found = decompose(target[test], rows, labels)
        ratio = found.ratio(SPLIT[0], convention="paper")
        numbers = {name: getattr(ratio, name) or 0.0 for name in ("hard", "soft", "certain", "uncertain")}
        numbers |= {"divergence": found.divergence, "ratio": ratio.value or 0.0}
        numbers["imcp"] = imcp(target[test], rows, labels).area
        sums = {name: sums[name] + numbers[name] / _FOLDS for name in COLUMNS}
        undefined += found.ratio(SPLIT[0]).value is None
        all_truth.append(target[test])
        all_rows.append(rows)
    pooled = decompose(np.concatenate(all_truth), np.concatenate(all_rows), labels).ratio(SPLIT[0]).value
    return sums | {"pooled": pooled, "undefined": undefined}


def _means(found: Found) -> dict[str, Numbers]:
    """Return the mean of each column over the data sets, by classifier."""
    return {
        model: {name: fmean(numbers[name] for (_, own), numbers in found.items() if own == model) for name in COLUMNS}
        for model in _TABLES.values()
    }


def _sets_table(usable: Sequence[DataSet], whole: bool) -> Part:
    read = {each.name: each for each in usable}
    records = tuple(
        compared(name, column, value, getattr(read[name], column))
        for (name, column), value in printed(_PAPER, "Table 1").items()
        if name in read
    )
    words = "{count} data sets were read, with the rows, features and classes that are printed; no others are taken"
    return Part("Table 1", "The data sets", "reproduced" if whole else "in part", words, {"count": len(read)}, records)


def _table(place: str, found: Found, means: Mapping[str, Numbers]) -> Part:
    model = _TABLES[place]
    records = []
    for (row, column), value in printed(_PAPER, place).items():
        numbers = means.get(model) if row == _MEAN else found.get((row, model))
        if numbers is not None:
            records.append(compared(row, column, value, _shown(column, numbers[column])))
    whole = len(records) == len(printed(_PAPER, place))
    part = _judged(place, f"Results of {model}", records, "in the protocol that was found by trying", whole)
    twins = {row: found[row, model]["repeated"] for row in _far(records) if row != _MEAN}
    if place != _NEIGHBOURS or not twins or not all(twins.values()):
        return part
    words = (
        part.words + ". Of their rows {twins} occur more than once; which of equally near neighbours counts depends on"
        " the order of rows, and that may be why"
    )
    return replace(part, words=words, numbers={**part.numbers, "twins": " and ".join(map(str, twins.values()))})


def _summary(means: Mapping[str, Numbers]) -> Part:
    title = "Means over the data sets"
    if not means:
        return Part(_SUMMARY, title, "not reproduced", "needs all of the data sets")
    records = [
        compared(model, column, value, _shown(column, means[model][column]))
        for (model, column), value in printed(_PAPER, _SUMMARY).items()
    ]
    return _judged(_SUMMARY, title, records, "as means of Tables 2 to 5", whole=True)


def _judged(place: str, title: str, records: Sequence[dict[str, Any]], how: str, whole: bool) -> Part:
    """Return a table with its verdict: one unit of the last digit counts as reproduced, and is said."""
    off = [each for each in records if not each["agrees"]]
    far = [each for each in off if _is_far(each)]
    words = f"{{agree}} of {{of}} numbers come out to the printed digit, {how}"
    if not whole:
        words += "; data sets are missing"
    numbers: dict[str, Any] = {"agree": len(records) - len(off), "of": len(records)}
    if len(off) > len(far):
        words += "; off by one in the last digit, as other versions of a library may be: {near}"
        numbers["near"] = _named(each for each in off if each not in far)
    if far:
        words += "; off by more: {far}"
        numbers["far"] = _named(far)
    verdict: Verdict = "differs" if far else "reproduced" if whole else "in part"
    return Part(place, title, verdict, words, numbers, tuple(records))


def _far(records: Iterable[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(each["row"] for each in records if _is_far(each)))


def _is_far(record: dict[str, Any]) -> bool:
    """Tell whether a number is off by more than one in the last printed digit."""
    return bool(abs(record["found"] - float(record["paper"])) > 1.5 * _unit(record["paper"]))


def _named(records: Iterable[dict[str, Any]]) -> str:
    return ", ".join(f"{each['row']} ({each['column']})" for each in records)


def _unit(text: str) -> float:
    return float(10.0 ** -decimals_of(text))


def _shown(column: str, value: float) -> float:
    return value * (100 if column in _PERCENT else 1)


def _statements(found: Found, means: Mapping[str, Numbers]) -> Iterator[Statement]:
    """Walk what section 7 says of the tables; it can be judged only where all data sets are there."""
    place = "§7"
    pairs = [numbers for numbers in found.values() if numbers["soft"] != numbers["hard"]]
    closer = sum(1 for each in pairs if abs(each["imcp"] - each["soft"]) < abs(each["imcp"] - each["hard"]))
    yield Statement(
        place,
        "The area under the IMCP curve is consistently closer to the probabilistic accuracy than to the usual one.",
        closer == len(pairs) if means else None,
        "closer in {closer} of the {pairs} results where the two differ",
        {"closer": closer, "pairs": len(pairs)},
    )
    yield _tree(found, whole=bool(means))
    if means:
        yield from _ranks(place, means)


def _tree(found: Found, *, whole: bool) -> Statement:
    tree = _TABLES["Table 4"]
    own = [numbers for (_, model), numbers in found.items() if model == tree]
    empty = sum(1 for numbers in own if numbers["undefined"] == _FOLDS)
    rest = [numbers["pooled"] for numbers in own if numbers["pooled"] is not None]
    words = (
        "in {empty} of {sets} data sets every one of its probabilities is 0 or 1: nothing is uncertain, the ratio is"
        " undefined and counted as 100 %, however wrong the tree is"
    )
    numbers: dict[str, Any] = {"empty": empty, "sets": len(own)}
    if rest:
        words += "; where there is one, the ratio of all folds together is {ratio} on average, data sets: {others}"
        numbers |= {"others": len(rest), "ratio": fmean(rest)}
    says = "The decision tree's very high certainty ratio shows that its performance is robust and reliable."
    return Statement("§7", says, False if whole and empty > len(own) / 2 else None, words, numbers)


def _ranks(place: str, means: Mapping[str, Numbers]) -> Iterator[Statement]:
    nearest, _, tree, forest = _TABLES.values()
    for says, model, column, what in (
        ("The random forest has the highest accuracy of the four.", forest, "hard", "mean accuracy"),
        ("The decision tree has the largest area under the IMCP curve of the four.", tree, "imcp", "mean area"),
    ):
        own, others = means[model][column], [each[column] for name, each in means.items() if name != model]
        words = f"{what} {{own}}, next {{next}}"
        yield Statement(place, says, own > max(others), words, {"own": own, "next": max(others)})
    said = printed(_PAPER, place)["3-nearest neighbours", "divergence"]
    value = _shown("divergence", means[nearest]["divergence"])
    yield Statement(
        place,
        "The divergence of 3-nearest neighbours is about as the text says.",
        compared("", "", said, value)["agrees"],
        "{said} in the text, {value} by the numbers and, rounded, in Tables 2 and 6",
        {"said": said, "value": value},
    )
    in_table, in_summary = (
        printed(_PAPER, where)[row, "divergence"] for where, row in (("Table 4", _MEAN), (_SUMMARY, tree))
    )
    value = _shown("divergence", means[tree]["divergence"])
    yield Statement(
        "Tables 4 and 6",
        "Both print the same mean divergence of the decision tree.",
        in_table == in_summary,
        "{table} in Table 4, {summary} in Table 6; {value} by the numbers",
        {"table": in_table, "summary": in_summary, "value": value},
    )
