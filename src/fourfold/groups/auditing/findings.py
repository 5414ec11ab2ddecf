"""What an audit finds: groups, what each is compared with, and a finding for each group and metric."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from ...errors import InputError, Notes
from ...shape import Amount, Chance, Count, Members, Record, Result, columns, flat, joined, known, named, optional
from ...table import Matrix, Table
from ..testing.comparing import Comparison
from ..testing.intervals import Interval, OfInterval
from ..testing.measures import Subject, measures, size_of
from ..testing.shares import Counted
from .conditions import Condition
from .corrections import Atoms, Correction
from .grouping import plain_values, row_of

Verdict: TypeAlias = Literal["different", "not shown", "too few", "not tested"]


@dataclass(frozen=True)
class Group:
    """A group of cases: how it is made, and its counts. `atoms` are the smallest groups of rows that it is made of."""

    name: Annotated[str, "The group's name."]
    by: Annotated[Mapping[str, Any], "The value of each column that forms the group.", plain_values]
    cases: Subject
    atoms: Atoms = frozenset()
    units: Annotated[Count | None, "How many units its cases belong to, where a column of units was named."] = None

    @property
    def table(self) -> Table | None:
        """The group's table; None where there are more than two classes."""
        return self.cases if isinstance(self.cases, Table) else None

    @property
    def matrix(self) -> Annotated[Matrix | None, "For more than two classes: rows actual.", Matrix.tolist]:
        """The group's matrix of more than two classes."""
        return self.cases if isinstance(self.cases, Matrix) else None

    @property
    def size(self) -> Count:
        """The cases of the group."""
        return size_of(self.cases)


@dataclass(frozen=True)
class Reference:
    """What a group is compared with: its name, its counts, and the atoms it is made of where they are in the data."""

    name: str
    cases: Subject
    atoms: Hashable
    shared: bool = False


@dataclass(frozen=True)
class Finding(Record):
    """One group and one metric, beside one reference."""

    group: Group
    metric: Annotated[str, "The metric's id; for one of several classes, with the class in brackets."]
    label: str
    interval: Interval
    counted: Counted | None = None
    against: Reference | None = None
    comparison: Comparison | None = None
    smoothed: Annotated[float | None, "The score of the smoothed table; null where it is undefined."] = None
    smoothed_interval: Interval | None = None
    p_corrected: Annotated[Chance | None, "The p-value corrected for all tests of the audit."] = None
    verdict: Annotated[Verdict, "The verdict at the audit's level, corrected for all tests."] = "not tested"
    telling_up_to: Annotated[
        Count | None, "In small groups: this number of hits or fewer would have shown a difference."
    ] = None
    telling_from: Annotated[
        Count | None, "In small groups: this number of hits or more would have shown a difference."
    ] = None
    cases_needed: Annotated[
        Count | None, "Where there are too few: how many with this score would show a difference."
    ] = None
    percentile: Annotated[Chance | None, "Where asked for: the chance of at most this score in such a sample."] = None
    notes: Notes = ()

    def _members(self) -> Members:
        group, table, counted, interval = self.group, known(self.group.table), known(self.counted), self.interval
        comparison, smoothed = known(self.comparison), known(self.smoothed_interval)
        difference, ratio = comparison.difference, comparison.ratio
        return (
            *columns(named("group", group.name), named("n", group.size), named("tp", table.tp), named("fn", table.fn),
            named("fp", table.fp), named("tn", table.tn), self.metric, self.score, named("hits", counted.hits),
            named("of", counted.of), named("low", interval.low), named("high", interval.high),
            named("interval_method", interval.method), self.reference,
            named("reference_score", comparison.reference_score), named("difference", difference.value),
            named("difference_low", difference.low), named("difference_high", difference.high),
            named("ratio", ratio.value), named("ratio_low", ratio.low), named("ratio_high", ratio.high), self.p_value,
            named("mid_p", comparison.mid_p), self.p_corrected, self.verdict, named("test_method", comparison.method),
            self.smoothed, named("smoothed_low", smoothed.low), named("smoothed_high", smoothed.high), self.percentile,
            self.undefined_because, self.notes), named("unlimited", interval.unlimited), named("by", group.by),
            optional(named("matrix", group.matrix)), optional(named("units", group.units)), self.telling_up_to,
            self.telling_from, self.cases_needed,
        )  # fmt: skip

    @property
    def reference(self) -> str | None:
        """What the group is compared with; null where there is nothing."""
        return self.against.name if self.against else None

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
        """The two-sided p-value, not corrected."""
        return self.comparison.p_value if self.comparison else None

    @property
    def differs(self) -> bool:
        """Whether the score differs from the reference's, after the correction for all tests."""
        return self.verdict == "different"

    @property
    def order(self) -> tuple[float, float, int]:
        """What findings are sorted by: the surest difference first, what was not tested last.

        P-values that only rounding tells apart are the same, as those of a group and its rest are: then the smaller
        group comes first.
        """
        values = (self.p_corrected, self.p_value)
        corrected, alone = (2.0 if value is None else float(f"{value:.6g}") for value in values)
        return corrected, alone, self.group.size

    def row(self) -> dict[str, Any]:
        """Return one flat record; the columns that form the group come first."""
        return row_of(self.group.by, flat(self))


@dataclass(frozen=True)
class Audit(Result, schema="audit", version=2, source="`audit`"):
    """Every group's scores beside a reference.

    Examples
    --------
    >>> from fourfold import audit_tables
    >>> result = audit_tables({"a": Table(tp=8, fn=2, fp=3, tn=7), "b": Table(tp=30, fn=9, fp=12, tn=49)},
    ...                       metrics=["recall"])
    >>> [(row.group.name, round(row.score, 3), round(row.comparison.difference.value, 3)) for row in result.findings]
    [('a', 0.8, 0.031), ('b', 0.769, -0.031)]
    """

    by: Annotated[tuple[str, ...], "The columns that form groups."]
    metrics: Annotated[tuple[str, ...], "The metrics' ids."]
    reference: Annotated[str, "rest, all, pairs, or the name of a group."]
    level: OfInterval
    correction: Annotated[Correction, "How p-values are corrected for all tests."]
    tests: Annotated[Count, "How many tests were made; tests of the same question count once."]
    seed: Annotated[Count | None, "The seed of the random numbers; null if none were drawn."]
    strength: Annotated[Amount, "The strength of the smoothing."]
    strength_chosen_by: Annotated[str, "How it was chosen."]
    whole: Subject
    overall: Annotated[Mapping[str, Interval], "By a metric's id: the score of all cases, with its interval."]
    groups: tuple[Group, ...]
    findings: Annotated[tuple[Finding, ...], "A record for each group and metric."]
    rows_read: Annotated[Count, "The rows that were counted."]
    notes: Notes = ()
    unit: Annotated[str | None, "The column that says which rows belong together."] = None
    units: Annotated[Count | None, "How many units there are."] = None

    def _members(self) -> Members:
        return (
            self.by, self.classes, self.metrics, self.reference, self.level, self.correction, self.tests, self.seed,
            self.strength, self.strength_chosen_by, self.rows_read, optional(self.table), optional(self.matrix),
            self.overall, self.findings, self.notes, optional(self.unit), optional(self.units),
        )  # fmt: skip

    @property
    def classes(self) -> Annotated[tuple[str, ...] | None, "For more than two classes: their names; otherwise null."]:
        """The names of more than two classes."""
        return tuple(map(str, self.whole.labels)) if isinstance(self.whole, Matrix) else None

    @property
    def table(self) -> Annotated[Table | None, "All cases."]:
        """All cases."""
        return self.whole if isinstance(self.whole, Table) else None

    @property
    def matrix(self) -> Annotated[Matrix | None, "All cases of more than two classes.", Matrix.tolist]:
        """All cases of more than two classes."""
        return self.whole if isinstance(self.whole, Matrix) else None

    @property
    def total(self) -> int:
        """All cases."""
        return size_of(self.whole)

    @property
    def overall_counted(self) -> dict[str, Counted]:
        """By a metric's id: the two counts behind the overall score, where it is a share."""
        labels = self.whole.labels if isinstance(self.whole, Matrix) else None
        counted = {name: what.counted(self.whole) for name, what in measures(self.metrics, labels).items()}
        return {name: counts for name, counts in counted.items() if counts is not None}

    @property
    def by_group(self) -> dict[str, dict[str, Finding]]:
        """The findings by the group's name, then by metric."""
        groups: dict[str, dict[str, Finding]] = {}
        for finding in self.findings:
            groups.setdefault(finding.group.name, {})[finding.metric] = finding
        return groups

    def surest(self, metric: str | None = None) -> list[Finding]:
        """Return the findings of one metric or of all, the clearest difference first."""
        chosen = (finding for finding in self.findings if metric in (None, finding.metric))
        return sorted(chosen, key=lambda finding: finding.order)

    def failing(self, condition: str) -> tuple[Finding, ...]:
        """Return the findings for which a condition holds: ``different``, or such as ``recall_difference<-0.1``."""
        wanted = Condition.read(condition)
        if not wanted.metric:
            return tuple(finding for finding in self.findings if finding.differs)
        labels = self.whole.labels if isinstance(self.whole, Matrix) else None
        names = [name for name in measures([wanted.metric], labels) if name in self.metrics]
        if not names:
            hint = f"the audit has {', '.join(self.metrics)}"
            raise InputError("bad_metric", "fail_on", "names a metric that the audit lacks", wanted.metric, hint)
        return tuple(
            finding
            for finding in self.findings
            if finding.metric in names and wanted.holds(_number_of(finding, wanted.kind))
        )

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record for each group and metric."""
        return [finding.row() for finding in self.findings]


def _number_of(finding: Finding, kind: str) -> float | None:
    if not kind:
        return finding.score
    if finding.comparison is None:
        return None
    return (finding.comparison.difference if kind == "difference" else finding.comparison.ratio).value
