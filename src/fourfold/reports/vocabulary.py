"""The words by which documents are read, from one file: names of scores in other languages, short forms, heads."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal, TypeAlias

from ..metrics import METRICS, Metric
from ..metrics import NAME_WORDS as _OF_METRICS

Part: TypeAlias = Literal["", "train", "validation", "test", "cross-validation", "external"]

_FILE: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
#: Names that only the head of a column gives, beside other scores; in a sentence they are words or letters.
IN_COLUMNS: Final[Mapping[str, Metric]] = {
    name: METRICS[score] for score, names in _FILE["scores"].items() for name in names.get("columns", ())
}
#: Short and foreign names that the catalogue does not have, without accents.
IN_HEADS: Final[Mapping[str, str]] = {
    name: score for score, names in _FILE["scores"].items() for name in names.get("heads", ())
}
#: Words by what they stand for.
WORDS: Final[Mapping[str, frozenset[str]]] = {kind: frozenset(words) for kind, words in _FILE["words"].items()}
#: Parts of the data by the words for them.
PARTS: Final[Mapping[str, Part]] = {word: part for part, words in _FILE["parts"].items() for word in words}
#: Short names that count where both of a pair are there.
SHORT_PAIRS: Final = tuple(tuple(map(frozenset[str], pair)) for pair in _FILE["pairs"].values())
#: Words of which a text that names a score has at least one.
NAME_WORDS: Final = _OF_METRICS | {name for name in IN_COLUMNS if len(name) > 1}
