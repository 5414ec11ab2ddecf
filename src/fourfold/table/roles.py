"""What the labels of two columns stand for: which one is positive, or that there are k classes.

Labels that cannot be meant are refused here, before anything is computed from them: a positive label that does not
occur, or predictions that are scores and no labels.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..errors import InputError, Note, suggestion, verbatim
from .counts import Matrix, Table, positive_label

#: Labels of which the second is positive by default.
_USUAL: Final = ({0, 1}, {-1, 1}, {"0", "1"}, {"-1", "1"})
_MOST_SHOWN: Final = 6


@dataclass(frozen=True)
class LabelRoles:
    """Which label is positive, all others being negative; or the classes, where there are more than two.

    If `scored`, what is predicted is True or False: whether a score reaches a threshold.
    """

    positive: Hashable | None
    classes: tuple[Hashable, ...] | None = None
    scored: bool = False
    notes: tuple[Note, ...] = ()

    def counts(self, pairs: Mapping[tuple[Any, Any], int]) -> Table | Matrix:
        """Return the table of counted pairs (truth, prediction), or the matrix where there are k classes."""
        return self.table(pairs) if self.classes is None else self.matrix(pairs)

    def table(self, pairs: Mapping[tuple[Any, Any], int]) -> Table:
        """Return the fourfold table of counted pairs (truth, prediction); there must be a positive label."""
        assert self.classes is None, "k classes make a matrix"
        sought = True if self.scored else self.positive
        cells = Counter({"tp": 0, "fn": 0, "fp": 0, "tn": 0})
        for (actual, predicted), count in pairs.items():
            right, wrong = ("tp", "fn") if actual == self.positive else ("fp", "tn")
            cells[right if predicted == sought else wrong] += count
        return Table(**cells)

    def matrix(self, pairs: Mapping[tuple[Any, Any], int]) -> Matrix:
        """Return the matrix of counted pairs of k classes; every group has all classes, in one order."""
        assert self.classes is not None, "two classes make a table"
        return Matrix.from_pairs(pairs, labels=self.classes)


def label_roles(
    pairs: Mapping[tuple[Any, Any], int],
    *,
    positive: Hashable | None = None,
    threshold: float | str | None = None,
    prediction: str = "COLUMN",
) -> LabelRoles:
    """Tell what labels stand for, by how often each pair (truth, prediction) of them occurs in all rows.

    Parameters
    ----------
    pairs
        What was counted, with none missing.
    positive
        The label that counts as positive; a text may stand for a number in the data. May be left out for labels 0 and
        1, False and True, or -1 and 1. With more than two classes, it is compared with all others together.
    threshold
        Given where predictions are scores: they are then True or False, and True is predicted positive.
    prediction
        The column of predictions, for a hint.

    Examples
    --------
    >>> pairs = {("sick", "sick"): 3, ("sick", "well"): 1, ("well", "well"): 4}
    >>> label_roles(pairs, positive="sick").table(pairs)
    Table(tp=3, fn=1, fp=0, tn=4)
    >>> label_roles({("a", "b"): 1, ("b", "b"): 2, ("c", "a"): 1}).classes
    ('a', 'b', 'c')
    >>> label_roles({(0, 1): 5, (0, 7): 3, (1, 4): 6}, positive=1, prediction="decile")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    fourfold.errors.InputError: prediction: has labels that the truth never has, got 4, 7 beside truth 0, 1. Hint: ...
    """
    if not pairs:
        raise InputError("empty", "truth", "must hold at least one label", verbatim("0 rows"), "check the data")
    truths, predictions = _sorted({truth for truth, _ in pairs}), _sorted({predicted for _, predicted in pairs})
    if fractions := [label for label in truths if isinstance(label, float) and not label.is_integer()]:
        hint = "name the column of actual labels; a score goes beside it, with a threshold"
        raise InputError("bad_label", "truth", "must be labels, not fractions", fractions[0], hint)
    scored = threshold is not None
    if not scored:
        _check_predictions(truths, predictions, prediction)
    labels = truths if scored else _sorted({*truths, *predictions})
    if positive is not None:
        positive = _place_of(positive, labels)
    if len(labels) <= 2:
        label = positive_label(tuple(labels), positive)
        return LabelRoles(label, scored=scored, notes=_on_threshold(label, threshold, predictions) if scored else ())
    if positive is not None:
        words = f"{positive!r} is compared with {len(labels) - 1} other classes together"
        note = Note("one_against_rest", words, {"labels": [str(label) for label in labels]})
        return LabelRoles(positive, scored=scored, notes=(note,))
    if scored:
        shown = verbatim(f"{len(labels)} classes: {_listed(labels)}")
        hint = f"say which class is positive, such as {labels[0]}, and all others count as negative"
        raise InputError("bad_label", "truth", "has more than two classes beside a score", shown, hint)
    # Classes of several kinds, or too many of them, are refused here.
    return LabelRoles(None, Matrix.from_pairs(pairs).labels)


def _on_threshold(label: Hashable, threshold: object, predictions: Sequence[Hashable]) -> tuple[Note, ...]:
    words = f"scores of {threshold} or more count as predicting {label}"
    if len(predictions) == 1:
        words += f"; {'every' if predictions[0] else 'no'} score is that high"
    return (Note("predicted_by_threshold", words, {"threshold": str(threshold), "label": str(label)}),)


def _check_predictions(truths: list[Any], predictions: list[Any], column: str) -> None:
    """Refuse predictions that are no labels of the truth."""
    strange = [label for label in predictions if label not in truths]
    numbers = [_number(label) for label in predictions]
    scores = None not in numbers
    if len(truths) == 1 and len(strange) == 1 and len(predictions) <= 2:
        return  # all cases are of one class, and some are predicted to be of the other
    few = len(truths) == 2 or (len(truths) == 1 and scores)
    fractions = any(isinstance(label, float) and not label.is_integer() for label in strange)
    if not strange or not (few or len(strange) == len(predictions) or fractions):
        return
    shown = verbatim(f"{_listed(strange)} beside truth {_listed(truths)}")
    problem = "has labels that the truth never has"
    if not set(map(_spelt, strange)).isdisjoint(map(_spelt, truths)):
        problem, hint = "has labels of another kind than the truth", "make both texts or both numbers"
    elif scores:
        limit = middle_score(predictions)
        hint = (
            f"if it is a score, give it as one: --score {column} --threshold {limit}, "
            f"in Python score and threshold; else map its labels to those of the truth"
        )
    else:
        hint = f"map them to labels of the truth, such as {truths[-1]!r}, or leave those rows out"
    raise InputError("bad_label", "prediction", problem, shown, hint)


def _place_of(positive: Hashable, labels: list[Any]) -> Hashable:
    """Return the label that is meant: a text on the command line may be a number in the data, and the reverse."""
    if positive in labels:
        return positive
    alike = [label for label in labels if _spelt(label) == _spelt(positive)]
    if len(alike) == 1:
        return alike[0]  # type: ignore[no-any-return]
    if any({*labels, positive} <= usual for usual in _USUAL):
        return positive  # of two labels that form a pair, only one occurs
    hint = suggestion(str(positive), map(str, labels), f"the data has {_listed(labels)}")
    raise InputError("bad_label", "positive", "is not a label in the data", positive, hint)


def _spelt(label: Hashable) -> str:
    """Return a label as text, whole numbers alike: 1, 1.0, "1" and "1.0" are one, and so are True and "true"."""
    if isinstance(label, bool):
        return str(label).casefold()
    number = _number(label)
    return str(label).strip().casefold() if number is None else repr(number)


def _number(label: Hashable) -> float | None:
    """Return the number that a label is or is the text of; None where it is none."""
    try:
        number = float(label) if not isinstance(label, str) or label.isascii() else math.nan  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def middle_score(scores: Iterable[Any]) -> Any:
    """Return a score near the middle of those that occur, and above the lowest."""
    known = sorted(scores, key=float)
    return known[min(max(1, (len(known) - 1) // 2), len(known) - 1)]


def _sorted(labels: Collection[Any]) -> list[Any]:
    """Sort labels, numbers before texts, and texts of numbers by their size."""
    numbers = {label: _number(label) for label in labels}

    def key(label: Any) -> tuple[bool, float, str]:
        number = numbers[label]
        return number is None, number or 0.0, str(label)

    return sorted(labels, key=key)


def _listed(labels: Collection[Any]) -> str:
    shown = [repr(label) for label in list(labels)[:_MOST_SHOWN]]
    return ", ".join(shown) + (" ..." if len(labels) > _MOST_SHOWN else "")
