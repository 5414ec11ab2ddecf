"""Every route with what it takes and gives, and the OpenAPI description made from that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, get_args

from fastapi import FastAPI

from .. import shape
from ..certainty.decomposition import Convention
from ..claims.claim import Undefined
from ..formula import CELLS
from ..groups.matching import Method
from ..reported import ROUNDINGS
from .bodies import KINDS

Schema = dict[str, Any]

_COMPONENTS: Final = "#/components/schemas/"

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
_TEXT: Final[Schema] = {"type": "string"}
_NUMBER: Final[Schema] = {"type": "number"}
_FLAG: Final[Schema] = {"type": "boolean"}
_WHOLE: Final[Schema] = {"type": ["integer", "string"], "minimum": 0, "pattern": "^[0-9]+$", "maxLength": 30}
_TEXTS: Final[Schema] = {"type": "array", "items": _TEXT}
_NAMES: Final[Schema] = {"anyOf": [_TEXT, _TEXTS], "description": "Names of metrics; left out, the usual ones."}
_NAME: Final[Schema] = {"type": "string", "description": "A metric by any of its names."}
_AMOUNT: Final[Schema] = {"type": ["number", "string"], "description": "A number, 0 or more, or auto."}
_SIZE: Final[Schema] = {
    "type": ["integer", "string", "null"],
    "minimum": 0,
    "description": "A number of cases, or a range such as 40-60.",
}
_LEVEL: Final[Schema] = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1, "default": 0.95}


def _object(properties: Mapping[str, Schema], required: tuple[str, ...] = (), **rest: Any) -> Schema:
    return {"type": "object", "properties": dict(properties), "required": list(required)} | rest


def _refer(name: str) -> Schema:
    return {"$ref": _COMPONENTS + name}


_TABLE: Final = _refer("Table")
_SCORE: Final = _object({**dict.fromkeys(CELLS, _WHOLE), "metrics": _NAMES}, CELLS, description="Four counts by name.")
_HOLES: Final = _object(
    {"metric": _NAME, "sizes": {"anyOf": [_WHOLE, {"type": "array", "items": _WHOLE, "minItems": 1, "maxItems": 2}]}},
    ("metric", "sizes"),
    additionalProperties=False,
)
_RECOVER: Final = _object(
    {
        "positives": _SIZE,
        "negatives": _SIZE,
        "total": _SIZE,
        "max_total": _WHOLE,
        "budget": _WHOLE,
        "rounding": {"type": "string", "enum": list(ROUNDINGS)},
        "undefined": {"type": "string", "enum": list(get_args(Undefined))},
    },
    description="Sizes, options, and scores by any name of a metric, as printed: text keeps trailing zeros.",
    additionalProperties={"type": ["string", "number", "null"]},
)
_MATCH: Final = _object(
    {
        "metric": {"type": "string", "description": "A metric, or a measure of two groups, by any of its names."},
        "group": _TABLE,
        "reference": _TABLE,
        "method": {"type": "string", "enum": list(get_args(Method))},
        "reference_uncertainty": _FLAG,
        "seed": _WHOLE,
        "level": _LEVEL,
    },
    ("metric", "group", "reference"),
    additionalProperties=False,
)
_SMOOTH: Final = _object(
    {"group": _TABLE, "reference": _TABLE, "strength": _AMOUNT, "epsilon": {"type": ["number", "string"]}},
    ("group",),
    additionalProperties=False,
)
_AUDIT_TABLES: Final = _object(
    {
        "groups": {"type": "object", "additionalProperties": _TABLE, "minProperties": 1},
        "metrics": _NAMES,
        "reference": {"anyOf": [_TEXT, _TABLE], "description": "rest, all, a group's name, or a table."},
        "level": _LEVEL,
        "strength": _AMOUNT,
        "reference_uncertainty": _FLAG,
    },
    ("groups",),
    additionalProperties=False,
)
_FILE: Final[Schema] = {
    "type": "string",
    "contentMediaType": "application/octet-stream",
    "description": f"A table whose name ends in {', '.join(KINDS)}.",
}
_AUDIT: Final = _object(
    {
        "file": _FILE,
        "truth": _TEXT,
        "prediction": _TEXT,
        "by": _TEXTS,
        "metric": _TEXTS,
        "reference": _TEXT,
        "positive": _TEXT,
        "level": _LEVEL,
        "strength": _AMOUNT,
        "reference_uncertainty": _FLAG,
    },
    ("file", "truth", "prediction", "by"),
    additionalProperties=False,
)
_CERTAINTY: Final = _object(
    {
        "file": {"type": "array", "items": _FILE, "minItems": 1, "maxItems": 2},
        "truth": _TEXT,
        "probabilities": {"type": "string", "description": "Columns, with commas between them, or a pattern: p_*."},
        "prediction": _TEXT,
        "by": _TEXTS,
        "metric": _TEXTS,
        "convention": {"type": "string", "enum": list(get_args(Convention))},
        "tolerance": _NUMBER,
    },
    ("file", "truth", "probabilities"),
    additionalProperties=False,
)
_REVIEW: Final = _object(
    {
        "file": _FILE,
        "map": {"type": "array", "items": _TEXT, "description": "What a column is: Column=name."},
        "rounding": _TEXT,
        "undefined": _TEXT,
        "max_total": _TEXT,
        "budget": _TEXT,
    },
    ("file",),
    additionalProperties=False,
)


class Route(NamedTuple):
    """A route: where, how it is asked, which question it puts, and what it takes and gives."""

    path: str
    kind: Literal["get", "json", "form", "review"]
    question: str
    says: str
    takes: Schema | None
    gives: tuple[str, ...]


def _drawn(question: str, kind: Literal["json", "form"], says: str, takes: Schema) -> Route:
    return Route(f"/charts/{question}", kind, f"charts/{question}", says, takes, ("charts",))


ROUTES: Final = (
    Route("/api/metrics", "get", "metrics", "List every metric.", None, ("metrics",)),
    Route("/api/metrics/{name}", "get", "metric", "Describe one metric.", None, ("metric",)),
    Route("/api/score", "json", "score", "Score one table.", _SCORE, ("scores",)),
    Route("/api/holes", "json", "holes", "Count the tables that leave a metric undefined.", _HOLES, ("holes",)),
    Route("/api/recover", "json", "recover", "Find every table behind reported scores.", _RECOVER, ("recovery",)),
    Route("/api/match", "json", "match", "Is it the group, or its size?", _MATCH, ("match", "comparison")),
    Route("/api/smooth", "json", "smooth", "Draw a group's table towards a reference.", _SMOOTH, ("smoothed",)),
    Route("/api/audit-tables", "json", "audit-tables", "Compare groups by their tables.", _AUDIT_TABLES, ("audit",)),
    Route("/api/audit", "form", "audit", "Compare the groups in a file.", _AUDIT, ("audit",)),
    Route("/api/certainty", "form", "certainty", "Split scores into certain and not.", _CERTAINTY, ("certainty",)),
    Route("/api/review", "review", "review", "Recover every report of a table, one a row.", _REVIEW, ()),
    _drawn("recover", "json", "Draw the tables that fit, and the bounds.", _RECOVER),
    _drawn("match", "json", "Draw the law of a group's score.", _MATCH),
    _drawn("audit-tables", "json", "Draw groups with their intervals.", _AUDIT_TABLES),
    _drawn("audit", "form", "Draw the groups in a file.", _AUDIT),
    _drawn("certainty", "form", "Draw certain and uncertain scores, matrices and curves.", _CERTAINTY),
)


def described(app: FastAPI) -> Schema:
    """Return the OpenAPI description."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": app.title,
            "version": app.version,
            "description": "Exact answers about the numbers a classifier is judged by.",
        },
        "paths": {route.path: {"get" if route.kind == "get" else "post": _operation(route)} for route in ROUTES},
        "components": {"schemas": _components(), "responses": _refusals()},
    }


def _operation(route: Route) -> Schema:
    made: Schema = {"summary": route.says, "operationId": name_of(route)}
    if "{name}" in route.path:
        text = {"type": "string", "minLength": 1}
        made["parameters"] = [{"name": "name", "in": "path", "required": True, "schema": text}]
    if route.takes is not None:
        kind = "application/json" if route.kind == "json" else "multipart/form-data"
        made["requestBody"] = {"required": True, "content": {kind: {"schema": route.takes}}}
    made["responses"] = {"200": {"description": "The answer.", "content": _content(route)}}
    made["responses"] |= {status: {"$ref": f"#/components/responses/{status}"} for status in _STATUSES}
    return made


def name_of(route: Route) -> str:
    """Return a route's name for programs."""
    return route.path.strip("/").translate(str.maketrans("/-", "__", "{}"))


def _content(route: Route) -> Schema:
    if route.kind == "review":
        return {kind: {"schema": _TEXT} for kind in ("text/csv", "application/x-ndjson")}
    kinds = [_refer(name) for name in route.gives]
    return {"application/json": {"schema": kinds[0] if len(kinds) == 1 else {"anyOf": kinds}}}


def _components() -> Schema:
    answers = {name for route in ROUTES for name in route.gives} | {"error"}
    table = _object(dict.fromkeys(CELLS, _WHOLE), CELLS, additionalProperties=False)
    return shape.components(answers, _COMPONENTS) | {"Table": table}


def _refusals() -> Schema:
    content = {"application/json": {"schema": _refer("error")}}
    return {status: {"description": says, "content": content} for status, says in _STATUSES.items()}
