"""Reports of means over folds and test sets, against all ways to fill small ones with tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations
from random import Random
from typing import Any, Final

import fourfold as ff

from .claimed import FILLING, cells_of
from .fold_means import (
    MeansOf,
    Part,
    fillings,
    means_at,
    means_fit,
    part_score,
    pooled_at,
    possible_means,
    shares_of,
    stratified,
    ways_to_fill,
)
from .make_reports import printed_value
from .mixtures import any_parts, repeated_parts, shares_found
from .printed import ROUNDINGS, RULES, said_by, show
from .running import Attack, Case, expect
from .scores import AVERAGED, SCORES, USUAL, Cells, limits_of, meant_by
from .surds import Surd, added, decimal, product, times

_MOST_WAYS: Final = 20_000
_MOST_BOUNDED: Final = 600
_OPTIONS: Final = (
    "positives",
    "negatives",
    "folds",
    "sets",
    "over",
    "spread",
    "each",
    "repeats",
    "rounding",
    "undefined",
)
_SPREADS: Final = ("sd", "sample_sd", "standard_error")
_CLOSE: Final = 1e-9
_WITH_SPREAD: Final = re.compile(r"(.+?)\s*±\s*(.+)")
_NAMES: Final = (
    *USUAL,
    *USUAL,
    *SCORES,
    *(f"macro_{name}" for name in AVERAGED),
    *(f"weighted_{name}" for name in AVERAGED),
)


def fold_parts(report: Mapping[str, Any]) -> list[list[Part]]:
    """Return the ways in which the parts of a report can be made up; several where only their sizes are known."""
    if "sets" in report:
        return [_set_parts(report["sets"])]
    folds, repeats = report["folds"], report.get("repeats", 1)
    if isinstance(folds, int):
        return [stratified(report["positives"], report["negatives"], folds) * repeats]
    if isinstance(folds, str):
        number = int(folds.split()[0])
        total = report["positives"] + report["negatives"]
        folds = [total // number + (i < total % number) for i in range(number)]
    if isinstance(folds[0], list):
        return [[Part(*pair) for pair in folds] * repeats]
    return [
        [Part(p, size - p) for p, size in zip(way, folds, strict=True)] for way in shares_of(report["positives"], folds)
    ]


def _set_parts(sets: Sequence[Mapping[str, Any]]) -> list[Part]:
    parts = []
    for one in sets:
        own = [Part(one["positives"], one["negatives"])]
        if one.get("folds"):
            own = stratified(one["positives"], one["negatives"], one["folds"])
        # Each set counts once, however many folds it has.
        weight = Fraction(str(one.get("weight", 1))) / len(own)
        parts += [part._replace(weight=weight) for part in own] * one.get("repeats", 1)
    return parts


def other_deals(report: Mapping[str, Any]) -> list[list[Part]]:
    """Return the other ways in which a tool could deal stratified folds."""
    if "sets" in report or not isinstance(report["folds"], int):
        return []
    p, n, folds = report["positives"], report["negatives"], report["folds"]
    a, b = p % folds, n % folds
    least, most = max(0, a + b - folds), min(a, b)
    deals = [stratified(p, n, folds, both) * report.get("repeats", 1) for both in range(least + 1, most + 1)]
    # No fold is without cases.
    return [parts for parts in deals if all(part.p + part.n for part in parts)]


def fold_claims(
    report: Mapping[str, Any], *, over: str, spread: str, single: bool = False, cut: bool = False
) -> list[MeansOf]:
    """Return what a report says, where its scores are means or of all cases, and ± is of some kind.

    With `single`, they were floats of 32 bits before they were rounded; with `cut`, their decimals were cut off.
    """
    read = partial(said_by, single=single)
    claims, rounding = [], report.get("rounding", "any")
    rounding = "truncate" if cut and rounding == "any" else rounding
    for name, text in report.items():
        if name in _OPTIONS:
            continue
        beside = _WITH_SPREAD.fullmatch(str(text))
        if beside and report.get("spread") != "bounds":
            claims.append(MeansOf(meant_by(name), read(beside[1], rounding), over))
            deviation = beside[2] if beside[2].endswith("%") or not beside[1].endswith("%") else f"{beside[2]}%"
            claims.append(MeansOf(meant_by(name), read(deviation, "any"), spread))
        else:
            claims.append(MeansOf(meant_by(name), read(str(text), rounding), over))
    for name, text in report.get("each", {}).items():
        claims.append(MeansOf(meant_by(name), read(text, rounding), "each"))
    return claims


class FoldAttack(Attack):
    """Reports of means: small ones against all ways to fill the folds, others against the tables they came from."""

    def make(self, random: Random) -> Case:
        """Make a report."""
        return large_means(random) if random.random() < 0.01 else small_means(random)

    def judge(self, case: Case) -> str:
        """Decide it, and compare with all ways there are."""
        report = case["report"]
        try:
            found: Any = ff.recover(report, bounds="none")
        except ff.InputError as error:
            expect(error.code == "out_of_range" and _is_outside(report), "refused", str(error))
            return "refused score"
        if case["of"] == "large":
            expect(found.verdict in ("possible", "undecided"), "a true report", found.verdict, found.blame)
            if found.verdict == "possible":
                _check_witness(found, report)
            return f"large, {found.verdict}"
        return _Folds(found, report).judge(deep=case["deep"])

    def smaller(self, case: Case) -> Iterator[Case]:
        """Leave out scores and options, and take fewer or smaller folds."""
        report: dict[str, Any] = case["report"]
        scores = [name for name in report if name not in _OPTIONS]
        for name in report:
            if name in ("rounding", "undefined", "each", "repeats", "over") or (name in scores and len(scores) > 1):
                yield {**case, "report": {key: value for key, value in report.items() if key != name}}
        if case["of"] == "large":
            return
        for name in ("positives", "negatives"):
            if report.get(name, 0) > 0:
                yield {**case, "report": {**report, name: report[name] - 1}}
        for name in ("folds", "sets"):
            if isinstance(report.get(name), list) and len(report[name]) > 2:
                yield {**case, "report": {**report, name: report[name][:-1]}}
            elif isinstance(report.get(name), int) and report[name] > 2:
                yield {**case, "report": {**report, name: report[name] - 1}}


#: The readings of folds that are judged; others take a score for another one.
_JUDGED: Final = frozenset(
    {"undefined_as_zero", "undefined_left_out", "undefined_as_one", "folds_dealt_otherwise", "pooled", "cut_off",
     "single_precision", "folds_repeated", "folds_not_stratified", "f1_of_means", "spread_sd", "spread_sample_sd",
     "spread_standard_error"}
)  # fmt: skip


def _is_outside(report: Mapping[str, Any]) -> bool:
    claims = fold_claims(report, over="mean", spread="sd")
    ends = [(claim.said, *limits_of(claim.meant)) for claim in claims if claim.of in ("mean", "each")]
    return any(said.high < low or (high is not None and said.low > high) for said, low, high in ends)


class _Folds:
    """What was found for means over small parts, beside all ways to fill these."""

    def __init__(self, found: Any, report: Mapping[str, Any]) -> None:
        self.found, self.report = found, report
        self.said = report.get("undefined", "any")
        self.over = report.get("over", "any")

    def judge(self, *, deep: bool) -> str:
        """Judge every reading that was tried, the verdict, and the tables that were found."""
        found = self.found
        looked_at = 0
        for codes, verdicts in self._tried().items():
            right = self.possible(codes)
            if right is None:
                continue
            looked_at += 1
            verdict = min(verdicts, key=("possible", "undecided", "impossible").index)
            # Positives that are dealt as chance hardly does count as no explanation.
            passed_over = "folds_not_stratified" in codes and verdict == "impossible"
            decided = verdict == "undecided" or (verdict == "possible") == right
            expect(decided or passed_over, "reading", codes, verdict, right)
        if found.verdict in ("impossible", "unexplained"):
            for codes in self._all_codes():
                expect(self.possible(codes) is not True, "a reading fits", found.verdict, codes)
        if found.verdict == "impossible":
            self._no_average()
        codes = tuple(departure.code for departure in found.departures)
        if found.verdict in ("possible", "conditional"):
            expect((found.verdict == "conditional") == bool(codes), "verdict and departures", found.verdict, codes)
            _check_witness(found, self.report)
            if codes:
                plain = self.possible(self._plain_codes()[0])
                expect(codes[0].startswith("spread") or not plain, "read otherwise, though it fits as it stands", codes)
        if deep:
            self._deep(codes)
        return f"{found.verdict}{'' if looked_at else ', not enumerated'}"

    def _tried(self) -> dict[tuple[str, ...], list[str]]:
        tried: dict[tuple[str, ...], list[str]] = {}
        for reading in self.found.readings:
            tried.setdefault(tuple(d.code for d in reading.departures), []).append(reading.verdict)
        return tried

    def _plain_codes(self) -> list[tuple[str, ...]]:
        deviates = any(claim.of in _SPREADS for claim in fold_claims(self.report, over="mean", spread="sd"))
        if deviates and self.report.get("spread", "any") == "any":
            return [(f"spread_{kind}",) for kind in _SPREADS]
        return [()]

    def _all_codes(self) -> list[tuple[str, ...]]:
        """Return all readings that a report can have."""
        plain = self._plain_codes()
        more = [("undefined_as_zero",), ("undefined_left_out",), ("undefined_as_one",)] if self.said == "any" else []
        more += [("folds_dealt_otherwise",)] if other_deals(self.report) else []
        codes = [*plain, *((*one, *other) for other in more for one in plain)]
        deviates = any(claim.of in _SPREADS for claim in fold_claims(self.report, over="mean", spread="sd"))
        if self.over == "any" and not deviates:
            codes += [("pooled",), *(("pooled", filling) for filling in FILLING if self.said == "any")]
        return [*codes, *((*one, "single_precision") for one in codes)]

    def possible(self, codes: tuple[str, ...]) -> bool | None:
        """Tell whether a reading fits, by all ways there are; None where these are too many, or it is not judged."""
        # Rounds of random folds can each be dealt otherwise, so that no list of deals tells.
        if not set(codes) <= _JUDGED or {"folds_not_stratified", "folds_repeated"} <= set(codes):
            return None
        claims, undefined, every = self._read_as(codes)
        if "folds_repeated" in codes and undefined == "excluded":
            # How many parts have a value varies from round to round.
            return None
        if "folds_repeated" in codes:
            known = [repeated_parts(parts, claims, undefined) for parts in every]
            return True if any(known) else None if None in known else False
        if sum(map(ways_to_fill, every)) > _MOST_WAYS:
            return None
        return any(possible_means(parts, claims, undefined, most=_MOST_WAYS) for parts in every)

    def _read_as(self, codes: tuple[str, ...]) -> tuple[list[MeansOf], str, list[list[Part]]]:
        kinds = [code.removeprefix("spread_") for code in codes if code.startswith("spread_")]
        said = self.report.get("spread", "any")
        spread = kinds[0] if kinds else said if said in _SPREADS else "sd"
        undefined = "none" if self.said == "any" else self.said
        undefined = next((convention for filling, convention in FILLING.items() if filling in codes), undefined)
        undefined = "excluded" if "undefined_left_out" in codes else undefined
        over = "pooled" if "pooled" in codes or self.over == "pooled" else "mean"
        every = other_deals(self.report) if "folds_dealt_otherwise" in codes else fold_parts(self.report)
        if "folds_not_stratified" in codes:
            every = fold_parts({**self.report, "folds": f"{self.report['folds']} unstratified"})
        single, cut = "single_precision" in codes, "cut_off" in codes
        claims = fold_claims(self.report, over=over, spread=spread, single=single, cut=cut)
        if "f1_of_means" in codes:
            claims = [claim for claim in claims if claim.meant != meant_by("f1")]
        return claims, undefined, every

    def _no_average(self) -> None:
        """Check that nothing gives a report which is impossible whatever was averaged: no average over any parts."""
        if self.found.average is None:
            return
        for codes in self._all_codes():
            claims, undefined, _ = self._read_as(codes)
            expect(not any_parts(claims, undefined), "impossible, and an average fits", codes)

    def _deep(self, codes: tuple[str, ...]) -> None:
        """Check blame, and bounds of means and of scores of all cases."""
        if self.found.verdict in ("impossible", "unexplained"):
            self._blame()
        claims, undefined, every = self._read_as(codes)
        if self.found.verdict not in ("possible", "conditional") or sum(map(ways_to_fill, every)) > _MOST_BOUNDED:
            return
        filled = [(parts, tables) for parts in every for tables in fillings(parts, claims, undefined)]
        for name in ("accuracy", "precision", "f1"):
            for over in ("mean", "pooled"):
                self._bounds(name, over, filled, undefined)

    def _bounds(self, name: str, over: str, filled: list[tuple[list[Part], list[Cells]]], undefined: str) -> None:
        meant, bounds = meant_by(name), self.found.bounds(name, over=over)
        if over == "mean":
            # The tables stand in the order of equal parts.
            every = [means_at(_sorted(parts), tables, meant, undefined) for parts, tables in filled]
        else:
            every = [pooled_at(tables, meant, undefined) for _, tables in filled]
        values = [value for value in every if value is not None]
        if not values or bounds.low is None:
            expect(not values, "no bounds, though there are values", name, over)
            return
        expect(bounds.low <= min(values) + _CLOSE, "a mean below its bound", name, over, bounds, min(values))
        expect(bounds.high >= max(values) - _CLOSE, "a mean above its bound", name, over, bounds, max(values))
        if bounds.low_found is not None:
            expect(bounds.low_found >= min(values) - _CLOSE, "an end that is not attained", name, over, bounds)
            expect(bounds.high_found <= max(values) + _CLOSE, "an end that is not attained", name, over, bounds)
        for attained, end, value in (
            (bounds.low_attained, bounds.low, min(values)),
            (bounds.high_attained, bounds.high, max(values)),
        ):
            expect(not attained or abs(end - value) < _CLOSE, "an end that is said to be attained", name, over, bounds)

    def _blame(self) -> None:
        """Check that the scores blamed contradict each other, and that none of them can be left out."""
        codes = self._plain_codes()[0]
        if self.over == "pooled" and "each" not in self.report:
            self._all_blame(codes)
        for names in self.found.blame:
            right = self._without(set(), names, codes)
            expect(right is not True, "blamed, and possible", names)
            for name in names if len(names) > 1 else ():
                expect(self._without({name}, names, codes) is not False, "blamed without need", names, name)

        for left in self.found.left_out:
            expect(all({*left.names} & {*names} for names in self.found.blame), "a contradiction is left", left)
            names = [name.strip() for name in self.report if name not in _OPTIONS]
            expect(self._without(set(left.names), names, codes) is not False, "without what is left out", left)

    def _all_blame(self, codes: tuple[str, ...]) -> None:
        """Check that all smallest sets of scores of all cases together that contradict each other are blamed."""
        names = [name.strip() for name in self.report if name not in _OPTIONS]
        smallest: list[set[str]] = []
        for some in (set(some) for size in range(1, len(names) + 1) for some in combinations(names, size)):
            if not any(less <= some for less in smallest):
                right = self._without(set(), sorted(some), codes)
                if right is None:
                    return
                smallest += [] if right else [some]
        blamed = sorted(map(sorted, self.found.blame))
        expect(blamed == sorted(map(sorted, smallest)), "not all that contradicts", blamed, smallest)

    def _without(self, left_out: set[str], names: Sequence[str], codes: tuple[str, ...]) -> bool | None:
        keep = [name for name in names if name not in left_out]
        report = {key: value for key, value in self.report.items() if key in _OPTIONS or key.strip() in keep}
        return _Folds(self.found, report).possible(codes)


def _sorted(parts: Sequence[Part]) -> list[Part]:
    return [part for part in dict.fromkeys(parts) for _ in range(list(parts).count(part))]


def _check_witness(found: Any, report: Mapping[str, Any]) -> None:
    """Check the tables that were found, one for each part, from the definitions."""
    folds = _Folds(found, report)
    codes = tuple(departure.code for departure in found.departures)
    if not set(codes) <= _JUDGED:
        return
    claims, undefined, every = folds._read_as(codes)
    tables = [cells_of(table) for table in found.tables()]
    if not tables:
        if len(every) > 1 or undefined == "excluded":
            return  # shares of rounds that can be dealt otherwise
        [known] = every
        parts, tables = shares_found(found, known)
        expect(means_fit(parts, tables, claims, undefined), "shares that do not fit", codes, tables)
        return
    own = sorted((tp + fn, fp + tn) for tp, fn, fp, tn in tables)
    right = [sorted((part.p, part.n) for part in parts) for parts in every]
    expect(own in right, "sizes of the parts found", own, right[:2])
    if len({part.weight for part in every[0]}) == 1:
        parts = [Part(tp + fn, fp + tn) for tp, fn, fp, tn in tables]
    else:
        parts = _parts_of(tables, every[0])
    expect(means_fit(parts, tables, claims, undefined), "tables that do not fit", codes, tables)


def _parts_of(tables: Sequence[Cells], parts: Sequence[Part]) -> list[Part]:
    """Return the part of each table; sets with weights are given back in their order."""
    expect([(tp + fn, fp + tn) for tp, fn, fp, tn in tables] == [(p.p, p.n) for p in parts], "order of sets", tables)
    return list(parts)


def _random_parts(random: Random) -> dict[str, Any]:
    """Return what a report says about its parts: few and small ones."""
    kind = random.random()
    if kind < 0.5:
        folds = random.choice([2, 2, 3, 3, 4, 5, 5, 10])
        most = {2: 7, 3: 4, 4: 3, 5: 2, 10: 1}[folds]
        p, n = (random.randint(folds if random.random() < 0.7 else 1, folds * most) for _ in "pn")
        p, n = (min(p, 12), min(n, 12)) if folds == 10 else (p, n)
        report = {"positives": p, "negatives": max(n, folds - p), "folds": folds}
        return report | ({"repeats": 2} if random.random() < 0.05 and folds == 2 else {})
    if kind < 0.7:
        count = random.choice([2, 2, 3, 4])
        most = {2: 6, 3: 3, 4: 2}[count]
        return {"folds": [[random.randint(0, most), random.randint(1, most)] for _ in range(count)]}
    if kind < 0.8:
        sizes = [random.randint(1, 4) for _ in range(random.choice([2, 2, 3]))]
        return {"folds": sizes, "positives": random.randint(0, sum(sizes))}
    if kind < 0.85:
        p, n = random.randint(1, 5), random.randint(1, 5)
        return {"folds": f"{random.choice([2, 3]) if p + n > 2 else 2} unstratified", "positives": p, "negatives": n}
    sets = []
    for _ in range(random.choice([2, 2, 3])):
        one: dict[str, Any] = {"positives": random.randint(1, 4), "negatives": random.randint(1, 4)}
        if random.random() < 0.5:
            one["weight"] = random.choice([2, "0.5", 3, "1.5"])
        if random.random() < 0.15:
            one["folds"] = 2
        sets.append(one)
    return {"sets": sets}


def _deviation(values: Sequence[Surd], kind: str) -> Fraction:
    count = len(values)
    mean = times(added(*values), Fraction(1, count))
    off = [added(value, times(mean, Fraction(-1))) for value in values]
    squares = added(*(product(one, one) for one in off))
    divisor = {"sd": count, "sample_sd": count - 1, "standard_error": count * (count - 1)}[kind]
    whole = decimal(times(squares, Fraction(1, divisor))) if divisor else decimal({})
    return Fraction(str(max(whole, 0 * whole).sqrt()))


def _printed(name: str, value: Fraction, how: Mapping[str, Any]) -> Any:
    """Print a value without a ±, which means a deviation here."""
    while "±" in str(printed := printed_value(name, value, how["rounding"], how["random"], true=how["true"])):
        pass
    return printed


def _printed_mean(name: str, parts: Sequence[Part], tables: Sequence[Cells], how: Mapping[str, Any]) -> Any:
    """Print a mean, or the score of all cases, of tables; now and then with its deviation."""
    random: Random = how["random"]
    meant, undefined = meant_by(name), how["undefined"]
    if how["over"] == "pooled":
        columns = tuple(sum(column) for column in zip(*tables, strict=True))
        pooled = part_score(meant, (columns[0], columns[1], columns[2], columns[3]), how["filled"])
        value = Fraction(str(decimal(pooled or {})))
        return _printed(name, _simple(value), how)
    values = [
        (part_score(meant, cells, undefined) or {}, part.weight) for cells, part in zip(tables, parts, strict=True)
    ]
    whole = sum((weight for _, weight in values), Fraction(0))
    mean = times(added(*(times(value, weight) for value, weight in values)), 1 / whole)
    exact = mean.get(1, Fraction(0)) if set(mean) <= {1} else Fraction(str(decimal(mean)))
    if not how["deviates"]:
        return _printed(name, exact, how)
    spread = _deviation([value for value, _ in values], how["spread"])
    if not how["true"]:
        spread += Fraction(random.choice([1, 2, 5]), 100)
    digits = random.choice([1, 2, 3])
    if random.random() < 0.3 and abs(exact) <= 1:
        return f"{show(exact, digits, how['rounding'], percent=True)} ± {show(spread, digits, 'any', percent=True)}"
    return f"{show(exact, digits, how['rounding'])} ± {show(spread, digits, 'any')}"


def _simple(value: Fraction) -> Fraction:
    """Return a value that was taken by way of a decimal as the simple fraction it was."""
    near = value.limit_denominator(10**6)
    return near if abs(near - value) < Fraction(1, 10**40) else value


def small_means(random: Random) -> Case:
    """Return a report about a few small parts."""
    report = _random_parts(random)
    undefined = random.choice(["any", "any", "any", "none", "zero", "one", "excluded"])
    convention = random.choice(["zero", "zero", "one"]) if undefined == "any" else undefined
    convention = "zero" if convention == "none" else convention
    over = random.choice(["any", "any", "mean", "mean", "pooled"])
    spread = random.choice(["any", *_SPREADS])
    ways = fold_parts(report)
    parts = random.choice(ways)
    tables = [random.choice(part.tables()) for part in parts]
    weighted = len({part.weight for part in parts}) > 1
    how = {
        "random": random,
        "undefined": convention,
        "filled": "zero" if convention == "excluded" else convention,
        "over": over,
        "rounding": random.choice([*["any"] * 6, *ROUNDINGS[1:]]),
        "true": random.random() < 0.5,
        "deviates": random.random() < 0.15 and not weighted and over != "pooled",
        "spread": random.choice(_SPREADS) if spread == "any" else spread,
    }
    assert how["rounding"] in ("any", *RULES)
    if how["deviates"]:
        report["spread"] = spread
    for _ in range(random.choice([1, 1, 2, 2, 3, 4])):
        name = random.choice(_NAMES)
        report[name] = _printed_mean(name, parts, tables, {**how, "true": how["true"] or random.random() < 0.6})
    if random.random() < 0.1:
        report["each"] = {random.choice(USUAL[:5]): random.choice(["[0.2, 1]", "[0, 0.9]", "(0.3, 0.8]"])}
    report |= {"rounding": how["rounding"], "undefined": undefined, "over": over}
    return {"of": "small", "report": report, "deep": random.random() < 0.05}


def large_means(random: Random) -> Case:
    """Return a true report of means over folds of up to a million cases."""
    folds = random.choice([3, 5, 10])
    size = int(10 ** random.uniform(2.3, 6))
    p = max(int(size * random.choice([0.5, 0.3, 0.1])), folds)
    report: dict[str, Any] = {"positives": p, "negatives": max(size - p, folds), "folds": folds, "over": "mean"}
    parts = stratified(p, report["negatives"], folds)
    hit, clear = random.uniform(0.4, 0.98), random.uniform(0.4, 0.98)
    tables: list[Cells] = []
    for part in parts:
        tp = min(part.p, max(0, round(part.p * (hit + random.uniform(-0.03, 0.03)))))
        tn = min(part.n, max(0, round(part.n * (clear + random.uniform(-0.03, 0.03)))))
        tables.append((tp, part.p - tp, part.n - tn, tn))
    for name in random.sample(
        ["accuracy", "recall", "specificity", "precision", "f1", "balanced_accuracy"], random.randint(1, 3)
    ):
        value = means_at(parts, tables, meant_by(name), "none")
        if value is not None:
            exact = (
                added(*(part_score(meant_by(name), cells, "none") or {} for cells in tables)).get(1, Fraction(0))
                / folds
            )
            report[name] = show(exact, random.choice([2, 3]), "any", percent=random.random() < 0.3)
    if not set(report) - set(_OPTIONS):
        report["accuracy"] = show(Fraction(sum(t[0] + t[3] for t in tables), size), 1, "any")
    return {"of": "large", "report": report}
