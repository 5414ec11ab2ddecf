"""Mappings and lists of scores as JSON has them and as Python prints them; every number stays the text it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, TypeAlias

from .blocks import Grid, Place
from .parts import MOST_DEPTH, Found, Inner, Line, Part, grid, number_like


@dataclass(frozen=True)
class Mapped:
    """The items of a mapping: key, value, number of the line."""

    items: list[tuple[str, Value, int]]


@dataclass(frozen=True)
class Listed:
    """The items of a list: value, number of the line."""

    items: list[tuple[Value, int]]


Value: TypeAlias = Mapped | Listed | str

_TOKEN: Final = re.compile(
    r"""\s*(?:
        (?P<string>[bruf]{0,2}(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'))
      | (?P<number>[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
      | (?P<name>[+-]?[A-Za-z_][\w.]*)
      | (?P<mark>[{}\[\]():,=])
    )""",
    re.VERBOSE | re.DOTALL,
)
_SPACE: Final = re.compile(r"\s*")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "", "f": ""}


class NotData(ValueError):
    """The text is not a mapping or a list."""


class TooDeep(NotData):
    """The text nests mappings and lists deeper than anybody writes scores."""


class _Reader:
    """Reads one value after the other out of a text."""

    def __init__(self, text: str, position: int = 0) -> None:
        self.text = text
        self.position = position
        self._line, self._counted = 0, position

    def value(self, depth: int = 0) -> Value:
        if depth > MOST_DEPTH:
            raise TooDeep
        kind, piece = self._next()
        if kind == "string":
            return _unquoted(piece)
        if kind == "number":
            return piece.replace("_", "")
        if kind == "name":
            return self._called(piece, depth) if self._peek() == "(" else piece
        if piece == "{":
            return self._mapping(depth)
        if piece in "[(":
            return self._list("]" if piece == "[" else ")", depth)
        raise NotData(piece)

    def line(self) -> int:
        """Return how many line breaks stand before the place that is read."""
        self._line += self.text.count("\n", self._counted, self.position)
        self._counted = self.position
        return self._line

    def next_line(self) -> int:
        """Return the same for the place where the next value begins."""
        self.position = _SPACE.match(self.text, self.position).end()  # type: ignore[union-attr]
        return self.line()

    def _next(self) -> tuple[str, str]:
        match = _TOKEN.match(self.text, self.position)
        if match is None:
            raise NotData(self.text[self.position : self.position + 20])
        self.position = match.end()
        return str(match.lastgroup), match[str(match.lastgroup)]

    def _peek(self) -> str:
        match = _TOKEN.match(self.text, self.position)
        return match["mark"] or "" if match else ""

    def take(self, mark: str) -> bool:
        if self._peek() == mark:
            self._next()
            return True
        return False

    def _until(self, closing: str) -> Iterator[None]:
        """Walk the places where items begin, up to the sign that closes what they stand in."""
        while not self.take(closing):
            yield
            if not self.take(","):
                if not self.take(closing):
                    raise NotData(f"{closing} is missing")
                return

    def _mapping(self, depth: int) -> Value:
        items: list[tuple[str, Value, int]] = []
        for _ in self._until("}"):
            key = self.value(depth + 1)
            line = self.line()
            if not self.take(":"):
                # A set.
                rest = self._list("}", depth) if self.take(",") else Listed([])
                if not rest.items and self.text[self.position - 1 : self.position] != "}" and not self.take("}"):
                    raise NotData("a set is not closed")
                return Listed([(key, line), *rest.items])
            items.append((_shown(key), self.value(depth + 1), line))
        return Mapped(items)

    def _list(self, closing: str, depth: int) -> Listed:
        return Listed([(self.next_line(), self.value(depth + 1))[::-1] for _ in self._until(closing)])

    def _called(self, name: str, depth: int) -> Value:
        """Read `np.float64(0.9)`, `array([[1, 2], [3, 4]])` or `OrderedDict([('a', 1)])` as what is in the brackets."""
        self.take("(")
        inside: list[Value] = []
        for _ in self._until(")"):
            start = self.position
            kind, _ = self._next()
            if kind == "name" and self.take("="):
                self.value(depth + 1)
            else:
                self.position = start
                inside.append(self.value(depth + 1))
        if not inside:
            return Mapped([]) if "ict" in name else ""
        first = inside[0]
        if "ict" not in name or not isinstance(first, Listed):
            return first
        pairs = [(item.items, line) for item, line in first.items if isinstance(item, Listed) and len(item.items) == 2]
        if len(pairs) < len(first.items):
            return first
        return Mapped([(_shown(key), value, line) for ((key, _), (value, _)), line in pairs])


def _unquoted(token: str) -> str:
    token = token.lstrip("bruf")[1:-1]

    def character(match: re.Match[str]) -> str:
        code = match[1] or match[2]
        return chr(int(code, 16)) if code else _ESCAPED.get(match[3], match[3])

    if "\\" not in token:
        return token
    # JSON writes characters beyond the first 65,536 as two halves.
    return _ESCAPE.sub(character, token).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _shown(value: Value) -> str:
    """Return a value as the text of one cell."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapped):
        return ", ".join(f"{key}: {_shown(item)}" for key, item, _ in value.items)
    return "[" + ", ".join(_shown(item) for item, _ in value.items) + "]"


def read(lines: Sequence[Line]) -> list[Part] | None:
    """Read a whole text as one value, or as one value a line; None where it is neither."""
    text = "\n".join(line for _, line in lines)
    reader = _Reader(text)
    values: list[tuple[Value, int]] = []
    try:
        line = reader.next_line()
        while reader.position < len(text):
            values.append((reader.value(), line))
            reader.take(",")
            line = reader.next_line()
    except NotData:
        return None
    if all(isinstance(value, str) for value, _ in values):
        return None
    value = values[0][0] if len(values) == 1 else Listed(values)
    return list(parts_of(value, "", [place for place, _ in lines]))


def values_at(lines: Sequence[Line], start: int) -> Found | None:
    """Look for a printed mapping, or a list of them, also after words such as `Metrics:`, and for more below it."""
    text = lines[start][1]
    # Where the outer mapping is cut off, one inside it may be whole.
    for match in islice(re.finditer(r"\{", text), _MOST_TRIED):
        # A list or a call around the first brace begins before it.
        around = re.search(r"(?:\w*[Dd]ict\()?[\[(]*$", text[: match.start()])
        try:
            found = _values_from(lines, start, around.start() if around else match.start())
        except TooDeep:
            # Each line would fail in the same way: not all are tried.
            return Found(start + MOST_DEPTH // 2, None)
        if found is not None:
            return found
    return None


def _values_from(lines: Sequence[Line], start: int, column: int) -> Found | None:
    values: list[tuple[Value, int]] = []
    number, after = start, ""
    while number < len(lines) and (number == start or lines[number][1].lstrip().startswith("{")):
        found = _value(lines, number, column if number == start else 0)
        if found is None:
            break
        value, end, after = found
        values.append((value, number - start))
        number = end
        if after.strip(" ,;"):
            break
    if not values:
        return None
    before = lines[start][1][:column].strip()
    caption = before.strip("{[(\"',:= ")
    places = [place for place, _ in lines[start:number]]
    parts: list[Part] = [Inner(((lines[start][0], before),))] if caption else []
    alike = len(values) > 1 and all(_is_flat(value) for value, _ in values)
    for value, offset in [(Listed(values), 0)] if alike else values:
        parts.extend(parts_of(value, caption, places[offset:]))
    if after.strip(" ,;)]}"):
        parts.append(Inner(((places[-1], after),)))
    return Found(number, parts)


#: A printed mapping may go over so many lines of a text.
_MOST_LINES: Final = 3000
#: So many places of a line are looked at.
_MOST_TRIED: Final = 4


def _value(lines: Sequence[Line], number: int, column: int) -> tuple[Value, int, str] | None:
    """Read a value from a line on; return it with the number of the line after it and what is left of its last line."""
    # Most values end in their own line; what does not is tried again with more lines.
    for count in (1, 30, _MOST_LINES):
        text = "\n".join(line for _, line in lines[number : number + count])
        reader = _Reader(text, column)
        try:
            value = reader.value()
        except TooDeep:
            raise
        except NotData:
            rest = text[reader.position :].lstrip()
            at_end = not rest or rest[0] in "\"'" or len(rest) < 30
            if text.count("\n") + 1 < count or not at_end:
                return None
            continue
        if not _has_scores(value):
            return None
        end = reader.position
        return value, number + text.count("\n", 0, end) + 1, text[end:].split("\n", 1)[0]
    return None


def _has_scores(value: Value) -> bool:
    """Tell whether a value is a mapping with a number somewhere, or a list of such: not the braces of a program."""
    if isinstance(value, str):
        return bool(re.fullmatch(r"[+-]?[\d.]+(?:e[+-]?\d+)?%?", value, re.IGNORECASE))
    if isinstance(value, Mapped):
        return any(_has_scores(item) for _, item, _ in value.items)
    return any(not isinstance(item, str) and _has_scores(item) for item, _ in value.items)


def _is_flat(value: Value) -> bool:
    return isinstance(value, Mapped) and all(isinstance(item, str) for _, item, _ in value.items)


def parts_of(value: Value, caption: str, places: Sequence[Place]) -> Iterator[Part]:
    """Make grids of a value of a whole document."""
    yield from _parts(_settled(value), caption, places)


_KINDS: Final = {
    "mean": "mean value estimate point score avg average point_estimate",
    "deviation": "std sd stdev std_dev stddev deviation",
    "low": "lower low ci_lower ci_low lo ci95_low ci95_lower ci_lo lower_ci lb",
    "high": "upper high ci_upper ci_high hi ci95_high ci95_upper ci_hi upper_ci ub",
    "interval": "ci ci95 ci_95 95%_ci 95_ci interval confidence_interval",
    # What else may stand beside a mean, and says nothing about it.
    "aside": "n count min max median se sem stderr level confidence values runs n_seeds seeds raw all unit",
}
#: What a key beside others says of a score.
_SAID: Final = {word: kind for kind, words in _KINDS.items() for word in words.split()}


def _settled(value: Value) -> Value:
    """Return a value with each mean and what stands beside it, such as its deviation, as one text."""
    if isinstance(value, Listed):
        return Listed([(_settled(item), line) for item, line in value.items])
    if isinstance(value, str):
        return value
    said = {key.casefold().replace(" ", "_"): item for key, item, _ in value.items}
    kinds = {_SAID.get(key, "") for key in said}
    texts = {
        kind: [item for key, item in said.items() if _SAID.get(key) == kind and isinstance(item, str)] for kind in kinds
    }
    if len(texts.get("mean", ())) == 1 and "" not in kinds and not kinds <= {"mean", "aside"}:
        mean = texts["mean"][0]
        if (spread := texts.get("deviation")) and spread[0]:
            return f"{mean} ± {spread[0]}"
        ends = [*texts.get("low", ()), *texts.get("high", ())]
        pair = next((item for key, item in said.items() if _SAID[key] == "interval" and isinstance(item, Listed)), None)
        ends = [item for item, _ in pair.items if isinstance(item, str)] if pair and not ends else ends
        return f"{mean} ({ends[0]}, {ends[1]})" if len(ends) == 2 else mean
    return Mapped([(key, _settled(_with_labels(key, item, value)), line) for key, item, line in value.items])


_OF_CLASSES: Final = ("labels", "label_names", "classes", "class_names", "class_labels", "target_names", "label_order")
_MATRIX: Final = re.compile(r"(?:.*_)?(?:confusion(?:_?matrix)?|matrix|cm)(?:_.*)?", re.IGNORECASE)


def _with_labels(key: str, value: Value, beside: Mapped) -> Value:
    """Return a matrix with the labels of its classes over its columns and before its rows, where a list has them."""
    if not (isinstance(value, Listed) and _MATRIX.fullmatch(key)):
        return value
    rows = [(row, line) for row, line in value.items if isinstance(row, Listed) and _is_row(row)]
    named = {name.casefold(): item for name, item, _ in beside.items}
    lists = (named.get(name) for name in (*(f"{key.casefold()}_{name}" for name in _OF_CLASSES), *_OF_CLASSES))
    labels = next((item.items for item in lists if isinstance(item, Listed) and _is_row(item)), [])
    width = len(value.items)
    if not len(labels) == len(rows) == width > 1 or any(len(row.items) != width for row, _ in rows):
        return value
    line = value.items[0][1]
    heads = Listed([("", line), *((label, line) for label, _ in labels)])
    body = ((Listed([label, *row.items]), at) for label, (row, at) in zip(labels, rows, strict=True))
    return Listed([(heads, line), *body])


def _at(places: Sequence[Place], line: int) -> Place:
    return places[min(max(line, 0), len(places) - 1)] if places else Place()


_BETWEEN_KEYS: Final = ", "


def _under(caption: str, key: str) -> str:
    return f"{caption}{_BETWEEN_KEYS}{key}" if caption else key


def _has_matrix(value: Value) -> bool:
    """Tell whether a mapping has a matrix of its own, so that what stands beside it is about the same."""
    return isinstance(value, Mapped) and any(_MATRIX.fullmatch(key) and item != "" for key, item, _ in value.items)


def _grid(rows: Sequence[tuple[Place, Sequence[str]]], caption: str = "", heads: int | None = None) -> Iterator[Part]:
    """Make a grid that knows the keys of what it stands in."""
    inside = tuple(caption.split(_BETWEEN_KEYS)) if caption else ()
    for block in grid(rows, caption, heads):
        yield replace(block, inside=inside) if isinstance(block, Grid) else block


def _parts(value: Value, caption: str, places: Sequence[Place]) -> Iterator[Part]:
    """Make grids of a value: a table of what is alike, and what is nested deeper by itself, its keys in the caption."""
    if isinstance(value, Listed):
        yield from _list_parts(value, caption, places)
    if not isinstance(value, Mapped):
        return
    split = _split_frame(value)
    columns = [item for _, item, _ in value.items]
    lengths = {*map(_size, columns)}
    if split is not None:
        yield from _list_parts(split, caption, places)
    elif len(lengths) == 1 and len(columns) > 1 and 0 not in lengths:
        lists = [(key, item) for key, item, _ in value.items if isinstance(item, Listed)]
        cells = [[key, *(_shown(cell) for cell, _ in item.items)] for key, item in lists]
        place = _at(places, value.items[0][2])
        yield from _grid([(place, row) for row in zip(*cells, strict=True)], caption, heads=1)
    elif _is_table(value) and not any(_has_matrix(item) for item in columns):
        yield from _table(value, caption, places)
    else:
        scalars = [(key, item, line) for key, item, line in value.items if isinstance(item, str)]
        yield from _grid([(_at(places, line), (key, item)) for key, item, line in scalars], caption)
        by_class = _lists_by_class(value)
        if by_class:
            yield from _parts(Mapped(by_class), _under(caption, "per class"), places)
        for key, item, line in value.items:
            if not isinstance(item, str) and (key, item, line) not in by_class:
                yield from _parts(item, _under(caption, key), places)


def _lists_by_class(value: Mapped) -> list[tuple[str, Value, int]]:
    """Return the labels of classes and the lists that have a number for each of them, where a mapping has such."""
    lists = {key.casefold(): (key, item, line) for key, item, line in value.items if _is_row(item)}
    labels = next((lists[name] for name in _OF_CLASSES if name in lists), None)
    size = _size(labels[1]) if labels else 0
    alike = [one for name, one in lists.items() if _size(one[1]) == size and name not in _OF_CLASSES]
    return [labels, *alike] if labels and size and len(alike) > 1 else []


def _split_frame(value: Mapped) -> Listed | None:
    """Return the rows of a frame that was written as `columns`, `index` and `data`."""
    named = {key: item for key, item, _ in value.items}
    columns, data, index = named.get("columns"), named.get("data"), named.get("index")
    if not (isinstance(columns, Listed) and isinstance(data, Listed) and {*named} <= {"columns", "data", "index"}):
        return None
    labels = index.items if isinstance(index, Listed) and len(index.items) == len(data.items) else []
    firsts = [("", 0), *labels] if labels else []
    rows = [(row, line) for row, line in [(columns, 0), *data.items] if isinstance(row, Listed)]
    if len(rows) <= len(data.items):
        return None
    return Listed([(Listed([*firsts[n : n + 1], *row.items]), line) for n, (row, line) in enumerate(rows)])


def _is_row(value: Value) -> bool:
    return isinstance(value, Listed) and all(isinstance(item, str) for item, _ in value.items)


def _size(row: Value) -> int:
    """Return how many texts a row has; 0 for what is no row."""
    return len(row.items) if isinstance(row, Listed) and _is_row(row) else 0


def _is_table(value: Mapped) -> bool:
    """Tell whether a mapping holds mappings alike, such as one a class, and perhaps single values beside them."""
    mappings = [item for _, item, _ in value.items if isinstance(item, Mapped)]
    inner = [keys for item in mappings if (keys := [key for key, cell, _ in item.items if isinstance(cell, str)])]
    if len(inner) < 2:
        return False
    common = set(inner[0]).intersection(*inner[1:])
    return 2 * len(common) >= min(map(len, inner)) and len(common) > 0


def _table(value: Mapped, caption: str, places: Sequence[Place]) -> Iterator[Part]:
    mappings = [item for _, item, _ in value.items if isinstance(item, Mapped)]
    heads = dict.fromkeys(key for item in mappings for key, cell, _ in item.items if isinstance(cell, str))
    rows: list[tuple[Place, Sequence[str]]] = [(_at(places, value.items[0][2]), ["", *heads])]
    deeper: list[tuple[str, Value]] = []
    for key, item, line in value.items:
        if isinstance(item, Mapped):
            cells = {name: cell for name, cell, _ in item.items if isinstance(cell, str)}
            rows.append((_at(places, line), [key, *(cells.get(head, "") for head in heads)]))
            deeper.extend((_under(key, name), cell) for name, cell, _ in item.items if not isinstance(cell, str))
        elif isinstance(item, str):
            rows.append((_at(places, line), [key, item]))
        else:
            deeper.append((key, item))
    yield from _grid(rows, caption, heads=1)
    for key, item in deeper:
        yield from _parts(item, _under(caption, key), places)


def _list_parts(value: Listed, caption: str, places: Sequence[Place]) -> Iterator[Part]:
    items = [item for item, _ in value.items]
    if any(map(_has_matrix, items)):
        for n, item in enumerate(items, 1):
            texts = [text for _, text, _ in item.items if isinstance(text, str)] if isinstance(item, Mapped) else []
            name = next((text for text in texts if not number_like(text)), str(n))
            yield from _parts(item, _under(caption, name), places)
    elif items and all(isinstance(item, Mapped) for item in items):
        yield from _records(value, caption, places)
    elif items and all(_is_row(item) for item in items):
        listed = [(item, line) for item, line in value.items if isinstance(item, Listed)]
        rows = [(_at(places, line), [_shown(cell) for cell, _ in item.items]) for item, line in listed]
        if len({len(row) for _, row in rows}) == 1:
            yield from _grid(rows, caption)
        else:
            yield Inner(tuple((place, " ".join([caption, *row]).strip()) for place, row in rows))
    elif items and all(isinstance(item, str) for item in items):
        yield Inner(((_at(places, value.items[0][1]), f"{caption}: {_shown(value)}".lstrip(": ")),))
    else:
        for item, _ in value.items:
            if not isinstance(item, str):
                yield from _parts(item, caption, places)


def _records(value: Listed, caption: str, places: Sequence[Place]) -> Iterator[Part]:
    """Make a table of a list of mappings; a mapping inside gives its cells to the row."""
    heads: dict[str, None] = {}
    rows: list[tuple[int, dict[str, str]]] = []
    deeper: list[tuple[str, Value]] = []
    for item, line in value.items:
        assert isinstance(item, Mapped)
        cells: dict[str, str] = {}
        for key, cell, _ in item.items:
            if isinstance(cell, str):
                cells[key] = cell
            elif isinstance(cell, Mapped) and _is_flat(cell):
                for name, inner, _ in cell.items:
                    cells[name if name not in cells else f"{key} {name}"] = _shown(inner)
            else:
                title = next((text for _, text, _ in item.items if isinstance(text, str)), "")
                deeper.append((_under(title, key), cell))
        heads.update(dict.fromkeys(cells))
        rows.append((line, cells))
    first = value.items[0][1]
    body = [(_at(places, line), [cells.get(head, "") for head in heads]) for line, cells in rows]
    yield from _grid([(_at(places, first), list(heads)), *body], caption, heads=1)
    for key, inner in deeper:
        yield from _parts(inner, _under(caption, key), places)
