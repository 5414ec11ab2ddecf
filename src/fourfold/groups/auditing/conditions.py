"""Conditions on which an audit counts as failed, for a build: ``different``, or ``recall_difference<-0.1``."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from ...errors import InputError
from ...metrics import Metric, find

_FORM: Final = re.compile(r"\s*(.+?)\s*(<=|>=|<|>)\s*([-+−]?[0-9.]+(?:e[-+]?[0-9]+)?)\s*", re.IGNORECASE)
_COMPARED: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_OF_CLASS: Final = re.compile(r"(.+\[.*\])(?:_(difference|ratio))?")


@dataclass(frozen=True)
class Condition:
    """A condition on a finding: that it is different, or that a number of it lies on one side of another.

    Examples
    --------
    >>> Condition.read("recall_difference < -0.1")
    Condition(text='recall_difference < -0.1', metric='recall', kind='difference', sign='<', number=-0.1)
    """

    text: str
    metric: str = ""
    kind: str = ""
    sign: str = ""
    number: float = 0.0

    @classmethod
    def read(cls, text: str) -> Condition:
        """Read a condition as it is written."""
        if text.strip().casefold() == "different":
            return cls(text)
        form = _FORM.fullmatch(text)
        try:
            number = float(form[3].replace("−", "-")) if form else 0.0
        except ValueError:
            form = None
        if form is None:
            hint = "write different, or a comparison such as recall_difference<-0.1 or precision<0.8"
            raise InputError("bad_option", "fail_on", "is not a condition", text, hint)
        name, kind = _asked_for(form[1])
        return cls(text, name, kind, form[2], number)

    def holds(self, value: float | None) -> bool:
        """Tell whether a number lies where the condition says; one that is undefined does not."""
        return value is not None and _COMPARED[self.sign](value, self.number)


def _asked_for(name: str) -> tuple[str, str]:
    """Return the metric that a condition is about, and whether its difference or its ratio is meant."""
    if of_class := _OF_CLASS.fullmatch(name):
        return of_class[1], of_class[2] or ""
    entry = find(name)
    if isinstance(entry, Metric):
        return entry.id, ""
    if len(entry.bases) > 1:
        hint = "name one metric, such as recall_difference<-0.1"
        raise InputError("bad_option", "fail_on", "compares several metrics at once", name, hint)
    return entry.bases[0].id, entry.how
