"""One article with every kind of result in it, set by LaTeX, by a browser and by an office."""

from __future__ import annotations

import html
import io
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from .documents import Rows


class Words(NamedTuple):
    """A paragraph; a short one without a stop at its end is a heading."""

    text: str


class Printed(NamedTuple):
    """What a program printed, in letters of equal width."""

    text: str


class Tabled(NamedTuple):
    """A table with a caption above it."""

    caption: str
    rows: Rows


Part = Words | Printed | Tabled
#: The parts of a page, and in how many columns it is set.
Page = tuple[Sequence[Part], int]

_FILLER: Final = (
    "Images were taken with the same camera at every site, and two readers looked at each of them without knowing "
    "what the other had seen. Where they did not agree a third reader decided. We left out images on which nothing "
    "could be seen, and those of persons who had been seen before. The network was trained on the older images, and "
    "tested once on the newer ones, after all choices had been made. No choice was changed later on. "
)


def as_latex(pages: Sequence[Page]) -> str:
    head = "\\documentclass{article}\\usepackage[utf8]{inputenc}\\usepackage{booktabs}\\begin{document}\n"
    bodies = [
        ("\\twocolumn\n" if columns == 2 else "\\onecolumn\n") + "\n\n".join(map(_latex_part, parts))
        for parts, columns in pages
    ]
    return head + "\n\\clearpage\n".join(bodies) + "\n\\end{document}\n"


def _latex_part(part: Part) -> str:
    if isinstance(part, Words):
        return part.text.replace("%", "\\%").replace("±", "$\\pm$")
    if isinstance(part, Printed):
        return f"\\begin{{verbatim}}\n{part.text}\n\\end{{verbatim}}"
    lines = [" & ".join(cell.replace("%", "\\%").replace("±", "$\\pm$") for cell in row) + " \\\\" for row in part.rows]
    kind = "l" + "c" * (len(part.rows[0]) - 1)
    table = "\n".join(["\\toprule", lines[0], "\\midrule", *lines[1:], "\\bottomrule"])
    caption = part.caption.replace("%", "\\%").replace("±", "$\\pm$")
    # A table stays where it is put: where it would float to is not the same for all programs.
    return f"\\begin{{center}}\n{caption}\\\\[1ex]\n\\begin{{tabular}}{{{kind}}}\n{table}\n\\end{{tabular}}\n\\end{{center}}"


def as_page(pages: Sequence[Page]) -> str:
    style = (
        "body {font: 10pt serif} td, th {padding: 1px 7px; font-weight: normal} pre {font-size: 8pt}"
        " section {break-after: page} .two {columns: 2; column-gap: 24px}"
        " table {border-collapse: collapse} thead {border-bottom: 1px solid}"
    )
    bodies = [
        f"<section class='{'two' if columns == 2 else 'one'}'>{''.join(map(_html_part, parts))}</section>"
        for parts, columns in pages
    ]
    return f"<!doctype html><meta charset='utf-8'><style>{style}</style>{''.join(bodies)}"


def _html_part(part: Part) -> str:
    if isinstance(part, Words):
        return f"<p>{html.escape(part.text)}</p>"
    if isinstance(part, Printed):
        return f"<pre>{html.escape(part.text)}</pre>"

    def row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(row(cells, "td") for cells in part.rows[1:])
    return (
        f"<table><caption>{part.caption}</caption><thead>{row(part.rows[0], 'th')}</thead><tbody>{body}</tbody></table>"
    )


def as_word(pages: Sequence[Page]) -> bytes:
    import docx
    from docx.enum.section import WD_SECTION
    from docx.oxml.ns import qn
    from docx.shared import Pt

    document = docx.Document()
    for number, (parts, columns) in enumerate(pages):
        section = document.add_section(WD_SECTION.NEW_PAGE) if number else document.sections[0]
        settings = section._sectPr.find(qn("w:cols"))
        settings.set(qn("w:num"), str(columns))
        for part in parts:
            if isinstance(part, Words):
                document.add_paragraph(part.text)
            elif isinstance(part, Printed):
                run = document.add_paragraph().add_run(part.text)
                run.font.name, run.font.size = "Liberation Mono", Pt(8)
            else:
                document.add_paragraph(part.caption)
                table = document.add_table(rows=len(part.rows), cols=len(part.rows[0]))
                width = int(
                    (section.page_width - section.left_margin - section.right_margin) / columns / len(part.rows[0])
                )
                for place in table.columns:
                    place.width = int(width * 0.9)
                for line, cells in enumerate(part.rows):
                    for column, text in enumerate(cells):
                        table.cell(line, column).text = text
                document.add_paragraph()
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def by_latex(pages: Sequence[Page], folder: Path) -> Path:
    (folder / "latex.tex").write_text(as_latex(pages), encoding="utf-8")
    _run(["pdflatex", "-interaction=batchmode", "-halt-on-error", "latex.tex"], folder)
    return folder / "latex.pdf"


def by_browser(pages: Sequence[Page], folder: Path) -> Path:
    page = folder / "browser.html"
    page.write_text(as_page(pages), encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", "--print-to-pdf=browser.pdf"]
    _run(["chromium", *options, page.as_uri()], folder)
    return folder / "browser.pdf"


def by_office(pages: Sequence[Page], folder: Path) -> Path:
    (folder / "office.docx").write_bytes(as_word(pages))
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    _run(["soffice", profile, "--headless", "--convert-to", "pdf", "office.docx"], folder)
    return folder / "office.pdf"


def _run(command: Sequence[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)


#: How a PDF is made by each program, where it is installed.
PROGRAMS: Final[dict[str, Callable[[Sequence[Page], Path], Path]]] = {
    "pdflatex": by_latex,
    "chromium": by_browser,
    "soffice": by_office,
}


def installed() -> list[str]:
    return [name for name in PROGRAMS if shutil.which(name)]


METHODS: Final = (
    ("Method", "Accuracy", "Precision", "Recall", "F1"),
    ("Logistic regression", "0.912", "0.904", "0.921", "0.912"),
    ("Random forest", "0.934", "0.928", "0.941", "0.934"),
    ("SVM", "0.921", "0.955", "0.881", "0.917"),
    ("Our network", "0.951", "0.972", "0.933", "0.998"),
)
FOLDS: Final = (
    ("Model", "Accuracy (%)", "Sensitivity (%)", "Specificity (%)"),
    ("SVM", "91.2 ± 1.4", "88.3 ± 3.1", "94.1 ± 3.9"),
    ("Forest", "93.0 ± 1.1", "90.2 ± 1.7", "95.8 ± 1.2"),
)
SMALL: Final = (("Set", "Recall", "n"), ("inner", "0.91", "120"), ("outer", "0.88", "75"))
REPORT: Final = """\
              precision    recall  f1-score   support

      benign       0.90      0.94      0.92       150
   malignant       0.85      0.77      0.81        69

    accuracy                           0.89       219
   macro avg       0.88      0.85      0.86       219
weighted avg       0.88      0.89      0.88       219
"""
WRONG: Final = REPORT.replace("0.85      0.77      0.81", "0.85      0.77      0.91")
MATRIX: Final = "[[141   9]\n [ 16  53]]"
CELLS: Final = (
    ("", "Predicted benign", "Predicted malignant"),
    ("Actual benign", "141", "9"),
    ("Actual malignant", "16", "53"),
)
ARTICLE: Final[tuple[Page, ...]] = (
    ((Words(_FILLER), Tabled("Table 1: scores of four methods (n = 569)", METHODS), Words(_FILLER)), 1),
    ((Words("Results on the test set:"), Printed(REPORT), Words(_FILLER), Words("A second model:"), Printed(WRONG)), 1),
    (
        (
            Words("Confusion matrix of the network:"),
            Printed(MATRIX),
            Words("Accuracy: 0.886, precision: 0.855, recall: 0.867"),
            Words(_FILLER),
        ),
        1,
    ),
    (
        (
            Words(_FILLER),
            Tabled("Table 2: confusion matrix", CELLS),
            Words("Its accuracy is 0.886 and its recall is 0.768."),
        ),
        1,
    ),
    (
        (
            *(Words(_FILLER),) * 4,
            Tabled("Table 3: results of two sets", SMALL),
            *(Words(_FILLER),) * 4,
            Words("The accuracy was 0.91, the precision 0.88 and the recall 0.87 on 200 cases."),
            *(Words(_FILLER),) * 4,
        ),
        2,
    ),
    ((Words(_FILLER), Tabled("Table 4: mean ± SD over 10 folds, 212 positive and 357 negative cases", FOLDS)), 1),
)
