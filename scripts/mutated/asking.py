"""The process that opens files: it asks every door about each, within limits, and watches what else is touched.

It is started by `fire`, gets a file's kind and path in each line, and answers with a line of JSON.
"""

from __future__ import annotations

import faulthandler
import io
import json
import os
import re
import resource
import signal
import sys
import typing
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import process_time
from typing import Any, Final

from .valid import DATA, KINDS, valid_files

#: What the doors together may take for one file.
SECONDS: Final = 20.0
MEMORY: Final = 1 << 30

_GRAMMAR: Final = re.compile(r"[^\n]+: [^\n]+, got [^\n]+\. Hint: [^\n]+[.?!]\n?", re.DOTALL)
_ANSWERS: Final = (0, 1, 2, 3)
#: Nothing that a file says may lead to these.
_REACHING: Final = re.compile(
    r"socket\.(?!gethostname)|subprocess\.|os\.(?:system|exec|posix_spawn|fork|putenv)|pickle\.|urllib\.|http\.|ftplib\.|webbrowser\."
)
_OWN: Final = (
    sys.prefix,
    sys.base_prefix,
    str(Path(__file__).parent.parent.parent),
    "/usr/",
    "/lib",
    "/proc/",
    "/sys/",
    "/dev/null",
    "/etc/localtime",
    "/etc/mime.types",
)

Asked = tuple[str, str | None]


class Watch:
    """Notes what is opened, called or evaluated while a door is open, beside the file and a folder of our own."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)
        self.seen: list[str] = []
        self.is_on = False
        #: Megabytes that are held before the first file.
        self.held = 0
        sys.addaudithook(self._note)

    def _note(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.is_on:
            return
        if event == "open":
            self._opened(*arguments)
        elif event == "exec":
            name = arguments[0].co_filename
            if name.startswith("<") and not name.startswith("<frozen") and not _is_own():
                self.seen.append(f"evaluated {name} for {sys._getframe(2).f_code.co_filename}")
        elif _REACHING.match(event):
            self.seen.append(f"{event} {arguments!r}"[:200])

    def _opened(self, path: object, mode: str | None, flags: int) -> None:
        if isinstance(path, int):
            return
        text = os.path.realpath(os.fsdecode(path)) if isinstance(path, str | bytes | os.PathLike) else str(path)
        writes = bool(flags & (os.O_WRONLY | os.O_RDWR)) or any(sign in (mode or "") for sign in "wax+")
        if not text.startswith(self.folder) and ((writes and text != "/dev/null") or not text.startswith(_OWN)):
            self.seen.append(f"opened {text}")


def _is_own() -> bool:
    """Tell whether something is being imported or annotations are read, which Python itself does by evaluating text."""
    frame = sys._getframe()
    while frame := frame.f_back:  # type: ignore[assignment]
        if frame.f_code.co_filename in ("<frozen importlib._bootstrap>", typing.__file__):
            return True
    return False


def command(arguments: Sequence[str]) -> Asked:
    """Run the command; return its kind of answer, and what is wrong with it."""
    from fourfold.__main__ import main

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = out, err
    code: object = None
    try:
        main(arguments)
    except SystemExit as ended:
        code = ended.code
    finally:
        sys.stdout, sys.stderr = before
    for stream in (out, err):
        stream.flush()
    said, told = (stream.buffer.getvalue().decode(errors="replace") for stream in (out, err))
    name = arguments[0]
    if code not in _ANSWERS or "Traceback" in told:
        return "fault", f"{name}: exit {code}: {told.strip()[-1500:]}"
    if code == 2 and not said.strip() and not _GRAMMAR.fullmatch(told):
        return "fault", f"{name}: not in the one grammar: {told!r}"[:600]
    if not said.strip() and not told.strip():
        return "fault", f"{name}: says nothing, exit {code}"
    if "--json" not in arguments and re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", said + told):
        return "fault", f"{name}: control characters reach the terminal"
    return "refused" if code == 2 else "answered", None


def call(function: Callable[[Path], object], path: Path) -> Asked:
    """Call the library; return its kind of answer, and what is wrong with it."""
    from fourfold.errors import FourfoldError

    try:
        function(path)
    except FourfoldError as error:
        if not _GRAMMAR.fullmatch(error.message.replace("\n", " ")):
            return "fault", f"not in the one grammar: {error.message!r}"[:600]
        return "refused", None
    except BaseException as error:
        return "fault", f"{function.__name__}: {type(error).__name__}: {error}"[:600]
    return "answered", None


def doors(kind: str, path: Path, out: Path) -> Iterator[Callable[[], Asked]]:
    """Yield the doors that take files of a kind."""
    import fourfold as ff

    file = str(path)
    yield lambda: command(["check", file])
    yield lambda: call(ff.read, path)
    yield lambda: command(["preview", file, "--json"])
    if kind in DATA:
        named = ["--truth", "y", "--prediction", "p"]
        yield lambda: command(["audit", file, *named, "--by", "site"])
        yield lambda: command(["certainty", file, "--truth", "y"])
        yield lambda: command(["score", file, *named])
        # Bounds are of what was read, and take far longer than reading it.
        yield lambda: command(["recover", "--table", file, "-o", str(out), "--bounds", "none"])


def ask(kind: str, path: Path, watch: Watch) -> dict[str, Any]:
    """Ask all doors; return which kind of answers there were, what is wrong, and what it took."""
    start, answers, problem = process_time(), set(), None
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    with _watched(watch):
        for door in doors(kind, path, path.parent / "out.csv"):
            answer, wrong = door()
            answers.add(answer)
            problem = problem or wrong
    signal.setitimer(signal.ITIMER_PROF, 0)
    if watch.seen:
        problem, watch.seen = problem or "; ".join(watch.seen[:5]), []
    for left in path.parent.glob("out.csv*"):
        left.unlink()
    if (held := _peak() - watch.held) > MEMORY >> 20:
        problem = problem or f"took {held} MB of memory"
    kind_of = "fault" if problem else "answered" if "answered" in answers else "refused"
    return {"answer": kind_of, "problem": problem, "seconds": process_time() - start, "megabytes": _peak()}


@contextmanager
def _watched(watch: Watch) -> Iterator[None]:
    _forget_peak()
    watch.is_on = True
    try:
        yield
    finally:
        watch.is_on = False


def _forget_peak() -> None:
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _peak() -> int:
    """Return the most memory that was held, in megabytes."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) // 1024 if found else 0


def main() -> None:
    """Answer lines until there are no more."""
    folder = Path(sys.argv[1])
    os.environ["TMPDIR"] = str(folder)
    os.chdir(folder)
    answers = os.fdopen(os.dup(1), "w")
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    faulthandler.enable()
    # The system ends the process when its time is up; where it was is told before.
    faulthandler.register(signal.SIGPROF, chain=True)
    watch = Watch(folder)
    for kind in sys.argv[2:] or KINDS:
        # All that is imported at the first file is imported before anything is watched or limited.
        file = valid_files(kind)[0]
        path = folder / f"first.{file.ending}"
        path.write_bytes(file.data)
        for door in doors(kind, path, folder / "out.csv"):
            door()
    # A reader may catch the error that there is no memory. So it may take more than is allowed, and that is told.
    _forget_peak()
    watch.held = _peak()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 3 * MEMORY,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for line in sys.stdin:
        kind, name = json.loads(line)
        print(json.dumps(ask(kind, Path(name), watch)), file=answers, flush=True)


if __name__ == "__main__":
    main()
