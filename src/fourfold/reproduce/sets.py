"""The data sets of the papers: from a folder, or fetched from OpenML where that was asked for; checked either way."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, MissingExtra, suggestion, verbatim
from ..frames import read_columns
from .outcome import table

_TARGET: Final = "target"
_DIGITS: Final = 12

Columns: TypeAlias = dict[str, NDArray[Any]]


class DataSet(NamedTuple):
    """A data set that was found to be the paper's: where it is, and what tells it from any other of its shape."""

    name: str
    folder: str | None
    kept: str | None
    mark: str
    rows: int
    features: int
    classes: int

    def read(self) -> tuple[Columns, NDArray[Any]]:
        """Return the features by column, and the classes."""
        columns, target, _ = _read(_facts()[self.name], self.folder, self.kept)
        return columns, target

    def numbers(self) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """Return the features as an array of numbers, and the classes."""
        columns, target = self.read()
        return np.column_stack([np.asarray(column, dtype=np.float64) for column in columns.values()]), target


def chosen(paper: str, sets: Sequence[str] | None) -> list[str]:
    """Return the wanted ones of a paper's data sets, all where none is named."""
    known = [line["set"] for line in table("sets.csv") if line["paper"] == paper]
    for name in sets or ():
        if name not in known:
            hint = suggestion(name, known, f"the sets are {', '.join(known)}")
            raise InputError("bad_option", "sets", "is no data set of the paper", name, hint)
    return [name for name in known if not sets or name in sets]


def found(
    wanted: Iterable[str], folder: str | Path | None, kept: str | Path | None
) -> tuple[list[DataSet], dict[str, str]]:
    """Look for data sets and check each: return those that can be used, and for each other one why not.

    Parameters
    ----------
    wanted
        Names as in the paper.
    folder
        Where parquet files are: features, and a column called target.
    kept
        Where to keep what OpenML sends; None fetches nothing.
    """
    if folder is not None and not Path(folder).is_dir():
        raise InputError("no_file", "data", "is no folder", str(folder), "name the folder with the parquet files")
    usable, others = [], {}
    for name in wanted:
        try:
            usable.append(_checked(name, folder, kept))
        except InputError as error:
            others[name] = error.problem
    return usable, others


def _checked(name: str, folder: str | Path | None, kept: str | Path | None) -> DataSet:
    facts = _facts()[name]
    columns, target, mark = _read(facts, folder, kept)
    where = mark.partition(" ")[0]
    wanted = (
        int(facts["rows"]),
        int(facts["fetched_features" if where == "OpenML" else "features"]),
        int(facts["classes"]),
    )
    shape = (len(target), len(columns), len(set(target.tolist())))
    if shape != wanted:
        problem = f"has {_told(shape)}, not {_told(wanted)}"
        raise InputError("bad_shape", "data", problem, name, "check the file")
    for column, values in columns.items():
        _check_column(name, column, values, texts=bool(facts["texts"]))
    return DataSet(name, None if folder is None else str(folder), None if kept is None else str(kept), mark, *shape)


def _told(shape: Sequence[int]) -> str:
    return "{} rows, {} features and {} classes".format(*shape)


def _check_column(name: str, column: str, values: NDArray[Any], *, texts: bool) -> None:
    if values.dtype.kind not in "iufb":
        if texts and not any(value is None for value in values):
            return
        raise InputError("bad_label", "data", f"has texts or missing values in {column}", name, "check the file")
    if not np.isfinite(values.astype(np.float64)).all():
        raise InputError("bad_number", "data", f"has missing values in {column}", name, "check the file")


def _facts() -> dict[str, dict[str, str]]:
    return {line["set"]: line for line in table("sets.csv")}


def _read(
    facts: dict[str, str], folder: str | Path | None, kept: str | Path | None
) -> tuple[Columns, NDArray[Any], str]:
    """Return features, classes, and a mark of where they come from and what they are."""
    path = None if folder is None else Path(folder) / f"{facts['file']}.parquet"
    if path is not None and path.is_file():
        columns = {column: _filled(values) for column, values in read_columns(path).items()}
        if _TARGET not in columns:
            raise InputError(
                "unknown_column", "data", f"{path.name} has no column {_TARGET}", str(path), "check the file"
            )
        mark = hashlib.sha256(path.read_bytes()).hexdigest()[:_DIGITS]
        return columns, columns.pop(_TARGET), f"file {mark}"
    if kept is None or not facts["openml"]:
        problem = f"has no {facts['file']}.parquet"
        raise InputError("no_file", "data", problem, str(folder), "name the folder that has it")
    columns, target = _fetched(int(facts["openml"]), Path(kept))
    return columns, target, f"OpenML {facts['openml']}"


def _filled(values: NDArray[Any]) -> NDArray[Any]:
    """Return a column as a plain array: what is missing is nan, or None among texts."""
    if not np.ma.isMaskedArray(values) or not np.ma.getmaskarray(values).any():
        return np.asarray(values)
    missing: Any = np.nan if values.dtype.kind in "iuf" else None
    return np.where(np.ma.getmaskarray(values), missing, np.ma.getdata(values))


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
        if name in columns:
            columns[name] = _decoded(columns[name], texts)
    return columns, np.asarray(bunch.target)


def _decoded(codes: NDArray[Any], texts: Sequence[str]) -> NDArray[Any]:
    """Return categories as what they are called, numbers where all are; they come as places in a list, or as nan."""
    known = np.isfinite(codes)
    place = np.where(known, codes, 0).astype(int)
    try:
        return np.where(known, np.array([float(text) for text in texts])[place], np.nan)
    except ValueError:
        return np.where(known, np.array(texts, dtype=object)[place], "?")


def needed() -> None:
    """Raise where scikit-learn is missing."""
    try:
        import sklearn  # noqa: F401
    except ImportError:
        hint = "pip install 'fourfold[reproduce]'"
        raise MissingExtra("missing_extra", "reproduce", "needs scikit-learn", None, hint) from None
