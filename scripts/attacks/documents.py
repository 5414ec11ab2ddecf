"""Documents with known truth, in the layouts that papers and tools have, and whether `check` judges them rightly."""

from __future__ import annotations

import csv
import html
import io
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any, Final

import fourfold as ff

from .claimed import claimed, fitting, small_world
from .class_reports import class_claims
from .class_tables import class_world, fitting_classes, value_of_matrix
from .class_tables import meant_of as class_meant
from .make_reports import value_at
from .printed import in_units, show
from .running import Attack, Case, expect
from .scores import Cells

#: How papers head columns, and the scores they mean.
_HEADS: Final[Mapping[str, str]] = {
    "Accuracy": "accuracy",
    "Sensitivity": "recall",
    "Recall": "recall",
    "Specificity": "specificity",
    "Precision": "precision",
    "PPV": "precision",
    "NPV": "negative_predictive_value",
    "F1": "f1",
    "F1-score": "f1",
    "MCC": "mcc",
    "Kappa": "kappa",
    "Balanced accuracy": "balanced_accuracy",
}
_SUFFIXES: Final[Mapping[str, str]] = {
    "text": ".txt", "markdown": ".md", "latex": ".tex", "html": ".html", "csv": ".csv",
    "report": ".txt", "report in html": ".html", "matrix": ".md",
    "scikit-learn": ".txt", "scikit-learn in JSON": ".json", "pycm": ".txt",
}  # fmt: skip
#: Layouts that a tool prints, and the package that it is.
_OF_TOOLS: Final[Mapping[str, str]] = {"scikit-learn": "sklearn", "scikit-learn in JSON": "sklearn", "pycm": "pycm"}
_CLASSES: Final = ("cat", "dog", "cow", "hen")

Row = dict[str, Any]


class CheckAttack(Attack):
    """Documents: what is true must not be called impossible, and what no table fits not possible."""

    what = "documents"

    def make(self, random: Random) -> Case:
        """Make a document."""
        layout = random.choice(list(_LAYOUTS))
        if layout in _OF_TOOLS:
            return {**_class_report(random, layout), "changed": False}
        return _class_report(random, layout) if layout.startswith("report") else _score_table(random, layout)

    def judge(self, case: Case) -> str:
        """Check the document, and compare the verdict of each report with the truth."""
        if case["layout"] in _OF_TOOLS and not find_spec(_OF_TOOLS[case["layout"]]):
            return f"{case['layout']}, not installed"
        text = _LAYOUTS[case["layout"]](case)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"document{_SUFFIXES[case['layout']]}"
            path.write_text(text, encoding="utf-8")
            found: Any = ff.check(path)
        rows = case.get("rows") or [case]
        expect(all(document.error is None for document in found.documents), "a document that is not read", text)
        if len(found.findings) != len(rows):
            # What was not recognised was not judged; nothing may be called impossible all the same, if all is true.
            true = not any(row["changed"] for row in rows)
            expect(
                not true or "impossible" not in found.counts, "a true document", [f.words for f in found.findings], text
            )
            return f"{case['layout']}, {'nothing' if not found.findings else 'other'} found"
        for finding, row in zip(found.findings, rows, strict=True):
            if not row["changed"]:
                expect(finding.verdict != "impossible", "a true report", finding.words, text)
            elif finding.verdict == "possible":
                expect(_possible(row, case), "a report that no table fits", finding.words, text)
        return f"{case['layout']}, {found.verdict}"

    def smaller(self, case: Case) -> Iterator[Case]:
        """Leave out rows and scores."""
        rows = case.get("rows", [])
        for place in range(len(rows)):
            if len(rows) > 1:
                yield {**case, "rows": rows[:place] + rows[place + 1 :]}
        for head in case.get("heads", ()):
            if len(case["heads"]) > 1:
                heads = [other for other in case["heads"] if other != head]
                yield {**case, "heads": heads, "rows": [{k: v for k, v in row.items() if k != head} for row in rows]}


def _possible(row: Row, case: Case) -> bool:
    """Tell by brute force whether any table fits a row as it stands."""
    if "report" in row:
        report = {name: text for name, text in row["report"].items() if name != "classes"}
        classes = row["report"]["classes"]
        where = class_world((tuple(classes.values()),))
        return bool(fitting_classes(where, class_claims({**report, "classes": classes}, list(classes)), "none").any())
    tp, fn, fp, tn = row["table"]
    tables = small_world({"positives": tp + fn, "negatives": fp + tn})
    claims = [claimed(_HEADS[head], row[head], "any") for head in case["heads"]]
    fits = fitting(tables, claims, "none")
    if case["layout"] == "matrix":
        return bool(fits[tables.place[tp, fn, fp, tn]])
    return bool(fits.any())


def _off(text: str, random: Random) -> str:
    """Return a printed number with its last digit changed by a few."""
    bare, percent = text.rstrip("%"), "%" if text.endswith("%") else ""
    digits = len(bare.partition(".")[2])
    units = int(Fraction(bare) * 10**digits)
    step = random.choice([1, 2, 3, 7])
    return in_units(units - step if units >= step else units + step, digits) + percent


def _random_cells(random: Random) -> Cells:
    p, n = random.randint(5, 60), random.randint(5, 60)
    hit, clear = random.uniform(0.3, 1), random.uniform(0.3, 1)
    tp, tn = round(p * hit), round(n * clear)
    return tp, p - tp, n - tn, tn


def _score_table(random: Random, layout: str) -> Case:
    """Return a table of models, one a row, with the sizes of the test set; or a sentence or a matrix about one."""
    heads: list[str] = []
    for head in random.sample(list(_HEADS), random.randint(2, 5)):
        if _HEADS[head] not in {_HEADS[other] for other in heads}:
            heads.append(head)
    percent, digits = random.random() < 0.4, random.choice([2, 3, 4])
    rows: list[Row] = []
    for place in range(1 if layout in ("text", "matrix") else random.randint(1, 4)):
        cells = _random_cells(random)
        row: Row = {"name": f"Model {'ABCDE'[place]}", "table": list(cells), "changed": False}
        for head in heads:
            value = value_at(_HEADS[head], cells, "zero") or Fraction(0)
            row[head] = show(value, max(digits - 2, 1) if percent else digits, "half_even", percent=percent)
        if random.random() < 0.4:
            head = random.choice(heads)
            row[head], row["changed"] = _off(row[head].removeprefix("-"), random), True
        rows.append(row)
    return {"layout": layout, "heads": heads, "rows": rows}


def _grid(case: Case) -> list[list[str]]:
    head = ["Model", "Positives", "Negatives", *case["heads"]]
    body = []
    for row in case["rows"]:
        tp, fn, fp, tn = row["table"]
        body.append([row["name"], str(tp + fn), str(fp + tn), *(row[name] for name in case["heads"])])
    return [head, *body]


def _as_text(case: Case) -> str:
    [row] = case["rows"]
    tp, fn, fp, tn = row["table"]
    scores = [f"{head.lower() if head.istitle() else head} of {row[head]}" for head in case["heads"]]
    joined = f"{', '.join(scores[:-1])} and {scores[-1]}" if len(scores) > 1 else scores[0]
    sizes = f"The test set had {tp + fn} positive and {fp + tn} negative cases."
    return f"{sizes} {row['name']} reached an {joined}.\n"


def _as_markdown(case: Case) -> str:
    head, *body = _grid(case)
    lines = [head, ["---"] * len(head), *body]
    return "# Results\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _as_latex(case: Case) -> str:
    head, *body = _grid(case)
    escaped = [[cell.replace("%", r"\%") for cell in line] for line in (head, *body)]
    lines = [" & ".join(line) + r" \\" for line in escaped]
    table = "\n".join([lines[0], r"\hline", *lines[1:]])
    columns = "l" * len(head)
    return (
        "\\documentclass{article}\n\\begin{document}\n\\begin{table}\n\\begin{tabular}{" + columns + "}\n\\hline\n"
        f"{table}\n\\hline\n\\end{{tabular}}\n\\caption{{Results}}\n\\end{{table}}\n\\end{{document}}\n"
    )


def _as_html(case: Case) -> str:
    head, *body = _grid(case)
    lines = "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in line)}</tr>\n" for line in body)
    names = "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
    return f"<html><body><h1>Results</h1><table><tr>{names}</tr>\n{lines}</table></body></html>\n"


def _as_csv(case: Case) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(_grid(case))
    return out.getvalue()


def _as_matrix(case: Case) -> str:
    [row] = case["rows"]
    tp, fn, fp, tn = row["table"]
    lines = [
        "|  | Predicted positive | Predicted negative |",
        "|---|---|---|",
        f"| Actual positive | {tp} | {fn} |",
        f"| Actual negative | {fp} | {tn} |",
    ]
    scores = "\n".join(f"- {head}: {row[head]}" for head in case["heads"])
    return "# Results\n\n" + "\n".join(lines) + f"\n\n{scores}\n"


def _class_report(random: Random, layout: str) -> Case:
    """Return what scikit-learn's classification report prints of a few classes."""
    k = random.choice([2, 2, 3])
    labels = list(_CLASSES[:k])
    most = {2: 12, 3: 4}[k]
    matrix = [[0] * k for _ in labels]
    for actual in range(k):
        for _ in range(random.randint(1, most)):
            matrix[actual][actual if random.random() < 0.7 else random.randrange(k)] += 1
    digits = random.choice([2, 2, 3, 4])
    report: dict[str, Any] = {"classes": {label: sum(row) for label, row in zip(labels, matrix, strict=True)}}
    names = [f"{name}[{label}]" for label in labels for name in ("precision", "recall", "f1")]
    names += [
        "accuracy",
        *(f"{kind}_{name}" for kind in ("macro", "weighted") for name in ("precision", "recall", "f1")),
    ]
    for name in names:
        value = value_of_matrix(matrix, class_meant(name, labels)[0], "zero") or Fraction(0)
        report[name] = show(value, digits, "half_even")
    changed = random.random() < 0.4
    if changed:
        name = random.choice(names)
        report[name] = _off(report[name], random)
    return {"layout": layout, "report": report, "digits": digits, "matrix": matrix, "changed": changed}


def _report_rows(case: Case) -> Iterator[tuple[str, list[str], int]]:
    report: dict[str, Any] = case["report"]
    classes: dict[str, int] = report["classes"]
    total = sum(classes.values())
    for label, size in classes.items():
        yield label, [report[f"{name}[{label}]"] for name in ("precision", "recall", "f1")], size
    yield "accuracy", ["", "", report["accuracy"]], total
    for kind in ("macro", "weighted"):
        yield f"{kind} avg", [report[f"{kind}_{name}"] for name in ("precision", "recall", "f1")], total


def _as_report(case: Case) -> str:
    """Return a report laid out as scikit-learn does."""
    wide = max(len("weighted avg"), case["digits"])
    lines = [" " * wide + "".join(f" {head:>9}" for head in ("precision", "recall", "f1-score", "support")), ""]
    for label, scores, support in _report_rows(case):
        if label == "accuracy":
            lines.append("")
        lines.append(f"{label:>{wide}}" + "".join(f" {score:>9}" for score in scores) + f" {support:>9}")
    return "\n".join(lines) + "\n"


def _as_report_in_html(case: Case) -> str:
    heads = "".join(f"<th>{head}</th>" for head in ("", "precision", "recall", "f1-score", "support"))
    lines = "".join(
        f"<tr><th>{label}</th>{''.join(f'<td>{score}</td>' for score in scores)}<td>{support}</td></tr>\n"
        for label, scores, support in _report_rows(case)
    )
    return f"<html><body><table><tr>{heads}</tr>\n{lines}</table></body></html>\n"


def _labels_of(case: Case) -> tuple[list[str], list[str]]:
    """Return actual and predicted labels, case by case."""
    names = list(case["report"]["classes"])
    pairs = [
        (names[i], names[j])
        for i, row in enumerate(case["matrix"])
        for j, count in enumerate(row)
        for _ in range(count)
    ]
    return [actual for actual, _ in pairs], [predicted for _, predicted in pairs]


def _by_scikit_learn(case: Case) -> str:
    from sklearn.metrics import classification_report

    return str(classification_report(*_labels_of(case), digits=case["digits"], zero_division=0))


def _by_scikit_learn_in_json(case: Case) -> str:
    from sklearn.metrics import classification_report

    return json.dumps(classification_report(*_labels_of(case), output_dict=True, zero_division=0), indent=1)


def _by_pycm(case: Case) -> str:
    from pycm import ConfusionMatrix

    return str(ConfusionMatrix(*_labels_of(case), digit=case["digits"] + 1))


_LAYOUTS: Final[Mapping[str, Callable[[Case], str]]] = {
    "text": _as_text,
    "markdown": _as_markdown,
    "latex": _as_latex,
    "html": _as_html,
    "csv": _as_csv,
    "matrix": _as_matrix,
    "report": _as_report,
    "report in html": _as_report_in_html,
    "scikit-learn": _by_scikit_learn,
    "scikit-learn in JSON": _by_scikit_learn_in_json,
    "pycm": _by_pycm,
}
