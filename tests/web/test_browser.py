"""The page in a real browser: Debian's Chromium, driven by Playwright, against a real server."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from .watched import EXAMPLES, TWO_MODELS, Watched, drop, example, expect, link

HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
PAPER = {"positives": "994", "negatives": "1006", "accuracy": "0.898", "f1": "0.8968"}
CONTRADICTION = {
    "positives": "100",
    "negatives": "200",
    "accuracy": "0.9567",
    "sensitivity": "0.8700",
    "specificity": "0.9750",
    "folds": "none",
}
CLINICS = (
    "group\ttp\tfn\tfp\ttn\nEast\t14\t11\t7\t38\nIsland\t2\t3\t0\t7\nNorth\t73\t13\t20\t134\nSouth\t51\t14\t12\t73"
)


def paste(page: Any, field: Any, text: str) -> None:
    field.evaluate(
        """(field, text) => {
            const data = new DataTransfer();
            data.setData("text", text);
            field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
        }""",
        text,
    )


def type_report(page: Any, given: dict[str, str]) -> None:
    scores = [name for name in given if name not in ("positives", "negatives", "total", "folds")]
    if "folds" in given:
        page.locator("#panel-recover summary", has_text="Means over folds").click()
    for name in given.keys() - set(scores):
        page.fill(f"#r-{name}", given[name])
    for i, name in enumerate(scores):
        if i >= page.locator("#r-scores li").count():
            page.click("#r-add")
        row = page.locator("#r-scores li").nth(i)
        row.locator(".score-name").fill(name)
        row.locator(".score-text").press_sequentially(given[name])


def test_recover_answers_while_one_types(pages: Watched) -> None:
    page = pages.open()
    type_report(page, PAPER)
    expect(page.locator("#r-body .head")).to_contain_text("3 tables fit")
    expect(page.locator("#panel-recover > .result > [role=status]")).to_have_text("3 tables fit")
    expect(page.locator("#r-body .card table.matrix tbody td")).to_have_text(
        ["882-891", "103-112", "91-102", "904-915"]
    )
    expect(page.get_by_role("region", name="Tables that fit").locator("tbody tr")).to_have_count(3)
    page.locator("#r-body summary", has_text="Bounds of every metric").click()
    recall = page.locator("#r-body tbody tr", has=page.get_by_role("rowheader", name="Recall", exact=True))
    expect(recall.locator("td.number")).to_have_text(["0.8873", "0.8964"])
    expect(recall.locator(".bar .fill")).to_have_count(1)
    expect(page.locator("#r-body .drawing svg").first).to_be_visible()
    said = page.locator("#r-body [role=graphics-document]").first
    expect(said).to_have_attribute("aria-label", re.compile("3 tables fit"))


def test_the_link_reproduces_a_report(pages: Watched) -> None:
    page = pages.open()
    type_report(page, CONTRADICTION)
    verdict = "Impossible: accuracy, sensitivity and specificity contradict each other; any two of them are possible"
    expect(page.locator("#r-body .head")).to_contain_text(verdict)
    expect(page.locator("#r-body .card li")).to_have_text(
        [
            "given accuracy and sensitivity, specificity is 1.0000 (200 of 200), not 0.9750",
            "given accuracy and specificity, sensitivity is 0.9200 (92 of 100), not 0.8700",
            "given sensitivity and specificity, accuracy is 0.9400 (282 of 300), not 0.9567",
        ]
    )
    again = pages.open(page.url.removeprefix(pages.server))
    expect(again.locator("#r-body .head")).to_contain_text(verdict)
    assert again.input_value("#r-positives") == "100"
    assert [field.input_value() for field in again.locator(".score-text").all()] == ["0.9567", "0.8700", "0.9750"]


def test_text_is_kept_as_typed(pages: Watched) -> None:
    query = {"total": "100-110", "acc": " 92.7 % ", "rounding": "half_up", "max_total": "300", "undefined": "zero"}
    page = pages.open(link("recover", query))
    expect(page.locator("#r-body .head")).to_contain_text("fit")
    assert page.locator(".score-text").first.input_value() == query["acc"]
    assert page.locator(".score-name").first.input_value() == "acc"
    assert [page.input_value(f"#r-{name}") for name in ("rounding", "undefined", "max-total")] == [
        "half_up",
        "zero",
        "300",
    ]
    expect(page).to_have_url(re.compile(re.escape("+92.7+%25+")))


def test_repairs_are_called_hypotheses(pages: Watched) -> None:
    query = {
        "positives": "40",
        "negatives": "60",
        "accuracy": "0.85",
        "recall": "0.81",
        "undefined": "none",
        "folds": "none",
    }
    page = pages.open(link("recover", query))
    expect(page.locator("#r-body .head")).to_contain_text("Impossible: no table has this recall")
    repairs = page.locator(".hypotheses li")
    words = "recall is 0.80, not 0.81: then tp=32 fn=8 fp=7 tn=53 fits, the only table"
    expect(repairs.filter(has_text=words)).to_have_count(1)
    assert repairs.count() > 1
    expect(page.locator("section.part", has=repairs)).to_contain_text("Each is only a hypothesis.")


def test_undefined_is_a_word_with_its_reason(pages: Watched) -> None:
    page = pages.open(link("recover", {"positives": "4", "negatives": "46", "accuracy": "0.92", "recall": "0.00"}))
    expect(page.locator("#r-body .head")).to_contain_text("1 table fits")
    page.locator("#r-body summary", has_text="Bounds of every metric").click()
    precision = page.locator("#r-body tbody tr", has=page.get_by_role("rowheader", name="Precision", exact=True))
    expect(precision.locator("td")).to_have_text(["undefined", "", "no predicted positives"])
    # What was opened stays open when another answer comes.
    page.locator(".score-text").first.fill("0.9200")
    expect(page.locator("#r-body")).to_have_attribute("aria-busy", "false")
    expect(precision).to_be_visible()


@pytest.mark.parametrize(
    ("query", "field", "hint"),
    [
        ({"positives": "abc", "negatives": "5", "accuracy": "0.9"}, "#r-positives", "give a count of cases"),
        ({"positives": "5", "negatives": "5", "accurcy": "0.9"}, ".score-name", "did you mean 'accuracy'?"),
        ({"positives": "5", "negatives": "5", "accuracy": "x"}, ".score-text", "write it as printed"),
        ({"accuracy": "0.9", "max_total": "many"}, "#r-max-total", "Hint"),
    ],
)
def test_an_error_stands_by_its_field_with_its_hint(
    pages: Watched, query: dict[str, str], field: str, hint: str
) -> None:
    page = pages.open(link("recover", query))
    wrong = page.locator(field).first
    expect(wrong).to_have_attribute("aria-invalid", "true")
    note = page.locator(f"#{wrong.get_attribute('aria-describedby')}")
    expect(note).to_be_visible()
    expect(note).to_contain_text(hint)
    expect(page.locator("#panel-recover .trouble .head")).to_contain_text("No answer yet")
    expect(page.locator("#panel-recover > .result > [role=status]")).to_have_text("No answer yet")
    wrong.fill({"#r-positives": "5", ".score-name": "accuracy", ".score-text": "0.9", "#r-max-total": "20"}[field])
    expect(page.locator("#r-body .head")).to_contain_text("fit")
    expect(page.locator("[aria-invalid], form .error")).to_have_count(0)


def test_a_score_given_twice(pages: Watched) -> None:
    page = pages.open(link("recover", [("accuracy", "0.9"), ("accuracy", "0.8")]))
    expect(page.locator("#r-scores .error")).to_contain_text("is given twice")


def test_rows_of_scores_by_keyboard(pages: Watched) -> None:
    page = pages.open()
    rows = page.locator("#r-scores li")
    expect(rows).to_have_count(2)
    rows.first.locator(".score-name").focus()
    for text in ("accuracy", "0.85", "recall", "80%", "f1", "0.81"):
        page.keyboard.type(text)
        page.keyboard.press("Enter")
    expect(rows).to_have_count(4)
    expect(page.locator("#r-body .head")).to_contain_text("fit")
    page.keyboard.press("Backspace")
    expect(rows).to_have_count(3)
    rows.nth(2).get_by_role("button", name="Remove this score").focus()
    page.keyboard.press("Enter")
    expect(rows).to_have_count(2)
    expect(rows.nth(1).locator(".score-name")).to_be_focused()


def test_a_late_answer_is_dropped(pages: Watched) -> None:
    page = pages.open(link("recover", PAPER))
    expect(page.locator("#r-body .head")).to_contain_text("3 tables fit")
    held: list[Any] = []

    def hold(route: Any) -> None:
        # The first is kept waiting until the second is answered.
        held.append(route) if not held else route.continue_()

    page.route("**/page/recover", hold)
    page.locator(".score-text").first.fill("0.89")
    expect(page.locator("#r-body")).to_have_attribute("aria-busy", "true")
    expect(page.locator("#r-body .head")).to_contain_text("3 tables fit")
    while not held:
        page.wait_for_timeout(20)
    page.locator(".score-text").first.fill("0.8980")
    expect(page.locator("#r-body .head")).to_contain_text("1 table fits")
    held[0].continue_()
    page.wait_for_timeout(300)
    expect(page.locator("#r-body .head")).to_contain_text("1 table fits")


def test_a_table_is_pasted_and_judged(pages: Watched) -> None:
    page = pages.open("/#check")
    # Before the scripts have run nobody would read it.
    page.locator("#r-scores li").first.wait_for(state="attached")
    page.fill("#k-text", TWO_MODELS)
    page.fill("#k-positives", "100")
    page.fill("#k-negatives", "200")
    page.fill("#k-folds", "none")
    expect(page.locator("#k-body .head").first).to_contain_text("1 of 2 reports cannot be true, 1 is possible")
    rows = page.locator("#k-body .card > .scroll tbody tr")
    expect(rows.locator("td:nth-of-type(2)")).to_have_text(["possible", "impossible"])
    # What tells most about the row that cannot be is open.
    expect(page.locator("#k-body .detail > h3")).to_have_text("B")
    expect(page.locator("#k-body .detail .head")).to_contain_text("contradict each other")
    page.locator("#k-body .ask", has_text="A").click()
    expect(page.locator("#k-body .detail table.matrix tbody td")).to_have_text(["87", "13", "5", "195"])


def test_cells_of_a_spreadsheet_are_pasted_as_html(pages: Watched) -> None:
    page = pages.open("/#check")
    page.locator("#r-scores li").first.wait_for(state="attached")
    rows = "".join(
        f"<tr>{''.join(f'<td>{cell}</td>' for cell in row.split(chr(9)))}</tr>" for row in TWO_MODELS.split("\n") if row
    )
    page.evaluate(
        """([html, text]) => {
        const data = new DataTransfer();
        data.setData("text/html", html);
        const field = document.querySelector("#k-text");
        field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
        field.value = text;
        field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    }""",
        [f"<meta charset='utf-8'><table>{rows}</table>", TWO_MODELS.replace("\t", " ")],
    )
    expect(page.locator("#k-body .head").first).to_contain_text("Both reports are possible")


def test_documents_are_dropped(pages: Watched) -> None:
    page = pages.open("/#check")
    matrix = "Confusion matrix: [[124, 8], [19, 49]]\n\nPrecision: 0.8182\n"
    drop(page, "#k-drop", ("a.md", matrix), ("b.tex", "\\begin{tabular}{ll}a & b \\\\ 1 & 2\\end{tabular}"))
    expect(page.locator("#k-body .head").first).to_contain_text("The only report in 2 documents cannot be true")
    expect(page.locator("#k-body")).to_contain_text("gives precision 0.8596, printed 0.8182")
    page.locator("#k-drop .chosen button").first.click()
    expect(page.locator("#k-body .head").first).to_contain_text("no scores of a classifier were found")


def test_what_is_handed_on_says_what_the_answer_says(pages: Watched, tmp_path: Path) -> None:
    page = pages.open(link("recover", {"positives": "40", "negatives": "60", "accuracy": "0.85", "recall": "80%"}))
    bar = page.locator("#r-body > .share")
    expect(page.locator("#r-body .head").first).to_contain_text("1 table fits")
    kept = {}
    for ending, name in {"html": "Report (HTML)", "png": "Picture (PNG)", "svg": "Picture (SVG)", "csv": "Rows (CSV)",
                         "xlsx": "Rows (Excel)", "json": "Answer (JSON)"}.items():  # fmt: skip
        with page.expect_download() as waiting:
            bar.get_by_role("button", name=name).click()
        assert waiting.value.suggested_filename == f"recovery.{ending}"
        waiting.value.save_as(tmp_path / f"kept.{ending}")
        kept[ending] = (tmp_path / f"kept.{ending}").read_bytes()
    answer = json.loads(kept["json"])
    [table] = answer["tables"]
    assert b"1 table fits" in kept["html"]
    assert b"<script" not in kept["html"]
    assert kept["png"].startswith(b"\x89PNG")
    assert b"</svg>" in kept["svg"]
    rows = list(csv.DictReader(kept["csv"].decode("utf-8-sig").splitlines()))
    precision = next(row for row in rows if row["metric"] == "precision")
    assert float(precision["low"]) == answer["bounds"]["precision"]["low"] == table["tp"] / (table["tp"] + table["fp"])
    openpyxl = pytest.importorskip("openpyxl", reason="needs fourfold[documents]")
    sheet = openpyxl.load_workbook(tmp_path / "kept.xlsx").active
    assert [cell.value for cell in sheet[1]] == list(rows[0])
    assert sheet.max_row == len(rows) + 1


def test_groups_are_pasted_and_their_laws_shown(pages: Watched) -> None:
    page = pages.open("/#groups")
    expect(page.locator("#g-rows tr")).to_have_count(3)
    paste(page, page.locator("#g-rows input").first, CLINICS)
    page.fill("#g-metric", "recall")
    page.press("#g-metric", "Enter")
    expect(page.locator("#g-body > .answer > .card .head")).to_contain_text(
        "No group is shown to differ from all other cases"
    )
    expect(page.locator("#g-body > .answer > .card li").first).to_contain_text(
        "Island (12 cases) is the smallest group"
    )
    rows = page.locator("#g-body .part > .scroll tbody tr")
    expect(rows.nth(0)).to_contain_text("0.35 to 0.76")
    expect(rows.nth(0)).to_contain_text("−0.25 (−0.47 to −0.04)")
    expect(rows.nth(2)).to_contain_text("too few to tell: about 15 needed, not 5")
    expect(page.locator("#g-body .drawing svg")).to_have_count(2)
    detail = page.locator("#g-body .detail")
    expect(detail.locator("> h3")).to_have_text("East")
    page.get_by_role("button", name="Island").focus()
    page.keyboard.press("Enter")
    expect(detail.locator("> h3")).to_have_text("Island")
    expect(detail).to_contain_text("Recall 0.4000 in 12 cases")
    expect(detail).to_contain_text(
        "A random sample of 12 reference cases would score this low or lower 5.6 % of the time."
    )
    expect(detail.locator("svg")).to_contain_text("this group: 0.4000")
    page.uncheck("#g-auto")
    page.press("#g-strength", "ArrowRight")
    expect(page.locator("#g-strength-shown")).to_have_text("11")
    expect(page.locator("#g-body > .answer")).to_contain_text("strength 11")
    expect(detail.locator("> h3")).to_have_text("Island")
    again = pages.open(page.url.removeprefix(pages.server))
    expect(again.locator("#g-body > .answer > .card .head")).to_contain_text("No group is shown to differ")
    assert again.locator("#g-rows input").first.input_value() == "East"


def test_the_slider_moves_smoothed_scores(pages: Watched) -> None:
    page = pages.open(
        link("groups", [("group", "2,3,0,7,Island"), ("group", "138,38,39,245,rest of them"), ("metric", "recall")])
    )
    smoothed = page.locator("#g-body .part > .scroll tbody tr").first.locator("td").nth(6)
    page.uncheck("#g-auto")
    expect(smoothed).to_have_text("0.5665")
    page.focus("#g-strength")
    page.keyboard.press("Home")
    expect(smoothed).to_have_text("0.4000")
    expect(page.locator("#g-strength-shown")).to_have_text("0")
    expect(page).to_have_url(re.compile("strength=0"))
    page.check("#g-auto")
    expect(page.locator("#g-body > .answer")).to_contain_text("learnt from all groups")
    expect(page).not_to_have_url(re.compile("strength"))


def test_many_groups_are_sorted_and_filtered_by_keyboard(pages: Watched) -> None:
    """Counts are such that the order by size, by name and by difference are all different."""
    tables = [("group", f"{5 + i * 7 % 11},{1 + i * 3 % 4},2,{10 + i * 5 % 13},site {i}") for i in range(1, 25)]
    page = pages.open(link("groups", [*tables, ("metric", "recall")]))
    rows = page.locator("#g-body .part > .scroll tbody tr")
    expect(rows).to_have_count(24)
    for name, column in {"n": 0, "difference to the others": 4}.items():
        head = page.locator("#g-body thead th", has=page.get_by_role("button", name=name, exact=True))
        for way in ("ascending", "descending"):
            head.get_by_role("button").focus()
            page.keyboard.press("Enter")
            expect(head).to_have_attribute("aria-sort", way)
            texts = [row.locator("td").nth(column).inner_text() for row in rows.all()]
            numbers = [float(text.split(" ")[0].replace("−", "-")) for text in texts]
            assert numbers == sorted(numbers, reverse=way == "descending")
    page.get_by_role("button", name="group", exact=True).click()
    assert rows.locator("th").all_inner_texts() == [f"site {i}" for i in range(1, 25)]
    expect(page.locator("#g-body th[aria-sort]")).to_have_count(1)
    page.get_by_label("Show rows with").fill("SITE 2")
    expect(page.locator("#g-body .filter output")).to_have_text("6 / 24")
    assert [row.is_visible() for row in rows.all()].count(True) == 6
    page.get_by_label("Show rows with").fill("")
    assert all(row.is_visible() for row in rows.all())
    expect(page.locator("#g-body figcaption").first).to_contain_text(
        "The 20 clearest differences are drawn; 4 groups more"
    )


def test_the_slider_of_sizes_tells_what_could_be_told(pages: Watched) -> None:
    page = pages.open(
        link("groups", [("group", "2,3,0,7,Island"), ("group", "138,38,39,245,rest"), ("metric", "recall")])
    )
    slider = page.get_by_label("How many cases would tell?")
    told = page.locator("#g-body .slider p")
    expect(told).to_contain_text("With 5 actual positives")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#g-body .slider strong")).to_have_text("6")
    expect(told).to_contain_text("With 6 actual positives, only a recall of")
    page.keyboard.press("End")
    expect(told).to_contain_text("or less, or of")


def test_a_wrong_cell_is_marked(pages: Watched) -> None:
    page = pages.open(link("groups", [("group", "2,3,x,7,Island"), ("group", "1,2,3,4,B")]))
    expect(page.locator("#g-rows tr").first.locator("[data-argument=fp] input")).to_have_attribute(
        "aria-invalid", "true"
    )
    expect(page.locator("#g-tables .error")).to_contain_text("must be a whole number")


def test_an_unknown_metric_is_marked(pages: Watched) -> None:
    page = pages.open(link("groups", [("group", "2,3,1,7,A"), ("group", "1,2,3,4,B"), ("metric", "recal")]))
    expect(page.locator("#g-metric")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#panel-groups form .error")).to_contain_text("Hint: did you mean 'recall'?")
    page.get_by_role("button", name="Remove recal").click()
    expect(page.locator("#g-body > .answer > .card .head")).to_contain_text("No group is shown to differ")


def test_groups_of_a_dropped_file(pages: Watched) -> None:
    page = pages.open("/#groups")
    page.locator("#panel-groups").get_by_text("Paste or drop").click()
    drop(page, "#g-drop", example("clinics.csv"))
    taken = page.locator("#g-preview select")
    expect(page.get_by_label("truth is")).to_have_value("truth")
    expect(page.get_by_label("prediction is")).to_have_value("prediction")
    expect(page.get_by_label("site is")).to_have_value("group")
    expect(taken).to_have_count(5)
    expect(page.locator("#g-positive")).to_have_attribute("aria-invalid", "true")
    page.fill("#g-positive", "sick")
    page.fill("#g-metric", "recall")
    page.press("#g-metric", "Enter")
    expect(page.locator("#g-body > .answer > .card .head")).to_contain_text(
        "No group is shown to differ from all other cases"
    )
    expect(page.locator("#g-body tbody th")).to_have_text(["site=East", "site=North", "site=Island", "site=South"])
    expect(page.locator("#g-body .drawing svg")).to_have_count(2)
    page.get_by_label("site is").select_option("not used")
    page.get_by_label("sex is").select_option("group")
    expect(page.locator("#g-body tbody th")).to_have_text(["sex=male", "sex=female"])
    page.locator("#g-file-part summary").click()
    page.fill("#g-truth", "truht")
    expect(page.locator("#g-truth")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#g-file-part .error")).to_contain_text("Hint")


def test_groups_of_a_parquet_file(pages: Watched, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "clinics.parquet"
    duckdb.sql(f"copy (from read_csv('{EXAMPLES / 'clinics.csv'}')) to '{path}'")
    page = pages.open("/#groups")
    page.locator("#panel-groups").get_by_text("Paste or drop").click()
    page.set_input_files("#g-file", path)
    page.fill("#g-positive", "sick")
    expect(page.locator("#g-body > .answer")).to_contain_text("472 cases in 4 groups")


def test_certainty_of_two_dropped_files(pages: Watched) -> None:
    page = pages.open("/#certainty")
    drop(page, "#c-drop", example("animals_bold.csv"))
    expect(page.locator("#c-body .head")).to_contain_text("The certainty ratio of Accuracy is 0.6840")
    drop(page, "#c-drop", example("animals_shy.csv"))
    expect(page.locator("#c-body .head")).to_contain_text("animals_bold.csv is surer than animals_shy.csv: 0.8913")
    expect(page.locator("#c-body strong").nth(3)).to_have_text("0.7935")
    expect(page.locator("#c-body")).to_contain_text("120 rows · probability certain 0.8913, uncertain 0.1087")
    # Bars, four matrices for each file, what is kept, what is said, two curves.
    expect(page.locator("#c-body .drawing svg")).to_have_count(7)
    page.fill("#c-metric", "macro_f2")
    page.press("#c-metric", "Enter")
    expect(page.locator("#c-body strong")).to_have_count(2)
    page.locator("#panel-certainty .given summary").click()
    page.fill("#c-probabilities", "q_*")
    expect(page.locator("#c-probabilities")).to_have_attribute("aria-invalid", "true")


def test_one_request_answers_and_draws(pages: Watched) -> None:
    page = pages.open(link("recover", PAPER))
    expect(page.locator("#r-body .drawing svg").first).to_be_visible()
    pages.asked.clear()
    page.locator(".score-text").first.fill("0.8980")
    expect(page.locator("#r-body .head")).to_contain_text("1 table fits")
    expect(page.locator("#r-body .drawing:not(.stale) svg").first).to_be_visible()
    assert pages.asked == [f"{pages.server}/page/recover"]


def test_answers_and_pictures_are_saved(pages: Watched, tmp_path: Path) -> None:
    page = pages.open(link("recover", PAPER))
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Answer (JSON)").click()
    waiting.value.save_as(tmp_path / "recovery.json")
    assert waiting.value.suggested_filename == "recovery.json"
    assert json.loads((tmp_path / "recovery.json").read_text())["count"] == 3
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save picture (SVG)").first.click()
    waiting.value.save_as(tmp_path / "picture.svg")
    assert "3 tables fit" in (tmp_path / "picture.svg").read_text()


def test_tabs_by_keyboard(pages: Watched) -> None:
    page = pages.open("/")
    tabs = page.get_by_role("tab")
    # The script has filled the page, so it listens.
    expect(page.locator("#g-rows tr")).to_have_count(3)
    tabs.first.focus()
    for key, chosen in (
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowRight", 3),
        ("ArrowRight", 0),
        ("ArrowLeft", 3),
        ("Home", 0),
        ("End", 3),
    ):
        page.keyboard.press(key)
        expect(tabs.nth(chosen)).to_be_focused()
        expect(tabs.nth(chosen)).to_have_attribute("aria-selected", "true")
        expect(page.get_by_role("tabpanel")).to_have_count(1)
    expect(page).to_have_url(re.compile("#certainty$"))
    expect(pages.open("/#groups").get_by_role("tabpanel", name="Is a group different?")).to_be_visible()
    first = pages.open()
    first.bring_to_front()
    first.keyboard.press("Tab")
    expect(first.get_by_role("link", name="Skip to the questions")).to_be_focused()


def test_each_tab_keeps_its_own_link(pages: Watched) -> None:
    page = pages.open(link("recover", PAPER))
    expect(page.locator("#r-body .head")).to_contain_text("3 tables fit")
    page.get_by_role("tab", name="Is a group different?").click()
    expect(page).to_have_url(re.compile("/#groups$"))
    page.get_by_role("tab", name="Which tables fit?").click()
    expect(page).to_have_url(pages.server + link("recover", PAPER))


def hacked(page: Any) -> bool:
    page.wait_for_timeout(100)
    return bool(
        page.evaluate("window.hacked !== undefined || document.querySelector('main img, main script') !== null")
    )


def test_hostile_text_is_shown_as_text(pages: Watched) -> None:
    page = pages.open(link("recover", {"positives": HOSTILE, HOSTILE: HOSTILE, "rounding": HOSTILE}))
    expect(page.locator("#panel-recover .trouble .head")).to_contain_text("No answer yet")
    assert page.locator(".score-name").first.input_value() == HOSTILE
    assert not hacked(page)
    page.click("#tab-check")
    drop(
        page,
        "#k-drop",
        (f"{HOSTILE}.csv", f'"{HOSTILE.replace(chr(34), chr(34) * 2)}",accuracy,total\n<b>x</b>,0.85,100\n'),
    )
    expect(page.locator("#k-body")).to_contain_text("<img src=x onerror")
    assert not hacked(page)


def test_hostile_groups_are_shown_as_text(pages: Watched) -> None:
    page = pages.open(
        link("groups", [("group", f"14,11,7,38,{HOSTILE}"), ("group", "70,20,30,200,white"), ("metric", "recall")])
    )
    expect(page.locator("#g-body tbody th").first).to_have_text(HOSTILE)
    expect(page.locator("#g-body .drawing svg")).to_have_count(2)
    expect(page.locator("#g-body .drawing svg").first).to_contain_text("<img")
    # The words that a chart shows on hover.
    page.locator("#g-body .drawing svg").first.locator("path[aria-roledescription=point]").first.hover(force=True)
    assert not hacked(page)
    bad = HOSTILE.replace('"', '""')
    drop(page, "#g-drop", ("<i>.csv", f'y,yhat,"{bad}"\n1,1,"{bad}"\n0,1,b\n1,0,b\n0,0,"{bad}"\n'))
    expect(page.get_by_label("y is", exact=True)).to_have_value("truth")
    expect(page.locator("#g-body tbody th").first).to_contain_text(HOSTILE)
    assert not hacked(page)


@pytest.mark.parametrize("tab", ["recover", "impossible", "groups", "certainty", "check"])
def test_a_phone_needs_no_sideways_scrolling(pages: Watched, tab: str) -> None:
    paths = {
        "recover": link("recover", PAPER),
        "impossible": link("recover", CONTRADICTION),
        "groups": link(
            "groups", [("group", "14,11,7,38,East"), ("group", "2,3,0,7,Island_" * 4), ("group", "73,13,20,134,North")]
        ),
    }
    page = pages.open(paths.get(tab, f"/#{tab}"), viewport={"width": 360, "height": 740})
    if tab == "certainty":
        drop(page, "#c-drop", example("animals_bold.csv"), example("animals_shy.csv"))
    if tab == "check":
        drop(page, "#k-drop", example("review.csv"))
        expect(page.locator("#k-body .card > .scroll tbody tr")).to_have_count(5)
    else:
        expect(page.locator("[role=tabpanel]:not([hidden]) figure .drawing svg").first).to_be_visible()
    page.wait_for_timeout(500)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    # The table that was drawn is seen whole.
    beyond = "tables => tables.filter(one => one.scrollWidth > one.parentElement.clientWidth).length"
    assert page.locator("table.matrix").evaluate_all(beyond) == 0


def test_pictures_follow_the_colours_of_the_page(pages: Watched) -> None:
    page = pages.open(link("recover", PAPER), color_scheme="light")
    title = page.locator("#r-body .drawing svg text", has_text="accuracy = 0.898").first
    expect(title).to_have_attribute("fill", "#1c2329")
    page.emulate_media(color_scheme="dark")
    expect(title).to_have_attribute("fill", "#e7eaed")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(pages: Watched, scheme: str) -> None:
    page = pages.open(color_scheme=scheme)
    names = ("ink", "muted", "accent", "good", "bad", "open", "panel", "paper", "accent-ink", "edge")
    found = page.evaluate(
        "names => names.map((name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim())",
        list(names),
    )
    colour = dict(zip(names, found, strict=True))

    def light(text: str) -> float:
        parts = [int(text[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(one: str, other: str) -> float:
        high, low = sorted((light(colour[one]), light(colour[other])), reverse=True)
        return (high + 0.05) / (low + 0.05)

    for name in ("ink", "muted", "accent", "good", "bad", "open"):
        assert contrast(name, "panel") >= 4.5, name
    assert contrast("ink", "paper") >= 4.5
    assert contrast("muted", "paper") >= 4.5
    assert contrast("accent", "accent-ink") >= 4.5
    assert contrast("edge", "panel") >= 3


def test_every_field_has_a_name(pages: Watched) -> None:
    page = pages.open()
    expect(page.locator("#r-scores li, #g-rows tr")).to_have_count(5)
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("input, select, button")].filter((field) =>
            !(field.labels && field.labels.length) && !field.getAttribute("aria-label") && !field.textContent.trim()
        ).map((field) => field.outerHTML)"""
    )
    assert nameless == []


def test_a_server_that_is_gone(pages: Watched) -> None:
    page = pages.open(link("recover", PAPER))
    expect(page.locator("#r-body .head")).to_contain_text("3 tables fit")
    page.route("**/page/recover", lambda route: route.abort())
    page.locator(".score-text").first.fill("0.89")
    expect(page.locator("#panel-recover .trouble")).to_contain_text("server: does not answer.")
    pages.said.clear()  # the browser's own words on the broken connection
