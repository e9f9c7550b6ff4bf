"""Counts the joints of every spool again when the shop changed which joint types are only armed.

It may be interrupted, repeated, and run by several processes at once: a spool that is counted already stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from carrete.actions.record import save_changes
from carrete.domain.change import Change
from carrete.domain.edits.cells import EDITAR
from carrete.domain.events import Event, EventoTipo
from carrete.domain.occupation import queue_events
from carrete.domain.progress import recount_joints
from carrete.domain.shop import Shop
from carrete.domain.shop_time import whole_second
from carrete.ledger.database import Database, Tx
from carrete.ledger.store import Changes, SpoolWrite, joints_of_many, spools_to_change
from carrete.ledger.tokens import fresh_token

ARM_ONLY_TYPES = "CARRETE_ARM_ONLY_TYPES"
SPOOLS_PER_COMMIT = 200


def recount(database: Database, shop: Shop, now: datetime, spools_per_commit: int = SPOOLS_PER_COMMIT) -> int:
    """Returns how many spools changed. The setting is stored last, so that an interrupted recount is repeated."""
    now, current = whole_second(now), ",".join(sorted(shop.arm_only_types))
    with database.reading() as tx:
        stored = tx.one("setting", name=ARM_ONLY_TYPES)
        before = str(stored[0]) if stored else None
        if before == current:
            return 0
        tags = [str(tag) for (tag,) in tx.all("tags_with_joints")]
    event = _setting_changed(before, current, now)
    changed = 0
    for first in range(0, len(tags), spools_per_commit):
        with database.writing() as tx:
            changed += _recount(tx, tags[first : first + spools_per_commit], shop, event)
    with database.writing() as tx:
        tx.run("setting_put", name=ARM_ONLY_TYPES, value=current)
    return changed


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
    spools = [SpoolWrite(change.spool, read_version) for change, read_version in changes]
    save_changes(tx, Changes(event.at, spools), [change for change, _ in changes])
    return len(changes)


def _setting_changed(before: str | None, current: str, now: datetime) -> Event:
    metadata = {"ajuste": ARM_ONLY_TYPES, "anterior": before, "nuevo": current}
    return Event(EventoTipo.EDICION_EXTERNA, now, EDITAR, metadata=metadata)
