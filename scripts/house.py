"""Draw the map of the house from its imports: `python scripts/house.py` writes docs/pictures/house.svg.

A room stands on the floor above the highest room that it imports. A line leads from a room to one that it imports,
unless it also gets there through others.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from fourfold.names import homes

ROOT: Final = Path(__file__).parent.parent
SOURCE: Final = ROOT / "src" / "fourfold"
PICTURE: Final = ROOT / "docs" / "pictures" / "house.svg"
_ROW: Final = re.compile(r"^\| (\d+) \| `(\w+)` \| .+ \|$", re.MULTILINE)
#: Sizes in pixels: a box, the way from floor to floor, and the width of the picture.
_WIDE, _HIGH, _FLOOR, _ALL = 104, 28, 62, 900


def modules() -> list[Path]:
    """Return every module but the package's own."""
    return [path for path in sorted(SOURCE.rglob("*.py")) if path != SOURCE / "__init__.py"]


def room(path: Path) -> str:
    """Return the room of a module."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[tuple[str, str]]:
    """Yield what a file imports from other rooms: the module's name below `fourfold`, and the name in it."""
    depth = len(path.relative_to(SOURCE).parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            whole = node.module or ""
            if node.level == depth:
                yield from ((whole, alias.name) for alias in node.names)
            elif not node.level and whole.split(".")[0] == "fourfold":
                yield from ((whole.removeprefix("fourfold").removeprefix("."), alias.name) for alias in node.names)


def imported_rooms(path: Path) -> set[str]:
    """Return the rooms whose modules or names a file imports; a public name of the package is in its own room."""
    public = homes("fourfold")
    rooms = {(module or public.get(name, name)).strip(".").split(".")[0] for module, name in imports(path)}
    return rooms - {"__version__"}


@cache
def below() -> dict[str, frozenset[str]]:
    """Return the rooms that each room imports."""
    rooms: dict[str, set[str]] = {}
    for path in modules():
        rooms.setdefault(room(path), set()).update(imported_rooms(path) - {room(path)})
    return {name: frozenset(others) for name, others in rooms.items()}


def floors() -> dict[str, int]:
    """Return the lowest floor on which each room can stand."""

    @cache
    def floor(name: str) -> int:
        return 1 + max(map(floor, below()[name]), default=-1)

    return {name: floor(name) for name in below()}


def floors_of_the_guide() -> list[tuple[str, int]]:
    """Return the rooms and their floors as CONTRIBUTING.md lists them."""
    return [(name, int(floor)) for floor, name in _ROW.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))]


def lines() -> list[tuple[str, str]]:
    """Return the imports from room to room that no way through other rooms replaces."""

    @cache
    def reached(name: str) -> frozenset[str]:
        return below()[name].union(*map(reached, below()[name]))

    return [
        (name, other)
        for name, others in sorted(below().items())
        for other in sorted(others)
        if not any(other in reached(between) for between in others)
    ]


def picture() -> str:
    """Return the map as SVG."""
    places = _places(floors())
    height = (max(floors().values()) + 1) * _FLOOR
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_ALL} {height}"',
        ' font-family="sans-serif" font-size="13">',
        "<title>The rooms of the house: each imports from those below it</title>",
        f'<rect width="{_ALL}" height="{height}" fill="white"/>',
    ]
    for name, other in lines():
        (x, y), (to_x, to_y) = places[name], places[other]
        y, bend = y + _HIGH, _FLOOR / 2
        way = f"M{x:g} {y:g}C{x:g} {y + bend:g} {to_x:g} {to_y - bend:g} {to_x:g} {to_y:g}"
        parts.append(f'<path d="{way}" fill="none" stroke="#8a94a6"/>')
    for name, (x, y) in places.items():
        box = f'x="{x - _WIDE / 2:g}" y="{y:g}" width="{_WIDE}" height="{_HIGH}" rx="4"'
        parts.append(f'<rect {box} fill="#e8ebf7" stroke="#3f51b5"/>')
        parts.append(f'<text x="{x:g}" y="{y + 19:g}" text-anchor="middle" fill="#1a1a1a">{name}</text>')
    parts += [
        f'<text x="12" y="{height - (floor + 1) * _FLOOR + 34:g}" fill="#555">{floor}</text>'
        for floor in sorted(set(floors().values()))
    ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _places(floor_of: Mapping[str, int]) -> dict[str, tuple[float, float]]:
    """Return the middle of the upper edge of each room's box."""
    top, places = max(floor_of.values()), {}
    for floor in range(top, -1, -1):
        names = sorted(name for name in floor_of if floor_of[name] == floor)
        for place, name in enumerate(names):
            places[name] = (30 + (_ALL - 30) * (place + 1) / (len(names) + 1), (top - floor) * _FLOOR + 15.0)
    return places


def main() -> None:
    """Write the picture."""
    PICTURE.write_text(picture(), encoding="utf-8")


if __name__ == "__main__":
    main()
