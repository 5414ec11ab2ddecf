"""Metrics that are decided by one share: x of k cases, as recall is by 2 found of 5.

Every ratio of counts is one, and so are F1 and Jaccard: tp of tp + fp + fn, for F1 = 2J / (1 + J). Tests, intervals and
plans need only x and k, and a rising or falling line from the share to the score.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, NamedTuple

from ...chance.laws import Classes, classes_of
from ...metrics import DIAGNOSTIC_ODDS_RATIO, Metric
from ...shape import Count
from ...table import Table


class Counted(NamedTuple):
    """How many of how many cases."""

    hits: Annotated[Count, "How many, such as the positives that were found."]
    of: Annotated[Count, "Out of how many."]


@dataclass(frozen=True)
class Share:
    """A metric as a share: which cells are counted, among which, and how the score follows.

    Examples
    --------
    >>> from fourfold.metrics import metric
    >>> f1 = share_of(metric("f1"))
    >>> f1.counted(Table(tp=2, fn=1, fp=1, tn=6)), f1.score(0.5)
    (Counted(hits=2, of=4), 0.6666666666666666)
    """

    classes: Classes

    def counted(self, table: Table) -> Counted:
        """Return how many of how many cases decide the score of a table."""
        cells = table.cells()
        hits, rest = (sum(cells[name] for name in names) for names in (self.classes.first, self.classes.second))
        return Counted(hits, hits + rest)

    def score(self, share: float) -> float:
        """Return the score at a share; infinite where its divisor is 0."""
        top, bottom = self.classes.sums(share, 1 - share, 0)
        return top / bottom if bottom else math.inf

    def share(self, score: float) -> float:
        """Return the share at a score."""
        if math.isinf(score):
            return 1.0 if self.rising else 0.0
        (a, b, _), (d, e, _) = self.classes.top, self.classes.bottom
        return (b - score * e) / (b - a + score * (d - e))

    @property
    def rising(self) -> bool:
        """Whether a larger share is a higher score."""
        return self.score(1.0) > self.score(0.0)

    def scores(self, low: float, high: float) -> tuple[float, float]:
        """Return the scores of a range of shares, the lower one first."""
        ends = self.score(low), self.score(high)
        return min(ends), max(ends)


@lru_cache(maxsize=4096)
def share_of(metric: Metric) -> Share | None:
    """Return a metric as a share; None where it is decided by more than two counts."""
    classes = classes_of(metric.formula)
    return Share(classes) if classes is not None and classes.name != "trinomial" else None


def is_odds_ratio(metric: Metric) -> bool:
    """Tell whether a metric is tp tn / (fp fn), which has an exact law given all margins."""
    return metric.formula == DIAGNOSTIC_ODDS_RATIO.formula
