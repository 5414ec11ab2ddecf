"""The catalogue: every metric written once, and the look-up by any of its names.

No other module names a metric. What can be derived from a formula (guards, families, text, the metric of the negative
class, averages over classes, contrasts between groups) is not declared here.
"""

from __future__ import annotations

import operator
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias, cast

from ..errors import InputError, Notes, suggestion
from ..formula import CELLS, Formula, Quantity, cells, conditions, reasons, sqrt, total_of
from ..shape import Record, Result, joined
from ..surd import Exact
from ..table import Table

Average: TypeAlias = Literal["macro", "micro", "weighted"]
How: TypeAlias = Literal["difference", "ratio"]
Better: TypeAlias = Literal["higher", "lower", "neither"]
MetricId: TypeAlias = Annotated[str, "The metric's id."]

AVERAGES: Final[tuple[Average, ...]] = ("macro", "micro", "weighted")
HIGHER: Final = "higher"
LOWER: Final = "lower"
NEITHER: Final = "neither"

TP, FN, FP, TN = cells()
POSITIVES, NEGATIVES = TP + FN, FP + TN
PREDICTED_POSITIVES, PREDICTED_NEGATIVES = TP + FP, FN + TN
TOTAL = total_of((TP, FN, FP, TN))

_CORRECT, _ALL, _CHANCE = Quantity("correct"), Quantity("total"), Quantity("chance")
_CHANCE_WRONG = Quantity("chance_wrong")
_SPLIT_ACTUAL, _SPLIT_PREDICTED = Quantity("split_actual"), Quantity("split_predicted")

_RECALL, _SPECIFICITY = TP / (TP + FN), TN / (TN + FP)
_PRECISION, _NPV = TP / (TP + FP), TN / (TN + FN)
_FPR, _FNR = FP / (FP + TN), FN / (FN + TP)
_DETERMINANT = TP * TN - FP * FN

#: The cells with the classes exchanged: what was negative is positive.
SWAPPED: Final[Mapping[str, Formula]] = MappingProxyType({"tp": TN, "fn": FP, "fp": FN, "tn": TP})
_POOLED: Final = MappingProxyType({"tp": TP + TN, "fn": FN + FP, "fp": FP + FN, "tn": TN + TP})


def _exact(number: Fraction | None) -> str | None:
    return None if number is None else str(number)


def _spaced(names: tuple[str, ...]) -> str:
    return " ".join(names)


class Limits(NamedTuple):
    """A metric's smallest value and its largest, None where it has no largest."""

    low: Annotated[Fraction, "The smallest value, exact.", str]
    high: Annotated[Fraction | None, "The largest value, exact; null where there is none.", _exact]
    low_open: Annotated[bool, "Whether the smallest value is never reached."] = False

    def __str__(self) -> str:
        low = f"({self.low}" if self.low_open else f"[{self.low}"
        return f"{low}, ∞)" if self.high is None else f"{low}, {self.high}]"


_RATE: Final = Limits(Fraction(0), Fraction(1))
_SIGNED: Final = Limits(Fraction(-1), Fraction(1))
_UNBOUNDED: Final = Limits(Fraction(0), None)


class Averaged(NamedTuple):
    """An average over one class against the rest."""

    average: Average
    base: Metric


Aliases: TypeAlias = Annotated[tuple[str, ...], "Every other name, with blanks between them.", _spaced]
Words: TypeAlias = Annotated[tuple[str, ...], "In words, where it is undefined; empty where it never is.", joined]


@dataclass(frozen=True, kw_only=True)
class Metric(
    Record,
    members="id label aliases formula latex low=limits.low low_open=limits.low_open high=limits.high better "
    "undefined_where says",
):
    """A score of one table, as a formula.

    `over_classes` is its form for a k-by-k matrix where it has one: a formula over the matrix's sums, or an average of
    a metric of one class against the rest.

    Examples
    --------
    >>> recall = metric("sensitivity")
    >>> recall.id, recall.formula.text()
    ('recall', 'tp / (tp + fn)')
    >>> recall.negative().id
    'specificity'
    """

    id: MetricId
    label: Annotated[str, "Its name for readers."]
    formula: Annotated[Formula, "The formula as plain text; of several, with semicolons between them.", Formula.text]
    says: Annotated[str, "What it tells, in one sentence."]
    aliases: Aliases = ()
    better: Annotated[Better, "Whether higher or lower is better, or neither."] = HIGHER
    limits: Limits = _RATE
    over_classes: Formula | Averaged | None = None

    @property
    def latex(self) -> str:
        """The formula for LaTeX's maths mode."""
        return self.formula.latex()

    @property
    def undefined_where(self) -> Words:
        """In words, where it is undefined."""
        return conditions(self.formula, WORDS)

    def why_undefined(self, table: Table) -> tuple[str, ...]:
        """Return in words why it is undefined at a table; empty where it is defined."""
        return reasons(self.formula, table.cells(), WORDS)

    def negative(self) -> Metric:
        """Return the same metric with the classes exchanged.

        Examples
        --------
        >>> metric("f1").negative().formula.text()
        '2 * tn / (2 * tn + fp + fn)'
        """
        formula = self.formula.substitute(SWAPPED)
        if formula in _BY_FORMULA:
            return _BY_FORMULA[formula]
        return replace(
            self,
            id=f"{self.id}_negative",
            label=f"{self.label} of the negative class",
            aliases=(),
            formula=formula,
            says=f"{self.says.rstrip('.')}; positive and negative class exchanged.",
            over_classes=None,
        )

    def averaged(self, average: Average) -> Metric:
        """Return its average over the two classes, as a metric of one table.

        Examples
        --------
        >>> metric("recall").averaged("macro").formula.text()
        '(tp / (tp + fn) + tn / (tn + fp)) / 2'
        """
        other = self.formula.substitute(SWAPPED)
        formulas: dict[Average, Formula] = {
            "macro": (self.formula + other) / 2,
            "micro": self.formula.substitute(_POOLED),
            "weighted": (POSITIVES * self.formula + NEGATIVES * other) / TOTAL,
        }
        return replace(
            self,
            id=f"{average}_{self.id}",
            label=f"{self.label}, {average} average",
            aliases=(),
            formula=formulas[average],
            says=f"{self.says.rstrip('.')}; {average} average over the classes.",
            over_classes=Averaged(average, self),
        )


@dataclass(frozen=True, kw_only=True)
class Contrast(Record, members="id label aliases formula latex undefined_where says"):
    """A measure of two groups: the difference or ratio of a metric, or the largest of several in size.

    In its formulas the cells of the group carry a 1, those of the reference a 2.

    Examples
    --------
    >>> contrast("recall_difference").parts[0].text()
    'tp_1 / (tp_1 + fn_1) - tp_2 / (tp_2 + fn_2)'
    """

    id: MetricId
    label: Annotated[str, "Its name for readers."]
    how: How
    bases: tuple[Metric, ...]
    says: Annotated[str, "What it tells, in one sentence."]
    aliases: Aliases = ()

    @cached_property
    def parts(self) -> tuple[Formula, ...]:
        """The formula of each difference or ratio."""
        join = operator.sub if self.how == "difference" else operator.truediv
        return tuple(join(_in_group(base.formula, 1), _in_group(base.formula, 2)) for base in self.bases)

    @property
    def formula(self) -> str:
        """The formula as plain text; of several, with semicolons between them."""
        return joined(part.text() for part in self.parts)

    @property
    def latex(self) -> str:
        """The formula for LaTeX's maths mode."""
        return joined(part.latex() for part in self.parts)

    @property
    def undefined_where(self) -> Words:
        """In words, where it is undefined."""
        return tuple(dict.fromkeys(words for part in self.parts for words in conditions(part, WORDS)))

    def value(self, group: Table, reference: Table) -> Exact | None:
        """Return its exact value, or None where it is undefined."""
        found = [part.exact(_two_groups(group, reference)) for part in self.parts]
        defined = [value for value in found if value is not None]
        if len(defined) < len(found):
            return None
        return defined[0] if len(defined) == 1 else max(max(value, -value) for value in defined)

    def why_undefined(self, group: Table, reference: Table) -> tuple[str, ...]:
        """Return in words why it is undefined for two groups; empty where it is defined."""
        both = _two_groups(group, reference)
        return tuple(dict.fromkeys(words for part in self.parts for words in reasons(part, both, WORDS)))


def _two_groups(group: Table, reference: Table) -> dict[str, int]:
    return {f"{name}_{i}": n for i, table in ((1, group), (2, reference)) for name, n in table.cells().items()}


def _in_group(formula: Formula, number: int) -> Formula:
    return formula.substitute({name: Quantity(f"{name}_{number}") for name in CELLS})


def f_beta(beta: Fraction | int | str) -> Metric:
    """Return the F-beta score for a rational beta: recall counts beta times as much as precision.

    Examples
    --------
    >>> f_beta("0.5").formula.text()
    '(5/4) * tp / ((5/4) * tp + (1/4) * fn + fp)'
    >>> f_beta(2).id
    'f2'
    """
    try:
        weight = Fraction(str(beta))
    except (ValueError, ZeroDivisionError):
        weight = Fraction(-1)
    if weight <= 0 or len(str(beta)) > 20:
        raise InputError("bad_metric", "beta", "must be a positive number", beta, "try f2 or f0.5")
    square = weight * weight
    hits = (1 + square) * TP
    misses = FN if square == 1 else square * FN
    name = _shortest(weight)
    return Metric(
        id=f"f{name}",
        label=f"F{name} score",
        aliases=(f"f_{name}", f"f{name}_score", f"f_{name}_score", f"f{name}_measure", f"fb{name}"),
        formula=hits / (hits + misses + FP),
        says=f"Harmonic mean of precision and recall, recall weighted {name} to 1.",
    )


def _shortest(x: Fraction) -> str:
    """Write a rational as a decimal where that is exact, else as a fraction."""
    decimal = f"{float(x):.17g}"
    shorter = f"{float(x):.15g}"
    return next((text for text in (shorter, decimal) if Fraction(text) == x), str(x))


def _catalogue() -> Iterator[Metric]:
    yield from _binomial()
    yield from _joint_ratios()
    yield from _f_scores()
    yield from _agreement()
    yield from _means()
    yield from _diagnostic()
    yield from _errors()


def _binomial() -> Iterator[Metric]:
    """Yield the six of Briscoe et al. (2025), Table 3: two cells over the total."""
    yield Metric(
        id="accuracy",
        label="Accuracy",
        aliases=("acc", "accuracy_score", "correct_rate", "overall_accuracy", "rand_accuracy"),
        formula=(TP + TN) / TOTAL,
        says="Share of predictions that are right.",
        over_classes=_CORRECT / _ALL,
    )
    yield Metric(
        id="inaccuracy",
        label="Inaccuracy",
        aliases=("inacc", "error_rate", "misclassification_rate", "err", "zero_one_loss"),
        formula=(FP + FN) / TOTAL,
        says="Share of predictions that are wrong.",
        better=LOWER,
        over_classes=(_ALL - _CORRECT) / _ALL,
    )
    yield Metric(
        id="prevalence",
        label="Prevalence",
        aliases=("prev", "base_rate"),
        formula=POSITIVES / TOTAL,
        says="Share of cases that are actual positives.",
        better=NEITHER,
    )
    yield Metric(
        id="negative_prevalence",
        label="Negative prevalence",
        aliases=("nprev", "complement_of_prevalence"),
        formula=NEGATIVES / TOTAL,
        says="Share of cases that are actual negatives.",
        better=NEITHER,
    )
    yield Metric(
        id="predicted_positive_rate",
        label="Predicted positive rate",
        aliases=("ppr", "selection_rate", "predicted_positives_rate", "acceptance_rate"),
        formula=PREDICTED_POSITIVES / TOTAL,
        says="Share of cases predicted positive.",
        better=NEITHER,
    )
    yield Metric(
        id="predicted_negative_rate",
        label="Predicted negative rate",
        aliases=("pnr", "predicted_negatives_rate", "rejection_rate"),
        formula=PREDICTED_NEGATIVES / TOTAL,
        says="Share of cases predicted negative.",
        better=NEITHER,
    )


def _joint_ratios() -> Iterator[Metric]:
    """Yield the eight of Briscoe et al. (2025), Table 4: a cell over itself and one more."""
    yield _recall()
    yield Metric(
        id="specificity",
        label="Specificity",
        aliases=("tnr", "spec", "true_negative_rate", "selectivity", "negative_recall"),
        formula=TN / (TN + FP),
        says="Share of actual negatives predicted negative.",
    )
    yield Metric(
        id="false_positive_rate",
        label="False positive rate",
        aliases=("fpr", "fall_out", "fallout", "false_alarm_rate", "type_i_error_rate", "pofd"),
        formula=FP / (FP + TN),
        says="Share of actual negatives predicted positive.",
        better=LOWER,
    )
    yield Metric(
        id="false_negative_rate",
        label="False negative rate",
        aliases=("fnr", "miss_rate", "type_ii_error_rate"),
        formula=FN / (FN + TP),
        says="Share of actual positives predicted negative.",
        better=LOWER,
    )
    yield Metric(
        id="precision",
        label="Precision",
        aliases=("ppv", "positive_predictive_value", "prec", "precision_score"),
        formula=TP / (TP + FP),
        says="Share of predicted positives that are actual positives.",
    )
    yield Metric(
        id="negative_predictive_value",
        label="Negative predictive value",
        aliases=("npv", "negative_precision"),
        formula=TN / (TN + FN),
        says="Share of predicted negatives that are actual negatives.",
    )
    yield Metric(
        id="false_discovery_rate",
        label="False discovery rate",
        aliases=("fdr", "false_alarm_ratio"),
        formula=FP / (FP + TP),
        says="Share of predicted positives that are actual negatives.",
        better=LOWER,
    )
    yield Metric(
        id="false_omission_rate",
        label="False omission rate",
        aliases=("for", "false_reassurance_rate"),
        formula=FN / (FN + TN),
        says="Share of predicted negatives that are actual positives.",
        better=LOWER,
    )


def _recall() -> Metric:
    return Metric(
        id="recall",
        label="Recall",
        aliases=(
            "tpr",
            "sensitivity",
            "sens",
            "recall_score",
            "hit_rate",
            "true_positive_rate",
            "detection_rate",
            "completeness",
            "power",
            "pod",
        ),
        formula=TP / (TP + FN),
        says="Share of actual positives predicted positive.",
    )


def _f_scores() -> Iterator[Metric]:
    """Yield the ways to write F1: two of Briscoe et al.'s Table 5, and the negative class."""
    dice = f_beta(1)
    yield replace(
        dice,
        label="F1 score",
        aliases=(*dice.aliases, "f_score", "f_measure", "dice", "dice_coefficient", "sorensen_dice", "dsc", "f1p"),
        says="Harmonic mean of precision and recall, written so that it is 0 where neither hits.",
    )
    yield replace(
        dice,
        id="f1_negative",
        label="F1 score of the negative class",
        aliases=("f1n", "negative_f1", "f1_minus"),
        formula=dice.formula.substitute(SWAPPED),
        says="The F1 score with the classes exchanged.",
    )
    yield Metric(
        id="f1_harmonic",
        label="F1 score as a harmonic mean",
        aliases=("f1_original", "original_f1"),
        formula=2 / ((TP + FP) / TP + (TP + FN) / TP),
        limits=Limits(Fraction(0), Fraction(1), low_open=True),
        says="The F1 score as 2 over the sum of inverse precision and inverse recall: undefined where one of them is.",
    )


def _agreement() -> Iterator[Metric]:
    """Yield what sums up how well truth and prediction agree."""
    yield Metric(
        id="mcc",
        label="Matthews correlation coefficient",
        aliases=("matthews", "matthews_corrcoef", "phi", "phi_coefficient", "φ", "r_phi"),
        formula=_DETERMINANT / sqrt((TP + FP) * (TP + FN) * (TN + FP) * (TN + FN)),
        says="Correlation between truth and prediction.",
        limits=_SIGNED,
        over_classes=(_ALL * _CORRECT - _CHANCE) / sqrt(_SPLIT_ACTUAL * _SPLIT_PREDICTED),
    )
    yield Metric(
        id="kappa",
        label="Cohen's kappa",
        aliases=("cohens_kappa", "cohen_kappa", "cohen_kappa_score", "κ", "heidke_skill_score", "hss"),
        formula=2 * _DETERMINANT / ((TP + FP) * (FP + TN) + (TP + FN) * (FN + TN)),
        says="Agreement beyond what the margins alone would give.",
        limits=_SIGNED,
        over_classes=(_ALL * _CORRECT - _CHANCE) / _CHANCE_WRONG,
    )
    yield Metric(
        id="balanced_accuracy",
        label="Balanced accuracy",
        aliases=("bacc", "ba", "bal_acc", "balanced_acc", "balanced_accuracy_score"),
        formula=(_RECALL + _SPECIFICITY) / 2,
        says="Mean of recall and specificity.",
        over_classes=Averaged("macro", _recall()),
    )
    yield Metric(
        id="informedness",
        label="Informedness",
        aliases=("bookmaker_informedness", "bm", "youden", "youdens_j", "youden_index", "peirce_skill_score", "tss"),
        formula=_RECALL + _SPECIFICITY - 1,
        says="Recall plus specificity minus 1: how much better than guessing the predictions know the truth.",
        limits=_SIGNED,
    )
    yield Metric(
        id="markedness",
        label="Markedness",
        aliases=("mk", "delta_p"),
        formula=_PRECISION + _NPV - 1,
        says="Precision plus negative predictive value minus 1: how much the truth marks the predictions.",
        limits=_SIGNED,
    )


def _means() -> Iterator[Metric]:
    """Yield means of rates, and shares of what is positive."""
    yield Metric(
        id="g_mean",
        label="G-mean",
        aliases=("gm", "gmean", "geometric_mean"),
        formula=sqrt(_RECALL * _SPECIFICITY),
        says="Geometric mean of recall and specificity.",
    )
    yield Metric(
        id="fowlkes_mallows",
        label="Fowlkes-Mallows index",
        aliases=("fm", "fmi", "fowlkes_mallows_index"),
        formula=sqrt(_PRECISION * _RECALL),
        says="Geometric mean of precision and recall.",
    )
    yield Metric(
        id="jaccard",
        label="Jaccard index",
        aliases=("iou", "critical_success_index", "csi", "threat_score", "ts", "tanimoto", "jaccard_score", "ji"),
        formula=TP / (TP + FN + FP),
        says="Share of true positives among all that are positive, actual or predicted.",
    )
    yield Metric(
        id="p4",
        label="P4",
        aliases=("upm", "p4_metric", "unified_performance_measure"),
        formula=4 * TP * TN / (4 * TP * TN + (TP + TN) * (FP + FN)),
        says="Harmonic mean of precision, recall, specificity and negative predictive value.",
    )


def _diagnostic() -> Iterator[Metric]:
    """Yield ratios and thresholds of diagnostic tests."""
    yield Metric(
        id="positive_likelihood_ratio",
        label="Positive likelihood ratio",
        aliases=("lr+", "plr", "lrp", "lr_positive"),
        formula=_RECALL / _FPR,
        says="How many times as likely a positive prediction is for an actual positive as for an actual negative.",
        limits=_UNBOUNDED,
    )
    yield Metric(
        id="negative_likelihood_ratio",
        label="Negative likelihood ratio",
        aliases=("lr-", "nlr", "lrn", "lr_negative"),
        formula=_FNR / _SPECIFICITY,
        says="How many times as likely a negative prediction is for an actual positive as for an actual negative.",
        better=LOWER,
        limits=_UNBOUNDED,
    )
    yield Metric(
        id="diagnostic_odds_ratio",
        label="Diagnostic odds ratio",
        aliases=("dor", "odds_ratio"),
        formula=TP * TN / (FP * FN),
        says="Odds of a positive prediction for actual positives over those for actual negatives.",
        limits=_UNBOUNDED,
    )
    yield Metric(
        id="prevalence_threshold",
        label="Prevalence threshold",
        aliases=("pt",),
        formula=(sqrt(_RECALL * _FPR) - _FPR) / (_RECALL - _FPR),
        says="Prevalence below which a positive prediction quickly loses its predictive value.",
        better=LOWER,
    )
    yield Metric(
        id="prevalence_threshold_simplified",
        label="Prevalence threshold, simplified",
        aliases=("pt_simplified", "pt_s"),
        formula=sqrt(_FPR) / (sqrt(_RECALL) + sqrt(_FPR)),
        says="The prevalence threshold in the form that stays defined where recall equals the false positive rate.",
        better=LOWER,
    )


def _errors() -> Iterator[Metric]:
    """Yield Briscoe et al.'s measures of how errors are spread."""
    yield Metric(
        id="marginal_benefit",
        label="Marginal benefit",
        aliases=("net_benefit_of_errors", "mb"),
        formula=(FP - FN) / TOTAL,
        says="Share of cases wrongly predicted positive minus the share wrongly predicted negative.",
        better=NEITHER,
        limits=_SIGNED,
    )
    yield Metric(
        id="treatment_ratio",
        label="Treatment ratio",
        aliases=("fn_fp_ratio",),
        formula=FN / FP,
        says="False negatives for each false positive.",
        better=NEITHER,
        limits=_UNBOUNDED,
    )


def _contrasts() -> Iterator[Contrast]:
    """Yield the named measures of two groups; the difference and ratio of any metric need no name."""
    base = METRICS
    yield Contrast(
        id="objective_fairness_index",
        label="Objective fairness index",
        aliases=("ofi",),
        how="difference",
        bases=(base["marginal_benefit"],),
        says="Difference of the groups' marginal benefits.",
    )
    yield Contrast(
        id="treatment_equality",
        label="Treatment equality",
        aliases=("te",),
        how="difference",
        bases=(base["treatment_ratio"],),
        says="Difference of the groups' false negatives for each false positive.",
    )
    yield Contrast(
        id="disparate_impact",
        label="Disparate impact",
        aliases=("di", "adverse_impact_ratio"),
        how="ratio",
        bases=(base["predicted_positive_rate"],),
        says="The group's predicted positive rate divided by the reference's; below 0.8 fails the four-fifths rule.",
    )
    yield Contrast(
        id="statistical_parity_difference",
        label="Statistical parity difference",
        aliases=("spd",),
        how="difference",
        bases=(base["predicted_positive_rate"],),
        says="Difference of the groups' predicted positive rates.",
    )
    yield Contrast(
        id="equal_opportunity_difference",
        label="Equal opportunity difference",
        aliases=("eod", "equal_opportunity"),
        how="difference",
        bases=(base["recall"],),
        says="Difference of the groups' recalls.",
    )
    yield Contrast(
        id="equalized_odds",
        label="Equalized odds difference",
        aliases=("equalized_odds_difference", "equalised_odds", "eodds"),
        how="difference",
        bases=(base["recall"], base["false_positive_rate"]),
        says="The larger of the groups' differences, in size, in recall and in false positive rate.",
    )


@lru_cache(maxsize=4096)
def _plain(name: str) -> str:
    """Bring a name to the form that names are compared in: ``F1-Score`` and ``f1_score`` are one."""
    text = unicodedata.normalize("NFKC", name).strip().casefold()
    text = re.sub(r"\+$", "_plus", re.sub(r"(?<=lr)[-−–]$", "_minus", text))
    return re.sub(r"[^\w./]+", "_", text.replace("'", "").replace("’", "")).strip("_.")


def _index(entries: Sequence[Any]) -> dict[str, Any]:
    """Return all entries by every name; the same name twice is a mistake in the catalogue."""
    index: dict[str, Any] = {}
    for entry in entries:
        for name in dict.fromkeys(map(_plain, (entry.id, entry.label, *entry.aliases))):
            if name in index:
                raise AssertionError(f"{name} names both {index[name].id} and {entry.id}")
            index[name] = entry
    return index


#: Every metric of one table by its id.
METRICS: Final[Mapping[str, Metric]] = MappingProxyType({metric.id: metric for metric in _catalogue()})
#: Every named measure of two groups by its id.
CONTRASTS: Final[Mapping[str, Contrast]] = MappingProxyType({contrast.id: contrast for contrast in _contrasts()})

# Metrics that code outside of the catalogue must name.
ACCURACY: Final = METRICS["accuracy"]
F1: Final = METRICS["f1"]
FALSE_NEGATIVE_RATE: Final = METRICS["false_negative_rate"]
FALSE_OMISSION_RATE: Final = METRICS["false_omission_rate"]
FALSE_POSITIVE_RATE: Final = METRICS["false_positive_rate"]
MARGINAL_BENEFIT: Final = METRICS["marginal_benefit"]
NEGATIVE_PREDICTIVE_VALUE: Final = METRICS["negative_predictive_value"]
PRECISION: Final = METRICS["precision"]
PREDICTED_POSITIVE_RATE: Final = METRICS["predicted_positive_rate"]
PREVALENCE: Final = METRICS["prevalence"]
PREVALENCE_THRESHOLD: Final = METRICS["prevalence_threshold"]
RECALL: Final = METRICS["recall"]

#: What an audit looks at where nothing is said.
AUDITED: Final = ("accuracy", "recall", "specificity", "precision")
#: What is split into certain and uncertain where nothing is said.
SPLIT: Final = ("accuracy", "macro_f1", "mcc")

_INDEX: Final[dict[str, Any]] = _index([*METRICS.values(), *CONTRASTS.values()])
_BY_FORMULA: Final[dict[Formula, Metric]] = {metric.formula: metric for metric in METRICS.values()}
#: Words for the formulas that may appear in a cause of undefinedness.
WORDS: Final[Mapping[Formula, str]] = MappingProxyType({f: metric.label.lower() for f, metric in _BY_FORMULA.items()})
_F_BETA: Final = re.compile(r"f(?:b|_?beta)?_?(\d{1,9}(?:\.\d{1,17}|/\d{1,9})?)(?:_(?:score|measure))?")
_NEGATIVE: Final = re.compile(r"(.+)_(?:negative|neg|of_the_negative_class|negative_class)")
_AVERAGED: Final = re.compile(rf"({'|'.join(AVERAGES)})_(?:(?:avg|averaged?)_)?(.+)")
_CONTRASTED: Final = re.compile(r"(.+)_(difference|ratio)")


def metric(name: str | Metric) -> Metric:
    """Return the metric with this id or alias.

    Besides the catalogue's names, ``f0.5`` is F-beta for any beta, ``f2_negative`` is a metric of the negative class,
    and ``macro_f1``, ``micro_f1`` and ``weighted_f1`` are averages over the two classes.

    Examples
    --------
    >>> metric("PPV").id
    'precision'
    >>> metric("precison")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    fourfold.errors.InputError: precison: unknown metric, got 'precison'. Hint: did you mean 'precision'? ...
    """
    found = find(name)
    if isinstance(found, Contrast):
        raise InputError("bad_metric", "metric", "compares two groups", name, "choose a score of one table")
    return found


def contrast(name: str | Contrast) -> Contrast:
    """Return the measure of two groups with this name; ``<metric>_difference`` and ``<metric>_ratio`` exist for all.

    Examples
    --------
    >>> contrast("ofi").says
    "Difference of the groups' marginal benefits."
    >>> contrast("mcc_difference").label
    'Matthews correlation coefficient, difference'
    """
    found = find(name)
    if isinstance(found, Metric):
        hint = f"try '{found.id}_difference' or '{found.id}_ratio'"
        raise InputError("bad_metric", "metric", "is a score of one group", name, hint)
    return found


def is_metric(name: str) -> bool:
    """Tell whether a name is that of a score of one table.

    Examples
    --------
    >>> is_metric("Sens."), is_metric("author"), is_metric("ofi")
    (True, False, False)
    """
    plain = _plain(name)
    return isinstance(_INDEX.get(plain) or _derived(plain), Metric)


def find(name: str | Metric | Contrast) -> Metric | Contrast:
    """Return the metric or contrast with this name.

    Examples
    --------
    >>> find("Youden's J").id, find("te").id
    ('informedness', 'treatment_equality')
    """
    if isinstance(name, Metric | Contrast):
        return name
    if not isinstance(name, str):
        raise InputError("unknown_metric", "metric", "must be a name", name, "`fourfold metrics` lists all")
    plain = _plain(name)
    found = _INDEX.get(plain) or _derived(plain)
    if found is None:
        if plain in ("f_beta", "fbeta", "fb"):
            raise InputError("bad_metric", name, "needs its beta", name, "write f2 or f0.5")
        hint = suggestion(plain, _INDEX, "`fourfold metrics` lists all")
        raise InputError("unknown_metric", name.strip() or "metric", "unknown metric", name, hint)
    return found


def _derived(name: str) -> Metric | Contrast | None:
    """Read names built from other names; None where there is no such name."""
    match = _CONTRASTED.fullmatch(name)
    found = _averaged_metric(name)
    if found or not match:
        return found
    base = _averaged_metric(match[1])
    return _contrasted(base, cast("How", match[2])) if base else None


def _averaged_metric(name: str) -> Metric | None:
    match = _AVERAGED.fullmatch(name)
    if not match:
        return _class_metric(name)
    base = _class_metric(match[2])
    return base.averaged(cast("Average", match[1])) if base else None


def _class_metric(name: str) -> Metric | None:
    match = _NEGATIVE.fullmatch(name)
    base = _plain_metric(match[1]) if match and name not in _INDEX else _plain_metric(name)
    return base.negative() if base and match and name not in _INDEX else base


def _plain_metric(name: str) -> Metric | None:
    if match := _F_BETA.fullmatch(name):
        found = f_beta(match[1])
        return _BY_FORMULA.get(found.formula, found)
    entry = _INDEX.get(name)
    return entry if isinstance(entry, Metric) else None


def _contrasted(base: Metric, how: How) -> Contrast:
    words = "minus" if how == "difference" else "divided by"
    return Contrast(
        id=f"{base.id}_{how}",
        label=f"{base.label}, {how}",
        how=how,
        bases=(base,),
        says=f"The group's {base.label.lower()} {words} the reference's.",
    )


@dataclass(frozen=True)
class Catalogue(Result, schema="metrics", source="`metrics`", members="metrics=entries notes"):
    """The catalogue: metrics and measures of two groups.

    Examples
    --------
    >>> Catalogue.all().rows()[0]["id"]
    'accuracy'
    """

    entries: Annotated[tuple[Metric | Contrast, ...], "Every metric and every named measure of two groups."]
    notes: Notes = ()

    @classmethod
    def all(cls) -> Catalogue:
        """Return everything that has a name of its own."""
        return cls((*METRICS.values(), *CONTRASTS.values()))

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record an entry."""
        return [entry.to_dict() for entry in self.entries]
