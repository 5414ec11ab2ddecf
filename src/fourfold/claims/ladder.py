"""The ladder: what is tried where no table gives a report, before it is called impossible.

A report that does not say how its scores were averaged may hold means over runs, folds, images or hospitals. No list of
these is long enough. So the last word is the convex hull of `space.averages`: a report is impossible only if no average
of any kind gives it, under any reading of its names, nor any median, best or worst of parts. If some average could, but
nothing that was tried does, it is unexplained, and the author should be asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from ..exact import CELLS
from ..exact.program import Program
from ..metrics import STRICT
from ..solve.averages import AVERAGED, Averages, Limit, Refuted
from ..solve.averages import Part as SharePart
from ..solve.dealing import likely_positives, usual_unevenness
from ..solve.experiment import EqualParts, OpenParts, number_of_tables, stratified_ways
from ..solve.problem import Floats
from .claim import ClaimedScore, TableClaim, is_of_class
from .classes import ClassClaim
from .folds import FoldClaim, Parts
from .readings import (
    OF_MEANS,
    ONE_AVERAGED,
    Alternative,
    Departure,
    Reading,
    ReadingRow,
    Tried,
    meanings,
    means_over,
    mixtures,
    one_of_family,
    readings_from,
    score_id,
    try_readings,
)
from .solution import SMALL_EFFORT, PartSolution

# Runs on one test set, and folds, that are tried where nothing is said, the most usual first.
_RUNS: Final = (5, 10, 3)
_USUAL_FOLDS: Final = (10, 5)
_OTHER_FOLDS: Final = (3, 4, 2, 7, 20, 6, 8, 9, *range(11, 20))
# Parts with more tables are not looked at one by one: that would take more than some tenths of a second.
MOST_MIXED: Final = 100_000
#: What else fits is told too, but is not worth waiting for.
LITTLE_EFFORT: Final = 0.05
# A fold dealt at random has fewer positives, or more, with this chance.
_RARE_FOLD: Final = 1e-4
# A smallest width is looked for to about this.
_WIDTH_STEPS: Final = 7
# The mean of a score over parts is rarely further from that of all parts together.
_PARTS_DIFFER: Final = 0.03
_STEPS_OF_RATES: Final = 101
# Without sizes parts may differ so much in their share of positives where folds or runs are meant.
_WINDOWS: Final = ((0.0, 0.5), (0.25, 0.75), (0.5, 1.0))


class AnyAverage(NamedTuple):
    """What any average of any parts could give: whether it could be the report, and what is told of that."""

    fits: bool
    limit: Limit | None = None
    #: How far the share of positives of parts must be off, where sizes are known; with the share of all.
    width: float | None = None
    share: float | None = None
    #: Which names would have to be meant otherwise, where only a mixture of meanings fits.
    mixed: str = ""


def averages_of(claim: Any, *, widened: bool = True) -> Averages | None:
    """Return the averages of a claim's scores; None where fewer than two of them are known.

    Ends are widened by half a digit: whether digits were rounded or cut off makes no difference then.
    """
    used: dict[str, tuple[float, float]] = {}
    for claimed in claim.scores:
        name = score_id(claimed)
        if name in AVERAGED and not getattr(claimed, "is_count", False):
            low, high = claimed.reported.low, claimed.reported.high
            room = (high - low) / 2 if widened else Fraction(0)
            a, b = used.get(name, (-1e9, 1e9))
            used[name] = max(a, float(low - room)), min(b, float(high + room))
    if len(used) < 2:
        return None
    return Averages(tuple(used), [a for a, _ in used.values()], [b for _, b in used.values()])


def any_average(
    claim: Any,
    readings: Iterable[Alternative],
    shares: tuple[float, float] = (0.0, 1.0),
    *,
    means: bool = False,
) -> AnyAverage:
    """Decide whether any average whatever, read in any way, could give a report; medians and bests count as well.

    The share of positives of every part can be known to lie between two numbers, and averages to be `means`.
    """
    plain, widest, seen = averages_of(claim, widened=False), averages_of(claim), set()
    limit = plain.known_limit() if plain else None
    # What breaks a bound however its digits were shortened is no average: medians or other names are what is left.
    some = AnyAverage(fits=True, limit=limit if widest and widest.known_limit() else None)
    of_two = isinstance(claim, FoldClaim) or (isinstance(claim, TableClaim) and claim.is_of_two_classes)
    ways = [claim, *(changed for departures, changed in readings if ONE_AVERAGED not in [d.code for d in departures])]
    if not isinstance(claim, ClassClaim):
        # A weighted F1 could be nearly anything beside the precision and the recall of one class.
        alone = (changed for _, changed in one_of_family(claim))
        ways += [changed for changed in alone if "weighted_f1" not in map(score_id, changed.scores)]
    for changed in ways:
        asked = averages_of(changed)
        # This holds of an F1 that was computed from averages, too.
        if asked is not None and asked.beyond_quantiles():
            continue
        asked = None if asked is None else asked.without_f1_of_means()
        # A kappa or an accuracy of more classes is not bound to the averages beside it as that of two is.
        if asked is None or len(asked.scores) < 2 or not of_two:
            return some
        key = asked.scores, tuple(asked.low), tuple(asked.high)
        if key not in seen:
            seen.add(key)
            refuted = isinstance(asked.decide(*shares), Refuted) and (means or asked.no_quantile(*shares))
            if not refuted:
                return some
    if not isinstance(claim, ClassClaim) and (mixed := mixed_average(claim)):
        return some._replace(mixed=mixed)
    return AnyAverage(fits=False, limit=limit)


def mixed_average(claim: TableClaim | FoldClaim) -> str:
    """Say with which mixture of meanings of its names parts that are much alike could give a report, if any could.

    One table stands for the average of such parts, so that each score may be off by what parts differ. Where the share
    of positives is not known nothing is looked for: a weighted F1 could be nearly anything then.
    """
    if claim.share is None:
        return ""
    choices = meanings(claim)
    if all(len(ways) == 1 for ways in choices):
        return ""
    program = Program([claimed.metric.formula for ways in choices for _, claimed in ways])
    rates = np.linspace(0, 1, _STEPS_OF_RATES)
    t, f = (rate.ravel() for rate in np.meshgrid(rates, rates))

    def is_near(values: Floats, claimed: ClaimedScore) -> Any:
        low, high = float(claimed.reported.low), float(claimed.reported.high)
        room = _PARTS_DIFFER + (high - low) / 2
        return (values >= low - room) & (values <= high + room)

    for share in np.linspace(*claim.share, 1 if claim.share[0] == claim.share[1] else 3):
        values = iter(program.over([share * t, share * (1 - t), (1 - share) * f, (1 - share) * (1 - f)]))
        near = [[(words, is_near(next(values), claimed)) for words, claimed in ways] for ways in choices]
        for words, masks in mixtures(near):
            if np.logical_and.reduce(masks).any():
                return words
    return ""


def in_no_average(claim: TableClaim) -> bool:
    """Tell whether no average of tables of any size has a claim's scores as they are named; so no table has them."""
    asked = averages_of(claim, widened=False)
    return asked is not None and isinstance(asked.decide(), Refuted)


def smallest_width(claim: TableClaim, *, widened: bool = True) -> AnyAverage:
    """Tell by how much the share of positives of parts must be off for some average to give a report.

    There is no such width where no average gives the scores as they are named; medians or other names may do.
    """
    assert claim.margins is not None
    asked, share = averages_of(claim, widened=widened), claim.margins[0] / sum(claim.margins)

    def fits(width: float) -> bool:
        return asked is None or not isinstance(asked.decide(max(share - width, 0), min(share + width, 1)), Refuted)

    if fits(0.0):
        return AnyAverage(fits=True, width=0.0, share=share)
    low, high = 0.0, max(share, 1 - share)
    if not fits(high):
        return AnyAverage(fits=True, share=share)
    for _ in range(_WIDTH_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return AnyAverage(fits=True, width=low, share=share)


def of_alike_parts(claim: TableClaim) -> bool:
    """Tell whether parts of some sizes that are much alike could give a report without sizes."""
    asked = averages_of(claim, widened=False)
    if asked is None or any(score_id(claimed) not in AVERAGED for claimed in claim.scores):
        return False
    return any(isinstance(parts := asked.decide(*window), tuple) and has_average(claim, parts) for window in _WINDOWS)


def has_average(claim: TableClaim, parts: Sequence[SharePart]) -> bool:
    """Check in fractions that parts have a claim's scores on average."""
    tables = []
    for part in parts:
        share, tpr, fpr = (Fraction(rate) for rate in part[1:])
        cells = (share * tpr, share * (1 - tpr), (1 - share) * fpr, (1 - share) * (1 - fpr))
        tables.append((dict(zip(CELLS, cells, strict=True)), Fraction(part.weight)))
    means = (
        STRICT.mean((claimed.metric.formula.exact(table), weight) for table, weight in tables)
        for claimed in claim.scores
    )
    return all(mean in claimed.reported for mean, claimed in zip(means, claim.scores, strict=True))


def off_in_folds(margins: tuple[int, int], most: int = 20) -> float:
    """Return how far the share of positives of a stratified fold can be off, of 2 to so many folds.

    Examples
    --------
    >>> round(off_in_folds((100, 200), 10), 4)  # 12 positives and 22 negatives in one of 9 folds: 0.3529
    0.0196
    """
    share, off = margins[0] / sum(margins), 0.0
    for number in range(2, most + 1):
        for p, n in product(*((size // number, -(-size // number)) for size in margins)):
            if p + n:
                off = max(off, abs(p / (p + n) - share))
    return off


def as_dealt_at_random(claim: FoldClaim, positives: int) -> FoldClaim:
    """Return a claim about folds of cases in random order: one deal in a hundred is more uneven."""
    from scipy.special import chdtri

    sizes = [part.total for part in claim.parts for _ in range(part.count)]
    # The squared distances of k folds from what is due to them have about a chi-squared law with k - 1 degrees.
    free = max(len(sizes) - 1, 1)
    times = Fraction(float(chdtri(free, 0.01))).limit_denominator(1000) / free
    parts = tuple(
        OpenParts(
            part.total, part.count, part.weight, 0, *likely_positives(positives, sum(sizes), part.total, _RARE_FOLD)
        )
        for part in claim.parts
    )
    uneven = usual_unevenness(positives, sizes, times)
    return claim.changed(parts=parts, groups=(positives,), uneven=uneven, other_splits=())


# A way to average: a claim with any number of repeats, and usual parts that are looked for by name.
_Way: TypeAlias = tuple[FoldClaim, Sequence[tuple[Parts, str]]]


def explained(claim: TableClaim, width: float) -> Tried | None:
    """Look for a usual way to average that gives a report, nearest first, until one does; None where none is tried.

    Of each way it is first decided whether it gives the report with any number of repeats: that is quick, and a no is
    proven. Then a table for each part is looked for. Passed over are ways whose parts differ less in their share of
    positives than any average needs.
    """
    # The area under the curve is left out: the tables of parts leave it a wide range.
    counts = tuple(claimed for claimed in claim.scores if claimed.is_count)
    claim = claim.having(tuple(claimed for claimed in claim.scores if not claimed.is_area and not claimed.is_count))
    if claim.margins is None or not claim.scores or any(is_of_class(claimed.name) for claimed in claim.scores):
        return None
    usual, others = _usual_ways(claim, width, counts)
    steps: list[tuple[Sequence[_Way], Sequence[ReadingRow]]] = [(usual, ()), *(([way], ()) for way in others)]
    readings: tuple[Reading, ...] = ()
    tried: Tried | None = None
    for ways, rows in (*steps, (usual, OF_MEANS)):
        if not ways:
            continue
        repeated: list[Alternative] = [((means_over(way.what),), way) for way, _ in ways]
        tried = try_readings(readings_from(repeated, rows), PartSolution)
        readings = tuple(dict.fromkeys((*readings, *tried.readings)))
        tried = tried._replace(readings=readings)
        if tried.found.fits:
            for parts, what in next(single for way, single in ways if way.parts == tried.claim.parts):
                named = PartSolution(tried.claim.changed(parts=parts, what=what, repeated=False), SMALL_EFFORT)
                if named.fits:
                    return tried._replace(found=named)
            return tried
    return tried


def _usual_ways(claim: TableClaim, width: float, counts: tuple[ClaimedScore, ...]) -> tuple[list[_Way], list[_Way]]:
    """Return usual ways to average, and others; counts are of all parts together.

    Folds that are not stratified are not among them: with a good classifier in some and a bad one in others they would
    give nearly everything. How uneven they would have to be is told by the smallest width.
    """
    assert claim.margins is not None
    positives, negatives = claim.margins
    total = positives + negatives

    def over(parts: Parts, what: str, single: Sequence[tuple[Parts, str]] = ()) -> list[_Way]:
        near = max(abs(p / max(p + n, 1) - positives / total) for part in parts for p, n in part.margins())
        if number_of_tables(parts) > MOST_MIXED or near < width:
            return []
        # Counts are of one round: tables are looked for at once.
        folded = FoldClaim(claim.scores, parts, what, together=counts, repeated=not counts,
            convention=claim.convention, notes=claim.notes)  # fmt: skip
        return [(folded, single or [(parts, what)])]

    def folds(number: int) -> list[_Way]:
        # With fewer cases of a class than folds scikit-learn only warns.
        ways = stratified_ways(positives, negatives, number)[:2] if number <= total else ()
        return [way for parts in ways for way in over(parts, f"{number} stratified folds")]

    runs: list[tuple[Parts, str]] = [
        ((EqualParts(positives, negatives, n),), f"{n} runs on one test set") for n in _RUNS
    ]
    usual = [way for number in _USUAL_FOLDS for way in folds(number)]
    usual += over((EqualParts(positives, negatives),), "runs on one test set", runs)
    return usual, [way for number in _OTHER_FOLDS for way in folds(number)]


def repeatedly(stated: FoldClaim, ways: Sequence[Alternative], readings: tuple[Reading, ...]) -> Tried:
    """Look for averages over parts that were tested again and again, then for tables of those that were tested once.

    Whether any number of repeats gives the report is decided at once, and a no is proven: it holds for one round too.
    `readings` are those that were tried before, the first of them the report as it stands.
    """
    what = "every test set was used" if "test sets" in stated.what else "the folds were made"
    # What may be possible as it stands is not possible only if there were repeats.
    once = "" if readings[0].verdict == "impossible" else ", or once in a way that was not found"
    several = Departure("folds_repeated", f"{what} several times{once}")
    repeated = [
        ((*departures, several), claim.changed(repeated=True))
        for departures, claim in ways
        if number_of_tables(claim.parts) <= MOST_MIXED
    ]
    if not repeated:
        return Tried(readings, stated, PartSolution(stated, 0))
    tried = try_readings(readings_from(repeated, OF_MEANS), PartSolution)
    tried = tried._replace(readings=(*readings, *tried.readings))
    # Tables of the parts as they are said were looked for before.
    if not tried.found.fits or len(tried.departures) == 1:
        return tried
    found = PartSolution(tried.claim.changed(repeated=False), LITTLE_EFFORT)
    if not found.fits:
        return tried
    departures = tuple(departure for departure in tried.departures if departure != several)
    return tried._replace(claim=found.claim, found=found, departures=departures, others=())
