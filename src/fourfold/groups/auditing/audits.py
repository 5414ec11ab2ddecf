"""An audit: every group's scores beside a reference, the difference first, then how sure it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import Any, Final, NamedTuple

import numpy as np

from ...chance.draws import seed_of
from ...data import count_groups, predicted_column
from ...errors import InputError, Note, TooLarge, suggestion, verbatim
from ...metrics import AUDITED, AUDITED_CLASSES, Metric
from ...names import old_parameters
from ...table import Matrix, Table, label_roles
from ...words import count_of
from ..adapters import tables_of
from ..smoothing.matrices import smoothed_scores
from ..smoothing.tables import Strength
from ..smoothing.tables import together as tables_together
from ..testing.comparing import cases_needed, compared, telling_hits
from ..testing.intervals import Interval, check_level, interval_of
from ..testing.matching import as_table, check_choice, match
from ..testing.measures import Measure, Subject, measures, size_of
from ..testing.permutation import SEED, Permutation, draws_for
from ..testing.units import UnitPermutation, Units, interval_by_units, units_of
from .corrections import Atoms, Correction, GroupTest, corrected, corrected_by_max
from .findings import Audit, Finding, Group, Reference, Verdict
from .grouping import combined, on_missing

# In groups up to this size it is worth saying which counts could have told anything.
_MOST_CASES_OF_SMALL: Final = 200
_MOST_PAIRS: Final = 20_000
# Of fewer groups, each one's rest is a single group.
_FEWEST_WITH_A_REST: Final = 3


class _Options(NamedTuple):
    """What holds for all of an audit."""

    metrics: Any
    reference: Any
    level: float
    strength: Strength
    correction: Correction
    reference_known: bool
    step_down: bool
    percentile: bool
    seed: int
    progress: Callable[[float], None] | None = None
    unit: str | None = None


@old_parameters(seed="rng")
def audit(
    data: Any,
    *,
    truth: str,
    prediction: str | None = None,
    by: str | Sequence[str],
    unit: str | None = None,
    score: str | None = None,
    threshold: float | str | None = None,
    metrics: Sequence[str | Metric] | None = None,
    reference: str = "rest",
    positive: Hashable | None = None,
    level: float = 0.95,
    correction: Correction = "holm",
    strength: Strength = "auto",
    reference_known: bool = False,
    step_down: bool = False,
    percentile: bool = False,
    query: str | None = None,
    rng: np.random.Generator | int = SEED,
    progress: Callable[[float], None] | None = None,
) -> Audit:
    """Compare groups in data of any kind: scores, differences to a reference with intervals, and tests of the metric.

    Parameters
    ----------
    data
        A data frame (pandas, polars, pyarrow, DuckDB, Dask, PySpark, Ibis), a mapping of columns, or the path of
        CSV or parquet files, also with ``*`` in it, or of a DuckDB or SQLite file.
    truth, prediction, by
        The columns of labels, and the columns that make the groups. With several, every combination is a group too.
    unit
        The column that says which rows belong together, such as the patient of each scan. Such rows are not
        independent; tests and intervals then rest on units.
    score, threshold
        Instead of the prediction: a column of numbers, and the smallest number that counts as predicted positive.
    metrics
        Names of metrics; of more than two classes also ``recall[cat]`` and averages such as ``macro_f1``.
    reference
        What a group is compared with: "rest" (all other cases), "pairs" (each other group), or the name of one group,
        ``race=White``. "all" means the same as "rest", because a case is not compared with itself.
    positive
        The label that counts as positive. May be left out for labels 0 and 1, False and True, or -1 and 1. If it is
        left out and there are more than two labels, all classes are audited.
    level
        The level of the intervals; tests are called significant at 1 minus this.
    correction
        For many tests: "holm" (even one false alarm is rare), "fdr" (few of the alarms are false), or "max" (like
        Holm, but takes into account how the tests depend on each other, by shuffling all cases).
    strength
        The strength of the smoothing; "auto" learns it from all groups.
    reference_known
        Whether the reference's score is known and not measured on a sample.
    step_down
        Whether a group that differs is taken out of the rest, and the others are tested again.
    percentile
        Whether to show where each score lies among samples of the reference, too, as `match` does.
    query
        A select to run in a DuckDB or SQLite file.
    rng
        A seed or generator for tests by permutation.
    progress
        Called from time to time with the share of the work that is done.

    Examples
    --------
    >>> data = {"y": [1, 1, 1, 0, 0, 1], "yhat": [1, 0, 1, 0, 1, 1], "sex": ["f", "f", "m", "m", "f", "m"]}
    >>> result = audit(data, truth="y", prediction="yhat", by="sex", metrics=["recall"])
    >>> [(finding.group.name, finding.score) for finding in result.findings]
    [('sex=f', 0.5), ('sex=m', 1.0)]
    """
    columns = [by] if isinstance(by, str) else list(by) if isinstance(by, Iterable) else []
    predicted = predicted_column(prediction, score, threshold)
    units = [] if unit is None else [unit]
    for argument, names in (("by", columns), ("truth", [truth]), ("prediction", [predicted]), ("unit", units)):
        if any(not isinstance(name, str) for name in names):
            raise InputError("usage", argument, "must be a column's name", names, "give it as text")
    if not columns:
        raise InputError("usage", "by", "must name at least one column", by, "name the column that makes the groups")
    first_half = None if progress is None else lambda share: progress(share / 2)
    read: dict[str, Any] = {"threshold": threshold, "query": query, "progress": first_half}
    if unit in columns:
        raise InputError(
            "usage", "unit", "cannot make the groups as well", unit, "name the column of patients or the like"
        )
    counted = count_groups(data, truth=truth, prediction=predicted, by=[*columns, *units], **read)
    pairs: Counter[tuple[Any, Any]] = Counter()
    for group_pairs in counted.pairs.values():
        pairs.update(group_pairs)
    if not pairs:
        missing = verbatim(", ".join(f"{rows} rows without {name}" for name, rows in counted.missing.items()))
        raise InputError("empty", "truth", "no row has both labels", missing, "check the columns of labels")
    roles = label_roles(pairs, positive=positive, threshold=threshold, prediction=predicted)
    notes = list(roles.notes)
    if roles.classes is not None:
        words = f"{len(roles.classes)} classes, audited together; name a positive label to compare one with the rest"
        notes.append(Note("several_classes", words, {"labels": [str(label) for label in roles.classes]}))
    notes += [*on_missing(counted.missing), *counted.notes]
    counts = {values: roles.counts(group_pairs) for values, group_pairs in counted.pairs.items()}
    by_unit = _by_unit(counts) if units else {}
    notes += _on_units(unit, counts, by_unit)
    atoms = {values: together(cases.values()) for values, cases in by_unit.items()} if units else counts
    second_half = None if progress is None else lambda share: progress(0.5 + share / 2)
    how = (level, strength, correction, reference_known, step_down, percentile, seed_of(rng))
    options = _Options(metrics, reference, *how, second_half, unit)
    named = tuple(columns)
    groups = [
        Group(
            name,
            made,
            together(atoms[part] for part in parts),
            frozenset(parts),
            len({one for part in parts for one in by_unit[part]}) if units else None,
        )
        for name, made, parts in combined(named, atoms)
    ]
    result = _Auditing(named, groups, atoms, options, by_unit).result()
    return replace(result, rows_read=counted.rows, notes=(*notes, *result.notes))


def _by_unit(counts: Mapping[tuple[Any, ...], Subject]) -> dict[tuple[Any, ...], dict[Any, Subject]]:
    """Return the cases of each unit by what makes its group: the unit is the last of the values."""
    groups: dict[tuple[Any, ...], dict[Any, Subject]] = {}
    for (*made, unit), cases in counts.items():
        if unit is not None:
            groups.setdefault(tuple(made), {})[unit] = cases
    return groups


def _on_units(
    unit: str | None, counts: Mapping[tuple[Any, ...], Subject], by_unit: Mapping[Any, Mapping[Any, Subject]]
) -> Iterator[Note]:
    """Say which rows have no unit, and how many units have rows in several groups."""
    if unit is None:
        return
    rows = sum(size_of(cases) for (*_, one), cases in counts.items() if one is None)
    if not by_unit:
        raise InputError("empty", "unit", "is missing in every row", unit, "name another column")
    if rows:
        yield Note("units_missing", f"rows left out because they have no {unit}: {rows}", {"rows": rows})
    groups = Counter(one for units in by_unit.values() for one in units)
    shared = sum(number > 1 for number in groups.values())
    if shared:
        words = f"{count_of(shared, 'unit')} with rows in several groups; tests take these as different units"
        yield Note("units_shared", words, {"units": shared})


@old_parameters(seed="rng")
def audit_tables(
    groups: Any,
    *,
    metrics: Sequence[str | Metric] | None = None,
    reference: str | Table | Matrix | Mapping[str, object] = "rest",
    level: float = 0.95,
    correction: Correction = "holm",
    strength: Strength = "auto",
    reference_known: bool = False,
    step_down: bool = False,
    percentile: bool = False,
    rng: np.random.Generator | int = SEED,
) -> Audit:
    """Compare groups whose tables are known already.

    Parameters
    ----------
    groups
        Tables by name, or matrices of the same classes; they must not overlap. Or counts from another package: a frame
        with a row for each group and columns tp, fn, fp and tn, a fairlearn `MetricFrame` of counts, an aequitas
        crosstab.
    reference
        "rest", "pairs", the name of one group, or a table of other cases.
    metrics, level, correction, strength, reference_known, step_down, percentile, rng
        As in `audit`.
    """
    groups = groups if isinstance(groups, Mapping) else tables_of(groups)
    atoms = {str(name): _cases(table, str(name)) for name, table in groups.items()}
    if len(atoms) < len(groups):
        raise InputError("ambiguous", "groups", "have the same names as text", list(groups), "name them apart")
    if not atoms:
        raise InputError("empty", "groups", "must hold at least one group", {}, "give tables by name")
    how = (level, strength, correction, reference_known, step_down, percentile, seed_of(rng))
    options = _Options(metrics, reference, *how)
    listed = [Group(name, {}, cases, frozenset([name])) for name, cases in atoms.items()]
    return _Auditing((), listed, atoms, options).result()


def _cases(given: Any, argument: str) -> Subject:
    return given if isinstance(given, Matrix) else as_table(given, argument)


def together(cases: Iterable[Subject]) -> Subject:
    """Return all cases of some groups in one."""
    first, *others = cases
    if isinstance(first, Matrix):
        return Matrix(sum((other.values for other in others), first.values), first.labels)  # type: ignore[union-attr]
    return tables_together([first, *others])  # type: ignore[list-item]


class _Pair(NamedTuple):
    """A group, and what it is compared with; None where no case is left for that."""

    group: Group
    reference: Reference | None


class _Auditing:
    """One audit at work: which pairs are compared, by which measures, and what comes of it."""

    def __init__(
        self,
        by: tuple[str, ...],
        groups: Sequence[Group],
        atoms: Mapping[Any, Subject],
        options: _Options,
        by_unit: Mapping[Any, Mapping[Any, Subject]] | None = None,
    ) -> None:
        check_level(options.level)
        check_choice(options.correction, Correction, "correction")
        self.by_unit = by_unit or {}
        self._units_known: dict[Any, Units] = {}
        rows_alone = (("correction", options.correction == "max"), ("reference_known", options.reference_known),
            ("percentile", options.percentile), ("reference", not isinstance(options.reference, str)))  # fmt: skip
        for argument, is_set in rows_alone:
            if options.unit is not None and is_set:
                value = getattr(options, argument)
                raise InputError("usage", argument, "takes cases to be independent", value, "leave out this or unit")
        if options.correction == "max" and options.reference_known:
            hint = "use holm"
            raise InputError("usage", "correction", "max shuffles the reference, which is known", "max", hint)
        self.by, self.groups, self.atoms, self.options = by, groups, atoms, options
        self.whole = together(atoms.values())
        labels = self.whole.labels if isinstance(self.whole, Matrix) else None
        given = options.metrics
        usual = AUDITED if labels is None else AUDITED_CLASSES
        self.measures = measures(
            usual if given is None else [given] if isinstance(given, str | Metric) else given, labels
        )
        if not self.measures:
            raise InputError("usage", "metrics", "must name at least one", [], "name a metric")

    def result(self) -> Audit:
        """Return the finished audit."""
        options = self.options
        pairs = [*self._pairs()]
        findings, tests = self._findings(pairs)
        taken_out: list[Note] = []
        if options.step_down:
            findings, pairs, taken_out = self._stepped_down(findings, pairs, tests)
        towards = self._smoothing_pairs(pairs)
        smoothed, strength, chosen_by, scatter_notes = smoothed_scores(
            towards, self.measures, options.strength, options.level
        )
        findings = [replace(finding, **smoothed.get((finding.group.name, finding.metric), {})) for finding in findings]
        named = options.reference if isinstance(options.reference, str) else "a given table"
        return Audit(
            by=self.by,
            metrics=tuple(self.measures),
            reference=named,
            level=options.level,
            correction=options.correction,
            tests=tests,
            whole=self.whole,
            seed=options.seed if self._random(findings) else None,
            strength=strength,
            strength_chosen_by=chosen_by,
            overall={name: self._interval(what, self.whole, self._all) for name, what in self.measures.items()},
            unit=options.unit,
            units=self._number_of_units(self._all),
            groups=tuple(self.groups),
            findings=tuple(findings),
            rows_read=size_of(self.whole),
            notes=(*taken_out, *self._notes(findings), *scatter_notes),
        )

    def _random(self, findings: Iterable[Finding]) -> bool:
        drawn = any(finding.comparison is not None and finding.comparison.draws for finding in findings)
        return drawn or self.options.correction == "max"

    def _pairs(self) -> Iterator[_Pair]:
        """Yield the pairs of groups and references."""
        reference = self.options.reference
        if not isinstance(reference, str):
            external = Reference("a given table", _cases(reference, "reference"), "a given table")
            yield from (_Pair(group, external if size_of(external.cases) else None) for group in self.groups)
        elif reference == "pairs":
            yield from self._every_pair()
        elif reference in ("rest", "all"):
            yield from (_Pair(group, self._made("all others", self._all, group)) for group in self.groups)
        else:
            base = _named_group(self.groups, reference)
            yield from (
                _Pair(group, None if group is base else self._made(base.name, base.atoms, group))
                for group in self.groups
            )

    def _is_reference(self, group: Group) -> bool:
        named = self.options.reference
        usual = ("rest", "all", "pairs")
        return isinstance(named, str) and named not in usual and _named_group(self.groups, named) is group

    def _every_pair(self) -> Iterator[_Pair]:
        kinds: dict[tuple[str, ...], list[Group]] = {}
        for group in self.groups:
            kinds.setdefault(tuple(group.by), []).append(group)
        if sum(len(kind) ** 2 for kind in kinds.values()) > 2 * _MOST_PAIRS:
            hint = "compare with rest, or with one group"
            raise TooLarge("too_large", "reference", f"makes more than {_MOST_PAIRS} pairs", "pairs", hint)
        for kind in kinds.values():
            for first, second in combinations(kind, 2):
                yield _Pair(first, self._made(second.name, second.atoms, first))

    @cached_property
    def _all(self) -> Atoms:
        return frozenset(self.atoms)

    def _made(self, name: str, atoms: Atoms, group: Group) -> Reference | None:
        """Return a reference without the group's own cases; None where none is left."""
        left = atoms - group.atoms
        cases = together(self.atoms[atom] for atom in left) if left else None
        if cases is None or not size_of(cases):
            return None
        shared = not name.startswith("all others") and bool(atoms & group.atoms)
        return Reference(name, cases, left, shared)

    def _findings(self, pairs: Sequence[_Pair], least: int = 0) -> tuple[list[Finding], int]:
        """Compare pairs, and correct for all tests; `least` of them count even where fewer are left."""
        options = self.options
        draws = draws_for(max(len(pairs) * len(self.measures), least), options.level)
        findings: list[Finding] = []
        for place, pair in enumerate(pairs):
            findings += self._compared(pair, draws)
            if options.progress:
                options.progress((place + 1) / len(pairs))
        return self._corrected(findings, draws, least)

    def _compared(self, pair: _Pair, draws: int) -> Iterator[Finding]:
        group, reference, options = pair.group, pair.reference, self.options
        permutations: dict[int, Permutation | UnitPermutation] = {}
        for name, what in self.measures.items():
            around = self._interval(what, group.cases, group.atoms)
            counted = what.counted(group.cases)
            if reference is None:
                words = "the reference" if self._is_reference(group) else "no other case to compare with"
                notes = (Note("no_reference", words, {}), *around.notes)
                yield Finding(group, name, what.label, around, counted, notes=notes)
                continue
            cells = what.cells(group.cases)
            # Measures of one class have cells of their own; all others share the draws, and so do all units.
            kind = 0 if options.unit else what.of_class if what.of_class is not None else -len(cells)
            if kind not in permutations and options.unit:
                units, others = self._units(group.atoms), self._units(reference.atoms)
                permutations[kind] = UnitPermutation(units, others, draws, options.seed)
            elif kind not in permutations:
                permutations[kind] = Permutation(cells, what.cells(reference.cases), draws, options.seed)
            how = (options.level, options.reference_known, permutations[kind])
            result = compared(what, group.cases, reference.cases, *how)
            place = None
            if options.percentile and isinstance(group.cases, Table) and isinstance(reference.cases, Table):
                place = match(group.cases, reference.cases, what.metric).percentile
            notes_by_text = {note.text: note for note in (*_on_reference(reference), *result.notes, *around.notes)}
            about = (group, name, what.label, around, counted, reference, result)
            yield Finding(*about, percentile=place, notes=tuple(notes_by_text.values()))

    def _units(self, atoms: Any) -> Units:
        """Return the units of some atoms: one with rows in several of them is one unit."""
        if atoms not in self._units_known:
            cases: dict[Any, list[Subject]] = {}
            for atom in atoms:
                for unit, part in self.by_unit[atom].items():
                    cases.setdefault(unit, []).append(part)
            whole = {unit: parts[0] if len(parts) == 1 else together(parts) for unit, parts in cases.items()}
            self._units_known[atoms] = units_of(whole)
        return self._units_known[atoms]

    def _number_of_units(self, atoms: Any) -> int | None:
        return len({unit for atom in atoms for unit in self.by_unit[atom]}) if self.options.unit else None

    def _interval(self, what: Measure, cases: Subject, atoms: Any) -> Interval:
        if self.options.unit:
            return interval_by_units(what, cases, self._units(atoms), self.options.level)
        return interval_of(what, cases, self.options.level)

    def _corrected(self, findings: Sequence[Finding], draws: int, least: int) -> tuple[list[Finding], int]:
        tested = [finding for finding in findings if finding.p_value is not None]
        asked = [self._asked(finding) for finding in tested]
        values = [finding.p_value or 0.0 for finding in tested]
        if self.options.correction == "max" and tested:
            adjusted, tests = corrected_by_max(asked, values, self._cells_of_atoms(), draws, self.options.seed)
        else:
            adjusted, tests = corrected(asked, values, self.options.correction, least)
        most_wrong = 1 - self.options.level
        rejected = len({test.question for test, p in zip(asked, adjusted, strict=True) if p <= most_wrong})
        # What one more p-value would have to be at most, beside those that are rejected anyway.
        limit = most_wrong / max(tests - rejected, 1)
        if self.options.correction == "fdr":
            limit = most_wrong * min(rejected + 1, tests) / max(tests, 1)
        by_finding = {id(finding): value for finding, value in zip(tested, adjusted, strict=True)}
        return [self._judged(finding, by_finding.get(id(finding)), limit) for finding in findings], tests

    def _asked(self, finding: Finding) -> GroupTest:
        assert finding.against is not None, "it was tested"
        return GroupTest(self.measures[finding.metric], finding.group.atoms, finding.against.atoms)

    def _cells_of_atoms(self) -> dict[Hashable, list[int]]:
        return {
            name: list(cases.cells().values()) if isinstance(cases, Table) else cases.values.ravel().tolist()
            for name, cases in self.atoms.items()
        }

    def _judged(self, finding: Finding, p_corrected: float | None, limit: float) -> Finding:
        """Say what a test tells at the corrected level; of small groups, which counts could have told anything."""
        result, most_wrong = finding.comparison, 1 - self.options.level
        if p_corrected is None or result is None:
            return finding
        verdict: Verdict = "different" if p_corrected <= most_wrong else "not shown"
        changes: dict[str, Any] = {"p_corrected": p_corrected, "verdict": verdict}
        if verdict == "different":
            return replace(finding, **changes)
        counted, other = result.counted, result.reference_counted
        if counted is None or other is None or self.options.reference_known or self.options.unit:
            too_few = result.least_p is not None and result.least_p > limit
            return replace(finding, **changes | ({"verdict": "too few"} if too_few else {}))
        if counted.of <= _MOST_CASES_OF_SMALL:
            low, high = telling_hits(counted.of, other, limit)
            changes |= {"telling_up_to": low, "telling_from": high}
            # One count on either side is no scale to measure with.
            if (low is None or low == 0) and (high is None or high == counted.of):
                changes |= {"verdict": "too few", "cases_needed": cases_needed(counted, other, limit)}
        return replace(finding, **changes)

    def _stepped_down(
        self, findings: list[Finding], pairs: list[_Pair], tests: int
    ) -> tuple[list[Finding], list[_Pair], list[Note]]:
        """Take the group that differs most out of the data, test the others again, and so on until none differs.

        All tests of the first round go on counting. Where two groups are each other's rest, nothing would be left to
        compare with, so both stay.
        """
        if self.options.reference not in ("rest", "all"):
            hint = "leave one of them out"
            raise InputError("usage", "step_down", "works only with the reference rest", self.options.reference, hint)
        removed, notes, current = frozenset[Any](), list[Note](), {finding_key(one): one for one in findings}
        compared = {pair.group.name: pair for pair in pairs}
        open_groups = set(compared)
        while True:
            different = [one for one in current.values() if one.group.name in open_groups and one.differs]
            if not different:
                break
            # Of a group and its rest, which differ alike, the smaller one is taken.
            worst = min(different, key=lambda finding: finding.order).group
            removed |= worst.atoms
            again = [pair for pair in self._left(removed) if pair.group.name in open_groups - {worst.name}]
            if not any(pair.reference for pair in again):
                break
            open_groups = {pair.group.name for pair in again if pair.reference}
            words = f"{worst.name} differs, and was taken out before the others were tested again"
            notes.append(Note("taken_out", words, {"group": worst.name}))
            tested = [pair for pair in again if pair.reference]
            compared |= {pair.group.name: pair for pair in tested}
            current |= {finding_key(one): one for one in self._findings(tested, tests)[0]}
        return list(current.values()), list(compared.values()), notes

    def _left(self, removed: Atoms) -> Iterator[_Pair]:
        """Yield the groups with the cases that are left to them, each beside all others that are left."""
        for group in self.groups:
            atoms = group.atoms - removed
            if atoms:
                cases = together(self.atoms[atom] for atom in atoms)
                remaining = replace(group, cases=cases, atoms=atoms, units=self._number_of_units(atoms))
                yield _Pair(remaining, self._made("all others left", self._all - removed, remaining))

    def _smoothing_pairs(self, pairs: Sequence[_Pair]) -> dict[str, tuple[Subject, Subject]]:
        """Return what each group is smoothed towards: what it is compared with, or all others where that is several."""
        if self.options.reference == "pairs":
            made = ((group, self._made("all others", self._all, group)) for group in self.groups)
            return {group.name: (group.cases, rest.cases) for group, rest in made if rest is not None}
        return {pair.group.name: (pair.group.cases, pair.reference.cases) for pair in pairs if pair.reference}

    def _notes(self, findings: Sequence[Finding]) -> Iterator[Note]:
        different = list(dict.fromkeys(finding.group.name for finding in findings if finding.differs))
        alone = len(self.groups) < _FEWEST_WITH_A_REST
        if different and self.options.reference in ("rest", "all") and not self.options.step_down and not alone:
            names = ", ".join(different[:3]) + (" and others" if len(different) > 3 else "")
            words = (
                f"{names} {'is' if len(different) == 1 else 'are'} part of what the other groups are compared with; "
                "with step-down, a group that differs is taken out and the others are tested again"
            )
            yield Note("different_in_rest", words, {"groups": different})


def finding_key(finding: Finding) -> tuple[str, str]:
    """Return what a finding is about."""
    return finding.group.name, finding.metric


def _on_reference(reference: Reference) -> Iterator[Note]:
    """Say what is special about a group's reference."""
    if reference.shared:
        words = "cases that are in both count in the group only"
        yield Note("overlapping_reference", words, {})


def _named_group(groups: Sequence[Group], name: str) -> Group:
    """Return the group with a name, however it is spaced."""
    exact = {group.name: group for group in groups}
    plain = {_plain_name(group.name): group for group in groups}
    group = exact.get(name) or plain.get(_plain_name(name))
    if group is None:
        hint = suggestion(name, exact, f"rest, pairs, or one of {', '.join(list(exact)[:6])}")
        raise InputError("bad_option", "reference", "is not a group", name, hint)
    return group


def _plain_name(name: str) -> str:
    return name.replace(" ", "").casefold()
