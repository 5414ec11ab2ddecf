"""A picture of a recovery about several classes: what each cell of the k-by-k table can be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ..answers import contradiction, short_class_verdict
from ..claims import ClassRecovery
from ..errors import TooLarge
from ..words import count_of, sentence
from .heat import MOST_WRITTEN, cell_width, heat_map
from .style import Record, styled, unchecked

if TYPE_CHECKING:
    import altair

# Of so few classes the cells are wide enough for words and the names of classes.
_FEW: Final = 6
_CELL_WORDS: Final = {"Actual": "Actual class", "Predicted": "Predicted class", "Cases": "Cases"}


@unchecked
def cells(recovery: ClassRecovery) -> altair.LayerChart:
    """Draw the least and the largest count of each cell over the tables of several classes that `recover` found.

    Rows are actual classes, columns predicted ones; the darker a cell, the larger its largest count. A cell with one
    number has that count in all tables. There may be at most twelve classes.

    Examples
    --------
    >>> from fourfold import recover
    >>> chart = cells(recover(classes=[5, 5, 5], accuracy="0.9333", **{"recall[0]": "1.0", "recall[1]": "0.8"}))
    >>> chart.to_dict()["title"]["text"]
    '2 sets of margins fit'
    """
    labels = recovery.claim.labels
    if len(labels) > MOST_WRITTEN:
        hint = "--bars draws the bounds of its scores; in Python, cells() has the counts"
        raise TooLarge("too_large", "recovery", f"has more than {MOST_WRITTEN} classes", len(labels), hint)
    records = _records(recovery)
    look: Record = {
        "largest": max(1, *(record["value"] for record in records)),
        "width": cell_width([*(record["text"] for record in records), *(labels if len(labels) <= _FEW else ())]),
        "legend": ("Cases, at most",) if recovery.count else (),
        "words": _CELL_WORDS,
    }
    chart: altair.LayerChart = styled(
        heat_map(records, labels, **look), short_class_verdict(recovery), [*about_classes(recovery), *_lines(recovery)]
    )
    return chart


def _records(recovery: ClassRecovery) -> list[Record]:
    """Return a record a cell; where no table was found, empty ones."""
    cells, labels = recovery.cells(), recovery.claim.labels
    places = [(i, j) for i in range(len(labels)) for j in range(len(labels))]
    ends = [(cells.low[i][j], cells.high[i][j]) if cells else (0, 0) for i, j in places]
    dash = " to " if len(labels) <= _FEW else "-"
    texts = [(str(low) if low == high else f"{low}{dash}{high}") if cells else "" for low, high in ends]
    return [
        {"Actual": labels[i], "Predicted": labels[j], "value": high, "text": text, "Cases": text}
        for (i, j), (_, high), text in zip(places, ends, texts, strict=True)
    ]


def contradiction_lines(blame: Sequence[Sequence[str]]) -> list[str]:
    """Say what contradicts each other, a line each."""
    lines = [contradiction(names, sure=False) for names in blame]
    return [sentence(line) if line.startswith("no table") else line for line in lines]


def about_classes(recovery: ClassRecovery) -> list[str]:
    """Say what the test set is, and what contradicts each other."""
    sizes = f"{count_of(len(recovery.claim.labels), 'class')}, {recovery.claim.total} cases"
    if recovery.verdict == "conditional":
        return [sizes, f"Possible only if {recovery.reading}"]
    return [sizes, *contradiction_lines(recovery.blame)]


def _lines(recovery: ClassRecovery) -> list[str]:
    cells = recovery.cells()
    if cells is None:
        return []
    words = "In each cell: how many cases there are at least and at most, over all tables that fit"
    return [words] if cells.sharp else [words, "No table goes beyond; not all ends are proven to be attained"]
