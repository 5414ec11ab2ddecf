"""Known test sets: public ones that published tables use, with the sizes of their classes and their source.

They stand in `known_sets.csv`, a line each. To add one, add its line there.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Annotated, Any

from ..errors import InputError, Notes, TooLarge, suggestion
from ..shape import Count, Record, Result
from .claim import Size, TableClaim
from .search import solve
from .shared_sizes import ResultRows, meanings, read_rows


@dataclass(frozen=True)
class KnownSet(Record):
    """A public data set or a part of one, and how many cases of each class it has."""

    id: Annotated[str, "Its name here."]
    name: Annotated[str, "What it is called."]
    edition: Annotated[str, "Which version of it, or which task."]
    split: Annotated[str, "Which part of it: the test set, or all cases."]
    positives: Annotated[Count | None, "Actual positives; null for several classes."]
    negatives: Annotated[Count | None, "Actual negatives; null for several classes."]
    positive: Annotated[str, "What counts as positive."]
    classes: Annotated[tuple[Count, ...], "The sizes of the classes, for more than two."]
    origin: Annotated[str, "Where the figures are from."]

    @property
    def sizes(self) -> dict[str, Any]:
        """Its sizes as `recover` takes them."""
        if self.classes:
            return {"classes": list(self.classes)}
        return {"positives": self.positives, "negatives": self.negatives}

    @property
    def total(self) -> int:
        """All its cases."""
        return sum(self.classes) if self.classes else (self.positives or 0) + (self.negatives or 0)

    def __str__(self) -> str:
        parts = [self.name, *(part for part in (self.edition, self.split) if part)]
        if self.classes:
            return f"{', '.join(parts)} ({len(self.classes)} classes, {self.total:,} cases)"
        return f"{', '.join(parts)} ({self.positives:,} {self.positive}, {self.negatives:,} other)"


@dataclass(frozen=True)
class KnownSets(Result, schema="datasets", source="`datasets`", members="sets notes"):
    """Known test sets.

    Examples
    --------
    >>> [known.id for known in datasets("ISIC").sets]
    ['isic2016', 'isic2017_melanoma', 'isic2017_keratosis']
    """

    sets: Annotated[tuple[KnownSet, ...], "The test sets."]
    notes: Notes = ()

    def _rows(self) -> list[dict[str, Any]]:
        """Return a record for each test set."""
        return [known.to_dict() | {"classes": ":".join(map(str, known.classes))} for known in self.sets]


@lru_cache(maxsize=1)
def _all() -> tuple[KnownSet, ...]:
    text = resources.files(__package__).joinpath("known_sets.csv").read_text(encoding="utf-8")
    sets = []
    for line in csv.DictReader(text.splitlines()):
        p, n = (int(line[name]) if line[name] else None for name in ("positives", "negatives"))
        classes = tuple(int(size) for size in line["classes"].split(":") if size)
        which = line["id"], line["name"], line["version"], line["split"]
        sets.append(KnownSet(*which, p, n, line["positive"], classes, line["source"]))
    return tuple(sets)


def datasets(name: str = "", *, rows: ResultRows | None = None, total: int | None = None) -> KnownSets:
    """Return known public test sets, with the sizes of their classes and where the figures are from.

    Parameters
    ----------
    name
        Only those in whose name this stands.
    rows
        Only those of two classes that leave each of these rows of a table of results a table of counts.
    total
        Only those of so many cases.

    Examples
    --------
    >>> rows = {"A": {"accuracy": "0.855", "recall": "0.507", "specificity": "0.941"}}
    >>> [str(known) for known in datasets(rows=rows, total=379).sets]
    ['ISIC 2016, task 3, test (75 melanoma, 304 other)']
    """
    wanted = name.casefold()
    found = (known for known in _all() if wanted in f"{known.id} {known.name} {known.edition}".casefold())
    if total is not None:
        found = (known for known in found if known.total == total)
    if rows is None:
        return KnownSets(tuple(found))
    claims = [claim for _, claim in read_rows(rows)]
    of_two = (known for known in found if not known.classes)
    return KnownSets(tuple(known for known in of_two if all(_fits(claim, known) for claim in claims)))


def dataset(name: str) -> KnownSet:
    """Return the known test set of this name.

    Examples
    --------
    >>> dataset("isic2016").sizes
    {'positives': 75, 'negatives': 304}
    """
    known = {each.id: each for each in _all()}
    if name not in known:
        hint = suggestion(name, known, "`fourfold datasets` lists all")
        raise InputError("bad_option", "dataset", "is no known test set", name, hint)
    return known[name]


def known_as(positives: int, negatives: int) -> Iterator[KnownSet]:
    """Yield the known test sets with these sizes, whichever of both classes counts as positive there."""
    return (known for known in _all() if {positives, negatives} == {known.positives, known.negatives})


def _fits(claim: TableClaim, known: KnownSet) -> bool:
    """Tell whether a known test set leaves a row a table; where that is too much to search for, it may."""
    p, n = known.positives or 0, known.negatives or 0
    sized = claim.changed(positives=Size(p, p), negatives=Size(n, n))
    try:
        return any(not feasible.empty or not feasible.complete for feasible in map(solve, meanings(sized)))
    except TooLarge:
        return True
