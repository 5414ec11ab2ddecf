"""RECLAIM done again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..outcome import Reproduction
from ..running import done
from ..sets import chosen, found, needed
from .outcomes import outcome
from .runs import default_plan, job_name, planned_runs, possible_readings, work
from .widths import PAPER


def reproduce_reclaim(
    data: str | Path | None = None,
    *,
    kept: str | Path | None = None,
    output: str | Path | None = None,
    n_jobs: int = 1,
    progress: Callable[[float], None] | None = None,
) -> Reproduction:
    """Do the experiments of RECLAIM again.

    Parameters
    ----------
    data
        The folder with adult.parquet, for Table III.
    kept
        Where to keep what OpenML sends, for Adult where the folder lacks it; left out, nothing is fetched.
    output
        A folder for what was found so far: a run that was stopped goes on from there.
    n_jobs
        How many processes work at it, through joblib.
    progress
        Called with the share that is done.
    """
    needed()
    plan = default_plan()
    runs, splits = planned_runs(plan), range(plan.repeats)
    usable, others = found(chosen(PAPER, None), data, kept)
    readings = {reading: each for each in usable for reading in possible_readings(each)}
    jobs: dict[str, tuple[Any, ...]] = {
        job_name("forest", each.mark, reading, plan.trees, i): ("forest", each, reading, plan.trees, i)
        for reading, each in readings.items()
        for i in splits
    }
    jobs |= {job_name("adult", each.mark, reading): ("adult", each, reading) for reading, each in readings.items()}
    jobs |= {job_name(*run): run for over in runs.values() for several in over.values() for run in several}
    jobs |= {job_name("toy", correct): ("toy", correct) for correct in plan.correct} | {job_name("small"): ("small",)}
    tasks = {job: (work, *arguments) for job, arguments in jobs.items()}
    results = done(tasks, output=output, name="reclaim", n_jobs=n_jobs, progress=progress)
    trees = {
        figure: {x: [results[job_name(*run)] for run in several] for x, several in over.items()}
        for figure, over in runs.items()
    }
    forests = {
        reading: [results[job_name("forest", each.mark, reading, plan.trees, i)] for i in splits]
        for reading, each in readings.items()
    }
    counts = {reading: results[job_name("adult", each.mark, reading)] for reading, each in readings.items()}
    toy = {correct: results[job_name("toy", correct)] for correct in plan.correct}
    return outcome(trees, forests, counts, toy, results[job_name("small")], *others.values())
