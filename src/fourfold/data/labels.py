"""Labels are texts, alike from every source: what a file says in characters, another one says in numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

# What programs write where a label is missing. "none" is not among them: it may be a class.
MISSING: Final = frozenset({"", "nan", "na", "n/a", "#n/a", "<na>", "null"})
#: A number as programs write it. 01, 1_0, +1 and 1e3 are texts: no program writes the label 1, 10 or 1000 so.
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_NO_FRACTION: Final = re.compile(r"\.0+")
_FLAGS: Final = {"true": "1", "false": "0"}


def plain(value: Any) -> Any:
    """Return a value as Python has it; None for nan and for any frame's null."""
    if type(value) in (str, int, bool):
        return value
    try:
        if value is None or bool(value != value):
            return None
    except TypeError:  # a null that refuses to be compared, such as pandas' NA
        return None
    return value.item() if hasattr(value, "dtype") else value


def stripped(value: Any) -> Any:
    """Return a value as Python has it, a text without blanks around it; None where it is missing or nothing else."""
    value = plain(value)
    return value.strip() or None if isinstance(value, str) else value


def known(value: Any) -> Any:
    """Return a label, None where it is missing: a text may say so, too.

    Examples
    --------
    >>> known(" sick "), known("NA"), known(float("nan")), known(0)
    ('sick', None, None, 0)
    """
    value = stripped(value)
    return None if isinstance(value, str) and value.casefold() in MISSING else value


def alike(columns: Sequence[Iterable[Any]]) -> list[Mapping[Any, Any]]:
    """Return for each column of labels what each of its values stands for, None where it is missing.

    Values with one text are one label, as the first column has it. If all texts are numbers, 1.0 is 1, and is called
    1: a column with gaps is one of floats. If all are truth values, or some columns hold these and the others 0 and 1,
    True is 1.

    Examples
    --------
    >>> alike([[1, 0], ["1.0", "0.0", ""]])
    [{1: 1, 0: 0}, {'1.0': 1, '0.0': 0, '': None}]
    >>> alike([["01", "1", "1.0"]])
    [{'01': '01', '1': '1', '1.0': '1.0'}]
    """
    texts = [{value: _text(value) for value in column} for column in columns]
    spelt = _spelling([{text for text in column.values() if text is not None} for column in texts])
    labels: dict[str, Any] = {}
    for column in texts:
        # Of 1 and "1" in one column any may come first: numbers do.
        for value, text in sorted(column.items(), key=lambda pair: (isinstance(pair[0], str), str(pair[0]))):
            if text is not None:
                labels.setdefault(spelt[text], _as_text(text, spelt) if isinstance(value, str) else _as_whole(value))
    return [
        {value: None if text is None else labels[spelt[text]] for value, text in column.items()} for column in texts
    ]


def _text(value: Any) -> str | None:
    label = known(value)
    return None if label is None else str(_as_whole(label))


def _spelling(columns: Sequence[set[str]]) -> dict[str, str]:
    """Return what tells whether two texts are one label."""
    texts = set().union(*columns)
    if all(map(_NUMBER.fullmatch, texts)):
        return {text: _whole(text) for text in texts}
    # A column is one of truth values or one of 0 and 1: True beside 1 in one column are two labels.
    if all(column <= {"0", "1"} or {text.casefold() for text in column} <= {*_FLAGS} for column in columns):
        return {text: _FLAGS.get(text.casefold(), text) for text in texts}
    return {text: text for text in texts}


def _whole(text: str) -> str:
    whole, dot, fraction = text.partition(".")
    if dot and not _NO_FRACTION.fullmatch(dot + fraction):
        return text
    return "0" if whole == "-0" else whole


def _as_whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _as_text(text: str, spelt: Mapping[str, str]) -> str:
    """Return how a label of texts is spelt: a number without a fraction, all else as it is written."""
    return text if text.casefold() in _FLAGS else spelt[text]
