"""TPEHG: five-fold means of a classifier of preterm birth, and what oversampling before the split would explain."""

from __future__ import annotations

from typing import Any, Final

from fourfold import recover
from fourfold.metrics import ACCURACY, RECALL, SPECIFICITY

from ..outcome import Part, Reproduction, View
from ..paper import Paper
from ..running import run_all
from .judging import beside_peer, installed_peer, judge

_PAPER: Final = Paper("tpehg")
_POSSIBLE: Final = "possible"
_WORDS: Final = {"5 unstratified": "means over 5 folds, in all layouts", "none": "one test set"}


def reproduce_tpehg(**options: Any) -> Reproduction:
    """Judge the result again, with the records as they are and with the minority oversampled."""
    peer = installed_peer()
    line, sizes = _PAPER.printed_row("abstract", "scores"), _PAPER.printed_row("abstract", "records")
    real, oversampled, negatives = (int(sizes[name]) for name in ("preterm", "oversampled", "term"))
    setups = [
        {"positives": positives, "negatives": negatives, "folds": folds}
        for positives in (real, oversampled)
        for folds in _WORDS
    ]
    beside = f", beside mlscorecheck {peer}" if peer else ""
    calls: dict[str, Any] = {
        f"{setup['positives']}, {setup['folds']}{beside}": (judge, [(line, setup)], peer) for setup in setups
    }
    positives = range(real, negatives + 1)
    calls |= {f"{count} stratified": (_stratified, line, count, negatives) for count in positives}
    results = run_all(calls, name=_PAPER.name, **options)
    judged = [results[name][0] for name in [*calls][: len(setups)]]
    records = [
        {
            "positives": setup["positives"], "read as": _WORDS[str(setup["folds"])],
            "as printed": one["verdict"], "within a whole unit": _in_words(one["within"]),
            "mlscorecheck": _in_words(one["peer"]),
        }
        for setup, one in zip(setups, judged, strict=True)
    ]  # fmt: skip
    fitting = [count for count in positives if results[f"{count} stratified"] == _POSSIBLE]
    parted = int(sizes["folds"])
    numbers: dict[str, Any] = {"layouts": layouts(real, parted), "tried": len(positives)}
    numbers |= {"fitting": ", ".join(map(str, fitting)) or "none", "oversampled": oversampled}
    numbers |= {"records": real + negatives, "size": (real + negatives) // parted}
    impossible, possible = (judged[0]["verdict"] == "impossible", judged[len(judged) // 2]["verdict"] == _POSSIBLE)
    parts = (
        _PAPER.part("readings", impossible and possible, numbers, records),
        _figure(line, positives, negatives, numbers),
    )
    statements = (
        _PAPER.statement("impossible", impossible and numbers["layouts"] == int(sizes["layouts"]), numbers, **sizes),
        _PAPER.statement("oversampled", possible, numbers, **sizes),
    )
    return beside_peer(_PAPER, parts, statements, {"readings": judged}, peer)


def _in_words(fits: bool | None) -> str:
    return {True: "fits", False: "does not fit", None: "not asked"}[fits]


def _stratified(line: dict[str, str], positives: int, negatives: int) -> str:
    """Return the verdict on means over stratified folds of data with so many positives."""
    sizes = {"positives": positives, "negatives": negatives, "folds": "5 stratified"}
    return recover({**line, **sizes}, bounds="none", undefined="none").verdict


def layouts(positives: int, folds: int) -> int:
    """Return in how many ways positives can be shared among folds of one size that all have some."""
    if positives < folds or not folds:
        return int(positives == folds)
    return layouts(positives - 1, folds - 1) + layouts(positives - folds, folds)


def _figure(line: dict[str, str], positives: range, negatives: int, numbers: dict[str, Any]) -> Part:
    """Return the accuracy that folds of equal make-up give, by the number of positives, and the printed one."""
    accuracy, recall, specificity = (float(line[metric.id]) for metric in (ACCURACY, RECALL, SPECIFICITY))
    points = []
    for count in positives:
        more = (count * recall + negatives * specificity) / (count + negatives) - accuracy
        points += [
            {"positives": count, "more": value, "which": which}
            for which, value in (("follows from sensitivity and specificity", more), ("printed", 0.0))
        ]
    titles = {"positives": "Preterm records, real and made", "more": "Accuracy above the printed one"}
    view = View("positives", "more", "which", titles=titles)
    return _PAPER.part("figure", "reproduced", numbers, points, view)
