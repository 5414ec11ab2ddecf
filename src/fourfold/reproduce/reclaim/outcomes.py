"""Figures, tables and statements of RECLAIM."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple

import numpy as np

from ...claims import recover
from ...metrics import metric
from ...table import Table
from ..outcome import Part, Reproduction, Statement, Verdict, View, compared, printed, verdict_on
from .judgements import CHECKS, NEARLY_NOTHING, SATURATED, Seen, judgement_of
from .runs import EXAMPLE, FAULTY, FEW, TOY_DECIMALS, TOY_TOTAL
from .widths import (
    ACCURACY,
    CELLS,
    F1,
    PAIRS,
    PAPER,
    PRECISION,
    SAME,
    Floats,
    Width,
    boundary_tables,
    claim_text,
    others_than,
    value_of,
)

_TITLE: Final = (
    "F. Giobergia, RECLAIM: Reverse Engineering CLAssIfication Metrics; the published code is that of"
    " github.com/fgiobergia/RECLAIM"
)


class _Axis(NamedTuple):
    """What a figure varies: the column's name, words for it, the figure's title, and a logarithmic axis."""

    column: str
    words: str
    title: str
    data: str
    log: bool = False


_CLUSTERS: Final = (
    "The text gives no means for its two normal distributions, so the data is made as in the published "
    "code (scikit-learn's make_classification, 20 features), here with a data set of its own for each run."
)

_PICTURE: Final = "The values are in a picture only, so what the text says of it decides:"
_LINE: Final = "The data is the paper's set of points around the diagonal."
_AXES: Final = {
    "Figure 2": _Axis("size", "Cases, training and test", "Widths by the size of the data", _CLUSTERS, log=True),
    "Figure 3": _Axis("share", "Share of positives", "Widths by the share of positives", _CLUSTERS),
    "Figure 4": _Axis("depth", "Largest depth of the tree", "Widths by the capacity of the model", _LINE),
}


def outcome(
    trees: Mapping[str, Mapping[Any, Sequence[Any]]],
    forests: Mapping[str, Sequence[Any]],
    counts: Mapping[str, Sequence[int]],
    toy: Mapping[int, Any],
    small: Sequence[Any],
    why: str = "",
) -> Reproduction:
    """Return all parts and statements from what was found; `why` says why there is no Adult."""
    seen = {figure: Seen.of(trees[figure]) for figure in _AXES}
    judged = [(check.figure, *judgement_of(check, seen[check.figure])) for check in CHECKS]
    saturated, depths = _saturation(trees["Figure 1"])
    rounding = _of_rounding(toy)
    adult = _of_adult(forests, counts)
    parts = (
        depths,
        *(part for figure in _AXES for part in _figures(figure, seen[figure], judged)),
        _toy_figure(toy, rounding),
        *_table_three(forests, counts, adult, why),
        Part(
            "Table III Binary ImageNet",
            "Widths on pictures of cats and dogs",
            "not reproduced",
            "The pictures and the network that was trained on them are not at hand.",
        ),
    )
    statements = (*_of_two_tables(seen.values(), small), saturated, *(each for _, each, _ in judged), *adult, *rounding)
    return Reproduction("reclaim", _TITLE, parts, statements)


def _saturation(found: Mapping[Any, Sequence[Any]]) -> tuple[Statement, Part]:
    scores = [[float(value_of(metric(ACCURACY), Table(**cells)) or 0) for cells, _ in runs] for runs in found.values()]
    means, spreads = np.mean(scores, axis=1).tolist(), np.std(scores, axis=1).tolist()
    depths = list(found)
    says = int(printed(PAPER, "§IV-A")["tree", "depth of saturation"])
    reached = [(mean - means[0]) / (means[-1] - means[0]) for mean in means]
    at = min(range(len(depths)), key=lambda i: abs(depths[i] - says))
    numbers = {
        "limit": SATURATED,
        "says": says,
        "depth": depths[at],
        "reached": reached[at],
        "mean": means[at],
        "last": depths[-1],
        "end": means[-1],
        "spread": spreads[-1],
        "within": next(depth for depth, mean in zip(depths, means, strict=True) if mean >= means[-1] - spreads[-1]),
    }
    statement = Statement(
        "§IV-A",
        f"The tree stops improving at a depth of about {says}.",
        reached[at] >= SATURATED,
        "of all that is gained from the first depth to the last, {limit} must be gained by then: {reached} is, with a "
        "mean accuracy of {mean} at depth {depth} and {end} at depth {last}; from depth {within} on the mean is within "
        "one standard deviation, {spread}, of the last",
        numbers,
    )
    label = metric(ACCURACY).label
    records = tuple(
        {"depth": depth, "model": "decision tree", "mean": mean, "spread": spread, "runs": len(runs)}
        for depth, mean, spread, runs in zip(depths, means, spreads, found.values(), strict=True)
    )
    view = View(
        x="depth", y="mean", series="model", spread="spread", titles={"depth": _AXES["Figure 4"].words, "mean": label}
    )
    words = f"{_LINE} {_PICTURE} " + (
        "the tree stops improving at a depth of about {says}. Here {reached} of its gain is reached at depth {depth}."
    )
    verdict = verdict_on(bool(statement.holds))
    return statement, Part("Figure 1", "Accuracy by the depth of the tree", verdict, words, numbers, records, view)


def _figures(
    figure: str, both: tuple[Seen, Seen], judged: Sequence[tuple[str, Statement, tuple[bool, bool]]]
) -> Iterator[Part]:
    """Walk a figure's two versions: from rounded scores, as the text says, and from others, as in the code."""
    axis = _AXES[figure]
    view = View(
        x=axis.column,
        y="width",
        series="known",
        dash="range",
        panel="reconstructed",
        spread="spread",
        titles={axis.column: axis.words, "width": "Width of the range"},
        log_x=axis.log,
    )
    mine = [held for place, _, held in judged if place == figure]
    words = f"{axis.data} {_PICTURE} " + (
        "{true} of {of} statements hold here. Mean widths over all tables and between the paper's two are at most "
        "{apart} apart."
    )
    names = ((figure, "scores of four decimals"), (f"{figure} unrounded", "scores that are not rounded"))
    for (place, scores), held, seen in zip(names, zip(*mine, strict=True), both, strict=True):
        apart = max(float(np.nanmax(np.abs(seen.mean(*pair) - seen.mean(*pair, "two")))) for pair in PAIRS)
        numbers = {"true": sum(map(bool, held)), "of": len(held), "apart": apart}
        records = tuple(seen.records(axis.column))
        verdict: Verdict = "reproduced" if all(held) else "in part"
        yield Part(place, f"{axis.title}, from {scores}", verdict, words, numbers, records, view)


def _of_two_tables(seen: Iterable[tuple[Seen, Seen]], small: Sequence[Any]) -> list[Statement]:
    rounded, full = zip(*seen, strict=True)
    wanted, known = metric(ACCURACY), metric(F1)
    recovery = recover(
        **{known.id: claim_text(value_of(known, EXAMPLE) or Fraction(0), FEW[1])},
        positives=EXAMPLE.positives,
        negatives=EXAMPLE.negatives,
    )
    bounds = recovery.bounds(wanted)
    ends = [float(value_of(wanted, each) or 0) for each in boundary_tables(recovery, CELLS[known.id])]
    numbers = {
        **_counted("", [each.values for each in rounded]),
        **_counted("full_", [each.values for each in full]),
        **_counted("small_", [np.array(small, dtype=np.float64)]),
        "total": FEW[0],
        "decimals": FEW[1],
        "score": float(round(value_of(known, EXAMPLE) or Fraction(0), FEW[1])),
        "positives": EXAMPLE.positives,
        "low": bounds.low,
        "high": bounds.high,
        "two_low": min(ends),
        "two_high": max(ends),
    }
    seen_so = not numbers["outside"] and not numbers["full_outside"] and not numbers["full_wider"]
    observed = Statement(
        "§III-C",
        "In the experiments all other scores were smallest and largest at the two boundary tables.",
        seen_so,
        "of the reconstructions of Figures 2 to 4 from scores that are not rounded, the exact range is wider in "
        "{full_wider} of {full_cases}; from rounded ones in {wider} of {cases}, by {missed} at most. The true value "
        "lies outside the range of the two tables in {full_outside} and {outside} of them",
        numbers,
    )
    general = Statement(
        "§III-C",
        "This is so in all other situations, though it is not proved.",
        not numbers["small_wider"],
        "with few cases it is not. Of all {small_cases} reconstructions from tables of {total} cases and scores of "
        "{decimals} decimal, the exact range is wider in {small_wider} and the truth lies outside in {small_anyhow}, "
        "whichever tables are taken where several have the fewest or the most; if the first of them are, the truth "
        "lies outside in {small_outside}. An example: {total} cases, {positives} positives and an F1 score of {score} "
        "allow an accuracy from {low} to {high}, the two tables say {two_low} to {two_high}",
        numbers,
    )
    return [observed, general]


def _counted(lead: str, pieces: Sequence[Floats]) -> dict[str, Any]:
    """Return how many reconstructions there are, and in how many the two tables miss something."""
    cases = np.concatenate([piece.reshape(-1, len(Width._fields)) for piece in pieces])
    columns = dict(zip(Width._fields, cases[np.isfinite(cases).all(axis=1)].T, strict=True))
    sums = {name: int(columns[name].sum()) for name in ("outside", "anyhow")}
    found = {"cases": len(columns["exact"]), "wider": int((columns["missed"] > 0).sum()), **sums}
    return {f"{lead}{name}": value for name, value in found.items()} | {f"{lead}missed": float(columns["missed"].max())}


def _toy_figure(toy: Mapping[int, Any], rounding: Sequence[Statement]) -> Part:
    half = TOY_TOTAL // 2
    records = tuple(
        {
            "score": correct / half,
            "reconstructed": metric(wanted).label,
            "known": "not rounded" if decimals is None else f"{decimals} decimals",
            "width": width,
            "single": single,
        }
        for correct, found in toy.items()
        for decimals, row in zip(TOY_DECIMALS, found, strict=True)
        for wanted, (width, single) in zip(others_than(PRECISION), row, strict=True)
    )
    titles = {"score": metric(PRECISION).label, "width": "Width of the range"}
    view = View(x="score", y="width", series="known", panel="reconstructed", titles=titles, columns=3)
    words = (
        "The paper draws a made-up curve; this is the real one, the width as a function of a reported precision, for "
        "{total} cases of which half are positive and half are called so. As in the sketch, rounding lifts the curve "
        "and smooths it."
    )
    verdict = verdict_on(bool(rounding[0].holds))
    if verdict == "differs":
        words = words.replace(
            "As in the sketch, rounding lifts", "Other than in the sketch, rounding does not always lift"
        )
        words = words.replace("and smooths", "and smooth")
    title = "The width as a function of the score that is known"
    return Part("Figure 5", title, verdict, words, {"total": TOY_TOTAL}, records, view)


def _of_rounding(toy: Mapping[int, Any]) -> list[Statement]:
    """Return what the appendix says of rounding, for Figure 5."""
    values = np.array(list(toy.values()), dtype=np.float64)
    means, spreads = values[..., 0].mean(axis=0), values[..., 0].std(axis=0)
    wider, calmer = means[1:] > means[0], spreads[1:] < spreads[0]
    wanted = others_than(PRECISION).index(F1)
    filtered = Statement(
        "Appendix A",
        "Rounding makes the mean width larger and its variance smaller.",
        bool(wider.all() and calmer.all()),
        "in Figure 5 the mean is larger in {wider} of {ways} ways to round and reconstruct, the variance smaller in "
        "{calmer}; for the F1 score from a precision of four decimals the mean goes from {full} to {rounded}, the "
        "standard deviation from {full_spread} to {rounded_spread}",
        {
            "wider": int(wider.sum()),
            "calmer": int(calmer.sum()),
            "ways": wider.size,
            "full": float(means[0, wanted]),
            "rounded": float(means[1, wanted]),
            "full_spread": float(spreads[0, wanted]),
            "rounded_spread": float(spreads[1, wanted]),
        },
    )
    more = values[:, 1:, :, 0] - values[:, 1:, :, 1]
    single = Statement(
        "Appendix A",
        "Put simply, the width from a rounded score is the largest one that any single value behind it would leave.",
        bool((more < SAME).all()),
        "in {more} of {points} points of Figure 5 it is larger, by up to {most}: tables of different values behind "
        "the score lie further apart than those of any one of them",
        {"more": int((more >= SAME).sum()), "points": more.size, "most": float(more.max())},
    )
    return [filtered, single]


def _table_three(
    forests: Mapping[str, Sequence[Any]], counts: Mapping[str, Sequence[int]], adult: Sequence[Statement], why: str
) -> Iterator[Part]:
    title = "Widths on Adult, from scores rounded and not"
    if not forests:
        yield Part("Table III", title, "not reproduced", "The folder of data {why}.", {"why": why})
        return
    seen = dict(zip(("four decimals", "not rounded"), Seen.of(forests), strict=True))
    records = tuple({"score": name} | record for name, each in seen.items() for record in each.records("labels"))
    words = (
        "The table is made, but its numbers as printed were not at hand, so they could not be compared; what the text "
        "says of it is among the statements. Labels and categories are given as they are"
    )
    words += " and with the fault of the published code." if FAULTY in forests else "; the fault needs adult.parquet."
    yield Part("Table III", title, "in part", words, {}, records)
    said = printed(PAPER, "§IV-E")
    counted = tuple(
        compared(f"Adult, {reading}", name, said["Adult", name], found)
        for reading, (cases, positives) in counts.items()
        for name, found in (
            ("rows", cases),
            ("positives", positives),
            ("percent of positives", 100 * positives / cases),
        )
    )
    right = [record["agrees"] for record in counted[:3]]
    yield Part(
        "Section IV-E",
        "Cases and positives of Adult",
        verdict_on(all(right)),
        f"Counted here: {adult[0].words}.",
        adult[0].numbers,
        counted,
    )


def _of_adult(forests: Mapping[str, Sequence[Any]], counts: Mapping[str, Sequence[int]]) -> list[Statement]:
    said = printed(PAPER, "§IV-E")
    share = said["Adult", "percent of positives"]
    positives = f"Of the cases of Adult, {said['Adult', 'positives']} are positive, about {share} percent."
    rounding = "Rounding widens the mean range on Adult and lowers the variance."
    varying = "Rounding changes little on Adult, save where the widths vary much."
    if not forests:
        return [Statement("§IV-E", says, None, "There is no Adult here.") for says in (positives, rounding, varying)]
    cases, found = next(iter(counts.values()))
    numbers = {"found": found, "cases": cases, "percent": 100 * found / cases}
    words = "{found} of {cases} are positive, {percent} percent"
    if FAULTY in counts:
        numbers["faulty"] = counts[FAULTY][1]
        words += "; {faulty} are where the blank before each label of the test part is kept, as in the published code"
    rounded, full = Seen.of({"": next(iter(forests.values()))})
    table = [
        (rounded.mean(*pair)[0], full.mean(*pair)[0], rounded.spread(*pair)[0], full.spread(*pair)[0]) for pair in PAIRS
    ]
    return [
        Statement("§IV-E", positives, found == int(said["Adult", "positives"]), words, numbers),
        _rounding_on_adult(rounding, np.array(table)),
        _varying_on_adult(varying, np.array(table)),
    ]


def _rounding_on_adult(says: str, table: Floats) -> Statement:
    changed = table[np.abs(table[:, 0] - table[:, 1]) > SAME]
    wider, calmer = changed[:, 0] > changed[:, 1], changed[:, 2] < changed[:, 3]
    words = (
        "the mean width changes for {changed} of {pairs} pairs of scores: it is larger from rounded scores for {wider} "
        "of them, its standard deviation smaller for {calmer}"
    )
    counts = {"changed": len(changed), "wider": int(wider.sum()), "calmer": int(calmer.sum()), "pairs": len(table)}
    return Statement("§IV-E", says, bool(wider.all() and calmer.all()), words, counts)


def _varying_on_adult(says: str, table: Floats) -> Statement:
    much = np.abs(table[:, 0] - table[:, 1]) > NEARLY_NOTHING
    words = (
        "mean widths of {much} of {pairs} pairs of scores change by more than {limit}; from scores that are not "
        "rounded, the standard deviation of those is {least} or more, that of the others {most} or less"
    )
    least, most = (
        float(pick(table[rows, 3], initial=end)) for pick, rows, end in ((np.min, much, 1.0), (np.max, ~much, 0.0))
    )
    numbers = {"much": int(much.sum()), "pairs": len(table), "limit": NEARLY_NOTHING, "least": least, "most": most}
    return Statement("§IV-E", says, least > most, words, numbers)
