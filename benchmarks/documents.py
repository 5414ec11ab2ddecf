"""A thousand made-up documents, as long as a README, through `check`."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

import fourfold as ff

from .timing import alone

SENTENCES = (
    "The model was trained on images of {label} cells.",
    "It was tested on a set that it had not seen before.",
    "Then we looked at its errors, and found most of them where the light was poor.",
    "See the notebook for more.",
    "Install it with the usual tools; Python 3.{small} or newer is needed.",
    "Data are kept in a folder of their own, with a file for each of the {large} patients.",
    "Every run writes a log with its settings, and can be stopped and started again.",
    "Training takes about {small} hours on one card with {small} GB of memory.",
    "The learning rate starts at 0.00{small} and is halved every {small} epochs.",
    "Questions and corrections are welcome: open an issue, or write to us.",
    "If you use this in your work, please cite the paper below.",
    "- `--epochs`: how often all images are shown to the network",
    "- `--seed`: where random numbers start, {small} by default",
)
LABELS = ("benign", "malignant", "normal", "atypical", "other", "unknown")


def run(documents: int = 1000, jobs: tuple[int, ...] = (1, 2)) -> None:
    """Write documents to a folder, check all of them, and say how long that takes."""
    rng = np.random.default_rng(16)
    with tempfile.TemporaryDirectory() as folder:
        for place in range(documents):
            path = Path(folder) / f"{place:04}.md"
            path.write_text(document(rng), encoding="utf-8")
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
        for n_jobs in jobs:
            start = time.perf_counter()
            found = ff.check(Path(folder), n_jobs=n_jobs)
            taken = time.perf_counter() - start
            counts = ", ".join(f"{n} {verdict}" for verdict, n in found.counts.items())
            note = f"{size / 1e6:.1f} MB, {len(found.findings)} reports: {counts}"
            alone(f"check of {documents} documents, {n_jobs} at once", taken, note)
        _parts(Path(folder))


def _parts(folder: Path, documents: int = 100) -> None:
    """Tell reading from judging."""
    paths = sorted(folder.iterdir())[:documents]
    start = time.perf_counter()
    reports = [report for path in paths for report in ff.read(path)]
    read = time.perf_counter()
    verdicts = Counter[str]()
    slowest = 0.0
    for report in reports:
        before = time.perf_counter()
        verdicts[ff.reports.judge(report).verdict] += 1
        slowest = max(slowest, time.perf_counter() - before)
    alone(f"reading {documents} documents", read - start)
    alone(f"judging their {len(reports)} reports", time.perf_counter() - read, f"the longest {slowest:.2f} s")


def document(rng: np.random.Generator) -> str:
    """Make a document: words and code, and among them none to three of what people print of results."""
    kinds = (_report, _report_and_matrix, _table, _sentence)
    chosen = [kinds[int(place)] for place in rng.integers(len(kinds), size=int(rng.integers(4)))]
    parts = [f"# A classifier of {rng.choice(LABELS)} cells\n"]
    for section in range(12):
        parts.append(f"## Section {section}\n\n{_prose(rng)}\n")
        if section % 4 == 1:
            parts.append("```python\nmodel = train(data, epochs=10, rate=0.001)\nprint(model.summary())\n```\n")
        if chosen and section >= 6:
            parts.append(f"{chosen.pop()(rng)}\n")
    return "\n".join(parts)


def _prose(rng: np.random.Generator) -> str:
    chosen = rng.integers(len(SENTENCES), size=int(rng.integers(4, 10)))
    given = {"label": rng.choice(LABELS), "small": int(rng.integers(1, 12)), "large": int(rng.integers(100, 5000))}
    return "\n".join(SENTENCES[int(place)].format(**given) for place in chosen)


def _matrix(rng: np.random.Generator) -> np.ndarray:
    classes = int(rng.integers(2, 6))
    right = rng.integers(30, 300, size=classes)
    wrong = rng.integers(0, 20, size=(classes, classes)) * (1 - np.eye(classes, dtype=int))
    return np.asarray(np.diag(right) + wrong)


def _report(rng: np.random.Generator) -> str:
    return f"```\n{_lines(_matrix(rng), rng)}\n```"


def _report_and_matrix(rng: np.random.Generator) -> str:
    matrix = _matrix(rng)
    return f"```\n{_lines(matrix, rng)}\n\n{np.array2string(matrix)}\n```"


def _lines(matrix: np.ndarray, rng: np.random.Generator) -> str:
    """Print a report; in one of five a score is off."""
    sizes, predicted, right = matrix.sum(axis=1), matrix.sum(axis=0), np.diag(matrix)
    precision, recall = right / predicted, right / sizes
    f1 = 2 * right / (sizes + predicted)
    if rng.random() < 0.2:
        f1[0] -= 0.05
    rows = [f"{'':>12} {'precision':>10} {'recall':>9} {'f1-score':>9} {'support':>9}", ""]
    for label, *scores, n in zip(LABELS, precision, recall, f1, sizes, strict=False):
        rows.append(f"{label:>12} {scores[0]:>10.2f} {scores[1]:>9.2f} {scores[2]:>9.2f} {n:>9}")
    total = int(matrix.sum())
    rows += ["", f"{'accuracy':>12} {'':>10} {'':>9} {right.sum() / total:>9.2f} {total:>9}"]
    for name, weights in (("macro avg", None), ("weighted avg", sizes)):
        means = [float(np.average(scores, weights=weights)) for scores in (precision, recall, f1)]
        rows.append(f"{name:>12} {means[0]:>10.2f} {means[1]:>9.2f} {means[2]:>9.2f} {total:>9}")
    return "\n".join(rows)


def _scores(rng: np.random.Generator) -> dict[str, float]:
    """Return scores of two classes; in one of three they are weighted averages."""
    tp, fn, fp, tn = (int(n) for n in rng.integers((80, 5, 5, 80), (400, 60, 60, 400)))
    total = tp + fn + fp + tn
    one: tuple[float, ...] = (tp / (tp + fp), tp / (tp + fn), 2 * tp / (2 * tp + fp + fn))
    other = (tn / (tn + fn), tn / (tn + fp), 2 * tn / (2 * tn + fp + fn))
    if rng.random() < 1 / 3:
        one = tuple(((tp + fn) * a + (tn + fp) * b) / total for a, b in zip(one, other, strict=True))
    return dict(zip(("Accuracy", "Precision", "Recall", "F1"), ((tp + tn) / total, *one), strict=True))


def _table(rng: np.random.Generator) -> str:
    rows = [_scores(rng) for _ in range(int(rng.integers(2, 7)))]
    lines = [f"| Model | {' | '.join(rows[0])} |", "|---|---|---|---|---|"]
    lines += [f"| model {n} | {' | '.join(f'{x:.3f}' for x in row.values())} |" for n, row in enumerate(rows)]
    return "\n".join(lines)


def _sentence(rng: np.random.Generator) -> str:
    return "On the test set: " + ", ".join(f"{name}: {100 * x:.1f}%" for name, x in _scores(rng).items()) + "."
