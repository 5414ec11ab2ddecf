"""The methods of RECLAIM as what they are: fast estimates that name themselves, beside the exact `recover`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from operator import mul
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias, cast, get_args

from ..errors import InputError, Note, Notes, verbatim
from ..exact import CELLS
from ..exact.polynomial import Polynomial
from ..exact.reported import Reported
from ..metrics import ACCURACY, PRECISION, RECALL, Metric, f_beta
from ..shape import Result, also
from .claim import ClaimedScore, Size, TableClaim

EstimateMethod: TypeAlias = Literal["linear", "least_squares", "accuracy_closed_form"]
_RealCells: TypeAlias = dict[str, Fraction]

# What eqs 3, 6-7 and 8-10 of RECLAIM bound: recall, precision, and F-beta for the usual betas.
_BOUNDED: Final[tuple[Metric, ...]] = (RECALL, PRECISION, *(f_beta(beta) for beta in ("1", "2", "1/2")))


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


Real: TypeAlias = Annotated[Fraction, float]
_CellsByName: TypeAlias = Annotated[
    dict[str, Real | None],
    "The estimated cells, real numbers; null where the method leaves a range.",
    also(required=CELLS),
]


class Ends(NamedTuple):
    """The low and the high end of what a method allows; both None where no end has a value."""

    low: Annotated[Fraction | None, "The low end.", _float]
    high: Annotated[Fraction | None, "The high end.", _float]


@dataclass(frozen=True)
class Estimate(
    Result, schema="estimate", version=3, source="`estimate`", members="method claim cells tp_range bounds notes"
):
    """The estimate that a method of RECLAIM gives for a claim.

    The cells tp, fn, fp and tn are exact solutions of the method's equations: real numbers, not always counts. They are
    None where the method leaves a range.

    Examples
    --------
    >>> from fourfold.claims import Claim
    >>> claim = Claim.from_mapping({"total": 2000, "positives": 994, "accuracy": "=0.898"})
    >>> result = estimate(claim, "accuracy_closed_form")
    >>> result.tp_range, result.bounds["recall"]
    ((Fraction(790, 1), Fraction(994, 1)), Ends(low=Fraction(395, 497), high=Fraction(1, 1)))
    """

    claim: Annotated[TableClaim, "What was reported, as it was read."]
    method: Annotated[EstimateMethod, "How the estimate was made."]
    tp: Fraction | None = None
    fn: Fraction | None = None
    fp: Fraction | None = None
    tn: Fraction | None = None
    tp_range: Annotated[tuple[Real, Real] | None, "The smallest and largest tp, where the method gives a range."] = None
    bounds: Annotated[Mapping[str, Ends], "By a metric's id, where the method gives them."] = field(
        default_factory=dict, hash=False
    )
    notes: Notes = ()

    def cells(self) -> _CellsByName:
        """Return the four cells by name."""
        return {name: getattr(self, name) for name in CELLS}

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record a cell and a bounded metric."""
        ranges = {name: (value, value, value) for name, value in self.cells().items()}
        if self.tp_range:
            ranges["tp"] = (self.tp, *self.tp_range)
        ranges |= {name: (None, *ends) for name, ends in self.bounds.items()}
        return [
            {"name": name, "value": _float(value), "low": _float(low), "high": _float(high)}
            for name, (value, low, high) in ranges.items()
        ]


def estimate(claim: TableClaim, method: EstimateMethod = "linear") -> Estimate:
    """Estimate the table behind a claim by a method of RECLAIM; only `recover` decides what is possible.

    Every method takes a score at the middle of what its text allows. A size that is only known as a range is not used.

    Parameters
    ----------
    claim
        What was reported.
    method
        "linear" solves four equations for the four cells (Table I); "least_squares" takes four or more and gives the
        pseudo-inverse's solution; "accuracy_closed_form" needs both sizes and accuracy alone, and bounds tp, recall,
        precision, F1, F2 and F0.5 (Table II, eqs 3-10).

    Returns
    -------
    Estimate
        Its notes say where it is not exact, and where a cell lies outside what a table can hold.

    Examples
    --------
    Just one table fits this report, tp=56 fn=0 fp=1 tn=9. The estimate misses it:

    >>> from fourfold.claims import Claim
    >>> claim = Claim.from_mapping({"total": 66, "positives": 56, "accuracy": "0.9848", "f1": "0.9912"})
    >>> result = estimate(claim)
    >>> {name: round(float(cell), 2) for name, cell in result.cells().items()}
    {'tp': 56.5, 'fn': -0.5, 'fp': 1.5, 'tn': 8.5}
    >>> [note.code for note in result.notes]
    ['estimate_not_exact', 'estimate_outside']
    """
    methods = get_args(EstimateMethod)
    if method not in methods:
        raise InputError("bad_option", "method", "unknown method", method, f"one of {', '.join(methods)}")
    return _closed_form(claim) if method == "accuracy_closed_form" else _of_facts(claim, method)


class _Fact(NamedTuple):
    """One linear equation in the cells, in their usual order."""

    name: str
    weights: tuple[Fraction, ...]
    right: Fraction


def _of_facts(claim: TableClaim, method: EstimateMethod) -> Estimate:
    """Solve the linear equations of a claim: four of them, or more by least squares.

    At full rank the pseudo-inverse is (WᵀW)⁻¹Wᵀ: rational, so it is computed without rounding. Of four equations it is
    the only solution.
    """
    facts = [*_size_facts(claim), *map(_score_fact, claim.scores)]
    least_squares = method == "least_squares"
    if len(facts) < 4 or (len(facts) > 4 and not least_squares):
        problem = "four facts or more are needed" if least_squares else "exactly four facts are needed"
        hint = "leave some out, or use least_squares" if len(facts) > 4 else "give more scores, or the sizes"
        raise InputError("bad_metric", "claim", problem, _named(facts), hint)
    columns = [*zip(*(fact.weights for fact in facts), strict=True), tuple(fact.right for fact in facts)]
    rows = [[sum(map(mul, left, right), Fraction(0)) for right in columns] for left in columns[:4]]
    # Gauss-Jordan elimination.
    for i in range(4):
        pivot = next((j for j in range(i, 4) if rows[j][i]), None)
        if pivot is None:
            hint = "replace a score by one that says something new, or use recover"
            raise InputError("bad_metric", "claim", "the system is singular", _named(facts), hint)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for j in range(4):
            if j != i and (factor := rows[j][i]):
                rows[j] = [x - factor * y for x, y in zip(rows[j], rows[i], strict=True)]
    tp, fn, fp, tn = (row[-1] for row in rows)
    solution = {"tp": tp, "fn": fn, "fp": fp, "tn": tn}
    words = [f"least squares balance {len(facts)} facts and need not meet any of them"] if least_squares else []
    # A row of Table I also holds where its score is 0/0.
    holes = [claimed.name for claimed in claim.scores if claimed.metric.formula.exact(solution) is None]
    return Estimate(claim, method, tp, fn, fp, tn, notes=_notes(claim, [solution], holes, words))


def _closed_form(claim: TableClaim) -> Estimate:
    if claim.margins is None or [claimed.metric.formula for claimed in claim.scores] != [ACCURACY.formula]:
        given = _named([*_size_facts(claim), *claim.scores])
        problem, hint = "accuracy alone and both sizes are needed", "give total, positives and accuracy"
        raise InputError("bad_metric", "claim", problem, given, hint)
    positives, negatives = claim.margins
    # 000 §III.C prints A' = tp + fn; Table II holds for the correct predictions, tp + tn.
    correct = _middle(claim.scores[0].reported) * (positives + negatives)
    low, high = max(Fraction(0), correct - negatives), min(Fraction(positives), correct)
    # A tp leaves one table: fp = C + tp - A' - NP (000, above eq. 4).
    ends = [{"tp": tp, "fn": positives - tp, "fp": negatives - correct + tp, "tn": correct - tp} for tp in (low, high)]
    bounds, holes = {}, []
    for metric in _BOUNDED:
        # Eqs 3, 6, 7 and 10. Eqs 5 and 9 show the metric monotone, so that sorting picks the case. At A' = NN and
        # tp = 0 eq. 6 is 0/0; there eq. 5 is 0, so that every table with a value has the value of the other end.
        exact = (cast("Fraction | None", metric.formula.exact(table)) for table in ends)
        values = [value for value in exact if value is not None]
        bounds[metric.id] = Ends(min(values), max(values)) if values else Ends(None, None)
        if len(values) < len(ends):
            holes.append(metric.id)
    only = ends[0] if low == high else {}
    notes = _notes(claim, ends, holes)
    return Estimate(claim, "accuracy_closed_form", **only, tp_range=(low, high), bounds=bounds, notes=notes)


def _size_facts(claim: TableClaim) -> list[_Fact]:
    """Return the known sizes; of three that follow from each other, total and positives."""
    if claim.margins:
        positives, negatives = claim.margins
        known = {"total": Size(positives + negatives, positives + negatives), "positives": Size(positives, positives)}
    else:
        known = {"total": claim.total, "positives": claim.positives, "negatives": claim.negatives}
    held = {"total": (1, 1, 1, 1), "positives": (1, 1, 0, 0), "negatives": (0, 0, 1, 1)}
    return [
        _Fact(name, tuple(map(Fraction, held[name])), Fraction(size.low)) for name, size in known.items() if size.known
    ]


def _score_fact(claimed: ClaimedScore) -> _Fact:
    """Return a row of 000 Table I: numerator - value * denominator = 0, off the metric's own formula."""
    ratio = None if claimed.is_area else claimed.metric.formula.ratio()
    if ratio is None or any(len(monomial) > 1 for monomial in (*ratio.numerator.terms, *ratio.denominator.terms)):
        hint = "leave it out, or use recover, which takes every metric"
        formula = verbatim(claimed.metric.formula.text())
        raise InputError("bad_metric", claimed.name, "is not a ratio of sums of cells", formula, hint)
    terms = (ratio.numerator - Polynomial.number(_middle(claimed.reported)) * ratio.denominator).terms
    weights = tuple(terms.get((name,), Fraction(0)) for name in CELLS)
    return _Fact(claimed.name, weights, -terms.get((), Fraction(0)))


def _middle(reported: Reported) -> Fraction:
    return (reported.low + reported.high) / 2


def _named(facts: Sequence[_Fact | ClaimedScore]) -> str:
    return verbatim(", ".join(fact.name for fact in facts) or "none")


def _notes(
    claim: TableClaim, tables: Sequence[_RealCells], holes: Sequence[str], words: Sequence[str] = ()
) -> tuple[Note, ...]:
    """Say why an estimate is not exact, and which cells lie outside what a table can hold."""
    reasons, notes = list(words), []
    if any(claimed.reported.low < claimed.reported.high for claimed in claim.scores):
        reasons.append("scores were taken at the middle of what their texts allow")
    if any(cell.denominator != 1 for table in tables for cell in table.values()):
        reasons.append("cells are not whole numbers")
    if holes:
        reasons.append(f"0/0 at the estimate: {', '.join(holes)}")
    if reasons:
        notes.append(Note("estimate_not_exact", "; ".join(reasons), {"undefined": list(holes)}))
    positives, negatives = claim.margins or (claim.positives.high, claim.negatives.high)
    most = dict(zip(CELLS, (positives, positives, negatives, negatives), strict=True))
    outside = {
        name: float(cell)
        for table in tables
        for name, cell in table.items()
        if cell < 0 or any(end is not None and cell > end for end in (most[name], claim.total.high))
    }
    if outside:
        notes.append(Note("estimate_outside", f"negative, or above its margin: {', '.join(outside)}", outside))
    return tuple(notes)
