"""Findings in many documents as a file: a row for each report, one for each document without; resumed where stopped."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path
from typing import Any

import pytest

from fourfold import InputError, TooLarge, cli, writers
from fourfold.reports import documents_in
from fourfold.writers import findings

from ..conftest import ROOT

EXAMPLES = ROOT / "docs" / "examples"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder of documents: an impossible report, a possible one, none, one left out, one that cannot be read."""
    made = tmp_path / "papers"
    made.mkdir()
    for name in ("model_card.md", "model_card_corrected.md", "model_card_marked.md"):
        shutil.copy(EXAMPLES / name, made / name)
    (made / "a note.txt").write_text("Nothing is reported here.\n", encoding="utf-8")
    (made / "broken.pdf").write_bytes(b"%PDF-1.4 and no more")
    return made


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def run(*arguments: str) -> int | str | None:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    return ended.value.code


def test_every_document_has_a_row(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "findings.csv"
    assert run("check", str(folder), "-o", str(out)) == 2
    assert capsys.readouterr().out == (
        "1 of 3 reports in 5 documents cannot be true, 2 are possible. 1 document could not be read. 1 left out by a mark. "
        f"Written to {out}.\n"
    )
    told = {Path(row["document"]).name: row["verdict"] for row in rows_of(out)}
    assert told == {
        "a note.txt": "no reports",
        "broken.pdf": "not read",
        "model_card.md": "impossible",
        "model_card_marked.md": "possible",
        "model_card_corrected.md": "possible",
    }
    [impossible] = [row for row in rows_of(out) if row["verdict"] == "impossible"]
    assert impossible["where"] == "line 6"
    # The matrix has 49 sick among 57 that are called so.
    assert "precision[sick]: 0.82, the matrix gives 0.859649" in impossible["wrong"]


def test_the_exit_code_is_that_of_a_check(folder: Path, tmp_path: Path) -> None:
    (folder / "broken.pdf").unlink()
    assert run("check", str(folder), "-o", str(tmp_path / "out.csv")) == 1
    assert run("check", str(folder), "-o", str(tmp_path / "out.csv"), "--fail-on", "never") == 0


def test_stopped_and_resumed_is_the_same(folder: Path, tmp_path: Path) -> None:
    documents = documents_in([folder])
    whole, out = tmp_path / "whole.csv", tmp_path / "out.csv"
    undisturbed = findings.write_findings(whole, documents)
    told: list[str] = []

    def stop(share: float) -> None:
        raise KeyboardInterrupt

    for done in range(1, len(documents)):
        with pytest.raises(KeyboardInterrupt, match=f"Stopped after {done} document"):
            findings.write_findings(out, documents, progress=stop, tell=told.append)
        assert not out.exists()
    assert findings.write_findings(out, documents, tell=told.append) == undisturbed
    assert out.read_bytes() == whole.read_bytes()
    assert told[-1] == "An earlier run was interrupted: continues after the 4 documents that were done."
    assert [path.name for path in tmp_path.iterdir() if "part" in path.name] == []


def test_what_was_changed_meanwhile_is_checked_anew(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    told: list[str] = []

    def stop(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        findings.write_findings(out, documents_in([folder]), progress=stop)
    (folder / "a note.txt").write_text("tp=55, tn=20, fp=13, fn=9. Accuracy: 0.773\n", encoding="utf-8")
    findings.write_findings(out, documents_in([folder]), tell=told.append)
    assert told == [
        "An earlier run was interrupted, of other documents or with other options: all documents are done anew."
    ]
    assert rows_of(out)[0]["verdict"] == "possible"


def test_two_processes_write_the_same(folder: Path, tmp_path: Path) -> None:
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    for out, n_jobs in ((one, 1), (two, 2)):
        findings.write_findings(out, documents_in([folder]), n_jobs=n_jobs)
    assert one.read_bytes() == two.read_bytes()


def test_a_fault_in_one_document_does_not_stop_the_others(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(document: Path, given: Any) -> Any:
        if document.name == "model_card.md":
            raise RuntimeError("a fault")
        return checked(document, given)

    checked = findings.check_document
    monkeypatch.setattr(findings, "check_document", broken)
    written = findings.write_findings(tmp_path / "out.csv", documents_in([folder]))
    assert (written.unread, written.verdicts) == (2, {"possible": 2})
    assert "unexpected RuntimeError: a fault" in [row["error"] for row in rows_of(tmp_path / "out.csv")]


def test_no_cell_is_a_formula(tmp_path: Path) -> None:
    document = tmp_path / "a.md"
    document.write_text("# =1+1\n\ntp=55, tn=20, fp=13, fn=9. Accuracy: 0.773\n", encoding="utf-8")
    findings.write_findings(tmp_path / "out.csv", [document])
    [row] = rows_of(tmp_path / "out.csv")
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row.values())


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["-o", "out.xlsx"], "findings are written as CSV, got 'out.xlsx'"),
        (["-o", "out.csv", "--html", "a.html"], "--html"),
        (["-o", "out.csv", "-"], "works only with files"),
    ],
)
def test_what_is_refused(
    arguments: list[str],
    problem: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder.parent)
    assert run("check", "papers", *arguments) == 2
    assert problem in capsys.readouterr().err
    assert not (folder.parent / "out.csv").exists()


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there are none to check"):
        writers.write_findings(tmp_path / "out.csv", [])


def test_the_output_is_no_document_of_its_own_folder(folder: Path) -> None:
    out = folder / "findings.csv"
    for _ in range(2):
        run("check", str(folder), "-o", str(out))
        assert "findings.csv" not in {Path(row["document"]).name for row in rows_of(out)}


def test_more_documents_than_can_be_shown(folder: Path) -> None:
    with pytest.raises(TooLarge, match=r"write the findings to a file: -o findings\.csv"):
        documents_in([folder], most=4)
    assert len(documents_in([folder], most=5)) == 5
