"""The script that makes deliberate faults: which it makes in a small program, and that each is a program."""

from __future__ import annotations

import sys
from pathlib import Path

from ..conftest import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

import mutants
from planted import changes

PROGRAM = '''"""A docstring: 1 < 2."""

LIMIT: int = 7


def least(values: list[int], *, strict: bool = True) -> int | None:
    """Return the least: not 3."""
    found = [x - 1 for x in values if 0 <= x and strict]
    if not found:
        return None
    return min(found)
'''


def faults(folder: Path) -> list[changes.Fault]:
    path = folder / "program.py"
    path.write_text(PROGRAM)
    return changes.faults_in(path, "program.py")


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


def least(text: str, on: int, values: list[int], *, strict: bool = True) -> object:
    """What the program returns when one of its faults is turned on."""
    names = {"__fault__": lambda number: number == on}
    exec(text, names)
    return names["least"](values, strict=strict)  # type: ignore[operator]


def test_each_fault_is_behind_a_switch_of_its_own(tmp_path: Path) -> None:
    listed = faults(tmp_path)
    text = changes.switched(PROGRAM, dict(enumerate(listed)))
    assert [line for line in text.splitlines() if "fault" not in line] == [
        line for n, line in enumerate(PROGRAM.splitlines(), 1) if n not in {fault.line for fault in listed}
    ]
    asked = {fault.what: number for number, fault in enumerate(listed)}
    assert least(text, -1, [0, 3, 5]) == -1
    assert least(text, asked["LtE becomes Lt"], [0, 3, 5]) == 2
    assert least(text, asked["0 becomes 1"], [0, 3, 5]) == 2
    assert least(text, asked["1 becomes 2"], [0, 3, 5]) == -2
    assert least(text, asked["Sub becomes Add"], [0, 3, 5]) == 1
    assert least(text, asked["min becomes max"], [0, 3, 5]) == 4
    assert least(text, asked["None is returned"], [0, 3, 5]) is None
    assert least(text, asked["not is dropped"], [0, 3, 5]) is None
    assert least(text, asked["And becomes Or"], [-7], strict=True) == -8
    assert least(text, -1, [-7], strict=True) is None


def test_tests_that_meet_a_fault_come_in_stages() -> None:
    """The fastest of each file, then all others that meet it; where none does, those that may share a process that does."""
    seconds = {
        "a/x.py::slow": 9.0,
        "a/x.py::fast": 0.1,
        "b/y.py::other": 0.2,
        "b/y.py::beside": 0.3,
        "c/z.py::far": 1.0,
    }
    met = mutants.Met(
        seconds,
        {0: frozenset({"a/x.py::slow", "a/x.py::fast"}), 1: frozenset()},
        dict.fromkeys((0, 1), frozenset({"b/y.py::beside"})),
    )
    assert list(met.stages(0)) == [["a/x.py::fast", "a/x.py::slow"], [], []]
    assert list(met.stages(1)) == [[], [], ["b/y.py::beside", "b/y.py::other"]]
    slow = mutants.Met({**seconds, "a/x.py::slow": 90.0}, met.within, met.beside)
    assert list(slow.stages(0))[:2] == [["a/x.py::fast"], ["a/x.py::slow"]]


def test_a_test_file_that_cannot_be_imported_hides_no_other(tmp_path: Path) -> None:
    copy = mutants.Copy(tmp_path, 0, 1)
    (copy.tree / "tests").mkdir(parents=True)
    (copy.tree / "tests/test_broken.py").write_text("import no_such_module\n")
    (copy.tree / "tests/test_right.py").write_text("def test_right() -> None:\n    assert 1 + 1 == 2\n")
    (tmp_path / "faults.json").write_text('{"wanted": [0, 1], "faults": []}')
    copy.note(0, ["tests/test_broken.py", "tests/test_right.py"])
    assert [*copy.met().seconds] == ["tests/test_right.py::test_right"]
