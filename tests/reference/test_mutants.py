"""The script that makes deliberate faults: which it makes in a small program, and that each is a program."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

from ..conftest import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

import mutants

PROGRAM = '''"""A docstring: 1 < 2."""

LIMIT: int = 7


def least(values: list[int], *, strict: bool = True) -> int | None:
    """Return the least: not 3."""
    found = [x - 1 for x in values if 0 <= x and strict]
    if not found:
        return None
    return min(found)
'''


def faults(folder: Path) -> list[mutants.Fault]:
    path = folder / "program.py"
    path.write_text(PROGRAM)
    return mutants.faults_in(path, "program.py")


def test_every_part_of_a_function_can_be_changed_and_nothing_else(tmp_path: Path) -> None:
    assert sorted(fault.what for fault in faults(tmp_path)) == [
        "0 becomes 1",
        "1 becomes 2",
        "And becomes Or",
        "LtE becomes Lt",
        "None is returned",
        "Sub becomes Add",
        "min becomes max",
        "not is dropped",
    ]


def test_a_fault_changes_its_place_alone(tmp_path: Path) -> None:
    for fault in faults(tmp_path):
        changed = fault.applied(PROGRAM)
        ast.parse(changed)
        different = [
            n
            for n, pair in enumerate(zip(PROGRAM.splitlines(), changed.splitlines(), strict=True), 1)
            if len({*pair}) > 1
        ]
        assert different == [fault.line]
    [fault] = [fault for fault in faults(tmp_path) if fault.what == "LtE becomes Lt"]
    assert "if (0 < x) and strict" in fault.applied(PROGRAM)
