"""The same question gets the same answer whatever the seed of hashes and the number of threads and processes."""

from __future__ import annotations

import importlib
import json
import sys
from types import ModuleType

import pytest

from ..conftest import ROOT


@pytest.fixture
def same(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return scripts/same_answers.py, which does the same with engines and interpreters."""
    monkeypatch.syspath_prepend(ROOT / "scripts")
    monkeypatch.chdir(ROOT / "docs" / "examples")
    return importlib.import_module("same_answers")


def test_hash_seed_threads_and_processes_change_nothing(same: ModuleType) -> None:
    other = same.asked(sys.executable, "two", PYTHONHASHSEED="1", OMP_NUM_THREADS="2")
    here = json.loads(json.dumps(same.answers(), default=str))
    assert len(here) > 20
    assert list(same.differences(here, other)) == []


@pytest.mark.parametrize(
    ("one", "other", "sizes"),
    [
        ({"a": [1, 0.5]}, {"a": [1, 0.5]}, []),
        ({"a": 1.0}, {"a": 1.5}, [0.5 / 1.5]),
        ({"a": 1}, {"a": 2}, [float("inf")]),
        ({"a": 1}, {"a": 1.0}, [float("inf")]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, [float("inf")]),
        ([1], [1, 1], [float("inf")]),
    ],
)
def test_what_differs_is_found(same: ModuleType, one: object, other: object, sizes: list[float]) -> None:
    assert [size for _, size in same.differences(one, other)] == sizes
