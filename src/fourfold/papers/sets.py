"""The data sets of the papers: from a folder, or fetched from OpenML where that was asked for; checked either way."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fourfold import InputError, MissingExtra
from fourfold.errors import NOTHING, suggestion, verbatim

from .paper import table

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


def set_names(paper: str, chosen: Sequence[str] | None = None) -> list[str]:
    """Return the chosen ones of a paper's data sets, all where none is named."""
    known = [line["set"] for line in table("sets.csv") if line["paper"] == paper]
    for name in chosen or ():
        if name not in known:
            hint = suggestion(name, known, f"the sets are {', '.join(known)}")
            raise InputError("bad_option", "sets", "is not a data set of the paper", name, hint)
    return [name for name in known if not chosen or name in chosen]


def find_sets(
    names: Iterable[str], folder: str | Path | None, kept: str | Path | None
) -> tuple[list[DataSet], dict[str, str]]:
    """Look for data sets and check each: return those that can be used, and for each other one why not.

    The `folder` has parquet files of features and a column called target; what OpenML sends is `kept`, None fetches
    nothing.
    """
    if folder is not None and not Path(folder).is_dir():
        raise InputError("no_file", "data", "is not a folder", str(folder), "name the folder with the parquet files")
    usable, others = [], {}
    for name in names:
        try:
            usable.append(_checked(name, *(None if path is None else str(path) for path in (folder, kept))))
        except InputError as error:
            others[name] = error.problem
    return usable, others


def _checked(name: str, folder: str | None, kept: str | None) -> DataSet:
    facts = _facts()[name]
    columns, target, mark = _read(facts, folder, kept)
    fetched = mark.startswith("OpenML")
    expected = [int(facts[key]) for key in ("rows", "fetched_features" if fetched else "features", "classes")]
    shape = [len(target), len(columns), len(set(target.tolist()))]
    if shape != expected:
        has, wanted = ("{} rows, {} features and {} classes".format(*numbers) for numbers in (shape, expected))
        raise InputError("bad_shape", "data", f"has {has}, not {wanted}", name, "check the file")
    for column, values in columns.items():
        if values.dtype.kind not in "iufb":
            if not facts["texts"] or any(value is None for value in values):
                problem = f"has texts or missing values in {column}"
                raise InputError("bad_label", "data", problem, name, "check the file")
        elif not np.isfinite(values.astype(np.float64)).all():
            raise InputError("bad_number", "data", f"has missing values in {column}", name, "check the file")
    return DataSet(name, folder, kept, mark, *shape)


def _facts() -> dict[str, dict[str, str]]:
    return {line["set"]: line for line in table("sets.csv")}


def _read(facts: dict[str, str], folder: str | None, kept: str | None) -> tuple[Columns, NDArray[Any], str]:
    """Return features, classes, and a mark of where they come from and what they are."""
    path = None if folder is None else Path(folder) / f"{facts['file']}.parquet"
    if path is not None and path.is_file():
        columns = read_parquet(path)
        if _TARGET not in columns:
            problem = f"{path.name} has no column {_TARGET}"
            raise InputError("unknown_column", "data", problem, str(path), "check the file")
        mark = hashlib.sha256(path.read_bytes()).hexdigest()[:_DIGITS]
        return columns, columns.pop(_TARGET), f"file {mark}"
    if kept is None or not facts["openml"]:
        problem = f"has no {facts['file']}.parquet"
        raise InputError("no_file", "data", problem, str(folder), "name the folder that has it")
    columns, target = _fetched(int(facts["openml"]), Path(kept))
    return columns, target, f"OpenML {facts['openml']}"


def read_parquet(path: Path) -> Columns:
    """Return the columns of a parquet file as plain arrays: what is missing is nan, or None among texts."""
    try:
        import duckdb
    except ImportError:
        raise _missing("duckdb") from None
    try:
        with duckdb.connect() as connection:
            columns = connection.execute("from read_parquet(?)", [str(path)]).fetchnumpy()
    except duckdb.Error as error:
        problem = f"{path.name} is not readable as parquet"
        raise InputError("bad_shape", "data", problem, verbatim(str(error).splitlines()[0]), "check the file") from None
    return {name: _filled(values) for name, values in columns.items()}


def _filled(values: NDArray[Any]) -> NDArray[Any]:
    if not np.ma.isMaskedArray(values) or not np.ma.getmaskarray(values).any():
        return np.asarray(values)
    missing: Any = np.nan if values.dtype.kind in "iuf" else None
    return np.where(np.ma.getmaskarray(values), missing, np.ma.getdata(values))


def _fetched(number: int, kept: Path) -> tuple[Columns, NDArray[Any]]:
    require_sklearn()
    from sklearn.datasets import fetch_openml

    try:
        bunch = fetch_openml(data_id=number, data_home=str(kept), as_frame=False, parser="liac-arff")
    except (OSError, ValueError) as error:
        got, problem = verbatim(f"{type(error).__name__}: {error}"), f"OpenML {number} cannot be had"
        raise InputError("no_file", "fetch", problem, got, "name a folder with --data") from None
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


def require_sklearn() -> None:
    """Raise where scikit-learn is missing."""
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise _missing("scikit-learn") from None


def _missing(package: str) -> MissingExtra:
    hint = "pip install 'fourfold[reproduce]'"
    return MissingExtra("missing_extra", "reproduce", f"needs {package}, which is not installed", NOTHING, hint)
