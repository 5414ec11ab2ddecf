"""Published scores of vessels in images of the eye: which pixels were scored, and in which way, beside mlscorecheck.

The test images of DRIVE come with a mask, the field of view. Some papers score the pixels inside, others all; some
print means over the twenty images, others scores of all pixels together. The sizes come from mlscorecheck. The page
``docs/explanation/means.md`` shows what is printed.
"""

from __future__ import annotations

import logging
from typing import Any, Final

import numpy as np

import fourfold as ff

from .timing import seconds, silent

#: Accuracy, sensitivity and specificity as printed, and where.
PUBLISHED: Final = (
    ("mlscorecheck's documentation", ("0.9494", "0.7450", "0.9793")),
    ("10.1155/2022/8111883, table 1, [29]", ("0.9383", "0.7871", "0.9664")),
    ("10.1155/2022/8111883, table 1, [30]", ("0.9469", "0.8078", "0.9674")),
    ("10.1155/2022/8111883, table 1, [31]", ("0.9642", "0.8201", "0.9843")),
    ("10.1155/2022/8111883, table 1, [32]", ("0.9608", "0.8274", "0.9775")),
    ("10.1155/2022/8111883, table 1, [33]", ("0.9678", "0.7921", "0.9810")),
    ("10.1155/2022/8111883, table 1, last", ("0.9795", "0.8258", "0.9896")),
)
NAMES: Final = ("accuracy", "sensitivity", "specificity")
REGIONS: Final = {"field of view": "fov", "all pixels": "all"}
WAYS: Final = {"set_means": "mos", "sets_pooled": "som"}
_WORDS: Final = {"set_means": "mean", "sets_pooled": "pooled"}

Sizes = list[tuple[int, int]]


def run() -> None:
    """Tell for each triple of scores which region and which way it fits."""
    try:
        from mlscorecheck.check.bundles.retina import check_drive_vessel_aggregated as peer
        from mlscorecheck.experiments import get_experiment
    except ImportError:
        print("mlscorecheck is not installed: it has the sizes of the images")
        return
    images = get_experiment("retina.drive")
    regions = {
        name: [(image["p"], image["n"]) for image in images[1, region]["test"]["images"]]
        for name, region in REGIONS.items()
    }
    columns = [f"{region}, {_WORDS[way]}" for region in REGIONS for way in WAYS]
    print(f"{'scores from':<38}{'acc':>8}{'sens':>8}{'spec':>8}  " + "".join(f"{name:<23}" for name in columns))
    ours, theirs, different = 0.0, 0.0, 0
    for source, texts in (*PUBLISHED, *_drawn(regions)):
        scores = dict(zip(NAMES, texts, strict=True))
        asked: dict[str, Any] = {"sets": regions, **scores}
        ours += seconds(lambda asked=asked: ff.protocols(**asked), 1)  # type: ignore[misc]
        found: dict[Any, str] = {(way.of, way.code): way.verdict for way in ff.protocols(**asked).protocols}
        verdicts = [found[region, way] for region in REGIONS for way in WAYS]
        print(f"{source:<38}" + "".join(f"{text:>8}" for text in texts) + "  " + "".join(f"{v:<23}" for v in verdicts))
        question = {"imageset": "test", "annotator": 1, "eps": 5e-5, "verbosity": 0}
        question["scores"] = dict(zip(("acc", "sens", "spec"), map(float, texts), strict=True))
        logging.disable(logging.CRITICAL)
        with silent():
            theirs += seconds(lambda question=question: peer(**question), 1)  # type: ignore[misc]
            told = peer(**question)["inconsistency"]
        logging.disable(logging.NOTSET)
        said = [told[f"inconsistency_{region}_{way}"] for region in REGIONS.values() for way in WAYS.values()]
        different += [verdict == "impossible" for verdict in verdicts] != said
    asked_of = len(PUBLISHED) + 2
    print(f"mlscorecheck's verdicts differ for {different} of {asked_of}.", end=" ")
    print(f"All in {ours:.1f} s, with means weighted by size and who never looks; mlscorecheck {theirs:.1f} s.")


def _drawn(regions: dict[str, Sizes]) -> list[tuple[str, tuple[str, ...]]]:
    """Score one made-up classifier in both regions, as means: outside the field of view it calls all background."""
    rng = np.random.default_rng(1)
    tables: dict[str, list[ff.Table]] = {region: [] for region in regions}
    for inside, everywhere in zip(*regions.values(), strict=True):
        tp = rng.binomial(inside[0], rng.uniform(0.68, 0.8))
        fp = rng.binomial(inside[1], rng.uniform(0.015, 0.03))
        for region, (p, n) in zip(regions, (inside, everywhere), strict=True):
            tables[region].append(ff.Table(tp=int(tp), fn=int(p - tp), fp=int(fp), tn=int(n - fp)))
    return [
        (f"drawn, {region}", tuple(f"{np.mean([ff.score(table, name) for table in own]):.4f}" for name in NAMES))
        for region, own in tables.items()
    ]
