"""An attack with broken files of a kind: each is asked about in a process that may be lost."""

from __future__ import annotations

import base64
import ctypes
import json
import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

from attacks.running import Attack, Case

from .hostile import Watched, watched
from .mutations import broken_file

#: Seconds on the clock after which a file counts as hanging, however busy the machine is.
_HANGING: Final = 180.0
_OPENED: Final = 0x20 | 0x01


class Alarm:
    """Tells whether a file that nothing may open was opened, or an address that nothing may call was called."""

    def __init__(self, watched: Watched) -> None:
        self._listener = _listening(watched.port)
        self._secret = secret = watched.secret
        secret.parent.mkdir(parents=True, exist_ok=True)
        secret.write_text("accuracy 0.123456\n", encoding="utf-8")
        system = ctypes.CDLL(None, use_errno=True)
        self._notices = system.inotify_init1(os.O_NONBLOCK)
        system.inotify_add_watch(self._notices, os.fsencode(secret), _OPENED)

    def rings(self) -> str | None:
        """Return what was touched, if anything was."""
        try:
            os.read(self._notices, 4096)
            return f"{self._secret} was opened"
        except OSError:
            pass
        try:
            self._listener.accept()
            return "an address was called"
        except OSError:
            return None

    def close(self) -> None:
        """Watch no longer."""
        self._listener.close()
        if self._notices >= 0:
            os.close(self._notices)


def _listening(port: int) -> socket.socket:
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setblocking(False)
    try:
        listener.bind(("127.0.0.1", port))
    except OSError:
        raise SystemExit(f"port {port} is taken: is another run of this kind going on?") from None
    listener.listen()
    return listener


class Asker:
    """The process that opens files; a lost one is replaced."""

    def __init__(self, kind: str, folder: Path) -> None:
        self._kind, self._folder = kind, folder
        self._process: subprocess.Popen[str] | None = None

    def ask(self, path: Path) -> dict[str, Any]:
        """Ask about a file; a process that dies or hangs is an answer too."""
        process = self._process = self._process or self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps([self._kind, str(path)]) + "\n")
        process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], _HANGING)
        line = process.stdout.readline() if ready else ""
        if line:
            return dict(json.loads(line))
        self.close()
        told = (self._folder / "stderr.txt").read_text(encoding="utf-8", errors="replace")[-1500:]
        code = process.returncode
        return {"answer": "lost", "problem": f"the process ended with {code}" if ready else "hangs", "told": told}

    def _started(self) -> subprocess.Popen[str]:
        arguments = [sys.executable, "-m", "mutated.asking", str(self._folder), self._kind]
        root = Path(__file__).parent.parent
        paths = [str(root), str(root.parent / "src"), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "OMP_NUM_THREADS": "1"}
        with (self._folder / "stderr.txt").open("w") as told:
            return subprocess.Popen(  # noqa: S603
                arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=told, text=True, env=environment
            )

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


class FileAttack(Attack):
    """Broken files of a kind: a verdict or an error in the one grammar, within limits, and nothing else is touched."""

    what = "files"

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._asker: Asker | None = None
        self._alarm: Alarm | None = None
        #: The most seconds and megabytes that a file took.
        self.most: tuple[float, ...] = (0.0, 0.0)

    def make(self, random: Random) -> Case:
        """Make a broken file."""
        file = broken_file(self.kind, random)
        return {"name": f"a.{file.ending}", "data": base64.b64encode(file.data).decode()}

    def judge(self, case: Case) -> str:
        """Do without; see `asked`."""
        raise NotImplementedError

    def asked(self, case: Case) -> tuple[str, str | None]:
        """Ask all doors about a file; return the kind of answer, and what is wrong with it."""
        if self._asker is None:
            self._open()
        assert self._asker is not None
        assert self._alarm is not None
        path = self._folder / "given" / case["name"]
        path.write_bytes(base64.b64decode(case["data"]))
        answer = self._asker.ask(path)
        # A process that was lost leaves its output, which the next one would find.
        for left in path.parent.iterdir():
            left.unlink()
        problem = self._alarm.rings() or answer["problem"]
        if answer.get("told"):
            problem = f"{problem}: {answer['told']}"
        self.most = tuple(map(max, self.most, (answer.get("seconds", 0), answer.get("megabytes", 0))))
        return ("fault" if problem else answer["answer"]), problem

    def _open(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="fourfold-fire-"))
        (self._folder / "given").mkdir()
        self._alarm, self._asker = Alarm(watched(self.kind)), Asker(self.kind, self._folder)
        weakref.finalize(self, _closed, self._asker, self._alarm, self._folder)

    def smaller(self, case: Case) -> Iterator[Case]:
        """Yield files with a piece left out."""
        data = base64.b64decode(case["data"])
        size = len(data) // 2
        while size >= max(1, len(data) // 64):
            for start in range(0, len(data), size):
                yield {**case, "data": base64.b64encode(data[:start] + data[start + size :]).decode()}
            size //= 2


def _closed(asker: Asker, alarm: Alarm, folder: Path) -> None:
    asker.close()
    alarm.close()
    shutil.rmtree(folder, ignore_errors=True)
