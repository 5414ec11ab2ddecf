"""Files are written whole or not at all: a full disk, a failure and an interruption leave what was there."""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import fourfold as ff
from fourfold import plots
from fourfold.data import write_bytes, write_rows, write_text
from fourfold.errors import InputError
from fourfold.writers import write_html


def rows(error: BaseException | None = None) -> Iterator[dict[str, str]]:
    yield {"a": "1", "b": "ü"}
    if error is not None:
        raise error
    yield {"a": "2", "c": "left out"}


def test_what_is_written_is_there_and_nothing_else(tmp_path: Path) -> None:
    assert write_rows(tmp_path / "rows.csv", rows()) == 2
    assert (tmp_path / "rows.csv").read_bytes() == "a,b\r\n1,ü\r\n2,\r\n".encode()
    write_text(tmp_path / "text.txt", "ü\n")
    write_bytes(tmp_path / "bytes", b"\x00\xff")
    assert (tmp_path / "text.txt").read_bytes() == "ü\n".encode()
    assert write_rows(tmp_path / "none.csv", []) == 0
    assert sorted(os.listdir(tmp_path)) == ["bytes", "rows.csv", "text.txt"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("x"), OSError(errno.ENOSPC, "No space left")])
def test_a_failure_leaves_what_was_there(tmp_path: Path, error: BaseException) -> None:
    target = tmp_path / "rows.csv"
    target.write_text("old")
    with pytest.raises(InputError if isinstance(error, OSError) else type(error)) as caught:
        write_rows(target, rows(error))
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["rows.csv"]
    if isinstance(error, OSError):
        assert str(caught.value).startswith("output: cannot be written (no space left)")


RESULT = ff.recover(accuracy="0.85", positives=40, negatives=60)
WRITERS: dict[str, Callable[[Path], Any]] = {
    "page.html": lambda path: write_html(RESULT, path),
    "chart.html": lambda path: plots.save(RESULT.plot(), path),
    "chart.svg": lambda path: plots.save(RESULT.plot(), path),
    "chart.png": lambda path: plots.save(RESULT.plot(), path),
    "chart.pdf": lambda path: plots.save(RESULT.plot(), path),
    "rows.csv": lambda path: write_rows(path, RESULT.rows()),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    if name.startswith("chart"):
        pytest.importorskip("vl_convert")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    target = tmp_path / name
    target.write_text("old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="cannot be written"):
        WRITERS[name](target)
    assert (target.read_text(), os.listdir(tmp_path)) == ("old", [name])
    monkeypatch.undo()
    WRITERS[name](target)
    assert len(target.read_bytes()) > 100
    assert os.listdir(tmp_path) == [name]


def test_names_links_permissions_and_pipes(tmp_path: Path) -> None:
    long = tmp_path / ("x" * 251 + ".csv")
    write_text(long, "fits")
    assert long.read_text() == "fits"
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("old")
    real.chmod(0o600)
    link.symlink_to(real)
    write_text(link, "new")
    assert link.is_symlink()
    assert (real.read_text(), stat.S_IMODE(real.stat().st_mode)) == ("new", 0o600)
    pipe, got = tmp_path / "pipe", list[str]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    write_text(pipe, "through")
    reader.join(10)
    assert got == ["through"]
    with pytest.raises(InputError, match=r"html: cannot be written .* Hint: check the path and the disk"):
        write_html(RESULT, tmp_path / "no" / "folder.html")
