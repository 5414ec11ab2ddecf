"""Skin lesions: results of seven papers, each on one known test set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from fourfold.metrics import ACCURACY, PRECISION, RECALL, SPECIFICITY

from ..outcome import Part, Reproduction, Statement, View
from ..paper import Paper
from ..running import run_all
from .judging import Judged, beside_peer, installed_peer, judge, lines_by_paper, scores_of

_PAPER: Final = Paper("skin")
_WITHIN, _PRINTED = "within a whole unit", "as printed"
Line = Mapping[str, str]
Lines = Mapping[str, Sequence[Line]]


def reproduce_skin(**options: Any) -> Reproduction:
    """Judge all results of the field again."""
    return _reproduced(lines_by_paper("skin"), **options)


def _reproduced(lines: Lines, **options: Any) -> Reproduction:
    peer = installed_peer()
    questions = {paper: [(line, _setup(line)) for line in rows] for paper, rows in lines.items()}
    questions |= dict(_other_sizes(lines))
    beside = f", beside mlscorecheck {peer}" if peer else ""
    calls = {name + beside: (judge, pairs, peer) for name, pairs in questions.items()}
    results = dict(zip(questions, run_all(calls, name=_PAPER.name, **options).values(), strict=True))
    judged = {paper: results[paper] for paper in lines}
    rows, sizes = ([one for key in keys for one in results[key]] for keys in (lines, questions.keys() - lines.keys()))
    parts = (_counts(judged), _rows(lines, judged), _figure(lines, judged))
    others = {key: (questions[key], results[key]) for key in questions if key not in lines}
    statements = (_on_counts(judged), *_on_sizes(others))
    return beside_peer(_PAPER, parts, statements, {"rows": rows, "other test sets": sizes}, peer)


def _setup(line: Line, **others: int) -> dict[str, Any]:
    # One test set is meant, so no averages over folds are tried.
    return {name: int(line[name]) for name in ("positives", "negatives")} | others | {"folds": "none"}


def _other_sizes(lines: Lines) -> Iterator[tuple[str, list[tuple[Line, dict[str, Any]]]]]:
    """Yield what the collectors asked of other test sets, by the key of the statement about it."""
    nevi = _PAPER.printed_row("test sets", "nevi alone")
    for paper, rows in lines.items():
        if paper == nevi["paper"]:
            yield "nevi alone", [(row, _setup(row, negatives=int(nevi["negatives"]))) for row in rows]
    for key in ("blue-white veil", "melanoma"):
        printed = _PAPER.printed_row("test sets", key)
        first = [row for row in lines.get(printed["paper"], ()) if row["positives"] == printed["positives"]][:1]
        total, low, high = (int(printed[name]) for name in ("total", "from", "to"))
        pairs = [(row, _setup(row, positives=p, negatives=total - p)) for row in first for p in range(low, high + 1)]
        if pairs:
            yield key, pairs


def _counts(judged: Mapping[str, list[Judged]]) -> Part:
    printed = {paper: count for (paper, _), count in _PAPER.printed("papers").items()}
    records: list[dict[str, Any]] = [
        {"paper": paper, "rows": len(results), "the collectors": int(printed[paper]), **_not_fitting(results)}
        for paper, results in judged.items()
    ]
    within, as_printed, rows = (sum(record[name] for record in records) for name in (_WITHIN, _PRINTED, "rows"))
    agree = all(record[_WITHIN] == record["the collectors"] for record in records)
    numbers = {"within": within, "printed": as_printed, "rows": rows}
    return _PAPER.part("papers", agree, numbers, records)


def _not_fitting(results: Sequence[Judged]) -> dict[str, int]:
    counts = {_WITHIN: sum(not one["within"] for one in results)}
    return counts | {_PRINTED: sum(one["verdict"] != "possible" for one in results)}


def _rows(lines: Lines, judged: Mapping[str, list[Judged]]) -> Part:
    """Return every row that does not fit as printed, with a change that would make it fit, if one was found."""
    records = [
        {
            "paper": paper, "test set": f"{line['positives']} + {line['negatives']}",
            "scores": ", ".join(f"{name} {text}" for name, text in scores_of(line).items()),
            "verdict": one["verdict"], "would fit if": one["fits if"],
        }
        for paper, results in judged.items()
        for line, one in zip(lines[paper], results, strict=True)
        if one["verdict"] != "possible"
    ]  # fmt: skip
    numbers = {"rows": len(records), "only_if": sum(record["verdict"] == "conditional" for record in records)}
    numbers["one_change"] = sum(bool(record["would fit if"]) for record in records) - numbers["only_if"]
    return _PAPER.part("rows", "reproduced", numbers, records)


def _figure(lines: Lines, judged: Mapping[str, list[Judged]]) -> Part:
    """Return each printed accuracy, or precision, beside the one that recall and specificity give on the test set."""
    points = []
    for paper, results in judged.items():
        for line, one in zip(lines[paper], results, strict=True):
            scores = {name: Fraction(text) for name, text in scores_of(line).items()}
            if {RECALL.id, SPECIFICITY.id} <= scores.keys():
                tp, tn = int(line["positives"]) * scores[RECALL.id], int(line["negatives"]) * scores[SPECIFICITY.id]
                total, wrong = int(line["positives"]) + int(line["negatives"]), int(line["negatives"]) - tn
                name, follows = (ACCURACY.id, (tp + tn) / total) if ACCURACY.id in scores else (
                    PRECISION.id, tp / (tp + wrong))  # fmt: skip
                points.append({"follows": float(follows), "printed": float(scores[name]), "verdict": one["verdict"]})
    titles = {"follows": "Follows from sensitivity and specificity", "printed": "Printed accuracy or precision"}
    view = View("follows", "printed", "verdict", titles=titles, points=True)
    return _PAPER.part("figure", "reproduced", {"points": len(points)}, points, view)


def _on_counts(judged: Mapping[str, list[Judged]]) -> Statement:
    results = [one for several in judged.values() for one in several]
    counts = _not_fitting(results)
    collected = sum(int(count) for (paper, _), count in _PAPER.printed("papers").items() if paper in judged)
    only_if = sum(one["verdict"] == "conditional" for one in results)
    numbers = {"within": counts[_WITHIN], "printed": counts[_PRINTED], "only_if": only_if, "of": len(results)}
    return _PAPER.statement(
        "counts", counts[_WITHIN] == collected, numbers, collected=str(collected), of=str(len(results))
    )


def _on_sizes(others: Mapping[str, tuple[Sequence[Any], Sequence[Judged]]]) -> Iterator[Statement]:
    """Judge what the collectors say of test sets that papers do not state."""
    for key, (questions, results) in others.items():
        fitting = [setup for (_, setup), one in zip(questions, results, strict=True) if one["within"]]
        words = ", ".join(f"{setup['positives']} + {setup['negatives']}" for setup in fitting) or "none"
        published = _PAPER.printed_row("test sets", key).get("fits", "none")
        numbers = {"tried": len(results), "fitting": words}
        yield _PAPER.statement(key, words == published, numbers, published=published)
