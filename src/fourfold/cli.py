"""The command line: parse, one question, write. Nothing is computed here, and every option stands in `questions`."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click
from click.core import ParameterSource

from . import __version__
from .errors import NOTHING, FourfoldError, InputError, suggestion, verbatim
from .processes import check_jobs
from .questions import FILES, QUESTIONS, Asked, DataFile, Parameter, Question, distinct, name_and_text
from .words import count_of, harmless, one_line

if TYPE_CHECKING:
    from .reports import Given

EXIT_IMPOSSIBLE: Final = 1
EXIT_USAGE: Final = 2
EXIT_UNDECIDED: Final = 3
EXIT_FAULT: Final = 70
EXIT_INTERRUPTED: Final = 130
EXIT_PIPE_CLOSED: Final = 141
# Raised by click 8.2 and newer where 8.1 shows the help itself.
_NOTHING_TYPED: Final = getattr(click.exceptions, "NoArgsIsHelpError", ())
# Files of more bytes than this get a progress bar: labels are counted fast, reports are slow to recover.
_LARGE: Final = {"score": 20_000_000, "review": 100_000}
_LARGE_OTHERS: Final = 5_000_000
# Seconds after which progress is shown: shorter work ends before one could read it.
_PATIENCE: Final = 1.0
_TYPES: Final = {"integer": int, "number": float}
_METAVARS: Final = {
    "whole": "INTEGER",
    "table": "CELLS",
    "population": "SCORE",
    "file": "FILE",
    "cases": "FILE",
    "pair": "COLUMN=NAME",
    "sets": "SETS",
    "said": "NAME=TEXT",
}
# Signals that ask a program to end: by a system that shuts down, and by a terminal that is closed.
_ENDING: Final = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
# What test sets are typed with; anything else names a file of them.
_PAIRS: Final = frozenset("0123456789:/,; ")
_MOST_SETS: Final = 100_000
# What says where findings go, or which of them make a check fail.
_OF_FINDINGS: Final = ("html", "sarif", "junit", "fail_on", "baseline", "write_baseline", "json_version")
#: The commands by what one wants to know.
GROUPED: Final = {
    "Can these numbers be true?": "check preview recover recover-regression protocols",
    "What does a table of results share?": "sizes datasets lead",
    "Is it the group, or its size?": "audit compare compare-groups match smooth plan",
    "How much rests on confident predictions?": "certainty",
    "What is this score?": "score metrics holes glossary",
    "Other ways to ask": "serve mcp reproduce",
}
#: How an answer may be printed, other than in words.
_FORMS: Final = {
    "json": "Print JSON with its schema's name.",
    "csv": "Print rows as CSV.",
    "markdown": "Print markdown.",
    "latex": "Print LaTeX tables.",
}


class _Commands(click.Group):
    """The commands; their help lists them by the question that they answer."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        # What begins with a dash is an option that click does not know.
        if args[0] not in self.commands and not args[0].startswith("-"):
            hint = suggestion(args[0], self.commands, "`fourfold --help` lists all")
            raise InputError("usage", args[0][:80], "unknown command", NOTHING, hint)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        longest = max(map(len, self.commands))
        for title, names in GROUPED.items():
            rows = [(f"{name:{longest}}", self.commands[name].get_short_help_str(limit=80)) for name in names.split()]
            formatter.write(f"\n{title}\n")
            with formatter.indentation():
                formatter.write_dl(rows)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="%(prog)s %(version)s")
def cli() -> None:
    """Check the numbers that a classifier is judged by, exactly.

    Each command takes --json for programs and --csv for spreadsheets.
    """


class _Option(click.Option):
    """An option of the table; its choices are looked up when its help is shown."""

    def __init__(self, parameter: Parameter) -> None:
        names = parameter.option.split("/") if parameter.option else [_dashed(parameter.name)]
        given: dict[str, Any] = {"is_flag": True, "default": False}
        if parameter.kind != "flag":
            kind = _TYPES.get(parameter.kind, str)
            given = {"metavar": _METAVARS.get(parameter.kind), "type": kind, "multiple": parameter.many}
        if parameter.default is not None and not parameter.many:
            given |= {"default": parameter.default, "show_default": True}
        self._parameter = parameter
        super().__init__([*names, parameter.name], help=parameter.help, required=parameter.required, **given)

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        self.help = self._parameter.full_help
        return super().get_help_record(ctx)


def _dashed(name: str) -> str:
    return "--" + name.replace("_", "-")


def _made(parameter: Parameter) -> click.Parameter:
    if not parameter.option or parameter.option.startswith("-"):
        return _Option(parameter)
    nargs = -1 if parameter.many else 1
    return click.Argument([parameter.name], nargs=nargs, required=parameter.required, metavar=parameter.option)


def _outputs(question: Question) -> list[click.Parameter]:
    """Return the options that say where an answer goes, and in what form."""
    made: list[click.Parameter] = [
        click.Option([_dashed(option)], metavar="FILE", help=words) for option, _, words in question.pictures
    ]
    if question.report:
        words = "Write a report to share: one HTML file with words and pictures."
        made.append(click.Option(["--html"], metavar="FILE", help=words))
    return made + [click.Option([f"--{form}", "form"], flag_value=form, help=words) for form, words in _FORMS.items()]


def _add(question: Question, run: Callable[..., None], extra: Sequence[click.Parameter] = ()) -> None:
    """Make the command that asks a question."""
    lines = "\n".join(f"fourfold {example}" for example in question.examples)
    words = "\n\n".join(part for part in (question.says, question.more, f"\b\n{lines}") if part)

    def callback(**given: Any) -> None:
        source = click.get_current_context().get_parameter_source
        typed = {name: given[name] for name in given if source(name) is ParameterSource.COMMANDLINE}
        # The server has its own way to end.
        with nullcontext() if question.name == "serve" else _ended_by_signals():
            # To click 8.1, an argument that may be left out is typed even where it is not.
            run(question, {name: value for name, value in typed.items() if value != ()})

    parameters = [*map(_made, question.parameters), *extra]
    cli.add_command(click.Command(question.name, params=parameters, callback=callback, help=words))


def _answer(question: Question, typed: dict[str, Any]) -> None:
    """Ask a question, and write its answer where and how it was asked for."""
    form, html, output = (typed.pop(name, None) for name in ("form", "html", "output"))
    fail_on = typed.pop("fail_on", None)
    if fail_on is not None:
        from .groups.auditing.conditions import Condition

        Condition.read(fail_on)  # a mistake in it shows before the work is done
    drawn = {picture: typed[picture.option] for picture in question.pictures if picture.option in typed}
    asked = _asked(question, typed)
    for file in asked.files:
        _not_over(file.path, output, html, *drawn.values())
    # Files and plans show how far they are; how long a search takes is not known before.
    with nullcontext() if asked.files or question.name == "plan" else _spinner():
        result = question.answer(asked)
    if output is not None:
        from .data import write_rows

        write_rows(output, result.rows())
    for picture, path in drawn.items():
        from . import plots

        plots.save(plots.draw(result, picture.chart), path)
    if html is not None:
        from . import writers

        writers.write_html(result, html, command=click.get_current_context().obj)
    _show(result, form)
    if fail_on is not None:
        _fail_where(result, fail_on)
    sys.exit({"impossible": EXIT_IMPOSSIBLE, "undecided": EXIT_UNDECIDED}.get(getattr(result, "verdict", ""), 0))


def _check(question: Question, typed: dict[str, Any]) -> None:
    """Check documents, and end with a code that stops a build."""
    from .reports import Baseline, documents_in

    if "program" in typed:
        _check_for_program(question, typed)
    if "all_tables" in typed:
        raise InputError("usage", "--all-tables", "works only with --for", True, "add --for mada -o counts.csv")
    if "output" in typed:
        _check_to_file(question, typed)
    form, html, sarif, junit = (typed.pop(name, None) for name in ("form", "html", "sarif", "junit"))
    fail_on, accepted = typed.get("fail_on", "impossible"), typed.pop("write_baseline", None)
    if accepted is not None and fail_on == "never":
        raise InputError("usage", "--write-baseline", "cannot be used with --fail-on never", accepted, "leave one out")
    written = [html, sarif, junit, accepted]
    asked = _asked(question, typed)
    named = [file.path for file in asked.files]
    if named.count("-") > 1:
        raise InputError("usage", "DOCUMENTS", "standard input can be read once", "- -", "name it once")
    paths = documents_in([Path(path) for path in named], without=[*written, typed.get("baseline")])
    asked = replace(asked, files=[DataFile(str(path), str(path)) for path in paths])
    for file in asked.files:
        _not_over(file.path, *written)
    before = accepted if accepted is not None and Path(accepted).is_file() else typed.get("baseline")
    known = None if before is None else Baseline.read(before)
    result = question.answer(replace(asked, keep_in=_own_folder(), tell=lambda words: _say(words, err=True)))
    mapped = (text.rpartition("=")[0] for text in typed.get("map", ()))
    _refuse_unknown(mapped, [column.head for table in result.tables for column in table.columns])
    failing = result.failing(fail_on)
    if accepted is not None:
        baseline = result.baseline(fail_on, known)
        baseline.write(accepted)
        result, failing = result.against(baseline), ()
    from . import writers

    if html is not None:
        writers.write_html(result, html, command=click.get_current_context().obj)
    if sarif is not None:
        writers.write_sarif(result, sarif)
    if junit is not None:
        writers.write_junit(result, junit, fail_on)
    _show(result, form)
    if any(document.error is not None for document in result.documents):
        sys.exit(EXIT_USAGE)
    sys.exit(EXIT_IMPOSSIBLE if failing else 0)


def _refuse_unknown(mapped: Iterable[str], heads: Sequence[str]) -> None:
    """Refuse what --map says of a column that no table has, if there is a table: mistyped, it would change nothing."""
    for head in mapped:
        if heads and head not in heads:
            hint = suggestion(head, heads, f"there are {', '.join(dict.fromkeys(filter(None, heads)))}"[:400])
            raise InputError("unknown_column", "--map", "no table of scores has such a column", head, hint)


def _own_folder() -> Path | None:
    """Return the folder for what programs of this user keep for a while, where there is one."""
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        if folder := os.environ.get(name):
            return Path(folder, "fourfold")
    with suppress(RuntimeError):  # there is no home
        return Path.home() / ".cache" / "fourfold"
    return None


def _check_to_file(question: Question, typed: dict[str, Any]) -> NoReturn:
    """Write a verdict beside each row of a sheet, or a row for each report in documents."""
    from .questions import calls
    from .reports import BOOKS, FAILING, ROW_FILES, Given

    form, html, output = (typed.pop(name, None) for name in ("form", "html", "output"))
    fail_on, jobs = typed.pop("fail_on", "impossible"), typed.pop("jobs", 1)
    if fail_on not in FAILING:
        raise InputError("bad_option", "--fail-on", "unknown word", fail_on, f"one of {', '.join(FAILING)}")
    check_jobs(jobs, "--jobs")
    given = {name: typed.pop(name) for name in [*typed] if name in Given.__dataclass_fields__}
    mapped = typed.pop("map", ())
    given["columns"] = calls.known_meanings([name_and_text(text, "--map", "column=name", "") for text in mapped])
    [*files] = typed.pop("file")
    _unused(question, typed, "--output")
    if "-" in files:
        raise InputError("usage", "--output", "works only with files", "-", "name a file or a folder")
    if len(files) == 1 and Path(files[0]).suffix.casefold() in BOOKS | ROW_FILES and not Path(files[0]).is_dir():
        counts, unread = _check_sheet(files[0], output, Given(**given), jobs, html, form), 0
        _end_where_no_row_was_read(counts)
    else:
        shown = {"html": html, "form": form}
        _unused(question, {name: value for name, value in shown.items() if value is not None}, "--output of documents")
        counts, unread = _check_documents(files, output, Given(**given), jobs)
    sys.exit(
        EXIT_USAGE if unread else EXIT_IMPOSSIBLE if any(counts.get(verdict) for verdict in FAILING[fail_on]) else 0
    )


def _check_for_program(question: Question, typed: dict[str, Any]) -> NoReturn:
    """Write the counts of each study that documents report, as a program for meta-analyses reads them."""
    from .data import write_rows
    from .reports import documents_in
    from .reports.studies import studies

    form, output, program = (typed.pop(name, None) for name in ("form", "output", "program"))
    all_tables = typed.pop("all_tables", False)
    _unused(question, {name: typed[name] for name in _OF_FINDINGS if name in typed}, "--for")
    if output is None or Path(output).suffix.casefold() != ".csv":
        raise InputError("usage", "--for", "needs a file to write", output, "add -o counts.csv")
    studies((), program)  # a mistake in it shows before the work is done
    paths = documents_in([Path(file) for file in typed["file"]], without=[output])
    for file in typed["file"]:
        _not_over(file, output)
    asked = replace(_asked(question, typed), files=[DataFile(str(path), str(path)) for path in paths])
    check = question.answer(asked)
    result = check.studies(program, all_tables=all_tables)
    if not result.studies:
        shown, hint = verbatim(count_of(len(check.findings), "report")), "look at `fourfold check` without --for"
        raise InputError("empty", "documents", "hold no study whose counts are known", shown, hint)
    write_rows(output, result.rows())
    _show(result, form)
    unread = any(document.error is not None for document in check.documents)
    sys.exit(EXIT_USAGE if unread else EXIT_IMPOSSIBLE if check.failing() else 0)


def _check_sheet(
    file: str, output: str, given: Given, jobs: int, html: str | None, form: str | None
) -> Mapping[str, int]:
    """Write a sheet again with a verdict beside each row; return how many rows got which."""
    from . import writers

    _not_over(file, output, f"{output}.part", html)
    with _late_bar(f"Checking {Path(file).name}") as progress:
        result = writers.write_verdicts(file, output, given, n_jobs=jobs, progress=progress)
    _refuse_unknown(given.columns, [column.head for column in result.columns])
    if html is not None:
        writers.write_html(result, html, command=click.get_current_context().obj)
    _show(result, form)
    return result.counts


def _check_documents(files: Sequence[str], output: str, given: Given, jobs: int) -> tuple[Mapping[str, int], int]:
    """Write a row for each report in documents; return how many got which verdict, and how many were not read."""
    from . import writers
    from .answers import findings_summary
    from .reports import documents_in

    outputs = [output, f"{output}.part", f"{output}.part.json"]
    paths = documents_in([Path(file) for file in files], without=outputs, most=sys.maxsize)
    for file in files:
        _not_over(file, *outputs)
    with _late_bar("Checking documents") as progress:
        tell = partial(_say, err=True)
        written = writers.write_findings(output, paths, given, n_jobs=jobs, progress=progress, tell=tell)
    words = findings_summary(written.documents, written.verdicts, written.unread, written.left_out)
    _say(f"{words} Written to {output}.")
    return written.verdicts, written.unread


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let a request to end be an interruption: what is done is kept, and what was started is ended."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, stop) for number in _ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _fail_where(result: Any, condition: str) -> None:
    """End with a code that stops a build where a condition holds for any group."""
    failing = result.failing(condition)
    if failing:
        names = dict.fromkeys(f"{finding.group.name} ({finding.metric})" for finding in failing)
        _say(f"Failed on {condition}: {', '.join(names)}.", err=True)
        sys.exit(EXIT_IMPOSSIBLE)


def _asked(question: Question, typed: Mapping[str, Any]) -> Asked:
    """Return what was typed as a question: values by name, and files."""
    values, files = dict(typed), list[DataFile]()
    for parameter in question.parameters:
        if parameter.option and not parameter.option.startswith("-") and values.get(parameter.name) in ("", ("",)):
            shown = parameter.option.strip("[].")
            raise InputError("usage", shown, "is empty", "", f"write {shown}, or see `fourfold {question.name} --help`")
        if parameter.kind == "sets" and not _PAIRS.issuperset(values.get(parameter.name, "")):
            from .data import read_rows

            values[parameter.name] = list(islice(read_rows(values[parameter.name]), _MOST_SETS))
        if parameter.name in values and parameter.kind in (*FILES, "cells", "scores"):
            given = values.pop(parameter.name)
            if parameter.kind in FILES:
                files = [DataFile(path, path) for path in (given if parameter.many else [given])]
            elif parameter.kind == "scores":
                hint = "write accuracy=0.85"
                values = _together(values, distinct(name_and_text(text, "scores", "name=text", hint) for text in given))
            elif len(given) == 1 and "=" not in given[0]:
                files = [_label_file(given[0])]
            else:
                from .questions.calls import read_cells

                values |= read_cells(given)
    least = _LARGE.get(question.name, _LARGE_OTHERS)
    return Asked(
        values, files, spelt=_spelt(question), progress=lambda file: _progress(file.path, least), waiting=_late_bar
    )


def _together(options: Mapping[str, Any], scores: Mapping[str, str]) -> dict[str, Any]:
    """Return what was typed as options and as name=text; what is typed as both would drop one of them unseen."""
    for name, text in scores.items():
        if name.strip().lower() in options:
            hint = f"leave {name}={text} or {_dashed(name.strip().lower())} out"
            raise InputError("ambiguous", name, "is given twice", text, hint)
    return {**options, **scores}


def _spelt(question: Question) -> Callable[[str], str]:
    options = {known.name: known.option for known in question.parameters if known.option.startswith("-")}
    return lambda name: options.get(name, _dashed(name))


def _label_file(path: str) -> DataFile:
    if path.isdigit():
        raise InputError("ambiguous", "cells", "one number is not a table", path, "write tp=45 fn=5 fp=10 tn=40")
    return DataFile(path, "/dev/stdin" if path == "-" else path)


def _recover(question: Question, typed: dict[str, Any]) -> None:
    """Recover one report, or every report of a table."""
    names = {parameter.name for parameter in question.parameters}
    review = QUESTIONS["review"]
    of_a_table = {parameter.name for parameter in review.parameters}
    if "file" in typed:
        _unused(review, {name: value for name, value in typed.items() if name not in of_a_table}, "--table")
        _review(review, typed)
        return
    _unused(review, {name: value for name, value in typed.items() if name in of_a_table - names}, "scores")
    if "bars" in typed:
        typed.setdefault("bounds", ("all",))
    _answer(question, typed)


def _review(question: Question, typed: dict[str, Any]) -> None:
    """Write a verdict beside each row of a table."""
    from . import writers
    from .answers import review_words
    from .batch import digest
    from .data import Faults

    output = typed.get("output")
    if output is None:
        raise InputError("usage", "--output", "must name the file to write", None, "add -o verdicts.csv")
    if output == "-":
        raise InputError("bad_option", "--output", "must be a file", output, "name one, such as verdicts.csv")
    empty, faults = count(), Faults()
    asked = replace(_asked(question, typed), empty_row=lambda: next(empty), faults=faults)
    table = asked.files[0].path
    if Path(table).is_fifo():
        # Its rows come once, and a review that is continued reads them again.
        raise InputError("usage", "table", "cannot be a pipe", table, "save it as a file first")
    _not_over(table, output, f"{output}.part")
    given = {name: str(value) for name, value in asked.values.items() if name not in ("jobs", "output")}
    about = {"fourfold": __version__, "table": digest(table), **given}

    def rows_after(skipped: int) -> Iterator[dict[str, Any]]:
        return (row for row, _ in question.answer(replace(asked, skipped=skipped)))

    written = writers.write_review(output, rows_after, about, lambda words: _say(words, err=True))
    _say(f"{review_words(written.verdicts, done=True)} Written to {output}.")
    if left_out := next(empty):
        _say(f"{count_of(left_out, 'empty row')} left out.")
    for note in faults.notes:
        _say(f"{note.text}.")
    if written.renamed:
        _say(f"Added under other names, because the table has such columns: {', '.join(written.renamed)}.")
    _end_where_no_row_was_read(written.verdicts)
    sys.exit(EXIT_IMPOSSIBLE if written.verdicts.get("impossible") else 0)


def _end_where_no_row_was_read(counts: Mapping[str, int]) -> None:
    if {verdict for verdict, n in counts.items() if n} == {"error"}:
        sys.exit(EXIT_USAGE)


def _not_over(file: str, *written: str | None) -> None:
    from glob import glob

    for path in written:
        if path is not None and Path(path).exists():
            read = [file, *glob(file)]
            if any(Path(source).exists() and Path(path).samefile(source) for source in read):
                raise InputError("usage", "output", "would overwrite the data", path, "write to another file")


def _reproduce(question: Question, typed: dict[str, Any]) -> None:
    from .papers import EXPERIMENTS, Experiments, experiment, write_folder

    name, output, form = (typed.pop(given, None) for given in ("name", "output", "form"))
    if output == "":
        raise InputError("bad_option", "--output", "must be a folder", output, "name one, such as out/")
    if name is None:
        typed.pop("jobs", None)
        _unused(question, typed | ({} if output is None else {"output": output}), "the list")
        _show(Experiments(tuple(EXPERIMENTS.values())), form)
        return
    chosen = experiment(name)
    used = ["jobs", *["data", "fetch"] * chosen.reads, *["sets"] * chosen.chooses]
    _unused(question, {given: value for given, value in typed.items() if given not in used}, chosen.name)
    options = {"data": typed.get("data"), "kept": typed.get("fetch")} if chosen.reads else {}
    if chosen.chooses:
        options["sets"] = typed.get("sets")
    with _bar("Reproducing") as progress:
        result = chosen.run(output=output, n_jobs=typed.get("jobs", 1), progress=progress, **options)
    if output:
        write_folder(result, output, command=click.get_current_context().obj)
    _show(result, form)


def _serve(question: Question, typed: dict[str, Any]) -> None:
    from .web import Settings
    from .web import serve as run

    run(Settings(**typed), ready=lambda address: click.echo(f"The page is at {address}"))


def _mcp(question: Question, typed: dict[str, Any]) -> None:
    from .mcp import serve

    words = "An assistant starts this command itself, and asks on standard input. Ctrl-C ends it."
    ready = (lambda: click.echo(words, err=True)) if sys.stdin.isatty() else None
    serve(typed.pop("folder", ()), **typed, ready=ready)


def _add_commands() -> None:
    """Make a command of each question; `recover` takes what a review takes too, and the others are for the web."""
    names = {parameter.name for parameter in QUESTIONS["recover"].parameters}
    of_review = [parameter for parameter in QUESTIONS["review"].parameters if parameter.name not in names]
    for name, question in QUESTIONS.items():
        if name == "recover":
            tables = [_made(replace(parameter, required=False)) for parameter in of_review]
            _add(question, _recover, [*tables, *_outputs(question)])
        elif name in ("serve", "mcp"):
            _add(question, _serve if name == "serve" else _mcp)
        elif name == "check":
            _add(question, _check, _outputs(question))
        elif name not in ("review", "audit-tables"):
            _add(question, _reproduce if name == "reproduce" else _answer, _outputs(question))


_add_commands()


def _unused(question: Question, given: Mapping[str, Any], what: str) -> None:
    for name, value in given.items():
        shown = {"scores": "NAME=TEXT", "form": f"--{value}"}.get(name) or _spelt(question)(name).rpartition("/")[2]
        text = shown if name == "form" else " ".join(value) if isinstance(value, tuple) else value
        raise InputError("usage", shown, f"cannot be used with {what}", text, f"leave {shown} out")


def _progress(path: str, least: int) -> AbstractContextManager[Callable[[float], None] | None]:
    """Show a progress bar on standard error while a large file is read."""
    with suppress(OSError):
        if "*" in path or (Path(path).is_file() and Path(path).stat().st_size >= least):
            return _bar(f"Reading {Path(path).name}")
    return nullcontext()


@contextmanager
def _bar(words: str) -> Iterator[Callable[[float], None]]:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    console = Console(stderr=True)
    # Where nobody watches, a bar would leave an empty line.
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(escape(one_line(words)), total=1.0)
        yield lambda share: bar.update(task, completed=share)


@contextmanager
def _spinner() -> Iterator[None]:
    """Show on a terminal that a search goes on, once it has taken a while, and how to stop it."""
    shown = ExitStack()

    def show() -> None:
        from rich.console import Console

        shown.enter_context(Console(stderr=True).status("Searching; Ctrl-C stops it"))

    timer = threading.Timer(_PATIENCE, show)
    timer.daemon = True
    if not sys.stderr.isatty():
        yield
        return
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        shown.close()


@contextmanager
def _late_bar(words: str) -> Iterator[Callable[[float], None]]:
    """Show a progress bar once something has taken a while."""
    start = time.monotonic()
    show: Callable[[float], None] | None = None
    with ExitStack() as opened:

        def advance(share: float) -> None:
            nonlocal show
            if show is None and time.monotonic() - start > _PATIENCE:
                show = opened.enter_context(_bar(words))
            if show is not None:
                show(share)

        yield advance


def _show(result: Any, form: str | None) -> None:
    from . import writers

    if form is not None:
        write = {"json": writers.to_json, "csv": writers.to_csv, "markdown": writers.markdown, "latex": writers.latex}
        text = write[form](result).rstrip("\n")
        # Labels cannot steer a terminal; programs get them as they are.
        click.echo(harmless(text) if sys.stdout.isatty() else text)
        return
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
    argument = name or (parameter.name if parameter else place)
    problem = error.format_message().rstrip(".").replace("\n", " ")
    if isinstance(error, click.MissingParameter) and parameter is not None:
        shown = (
            parameter.opts[0] if isinstance(parameter, click.Option) else (parameter.metavar or argument).strip("[].")
        )
        return InputError("usage", shown, "is required", NOTHING, f"see `{place} --help`")
    typed = verbatim(" ".join(["fourfold", *arguments]))
    return InputError("usage", argument, problem[:1].lower() + problem[1:], typed, f"see `{place} --help`")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 fine, 1 impossible, 2 wrong input, 3 undecided.

    Further: 70 a fault of the program or of its output, 130 interrupted, 141 the reader of a pipe has gone.
    """
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    output = sys.stdout
    for stream in (output, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character shows a question mark instead of failing.
            stream.reconfigure(errors="replace")
    try:
        typed = ["fourfold", *arguments]
        code = cli.main(args=list(arguments), prog_name="fourfold", standalone_mode=False, obj=typed)
        sys.exit(code if isinstance(code, int) else 0)
    except SystemExit as ended:
        # A pipe was closed: rich and click end with 1, which says "impossible", and click changes the output.
        if isinstance(ended.__context__, BrokenPipeError) or sys.stdout is not output:
            sys.exit(EXIT_PIPE_CLOSED)
        raise
    except FourfoldError as error:
        _fail(error, arguments)
    except click.ClickException as error:
        if isinstance(error, _NOTHING_TYPED):
            click.echo(error.format_message())
            sys.exit(0)
        _fail(_from_click(error, arguments), arguments)
    except (click.Abort, KeyboardInterrupt) as stop:
        # Click has taken the interruption, and ended the line in which the terminal shows its key.
        _say(str(stop.__cause__ or stop) or "Stopped.", err=True)
        sys.exit(EXIT_INTERRUPTED)
    except OSError as error:
        problem = f"cannot be read or written ({(error.strerror or 'no reason is given').lower()})"
        hint = "check the path and the disk"
        if error.filename is not None:
            _fail(InputError("no_file", "path", problem, str(error.filename), hint), arguments)
        # No path that was typed: the output is broken, or the disk is full.
        _say(str(InputError("no_file", "path", problem, verbatim("a file"), hint)), err=True)
        sys.exit(EXIT_FAULT)


def _fail(error: FourfoldError, arguments: Sequence[str]) -> NoReturn:
    if "--json" in arguments:
        from .writers import to_json

        click.echo(to_json(error))
    else:
        _say(str(error), err=True)
    sys.exit(EXIT_USAGE)


def _say(words: str, *, err: bool = False) -> None:
    """Print a line; names of files and columns in it cannot steer the terminal."""
    try:
        click.echo(one_line(words), err=err)
    except OSError:
        # That nobody listens changes nothing about the answer.
        if not err:
            raise
