"""What Briscoe et al. (2025) rests on: its groups, its metrics and estimates, and what it prints."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from fourfold import METRICS, Metric, Table

from ..paper import Paper, table

PAPER: Final = Paper("small-data")
CELLS: Final = ("tp", "fn", "fp", "tn")
# Estimates, as small_data.csv names them.
RAW: Final = "as counted"
TINY_ADDED: Final = "1e-10 added"
ONE_ADDED: Final = "1 added"
# A group, as groups.csv names it with its data.
MULTIRACIAL: Final = "Multiracial, income"
# Figure 2: its sizes, and a table with all four cells equally likely.
SHOWN_SIZES: Final = (5, 25, 100, 1000)
EQUAL_CELLS: Final = Table(tp=1, fn=1, fp=1, tn=1)


def smallest_size_and_count() -> tuple[int, int]:
    """Return the smallest size of the paper's experiments, and how many sizes its number of draws leaves room for."""
    printed = {column: int(value) for column, value in PAPER.printed_row("§6.2", "experiments").items()}
    return printed["smallest size"], printed["draws in all"] // printed["draws"] // printed["groups"]


def lines_at(place: str) -> list[dict[str, str]]:
    """Return the lines of small_data.csv that belong to a place."""
    return [line for line in table("small_data.csv") if line["place"] == place]


def metrics_at(place: str) -> list[Metric]:
    """Return the metrics of a place, each once."""
    return [METRICS[name] for name in dict.fromkeys(line["metric"] for line in lines_at(place))]


#: The metrics of the experiment on smoothing.
TESTED: Final = metrics_at("tested")
#: The strength and the epsilon of each estimate.
ESTIMATES: Final = {
    line["series"]: (Fraction(line["strength"]), Fraction(line["epsilon"])) for line in lines_at("estimate")
}
#: The estimates that draw towards a reference, the weakest first.
SMOOTHINGS: Final = sorted((name for name in ESTIMATES if ESTIMATES[name][0]), key=lambda name: ESTIMATES[name][0])
#: The tables of groups.csv by group and data.
TABLES: Final = {
    (line["group"], line["data"]): Table(**{name: int(line[name]) for name in CELLS}) for line in table("groups.csv")
}
#: Each group's table and its reference, all others in the data.
GROUPS: Final = {
    f"{group}, {data}": (
        counted,
        Table(**{name: n - counted.cells()[name] for name, n in TABLES["all", data].cells().items()}),
    )
    for (group, data), counted in TABLES.items()
    if group != "all"
}
