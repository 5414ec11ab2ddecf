"""Whole fields judged again: a small part of each, beside brute force and what the collectors publish."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from fourfold.papers import Part, Reproduction
from fourfold.papers.fields import drive, judging, skin, tpehg
from fourfold.papers.paper import Paper, table
from fourfold.words import worded


def part(outcome: Reproduction, place: str) -> Part:
    return next(each for each in outcome.parts if each.place == place)


def lines_of(name: str, *papers: str) -> dict[str, list[dict[str, str]]]:
    lines = judging.lines_by_paper(name)
    return {paper: lines[paper] for paper in papers}


def fits(line: dict[str, str], room: Decimal) -> bool:
    """Whether any table of a test set has all scores of a line within some room, by looking at all of them."""
    p, n = int(line["positives"]), int(line["negatives"])
    tp, tn = np.arange(p + 1)[:, None], np.arange(n + 1)[None, :]
    values = {
        "accuracy": (tp + tn) / (p + n), "recall": tp / p + 0 * tn, "specificity": tn / n + 0 * tp,
        "precision": tp / np.maximum(tp + n - tn, 1), "f1": 2 * tp / (tp + p + n - tn),
    }  # fmt: skip
    near = np.ones((p + 1, n + 1), dtype=bool)
    for name, value in values.items():
        if line[name]:
            near &= np.abs(value - float(line[name])) <= float(room) + 1e-9
    return bool(near.any())


def test_the_figures_are_those_of_the_collectors() -> None:
    means, images = table("fields/drive_means.csv"), table("fields/drive_images.csv")
    assert (len(means), len({line["paper"] for line in means})) == (234, 100)
    assert (len(images), len({line["paper"] for line in images})) == (611, 37)
    categories = Counter({line["paper"]: line["category"] for line in means}.values())
    assert categories == {"field of view": 36, "all pixels": 28, "neither": 36}
    assert len(table("fields/skin.csv")) == 139
    assert sum(int(line["value"]) for line in table("printed.csv") if line["column"] == "inconsistent") == 30


def test_rows_about_skin_are_judged_as_looking_at_all_tables_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skin, "installed_peer", lambda: None)
    lines = lines_of("skin", "Yu and others 2017", "Zhang and others 2019")
    outcome = skin._reproduced(lines)
    rows = [line for several in lines.values() for line in several]
    assert sum(not fits(row, Decimal(row["step"])) for row in rows) == 3
    assert sum(not fits(row, Decimal(row["step"]) / 2) for row in rows) == 5
    papers = part(outcome, "Papers")
    assert [(record["the collectors"], record["within a whole unit"]) for record in papers.records] == [(1, 1), (2, 2)]
    assert [record["as printed"] for record in papers.records] == [2, 3]
    assert papers.verdict == "reproduced"
    (cut,) = (record for record in part(outcome, "Rows").records if record["verdict"] == "conditional")
    assert ("0.711" in cut["scores"], cut["would fit if"]) == (True, "digits were cut off, not rounded")
    assert [note.code for note in outcome.notes] == ["peer_missing"]


def test_test_sets_that_papers_do_not_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skin, "installed_peer", lambda: None)
    outcome = skin._reproduced(lines_of("skin", "Kawahara and others 2019", "Harangi 2018"))
    found = {statement.place: worded(statement.words, statement.numbers) for statement in outcome.statements}
    assert found["Harangi 2018"] == "of 20 rows these test sets fit: none"
    assert all(statement.holds for statement in outcome.statements)
    sizes = [each.numbers["fitting"] for each in outcome.statements if each.place == "Kawahara and others 2019"]
    # As the notebook of the collectors prints.
    assert sizes == ["75 + 320", "101 + 294"]


def collectors_fit(line: dict[str, str], p: int, n: int) -> bool:
    """The condition that the collectors publish for single images: with a whole unit, and without whole numbers."""
    scores = [Decimal(line[name]) for name in ("accuracy", "recall", "specificity")]
    accuracy, recall, specificity = scores
    unit = min(Decimal(1).scaleb(int(score.as_tuple().exponent)) for score in scores)
    return abs(n * (accuracy - specificity) + p * (accuracy - recall)) <= 2 * unit * (p + n)


def test_papers_about_vessels_fall_where_the_collectors_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drive, "installed_peer", lambda: None)
    papers = ("adapa2020", "budai2013", "li2016", "fraz2012")
    images = lines_of("drive_images", "li2016", "fraz2012")
    outcome = drive._reproduced(lines_of("drive_means", *papers), images)
    decided = {record["paper"]: record for record in part(outcome, "Papers").records}
    for record in decided.values():
        assert record["within a whole unit"] == record["the collectors"]
        assert record["means, as printed"] == record["from their means"]
    regions = ["field of view", "all pixels", "field of view", "neither"]
    assert [decided[paper]["the collectors"] for paper in papers] == regions
    # Two images, of which one fits as printed: that is not more than half.
    assert decided["li2016"]["as printed"] == "neither"
    sizes = drive._sizes()
    rows = [line for several in images.values() for line in several]
    expected = Counter(
        tuple(collectors_fit(line, *sizes[region][line["image"]]) for region in drive.REGIONS) for line in rows
    )
    found = {record["fits"]: record["within a whole unit"] for record in part(outcome, "Images").records}
    assert found == {name: expected[flags] for flags, name in drive._CATEGORIES.items()}
    assert {point["decided by"] for point in part(outcome, "Picture").records} == {
        "the collectors", "fourfold, as printed",
    }  # fmt: skip


def test_five_fold_means_of_preterm_birth() -> None:
    # mlscorecheck's kfolds_generator makes 918 of 38 + 262 records and five folds.
    assert tpehg.layouts(38, 5) == 918
    assert [tpehg.layouts(n, 2) for n in (1, 2, 3, 4, 5)] == [0, 1, 1, 2, 2]
    line = {"accuracy": "0.9447", "recall": "0.9139", "specificity": "0.9733"}
    verdicts = [tpehg._stratified(line, positives, 262) for positives in (38, 243, 244, 245)]
    assert [verdict == "possible" for verdict in verdicts] == [False, False, True, False]
    oversampled = {"positives": 244, "negatives": 262, "folds": "5 unstratified"}
    (judged,) = judging.judge([(line, oversampled)], None)
    assert (judged["verdict"], judged["within"], judged["peer"]) == ("possible", True, None)


def test_verdicts_beside_a_peer() -> None:
    def one(verdict: str, *, within: bool, peer: bool) -> judging.Judged:
        return {"verdict": verdict, "fits if": "", "within": within, "peer": peer}

    same = [one("possible", within=True, peer=True), one("impossible", within=False, peer=False)]
    stricter, only_if = one("impossible", within=True, peer=True), one("conditional", within=False, peer=False)

    def beside(*judged: judging.Judged) -> Reproduction:
        return judging.beside_peer(Paper("skin"), [], [], {"rows": judged}, "1.0.3")

    outcome = beside(*same, stricter, only_if)
    assert outcome.statements[0].holds
    numbers = {"questions": 4, "stricter": 1, "explained": 1, "only_if": 1, "opposite": 0, "version": "1.0.3"}
    assert outcome.parts[0].numbers == numbers
    assert sum(record["results"] for record in outcome.parts[0].records) == 4
    for opposite in (one("possible", within=True, peer=False), one("impossible", within=False, peer=True)):
        assert beside(opposite).statements[0].holds is False


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_peer_is_asked_with_the_same_room() -> None:
    pytest.importorskip("mlscorecheck")
    line = {"accuracy": "0.828", "recall": "0.427", "specificity": "0.927", "step": "0.001"}
    one_set = {"positives": 75, "negatives": 304, "folds": "none"}
    pooled: dict[str, Any] = {"sets": [(75, 304)], "over": "pooled"}
    judged = judging.judge([(line, one_set), (line, pooled), (line, pooled | {"over": "mean"})], "1.0.3")
    # 282 of 304 are 0.9276: within a thousandth of 0.927, but not rounded to it.
    assert [(each["within"], each["peer"]) for each in judged] == [(True, True)] * 3
    assert judged[0]["verdict"] == "impossible"
    assert judging.installed_peer()
