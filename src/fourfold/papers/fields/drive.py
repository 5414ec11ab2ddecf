"""DRIVE: which pixels of twenty images of the eye 100 papers scored.

The images come with a mask, the field of view; outside there is nothing to find. The rule of the collectors is
repeated: where a paper prints scores of single images, more than half of them must fit a region; else its first means
must, and more than half of all its means. Means are over the images, or of all pixels together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, Final

from fourfold.metrics import ACCURACY, SPECIFICITY

from ..outcome import Part, Reproduction, Statement, View
from ..paper import Paper, table
from ..running import run_all
from .judging import Judged, beside_peer, installed_peer, judge, lines_by_paper

_PAPER: Final = Paper("drive")
REGIONS: Final = ("field of view", "all pixels")
_OVER: Final = ("mean", "pooled")
#: What the regions that fit are called.
_CATEGORIES: Final = {
    (True, False): REGIONS[0], (False, True): REGIONS[1], (False, False): "neither", (True, True): "either",
}  # fmt: skip
# Scores of models that learned on the images of another set were left out by the collectors.
_OTHER_TRAINING: Final = "STARE"
_PRINTED, _WITHIN, _COLLECTORS = "as printed", "within a whole unit", "the collectors"
#: Whether a judged result fits, as printed and with more room.
_FITS: Final[Mapping[str, Callable[[Judged], bool]]] = {
    _PRINTED: lambda one: one["verdict"] == "possible",
    _WITHIN: lambda one: one["within"],
}

Lines = Mapping[str, Sequence[Mapping[str, str]]]


def reproduce_drive(**options: Any) -> Reproduction:
    """Judge all results of the field again."""
    return _reproduced(lines_by_paper("drive_means"), lines_by_paper("drive_images"), **options)


def _reproduced(means: Lines, images: Lines, **options: Any) -> Reproduction:
    peer, sizes = installed_peer(), _sizes()
    calls: dict[str, Any] = {}
    for paper, lines in means.items():
        ways = product(REGIONS, _OVER)
        # Every image has pixels of both classes, so no score is undefined.
        setups = [{"sets": [*sizes[region].values()], "over": over, "undefined": "none"} for region, over in ways]
        used = [line for line in lines if _OTHER_TRAINING not in line["kind"]]
        calls[f"means of {paper}"] = (judge, [(line, setup) for line in used for setup in setups], peer)
    for paper, lines in images.items():
        pairs = [
            (line, {"positives": positives, "negatives": negatives, "folds": "none"})
            for line in lines
            for positives, negatives in (sizes[region][line["image"]] for region in REGIONS)
        ]
        calls[f"images of {paper}"] = (judge, pairs, peer)
    beside = f", beside mlscorecheck {peer}" if peer else ""
    results = run_all({name + beside: call for name, call in calls.items()}, name=_PAPER.name, **options)
    judged = dict(zip(calls, results.values(), strict=True))
    papers = [_decided(paper, lines[0], judged) for paper, lines in means.items()]
    of_means, of_images = (
        [one for paper in lines for one in judged[f"{kind} of {paper}"]]
        for kind, lines in (("means", means), ("images", images))
    )
    parts = (*_on_papers(papers), _on_images(of_images), _figure(papers, means))
    return beside_peer(_PAPER, parts, _statements(papers), {"means": of_means, "images": of_images}, peer)


def _sizes() -> dict[str, dict[str, tuple[int, int]]]:
    """Return the positives and negatives of each image, by region."""
    sizes: dict[str, dict[str, tuple[int, int]]] = {region: {} for region in REGIONS}
    for line in table("fields/drive_sizes.csv"):
        sizes[line["region"]][line["image"]] = int(line["positives"]), int(line["negatives"])
    return sizes


def _decided(paper: str, line: Mapping[str, str], judged: Mapping[str, list[Judged]]) -> dict[str, str]:
    """Return what the collectors decided of a paper, and what their rule gives here."""
    record = {"paper": paper, _COLLECTORS: line["category"], "from their images": line["category_from_images"]}
    record["from their means"] = line["category_from_means"]
    for name, fits in _FITS.items():
        means = _category_from_means(judged[f"means of {paper}"], fits)
        images = judged.get(f"images of {paper}")
        record |= {name: _category_from_images(images, fits) if images else means, f"means, {name}": means}
    return record


def _category_from_means(judged: Sequence[Judged], fits: Callable[[Judged], bool]) -> str:
    flags = [fits(one) for one in judged]
    # The questions about a row stand in the order of `product(REGIONS, _OVER)`.
    ways = [flags[i :: len(REGIONS) * len(_OVER)] for i in range(len(REGIONS) * len(_OVER))]
    good = [way[0] and 2 * sum(way) > len(way) for way in ways]
    return _CATEGORIES[any(good[: len(_OVER)]), any(good[len(_OVER) :])]


def _category_from_images(judged: Sequence[Judged], fits: Callable[[Judged], bool]) -> str:
    flags = [fits(one) for one in judged]
    fov, everywhere = (2 * sum(flags[i::2]) > len(flags[i::2]) for i in range(len(REGIONS)))
    return _CATEGORIES[fov, everywhere]


def _on_papers(papers: Sequence[dict[str, str]]) -> tuple[Part, Part]:
    counts = {name: Counter(record[name] for record in papers) for name in (_COLLECTORS, _WITHIN, _PRINTED)}
    rows = _counted("scores fit", counts)
    same = {name: sum(record[name] == record[_COLLECTORS] for record in papers) for name in counts}
    others = [record["paper"] for record in papers if record[_PRINTED] != record[_COLLECTORS]]
    numbers: dict[str, Any] = {"papers": len(papers), "within": same[_WITHIN], "printed": same[_PRINTED]}
    numbers |= {"others": ", ".join(others) or "none"}
    same_means = sum(record[f"means, {_PRINTED}"] == record["from their means"] for record in papers)
    regions = _PAPER.part("regions", same[_WITHIN] == len(papers), numbers, rows)
    return regions, _PAPER.part("papers", same_means == len(papers), {"means": same_means, **numbers}, papers)


def _on_images(judged: Sequence[Judged]) -> Part:
    """Return how many results of single images fit which region."""
    pairs = [*zip(judged[::2], judged[1::2], strict=True)]
    counts = {name: Counter(_CATEGORIES[fits(a), fits(b)] for a, b in pairs) for name, fits in _FITS.items()}
    only_if = sum("conditional" in (a["verdict"], b["verdict"]) for a, b in pairs)
    numbers = {"results": len(pairs), "neither": counts[_PRINTED]["neither"], "within": counts[_WITHIN]["neither"]}
    return _PAPER.part("images", "reproduced", numbers | {"only_if": only_if}, _counted("fits", counts))


def _counted(what: str, counts: Mapping[str, Counter[str]]) -> list[dict[str, Any]]:
    """Return a record of each category with its counts."""
    records: list[dict[str, Any]] = [{what: category} for category in _CATEGORIES.values()]
    for record in records:
        record |= {name: count[record[what]] for name, count in counts.items()}
    return records


def _figure(papers: Sequence[dict[str, str]], means: Lines) -> Part:
    names = (ACCURACY.id, SPECIFICITY.id)
    points = [
        {"decided by": by, "scores fit": record[column]}
        | {name: float(means[record["paper"]][0][name]) for name in names}
        for by, column in ((_COLLECTORS, _COLLECTORS), ("fourfold, as printed", _PRINTED))
        for record in papers
    ]
    titles = {ACCURACY.id: ACCURACY.label, SPECIFICITY.id: SPECIFICITY.label}
    view = View(*names, "scores fit", panel="decided by", titles=titles, points=True)
    return _PAPER.part("figure", "reproduced", {"papers": len(papers)}, points, view)


def _statements(papers: Sequence[dict[str, str]]) -> list[Statement]:
    within, printed = (Counter(record[name] for record in papers) for name in (_WITHIN, _PRINTED))
    theirs = Counter(record[_COLLECTORS] for record in papers)
    counts = {key: theirs[name] for key, name in zip("abc", (*REGIONS, "neither"), strict=True)}
    numbers = {key.upper(): printed[name] for key, name in zip("abc", (*REGIONS, "neither"), strict=True)}
    outliers = [record for record in papers if record["from their images"] == "neither"]
    unseen = [record for record in outliers if record[f"means, {_PRINTED}"] != "neither"]
    return [
        _PAPER.statement("counts", within == theirs, numbers, **{key: str(count) for key, count in counts.items()}),
        _PAPER.statement("images tell more", bool(unseen), {"outliers": len(outliers), "unseen": len(unseen)}),
    ]
