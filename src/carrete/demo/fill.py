"""Fills an empty ledger with the demo shop, in one commit; a ledger with anything in it is left alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from random import Random

from carrete.actions.perform import recorded
from carrete.demo.lives import Floor, Life
from carrete.demo.people import Crew, hired
from carrete.demo.plans import lives
from carrete.demo.tokens import token
from carrete.domain.shop import Shop
from carrete.domain.shop_time import whole_second
from carrete.domain.workers import Worker
from carrete.ledger.database import Database, Tx
from carrete.ledger.errors import RaceLost
from carrete.ledger.rows import StoredEvent
from carrete.ledger.store import SpoolWrite, Writes, keep

SEED = 25238


def fill(database: Database, shop: Shop, now: datetime) -> bool:
    """Whether it filled it. Two processes may try at once: one of them does."""
    try:
        with database.writing() as tx:
            if tx.one("any_worker") or tx.one("any_spool"):
                return False
            _put_down(tx, shop, whole_second(now))
            return True
    except RaceLost:
        return False


def _put_down(tx: Tx, shop: Shop, now: datetime) -> None:
    rng = Random(SEED)
    workers = hired()
    led = lives(Floor(shop, Crew(workers), rng), now)
    events = list(_in_order(tx, led, rng))
    last_seq = {stored.tag: stored.seq for stored in events}
    spools = [SpoolWrite(life.spool, None, last_seq.get(life.spool.tag, 0)) for life in led]
    joints = [joint for life in led for joint in life.joints]
    _hire(tx, workers)
    keep(tx, Writes(spools, joints, [], events, {}, now))


def _in_order(tx: Tx, led: Sequence[Life], rng: Random) -> Iterator[StoredEvent]:
    """Lives ran side by side: their changes are numbered as the shop saw them happen."""
    changes = sorted((change for life in led for change in life.changes), key=lambda change: change.events[0].at)
    seqs = iter(tx.next_seqs(sum(len(change.events) for change in changes)))
    for change in changes:
        for stored in recorded(change, seqs):
            yield stored._replace(id=token(rng))


def _hire(tx: Tx, workers: Sequence[Worker]) -> None:
    tx.many(
        "worker_upsert",
        [{"id": w.id, "nombre": w.nombre, "apellido": w.apellido, "activo": int(w.activo)} for w in workers],
    )
    roles = [(worker.id, rol) for worker in workers for rol in sorted(worker.roles)]
    tx.many("role_upsert", [{"worker_id": worker, "rol": rol.value, "activo": 1} for worker, rol in roles])
