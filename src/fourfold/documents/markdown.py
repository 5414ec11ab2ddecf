"""Markdown: fences, tables with a rule under their heads, and tables drawn with bars."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from .blocks import Place
from .html import unescaped, without_tags
from .parts import Found, Inner, Line, grid, number_like, raised

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_FENCE: Final = re.compile(r"(\s*)(`{3,}|~{3,})([^`]*)")
_RULE: Final = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_BAR: Final = re.compile(r"(?<!\\)\|")


def fence_at(lines: Sequence[Line], start: int) -> Found | None:
    """Look for a fenced block; what is inside is read as text."""
    match = _FENCE.fullmatch(lines[start][1])
    if match is None:
        return None
    indent, fence = match[1], match[2]
    closing = re.compile(rf"\s*{re.escape(fence)}[{fence[0]}]*\s*")
    end = next((n for n in range(start + 1, len(lines)) if closing.fullmatch(lines[n][1])), len(lines))
    inside = tuple((place, text.removeprefix(indent)) for place, text in lines[start + 1 : end])
    return Found(min(end + 1, len(lines)), [Inner(inside)])


def table_at(lines: Sequence[Line], start: int) -> Found | None:
    """Look for a table with a rule under its heads."""
    if "|" not in lines[start][1] or start + 1 >= len(lines):
        return None
    # Text that was copied may have a blank line after each line.
    step = 2 if not lines[start + 1][1].strip() else 1
    if start + step >= len(lines):
        return None
    under = lines[start + step][1]
    if _is_rule(under):
        rule = len(split_row(under))
    elif _DASHES.fullmatch(under) and start + 2 * step < len(lines):
        # The row below a rule without bars has as many bars as the heads above it.
        bars, below = (len(_BAR.findall(lines[n][1])) for n in (start, start + 2 * step))
        if bars < 2 or below != bars:
            return None
        rule = len(split_row(lines[start][1]))
    else:
        return None
    rows = [(lines[start][0], split_row(lines[start][1]))]
    end = start + 2 * step
    while end < len(lines) and "|" in lines[end][1] and (step == 1 or not lines[end - 1][1].strip()):
        if not _is_rule(lines[end][1]):
            rows.append((lines[end][0], split_row(lines[end][1])))
        end += step
    end = min(end - step + 1, len(lines))
    return Found(end, list(grid(_fitted(rows, rule), heads=1)))


#: A rule without bars, as programs print it below heads that have them.
_DASHES: Final = re.compile(r"\s*[-=─━═]{8,}\s*")


def _is_rule(text: str) -> bool:
    return "|" in text and "-" in text and bool(_RULE.fullmatch(text))


def split_row(text: str) -> list[str]:
    r"""Split a row at its bars, but not at `\|`, and take marks off its cells."""
    text = text.strip()
    text = text[1:] if text.startswith("|") else text
    text = text[:-1] if text.endswith("|") and not text.endswith("\\|") else text
    return [plain(cell.replace("\\|", "|")) for cell in _BAR.split(text)]


def _fitted(rows: list[tuple[Place, list[str]]], rule: int) -> list[tuple[Place, list[str]]]:
    """Bring rows to the width of the rule under the heads: a bar in a name makes a cell too many."""
    (place, head), body = rows[0], rows[1:]
    widest = {len(row) for _, row in body}
    if len(widest) == 1 and len(head) < min(widest):
        head = [""] * (min(widest) - len(head)) + head
    width = max(len(head), rule) if not body or min(widest) >= rule else len(head)
    head = [""] * (width - len(head)) + head if body and len(head) < width else head
    return [(place, head), *((where, _joined(row, width)) for where, row in body)]


def _joined(row: list[str], width: int) -> list[str]:
    surplus = len(row) - width
    if surplus <= 0:
        return row
    if not any(row[width:]):
        return row[:width]
    runs = [row[n : n + surplus + 1] for n in range(width)]
    first = next((n for n, run in enumerate(runs) if any(run) and not any(map(number_like, run))), 0)
    return [*row[:first], " | ".join(filter(None, runs[first])), *row[first + surplus + 1 :]]


_DRAWN: Final = str.maketrans("│┃║┆┊╎╏¦", "||||||||")
_DRAWN_RULE: Final = re.compile(r"\s*[+|┌┏╔├┡┢┝┞╞╠╟└┗╚╘╒╭╰][-=+|:─━═┄┅┈╌╍┬┳╦╤┼╇╈╪╬╫┴┻╩╧┐┓╗┤┩┪┥╡╣╢┘┛╝╛╕╮╯\s]*")
_KINDS: Final = re.compile(r"(?:[iuf](?:8|16|32|64|128)|str|cat|bool|date|null|enum|object|datetime\[.*\]|list\[.*\])?")


def drawn_table_at(lines: Sequence[Line], start: int) -> Found | None:
    """Look for a table drawn with bars on both sides of each row, as terminals and databases print them."""
    end = start
    rows: list[tuple[Place, list[str]]] = []
    heads: int | None = None
    width = 0
    while end < len(lines):
        text = lines[end][1].translate(_DRAWN).strip()
        if _DRAWN_RULE.fullmatch(lines[end][1]) and len(text) > 2:
            heads = len(rows) if rows and heads is None else heads
        elif len(text) > 2 and text[0] == text[-1] == "|" and not text.endswith("\\|"):
            row = split_row(text)
            if width and len(row) != width:
                break
            width = len(row)
            rows.append((lines[end][0], row))
        else:
            break
        end += 1
    if len(rows) < 2 or width < 2:
        return None
    if heads is not None and heads >= len(rows):
        heads = None
    # polars prints a row of `---` and the kinds of columns below their names: `str, f64`.
    dashes = next((n for n, (_, row) in enumerate(rows[:3]) if all(cell == "---" for cell in row)), None)
    if dashes is not None:
        kinds = rows[dashes + 1 : dashes + 2]
        kinds = kinds if all(_KINDS.fullmatch(cell) for _, row in kinds for cell in row) else []
        rows, heads = rows[:dashes] + rows[dashes + 1 + len(kinds) :], dashes or None
    return Found(end, list(grid(rows, heads=heads)))


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("strikethrough")


_MARKED: Final = re.compile(r"[*_`\[\]<>&\\~!$]")
_MATHS: Final = re.compile(r"\$([^$]+)\$")


def plain(text: str) -> str:
    """Return the text of a cell without marks.

    Examples
    --------
    >>> plain("**0.91** [m1](http://example.org) `a_b`")
    '0.91 m1 a_b'
    """
    text = text.strip()
    if not _MARKED.search(text):
        return text
    if "$" in text or "\\" in text:
        from .latex import plain as plain_latex

        text = _MATHS.sub(lambda match: plain_latex(match[0]), text)
    # A star or dagger beside a number is a footnote, not emphasis.
    inline = _parser().parseInline(text[:10_000])
    shown = unescaped("".join(_texts(inline[0].children or [])) if inline else text)
    if shown.startswith("**") != shown.endswith("**"):
        # Marks of bold that are not closed in their cell: `**m1 | m2**` was cut at its bar.
        shown = shown.removeprefix("**").removesuffix("**")
    return shown.strip()


def _texts(tokens: list[Token]) -> list[str]:
    texts: list[str] = []
    above = False
    for token in tokens:
        if token.type in ("text", "code_inline"):
            texts.append(raised(token.content, "".join(texts)) if above else token.content)
        elif token.type in ("softbreak", "hardbreak"):
            texts.append(" ")
        elif token.type == "image":
            texts.append(token.content)
        elif token.type == "html_inline":
            tag = token.content.casefold()
            above = True if tag.startswith("<sup") else False if tag.startswith("</sup") else above
            texts.append(" " if tag.startswith(("<br", "<p", "<li", "<div")) else without_tags(token.content))
    return texts


_BOLD: Final = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1|`([^`]+)`")


def without_marks(text: str) -> str:
    """Take marks of bold and code off a line of prose; a line with columns stays as it is."""
    if ("**" not in text and "__" not in text and "`" not in text) or re.search(r"\S {3,}\S", text):
        return text
    return _BOLD.sub(lambda match: match[2] or match[3], text)
