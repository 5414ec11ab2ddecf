"""Results of every kind, the usual and the odd ones, by the name of their schema."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import fourfold as ff
from fourfold import certainty
from fourfold.metrics import Catalogue
from fourfold.papers import Part, Reproduction, Statement
from fourfold.papers.listing import EXPERIMENTS, Experiments
from fourfold.papers.paper import compared
from fourfold.reports import AcceptedFinding, Baseline, SheetCheck, SheetColumn, ToldRow
from fourfold.solve import describe

GROUP, REST = ff.Table(tp=2, fn=3, fp=0, tn=7), ff.Table(tp=138, fn=38, fp=39, tn=245)
EMPTY = ff.Table(tp=0, fn=0, fp=2, tn=3)
TRUTH, ROWS = ["a", "a", "b", "b"], [[0.9, 0.1], [0.4, 0.6], [0.5, 0.5], [0.2, 0.8]]
WRONG = "tp=55, tn=20, fp=13, fn=9. Accuracy: 0.853"
ACCEPTED = AcceptedFinding("0123456789abcdef", "gone.md", "A model", "impossible", "the matrix gives another score.")
STUDIES = Path(__file__).parents[1] / "docs" / "examples" / "studies.csv"
ONE_CLASS = (["a", "a"], [[1.0, 0.0], [1.0, 0.0]], ["a", "b"])

RESULTS: dict[str, list[Callable[[], Any]]] = {
    "scores": [
        lambda: ff.scores(ff.Table(tp=0, fn=0, fp=0, tn=9)),
        lambda: ff.scores(ff.Matrix([[3, 0, 1], [1, 2, 0], [0, 1, 0]], ("a", "b", "c"))),
    ],
    "holes": [lambda: ff.holes("mcc", 30), lambda: ff.holes("accuracy", 30), lambda: ff.holes("treatment_equality", 3)],
    "metrics": [Catalogue.all],
    "metric": [lambda: describe("prevalence_threshold"), lambda: describe("equalized_odds")],
    "comparison": [
        lambda: ff.compare_groups(GROUP, REST, "recall"),
        lambda: ff.compare_groups(GROUP, REST, "mcc"),
        lambda: ff.compare_groups(GROUP, REST, "dor", reference_known=True),
        lambda: ff.compare_groups(EMPTY, REST, "precision"),
        lambda: ff.compare_groups(*(ff.Matrix([[n, 2, 1], [3, n, 1], [0, 2, n]]) for n in (4, 40)), "macro_f1"),
    ],
    "contrast": [
        lambda: ff.groups.contrast_interval(GROUP, REST, "recall_difference"),
        lambda: ff.groups.contrast_interval(EMPTY, REST, "recall_ratio"),
    ],
    "certainty": [lambda: certainty.overview({"one": ff.decompose(TRUTH, ROWS, by=[1, 1, 2, 2])})],
    "experiments": [lambda: Experiments(tuple(EXPERIMENTS.values()))],
    "distribution": [
        lambda: ff.recover(accuracy="0.85", positives=40, negatives=60).distribution("recall"),
        lambda: ff.recover(fnr="0", positives=4, negatives=6).distribution("negative_likelihood_ratio", prior="rates"),
    ],
    "estimate": [
        lambda: ff.claims.estimate(
            ff.claims.Claim.from_mapping({"total": 66, "positives": 56, "accuracy": "0.98", "f1": "0.99"})
        ),
        lambda: ff.claims.estimate(
            ff.claims.Claim.from_mapping({"total": 2000, "positives": 994, "accuracy": "=0.898"}),
            "accuracy_closed_form",
        ),
    ],
    "recovery": [
        lambda: ff.recover(accuracy=0.85, positives="40-42", negatives=60),
        lambda: ff.recover(accuracy="0.9567", recall="0.8700", specificity="0.9750", positives=100, negatives=200),
        lambda: ff.recover(accuracy="0.9", recall="0.9", positives=200_000, negatives=300_000),
        lambda: ff.recover(recall="0.83 (0.745-0.891)", f1="0.85 (0.80-0.90)", positives=100, negatives=200),
        # Several classes.
        lambda: ff.recover(classes=[5, 4, "3-4"], accuracy="0.75", macro_f1="0.73"),
        lambda: ff.recover(classes={"a": 50, "b": 50, "c": 50}, accuracy="0.95", macro_f1="0.90"),
        lambda: ff.recover(classes=3, total=2000, mcc="0.5"),
        # Folds and test sets, and one table that fits only as means over folds.
        lambda: ff.recover(positives=30, negatives=62, folds=5, accuracy="0.913", precision="0.87", recall="0.867"),
        lambda: ff.recover(positives=30, negatives=60, folds=5, accuracy="0.913 ± 0.02", recall="0.866"),
        lambda: ff.recover(sets=[(5, 9), (4, 10)], recall="0.78", accuracy="0.86", bounds="specificity"),
        lambda: ff.recover(positives=20, negatives=20, accuracy="0.95", recall="1.00", precision="0.933"),
        # What an undefined score was printed as, and the fewest scores to leave out.
        lambda: ff.recover(accuracy="0.75", precision="1.00", positives=5, negatives=15),
        lambda: ff.recover(
            accuracy="0.89",
            recall="0.80",
            specificity="0.90",
            precision="0.80",
            f1="0.80",
            npv="0.90",
            positives=100,
            negatives=200,
        ),
    ],
    "protocols": [
        lambda: ff.protocols(positives=20, negatives=25, accuracy="0.556", recall="0.00", precision="0.00"),
        lambda: ff.protocols(
            sets={"a": [(5, 9), (4, 10)], "b": [(5, 9), (4, 11)]}, recall="0.78", accuracy="0.86 ± 0.07"
        ),
    ],
    "datasets": [lambda: ff.datasets("isic"), lambda: ff.datasets("mnist")],
    "lead": [
        lambda: ff.lead({"accuracy": "0.855"}, {"accuracy": "0.844"}, positives=75, negatives=304),
        lambda: ff.lead({"recall": "0.50"}, ff.Table(tp=4, fn=0, fp=1, tn=5), positives=4, negatives=6),
    ],
    "sizes": [
        lambda: ff.sizes(
            {
                "A": {"accuracy": "0.855", "recall": "0.507", "specificity": "0.941"},
                "B": {"accuracy": "0.813", "recall": "0.573", "specificity": "0.872"},
                "C": {"accuracy": "0.834", "recall": "0.320", "specificity": "0.961"},
            },
            max_total=500,
        ),
        lambda: ff.sizes({"A": {"accuracy": "0.855"}, "B": {"recall": "0.77"}}, positives=4, negatives=7),
        lambda: ff.sizes({"A": {"f1": "0.1", "accuracy": "0.95", "recall": "0.99"}}, max_total=30),
    ],
    "regression_recovery": [
        lambda: ff.recover_regression(n=50, mae="0.42", rmse="0.70", max_error=1.9, r2="0.81", variance="2.58"),
        lambda: ff.recover_regression(n=100, mae="0.60", rmse="0.45", r2="0.5"),
        lambda: ff.recover_regression(n=50, variance="2.58"),
        lambda: ff.recover_regression(n=50, mae="2.00", rmse="2.58", integer_errors=True, budget=0),
    ],
    "match": [lambda: ff.match(GROUP, REST, "recall", method="monte carlo", rng=1)],
    "interval": [
        lambda: ff.interval(REST, "recall"),
        lambda: ff.interval(EMPTY, "recall"),
        lambda: ff.interval(GROUP, "diagnostic_odds_ratio"),
        lambda: ff.interval(ff.Table(tp=5, fn=1, fp=1, tn=5), "diagnostic_odds_ratio"),
    ],
    "expected_error": [
        lambda: ff.groups.expected_error(GROUP, REST, "recall", size=20, strength=5),
        lambda: ff.groups.expected_error(EMPTY, REST, "recall", size=20),
    ],
    "plan": [
        lambda: ff.plan("recall", group=0.6, reference=0.8, reference_known=True),
        lambda: ff.plan("recall", group=0.6, reference=0.8, prevalence=0.3, reference_cases=400, cases=50),
        lambda: ff.plan("recall", group=0.6, reference=0.8, reference_cases=5, most=100),
        lambda: ff.plan("recall", group=0.8, width=0.4),
        lambda: ff.plan("mcc", group=GROUP, reference=REST, cases=12),
    ],
    "smoothed": [lambda: ff.smooth(ff.Table(tp=0, fn=0, fp=0, tn=0), REST)],
    "smoothed_matrix": [lambda: ff.smooth(*(ff.Matrix([[n, 2, 1], [3, n, 1], [0, 2, n]]) for n in (4, 40)))],
    "audit": [
        lambda: ff.audit_tables({"a": GROUP, "b": EMPTY}, metrics=["recall", "positive_likelihood_ratio"]),
        lambda: ff.audit_tables({str(n): ff.Matrix([[n, 2, 1], [3, n, 1], [0, 2, n]]) for n in (4, 40)}),
    ],
    "paired_comparison": [
        lambda: ff.groups.compare_paired({(1, 1, 0): 9, (1, 0, 1): 2, (0, 0, 0): 30}, "f1"),
        lambda: ff.groups.compare_paired({(0, 0, 0): 5, (0, 1, 0): 2}, "recall"),
        lambda: ff.groups.compare_paired(
            {("a", "a", "b"): 4, ("b", "b", "c"): 3, ("c", "c", "c"): 5}, "mcc", draws=100
        ),
    ],
    "model_comparison": [
        lambda: ff.compare_models(
            {"y": [1, 1, 0, 0], "a": [1, 1, 0, 1], "b": [1, 0, 0, 0], "site": [None, 1, 1, 1]},
            truth="y",
            prediction=["a", "b"],
            by="site",
            metrics=["recall", "mcc"],
        ),
        lambda: ff.compare_models(
            {"y": list("abcabc"), "one": list("abcabb"), "two": list("abbaac")}, truth="y", prediction=["one", "two"]
        ),
    ],
    "decomposition": [
        lambda: ff.decompose(TRUTH, ROWS, by=[1, 1, 2, 2]),
        lambda: ff.decompose(TRUTH, ROWS, prediction=["b", "a", "a", "a"]),
        lambda: ff.decompose(*ONE_CLASS),
    ],
    "certainty_ratio": [
        lambda: ff.decompose(TRUTH, ROWS).ratio("f1", average="macro"),
        lambda: ff.decompose(TRUTH, ROWS).ratio("mcc"),
        lambda: ff.decompose(*ONE_CLASS).ratio("macro_f1", convention="paper"),
    ],
    "resampled": [
        lambda: certainty.bootstrap(TRUTH * 5, ROWS * 5, "accuracy", draws=20),
        lambda: certainty.difference(TRUTH * 5, ROWS * 5, [row[::-1] for row in ROWS] * 5, "macro_f1", draws=20),
        lambda: certainty.bootstrap(*ONE_CLASS[:2], "mcc", labels=ONE_CLASS[2], draws=20),
    ],
    "abstention": [
        lambda: certainty.abstain(TRUTH * 5, ROWS * 5, want=0.8, draws=20),
        lambda: certainty.abstain(*ONE_CLASS[:2], "mcc", labels=ONE_CLASS[2], want=0.9, draws=20),
    ],
    "calibration": [
        lambda: certainty.calibrate(TRUTH * 5, ROWS * 5, draws=20),
        lambda: certainty.calibrate(*ONE_CLASS, of="a", spacing="width", bins=1, draws=20, rng=1),
    ],
    "certainty_comparison": [
        lambda: certainty.compare_certainty(TRUTH * 5, ROWS * 5, [row[::-1] for row in ROWS] * 5, draws=20),
        lambda: certainty.compare_certainty(ONE_CLASS[0], *[ONE_CLASS[1]] * 2, labels=ONE_CLASS[2], draws=20),
    ],
    "curve": [lambda: certainty.mcp(TRUTH, ROWS), lambda: certainty.imcp(*ONE_CLASS)],
    "losses": [
        lambda: certainty.losses(TRUTH, ROWS),
        lambda: certainty.losses(["a", "b"], [[1.0, 0.0], [1.0, 0.0]]),
    ],
    "reproduction": [
        lambda: Reproduction(
            "small-data",
            "who, when",
            (
                Part("Table 1", "Holes", "differs", "{agree} agree", {"agree": 1}, (compared("f1", "n", "4.0", 4.04),)),
                Part("Figure 1", "Laws", "not reproduced", "no data"),
            ),
            (
                Statement("§1", "It is so.", None, "it cannot be told"),
                Statement("§2", "And so.", True, "{x}", {"x": 0.5}),
            ),
        )
    ],
    "report": [
        lambda: ff.read(WRONG)[0],
        lambda: ff.read(
            "| | precision | recall | support |\n|---|---|---|---|\n| a | 0.9 | 0.8 | 9 |\n| b | 0.8 | 0.9 | 9 |"
        )[0],
    ],
    "check": [
        lambda: ff.check(WRONG, Path("missing.md"), f"# fourfold: ignore\n{WRONG}"),
        lambda: ff.check("Accuracy: 0.865, recall: 0.72", baseline=Baseline((ACCEPTED,)), positives=68, negatives=132),
        lambda: ff.check(WRONG, baseline=ff.check(WRONG).baseline()),
    ],
    "sheet_check": [
        lambda: SheetCheck(
            "sheet.csv",
            "verdicts.csv",
            2,
            1,
            {"impossible": 1, "not read": 1},
            (SheetColumn("", "A", "Acc (%)", "accuracy, in per cent", True),),
            (ToldRow("line 2", "A", "impossible", "No table fits."),),
            {"it has no numbers": 1},
            (ff.Note("sheet_resumed", "continues after the 1 row that were done before", {"rows": 1}),),
            (ToldRow("line 2", "A", "impossible", "No table fits."), ToldRow("line 3", "B", "not read", error="why")),
        )
    ],
    "studies": [
        lambda: ff.check(STUDIES).studies(),
        lambda: ff.check(STUDIES).studies("revman", all_tables=True),
        lambda: ff.check("tp=0, fn=0, fp=3, tn=7").studies("meta"),
    ],
    "baseline": [lambda: ff.check(WRONG).baseline()],
    "error": [lambda: ff.InputError("bad_count", "tp", "must be a whole number", "x" * 200, "count cases")],
}
