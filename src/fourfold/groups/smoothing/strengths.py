"""What is known of a strength of smoothing, and of a group's shares: a Dirichlet law for each strength, each weighted.

A strength that was learned is itself uncertain. Each strength of a grid is weighted by the likelihood of all groups'
counts; a group's shares then follow a mixture, and a smoothed score has its interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np

from ...chance.draws import Floats
from ...chance.roots import root
from ...chance.share_intervals import beta_below, beta_quantile
from ...exact import CELLS
from ...metrics import Metric
from ...table import Table
from ..testing.shares import share_of

# A strength learned from data lies between these.
LEAST, MOST = 0.01, 10_000.0
_GRID: Final = tuple(np.geomspace(LEAST, MOST, 61).tolist())
# Strengths that are less likely than this, beside the likeliest, are left out.
_NEGLIGIBLE: Final = 1e-7
# A share that is drawn smaller is taken as this: only a cell that cannot occur is 0.
_NEXT_TO_EMPTY: Final = 1e-12
# Of this many draws 250 lie beyond each end of a 95 % interval.
DRAWS: Final = 10_000
SEED: Final = 20250


class Strengths(NamedTuple):
    """Strengths, and how much weight each has; the weights sum to 1."""

    amounts: tuple[float, ...]
    weights: tuple[float, ...]


NO_STRENGTHS: Final = Strengths((), ())


class Likelihood:
    """How likely groups' counts are at a strength, if their shares scatter around the references' as Dirichlet says."""

    def __init__(self, counts: Floats, shares: Floats) -> None:
        """Take a row for each group: its counts, of any number of cells, and the shares of what it is drawn towards."""
        self._counts, self._shares = counts, shares

    @classmethod
    def of(cls, groups: Sequence[tuple[Table, Sequence[Fraction]]]) -> Likelihood:
        """Return the likelihood of tables; an empty one says nothing."""
        some = [(table, shares) for table, shares in groups if table.total]
        counts = np.array([list(table.cells().values()) for table, _ in some], dtype=np.float64)
        shares = np.array([[float(share) for share in shares] for _, shares in some])
        return cls(counts.reshape(-1, len(CELLS)), shares.reshape(-1, len(CELLS)))

    def log(self, strength: float) -> float:
        """Return the logarithm of the likelihood, but for what does not depend on the strength."""
        from scipy.special import gammaln

        # A cell that the reference lacks has no chance at any strength: it says nothing about the strength.
        known = self._shares > 0
        a = strength * np.where(known, self._shares, 1.0)
        cells = np.where(known, gammaln(self._counts + a) - gammaln(a), 0.0).sum()
        whole = (gammaln(strength) - gammaln(self._counts.sum(axis=1) + strength)).sum()
        return float(cells + whole)

    def likeliest(self) -> float:
        """Return the strength under which the counts are likeliest."""
        from scipy.optimize import minimize_scalar

        bounds = math.log(LEAST), math.log(MOST)
        return math.exp(float(minimize_scalar(lambda x: -self.log(math.exp(x)), bounds=bounds, method="bounded").x))

    def weighted(self) -> Strengths:
        """Return a grid of strengths with their weights; beforehand groups may scatter widely or not, all alike.

        The standard deviation of shares is in proportion to 1 / sqrt(strength + 1). That is as likely to be large as to
        be small beforehand; strengths alike in logarithms would make too much of groups that do not differ.
        """
        grid = np.array(_GRID)
        logs = np.array([self.log(amount) for amount in _GRID]) + np.log(grid) - 1.5 * np.log1p(grid)
        chances = np.exp(logs - logs.max())
        kept = chances > _NEGLIGIBLE
        weights = chances[kept] / chances[kept].sum()
        return Strengths(tuple(grid[kept].tolist()), tuple(weights.tolist()))


class Mixture:
    """The law of a group's shares: for each strength a Dirichlet law, whose parameters are real counts."""

    def __init__(self, parameters: Floats, weights: Sequence[float]) -> None:
        self.parameters, self.weights = parameters, np.array(weights)

    @classmethod
    def around(cls, group: Table, reference: Table, strengths: Strengths) -> Mixture:
        """Return the law after a group's cases, if its shares scatter around those of a reference.

        The reference's shares are known from its own cases only, with half a case more in each cell (Jeffreys): beside
        k cases of the reference a strength s counts as s k / (s + k), for both add to how far the group may lie off.
        """
        counts, others = (np.array(list(table.cells().values()), dtype=np.float64) for table in (group, reference))
        return cls.of_cells(counts, others, strengths)

    @classmethod
    def of_cells(cls, counts: Floats, others: Floats, strengths: Strengths) -> Mixture:
        """Do as `around` does, for any number of cells."""
        others = others + 0.5
        amounts, known = np.array(strengths.amounts), others.sum()
        added = (amounts * known / (amounts + known))[:, None] * (others / known)
        return cls(counts + added, strengths.weights)

    @classmethod
    def of(cls, counts: Sequence[float]) -> Mixture:
        """Return one Dirichlet law."""
        return cls(np.array([counts], dtype=np.float64), (1.0,))

    def interval(self, metric: Metric, level: float) -> tuple[float, float, str] | None:
        """Return the middle of a metric's law, and how it was found; None where nothing is known of it."""
        share = share_of(metric)
        if share is None:
            return self._drawn(metric, level)
        names = share.classes.first, share.classes.second
        a, b = (self.parameters[:, [CELLS.index(name) for name in part]].sum(axis=1) for part in names)
        if not (a + b).all():
            return None
        tail = (1 - level) / 2
        low, high = (_quantile(a, b, self.weights, at) for at in (tail, 1 - tail))
        return *share.scores(low, high), "exact quantiles"

    def draws(self) -> Floats:
        """Return many sets of cells whose shares follow the law, a row each, always the same ones."""
        rng = np.random.default_rng(SEED)
        # As many draws of each strength as its weight says, with no chance of their own.
        places = np.searchsorted(np.cumsum(self.weights), (np.arange(DRAWS) + 0.5) / DRAWS * self.weights.sum())
        drawn = rng.standard_gamma(self.parameters[places])
        # A cell that is next to empty is as good as empty; products of such cells would leave the range of floats.
        return np.asarray(np.where(drawn > _NEXT_TO_EMPTY, drawn, np.where(drawn > 0, _NEXT_TO_EMPTY, 0.0)))

    def _drawn(self, metric: Metric, level: float) -> tuple[float, float, str] | None:
        values = metric.formula.evaluate(dict(zip(CELLS, self.draws().T, strict=True)))
        missing = np.isnan(values)
        values = np.where(missing, np.inf, values) if metric.limits.high is None else values[~missing]
        if not len(values):
            return None
        tail = (1 - level) / 2
        low, high = np.quantile(values, [tail, 1 - tail], method="nearest").tolist()
        return low, high, f"{DRAWS} draws, seed {SEED}"


def _quantile(a: Floats, b: Floats, weights: Floats, chance: float) -> float:
    """Return the quantile of a mixture of beta laws."""
    # A law without a parameter lies at one end.
    proper = (a > 0) & (b > 0)
    at_zero = float(weights[a == 0].sum())

    def below(x: float) -> float:
        return at_zero + float(weights[proper] @ beta_below(a[proper], b[proper], x)) - chance

    if at_zero >= chance or not proper.any():
        return 0.0 if at_zero >= chance else 1.0
    quantiles = beta_quantile(a[proper], b[proper], chance)
    low, high = (float(quantiles.min()), float(quantiles.max())) if proper.all() else (0.0, 1.0)
    if below(low) >= 0:
        return low
    if below(high) <= 0:
        return high
    return root(below, low, high, xtol=1e-12)
