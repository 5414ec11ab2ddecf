"""Reads a folder of real documents with fourfold, and compares what was read with what a person read in them.

``python scripts/wild.py FOLDER`` takes a folder with `docs`, whose documents are as they were found, and `truth.jsonl`,
one line for each document: its file, its kind, the items a careful reader would expect, and what in it cannot be true.
`planted` and `planted.jsonl` may hold copies with one changed number each, and `split.csv` may divide the documents
into parts. The documents are other people's, so none is part of the project; nor is the folder read in the tests.

Two tables are printed: how many items were read right, by kind of document, and how many planted errors were found.
Then come all reports that are called impossible, for a person to look at: no program can tell a false one.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import fourfold as ff

_NUMBER: Final = re.compile(r"-?\d+(?:,\d+)*(?:\.\d*)?|-?\.\d+")
#: Verdicts that say that something is wrong.
_ACCUSED: Final = ("impossible", "unexplained")
#: Tables have columns that are no scores, such as times: so large a share of a row's numbers must have been read.
_SHARE: Final = 0.6


def numbers(value: Any) -> Iterator[float]:
    """Yield all numbers in texts, lists and mappings; percentages as shares."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, Sequence) and not isinstance(value, str):
        for each in value:
            yield from numbers(each)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        for match in _NUMBER.finditer(str(value)):
            number = round(_number(match[0]), 9)
            yield number
            yield round(number / 100, 9)


def _number(text: str) -> float:
    """Return a number; a comma is that of decimals where it cannot be one between thousands, as in 0,915."""
    decimal = re.fullmatch(r"-?(?:0,\d+|\d+,(?!\d{3}$)\d+)", text)
    return float(text.replace(",", "." if decimal else ""))


def holds(finding: Mapping[str, Any], wanted: Any) -> float:
    """Return the share of the numbers of an item that stand in what was read."""
    known = set(numbers(finding["report"]))
    texts = list(wanted) if isinstance(wanted, Sequence) and not isinstance(wanted, str) else [wanted]
    each = [{*numbers(text)} for text in texts if _NUMBER.search(str(text))]
    return sum(bool(own & known) for own in each) / len(each) if each else 0.0


def cells_of(value: Any) -> Iterator[float]:
    """Yield the cells of a matrix, given as rows, as counts by name, or as a list of these."""
    if isinstance(value, Mapping | list):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from cells_of(each)
    elif value is not None and _NUMBER.fullmatch(str(value)):
        yield _number(str(value))


def is_read(item: Mapping[str, Any], findings: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether an item was read: all of its numbers in one report, or of a table those of its rows."""
    scores = list(dict(item.get("scores") or {}).values())
    if item["type"] == "matrix":
        # Whichever side the rows are, the cells are the same.
        cells = sorted(cells_of(item["cells"]))
        return any(sorted(cells_of(f["report"].get("matrix"))) == cells for f in findings)
    if item["type"] == "class_report":
        rows = [[row.get(name) for name in ("precision", "recall", "f1")] for row in item.get("rows", [])]
        rows += list(item.get("statistics", {}).values())
        wanted = [text for row in rows for text in row if text is not None] + scores
        return any(holds(f, wanted) == 1 for f in findings)
    if item["type"] == "score_table":
        return all(any(holds(f, row[1:]) >= _SHARE for f in findings) for row in item["sample_rows"])
    return any(holds(f, scores) == 1 for f in findings)


def check(path: Path) -> tuple[list[Mapping[str, Any]], float]:
    """Return the findings of a document, and how many seconds they took."""
    start = time.monotonic()
    return ff.check(path).to_dict()["findings"], time.monotonic() - start


def accusations(findings: Sequence[Mapping[str, Any]]) -> set[tuple[Any, ...]]:
    """Return what is said to be wrong, by place."""
    return {(f["where"]["line"], f["where"]["page"], f["where"]["cell"], f["verdict"])
            for f in findings if f["verdict"] in _ACCUSED}  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the documents, and print the tables."""
    parser = argparse.ArgumentParser(prog="python scripts/wild.py", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--part", default="", help="only this part of split.csv")
    parser.add_argument("--kind", default="", help="only documents of this kind")
    parser.add_argument("--missed", action="store_true", help="list the items that were not read")
    typed = parser.parse_args(arguments)
    folder: Path = typed.folder
    parts = dict(list(csv.reader((folder / "split.csv").open()))[1:]) if (folder / "split.csv").exists() else {}
    truth = [json.loads(line) for line in (folder / "truth.jsonl").read_text("utf-8").splitlines() if line.strip()]
    truth = [one for one in truth if typed.part in ("", parts.get(one["file"])) and typed.kind in ("", one["kind"])]
    table: dict[str, list[int]] = {}
    known: dict[str, set[tuple[Any, ...]]] = {}
    accused, slow = [], []
    for number, one in enumerate(truth):
        print(f"\r{number + 1} of {len(truth)}", end="", file=sys.stderr, flush=True)
        findings, seconds = check(folder / "docs" / one["file"])
        known[one["file"]] = accusations(findings)
        row = table.setdefault(one["kind"], [0, 0, 0, 0])
        row[0] += 1
        for item in one["items"]:
            if not item.get("optional"):
                right = is_read(item, findings)
                row[1] += 1
                row[2] += right
                if typed.missed and not right:
                    print(f"\nnot read: {one['file']} {item['type']} {item['where']}")
        row[3] += not findings and bool(one["items"])
        accused += [(one["file"], f["where"]["line"], f["verdict"], f["words"]) for f in findings
                    if f["verdict"] in _ACCUSED]  # fmt: skip
        if seconds > max(10.0, 10 * (folder / "docs" / one["file"]).stat().st_size / 1e6):
            slow.append((one["file"], seconds))
    print("\n\n| kind | documents | items | read right | nothing read |\n| --- | --- | --- | --- | --- |")
    for kind, counts in sorted(table.items()):
        print(f"| {kind} | {' | '.join(map(str, counts))} |")
    if (folder / "planted.jsonl").exists():
        found, files = [], {one["file"] for one in truth}
        planted = [json.loads(line) for line in (folder / "planted.jsonl").read_text("utf-8").splitlines()]
        planted = [one for one in planted if one["file"] in files]
        for one in planted:
            findings, _ = check(folder / "planted" / one["file"])
            found.append(bool(accusations(findings) - known[one["file"]]))
            if typed.missed and not found[-1]:
                print(f"not found: {one['file']} line {one['line']}: {one['old']} -> {one['new']}")
        print(f"\n{sum(found)} of {len(planted)} planted errors were found.")
    print(f"\n{len(accused)} reports are called impossible or unexplained:")
    for file, line, verdict, words in accused:
        wrong = next(one for one in truth if one["file"] == file).get("wrong")
        print(f"{file}:{line} {verdict}: {words[:300]} [known to be wrong: {'yes' if wrong else 'no'}]")
    for file, seconds in slow:
        print(f"slow: {file} took {seconds:.1f} s")


if __name__ == "__main__":
    main()
