"""From a claim to every table that fits it, and what follows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Annotated, Any, Final, SupportsFloat, SupportsIndex, TypeAlias, overload

import numpy as np

from ..errors import InputError, Note, Notes, TooLarge
from ..formula import CELLS
from ..metrics import AREA, METRICS, Averaged, Convention, Metric
from ..shape import Count, Result, also
from ..space import TOLERANCE, Bounds, Curve, Rows, is_exact
from ..table import Matrix, Table, whole
from ..words import listed
from .any_size import solve
from .blame import contradictions_of
from .claim import BUDGET, Claim, Size, is_left_out, metric_of_class, read_curve
from .class_bounds import ClassMargins, Margins
from .class_recovery import ClassRecovery, Verdict, check_asked, check_no_sizes, recover_classes, verdict_of
from .classes import ClassClaim, Classes, read_classes
from .distribution import Distribution, Prior, distribution
from .fold_recovery import (
    Experiment,
    FoldRecovery,
    FoldTable,
    fold_claims,
    means_over_folds,
    recover_experiment,
    shown_metrics,
)
from .folds import AnyOver, AnySpread, Folds, Sets
from .implied import Implied, bounds_over
from .intervals import IntervalCheck, IntervalMethod, check_fold_intervals, check_intervals, notes_on, unchecked
from .readings import (
    Departure,
    Departures,
    Reading,
    Readings,
    as_zero,
    is_zero,
    joined_words,
    readings_of_table,
    try_readings,
)
from .repairs import Repair, repairs
from .search import Feasible, fits, of_cells

#: A score as printed: text keeps trailing zeros, a number is read by its shortest text. None is passed over.
PrintedScore: TypeAlias = str | SupportsFloat | None
#: A number of cases, a range as text or as two numbers, or None where it is not known.
Cases: TypeAlias = str | SupportsIndex | Sequence[SupportsIndex] | Size | None
#: Which bounds an answer holds: "auto" (all where that is quick), "all", "none", or names of metrics.
AskedBounds: TypeAlias = str | Sequence[str | Metric]

_TABLES_SHOWN: Final = 100
# Up to this many rows, the bounds of all metrics take about a second where margins are open: a single score leaves
# much more of each row to look at than several do.
_QUICK_ROWS: Final = 150_000
_QUICK_ROWS_OF_SEVERAL: Final = 2_000_000

_NOWHERE: Final = Feasible.of(Rows.joined([]))
_NO_EXPERIMENT: Final = Experiment()


@dataclass(frozen=True)
class Recovery(
    Result,
    schema="recovery",
    source="`recover`",
    version=2,
    members="verdict count complete=feasible.complete departures claim tables=_first_tables cells "
    "bounds=shown_bounds folds intervals interval_methods blame contradictions implied repairs readings notes",
):
    """Every table that could have produced a report, and what follows from that.

    Examples
    --------
    >>> result = recover(accuracy="0.898", f1="0.8968", positives=994, negatives=1006)
    >>> result.verdict, result.count, [table.tp for table in result.tables()]
    ('several', 3, [882, 886, 891])
    """

    claim: Annotated[Claim, "What was reported, as it was read."]
    verdict: Annotated[
        Verdict,
        "several: not known to be unique; conditional: possible only under another reading of the report; undecided: "
        "the budget ran out.",
    ]
    count: Annotated[Count, "How many tables fit; where no size is known, how many of the smallest were found."]
    contradictions: Annotated[
        tuple[tuple[str, ...], ...],
        "The smallest sets that contradict each other as the report stands, by the names given.",
    ] = ()
    implied: Annotated[tuple[Implied, ...], "What the rest of each set leaves for a member."] = ()
    departures: Departures = ()
    readings: Readings = ()
    notes: Notes = ()
    intervals: Annotated[
        tuple[IntervalCheck, ...],
        "Intervals printed beside scores, and which methods give them; none rules a table out.",
    ] = ()
    interval_methods: Annotated[
        tuple[IntervalMethod, ...],
        "The methods that give all these intervals for one and the same table, and for how many tables.",
    ] = ()
    feasible: Feasible = field(default=_NOWHERE, repr=False, compare=False)
    #: The claim under the plain reading: what contradictions are about.
    as_stated: Claim | None = field(default=None, repr=False, compare=False)
    others: tuple[Reading, ...] = field(default=(), repr=False, compare=False)
    #: Where the scores fit only as means over folds, what was found so.
    as_means: FoldRecovery | None = field(default=None, repr=False, compare=False)
    #: The metrics whose bounds are part of the answer.
    bounded: tuple[Metric, ...] = field(default=(), repr=False, compare=False)

    def tables(self, limit: int | None = None) -> Iterator[Table]:
        """Walk the tables that fit, smallest total first, each checked once more against every score."""
        self._check_walkable()
        for table in islice(self.feasible.tables(), None if limit is None else max(limit, 0)):
            assert fits(self.claim, table), f"{table} was found to fit and does not"
            yield table

    def bounds(self, name: str | Metric) -> Bounds:
        """Return a metric's smallest and largest value over the tables that fit, with tables that attain them."""
        metric = metric_of_class(name, self.claim.labels)
        self._check_walkable()
        return self._bounds_of([metric])[metric.id]

    @property
    def all_bounds(self) -> dict[str, Bounds]:
        """The bounds of every metric of the catalogue; none where there are too many tables to walk."""
        return {} if self.feasible.unwalked else self._bounds_of(_ALL)

    @property
    def shown_bounds(self) -> dict[str, Bounds]:
        """The bounds that are part of the answer, by metric."""
        return self._bounds_of(self.bounded)

    def _bounds_of(self, metrics: Sequence[Metric]) -> dict[str, Bounds]:
        known = self._known_bounds
        missing = [metric for metric in metrics if metric.id not in known] if known else metrics
        known.update(bounds_over(self.claim, self.feasible, missing) if missing else {})
        return dict(known) if missing is metrics else {metric.id: known[metric.id] for metric in metrics}

    @cached_property
    def _known_bounds(self) -> dict[str, Bounds]:
        return {}

    def finish(self) -> Recovery:
        """Compute all that the answer shows, so that nothing is left to compute for printing or drawing it."""
        if self.bounded:
            self._bounds_of([*self.bounded, *(claimed.metric for claimed in self.claim.scores)])
        if self.as_means:
            self.as_means.finish()
        _ = self.repairs
        return self

    @property
    def _first_tables(self) -> Annotated[tuple[Table, ...], also(maxItems=_TABLES_SHOWN)]:
        """The first hundred tables that fit; none where there are too many to walk."""
        return () if self.feasible.unwalked else tuple(self.tables(_TABLES_SHOWN))

    def _check_walkable(self) -> None:
        if self.feasible.unwalked:
            problem = f"the tables can be counted, not walked: {self.feasible.unwalked}"
            raise TooLarge("too_large", "budget", problem, self.claim.budget, "raise the budget")

    @property
    def blame(self) -> tuple[tuple[str, ...], ...]:
        """The smallest sets of claims that contradict each other, by metric; `contradictions` has the given names."""
        ids = {claimed.name: claimed.metric.id for claimed in self.stated.scores}
        clear = len(set(ids.values())) == len(ids)
        return tuple(tuple(ids[name] if clear else name for name in names) for names in self.contradictions)

    @cached_property
    def repairs(self) -> tuple[Repair, ...]:
        """Single changes that would make an impossible report possible; hypotheses, in a fixed order."""
        return repairs(self.claim, tried=len(self.readings) > 1) if self.verdict == "impossible" else ()

    @property
    def folds(self) -> tuple[FoldTable, ...]:
        """Tables of the folds, if the scores fit only as means over folds: one possible outcome."""
        return self.as_means.folds() if self.as_means else ()

    @property
    def stated(self) -> Claim:
        """What was reported, as it stands."""
        return self.as_stated or self.claim

    @property
    def reading(self) -> str:
        """How the report must be read, in words."""
        return joined_words(self.departures, self.others)

    def matrix(self) -> Matrix | None:
        """Return one table that fits as a matrix: rows actual, columns predicted, the positive class last."""
        for table in self.tables(1):
            return Matrix(np.array([[table.tn, table.fp], [table.fn, table.tp]]), self.claim.labels)
        return None

    def margins(self, limit: int | None = None) -> Iterator[Margins]:
        """Walk the tables that fit as the cases, the right and the predicted cases of each class."""
        negative, positive = self.claim.labels
        for table in self.tables(limit):
            tp, fn, fp, tn = table.cells().values()
            yield ClassMargins(negative, fp + tn, tn, tn + fn), ClassMargins(positive, tp + fn, tp, tp + fp)

    def distribution(self, name: str | Metric, prior: Prior = "tables") -> Distribution:
        """Return how a metric is distributed over the tables that fit; `Distribution` says what a prior means.

        Examples
        --------
        >>> recover(accuracy="0.85", positives=40, negatives=60).distribution("recall").median
        0.8
        """
        self._check_walkable()
        metric = metric_of_class(name, self.claim.labels)
        if metric.id == AREA.id:
            hint = "ask for its bounds"
            raise InputError("bad_metric", "name", "has a range for each table, and no value", metric.id, hint)
        law = distribution(self.feasible.rows, metric, prior)
        if self.feasible.complete:
            return law
        words = "only the tables found within the budget are in it"
        return replace(law, notes=(*law.notes, Note("budget_spent", words, {"budget": self.claim.budget})))

    @property
    def cells(self) -> dict[str, tuple[Count, Count]]:
        """The smallest and largest count of each cell; empty if nothing or too much fits, or if no size is known."""
        rows = _NOWHERE.rows if self.feasible.unwalked or self.feasible.all_sizes else self.feasible.rows
        if not len(rows):
            return {}
        fn, fp = rows.positives - rows.tp, (rows.negatives - rows.high, rows.negatives - rows.low)
        ends = {"tp": (rows.tp, rows.tp), "fn": (fn, fn), "fp": fp, "tn": (rows.low, rows.high)}
        return {name: (int(low.min()), int(high.max())) for name, (low, high) in ends.items()}

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record for each metric: its bounds, and which methods give an interval printed beside it."""
        rows = {
            name: {"metric": name, "low": bounds.low, "high": bounds.high}
            | {f"low_{cell}": getattr(bounds.low_table, cell, None) for cell in CELLS}
            | {f"high_{cell}": getattr(bounds.high_table, cell, None) for cell in CELLS}
            for name, bounds in self.shown_bounds.items()
        }
        for check in self.intervals:
            rows.setdefault(check.metric, {"metric": check.metric}).update(check.row())
        return list(rows.values())


_ALL: Final = tuple(METRICS.values())


@overload
def recover(
    claim: Claim | Mapping[str, Any] | None = None,
    /,
    *,
    positives: Cases = ...,
    negatives: Cases = ...,
    total: Cases = ...,
    max_total: str | SupportsIndex | None = ...,
    spread: AnySpread | str = ...,
    rounding: str = ...,
    undefined: Convention | str = ...,
    budget: str | SupportsIndex = ...,
    curve: Curve | str = ...,
    bounds: AskedBounds = ...,
    **scores: PrintedScore,
) -> Recovery: ...
@overload
def recover(  # type: ignore[overload-overlap]
    claim: Claim | Mapping[str, Any] | None = None,
    /,
    *,
    folds: Folds | None = ...,
    sets: Sets | None = ...,
    over: AnyOver | str = ...,
    each: Mapping[str, Any] | None = ...,
    repeats: int = ...,
    positives: Cases = ...,
    negatives: Cases = ...,
    total: Cases = ...,
    max_total: str | SupportsIndex | None = ...,
    spread: AnySpread | str = ...,
    rounding: str = ...,
    undefined: Convention | str = ...,
    budget: str | SupportsIndex = ...,
    curve: Curve | str = ...,
    bounds: AskedBounds = ...,
    **scores: PrintedScore,
) -> FoldRecovery: ...
@overload
def recover(
    claim: None = None,
    /,
    *,
    classes: Classes,
    positives: None = ...,
    negatives: None = ...,
    total: Cases = ...,
    max_total: None = ...,
    rounding: str = ...,
    undefined: Convention | str = ...,
    budget: str | SupportsIndex = ...,
    curve: Curve | str = ...,
    bounds: str | Sequence[str] = ...,
    **scores: PrintedScore,
) -> ClassRecovery | Recovery: ...


def recover(
    claim: Claim | Mapping[str, Any] | None = None,
    /,
    *,
    classes: Classes | SupportsFloat | None = None,
    positives: Cases = None,
    negatives: Cases = None,
    total: Cases = None,
    max_total: str | SupportsIndex | None = None,
    folds: Any = None,
    sets: Any = None,
    over: Any = "any",
    spread: Any = "any",
    each: Any = None,
    repeats: Any = 1,
    rounding: str = "any",
    undefined: Convention | str = "any",
    budget: str | SupportsIndex = BUDGET,
    curve: Curve | str = "any",
    bounds: Any = "auto",
    **scores: PrintedScore,
) -> Recovery | ClassRecovery | FoldRecovery:
    """Find every table that could have produced the reported scores.

    Parameters
    ----------
    claim
        A `Claim`, or a mapping of what is named below, all of it or some; or leave it out and give names and texts.
    classes
        For a report about several classes: the size of each, as a list, by name, as text such as ``cat=50,dog=40-60``;
        or how many classes there are, with the total. Scores are then those of one class, such as ``recall[cat]``, or
        of all, such as ``macro_f1``. Two classes are one table, of which the second is the positive class.
    positives, negatives, total
        Sizes as far as they are known, each a number or a range.
    max_total
        The largest total to try if none is given. If left out, tables of all sizes are decided at once, provided that
        no size is known and all scores are ratios of sums of cells, such as accuracy, recall and F1. Otherwise 1000 is
        the largest.
    folds
        If scores are means over folds: how many, made as scikit-learn makes stratified folds; a list of positives
        and negatives, or of sizes alone; "10 unstratified"; or "any", which tries 2 to 20.
    sets
        If scores are means over test sets: the positives and negatives of each, and optionally its weight, repeats and
        folds.
    over
        "mean" or "pooled", the scores of all cases together; "any" tries both.
    spread
        What a number after ± is: "sd", "sample_sd", "standard_error" or "bounds"; "any" tries the first three.
    each
        What is known about the scores of every single fold, such as ``{"recall": "[0.5, 1]"}``.
    repeats
        How often the cross-validation was repeated.
    rounding
        How scores were rounded.
    undefined
        "none" if they do not occur, "zero" if they were printed as 0, "excluded" if they were left out. A
        class that is undefined counts as 0 in an average, or is left out of it, in the same way. With "any" the report
        is first taken as it stands; if no table fits, other readings are tried.
    budget
        How many rows to search at most, up to a hundred million.
    curve
        "convex" if a reported area under the ROC curve is that of a convex curve, which gets less steep to the right.
    bounds
        The bounds that the answer shows: of "all" metrics, of "none", of those named, or "auto": of all if that takes
        about a second. `Recovery.bounds` computes any of them later.
    scores
        Scores by any of a metric's names, as printed; the area under the ROC curve, such as ``auc="0.91"``; and counts,
        such as ``tp=87`` or ``predicted_positives="80-90"``.

    Returns
    -------
    Recovery
        Its verdict is "unique", "several", "conditional" if tables fit only under another reading of the report,
        "impossible", or "undecided" if the budget ran out. With more than two classes, a `ClassRecovery`.

    Examples
    --------
    >>> recover(accuracy="0.9567", sensitivity="0.8700", specificity="0.9750", positives=100, negatives=200).blame
    (('accuracy', 'recall', 'specificity'),)
    >>> recover({"accuracy": "0.85", "recall": "80%", "positives": 40, "negatives": 60}).verdict
    'unique'
    >>> recover(classes={"cat": 50, "dog": 40, "cow": 30}, **{"recall[cat]": "0.96", "macro_f1": "0.91"}).verdict
    'several'
    """
    if claim is not None and not isinstance(claim, Claim | Mapping):
        raise InputError(
            "usage", "claim", "must be a claim or a mapping", claim, "give names and texts: accuracy='0.9'"
        )
    read_curve(curve)
    if isinstance(claim, Mapping):
        beside: dict[str, Any] = {"classes": classes, "positives": positives, "negatives": negatives, "total": total}
        beside |= {"max_total": max_total, "folds": folds, "sets": sets, "each": each, **scores}
        said: list[tuple[str, Any, Any]] = [("over", over, "any"), ("spread", spread, "any"), ("repeats", repeats, 1)]
        said += [("rounding", rounding, "any"), ("undefined", undefined, "any"), ("curve", curve, "any")]
        said += [("budget", budget, BUDGET), ("bounds", bounds, "auto")]
        beside |= {name: value for name, value, usual in said if value != usual}
        again: Any = recover
        return again(**_merged(claim, beside))  # type: ignore[no-any-return]
    experiment = _NO_EXPERIMENT
    if not (folds is sets is None and over == spread == "any" and each is None and repeats == 1):
        experiment = Experiment(folds, sets, over, spread, dict(each or {}), whole(repeats, "repeats", text=True))
    if classes is not None:
        check_no_sizes(claim=claim, positives=positives, negatives=negatives)
        labels, sizes_of_classes, cases = read_classes(classes, total)  # type: ignore[arg-type]
        if len(labels) > 2:
            check_no_sizes(max_total=max_total, folds=folds, sets=sets)
            filled, _, beside_scores = Experiment(spread="bounds").split({**scores, "rounding": rounding})
            del filled["rounding"]
            read = ClassClaim.read(filled, (labels, sizes_of_classes, cases), rounding, undefined, budget)
            return recover_classes(replace(read, notes=(*read.notes, *unchecked(beside_scores))), bounds)
        negatives, positives = sizes_of_classes
        total = cases
    sizes: dict[str, Any] = {"positives": positives, "negatives": negatives, "total": total, "max_total": max_total}
    given = {name: value for name, value in {**sizes, **scores}.items() if value is not None}
    options = (("rounding", rounding, "any"), ("undefined", undefined, "any"), ("curve", curve, "any"))
    given |= {name: value for name, value, usual in (*options, ("budget", budget, BUDGET)) if value != usual}
    deviations: dict[str, str] = {}
    if not isinstance(claim, Claim):
        filled, deviations, intervals = experiment.split(given)
        names = (labels[0], labels[1]) if classes is not None else Claim.labels
        claim = Claim.from_mapping(filled, names).with_intervals(intervals)
    elif given:
        hint = "give one of them"
        raise InputError("usage", "recover", "takes a claim or names and texts, not both", list(given), hint)
    if experiment.said:
        meant = list(fold_claims(claim, experiment, deviations))
        return recover_experiment(meant, bounds, both=experiment.over == "any")
    return _recovered(claim, bounds)


#: What is said about folds and test sets.
OF_FOLDS: Final = ("folds", "sets", "over", "spread", "each", "repeats")


def _recovered(stated: Claim, asked: AskedBounds) -> Recovery:
    """Find the tables that could have produced a report about one table."""
    bounded = _named_bounds(asked, stated)
    _, plain = next(readings_of_table(stated))
    tried = try_readings(readings_of_table(stated), solve_table)
    claim: Claim = tried.claim
    feasible: Feasible = tried.found
    departures = tuple(_worded(each, claim, feasible) for each in tried.departures)
    folded: FoldRecovery | None = None
    if feasible.empty and stated.convention is None and tried.readings[0].verdict == "impossible":
        folded, more = means_over_folds(stated)
        tried = tried._replace(readings=(*tried.readings, *more))
        if folded is not None:
            bounded_means = () if asked == "none" else shown_metrics("auto")
            folded = replace(folded, readings=tried.readings, bounded=bounded_means)
            tried = tried._replace(departures=folded.departures, others=folded.others)
            departures = folded.departures
    sized = claim.sized()
    notes = [*claim.notes, *(_on_search(sized, feasible) if sized else ())]
    quick = _QUICK_ROWS if len(claim.scores) == 1 else _QUICK_ROWS_OF_SEVERAL
    if feasible.unwalked:
        bounded = ()
    elif bounded is None and not feasible.all_sizes and sized and not sized.margins and len(feasible.rows) > quick:
        words = "the bounds of the metrics were left out, because they would take long; --bounds all computes them"
        notes.append(Note("bounds_left_out", words, {"rows": len(feasible.rows)}))
        bounded = ()
    verdict = verdict_of(tried, feasible.count, complete=feasible.complete and not (sized and sized.undecidable))
    if folded is not None:
        verdict = "conditional"
    contradictions, implied, unsure = (
        contradictions_of(plain) if tried.readings[0].verdict == "impossible" else ((), (), False)
    )
    if unsure:
        notes.append(Note("blame_incomplete", "not every set of claims was checked for a contradiction", {}))
    shown = _ALL if bounded is None else bounded
    if shown is _ALL and claim.area is not None:
        shown = (*_ALL, AREA)
    notes += _on_limits(feasible, shown)
    searched = feasible.complete and not (sized and sized.open_ended)
    if folded is None:
        intervals, methods = check_intervals(claim.scores, feasible, more=not searched)
    else:
        intervals, methods = check_fold_intervals(folded.claim, fits=True), ()
    notes += notes_on(intervals)
    found = (claim, verdict, feasible.count, contradictions, implied, departures, tried.readings, tuple(notes))
    return Recovery(*found, intervals, methods, feasible, plain, tried.others, folded, shown)


def solve_table(claim: Claim) -> tuple[Feasible, bool, bool]:
    """Return what was found, whether anything fits, and whether that is certain."""
    feasible = solve(claim)
    sized = claim.sized()
    certain = feasible.all_sizes is not None or (feasible.complete and not (sized and sized.undecidable))
    return feasible, not feasible.empty, certain


def _worded(departure: Departure, claim: Claim, feasible: Feasible) -> Departure:
    """Say which undefined scores were printed as 0, by the first table that fits."""
    if not is_zero(departure) or feasible.unwalked:
        return departure
    cells = feasible.first().cells()
    holes = [
        claimed.metric.over_classes.base if isinstance(claimed.metric.over_classes, Averaged) else claimed.metric
        for claimed in of_cells(claim.scores)
        if any(formula.exact(cells) is None for formula in claimed.metric.components)
    ]
    return as_zero(metric.label for metric in holes)


def _merged(claim: Mapping[str, Any], beside: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a mapping says and what is said beside it; a name in both is refused."""
    given = {name: value for name, value in beside.items() if value is not None}
    named = {str(name): value for name, value in claim.items() if not is_left_out(str(name), value)}
    for name in given:
        if name in named:
            raise InputError("ambiguous", name, "is given twice", given[name], "give each name once")
    return {**named, **given}


def _on_search(claim: Claim, feasible: Feasible) -> Iterator[Note]:
    """Say where the search ended before all tables were looked at."""
    if feasible.unwalked:
        words = f"the tables were counted, not walked: {feasible.unwalked}"
        yield Note("budget_spent", words, {"budget": claim.budget})
    elif feasible.all_sizes:
        if not feasible.empty:
            words = "no size was given: verdict and bounds are those of tables of all sizes, only small ones are listed"
            yield Note("max_total_reached", words, {})
    elif not feasible.complete:
        yield Note("budget_spent", feasible.reason, {"budget": claim.budget})
    elif claim.open_ended:
        words = f"totals up to {claim.largest_total} were tried, larger ones were not; max_total sets the limit"
        yield Note("max_total_reached", words, {"max_total": claim.largest_total})


def _on_limits(feasible: Feasible, shown: Sequence[Metric]) -> Iterator[Note]:
    """Say which bounds over all sizes are no more than approximations."""
    if feasible.all_sizes and not feasible.empty and feasible.all_sizes.only is None:
        names = [metric.id for metric in shown if not is_exact(metric.formula)]
        if names:
            words = f"the bounds of {listed(names)} were looked for in floats; they may be off by {TOLERANCE:g}"
            yield Note("approximation", words, {"metrics": names, "tolerance": TOLERANCE})


def _named_bounds(asked: AskedBounds, claim: Claim) -> tuple[Metric, ...] | None:
    """Return the metrics whose bounds are asked for; None where that is left to us."""
    check_asked(asked)
    if asked == "auto":
        return None
    words: Mapping[str, tuple[Metric, ...] | None] = {"auto": None, "all": _ALL, "none": ()}
    names = [name.strip() for name in asked.split(",") if name.strip()] if isinstance(asked, str) else list(asked)
    if len(names) == 1 and isinstance(names[0], str) and names[0] in words:
        return words[names[0]]
    metrics = [metric_of_class(name, claim.labels) for name in names]
    return tuple({metric.id: metric for metric in metrics}.values())
