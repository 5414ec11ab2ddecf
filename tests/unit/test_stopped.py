"""The program itself, stopped from outside: by signals, a killed process, a full disk, a reader that has gone."""

from __future__ import annotations

import csv
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"
COMMAND = (sys.executable, "-m", "fourfold")


# The same program, which saves what it has done after each row.
SAVING = (
    "from fourfold.batch import part_file; part_file._SAVED_EVERY = -1.0; from fourfold.__main__ import main; main()"
)


def start(*arguments: object, command: tuple[str, ...] = COMMAND, **options: Any) -> subprocess.Popen[str]:
    call = [*command, *map(str, arguments)]
    kind: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    return subprocess.Popen(call, **{**kind, **options})


def session(leader: int) -> list[int]:
    """Return the processes of a session that are alive."""
    alive = []
    for entry in Path("/proc").iterdir():
        try:
            state, _, _, number = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
        except (OSError, ValueError):
            continue
        if int(number) == leader and state != "Z":
            alive.append(int(entry.name))
    return alive


def wait_for(ready: Any, process: subprocess.Popen[str], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end, "nothing happens"
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


def slow_table(path: Path, rows: int) -> None:
    lines = [f"s{row},{400 + row},0.{50 + row}" for row in range(rows)]
    path.write_text("study,total,f1\n" + "\n".join(lines) + "\n")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see other processes")
def test_signals_and_killed_workers_lose_nothing_and_leave_no_process(tmp_path: Path) -> None:
    table, out, note = tmp_path / "table.csv", tmp_path / "out.csv", tmp_path / "out.csv.part.json"
    slow_table(table, 40)
    asked = ("recover", "--table", table, "-o", out)
    # A request to end, with two workers.
    process = start(*asked, "--jobs", 2)
    wait_for(note.exists, process)
    # It rests meanwhile, so that it is not done before the request comes.
    process.send_signal(signal.SIGSTOP)
    refused = start(*asked)
    _, err = refused.communicate(timeout=60)
    process.terminate()
    process.send_signal(signal.SIGCONT)
    _, words = process.communicate(timeout=60)
    assert (process.returncode, refused.returncode) == (130, 2)
    assert "another process is writing it" in err
    assert "The same command continues from here." in words
    # What ends after it takes a moment.
    end = time.monotonic() + 30
    while session(process.pid) and time.monotonic() < end:
        time.sleep(0.05)
    assert session(process.pid) == []
    done = len((tmp_path / "out.csv.part").read_text().splitlines()) - 1
    # A worker that is killed, as by a system without memory.
    process = start(*asked, "--jobs", 2)
    own = {process.pid}
    wait_for(lambda: len(set(session(process.pid)) - own) >= 4, process)
    workers = [pid for pid in session(process.pid) if b"LokyProcess" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    os.kill(workers[0], signal.SIGKILL)
    _, words = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "a process that worked at it has ended" in words
    assert f"continues after the {done} rows" in words
    assert "Traceback" not in words
    # The same command goes on, and all is as if nothing had happened.
    process = start(*asked)
    _, words = process.communicate(timeout=120)
    assert f"continues after the {done} rows" in words or done == 1
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert [row["study"] for row in rows] == [f"s{row}" for row in range(40)]
    assert {row["verdict"] for row in rows} == {"possible"}
    assert sorted(os.listdir(tmp_path)) == ["out.csv", "table.csv"]


def limit_files() -> None:
    """Let no file have more bytes, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))


def test_a_full_disk_keeps_what_is_whole(tmp_path: Path) -> None:
    table, out = tmp_path / "table.csv", tmp_path / "out.csv"
    lines = [f"s{row},{20 + row % 5},30,0.50" for row in range(120)]
    table.write_text("study,positives,negatives,accuracy\n" + "\n".join(lines) + "\n")
    asked = ("recover", "--table", table, "-o", out)
    process = start(*asked, command=(sys.executable, "-c", SAVING), preexec_fn=limit_files)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert err.startswith("output: cannot be written (file too large)")
    assert err.rstrip().endswith("check the path and the disk; the same command continues from here.")
    assert not out.exists()
    # All rows but the one that did not fit.
    done = json.loads((tmp_path / "out.csv.part.json").read_text())["at"][1]
    assert 1 < done < 120
    process = start(*asked)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert err == f"An earlier run was interrupted: continues after the {done} rows that were done.\n"
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert [row["study"] for row in rows] == [f"s{row}" for row in range(120)]
    assert sorted(os.listdir(tmp_path)) == ["out.csv", "table.csv"]


def no_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def test_a_disk_without_any_room_promises_nothing(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("study,positives,negatives,accuracy\n" + "A,20,30,0.50\n" * 3)
    process = start("recover", "--table", table, "-o", tmp_path / "out.csv", preexec_fn=no_files)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert err.startswith("output: cannot be written (file too large)")
    assert err.rstrip().endswith("nothing is kept, as nothing could be saved.")
    assert os.listdir(tmp_path) == ["table.csv"]


@pytest.mark.parametrize("arguments", [["metrics", "--csv"], ["recover", "accuracy=x"]])
def test_a_reader_that_has_gone_ends_it_quietly(arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    wrong = arguments[0] == "recover"
    streams = {"stderr" if wrong else "stdout": writer}
    process = start(*arguments, **streams)
    os.close(writer)
    _, err = process.communicate(timeout=60)
    assert process.returncode == (2 if wrong else 141)
    assert not err


def test_kills_at_random_moments_change_nothing(tmp_path: Path) -> None:
    call = [
        sys.executable,
        str(SCRIPTS / "kills.py"),
        "--kills",
        "1",
        "--rows",
        "400",
        "--documents",
        "8",
        "--seed",
        "3",
    ]
    ended = subprocess.run(call, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stdout
    *_, review, check = ended.stdout.splitlines()
    assert review.startswith("| review of 400 rows, killed and run again | 1 (")
    assert check.startswith("| check of 8 documents, killed and run again | 1 (")
    assert review.split(" | ")[2] == check.split(" | ")[2] == "0"
