"""Errors with the HTTP status that says the same."""

from __future__ import annotations

import json
from typing import Any

from ..errors import NOTHING, FourfoldError, InputError, MissingExtra, TooLarge, verbatim


class Refused(Exception):
    """A request that is not answered: an error and its status."""

    def __init__(self, status: int, error: FourfoldError) -> None:
        super().__init__(status, error)
        self.status = status
        self.error = error


def status_of(error: FourfoldError) -> int:
    """Return the status of an error of the library.

    Examples
    --------
    >>> status_of(InputError("bad_count", "tp", "must be a whole number", -1, "count cases"))
    400
    """
    return 422 if isinstance(error, TooLarge) else 501 if isinstance(error, MissingExtra) else 400


def dumped(value: Any) -> bytes:
    """Return JSON as bytes; half a surrogate pair, which no encoding has, becomes a question mark."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def fault() -> InputError:
    """Return what a client is told of a fault of the program."""
    return InputError("fault", "server", "a fault of the program", None, "its log says more; please report it")


def bad_request(argument: str, problem: str, got: object, hint: str, status: int = 400) -> Refused:
    """Return the refusal of a request that was not understood."""
    return Refused(status, InputError("bad_request", argument, problem, got, hint))


def busy(count: int, what: str = "questions waiting") -> Refused:
    """Return the refusal of a question for which there is no room."""
    return Refused(503, InputError("busy", "server", f"has too many {what}", count, "ask again soon"))


def timed_out(seconds: float, what: str = "question") -> Refused:
    """Return the refusal of a question that took too long."""
    hint = "paste only the table, or narrow the sizes; Python and the command line have no limit"
    return Refused(504, TooLarge("timed_out", what, f"stopped after {seconds:g} s", NOTHING, hint))


def stopping() -> Refused:
    """Return the refusal of a question to a server that is being stopped."""
    error = InputError("busy", "server", "is being stopped", verbatim("a question"), "ask again when it runs")
    return Refused(503, error)


def worker_killed() -> Refused:
    """Return the refusal of a question whose worker was ended from outside: a system short of memory does that too."""
    hint = "ask again; if that does not help, ask for less"
    return Refused(503, InputError("busy", "server", "lost the worker of this question", verbatim("no answer"), hint))


def worker_ended() -> Refused:
    """Return the refusal of a question at which its worker broke down."""
    hint = "ask for less, or ask in Python or on the command line"
    problem = "ended its worker, most likely for want of memory"
    return Refused(422, TooLarge("too_large", "question", problem, verbatim("no answer"), hint))


def too_much_memory() -> TooLarge:
    """Return the error of a question that went beyond a worker's memory."""
    hint = "ask for less, or ask in Python or on the command line"
    return TooLarge("too_large", "question", "would take more memory than allowed", None, hint)
