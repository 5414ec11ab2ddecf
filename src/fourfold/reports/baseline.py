"""Findings that are accepted: a file of fingerprints, which stay when lines move."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Final

from ..data import write_text
from ..errors import InputError
from ..shape import Record, Result, flat
from .judging import Finding

_MOST_BYTES: Final = 64 << 20
_HINT: Final = "name a file that --write-baseline wrote"
#: Where a report stands, and what was made of it, may change; all else is printed.
_NOT_PRINTED: Final = ("where", "table", "columns", "ignored", "assumed", "complete")


@dataclass(frozen=True)
class AcceptedFinding(Record):
    """A finding that is accepted: its fingerprint, and what people need to recognise it."""

    fingerprint: Annotated[
        str, "What identifies it: document, kind, title, what is printed, and what is wrong with it."
    ]
    document: Annotated[str, "The document, relative to the folder in which the check was run."]
    title: Annotated[str, "The report's title."] = ""
    verdict: Annotated[str, "The verdict about it."] = ""
    words: Annotated[str, "The same in a sentence."] = ""


@dataclass(frozen=True)
class Baseline(Result, schema="baseline", source="`check --write-baseline`", members="findings"):
    """Findings that are accepted, and do not fail a build.

    Examples
    --------
    >>> from fourfold import check
    >>> found = check("tp=55, tn=20, fp=13, fn=9. Accuracy: 0.853")
    >>> accepted = found.baseline()
    >>> len(found.failing()), len(found.against(accepted).failing())
    (1, 0)
    """

    findings: Annotated[tuple[AcceptedFinding, ...], "The findings, in order."]

    @classmethod
    def of(cls, findings: Sequence[Finding]) -> Baseline:
        """Accept findings; they must be all of a check, or those of whole documents, as equal ones are numbered."""
        marks = fingerprints(findings)
        return cls(
            tuple(
                AcceptedFinding(mark, relative_name(one.document), one.report.title, one.verdict, one.words)
                for mark, one in zip(marks, findings, strict=True)
            )
        )

    @classmethod
    def read(cls, path: str | Path) -> Baseline:
        """Read what `write` wrote."""
        try:
            if Path(path).stat().st_size > _MOST_BYTES:
                raise InputError("bad_shape", "baseline", "is too large", str(path), _HINT)
            text = Path(path).read_text(encoding="utf-8")
        except OSError as error:
            problem = f"cannot be read ({(error.strerror or 'it is broken').lower()})"
            raise InputError("no_file", "baseline", problem, str(path), _HINT) from None
        except UnicodeDecodeError:
            raise InputError("bad_shape", "baseline", "is not text", str(path), _HINT) from None
        try:
            plain = json.loads(text)
            if plain["schema"] != f"fourfold/{Baseline.json_kind.name}" or plain["version"] != 1:
                raise ValueError
            return cls(tuple(map(_accepted, plain["findings"])))
        except (ValueError, KeyError, TypeError, RecursionError):
            raise InputError("bad_shape", "baseline", "is not a list of accepted findings", str(path), _HINT) from None

    def write(self, path: str | Path) -> None:
        """Write it to a file; a file that is there is replaced at once."""
        write_text(path, json.dumps(self.to_dict(), ensure_ascii=False, indent=2) + "\n")

    def _rows(self) -> list[dict[str, Any]]:
        return [flat(one) for one in self.findings]

    def gone(self, findings: Sequence[Finding], documents: Iterable[str]) -> tuple[AcceptedFinding, ...]:
        """Return what no longer occurs, in documents that were checked or are no longer there."""
        checked = set(map(relative_name, documents))
        seen = set(fingerprints(findings))
        return tuple(
            one
            for one in self.findings
            if one.fingerprint not in seen and (one.document in checked or not _is_there(one.document))
        )

    def of_others(self, documents: Iterable[str]) -> tuple[AcceptedFinding, ...]:
        """Return what is accepted in documents that are there and were not checked."""
        checked = set(map(relative_name, documents))
        return tuple(one for one in self.findings if one.document not in checked and _is_there(one.document))


def fingerprints(findings: Iterable[Finding]) -> list[str]:
    """Return what each finding is known by; equal ones in a document are numbered."""
    seen: dict[str, int] = {}
    marks = []
    for finding in findings:
        report = finding.report
        named = {one.name: getattr(report, one.name) for one in fields(report) if one.name not in _NOT_PRINTED}
        printed = {name: value for name, value in named.items() if value}
        wrong = [[one.name, one.printed] for one in finding.wrong]
        # The word of earlier baselines, so that what they accept stays accepted.
        verdict = "possible only if" if finding.verdict == "conditional" else finding.verdict
        known = [relative_name(finding.document), verdict, printed, wrong]
        text = json.dumps(known, ensure_ascii=True, sort_keys=True, default=dict)
        mark = hashlib.sha256(text.encode("ascii")).hexdigest()[:32]
        seen[mark] = seen.get(mark, 0) + 1
        marks.append(mark if seen[mark] == 1 else f"{mark}-{seen[mark]}")
    return marks


def relative_name(document: str) -> str:
    """Return a document's name as seen from the working directory, the same on every machine."""
    if not document or document == "-":
        return document
    try:
        return Path(os.path.relpath(document)).as_posix()
    except ValueError:  # another drive
        return Path(document).name


def _is_there(document: str) -> bool:
    # A name comes from the file of accepted findings: it is looked for, and never opened.
    try:
        return Path(document).is_file()
    except (OSError, ValueError):
        return False


def _accepted(entry: Mapping[str, Any]) -> AcceptedFinding:
    names = [one.name for one in fields(AcceptedFinding)]
    texts = [entry[name] if name in names[:2] else entry.get(name, "") for name in names]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError
    return AcceptedFinding(*texts)
