"""The part of YAML in which model cards hold their results: mappings and lists, by their indents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from . import data
from .data import Listed, Mapped, Value
from .parts import MOST_DEPTH, Found, Line, Part

_RULE: Final = re.compile(r"---\s*")
_RESULTS: Final = re.compile(r"(?:- )?\s*(?:model-index|results|metrics|value)\s*:")
_ITEM: Final = re.compile(
    r"(?P<indent>\s*)(?P<item>-\s+)?(?:(?P<key>[^\s:#'\"][^:#]*?|'[^']*'|\"[^\"]*\")\s*:(?:\s+(?P<value>.*))?|(?P<text>\S.*))"
)
#: Front matter is no longer, nor are its lines.
_MOST_LINES: Final = 5000
_LONGEST: Final = 2000


def front_matter_at(lines: Sequence[Line], start: int) -> Found | None:
    """Look for front matter with results of a model; what else is in it says nothing about classifiers."""
    if start or not _RULE.fullmatch(lines[0][1]):
        return None
    end = next((n for n in range(1, min(len(lines), _MOST_LINES)) if _RULE.fullmatch(lines[n][1])), None)
    if end is None or not any(_RESULTS.match(text) for _, text in lines[1:end]):
        return None
    parts = read(lines[1:end])
    return Found(end + 1, parts) if parts else None


def read(lines: Sequence[Line]) -> list[Part] | None:
    """Read results of models; None where there are none."""
    try:
        value, _ = _value([(n, text) for n, (_, text) in enumerate(lines) if text.strip()], 0, 0)
    except data.NotData:
        return None
    if isinstance(value, str):
        return None
    places = [place for place, _ in lines]
    parts = [part for title, metrics in _metrics(value, "") for part in data.parts_of(metrics, title, places)]
    return parts or None


def _metrics(value: Value, title: str) -> list[tuple[str, Listed]]:
    """Return the lists called metrics, each with the names of model, task and data around it."""
    if isinstance(value, Listed):
        return [one for item, _ in value.items for one in _metrics(item, title)]
    if isinstance(value, str):
        return []
    named = {key: item for key, item, _ in value.items}
    task = _name(named.get("task"))
    own = named.get("name")
    names = (title, own if isinstance(own, str) else "", task, _name(named.get("dataset")))
    title = ", ".join(dict.fromkeys(filter(None, names)))
    found: list[tuple[str, Listed]] = []
    for key, item, line in value.items:
        # Older cards have a single `metric`.
        listed = Listed([(item, line)]) if key == "metric" else item
        if key in ("metric", "metrics") and isinstance(listed, Listed):
            pairs = [(pair, at) for one, at in listed.items if (pair := _pair(one, task))]
            rows = [(Listed([(text, at) for text in pair]), at) for pair, at in pairs]
            found += [(title, Listed([*rows]))] if rows else []
        else:
            found += _metrics(item, title)
    return found


def _name(value: Value | None) -> str:
    items = value.items if isinstance(value, Mapped) else []
    return next((item for key, item, _ in items if key == "name" and isinstance(item, str)), "")


def _pair(metric: Value, task: str) -> tuple[str, str] | None:
    """Return the name and the value of a metric: its own name without that of the task, or else its type."""
    if not isinstance(metric, Mapped):
        return None
    said = {key: item for key, item, _ in metric.items if isinstance(item, str)}
    name, value = said.get("name") or said.get("type", ""), said.get("value")
    words, before = name.replace("_", " "), task.replace("_", " ").casefold()
    name = words[len(before) :].strip() or name if before and words.casefold().startswith(before) else name
    return (name, value) if name and value else None


def _value(lines: Sequence[tuple[int, str]], at: int, depth: int) -> tuple[Value, int]:
    """Read what stands from a line on at its indent, and return the line after it."""
    if depth > MOST_DEPTH:
        raise data.NotData
    first = _matched(lines[at][1])
    indent = len(first["indent"])
    listed = first["item"] is not None
    items: list[tuple[Value, int]] = []
    pairs: list[tuple[str, Value, int]] = []
    texts = list(lines)
    while at < len(texts):
        number, text = texts[at]
        match = _matched(text)
        here = len(match["indent"])
        if here < indent or (match["item"] is not None) != listed:
            break
        if here > indent:
            raise data.NotData
        if listed:
            # What follows the dash is read as if it stood on a line of its own.
            texts[at] = (number, " " * (here + len(match["item"])) + text[here + len(match["item"]) :])
            inner, at = _value(texts, at, depth + 1)
            items.append((inner, number))
        elif match["key"] is None:
            return match["text"].strip("'\""), at + 1
        elif (match["value"] or "").strip(" |>-"):
            pairs.append((match["key"].strip("'\""), match["value"].strip().strip("'\""), number))
            at += 1
            while at < len(texts) and len(texts[at][1]) - len(texts[at][1].lstrip()) > indent:
                at += 1
        else:
            at += 1
            inner = ""
            below = _matched(texts[at][1]) if at < len(texts) else None
            # A list may stand at the indent of its key.
            if below is not None and len(below["indent"]) >= indent + (below["item"] is None):
                inner, at = _value(texts, at, depth + 1)
            pairs.append((match["key"].strip("'\""), inner, number))
    return (Listed(items) if listed else Mapped(pairs)), at


def _matched(text: str) -> re.Match[str]:
    match = _ITEM.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        raise data.NotData(text)
    return match
