"""Spools, workers and joints for tests: a test names what matters, everything else has ordinary values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any
from uuid import uuid4

from carrete.domain.joints import Joint, count
from carrete.domain.shop import Shop
from carrete.domain.shop_time import whole_second
from carrete.domain.spool import Before, Estado, Metrologia, Occupation, Operacion, Reparacion, Spool
from carrete.domain.stage import in_its_stage
from carrete.domain.trail.canonical import GENESIS
from carrete.domain.workers import Rol, Worker
from carrete.ledger.database import Database, Row, Tx
from carrete.ledger.rows import StoredEvent, event_from, spool_from
from carrete.ledger.store import Changes, SpoolWrite, save
from tests.support.tampering import tampering

TAG = "MK-1335-CW-25238-011"
NOW = datetime(2026, 11, 16, 13, 30, tzinfo=UTC)  # 10:30 in Santiago
EARLIER = datetime(2026, 11, 16, 11, 0, tzinfo=UTC)
HOY = date(2026, 11, 16)
MATERIALES = date(2026, 11, 2)
SHOP = Shop()


def a_worker(
    id: int = 93,
    nombre: str = "Mauricio",
    apellido: str = "Rodríguez",
    *,
    roles: Iterable[Rol] = (Rol.ARMADOR, Rol.SOLDADOR),
    activo: bool = True,
) -> Worker:
    return Worker(id, nombre, apellido, activo, frozenset(roles))


def a_spool(tag: str = TAG, **facts: Any) -> Spool:
    """A free v3.0 spool whose materials are there and on which nothing is begun."""
    return replace(Spool(tag, version=str(uuid4()), ot="OT-25238", nv="NV-1335", fecha_materiales=MATERIALES), **facts)


def an_armed_spool(tag: str = TAG, **facts: Any) -> Spool:
    """ARM is complete, SOLD is next."""
    armed = a_spool(tag, arm=Estado.COMPLETADO, fecha_armado=date(2026, 11, 10), armador="LP(7)")
    return replace(armed, **facts)


def a_finished_spool(tag: str = TAG, **facts: Any) -> Spool:
    """ARM and SOLD are complete; it waits for inspection."""
    finished = an_armed_spool(
        tag,
        sold=Estado.COMPLETADO,
        fecha_soldadura=date(2026, 11, 12),
        soldador="JS(8)",
        metrologia=Metrologia.EN_COLA,
    )
    return replace(finished, **facts)


def a_rejected_spool(tag: str = TAG, **facts: Any) -> Spool:
    rejected = a_finished_spool(tag, metrologia=Metrologia.RECHAZADO, reparacion=Reparacion.PENDIENTE, ciclo=1)
    return replace(rejected, **facts)


def a_blocked_spool(tag: str = TAG, **facts: Any) -> Spool:
    blocked = a_rejected_spool(tag, metrologia=Metrologia.BLOQUEADO, ciclo=3)
    return replace(blocked, **facts)


def held(
    spool: Spool,
    worker: Worker,
    operacion: Operacion = Operacion.ARM,
    since: datetime = EARLIER,
    *,
    lock: str | None = None,
) -> Spool:
    """The spool as that worker's TOMAR left it."""
    before = Before(spool.estado(operacion), spool.operario(operacion))
    lock = lock or f"{worker.id}:{uuid4()}:16-11-2026 08:00:00"
    spool = spool.with_estado(operacion, Estado.EN_PROGRESO)
    if not spool.total_uniones:
        spool = spool.with_operario(operacion, worker.label)
    return replace(spool, occupation=Occupation(worker.id, worker.label, operacion, since, lock, before))


def a_joint(n_union: int = 1, tag: str = TAG, **facts: Any) -> Joint:
    """A butt weld of four inches on which nothing is done."""
    return replace(Joint(tag, n_union, dn_milli=4_000, tipo="BW", version=str(uuid4())), **facts)


def put(
    database: Database,
    spools: Sequence[Spool] = (),
    workers: Sequence[Worker] = (),
    joints: Sequence[Joint] = (),
    shop: Shop = SHOP,
    *,
    in_stage_since: datetime | None = None,
) -> None:
    """Writes the initial state of a test directly into the ledger, without events. Free spools have been in their stage
    since just now, so that nothing is overdue whenever the test runs."""
    with database.writing() as tx:
        people = [(w.id, w.nombre, w.apellido, int(w.activo)) for w in workers]
        tx.many(
            "worker_upsert",
            [{"id": i, "nombre": n, "apellido": a, "activo": on} for i, n, a, on in people],
        )
        roles = [(worker.id, rol.value) for worker in workers for rol in sorted(worker.roles)]
        tx.many("role_upsert", [{"worker_id": i, "rol": rol, "activo": 1} for i, rol in roles])
        counted = [replace(spool, counts=count([j for j in joints if j.tag == spool.tag], shop)) for spool in spools]
        since = in_stage_since or whole_second(datetime.now(UTC))
        staged = [in_its_stage(spool, since) for spool in counted]
        save(tx, Changes(NOW, [SpoolWrite(spool) for spool in staged], list(joints)))


def empty(database: Database) -> None:
    """Empties all tables of the shop floor; the schema stays."""
    floor = (
        "ndt ndt_group ndt_draw label_print reclamo relevo joint_work joint outbox idempotency event spool worker_role "
        "process_use qualification wps worker workbook_base trail_timestamp trail_seal"
    )
    with tampering(database) as tx:
        for table in (*floor.split(), "photo", "photo_bytes", "spool_drawing", "drawing", "drawing_bytes"):
            tx.execute(f"DELETE FROM {table}")
        tx.execute(f"UPDATE trail_head SET seq = 0, hash = '{GENESIS}'")


def spool_in(database: Database, tag: str = TAG) -> Spool:
    with database.reading() as tx:
        row = tx.one("spool", tag=tag)
    assert row is not None, f"{tag} is not in the ledger"
    return spool_from(row)


def events_in(database: Database, tag: str | None = None) -> list[StoredEvent]:
    """The audit trail, of one spool or of all, oldest first."""
    with database.reading() as tx:
        rows = every_event(tx) if tag is None else tx.all("events_of", tag=tag)
    return [event_from(row) for row in rows]


def every_event(tx: Tx) -> list[Row]:
    return tx.all("events_page", after=0, limit=1_000_000)
