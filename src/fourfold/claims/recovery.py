"""From what was reported to everything that could have produced it, and what follows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Annotated, Any, Final, Literal, SupportsFloat, SupportsIndex, TypeAlias

from ..errors import InputError, Note, Notes
from ..formula import CELLS
from ..metrics import AREA, METRICS, STRICT, Convention, Metric
from ..shape import Count, Result, also
from ..space import Curve, Rows
from ..space.problem import Bounds
from ..table import Matrix, Table, whole
from ..words import told_once
from .claim import BUDGET, Claim, Size, TableClaim, is_left_out, metric_of_class, read_curve
from .class_bounds import Margins
from .class_cells import ClassCells
from .classes import ClassClaim, Classes, read_classes
from .distribution import Distribution, Prior, distribution
from .explain import Contradictions, LeftOut, contradictions, fewest_left_out
from .folds import AnyOver, AnySpread, Experiment, FoldClaim, Folds, Over, Sets, as_means, fold_claims
from .implied import Implied
from .intervals import (
    IntervalCheck,
    IntervalMethod,
    check_fold_intervals,
    check_intervals,
    notes_on,
    take_apart,
    unchecked,
)
from .readings import (
    FILLS,
    Departure,
    Departures,
    Reading,
    Readings,
    Tried,
    joined_words,
    means_over,
    readings_from,
    readings_of,
    try_readings,
    worded,
)
from .repairs import Repair, repairs
from .solution import (
    MOST_BOUNDED,
    SMALL_EFFORT,
    ClassSolution,
    Layout,
    PartSolution,
    PartTable,
    TableSolution,
    asked_scores,
    solve,
)
from .version_2 import version_2

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
# What else fits is told too, but is not worth waiting for.
_LITTLE_EFFORT: Final = 0.05

_NO_EXPERIMENT: Final = Experiment()
_POOLED: Final = Departure("pooled", "the scores are those of all cases together, not means")


def _listed_matrix(matrix: Matrix | None) -> list[list[int]] | None:
    return None if matrix is None else matrix.tolist()  # type: ignore[return-value]


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
        Verdict, "conditional: possible only under another reading of the report; undecided: nothing was proved."
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
    #: The version of its JSON; the one before can be asked for.
    json_version: int = field(default=3, repr=False, compare=False)

    def to_dict(self, version: int | None = None) -> dict[str, Any]:
        """Return plain JSON values, in this version of the schema or in the one before."""
        now = super().to_dict()
        return version_2(now, self) if (version or self.json_version) == 2 else now

    def tables(self, limit: int | None = None) -> Iterator[Table]:
        """Yield the tables that fit, smallest total first; of parts, one table for each part."""
        return self.solution.tables(limit)

    def margins(self, limit: int | None = None) -> Iterator[Margins]:
        """Yield what fits as the cases, the right and the predicted cases of each class."""
        return self.solution.margins(limit)

    def matrix(self) -> Annotated[Matrix | None, "One table that fits: rows actual.", _listed_matrix]:
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

    def bounds(self, name: str | Metric, *, over: Over | None = None) -> Bounds:
        """Return a score's smallest and largest value over all that fits, with what attains them.

        Parameters
        ----------
        name
            A metric; of classes a score such as "macro_f1" or "recall[cat]"; of parts also a count such as tp.
        over
            Of parts: the mean, or the value for all cases together ("pooled"); by default what the report is about.
        """
        solution: Any = self.solution
        found: Bounds = solution.bounds(name, over)
        return found

    @property
    def all_bounds(self) -> dict[str, Bounds]:
        """The bounds of every metric of the catalogue; none where there are too many tables to walk."""
        assert isinstance(self.solution, TableSolution)
        return {} if self.solution.feasible.unwalked else self.solution.all_bounds(list(METRICS.values()))

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
        """Single changes that would make an impossible report possible; hypotheses, in a fixed order."""
        return repairs(self.claim, self.blame, tried=len(self.readings) > 1) if self.verdict == "impossible" else ()

    @property
    def reading(self) -> str:
        """How the report must be read, in words."""
        return joined_words(self.departures, self.others)

    def distribution(self, name: str | Metric, prior: Prior = "tables") -> Distribution:
        """Return how a metric is distributed over the tables that fit; `Distribution` says what a prior means.

        Examples
        --------
        >>> recover(accuracy="0.85", positives=40, negatives=60).distribution("recall").median
        0.8
        """
        if not isinstance(self.solution, TableSolution):
            raise InputError("usage", "distribution", "is that of one table", self.layout, "ask for bounds")
        self.solution.check_walkable()
        metric = metric_of_class(name, self.claim.labels)
        if metric.id == AREA.id:
            hint = "ask for its bounds"
            raise InputError("bad_metric", "name", "has a range for each table, and no value", metric.id, hint)
        law = distribution(self.solution.feasible.rows, metric, prior)
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
        Where the report is impossible, what is told: the "fewest" scores to leave out, or "all" contradicting sets.
    scores
        Scores by any of a metric's names, as printed; the area under the ROC curve, such as ``auc="0.91"``; and counts,
        such as ``tp=87`` or ``predicted_positives="80-90"``.

    Returns
    -------
    Recovery
        Its verdict is "possible", "conditional" if it is possible only under another reading of the report,
        "impossible", or "undecided" if nothing was proved; `count` says how many tables fit.

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
        raise InputError(
            "usage", "claim", "must be a claim or a mapping", claim, "give names and texts: accuracy='0.9'"
        )
    read_curve(curve)
    if explain not in ("fewest", "all"):
        raise InputError("bad_option", "explain", "is not known", explain, "one of fewest, all")
    if isinstance(claim, Mapping):
        beside: dict[str, Any] = {"classes": classes, "positives": positives, "negatives": negatives, "total": total}
        beside |= {"max_total": max_total, "folds": folds, "sets": sets, "each": each, **scores}
        said: list[tuple[str, Any, Any]] = [("over", over, "any"), ("spread", spread, "any"), ("repeats", repeats, 1)]
        said += [("rounding", rounding, "any"), ("undefined", undefined, "any"), ("curve", curve, "any")]
        said += [("budget", budget, BUDGET), ("bounds", bounds, "auto"), ("explain", explain, "fewest")]
        beside |= {name: value for name, value, usual in said if value != usual}
        again: Any = recover
        found: Recovery = again(**_merged(claim, beside))
        return found
    experiment, of_parts = _NO_EXPERIMENT, folds is not None or sets is not None
    if of_parts or over != "any" or spread != "any" or each is not None or repeats != 1:
        experiment = Experiment(folds, sets, over, spread, dict(each or {}), whole(repeats, "repeats", text=True))
    if classes is not None:
        _check_no_sizes(claim=claim, positives=positives, negatives=negatives)
        labels, sizes_of_classes, cases = read_classes(classes, total)  # type: ignore[arg-type]
        if len(labels) > 2:
            _check_no_sizes(max_total=max_total, folds=folds, sets=sets)
            filled, _, beside_scores = take_apart({**scores, "rounding": rounding}, "bounds", of_parts=False)
            del filled["rounding"]
            read = ClassClaim.read(filled, (labels, sizes_of_classes, cases), rounding, undefined, budget)
            return recovered(replace(read, notes=(*read.notes, *unchecked(beside_scores))), bounds, explain)
        negatives, positives = sizes_of_classes
        total = cases
    sizes: dict[str, Any] = {"positives": positives, "negatives": negatives, "total": total, "max_total": max_total}
    given = {name: value for name, value in {**sizes, **scores}.items() if value is not None}
    options = (("rounding", rounding, "any"), ("undefined", undefined, "any"), ("curve", curve, "any"))
    given |= {name: value for name, value, usual in (*options, ("budget", budget, BUDGET)) if value != usual}
    deviations: dict[str, str] = {}
    if not isinstance(claim, TableClaim):
        filled, deviations, intervals = take_apart(given, spread, of_parts=of_parts)
        names = labels if classes is not None else Claim.labels
        claim = Claim.from_mapping(filled, names).with_intervals(intervals)
    elif given:
        hint = "give one of them"
        raise InputError("usage", "recover", "takes a claim or names and texts, not both", list(given), hint)
    if of_parts:
        return recover_folds(list(fold_claims(claim, experiment, deviations)), bounds, both=experiment.over == "any")
    return recovered(claim, bounds, explain)


#: What is said about folds and test sets.
OF_FOLDS: Final = ("folds", "sets", "over", "spread", "each", "repeats")


def _merged(claim: Mapping[str, Any], beside: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a mapping says and what is said beside it; a name in both is refused."""
    given = {name: value for name, value in beside.items() if value is not None}
    named = {str(name): value for name, value in claim.items() if not is_left_out(str(name), value)}
    for name in given:
        if name in named:
            raise InputError("ambiguous", name, "is given twice", given[name], "give each name once")
    return {**named, **given}


def _check_no_sizes(**sizes: object) -> None:
    """Refuse sizes of two classes beside those of several."""
    for name, value in sizes.items():
        if value is not None:
            hint = "leave it out, or leave classes out"
            raise InputError("usage", name, "follows from classes already", value, hint)


def recovered(stated: Claim, asked: AskedBounds, explain: str = "fewest") -> Recovery:
    """Find what could have produced a report about one table or about several classes."""
    named = asked_scores(stated, asked)
    tried = try_readings(readings_of(stated), solve)
    is_table = isinstance(stated, TableClaim)
    if is_table and not tried.found.fits and stated.convention is None and tried.readings[0].verdict == "impossible":
        plain = [((means_over(folded.what),), folded) for folded in as_means(stated)]  # type: ignore[arg-type]
        if plain:
            means = try_readings(readings_from(plain, FILLS), partial(solve, effort=SMALL_EFFORT))
            readings = (*tried.readings, *means.readings)
            tried = means._replace(readings=readings) if means.found.fits else tried._replace(readings=readings)
    if not isinstance(tried.claim, type(stated)):
        named = () if named == () else asked_scores(tried.claim, "auto")
    return _answer(stated, tried, named, explain)


def _answer(stated: Claim, tried: Tried, named: tuple[Any, ...] | None, explain: str = "fewest") -> Recovery:
    """Put an answer together from the readings that were tried."""
    solution = tried.found
    claim = solution.claim
    undefined = list(solution.undefined()) if solution.fits and tried.departures else []
    departures = tuple(worded(departure, undefined) for departure in tried.departures)
    verdict: Verdict = "undecided"
    if solution.fits:
        verdict = "conditional" if departures else "possible"
    elif all(reading.verdict == "impossible" for reading in tried.readings):
        verdict = "impossible"
    bounded, left_out = solution.bounded(named)
    notes = [*claim.notes, *solution.notes(), *left_out]
    if verdict == "undecided" and isinstance(solution, PartSolution):
        notes.append(Note("budget_spent", solution.reason, {}))
    # What contradicts is told of the report as it stands, also where it is possible if it is read otherwise.
    plain = stated
    if stated.convention is None:
        plain = claim if verdict == "possible" else replace(stated, convention=STRICT)
    found = Contradictions(())
    if verdict == "impossible" or (isinstance(stated, TableClaim) and tried.readings[0].verdict == "impossible"):
        found = contradictions(plain if isinstance(stated, TableClaim) else claim)
        if not found.sure:
            notes.append(Note("blame_incomplete", "not every set of claims was checked for a contradiction", {}))
    fewest = fewest_left_out(plain, found) if verdict == "impossible" else ()
    notes += solution.approximations(bounded)
    intervals, methods = _intervals(solution)
    notes += notes_on(intervals)
    search = (solution.layout, solution.count, solution.counted, solution.complete, solution.reason, solution)
    return Recovery(claim, verdict, *search, found.sets, fewest, found.implied, departures, tried.readings,
        tuple(notes), intervals, methods, plain, tried.others, bounded, explain)  # fmt: skip


def _intervals(solution: Any) -> tuple[tuple[IntervalCheck, ...], tuple[IntervalMethod, ...]]:
    """Tell which methods give the intervals printed beside scores."""
    claim = solution.claim
    if isinstance(solution, PartSolution):
        return check_fold_intervals(claim, fits=solution.fits), ()
    if isinstance(solution, ClassSolution):
        return (), ()
    searched = solution.complete and not (solution.sized and solution.sized.open_ended)
    return check_intervals(claim.scores, solution.feasible, more=not searched)


def recover_folds(claims: Sequence[FoldClaim], asked: AskedBounds, *, both: bool) -> Recovery:
    """Decide the first of some claims about parts that is possible; where none is, the first of all."""
    named = asked_scores(claims[0], asked)
    tried = [_try_parts(claim, both=both and place == 0) for place, claim in enumerate(claims)]
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


def _try_parts(claim: FoldClaim, *, both: bool) -> Tried:
    """Try the readings of a report about parts; `both` tries means and all cases together."""
    fits, is_open = [False], [False]

    def hurried(changed: FoldClaim) -> PartSolution:
        # Nor is a proof that a far reading does not fit worth waiting for, where a nearer one was left open: all of
        # them together rule nothing out then.
        far = changed.convention not in (claim.convention, STRICT) or changed.parts != claim.parts
        solution = PartSolution(changed, _LITTLE_EFFORT if fits[0] or (far and is_open[0]) else 1.0)
        fits[0] |= solution.fits
        is_open[0] |= not solution.certain
        return solution

    tried = try_readings(readings_of(claim), hurried)
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
