"""The catalogue: every metric written once, and the look-up by any of its names.

No other module names a metric. What can be derived from a formula (guards, families, text, the metric of the negative
class, averages over classes, contrasts between groups) is not declared here.
"""

from __future__ import annotations

import operator
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias, cast

from ..errors import InputError, Notes, suggestion
from ..exact import CELLS, Formula, Operation, Quantity, cells, conditions, reasons, sqrt, total_of
from ..exact.surd import Exact
from ..shape import Members, Record, Result, joined, named
from ..table import Table
from .convention import STRICT, Convention

Average: TypeAlias = Literal["macro", "micro", "weighted"]
How: TypeAlias = Literal["difference", "ratio"]
Better: TypeAlias = Literal["higher", "lower", "neither"]
MetricId: TypeAlias = Annotated[str, "The metric's id."]

AVERAGES: Final[tuple[Average, ...]] = ("macro", "micro", "weighted")

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

#: What one class adds to each sum of a matrix, in the cells of that class against the rest.
CLASS_SUMS: Final[Mapping[str, Formula]] = MappingProxyType(
    {
        "correct": TP,
        "total": POSITIVES,
        "chance": POSITIVES * PREDICTED_POSITIVES,
        "chance_wrong": POSITIVES * PREDICTED_NEGATIVES,
        "split_actual": POSITIVES * NEGATIVES,
        "split_predicted": PREDICTED_POSITIVES * PREDICTED_NEGATIVES,
    }
)

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

    def value(self, tables: Sequence[Mapping[str, int]], convention: Convention) -> Exact | None:
        """Return a macro or weighted average from the table of each class against the rest."""
        weighted = self.average == "weighted"
        return convention.mean(
            (self.base.formula.exact(table), table["tp"] + table["fn"] if weighted else 1) for table in tables
        )


Words: TypeAlias = Annotated[tuple[str, ...], "In words, where it is undefined; empty where it never is.", joined]


@dataclass(frozen=True, kw_only=True)
class _Entry(Record):
    """What every entry of the catalogue says; its name for readers is its id unless it has a label."""

    id: MetricId
    label: Annotated[str, "Its name for readers."] = ""
    says: Annotated[str, "What it tells, in one sentence."]
    aliases: Annotated[tuple[str, ...], "Every other name, separated by spaces.", _spaced] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "label", self.label or self.id.replace("_", " ").capitalize())


@dataclass(frozen=True, kw_only=True)
class Metric(_Entry):
    """A score of one table, as a formula.

    `hits` is what the cases are called that a share counts: recall is 2 *found* of 5. `over_classes` is its form for a
    k-by-k matrix where it has one: a formula over the matrix's sums, or an average of
    a metric of one class against the rest.

    Examples
    --------
    >>> recall = metric("sensitivity")
    >>> recall.id, recall.formula.text()
    ('recall', 'tp / (tp + fn)')
    >>> recall.negative().id
    'specificity'
    """

    formula: Annotated[Formula, "The formula as plain text; of several, with semicolons between them.", Formula.text]
    better: Annotated[Better, "Whether higher or lower is better, or neither."] = "higher"
    limits: Limits = _RATE
    hits: str = "hits"
    over_classes: Formula | Averaged | None = None

    def _members(self) -> Members:
        return (
            self.id, self.label, self.aliases, self.formula, self.latex, named("low", self.limits.low),
            named("low_open", self.limits.low_open), named("high", self.limits.high), self.better, self.undefined_where,
            self.says,
        )  # fmt: skip

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

    @cached_property
    def components(self) -> tuple[Formula, ...]:
        """For an average over two classes, the formula of each class, positive first; else its own."""
        mean = self.over_classes
        if isinstance(mean, Averaged) and mean.average != "micro":
            return mean.base.formula, mean.base.formula.substitute(SWAPPED)
        return (self.formula,)

    def value(self, table: Mapping[str, int], convention: Convention = STRICT) -> Exact | None:
        """Return its exact value at the four counts of a table; None where it is undefined.

        Examples
        --------
        >>> metric("macro_precision").value({"tp": 0, "fn": 5, "fp": 0, "tn": 15}, Convention(fill=Fraction(0)))
        Fraction(3, 8)
        """
        mean = self.over_classes
        if isinstance(mean, Averaged) and mean.average != "micro":
            other = {"tp": table["tn"], "fn": table["fp"], "fp": table["fn"], "tn": table["tp"]}
            return mean.value([table, other], convention)
        value = self.formula.exact(table)
        return self.fill(convention) if value is None else value

    def fill(self, convention: Convention) -> Fraction | None:
        """Return what is printed, or counts, where it is undefined; None where nothing is.

        The coefficient with a root is 0 whatever was said: scikit-learn's `zero_division` does not reach it.
        """
        over = self.over_classes
        is_root = isinstance(over, Formula) and not over.rational
        return Fraction(0) if is_root and convention.fill is not None else convention.fill

    def counted(self, table: Table) -> tuple[int, int] | None:
        """Return the two counts behind it, if it is a share of cases.

        Examples
        --------
        >>> metric("recall").counted(Table(tp=2, fn=3, fp=1, tn=4)), metric("f1").counted(Table(tp=2, fn=3, fp=1, tn=4))
        ((2, 5), None)
        """
        if self.share is None:
            return None
        cells = table.cells()
        hits, cases = (sum(cells[name] for name in part) for part in self.share)
        return hits, cases

    @property
    def share(self) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        """The cells that it counts, and those among which it counts them, where it is a share; else None.

        Examples
        --------
        >>> metric("recall").share, metric("f1").share
        ((('tp',), ('tp', 'fn')), None)
        """
        formula = self.formula
        if not isinstance(formula, Operation) or formula.symbol != "/":
            return None
        parts = formula.left, formula.right
        sums = all(
            isinstance(node, Quantity) or getattr(node, "symbol", "") == "+" for part in parts for node in part.nodes()
        )
        hits, cases = (tuple(part.quantities) for part in parts)
        return (hits, cases) if sums and set(hits) < set(cases) else None

    def negative(self) -> Metric:
        """Return the same metric with the classes exchanged.

        Examples
        --------
        >>> metric("f1").negative().formula.text()
        '2 * tn / (2 * tn + fp + fn)'
        """
        return _exchanged(self)

    def averaged(self, average: Average) -> Metric:
        """Return its average over the two classes, as a metric of one table.

        Examples
        --------
        >>> metric("recall").averaged("macro").formula.text()
        '(tp / (tp + fn) + tn / (tn + fp)) / 2'
        """
        return _averaged(self, average)


# A review asks for the same few metrics again and again, and what a formula is known by is worked out once for each.
@lru_cache(maxsize=4096)
def _exchanged(metric: Metric) -> Metric:
    formula = metric.formula.substitute(SWAPPED)
    # What has a form for all classes knows no positive one.
    if formula == metric.formula or metric.over_classes is not None:
        return metric
    if metric.id in COUNTS:
        return next(count for count in _COUNTS if {*count.formula.quantities} == {*formula.quantities})
    if formula in _BY_FORMULA:
        return _BY_FORMULA[formula]
    words = "positive and negative class exchanged"
    names = f"{metric.id}_negative", f"{metric.label} of the negative class"
    return _made_from(metric, names, words, formula)


@lru_cache(maxsize=4096)
def _averaged(metric: Metric, average: Average) -> Metric:
    other = metric.formula.substitute(SWAPPED)
    formulas: dict[Average, Formula] = {
        "macro": (metric.formula + other) / 2,
        "micro": metric.formula.substitute(_POOLED),
        "weighted": (POSITIVES * metric.formula + NEGATIVES * other) / TOTAL,
    }
    names = f"{average}_{metric.id}", f"{metric.label}, {average} average"
    words = f"{average} average over the classes"
    return _made_from(metric, names, words, formulas[average], Averaged(average, metric))


def _made_from(
    metric: Metric, names: tuple[str, str], words: str, formula: Formula, over: Averaged | None = None
) -> Metric:
    """Return a metric made from another one, under its own id and label."""
    name, label = names
    says = f"{metric.says.rstrip('.')}; {words}."
    return replace(metric, id=name, label=label, aliases=(), formula=formula, says=says, over_classes=over)


@dataclass(frozen=True, kw_only=True)
class Contrast(_Entry):
    """A measure of two groups: the difference or ratio of a metric, or the worst of several.

    The worst difference is the largest in size, the worst ratio the one farthest from 1: the smallest, if those above 1
    are inverted. In its formulas the cells of the group carry a 1, those of the reference a 2.

    Examples
    --------
    >>> contrast("recall_difference").parts[0].text()
    'tp_1 / (tp_1 + fn_1) - tp_2 / (tp_2 + fn_2)'
    """

    how: How = "difference"
    bases: tuple[Metric, ...]

    def _members(self) -> Members:
        return self.id, self.label, self.aliases, self.formula, self.latex, self.undefined_where, self.says

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
        values = [part.exact(_two_groups(group, reference)) for part in self.parts]
        defined = [value for value in values if value is not None]
        if len(defined) < len(values):
            return None
        if len(defined) == 1:
            return defined[0]
        if self.how == "difference":
            return max(max(value, -value) for value in defined)
        return cast("Exact", min(_at_most_one(value) for value in defined))

    def together(self, ends: Sequence[tuple[float, float]]) -> tuple[float, float]:
        """Return the interval of the measure from the intervals of its parts.

        Examples
        --------
        >>> contrast("equalized_odds").together([(-0.3, -0.1), (-0.2, 0.4)])
        (0.1, 0.4)
        >>> contrast("equalized_odds_ratio").together([(0.5, 0.8), (0.9, 4.0)])
        (0.25, 0.8)
        """
        if len(ends) == 1:
            return ends[0]
        if self.how == "difference":
            # No smaller than what any part must be, no larger than what one can be.
            low = max(0.0 if low <= 0 <= high else min(abs(low), abs(high)) for low, high in ends)
            return low, max(max(abs(low), abs(high)) for low, high in ends)
        folded = [(_at_most_one(low), _at_most_one(high), low <= 1 <= high) for low, high in ends]
        return min(min(x, y) for x, y, _ in folded), min(1.0 if one else max(x, y) for x, y, one in folded)

    def why_undefined(self, group: Table, reference: Table) -> tuple[str, ...]:
        """Return in words why it is undefined for two groups; empty where it is defined."""
        both = _two_groups(group, reference)
        return tuple(dict.fromkeys(words for part in self.parts for words in reasons(part, both, WORDS)))


def _at_most_one(ratio: Any) -> Any:
    """Return a ratio, or its inverse where it is above 1."""
    return ratio if ratio <= 1 else 1 / ratio


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
    # Write a rational as a decimal where that is exact, else as a fraction.
    decimal = f"{float(weight):.17g}"
    shorter = f"{float(weight):.15g}"
    name = next((text for text in (shorter, decimal) if Fraction(text) == weight), str(weight))
    return Metric(
        id=f"f{name}",
        label=f"F{name} score",
        aliases=(f"f_{name}", f"f{name}_score", f"f_{name}_score", f"f{name}_measure", f"fb{name}"),
        formula=hits / (hits + misses + FP),
        says=f"Harmonic mean of precision and recall, recall weighted {name} to 1.",
    )


# A metric is a few lines here: what it is called, its formula, what it tells, and its other names.
# fmt: off
_DICE: Final = f_beta(1)
RECALL: Final = Metric(id="recall", hits="found", formula=_RECALL,
    says="Share of actual positives predicted positive.",
    aliases=("tpr", "sensitivity", "sens", "recall_score", "hit_rate", "true_positive_rate", "detection_rate",
        "completeness", "power", "pod", "tp_rate"))
_METRICS: Final = (
    # Briscoe et al. (2025), Table 3: two cells over the total.
    Metric(id="accuracy", hits="right", formula=(TP + TN) / TOTAL, over_classes=_CORRECT / _ALL,
        says="Share of predictions that are right.",
        aliases=("acc", "accuracy_score", "correct_rate", "overall_accuracy", "rand_accuracy",
            "classification_accuracy", "accuracy_rate", "top_1_accuracy", "top1_accuracy")),
    Metric(id="inaccuracy", hits="wrong", formula=(FP + FN) / TOTAL, over_classes=(_ALL - _CORRECT) / _ALL,
        better="lower",
        says="Share of predictions that are wrong.",
        aliases=("inacc", "error_rate", "misclassification_rate", "err", "zero_one_loss", "classification_error")),
    Metric(id="prevalence", hits="positive", formula=POSITIVES / TOTAL, better="neither",
        says="Share of cases that are actual positives.",
        aliases=("prev", "base_rate")),
    Metric(id="negative_prevalence", hits="negative", formula=NEGATIVES / TOTAL, better="neither",
        says="Share of cases that are actual negatives.",
        aliases=("nprev", "complement_of_prevalence")),
    Metric(id="predicted_positive_rate", hits="flagged", formula=PREDICTED_POSITIVES / TOTAL, better="neither",
        says="Share of cases predicted positive.",
        aliases=("ppr", "pprev", "selection_rate", "predicted_positives_rate", "acceptance_rate",
            "detection_prevalence")),
    Metric(id="predicted_negative_rate", hits="cleared", formula=PREDICTED_NEGATIVES / TOTAL, better="neither",
        says="Share of cases predicted negative.",
        aliases=("pnr", "predicted_negatives_rate", "rejection_rate")),
    # Briscoe et al. (2025), Table 4: a cell over itself and one more.
    RECALL,
    Metric(id="specificity", hits="cleared", formula=TN / (TN + FP),
        says="Share of actual negatives predicted negative.",
        aliases=("tnr", "spec", "true_negative_rate", "selectivity", "negative_recall", "tn_rate")),
    Metric(id="false_positive_rate", hits="flagged", formula=FP / (FP + TN), better="lower",
        says="Share of actual negatives predicted positive.",
        aliases=("fpr", "fall_out", "fallout", "false_alarm_rate", "type_i_error_rate", "pofd", "fp_rate")),
    Metric(id="false_negative_rate", hits="missed", formula=FN / (FN + TP), better="lower",
        says="Share of actual positives predicted negative.",
        aliases=("fnr", "miss_rate", "type_ii_error_rate", "fn_rate")),
    Metric(id="precision", hits="right", formula=TP / (TP + FP),
        says="Share of predicted positives that are actual positives.",
        aliases=("ppv", "positive_predictive_value", "prec", "precision_score", "pos_pred_value")),
    Metric(id="negative_predictive_value", hits="right", formula=TN / (TN + FN),
        says="Share of predicted negatives that are actual negatives.",
        aliases=("npv", "negative_precision", "neg_pred_value")),
    Metric(id="false_discovery_rate", hits="wrong", formula=FP / (FP + TP), better="lower",
        says="Share of predicted positives that are actual negatives.",
        aliases=("fdr", "false_alarm_ratio")),
    Metric(id="false_omission_rate", hits="missed", formula=FN / (FN + TN), better="lower",
        says="Share of predicted negatives that are actual positives.",
        aliases=("for", "false_reassurance_rate")),
    # The ways to write F1: two of Briscoe et al.'s Table 5, and the negative class.
    replace(_DICE, label="F1 score",
        says="Harmonic mean of precision and recall, written so that it is 0 if there are no true positives.",
        aliases=(*_DICE.aliases, "f_score", "f_measure", "dice", "dice_coefficient", "sorensen_dice", "dsc", "f1p")),
    replace(_DICE, id="f1_negative", label="F1 score of the negative class",
        formula=_DICE.formula.substitute(SWAPPED),
        says="The F1 score with the classes exchanged.",
        aliases=("f1n", "negative_f1", "f1_minus")),
    Metric(id="f1_harmonic", label="F1 score as a harmonic mean", formula=2 / ((TP + FP) / TP + (TP + FN) / TP),
        limits=Limits(Fraction(0), Fraction(1), low_open=True),
        says="The F1 score as 2 over the sum of inverse precision and inverse recall: undefined where one of them is.",
        aliases=("f1_original", "original_f1")),
    # How well truth and prediction agree.
    Metric(id="mcc", label="Matthews correlation coefficient",
        formula=_DETERMINANT / sqrt((TP + FP) * (TP + FN) * (TN + FP) * (TN + FN)),
        over_classes=(_ALL * _CORRECT - _CHANCE) / sqrt(_SPLIT_ACTUAL * _SPLIT_PREDICTED), limits=_SIGNED,
        says="Correlation between truth and prediction.",
        aliases=("matthews", "matthews_corrcoef", "phi", "phi_coefficient", "φ", "r_phi", "matthews_correlation",
            "matthews_corr_coef", "matthews_coefficient", "mcc_score")),
    Metric(id="kappa", label="Cohen's kappa",
        formula=2 * _DETERMINANT / ((TP + FP) * (FP + TN) + (TP + FN) * (FN + TN)),
        over_classes=(_ALL * _CORRECT - _CHANCE) / _CHANCE_WRONG, limits=_SIGNED,
        says="Agreement beyond what the margins alone would give.",
        aliases=("cohens_kappa", "cohen_kappa", "cohen_kappa_score", "κ", "heidke_skill_score", "hss", "kappa_score",
            "kappa_statistic", "kappa_coefficient", "cohens_kappa_score", "cohen_s_kappa", "cohens_κ")),
    Metric(id="balanced_accuracy", formula=(_RECALL + _SPECIFICITY) / 2, over_classes=Averaged("macro", RECALL),
        says="Mean of recall and specificity.",
        aliases=("bacc", "ba", "bal_acc", "balanced_acc", "balanced_accuracy_score", "b_acc", "uar",
            "unweighted_average_recall")),
    Metric(id="informedness", formula=_RECALL + _SPECIFICITY - 1, limits=_SIGNED,
        says="Recall plus specificity minus 1: the share of positives predicted positive minus that of negatives.",
        aliases=("bookmaker_informedness", "bm", "youden", "youdens_j", "youden_index", "peirce_skill_score", "tss",
            "youdens_index", "youden_j", "youdens_j_statistic", "youden_j_index")),
    Metric(id="markedness", formula=_PRECISION + _NPV - 1, limits=_SIGNED,
        says="Precision plus negative predictive value minus 1: the share of positives among predicted positives minus "
        "that among predicted negatives.",
        aliases=("mk", "delta_p")),
    # Means of rates, and shares of what is positive.
    Metric(id="g_mean", label="G-mean", formula=sqrt(_RECALL * _SPECIFICITY),
        says="Geometric mean of recall and specificity.",
        aliases=("gm", "gmean", "geometric_mean", "g_mean_score", "geometric_mean_score")),
    Metric(id="fowlkes_mallows", label="Fowlkes-Mallows index", formula=sqrt(_PRECISION * _RECALL),
        says="Geometric mean of precision and recall.",
        aliases=("fm", "fmi", "fowlkes_mallows_index")),
    Metric(id="jaccard", label="Jaccard index", formula=TP / (TP + FN + FP),
        says="Share of true positives among all that are positive, actual or predicted.",
        aliases=("iou", "critical_success_index", "csi", "threat_score", "ts", "tanimoto", "jaccard_score", "ji")),
    Metric(id="p4", formula=4 * TP * TN / (4 * TP * TN + (TP + TN) * (FP + FN)),
        says="Harmonic mean of precision, recall, specificity and negative predictive value.",
        aliases=("upm", "p4_metric", "unified_performance_measure")),
    # Ratios and thresholds of diagnostic tests.
    Metric(id="positive_likelihood_ratio", formula=_RECALL / _FPR, limits=_UNBOUNDED,
        says="How many times as likely a positive prediction is for an actual positive as for an actual negative.",
        aliases=("lr+", "plr", "lrp", "lr_positive")),
    Metric(id="negative_likelihood_ratio", formula=_FNR / _SPECIFICITY, limits=_UNBOUNDED, better="lower",
        says="How many times as likely a negative prediction is for an actual positive as for an actual negative.",
        aliases=("lr-", "nlr", "lrn", "lr_negative")),
    Metric(id="diagnostic_odds_ratio", formula=TP * TN / (FP * FN), limits=_UNBOUNDED,
        says="Odds of a positive prediction for actual positives over those for actual negatives.",
        aliases=("dor", "odds_ratio")),
    Metric(id="prevalence_threshold", formula=(sqrt(_RECALL * _FPR) - _FPR) / (_RECALL - _FPR), better="lower",
        says="Prevalence below which a positive prediction quickly loses its predictive value.",
        aliases=("pt",)),
    Metric(id="prevalence_threshold_simplified", label="Prevalence threshold, simplified",
        formula=sqrt(_FPR) / (sqrt(_RECALL) + sqrt(_FPR)), better="lower",
        says="The prevalence threshold in the form that stays defined where recall equals the false positive rate.",
        aliases=("pt_simplified", "pt_s")),
    # Briscoe et al.'s measures of how errors are spread.
    Metric(id="marginal_benefit", formula=(FP - FN) / TOTAL, limits=_SIGNED, better="neither",
        says="Share of cases wrongly predicted positive minus the share wrongly predicted negative.",
        aliases=("net_benefit_of_errors", "mb")),
    Metric(id="treatment_ratio", formula=FN / FP, limits=_UNBOUNDED, better="neither",
        says="False negatives for each false positive.",
        aliases=("fn_fp_ratio",)),
)
# fmt: on
#: Every metric of one table by its id.
METRICS: Final[Mapping[str, Metric]] = MappingProxyType({metric.id: metric for metric in _METRICS})

# Metrics that code outside of the catalogue must name.
ACCURACY: Final = METRICS["accuracy"]
DIAGNOSTIC_ODDS_RATIO: Final = METRICS["diagnostic_odds_ratio"]
F1: Final = METRICS["f1"]
FALSE_NEGATIVE_RATE: Final = METRICS["false_negative_rate"]
FALSE_OMISSION_RATE: Final = METRICS["false_omission_rate"]
FALSE_POSITIVE_RATE: Final = METRICS["false_positive_rate"]
G_MEAN: Final = METRICS["g_mean"]
KAPPA: Final = METRICS["kappa"]
MARGINAL_BENEFIT: Final = METRICS["marginal_benefit"]
MCC: Final = METRICS["mcc"]
NEGATIVE_PREDICTIVE_VALUE: Final = METRICS["negative_predictive_value"]
PRECISION: Final = METRICS["precision"]
PREDICTED_POSITIVE_RATE: Final = METRICS["predicted_positive_rate"]
PREVALENCE: Final = METRICS["prevalence"]
PREVALENCE_THRESHOLD: Final = METRICS["prevalence_threshold"]
SPECIFICITY: Final = METRICS["specificity"]

_AVERAGE_ODDS: Final = Metric(
    id="average_odds",
    formula=(_RECALL + _FPR) / 2,
    better="neither",
    says="Mean of recall and false positive rate.",
)

# fmt: off
_CONTRASTS: Final = (
    # The named measures of two groups; the difference and ratio of any metric need no name.
    Contrast(id="objective_fairness_index", bases=(MARGINAL_BENEFIT,),
        says="Difference of the groups' marginal benefits.",
        aliases=("ofi",)),
    Contrast(id="treatment_equality", bases=(METRICS["treatment_ratio"],),
        says="Difference of the groups' false negatives for each false positive.",
        aliases=("te",)),
    Contrast(id="disparate_impact", how="ratio", bases=(PREDICTED_POSITIVE_RATE,),
        says="The group's predicted positive rate divided by the reference's; below 0.8 fails the four-fifths rule. "
             "Fairlearn divides the lowest of all groups by the highest.",
        aliases=("di", "adverse_impact_ratio", "demographic_parity_ratio", "statistical_parity_ratio")),
    Contrast(id="statistical_parity_difference", bases=(PREDICTED_POSITIVE_RATE,),
        says="Difference of the groups' predicted positive rates. Fairlearn takes the largest between any two groups.",
        aliases=("spd", "demographic_parity_difference", "demographic_parity", "statistical_parity")),
    Contrast(id="equal_opportunity_difference", bases=(RECALL,),
        says="Difference of the groups' recalls. Fairlearn takes the largest between any two groups.",
        aliases=("eod", "equal_opportunity")),
    Contrast(id="equal_opportunity_ratio", how="ratio", bases=(RECALL,),
        says="The group's recall divided by the reference's. "
             "Fairlearn divides the lowest of all groups by the highest."),
    Contrast(id="equalized_odds", label="Equalized odds difference", bases=(RECALL, FALSE_POSITIVE_RATE),
        says="The larger of the groups' differences in recall and in false positive rate, without its sign. "
             "Fairlearn takes the largest between any two groups.",
        aliases=("equalized_odds_difference", "equalised_odds", "eodds")),
    Contrast(id="equalized_odds_ratio", how="ratio", bases=(RECALL, FALSE_POSITIVE_RATE),
        says="The smaller of the groups' ratios in recall and in false positive rate, those above 1 inverted. "
             "Fairlearn takes the smallest between any two groups.",
        aliases=("equalised_odds_ratio",)),
    Contrast(id="average_odds_difference", bases=(_AVERAGE_ODDS,),
        says="Mean of the groups' differences in recall and in false positive rate.",
        aliases=("aod",)),
)
# fmt: on
#: Every named measure of two groups by its id.
CONTRASTS: Final[Mapping[str, Contrast]] = MappingProxyType({contrast.id: contrast for contrast in _CONTRASTS})


# fmt: off
_COUNTS: Final = (
    Metric(id="tp", label="True positives", formula=TP, limits=_UNBOUNDED,
        says="Actual positives predicted positive.",
        aliases=("true_positive", "n_tp", "tps")),
    Metric(id="fn", label="False negatives", formula=FN, limits=_UNBOUNDED, better="lower",
        says="Actual positives predicted negative.",
        aliases=("false_negative", "n_fn", "fns")),
    Metric(id="fp", label="False positives", formula=FP, limits=_UNBOUNDED, better="lower",
        says="Actual negatives predicted positive.",
        aliases=("false_positive", "n_fp", "fps", "false_alarms")),
    Metric(id="tn", label="True negatives", formula=TN, limits=_UNBOUNDED,
        says="Actual negatives predicted negative.",
        aliases=("true_negative", "n_tn", "tns")),
    Metric(id="predicted_positives", formula=PREDICTED_POSITIVES, limits=_UNBOUNDED, better="neither",
        says="Cases predicted positive.",
        aliases=("predicted_positive", "n_predicted_positives", "test_positives")),
    Metric(id="predicted_negatives", formula=PREDICTED_NEGATIVES, limits=_UNBOUNDED, better="neither",
        says="Cases predicted negative.",
        aliases=("predicted_negative", "n_predicted_negatives", "test_negatives")),
    Metric(id="correct", label="Correct predictions", formula=TP + TN, limits=_UNBOUNDED, over_classes=_CORRECT,
        says="Cases predicted right.",
        aliases=("n_correct", "correctly_classified", "number_correct")),
    Metric(id="wrong", label="Wrong predictions", formula=FN + FP, limits=_UNBOUNDED, better="lower",
        over_classes=_ALL - _CORRECT,
        says="Cases predicted wrong.",
        aliases=("errors", "n_wrong", "n_errors", "misclassified", "misclassifications", "incorrect")),
)
#: Counts of one table by their id: claims about them are claims about the table, but they are not scores.
COUNTS: Final[Mapping[str, Metric]] = MappingProxyType({count.id: count for count in _COUNTS})
#: Which two counts add up to which size.
SIZE_PARTS: Final = (("positives", "tp", "fn"), ("negatives", "fp", "tn"), ("total", "correct", "wrong"),
    ("total", "predicted_positives", "predicted_negatives"))
#: Names by which people mean different things: no table proves one of them wrong.
OF_TWO_MEANINGS: Final[Mapping[str, str]] = MappingProxyType({
    "csi": "the critical success index (Jaccard) to some, and the classification success index to others",
    "detection_rate": "recall to some, and the true positives' share of all cases to others",
    "zero_one_loss": "the share of wrong predictions to some, and their number to others",
})
#: The area under the ROC curve. No formula of one table's cells gives it: a table leaves a range for it.
AREA: Final = Metric(id="auc", label="Area under the ROC curve", formula=Quantity("area"),
    says="Chance that a random actual positive is ranked above a random actual negative, ties counted half.",
    aliases=("roc_auc", "auroc", "auc_roc", "aucroc", "rocauc", "roc_auc_score", "area_under_the_curve",
        "area_under_curve", "area_under_roc", "area_under_roc_curve", "roc_area", "auc_score",
        "roc_auc_value", "roc", "roc_score", "area_under_the_receiver_operating_characteristic_curve", "c_statistic",
        "c_stat", "concordance_statistic"))
#: What a ranking or probabilities decide, and no single table says anything exact about.
RANKED: Final[Mapping[str, _Entry]] = MappingProxyType({entry.id: entry for entry in (
    _Entry(id="average_precision", says="Mean precision over all thresholds.",
        aliases=("pr_auc", "auprc", "auc_pr", "aucpr", "prauc", "average_precision_score", "avg_precision", "ap",
            "area_under_the_pr_curve", "auc_prc", "prc_area", "pr_area", "area_under_precision_recall_curve",
            "area_under_the_precision_recall_curve")),
    _Entry(id="log_loss", says="Mean surprise at the actual class.",
        aliases=("logloss", "cross_entropy", "logistic_loss", "nll")),
    _Entry(id="brier_score", says="Mean squared distance of probabilities from what was the case.",
        aliases=("brier", "brier_loss", "brier_score_loss")),
    _Entry(id="expected_calibration_error", says="Mean distance of probabilities from shares.",
        aliases=("ece", "calibration_error")),
)})
# fmt: on


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


#: Names that are words or other abbreviations too: in a document they count where they stand alone, in capitals.
ALSO_WORDS: Final = frozenset(("for", "pt", "ts", "te", "ba", "bm", "mk", "gm", "fm", "ji", "mb", "pod", "err", "prev",
    "ap", "di", "spd", "upm", "phi", "power", "completeness", "correct", "wrong", "incorrect", "errors",
    "misclassified", "acceptance_rate", "rejection_rate", "cross_entropy", "nll"))  # fmt: skip
_NAMES: Final = tuple(_index([*METRICS.values(), *COUNTS.values(), AREA, *RANKED.values()]))
_COMMON: Final = frozenset(
    (
        "of",
        "the",
        "to",
        "as",
        "for",
        "by",
        "under",
        "class",
        "type",
        "number",
        "value",
        "score",
        "rate",
        "index",
        "ratio",
        "error",
        "positive",
        "positives",
        "negative",
        "negatives",
        "true",
        "false",
        "test",
        "net",
        "benefit",
        "benefits",
        "area",
        "curve",
        "mean",
        "average",
        "base",
        "hit",
        "miss",
        "loss",
        "odds",
        "measure",
        "one",
        "zero",
        "sum",
        "unified",
        "performance",
        "power",
        "original",
        "cross",
        "correct",
        "wrong",
        "detection",
        "selection",
        "skill",
        "statistic",
        "simplified",
        "level",
        "log",
        "pt",
        "threshold",
        "critical",
        "success",
        "overall",
        "bal",
    )
)
#: Words of which a text that names a score has at least one: most texts have none.
NAME_WORDS: Final = frozenset(word for name in _NAMES for word in name.split("_") if len(word) > 1) - _COMMON
#: Names all of whose words are common ones: a text that has such a name has all the words of one of these.
COMMON_NAMES: Final = frozenset(words for name in _NAMES if (words := frozenset(name.split("_"))) <= _COMMON)

#: What an audit looks at by default.
AUDITED: Final = ("accuracy", "recall", "specificity", "precision")
#: The same of more than two classes.
AUDITED_CLASSES: Final = ("accuracy", "macro_recall", "macro_precision", "macro_f1")
#: The default scores of several classes together, and of a single one.
OF_CLASSES: Final = ("accuracy", "balanced_accuracy", "kappa", "mcc", "macro_precision", "macro_recall", "macro_f1",
    "weighted_precision", "weighted_recall", "weighted_f1")  # fmt: skip
OF_EACH_CLASS: Final = ("precision", "recall", "f1", "specificity")
#: What is split into certain and uncertain by default.
SPLIT: Final = ("accuracy", "macro_f1", "mcc")

_INDEX_ENTRIES: Final = (*METRICS.values(), *CONTRASTS.values())
_INDEX: Final[dict[str, Any]] = _index(_INDEX_ENTRIES)
# Names of metrics are no names of these, and the other way round.
_OF_CLAIMS: Final[dict[str, Any]] = {
    name: entry
    for name, entry in _index([*_INDEX_ENTRIES, *COUNTS.values(), AREA, *RANKED.values()]).items()
    if name not in _INDEX
}
_BY_FORMULA: Final[dict[Formula, Metric]] = {metric.formula: metric for metric in METRICS.values()}
#: Words for the formulas that may appear in a cause of undefinedness.
WORDS: Final[Mapping[Formula, str]] = MappingProxyType({f: metric.label.lower() for f, metric in _BY_FORMULA.items()})
_F_BETA: Final = re.compile(r"f(?:b|_?beta)?_?(\d{1,9}(?:\.\d{1,17}|/\d{1,9})?)(?:_(?:score|measure))?")
_NEGATIVE: Final = re.compile(r"(.+)_(?:negative|neg|of_the_negative_class|negative_class)")
_AVERAGED: Final = re.compile(rf"({'|'.join(AVERAGES)})_(?:(?:avg|averaged?)_)?(.+)")
_CONTRASTED: Final = re.compile(r"(.+)_(difference|ratio|disparity)")
# aequitas divides a group's predicted positives by those of all groups: a large group is "different" by its size.
_SHARE_OF_ALL: Final = "ppr_disparity"


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
    entry = find(name)
    if isinstance(entry, Contrast):
        raise InputError("bad_metric", "metric", "compares two groups", name, "choose a score of one table")
    return entry


def contrast(name: str | Contrast) -> Contrast:
    """Return the measure of two groups with this name; ``<metric>_difference`` and ``<metric>_ratio`` exist for all.

    A ratio is also called ``<metric>_disparity``.

    Examples
    --------
    >>> contrast("ofi").says
    "Difference of the groups' marginal benefits."
    >>> contrast("mcc_difference").label
    'Matthews correlation coefficient, difference'
    """
    entry = find(name)
    if isinstance(entry, Metric):
        hint = f"try '{entry.id}_difference' or '{entry.id}_ratio'"
        raise InputError("bad_metric", "metric", "is a score of one group", name, hint)
    return entry


def is_metric(name: str) -> bool:
    """Tell whether a name is that of a score of one table.

    Examples
    --------
    >>> is_metric("Sens."), is_metric("author"), is_metric("ofi")
    (True, False, False)
    """
    plain = _plain(name)
    return isinstance(_INDEX.get(plain) or _derived(plain), Metric)


def claimed_metric(name: str | Metric) -> Metric:
    """Return what can be claimed of one table under a name: a metric, a count, or the area under the ROC curve.

    Examples
    --------
    >>> claimed_metric("True positives").id, claimed_metric("AUROC").id, claimed_metric("PPV").id
    ('tp', 'auc', 'precision')
    """
    return _claimed_name(name) if isinstance(name, str) else metric(name)


@lru_cache(maxsize=4096)
def _claimed_name(name: str) -> Metric:
    entry = _OF_CLAIMS.get(_plain(name))
    return entry if isinstance(entry, Metric) else metric(name)


class Claimable(NamedTuple):
    """What can stand in a report: the name `recover` takes, and the metric; None for a score of rankings."""

    id: str
    metric: Metric | None


@lru_cache(maxsize=4096)
def claimable(name: str) -> Claimable | None:
    """Return what a name in a report means; None where it names no score.

    Examples
    --------
    >>> claimable("Macro F1").id, claimable("PR-AUC").id, claimable("author")
    ('macro_f1', 'average_precision', None)
    """
    plain = _plain(name)
    match = _AVERAGED.fullmatch(plain)
    entry = _OF_CLAIMS.get(match[2] if match else plain)
    if entry is None:
        try:
            return Claimable(metric(plain).id, metric(plain)) if is_metric(plain) else None
        except InputError:  # the F score of a beta of 0
            return None
    if match:
        # No table decides an average of areas, and there is none of counts.
        return Claimable(f"{match[1]}_{entry.id}", None) if entry.id not in COUNTS else None
    return Claimable(entry.id, entry if isinstance(entry, Metric) else None)


def is_claimed(name: str) -> bool:
    """Tell whether a name can stand in a report: that of a metric, of a count, or of a score of rankings.

    Examples
    --------
    >>> is_claimed("tp"), is_claimed("Brier score"), is_claimed("author")
    (True, True, False)
    """
    return _plain(name) in _OF_CLAIMS or ranked(name) is not None or is_metric(name)


@lru_cache(maxsize=4096)
@lru_cache(maxsize=4096)
def ranked(name: str, *, classes: bool = False) -> str | None:
    """Return the label of a score that no single table decides; None where the name is none of those.

    Of several classes the area under the ROC curve is one of them, and so is any average of it.

    Examples
    --------
    >>> ranked("PR-AUC"), ranked("auc"), ranked("auc", classes=True), ranked("recall")
    ('Average precision', None, 'Area under the ROC curve', None)
    """
    plain = _plain(name.partition("[")[0])
    match = _AVERAGED.fullmatch(plain)
    entry = _OF_CLAIMS.get(match[2] if match else plain)
    decided = isinstance(entry, Metric) and (entry is not AREA or not (classes or match))
    return None if entry is None or decided else str(entry.label)


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
    entry = _INDEX.get(plain) or _derived(plain)
    if entry is None:
        if plain in ("f_beta", "fbeta", "fb"):
            raise InputError("bad_metric", name, "needs its beta", name, "write f2 or f0.5")
        if plain == _SHARE_OF_ALL:
            problem, hint = "compares the groups' sizes too", "ask for pprev_disparity, which compares their rates"
            raise InputError("bad_metric", name, problem, name, hint)
        hint = suggestion(plain, _INDEX, "`fourfold metrics` lists all")
        raise InputError("unknown_metric", name.strip() or "metric", "unknown metric", name, hint)
    return cast("Metric | Contrast", entry)


def _derived(name: str) -> Metric | Contrast | None:
    """Read names built from other names; None where there is no such name."""
    entry, match = _averaged_metric(name), _CONTRASTED.fullmatch(name)
    if entry or not match:
        return entry
    base = _averaged_metric(match[1]) if name != _SHARE_OF_ALL else None
    return _contrasted(base, "difference" if match[2] == "difference" else "ratio") if base else None


def _averaged_metric(name: str) -> Metric | None:
    match = _AVERAGED.fullmatch(name)
    base = _class_metric(match[2] if match else name)
    return base.averaged(cast("Average", match[1])) if base and match else base


def _class_metric(name: str) -> Metric | None:
    match = None if name in _INDEX else _NEGATIVE.fullmatch(name)
    base = _plain_metric(match[1] if match else name)
    return base.negative() if base and match else base


def _plain_metric(name: str) -> Metric | None:
    if match := _F_BETA.fullmatch(name):
        metric = f_beta(match[1])
        return _BY_FORMULA.get(metric.formula, metric)
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
class Catalogue(Result, schema="metrics", source="`metrics`"):
    """The catalogue: metrics and measures of two groups.

    Examples
    --------
    >>> Catalogue.all().rows()[0]["id"]
    'accuracy'
    """

    entries: Annotated[tuple[Metric | Contrast, ...], "Every metric and every named measure of two groups."]
    notes: Notes = ()

    def _members(self) -> Members:
        return named("metrics", self.entries), self.notes

    @classmethod
    def all(cls) -> Catalogue:
        """Return everything that has a name of its own."""
        return cls((*METRICS.values(), *CONTRASTS.values()))

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record an entry."""
        return [entry.to_dict() for entry in self.entries]
