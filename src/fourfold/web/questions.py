"""Questions as they come over the web: plain values in, one call of the library, a result out.

This runs in a worker. No text from a client is ever taken for a path: files are opened by names that are ours.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from ..errors import FourfoldError, InputError, TooLarge, suggestion, verbatim

if TYPE_CHECKING:
    from ..certainty import Curve, Overview
    from ..claims import Recovery
    from ..groups import Audit, Comparison, Match

Body: TypeAlias = Mapping[str, Any]
Charts: TypeAlias = dict[str, Any]

# A first line of more bytes than this is no header.
_LONGEST_HEADER: Final = 1_000_000
# Curves need every row in memory; larger files have none.
_MOST_CURVE_ROWS: Final = 200_000


class Upload(NamedTuple):
    """A file that a client sent: what the client calls it, and the file we keep it in."""

    label: str
    name: str


class Form(NamedTuple):
    """What a client sent with files: fields, each perhaps several times, and the files."""

    fields: Mapping[str, Sequence[str]]
    files: Sequence[Upload]

    def only(self, *names: str, files: int = 1) -> None:
        """Refuse fields that mean nothing here, and more or fewer files than asked for."""
        _only(self.fields, names)
        if not 1 <= len(self.files) <= files:
            hint = "send one file" if files == 1 else f"send one file, or up to {files}"
            raise InputError("bad_shape", "file", "must be a file", verbatim(f"{len(self.files)} files"), hint)

    def one(self, name: str) -> str | None:
        """Return a field that may come once."""
        given = [text for text in self.fields.get(name, ()) if text]
        if len(given) > 1:
            raise InputError("ambiguous", name, "is given twice", given[1], "give it once")
        return given[0] if given else None

    def many(self, name: str) -> list[str]:
        """Return a field that may come several times; empty ones are passed over."""
        return [text for text in self.fields.get(name, ()) if text]

    def needed(self, name: str) -> str:
        """Return a field that must come."""
        given = self.one(name)
        if given is None:
            raise InputError("usage", name, "must be said", None, f"add the field {name}")
        return given


def _only(given: Mapping[str, Any], names: Sequence[str]) -> None:
    for name in given:
        if name not in names:
            hint = suggestion(name, names, f"there are {', '.join(names)}")
            raise InputError("usage", name[:80] or "field", "is no part of this question", name, hint)


def _table(body: Body, name: str) -> Any:
    from ..table import Table

    given = body.get(name)
    if not isinstance(given, Mapping):
        raise InputError("bad_shape", name, "must be a table", given, "give tp, fn, fp and tn by name")
    return Table.from_mapping(given)


def _texts(value: object, name: str) -> list[str]:
    """Read one text or a list of them."""
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, list) or any(not isinstance(each, str) for each in given):
        raise InputError("usage", name, "must be a text or a list of texts", value, "give names as text")
    return given


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise InputError("usage", name, "must be a text", value, "give it as text")
    return value


def _number(value: object, name: str) -> float:
    try:
        if not isinstance(value, bool | list | dict | None):
            return float(value)  # type: ignore[arg-type]
    except (ValueError, OverflowError):
        pass
    raise InputError("bad_number", name, "must be a number", value, "give a number")


def _flag(value: object, name: str) -> bool:
    known = {"true": True, "1": True, "on": True, "false": False, "0": False, "off": False}
    found = value if isinstance(value, bool) else known.get(str(value).lower())
    if found is None:
        raise InputError("bad_option", name, "must be true or false", value, "give true or false")
    return found


_READ: Final[Mapping[str, Callable[[Any, str], Any]]] = {
    "level": _number,
    "tolerance": _number,
    "method": _text,
    "convention": _text,
    "positive": _text,
    "reference_uncertainty": _flag,
}


def _options(given: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return the options that are given, read; what is left out has the library's default."""
    found = {name: given[name] for name in names if given.get(name) is not None}
    return {name: _READ[name](value, name) if name in _READ else value for name, value in found.items()}


def metrics(body: Body) -> Any:
    """List the catalogue."""
    from ..metrics import Catalogue

    return Catalogue.all()


def metric(body: Body) -> Any:
    """Describe one metric."""
    from ..space import describe

    return describe(_text(body.get("name"), "name"))


def score(body: Body) -> Any:
    """Score one table."""
    from ..metrics import scores
    from ..table import Table

    cells = {name: value for name, value in body.items() if name != "metrics"}
    names = body.get("metrics")
    return scores(Table.from_mapping(cells), None if names is None else _texts(names, "metrics"))


def holes(body: Body) -> Any:
    """Count the tables of a size for which a metric is undefined."""
    from ..space import holes as count_holes
    from ..table import whole

    _only(body, ("metric", "sizes"))
    sizes = body.get("sizes")
    listed = sizes if isinstance(sizes, list) else [sizes]
    return count_holes(_text(body.get("metric"), "metric"), [whole(size, "size", text=True) for size in listed])


def recover(body: Body) -> Recovery:
    """Find every table that could have produced reported scores; the body is the mapping."""
    from ..claims import Claim
    from ..claims import recover as find_tables
    from ..claims.claim import BUDGET

    for name, value in body.items():
        if isinstance(value, dict | bool) or (isinstance(value, list) and name == "rounding"):
            raise InputError("bad_number", name[:80], "must be a text or a number", value, "write it as it was printed")
    claim = Claim.from_mapping(body)
    if claim.budget > BUDGET:
        # A budget beyond the usual would hold up everybody else.
        hint = "leave it out, or ask on the command line"
        raise InputError("bad_option", "budget", f"must be at most {BUDGET} here", claim.budget, hint)
    return find_tables(claim)


def match(body: Body) -> Match | Comparison:
    """Tell whether a group's score is different, or the group just small."""
    from .. import groups
    from ..metrics import Contrast, find
    from ..table import whole

    _only(body, ("metric", "group", "reference", "method", "reference_uncertainty", "seed", "level"))
    own, other = _table(body, "group"), _table(body, "reference")
    name = _text(body.get("metric"), "metric")
    if isinstance(find(name), Contrast):
        _unused(body, ("method", "reference_uncertainty", "seed"), "a measure of two groups")
        return groups.compare(own, other, name, **_options(body, "level"))
    _unused(body, ("level",), "a score of one group")
    seed = body.get("seed")
    rng = None if seed is None else whole(seed, "seed", text=True)
    return groups.match(own, other, name, rng=rng, **_options(body, "method", "reference_uncertainty"))


def _unused(body: Body, names: Sequence[str], what: str) -> None:
    for name in names:
        if body.get(name) not in (None, False):
            raise InputError("usage", name, f"does not go with {what}", body[name], f"leave {name} out")


def smooth(body: Body) -> Any:
    """Draw a small group's table towards a reference."""
    from .. import groups

    _only(body, ("group", "reference", "strength", "epsilon"))
    own = _table(body, "group")
    if body.get("epsilon") is not None:
        _unused(body, ("strength", "reference"), "epsilon")
        return groups.smooth(own, epsilon=body["epsilon"])
    other = None if body.get("reference") is None else _table(body, "reference")
    return groups.smooth(own, other, **_options(body, "strength"))


def audit_tables(body: Body) -> Audit:
    """Compare groups whose tables are given."""
    from .. import groups

    _only(body, ("groups", "metrics", "reference", "level", "strength", "reference_uncertainty"))
    given = body.get("groups")
    if not isinstance(given, Mapping):
        raise InputError("bad_shape", "groups", "must be tables by name", given, "give groups by name")
    options = _options(body, "level", "strength", "reference_uncertainty")
    if body.get("metrics") is not None:
        options["metrics"] = _texts(body["metrics"], "metrics")
    reference = body.get("reference")
    if reference is not None:
        options["reference"] = reference if isinstance(reference, str) else _table(body, "reference")
    return groups.audit_tables({name: _table(given, name) for name in given}, **options)


def audit(form: Form) -> Audit:
    """Compare the groups in a file."""
    from .. import groups
    from ..metrics import AUDITED

    single = ("reference", "positive", "level", "strength", "reference_uncertainty")
    form.only("truth", "prediction", "by", "metric", *single)
    given = {name: form.one(name) for name in single}
    return groups.audit(
        _data(form.files[0]),
        truth=form.needed("truth"),
        prediction=form.needed("prediction"),
        by=form.many("by"),
        metrics=form.many("metric") or AUDITED,
        **_options(given, *single),
    )


def certainty(form: Form) -> Overview:
    """Tell how much of each file's scores rests on confident predictions."""
    from ..certainty import decompose_data, overview
    from ..metrics import SPLIT

    form.only("truth", "probabilities", "prediction", "by", "metric", "convention", "tolerance", files=2)
    options = _options({name: form.one(name) for name in ("prediction", "tolerance")}, "prediction", "tolerance")
    models = {
        file.label: decompose_data(
            _data(file),
            truth=form.needed("truth"),
            probabilities=_columns(form),
            by=form.many("by") or None,
            **options,
        )
        for file in form.files
    }
    return overview(
        models, form.many("metric") or SPLIT, **_options({"convention": form.one("convention")}, "convention")
    )


def _columns(form: Form) -> list[str]:
    return [name.strip() for given in form.many("probabilities") for name in given.split(",") if name.strip()]


def _data(file: Upload) -> str:
    """Return the file to open, once its first line is known to have an end."""
    if not file.name.endswith(".parquet"):
        _check_header(file)
    return file.name


def _check_header(file: Upload) -> None:
    try:
        with gzip.open(file.name) if file.name.endswith(".gz") else Path(file.name).open("rb") as data:
            line = data.readline(_LONGEST_HEADER + 1)
    except (EOFError, OSError, zlib.error):
        return  # the library says it better
    if len(line) > _LONGEST_HEADER:
        problem, hint = f"has a first line of more than {_LONGEST_HEADER:,} bytes", "give a CSV file with a header"
        raise TooLarge("too_large", "file", problem, file.label, hint)


def review(form: Form) -> Iterator[tuple[dict[Any, Any], float]]:
    """Recover every report of a table, one a row; yield the row with its verdict and how far the file is read."""
    from ..claims import review as review_rows
    from ..frames import read_rows

    single = ("rounding", "undefined", "max_total", "budget")
    form.only("map", *single)
    options = _options({name: form.one(name) for name in single}, *single)
    columns: dict[str, str] = {}
    for text in form.many("map"):
        name, equals, means = text.partition("=")
        if not equals or not name.strip():
            raise InputError("usage", "map", "must be column=name", text, "write it as Column=name")
        columns[name] = means
    share = [0.0]
    rows = read_rows(_data(form.files[0]), lambda done: share.__setitem__(0, done))
    none = True
    for row in review_rows(rows, columns=columns, **options):
        none = False
        yield row, min(share[0], 1.0)
    if none:
        label = form.files[0].label
        raise InputError("empty", "table", "has a header but no rows", label, "check how it was written")


@dataclass(frozen=True)
class Pictures:
    """Charts by name, as Vega-Lite."""

    charts: Charts
    notes: tuple[str, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record a chart."""
        return [{"chart": name} for name in self.charts]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"schema": "fourfold/charts", "version": 1, "charts": self.charts, "notes": list(self.notes)}


def draw_recover(body: Body) -> Pictures:
    """Draw the tables that fit, and the bounds of every metric."""
    from .. import plots

    found = recover(body)
    return Pictures(
        {
            "feasible": plots.feasible(found).to_dict(validate=False),
            "bounds": plots.bounds(found).to_dict(validate=False),
        }
    )


def draw_match(body: Body) -> Pictures:
    """Draw the law of a group's score."""
    from .. import plots
    from ..groups import Match

    found = match(body)
    if not isinstance(found, Match):
        hint = "draw a score of one group"
        raise InputError("bad_metric", "metric", "a measure of two groups has no law", body.get("metric"), hint)
    return Pictures({"law": plots.law(found).to_dict(validate=False)})


def draw_audit_tables(body: Body) -> Pictures:
    """Draw groups with their intervals."""
    return _forest(audit_tables(body))


def draw_audit(form: Form) -> Pictures:
    """Draw the groups of a file with their intervals."""
    return _forest(audit(form))


def _forest(found: Audit) -> Pictures:
    from .. import plots

    return Pictures({"forest": plots.forest(found).to_dict(validate=False)})


def draw_certainty(form: Form) -> Pictures:
    """Draw bars of certain and uncertain scores, the matrices of each file, and the curves of all."""
    from .. import plots

    found = certainty(form)
    drawn: Charts = {"bars": plots.certainty(found).to_dict(validate=False)}
    drawn["matrices"] = {name: plots.matrices(model).to_dict(validate=False) for name, model in found.models.items()}
    try:
        for kind, curves in _curves(form).items():
            drawn[kind] = plots.curve(curves).to_dict(validate=False)
    except FourfoldError as error:
        return Pictures(drawn, (f"no curves are drawn: {error}",))
    return Pictures(drawn)


def _curves(form: Form) -> dict[str, dict[str, Curve]]:
    from ..certainty import imcp, mcp

    found: dict[str, dict[str, Curve]] = {"mcp": {}, "imcp": {}}
    for file in form.files:
        truth, numbers = _rows(file, form.needed("truth"), tuple(_columns(form)))
        found["mcp"][file.label], found["imcp"][file.label] = mcp(truth, numbers), imcp(truth, numbers)
    return found


def _rows(file: Upload, truth: str, patterns: tuple[str, ...]) -> tuple[list[str], Any]:
    """Return the labels and the probabilities of every row that has a label."""
    import numpy as np

    from ..frames import read_rows
    from ..frames.rows import MISSING, spellings
    from ..frames.tally import Wanted

    labels: list[str] = []
    numbers: list[list[float]] = []
    names: list[str] = []
    for row in read_rows(_data(file)):
        if not names:
            header = [name for name in row if name is not None]
            names = [header[place] for place in Wanted(truth, None, (), patterns).places(header, file.label)]
        label = row[names[0]].strip()
        if label.casefold() not in MISSING:
            labels.append(label)
            numbers.append([_number(row[name], "probabilities") for name in names[1:]])
        if len(labels) > _MOST_CURVE_ROWS:
            problem = f"has more than {_MOST_CURVE_ROWS:,} rows"
            raise TooLarge("too_large", "file", problem, file.label, "draw them in Python")
    spelt = spellings(set(labels))
    values = np.array(numbers, dtype=float).reshape(len(numbers), -1)
    probabilities = values[:, 0] if len(names) == 2 else dict(zip(names[1:], values.T, strict=True))
    return [spelt.get(label, label) for label in labels], probabilities


#: Every question that has one answer, by name.
QUESTIONS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "metrics": metrics,
    "metric": metric,
    "score": score,
    "holes": holes,
    "recover": recover,
    "match": match,
    "smooth": smooth,
    "audit-tables": audit_tables,
    "audit": audit,
    "certainty": certainty,
    "charts/recover": draw_recover,
    "charts/match": draw_match,
    "charts/audit-tables": draw_audit_tables,
    "charts/audit": draw_audit,
    "charts/certainty": draw_certainty,
}
