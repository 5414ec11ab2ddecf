"""Paper 002's Tables 1 to 6: four classifiers on 21 data sets, ten folds each.

The paper does not say its protocol; this one was found by trying: stratified folds, shuffled with seed 0, no scaling,
every column the mean of the folds' values, an undefined part counted as 0, the first maximum predicted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..certainty import decompose, imcp
from ..errors import InputError, Note
from ..metrics import SPLIT
from .outcome import Part, Reproduction, Statement, compared, printed, table
from .running import done
from .sets import chosen, load, needed, present

_PAPER: Final = "002"
_TITLE: Final = "J. S. Aguilar-Ruiz (2024), on the certainty ratio of classifiers"
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
    """Do the experiments of paper 002 again.

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
    wanted = chosen(_PAPER, sets)
    cellar = None if kept is None else Path(kept)
    there = present(wanted, data, cellar)
    if not there:
        got = None if data is None else str(data)
        raise InputError("no_file", "data", "has none of the data sets", got, "name the folder that has them")
    absent = [name for name in wanted if name not in there]
    notes = [Note("sets_missing", f"no data for {', '.join(absent)}", {"sets": absent})] if absent else []
    jobs = {f"{model} on {name}": (name, model, data, cellar) for name in there for model in _TABLES.values()}
    cache = None if output is None else Path(output) / "certainty.jsonl"
    numbers = done(_one, jobs, cache=cache, n_jobs=n_jobs, progress=progress)
    found = {(name, model): numbers[job] for job, (name, model, *_) in jobs.items()}
    means = _means(found) if there == chosen(_PAPER, None) else {}
    parts = [_sets_table(there), *(_table(place, found, means) for place in _TABLES), _summary(means)]
    return Reproduction("certainty", _TITLE, tuple(parts), tuple(_statements(found, means)), tuple(notes))


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


def _one(name: str, model: str, data: str | Path | None, kept: Path | None) -> Numbers:
    columns, target = load(name, data, kept)
    features = np.column_stack([np.asarray(column, dtype=np.float64) for column in columns.values()])
    return fold_means(features, target, _models()[model])


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


def _sets_table(there: Sequence[str]) -> Part:
    records = tuple(
        {name: line[name] if name == "set" else int(line[name]) for name in ("set", "rows", "features", "classes")}
        for line in table("sets.csv")
        if line["paper"] == _PAPER and line["set"] in there
    )
    words = "{count} data sets have the rows, features and classes that are printed; others are refused"
    return Part("Table 1", "The data sets", "reproduced", words, {"count": len(records)}, records)


def _table(place: str, found: Found, means: Mapping[str, Numbers]) -> Part:
    model = _TABLES[place]
    records = []
    for (row, column), value in printed(_PAPER, place).items():
        numbers = means.get(model) if row == _MEAN else found.get((row, model))
        if numbers is not None:
            records.append(compared(row, column, value, _shown(column, numbers[column])))
    return _judged(place, f"Results of {model}", records, "in the protocol that was found by trying")


def _summary(means: Mapping[str, Numbers]) -> Part:
    title = "Means over the data sets"
    if not means:
        return Part(_SUMMARY, title, "not reproduced", "needs all of the data sets")
    records = [
        compared(model, column, value, _shown(column, means[model][column]))
        for (model, column), value in printed(_PAPER, _SUMMARY).items()
    ]
    return _judged(_SUMMARY, title, records, "as means of Tables 2 to 5")


def _judged(place: str, title: str, records: Sequence[dict[str, Any]], how: str) -> Part:
    agree = sum(1 for record in records if record["agrees"])
    words = f"{{agree}} of {{of}} numbers come out to the printed digit, {how}"
    if agree < len(records):
        words += "; the others: {others}"
    others = "; ".join(f"{each['row']}, {each['column']}" for each in records if not each["agrees"])
    numbers = {"agree": agree, "of": len(records), "others": others}
    # Versions of scikit-learn differ in the last digit of a forest: that much is counted as reproduced.
    near = all(
        each["agrees"] or abs(each["found"] - float(each["paper"])) <= 1.5 * _unit(each["paper"]) for each in records
    )
    return Part(place, title, "reproduced" if near else "differs", words, numbers, tuple(records))


def _unit(text: str) -> float:
    return float(10.0 ** -len(text.partition(".")[2]))


def _shown(column: str, value: float) -> float:
    return value * (100 if column in _PERCENT else 1)


def _statements(found: Found, means: Mapping[str, Numbers]) -> Iterator[Statement]:
    """Walk what section 7 says of the tables."""
    place = "§7"
    pairs = [numbers for numbers in found.values() if numbers["soft"] != numbers["hard"]]
    closer = sum(1 for each in pairs if abs(each["imcp"] - each["soft"]) < abs(each["imcp"] - each["hard"]))
    yield Statement(
        place,
        "The area under the IMCP curve is consistently closer to the probabilistic accuracy than to the usual one.",
        closer == len(pairs),
        "closer in {closer} of the {pairs} results where the two differ",
        {"closer": closer, "pairs": len(pairs)},
    )
    yield _tree(found)
    if means:
        yield from _ranks(place, means)


def _tree(found: Found) -> Statement:
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
    return Statement("§7", says, None if empty < len(own) / 2 else False, words, numbers)


def _ranks(place: str, means: Mapping[str, Numbers]) -> Iterator[Statement]:
    nearest, _, tree, forest = _TABLES.values()
    for says, model, column, what in (
        ("The random forest has the highest accuracy of the four.", forest, "hard", "accuracy"),
        ("The decision tree has the largest area under the IMCP curve of the four.", tree, "imcp", "area"),
    ):
        own, others = means[model][column], [each[column] for name, each in means.items() if name != model]
        words = f"mean {what} {{own}}, next {{next}}"
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
