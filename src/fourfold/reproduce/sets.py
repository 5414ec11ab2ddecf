"""The data sets of the papers: from a folder, or fetched from OpenML where that was asked for; checked either way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, MissingExtra, suggestion, verbatim
from ..frames.columns import read_columns
from .outcome import table

_TARGET: Final = "target"

Columns: TypeAlias = dict[str, NDArray[Any]]


def names(paper: str) -> list[str]:
    """Return the names of a paper's data sets."""
    return [line["set"] for line in table("sets.csv") if line["paper"] == paper]


def chosen(paper: str, sets: Sequence[str] | None) -> list[str]:
    """Return the wanted ones of a paper's data sets, all where none is named."""
    known = names(paper)
    for name in sets or ():
        if name not in known:
            hint = suggestion(name, known, f"the sets are {', '.join(known)}")
            raise InputError("bad_option", "sets", "is no data set of the paper", name, hint)
    return [name for name in known if not sets or name in sets]


def present(wanted: Iterable[str], folder: str | Path | None, kept: Path | None) -> list[str]:
    """Return those of the data sets that can be had: in the folder, or from OpenML where `kept` says to fetch them."""
    if folder is not None and not Path(folder).is_dir():
        raise InputError("no_file", "data", "is no folder", str(folder), "name the folder with the parquet files")
    facts = _facts()
    return [
        name
        for name in wanted
        if (folder is not None and _path(folder, facts[name]).is_file()) or (kept is not None and facts[name]["openml"])
    ]


def load(name: str, folder: str | Path | None, kept: Path | None = None) -> tuple[Columns, NDArray[Any]]:
    """Return a data set's features by column, and its classes.

    Parameters
    ----------
    name
        As in the paper.
    folder
        Where parquet files are: features, and a column called target.
    kept
        Where to keep what OpenML sends; None fetches nothing.
    """
    facts = _facts()[name]
    path = None if folder is None else _path(folder, facts)
    if path is not None and path.is_file():
        columns, source, features = dict(read_columns(path)), path.name, facts["features"]
        target = np.asarray(columns.pop(_TARGET))
    elif kept is not None and facts["openml"]:
        columns, target = _fetched(int(facts["openml"]), kept)
        source, features = f"OpenML {facts['openml']}", facts["fetched_features"]
    else:
        raise InputError(
            "no_file", "data", f"has no {facts['file']}.parquet", str(folder), "name the folder that has it"
        )
    found = (len(target), len(columns), len(np.unique(target)))
    wanted = (int(facts["rows"]), int(features), int(facts["classes"]))
    if found != wanted:
        shown = verbatim(f"{found}, not {wanted}")
        raise InputError("bad_shape", "data", f"{source} has other rows, features, classes", shown, "check the file")
    return {column: np.asarray(values) for column, values in columns.items()}, target


def _facts() -> dict[str, dict[str, str]]:
    return {line["set"]: line for line in table("sets.csv")}


def _path(folder: str | Path, facts: dict[str, str]) -> Path:
    return Path(folder) / f"{facts['file']}.parquet"


def _fetched(number: int, kept: Path) -> tuple[Columns, NDArray[Any]]:
    needed()
    from sklearn.datasets import fetch_openml

    try:
        bunch = fetch_openml(data_id=number, data_home=str(kept), as_frame=False, parser="liac-arff")
    except (OSError, ValueError) as error:
        got = verbatim(f"{type(error).__name__}: {error}")
        raise InputError(
            "no_file", "fetch", f"OpenML {number} cannot be had", got, "name a folder with --data"
        ) from None
    columns = dict(zip(bunch.feature_names, np.asarray(bunch.data).T, strict=True))
    for name, texts in (bunch.categories or {}).items():
        # Categories come as numbers of their texts, and what is missing as nan.
        codes = columns.get(name)
        if codes is not None:
            known = np.isfinite(codes)
            columns[name] = np.where(known, np.asarray(texts, dtype=object)[np.where(known, codes, 0).astype(int)], "?")
    return columns, np.asarray(bunch.target)


def needed() -> None:
    """Raise where scikit-learn is missing."""
    try:
        import sklearn  # noqa: F401
    except ImportError:
        hint = "pip install 'fourfold[reproduce]'"
        raise MissingExtra("missing_extra", "reproduce", "needs scikit-learn", None, hint) from None
