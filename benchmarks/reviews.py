"""A review of very many reports: one process and two, joblib and Dask, stopped and resumed; all verdicts equal.

`python -m benchmarks reviews` does it with a few thousand reports. For more, in a folder that is kept, so that what is
stopped goes on: ``python -m benchmarks.reviews --reports 1000000 --folder build/reviews``.
"""

from __future__ import annotations

import argparse
import csv
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import fourfold as ff
from fourfold.frames import write_rows

from .long_runs import command, compare_outputs, finish, stop_and_resume
from .timing import alone

#: What studies report, by the names of their scores.
REPORTED = (
    ("accuracy", "recall", "specificity"),
    ("accuracy", "precision", "recall", "f1"),
    ("recall", "precision", "f1"),
    ("accuracy", "f1"),
    ("recall", "specificity"),
    ("accuracy", "mcc"),
)
COLUMNS = ("study", "planted", "positives", "negatives", "accuracy", "recall", "specificity", "precision", "f1", "mcc")
#: Of so many reports one has a wrong number.
ONE_IN = 50
POSSIBLE = ("unique", "several")
WAYS = ("one", "two", "dask", "stopped")


def run(reports: int = 5000) -> None:
    """Review reports in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        measure(reports, Path(folder))


def measure(reports: int, folder: Path, ways: Sequence[str] = WAYS) -> None:
    """Review the same reports in several ways, and compare what comes out."""
    folder.mkdir(parents=True, exist_ok=True)
    table = folder / f"reports-{reports}.csv"
    if not table.exists():
        write(table, reports)
    outputs = {way: folder / f"verdicts-{reports}-{way}.csv" for way in ways}
    for way, output in outputs.items():
        n_jobs = 1 if way == "one" else 2
        asked = command("recover", "--table", f"{table}", "-o", f"{output}", "--bounds", "none", "--jobs", f"{n_jobs}")
        words = f"review of {reports:,} reports, {n_jobs} process{'es' * (n_jobs > 1)}"
        if way == "dask":
            by_dask(table, output, reports)
        elif way == "stopped":
            stop_and_resume(words, asked, output, reports)
        else:
            finish(words, asked, output, reports)
    compare_outputs(output for output in folder.glob(f"verdicts-{reports}-*.csv"))
    tell(outputs[ways[0]])


def write(table: Path, reports: int, seed: int = 18) -> None:
    """Write reports of made-up studies; one in fifty has a number that was changed."""
    rng = random.Random(seed)
    fresh = table.with_suffix(".new")
    with fresh.open("w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, COLUMNS, restval="")
        rows.writeheader()
        rows.writerows(report(rng, number) for number in range(reports))
    fresh.replace(table)


def report(rng: random.Random, number: int) -> dict[str, str]:
    """Make up a study, and print some of its scores with two to four digits."""
    tp, fn, fp, tn = rng.randint(10, 400), rng.randint(1, 100), rng.randint(1, 100), rng.randint(10, 400)
    scores = {
        "accuracy": (tp + tn) / (tp + fn + fp + tn),
        "recall": tp / (tp + fn),
        "specificity": tn / (tn + fp),
        "precision": tp / (tp + fp),
        "f1": 2 * tp / (2 * tp + fp + fn),
        "mcc": (tp * tn - fp * fn) / ((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)) ** 0.5,
    }
    digits, names = rng.randint(2, 4), rng.choice(REPORTED)
    row = {name: f"{scores[name]:.{digits}f}" for name in names}
    changed = rng.randrange(ONE_IN) == 0
    if changed:
        name = rng.choice(names)
        step = rng.choice((-0.05, -0.02, 0.02, 0.05))
        row[name] = f"{min(max(float(row[name]) + step, 0.0), 1.0):.{digits}f}"
    sizes = {"positives": str(tp + fn), "negatives": str(fp + tn)}
    return {"study": f"study {number}", "planted": "changed" if changed else "true", **sizes, **row}


def by_dask(table: Path, output: Path, reports: int) -> None:
    """Review on two workers of a Dask cluster: for another cluster only the client's address differs."""
    from distributed import Client, LocalCluster
    from joblib import parallel_config

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        start = time.perf_counter()
        with table.open(encoding="utf-8", newline="") as file, parallel_config(backend="dask"):
            write_rows(str(output), ff.review(csv.DictReader(file), n_jobs=2, bounds="none"))
        alone(f"review of {reports:,} reports, 2 Dask workers", time.perf_counter() - start)


def tell(output: Path) -> None:
    """Print how many reports got each verdict, and see that no true report is called impossible."""
    found = Counter[tuple[str, str]]()
    with output.open(encoding="utf-8", newline="") as file:
        rows: Iterator[dict[str, str]] = csv.DictReader(file)
        for number, row in enumerate(rows):
            assert row["study"] == f"study {number}", "a row is lost or there twice"
            found[row["planted"], row["verdict"]] += 1
    for planted in ("true", "changed"):
        counts = {verdict: n for (kind, verdict), n in found.items() if kind == planted}
        words = ", ".join(f"{n:,} {verdict}" for verdict, n in sorted(counts.items()))
        print(f"   {planted} reports: {words}")
    wrong = sum(n for (kind, verdict), n in found.items() if kind == "true" and verdict not in POSSIBLE)
    print(f"   true reports that are not called possible: {wrong}")


def main() -> None:
    """Read what was typed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--reports", type=int, default=5000)
    parser.add_argument("--folder", type=Path, default=Path("build/reviews"))
    parser.add_argument("--way", action="append", choices=WAYS)
    asked = parser.parse_args()
    measure(asked.reports, asked.folder, asked.way or WAYS)


if __name__ == "__main__":
    main()
