"""What a question is: a name, a line of help, parameters, and a call. Nothing heavy is imported before it is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

Kind: TypeAlias = Literal[
    "text",
    "choice",
    "whole",  # a whole number, 0 or more
    "integer",
    "number",
    "amount",  # a number, 0 or more, or a word such as auto
    "flag",
    "size",  # a number of cases, or a range
    "metric",
    "column",
    "columns",  # columns with commas between them, or patterns
    "pair",  # column=name
    "table",  # tp, fn, fp and tn by name
    "tables",  # tables by name
    "reference",  # a word, or a table
    "cells",  # the four counts, given beside the other parameters
    "scores",  # scores by name, given beside the other parameters
    "file",
]
Progress: TypeAlias = Callable[[float], None]

#: Kinds that have no name of their own in a body: their members stand beside the other parameters.
SPREAD: Final = ("cells", "scores")


@dataclass(frozen=True)
class Parameter:
    """One thing that a question takes.

    Parameters
    ----------
    name
        In bodies, forms and calls; the command line writes it with dashes.
    kind
        What it holds.
    help
        One line; ``{choices}`` stands for all choices.
    label
        Beside a field of a form.
    default
        What holds where it is left out, as far as one value does.
    choices
        Where the library keeps the choices: ``module:NAME``.
    words
        What a form calls a choice, where its name does not say enough.
    many, required
        Whether it may come several times, and whether it must come.
    option
        How the command line writes it where it does so in another way; in capitals, it is written without a name.
    web
        Whether it can be given on the web.
    """

    name: str
    kind: Kind
    help: str
    label: str = ""
    default: Any = None
    choices: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    many: bool = False
    required: bool = False
    option: str = ""
    web: bool = True

    def all_choices(self) -> tuple[str, ...]:
        """Return the choices, in order."""
        if not self.choices:
            return ()
        module, _, name = self.choices.partition(":")
        kept = getattr(import_module(f"fourfold.{module}"), name)
        return get_args(kept) or tuple(kept)

    def full_help(self) -> str:
        """Return the line of help with all choices in it."""
        *first, last = self.all_choices() or ("",)
        return self.help.replace("{choices}", f"{', '.join(first)} or {last}")

    def to_dict(self) -> dict[str, Any]:
        """Return what a form needs to know."""
        choices = [{"value": each, "label": self.words.get(each, each)} for each in self.all_choices()]
        return {
            "name": self.name,
            "label": self.label or self.name,
            "kind": self.kind,
            "help": self.full_help(),
            "default": self.default,
            "choices": choices,
            "many": self.many,
            "required": self.required,
        }


class Picture(NamedTuple):
    """A picture that the command line draws: the option that names its file, the chart, a line of help."""

    option: str
    chart: str
    help: str


class DataFile(NamedTuple):
    """A file to read: what messages call it, and where it is."""

    label: str
    path: str


def _no_progress(file: DataFile) -> AbstractContextManager[Progress | None]:
    return nullcontext()


@dataclass(frozen=True)
class Asked:
    """A question as it was asked: plain values by name, files, and what the door wants.

    Parameters
    ----------
    values
        What was given; what was left out is not there.
    files
        The files to read.
    drawn
        Whether the answer will be drawn: what only pictures need is computed then.
    spelt
        How the door writes a parameter's name in messages.
    progress
        Makes what is told how far a file is read.
    """

    values: Mapping[str, Any]
    files: Sequence[DataFile] = ()
    drawn: bool = False
    spelt: Callable[[str], str] = str
    progress: Callable[[DataFile], AbstractContextManager[Progress | None]] = _no_progress


@dataclass(frozen=True)
class Question:
    """A question: what it tells, what it takes, and what its answers are called.

    Parameters
    ----------
    name
        For programs and routes; the command of the same name asks it.
    says
        What it tells, in a line.
    parameters
        What it takes.
    gives
        The schemas of its answers.
    more, examples
        For the command's help.
    pictures
        What the command can draw.
    report
        Whether the answer can be handed on as a page.
    web
        Whether it can be asked on the web.
    """

    name: str
    says: str
    parameters: tuple[Parameter, ...]
    gives: tuple[str, ...] = ()
    more: str = ""
    examples: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    report: bool = False
    web: bool = True

    def on_the_web(self) -> Question:
        """Return the question with the parameters that can be given on the web."""
        return replace(self, parameters=tuple(each for each in self.parameters if each.web), pictures=())

    @property
    def reads_files(self) -> bool:
        """Whether it is asked with files."""
        return any(each.kind == "file" for each in self.parameters)

    def answer(self, asked: Asked) -> Any:
        """Read what was given by the kinds of the parameters, and return the finished answer."""
        return import_module(".calls", __package__).answer(self, asked)

    def to_dict(self) -> dict[str, Any]:
        """Return what a form needs to know."""
        parameters = [each.to_dict() for each in self.parameters]
        return {"name": self.name, "says": self.says, "files": self.reads_files, "parameters": parameters}
