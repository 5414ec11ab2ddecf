"""A check of documents for hosts that show findings beside the line: SARIF 2.1.0, and JUnit's XML."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote
from xml.etree import ElementTree

from .. import __version__
from ..answers import report_words
from ..data import write_text
from ..reports import Check, Finding, Place, fingerprints, relative_name
from ..words import UNSHOWN

_SARIF_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_FINGERPRINT: Final = "fourfold/v1"
#: Verdicts that hosts are told, each with the id of its rule, its level and what it means.
_RULES: Final = {
    "impossible": ("impossible", "error", "No table of counts gives these scores, nor does any average."),
    "conditional": ("conditional", "warning", "A table gives these scores only if something is so."),
    "unexplained": ("unexplained", "note", "No way to average that was tried gives these scores."),
    "undecided": ("undecided", "note", "It was not decided whether any table gives these scores."),
}


def sarif(result: Check) -> str:
    """Return the findings of a check as a SARIF log; documents are named as seen from the working directory."""
    marks = fingerprints(result.findings)
    rules = [
        {"id": rule, "shortDescription": {"text": words}, "defaultConfiguration": {"level": level}}
        for rule, level, words in _RULES.values()
    ]
    run = {
        "tool": {"driver": {"name": "fourfold", "version": __version__, "rules": rules}},
        "invocations": [_invocation(result)],
        "results": [
            _sarif_result(finding, mark)
            for finding, mark in zip(result.findings, marks, strict=True)
            if finding.verdict in _RULES
        ],
    }
    return json.dumps({"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2)


def junit(result: Check, fail_on: str = "impossible") -> str:
    """Return a check as JUnit's XML: a suite a document, a test a report."""
    failing = {id(finding) for finding in result.failing(fail_on)}
    suites = ElementTree.Element("testsuites", name="fourfold")
    for document in result.documents:
        name = relative_name(document.name) or "-"
        findings = [finding for finding in result.findings if finding.document == document.name]
        cases = [_case(finding, name, failed=id(finding) in failing) for finding in findings]
        if document.error is not None:
            cases.append(_element("testcase", classname=name, name="reading"))
            cases[-1].append(_element("error", message=document.error))
        counts = {kind: sum(case.find(tag) is not None for case in cases) for kind, tag in _COUNTED.items()}
        suite = _element("testsuite", name=name, tests=str(len(cases)), **{k: str(n) for k, n in counts.items()})
        suite.extend(cases)
        suites.append(suite)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=False)


def write_sarif(result: Check, path: str | Path) -> None:
    """Write the findings of a check to a SARIF file."""
    write_text(path, sarif(result) + "\n")


def write_junit(result: Check, path: str | Path, fail_on: str = "impossible") -> None:
    """Write a check to a file of JUnit's XML."""
    write_text(path, f'<?xml version="1.0" encoding="UTF-8"?>\n{junit(result, fail_on)}\n')


_COUNTED: Final = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def _invocation(result: Check) -> dict[str, Any]:
    unread = [document for document in result.documents if document.error is not None]
    notifications = [
        {
            "level": "error",
            "message": {"text": _shown(f"{document.error}")},
            "locations": [{"physicalLocation": {"artifactLocation": _artifact(document.name)}}],
        }
        for document in unread
    ]
    return {"executionSuccessful": not unread, "toolExecutionNotifications": notifications}


def _sarif_result(finding: Finding, mark: str) -> dict[str, Any]:
    rule, level, _ = _RULES[finding.verdict]
    shown: dict[str, Any] = {
        "ruleId": rule,
        "ruleIndex": list(_RULES).index(finding.verdict),
        "level": level,
        "message": {"text": _shown(_words(finding))},
        "locations": [_location(finding)],
        "partialFingerprints": {_FINGERPRINT: mark},
    }
    if finding.accepted:
        shown["suppressions"] = [{"kind": "external", "status": "accepted"}]
    return shown


def _words(finding: Finding) -> str:
    return f"{_what(finding)}: {finding.words}"


def _what(finding: Finding) -> str:
    title = finding.report.title
    what = report_words([finding])
    return what if not title or title in what else f"{title}, {what}"


def _location(finding: Finding) -> dict[str, Any]:
    place = finding.report.where
    location: dict[str, Any] = {}
    if finding.document:
        location["physicalLocation"] = {"artifactLocation": _artifact(finding.document), **_region(place)}
    named = list(_logical(place))
    if named:
        location["logicalLocations"] = [{"name": name, "fullyQualifiedName": str(place)} for name in named]
    return location


def _region(place: Place) -> dict[str, Any]:
    """Return the line, where it is one of the file: lines of a page or of a notebook's cell are not."""
    if place.line is None or place.page is not None or place.cell is not None or place.sheet is not None:
        return {}
    return {"region": {"startLine": place.line}}


def _logical(place: Place) -> Iterator[str]:
    if place.page is not None:
        yield f"page {place.page}"
    if place.sheet is not None:
        yield f"{place.sheet}, {place.cell}" if place.cell else place.sheet
    elif place.cell is not None:
        yield f"cell {place.cell}"


def _artifact(document: str) -> dict[str, str]:
    return {"uri": quote(relative_name(document) or "-"), "uriBaseId": "%SRCROOT%"}


def _case(finding: Finding, name: str, *, failed: bool) -> ElementTree.Element:
    place = str(finding.report.where)
    case = _element("testcase", classname=name, name=f"{place}: {_what(finding)}" if place else _what(finding))
    if failed:
        case.append(_element("failure", _words(finding), message=finding.words, type=finding.verdict))
    elif finding.accepted:
        case.append(_element("skipped", message=f"accepted: {finding.words}"))
    elif finding.verdict in _OPEN:
        case.append(_element("skipped", message=f"{finding.verdict}: {finding.words}"))
    elif finding.verdict != "possible":
        case.append(_element("system-out", f"{finding.verdict}: {finding.words}"))
    return case


_OPEN: Final[Sequence[str]] = ("undecided", "not checked")


def _element(tag: str, text: str | None = None, **attributes: str) -> ElementTree.Element:
    element = ElementTree.Element(tag, {key: _shown(value) for key, value in attributes.items()})
    element.text = None if text is None else _shown(text)
    return element


def _shown(text: str) -> str:
    """Return text without characters that XML does not have, and that would steer a terminal."""
    return text.translate(UNSHOWN)
