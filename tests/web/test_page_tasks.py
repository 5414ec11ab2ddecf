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
SIZES = {"positives": "100", "negatives": "200", "folds": "none"}


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
    expect(page).to_have_url(re.compile("map=X1%3Daccuracy"))


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
    expect(page).to_have_url(re.compile(r"drop=review\.csv"))
    again = ready(pages, page.url.removeprefix(pages.server))
    expect(again.locator("#k-drop .wanted")).to_contain_text("This link was about review.csv")


def test_a_slow_question_says_so_and_can_be_stopped(pages: Watched) -> None:
    page = ready(pages, "/#recover")
    page.route("**/page/recover", lambda route: None)
    page.fill("#r-positives", "10")
    page.locator(".score-name").first.fill("accuracy")
    page.locator(".score-text").first.fill("0.9")
    working = page.locator("#panel-recover .working")
    expect(working).to_contain_text(re.compile(r"Working … ([2-9]|\d\d+) s"))
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
    expect(page.locator("#k-body .head").first).to_contain_text("1 of 2 reports cannot be true")
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


#: The ink of pictures that are still drawn for the other scheme.
OTHER_INK = {"light": "#e7eaed", "dark": "#1c2329"}


@pytest.fixture(scope="module")
def unguarded(browser: Any) -> Any:
    """A context for pages that let the rules be put into them, which their own policy forbids to everyone else."""
    return browser.new_context(viewport={"width": 1280, "height": 900}, bypass_csp=True, reduced_motion="reduce")


@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing(pages: Watched, unguarded: Any, state: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs the package axe-playwright-python")
    pages.context = unguarded
    page = ready(pages, STATES[state])
    panel = page.locator("[role=tabpanel]:not([hidden])")
    for scheme, ink in OTHER_INK.items():
        page.emulate_media(color_scheme=scheme)
        if state != "empty":
            expect(panel.locator(".trouble .card, .body > .answer .card").first).to_be_visible()
            unready = f"[aria-busy=true], .stale, .drawing:not(:has(svg)), .drawing text[fill='{ink}']"
            expect(panel.locator(unready)).to_have_count(0)
        found = axe.Axe().run(page).response["violations"]
        assert [(scheme, one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []


def test_the_examples_are_answered(pages: Watched) -> None:
    text = (ROOT / "src" / "fourfold" / "web" / "page" / "index.html").read_text(encoding="utf-8")
    links = [address.replace("&amp;", "&") for address in re.findall(r'<li><a href="(\?[^"]*)"', text)]
    assert {address.rpartition("#")[2] for address in links} == {"check", "recover", "groups", "certainty"}
    for address in links:
        page = ready(pages, f"/{address}")
        expect(page.locator("[role=tabpanel]:not([hidden]) .body .head").first).to_be_visible()
        page.close()


def with_clipboard(pages: Watched, path: str) -> Any:
    page = pages.open(path, permissions=["clipboard-read", "clipboard-write"], viewport={"width": 1280, "height": 900})
    page.locator("#r-scores li").first.wait_for(state="attached")
    return page


def test_the_html_of_a_clipboard_is_pasted_by_keyboard(pages: Watched) -> None:
    page = with_clipboard(pages, link("check", SIZES))
    rows = [row.split("\t") for row in TWO_MODELS.strip().splitlines()]
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    # The text beside it tells nothing, so it is the HTML that is read.
    page.evaluate(
        """([html, text]) => navigator.clipboard.write([new ClipboardItem({
            "text/html": new Blob([html], { type: "text/html" }), "text/plain": new Blob([text], { type: "text/plain" }),
        })])""",
        [f"<table>{cells}</table>", "some cells"],
    )
    page.focus("#k-text")
    page.keyboard.press("Control+V")
    verdicts = page.locator("#k-body > .answer > .card > .scroll td:nth-of-type(2)")
    expect(verdicts).to_have_text(["possible", "impossible"])


def saved(page: Any, body: str, folder: Path) -> dict[str, Path]:
    """Press every button of a share bar that makes a file; return the files by their endings."""
    files = {}
    for ending in ("html", "png", "svg", "csv", "xlsx", "json"):
        button = page.locator(f"{body} > .share [data-save={ending}]")
        if button.is_visible():
            with page.expect_download() as waiting:
                button.click()
            files[ending] = folder / waiting.value.suggested_filename
            waiting.value.save_as(files[ending])
    return files


def copied(page: Any, body: str, what: str) -> str:
    page.evaluate("navigator.clipboard.writeText('')")
    button = page.locator(f"{body} > .share [data-save={what}]")
    button.click()
    expect(button).to_have_text("Copied")
    return str(page.evaluate("navigator.clipboard.readText()"))


def rows_of(files: dict[str, Path]) -> list[dict[str, str]]:
    """Return the rows of the CSV, once those of the workbook were found to be the same."""
    openpyxl = pytest.importorskip("openpyxl", reason="needs fourfold[documents]")
    rows = list(csv.DictReader(files["csv"].read_text(encoding="utf-8-sig").splitlines()))
    heads, *cells = openpyxl.load_workbook(files["xlsx"]).active.iter_rows(values_only=True)
    assert list(heads) == list(rows[0])
    for row, own in zip(rows, cells, strict=True):
        for name, cell in zip(heads, own, strict=True):
            same = row[name] == ("" if cell is None else str(cell))
            assert same or float(row[name]) == pytest.approx(cell, rel=1e-12), name
    return rows


def test_groups_are_handed_on_as_they_are_answered(pages: Watched, tmp_path: Path) -> None:
    query = [("group", "14,11,7,38,East"), ("group", "2,3,0,7,Island"), ("metric", "recall")]
    page = with_clipboard(pages, link("groups", query))
    expect(page.locator("#g-body > .answer .drawing svg").first).to_be_visible()
    files = saved(page, "#g-body", tmp_path)
    assert set(files) == {"html", "png", "svg", "csv", "xlsx", "json"}
    answer = json.loads(files["json"].read_text())
    title = page.locator("#g-body > .answer > .card .head").inner_text().lstrip("≠ \n")
    html, svg = files["html"].read_text(), files["svg"].read_text()
    assert f"<h1>{title}</h1>" in html
    assert all(name in part for name in ("East", "Island") for part in (html, svg))
    assert files["png"].read_bytes().startswith(b"\x89PNG")
    found = {(row["group"], row["metric"]): row for row in rows_of(files)}
    for finding in answer["findings"]:
        own = found[finding["group"], finding["metric"]]
        assert float(own["score"]) == pytest.approx(finding["score"])
    # 2 of the 5 positives of the island were found, and 14 of the 25 of the east.
    assert {name: float(row["score"]) for (name, _), row in found.items()} == {"East": 0.56, "Island": 0.4}
    told = copied(page, "#g-body", "cite")
    assert told.startswith(f"{title}. Island (12 cases) is the smallest group")
    assert "recall 0.4000 (2 of 5 found)" in told
    table = [line.split("\t") for line in copied(page, "#g-body", "table").splitlines()]
    assert table[0][:3] == ["group", "n", "found"]
    assert {row[0]: row[2] for row in table[1:]} == {"East": "14 of 25", "Island": "2 of 5"}
    assert copied(page, "#g-body", "link") == page.url


def test_certainty_is_handed_on_as_it_is_answered(pages: Watched, tmp_path: Path) -> None:
    # Three of four cases have their largest probability at their own class.
    text = "y,a,b\na,0.9,0.1\nb,0.2,0.8\na,0.4,0.6\nb,0.3,0.7\n"
    page = with_clipboard(pages, link("certainty", {"text": text, "metric": "accuracy"}))
    expect(page.locator("#c-body > .answer .drawing svg").first).to_be_visible()
    files = saved(page, "#c-body", tmp_path)
    answer = json.loads(files["json"].read_text())
    [row] = [row for row in rows_of(files) if row["metric"] == "accuracy"]
    assert float(row["hard"]) == 0.75
    # Of the probability, 0.9 + 0.8 + 0.7 lies on right predictions, out of 3.0 on predictions; 0.4 of 1.0 of the rest.
    assert float(row["certain"]) == pytest.approx(0.8)
    assert float(row["uncertain"]) == pytest.approx(0.4)
    assert float(row["value"]) == pytest.approx(0.8 / 1.2)
    assert answer["ratios"][0]["value"] == pytest.approx(0.8 / 1.2)
    assert "The certainty ratio of Accuracy is 0.6667" in files["html"].read_text()
    assert "Accuracy" in files["svg"].read_text()
    told = copied(page, "#c-body", "cite")
    assert told.startswith("Accuracy is 0.8000 on the probability of predicted classes and 0.4000 on the rest")
    assert "It does not say that the model is right when it is sure" in told
    # The card says it too, before any table.
    expect(page.locator("#c-body > .answer > .card")).to_contain_text("It does not say that the model is right")


def test_a_card_says_what_was_checked_and_what_was_assumed(pages: Watched) -> None:
    page = with_clipboard(pages, link("check", {**SIZES, "text": TWO_MODELS}))
    card = page.locator("#k-body .detail .card")
    expect(card).to_contain_text(
        "Checked: accuracy 0.9567, recall 0.8700 and specificity 0.9750, 100 positives and 200 negatives. "
        "Assumed: one test set; numbers rounded at the last digit, halves up or down."
    )
    # Its name is that of its row, with no name of a file that nobody has.
    assert copied(page, "#k-body", "cite") == (
        "B: With 100 positive and 200 negative cases, no confusion matrix gives accuracy 0.9567, recall 0.8700 and "
        "specificity 0.9750."
    )
    page.locator("#k-body .ask", has_text="A").click()
    expect(card.locator("table.matrix tbody td")).to_have_text(["87", "13", "5", "195"])
    # What is long is folded away, and opens.
    folded = page.locator("#k-body .detail summary", has_text="Bounds of every metric")
    precision = page.locator("#k-body .detail tbody tr", has=page.get_by_role("rowheader", name="Precision"))
    expect(precision.first).to_be_hidden()
    folded.click()
    # 87 of 92 who were predicted positive.
    expect(precision.first.locator("td.number")).to_have_text(["0.9457", "0.9457"])


def test_the_table_of_folds_and_that_of_classes_stand_in_the_card(pages: Watched) -> None:
    text = "Model\tAccuracy\tRecall\nA\t0.940 ± 0.020\t0.950 ± 0.050\n"
    page = ready(pages, link("check", {"positives": "100", "negatives": "100", "folds": "10", "text": text}))
    # 95 of 100 positives, and 188 of all 200.
    expect(page.locator("#k-body .detail .card table.matrix tbody td")).to_have_text(["95", "5", "7", "93"])
    page.locator("#panel-check [data-clear]").click()
    page.fill("#k-text", report_of_ten(wrong=False))
    drawn = page.locator("#k-body .detail .card .drawing svg")
    expect(drawn.locator("text", has_text=re.compile("^18$"))).to_have_count(11)  # ten cells, and the scale's end
    page.fill("#k-text", "Confusion matrix: [[124, 8], [19, 49]]\n\nPrecision: 0.8182\n")
    expect(page.locator("#k-body .card table.matrix tbody td")).to_have_text(["124", "8", "19", "49"])


def test_what_is_missing_is_said_without_commands(pages: Watched) -> None:
    page = ready(pages, "/#check")
    page.fill("#k-text", "Model\tAccuracy\tRecall\nA\t0.940 ± 0.020\t0.950 ± 0.030\n")
    head = page.locator("#k-body > .answer > .card .head")
    expect(head).to_contain_text("to check them, give positives and negatives, and folds")
    assert "--" not in page.locator("#k-body").inner_text()
    # What was not checked is not ticked off.
    expect(head.locator(".sign")).to_have_count(0)


def test_an_empty_answer_says_what_to_do(pages: Watched) -> None:
    page = ready(pages, "/#check")
    todo = {"check": "Paste or drop what you have", "recover": "Type a score", "groups": "Type the four counts",
            "certainty": "Paste or drop a table"}  # fmt: skip
    for tab, words in todo.items():
        page.locator(f"#tab-{tab}").click()
        expect(page.locator(f"#panel-{tab} .empty")).to_contain_text(words, use_inner_text=True)
        expect(page.locator(f"#panel-{tab} .choices:visible")).to_have_count(0)
    page.fill("#c-text", "\n".join(["u,v,w", *["0.1,0.2,0.7"] * 60]))
    wanted = page.locator("#panel-certainty .empty")
    expect(wanted).to_contain_text("which one holds the actual labels", use_inner_text=True)
    expect(wanted.locator("a")).to_be_hidden()


def test_looking_at_a_file_takes_its_time_and_can_be_stopped(pages: Watched) -> None:
    page = ready(pages, "/#groups")
    page.locator("#panel-groups").get_by_text("Paste or drop", exact=True).click()
    page.route("**/page/preview", lambda route: None)
    drop(page, "#g-drop", example("clinics.csv"))
    working = page.locator("#panel-groups .working")
    expect(working).to_contain_text(re.compile(r"Working … [1-9]\d* s"))
    working.get_by_role("button", name="Stop").click()
    expect(working).to_be_hidden()
    page.unroute("**/page/preview")
    drop(page, "#g-drop", ("broken.parquet", "PAR1"))
    expect(page.locator("#panel-groups .trouble")).to_contain_text("is not readable as parquet")


def test_the_verdicts_on_groups_need_no_sideways_scrolling(pages: Watched) -> None:
    query = [("group", "14,11,7,38,East"), ("group", "2,3,0,7,Island"), ("group", "73,13,20,134,North")]
    page = ready(pages, link("groups", [*query, ("metric", "recall")]))
    table = page.get_by_role("region", name="Recall of each group")
    expect(table).to_be_visible()
    assert table.evaluate("(one) => one.scrollWidth - one.clientWidth") <= 0
