"""Margins of k classes against looking at all k-by-k tables, with the scores spelt another way."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product

import pytest

import fourfold as ff
from fourfold import strategy
from fourfold.claims import ClassScore, class_search
from fourfold.claims.class_search import matrix_of
from fourfold.metrics import read_convention

Margins = tuple[tuple[int, int, int], ...]
CONVENTIONS = ("none", "zero", "one", "excluded")
FILLS = {"zero": Fraction(0), "one": Fraction(1)}


def compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to write a number as a sum of so many numbers, 0 among them."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        yield from ((first, *rest) for rest in compositions(total - first, parts - 1))


@cache
def all_margins(sizes: tuple[int, ...]) -> frozenset[Margins]:
    """Size, right and predicted cases of each class, of every table."""
    rows = [list(compositions(size, len(sizes))) for size in sizes]
    return frozenset(
        tuple((sizes[c], table[c][c], sum(row[c] for row in table)) for c in range(len(sizes)))
        for table in product(*rows)
    )


@pytest.mark.parametrize("sizes", [(2, 3), (1, 2, 3), (2, 2, 2), (4, 1, 1), (1, 1, 2, 2), (3, 0, 1, 1), (1, 1, 1, 3)])
def test_a_table_exists_just_where_the_sums_say(sizes: tuple[int, ...]) -> None:
    """maths.md §7: all predicted cases are N, and no class has more wrong cases than there are."""
    total, real = sum(sizes), all_margins(sizes)
    for hits in product(*(range(size + 1) for size in sizes)):
        wrong = total - sum(hits)
        for predicted in product(range(total + 1), repeat=len(sizes)):
            margins = tuple(zip(sizes, hits, predicted, strict=True))
            fits = sum(predicted) == total and all(q >= tp and n - tp + q - tp <= wrong for n, tp, q in margins)
            assert fits == (margins in real)
            if fits:
                table = matrix_of(margins)
                assert all(cell >= 0 for row in table for cell in row)
                assert [sum(row) for row in table] == list(sizes)
                assert [sum(column) for column in zip(*table, strict=True)] == list(predicted)
                assert [table[c][c] for c in range(len(sizes))] == list(hits)


def ratio(top: int | Fraction, bottom: int | Fraction) -> Fraction | None:
    return Fraction(top) / bottom if bottom else None


def of_class(name: str, n: int, tp: int, q: int, total: int) -> Fraction | None:
    """Score one class, from its size, right and predicted cases."""
    return {
        "precision": lambda: ratio(tp, q),
        "recall": lambda: ratio(tp, n),
        "f1": lambda: ratio(2 * tp, n + q),
        "f2": lambda: ratio(5 * tp, 4 * n + q),
        "jaccard": lambda: ratio(tp, n + q - tp),
        "specificity": lambda: ratio(total - n - q + tp, total - n),
    }[name]()


def fits(name: str, low: Fraction, high: Fraction, margins: Margins, undefined: str) -> bool:
    total = sum(n for n, _, _ in margins)
    hits = sum(tp for _, tp, _ in margins)
    if name in ("accuracy", "micro_f1"):
        return low <= Fraction(hits, total) <= high
    chance = sum(n * q for n, _, q in margins)
    if name == "kappa":
        value = ratio(total * hits - chance, total**2 - chance)
        return value is not None and low <= value <= high
    if name == "mcc":
        square = (total**2 - sum(n * n for n, _, _ in margins)) * (total**2 - sum(q * q for _, _, q in margins))
        if not square:
            return undefined in FILLS and low <= 0 <= high
        # Ends have at most four decimals: compared in whole numbers, by the root of what is below and above.
        top, unit = (total * hits - chance) * 20000, 20000
        return below(int(low * unit), square, top) and below(-int(high * unit), square, -top)
    kind, _, base = name.partition("_")
    if "[" in name:
        base, place = name[:-1].split("[")
        value = of_class(base, *margins[int(place)], total)
        value = FILLS.get(undefined) if value is None else value
        return value is not None and low <= value <= high
    if name == "balanced_accuracy":
        kind, base = "macro", "recall"
    values = [(of_class(base, *each, total), each[0] if kind == "weighted" else 1) for each in margins]
    if undefined == "none" and any(value is None for value, _ in values):
        return False
    kept = [
        (FILLS[undefined] if value is None else value, w)
        for value, w in values
        if value is not None or undefined in FILLS
    ]
    mean = ratio(sum((value * w for value, w in kept), Fraction(0)), sum(w for _, w in kept))
    return mean is not None and low <= mean <= high


def below(factor: int, square: int, top: int) -> bool:
    """Whether factor times the root of a square is at most a number."""
    if factor <= 0 <= top:
        return True
    if factor > 0:
        return top >= 0 and factor * factor * square <= top * top
    return factor * factor * square >= top * top


NAMES = ["accuracy", "kappa", "mcc", "balanced_accuracy", "micro_f1"]
NAMES += [f"{kind}_{base}" for kind in ("macro", "weighted") for base in ("precision", "recall", "f1", "f2", "jaccard")]
EACH = ["precision", "recall", "f1", "f2", "jaccard", "specificity"]


def draw(rng: random.Random) -> tuple[tuple[int, ...], dict[str, str], str]:
    """Draw sizes and a report: scores of some table to a few digits, some of them off by a little."""
    k = rng.choice([3, 3, 4])
    total = rng.randint(k, 9 if k == 3 else 8)
    cuts = sorted(rng.sample(range(1, total), k - 1))
    sizes = tuple(b - a for a, b in zip([0, *cuts], [*cuts, total], strict=True))
    undefined = rng.choice(CONVENTIONS)
    matrix = ff.Matrix([dealt(size, k, place, rng) for place, size in enumerate(sizes)])
    names = rng.sample(NAMES, rng.randint(0, 3))
    names += [f"{rng.choice(EACH)}[{rng.randrange(k)}]" for _ in range(rng.randint(0, 4))]
    report = {}
    for name in names or ["accuracy"]:
        digits = rng.choice([1, 2, 2, 3, 4])
        base, _, place = name.rstrip("]").partition("[")
        value = ff.score(matrix, base)[int(place)] if place and not isinstance(ff.score(matrix, base), float) else None
        if value is None:
            value = rng.random() if place else ff.score(matrix, name)
        value = 0.0 if value != value else float(value)
        off = rng.choice([0, 0, 0, 0, 1, -1]) * 10**-digits
        report[name] = f"{min(1, max(-1 if base in ('kappa', 'mcc') else 0, value + off)):.{digits}f}"
    return sizes, report, undefined


def dealt(size: int, classes: int, place: int, rng: random.Random) -> list[int]:
    row = [0] * classes
    for _ in range(size):
        row[place if rng.random() < 0.6 else rng.randrange(classes)] += 1
    return row


def real_margins(sizes: tuple[int, ...], report: dict[str, str], undefined: str) -> frozenset[Margins]:
    """The margins of all tables that fit a report, each looked at once: many tests ask about the same reports."""
    return _real_margins(sizes, tuple(report.items()), undefined)


@cache
def _real_margins(sizes: tuple[int, ...], report: tuple[tuple[str, str], ...], undefined: str) -> frozenset[Margins]:
    ends = {name: ff.claims.Reported.read(text) for name, text in report}
    return frozenset(
        margins
        for margins in all_margins(sizes)
        if all(fits(name, end.low, end.high, margins, undefined) for name, end in ends.items())
    )


@pytest.mark.parametrize("seed", range(12))
def test_margins_are_those_of_all_tables(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(60):
        sizes, report, undefined = draw(rng)
        real = real_margins(sizes, report, undefined)
        found = ff.recover(classes=list(sizes), undefined=undefined, bounds="none", **report, folds="none")
        assert {tuple(each[1:] for each in margins) for margins in found.margins()} == real, (sizes, report, undefined)
        assert (found.count, found.counted) == (len(real), True)
        assert found.verdict == ("possible" if real else "impossible")
        assert (found.matrix() is None) == (not real)
        if found.verdict == "impossible":
            assert all(set(names) <= set(report) for names in found.blame)


#: Each size of the search over classes, forced to one side and the other.
CLASS_SIDES: dict[str, tuple[int, ...]] = {
    "listed_up_to_choices": (0, 20_000),
    "slopes_above_choices": (0, 10**9),
    "found_first_above_choices": (0, 10**15),
    "sums_in_bits_up_to": (0, 10**9),
    "bits_shifted_up_to": (0, 10**10),
    "counted_in_grids_up_to": (0, 10**9),
    "margins_kept_up_to": (0, 3, 10**9),
    "choices_together": (1, 7, 10**9),
}


@pytest.mark.parametrize(("name", "side"), [(name, side) for name, sides in CLASS_SIDES.items() for side in sides])
def test_every_strategy_counts_the_same(name: str, side: int) -> None:
    # Margins are counted in grids, and sums kept as bits, only where not all margins are kept.
    kept = {} if name == "margins_kept_up_to" else {"margins_kept_up_to": 2}
    rng = random.Random(77)
    for _ in range(8 if name == "found_first_above_choices" else 25):
        sizes, report, undefined = draw(rng)
        with strategy.using(**{"listed_up_to_choices": 0, **kept, name: side}):
            found = ff.recover(classes=list(sizes), undefined=undefined, folds="none", bounds="none", **report)
        assert found.count == len(real_margins(sizes, report, undefined)), (sizes, report, undefined)


def value(name: str, margins: Margins, undefined: str) -> float:
    """Score a set of margins through one of its tables."""
    score = ClassScore.find(name, [str(place) for place in range(len(margins))])
    total = sum(size for size, _, _ in margins)
    tables = [{"tp": tp, "fn": n - tp, "fp": q - tp, "tn": total - n - q + tp} for n, tp, q in margins]
    exact = score.value_of(tables, read_convention(undefined))
    return math.nan if exact is None else float(exact)


@pytest.mark.parametrize("kept", [0, 50_000])
@pytest.mark.parametrize("seed", range(4))
def test_bounds_are_those_over_all_margins(seed: int, kept: int) -> None:
    """Kept margins give them at once; else they are searched for, and may end where nothing lies beyond."""
    rng, sharp, asked = random.Random(seed), 0, 0
    for _ in range(25):
        sizes, report, undefined = draw(rng)
        whole = ff.recover(classes=list(sizes), undefined=undefined, folds="none", bounds="none", **report)
        if not whole.count:
            continue
        real = [tuple(each[1:] for each in margins) for margins in whole.margins()]
        with strategy.using(margins_kept_up_to=kept, listed_up_to_choices=0):
            found = ff.recover(classes=list(sizes), undefined=undefined, folds="none", bounds="none", **report)
            assert (found.count, found.verdict) == (whole.count, whole.verdict), (sizes, report, undefined)
            for name in [*rng.sample(NAMES, 3), f"{rng.choice(EACH)}[1]"]:
                ends = found.bounds(name)
                values = [each for margins in real if not math.isnan(each := value(name, margins, undefined))]
                if not values:
                    assert ends.low is None
                    continue
                shown = (name, sizes, report, undefined)
                for end, is_sharp, extreme in (
                    (ends.low, ends.low_attained, min(values)),
                    (ends.high, ends.high_attained, max(values)),
                ):
                    assert end == pytest.approx(extreme, abs=1e-9) if is_sharp else True, shown
                assert ends.low <= min(values) + 1e-9, shown
                assert ends.high >= max(values) - 1e-9, shown
                sharp, asked = sharp + ends.low_attained + ends.high_attained, asked + 2
    assert sharp >= 0.95 * asked


def test_without_listing_tables_no_verdict_is_false(monkeypatch: pytest.MonkeyPatch) -> None:
    """Proofs and draws, where small problems are taken for ones whose tables are too many to list."""
    monkeypatch.setattr(class_search, "_THINNED_ABOVE", 0)
    rng, decided = random.Random(3), 0
    for _ in range(14):
        sizes, report, undefined = draw(rng)
        real = real_margins(sizes, report, undefined)
        with strategy.using(listed_up_to_choices=0):
            found = ff.recover(classes=list(sizes), undefined=undefined, folds="none", bounds="none", **report)
            assert {tuple(each[1:] for each in margins) for margins in found.margins()} <= real
            assert found.count <= len(real)
            assert found.verdict != "impossible" or not real, (sizes, report, undefined)
            assert not (found.count == 1 and found.counted) or len(real) == 1, (sizes, report, undefined)
            decided += found.verdict != "undecided"
            for name in ("macro_f1", "kappa", "accuracy", "recall[1]") if found.count else ():
                values = [each for margins in real if not math.isnan(each := value(name, margins, undefined))]
                ends = found.bounds(name)
                if values and ends.low is not None:
                    shown = (name, sizes, report, undefined)
                    assert ends.low <= min(values) + 1e-9, shown
                    assert ends.high >= max(values) - 1e-9, shown
                    assert not ends.low_attained or ends.low == pytest.approx(min(values), abs=1e-9), shown
                    assert not ends.high_attained or ends.high == pytest.approx(max(values), abs=1e-9), shown
    assert decided >= 9
