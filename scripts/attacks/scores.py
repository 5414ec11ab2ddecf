"""Every score once more, for all tables of a small world at once, and compared with fractions in whole numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[Any]
Cells: TypeAlias = tuple[int, int, int, int]
Form: TypeAlias = Literal["ratio", "root", "threshold"]

_SAFE: Final = 2**62

CELLS: Final = ("tp", "fn", "fp", "tn")
#: What an undefined score is printed as, by the convention that says so.
FILLS: Final[Mapping[str, int]] = {"zero": 0, "one": 1}


class World:
    """All tables of some margins, as columns of cells."""

    def __init__(self, margins: Iterable[tuple[int, int]]) -> None:
        cells: list[Cells] = [
            (tp, p - tp, n - tn, tn) for p, n in margins for tp in range(p + 1) for tn in range(n + 1)
        ]
        self.tables = cells
        self.tp, self.fn, self.fp, self.tn = np.array(cells, dtype=np.int64).reshape(-1, 4).T
        self.known: dict[tuple[Meant, str], Values] = {}

    def __len__(self) -> int:
        return len(self.tables)

    @cached_property
    def place(self) -> dict[Cells, int]:
        """Where each table stands."""
        return {cells: i for i, cells in enumerate(self.tables)}

    def values(self, meant: Meant, undefined: str) -> Values:
        """Return a score at all tables, computed once."""
        if (meant, undefined) not in self.known:
            self.known[meant, undefined] = meant.values(self.tp, self.fn, self.fp, self.tn, undefined)
        return self.known[meant, undefined]


@lru_cache(maxsize=600)
def world(margins: tuple[tuple[int, int], ...]) -> World:
    """Return the world of some margins, kept for the next report about them."""
    return World(margins)


@dataclass(frozen=True, eq=False)
class Values:
    """A score at many tables: top over bottom, undefined where `defined` is not.

    A "ratio" is that. A "root" is the root of it, with the sign of the top. A "threshold" is s / (1 + s), where s is
    the root of it, and a bottom of 0 stands for a score of 1.
    """

    form: Form
    top: Ints
    bottom: Ints
    defined: Ints

    def side(self, bound: Fraction) -> Ints:
        """Return -1, 0 or 1 where the score is below, at or above a bound; of no meaning where it is undefined."""
        a, b = bound.numerator, bound.denominator
        if self.form == "threshold":
            if not 0 <= bound <= 1:
                return np.full(len(self.top), 1 if bound < 0 else -1)
            a, b = a * a, (b - a) ** 2
        elif self.form == "root":
            a, b = a * abs(a), b * b
        largest = max((_largest(self.top) + 1) * b, (_largest(self.bottom) + 1) * abs(a))
        top, bottom = (self.top, self.bottom) if largest < _SAFE else (_wide(self.top), _wide(self.bottom))
        difference = top * b - bottom * a
        return np.asarray((difference > 0).astype(np.int64) - (difference < 0).astype(np.int64))

    def within(self, low: Fraction, high: Fraction, low_open: bool, high_open: bool) -> Ints:
        """Tell where the score is defined and lies between two bounds."""
        least, most = self.side(low), self.side(high)
        return np.asarray(
            self.defined & (least > 0 if low_open else least >= 0) & (most < 0 if high_open else most <= 0)
        )

    def key(self, i: int) -> Fraction | float:
        """Return what orders scores of this form exactly."""
        top, bottom = int(self.top[i]), int(self.bottom[i])
        return Fraction(top, bottom) if bottom else math.inf

    def shown(self, key: Fraction | float) -> float:
        """Return the score of a key as a float."""
        if self.form == "ratio":
            return float(key)
        if math.isinf(key):
            return 1.0
        root = math.sqrt(abs(float(key)))
        return math.copysign(root, float(key)) if self.form == "root" else root / (1 + root)

    def ends(self, at: Ints) -> tuple[Fraction | float, Fraction | float] | None:
        """Return the keys of the smallest and the largest score at some places; None where all are undefined there."""
        places = np.flatnonzero(at & self.defined)
        if not len(places):
            return None
        with np.errstate(divide="ignore"):
            rough = self.top[places].astype(float) / self.bottom[places].astype(float)
        near = 1e-9 * (1 + np.abs(rough))
        # What is close to an end in floats is compared exactly.
        lows = places[rough <= rough.min() + near] if not np.isinf(rough.min()) else places
        highs = places[rough >= rough.max() - near] if not np.isinf(rough.max()) else places[np.isinf(rough)]
        return min(map(self.key, lows.tolist())), max(map(self.key, highs.tolist()))


def _largest(numbers: Ints) -> int:
    return int(np.abs(numbers).max()) if len(numbers) else 0


def _wide(numbers: Ints) -> Ints:
    return numbers.astype(object)


#: Scores that are one count over another that holds it.
SHARES: Final = frozenset(
    [
        "accuracy",
        "inaccuracy",
        "prevalence",
        "negative_prevalence",
        "predicted_positive_rate",
        "predicted_negative_rate",
        "recall",
        "specificity",
        "false_positive_rate",
        "false_negative_rate",
        "precision",
        "negative_predictive_value",
        "false_discovery_rate",
        "false_omission_rate",
        "jaccard",
    ]
)


class Meant(NamedTuple):
    """A score: its id, the average over both classes if it is one, and whether it is that of the other class.

    An average of a score of the other class takes, for each class, the score of the other one.
    """

    id: str
    average: str = ""
    swapped: bool = False

    def values(self, tp: Ints, fn: Ints, fp: Ints, tn: Ints, undefined: str) -> Values:
        """Return the score at tables; undefined scores count by a convention."""
        if self.average or self.id == "balanced_accuracy":
            base, average = (self.id, self.average) if self.average else ("recall", "macro")
            return _averaged(base, average, (tp, fn, fp, tn), undefined, swapped=self.swapped)
        cells = (tn, fp, fn, tp) if self.swapped else (tp, fn, fp, tn)
        found = _plain(self.id, *cells)
        return filled(found, fill_of(self.id, undefined))

    def other(self) -> Meant:
        """Return the same score with the other class as the positive one; an average over both stays what it is."""
        if self.average or self.id == "balanced_accuracy":
            return self
        return self._replace(swapped=not self.swapped)

    @property
    def is_count(self) -> bool:
        """Whether it counts cases."""
        return self.id in COUNTS

    @property
    def is_area(self) -> bool:
        """Whether it is the area under the ROC curve."""
        return self.id == "auc"


def fill_of(name: str, undefined: str) -> int | None:
    """Return what a score without a value is printed as, or counts as where it is that of one part or class.

    scikit-learn prints 0 for such a correlation, whatever it is told about others.
    """
    if undefined not in FILLS:
        return None
    return 0 if name == "mcc" else FILLS[undefined]


def filled(found: Values, fill: int | None) -> Values:
    """Return values with what stands for undefined ones, if anything does."""
    if fill is None:
        return found
    # A threshold of 1 has a bottom of 0.
    top, bottom = (1, 0) if fill and found.form == "threshold" else (fill, 1)
    tops, bottoms = np.where(found.defined, found.top, top), np.where(found.defined, found.bottom, bottom)
    return Values(found.form, tops, bottoms, np.ones_like(found.defined))


def _averaged(
    base: str, average: str, cells: tuple[Ints, Ints, Ints, Ints], undefined: str, *, swapped: bool
) -> Values:
    tp, fn, fp, tn = cells
    if average == "micro":
        return filled(_plain(base, tp + tn, fn + fp, fp + fn, tn + tp), FILLS.get(undefined))
    one, other = _plain(base, tp, fn, fp, tn), _plain(base, tn, fp, fn, tp)
    one, other = (other, one) if swapped else (one, other)
    assert one.form == other.form == "ratio"
    first, second = (tp + fn, fp + tn) if average == "weighted" else (np.ones_like(tp), np.ones_like(tp))
    weights = []
    for part, weight in ((one, first), (other, second)):
        weights.append(weight if undefined in FILLS else np.where(part.defined, weight, 0))
    fill = FILLS.get(undefined, 0)
    a, c = np.where(one.defined, one.top, fill), np.where(other.defined, other.top, fill)
    b, d = np.where(one.defined, one.bottom, 1), np.where(other.defined, other.bottom, 1)
    top, bottom = weights[0] * a * d + weights[1] * c * b, (weights[0] + weights[1]) * b * d
    defined = (one.defined & other.defined) if undefined in ("any", "none") else bottom > 0
    return Values("ratio", top, np.where(bottom == 0, 1, bottom), defined & (bottom > 0))


def _plain(name: str, tp: Ints, fn: Ints, fp: Ints, tn: Ints) -> Values:
    form, top, bottom, *more = _formula(name, tp, fn, fp, tn)
    defined = bottom != 0
    for condition in more:
        defined = defined & condition
    if form == "threshold":
        defined = more[0]
    negative = bottom < 0
    return Values(form, np.where(negative, -top, top), np.abs(bottom), defined)


def _formula(name: str, tp: Ints, fn: Ints, fp: Ints, tn: Ints) -> tuple[Any, ...]:
    """Return the form, top and bottom of a score, and what else must hold where it is defined."""
    p, n, total, said, unsaid = tp + fn, fp + tn, tp + fn + fp + tn, tp + fp, fn + tn
    if name in COUNTS:
        chosen = {"tp": tp, "fn": fn, "fp": fp, "tn": tn, "predicted_positives": said, "predicted_negatives": unsaid}
        count = chosen.get(name, tp + tn if name == "correct" else fn + fp)
        return "ratio", count, np.ones_like(tp)
    if name.startswith("f") and name[1:2].isdigit() and name != "f1_harmonic":
        beta = Fraction(name[1:]) ** 2
        hits = (beta.numerator + beta.denominator) * tp
        return "ratio", hits, hits + beta.numerator * fn + beta.denominator * fp
    cross = tp * tn - fp * fn
    shares = {
        "accuracy": (tp + tn, total),
        "inaccuracy": (fp + fn, total),
        "prevalence": (p, total),
        "negative_prevalence": (n, total),
        "predicted_positive_rate": (said, total),
        "predicted_negative_rate": (unsaid, total),
        "recall": (tp, p),
        "specificity": (tn, n),
        "false_positive_rate": (fp, n),
        "false_negative_rate": (fn, p),
        "precision": (tp, said),
        "negative_predictive_value": (tn, unsaid),
        "false_discovery_rate": (fp, said),
        "false_omission_rate": (fn, unsaid),
        "jaccard": (tp, tp + fn + fp),
        "marginal_benefit": (fp - fn, total),
        "treatment_ratio": (fn, fp),
    }
    if name in shares:
        return "ratio", *shares[name]
    others: Mapping[str, tuple[Any, ...]] = {
        # 2 P R / (P + R), and not defined where P or R is 0, since it divides by both.
        "f1_harmonic": ("ratio", 2 * tp, 2 * tp + fp + fn, tp > 0),
        "mcc": ("root", cross * np.abs(cross), said * p * n * unsaid),
        "kappa": ("ratio", total * (tp + tn) - p * said - n * unsaid, total * total - p * said - n * unsaid),
        "informedness": ("ratio", tp * n - fp * p, p * n),
        "markedness": ("ratio", tp * unsaid - fn * said, said * unsaid),
        "g_mean": ("root", tp * tn, p * n),
        "fowlkes_mallows": ("root", tp * tp, said * p),
        # The harmonic mean of precision, recall, specificity and negative predictive value, brought to one fraction.
        "p4": ("ratio", 4 * tp * tn, 4 * tp * tn + (tp + tn) * (fp + fn)),
        "positive_likelihood_ratio": ("ratio", tp * n, fp * p, (p > 0) & (n > 0)),
        "negative_likelihood_ratio": ("ratio", fn * n, tn * p, (p > 0) & (n > 0)),
        "diagnostic_odds_ratio": ("ratio", tp * tn, fp * fn),
        "prevalence_threshold": ("threshold", fp * p, tp * n, (p > 0) & (n > 0) & (tp * n != fp * p)),
        "prevalence_threshold_simplified": ("threshold", fp * p, tp * n, (p > 0) & (n > 0) & (tp + fp > 0)),
    }
    return others[name]


COUNTS: Final = ("tp", "fn", "fp", "tn", "predicted_positives", "predicted_negatives", "correct", "wrong")
#: Scores of one table.
SCORES: Final = (
    "accuracy", "inaccuracy", "prevalence", "negative_prevalence", "predicted_positive_rate",
    "predicted_negative_rate", "recall", "specificity", "false_positive_rate", "false_negative_rate", "precision",
    "negative_predictive_value", "false_discovery_rate", "false_omission_rate", "f1", "f1_negative", "f1_harmonic",
    "mcc", "kappa", "balanced_accuracy", "informedness", "markedness", "g_mean", "fowlkes_mallows", "jaccard", "p4",
    "positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio", "prevalence_threshold",
    "prevalence_threshold_simplified", "marginal_benefit", "treatment_ratio", "f2", "f0.5", "f1.5_negative",
)  # fmt: skip
#: What papers print most, which is drawn more often.
USUAL: Final = (
    "accuracy", "recall", "precision", "specificity", "f1", "mcc", "negative_predictive_value", "balanced_accuracy",
    "kappa",
)  # fmt: skip
AVERAGED: Final = ["f1", "precision", "recall", "specificity", "jaccard", "f2", "negative_predictive_value"]
#: A few of the other names of scores.
ALIASES: Final[Mapping[str, tuple[str, ...]]] = {
    "accuracy": ("acc",),
    "recall": ("sensitivity", "tpr", "TPR"),
    "specificity": ("tnr", "Specificity"),
    "precision": ("ppv", "PPV"),
    "negative_predictive_value": ("npv",),
    "f1": ("F1-Score", "dice"),
    "mcc": ("phi", "Matthews correlation coefficient"),
    "informedness": ("youden", "Youden's J"),
    "positive_likelihood_ratio": ("lr+",),
    "negative_likelihood_ratio": ("lr-",),
    "diagnostic_odds_ratio": ("dor",),
    "jaccard": ("iou", "csi"),
    "inaccuracy": ("error_rate",),
    "auc": ("AUROC", "c-statistic"),
    "fn": ("False negatives",),
    "correct": ("n_correct",),
    "wrong": ("errors",),
}
_BY_NAME: Final = {alias: name for name, aliases in ALIASES.items() for alias in aliases}
SIGNED: Final = frozenset(["mcc", "kappa", "informedness", "markedness", "marginal_benefit"])
#: Scores without an upper limit.
UNLIMITED: Final = frozenset(
    ["positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio", "treatment_ratio"]
)
_OF_CLASS: Final = re.compile(r"(.+)\[(negative|positive)\]")


@cache
def meant_by(name: str) -> Meant:
    """Return what a name says: an id or another name, with an average before it or a class behind it."""
    if match := _OF_CLASS.fullmatch(name):
        found = meant_by(match[1])
        return found.other() if match[2] == "negative" else found
    average, _, base = name.partition("_")
    if average in ("macro", "weighted", "micro"):
        return Meant(_BY_NAME.get(base, base), average)
    base = _BY_NAME.get(name, name)
    if base.endswith("_negative"):
        return Meant(base.removesuffix("_negative"), swapped=True)
    return Meant(base)


def names_class(name: str) -> bool:
    """Tell whether a name says of which class a score is."""
    return _OF_CLASS.fullmatch(name) is not None


def limits_of(meant: Meant) -> tuple[Fraction, Fraction | None]:
    """Return the smallest and the largest value that a score can have."""
    if meant.id in UNLIMITED or meant.is_count:
        return Fraction(0), None
    return Fraction(-1 if meant.id in SIGNED else 0), Fraction(1)
