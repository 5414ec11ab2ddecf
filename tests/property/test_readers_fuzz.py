"""Documents of each kind, broken at random: blocks or an error in the one grammar, never a traceback."""

from __future__ import annotations

import io
import random
import zipfile

import pytest

from fourfold.documents import blocks
from fourfold.errors import FourfoldError
from fourfold.reports import Grid

from ..documents import WRITERS, packed, written

BITS = (
    b"{ } [ \" ' <table> <tr> <td\x20colspan=99999> <pre> </td> & \\\\ \\begin{tabular} \\multirow{9}{*}{ ``` | \x00 \xff\xfe , ; "
    b'% $ ^ _ <!-- {"a": \\n ** \x1b[31m ((( \\frac{ {{{{{{{{ [[[[[[[[ 1e999 -1 NaN'
).split(b" ")


def broken(document: bytes, rng: random.Random) -> bytes:
    """Change a few bytes; in a packed document also those of a part, so that it can still be unpacked."""
    if document.startswith(b"PK") and rng.random() < 0.8:
        with zipfile.ZipFile(io.BytesIO(document)) as folder:
            parts = {name: folder.read(name) for name in folder.namelist()}
        name = rng.choice([name for name in parts if name.endswith(".xml")])
        return packed({**parts, name: broken(parts[name], rng)})
    changed = bytearray(document)
    for _ in range(rng.choice((1, 2, 5, 20))):
        place = rng.randrange(len(changed) + 1)
        other = rng.randrange(len(changed) + 1)
        match rng.randrange(4):
            case 0:
                changed[place : place + 1] = bytes([rng.randrange(256)])
            case 1:
                changed[place:place] = rng.choice(BITS)
            case 2:
                del changed[place : place + rng.choice((1, 3, 30, 300))]
            case _:
                changed[place:place] = changed[other : other + rng.choice((5, 50, 500))]
    return bytes(changed)


@pytest.mark.parametrize("name", WRITERS)
def test_broken_documents_raise_only_errors_in_the_one_grammar(name: str) -> None:
    rng = random.Random(name)
    document = written(name)
    for _ in range(10 if name.endswith((".pdf", ".docx")) else 40):
        try:
            found = list(blocks(broken(document, rng), name=rng.choice((name, "pasted"))))
        except FourfoldError as error:
            assert error.message
            continue
        for block in found:
            assert len(block.places) == len(block.rows if isinstance(block, Grid) else block.texts)
            assert not isinstance(block, Grid) or len({len(row) for row in block.rows}) == 1
