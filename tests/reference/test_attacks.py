"""A small run of every attack, and all questions that once had a wrong answer; docs/explanation/attacks.md has the long runs."""

from __future__ import annotations

import json
import sys
from itertools import product

import pytest

from ..conftest import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

import attack
from attacks.kinds import KINDS
from attacks.running import KEPT, Attack, Progress, case_of, expect, keep, run, run_piece
from attacks.scores import AVERAGED, COUNTS, SCORES, World, meant_by
from attacks.surds import decimal, score

#: How many questions of each kind are asked here.
SMALL = {"certainty": 20, "check": 25, "classes": 100, "folds": 40, "groups": 100, "recover": 100}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_small_attack_finds_nothing_wrong(kind: str) -> None:
    piece = run_piece(KINDS[kind], kind, 1, 0, SMALL[kind])
    assert piece.wrong == []
    assert sum(piece.answers.values()) == SMALL[kind]


@pytest.mark.parametrize("entry", json.loads(KEPT.read_text(encoding="utf-8")), ids=lambda entry: entry["problem"][:60])
def test_what_was_wrong_is_right_now(entry: dict) -> None:
    assert KINDS[entry["kind"]]().problem(entry["case"]) is None


@pytest.mark.parametrize(
    "name", [*SCORES, *COUNTS, *(f"{a}_{b}" for a, b in product(("macro", "weighted", "micro"), AVERAGED))]
)
def test_both_ways_to_write_a_score_agree(name: str) -> None:
    """What judges answers is itself written twice: in columns of whole numbers, and one by one from rates."""
    world = World([(p, n) for p, n in product(range(4), repeat=2) if p + n])
    for undefined in ("none", "zero", "one", "excluded"):
        values = world.values(meant_by(name), undefined)
        for i, cells in enumerate(world.tables):
            exact = score(meant_by(name), cells, undefined)
            assert (exact is not None) == values.defined[i], (cells, undefined)
            if exact is not None:
                assert values.shown(values.key(i)) == pytest.approx(float(decimal(exact)), abs=1e-12), (
                    cells,
                    undefined,
                )


class Odd(Attack):
    """Questions about numbers, to which every number from 7 on is a wrong answer."""

    def make(self, random):
        return {"number": random.randint(0, 100)}

    def judge(self, case):
        expect(case["number"] < 7, "too large")
        return "small"

    def smaller(self, case):
        yield {"number": case["number"] - 1}


def test_an_attack_is_resumed_where_it_stopped(tmp_path, capsys) -> None:
    whole = run(Odd, Progress("odd", 3), 50, size=10)
    first = run(Odd, Progress("odd", 3), 20, size=10, resume=tmp_path / "state.json")
    assert first.done == 20
    again = run(
        Odd, Progress.read(tmp_path / "state.json", "odd", 3), 50, size=10, jobs=2, resume=tmp_path / "state.json"
    )
    assert (again.done, again.answers, again.wrong) == (50, whole.answers, whole.wrong)
    assert len(whole.wrong) > 30
    with pytest.raises(SystemExit):
        Progress.read(tmp_path / "state.json", "odd", 4)


def test_a_failing_question_is_made_small_and_kept(tmp_path, capsys) -> None:
    number = next(i for i in range(100) if case_of(Odd(), "odd", 3, i)["number"] > 20)
    keep(Odd(), Progress("odd", 3, wrong=[[number, ""]]), tmp_path / "kept.json")
    [entry] = json.loads((tmp_path / "kept.json").read_text())
    assert (entry["case"], entry["problem"]) == ({"number": 7}, "wrong: too large")
    assert f"odd, seed 3, number {number}" in capsys.readouterr().out


def test_the_command_says_what_it_did(tmp_path, capsys) -> None:
    assert attack.main(["recover", "--count", "5", "--seed", "2", "--keep", str(tmp_path / "kept.json")]) == 0
    assert "recover: 5 reports, 0 wrong, seed 2" in capsys.readouterr().out
