"""Reports about several classes, against all k-by-k tables of their sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from random import Random
from typing import Any, Final, NamedTuple

import numpy as np

import fourfold as ff

from .claimed import FILLING, as_zero
from .class_tables import (
    ClassClaimed,
    ClassMeant,
    ClassWorld,
    class_world,
    fitting_classes,
    meant_of,
    number_of_tables,
    value_of_matrix,
    world_of_labels,
)
from .make_reports import printed_value
from .mixtures import any_runs
from .printed import ROUNDINGS, counted_by, said_by, show
from .running import Attack, Case, Wrong, expect
from .scores import COUNTS, Ints, Meant, limits_of

OPTIONS: Final = ("classes", "total", "rounding", "undefined", "budget")
_EACH: Final = ("precision", "recall", "f1", "f2", "jaccard", "specificity", "negative_predictive_value")
_OF_ALL: Final = ("accuracy", "accuracy", "kappa", "mcc", "balanced_accuracy", "inaccuracy")
_OF_NAMES: Final = frozenset({"rescaled", "averaged_otherwise", "weighted_kappa"})
_BOUNDED: Final = ("accuracy", "kappa", "mcc", "macro_f1", "weighted_precision")
_MOST_TABLES: Final = 4000
_MOST_MARGINS: Final = 8000
_CLOSE: Final = 1e-9


def sizes_of_classes(
    report: Mapping[str, Any],
) -> tuple[list[str], list[tuple[int, int | None]], tuple[int, int | None]]:
    """Return the names of classes, the smallest and largest size of each, and of all together."""
    classes = report["classes"]
    if isinstance(classes, int):
        named: list[tuple[str, Any]] = [(str(place), None) for place in range(classes)]
    elif isinstance(classes, Mapping):
        named = [(str(name), size) for name, size in classes.items()]
    else:
        named = [(str(place), size) for place, size in enumerate(classes)]
    return [name for name, _ in named], [_ends(size) for _, size in named], _ends(report.get("total"))


def _ends(size: Any) -> tuple[int, int | None]:
    if size is None:
        return 0, None
    if isinstance(size, int):
        return size, size
    low, _, high = str(size).partition("-")
    return int(low), int(high or low)


def all_sizes(report: Mapping[str, Any]) -> tuple[tuple[int, ...], ...]:
    """Return all sizes that the classes of a report can have."""
    _, ends, (low, high) = sizes_of_classes(report)
    ranges = [range(least, (high if most is None else most) + 1) for least, most in ends]  # type: ignore[operator]
    return tuple(
        sizes for sizes in product(*ranges) if sum(sizes) >= max(low, 1) and (high is None or sum(sizes) <= high)
    )


def class_claims(report: Mapping[str, Any], labels: Sequence[str]) -> list[ClassClaimed]:
    """Return the claims of a report; bare names are macro averages."""
    claims = []
    for name, text in report.items():
        if name in OPTIONS:
            continue
        meant, bare = meant_of(name, labels)
        rounding = report.get("rounding", "any")
        if meant.id in COUNTS:
            claims.append(ClassClaimed(name, meant, counted_by(text), bare))
            continue
        claims.append(ClassClaimed(name, meant, said_by(str(text), rounding), bare, str(text), rounding))
    return claims


class ReadAs(NamedTuple):
    """A reading: codes of what departs from the report as it stands, the claims then, the convention, and the world."""

    codes: tuple[str, ...]
    claims: list[ClassClaimed]
    undefined: str
    several: bool = False


def readings_of(claims: Sequence[ClassClaimed], said: str) -> Iterator[ReadAs]:
    """Yield the readings of a report, the plain one first, then those that depart in fewer points first."""
    plain, *others = _readings_of(claims, said)
    yield plain
    kept = [
        reading._replace(codes=(*reading.codes, "single_precision"), claims=[c.in_single() for c in reading.claims])
        for reading in (plain, *others)
    ]
    yield from sorted([*others, *kept], key=lambda reading: len(reading.codes))


def _readings_of(claims: Sequence[ClassClaimed], said: str) -> Iterator[ReadAs]:
    meant: list[tuple[tuple[str, ...], list[ClassClaimed]]] = [((), list(claims))]
    if any(claim.bare for claim in claims):
        meant = [
            (
                (f"{average}_average",),
                [c._replace(meant=c.meant._replace(average=average)) if c.bare else c for c in claims],
            )
            for average in ("macro", "weighted", "micro")
        ]
    if said != "any":
        yield from (ReadAs(codes, changed, said) for codes, changed in meant)
        return
    yield from (ReadAs(codes, changed, "none") for codes, changed in meant)
    yield from (ReadAs((*codes, "undefined_as_zero"), changed, "zero") for codes, changed in meant)
    yield from (ReadAs((*codes, "undefined_left_out"), changed, "excluded") for codes, changed in meant)
    yield from (ReadAs((*codes, "undefined_as_one"), changed, "one") for codes, changed in meant)
    for codes, changed in meant:
        alone = ("accuracy", "inaccuracy", "correct", "wrong", "kappa", "mcc")
        if not any(c.meant.place is None and not c.meant.average and c.meant.id in alone for c in changed):
            yield ReadAs((*codes, "several_labels"), changed, "none", several=True)
            for filling, undefined in FILLING.items():
                yield ReadAs((*codes, "several_labels", filling), changed, undefined, several=True)


class ClassAttack(Attack):
    """Reports about classes: small ones against all k-by-k tables, large ones against the table that made them."""

    def make(self, random: Random) -> Case:
        """Make a report."""
        return large_classes(random) if random.random() < 0.01 else small_classes(random)

    def judge(self, case: Case) -> str:
        """Recover the margins, and compare them with all there are."""
        report = case["report"]
        labels, *_ = sizes_of_classes(report)
        claims = class_claims(report, labels)
        try:
            found: Any = ff.recover(report, bounds="none")
        except ff.InputError as error:
            return _refused(error, claims, case)
        if case["of"] == "large":
            expect(found.verdict in ("possible", "undecided"), "a true report", found.verdict, found.blame)
            if found.matrix() is not None:
                _check_matrix(found.matrix(), claims, "none")
            return f"large, {found.verdict}"
        return _Classes(found, claims, report).judge(deep=case["deep"])

    def smaller(self, case: Case) -> Iterator[Case]:
        """Leave out scores and options, and take smaller classes."""
        report: dict[str, Any] = case["report"]
        scores = [name for name in report if name not in OPTIONS]
        for name in report:
            if name in ("rounding", "undefined") or (name in scores and len(scores) > 1):
                yield {**case, "report": {key: value for key, value in report.items() if key != name}}
        if case["of"] == "large" or isinstance(report["classes"], int):
            return
        for name, size in report["classes"].items():
            low, high = _ends(size)
            if low != high:
                yield {**case, "report": {**report, "classes": {**report["classes"], name: low}}}
            elif low:
                yield {**case, "report": {**report, "classes": {**report["classes"], name: low - 1}}}


def _refused(error: ff.InputError, claims: Sequence[ClassClaimed], case: Case) -> str:
    expect(error.code == "out_of_range" and case["of"] != "large", "refused", str(error))
    ends = [(claim.said, *limits_of(Meant(claim.meant.id))) for claim in claims]
    outside = [said.high < low or (high is not None and said.low > high) for said, low, high in ends]
    expect(any(outside), "refused a score that is in its range", str(error))
    return "refused score"


def _check_matrix(matrix: Any, claims: Sequence[ClassClaimed], undefined: str) -> None:
    """Check that a table fits claims, by its definition."""
    for claim in claims:
        value = value_of_matrix(matrix.tolist(), claim.meant, undefined)
        # Roots are known to thirty digits, far more than anyone prints.
        expect(value is not None and value in claim.said, "a table does not fit", claim, matrix.tolist())


class _Classes:
    """What was found for a small report, beside all tables there are."""

    def __init__(self, found: Any, claims: list[ClassClaimed], report: Mapping[str, Any]) -> None:
        self.found, self.claims, self.report = found, claims, report
        self.labels = sizes_of_classes(report)[0]
        self.sizes = all_sizes(report)
        self.said = report.get("undefined", "any")
        # With several labels a case, the sizes of classes need not add up to the cases.
        self.known = "total" not in report and all(low == high for low, high in sizes_of_classes(report)[1])

    def world(self, reading: ReadAs) -> ClassWorld | None:
        """Return all tables under a reading; None where they are too many to look at."""
        if not reading.several:
            return class_world(self.sizes)
        if not self.known:
            return None
        cases = sum(self.sizes[0])
        number = np.prod([(size + 1) * (cases - size + 1) for size in self.sizes[0]])
        return world_of_labels(self.sizes[0], cases) if number <= _MOST_MARGINS else None

    def judge(self, *, deep: bool) -> str:
        """Judge every reading that was tried, the verdict, and what was found."""
        found = self.found
        tried = {tuple(d.code for d in reading.departures): reading.verdict for reading in found.readings}
        own = list(readings_of(self.claims, self.said))
        fitting_codes: list[tuple[str, ...]] = []
        first: tuple[ReadAs, ClassWorld, Ints] | None = None
        known: dict[tuple[str, ...], Ints] = {}
        for reading in sorted([*own, *self._others(own)], key=lambda one: len(one.codes)):
            if fitting_codes and (not fitting_codes[0] or len(reading.codes) > len(fitting_codes[0])):
                break
            where = self.world(reading)
            if where is None:
                fitting_codes += [reading.codes] if tried.get(reading.codes) == "possible" else []
                continue
            fits = known[reading.codes] = fitting_classes(where, reading.claims, reading.undefined)
            if reading.codes not in tried and (zeroed := as_zero(reading.codes)):
                # Where undefined scores are printed alike, such as a correlation as 0, one reading says it.
                fits = fits & ~known[zeroed]
            verdict = "possible" if fits.any() else "impossible"
            given = tried.get(reading.codes, "impossible")
            expect(given == verdict, "reading", reading.codes, tried.get(reading.codes, "not tried"), verdict)
            if fits.any():
                fitting_codes.append(reading.codes)
                first = first or (reading, where, fits)
        codes = tuple(departure.code for departure in found.departures)
        others = [tuple(d.code for d in other.departures) for other in found.others]
        listed = {(), *(reading.codes for reading in own)}
        if any(set(each) & _OF_NAMES for each in (codes, *others)) or (self.said != "any" and codes not in listed):
            # A reading that takes a score for another one is not judged, nor one beside what is said.
            return str(found.verdict)
        given = sorted([codes, *others])
        expect(not fitting_codes or given == sorted(fitting_codes), "departures", given, fitting_codes)
        if first is not None and codes == first[0].codes:
            self._found(*first, deep=deep)
        elif not fitting_codes:
            # Who gives counts has one table in mind; any other scores can be averages.
            counted = any(claim.meant.id in COUNTS for claim in self.claims)
            allowed = ["impossible"] if counted else ["impossible", "unexplained"]
            # Readings with too many tables to list are not judged, and need not be decided.
            allowed += ["undecided"] if "undecided" in tried.values() else []
            expect(found.verdict in allowed, "verdict", found.verdict)
            if found.verdict == "undecided":
                return "undecided"
            if found.verdict == "impossible" and not counted:
                self._no_average(own)
            self._blame()
            if deep:
                self._repairs()
        return str(found.verdict)

    def _others(self, own: Sequence[ReadAs]) -> Iterator[ReadAs]:
        """Yield the readings of the library that change what is claimed, and which the attack does not list itself."""
        by_codes = {reading.codes: reading for reading in own}
        for one in self.found.readings:
            more = [departure for departure in one.departures if departure.code in ("cut_off", "f1_of_means")]
            codes = tuple(departure.code for departure in one.departures)
            if more:
                changes = ("cut_off", "f1_of_means", "single_precision")
                plain = by_codes.get(tuple(code for code in codes if code not in changes))
                if plain is None and () not in by_codes:
                    continue
                if plain is None:
                    # A bare name with nothing said is no reading of its own.
                    plain = by_codes[()]
                claims = plain.claims
                for code, words in more:
                    if code == "cut_off":
                        claims = [claim.cut_off() for claim in claims]
                    else:
                        claims = [claim for claim in claims if not words.startswith(f"{claim.name} was computed")]
                if "single_precision" in codes:
                    claims = [claim.in_single() for claim in claims]
                yield plain._replace(codes=codes, claims=claims)

    def _no_average(self, own: Sequence[ReadAs]) -> None:
        """Check that no average over runs on test sets of these sizes gives the report, read in any way."""
        where = class_world(self.sizes)
        for reading in own:
            if not reading.several:
                fits = any_runs(where, reading.claims, reading.undefined)
                expect(not fits, "impossible, and an average fits", reading.codes)

    def _found(self, reading: ReadAs, where: ClassWorld, fits: Ints, *, deep: bool) -> None:
        """Compare count, margins, the table given, and where asked for cells and bounds."""
        found, count = self.found, int(fits.sum())
        verdict = "conditional" if reading.codes else "possible"
        expect(found.verdict == verdict, "verdict", found.verdict, verdict, count)
        expect(found.count == count if found.counted else found.count <= count, "count", found.count, count)
        given = [self._row(margins) for margins in found.margins()]
        expect(
            all(row in where.place and fits[where.place[row]] for row in given), "margins that do not fit", given[:2]
        )
        expect(len(set(given)) == len(given), "margins twice")
        expect(len(given) == count if found.solution.listed else given, "margins", len(given), count)
        if not reading.several:
            _check_matrix(found.matrix(), reading.claims, reading.undefined)
            expect(tuple(sum(row) for row in found.matrix().tolist()) in self.sizes, "sizes", found.matrix())
        if deep:
            self._cells(where, fits)
            for name in (*_BOUNDED, f"recall[{self.labels[0]}]"):
                self._bounds(name, reading, where, fits)

    def _row(self, margins: Any) -> tuple[int, ...]:
        return (*(m.size for m in margins), *(m.right for m in margins), *(m.predicted for m in margins))

    def _cells(self, where: ClassWorld, fits: Ints) -> None:
        cells = self.found.class_cells
        if cells is None or where.several:
            return
        matrices = np.array([matrix for place, matrix in where.tables if fits[place]])
        low, high = matrices.min(axis=0), matrices.max(axis=0)
        if cells.sharp:
            expect(
                (np.array(cells.low) == low).all() and (np.array(cells.high) == high).all(), "cells", cells, low, high
            )
        inside = (np.array(cells.low) <= low).all() and (np.array(cells.high) >= high).all()
        expect(inside, "cells that are too narrow", cells, low, high)

    def _bounds(self, name: str, reading: ReadAs, where: ClassWorld, fits: Ints) -> None:
        bounds = self.found.bounds(name)
        values = where.values(meant_of(name, self.labels)[0], reading.undefined)
        ends = None if values is None else values.ends(fits)
        if ends is None or values is None:
            expect(bounds.low is None, "bounds of what is undefined", name, bounds)
            return
        low, high = map(values.shown, ends)
        expect(bounds.low is not None and bounds.low <= low + _CLOSE, "a score below its bound", name, bounds, low)
        expect(bounds.high >= high - _CLOSE, "a score above its bound", name, bounds, high)
        expect(not bounds.low_attained or abs(bounds.low - low) < _CLOSE, "a sharp bound", name, bounds, low)
        expect(not bounds.high_attained or abs(bounds.high - high) < _CLOSE, "a sharp bound", name, bounds, high)

    def _blame(self) -> None:
        """Check that scores that are blamed contradict each other, and that none of them can be left out."""
        reading = next(readings_of(self.claims, self.said))
        where = class_world(self.sizes)
        by_name = {claim.name: claim for claim in reading.claims}
        sure = not any(note.code == "blame_incomplete" for note in self.found.notes)
        expect(self.found.blame, "nothing is blamed")
        for names in self.found.blame:
            own = [by_name[name] for name in names]
            expect(not fitting_classes(where, own, reading.undefined).any(), "blamed, and possible", names)
            for some in combinations(own, len(own) - 1) if len(own) > 1 else ():
                needed = fitting_classes(where, some, reading.undefined).any()
                expect(needed or not sure, "blamed without need", names, [claim.name for claim in some])

        for left in self.found.left_out:
            expect(all({*left.names} & {*names} for names in self.found.blame), "a contradiction is left", left)
            rest = [claim for claim in reading.claims if claim.name not in left.names]
            count = int(fitting_classes(where, rest, reading.undefined).sum())
            expect(count if left.count is None else left.count == count, "without what is left out", left, count)

    def _repairs(self) -> None:
        """Try every change again that is said to make the report possible."""
        for repair in self.found.repairs:
            report, change = self._changed(repair.kind, repair.change)
            claims = change(class_claims(report, self.labels))
            reading = next(readings_of(claims, self.said))
            sizes = tuple(sum(row) for row in repair.matrix.tolist())
            expect(sizes in all_sizes(report), "sizes of a repair", repair.change, sizes)
            _check_matrix(repair.matrix, reading.claims, reading.undefined)
            every = all_sizes(report)
            if sum(map(number_of_tables, every)) <= _MOST_TABLES:
                count = int(fitting_classes(class_world(every), reading.claims, reading.undefined).sum())
                good = repair.count == count if repair.counted else repair.count <= count
                expect(good, "a repair's count", repair.change, repair.count, count)

    def _changed(self, kind: str, words: str) -> tuple[dict[str, Any], Any]:
        """Return the report with the change that a repair says, and what it does to claims."""
        report = dict(self.report)
        if kind == "size":
            match = re.fullmatch(r"class (\S+) has (\d+) cases, not \d+", words)
            assert match, words
            report["classes"] = {**dict(zip(self.labels, self._said_sizes(), strict=True)), match[1]: int(match[2])}
            if all(isinstance(size, int) for size in report["classes"].values()):
                report.pop("total", None)
        elif kind in ("digit", "percent"):
            name, _, text = words.partition(" is ")
            report[name] = text.rpartition(", not ")[0]
        elif kind == "exchanged":
            names = words.removesuffix(" were exchanged")
            pairs = ((a.name, b.name) for a, b in combinations(self.claims, 2))
            one, other = next(pair for pair in pairs if " and ".join(pair) == names)
            report[one], report[other] = report[other], report[one]
        elif kind == "rows":
            return report, self._rows_changed(words)
        elif kind == "rounding":
            name = words.partition(" was rounded")[0]
            return report, lambda claims: [_wider(claim) if claim.name == name else claim for claim in claims]
        elif kind == "average":
            return report, self._averages_changed(words)
        else:
            raise Wrong(f"a repair of unknown kind: {kind}, {words}")
        return report, lambda claims: claims

    def _said_sizes(self) -> list[Any]:
        classes = self.report["classes"]
        if isinstance(classes, int):
            return [None] * classes
        return list(classes.values()) if isinstance(classes, Mapping) else list(classes)

    def _rows_changed(self, words: str) -> Any:
        order = list(range(len(self.labels)))
        if match := re.fullmatch(r"the scores of (\S+) and (\S+) were exchanged, or their sizes", words):
            a, b = self.labels.index(match[1]), self.labels.index(match[2])
            order[a], order[b] = b, a
        else:
            order.reverse()

        def changed(claims: list[ClassClaimed]) -> list[ClassClaimed]:
            return [
                claim
                if claim.meant.place is None
                else claim._replace(meant=claim.meant._replace(place=order[claim.meant.place]))
                for claim in claims
            ]

        return changed

    def _averages_changed(self, words: str) -> Any:
        other = {"macro": "weighted", "weighted": "macro"}
        match = re.fullmatch(r"(.+) (?:is the|are) (?:macro|weighted) averages?", words)
        names = None if match is None else set(re.split(r", ", match[1]))

        def changed(claims: list[ClassClaimed]) -> list[ClassClaimed]:
            return [
                claim._replace(meant=ClassMeant(_base(claim), None, other[claim.meant.average or "macro"]), bare=False)
                if claim.meant.place is None
                and (claim.meant.average in other or claim.meant.id == "balanced_accuracy")
                and (names is None or claim.name in names)
                else claim
                for claim in claims
            ]

        return changed


def _base(claim: ClassClaimed) -> str:
    return "recall" if claim.meant.id == "balanced_accuracy" else claim.meant.id


def _wider(claim: ClassClaimed) -> ClassClaimed:
    said = claim.said
    middle, half = (said.low + said.high) / 2, (said.high - said.low) * 5
    return claim._replace(said=type(said)(middle - half, middle + half))


def _random_matrix(random: Random, sizes: Sequence[int]) -> list[list[int]]:
    skill = random.choice([0.2, 0.5, 0.8, 0.95])
    matrix = [[0] * len(sizes) for _ in sizes]
    for actual, size in enumerate(sizes):
        for _ in range(size):
            matrix[actual][actual if random.random() < skill else random.randrange(len(sizes))] += 1
    return matrix


def _random_name(random: Random, labels: Sequence[str]) -> str:
    kind = random.random()
    if kind < 0.4:
        return f"{random.choice(_EACH)}[{random.choice(labels)}]"
    if kind < 0.6:
        return random.choice(_OF_ALL)
    if kind < 0.85:
        return f"{random.choice(['macro', 'weighted'])}_{random.choice(_EACH[:5])}"
    if kind < 0.9:
        return f"micro_{random.choice(_EACH[:4])}"
    if kind < 0.95:
        return random.choice(_EACH[:3])
    return random.choice(
        ["correct", "wrong", f"tp[{random.choice(labels)}]", f"predicted_positives[{random.choice(labels)}]"]
    )


def _random_sizes(random: Random) -> tuple[dict[str, Any], tuple[int, ...]]:
    """Return what a report says about classes, and sizes that agree with it; few enough tables to list."""
    k = random.choice([3, 3, 3, 3, 4])
    while True:
        most = {3: 4, 4: 2}[k]
        sizes = tuple(random.choice([0, 1, *range(1, most + 1)]) for _ in range(k))
        if sum(sizes) == 0:
            continue
        named: dict[str, Any] = dict(zip("abcd", sizes, strict=False))
        report: dict[str, Any] = {"classes": named}
        if random.random() < 0.15:
            name = random.choice(list(named))
            named[name] = f"{max(named[name] - 1, 0)}-{named[name] + 1}"
            if random.random() < 0.5:
                report["total"] = sum(sizes)
        elif random.random() < 0.04 and k == 3 and sum(sizes) <= 4:
            report = {"classes": 3, "total": sum(sizes)}
        if sum(map(number_of_tables, all_sizes(report))) <= _MOST_TABLES:
            return report, sizes


def small_classes(random: Random) -> Case:
    """Return a report about a few small classes."""
    report, sizes = _random_sizes(random)
    labels, *_ = sizes_of_classes(report)
    matrix = _random_matrix(random, sizes)
    undefined = random.choice(["any", "any", "any", "none", "zero", "one", "excluded"])
    convention = random.choice(["zero", "zero", "one"]) if undefined == "any" else undefined
    convention = "zero" if convention == "none" else convention
    rounding = random.choice([*["any"] * 6, *ROUNDINGS[1:]])
    honest = random.random() < 0.5
    for _ in range(random.choice([1, 1, 2, 2, 3, 3, 4, 6])):
        name = _random_name(random, labels)
        meant = meant_of(name, labels)[0]
        value = value_of_matrix(matrix, meant, convention) or Fraction(0)
        true = honest or random.random() < 0.6
        if meant.id in COUNTS:
            report[name] = max(int(value) + (0 if true else random.choice([-1, 1])), 0)
        else:
            report[name] = printed_value(meant.id, value, rounding, random, true=true)
    report |= {"rounding": rounding, "undefined": undefined}
    return {"of": "small", "report": report, "deep": random.random() < 0.1}


def large_classes(random: Random) -> Case:
    """Return a true report, as tools print it, about up to a million cases of up to twelve classes."""
    k = random.randint(3, 12)
    most = int(10 ** random.uniform(1.3, 4.5))
    labels = [f"c{i}" for i in range(k)]
    sizes = [random.randint(1, most) for _ in labels]
    matrix = [[0] * k for _ in labels]
    for actual, size in enumerate(sizes):
        right = round(size * random.choice([0.6, 0.9, 0.99]))
        matrix[actual][actual] = right
        left = size - right
        for other in random.sample([c for c in range(k) if c != actual], min(3, k - 1)):
            some = random.randint(0, left)
            matrix[actual][other] += some
            left -= some
        matrix[actual][(actual + 1) % k] += left
    digits = random.choice([2, 2, 3, 4])
    names = [f"{name}[{label}]" for label in labels for name in ("precision", "recall", "f1")]
    names += ["accuracy", "macro_f1", "macro_precision", "weighted_f1", "weighted_recall"]
    if random.random() < 0.2:
        names = names[-5:]
    report: dict[str, Any] = {"classes": dict(zip(labels, sizes, strict=True))}
    for name in names:
        value = value_of_matrix(matrix, meant_of(name, labels)[0], "none")
        if value is not None:
            report[name] = show(value, digits, "any")
    return {"of": "large", "report": report}
