"""How text is encoded: UTF-8, what Excel writes instead, and single letters that older programs left in it."""

from __future__ import annotations

import re
from typing import Final

#: Bytes that are not UTF-8, as Python lets them pass.
_PASSED: Final = re.compile("[\udc80-\udcff]")
_MARKS: Final = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)


def encoding_of(head: bytes) -> tuple[str | None, int]:
    """Return how text is encoded, as far as its first bytes tell, and the length of the mark that says so."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding, len(mark)
    sample = head[:4096]
    for offset, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        if (
            len(sample) >= 4
            and sample[offset::2].count(0) > 0.4 * len(sample) / 2
            and not sample[1 - offset :: 2].count(0)
        ):
            return encoding, 0
    return None, 0


def recoded(line: str) -> str | None:
    r"""Return a line with each byte that is not UTF-8 as the letter that it is in Windows-1252; None if it has none.

    Bytes that are no letter there stay what they are, so that texts that differ go on to do so.

    Examples
    --------
    >>> recoded(b"M\xfcller".decode("utf-8", "surrogateescape")), recoded("Müller")
    ('Müller', None)
    """
    if line.isascii() or not _PASSED.search(line):
        return None
    return _PASSED.sub(lambda match: _LETTERS[ord(match[0]) - 0xDC00], line)


def _letter(code: int) -> str:
    try:
        return bytes([code]).decode("cp1252")
    except UnicodeDecodeError:
        return chr(code)


_LETTERS: Final = tuple(map(_letter, range(256)))
