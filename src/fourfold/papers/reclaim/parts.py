"""Figures, tables and statements of RECLAIM."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from fourfold import Table
from fourfold.metrics import ACCURACY, F1, PRECISION

from ..outcome import Agreement, Part, Reproduction, Statement, View
from ..paper import compared
from .checks import CHECKS, NEARLY_NOTHING, RunWidths, checked
from .widths import CELLS, PAIRS, PAPER, SAME, Floats, Width, boundary_tables, others_than, recover_from, value_of

# How Adult is read: with the fault of the published code.
FAULTY: Final = "as the published code reads it"
# Figure 5: half of these cases are positive, half are called so; scores are given in full and rounded.
TOY_TOTAL: Final = 1000
TOY_DECIMALS: Final = (None, 4, 3, 2)
# All tables of a few cases are looked at, with scores of few decimals; and one of them closely.
SMALL_TOTAL, SMALL_DECIMALS = 10, 1
_EXAMPLE: Final = Table(tp=5, fn=1, fp=4, tn=0)
# The share of its gain after which a tree no longer improves.
_SATURATED: Final = 0.95
_WIDTH, _DEPTH = "Width of the range", "Largest depth of the tree"


def _width_view(column: str, words: str, *, log: bool = False) -> View:
    titles = {column: words, "width": _WIDTH}
    return View(column, "width", "known", "reconstructed", dash="range", spread="spread", titles=titles, log_x=log)


_VIEWS: Final = {
    "Figure 2": _width_view("size", "Cases, training and test", log=True),
    "Figure 3": _width_view("share", "Share of positives"),
    "Figure 4": _width_view("depth", _DEPTH),
}


def reproduction(
    trees: Mapping[str, Mapping[Any, Sequence[Any]]],
    forests: Mapping[str, Sequence[Any]],
    counts: Mapping[str, Sequence[int]],
    toy: Mapping[int, Any],
    small: Sequence[Any],
    why_no_adult: str,
) -> Reproduction:
    """Return all parts and statements from what the runs gave."""
    widths = {figure: RunWidths.rounded_and_not(trees[figure]) for figure in _VIEWS}
    on_figures: list[Statement] = []
    figures: list[Part] = []
    for figure, both in widths.items():
        checks = [checked(key, judge, both) for key, judge in CHECKS[figure].items()]
        on_figures += [statement for statement, _ in checks]
        figures += _figures(figure, both, [held for _, held in checks])
    saturation, first_figure = _saturation(trees["Figure 1"])
    on_rounding = _on_rounding(toy)
    on_adult = _on_adult(forests, counts)
    parts = (
        first_figure,
        *figures,
        _toy_figure(toy, as_sketched=bool(on_rounding[0].holds)),
        *_adult_tables(forests, counts, on_adult[0], why_no_adult),
        PAPER.part("Binary ImageNet", "not reproduced"),
    )
    on_two_tables = _on_two_tables(widths.values(), small)
    return PAPER.reproduction(parts, (*on_two_tables, saturation, *on_figures, *on_adult, *on_rounding))


def _saturation(runs: Mapping[int, Sequence[Any]]) -> tuple[Statement, Part]:
    scores = [[float(value_of(ACCURACY, Table(**cells)) or 0) for cells, _ in several] for several in runs.values()]
    means, spreads = np.mean(scores, axis=1).tolist(), np.std(scores, axis=1).tolist()
    depths = list(runs)
    says = int(PAPER.printed("§IV-A")["tree", "depth of saturation"])
    reached = [(mean - means[0]) / (means[-1] - means[0]) for mean in means]
    at = min(range(len(depths)), key=lambda i: abs(depths[i] - says))
    within = next(depth for depth, mean in zip(depths, means, strict=True) if mean >= means[-1] - spreads[-1])
    numbers = {"limit": _SATURATED, "says": says, "depth": depths[at], "reached": reached[at], "mean": means[at]}
    numbers |= {"last": depths[-1], "end": means[-1], "spread": spreads[-1], "within": within}
    records = (
        {"depth": depth, "model": "decision tree", "mean": mean, "spread": spread, "runs": len(several)}
        for depth, mean, spread, several in zip(depths, means, spreads, runs.values(), strict=True)
    )
    view = View("depth", "mean", "model", spread="spread", titles={"depth": _DEPTH, "mean": ACCURACY.label})
    holds = reached[at] >= _SATURATED
    statement = PAPER.statement("saturation", holds, numbers, says=str(says))
    return statement, PAPER.part("Figure 1", holds, numbers, records, view)


def _figures(figure: str, both: tuple[RunWidths, RunWidths], held: Sequence[Sequence[bool]]) -> Iterator[Part]:
    """Yield a figure's two versions: from rounded scores, as the text says, and from others, as in the code."""
    versions = ((figure, "scores of four decimals"), (f"{figure} unrounded", "scores that are not rounded"))
    for (place, scores), holds, widths in zip(versions, zip(*held, strict=True), both, strict=True):
        apart = max(float(np.nanmax(np.abs(widths.mean(*pair) - widths.mean(*pair, "two")))) for pair in PAIRS)
        numbers = {"true": sum(holds), "of": len(holds), "apart": apart}
        verdict: Agreement = "reproduced" if all(holds) else "in part"
        view = _VIEWS[figure]
        yield PAPER.part(figure, verdict, numbers, widths.records(view.x), view, place=place, scores=scores)


def _on_two_tables(both: Iterable[tuple[RunWidths, RunWidths]], small: Sequence[Any]) -> list[Statement]:
    rounded, full = zip(*both, strict=True)
    recovery = recover_from(F1, _EXAMPLE, SMALL_DECIMALS)
    bounds = recovery.bounds(ACCURACY)
    ends = [float(value_of(ACCURACY, table) or 0) for table in boundary_tables(recovery, CELLS[F1])]
    numbers = _misses("", [widths.values for widths in rounded]) | _misses("full_", [widths.values for widths in full])
    numbers |= _misses("small_", [np.array(small, dtype=np.float64)])
    numbers |= {"total": SMALL_TOTAL, "decimals": SMALL_DECIMALS}
    numbers |= {"score": float(round(value_of(F1, _EXAMPLE) or 0, SMALL_DECIMALS)), "positives": _EXAMPLE.positives}
    numbers |= {"low": bounds.low, "high": bounds.high, "two_low": min(ends), "two_high": max(ends)}
    never = not numbers["outside"] and not numbers["full_outside"] and not numbers["full_wider"]
    return [
        PAPER.statement("in the experiments", never, numbers),
        PAPER.statement("in general", not numbers["small_wider"], numbers),
    ]


def _misses(lead: str, pieces: Sequence[Floats]) -> dict[str, Any]:
    """Return how many reconstructions there are, and in how many the two tables miss something."""
    cases = np.concatenate([piece.reshape(-1, len(Width._fields)) for piece in pieces])
    columns = dict(zip(Width._fields, cases[np.isfinite(cases).all(axis=1)].T, strict=True))
    numbers: dict[str, Any] = {"cases": len(columns["exact"]), "wider": int((columns["missed"] > 0).sum())}
    numbers |= {name: int(columns[name].sum()) for name in ("outside", "anyhow")}
    numbers["missed"] = float(columns["missed"].max())
    return {f"{lead}{name}": value for name, value in numbers.items()}


def _toy_figure(toy: Mapping[int, Any], *, as_sketched: bool) -> Part:
    names = ["not rounded" if decimals is None else f"{decimals} decimals" for decimals in TOY_DECIMALS]
    records = [
        {"score": correct / (TOY_TOTAL // 2), "reconstructed": wanted.label}
        | {"known": known, "width": width, "single": single}
        for correct, rows in toy.items()
        for known, row in zip(names, rows, strict=True)
        for wanted, (width, single) in zip(others_than(PRECISION), row, strict=True)
    ]
    titles = {"score": PRECISION.label, "width": _WIDTH}
    view = View("score", "width", "known", panel="reconstructed", titles=titles, columns=3)
    texts = {"lifts": "Other than in the sketch, rounding does not always lift", "smooths": "smooth"}
    if as_sketched:
        texts = {"lifts": "As in the sketch, rounding lifts", "smooths": "smooths"}
    return PAPER.part("Figure 5", as_sketched, {"total": TOY_TOTAL}, records, view, **texts)


def _on_rounding(toy: Mapping[int, Any]) -> list[Statement]:
    """Return what the appendix says of rounding, for Figure 5."""
    values = np.array(list(toy.values()), dtype=np.float64)
    means, spreads = values[..., 0].mean(axis=0), values[..., 0].std(axis=0)
    wider, calmer = means[1:] > means[0], spreads[1:] < spreads[0]
    f1 = others_than(PRECISION).index(F1)
    numbers = {"wider": int(wider.sum()), "calmer": int(calmer.sum()), "ways": wider.size}
    numbers |= {"full": float(means[0, f1]), "rounded": float(means[1, f1])}
    numbers |= {"full_spread": float(spreads[0, f1]), "rounded_spread": float(spreads[1, f1])}
    more = values[:, 1:, :, 0] - values[:, 1:, :, 1]
    points = {"more": int((more >= SAME).sum()), "points": more.size, "most": float(more.max())}
    return [
        PAPER.statement("rounding smooths", bool(wider.all() and calmer.all()), numbers),
        PAPER.statement("largest single width", bool((more < SAME).all()), points),
    ]


def _adult_tables(
    forests: Mapping[str, Sequence[Any]], counts: Mapping[str, Sequence[int]], on_positives: Statement, why_not: str
) -> Iterator[Part]:
    if not forests:
        yield PAPER.part("no Adult", "not reproduced", {"why": why_not})
        return
    names = ("four decimals", "not rounded")
    records = (
        {"score": name} | record
        for name, widths in zip(names, RunWidths.rounded_and_not(forests), strict=True)
        for record in widths.records("labels")
    )
    ending = " and with the fault of the published code." if FAULTY in forests else "; the fault needs adult.parquet."
    yield PAPER.part("Table III", "in part", {}, records, ending=ending)
    printed = PAPER.printed_row("§IV-E", "Adult")
    compared_counts = [
        compared(f"Adult, {reading}", name, printed[name], value)
        for reading, (cases, positives) in counts.items()
        for name, value in zip(printed, (cases, positives, 100 * positives / cases), strict=True)
    ]
    right = all(record["agrees"] for record in compared_counts[: len(printed)])
    yield PAPER.part("Section IV-E", right, on_positives.numbers, compared_counts, counted=on_positives.words)


def _on_adult(forests: Mapping[str, Sequence[Any]], counts: Mapping[str, Sequence[int]]) -> list[Statement]:
    printed = PAPER.printed_row("§IV-E", "Adult")
    texts = {"positives": printed["positives"], "percent": printed["percent of positives"]}
    keys = ("positives of Adult", "rounding widens", "rounding changes little")
    if not forests:
        return [replace(PAPER.statement(key, None, None, **texts), words="There is no Adult here.") for key in keys]
    cases, positives = next(iter(counts.values()))
    numbers = {"found": positives, "cases": cases, "percent": 100 * positives / cases}
    statement = PAPER.statement(keys[0], positives == int(printed["positives"]), numbers, **texts)
    if FAULTY in counts:
        words = "; {faulty} are where the blank before each label of the test part is kept, as in the published code"
        statement = replace(statement, words=statement.words + words, numbers=numbers | {"faulty": counts[FAULTY][1]})
    rounded, full = RunWidths.rounded_and_not({"": next(iter(forests.values()))})
    columns = (rounded.mean, full.mean, rounded.spread, full.spread)
    table = np.array([[column(*pair)[0] for column in columns] for pair in PAIRS])
    moved = np.abs(table[:, 0] - table[:, 1])
    changed, much = table[moved > SAME], moved > NEARLY_NOTHING
    wider, calmer = changed[:, 0] > changed[:, 1], changed[:, 2] < changed[:, 3]
    changes = {"changed": len(changed), "wider": int(wider.sum()), "calmer": int(calmer.sum()), "pairs": len(table)}
    widening = PAPER.statement(keys[1], bool(wider.all() and calmer.all()), changes)
    least, most = float(np.min(table[much, 3], initial=1.0)), float(np.max(table[~much, 3], initial=0.0))
    ends = {"much": int(much.sum()), "pairs": len(table), "limit": NEARLY_NOTHING, "least": least, "most": most}
    return [statement, widening, PAPER.statement(keys[2], least > most, ends)]
