"""A review of very many reports, and a check of very many documents: in several ways, all with the same verdicts.

`python -m benchmarks reviews` does a few. For more, in a folder that is kept, so that what is stopped goes on:
``python -m benchmarks reviews --count 1000000 --jobs 1 --jobs 2 --folder build/reviews``. With `--dask` the review is
done by two workers of a Dask cluster as well; with `--stopped` it is also stopped at random moments and resumed.
`--documents 100000` is about documents in the same way. Several sizes give the slope: ``--count 10000 --count 40000``.
"""

from __future__ import annotations

import argparse
import csv
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import fourfold as ff
from fourfold.writers import write_review

from .documents import document
from .long_runs import Way, command, compare, counted, finish, rows_of, stop_and_resume, tell_slope

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
#: Documents in one folder.
TOGETHER = 1000


class Asked(NamedTuple):
    """In what ways to work, and where."""

    folder: Path
    jobs: Sequence[int] = (1, 2)
    dask: bool = True
    stopped: bool = True

    def ways(self, name: str, arguments: Sequence[str]) -> Iterator[Way]:
        """Walk the ways to do a command, each with its output."""
        for jobs in self.jobs:
            output = self.folder / f"{name}-{jobs}.csv"
            words = f"{jobs} process{'es' * (jobs > 1)}"
            yield Way(words, partial(finish, command(*arguments, "-o", f"{output}", "--jobs", f"{jobs}")), output)
        if self.stopped:
            output = self.folder / f"{name}-stopped.csv"
            asked = command(*arguments, "-o", f"{output}", "--jobs", f"{max(self.jobs)}")
            yield Way("stopped and resumed", partial(stop_and_resume, asked), output)


def run(reports: int = 2000, documents: int = 200) -> None:
    """Do a few in a folder that is removed."""
    with tempfile.TemporaryDirectory() as folder:
        measure([reports], [documents], Asked(Path(folder)))


def measure(counts: Sequence[int], documents: Sequence[int], asked: Asked) -> None:
    """Review reports and check documents of several numbers."""
    asked.folder.mkdir(parents=True, exist_ok=True)
    if counts:
        tell_slope("report", [(count, review(count, asked)) for count in sorted(counts)])
    if documents:
        tell_slope("document", [(count, check(count, asked)) for count in sorted(documents)])


def review(count: int, asked: Asked) -> Any:
    """Review the same reports in several ways, compare what comes out, and return what the first took."""
    table = asked.folder / f"reports-{count}.csv"
    if not table.exists():
        write(table, count)
    name = f"verdicts-{count}"
    ways = list(asked.ways(name, ["recover", "--table", f"{table}", "--bounds", "none"]))
    if asked.dask:
        output = asked.folder / f"{name}-dask.csv"
        ways.append(Way("2 Dask workers", partial(by_dask, table, output), output))
    found = compare("report", count, ways)
    tell(ways[0].output, count)
    return found


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


def by_dask(table: Path, output: Path) -> float:
    """Review on two workers of a Dask cluster: for another cluster only the client's address differs."""
    from distributed import Client, LocalCluster
    from joblib import parallel_config

    def rows_after(skipped: int) -> Iterable[dict[str, Any]]:
        with table.open(encoding="utf-8", newline="") as file:
            yield from ff.review(islice(csv.DictReader(file), skipped, None), n_jobs=2, bounds="none")

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
        parallel_config(backend="dask"),
    ):
        write_review(output, rows_after, {"table": str(table)}, print)
    return 0.0


def tell(output: Path, count: int) -> None:
    """Print how many reports got each verdict, and see that no true report is called impossible."""
    found = {"true": Counter[str](), "changed": Counter[str]()}
    done = 0
    for number, row in enumerate(rows_of(output)):
        if row["study"] != f"study {number}":
            raise SystemExit(f"row {number}: a report is lost or there twice, got {row['study']}")
        found[row["planted"]][row["verdict"]] += 1
        done += 1
    print(f"{done:,} of {count:,} reports have a verdict, each in its place.")
    for planted, counts in found.items():
        print(f"- {planted}: {counted(counts)}")
    wrong = sum(n for verdict, n in found["true"].items() if verdict != "possible")
    print(f"- true reports that are not called possible: {wrong}\n", flush=True)


def check(count: int, asked: Asked) -> Any:
    """Check the same documents in several ways, compare what comes out, and return what the first took."""
    folder = asked.folder / f"documents-{count}"
    write_documents(folder, count)
    ways = list(asked.ways(f"findings-{count}", ["check", f"{folder}"]))
    found = compare("document", count, ways)
    verdicts, names = Counter[str](), dict[str, None]()
    for row in rows_of(ways[0].output):
        verdicts[row["verdict"]] += 1
        names[row["document"]] = None
    print(f"{len(names):,} of {count:,} documents have a row: {counted(verdicts)}.\n", flush=True)
    return found


def write_documents(folder: Path, count: int, seed: int = 16) -> None:
    """Write made-up documents, each from a seed of its own, so that what is there can stay."""
    for start in range(0, count, TOGETHER):
        own = folder / f"{start:07}"
        own.mkdir(parents=True, exist_ok=True)
        for number in range(start, min(start + TOGETHER, count)):
            path = own / f"{number:07}.md"
            if not path.exists():
                fresh = path.with_suffix(".new")
                fresh.write_text(document(np.random.default_rng([seed, number])), encoding="utf-8")
                fresh.replace(path)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read what was typed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks reviews", description=(__doc__ or "").split("\n\n")[0])
    add = parser.add_argument
    add("--count", type=int, action="append", help="how many reports; may be given several times")
    add("--documents", type=int, action="append", help="how many documents; may be given several times")
    add("--jobs", type=int, action="append", help="how many processes; may be given several times (default 1 and 2)")
    add("--dask", action="store_true", help="also by two workers of a Dask cluster")
    add("--stopped", action="store_true", help="also stopped at random moments and resumed")
    add("--folder", type=Path, default=Path("build/reviews"), help="where all is kept (default build/reviews)")
    typed = parser.parse_args(arguments)
    asked = Asked(typed.folder, typed.jobs or (1, 2), typed.dask, typed.stopped)
    try:
        measure(typed.count or [], typed.documents or [], asked)
    except KeyboardInterrupt as stopped:
        sys.exit(str(stopped) or "Stopped. The same command continues from here.")


if __name__ == "__main__":
    main()
