"""Recovering tables from reported scores, beside mlscorecheck and RECLAIM's integer programme."""

from __future__ import annotations

import logging
import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from mlscorecheck.check.binary import check_1_testset_no_kfold

import fourfold as ff

from .timing import alone, compare, seconds

# fourfold's names and the peer's for the same scores.
REPORTS = (("acc", "sens", "spec"), ("acc", "f1"), ("mcc", "acc", "ppv"), ("acc",), ("mcc",))


def run(sizes: tuple[int, ...] = (100, 10_000, 1_000_000)) -> None:
    """Answer the same reports; ours with verdict, count and the bounds of every metric each time."""
    for positives in sizes:
        for names in REPORTS:
            if len(names) > 1:
                _small(names, positives, 300 if positives <= 10**4 else 3)
    for positives in sizes:
        for names in REPORTS:
            if positives > 10**5 and len(names) == 1:
                continue  # the peer takes a minute or five here
            _beside_mlscorecheck(positives, names)
    _beside_integer_programme()
    alone("accuracy alone, p = 1e6, n = 2e6", seconds(_ask(10**6, 2 * 10**6, ("acc",))), "all bounds included")
    _large()
    _review()


def _scores(
    positives: int, negatives: int, names: tuple[str, ...], recall: float = 0.87, specificity: float = 0.9
) -> dict[str, str]:
    tp, tn = round(recall * positives), round(specificity * negatives)
    table = ff.Table(tp=tp, fn=positives - tp, fp=negatives - tn, tn=tn)
    return {name: f"{ff.score(table, name):.4f}" for name in names}


def _ask(positives: int, negatives: int, names: tuple[str, ...]) -> Callable[[], object]:
    scores = _scores(positives, negatives, names)
    return lambda: ff.recover(positives=positives, negatives=negatives, **scores).all_bounds


def _beside_mlscorecheck(positives: int, names: tuple[str, ...]) -> None:
    negatives = 2 * positives
    scores = {name: float(text) for name, text in _scores(positives, negatives, names).items()}
    # Half a unit of the fourth decimal, the same interval as ours.
    question: dict[str, Any] = {"testset": {"p": positives, "n": negatives}, "scores": scores, "eps": 5e-5}
    repeats = 1 if positives > 10**4 else 100 if len(names) > 1 else 5
    ours = seconds(_ask(positives, negatives, names), 100)
    # As installed the peer writes a log line a step; a user may switch that off.
    with _unread_log():
        theirs = seconds(lambda: check_1_testset_no_kfold(**question), repeats)
    logging.disable(logging.CRITICAL)
    silent = seconds(lambda: check_1_testset_no_kfold(**question), repeats)
    logging.disable(logging.NOTSET)
    note = f"all bounds included; {silent / ours:.1f} times with its log off"
    compare(f"{' + '.join(names)}, p = {positives:.0e}, n = 2p", ours, "mlscorecheck", theirs, note)


def _small(names: tuple[str, ...], positives: int, reports: int) -> None:
    """Ask for two or three scores, each time of another table, call by call beside the peer with its log off."""
    random, negatives = Random(1), 2 * positives
    ways: dict[str, Callable[[ff.Recovery], object]] = {
        "verdict and count": lambda answer: answer.verdict,
        "tables as well": lambda answer: list(answer.tables(100)),
        "all bounds as well": lambda answer: answer.all_bounds,
    }
    taken: dict[str, list[float]] = {what: [] for what in (*ways, "peer")}
    logging.disable(logging.CRITICAL)
    for place in range(3 * reports):
        scores = _scores(positives, negatives, names, random.uniform(0.6, 0.99), random.uniform(0.6, 0.99))
        question: dict[str, Any] = {"testset": {"p": positives, "n": negatives}, "eps": 5e-5}
        question["scores"] = {name: float(text) for name, text in scores.items()}
        # Asked in one way each: a second time parts of the answer would be known.
        what = list(ways)[place % 3]
        start = time.thread_time()
        ways[what](ff.recover(positives=positives, negatives=negatives, **scores))
        middle = time.thread_time()
        check_1_testset_no_kfold(**question)
        taken[what].append(middle - start)
        taken["peer"].append(time.thread_time() - middle)
    logging.disable(logging.NOTSET)
    for what in ways:
        ours, theirs = median(taken[what]), median(taken["peer"])
        compare(f"{' + '.join(names)}, p = {positives:.0e}: {what}", ours, "mlscorecheck, log off", theirs)


@contextmanager
def _unread_log() -> Iterator[None]:
    """Send what the peer logs to where nobody reads it, so that no terminal slows it down."""
    handlers = [h for name in logging.root.manager.loggerDict for h in logging.getLogger(name).handlers]
    handlers += logging.root.handlers
    streams = [(h, h.stream) for h in handlers if isinstance(h, logging.StreamHandler)]
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        for handler, _ in streams:
            handler.setStream(nowhere)
        try:
            yield
        finally:
            for handler, stream in streams:
                handler.setStream(stream)


def _beside_integer_programme() -> None:
    """Bound tp for accuracy 0.8980 of 2000 cases, 994 of them positive, as RECLAIM's equation 2 does."""
    import cvxpy as cp

    def programme() -> list[float]:
        cells = cp.Variable(4, integer=True)
        tp, tn, fp, fn = cells[0], cells[1], cells[2], cells[3]
        right = tp + tn
        limits = [cells >= 0, tp + fn == 994, fp + tn == 1006, right >= 0.89795 * 2000, right <= 0.89805 * 2000]
        goals = (cp.Minimize(tp), cp.Maximize(tp))
        return [float(cp.Problem(goal, limits).solve(solver=cp.HIGHS)) for goal in goals]

    ours = seconds(lambda: ff.recover(positives=994, negatives=1006, accuracy="0.8980").all_bounds, 20)
    compare("accuracy of 2000 cases", ours, "RECLAIM's integer programme", seconds(programme, 5), "it bounds tp only")


def _large() -> None:
    """Ask for two affine scores at total 1e9."""
    positives, negatives = 4 * 10**8, 6 * 10**8
    scores = _scores(positives, negatives, ("acc", "f1"))

    def ask() -> ff.Recovery:
        return ff.recover(positives=positives, negatives=negatives, **scores)

    alone("acc + f1 at total 1e9: verdict and count", seconds(ask))
    alone("acc + f1 at total 1e9: all bounds as well", seconds(lambda: ask().all_bounds))


def _review(reports: int = 10_000) -> None:
    """Answer many reports of small studies, as in a systematic review."""
    questions = []
    for i in range(reports):
        positives, negatives = 20 + i % 200, 30 + i % 331
        tp = positives - i % (positives // 2)
        tn = negatives - i % (negatives // 3)
        table = ff.Table(tp=tp, fn=positives - tp, fp=negatives - tn, tn=tn)
        scores = {name: f"{ff.score(table, name):.3f}" for name in ("accuracy", "recall", "f1")}
        questions.append({"positives": positives, "negatives": negatives} | scores)
    taken = seconds(lambda: [ff.recover(question).all_bounds for question in questions], 1)
    alone(f"a review of {reports} reports", taken, f"{math.ceil(taken / reports * 1e6)} µs a report")
