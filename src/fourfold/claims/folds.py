"""Reports about several parts: folds of one data set, test sets, images. What was reported, as it was read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from math import ceil, floor
from typing import Annotated, Any, Final, Literal, TypeAlias, cast, get_args

from ..errors import NOTHING, InputError, Note, verbatim
from ..exact.reported import Reported
from ..metrics import Convention
from ..shape import Count
from ..solve.dealing import likely_positives
from ..solve.experiment import Deviation, EqualParts, MeansReport, OpenParts, Spread, stratified_folds, stratified_ways
from ..table import whole
from .claim import Claim, ClaimedScore, Size, TableClaim, whole_text

#: How many folds, their positives and negatives, or their sizes alone; "any" tries 2 to 20.
Folds: TypeAlias = str | int | Sequence[Any]
#: One row a test set: positives and negatives, and if there are any weight, repeats and folds.
Sets: TypeAlias = Sequence[Mapping[str, Any] | Sequence[Any]]
#: Whether scores are means over the parts, or those of all cases together.
Over: TypeAlias = Literal["mean", "pooled"]
AnyOver: TypeAlias = Literal["any", "mean", "pooled"]
OVERS: Final[tuple[AnyOver, ...]] = get_args(AnyOver)
#: What a number after ± is.
AnySpread: TypeAlias = Literal["any", "sd", "sample_sd", "standard_error", "bounds"]
SPREADS: Final[tuple[AnySpread, ...]] = get_args(AnySpread)
#: Kinds of deviations in the order in which they are tried.
DEVIATIONS: Final[tuple[Spread, ...]] = get_args(Spread)

Parts: TypeAlias = tuple[EqualParts | OpenParts, ...]

_UNSTRATIFIED: Final = re.compile(r"(?:unstratified\D*(\d+)|(\d+)\D*unstratified)", re.IGNORECASE)
_MOST_FOLDS: Final = 10_000
_STRATIFIED: Final = "stratified folds"
# How often folds were repeated, by the name of each number; in "10x5" either can be that of the folds.
_REPEATED: Final = (
    r"(?P<repeats>\d{1,9})\s*(?:x|×|times|repeats?(?:\s+of)?)\s*(?P<folds>\d{1,9})[\s-]*folds?",
    r"(?P<folds>\d{1,9})[\s-]*folds?[\s,;]*(?:repeated\s+|x\s*|×\s*)?(?P<repeats>\d{1,9})(?:\s*(?:times|repeats?))?",
)
_EITHER_REPEATED: Final = re.compile(r"(?:repeated\s+)?(\d{1,9})\s*[x×]\s*(\d{1,9})", re.IGNORECASE)
# A share of the data that was tested, so many times.
_SPLITS: Final = re.compile(r"(\d{1,9})\s*(?:splits?\s*)?(?:of|x|×|,)\s*(\S+)", re.IGNORECASE)
#: A random part has fewer positives than are taken to be likely, or more, with this chance each.
RARE: Final = 1e-6
#: So many folds of which it is said that they are stratified.
STRATIFIED_TEXT: Final = re.compile(r"(?:(\d+)[\s-]*stratified|stratified\s+(\d+))(?:[\s-]*folds?)?", re.IGNORECASE)
#: Folds that are tried where any are meant.
ANY_FOLDS: Final = range(2, 21)


@dataclass(frozen=True)
class FoldClaim(Claim, members="parts=listed_parts positives over scores deviations spread undefined=convention"):
    """A report about several parts: what was reported, as it was read."""

    parts: Parts = ()
    what: str = "parts"
    groups: tuple[int, ...] = ()
    over: Annotated[Over, "Whether scores are means over the parts, or of all cases together."] = "mean"
    deviations: Annotated[tuple[ClaimedScore, ...], "Deviations printed after scores."] = ()
    spread: Annotated[AnySpread, "What kind of deviations they are."] = "any"
    each: tuple[ClaimedScore, ...] = ()
    #: The same folds as another tool would deal them.
    other_splits: tuple[Parts, ...] = ()
    #: Whether the parts may be repeated, with any tables as often as one likes: then shares of tables are looked for.
    repeated: bool = False
    #: Counts of all cases together, as a matrix beside means over folds gives them.
    together: tuple[ClaimedScore, ...] = ()
    #: How unevenly positives may be dealt to the parts, in squared distances; None where that does not matter.
    uneven: Fraction | None = None

    @property
    def listed_parts(self) -> list[dict[str, int | float | None]]:
        """The kinds of parts: positives, negatives and how many there are of each; null where they are not known."""
        return [
            {
                "positives": getattr(part, "positives", None),
                "negatives": getattr(part, "negatives", None),
                "total": part.total,
                "count": part.count,
                "weight": float(part.weight),
            }
            for part in self.parts
        ]

    @property
    def dealt_evenly(self) -> bool:
        """Whether the folds are taken to be stratified, and only their number is said."""
        return self.what.endswith(f" {_STRATIFIED}")

    @property
    def positives(self) -> int | None:
        """The positives of all parts, where those of each are not known."""
        return self.report().all_positives if self.groups else None

    @property
    def count(self) -> Count:
        """How many parts there are."""
        return sum(part.count for part in self.parts)

    @property
    def share(self) -> tuple[float, float]:
        """The least and the largest share of positives of the parts."""
        shares = [p / max(p + n, 1) for part in self.parts for p, n in part.margins()]
        return min(shares), max(shares)

    def report(self) -> MeansReport:
        """Return the claim as the search takes it."""
        means, each, counts = (
            tuple((claimed.metric, claimed.reported) for claimed in some)
            for some in (self.scores, self.each, self.together)
        )
        if self.over == "pooled":
            return MeansReport(self.parts, (), self.meant, each, (*means, *counts), groups=self.groups)
        kind = self.spread if self.spread in DEVIATIONS else DEVIATIONS[0]
        deviations = tuple(Deviation(one.metric, one.reported, kind) for one in self.deviations)
        return MeansReport(
            self.parts, means, self.meant, each, counts, deviations, groups=self.groups, uneven=self.uneven
        )

    def weighted_by_size(self) -> FoldClaim | None:
        """Return the claim as it reads if parts counted by their cases; None where that makes no difference."""
        alike = len({part.total for part in self.parts}) == 1 or len({part.weight for part in self.parts}) > 1
        if alike or self.over != "mean" or self.deviations:
            return None
        return replace(self, parts=tuple(replace(part, weight=part.weight * part.total) for part in self.parts))

    def with_spread(self, kind: Spread, factor: Fraction) -> FoldClaim:
        """Return the claim as it reads if numbers after ± are so many deviations of a kind."""
        deviations = tuple(
            replace(one, reported=replace(one.reported, low=one.reported.low / factor, high=one.reported.high / factor))
            for one in self.deviations
        )
        return replace(self, deviations=deviations, spread=kind)

    def as_one_table(self) -> TableClaim | None:
        """Return scores of all cases together as a claim about one table; None where single parts matter too.

        However the parts are made up, every table of all cases can be dealt to them in some way.
        """
        report = self.report()
        negatives = report.total - report.all_positives
        if self.over != "pooled" or self.each or negatives < 0:
            return None
        sizes = Size(report.all_positives, report.all_positives), Size(negatives, negatives)
        return TableClaim((*self.scores, *self.together), *sizes, convention=report.convention)

    def having(self, scores: tuple[ClaimedScore, ...]) -> FoldClaim:
        """Return the claim with other scores."""
        # What is said of the same score goes with it, but not to another scale: then its text tells no rounding.
        named = {one.name: one for one in scores if one.reported.rounding != "interval" or one in self.scores}
        rescaled = {one.name for one in scores} - named.keys()
        each = tuple(
            replace(one, metric=named.get(one.name, one).metric) for one in self.each if one.name not in rescaled
        )
        deviations = tuple(replace(one, metric=named[one.name].metric) for one in self.deviations if one.name in named)
        return replace(self, scores=scores, deviations=deviations, each=each)

    def in_single(self) -> FoldClaim:
        """Return the claim as it reads if scores of the parts were computed inexactly, as in 32-bit floats."""
        scores, deviations, each = (
            tuple(claimed.in_single() for claimed in some) for some in (self.scores, self.deviations, self.each)
        )
        return replace(self, scores=scores, deviations=deviations, each=each)

    def may_be_undefined(self, convention: Convention) -> bool:
        """Tell whether a part can have an undefined score that counts so."""
        # What counts alike whatever was said, such as a coefficient with a root, makes no difference.
        metrics = [claimed.metric for claimed in (*self.scores, *self.each)]
        own = [metric for metric in metrics if metric.fill(convention) == convention.fill]
        return any(formula.guards for metric in own for formula in metric.components)


def read_folds(folds: Folds, positives: int | None, negatives: int | None, repeats: int = 1) -> tuple[Parts, str]:
    """Read what the folds are: their number, their positives and negatives, or their sizes; and what to call them.

    Examples
    --------
    >>> parts, words = read_folds(10, 100, 205)
    >>> [(part.positives, part.negatives, part.count) for part in parts], words
    ([(10, 21, 5), (10, 20, 5)], '10 stratified folds')
    >>> read_folds("12:30, 13:30", None, None)[1]
    '2 folds'
    """
    text = folds.strip() if isinstance(folds, str) else ""
    match = _UNSTRATIFIED.fullmatch(text)
    if isinstance(folds, str) and not match and not text.isdigit():
        folds = _listed_folds(text)
    if isinstance(folds, Sequence) and not isinstance(folds, str):
        return _repeated(_folds_of_list(folds), repeats), f"{len(folds)} folds"
    number = whole(match[1] or match[2] if match else folds, "folds", text=True)
    if positives is None or negatives is None:
        hint = "give --positives and --negatives, or each fold as positives:negatives"
        raise InputError("empty", "folds", "needs the sizes of the data set", number, hint)
    if not 2 <= number <= min(_MOST_FOLDS, positives + negatives):
        raise InputError("bad_option", "folds", "must be 2 or more, and at most as many as cases", number, "check it")
    if match:
        return _repeated(folds_in_order(number, positives + negatives), repeats), f"{number} unstratified folds"
    return _repeated(stratified_folds(positives, negatives, number), repeats), f"{number} {_STRATIFIED}"


def is_one_set(folds: object) -> bool:
    """Tell whether what is said about folds is that there are none: the scores are those of one test set."""
    return isinstance(folds, str) and folds.strip().lower() == "none"


def repeated_folds(text: str) -> list[tuple[int, int]]:
    """Read how many folds were made how often; both ways where a text does not say which number is which.

    Examples
    --------
    >>> repeated_folds("repeated 10x5"), repeated_folds("5 times 10-fold"), repeated_folds("10 folds, 5 times")
    ([(10, 5), (5, 10)], [(10, 5)], [(10, 5)])
    """
    for pattern in _REPEATED:
        if match := re.fullmatch(pattern, text, re.IGNORECASE):
            return [(int(match["folds"]), int(match["repeats"]))]
    if match := _EITHER_REPEATED.fullmatch(text):
        return list(dict.fromkeys([(int(match[1]), int(match[2])), (int(match[2]), int(match[1]))]))
    return []


def folds_in_order(number: int, total: int) -> Parts:
    """Return folds of cases as they come, whatever class they are of."""
    sizes = Counter(total // number + (i < total % number) for i in range(number))
    return tuple(OpenParts(size, count) for size, count in sizes.items())


def read_share(value: object, argument: str) -> Fraction:
    """Read a share of the data, such as 0.2 or 20%."""
    text = str(value).strip()
    with suppress(ValueError, ZeroDivisionError):
        share = Fraction(text.removesuffix("%")) / (100 if text.endswith("%") else 1) if len(text) < 30 else 0
        if 0 < share < 1:
            return Fraction(share)
    raise InputError("bad_number", argument, "must be a share of the data", value, "such as 0.2 or 20%")


def read_splits(text: object) -> tuple[int, Fraction]:
    """Read how many splits there were, and what share of the data each tested.

    Examples
    --------
    >>> read_splits("5 of 0.2")
    (5, Fraction(1, 5))
    """
    match = _SPLITS.fullmatch(str(text).strip())
    if match is None or not 1 <= int(match[1]) <= _MOST_FOLDS:
        raise InputError("bad_option", "splits", "cannot be read", text, "say how many of what share: 5 of 0.2")
    return int(match[1]), read_share(match[2], "splits")


def other_splits(folds: Folds, positives: int, negatives: int, repeats: int = 1) -> tuple[Parts, ...]:
    """Return the other ways to deal so many stratified folds; none where their sizes are said."""
    if isinstance(folds, Sequence) and not (isinstance(folds, str) and folds.strip().isdigit()):
        return ()
    ways = stratified_ways(positives, negatives, whole(folds, "folds", text=True))
    return tuple(_repeated(way, repeats) for way in ways[1:])


def _listed_folds(text: str) -> list[Any]:
    """Read folds that are listed in a text, by their positives and negatives or by their sizes."""
    items = _items(text)
    if len(items) < 2:
        hint = (
            "a number, '10 stratified', '10 unstratified', 'repeated 10x5', 'any', 'none', or positives:negatives of "
            "each: 12:30,13:30"
        )
        raise InputError("bad_option", "folds", "cannot be read", text, hint)
    return _pairs(items, r"\(?(\d+)\s*[:/,]\s*(\d+)\)?") or [whole(item, "folds", text=True) for item in items]


def _items(text: str) -> list[str]:
    """Split a text where there is space, a comma or a semicolon, but not within brackets."""
    return [item for item in re.split(r"[,;\s]+(?![^(]*\))", text) if item]


def _pairs(items: Sequence[str], pattern: str) -> list[tuple[int, int]]:
    """Read pairs of positives and negatives; none where an item is no such pair."""
    pairs = [(int(pair[1]), int(pair[2])) for item in items if (pair := re.fullmatch(pattern, item))]
    return pairs if len(pairs) == len(items) else []


def read_pairs(text: str) -> list[tuple[int, int]]:
    """Read test sets as positives:negatives, such as ``12:30,140:20``.

    Examples
    --------
    >>> read_pairs("12:30, 140:20")
    [(12, 30), (140, 20)]
    """
    if pairs := _pairs(_items(text), r"(\d+)[:/](\d+)"):
        return pairs
    hint = "write each as positives:negatives, such as 12:30,140:20"
    raise InputError("bad_shape", "sets", "cannot be read", text, hint)


def _folds_of_list(folds: Sequence[Any]) -> Parts:
    """Read folds by their positives and negatives, or by their sizes alone."""
    if len(folds) < 2:
        raise InputError("bad_shape", "folds", "must be two or more", list(folds), "give each fold")
    kinds: Counter[tuple[int, ...]] = Counter()
    for fold in folds:
        pair = isinstance(fold, Sequence) and not isinstance(fold, str)
        sizes = tuple(_cases(n, "folds") for n in (fold if pair else [fold]))
        if pair and len(sizes) != 2:
            raise InputError("bad_shape", "folds", "must be positives and negatives", list(fold), "give two numbers")
        kinds[sizes] += 1
    if len(set(map(len, kinds))) > 1:
        raise InputError("bad_shape", "folds", "must be all pairs or all sizes", list(folds), "give one kind")
    kind: Any = EqualParts if len(next(iter(kinds))) == 2 else OpenParts
    return tuple(kind(*sizes, count) for sizes, count in kinds.items())


def _opened(parts: Parts) -> bool:
    return any(isinstance(part, OpenParts) for part in parts)


def _repeated(parts: Parts, repeats: int) -> Parts:
    if repeats == 1:
        return parts
    if _opened(parts):
        # Each repeat deals all positives anew.
        return tuple(replace(part, group=group) for group in range(repeats) for part in parts)  # type: ignore[arg-type]
    return tuple(replace(part, count=part.count * repeats) for part in parts)


_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "positives": ("positives", "p", "pos", "n_positives"),
    "negatives": ("negatives", "n", "neg", "n_negatives"),
    "weight": ("weight", "weights"),
    "repeats": ("repeats", "repeat", "count"),
    "folds": ("folds", "n_folds"),
}


def read_sets(sets: Sets) -> tuple[Parts, str, tuple[int, ...]]:
    """Read test sets, one a row: positives and negatives, and if there are any weight, repeats and folds.

    Also returned are the positives of each group of folds of unknown make-up.

    Examples
    --------
    >>> read_sets([{"positives": 5, "negatives": 9}, (4, 10)])[1]
    '2 test sets'
    """
    parts: list[EqualParts | OpenParts] = []
    groups: list[int] = []
    for place, row in enumerate(sets, 1):
        given = _row(row, place)
        positives, negatives = (_cases(given[name], name) for name in ("positives", "negatives"))
        weight = _weight(given.get("weight") or 1, place)
        repeats = whole(whole_text(given.get("repeats") or 1), "repeats", text=True)
        own: Parts = (EqualParts(positives, negatives),)
        if given.get("folds"):
            own = read_folds(cast("Folds", whole_text(given["folds"])), positives, negatives)[0]
        number = sum(part.count for part in own)
        # Each set counts once in the mean, however many folds it has.
        parts += [
            replace(part, group=part.group + len(groups)) if isinstance(part, OpenParts) else part
            for part in _repeated(tuple(replace(part, weight=weight / number) for part in own), repeats)
        ]
        if _opened(own):
            groups += [positives] * repeats
    if not parts:
        raise InputError("empty", "sets", "has no rows", len(sets), "give a row for each test set")
    return tuple(parts), f"{len(sets)} test sets", tuple(groups)


def _cases(value: object, argument: str) -> int:
    return Size.read(whole(whole_text(value), argument, text=True), argument).low


def _weight(value: object, place: int) -> Fraction:
    """Read how much a set counts; long exponents would take for ever."""
    if re.fullmatch(r"\s*[0-9./]{1,400}([eE][-+]?[0-9]{1,3})?\s*", str(value)):
        with suppress(ValueError, ZeroDivisionError):
            if (weight := Fraction(str(value))) > 0:
                return weight
    raise InputError("bad_number", "weight", f"of set {place} must be a positive number", value, "check it")


def _row(row: Any, place: int) -> dict[str, Any]:
    if not isinstance(row, Mapping):
        if not isinstance(row, Sequence) or isinstance(row, str) or not 2 <= len(row) <= 5:
            raise InputError("bad_shape", "sets", f"row {place} is not a test set", row, "give positives and negatives")
        return dict(zip(_COLUMNS, row, strict=False))
    known = {str(name).strip().casefold(): value for name, value in row.items()}
    columns = {
        name: next((known[other] for other in others if other in known), "") for name, others in _COLUMNS.items()
    }
    given = {name: value for name, value in columns.items() if value not in (None, "")}
    for name in ("positives", "negatives"):
        if name not in given:
            hint = f"name a column {name}"
            raise InputError("unknown_column", "sets", f"row {place} has no {name}", ", ".join(map(str, row)), hint)
    return given


@dataclass(frozen=True)
class Experiment:
    """What is said about folds, test sets and deviations beside the scores."""

    folds: Folds | None = None
    sets: Sets | None = None
    over: str = "any"
    spread: str = "any"
    each: Mapping[str, Any] = field(default_factory=dict)
    repeats: int = 1
    runs: int | None = None

    def __post_init__(self) -> None:
        if self.over not in OVERS:
            raise InputError("bad_option", "over", "unknown way", self.over, f"one of {', '.join(OVERS)}")
        if self.spread not in SPREADS:
            raise InputError("bad_option", "spread", "unknown kind", self.spread, f"one of {', '.join(SPREADS)}")
        folds, sets, runs = (value is not None for value in (self.folds, self.sets, self.runs))
        if folds and sets:
            hint = "put the folds of each set in its row"
            raise InputError("usage", "sets", "cannot be given together with folds", len(self.sets or ()), hint)
        if runs and (folds or sets or self.repeats != 1):
            hint = "say one of runs, folds and sets"
            raise InputError("usage", "runs", "cannot be given together with folds or sets", self.runs, hint)
        if not (folds or runs) and (self.repeats != 1 or (not sets and (self.over == "mean" or self.each))):
            hint = "say how many folds there were, or what the test sets are"
            raise InputError("usage", "folds", "is required", NOTHING, hint)


def fold_claims(claim: TableClaim, experiment: Experiment, deviations: Mapping[str, str]) -> Iterator[FoldClaim]:
    """Yield a claim as those about folds or test sets that are meant."""
    areas = [claimed for claimed in claim.scores if claimed.is_area]
    if areas and len(areas) < len(claim.scores):
        words = f"{areas[0].name} was left out: the tables of folds leave it a wide range"
        kept = tuple(claimed for claimed in claim.scores if not claimed.is_area)
        claim = replace(claim, scores=kept, notes=(*claim.notes, Note("score_passed_over", words, {})))
        areas = []
    if counts := tuple(claimed for claimed in claim.scores if claimed.is_count):
        claim = (claim.sized() or claim).having(tuple(claimed for claimed in claim.scores if not claimed.is_count))
    if areas or not claim.scores:
        name = (*areas, *counts)[0].name
        raise InputError("bad_metric", name, "is not a score of each fold", name, "give scores beside it")
    named = {claimed.name: claimed.metric for claimed in claim.scores}
    printed = []
    for name, text in deviations.items():
        metric = named[name.strip()]
        reported = Reported.read(text, argument=name, float_error=partial(claim.float_error, metric))
        printed.append(ClaimedScore(name, metric, reported))
    single = tuple(claim.read_score(name, text) for name, text in experiment.each.items())
    spread: Any = experiment.spread
    over: Any = "mean" if experiment.over == "any" else experiment.over
    otherwise: tuple[Parts, ...] = ()
    if claim.margins is not None and experiment.folds not in (None, "any"):
        otherwise = other_splits(experiment.folds, *claim.margins, experiment.repeats)
    for parts, what, groups in _parts(claim, experiment):
        yield FoldClaim(claim.scores, parts, what, groups, over, tuple(printed), spread, single, otherwise,
            together=counts, convention=claim.convention, notes=claim.notes)  # fmt: skip


def _parts(claim: TableClaim, experiment: Experiment) -> Iterator[tuple[Parts, str, tuple[int, ...]]]:
    if experiment.sets is not None:
        yield read_sets(experiment.sets)
        return
    sizes = claim.margins
    p, n = sizes or (None, None)
    if experiment.runs is not None:
        if p is None or n is None:
            hint = "give --positives and --negatives"
            raise InputError("empty", "runs", "needs the sizes of the test set", experiment.runs, hint)
        yield (EqualParts(p, n, experiment.runs),), f"{experiment.runs} runs on one test set", ()
        return
    folds, rounds = experiment.folds, experiment.repeats
    assert folds is not None
    if isinstance(folds, str) and (pairs := repeated_folds(folds.strip())):
        for number, repeats in pairs:
            parts, what = read_folds(number, p, n, repeats * rounds)
            yield parts, f"{repeats} times {what}" if repeats > 1 else what, ()
    elif folds == "any":
        if sizes is None:
            hint = "give --positives and --negatives"
            raise InputError("empty", "folds", "needs the sizes of the data set", "any", hint)
        for number in ANY_FOLDS:
            if number <= sum(sizes):
                yield (*read_folds(number, p, n, rounds), ())
    else:
        parts, what = read_folds(folds, p, n, rounds)
        opened = _opened(parts)
        if opened and p is None and not claim.positives.known:
            hint = "give --positives, or each fold as positives:negatives"
            raise InputError("empty", "positives", "is required for folds of unknown make-up", NOTHING, hint)
        yield parts, what, (claim.positives.low if p is None else p,) * rounds if opened else ()


def held_out(claim: TableClaim, share: object) -> TableClaim:
    """Return a claim about all data as one about a random part of it: as many positives as is likely by chance."""
    part = share if isinstance(share, Fraction) else read_share(share, "holdout")
    if claim.margins is None:
        hint = "give --positives and --negatives of all data"
        raise InputError("empty", "positives", "must be known, and negatives too", verbatim("none"), hint)
    positives, negatives = claim.margins
    # Some tools round the share of all cases, others that of each class.
    sizes = max(sum(floor(size * part) for size in claim.margins), 1), sum(ceil(size * part) for size in claim.margins)
    likely = [likely_positives(positives, positives + negatives, size, RARE) for size in sizes]
    low, high = min(least for least, _ in likely), max(most for _, most in likely)
    return claim.changed(
        positives=Size(low, high), negatives=Size(max(sizes[0] - high, 0), sizes[1] - low), total=Size(*sizes)
    )


def stratified_splits(claim: TableClaim, number: int, share: Fraction, what: str) -> FoldClaim:
    """Return a claim as one about splits that each hold the same share of positives and of negatives."""
    assert claim.margins is not None
    positives, negatives = (max(round(size * share), 1) for size in claim.margins)
    parts = (EqualParts(positives, negatives, number),)
    return FoldClaim(claim.scores, parts, what, convention=claim.convention, notes=claim.notes)
