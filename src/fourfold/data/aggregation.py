"""One way from any data to what is counted or summed in its groups."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from ..errors import NOTHING, InputError, Note, suggestion, verbatim
from .columns import Request, check_size, request
from .labels import alike, known, plain, stripped
from .thresholds import decision

#: By a label of the truth and the place of the predicted class: how many rows, and the sum of each column.
ClassSums: TypeAlias = dict[tuple[Any, int], tuple[int, tuple[float, ...]]]
Group: TypeAlias = tuple[Any, ...]
Progress: TypeAlias = Callable[[float], None] | None

_MOST_SHOWN: Final = 6


class Kind(NamedTuple):
    """Rows that agree in their labels and their group, and in their largest probability if there is no prediction.

    `predicted` is the label in the column of predictions, or else the place of the largest probability.
    """

    truth: Any
    predicted: Any
    group: tuple[Any, ...]
    rows: int
    tied: int
    sums: tuple[Any, ...]


@dataclass(frozen=True)
class Aggregate:
    """What was counted or summed in each group, and how many rows were left out.

    A group is given by a value per column of `by`, None where it is missing.
    """

    #: The columns that make the groups, as the data names them.
    by: tuple[str, ...]
    #: The columns of probabilities. One alone stands for two: its rest to 1, and itself.
    columns: tuple[str, ...]
    #: Kinds of rows in order of their groups; some may come more than once.
    kinds: list[Kind]
    #: How many rows were read.
    rows: int
    #: How many rows were left out because the label in a column was missing; where both were, truth counts.
    missing: dict[str, int]
    #: What a reader should know of rows that could not be read.
    notes: tuple[Note, ...] = ()

    @property
    def truths(self) -> Counter[Any]:
        """How many rows each label in the truth has."""
        return _total((kind.truth, kind.rows) for kind in self.kinds)

    @property
    def tied(self) -> dict[Group, int]:
        """For each group, how many rows have several largest probabilities; none if predictions were given."""
        return dict(_total((kind.group, kind.tied) for kind in self.kinds))

    @property
    def pairs(self) -> dict[Group, Counter[tuple[Any, Any]]]:
        """For each group, how often each pair (truth, prediction) of labels occurs."""
        pairs: dict[Group, Counter[tuple[Any, Any]]] = {}
        for kind in self.kinds:
            pairs.setdefault(kind.group, Counter())[kind.truth, kind.predicted] += kind.rows
        return pairs

    @property
    def cells(self) -> dict[Group, ClassSums]:
        """For each group, the rows and the sums of each label in the truth and each predicted class."""
        parts: dict[Group, dict[tuple[Any, int], list[Kind]]] = {}
        for kind in self.kinds:
            parts.setdefault(kind.group, {}).setdefault((kind.truth, int(kind.predicted)), []).append(kind)
        return {
            group: {key: _added(kinds) for key, kinds in kinds_by_key.items()} for group, kinds_by_key in parts.items()
        }

    def placed(self, labels: Sequence[Any] | None) -> Aggregate:
        """Put the place of its class for each predicted label; `labels` are the classes in the columns' order."""
        if labels is None:
            hint = "name the class of each column of probabilities, in order"
            raise InputError("bad_option", "labels", "is required with a prediction", NOTHING, hint)
        if len(labels) != max(len(self.columns), 2):
            shown = verbatim(f"{len(labels)} labels and {len(self.columns)} columns")
            hint = "name every column's class, in order"
            raise InputError("length_mismatch", "labels", "must be as many as columns", shown, hint)
        places = places_of(_total((kind.predicted, kind.rows) for kind in self.kinds), labels, "prediction")
        return replace(self, kinds=_ordered([kind._replace(predicted=places[kind.predicted]) for kind in self.kinds]))


def _total(counts: Iterable[tuple[Any, int]]) -> Counter[Any]:
    total: Counter[Any] = Counter()
    for value, count in counts:
        total[value] += count
    return total


def _added(kinds: list[Kind]) -> tuple[int, tuple[float, ...]]:
    columns = zip(*(kind.sums for kind in kinds), strict=True)
    return sum(kind.rows for kind in kinds), tuple(math.fsum(map(float, column)) for column in columns)


def aggregate(
    data: Any,
    *,
    truth: str,
    prediction: str | None = None,
    by: Sequence[str] = (),
    probabilities: Sequence[str] | None = None,
    tolerance: float = 1e-3,
    threshold: float | str | None = None,
    query: str | None = None,
    progress: Progress = None,
) -> Aggregate:
    """Count rows by their labels and groups, and sum their probabilities if any are named, where the data is.

    Rows whose label is missing are left out and counted; rows whose group is missing are a group of their own. With
    probabilities every row is checked: they lie in [0, 1] and sum to one.

    Data, columns, query and progress are those of `audit` and `decompose_data`; data may also be what
    `read_probabilities` returns. Without a prediction, the first of the largest probabilities tells the class. With a
    threshold, the prediction is a column of numbers, and what is predicted is True where a number is at least the
    threshold, both taken as numbers of 64 bits; rows without a number are left out and counted.

    Examples
    --------
    >>> data = {"y": ["cat", "dog", "dog"], "p_cat": [0.75, 0.5, 0.25], "p_dog": [0.25, 0.5, 0.75]}
    >>> for kind in aggregate(data, truth="y", probabilities=["p_*"]).kinds:
    ...     print(kind.truth, kind.predicted, kind.rows, kind.sums)
    cat 0 1 (0.75, 0.25)
    dog 0 1 (0.5, 0.5)
    dog 1 1 (0.25, 0.75)
    >>> data = {"y": [0, 0, 1], "risk": [3, 5, 8]}
    >>> aggregate(data, truth="y", prediction="risk", threshold=5).pairs
    {(): Counter({(0, False): 1, (0, True): 1, (1, True): 1})}
    """
    if probabilities is not None and not probabilities:
        hint = "name a column for each class, or a pattern such as p_*"
        raise InputError("bad_option", "probabilities", "must be columns", probabilities, hint)
    wanted = request(truth, prediction, by, probabilities, tolerance, threshold)
    if query is not None and not isinstance(data, str | Path):
        hint = "filter a frame before, or give the path of a database"
        raise InputError("bad_option", "query", "works only with a database file", query, hint)
    if not isinstance(tolerance, int | float) or not 0 <= tolerance < math.inf:
        raise InputError("bad_option", "tolerance", "must be a number, 0 or more", tolerance, "such as 1e-3")
    try:
        result = _sorted_out(_grouped(data, wanted, query, progress), wanted)
    except TypeError as error:
        if "unhashable" not in str(error):
            raise
        hint = "one text or number a row; for one-hot rows take the argmax"
        raise InputError("bad_label", "labels", "must be texts or numbers", data, hint) from None
    if progress:
        progress(1.0)
    return result


#: `aggregate` without probabilities: how often each pair of labels occurs in each group.
count_groups = aggregate


def count_truths(data: Any, truth: str, *, query: str | None = None) -> Counter[Any]:
    """Count how many rows each label in the truth has; rows without one are left out.

    Examples
    --------
    >>> count_truths({"y": ["cat", "dog", None, "dog"]}, "y")
    Counter({'dog': 2, 'cat': 1})
    """
    if not isinstance(truth, str):
        raise InputError("bad_option", "truth", "must be the name of a column", truth, "give it as text")
    wanted = Request(truth, None)
    return _sorted_out(_grouped(data, wanted, query, None), wanted).truths


class Grouped(NamedTuple):
    """Kinds of rows as an engine gives them.

    `names` are all columns as the data names them. A cell has a value per column of labels and groups; the place of the
    largest probability (0 if predictions are given); how many rows, how many of them are fine, and how many are tied;
    a sum per probability. `rows` is set where the engine knows it in another way than by adding up. `notes` tell of
    rows that could not be read.
    """

    names: Sequence[str]
    cells: list[tuple[Any, ...]]
    rows: int | None = None
    notes: tuple[Note, ...] = ()

    @classmethod
    def read(
        cls, names: Sequence[str], cells: Iterable[Sequence[Any]], wanted: Request, rows: int | None = None
    ) -> Grouped:
        """Take what an engine gives; where it just counted, a count stands in place of counts and sums."""
        listed = list(cells)
        check_size(len(listed), wanted.keys)
        if wanted.probabilities:
            return cls(names, [tuple(cell) for cell in listed], rows)
        if wanted.threshold is not None:
            listed = [(truth, decision(code), *rest) for truth, code, *rest in listed]
        return cls(names, [(*values, 0, count, count, 0) for *values, count in listed], rows)

    def bad_rows(self, wanted: Request) -> int:
        """Return how many rows with labels are no probabilities."""
        keys = len(wanted.keys)
        labelled = (cell for cell in self.cells if None not in map(known, cell[: wanted.labels]))
        return sum(int(cell[keys + 1]) - int(cell[keys + 2] or 0) for cell in labelled)


def _grouped(data: Any, wanted: Request, query: str | None, progress: Progress) -> Grouped:
    # Each way is imported when it is taken, so that frames need no numpy and files no frame.
    if isinstance(data, str | Path):
        from .files import aggregate_files

        return aggregate_files(str(data), wanted, query, progress)
    if isinstance(data, Mapping):
        from .arrays import aggregate_arrays

        return aggregate_arrays(data, wanted)
    from .engines import aggregate_frame

    return aggregate_frame(data, wanted)


def _sorted_out(grouped: Grouped, wanted: Request) -> Aggregate:
    """Part kinds with labels from those without, and check that every row is accounted for."""
    keys, labels = len(wanted.keys), wanted.labels
    kinds, rows, missing = [], 0, Counter[str]()
    for cell in grouped.cells:
        truth, *predicted_and_group = map(plain, cell[:keys])
        place, count, _, tied, *sums = cell[keys:]
        predicted = predicted_and_group.pop(0) if labels > 1 else place
        group = tuple(map(stripped, predicted_and_group))
        kinds.append(Kind(truth, predicted, group, int(count), int(tied or 0), (*sums,)))
        rows += int(count)
    kinds = _alike(kinds, both=labels > 1 and wanted.threshold is None)
    assert grouped.rows in (None, rows), f"{grouped.rows} rows, but {rows} were counted"
    if not rows:
        raise InputError("empty", "data", "has no rows", verbatim("0 rows"), "check the filter before it")
    known = []
    for kind in _ordered(kinds):
        if kind.truth is None or (labels > 1 and kind.predicted is None):
            missing[grouped.names[0 if kind.truth is None else 1]] += kind.rows
        else:
            hash(kind[:3])  # labels that cannot be told apart are refused here, not where they are used
            known.append(kind)
    by, columns = tuple(grouped.names[labels:keys]), tuple(grouped.names[keys:])
    return Aggregate(by, columns, known, rows, missing, grouped.notes)


def _alike(kinds: list[Kind], *, both: bool) -> list[Kind]:
    """Bring labels to one spelling, those of the prediction too if `both` are labels."""
    if not both:
        [truths] = alike([{kind.truth for kind in kinds}])
        return [kind._replace(truth=truths[kind.truth]) for kind in kinds]
    truths, predictions = alike([{kind.truth for kind in kinds}, {kind.predicted for kind in kinds}])
    return [kind._replace(truth=truths[kind.truth], predicted=predictions[kind.predicted]) for kind in kinds]


def _ordered(kinds: list[Kind]) -> list[Kind]:
    """Sort by group and labels, what is missing last: engines give an order of their own, another in each run."""
    try:
        return sorted(kinds, key=lambda kind: [(value is None, value) for value in (*kind.group, *kind[:2])])
    except TypeError:  # values of several kinds
        return sorted(kinds, key=lambda kind: [(value is None, str(value)) for value in (*kind.group, *kind[:2])])


def places_of(counts: Counter[Any], labels: Sequence[Any], argument: str) -> dict[Any, int]:
    """Return the place of each label among the classes; kinds may differ where texts agree, as 1 and "1" do."""
    known = {name: place for spelt in (map(str, labels), labels) for place, name in enumerate(spelt)}
    places = {label: next((known[name] for name in label_spellings(label) if name in known), None) for label in counts}
    lost = [label for label, place in places.items() if place is None]
    if lost:
        hint = suggestion(str(lost[0]), map(str, labels), f"the columns are for {', '.join(map(str, labels[:6]))}")
        rows = sum(counts[label] for label in lost)
        shown = verbatim(f"{lost[0]!r} in {counts[lost[0]]} rows, and {rows} such rows in all")
        raise InputError("bad_label", argument, "has a label with no column", shown, hint)
    return {label: place for label, place in places.items() if place is not None}


def label_spellings(label: Any) -> Iterable[Any]:
    """Yield what a label may be written as: itself, its text, and a whole number as one."""
    yield label
    yield str(label)
    if isinstance(label, bool | float) and float(label).is_integer():
        yield str(int(label))


def bad_rows(count: int, where: str | None, values: Sequence[Any]) -> InputError:
    """Say what is wrong with rows of probabilities, by one of them: the first, where rows have an order."""
    numbers = [math.nan if plain(value) is None else float(value) for value in values]
    texts = ", ".join("missing" if math.isnan(x) else f"{round(x, 6)}" for x in numbers[:_MOST_SHOWN])
    one = f"the first is {where}" if where else "one of them"
    shown = verbatim(f"{count} such {'rows' if count > 1 else 'row'}, {one}: [{texts}]")
    problem, hint = _wrong(numbers)
    return InputError("bad_probability", "probabilities", problem, shown, hint)


def _wrong(row: Sequence[float]) -> tuple[str, str]:
    if any(math.isnan(x) for x in row):
        return "must be numbers, none missing", "drop or fill those rows"
    if min(row) < 0 or max(row) > 1:
        percent = min(row) >= 0 and (abs(sum(row) - 100) < 1 or (len(row) == 1 and row[0] <= 100))
        hint = "divide percentages by 100" if percent else "these look like logits or scores: apply softmax first"
        return "must lie between 0 and 1", hint
    return "must sum to one in each row", "divide each row by its sum, or raise the tolerance if they were rounded"
