"""Is a group's score different, or is the group just small? The exact law of the score answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

import numpy as np

from ...chance.draws import Source, generator
from ...chance.laws import BUDGET, Law, Split, law
from ...errors import InputError, Note, Notes, TooLarge
from ...exact import CELLS
from ...exact.surd import Exact
from ...metrics import Metric, MetricId
from ...metrics import metric as find_metric
from ...names import old_parameters
from ...shape import Chance, Count, Members, Result, columns
from ...table import Table, whole
from .approximation import beta, monte_carlo, normal

MatchMethod: TypeAlias = Literal["auto", "exact", "normal", "beta", "monte carlo"]

# The paper's own advice: a reference of fewer cases says little (001 section 6.5).
_SMALL_REFERENCE: Final = 100
# A larger share of undefined tables than this is worth a note.
_NOTED_MASS: Final = 0.001
# How many tables are drawn by default: a chance of 0.05 is then known within 0.0014, two standard errors.
_DRAWS: Final = 100_000


@dataclass(frozen=True)
class Match(Result, schema="match", source="`match`"):
    """Where a group's score lies among the scores of samples of the same size from the reference.

    Examples
    --------
    >>> result = match(Table(tp=1, fn=4, fp=2, tn=13), Table(tp=60, fn=40, fp=80, tn=320), "recall")
    >>> result.score, round(result.percentile, 4), round(result.p_value, 4)
    (0.2, 0.0856, 0.1712)
    """

    metric: MetricId
    label: str
    group: Annotated[Table, "The group."]
    reference: Annotated[Table, "What it is compared with."]
    score: Annotated[float | None, "The group's score; null where it is undefined."]
    below: Annotated[Chance | None, "The chance of a lower score, given that the score is defined."]
    equal: Annotated[Chance | None, "The chance of the same score, given that."]
    above: Annotated[Chance | None, "The chance of a higher score, given that."]
    undefined: Annotated[Chance, "The chance that the score is undefined."]
    method: Annotated[str, "How the chances were found."]
    reference_uncertainty: Annotated[bool, "Whether the reference's shares were taken as uncertain."] = False
    notes: Notes = ()

    def _members(self) -> Members:
        return (
            *columns(self.metric, self.size, self.score, self.below, self.equal, self.above, self.undefined,
            self.percentile, self.p_lower, self.p_upper, self.p_value, self.mid_p, self.method, self.notes),
            self.reference_uncertainty, self.group, self.reference,
        )  # fmt: skip

    @property
    def size(self) -> Count:
        """The cases of the group."""
        return self.group.total

    @property
    def percentile(self) -> Chance | None:
        """The chance of a score at most as high."""
        return _sum(self.below, self.equal, self.above)

    @property
    def p_lower(self) -> Chance | None:
        """One-sided: the chance of a score at most as high; small where the group's is low."""
        return self.percentile

    @property
    def p_upper(self) -> Chance | None:
        """One-sided: the chance of a score at least as high; small where the group's is high."""
        return _sum(self.above, self.equal, self.below)

    @property
    def p_value(self) -> Chance | None:
        """Two-sided: twice the smaller one-sided value, at most 1."""
        return _twice(self.p_lower, self.p_upper)

    @property
    def mid_p(self) -> Chance | None:
        """Two-sided with half the chance of the same score: less cautious, right on average."""
        if self.below is None or self.equal is None or self.above is None:
            return None
        return _twice(self.below + self.equal / 2, self.above + self.equal / 2)


def _sum(tail: float | None, equal: float | None, rest: float | None) -> float | None:
    if tail is None or equal is None or rest is None:
        return None
    # A large sum is taken from the other side, where it loses no digits.
    return tail + equal if tail + equal <= rest else max(0.0, 1.0 - rest)


def _twice(lower: float | None, upper: float | None) -> float | None:
    return None if lower is None or upper is None else min(1.0, 2 * min(lower, upper))


@old_parameters(name="metric")
def match(
    group: Table | Mapping[str, object],
    reference: Table | Mapping[str, object],
    metric: str | Metric,
    *,
    method: MatchMethod = "auto",
    reference_uncertainty: bool = False,
    rng: np.random.Generator | int | None = None,
    draws: int = _DRAWS,
    budget: int = BUDGET,
) -> Match:
    """Say where a group's score lies among the scores of samples of the same size from a reference.

    Parameters
    ----------
    group, reference
        Tables; of the reference only its shares count, unless `reference_uncertainty` is set.
    metric
        A metric by any of its names.
    method
        "auto" (exact, or a normal approximation where the exact law would take too long; the result says which),
        "exact", "normal", "beta" (only joint ratios), or "monte carlo".
    reference_uncertainty
        Whether to allow for the reference's own shares being known only from its cases.
    rng, draws
        For "monte carlo": the source of random numbers, or a seed, and how many tables to draw.
    budget
        How many rows of tables the exact law may look at.

    Examples
    --------
    >>> result = match(Table(tp=13, fn=26, fp=31, tn=275), Table(tp=26305, fn=16163, fp=20040, tn=93579), "recall")
    >>> result.p_value < 1e-6, result.method
    (True, 'joint ratio')
    """
    metric = find_metric(metric)
    group, reference = as_table(group, "group"), as_table(reference, "reference")
    check_choice(method, MatchMethod)
    source = Source.of(reference, uncertain=reference_uncertainty)
    value = metric.formula.exact(group.cells())
    if method == "monte carlo":
        split, undefined, used = monte_carlo(metric, group.total, source, value, generator(rng), whole(draws, "draws"))
    else:
        split, undefined, used = _split(law(metric, group.total, source, budget=budget), value, method)
    notes = notes_on(group, reference, uncertain=reference_uncertainty)
    if value is None:
        notes.append(undefined_score(f"the group's {metric.label}", metric.why_undefined(group)))
    if used not in _EXACT_METHODS:
        notes.append(not_exact(used))
    if undefined > _NOTED_MASS:
        which = "every group" if undefined > 1 - 1e-12 else "some groups"
        words = f"{metric.label} is undefined for {which} of {group.total}; chances are given that it is defined"
        notes.append(Note("undefined_mass", words, {"undefined": undefined}))
    score = None if value is None else float(value)
    below, equal, above = split or (None, None, None)
    about = (metric.id, metric.label, group, reference, score)
    return Match(*about, below, equal, above, undefined, used, reference_uncertainty, tuple(notes))


_EXACT_METHODS: Final = frozenset(
    {"binomial", "joint ratio", "weighted joint ratio", "trinomial", "row by row", "table by table"}
)


def _split(law: Law, value: Exact | None, method: MatchMethod) -> tuple[Split | None, float, str]:
    """Return the chances, the undefined share and the way they were computed."""
    if method in ("normal", "beta"):
        return _approximated(law, value, method)
    try:
        split = None if value is None else law.split(value)
        return (None if split is None or math.isnan(split.below) else split), law.undefined, law.method
    except TooLarge:
        if method == "exact":
            raise
        return _approximated(law, value, "normal")


def _approximated(law: Law, value: Exact | None, method: str) -> tuple[Split | None, float, str]:
    if law.source.uncertain and method == "beta":
        hint = "leave the method out, or use normal or monte carlo"
        raise InputError("usage", "method", "does not support an uncertain reference", method, hint)
    split, used = (normal if method == "normal" else beta)(law, value)
    try:
        return split, law.undefined, used
    except TooLarge:
        # What follows from empty cells alone.
        return split, law.undefined_by_cells, used


def check_choice(given: object, known: Any, argument: str = "method") -> None:
    """Check that a choice is one of those that a type lists."""
    if given not in get_args(known):
        hint = f"choose one of {', '.join(get_args(known))}"
        raise InputError("bad_option", argument, "is not known", given, hint)


def undefined_score(what: str, reasons: Sequence[str]) -> Note:
    """Return the note on a score that is undefined, with the reasons."""
    return Note("score_undefined", f"{what} is undefined: {', '.join(reasons)}", {"reasons": list(reasons)})


def not_exact(method: str) -> Note:
    """Return the note on a number that was approximated, with the method."""
    return Note("approximation", f"not exact: {method}", {"method": method})


def as_table(given: Table | Mapping[str, object], argument: str) -> Table:
    """Return a table, also from named counts."""
    if isinstance(given, Table):
        return given
    if isinstance(given, Mapping):
        return Table.from_mapping(given)
    raise InputError("bad_shape", argument, "must be a table", given, "give a Table, or tp, fn, fp and tn by name")


def missing_cells(group: Table, reference: Table) -> list[str]:
    """Return the cells in which a group has cases and its reference has none."""
    return [name for name in CELLS if group.cells()[name] and not reference.cells()[name]]


def notes_on(group: Table, reference: Table, *, uncertain: bool = False) -> list[Note]:
    """Return what a reader should know about a pair of group and reference."""
    notes = []
    if reference.total < _SMALL_REFERENCE:
        cases = "1 case" if reference.total == 1 else f"{reference.total} cases"
        words = f"the reference has only {cases}; its own shares are uncertain"
        notes.append(Note("small_reference", words, {"reference": reference.total}))
    missing = missing_cells(group, reference)
    if missing and reference.total and not uncertain:
        words = f"the reference has no {' and no '.join(missing)}, the group has: no draw could give this group"
        notes.append(Note("impossible_cell", words, {"cells": missing}))
    if group == reference:
        notes.append(Note("group_is_reference", "group and reference are the same table", {}))
    return notes


@old_parameters(name="metric")
def score_law(
    metric: str | Metric, size: int, reference: Table | Mapping[str, object], *, reference_uncertainty: bool = False
) -> Law:
    """Return the exact distribution of a score over all samples of a size that can be drawn from a reference.

    Parameters
    ----------
    metric
        A metric by any of its names.
    size
        How many cases are drawn.
    reference
        A table; only its shares count, unless `reference_uncertainty` is set.
    reference_uncertainty
        Whether to allow for the reference's own shares being known only from its cases.

    Examples
    --------
    >>> law = score_law("recall", 10, Table(tp=60, fn=40, fp=80, tn=320))
    >>> law.quantile(0.5), round(law.undefined, 6)
    (0.6666666666666666, 0.107374)
    """
    source = Source.of(as_table(reference, "reference"), uncertain=reference_uncertainty)
    return law(find_metric(metric), size, source)
