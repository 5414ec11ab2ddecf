"""Answers a question when it is imported: processes that are forked afterwards have done everything once."""

from __future__ import annotations

from .. import answers, certainty, claims, data, groups, metrics, plots, reports, solve, writers
from ..names import load
from ..questions import certainty as _of_certainty  # noqa: F401 - the one call that is imported when it is asked
from .work import WorkItem, answer

for room in (answers, certainty, claims, data, groups, metrics, plots, reports, solve, writers):
    load(room)

for _ in answer(
    WorkItem("recover", {next(iter(metrics.METRICS)): "0.85", "positives": 40, "negatives": 60}, output="page")
):
    pass
