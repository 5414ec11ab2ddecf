"""A document as markdown, and its tables as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from ..answers import document
from ..document import Block, Column, Details, Facts, Grid, Heading, Items, Notes, Sentence, shown
from ..words import UNSHOWN, sentence


def markdown(result: Any) -> str:
    """Return a result as markdown: words, lists and tables.

    Examples
    --------
    >>> from fourfold.solve import holes
    >>> print(markdown(holes("mcc", 2)))
    **8 of 10 tables of size 2 (80.0 %) leave Matthews correlation coefficient undefined.**
    <BLANKLINE>
    - 3  no predicted positives
    - 3  no actual positives
    - 3  no actual negatives
    - 3  no predicted negatives
    <BLANKLINE>
    (some have several reasons)
    """
    answer = document(result)
    parts = [f"**{_plain(answer.title)}.**", *map(_markdown, answer.shown_in("page", drawn=False))]
    return "\n\n".join(part for part in parts if part)


def _markdown(block: Block) -> str:
    match block:
        case Heading():
            return f"### {_plain(block.text)}"
        case Sentence():
            return _plain(block.text)
        case Items():
            return "\n".join(f"- {_plain(item)}" for item in block.items)
        case Notes():
            return "\n".join(f"- Note: {_plain(note.text)}." for note in block.notes)
        case Facts():
            return _pipes(["", ""], ["---", "---"], [list(fact) for fact in block.facts.items()])
        case Grid():
            return grid_markdown(block)
        case Details():
            lines = [
                f"### {_plain(block.caption)}\n",
                *(f"- {_plain(f'{one.title}: {one.verdict}')}" for one in block.details),
            ]
            return "\n".join([*lines, *([f"- ... and {block.left_out} more"] if block.left_out else [])])
    return ""


def grid_markdown(block: Grid) -> str:
    """Return one table as markdown; columns of bars are left out."""
    columns, rows = _without_bars(block)
    rules = ["---" if column.is_left else "---:" for column in columns]
    table = _pipes([column.name for column in columns], rules, rows)
    return f"{table}\n\n... and {block.left_out} more" if block.left_out else table


def _pipes(heads: Sequence[str], rules: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [map(_cell, heads), rules, *(map(_cell, row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    return _plain(text).replace("|", "\\|")


def _plain(text: str) -> str:
    """Return text whose characters mean nothing to markdown."""
    return re.sub(r"([\\`*_<>\[\]#])", r"\\\1", _one_line(text))


def _one_line(text: str) -> str:
    return " ".join(text.translate(UNSHOWN).splitlines())


def latex(result: Any) -> str:
    r"""Return the tables of a result as LaTeX (package booktabs), each with what it shows as its caption.

    Examples
    --------
    >>> from fourfold.groups import audit_tables
    >>> text = latex(audit_tables({"a & b": {"tp": 8, "fn": 2, "fp": 3, "tn": 7}}, metrics=["recall"]))
    >>> r"a \& b" in text and r"\begin{tabular}{lrlrrrrrl}" in text
    True
    """
    answer = document(result)
    sides = [Column("", "text"), Column("", "text")]
    blocks = [
        Grid(answer.kind, sides, list(block.facts.items())) if isinstance(block, Facts) else block
        for block in answer.shown_in("page")
    ]
    grids = [_latex(block) for block in blocks if isinstance(block, Grid)]
    return "\n\n".join([f"% {_escaped(sentence(answer.title))}.", *grids])


def _latex(block: Grid) -> str:
    columns, rows = _without_bars(block)
    sides = "".join("l" if column.is_left else "r" for column in columns)
    start = [r"\begin{table}", rf"\caption{{{_escaped(block.caption)}}}", rf"\begin{{tabular}}{{{sides}}}", r"\toprule"]
    names = [column.name for column in columns]
    heads = [_ampersands(names), r"\midrule"] if any(names) else []
    more = [rf"\multicolumn{{{len(columns)}}}{{l}}{{... and {block.left_out} more}} \\"] if block.left_out else []
    end = [*more, r"\bottomrule", r"\end{tabular}", r"\end{table}"]
    return "\n".join([*start, *heads, *map(_ampersands, rows), *end])


def _ampersands(texts: Sequence[str]) -> str:
    line = " & ".join(map(_escaped, texts)) + r" \\"
    # After the end of a row these would be read as an option of it.
    return f"{{}}{line}" if line.startswith(("[", "*")) else line


_SPECIAL: Final = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(sign, sign) for sign in _one_line(text))


def _without_bars(block: Grid) -> tuple[list[Column], list[list[str]]]:
    """Return the columns that can be written and their cells; a bar's column stays where it holds words."""
    kinds = [column.kind for column in block.columns]
    rows = [[shown(cell.value, kind) for cell, kind in zip(row, kinds, strict=True)] for row in block.cells()]
    kept = [i for i, column in enumerate(block.columns) if column.kind != "bar" or any(row[i] for row in rows)]
    return [block.columns[i] for i in kept], [[row[i] for i in kept] for row in rows]
