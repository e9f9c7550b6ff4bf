"""Fills an empty ledger with the demo shop, in one commit. A ledger with a worker or a spool is left as it is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from random import Random

from carrete.actions.record import save_changes
from carrete.demo.assignments import spool_histories
from carrete.demo.histories import DemoShop, SpoolHistory
from carrete.demo.people import Crew, demo_workers
from carrete.demo.pins import IS_DEMO
from carrete.demo.tokens import token
from carrete.domain.change import Change
from carrete.domain.shop import Shop
from carrete.domain.shop_time import whole_second
from carrete.domain.workers import Worker
from carrete.ledger.database import Database, Tx
from carrete.ledger.errors import RaceLost
from carrete.ledger.store import Changes, SpoolWrite

SEED = 25238


def fill(database: Database, shop: Shop, now: datetime) -> bool:
    """True if it filled the ledger. If two processes try at once, one of them does."""
    try:
        with database.writing() as tx:
            if tx.one("any_worker") or tx.one("any_spool"):
                return False
            _save(tx, shop, whole_second(now))
            tx.run("setting_put", name=IS_DEMO, value="1")
            return True
    except RaceLost:
        return False


def _save(tx: Tx, shop: Shop, now: datetime) -> None:
    rng = Random(SEED)
    workers = demo_workers()
    histories = spool_histories(DemoShop(shop, Crew(workers), rng), now)
    _save_workers(tx, workers)
    spools = [SpoolWrite(history.spool) for history in histories]
    joints = [joint for history in histories for joint in history.joints]
    save_changes(tx, Changes(now, spools, joints), _in_order(histories), lambda: token(rng))


def _in_order(histories: Sequence[SpoolHistory]) -> list[Change]:
    """The changes of all spools, by time: event numbers must follow it."""
    return sorted(
        (change for history in histories for change in history.changes), key=lambda change: change.events[0].at
    )


def _save_workers(tx: Tx, workers: Sequence[Worker]) -> None:
    tx.many(
        "worker_upsert",
        [{"id": w.id, "nombre": w.nombre, "apellido": w.apellido, "activo": int(w.activo)} for w in workers],
    )
    roles = [(worker.id, rol) for worker in workers for rol in sorted(worker.roles)]
    tx.many("role_upsert", [{"worker_id": worker, "rol": rol.value, "activo": 1} for worker, rol in roles])
