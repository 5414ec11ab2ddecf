"""What a question takes, as JSON Schema: made from the table of questions for every door that takes JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ..data import FILE_ENDINGS
from ..exact import CELLS
from .parameters import FILES, FLAGS, MOST_FILES, SPREAD, Parameter, Question

Schema = dict[str, Any]

_TEXT: Final[Schema] = {"type": "string"}
_SOME_TEXT: Final[Schema] = {"type": "string", "minLength": 1}
_NUMBER: Final[Schema] = {
    "type": ["number", "string"],
    "pattern": r"^ *[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,2})? *$",
    "maxLength": 100,
}
_WHOLE: Final[Schema] = {"type": ["integer", "string"], "minimum": 0, "pattern": "^[0-9]+$", "maxLength": 30}
_COUNT: Final[Schema] = {**_WHOLE, "maximum": 2**63 - 1, "maxLength": 18}
_PAIR: Final[Schema] = {"type": "string", "pattern": r"^[^=]*[^=\s][^=]*=", "maxLength": 1000}
_CASES: Final[Schema] = {**_WHOLE, "exclusiveMaximum": 10**18, "maxLength": 18}
_RANGE: Final = r"^ *([0-9]+(\.0+)?|\[? *[0-9]+ *(-|–|\.\.|,|to) *[0-9]+ *\]?) *$"
_SIZE: Final[Schema] = {**_CASES, "pattern": _RANGE, "maxLength": 40}
_AMOUNT: Final[Schema] = {"type": ["number", "string"]}
_SCORE: Final[Schema] = {"type": ["string", "number", "null"]}
_SET: Final[Schema] = {
    "anyOf": [
        {"type": "array", "items": _CASES, "minItems": 2, "maxItems": 2},
        {"type": "object", "properties": {"positives": _CASES, "negatives": _CASES},
         "required": ["positives", "negatives"]},
    ]
}  # fmt: skip


class Body(NamedTuple):
    """How a door writes what a question takes: a table and a file, and whether what may come several times is a list.

    Members that are `spread` stand beside the other parameters, as `questions.calls` reads them. `null_is_left_out` has
    it said that null or an empty text stand for what is left out.
    """

    table: Schema
    file: Schema
    lists: bool = False
    spread: bool = True
    null_is_left_out: bool = False

    def schema(self, question: Question) -> Schema:
        """Return the schema of an object that asks a question."""
        body: Schema = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
        for parameter in question.parameters:
            if parameter.kind == "scores" and self.spread:
                body |= {"description": parameter.help, "additionalProperties": _SCORE}
                continue
            named = {parameter.name: self._given(parameter)}
            if parameter.kind == "cells":
                named = table_schema()["properties"]
            body["properties"] |= named
            body["required"] += list(named) if parameter.required else []
        return body

    def _given(self, parameter: Parameter) -> Schema:
        schema = dict(self._kinds().get(parameter.kind, _SOME_TEXT if parameter.required else _TEXT))
        if parameter.choices:
            schema["enum"] = list(parameter.values())
        if parameter.kind in ("file", "cases"):
            or_in = ", or a document that has one" if parameter.kind == "cases" else ""
            schema["description"] = f"A table whose name ends in {', '.join(FILE_ENDINGS)}{or_in}."
        if parameter.many and parameter.kind not in SPREAD:
            several: Schema = {"type": "array", "items": schema, "minItems": int(parameter.required)}
            if parameter.kind in FILES:
                several["maxItems"] = MOST_FILES[parameter.kind]
            schema = several if self.lists else {"anyOf": [schema, several]}
        if self.null_is_left_out and not parameter.required:
            schema = {"anyOf": [schema, {"enum": [None, ""]}]}
        if "$ref" not in schema:
            schema.setdefault("description", parameter.full_help)
        if parameter.default is not None and not parameter.many:
            schema["default"] = parameter.default
        return schema

    def _kinds(self) -> Mapping[str, Schema]:
        """Return what each kind of parameter looks like; those that are not here are texts."""
        return {
            "whole": _WHOLE,
            "number": _NUMBER,
            "amount": _AMOUNT,
            "flag": {"enum": [True, False, *FLAGS]},
            "size": {"anyOf": [_SIZE, {"type": "array", "items": _SIZE, "minItems": 2, "maxItems": 2}]},
            "pair": _PAIR,
            "said": _PAIR,
            "scores": {"type": "object", "additionalProperties": _SCORE},
            "sets": {"anyOf": [_TEXT, {"type": "array", "items": _SET, "minItems": 1}]},
            "table": self.table,
            "tables": {"type": "object", "additionalProperties": self.table, "minProperties": 1},
            "reference": {"anyOf": [_TEXT, self.table]},
            "population": {"anyOf": [_NUMBER, _TEXT, {"type": "object", "additionalProperties": _AMOUNT}]},
            **dict.fromkeys(FILES, self.file),
        }


def table_schema() -> Schema:
    """Return the schema of a table: four counts by name."""
    cells = dict.fromkeys(CELLS, _COUNT)
    return {"type": "object", "properties": cells, "required": list(CELLS), "additionalProperties": False}
