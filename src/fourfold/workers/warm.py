"""Answers a question when it is imported: processes that are forked afterwards have done everything once."""

from __future__ import annotations

from ..metrics import METRICS
from .work import WorkItem, answer

for _ in answer(WorkItem("recover", {next(iter(METRICS)): "0.85", "positives": 40, "negatives": 60}, output="page")):
    pass
