"""Printed numbers: how a value is printed under each rule, and which values print so."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from random import Random
from typing import Final, NamedTuple, TypeAlias

Rule: TypeAlias = Callable[[Fraction], int]


def _half_up(x: Fraction) -> int:
    return math.floor(abs(x) + Fraction(1, 2)) * (1 if x >= 0 else -1)


def _half_even(x: Fraction) -> int:
    low = math.floor(x)
    rest = x - low
    return low + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2 == 1))


#: What each rule makes of a number in units of the last digit.
RULES: Final[Mapping[str, Rule]] = {
    "half_up": _half_up,
    "half_even": _half_even,
    "truncate": math.trunc,
    "ceiling": math.ceil,
}
ROUNDINGS: Final = ("any", *RULES)


_IN_FULL_FROM: Final = 10**6
_ROOM: Final = 20


class Said(NamedTuple):
    """The values that a printed number stands for: two ends, and whether each is left out."""

    low: Fraction
    high: Fraction
    low_open: bool = False
    high_open: bool = False

    def __contains__(self, value: object) -> bool:
        assert isinstance(value, Fraction | int)
        above = value > self.low if self.low_open else value >= self.low
        return above and (value < self.high if self.high_open else value <= self.high)


_DECIMAL: Final = re.compile(r"([+-]?)(\d*)(?:[.,·](\d*))?(?:e([+-]?\d+))?(%?)", re.IGNORECASE)


def _units(text: str) -> tuple[int, Fraction]:
    """Return a decimal in units of its last digit, and the unit."""
    match = _DECIMAL.fullmatch(text.replace("−", "-").replace(" ", ""))
    assert match, text
    sign, whole, decimals, exponent, percent = match.groups("")
    unit = Fraction(10) ** (int(exponent or 0) - len(decimals) - (2 if percent else 0))
    return int(whole + decimals) * (-1 if sign == "-" else 1), unit


def exactly(text: str) -> Fraction:
    """Return the number that a text shows."""
    if "/" in text:
        top, bottom = text.split("/")
        return exactly(top) / exactly(bottom)
    units, unit = _units(text)
    return units * unit


def said_by(text: str, rounding: str, *, single: bool = False) -> Said:
    """Return what a printed number says, if it was rounded by a rule.

    With `single`, it was computed to about seven digits before.
    """
    said, text = _said_by(text.strip(), rounding), text.strip()
    if not single or text[0] in "[(=" or "±" in text or "/" in text:
        return said
    units, unit = _units(text)
    if unit > Fraction(1, 10**5):
        return said
    room = max(abs(units * unit), Fraction(1)) / 2**21
    return Said(said.low - room, said.high + room)


def _said_by(text: str, rounding: str) -> Said:
    if text[0] in "[(":
        inner, percent = text.rstrip("%")[1:-1], "%" if text.endswith("%") else ""
        low, high = re.split("[,;]", inner)
        ends = exactly(low.strip() + percent), exactly(high.strip() + percent)
        return Said(*ends, text[0] == "(", text.rstrip("%")[-1] == ")")
    if "±" in text:
        middle, spread = (part.strip() for part in text.split("±"))
        if spread.endswith("%") or middle.endswith("%"):
            middle, spread = middle.rstrip("%") + "%", spread.rstrip("%") + "%"
        return Said(exactly(middle) - exactly(spread), exactly(middle) + exactly(spread))
    if text.startswith("=") or "/" in text:
        value = exactly(text.removeprefix("="))
        return Said(value, value)
    units, unit = _units(text)
    if rounding == "any":
        return Said((units - Fraction(1, 2)) * unit, (units + Fraction(1, 2)) * unit)
    return _rounded(units, unit, RULES[rounding])


def _rounded(units: int, unit: Fraction, rule: Rule) -> Said:
    """Find the values that a rule rounds to so many units: at most one unit to either side, found in half units."""
    halves = [units + Fraction(step, 2) for step in range(-2, 3)]
    between = [units + Fraction(step, 4) for step in range(-3, 4, 2)]
    inside = [x for x in between if rule(x) == units]
    low, high = min(inside) - Fraction(1, 4), max(inside) + Fraction(1, 4)
    assert low in halves
    assert high in halves
    return Said(low * unit, high * unit, rule(low) != units, rule(high) != units)


def counted_by(value: object) -> Said:
    """Return what a count says: a number, or a range."""
    if isinstance(value, list | tuple):
        return Said(Fraction(value[0]), Fraction(value[1]))
    low, _, high = str(value).replace(",", "-").partition("-")
    return Said(Fraction(low), Fraction(high or low))


def show(value: Fraction, digits: int, rounding: str, *, percent: bool = False) -> str:
    """Print a number with so many digits; where the rule is not known, halves go up.

    From seven digits on it could be a float printed in full, which is read with some room: so there are fewer.
    """
    scaled = value * (100 if percent else 1)
    while digits and abs(scaled) * 10**digits >= _IN_FULL_FROM - _ROOM:
        digits -= 1
    units = RULES["half_up" if rounding == "any" else rounding](scaled * 10**digits)
    return in_units(units, digits) + ("%" if percent else "")


def in_units(units: int, digits: int) -> str:
    """Write a whole number of units of the last digit as a decimal."""
    text = str(abs(units)).rjust(digits + 1, "0")
    shown = f"{text[:-digits]}.{text[-digits:]}" if digits else text
    return ("-" if units < 0 else "") + shown


def disguise(text: str, random: Random) -> str:
    """Write a decimal in another of the ways that papers have."""
    if "e" in text or "%" in text or "." not in text:
        return text
    ways = [text] * 6
    if text.startswith("0."):
        ways += [text[1:], text.replace(".", ","), text.replace(".", "·"), f"+{text}"]
    if text.startswith("-"):
        ways += [text.replace("-", "−")]
    return random.choice(ways)
