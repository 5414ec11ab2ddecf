"""Makes README's links absolute, for pages outside the repository, where relative ones lead nowhere.

The build calls it (see pyproject.toml). The repository's address is set in one place: `Source` below `[project.urls]`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from hatchling.metadata.plugin.interface import MetadataHookInterface

#: A picture or the end of a link's text, and then a place that is neither an address nor an anchor.
_RELATIVE: Final = re.compile(r"(?P<before>!\[[^\]]*\]|\])\((?![a-z]+:|#)(?P<path>[^)\s]+)\)")


def absolute(text: str, address: str, version: str) -> str:
    """Return markdown with links to the repository's files as they were when a version was tagged.

    Examples
    --------
    >>> absolute("![a](b.svg) [c](d.md#e) [f](https://g)", "https://host/us/it", "1.0")
    '![a](https://host/us/it/raw/v1.0/b.svg) [c](https://host/us/it/blob/v1.0/d.md#e) [f](https://g)'
    """

    def linked(match: re.Match[str]) -> str:
        kind = "raw" if match["before"].startswith("!") else "blob"
        return f"{match['before']}({address}/{kind}/v{version}/{match['path']})"

    return _RELATIVE.sub(linked, text)


class ReadmeLinks(MetadataHookInterface):
    """What hatchling calls."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Put README with absolute links into the metadata of sdist and wheel."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        text = absolute(text, metadata["urls"]["Source"], metadata["version"])
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
