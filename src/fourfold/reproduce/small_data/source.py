"""What Briscoe et al. (2025) rests on: its groups, its metrics and estimates, and what it prints."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from ...formula import CELLS
from ...groups.smoothing import without
from ...metrics import METRICS, Metric
from ...space.draws import Source
from ...table import Table
from ..outcome import printed, table

PAPER: Final = "small-data"
TITLE: Final = (
    "J. Briscoe, G. Kepler, D. Deford and A. Gebremedhin (2025), Algorithmic Accountability in Small Data:"
    " Sample-Size-Induced Bias Within Classification Metrics; the published code is that of"
    " github.com/jarrenbr/Algorithmic-Accountability-in-Small-Data"
)
# Estimates, as small_data.csv names them.
RAW: Final = "as counted"
BASHFUL: Final = "1e-10 added"
ONE: Final = "1 added"
# Rows of printed.csv.
RATE: Final = "predicted positive rate of multiracial individuals"
BOUND: Final = "prevalence threshold, less than"
# Groups, as groups.csv names them.
SEEN: Final = "Multiracial, income"
HIDDEN: Final = "Black, COMPAS"
# The sizes of Figure 2.
SHOWN: Final = (5, 25, 100, 1000)
# Figure 2's law: all four cells are equally likely.
EQUAL: Final = Source((Fraction(1, 4),) * 4)


def experiment() -> tuple[int, int]:
    """Return the smallest size of the paper's experiments, and how many sizes its number of draws leaves room for."""
    said = {column: int(value) for column, value in said_at("§6.2", "experiments").items()}
    return said["smallest size"], said["draws in all"] // said["draws"] // said["groups"]


def said_at(place: str, row: str) -> dict[str, str]:
    """Return a row of what the paper prints at a place, by column."""
    return {column: value for (name, column), value in printed(PAPER, place).items() if name == row}


def lines_at(place: str) -> list[dict[str, str]]:
    """Return the lines of small_data.csv that belong to a place."""
    return [line for line in table("small_data.csv") if line["place"] == place]


def metrics_at(place: str) -> list[Metric]:
    """Return the metrics of a place, each once."""
    return [METRICS[name] for name in dict.fromkeys(line["metric"] for line in lines_at(place))]


def metric_at(place: str) -> Metric:
    """Return the one metric of a place."""
    return metrics_at(place)[0]


def all_estimates() -> dict[str, tuple[Fraction, Fraction]]:
    """Return the strength and the epsilon of each estimate."""
    return {line["series"]: (Fraction(line["strength"]), Fraction(line["epsilon"])) for line in lines_at("estimate")}


def smoothings() -> list[str]:
    """Return the estimates that draw towards a reference, the weakest first."""
    found = {name: strength for name, (strength, _) in all_estimates().items() if strength}
    return sorted(found, key=lambda name: found[name])


def all_tables() -> dict[tuple[str, str], Table]:
    """Return the tables of groups.csv by group and data."""
    return {
        (line["group"], line["data"]): Table(**{name: int(line[name]) for name in CELLS})
        for line in table("groups.csv")
    }


def all_groups() -> dict[str, tuple[Table, Table]]:
    """Return each group's table and its reference, all others in the data."""
    tables = all_tables()
    return {
        f"{group}, {data}": (own, without(tables["all", data], own))
        for (group, data), own in tables.items()
        if group != "all"
    }
