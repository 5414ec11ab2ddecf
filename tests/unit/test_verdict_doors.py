"""Every verdict through every door: red, and an exit code that stops a build, are for what is impossible alone."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import fourfold as ff
from fourfold import cli, writers
from fourfold.answers.verdicts import TONES
from fourfold.reports import VERDICTS

from ..conftest import ROOT

#: 0.333 of 0.893 and 0.667 of 0.941 are 0.925; only parts of the data with fewer positives could have 0.880.
OFF = {"positives": 100, "negatives": 200, "accuracy": "0.880", "recall": "0.893", "specificity": "0.941"}
#: By verdict: a report, and the exit code of `recover`. Of 100 cases no share is 0.8555; means over folds can be.
ASKED: dict[str, tuple[dict[str, Any], int]] = {
    "possible": ({"positives": 40, "negatives": 60, "accuracy": "0.85"}, 0),
    "conditional": ({"positives": 40, "negatives": 60, "accuracy": "0.8555"}, 0),
    "unexplained": (OFF, 0),
    "impossible": (OFF | {"folds": "none"}, 1),
    "undecided": ({"total": 3000, "accuracy": "0.5", "mcc": "0.1", "budget": 1}, 3),
}
DOORS = ROOT / "src" / "fourfold"
RED = re.compile(r"\x1b\[[0-9;]*\b(?:31|41|91|101)\b")


@pytest.fixture(scope="module")
def answers() -> dict[str, ff.Recovery]:
    """Return an answer of each verdict."""
    return {verdict: ff.recover(report, bounds="none") for verdict, (report, _) in ASKED.items()}


def test_only_impossible_is_red() -> None:
    assert [verdict for verdict in [*VERDICTS, "error"] if TONES.get(verdict) == "bad"] == ["impossible"]
    sheet = (DOORS / "writers" / "answer.css").read_text(encoding="utf-8")
    assert re.findall(r"^(.*) \{ --tone: var\(--bad\); \}$", sheet, re.M) == [".answer.bad, .answer .bad"]


@pytest.mark.parametrize("verdict", ASKED)
def test_an_answer_has_the_colour_of_its_verdict(answers: dict[str, ff.Recovery], verdict: str) -> None:
    found = answers[verdict]
    assert found.verdict == verdict
    made = writers.fragment(found)
    assert (made.tone == "bad") == (verdict == "impossible")
    assert ('class="answer bad"' in made.html) == (verdict == "impossible")
    assert ('class="answer bad"' in writers.html_file(found)) == (verdict == "impossible")
    assert ("Why it cannot be<" in made.html) == (verdict == "impossible")
    assert ("Why it cannot be one test set<" in made.html) == (verdict in ("unexplained", "conditional"))
    console = Console(file=io.StringIO(), force_terminal=True, color_system="standard", width=120)
    with console.capture() as capture:
        console.print(writers.terminal(found))
    assert not RED.search(capture.get())
    assert f"{verdict}" in capture.get().lower() or verdict in ("conditional", "possible")


@pytest.mark.parametrize("verdict", ASKED)
def test_the_exit_code_says_what_is_proven(
    verdict: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    report, code = ASKED[verdict]
    sizes = ("positives", "negatives", "total", "folds", "budget")
    options = [part for name in sizes if name in report for part in (f"--{name}", str(report[name]))]
    with pytest.raises(SystemExit) as ended:
        cli.main(["recover", *options, *(f"{k}={v}" for k, v in report.items() if k not in sizes), "--json"])
    assert (json.loads(capsys.readouterr().out)["verdict"], ended.value.code) == (verdict, code)


def test_a_workbook_says_the_verdict_without_red(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="needs fourfold[documents]")
    book = openpyxl.Workbook()
    book.active.append(["positives", "negatives", "accuracy", "recall", "specificity"])
    book.active.append(["100", "200", "0.880", "0.893", "0.941"])
    book.save(tmp_path / "in.xlsx")
    found = writers.write_verdicts(tmp_path / "in.xlsx", tmp_path / "out.xlsx")
    assert (dict(found.counts), found.impossible) == ({"unexplained": 1}, ())
    cells = [cell for row in openpyxl.load_workbook(tmp_path / "out.xlsx").worksheets[0].iter_rows() for cell in row]
    assert "unexplained" in [cell.value for cell in cells]
    assert not [cell.coordinate for cell in cells if cell.font.color and "FF0000" in str(cell.font.color.rgb)]
