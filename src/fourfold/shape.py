"""A result's shape, said once: a class gives its `to_dict`, its rows, its JSON Schema and its page in the reference.

A field says in its annotation what it holds: ``score: Annotated[float | None, "The group's score."]``. A function in
the annotation makes the value plain, as in ``Annotated[Fraction, "The low end, exact.", str]``, and what it returns
is the type in JSON; `also` adds to the JSON Schema. Properties, and methods without arguments, say the same by their
return type and their docstring.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cache, cached_property
from inspect import cleandoc, getattr_static
from types import FunctionType, MethodType, NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    NamedTuple,
    Self,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

Schema = dict[str, Any]
T = TypeVar("T")


def also(**schema: Any) -> tuple[tuple[str, Any], ...]:
    """Return more of a JSON Schema, to stand in an annotation; lists as tuples, as annotations are hashed."""
    return tuple(schema.items())


Count = Annotated[int, also(minimum=0)]
Amount = Annotated[float, also(minimum=0)]
Chance = Annotated[float, also(minimum=0, maximum=1)]
Level = Annotated[float, also(exclusiveMinimum=0, exclusiveMaximum=1)]

_DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
_REFERENCE: Final = "#/$defs/"
_TYPES: Final[Mapping[Any, str]] = {bool: "boolean", int: "integer", float: "number", str: "string", NoneType: "null"}
_LONGEST_REPR: Final = 120


def finite(number: float | None) -> float | None:
    """Return a number, or None in place of infinity and nan, which JSON does not have."""
    return number if number is not None and math.isfinite(number) else None


def joined(texts: Iterable[str]) -> str:
    """Return several texts as one."""
    return "; ".join(texts)


class Shown(NamedTuple):
    """A member of a class's JSON: the way to it, and its name; whether it is left out, split up, or in flat rows."""

    path: tuple[str, ...]
    name: str
    is_optional: bool = False
    is_split: bool = False
    is_column: bool = False

    @classmethod
    def of(cls, member: Any) -> Shown:
        """Return a member that stands in `_members` as an attribute, or as the functions below changed it."""
        if isinstance(member, Shown):
            return member
        path = object.__getattribute__(member, "path")
        return cls(path, path[-1])

    @classmethod
    def read(cls, text: str) -> Shown:
        """Read a member as a text: ``size=group.total``, ``*reported`` of which all members are shown, ``table?``."""
        name, _, path = text.strip("*?").rpartition("=")
        way = tuple(path.split("."))
        return cls(way, name or path, text.endswith("?"), text.startswith("*"))


class _Way:
    """Stands for a record while its class is made: remembers which attribute was asked for."""

    def __init__(self, *path: str) -> None:
        self.path = path

    def __getattribute__(self, name: str) -> _Way:
        return _Way(*object.__getattribute__(self, "path"), name)


#: What `_members` returns: attributes of `self`, some of them changed by the functions below.
Members = Iterable[object]


def named(name: str, member: object) -> object:
    """Return a member with another name."""
    return Shown.of(member)._replace(name=name)


def optional(member: object) -> object:
    """Return a member that is left out where it is None."""
    return Shown.of(member)._replace(is_optional=True)


def every(member: object) -> object:
    """Return a record of which all members are shown in its place."""
    return Shown.of(member)._replace(is_split=True)


def columns(*shown: object) -> list[object]:
    """Return members that also make a flat row."""
    return [Shown.of(member)._replace(is_column=True) for member in shown]


def known(member: T | None) -> T:
    """Return what may be None, to name a member of it: that is None with it."""
    return cast("T", member)


class Kind(NamedTuple):
    """What a class says of its JSON: the schema's name and version, where such objects come from, and the members.

    Without a source they are only parts of others, which refer to them by name.
    """

    name: str = ""
    version: int = 1
    source: str = ""
    members: tuple[Shown, ...] = ()


_KINDS: Final[dict[str, type[Record]]] = {}


class Record:
    """Something with a JSON form.

    A class with a method `_members` has what that returns, in this order: ``return self.metric, self.score``. A member
    is a field, a property or a method without arguments. It may come from further away,
    ``named("size", self.group.total)``. Without the method, these are the fields that say what they hold.
    """

    __slots__ = ()

    json_kind: ClassVar[Kind] = Kind()

    def _members(self) -> Members:
        return ()

    def __init_subclass__(
        cls, *, schema: str = "", version: int = 1, source: str = "", columns: str = "", members: str = ""
    ) -> None:
        shown = [Shown.read(text)._replace(is_column=True) for text in columns.split()]
        shown += map(Shown.read, members.split())
        if "_members" in vars(cls):
            shown = [Shown.of(member) for member in cls._members(cast("Any", _Way()))]
        if schema or shown:
            cls.json_kind = Kind(schema, version, source, tuple(shown))
        # A dataclass with slots is made twice, the second time without these words; the second one counts.
        if "json_kind" in vars(cls) and cls.json_kind.name:
            _KINDS[cls.json_kind.name] = cls
        # Its own, or what it inherits: else a dataclass makes one that shows everything, however long.
        cls.__repr__ = cls.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        if not is_dataclass(self):
            return super().__repr__()
        line = f"{type(self).__name__}("
        for field in fields(self):
            shown = _in_brief(getattr(self, field.name)) if field.repr else ""
            text = f"{'' if line.endswith('(') else ', '}{field.name}={shown}" if shown else ""
            line += text if len(line) + len(text) < _LONGEST_REPR else ""
        return f"{line})"

    @classmethod
    def made(cls, **fields: Any) -> Self:
        """Make a dataclass of fields that need no look, in a fifth of the time that a frozen one's own way takes.

        Those left out have their defaults, which must be values, not factories.
        """
        record = object.__new__(cls)
        object.__setattr__(record, "__dict__", fields)
        return record

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return _plain_record(self)

    @classmethod
    def schema(cls) -> Schema:
        """Return the JSON Schema of what `to_dict` returns.

        A member that is not described is allowed, as members may be added within a version.
        """
        name, version, *_ = cls.json_kind
        lead = {"$schema": _DRAFT, "$id": f"urn:fourfold:{name}:{version}", "title": f"fourfold/{name}"}
        body = _object(cls)
        whole: Schema = _moved(lead | body | {"$defs": _referred_to(body)}, _REFERENCE)
        return whole


class Result(Record):
    """An answer: fields, `rows` for a data frame, `to_dict` for JSON, and a document for readers."""

    def rows(self) -> list[dict[str, Any]]:
        """Return flat records, ready for a data frame; each has every key."""
        records = self._rows()
        names = dict.fromkeys(name for record in records for name in record)
        return [{name: record.get(name) for name in names} for record in records]

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record."""
        return [flat(self)]

    def plot(self, name: str | None = None, *, of: str | None = None) -> Any:
        """Return a picture of the result as an Altair chart; needs ``fourfold[plots]``.

        Parameters
        ----------
        name
            Which one, such as "bounds"; the main one when left out. An unknown name raises an error that lists the
            valid ones.
        of
            What it is of, where there are several of one name, such as the matrices of several models.
        """
        return above.plot(self, name, of)

    def __str__(self) -> str:
        return above.text(self)

    def _repr_html_(self) -> str:
        return above.html(self)

    def _repr_markdown_(self) -> str:
        return above.markdown(self)


class Above(NamedTuple):
    """What the rooms above make of a result: no room below them imports them, and a result asks here."""

    plot: Callable[[Any, str | None, str | None], Any]
    text: Callable[[Any], str]
    html: Callable[[Any], str]
    markdown: Callable[[Any], str]
    #: The verdict on a report in a document: in a sentence, and in one to paste into a review.
    verdict: Callable[[Any], str]
    citation: Callable[[Any], str]
    #: Brings in every class whose JSON has a name.
    load: Callable[[], object]


#: Set once, by the package's own `__init__`.
above: Above = cast("Above", None)


def _in_brief(value: object) -> str:
    """Return a value in a few characters: of many how many there are, of what has a name that, of the rest nothing."""
    if isinstance(value, tuple | Mapping) and not hasattr(value, "_fields"):
        return f"<{len(value)}>" if value else ""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Fraction):
        return str(value)
    brief = getattr(value, "name", value)
    return repr(brief) if isinstance(brief, str | int) else ""


def schemas() -> dict[str, Schema]:
    """Return the JSON Schema of everything that is written as JSON, by its name, such as "match"."""
    return {name: cls.schema() for name, cls in sorted(kinds().items()) if cls.json_kind.source}


def kinds() -> dict[str, type[Record]]:
    """Return every class whose JSON has a name, by that name."""
    above.load()
    return _KINDS


def components(names: Iterable[str], place: str) -> dict[str, Schema]:
    """Return the schemas of some kinds, such as "match", and of all they refer to, by name.

    References start with `place`, such as ``#/components/schemas/``, for a description that keeps them there.
    """
    known = kinds()
    bodies = {name: _object(known[name]) for name in sorted(names)}
    moved: dict[str, Schema] = _moved(bodies | _referred_to(bodies), place)
    return moved


def flat(record: object) -> dict[str, Any]:
    """Return the columns of a record, values as they are: infinity stays, and only notes become one text."""
    cls: Any = type(record)
    row = {member.name: member.value(record) for member in _columns(cls)}
    return row | {"notes": joined(note.text for note in row["notes"])} if "notes" in row else row


class Member(NamedTuple):
    """A member of an object: its name, the way to it, its schema, how its value becomes plain."""

    name: str
    path: tuple[str, ...]
    schema: Schema
    plain: Callable[[Any], Any]
    optional: bool = False

    def value(self, record: Any) -> Any:
        """Return the value in a record, as it is."""
        for name in self.path:
            if record is None:
                return None
            record = getattr(record, name)
            if isinstance(record, MethodType):
                record = record()
        return record


@cache
def members(cls: Any) -> tuple[Member, ...]:
    """Return the members of a class in the order of JSON."""
    kind = getattr(cls, "json_kind", Kind())
    described = [Shown((name,), name) for name, hint in _hints(cls).items() if _says(hint)]
    every = (*(_lead(kind) if kind.source else ()), *_expanded(cls, kind.members or described))
    assert len({member.name for member in every}) == len(every), f"{cls.__name__} has two members of one name"
    return every


def _lead(kind: Kind) -> Iterator[Member]:
    """Yield what every object with a schema of its own starts with."""
    name, version = f"fourfold/{kind.name}", kind.version
    yield Member("schema", (), {"const": name, "description": "The name of this schema."}, lambda _: name)
    words = "The version of the schema; within a version, members are only added."
    yield Member("version", (), {"const": version, "description": words}, lambda _: version)


@cache
def _columns(cls: Any) -> tuple[Member, ...]:
    plain_members = (member for member in members(cls) if member.path and member.name != "notes")
    shown = [one for one in getattr(cls, "json_kind", Kind()).members if one.is_column]
    return tuple(_expanded(cls, shown)) or tuple(plain_members)


def _expanded(cls: type, shown: Iterable[Shown]) -> Iterator[Member]:
    for one in shown:
        hint = _hint(cls, one.path)
        if one.is_split:
            target = _class(hint)
            yield from (member._replace(path=(*one.path, *member.path)) for member in members(target))
        else:
            yield Member(one.name, one.path, *_shape(_not_none(hint) if one.is_optional else hint), one.is_optional)


def _hint(cls: type, path: Sequence[str]) -> Any:
    """Return what the annotations say of an attribute, also of one further away."""
    attribute = getattr_static(cls, path[0], None)
    function = (
        attribute.fget
        if isinstance(attribute, property)
        else attribute.func
        if isinstance(attribute, cached_property)
        else attribute
    )
    if isinstance(function, FunctionType):
        hint = get_type_hints(function, include_extras=True)["return"]
        hint = hint if _says(hint) else Annotated[hint, _first_words(function)]
    else:
        hint = _hints(cls)[path[0]]
    if len(path) == 1:
        return hint
    further = _hint(_class(hint), path[1:])
    return Annotated[further | None, _says(further)] if NoneType in get_args(_bare(hint)) else further


@cache
def _hints(cls: Any) -> dict[str, Any]:
    return get_type_hints(cls, include_extras=True)


def _bare(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _class(hint: Any) -> type:
    """Return the class that a hint names, or names beside None."""
    return _bare(_not_none(hint))  # type: ignore[no-any-return]


def _not_none(hint: Any) -> Any:
    bare = _bare(hint)
    if not _is_union(bare):
        return hint
    rest: Any = Union[*(part for part in get_args(bare) if part is not NoneType)]
    return Annotated[rest, *hint.__metadata__] if bare is not hint else rest


def _is_union(hint: Any) -> bool:
    return get_origin(hint) in (Union, UnionType)


def _says(hint: Any) -> str:
    """Return the words in an annotation."""
    return next((part for part in getattr(hint, "__metadata__", ()) if isinstance(part, str)), "")


def _first_words(described: Any) -> str:
    return " ".join(cleandoc(described.__doc__ or "").split("\n\n")[0].split())


def _shape(hint: Any) -> tuple[Schema, Callable[[Any], Any]]:
    """Return the JSON Schema of a type, and what makes a value of it plain."""
    if get_origin(hint) is Annotated:
        return _annotated(*get_args(hint))
    if hint is Any:
        return {}, _same
    if hint in _TYPES:
        return {"type": _TYPES[hint]}, _same
    if get_origin(hint) is Literal:
        return {"type": "string", "enum": list(get_args(hint))}, _same
    if _is_union(hint):
        return _union(get_args(hint))
    origin, inside = get_origin(hint), get_args(hint)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        inner, plain = _shape(inside[1])
        schema: Schema = {"type": "object"} | ({"additionalProperties": inner} if inner else {})
        return schema, dict if plain is _same else lambda value: {name: plain(part) for name, part in value.items()}
    if isinstance(origin, type) and issubclass(origin, Iterable):
        inner, plain = _shape(inside[0])
        size = {} if len(inside) == 1 or inside[-1] is ... else {"minItems": len(inside), "maxItems": len(inside)}
        schema = {"type": "array", "items": inner} | size
        return schema, list if plain is _same else lambda value: [plain(part) for part in value]
    name = hint.json_kind.name if issubclass(hint, Record) else ""
    return ({"$ref": _REFERENCE + name} if name else _object(hint)), _plain_record


def _annotated(hint: Any, *more: Any) -> tuple[Schema, Callable[[Any], Any]]:
    convert = next((part for part in more if callable(part)), None)
    if convert is not None:
        hint = convert if isinstance(convert, type) else get_type_hints(convert, include_extras=True)["return"]
    schema, plain = _shape(hint)
    for part in more:
        schema = schema | ({"description": part} if isinstance(part, str) else {} if callable(part) else _listed(part))
    if convert is None:
        return schema, plain
    return schema, convert if plain is _same else lambda value: plain(convert(value))


def _listed(more: Iterable[tuple[str, Any]]) -> Schema:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in more}


def _union(choices: tuple[Any, ...]) -> tuple[Schema, Callable[[Any], Any]]:
    shapes = [_shape(choice) for choice in choices if choice is not NoneType]
    schemas = [schema for schema, _ in shapes]
    plain = shapes[0][1]
    if all("properties" in schema for schema in schemas):
        schema = _any_of_objects(schemas)
    elif len(schemas) == 1:
        schema = schemas[0]
    else:
        schema, plain = {"type": [schema["type"] for schema in schemas]}, _same
    if NoneType not in choices:
        return schema, plain
    return _or_null(schema), plain if plain is _same else lambda value: None if value is None else plain(value)


def _any_of_objects(schemas: Sequence[Schema]) -> Schema:
    """Return the schema of objects of several kinds: a member that not all have is optional."""
    first, *others = schemas
    for other in others:
        required = [name for name in first["required"] if name in other["required"]]
        known, more = first["properties"], other["properties"]
        both = {name: _either(known[name], more[name]) for name in known if name in more}
        first = first | {"properties": known | more | both, "required": required}
    return first


def _either(one: Schema, other: Schema) -> Schema:
    """Return the schema of a member that may be one thing in some objects and another in others."""
    bare = [{name: part for name, part in schema.items() if name != "description"} for schema in (one, other)]
    if bare[0] == bare[1]:
        return one
    words = dict.fromkeys(schema["description"] for schema in (one, other) if "description" in schema)
    description = {"description": " ".join(words)} if words else {}
    if "properties" in one and "properties" in other:
        return _any_of_objects([one, other]) | description
    if "items" in one and "items" in other:
        return one | {"items": _either(one["items"], other["items"])} | description
    return {"anyOf": bare} | description


def _or_null(schema: Schema) -> Schema:
    if "null" in schema.get("type", ""):
        return schema
    if "$ref" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    choices = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    types = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    return schema | {"type": [*types, "null"]} | choices


def _object(cls: type) -> Schema:
    """Return the schema of a class's objects, those within it by reference where they have a name."""
    return {
        "type": "object",
        "description": _first_words(cls),
        "properties": {member.name: member.schema for member in members(cls)},
        "required": [member.name for member in members(cls) if not member.optional],
    }


def _plain_record(record: Any) -> dict[str, Any]:
    cls: Any = type(record)
    values = ((member, member.value(record)) for member in members(cls))
    return {member.name: member.plain(value) for member, value in values if value is not None or not member.optional}


def _same(value: Any) -> Any:
    return value


def _referred_to(part: Any) -> dict[str, Schema]:
    """Return every schema that some schemas refer to, directly or not, by name."""
    bodies: dict[str, Schema] = {}
    waiting = list(_references(part))
    while waiting:
        if (name := waiting.pop()) not in bodies:
            bodies[name] = _object(_KINDS[name])
            waiting += _references(bodies[name])
    return dict(sorted(bodies.items()))


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict) and "$ref" in part:
        yield part["$ref"].removeprefix(_REFERENCE)
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from _references(inner)


def _moved(part: Any, place: str) -> Any:
    """Return a copy of schemas, with references that lead to a place."""
    if isinstance(part, list):
        return [_moved(inner, place) for inner in part]
    if not isinstance(part, dict):
        return part.replace(_REFERENCE, place) if isinstance(part, str) else part
    return {name: _moved(inner, place) for name, inner in part.items()}
