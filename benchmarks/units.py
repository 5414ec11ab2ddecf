"""How often audits accuse a group of people like all others, where each person has several rows.

Four groups are drawn from one population, one of them a quarter as large. A person's rows share how well the person is
read: right answers scatter as a beta law does, with some correlation within a person. Each audit is made twice, with
rows taken for independent and with ``unit``. ``python -m benchmarks units --count 500`` prints what the page
``docs/explanation/false-alarms.md`` shows.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Final

import numpy as np
from joblib import Parallel, delayed

import fourfold as ff

METRICS: Final = ("recall", "accuracy", "mcc")
#: Rows of a person; a pair is a range from which each person's number is drawn.
ROWS: Final = (3, 5, 10, (1, 19))
CORRELATIONS: Final = (0.3, 0.5)
PEOPLE: Final = (40, 160, 160, 160)
RIGHT: Final = 0.8


def people(rows: int | tuple[int, int], correlation: float, rng: np.random.Generator) -> dict[str, list[int]]:
    """Draw the rows of one audit: half of the people are positive, and 0.8 of rows are read right."""
    number = sum(PEOPLE)
    sizes = np.full(number, rows) if isinstance(rows, int) else rng.integers(rows[0], rows[1] + 1, number)
    spread = (1 - correlation) / correlation
    right = np.repeat(rng.beta(RIGHT * spread, (1 - RIGHT) * spread, number), sizes)
    truth = np.repeat(rng.random(number) < 0.5, sizes)
    said = np.where(rng.random(len(truth)) < right, truth, ~truth)
    group = np.repeat(np.repeat(np.arange(len(PEOPLE)), PEOPLE), sizes)
    columns = {"truth": truth, "said": said, "group": group, "person": np.repeat(np.arange(number), sizes)}
    return {name: values.astype(int).tolist() for name, values in columns.items()}


def audited(rows: int | tuple[int, int], correlation: float, metric: str, seed: int) -> list[tuple[bool, float]]:
    """Return for both ways whether a group was accused, and the share of intervals that hold the true value."""
    data = people(rows, correlation, np.random.default_rng(seed))
    truth = 2 * RIGHT - 1 if metric == "mcc" else RIGHT
    outcome = []
    for unit in (None, "person"):
        found = ff.audit(data, truth="truth", prediction="said", by="group", unit=unit, metrics=[metric]).findings
        ends = [(one.interval.low, one.interval.high) for one in found]
        held = [low is not None and high is not None and low <= truth <= high for low, high in ends]
        outcome.append((any(one.differs for one in found), float(np.mean(held))))
    return outcome


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a row for each kind of data and each metric."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks units", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--count", type=int, default=500, help="audits of each kind")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args(arguments)
    print(f"{given.count} audits of equal groups; accused at 5 %, and 95 % intervals that hold, before and with unit\n")
    print("| rows a person | correlation | metric | accused, rows | accused, units | hold, rows | hold, units |")
    print("|---|---|---|---|---|---|---|")
    with Parallel(n_jobs=given.jobs) as parallel:
        for rows in ROWS:
            for correlation in CORRELATIONS:
                for metric in METRICS:
                    done = parallel(delayed(audited)(rows, correlation, metric, seed) for seed in range(given.count))
                    accused, held = np.array(done, dtype=float).mean(axis=0).T
                    shown = rows if isinstance(rows, int) else "{} to {}".format(*rows)
                    print(f"| {shown} | {correlation} | {metric} | {accused[0]:.1%} | {accused[1]:.1%} "
                          f"| {held[0]:.1%} | {held[1]:.1%} |", flush=True)  # fmt: skip


def run() -> None:
    """Make 500 audits of each kind."""
    main([])
