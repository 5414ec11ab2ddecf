"""What goes wrong, and what is worth knowing about an answer.

Every error follows one grammar, in Python, on the command line and on the web:
``<argument>: <what is wrong>, got <value>. Hint: <one action>``. Where nothing was given, nothing was got.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, Any, Final, TypeAlias

from .shape import Members, Record

#: Every error code, with what it means. The reference page and its test read this.
ERROR_CODES: Final = MappingProxyType(
    {
        "ambiguous": "The input can be read in more than one way.",
        "bad_count": "A count is negative, fractional or not a number.",
        "bad_label": "A label is missing, or labels are of different kinds.",
        "bad_metric": "The metric does not fit the question, or needs another argument.",
        "bad_number": "A text could not be read as a number.",
        "bad_option": "An option has a value outside its choices.",
        "bad_probability": "A row of probabilities is missing numbers, leaves [0, 1] or does not sum to one.",
        "bad_request": "The server did not understand a request, or it came too slowly.",
        "bad_shape": "An array, a table or a file has the wrong shape.",
        "busy": "The server has too many questions waiting.",
        "empty": "There is nothing to work on.",
        "fault": "A bug in fourfold.",
        "length_mismatch": "Two inputs that belong together have different lengths.",
        "out_of_range": "A reported score lies outside the range of its metric.",
        "missing_extra": "A package that this feature needs is not installed.",
        "no_file": "The file does not exist or cannot be read.",
        "process_ended": "A process that worked on the answer was killed, or had too little memory.",
        "refused": (
            "A request to the server came from elsewhere: its Host or Origin is another's; or a path leads out of the "
            "folders that an assistant may read."
        ),
        "timed_out": "The server's time limit was reached.",
        "too_large": "The exact answer would take more work than allowed.",
        "unknown_column": "The file has no such column.",
        "unknown_metric": "No metric has this id or alias.",
        "usage": "The command line was not understood.",
    }
)


class FourfoldError(Record, Exception, schema="error", source="any command"):
    """What is wrong, and what to do about it: the base of every error that fourfold raises on purpose.

    Its `code` is one of `ERROR_CODES`. The value it got is shown with ``repr``, cut when long.

    Examples
    --------
    >>> print(FourfoldError("bad_count", "tp", "must be a whole number, 0 or more", -1, "count cases"))
    tp: must be a whole number, 0 or more, got -1. Hint: count cases.
    """

    code: Annotated[str, "The kind of error; stable, for programs."]
    argument: Annotated[str, "The name of what is wrong, as the caller knows it."]
    problem: Annotated[str, "What is wrong with it, in a few words."]
    got: Annotated[str, "The offending value, cut when long."]
    hint: Annotated[str, "One thing to do about it."]

    def _members(self) -> Members:
        return self.code, self.argument, self.problem, self.got, self.hint, self.message

    def __init__(self, code: str, argument: str, problem: str, got: object, hint: str) -> None:
        self.code = code
        self.argument = argument
        self.problem = problem
        self.got = _shown(got)
        self.hint = hint.rstrip(".")
        super().__init__(code, argument, problem, got, hint)

    def __str__(self) -> str:
        ending = "" if self.hint.endswith(("?", "!")) else "."
        got = f", got {self.got}" if self.got else ""
        return f"{self.argument}: {self.problem}{got}. Hint: {self.hint}{ending}"

    @property
    def message(self) -> str:
        """All of it in one sentence, as people see it."""
        return str(self)


class InputError(FourfoldError, ValueError):
    """The input is wrong; the hint says how to fix it."""


class TooLarge(FourfoldError):
    """An exact answer exists but would take more work than allowed."""


class MissingExtra(FourfoldError, ImportError):
    """A package that this feature needs is not installed; the hint says what brings it."""


@dataclass(frozen=True, slots=True)
class Note(Record, schema="note"):
    """A fact about an answer that its reader should know.

    Notes travel in the result, so that they survive JSON and reach every surface.

    Examples
    --------
    >>> Note("float_read_as_text", "accuracy was read as '0.8'", {"argument": "accuracy"}).code
    'float_read_as_text'
    """

    code: Annotated[str, "The kind of fact; stable, for programs."]
    text: Annotated[str, "The fact in words."]
    data: Annotated[dict[str, Any], "Numbers and names of the fact; each code has its own."] = field(
        default_factory=dict, compare=False
    )


Notes: TypeAlias = Annotated[tuple[Note, ...], "Facts that a reader should know; see Errors and notes."]


#: Every note code, with what it tells. The reference page and its test read this.
NOTE_CODES: Final = MappingProxyType(
    {
        "area_not_used": "An area under the ROC curve says too little about sizes to be used for them.",
        "approximation": "A chance or an interval was approximated; the method says how.",
        "blame_incomplete": "Not every set of claims could be checked for a contradiction.",
        "bounds_left_out": "The bounds of the metrics would take long, so they are computed only on request.",
        "budget_spent": "Not all tables could be searched within the budget.",
        "chosen_on_same": "A threshold was chosen on the same cases that it was tried on, so its score is too good.",
        "class_without_cases": "A class has a column of probabilities but no cases.",
        "columns_found": "Which columns were read as probabilities, and of which classes.",
        "columns_renamed": "The table already has a column of this name, so the added one has another name.",
        "curves_left_out": "Curves, calibration and abstention are left out, for the reason given.",
        "digits_cut_off": "Sizes serve all rows only if the digits of their scores were cut off, not rounded.",
        "different_in_rest": "A group that differs is part of what the others are compared with.",
        "distribution_thinned": "There are too many tables to use all of them; every k-th was used.",
        "drawn_in": "A group's own cases weigh less than what smoothing adds: a true difference shrinks, too.",
        "encoding_found": "A file, or some lines of it, is not in UTF-8; the text says what it was read as.",
        "estimate_not_exact": (
            "An estimate, not a verdict: printed scores were taken as exact, "
            "cells are not whole, or a score is 0/0 there."
        ),
        "estimate_outside": "An estimated cell is negative or above its margin: no table has it.",
        "formats_not_kept": "Parts of a workbook are lost when a copy is written.",
        "group_is_reference": "The group and what it is compared with are the same table.",
        "groups_scatter": "How much the groups differ beyond chance, by the strength learnt from them.",
        "impossible_cell": "The group has cases of a kind that its reference lacks.",
        "labels_missing": "Rows without a label were left out.",
        "interval_not_checked": "An interval printed beside a score was not checked; the score was.",
        "margins_not_counted": "More sets of margins fit than were counted; the verdict holds all the same.",
        "max_total_reached": "No total was given, and larger tables were not searched; the text says what holds.",
        "no_reference": "There is nothing to compare the group with.",
        "not_tested": "No test was possible, for the reason given.",
        "one_against_rest": "There are more than two classes; all but one count as negative.",
        "one_unit": "One unit shows no spread, so its score has no interval.",
        "overlapping_reference": "The group and what it is compared with share cases; they count only in the group.",
        "peer_missing": "A package whose verdicts would stand beside these is not installed.",
        "plan_assumption": "What a plan assumes: the size of the reference, or that it is known.",
        "predicted_by_threshold": "Which scores count as predicting the positive label.",
        "ratio_unbounded": "A metric that can be negative has a ratio that may leave the range from 0 to 1.",
        "rows_left_out": "Some rows of a file could not be read and were left out; the text says why.",
        "score_outside_interval": "A score lies outside the interval that is printed beside it.",
        "score_passed_over": "A score of a ranking or of probabilities was left out: it does not follow from a table.",
        "score_undefined": "A score is undefined, for the reason given.",
        "sets_missing": "Some data sets of the paper are not in the folder.",
        "several_classes": "There are more than two classes, and all are compared.",
        "shares_of_tables": "No tables of a usual number of parts were found; the shares are of an average over many.",
        "sheet_resumed": "Rows that were done before an interruption were not done again.",
        "sheet_started_anew": "The sheet or the question changed since the interruption, so all rows were done again.",
        "size_not_found": "No size up to the largest one tried reaches the target of the plan.",
        "sizes_left_out": "Some sizes were left out, because counting them would take more work than allowed.",
        "small_reference": "The reference has few cases, so its own shares are uncertain.",
        "tables_left_out": "Of many tables of results only the first were read as one experiment each.",
        "taken_out": "A group that differs was taken out before the others were tested again.",
        "tied_rows": "Some rows have several largest probabilities; the first was taken as the prediction.",
        "undefined_mass": "Some tables that could be drawn leave the score undefined; chances are about the others.",
        "units_missing": "Rows that do not say which unit they belong to were left out.",
        "units_shared": "Some units have rows in several groups; tests take these as different units.",
        "uneven_folds": "Positives are dealt to the folds found less evenly than chance does in 99 of 100 cases.",
        "unusual_strength": "The strength of smoothing lies outside the range in which the method was tried.",
        "float_read_as_text": ("A Python number was read by its shortest text; text keeps trailing zeros."),
    }
)


def suggestion(word: str, known: Iterable[str], otherwise: str) -> str:
    """Return a hint that names the known word closest to a wrong one.

    Examples
    --------
    >>> suggestion("rase", ["age", "race"], "see the header")
    "did you mean 'race'? see the header"
    """
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"did you mean '{close[0]}'? {otherwise}" if close else otherwise


def _shown(value: object, most: int = 80) -> str:
    text = " ".join((value if isinstance(value, _Verbatim) else repr(value)).split())
    return text if len(text) <= most else text[: most - 3] + "..."


class _Verbatim(str):
    """A text shown in an error as it is, without quotes."""

    __slots__ = ()


def verbatim(text: str) -> str:
    """Mark a text to be shown without quotes in an error's ``got``.

    Examples
    --------
    >>> print(InputError("length_mismatch", "prediction", "as long as truth",
    ...                  verbatim("3 and 4 labels"), "check the rows"))
    prediction: as long as truth, got 3 and 4 labels. Hint: check the rows.
    """
    return _Verbatim(text)


#: What an error got where something is missing: it is not said.
NOTHING: Final = verbatim("")
