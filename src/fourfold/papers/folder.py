"""A paper done again as a folder of files."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from fourfold import MissingExtra, plots
from fourfold.data import write_rows, write_text
from fourfold.writers import grid_markdown, html_file, to_json

from .answer import part_grid, verdict_and_why
from .drawing import figure
from .outcome import Reproduction


def write_folder(
    result: Reproduction, folder: str | Path, *, command: Sequence[str] | None = None, now: datetime | None = None
) -> None:
    """Write a reproduced paper to a folder: figures as PNG and SVG, tables as CSV and markdown, and a page of all.

    Files of the same figures and tables are replaced. Without ``fourfold[plots]`` there are no figures, and the page
    says so. `command` is what was typed, word by word, and `now` the time on the page.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    drawings: dict[str | None, plots.Drawing] = {}
    # The page says what is missing.
    with suppress(MissingExtra):
        drawings |= {part.place: plots.Drawing.of(figure(part)) for part in result.parts if part.view}
    for part in result.parts:
        drawing = drawings.get(part.place)
        written = set()
        if part.records:
            written.add(".csv")
            write_rows(place / f"{part.slug}.csv", part.records)
            if part.view is None:
                text = f"# {part.place}: {part.title}\n\n{verdict_and_why(part)}\n\n{grid_markdown(part_grid(part))}\n"
                written.add(".md")
                write_text(place / f"{part.slug}.md", text)
        if drawing:
            for suffix in (".png", ".svg"):
                written.add(suffix)
                plots.save(drawing, place / (part.slug + suffix))
        for suffix in {".csv", ".md", ".png", ".svg"} - written:
            # What an earlier run left here.
            (place / (part.slug + suffix)).unlink(missing_ok=True)
    write_text(place / "outcome.json", to_json(result))
    write_text(place / "index.html", html_file(result, command=command, now=now, drawings=drawings))
