"""What can be asked on the web, and the OpenAPI description made from the table of questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Final

from .. import __version__, shape
from ..frames import FILE_ENDINGS
from ..questions import FILES, MOST_FILES, QUESTIONS, Parameter, Question

Schema = dict[str, Any]

#: Every question that can be asked here, with what can be given here.
WEB_QUESTIONS: Final[Mapping[str, Question]] = MappingProxyType(
    {name: question.on_the_web() for name, question in QUESTIONS.items() if question.web}
)
_STATUSES: Final = {
    "400": "The input is wrong; the hint says how to mend it.",
    "403": "The request came from another site.",
    "408": "The body came too slowly.",
    "413": "The body is too large.",
    "415": "The body, or the file, is of a type that is not read.",
    "421": "The Host header names another server.",
    "422": "The answer would take more work or memory than allowed.",
    "500": "A fault of the program.",
    "501": "A package that this needs is not installed.",
    "503": "Too many questions are waiting.",
    "504": "The answer took longer than allowed.",
}
_SAYS: Final = "Exact answers about the numbers a classifier is judged by."
_TEXT: Final[Schema] = {"type": "string"}
_NUMBER: Final[Schema] = {"type": "number"}
_WHOLE: Final[Schema] = {"type": ["integer", "string"], "minimum": 0, "pattern": "^[0-9]+$", "maxLength": 30}
_AMOUNT: Final[Schema] = {"type": ["number", "string"]}
_COMPONENTS: Final = "#/components/schemas/"
_TABLE: Final[Schema] = {"$ref": f"{_COMPONENTS}Table"}
_SET: Final[Schema] = {
    "anyOf": [
        {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 2, "maxItems": 2},
        {"type": "object", "properties": {"positives": _WHOLE, "negatives": _WHOLE},
         "required": ["positives", "negatives"]},
    ]
}  # fmt: skip
# What each kind of parameter looks like in a body; those that are not here are texts.
_KINDS: Final[Mapping[str, Schema]] = {
    "whole": _WHOLE,
    "number": _NUMBER,
    "amount": _AMOUNT,
    "flag": {"type": "boolean"},
    "size": {"type": ["integer", "string", "null"], "minimum": 0},
    "sets": {"anyOf": [_TEXT, {"type": "array", "items": _SET, "minItems": 1}]},
    "table": _TABLE,
    "tables": {"type": "object", "additionalProperties": _TABLE, "minProperties": 1},
    "reference": {"anyOf": [_TEXT, _TABLE]},
    "population": {"anyOf": [_NUMBER, _TEXT, {"type": "object", "additionalProperties": _AMOUNT}]},
    **{key: {"type": "string", "contentMediaType": "application/octet-stream"} for key in FILES},
}


@dataclass(frozen=True)
class Questions(shape.Record, schema="questions", source="`GET /api/questions` of the web page"):
    """What can be asked, for whoever makes a form."""

    questions: Annotated[tuple[Question, ...], "Every question."]


def listed() -> Schema:
    """Return every question with its parameters, for whoever makes a form."""
    return Questions(tuple(WEB_QUESTIONS.values())).to_dict()


def described() -> Schema:
    """Return the OpenAPI description."""
    from ..formula import CELLS

    paths: dict[str, Schema] = {
        "/api/questions": {"get": _operation("api_questions", "List every question with its parameters.", "questions")},
        "/api/metrics": {"get": _operation("api_metrics", "List every metric.", "metrics")},
        "/api/metrics/{name}": {"get": _operation("api_metrics_name", "Describe one metric.", "metric") | _NAMED},
    }
    for question in WEB_QUESTIONS.values():
        if question.name != "metrics":
            paths[f"/api/{question.name}"] = {"post": _asked(question, "api", *question.gives)}
        if question.name not in ("metrics", "review"):
            paths[f"/page/{question.name}"] = {"post": _asked(question, "page", "page")}
    answers = {name for question in WEB_QUESTIONS.values() for name in question.gives}
    error = {"application/json": {"schema": {"$ref": f"{_COMPONENTS}error"}}}
    table = _object(dict.fromkeys(CELLS, _WHOLE), CELLS, additionalProperties=False)
    return {
        "openapi": "3.1.0",
        "info": {"title": "fourfold", "version": __version__, "description": _SAYS},
        "paths": paths,
        "components": {
            "schemas": shape.components(answers | {"error", "page", "questions"}, _COMPONENTS) | {"Table": table},
            "responses": {status: {"description": says, "content": error} for status, says in _STATUSES.items()},
        },
    }


_NAMED: Final[Schema] = {
    "parameters": [{"name": "name", "in": "path", "required": True, "schema": _TEXT | {"minLength": 1}}]
}


def _asked(question: Question, prefix: str, *gives: str) -> Schema:
    kind = "multipart/form-data" if question.reads_files else "application/json"
    body = {"requestBody": {"required": True, "content": {kind: {"schema": _body(question)}}}}
    name = f"{prefix}_{question.name.replace('-', '_')}"
    return _operation(name, question.says, *gives) | body


def _operation(name: str, says: str, *gives: str) -> Schema:
    """Return a route: its name for programs, what it does, and the components that it gives; none for a review."""
    kinds = [{"$ref": _COMPONENTS + given} for given in gives]
    content = {"application/json": {"schema": kinds[0] if len(kinds) == 1 else {"anyOf": kinds}}}
    if not gives:
        content = {kind: {"schema": _TEXT} for kind in ("text/csv", "application/x-ndjson")}
    responses: Schema = {"200": {"description": "The answer.", "content": content}}
    responses |= {status: {"$ref": f"#/components/responses/{status}"} for status in _STATUSES}
    return {"summary": says, "operationId": name, "responses": responses}


def _body(question: Question) -> Schema:
    """Return what a question takes, from its parameters."""
    from ..formula import CELLS

    body = _object({}, additionalProperties=False)
    for parameter in question.parameters:
        if parameter.kind == "scores":
            body |= {"description": parameter.help, "additionalProperties": {"type": ["string", "number", "null"]}}
            continue
        named = {parameter.name: _given(parameter, question)}
        if parameter.kind == "cells":
            named = dict.fromkeys(CELLS, _WHOLE)
        body["properties"] |= named
        body["required"] += list(named) if parameter.required else []
    return body


def _given(parameter: Parameter, question: Question) -> Schema:
    schema = dict(_KINDS.get(parameter.kind, _TEXT))
    if parameter.choices:
        schema["enum"] = list(parameter.values())
    if parameter.kind == "file":
        schema["description"] = f"A table whose name ends in {', '.join(FILE_ENDINGS)}."
    if parameter.many:
        several: Schema = {"type": "array", "items": schema, "minItems": 1}
        if parameter.kind in FILES:
            several["maxItems"] = MOST_FILES[parameter.kind]
        schema = several if question.reads_files else {"anyOf": [schema, several]}
    if "$ref" not in schema:
        schema.setdefault("description", parameter.full_help)
    if parameter.default is not None and not parameter.many:
        schema["default"] = parameter.default
    return schema


def _object(properties: Mapping[str, Schema], required: tuple[str, ...] = (), **rest: Any) -> Schema:
    return {"type": "object", "properties": dict(properties), "required": list(required)} | rest
