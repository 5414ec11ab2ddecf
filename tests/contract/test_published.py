"""The published JSON keeps its promise: what programs read stays where it is, of the type it was.

The files in `schemas` are copies of what was published, and are not written again for a change: a change that breaks a
reader needs a new version of its schema, and with it a new copy. The copy of the version before moves to `earlier` for as
long as that version can be asked for.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from fourfold import shape

from ..results import RESULTS

SCHEMAS = Path(__file__).parent / "schemas"


def published(folder: Path) -> dict[str, Any]:
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")}


FROZEN, EARLIER = published(SCHEMAS), published(SCHEMAS / "earlier")
#: The version before, by the schema as it is now.
BEFORE = {"recovery": 2, "check": 1, "protocols": 1}


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
        return [self.within(part) for part in self.part["anyOf"]] if "anyOf" in self.part else [self]

    @property
    def types(self) -> set[str]:
        return {name for choice in self.choices for name in as_list(choice.part.get("type", []))}

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
    known = old.types | ({"integer"} if "number" in old.types else set())
    if known and (more := (new.types or {"anything"}) - known) and not new.values:
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


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_as_was_published(name: str) -> None:
    for make in RESULTS[name]:
        Draft202012Validator(FROZEN[name]).validate(json.loads(json.dumps(make().to_dict())))


def test_results_in_the_version_before_are_as_was_published() -> None:
    """A program goes on reading what it asks for, also where three schemas have become one."""
    told = [make().to_dict(version) for name, version in BEFORE.items() for make in RESULTS[name]]
    names = [one["schema"].removeprefix("fourfold/") for one in told]
    assert set(names) == set(EARLIER) == {"check", "class_recovery", "fold_recovery", "protocols", "recovery"}
    for name, one in zip(names, told, strict=True):
        Draft202012Validator(EARLIER[name]).validate(json.loads(json.dumps(one)))


def test_every_schema_is_frozen() -> None:
    assert not set(shape.schemas()) - set(FROZEN), (
        "put copies of new ones from docs/reference/schemas beside the others"
    )


def changed(change: Callable[[dict[str, Any]], object], name: str = "audit") -> list[str]:
    """Return what a change to a published schema breaks."""
    new = copy.deepcopy(FROZEN[name])
    change(new)
    return [*breaks(Part(FROZEN[name]), Part(new), name)]


def finding(schema: dict[str, Any]) -> dict[str, Any]:
    return schema["properties"]["findings"]["items"]


def test_a_member_that_is_gone_breaks() -> None:
    said = ["audit.findings[].p_corrected is gone"]
    assert changed(lambda new: finding(new)["properties"].pop("p_corrected")) == said


def test_a_member_that_may_be_missing_breaks() -> None:
    said = ["audit.by was always there, and now may be missing"]
    assert changed(lambda new: new["required"].remove("by")) == said


def test_another_type_breaks() -> None:
    said = ["audit.findings[].n was integer, and may now be string"]
    assert changed(lambda new: finding(new)["properties"]["n"].update(type="string")) == said
    said = ["audit.rows_read was integer, and may now be null"]
    assert changed(lambda new: new["properties"]["rows_read"].update(type=["integer", "null"])) == said


def test_another_type_of_what_lies_within_breaks() -> None:
    said = ["audit.by[] was string, and may now be number"]
    assert changed(lambda new: new["properties"]["by"]["items"].update(type="number")) == said
    said = ["audit.table.tp is gone"]
    assert changed(lambda new: new["$defs"]["cells"]["properties"].pop("tp")) == said


def test_another_word_breaks() -> None:
    (said,) = changed(lambda new: new["properties"]["verdict"]["enum"].append("perhaps"), "recovery")
    assert said.startswith("recovery.verdict was one of")
    assert said.endswith("may now be ['perhaps']")
    (said,) = changed(lambda new: new["properties"]["version"].update(const=9), "recovery")
    assert said == "recovery.version was one of [3], and may now be [9]"


def test_what_is_added_or_made_narrower_breaks_nothing() -> None:
    def more(new: dict[str, Any]) -> None:
        new["properties"]["colour"] = {"type": "string"}
        new["properties"]["level"]["type"] = "integer"
        finding(new)["properties"]["score"]["type"] = "number"
        finding(new)["required"].remove("score")
        finding(new)["required"].append("score")

    assert changed(more) == []
