"""From plain values to one call of the library: the same for every door.

Values are texts from the command line and from forms, and numbers, lists and objects from JSON. Each is read once, by
the kind of its parameter. No text is ever taken for a path: files come beside the values.
"""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

# These rooms load what is used of them.
from .. import answers, claims, data, groups, reports, solve, table
from ..errors import NOTHING, InputError, Note, TooLarge, suggestion, verbatim
from ..metrics import METRICS, Catalogue, Contrast, find, scores
from ..table import Matrix, Table, whole
from .parameters import FILES, FLAGS, SPREAD, Asked, DataFile, Parameter, Question, distinct, name_and_text

# The scores that `recover_regression` takes.
_OF_REGRESSIONS: Final = ("mae", "rmse", "mse", "max_error", "r2", "variance")
# More is not held in memory at once.
_LONGEST_INPUT: Final = 100_000_000


def answer(question: Question, asked: Asked) -> Any:
    """Read what was given, and return the finished answer."""
    given = _read(question, asked)
    if "seed" in given:
        given["rng"] = given.pop("seed")
    if not (question.name == "score" or any(parameter.kind == "cases" for parameter in question.parameters)):
        return _CALLS[question.name](asked, **given)
    with TemporaryDirectory(prefix="fourfold-") as folder:
        files = [_as_data(file, Path(folder) / f"{place}.csv") for place, file in enumerate(asked.files)]
        return _with_labels(_CALLS[question.name](replace(asked, files=files), **given), files)


#: What notes about files say is wrong in them: such notes name the files.
_ON_FILES: Final = ("rows_left_out", "encoding_found")


def _with_labels(result: Any, files: Sequence[DataFile]) -> Any:
    """Let notes about files call them as the caller knows them: what was sent is kept under another name."""
    names = {Path(file.path).name: "standard input" if file.label == "-" else Path(file.label).name for file in files}

    def renamed(value: Any) -> Any:
        for name, label in names.items():
            value = value.replace(name, label) if isinstance(value, str) else value
        return value

    if not any(note.code in _ON_FILES for note in result.notes):
        return result
    notes = (
        note
        if note.code not in _ON_FILES
        else Note(note.code, renamed(note.text), {k: renamed(v) for k, v in note.data.items()})
        for note in result.notes
    )
    return replace(result, notes=tuple(notes))


def _as_data(file: DataFile, copy: Path) -> DataFile:
    """Return a file as data: of a document such as a workbook or a pasted table, its largest table as CSV."""
    suffix = Path(file.path).suffix.casefold()
    if suffix not in reports.ENDINGS or file.path.casefold().endswith(data.FILE_ENDINGS):
        return file
    heads, rows = reports.table_in(Path(file.path))
    with copy.open("w", encoding="utf-8", newline="") as written:
        csv.writer(written).writerows([heads, *rows])
    return DataFile(file.label, str(copy))


def _read(question: Question, asked: Asked) -> dict[str, Any]:
    """Return the values that are given, each read by its kind; what is left out has the library's default."""
    named = {parameter.name: parameter for parameter in question.parameters if parameter.kind not in (*SPREAD, *FILES)}
    spread = next((parameter for parameter in question.parameters if parameter.kind in SPREAD), None)
    known = {*named, *(picture.option for picture in question.pictures)}
    rest = {name: value for name, value in asked.values.items() if name not in known}
    if rest and spread is None:
        name = next(iter(rest))
        hint = suggestion(name, named, f"there are {', '.join(named)}")
        raise InputError("usage", name[:80] or "field", "is not part of this question", name, hint)
    values = {}
    for name, parameter in named.items():
        given = asked.values.get(name)
        if not (_is_left_out(given) and (parameter.many or given not in ([], ()))):
            values[name] = _value(parameter, given)
        elif parameter.required:
            shown = asked.spelt(name)
            raise InputError("usage", shown, "is required", NOTHING, f"add {shown}")
    if spread is not None:
        values[spread.name] = _READERS[spread.kind](rest, spread.name)
    return values


def _is_left_out(value: object) -> bool:
    return value is None or value == "" or value == [] or value == ()


def _value(parameter: Parameter, value: Any) -> Any:
    read = _READERS.get(parameter.kind, _text)
    if parameter.choices and value not in parameter.values():
        hint = suggestion(str(value), parameter.values(), f"one of {', '.join(parameter.values())}")
        raise InputError("bad_option", parameter.name, "is none of its choices", value, hint)
    if not parameter.many:
        return read(value, parameter.name)
    return [read(item, parameter.name) for item in (value if isinstance(value, list | tuple) else [value])]


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise InputError("usage", name, "must be a text", value, "give it as text")
    return value


def _number(value: object, name: str) -> float:
    try:
        if not isinstance(value, bool | list | dict | None) and math.isfinite(number := float(value)):  # type: ignore[arg-type]
            return number
    except (ValueError, OverflowError):
        pass
    raise InputError("bad_number", name, "must be a number", value, "give a number")


def _flag(value: object, name: str) -> bool:
    flag = value if isinstance(value, bool) else FLAGS.get(value) if isinstance(value, str) else None
    if flag is None:
        raise InputError("bad_option", name, "must be true or false", value, "give true or false")
    return flag


def _size(value: object, name: str) -> object:
    """Check a size here: what reads it later may never come to that."""
    claims.Size.read(value, name)
    return value


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


def _scores(values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    for given, value in values.items():
        if isinstance(value, dict | bool):
            raise InputError("bad_number", given[:80], "must be a text or a number", value, "write it as printed")
    return values


def _population(value: object, name: str) -> float | dict[str, Any]:
    """Read a score, or four cells as counts or shares."""
    if isinstance(value, str) and "=" in value:
        return read_cells(value.replace(",", " ").split())
    return dict(value) if isinstance(value, Mapping) else _number(value, name)


# What reads each kind of parameter; those that are not here are texts.
_READERS: Final[Mapping[str, Callable[[Any, str], Any]]] = {
    **dict.fromkeys(("integer", "amount", "cells"), lambda value, name: value),
    "size": _size,
    # Of several sizes, each is one.
    "whole": lambda value, name: whole(value, name.removesuffix("s"), text=True),
    "number": _number,
    "flag": _flag,
    "columns": lambda value, name: [text.strip() for text in _text(value, name).split(",") if text.strip()],
    "pair": lambda value, name: name_and_text(_text(value, name), name, "column=name", "write it as Column=name"),
    "said": lambda value, name: name_and_text(_text(value, name), name, "name=text", "write it as recall=[0.5, 1]"),
    "sets": lambda value, name: claims.read_pairs(value) if isinstance(value, str) else value,
    "table": _table,
    "tables": _tables,
    "reference": lambda value, name: value if isinstance(value, str) else _table(value, name),
    "population": _population,
    "scores": _scores,
}


def _refuse(asked: Asked, names: Sequence[str], what: str) -> None:
    """Refuse what means nothing here."""
    for name in names:
        if not _is_left_out(asked.values.get(name)) and asked.values[name] is not False:
            shown = asked.spelt(name)
            raise InputError("usage", shown, f"cannot be used with {what}", asked.values[name], f"leave {shown} out")


def _score(asked: Asked, *, cells: Mapping[str, Any], metrics: Sequence[str] | None = None, **options: Any) -> Any:
    if asked.files:
        _refuse(asked, ("order",), "a file")
        counts, notes = _labels(asked, asked.files[0], **options)
        return replace(scores(counts, metrics), notes=notes)
    _refuse(asked, ("truth", "prediction", "score", "threshold", "positive", "query"), "counts")
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


def _labels(
    asked: Asked,
    file: DataFile,
    *,
    positive: str | None = None,
    prediction: str | None = None,
    score: str | None = None,
    threshold: float | None = None,
    **read: Any,
) -> tuple[Table | Matrix, tuple[Note, ...]]:
    predicted = any(given is not None for given in (prediction, score, threshold))
    for name, is_named in (("truth", "truth" in read), ("prediction", predicted)):
        if not is_named:
            option = asked.spelt(name)
            problem = f"is required to read {file.label}"
            raise InputError("usage", option, problem, NOTHING, f"add {option} COLUMN")
    column = data.predicted_column(prediction, score, threshold)
    with asked.progress(file) as progress:
        pairs = data.count_labels(file.path, prediction=column, threshold=threshold, progress=progress, **read)
    roles = table.label_roles(pairs, positive=positive, threshold=threshold, prediction=column)
    return roles.counts(pairs), (*roles.notes, *pairs.notes)


def _recover(
    asked: Asked,
    *,
    scores: Mapping[str, Any],
    bounds: Sequence[str] = ("auto",),
    classes: str = "",
    json_version: int = 3,
    dataset: str = "",
    **options: Any,
) -> claims.Recovery:
    if dataset:
        _refuse(asked, ("classes", "positives", "negatives", "total", "sets"), "a known test set")
        known = dict(claims.dataset(dataset).sizes)
        classes = ",".join(map(str, known.pop("classes", ())))
        options |= known
    if "each" in options:
        options["each"] = distinct(options["each"])
    ask: Any = claims.recover
    if classes:
        recovery = ask(classes=classes, bounds=",".join(bounds), **options, **scores)
    else:
        recovery = ask({**scores, **options}, bounds=",".join(bounds))
    return _in_version(recovery, json_version).finish()  # type: ignore[no-any-return]


def _in_version(result: Any, version: int) -> Any:
    """Return an answer whose JSON is in this version of its schema, or in the one before."""
    now = result.json_version
    if version not in (now, now - 1):
        raise InputError("bad_option", "json_version", "is not known", version, f"one of {now}, {now - 1}")
    return replace(result, json_version=version)


def _check(asked: Asked, *, jobs: int = 1, fail_on: str = "", json_version: int = 2, **options: Any) -> Any:
    """Check documents; the one called - is standard input."""
    documents = [_document(file.path) for file in asked.files]
    columns = known_meanings(options.pop("map", ()))
    kept: dict[str, Any] = {"keep_in": asked.keep_in, "tell": asked.tell}
    with asked.waiting("Checking") as progress:
        result = reports.check(*documents, columns=columns, n_jobs=jobs, progress=progress, **kept, **options)
    return _in_version(result, json_version).named({file.path: file.label for file in asked.files})


def known_meanings(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return what somebody says that columns are; a meaning that nothing has would drop its column unseen."""
    from ..reports.names import read_name

    for head, meaning in pairs:
        if meaning != reports.UNUSED and read_name(meaning).role == "other":
            hint = suggestion(meaning, METRICS, f"write a score, a size or {reports.UNUSED!r}")
            raise InputError("unknown_metric", "map", f"does not know what {head} is", meaning, hint)
    return distinct(pairs)


def _preview(asked: Asked) -> Any:
    [file] = asked.files
    return reports.preview(_document(file.path))


def _document(path: str) -> Path | str:
    """Return a document's path, or the text on standard input, which may have no end."""
    if path != "-":
        return Path(path)
    text = sys.stdin.read(_LONGEST_INPUT + 1)
    if len(text) > _LONGEST_INPUT:
        hint, shown = "give the part with the results", verbatim("more on standard input")
        raise TooLarge("too_large", "document", f"is longer than {_LONGEST_INPUT:,} characters", shown, hint)
    return text


def _recover_regression(asked: Asked, *, scores: Mapping[str, Any], **options: Any) -> Any:
    for name in scores:
        if name not in _OF_REGRESSIONS:
            hint = suggestion(name, _OF_REGRESSIONS, f"there are {', '.join(_OF_REGRESSIONS)}")
            raise InputError("unknown_metric", name[:80], "is not a score of a regression", name, hint)
    return claims.recover_regression(**options, **scores)


def _protocols(
    asked: Asked, *, scores: Mapping[str, Any], sets: Sequence[str] = (), json_version: int = 2, **options: Any
) -> Any:
    if sets:
        named = [name_and_text(text, "sets", "name=sets", "") if "=" in text else ("", text) for text in sets]
        lists = {name: claims.read_pairs(text) for name, text in named}
        if len(lists) < len(named):
            hint = "give each a name of its own: small=12:30,140:20"
            raise InputError("ambiguous", "sets", "come several times under one name", len(named), hint)
        options["sets"] = lists[""] if list(lists) == [""] else lists
    return _in_version(claims.protocols(**options, **scores), json_version)


def _sizes(asked: Asked, **options: Any) -> Any:
    [file] = asked.files
    return claims.sizes(claims.result_rows(_filled_rows(file, lambda done: None, asked)), **options)


def _lead(asked: Asked, *, first: str, second: str, **options: Any) -> Any:
    hint = "write accuracy=0.85,recall=0.80"
    sides = ([part for part in text.split(",") if part.strip()] for text in (first, second))
    a, b = (distinct(name_and_text(part, "scores", "name=text", hint) for part in parts) for parts in sides)
    return claims.lead(a, b, **options)


def _review(asked: Asked, *, jobs: int = 1, output: str = "", **options: Any) -> Iterator[tuple[dict[Any, Any], float]]:
    """Yield each row with its verdict, and how far the table is read."""
    [file] = asked.files
    columns = distinct(options.pop("map", ()))
    share = [0.0]

    def advance(done: float) -> None:
        share[0] = min(done, 1.0)
        if progress is not None:
            progress(done)

    with asked.progress(file) as progress:
        empty = True
        rows = islice(_filled_rows(file, advance, asked), asked.skipped, None)
        for row in claims.review(rows, columns=columns, n_jobs=jobs, **options):
            empty = False
            yield row, share[0]
    if empty and not asked.skipped:
        raise InputError("empty", "table", "has a header but no rows", file.label, "check how it was written")


def _filled_rows(file: DataFile, advance: Callable[[float], None], asked: Asked) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table; each that has none but empty cells is told of."""
    book = Path(file.label).suffix.casefold() in reports.BOOKS
    rows = (
        reports.book_rows(Path(file.path))
        if book
        else data.read_rows(file.path, advance, empty_rows=True, faults=asked.faults)
    )
    for row in rows:
        if any(str(value).strip() for name, value in row.items() if name is not None and value is not None):
            yield row
        else:
            asked.empty_row()


def _compare_groups(asked: Asked, *, metric: str, group: Table, reference: Table, **options: Any) -> Any:
    if isinstance(find(metric), Contrast):
        _refuse(asked, ("reference_known", "draws", "seed"), "a measure of two groups")
        return groups.contrast_interval(group, reference, metric, **options)
    return groups.compare_groups(group, reference, metric, **options)


def _match(asked: Asked, *, metric: str, group: Table, reference: Table, **options: Any) -> Any:
    return groups.match(group, reference, metric, **options)


def _smooth(asked: Asked, *, group: Table, reference: Table | None = None, **options: Any) -> Any:
    if "epsilon" in options:
        _refuse(asked, ("strength", "reference"), asked.spelt("epsilon"))
    return groups.smooth(group, reference, **options)


def _audit(
    asked: Asked, *, metric: Sequence[str] | None = None, output: str = "", fail_on: str = "", **options: Any
) -> Any:
    with asked.progress(asked.files[0]) as progress:
        return groups.audit(asked.files[0].path, metrics=metric, progress=progress, **options)


def _compare(
    asked: Asked, *, prediction: Sequence[str], metric: Sequence[str] | None = None, output: str = "", **options: Any
) -> Any:
    if len(asked.files) > 2:
        hint = "compare two at a time"
        raise InputError("usage", "file", "must be one or two", len(asked.files), hint)
    first, *rest = asked.files
    if rest and len(set(prediction)) == 1:
        options["names"] = groups.short_names(*(file.label for file in asked.files))
    with asked.progress(first) as progress:
        given = {"prediction": prediction, "metrics": metric, "progress": progress, **options}
        return groups.compare_models(first.path, rest[0].path if rest else None, **given)


def _plan(asked: Asked, *, metric: str, **options: Any) -> Any:
    with asked.waiting("Planning") as progress:
        return groups.plan(metric, progress=progress, **options)


def _certainty(asked: Asked, **given: Any) -> Any:
    from .certainty import answer_certainty

    return answer_certainty(asked, **given)


_CALLS: Final[Mapping[str, Callable[..., Any]]] = {
    "metrics": lambda asked, name=None: Catalogue.all() if name is None else solve.describe(name),
    "glossary": lambda asked: answers.GLOSSARY,
    "score": _score,
    "holes": lambda asked, metric, sizes: solve.holes(metric, sizes),
    "recover": _recover,
    "check": _check,
    "preview": _preview,
    "recover-regression": _recover_regression,
    "protocols": _protocols,
    "review": _review,
    "sizes": _sizes,
    "datasets": lambda asked, name="": claims.datasets(name),
    "lead": _lead,
    "compare-groups": _compare_groups,
    "match": _match,
    "smooth": _smooth,
    "audit": _audit,
    "audit-tables": lambda asked, **given: groups.audit_tables(**given),
    "compare": _compare,
    "plan": _plan,
    "certainty": _certainty,
}
