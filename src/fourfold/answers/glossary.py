"""The terms that answers use, each explained in a sentence or two: for the page, the command and the documentation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from ..document import Document, Facts
from ..errors import Notes
from ..shape import Record, Result
from .any_result import document


@dataclass(frozen=True)
class Term(Record):
    """A term and what it means."""

    term: Annotated[str, "The term."]
    says: Annotated[str, "What it means, in a sentence or two."]


@dataclass(frozen=True)
class Glossary(Result, schema="glossary", source="`glossary`"):
    """The terms that answers use."""

    terms: Annotated[tuple[Term, ...], "The terms, in alphabetical order."]
    notes: Notes = ()


_TERMS: Final = {
    "abstention": "Leaving the least certain cases undecided, for a person to look at. The score of the others is "
    "usually higher.",
    "blame": "The smallest sets of reported scores that contradict each other. Leave one of them out, and the rest is "
    "possible.",
    "bounds": "The lowest and the highest value that a score can have in any table that fits what was reported.",
    "calibration": "Whether a model that says 80 % is right in 80 % of such cases. The expected calibration error is "
    "how far off it is on average.",
    "certainty ratio": "How much of a score rests on the probability of the predicted classes. Near 1, the rest of the "
    "probability adds nothing; at 0.5, it would score just as well.",
    "interval": "The range of true values that fit the cases at hand. Few cases give a wide one.",
    "corrected p-value": "A p-value made larger because many groups were tested. Among many tests, some look striking "
    "by chance.",
    "fold": "One of the parts that a data set is cut into for cross-validation. Papers often report the mean over the "
    "folds.",
    "fourfold table": "The counts of true positives, false negatives, false positives and true negatives: tp, fn, fp, "
    "tn.",
    "hole": "A table for which a score is undefined, such as precision where nothing was predicted positive.",
    "law": "The chance of every value that a score can have in a sample of a given size.",
    "macro average": "The plain mean of a score over all classes. A weighted average counts each class by its size.",
    "margin": "The total of a row or column of a table, such as the number of actual positives.",
    "p-value": "The chance of a difference at least this large if the group and the others had the same true score.",
    "prevalence": "The share of cases that are actually positive.",
    "reading": "A set of conventions that gives printed numbers their meaning, such as one test set, or means over ten "
    "folds.",
    "reference": "What a group is compared with: all other cases by default.",
    "smoothing": "Adding some cases with the shares of all others to a group before scoring. It steadies the scores of "
    "small groups.",
    "strength": "How many such cases smoothing adds. By default it is learnt from how much the groups differ.",
    "support": "The number of actual cases of a class.",
    "undefined": "Without a value, because something is divided by zero. It is not 0.",
    "undecided": "The search ended before it found a table or a proof that there is none. The answer says why.",
    "witness": "A table that fits everything reported, shown as proof that the report is possible.",
}
GLOSSARY: Final = Glossary(tuple(Term(term, says) for term, says in sorted(_TERMS.items())))


@document.register
def _(result: Glossary) -> Document:
    terms = {one.term: one.says for one in result.terms}
    return Document("Glossary", "The terms that answers use", blocks=[Facts(terms)])
