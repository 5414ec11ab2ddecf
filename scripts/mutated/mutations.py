"""How a valid file is broken: by chance, or in the ways that are known to hurt readers."""

from __future__ import annotations

import re
from random import Random
from typing import Final

from .hostile import hostile
from .valid import File, packed, parts_of, valid_files

#: Bytes that mean something to one reader or another.
_BITS: Final = (
    *(b"{", b"}", b"[", b'"', b"'", b"<table>", b"<tr>", b"<td colspan=99999 rowspan=99999>", b"<pre>", b"</td>", b"&"),
    *(
        b"\\\\",
        b"\\begin{tabular}",
        b"\\multirow{9}{*}{",
        b"\\multicolumn{99999}{l}{a}",
        b"```",
        b"|",
        b",",
        b";",
        b"\n",
    ),
    *(b"%", b"$", b"^", b"_", b"<!--", b'{"a":', b"**", b"((((", b"\\frac{", b"\\input{/etc/passwd}", b"=HYPERLINK(1)"),
    *(b"1e999", b"-1", b"NaN", b"inf", b"1e-999", b"0x10", b"1_0", b"\xc2\xb1", b"\xe2\x88\x92", b"\xef\xbc\x91"),
    *(b"__import__('os').abort()", b"${7*7}", b"{{7*7}}", b"`id`", b"!!python/object", b"\\write18{id}", b"%(a)s%n"),
)
_CONTROL: Final = (
    b"\x00",
    b"\x1b[31m",
    b"\x1b]0;x\x07",
    b"\x07",
    b"\x08",
    b"\x7f",
    b"\x9b",
    b"\xe2\x80\xae",
    b"\x85",
    b"\x0c",
)
_NESTS: Final = (
    b"[",
    b"{",
    b"(",
    b"<table><tr><td>",
    b"<div>",
    b"\\begin{tabular}{l}",
    b"> ",
    b'{"a":[',
    b"```\n",
    b"<<",
    b"q ",
)
_NUMBERS: Final = (
    b"9" * 400,
    b"-" + b"9" * 30,
    b"1" + b"0" * 5000,
    b"4294967296",
    b"9223372036854775808",
    b"1e309",
    b"0." + b"3" * 3000,
)
_ENCODINGS: Final = ("utf-16", "utf-16-be", "utf-32", "utf-7", "cp037", "utf-8-sig", "utf-16-le")


def broken_file(kind: str, random: Random) -> File:
    """Return a file of a kind, broken."""
    if random.random() < 0.1 and (made := hostile(kind, random)) is not None:
        return made
    file = random.choice(valid_files(kind))
    if random.random() < 0.03:
        # The name says one kind, the bytes another.
        file = file._replace(ending=random.choice(("csv", "md", "html", "pdf", "xlsx", "parquet", "csv.gz", "csv.zst")))
    return file._replace(data=broken(file.data, random))


def broken(data: bytes, random: Random) -> bytes:
    """Break bytes; of a packed document mostly those of a part, so that it can still be unpacked."""
    if data.startswith(b"PK") and random.random() < 0.8:
        parts = parts_of(data)
        name = random.choice([name for name in parts if name.endswith((".xml", ".rels"))])
        return packed({**parts, name: broken(parts[name], random)})
    if random.random() < 0.05:
        return _encoded(data, random)
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 5, 20))):
        _edit(changed, random)
    return bytes(changed)


def _edit(data: bytearray, random: Random) -> None:
    place, other = random.randrange(len(data) + 1), random.randrange(len(data) + 1)
    match random.randrange(10):
        case 0:
            if data:
                data[place - 1] ^= 1 << random.randrange(8)
        case 1:
            data[place : place + 1] = bytes([random.randrange(256)])
        case 2:
            data[place:place] = random.choice(_BITS)
        case 3:
            del data[place : place + random.choice((1, 3, 30, 300, len(data)))]
        case 4:
            data[place:place] = data[other : other + random.choice((5, 50, 500))]
        case 5:
            length, times = random.choice(((1, 1000), (20, 100), (200, 10), (len(data), 3)))
            data[place:place] = data[other : other + length] * times
        case 6:
            data[place:place] = random.choice(_CONTROL) * random.choice((1, 1, 50))
        case 7:
            data[place:place] = random.choice(_NESTS) * random.choice((10, 100, 3000))
        case 8:
            _put_number(data, place, random)
        case _:
            data[place:place] = bytes(random.randrange(256) for _ in range(random.choice((1, 4, 16))))


def _put_number(data: bytearray, place: int, random: Random) -> None:
    """Replace the next number by a huge one."""
    found = re.compile(rb"\d+").search(data, place)
    if found is not None:
        data[found.start() : found.end()] = random.choice(_NUMBERS)


def _encoded(data: bytes, random: Random) -> bytes:
    text = data.decode("latin-1")
    return text.encode(random.choice(_ENCODINGS), errors="replace")
