"""Faults of Google's answers, and of the lane in the middle of a flush."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from carrete.ledger import open_database
from carrete.ledger.errors import LedgerUnavailable
from carrete_chaos.fault_context import Fault, FaultContext
from carrete_chaos.google import BOOK, Google
from carrete_chaos.recovery import API

SPRINGS_S_MAX = 20.0  # for a request to come along
LOOK_S = 0.05
_LOST = ("apply-then-reset", "apply-then-hang", "apply-then-503", "apply-later")


def google_answers(kind: str) -> Fault:
    """The next one to three requests fail, whatever they are."""

    async def fault(context: FaultContext) -> bool:
        return await _until_it_triggers(_google(context), kind, context.rng.randint(1, 3))

    return fault


async def answer_lost(context: FaultContext) -> bool:
    """Google applies a request, at once or later, and the lane gets no answer."""
    google = _google(context)
    delay_s = context.rng.uniform(1.0, 10.0) * google.haste
    return await _until_it_triggers(google, context.rng.choice(_LOST), 1, kind="write", delay_s=delay_s)


async def _until_it_triggers(google: Google, fault: str, times: int, **more: object) -> bool:
    faults = google.emulator.faults
    number = faults.add({"fault": fault, "times": times, "hang_s": 60 * google.haste, **more})

    def waits() -> int:
        return next((one["times"] or 0 for one in faults.waiting() if one["id"] == number), 0)

    await _until(lambda: waits() < times)
    return waits() < times


async def lane_killed_mid_flush(context: FaultContext) -> bool:
    """Kills the process that runs the lane while its batch is on the way, before or after Google applied it."""
    google = _google(context)
    point = context.rng.choice(("before-apply", "after-apply"))
    barrier = google.emulator.barriers.add({"at": point, "path": ":batchUpdate$"})
    await _until(barrier.met.is_set)
    in_flight = barrier.held is not None
    number = _leader(context) if in_flight else None
    if number is not None:
        context.cluster.apis[number].kill()
    google.emulator.barriers.release(barrier.number)
    if number is None:
        return False
    await context.lasts(0.1, 1.0)
    context.cluster.apis[number].start()
    await context.recovery_timer.first_tap(API, number)
    context.cluster.require_alive(number)
    return True


def _leader(context: FaultContext) -> int | None:
    """The process that runs the lane, by the lease in the ledger."""
    database = open_database(context.cluster.database_url)
    try:
        with database.reading() as tx:
            holder, _, _ = tx.one("lease", workbook=BOOK) or ("", "", "")
    except LedgerUnavailable:
        return None
    finally:
        database.close()
    pids = [str(api.pid) for api in context.cluster.apis]
    _, pid, _ = holder.split(":") if holder else ("", "", "")
    return pids.index(pid) if pid in pids else None


async def _until(happened: Callable[[], bool]) -> None:
    for _ in range(int(SPRINGS_S_MAX / LOOK_S)):
        if happened():
            return
        await asyncio.sleep(LOOK_S)


def _google(context: FaultContext) -> Google:
    assert context.cluster.google is not None
    return context.cluster.google


SHEET_FAULTS: dict[str, Fault] = {
    "Sheets 429": google_answers("429"),
    "Sheets 500": google_answers("500"),
    "Sheets hangs": google_answers("hang"),
    "Sheets answer lost": answer_lost,
    "lane killed mid-flush": lane_killed_mid_flush,
}
