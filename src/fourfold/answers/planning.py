"""What `plan` found."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from ..document import Block, Cell, Chart, Column, Document, Facts, Grid, Notes, Sentence, Tone
from ..groups import Plan
from ..words import chance, in_sentence, level, listed, number, percent
from .any_result import document

_MOST_NAMED: Final = 4
_MOST_ROWS: Final = 12


@document.register
def _(result: Plan) -> Document:
    title = _title(result)
    blocks = list(_blocks(result, title))
    tone: Tone = "open" if result.cases is None else "plain"
    return Document("A size to plan for", title, tone, blocks, told_apart_words(result))


def _title(result: Plan) -> str:
    score = f"{in_sentence(result.label)} {number(result.group)}"
    wanted = f"a power of {level(result.target)}" if result.goal == "difference" else f"a width of {result.target:g}"
    if result.cases is None:
        return f"No size that was tried keeps {wanted}"
    sizes = f"{result.cases} {unit(result)}"
    if result.goal == "width":
        return f"With {sizes} the interval of {score} is {number(result.value)} wide on average"
    if result.asked:
        chance = percent(result.value or 0.0)
        return f"{sizes} tell {score} from {number(result.reference)} with a chance of {chance}"
    known = ", if the reference is known" if result.method.startswith("score") else ""
    return f"{sizes} would tell {score} from {number(result.reference)}{known}"


def unit(result: Plan) -> str:
    """Return what the sizes of a plan count."""
    name = result.counted if result.among is None else "cases"
    return name.removesuffix("s") if result.cases == 1 and name.endswith("s") else name


def _blocks(result: Plan, title: str) -> Iterator[Block]:
    yield Sentence(f"{title}.", strong=True, place="terminal")
    if result.cases is not None:
        yield Sentence(_brings(result))
        if result.worse:
            yield Sentence(_worse_words(result))
        if len(result.curve) > 1:
            yield Chart("curve", f"The {_what(result)} at each size, the target, and the sizes beside the answer.")
    yield Facts(_facts(result))
    if result.cases is not None:
        yield _sizes_grid(result, result.cases)
    yield Notes(result.notes)


def _what(result: Plan) -> str:
    return "power of the test" if result.goal == "difference" else "mean width"


def _value(result: Plan, value: float | None) -> str:
    return percent(value or 0.0) if result.goal == "difference" else number(value)


def _brings(result: Plan) -> str:
    expected = round(result.expected or 0)
    part = "" if result.counted == "cases" or result.among is None else f", about {expected} of them {result.counted}"
    lead = f"With {result.cases} {unit(result)}{part}, "
    if result.goal == "width":
        often = percent(result.narrow or 0.0)
        return f"{lead}{often} of the intervals are at most {result.target:g} wide."
    gain = f"the difference is found with a chance of {_value(result, result.value)}"
    if result.asked:
        return f"{lead}{gain}. {_detectable(result)}".strip()
    every = "every larger size" if not _is_on_a_grid(result) else "all larger sizes looked at,"
    return f"{lead}{gain}, and of at least {level(result.target)} with {every} up to {result.checked_to}."


def _is_on_a_grid(result: Plan) -> bool:
    """Tell whether sizes between those looked at were left out."""
    return len(result.curve) <= (result.checked_to or 0) - (result.checked_from or 0)


def _detectable(result: Plan) -> str:
    low, high = result.detectable_low, result.detectable_high
    scores = [] if low is None else [f"up to {number(low)}"]
    scores += [] if high is None else [f"from {number(high)} on"]
    if not scores:
        return "" if result.method.startswith("score") else f"No score reaches a chance of {level(result.target)}."
    return f"Scores {' and '.join(scores)} would be found with a chance of {level(result.target)}."


def told_apart_words(result: Plan) -> str:
    """Say which scores a size that was asked about could tell from the reference's; nothing for other plans.

    The ends are rounded away from the reference, so that the sentence stays true.

    Examples
    --------
    >>> from fourfold.groups import plan
    >>> told_apart_words(plan("recall", group=0.6, reference=0.8, cases=60))
    'With 60 actual positives, only a recall of 0.54 or less, or of 0.97 or more, would stand out from 0.80 (with a \
chance of 80 %; as many in the reference).'
    """
    if not result.asked or result.goal == "width" or result.method.startswith("score"):
        return ""
    low, high = result.detectable_low, result.detectable_high
    ends = [] if low is None else [f"of {math.floor(100 * low) / 100:.2f} or less"]
    ends += [] if high is None else [f"of {math.ceil(100 * high) / 100:.2f} or more"]
    lead, score = f"With {result.cases} {unit(result)},", in_sentence(result.label)
    article = "an" if score[0] in "aeio" else "a"
    scores = f"only {article} {score} {', or '.join(ends)}{',' * (len(ends) > 1)}" if ends else f"no {score}"
    assumed = [f"with a chance of {level(result.target)}", _reference_words(result)]
    assumed += [f"{result.tests} tests"] if result.tests > 1 else []
    return f"{lead} {scores} would stand out from {number(result.reference, 2)} ({'; '.join(assumed)})."


def _reference_words(result: Plan) -> str:
    if result.reference_known:
        return "the reference known"
    return f"{'as many' if result.reference_count is None else result.reference_count} in the reference"


def _worse_words(result: Plan) -> str:
    named = [f"{size.cases} ({_value(result, size.value)})" for size in result.worse[:_MOST_NAMED]]
    more = len(result.worse) - _MOST_NAMED
    named += [f"{more} more"] if more > 0 else []
    start = result.cases if result.first is None else result.first
    value = next(size.value for size in result.curve if size.cases == start)
    less = "less power" if result.goal == "difference" else "a wider interval"
    return f"More is not always better: {listed(named)} bring {less} than {start} ({_value(result, value)})."


def _facts(result: Plan) -> dict[str, str]:
    facts = {f"wanted {_what(result)}": level(result.target) if result.goal == "difference" else f"{result.target:g}"}
    if result.tests > 1:
        facts["tests that share the level"] = str(result.tests)
    name = "p-value up to which it rejects" if result.goal == "difference" else "1 minus the level of the interval"
    facts[name] = chance(result.alpha)
    facts["method"] = result.method
    if result.reference_cases is not None:
        facts["cases of the reference"] = str(result.reference_cases)
    if not result.asked and result.first is not None:
        facts["first size that reaches it"] = str(result.first)
    if result.checked_to is not None and not result.asked:
        facts["sizes looked at"] = f"{result.checked_from} to {result.checked_to}"
    return facts


def _sizes_grid(result: Plan, cases: int) -> Grid:
    """Return the sizes that matter: one less than the first, the first, those that are worse, and the answer."""
    less = "less power than a smaller size" if result.goal == "difference" else "wider than a smaller size"
    words = {size.cases: less for size in result.worse[:_MOST_ROWS]}
    if result.first is not None:
        words |= {result.first - 1: "not yet", result.first: "the first to reach it"}
    words[cases] = "asked about" if result.asked else "from here on it stays"
    rows = [
        [size.cases, Cell(size.value, size.cases == result.cases), words[size.cases]]
        for size in result.curve
        if size.cases in words
    ]
    columns = [Column(unit(result), "count"), Column(_what(result)), Column("", "words")]
    return Grid("Sizes beside the answer", columns, rows, left_out=max(0, len(result.worse) - _MOST_ROWS))
