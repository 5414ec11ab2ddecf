"""The file of words by which documents are read: each is written as it is compared, and means one score."""

from __future__ import annotations

from collections import Counter

import pytest

import fourfold as ff
from fourfold.reports.cells import column, key
from fourfold.reports.names import read_name
from fourfold.reports.vocabulary import _FILE, IN_COLUMNS, IN_HEADS, PARTS, WORDS


@pytest.mark.parametrize("kind", ["columns", "heads"])
def test_a_name_means_one_score(kind: str) -> None:
    names = Counter(name for one in _FILE["scores"].values() for name in one.get(kind, ()))
    assert set(names.values()) == {1}
    assert {*_FILE["scores"]} <= {*ff.METRICS}


def test_names_are_written_as_they_are_compared() -> None:
    assert [name for name in IN_HEADS if key(name) != name] == []
    words = [*IN_COLUMNS, *PARTS, *(word for kind in WORDS.values() for word in kind)]
    assert [word for word in words if word != word.casefold()] == []


@pytest.mark.parametrize("name", IN_COLUMNS)
def test_a_head_of_a_column_means_its_score(name: str) -> None:
    assert read_name(name.capitalize()).score == IN_COLUMNS[name].id


@pytest.mark.parametrize("name", IN_HEADS)
def test_a_head_of_a_report_means_its_score(name: str) -> None:
    found = column(name)
    assert found is not None
    assert found.name == IN_HEADS[name]


#: As tools and papers in these languages print them, each with what a speaker says that it means.
FOREIGN = {
    "Genauigkeit": "accuracy",
    "Trefferquote": "recall",
    "Präzision": "precision",
    "Sensibilité": "recall",
    "Spezifität": "specificity",
    "Exactitud": "accuracy",
    "Exhaustividad": "recall",
    "Acurácia": "accuracy",
    "Richiamo": "recall",
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_name_is_read_in_a_table(name: str) -> None:
    text = f"| Modell | {name} | F1 |\n|---|---|---|\n| A | 0.85 | 0.80 |\n| B | 0.75 | 0.70 |\n"
    first, _ = ff.read(text)
    assert first.scores == {FOREIGN[name]: "0.85", "f1": "0.80"}
