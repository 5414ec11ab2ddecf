"""A plugin for pytest that notes how long each test takes and how it ends, a line of JSON for each part of a test."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest


def pytest_configure() -> None:
    """Say which process runs the tests: what others meet cannot be told apart by test."""
    os.environ["FOURFOLD_TESTING"] = str(os.getpid())


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note a part of a test."""
    with Path(os.environ["FOURFOLD_TESTS"]).open("a", encoding="utf-8") as notes:
        print(json.dumps([report.nodeid, report.outcome, report.duration]), file=notes)
