"""Small runs of the attack on averages; its scores are written anew, and are compared here with those of the library."""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np
import pytest

import fourfold as ff
from fourfold.metrics import Convention

from ..conftest import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

import averages


@pytest.mark.parametrize(
    ("kind", "count"), [("means", 60), ("hull", 500), ("ranks", 25), ("reports", 30)], ids=lambda part: str(part)
)
def test_a_small_attack_finds_nothing_wrong(kind: str, count: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert averages.main([kind, "--count", str(count), "--directions", "6", "--seed", "7"]) == 0
    assert "0 wrong" in capsys.readouterr().out


def test_both_ways_to_write_a_score_agree() -> None:
    """Where all is defined, and where a rate is not and counts as 0."""
    own = [(tp, 3 - tp, 4 - tn, tn) for tp in range(4) for tn in range(5)]
    names = [name for name in averages.NAMES if name.partition("_")[0] not in ("macro", "weighted")]
    for cells, row in zip(own, averages.scores(own, names, "zero"), strict=True):
        for name, value in zip(names, row, strict=True):
            exact = ff.metric(name).value(
                dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True)), Convention(fill=Fraction(0))
            )
            assert value == pytest.approx(float(exact)), (name, cells)


def test_the_attack_notices_a_direction_that_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where refuted averages are made up, tables show it."""
    from fourfold.solve.averages import Averages, Refuted

    monkeypatch.setattr(Averages, "decide", lambda self, *_: Refuted((1.0,) * len(self.scores), 0.1, 0.2))
    outcome = averages.Outcome()
    averages.attack_hull(np.random.default_rng(1), 100, 3, outcome)
    assert outcome.wrong
