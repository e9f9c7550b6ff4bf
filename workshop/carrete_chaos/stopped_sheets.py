"""A supervisor who looks at the page of the workbook and confirms a sheet that stopped because many cells changed at
once. On a busy machine the person at the workbook types more between two reads than anybody does in a shop."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from carrete.background import cancel_and_wait
from carrete.domain.refusals import Refusal
from carrete.ledger import open_database
from carrete.ledger.errors import LedgerUnavailable, RaceLost
from carrete.sheets.freeze import limits
from carrete.sheets.freeze.decisions import decide
from carrete.sheets.rows import storage
from carrete_chaos.shop import SUPERVISOR

CONFIRMED = "sheets that stopped, confirmed by a supervisor"
LOOK_S = 2.0


@asynccontextmanager
async def confirming_stopped_sheets(url: str, happened: Counter[str]) -> AsyncIterator[None]:
    supervisor = asyncio.create_task(_confirm_until_cancelled(url, happened))
    try:
        yield
    finally:
        await cancel_and_wait([supervisor])


async def _confirm_until_cancelled(url: str, happened: Counter[str]) -> None:
    while True:
        await asyncio.sleep(LOOK_S)
        with suppress(LedgerUnavailable, RaceLost, Refusal):  # the next look decides
            happened[CONFIRMED] += await asyncio.to_thread(confirm_stopped_sheets, url)


def confirm_stopped_sheets(url: str) -> int:
    """Returns how many were confirmed. All those changes were typed by people, so the workbook is right."""
    database = open_database(url)
    try:
        with database.reading() as tx:
            stopped = [(sheet, freeze) for sheet, freeze in storage.freezes(tx).items() if _may_confirm(freeze)]
        for sheet, freeze in stopped:
            with database.writing() as tx:
                decide(tx, SUPERVISOR, sheet, freeze.id, limits.CONFIRM, confirmed_roles_only=False)
        return len(stopped)
    finally:
        database.close()


def _may_confirm(freeze: storage.Freeze) -> bool:
    return freeze.kind == limits.CHANGED and not freeze.decision
