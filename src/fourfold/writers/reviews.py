"""A review as a file: each report with its verdict behind it, written as it comes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from ..batch import PartFile, Piece, run
from ..claims import ADDED_ENDING, added, is_last_table
from ..data import csv_line, write_rows

Row: TypeAlias = Mapping[Any, Any]


class WrittenReview(NamedTuple):
    """How many reports got each verdict, and which of the columns that were added have another name than usual."""

    verdicts: Mapping[str, int]
    renamed: Sequence[str]


def write_review(
    output: str | Path,
    rows_after: Callable[[int], Iterable[Row]],
    about: Mapping[str, Any],
    tell: Callable[[str], None],
) -> WrittenReview:
    """Write the rows of a review to a CSV file.

    Parameters
    ----------
    output
        The file. It gets its place when all rows are done; the same call continues after an interruption.
    rows_after
        Gives the rows with their verdicts, but for this many that were done before.
    about
        What tells the same review from another one.
    tell
        Is told what becomes of what an earlier run kept.
    """
    if Path(output).exists() and not Path(output).is_file():
        # A pipe or a device is written to, not replaced.
        return _through(output, rows_after(0))

    def work(part: PartFile) -> Iterator[Piece]:
        names, verdicts = list(part.state.get("names", ())), dict(part.state.get("verdicts", {}))
        data = b""
        for row in rows_after(part.rows):
            if not part.rows and not data:
                names = [name for name in row if name is not None]
                data = _line(names)
            data += _line([row.get(name) for name in names])
            # All tables of a report are written together, so that none is written twice after an interruption.
            if is_last_table(row):
                verdict = added(row)["verdict"]
                verdicts = {**verdicts, verdict: verdicts.get(verdict, 0) + 1}
                yield Piece(data, part.rows + 1, {"names": names, "verdicts": verdicts})
                data = b""

    def finish(part: PartFile) -> WrittenReview:
        part.put_in_place()
        return WrittenReview(part.state.get("verdicts", {}), _renamed(part.state.get("names", ())))

    return run(output, about, work, finish, tell=tell)


def _through(output: str | Path, rows: Iterable[Row]) -> WrittenReview:
    verdicts, names = Counter[str](), dict[Any, None]()

    def counted() -> Iterable[Row]:
        for row in rows:
            verdicts[added(row)["verdict"]] += is_last_table(row)
            names.update(dict.fromkeys(row))
            yield row

    write_rows(output, counted())
    return WrittenReview(verdicts, _renamed(names))


def _renamed(names: Iterable[Any]) -> list[str]:
    return [name for name in names if name is not None and name.endswith(ADDED_ENDING)]


def _line(cells: Sequence[object]) -> bytes:
    return csv_line(cells).encode("utf-8", "replace")
