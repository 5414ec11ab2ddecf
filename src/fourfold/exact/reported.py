"""A number as printed: text in, exact interval out.

``0.890`` says more than ``0.89``: a reported number is the interval of all values that print as it does. Ends are
`Fraction`, so that verdicts built on them are exact.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Annotated, Any, Final, NamedTuple

import numpy as np

from ..errors import InputError, Note, Notes
from ..shape import Record
from .surd import Exact


class _Ends(NamedTuple):
    low: Fraction
    high: Fraction
    low_open: bool = False
    high_open: bool = False


# A printed number in units of its last digit becomes the ends in half units, and whether each is left out.
_Rule = Callable[[int], tuple[int, int, bool, bool]]
#: Rounding rules by name. "any" is closed at both ends: no one says how they rounded.
ROUNDINGS: Final[Mapping[str, _Rule]] = MappingProxyType(
    {
        "any": lambda n: (2 * n - 1, 2 * n + 1, False, False),
        # Halves go away from zero, as in decimal's ROUND_HALF_UP: 0 is the only value with neither end.
        "half_up": lambda n: (2 * n - 1, 2 * n + 1, n <= 0, n >= 0),
        "half_even": lambda n: (2 * n - 1, 2 * n + 1, n % 2 == 1, n % 2 == 1),
        "truncate": lambda n: (2 * n - 2 * (n <= 0), 2 * n + 2 * (n >= 0), n <= 0, n >= 0),
        "ceiling": lambda n: (2 * n - 2, 2 * n, True, False),
    }
)

# Longer texts are no printed numbers; exact arithmetic with thousands of digits would take long.
_LONGEST: Final = 100


class _FloatType(NamedTuple):
    """A type of floats: how a number of it that was printed in full is told, and what it can be off by."""

    type: type[np.floating[Any]]
    #: The fewest significant digits.
    digits: int
    #: Four times what the floats that it was computed in round off near 1.
    unit: Fraction
    #: A larger share of a number is never taken for an error of its computation.
    most: Fraction


_DOUBLE: Final = _FloatType(np.float64, 15, Fraction(1, 2**51), Fraction(1, 2**20))
_SINGLE: Final = _FloatType(np.float32, 6, Fraction(1, 2**22), Fraction(1, 2**10))
# Nothing is computed in these, numbers are only kept so.
_HALF: Final = _FloatType(np.float16, 3, Fraction(1, 2**22), Fraction(1, 2**10))
# A text that reads like one of 32 bits may as well be a number that was rounded: it is off by what keeping it costs.
_LIKE_SINGLE: Final = _FloatType(np.float32, 7, Fraction(1, 2**51), Fraction(1, 2**20))
_SHORT_TYPES: Final[Mapping[type, _FloatType]] = MappingProxyType({kind.type: kind for kind in (_HALF, _SINGLE)})
_SHORTEST_IN_FULL: Final = 10 ** (_LIKE_SINGLE.digits - 1)
# More digits than a float of 32 bits has by itself: Python shows as many of it as of one of 64.
_MORE_THAN_SINGLE: Final = 10
# A float that is printed down to this place is in full with fewer digits, too: it is left of a difference near 1.
_LAST_PLACE: Final = Fraction(1, 10**15)
# numpy prints arrays with 8 decimals: what was kept in 32 bits is rounded a second time.
_ARRAYS_IN_UNITS: Final = 10**8
# A score computed in 32 bits is seldom off by more, half a millionth: as a share of it where it is above 1.
_ROOM_OF_SINGLE: Final = Fraction(1, 2**21)
# With fewer decimals than five that is next to nothing beside what rounding leaves open, unless the cases are so many
# that a share of them can be this near to the middle between two printed numbers.
_COARSEST_OF_SINGLE: Final = Fraction(1, 10**5)
_NEAR_EACH_OTHER: Final = Fraction(1, 2**23)
_NUMBER: Final = re.compile(r"([+-]?)(\d*)(?:[.](\d*))?(?:e([+-]?\d{1,2}))?(%?)", re.IGNORECASE | re.ASCII)
_INTERVAL: Final = re.compile(r"([\[(])([^,;]+)[,;]([^,;]+)([\])])(%?)")
_DECIMAL_COMMA: Final = re.compile(r"([+-]?\d*),(\d+)(%?)")
# Two numbers side by side are not one.
_GLUED: Final = re.compile(r"[\d.]\s+[\d.]")
_HINT: Final = "write it as printed, such as 0.85, 85.0%, [0.81, 0.86], 3/10 or =0.5"


@dataclass(frozen=True, slots=True)
class Reported(Record):
    """What a printed number says: an interval with exact ends.

    Examples
    --------
    >>> Reported.read("85.0%")
    Reported('85.0%': [0.8495, 0.8505])
    >>> Reported.read("0.85", rounding="truncate")
    Reported('0.85': [0.85, 0.86))
    >>> Fraction(17, 20) in Reported.read("0.850")
    True
    """

    text: Annotated[str, "The score as printed."]
    low: Annotated[Fraction, "The smallest value that prints like this, exact.", str]
    high: Annotated[Fraction, "The largest value that prints like this, exact.", str]
    low_open: Annotated[bool, "Whether the smallest value itself is left out."] = False
    high_open: Annotated[bool, "Whether the largest value itself is left out."] = False
    rounding: Annotated[str, "How the score was assumed to be rounded."] = "any"
    notes: Notes = ()

    @classmethod
    def read(
        cls,
        value: object,
        *,
        rounding: str = "any",
        argument: str = "value",
        float_error: Callable[[], float] | None = None,
    ) -> Reported:
        """Read a reported number.

        Parameters
        ----------
        value
            Text as printed: a decimal ``0.85``, a percentage ``85.0%``, an interval ``[0.81, 0.86]`` (round brackets
            leave an end out), ``0.85 ± 0.01``, a fraction ``3/10`` or an exact ``=0.5``. A `Decimal` is read as its
            text and a `Fraction` as exact. A float is read by the shortest text of its type, with a note: trailing
            zeros are lost in it.
        rounding
            How a decimal or a percentage was rounded, one of `ROUNDINGS`.
        argument
            What to call the number in an error.
        float_error
            Returns how far off the number can be if it was computed in floats and printed in full, in units of what
            they round off near 1; for numbers above 1, that many times their size. Without it, two units in the last
            place are assumed.
        """
        if not isinstance(rounding, str) or rounding not in ROUNDINGS:
            raise InputError("bad_option", "rounding", "unknown rule", rounding, f"one of {', '.join(ROUNDINGS)}")
        if isinstance(value, Fraction):
            return cls(str(value), value, value, rounding="exact")
        if type(value) is str and (known := short_decimal(value, rounding)) is not None:
            return known
        text, notes = _as_text(value, argument)
        try:
            ends, rule = _read(text, rounding, _Computed(type(value), float_error))
        except (ValueError, ZeroDivisionError):
            raise InputError("bad_number", argument, "is not a reported number", value, _HINT) from None
        low, high, low_open, high_open = ends
        if rule == "interval" and (low > high or (low == high and (low_open or high_open))):
            problem = "is an interval upside down or empty"
            raise InputError("bad_number", argument, problem, value, "put the low end first")
        return cls(text, *ends, rounding=rule, notes=notes)

    def as_single(self, cases: int = 0) -> Reported:
        """Return what the text says of a number that was computed to about seven digits before it was rounded.

        So are 32-bit floats, what is computed from them, and shares of counts to which a program adds a little so that
        nothing is divided by zero. It is the number itself where its digits are too few to show that.

        Parameters
        ----------
        cases
            How many cases there are at most. The more there are, the nearer a share can be to the middle between two
            printed numbers, where a small error changes how it is rounded.

        Examples
        --------
        >>> Fraction(27, 29) in Reported.read("0.931035"), Fraction(27, 29) in Reported.read("0.931035").as_single()
        (False, True)
        """
        if self.rounding not in ROUNDINGS:
            return self
        match = _decimal_in(self.text)
        units, up, down = _in_units(match)
        number, unit = Fraction(units * up, down), Fraction(up, down)
        if unit > max(_COARSEST_OF_SINGLE, cases * _NEAR_EACH_OTHER):
            return self
        room = _ROOM_OF_SINGLE * max(Fraction(1), abs(number))
        return replace(self, low=self.low - room, high=self.high + room, low_open=False, high_open=False)

    def within(self, low: Fraction, high: Fraction | None) -> Reported:
        """Return the number with room for an error of 32-bit floats, where only that takes it beyond limits of 1 or -1.

        It is the number itself where it reaches the limits, and where such an error does not explain it.

        Examples
        --------
        >>> Fraction(1) in Reported.read("1.0000001").within(Fraction(0), Fraction(1))
        True
        >>> Fraction(1) in Reported.read("1.00001").within(Fraction(0), Fraction(1))
        False
        """
        if self.rounding not in ROUNDINGS:
            return self
        over = high is not None and abs(high) == 1 and high < self.low <= high + _ROOM_OF_SINGLE
        under = abs(low) == 1 and low - _ROOM_OF_SINGLE <= self.high < low
        if not over and not under:
            return self
        wide = replace(self, low=self.low - _ROOM_OF_SINGLE, high=self.high + _ROOM_OF_SINGLE)
        return replace(wide, low_open=False, high_open=False)

    def __contains__(self, value: Exact | int | None) -> bool:
        # What is undefined lies nowhere.
        if value is None:
            return False
        above = value > self.low if self.low_open else value >= self.low
        return above and (value < self.high if self.high_open else value <= self.high)

    def __repr__(self) -> str:
        left, right = "(" if self.low_open else "[", ")" if self.high_open else "]"
        return f"Reported({self.text!r}: {left}{_decimal(self.low)}, {_decimal(self.high)}{right})"


def is_above_one(number: Fraction | Decimal) -> bool:
    """Tell whether a number is above 1, or below -1, by more than an error of 32-bit floats.

    Examples
    --------
    >>> is_above_one(Decimal("1.01")), is_above_one(Decimal("1.0000000000000002")), is_above_one(Decimal("-1.0000001"))
    (True, False, False)
    """
    return not -1 <= number <= 1 and abs(Fraction(number)) > 1 + _ROOM_OF_SINGLE


def _as_text(value: object, argument: str) -> tuple[str, tuple[Note, ...]]:
    """Return a number as its text, with a note where trailing zeros may be lost."""
    if isinstance(value, (str, Decimal)):
        return str(value), ()
    if isinstance(value, bool) or not isinstance(value, int | float | np.floating | np.integer):
        raise InputError("bad_number", argument, "is not a reported number", value, _HINT)
    text = str(value)
    words = f"{argument} was read as '{text}'; give it as text to keep trailing zeros"
    return text, (Note("float_read_as_text", words, {"argument": argument, "text": text}),)


# A review prints the same few hundred decimals again and again.
@lru_cache(maxsize=4096)
def short_decimal(text: str, rounding: str) -> Reported | None:
    """Return a plain decimal or percentage of few digits; None where it needs a closer look."""
    digits = text[2:]
    if text[:2] == "0." and len(digits) < _LIKE_SINGLE.digits and digits.isascii() and digits.isdigit():
        # Most scores are written so.
        units, up, down = int(digits), 1, 10 ** len(digits)
    else:
        match = _NUMBER.fullmatch(text) if len(text) < _LIKE_SINGLE.digits else None
        if match is None or match[4] or not (match[2] or match[3]):
            return None
        units, up, down = _in_units(match)
    return Reported(text, *_ends(units, up, down, rounding), rounding)


class _Computed(NamedTuple):
    """What is known of how a number was computed: the type of its value, and how far off it can be."""

    type: type
    error: Callable[[], float] | None


def _read(text: str, rounding: str, computed: _Computed) -> tuple[_Ends, str]:
    """Return the ends and the name of the rule that made them."""
    if len(text) > _LONGEST:
        raise ValueError
    if match := _NUMBER.fullmatch(text):
        return _rounded(match, rounding, computed), rounding
    if _GLUED.search(text):
        raise ValueError
    plain = _in_usual_signs(text)
    if match := _INTERVAL.fullmatch(plain):
        opening, low, high, closing, percent = match.groups()
        return _Ends(_exact(low + percent), _exact(high + percent), opening == "(", closing == ")"), "interval"
    if "±" in plain:
        return _around(*plain.split("±", 1)), "interval"
    if plain.startswith("=") or "/" in plain:
        exact = _exact(plain.removeprefix("="))
        return _Ends(exact, exact), "exact"
    return _rounded(_decimal_in(plain), rounding, computed), rounding


def _in_usual_signs(text: str) -> str:
    plain = "".join(text.split()).replace("−", "-").replace("–", "-").replace("+/-", "±").replace("+-", "±")
    return plain.replace("·", ".")


def _decimal_in(text: str) -> re.Match[str] | None:
    """Return the parts of a decimal or a percentage, whatever signs it is written with."""
    return _NUMBER.fullmatch(_with_point(_in_usual_signs(text)))


def _ends(units: int, up: int, down: int, rounding: str) -> _Ends:
    """Return all that a rule rounds to this many units of a last digit."""
    low, high, low_open, high_open = ROUNDINGS[rounding](units)
    return _Ends(Fraction(low * up, 2 * down), Fraction(high * up, 2 * down), low_open, high_open)


def _rounded(match: re.Match[str] | None, rounding: str, computed: _Computed) -> _Ends:
    """Return all that a rule rounds to a decimal, and a little more where it is a float printed in full."""
    units, up, down = _in_units(match)
    ends = _ends(units, up, down, rounding)
    divisor = 100 if match is not None and match[5] else 1
    in_array = up * divisor * _ARRAYS_IN_UNITS == down
    if abs(units) < _SHORTEST_IN_FULL and computed.type not in _SHORT_TYPES and not in_array:
        return ends
    number = Fraction(units * up * divisor, down)
    kind = _printed_in_full(number, Fraction(up, down), len(str(abs(units))), computed)
    if kind is _LIKE_SINGLE and in_array:
        half = Fraction(float(np.spacing(np.float32(float(number))))) / (2 * divisor)
        return _Ends(ends.low - abs(half), ends.high + abs(half))
    return ends if kind is None else _with_room(ends, kind, number, divisor, computed.error)


def _printed_in_full(number: Fraction, unit: Fraction, digits: int, computed: _Computed) -> _FloatType | None:
    """Return of which type a number is that was computed and printed in full; None where it was rounded for print."""
    if computed.type in _SHORT_TYPES:
        kind = _SHORT_TYPES[computed.type]
        return kind if digits >= kind.digits else None
    largest = float(np.finfo(np.float32).max)
    single = np.float32(min(max(float(number), -largest), largest))
    if digits >= _MORE_THAN_SINGLE:
        in_full = digits >= _DOUBLE.digits or (computed.error is not None and unit <= _LAST_PLACE)
        # Spreadsheets keep no more than 15 or 16 digits. What is short but for zeros at its end is no such float.
        near = float(single) == float(number) or (in_full and abs(Fraction(float(single)) - number) <= unit / 2)
        if near and len(Decimal(repr(float(single))).normalize().as_tuple().digits) >= _MORE_THAN_SINGLE:
            return _SINGLE
        return _DOUBLE if in_full else None
    return _LIKE_SINGLE if Fraction(str(single)) == number else None


def _with_room(
    ends: _Ends, kind: _FloatType, number: Fraction, divisor: int, error: Callable[[], float] | None
) -> _Ends:
    """Return the ends with room for what a float rounds off, and for what its computation did."""
    if kind is _DOUBLE and error is None:
        room = max(abs(ends.low), abs(ends.high)) / 2**50
        return _Ends(ends.low - room, ends.high + room)
    value = kind.type(float(number))
    below, above = (
        (Fraction(float(value)) + Fraction(float(np.nextafter(value, kind.type(end))))) / (2 * divisor)
        for end in (np.finfo(kind.type).min, np.finfo(kind.type).max)
    )
    size = abs(number) / divisor
    room = 2 * kind.unit * size
    if error is not None:
        room = min(kind.unit * Fraction(error()), kind.most) * max(size, Fraction(1))
    if kind is _DOUBLE:
        # What was computed may have been rounded to a digit or two less before it was printed.
        below, above = min(below, ends.low), max(above, ends.high)
    low, high = below - room, above + room
    return _Ends(
        min(low, ends.low), max(high, ends.high), ends.low_open and ends.low < low, ends.high_open and ends.high > high
    )


def _around(middle: str, spread: str) -> _Ends:
    """Read ``0.85 ± 0.01``; a % sign behind either or a bracket around both counts for both."""
    if middle.startswith("(") and spread.endswith(")%"):
        middle, spread = middle[1:], spread[:-2] + "%"
    if spread.endswith("%") and not middle.endswith("%"):
        if not is_above_one(_exact(middle)):
            raise ValueError  # a fraction give or take per cent: of what?
        middle += "%"
    if middle.endswith("%") and not spread.endswith("%"):
        spread += "%"
    centre, width = _exact(middle), _exact(spread)
    return _Ends(centre - width, centre + width)


def _exact(text: str) -> Fraction:
    if "/" in text:
        top, bottom = text.split("/")
        if "%" in text:
            raise ValueError
        return _exact(top) / _exact(bottom)
    units, up, down = _in_units(_NUMBER.fullmatch(_with_point(text)))
    return Fraction(units * up, down)


def _with_point(text: str) -> str:
    """Return a decimal with a comma as one with a point."""
    if match := _DECIMAL_COMMA.fullmatch(text):
        # 1,234 may be a thousand and more; 0,85 and 85,0 can only be decimals.
        if match[1].lstrip("+-") not in ("", "0") and len(match[2]) == 3:
            raise ValueError
        return f"{match[1]}.{match[2]}{match[3]}"
    return text


def _in_units(match: re.Match[str] | None) -> tuple[int, int, int]:
    """Return a decimal in units of its last digit, and that unit as numerator and denominator."""
    if not match or not (match[2] or match[3]):
        raise ValueError
    sign, whole, decimals, exponent, percent = match.groups("")
    units = int(whole + decimals)
    power = int(exponent or 0) - len(decimals) - (2 if percent else 0)
    up, down = (10**power, 1) if power > 0 else (1, 10**-power)
    return -units if sign == "-" else units, up, down


def _decimal(x: Fraction) -> str:
    """Write a rational as a decimal where it has one, for people who debug."""
    shown = Decimal(x.numerator) / Decimal(x.denominator)
    return f"{shown.normalize():f}" if Fraction(shown) == x else str(x)


class Spread(NamedTuple):
    """A printed number taken apart: texts that `Reported.read` reads, a % sign where one was meant.

    At most one of `spread` and `interval` is there. A spread may be a standard deviation, a standard error or the half
    of an interval: the text does not say.
    """

    value: str
    spread: str | None = None
    interval: tuple[str, str] | None = None


# A number whose decimals start with @.
_SIGNED: Final = r"[+~-]?(?:\d+(?:@\d+)?|@\d+)(?:e[+-]?\d{1,2})?\s*%?"
_LEVEL: Final = r"(?:\d\d(?:[.,]\d)?\s*%|\d\d(?![\d.,%]))?"
_CONFIDENCE: Final = (
    r"(?:bootstrap(?:ped)?\s+)?(?:CIs?|C\.I\.|CrI|confidence\s+(?:interval|limits?)|credible\s+interval)"
)
_CALLED: Final = rf"(?:{_LEVEL}[\s-]*{_CONFIDENCE}\s*{_LEVEL}|{_LEVEL}\s*range)\s*[:=,]?"
_DEVIATION: Final = r"(?:(?:std|sd|s\.d\.|se|s\.e\.|sem|σ)\.?\s*[:=]?|±)?"
# The second of two dashes may be a sign, so that each way is tried.
_BETWEEN: Final = (r"\s*(?:to|;|,|\.\.\.?|…)\s*", r"\s*[-~]\s*", r"\s*--\s*")
# A true minus, here ~, is hardly ever a dash.
# Some journals print decimals with a raised point.
_DASHES: Final = str.maketrans("−‐‑‒–—―·", "~------.")


def split_spread(text: str) -> Spread:
    """Take a printed number apart: the value, and the spread or the interval that stands beside it.

    Parameters
    ----------
    text
        ``0.957 ± 0.012``, ``0.957 (0.012)``, ``0.91 (0.88-0.93)``, ``91.2% (95% CI 88.1-93.4)``,
        ``0.91 [0.88, 0.93]`` or just a number. Decimal commas become points.

    Returns
    -------
    Spread
        Value, spread and interval, each as text.

    Examples
    --------
    >>> split_spread("91.2% (95% CI 88.1–93.4)")
    Spread(value='91.2%', spread=None, interval=('88.1%', '93.4%'))
    >>> split_spread("0,957 ± 0,012")
    Spread(value='0.957', spread='0.012', interval=None)
    """
    return _taken_apart(text)[0]


def interval_level(text: str) -> Fraction | None:
    """Return the level that is printed with an interval; None where none is, and the interval may be of any.

    Examples
    --------
    >>> interval_level("91.2% (95% CI 88.1–93.4)"), interval_level("0.91 (0.88-0.93)")
    (Fraction(19, 20), None)
    """
    level = re.search(r"\d\d(?:[.,]\d)?", _taken_apart(text)[1])
    return _exact(_text_of(level[0]) + "%") if level else None


def is_range(text: str) -> bool:
    """Tell whether a printed interval is called a range of values, and not one of confidence."""
    return "range" in _taken_apart(text)[1].casefold()


def _taken_apart(text: str) -> tuple[Spread, str]:
    """Return a printed number taken apart, and what an interval beside it is called."""
    shown = text if isinstance(text, str) else repr(text)
    plain = " ".join(shown.translate(_DASHES).replace("\\pm", "±").replace("$", " ").replace("\\%", "%").split())
    plain = re.sub(r"\+\s?/?\s?[~-]", "±", plain)
    if isinstance(text, str) and len(plain) <= _LONGEST:
        # A comma is a decimal sign where no point is, and a separator otherwise.
        for point in (r"\.", ",") if "." not in re.sub(r"\.{2,}|[A-Za-z]\.", "", plain) else (r"\.",):
            spread = _split(plain, point)
            if spread is not None:
                return spread
    raise InputError("bad_number", "value", "is not a number with its spread", text, _SPREAD_HINT)


_SPREAD_HINT: Final = "write it as printed, such as 0.85 ± 0.01, 0.85 (0.01) or 0.85 (0.81-0.88)"


def _split(plain: str, point: str) -> tuple[Spread, str] | None:
    """Take a text apart whose decimals start with a point or a comma; None where it cannot be read so."""
    spread = _with_deviation(plain, point)
    return (spread, "") if spread is not None else _with_interval(plain, point)


def _with_deviation(plain: str, point: str) -> Spread | None:
    """Read a number alone, or with its spread."""
    number = _SIGNED.replace("@", point)
    outer = re.fullmatch(r"[(\[]([^()\[\]]*)[)\]]\s*(%?)", plain)
    if outer and "±" in outer[1]:
        plain = outer[1] + outer[2]
    if match := re.fullmatch(rf"({number})", plain):
        return Spread(_text_of(match[1]))
    if match := re.fullmatch(rf"({number})\s*±\s*({number})", plain):
        return _beside(*map(_text_of, match.groups()))
    if match := re.fullmatch(rf"({number})\s*[(\[]\s*{_DEVIATION}\s*({number})\s*[)\]]\s*(%?)", plain, re.IGNORECASE):
        value, spread = _text_of(match[1]), _text_of(match[2])
        if "." in value and spread.isdigit() and f"{match[1]}(" in plain:
            # 0.957(12) tells how uncertain the last digits are.
            spread = str(Decimal(spread).scaleb(-len(value.rstrip("%").partition(".")[2])))
        return _beside(value, spread + match[3])
    return None


def _with_interval(plain: str, point: str) -> tuple[Spread, str] | None:
    """Read a number with an interval, and what that is called."""
    # (95% CI [0.88, 0.93]) has one pair of brackets too many.
    plain = re.sub(r"\(([^()\[\]]*)\[([^()\[\]]*)\]\s*\)", r"(\1\2)", plain)
    number = _SIGNED.replace("@", point)
    inside = rf"(?:{_CALLED})?\s*({number})@({number})(?:\s*[,;]\s*{_CALLED})?"
    in_brackets = rf"[,;:]?\s*(?:{_CALLED}\s*)?[(\[]\s*{inside}\s*[)\]]\s*(%?)"
    for beside in (in_brackets, rf"[,;:]?\s*(?={_CALLED}){inside}()"):
        ends = {
            _between(*map(_text_of, match.groups())): plain[match.end(1) : match.start(2)] + plain[match.end(3) :]
            for between in _BETWEEN
            if (match := re.fullmatch(rf"({number})\s*{beside.replace('@', between)}", plain, re.IGNORECASE))
        }
        ordered = [spread for spread in ends if spread is not None]
        if len(ordered) > 1:
            ordered = [spread for spread in ordered if _holds_value(spread)]
        if len(ordered) == 1:
            return ordered[0], ends[ordered[0]]
    return None


def _text_of(number: str) -> str:
    return "".join(number.split()).replace(",", ".").replace("~", "-")


def _beside(value: str, spread: str) -> Spread | None:
    """Return a value with its spread; a % sign behind either counts for both."""
    if spread.startswith("-"):
        return None
    if spread.endswith("%") and not value.endswith("%"):
        if not is_above_one(_exact(value)):
            return None  # a fraction give or take per cent: of what?
        value += "%"
    if value.endswith("%") and not spread.endswith("%"):
        spread += "%"
    return Spread(value, spread.removeprefix("+"))


def _between(value: str, low: str, high: str, percent: str) -> Spread | None:
    """Return a value with its interval; a % sign behind the last or the value counts for all."""
    high += percent if not high.endswith("%") else ""
    if high.endswith("%") and not low.endswith("%"):
        low += "%"
    if high.endswith("%") and not value.endswith("%") and is_above_one(_exact(value)):
        value += "%"
    if value.endswith("%") and not high.endswith("%"):
        low, high = f"{low.removesuffix('%')}%", f"{high}%"
    return Spread(value, None, (low, high)) if _exact(low) <= _exact(high) else None


def _holds_value(spread: Spread) -> bool:
    assert spread.interval is not None
    low, high = map(_exact, spread.interval)
    return low <= _exact(spread.value) <= high
