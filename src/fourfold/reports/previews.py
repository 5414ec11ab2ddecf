"""What something is that was pasted or dropped: its columns, what each is taken for, and the question that fits it.

Names of columns decide first, and their values whether that can be: a truth has few labels, probabilities sum to one.
Nothing is decided for good: a door shows what was taken for what, and lets it be changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias, get_args

from ..certainty import find_probabilities
from ..data import FILE_ENDINGS, first_rows
from ..documents import blocks, open_document
from ..documents.blocks import Block, Grid
from ..errors import FourfoldError, InputError, Notes
from ..metrics import COUNTS
from ..shape import Record, Result
from ..table import middle_score
from .cells import CELLS
from .documents import Document
from .joining import reports_in
from .report import ReadColumn
from .score_lines import find as find_scores
from .vocabulary import WORDS

#: What a column of a table with a case a row can be.
Role: TypeAlias = Literal["truth", "prediction", "score", "group", "probability", "key", "not used"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)
#: What was given: cases a row each, tables of groups, scores to check, a text without a table, or nothing.
Content: TypeAlias = Literal["cases", "tables", "scores", "text", "nothing"]
#: The question that fits.
Fits: TypeAlias = Literal["check", "groups", "certainty"]

_ROWS_LOOKED_AT: Final = 500
#: So many columns are looked at for probabilities, all of them for each that may be the truth.
_MOST_LOOKS: Final = 20_000
_BLOCKS_LOOKED_AT: Final = 200
#: Documents in which tables of cases do not stand; they are not read twice.
_PAPERS: Final = frozenset({".pdf", ".docx", ".tex", ".ltx", ".latex", ".ipynb", ".rst"})
_MOST_EXAMPLES: Final = 3
_MOST_LABELS: Final = 50
_MOST_GROUPS: Final = 100
#: From so many rows on a table without known names is taken for one of cases.
_LEAST_CASES: Final = 20
#: Names of columns, the most usual first; blanks and signs count as low lines.
_NAMES: Final[Mapping[Role, str]] = {
    "truth": "y_true truth actual true ground_truth gold y true_label actual_label label target class outcome "
    "diagnosis",
    "prediction": "y_pred prediction predicted pred y_hat yhat predictions predicted_label pred_label y_predicted "
    "predicted_class decision",
    "key": "id key index case case_id patient patient_id uid row",
}


@dataclass(frozen=True)
class PreviewColumn(Record):
    """A column, and what it is taken for."""

    name: Annotated[str, "Its heading."]
    examples: Annotated[tuple[str, ...], "Its first distinct values."]
    role: Annotated[str, "What it is taken for: a role of cases, or the meaning of a score's column."]


@dataclass(frozen=True)
class Preview(Result, schema="preview", source="`preview`"):
    """What you gave: its columns, how each one is read, and the question that fits."""

    content: Annotated[Content, "Rows of single cases, tables of groups, scores, text without a table, or nothing."]
    fits: Annotated[Fits, "The question that fits it: check, groups or certainty."]
    columns: Annotated[tuple[PreviewColumn, ...], "Its columns, in order; those of the main table."] = ()
    labels: Annotated[tuple[str, ...], "For cases: the labels of the truth that were seen."] = ()
    threshold: Annotated[float | None, "For a column of scores: one in the middle of those seen, to start with."] = None
    groups: Annotated[dict[str, dict[str, int]], "For tables of groups: their counts, by group."] = field(
        default_factory=dict
    )
    notes: Notes = ()

    def _rows(self) -> list[dict[str, Any]]:
        return [{"name": one.name, "examples": ", ".join(one.examples), "role": one.role} for one in self.columns]

    def named(self, role: Role) -> tuple[str, ...]:
        """Return the columns that are taken for something."""
        return tuple(column.name for column in self.columns if column.role == role)


def preview(document: Document) -> Preview:
    r"""Say what a text or a file contains, and which question fits it.

    Parameters
    ----------
    document
        A text, or the path of a file: data such as CSV and parquet, or what `read` reads. Of a data file only the
        first rows are read.

    Examples
    --------
    >>> found = preview("y,yhat,site\n1,1,North\n0,1,East\n1,0,North\n0,0,East")
    >>> found.fits, {column.name: column.role for column in found.columns}
    ('groups', {'y': 'truth', 'yhat': 'prediction', 'site': 'group'})
    """
    source = open_document(document)
    if isinstance(source, Path) and source.suffix.casefold() in _PAPERS:
        return Preview("text", "check")
    table, looked_at = _main_table(source)
    if table and (groups := _groups_in(table)):
        columns = tuple(
            _column(name, values, COUNTS_BY_HEAD.get(_plain(name), "the name of the group"))
            for name, values in table.items()
        )
        return Preview("tables", "groups", columns, groups=groups)
    roles = _roles(table) if table else {}
    known = {*roles.values()}
    if "truth" in known and known & {"prediction", "probability", "score"}:
        return _of_cases(table, roles)
    if reports := reports_in(looked_at or _as_blocks(table), [find_scores]):
        read: Sequence[ReadColumn] = next((report.columns for report in reports if report.columns), ())
        columns = tuple(_column(one.head, table.get(one.head, ()), one.meaning) for one in read)
        return Preview("scores", "check", columns)
    if max(map(len, table.values()), default=0) >= _LEAST_CASES:
        return _of_cases(table, roles)
    return Preview("text" if looked_at else "nothing", "check")


_Columns: TypeAlias = Mapping[str, Sequence[str]]


def table_in(document: Document) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the heads and the rows of the largest table in a document, as texts."""
    source = open_document(document)
    heads, rows = _headed(blocks(source))
    if not rows:
        name = source.name if isinstance(source, Path) else "text"
        hint = "give a table with a head for each column, and a case a row"
        raise InputError("empty", "file", "has no table", name, hint)
    if len(set(heads)) < len(heads):
        twice = next(head for head in heads if heads.count(head) > 1)
        raise InputError("ambiguous", "file", "has two columns of one name", twice, "rename one of them")
    return heads, rows


def _headed(found: Iterable[Block]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the heads of the largest table, with a number where one is empty, and its rows that say something."""
    tables = [block for block in found if isinstance(block, Grid)]
    first, *rows = max(tables, key=lambda table: len(table.rows) * len(table.rows[0])).rows if tables else [()]
    heads = tuple(head.strip() or f"column {place}" for place, head in enumerate(first, 1))
    return heads, [row for row in rows if any(cell.strip() for cell in row)]


def _main_table(source: str | Path) -> tuple[_Columns, list[Block]]:
    """Return the first rows of the main table by column, and the blocks of what is no file of data."""
    if isinstance(source, Path) and str(source).casefold().endswith(FILE_ENDINGS):
        try:
            data = first_rows(str(source), _ROWS_LOOKED_AT)
            return {
                name: ["" if value is None else str(value).strip() for value in values] for name, values in data.items()
            }, []
        except FourfoldError:
            if source.suffix.casefold() not in (".csv", ".tsv", ".txt"):
                raise
    found = list(islice(blocks(source), _BLOCKS_LOOKED_AT))
    heads, rows = _headed(found)
    return {head: [row[place].strip() for row in rows[:_ROWS_LOOKED_AT]] for place, head in enumerate(heads)}, found


def _as_blocks(table: _Columns) -> list[Block]:
    """Return columns as a grid for recognisers."""
    rows = (tuple(table), *zip(*table.values(), strict=True))
    return list(blocks("\n".join("\t".join(cell.replace("\t", " ") for cell in row) for row in rows), name="table.tsv"))


def _groups_in(table: _Columns) -> dict[str, dict[str, int]]:
    """Return tables of groups, where heads name the four counts and every row has them."""
    heads = {COUNTS_BY_HEAD.get(_plain(name), ""): name for name in table}
    if not {*CELLS} <= {*heads}:
        return {}
    names = next((values for name, values in table.items() if _plain(name) not in COUNTS_BY_HEAD), ())
    groups: dict[str, dict[str, int]] = {}
    for place, texts in enumerate(zip(*(table[heads[cell]] for cell in CELLS), strict=True)):
        plain = [re.sub(r"(?<=\d)[ ,\u00a0](?=\d{3}\b)", "", text) for text in texts]
        if not all(re.fullmatch(r"\d{1,15}(\.0+)?", text) for text in plain):
            return {}
        name = (names[place] if names else "") or f"group {place + 1}"
        name = name if name not in groups else f"{name} ({place + 1})"
        groups[name] = dict(zip(CELLS, (int(float(text)) for text in plain), strict=True))
    return groups


#: The four counts by what heads call them.
COUNTS_BY_HEAD: Final = {
    alias.casefold().replace(" ", "_"): cell for cell in CELLS for alias in (cell, *COUNTS[cell].aliases)
}


def _plain(name: str) -> str:
    return re.sub(r"\W+", "_", name.strip().casefold()).strip("_")


#: Digits are taken in one way only: a long run of them would else be split in every way.
_NUMBER: Final = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")


class _Seen(NamedTuple):
    """What a column holds, in the rows that were looked at."""

    values: tuple[str, ...]
    distinct: tuple[str, ...]
    numbers: bool

    @classmethod
    def of(cls, column: Sequence[str]) -> _Seen:
        values = tuple(text for text in column if text)
        distinct = tuple(dict.fromkeys(values))
        return cls(values, distinct, bool(values) and all(map(_NUMBER.fullmatch, distinct)))

    @property
    def is_few(self) -> bool:
        """Whether it can hold labels or groups."""
        return 1 <= len(self.distinct) <= _MOST_LABELS and (
            len(self.distinct) < len(self.values) or len(self.values) < 5
        )

    @property
    def is_share(self) -> bool:
        """Whether it holds numbers with decimals."""
        return self.numbers and any("." in text for text in self.distinct)


def _roles(table: _Columns) -> dict[str, Role]:
    """Return what columns are taken for, by their names and by what they hold."""
    seen = {name: _Seen.of(column) for name, column in table.items()}
    roles: dict[str, Role] = {}
    for role in ("truth", "prediction"):
        found = _by_name(role, seen, roles)
        roles |= {found: role} if found else {}
    _add_probabilities(table, seen, roles)
    numbers = [name for name, own in seen.items() if name not in roles and own.numbers and len(own.distinct) > 2]
    scores = [name for name in numbers if not WORDS["score_columns"].isdisjoint(_plain(name).split("_"))]
    if scores and not {"prediction", "probability"} & {*roles.values()}:
        roles[scores[0]] = "score"
    few = [name for name, own in seen.items() if name not in roles and own.is_few and not own.is_share]
    few = [name for name in few if len(seen[name].distinct) <= _MOST_GROUPS]
    named = [name for name in few if not WORDS["group_columns"].isdisjoint(_plain(name).split("_"))]
    texts = [name for name in few if not seen[name].numbers]
    # Groups are made by one column: that with a usual name, else the only one of few texts.
    roles |= dict.fromkeys(named[:1] or (texts if len(texts) == 1 else []), "group")
    if key := _by_name("key", seen, roles):
        roles[key] = "key"
    return roles


def _by_name(role: Role, seen: Mapping[str, _Seen], taken: Mapping[str, Role]) -> str | None:
    """Return the column whose name is the most usual one for something."""
    plain = {_plain(name): name for name in seen if name not in taken}
    for usual in _NAMES[role].split():
        name = plain.get(usual)
        if name is not None and (role == "key" or seen[name].is_few):
            return name
    return None


def _add_probabilities(table: _Columns, seen: Mapping[str, _Seen], roles: dict[str, Role]) -> None:
    """Find the columns that sum to one, and with them the truth where its name did not tell it."""
    truth = next((name for name, role in roles.items() if role == "truth"), None)
    others = [name for name, own in seen.items() if own.is_few and not own.is_share and name not in roles]
    for name in [truth] if truth else others[: max(1, _MOST_LOOKS // len(table))]:
        try:
            found = find_probabilities(dict(table), truth=name, apart=[own for own in roles if own != name])
        except FourfoldError:
            continue
        if len(found.columns) > 1 and (truth or found.by_name):
            roles |= {name: "truth", **dict.fromkeys(found.columns, "probability")}
            return


def _of_cases(table: _Columns, roles: Mapping[str, Role]) -> Preview:
    columns = tuple(_column(name, values, roles.get(name, "not used")) for name, values in table.items())
    by_role = {role: name for name, role in roles.items()}
    scores = [float(text) for text in table.get(by_role.get("score", ""), ()) if text]
    shares = bool(scores) and min(scores) >= 0 and max(scores) <= 1 and "group" not in by_role
    fits: Fits = "certainty" if "probability" in by_role or shares else "groups"
    labels = _Seen.of(table.get(by_role.get("truth", ""), ())).distinct
    threshold = float(middle_score(set(scores))) if scores else None
    return Preview("cases", fits, columns, labels, threshold)


def _column(name: str, values: Sequence[str], role: str) -> PreviewColumn:
    return PreviewColumn(name, _Seen.of(values).distinct[:_MOST_EXAMPLES], role)
