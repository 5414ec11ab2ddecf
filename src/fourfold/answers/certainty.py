"""What scores rest on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from ..certainty import (
    Abstention,
    Calibration,
    CertaintyComparison,
    CertaintyRatio,
    Curve,
    Decomposition,
    Overview,
    Resampled,
)
from ..certainty.abstention import Kept
from ..document import Block, Cell, Chart, Column, Document, Grid, Heading, Items, Notes, Place, Sentence
from ..words import between, count_of, effect, in_sentence, level, listed, number, percent
from .any_result import document, label_of, plain_document

_PARTS = ("hard", "soft", "certain", "uncertain")
_MATRICES_CAPTION: Final = "Four ways to count: rows are actual classes, columns predicted ones."
_CURVE_CAPTIONS: Final = {
    kind: f"How close rows come to being certain of their class, the least certain first; {what} count the same."
    for kind, what in (("mcp", "rows"), ("imcp", "classes"))
}


@document.register
def _(result: Overview) -> Document:
    several = len(result.models) > 1
    title = f"{len(result.models)} models side by side" if several else _ratio_words(next(iter(result.ratios.values())))
    if result.comparison is not None:
        title = _surer_words(result.comparison)
    cite = f"{title}." if several else _meanings(result)[0]
    return Document(f"Certainty of {listed(list(result.models))}", title, blocks=list(_blocks(result)), cite=cite)


@document.register
def _(result: CertaintyRatio) -> Document:
    return plain_document(result, _ratio_words(result))


@document.register
def _(result: Abstention) -> Document:
    blocks = [Sentence(words) for words in _abstention_words(result)]
    chart = Chart("abstention", _KEPT_CAPTION)
    return Document("Abstention", _kept_title(result), blocks=[*blocks, chart, _kept_grid(result), Notes(result.notes)])


@document.register
def _(result: Calibration) -> Document:
    chart = Chart("calibration", _SAID_CAPTION)
    blocks = [Sentence(_calibration_words(result)), chart, _bin_grid(result), Notes(result.notes)]
    return Document("Calibration", _error_words(result), blocks=blocks)


@document.register
def _(result: CertaintyComparison) -> Document:
    blocks = [Sentence(f"{_surer_words(result)}.", strong=True, place="terminal"), *_comparison_blocks(result)]
    return Document("Two models on the same cases", _surer_words(result), blocks=[*blocks, Notes(result.notes)])


@document.register
def _(result: Decomposition) -> Document:
    title = f"{percent(result.weight_certain)} of the probability lies on predicted classes"
    return _with_chart(plain_document(result, title), Chart("matrices", _MATRICES_CAPTION))


@document.register
def _(result: Curve) -> Document:
    answer = plain_document(result, f"The area under the {result.kind.upper()} curve is {number(result.area)}")
    return _with_chart(answer, Chart(result.kind, _CURVE_CAPTIONS[result.kind]))


@document.register
def _(result: Resampled) -> Document:
    what = "certainty ratio" if result.share_above is None else "difference of the certainty ratios"
    value = f"The {what} of {label_of(result.metric)} is {number(result.value)}"
    return plain_document(result, f"{value}, {level(result.level)} interval {between(result.low, result.high)}")


def _with_chart(answer: Document, chart: Chart) -> Document:
    return replace(answer, blocks=[chart, *answer.blocks])


def _ratio_words(ratio: CertaintyRatio) -> str:
    if ratio.value is None:
        return ": ".join([f"The certainty ratio of {ratio.label} is undefined", *ratio.reasons[:1]])
    return f"The certainty ratio of {ratio.label} is {number(ratio.value)}"


def _blocks(result: Overview) -> Iterator[Block]:
    several = len(result.models) > 1
    yield Items([_model_line(result, name, named=several) for name in result.models], place="page")
    if not several:
        yield Sentence(_meanings(result)[0], place="page")
    if result.comparison is not None:
        yield Sentence(f"{_surer_words(result.comparison)}.", strong=True, place="terminal")
        yield from _comparison_blocks(result.comparison)
    yield Chart("certainty", "Each metric on the certain and on the uncertain part of the predictions.")
    for (name, model), meaning in zip(result.models.items(), _meanings(result), strict=True):
        yield Heading(name, place="everywhere" if several else "page")
        yield _ratio_grid(result, name)
        yield Sentence(_mass_line(model), quiet=True)
        yield Sentence(meaning, place="everywhere" if several else "terminal")
        yield from _beside(result, name)
        yield Chart("matrices", _MATRICES_CAPTION, of=name)
    if result.abstention:
        yield Heading("When the least certain cases are left out", place="page")
        yield Chart("abstention", _KEPT_CAPTION)
        yield Heading("Whether the probabilities come true", place="page")
        yield Chart("calibration", _SAID_CAPTION)
    if result.curves:
        yield Heading("Curves", place="page")
        yield Chart("mcp", _CURVE_CAPTIONS["mcp"])
        yield Chart("imcp", "The same, with classes counting the same.")
    yield Notes(result.notes)


def _meanings(result: Overview) -> list[str]:
    """Say of each model what the ratio of the first metric means."""
    return [meaning(result.ratios[name, None, result.metrics[0]]) for name in result.models]


def meaning(ratio: CertaintyRatio) -> str:
    """Say what a certainty ratio means here, and what it does not.

    Examples
    --------
    >>> from fourfold.certainty import decompose
    >>> words = meaning(decompose(["a", "b", "b"], [[0.75, 0.25], [0.5, 0.5], [0.25, 0.75]]).ratio("accuracy"))
    >>> print(words.partition("; ")[0])
    Accuracy is 0.7500 on the probability of predicted classes and 0.5000 on the rest
    >>> print(words.partition("; ")[2].partition(". ")[0])
    the certainty ratio is 0.7500 / (0.7500 + 0.5000) = 0.6000 (1: the rest scores 0; 0.5: it scores the same)
    """
    not_said = (
        "It does not say that the model is right when it is sure (see calibration), nor how sure it is: "
        f"{percent(ratio.weight_certain)} of its probability lies on predicted classes."
    )
    certain, uncertain = number(ratio.certain), number(ratio.uncertain)
    if ratio.value is None or ratio.certain is None or ratio.uncertain is None:
        value = "is undefined" if ratio.value is None else f"is {number(ratio.value)}, an undefined score counted as 0"
        why = next(iter(ratio.reasons), "")
        if not ratio.weight_uncertain:
            why = "all of the probability lies on predicted classes, so there is no rest to hold it against"
        elif ratio.certain is not None and ratio.uncertain is not None:
            why = f"the scores of both parts, {certain} and {uncertain}, cancel"
        return f"The certainty ratio of {in_sentence(ratio.label)} {value}: {why}. {not_said}"
    ends = "1: the rest scores 0; 0.5: it scores the same"
    if min(ratio.certain, ratio.uncertain) < 0:
        ends = "no share, for a score is negative"
    parts = f"{ratio.label} is {certain} on the probability of predicted classes and {uncertain} on the rest"
    whole = f"{certain} / ({certain} + {uncertain if ratio.uncertain >= 0 else f'({uncertain})'})"
    return f"{parts}; the certainty ratio is {whole} = {number(ratio.value)} ({ends}). {not_said}"


_KEPT_CAPTION: Final = "The score of the cases that are kept when the least certain are left out, with its intervals."
_SAID_CAPTION: Final = "What the model says against how often it comes true; on the line it is calibrated."
# Of how many cases a table of what is kept tells, as shares.
_SHARES: Final = (1.0, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.25)


def _beside(result: Overview, name: str) -> Iterator[Block]:
    """Yield calibration and abstention of a model."""
    if name not in result.calibration:
        return
    kept = result.abstention[name]
    yield Sentence(_calibration_words(result.calibration[name]))
    for words in _abstention_words(kept):
        yield Sentence(words)
    yield _kept_grid(kept, place="everywhere" if kept.want is not None else "page")


def _error_words(result: Calibration) -> str:
    ends = between(result.low, result.high)
    return f"The expected calibration error is {number(result.error)}, {level(result.level)} interval {ends}"


def _calibration_words(result: Calibration) -> str:
    """Tell how far stated probabilities lie from what comes true, and whether chance alone would show as much."""
    what = "is right in" if result.of is None else f"{result.of} comes true in"
    verdict = "no miscalibration is shown"
    if result.p_value <= 1 - result.level:
        verdict = "too sure" if result.said > result.share else "not sure enough"
        if abs(result.said - result.share) < result.error / 2:
            verdict = "too sure in some places, not sure enough in others"
    words = (
        f"Calibration: it says {number(result.said)} on average and {what} {number(result.share)} of cases: {verdict}"
    )
    kind = "of equal size" if result.spacing == "mass" else "of equal width"
    bins = f"{count_of(len(result.bins), 'bin')} {kind}" if len(result.bins) > 1 else "one bin"
    return f"{words}. {_error_words(result)} ({bins}; chance alone would show {number(result.by_chance)})."


def _bin_grid(result: Calibration) -> Grid:
    columns = [Column("from"), Column("to"), Column("cases", "count"), Column("said"), Column("came true", "count")]
    columns += [Column("share"), Column(f"{level(result.level)} interval", "interval")]
    rows = [
        [part.low, part.high, part.n, part.said, part.true, part.share, (part.share_low, part.share_high)]
        for part in result.bins
    ]
    return Grid("What was said, and how often it came true", columns, rows)


def _at(point: Kept, label: str, certainty: float) -> str:
    """Say how many cases are kept and how they score."""
    score = f"{in_sentence(label)} {number(point.value)} ({level(certainty)} interval {between(point.low, point.high)})"
    return f"the {percent(point.share)} of cases that are at least {number(point.threshold)} certain: {score}"


def _kept_title(result: Abstention) -> str:
    last, label = result.points[-1], in_sentence(result.label)
    if result.want is None:
        half = next((point for point in reversed(result.points) if point.share <= 0.5), result.points[0])
        return (
            f"Keeping the surest {percent(half.share)} of cases, {label} is {number(half.value)} "
            f"({number(last.value)} overall)"
        )
    if result.chosen is None:
        return f"No threshold reaches {label} {number(result.want)}"
    return f"{percent(result.chosen.share)} of cases can be kept for {label} {number(result.want)}"


def _abstention_words(result: Abstention) -> Iterator[str]:
    """Say what is left when the least certain are left out, and how far that can be trusted."""
    label = in_sentence(result.label)
    if result.want is None:
        yield f"Abstention: {_kept_title(result)[0].lower()}{_kept_title(result)[1:]}."
        return
    wanted = f"{label} {number(result.want)}"
    if result.chosen is None:
        known = [point for point in result.points if point.value is not None]
        best = max(known, key=lambda point: point.value or 0.0, default=None)
        reached = "" if best is None else f"; the highest is {number(best.value)}, of {count_of(best.kept, 'case')}"
        yield f"Abstention: no threshold reaches {wanted}{reached}."
        return
    yield f"Abstention: for {wanted}, keep {_at(result.chosen, result.label, result.level)}."
    again, sure = result.again, result.sure
    yield (
        f"For the interval to reach {number(result.want)} too, keep {_at(sure, result.label, result.level)}."
        if sure is not None
        else f"No threshold has an interval that reaches {number(result.want)}: the cases are too few to be sure of it."
    )
    if again is not None and again.value is not None:
        thresholds, shares = between(again.threshold_low, again.threshold_high), (again.share_low, again.share_high)
        yield (
            f"The threshold was chosen on the same cases. Chosen on {again.draws} resamples and tried on the cases "
            f"that were not drawn, it lay from {thresholds}, kept {between(*shares)} of them, and gave "
            f"{number(again.value)}."
        )


def _kept_grid(result: Abstention, place: Place = "everywhere") -> Grid:
    """Return the score at some shares, and at the thresholds that were chosen."""
    places = {max((i for i, p in enumerate(result.points) if p.share <= share), default=0) for share in _SHARES}
    points = {result.points[i].kept: result.points[i] for i in places}
    points |= {point.kept: point for point in (result.chosen, result.sure) if point is not None}
    columns = [Column("kept", "text"), Column("cases", "count"), Column("least certainty"), Column(result.label)]
    columns.append(Column(f"{level(result.level)} interval", "interval"))
    rows = [
        [
            Cell(percent(point.share), marked=point in (result.chosen, result.sure)),
            point.kept,
            point.threshold,
            point.value,
            (point.low, point.high),
        ]
        for _, point in sorted(points.items(), reverse=True)
    ]
    return Grid(f"{result.label} when the least certain cases are left out", columns, rows, place=place)


def _surer_words(result: CertaintyComparison) -> str:
    """Say which of two models is surer, and by how much."""
    ends = (result.difference, result.low, result.high)
    if result.surer == result.second:
        ends = (-result.difference, -result.high, -result.low)
    off = f"difference {effect(*ends)}"
    one, other = number(result.certain_first), number(result.certain_second)
    if result.surer is None:
        words = f"Neither {result.first} nor {result.second} is shown to be surer"
        return f"{words}: {one} and {other} of their probability lies on what they predict, {off}"
    larger, smaller = (one, other) if result.surer == result.first else (other, one)
    rest = result.second if result.surer == result.first else result.first
    lies = f"{larger} against {smaller} of the probability lies on what is predicted"
    return f"{result.surer} is surer than {rest}: {lies}, {off}"


def _comparison_blocks(result: CertaintyComparison) -> Iterator[Block]:
    columns = [Column("certainty ratio of", "text"), Column(f"difference ({level(result.level)} interval)", "effect")]
    columns.append(Column("note", "words"))
    rows = [[label_of(ratio.metric), (ratio.value, ratio.low, ratio.high), _why_none(ratio)] for ratio in result.ratios]
    yield Heading("Both models on the same cases", place="page")
    yield Grid(f"Certainty ratios: {result.first} minus {result.second}", columns, rows)
    how = f"{count_of(result.rows_read, 'case')}; {result.draws} resamples, the same for both: an approximation"
    yield Sentence(f"Differences are {result.first} minus {result.second}. {how}.", quiet=True)


def _why_none(ratio: Resampled) -> str:
    undefined = [note.text for note in ratio.notes if note.code in ("score_undefined", "undefined_mass")]
    return "; ".join(undefined)


def _model_line(result: Overview, name: str, *, named: bool) -> str:
    """Say what each certainty ratio of a model is, and how much probability lies on what it predicts."""
    ratios = [ratio for (model, part, _), ratio in result.ratios.items() if model == name and part is None]
    values = listed([f"{ratio.label} {number(ratio.value)}" for ratio in ratios])
    certain = percent(result.models[name].weight_certain)
    lead = f"{name}: certainty" if named else "Certainty"
    return f"{lead} ratio of {values}; {certain} of the probability lies on predicted classes"


def _ratio_grid(result: Overview, name: str) -> Grid:
    several = bool(result.models[name].parts)
    last = list(result.models[name].named_parts())[-1] if several else None
    part_column = [Column("part", "text")] if several else []
    numbers = [Column(part) for part in _PARTS]
    columns = [Column("metric", "text"), *part_column, *numbers, Column("certainty ratio"), Column("note", "words")]
    rows: list[list[Any]] = []
    for (model, part, _), ratio in result.ratios.items():
        if model != name:
            continue
        shown_part = ["(all)" if part is None else part] if several else []
        values = [getattr(ratio, kind) for kind in _PARTS]
        value = Cell(ratio.value, marked=ratio.value is not None)
        rows.append([ratio.label, *shown_part, *values, value, "; ".join(ratio.reasons)])
        if several and part == last:
            rows.append([ratio.label, *_mean_row(result, name, ratio.metric)])
    return Grid(f"Scores of {name}", columns, rows)


def _mean_row(result: Overview, name: str, metric_name: str) -> list[Any]:
    """Return the means over the parts, which need not be the pooled numbers."""
    whole = result.models[name]
    means = [whole.over_parts(metric_name, convention=result.convention, of=part) for part in (*_PARTS, "value")]
    left = means[-1].undefined
    words = f"without {count_of(left, 'undefined part')}" if left else ""
    return ["mean", *(mean.mean for mean in means), words]


def _mass_line(model: Decomposition) -> str:
    certain, uncertain = number(model.weight_certain), number(1 - model.weight_certain)
    most = model.largest_divergence
    mass = f"{model.rows_read} rows   probability certain {certain}, uncertain {uncertain}"
    divergence = f"divergence {number(model.divergence)}" + (f" (at most {number(most)})" if most else "")
    return f"{mass}   {divergence}   rows tied at the top: {model.tied}"
