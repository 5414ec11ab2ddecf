"""What a question is: a name, a line of help, parameters, and a call. Nothing heavy is imported before it is asked.

Kinds of parameters: a `whole` number is 0 or more; an `amount` is a number or a word such as auto; a `size` may be a
range; `columns` have commas between them, or are patterns; a `pair` is column=name, and what is
`said` of parts name=text; `sets` have positives and negatives each; a `table` is tp, fn, fp and tn by
name, or a text of them; a `reference` is a word or a table; a `population` is a score or the shares of a table; the
rest are what they are called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, TypeAlias, get_args

from ..errors import InputError
from ..shape import Members, Record, named

if TYPE_CHECKING:
    from ..data import Faults

Progress: TypeAlias = Callable[[float], None]

#: Kinds that are files, and how many of them one question takes on the web: tables of data; tables with a case a row,
#: which may also stand in a document; and documents of any form.
MOST_FILES: Final = {"file": 2, "cases": 2, "document": 20}
FILES: Final = tuple(MOST_FILES)
#: What a flag may be where only texts can be sent.
FLAGS: Final = dict.fromkeys(("true", "True", "on", "1"), True) | dict.fromkeys(("false", "False", "off", "0"), False)
#: Kinds that have no name of their own in a body: their members stand beside the other parameters.
SPREAD: Final = ("cells", "scores")


@dataclass(frozen=True)
class Choice(Record):
    """One of the values that a parameter may have."""

    value: Annotated[str, "The value to send."]
    label: Annotated[str, "What a form calls it."]


@dataclass(frozen=True)
class Parameter(Record):
    """One thing that a question takes.

    `choices` says where the library keeps them, as ``module:NAME``, and `words` what a form calls some of them.
    `option` is how the command line writes it, where that is not its name; one without dashes has no name there. `web`
    says whether it can be given on the web.
    """

    name: Annotated[str, "Its name in JSON bodies and forms."]
    kind: Annotated[str, "The kind of value that it takes."]
    help: str
    label: Annotated[str, "The label of its field in a form."] = ""
    default: Annotated[str | float | None, "The value if it is left out, if there is one such value."] = None
    choices: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    many: Annotated[bool, "Whether it may be given several times."] = False
    required: Annotated[bool, "Whether it is required."] = False
    option: str = ""
    web: bool = True

    def _members(self) -> Members:
        return (
            self.name, self.label, self.kind, named("help", self.full_help), self.default,
            named("choices", self.listed), self.many, self.required,
        )  # fmt: skip

    def values(self) -> tuple[str, ...]:
        """Return the values to choose from."""
        if not self.choices:
            return ()
        module, _, name = self.choices.partition(":")
        kept = getattr(import_module(f"fourfold.{module}"), name)
        return get_args(kept) or tuple(kept)

    @property
    def listed(self) -> tuple[Choice, ...]:
        """The allowed values, if only some are allowed."""
        return tuple(Choice(value, self.words.get(value, value)) for value in self.values())

    @property
    def full_help(self) -> str:
        """What it is, in a line."""
        *first, last = self.values() or ("",)
        return self.help.replace("{choices}", f"{', '.join(first)} or {last}")


class Picture(NamedTuple):
    """A picture that the command line draws: the option that names its file, the chart, a line of help."""

    option: str
    chart: str
    help: str


class DataFile(NamedTuple):
    """A file to read: what messages call it, and where it is."""

    label: str
    path: str


@dataclass(frozen=True)
class Asked:
    """A question as it was asked: plain values by name, and files.

    `drawn` says whether the answer will be drawn: what only pictures need is computed then. `spelt` is how the door
    writes a parameter's name in messages; `progress` makes what is told how far a file is read, and `waiting` the same
    for what is computed; `empty_row` is called for every row of a table that has no text in it, `faults` are told of
    lines in another encoding, and this many rows are `skipped`, as they were answered before. What is done of long work
    may be kept in the folder `keep_in`, and `tell` is told what an earlier run has left there.
    """

    values: Mapping[str, Any]
    files: Sequence[DataFile] = ()
    drawn: bool = False
    spelt: Callable[[str], str] = str
    progress: Callable[[DataFile], AbstractContextManager[Progress | None]] = lambda file: nullcontext()
    waiting: Callable[[str], AbstractContextManager[Progress | None]] = lambda words: nullcontext()
    empty_row: Callable[[], object] = lambda: None
    faults: Faults | None = None
    skipped: int = 0
    keep_in: Path | None = None
    tell: Callable[[str], None] = lambda words: None


@dataclass(frozen=True)
class Question(Record):
    """A question: what it tells, what it takes, and the schemas of its answers.

    `more` and `examples` are for the command's help, `pictures` are what the command can draw, and `report` says
    whether the answer can be passed as a page.
    """

    name: Annotated[str, "The last part of its route."]
    says: Annotated[str, "What it tells, in a line."]
    parameters: Annotated[tuple[Parameter, ...], "Its parameters."]
    gives: tuple[str, ...] = ()
    more: str = ""
    examples: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    report: bool = False
    web: bool = True

    def _members(self) -> Members:
        return self.name, self.says, named("files", self.reads_files), self.parameters

    def on_the_web(self) -> Question:
        """Return the question with the parameters that can be given on the web."""
        return replace(self, parameters=tuple(parameter for parameter in self.parameters if parameter.web), pictures=())

    @property
    def reads_files(self) -> bool:
        """Whether it is asked with files."""
        return any(parameter.kind in FILES for parameter in self.parameters)

    def answer(self, asked: Asked) -> Any:
        """Read what was given by the kinds of the parameters, and return the finished answer."""
        return import_module(".calls", __package__).answer(self, asked)


def distinct(pairs: Iterable[tuple[str, Any]], what: str = "name") -> dict[str, Any]:
    """Return pairs as a mapping; a name that comes twice is an error."""
    members: dict[str, Any] = {}
    for name, value in pairs:
        if name in members:
            raise InputError("ambiguous", name[:80], "is given twice", value, f"give each {what} once")
        members[name] = value
    return members


def name_and_text(text: str, argument: str, form: str, hint: str) -> tuple[str, str]:
    """Split name=text; `form` says what both are, for the error."""
    # A class may have an equals sign in its name: recall[a=b]=0.9.
    place = text.find("]=") + 1 if "[" in text.partition("=")[0] and "]=" in text else text.find("=")
    name, equals, value = text[:place], text[place : place + 1] if place >= 0 else "", text[place + 1 :]
    if not equals or not name.strip():
        raise InputError("usage", argument, f"must be {form}", text, hint)
    return name, value
