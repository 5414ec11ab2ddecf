"""A few valid files of each kind, the same bytes in every run."""

from __future__ import annotations

import gzip
import io
import json
import re
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from tests import documents


class File(NamedTuple):
    """A file: how its name ends, and its bytes."""

    ending: str
    data: bytes


#: What a row of cases says, by the names that the doors are asked about.
_HEADS: Final = ("y", "p", "site", "p_no", "p_yes")
_REVIEW: Final = (
    ("study", "positives", "negatives", "recall", "specificity", "accuracy"),
    ("Alpha", "10", "20", "0.9000", "0.9500", "0.9333"),
    ("Beta", "4", "6", "0.75", "", "80%"),
    ("Gamma", "3", "3", "ninety", "0.9", "n/a"),
)
#: A report per class. It is of few cases: a broken number makes it impossible, and the search for why takes time that
#: says nothing about readers.
_REPORT: Final = (
    ("Class", "Precision", "Recall", "F1-score", "Support"),
    ("benign", "0.857", "0.900", "0.878", "20"),
    ("malignant", "0.778", "0.700", "0.737", "10"),
    ("Accuracy", "", "", "0.833", "30"),
    ("Weighted avg", "0.831", "0.833", "0.831", "30"),
)
_TEXT: Final = """Results of the model, tp=7, fn=3, fp=2, tn=18: Accuracy: 0.833

              precision    recall  f1-score   support
           0       0.86      0.90      0.88        20
           1       0.78      0.70      0.74        10
    accuracy                           0.83        30

| Model | Accuracy (%) | Sens. | n |
|---|---|---|---|
| **a** | 83.3 ± 0.4 | 0.70 (0.40-0.89) | 30 |

[[18 2]
 [3 7]]
{'accuracy': 0.91, 'recall': 0.5}
"""


def cases(count: int = 24) -> list[tuple[str, ...]]:
    """Return cases, a row each, below their heads: few, as what is computed from them says nothing about readers."""
    random = Random("cases")
    rows: list[tuple[str, ...]] = [_HEADS]
    for _ in range(count):
        chance = random.randrange(1000)
        truth = "yes" if random.randrange(1000) < chance else "no"
        site = random.choice(("North", "East"))
        rows.append((truth, "yes" if chance > 500 else "no", site, f"{1 - chance / 1000:.3f}", f"{chance / 1000:.3f}"))
    return rows


def packed(parts: Mapping[str, bytes]) -> bytes:
    """Pack parts, with the same date in every run."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as folder:
        for name, content in parts.items():
            folder.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def parts_of(data: bytes) -> dict[str, bytes]:
    """Return what is packed."""
    with zipfile.ZipFile(io.BytesIO(data)) as folder:
        return {part.filename: folder.read(part) for part in folder.infolist()}


def _undated(data: bytes) -> bytes:
    parts = parts_of(data)
    dates = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
    return packed({name: dates.sub(b"2020-01-01T00:00:00Z", content) for name, content in parts.items()})


def _written_by_duckdb(name: str, options: str) -> bytes:
    import duckdb

    with tempfile.TemporaryDirectory() as folder, duckdb.connect(config={"threads": "1"}) as engine:
        source, target = Path(folder, "cases.csv"), Path(folder, name)
        source.write_text(documents.as_csv(cases()), encoding="utf-8")
        engine.execute(f"copy (from read_csv('{source}')) to '{target}' ({options})")
        return target.read_bytes()


def _arrow() -> bytes:
    import pyarrow as pa  # type: ignore[import-untyped]

    heads, *rows = cases()
    table: Any = pa.table({head: list(column) for head, column in zip(heads, zip(*rows, strict=True), strict=True)})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def _compressed_pdf() -> bytes:
    """Return a PDF whose page is compressed, with a font that tells its letters by a table of its own."""
    shown = "\n".join(
        f"BT /F1 10 Tf {72 + 90 * n} {700 - 20 * line} Td ({cell}) Tj ET"
        for line, row in enumerate(_REPORT)
        for n, cell in enumerate(row)
    )
    page = zlib.compress(shown.encode())
    letters = b"/CIDInit /ProcSet findresource begin begincmap 1 beginbfrange <20> <7e> <0020> endbfrange endcmap end"
    return pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(page), page),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(letters), letters),
    )


def pdf(*objects: bytes) -> bytes:
    """Put objects together; the first is the catalogue."""
    file, places = bytearray(b"%PDF-1.4\n"), []
    for number, content in enumerate(objects, 1):
        places.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(file)
    file += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    file += b"".join(b"%010d 00000 n \n" % place for place in places)
    file += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(file)


def _tables(kind: str) -> tuple[documents.Rows, ...]:
    """Return tables for a kind. Where each row is asked about alone it says its size, as the search is long without."""
    heads, *rows = _REPORT
    return ((*heads[:-1], "Total") if kind in DATA else heads, *rows), cases(20), _REVIEW


def _notebook() -> bytes:
    cells = json.loads(documents.as_notebook(_REPORT))
    cells["cells"].append({"cell_type": "code", "outputs": [{"output_type": "stream", "text": _TEXT.splitlines(True)}]})
    return json.dumps(cells).encode()


@cache
def valid_files(kind: str) -> tuple[File, ...]:
    """Return valid files of a kind."""
    delimited = [File("csv", documents.as_csv(rows).encode()) for rows in (cases(), *_tables("csv"))]
    match kind:
        case "csv":
            others = [("csv", ";"), ("tsv", "\t"), ("csv", "|")]
            files = [*delimited, *(File(end, documents.as_csv(cases(), sign).encode()) for end, sign in others)]
        case "gz":
            files = [File("csv.gz", gzip.compress(file.data, mtime=0)) for file in delimited]
        case "zst":
            options = ("format csv, compression zstd", "format csv, compression zstd, delimiter '\t'")
            files = [File("csv.zst", _written_by_duckdb("cases.csv.zst", said)) for said in options]
        case "parquet":
            ways = ("snappy", "zstd", "uncompressed")
            files = [
                File("parquet", _written_by_duckdb("a.parquet", f"format parquet, compression {way}")) for way in ways
            ]
        case "arrow":
            files = [File(ending, _arrow()) for ending in ("arrow", "feather", "csv", "parquet")]
        case "xlsx" | "docx" | "ods":
            write = getattr(documents, f"as_{kind}")
            files = [File(kind, _undated(write(rows))) for rows in _tables(kind)]
        case "pdf":
            ruled = documents.as_pdf(_REPORT, ruled=True)
            files = [File("pdf", data) for data in (documents.as_pdf(_REPORT), ruled, _compressed_pdf())]
        case "notebook":
            files = [File("ipynb", _notebook())]
        case "markdown":
            files = [File("md", _TEXT.encode()), File("md", documents.as_markdown(cases(20)).encode())]
        case _:
            write, ending = {
                "html": (documents.as_html, "html"),
                "latex": (documents.as_latex, "tex"),
                "json": (documents.as_json, "json"),
            }[kind]
            files = [File(ending, write(rows).encode()) for rows in _tables(kind)]
    return tuple(files)


#: Every kind, those that are read fastest first.
KINDS: Final = (
    *("markdown", "json", "notebook", "latex", "html", "csv", "gz", "arrow", "zst", "parquet"),
    *("ods", "xlsx", "docx", "pdf"),
)
#: Kinds of files that hold cases or reports, a row each.
DATA: Final = frozenset({"csv", "gz", "zst", "parquet", "arrow", "xlsx", "ods"})
