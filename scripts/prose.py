"""Checks the prose of documentation, messages and source against the house vocabulary, scripts/vocabulary.toml.

`python scripts/prose.py` lists what it finds, and how easily the home page and the tutorials read. The tests run it,
too.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from markdown_it import MarkdownIt

ROOT: Final = Path(__file__).parent.parent
DOCS: Final = ROOT / "docs"
#: What a newcomer reads first must read more easily than the rest.
FIRST: Final = (DOCS / "index.md", *sorted(DOCS.glob("start/*.md")), *sorted(DOCS.glob("tutorial/*.md")))
#: Where nearly all texts are for people: answers, help, messages. Elsewhere those of errors, notes and fields are.
SPEAKING: Final = ("answers", "questions", "cli.py", "errors.py")
_TO_PEOPLE: Final = {"Annotated", "FourfoldError", "InputError", "MissingExtra", "Note", "TooLarge"}
SOURCE: Final = ROOT / "src" / "fourfold"
#: Rooms whose docstrings, comments and names are still to be written in these words.
NOT_YET: Final = ("claims", "documents", "reports", "solve")
_CODE: Final = re.compile(r"``.*?``|`[^`]*`|^\s*>>>.*?(?:\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)
_ENDS: Final = re.compile(r"(?<=[.!?])[\"”)*_]*\s+(?=[\"“(*_]*[A-Z0-9`])")
_NOT_ENDS: Final = re.compile(r"\b(e\.g|i\.e|et al|vs|no|No|cf)\.|(?<=\d)\.(?=\d)|\.\.\.")
_WORD: Final = re.compile(r"[A-Za-zÀ-ž][\w'’-]*")


@dataclass(frozen=True, slots=True)
class Found:
    """A place where the text departs from the house vocabulary."""

    place: str
    text: str
    advice: str

    def __str__(self) -> str:
        return f"{self.place}: {self.text!r}: {self.advice}"


@cache
def vocabulary() -> dict[str, Any]:
    """Return the house vocabulary."""
    return tomllib.loads((ROOT / "scripts" / "vocabulary.toml").read_text(encoding="utf-8"))


@cache
def _patterns(*tables: str) -> list[tuple[re.Pattern[str], str]]:
    words = {pattern: advice for table in tables for pattern, advice in vocabulary()[table].items()}
    return [
        (re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])", re.IGNORECASE), advice) for pattern, advice in words.items()
    ]


def pages() -> list[Path]:
    """Return README and every page, but for the documents of the examples."""
    return [ROOT / "README.md", *(page for page in sorted(DOCS.rglob("*.md")) if page.parent != DOCS / "examples")]


def blocks(page: Path) -> Iterator[tuple[int, str, bool]]:
    """Yield the text of a page: its line, the text without code and links, and whether it is running text."""
    in_table = in_heading = False
    for token in MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8")):
        in_table = token.type == "table_open" or (in_table and token.type != "table_close")
        in_heading = token.type == "heading_open" or (in_heading and token.type != "heading_close")
        if token.type == "inline" and token.children:
            parts = ["X" if part.type == "code_inline" else part.content or " " for part in token.children]
            line = token.map[0] + 1 if token.map else 0
            yield line, " ".join("".join(parts).split()), not (in_table or in_heading)


def sentences(text: str) -> list[str]:
    """Split a paragraph into its sentences.

    >>> sentences("Give 0.5 or more. It is read by scikit-learn, e.g. by its scorers. Is it?")
    ['Give 0.5 or more.', 'It is read by scikit-learn, e.g. by its scorers.', 'Is it?']
    """
    kept = _NOT_ENDS.sub(lambda found: found[0].replace(".", "\0"), text)
    return [part.replace("\0", ".") for part in _ENDS.split(kept) if part.strip()]


def syllables(word: str) -> int:
    """Count the syllables of an English word, by its groups of vowels.

    >>> [syllables(word) for word in ("table", "score", "recall", "possible", "undecided", "the", "counted")]
    [2, 1, 2, 3, 4, 1, 2]
    """
    word = re.sub(r"[^a-z]", "", word.lower())
    groups = len(re.findall(r"[aeiouy]+", word))
    silent = bool(re.search(r"[^aeiouyl]es?$|[^aeiouytd]ed$", word)) and not re.search(r"([sxzcg]|[cs]h)es$", word)
    return max(1, groups - silent)


@dataclass(frozen=True, slots=True)
class Ease:
    """How easily a text reads."""

    words: int
    sentences: int
    syllables: int

    @property
    def words_per_sentence(self) -> float:
        """The mean length of a sentence."""
        return self.words / self.sentences

    @property
    def grade(self) -> float:
        """The grade of Flesch and Kincaid: the years of school that a reader needs."""
        return 0.39 * self.words_per_sentence + 11.8 * self.syllables / self.words - 15.59


def ease(page: Path) -> Ease:
    """Measure the running text of a page."""
    found = [sentence for _, text, running in blocks(page) if running for sentence in sentences(text)]
    words = [word for sentence in found for word in _WORD.findall(sentence)]
    return Ease(len(words), len(found), sum(map(syllables, words)))


def messages() -> Iterator[tuple[str, str]]:
    """Yield the texts in the source that people read: a place and the text, without docstrings and names."""
    for file in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        speaking = file.relative_to(SOURCE).parts[0] in SPEAKING
        for root in [tree] if speaking else list(_to_people(tree)):
            docstrings = {id(node.value) for node in ast.walk(root) if isinstance(node, ast.Expr)}
            for node in ast.walk(root):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                    yield f"{file.relative_to(ROOT)}:{node.lineno}", " ".join(node.value.split())


def _to_people(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield what makes an error, a note or the description of a field."""
    for node in ast.walk(tree):
        made = node.func if isinstance(node, ast.Call) else node.value if isinstance(node, ast.Subscript) else None
        if isinstance(made, ast.Name) and made.id in _TO_PEOPLE:
            yield node


def rooms_in_these_words() -> list[Path]:
    """Return the modules whose docstrings, comments and names keep to the vocabulary."""
    return [file for file in sorted(SOURCE.rglob("*.py")) if file.relative_to(SOURCE).parts[0] not in NOT_YET]


def docstrings_and_comments(file: Path) -> Iterator[tuple[str, str]]:
    """Yield the texts of a module that its readers read: a place and the text, without code and examples."""
    source, name = file.read_text(encoding="utf-8"), file.relative_to(ROOT)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield f"{name}:{node.lineno}", " ".join(_CODE.sub("X", node.value.value).split())
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield f"{name}:{token.start[0]}", _CODE.sub("X", token.string.lstrip("#: "))


def vague_names(file: Path) -> Iterator[Found]:
    """Yield the names of a module that do not tell what they hold; fields of results are published, and stay."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    fields = {
        id(part.target)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for part in node.body
        if isinstance(part, ast.AnnAssign)
    }
    for node in ast.walk(tree):
        name = ""
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in fields:
            name = node.id
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            name = node.name
        elif isinstance(node, ast.arg):
            name = node.arg
        if advice := vocabulary()["names"].get(name.strip("_").lower()):
            yield Found(f"{file.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}", name, advice)


def departures(place: str, text: str, *more: str) -> Iterator[Found]:
    """Yield the words and phrases of a text that the house avoids, by the vocabulary and by more tables of it."""
    for pattern, advice in _patterns("avoid", "spelling", *more):
        for match in pattern.finditer(text):
            yield Found(place, match[0], advice)


def long_sentences(place: str, text: str) -> Iterator[Found]:
    """Yield the sentences that are too long to read in one go."""
    most = vocabulary()["limits"]["words_in_a_sentence"]
    for sentence in sentences(text):
        if (count := len(_WORD.findall(sentence))) > most:
            yield Found(place, sentence, f"{count} words; cut it in two, at most {most}")


def check() -> list[Found]:
    """Return all that departs from the house vocabulary."""
    found: list[Found] = []
    for page in pages():
        for line, text, running in blocks(page):
            place = f"{page.relative_to(ROOT)}:{line}"
            found += departures(place, text)
            found += long_sentences(place, text) if running else []
    for place, text in messages():
        found += departures(place, text)
    for file in rooms_in_these_words():
        for place, text in docstrings_and_comments(file):
            found += departures(place, text, "source")
        found += vague_names(file)
    return found


def main() -> None:
    """Print what is found, and how easily the first pages read."""
    for found in check():
        print(found)
    print(f"{'page':32}  words  words a sentence  grade")
    for page in FIRST:
        name, read = str(page.relative_to(DOCS)), ease(page)
        print(f"{name:32}  {read.words:5}  {read.words_per_sentence:16.1f}  {read.grade:5.1f}")


if __name__ == "__main__":
    main()
