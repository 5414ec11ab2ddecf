"""The colours and dashes that tell things apart."""

from __future__ import annotations

from typing import Final

# Okabe and Ito's colours, told apart by readers with any kind of colour vision; black is kept for tables.
COLOURS: Final = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
# A heat map's: from white to dark blue, evenly.
SHADES: Final = ("#FFFFFF", "#6BAED6", "#08306B")
BLUE, VERMILION, BLACK, GREY, TEXT = COLOURS[0], COLOURS[5], "#000000", "#9A9A9A", "#222222"

#: Lines are told apart by these as well.
DASHES: Final = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 2], [10, 4])
