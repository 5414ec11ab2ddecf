"""An audit: every group's scores beside a reference, with intervals, exact tests, and smoothed scores."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Annotated, Any, Final, NamedTuple

import numpy as np

from ..errors import InputError, Note, Notes, TooLarge, suggestion, verbatim
from ..formula import CELLS
from ..frames import count_groups
from ..metrics import AUDITED, Metric, MetricId, metric
from ..shape import Amount, Chance, Count, Record, Result, flat, joined
from ..space.draws import Source
from ..space.laws import law
from ..table import MISSING, Matrix, Table, positive_label
from .intervals import Interval, OfInterval, check_level, interval
from .matching import Match, as_table, match
from .smoothing import Smoothed, Strength, amount, likeliest_strength, shares_of, smooth, together, without

# Laws that would take longer than about half a second are approximated, and say so.
_BUDGET: Final = 300_000
# In groups up to this size it is worth asking which scores could have been significant at all.
_SMALL: Final = 200
_MOST_GROUPS: Final = 5000
# A reference of fewer times the group's cases adds a chance of its own that is worth a note.
_MUCH_LARGER: Final = 10
_REFERENCES: Final = ("rest", "all")


class _Options(NamedTuple):
    """What holds for all of an audit."""

    level: float
    strength: Strength
    reference_uncertainty: bool


def _plain_values(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return values for JSON: what it has no type for, as text."""
    return {name: value if _is_plain(value) else str(value) for name, value in values.items()}


def _is_plain(value: Any) -> bool:
    return math.isfinite(value) if isinstance(value, float) else isinstance(value, str | int | bool | None)


@dataclass(frozen=True)
class Group:
    """A group of cases: how it is made, its table, and what it is compared with."""

    name: Annotated[str, "The group's name."]
    by: Annotated[Mapping[str, Any], "The value of each column that makes the group.", _plain_values]
    table: Table
    reference: Table | None
    inside: bool = False

    @property
    def size(self) -> Count:
        """The cases of the group."""
        return self.table.total


@dataclass(frozen=True)
class Finding(
    Record,
    columns="group=group.name n=group.size *group.table metric score low=interval.low high=interval.high "
    "interval_method=interval.method percentile=match.percentile p_value mid_p=match.mid_p p_holm p_fdr "
    "undefined_mass=match.undefined test_method=match.method smoothed significant_up_to significant_from too_small "
    "undefined_because notes",
    members="unlimited=interval.unlimited by=group.by reference_uncertainty=match.reference_uncertainty",
):
    """One group and one metric."""

    group: Group
    metric: MetricId
    label: str
    interval: Interval
    match: Match | None
    smoothed: Annotated[float | None, "The score of the smoothed table; null where it is undefined."]
    p_holm: Annotated[Chance | None, "The p-value corrected for all tests of the audit, by Holm."] = None
    p_fdr: Annotated[Chance | None, "The same by Benjamini and Hochberg."] = None
    significant_up_to: Annotated[float | None, "Scores up to this would have been significant, uncorrected."] = None
    significant_from: Annotated[float | None, "Scores from this on would have been significant, uncorrected."] = None
    too_small: Annotated[bool, "Whether no score of so few cases could have been significant."] = False
    notes: Notes = ()

    @property
    def score(self) -> float | None:
        """The group's score; null where it is undefined."""
        return self.interval.value

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the score is undefined; empty where it is defined."""
        notes = [note for note in self.interval.notes if note.code == "score_undefined"]
        return tuple(reason for note in notes for reason in note.data["reasons"])

    @property
    def undefined_because(self) -> str:
        """Why the score is undefined, as one text."""
        return joined(self.reasons)

    @property
    def p_value(self) -> Chance | None:
        """The exact two-sided p-value, not corrected."""
        return self.match.p_value if self.match else None

    def differs(self, level: float) -> bool:
        """Whether the score differs from the reference's after Holm's correction."""
        return self.p_holm is not None and self.p_holm <= 1 - level

    def row(self) -> dict[str, Any]:
        """Return one flat record, the columns that make the group first."""
        own = flat(self)
        # A column of the data that is called like one of these gets a mark.
        made = {f"{name}_" if name in own else name: value for name, value in self.group.by.items()}
        return {**{name: MISSING if value is None else value for name, value in made.items()}, **own}


@dataclass(frozen=True)
class Audit(
    Result,
    schema="audit",
    source="`audit`",
    members="by metrics reference level strength strength_chosen_by rows_read table overall findings notes",
):
    """Every group's scores beside a reference.

    Examples
    --------
    >>> found = audit_tables({"a": Table(tp=8, fn=2, fp=3, tn=7), "b": Table(tp=30, fn=9, fp=12, tn=49)},
    ...                      metrics=["recall"])
    >>> [(each.group.name, round(each.score, 3), round(each.p_value, 3)) for each in found.findings]
    [('a', 0.8, 0.974), ('b', 0.769, 0.581)]
    """

    by: Annotated[tuple[str, ...], "The columns that make groups."]
    metrics: Annotated[tuple[str, ...], "The metrics' ids."]
    reference: Annotated[str, "rest, all, or the name of a group."]
    level: OfInterval
    strength: Annotated[Amount, "The strength of the smoothing."]
    strength_chosen_by: Annotated[str, "Who chose it."]
    table: Annotated[Table, "All cases."]
    overall: Annotated[Mapping[str, Interval], "By a metric's id: the score of all cases, with its interval."]
    groups: tuple[Group, ...]
    findings: Annotated[tuple[Finding, ...], "A record for each group and metric."]
    rows_read: Annotated[Count, "The rows that were counted."]
    notes: Notes = ()

    @property
    def by_group(self) -> dict[str, dict[str, Finding]]:
        """The findings by the group's name, then by metric."""
        found: dict[str, dict[str, Finding]] = {}
        for each in self.findings:
            found.setdefault(each.group.name, {})[each.metric] = each
        return found

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record for each group and metric."""
        return [finding.row() for finding in self.findings]


def audit(
    data: Any,
    *,
    truth: str,
    prediction: str,
    by: str | Sequence[str],
    metrics: Sequence[str | Metric] = AUDITED,
    reference: str = "rest",
    positive: Hashable | None = None,
    level: float = 0.95,
    strength: Strength = 10,
    reference_uncertainty: bool = False,
    query: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> Audit:
    """Compare groups in data of any kind: their scores, exact tests against a reference, intervals, smoothed scores.

    Parameters
    ----------
    data
        A data frame (pandas, polars, pyarrow, DuckDB, Dask, PySpark, Ibis), a mapping of columns, or the path of
        CSV or parquet files, also with ``*`` in it, or of a DuckDB or SQLite file.
    truth, prediction, by
        The columns of labels, and the columns that make the groups. With several, every combination is a group too.
    metrics
        Names of metrics.
    reference
        What a group is compared with: "rest" (all other cases), "all", or the name of one group, ``race=White``.
    positive
        The label that counts as positive. May be left out for labels 0 and 1, False and True, or -1 and 1.
    level
        Of the intervals; tests are called significant at 1 minus this.
    strength
        Of the smoothing; "auto" learns it from all groups.
    reference_uncertainty
        Whether tests count in that a reference's own shares are known only from its cases.
    query
        A select to run in a DuckDB or SQLite file.
    progress
        Called now and then with the share of the work that is done.

    Examples
    --------
    >>> data = {"y": [1, 1, 1, 0, 0, 1], "yhat": [1, 0, 1, 0, 1, 1], "sex": ["f", "f", "m", "m", "f", "m"]}
    >>> found = audit(data, truth="y", prediction="yhat", by="sex", metrics=["recall"])
    >>> [(each.group.name, each.score) for each in found.findings]
    [('sex=f', 0.5), ('sex=m', 1.0)]
    """
    columns = [by] if isinstance(by, str) else list(by) if isinstance(by, Iterable) else []
    for argument, names in (("by", columns), ("truth", [truth]), ("prediction", [prediction])):
        if any(not isinstance(name, str) for name in names):
            raise InputError("usage", argument, "must be a column's name", names, "give it as text")
    if not columns:
        raise InputError("usage", "by", "must name at least one column", by, "name the column that makes the groups")
    half = None if progress is None else lambda share: progress(share / 2)
    counted = count_groups(data, truth=truth, prediction=prediction, by=columns, query=query, progress=half)
    pairs: Counter[tuple[Any, Any]] = Counter()
    for each in counted.pairs.values():
        pairs.update(each)
    if not pairs:
        left = verbatim(", ".join(f"{many} rows without {name}" for name, many in counted.missing.items()))
        raise InputError("empty", "truth", "no row has both labels", left, "check the columns of labels")
    chosen, notes = _positive(pairs, positive)
    notes += [
        Note("labels_missing", f"rows left out, for want of a label in {name}: {many}", {"column": name, "rows": many})
        for name, many in counted.missing.items()
        if many
    ]
    tables = {values: _table(found, chosen) for values, found in counted.pairs.items()}
    groups = _combined(counted.by, tables)
    rest = None if progress is None else lambda share: progress(0.5 + share / 2)
    options = _Options(level, strength, reference_uncertainty)
    found = _audited(counted.by, groups, together(tables.values()), metrics, reference, options, rest)
    return replace(found, rows_read=counted.rows, notes=(*notes, *found.notes))


def audit_tables(
    groups: Mapping[Any, Table | Mapping[str, object]],
    *,
    metrics: Sequence[str | Metric] = AUDITED,
    reference: str | Table | Mapping[str, object] = "rest",
    level: float = 0.95,
    strength: Strength = 10,
    reference_uncertainty: bool = False,
) -> Audit:
    """Compare groups whose tables are known already.

    Parameters
    ----------
    groups
        Tables by name; they must not overlap.
    reference
        "rest", "all", the name of one group, or a table.
    metrics, level, strength, reference_uncertainty
        As in `audit`.
    """
    tables = {str(name): as_table(table, str(name)) for name, table in groups.items()}
    if len(tables) < len(groups):
        raise InputError("ambiguous", "groups", "have names that read the same", list(groups), "name them apart")
    if not tables:
        raise InputError("empty", "groups", "must hold at least one group", {}, "give tables by name")
    made: dict[str, tuple[dict[str, Any], Table]] = {name: ({}, table) for name, table in tables.items()}
    options = _Options(level, strength, reference_uncertainty)
    return _audited((), made, together(tables.values()), metrics, reference, options, None)


def _positive(pairs: Counter[tuple[Any, Any]], positive: Hashable | None) -> tuple[Hashable, list[Note]]:
    labels = Matrix.from_pairs(pairs).labels
    if isinstance(positive, str) and positive not in labels:
        # A text on the command line, a number in the data.
        positive = next((label for label in labels if str(label) == positive), positive)
    if len(labels) <= 2:
        return positive_label(labels, positive), []
    if positive is None:
        shown = verbatim(f"{len(labels)} classes: {', '.join(map(str, labels[:6]))}")
        hint = f"say which class is positive, such as {labels[0]}, and all others count as negative"
        raise InputError("bad_label", "truth", "has more than two classes", shown, hint)
    if positive not in labels:
        hint = suggestion(str(positive), map(str, labels), f"the data has {', '.join(map(str, labels[:6]))}")
        raise InputError("bad_label", "positive", "is no label of the data", positive, hint)
    words = f"{positive!r} is compared with {len(labels) - 1} other classes together"
    return positive, [Note("one_against_rest", words, {"labels": [str(label) for label in labels]})]


def _table(pairs: Counter[tuple[Any, Any]], positive: Hashable) -> Table:
    sums = Counter(dict.fromkeys(CELLS, 0))
    for (actual, predicted), many in pairs.items():
        if actual == positive:
            sums["tp" if predicted == positive else "fn"] += many
        else:
            sums["fp" if predicted == positive else "tn"] += many
    return Table(**sums)


def _combined(by: tuple[str, ...], tables: Mapping[tuple[Any, ...], Table]) -> dict[str, tuple[dict[str, Any], Table]]:
    """Return the groups of each column, then those of every combination of columns."""
    found: dict[str, tuple[dict[str, Any], Table]] = {}
    for many in range(1, len(by) + 1):
        for chosen in combinations(range(len(by)), many):
            sums: dict[tuple[Any, ...], list[Table]] = {}
            for values, table in tables.items():
                sums.setdefault(tuple(values[i] for i in chosen), []).append(table)
            for key, parts in sorted(sums.items(), key=lambda item: [_sortable(value) for value in item[0]]):
                made = {by[i]: value for i, value in zip(chosen, key, strict=True)}
                found[_name(made, found)] = (made, together(parts))
    if len(found) > _MOST_GROUPS:
        hint = "name fewer columns, or columns with fewer values"
        raise TooLarge("too_large", "by", f"makes more than {_MOST_GROUPS} groups", len(found), hint)
    return found


def _name(made: Mapping[str, Any], taken: Iterable[str]) -> str:
    """Return a group's name; where another group is written the same, one that tells them apart."""
    name = ", ".join(f"{column}={MISSING if value is None else value}" for column, value in made.items())
    if name in taken:
        name = ", ".join(f"{column}={value!r}" for column, value in made.items())
    while name in taken:
        name += "'"
    return name


def _sortable(value: Any) -> tuple[int, Any]:
    """Numbers by size, then texts, then what is missing."""
    if isinstance(value, int | float):
        return 0, float(value)
    return (2, "") if value is None else (1, str(value))


def _audited(
    by: tuple[str, ...],
    made: Mapping[str, tuple[dict[str, Any], Table]],
    whole: Table,
    metrics: Sequence[str | Metric],
    reference: str | Table | Mapping[str, object],
    options: _Options,
    progress: Callable[[float], None] | None,
) -> Audit:
    check_level(options.level)
    named = [metrics] if isinstance(metrics, str | Metric) else AUDITED if metrics is None else metrics
    chosen = list({each.id: each for each in map(metric, named)}.values())
    if not chosen:
        raise InputError("usage", "metrics", "must name at least one", list(metrics), "name a metric")
    groups = _referred(made, whole, reference)
    smoothed, number, chosen_by = _all_smoothed(groups, options.strength)
    findings = []
    for i, group in enumerate(groups):
        findings += [_finding(group, each, options, smoothed.get(group.name)) for each in chosen]
        if progress:
            progress((i + 1) / len(groups))
    return Audit(
        by,
        tuple(each.id for each in chosen),
        reference if isinstance(reference, str) else "a given table",
        options.level,
        number,
        chosen_by,
        whole,
        {each.id: interval(whole, each, level=options.level) for each in chosen},
        tuple(groups),
        tuple(_corrected(findings)),
        whole.total,
        _on_references(groups, options),
    )


def _on_references(groups: Sequence[Group], options: _Options) -> tuple[Note, ...]:
    pairs = [(group.table.total, group.reference.total) for group in groups if group.reference is not None]
    few = sum(1 for own, other in pairs if other < _MUCH_LARGER * own)
    if options.reference_uncertainty or not few:
        return ()
    words = (
        f"{few} of {len(groups)} groups have references of less than {_MUCH_LARGER} times their cases, taken as known; "
        "reference_uncertainty counts in the references' own chance"
    )
    return (Note("reference_taken_as_known", words, {"groups": few}),)


def _referred(made: Mapping[str, tuple[dict[str, Any], Table]], whole: Table, reference: Any) -> list[Group]:
    """Give each group what it is compared with; None where nothing is left for that."""
    fixed = None if isinstance(reference, str) else as_table(reference, "reference")
    chosen = None
    if isinstance(reference, str) and reference not in _REFERENCES:
        plain = {_plain_name(name): name for name in made}
        chosen = reference if reference in made else plain.get(_plain_name(reference))
        if chosen is None:
            hint = suggestion(reference, made, f"rest, all, or one of {', '.join(list(made)[:6])}")
            raise InputError("bad_option", "reference", "is no group", reference, hint)
        fixed = made[chosen][1]
    groups = []
    for name, (by, table) in made.items():
        if fixed is not None:
            other = None if name == chosen else fixed
        elif reference == "all":
            other = whole
        else:
            other = without(whole, table)
        inside = chosen is not None and name != chosen and by.items() >= made[chosen][0].items() and bool(by)
        groups.append(Group(name, by, table, other if other is not None and other.total else None, inside))
    return groups


def _plain_name(name: str) -> str:
    return name.replace(" ", "").casefold()


def _all_smoothed(groups: Sequence[Group], strength: Strength) -> tuple[dict[str, Smoothed], float, str]:
    referred = [(group, group.reference) for group in groups if group.reference is not None]
    chosen_by = "given"
    if strength != "auto":
        strength = amount(strength, "strength")
    if strength == "auto":
        pairs = [(group.table, shares_of(other, "reference")) for group, other in referred]
        strength, chosen_by = likeliest_strength(pairs), "likelihood of all groups (Dirichlet-multinomial)"
    found = {group.name: smooth(group.table, other, strength=strength) for group, other in referred}
    number = next(iter(found.values())).strength if found else float(strength)
    return found, number, chosen_by


def _finding(group: Group, chosen: Metric, options: _Options, smoothed: Smoothed | None) -> Finding:
    level = options.level
    own = interval(group.table, chosen, level=level)
    if group.reference is None or smoothed is None:
        words = "nothing to compare with: this is the reference, or no other case is left"
        return Finding(group, chosen.id, chosen.label, own, None, None, notes=(Note("no_reference", words, {}),))
    lacking = [name for name in CELLS if group.table.cells()[name] and not group.reference.cells()[name]]
    if chosen.formula.exact(group.reference.cells()) is None:
        lacking = []  # there is no score to compare with, however uncertain
    uncertain = options.reference_uncertainty or bool(lacking)
    found = match(group.table, group.reference, chosen, reference_uncertainty=uncertain, budget=_BUDGET)
    score = smoothed.score(chosen)
    low, high = _significant(group, chosen, options._replace(reference_uncertainty=uncertain))
    # A score that cannot be drawn at all is significant at any size.
    tested = found.p_value is not None and found.p_value > 1 - level
    small = 0 < group.table.total <= _SMALL and low is None and high is None and tested
    # The interval says again why a score is undefined; approximations are of different things.
    again = [note for note in own.notes if note.code not in {each.code for each in found.notes} - {"approximation"}]
    notes = {note.text: note for note in (*_about(group, lacking), *found.notes, *again)}
    return Finding(
        group,
        chosen.id,
        chosen.label,
        own,
        found,
        None if score != score else score,
        significant_up_to=low,
        significant_from=high,
        too_small=small,
        notes=tuple(notes.values()),
    )


def _about(group: Group, lacking: Sequence[str]) -> Iterator[Note]:
    """Say what is special about a group's reference."""
    if lacking:
        words = f"the reference has no {' and no '.join(lacking)}; its shares were taken as uncertain"
        yield Note("impossible_cell", words, {"cells": list(lacking)})
    if group.inside:
        yield Note("overlapping_reference", "the group is part of its reference", {})


def _significant(group: Group, chosen: Metric, options: _Options) -> tuple[float | None, float | None]:
    """Return the scores up to which, and from which on, a small group's would be significant."""
    assert group.reference is not None, "there is something to compare with"
    if not 0 < group.table.total <= _SMALL:
        return None, None
    try:
        source = Source.of(group.reference, uncertain=options.reference_uncertainty)
        values, chances = law(chosen, group.table.total, source, budget=_BUDGET).whole
    except TooLarge:
        return None, None
    tail = (1 - options.level) / 2
    low = np.flatnonzero(np.cumsum(chances) <= tail)
    high = np.flatnonzero(np.cumsum(chances[::-1])[::-1] <= tail)
    return (float(values[low[-1]]) if len(low) else None), (float(values[high[0]]) if len(high) else None)


def _corrected(findings: Sequence[Finding]) -> list[Finding]:
    """Correct p-values for all tests of the audit."""
    place = [i for i, each in enumerate(findings) if each.p_value is not None]
    values = np.array([findings[i].p_value for i in place], dtype=np.float64)
    order = np.argsort(values, kind="stable")
    many = len(values)
    rank = np.arange(many)
    holm, fdr = np.empty(many), np.empty(many)
    holm[order] = np.minimum(np.maximum.accumulate(values[order] * (many - rank)), 1.0)
    fdr[order] = np.minimum(np.minimum.accumulate((values[order] * many / (rank + 1))[::-1])[::-1], 1.0)
    found = list(findings)
    for i, by_holm, by_fdr in zip(place, holm.tolist(), fdr.tolist(), strict=True):
        found[i] = replace(found[i], p_holm=by_holm, p_fdr=by_fdr)
    return found
