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

from . import __version__, plots, report
from .certainty import Overview
from .claims import Recovery
from .errors import InputError, MissingExtra, TooLarge
from .frames import write_rows
from .groups import Audit
from .plots.style import extra
from .report import Section, escaped
from .reproduce import Reproduction

Reportable: TypeAlias = Recovery | Audit | Overview | Reproduction

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

    Examples
    --------
    >>> from fourfold.claims import recover
    >>> text = page(recover(accuracy="0.85", recall="80%", positives=40, negatives=60))
    >>> "<h1>1 table fits</h1>" in text, "<script" in text
    (True, False)
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
    Recovery: "Check of reported scores",
    Audit: "Groups beside each other",
    Overview: "What scores rest on",
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
    (place / "outcome.json").write_text(report.to_json(result), encoding="utf-8", newline="\n")
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
def _(result: Recovery) -> Iterator[_Picture]:
    if result.feasible.unwalked or not (result.count or result.contradictions):
        return
    possible = bool(result.count)
    if possible or result.claim.margins:
        yield _Picture("tables" if possible else "contradiction", partial(plots.feasible, result), _PLANE)
    if possible or result.implied:
        caption = _BOUNDS if possible else _IMPLIED
        yield _Picture("bounds" if possible else "contradiction", partial(plots.bounds, result), caption)


@_pictures.register
def _(result: Audit) -> Iterator[_Picture]:
    for name in result.metrics if result.findings else ():
        yield _Picture(name, partial(plots.forest, result, name), _FOREST)


@_pictures.register
def _(result: Overview) -> Iterator[_Picture]:
    yield _Picture(None, partial(plots.certainty, result), _SPLIT)
    for name, model in result.models.items():
        yield _Picture(name, partial(plots.matrices, model), _MATRICES)


@_pictures.register
def _(result: Reproduction) -> Iterator[_Picture]:
    for part in result.parts:
        if part.view is not None:
            yield _Picture(part.place, partial(plots.figure, part), f"{part.place}, drawn from the numbers found here.")


_PLANE: Final = "The plane of both rates: each claim holds inside its band, and points are tables."
_BOUNDS: Final = "The smallest and the largest value of every metric among the tables that fit."
_IMPLIED: Final = "What the other claims leave for each claim that they contradict."
_FOREST: Final = "Each group's score with its interval, beside its smoothed score and the overall score."
_SPLIT: Final = "Each metric on the certain and on the uncertain part of the predictions."
_MATRICES: Final = "Four ways to count: rows are actual classes, columns predicted ones."


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


_STYLE: Final = """
:root {
  color-scheme: light dark;
  --ink: #1b1f23; --quiet: #50575e; --paper: #ffffff; --line: #d5d9de; --band: #f4f6f8; --bar: #0072b2; --odd: #8a4b00;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --ink: #e9ecef; --quiet: #b3bac2; --paper: #15181c; --line: #3a4048; --band: #1f242a; --bar: #56b4e9;
    --odd: #f2b661;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem 3rem;
  color: var(--ink); background: var(--paper); font: 1rem/1.55 system-ui, "Segoe UI", Roboto, Arial, sans-serif;
  overflow-wrap: break-word;
}
header { border-bottom: 3px solid var(--bar); margin-bottom: 1.5rem; padding-bottom: .75rem; }
header p { margin: 0; color: var(--quiet); }
h1 { margin: .2rem 0 0; font-size: 1.7rem; line-height: 1.25; text-wrap: balance; }
h2 { margin: 2.2rem 0 .6rem; font-size: 1.2rem; line-height: 1.3; }
p, ul { max-width: 46rem; margin: .5rem 0; }
ul { padding-left: 1.3rem; }
li { margin: .2rem 0; }
small { font-size: .9rem; color: var(--quiet); }
em { font-style: italic; color: var(--odd); }
.missing { border-left: 4px solid var(--odd); margin-top: 2rem; padding: .3rem .9rem; }
.scroll { overflow-x: auto; margin: .8rem 0; }
.scroll:focus-visible { outline: 2px solid var(--bar); outline-offset: 2px; }
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
th, td { padding: .3rem .7rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
thead th, thead td { border-bottom: 2px solid var(--quiet); vertical-align: bottom; }
tbody tr:nth-child(even) > * { background: var(--band); }
tbody th { min-width: 6rem; max-width: 20rem; font-weight: normal; }
th.number, td.number { text-align: right; white-space: nowrap; }
td:last-child:not(.number) { min-width: 11rem; }
.bar { display: block; width: 9rem; height: .7rem; margin-top: .4rem; background: var(--line); }
.bar > span { display: block; height: 100%; background: var(--bar); }
figure { margin: 1rem 0; }
figure svg { display: block; width: 100%; min-width: 32rem; height: auto; border: 1px solid var(--line); }
figure svg text { font-family: Arial, "Liberation Sans", Helvetica, sans-serif; }
figcaption { margin-top: -.4rem; font-size: .9rem; color: var(--quiet); }
footer { margin-top: 3rem; border-top: 1px solid var(--line); font-size: .9rem; }
footer h2 { margin-top: 1.2rem; font-size: 1rem; }
dl { margin: 0; }
dl > div { display: flex; gap: .75rem; padding: .15rem 0; }
dt { flex: 0 0 5.5rem; color: var(--quiet); }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
code { font: .95em/1.5 ui-monospace, Consolas, "Liberation Mono", monospace; white-space: pre-wrap; }
@media screen and (max-width: 40rem) {
  body { padding: 1.2rem .9rem 2rem; }
  h1 { font-size: 1.4rem; }
  th, td { padding: .3rem .45rem; }
  td:last-child:not(.number) { min-width: 17rem; }
  td:has(> .bar) { min-width: 0; }
  tbody th { position: sticky; left: 0; max-width: 9rem; background: var(--paper); }
}
@page { margin: 16mm 14mm; }
@media print {
  :root {
    color-scheme: light;
    --ink: #000000; --quiet: #333333; --paper: #ffffff; --line: #bbbbbb; --band: transparent; --bar: #000000;
    --odd: #000000;
  }
  html { font-size: 10pt; }
  body { max-width: none; padding: 0; }
  h2 { break-after: avoid; }
  table { font-size: .85rem; line-height: 1.3; }
  th, td { padding: .12rem .4rem; }
  thead { display: table-header-group; }
  table:not(:has(tr:nth-child(40))) { break-inside: avoid; }
  tr, figure, li, footer, dl > div { break-inside: avoid; }
  .scroll { overflow: visible; }
  figure svg { min-width: 0; max-height: min(24cm, calc(.72 * var(--height))); border: 0; }
  .bar > span { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
