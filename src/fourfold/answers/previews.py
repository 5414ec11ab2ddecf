"""What something is that was given: its columns, each with what else it could be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..document import Block, Cell, Choose, Column, Document, Grid, Items, Notes, Sentence
from ..reports import ROLES, Preview, PreviewColumn
from .any_result import document

_TITLES: Final = {
    "cases": "Predictions, a case a row",
    "tables": "Tables of groups",
    "scores": "Scores to check",
    "text": "A text to check",
    "nothing": "No table was found",
}
_ROLE_WORDS: Final = {
    "truth": "actual label",
    "prediction": "predicted label",
    "score": "a score, with a threshold",
    "group": "makes groups",
    "probability": "probability of a class",
    "key": "name of the case",
    "not used": "not used",
}
_FITS: Final = {
    "check": "Can it be true?",
    "groups": "Is a group different?",
    "certainty": "How sure is it?",
}
_MISSING: Final = {
    "truth": "Say which column holds the actual labels.",
    "prediction": "Say which column holds the predicted labels, or a score.",
    "group": "Say which column makes the groups.",
}


@document.register
def _(result: Preview) -> Document:
    title = _TITLES[result.content]
    return Document("What was given", title, "plain", list(_blocks(result, title)))


def _blocks(result: Preview, title: str) -> Iterator[Block]:
    yield Sentence(f"{title}. The question that fits: {_FITS[result.fits]}", strong=True, place="terminal")
    yield Items(list(_open_choices(result)))
    if result.columns:
        columns = [Column("column", "text"), Column("first values", "words"), Column("taken for", "words")]
        # What is used comes first: data can have hundreds of columns.
        ordered = sorted(result.columns, key=lambda column: column.role == "not used")
        cases = result.content == "cases"
        yield Grid("Columns", columns, [_row(column, cases=cases) for column in ordered])
    yield Notes(result.notes)


def _row(column: PreviewColumn, *, cases: bool) -> list[object]:
    words = _ROLE_WORDS.get(column.role, column.role)
    options = [(role, _ROLE_WORDS[role], "") for role in ROLES]
    choose = Choose(column.name, options, column.role) if cases else None
    return [column.name, ", ".join(column.examples), Cell(words, choose=choose)]


def _open_choices(result: Preview) -> Iterator[str]:
    """Say what of cases is not known yet."""
    if result.content != "cases":
        return
    predicted = result.named("prediction") or result.named("score") or result.named("probability")
    known = {"truth": result.named("truth"), "prediction": predicted, "group": result.named("group")}
    for role, words in _MISSING.items():
        if not known[role] and (role != "group" or result.fits == "groups"):
            yield words
