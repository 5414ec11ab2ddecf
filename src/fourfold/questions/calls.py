"""From plain values to one call of the library: the same for every door.

Values are texts from the command line and from forms, and numbers, lists and objects from JSON. Each is read once, by
the kind of its parameter. No text is ever taken for a path: files come beside the values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from .. import claims, groups, space
from ..certainty import Overview, decompose_data, imcp, mcp, overview
from ..claims import Recovery
from ..errors import InputError, Note, TooLarge, suggestion
from ..frames import count_labels, read_probabilities, read_rows
from ..metrics import SPLIT, Catalogue, Contrast, find, scores
from ..table import TOLERANCE, Matrix, Table, whole
from .parameters import SPREAD, Asked, DataFile, Parameter, Question, distinct, name_and_text

# Curves need every row in memory; larger files have none.
_MOST_CURVE_ROWS: Final = 200_000


def answer(question: Question, asked: Asked) -> Any:
    """Read what was given, and return the finished answer."""
    return _CALLS[question.name](asked, **_read(question, asked))


def _read(question: Question, asked: Asked) -> dict[str, Any]:
    """Return the values that are given, each read by its kind; what is left out has the library's default."""
    named = {parameter.name: parameter for parameter in question.parameters if parameter.kind not in (*SPREAD, "file")}
    spread = next((parameter for parameter in question.parameters if parameter.kind in SPREAD), None)
    known = {*named, *(picture.option for picture in question.pictures)}
    rest = {name: value for name, value in asked.values.items() if name not in known}
    if rest and spread is None:
        name = next(iter(rest))
        hint = suggestion(name, named, f"there are {', '.join(named)}")
        raise InputError("usage", name[:80] or "field", "is no part of this question", name, hint)
    values = {}
    for name, parameter in named.items():
        given = asked.values.get(name)
        if not _is_left_out(given):
            values[name] = _value(parameter, given)
        elif parameter.required:
            shown = asked.spelt(name)
            raise InputError("usage", shown, "must be said", None, f"add {shown}")
    if spread is not None:
        values[spread.name] = _READERS[spread.kind](rest, spread.name)
    return values


def _is_left_out(value: object) -> bool:
    return value is None or value == "" or value == [] or value == ()


def _value(parameter: Parameter, value: Any) -> Any:
    read = _READERS.get(parameter.kind, _text)
    if not parameter.many:
        return read(value, parameter.name)
    return [read(item, parameter.name) for item in (value if isinstance(value, list | tuple) else [value])]


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise InputError("usage", name, "must be a text", value, "give it as text")
    return value


def _whole(value: object, name: str) -> int:
    # Of several sizes, each is one.
    return whole(value, name.removesuffix("s"), text=True)


def _number(value: object, name: str) -> float:
    try:
        if not isinstance(value, bool | list | dict | None):
            return float(value)  # type: ignore[arg-type]
    except (ValueError, OverflowError):
        pass
    raise InputError("bad_number", name, "must be a number", value, "give a number")


def _flag(value: object, name: str) -> bool:
    known = {"true": True, "1": True, "on": True, "false": False, "0": False, "off": False}
    flag = value if isinstance(value, bool) else known.get(str(value).lower())
    if flag is None:
        raise InputError("bad_option", name, "must be true or false", value, "give true or false")
    return flag


def _columns(value: object, name: str) -> list[str]:
    return [column.strip() for column in _text(value, name).split(",") if column.strip()]


def _pair(value: object, name: str) -> tuple[str, str]:
    return name_and_text(_text(value, name), name, "column=name", "write it as Column=name")


def _table(value: object, name: str) -> Table:
    if isinstance(value, str):
        value = read_cells(value.replace(",", " ").split())
        if "" in value:
            hint = "write tp=45,fn=5,fp=10,tn=40"
            raise InputError("usage", "cells", "must be name=count", " ".join(value[""]), hint)
    if not isinstance(value, Mapping):
        raise InputError("bad_shape", name, "must be a table", value, "give tp, fn, fp and tn by name")
    return Table.from_mapping(value)


def _tables(value: object, name: str) -> dict[str, Table]:
    if not isinstance(value, Mapping):
        raise InputError("bad_shape", name, "must be tables by name", value, "give groups by name")
    return {group: _table(value[group], group) for group in value}


def _reference(value: object, name: str) -> str | Table:
    return value if isinstance(value, str) else _table(value, name)


def _scores(values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    for given, value in values.items():
        if isinstance(value, dict | bool):
            raise InputError("bad_number", given[:80], "must be a text or a number", value, "write it as printed")
    return values


# What reads each kind of parameter; those that are not here are texts.
_READERS: Final[Mapping[str, Callable[[Any, str], Any]]] = {
    **dict.fromkeys(("integer", "amount", "size", "cells"), lambda value, name: value),
    "whole": _whole,
    "number": _number,
    "flag": _flag,
    "columns": _columns,
    "pair": _pair,
    "table": _table,
    "tables": _tables,
    "reference": _reference,
    "scores": _scores,
}


def _refuse(asked: Asked, names: Sequence[str], what: str) -> None:
    """Refuse what means nothing here."""
    for name in names:
        if not _is_left_out(asked.values.get(name)) and asked.values[name] is not False:
            shown = asked.spelt(name)
            raise InputError("usage", shown, f"does not go with {what}", asked.values[name], f"leave {shown} out")


def _metrics(asked: Asked, name: str | None = None) -> Any:
    return Catalogue.all() if name is None else space.describe(name)


def _score(asked: Asked, *, cells: Mapping[str, Any], metrics: Sequence[str] | None = None, **options: str) -> Any:
    if asked.files:
        _refuse(asked, ("order",), "a file")
        return scores(_labels(asked, asked.files[0], **options), metrics)
    _refuse(asked, ("truth", "prediction", "positive", "query"), "counts")
    # Bare numbers come as a list, with the order that says what they are.
    if isinstance(cells.get(""), list):
        return scores(Table.from_matrix(cells[""], order=options.get("order")), metrics)
    return scores(Table.from_mapping(cells), metrics)


def read_cells(texts: Sequence[str]) -> dict[str, Any]:
    """Read counts such as tp=45; bare numbers come back in a list without a name.

    Examples
    --------
    >>> read_cells(["tp=45,fn=5", "fp=10", "tn=40"]), read_cells(["1", "2", "3", "4"])
    ({'tp': '45', 'fn': '5', 'fp': '10', 'tn': '40'}, {'': ['1', '2', '3', '4']})
    """
    if not any("=" in text for text in texts):
        return {"": list(texts)}
    hint = "write tp=45 fn=5 fp=10 tn=40"
    separate = ",".join(texts).replace(",", " ").split()
    return distinct((name_and_text(text, "cells", "name=count", hint) for text in separate), "cell")


def _labels(asked: Asked, file: DataFile, positive: str | None = None, **read: Any) -> Table | Matrix:
    for name in ("truth", "prediction"):
        if name not in read:
            option = asked.spelt(name)
            problem = f"which column of {file.label} to read must be said"
            raise InputError("usage", option, problem, None, f"add {option} COLUMN")
    with asked.progress(file) as progress:
        matrix = Matrix.from_pairs(count_labels(file.path, progress=progress, **read))
    if len(matrix.labels) > 2 and positive is None:
        return matrix
    # A text on the command line, a number in the data.
    return matrix.table(positive=next((label for label in matrix.labels if str(label) == positive), positive))


def _holes(asked: Asked, *, metric: str, sizes: Sequence[int]) -> Any:
    return space.holes(metric, sizes)


def _recover(asked: Asked, *, scores: Mapping[str, Any], bounds: Sequence[str] = ("auto",), **options: Any) -> Recovery:
    return claims.recover({**scores, **options}, bounds=",".join(bounds)).finish()


def _review(asked: Asked, *, jobs: int = 1, output: str = "", **options: Any) -> Iterator[tuple[dict[Any, Any], float]]:
    """Yield each row with its verdict, and how far the table is read."""
    [file] = asked.files
    columns = distinct(options.pop("map", ()))
    share = [0.0]

    def told(done: float) -> None:
        share[0] = min(done, 1.0)
        if progress is not None:
            progress(done)

    with asked.progress(file) as progress:
        empty = True
        for row in claims.review(read_rows(file.path, told), columns=columns, n_jobs=jobs, **options):
            empty = False
            yield row, share[0]
    if empty:
        raise InputError("empty", "table", "has a header but no rows", file.label, "check how it was written")


def _compare_groups(asked: Asked, *, metric: str, group: Table, reference: Table, **options: Any) -> Any:
    if isinstance(find(metric), Contrast):
        _refuse(asked, ("reference_known", "draws", "rng"), "a measure of two groups")
        return groups.compare(group, reference, metric, **options)
    return groups.compare_groups(group, reference, metric, **options)


def _match(asked: Asked, *, metric: str, group: Table, reference: Table, **options: Any) -> Any:
    return groups.match(group, reference, metric, rng=options.pop("seed", None), **options)


def _smooth(asked: Asked, *, group: Table, reference: Table | None = None, **options: Any) -> Any:
    if "epsilon" in options:
        _refuse(asked, ("strength", "reference"), asked.spelt("epsilon"))
    return groups.smooth(group, reference, **options)


def _audit(
    asked: Asked, *, metric: Sequence[str] | None = None, output: str = "", fail_on: str = "", **options: Any
) -> Any:
    with asked.progress(asked.files[0]) as progress:
        return groups.audit(asked.files[0].path, metrics=metric, progress=progress, **options)


def _audit_tables(asked: Asked, **given: Any) -> Any:
    return groups.audit_tables(**given)


def _certainty(
    asked: Asked, *, metric: Sequence[str] = SPLIT, convention: Any = "strict", tolerance: Any = TOLERANCE, **read: Any
) -> Overview:
    data, notes = _in_memory(asked, read) if asked.drawn else ({}, ())
    models = {}
    for file in asked.files:
        source = data.get(file.label, file.path)
        options = read if source is file.path else {**read, "query": None}
        with asked.progress(file) as progress:
            models[file.label] = decompose_data(source, tolerance=tolerance, progress=progress, **options)
    result = overview(models, metric, convention=convention)
    if not asked.drawn:
        return result
    rows = {name: columns.labelled() for name, columns in data.items()}
    curves = {kind.__name__: {name: kind(*given) for name, given in rows.items()} for kind in (mcp, imcp) if rows}
    return replace(result, curves=curves, notes=(*result.notes, *notes))


def _in_memory(asked: Asked, read: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Note, ...]]:
    """Read every row, which curves need, so that files are read once; large files have no curves."""
    try:
        columns = {file.label: read_probabilities(file.path, limit=_MOST_CURVE_ROWS, **read) for file in asked.files}
    except TooLarge as error:
        return {}, (Note("curves_left_out", f"no curves are drawn: {error}", {}),)
    return columns, ()


_CALLS: Final[Mapping[str, Callable[..., Any]]] = {
    "metrics": _metrics,
    "score": _score,
    "holes": _holes,
    "recover": _recover,
    "review": _review,
    "compare-groups": _compare_groups,
    "match": _match,
    "smooth": _smooth,
    "audit": _audit,
    "audit-tables": _audit_tables,
    "certainty": _certainty,
}
