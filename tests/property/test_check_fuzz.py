"""Documents broken at random, through `check`: findings or an error in the one grammar; nothing else is opened or run."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import pytest

import fourfold as ff
from fourfold.reports.checking import VERDICTS

from ..documents import WRITERS, written
from .test_readers_fuzz import broken

REPORT = b"""Results of the model, tp=55, fn=9, fp=13, tn=20: Accuracy: 0.773, see \"/etc/hostname\"

              precision    recall  f1-score   support
           0       0.90      0.95      0.92       150
           1       0.85      0.77      0.81        69
    accuracy                           0.89       219

| Model | Accuracy (%) | Sens. | n |
|---|---|---|---|
| **a** | 91.2 \xc2\xb1 0.4 | 0.91 (0.88-0.94) | 120 |
[[141 9]
 [16 53]]
{'accuracy': 0.91, '__import__("os").getpid()': 0.5}
"""
DOCUMENTS = {name: written(name) for name in WRITERS if not name.endswith((".docx", ".pdf"))} | {"a.md": REPORT}
REACHING = ("socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.system", "os.exec", "open")


@pytest.fixture
def reached(tmp_path: Path) -> list[Any]:
    """Return a list of what was opened or reached outside of the folder and of Python's own files."""
    seen: list[Any] = []
    own = (str(tmp_path), sys.prefix, sys.base_prefix, str(Path(ff.__file__).parent), "/usr", "/proc")
    watching.append((own, seen))
    return seen


# A hook stays for good: it looks only while a test watches.
watching: list[tuple[tuple[str, ...], list[Any]]] = []


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if watching and event in REACHING:
        own, seen = watching[-1]
        if event != "open" or not str(arguments[0]).startswith(own):
            seen.append((event, str(arguments[0])))


def test_broken_documents_get_a_verdict_or_an_error(tmp_path: Path, reached: list[Any]) -> None:
    sys.addaudithook(_note)
    rng = random.Random(16)
    try:
        for _ in range(30):
            name = rng.choice(list(DOCUMENTS))
            path = tmp_path / name
            path.write_bytes(broken(DOCUMENTS[name], rng))
            found = ff.check(path)
            assert {finding.verdict for finding in found.findings} <= set(VERDICTS)
            assert all(finding.words for finding in found.findings)
            [document] = found.documents
            assert document.error is None or not found.findings
    finally:
        watching.clear()
    assert not reached


def test_scores_with_all_their_digits() -> None:
    """Long numbers need long integers, also where a size leaves no margins to look at."""
    scores = {"accuracy": "0.690566037735849", "f1": "0.2553191489361702", "recall": "0.7911951909476662"}
    found = ff.check("Test set:\n\n" + ", ".join(f"{name}: {text}" for name, text in scores.items()) + "\n")
    assert [finding.report.scores for finding in found.findings] == [scores]
    # Of these three any values go together, as long as the negatives are many enough.
    assert found.verdict == "possible"
