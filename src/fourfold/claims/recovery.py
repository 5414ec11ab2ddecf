"""From what was reported to everything that could have produced it, and what follows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Annotated, Any, Final, Literal, SupportsFloat, SupportsIndex, TypeAlias

from ..errors import InputError, Note, Notes
from ..exact import CELLS
from ..metrics import AREA, STRICT, Convention, Metric
from ..names import old_parameters
from ..shape import Count, Result, also
from ..solve import Curve, Rows
from ..solve.experiment import OpenParts, Spread, number_of_tables
from ..solve.problem import Bounds
from ..table import Matrix, Table, whole
from ..words import listed, told_once
from . import ladder
from .claim import BUDGET, Claim, Size, TableClaim, by_name, is_left_out, metric_of_class, read_curve, read_plainly
from .class_bounds import Margins
from .class_cells import ClassCells
from .classes import ClassClaim, Classes, read_classes
from .distribution import Distribution, Prior, distribution
from .explain import Contradictions, LeftOut, contradictions, fewest_left_out
from .folds import (
    STRATIFIED_TEXT,
    AnyOver,
    AnySpread,
    Experiment,
    FoldClaim,
    Folds,
    Over,
    Parts,
    Sets,
    fold_claims,
    folds_in_order,
    held_out,
    is_one_set,
    read_share,
    read_splits,
    stratified_splits,
)
from .implied import Implied
from .intervals import (
    IntervalCheck,
    IntervalMethod,
    check_fold_intervals,
    check_intervals,
    misprinted,
    take_apart,
    unchecked,
)
from .readings import (
    CUT_OFF,
    FAMILY_OF_TWO_CLASSES,
    FILLS,
    READINGS,
    Alternative,
    Departure,
    Departures,
    Reading,
    Readings,
    Tried,
    joined_words,
    means_over,
    mixed_names,
    readings_from,
    readings_of,
    try_readings,
    worded,
)
from .repairs import Repair, counts_of, repairs
from .solution import (
    ALL,
    MOST_BOUNDED,
    SMALL_EFFORT,
    ClassSolution,
    Layout,
    PartSolution,
    PartTable,
    Solution,
    TableSolution,
    asked_scores,
    solve,
)

#: A score as printed: text keeps trailing zeros, a number is read by its shortest text. None is passed over.
PrintedScore: TypeAlias = str | SupportsFloat | None
#: A number of cases, a range as text or as two numbers, or None where it is not known.
Cases: TypeAlias = str | SupportsIndex | Sequence[SupportsIndex] | Size | None
#: Which bounds an answer holds: "auto" (all where that is quick), "all", "none", or names of metrics.
AskedBounds: TypeAlias = str | Sequence[str | Metric]
#: Whether a report can be true. *Unexplained* is told apart from impossible where averages of any kind are tried.
Verdict: TypeAlias = Literal["possible", "conditional", "unexplained", "impossible", "undecided"]

#: What is told where nothing fits: the fewest scores to leave out, or all sets that contradict each other.
Explained: TypeAlias = Literal["fewest", "all"]

_SHOWN: Final = 100
# Folds of unknown make-up with no more tables are searched without haste.
_FEW_TABLES: Final = 3_000
# With so many rows of tables a search of all of them is quick.
_FEW_ROWS: Final = 200_000

_UNSTRATIFIED: Final = Departure("folds_not_stratified", "the folds are not stratified")
_POOLED: Final = Departure("pooled", "the scores are those of all cases together, not means")


@dataclass(frozen=True)
class Recovery(
    Result,
    schema="recovery",
    source="`recover`",
    version=3,
    members="verdict layout count counted complete reason departures claim tables=first_tables? "
    "margins=first_margins? matrix? parts? pooled? cells class_cells? bounds=shown_bounds "
    "pooled_bounds=shown_pooled_bounds? intervals interval_methods blame contradictions left_out implied repairs "
    "readings notes",
):
    """Everything that could have produced a report, and what follows from that.

    The report may be about one table, about several classes, or about parts such as folds. What fits is then tables,
    margins of k-by-k tables (the cases, the right and the predicted cases of each class), or a table for each part.

    Examples
    --------
    >>> result = recover(accuracy="0.898", f1="0.8968", positives=994, negatives=1006)
    >>> result.verdict, result.count, [table.tp for table in result.tables()]
    ('possible', 3, [882, 886, 891])
    """

    claim: Annotated[TableClaim | ClassClaim | FoldClaim, "What was reported, as it was read."]
    verdict: Annotated[
        Verdict,
        "conditional: possible only under another reading; unexplained: no reading that was tried fits, some average "
        "could; undecided: nothing was proved.",
    ]
    layout: Annotated[Layout, "What the answer is about."]
    count: Annotated[Count | None, "How many tables or sets of margins fit, or were found; null for parts."]
    counted: Annotated[bool, "Whether the count is of all that fit."] = field(repr=False)
    complete: Annotated[bool, "Whether all tables were looked at."] = field(repr=False)
    reason: Annotated[str, "How it was decided, or why it was not; empty where all was looked at."] = field(repr=False)
    solution: TableSolution | ClassSolution | PartSolution = field(repr=False, compare=False)
    contradictions: Annotated[
        tuple[tuple[str, ...], ...],
        "The smallest sets that contradict each other as the report stands, by the names given.",
    ] = ()
    left_out: Annotated[
        tuple[LeftOut, ...], "The fewest scores that, left out, let the rest agree, where there are several such sets."
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
    #: The claim under the plain reading: what contradictions are about.
    stated: Any = field(default=None, repr=False, compare=False)
    others: tuple[Reading, ...] = field(default=(), repr=False, compare=False)
    #: The scores whose bounds are part of the answer.
    bounded: tuple[Any, ...] = field(default=(), repr=False, compare=False)
    #: Whether all contradicting sets are to be told, or only the fewest scores to leave out.
    explain: str = field(default="fewest", repr=False, compare=False)
    #: What any average could give, where no table gives the report.
    average: ladder.AnyAverage | None = field(default=None, repr=False, compare=False)
    #: The version of its JSON; the one before can be asked for.
    json_version: int = field(default=3, repr=False, compare=False)

    def to_dict(self, version: int | None = None) -> dict[str, Any]:
        """Return plain JSON values, in this version of the schema or in the one before."""
        now = super().to_dict()
        if (version or self.json_version) != 2:
            return now
        from .version_2 import version_2

        return version_2(now, self)

    def tables(self, limit: int | None = None) -> Iterator[Table]:
        """Yield the tables that fit, smallest total first; of parts, one table for each part."""
        return self.solution.tables(limit)

    def margins(self, limit: int | None = None) -> Iterator[Margins]:
        """Yield what fits as the cases, the right and the predicted cases of each class."""
        return self.solution.margins(limit)

    def matrix(self) -> Annotated[Matrix | None, "One table that fits: rows actual.", counts_of]:
        """Return one table that fits as a matrix, the positive class last; None where none was found."""
        return self.solution.matrix()

    def parts(self) -> Annotated[tuple[PartTable, ...] | None, "Tables of the parts: one possible outcome."]:
        """Return the tables of the parts, equal ones together: one possible outcome; None where there are no parts."""
        return self.solution.parts()

    def pooled(self) -> Annotated[Table | None, "The sum of these tables."]:
        """Return the sum of the tables of the parts; None where there are none."""
        return self.solution.pooled()

    @property
    def rows_that_fit(self) -> Rows:
        """The tables of one test set that fit, as rows: a tp with the lowest and highest tn."""
        assert isinstance(self.solution, TableSolution)
        return self.solution.feasible.rows

    @property
    def only_table(self) -> Table | None:
        """The one table that fits, where it is known that no other does."""
        alone = self.layout == "one table" and self.count == 1 and self.counted
        return next(self.tables()) if alone else None

    @property
    def first_tables(self) -> Annotated[tuple[Table, ...] | None, also(maxItems=_SHOWN)]:
        """The first hundred tables that fit; none where there are too many to walk."""
        if not isinstance(self.solution, TableSolution):
            return None
        return () if self.solution.feasible.unwalked else tuple(self.tables(_SHOWN))

    @property
    def first_margins(self) -> Annotated[tuple[Margins, ...] | None, also(maxItems=_SHOWN)]:
        """The first hundred sets of margins of classes that fit."""
        return tuple(self.margins(_SHOWN)) if isinstance(self.solution, ClassSolution) else None

    @property
    def cells(self) -> Annotated[dict[str, tuple[Count, Count]], "The least and the most of tp, fn, fp and tn."]:
        """The smallest and largest count of each cell, of parts in sum; empty where that is not known."""
        return self.solution.cells if self.bounded or self.layout != "parts" else {}

    @property
    def class_cells(self) -> Annotated[ClassCells | None, "Cells of the table of at most 12 classes."]:
        """The least and the largest count of every cell of a table of classes, where these are few."""
        return self.solution.class_cells if len(self.claim.labels) <= MOST_BOUNDED else None

    @old_parameters(name="metric")
    def bounds(self, metric: str | Metric, *, over: Over | None = None) -> Bounds:
        """Return a score's smallest and largest value over all that fits, with what attains them.

        Parameters
        ----------
        metric
            A metric; of classes a score such as "macro_f1" or "recall[cat]"; of parts also a count such as tp.
        over
            Of parts: the mean, or the value for all cases together ("pooled"); by default what the report is about.
        """
        solution: Any = self.solution
        found: Bounds = solution.bounds(metric, over)
        return found

    @property
    def all_bounds(self) -> dict[str, Bounds]:
        """The bounds of every metric of the catalogue; none where there are too many tables to walk."""
        assert isinstance(self.solution, TableSolution)
        return {} if self.solution.feasible.unwalked else self.solution.all_bounds(ALL)

    @property
    def shown_bounds(self) -> dict[str, Bounds]:
        """The bounds that are part of the answer, by score: of means where the report is about means."""
        return self.solution.all_bounds(self.bounded) if self.solution.fits or self.layout != "parts" else {}

    @property
    def shown_pooled_bounds(self) -> dict[str, Bounds] | None:
        """The bounds of scores of all cases of the parts together, by metric."""
        if self.layout != "parts":
            return None
        return self.solution.all_bounds(self.bounded, "pooled") if self.solution.fits else {}

    def finish(self) -> Recovery:
        """Compute all that the answer shows, so that nothing is left to compute for printing or drawing it."""
        if self.bounded and isinstance(self.solution, TableSolution):
            self.solution.all_bounds([*self.bounded, *(claimed.metric for claimed in self.claim.scores)])
        _ = self.shown_bounds, self.shown_pooled_bounds, self.cells, self.class_cells, self.repairs
        return self

    @property
    def blame(self) -> tuple[tuple[str, ...], ...]:
        """The smallest sets of claims that contradict each other, by metric; `contradictions` has the given names."""
        if not isinstance(self.stated, TableClaim):
            return self.contradictions
        ids = {claimed.name: claimed.metric.id for claimed in self.stated.scores}
        clear = len(set(ids.values())) == len(ids)
        return tuple(tuple(ids[name] if clear else name for name in names) for names in self.contradictions)

    @cached_property
    def repairs(self) -> Annotated[tuple[Repair, ...], "Single changes that would make it possible: hypotheses."]:
        """Single changes that would make the report possible as one test set; hypotheses, in a fixed order."""
        nothing = self.verdict in ("impossible", "unexplained")
        return repairs(self.claim, self.blame, tried=len(self.readings) > 1) if nothing else ()

    @property
    def reading(self) -> str:
        """How the report must be read, in words."""
        return joined_words(self.departures, self.others)

    @old_parameters(name="metric")
    def distribution(self, metric: str | Metric, prior: Prior = "tables") -> Distribution:
        """Return how a metric is distributed over the tables that fit; `Distribution` says what a prior means.

        Examples
        --------
        >>> recover(accuracy="0.85", positives=40, negatives=60).distribution("recall").median
        0.8
        """
        if not isinstance(self.solution, TableSolution):
            raise InputError("usage", "distribution", "is that of one table", self.layout, "ask for bounds")
        self.solution.check_walkable()
        chosen = metric_of_class(metric, self.claim.labels)
        if chosen.id == AREA.id:
            hint = "ask for its bounds"
            raise InputError("bad_metric", "metric", "has a range for each table, and no value", chosen.id, hint)
        law = distribution(self.solution.feasible.rows, chosen, prior)
        if self.complete:
            return law
        words = "only the tables found within the budget are in it"
        return replace(law, notes=(*law.notes, Note("budget_spent", words, {"budget": self.claim.budget})))

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record for each score: its bounds, and which methods give an interval printed beside it.

        What was reported has one also where there are no bounds.
        """
        printed = {claimed.meant: claimed.reported.text for claimed in self.claim.scores}
        rows: dict[str, dict[str, Any]] = {}
        for name, ends in self.shown_bounds.items():
            row = {"metric": name, "reported": printed.get(name), **ends._asdict()}
            for side in ("low", "high"):
                table = row.pop(f"{side}_witness")
                if self.layout == "one table":
                    row |= {f"{side}_{cell}": getattr(table, cell, None) for cell in CELLS}
            rows[name] = row
        for name, text in printed.items():
            rows.setdefault(name, {"metric": name, "reported": text})
        for check in self.intervals:
            rows.setdefault(check.metric, {"metric": check.metric}).update(check.row())
        return list(rows.values())


def recover(
    claim: TableClaim | Mapping[str, Any] | None = None,
    /,
    *,
    classes: Classes | SupportsFloat | None = None,
    positives: Cases = None,
    negatives: Cases = None,
    total: Cases = None,
    max_total: str | SupportsIndex | None = None,
    folds: Folds | None = None,
    sets: Sets | None = None,
    over: AnyOver | str = "any",
    spread: AnySpread | str = "any",
    each: Any = None,
    repeats: int | str = 1,
    runs: int | str | None = None,
    splits: str | None = None,
    holdout: str | float | None = None,
    rounding: str = "any",
    undefined: Convention | str = "any",
    budget: str | SupportsIndex = BUDGET,
    curve: Curve | str = "any",
    bounds: AskedBounds = "auto",
    explain: Explained | str = "fewest",
    **scores: PrintedScore,
) -> Recovery:
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
        If scores are means over folds: how many; "10 stratified" or "10 unstratified" if it is known how they were
        made; "repeated 10x5"; a list of positives and negatives, or of sizes alone; or "any", which tries 2 to 20. If
        the scores are those of one test set: "none", so that no average is tried.
    runs
        If scores are means over runs on one test set: how many.
    splits
        If scores are means over splits of the data: how many, and the share that each tested, such as "5 of 0.2". The
        sizes are those of all data.
    holdout
        If only a share of the data was tested: which, such as 0.2. The sizes are those of all data.
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
        "none" if they do not occur, "zero" or "one" if they were printed as 0 or as 1, "excluded" if they were left
        out. A class that is undefined counts so in an average too. With "any" the report is first taken as it stands;
        if no table fits, other readings are tried.
    budget
        How many rows to search at most, up to a hundred million.
    curve
        "convex" if a reported area under the ROC curve is that of a convex curve, which gets less steep to the right.
    bounds
        The bounds that the answer shows: of "all" metrics, of "none", of those named, or "auto": of all if that takes
        about a second. `Recovery.bounds` computes any of them later.
    explain
        Where no table fits, what is told: the "fewest" scores to leave out, or "all" contradicting sets.
    scores
        Scores by any of a metric's names, as printed; the area under the ROC curve, such as ``auc="0.91"``; and counts,
        such as ``tp=87`` or ``predicted_positives="80-90"``.

    Returns
    -------
    Recovery
        Its verdict is "possible", or "conditional" if it is possible only under another reading of the report. If
        nothing that was tried fits, it is "unexplained" where another average could, else "impossible". It is
        "undecided" if nothing was proved. `count` says how many tables fit.

    Examples
    --------
    >>> recover(accuracy="0.9567", sensitivity="0.8700", specificity="0.9750", positives=100, negatives=200).blame
    (('accuracy', 'recall', 'specificity'),)
    >>> recover({"accuracy": "0.85", "recall": "80%", "positives": 40, "negatives": 60}).verdict
    'possible'
    >>> recover(classes={"cat": 50, "dog": 40, "cow": 30}, **{"recall[cat]": "0.96", "macro_f1": "0.91"}).layout
    'classes'
    """
    if claim is not None and not isinstance(claim, TableClaim | Mapping):
        hint = "give names and texts: accuracy='0.9'"
        raise InputError("usage", "claim", "must be a claim or a mapping", claim, hint)
    read_curve(curve)
    if explain not in ("fewest", "all"):
        raise InputError("bad_option", "explain", "is not known", explain, "one of fewest, all")
    given: dict[str, Any] = {"positives": positives, "negatives": negatives, "total": total, "max_total": max_total}
    options: tuple[tuple[str, Any, Any], ...] = (("rounding", rounding, "any"), ("undefined", undefined, "any"))
    options += (("curve", curve, "any"), ("budget", budget, BUDGET))
    if isinstance(claim, Mapping):
        given |= {"classes": classes, "folds": folds, "sets": sets, "each": each, "runs": runs}
        given |= {"splits": splits, "holdout": holdout}
        options += (("over", over, "any"), ("spread", spread, "any"), ("repeats", repeats, 1))
        options += (("bounds", bounds, "auto"), ("explain", explain, "fewest"))
    given = {name: value for name, value in {**given, **scores}.items() if value is not None}
    given |= {name: value for name, value, usual in options if value != usual}
    if isinstance(claim, Mapping):
        named = {name: value for name, value in by_name(claim).items() if not is_left_out(name, value)}
        for name in given:
            if name in named:
                raise InputError("ambiguous", name, "is given twice", given[name], "give each name once")
        again: Any = recover
        found: Recovery = again(**named, **given)
        return found
    one_set = is_one_set(folds)
    stratified = STRATIFIED_TEXT.fullmatch(folds.strip()) if isinstance(folds, str) else None
    folds = None if one_set else int(stratified[1] or stratified[2]) if stratified else folds
    of_parts = folds is not None or sets is not None or runs is not None
    number_of_runs = None if runs is None else max(whole(runs, "runs", text=True), 1)
    if of_parts or over != "any" or spread != "any" or each is not None or repeats != 1:
        known, rounds = dict(each or {}), whole(repeats, "repeats", text=True)
        experiment = Experiment(folds, sets, over, spread, known, rounds, number_of_runs)
    if of_parts or splits is not None or holdout is not None:
        tested = {"folds": folds, "sets": sets, "runs": runs, "splits": splits, "holdout": holdout}
        ways = [name for name, value in tested.items() if value is not None]
        if len(ways) > 1:
            problem, hint = f"cannot be given together with {ways[0]}", f"say one of {listed(list(tested))}"
            raise InputError("usage", ways[1], problem, tested[ways[1]], hint)
    labels = TableClaim.labels
    if classes is not None:
        _check_no_sizes(claim=claim, positives=positives, negatives=negatives)
        labels, sizes_of_classes, cases = read_classes(classes, total)  # type: ignore[arg-type]
        if len(labels) > 2:
            _check_no_sizes(max_total=max_total, sets=sets)
            filled, _, beside_scores = take_apart({**scores, "rounding": rounding}, "bounds", of_parts=False)
            del filled["rounding"]
            read = ClassClaim.read(filled, (labels, sizes_of_classes, cases), rounding, undefined, budget)
            read = replace(read, notes=(*read.notes, *unchecked(beside_scores)))
            if of_parts or splits is not None or holdout is not None:
                return _means_of_classes(read, tested, number_of_runs, bounds, explain)
            return recovered(read, bounds, explain, one_set=one_set)
        negatives, positives = sizes_of_classes
        given |= {"positives": positives, "negatives": negatives, "total": cases}
    deviations: dict[str, str] = {}
    if not isinstance(claim, TableClaim):
        claim = read_plainly(given, labels)
        if claim is None:
            filled, deviations, intervals = take_apart(given, spread, of_parts=of_parts)
            claim = TableClaim.read(filled, labels).with_intervals(intervals)
    elif given:
        hint = "give one of them"
        raise InputError("usage", "recover", "takes a claim or names and texts, not both", list(given), hint)
    if holdout is not None:
        return recovered(held_out(claim, holdout), bounds, explain, one_set=True)
    if splits is not None:
        return _of_splits(claim, splits, bounds)
    if not of_parts:
        return recovered(claim, bounds, explain, one_set=one_set)
    answer = _of_parts(claim, experiment, deviations, bounds, stratified=stratified is not None)
    if deviations and spread == "any" and answer.verdict in ("impossible", "unexplained"):
        # Authors print other things after ±, too.
        for departure, scale in _OTHER_SPREADS:
            scaled = _of_parts(claim, experiment, deviations, bounds, stratified=stratified is not None, spread=scale)
            if scaled.verdict in _FITS:
                departures = (departure, *scaled.departures)
                readings = (*answer.readings, Reading(departures, "possible"))
                return replace(scaled, verdict="conditional", departures=departures, readings=readings)
    return answer


def _means_of_classes(
    read: ClassClaim, tested: Mapping[str, Any], runs: int | None, bounds: AskedBounds, explain: str
) -> Recovery:
    """Decide scores of several classes that are means over runs, folds or splits."""
    from .class_averages import of_class_averages  # hardly any report needs it

    what, folds = f"{tested['runs']} runs", tested["folds"]
    if tested["holdout"] is not None:
        what = f"the ways to hold out {read_share(tested['holdout'], 'holdout')} of the data"
    elif tested["splits"] is not None:
        what = f"{read_splits(tested['splits'])[0]} splits"
    elif folds is not None:
        what = f"{folds if isinstance(folds, int | str) else len(folds)} folds"
    tried, average = of_class_averages(read, what, runs)
    return _answer(read, tried, asked_scores(read, bounds), explain, average)


#: What is said about folds and test sets.
OF_FOLDS: Final = ("folds", "sets", "over", "spread", "each", "repeats", "runs", "splits", "holdout")
_FITS: Final = ("possible", "conditional")
# So many standard errors are half of a 95 % interval, and so many deviations some guides print after ±.
_OTHER_SPREADS: Final[tuple[tuple[Departure, tuple[Spread, Fraction]], ...]] = (
    (Departure("spread_two_deviations", "± is twice the standard deviation"), ("sample_sd", Fraction(2))),
    (Departure("spread_two_deviations", "± is twice the standard deviation"), ("sd", Fraction(2))),
    (Departure("spread_interval", "± is half of a 95 % interval of the mean"), ("standard_error", Fraction(196, 100))),
)


def _check_no_sizes(**sizes: object) -> None:
    """Refuse sizes of two classes beside those of several."""
    for name, value in sizes.items():
        if value is not None:
            hint = "leave it out, or leave classes out"
            raise InputError("usage", name, "follows from classes already", value, hint)


def recovered(stated: Claim, asked: AskedBounds, explain: str = "fewest", *, one_set: bool = False) -> Recovery:
    """Find what could have produced a report about one table or about several classes.

    It is read as it stands, then in other ways, then as averages over parts; with `one_set` the scores are known to be
    those of one test set, so that mixtures of meanings of the names are tried in place of averages.
    """
    named, table = asked_scores(stated, asked), stated if isinstance(stated, TableClaim) else None
    first = stated if stated.convention is not None else stated.changed(convention=STRICT)
    known: Solution | None = solve(first) if table else None
    if known is not None and known.fits:
        # Most reports are possible as they stand: no other reading has to be thought of.
        return _answer(stated, Tried((Reading((), "possible"),), first, known), named, explain)
    # Who gives counts has one table in mind, but it may be that of all folds.
    folds_together = not one_set and any(getattr(claimed, "is_count", False) for claimed in stated.scores)
    one_set = one_set or folds_together
    average: ladder.AnyAverage | None = None

    def readings() -> Iterator[Alternative]:
        nonlocal average
        ways = readings_of(stated, said=one_set)
        yield next(ways)
        # Without sizes each reading is a long search. What no average gives is known before, and what alike parts do.
        if not one_set and table and _is_long(table):
            average = ladder.any_average(stated, readings_of(stated))
            if not average.fits or ladder.of_alike_parts(table):
                return
            ways = readings_of(stated, rows=[row for row in READINGS if row is not FAMILY_OF_TWO_CLASSES])
            next(ways)
        yield from ways

    def solved(claim: Claim) -> Solution:
        if known and claim == first:
            return known
        # That no average of tables of any size has the scores is known sooner than that none of many tables has.
        if average and isinstance(claim, TableClaim) and ladder.in_no_average(claim):
            return Solution(claim, fits=False, certain=True, complete=True, reason="no average of tables has them")
        solution: Solution = solve(claim)
        return solution

    tried = try_readings(readings(), solved)
    if folds_together and table and tried.readings[-1].verdict == "impossible":
        sized = None if tried.found.fits else table.sized()
        over_folds = None if sized is None else ladder.explained(sized, 0.0)
        if over_folds is not None and over_folds.found.fits:
            tried = over_folds._replace(readings=(*tried.readings, *over_folds.readings))
    ruled_out = all(reading.verdict == "impossible" for reading in tried.readings)
    if tried.found.fits:
        average = None
    elif not one_set:
        average = average or ladder.any_average(stated, readings_of(stated))
        if average.fits and table and ruled_out:
            tried, average = _averaged(table, tried, average)
        elif average.fits and not ruled_out:
            average = None
    elif table and ruled_out and stated.convention is None:
        mixed = ladder.mixed_average(table) if _is_long(table) else _mixture_that_fits(table)
        average = ladder.AnyAverage(fits=True, mixed=mixed) if mixed else None
    if not isinstance(tried.claim, type(stated)):
        named = () if named == () else asked_scores(tried.claim, "auto")
    return _answer(stated, tried, named, explain, average)


def _mixture_that_fits(claim: TableClaim) -> str:
    """Say with which mixture of meanings of its names one test set has the scores, digits cut off or not, if any."""
    for words, changed in mixed_names(claim):
        for departures, each in readings_from([((), changed)], [row for row in READINGS if row.code == CUT_OFF]):
            if solve(each).fits:
                return " and ".join([words, *(one.words for one in departures)])
    return ""


def _is_long(claim: TableClaim) -> bool:
    """Tell whether sizes leave so much open that a search for one reading takes long."""
    low, high = max(claim.total.low, claim.positives.low + claim.negatives.low), claim.largest_total
    # A total T leaves about T²/2 numbers of positives with numbers found of them.
    return claim.margins is None and high**3 - max(low - 1, 0) ** 3 > 6 * _FEW_ROWS


def _averaged(stated: TableClaim, tried: Tried, average: ladder.AnyAverage) -> tuple[Tried, ladder.AnyAverage]:
    """Look at what no table gives, but some average could, as averages of the usual kinds."""
    if stated.margins is None:
        if ladder.of_alike_parts(stated):
            # Nor was it said that there are two classes.
            more = "" if stated.is_of_two_classes else ", or averages over more than two classes"
            departures = (means_over(f"folds, runs or test sets{more}"),)
            readings = (*tried.readings, Reading(departures, "possible"))
            tried = tried._replace(departures=departures, readings=readings)
        return tried, average
    average = ladder.smallest_width(stated)._replace(limit=average.limit, mixed=average.mixed)
    found = None if average.width is None else ladder.explained(stated, average.width)
    if found is not None:
        readings = (*tried.readings, *found.readings)
        tried = found._replace(readings=readings) if found.found.fits else tried._replace(readings=readings)
    return tried, average


def _answer(
    stated: Claim,
    tried: Tried,
    named: tuple[Any, ...] | None,
    explain: str = "fewest",
    average: ladder.AnyAverage | None = None,
) -> Recovery:
    """Put an answer together from the readings that were tried, and from what any average could give."""
    solution = tried.found
    claim = solution.claim
    undefined = list(solution.undefined()) if solution.fits and tried.departures else []
    departures = tuple(worded(departure, undefined) for departure in tried.departures)
    intervals, methods = _intervals(solution)
    if solution.fits:
        departures = (*departures, *misprinted(intervals))
    verdict: Verdict = "undecided"
    if solution.fits or departures:
        verdict = "conditional" if departures else "possible"
    elif average is not None:
        verdict = "unexplained" if average.fits else "impossible"
    elif all(reading.verdict == "impossible" for reading in tried.readings):
        verdict = "impossible"
    bounded, left_out = solution.bounded(named)
    notes = [*claim.notes, *solution.notes(), *left_out]
    if verdict == "undecided" and isinstance(solution, PartSolution):
        notes.append(Note("budget_spent", solution.reason, {}))
    # What contradicts is told of the report as it stands, also where it is possible if it is read otherwise.
    plain = stated
    if stated.convention is None:
        plain = claim if verdict == "possible" else stated.changed(convention=STRICT)
    found = Contradictions(())
    nothing = verdict in ("impossible", "unexplained")
    if nothing or (isinstance(stated, TableClaim) and tried.readings[0].verdict == "impossible"):
        found = contradictions(plain if isinstance(stated, TableClaim) else claim)
        if not found.sure:
            notes.append(Note("blame_incomplete", "not every set of claims was checked for a contradiction", {}))
    fewest = fewest_left_out(plain, found) if nothing else ()
    notes += solution.approximations(bounded)
    notes += [note for check in intervals for note in check.notes()]
    return Recovery.made(claim=claim, verdict=verdict, layout=solution.layout, count=solution.count,
        counted=solution.counted, complete=solution.complete, reason=solution.reason, solution=solution,
        contradictions=found.sets, left_out=fewest, implied=found.implied, departures=departures,
        readings=tried.readings, notes=tuple(notes), intervals=intervals, interval_methods=methods, stated=plain,
        others=tried.others, bounded=bounded, explain=explain, average=average)  # fmt: skip


def _intervals(solution: Any) -> tuple[tuple[IntervalCheck, ...], tuple[IntervalMethod, ...]]:
    """Tell which methods give the intervals printed beside scores."""
    claim = solution.claim
    if isinstance(solution, PartSolution):
        return check_fold_intervals(claim, fits=solution.fits), ()
    if isinstance(solution, ClassSolution) or not any(claimed.interval for claimed in claim.scores):
        return (), ()
    searched = solution.complete and not (solution.sized and solution.sized.open_ended)
    return check_intervals(claim.scores, solution.feasible, more=not searched)


def _of_parts(
    claim: TableClaim,
    experiment: Experiment,
    deviations: Mapping[str, str],
    asked: AskedBounds,
    *,
    stratified: bool,
    spread: tuple[Spread, Fraction] | None = None,
) -> Recovery:
    """Decide scores of the parts of an experiment; `spread` says which multiple of which deviation ± is.

    What is tried ends where something fits, or where it is proven that nothing does:

    | parts | first | then | at last |
    |---|---|---|---|
    | not stratified, as is said | positives as chance deals them | the same, made several times | dealt in any way |
    | folds by their number | stratified | several times, stratified or in random order | an average of any kind |
    | all others | as they are said | the same, tested several times | names with a mixture of meanings |
    """
    folds, runs = experiment.folds, experiment.runs
    claims, both = list(fold_claims(claim, experiment, deviations)), experiment.over == "any"
    if spread is not None:
        claims = [each.with_spread(*spread) for each in claims]
    stated, alone = claims[0], len(claims) == 1 and not deviations
    named = partial(asked_scores, stated, asked)

    if isinstance(folds, str) and len(stated.groups) == 1 and not deviations and experiment.over != "pooled":
        likely = _at_random(stated, stated.parts)
        answer = recover_folds([likely], asked, both=both, effort=ladder.LITTLE_EFFORT)
        if answer.verdict == "undecided":
            found = ladder.repeatedly(likely, [((), likely)], answer.readings)
            answer = _answer(likely, found, named()) if found.found.fits else answer
        if answer.verdict in _FITS:
            return answer
        few = number_of_tables(stated.parts) <= _FEW_TABLES
        answer = recover_folds([stated], asked, both=both, effort=1.0 if few else ladder.LITTLE_EFFORT)
        words = "positives are dealt to these folds less evenly than chance does in 99 of 100 cases"
        uneven = [Note("uneven_folds", words, {})] if answer.verdict in _FITS else []
        return replace(answer, notes=(*answer.notes, *uneven))

    if all(each.dealt_evenly for each in claims) and runs is None and not stratified:
        answer = recover_folds(claims, asked, both=both, effort=1.0 if deviations else SMALL_EFFORT)
        if answer.verdict in _FITS:
            return answer
        average = ladder.any_average(stated, readings_of(stated))
        if not average.fits or _too_spread(stated):
            return replace(answer, verdict="impossible", average=average if not average.fits else None)
        # A search for folds of any make-up takes too long where their deviations are known, too.
        if alone and stated.over == "mean":
            ways: list[Alternative] = [((), stated), ((_UNSTRATIFIED,), _at_random(stated))]
            found = ladder.repeatedly(stated, ways, answer.readings)
            if found.found.fits:
                return _answer(stated, found, named())
            answer = replace(answer, readings=found.readings)
        verdict: Verdict = "unexplained" if answer.verdict == "impossible" else "undecided"
        return replace(answer, verdict=verdict, average=average)

    effort = 1.0
    if alone and runs is None:
        effort = SMALL_EFFORT
    elif any(isinstance(part, OpenParts) for each in claims for part in each.parts):
        effort = ladder.LITTLE_EFFORT
    answer = recover_folds(claims, asked, both=both, effort=effort)
    if answer.verdict == "undecided" and alone and runs is None and stated.over == "mean":
        found = ladder.repeatedly(stated, [((), stated)], answer.readings)
        return _answer(stated, found, named()) if found.found.fits else answer
    # Who says what undefined scores count as says how the report is to be read.
    if answer.verdict == "impossible" and stated.convention is None and (mixed := ladder.mixed_average(stated)):
        return replace(answer, verdict="unexplained", average=ladder.AnyAverage(fits=True, mixed=mixed))
    return answer


def _of_splits(claim: TableClaim, splits: object, asked: AskedBounds) -> Recovery:
    """Decide means over splits of the data, each tested on a share of it.

    They are stratified; else their positives are within one of what is due to them; else any average is thought of.
    """
    number, share = read_splits(splits)
    parts = held_out(claim, share)
    assert claim.margins is not None
    size, what = parts.total.high or 1, f"{number} splits, each tested on {parts.total.high} cases"
    answer = recover_folds([stratified_splits(claim, number, share, what)], asked, both=False, effort=SMALL_EFFORT)
    if answer.verdict in _FITS:
        return answer
    likely = round(number * size * Fraction(claim.margins[0], sum(claim.margins)))
    assert isinstance(answer.claim, FoldClaim)
    drawn = replace(answer.claim, parts=(OpenParts(size, number),), over="mean")
    ways: list[Alternative] = [((), ladder.as_dealt_at_random(drawn, likely + off)) for off in (0, 1, -1)]
    if number_of_tables(ways[0][1].parts) <= ladder.MOST_MIXED:
        tried = try_readings(ways, partial(solve, effort=ladder.LITTLE_EFFORT))
        if tried.found.fits:
            return _answer(tried.claim, tried, asked_scores(tried.claim, asked))
    low, high = Fraction(parts.positives.low, size), Fraction(parts.positives.high or 0, max(parts.total.low, 1))
    average = ladder.any_average(claim, readings_of(claim), (float(low), min(float(high), 1.0)))
    return replace(answer, verdict="undecided" if average.fits else "impossible", average=average)


def _at_random(stated: FoldClaim, parts: Parts = ()) -> FoldClaim:
    """Return a claim about folds as one about cases that were dealt to as many in random order."""
    report = stated.report()
    parts = parts or folds_in_order(stated.count, report.total)
    return ladder.as_dealt_at_random(replace(stated, parts=parts), report.all_positives)


def _too_spread(claim: FoldClaim) -> bool:
    """Tell whether a deviation is too large for values of this mean, whatever the parts are.

    Values from a to b with the mean m have at most the variance (b - m)(m - a); of two, with n - 1, it is twice that.
    """
    means = {claimed.name: claimed for claimed in claim.scores}
    for deviation in claim.deviations:
        mean = means[deviation.name]
        low, high = mean.metric.limits.low, mean.metric.limits.high
        if low is None or high is None:
            continue
        nearest = min(max((low + high) / 2, mean.reported.low), mean.reported.high)
        if deviation.reported.low > 0 and deviation.reported.low**2 > 2 * (high - nearest) * (nearest - low):
            return True
    return False


def recover_folds(claims: Sequence[FoldClaim], asked: AskedBounds, *, both: bool, effort: float = 1.0) -> Recovery:
    """Decide the first of some claims about parts that is possible; where none is, the first of all."""
    named = asked_scores(claims[0], asked)
    tried = [_try_parts(claim, effort, both=both and place == 0) for place, claim in enumerate(claims)]
    place = next((place for place, each in enumerate(tried) if each.found.fits), 0)
    stated, best = claims[place], tried[place]
    if len(claims) == 1:
        return _answer(stated, best, named)
    readings = tuple(
        Reading(_over_folds(claim.what, reading.departures), reading.verdict)
        for claim, each in zip(claims, tried, strict=True)
        for reading in each.readings
    )
    departures = _over_folds(stated.what, best.departures) if best.found.fits else ()
    others = tuple(
        reading for reading in readings if reading.verdict == "possible" and reading.departures != departures
    )
    answer = _answer(stated, best._replace(readings=readings, departures=departures, others=others), named)
    if departures:
        return answer
    if answer.verdict == "impossible":
        # What contradicts each other in one number of folds may go together in another.
        sets = {contradictions(each.found.claim).sets for each in tried}
        blamed = sets.pop() if len(sets) == 1 else (tuple(claimed.name for claimed in stated.scores),)
        answer = replace(answer, contradictions=blamed)
    what = told_once(claim.what for claim in claims)[0]
    return replace(answer, claim=replace(best.claim, what=what))


def _over_folds(what: str, departures: tuple[Departure, ...]) -> tuple[Departure, ...]:
    """Return departures with what the means are over, unless there are none."""
    return departures if _POOLED in departures else (means_over(what), *departures)


def _try_parts(claim: FoldClaim, effort: float, *, both: bool) -> Tried:
    """Try the readings of a report about parts; `both` tries means and all cases together."""
    fits = is_open = False

    def hurried(changed: FoldClaim) -> PartSolution:
        # Nor is a proof that a far reading does not fit worth waiting for, where a nearer one was left open: all of
        # them together rule nothing out then.
        nonlocal fits, is_open
        far = changed.convention not in (claim.convention, STRICT) or changed.parts != claim.parts
        far |= changed.scores != claim.scores
        solution = PartSolution(changed, ladder.LITTLE_EFFORT if fits or (far and is_open) else effort)
        fits |= solution.fits
        is_open |= not solution.certain
        return solution

    tried = try_readings(readings_of(claim, said=True), hurried)
    if not both or claim.over != "mean" or claim.deviations:
        return tried
    for departures, changed in readings_from([((_POOLED,), replace(claim, over="pooled"))], FILLS):
        solution = PartSolution(changed)
        # What may be possible as it stands is not possible only if it is read otherwise.
        alone = solution.fits and all(reading.verdict == "impossible" for reading in tried.readings)
        tried = tried._replace(readings=(*tried.readings, Reading(departures, solution.verdict)))
        if alone:
            tried = tried._replace(claim=changed, found=solution, departures=departures)
        if solution.fits:
            break
    return tried
