"""A check in a build: accepted findings, marks, folders, exit codes, and what hosts read."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

import fourfold as ff
from fourfold import cli, writers
from fourfold import documents as reading
from fourfold.reports import Baseline, Check, CheckedDocument, Finding, Place, Report, documents_in, fingerprints, judge
from fourfold.reports import documents as walking

from ..conftest import ROOT

#: The matrix gives accuracy 75/97 = 0.773 and recall 55/64 = 0.859.
RIGHT = "tp=55, tn=20, fp=13, fn=9. Accuracy: 0.773"
WRONG = "tp=55, tn=20, fp=13, fn=9. Accuracy: 0.853"
WRONG_TOO = "tp=55, tn=20, fp=13, fn=9. Recall: 0.759"
#: No table of 30 and 30 has the recall 0.85, as 25 of 30 is 0.83 and 26 of 30 is 0.87; an average over classes has it.
ONLY_IF = Report(
    "scores", Place(line=3), scores={"sensitivity": "0.85", "specificity": "0.9"}, positives=30, negatives=30
)
#: Accuracy lies between recall and specificity, and an average over more than two classes need not.
UNDECIDED = Report("scores", Place(line=3), scores={"accuracy": "0.30", "recall": "0.90", "specificity": "0.95"})

#: 0.333 of 0.893 and 0.667 of 0.941 are 0.925; only parts of the data with fewer positives could have 0.880.
SCORES = "| Positives | Negatives | Accuracy | Recall | Specificity |\n|---|---|---|---|---|\n"
UNEXPLAINED = f"{SCORES}| 100 | 200 | 0.880 | 0.893 | 0.941 |\n"
CONDITIONAL = "| Positives | Negatives | Sensitivity | Specificity |\n|---|---|---|---|\n| 30 | 30 | 0.85 | 0.9 |\n"

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return what runs the command in a folder of its own: its code, and what it says."""
    monkeypatch.chdir(tmp_path)

    def ran(*arguments: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            cli.main(["check", *arguments])
        found = capsys.readouterr()
        return int(str(ended.value.code)), " ".join((found.out + found.err).split())

    return ran


ODD = 'na\x1b[31mme \x00\ufffe & <b> "q" ]]>'


@pytest.fixture(scope="module")
def findings() -> list[Finding]:
    """Return a finding of each verdict, with odd names."""
    reports = [*ff.read(WRONG), *ff.read(RIGHT), UNDECIDED, replace(UNDECIDED, complete=False), ONLY_IF]
    odd = [replace(report, title=ODD, where=Place(line=3), table=None) for report in reports]
    return [judge(report, None, "a b/é#.md") for report in odd]


@pytest.fixture
def odd(findings: list[Finding]) -> Check:
    """Return a check of two documents, one of which could not be read."""
    return Check((CheckedDocument("a b/é#.md", 5), CheckedDocument("no.md", 0, error=ODD)), tuple(findings))


def write(name: str, text: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")


def verdicts(*texts: str) -> list[str]:
    return [finding.verdict for finding in ff.check(*texts).findings]


# --- accepted findings


def test_what_is_accepted_does_not_fail(run: Run) -> None:
    write("a.md", WRONG)
    assert run("a.md")[0] == 1
    code, said = run("a.md", "--write-baseline", "accepted.json")
    assert code == 0
    assert "1 finding is accepted." in said
    code, said = run("a.md", "--baseline", "accepted.json")
    assert code == 0
    assert "impossible, accepted" in said
    write("a.md", f"{WRONG}\n\n# Another\n\n{WRONG_TOO}")
    code, said = run("a.md", "--baseline", "accepted.json")
    assert code == 1
    assert "Both reports cannot be true. 1 finding is accepted." in said


def test_a_finding_is_known_when_lines_move() -> None:
    before = ff.check(f"# Random forest\n\n{WRONG}").findings
    after = ff.check(f"# Read me\n\nMore words.\n\n\n# Random forest\n\n{WRONG}\n\nThe end.").findings
    assert before[0].report.where != after[0].report.where
    assert fingerprints(before) == fingerprints(after)


@pytest.mark.parametrize(
    "other",
    [
        "# Random forest\n\ntp=55, tn=20, fp=13, fn=9. Accuracy: 0.854",
        "# Random forest\n\ntp=54, tn=20, fp=13, fn=9. Accuracy: 0.853",
        "# Random forest\n\ntp=55, tn=20, fp=13, fn=9. Accuracy: 0.853, recall: 0.859",
        "# Boosted trees\n\ntp=55, tn=20, fp=13, fn=9. Accuracy: 0.853",
    ],
)
def test_a_finding_with_other_numbers_or_another_title_is_another(other: str) -> None:
    assert fingerprints(ff.check(f"# Random forest\n\n{WRONG}").findings) != fingerprints(ff.check(other).findings)


def test_the_same_again_is_not_accepted_with_the_first() -> None:
    one, two = (
        ff.check(f"# Random forest\n\n{WRONG}"),
        ff.check(f"# Random forest\n\n{WRONG}\n\n# Random forest\n\n{WRONG}"),
    )
    assert len(two.findings) == 2
    assert len(two.against(one.baseline()).failing()) == 1
    assert not two.against(two.baseline()).failing()


def test_a_fingerprint_is_of_the_name_as_seen_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marks = set()
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        write("a.md", WRONG)
        marks |= {
            *fingerprints(ff.check(Path("a.md")).findings),
            *fingerprints(ff.check(Path("a.md").resolve()).findings),
        }
    assert len(marks) == 1


def test_what_is_accepted_and_gone_is_named(run: Run) -> None:
    write("a.md", f"# A\n\n{WRONG}\n\n# B\n\n{WRONG_TOO}")
    write("b.md", WRONG)
    run("a.md", "b.md", "--write-baseline", "accepted.json")
    assert len(Baseline.read("accepted.json").findings) == 3
    write("a.md", f"# A\n\n{RIGHT}")
    code, said = run("a.md", "--baseline", "accepted.json")
    assert code == 0
    # What was accepted in b.md may still be there: it was not looked at.
    assert "2 accepted findings are gone: remove them with --write-baseline." in said
    run("a.md", "--write-baseline", "accepted.json")
    assert [one.document for one in Baseline.read("accepted.json").findings] == ["b.md"]
    Path("b.md").unlink()
    assert (
        "1 accepted finding is gone: remove it with --write-baseline." in run("a.md", "--baseline", "accepted.json")[1]
    )


def test_only_what_fails_is_accepted(odd: Check) -> None:
    assert [one.verdict for one in odd.baseline().findings] == ["impossible"]
    assert [one.verdict for one in odd.baseline("condition").findings] == ["impossible", "conditional"]


def test_a_baseline_is_json_with_words(run: Run) -> None:
    write("a.md", f"# Random forest\n\n{WRONG}")
    run("a.md", "--write-baseline", "accepted.json")
    [entry] = json.loads(Path("accepted.json").read_text(encoding="utf-8"))["findings"]
    assert entry["document"] == "a.md"
    assert entry["title"] == "Random forest"
    assert "gives accuracy 0.7732, printed 0.853" in entry["words"]


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"schema": "fourfold/check", "version": 1, "findings": []}', "\x00",
     '{"schema": "fourfold/baseline", "version": 1, "findings": [{"fingerprint": 1, "document": "a"}]}',
     '{"schema": "fourfold/baseline", "version": 1, "findings": ["a"]}', "[" * 100_000],
)  # fmt: skip
def test_what_is_no_baseline_is_refused_and_not_written_over(run: Run, text: str) -> None:
    write("a.md", WRONG)
    write("mine.json", text)
    for option in ("--baseline", "--write-baseline"):
        code, said = run("a.md", option, "mine.json")
        assert code == 2
        assert said.startswith("baseline: is not a list of accepted findings")
        assert Path("mine.json").read_text(encoding="utf-8") == text


def test_a_baseline_that_is_not_there_is_refused(run: Run) -> None:
    write("a.md", WRONG)
    code, said = run("a.md", "--baseline", "accepted.json")
    assert code == 2
    assert said.startswith("baseline: cannot be read (no such file")
    code, said = run("a.md", "--write-baseline", "accepted.json", "--fail-on", "never")
    assert code == 2
    assert not Path("accepted.json").exists()


def test_a_document_that_cannot_be_read_keeps_what_is_accepted_in_it(run: Run) -> None:
    write("a.md", WRONG)
    run("a.md", "--write-baseline", "accepted.json")
    Path("a.md").write_bytes(b"\x1f\x8b")
    code, said = run("a.md", "--write-baseline", "accepted.json")
    assert code == 2
    assert "gone" not in said
    assert len(Baseline.read("accepted.json").findings) == 1


def test_in_python() -> None:
    found = ff.check(WRONG)
    accepted = found.baseline()
    again = ff.check(WRONG, baseline=accepted)
    assert again.accepted == 1
    assert not again.failing()
    assert again.verdict == "impossible"
    assert again.to_dict()["findings"][0]["accepted"] is True
    assert again.rows()[0]["accepted"] is True


# --- marks

MARKS = [
    "<!-- fourfold: ignore -->",
    "<!--fourfold:ignore-->",
    "<!-- fourfold: ignore (sample output) -->",
    "# fourfold: ignore",
    "% fourfold: ignore, taken from [1]",
    "// fourfold: ignore",
    "[//]: # (fourfold: ignore)",
    '[//]: # "fourfold: ignore"',
    "[comment]: <> (fourfold: ignore)",
    ".. fourfold: ignore",
    "/* fourfold: ignore */",
    "    <!-- fourfold: ignore -->",
]


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_leaves_out_what_comes_next_and_no_more(mark: str) -> None:
    found = ff.check(f"# A\n\n{RIGHT}\n\n# B\n\n{mark}\n\n{WRONG}\n\n# C\n\n{WRONG_TOO}\n")
    assert [finding.verdict for finding in found.findings] == ["possible", "impossible"]
    assert found.left_out == found.documents[0].left_out == 1
    assert found.documents[0].reports == 2
    assert "1 left out by a mark." in str(found)


@pytest.mark.parametrize(
    "no_mark",
    [
        "Write `<!-- fourfold: ignore -->` above it.",
        "fourfold: ignore",
        "<!-- fourfold: ignored -->",
        "<!-- fourfold: ignore-it -->",
        "<!-- twofold: ignore -->",
        "We say fourfold: ignore.",
    ],
)
def test_what_is_no_mark(no_mark: str) -> None:
    assert verdicts(f"# A\n\n{no_mark}\n\n{WRONG}\n") == ["impossible"]


def test_a_mark_after_everything_leaves_nothing_out() -> None:
    assert verdicts(f"{WRONG}\n\n<!-- fourfold: ignore -->\n") == ["impossible"]


def test_a_mark_leaves_out_all_of_a_table() -> None:
    rows = "| model | accuracy | recall |\n|---|---|---|\n| a | 0.91 | 0.92 |\n| b | 0.81 | 0.82 |\n"
    before = ff.check(f"{rows}\n\n# B\n\n{WRONG}")
    found = ff.check(f"<!-- fourfold: ignore -->\n{rows}\n\n# B\n\n{WRONG}")
    assert len(before.findings) == 3
    assert found.left_out == 2
    assert [finding.verdict for finding in found.findings] == ["impossible"]


def test_a_whole_file_and_a_stretch() -> None:
    text = f"# A\n\n{WRONG}\n\n# B\n\n{RIGHT}\n\n# C\n\n{WRONG_TOO}\n"
    assert verdicts(f"{text}<!-- fourfold: ignore-file -->\n") == []
    stretch = text.replace("# A", "<!-- fourfold: ignore-start -->\n# A").replace(
        "# C", "<!-- fourfold: ignore-end -->\n# C"
    )
    assert verdicts(stretch) == ["impossible"]
    assert verdicts(text.replace("# B", "# fourfold: ignore-start\n# B")) == ["impossible"]
    assert verdicts(text.replace("# B", "# fourfold: ignore-end\n# B")) == ["impossible", "possible", "impossible"]


def test_marks_in_files_of_other_encodings_and_line_ends(tmp_path: Path) -> None:
    text = f"# A\r\n\r\n<!-- fourfold: ignore -->\r\n{WRONG}\r\n\r\n# B\r\n\r\n{RIGHT}\r\n"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        (tmp_path / "a.md").write_bytes(text.encode(encoding))
        assert verdicts(str(tmp_path / "a.md")) == ["possible"]


def test_marks_in_a_notebook(tmp_path: Path) -> None:
    def output(text: str) -> dict[str, Any]:
        return {"output_type": "stream", "name": "stdout", "text": [text]}

    cells = [
        {"cell_type": "code", "source": ["# fourfold: ignore\n", "show()"], "outputs": [output(WRONG)]},
        {"cell_type": "markdown", "source": ["# B\n", "<!-- fourfold: ignore -->"]},
        {"cell_type": "code", "source": "show()", "outputs": [output(WRONG)]},
        {"cell_type": "code", "source": "show()", "outputs": [output(RIGHT)]},
        {"cell_type": "code", "source": "show()", "outputs": [output(f"# fourfold: ignore\n{WRONG}")]},
    ]
    (tmp_path / "a.ipynb").write_text(json.dumps({"nbformat": 4, "cells": cells}), encoding="utf-8")
    found = ff.check(tmp_path / "a.ipynb")
    assert [(finding.verdict, finding.report.where.cell) for finding in found.findings] == [("possible", "4")]
    assert found.left_out == 3


# --- which documents


def test_a_folder_is_walked(run: Run) -> None:
    for name in ("docs/a.md", "docs/deep/b.txt", "docs/deep/er/c.TEX"):
        write(name, WRONG)
    others = ("docs/.git/a.md", "docs/.hidden.md", "docs/a.py", "docs/node_modules/a.md", "docs/env/lib/a.md")
    for name in others:
        write(name, WRONG)
    write("docs/env/pyvenv.cfg", "")
    assert documents_in([Path("docs")]) == [Path("docs/a.md"), Path("docs/deep/b.txt"), Path("docs/deep/er/c.TEX")]
    code, said = run("docs")
    assert code == 1
    assert "All 3 reports in 3 documents cannot be true." in said
    assert "docs/deep/b.txt:1" in said


def test_links_to_folders_are_not_followed(run: Run) -> None:
    write("docs/a.md", WRONG)
    Path("docs/again").symlink_to(Path("docs").resolve(), target_is_directory=True)
    assert documents_in([Path("docs")]) == [Path("docs/a.md")]


def test_patterns_and_what_is_named_twice(run: Run) -> None:
    for name in ("a.md", "b.md", "deep/c.md", "d[1].md"):
        write(name, RIGHT)
    assert documents_in([Path("*.md")]) == [Path("a.md"), Path("b.md"), Path("d[1].md")]
    assert documents_in([Path("**/c.md"), Path("deep"), Path("a.md"), Path("./a.md")]) == [
        Path("deep/c.md"),
        Path("a.md"),
    ]
    assert documents_in([Path("d[1].md")]) == [Path("d[1].md")]
    code, said = run("a.md", "none*.md")
    assert code == 2
    assert "none*.md: document: cannot be read" in said
    assert "The only report in 2 documents is possible." in said


def test_what_is_written_is_not_read(run: Run) -> None:
    write("docs/a.md", WRONG)
    run("docs", "--write-baseline", "docs/accepted.json", "--html", "docs/verdicts.html", "--junit", "docs/j.txt")
    again = run("docs", "--baseline", "docs/accepted.json", "--html", "docs/verdicts.html", "--junit", "docs/j.txt")
    assert again[0] == 0
    assert "The report cannot be true." in again[1]
    code, said = run("docs/a.md", "--sarif", "docs/a.md")
    assert code == 2
    assert "would overwrite" in said
    assert Path("docs/a.md").read_text() == WRONG


def test_too_many_files(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walking, "MOST_FILES", 2)
    for name in "abc":
        write(f"docs/{name}.md", RIGHT)
    code, said = run("docs")
    assert code == 2
    assert said.startswith("documents: are too many, got docs.")


def test_every_ending_that_readers_know_is_looked_at() -> None:
    assert set(reading._KINDS) <= walking.ENDINGS


# --- codes


@pytest.mark.parametrize(
    ("text", "fail_on", "code"),
    [
        (RIGHT, "impossible", 0),
        (WRONG, "impossible", 1),
        (WRONG, "condition", 1),
        (WRONG, "never", 0),
        ("", "condition", 0),
    ],
)
def test_codes(run: Run, text: str, fail_on: str, code: int) -> None:
    write("a.md", text)
    assert run("a.md", "--fail-on", fail_on)[0] == code


@pytest.fixture(scope="module")
def graded(findings: list[Finding]) -> Check:
    """Return a check with one finding of each verdict on which it may fail, in another order."""
    [unexplained] = [replace(one, document="a b/é#.md") for one in ff.check(UNEXPLAINED).findings]
    by_verdict = {finding.verdict: finding for finding in [*findings, unexplained]}
    order = ("possible", "undecided", "conditional", "unexplained", "impossible")
    return Check((), tuple(by_verdict[verdict] for verdict in order))


def test_severity_has_one_order(graded: Check) -> None:
    order = ("impossible", "unexplained", "conditional", "undecided")
    assert not graded.failing("never")
    for number, fail_on in enumerate(order, 1):
        assert {finding.verdict for finding in graded.failing(fail_on)} == {*order[:number]}
        left = tuple(finding for finding in graded.findings if finding.verdict not in order[:number])
        assert graded.verdict == "impossible"
        assert Check((), left).verdict == (*order, "possible")[number]


@pytest.mark.parametrize(
    ("text", "codes"), [(WRONG, (0, 1, 1, 1, 1)), (UNEXPLAINED, (0, 0, 1, 1, 1)), (CONDITIONAL, (0, 0, 0, 1, 1))]
)
def test_a_build_fails_on_what_it_names_and_on_worse(run: Run, text: str, codes: tuple[int, ...]) -> None:
    write("a.md", text)
    words = ("never", "impossible", "unexplained", "conditional", "undecided")
    for fail_on, code in zip(words, codes, strict=True):
        assert run("a.md", "--fail-on", fail_on)[0] == code
        assert run("a.md", "--fail-on", fail_on, "-o", "out.csv")[0] == code
        Path("out.csv").unlink()


def test_hosts_are_told_how_much_is_said_against_a_report(graded: Check) -> None:
    [log] = json.loads(writers.sarif(graded))["runs"]
    assert {one["ruleId"]: one["level"] for one in log["results"]} == {
        "impossible": "error", "conditional": "warning", "unexplained": "note", "undecided": "note",
    }  # fmt: skip
    order = ("impossible", "unexplained", "conditional", "undecided")
    written = replace(graded, documents=(CheckedDocument("a b/é#.md", 5),))
    for failed, fail_on in enumerate(("never", *order)):
        suites = ElementTree.fromstring(writers.junit(written, fail_on))
        kinds = [part.get("type") for part in suites.iter("failure")]
        assert {*kinds} == {*order[:failed]}


def test_undecided_does_not_fail(findings: list[Finding]) -> None:
    """It says that nothing is known against the report."""
    assert [finding.verdict for finding in findings] == [
        *("impossible", "possible", "undecided", "not checked", "conditional")
    ]
    assert not Check((), tuple(findings[1:4])).failing("condition")


def test_what_cannot_be_read_does_not_stop_the_others(run: Run) -> None:
    write("a.md", WRONG)
    write("b.ipynb", "{")
    code, said = run("missing.md", "a.md", "b.ipynb")
    assert code == 2
    assert "The only report in 3 documents cannot be true. 2 documents could not be read." in said
    assert "missing.md" in said


def test_wrong_options_are_said_before_the_work(run: Run) -> None:
    assert run("a.md", "--fail-on", "often")[0] == 2
    code, said = run("-", "-")
    assert code == 2
    assert "standard input can be read once" in said


def test_a_text_in_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"# fourfold: ignore\n{WRONG}\n\n# B\n\n{WRONG_TOO}"))
    code, said = run("-", "--sarif", "out.sarif")
    assert code == 1
    assert "1 left out by a mark." in said
    [result] = json.loads(Path("out.sarif").read_text())["runs"][0]["results"]
    assert result["locations"] == [{}]


# --- what hosts read


def test_sarif_has_the_members_that_hosts_need(odd: Check) -> None:
    log = json.loads(writers.sarif(odd))
    assert log["version"] == "2.1.0"
    [run_] = log["runs"]
    rules = [rule["id"] for rule in run_["tool"]["driver"]["rules"]]
    assert sorted(rules) == ["conditional", "impossible", "undecided", "unexplained"]
    assert [(one["ruleId"], one["level"]) for one in run_["results"]] == [
        ("impossible", "error"),
        ("undecided", "note"),
        ("conditional", "warning"),
    ]
    for one in run_["results"]:
        assert rules[one["ruleIndex"]] == one["ruleId"]
        [location] = one["locations"]
        assert location["physicalLocation"]["artifactLocation"]["uri"] == "a%20b/%C3%A9%23.md"
        assert location["physicalLocation"]["region"] == {"startLine": 3}
        assert set(one["partialFingerprints"]) == {"fourfold/v1"}
        assert "\x1b" not in one["message"]["text"]
    [invocation] = run_["invocations"]
    assert invocation["executionSuccessful"] is False
    assert len(invocation["toolExecutionNotifications"]) == 1


@pytest.mark.parametrize(
    ("place", "region", "names"),
    [
        (Place(page=7, line=12), None, ["page 7"]),
        (Place(sheet="Results", cell="B7"), None, ["Results, B7"]),
        (Place(cell="4", line=2), None, ["cell 4"]),
        (Place(line=118), {"startLine": 118}, None),
    ],
)
def test_sarif_places(
    findings: list[Finding], place: Place, region: dict[str, int] | None, names: list[str] | None
) -> None:
    moved = replace(findings[0], report=replace(findings[0].report, where=place))
    found = json.loads(writers.sarif(Check((), (moved,))))["runs"][0]["results"][0]["locations"][0]
    assert found["physicalLocation"].get("region") == region
    assert [one["name"] for one in found.get("logicalLocations", [])] == (names or [])


def test_sarif_says_what_is_accepted(run: Run) -> None:
    write("a.md", WRONG)
    run("a.md", "--write-baseline", "accepted.json", "--sarif", "out.sarif")
    [result] = json.loads(Path("out.sarif").read_text())["runs"][0]["results"]
    assert result["suppressions"] == [{"kind": "external", "status": "accepted"}]
    [entry] = Baseline.read("accepted.json").findings
    assert result["partialFingerprints"] == {"fourfold/v1": entry.fingerprint}


def test_no_absolute_path_is_told(run: Run, tmp_path: Path) -> None:
    write("docs/a.md", WRONG)
    path = tmp_path / "docs" / "a.md"
    run(str(path), "--sarif", "out.sarif", "--junit", "out.xml", "--write-baseline", "accepted.json")
    for name in ("out.sarif", "out.xml", "accepted.json"):
        text = Path(name).read_text(encoding="utf-8")
        assert "docs/a.md" in text
        assert str(tmp_path) not in text


def test_junit_has_a_case_for_each_report(odd: Check) -> None:
    suites = ElementTree.fromstring(writers.junit(odd))
    first, second = suites.findall("testsuite")
    assert [[part.tag for part in case] for case in first.findall("testcase")] == [
        ["failure"],
        [],
        ["skipped"],
        ["skipped"],
        ["system-out"],
    ]
    assert (first.get("tests"), first.get("failures"), first.get("skipped")) == ("5", "1", "2")
    assert [[part.tag for part in case] for case in second.findall("testcase")] == [["error"]]
    assert second.get("errors") == "1"


def test_junit_fails_on_what_the_check_fails_on(run: Run) -> None:
    write("a.md", WRONG)
    for fail_on, tags in (("never", ["system-out"]), ("impossible", ["failure"])):
        run("a.md", "--junit", "out.xml", "--fail-on", fail_on)
        tree = ElementTree.parse("out.xml").getroot()
        assert [part.tag for case in tree.iter("testcase") for part in case] == tags
    run("a.md", "--write-baseline", "accepted.json", "--junit", "out.xml")
    assert ElementTree.parse("out.xml").getroot().find(".//skipped") is not None


# --- the hook and the action


def test_the_hook_runs_the_same_command(run: Run) -> None:
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hook["language"] == "python"
    assert {"markdown", "jupyter"} <= set(hook["types_or"])
    program, command, *arguments = [*hook["entry"].split(), *hook.get("args", [])]
    assert (program, command) == ("fourfold", "check")
    write("a.md", WRONG)
    assert run(*arguments, "a.md")[0] == 1
    write("a.md", RIGHT)
    assert run(*arguments, "a.md")[0] == 0


def test_the_action_runs_the_same_command(run: Run) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert action["runs"]["using"] == "composite"
    assert set(action["inputs"]) == {"documents", "args", "sarif"}
    [step] = [one for one in action["runs"]["steps"] if "fourfold check" in one.get("run", "")]
    write("a.md", WRONG)
    write("b.md", RIGHT)
    # A program of this name tells what it was called with.
    write("bin/fourfold", "#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
    Path("bin/fourfold").chmod(0o755)
    shared = {**os.environ, "PATH": f"{Path('bin').resolve()}{os.pathsep}{os.environ['PATH']}"}
    for documents, sarif, code in (("*.md $(touch c)", "out of.sarif", 1), ("b.md", "", 0)):
        given = {"documents": documents, "args": "--fail-on condition", "sarif": sarif}
        values = {name: given[text.split("inputs.")[1].split()[0]] for name, text in step["env"].items()}
        told = subprocess.run(
            ["bash", "-c", step["run"]], env=shared | values, capture_output=True, text=True, check=True
        )
        arguments = told.stdout.splitlines()
        assert arguments == ["check", *documents.split(), "--fail-on", "condition", *(["--sarif", sarif] * bool(sarif))]
        found = [part for part in arguments[1:] if part not in ("$(touch", "c)")]
        assert run(*found)[0] == code
    assert Path("out of.sarif").exists()
    assert not Path("c").exists()
