"""The JSON Schema of everything that `to_dict` and `--json` write, as data.

The tests hold real results against these schemas, and find a member that is not described here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from fourfold.formula import CELLS

Schema = dict[str, Any]

_DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
_REFERENCE: Final = "#/$defs/"


class Kind(NamedTuple):
    """A schema: where its objects come from, what they are, and their members."""

    source: str
    says: str
    members: Mapping[str, Schema]
    #: Members that are not always there.
    optional: frozenset[str] = frozenset()
    more: Mapping[str, Any] = {}
    version: int = 1


def _text(says: str, **more: Any) -> Schema:
    return {"type": "string", "description": says, **more}


def _number(says: str, **more: Any) -> Schema:
    return {"type": "number", "description": says, **more}


def _whole(says: str) -> Schema:
    return {"type": "integer", "minimum": 0, "description": says}


def _flag(says: str) -> Schema:
    return {"type": "boolean", "description": says}


def _chance(says: str) -> Schema:
    return _number(says, minimum=0, maximum=1)


def _or_null(schema: Schema) -> Schema:
    """Return a schema that also takes null."""
    if "enum" in schema:
        schema = schema | {"enum": [*schema["enum"], None]}
    return schema | {"type": [schema["type"], "null"]}


def _list(says: str, items: Schema, **more: Any) -> Schema:
    return {"type": "array", "description": says, "items": items, **more}


def _texts(says: str, each: str = "A text.") -> Schema:
    return _list(says, _text(each))


def _record(says: str, members: Mapping[str, Schema], optional: frozenset[str] = frozenset()) -> Schema:
    needed = [name for name in members if name not in optional]
    return {"type": "object", "description": says, "properties": dict(members), "required": needed}


def _by_name(says: str, values: Schema) -> Schema:
    return {"type": "object", "description": says, "additionalProperties": values}


def _shared(name: str, says: str) -> Schema:
    return {"description": says, "$ref": _REFERENCE + name}


def _table(says: str, *, or_null: bool = False) -> Schema:
    cells = {"$ref": f"{_REFERENCE}cells"}
    return {"description": says} | ({"anyOf": [cells, {"type": "null"}]} if or_null else cells)


def _matrix(says: str) -> Schema:
    row = _list("One actual class.", _number("The count or mass of one predicted class.", minimum=0))
    return _list(says, row)


_NOTES: Final = _list("Facts that a reader should know, see Errors and notes.", {"$ref": f"{_REFERENCE}note"})
_METRIC: Final = _text("The metric's id.")
_IN_WORDS: Final = {
    "words": _text("Why, with names in braces where numbers go."),
    "numbers": {"type": "object", "description": "Those numbers, by name."},
}
_VALUE: Final = _or_null(_number("The value; null where it is undefined."))
_UNLIMITED: Final = _flag("Whether an end has no limit; that end is null.")
_LEVEL: Final = _number("How often such intervals hold the true value.", exclusiveMinimum=0, exclusiveMaximum=1)
_LABELS: Final = _list(
    "The classes, in the order of rows and columns.",
    {"type": ["string", "integer"], "description": "A class."},
)

#: What several schemas share.
_PARTS: Final[Mapping[str, Schema]] = {
    "cells": _record(
        "A fourfold table: four counts.",
        dict(
            zip(
                CELLS,
                map(_whole, ("True positives.", "False negatives.", "False positives.", "True negatives.")),
                strict=True,
            )
        ),
    ),
    "note": _record(
        "A fact about an answer.",
        {
            "code": _text("What kind of fact; stable, for programs."),
            "text": _text("The fact in words."),
            "data": {"type": "object", "description": "Numbers and names of the fact; each code has its own."},
        },
    ),
}

_ENTRY: Final = _record(
    "A metric, or a measure of two groups.",
    {
        "id": _METRIC,
        "label": _text("Its name for readers."),
        "aliases": _text("Every other name, with blanks between them."),
        "formula": _text("The formula as plain text; of several, with semicolons between them."),
        "latex": _text("The formula for LaTeX's maths mode."),
        "low": _text("The smallest value, exact; only of metrics."),
        "low_open": _flag("Whether the smallest value is never reached; only of metrics."),
        "high": _or_null(_text("The largest value, exact; null where there is none. Only of metrics.")),
        "better": _text(
            "Which way is better; only of metrics.",
            enum=["higher", "lower", "neither"],
        ),
        "undefined_where": _text("In words, where it is undefined; empty where it never is."),
        "says": _text("What it tells, in one sentence."),
    },
    frozenset({"low", "low_open", "high", "better"}),
)

_CLAIM: Final = _record(
    "What was reported, as it was read.",
    {
        "positives": _text("Actual positives: a number, a range, or words where they are unknown."),
        "negatives": _text("Actual negatives, in the same way."),
        "total": _text("All cases, in the same way."),
        "scores": _list(
            "The reported scores.",
            _record(
                "One reported score.",
                {
                    "name": _text("The name under which it was given."),
                    "metric": _METRIC,
                    "text": _text("The score as printed."),
                    "low": _text("The smallest value that prints like this, exact."),
                    "high": _text("The largest value that prints like this, exact."),
                    "low_open": _flag("Whether the smallest value itself is left out."),
                    "high_open": _flag("Whether the largest value itself is left out."),
                    "rounding": _text("How the score was taken to be rounded."),
                    "notes": _NOTES,
                },
            ),
        ),
        "undefined": _text("How undefined scores were taken to be printed.", enum=["excluded", "zero"]),
        "max_total": _whole("The largest total that was tried."),
    },
)

_BOUNDS: Final = _record(
    "A metric's smallest and largest value over the tables that fit, and tables that have them.",
    {
        "low": _or_null(_number("The smallest value; null where it is undefined for all.")),
        "high": _or_null(_number("The largest value; null where it is undefined for all.")),
        "low_table": _table("A table with the smallest value.", or_null=True),
        "high_table": _table("A table with the largest value.", or_null=True),
    },
)

_IMPLIED: Final = _record(
    "What the others of a contradicting set leave for one of its claims.",
    {
        "name": _text("The claim."),
        "others": _texts("The other claims.", "The name of a claim."),
        "reported": _text("What the claim says, as printed."),
        "low": _or_null(_number("The smallest value that the others leave.")),
        "high": _or_null(_number("The largest value that the others leave.")),
    },
)

_REPAIR: Final = _record(
    "A single change that would make the report possible; a hypothesis.",
    {
        "kind": _text("What kind of change; stable, for programs."),
        "change": _text("The change in words."),
        "count": _whole("How many tables then fit."),
        "table": _table("One of them."),
    },
)

_FINDING: Final = _record(
    "One group and one metric.",
    {
        "group": _text("The group's name."),
        "by": {"type": "object", "description": "The value of each column that makes the group."},
        "n": _whole("The cases of the group."),
        **{name: _whole("A cell of the group's table.") for name in CELLS},
        "metric": _METRIC,
        "score": _or_null(_number("The group's score; null where it is undefined.")),
        "low": _or_null(_number("The lower end of the score's interval.")),
        "high": _or_null(_number("The upper end of the score's interval.")),
        "unlimited": _UNLIMITED,
        "interval_method": _text("How the interval was made; none where there is none."),
        "percentile": _or_null(_chance("The chance of a score at most as high, drawn from the reference.")),
        "p_value": _or_null(_chance("Two-sided, not corrected.")),
        "mid_p": _or_null(_chance("Two-sided, with half the chance of the same score.")),
        "p_holm": _or_null(_chance("The p-value corrected for all tests, by Holm.")),
        "p_fdr": _or_null(_chance("The p-value corrected for all tests, by Benjamini and Hochberg.")),
        "undefined_mass": _or_null(_chance("The chance that a draw leaves the score undefined.")),
        "test_method": _or_null(_text("How the chances were found.")),
        "reference_uncertainty": _or_null(_flag("Whether the reference's shares were taken as uncertain in the test.")),
        "smoothed": _or_null(_number("The score of the smoothed table; null where it is undefined.")),
        "significant_up_to": _or_null(_number("Scores up to this would have been significant, uncorrected.")),
        "significant_from": _or_null(_number("Scores from this on would have been significant, uncorrected.")),
        "too_small": _flag("Whether no score could have been significant."),
        "undefined_because": _text("Why the score is undefined; empty where it is defined."),
        "notes": _NOTES,
    },
)

_RATIO: Final[Mapping[str, Schema]] = {
    "metric": _METRIC,
    "average": _or_null(
        _text("The average over the classes; null for the metric's own form.", enum=["macro", "micro", "weighted"])
    ),
    "convention": _text("What an undefined part does.", enum=["strict", "paper"]),
    "hard": _or_null(_number("The score of the predicted classes; null where it is undefined.")),
    "soft": _or_null(_number("The score of all probability mass; null where it is undefined.")),
    "certain": _or_null(_number("The score of the certain part; null where it is undefined.")),
    "uncertain": _or_null(_number("The score of the uncertain part; null where it is undefined.")),
    "value": _or_null(_number("The certainty ratio; null where it is undefined.")),
    "weight_certain": _chance("The share of the mass that is certain."),
    "weight_uncertain": _chance("The share of the mass that is uncertain."),
    "undefined_because": _text("The reasons as one text."),
    "reasons": _texts("Why a part or the ratio is undefined.", "A reason."),
    "notes": _NOTES,
}


def _interval(lead: Mapping[str, Schema]) -> Mapping[str, Schema]:
    return {
        **lead,
        "value": _VALUE,
        "low": _or_null(_number("The lower end; null where there is none.")),
        "high": _or_null(_number("The upper end; null where there is none.")),
        "unlimited": _UNLIMITED,
        "level": _LEVEL,
        "method": _text("How the interval was made; none where there is none."),
        "notes": _NOTES,
    }


KINDS: Final[Mapping[str, Kind]] = {
    "scores": Kind(
        "`score`",
        "The scores of a table or a matrix.",
        {
            "table": _table("The four counts; of a file with two classes, too."),
            "matrix": _matrix("Of more classes: rows actual, columns predicted."),
            "labels": _LABELS,
            "scores": _list(
                "A record for each metric, and of more classes for each average.",
                _record(
                    "One score.",
                    {
                        "metric": _METRIC,
                        "average": _RATIO["average"],
                        "label": _text("The metric's name for readers."),
                        "value": _VALUE,
                        "exact": _or_null(_text("The exact value, such as 9/11; null of a matrix.")),
                        "undefined": _or_null(_text("Why it is undefined; null where it is defined.")),
                    },
                ),
            ),
            "notes": _NOTES,
        },
        frozenset({"table", "matrix", "labels"}),
        {"oneOf": [{"required": ["table"]}, {"required": ["matrix", "labels"]}]},
    ),
    "holes": Kind(
        "`holes`",
        "How many tables of a size leave a metric undefined.",
        {
            "metric": _METRIC,
            "sizes": _list("The number of cases; of two groups, two.", _whole("A size."), minItems=1, maxItems=2),
            "count": _whole("The tables, or pairs of tables, that leave it undefined."),
            "total": _whole("All tables, or pairs of tables."),
            "share": _chance("The first of the second."),
            "reasons": _list(
                "Each cause; a table may have several.",
                _record("A cause.", {"reason": _text("In words."), "count": _whole("The tables that have it.")}),
            ),
            "notes": _NOTES,
        },
    ),
    "metrics": Kind(
        "`metrics`",
        "The catalogue.",
        {"metrics": _list("Every metric and every named measure of two groups.", _ENTRY), "notes": _NOTES},
    ),
    "metric": Kind(
        "`metrics NAME`",
        "One metric, or one measure of two groups.",
        {
            "metric": _ENTRY,
            "holes": _list("Its undefined tables at some sizes.", _shared("holes", "As of `holes`.")),
            "notes": _NOTES,
        },
    ),
    "recovery": Kind(
        "`recover`",
        "Every table that could have produced a report.",
        {
            "verdict": _text(
                "undecided where the budget did not suffice.", enum=["unique", "several", "impossible", "undecided"]
            ),
            "count": _whole("How many tables fit."),
            "complete": _flag("Whether all tables were looked at."),
            "claim": _CLAIM,
            "tables": _list("The first hundred tables that fit.", _table("A table."), maxItems=100),
            "cells": _by_name(
                "The smallest and largest count of each cell; empty where nothing fits.",
                _list("Smallest and largest.", _whole("A count."), minItems=2, maxItems=2),
            ),
            "bounds": _by_name("By a metric's id; empty where there are too many tables to walk.", _BOUNDS),
            "blame": _list("The smallest sets that contradict each other.", _texts("A set, by metric.", "An id.")),
            "contradictions": _list("The same sets.", _texts("A set, by the names given.", "A name.")),
            "implied": _list("What the rest of each set leaves for a member.", _IMPLIED),
            "repairs": _list("What may have gone wrong.", _REPAIR),
            "notes": _NOTES,
        },
    ),
    "distribution": Kind(
        "`Recovery.distribution`",
        "A metric over the tables that fit.",
        {
            "metric": _METRIC,
            "prior": _text("Which tables are as likely as others.", enum=["tables", "rates"]),
            "mean": _or_null(_number("The mean; null where it is undefined for all.")),
            "median": _or_null(_number("The median; null where it is undefined for all.")),
            "low": _or_null(_number("The lower end of the central 95 %.")),
            "high": _or_null(_number("The upper end of the central 95 %.")),
            "undefined": _chance("The weight of the tables that leave it undefined."),
            "notes": _NOTES,
        },
    ),
    "estimate": Kind(
        "`estimate`",
        "What a method of RECLAIM makes of a claim.",
        {
            "method": _text("The method.", enum=["linear", "least_squares", "accuracy_closed_form"]),
            "claim": _CLAIM,
            "cells": _record(
                "The estimated cells, real numbers.",
                {name: _or_null(_number("Null where the method leaves a range.")) for name in CELLS},
            ),
            "tp_range": {
                "type": ["array", "null"],
                "description": "The smallest and largest tp, where the method gives a range.",
                "items": _number("An end."),
                "minItems": 2,
                "maxItems": 2,
            },
            "bounds": _by_name(
                "By a metric's id, where the method gives them.",
                _record(
                    "Ends.", {"low": _or_null(_number("The low end.")), "high": _or_null(_number("The high end."))}
                ),
            ),
            "notes": _NOTES,
        },
    ),
    "match": Kind(
        "`match`",
        "Where a group's score lies in the law of scores drawn from a reference.",
        {
            "metric": _METRIC,
            "size": _whole("The cases of the group."),
            "score": _or_null(_number("The group's score; null where it is undefined.")),
            "below": _or_null(_chance("The chance of a lower score.")),
            "equal": _or_null(_chance("The chance of the same score.")),
            "above": _or_null(_chance("The chance of a higher score.")),
            "undefined": _chance("The chance that the score is undefined; the others are given that it is not."),
            "percentile": _or_null(_chance("The chance of a score at most as high.")),
            "p_lower": _or_null(_chance("One-sided: at most as high.")),
            "p_upper": _or_null(_chance("One-sided: at least as high.")),
            "p_value": _or_null(_chance("Two-sided: twice the smaller one, at most 1.")),
            "mid_p": _or_null(_chance("Two-sided, with half the chance of the same score.")),
            "method": _text("How the chances were found."),
            "reference_uncertainty": _flag("Whether the reference's shares were taken as uncertain."),
            "group": _table("The group."),
            "reference": _table("What it is compared with."),
            "notes": _NOTES,
        },
    ),
    "comparison": Kind(
        "`match` with a measure of two groups",
        "A difference or ratio of two groups with its interval.",
        _interval({"contrast": _text("The id of the measure.")}),
    ),
    "smoothed": Kind(
        "`smooth`",
        "A group's table drawn towards a reference.",
        {
            "cells": _record("The smoothed cells.", {name: _number("A real number.", minimum=0) for name in CELLS}),
            "group": _table("The group's counts."),
            "reference": _table("The reference's counts; null where epsilon was added.", or_null=True),
            "strength": _number("How many cases were added.", minimum=0),
            "chosen_by": _text("Who chose the strength."),
            "divergence": _or_null(_number("Of the group's shares from the reference's; null where it is infinite.")),
            "best_strengths": _by_name("By cell.", _or_null(_number("The best strength; null where any is right."))),
            "checks": _list(
                "What smoothing would have done for smaller samples of the group.",
                _record(
                    "One size.",
                    {
                        "size": _whole("The cases."),
                        "raw": _number("The expected squared error of the raw shares.", minimum=0),
                        "smoothed": _number("The same of the smoothed shares.", minimum=0),
                    },
                ),
            ),
            "notes": _NOTES,
        },
    ),
    "audit": Kind(
        "`audit`",
        "Every group's scores beside a reference.",
        {
            "by": _texts("The columns that make groups.", "A column."),
            "metrics": _texts("The metrics.", "An id."),
            "reference": _text("rest, all, or the name of a group."),
            "level": _LEVEL,
            "strength": _number("The strength of the smoothing.", minimum=0),
            "strength_chosen_by": _text("Who chose it."),
            "rows_read": _whole("The rows that were counted."),
            "table": _table("All cases."),
            "overall": _by_name("By a metric's id: the score of all cases.", _shared("interval", "With its interval.")),
            "findings": _list("A record for each group and metric.", _FINDING),
            "notes": _NOTES,
        },
    ),
    "interval": Kind("`interval`", "A metric with the interval around it.", _interval({"metric": _METRIC})),
    "expected_error": Kind(
        "`expected_error`",
        "The error to expect of a metric estimated from some cases of a group.",
        {
            "metric": _METRIC,
            "size": _whole("How many cases are drawn."),
            "strength": _number("The strength of the smoothing; 0 for none.", minimum=0),
            "epsilon": _number("What is added to each cell; 0 for nothing.", minimum=0),
            "target": _or_null(_number("The metric of the group's shares; null where that is undefined.")),
            "mse": _or_null(_number("The expected squared error.", minimum=0)),
            "bias": _or_null(_number("The expected error.")),
            "variance": _or_null(_number("The variance of the estimate.", minimum=0)),
            "mae": _or_null(_number("The expected size of the error; null where it has no short form.", minimum=0)),
            "defined": _chance("The chance that the estimate is defined."),
            "notes": _NOTES,
        },
    ),
    "certainty": Kind(
        "`certainty`",
        "The certainty ratios of one or several classifiers.",
        {
            "convention": _RATIO["convention"],
            "metrics": _texts("The metrics.", "An id."),
            "models": _by_name("By the classifier's name or file.", _shared("decomposition", "Its matrices.")),
            "ratios": _list(
                "A record for each classifier, part and metric.",
                _record(
                    "A certainty ratio.",
                    {
                        "schema": _text("What it is.", const="fourfold/certainty_ratio"),
                        "version": {"const": 1, "description": "Of that schema."},
                        "model": _text("The classifier."),
                        "part": _or_null(_text("The part, such as a fold; null for all of them together.")),
                        **_RATIO,
                    },
                ),
            ),
            "notes": _NOTES,
        },
    ),
    "decomposition": Kind(
        "`decompose`",
        "The four matrices of a classifier's probabilities.",
        {
            "labels": _LABELS,
            "hard": _matrix("Counts of predicted classes."),
            "soft": _matrix("All probability mass."),
            "certain": _matrix("The mass on predicted classes."),
            "uncertain": _matrix("The mass on all other classes."),
            "rows_read": _whole("How many rows were summed."),
            "tied": _whole("Rows with several largest probabilities."),
            "weight_certain": _chance("The share of the mass that is certain."),
            "weight_uncertain": _chance("The share of the mass that is uncertain."),
            "divergence": _number("How far hard and soft lie apart.", minimum=0),
            "largest_divergence": _or_null(_number("The largest that could be; null where predictions were given.")),
            "parts": _by_name("By part, such as folds or groups.", _shared("decomposition", "The same of a part.")),
            "notes": _NOTES,
        },
    ),
    "certainty_ratio": Kind("`Decomposition.ratio`", "The certainty ratio of a metric.", _RATIO),
    "resampled": Kind(
        "`certainty.bootstrap`, `certainty.difference`",
        "A certainty ratio, or the difference of two, with its bootstrap interval.",
        {
            "metric": _METRIC,
            "average": _RATIO["average"],
            "convention": _RATIO["convention"],
            "value": _VALUE,
            "low": _or_null(_number("The lower end.")),
            "high": _or_null(_number("The upper end.")),
            "level": _LEVEL,
            "draws": _whole("How many resamples were drawn."),
            "undefined": _whole("How many of them had no value."),
            "share_above": _or_null(_chance("Of a difference: the share of the others above 0.")),
            "method": _text("How rows were resampled."),
            "seed": _or_null(_whole("Where the random numbers started; null where a generator was given.")),
            "notes": _NOTES,
        },
    ),
    "curve": Kind(
        "`certainty.mcp`, `certainty.imcp`",
        "A curve from x = 0 to x = 1.",
        {
            "kind": _text("Which curve.", enum=["mcp", "imcp"]),
            "area": _chance("The area under it."),
            "x": _list("The points' places, from left to right.", _chance("A place.")),
            "y": _list("The points' heights.", _chance("A height.")),
            "notes": _NOTES,
        },
    ),
    "losses": Kind(
        "`certainty.losses`",
        "The Brier score and the log loss.",
        {
            "brier": _number("The Brier score.", minimum=0, maximum=2),
            "log_loss": _or_null(_number("The log loss in nats; null where it is infinite.", minimum=0)),
            "notes": _NOTES,
        },
    ),
    "reproduction": Kind(
        "`reproduce`",
        "A paper done again: its figures, its tables, and whether what it says is so.",
        {
            "name": _text("Which experiments."),
            "paper": _text("Who wrote the paper, when, and on what."),
            "agree": _whole("How many of the printed numbers come out to the printed digit."),
            "of": _whole("How many numbers were set beside printed ones."),
            "parts": _list(
                "Every figure and table.",
                _record(
                    "One of them.",
                    {
                        "place": _text("Where in the paper: Figure 1, Table 2."),
                        "title": _text("What it shows."),
                        "verdict": _text(
                            "What came of it.", enum=["reproduced", "differs", "in part", "not reproduced"]
                        ),
                        **_IN_WORDS,
                        "records": _list(
                            "Its numbers: points of lines or cells of a table, by column; where a printed number stands"
                            " beside one that was found, `row`, `column`, `paper`, `found` and `agrees`.",
                            {"type": "object", "description": "One of them."},
                        ),
                    },
                ),
            ),
            "statements": _list(
                "What the paper says in words.",
                _record(
                    "One statement.",
                    {
                        "place": _text("Where in the paper."),
                        "says": _text("What it says, in other words."),
                        "holds": _or_null(_flag("Whether it is so; null where the numbers cannot tell.")),
                        **_IN_WORDS,
                    },
                ),
            ),
            "notes": _NOTES,
        },
        version=2,
    ),
    "experiments": Kind(
        "`reproduce` without a name",
        "What can be done again.",
        {
            "experiments": _list(
                "Every paper that can be done again.",
                _record(
                    "One of them.",
                    {
                        "name": _text("What to ask for."),
                        "what": _text("The paper and its tables and figures."),
                        "needs": _text("Packages and data that it needs."),
                        "minutes": _number("How long it takes, about.", minimum=0),
                    },
                ),
            ),
            "notes": _NOTES,
        },
    ),
    "charts": Kind(
        "`POST /charts/...` of the web page",
        "Pictures as Vega-Lite.",
        {
            "charts": _by_name("By the picture's name.", {"type": "object", "description": "A Vega-Lite chart."}),
            "notes": _texts("What a reader should know.", "A fact in words."),
        },
    ),
    "error": Kind(
        "any command",
        "What was wrong, and what helps.",
        {
            "code": _text("What kind of error; stable, for programs."),
            "argument": _text("The name of what was wrong."),
            "problem": _text("What is wrong with it."),
            "got": _text("The offending value, cut when long."),
            "hint": _text("One action that helps."),
            "message": _text("All of it in one sentence, as people see it."),
        },
    ),
}


def schema(name: str) -> Schema:
    """Return the whole JSON Schema of a kind, with all that it refers to.

    A member that is not described is allowed, as members may be added within a version.
    """
    kind = KINDS[name]
    body = _body(name) | {"description": kind.says}
    shared: dict[str, Schema] = {}
    waiting = list(_references(body))
    while waiting:
        if (wanted := waiting.pop()) not in shared:
            shared[wanted] = _PARTS[wanted] if wanted in _PARTS else _body(wanted)
            waiting += _references(shared[wanted])
    lead = {"$schema": _DRAFT, "$id": f"urn:fourfold:{name}:{kind.version}", "title": f"fourfold/{name}"}
    return lead | body | {"$defs": dict(sorted(shared.items()))}


def _body(name: str) -> Schema:
    kind = KINDS[name]
    version: Schema = {"description": "Of the schema; within one, members are only added.", "const": kind.version}
    members = {"schema": {"const": f"fourfold/{name}", "description": "What this is."}, "version": version}
    return _record(kind.says, members | dict(kind.members), kind.optional) | dict(kind.more)


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if "$ref" in part:
            yield part["$ref"].removeprefix(_REFERENCE)
        for inner in part.values():
            yield from _references(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from _references(inner)
