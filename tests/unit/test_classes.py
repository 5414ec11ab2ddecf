"""Reports of several classes: what is read, what is refused, what follows."""

from __future__ import annotations

import json

import pytest

import fourfold as ff
from fourfold import answers, cli
from fourfold.claims import ClassClaim, ClassScore, explain
from fourfold.claims.classes import read_classes

from ..conftest import how_many

IRIS = {"setosa": 50, "versicolor": 50, "virginica": 50}


def test_the_example_of_three_classes() -> None:
    """23 sets of margins: counted by hand over all right and predicted cases of each class."""
    found = ff.recover(classes=IRIS, accuracy="0.95", **{"recall[setosa]": "1.00", "precision[versicolor]": "0.92"})
    assert how_many(found) == ("possible", 23, True)
    assert found.bounds("recall[setosa]")[:2] == (1.0, 1.0)
    assert found.bounds("accuracy")[:2] == pytest.approx((142 / 150, 143 / 150))
    matrix = found.matrix()
    assert matrix is not None
    assert matrix.labels == tuple(IRIS)
    assert ff.score(matrix, "accuracy") in (142 / 150, 143 / 150)
    assert ClassClaim.read({"accuracy": "0.95"}, read_classes(IRIS)).fits(matrix)


def test_sizes_may_be_said_in_many_ways() -> None:
    scores = {"accuracy": "0.75", "macro_f1": "0.7"}
    ways = [[5, 4, 3], {"0": 5, "1": 4, "2": 3}, "5,4,3", "0=5, 1=4, 2=3", (5, "4", [3, 3])]
    answers_ = [ff.recover(classes=way, bounds="none", **scores) for way in ways]
    assert len({(found.verdict, found.count) for found in answers_}) == 1
    assert answers_[0].count > 1


def test_open_sizes_are_the_sum_over_all_sizes() -> None:
    scores = {"accuracy": "0.83", "macro_precision": "0.8", "undefined": "none"}
    each = [
        ff.recover(classes=[a, b, 6 - a - b], bounds="none", **scores, folds="none")
        for a in range(7)
        for b in range(7 - a)
    ]
    found = ff.recover(classes=3, total=6, bounds="none", **scores, folds="none")
    assert found.count == sum(one.count for one in each) > 0
    ranged = ff.recover(classes=["1-2", "2-3", "1-2"], bounds="none", **scores, folds="none")
    some = [(a, b, c) for a in (1, 2) for b in (2, 3) for c in (1, 2)]
    assert ranged.count == sum(ff.recover(classes=sizes, bounds="none", **scores, folds="none").count for sizes in some)


def test_two_classes_through_both_doors() -> None:
    """Scores of the positive class are those of one table."""
    names = {"recall": "recall[sick]", "precision": "precision[sick]", "specificity": "recall[well]"}
    for scores in ({"recall": "0.80", "precision": "0.89"}, {"recall": "0.8", "specificity": "0.93"}):
        two = ff.recover(positives=40, negatives=60, **scores)
        several = ff.recover(classes={"well": 60, "sick": 40}, **{names[name]: text for name, text in scores.items()})
        assert (several.verdict, several.count) == (two.verdict, two.count)
        for name in ("accuracy", "kappa", "mcc"):
            assert several.bounds(name)[:2] == pytest.approx(two.bounds(name)[:2], abs=1e-9)


def test_an_undefined_class_in_an_average() -> None:
    """5 and 15 cases, all predicted to be of the second class: precision 0/0 and 15/20, so 0.375 with 0, 0.75 without."""
    sizes = {"accuracy": "0.75", "macro_precision": "0.38"}
    assert ff.recover(classes=[5, 15], undefined="none", **sizes, folds="none").verdict == "impossible"
    zero = ff.recover(classes=[5, 15], undefined="zero", **sizes, folds="none")
    assert zero.matrix().tolist() == [[0, 5], [0, 15]]
    left_out = ff.recover(classes=[5, 15], undefined="excluded", accuracy="0.75", macro_precision="0.75", folds="none")
    assert (("0", 5, 0, 0), ("1", 15, 15, 20)) in [*left_out.margins()]


def test_blame_names_what_contradicts() -> None:
    found = ff.recover(classes=[50, 50, 50], **{"recall[0]": "0.95", "accuracy": "0.90"}, folds="none")
    assert (found.verdict, found.blame) == ("impossible", (("recall[0]",),))
    found = ff.recover(classes=[50, 50, 50], accuracy="0.95", macro_f1="0.80", kappa="0.92", folds="none")
    assert found.blame == (("accuracy", "macro_f1"),) or found.blame == (("macro_f1", "kappa"),)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"classes": [5, 4, 3], "recall[7]": "0.9"}, "names a class that was not given"),
        ({"classes": [5, 4, 3], "macro_f1[1]": "0.9"}, "is an average"),
        ({"classes": [5], "accuracy": "0.9"}, "must be at least two"),
        ({"classes": 3, "accuracy": "0.9"}, "total: is required"),
        ({"classes": [5, 4, 3], "total": 20, "accuracy": "0.9"}, "total: does not agree"),
        ({"classes": "a=5,a=4", "accuracy": "0.9"}, "must have different names"),
        ({"classes": [5, 4, 3]}, "no score is given"),
        ({"classes": [5, 4, 3], "accuracy": "90"}, "lies outside"),
        ({"classes": [5, 4, 3], "positives": 5, "accuracy": "0.9"}, "positives: follows from classes already"),
        ({"classes": [5, 4, 3], "accuracy": "0.9", "undefined": "half"}, "undefined: unknown convention"),
        ({"classes": [5, 4, 3], "macro_g_mean": "0.9"}, "cannot be searched for"),
        ({"classes": [0, 0, 0], "accuracy": "0.9"}, "classes: must have cases"),
    ],
)
def test_what_is_refused(given: dict, said: str) -> None:
    with pytest.raises(ff.InputError, match=said.replace("(", r"\(")):
        ff.recover(**given)


@pytest.mark.parametrize(
    ("sizes", "report"),
    [
        ([54, 144, 112, 147], {"accuracy": "0.8600", "weighted_precision": "0.8593", "weighted_recall": "0.8600",
                               "weighted_f1": "0.8581"}),
        ([34, 99, 134, 45], {"accuracy": "0.7500", "macro_precision": "0.6862", "macro_recall": "0.7331",
                             "macro_f1": "0.6980"}),
        ([138, 106, 31, 62, 90], {"accuracy": "0.7775", "macro_precision": "0.7550", "macro_recall": "0.8028",
                                  "macro_f1": "0.7683"}),
        ([500, 300, 200, 800], {"mcc": "0.612", "accuracy": "0.74"}),
        ([500, 300, 200, 800], {"macro_precision": "0.612", "macro_f1": "0.6154"}),
        ([10] * 100, {"accuracy": "0.912"}),
        ([10] * 100, {"accuracy": "0.912", "macro_f1": "0.911"}),
    ],
)  # fmt: skip
def test_a_table_is_found_where_only_averages_are_told(sizes: list[int], report: dict) -> None:
    found = ff.recover(classes=sizes, bounds="none", folds="none", **report)
    assert found.verdict == "possible"
    matrix = found.matrix()
    assert matrix is not None
    assert matrix.values.sum(axis=1).tolist() == sizes
    for name, printed in report.items():
        digits = len(printed) - 2
        assert ff.score(matrix, name) == pytest.approx(float(printed), abs=0.5 * 10**-digits + 1e-9), name


def test_names_of_scores() -> None:
    labels = ("cat", "Dog")
    assert ClassScore.find("sens[dog]", labels).name == "recall[Dog]"
    assert ClassScore.find("F1-Score [cat]", labels).label == "F1 score[cat]"
    assert ClassScore.find("weighted avg f2", labels).name == "weighted_f2"


def test_a_search_that_is_not_finished_says_so() -> None:
    found = ff.recover(classes=[1000] * 12, macro_f1="0.5", budget=10)
    assert found.verdict == "undecided"
    assert found.notes[0].code == "budget_spent"
    assert found.bounds("kappa").low is None
    assert answers.document(found).title.startswith("Undecided")


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["recover", "--classes", "setosa=50,versicolor=50,virginica=50", "recall[setosa]=1.00"]
    with pytest.raises(SystemExit) as stopped:
        cli.main([*line, "precision[versicolor]=0.92", "accuracy=0.95"])
    shown = capsys.readouterr().out
    assert stopped.value.code == 0
    assert shown.startswith("possible: 23 sets of margins fit.")
    with pytest.raises(SystemExit) as stopped:
        cli.main([*line, "accuracy=0.10", "--folds", "none", "--json"])
    assert stopped.value.code == 1
    assert json.loads(capsys.readouterr().out)["verdict"] == "impossible"


def test_limits_of_an_average_where_tables_are_too_many_to_list() -> None:
    """Of 6,000 cases 5,370 to 5,430 are right. Recall is lowest where all that are wrong are of the smallest class."""
    ends = ff.recover(classes={"a": 1000, "b": 2000, "c": 3000}, accuracy="0.90").bounds("macro_recall")
    least, most = (370 / 1000 + 1 + 1) / 3, (1 + 1 + 2430 / 3000) / 3
    assert 0.7 < ends.low <= least
    assert most <= ends.high < 0.97


def test_of_very_many_classes_that_contradict_themselves_some_are_named() -> None:
    """No recall of ten cases is 0.55; to look at hundreds of such classes would take minutes."""
    labels = [f"c{n}" for n in range(30)]
    found = ff.recover(
        classes=dict.fromkeys(labels, 10), **{f"recall[{label}]": "0.55" for label in labels}, folds="none"
    )
    assert found.verdict == "impossible"
    assert found.blame == tuple((f"recall[{label}]",) for label in labels[:20])
    assert "blame_incomplete" in {note.code for note in found.notes}


def test_of_many_classes_few_are_asked_about_to_find_what_contradicts(monkeypatch: pytest.MonkeyPatch) -> None:
    """If 9 of 80 classes of 20 cases have recall 0.50, 90 + 1420 of 1600 are right at the most: an accuracy of 0.944."""
    asked: list[object] = []
    impossible = explain._impossible
    monkeypatch.setattr(explain, "_impossible", lambda *given: (asked.append(given), impossible(*given))[1])
    labels = [f"c{number}" for number in range(80)]
    scores = {f"recall[{label}]": "0.50" for label in labels[1:]}
    found = ff.recover(classes=dict.fromkeys(labels, 20), accuracy="0.95", **scores, bounds="none", folds="none")
    assert found.verdict == "impossible"
    [blamed] = found.blame
    assert (len(blamed), "accuracy" in blamed) == (10, True)
    assert len(asked) < 50


def test_one_column_of_a_report_may_be_cut_off() -> None:
    """A recall of 4 of 6 is 0.666 where digits are cut off; precision and F1 are rounded."""
    tables = {"a": (4, 6, 6), "b": (7, 9, 8), "c": (9, 11, 12)}
    scores = {}
    for label, (hits, cases, predicted) in tables.items():
        scores |= {
            f"recall[{label}]": f"{int(1000 * hits / cases) / 1000:.3f}",
            f"precision[{label}]": f"{hits / predicted:.3f}",
            f"f1[{label}]": f"{2 * hits / (cases + predicted):.3f}",
        }
    assert scores["recall[a]"] == "0.666"
    found = ff.recover(classes={label: cases for label, (_, cases, _) in tables.items()}, **scores)
    assert (found.verdict, found.reading) == ("conditional", "digits of one column were cut off, not rounded")
