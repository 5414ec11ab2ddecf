"""What follows from a report beside the verdict: how a score is distributed, and an estimate of the table."""

from __future__ import annotations

from ..claims import Distribution, Estimate
from ..document import Document
from ..words import between, listed, number
from .any_result import document, label_of, plain_document


@document.register
def _(result: Distribution) -> Document:
    middle = f"The median of {label_of(result.metric)} is {number(result.median)}"
    return plain_document(result, f"{middle}; 95 % of the tables have {between(result.low, result.high)}")


@document.register
def _(result: Estimate) -> Document:
    cells = {name: getattr(result, name) for name in ("tp", "fn", "fp", "tn")}
    known = [f"{name} {float(value):.6g}" for name, value in cells.items() if value is not None]
    return plain_document(result, f"The estimate is {listed(known)}" if known else "")
