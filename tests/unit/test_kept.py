"""Long work in pieces that are kept: lines of a file, and what was found in documents."""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from joblib import parallel_config

from fourfold import check, cli, writers
from fourfold.batch import KeptLines, Stopped
from fourfold.errors import InputError
from fourfold.reports import checking, kept
from fourfold.reports.joining import find_reports

TEXTS = {
    "a.md": "| model | accuracy | recall | positives | negatives |\n|---|---|---|---|---|\n"
    "| one | 0.85 | 0.80 | 40 | 60 |\n| two | 0.8501 | 0.80 | 40 | 60 |\n",
    "b.txt": "tp=55, tn=20, fp=13, fn=9. Accuracy: 0.853\n",
    "c.md": "The accuracy was 0.91 and F1 was 0.85 (mean of 5 folds, 300 cases).\n",
    "d.txt": "              precision    recall  f1-score   support\n\n"
    "           0       0.80      0.80      0.80        10\n           1       0.80      0.80      0.80        10\n\n"
    "    accuracy                           0.80        20\n   macro avg       0.80      0.80      0.80        20\n"
    "weighted avg       0.80      0.80      0.80        20\n",
    "e.md": "Nothing here.\n",
}
WRITERS = [
    *(writers.to_json, writers.to_csv, writers.markdown, writers.latex, writers.terminal_text, writers.sarif),
    lambda found: writers.html_file(found, now=datetime(2026, 1, 1)),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(kept, "_WORTH_KEEPING", -1)
    (tmp_path / "documents").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "documents" / name).write_text(text)
    return tmp_path / "documents"


class Stop:
    """Interrupts after so many documents."""

    def __init__(self, after: int) -> None:
        self.left = after

    def __call__(self, share: float) -> None:
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note which documents are looked at."""
    looked_at: list[str] = []
    find = checking.find_reports
    counting = lambda source, *rest: (looked_at.append(source.name), find(source, *rest))[1]  # noqa: E731
    monkeypatch.setattr(checking, "find_reports", counting)
    return looked_at


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_fault_in_one_document_does_not_stop_the_others(
    folder: Path, monkeypatch: pytest.MonkeyPatch, n_jobs: int
) -> None:
    monkeypatch.setattr(checking, "find_reports", faulty)
    with parallel_config(backend="threading"):
        found = check(folder, n_jobs=n_jobs)
    assert {Path(one.name).name: one.error for one in found.documents if one.error} == {
        "b.txt": "unexpected RuntimeError: a fault"
    }
    assert [Path(one.name).name for one in found.documents if one.reports] == ["a.md", "c.md", "d.txt"]
    # A fault in the only document is shown as what it is.
    with pytest.raises(RuntimeError, match="a fault"):
        check(folder / "b.txt")


def faulty(source: Path, *rest: Any) -> Any:
    if source.name == "b.txt":
        raise RuntimeError("a fault")
    return find_reports(source, *rest)


@pytest.mark.parametrize("after", [1, 3, 5])
def test_a_stopped_check_goes_on_and_finds_the_same(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    whole, own, said = check(folder), tmp_path / "own", list[str]()
    with pytest.raises(Stopped, match=f"Stopped after {after} documents? of 5. The same command continues from here"):
        check(folder, keep_in=own, progress=Stop(after))
    looked_at = counted(monkeypatch)
    found = check(folder, keep_in=own, tell=said.append)
    assert looked_at == list(TEXTS)[after:]
    assert said == [
        f"An earlier run was interrupted: continues after the {after} document{'s' * (after > 1)} that were done."
    ]
    assert found == whole
    for write in WRITERS:
        assert write(found) == write(whole)
    assert found.against(whole.baseline()) == whole.against(whole.baseline())
    assert os.listdir(own) == []


def test_a_stopped_command_goes_on(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was found is kept below the folder for caches, until the same command is done."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "own"))

    def ended() -> tuple[object, str, str]:
        with pytest.raises(SystemExit) as end:
            cli.main(["check", str(folder), "--json"])
        return end.value.code, *capsys.readouterr()

    whole = ended()
    find = checking.find_reports

    def stopping(source: Path, *rest: Any) -> Any:
        if source.name == list(TEXTS)[3]:
            raise KeyboardInterrupt
        return find(source, *rest)

    with monkeypatch.context() as stopped:
        stopped.setattr(checking, "find_reports", stopping)
        code, _, told = ended()
    assert code == 130
    assert "Stopped after 3 documents of 5. The same command continues from here." in told
    code, shown, told = ended()
    assert "continues after the 3 documents that were done" in told
    assert (code, shown) == whole[:2]


def test_of_one_document_nothing_is_kept(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "_WORTH_KEEPING", -1.0)
    check(folder / "a.md", keep_in=tmp_path / "own")
    assert not (tmp_path / "own").exists()
    check(folder / "a.md", folder / "b.txt", keep_in=tmp_path / "own")
    assert (tmp_path / "own").is_dir()


def test_what_was_changed_is_checked_again(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Stopped):
        check(folder, keep_in=tmp_path, progress=Stop(3))
    (folder / "b.txt").write_text(TEXTS["b.txt"].replace("0.853", "0.773"))
    looked_at = counted(monkeypatch)
    # Another question is other work; what is kept of the first stays.
    check(folder, keep_in=tmp_path, rounding="half_up")
    assert looked_at == list(TEXTS)
    looked_at.clear()
    found = check(folder, keep_in=tmp_path)
    assert looked_at == ["b.txt", "d.txt", "e.md"]
    assert "impossible" not in [finding.verdict for finding in found.findings if finding.document.endswith("b.txt")]


@pytest.mark.parametrize("harm", ["cut", "changed", "binary", "other"])
def test_what_is_kept_and_broken_is_found_again(folder: Path, tmp_path: Path, harm: str) -> None:
    with pytest.raises(Stopped):
        check(folder, keep_in=tmp_path, progress=Stop(3))
    [path] = tmp_path.glob("check-*.jsonl")
    first, *rest = path.read_text().splitlines(keepends=True)
    broken = {
        "cut": first[:-40],
        "changed": first.replace("possible", "undecided", 1),
        "binary": "\0\1\2",
        "other": json.dumps({**json.loads(first), "found": {}}) + "\n",
    }
    path.write_text(broken[harm] + "".join(rest))
    assert check(folder, keep_in=tmp_path) == check(folder)


def test_quick_checks_and_folders_that_cannot_be_written_to(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Stopped, match="Nothing is kept"):
        check(folder, keep_in=tmp_path / "file" / "below", progress=Stop(2))
    assert check(folder, keep_in=tmp_path / "file" / "below") == check(folder)
    monkeypatch.setattr(kept, "_WORTH_KEEPING", 1000.0)
    check(folder, keep_in=tmp_path / "own")
    assert not (tmp_path / "own").exists()
    with pytest.raises(Stopped, match="The same command"):
        check(folder, keep_in=tmp_path / "own", progress=Stop(2))
    [path] = (tmp_path / "own").iterdir()
    assert path.parent.stat().st_mode & 0o77 == 0
    # What nobody goes on with does not stay for ever.
    os.utime(path, (0, 0))
    with pytest.raises(Stopped):
        check(folder, keep_in=tmp_path / "own", rounding="half_up", progress=Stop(2))
    assert path not in list((tmp_path / "own").iterdir())


def test_two_checks_at_once_do_not_disturb_each_other(folder: Path, tmp_path: Path) -> None:
    found: list[Any] = []

    def meanwhile(share: float) -> None:
        if share == 0.4:
            found.append(check(folder, keep_in=tmp_path))

    assert check(folder, keep_in=tmp_path, progress=meanwhile) == found[0] == check(folder)
    assert not list(tmp_path.glob("check-*"))


def test_lines_are_kept_for_one_process_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    with KeptLines(path, "a") as lines:
        lines.add("x", [1, None, "ü"])
        with pytest.raises(InputError, match="another process is writing it"), KeptLines(path, "a"):
            pass
    with path.open("a") as file:
        file.write('{"about": "a", "name": "y", "fou')
    with KeptLines(path, "a") as lines:
        assert lines.values == {"x": [1, None, "ü"]}
        lines.add("y", 2)
    with KeptLines(path, "b") as lines:
        assert lines.values == {}
    with KeptLines(path, "a") as lines:
        assert lines.values == {"x": [1, None, "ü"], "y": 2}
        lines.forget()
    assert not path.exists()
