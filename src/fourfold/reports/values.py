"""One cell of a table of scores: its text taken apart, and put together so that `recover` reads it.

A cell says a number, and beside it perhaps a spread, an interval, or how many cases of how many; and it carries marks
that say nothing about the number: bold, asterisks, ranks, arrows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

from ..errors import InputError
from ..exact.reported import is_above_one, split_spread
from ..metrics import Limits, Metric
from .cells import MOST_DIGITS
from .vocabulary import WORDS

Bound: TypeAlias = Literal["", "~", ">", ">=", "<", "<="]

_LONGEST: Final = 120


_NOT: Final = re.compile(r"not (?:reported|computed|available|given|applicable|stated|evaluated|tested|provided)")
_SPACES: Final = str.maketrans(
    dict.fromkeys("\u00a0\u2002\u2003\u2007\u2008\u2009\u200a\u202f\t\n", " ") | {"\u200b": ""}
)
_COMMAND: Final = re.compile(
    r"\\(?:textbf|textit|emph|underline|mathbf|mathrm|text|bm|uline|bfseries|best|second)\b\s*"
)
_TAG: Final = re.compile(r"</?(?:b|strong|i|em|u|br|span|mark|small|code)\b[^<>]*>", re.IGNORECASE)
_RAISED: Final = re.compile(
    r"<sup>.{0,20}?</sup>|\^\{[^{}]{0,20}\}|\^(?:\\\w+|[\w*])|\\(?:dagger|ddagger|ast|star|uparrow|downarrow|checkmark)\b"
    r"|(?<=[\d%)\]])[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ᵃᵇᶜᵈᵉ⁎]+"
)
_LOWERED: Final = re.compile(r"_\{\s*(?:\\pm|±)?\s*([\d.,]+)\s*\}")
_MARKS: Final = re.compile(r"[*†‡§¶`✓✔✅★☆⭐🥇🥈🥉🏆↑↓▲▼△▽⬆⬇→⇑⇓]|\ufe0f|\(\s*(?:best|ours)\s*\)", re.IGNORECASE)
_ARROW_STEP: Final = re.compile(r"[(\[]?\s*[↑↓▲▼⬆⬇⇑⇓]\s*\d[\d.,]*\s*(?:%|pp)?\s*[)\]]?")
_STEP: Final = re.compile(r"[(\[]\s*[+−–-]\s*\d[\d.,]*\s*(?:%|pp|pts?|points)?\s*[)\]]|(?<=\d)\s+\+\s*\d[\d.,]*\s*%?$")
_RANK: Final = re.compile(
    r"(?<=[.,]\d)(\d*\s*%?\s*)(?:\(\s*#?\d(?:\s*\)|(?:st|nd|rd|th)\s*\))|\s\(\s*#?\d\d(?:th|st|nd|rd)?\s*\))"
)
_CITATION: Final = re.compile(r"(?<=\d)\s*%?\s*\[\s*\d{1,3}\s*\]$")
_SHARE: Final = re.compile(
    r"(?<![\d.,])[(\[]?\s*(?:n\s*=\s*)?(\d[\d,]*)\s*(?:/|of|out\s+of)\s*(\d[\d,]*)\s*[)\]]?(?![\d.]|,\d)", re.IGNORECASE
)
_COUNT_AND_SHARE: Final = re.compile(r"(\d+)\s*[(\[]\s*(\d+(?:[.,]\d+)?\s*%)\s*[)\]]")
#: A share of 1, and in brackets the same per cent.
_TWICE: Final = re.compile(r"([01]?\.\d+)\s*[(\[]\s*(\d{1,3}(?:\.\d+)?%)\s*[)\]]")
_WORDS: Final = re.compile(r"(?<=[\d%)\]])\s*\([^()\d]*\)(?!\s*[,;/]\s*[\d.]+\s*%?\s*\()")
_LETTER: Final = re.compile(r"(?<=[\d%)\]])\s?[a-d]$")
_NAMED: Final = re.compile(r"^[A-Za-z][\w .-]{0,20}[:=]\s*(?=[\d.<>~≥≤])")
_BOUND: Final = re.compile(
    r"(?:(~|≈|≃|∼|≅|ca\.?|c\.|circa|approx\.?|approximately|about|around|roughly)|(>=|≥|⩾|at\s+least)|(>|over|above|more\s+than)"
    r"|(<=|≤|⩽|at\s+most|up\s+to)|(<|below|under|less\s+than))\s*(?=[\d.])",
    re.IGNORECASE,
)
_BOUNDS: Final[tuple[Bound, ...]] = ("~", ">=", ">", "<=", "<")
_SPAN: Final = re.compile(
    r"[\[(]?\s*([+-]?\d*[.,]?\d+\s*%?)\s*(?:-|–|—|to|;|,\s)\s*([+-]?\d*[.,]?\d+)\s*(%?)\s*[\])]?\s*(%?)"
)
_SIMPLE: Final = re.compile(r"(?:\d{1,20}(?:\.\d{1,20})?|\.\d{1,20})%?", re.ASCII)
_NUMBER: Final = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,2})?%?")
_THOUSANDS: Final = re.compile(r"[1-9]\d{0,2}(?:[,.' ]\d{3})+")
_SIZE: Final = re.compile(
    r"(?:n|N|total)?\s*[=:]?\s*(\d[\d,.' ]*?)\s*(?:\(\s*\d[\d.,]*\s*%?\s*\))?\s*"
    r"(?:cases|samples|patients|subjects|participants|images|instances|records)?"
)


class Cell(NamedTuple):
    """A cell taken apart: texts of numbers with points, a percent sign where one is printed."""

    value: str | None = None
    spread: str | None = None
    interval: tuple[str, str] | None = None
    #: How many cases of how many.
    share: tuple[int, int] | None = None
    #: Whether the number is about the value, or a bound of it.
    bound: Bound = ""
    missing: bool = False
    #: What stands there and says nothing about the number.
    dropped: tuple[str, ...] = ()

    @property
    def says(self) -> bool:
        """Whether it says anything about a score."""
        return self.value is not None or self.share is not None or self.interval is not None

    @property
    def percent(self) -> bool:
        """Whether the value is printed with a percent sign."""
        return (self.value or "").endswith("%")

    @property
    def size(self) -> Decimal | None:
        """The printed number without its sign for per cent; None where there is none."""
        return None if self.value is None or "/" in self.value else abs(_number(self.value))


def plain(text: str) -> str:
    """Return a text without marks of bold, footnotes and the like."""
    text = _TAG.sub("", text[: _LONGEST * 4].translate(_SPACES))
    text = _LOWERED.sub(r" ± \1", _COMMAND.sub("", text))
    text = _RAISED.sub("", text).replace("\\%", "%").replace("\\pm", "±").replace("$", "").replace("\\,", " ")
    text = re.sub(r"(?<!\d)\{|\}(?!\d)|[{}]", "", text)
    return " ".join(text.replace("\\", " ").split())


@lru_cache(maxsize=8192)
def read_cell(text: str) -> Cell:
    """Take a cell apart.

    Examples
    --------
    >>> read_cell("**89.9%** (151/168)*").value, read_cell("**89.9%** (151/168)*").share
    ('89.9%', (151, 168))
    >>> read_cell("NR").missing, read_cell("~0.69").bound, read_cell("88,7").value
    (True, '~', '88.7')
    """
    if _SIMPLE.fullmatch(text):
        return Cell(text)
    bare = plain(text)
    said = bare.strip(" *_`()").casefold()
    if not said or said in WORDS["missing"] or _NOT.fullmatch(said):
        return Cell(missing=True)
    if len(bare) > _LONGEST or not any(character.isdigit() for character in bare):
        return Cell()
    dropped: list[str] = []

    def drop(match: re.Match[str]) -> str:
        dropped.append(match[0].strip())
        return ""

    bare = _MARKS.sub("", _STEP.sub(drop, _ARROW_STEP.sub(drop, bare))).strip(" _#")
    bare = re.sub(r"\s*(?:per\s?cent|percent|pct)\b\.?", "%", bare, flags=re.IGNORECASE)
    dropped += [match[0][len(match[1]) :].strip() for match in _RANK.finditer(bare)]
    bare = _NAMED.sub("", _CITATION.sub(drop, _RANK.sub(r"\1", bare))).strip()
    bare = _LETTER.sub("", _WORDS.sub("", bare))
    # In 46/59 = 78.0% the share is what the counts give.
    bare = re.sub(r"(?<=\d)\s*[=:,]\s*(?=\d[\d.,]*\s*%)", " ", bare) if "/" in bare or "of" in bare else bare
    if counted := _COUNT_AND_SHARE.fullmatch(bare):
        # 45 (90%): the count alone does not say of how many.
        return Cell(counted[2].replace(" ", "").replace(",", "."), dropped=(*dropped, counted[1]))
    if (twice := _TWICE.fullmatch(bare)) and (value := _finer(twice[1], twice[2])):
        return Cell(value, dropped=tuple(dropped))
    share: tuple[int, int] | None = None
    if (found := _SHARE.search(bare)) and (share := _share(found)):
        rest = bare[found.end() :]
        if rest.count(")") > rest.count("(") and bare.count("(") >= bare.count(")"):
            # The share opened a bracket that is closed later.
            rest = f"({rest.lstrip(' ;,')}"
        bare = re.sub(r"[(\[]\s*[;,]?\s*[)\]]", "", f"{bare[: found.start()]} {rest}").strip(" ;,")
        if not bare:
            return Cell(f"{share[0]}/{share[1]}", share=share, dropped=tuple(dropped))
        if (outer := re.fullmatch(r"[(\[]([^()\[\]]*)[)\]]", bare)) is not None:
            bare = outer[1]
    cell = _numbers(bare)
    return cell._replace(share=share, dropped=tuple(dropped)) if cell.says else Cell()


def _finer(share: str, percent: str) -> str | None:
    """Return the longer of a share and the same per cent; None where they are not the same number."""
    units = _unit(share), _unit(percent) / 100
    longer = percent if units[1] <= units[0] else share
    return longer if abs(_number(share) - _number(percent) / 100) <= max(units) / 2 else None


def _share(match: re.Match[str]) -> tuple[int, int] | None:
    parts = [part.replace(",", "") for part in match.groups()]
    if max(map(len, parts)) > MOST_DIGITS:
        return None
    hits, cases = map(int, parts)
    return (hits, cases) if hits <= cases and cases else None


def _numbers(bare: str) -> Cell:
    """Read a number, what stands beside it, and whether it is a bound."""
    bound: Bound = ""
    if match := _BOUND.match(bare):
        bound = next(name for name, part in zip(_BOUNDS, match.groups(), strict=True) if part)
        bare = bare[match.end() :]
    elif re.fullmatch(r"(\d*\.)?\d+\s*%?\s*\+", bare):
        bound, bare = ">=", bare.rstrip("+ ")
    bare = re.sub(r"^\+\s*", "", bare)
    try:
        value, spread, interval = split_spread(bare)
    except InputError:
        if (span := _SPAN.fullmatch(bare)) is None:
            return Cell()
        percent = "%" if span[3] or span[4] or span[1].endswith("%") else ""
        low, high = (f"{part.strip(' %').replace(',', '.')}{percent}" for part in (span[1], span[2]))
        try:
            return Cell(interval=(low, high)) if _number(low) < _number(high) else Cell()
        except InvalidOperation:
            return Cell()
    return Cell(value, spread, interval, bound=bound) if _NUMBER.fullmatch(value) else Cell()


def _number(text: str) -> Decimal:
    return Decimal(text.rstrip("%"))


def _unit(text: str) -> Decimal:
    """Return the unit of a number's last digit."""
    number = _number(text).as_tuple()
    assert isinstance(number.exponent, int)
    return Decimal(1).scaleb(number.exponent)


class Scale(NamedTuple):
    """How many numbers of a column are printed without a percent sign, how many of them are above 1; how many with."""

    numbers: int
    above: int
    signed: int = 0

    @classmethod
    def of(cls, cells: Sequence[Cell]) -> Scale:
        """Return the scale of a column."""
        sizes = [cell.size for cell in cells if cell.size is not None and not cell.percent]
        above = sum(1 for size in sizes if is_above_one(size))
        return cls(len(sizes), above, sum(1 for cell in cells if cell.percent))


class Unit(NamedTuple):
    """Whether a number is per cent, and what to say about it; None where that cannot be told."""

    percent: bool | None
    assumed: str = ""
    #: What to say where the number is the other after all, as it may be; empty where it cannot be.
    otherwise: str = ""


#: What is said once of a table whose numbers above 1 have no sign.
PER_CENT: Final = "numbers above 1 are taken as per cent"
_SHARE_OF_ONE: Final = Limits(Fraction(0), Fraction(1))
_FRACTION, _PERCENT = Unit(False), Unit(True)
_UNCLEAR: Final = Unit(None, "may be a share of 1 or per cent")
_TOO_MUCH: Final = Unit(None, "is more than 100%")


def is_share_of_one(metric: Metric | None) -> bool:
    """Tell whether a score lies between 0 and 1, so that a number above 1 can only be per cent; MCC and kappa do not.

    Examples
    --------
    >>> from fourfold.metrics import metric
    >>> is_share_of_one(metric("recall")), is_share_of_one(metric("mcc"))
    (True, False)
    """
    return metric is None or metric.limits == _SHARE_OF_ONE


def unit_of(cell: Cell, metric: Metric | None, head: bool, scale: Scale, beside: bool | None = None) -> Unit:
    """Tell whether the number of a cell is per cent.

    `head` is whether the head of its column says so, `scale` tells of the numbers of the column, and `beside` whether
    all shares of 1 in its row are printed as per cent; None where there are none. A score without a `metric` is one
    that no table decides.
    """
    if cell.value is None or cell.percent or "/" in cell.value:
        return _FRACTION
    limits = metric.limits if metric else _SHARE_OF_ONE
    size = _number(cell.value)
    as_percent = f"{cell.value} is taken as {cell.value}%"
    as_share = f"{cell.value} is taken as a share of 1, not as per cent"
    if limits.high is None:
        return _PERCENT if head else _FRACTION
    if abs(size) > 100:
        return _TOO_MUCH
    # Few print an MCC as per cent, and "MCC: 30" may be no MCC at all: other numbers must show that it is one.
    alike = scale.above == scale.numbers and scale.numbers + scale.signed > 1
    shown = is_share_of_one(metric) or beside or (beside is None and alike)
    if is_above_one(size):
        if head:
            return _PERCENT
        if abs(size) < 2 and scale.above == 1 and scale.numbers > 2:
            return _UNCLEAR
        if not shown:
            return Unit(None, f"lies outside {limits}, and nothing says that it is per cent")
        return Unit(True, PER_CENT if scale.above == scale.numbers else as_percent)
    if not head and not scale.above:
        return _FRACTION
    if cell.interval is not None:
        low, high = map(_number, cell.interval)
        if low <= size <= high and is_above_one(high):
            # 0.8 (0.2-2.1) is no share.
            return Unit(True, "" if head else as_percent) if head or shown else _UNCLEAR
    if cell.share is not None and size:
        hits, cases = cell.share
        share = 100 * hits / cases
        return _PERCENT if abs(share - float(size)) < abs(share - 100 * float(size)) else _FRACTION
    if size == 0:
        return Unit(True, otherwise=as_share) if scale.above else _FRACTION
    if metric is not None and metric.better == "lower":
        if head or 2 * scale.above > scale.numbers:
            return Unit(True, otherwise=as_share)
        return _UNCLEAR if 2 * scale.above == scale.numbers else Unit(False, otherwise=as_percent)
    return Unit(False, as_share if head else "", as_percent)


def score_text(cell: Cell, percent: bool, limits: Limits) -> tuple[str, str]:
    """Return a cell as a text that `recover` reads, and what was assumed for it.

    Examples
    --------
    >>> from fourfold.metrics import metric
    >>> score_text(read_cell("79.0 (76.0-81.2)"), True, metric("acc").limits)
    ('79.0% (76.0%, 81.2%)', '')
    >>> score_text(read_cell(">0.88"), False, metric("acc").limits)
    ('(0.88, 1]', '')
    """
    sign = "%" if percent else ""
    if cell.value is None:
        assert cell.interval is not None
        low, high = cell.interval
        half = min(_unit(low), _unit(high)) / 2
        sign = "%" if low.endswith("%") else sign
        text = f"[{_number(low) - half}, {_number(high) + half}]{sign}"
        return text, f"{low} to {high} is taken as a range of the score"
    value = cell.value if cell.value.endswith("%") or "/" in cell.value else cell.value + sign
    if cell.bound:
        return _bounded(cell.bound, value, limits)
    if cell.spread is not None:
        return f"{value} ± {_with(cell.spread, value)}", ""
    if cell.interval is not None:
        low, high = (_with(end, value) for end in cell.interval)
        return f"{value} ({low}, {high})", ""
    return value, ""


def _with(beside: str, value: str) -> str:
    """Return a spread or an end of an interval with the percent sign of its value."""
    return beside if beside.endswith("%") or not value.endswith("%") else f"{beside}%"


def _bounded(bound: Bound, value: str, limits: Limits) -> tuple[str, str]:
    sign = "%" if value.endswith("%") else ""
    scale = 100 if sign else 1
    number = _number(value)
    if bound == "~":
        unit = _unit(value)
        low, high = number - unit, number + unit
        return f"[{low}, {high}]{sign}", f"~{value} is taken as {low}{sign} to {high}{sign}"
    if bound in (">", ">="):
        top = "1e9" if limits.high is None else str(limits.high * scale)
        return f"{'(' if bound == '>' else '['}{number}, {top}]{sign}", ""
    return f"[{limits.low * scale}, {number}{')' if bound == '<' else ']'}{sign}", ""


def read_size(text: str) -> int | None:
    """Return a number of cases; None where a text says none.

    Examples
    --------
    >>> read_size("n=2400"), read_size("2,400"), read_size("50 (25%)"), read_size("not reported"), read_size("~50")
    (2400, 2400, 50, None, None)
    """
    bare = _MARKS.sub("", plain(text)).strip()
    match = _SIZE.fullmatch(bare)
    if match is None:
        return None
    digits = match[1].strip()
    digits = re.sub(r"\D", "", digits) if _THOUSANDS.fullmatch(digits) else re.sub(r"\.0+$", "", digits)
    return int(digits) if digits.isdigit() and len(digits) <= MOST_DIGITS else None
