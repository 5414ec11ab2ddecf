"""RECLAIM done again: widths and boundary tables against brute force and an integer programme, and a small run."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import fourfold as ff
from fourfold import writers
from fourfold.papers import sets
from fourfold.papers.reclaim import checks, parts, run, widths

from ..conftest import ADULT, all_tables, needs

pytest.importorskip("sklearn")

needs_adult = needs(ADULT)


def adult_set() -> sets.DataSet:
    (found,), _ = sets.find_sets(["adult"], ADULT.parent, None)
    return found


CELL = {"accuracy": "tp", "precision": "tp", "recall": "tn", "f1": "tp"}


def ratio(top: int, bottom: int) -> Fraction | None:
    return Fraction(top, bottom) if bottom else None


def score(name: str, tp: int, fn: int, fp: int, tn: int) -> Fraction | None:
    """The four metrics, written again."""
    return {
        "accuracy": ratio(tp + tn, tp + fn + fp + tn),
        "precision": ratio(tp, tp + fp),
        "recall": ratio(tp, tp + fn),
        "f1": ratio(2 * tp, 2 * tp + fp + fn),
    }[name]


def fitting(name: str, truth: ff.Table, decimals: int | None) -> list[tuple[int, int, int, int]]:
    """Every table with the margins of the truth whose score is within half a unit of the rounded one."""
    value = score(name, **truth.cells())
    unit = Fraction(1, 10**decimals) if decimals else Fraction(0)
    middle = round(value / unit) * unit if unit else value
    found = []
    for tp, tn in product(range(truth.positives + 1), range(truth.negatives + 1)):
        table = (tp, truth.positives - tp, truth.negatives - tn, tn)
        other = score(name, *table)
        if other is not None and abs(other - middle) <= unit / 2:
            found.append(table)
    return found


def brute(known: str, wanted: str, truth: ff.Table, decimals: int | None) -> tuple[float, ...] | None:
    """All six numbers of a width from the list of tables that fit."""
    value = score(wanted, **truth.cells())
    if score(known, **truth.cells()) is None or value is None:
        return None
    tables = fitting(known, truth, decimals)
    values = [each for each in (score(wanted, *table) for table in tables) if each is not None]
    place, other = (0, 3) if CELL[known] == "tp" else (3, 0)
    tied = []
    for pick in (min, max):
        best = pick(table[place] for table in tables)
        same = sorted((table for table in tables if table[place] == best), key=lambda table: table[other])
        tied.append([score(wanted, *table) or Fraction(0) for table in same])
    low, high = sorted(ends[0] for ends in tied)
    every = [each for ends in tied for each in ends]
    exact = max(values) - min(values)
    return (
        float(exact),
        float(high - low),
        float(max(exact - (max(every) - min(every)), 0)),
        float(value < low or value > high),
        float(value < min(every) or value > max(every)),
    )


@pytest.mark.parametrize("decimals", [1, 2, None])
def test_widths_are_those_of_brute_force(decimals: int | None) -> None:
    tables = all_tables(7)
    for i in range(0, len(tables), 3):
        truth = tables[i]
        for (known, wanted), found in zip(widths.PAIRS, widths.reconstruct(truth, decimals), strict=True):
            assert found == brute(known.id, wanted.id, truth, decimals), (truth, known, wanted)


def test_a_test_set_of_a_hundred_cases() -> None:
    truth = ff.Table(tp=46, fn=7, fp=4, tn=43)
    for (known, wanted), found in zip(widths.PAIRS, widths.reconstruct(truth), strict=True):
        assert found == brute(known.id, wanted.id, truth, 4)


def test_an_undefined_score_is_passed_over() -> None:
    pairs = [(known.id, wanted.id) for known, wanted in widths.PAIRS]
    found = dict(zip(pairs, widths.reconstruct(ff.Table(tp=0, fn=3, fp=0, tn=5)), strict=True))
    assert found["precision", "recall"] is None
    assert found["accuracy", "precision"] is None
    assert found["accuracy", "recall"] is not None


def test_the_two_tables_can_miss_the_truth() -> None:
    """F1 .7 of 10 cases, 6 positive: accuracy .5 to .7, and .6 to .7 at the boundary tables."""
    recovery = ff.recover(f1="0.7", positives=6, negatives=4)
    bounds = recovery.bounds("accuracy")
    assert (bounds.low, bounds.high) == (0.5, 0.7)
    tables = widths.boundary_tables(recovery, "tp")
    assert {(each.tp + each.tn) / 10 for each in tables} == {0.6, 0.7}


@pytest.mark.parametrize("known", CELL)
def test_boundary_tables_are_those_of_an_integer_programme(known: str) -> None:
    """Cells in the order tp, fn, fp, tn; the slack belongs to the score, so rows are whole numbers."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    top = {"accuracy": (1, 0, 0, 1), "precision": (1, 0, 0, 0), "recall": (1, 0, 0, 0), "f1": (2, 0, 0, 0)}[known]
    bottom = {"accuracy": (1, 1, 1, 1), "precision": (1, 0, 1, 0), "recall": (1, 1, 0, 0), "f1": (2, 1, 1, 0)}[known]
    numerator, denominator = np.array(top), np.array(bottom)
    rng = np.random.default_rng(3)
    for _ in range(12):
        cells = rng.integers(1, 60, 4)
        truth = ff.Table(**dict(zip(("tp", "fn", "fp", "tn"), cells.tolist(), strict=True)))
        units = round(score(known, **truth.cells()) * 10_000)
        rows = [
            LinearConstraint(
                [[1, 1, 0, 0], [0, 0, 1, 1]], [truth.positives, truth.negatives], [truth.positives, truth.negatives]
            ),
            LinearConstraint(20_000 * numerator - (2 * units - 1) * denominator, 0, np.inf),
            LinearConstraint(20_000 * numerator - (2 * units + 1) * denominator, -np.inf, 0),
            LinearConstraint(denominator, 1, np.inf),
        ]
        recovery = ff.recover(**{known: f"{units}e-4"}, positives=truth.positives, negatives=truth.negatives)
        found = widths.boundary_tables(recovery, CELL[known])
        place = 0 if CELL[known] == "tp" else 3
        for sign, tables in ((1, found[:2]), (-1, found[2:])):
            goal = np.zeros(4)
            goal[place] = sign
            solved = milp(goal, constraints=rows, integrality=np.ones(4), bounds=Bounds(0, np.inf))
            assert solved.success
            answer = np.rint(solved.x).astype(int).tolist()
            assert [list(each.cells().values())[place] for each in tables] == [answer[place]] * 2
            for wanted in CELL:
                ends = sorted(score(wanted, **each.cells()) or Fraction(0) for each in tables)
                assert ends[0] <= (score(wanted, *answer) or Fraction(0)) <= ends[1]


@needs_adult
def test_adult_is_read_right_and_with_the_fault() -> None:
    """UCI's own count is 11,687 of 48,842 above 50K; the training part alone has 7,841."""
    features, labels = run.read_adult(adult_set())
    faulty, fewer = run.read_adult(adult_set(), faulty=True)
    assert (len(labels), labels.sum(), fewer.sum()) == (48_842, 11_687, 7_841)
    # Each case has one category in each of the eight columns of texts.
    for each in (features, faulty):
        categories = each[:, ((each == 0) | (each == 1)).all(axis=0)]
        assert set(categories.sum(axis=1)) == {8}


@needs_adult
def test_the_fault_gives_the_test_part_categories_of_its_own() -> None:
    columns = sets.read_parquet(ADULT)
    part, _ = columns.pop("f0"), columns.pop("target")
    texts = [column for column in columns.values() if column.dtype.kind not in "iuf"]
    numbers = len(columns) - len(texts)
    right = sum(len(set(column.tolist())) for column in texts)
    apart = sum(len(set(zip(part.tolist(), column.tolist(), strict=True))) for column in texts)
    assert (numbers, len(texts)) == (6, 8)
    assert run.read_adult(adult_set())[0].shape[1] == numbers + right
    assert run.read_adult(adult_set(), faulty=True)[0].shape[1] == numbers + apart


PLAN = run.Plan(
    sizes=(500, 900, 1500),
    shares=(0.2, 0.5, 0.8),
    depths=(1, 2, 3, 4, 5),
    repeats=2,
    size=800,
    depth=4,
    trees=3,
    correct=(400, 401, 402, 405),
)
#: Trees (Figure 4's are among Figure 1's), toys, and the one of all small tables.
JOBS = 2 * (5 + 3 + 3) + 4 + 1


@pytest.fixture
def small_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "default_plan", lambda: PLAN)


def test_the_plan_is_the_papers() -> None:
    plan = run.default_plan()
    assert (plan.sizes[0], plan.sizes[-1], len(plan.sizes)) == (500, 250_000, 15)
    assert (plan.shares[0], plan.shares[-1], len(plan.shares)) == (0.01, 0.99, 15)
    assert (plan.depths, plan.repeats, plan.size, plan.depth, plan.trees) == (tuple(range(1, 31)), 10, 25_000, 6, 100)


@pytest.mark.usefixtures("small_plan")
def test_a_small_run_goes_on_where_it_was(tmp_path: Path) -> None:
    shares: list[float] = []
    first = run.reproduce_reclaim(output=tmp_path, progress=shares.append)
    assert shares == pytest.approx(np.arange(1, JOBS + 1) / JOBS)
    file = tmp_path / "reclaim.jsonl"
    lines = file.read_text().splitlines()
    file.write_text("\n".join(lines[:-4]) + "\n" + lines[-4][:20] + "\n")
    again: list[float] = []
    second = run.reproduce_reclaim(output=tmp_path, progress=again.append)
    writers.terminal_text(second)
    writers.html_file(second)
    # What was kept is told at once.
    assert again == pytest.approx(np.arange(JOBS - 4, JOBS + 1) / JOBS)
    assert json.loads(json.dumps(second.to_dict(), allow_nan=False)) == json.loads(json.dumps(first.to_dict()))

    places = {part.place: part for part in first.parts}
    assert list(places)[:3] == ["Figure 1", "Figure 2", "Figure 2 unrounded"]
    assert places["Table III"].verdict == places["Table III Binary ImageNet"].verdict == "not reproduced"
    assert {each.holds for each in first.statements if each.place == "§IV-E"} == {None}
    for part in first.parts:
        assert part.words.format(**part.numbers)
    for each in first.statements:
        assert each.words.format(**each.numbers)

    figure = places["Figure 2"]
    assert figure.view is not None
    columns = (
        figure.view.x,
        figure.view.y,
        figure.view.series,
        figure.view.dash,
        figure.view.panel,
        figure.view.spread,
    )
    assert all(column in record for record in figure.records for column in columns)
    assert len(figure.records) == 3 * 12 * 2
    tables = kept_tables(lines, "tree clusters 900 ")
    assert len(tables) == 2
    widths = [brute("precision", "f1", table, 4)[0] for table in tables]
    record = next(
        each
        for each in figure.records
        if (each["size"], each["known"], each["reconstructed"], each["range"])
        == (900, "from precision", "F1 score", "all tables that fit")
    )
    assert (record["width"], record["spread"]) == pytest.approx((np.mean(widths), np.std(widths)))


def kept_tables(lines: list[str], lead: str) -> list[ff.Table]:
    rows = [json.loads(line) for line in lines]
    return [ff.Table(**row["found"][0]) for row in rows if row["name"].startswith(lead)]


@needs_adult
@pytest.mark.usefixtures("small_plan")
def test_a_small_run_with_adult() -> None:
    found = run.reproduce_reclaim(ADULT.parent)
    places = {part.place: part for part in found.parts}
    assert len(places["Table III"].records) == 2 * 2 * 12 * 2
    counted = {(record["row"], record["column"]): record["agrees"] for record in places["Section IV-E"].records}
    assert counted["Adult, as it is", "rows"]
    assert not counted["Adult, as it is", "positives"]
    assert counted["Adult, as the published code reads it", "positives"]
    assert (found.agree, found.compared) == (4, 6)
    false = next(each for each in found.statements if each.place == "§IV-E")
    assert false.holds is False
    assert "7841" in false.says
    assert places["Section IV-E"].verdict == "differs"


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ff.InputError, match="is not a folder"):
        run.reproduce_reclaim(tmp_path / "nowhere")


def seen(exact: np.ndarray) -> checks.RunWidths:
    """The same exact widths, by what is varied and run, for every pair of scores."""
    values = np.zeros((*exact.shape, len(widths.PAIRS), len(widths.Width._fields)))
    values[..., 0] = exact[..., None]
    return checks.RunWidths(tuple(range(len(exact))), values)


@pytest.mark.parametrize(
    ("judge", "yes", "no"),
    [
        (checks._size_matters_little, [[0.4], [0.45]], [[0.4], [0.6]]),
        (checks._good_ones_are_narrow, [[0.1], [0.3]], [[0.1], [0.4]]),
        (checks._recall_is_linear, [[0.9], [0.6], [0.3]], [[0.9], [0.1], [0.8]]),
    ],
)
def test_rules_tell_yes_from_no(judge: object, yes: list[list[float]], no: list[list[float]]) -> None:
    assert judge(seen(np.array(yes)))[0]
    assert not judge(seen(np.array(no)))[0]


@pytest.mark.parametrize(
    ("rounded", "full", "holds"),
    [
        ({}, {}, True),
        ({"missed": 0.1}, {}, True),
        ({"outside": 1}, {}, False),
        ({}, {"outside": 1}, False),
        ({}, {"missed": 0.1}, False),
    ],
)
def test_one_run_that_the_two_tables_miss_refutes_that_none_does(
    rounded: dict[str, float], full: dict[str, float], holds: bool
) -> None:
    """The published code does not round: a wider range from rounded scores is not held against the paper."""
    both = seen(np.full((2, 1), 0.2)), seen(np.full((2, 1), 0.2))
    for each, changed in zip(both, (rounded, full), strict=True):
        for name, value in changed.items():
            each.values[1, 0, 0, widths.Width._fields.index(name)] = value
    statement, _ = parts._on_two_tables([both], np.zeros((1, len(widths.PAIRS), len(widths.Width._fields))))
    assert statement.holds is holds


def test_an_undefined_width_is_a_gap_not_a_zero() -> None:
    widths = seen(np.array([[0.2, np.nan], [np.nan, np.nan]]))
    records = [record for record in widths.records("x") if record["range"] == "all tables that fit"]
    assert [record["width"] for record in records[:2]] == [0.2, None]
    assert [record["runs"] for record in records[:2]] == [1, 0]
