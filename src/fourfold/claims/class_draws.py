"""A search for margins of classes that fit, where tables are too many to be listed.

It starts from what honest reports look like. Right and predicted cases of each class are drawn as numbers that need not
be whole, and moved until all sums lie where they should. Near them whole right cases are looked for, then, beside each
of these, whole predicted cases. Both times the lists of two halves of the classes are joined, so that as many choices
are looked at as the product of the lists in about the time of their sum. Floats only point to choices: what fits is
decided exactly. All chance comes from a fixed seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from ..errors import TooLarge
from ..exact import CELLS, Formula
from ..solve.parts import Budget, Problem, Rooted, Tie, lines_of
from ..solve.problem import TRUSTED, Cells, Floats, Part
from ..solve.rows import Ints, Pairs, Rows

# So many starts are moved together, so many steps each.
_STARTS, _STEPS = 12, 20
# In one start of so many nothing of one class is found.
_NOTHING_FOUND: Final = 4
# What is off by less than so many cases is as good as where it should be.
_CLOSE: Final = 0.02
# Of more classes than this, the others have the whole numbers next to those drawn.
_VARIED: Final = 6
# A list of one half of the classes has about so many entries, and so many pairs of a join are looked at.
_LISTED, _JOINED = 4_000, 100_000
# Beside so many choices of right cases for each start, predicted cases are looked for.
_TRIED: Final = 24
# What is off by so many cases cannot be mended by whole ones.
_FAR: Final = 2.0
# So many choices that seem to fit are decided exactly for each list.
_DECIDED: Final = 20


#: Right and predicted cases of all classes.
DrawnMargins: TypeAlias = tuple[Ints, Ints]

#: Right and predicted cases that need not be whole, a row for each draw, and how far off the sums of each are.
_Moved: TypeAlias = tuple[Floats, Floats, Floats]


class _Line(NamedTuple):
    """One sum over the classes: a formula, and what its value is scaled by and shifted by in each class."""

    formula: Formula
    scale: Floats
    shift: Floats


class Draws:
    """Classes of known sizes with the tables each may have, and what ties them."""

    def __init__(
        self,
        rows: Sequence[Rows],
        ties: Sequence[Tie],
        hits: Ints,
        predicted: int,
        defined: Sequence[Formula],
    ) -> None:
        self.rows, self.ties, self.hits, self.predicted, self.defined = rows, ties, hits, predicted, defined
        self._found: list[DrawnMargins] = []
        self.rng = np.random.default_rng(0)
        self.sizes = np.array([int(part.positives[0]) for part in rows])
        self.rest = np.array([int(part.negatives[0]) for part in rows])
        margins = list(zip(self.sizes.tolist(), self.rest.tolist(), strict=True))
        self.lines = [
            [
                _Line(amounts[0].formula, *np.array([amount[1:] for amount in amounts], dtype=float).T)
                for amounts in tie.sums
            ]
            for tie in ties
        ]
        #: Ties of one sum that right cases alone tell.
        self.of_hits: dict[int, tuple[Floats, Floats]] = {}
        for i, tie in enumerate(ties):
            line = lines_of(tie.sums[0], margins) if len(tie.sums) == 1 else None
            if line is not None and not any(b for _, b, _ in line):
                slopes, constants = (np.array([float(way[k]) for way in line]) for k in (0, 2))
                self.of_hits[i] = slopes, constants
        self.others = [i for i in range(len(ties)) if i not in self.of_hits]
        #: The least and the most predicted cases of each class by right cases; none where least > most.
        self.least, self.most = [], []
        for part, size, rest in zip(rows, self.sizes.tolist(), self.rest.tolist(), strict=True):
            least, most = np.full(size + 1, size + rest + 1), np.full(size + 1, -1)
            np.minimum.at(least, part.tp, part.tp + rest - part.high)
            np.maximum.at(most, part.tp, part.tp + rest - part.low)
            self.least.append(least)
            self.most.append(most)
        #: The least and the most right, and predicted, cases of each class.
        self.ends = np.array([
            (part.tp.min(), part.tp.max(), least.min(), most.max())
            for part, least, most in zip(rows, self.least, self.most, strict=True)
        ], dtype=float).T  # fmt: skip

    def found(self, effort: int) -> list[DrawnMargins]:
        """Return some margins that fit, the first that are found; none if so many choices were listed before."""
        budget = Budget(effort)
        try:
            while not self._found:
                budget.spend(_LISTED)
                wanted = self.rng.choice(self.hits, _STARTS)
                tp, predicted = self._drawn(float(self.hits.mean() / self.sizes.sum()))
                if len(self.hits) > _STARTS:
                    # Other sums tell how many cases may be right.
                    tp, predicted, _ = self._moved(tp, predicted, None)
                    place = np.searchsorted(self.hits, tp.sum(axis=1))
                    wanted = self.hits[np.minimum(place, len(self.hits) - 1)]
                tp, predicted, off = self._moved(tp, predicted, wanted)
                for i in [i for i in np.argsort(off, kind="stable")[: _STARTS // 2] if off[i] < _FAR]:
                    self._found = self._found or self._near(tp[i], predicted[i], int(wanted[i]), budget)
        except TooLarge:
            pass
        return self._found

    def _drawn(self, right: float) -> tuple[Floats, Floats]:
        """Draw shares of right cases around one, and predicted cases around the size."""
        shape = _STARTS, len(self.rows)
        wide = self.rng.choice([0.02, 0.1, 0.2, 0.5], (_STARTS, 1))
        share = np.clip(right + self.rng.normal(size=shape) * wide, 0.02, 0.98)
        spread = np.exp(self.rng.normal(size=shape) * wide)
        # Some classifiers find nothing of one class.
        share[::_NOTHING_FOUND, self.rng.integers(shape[1])] = 0.0
        return share * self.sizes, self.sizes * spread

    def _moved(self, tp: Floats, predicted: Floats, wanted: Ints | None, *, fixed: bool = False) -> _Moved:
        """Move drawn numbers, many draws at a time, until all sums lie where they should, as far as they can.

        `fixed` is whether right cases stay as they are. With the numbers comes how far off their sums are.
        """
        off, best = np.zeros(len(tp)), np.full(len(tp), np.inf)
        total = self.sizes + self.rest
        for step in range(_STEPS + 1):
            low_tp, high_tp, low, high = self.ends
            if not fixed:
                tp = np.clip(tp, np.maximum(low_tp, 1e-3), np.maximum(high_tp, 1e-3))
            low, high = np.maximum(low, tp + 1e-3), np.minimum(high, total - self.sizes + tp)
            wrong = self.predicted - tp.sum(axis=1, keepdims=True)
            high = np.minimum(high, np.maximum(wrong - (self.sizes - tp) + tp, low))
            predicted = np.clip(predicted, low, np.maximum(low, high))
            slopes, short = self._slopes(tp, predicted, wanted, fixed=fixed)
            off = np.abs(short).max(axis=1, initial=0.0)
            # Steps go on where they still help.
            if step == _STEPS or not ((off > _CLOSE) & (off < 0.9 * best)).any():
                break
            best = np.minimum(best, off)
            free = 0.0 * tp if fixed else tp * np.maximum(self.sizes - tp, 0) / np.maximum(self.sizes, 1) + 0.5
            give = np.concatenate([free, predicted], axis=1)
            scaled = slopes * give[:, None, :]
            square = scaled @ slopes.transpose(0, 2, 1)
            by = np.linalg.pinv(square, 1e-9, hermitian=True) @ short[:, :, None]
            more_tp, more = np.split((scaled.transpose(0, 2, 1) @ by)[:, :, 0], 2, axis=1)
            tp, predicted = tp + more_tp, predicted + more
        return tp, predicted, off

    def _slopes(self, tp: Floats, predicted: Floats, wanted: Ints | None, *, fixed: bool) -> tuple[Floats, Floats]:
        """Return how each wanted sum changes with tp and predicted of each class, and how much it is short.

        Both are in units of its slope: about how many cases it is off.
        """
        cells = self._cells(tp, predicted)
        slopes, short = [], []
        ones, none = np.ones_like(tp), np.zeros_like(tp)
        if wanted is not None and not fixed:
            slopes.append(np.concatenate([ones, none], axis=1))
            short.append(wanted - tp.sum(axis=1))
        slopes.append(np.concatenate([none, ones], axis=1))
        short.append(self.predicted - predicted.sum(axis=1))
        for i, (tie, lines) in enumerate(zip(self.ties, self.lines, strict=True)):
            if fixed and i in self.of_hits:
                continue
            sums, changes = [], []
            for line in lines:
                with np.errstate(all="ignore"):
                    values = (line.formula.fold(cells.__getitem__, float, np.sqrt) - line.shift) * line.scale
                    of = line.formula.slopes(cells)
                by = {name: np.nan_to_num(of.get(name, none), posinf=0.0, neginf=0.0) for name in CELLS}
                ways = (by["tp"] - by["fn"] - by["fp"] + by["tn"], by["fp"] - by["tn"])
                changes.append(np.concatenate([way * line.scale for way in ways], axis=1))
                sums.append(np.nan_to_num(values * ones, posinf=0.0, neginf=0.0).sum(axis=1))
            value, change = sums[0], changes[0]
            if isinstance(tie, Rooted):
                root = np.sqrt(np.maximum(sums[1] * sums[2], 1e-9))
                value = value / root
                change = change / root[:, None] - (value / 2)[:, None] * sum(
                    each / np.maximum(one, 1e-9)[:, None] for each, one in zip(changes[1:], sums[1:], strict=True)
                )
            low, high = tie.ends
            middle = (low + high) / 2
            miss = middle - value if np.isfinite(middle) else np.maximum(low - value, 0) + np.minimum(high - value, 0)
            size = np.sqrt((change**2).sum(axis=1)) + 1e-12
            # A sum with one end asks for nothing where it is on the right side of it.
            asks = (miss != 0) | np.isfinite(middle)
            slopes.append(np.where(asks[:, None], change / size[:, None], 0.0))
            short.append(miss / size)
        return np.stack(slopes, axis=1), np.stack(short, axis=1)

    def _cells(self, tp: Any, predicted: Any, place: Ints | slice = slice(None)) -> Cells:
        sizes, rest = self.sizes[place], self.rest[place]
        return {"tp": tp, "fn": sizes - tp, "fp": predicted - tp, "tn": rest - predicted + tp}

    def _near(self, tp: Floats, predicted: Floats, wanted: int, budget: Budget) -> list[DrawnMargins]:
        """Return whole numbers that fit near some that need not be whole; none where they are not found."""
        varied = np.sort(self.rng.permutation(len(self.rows))[:_VARIED])
        known = [np.flatnonzero(most >= least) for least, most in zip(self.least, self.most, strict=True)]
        near = self._whole(tp)
        near = np.array([own[np.abs(own - n).argmin()] for own, n in zip(known, near.tolist(), strict=True)])
        right = self._joined(varied, known, tp, wanted, [*self.of_hits], near, None, budget)
        if not len(right):
            return []
        right = right[self.rng.permutation(len(right))[:_TRIED]]
        start = np.tile(predicted, (len(right), 1))
        _, moved, off = self._moved(right.astype(float), start, right.sum(axis=1), fixed=True)
        for i in np.argsort(off, kind="stable"):
            close = off[i] < max(_FAR, 0.5 * len(self.rows))
            if close and (found := self._completed(right[i], moved[i], varied, budget)):
                return found
        return []

    def _completed(self, tp: Ints, predicted: Floats, varied: Ints, budget: Budget) -> list[DrawnMargins]:
        """Return predicted cases that fit beside right cases."""
        least, most = (
            np.array([own[n] for own, n in zip(ends, tp.tolist(), strict=True)]) for ends in (self.least, self.most)
        )
        # What is wrong in one class must find its place in the others.
        most = np.minimum(most, self.predicted - int(tp.sum()) - (self.sizes - tp) + tp)
        if (least > most).any():
            return []
        near = np.clip(self._whole(predicted), least, most)
        choices = [np.arange(low, high + 1) for low, high in zip(least, most, strict=True)]
        found = self._joined(varied, choices, predicted, self.predicted, self.others, near, tp, budget)
        return [(tp, each) for each in found[:_DECIDED] if self._fits(tp, each)]

    def _whole(self, numbers: Floats) -> Ints:
        """Round numbers so that their sum stays nearly the same."""
        order = self.rng.permutation(len(numbers))
        ends = np.rint(np.cumsum(numbers[order]) + self.rng.random() - 0.5)
        out = np.empty(len(numbers), dtype=np.int64)
        out[order] = np.diff(ends, prepend=0).astype(np.int64)
        return out

    def _joined(
        self,
        varied: Ints,
        choices: list[Ints],
        around: Floats,
        wanted: int,
        tied: Sequence[int],
        near: Ints,
        tp: Ints | None,
        budget: Budget,
    ) -> Ints:
        """Return whole numbers of all classes, a row each, that bring their sum and all others where they should be.

        They are right cases where `tp` is None, else predicted cases beside these. Those of some classes are varied;
        the other classes have those that are `near`.
        """
        kept = np.delete(np.arange(len(near)), varied)
        halves = np.split(varied, [(len(varied) + 1) // 2])
        full = [near[[c]] for c in range(len(near))]
        for places in halves:
            for c, window in zip(places, _windows([choices[c] for c in places], around[places]), strict=True):
                full[c] = window
        # All combinations of places, a row each.
        lists = [np.indices([len(full[c]) for c in places]).reshape(len(places), -1).T for places in halves]
        budget.spend(sum(map(len, lists)))
        added = self._added(full, tied, tp)
        counts, sums = [], []
        for places, rows in zip(halves, lists, strict=True):
            chosen = list(zip(places, rows.T, strict=True))
            counts.append(sum((full[c][row] for c, row in chosen), np.zeros(len(rows), int)))
            sums.append(sum((added[c][:, row] for c, row in chosen), np.zeros((len(added[0]), len(rows)))))
        sums[0] = sums[0] + sum((added[c] for c in kept), np.zeros((len(added[0]), 1)))
        pairs = self._pairs(counts, sums, wanted - int(near[kept].sum()), tied)
        out = np.tile(near, (len(pairs[0]), 1))
        for places, rows, at in zip(halves, lists, pairs, strict=True):
            for j, c in enumerate(places):
                out[:, c] = full[c][rows[at, j]]
        return out

    def _added(self, counts: list[Ints], tied: Sequence[int], tp: Ints | None) -> list[Floats]:
        """Return what some counts of each class add to each sum of some ties: a row each."""
        place = np.repeat(np.arange(len(counts)), [len(each) for each in counts])
        every, rows = np.concatenate(counts), []
        for i in tied:
            if tp is None:
                a, constant = self.of_hits[i]
                rows.append(a[place] * every + constant[place])
                continue
            for line in self.lines[i]:
                values = line.formula.evaluate(self._cells(tp[place], every, place))
                rows.append(np.nan_to_num((values - line.shift[place]) * line.scale[place]))
        ends = np.cumsum([len(each) for each in counts])[:-1]
        return np.split(np.array(rows).reshape(len(rows), len(every)), ends, axis=1)

    def _pairs(self, counts: list[Ints], sums: list[Floats], goal: int, tied: Sequence[int]) -> tuple[Ints, Ints]:
        """Return pairs of entries of two lists whose counts and sums are as they should be."""
        places, at = [], 0
        for i in tied:
            places.append(slice(at, at + len(self.lines[i])))
            at = places[-1].stop
        doubt = TRUSTED * (sum(np.abs(each).max(axis=1, initial=0.0) for each in sums) + 1)
        first, second = (each.astype(float) for each in counts)
        low = high = goal - first
        # Those of one count are sorted by the sum that leaves least.
        sharpest = [
            ((self.ties[i].ends[1] - self.ties[i].ends[0]) / wide, i, where.start, wide)
            for i, where in zip(tied, places, strict=True)
            if len(self.lines[i]) == 1 and (wide := float(np.ptp(sums[1][where.start])))
        ]
        if sharpest:
            _, i, c, wide = min(sharpest)
            step, base = 4 * (float(np.ptp(sums[0][c])) + wide), float(sums[1][c].min())
            room = float(doubt[c]) + 1e-9
            second = second * step + (sums[1][c] - base)
            low, high = (
                near * step + np.clip(end - sums[0][c] - base, -step / 4, step / 2)
                for near, end in ((low, self.ties[i].ends[0] - room), (high, self.ties[i].ends[1] + room))
            )
        pairs = Pairs(second, low, high)
        few = pairs.total <= _JOINED
        a, b = pairs.at(np.arange(pairs.total) if few else np.unique(self.rng.integers(0, pairs.total, _JOINED)))
        for i, where in zip(tied, places, strict=True):
            both = sums[0][where][:, a] + sums[1][where][:, b]
            room = doubt[where, None]
            good = ~self.ties[i].clear(list(zip(both - room, both + room, strict=True)))[0]
            a, b = a[good], b[good]
        return a, b

    def _fits(self, tp: Ints, predicted: Ints) -> bool:
        """Decide exactly whether margins fit."""
        cells = self._cells(tp, predicted)
        for n, q, part in zip(tp.tolist(), predicted.tolist(), self.rows, strict=True):
            tn = int(part.negatives[0]) - q + n
            if not ((part.tp == n) & (part.low <= tn) & (tn <= part.high)).any():
                return False
        if any(np.isnan(formula.evaluate(cells)).any() for formula in self.defined):
            return False
        parts = tuple(Part(*(column[[i]] for column in cells.values())) for i in range(len(tp)))
        return Problem(parts, self.hits, self.predicted, self.predicted, tuple(self.ties)).fits((0,) * len(tp))


def _windows(choices: Sequence[Ints], around: Floats) -> list[Ints]:
    """Return the counts of each class that are next to a number, all together not too many to be combined."""
    left, out = float(_LISTED), [choice[:0] for choice in choices]
    # Where a class has few, the others may have more.
    order = sorted(range(len(choices)), key=lambda i: len(choices[i]))
    for number, i in enumerate(order):
        width = max(int(left ** (1 / (len(order) - number))), 1)
        first = int(np.searchsorted(choices[i], around[i] - width / 2))
        first = min(first, max(len(choices[i]) - width, 0))
        out[i] = choices[i][first : first + width]
        left /= len(out[i])
    return out
