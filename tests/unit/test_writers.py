"""Reports to hand on: the same numbers as the JSON, nothing from outside, nothing that runs, and all text escaped."""

from __future__ import annotations

import io
import json
import re
import shlex
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import fourfold as ff
from fourfold import answers, cli, writers
from fourfold.certainty import overview
from fourfold.groups import audit_tables

from ..conftest import ROOT

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

EXAMPLES = ROOT / "docs" / "examples"
NOW = datetime(2026, 3, 2, 14, 5, 33, tzinfo=UTC)
VOID = {"meta", "br", "hr", "img", "link", "input"}
HOSTILE = "</h2><script>alert(1)</script><img src=x onerror=\"alert('2')\"> &amp; \x00\x1b\ufffe https"


class Page(HTMLParser):
    """What a reader finds in a page: tags in their order, tables as rows of text, and texts by tag."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.tables: list[list[list[str]]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        assert len(dict(attrs)) == len(attrs), f"an attribute of {tag} is given twice"
        if tag in VOID:
            return
        self.open.append(tag)
        self.texts.setdefault(tag, []).append("")
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in set(self.open):
            self.texts[tag][-1] += data
        if {"td", "th"} & set(self.open):
            self.tables[-1][-1][-1] += data

    @property
    def pictures(self) -> int:
        """How many drawings there are beside the bars of tables."""
        return sum(tag == "svg" and attributes.get("role") == "img" for tag, attributes in self.tags)

    def table(self, *heads: str) -> list[dict[str, str]]:
        """Return the rows of all tables whose header begins so."""
        found = [table for table in self.tables if tuple(table[0][: len(heads)]) == heads]
        assert found, heads
        return [dict(zip(table[0], row, strict=True)) for table in found for row in table[1:]]


def recovered(**given: Any) -> ff.Recovery:
    return ff.recover(**given)


def audited() -> Any:
    return ff.audit(
        EXAMPLES / "clinics.csv", truth="truth", prediction="prediction", positive="sick", by=["site", "sex"]
    )


def compared(by: str | None = None) -> Any:
    names = ("animals_shy.csv", "animals_bold.csv")
    read = {"truth": "y", "probabilities": ["p_*"], "by": by}
    return overview({name: ff.decompose_data(EXAMPLES / name, **read) for name in names})


RESULTS = {
    "unique": lambda: recovered(accuracy="0.85", recall="80%", positives=40, negatives=60),
    "several": lambda: recovered(accuracy="0.85", positives=40, negatives=60),
    "impossible": lambda: recovered(
        accuracy="0.9567", sensitivity="0.87", specificity="0.9750", folds="none", positives=100, negatives=200
    ),
    "one score is impossible": lambda: recovered(accuracy="0.8555", positives=40, negatives=60),
    "undecided": lambda: recovered(accuracy="0.85", positives=40, negatives=60, budget=3),
    "no size": lambda: recovered(accuracy="0.91", max_total=60),
    "no plane": lambda: recovered(accuracy="0.8", positives=0, negatives=10),
    "audit": audited,
    "certainty": compared,
    "certainty of parts": lambda: compared("fold"),
}


@cache
def made(name: str) -> tuple[Any, str]:
    """Return a result and its page."""
    result = RESULTS[name]()
    return result, writers.html_file(result)


@pytest.fixture(params=RESULTS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def rounded(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"


def test_a_page_is_whole_and_alone(name: str) -> None:
    _, text = made(name)
    found = Page(text)
    names = [tag for tag, _ in found.tags]
    assert not re.search("https?:|//", text)
    assert not {"script", "link", "iframe", "object", "form", "base", "a", "img"} & set(names)
    assert not [name for _, attributes in found.tags for name in attributes if name.startswith("on")]
    policy = next(a for tag, a in found.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy["content"] == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def test_a_page_can_be_read_aloud(name: str) -> None:
    result, text = made(name)
    found = Page(text)
    assert dict(found.tags)["html"]["lang"] == "en"
    assert found.texts["h1"] == found.texts["title"] == [answers.document(result).title]
    assert all(attributes.get("scope") in ("row", "col") for tag, attributes in found.tags if tag == "th")
    drawings = [attributes for tag, attributes in found.tags if tag == "svg"]
    pictures = [attributes for attributes in drawings if attributes.get("aria-hidden") != "true"]
    assert all(attributes["role"] == "img" and attributes["aria-label"] for attributes in pictures)
    assert len(pictures) == sum(tag == "figcaption" for tag, _ in found.tags)
    ids = [attributes["id"] for _, attributes in found.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    used = {name for _, a in found.tags for value in a.values() for name in re.findall(r"url\(#([^)]*)\)", value or "")}
    used |= {a["aria-labelledby"] for _, a in found.tags if "aria-labelledby" in a}
    assert used <= set(ids)


def test_every_word_of_the_text_is_there(name: str) -> None:
    """All that the plain text says stands in the page too, but for bars of characters and columns without notes."""
    result, text = made(name)
    console = Console(width=10**4, record=True, file=io.StringIO())
    console.print(writers.terminal(result))
    words = set(re.sub("[·█░]", "", console.export_text()).split())
    shown = Page(text)
    there = set(" ".join([*shown.texts["main"], *shown.texts["h1"], *shown.texts["h2"]]).replace("·", " ").split())
    there |= {cell for table in shown.tables for row in table for cells in row for cell in cells.split()}
    low = {word.lower().strip(".:") for word in there}
    assert {word for word in words if word.lower().strip(".:") not in low} <= {"Note:", "note"}


def test_bounds_and_tables_are_those_of_the_json() -> None:
    found, text = made("several")
    told, shown = json.loads(writers.to_json(found)), Page(text)
    tables = [{name: int(n) for name, n in row.items()} for row in shown.table("tp", "fn", "fp", "tn")]
    assert tables == told["tables"][:10]
    assert "... and 6 more" in shown.texts["small"]
    rows = {row["metric"]: (row["at least"], row["at most"]) for row in shown.table("metric", "at least")}
    assert len(rows) == len(told["bounds"])
    for name, ends in told["bounds"].items():
        assert rows[ff.metric(name).label] == (rounded(ends["low"]), rounded(ends["high"]))


def test_a_contradiction_says_what_the_others_leave() -> None:
    shown = Page(made("impossible")[1])
    assert shown.texts["h1"] == [
        "Impossible: accuracy, sensitivity and specificity contradict each other; any two of them are possible"
    ]
    assert "given accuracy and sensitivity, specificity is 1.0000 (200 of 200), not 0.9750" in shown.texts["li"]
    assert [row["stands for"] for row in shown.table("reported as")] == [
        "0.95665 to 0.95675",
        "0.865 to 0.875",
        "0.97495 to 0.97505",
    ]


def test_what_is_claimed_is_shown_as_printed_and_as_read() -> None:
    given = {"acc": "85.0%", "mcc": "[0.1, 0.9)", "precision": "=0.5", "total": "100-110"}
    shown = Page(writers.html_file(ff.recover(**given)))
    assert shown.table("reported as") == [
        {"reported as": "acc", "metric": "Accuracy", "printed": "85.0%", "stands for": "0.8495 to 0.8505"},
        {
            "reported as": "mcc",
            "metric": "Matthews correlation coefficient",
            "printed": "[0.1, 0.9)",
            "stands for": "0.10000 to below 0.90000",
        },
        {"reported as": "precision", "metric": "Precision", "printed": "=0.5", "stands for": "0.50000"},
    ]
    assert "Sizes: total 100-110." in shown.texts["p"]
    unsized = Page(writers.html_file(ff.recover(accuracy="0.91", max_total=60)))
    assert "No size was given. Totals up to 60 were tried." in unsized.texts["p"]


def test_findings_are_those_of_the_json() -> None:
    found, text = made("audit")
    told, shown = json.loads(writers.to_json(found)), Page(text)
    rows = shown.table("group", "n")
    assert len(rows) == len(told["findings"]) == 4 * 14
    labels = {ff.metric(name).label: name for name in told["metrics"]}
    findings = {(each["metric"], each["group"]): each for each in told["findings"]}
    order = []
    for row in rows:
        [name] = [name for label, name in labels.items() if label in row]
        each = findings.pop((name, row["group"]))
        # A group and its rest have one p-value, but for rounding.
        order.append((told["metrics"].index(name), 2.0 if each["p_value"] is None else round(each["p_value"], 9)))
        assert row[ff.metric(each["metric"]).label] == rounded(each["score"])
        assert row["smoothed"] == rounded(each["smoothed"])
    # Each metric has its table, the surest difference first.
    assert order == sorted(order)
    assert not findings
    assert found.metrics == ("accuracy", "recall", "specificity", "precision")
    assert "Audit of 14 groups by site and sex" in shown.texts["header"]
    assert all(each["p_corrected"] > 0.05 for each in told["findings"] if each["p_corrected"] is not None)
    assert shown.texts["h1"] == ["No group is shown to differ from all other cases"]


@pytest.mark.parametrize("name", ["certainty", "certainty of parts"])
def test_ratios_are_those_of_the_json(name: str) -> None:
    found, text = made(name)
    told, shown = json.loads(writers.to_json(found)), Page(text)
    rows = [row for row in shown.table("metric") if row.get("part") != "mean"]
    assert len(rows) == len(told["ratios"])
    for row, each in zip(rows, told["ratios"], strict=True):
        assert row["metric"] == ff.metric(each["metric"]).label
        assert row["certainty ratio"] == rounded(each["value"])
        assert [row[name] for name in ("hard", "soft", "certain", "uncertain")] == [
            rounded(each[name]) for name in ("hard", "soft", "certain", "uncertain")
        ]
        assert name == "certainty" or each["part"] in (row["part"], None)


def hostile() -> Iterator[Any]:
    table = ff.Table(tp=8, fn=2, fp=3, tn=7)
    yield audit_tables({HOSTILE: table, "b": ff.Table(tp=30, fn=9, fp=12, tn=49)}, metrics=["recall"])
    labels = {"y": [1, 0, 1, 0], "yhat": [1, 1, 0, 0], HOSTILE: ["x", "x", HOSTILE, HOSTILE]}
    yield ff.audit(labels, truth="y", prediction="yhat", by=HOSTILE, metrics=["mcc"])
    model = ff.decompose([HOSTILE, "b"], {HOSTILE: [0.9, 0.4], "b": [0.1, 0.6]})
    yield overview({HOSTILE: model, "notes": model, "": model}, ["accuracy"])


@pytest.mark.parametrize("result", list(hostile()), ids=["group", "column", "model and class"])
def test_hostile_names_are_only_text(result: Any) -> None:
    text = writers.html_file(result, command=["fourfold", HOSTILE])
    found = Page(text)
    assert "<script" not in text
    assert "\x00" not in text
    assert not {"script", "img"} & {tag for tag, _ in found.tags}
    assert not [name for _, attributes in found.tags for name in attributes if name.startswith("on")]
    shown = re.sub("[\x00\x1b\ufffe]", "\ufffd", HOSTILE)
    there = [*found.texts["h2"], *(cell for table in found.tables for row in table for cell in row)]
    assert any(shown in words for words in there)


def test_a_model_may_be_called_like_a_section() -> None:
    found = overview({"notes": ff.decompose([0, 1], [[0.9, 0.1], [0.5, 0.5]])}, ["accuracy"])
    assert found.notes
    assert Page(writers.html_file(found)).pictures == 2


def test_the_foot_says_how_it_was_made() -> None:
    import scipy

    typed = ["fourfold", "recover", "accuracy=0.85", "--positives", "40", "a b'c"]
    found = Page(writers.html_file(made("unique")[0], command=typed, now=NOW))
    facts = dict(zip(found.texts["dt"], found.texts["dd"], strict=True))
    assert shlex.split(facts["Command"]) == typed
    assert facts["fourfold"] == ff.__version__
    assert facts["Python"] == ".".join(map(str, sys.version_info[:3]))
    assert (facts["NumPy"], facts["SciPy"]) == (np.__version__, scipy.__version__)
    assert facts["Written"] == "2 March 2026, 14:05:33 UTC"
    assert ("time", {"datetime": "2026-03-02T14:05:33+00:00"}) in found.tags
    assert "Command" not in Page(made("unique")[1]).texts["dt"]


@pytest.mark.parametrize("name", ["altair", "vl_convert"])
def test_without_the_extra_only_the_pictures_are_missing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    result, text = made("several")
    whole = Page(text)
    monkeypatch.setitem(sys.modules, name, None)
    found = Page(writers.html_file(result))
    assert (whole.pictures, found.pictures) == (2, 0)
    assert found.tables == whole.tables
    assert "pip install 'fourfold[plots]'" in found.texts["main"][0]


def test_too_many_classes_to_draw_are_said() -> None:
    labels = list(range(101))
    model = ff.decompose(labels, np.eye(101))
    found = Page(writers.html_file(overview({"large": model}, ["accuracy"])))
    assert found.pictures == 1
    assert any("more than 100 classes" in words for words in found.texts["p"])


OTHERS = {
    "holes": lambda: ff.holes("mcc", 3),
    "match": lambda: ff.match(ff.Table(tp=1, fn=4, fp=2, tn=13), ff.Table(tp=6, fn=4, fp=8, tn=32), "recall"),
    "scores": lambda: ff.scores(ff.Table(tp=1, fn=4, fp=2, tn=13)),
    "smoothed": lambda: ff.smooth(ff.Table(tp=1, fn=4, fp=2, tn=13), ff.Table(tp=6, fn=4, fp=8, tn=32)),
    "plan": lambda: ff.plan("recall", group=0.6, reference=0.8, reference_known=True),
    "estimate": lambda: ff.claims.estimate(
        ff.claims.Claim.from_mapping({"accuracy": "0.85", "recall": "80%", "positives": 40, "negatives": 60})
    ),
    "distribution": lambda: RESULTS["several"]().distribution("mcc"),
    "decomposition": lambda: ff.decompose([0, 1], [[0.9, 0.1], [0.4, 0.6]]),
    "ratio": lambda: ff.decompose([0, 1], [[0.9, 0.1], [0.4, 0.6]]).ratio("accuracy"),
}


@pytest.mark.parametrize("name", [*OTHERS, *RESULTS])
def test_every_result_has_every_form(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Pictures have tests of their own.
    monkeypatch.setattr(writers.html._InNotebook, "figure", lambda self, chart: "")
    result = (OTHERS.get(name) or RESULTS[name])()
    title = answers.document(result).title
    for text in (writers.notebook_html(result), writers.fragment(result).html):
        assert escape(title) in text
        Page(text)
    assert re.sub(r"[\\*]", "", writers.markdown(result)).startswith(title)
    assert writers.latex(result).startswith("% ")
    assert writers.terminal_text(result)


def test_a_fragment_has_a_place_for_each_chart_and_no_style() -> None:
    made = writers.fragment(audited())
    found = Page(made.html)
    places = [attributes["data-chart"] for tag, attributes in found.tags if "data-chart" in attributes]
    assert places == [str(i) for i in range(len(made.charts))]
    assert not [tag for tag, attributes in found.tags if "style" in attributes or tag == "style"]
    asked = [json.loads(a["data-given"] or "") for tag, a in found.tags if a.get("data-question") == "match"]
    assert asked[0]["metric"] == "accuracy"
    assert set(asked[0]["group"]) == set(asked[0]["reference"]) == {"tp", "fn", "fp", "tn"}


def test_markdown_and_latex_hold_the_numbers_of_the_table() -> None:
    found = RESULTS["several"]()
    lines = writers.markdown(found).splitlines()
    assert "| tp | fn | fp | tn |" in lines
    first = next(iter(found.tables())).cells().values()
    assert f"| {' | '.join(map(str, first))} |" in lines
    assert f"{' & '.join(map(str, first))} \\\\" in writers.latex(found).splitlines()


def test_characters_that_mean_something_to_a_form_are_only_text() -> None:
    found = audit_tables({"a_b|c*&%{}$#": ff.Table(tp=8, fn=2, fp=3, tn=7)}, metrics=["recall"])
    assert r"a\_b\|c\*&%{}$\#" in writers.markdown(found)
    assert r"a\_b\textbar{}c*\&\%\{\}\$\#" in writers.latex(found)


@pytest.mark.parametrize("write", [writers.terminal_text, writers.markdown, writers.latex, writers.notebook_html])
def test_a_name_cannot_steer_what_shows_it(write: Any) -> None:
    # An escape sequence, a mark that turns the direction of reading, and two kinds of line ends.
    table = ff.Table(tp=8, fn=2, fp=3, tn=7)
    text = write(audit_tables({"a\x1b[31m\u202eb\r\u2028c": table, "d": table}, metrics=["recall"]))
    assert "\x1b" not in text
    assert "\u202e" not in text
    if write in (writers.markdown, writers.latex):
        lines = [line for line in text.splitlines() if "31m" in line]
        assert lines
        assert all("c" in line.split("31m")[1][:6] for line in lines)


@pytest.mark.parametrize("name", ["[18, 30)", "*"])
def test_no_row_of_latex_starts_like_an_option(name: str) -> None:
    text = writers.latex(audit_tables({name: ff.Table(tp=8, fn=2, fp=3, tn=7)}, metrics=["recall"]))
    assert f"\n{{}}{name} & 20" in text


def test_latex_holds_facts_and_says_what_it_leaves_out() -> None:
    assert "\npercentile (at most as high) & " in writers.latex(OTHERS["match"]())
    found = RESULTS["several"]()
    assert f"... and {found.count - 10} more" in writers.latex(found)


TABLES = ff.Table(tp=1, fn=4, fp=2, tn=13), ff.Table(tp=60, fn=40, fp=80, tn=320)
ROWS = ["a", "b"], [[0.9, 0.1], [0.4, 0.6]]
TITLES = {
    "Recall 0.2000": lambda: ff.interval(TABLES[0], "recall"),
    "The group's table with 1 case of the reference added": lambda: ff.smooth(*TABLES, strength=1),
    # Both rows are right: 0.9 / 2 and 0.6 / 2 lie on what is predicted, and nothing else is right.
    "75.0 % of the probability lies on predicted classes": lambda: ff.decompose(*ROWS),
    "The certainty ratio of Accuracy is 1.0000": lambda: ff.decompose(*ROWS).ratio("accuracy"),
    "The estimate is tp 32, fn 8, fp 7 and tn 53": lambda: OTHERS["estimate"](),
}


@pytest.mark.parametrize("title", TITLES)
def test_a_title_is_the_answer(title: str) -> None:
    result = TITLES[title]()
    assert answers.document(result).title == title
    assert title in str(result) or isinstance(result, ff.groups.Smoothed)


@pytest.mark.parametrize("name", [*RESULTS])
def test_no_part_is_empty_where_nothing_is_drawn(name: str) -> None:
    lines = [line for line in writers.markdown(RESULTS[name]()).splitlines() if line]
    heads = [line.startswith("#") for line in lines]
    assert not any(one and other for one, other in zip(heads, [*heads[1:], True], strict=True))


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as caught:
        cli.main([str(argument) for argument in arguments])
    return int(caught.value.code or 0)


COMMANDS = {
    "recover": ["--positives", 40, "--negatives", 60, "accuracy=0.85", "recall=80%"],
    "audit": [
        EXAMPLES / "clinics.csv",
        "--truth",
        "truth",
        "--prediction",
        "prediction",
        "--positive",
        "sick",
        "--by",
        "site",
    ],
    "certainty": [EXAMPLES / "animals_shy.csv", "--truth", "y", "--probabilities", "p_*"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_on_the_command_line(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a report.html"
    arguments = [command, *COMMANDS[command], "--html", path]
    assert run(*arguments) == 0
    plain = capsys.readouterr().out
    assert run(*arguments[:-2]) == 0
    assert capsys.readouterr().out == plain
    found = Page(path.read_text(encoding="utf-8"))
    assert shlex.split(found.texts["code"][0]) == ["fourfold", *map(str, arguments)]


def test_an_impossible_report_is_written_and_keeps_its_exit_code(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    assert (
        run("recover", "--folds", "none", "--positives", 40, "--negatives", 60, "accuracy=0.8555", "--html", path) == 1
    )
    assert "Impossible: no table has this accuracy" in path.read_text(encoding="utf-8")


def test_data_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, example in (("audit", "clinics.csv"), ("certainty", "animals_shy.csv")):
        data = tmp_path / "data.html"
        data.write_bytes((EXAMPLES / example).read_bytes())
        assert run(name, data, *COMMANDS[name][1:], "--html", data) == 2
        assert "would overwrite the data" in capsys.readouterr().err
        assert data.read_bytes() == (EXAMPLES / example).read_bytes()


def test_other_endings_and_reviews_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("recover", *COMMANDS["recover"], "--html", tmp_path / "report.csv") == 2
    assert "html: has no known ending" in capsys.readouterr().err
    assert run("recover", "--table", EXAMPLES / "review.csv", "-o", tmp_path / "out.csv", "--html", "x.html") == 2
    assert "--html: cannot be used with --table" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_is_no_text_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    writers.write_html(made("unique")[0], path, command=["fourfold", "bad\udcff.csv"], now=NOW)
    assert "bad\ufffd.csv" in path.read_text(encoding="utf-8")


def test_a_table_that_wraps_is_never_cut() -> None:
    """At any width the words of all verdicts are there: `audit | cat`, which is 120 wide, showed "too few t"."""
    options = {"truth": "truth", "prediction": "prediction", "positive": "sick", "by": ["site", "sex"]}
    audit = ff.audit(ROOT / "docs" / "examples" / "clinics.csv", metrics=["specificity"], **options)
    wide = writers.terminal_text(audit, 400).split()
    for width in range(70, 180):
        shown = writers.terminal_text(audit, width).split()
        assert all(shown.count(word) >= wide.count(word) for word in ("tell:", "needed,", "shown", "tell")), width
