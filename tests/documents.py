"""One table of scores written as a document of each kind, for tests of what reads them."""

from __future__ import annotations

import csv
import html
import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence

#: A made-up report of two classes, heads first; what accuracy leaves empty is empty in print.
TABLE = (
    ("Class", "Precision", "Recall", "F1-score", "Support"),
    ("benign", "0.898", "0.940", "0.919", "150"),
    ("malignant", "0.855", "0.767", "0.809", "69"),
    ("Accuracy", "", "", "0.886", "219"),
    ("Weighted avg", "0.885", "0.886", "0.884", "219"),
)
Rows = Sequence[Sequence[str]]


def as_markdown(rows: Rows) -> str:
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(["Results on the test set.", "", lines[0], "|" + "---|" * len(rows[0]), *lines[1:], "", "Done."])


def as_html(rows: Rows) -> str:
    def cells(row: Sequence[str], tag: str) -> str:
        return "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row)

    body = "\n".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows[1:])
    head = f"<thead><tr>{cells(rows[0], 'th')}</tr></thead>"
    return f"<html><body><p>Results.</p>\n<table>{head}\n<tbody>\n{body}\n</tbody></table></body></html>"


def as_latex(rows: Rows) -> str:
    def cells(row: Sequence[str]) -> str:
        return " & ".join(cell.replace("%", "\\%").replace("&", "\\&").replace("_", "\\_") for cell in row) + " \\\\"

    head = "\\begin{table}\n\\caption{Results of \\emph{one} model.}\n\\begin{tabular}{lrrrr}\n\\toprule"
    lines = [head, cells(rows[0]), "\\midrule", *map(cells, rows[1:]), "\\bottomrule", "\\end{tabular}\n\\end{table}"]
    return "\n".join(lines)


def as_csv(rows: Rows, delimiter: str = ",") -> str:
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    return file.getvalue()


def as_json(rows: Rows) -> str:
    records = (zip(rows[0], row, strict=True) for row in rows[1:])
    # Numbers are written as they are, with their zeros.
    texts = [
        ", ".join(f"{json.dumps(key)}: {cell if _is_number(cell) else json.dumps(cell)}" for key, cell in pairs)
        for pairs in records
    ]
    return "[" + ",\n ".join(f"{{{text}}}" for text in texts) + "]"


def _is_number(cell: str) -> bool:
    return cell.replace(".", "", 1).isdigit()


def as_notebook(rows: Rows) -> str:
    frame = as_html(rows).splitlines(keepends=True)
    output = {"output_type": "execute_result", "data": {"text/html": frame, "text/plain": ["   the same again"]}}
    cells = [
        {"cell_type": "markdown", "source": ["# Results\n"]},
        {"cell_type": "code", "source": ["frame"], "outputs": [output]},
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def as_xlsx(rows: Rows) -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "scores"
    for number, row in enumerate(rows, 2):
        for column, text in enumerate(row, 2):
            cell = sheet.cell(number, column, float(text) if _is_number(text) else text or None)
            if "." in text:
                cell.number_format = "0." + "0" * len(text.partition(".")[2])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def as_ods(rows: Rows) -> bytes:
    def cell(text: str) -> str:
        kind = f'office:value-type="float" office:value="{text}"' if _is_number(text) else 'office:value-type="string"'
        return (
            f"<table:table-cell {kind}><text:p>{html.escape(text)}</text:p></table:table-cell>"
            if text
            else "<table:table-cell/>"
        )

    names = "".join(
        f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )
    body = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    sheet = f'<office:spreadsheet><table:table table:name="scores">{body}</table:table></office:spreadsheet>'
    content = f"<office:document-content{names}><office:body>{sheet}</office:body></office:document-content>"
    manifest = '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    return packed({"mimetype": kind, "content.xml": content, "META-INF/manifest.xml": manifest})


def packed(parts: Mapping[str, str | bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as folder:
        for name, content in parts.items():
            # Without the time of day, by which processes that share the tests would call them by other names.
            folder.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def as_docx(rows: Rows) -> bytes:
    import docx

    document = docx.Document()
    document.add_paragraph("Table 1: results of one model.")
    table = document.add_table(rows=len(rows), cols=len(rows[0]))
    for number, row in enumerate(rows):
        for column, text in enumerate(row):
            table.cell(number, column).text = text
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def as_pdf(rows: Rows, *, ruled: bool = False) -> bytes:
    """Set a table with a line of prose above it on one page, with the one font every viewer has."""
    texts = [(72.0, 740.0, "We tested the model once, and all cases are in the table.")]
    texts += [(72.0 + 90 * n, 700.0 - 20 * line, cell) for line, row in enumerate(rows) for n, cell in enumerate(row)]
    shown = [f"BT /F1 10 Tf {x} {y} Td ({_escaped(text)}) Tj ET" for x, y, text in texts if text]
    if ruled:
        right, bottom = 68 + 90 * len(rows[0]), 714 - 20 * len(rows)
        shown += [f"68 {714 - 20 * n} m {right} {714 - 20 * n} l S" for n in range(len(rows) + 1)]
        shown += [f"{68 + 90 * n} 714 m {68 + 90 * n} {bottom} l S" for n in range(len(rows[0]) + 1)]
    return pdf_of("\n".join(shown))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def pdf_of(content: str, resources: str = "/Font << /F1 5 0 R >>", extra: bytes = b"") -> bytes:
    """Write the few objects that a PDF of one page needs."""
    stream = content.encode("cp1252")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << {resources} >> >>".encode(),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        *([extra] if extra else []),
    ]
    file, places = bytearray(b"%PDF-1.4\n"), []
    for number, content_of in enumerate(objects, 1):
        places.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, content_of)
    start = len(file)
    file += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    file += b"".join(b"%010d 00000 n \n" % place for place in places)
    file += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(file)


#: How a table is written as a file of each name; those after the first need packages of an extra.
WRITERS: dict[str, Callable[[Rows], str | bytes]] = {
    "table.md": as_markdown,
    "table.html": as_html,
    "table.tex": as_latex,
    "table.csv": as_csv,
    "semicolons.csv": lambda rows: as_csv(rows, ";"),
    "table.tsv": lambda rows: as_csv(rows, "\t"),
    "table.json": as_json,
    "table.ipynb": as_notebook,
    "table.xlsx": as_xlsx,
    "table.ods": as_ods,
    "table.docx": as_docx,
    "table.pdf": as_pdf,
    "ruled.pdf": lambda rows: as_pdf(rows, ruled=True),
}
#: Kinds that need the extra `documents`.
PACKED = (".xlsx", ".docx", ".pdf")


def written(name: str, rows: Rows = TABLE) -> bytes:
    content = WRITERS[name](rows)
    return content.encode() if isinstance(content, str) else content
