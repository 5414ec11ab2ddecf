"""Files in the making: what is whole is kept, whatever ends the work, and only one process is at it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fourfold.batch import PartFile, Stopped
from fourfold.batch import part_file as module
from fourfold.errors import FourfoldError, InputError

ABOUT = {"table": "a"}


def add(part: PartFile, rows: int) -> None:
    while part.rows < rows:
        part.add(f"{part.rows}\n".encode(), part.rows + 1, {"last": part.rows})


def stopped_by(error: BaseException, target: Path, rows: int) -> None:
    with PartFile(target, ABOUT) as part:
        add(part, rows)
        part._file.write(b"half a r")
        raise error


def files(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_what_is_done_gets_its_place(tmp_path: Path) -> None:
    with PartFile(tmp_path / "out", ABOUT) as part:
        add(part, 3)
        assert files(tmp_path) == ["out.part"]
        part.put_in_place()
    assert (files(tmp_path), (tmp_path / "out").read_text()) == (["out"], "0\n1\n2\n")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (KeyboardInterrupt(), "Stopped after 2 rows. The same command continues from here."),
        (OSError(28, "No space left on device"), "output: cannot be written (no space left on device), got '"),
        (
            FourfoldError("process_ended", "n_jobs", "has ended", 1, "try again"),
            "Hint: try again; the same command continues",
        ),
        (RuntimeError("anything"), "anything"),
    ],
)
def test_what_ends_the_work_leaves_what_is_whole(tmp_path: Path, error: BaseException, words: str) -> None:
    with pytest.raises(type(error) if type(error) is not OSError else InputError) as caught:
        stopped_by(error, tmp_path / "out", 2)
    assert words in str(caught.value)
    assert isinstance(caught.value, Stopped) == isinstance(error, KeyboardInterrupt)
    assert (tmp_path / "out.part").read_text() == "0\n1\n"
    with PartFile(tmp_path / "out", ABOUT) as part:
        assert (part.rows, part.state, part.about_before) == (2, {"last": 1}, None)
        add(part, 4)
        part.put_in_place()
    assert (files(tmp_path), (tmp_path / "out").read_text()) == (["out"], "0\n1\n2\n3\n")


@pytest.mark.parametrize("changed", ["about", "note", "part", "no part", "half a row"])
def test_what_cannot_be_gone_on_with_starts_anew(tmp_path: Path, changed: str) -> None:
    with pytest.raises(Stopped):
        stopped_by(KeyboardInterrupt(), tmp_path / "out", 5)
    if changed == "note":
        (tmp_path / "out.part.json").write_text('{"about": {"table": "a"}, "at": [3')
    elif changed == "part":
        (tmp_path / "out.part").write_text("0\n")
    elif changed == "no part":
        (tmp_path / "out.part").unlink()
    elif changed == "half a row":
        (tmp_path / "out.part").write_text("0\n1\n2\n3\n4\n5,")
    about = {"table": "b"} if changed == "about" else ABOUT
    with PartFile(tmp_path / "out", about) as part:
        assert part.rows == (5 if changed == "half a row" else 0)
        assert part.about_before == (ABOUT if changed == "about" else None)
        add(part, 6)
        part.put_in_place()
    assert (files(tmp_path), (tmp_path / "out").read_text()) == (["out"], "0\n1\n2\n3\n4\n5\n")


def test_nothing_is_left_where_nothing_was_done_or_is_to_be_kept(tmp_path: Path) -> None:
    with pytest.raises(Stopped, match="Nothing is kept"), PartFile(tmp_path / "out", ABOUT):
        raise KeyboardInterrupt
    with PartFile(tmp_path / "out", ABOUT) as part:
        add(part, 3)
        part.save()
        part.forget()
    assert files(tmp_path) == []
    with pytest.raises(InputError, match="cannot be written"), PartFile(tmp_path / "no" / "out", ABOUT):
        pass


def test_what_is_read_meanwhile_is_not_taken_for_the_output(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), PartFile(tmp_path / "out", ABOUT):
        (tmp_path / "source").read_text()


OTHER = """
import sys
from fourfold.batch import PartFile
with PartFile(sys.argv[1], {}) as part:
    part.add(b"other", 1, {})
    print("open", flush=True)
    sys.stdin.read()
"""


def test_two_processes_on_one_output_refuse(tmp_path: Path) -> None:
    if module.fcntl is None:
        pytest.skip("this system does not lock files")
    call = [sys.executable, "-c", OTHER, str(tmp_path / "out")]
    with subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(InputError, match="output: another process is writing it"), PartFile(tmp_path / "out", {}):
            pass
        other.kill()
    # Whoever is killed no longer holds it.
    with PartFile(tmp_path / "out", {}) as part:
        assert part.rows == 0


def test_a_name_that_has_become_another_file_is_not_written_to(tmp_path: Path, monkeypatch: Any) -> None:
    """Another process puts its file in place between the opening and the locking."""
    if module.fcntl is None:
        pytest.skip("this system does not lock files")
    lock, times = module.fcntl.flock, []

    def late(*given: Any) -> None:
        times.append(1)
        if len(times) == 1:
            (tmp_path / "out.part").rename(tmp_path / "out")
        lock(*given)

    monkeypatch.setattr(module.fcntl, "flock", late)
    with PartFile(tmp_path / "out", {}) as part:
        add(part, 1)
    assert len(times) == 2
    assert (tmp_path / "out").read_text() == ""
    assert (tmp_path / "out.part").read_text() == "0\n"
