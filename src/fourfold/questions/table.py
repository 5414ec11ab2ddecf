"""The table of questions: all doors read it. To add an option, add its line here and use it in the library."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Final

from .parameters import Parameter, Picture, Question

# A parameter is a line or two here: its name, kind, help, and label in a form.
# fmt: off
_TRUTH: Final = Parameter("truth", "column", "The column of actual labels.", "Column of actual labels", required=True)
_QUERY: Final = Parameter("query", "text", "For a DuckDB or SQLite file: the select to run.", web=False)
_SCORE: Final = Parameter("score", "column", "Instead of predicted labels: a column of numbers, with --threshold.",
    "Column of scores, in place of predicted labels")
_THRESHOLD: Final = Parameter("threshold", "number", "The smallest score that counts as predicted positive.",
    "Predicted positive from this score on")
_FORMS: Final = "PNG, SVG, PDF or HTML"

_ROUNDING: Final = Parameter("rounding", "choice", "How scores were rounded: {choices}.", "How scores were rounded",
    default="any", choices="exact.reported:ROUNDINGS",
    words={"any": "not known (any)", "half_up": "half up", "half_even": "half to even",
           "truncate": "cut off (truncate)", "ceiling": "always up (ceiling)"})

_FOLDS: Final = Parameter("folds", "text", "For means over folds: how many, '10 stratified' or '10 unstratified' if "
    "that is known, 'repeated 10x5', the positives:negatives of each, such as 12:30,13:30, any for 2 to 20, "
    "or none if the scores are those of one test set.",
    "Folds, where scores are means over folds")
_SPREAD: Final = Parameter("spread", "choice", "What a number after ± is: {choices}.", "A number after ± is",
    default="any", choices="claims.folds:SPREADS",
    words={"any": "not known", "sd": "standard deviation (n)", "sample_sd": "standard deviation (n - 1)",
           "standard_error": "standard error", "bounds": "bounds"})
_OVER_AND_SPREAD: Final = (
    Parameter("over", "choice", "For folds or sets: mean, or pooled for scores of all cases together; any tries "
        "both.", "Scores of folds are", default="any",
        choices="claims.folds:OVERS", words={"any": "not known", "mean": "means", "pooled": "of all cases"}),
    _SPREAD,
)

_UNDEFINED: Final = Parameter("undefined", "choice",
    "How undefined scores were printed: none if there are none, zero if as 0, one if as 1, excluded if they were "
    "left out of averages. With any, the report is first taken as it stands; if no table fits, the other ways are "
    "tried.", "Undefined scores",
    default="any",
    choices="metrics:CONVENTIONS",
    words={"any": "not known: try what could be meant", "none": "do not occur", "zero": "were printed as 0",
           "one": "were printed as 1", "excluded": "were left out (excluded)"})

_MAP: Final = Parameter("map", "pair", "What a column of scores is, as COLUMN=NAME: a score, a size, or not used.",
    "What a column is", many=True)

_ALL_TABLES: Final = Parameter("all_tables", "flag", "With --table or --for: write a row for each table that fits, "
    "of a report at most 1,000, with the ends of sensitivity and specificity among them.", web=False)


def _json_version(now: int) -> Parameter:
    words = f"The version of the JSON: {now}, or {now - 1} in this release."
    return Parameter("json_version", "integer", words, "Version of the JSON", default=now)


# Options that one report and a table of reports share.
_HOW_REPORTED: Final = (
    Parameter("max_total", "whole", "The largest total to try if no size is given.",
        "Largest total to try, where no size is given"),
    _ROUNDING,
    _UNDEFINED,
    Parameter("curve", "choice", "The ROC curve of a reported area: any, or convex.", "ROC curve of a reported area",
        default="any", choices="solve.area:Curve", words={"any": "of any form", "convex": "convex"}),
    Parameter("budget", "whole", "How many rows to search before the answer is 'undecided'.", "Rows to look at"),
    Parameter("bounds", "metric", "Bounds to show: auto (all if that is quick), all, none, or names of metrics.",
        "Bounds of the metrics", default="auto", many=True),
)

_HOW_COMPARED: Final = (
    Parameter("level", "number", "The level of the intervals; tests use 1 minus this.", "Level of the intervals",
        default=0.95),
    Parameter("correction", "choice", "The correction for many tests: {choices}.", "Correction for many tests",
        default="holm",
        choices="groups.auditing.corrections:Correction",
        words={"holm": "Holm: any false alarm is rare", "fdr": "FDR: few alarms are false",
               "max": "max: all cases shuffled"}),
    Parameter("strength", "amount", "The strength of the smoothing: a number, or auto.", "Strength of smoothing",
        default="auto"),
    Parameter("reference_known", "flag", "The reference's score is known, not measured on a sample.",
        "The reference's score is known, not measured"),
    Parameter("step_down", "flag", "Take a group that differs out of the rest, and test the others again.",
        "Take groups that differ out of the others' rest"),
    Parameter("percentile", "flag", "Also show where each score lies among samples of the reference.",
        "Show where samples of the reference would score"),
    Parameter("seed", "whole", "The seed of the random numbers in permutation tests.", "Seed"),
)

_ALL: Final = (
    Question("metrics", "List every metric, or describe the one called NAME.", gives=("metrics", "metric"), parameters=(
        Parameter("name", "metric", "A metric by any of its names.", "Metric", option="[NAME]"),
    ), examples=("metrics", "metrics mcc")),
    Question("glossary", "Explain the terms that answers use.", gives=("glossary",), parameters=(),
        examples=("glossary",)),
    Question("score", "Score one table by all metrics, with the reason where one is undefined.", gives=("scores",),
        parameters=(
        Parameter("cells", "cells", "Four counts by name.", "Table", many=True, required=True, option="CELLS..."),
        Parameter("order", "text", "The order of four bare numbers, such as 'tn fp fn tp'.", web=False),
        Parameter("truth", "column", "For a file: the column of actual labels.", web=False),
        Parameter("prediction", "column", "For a file: the column of predicted labels.", web=False),
        replace(_SCORE, web=False),
        replace(_THRESHOLD, web=False),
        Parameter("positive", "text", "For a file: the label that counts as positive.", web=False),
        _QUERY,
        Parameter("metrics", "metric", "Only this metric; may be given several times.", "Metrics", many=True,
            option="--metric"),
    ), more=(
        "CELLS are four named counts, four bare numbers with --order, or a file of labels: CSV (also compressed) "
        "or parquet, many files with *, or a DuckDB or SQLite file with --query. A file called - is standard input."
    ), examples=(
        "score tp=45 fn=5 fp=10 tn=40",
        'score 40 10 5 45 --order "tn fp fn tp"',
        "score predictions.csv --truth y --prediction yhat --positive sick",
        "score predictions.csv --truth y --score risk --threshold 0.5",
    )),
    Question("holes", "Count the tables of a SIZE for which METRIC is undefined.", gives=("holes",), parameters=(
        Parameter("metric", "metric", "A metric by any of its names.", "Metric", required=True, option="METRIC"),
        Parameter("sizes", "whole", "The number of cases; two numbers for a measure of two groups.", "Sizes", many=True,
            required=True, option="SIZE [SIZE]"),
    ), more="A measure of two groups takes two sizes, or one for both.",
    examples=("holes mcc 30", "holes treatment_equality 30 50")),
    Question("recover", "Find every table that could have produced reported scores.",
        gives=("recovery",), report=True, parameters=(
        Parameter("scores", "scores", "Scores by any name of a metric, as printed, with trailing zeros; auc; and "
            "counts such as tp=87 or tp=80-90. With several classes, scores of one, such as recall[cat], or of all, "
            "such as macro_f1.",
            "Reported scores", many=True, option="[NAME=TEXT...]"),
        Parameter("classes", "text", "For several classes: their sizes, such as cat=50,dog=40-60 or 50,50,50; or their "
            "number, with --total.", "Sizes of several classes"),
        Parameter("positives", "size", "Actual positives: a number or a range such as 40-60.", "Positives"),
        Parameter("negatives", "size", "Actual negatives: a number or a range.", "Negatives"),
        Parameter("total", "size", "All cases: a number or a range.", "Total"),
        Parameter("dataset", "text", "A known test set, such as isic2016, in place of sizes; `fourfold datasets` lists "
            "all.", "Known test set, in place of sizes"),
        _FOLDS,
        Parameter("sets", "sets", "For means over test sets: the positives:negatives of each, such as "
            "12:30,140:20; or a CSV file with a row for each set: positives, negatives, and optionally weight, repeats "
            "and folds.", "Test sets, as positives:negatives"),
        Parameter("runs", "whole", "For means over runs on one test set: how many.", "Runs on one test set"),
        Parameter("splits", "text", "For means over splits of the data: how many, and the share that each tested, such "
            "as '5 of 0.2'. Sizes are those of all data.", "Splits, such as 5 of 0.2"),
        Parameter("holdout", "text", "If a share of the data was tested: which, such as 0.2. Sizes are those of all "
            "data.", "Share of the data that was tested"),
        Parameter("each", "said", "A range that holds in each fold or set, such as 'recall=[0.5, 1]'.",
            "What holds for each fold", many=True),
        *_OVER_AND_SPREAD,
        Parameter("repeats", "whole", "How often the cross-validation was repeated (1).", "Repeats of the folds"),
        *_HOW_REPORTED,
        Parameter("explain", "choice", "Why nothing fits: the fewest scores to leave out, or all sets of scores that "
            "contradict each other.", "Why nothing fits", default="fewest", choices="claims.recovery:Explained",
            words={"fewest": "the fewest scores to leave out", "all": "all contradictions"}),
        _json_version(3),
    ), more="Write scores as they were printed: trailing zeros matter. If you know how they were averaged, say it: "
        "only that is tried then. Exit code 1 means impossible, 3 undecided.",
    examples=(
        "recover --positives 40 --negatives 60 accuracy=0.85 recall=80%",
        "recover --total 110 accuracy=92.7% precision=96.9% recall=95%",
        "recover --positives 100 --negatives 200 accuracy=0.95 auc=0.71",
        "recover accuracy=68.00% recall=51.28% precision=80.00% f1=62.50%",
        "recover --classes cat=50,dog=50,cow=50 'recall[cat]=1.00' 'precision[dog]=0.92' accuracy=0.95",
        "recover --positives 357 --negatives 212 --folds 10 accuracy=0.938 precision=0.939 recall=0.966",
        "recover --table review.csv -o verdicts.csv",
    ), pictures=(
        Picture("plot", "feasible", f"Draw the claims and the tables, or the cells of several classes: {_FORMS}."),
        Picture("bars", "bounds", "Draw the bounds of every metric as bars."),
    )),
    Question("check", "Check every score, matrix and report in DOCUMENTS.", gives=("check",), report=True, parameters=(
        Parameter("file", "document", "Text, markdown, HTML, LaTeX, CSV, JSON, notebooks, spreadsheets, Word, PDF.",
            "Documents", many=True, required=True, option="DOCUMENTS..."),
        Parameter("positives", "size", "Actual positives, if the document does not say: a number or a range.",
            "Positives"),
        Parameter("negatives", "size", "Actual negatives, if the document does not say.", "Negatives"),
        Parameter("total", "size", "All cases, if the document does not say.", "Total"),
        _FOLDS,
        *_OVER_AND_SPREAD,
        _ROUNDING,
        _UNDEFINED,
        _MAP,
        Parameter("fail_on", "choice", "Exit with 1 if a report is impossible; or also if one is unexplained, "
            "conditional (possible only under a condition) or undecided; or never.", "Fail on", default="impossible",
            choices="reports:FAIL_ON", web=False),
        Parameter("output", "text", "For a sheet: write a copy with a verdict beside each row (.xlsx, .csv, .tsv). For "
            "other documents and folders: write a row for each report (.csv).", option="-o/--output", web=False),
        Parameter("program", "text", "With -o: write the counts of each study for a meta-analysis, as R's mada or "
            "meta or as revman reads them (.csv).", option="--for", web=False),
        _ALL_TABLES,
        Parameter("baseline", "text",
            "A file of accepted findings, which do not make the check fail; see --write-baseline.", web=False),
        Parameter("write_baseline", "text",
            "Accept all findings that would make the check fail, and write them to this file.", web=False),
        Parameter("sarif", "text", "Write findings as SARIF to this file.", web=False),
        Parameter("junit", "text", "Write findings as JUnit XML to this file.", web=False),
        Parameter("jobs", "integer", "How many processes to use; -1 for all cores.", default=1, web=False),
        _json_version(2),
    ), more=(
        "DOCUMENTS are files, patterns such as 'docs/*.md', or folders; - is standard input. Sizes and folds are used "
        "where the document gives none. A comment fourfold: ignore in a document leaves out the report or table that "
        "follows it. Exit code 1 means that the check failed, 2 that a document could not be read."
    ), examples=(
        "check README.md paper.pdf results.xlsx",
        "check - < pasted.txt",
        "check sheet.xlsx -o verdicts.xlsx",
        "check sheet.xlsx -o counts.csv --for mada",
        "check papers/ -o findings.csv --jobs -1",
        "check docs/ --write-baseline .fourfold-baseline.json",
        "check docs/ --baseline .fourfold-baseline.json --sarif fourfold.sarif",
        "check results.tex --positives 357 --negatives 212 --folds 10 --html verdicts.html",
    )),
    Question("preview", "Show how the columns of a DOCUMENT are read, and which question fits it.",
        gives=("preview",), parameters=(
        Parameter("file", "document", "Data such as CSV and parquet, or any document that check reads.", "Document",
            required=True, option="DOCUMENT"),
    ), more="Only the first rows of data are read.",
    examples=("preview predictions.csv", "preview sheet.xlsx")),
    Question("recover-regression", "Say whether reported scores of a regression fit together.",
        gives=("regression_recovery",), parameters=(
        Parameter("n", "whole", "How many cases were predicted.", "Cases", required=True),
        Parameter("scores", "scores", "Some of mae, rmse, mse, max_error, r2 and variance (of the targets), as "
            "printed.", "Reported scores", many=True, option="[NAME=TEXT...]"),
        Parameter("integer_errors", "flag", "Targets and predictions are whole numbers.",
            "Targets and predictions are whole numbers"),
        Parameter("sample_variance", "flag", "The variance was divided by n - 1, not by n.",
            "The variance was divided by n - 1"),
        _ROUNDING,
        Parameter("budget", "whole", "How many choices of whole errors to try before the answer is 'undecided'.",
            "Choices to look at"),
    ), more="Write scores as they were printed: trailing zeros matter. Exit code 1 means impossible, 3 undecided.",
    examples=(
        "recover-regression --n 100 mae=0.60 rmse=0.45",
        "recover-regression --n 50 mae=0.42 rmse=0.70 max_error=1.9 r2=0.81 variance=2.58",
    )),
    Question("protocols", "Find out in which ways reported scores can have been computed.", gives=("protocols",),
        parameters=(
        Parameter("scores", "scores", "Scores by any name of a metric, as printed.", "Reported scores", many=True,
            option="[NAME=TEXT...]"),
        Parameter("positives", "whole", "Actual positives.", "Positives"),
        Parameter("negatives", "whole", "Actual negatives.", "Negatives"),
        Parameter("total", "whole", "All cases, instead of one of these.", "Total"),
        Parameter("sets", "text", "Instead of sizes: test sets as positives:negatives, such as 12:30,140:20. If you "
            "do not know which sets were used, give it several times, each with a name: small=12:30,140:20.",
            "Test sets, as positives:negatives", many=True),
        Parameter("repeats", "whole", "How often stratified folds were made, or test sets were used. If left out, once "
            "and several times are tried.", "Repeats of the folds"),
        _SPREAD,
        _ROUNDING,
        _UNDEFINED,
        Parameter("budget", "whole", "How many rows to search before one test set is 'undecided'.",
            "Rows to look at"),
        _json_version(2),
    ), more="It tries one test set and runs on it, means over 2 to 20 stratified and unstratified folds and over "
        "single cases, averages of any other kind, and classifiers that always say the same. For several test sets it "
        "tries means over them, and all cases together. Exit code 1 means that none fits, 3 that none is known to fit.",
    examples=(
        "protocols --positives 357 --negatives 212 accuracy=0.938 precision=0.939 recall=0.966",
        "protocols --sets 12:30,140:20 accuracy=0.89 recall=0.94",
    )),
    Question("review", "Recover every report of a table with one report per row.", parameters=(
        Parameter("file", "file", "A table with one report per row; verdicts are written to --output.",
            "Table of reports",
            required=True, option="--table"),
        Parameter("output", "text", "For --table: the CSV file to write.", option="-o/--output", web=False),
        Parameter("map", "pair", "For --table: what a column is, as COLUMN=NAME.", "What a column is", many=True),
        _ALL_TABLES,
        Parameter("jobs", "integer", "For --table: how many processes to use; -1 for all cores.", default=1, web=False),
        *_HOW_REPORTED,
    )),
    Question("sizes", "Find the test set that all rows of a TABLE of results share.", gives=("sizes",), web=False,
        parameters=(
        Parameter("file", "file", "A table of results with a method in each row: a column of names, columns of scores.",
            "Table of results", required=True, option="TABLE"),
        Parameter("positives", "size", "Actual positives, if they are known: a number or a range.", "Positives"),
        Parameter("negatives", "size", "Actual negatives, if they are known.", "Negatives"),
        Parameter("total", "size", "All cases, if they are known.", "Total"),
        Parameter("max_total", "whole", "The largest number of cases to try.", "Largest total to try", default=2000),
        _ROUNDING,
        _UNDEFINED,
        Parameter("budget", "whole", "How many rows to search for scores other than those of one class and accuracy.",
            "Rows to look at"),
    ), more="All rows are taken as scores of two classes on one test set. Rows that do not fit the test set of the "
        "others are named. Write scores as they were printed: trailing zeros matter.",
    examples=("sizes methods.csv", "sizes methods.csv --total 379")),
    Question("datasets", "List known public test sets, with the sizes of their classes.", gives=("datasets",),
        web=False, parameters=(
        Parameter("name", "text", "Only those in whose name this stands.", option="[NAME]"),
    ), examples=("datasets", "datasets isic")),
    Question("lead", "Say by how much one row of a table of results leads another, and what p-values that can have.",
        gives=("lead",), web=False, parameters=(
        Parameter("first", "text", "The scores of one row as printed, with commas: accuracy=0.855,recall=0.507.",
            "Scores of the first", required=True),
        Parameter("second", "text", "The scores of the other row.", "Scores of the second", required=True),
        Parameter("positives", "size", "Actual positives.", "Positives", required=True),
        Parameter("negatives", "size", "Actual negatives.", "Negatives", required=True),
        _ROUNDING,
        _UNDEFINED,
        Parameter("level", "number", "Rows are tied if every p-value is above 1 minus this.", "Level", default=0.95),
    ), more="The p-values are those of McNemar's exact test over every table that fits, and every way in which the "
        "errors of both can overlap.",
    examples=("lead --first accuracy=0.855 --second accuracy=0.844 --positives 75 --negatives 304",)),
    Question("compare-groups", "Say whether a group's METRIC is different, by how much, and how sure that is.",
        gives=("comparison", "contrast"), parameters=(
        Parameter("metric", "metric", "A metric, or a measure of two groups, by any of its names.", "Metric",
            required=True, option="METRIC"),
        Parameter("group", "table", "The group's counts: tp=13,fn=26,fp=31,tn=275.", "Group", required=True),
        Parameter("reference", "table", "The reference's counts.", "Reference", required=True),
        Parameter("level", "number", "The level of the intervals.", "Level of the intervals", default=0.95),
        Parameter("reference_known", "flag", "The reference's score is known, not measured on a sample.",
            "The reference's score is known, not measured"),
        Parameter("draws", "whole", "For permutation tests: how many tables to draw.", "Tables to draw"),
        Parameter("seed", "whole", "For permutation tests: the seed of the random numbers.", "Seed"),
    ), more=(
        "The test is about the metric alone: a different prevalence does not count as a difference in recall. A "
        "measure of two groups, such as equalized_odds_difference, is shown with an interval."
    ), examples=(
        "compare-groups recall --group tp=60,fn=30,fp=5,tn=95 --reference tp=320,fn=80,fp=20,tn=180",
        "compare-groups disparate_impact --group tp=1,fn=4,fp=2,tn=13 --reference tp=60,fn=40,fp=80,tn=320",
    )),
    Question("match", "Show where a random sample of the reference, as large as the group, would score.",
        gives=("match",), parameters=(
        Parameter("metric", "metric", "A metric by any of its names.", "Metric", required=True, option="METRIC"),
        Parameter("group", "table", "The group's counts: tp=13,fn=26,fp=31,tn=275.", "Group", required=True),
        Parameter("reference", "table", "The reference's counts.", "Reference", required=True),
        Parameter("method", "choice", "How chances are computed: {choices}.", "How chances are computed",
            default="auto", choices="groups.testing.matching:MatchMethod"),
        Parameter("reference_uncertainty", "flag", "Take into account that the reference's shares are uncertain.",
            "Take into account that the reference's shares are uncertain"),
        Parameter("seed", "whole", "For monte carlo: the seed of the random numbers.", "Seed"),
    ), more=(
        "The sample is drawn from the reference as it is, with its prevalence. So this is a description, not a test of "
        "the metric; `compare-groups` tests it."
    ), examples=(
        "match --group tp=13,fn=26,fp=31,tn=275 --reference tp=26305,fn=16163,fp=20040,tn=93579 recall",
    ), pictures=(Picture("plot", "law", f"Draw the law of the score: {_FORMS}."),)),
    Question("smooth", "Pull a small group's table towards a reference.", gives=("smoothed",), parameters=(
        Parameter("group", "table", "The group's counts: tp=2,fn=1,fp=0,tn=3.", "Group", required=True),
        Parameter("reference", "table", "The reference's counts.", "Reference"),
        Parameter("strength", "amount", "How strongly a small group is pulled to the reference: how many "
            "cases are added to it, or auto.",
            "Strength of smoothing", default="auto"),
        Parameter("epsilon", "amount", "Instead of a reference: how much to add to each cell.", "To add to each cell"),
    ), examples=(
        "smooth --group tp=2,fn=1,fp=0,tn=3 --reference tp=30,fn=20,fp=20,tn=130 --strength 10",
        "smooth --group tp=2,fn=1,fp=0,tn=3 --reference tp=30,fn=20,fp=20,tn=130 --strength auto",
        "smooth --group tp=2,fn=1,fp=0,tn=3 --epsilon 1",
    )),
    Question("audit", "Compare the groups in FILE: which differ, by how much, and how sure that is.",
        gives=("audit",), report=True, parameters=(
        Parameter("file", "cases", "A table with one case per row.", "Predictions", required=True, option="FILE"),
        _TRUTH,
        Parameter("prediction", "column", "The column of predicted labels.", "Column of predicted labels"),
        _SCORE,
        _THRESHOLD,
        Parameter("by", "column", "A column that forms groups; several are combined.", "Columns that form groups",
            many=True,
            required=True),
        Parameter("unit", "column", "The column that says which rows belong together, such as the patient.",
            "Column of patients, or what rows belong to"),
        Parameter("metric", "metric", "A metric; may be given several times.", "Metrics", many=True),
        Parameter("reference", "text", "rest (all others), pairs, or a group such as race=White.", "Compared with",
            default="rest"),
        Parameter("positive", "text", "The label that counts as positive.", "Positive label"),
        *_HOW_COMPARED,
        _QUERY,
        Parameter("fail_on", "text",
            "Exit with 1 if this holds: different, or a condition such as 'recall_difference<-0.1'.",
            web=False),
        Parameter("output", "text", "Also write all findings to this CSV file.", option="-o/--output", web=False),
    ), more=(
        "FILE is CSV (also compressed) or parquet, a pattern with * for many files, or a DuckDB or SQLite file with "
        "--query. Each group is compared with all other cases, and p-values are corrected for all tests. More than two "
        "classes are audited together unless --positive names one."
    ), examples=(
        "audit predictions.csv --truth y --prediction yhat --by race --by sex --metric recall --metric mcc",
        'audit "logs/2026-*/*.parquet" --truth y --prediction yhat --by site',
        "audit compas.csv --truth two_year_recid --score decile_score --threshold 5 --by race",
    ), pictures=(Picture("plot", "forest", f"Draw the groups with their intervals: {_FORMS}."),)),
    Question("audit-tables", "Compare groups by their tables.", gives=("audit",), parameters=(
        Parameter("groups", "tables", "Tables by name.", "Groups", required=True),
        Parameter("metrics", "metric", "A metric; may be given several times.", "Metrics", many=True,
            option="--metric"),
        Parameter("reference", "reference", "rest, pairs, a group's name, or a table.", "Compared with",
            default="rest"),
        *_HOW_COMPARED,
    )),
    Question("compare", "Say which of two models is better on the same rows, overall and by group.",
        gives=("model_comparison",), report=True, parameters=(
        Parameter("file", "cases", "A table with one case per row, for each model; or one with both predictions.",
            "Predictions of both models", many=True, required=True, option="FILE [FILE]"),
        _TRUTH,
        Parameter("prediction", "column", "The column of predicted labels; for one file, both columns.",
            "Columns of predicted labels", many=True, required=True),
        Parameter("by", "column", "A column that forms groups; several are combined.", "Columns that form groups",
            many=True),
        Parameter("metric", "metric", "A metric; may be given several times.", "Metrics", many=True),
        Parameter("positive", "text", "The label that counts as positive.", "Positive label"),
        Parameter("key", "column", "For two files: the column that matches the rows.",
            "Column that matches the rows"),
        Parameter("level", "number", "The level of the intervals; tests use 1 minus this.", "Level of the intervals",
            default=0.95),
        Parameter("seed", "whole", "For more than two classes: the seed of the random numbers (0).", "Seed"),
        _QUERY,
        Parameter("output", "text", "Also write all findings to this CSV file.", option="-o/--output", web=False),
    ), more=(
        "Each FILE holds the predictions of one model on the same rows, in the same order or with --key; or one FILE "
        "holds both. Files are CSV or parquet, or one database with --query. The test is exact for every metric: the "
        "two predictions of a row may be swapped. p-values are corrected for all tests by Holm's method."
    ), examples=(
        "compare a.csv b.csv --truth y --prediction yhat --by site",
        "compare a.csv b.csv --truth y --prediction yhat --key id --metric f1 --metric mcc",
        "compare both.parquet --truth y --prediction old --prediction new --by site --positive sick",
    )),
    Question("plan", "Plan how many cases it takes to show that a group's METRIC differs, or to measure it well.",
        gives=("plan",), parameters=(
        Parameter("metric", "metric", "A metric by any of its names.", "Metric", required=True, option="METRIC"),
        Parameter("group", "population", "The group's true score, or its cells: tp=12,fn=8,fp=10,tn=70.",
            "Score of the group", required=True),
        Parameter("reference", "population", "The score to compare it with, or its cells.", "Score of the reference"),
        Parameter("prevalence", "number", "The share of actual positives.", "Share of actual positives"),
        Parameter("among", "number", "The share of cases that the metric is about, if prevalence does not give it.",
            "Share of cases that the metric is about"),
        Parameter("power", "number", "The smallest acceptable chance of finding the difference.", "Power", default=0.8),
        Parameter("width", "number", "Instead of a reference: the largest mean width of the interval.",
            "Width of the interval"),
        Parameter("level", "number", "The level of the interval; a test uses 1 minus this.", "Level", default=0.95),
        Parameter("tests", "whole", "How many tests share the level (Bonferroni, Holm's worst case).",
            "Number of tests", default=1),
        Parameter("reference_cases", "whole",
            "The number of cases in the reference; by default the same as in the group.", "Cases of the reference"),
        Parameter("reference_known", "flag", "Take the reference's score as known.",
            "Take the reference's score as known"),
        Parameter("cases", "whole", "Show what this size brings, instead of searching for one.", "Cases of the group"),
        Parameter("most", "whole", "The largest size to try.", "Largest size to try", default=1_000_000),
        Parameter("seed", "whole", "The seed of the random numbers, for metrics whose laws are simulated.", "Seed",
            default=20250),
    ), more=(
        "Power is that of the exact test, and it does not rise steadily with the size. The answer is the smallest size "
        "from which it stays above the target, with the larger sizes that are worse. Shares, F1 and Jaccard take "
        "scores; other metrics take tables, of counts or shares. Without --prevalence or --among, sizes count the "
        "cases that the metric is about, such as actual positives."
    ), examples=(
        "plan recall --group 0.60 --reference 0.80 --prevalence 0.3 --power 0.8",
        "plan recall --group 0.60 --reference 0.80 --prevalence 0.3 --reference-cases 2000 --tests 16",
        "plan recall --group 0.80 --width 0.1 --prevalence 0.3",
        "plan mcc --group tp=12,fn=8,fp=10,tn=70 --reference tp=0.18,fn=0.02,fp=0.04,tn=0.76",
    ), pictures=(Picture("plot", "curve", f"Draw what each size brings: {_FORMS}."),)),
    Question("certainty", "Show how much of a score rests on confident predictions.",
        gives=("certainty",), report=True, parameters=(
        Parameter("file", "cases", "A table with one case per row, for each classifier.",
            "Predictions with probabilities",
            many=True, required=True, option="FILE..."),
        _TRUTH,
        Parameter("probabilities", "columns",
            "The columns of probabilities: p_cat,p_dog or 'p_*'. By default those that sum "
            "to one in each row.", "Columns of probabilities"),
        Parameter("prediction", "column", "The column of predicted labels, if ties do not go to the first.",
            "Column of predicted labels, if ties do not go to the first"),
        Parameter("metric", "metric", "A metric of all classes; may be given several times.", "Metrics", many=True),
        Parameter("by", "column", "A column that forms parts, such as folds or groups.",
            "Columns that form parts, such as folds", many=True),
        Parameter("convention", "choice", "strict, or paper: undefined parts count as 0.", "Undefined parts",
            default="strict", choices="certainty.decomposition:Convention",
            words={"strict": "make the ratio undefined (strict)", "paper": "count as 0 (paper)"}),
        Parameter("want", "number", "The score you need: shows how many of the most certain cases can be kept.",
            "Wanted score, when the least certain are left out"),
        Parameter("key", "column", "For two files: the column that matches the rows.",
            "Column that matches the rows"),
        Parameter("bins", "whole", "The number of bins for calibration.", "Bins of calibration", default=10),
        Parameter("level", "number", "The level of the intervals.", "Level of the intervals", default=0.95),
        Parameter("seed", "whole", "The seed of the random numbers (20241).", "Seed"),
        Parameter("tolerance", "number", "How far from 1 a row may sum.", "How far from 1 a row may sum",
            default=0.001),
        _QUERY,
    ), more=(
        "Each FILE holds the predictions of one classifier: CSV or parquet, many files with *, or a database with "
        "--query. Two files of the same cases are compared: which is surer, and by how much. --want is about the "
        "first metric."
    ), examples=(
        "certainty predictions.csv --truth y",
        "certainty predictions.csv --truth y --want 0.95",
        "certainty predictions.csv --truth y --probabilities p_cat,p_dog,p_bird",
        "certainty a.parquet b.parquet --truth y --probabilities 'p_*' --metric accuracy --metric macro_f1",
    ), pictures=(
        Picture("plot", "certainty", f"Draw certain and uncertain bars: {_FORMS}."),
        Picture("kept", "abstention", f"Draw the score against the share of cases that are kept: {_FORMS}."),
        Picture("reliability", "calibration",
            f"Draw the stated probabilities against how often they come true: {_FORMS}."),
    )),
    Question("reproduce", "Reproduce a paper or a whole field: figures, tables, and what holds of it.",
        web=False, parameters=(
        Parameter("name", "text", "The paper or field.", option="[NAME]"),
        Parameter("data", "text", "The folder with the data sets, one parquet file each."),
        Parameter("fetch", "text", "Fetch what --data lacks from OpenML, and keep it in this folder."),
        Parameter("sets", "text", "Only this data set; may be given several times.", many=True, option="--set"),
        Parameter("output", "text", "The folder for the results; a stopped run continues from there.",
            option="-o/--output"),
        Parameter("jobs", "integer", "How many processes to use; -1 for all cores.", default=1, web=False),
    ), examples=(
        "reproduce                                         what there is",
        "reproduce small-data -o out/ --jobs 2             figures, tables and a page in a folder",
        "reproduce certainty --data DIR -o out/ --jobs 2",
        "reproduce drive --jobs 2                          the results of a whole field, judged again",
    )),
    Question("serve", "Open a web page on this machine to ask all three questions.", web=False, parameters=(
        Parameter("host", "text", "The address to listen on. Other machines can reach it only if it is not 127.0.0.1.",
            default="127.0.0.1"),
        Parameter("port", "integer", "0 takes a free port.", default=8440),
        Parameter("time_limit", "number", "Seconds that one question may take.", default=20.0),
    ), more="Nothing leaves the machine and nothing is fetched. Stop it with Ctrl-C.",
    examples=("serve", "serve --port 0")),
    Question("mcp", "Answer the questions of an assistant, over standard input and output.", web=False, parameters=(
        Parameter("folder", "text",
            "A folder whose files the assistant may read; may be given several times. Without it, "
            "no file is read.", many=True),
        Parameter("time_limit", "number", "Seconds that one question may take.", default=20.0),
    ), more=(
        "Assistants that speak the Model Context Protocol (MCP) start this command themselves, by an entry in their "
        "configuration. No network is used, and nothing is written."
    ), examples=("mcp", "mcp --folder papers --folder results")),
)

#: Every question by name.
QUESTIONS: Final = MappingProxyType({question.name: question for question in _ALL})
#: Those that can be asked from outside the command line, with what can be given there.
WEB_QUESTIONS: Final = MappingProxyType({question.name: question.on_the_web() for question in _ALL if question.web})
