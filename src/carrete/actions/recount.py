"""Counts the joints of every spool again when the shop changed which joint types are only armed.

It may be interrupted, repeated, and run by several processes at once: a spool that is counted already stays as it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

import structlog

from carrete.actions.record import save_changes
from carrete.domain.change import Change
from carrete.domain.edits.cells import EDITAR
from carrete.domain.events import Event, EventoTipo
from carrete.domain.occupation import queue_events
from carrete.domain.progress import recount_joints
from carrete.domain.shop import Shop
from carrete.domain.shop_time import whole_second
from carrete.ledger.database import Database, Tx
from carrete.ledger.errors import LedgerUnavailable, RaceLost
from carrete.ledger.store import Changes, SpoolWrite, joints_of_many, spools_to_change
from carrete.ledger.tokens import fresh_token
from carrete.settings import Settings
from carrete.shop_settings import with_shop_settings

log = structlog.get_logger()

ARM_ONLY_TYPES = "CARRETE_ARM_ONLY_TYPES"
SPOOLS_PER_COMMIT = 200
SPOOLS_PER_COMMIT_SERVING = 20  # workers wait for a commit under way
SETTLED_AFTER_S = 15.0  # by then every process decides by the new types; the promise is 5 s
RETRY_AFTER_S = 5.0
_RECOUNT_UNFINISHED = "?"  # behind the stored types: joints were counted by others since, perhaps not all of them

_Run = Callable[[Callable[[Tx], Any]], Awaitable[Any]]


def recount_after_import(database: Database, machine: Settings, used: Shop, now: datetime) -> int:
    """Called at the end of an import. If the ARM-only types were changed while it ran, the joints are counted again
    with the new types."""
    current = with_shop_settings(machine, database).shop
    return 0 if current.arm_only_types == used.arm_only_types else recount(database, current, now, again=True)


def recount(
    database: Database, shop: Shop, now: datetime, spools_per_commit: int = SPOOLS_PER_COMMIT, *, again: bool = False
) -> int:
    """Returns how many spools changed. The setting is stored last, so that an interrupted recount is repeated. With
    `again` it counts although the stored setting says that this was done."""
    now, current = whole_second(now), _as_text(shop.arm_only_types)
    with database.reading() as tx:
        stored = tx.one("setting", name=ARM_ONLY_TYPES)
        if stored == (current,) and not again:
            return 0
        before = str(stored[0]).removesuffix(_RECOUNT_UNFINISHED) if stored else None
        tags = [str(tag) for (tag,) in tx.all("tags_with_joints")]
    event = _setting_changed(before, current, now)
    changed = 0
    for first in range(0, len(tags), spools_per_commit):
        with database.writing() as tx:
            changed += _recount(tx, tags[first : first + spools_per_commit], shop, event)
    with database.writing() as tx:
        tx.run("setting_put", name=ARM_ONLY_TYPES, value=current)
    return changed


async def recount_while_serving(
    read: _Run,
    write: _Run,
    shop: Shop,
    before: frozenset[str],
    settled: Callable[[], Awaitable[object]] | None = None,
) -> int:
    """The same in short commits between those of workers; `read` and `write` run a function in a transaction.

    It counts at once, and again when every process has the new types: until then another process may decide by the
    old ones, and store counts that would never be corrected. A start before that counts anew."""
    changed = await _recount_in_the_end(read, write, shop, before, _as_text(before) + _RECOUNT_UNFINISHED)
    await (settled() if settled else asyncio.sleep(SETTLED_AFTER_S))
    return changed + await _recount_in_the_end(read, write, shop, before, _as_text(shop.arm_only_types))


async def _recount_in_the_end(read: _Run, write: _Run, shop: Shop, before: frozenset[str], stored: str) -> int:
    while True:
        try:
            return await _recount_all(read, write, shop, before, stored)
        except (LedgerUnavailable, RaceLost) as error:
            log.warning("joints not counted anew yet", reason=str(error))
            await asyncio.sleep(RETRY_AFTER_S)


async def _recount_all(read: _Run, write: _Run, shop: Shop, before: frozenset[str], stored: str) -> int:
    """`stored`: what a later start finds when this is done; until then, that it is not."""
    await write(partial(_store_types, text=_as_text(before) + _RECOUNT_UNFINISHED))
    now, changed = whole_second(datetime.now(UTC)), 0
    event = _setting_changed(_as_text(before), _as_text(shop.arm_only_types), now)
    tags = [str(tag) for (tag,) in await read(lambda tx: tx.all("tags_with_joints"))]
    for first in range(0, len(tags), SPOOLS_PER_COMMIT_SERVING):
        some = tags[first : first + SPOOLS_PER_COMMIT_SERVING]
        changed += await write(partial(_recount, tags=some, shop=shop, event=event))
    await write(partial(_store_types, text=stored))
    return changed


def _store_types(tx: Tx, text: str) -> None:
    tx.run("setting_put", name=ARM_ONLY_TYPES, value=text)


def _as_text(types: frozenset[str]) -> str:
    return ",".join(sorted(types))


def _recount(tx: Tx, tags: Sequence[str], shop: Shop, event: Event) -> int:
    found = spools_to_change(tx, tags)
    joints = joints_of_many(tx, tags)
    changes = [
        (
            Change(after.but(version=fresh_token()), (event, *queue_events(spool, after, event.at)), "", ""),
            spool.version,
        )
        for tag, spool in found.items()
        if (after := recount_joints(spool, joints[tag], shop)).counts != spool.counts
    ]
    if not changes:
        return 0
    spools = [SpoolWrite(change.spool, read_version) for change, read_version in changes]
    save_changes(tx, Changes(event.at, spools), [change for change, _ in changes])
    return len(changes)


def _setting_changed(before: str | None, current: str, now: datetime) -> Event:
    metadata = {"ajuste": ARM_ONLY_TYPES, "anterior": before, "nuevo": current}
    return Event(EventoTipo.EDICION_EXTERNA, now, EDITAR, metadata=metadata)
