"""What the rooms above make of a result: the one place where a lower room reaches a higher one.

`shape.above` is set when the package is imported; each room is imported when it is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import shape

if TYPE_CHECKING:
    from .reports import Finding


def _plot(result: Any, name: str | None, of: str | None) -> Any:
    from .plots import plot

    return plot(result, name, of)


def _text(result: Any) -> str:
    from .writers import terminal_text

    return terminal_text(result)


def _html(result: Any) -> str:
    from .writers import notebook_html

    return notebook_html(result)


def _markdown(result: Any) -> str:
    from .writers import markdown

    return markdown(result)


def _verdict(finding: Finding) -> str:
    from .answers import checked_words

    return checked_words(finding)


def _citation(finding: Finding) -> str:
    from .answers import checked_cite

    return checked_cite(finding)


def _load() -> None:
    from . import answers, certainty, claims, groups, metrics, papers, reports, solve, workers
    from .names import load
    from .web import description

    for room in (answers, certainty, claims, groups, metrics, papers, reports, solve, workers, description):
        load(room)


shape.above = shape.Above(_plot, _text, _html, _markdown, _verdict, _citation, _load)
