"""Asks the same questions in other circumstances, and compares the answers: `python scripts/same_answers.py`.

Circumstances: seeds of Python's hashes, numbers of threads and of processes, everything that holds rows (files, pandas,
polars, pyarrow, DuckDB, Dask, Ibis, Spark), and other interpreters that have fourfold, given by `--python`. Whole
numbers, words and verdicts must be equal, and so must numbers with a point, but for the last digits, as sums of floats
depend on the order in which an engine or another version of numpy adds.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

EXAMPLES: Final = Path(__file__).parent.parent / "docs" / "examples"
#: Numbers may differ by so much of themselves with other versions of numpy and scipy.
_CLOSE: Final = 1e-9
_CLINICS: Final[Mapping[str, Any]] = {"truth": "truth", "prediction": "prediction", "positive": "sick", "by": "site"}


def reports() -> Iterable[dict[str, Any]]:
    """Return reports of each kind: one table, several, none; means, classes, no sizes."""
    yield {"accuracy": "0.85", "recall": "80%", "positives": 40, "negatives": 60}
    yield {"accuracy": "0.898", "f1": "0.8968", "positives": 994, "negatives": 1006}
    yield {"accuracy": "0.9567", "sensitivity": "0.8700", "specificity": "0.9750", "positives": 100, "negatives": 200}
    yield {"accuracy": "0.896", "f1": "0.761", "positives": 91, "negatives": 276}
    yield {"recall": "0.8764", "specificity": "0.8448", "positives": 352, "negatives": 174, "folds": 10}
    yield {"accuracy": "0.914", "precision": "0.914", "recall": "0.90"}
    yield {"mcc": "0.62", "total": 60}
    yield {"classes": [30, 40, 50], "accuracy": "0.80", "macro_f1": "0.79"}


def answers(n_jobs: int = 1) -> dict[str, Any]:
    """Ask each question once; return the answers as plain values."""
    import fourfold as ff

    found: dict[str, Any] = {f"recover {n}": ff.recover(one).to_dict() for n, one in enumerate(reports())}
    names = ("model_card.md", "methods.tex", "pasted.txt", "studies.csv")
    found["check"] = ff.check(*(Path(name) for name in names), n_jobs=n_jobs).to_dict()
    with Path("review.csv").open(encoding="utf-8", newline="") as file:
        found["review"] = list(ff.review(csv.DictReader(file), n_jobs=n_jobs))
    found["audit"] = ff.audit("clinics.csv", **_CLINICS, metrics=["recall", "f1", "mcc"]).to_dict()
    group, rest = ff.Table(tp=2, fn=3, fp=0, tn=7), ff.Table(tp=138, fn=38, fp=39, tn=245)
    for metric in ("recall", "mcc", "diagnostic_odds_ratio"):
        found[f"compare groups {metric}"] = ff.compare_groups(group, rest, metric).to_dict()
        found[f"match {metric}"] = ff.match(group, rest, metric).to_dict()
        found[f"interval {metric}"] = ff.interval(rest, metric).to_dict()
    found["plan"] = ff.plan("recall", group=0.6, reference=0.8, prevalence=0.3).to_dict()
    models: dict[str, Any] = {
        "truth": "truth",
        "prediction": "prediction",
        "positive": "sick",
        "metrics": ["recall", "f1"],
    }
    found["compare models"] = ff.compare_models("screen_new.csv", "screen_old.csv", key="patient", **models).to_dict()
    found["holes"] = ff.holes("mcc", 30).to_dict()
    found["certainty"] = ff.decompose_data("animals_shy.csv", truth="y", probabilities=["p_*"]).to_dict()
    return found


def by_source() -> dict[str, Any]:
    """Ask about the same rows in everything that holds them, as far as it is installed."""
    import fourfold as ff

    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (package, make) in _SOURCES.items():
            if package and importlib.util.find_spec(package) is None:
                found[name] = f"left out: {package} is not installed"
            elif package == "pyspark" and not (os.environ.get("JAVA_HOME") or shutil.which("java")):
                found[name] = "left out: there is no Java"
            else:
                clinics, animals = (make(file, folder) for file in ("clinics.csv", "animals_shy.csv"))
                audit = ff.audit(clinics, **_CLINICS, metrics=["recall", "f1", "mcc"])
                split = ff.decompose_data(animals, truth="y", probabilities=["p_*"])
                found[name] = [audit.to_dict(), split.to_dict()]
    return found


def _columns(file: str) -> dict[str, list[Any]]:
    """Return the columns of a file; probabilities are numbers."""
    with Path(file).open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    return {name: [float(row[name]) if name.startswith("p_") else row[name] for row in rows] for name in rows[0]}


def _frame(package: str, make: str) -> Callable[[str, str], Any]:
    """Return what makes a frame of a package out of a file."""
    return lambda file, folder: getattr(importlib.import_module(package), make)(_columns(file))


def _dask(file: str, folder: str) -> Any:
    import dask.dataframe
    import pandas as pd

    return dask.dataframe.from_pandas(  # type: ignore[no-untyped-call]
        pd.DataFrame(_columns(file)), npartitions=3
    )


def _duckdb(file: str, folder: str) -> Any:
    import duckdb

    return duckdb.connect().read_csv(file)


def _parquet(file: str, folder: str) -> str:
    path = Path(folder, file).with_suffix(".parquet")
    _duckdb(file, folder).write_parquet(str(path))
    return str(path)


def _spark(file: str, folder: str) -> Any:
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.master("local[1]")
    for name in ("spark.ui.enabled", "spark.ui.showConsoleProgress"):
        builder = builder.config(name, "false")
    return builder.getOrCreate().read.csv(file, header=True, inferSchema=True)


#: What holds rows: the package that it needs, and how it is made of a CSV file, with a folder for what is written.
_SOURCES: Final[Mapping[str, tuple[str, Callable[[str, str], Any]]]] = {
    "lists": ("", lambda file, folder: _columns(file)),
    "a CSV file": ("", lambda file, folder: file),
    "a parquet file": ("duckdb", _parquet),
    "pandas": ("pandas", _frame("pandas", "DataFrame")),
    "polars": ("polars", _frame("polars", "DataFrame")),
    "polars, lazy": ("polars", _frame("polars", "LazyFrame")),
    "pyarrow": ("pyarrow", _frame("pyarrow", "table")),
    "DuckDB": ("duckdb", _duckdb),
    "Ibis": ("ibis", _frame("ibis", "memtable")),
    "Dask": ("dask", _dask),
    "Spark": ("pyspark", _spark),
}


def differences(one: Any, other: Any, place: str = "") -> Iterable[tuple[str, float]]:
    """Yield what differs between two answers, each with how much; what is no number with a point differs infinitely."""
    if isinstance(one, dict) and isinstance(other, dict) and list(one) == list(other):
        for name in one:
            yield from differences(one[name], other[name], f"{place}/{name}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, pair in enumerate(zip(one, other, strict=True)):
            yield from differences(*pair, f"{place}/{number}")
    elif isinstance(one, float) and isinstance(other, float):
        if one != other and not (math.isnan(one) and math.isnan(other)):
            yield place, abs(one - other) / max(abs(one), abs(other))
    elif one != other or type(one) is not type(other) or isinstance(one, dict):  # a dict in another order
        yield f"{place}: {str(one)[:60]!r} and {str(other)[:60]!r}", math.inf


def asked(python: str, what: str, **variables: str) -> Any:
    """Ask in a process of its own."""
    command = [python, __file__, "--print", what]
    ended = subprocess.run(  # noqa: S603
        command, env={**os.environ, **variables}, cwd=EXAMPLES, capture_output=True, text=True, check=False
    )
    if ended.returncode:
        sys.exit(f"{python} ended with {ended.returncode}:\n{ended.stderr[-2000:]}")
    return json.loads(ended.stdout)


def told(name: str, one: Any, other: Any) -> bool:
    """Print whether two answers are the same, and say so."""
    found = list(differences(one, other))
    worst = max((size for _, size in found), default=0.0)
    if not found:
        words = "the same to the last bit"
    elif worst <= _CLOSE:
        words = f"the same; {len(found)} numbers differ by at most {worst:.0e} of themselves"
    else:
        words = "DIFFERS: " + "; ".join(place for place, size in found if size > _CLOSE)[:400]
    print(f"{name:<28} {words}")
    return worst <= _CLOSE


def main() -> None:
    """Ask in all circumstances, and end with 1 where an answer differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(": `")[0] + ".")
    parser.add_argument("--python", action="append", default=[], help="another interpreter that has fourfold")
    parser.add_argument("--print", choices=("answers", "two", "sources"), help="print the answers as JSON, and end")
    given = parser.parse_args()
    if given.print:
        asking = {"answers": answers, "two": lambda: answers(n_jobs=2), "sources": by_source}[given.print]
        print(json.dumps(asking(), ensure_ascii=False, default=str))
        return
    first = asked(sys.executable, "answers", PYTHONHASHSEED="0", OMP_NUM_THREADS="1")
    print(f"{len(first)} questions, Python {sys.version.split()[0]}")
    same = [
        *(told(f"hash seed {n}", first, asked(sys.executable, "answers", PYTHONHASHSEED=str(n))) for n in (1, 2, 4711)),
        told("2 threads", first, asked(sys.executable, "answers", OMP_NUM_THREADS="2")),
        told("2 processes", first, asked(sys.executable, "two")),
    ]
    sources = asked(sys.executable, "sources")
    for name, found in sources.items():
        if isinstance(found, str):
            print(f"{name:<28} {found}")
        else:
            same.append(told(f"rows of {name}", sources["lists"], found))
    for python in given.python:
        version = subprocess.check_output([python, "-c", _VERSIONS], text=True).strip()  # noqa: S603
        same.append(told(version, first, asked(python, "answers", PYTHONHASHSEED="0")))
    sys.exit(not all(same))


_VERSIONS: Final = (
    "import sys, numpy, scipy; print(sys.version.split()[0], 'numpy', numpy.__version__, 'scipy', scipy.__version__)"
)

if __name__ == "__main__":
    main()
