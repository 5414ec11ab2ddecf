"""Reports of several classes, beside mlscorecheck's multiclass check and an integer programme over all k² cells."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fourfold as ff
from fourfold.claims import ClassClaim
from fourfold.claims.class_search import solve_classes
from fourfold.claims.classes import read_classes

from .timing import alone, compare, seconds, silent

Report = dict[str, str]
Verdict = Callable[[list[int], Report], bool | None]
ROW = ("precision", "recall", "f1")
# What the peer can check of several classes, and its names for it.
LINEAR = {"macro_recall": "sens", "macro_specificity": "spec"}
# Ratios are whole numbers of so many parts in the integer programme.
SCALE = 10**6


def run(small: int = 60, sizes: tuple[int, ...] = (50, 200, 1000), classes: tuple[int, ...] = (3, 10, 30, 100)) -> None:
    """Compare verdicts with looking at all tables, then times, then show what more cases and more classes cost."""
    peers = {name: peer for name, peer in (("mlscorecheck", _mlscorecheck()), ("CP-SAT", _cp_sat())) if peer}
    _verdicts(small, peers)
    for name, peer in peers.items():
        for k, n in ((3, 50), (3, 1000), (10, 1000)):
            matrix = _matrix(k, n, np.random.default_rng(k * n))
            reports = [_averages(matrix, LINEAR)]
            if name != "mlscorecheck":
                reports = [_full(matrix), _averages(matrix, ("accuracy", "macro_precision", "macro_f1"))]
            for report in reports:
                _beside(name, peer, [n] * k, report)
                last = list(report)[-1]
                off = {**report, last: f"{float(report[last]) - 0.3:.3f}"}
                _beside(name, peer, [n] * k, off)
    for n in sizes:
        _cost(10, n)
    for k in classes:
        _cost(k, 1000)
    _cost_of_averages()


def _matrix(k: int, n: int, rng: np.random.Generator, right: float = 0.8) -> NDArray[np.int64]:
    """Draw a table with n cases of each of k classes."""
    rows = []
    for c in range(k):
        chances = rng.gamma(3.0, 1.0, k)
        chances[c] = 0.0
        share = min(0.98, right * rng.uniform(0.85, 1.15))
        chances *= (1 - share) / chances.sum()
        chances[c] = share
        rows.append(rng.multinomial(n, chances))
    return np.array(rows)


def _printed(matrix: NDArray[np.int64], names: list[str], digits: int) -> Report:
    table = ff.Matrix(matrix)
    report = {}
    for name in names:
        base, _, place = name.rstrip("]").partition("[")
        value = np.asarray(ff.score(table, base)).reshape(-1)[int(place or 0)]
        report[name] = f"{0.0 if np.isnan(value) else float(value):.{digits}f}"
    return report


def _full(matrix: NDArray[np.int64], digits: int = 2) -> Report:
    """Print a whole classification report."""
    rows = [f"{name}[{c}]" for c in range(len(matrix)) for name in ROW]
    return _printed(
        matrix, [*rows, "accuracy", *(f"{kind}_{name}" for kind in ("macro", "weighted") for name in ROW)], digits
    )


def _averages(matrix: NDArray[np.int64], names: Iterable[str], digits: int = 3) -> Report:
    return _printed(matrix, list(names), digits)


def _recover(sizes: list[int], report: Report, bounds: str) -> Any:
    asked: Any = {"classes": sizes, "undefined": "none", "bounds": bounds, **report}
    return ff.recover(**asked)


def _ours(sizes: list[int], report: Report) -> bool | None:
    found = _recover(sizes, report, "none")
    return None if found.verdict == "undecided" else found.verdict != "impossible"


def _mlscorecheck() -> Verdict | None:
    try:
        from mlscorecheck.check.multiclass import check_1_testset_no_kfold_macro
    except ImportError:
        print("mlscorecheck is not installed: its multiclass check is left out")
        return None

    def check(sizes: list[int], report: Report) -> bool | None:
        if not report.keys() <= LINEAR.keys():
            return None
        scores = {LINEAR[name]: float(text) for name, text in report.items()}
        digits = len(next(iter(report.values())).partition(".")[2])
        logging.disable(logging.CRITICAL)
        with silent():
            found = check_1_testset_no_kfold_macro(testset=dict(enumerate(sizes)), scores=scores, eps=0.5 * 10**-digits)
        logging.disable(logging.NOTSET)
        return not found["inconsistency"]

    return check


def _cp_sat() -> Verdict | None:
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        print("ortools is not installed: the integer programme is left out")
        return None

    def check(sizes: list[int], report: Report, limit: float = 10.0) -> bool | None:
        model = cp_model.CpModel()
        k, total = len(sizes), sum(sizes)
        cells = [[model.new_int_var(0, n, "") for _ in sizes] for n in sizes]
        for row, n in zip(cells, sizes, strict=True):
            model.add(sum(row) == n)
        tp = [cells[c][c] for c in range(k)]
        predicted = [sum(cells[i][c] for i in range(k)) for c in range(k)]
        sides: dict[str, tuple[Any, Any]] = {
            "precision": (tp, predicted),
            "recall": (tp, sizes),
            "f1": ([2 * each for each in tp], [n + q for n, q in zip(sizes, predicted, strict=True)]),
            "specificity": (
                [total - n - q + t for n, q, t in zip(sizes, predicted, tp, strict=True)],
                [total - n for n in sizes],
            ),
        }
        ratios: dict[tuple[str, int], Any] = {}
        for name, text in report.items():
            end = ff.claims.Reported.read(text)
            unit = end.low.denominator * end.high.denominator
            low, high = int(end.low * unit), int(end.high * unit)
            base, _, place = name.rstrip("]").partition("[")
            if place or name == "accuracy":
                top, bottom = (sum(tp), total) if name == "accuracy" else (side[int(place)] for side in sides[base])
                model.add(unit * top >= low * bottom)
                model.add(unit * top <= high * bottom)
                continue
            kind, _, base = name.partition("_")
            for c in range(k):
                if (base, c) not in ratios:
                    share, whole = model.new_int_var(0, SCALE, ""), model.new_int_var(1, 2 * total, "")
                    model.add(whole == sides[base][1][c])
                    scaled = model.new_int_var(0, 2 * total * SCALE, "")
                    model.add(scaled == SCALE * sides[base][0][c])
                    model.add_division_equality(share, scaled, whole)
                    ratios[base, c] = share
            weights = sizes if kind == "weighted" else [1] * k
            mean = sum(w * ratios[base, c] for c, w in enumerate(weights))
            # Each share is rounded down: a whole one may be missing in each.
            model.add(mean * unit >= (low * SCALE - unit) * sum(weights))
            model.add(mean * unit <= high * SCALE * sum(weights))
        solver = cp_model.CpSolver()
        solver.parameters.max_time_in_seconds = limit
        solver.parameters.num_workers = 1
        status = solver.solve(model)
        return {cp_model.OPTIMAL: True, cp_model.FEASIBLE: True, cp_model.INFEASIBLE: False}.get(status)

    return check


def _tables(sizes: list[int]) -> Iterator[NDArray[np.int64]]:
    """Yield every table with these sizes of classes."""
    k = len(sizes)
    rows = [[row for row in product(range(n + 1), repeat=k) if sum(row) == n] for n in sizes]
    return (np.array(table) for table in product(*rows))


def _verdicts(number: int, peers: dict[str, Verdict]) -> None:
    """Ask about small reports, half of them disturbed, and compare with looking at every table."""
    rng = np.random.default_rng(7)
    asked = dict.fromkeys(["fourfold", *peers], 0)
    accused, passed = dict.fromkeys(asked, 0), dict.fromkeys(asked, 0)
    for i in range(number):
        sizes = [2, 3, 3] if i % 2 else [1, 3, 4]
        matrix = np.array(
            [rng.multinomial(n, np.full(3, 0.2) + 0.4 * (np.arange(3) == c)) for c, n in enumerate(sizes)]
        )
        names = list(LINEAR) if i % 4 < 2 else ["accuracy", "precision[0]", "f1[1]", "macro_f1"]
        report = _printed(matrix, names, 2)
        if i % 3:
            name = names[int(rng.integers(len(names)))]
            report[name] = f"{min(1.0, max(0.0, float(report[name]) + rng.choice([-0.02, 0.01, 0.03]))):.2f}"
        claim = ClassClaim.read(report, read_classes(sizes), undefined="none")
        real = any(claim.fits(ff.Matrix(table)) for table in _tables(sizes))
        for name, peer in {"fourfold": _ours, **peers}.items():
            verdict = peer(sizes, report)
            if verdict is not None:
                asked[name] += 1
                accused[name] += real and not verdict
                passed[name] += verdict and not real
    for name, count in asked.items():
        wrong = f"{accused[name]} falsely impossible, {passed[name]} falsely possible"
        print(f"verdicts beside all tables, {count} reports that {name} can be asked about: {wrong}")


def _beside(name: str, peer: Verdict, sizes: list[int], report: Report) -> None:
    """Compare the whole answer, which counts what fits and names what contradicts, with the peer's verdict."""
    ours = seconds(lambda: _ours(sizes, report), 3)
    claim = ClassClaim.read(report, read_classes(sizes), undefined="none")
    bare = seconds(lambda: solve_classes(claim), 3)
    start = time.perf_counter()
    verdict = peer(sizes, report)
    theirs = time.perf_counter() - start
    words = f"theirs {_word(verdict)}, ours {_word(_ours(sizes, report))}"
    note = f"{len(report)} scores: {words}; ours in {bare * 1e3:.1f} ms without what contradicts"
    compare(f"{len(sizes)} classes of {sizes[0]} cases", ours, name, theirs, note)


def _word(verdict: bool | None) -> str:
    return {None: "undecided", True: "possible", False: "impossible"}[verdict]


def _cost(k: int, n: int) -> None:
    """Answer a whole report of k classes with n cases each."""
    report = _full(_matrix(k, n, np.random.default_rng(k + n)))
    taken = seconds(lambda: _ours([n] * k, report), 3)
    whole = seconds(lambda: _recover([n] * k, report, "auto"), 1)
    alone(f"a report of {k} classes of {n} cases", taken, f"with bounds {whole:.2f} s")


def _cost_of_averages(k: int = 10, n: int = 1000, reports: int = 12) -> None:
    """Answer reports of averages alone, every other disturbed."""
    rng, times, decided = np.random.default_rng(3), [], 0
    for i in range(reports):
        report = _printed(_matrix(k, n, rng), ["accuracy", "macro_f1", "macro_precision"][: 2 + i % 2], 3)
        if i % 4 > 1:
            report["macro_f1"] = f"{float(report['macro_f1']) - 0.2:.3f}"
        start = time.perf_counter()
        decided += _ours([n] * k, report) is not None
        times.append(time.perf_counter() - start)
    note = f"{decided} of {reports} decided; the longest {max(times):.2f} s"
    alone(f"averages alone, {k} classes of {n} cases", float(np.median(times)), note)
