"""Many questions at once to a real server on this machine; no peer serves them, so times stand alone."""

from __future__ import annotations

import asyncio
import multiprocessing
import statistics
import time
from multiprocessing.connection import Connection
from typing import Any

from .timing import alone

QUESTION = {"accuracy": "0.85", "recall": "80%", "negatives": 60}


def _serve(connection: Connection) -> None:
    from fourfold.web import Settings, serve

    serve(Settings(port=0), ready=connection.send)


async def _ask(client: Any, positives: int, door: str = "api") -> tuple[int, float]:
    start = time.perf_counter()
    response = await client.post(f"/{door}/recover", json=QUESTION | {"positives": positives})
    return response.status_code, time.perf_counter() - start


async def _measure(url: str, many: int) -> tuple[list[tuple[int, float]], list[tuple[int, float]], float, float]:
    import httpx

    limits = httpx.Limits(max_connections=many)
    async with httpx.AsyncClient(base_url=url, timeout=60, limits=limits) as client:
        await asyncio.gather(*(_ask(client, 40) for _ in range(8)))
        one = [await _ask(client, 40 + 5 * (n % 4)) for n in range(50)]
        drawn = statistics.median([(await _ask(client, 40 + 5 * (n % 4), "page"))[1] for n in range(20)])
        start = time.perf_counter()
        all_at_once = await asyncio.gather(*(_ask(client, 40 + 5 * (n % 4)) for n in range(many)))
        return one, list(all_at_once), time.perf_counter() - start, drawn


def run(many: int = 200) -> None:
    """Ask one after the other, then all at once."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,))
    process.start()
    try:
        one, together, whole, drawn = asyncio.run(_measure(ours.recv(), many))
    finally:
        process.terminate()
        process.join()
    alone("one recover question after the other, over HTTP", statistics.median(taken for _, taken in one), "median")
    alone("one recover question after the other, with its pictures", drawn, "median")
    failed = sum(status != 200 for status, _ in together)
    times = [taken for _, taken in together]
    alone(f"{many} recover questions at once", statistics.median(times), f"median; {failed} errors")
    alone(f"{many} recover questions at once", statistics.quantiles(times, n=20)[-1], "95th percentile")
    alone(f"{many} recover questions at once", whole, f"in all; {many / whole:.0f} a second")
