"""A result as one HTML file to hand on: it opens anywhere, loads nothing and runs nothing."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial, singledispatch
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias
from xml.etree import ElementTree

from . import __version__, plots, report, writers
from .errors import InputError, MissingExtra, TooLarge
from .frames import write_rows
from .plots.style import extra
from .report import Section
from .reproduce import Reproduction
from .writers import escaped

Reportable: TypeAlias = Reproduction

_SUFFIXES: Final = (".html", ".htm")
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


class _Picture(NamedTuple):
    """A picture to be drawn: the section that it belongs to, how, and what it shows."""

    about: str | None
    draw: Callable[[], Any]
    caption: str


def page(result: Reportable, *, command: Sequence[str] | None = None, now: datetime | None = None) -> str:
    """Return a result as a whole page of HTML: words, tables, pictures, and how they were made.

    Pictures need ``fourfold[plots]``; without it the page says so and has all the rest.

    Parameters
    ----------
    result
        What `recover`, `audit`, `overview` or an experiment of `reproduce` found.
    command
        What was typed, word by word, for the page's foot.
    now
        When; the present moment where left out.

    Returns
    -------
    str
        A page that refers to nothing outside of it and holds no script.
    """
    title = escaped(report.title(result))
    drawn, missing = _drawn(_pictures(result))
    body = [_section(i, part, drawn) for i, part in enumerate(report.sections(result))]
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{title}</title>",
            f"<style>{_STYLE}</style>",
            "</head>",
            "<body>",
            f"<header>\n<p>{_KINDS[type(result)]}</p>\n<h1>{title}</h1>\n</header>",
            "<main>",
            *drawn.get(None, []),
            *body,
            *([f'<p class="missing">{escaped(missing)}</p>'] if missing else []),
            "</main>",
            _foot(command, now or datetime.now().astimezone()),
            "</body>",
            "</html>",
            "",
        ]
    )


def write(
    result: Reportable, path: str | Path, *, command: Sequence[str] | None = None, now: datetime | None = None
) -> None:
    """Write a result to a file as `page` returns it.

    Parameters
    ----------
    result
        What `recover`, `audit`, `overview` or an experiment of `reproduce` found.
    path
        Where to; ends in ``.html``, so that no data is overwritten by mistake.
    command
        What was typed, word by word.
    now
        When; the present moment where left out.
    """
    if Path(path).suffix.lower() not in _SUFFIXES:
        raise InputError("bad_option", "html", "has no known ending", str(path), f"one of {', '.join(_SUFFIXES)}")
    Path(path).write_text(page(result, command=command, now=now), encoding="utf-8", newline="\n")


_KINDS: Final = {
    Reproduction: "A paper done again",
}


def write_folder(
    result: Reproduction, folder: str | Path, *, command: Sequence[str] | None = None, now: datetime | None = None
) -> None:
    """Write a paper done again to a folder: figures as PNG and SVG, tables as CSV and markdown, and a page of all.

    Without ``fourfold[plots]`` there are no figures, and the page says so.

    Parameters
    ----------
    result
        What `fourfold.reproduce` returned.
    folder
        Where to; made where it is not there. Files of the same figures and tables are replaced.
    command
        What was typed, word by word.
    now
        When; the present moment where left out.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    for part in result.parts:
        for suffix in (".csv", ".md", ".png", ".svg"):
            # What an earlier run left here.
            (place / (part.slug + suffix)).unlink(missing_ok=True)
        if part.records:
            write_rows(place / f"{part.slug}.csv", part.records)
        if part.view is None and part.records:
            (place / f"{part.slug}.md").write_text(report.to_markdown(part), encoding="utf-8", newline="\n")
        elif part.view is not None:
            with suppress(MissingExtra):
                chart = plots.figure(part)
                for suffix in (".png", ".svg"):
                    plots.save(chart, place / (part.slug + suffix))
    (place / "outcome.json").write_text(writers.to_json(result), encoding="utf-8", newline="\n")
    write(result, place / "index.html", command=command, now=now)


def _section(index: int, part: Section, drawn: Mapping[str | None, Sequence[str]]) -> str:
    """Return a section: its words, its pictures, and the tables that hold their numbers."""
    figures = [] if part.about is None else drawn.get(part.about, [])
    shown = [report.to_html(*part.words), *figures, report.to_html(*part.tables, caption=part.heading)]
    heading = f'<h2 id="part-{index}">{escaped(part.heading)}</h2>'
    lines = [f'<section aria-labelledby="part-{index}">', heading, *filter(None, shown), "</section>"]
    return "\n".join(lines)


@singledispatch
def _pictures(result: object) -> Iterator[_Picture]:
    raise TypeError(f"no report on {type(result).__name__}")


@_pictures.register
def _(result: Reproduction) -> Iterator[_Picture]:
    for part in result.parts:
        if part.view is not None:
            yield _Picture(part.place, partial(plots.figure, part), f"{part.place}, drawn from the numbers found here.")


def _drawn(pictures: Iterator[_Picture]) -> tuple[dict[str | None, list[str]], str]:
    """Return the figures of each section, or why there are none."""
    figures: dict[str | None, list[str]] = {}
    for index, picture in enumerate(pictures):
        try:
            figure = _figure(picture, index)
        except MissingExtra as error:
            return {}, f"This report has no pictures: {error.problem}. To have them: {error.hint}"
        except TooLarge as error:
            figure = f"<p>There is no picture here: {escaped(str(error))}</p>"
        figures.setdefault(picture.about, []).append(figure)
    return figures, ""


def _figure(picture: _Picture, index: int) -> str:
    """Return a picture with its caption; read aloud, it is its own heading."""
    converter = extra("vl_convert")
    spec = plots.drawable(picture.draw())
    svg = converter.vegalite_to_svg(spec)
    label = ". ".join([spec["title"]["text"], *spec["title"]["subtitle"]])
    caption = escaped(picture.caption)
    return "\n".join(
        [
            "<figure>",
            f'<div class="scroll" role="region" tabindex="0" aria-label="{caption}">',
            _inline(svg, label, f"picture-{index}-"),
            "</div>",
            f"<figcaption>{caption}</figcaption>",
            "</figure>",
        ]
    )


def _inline(svg: str, label: str, prefix: str) -> str:
    """Return a drawing as part of a page: named as a whole, as wide as there is room, its ids its own."""
    # What is read here was written by vl-convert.
    root = ElementTree.fromstring(svg)  # noqa: S314
    for part in root.iter():
        # Inside a page neither names of spaces nor addresses of them are needed.
        part.tag = part.tag.rpartition("}")[2]
        for name, value in list(part.attrib.items()):
            if name == "role" or name.startswith(("aria-", "{")):
                # A picture is read aloud as one, as the tables hold its numbers; and it links to nothing.
                del part.attrib[name]
            elif name == "id":
                part.set(name, prefix + value)
            elif value.startswith("url(#"):
                part.set(name, value.replace("url(#", f"url(#{prefix}"))
    size = f"max-width:{root.attrib.pop('width')}px;--height:{root.attrib.pop('height')}px"
    root.attrib |= {"role": "img", "aria-label": label, "style": size, "preserveAspectRatio": "xMinYMin meet"}
    return ElementTree.tostring(root, encoding="unicode")


def _foot(command: Sequence[str] | None, now: datetime) -> str:
    """Return how the page was made: what was typed, with what, and when."""
    written = f"{now.day} {now:%B %Y, %H:%M:%S %Z}".strip()
    facts = {
        "Command": f"<code>{escaped(shlex.join(command))}</code>" if command else "",
        "Written": f'<time datetime="{now.isoformat(timespec="seconds")}">{written}</time>',
        "fourfold": escaped(__version__),
        "Python": escaped(platform.python_version()),
        "NumPy": escaped(_version("numpy")),
        "SciPy": escaped(_version("scipy")),
        "scikit-learn": escaped(_version("scikit-learn")),
    }
    shown = (f"<div><dt>{name}</dt><dd>{words}</dd></div>" for name, words in facts.items() if words)
    return "\n".join(["<footer>", "<h2>How this was made</h2>", "<dl>", *shown, "</dl>", "</footer>"])


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


_STYLE: Final = writers.html.style()
