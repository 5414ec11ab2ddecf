"""The documentation and the messages keep to the house vocabulary, and what a newcomer reads first reads easily."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ..conftest import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

import prose


def test_documentation_and_messages_keep_to_the_house_vocabulary() -> None:
    found = prose.check()
    assert not found, "\n".join(map(str, found))


@pytest.mark.parametrize("page", prose.FIRST, ids=lambda page: page.stem)
def test_what_a_newcomer_reads_first_reads_easily(page: Path) -> None:
    limits, read = prose.vocabulary()["limits"], prose.ease(page)
    assert read.words_per_sentence <= limits["words_per_sentence_of_first_pages"]
    assert read.grade <= limits["grade_of_first_pages"]


def test_mannered_english_is_found() -> None:
    texts = [
        "Those are left out and said.",
        "Look at it before the report leaves the house.",
        "Do a paper again: its figures and its tables.",
        "Cases with a say count twice.",
        "The color of a bar.",
        "It is possible only if something is so.",
    ]
    for text in texts:
        assert list(prose.departures("here", text)), text
    assert not list(prose.departures("here", "These samples are left out and counted; their colour says why."))


def test_long_sentences_are_found() -> None:
    limit = prose.vocabulary()["limits"]["words_in_a_sentence"]
    assert not list(prose.long_sentences("here", "word " * limit + "."))
    assert list(prose.long_sentences("here", "word " * (limit + 1) + "."))


def test_docstrings_comments_and_names_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    file = tmp_path / "module.py"
    file.write_text('"""What is said here."""\n\n\ndef _told(own: int) -> int:\n    # Made anew.\n    return own\n')
    texts = dict(prose.docstrings_and_comments(file))
    assert texts == {"module.py:1": "What is said here.", "module.py:5": "Made anew."}
    assert [name.text for name in prose.vague_names(file)] == ["_told", "own"]
    assert {path.name for path in prose.rooms_in_these_words()} >= {"shape.py", "matching.py"}


def test_messages_of_every_kind_are_read() -> None:
    texts = {text for _, text in prose.messages()}
    assert "must be a whole number, 0 or more" in texts  # an error
    assert "The column of actual labels." in texts  # help of an option
    assert "Rows without a label were left out." in texts  # what a note means
    assert "What is printed." in texts  # a field of a result


def test_the_grade_is_that_of_flesch_and_kincaid(tmp_path: Path) -> None:
    # 13 words in 2 sentences, with 14 syllables: only model has two.
    page = tmp_path / "page.md"
    page.write_text("# A heading\n\nThe cat sat on the mat. A model is judged by its scores.\n", encoding="utf-8")
    read = prose.ease(page)
    assert (read.words, read.sentences, read.syllables) == (13, 2, 14)
    assert read.grade == pytest.approx(0.39 * 6.5 + 11.8 * 14 / 13 - 15.59)


@pytest.mark.parametrize(
    ("word", "count"),
    [
        ("cat", 1),
        ("model", 2),
        ("scores", 1),
        ("judged", 1),
        ("table", 2),
        ("counted", 2),
        ("classes", 2),
        ("possible", 3),
    ],
)
def test_syllables(word: str, count: int) -> None:
    assert prose.syllables(word) == count
