"""Single changes that would make an impossible report possible: hypotheses, tried in a fixed order.

Where it is known which scores contradict each other, a change that leaves all scores of a contradiction as they are
leaves the contradiction. So scores of classes are changed only where every contradiction has one of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import Annotated, Any, Final, TypeAlias

from ..errors import InputError
from ..exact.reported import Reported
from ..metrics import AVERAGES
from ..shape import Count, Record
from ..table import Matrix, Table
from .claim import Claim, Size, TableClaim
from .class_search import has_tables
from .classes import ClassClaim, ClassScore
from .readings import averaged_score, readings_of, with_score
from .search import without_curved
from .solution import solve

# More hypotheses of one kind would bury the others.
_MOST_OF_A_KIND: Final = 5
#: How far a size may be off.
_STEPS: Final = (-1, 1, -2, 2, -3, 3)
# Of sizes and of known test sets that fit: where more do, chance explains it as well.
_MOST_WORTH_SAYING: Final = 2
# Of positives, so many more and fewer than a known test set has are tried.
_NEAR: Final = 20
# Larger ones take long, and digits tell little of them.
_LARGEST_OVERSAMPLED, _LARGEST_SET = 3_000, 100_000
# Where the sizes of one table are unknown a search is expensive: at most this many.
_MOST_SEARCHES: Final = 40
# Where no size is known either and claims are curved, small tables are walked: a hypothesis is not worth more.
_LARGEST_CURVED: Final = 50
# Of classes a search looks at so many choices.
_WITHIN: Final = 20_000
# All of these searches together may take about a second, and that is told from what they looked at, in microseconds: a
# size that a class may have, a table of it, a search that was not finished or made do with some tables, none at all but
# a look at each class.
_MOST_WORK: Final = 1_000_000
_OF_SIZE, _OF_TABLE, _UNFINISHED, _SCREENED = 250, 5, 250_000, 300
# Averages that are mistaken for each other: both are of every class.
_MISTAKEN: Final = {"macro": "weighted", "weighted": "macro"}

#: What kind of change, the change in words, and the claim with it.
_Change: TypeAlias = tuple[str, str, Any]


def counts_of(matrix: Matrix | None) -> list[list[int]] | None:
    """Return the counts of a matrix as JSON has them."""
    return None if matrix is None else matrix.tolist()  # type: ignore[return-value]


@dataclass(frozen=True)
class Repair(Record, members="kind change count counted table? matrix?"):
    """One change that makes a report possible, with a table that then fits. A hypothesis, not a finding."""

    kind: Annotated[str, "The kind of change; stable, for programs."]
    change: Annotated[str, "The change in words."]
    count: Annotated[Count, "How many tables, or sets of margins, then fit; at least so many if not all were counted."]
    counted: Annotated[bool, "Whether all of them were counted."]
    table: Annotated[Table | None, "One of them."] = None
    matrix: Annotated[Matrix | None, "One table of several classes: rows actual, columns predicted.", counts_of] = None


def repairs(claim: Claim, blame: Sequence[Sequence[str]], *, tried: bool) -> tuple[Repair, ...]:
    """Return single changes of a claim that make it possible; `blame` are sets of scores that contradict.

    Other readings of one table are among them unless they were `tried` before.
    """
    if isinstance(claim, ClassClaim):
        return _of_classes(claim, blame)
    return tuple(_of_table(claim, tried=tried)) if isinstance(claim, TableClaim) else ()


def _of_table(claim: TableClaim, *, tried: bool) -> Iterator[Repair]:
    seen: Counter[str] = Counter()
    sized, every = claim.sized(), range(len(claim.scores))
    # What the user has said of how it is to be read may be wrong too.
    readings = () if tried else readings_of(replace(claim, convention=None))
    kinds = [
        ((departed[0].code, departed[0].words, changed) for departed, changed in readings if len(departed) == 1),
        _misprinted(claim, every, _other_digits, "digit"),
        _exchanged(claim, combinations(every, 2)),
        _averages_of_two(claim),
        _misprinted(claim, every, _percent, "percent"),
        _sizes_of_table(claim),
        _coarser(claim, every),
        *([] if sized is None or sized.margins is None else [_oversampled(claim, sized.margins), _other_sets(claim)]),
    ]
    for searched, (kind, change, changed) in enumerate(change for changes in kinds for change in changes):
        if (sized is None or sized.margins is None) and searched >= _MOST_SEARCHES:
            return
        if seen[kind] >= _MOST_OF_A_KIND:
            continue
        if changed.undecidable and without_curved(changed) != changed:
            changed = replace(changed, max_total=_LARGEST_CURVED)
        feasible = solve(changed).feasible
        if not feasible.empty and feasible.count and not feasible.unwalked:
            seen[kind] += 1
            yield Repair(kind, change, feasible.count, feasible.complete, feasible.first())


def _of_classes(claim: ClassClaim, blame: Sequence[Sequence[str]]) -> tuple[Repair, ...]:
    blamed = _Blamed(claim, blame)
    kinds = [
        _other_averages(claim, blamed),
        _other_classes(claim, blamed),
        _exchanged(claim, blamed.pairs),
        _misprinted(claim, blamed.places, _other_digits, "digit"),
        _misprinted(claim, blamed.places, _percent, "percent"),
        _sizes_of_classes(claim, blamed),
        _coarser(claim, blamed.places),
    ]
    repairs: list[list[Repair]] = [[] for _ in kinds]
    waiting = list(zip(kinds, repairs, strict=True))
    work = 0
    # The kinds take turns, so that each has its share where not all can be tried.
    while waiting and work < _MOST_WORK:
        changes, found = waiting.pop(0)
        if (tried := next(changes, None)) is None:
            continue
        kind, words, changed = tried
        if blamed.may_be(changed):
            solution = solve(replace(changed, budget=_WITHIN))
            for each in solution.found:
                sizes = sum((size.high or 0) - size.low + 1 for size in changed.sizes)
                short = each.relaxed is None and each.complete
                work += _OF_SIZE * sizes + _OF_TABLE * sum(each.problem.sizes) if short else _UNFINISHED
            if solution.fits:
                found.append(Repair(kind, words, solution.count, solution.counted, matrix=solution.matrix()))
        else:
            work += _SCREENED * len(blamed.classes)
        if len(found) < _MOST_OF_A_KIND:
            waiting.append((changes, found))
    return tuple(repair for found in repairs for repair in found)


class _Blamed:
    """Which scores have to change so that no contradiction is left."""

    def __init__(self, claim: ClassClaim, blame: Sequence[Sequence[str]]) -> None:
        self._scores = claim.scores
        self._sets = [{i for i, claimed in enumerate(claim.scores) if claimed.name in each} for each in blame]
        #: The classes with a blamed score.
        self.classes = {claim.scores[i].place for each in self._sets for i in each}
        # Scores of one class bear each other out, those of all classes stand alone: so these are changed first.
        order = sorted(range(len(claim.scores)), key=lambda i: claim.scores[i].place is not None)
        self.places = [i for i in order if self.touched_by({i})]
        self.pairs = [pair for pair in combinations(range(len(order)), 2) if self.touched_by(pair)]

    def may_be(self, changed: ClassClaim) -> bool:
        """Tell at once where a class with a blamed or a changed score has no table by itself."""
        if not changed.total.known:
            return True
        pairs = zip(changed.scores, self._scores, strict=True)
        places = self.classes | {new.place for new, old in pairs if new is not old}
        return all(has_tables(changed, place, changed.total.low) for place in places if place is not None)

    def touched_by(self, places: Iterable[int]) -> bool:
        """Tell whether every contradiction has one of the scores."""
        changed = set(places)
        return all(not changed.isdisjoint(each) for each in self._sets)


# The changes, by kind.


def _with_text(claim: Any, i: int, text: str) -> Any:
    """Return a claim with another text of a score; None where that is no value of it."""
    with suppress(InputError):
        return with_score(claim, claim.scores[i], claim.read_score(claim.scores[i].name, text))
    return None


def other_texts(text: str) -> list[str]:
    """Return a number's text with one digit changed, or with two neighbours exchanged.

    Examples
    --------
    >>> len(other_texts("12")), other_texts("12")[-1]
    (19, '21')
    """
    places = [k for k, character in enumerate(text) if character in "0123456789"]
    texts = [text[:k] + digit + text[k + 1 :] for k in places for digit in "0123456789" if digit != text[k]]
    swaps = [(a, b) for a, b in pairwise(places) if text[a] != text[b]]
    texts += [text[:a] + text[b] + text[a + 1 : b] + text[a] + text[b + 1 :] for a, b in swaps]
    return list(dict.fromkeys(texts))


def _other_digits(text: str) -> list[str]:
    """Change one digit, or exchange two neighbours; no count begins with a zero."""
    return [other for other in other_texts(text) if not text.isdigit() or other == "0" or other[:1] != "0"]


def _percent(text: str) -> list[str]:
    """Drop a percent sign, or add one."""
    return [text.removesuffix("%").strip() if text.endswith("%") else text + "%"]


def _misprinted(
    claim: Claim, places: Iterable[int], others: Callable[[str], list[str]], kind: str
) -> Iterator[_Change]:
    """Print one score otherwise."""
    for i in places:
        name, text = claim.scores[i].name, claim.scores[i].reported.text.strip()
        for other in others(text):
            if (changed := _with_text(claim, i, other)) is not None:
                yield kind, f"{name} is {other}, not {text}", changed


def _exchanged(claim: Claim, pairs: Iterable[tuple[int, int]]) -> Iterator[_Change]:
    """Exchange the texts of two scores."""
    for i, j in pairs:
        first, second = claim.scores[i], claim.scores[j]
        half = _with_text(claim, i, second.reported.text)
        if half is not None and (changed := _with_text(half, j, first.reported.text)) is not None:
            yield "exchanged", f"{first.name} and {second.name} were exchanged", changed


def _coarser(claim: Claim, places: Iterable[int]) -> Iterator[_Change]:
    """Let one score be rounded to a digit less than it shows."""
    for i in places:
        claimed, reported = claim.scores[i], claim.scores[i].reported
        if reported.rounding in ("exact", "interval") or reported.high == reported.low:
            continue
        middle, half = (reported.low + reported.high) / 2, (reported.high - reported.low) / 2 * Fraction(10)
        wider = Reported(reported.text, middle - half, middle + half, rounding=reported.rounding)
        change = f"{claimed.name} was rounded to a digit less than {reported.text} shows"
        yield "rounding", change, with_score(claim, claim.scores[i], replace(claimed, reported=wider))


def _averages_of_two(claim: TableClaim) -> Iterator[_Change]:
    """Take one score of several as an average over two classes; that all are is a reading."""
    for average in AVERAGES:
        averaged = [averaged_score(claimed, average) for claimed in claim.scores]
        possible = {i: claimed for i, claimed in enumerate(averaged) if claimed is not None}
        if len(possible) > 1 or average == "micro":
            for i, claimed in possible.items():
                yield "average", f"{claimed.name} is the {average} average", with_score(claim, claim.scores[i], claimed)


def _sizes_of_table(claim: TableClaim) -> Iterator[_Change]:
    """Let one known size be off by a few."""
    for step, (name, verb) in product(_STEPS, (("positives", "are"), ("negatives", "are"), ("total", "is"))):
        size: Size = getattr(claim, name)
        new = size.low + step
        if size.known and new >= 0:
            changed = replace(claim, **{name: Size(new, new)})  # type: ignore[arg-type]
            if changed.consistent:
                yield "size", f"{name} {verb} {new}, not {size.low}", changed


def _with_size(claim: TableClaim, margins: Sequence[int], place: int, size: Size) -> TableClaim:
    """Return a claim about cases of which one class, the positives or the negatives, has another size."""
    sizes = [Size(margin, margin) for margin in margins]
    sizes[place] = size
    return replace(claim, positives=sizes[0], negatives=sizes[1], total=Size(0, None))


def _fitting_sizes(claim: TableClaim, margins: Sequence[int], place: int, size: Size) -> list[int]:
    """Return which sizes of one class leave a table; none where that takes long."""
    feasible = solve(replace(_with_size(claim, margins, place, size), budget=_WITHIN)).feasible
    if feasible.empty or not feasible.complete or feasible.unwalked:
        return []
    return sorted({record[place] for record in feasible.rows.records})


def _oversampled(claim: TableClaim, margins: Sequence[int]) -> Iterator[_Change]:
    """Let cases of the smaller class have been copied, up to the size of the other, before the cases were split."""
    few, many = sorted(margins)
    place = margins.index(few)
    if not 0 < few < many <= _LARGEST_OVERSAMPLED:
        return
    fitting = _fitting_sizes(claim, margins, place, Size(few + 1, many))
    # That both classes are of one size is what programs do.
    worth_saying = fitting if len(fitting) <= _MOST_WORTH_SAYING else [size for size in fitting if size == many]
    share = _some(len(fitting), f"the sizes {few + 1} to {many}")
    for size in worth_saying:
        words = f"{('positives', 'negatives')[place]} were {size}, not {few}, oversampled before the split ({share})"
        yield "oversampled", words, _with_size(claim, margins, place, Size(size, size))


def _other_sets(claim: TableClaim) -> Iterator[_Change]:
    """Take the sizes of another known test set, unless sets of other sizes would fit as well."""
    from .known_sets import datasets  # it stands on recoveries, which stand on this

    sets = [known for known in datasets().sets if not known.classes and known.total <= _LARGEST_SET]
    fitting = []
    for known in sets:
        margins = known.positives or 0, known.negatives or 0
        changed = _with_size(claim, margins, 0, Size(margins[0], margins[0]))
        if not solve(changed).feasible.empty:
            near = Size(max(margins[0] - _NEAR, 0), margins[0] + _NEAR)
            fitting.append((known, changed, _fitting_sizes(claim, margins, 0, near)))
    share = _some(len(fitting), f"{len(sets)} known test sets")
    for known, changed, sizes in fitting if len(fitting) <= _MOST_WORTH_SAYING else ():
        if 0 < len(sizes) <= _MOST_WORTH_SAYING:
            yield "known_set", f"the test set was {known} ({share})", changed


def _some(count: int, of: str) -> str:
    return f"{count} of {of} {'fits' if count == 1 else 'fit'}"


def _other_averages(claim: ClassClaim, blamed: _Blamed) -> Iterator[_Change]:
    """Take macro averages for weighted ones and the other way round: each alone, then all."""
    meant: dict[int, tuple[Any, str]] = {}
    for i, claimed in enumerate(claim.scores):
        mean = claimed.score.mean
        if mean and (average := _MISTAKEN.get(mean.average)):
            with suppress(InputError):
                score = ClassScore.find(f"{average}_{mean.base.id}", claim.labels)
                meant[i] = claimed.about(score), average
    for i, (claimed, average) in meant.items():
        if blamed.touched_by({i}):
            yield "average", f"{claimed.name} is the {average} average", with_score(claim, claim.scores[i], claimed)
    if len(meant) > 1 and blamed.touched_by(meant):
        scores = tuple(meant[i][0] if i in meant else claimed for i, claimed in enumerate(claim.scores))
        words = "macro and weighted averages were exchanged"
        if len({average for _, average in meant.values()}) == 1:
            words = f"{', '.join(claimed.name for claimed, _ in meant.values())} are {average} averages"
        yield "average", words, claim.having(scores)


def _other_classes(claim: ClassClaim, blamed: _Blamed) -> Iterator[_Change]:
    """Exchange the scores of two classes, then turn the order of all round.

    To averages that is the same as other sizes in these places, so that sizes need not be exchanged as well.
    """
    labels, places = claim.labels, range(len(claim.labels))
    of_class = [{i for i, claimed in enumerate(claim.scores) if claimed.place == place} for place in places]
    orders = [
        (f"the scores of {labels[a]} and {labels[b]} were exchanged, or their sizes", {a: b, b: a})
        for a, b in combinations(places, 2)
        if (of_class[a] or of_class[b]) and blamed.touched_by(of_class[a] | of_class[b])
    ]
    if len(places) > 3 and any(of_class):
        words = "the scores, or the sizes, are in the opposite order of classes"
        orders.append((words, dict(zip(places, places[::-1], strict=True))))
    for words, order in orders:
        scores = []
        for claimed in claim.scores:
            if claimed.place is not None:
                place = order.get(claimed.place, claimed.place)
                claimed = replace(claimed, place=place, label=labels[place])
            scores.append(claimed)
        yield "rows", words, claim.having(tuple(scores))


def _sizes_of_classes(claim: ClassClaim, blamed: _Blamed) -> Iterator[_Change]:
    """Let one known size be off by a few, or in one digit; sizes of classes with a blamed score come first."""
    own = {claim.scores[i].place for i in blamed.places}
    known = [place for place, size in enumerate(claim.sizes) if size.known]
    order = sorted(known, key=lambda place: place not in own)
    steps = [(place, claim.sizes[place].low + step) for step in _STEPS for place in order]
    digits = [(place, int(text)) for place in order for text in other_texts(str(claim.sizes[place].low))]
    for place, size in dict.fromkeys([*steps, *digits]):
        if size < 0:
            continue
        sizes = (*claim.sizes[:place], Size(size, size), *claim.sizes[place + 1 :])
        total, high = _summed(sizes), claim.total.high
        # The total follows where the sizes of classes say all about it.
        if claim.total != _summed(claim.sizes):
            if high is None or total.low > high:
                continue
            total = Size(max(total.low, claim.total.low), high)
        if total.high:
            words = f"class {claim.labels[place]} has {size} cases, not {claim.sizes[place].low}"
            yield "size", words, replace(claim, sizes=sizes, total=total)


def _summed(sizes: Sequence[Size]) -> Size:
    """Return how many cases classes have together."""
    highs = [size.high for size in sizes if size.high is not None]
    return Size(sum(size.low for size in sizes), sum(highs) if len(highs) == len(sizes) else None)
