"""Words about a table of results as a whole: the sizes that its rows share, and by how much one leads another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from ..claims import KnownSets, Lead, LeadRange, ReadTable, SharedPair, SharedSizes, known_as
from ..document import Block, Cell, Column, Document, Grid, Kind, Notes, Sentence, Tone
from ..words import chance, count_of, either, in_sentence, listed, sentence
from .any_result import document
from .verdicts import contradictions, given_others, verdict_words

_MOST_NAMED: Final = 4
_OURS: Final = re.compile(r"\b(?:ours?|proposed|this (?:work|paper|study))\b", re.IGNORECASE)
# Where chance gives such sizes more often than this, they mean little.
_OFTEN: Final = 0.05


@document.register
def _(result: SharedSizes) -> Document:
    title = _title(result)
    tones: dict[str, Tone] = {"possible": "good"}
    return Document("Sizes of a test set", title, tones.get(result.verdict, "open"), list(_blocks(result, title)))


def _sizes(pair: SharedPair) -> str:
    return f"{pair.positives:,} positive and {pair.negatives:,} negative cases"


def _title(result: SharedSizes) -> str:
    rows = len(result.sized_rows)
    if not result.pairs:
        if result.verdict == "undecided":
            return "No test set was found before the budget was spent"
        return f"No test set of up to {result.max_total:,} cases serves {'the row' if rows == 1 else 'most rows'}"
    first = _sizes(result.pairs[0])
    if result.serving < rows:
        return f"{result.serving} of {rows} rows agree with a test set of {first}"
    condition = ", if digits were cut off" if result.verdict == "conditional" else ""
    which = "a test set" if result.unique else f"{result.count:,} test sets, the smallest"
    row = "The row agrees" if rows == 1 else "The rows agree"
    return f"{row} with {which} of {first}{condition}"


def _blocks(result: SharedSizes, title: str) -> Iterator[Block]:
    yield Sentence(f"{title}.", strong=True, place="terminal")
    if result.pairs:
        yield Sentence(_others(result))
        yield from map(Sentence, _known_sets(result))
    if result.chance:
        yield Sentence(_meaning(result, result.chance))
    if result.odd:
        do, them = "does" if len(result.odd) == 1 else "do", "it" if result.unique else "these sizes"
        yield Sentence(f"{listed([*map(_quoted, result.odd)])} {do} not fit {them}.")
    elif result.verdict == "unexplained":
        yield Sentence("The test set may be larger, or scores may be means over folds or runs, or of several classes.")
    if result.all_rows is not None and result.serving < len(result.sized_rows):
        yield Sentence(f"All rows would fit {_sizes(result.all_rows)}, but larger test sets fit nearly all rows.")
    columns = [Column("row", "text"), Column("fits", "text"), Column("sizes it leaves alone", "count")]
    rows = list[list[Any]]()
    for row in result.sized_rows:
        why = "" if row.recovery is None else verdict_words(row.recovery).removesuffix(".")
        name = Cell(row.name, marked=row.fits is False) if result.odd else row.name
        rows.append([name, {True: "yes", False: "no", None: "-"}[row.fits], row.count, why])
    if any(row.recovery is not None for row in result.sized_rows):
        columns.append(Column("with the first of these sizes", "words"))
    yield Grid("Rows", columns, [cells[: len(columns)] for cells in rows])
    yield Notes(result.notes)


def _known_sets(result: SharedSizes) -> Iterator[str]:
    for pair in result.pairs[:_MOST_NAMED]:
        for known in known_as(*pair):
            exchanged = "" if known.positives == pair.positives else ", with the classes exchanged"
            yield f"{known} is a known test set with {_sizes(pair)}{exchanged}."


def table_words(read: ReadTable) -> Iterator[str]:
    """Say what the rows of a table tell together: their test set, the rows that do not fit it, and who really leads."""
    shared = read.sizes
    if shared.tried > 1:
        yield f"{_title(shared)}. {_others(shared)} {_meaning(shared, shared.chance or 0.0)}"
        yield from _known_sets(shared)
        for row in shared.sized_rows:
            if row.recovery is not None and row.name in shared.odd:
                # What contradicts what, and what one of the scores could be given the others.
                given = [given_others(row.recovery, one) for one in row.recovery.implied if one.others]
                why = "; ".join([*contradictions(row.recovery)[:1], *given[:1]])
                why = why or verdict_words(row.recovery).removesuffix(".")
                yield f"{_quoted(row.name)} does not fit: with {_sizes(shared.pairs[0])}, {why}."
    if not read.leads:
        return
    best = read.leads[0].names[0]
    ours = (lead for lead in read.leads[1:] if _OURS.search(lead.names[1]) and not _OURS.search(best))
    for lead in (read.leads[0], *ours):
        yield lead_words(lead, lead.ranges[0])
    if len(read.tied) > 2:
        yield f"No overlap of errors tells {_quoted(best)} from {either([*map(_quoted, read.tied[1:])])} in accuracy."


def _quoted(name: str) -> str:
    return f"“{name}”"


def _others(result: SharedSizes) -> str:
    """Say which other sizes fit as well, and which were tried."""
    sizes = f"{result.pairs[0].positives:,}:{result.pairs[0].negatives:,}"
    others = [f"{pair.positives:,}:{pair.negatives:,}" for pair in result.pairs[1 : _MOST_NAMED + 1]]
    more = result.count - 1 - len(others)
    others += [f"{more:,} more"] if more else []
    tried = f"{result.tried:,} pairs of sizes up to {result.max_total:,} cases were tried"
    if result.tried == 1:
        return "Only these sizes were tried."
    if not others:
        return f"No other sizes fit; {tried}."
    lead = f"Multiples of {sizes} always fit too" if result.unique else "Others fit as well"
    return f"{lead}: {listed(others)}; {tried}."


def _meaning(result: SharedSizes, value: float) -> str:
    if value > _OFTEN:
        often = "is likely" if value > 0.5 else f"happens with a chance of about {value:.2g}"
        return f"That means little: such an agreement {often} for test sets of other sizes, too."
    return f"Such an agreement on wrong sizes has a chance of about {chance(value)}."


@document.register
def _(result: Lead) -> Document:
    words = [lead_words(result, lead) for lead in result.ranges]
    columns = [Column("metric", "text"), *(Column(name, "count") for name in ("cases", "least lead", "largest lead"))]
    columns += [Column("least p", "chance"), Column("largest p", "chance"), Column("", "text")]
    shown = {"tied": "cannot be told apart", "depends": "depends on the overlap", "different": "different"}
    rows = [
        [lead.label, lead.cases, lead.low, lead.high, lead.least_p, lead.largest_p, shown[lead.verdict]]
        for lead in result.ranges
    ]
    first = Sentence(words[0], strong=True, place="terminal")
    blocks = [first, *map(Sentence, words[1:]), Grid("Leads and p-values", columns, rows), Notes(result.notes)]
    return Document("A lead", words[0].removesuffix("."), "plain", blocks)


def lead_words(result: Lead, lead: LeadRange) -> str:
    """Say by how many cases one row leads in a metric, and what any overlap of errors leaves of the p-value.

    Examples
    --------
    >>> from fourfold.claims import lead
    >>> result = lead({"accuracy": "0.855"}, {"accuracy": "0.844"}, positives=75, negatives=304)
    >>> lead_words(result, result.ranges[0])
    'In accuracy, the first leads the second by 4 of 379 cases: no overlap of their errors gives p below 0.1250.'
    """
    first, second = result.names
    low, high = lead.low, lead.high
    if high <= 0 and low < 0:
        first, second, low, high = second, first, -high, -low
    metric = in_sentence(lead.label)
    if low == high == 0:
        return f"In {metric}, {first} and {second} are right on as many of {lead.cases:,} cases."
    by = f"{high}" if low == high else f"{low} to {high}"
    if low < 0:
        how = f"{first} may be behind {second} by up to {-low}, or lead by up to {high}"
    else:
        how = f"{first} leads {second} by {by}"
    ahead = f"{sentence(f'in {metric}').removesuffix('.')}, {how} of {lead.cases:,} cases"
    if lead.verdict == "tied":
        return f"{ahead}: no overlap of their errors gives p below {chance(lead.least_p)}."
    if lead.verdict == "different":
        return f"{ahead}: whatever the overlap of their errors, p is at most {chance(lead.largest_p)}."
    ends = f"p from {chance(lead.least_p)} to {chance(lead.largest_p)}"
    return f"{ahead}: it depends on the overlap of their errors, {ends}."


@document.register
def _(result: KnownSets) -> Document:
    names = ("name", "what it is", "positives", "negatives", "classes", "source")
    kinds: tuple[Kind, ...] = ("text", "words", "count", "count", "count", "words")
    columns = [Column(name, kind) for name, kind in zip(names, kinds, strict=True)]
    rows = [
        [known.id, str(known), known.positives, known.negatives, len(known.classes) or 2, known.origin]
        for known in result.sets
    ]
    title = f"{count_of(len(rows), 'known test set')}"
    return Document("Known test sets", title, "plain", [Grid("Known test sets", columns, rows), Notes(result.notes)])
