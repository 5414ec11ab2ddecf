"""What a document says about one classifier: scores, a matrix, sizes, as they are printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, NamedTuple, TypeAlias

from ..documents.blocks import Place
from ..shape import Count, Record, Result

Kind: TypeAlias = Literal["classification report", "matrix", "scores"]
Printed: TypeAlias = Mapping[str, str]


@dataclass(frozen=True)
class ReadColumn(Record):
    """A column of a table, and what it was taken for."""

    head: Annotated[str, "Its heading; empty if it has none."]
    meaning: Annotated[str, "How it was read, or why it was not used."]
    used: Annotated[bool, "Whether it was used."]
    number: Annotated[int | None, "Which column of the table it is, from 1; none where scores stand in rows."] = None
    said: Annotated[str | None, "What you said it is, if you did."] = None


class OtherUnit(NamedTuple):
    """A score whose number may be per cent or a share of 1: how it reads the other way, and what is said then."""

    #: The score, with its class in brackets where it is that of one.
    name: str
    text: str
    assumed: str
    #: What is said of the reading that was taken; empty where nothing is.
    instead_of: str = ""


class Nearby(NamedTuple):
    """A score that the text near a report says, perhaps of something else."""

    name: str
    text: str
    #: Where the text stands to the report: above or below.
    where: str


@dataclass(frozen=True)
class Report(Result, schema="report", source="`read`"):
    """What a document says about one classifier, every number as the text that is printed."""

    kind: Annotated[Kind, "What it is."]
    where: Annotated[Place, "Where it begins."]
    title: Annotated[str, "The method's or model's name, a heading or a caption; empty where there is none."] = ""
    classes: Annotated[tuple[Printed, ...], "The rows of classes: the label, then what is printed, by name."] = ()
    accuracy: Annotated[str | None, "The accuracy."] = None
    macro: Annotated[Printed, "Unweighted means over the classes."] = field(default_factory=dict)
    weighted: Annotated[Printed, "Means weighted by the classes' sizes."] = field(default_factory=dict)
    micro: Annotated[Printed, "Scores of all decisions together."] = field(default_factory=dict)
    matrix: Annotated[tuple[tuple[int, ...], ...] | None, "The confusion matrix, rows actual."] = None
    matrix_rows_printed: Annotated[Literal["truth", "prediction"] | None, "What its rows were in print."] = None
    labels: Annotated[tuple[str, ...], "The labels of the matrix, in its order; empty where none are printed."] = ()
    positive: Annotated[str | None, "The class that the document calls positive."] = None
    scores: Annotated[Printed, "Other scores, by the name of the metric."] = field(default_factory=dict)
    total: Annotated[Count | None, "How many cases there are."] = None
    positives: Annotated[Count | None, "How many of them are positive."] = None
    negatives: Annotated[Count | None, "How many of them are negative."] = None
    folds: Annotated[Count | None, "The number of folds over which the scores are means, if the document says so."] = (
        None
    )
    runs: Annotated[
        Count | None, "The number of runs over which they are means, or how often the folds were split again."
    ] = None
    complete: Annotated[bool, "Whether all rows are there."] = True
    ignored: Annotated[tuple[str, ...], "What was there but not used, each with its reason."] = ()
    assumed: Annotated[tuple[str, ...], "What was assumed."] = ()
    table: Annotated[Place | None, "Where the table begins of which this is a row."] = None
    #: What the columns of that table were taken for; all its rows share it.
    columns: tuple[ReadColumn, ...] = field(default=(), compare=False, repr=False)
    #: Scores whose unit is open: it is the one in which the report is possible.
    other_units: tuple[OtherUnit, ...] = field(default=(), compare=False, repr=False)
    #: Scores that the text around it says, perhaps of this report: they are asked about, and accuse nobody.
    nearby: tuple[Nearby, ...] = field(default=(), compare=False, repr=False)
    #: Whether the scores are means over folds or runs whose number is not said.
    means: bool = field(default=False, compare=False, repr=False)
