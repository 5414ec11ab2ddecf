"""The OpenAPI description of the questions, made from their table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final

from .. import __version__, shape
from ..questions import WEB_QUESTIONS, Question
from ..questions.schemas import Body, table_schema

Schema = dict[str, Any]

_STATUSES: Final = {
    "400": "The input is wrong; the hint says how to fix it.",
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
_SAYS: Final = "Check whether reported accuracy, sensitivity and F1 can be true."
_TEXT: Final[Schema] = {"type": "string"}
_COMPONENTS: Final = "#/components/schemas/"
_BODY: Final = Body({"$ref": f"{_COMPONENTS}Table"}, {"type": "string", "contentMediaType": "application/octet-stream"})


@dataclass(frozen=True)
class Questions(shape.Record, schema="questions", source="`GET /api/questions` of the web page"):
    """What can be asked, for programs that make a form."""

    questions: Annotated[tuple[Question, ...], "Every question."]


def listed() -> Schema:
    """Return every question with its parameters, for programs that make a form."""
    return Questions(tuple(WEB_QUESTIONS.values())).to_dict()


def described() -> Schema:
    """Return the OpenAPI description."""
    paths: dict[str, Schema] = {
        "/api/questions": {"get": _operation("api_questions", "List every question with its parameters.", "questions")},
        "/api/glossary": {"get": _operation("api_glossary", "Explain the terms that answers use.", "glossary")},
        "/api/metrics": {"get": _operation("api_metrics", "List every metric.", "metrics")},
        "/api/metrics/{name}": {"get": _operation("api_metrics_name", "Describe one metric.", "metric") | _NAMED},
    }
    for question in WEB_QUESTIONS.values():
        if question.name not in ("glossary", "metrics"):
            paths[f"/api/{question.name}"] = {"post": _asked(question, "api", *question.gives)}
        if question.name not in ("glossary", "metrics", "review"):
            paths[f"/page/{question.name}"] = {"post": _asked(question, "page", "page")}
    answers = {name for question in WEB_QUESTIONS.values() for name in question.gives}
    error = {"application/json": {"schema": {"$ref": f"{_COMPONENTS}error"}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "fourfold", "version": __version__, "description": _SAYS},
        "paths": paths,
        "components": {
            "schemas": shape.components(answers | {"error", "page", "questions"}, _COMPONENTS)
            | {"Table": table_schema()},
            "responses": {status: {"description": says, "content": error} for status, says in _STATUSES.items()},
        },
    }


_NAMED: Final[Schema] = {
    "parameters": [{"name": "name", "in": "path", "required": True, "schema": _TEXT | {"minLength": 1}}]
}


def _asked(question: Question, prefix: str, *gives: str) -> Schema:
    kind = "multipart/form-data" if question.reads_files else "application/json"
    # A field of a form comes several times; JSON has one value or a list.
    schema = _BODY._replace(lists=question.reads_files, null_is_left_out=True).schema(question)
    body = {"requestBody": {"required": True, "content": {kind: {"schema": schema}}}}
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
