"""The command line: parse, one call, render. Nothing is computed here."""

from __future__ import annotations

import io
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from . import __version__
from .errors import FourfoldError, InputError, verbatim

if TYPE_CHECKING:
    from .claims import Recovery
    from .table import Matrix, Table

EXIT_IMPOSSIBLE: Final = 1
EXIT_USAGE: Final = 2
EXIT_UNDECIDED: Final = 3
EXIT_FAULT: Final = 70
EXIT_INTERRUPTED: Final = 130
# Files above this size get a progress bar.
_LARGE: Final = 20_000_000
_LARGE_TABLE: Final = 100_000


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="%(prog)s %(version)s")
def cli() -> None:
    """Exact answers about the numbers a classifier is judged by.

    Each command takes --json for programs and --csv for spreadsheets.
    """


def _output(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that every command has."""
    command = click.option("--csv", "form", flag_value="csv", help="Print rows as CSV.")(command)
    return click.option("--json", "form", flag_value="json", help="Print JSON with its schema's name.")(command)


_html = click.option("--html", metavar="FILE", help="Write a report to hand on: one HTML file with words and pictures.")


@cli.command()
@click.argument("name", required=False)
@_output
def metrics(name: str | None, form: str | None) -> None:
    """List every metric, or describe the one called NAME.

    \b
    fourfold metrics
    fourfold metrics mcc
    """
    if name is None:
        from .metrics import Catalogue

        _show(Catalogue.all(), form)
    else:
        from .space import describe

        _show(describe(name), form)


@cli.command()
@click.argument("cells", nargs=-1, required=True)
@click.option("--order", help="What four bare numbers are, such as 'tn fp fn tp'.")
@click.option("--truth", help="For a file: the column of actual labels.")
@click.option("--prediction", help="For a file: the column of predicted labels.")
@click.option("--positive", help="For a file: the label that counts as positive.")
@click.option("--metric", "names", multiple=True, help="Only this metric; may be given several times.")
@_output
def score(
    cells: tuple[str, ...],
    order: str | None,
    truth: str | None,
    prediction: str | None,
    positive: str | None,
    names: tuple[str, ...],
    form: str | None,
) -> None:
    """Score one table by all metrics; undefined ones say why.

    CELLS are four named counts, four bare numbers with --order, or a CSV file of labels.

    \b
    fourfold score tp=45 fn=5 fp=10 tn=40
    fourfold score 40 10 5 45 --order "tn fp fn tp"
    fourfold score predictions.csv --truth y --prediction yhat --positive sick

    A file called - is standard input.
    """
    from .metrics import scores

    if len(cells) == 1 and "=" not in cells[0]:
        _unused({"--order": order}, "a file")
        data = _read_labels(cells[0], truth, prediction, positive)
    else:
        _unused({"--truth": truth, "--prediction": prediction, "--positive": positive}, "counts")
        data = _read_cells(cells, order)
    _show(scores(data, names or None), form)


@cli.command()
@click.argument("scores", nargs=-1, metavar="NAME=TEXT...")
@click.option("--positives", help="Actual positives: a number or a range such as 40-60.")
@click.option("--negatives", help="Actual negatives: a number or a range.")
@click.option("--total", help="All cases: a number or a range.")
@click.option("--max-total", help="The largest total to try where none is given (1000).")
@click.option("--rounding", help="How scores were rounded: any, half_up, half_even, truncate or ceiling.")
@click.option("--undefined", help="excluded, or zero where undefined scores were printed as 0.")
@click.option("--budget", help="How many rows may be looked at before the answer is 'undecided'.")
@click.option("--table", help="A CSV file with a report a row; verdicts are written to --output.")
@click.option("-o", "--output", help="For --table: the CSV file to write.")
@click.option("--map", "columns", multiple=True, metavar="COLUMN=NAME", help="For --table: what a column is.")
@click.option("--plot", metavar="FILE", help="Draw the claims and the tables that fit: PNG, SVG, PDF or HTML.")
@click.option("--bars", metavar="FILE", help="Draw the bounds of every metric as bars.")
@_html
@click.option("--jobs", default=1, show_default=True, help="For --table: how many processes work at it; -1 for all.")
@_output
def recover(
    scores: tuple[str, ...],
    table: str | None,
    output: str | None,
    columns: tuple[str, ...],
    plot: str | None,
    bars: str | None,
    jobs: int,
    html: str | None,
    form: str | None,
    **options: str | None,
) -> None:
    """Find every table that could have produced reported scores.

    Write scores as they were printed: trailing zeros count. Exit code 1 says impossible, 3 undecided.

    \b
    fourfold recover --positives 40 --negatives 60 accuracy=0.85 recall=80%
    fourfold recover --total 110 accuracy=92.7% precision=96.9% recall=95%
    fourfold recover accuracy=68.00% recall=51.28% precision=80.00% f1=62.50%
    fourfold recover --table review.csv -o verdicts.csv
    """
    from .claims import Claim
    from .claims import recover as find_tables

    given = {name: value for name, value in options.items() if value is not None}
    if table is not None:
        shown = f"--{form}" if form else None
        single = {"NAME=TEXT": " ".join(scores) or None, "--plot": plot, "--bars": bars, "--html": html}
        _unused(single | {"--json or --csv": shown} | {f"--{name}": given.get(name) for name in _SIZES}, "--table")
        _review(table, output, _named(columns), jobs, given)
        return
    _unused({"--output": output, "--map": " ".join(columns) or None}, "scores")
    claim = Claim.from_mapping(_named(scores) | given)
    result = find_tables(claim)
    _draw(result, plot, bars)
    _hand_on(result, html)
    _show(result, form)
    sys.exit({"impossible": EXIT_IMPOSSIBLE, "undecided": EXIT_UNDECIDED}.get(result.verdict, 0))


def _not_over(file: str, *written: str | None) -> None:
    from glob import glob

    for path in written:
        if path is not None and Path(path).exists():
            read = [file, *glob(file)]
            if any(Path(each).exists() and Path(path).samefile(each) for each in read):
                raise InputError("usage", "output", "would overwrite the data", path, "write to another file")


def _draw(result: Recovery, plot: str | None, bars: str | None) -> None:
    if plot or bars:
        from . import plots

        for path, draw in ((plot, plots.feasible), (bars, plots.bounds)):
            if path:
                plots.save(draw(result), path)


_SIZES: Final = ("positives", "negatives", "total")


def _review(table: str, output: str | None, columns: dict[str, str], jobs: int, options: dict[str, str]) -> None:
    """Write a verdict beside each row of a table."""
    from .claims import review
    from .frames import read_rows, write_rows

    if output is None:
        raise InputError("usage", "--output", "where to write must be said", None, "add -o verdicts.csv")
    if output == "-":
        raise InputError("bad_option", "--output", "must be a file", output, "name one, such as verdicts.csv")
    _not_over(table, output)
    verdicts: dict[str, int] = {}

    def counted() -> Iterator[dict[str, Any]]:
        for row in review(rows, columns=columns, n_jobs=jobs, **options):
            verdicts[row["verdict"]] = verdicts.get(row["verdict"], 0) + 1
            yield row

    with _progress(table, least=_LARGE_TABLE) as progress:
        rows = read_rows(table, progress)
        written = write_rows(output, counted())
    if not written:
        raise InputError("empty", "table", "has a header but no rows", table, "check how it was written")
    found = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
    click.echo(f"{written} reports: {found}. Written to {output}.")


def _named(texts: Sequence[str]) -> dict[str, str]:
    """Split name=text, converting no number."""
    named: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise InputError("usage", "scores", "must be name=text", text, "write accuracy=0.85")
        if name in named:
            raise InputError("ambiguous", name, "is given twice", value, "give each name once")
        named[name] = value
    return named


@cli.command()
@click.argument("metric")
@click.argument("sizes", nargs=-1, required=True, metavar="SIZE [SIZE]")
@_output
def holes(metric: str, sizes: tuple[str, ...], form: str | None) -> None:
    """Count the tables of a SIZE for which METRIC is undefined.

    A measure of two groups takes two sizes, or one for both.

    \b
    fourfold holes mcc 30
    fourfold holes treatment_equality 30 50
    """
    from .space import holes as count_holes
    from .table import whole

    _show(count_holes(metric, [whole(size, "size", text=True) for size in sizes]), form)


@cli.command()
@click.argument("metric")
@click.option("--group", required=True, metavar="CELLS", help="The group's counts: tp=13,fn=26,fp=31,tn=275.")
@click.option("--reference", required=True, metavar="CELLS", help="The reference's counts.")
@click.option("--method", help="auto (the default), exact, normal, beta or monte carlo.")
@click.option("--reference-uncertainty", is_flag=True, help="Count in that the reference's shares are uncertain.")
@click.option("--seed", type=int, help="For monte carlo: where the random numbers start.")
@click.option("--level", type=float, help="For a measure of two groups: of its interval (0.95).")
@click.option("--plot", metavar="FILE", help="Draw the law of the score: PNG, SVG, PDF or HTML.")
@_output
def match(
    metric: str,
    group: str,
    reference: str,
    method: str | None,
    reference_uncertainty: bool,
    seed: int | None,
    level: float | None,
    plot: str | None,
    form: str | None,
) -> None:
    """Tell whether a group's METRIC is different, or the group just small.

    The group's score is compared with the exact law of the scores of as many cases drawn from the reference. A measure
    of two groups, such as recall_difference, is shown with an interval instead.

    \b
    fourfold match --group tp=13,fn=26,fp=31,tn=275 --reference tp=26305,fn=16163,fp=20040,tn=93579 recall
    fourfold match --group tp=1,fn=4,fp=2,tn=13 --reference tp=60,fn=40,fp=80,tn=320 recall_difference
    """
    from . import groups
    from .metrics import Contrast, find

    own, other = (_read_cells([cells], None) for cells in (group, reference))
    if isinstance(find(metric), Contrast):
        uncertain = "set" if reference_uncertainty else None
        _unused({"--plot": plot, "--method": method, "--reference-uncertainty": uncertain}, "a measure of two groups")
        _show(groups.compare(own, other, metric, level=0.95 if level is None else level), form)
        return
    _unused({"--level": None if level is None else str(level)}, "a score of one group")
    options: dict[str, Any] = {"method": method or "auto", "rng": seed}
    options["reference_uncertainty"] = reference_uncertainty
    result = groups.match(own, other, metric, **options)
    if plot:
        from . import plots

        plots.save(plots.law(result), plot)
    _show(result, form)


@cli.command()
@click.option("--group", required=True, metavar="CELLS", help="The group's counts: tp=2,fn=1,fp=0,tn=3.")
@click.option("--reference", metavar="CELLS", help="The reference's counts.")
@click.option("--strength", help="How many cases to add with the reference's shares, or auto (10).")
@click.option("--epsilon", help="Instead of a reference: how much to add to each cell.")
@_output
def smooth(group: str, reference: str | None, strength: str | None, epsilon: str | None, form: str | None) -> None:
    """Draw a small group's table towards a reference.

    \b
    fourfold smooth --group tp=2,fn=1,fp=0,tn=3 --reference tp=30,fn=20,fp=20,tn=130 --strength 10
    fourfold smooth --group tp=2,fn=1,fp=0,tn=3 --reference tp=30,fn=20,fp=20,tn=130 --strength auto
    fourfold smooth --group tp=2,fn=1,fp=0,tn=3 --epsilon 1
    """
    from . import groups

    table = _read_cells([group], None)
    if epsilon is not None:
        _unused({"--strength": strength, "--reference": reference}, "--epsilon")
        _show(groups.smooth(table, epsilon=epsilon), form)
        return
    other = None if reference is None else _read_cells([reference], None)
    _show(groups.smooth(table, other, strength=strength or 10), form)


@cli.command()
@click.argument("file")
@click.option("--truth", required=True, help="The column of actual labels.")
@click.option("--prediction", required=True, help="The column of predicted labels.")
@click.option("--by", multiple=True, required=True, help="A column that makes groups; several combine.")
@click.option("--metric", "names", multiple=True, help="A metric; may be given several times.")
@click.option("--reference", default="rest", show_default=True, help="rest, all, or a group such as race=White.")
@click.option("--positive", help="The label that counts as positive.")
@click.option("--level", default=0.95, show_default=True, help="Of the intervals; tests use 1 minus this.")
@click.option("--strength", default="10", show_default=True, help="Of the smoothing: a number, or auto.")
@click.option("--reference-uncertainty", is_flag=True, help="Count in that references' shares are uncertain.")
@click.option("--query", help="For a DuckDB or SQLite file: the select to run.")
@click.option("-o", "--output", help="Write all findings to this CSV file too.")
@click.option("--plot", metavar="FILE", help="Draw the groups with their intervals: PNG, SVG, PDF or HTML.")
@_html
@_output
def audit(
    file: str,
    names: tuple[str, ...],
    output: str | None,
    plot: str | None,
    html: str | None,
    form: str | None,
    **options: Any,
) -> None:
    """Compare the groups in FILE: scores, intervals, exact tests, smoothed scores.

    FILE is CSV (also compressed) or parquet, may hold * for many files, or is a DuckDB or SQLite file with --query.
    Each group is compared with all other cases, and p-values are corrected for all tests by Holm's method.

    \b
    fourfold audit predictions.csv --truth y --prediction yhat --by race --by sex --metric recall --metric mcc
    fourfold audit "logs/2026-*/*.parquet" --truth y --prediction yhat --by site
    """
    from . import groups
    from .metrics import AUDITED

    _not_over(file, output, plot, html)
    with _progress(file, least=_LARGE_TABLE * 50) as progress:
        result = groups.audit(file, metrics=names or AUDITED, progress=progress, **options)
    if output:
        from .frames import write_rows

        write_rows(output, result.rows())
    if plot:
        from . import plots

        plots.save(plots.forest(result), plot)
    _hand_on(result, html)
    _show(result, form)


@cli.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--truth", required=True, help="The column of actual labels.")
@click.option("--probabilities", required=True, help="The columns of probabilities: p_cat,p_dog or 'p_*'.")
@click.option("--prediction", help="The column of predicted labels, where ties do not go to the first.")
@click.option("--metric", "names", multiple=True, help="A metric of all classes; may be given several times.")
@click.option("--by", multiple=True, help="A column that makes parts, such as folds or groups.")
@click.option("--convention", default="strict", show_default=True, help="strict, or paper: undefined parts count 0.")
@click.option("--tolerance", default=0.001, show_default=True, help="How far from 1 a row may sum.")
@click.option("--query", help="For a DuckDB or SQLite file: the select to run.")
@click.option("--plot", metavar="FILE", help="Draw certain and uncertain bars: PNG, SVG, PDF or HTML.")
@_html
@_output
def certainty(
    files: tuple[str, ...],
    probabilities: str,
    names: tuple[str, ...],
    by: tuple[str, ...],
    convention: str,
    plot: str | None,
    html: str | None,
    form: str | None,
    **options: Any,
) -> None:
    """Tell how much of a score rests on confident predictions.

    Each FILE holds the predictions of one classifier: CSV or parquet, many files with *, or a database with --query.

    \b
    fourfold certainty predictions.csv --truth y --probabilities p_cat,p_dog,p_bird
    fourfold certainty a.parquet b.parquet --truth y --probabilities 'p_*' --metric accuracy --metric macro_f1
    """
    from .certainty import decompose_data, overview
    from .metrics import SPLIT

    columns = [name.strip() for name in probabilities.split(",") if name.strip()]
    models = {}
    for file in files:
        _not_over(file, html, plot)
        with _progress(file, least=_LARGE_TABLE * 50) as progress:
            models[file] = decompose_data(file, probabilities=columns, by=by or None, progress=progress, **options)
    given: dict[str, Any] = {"convention": convention}
    result = overview(models, names or SPLIT, **given)
    if plot:
        from . import plots

        plots.save(plots.certainty(result), plot)
    _hand_on(result, html)
    _show(result, form)


@cli.command()
@click.argument("name", required=False)
@click.option("--data", help="The folder with the data sets, a parquet file each.")
@click.option("--fetch", help="Fetch what --data lacks from OpenML, and keep it in this folder.")
@click.option("--set", "sets", multiple=True, help="Only this data set; may be given several times.")
@click.option("-o", "--output", help="A folder for all that comes out; a stopped run goes on from there.")
@click.option("--jobs", default=1, show_default=True, help="How many processes work at it; -1 for all.")
@_output
def reproduce(name: str | None, output: str | None, jobs: int, form: str | None, **data: Any) -> None:
    """Do a paper again: its figures, its tables, and whether what it says is so.

    \b
    fourfold reproduce                                         what there is
    fourfold reproduce small-data -o out/ --jobs 2             figures, tables and a page in a folder
    fourfold reproduce certainty --data DIR -o out/ --jobs 2
    """
    from .reproduce import EXPERIMENTS, Experiments, experiment, write_folder

    if output == "":
        raise InputError("bad_option", "--output", "must be a folder", output, "name one, such as out/")
    given = {"--data": data["data"], "--fetch": data["fetch"], "--set": " ".join(data["sets"]) or None}
    if name is None:
        _unused(given | {"--output": output}, "the list")
        _show(Experiments(tuple(EXPERIMENTS.values())), form)
        return
    chosen = experiment(name)
    used = ["--data", "--fetch"] * chosen.reads + ["--set"] * chosen.chooses
    _unused({option: value for option, value in given.items() if option not in used}, chosen.name)
    options = {"data": data["data"], "kept": data["fetch"]} if chosen.reads else {}
    if chosen.chooses:
        options["sets"] = data["sets"] or None
    try:
        with _bar("Reproducing") as progress:
            result = chosen.run(output=output, n_jobs=jobs, progress=progress, **options)
    except KeyboardInterrupt:
        kept = "The same command goes on from here." if output else "Nothing is kept without -o."
        click.echo(f"\nStopped. {kept}", err=True)
        raise
    if output:
        write_folder(result, output, command=click.get_current_context().obj)
    _show(result, form)


@cli.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; others reach it elsewhere only.")
@click.option("--port", default=8440, show_default=True, help="0 takes a free port.")
@click.option("--time-limit", type=float, help="Seconds that one question may take (20).")
def serve(host: str, port: int, time_limit: float | None) -> None:
    """Open a page for this machine where all three questions can be asked.

    Nothing leaves the machine and nothing is fetched. Stop it with Ctrl-C.

    \b
    fourfold serve
    fourfold serve --port 0
    """
    from .web import Settings
    from .web import serve as run

    limits: dict[str, Any] = {} if time_limit is None else {"time_limit": time_limit}
    run(Settings(host=host, port=port, **limits), ready=lambda address: click.echo(f"The page is at {address}"))


def _unused(options: dict[str, str | None], what: str) -> None:
    for option, value in options.items():
        if value is not None:
            raise InputError("usage", option, f"does not go with {what}", value, f"leave {option} out")


def _read_cells(cells: Sequence[str], order: str | None) -> Table:
    from .table import Table

    if not any("=" in cell for cell in cells):
        return Table.from_matrix(list(cells), order=order)
    counts: dict[str, str] = {}
    for cell in ",".join(cells).replace(",", " ").split():
        name, equals, value = cell.partition("=")
        if not equals:
            raise InputError("usage", "cells", "must be name=count", cell, "write tp=45 fn=5 fp=10 tn=40")
        if name in counts:
            raise InputError("ambiguous", name, "is given twice", value, "give each cell once")
        counts[name] = value
    return Table.from_mapping(counts)


def _read_labels(path: str, truth: str | None, prediction: str | None, positive: str | None) -> Table | Matrix:
    from .frames import count_labels
    from .table import Matrix

    if path.isdigit():
        hint = "write tp=45 fn=5 fp=10 tn=40"
        raise InputError("ambiguous", "cells", "one number is not a table", path, hint)
    if not truth or not prediction:
        option = "--prediction" if truth else "--truth"
        hint = f"add {option} COLUMN"
        raise InputError("usage", option, f"which column of {path} to read must be said", None, hint)
    path = "/dev/stdin" if path == "-" else path
    with _progress(path) as progress:
        pairs = count_labels(path, truth=truth, prediction=prediction, progress=progress)
    matrix = Matrix.from_pairs(pairs)
    return matrix if len(matrix.labels) > 2 and positive is None else matrix.table(positive=positive)


@contextmanager
def _progress(path: str, least: int | None = None) -> Iterator[Callable[[float], None] | None]:
    """Show a progress bar on standard error while a large file is read."""
    try:
        size = Path(path).stat().st_size if Path(path).is_file() else 0
        large = "*" in path or size >= (_LARGE if least is None else least)
    except OSError:
        large = False
    if not large:
        yield None
        return
    with _bar(f"Reading {Path(path).name}") as progress:
        yield progress


@contextmanager
def _bar(words: str) -> Iterator[Callable[[float], None]]:
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(words, total=1.0)
        yield lambda share: bar.update(task, completed=share)


def _hand_on(result: Any, path: str | None) -> None:
    if path:
        from . import writers

        writers.write_html(result, path, command=click.get_current_context().obj)


def _show(result: Any, form: str | None) -> None:
    from . import writers

    if form == "json":
        click.echo(writers.to_json(result))
    elif form == "csv":
        click.echo(writers.to_csv(result), nl=False)
    else:
        from rich.console import Console

        console = Console(highlight=False)
        if not console.is_terminal:
            console = Console(highlight=False, width=120)
        console.print(writers.terminal(result))


def _from_click(error: click.ClickException, arguments: Sequence[str]) -> InputError:
    """Bring click's own complaints into the one grammar."""
    context = getattr(error, "ctx", None)
    place = context.command_path if context else "fourfold"
    name = getattr(error, "option_name", None)
    parameter = getattr(error, "param", None)
    argument = name or (parameter.human_readable_name.lower() if parameter else place)
    problem = error.format_message().rstrip(".").replace("\n", " ")
    typed = verbatim(" ".join(["fourfold", *arguments]))
    return InputError("usage", argument, problem[:1].lower() + problem[1:], typed, f"see `{place} --help`")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 fine, 1 impossible, 2 wrong input, 3 undecided, 70 a fault, 130 interrupted."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character shows a question mark instead of failing.
            stream.reconfigure(errors="replace")
    try:
        typed = ["fourfold", *arguments]
        code = cli.main(args=list(arguments), prog_name="fourfold", standalone_mode=False, obj=typed)
        sys.exit(code if isinstance(code, int) else 0)
    except FourfoldError as error:
        _fail(error, arguments)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        sys.exit(0)
    except click.ClickException as error:
        _fail(_from_click(error, arguments), arguments)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        # The reader of a pipe has gone: nothing is wrong, and nothing more can be written.
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        problem = f"cannot be read or written ({(error.strerror or 'no reason is given').lower()})"
        got = verbatim("a file") if error.filename is None else str(error.filename)
        _fail(InputError("no_file", "path", problem, got, "check the path and the disk"), arguments)
    except Exception:
        # Exit code 1 says "impossible": a fault of the program must not end with it.
        traceback.print_exc()
        sys.exit(EXIT_FAULT)


def _fail(error: FourfoldError, arguments: Sequence[str]) -> None:
    if "--json" in arguments:
        import json

        click.echo(json.dumps(error.to_dict(), ensure_ascii=False, indent=2))
    else:
        click.echo(str(error), err=True)
    sys.exit(EXIT_USAGE)
