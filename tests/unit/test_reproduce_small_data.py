"""Briscoe et al. (2025) done again: its numbers beside ones that are found in another way."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from fourfold.papers import Part, Reproduction, Statement, write_folder
from fourfold.papers.paper import table
from fourfold.papers.small_data import curves, run, source
from fourfold.words import worded

from ..conftest import MATRICES, needs

Cells = tuple[int, ...]
CELLS = ("tp", "fn", "fp", "tn")
SIZES = range(1, 13)
SHOWN = (5, 25)
OTHER = "Other, income"


def again(folder: Path | None, progress: Callable[[float], None] | None = None) -> Reproduction:
    """The paper at few sizes."""
    return run._reproduced(SIZES, SHOWN, output=folder, n_jobs=1, progress=progress)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reproduced")


@pytest.fixture(scope="module")
def outcome(folder: Path) -> Reproduction:
    return again(folder)


def part(outcome: Reproduction, place: str) -> Part:
    return next(each for each in outcome.parts if each.place == place)


def statement(outcome: Reproduction, words: str) -> Statement:
    (found,) = (each for each in outcome.statements if words in each.says)
    return found


def counts() -> dict[tuple[str, str], Cells]:
    return {(line["data"], line["group"]): tuple(int(line[name]) for name in CELLS) for line in table("groups.csv")}


def groups() -> dict[str, tuple[Cells, Cells]]:
    """Each group's counts and those of all others."""
    known = counts()
    return {
        f"{group}, {data}": (own, tuple(a - b for a, b in zip(known[data, "all"], own, strict=True)))
        for (data, group), own in known.items()
        if group != "all"
    }


def shares(cells: Cells) -> list[Fraction]:
    return [Fraction(count, sum(cells)) for count in cells]


def tables(size: int) -> Iterator[Cells]:
    for tp, fn, fp in product(range(size + 1), repeat=3):
        if tp + fn + fp <= size:
            yield tp, fn, fp, size - tp - fn - fp


def chance(cells: Cells, of: list[Fraction]) -> Fraction:
    ways = math.factorial(sum(cells)) // math.prod(map(math.factorial, cells))
    return ways * math.prod((share**count for share, count in zip(of, cells, strict=True)), start=Fraction(1))


def mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)


@needs(MATRICES)
def test_groups_are_those_of_the_papers_code() -> None:
    known = json.loads(MATRICES.read_text(encoding="utf-8"))
    income, compas = known["acs_income_ca_2017"], known["compas"]
    short = {"American Indian and Alaska Native": "AI and AN", "American Indian": "Amer. Indian"}
    for (data, group), cells in counts().items():
        inside = compas if data == "COMPAS" else {"all": income["all"]} | income["groups"]
        assert list(cells) == [count for row in inside[short.get(group, group)] for count in row]


def test_groups_add_up() -> None:
    known = counts()
    income = [cells for (data, group), cells in known.items() if data == "income" and group != "all"]
    assert len(income) == 8
    assert tuple(map(sum, zip(*income, strict=True))) == known["income", "all"]
    assert all(count >= 0 for _, others in groups().values() for count in others)
    assert len(groups()) == int(source.PAPER.printed("§6.2")["experiments", "groups"])


def test_sizes_of_the_experiments() -> None:
    # 1.45 billion draws are a million for each of ten groups and 145 sizes: 5 to 149.
    assert source.smallest_size_and_count() == (5, 145)


def test_figure_1_has_binomial_quantiles(outcome: Reproduction) -> None:
    tp, fn, fp, tn = counts()["income", "Multiracial"]
    share = (tp + fp) / (tp + fn + fp + tn)
    levels = {"2.5 %": 0.025, "25 %": 0.25, "median": 0.5, "75 %": 0.75, "97.5 %": 0.975}
    figure = part(outcome, "Figure 1")
    assert len(figure.records) == 50 * 6
    for record in figure.records:
        level, size = levels.get(record["series"]), record["size"]
        expected = share if level is None else stats.binom.ppf(level, size, share) / size
        assert record["score"] == pytest.approx(expected, abs=1e-12)
    said = statement(outcome, "predicted positive rate of Figure 1")
    assert said.holds is None
    assert (said.numbers["predicted"], said.numbers["actual"], said.numbers["total"]) == (757 + 724, 757 + 609, 5956)


def signed_square(cells: Cells) -> Fraction | None:
    """MCC times its size: exact, and in the same order as MCC."""
    tp, fn, fp, tn = cells
    top, bottom = tp * tn - fp * fn, (tp + fn) * (fp + tn) * (tp + fp) * (fn + tn)
    return Fraction(top * abs(top), bottom) if bottom else None


def recall(cells: Cells) -> Fraction | None:
    return Fraction(cells[0], cells[0] + cells[1]) if cells[0] + cells[1] else None


@pytest.mark.parametrize(
    ("panel", "value", "square", "as_zero"),
    [
        ("Recall", recall, False, False),
        ("Matthews correlation coefficient", signed_square, True, False),
        ("Matthews correlation coefficient, undefined as 0", signed_square, True, True),
    ],
)
def test_figure_2_by_enumeration(outcome: Reproduction, panel: str, value: Any, square: bool, as_zero: bool) -> None:
    drawn = [(value(cells), chance(cells, [Fraction(1, 4)] * 4)) for cells in tables(5)]
    drawn = [(Fraction(0) if as_zero and v is None else v, mass) for v, mass in drawn]
    defined = [(v, mass) for v, mass in drawn if v is not None]
    whole = sum(mass for _, mass in defined)
    records = [each for each in part(outcome, "Figure 2").records if (each["panel"], each["size"]) == (panel, 5)]
    assert len(records) == 201
    for record in records:
        point = Fraction(record["score"]).limit_denominator(1000)
        limit = point * abs(point) if square else point
        expected = sum(mass for v, mass in defined if v <= limit) / whole
        assert record["chance"] == pytest.approx(float(expected), abs=1e-8)


def test_figure_2_is_not_about_every_table_once(outcome: Reproduction) -> None:
    said = statement(outcome, "takes every table once")
    assert said.holds is False
    accuracies = [Fraction(tp + tn, 25) for tp, _, _, tn in tables(25)]
    once = sum(1 for each in accuracies if each <= Fraction(2, 5)) / len(accuracies)
    square = sum((each - Fraction(1, 2)) ** 2 for each in accuracies) / len(accuracies)
    assert said.numbers["once"] == pytest.approx(once, abs=1e-12)
    assert said.numbers["drawn"] == pytest.approx(stats.binom.cdf(10, 25, 0.5), abs=1e-12)
    assert said.numbers["once_spread"] == pytest.approx(math.sqrt(square), abs=1e-12)
    assert said.numbers["drawn_spread"] == pytest.approx(0.5 / math.sqrt(25), abs=1e-12)


def defined(row: str, cells: Cells) -> bool:
    tp, fn, fp, tn = cells
    margins = (tp + fn, fp + tn, tp + fp, fn + tn)
    return {
        "simplified F1 score": 2 * tp + fp + fn > 0,
        "joint ratio metrics": margins[0] > 0,
        "Matthews correlation coefficient": math.prod(margins) > 0,
        "prevalence threshold, at least": margins[0] * margins[1] > 0 and tp * tn != fp * fn,
        "prevalence threshold, less than": margins[0] * margins[1] > 0 and tp * tn != fp * fn,
        "original F1 score": tp > 0,
        "treatment equality": fp > 0,
        "all tables": False,
    }.get(row, True)


def bound(n: int) -> float:
    twice = math.log(math.log(n))
    return math.exp(0.5772156649015329) * n * twice + 0.6483 * n / twice


PRINTED: dict[str, Callable[[int], float]] = {
    "binomial metrics": lambda n: 0,
    "marginal benefit": lambda n: 0,
    "objective fairness index": lambda n: 0,
    "simplified F1 score": lambda n: 1,
    "joint ratio metrics": lambda n: n + 1,
    "Matthews correlation coefficient": lambda n: 4 * n,
    "prevalence threshold, at least": lambda n: 2 * n + 2,
    "prevalence threshold, less than": bound,
    "treatment equality": lambda n: 2 * math.comb(n + 2, 2) - 1,
    "original F1 score": lambda n: math.comb(n + 2, 2),
    "all tables": lambda n: math.comb(n + 3, 3),
}


@pytest.mark.parametrize("row", PRINTED)
def test_table_1_by_enumeration(outcome: Reproduction, row: str) -> None:
    (record,) = (each for each in part(outcome, "Table 1").records if each["row"] == row)
    size = record["size"]
    undefined = sum(not defined(row, cells) for cells in tables(size))
    every = math.comb(size + 3, 3)
    exact = every**2 - (every - undefined) ** 2 if row == "treatment equality" else undefined
    assert record["exact_count"] == exact
    assert record["printed_count"] == pytest.approx(PRINTED[row](size), rel=1e-12)
    assert record["agrees"] == (row not in ("prevalence threshold, less than", "treatment equality"))
    assert size == {"prevalence threshold, less than": 4, "treatment equality": 3}.get(row, 30)


def test_departs_from_the_bound_on_the_prevalence_threshold(outcome: Reproduction) -> None:
    said = statement(outcome, "bound of order")
    # A brute-force count: 17 tables at N = 4, where the bound is 10.27.
    assert (said.holds, said.numbers["first"], said.numbers["exact"]) == (False, 4, 17)
    assert said.numbers["bound"] == pytest.approx(bound(4))
    # Pillai(n) + 2 n + 1 with the sum of gcds taken term by term.
    n = said.numbers["size"]
    assert said.numbers["ratio"] == pytest.approx((sum(math.gcd(k, n) for k in range(1, n + 1)) + 2 * n + 1) / bound(n))


def test_table_2_has_two_columns_exchanged(outcome: Reproduction) -> None:
    own, others = groups()["Black, COMPAS"]
    whole = counts()["COMPAS", "all"]
    rows = {
        "straight": (shares(own), shares(others)),
        "swapped": ([shares(own)[i] for i in (0, 2, 1, 3)], [shares(whole)[i] for i in (0, 2, 1, 3)]),
    }
    records = part(outcome, "Table 2").records
    assert len(records) == 32
    for record in records:
        for reading, name in (("straight", "found"), ("swapped", "found_swapped")):
            group, rest = (side[CELLS.index(record["column"])] for side in rows[reading])
            kind, _, difference = record["row"].partition(", ")
            value = {"Black (hidden)": group, "no prior": 0, "uniform prior": Fraction(1, 4)}.get(kind, rest)
            assert record[name] == pytest.approx(float(abs(group - value) if difference else value), abs=1e-12)
    assert all(record["agrees_swapped"] for record in records)
    # The others as in ProPublica's tables: 3,276 defendants who are not Black.
    assert [round(float(share), 3) for share in shares(others)] == [0.035, 0.054, 0.169, 0.741]
    assert part(outcome, "Table 2").verdict == "differs"
    said = statement(outcome, "differ least")
    assert said.numbers["cps"] == pytest.approx(
        float(sum(abs(a - b) for a, b in zip(shares(own), shares(others), strict=True)))
    )
    assert (said.holds, said.numbers["nearer"]) == (True, "fp")


def test_example_of_the_binomial_test(outcome: Reproduction) -> None:
    said = statement(outcome, "In the example z")
    assert said.holds is True
    assert said.numbers["at_most"] == pytest.approx(stats.binom.cdf(80, 100, 0.75), abs=1e-12)
    assert said.numbers["z"] == pytest.approx(5.5 / math.sqrt(18.75))
    higher = statement(outcome, "So the score is higher")
    assert higher.holds is False
    assert higher.numbers["below"] == pytest.approx(stats.binom.cdf(79, 100, 0.75), abs=1e-12)


def test_departs_from_equation_5(outcome: Reproduction) -> None:
    _, fn, fp, _ = shares(counts()["COMPAS", "all"])
    up, down = float(fp), float(fn)
    masses = dict.fromkeys(range(-100, 101), 0.0)
    for i in range(101):
        for j in range(101 - i):
            masses[i - j] += float(stats.binom.pmf(i, 100, up) * stats.binom.pmf(j, 100 - i, down / (1 - up)))
    mu, sigma = up - down, math.sqrt(up + down - (up - down) ** 2)
    off = dict.fromkeys(("printed", "scaled", "corrected"), 0.0)
    below = 0.0
    for k, mass in masses.items():
        below += mass
        places = {"printed": (k - mu) / sigma, "scaled": (k - 100 * mu) / sigma / 10}
        places["corrected"] = places["scaled"] + 0.05 / sigma
        off = {name: max(off[name], abs(stats.norm.cdf(z) - below)) for name, z in places.items()}
    said = statement(outcome, "Equation 5")
    assert said.holds is False
    assert {name: said.numbers[name] for name in off} == pytest.approx(off, abs=1e-9)


def test_departs_from_equations_10_and_11(outcome: Reproduction) -> None:
    whole = counts()["COMPAS", "all"]
    positives = shares(whole)[0] + shares(whole)[1]
    ten = statement(outcome, "Equation 10")
    assert (ten.holds, ten.numbers["end"]) == (False, pytest.approx(1 - float((1 - positives) ** 5), abs=1e-12))
    eleven = statement(outcome, "Equation 11")
    exact = [at_most_nine_tenths(cells) for (data, _), cells in counts().items() if data == "COMPAS"]
    assert eleven.holds is False
    # The incomplete beta function as a binomial tail.
    assert eleven.numbers["beta"] == pytest.approx(stats.binom.sf(9, 11, 0.9), abs=1e-12)
    assert (eleven.numbers["least"], eleven.numbers["most"]) == pytest.approx((min(exact), max(exact)), abs=1e-12)


def at_most_nine_tenths(reference: Cells, size: int = 100) -> float:
    tp, fn, fp, tn = map(float, shares(reference))
    found = [
        stats.binom.pmf(k, size, tp + fn) * stats.binom.cdf(9 * k // 10, k, tp / (tp + fn)) for k in range(1, size + 1)
    ]
    return math.fsum(found) / (1 - (fp + tn) ** size)


def curve(outcome: Reproduction, place: str, label: str, series: str) -> dict[int, float]:
    records = part(outcome, place).records
    return {each["size"]: each["mse"] for each in records if (each["metric"], each["series"]) == (label, series)}


def share_error(own: Cells, others: Cells, size: int, strength: int) -> Fraction:
    """The expected squared error of a smoothed prevalence, in closed form."""
    p, rest = (shares(cells)[0] + shares(cells)[1] for cells in (own, others))
    return (size * p * (1 - p) + strength**2 * (rest - p) ** 2) / (size + strength) ** 2


@pytest.mark.parametrize(
    ("series", "strength"),
    [("as counted", 0), ("CPS, strength 5", 5), ("CPS, strength 10", 10), ("CPS, strength 20", 20)],
)
def test_figure_4_in_closed_form(outcome: Reproduction, series: str, strength: int) -> None:
    found = curve(outcome, "Figure 4", "Prevalence", series)
    assert list(found) == list(range(5, 13))
    for size, mse in found.items():
        expected = [float(share_error(own, others, size, strength)) for own, others in groups().values()]
        assert mse == pytest.approx(mean(expected), rel=1e-10)


def test_departs_from_smoothing_always_helps(outcome: Reproduction) -> None:
    said = statement(outcome, "dominates the original")
    raw, smoothed = (share_error(*groups()[OTHER], 12, strength) for strength in (0, 5))
    assert said.holds is True  # on average over the groups
    assert said.numbers["where"] == f"{OTHER}, Prevalence, N = 12"
    assert (said.numbers["raw"], said.numbers["smoothed"]) == pytest.approx((float(raw), float(smoothed)), rel=1e-10)
    assert (round(float(raw), 6), round(float(smoothed), 6)) == (0.007006, 0.007038)
    assert share_error(*groups()[OTHER], 11, 5) < share_error(*groups()[OTHER], 11, 0)
    assert all(share_error(*groups()[OTHER], n, 5) > share_error(*groups()[OTHER], n, 0) for n in range(12, 150))
    # At up to 12 cases this is the only case in which the weakest smoothing does harm.
    every = statement(outcome, "CPS, strength 5 has a lower")
    # Summed over the sizes it does none, so that the paper's words can be read either way.
    assert (every.holds, every.numbers["worse"], every.numbers["all"]) == (None, 1, 10 * 15 * 8)
    assert every.numbers["summed"] == 0


def estimate(name: str, cells: tuple[float, ...]) -> float | None:
    tp, fn, fp, tn = cells
    if name == "Matthews correlation coefficient":
        bottom = (tp + fn) * (fp + tn) * (tp + fp) * (fn + tn)
        return (tp * tn - fp * fn) / math.sqrt(bottom) if bottom else None
    if name == "Prevalence threshold":
        if not (tp + fn and fp + tn) or tp * (fp + tn) == fp * (tp + fn):
            return None
        hit, alarm = tp / (tp + fn), fp / (fp + tn)
        return math.sqrt(alarm) / (math.sqrt(hit) + math.sqrt(alarm))
    parts = {"Recall": (tp, fn), "False positive rate": (fp, tn)}[name]
    return parts[0] / sum(parts) if sum(parts) else None


@pytest.mark.parametrize(
    ("place", "name", "series"),
    [
        ("Figure 5", "Matthews correlation coefficient", "as counted"),
        ("Figure 5", "Recall", "as counted"),
        ("Figure 5", "Recall", "CPS, strength 20"),
        ("Figure 3", "Matthews correlation coefficient", "1e-10 added"),
        ("Figure 3", "Prevalence threshold", "CPS, strength 5"),
        ("Figure 3", "False positive rate", "1e-10 added"),
        ("Figure 3", "Recall", "1e-10 added"),
    ],
)
def test_errors_by_enumeration(outcome: Reproduction, place: str, name: str, series: str) -> None:
    strength = int(series.rpartition(" ")[2]) if series.startswith("CPS") else 0
    epsilon = 1e-10 if series == "1e-10 added" else 0.0
    found = []
    for own, others in groups().values():
        target = estimate(name, tuple(map(float, own)))
        assert target is not None
        more = [strength * float(share) + epsilon for share in shares(others)]
        squares = masses = 0.0
        for cells in tables(5):
            value = estimate(name, tuple(count + add for count, add in zip(cells, more, strict=True)))
            if value is not None:
                mass = float(chance(cells, shares(own)))
                squares, masses = squares + mass * (value - target) ** 2, masses + mass
        found.append(squares / masses)
    # Where 1e-10 is all that is in a row, a quotient keeps about six digits.
    assert curve(outcome, place, name, series)[5] == pytest.approx(mean(found), rel=1e-6)


def test_departs_from_where_the_recall_curve_starts(outcome: Reproduction) -> None:
    said = statement(outcome, "starts at 0.035")
    hits = [Fraction(own[0], own[0] + own[1]) for own, _ in groups().values()]
    # One case that is positive is found or not.
    assert said.numbers["start"] == pytest.approx(mean([float(hit * (1 - hit)) for hit in hits]), rel=1e-10)
    assert said.holds is False
    rise = statement(outcome, "rises from size 1")
    positives = [shares(own)[0] + shares(own)[1] for own, _ in groups().values()]
    # With next to nothing added, a sample without positives has a recall of a half.
    expected = [p * h * (1 - h) + (1 - p) * (Fraction(1, 2) - h) ** 2 for p, h in zip(positives, hits, strict=True)]
    assert rise.numbers["start"] == pytest.approx(mean([float(each) for each in expected]), rel=1e-6)
    assert (rise.holds, rise.numbers["peak"]) == (True, 8)


def test_bias_and_variance_are_as_printed(outcome: Reproduction) -> None:
    assert statement(outcome, "equations 31 and 32").holds is True


def test_smoothed_scores_are_defined(outcome: Reproduction) -> None:
    said = statement(outcome, "chance of an undefined")
    worst = 0.0
    for own, _ in groups().values():
        undefined = (cells for cells in tables(5) if not defined("prevalence threshold, at least", cells))
        worst = max(worst, float(sum(chance(cells, shares(own)) for cells in undefined)))
    assert (said.holds, said.numbers["smoothed"]) == (True, 0)
    assert said.numbers["raw"] == pytest.approx(worst, abs=1e-10)


def test_negligible_is_not_decided(outcome: Reproduction) -> None:
    said = statement(outcome, "negligible")
    expected = [mean([float(share_error(*pair, size, 0)) for pair in groups().values()]) for size in (50, 100)]
    assert said.holds is None
    assert [said.numbers["at_small"], said.numbers["at_large"]] == pytest.approx(expected, rel=1e-10)


def test_every_figure_table_and_statement_can_be_told(outcome: Reproduction) -> None:
    assert [each.place for each in outcome.parts] == [*(f"Figure {i}" for i in range(1, 8)), "Table 1", "Table 2"]
    for each in (*outcome.parts, *outcome.statements):
        assert "{" not in worded(each.words, each.numbers)
    for each in outcome.parts:
        assert each.records
        assert each.view is None or {each.view.x, each.view.y, each.view.series} <= set(each.records[0])
    json.dumps(outcome.to_dict(), allow_nan=False)
    assert outcome.compared == 32 + 11


def test_it_can_be_handed_on(outcome: Reproduction, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    write_folder(outcome, tmp_path)
    for each in outcome.parts:
        assert (tmp_path / f"{each.slug}.{'svg' if each.view else 'md'}").stat().st_size > 500
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert all(each.place in page for each in (*outcome.parts, *outcome.statements))


def test_a_second_run_does_nothing_again(outcome: Reproduction, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any) -> None:
        raise AssertionError("was done before")

    monkeypatch.setattr(curves, "_errors", never)
    monkeypatch.setattr(curves, "_distribution", never)
    assert again(folder).to_dict() == outcome.to_dict()


def test_a_run_that_was_cut_off_goes_on(outcome: Reproduction, folder: Path, tmp_path: Path) -> None:
    lines = (folder / "small-data.jsonl").read_text(encoding="utf-8").splitlines()
    kept = "\n".join(lines[:-1]) + "\n" + lines[-1][:50]
    (tmp_path / "small-data.jsonl").write_text(kept, encoding="utf-8")
    told: list[float] = []
    assert again(tmp_path, told.append).to_dict() == outcome.to_dict()
    assert told == [pytest.approx(1 - 1 / len(lines)), 1.0]
