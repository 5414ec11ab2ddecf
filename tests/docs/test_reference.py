"""The reference is up to date and whole: everything that has a name is in it."""

from __future__ import annotations

import json
import re
from types import ModuleType

import pytest

import fourfold as ff
from fourfold import certainty, cli, errors, groups, papers, plots
from fourfold.exact import cells
from fourfold.papers import paper

from ..conftest import ROOT

FOLDER = ROOT / "docs" / "reference"


def page(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def sections(text: str, mark: str) -> dict[str, str]:
    """Return what stands below each heading of a level."""
    found = re.split(rf"^{mark} (.+)\n", text, flags=re.MULTILINE)
    return dict(zip(found[1::2], found[2::2], strict=True))


def test_generated_files_are_up_to_date(reference: ModuleType) -> None:
    for name, text in reference.pages().items():
        assert page(name) == text, f"{name}: run python scripts/reference.py"


def test_every_metric_and_contrast_is_documented_with_every_name() -> None:
    found = sections(page("metrics.md"), "###")
    for entry in (*ff.METRICS.values(), *ff.metrics.CONTRASTS.values()):
        text = found[entry.label]
        assert text.strip().startswith(f"`{entry.id}`. {entry.says}")
        for name in entry.aliases:
            assert f"`{name}`" in text, f"{entry.id}: {name}"
        for words in entry.undefined_where:
            assert words in text, f"{entry.id}: {words}"
        if isinstance(entry, ff.Metric):
            assert f"- formula: `{entry.formula.text()}`" in text
            assert f"- range: {entry.limits}" in text
            assert re.search(r"^- law: ", text, re.MULTILINE)


#: 001 section 5 names binomial and joint ratio metrics. Marginal benefit counts two kinds of cases against each other and
#: leaves a third; MCC and the G-mean are roots, so that only their order within rows helps.
FAMILIES = {
    "accuracy": "binomial",
    "prevalence": "binomial",
    "recall": "joint ratio",
    "precision": "joint ratio",
    "marginal_benefit": "trinomial",
    "mcc": "row by row",
    "g_mean": "row by row",
}


@pytest.mark.parametrize(("name", "family"), FAMILIES.items())
def test_families(name: str, family: str) -> None:
    assert f"- law: {family}\n" in sections(page("metrics.md"), "###")[ff.metric(name).label]


@pytest.mark.parametrize("entry", ff.METRICS.values(), ids=lambda entry: entry.id)
def test_the_formula_of_the_holes_counts_them(reference: ModuleType, entry: ff.Metric) -> None:
    text = reference._holes_formula(entry.formula)
    for n in range(1, 9):
        undefined = 0
        for tp in range(n + 1):
            for fn in range(n + 1 - tp):
                for fp in range(n + 1 - tp - fn):
                    table = {"tp": tp, "fn": fn, "fp": fp, "tn": n - tp - fn - fp}
                    undefined += entry.formula.exact(table) is None
        assert not text or polynomial(text, n) == undefined, n


def polynomial(text: str, n: int) -> float:
    """Work out such a text as (n² + 3n + 2) / 2."""
    halves = text.endswith(" / 2")
    terms = text.removesuffix(" / 2").strip("()").replace("− ", "+ -").split(" + ")
    powers = {"n²": n * n, "n": n, "": 1}
    parts = [re.fullmatch(r"(-?\d*)(n²|n|)", term) for term in terms]
    return sum(int(part[1] or 1) * powers[part[2]] for part in parts) / (2 if halves else 1)


def test_formulas_are_set(reference: ModuleType) -> None:
    tp, fn, fp, tn = cells()
    set_text = reference._mathml((tp - (fn - fp)) * tn / 2)
    bracket = "<mrow><mo>(</mo><mi>TP</mi><mo>−</mo><mrow><mo>(</mo><mi>FN</mi><mo>−</mo><mi>FP</mi><mo>)</mo></mrow><mo>)</mo></mrow>"
    assert set_text == f"<mfrac><mrow>{bracket}<mo>·</mo><mi>TN</mi></mrow><mrow><mn>2</mn></mrow></mfrac>"
    assert reference.metrics_page(set_formulas=True).count("<math") >= len(ff.METRICS) + len(ff.metrics.CONTRASTS)
    assert "<math" not in page("metrics.md")


def test_every_command_and_option_is_documented() -> None:
    found = sections(page("command-line.md"), "##")
    assert set(found) == set(cli.cli.commands)
    for name, command in cli.cli.commands.items():
        options = [option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)]
        for option in options:
            if option.startswith("-"):
                assert re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", found[name]), f"{name} {option}"


@pytest.mark.parametrize("codes", [errors.ERROR_CODES, errors.NOTE_CODES], ids=["errors", "notes"])
def test_every_code_is_documented_with_what_to_do(codes: dict[str, str]) -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", page("errors.md"), flags=re.MULTILINE))
    for code, meaning in codes.items():
        says, _, helps = rows[code].partition(" | ")
        assert says == meaning
        assert helps.endswith(".")


def python_names() -> dict[str, str]:
    """Return what the pages of all topics say of each name."""
    found: dict[str, str] = {}
    for path in sorted((FOLDER / "python").glob("*.md")):
        named = sections(path.read_text(encoding="utf-8"), "###")
        assert not set(named) & set(found), path.name
        found |= named
    return found


def test_every_public_name_is_documented() -> None:
    found = python_names()
    assert "`ff.__version__`" in page("python.md")
    for name in set(ff.__all__) - {"__version__"}:
        assert found[name].strip(), name
        assert f"[`ff.{name}`](python/" in page("python.md")
    for module in (certainty, groups, papers, plots):
        for name in module.__all__:
            assert name in found or f"{module.__name__.removeprefix('fourfold.')}.{name}" in found, name


def test_results_show_their_fields_and_methods() -> None:
    found = python_names()
    for name in (
        "verdict",
        "count",
        "bounds(metric, *, over=None)",
        "distribution(metric, prior='tables')",
        "all_bounds",
        "repairs",
    ):
        assert f"`{name}`" in found["Recovery"], name
    for name in ("score", "below", "equal", "above", "percentile", "p_value", "mid_p", "rows()", "to_dict()"):
        assert f"`{name}`" in found["groups.Match"], name


def test_every_schema_and_member_is_documented() -> None:
    found = sections(page("json.md"), "##")
    for path in (FOLDER / "schemas").glob("*.json"):
        schema = json.loads(path.read_text(encoding="utf-8"))
        text = found[schema["title"]]
        assert f"(schemas/{path.name})" in text
        for member in set(schema["properties"]) - {"schema", "version"}:
            assert f"| `{member}` |" in text, f"{path.stem}: {member}"


def test_every_data_set_is_listed_on_the_page_of_the_papers() -> None:
    page = (ROOT / "docs" / "how-to" / "reproduce-the-papers.md").read_text(encoding="utf-8")
    for line in paper.table("sets.csv"):
        assert f"| {line['set']} | `{line['file']}.parquet` | {line['openml'] or '-'} |" in page
