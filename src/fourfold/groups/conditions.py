"""Conditions on which an audit counts as failed, for a build: ``different``, or ``recall_difference<-0.1``."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from ..errors import InputError

_FORM: Final = re.compile(r"\s*(.+?)\s*(<=|>=|<|>)\s*([-+−]?[0-9.]+(?:e[-+]?[0-9]+)?)\s*", re.IGNORECASE)
_COMPARED: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_KINDS: Final = ("difference", "ratio")


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
            raise InputError("bad_option", "fail_on", "is no condition", text, hint)
        name, kind = form[1], ""
        for known in _KINDS:
            if name.endswith(f"_{known}"):
                name, kind = name.removesuffix(f"_{known}"), known
        return cls(text, name, kind, form[2], number)

    def holds(self, value: float | None) -> bool:
        """Tell whether a number lies where the condition says; one that is undefined does not."""
        return value is not None and _COMPARED[self.sign](value, self.number)
