"""Feed every score of every small table back as floats print it, and count what is called impossible.

``python scripts/floats.py`` takes all ways to compute a metric of `tests/reference/floats.py` on all tables of up to 14
cases, in floats of 64 and 32 bits, in each form in which they may reach a reader. It takes some minutes;
``--cases 8`` takes less. The exit code is 1 if any score was not held by what was read.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.reference.floats import all_tables, forms, ways

from fourfold.claims.claim import Size, TableClaim
from fourfold.exact import CELLS
from fourfold.metrics import metric


def main() -> int:
    """Try all scores, print how many failed, and the first of each metric."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--cases", type=int, default=14, help="the largest table")
    tables = all_tables(parser.parse_args().cases)
    tried = failed = 0
    for computed, kept in ((np.float64, np.float64), (np.float64, np.float32), (np.float32, np.float32)):
        # One text stands for many tables: each is read once.
        seen: dict[tuple[str, int, int, Any], dict[tuple[int, ...], None]] = defaultdict(dict)
        for name, values in ways(tables, computed):
            for i in np.flatnonzero(np.isfinite(values)):
                cells = tuple(map(int, tables[i]))
                seen[name, cells[0] + cells[1], cells[2] + cells[3], kept(values[i])][cells] = None
        for (name, positives, negatives, value), fitting in seen.items():
            claim = TableClaim((), Size(positives, positives), Size(negatives, negatives))
            truths = [metric(name).value(dict(zip(CELLS, cells, strict=True))) for cells in fitting]
            for form in forms(value)[: 3 if computed is np.float32 else 4]:
                reported = claim.read_score(name, form).reported
                wrong = [truth for truth in truths if truth is not None and truth not in reported]
                tried += len(truths)
                failed += len(wrong)
                if wrong:
                    print(f"{name} of {positives} positives and {negatives} negatives: {form!r} is not {wrong[0]}")
        print(f"computed in {computed.__name__}, kept in {kept.__name__}: {tried} tried so far, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
