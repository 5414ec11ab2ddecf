"""The colours and dashes that tell things apart."""

from __future__ import annotations

from typing import Final

# After Okabe and Ito, whose colours readers with any kind of colour vision tell apart; the light ones are darker here,
# so that each has a contrast of 3 to 1 with white. Black is kept for tables.
COLOURS: Final = ("#0072B2", "#B97F00", "#00926A", "#C2729E", "#2E8AC0", "#D55E00", "#8F8600")
# A heat map's: from white to dark blue, evenly.
SHADES: Final = ("#FFFFFF", "#6BAED6", "#08306B")
BLUE, VERMILION, BLACK, GREY, TEXT = COLOURS[0], COLOURS[5], "#000000", "#878787", "#222222"

#: Lines are told apart by these as well.
DASHES: Final = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 2], [10, 4])
