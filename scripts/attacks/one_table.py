"""Reports about one table, against all tables that their sizes allow."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any, Final

import numpy as np

import fourfold as ff

from .claimed import (
    Claimed,
    area_ends,
    as_zero,
    cells_of,
    claimed,
    fitting,
    fitting_convex,
    margins_of,
    names_in,
    read_as,
    readings,
    sizes_of,
    small_world,
    smallest_contradictions,
    values_of,
)
from .computed import computed_report
from .fold_means import MeansOf, Part, means_fit, possible_means, stratified
from .make_reports import large_report, report_of_any_size, small_report
from .mixtures import any_parts, repeated_parts, shares_found
from .running import Attack, Case, Wrong, expect
from .scores import SCORES, Ints, World, limits_of, meant_by, world
from .surds import decimal, inside, score

OPTIONS: Final = ("positives", "negatives", "total", "max_total", "rounding", "undefined", "curve", "spread", "budget")
_MOST_MULTISETS: Final = 3000
_ROUNDING: Final = 1e-9
_LARGEST_LOOKED_AT: Final = 14
_MOST_WAYS, _MOST_LEFT_OUT = 3, 3


def claims_of(report: Mapping[str, Any]) -> list[Claimed]:
    """Return the claims of a report."""
    rounding = report.get("rounding", "any")
    return [claimed(name, value, rounding) for name, value in report.items() if name not in OPTIONS]


def _without_cases(report: Mapping[str, Any]) -> bool:
    return all(sizes_of(report.get(name, 1))[1] == 0 for name in ("positives", "negatives"))


class RecoverAttack(Attack):
    """Reports about one table: small ones against brute force, large ones against the table that made them."""

    def make(self, random: Random) -> Case:
        """Make a report."""
        kind = random.random()
        if kind < 0.93:
            return small_report(random)
        if kind < 0.975:
            return computed_report(random)
        return large_report(random) if kind < 0.987 else report_of_any_size(random)

    def judge(self, case: Case) -> str:
        """Recover the tables, and compare them with all there are."""
        report = case["report"]
        claims = claims_of(report)
        try:
            found = ff.recover(report, bounds="none")
        except ff.InputError as error:
            return _refused(error, claims, report, case.get("table"))
        if case["of"] == "computed":
            return _judge_computed(found, tuple(case["table"]))
        if case["of"] == "large":
            return _judge_large(found, claims, report, tuple(case["table"]))
        if case["of"] == "any size":
            return _judge_any_size(found, claims, report)
        return _Small(found, claims, report).judge(deep=case["deep"])

    def smaller(self, case: Case) -> Iterator[Case]:
        """Leave out claims and options, shorten numbers, and take smaller sizes."""
        report: dict[str, Any] = case["report"]
        for name in report:
            if name in ("rounding", "undefined", "curve") or (name not in OPTIONS and len(claims_of(report)) > 1):
                yield {**case, "report": {key: value for key, value in report.items() if key != name}}
        if case.get("table"):
            return
        for name, value in report.items():
            if name in ("positives", "negatives", "total", "max_total"):
                low, high = sizes_of(value)
                if low != high:
                    yield {**case, "report": {**report, name: low}}
                for size in (low // 2, low - 1):
                    # A table without cases is no test set: nothing is to be learned from it.
                    if (1 if name == "total" else 0) <= size < low and not _without_cases({**report, name: size}):
                        yield {**case, "report": {**report, name: size}}
            elif isinstance(value, str) and re.fullmatch(r"\d*\.\d{2,}%?", value):
                shorter = value.rstrip("%")[:-1] + ("%" if value.endswith("%") else "")
                yield {**case, "report": {**report, name: shorter}}


def _refused(error: ff.InputError, claims: Sequence[Claimed], report: Mapping[str, Any], table: Any) -> str:
    """Judge an error: a score out of its range is refused, and nothing else of these reports."""
    expect(error.code in ("out_of_range", "bad_count"), "refused", str(error))
    if error.code == "bad_count":
        expect(not margins_of(report), "refused sizes that are possible", str(error))
        return "refused size"
    outside = []
    for claim in claims:
        low, high = limits_of(claim.meant)
        outside.append(claim.said.high < low or (high is not None and claim.said.low > high))
    expect(any(outside), "refused a score that is in its range", str(error))
    expect(table is None, "refused a true report", str(error))
    return "refused score"


class _Small:
    """What was found for a small report, beside all tables that its sizes allow."""

    def __init__(self, found: Any, claims: list[Claimed], report: Mapping[str, Any]) -> None:
        self.found, self.claims, self.report = found, claims, report
        self.where: World = small_world(report)
        self.said = report.get("undefined", "any")
        self.convex = report.get("curve") == "convex"
        self._plain = "none" if self.said == "any" else self.said

    def judge(self, *, deep: bool) -> str:
        """Compare all that was found with what is so."""
        found = self.found
        plain = "none" if self.said == "any" else self.said
        if self.convex:
            return self._judge_convex(plain)
        fits = fitting(self.where, self.claims, plain)
        if fits.any():
            expect(not found.departures, "read otherwise, though it fits as it stands", found.departures)
            expect(not found.contradictions, "blamed, though it fits", found.contradictions)
            self._tables(fits)
            verdict = "possible"
        else:
            self._blame(plain, deep=deep)
            verdict, fits, plain = self._judge_readings()
        expect(found.verdict == verdict, "verdict", found.verdict, verdict, int(fits.sum()))
        if deep:
            self._deep(fits, plain)
        return str(found.verdict)

    def _tables(self, fits: Ints) -> None:
        """Compare count, tables and the ranges of cells."""
        found, count = self.found, int(fits.sum())
        expect(found.count == count, "count", found.count, count)
        expect(found.counted and found.complete, "all small tables can be counted", found.reason)
        right = {self.where.tables[i] for i in np.flatnonzero(fits).tolist()}
        given = [cells_of(table) for table in found.tables()]
        expect(set(given) == right and len(given) == count, "tables", sorted(set(given) ^ right)[:5])
        ranges = {
            name: (min(cells), max(cells))
            for name, cells in zip(("tp", "fn", "fp", "tn"), zip(*right, strict=True), strict=True)
        }
        expect(dict(found.cells) == ranges, "cells", found.cells, ranges)

    def _judge_convex(self, plain: str) -> str:
        """Judge a convex curve: real ones must be found, and none that not even any curve allows."""
        must = fitting_convex(self.where, self.claims, plain)
        may = fitting(self.where, self.claims, plain)
        found = self.found
        if found.departures:
            expect(not must.any(), "read otherwise, though a convex curve fits as it stands")
            return "convex, conditional"
        given = {cells_of(table) for table in found.tables()}
        lost = [self.where.tables[i] for i in np.flatnonzero(must).tolist() if self.where.tables[i] not in given]
        expect(not lost, "a convex curve has been left out", lost[:3])
        expect(all(may[self.where.place[cells]] for cells in given), "no curve at all allows this", sorted(given)[:3])
        return f"convex, {found.verdict}"

    def _judge_readings(self) -> tuple[str, Ints, str]:
        """Compare every reading that was tried, find those that were not, and return the verdict and what fits."""
        found = self.found
        plain, *others = found.readings
        expect(not plain.departures and plain.verdict == "impossible", "the plain reading", found.readings)
        tried: set[tuple[str, ...]] = set()
        averaged: dict[str, list[str]] = {}
        fitted: list[tuple[tuple[str, ...], Ints, str]] = []
        over: list[Any] = []
        for reading in others:
            codes = tuple(departure.code for departure in reading.departures)
            if "means_over_folds" in codes:
                over.append(reading)
                continue
            tried.add(codes)
            for departure in reading.departures:
                if departure.code.endswith("_average"):
                    names, average = names_in(departure.words)
                    averaged[average] = max(names, averaged.get(average, []), key=len)
            claims, undefined = read_as(self.claims, reading.departures, self._plain)
            fits = fitting(self.where, claims, undefined)
            verdict = "possible" if fits.any() else "impossible"
            expect(reading.verdict == verdict, "reading", reading.departures, reading.verdict, verdict)
            if fits.any():
                fitted.append((codes, fits, undefined))
        self._not_tried(tried, averaged, least=min((len(codes) for codes, *_ in fitted), default=None))
        if fitted:
            given = [tuple(departure.code for departure in one.departures) for one in (found, *found.others)]
            expect(given == [codes for codes, *_ in fitted], "departures", given, fitted)
            _, fits, undefined = fitted[0]
            self._tables(fits)
            return "conditional", fits, undefined
        return self._judge_averages(over, averaged), np.zeros(len(self.where), dtype=bool), "none"

    def _not_tried(
        self, tried: set[tuple[str, ...]], averaged: Mapping[str, Sequence[str]], *, least: int | None
    ) -> None:
        """Find a reading of the attack's own list that fits, departs in as few points, and was not tried."""
        known: dict[tuple[str, ...], Ints] = {}
        for codes, claims, undefined in readings(self.claims, averaged, self.said):
            if least is not None and len(codes) > least:
                break
            fits = known[codes] = fitting(self.where, claims, undefined)
            if codes not in tried and (zeroed := as_zero(codes)):
                # Where undefined scores are printed alike, such as a correlation as 0, one reading says it.
                fits = fits & ~known[zeroed]
            expect(codes in tried or not fits.any(), "a reading was not tried and fits", codes)

    def _judge_averages(self, over: Sequence[Any], averaged: Mapping[str, Sequence[str]]) -> str:
        """Judge what was said of averages of any kind, where no reading of one table fits; return the verdict."""
        found = self.found
        verdict = str(found.verdict)
        if any(claim.meant.is_count for claim in self.claims):
            # Who gives counts has one table in mind, or that of all folds together.
            expect(found.average is None, "averages of counts", over)
            if verdict == "conditional" and len(margins_of(self.report)) == 1:
                self._witness()
            return verdict if verdict == "conditional" else "impossible"
        fixed = len(margins_of(self.report)) == 1
        for reading in over if fixed else ():
            self._judge_means(reading)
        possible = [reading for reading in over if reading.verdict == "possible"]
        undecided = any(reading.verdict == "undecided" for reading in over)
        if verdict == "conditional":
            expect(found.departures[0].code == "means_over_folds", "a condition that nothing gives", found.departures)
            expect(possible, "a condition of which no reading is told", found.departures, over)
            if fixed:
                self._witness()
            return verdict
        expect(not possible, "a reading fits", possible)
        if verdict == "impossible":
            self._no_average(averaged)
        return verdict if verdict in ("impossible", "unexplained") or undecided else "unexplained"

    def _judge_means(self, reading: Any) -> None:
        """Judge one reading as means over parts: those of one deal, and those of any number of deals."""
        claims, undefined = self._as_means(reading.departures)
        if undefined != "none" and any(claim.meant.id == "balanced_accuracy" for claim in self.claims):
            # Of a part without one class it may be the score of the other, as in scikit-learn: that is not judged.
            return
        ways = self._parts(reading.departures)
        any_number = [repeated_parts(parts, claims, undefined) for parts in ways]
        if reading.verdict == "impossible":
            once = [possible_means(parts, claims, undefined, most=_MOST_MULTISETS) for parts in ways]
            expect(not any(any_number) and not any(once), "means that fit", reading.departures)
        elif reading.verdict == "possible":
            expect(any_number != [False] * len(ways), "means that do not fit", reading.departures)

    def _parts(self, departures: Sequence[Any]) -> list[list[Part]]:
        """Return the ways to make the parts that a reading is about: runs on one test set, or stratified folds."""
        [(p, n)] = margins_of(self.report)
        if "on one test set" in departures[0].words:
            return [[Part(p, n)]]
        number = re.search(r"(\d+) stratified", departures[0].words)
        assert number, departures
        folds = int(number[1])
        least, most = max(0, p % folds + n % folds - folds), min(p % folds, n % folds)
        every = [stratified(p, n, folds, overlap) for overlap in range(least, most + 1)]
        # No fold is without cases; the two ways with the fewest folds that get one more of both classes are tried.
        return [parts for parts in every if all(part.p + part.n for part in parts)][:2]

    def _as_means(self, departures: Sequence[Any]) -> tuple[tuple[MeansOf, ...], str]:
        """Return what is said of means, and what undefined scores count as."""
        claims, undefined = read_as(self.claims, departures, self._plain)
        # Areas are left out of means, and counts are of all parts together.
        scores = [claim for claim in claims if not claim.meant.is_area and not claim.meant.is_count]
        return tuple(MeansOf(claim.meant, claim.said) for claim in scores), undefined

    def _witness(self) -> None:
        """Check the tables of parts that were found, or the shares of tables."""
        found = self.found
        claims, undefined = self._as_means(found.departures)
        if undefined != "none" and any(claim.meant.id == "balanced_accuracy" for claim in self.claims):
            return
        tables = [cells_of(table) for table in found.tables()]
        ways = self._parts(found.departures)
        if tables:
            sizes = Counter((tp + fn, fp + tn) for tp, fn, fp, tn in tables)
            every = [Counter((part.p, part.n) for part in parts) for parts in ways]
            times_over = [Fraction(len(tables), kinds.total()) for kinds in every]
            right = [{k: c * times for k, c in kinds.items()} for kinds, times in zip(every, times_over, strict=True)]
            expect(sizes in right, "sizes of parts", sizes)
            weighted = [Part(tp + fn, fp + tn) for tp, fn, fp, tn in tables]
        else:
            claimed_parts = [[*part] for part in {(p.positives, p.negatives) for p in found.solution.claim.parts}]
            way = next(parts for parts in ways if {part[:2] for part in parts} == {*map(tuple, claimed_parts)})
            weighted, tables = shares_found(found, way)
        expect(means_fit(weighted, tables, claims, undefined), "tables of parts do not fit", tables)

    def _no_average(self, averaged: Mapping[str, Sequence[str]]) -> None:
        """Check that no average over small test sets of any make-up gives the report, read in any way."""
        every = readings(self.claims, averaged, self.said)
        for codes, claims, undefined in [((), self.claims, self._plain), *every]:
            means = [MeansOf(claim.meant, claim.said) for claim in claims]
            expect(not any_parts(means, undefined), "impossible, and an average fits", codes, undefined)

    def _blame(self, undefined: str, *, deep: bool) -> None:
        """Compare the sets of claims that contradict each other, and what is told of each."""
        found = self.found
        names = [claim.name.strip() for claim in self.claims]
        right = {
            tuple(names[i] for i in sorted(each))
            for each in smallest_contradictions(self.where, self.claims, undefined)
        }
        given = set(found.contradictions)
        complete = not any(note.code == "blame_incomplete" for note in found.notes)
        expect(given == right if complete else given and given <= right, "contradictions", found.contradictions, right)
        if complete and found.verdict in ("impossible", "unexplained"):
            self._left_out(right, undefined)
        if deep:
            for implied in found.implied:
                self._implied(implied, undefined)

    def _left_out(self, sets: set[tuple[str, ...]], undefined: str) -> None:
        """Check the fewest scores to leave out: they meet every contradiction, and the rest fits so many tables."""
        names = list(dict.fromkeys(name for some in self.found.contradictions for name in some))
        ways: list[tuple[str, ...]] = []
        for size in range(1, min(len(names), _MOST_LEFT_OUT + 1)):
            ways = ways or [some for some in combinations(names, size) if all({*some} & {*each} for each in sets)]
        ways = [way for way in ways if len(way) < len(self.claims)] if len(sets) > 1 else []
        given = [left.names for left in self.found.left_out]
        expect(given == ways[:_MOST_WAYS], "the fewest to leave out", given, ways)
        for left in self.found.left_out:
            rest = [claim for claim in self.claims if claim.name.strip() not in left.names]
            count = int(fitting(self.where, rest, undefined).sum())
            expect(left.count == count and count, "tables without what is left out", left.names, left.count, count)
            told = sorted(each.name for each in left.implied)
            expect(told == sorted(left.names), "what the rest gives for what is left out", left.names, told)
            for implied in left.implied:
                self._implied(implied, undefined)

    def _implied(self, implied: Any, undefined: str) -> None:
        """Check what the others of a contradicting set leave for one of them: the nearest values on both sides."""
        by_name = {claim.name.strip(): claim for claim in self.claims}
        claim, others = by_name[implied.name], [by_name[name] for name in implied.others]
        fits = fitting(self.where, others, undefined)
        if claim.meant.is_area:
            self._implied_area(implied, claim, others, fits)
            return
        values = values_of(self.where, claim.meant, undefined)
        at = fits & values.defined
        low, high = values.side(claim.said.low), values.side(claim.said.high)
        for nearest, side, end in (
            (implied.below, (low < 0) | ((low == 0) & claim.said.low_open), 1),
            (implied.above, (high > 0) | ((high == 0) & claim.said.high_open), 0),
        ):
            ends = values.ends(at & side)
            expect((nearest is None) == (ends is None), "a nearest value", implied.name, nearest, ends)
            if nearest is not None and ends is not None:
                place = self.where.place[cells_of(nearest.table)]
                expect(at[place] and values.key(place) == ends[end], "nearest", implied.name, nearest, ends[end])
                expect(_close(float(nearest.value), values.shown(ends[end])), "nearest value", nearest)

    def _implied_area(self, implied: Any, claim: Claimed, others: list[Claimed], fits: Ints) -> None:
        least, most = area_ends(self.where, [other.said for other in others if other.meant.is_area])
        areas = {
            Fraction(half, 2 * (tp + fn) * (fp + tn))
            for i in np.flatnonzero(fits).tolist()
            for tp, fn, fp, tn in [self.where.tables[i]]
            for half in range(int(least[i]), int(most[i]) + 1)
        }
        below = max((area for area in areas if area <= claim.said.low), default=None)
        above = min((area for area in areas if area >= claim.said.high), default=None)
        for nearest, right in ((implied.below, below), (implied.above, above)):
            expect((None if nearest is None else nearest.value) == right, "nearest area", nearest, right)

    def _deep(self, fits: Ints, undefined: str) -> None:
        """Compare the bounds of all scores, undefined ones as they are printed, and re-derive every repair."""
        if fits.any() and self.found.layout == "one table":
            for name in (*SCORES, "macro_f1", "weighted_precision"):
                values = self.where.values(meant_by(name), undefined)
                ends, bounds = values.ends(fits), self.found.bounds(name)
                expect((ends is None) == (bounds.low is None), "bounds", name, bounds, ends)
                if ends is None:
                    continue
                for key, number, table in zip(
                    ends, (bounds.low, bounds.high), (bounds.low_witness, bounds.high_witness), strict=True
                ):
                    place = self.where.place[cells_of(table)]
                    expect(fits[place] and values.key(place) == key, "bound's table", name, table, key)
                    expect(_close(number, values.shown(key)), "bound", name, number, values.shown(key))
        if self.found.verdict in ("impossible", "unexplained"):
            Repairs(self.found.repairs, self.report, self.said).check()


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= _ROUNDING * max(1.0, abs(other))


class Repairs:
    """Single changes that were proposed, each tried again."""

    def __init__(self, repairs: Sequence[Any], report: Mapping[str, Any], undefined: str) -> None:
        self.repairs = repairs
        self.report = {**report, "undefined": "none" if undefined == "any" else undefined}
        self.rounding = report.get("rounding", "any")

    def check(self) -> None:
        """Check that each makes the report possible in as many tables as it says, and that no digit was missed."""
        for repair in self.repairs:
            fits, where = self._changed(repair)
            place = where.place.get(cells_of(repair.table))
            expect(place is not None and fits[place], "a repair's table does not fit", repair.change, repair.table)
            expect(repair.count == fits.sum(), "a repair's count", repair.change, repair.count, int(fits.sum()))

    def _changed(self, repair: Any) -> tuple[Ints, World]:
        """Return which tables fit the report with the change that a repair says."""
        report, undefined = dict(self.report), self.report["undefined"]
        claims = claims_of(report)
        if repair.kind == "size":
            match = re.fullmatch(r"(\w+) (?:are|is) (\d+), not (\d+)", repair.change)
            assert match, repair.change
            report[match[1]] = int(match[2])
        elif repair.kind in ("digit", "percent"):
            name, _, text = repair.change.partition(" is ")
            report[name] = text.rpartition(", not ")[0]
            claims = claims_of(report)
        elif repair.kind == "exchanged":
            names = repair.change.removesuffix(" were exchanged")
            one, other = next(p for p in ((a.name, b.name) for a in claims for b in claims) if " and ".join(p) == names)
            report[one], report[other] = report[other], report[one]
            claims = claims_of(report)
        else:
            claims, undefined = self._read_otherwise(repair, claims, undefined)
        where = small_world(report)
        return fitting(where, claims, undefined), where

    def _read_otherwise(self, repair: Any, claims: list[Claimed], undefined: str) -> tuple[list[Claimed], str]:
        if repair.kind == "rounding":
            name = repair.change.partition(" was rounded")[0]
            return [_wider(claim) if claim.name == name else claim for claim in claims], undefined
        if repair.kind == "average":
            names, average = names_in(repair.change)
            meant = dict.fromkeys(names, average)
            return [
                claim._replace(meant=claim.meant._replace(average=meant[claim.name])) if claim.name in meant else claim
                for claim in claims
            ], undefined
        averaged: dict[str, list[str]] = {}
        if repair.kind.endswith("_average"):
            names, average = names_in(repair.change)
            averaged[average] = names
        for codes, changed, convention in readings(claims, averaged):
            if codes == (repair.kind,):
                return list(changed), convention
        raise Wrong(f"a repair of unknown kind: {repair.kind}, {repair.change}")


def _wider(claim: Claimed) -> Claimed:
    said = claim.said
    middle, half = (said.low + said.high) / 2, (said.high - said.low) * 5
    return claim._replace(said=type(said)(middle - half, middle + half))


def _judge_large(found: Any, claims: Sequence[Claimed], report: Mapping[str, Any], table: tuple[int, ...]) -> str:
    """Judge a true report: it must be possible as it stands, and the table that made it among those found."""
    expect(found.verdict in ("possible", "undecided"), "a true report", found.verdict, found.contradictions)
    tp, fn, fp, tn = table
    if found.count == 1 and found.counted:
        expect(cells_of(next(found.tables(1))) == table, "the only table is another one", next(found.tables(1)))
    if not found.solution.feasible.unwalked:
        for other in found.tables(5):
            _check_fits(claims, cells_of(other), other)
    if found.complete and found.cells and "positives" in report:
        for (low, high), cell in zip(found.cells.values(), table, strict=True):
            expect(low <= cell <= high, "a cell lies outside of its range", found.cells, table)
        for name in ("precision", "mcc", "f1"):
            value = score(meant_by(name), (tp, fn, fp, tn))
            bounds = found.bounds(name)
            if value is not None:
                shown = float(decimal(value))
                expect(
                    bounds.low - _ROUNDING <= shown <= bounds.high + _ROUNDING, "outside of bounds", name, bounds, shown
                )
    return f"large, {found.verdict}"


def _judge_computed(found: Any, table: tuple[int, ...]) -> str:
    """Judge true scores that were computed in floats: the table that they are of must be among those found."""
    # What was rounded twice is possible only if it was.
    read = [departure.code for departure in found.departures]
    expect(found.count and read in ([], ["single_precision"]), "true scores", found.verdict, found.contradictions)
    given = {cells_of(other) for other in found.tables(1000)}
    expect(table in given or found.count > len(given), "the table is not among those found", table, sorted(given)[:3])
    return f"computed, {found.verdict}"


def _check_fits(claims: Sequence[Claimed], cells: Any, shown: object) -> None:
    tp, fn, fp, tn = cells
    for claim in claims:
        if claim.meant.is_area:
            pairs = (tp + fn) * (fp + tn)
            low, high = Fraction(tp * tn, pairs), Fraction(pairs - fn * fp, pairs)
            expect(low <= claim.said.high and high >= claim.said.low, "an area does not fit", claim, shown)
            continue
        value = score(claim.meant, cells)
        expect(value is not None and inside(value, claim.said), "a table does not fit", claim, shown)


def _judge_any_size(found: Any, claims: list[Claimed], report: Mapping[str, Any]) -> str:
    """Where no size is said: small tables that fit must be found, and those that are listed must fit."""
    said = report.get("undefined", "any")
    plain = "none" if said == "any" else said
    margins = tuple((p, total - p) for total in range(1, _LARGEST_LOOKED_AT + 1) for p in range(total + 1))
    where = world(margins)
    fits = fitting(where, claims, plain)
    right = {where.tables[i] for i in np.flatnonzero(fits).tolist()}
    if found.departures or found.verdict in ("impossible", "unexplained"):
        expect(not right, "tables fit as it stands", found.verdict, sorted(right, key=sum)[:3])
        return f"any size, {found.verdict}"
    given = [cells_of(table) for table in found.tables(300)]
    for cells in given:
        value_fits = all((value := score(c.meant, cells, plain)) is not None and inside(value, c.said) for c in claims)
        expect(value_fits, "a table does not fit", cells)
    if found.verdict == "undecided":
        expect(not right, "small tables fit, and it is undecided", sorted(right, key=sum)[:3])
    elif len(given) < 300 and found.solution.feasible.all_sizes is not None and given:
        largest = min(max(map(sum, given)) - 1, _LARGEST_LOOKED_AT)
        listed = {cells for cells in given if sum(cells) <= largest}
        expect(listed == {cells for cells in right if sum(cells) <= largest}, "the smallest tables", largest)
    return f"any size, {found.verdict}"
