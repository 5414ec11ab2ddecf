"""The reference pages of the Python names: what their own docstrings and signatures say."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any, Final, NamedTuple, get_type_hints

import fourfold as ff
from fourfold.names import homes
from fourfold.shape import Record, Result

_LONGEST_LINE: Final = 88


class _Topic(NamedTuple):
    """A page: its file and title, what it is about, the part that holds its names, and what its examples import."""

    file: str
    title: str
    about: str
    module: str
    imports: tuple[str, ...]

    def names(self) -> list[str]:
        """Return the names that users may call: those of the package first."""
        top = [name for name in ff.__all__ if _TOPICS.get(homes("fourfold").get(name, "").strip(".")) == self.file]
        if self.module in _BESIDE:
            return [*top, *_BESIDE[self.module]]
        room = import_module(f"fourfold.{self.module}")
        names = (name for name in room.__all__ if name in _CONSTANTS or callable(getattr(room, name)))
        return top + sorted(set(names) - set(top))


_PAGES: Final = (
    _Topic("tables", "Tables", "Counts, and what they are made from.", "table", ()),
    _Topic("metrics", "Metrics", "The catalogue, its look-up, and scoring.", "metrics", ("fourfold.metrics",)),
    _Topic("claims", "Claims", "What was reported, and every table that fits.", "claims", ("fourfold.claims",)),
    _Topic(
        "documents",
        "Documents",
        "What documents print of classifiers; see [Check a paper or a README](../../how-to/check-a-document.md).",
        "reports",
        ("fourfold.reports",),
    ),
    _Topic(
        "groups",
        "Groups",
        "Is it the group, or its size? How many tables leave a metric undefined?",
        "groups",
        ("fourfold.groups",),
    ),
    _Topic(
        "certainty",
        "Certainty",
        "How much of a score rests on confident predictions.",
        "certainty",
        ("fourfold.certainty",),
    ),
    _Topic(
        "pictures",
        "Pictures",
        "Each function turns a result into an Altair chart; needs `fourfold[plots]`.",
        "plots",
        (),
    ),
    _Topic(
        "papers",
        "The papers",
        "Their experiments, repeated; see [Reproduce the papers](../../how-to/reproduce-the-papers.md).",
        "papers",
        ("fourfold.papers",),
    ),
    _Topic("errors", "Errors and notes", "See [Errors and notes](../errors.md) for every code.", "errors", ()),
)
#: On which page the names of the package stand, by the room that they come from.
_TOPICS: Final = {page.module: page.file for page in _PAGES} | {"solve": "groups", "exact": "claims"}
#: Names without a docstring of their own.
_CONSTANTS: Final = {
    "CONTRASTS": "Every measure of two groups that has a name of its own: a `Contrast` by its id.",
    "METRICS": "The catalogue: a `Metric` by its id. [Metrics](../metrics.md) shows it.",
    "EXPERIMENTS": "The papers that can be reproduced: an `Experiment` by its name.",
    "DRAWERS": "What draws the charts of a result, by its class.",
    "COLOURS": "The colours of all pictures, which readers with any kind of colour vision can tell apart.",
}
#: Of parts that also hold names for the house itself: what is shown beside the names of the package.
_BESIDE: Final[dict[str, tuple[str, ...]]] = {
    "claims": (
        *("Bounds", "Claim", "ClaimedScore", "Distribution", "Estimate", "Implied", "KnownSet", "KnownSets", "Lead"),
        *("Protocols", "ReadTable", "RegressionRecovery", "Repair", "Reported", "SharedSizes", "Size", "dataset"),
        *("estimate", "read_results", "result_rows"),
    ),
    "errors": (),
    "metrics": (
        *("CONTRASTS", "Contrast", "Limits", "Score", "Scorer", "Scores", "cells", "contrast", "f_beta"),
        "sqrt",
    ),
    "reports": (
        *("AcceptedFinding", "Baseline", "CheckedDocument", "Finding", "Preview", "PreviewColumn", "Report"),
        "preview",
    ),
    "table": (),
}


#: Annotations that have a name, and the types that they stand for.
_TYPES: Final = {
    **dict.fromkeys(("Amount", "Chance", "Level", "OfInterval"), "float"),
    **dict.fromkeys(("MetricId", "Words"), "str"),
    "Count": "int",
    "Labels": "tuple[Hashable, ...]",
    "Notes": "tuple[Note, ...]",
    "Numbers": "Mapping[str, Any]",
    "OverClasses": "Average | None",
    "WithConvention": "Convention",
}


class Docs(NamedTuple):
    """A docstring in parts: its words, and its sections by heading."""

    words: str
    sections: dict[str, list[str]]

    @classmethod
    def of(cls, thing: Any) -> Docs:
        """Read a docstring; none of its own is none, whatever it inherits."""
        text = inspect.cleandoc(thing.__doc__ or "")
        pieces = re.split(r"^([A-Z]\w+)\n-{3,}\n", text, flags=re.MULTILINE)
        return cls(
            pieces[0].strip(), dict(zip(pieces[1::2], (p.strip("\n").splitlines() for p in pieces[2::2]), strict=True))
        )

    @property
    def first(self) -> str:
        """The first paragraph."""
        return " ".join(self.words.split("\n\n")[0].split())

    def described(self, heading: str) -> dict[str, str]:
        """Return what a section says of each name in it."""
        entries: dict[str, list[str]] = {}
        names = ""
        for line in self.sections.get(heading, []):
            if line and not line.startswith(" "):
                names = line
            entries.setdefault(names, []).append(line.strip() if line.startswith(" ") else "")
        return {name: " ".join(" ".join(lines).split()) for name, lines in entries.items()}


def pages(generated: str) -> dict[str, str]:
    """Return the pages as Markdown, by file: one of all names, and one of each topic."""
    found = {"python.md": _overview(generated)}
    for topic in _PAGES:
        lines = [f"# {topic.title}", "", generated, "", topic.about, "", *_imports(topic), *_MORE.get(topic.file, ())]
        for name in topic.names():
            lines += _entry(topic.module, name)
        found[f"python/{topic.file}.md"] = "\n".join(lines).rstrip() + "\n"
    return found


def _overview(generated: str) -> str:
    lines = ["# Python", "", generated, "", *_INTRODUCTION]
    for topic in _PAGES:
        lines += [f"## {topic.title}", "", topic.about.replace("](../../", "](../").replace("](../e", "](e"), ""]
        lines += ["| name | what |", "|---|---|"]
        names = {name: name if name in ff.__all__ else f"{topic.module}.{name}" for name in topic.names()}
        anchors = Counter(_anchor(heading) for heading in (topic.title, *names.values()))
        for name, shown in names.items():
            # Two headings that differ by a capital only have the same place.
            place = f"#{_anchor(shown)}" if anchors[_anchor(shown)] == 1 else ""
            lines.append(f"| [`ff.{shown}`](python/{topic.file}.md{place}) | {_cell(_says(topic.module, name))} |")
        lines.append("")
    return "\n".join([*lines, "## Version", "", "`ff.__version__` is the version, as text."]) + "\n"


def _anchor(heading: str) -> str:
    """Return the place of a heading on its page."""
    return re.sub(r"[^\w-]", "", heading.lower())


def _says(module: str, name: str) -> str:
    thing = getattr(import_module(f"fourfold.{module}"), name, None) or getattr(ff, name)
    return (_CONSTANTS[name] if name in _CONSTANTS else Docs.of(thing).first).replace("](../", "](")


def _imports(topic: _Topic) -> list[str]:
    """Return what the examples of a page import; those of pictures stand in how-to pages."""
    if topic.module == "plots":
        return []
    lines = [f">>> from {module} import *" for module in ("fourfold", *topic.imports)]
    words = "To stay short, the examples name things without `ff`:"
    return [words, "", "```python", ">>> from fractions import Fraction", *lines, "", "```", ""]


_INTRODUCTION: Final = (
    "`import fourfold as ff` brings in every name below. What most work needs stands at the top: `ff.recover`,",
    "`ff.Table`. The parts hold the rest, and need no second import: `ff.claims.estimate`, `ff.certainty.mcp`,",
    "`ff.plots.save`. Modules are loaded when their names are used.",
    "",
    "Every result is a frozen dataclass with `rows()` (flat records, ready for a data frame), `to_dict()` (see",
    "[JSON](json.md)), `schema()` (the JSON Schema of that) and `notes`. Undefined is nan in arrays, None in results",
    "and JSON, and never 0.",
    "",
    "In a notebook a result shows itself: words, tables and its main picture, without a script or a network. `plot()`",
    'returns that picture as an Altair chart, and `plot("bounds")` another by its name; an unknown name raises an',
    "error that lists the valid ones. See [Use fourfold in a notebook](../tutorial/notebook.md).",
    "",
    "A parameter called `metric` takes any name of a metric, or a `Metric`. One called `rng` takes a seed or a NumPy",
    "generator.",
    "",
)
#: What stands on a page before its names.
_MORE: Final = {
    "metrics": (
        "## Two groups",
        "",
        "```python",
        ">>> group, rest = Table(tp=3, fn=1, fp=2, tn=4), Table(tp=6, fn=2, fp=1, tn=11)",
        '>>> score(group, "disparate_impact", against=rest)',
        "1.4285714285714286",
        '>>> score(group, "specificity_difference", against=rest)',
        "-0.25",
        "",
        "```",
        "",
        "## What a metric knows",
        "",
        "```python",
        '>>> mcc = metric("mcc")',
        ">>> mcc.formula.text()",
        "'(tp * tn - fp * fn) / sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))'",
        ">>> mcc.why_undefined(Table(tp=0, fn=4, fp=0, tn=46))",
        "('no predicted positives',)",
        '>>> metric("f1").averaged("macro").formula.text()',
        "'(2 * tp / (2 * tp + fn + fp) + 2 * tn / (2 * tn + fp + fn)) / 2'",
        "",
        "```",
        "",
        "## Names",
        "",
    ),
}


def _entry(module: str, name: str) -> list[str]:
    here = name in ff.__all__
    thing = getattr(ff if here else import_module(f"fourfold.{module}"), name)
    lines = [f"### {name if here else f'{module}.{name}'}", ""]
    if name in _CONSTANTS:
        return [*lines, _CONSTANTS[name], ""]
    docs = Docs.of(thing)
    if inspect.isclass(thing):
        return [*lines, *_class(thing, docs)]
    # Names of pictures are also names of other parts, so their examples cannot stand beside the others.
    examples = [] if module == "plots" else _examples(docs)
    return [*lines, *_fenced(_Call.of(thing).text(name)), *_words(docs), *_lists(docs), *examples]


def _class(thing: type, docs: Docs) -> list[str]:
    fields = dataclasses.fields(thing) if dataclasses.is_dataclass(thing) else ()
    lines = []
    if "__init__" in vars(thing) and not fields:
        lines += _fenced(_Call.of(thing.__init__).text(thing.__name__))  # type: ignore[misc]
    lines += _words(docs)
    said = _by_each_name(docs.described("Parameters"))
    shown = [each for each in fields if not each.name.startswith("_")]
    if shown:
        lines += _fields(shown, said | _annotated(thing))
    else:
        lines += _lists(docs)
    members = [*_members(thing, {each.name for each in fields}), *_inherited(thing)]
    return [*lines, *members, *([""] if members else []), *_examples(docs)]


def _fields(shown: Sequence[dataclasses.Field[Any]], said: dict[str, str]) -> list[str]:
    """Return a table of fields; what each one is has a column where the docstring says it."""
    wide = any(each.name in said for each in shown)
    lines = ["| field | type |" + " what |" * wide, "|---|---|" + "---|" * wide]
    for each in shown:
        what = f" {_cell(said.get(each.name, ''))} |" if wide else ""
        lines.append(f"| `{each.name}` | {_code(_plain_type(str(each.type)))} |{what}")
    return [*lines, ""]


def _annotated(thing: type) -> dict[str, str]:
    """Return what the annotations of fields say."""
    hints = get_type_hints(thing, include_extras=True)
    says = {
        name: [part for part in getattr(hint, "__metadata__", ()) if isinstance(part, str)]
        for name, hint in hints.items()
    }
    # What JSON calls null is None in Python.
    return {name: re.sub(r"\b[nN]ull\b", "None", parts[0]) for name, parts in says.items() if parts}


class _Plain(ast.NodeTransformer):
    """Leaves of an annotation only the type: not what it says, nor the names that such annotations have."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        wrapped = isinstance(node.value, ast.Name) and node.value.id == "Annotated"
        return node.slice.elts[0] if wrapped and isinstance(node.slice, ast.Tuple) else node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.parse(_TYPES.get(node.id, node.id), mode="eval").body


def _plain_type(annotation: str) -> str:
    return ast.unparse(_Plain().visit(ast.parse(annotation, mode="eval").body))


def _members(thing: type, fields: set[str]) -> Iterator[str]:
    for name, member in vars(thing).items():
        if name.startswith("_") or name in fields:
            continue
        if isinstance(member, property | cached_property):
            got = member.fget if isinstance(member, property) else member.func
            yield f"- `{name}`: {_escaped(Docs.of(got).first)}"
        elif isinstance(member, classmethod | staticmethod) or inspect.isfunction(member):
            call = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            yield f"- `{_Call.of(call).line(name)}`: {_escaped(Docs.of(call).first)}"
            yield from (
                f"    - `{each}`: {_escaped(words)}" for each, words in Docs.of(call).described("Parameters").items()
            )


def _inherited(thing: type) -> Iterator[str]:
    """Say what every result can do, and what its rows are."""
    if issubclass(thing, Result):
        yield f"- `rows()`: {_escaped(Docs.of(thing._rows).first)}"
    if issubclass(thing, Record):
        yield f"- `to_dict()`: {_escaped(Docs.of(Record.to_dict).first)}"


class _Call(NamedTuple):
    """A function as its source writes it: parameters with types and defaults, and what it returns."""

    parameters: tuple[str, ...]
    returns: str

    @classmethod
    def of(cls, function: Callable[..., Any]) -> _Call:
        tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function)))).body[0]
        assert isinstance(tree, ast.FunctionDef)
        given = tree.args
        plain = [*given.posonlyargs, *given.args]
        missing: list[ast.expr | None] = [None] * (len(plain) - len(given.defaults))
        texts = [_parameter(each, value) for each, value in zip(plain, [*missing, *given.defaults], strict=True)]
        if given.posonlyargs:
            texts.insert(len(given.posonlyargs), "/")
        if given.vararg or given.kwonlyargs:
            texts.append("*" + (_parameter(given.vararg, None) if given.vararg else ""))
        texts += [_parameter(each, value) for each, value in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
        if given.kwarg:
            texts.append("**" + _parameter(given.kwarg, None))
        if plain and plain[0].arg in ("self", "cls"):
            texts = texts[1:]
        return cls(tuple(texts), ast.unparse(tree.returns) if tree.returns else "")

    def line(self, name: str) -> str:
        """Return the call without types."""
        bare = (re.sub(r": .*?(?= = |$)", "", each) for each in self.parameters)
        return f"{name}({', '.join(each.replace(' = ', '=') for each in bare)})"

    def text(self, name: str) -> str:
        """Return the call with types, a parameter a line where it is long."""
        returns = f" -> {self.returns}" if self.returns and self.returns != "None" else ""
        line = f"{name}({', '.join(self.parameters)}){returns}"
        if len(line) <= _LONGEST_LINE:
            return line
        return "\n".join([f"{name}(", *(f"    {each}," for each in self.parameters), f"){returns}"])


def _parameter(given: ast.arg, default: ast.expr | None) -> str:
    kind = f": {ast.unparse(given.annotation)}" if given.annotation else ""
    value = "" if default is None else f" = {ast.unparse(default)}" if kind else f"={ast.unparse(default)}"
    return given.arg + kind + value


def _by_each_name(described: dict[str, str]) -> dict[str, str]:
    """Return words by single names; those about several names stand with the first and say of which they are."""
    single = {}
    for names, words in described.items():
        first, *others = (name.strip() for name in names.split(","))
        single[first] = f"{names}: {words}" if others else words
    return single


def _fenced(text: str) -> list[str]:
    return ["```text", text, "```", ""]


def _words(docs: Docs) -> list[str]:
    return [_escaped(docs.words), ""] if docs.words else []


def _lists(docs: Docs) -> list[str]:
    lines = [f"- `{names}`: {_escaped(words)}" for names, words in docs.described("Parameters").items()]
    returned = docs.described("Returns")
    lines += [
        f"- returns `{kind}`: {_escaped(words)}" if words else f"- returns {kind}" for kind, words in returned.items()
    ]
    return [*lines, ""] if lines else []


def _examples(docs: Docs) -> list[str]:
    """Return the examples, code apart from words."""
    lines: list[str] = []
    for part in "\n".join(docs.sections.get("Examples", [])).split("\n\n"):
        if part.startswith(">>>"):
            lines += ["```python", part, "", "```", ""]
        elif part:
            lines += [_escaped(part), ""]
    return lines


def _code(text: str) -> str:
    # A bar would end the cell of a table.
    return f"`{text}`".replace("|", "\\|")


def _cell(text: str) -> str:
    return _escaped(text).replace("|", "\\|")


def _escaped(text: str) -> str:
    """Return a docstring's words as Markdown: code in single marks, nothing taken for HTML."""
    pieces: Sequence[str] = re.split(r"(`+[^`]*`+)", text)
    return "".join(
        re.sub(r"`+", "`", piece) if i % 2 else piece.replace("<", "&lt;").replace("*", "\\*")
        for i, piece in enumerate(pieces)
    )
