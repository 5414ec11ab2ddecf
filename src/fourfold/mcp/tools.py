"""The questions as tools: names, words and schemas, made from the table of questions and from the results."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any, Final

from .. import shape
from ..questions import WEB_QUESTIONS, Question
from ..questions.schemas import Body, Schema, table_schema

#: When an assistant should use which question; the others would only be in its way.
_USES: Final = {
    "recover": "Use it to tell whether scores of one report can be true together, and which tables fit them.",
    "check": "Use it on a text, paper, README or sheet of results: it finds the reports in it and judges each.",
    "compare-groups": "Use it where the counts tp, fn, fp and tn of one group and of a reference are known.",
    "audit-tables": "Use it where the counts of several groups are known.",
    "audit": "Use it where there is a table with the truth, the prediction and the group of every case.",
    "certainty": "Use it where there is a table with the truth and a probability for each class in every case.",
    "preview": "Use it first on a file that you have not seen: it tells the columns.",
    "plan": "Use it before data are collected.",
    "metrics": "Use it to look up what a score is called here, and how it is defined.",
}
#: The questions that are tools, by name.
TOOLS: Final = MappingProxyType({name: WEB_QUESTIONS[name] for name in _USES})
_INSTRUCTIONS: Final = (
    "Exact answers about reported scores of classifiers: can reported scores be true (recover, check), does a "
    "group really differ (compare-groups, audit-tables, audit), how much of a score rests on confident predictions "
    "(certainty), how many cases are needed (plan). Give scores as text, as they were printed: 0.90 says more than "
    "0.9. The verdict impossible means that no table of counts gives these scores, and no average does, unless it was "
    "said that they are of one test set; say which scores contradict each other. The verdict unexplained means that "
    "some average could: it accuses nobody, so ask how the scores were averaged. The verdict conditional says what "
    "must be so. The verdict undecided, and the error timed_out, say nothing against a report. That scores fit does "
    "not make them true."
)
_DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
_PLACE: Final = "#/$defs/"
_TEXT: Final[Schema] = {"type": "string", "description": "The content, as text."}
_NAME: Final[Schema] = {
    "type": "string",
    "description": "What to call the text; its ending says what it is (.csv, .md).",
}
_PATH: Final[Schema] = {"type": "string", "description": "In place of text: a path below a folder that the user named."}


def instructions(folders: Sequence[str]) -> str:
    """Return what an assistant is told first."""
    if not folders:
        return f"{_INSTRUCTIONS} No files can be read: give their content as text."
    return (
        f"{_INSTRUCTIONS} Files can be read by their path below {' or '.join(folders)}; or give their content as text."
    )


def described(*, files: bool) -> dict[str, Any]:
    """Return every tool as the protocol lists it; `files` says whether files can be read."""
    members = {"text": _TEXT, "name": _NAME} | ({"path": _PATH} if files else {})
    file = {"type": "object", "properties": members, "additionalProperties": False}
    body = Body(table_schema(), file if files else file | {"required": ["text"]}, lists=True, spread=False)
    return {"tools": [_tool(question, body) for question in TOOLS.values()]}


def _tool(question: Question, body: Body) -> Schema:
    return {
        "name": question.name,
        "description": f"{question.says} {_USES[question.name]}",
        "inputSchema": body.schema(question),
        "outputSchema": _output(question),
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    }


def _output(question: Question) -> Schema:
    """Return the schema of all that a tool can answer: its results, and an error."""
    names = (*question.gives, "error")
    kinds = [{"$ref": _PLACE + name} for name in names]
    return {"$schema": _DRAFT, "type": "object", "anyOf": kinds, "$defs": shape.components(names, _PLACE)}
