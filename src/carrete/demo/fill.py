"""Fills an empty ledger with the demo shop, in one commit; a ledger with anything in it is left alone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from random import Random

from carrete.actions.record import save_changes
from carrete.demo.lives import Floor, Life
from carrete.demo.people import Crew, hired
from carrete.demo.plans import lives
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
    _hire(tx, workers)
    spools = [SpoolWrite(life.spool) for life in led]
    joints = [joint for life in led for joint in life.joints]
    save_changes(tx, Changes(now, spools, joints), _in_order(led), lambda: token(rng))


def _in_order(led: Sequence[Life]) -> list[Change]:
    """Lives ran side by side: their changes are numbered as the shop saw them happen."""
    return sorted((change for life in led for change in life.changes), key=lambda change: change.events[0].at)


def _hire(tx: Tx, workers: Sequence[Worker]) -> None:
    tx.many(
        "worker_upsert",
        [{"id": w.id, "nombre": w.nombre, "apellido": w.apellido, "activo": int(w.activo)} for w in workers],
    )
    roles = [(worker.id, rol) for worker in workers for rol in sorted(worker.roles)]
    tx.many("role_upsert", [{"worker_id": worker, "rol": rol.value, "activo": 1} for worker, rol in roles])
