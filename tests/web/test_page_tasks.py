"""What people bring to the page, each from paste or drop to its verdict in words; and that everyone can use it."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from ..conftest import ROOT, SHARED
from .watched import TWO_MODELS, Watched, drop, example, expect, link

MARKDOWN = "| Model | Accuracy | Sensitivity | Specificity |\n|---|---|---|---|\n" + "".join(
    f"| {' | '.join(row.split(chr(9)))} |\n" for row in TWO_MODELS.strip().splitlines()[1:]
)
LATEX = (
    "\\begin{tabular}{lrrr}\n"
    + "".join(f"{' & '.join(row.split(chr(9)))} \\\\\n" for row in TWO_MODELS.strip().splitlines())
    + "\\end{tabular}\n"
)
SIZES = {"positives": "100", "negatives": "200"}


def ready(pages: Watched, path: str) -> Any:
    """Open the page, once its scripts have run."""
    page = pages.open(path)
    page.locator("#r-scores li").first.wait_for(state="attached")
    return page


@pytest.mark.parametrize("text", [TWO_MODELS, MARKDOWN, LATEX], ids=["tsv", "markdown", "latex"])
def test_a_pasted_table_gets_a_verdict_a_row(pages: Watched, text: str) -> None:
    page = ready(pages, link("check", SIZES))
    page.fill("#k-text", text)
    rows = page.locator("#k-body .card > .scroll tbody tr")
    expect(rows.locator("td:nth-of-type(2)")).to_have_text(["possible", "impossible"])
    expect(page.locator("#k-body .detail .head")).to_contain_text("contradict each other")


def test_what_a_column_is_can_be_chosen(pages: Watched) -> None:
    page = ready(pages, link("check", SIZES))
    page.fill("#k-text", TWO_MODELS.replace("Accuracy", "X1"))
    verdicts = page.locator("#k-body > .answer > .card > .scroll td:nth-of-type(2)")
    # Without accuracy nothing is wrong: 87 of 100 and 195 of 200.
    expect(verdicts).to_have_text(["possible", "possible"])
    page.get_by_label("X1 is").select_option("accuracy")
    expect(verdicts).to_have_text(["possible", "impossible"])
    expect(page.get_by_label("X1 is")).to_have_value("accuracy")
    assert "map=X1%3Daccuracy" in page.url


def test_a_table_is_typed_by_keyboard_alone(pages: Watched) -> None:
    page = ready(pages, link("check", SIZES))
    page.locator("#panel-check .switch input").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")  # the table, which can be moved sideways
    for key in ("Tab", "Tab", "Tab", "Tab", "A", "Enter", "0.9567", "Enter", "0.8700", "Enter", "0.9750"):
        page.keyboard.press(key) if key in ("Tab", "Enter") else page.keyboard.type(key)
    expect(page.locator("#k-body .head").first).to_contain_text("Impossible: accuracy, recall and specificity")


@pytest.mark.parametrize("kind", ["xlsx", "pdf"])
def test_a_dropped_document_gets_its_verdicts(pages: Watched, kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"models.{kind}"
    rows = [row.split("\t") for row in TWO_MODELS.strip().splitlines()]
    if kind == "xlsx":
        openpyxl = pytest.importorskip("openpyxl", reason="needs fourfold[documents]")
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        book.save(path)
    else:
        pytest.importorskip("pdfplumber", reason="needs fourfold[documents]")
        printer = pages.browser.new_page()
        cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
        printer.set_content(f"<table cellpadding=8>{cells}</table>")
        printer.pdf(path=path)
        printer.close()
    page = ready(pages, link("check", SIZES))
    page.set_input_files("#k-file", path)
    verdicts = page.locator("#k-body .card > .scroll tbody td:nth-of-type(2)")
    expect(verdicts).to_have_text(["possible", "impossible"])


def report_of_ten(wrong: bool) -> str:
    """A report as scikit-learn prints it: ten classes of 20, 18 of each found, 2 taken for the next."""
    lines = ["              precision    recall  f1-score   support", ""]
    lines += [f"{place:>12}       0.90      0.90      0.90        20" for place in range(10)]
    lines += ["", f"    accuracy                           {'0.85' if wrong else '0.90'}       200"]
    lines += [f"{name:>12}       0.90      0.90      0.90       200" for name in ("macro avg", "weighted avg")]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(("wrong", "verdict"), [(False, "Possible"), (True, "Impossible")])
def test_a_report_of_ten_classes(pages: Watched, wrong: bool, verdict: str) -> None:
    page = ready(pages, "/#check")
    page.fill("#k-text", report_of_ten(wrong))
    expect(page.locator("#k-body .head").first).to_contain_text(re.compile(f"^.?{verdict}"))


def test_means_over_ten_folds_with_deviations(pages: Watched) -> None:
    text = "Model\tAccuracy\tRecall\nA\t0.940 ± 0.020\t0.950 ± 0.030\n"
    page = ready(pages, link("check", {"positives": "100", "negatives": "100", "folds": "10"}))
    page.fill("#k-text", text)
    expect(page.locator("#k-body .head").first).to_contain_text(re.compile("^.?Possible"))


def test_a_score_with_a_threshold_from_parquet(pages: Watched) -> None:
    path = SHARED / "data" / "compas_two_years.parquet"
    if not path.exists():
        pytest.skip("the COMPAS data is not there")
    page = ready(pages, "/#groups")
    page.locator("#panel-groups").get_by_text("Paste or drop").click()
    page.set_input_files("#g-file", path)
    expect(page.get_by_label("decile_score is", exact=True)).to_have_value("score")
    expect(page.locator("#g-threshold")).to_have_value("5")
    page.get_by_label("two_year_recid is", exact=True).select_option("truth")
    page.fill("#g-metric", "recall")
    page.press("#g-metric", "Enter")
    # Of 3,251 who were charged again, 2,035 have a score of 5 or more.
    expect(page.locator("#g-body")).to_contain_text("2035 of 3251")


def test_probabilities_in_columns_0_to_9(pages: Watched) -> None:
    page = ready(pages, "/#check")
    rows = [["digit", *range(10)]]
    for case in range(30):
        label, shares = case % 10, [0.02] * 10
        shares[label if case % 5 else (label + 1) % 10] = 0.82
        rows.append([label, *shares])
    drop(page, "#k-drop", ("digits.csv", "\n".join(",".join(map(str, row)) for row in rows)))
    # Nothing here can be checked: the page knows who can answer.
    page.get_by_role("button", name="Open in “How sure is it?”").click()
    # 24 of the 30 cases have their largest probability at their own class.
    expect(page.locator("#c-body tbody tr").first).to_contain_text("0.8000")
    expect(page.get_by_label("digit is")).to_have_value("truth")


def test_a_link_names_the_file_that_it_is_about(pages: Watched) -> None:
    page = ready(pages, "/#check")
    drop(page, "#k-drop", example("review.csv"))
    expect(page.locator("#k-body .card > .scroll tbody tr")).to_have_count(5)
    assert "drop=review.csv" in page.url
    again = ready(pages, page.url.removeprefix(pages.server))
    expect(again.locator("#k-drop .wanted")).to_contain_text("This link was about review.csv")


def test_a_slow_question_says_so_and_can_be_stopped(pages: Watched) -> None:
    page = ready(pages, "/#recover")
    page.route("**/page/recover", lambda route: None)
    page.fill("#r-positives", "10")
    page.locator(".score-name").first.fill("accuracy")
    page.locator(".score-text").first.fill("0.9")
    working = page.locator("#panel-recover .working")
    expect(working).to_contain_text("Working … 2 s")
    working.get_by_role("button", name="Stop").click()
    expect(working).to_be_hidden()
    expect(page.locator("#r-body")).to_contain_text("Stopped. Change something to ask again.")


def test_a_term_says_what_it_means_by_keyboard(pages: Watched) -> None:
    page = ready(
        pages, link("groups", [("group", "14,11,7,38,East"), ("group", "2,3,0,7,Island"), ("metric", "recall")])
    )
    term = page.locator("#g-body .term").first
    term.focus()
    expect(page.locator("#tip")).to_be_visible()
    assert len(page.locator("#tip").inner_text()) > 20
    page.keyboard.press("Escape")
    expect(page.locator("#tip")).to_be_hidden()


def test_rows_handed_on_are_those_of_the_answer(pages: Watched, tmp_path: Path) -> None:
    page = ready(pages, link("check", {**SIZES, "text": TWO_MODELS}))
    bar = page.locator("#k-body > .share")
    expect(page.locator("#k-body .head").first).to_contain_text("1 impossible")
    kept = {}
    for ending, name in {"csv": "Rows (CSV)", "json": "Answer (JSON)"}.items():
        with page.expect_download() as waiting:
            bar.get_by_role("button", name=name).click()
        waiting.value.save_as(tmp_path / f"kept.{ending}")
        kept[ending] = (tmp_path / f"kept.{ending}").read_text(encoding="utf-8-sig")
    rows = list(csv.DictReader(kept["csv"].splitlines()))
    assert [row["verdict"] for row in rows] == [one["verdict"] for one in json.loads(kept["json"])["findings"]]


STATES = {
    "check": link("check", {**SIZES, "text": TWO_MODELS}),
    "typed": link("check", {**SIZES, "source": "type", "text": TWO_MODELS}),
    "recover": link("recover", {**SIZES, "accuracy": "0.9400", "recall": "0.8700"}),
    "wrong": link("recover", {**SIZES, "acuracy": "0.94"}),
    "groups": link("groups", [("group", "14,11,7,38,East"), ("group", "2,3,0,7,Island"), ("metric", "recall")]),
    "cases": link("groups", {"source": "file", "text": "y,yhat,site\n1,1,N\n1,0,E\n0,0,N\n0,1,E\n1,1,E\n"}),
    "certainty": link("certainty", {"text": "y,a,b\na,0.9,0.1\nb,0.2,0.8\na,0.4,0.6\nb,0.3,0.7\n"}),
    "empty": "/#check",
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing(pages: Watched, state: str, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs the package axe-playwright-python")
    # The rules are put into the page, which its own policy forbids to everyone else.
    page = pages.open(STATES[state], color_scheme=scheme, bypass_csp=True, reduced_motion="reduce")
    page.locator("#r-scores li").first.wait_for(state="attached")
    panel = page.locator("[role=tabpanel]:not([hidden])")
    if state != "empty":
        expect(panel.locator(".trouble .card, .body > .answer .card").first).to_be_visible()
        expect(panel.locator("[aria-busy=true], .stale, .drawing:not(:has(svg))")).to_have_count(0)
    found = axe.Axe().run(page).response["violations"]
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []


def test_the_examples_are_answered(pages: Watched) -> None:
    text = (ROOT / "src" / "fourfold" / "web" / "page" / "index.html").read_text(encoding="utf-8")
    links = [address.replace("&amp;", "&") for address in re.findall(r'<li><a href="(\?[^"]*)"', text)]
    assert {address.rpartition("#")[2] for address in links} == {"check", "recover", "groups", "certainty"}
    for address in links:
        page = ready(pages, f"/{address}")
        expect(page.locator("[role=tabpanel]:not([hidden]) .body .head").first).to_be_visible()
        page.close()
