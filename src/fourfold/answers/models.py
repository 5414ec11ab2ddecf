"""What a comparison of two models found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ..document import Block, Cell, Column, Document, Grid, Heading, Items, Notes, Sentence
from ..groups import ModelComparison, ModelFinding, PairedComparison
from ..words import count_of, effect, in_sentence, level, number, p_words
from .any_result import document, label_of, plain_document

_MOST_NAMED: Final = 6
_MOST_ROWS: Final = 500


@document.register
def _(result: PairedComparison) -> Document:
    scores = f"{number(result.score_a)} and {number(result.score_b)}"
    return plain_document(result, f"{result.label} of two models on {count_of(result.n, 'row')}: {scores}")


@document.register
def _(result: ModelComparison) -> Document:
    different = [finding for finding in result.findings if finding.verdict == "different"]
    one, other = result.models
    title = f"No difference between {one} and {other} is shown"
    if different:
        better = different[0].comparison.difference
        title = f"{one} and {other} differ in {len(different)} of {count_of(len(result.findings), 'comparison')}"
        if len(different) == 1 and better is not None:
            where = f"{in_sentence(different[0].comparison.label)} on {different[0].group}"
            title = f"{one} is {'higher' if better > 0 else 'lower'} than {other} in {where}"
    blocks = [Sentence(f"{title}.", strong=True, place="terminal"), *_blocks(result, different)]
    return Document("Two models on the same rows", title, "differs" if different else "plain", blocks)


def _blocks(result: ModelComparison, different: list[ModelFinding]) -> Iterator[Block]:
    more = len(different) - _MOST_NAMED
    named = [_named(finding) for finding in different[:_MOST_NAMED]]
    yield Items([*named, *([f"and {more} more"] if more > 0 else [])])
    for name in result.metrics:
        findings = [finding for finding in result.findings if finding.comparison.metric == name]
        yield Heading(f"{label_of(name)}: {_effect(findings[0])}")
        yield _grid(result, name, findings)
    yield Sentence(_line(result), quiet=True)
    yield Notes(result.notes)


def _effect(finding: ModelFinding) -> str:
    """Say the two scores and in how many rows each model is the better one."""
    comparison = finding.comparison
    rows = f"better on {count_of(comparison.only_a, 'row')}, worse on {comparison.only_b}"
    return f"{number(comparison.score_a)} and {number(comparison.score_b)}, {rows}"


def _named(finding: ModelFinding) -> str:
    comparison = finding.comparison
    off = f"difference {effect(comparison.difference, comparison.low, comparison.high)}, {p_words(finding.p_holm)}"
    return f"{finding.group}: {in_sentence(comparison.label)} {_effect(finding)}; {off}"


def _line(result: ModelComparison) -> str:
    one, other = result.models
    tests = count_of(result.tests, "test") + (", corrected by Holm's method" if result.tests > 1 else "")
    drawn = f"; {result.draws} random swaps each, seed {result.seed}" if result.draws else ""
    return f"{count_of(result.rows_read, 'row')}. Differences are {one} minus {other}; {tests}{drawn}."


def _grid(result: ModelComparison, name: str, findings: list[ModelFinding]) -> Grid:
    one, other = result.models
    rights = [Column("better", "count"), Column("worse", "count")]
    off = Column(f"difference ({level(result.level)} interval)", "effect")
    lead = [Column("group", "text"), Column("n", "count"), Column(one), Column(other)]
    columns = [*lead, *rights, off, Column("p", "chance"), Column("Holm", "chance"), Column("verdict", "words")]
    rows = [_cells(finding) for finding in findings[:_MOST_ROWS]]
    left_out = max(0, len(findings) - _MOST_ROWS)
    return Grid(f"{label_of(name)} of {one} and of {other}", columns, rows, left_out=left_out)


def _cells(finding: ModelFinding) -> list[Any]:
    comparison, marked = finding.comparison, finding.verdict == "different"
    scores = [comparison.n, comparison.score_a, comparison.score_b, comparison.only_a, comparison.only_b]
    off = (comparison.difference, comparison.low, comparison.high)
    tested = [Cell(off, marked), Cell(comparison.p_value, marked), Cell(finding.p_holm, marked)]
    return [Cell(finding.group, marked), *scores, *tested, "; ".join(_words(finding))]


def _words(finding: ModelFinding) -> list[str]:
    """Say in a few words what a reader should know of a comparison."""
    comparison, words = finding.comparison, list[str]()
    if finding.verdict == "different":
        words.append("different")
    elif finding.verdict == "too few":
        rows = "no row differs" if not comparison.differ else f"only {count_of(comparison.differ, 'row')} differ"
        words.append(f"too few to tell: {rows.replace('1 row differ', '1 row differs')}")
    elif comparison.p_value is not None:
        words.append("only if tested alone" if comparison.p_value <= 1 - comparison.level else "not shown")
    return words + [note.text for note in comparison.notes if note.code in ("score_undefined", "undefined_mass")]
