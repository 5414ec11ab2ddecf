"""Paper 002's Tables 2 to 5: four classifiers on 21 data sets, ten folds each.

The paper does not say its protocol; this one was found by trying: stratified folds, shuffled with seed 0, no scaling,
every column the mean of the folds' values, an undefined part counted as 0, the first maximum predicted.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..certainty import decompose, imcp
from ..errors import InputError, MissingExtra, Note, suggestion, verbatim
from ..frames.columns import read_columns
from ..metrics import SPLIT

_FOLDS: Final = 10
#: The columns of the paper's tables.
COLUMNS: Final = ("hard", "soft", "certain", "uncertain", "divergence", "ratio", "imcp")
# These two are printed in percent.
_PERCENT: Final = frozenset({"divergence", "ratio"})


@dataclass(frozen=True)
class Reproduction:
    """What came out beside what the paper prints, a record for each number.

    A record agrees where the number, rounded as the paper rounds, is the one that is printed.
    """

    name: str
    records: tuple[dict[str, Any], ...]
    notes: tuple[Note, ...] = ()

    @property
    def agree(self) -> int:
        """How many numbers agree to the printed digit."""
        return sum(1 for record in self.records if record["agrees"])

    def rows(self) -> list[dict[str, Any]]:
        """Return the records."""
        return [dict(record) for record in self.records]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "schema": "fourfold/reproduction",
            "version": 1,
            "name": self.name,
            "agree": self.agree,
            "of": len(self.records),
            "records": self.rows(),
            "notes": [note.to_dict() for note in self.notes],
        }


def reproduce_certainty(
    data: str | Path,
    *,
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
    sets
        Names of data sets; all when left out. Sets whose file is not there are named in a note.
    output
        A folder for what was found so far: a run that was stopped goes on from there.
    n_jobs
        How many processes work at it, through joblib.
    progress
        Called with the share that is done.
    """
    _needed()
    if n_jobs == 0:
        raise InputError("bad_option", "n_jobs", "must not be 0", n_jobs, "1 for one process, -1 for all cores")
    folder = Path(data)
    if not folder.is_dir():
        raise InputError("no_file", "data", "is no folder", str(data), "name the folder with the parquet files")
    known = {row["set"]: row for row in _read("certainty_sets.csv")}
    wanted = _wanted(known, sets)
    there = [name for name in wanted if (folder / f"{known[name]['file']}.parquet").is_file()]
    if not there:
        shown = verbatim(f"no {known[wanted[0]]['file']}.parquet in {folder}")
        raise InputError("no_file", "data", "has none of the data sets", shown, "name the folder that has them")
    absent = [name for name in wanted if name not in there]
    notes = [Note("sets_missing", f"no file for {', '.join(absent)}", {"sets": absent})] if absent else []
    jobs = [(name, model) for name in there for model in _models()]
    found = dict(_all_found(folder, known, jobs, output, n_jobs, progress))
    records = [
        record
        for row in _read("certainty_tables.csv")
        if (row["set"], row["model"]) in found
        for record in _compared(row, found[row["set"], row["model"]])
    ]
    return Reproduction("certainty", tuple(records), tuple(notes))


def _needed() -> None:
    try:
        import sklearn  # noqa: F401
    except ImportError:
        hint = "pip install 'fourfold[reproduce]'"
        raise MissingExtra("missing_extra", "reproduce", "needs scikit-learn", None, hint) from None


def _wanted(known: dict[str, Any], sets: Sequence[str] | None) -> list[str]:
    for name in sets or ():
        if name not in known:
            hint = suggestion(name, known, f"the sets are {', '.join(known)}")
            raise InputError("bad_option", "sets", "is no data set of the paper", name, hint)
    return [name for name in known if not sets or name in sets]


def _read(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((files(__package__) / name).read_text(encoding="utf-8").splitlines()))


def _models() -> dict[str, Callable[[], Any]]:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    return {
        "3-nearest neighbours": lambda: KNeighborsClassifier(n_neighbors=3),
        "naive Bayes": GaussianNB,
        "decision tree": lambda: DecisionTreeClassifier(random_state=0),
        "random forest": lambda: RandomForestClassifier(n_estimators=100, random_state=0),
    }


def _all_found(
    folder: Path,
    known: dict[str, dict[str, str]],
    jobs: Sequence[tuple[str, str]],
    output: str | Path | None,
    n_jobs: int,
    progress: Callable[[float], None] | None,
) -> Iterator[tuple[tuple[str, str], dict[str, float]]]:
    """Walk the numbers of each data set and model: those of an earlier run first, then the others as they are done."""
    from joblib import Parallel, delayed

    cache = None if output is None else Path(output) / "certainty.jsonl"
    done = dict(_earlier(cache)) if cache else {}
    left = [job for job in jobs if job not in done]
    yield from ((job, numbers) for job, numbers in done.items() if job in jobs)
    if cache:
        cache.parent.mkdir(parents=True, exist_ok=True)
    tasks = (delayed(_one)(folder, known[name], name, model) for name, model in left)
    results: Iterable[Any] = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(tasks)
    for count, (job, numbers) in enumerate(results, len(jobs) - len(left) + 1):
        if cache:
            with cache.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"set": job[0], "model": job[1], **numbers}) + "\n")
        if progress:
            progress(count / len(jobs))
        yield job, numbers


def _earlier(cache: Path) -> Iterator[tuple[tuple[str, str], dict[str, float]]]:
    """Read what an earlier run has left; a line cut off in the middle is passed over."""
    if not cache.is_file():
        return
    for line in cache.read_text(encoding="utf-8").splitlines():
        try:
            row = json.loads(line)
            yield (row["set"], row["model"]), {name: float(row[name]) for name in COLUMNS}
        except (ValueError, KeyError):
            continue


def _one(folder: Path, facts: dict[str, str], name: str, model: str) -> tuple[tuple[str, str], dict[str, float]]:
    features, target = _loaded(folder / f"{facts['file']}.parquet", facts)
    return (name, model), fold_means(features, target, _models()[model])


def _loaded(path: Path, facts: dict[str, str]) -> tuple[NDArray[Any], NDArray[Any]]:
    columns = read_columns(path)
    target = np.asarray(columns.pop("target"))
    features = np.column_stack([np.asarray(column, dtype=np.float64) for column in columns.values()])
    found = (len(target), features.shape[1], len(np.unique(target)))
    wanted = tuple(int(facts[name]) for name in ("rows", "features", "classes"))
    if found != wanted:
        shown = verbatim(f"{found}, not {wanted}")
        raise InputError("bad_shape", "data", f"{path.name} has other rows, features, classes", shown, "check the file")
    return features, target


def fold_means(features: NDArray[Any], target: NDArray[Any], make: Callable[[], Any]) -> dict[str, float]:
    """Return the mean over ten folds of each column of the paper's tables."""
    from sklearn.model_selection import StratifiedKFold

    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=0)
    sums = dict.fromkeys(COLUMNS, 0.0)
    for train, test in folds.split(features, target):
        model = make().fit(features[train], target[train])
        rows = model.predict_proba(features[test])
        found = decompose(target[test], rows, model.classes_.tolist())
        ratio = found.ratio(SPLIT[0], convention="paper")
        numbers = {name: getattr(ratio, name) or 0.0 for name in ("hard", "soft", "certain", "uncertain")}
        numbers |= {"divergence": found.divergence, "ratio": ratio.value or 0.0}
        numbers["imcp"] = imcp(target[test], rows, model.classes_.tolist()).area
        sums = {name: sums[name] + numbers[name] / _FOLDS for name in COLUMNS}
    return sums


def _compared(row: dict[str, str], found: dict[str, float]) -> Iterator[dict[str, Any]]:
    for name in COLUMNS:
        value = found[name] * (100 if name in _PERCENT else 1)
        decimals = len(row[name].partition(".")[2])
        lead = {"table": int(row["table"]), "model": row["model"], "set": row["set"], "column": name}
        yield lead | {"paper": row[name], "found": value, "agrees": round(value, decimals) == float(row[name])}
