"""Means over folds: what honest and dishonest reports are told, and times, beside mlscorecheck.

Reports are drawn: 5 or 10 folds of 20 to 200 cases, of equal or unequal sizes, a classifier in each, means of 2 to 5
scores printed to 3 or 4 digits. A dishonest report has one score moved by 0.02 to 0.1. The peer is asked where it can
be: it looks at accuracy, sensitivity, specificity and balanced accuracy, and passes others over. The page
``docs/explanation/means.md`` shows what is printed; ``python -m benchmarks.folds 50`` draws fewer reports.
"""

from __future__ import annotations

import logging
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import numpy as np

import fourfold as ff

from .timing import compare, seconds, silent

COUNT: Final = 500
SCORES: Final = ("accuracy", "recall", "specificity", "precision", "f1", "mcc", "balanced_accuracy")
#: The scores that the peer looks at, and its names for them.
LINEAR: Final = {"accuracy": "acc", "recall": "sens", "specificity": "spec", "balanced_accuracy": "bacc"}
REPEATS: Final = 60
MOST: Final = 4.0
#: Seconds after which the peer's solver, which may go on for hours, is stopped.
LONGEST: Final = 10


class Report(NamedTuple):
    """What is printed about some folds, and to how many digits."""

    folds: tuple[tuple[int, int], ...]
    scores: dict[str, str]
    digits: int

    @property
    def linear(self) -> dict[str, str]:
        """The scores that the peer looks at."""
        return {name: text for name, text in self.scores.items() if name in LINEAR}


class Answer(NamedTuple):
    """A verdict, and the seconds of a processor that it took, whatever else the machine does."""

    verdict: str
    seconds: float


def run(count: int = COUNT) -> None:
    """Draw reports and ask about them, then compare times call by call."""
    rng = np.random.default_rng(15)
    honest = [_drawn(rng) for _ in range(count)]
    answers = [_ours(report) for report in honest]
    _told("honest", honest, answers)
    moved = [_moved(report, rng) for report in honest]
    answers = [_ours(report) for report in moved]
    _told("dishonest", moved, answers)
    peer = _peer()
    if peer is None:
        return
    _beside("honest", honest, peer)
    _beside("dishonest", moved, peer)
    _calls(peer)


def _drawn(rng: np.random.Generator) -> Report:
    """Draw folds, a classifier's tables for them, and print means of some scores."""
    number, digits = int(rng.choice([5, 10])), int(rng.choice([3, 4]))
    size, share = int(rng.integers(20, 201)), rng.uniform(0.2, 0.8)
    # Equal but for one case, or each of a size and make-up of its own.
    sizes = rng.integers(20, 201, number) if rng.random() < 0.3 else size + (np.arange(number) < rng.integers(number))
    shares = np.clip(rng.normal(share, 0.03, number), 0.1, 0.9) if rng.random() < 0.3 else np.full(number, share)
    positives = np.clip(np.round(sizes * shares), 1, sizes - 1).astype(int)
    right = rng.uniform(0.6, 0.97, 2)
    tables = []
    for p, n in zip(positives, sizes - positives, strict=True):
        tp, tn = (int(rng.binomial(own, right[i])) for i, own in enumerate((p, n)))
        tables.append(ff.Table(tp=tp, fn=int(p) - tp, fp=int(n) - tn, tn=tn))
    names = [str(name) for name in rng.choice(SCORES, int(rng.integers(2, 6)), replace=False)]
    means = {name: np.mean([_score(table, name) for table in tables]) for name in names}
    folds = tuple((table.positives, table.negatives) for table in tables)
    return Report(folds, {name: f"{mean:.{digits}f}" for name, mean in means.items()}, digits)


def _score(table: ff.Table, name: str) -> float:
    """Return a score; an undefined one is 0, as scikit-learn has it."""
    value = float(ff.score(table, name))
    return 0.0 if np.isnan(value) else value


def _moved(report: Report, rng: np.random.Generator) -> Report:
    """Move one score by 0.02 to 0.1, up or down, wherever there is room."""
    name = str(rng.choice(list(report.scores)))
    step, value = rng.uniform(0.02, 0.1), float(report.scores[name])
    value += step if (rng.random() < 0.5 and value + step <= 1) or value - step < 0 else -step
    return report._replace(scores={**report.scores, name: f"{value:.{report.digits}f}"})


def _ours(report: Report) -> Answer:
    asked: Any = {"folds": report.folds, "over": "mean", "bounds": "none", **report.scores}
    start = time.process_time()
    verdict = ff.recover(**asked).verdict
    return Answer(verdict, time.process_time() - start)


def _told(kind: str, reports: Iterable[Report], answers: list[Answer]) -> None:
    """Print what was told of reports, by their digits and number of scores."""
    print(f"{len(answers)} {kind} reports: {_counted(answers)}")
    times = [answer.seconds for answer in answers]
    slow = sum(taken > MOST for taken in times)
    middle, late = np.median(times), np.quantile(times, 0.95)
    print(
        f"   median {middle * 1e3:.0f} ms, 95 % within {late:.2f} s, longest {max(times):.1f} s, {slow} over {MOST:g} s"
    )
    groups: dict[tuple[int, int], list[Answer]] = {}
    for report, answer in zip(reports, answers, strict=True):
        groups.setdefault((report.digits, len(report.scores)), []).append(answer)
    for (digits, scores), own in sorted(groups.items()):
        print(f"   {digits} digits, {scores} scores: {_counted(own)}")


def _counted(answers: list[Answer]) -> str:
    counts = Counter(answer.verdict for answer in answers)
    words = {"possible": "possible", "conditional": "possible on a condition", "impossible": "impossible"}
    words["undecided"] = "undecided"
    return ", ".join(f"{counts[verdict]} {word}" for verdict, word in words.items())


def _peer() -> Any:
    try:
        from mlscorecheck.check import binary
    except ImportError:
        print("mlscorecheck is not installed: it is left out")
        return None
    return binary


@contextmanager
def _quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    with silent():
        yield
    logging.disable(logging.NOTSET)


def _question(report: Report) -> dict[str, Any]:
    """Return what the peer is asked about a report."""
    folds = [{"p": p, "n": n} for p, n in report.folds]
    scores = {LINEAR[name]: float(text) for name, text in report.linear.items()}
    whole = {"p": sum(p for p, _ in report.folds), "n": sum(n for _, n in report.folds)}
    question = {"dataset": whole, "folding": {"folds": folds}, "scores": scores, "eps": 0.5 * 10**-report.digits}
    return {**question, "timeout": LONGEST, "verbosity": 0}


def _beside(kind: str, reports: list[Report], peer: Any) -> None:
    """Ask the peer too, and both about the scores that it looks at."""
    asked = [report for report in reports if report.linear]
    told: Counter[tuple[str, bool | None]] = Counter()
    ours, theirs, found = [], [], 0
    for report in asked:
        start = time.perf_counter()
        alone = _ours(report._replace(scores=report.linear))
        ours.append(time.perf_counter() - start)
        with _quiet():
            start = time.perf_counter()
            inconsistent = _inconsistent(peer, report)
            theirs.append(time.perf_counter() - start)
        found += bool(inconsistent)
        told[alone.verdict, inconsistent] += 1
    print(f"{len(asked)} of them have a score that mlscorecheck looks at ({kind}): it calls {found} inconsistent")
    crashed = sum(n for (_, inconsistent), n in told.items() if inconsistent is None)
    apart = {
        "it calls inconsistent, and folds with these scores exist": _apart(told, True, ("possible", "conditional")),
        "it calls consistent, and it is proven that none exist": _apart(told, False, ("impossible",)),
    }
    alike = sum(told.values()) - crashed - sum(apart.values())
    print(f"   these scores alone: {alike} alike, {crashed} on which it breaks down or comes to no end")
    for words, number in apart.items():
        print(f"   {number} that {words}")
    times = [f"{np.median(own) * 1e3:.1f} ms, {np.mean(own) * 1e3:.1f} ms on average" for own in (ours, theirs)]
    print(f"   median {times[0]}; mlscorecheck {times[1]}, with its log off")


def _inconsistent(peer: Any, report: Report) -> bool | None:
    """Return the peer's verdict; None where it breaks down or its solver comes to no end."""
    try:
        found = peer.check_1_dataset_known_folds_mos(**_question(report))
    except Exception:
        return None
    return bool(found["inconsistency"]) if found["lp_status"] in ("feasible", "infeasible") else None


def _apart(told: Counter[tuple[str, bool | None]], inconsistent: bool, verdicts: tuple[str, ...]) -> int:
    return sum(told[verdict, inconsistent] for verdict in verdicts)


def _calls(peer: Any) -> None:
    """Compare single calls of every kind, of reports that hold and that do not."""
    for what, ask, call, question in _kinds(peer):
        for moved in (0.0, 0.07):
            scores = {**question["scores"], "acc": round(question["scores"]["acc"] - moved, 4)}
            asked = {"accuracy": f"{scores['acc']:.4f}", "recall": f"{scores['sens']:.4f}"}
            asked["specificity"] = f"{scores['spec']:.4f}"
            with _quiet():
                given = {**question, "scores": scores}
                inconsistent = call(**given)["inconsistency"]
                theirs = seconds(lambda call=call, given=given: call(**given), REPEATS)  # type: ignore[misc]
            verdict = ask(asked).verdict
            ours = seconds(lambda ask=ask, asked=asked: ask(asked), REPEATS)  # type: ignore[misc]
            note = f"ours {verdict}, theirs {'in' * bool(inconsistent)}consistent"
            compare(f"{what}{', one score moved' * bool(moved)}", ours, "mlscorecheck", theirs, note)


def _kinds(peer: Any) -> Iterator[tuple[str, Callable[[dict[str, str]], Any], Callable[..., Any], dict[str, Any]]]:
    """Yield kinds of questions: what is asked, how here, how there."""
    for p, n, k in ((40, 60, 5), (100, 200, 10), (1000, 2000, 10)):
        scores = _means([(p // k, n // k)] * k)
        folding = {"n_folds": k, "n_repeats": 1, "strategy": "stratified_sklearn"}
        question = {"dataset": {"p": p, "n": n}, "folding": folding, "scores": scores, "eps": 5e-5}
        yield (
            f"{k} stratified folds of {p} + {n}",
            lambda asked, p=p, n=n, k=k: _asked(asked, positives=p, negatives=n, folds=k),  # type: ignore[misc]
            peer.check_1_dataset_known_folds_mos,
            question,
        )
    sets = [(12 + 3 * i, 200 - 7 * i) for i in range(20)]
    testsets = [{"p": p, "n": n} for p, n in sets]
    yield (
        "means over 20 test sets",
        lambda asked: _asked(asked, sets=sets),
        peer.check_n_testsets_mos_no_kfold,
        {"testsets": testsets, "scores": _means(sets), "eps": 5e-5},
    )
    data = [(40, 60), (55, 35), (80, 120)]
    folding = {"n_folds": 5, "n_repeats": 1, "strategy": "stratified_sklearn"}
    evaluations = [{"dataset": {"p": p, "n": n}, "folding": folding} for p, n in data]
    rows = [{"positives": p, "negatives": n, "folds": 5} for p, n in data]
    yield (
        "means over 3 data sets of 5 folds",
        lambda asked: _asked(asked, sets=rows),
        peer.check_n_datasets_mos_known_folds_mos,
        {
            "evaluations": evaluations,
            "scores": _means([(p // 5, n // 5) for p, n in data for _ in range(5)]),
            "eps": 5e-5,
        },
    )
    yield (
        "3 unstratified folds of 6 + 9",
        lambda asked: _asked(asked, positives=6, negatives=9, folds="3 unstratified"),
        peer.check_1_dataset_unknown_folds_mos,
        {
            "dataset": {"p": 6, "n": 9},
            "folding": {"n_folds": 3, "n_repeats": 1},
            "scores": _means([(2, 3)] * 3),
            "eps": 5e-5,
        },
    )


def _asked(scores: dict[str, str], **given: Any) -> Any:
    return ff.recover(over="mean", undefined="none", bounds="none", **given, **scores)  # type: ignore[arg-type]


def _means(parts: list[tuple[int, int]]) -> dict[str, float]:
    """Return the means of a classifier that is a little better in every other part, as the peer takes them."""
    tables = []
    for i, (p, n) in enumerate(parts):
        tp, tn = round((0.8 + 0.1 * (i % 2)) * p), round((0.9 - 0.1 * (i % 3 == 0)) * n)
        tables.append(ff.Table(tp=tp, fn=p - tp, fp=n - tn, tn=tn))
    return {
        name: round(float(np.mean([ff.score(table, name) for table in tables])), 4) for name in ("acc", "sens", "spec")
    }


if __name__ == "__main__":
    run(int(sys.argv[1]) if len(sys.argv) > 1 else COUNT)
