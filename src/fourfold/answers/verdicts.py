"""Verdicts in words: what fits, on what condition, and which scores contradict each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from .. import claims
from ..claims import ClaimedScore, ClassClaim, FoldClaim, Implied, Nearest, Recovery, TableClaim
from ..claims.ladder import off_in_folds
from ..document import Tone
from ..metrics import ACCURACY, METRICS
from ..solve.averages import Limit
from ..solve.dealing import share_off
from ..words import between, clear_of, count_of, decimals, either, listed, sentence, told_once

#: What a verdict is to the eye: red accuses, so that only what is proven to be impossible is red.
TONES: Final[Mapping[str, Tone]] = {
    "impossible": "bad",
    **dict.fromkeys(("unexplained", "conditional", "undecided"), "open"),
    **dict.fromkeys(("not checked", "error"), "plain"),
}
_SPENT: Final = "the budget was spent before all were tried"


def verdict_words(result: Recovery) -> str:
    """Say what a report came to, in one sentence."""
    claim: Any = result.claim
    how = tail = ""
    if isinstance(result.stated, FoldClaim):
        how = f" as means over {claim.what}" if claim.over == "mean" else " for all cases together"
        known = {(), result.departures, *(reading.departures for reading in result.others)}
        others = [f"{other.verdict} if {other.words}" for other in result.readings if other.departures not in known]
        tail = "".join(f"; {words}" for words in told_once(others)[:2])
    if result.verdict == "impossible":
        if result.average is not None:
            # What refutes every average is a limit that has a name, or which scores no mixture of tables has.
            names, limit = listed([claimed.name for claimed in result.stated.scores]), result.average.limit
            why = _bound_words(limit) if limit else f"no mixture of tables of any size has {names} as printed"
            sizes_open = isinstance(result.stated, TableClaim) and result.stated.margins is None
            cases = " and however many cases there were" if sizes_open else ""
            return f"impossible, whatever was averaged{cases}: {why}."
        return f"impossible{how}: {to_leave_out(result)[0] or '; '.join(contradictions(result))}."
    if result.verdict == "unexplained":
        return unexplained(result)
    if result.verdict == "undecided":
        open_ = count_of(sum(reading.verdict == "undecided" for reading in result.readings), "other reading")
        why = result.reason
        if not how and result.readings[0].verdict == "impossible":
            why = f"impossible as it stands, and {open_} could not be decided"
        elif result.layout == "classes" and getattr(result.solution, "found", None):
            why = "the budget was spent before an answer was certain"
        elif not how and not result.complete:
            why = f"no table fits among those tried, and {_SPENT}"
        elif not how:
            why = f"no table with at most {claim.largest_total:,} cases fits, and larger ones were not searched"
        return f"undecided{how}: {why}{tail}."
    possible = only_if(result.reading) if result.verdict == "conditional" else f"possible{how}"
    if result.layout == "parts":
        return f"{possible}{tail}." if how else f"{possible}; impossible for one test set."
    if not result.solution.fits:
        return f"{possible}; impossible for one test set."
    words = short_verdict(result)
    words = words[:1].lower() + words[1:]
    counted_alone = result.layout == "one table" and result.verdict == "possible" and not all_sizes(result)
    return f"{words}." if counted_alone else f"{possible}: {words}."


def _bound_words(limit: Limit) -> str:
    """Say which bound of every average a report breaks."""
    names = (limit.score, limit.one, limit.other)
    score, *others = (METRICS[name].label if name in METRICS else name for name in names)
    others = [other[:1].lower() + other[1:] if other[1:2].islower() else other for other in others]
    end = "exceed" if limit.above else "fall below"
    return f"{score} cannot {end} {limit.value:.3f} beside this {listed(others)}"


def unexplained(result: Recovery) -> str:
    """Say that nothing that was tried gives the scores, and what an average would need."""
    claim, average = result.stated, result.average
    limit = None if average is None else average.limit
    if isinstance(claim, FoldClaim):
        first = f"{claim.what} do not have these means, read in any way that was tried"
    elif isinstance(claim, TableClaim) and claim.margins is not None:
        positives, negatives = claim.margins
        first = f"no test set of {positives:,} positive and {negatives:,} negative cases has these scores"
        coded = [(reading, {departure.code for departure in reading.departures}) for reading in result.readings]
        means = [reading for reading, codes in coded if "means_over_folds" in codes]
        if average is not None and (average.width or 0.0) > off_in_folds(claim.margins):
            first += ", nor have runs on it, nor 2 to 20 stratified folds of it"
        elif means:
            over = [mean.departures[0].words.removeprefix("the scores are means over ") for mean in means]
            first += f", and none was found as means over {either(told_once(over))}"
    else:
        first = f"no table{' of these classes' if result.layout == 'classes' else ''} has these scores"
    if average is not None and average.mixed:
        return f"unexplained: {first}. They would fit if {average.mixed}. Ask what was averaged."
    words = [f"unexplained: {first}."]
    of_two = isinstance(claim, FoldClaim) or getattr(claim, "is_of_two_classes", False)
    # The bound of accuracy is one of two classes.
    if limit is not None and (of_two or limit.score != ACCURACY.id):
        words.append(f"No average has them as they are named: {_bound_words(limit)}.")
        words.append("Medians, the best of several runs or other names could.")
    elif average is not None and average.width and isinstance(claim, TableClaim) and claim.margins is not None:
        words.append(
            f"An average could, but only over parts whose share of positives is off by about {average.width:.2f} "
            f"({average.share:.2f} in the data){_one_in(share_off(average.width, claim.margins))}."
        )
    elif average is not None and average.share is not None and average.width is None:
        words.append("No average has them as they are named; medians, the best of several runs or other names could.")
    elif isinstance(claim, TableClaim) and not claim.is_of_two_classes:
        words.append("An average of another kind could, such as one over more than two classes.")
    else:
        words.append("An average of another kind could.")
    return " ".join([*words, "Ask how the scores were averaged."])


def _one_in(chance: float) -> str:
    """Say how rare a random tenth of the data is that is so far off."""
    if chance > 0.05:
        return ""
    often = "fewer than one in a million is"
    if chance >= 1e-6:
        often = f"about one in {int(float(f'{1 / chance:.1g}')):,} is"
    return f"; of random tenths of the data {often} that far off"


def short_verdict(result: Recovery) -> str:
    """Say in a few words whether anything fits, as the headline of a picture."""
    solution: Any = result.solution
    if result.verdict in ("impossible", "unexplained"):
        return "No table fits"
    if result.verdict == "undecided":
        return "Undecided: the search was not finished"
    if result.layout == "parts" or not solution.fits:
        return "No one table fits, and means over folds do"
    if result.layout == "classes":
        return sentence(sets_fit(solution.count, counted=solution.counted)) + ("" if result.complete else f"; {_SPENT}")
    if of_all_sizes := all_sizes(result):
        which = "the smallest" if len(solution.feasible.rows) else "one"
        size = count_of(solution.feasible.first().total, "case")
        tables = "The multiples of one table" if of_all_sizes.only else "Tables of some sizes"
        return f"{tables} fit, {which} has {size}"
    tables, fit = count_of(solution.count, "table"), "fits" if solution.count == 1 else "fit"
    if not result.complete:
        return f"At least {tables} {fit}; {_SPENT}"
    if (solution.claim.sized() or solution.claim).open_ended:
        most = f"with at most {solution.claim.largest_total:,} cases"
        return f"{tables} {most} {fit}; larger ones were not searched"
    return f"{tables} {fit}"


def all_sizes(result: Recovery) -> Any:
    """Return what tables of all sizes have in common, where no size is known; else None."""
    feasible = getattr(result.solution, "feasible", None)
    return feasible and feasible.all_sizes


def sets_fit(count: int, *, counted: bool) -> str:
    """Say how many sets of margins fit."""
    words = f"{count_of(count, 'set')} of margins {'fits' if count == 1 else 'fit'}"
    return words if counted else f"at least {words}"


def only_if(reading: str) -> str:
    """Say under which reading alone a report is possible."""
    return f"possible only if {reading}"


def parts_of(claim: Any) -> str:
    """Return what the parts of a report are called."""
    return "folds" if "folds" in claim.what else "sets"


def contradiction(names: Sequence[str], *, sure: bool) -> str:
    """Say which claims contradict each other; `sure` where every smaller set of them is known to be possible.

    Examples
    --------
    >>> contradiction(["accuracy", "f1"], sure=True)
    'accuracy and f1 contradict each other; each alone is possible'
    """
    if len(names) == 1:
        return f"no table has this {names[0]}"
    others = {2: "each alone is", 3: "any two of them are", 4: "any three of them are"}
    tail = f"; {others.get(len(names), f'any {len(names) - 1} of them are')} possible" if sure else ""
    return f"{listed(names)} contradict each other{tail}"


def contradictions(result: Recovery) -> list[str]:
    """Say which scores contradict each other as a report stands, a sentence for each set."""
    sure = isinstance(result.stated, TableClaim) and not any(note.code == "blame_incomplete" for note in result.notes)
    alone = {
        implied.name: _nearest_alone(claimed_score(result, implied), implied)
        for implied in result.implied
        if not implied.others
    }
    lines = [contradiction(names, sure=sure) + alone.get("".join(names), "") for names in result.contradictions]
    if isinstance(result.stated, FoldClaim):
        return [words.replace("no table has", f"no {parts_of(result.claim)} have") for words in lines]
    return lines


def to_leave_out(result: Recovery) -> tuple[str, list[str]]:
    """Say which scores contradict the rest, and where it may be one or another, what is left without each."""
    printed = {claimed.name: f"{claimed.name} {claimed.reported.text}" for claimed in result.stated.scores}
    left = {}
    for way in result.left_out:
        tables = f"{way.count} tables fit" if way.count else "tables of some sizes fit"
        who, s = ("it", "s") if way.count == 1 else ("they", "")
        words = "one table fits" if way.count == 1 else tables
        # Of several classes, and of more tables than can be walked, it is not told what the rest gives.
        for given in way.implied if len(way.names) == 1 else ():
            verb = "could give" if given.below and given.above else f"give{s}"
            values = nearest_values(claimed_score(result, given), given)
            words += f", and {who} leave{s} it undefined" if values == "undefined" else f", and {who} {verb} {values}"
        left[listed([printed[name] for name in way.names])] = words
    one = not left or len(result.left_out[0].names) == 1
    contradict = "contradicts the rest" if one else "contradict the rest"
    if len(left) == 1:
        [(names, words)] = left.items()
        return f"{names} {contradict}; without {'it' if one else 'them'} {words}", []
    ways = either([*left]) if left and one else ", or ".join(left)
    return f"either {ways} {contradict}" if left else "", [f"without {left_out}, {left[left_out]}" for left_out in left]


def given_others(result: Recovery, implied: Implied) -> str:
    """Say what other claims leave for one."""
    verb = "could be" if implied.below and implied.above else "is"
    values = nearest_values(claimed_score(result, implied), implied)
    return f"given {listed(implied.others)}, {implied.name} {verb} {values}, not {implied.reported}"


def claimed_score(result: Recovery, implied: Implied) -> ClaimedScore:
    """Return the score that something is implied about; one of a class is that of its table against the rest."""
    scores: list[ClaimedScore] = list(result.stated.scores)
    if isinstance(result.claim, ClassClaim):
        class_scores = map(result.claim.of_class, range(len(result.claim.labels)))
        scores = [claimed for claim in class_scores if claim for claimed in claim.scores]
    return next(claimed for claimed in scores if claimed.name == implied.name)


def nearest_values(claimed: ClaimedScore, implied: Implied) -> str:
    """Say which values nearest to what was claimed the other claims leave, and of how many cases they are a share."""
    sides = [nearest for nearest in (implied.below, implied.above) if nearest]
    low, high, *_ = implied.bounds
    if not sides:
        undefined = low is None or high is None
        return "undefined" if undefined else f"from {between(low, high, max(decimals(implied.reported), 4))}"
    way = "nearest" if len(sides) == 2 or low == high else "up" if implied.below else "down"
    values = []
    for nearest in sides:
        value, cases = _value(claimed, nearest, way), claimed.metric.counted(nearest.table)
        if cases is not None:
            value += f" ({cases[0]} of {cases[1]})" if cases[1] else " (printed where it is undefined)"
        values.append(value)
    return {"nearest": "", "up": "at most ", "down": "at least "}[way] + " or ".join(values)


def _nearest_alone(claimed: ClaimedScore, implied: Implied) -> str:
    """Say which values are nearest to one that no table has."""
    sides = [nearest for nearest in (implied.below, implied.above) if nearest]
    if not sides:
        return ": it is undefined for all"
    values = [_value(claimed, nearest, "nearest") for nearest in sides]
    cases = [claimed.metric.counted(nearest.table) for nearest in sides]
    if all(case and case[1] for case in cases):
        shares = [f"{hits} of {of} is {value}" for (hits, of), value in zip(filter(None, cases), values, strict=True)]
        return f": {', '.join(shares)}"
    return f": the nearest {'are' if len(values) > 1 else 'is'} {listed(values)}"


def _value(claimed: ClaimedScore, nearest: Nearest, way: str) -> str:
    """Return a value with so many digits that it is told from what was reported."""
    exact = nearest.value if isinstance(nearest.value, Fraction) else Fraction(float(nearest.value))
    if claimed.is_count:
        return str(exact)
    text = claimed.reported.text.strip()
    digits = decimals(text) if claimed.metric.limits.high is None else max(decimals(text), 4)
    return clear_of(exact, claimed.reported.__contains__, digits, way=way, percent=text.endswith("%"))


def review_row(row: Mapping[Any, Any]) -> tuple[list[str], list[str], Tone]:
    """Return the heads, the texts and the tone of one row of a review: its verdict first, then the row as it was."""
    added, own_columns = claims.added(row), claims.own_columns(row)
    blamed = [contradiction(names.split(" + "), sure=False) for names in (added["blame"] or "").split("; ") if names]
    condition = only_if(added["reading"]) if added["reading"] else ""
    why = added["error"] or condition or "; ".join(blamed) or added["notes"] or ""
    count = "-" if added["count"] in (None, "") else str(added["count"])
    values = ["" if row[name] is None else str(row[name]) for name in own_columns]
    heads = ["verdict", "tables", "why", *map(str, own_columns)]
    return heads, [added["verdict"], count, why, *values], TONES.get(added["verdict"], "good")


def review_words(verdicts: Mapping[str, int], *, done: bool) -> str:
    """Say how many reports of a review have which verdict.

    Examples
    --------
    >>> review_words({"possible": 3, "impossible": 1}, done=True)
    '4 reports: 1 impossible, 3 possible.'
    """
    counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
    reports = count_of(sum(verdicts.values()), "report")
    return f"{reports}{'' if done else ' so far'}{': ' if counts else ''}{counts}."
