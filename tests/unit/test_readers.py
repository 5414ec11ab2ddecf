"""Documents of every kind give the same cells; what is no table stays as lines with their columns and places."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import fourfold as ff
from fourfold.data import count_labels
from fourfold.documents import blocks, open_document, spreadsheet, text
from fourfold.errors import InputError, MissingExtra, TooLarge
from fourfold.reports import Block, Grid, Lines, Place

from ..conftest import SHARED, needs
from ..documents import PACKED, TABLE, WRITERS, as_html, as_latex, packed, pdf_of, written

CORPUS = SHARED / "corpus"


def grids(source: str | bytes | Path, name: str | None = None) -> list[Grid]:
    return [block for block in blocks(source, name=name) if isinstance(block, Grid)]


def lines(source: str | bytes | Path, name: str | None = None) -> list[str]:
    return [line for block in blocks(source, name=name) if isinstance(block, Lines) for line in block.texts]


def only(found: list[Grid]) -> tuple[tuple[str, ...], ...]:
    assert len(found) == 1
    return found[0].rows


@pytest.mark.parametrize("name", WRITERS)
def test_the_same_table_gives_the_same_cells(name: str) -> None:
    assert only(grids(written(name), name)) == TABLE


@pytest.mark.parametrize("name", WRITERS)
def test_the_kind_is_known_without_a_name(name: str) -> None:
    """CSV in which most cells are numbers is known, too; a notebook and a mapping both begin with a brace."""
    assert only(grids(written(name))) == TABLE


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_is_read_as_its_bytes_are(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(written(name))
    assert list(blocks(path)) == list(blocks(written(name), name=name))


def test_places() -> None:
    def places(name: str) -> tuple[Place, ...]:
        return grids(written(name), name)[0].places

    assert [place.line for place in places("table.md")] == [3, 5, 6, 7, 8]
    assert [place.line for place in places("table.tex")] == [5, 7, 8, 9, 10]
    assert [place.line for place in places("table.csv")] == [1, 2, 3, 4, 5]
    assert [place.line for place in places("table.html")] == [2, 4, 5, 6, 7]
    assert [place.line for place in places("table.json")] == [1, 1, 2, 3, 4]
    assert str(places("table.xlsx")[1]) == "scores, B3"
    assert places("table.ipynb")[0].cell == "2"
    assert places("table.pdf")[0].page == 1


def test_captions_and_heads() -> None:
    assert grids(written("table.tex"), "table.tex")[0].caption == "Results of one model."
    assert grids(written("table.docx"), "table.docx")[0].caption == "Table 1: results of one model."
    assert [grids(written(name), name)[0].heads for name in ("table.md", "table.html", "table.tex", "table.csv")] == [
        1,
        1,
        1,
        None,
    ]


REPORT = """\
              precision    recall  f1-score   support

           0       0.90      0.95      0.92       150
        >=30       0.85      0.77      0.81        69

    accuracy                           0.89       219
"""


@pytest.mark.parametrize(
    "prefix", ["", "    ", "# ", " * ", "> ", "    ## ", "// ", "% ", "-- ", "2026-01-02T03:04:05.678Z "]
)
def test_text_behind_a_prefix_keeps_its_columns(prefix: str) -> None:
    found = lines("".join(prefix + line + "\n" for line in REPORT.splitlines()))
    assert [line.split() for line in found] == [line.split() for line in REPORT.splitlines()]
    assert {line.rindex(end) + len(end) for line, end in ((found[0], "support"), (found[2], "150"))} == {len(found[0])}


def test_colours_of_a_terminal_are_taken_off() -> None:
    assert lines("\x1b[1mAccuracy\x1b[0m:\t0.91") == ["Accuracy:\t0.91"]


def test_notebook_lines_and_a_shown_string_are_text_again() -> None:
    cut = ",\n".join("    " + json.dumps(line + "\n") for line in REPORT.splitlines())
    shown = "Out[3]: " + repr(REPORT)
    assert lines(cut) == REPORT.splitlines()
    assert lines(shown)[-6:] == REPORT.splitlines()


def test_a_mix_is_taken_apart_in_its_order() -> None:
    mix = "\n".join(
        [
            "## Results",
            "| model | recall |",
            "|:--|--:|",
            "| **a** | `0.91` |",
            "",
            "- **Accuracy:** 0.91",
            "```",
            REPORT,
            "```",
            "a & 0.91 \\\\",
            "b & 0.92 \\\\",
            "{'precision': 0.910, 'n': np.int64(5)}",
            "<table><tr><td>x<td>0.5</table>",
            "end",
        ]
    )
    found = list(blocks(mix))
    assert [type(block).__name__ for block in found] == [
        "Lines",
        "Grid",
        "Lines",
        "Lines",
        "Grid",
        "Grid",
        "Grid",
        "Lines",
    ]
    assert [block.rows[-1] for block in found if isinstance(block, Grid)] == [
        ("a", "0.91"),
        ("b", "0.92"),
        ("n", "5"),
        ("x", "0.5"),
    ]
    assert found[2] == Lines(("- Accuracy: 0.91",), (Place(line=6),))
    assert found[3].places[0].line == 8


@pytest.mark.parametrize(
    "kept",
    [
        "Weka says:\n    a    b   <-- classified as\n   29   19 |    a = yes\n   80   70 |    b = no",
        "[[43 21]\n [ 4  3]]",
        "array([[34,  5],\n       [ 2, 35]])",
        "Precision, recall and F1 of class 0: 0.85, 0.92, 0.88.\nPrecision, recall and F1 of class 1: 0.86, 0.75, 0.80.",
        "Genauigkeit 0,91\nTrefferquote 0,88",
        "cases  1,234  0.91\ncases  2,345  0.92",
        "if (a) { b = 1; }\nelse { c = 2; }",
        ">=30   0.45  0.48\n>=60   0.41  0.44",
        "|--- feature_1 <= 0.50\n|   |--- class: 0",
        "R&D cost 5\nR&D cost 6",
    ],
)
def test_what_is_no_table_stays_as_it_is(kept: str) -> None:
    assert lines(kept) == kept.splitlines()


def test_markdown_cells() -> None:
    table = "|model|acc|\n|-|-|\n|a \\| b|**0.91**\\*|\n|**c | d**|0.92|\n|[e](http://example.org)|<b>0.93</b> &plusmn; 0.01|\n|`f`|~~0.9~~ $0.94 \\pm 0.02$|"
    assert only(grids(table))[1:] == (
        ("a | b", "0.91*"),
        ("c | d", "0.92"),
        ("e", "0.93 ± 0.01"),
        ("f", "0.9 0.94 ± 0.02"),
    )
    assert only(grids("| p | r |\n|---|---|\n| a | 0.9 | 0.8 |\n| b | 0.7 | 0.6 |"))[0] == ("", "p", "r")
    assert only(grids("| a | b |\n\n|---|---|\n\n| 1 | 2 |\n\n| 3 | 4 |\n\nend")) == (
        ("a", "b"),
        ("1", "2"),
        ("3", "4"),
    )


def test_breaks_keep_numbers_apart() -> None:
    assert only(grids("| a | b |\n|---|---|\n| x | 0.91<br>0.88<br/>0.85 |"))[1] == ("x", "0.91 0.88 0.85")
    assert lines("<ul><li>Recall: 0.91</li><li>F1: 0.8<br>n: 5</li></ul>") == ["Recall: 0.91", "F1: 0.8", "n: 5"]
    assert only(grids("<table><tr><td>a</td><td>0.91<br>0.88<p>0.85</p></td></tr></table>")) == (
        ("a", "0.91 0.88 0.85"),
    )


def test_what_is_cut_off_is_read_as_far_as_it_goes() -> None:
    assert only(grids("<table><tr><td>a</td><td>0.91</td></tr><tr><td>b</td><td>0.9")) == (("a", "0.91"), ("b", "0.9"))
    assert only(grids("\\begin{tabular}{lr}\na & 0.91 \\\\\nb & 0.92")) == (("a", "0.91"), ("b", "0.92"))
    cut = grids("{'a': {'p': 0.1, 'r': 0.2},\n 'b': {'p': 0.3, 'r': 0.40},\n 'c': {'p'")
    assert [(grid.caption, grid.rows) for grid in cut] == [
        ("a", (("p", "0.1"), ("r", "0.2"))),
        ("b", (("p", "0.3"), ("r", "0.40"))),
    ]


def test_heads_that_latex_says_again() -> None:
    head = "Model & Acc \\\\ \\midrule"
    long = f"\\begin{{longtable}}{{lr}}\n\\caption{{Long}} \\\\\n{head} \\endfirsthead\n{head} \\endhead\na & .9 \\\\\n\\end{{longtable}}"
    assert only(grids(long)) == (("Model", "Acc"), ("a", ".9"))
    assert grids(long)[0].caption == "Long"


def test_drawn_tables() -> None:
    assert only(grids("+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+")) == (("a", "b"), ("1", "2"))
    assert only(
        grids("┌───┬─────┐\n│ a ┆ b   │\n│ --- ┆ --- │\n│ str ┆ f64 │\n╞═══╪═════╡\n│ x ┆ 0.5 │\n└───┴─────┘")
    ) == (("a", "b"), ("x", "0.5"))


def test_html_spans_nested_tables_and_clipboard() -> None:
    spans = "<table><caption>T</caption><tr><th rowspan=2>m<th colspan=2>Int</tr><tr><th>a<th>b</tr><tr><td>x<td>1<td>2</table>"
    assert only(grids(spans)) == (("m", "Int", "Int"), ("m", "a", "b"), ("x", "1", "2"))
    assert grids(spans)[0].caption == "T"
    assert grids(spans)[0].heads == 2
    nested = f"<table><tr><td>left</td><td>{spans}</td></tr></table>"
    assert grids(nested)[0].rows == grids(spans)[0].rows
    clip = "Version:0.9\r\nStartHTML:0001\r\nEndHTML:0002\r\n" + as_html(TABLE)
    assert only(grids(clip)) == TABLE
    assert grids(clip)[0].places[0].line == 5
    page = "<html><head><title>0.1</title><style>p{}</style></head><body><script>var a=0.2</script><p>Recall 0.9<sup>1</sup></p><p>F<sub>1</sub> 0.8<br>n 5</body></html>"
    assert lines(page) == ["Recall 0.9¹", "F1 0.8", "n 5"]


def test_latex_commands() -> None:
    table = r"""
\begin{table}\centering
\caption[short]{Scores of $n{=}569$ cases, 10-fold.}
\begin{tabular}{@{}l*{2}{c}r@{}} \toprule
\multirow{2}{*}{Model} & \multicolumn{2}{c}{Internal} & AUC$\uparrow$ \\ \cmidrule(lr){2-3}
 & Acc (\%) & \makecell{Balanced\\Acc} & \\ \midrule
% old & 1 & 2 & 3 \\
SVM~\cite{a} & $91.2 \pm 0.3$ & \textbf{0.91}$^\dagger$ & 0.95\textsuperscript{2} \\[2pt]
\textit{Ours} & 2{,}400 & $\mathbf{0.92}_{\pm 0.01}$ & \underline{.96} \tabularnewline
A\&B & 91.3$_{0.4}$ & -- & \textcolor{red}{0.5} \\ \bottomrule
\end{tabular}
\end{table}"""
    found = grids(table)
    assert found[0].caption == "Scores of n=569 cases, 10-fold."
    assert found[0].heads == 2
    assert only(found) == (
        ("Model", "Internal", "Internal", "AUC↑"),
        ("Model", "Acc (%)", "Balanced Acc", ""),
        ("SVM", "91.2 ± 0.3", "0.91†", "0.95²"),
        ("Ours", "2,400", "0.92± 0.01", ".96"),
        ("A&B", "91.3 (0.4)", "–", "0.5"),
    )
    assert only(grids("$\\begin{pmatrix} 50 & 10 \\\\ 5 & 35 \\end{pmatrix}$")) == (("50", "10"), ("5", "35"))
    assert lines("\\section{Results}\nThe recall is $91.2\\%$. % not 90\n", "a.tex") == [
        "Results",
        "The recall is 91.2%. ",
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "latin-1"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_of_any_dialect(encoding: str, delimiter: str) -> None:
    rows = [["Étude", "Sens."], ["Müller", '"88,7"'], ['5" pipe', "91.2"], ['"two\nlines"', "0.5"], ["ragged"]]
    content = "\n".join(delimiter.join(row) for row in rows)
    expected = (("Étude", "Sens."), ("Müller", "88,7"), ('5" pipe', "91.2"), ("two lines", "0.5"), ("ragged", ""))
    assert only(grids(content.encode(encoding), "a.csv")) == expected


def test_csv_with_decimal_commas_a_stray_quote_and_two_tables() -> None:
    assert only(grids("0,91;0,88\n0,92;0,87\n", "a.csv")) == (("0,91", "0,88"), ("0,92", "0,87"))
    stray = "name,recall\n" + "".join(f'"m{n},0.{n}\n' for n in range(100, 200))
    assert len(only(grids(stray, "a.csv"))) == 101
    assert only(grids("sep=;\na;b\n1;2,5", "a.csv")) == (("a", "b"), ("1", "2,5"))
    assert [grid.rows[0] for grid in grids("a,b\n1,2\n,\n3,4\n\nc,d\n5,6\n", "a.csv")] == [("a", "b"), ("c", "d")]


def test_rows_with_tabs_and_blank_lines_in_other_text() -> None:
    """A report set with tabs keeps its heads; after an empty line other heads begin another table."""
    report = "Scores\n\tprecision\trecall\n\nno\t0.90\t0.95\nyes\t0.85\t0.77\n\naccuracy\t\t0.89\n\nend"
    assert only(grids(report)) == (
        ("", "precision", "recall"),
        ("no", "0.90", "0.95"),
        ("yes", "0.85", "0.77"),
        ("accuracy", "", "0.89"),
    )
    assert lines(report) == ["Scores", "end"]
    assert [grid.rows[0] for grid in grids("a\tb\nx\t1\n\nc\td\ny\t2\n")] == [("a", "b"), ("c", "d")]


def test_mappings_keep_their_digits() -> None:
    report = "{'a': {'precision': 0.90, 'support': 150.0}, 'b': {'precision': np.float64(0.850), 'support': 69}, 'accuracy': 0.8860}"
    expected = (("", "precision", "support"), ("a", "0.90", "150.0"), ("b", "0.850", "69"), ("accuracy", "0.8860", ""))
    assert only(grids(report)) == expected
    assert only(grids("Scores: " + report.replace(", 'b'", ",\n 'b'"))) == expected
    assert grids("Scores: " + report)[0].caption == "Scores"
    assert only(grids('{"recall": 0.10, "n": 5}')) == (("recall", "0.10"), ("n", "5"))
    assert only(grids('{"a": 1, "b": 0.50}\n{"a": 2, "b": 0.60}\n', "a.jsonl")) == (
        ("a", "b"),
        ("1", "0.50"),
        ("2", "0.60"),
    )
    assert only(grids('{"m": ["x", "y"], "r": [0.10, 0.20]}')) == (("m", "r"), ("x", "0.10"), ("y", "0.20"))
    split = '{"columns": ["r"], "index": ["x", "y"], "data": [[0.10], [0.20]]}'
    assert only(grids(split)) == (("", "r"), ("x", "0.10"), ("y", "0.20"))
    deep = grids('{"svm": {"test": {"recall": 0.9, "cm": [[5, 1], [2, 7]]}}, "seed": 1}')
    assert [(grid.caption, grid.rows) for grid in deep] == [
        ("", (("seed", "1"),)),
        ("svm, test", (("recall", "0.9"),)),
        ("svm, test, cm", (("5", "1"), ("2", "7"))),
    ]


def test_notebook_outputs() -> None:
    def code(*outputs: dict[str, object]) -> dict[str, object]:
        return {"cell_type": "code", "source": "x", "outputs": list(outputs)}

    stream = [{"output_type": "stream", "text": part} for part in (REPORT[:60], REPORT[60:])]
    shown = {
        "output_type": "execute_result",
        "data": {"text/plain": "{'recall': 0.90}", "text/html": "<b>no table</b>"},
    }
    cells = [
        {"cell_type": "markdown", "source": ["Some\n", "words"]},
        code(*stream, shown),
        code({"output_type": "error"}),
    ]
    found = list(blocks(json.dumps({"cells": cells, "nbformat": 4}), name="a.ipynb"))
    assert found[0] == Lines(("Some", "words"), (Place(line=1, cell="1"), Place(line=2, cell="1")))
    assert isinstance(found[1], Lines)
    assert found[1].texts == tuple(REPORT.splitlines())
    assert isinstance(found[2], Grid)
    assert found[2].rows == (("recall", "0.90"),)
    assert str(found[2].places[0]) == "cell 2, line 8"


@pytest.mark.parametrize(
    ("value", "form", "shown"),
    [
        (0.915, "0.0%", "91.5%"),
        (0.9145, "0%", "91%"),
        (0.9, "0.000", "0.900"),
        (0.125, "0.00", "0.13"),  # as Excel rounds
        (-0.125, "0.00;[Red]-0.00", "-0.13"),
        (12.0, "General", "12"),
        (0.1 + 0.2, "General", "0.30000000000000004"),
        (2400, "#,##0", "2,400"),
        (1.5, '0.0# "ms"', "1.5 ms"),
        (1.5, "@", "1.5"),
        (True, "General", "TRUE"),
        (None, "General", ""),
    ],
)
def test_numbers_of_a_sheet_are_shown_as_formatted(value: object, form: str, shown: str) -> None:
    assert spreadsheet.shown(value, form) == shown


def test_merged_cells_of_a_sheet_and_tables_below_each_other() -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (
        ["Study", "Reported", None],
        [None, "Sens.", "Spec."],
        ["A", 0.91, 0.88],
        [],
        ["Model", "Recall"],
        ["x", 0.5],
    ):
        book.active.append(row)
    book.active.merge_cells("B1:C1")
    book.active.merge_cells("A1:A2")
    file = io.BytesIO()
    book.save(file)
    first, second = grids(file.getvalue())
    assert first.rows == (("Study", "Reported", "Reported"), ("Study", "Sens.", "Spec."), ("A", "0.91", "0.88"))
    assert second.rows == (("Model", "Recall"), ("x", "0.5"))
    assert str(second.places[0]) == "Sheet, A5"


def test_merged_cells_and_footnotes_of_word() -> None:
    docx = pytest.importorskip("docx")
    document = docx.Document()
    document.add_paragraph("Recall was 0.91.")
    table = document.add_table(rows=2, cols=3)
    table.cell(0, 1).merge(table.cell(0, 2)).text = "Internal"
    for column, cell in enumerate(("a", "0.91", "0.88")):
        table.cell(1, column).text = cell
    table.cell(1, 1).paragraphs[0].add_run("2").font.superscript = True
    file = io.BytesIO()
    document.save(file)
    assert lines(file.getvalue()) == ["Recall was 0.91."]
    assert only(grids(file.getvalue())) == (("", "Internal", "Internal"), ("a", "0.91²", "0.88"))


def pdf_by_a_browser(folder: Path) -> Path:
    page, out = folder / "a.html", folder / "a.pdf"
    page.write_text("<style>td, th {padding: 2px 9px}</style>" + as_html(TABLE), encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", f"--print-to-pdf={out}"]
    subprocess.run(["chromium", *options, page.as_uri()], check=True, capture_output=True, timeout=60)
    return out


def pdf_by_latex(folder: Path) -> Path:
    source = "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n" + as_latex(TABLE) + "\n\\end{document}"
    (folder / "a.tex").write_text(source, encoding="utf-8")
    subprocess.run(
        ["pdflatex", "-interaction=batchmode", "a.tex"], cwd=folder, check=True, capture_output=True, timeout=60
    )
    return folder / "a.pdf"


def pdf_by_an_office(folder: Path) -> Path:
    (folder / "a.html").write_text(as_html(TABLE), encoding="utf-8")
    command = ["soffice", "--headless", "--convert-to", "pdf:writer_web_pdf_Export", "a.html"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)
    return folder / "a.pdf"


@pytest.mark.parametrize(
    ("tool", "make"), [("chromium", pdf_by_a_browser), ("pdflatex", pdf_by_latex), ("soffice", pdf_by_an_office)]
)
def test_a_pdf_made_by_others(tool: str, make: object, tmp_path: Path) -> None:
    if not shutil.which(tool):
        pytest.skip(f"{tool} is not installed: it makes a PDF of this table")
    assert only(grids(make(tmp_path))) == TABLE  # type: ignore[operator]


def test_a_page_in_two_columns() -> None:
    """The right column has a table: its rows are not mixed with the words on the left."""

    def shown(x: float, y: float, words: str) -> str:
        return f"BT /F1 10 Tf {x} {y} Td ({words}) Tj ET"

    left = [shown(50, 700 - 14 * n, "words of the left column go on and on here,") for n in range(20)]
    right = [shown(320, 700 - 14 * n, "words of the right column go on as they do,") for n in range(14)]
    rows = [("Model", "Recall", "n"), ("svm", "0.91", "120"), ("forest", "0.88", "120")]
    cells = [shown(320 + 70 * n, 490 - 14 * line, cell) for line, row in enumerate(rows) for n, cell in enumerate(row)]
    document = pdf_of("\n".join(left + right + cells))
    assert only(grids(document)) == tuple(rows)
    assert (
        lines(document)
        == ["words of the left column go on and on here,"] * 20 + ["words of the right column go on as they do,"] * 14
    )


def test_a_name_over_several_lines_beside_its_numbers() -> None:
    """The numbers stand below two lines of the name, or in the middle of four."""
    rows = (("Model", "Recall", "Precision", "n"), ("svm", "0.91", "0.90", "120"), ("tree", "0.85", "0.87", "120"))
    names, numbers = ("forest of", "trees with", "all of the", "columns"), ("0.88", "0.86", "120")
    for count, middle in ((2, 596), (4, 602)):
        texts = [(50 + 120 * n, 700 - 24 * line, cell) for line, row in enumerate(rows) for n, cell in enumerate(row)]
        texts += [(50, 620 - 12 * line, name) for line, name in enumerate(names[:count])]
        texts += [(170 + 120 * n, middle, cell) for n, cell in enumerate(numbers)]
        document = pdf_of("\n".join(f"BT /F1 10 Tf {x} {y} Td ({words}) Tj ET" for x, y, words in texts))
        assert only(grids(document)) == (*rows, (" ".join(names[:count]), *numbers))


def test_a_scan_says_so() -> None:
    image = b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>\nstream\n0\nendstream"
    with pytest.raises(InputError, match="is a scan: its pages are pictures"):
        list(blocks(pdf_of("q 600 0 0 700 0 0 cm /I Do Q", "/XObject << /I 6 0 R >>", image), name="scan.pdf"))


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        (b"%PDF-1.4 broken", "a.pdf", "cannot be read as a PDF"),
        (b"PK\x03\x04 broken", "a.xlsx", "cannot be read as a packed document"),
        (packed({"xl/a.xml": "<a/>"}), "a.xlsx", "cannot be read as a workbook"),
        (packed({"word/a.xml": "<a/>"}), "a.docx", "cannot be read as a Word document"),
        (packed({"word/a.xml": "<!DOCTYPE a><a/>"}), "a.docx", "declares entities"),
        (packed({"a.bin": "x"}), "a.zip", "has no text in it that is read"),
        (b"\x1f\x8b broken", "a.tar.gz", "cannot be read as an archive"),
        (packed({"ppt/a.xml": "<a/>"}), "a.pptx", "is a file of slides"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"0" * 600, "a.doc", "is of an old kind"),
        (b"\x89PNG....", "a.png", "is a picture"),
        (b"\x01\x02\x03\x04" * 10, "a.bin", "cannot be read as text"),
        (b"{}", "a.ipynb", "cannot be read as a notebook"),
        (b"not JSON", "a.ipynb", "cannot be read as a notebook"),
    ],
)
def test_what_cannot_be_read_is_said(content: bytes, name: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        list(blocks(content, name=name))


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    merged = '<mergeCell ref="A1:XFD1048576"/>'
    repeated = (
        '<table:table-row table:number-rows-repeated="99999999"><table:table-cell office:value="1"/></table:table-row>'
    )
    for document in (
        packed({"xl/a.xml": merged}),
        packed({"content.xml": repeated}),
        packed({"word/a.xml": '<w:gridSpan w:val="9999"/>'}),
    ):
        with pytest.raises(TooLarge, match="merged or repeated"):
            list(blocks(document))
    monkeypatch.setattr("fourfold.documents.packed.MOST_UNPACKED", 1000)
    with pytest.raises(TooLarge, match="unpacks to too much"):
        list(blocks(packed({"xl/a.xml": b" " * 1001})))
    monkeypatch.setattr("fourfold.documents.html.MOST_CELLS", 5000)
    with pytest.raises(TooLarge, match="too many cells"):
        list(blocks("<table>" + "<tr><td colspan=1000 rowspan=1000>x</td></tr>" * 5 + "</table>"))
    monkeypatch.setattr("fourfold.documents.MOST_BYTES", 100)
    with pytest.raises(TooLarge, match="is too large"):
        list(blocks(written("table.csv"), name="table.csv"))


def test_few_cells_of_a_sheet_far_apart_span_too_many() -> None:
    """Heads of tables in 1,500 rows, each a column further to the right: 1,500 times 1,501 places."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for n in range(1, 1501):
        book.active.cell(2 * n, n, "Model")
        book.active.cell(2 * n, n + 1, "Recall")
    file = io.BytesIO()
    book.save(file)
    with pytest.raises(TooLarge, match=r"has too many cells, got 2,251,500\. Hint: at most 2,000,000 are read"):
        list(blocks(file.getvalue()))


def test_a_long_text_is_cut_where_no_digits_stand_near() -> None:
    filler = ["words and words and words", "", "more words", ""] * 10
    report = REPORT.splitlines()
    texts = (filler + report) * 60
    numbered = [(Place(line=number), line) for number, line in enumerate(texts, 1)]
    pieces = list(text.pieces(iter(numbered)))
    assert len(pieces) > 1
    assert [line for piece in pieces for line in piece] == numbered
    for before, after in pairwise(pieces):
        assert not any(character.isdigit() for _, line in (*before[-3:], *after[:3]) for character in line)


def test_a_large_file_is_read_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fourfold.documents.MEGABYTE", 1000)
    path = tmp_path / "large.log"
    path.write_bytes(("Ünwords\r\n" * 3000 + REPORT).encode("latin-1"))
    found = list(blocks(path))
    assert len(found) > 1
    assert found[-1].places[-1].line == 3006
    assert [line for block in found for line in block.texts] == ["Ünwords"] * 3000 + REPORT.splitlines()  # type: ignore[union-attr]


def test_a_path_and_a_text_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "a b.txt"
    path.write_text("x")
    assert open_document(str(path)) == path
    assert open_document(path) is path
    assert open_document("Recall 0.91, n 5") == "Recall 0.91, n 5"
    assert open_document(f"{path}\n") == f"{path}\n"
    assert open_document("x" * 5000) == "x" * 5000
    with pytest.raises(InputError, match="cannot be read"):
        list(blocks(open_document("no_such_file.xlsx")))
    with pytest.raises(InputError, match="is a folder"):
        list(blocks(tmp_path))


@pytest.mark.parametrize("name", [name for name in WRITERS if name.endswith(PACKED) and "ruled" not in name])
def test_a_missing_extra_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    content = written(name)
    for module in ("openpyxl", "python_calamine", "docx", "pdfplumber"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=r"fourfold\[documents\]"):
        list(blocks(content, name=name))


@needs(CORPUS / "tables.json")
def test_every_table_of_the_corpus_that_is_marked_up_is_one_grid() -> None:
    for case in json.loads((CORPUS / "tables.json").read_text()):
        if case["format"] != "text":
            rows = only(grids(case["raw"]))
            assert len(rows[0]) > 1
            assert "" not in {row[-1] for row in rows[1:]}


@needs(CORPUS / "layouts.json")
def test_no_number_of_a_layout_is_lost() -> None:
    def words(found: list[Block]) -> str:
        texts = (
            cell
            for block in found
            for row in (block.rows if isinstance(block, Grid) else [block.texts])
            for cell in row
        )
        return " ".join(texts)

    for cases in json.loads((CORPUS / "layouts.json").read_text()).values():
        for case in cases:
            shown = words(list(blocks(case["text"])))
            for row in case["expected"].get("rows") or []:
                # Where a layout drops zeros at the end, they are not there.
                assert all(cell in shown or cell.rstrip("0") in shown for cell in row if cell)


@pytest.mark.parametrize("given", [["a.md"], None, 3, b"accuracy 0.5", {}])
@pytest.mark.parametrize("function", [ff.check, ff.read, ff.reports.preview])
def test_what_is_no_document_is_refused(function: Callable[[Any], object], given: object) -> None:
    with pytest.raises(ff.InputError, match=r"document: must be a text or a path, got .*\. Hint: "):
        function(given)


def test_a_link_that_leads_nowhere_is_called_one(tmp_path: Path) -> None:
    link = tmp_path / "scores.csv"
    link.symlink_to("gone.csv")
    says = r"Hint: it is a link to gone\.csv, which is not there\.$"
    with pytest.raises(ff.InputError, match=says):
        ff.read(link)
    with pytest.raises(ff.InputError, match=says):
        count_labels(str(link), truth="y", prediction="p")
    with pytest.raises(ff.InputError, match=r"Hint: check the path\.$"):
        ff.read(Path("x" * 9999 + ".csv"))
