"""What `recover` found: one document for one table, several classes, and parts such as folds; and estimates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ..claims import ClassClaim, Distribution, Estimate, FoldClaim, Recovery, Repair, Size, TableClaim
from ..claims.intervals import MOST_TABLES
from ..claims.readings import SINGLE, means_over
from ..document import Block, Chart, Column, Detail, Details, Document, Facts, Grid, Heading, Items, Notes, Sentence
from ..metrics import SIZE_PARTS
from ..words import between, count_of, level, listed, number, sentence, told_once
from .any_result import document, label_of, plain_document
from .grids import MOST_SHOWN, bounds_grid, cells_of_classes, each_class, open_ends, reported_grid
from .verdicts import TONES, contradictions, given_others, only_if, parts_of, sets_fit, to_leave_out, verdict_words

_MOST_KINDS: Final = 12
_MOST_TOLD: Final = 6
# A sentence names this many scores and this many classes.
_MOST_LISTED: Final = 8
_MOST_NAMED: Final = 6
_CELLS: Final = tuple(Column(name, "count") for name in ("tp", "fn", "fp", "tn"))
_ROUNDED: Final = {
    "any": "rounded at the last digit, halves up or down",
    "half_up": "rounded at the last digit, halves up",
    "half_even": "rounded at the last digit, halves to even",
    "truncate": "cut after the last digit",
    "ceiling": "rounded up at the last digit",
}


@document.register
def _(result: Recovery) -> Document:
    words, (checked, cite) = verdict_words(result), _report_words(result)
    # A headline is one sentence: what an average would need comes below it.
    title, tone = sentence(words).partition(". ")[0].removesuffix("."), TONES.get(result.verdict, "good")
    return Document("Check of reported scores", title, tone, list(_blocks(result, words, checked)), cite)


def _blocks(result: Recovery, words: str, checked: str) -> Iterator[Block]:
    of_table, one_table = isinstance(result.stated, TableClaim), result.layout == "one table"
    cells = {name: _counts(*ends, to="-") for name, ends in result.cells.items()}
    named_counts = [f"{name} {counts}" for name, counts in cells.items()] if one_table else []
    yield Sentence("  ".join([words, *named_counts]), strong=True, place="terminal")
    if rest := words.partition(". ")[2]:
        yield Sentence(rest, place="page")
    negative, *_, positive = result.claim.labels
    if cells:
        columns = [Column("", "text"), *(Column(f"predicted {label}", "printed") for label in (positive, negative))]
        sides = ((positive, "tp", "fn"), (negative, "fp", "tn"))
        rows = [[f"actually {label}", cells[left], cells[right]] for label, left, right in sides]
        caption = "The confusion matrix" if one_table else f"The sum over all {parts_of(result.claim)}"
        yield Grid(caption, columns, rows, place="page", matrix=True)
    if result.class_cells is not None:
        unsure = "; no table goes beyond, but it is not proven that all ends are attained"
        beyond = "" if result.class_cells.sharp else unsure
        yield Chart("feasible", f"The least and the largest count of each cell{beyond}.")
    yield Sentence(checked, place="page")
    if one_table and result.count and result.claim.labels != TableClaim.labels:
        yield Sentence(f"Cases of {positive} count as positive, those of {negative} as negative.")
    if of_table and result.verdict in ("conditional", "undecided", "unexplained") and result.contradictions:
        where, contradicting = "As it stands", contradictions(result)[0]
        if result.verdict == "unexplained":
            where, contradicting = "As one test set", to_leave_out(result)[0] or contradicting
        yield Sentence(f"{where} it is impossible: {contradicting}.")
    if result.verdict in ("impossible", "unexplained"):
        yield from _why(result)
    yield from _tried(result)
    if result.repairs:
        yield Heading("Single changes that would make it possible")
        yield Sentence("Each is only a hypothesis.")
        yield Items([f"{repair.change}: then {_repaired(repair)}" for repair in result.repairs], hypotheses=True)
    yield from _intervals(result)
    reported, fitting = list(reported_grid(result)), list(_fitting(result))
    # Where scores of one table are means, these are what was found, and the table is what they are not.
    found_first = result.layout == "classes" or (of_table and not one_table)
    yield from (*fitting, *reported) if found_first else (*reported, *fitting)
    if of_table and result.contradictions and not (one_table and result.solution.fits):
        proven = result.verdict == "impossible"
        charts = list[Chart]()
        sized = result.stated.sized()
        if sized and sized.margins:
            where = "each claim holds inside its band, and no table lies in all"
            charts.append(Chart("feasible", f"The plane of both rates: {where}."))
        counts = {claimed.name for claimed in result.stated.scores if claimed.is_count}
        if any(implied.others and implied.name not in counts for implied in result.implied):
            charts.append(Chart("bounds", "What the other claims leave for each claim that they contradict."))
        if charts:
            yield Heading("Why it cannot be" if proven else "Why it cannot be one test set", place="page")
            yield from charts
    yield Notes(result.notes)


def _counts(low: int, high: int, to: str = " to ") -> str:
    """Say between what a count lies."""
    return str(low) if low == high else f"{low}{to}{high}"


def _repaired(repair: Repair) -> str:
    if repair.table is None:
        return sets_fit(repair.count, counted=repair.counted)
    cells = " ".join(f"{name}={n}" for name, n in repair.table.cells().items())
    return f"{cells} fits, {'the only table' if repair.count == 1 else f'one of {repair.count} tables'}"


def _report_words(result: Recovery) -> tuple[str, str]:
    """Say what was checked and what was assumed; and, to paste into a review, what came out."""
    stated, claim, impossible = result.stated, result.claim, result.verdict == "impossible"
    after = {claimed.name: f" ± {claimed.reported.text}" for claimed in getattr(stated, "deviations", ())}
    scores = [f"{score.name} {score.reported.text}{after.get(score.name, '')}" for score in stated.scores]
    what = listed(scores) if len(scores) <= _MOST_LISTED else f"{len(scores)} scores"
    sizes, assumed, matches, gives = "", "one test set", "", "no confusion matrix gives"
    if isinstance(stated, FoldClaim) and isinstance(claim, FoldClaim):
        of_means = claim.over == "mean"
        assumed = f"means over {claim.what}" if of_means else f"all cases of {claim.what} together"
        given = f"{'As' if of_means else 'For'} {assumed}"
        gives = f"no confusion matrices of the {parts_of(claim)} give"
    elif isinstance(claim, ClassClaim):
        assumed += f", {'several labels' if claim.multilabel else 'one class'} for each case"
        sizes = f"{f'{claim.total} cases of ' if claim.total.high is not None else ''}{len(claim.labels)} classes"
        named = f"classes of {listed([f'{size} {label}' for label, size in claim.named_sizes.items()])} cases"
        given = f"With {sizes if len(claim.labels) > _MOST_NAMED else named}"
        if len(scores) > _MOST_LISTED:
            # What cannot be is named; what can be is counted.
            blamed = result.contradictions[0] if impossible and result.contradictions else ()
            blamed_scores = [words for words, score in zip(scores, stated.scores, strict=True) if score.name in blamed]
            scores = blamed_scores or [f"the report with its {len(scores)} scores"]
    else:
        p, n, total = stated.positives, stated.negatives, stated.total
        named_sizes = {"positives": p, "negatives": n, "cases": total}.items()
        known = [f"{size} {name}" for name, size in named_sizes if size.high is not None]
        sizes = listed(known) if known else "no size given"
        given = f"With {total} cases" if total.high is not None else "Whatever the number of cases"
        given = given if None in (p.high, n.high) else f"With {p} positive and {n} negative cases"
        if result.layout == "one table" and result.cells:
            cells = [f"{name} {_counts(*ends)}" for name, ends in result.cells.items()]
            matches = f"; the counts are then {listed(cells)}"
    assumed = f"that {result.reading}" if result.departures else assumed
    rules = dict.fromkeys(score.reported.rounding for score in stated.scores)
    assumed += "".join(f"; numbers {_ROUNDED[rule]}" for rule in rules if rule in _ROUNDED)
    checked = f"Checked: {', '.join(filter(None, (what, sizes)))}. Assumed: {assumed}."
    if result.verdict in ("undecided", "unexplained"):
        return checked, ""
    if impossible:
        return checked, f"{given}, {gives} {listed(scores)}."
    lead = only_if(result.reading) if result.verdict == "conditional" else "possible"
    return checked, f"{given}, {listed(scores)} {'is' if len(scores) == 1 else 'are'} {lead}{matches}."


def _why(result: Recovery) -> Iterator[Block]:
    """Say what scores leave for each other: the first few, or all on request; else all can be opened on a page."""
    stated, every = result.stated, result.explain == "all"
    left = [({score.name, *score.others}, given_others(result, score)) for score in result.implied if score.others]
    lines, reasons = to_leave_out(result)[1], [words for _, words in left]
    if isinstance(stated, TableClaim):
        for name, *ids in SIZE_PARTS:
            parts = [claimed for claimed in stated.scores if claimed.metric.id in ids]
            low, high = (sum(int(getattr(part.reported, end)) for part in parts) for end in ("low", "high"))
            size: Size = getattr(stated, name)
            if len(parts) == 2 and (high < size.low or (size.high is not None and low > size.high)):
                counts = listed([claimed.name for claimed in parts])
                lines.append(f"{counts} add up to {Size(low, high)}, and {name} to {size}")
        if not every and len(reasons) > _MOST_TOLD + 1:
            reasons = [*reasons[:_MOST_TOLD], f"and {len(reasons) - _MOST_TOLD} more like these"]
    if not result.left_out or every:
        yield Items([*lines, *(contradictions(result) if result.left_out else ()), *reasons])
        return
    yield Items(lines)
    sets = []
    for names, words in zip(result.contradictions, contradictions(result), strict=True):
        bounds = [given for members, given in left if members == {*names}]
        together = "impossible together" if len(names) > 1 else "impossible"
        sets.append(Detail(listed(names), together, "plain", bounds or [words]))
    yield Details("Scores that contradict each other", sets)


def _tried(result: Recovery) -> Iterator[Block]:
    """List the readings that were tried beside the plain one, where nothing is known to fit any; and the proof."""
    of_parts, claim = isinstance(result.stated, FoldClaim), result.claim
    if result.solution.fits or (of_parts and result.verdict != "impossible"):
        return
    ruled_out = "Nor is it possible" if of_parts else "Nor does any table fit"
    for verdict, lead in (("impossible", ruled_out), ("undecided", "It was not decided whether one fits")):
        some = [reading for reading in result.readings if reading.departures and reading.verdict == verdict]
        # Of readings of one kind the first is told, which is about the most scores.
        kinds = {tuple(departure.code for departure in reading.departures): reading for reading in reversed(some)}
        some = [reading for reading in some if reading in kinds.values()]
        codes = {reading.words: [departure.code for departure in reading.departures] for reading in some}
        # What goes with each of the others is told once.
        alone = [words for words in codes if codes[words] == [SINGLE.code]]
        beside = [words for words in codes if alone and words not in alone and SINGLE.code in codes[words]]
        readings = told_once(words for words in codes if words not in beside)
        readings = [
            f"{words}, alone or with any of the others" if beside and words in alone else words for words in readings
        ]
        if isinstance(claim, FoldClaim):
            readings = [words for words in readings if words != means_over(claim.what).words]
        if readings:
            yield Sentence(f"{lead} if {'; or if '.join(readings)}.")
    if of_parts:
        yield Sentence(f"Proof: {result.reason}.")


def _intervals(result: Recovery) -> Iterator[Block]:
    """Say which methods give the intervals printed beside scores, where no note does, and what that would leave."""
    lines = [f"{sentence(check.words)}." for check in result.intervals if not check.notes()]
    if lines:
        yield Heading("The intervals beside the scores", place="page")
    yield from map(Sentence, lines)
    together, count = result.interval_methods, result.count or 0
    every = len(result.intervals) > 1 and all(check.verdict == "found" for check in result.intervals)
    if len(together) == 1 and result.complete and (left := together[0].tables or 0) < count:
        remain = f"{left} of the {count_of(count, 'table')} {'remains' if left == 1 else 'remain'}"
        method = f"{together[0].method} {level(together[0].level)}"
        yield Sentence(f"With {method} intervals, {remain}; what follows is about all {count}.")
    elif not together and every and result.layout == "one table" and count <= MOST_TABLES:
        yield Sentence("No one of these methods gives all the intervals for one and the same table.")


def _fitting(result: Recovery) -> Iterator[Block]:
    """Show what fits, and what other scores must then be."""
    solution: Any = result.solution
    bounds = result.shown_bounds
    if not solution.fits or (result.layout == "one table" and solution.feasible.unwalked):
        return
    if result.layout == "one table":
        only = result.count == 1 and result.complete
        yield Heading("The table that fits" if only else "Tables that fit", place="page")
        yield Chart("feasible", "The plane of both rates: each claim holds inside its band, and points are tables.")
        tables = [list(table.cells().values()) for table in result.tables(MOST_SHOWN)]
        of_all_sizes = solution.feasible.all_sizes
        more = 0 if of_all_sizes else solution.count - len(tables)
        yield Grid("The smallest tables that fit" if of_all_sizes else "Tables that fit", _CELLS, tables, left_out=more)
        if bounds:
            yield Heading("What every metric must then be", place="page")
            yield Chart("bounds", "The smallest and the largest value of every metric among the tables that fit.")
            yield bounds_grid(result, "Bounds of every metric", "metric", bounds)
    elif result.layout == "classes":
        yield Heading("Each class", place="page")
        yield from each_class(result)
        yield Heading("Scores of all classes", place="page")
        if of_all := {name: ends for name, ends in bounds.items() if "[" not in name}:
            yield bounds_grid(result, "Bounds of the scores of all classes", "score", of_all)
        if any(map(open_ends, bounds.values())):
            yield Sentence("* No value lies beyond, but it is not proven that both ends are attained.", quiet=True)
        yield from cells_of_classes(result)
    elif shares := solution.decision.shares:
        yield Heading("One way in which it could have been", place="page")
        rows = [[float(share), *table.cells().values()] for share, table in shares]
        yield Grid("An average that fits: tables and their shares", [Column("share"), *_CELLS], rows)
    else:
        yield Heading("One way in which it could have been", place="page")
        parts, kinds, of_means = parts_of(solution.claim), solution.parts(), solution.claim.over == "mean"
        rows = [[kind.count, *kind.table.cells().values()] for kind in kinds[:_MOST_KINDS]]
        caption = f"Tables of the {parts}, one way in which it could have been"
        yield Grid(caption, [Column(parts, "count"), *_CELLS], rows, left_out=len(kinds) - len(rows))
        facts = {"sum of these": ", ".join(f"{name} {n}" for name, n in solution.pooled().cells().items())}
        every = ", ".join(f"{name} {_counts(*ends)}" for name, ends in result.cells.items())
        yield Facts(facts | ({"sum in every way that fits": every} if every else {}))
        if bounds:
            yield Heading(f"What other {'means' if of_means else 'scores'} must then be", place="page")
            if of_means:
                yield bounds_grid(result, "Bounds: mean of", "mean of", bounds)
            yield bounds_grid(result, "Bounds: all together", "all together", result.shown_pooled_bounds or {})


@document.register
def _(result: Distribution) -> Document:
    middle = f"The median of {label_of(result.metric)} is {number(result.median)}"
    return plain_document(result, f"{middle}; 95 % of the tables have {between(result.low, result.high)}")


@document.register
def _(result: Estimate) -> Document:
    cells = {name: getattr(result, name) for name in ("tp", "fn", "fp", "tn")}
    known = [f"{name} {float(value):.6g}" for name, value in cells.items() if value is not None]
    return plain_document(result, f"The estimate is {listed(known)}" if known else "")
