"""The JSON of recover and check in the version before, for programs that have not followed yet."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

import fourfold as ff
from fourfold.cli import cli

SIZES = {"positives": 994, "negatives": 1006, "f1": "0.8968"}
CLASSES = {"a": 5, "b": 5, "c": 5}
FOLDS = {"positives": 10, "negatives": 10, "folds": "5 stratified", "over": "mean"}


@pytest.mark.parametrize(
    ("given", "schema", "version", "verdict"),
    [
        ({**SIZES, "accuracy": "0.8980"}, "recovery", 2, "unique"),
        ({**SIZES, "accuracy": "0.898"}, "recovery", 2, "several"),
        ({**SIZES, "accuracy": "0.999"}, "recovery", 2, "impossible"),
        ({"positives": 5, "negatives": 15, "accuracy": "0.75", "macro_precision": "0.38"}, "recovery", 2, "conditional"),
        ({"positives": 10**6, "negatives": 10**6, "accuracy": "0.9", "budget": 9}, "recovery", 2, "undecided"),
        # Some sizes are open, and the one table that was found is not all.
        ({"accuracy": "0.912345678901", "recall": "0.712345678901", "precision": "0.612345678901"}, "recovery", 2,
            "several"),
        ({"classes": CLASSES, "accuracy": "1.00"}, "class_recovery", 2, "unique"),
        ({"classes": CLASSES, "accuracy": "0.80"}, "class_recovery", 2, "several"),
        ({"classes": CLASSES, "recall[a]": "0.55"}, "class_recovery", 2, "impossible"),
        ({"classes": CLASSES, "precision": "1.00"}, "class_recovery", 2, "conditional"),
        ({**FOLDS, "accuracy": "0.90"}, "fold_recovery", 1, "possible"),
        ({**FOLDS, "accuracy": "0.93"}, "fold_recovery", 1, "impossible"),
    ],
)  # fmt: skip
def test_old_names_and_words(given: Any, schema: str, version: int, verdict: str) -> None:
    found = ff.recover({"folds": "none", **given}, bounds="none")
    told = found.to_dict(version=2)
    assert (told["schema"], told["version"], told["verdict"]) == (f"fourfold/{schema}", version, verdict)
    now = found.to_dict()
    assert (now["schema"], now["version"]) == ("fourfold/recovery", 3)
    assert now["verdict"] == {"unique": "possible", "several": "possible"}.get(verdict, verdict)
    assert found.to_dict(version=3) == now


def test_members_of_one_table() -> None:
    """Of 20 cases 15 are right: 0 to 5 positives and as many fewer negatives."""
    told = ff.recover(positives=5, negatives=15, accuracy="0.75", bounds="recall").to_dict(version=2)
    none, all_ = {"tp": 0, "fn": 5, "fp": 0, "tn": 15}, {"tp": 5, "fn": 0, "fp": 5, "tn": 10}
    assert told["bounds"] == {"recall": {"low": 0, "high": 1, "low_table": none, "high_table": all_}}
    assert (told["count"], told["complete"], told["folds"]) == (6, True, [])
    assert told["cells"]["tp"] == [0, 5]
    assert not {"layout", "counted", "left_out", "parts", "matrix"} & set(told)


def test_one_table_that_fits_only_as_means() -> None:
    """Ten folds of two and two: precision is 2/3 in two of them, and 1 in the others."""
    found = ff.recover(positives=20, negatives=20, accuracy="0.95", recall="1.00", precision="0.933", bounds="none")
    assert (found.layout, found.count) == ("parts", None)
    told = found.to_dict(version=2)
    assert (told["schema"], told["verdict"], told["count"], told["tables"]) == (
        "fourfold/recovery",
        "conditional",
        0,
        [],
    )
    assert sum(kind["count"] for kind in told["folds"]) in (5, 10)
    assert told["claim"] == found.stated.to_dict()


def test_members_of_classes() -> None:
    """All right: each class has the margins that it must have."""
    told = ff.recover(classes=CLASSES, accuracy="1.00", bounds="macro_f1").to_dict(version=2)
    margins = [{"label": label, "size": 5, "right": 5, "predicted": 5} for label in "abc"]
    assert told["bounds"] == {
        "macro_f1": {
            "low": 1, "high": 1, "low_sharp": True, "high_sharp": True, "low_margins": margins, "high_margins": margins,
        }
    }  # fmt: skip
    assert told["matrix"] == [[5, 0, 0], [0, 5, 0], [0, 0, 5]]
    assert told["cells"]["low"] == told["cells"]["high"] == told["matrix"]
    assert told["claim"]["scores"][0]["score"] == "accuracy"


def test_members_of_folds() -> None:
    told = ff.recover(folds=[[1, 1], [1, 1]], accuracy="1.00", over="mean", bounds="recall").to_dict(version=2)
    ends = {"outer_low": 1, "outer_high": 1, "inner_low": 1, "inner_high": 1}
    assert told["bounds"] == told["pooled_bounds"] == {"recall": ends}
    assert told["folds"] == [{"count": 2, "table": {"tp": 1, "fn": 0, "fp": 0, "tn": 1}}]
    assert told["pooled"] == {"tp": 2, "fn": 0, "fp": 0, "tn": 2}
    assert told["cells"]["tp"] == dict.fromkeys(ends, 2)


def test_there_was_no_word_for_undefined_scores_printed_as_one() -> None:
    found = ff.recover(positives=5, negatives=15, accuracy="0.75", precision="1.00")
    assert found.to_dict()["claim"]["undefined"] == "one"
    told = found.to_dict(version=2)
    assert (told["verdict"], told["claim"]["undefined"]) == ("conditional", "any")
    assert [each["code"] for each in told["departures"]] == ["undefined_as_one"]


def test_checks() -> None:
    """5 + 15 cases, all predicted negative: a macro precision of 3/8 only with 0 for 0/0. Of 9, none is 0.5 right."""
    text = (
        "| Model | Positives | Negatives | Accuracy | Macro precision |\n|---|---|---|---|---|\n"
        "| A | 5 | 15 | 0.75 | 0.38 |\n"
    )
    found = ff.check(text)
    assert [finding.verdict for finding in found.findings] == ["conditional"]
    now, told = found.to_dict(), found.to_dict(version=1)
    assert (now["schema"], now["version"], now["verdict"], now["counts"]) == (
        "fourfold/check",
        2,
        "conditional",
        {"conditional": 1},
    )
    assert (told["schema"], told["version"], told["verdict"], told["counts"]) == (
        "fourfold/check",
        1,
        "possible only if",
        {"possible only if": 1},
    )
    assert [finding["verdict"] for finding in told["findings"]] == ["possible only if"]


def test_the_command() -> None:
    line = ["recover", "--positives", "994", "--negatives", "1006", "accuracy=0.8980", "f1=0.8968", "--json"]
    told = json.loads(CliRunner().invoke(cli, [*line, "--json-version", "2"]).output)
    assert (told["version"], told["verdict"]) == (2, "unique")
    assert json.loads(CliRunner().invoke(cli, line).output)["version"] == 3
    refused = CliRunner().invoke(cli, [*line, "--json-version", "1"])
    assert refused.exit_code != 0
