"""What holds for every picture."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from fourfold import plots


def assert_drawn(chart: Any, folder: Path) -> None:
    """Check that a chart is valid, has a heading, and can be saved with no trace of a missing number."""
    spec = chart.to_dict()
    json.dumps(spec, allow_nan=False)
    assert spec["title"]["text"]
    plots.save(chart, folder / "picture.svg")
    text = (folder / "picture.svg").read_text()
    assert text.startswith("<svg")
    assert not re.search("NaN|Infinity|>null<|>undefined<", text)
    plots.save(chart, folder / "picture.png")
    assert (folder / "picture.png").read_bytes().startswith(b"\x89PNG")
