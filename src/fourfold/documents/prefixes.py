"""Text behind something else: comment marks, times of a log, quotes and commas of a notebook's file."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from .parts import Found, Inner, Line

# A mark that is part of a label (`>=30`, `#1`) is none, nor is a rule (`----`) or bold text (`**a**`).
_COMMENT: Final = re.compile(r"\s*(?:#+(?![\d!#])|\*(?=\s|$)|>(?![=\d>])|>>(?!>)|//+|%+(?=\s|$)|--(?=\s|$)|;+(?=\s|$))")
_TIME: Final = re.compile(
    r"\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?(?: [-|:](?= ))?"
)
#: What loguru and others print behind a time: a level, and where in a program it was.
_LEVEL: Final = re.compile(r"\s*(?:DEBUG|INFO|SUCCESS|WARNING|ERROR|CRITICAL)\s*\|\s*[\w.<>]+:[\w<>.]+:\d+ - ")
_MARKS: Final = frozenset("#*>/%-;[0123456789")


def commented(lines: Sequence[Line], start: int) -> Found | None:
    """Look for lines that all begin with the same comment mark, or with a time, and take it off."""
    text = lines[start][1]
    if text.lstrip()[:1] not in _MARKS:
        return None
    mark, time = _COMMENT.match(text), _TIME.match(text)
    if (match := mark or time) is None:
        return None
    prefix = match[0]

    def goes_on(text: str) -> bool:
        if not mark:
            return (other := _TIME.match(text)) is not None and other.end() == len(prefix)
        other = _COMMENT.match(text)
        return bool(other and other[0] == prefix) or (text.rstrip() == prefix.rstrip() != "")

    texts = [(place, line[len(prefix) :]) for place, line in takewhile(lambda line: goes_on(line[1]), lines[start:])]
    if len(texts) < 2:
        return None
    texts = texts if mark else [(place, _LEVEL.sub("", line, count=1)) for place, line in texts]
    return Found(start + len(texts), [Inner(tuple(texts))])


_STRING: Final = re.compile(r"""\s*\(?\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*[,+)\\]{0,2}\s*""")
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "", "\\": "\\", "'": "'", '"': '"', "/": "/"}


def quoted_strings(lines: Sequence[Line], start: int) -> Found | None:
    """Look for lines that are texts in quotes ending with an escaped line break, as a notebook's file has them."""
    if lines[start][1].lstrip()[:1] not in ('"', "'", "("):
        return None
    end = start
    while end < len(lines) and _STRING.fullmatch(lines[end][1]):
        end += 1
    texts = [lines[number][1] for number in range(start, end)]
    if len(texts) < 2 or 2 * sum("\\n" in text for text in texts) < len(texts):
        return None
    inside = [(lines[start + number][0], _inside(text)) for number, text in enumerate(texts)]
    return Found(end, [Inner(tuple((place, line) for place, text in inside for line in _broken(text)))])


def split_string(lines: Sequence[Line], start: int) -> Found | None:
    r"""Look for a line with several escaped line breaks: a report that was shown in quotes, `'  precision ...\n'`."""
    place, text = lines[start]
    if text.count("\\n") < 2 or "\\newline" in text or "\\noalign" in text:
        return None
    match = re.fullmatch(r"""(.*?)(?:[bru]{0,2}(["'])(?=.*\\n))(.*?)(?:\2([^"']*))?""", text)
    before, inside, after = (match[1], match[3], match[4] or "") if match else ("", text, "")
    texts = [before, *_unescaped(inside).split("\n"), after]
    return Found(start + 1, [Inner(tuple((place, line) for line in texts))])


def _inside(text: str) -> str:
    text = text.strip().rstrip(",+)\\ ").lstrip("( ")
    try:
        return str(json.loads(text))
    except ValueError:
        return _unescaped(text[1:-1])


def _unescaped(text: str) -> str:
    return re.sub(r"\\([ntr\\'\"/])", lambda match: _ESCAPES[match[1]], text)


def _broken(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")
