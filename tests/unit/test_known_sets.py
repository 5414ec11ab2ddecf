"""Known test sets, and the facts about them that others count."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import fourfold as ff
from fourfold.cli import cli

from ..conftest import SHARED

ROW = {"accuracy": "0.855", "recall": "0.507", "specificity": "0.941"}


def test_every_set_has_a_name_of_its_own_sizes_and_a_source() -> None:
    known = ff.datasets().sets
    assert len({each.id for each in known}) == len(known) >= 60
    for each in known:
        assert each.origin
        assert each.split
        assert bool(each.classes) != bool(each.positives and each.negatives)
        assert ff.claims.dataset(each.id) == each


def test_totals_are_those_that_are_documented() -> None:
    # UCI's and the sets' own pages give the number of cases.
    totals = {"wdbc": 569, "pima": 768, "ionosphere": 351, "sonar": 208, "haberman": 306, "adult": 48842, "bupa": 345,
        "parkinsons": 195, "magic": 19020, "tpehg": 300, "isic2016": 379, "isic2017_melanoma": 600,
        "isic2017_keratosis": 600, "spectf": 267, "hepatitis": 155}  # fmt: skip
    for name, total in totals.items():
        assert ff.claims.dataset(name).total == total
    many = {"mnist": 10_000, "fashion_mnist": 10_000, "cifar10": 10_000, "cifar100": 10_000, "iris": 150, "wine": 178}
    for name, total in many.items():
        assert ff.claims.dataset(name).total == total


@pytest.mark.skipif(not (SHARED / "fields" / "drive_sizes.csv").exists(), reason="the figures are not there")
def test_pixels_of_drive_are_the_sums_of_its_images() -> None:
    with (SHARED / "fields" / "drive_sizes.csv").open(encoding="utf-8") as lines:
        images = [*csv.DictReader(lines)]
    for region, short in (("field of view", "fov"), ("all pixels", "all")):
        for annotator in "12":
            own = [image for image in images if (image["region"], image["annotator"]) == (region, annotator)]
            known = ff.claims.dataset(f"drive_{short}_{annotator}")
            assert known.positives == sum(int(image["positives"]) for image in own)
            assert known.negatives == sum(int(image["negatives"]) for image in own)


def test_rows_lead_back_to_a_known_set() -> None:
    assert "isic2016" in [known.id for known in ff.datasets(rows={"A": ROW}).sets]
    assert not ff.datasets(rows={"A": {**ROW, "accuracy": "0.2"}}).sets
    assert [known.id for known in ff.claims.known_as(304, 75)] == ["isic2016"]


def test_the_commands_use_them(tmp_path: Path) -> None:
    typed = ["recover", *(f"{name}={text}" for name, text in ROW.items())]
    known = CliRunner().invoke(cli, [*typed, "--dataset", "isic2016", "--json"]).output
    sized = CliRunner().invoke(cli, [*typed, "--positives", "75", "--negatives", "304", "--json"]).output
    assert json.loads(known) == json.loads(sized)
    several = CliRunner().invoke(cli, ["recover", "--dataset", "iris", "accuracy=0.96", "--json"]).output
    assert json.loads(several)["layout"] == "classes"
    assert "is no known test set" in str(CliRunner().invoke(cli, [*typed, "--dataset", "isic"]).exception)
    both = CliRunner().invoke(cli, [*typed, "--dataset", "isic2016", "--total", "3"])
    assert "cannot be used with a known test set" in str(both.exception)
    assert "isic2016" in CliRunner().invoke(cli, ["datasets", "ISIC"]).output
    table = tmp_path / "table.csv"
    table.write_text("method,accuracy,recall,specificity\nours,0.855,0.507,0.941\n", encoding="utf-8")
    words = CliRunner().invoke(cli, ["sizes", str(table), "--total", "379"]).output
    assert "ISIC 2016, task 3, test (75 melanoma, 304 other) is a known test set" in " ".join(words.split())
