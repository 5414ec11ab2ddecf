"""What can be done again: the papers, what each needs, and how long it takes."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from ..errors import InputError, suggestion
from .outcome import Reproduction


@dataclass(frozen=True)
class Experiment:
    """A paper that can be done again."""

    name: str
    what: str
    needs: str
    minutes: int
    #: Whether it reads data sets, and whether some of them can be chosen.
    reads: bool = False
    chooses: bool = False

    def run(self, **options: Any) -> Reproduction:
        """Do it.

        Parameters
        ----------
        options
            ``output``: a folder for what was found so far; a run that was stopped goes on from there. ``n_jobs``: how
            many processes work at it, through joblib. ``progress``: called with the share that is done. Where it reads
            data sets, ``data``: a folder with a parquet file for each, features and a column called target; ``kept``:
            a folder to keep what is fetched from OpenML, nothing is fetched without. Where it chooses, ``sets``: names
            of data sets.
        """
        module = self.name.replace("-", "_")
        found = getattr(import_module(f".{module}", __package__), f"reproduce_{module}")(**options)
        assert isinstance(found, Reproduction)
        return found


@dataclass(frozen=True)
class Experiments:
    """The list of them."""

    entries: tuple[Experiment, ...]

    def rows(self) -> list[dict[str, Any]]:
        """Return a record for each."""
        return [
            {"name": each.name, "what": each.what, "needs": each.needs, "minutes": each.minutes}
            for each in self.entries
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"schema": "fourfold/experiments", "version": 1, "experiments": self.rows(), "notes": []}


EXPERIMENTS: Final = {
    each.name: each
    for each in (
        Experiment(
            "reclaim",
            "RECLAIM by F. Giobergia, scores from reported scores: Figures 1 to 5, Table III",
            "fourfold[reproduce]; adult.parquet in --data, or --fetch, for Table III",
            3,
            reads=True,
        ),
        Experiment(
            "small-data",
            "J. Briscoe and others (2025), small groups: Figures 1 to 7, Tables 1 and 2",
            "nothing",
            2,
        ),
        Experiment(
            "certainty",
            "J. S. Aguilar-Ruiz (2024), certainty ratios: Tables 1 to 6",
            "fourfold[reproduce]; the 21 data sets in --data, or some of them by --fetch",
            2,
            reads=True,
            chooses=True,
        ),
    )
}


def experiment(name: str) -> Experiment:
    """Look an experiment up by its name."""
    if name not in EXPERIMENTS:
        hint = suggestion(name, EXPERIMENTS, f"there are {', '.join(EXPERIMENTS)}")
        raise InputError("bad_option", "name", "is no experiment", name, hint)
    return EXPERIMENTS[name]
