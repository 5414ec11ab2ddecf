"""The JSON API: the same answers and errors as the command line, described truthfully."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import fourfold as ff
from fourfold import cli, errors

from ..conftest import ROOT

for name in ("starlette", "uvicorn", "python_multipart", "httpx"):
    pytest.importorskip(name, reason="needs fourfold[web] and httpx")

EXAMPLES = ROOT / "docs" / "examples"
GROUP = {"tp": 13, "fn": 26, "fp": 31, "tn": 275}
REFERENCE = {"tp": 263, "fn": 161, "fp": 200, "tn": 935}


def cells(table: dict[str, int]) -> str:
    return ",".join(f"{name}={count}" for name, count in table.items())


def upload(*names: str) -> list[tuple[str, tuple[str, bytes]]]:
    return [("file", (name, (EXAMPLES / name).read_bytes())) for name in names]


def rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((EXAMPLES / name).read_text())))


def ok(response: Any) -> Any:
    assert response.status_code == 200, response.text
    return response.json()


SAME = {
    "recover": (
        ["recover", "--positives", "40", "--negatives", "60", "accuracy=0.85", "recall=80%"],
        "/api/recover",
        {"accuracy": "0.85", "recall": "80%", "positives": "40", "negatives": 60},
    ),
    "recover nothing": (
        ["recover", "--positives", "40", "--negatives", "60", "accuracy=0.85", "recall=0.999"],
        "/api/recover",
        {"accuracy": "0.85", "recall": "0.999", "positives": 40, "negatives": 60},
    ),
    "recover with options": (
        ["recover", "--max-total", "60", "--rounding", "half_up", "sens=51.28%", "ppv=80.00%"],
        "/api/recover",
        {"sens": "51.28%", "ppv": "80.00%", "max_total": 60, "rounding": "half_up"},
    ),
    "match": (
        ["match", "--group", cells(GROUP), "--reference", cells(REFERENCE), "recall"],
        "/api/match",
        {"group": GROUP, "reference": REFERENCE, "metric": "recall"},
    ),
    "match by draws": (
        [
            "match",
            "--group",
            cells(GROUP),
            "--reference",
            cells(REFERENCE),
            "f1",
            "--method",
            "monte carlo",
            "--seed",
            "7",
        ],
        "/api/match",
        {"group": GROUP, "reference": REFERENCE, "metric": "f1", "method": "monte carlo", "seed": 7},
    ),
    "compare a contrast": (
        [
            "compare-groups",
            "--group",
            cells(GROUP),
            "--reference",
            cells(REFERENCE),
            "recall_difference",
            "--level",
            "0.9",
        ],
        "/api/compare-groups",
        {"group": GROUP, "reference": REFERENCE, "metric": "recall_difference", "level": 0.9},
    ),
    "smooth": (
        ["smooth", "--group", cells(GROUP), "--reference", cells(REFERENCE), "--strength", "auto"],
        "/api/smooth",
        {"group": GROUP, "reference": REFERENCE, "strength": "auto"},
    ),
    "smooth by epsilon": (
        ["smooth", "--group", cells(GROUP), "--epsilon", "1"],
        "/api/smooth",
        {"group": GROUP, "epsilon": 1},
    ),
    "plan": (
        ["plan", "recall", "--group", "0.6", "--reference", "0.8", "--prevalence", "0.5", "--reference-known"],
        "/api/plan",
        {"metric": "recall", "group": 0.6, "reference": "0.8", "prevalence": 0.5, "reference_known": True},
    ),
    "score": (["score", cells(GROUP)], "/api/score", GROUP),
    "score by some": (
        ["score", cells(GROUP), "--metric", "mcc", "--metric", "f0.5"],
        "/api/score",
        GROUP | {"metrics": ["mcc", "f0.5"]},
    ),
    "holes": (["holes", "mcc", "30"], "/api/holes", {"metric": "mcc", "sizes": 30}),
    "holes of two": (
        ["holes", "treatment_equality", "30", "50"],
        "/api/holes",
        {"metric": "treatment_equality", "sizes": [30, "50"]},
    ),
    "wrong metric": (["holes", "precison", "30"], "/api/holes", {"metric": "precison", "sizes": [30]}),
    "wrong score": (
        ["recover", "--total", "10", "accuracy=85"],
        "/api/recover",
        {"accuracy": "85", "total": "10"},
    ),
    "too much": (["holes", "ofi", "100000000"], "/api/holes", {"metric": "ofi", "sizes": [100_000_000]}),
}


@pytest.mark.parametrize("question", SAME)
def test_the_web_answers_as_the_command_line_does(question: str, client: Any, command: Any) -> None:
    arguments, path, body = SAME[question]
    response = client.post(path, json=body)
    found = response.json()
    assert found == command(*arguments)
    status = {"fourfold/error": 422 if found.get("code") == "too_large" else 400}.get(found["schema"], 200)
    assert response.status_code == status


def test_metrics(client: Any, command: Any) -> None:
    assert ok(client.get("/api/metrics")) == command("metrics")
    assert ok(client.get("/api/metrics/sensitivity")) == command("metrics", "sensitivity")
    assert client.get("/api/metrics/precison").status_code == 400


def test_audit_of_a_file(client: Any, command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)
    fields = {"truth": "truth", "prediction": "prediction", "by": ["site", "sex"], "metric": ["recall", "tnr"]}
    fields |= {"level": "0.9", "strength": "auto", "step_down": "true", "correction": "fdr"}
    options = ["--by", "site", "--by", "sex", "--metric", "recall", "--metric", "tnr", "--level", "0.9"]
    options += ["--strength", "auto", "--step-down", "--correction", "fdr"]
    positive = fields["positive"] = sorted({row["truth"] for row in rows("clinics.csv")})[-1]
    wanted = command(
        "audit", "clinics.csv", "--truth", "truth", "--prediction", "prediction", "--positive", positive, *options
    )
    assert wanted["schema"] == "fourfold/audit"
    assert ok(client.post("/api/audit", files=upload("clinics.csv"), data=fields)) == wanted


def test_audit_of_tables(client: Any) -> None:
    groups = {"a": GROUP, "b": REFERENCE, "<script>alert(1)</script>": {"tp": 1, "fn": 2, "fp": 3, "tn": 4}}
    found = ok(client.post("/api/audit-tables", json={"groups": groups, "metrics": ["recall"], "strength": 5}))
    assert found == json.loads(json.dumps(ff.audit_tables(groups, metrics=["recall"], strength=5).to_dict()))
    one = ok(client.post("/api/audit-tables", json={"groups": groups, "metrics": "recall", "reference": REFERENCE}))
    assert one["metrics"] == ["recall"]


def test_certainty_of_two_files(client: Any, command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)
    names = ("animals_shy.csv", "animals_bold.csv")
    wanted = command("certainty", *names, "--truth", "y", "--probabilities", "p_*", "--by", "fold")
    fields = {"truth": "y", "probabilities": "p_*", "by": "fold"}
    found = ok(client.post("/api/certainty", files=upload(*names), data=fields))
    assert list(found["models"]) == list(names)
    assert found == wanted


def test_files_of_one_name_are_told_apart(client: Any) -> None:
    files = [("file", ("a.csv", (EXAMPLES / name).read_bytes())) for name in ("animals_shy.csv", "animals_bold.csv")]
    found = ok(client.post("/api/certainty", files=files, data={"truth": "y", "probabilities": "p_cat,p_dog,p_bird"}))
    assert list(found["models"]) == ["a.csv", "a.csv (2)"]


def test_errors_name_the_file_as_the_client_does(client: Any, command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)
    wanted = command("audit", "clinics.csv", "--truth", "truth", "--prediction", "prediction", "--by", "cite")
    fields = {"truth": "truth", "prediction": "prediction", "by": "cite"}
    response = client.post("/api/audit", files=upload("clinics.csv"), data=fields)
    assert response.status_code == 400
    assert response.json() == wanted
    assert "clinics.csv" in wanted["problem"]


def test_review_as_csv_is_what_the_command_line_writes(client: Any, tmp_path: Path) -> None:
    output = tmp_path / "verdicts.csv"
    with pytest.raises(SystemExit):
        cli.main(["recover", "--table", str(EXAMPLES / "review.csv"), "-o", str(output)])
    response = client.post("/api/review", files=upload("review.csv"))
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/csv; charset=utf-8"
    assert response.headers["content-disposition"] == 'attachment; filename="verdicts.csv"'
    assert response.content == output.read_bytes()


def test_review_as_lines(client: Any) -> None:
    response = client.post("/api/review", files=upload("review.csv"), headers={"Accept": "application/x-ndjson"})
    records = [json.loads(line) for line in response.text.splitlines()]
    found = [record["row"] for record in records if "row" in record]
    text = client.post("/api/review", files=upload("review.csv")).text
    table = list(csv.DictReader(io.StringIO(text)))
    assert [row["verdict"] for row in found] == [row["verdict"] for row in table]
    assert records[-1]["done"]["rows"] == len(found) == len(table)
    assert records[-2] == {"progress": 1.0}
    own = list(rows("review.csv")[0])
    assert records[0] == {"head": ["verdict", "tables", "why", *own]}
    shown = [record["shown"] for record in records if "shown" in record]
    assert [cells[0] for cells in shown] == [row["verdict"] for row in found]
    assert [cells[3:] for cells in shown] == [[row[name] for name in own] for row in rows("review.csv")]
    tones = {record["row"]["verdict"]: record["tone"] for record in records if "row" in record}
    assert tones == {"unexplained": "open", "conditional": "open", "possible": "good", "error": "plain"}
    assert records[-1]["words"].startswith(f"{len(table)} reports: ")


def test_a_row_of_a_review_is_red_where_it_is_impossible(client: Any) -> None:
    """Of 100 cases no share is 0.8555; means over folds can be."""
    text = "positives,negatives,folds,accuracy\n40,60,none,0.8555\n40,60,,0.8555\n40,60,none,0.8500\n"
    response = client.post(
        "/api/review", files=[("file", ("t.csv", text.encode()))], headers={"Accept": "application/x-ndjson"}
    )
    records = [json.loads(line) for line in response.text.splitlines()]
    told = [(record["row"]["verdict"], record["tone"]) for record in records if "row" in record]
    assert told == [("impossible", "bad"), ("conditional", "open"), ("possible", "good")]


def test_review_says_what_is_wrong_before_it_begins(client: Any) -> None:
    response = client.post("/api/review", files=[("file", ("t.csv", b"a,b\n1,2\n"))])
    assert response.status_code == 400
    assert response.json()["code"] == "unknown_column"
    response = client.post("/api/review", files=[("file", ("t.csv", b"recall,total\n"))])
    assert (response.status_code, response.json()["code"]) == (400, "empty")
    mapped = client.post(
        "/api/review", files=[("file", ("t.csv", b"a,b\n0.5,9\n"))], data={"map": ["a=recall", "b=total"]}
    )
    assert mapped.status_code == 200
    assert "possible" in mapped.text
    assert "impossible" not in mapped.text


def test_review_with_progress_is_streamed(client: Any) -> None:
    lines = "positives,negatives,accuracy,recall\n" + "40,60,0.85,0.8\n" * 400
    records = []
    with client.stream(
        "POST", "/api/review", files=[("file", ("t.csv", lines.encode()))], headers={"Accept": "application/x-ndjson"}
    ) as response:
        records = [json.loads(line) for line in response.iter_lines()]
    shares = [record["progress"] for record in records if "progress" in record]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert records[-1]["done"] == {"rows": 400, "verdicts": {"possible": 400}}


THEMES = {"light", "dark", "narrow", "narrow_dark"}


def page(client: Any, question: str, **request: Any) -> Any:
    """Ask for a piece of the page, which holds the JSON of the answer too."""
    shown = ok(client.post(f"/page/{question}", **request))
    assert shown["answer"] == ok(client.post(f"/api/{question}", **request))
    assert shown["saves_as"] == shown["answer"]["schema"].removeprefix("fourfold/") + ".json"
    assert all(f'data-chart="{index}"' in shown["html"] for index in range(len(shown["charts"])))
    for chart in shown["charts"]:
        assert set(chart) >= THEMES
        assert chart["light"]["$schema"].startswith("https://vega.github.io/schema/vega-lite/")
    return shown


def test_one_request_answers_and_draws(client: Any) -> None:
    pytest.importorskip("altair", reason="needs fourfold[plots]")
    body = {"accuracy": "0.85", "positives": 40, "negatives": 60}
    shown = page(client, "recover", json=body)
    assert (shown["title"], shown["tone"], len(shown["charts"])) == ("16 tables fit", "good", 2)
    body = {"group": GROUP, "reference": REFERENCE, "metric": "recall"}
    assert len(page(client, "match", json=body)["charts"]) == 1
    assert page(client, "compare-groups", json=body | {"metric": "recall_ratio"})["charts"] == []
    groups = {"groups": {"a": GROUP, "b": REFERENCE}, "metrics": ["recall"]}
    assert len(page(client, "audit-tables", json=groups)["charts"]) == 1
    positive = sorted({row["truth"] for row in rows("clinics.csv")})[-1]
    fields = {"truth": "truth", "prediction": "prediction", "by": "site", "positive": positive, "metric": "recall"}
    assert len(page(client, "audit", files=upload("clinics.csv"), data=fields)["charts"]) == 1


def test_the_page_says_what_is_wrong_as_the_api_does(client: Any) -> None:
    for question, body in (("recover", {"accuracy": "85", "total": 10}), ("holes", {"metric": "precison", "sizes": 3})):
        response = client.post(f"/page/{question}", json=body)
        assert response.status_code == 400
        assert response.json() == client.post(f"/api/{question}", json=body).json()


def test_certainty_is_drawn_with_its_curves(client: Any) -> None:
    pytest.importorskip("altair", reason="needs fourfold[plots]")
    names = ("animals_shy.csv", "animals_bold.csv")
    shown = page(client, "certainty", files=upload(*names), data={"truth": "y", "probabilities": "p_*"})
    # Bars, the matrices of each model, what is kept, what is said, and two curves.
    assert len(shown["charts"]) == 1 + len(names) + 2 + 2
    from fourfold.certainty import mcp

    given = rows(names[0])
    columns = {f"p_{name}": [float(row[f"p_{name}"]) for row in given] for name in ("cat", "dog", "bird")}
    area = mcp([row["y"] for row in given], columns).area
    assert f"area {area:.4f}" in json.dumps(shown["charts"][-2])


def test_questions_are_listed_with_their_parameters(client: Any) -> None:
    listed = {question["name"]: question for question in ok(client.get("/api/questions"))["questions"]}
    assert {"recover", "review", "match", "smooth", "audit", "audit-tables", "certainty", "score", "holes"} < set(
        listed
    )
    assert "reproduce" not in listed
    parameters = {parameter["name"]: parameter for parameter in listed["recover"]["parameters"]}
    members = {"name", "label", "kind", "help", "default", "choices", "many", "required"}
    assert all(set(parameter) == members for parameter in parameters.values())
    values = [choice["value"] for choice in parameters["rounding"]["choices"]]
    assert values == ["any", "half_up", "half_even", "truncate", "ceiling"]
    assert "query" not in {parameter["name"] for parameter in listed["audit"]["parameters"]}


def test_vega_comes_from_the_installed_package(client: Any) -> None:
    pytest.importorskip("vl_convert", reason="needs fourfold[plots]")
    response = client.get("/vega.js")
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/javascript; charset=utf-8"
    assert response.headers["content-encoding"] == "gzip"
    assert client.get("/vega.js", headers={"If-None-Match": response.headers["etag"]}).status_code == 304
    assert len(response.text) > 500_000
    assert "window.vegaEmbed" in response.text
    # What lets the page draw without 'unsafe-eval'.
    assert "expressionInterpreter" in response.text


def test_page(client: Any) -> None:
    page = ROOT / "src" / "fourfold" / "web" / "page"
    kinds = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}
    for file in page.iterdir():
        response = client.get("/" if file.name == "index.html" else f"/{file.name}")
        assert response.status_code == 200
        assert response.content == file.read_bytes()
        assert response.headers["content-type"] == f"{kinds[file.suffix]}; charset=utf-8"
        assert response.headers["content-encoding"] == "gzip"
        plain = client.get(
            "/" if file.name == "index.html" else f"/{file.name}", headers={"Accept-Encoding": "gzip;q=0"}
        )
        assert "content-encoding" not in plain.headers
        assert plain.content == file.read_bytes()
    assert client.get("/index.html").status_code == 404
    assert client.get("/page/").status_code == 404


def test_files_are_sent_again_only_when_they_change(client: Any) -> None:
    """A browser asks each time; what it has is kept as long as it holds, so an upgrade shows at once."""
    from fourfold.web.static import StaticFile

    first = client.get("/main.js")
    assert (first.headers["cache-control"], first.headers["vary"]) == ("no-cache", "Accept-Encoding")
    for known in (first.headers["etag"], f'"other", {first.headers["etag"]}', first.headers["etag"].removeprefix("W/")):
        again = client.get("/main.js", headers={"If-None-Match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
        assert again.headers["x-content-type-options"] == "nosniff"
    for other in ('W/"other"', "", client.get("/dom.js").headers["etag"], first.headers["etag"][3:-1]):
        assert client.get("/main.js", headers={"If-None-Match": other}).content == first.content
    old, new = (StaticFile(text, "text/javascript")._tag for text in (b"let a = 1;", b"let a = 2;"))
    assert old != new


def test_openapi_describes_every_route(client: Any) -> None:
    from fourfold.web import create_app

    document = ok(client.get("/openapi.json"))
    paths = document["paths"]
    assert document["openapi"].startswith("3.1")
    served = {route.path for route in create_app().routes if route.path.startswith(("/api/", "/page/"))}
    assert set(paths) == served
    assert client.get("/docs").status_code == client.get("/redoc").status_code == 404


def test_a_bare_install_says_what_brings_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from fourfold import web

    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(ff.MissingExtra, match=r'pip install "fourfold\[web\]"'):
        web.serve()


def test_without_plots_the_page_says_what_brings_pictures() -> None:
    from fourfold.workers.work import WorkItem, answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(__import__("sys").modules, "altair", None)
        [message] = answer(WorkItem("recover", {"accuracy": "0.85", "total": 20}, output="page"))
    shown = json.loads(message.body)
    assert message.status == 200
    assert shown["charts"] == [None] * len(shown["charts"]) != []
    assert "pip install" in shown["html"]


def test_every_code_of_the_web_is_declared(client: Any) -> None:
    for response in (client.get("/nowhere"), client.put("/api/recover"), client.post("/api/recover", content=b"{")):
        assert response.json()["code"] in errors.ERROR_CODES


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_settings_know_their_names(host: str) -> None:
    from fourfold.web import Settings

    known = Settings(host=host, names=("Audits.example.org",))
    for name in ("127.0.0.1:80", "localhost", "[::1]:8000", "audits.example.org:1"):
        assert known.knows(name)
    for name in ("example.org", "10.0.0.1", "", "localhost.example.org", "127.0.0.1.nip.io"):
        assert not known.knows(name)
    everywhere = Settings(host="0.0.0.0")
    assert everywhere.knows("10.0.0.1:8000")
    assert everywhere.knows("[fe80::1]:8000")
    assert not everywhere.knows("example.org")
    with pytest.raises(ff.InputError):
        Settings(workers=0)
    with pytest.raises(ff.InputError):
        Settings(port=70_000)


def test_a_port_that_is_taken_is_an_error_in_the_one_grammar(server: str) -> None:
    from fourfold.web import Settings, serve

    with pytest.raises(ff.InputError, match="choose another port"):
        serve(Settings(port=int(server.rstrip("/").rpartition(":")[2])))


def test_questions_that_would_hold_up_the_rest_are_refused(client: Any) -> None:
    """A budget beyond the usual, sizes beyond all counting, and nesting without end are errors of the client."""
    nested: object = "0.5"
    for _ in range(500):
        nested = [nested]
    for body in (
        {"accuracy": "0.5", "budget": "1000000000000"},
        {"accuracy": "0.5", "total": "10000000000000000000"},
        {"accuracy": nested},
    ):
        answer = client.post("/api/recover", json=body)
        assert answer.status_code == 400
        assert answer.json()["schema"] == "fourfold/error"
