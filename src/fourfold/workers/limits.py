"""What a question may take."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

from ..errors import InputError


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What questions may take: processes, time, memory, and bytes.

    Parameters
    ----------
    workers
        How many processes work at questions. Two of them are kept for short ones, where there are so many.
    short_limit
        Seconds of work after which a question is a long one, and makes room for short ones; on a busy machine that may
        be eight times as many seconds of the clock.
    time_limit
        Seconds that one question, or one row of a review, may take.
    review_limit
        Seconds that a whole review may take.
    queue, wait_limit
        How many questions may wait for their turn, and for how many seconds; others are turned away.
    json_limit, upload_limit
        How many bytes a question may have, and the files that it comes with.
    memory
        How many bytes a worker may take beyond what it starts with; 0 for no limit.
    """

    _may_be_zero: ClassVar[tuple[str, ...]] = ("memory",)

    workers: int = 6
    short_limit: float = 0.3
    time_limit: float = 20.0
    review_limit: float = 600.0
    queue: int = 2000
    wait_limit: float = 60.0
    json_limit: int = 1_000_000
    upload_limit: int = 256_000_000
    memory: int = 2 << 30

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            least = 0 if field.name in self._may_be_zero else 1 if field.type == "int" else 0.001
            if isinstance(value, int | float) and value < least:
                raise InputError("bad_option", field.name, "is out of range", value, "leave it out for the default")
