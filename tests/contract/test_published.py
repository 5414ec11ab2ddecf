"""The published JSON keeps its promise: what programs read stays where it is, of the type it was.

The files in `schemas` are copies of what was published, and are not written again for a change: a change that breaks a
reader needs a new version of its schema, and with it a new copy.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fourfold import shape

FROZEN = {
    path.stem: json.loads(path.read_text(encoding="utf-8")) for path in (Path(__file__).parent / "schemas").glob("*")
}


class Part:
    """A part of a schema, with the whole in which its references lead."""

    def __init__(self, whole: dict[str, Any], part: dict[str, Any] | None = None) -> None:
        self.whole = whole
        self.part = whole if part is None else part
        if "$ref" in self.part:
            self.part = whole["$defs"][self.part["$ref"].rpartition("/")[2]] | {"$ref": self.part["$ref"]}

    def within(self, part: dict[str, Any]) -> Part:
        return Part(self.whole, part)

    @property
    def choices(self) -> list[Part]:
        return [choice for part in self.part.get("anyOf", [self.part]) for choice in [self.within(part)]]

    @property
    def types(self) -> set[str]:
        """What a value may be: names of types, and the values themselves where they are listed."""
        names = {name for choice in self.choices for name in as_list(choice.part.get("type", []))}
        return names | {"integer"} if "number" in names else names

    @property
    def values(self) -> list[Any]:
        if "const" in self.part:
            return [self.part["const"]]
        return self.part.get("enum", [])

    def member(self, name: str) -> Part | None:
        found = self.objects.get("properties", {}).get(name, self.objects.get("additionalProperties"))
        return self.within(found) if found is not None else None

    @property
    def objects(self) -> dict[str, Any]:
        return next((choice.part for choice in self.choices if "object" in choice.types), {})


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def breaks(old: Part, new: Part, where: str, seen: tuple[Any, ...] = ()) -> Iterator[str]:
    """Tell in sentences what a program that reads the old schema would trip over in the new one."""
    if old.types and (more := (new.types or {"anything"}) - old.types) and not new.values:
        yield f"{where} was {' or '.join(sorted(old.types))}, and may now be {' or '.join(sorted(more))}"
    if old.values and (more := [value for value in new.values or ["anything"] if value not in old.values]):
        yield f"{where} was one of {old.values}, and may now be {more}"
    pair = old.part.get("$ref"), new.part.get("$ref")
    if any(pair) and pair in seen:
        return
    seen = (*seen, pair)
    for name in old.objects.get("properties", {}):
        before, after = old.member(name), new.member(name)
        if after is None:
            yield f"{where}.{name} is gone"
            continue
        if name in old.objects["required"] and name not in new.objects.get("required", []):
            yield f"{where}.{name} was always there, and now may be missing"
        yield from breaks(before, after, f"{where}.{name}", seen)
    for inner, mark in (("items", "[]"), ("additionalProperties", ".*")):
        if inner in old.part and inner in new.part:
            yield from breaks(old.within(old.part[inner]), new.within(new.part[inner]), where + mark, seen)
        elif inner in old.part:
            yield f"{where}{mark} had a type, and has none now"


def test_no_reader_breaks() -> None:
    schemas = shape.schemas()
    assert not set(FROZEN) - set(schemas), "a schema is gone"
    for name, frozen in FROZEN.items():
        assert not [*breaks(Part(frozen), Part(schemas[name]), name)]


def test_every_schema_is_frozen() -> None:
    assert set(FROZEN) == set(shape.schemas())
