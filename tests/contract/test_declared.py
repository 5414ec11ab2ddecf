"""What pyproject.toml, CITATION.cff and constraints.txt declare agrees with each other."""

from __future__ import annotations

import importlib
import re
import tomllib
from types import ModuleType

import pytest
import yaml

import fourfold as ff

from ..conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture
def lowest(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return scripts/lowest.py."""
    monkeypatch.syspath_prepend(ROOT / "scripts")
    return importlib.import_module("lowest")


def test_the_version_is_written_once() -> None:
    assert "version" not in PROJECT
    assert "version" in PROJECT["dynamic"]
    assert str(yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"]) == ff.__version__


def test_the_first_python_is_the_lowest_that_is_listed() -> None:
    listed = [line.rsplit(".", 1)[1] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert PROJECT["requires-python"] == f">=3.{min(listed, key=int)}"


def test_every_package_has_a_lower_bound(lowest: ModuleType) -> None:
    constraints = dict(line.split("==") for line in lowest.constraints())
    for line in PROJECT["dependencies"]:
        name, bound = line.split(">=")
        assert constraints[name] == bound
    assert {"duckdb", "altair", "uvicorn", "scikit-learn"} <= set(constraints)
    assert "fourfold" not in constraints


@pytest.mark.parametrize(
    ("needed", "problem"),
    [(["one"], "one: has no lower bound"), (["one>=1", "one>=2"], "one: has two"), (["one @ x"], "cannot be read")],
)
def test_what_is_not_declared_well_is_told(lowest: ModuleType, needed: list[str], problem: str) -> None:
    with pytest.raises(SystemExit, match=problem):
        lowest.lowest_versions({"name": "fourfold", "dependencies": needed, "optional-dependencies": {}})


def test_the_lowest_versions_are_read(lowest: ModuleType) -> None:
    extras = {"web": ["two[x]>=2.5,<3; python_version < '3.14'", "fourfold[web]"], "dev": ["three"]}
    found = lowest.lowest_versions({"name": "fourfold", "dependencies": ["One >= 1"], "optional-dependencies": extras})
    assert found == {"one": "1", "two": "2.5"}
