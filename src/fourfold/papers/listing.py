"""What can be done again: the papers, what each needs, and how long it takes."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Any, Final

from fourfold import InputError
from fourfold.errors import Notes, suggestion
from fourfold.shape import Amount, Members, Record, Result, named

from .outcome import Reproduction
from .paper import table


@dataclass(frozen=True)
class Experiment(Record):
    """A paper that can be reproduced."""

    name: Annotated[str, "What to ask for."]
    what: Annotated[str, "The paper and its tables and figures."]
    needs: Annotated[str, "Packages and data that it needs."]
    minutes: Annotated[Amount, "About how long it takes."]
    #: The module or folder here that does it.
    room: str = ""
    #: Whether it reads data sets, and whether some of them can be chosen.
    reads: bool = False
    chooses: bool = False

    def run(self, **options: Any) -> Reproduction:
        """Do it.

        Parameters
        ----------
        options
            ``output``: a folder for what was found so far; a run that was stopped continues from there. ``n_jobs``:
            how many processes to use, through joblib. ``progress``: called with the share that is done. Where it reads
            data sets, ``data``: a folder with a parquet file for each, features and a column called target; ``kept``:
            a folder to keep what is fetched from OpenML; without it, nothing is fetched. Where it chooses, ``sets``:
            names of data sets.
        """
        function = f"reproduce_{self.name.replace('-', '_')}"
        result = getattr(import_module(f".{self.room}", __package__), function)(**options)
        assert isinstance(result, Reproduction)
        return result


@dataclass(frozen=True)
class Experiments(Result, schema="experiments", source="`reproduce` without a name"):
    """The papers that can be reproduced."""

    entries: Annotated[tuple[Experiment, ...], "Every paper that can be reproduced."]
    notes: Notes = ()

    def _members(self) -> Members:
        return named("experiments", self.entries), self.notes

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record for each paper."""
        return [experiment.to_dict() for experiment in self.entries]


EXPERIMENTS: Final = {
    line["name"]: Experiment(
        *(line["name"], line["what"], line["needs"], int(line["minutes"]), line["room"]),
        *(bool(line["reads"]), bool(line["chooses"])),
    )
    for line in table("experiments.csv")
}


def experiment(name: str) -> Experiment:
    """Look an experiment up by its name."""
    if name not in EXPERIMENTS:
        hint = suggestion(name, EXPERIMENTS, f"there are {', '.join(EXPERIMENTS)}")
        raise InputError("bad_option", "name", "is not an experiment", name, hint)
    return EXPERIMENTS[name]
