"""What several tests share: all small tables, and the catalogue with what is derived from it."""

from __future__ import annotations

import os
import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import fourfold as ff
from fourfold import solve

ROOT = Path(__file__).parent.parent
#: A folder with expected values that others computed; not part of the project.
SHARED = Path(os.environ.get("FOURFOLD_SHARED", ROOT.parent / "shared"))
ORACLE = SHARED / "oracle" / "oracle.json"
MATRICES = SHARED / "data" / "group_confusion_matrices.json"
ADULT = SHARED / "data" / "adult.parquet"


def needs(path: Path) -> pytest.MarkDecorator:
    """Leave a test out where a file is missing that is not part of the project, and say how to have it run."""
    reason = f"{path} is not there: it is no part of the project; FOURFOLD_SHARED names the folder that holds it"
    return pytest.mark.skipif(not path.exists(), reason=reason)


#: Why Spark cannot run here; empty where it can.
NO_JAVA = (
    ""
    if os.environ.get("JAVA_HOME") or shutil.which("java")
    else "Spark needs Java, and none was found: put java on the PATH or set JAVA_HOME"
)


def how_many(found: ff.Recovery) -> tuple[str, int | None, bool]:
    """Return the verdict, how many tables or sets of margins fit, and whether these are all."""
    return found.verdict, found.count, found.counted


#: Names that are not in the catalogue but built from it.
DERIVED = (
    "f2",
    "f0.5",
    "f1.5_negative",
    "macro_f1",
    "weighted_f1",
    "micro_f1",
    "macro_precision",
    "weighted_precision",
    "macro_recall",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--recover-cases", type=int, default=600, help="how many random reports to recover by brute force")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes by their parameter: packed ones hold the time of day, and all processes must have the same names."""
    return argname if isinstance(val, bytes) else None


#: Folders whose tests share a server or a cluster. They take longest, so they come first.
SHARING = ("web", "frames")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where tests run in several processes, those of a file stay together, and those of a folder that share something."""
    if not hasattr(config, "workerinput"):
        return
    for item in items:
        item.add_marker(pytest.mark.xdist_group(together(item)))
    items.sort(key=lambda item: [*SHARING, together(item)].index(together(item)))


def together(item: pytest.Item) -> str:
    folder = item.path.parent.name
    uses_spark = any(page in item.name for page in ("audit-on-a-cluster", "[auditor]"))
    return "frames" if uses_spark else folder if folder in SHARING else item.location[0]


@cache
def all_tables(largest: int) -> ff.Tables:
    """Every table of sizes 1 to `largest`."""
    pieces = [tables for size in range(1, largest + 1) for tables in solve.walk(size)]
    return ff.Tables(
        **{name: np.concatenate([piece.cells()[name] for piece in pieces]) for name in ("tp", "fn", "fp", "tn")}
    )


@pytest.fixture(params=[*ff.METRICS, *DERIVED])
def metric(request: pytest.FixtureRequest) -> ff.Metric:
    return ff.metric(request.param)
