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
    from .report import Result
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
        single = {"NAME=TEXT": " ".join(scores) or None, "--plot": plot, "--bars": bars, "--json or --csv": shown}
        _unused(single | {f"--{name}": given.get(name) for name in _SIZES}, "--table")
        _review(table, output, _named(columns), jobs, given)
        return
    _unused({"--output": output, "--map": " ".join(columns) or None}, "scores")
    claim = Claim.from_mapping(_named(scores) | given)
    result = find_tables(claim)
    _draw(result, plot, bars)
    _show(result, form)
    sys.exit({"impossible": EXIT_IMPOSSIBLE, "undecided": EXIT_UNDECIDED}.get(result.verdict, 0))


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
    if Path(output).resolve() == Path(table).resolve():
        raise InputError("usage", "--output", "would overwrite the table", output, "write to another file")
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
        large = Path(path).is_file() and Path(path).stat().st_size >= (_LARGE if least is None else least)
    except OSError:
        large = False
    if not large:
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"Reading {Path(path).name}", total=1.0)
        yield lambda share: bar.update(task, completed=share)


def _show(result: Result, form: str | None) -> None:
    from . import report

    if form == "json":
        click.echo(report.to_json(result))
    elif form == "csv":
        click.echo(report.to_csv(result), nl=False)
    else:
        from rich.console import Console

        console = Console(highlight=False)
        if not console.is_terminal:
            console = Console(highlight=False, width=120)
        console.print(report.to_text(result))


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
    """Run the command line and exit: 0 fine, 2 wrong usage or input, 130 interrupted."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character shows a question mark instead of failing.
            stream.reconfigure(errors="replace")
    try:
        code = cli.main(args=list(arguments), prog_name="fourfold", standalone_mode=False)
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
        _fail(InputError("no_file", "output", "cannot be written", error.strerror, "check the disk"), arguments)
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
