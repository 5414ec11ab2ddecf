"""Random reports about one table: names, printed numbers and sizes."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any, Final

from .printed import ROUNDINGS, disguise, exactly, in_units, show
from .running import Case
from .scores import ALIASES, AVERAGED, COUNTS, SCORES, UNLIMITED, USUAL, Cells, meant_by
from .surds import decimal, score

# Where no size is known, a search for roots would take a minute.
_BUDGET: Final = 100_000
_LARGE_BUDGET: Final = 1_000_000
_CONVENTIONS: Final = ("any", "any", "any", "none", "none", "zero", "zero", "one", "one", "excluded")


def value_at(name: str, cells: Cells, undefined: str) -> Fraction | None:
    """Return a score of a table, roots with many digits; None where it is undefined."""
    found = score(meant_by(name), cells, undefined)
    if found is None:
        return None
    return found.get(1, Fraction(0)) if set(found) <= {1} else Fraction(str(decimal(found)))


def random_name(random: Random, *, area: bool = True) -> str:
    """Return a score, a count or the area, by one of its names."""
    kind = random.random()
    if kind < 0.55:
        name = random.choice(USUAL)
    elif kind < 0.78:
        name = random.choice(SCORES)
    elif kind < 0.87:
        return f"{random.choice(['macro', 'weighted', 'macro', 'weighted', 'micro'])}_{random.choice(AVERAGED)}"
    elif kind < 0.93 or not area:
        name = random.choice(COUNTS)
    else:
        name = "auc"
    if name in ALIASES and random.random() < 0.3:
        name = random.choice(ALIASES[name])
    elif name not in ("auc", *COUNTS) and random.random() < 0.05:
        name = f"{name}[{random.choice(['negative', 'positive'])}]"
    return name


def random_table(random: Random, most: int) -> Cells:
    """Return a small table; extreme ones are more frequent than by chance."""
    p, n = (random.choice([0, 1, 2, random.randint(1, most), random.randint(1, most)]) for _ in "pn")
    if p + n == 0:
        p = 1
    tp = random.choice([0, p, random.randint(0, p), random.randint(0, p)])
    tn = random.choice([0, n, random.randint(0, n), random.randint(0, n)])
    return tp, p - tp, n - tn, tn


def _area_at(cells: Cells, random: Random) -> Fraction | None:
    tp, fn, fp, tn = cells
    p, n = tp + fn, fp + tn
    if not p * n:
        return None
    return Fraction(random.randint(2 * tp * tn, 2 * (p * n - fn * fp)), 2 * p * n)


def _disturbed(text: str, random: Random) -> str:
    """Return a printed number that is off by a few units of its last digit."""
    bare, percent = text.rstrip("%"), "%" if text.endswith("%") else ""
    digits = len(bare.partition(".")[2])
    units, step = int(exactly(bare) * 10**digits), random.choice([-7, -3, -2, -1, 1, 1, 2, 4, 11])
    # Most scores lie between 0 and 1, and one outside of its range is refused at once.
    outside = not 0 <= units + step <= 10**digits * (100 if percent else 1)
    return in_units(units - step if outside and random.random() < 0.9 else units + step, digits) + percent


def _interval(value: Fraction, random: Random) -> str:
    low, high = (value + Fraction(random.randint(-9, 9), 50) for _ in "lh")
    low, high = min(low, high), max(low, high)
    form = random.choice(["[{}, {}]", "({}, {})", "[{}, {})", "({}; {}]"])
    return form.format(show(low, 3, "any"), show(high + Fraction(1, 500), 3, "any"))


def printed_value(name: str, value: Fraction, rounding: str, random: Random, *, true: bool) -> Any:
    """Print a value in one of the ways that reports have, true or nearly so."""
    kind = random.random()
    if kind < 0.06:
        return _interval(value, random)
    if kind < 0.09 and value.denominator < 10**6:
        return f"={value}" if random.random() < 0.5 else f"{value.numerator}/{value.denominator}"
    if kind < 0.11:
        return f"{show(value, 2, 'any')} ± {show(Fraction(random.randint(0, 6), 100), 2, 'any')}"
    if kind < 0.13:
        return float(f"{float(value):.{random.randint(1, 5)}f}")
    percent = random.random() < 0.25 and meant_by(name).id not in UNLIMITED
    digits = random.choice([0, 1, 1, 2, 3]) if percent else random.choice([1, 2, 2, 3, 3, 3, 4, 5])
    text = show(value, digits, rounding, percent=percent)
    return disguise(text if true else _disturbed(text, random), random)


def _count(value: Fraction, random: Random, *, true: bool) -> Any:
    count = max(int(value) + (0 if true else random.choice([1, -1])), 0)
    return random.choice([count, str(count), f"{max(count - 1, 0)}-{count + 1}", [count, count + 2]])


def random_claims(random: Random, cells: Cells, rounding: str, undefined: str, *, area: bool = True) -> dict[str, Any]:
    """Return what a report says of a table: a few scores, some of them not true."""
    claims: dict[str, Any] = {}
    honest = random.random() < 0.5
    convention = random.choice(["zero", "zero", "one"]) if undefined == "any" else undefined
    for _ in range(random.choice([1, 1, 2, 2, 2, 3, 3, 4, 5])):
        name = random_name(random, area=area)
        meant = meant_by(name)
        own = cells if honest or random.random() < 0.9 else random_table(random, 9)
        true = honest or random.random() < 0.6
        value = _area_at(own, random) if meant.is_area else value_at(name, own, convention)
        value = value or Fraction(0)
        printed = _count(value, random, true=true) if meant.is_count else None
        claims[name] = printed_value(name, value, rounding, random, true=true) if printed is None else printed
    return claims


def _range(value: int, random: Random) -> Any:
    low, high = max(value - random.randint(0, 2), 0), value + random.randint(0, 2)
    return random.choice([f"{low}-{high}", [low, high]])


def random_sizes(random: Random) -> tuple[dict[str, Any], Cells]:
    """Return what a report says about its size, and a table of that size."""
    kind = random.random()
    if kind < 0.68:
        cells = random_table(random, 12)
        p, n = cells[0] + cells[1], cells[2] + cells[3]
        ways = [{"positives": p, "negatives": n}] * 6 + [{"positives": p, "total": p + n}]
        return random.choice(ways), cells
    if kind < 0.8:
        cells = random_table(random, 6)
        p, n = cells[0] + cells[1], cells[2] + cells[3]
        ways = [
            {"positives": _range(p, random), "negatives": n},
            {"positives": _range(p, random), "negatives": _range(n, random)},
            {"positives": p, "negatives": _range(n, random), "total": _range(p + n, random)},
            {"positives": _range(p, random), "total": p + n},
        ]
        return random.choice(ways), cells
    cells = random_table(random, 4)
    p, n = cells[0] + cells[1], cells[2] + cells[3]
    if kind < 0.92:
        return {"total": p + n if random.random() < 0.7 else _range(p + n, random)}, cells
    ways = [{}, {}, {"positives": p}, {"negatives": n}]
    return {**random.choice(ways), "max_total": p + n + random.randint(0, 1)}, cells


def small_report(random: Random) -> Case:
    """Return a report about a small table."""
    sizes, cells = random_sizes(random)
    rounding = random.choice(["any"] * 8 + list(ROUNDINGS[1:]))
    undefined = random.choice(_CONVENTIONS)
    open_sizes = "max_total" in sizes
    claims = random_claims(random, cells, rounding, undefined)
    if open_sizes:
        # Counts say how large a table is, whatever the largest total to try.
        claims = {name: text for name, text in claims.items() if not meant_by(name).is_count} or {"acc": "0.5"}
    report = {**sizes, **claims, "rounding": rounding, "undefined": undefined}
    if any(meant_by(name).is_area for name in claims) and random.random() < 0.3 and not open_sizes:
        p, n = cells[0] + cells[1], cells[2] + cells[3]
        if max(p, n) <= 5 and "total" not in sizes:
            report |= {"curve": "convex", "positives": p, "negatives": n}
    return {"of": "small", "report": _with_bounds(report), "deep": random.random() < 0.06}


def _with_bounds(report: dict[str, Any]) -> dict[str, Any]:
    """Say that ± means bounds, where it stands: of one table it could mean nothing else."""
    return {**report, "spread": "bounds"} if any("±" in str(value) for value in report.values()) else report


def large_report(random: Random) -> Case:
    """Return a true report about a table of a thousand to a billion cases."""
    size = 10 ** random.uniform(3, 9)
    share = random.choice([0.5, 0.3, 0.1, 0.01, random.random()])
    p, n = max(int(size * share), 1), max(int(size * (1 - share)), 1)
    tp, tn = (round(m * random.choice([0.5, 0.8, 0.9, 0.97, 0.999, random.random()])) for m in (p, n))
    cells: Cells = (tp, p - tp, n - tn, tn)
    rounding = random.choice(["any", "any", *ROUNDINGS])
    area = _area_at(cells, random)
    claims: dict[str, Any] = {}
    for _ in range(random.randint(1, 4)):
        name = random_name(random)
        value = area if meant_by(name).is_area else value_at(name, cells, "none")
        if value is None:
            continue
        percent = random.random() < 0.3 and meant_by(name).id not in UNLIMITED
        count = meant_by(name).is_count
        claims[name] = int(value) if count else show(value, random.randint(2, 6), rounding, percent=percent)
    sizes = random.choice(
        [{"positives": p, "negatives": n}] * 4 + [{"positives": p, "total": p + n}, {"total": p + n}, {}]
    )
    if size > 2000 and len(sizes) < 2 and sizes:
        sizes = {"positives": p, "negatives": n}
    report = {**sizes, **(claims or {"acc": show(Fraction(tp + tn, p + n), 3, rounding)}), "rounding": rounding}
    report["budget"] = _LARGE_BUDGET
    return {"of": "large", "report": report, "table": list(cells)}


def report_of_any_size(random: Random) -> Case:
    """Return a report that says no size at all."""
    cells = random_table(random, random.choice([3, 6, 12, 40]))
    rounding = random.choice(["any"] * 4 + list(ROUNDINGS[1:]))
    undefined = random.choice(["any", "none", "zero", "one"])
    claims = random_claims(random, cells, rounding, undefined, area=False)
    claims = {name: text for name, text in claims.items() if not meant_by(name).is_count} or {"acc": "0.5"}
    report = {**claims, "rounding": rounding, "undefined": undefined, "budget": _BUDGET}
    return {"of": "any size", "report": _with_bounds(report)}
