"""Whether a printed result can be true: as printed, with a whole unit of room for each score, and for mlscorecheck."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from fourfold import Note, recover
from fourfold.metrics import METRICS

from ..outcome import Part, Reproduction, Statement
from ..paper import Paper, table

_SHARED: Final = Paper("fields")
_POSSIBLE, _ONLY_IF = "possible", "conditional"
_CONSISTENT: Final = {True: "consistent", False: "inconsistent"}
#: What is asked about a line of scores: sizes and protocol, as `recover` takes them.
Setup = Mapping[str, Any]
#: The answers to a question: plain JSON values, which can be kept.
Judged = dict[str, Any]


def lines_by_paper(name: str) -> dict[str, list[dict[str, str]]]:
    """Return the lines of one of the tables here, by paper."""
    lines: dict[str, list[dict[str, str]]] = {}
    for line in table(f"fields/{name}.csv"):
        lines.setdefault(line["paper"], []).append(line)
    return lines


def scores_of(line: Mapping[str, str]) -> dict[str, str]:
    """Return the scores of a line by the ids of their metrics."""
    return {name: text for name, text in line.items() if text and name in METRICS}


def installed_peer() -> str | None:
    """Return the version of mlscorecheck, None where it is not installed."""
    try:
        return version("mlscorecheck")
    except PackageNotFoundError:
        return None


def judge(questions: Sequence[tuple[Mapping[str, str], Setup]], peer: str | None) -> list[Judged]:
    """Judge each line of scores under its setup.

    A whole unit of room is what the collectors of the fields gave each score; a rounded one leaves half a unit.
    """
    judged = []
    for line, setup in questions:
        scores = scores_of(line)
        unit = Decimal(line.get("step") or min(Decimal(1).scaleb(_exponent(text)) for text in scores.values()))
        recovery = recover({**scores, **setup}, bounds="none")
        fits_if = recovery.reading if recovery.verdict == _ONLY_IF else next((r.change for r in recovery.repairs), "")
        wide = {name: f"[{max(Decimal(t) - unit, 0)}, {min(Decimal(t) + unit, 1)}]" for name, t in scores.items()}
        asked = {"undefined": "none", **wide, **setup}
        within = recovery.verdict == _POSSIBLE or recover(asked, bounds="none").verdict == _POSSIBLE
        theirs = peer and _peer_fits(scores, float(unit), setup)
        judged.append({"verdict": recovery.verdict, "fits if": fits_if, "within": within, "peer": theirs})
    return judged


def _exponent(text: str) -> int:
    exponent = Decimal(text).as_tuple().exponent
    assert isinstance(exponent, int), "a printed score is finite"
    return exponent


def _peer_fits(scores: Mapping[str, str], eps: float, setup: Setup) -> bool:
    """Return whether mlscorecheck calls scores consistent, under its own names of them: others it ignores."""
    from mlscorecheck.check import binary
    from mlscorecheck.scores import score_functions_with_solutions as known

    logging.getLogger("mlscorecheck").setLevel(logging.ERROR)
    names = {name: next(alias for alias in METRICS[name].aliases if alias in known) for name in scores}
    asked: dict[str, Any] = {"scores": {names[name]: float(text) for name, text in scores.items()}, "eps": eps}
    # What it adds for errors of floats is 1e-6, and must be well below the room.
    asked["numerical_tolerance"] = min(1e-6, eps / 100)
    if "sets" in setup:
        tests = [{"p": positives, "n": negatives} for positives, negatives in setup["sets"]]
        if setup["over"] == "mean":
            return not binary.check_n_testsets_mos_no_kfold(testsets=tests, verbosity=0, **asked)["inconsistency"]
        return not binary.check_n_testsets_som_no_kfold(testsets=tests, **asked)["inconsistency"]
    sizes = {"p": setup["positives"], "n": setup["negatives"]}
    if setup["folds"] == "none":
        return not binary.check_1_testset_no_kfold(testset=sizes, **asked)["inconsistency"]
    folding = {"n_folds": int(setup["folds"].partition(" ")[0])}
    function = binary.check_1_dataset_unknown_folds_mos
    return not function(dataset=sizes, folding=folding, verbosity=0, **asked)["inconsistency"]


def beside_peer(
    paper: Paper,
    parts: Iterable[Part],
    statements: Iterable[Statement],
    groups: Mapping[str, Iterable[Judged]],
    peer: str | None,
) -> Reproduction:
    """Return a field with a table of both verdicts on every question, and whether any is the opposite of the other."""
    if peer is None:
        note = Note("peer_missing", "mlscorecheck is not installed, so its verdicts do not stand beside these")
        return paper.reproduction(parts, statements, [note])
    asked = [(about, one) for about, several in groups.items() for one in several]
    pairs = Counter((about, one["verdict"], one["peer"]) for about, one in asked)
    records = [
        {"about": about, "fourfold": ours, "mlscorecheck": _CONSISTENT[theirs], "results": count}
        for (about, ours, theirs), count in sorted(pairs.items())
    ]
    judged = [one for _, one in asked]
    stricter = [one for one in judged if one["verdict"] != _POSSIBLE and one["peer"]]
    # With the same room for each score both must agree.
    opposite = sum(one["within"] != one["peer"] for one in judged)
    numbers = {
        "questions": len(judged),
        "stricter": len(stricter),
        "opposite": opposite,
        "version": peer,
        "explained": sum(one["within"] for one in stricter),
        "only_if": sum(one["verdict"] == _ONLY_IF and not one["peer"] for one in judged),
    }
    beside = _SHARED.part("peer", not opposite, numbers, records)
    none_opposite = _SHARED.statement("none opposite", not opposite, numbers)
    return paper.reproduction([*parts, beside], [*statements, none_opposite])
