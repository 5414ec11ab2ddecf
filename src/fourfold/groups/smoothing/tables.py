"""Cross-prior smoothing: a small group's table drawn towards a reference, and what that is expected to cost or gain."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, TypeAlias, overload

from ...errors import InputError, Note, Notes
from ...exact import CELLS
from ...metrics import Metric
from ...metrics import metric as find_metric
from ...names import old_parameters
from ...shape import Amount, Count, Members, Result, also, finite
from ...table import Matrix, Table
from ...words import count_of, percent
from ..testing.intervals import Interval, check_level
from ..testing.matching import as_table, notes_on
from .strengths import LEAST, MOST, NO_STRENGTHS, Likelihood, Mixture, Strengths

if TYPE_CHECKING:
    from .matrices import SmoothedMatrix

Strength: TypeAlias = float | Fraction | str

# From these strengths on, groups count as differing little, and somewhat, beyond chance.
_LITTLE, _SOMEWHAT = 100, 20
_SHOWN: Final = 2.706  # at 5 %
# The paper's own advice on the strength (001 section 6.5).
_ADVISED: Final = (5, 20)
_LARGEST_AMOUNT: Final = 10**12
# A check by down-sampling needs a group this large, and looks at these sizes below half of it.
_CHECKED_FROM: Final = 40
_CHECKED_SIZES: Final = (5, 10, 20, 50, 100, 200, 500)


class Check(NamedTuple):
    """Expected squared errors of the four shares, raw and smoothed, if the group had fewer cases."""

    size: Annotated[Count, "The cases."]
    raw: Annotated[Amount, "The expected squared error of the raw shares."]
    smoothed: Annotated[Amount, "The same of the smoothed shares."]


@dataclass(frozen=True, kw_only=True)
class Smoothed(Result, schema="smoothed", source="`smooth`"):
    """A group's table, pulled towards a reference: real cells that sum to the group's size.

    An empty group gets the reference's shares, which sum to 1.

    Examples
    --------
    >>> result = smooth(Table(tp=2, fn=1, fp=0, tn=3), Table(tp=3, fn=2, fp=2, tn=13), strength=5)
    >>> result.tp, round(result.score("recall"), 6)
    (1.5, 0.647059)
    """

    tp: float
    fn: float
    fp: float
    tn: float
    group: Annotated[Table, "The group's counts."]
    reference: Annotated[Table | None, "The reference's counts; null where epsilon was added."]
    strength: Annotated[Amount, "How many cases of the reference's shares were added."]
    chosen_by: Annotated[str, "How the strength was chosen."]
    divergence: Annotated[
        float | None,
        "Kullback-Leibler divergence of the group's shares from the reference's: how little the reference resembles "
        "the group. Null where it is infinite.",
        finite,
    ] = None
    best_strengths: Annotated[
        Mapping[str, float | None],
        "For each cell, the strength with the smallest expected squared error if the group's shares were the truth; "
        "above twice that, smoothing does harm in large groups. Null if group and reference agree: then any strength "
        "is right.",
    ] = field(default_factory=dict)
    checks: Annotated[tuple[Check, ...], "What smoothing would have done for smaller samples of the group."] = ()
    notes: Notes = ()
    strengths: Strengths = NO_STRENGTHS

    def _members(self) -> Members:
        return (
            self.cells, self.group, self.reference, self.strength, self.chosen_by, self.divergence, self.best_strengths,
            self.checks, self.notes,
        )  # fmt: skip

    def cells(self) -> Annotated[dict[str, Amount], "The smoothed cells.", also(required=CELLS)]:
        """Return the four cells by name."""
        return {"tp": self.tp, "fn": self.fn, "fp": self.fp, "tn": self.tn}

    @property
    def total(self) -> float:
        """The sum of the cells."""
        return math.fsum(self.cells().values())

    @old_parameters(name="metric")
    def score(self, metric: str | Metric) -> float:
        """Return a metric of the smoothed table; nan where it is undefined."""
        return float(find_metric(metric).formula.evaluate(self.cells()))

    @old_parameters(name="metric")
    def interval(self, metric: str | Metric, level: float = 0.95) -> Interval:
        """Return an interval for a metric of the group, given its cases and what the reference says beforehand.

        Where the strength was learned, all strengths count, each by its likelihood. Shares have exact quantiles, other
        metrics those of ten thousand draws with a fixed seed, which the method names.

        Examples
        --------
        >>> result = smooth(Table(tp=2, fn=1, fp=0, tn=3), Table(tp=60, fn=40, fp=80, tn=320), strength=10)
        >>> found = result.interval("recall")
        >>> round(found.low, 2), round(found.value, 2), round(found.high, 2)
        (0.23, 0.64, 0.95)
        """
        check_level(level)
        asked, value = find_metric(metric), self.score(metric)
        known = None if math.isnan(value) else value
        ends = self._law().interval(asked, level)
        if ends is None:
            return Interval(metric=asked.id, value=known, level=level)
        low, high, how = ends
        if known is not None:
            low, high = min(low, known), max(high, known)
        law = "mixture over strengths" if self.strengths.amounts else "Dirichlet posterior"
        return Interval(metric=asked.id, value=known, low=low, high=high, level=level, method=f"{law}, {how}")

    def _law(self) -> Mixture:
        if self.reference is None:
            return Mixture.of([count + self.strength / 4 for count in self.group.cells().values()])
        one = Strengths((self.strength,), (1.0,))
        return Mixture.around(self.group, self.reference, self.strengths if self.strengths.amounts else one)

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record."""
        best = {f"best_strength_{name}": value for name, value in self.best_strengths.items()}
        return [self.cells() | {"strength": self.strength, "divergence": self.divergence} | best]


@overload
def smooth(group: Matrix, reference: Matrix, *, strength: Strength = ...) -> SmoothedMatrix: ...
@overload
def smooth(
    group: Table | Mapping[str, object],
    reference: Table | Mapping[str, object] | None = None,
    *,
    strength: Strength = ...,
    epsilon: float | Fraction | str | None = ...,
) -> Smoothed: ...


def smooth(
    group: Any,
    reference: Any = None,
    *,
    strength: Strength = "auto",
    epsilon: float | Fraction | str | None = None,
) -> Smoothed | SmoothedMatrix:
    """Draw a group's table towards a reference, as if some cases more had come with the reference's shares.

    Parameters
    ----------
    group, reference
        Tables, or matrices of the same classes; the reference is best all others than the group.
    strength
        How many cases to add, 0 or more. "auto" takes the strength with the smallest expected squared error of the four
        shares, if the group's shares were the truth. Half a case is added to each cell, so that few cases do not look
        certain. For many groups at once, `smooth_groups` learns it from all.
    epsilon
        Instead of a reference: add this much to each cell, the usual baseline.

    Examples
    --------
    >>> smooth(Table(tp=0, fn=0, fp=0, tn=0), Table(tp=1, fn=1, fp=1, tn=1)).tp
    0.25
    """
    if isinstance(group, Matrix):
        # Matrices stand on what is here, so they are brought in when asked for.
        from .matrices import smooth_matrices

        if epsilon is not None or not isinstance(reference, Matrix):
            hint = "give a matrix of the same classes as the reference"
            raise InputError("usage", "reference", "must be a matrix, as the group is", reference, hint)
        return smooth_matrices({"": (group, reference)}, strength)[0][""]
    group = as_table(group, "group")
    if epsilon is not None:
        return _added(group, reference, epsilon)
    if reference is None:
        raise InputError("usage", "reference", "is missing", None, "give a reference table, or epsilon")
    reference = as_table(reference, "reference")
    shares = shares_of(reference, "reference")
    if strength == "auto":
        number, chosen_by = amount(_least_error(group, shares), "strength"), "least expected squared error, closed form"
        weights = Likelihood.of([(group, shares)]).weighted()
        return _smoothed(group, reference, _Chosen(number, chosen_by, weights), drawn_in(group.total, float(number)))
    return _smoothed(group, reference, _given(strength))


def smooth_groups(
    groups: Mapping[Any, Table], *, strength: Strength = "auto", reference: Table | None = None
) -> dict[Any, Smoothed]:
    """Smooth many groups, each towards all others together (or one given reference).

    Parameters
    ----------
    groups
        Tables by name; they must not overlap.
    strength
        How many cases to add; "auto" takes the strength under which the groups' counts are likeliest, if their shares
        scatter around the references' as a Dirichlet law says (empirical Bayes).

    Examples
    --------
    >>> result = smooth_groups({"a": Table(tp=8, fn=2, fp=3, tn=7), "b": Table(tp=30, fn=9, fp=12, tn=49)}, strength=5)
    >>> round(result["a"].score("recall"), 4)
    0.795
    """
    tables = {name: as_table(table, str(name)) for name, table in groups.items()}
    if not tables:
        raise InputError("empty", "groups", "must hold at least one group", {}, "give tables by name")
    if reference is None and len(tables) < 2:
        hint = "give a reference, or more groups"
        raise InputError("usage", "reference", "a single group has no others to be drawn towards", list(tables), hint)
    whole = together(tables.values())
    pairs = {name: (table, reference or without(whole, table)) for name, table in tables.items()}
    return smooth_towards(pairs, strength)[0]


def smooth_towards(
    pairs: Mapping[Any, tuple[Table, Table]], strength: Strength
) -> tuple[dict[Any, Smoothed], float, str]:
    """Smooth each of some tables towards its reference; and return the strength, and who chose it."""
    shares = {name: shares_of(reference, "reference") for name, (_, reference) in pairs.items()}
    scatter: tuple[Note, ...] = ()
    if strength == "auto":
        likelihood = Likelihood.of([(table, shares[name]) for name, (table, _) in pairs.items()])
        known = any(table.total for table, _ in pairs.values())
        number = amount(likelihood.likeliest() if known else _ADVISED[1], "strength")
        chosen = _Chosen(number, "likelihood of all groups (Dirichlet-multinomial)", likelihood.weighted())
        scatter = (scatter_note(float(number), likelihood),) if known and len(pairs) > 1 else ()
    else:
        chosen = _given(strength)
    smoothed = {
        name: _smoothed(
            table, reference, chosen, (*scatter, *(drawn_in(table.total, float(chosen.strength)) if scatter else ()))
        )
        for name, (table, reference) in pairs.items()
    }
    return smoothed, float(chosen.strength), chosen.chosen_by


def scatter_note(strength: float, likelihood: Likelihood) -> Note:
    """Return the note on how far groups differ, by the strength that was learned from them."""
    added = "less than 1 case" if strength < 1 else count_of(round(strength), "case")
    adds = f"smoothing adds {added} with the shares of the others to each"
    # Twice the gain in likelihood beside no scatter at all; half of it is chi-squared, half is none.
    shown = 2 * (likelihood.log(strength) - likelihood.log(MOST)) > _SHOWN
    much = "little" if strength > _LITTLE else "somewhat" if strength > _SOMEWHAT else "a lot"
    words = f"the groups differ {much} beyond chance" if shown else "the groups are not shown to differ beyond chance"
    return Note("groups_scatter", f"{words}; {adds}", {"strength": strength})


def drawn_in(size: int, strength: float) -> tuple[Note, ...]:
    """Say where a group's own cases weigh less than what is added to them."""
    if not size or strength <= size:
        return ()
    weight = size / (size + strength)
    words = (
        f"{percent(weight)} of the smoothed table comes from the group's own {count_of(size, 'case')}: "
        "a lone group that is truly different is drawn towards the others, too"
    )
    return (Note("drawn_in", words, {"own_weight": weight}),)


def together(tables: Iterable[Table]) -> Table:
    """Return all cases of some tables in one."""
    listed = [table.cells() for table in tables]
    return Table(**{name: sum(cells[name] for cells in listed) for name in CELLS})


def without(whole: Table, group: Table) -> Table:
    """Return all cases but those of one group."""
    return Table(**{name: count - group.cells()[name] for name, count in whole.cells().items()})


def shares_of(table: Table, argument: str) -> tuple[Fraction, ...]:
    """Return the shares of the four cells."""
    if not table.total:
        raise InputError("empty", argument, "has no cases", table.cells(), "give a table with cases in it")
    return tuple(Fraction(count, table.total) for count in table.cells().values())


def amount(given: Any, argument: str) -> Fraction:
    """Read a strength or another amount that may be added: a number, or a text such as 10 or 1e-10."""
    try:
        # A float first: a text such as 1e999999 would make a fraction that fills the memory.
        number = Fraction(given) if 0 <= float(given) <= _LARGEST_AMOUNT else Fraction(-1)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        number = Fraction(-1)
    if not 0 <= number <= _LARGEST_AMOUNT:
        hint = "give a number such as 1 or 10"
        raise InputError("bad_option", argument, "must be a number from 0 to 1e12", given, hint)
    return number


class _Chosen(NamedTuple):
    """A strength, who chose it, and the strengths that an interval counts in."""

    strength: Fraction
    chosen_by: str
    strengths: Strengths


def _given(strength: Strength) -> _Chosen:
    return _Chosen(amount(strength, "strength"), "given", NO_STRENGTHS)


def _smoothed(group: Table, reference: Table, chosen: _Chosen, more: tuple[Note, ...] = ()) -> Smoothed:
    strength, chosen_by, strengths = chosen
    shares = shares_of(reference, "reference")
    notes = [*notes_on(group, reference), *more]
    low, high = _ADVISED
    if chosen_by == "given" and not low <= strength <= high:
        words = f"the strength lies outside {low} to {high}, where the method was tried"
        notes.append(Note("unusual_strength", words, {"strength": float(strength)}))
    size = group.total
    # With nothing to go on, the reference's shares are all there is.
    scale = Fraction(max(size, 1)) / (size + strength) if size + strength else Fraction(1)
    weight = strength if size or strength else Fraction(1)
    tp, fn, fp, tn = (
        float(scale * (count + weight * share)) for count, share in zip(group.cells().values(), shares, strict=True)
    )
    smoothed = Smoothed(
        tp=tp, fn=fn, fp=fp, tn=tn, group=group, reference=reference, strength=float(strength), chosen_by=chosen_by,
        strengths=strengths,
    )  # fmt: skip
    best, checks = _best_strengths(group, shares), _checks(group, shares, float(strength))
    divergence = _divergence(group, shares)
    return replace(smoothed, divergence=divergence, best_strengths=best, checks=checks, notes=tuple(notes))


def _added(group: Table, reference: object, given: float | Fraction | str) -> Smoothed:
    if reference is not None:
        raise InputError("usage", "epsilon", "is the baseline without a reference", given, "leave one of them out")
    epsilon = float(amount(given, "epsilon"))
    size = group.total
    scale = max(size, 1) / (size + 4 * epsilon) if size + 4 * epsilon else 1.0
    tp, fn, fp, tn = (scale * (count + epsilon) for count in group.cells().values())
    words = "the same was added to each cell"
    return Smoothed(tp=tp, fn=fn, fp=fp, tn=tn, group=group, reference=None, strength=4 * epsilon, chosen_by=words)


def _divergence(group: Table, shares: Sequence[Fraction]) -> float | None:
    """Return the divergence of the group's shares from the reference's; infinite where the reference lacks a cell."""
    if not group.total:
        return None
    pairs = [(count / group.total, float(share)) for count, share in zip(group.cells().values(), shares, strict=True)]
    if any(group_share and not other for group_share, other in pairs):
        return math.inf
    return max(
        0.0, math.fsum(group_share * math.log(group_share / other) for group_share, other in pairs if group_share)
    )


def _best_strengths(group: Table, shares: Sequence[Fraction]) -> dict[str, float | None]:
    if not group.total:
        return {}
    group_shares = shares_of(group, "group")
    return {
        name: float(p * (1 - p) / (r - p) ** 2) if r != p else None
        for name, p, r in zip(CELLS, group_shares, shares, strict=True)
    }


def _spread_and_distance(group_shares: Sequence[Fraction], shares: Sequence[Fraction]) -> tuple[float, float]:
    spread = sum((p * (1 - p) for p in group_shares), Fraction(0))
    return float(spread), float(sum(((r - p) ** 2 for p, r in zip(group_shares, shares, strict=True)), Fraction(0)))


def _least_error(group: Table, shares: Sequence[Fraction]) -> float:
    """Return the best strength for all four shares, half a case more in each cell: else one case has no spread."""
    if not group.total:
        return float(_ADVISED[1])
    group_shares = [(count + Fraction(1, 2)) / (group.total + 2) for count in group.cells().values()]
    spread, distance = _spread_and_distance(group_shares, shares)
    return min(max(spread / distance if distance else math.inf, LEAST), MOST)


def _checks(group: Table, shares: Sequence[Fraction], strength: float) -> tuple[Check, ...]:
    """Return the exact expected errors for smaller samples of a large group, its own shares taken as the truth."""
    if group.total < _CHECKED_FROM:
        return ()
    spread, distance = _spread_and_distance(shares_of(group, "group"), shares)
    return tuple(
        Check(size, spread / size, (size * spread + strength**2 * distance) / (size + strength) ** 2)
        for size in _CHECKED_SIZES
        if 2 * size <= group.total
    )
