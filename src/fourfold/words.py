"""Numbers and lists as words: nowhere else are they formatted."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import zip_longest
from typing import Any, Final


def number(x: float | None, digits: int = 4) -> str:
    """Return a score as text; a number too large or too small for decimals keeps its digits.

    Examples
    --------
    >>> number(0.85), number(None), number(12345.678), number(1e-7)
    ('0.8500', 'undefined', '12345.7', '1e-07')
    """
    if x is None or x != x:
        return "undefined"
    if x and not 10**-digits <= abs(x) < 1000:
        return f"{x:.6g}"
    return f"{x:.{digits}f}"


def count_of(count: int, noun: str) -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> count_of(1, "case"), count_of(12, "case"), count_of(3, "class")
    ('1 case', '12 cases', '3 classes')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}{'es' if noun.endswith('s') else 's'}"


def chance(x: float | None) -> str:
    """Return a probability as text, small ones with two digits.

    Examples
    --------
    >>> chance(0.0312), chance(3.61e-8), chance(0.0), chance(None)
    ('0.0312', '3.6e-08', '< 1e-30', '-')
    """
    if x is None:
        return "-"
    if x < 1e-30:
        # Also a 0: it is what floats have for less than 1e-308.
        return "< 1e-30"
    return f"{x:.4f}" if x >= 0.001 else f"{x:.1e}"


def p_words(x: float | None) -> str:
    """Return a p-value in a sentence.

    Examples
    --------
    >>> p_words(0.0115), p_words(1e-40)
    ('p = 0.0115', 'p < 1e-30')
    """
    text = chance(x)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def percent(x: float) -> str:
    """Return a share in per cent, with as many digits as tell it from zero.

    Examples
    --------
    >>> percent(0.022), percent(0), percent(0.000004)
    ('2.2 %', '0 %', '0.0004 %')
    """
    value = 100 * x
    return f"{value:.1f} %" if value >= 0.1 else f"{value:.1g} %"


def listed(names: Sequence[str]) -> str:
    """Return names in a row, the last one after an and."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def told_once(texts: Iterable[str]) -> list[str]:
    """Return texts, those that differ in a whole number only as one, where the first of them stands.

    Examples
    --------
    >>> told_once(["means over 10 folds", "one set", "means over 5 folds", "means over 6 folds", "means over 7 folds"])
    ['means over 5 to 7 or 10 folds', 'one set']
    """
    alike: dict[str, list[tuple[int, ...]]] = {}
    for text in texts:
        alike.setdefault(_NUMBER.sub("\0", text), []).append(tuple(map(int, _NUMBER.findall(text))))
    kept_texts = []
    for frame, rows in alike.items():
        columns = [sorted(set(column)) for column in zip(*rows, strict=True)]
        if sum(len(column) > 1 for column in columns) > 1:
            kept_texts += [_filled(frame, map(str, row)) for row in dict.fromkeys(rows)]
        else:
            kept_texts.append(_filled(frame, map(_ranges, columns)))
    return kept_texts


_NUMBER: Final = re.compile(r"(?<![\w.])\d+(?![\w.])")


def _filled(frame: str, words: Iterable[str]) -> str:
    return "".join(piece + word for piece, word in zip_longest(frame.split("\0"), words, fillvalue=""))


def _ranges(numbers: Sequence[int]) -> str:
    """Return whole numbers, smallest first, in words: three neighbours or more as a range."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    short = [[f"{run[0]} to {run[-1]}"] if len(run) > 2 else [str(number) for number in run] for run in runs]
    return either([word for run in short for word in run])


def either(names: Sequence[str]) -> str:
    """Return names in a row, the last one after an or.

    Examples
    --------
    >>> either(["Wald", "Wilson", "logit"]), either(["Wald"])
    ('Wald, Wilson or logit', 'Wald')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def decimals(text: str) -> int:
    """Return how many decimals a printed score has, as a fraction.

    Examples
    --------
    >>> decimals("0.850"), decimals("85.0%"), decimals("3/10")
    (3, 3, 4)
    """
    match = re.fullmatch(r"\s*[-+−]?\d*[.,]?(\d*)\s*(%?)\s*", text)
    return len(match[1]) + (2 if match[2] else 0) if match else 4


def clear_of(
    value: Fraction, inside: Callable[[Fraction], bool], digits: int, *, way: str = "nearest", percent: bool = False
) -> str:
    """Return a number with so many digits that it is seen to lie outside of an interval.

    It is rounded up or down where it is the end of a range, so that the sentence stays true of the range.

    Examples
    --------
    >>> clear_of(Fraction(17001, 20000), lambda x: x <= Fraction("0.85"), 4)
    '0.85005'
    >>> clear_of(Fraction(42, 46), lambda x: False, 4, way="up")
    '0.9131'
    """
    for more in range(digits, digits + 12):
        scaled = value * 10**more
        units = round(scaled) if way == "nearest" else math.floor(scaled) if way == "down" else math.ceil(scaled)
        rounded = Fraction(units, 10**more)
        if not inside(rounded):
            break
    shown = more - 2 if percent else more
    whole, rest = divmod(abs(units), 10**shown)
    return f"{'-' if units < 0 else ''}{whole}{f'.{rest:0{shown}d}' if shown else ''}{'%' if percent else ''}"


def level(x: float) -> str:
    """Return a level in per cent.

    Examples
    --------
    >>> level(0.95), level(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * x:g} %"


def between(low: float | None, high: float | None, digits: int = 4) -> str:
    """Return an interval as text; an end without limit says so.

    Examples
    --------
    >>> between(0.19, 0.5), between(None, None), between(1.2, float("inf"))
    ('0.1900 to 0.5000', '-', '1.2000 or more')
    """
    if low is None or high is None:
        return "-"
    # With few digits a small end is 0.00, not 1e-05.
    low_text, high_text = (number(0.0 if digits < 4 and abs(end) < 10**-digits else end, digits) for end in (low, high))
    return f"{low_text} or more" if high == float("inf") else f"{low_text} to {high_text}"


def span(low: float | None, high: float | None, digits: int) -> str:
    """Return an interval in as little room as a column of many has; one number where both ends look alike.

    Examples
    --------
    >>> span(0.92, 0.98, 3), span(0.5, 0.5, 3), span(46, 48, 0), span(None, None, 3)
    ('0.920-0.980', '0.500', '46-48', 'undefined')
    """
    if low is None or high is None:
        return number(None)
    first, last = f"{low:.{digits}f}", f"{high:.{digits}f}"
    return first if first == last else f"{first}-{last}"


def signed(x: float | None) -> str:
    """Return a difference with its sign, to two digits, or more where they tell it from zero.

    Examples
    --------
    >>> signed(-0.384), signed(0.0789), signed(0.004), signed(0.0), signed(None)
    ('−0.38', '+0.08', '+0.004', '0.00', '-')
    """
    if x is None or x != x:
        return "-"
    if abs(x) == float("inf"):
        return "no limit"
    text = f"{abs(x):.2f}" if not x or 0.01 <= abs(x) < 100 else f"{abs(x):.3g}" if abs(x) >= 100 else f"{abs(x):.1g}"
    return f"{'−' if x < 0 else '+' if x else ''}{text}"


def effect(value: float | None, low: float | None, high: float | None) -> str:
    """Return a difference with its interval.

    Examples
    --------
    >>> effect(-0.384, -0.7392, 0.0789), effect(None, None, None)
    ('−0.38 (−0.74 to +0.08)', '-')
    """
    if value is None:
        return "-"
    return signed(value) if low is None or high is None else f"{signed(value)} ({signed(low)} to {signed(high)})"


def worded(words: str, numbers: Mapping[str, Any]) -> str:
    """Return words with numbers in the places that name them.

    Examples
    --------
    >>> worded("{found} at N = {size}", {"found": 0.0070381, "size": 12})
    '0.007038 at N = 12'
    """
    return words.format_map({name: figures(value) for name, value in numbers.items()})


def figures(value: object) -> str:
    """Return a number with four significant digits, a whole one with all; anything else as it is."""
    if value is None:
        return "undefined"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "undefined" if value != value else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


# Labels that start with somebody's name.
_PEOPLE: Final = ("Matthews", "Cohen", "Fowlkes", "Jaccard")


def in_sentence(label: str) -> str:
    """Return a label as it reads within a sentence; names and abbreviations keep their capitals.

    Examples
    --------
    >>> in_sentence("Recall"), in_sentence("F1 score"), in_sentence("Cohen's kappa"), in_sentence("G-mean")
    ('recall', 'F1 score', "Cohen's kappa", 'G-mean')
    """
    keeps = label.startswith(_PEOPLE) or not label[1:2].islower()
    return label if keeps else label[:1].lower() + label[1:]


def sentence(words: str) -> str:
    """Return words with a capital letter at the front."""
    return words[:1].upper() + words[1:]


#: Characters that neither a page nor a picture may hold; a mark stands for each.
UNSHOWN: Final = dict.fromkeys(
    (
        *(*range(9), 11, 12, *range(14, 32), *range(127, 160), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF),
        # Marks that turn the direction of what follows, so that numbers would read backwards.
        *(0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)),
    ),
    "\N{REPLACEMENT CHARACTER}",
)
# To go back to the start of a line would write over it.
_STEERING: Final = {**UNSHOWN, ord("\r"): "\N{REPLACEMENT CHARACTER}"}


def harmless(text: str) -> str:
    r"""Return a text of any number of lines that cannot steer a terminal.

    Examples
    --------
    >>> harmless("a\x1b[31m\nb")
    'a\ufffd[31m\nb'
    """
    return text.replace("\r\n", "\n").translate(_STEERING)


def one_line(text: str) -> str:
    r"""Return a text in one line that cannot steer a terminal: what comes from a file cannot look like an answer.

    Examples
    --------
    >>> one_line("a\n0 impossible")
    'a 0 impossible'
    """
    return harmless(" ".join(text.splitlines()))
