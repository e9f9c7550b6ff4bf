"""The shop that is measured: as many free v3.0 spools as asked for, and fifty workers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from uuid import uuid4

import psycopg

from carrete.domain.joints import Joint, count
from carrete.domain.shop import Shop
from carrete.domain.spool import Spool
from carrete.domain.workers import Rol
from carrete.ledger import open_database
from carrete.ledger.database import Tx
from carrete.ledger.migrate import migrate
from carrete.ledger.store import Changes, SpoolWrite, save
from carrete_bench.load import Hand

WORKERS = 50
SPOOLS_EACH = 4
SPOOLS_MIN = WORKERS * SPOOLS_EACH
_PER_COMMIT = 2_000
_BY_JOINT_PER_COMMIT = 20
_SHOP = Shop()
_MATERIALES = date(2026, 11, 2)


def tag(number: int) -> str:
    return f"MK-{1335 + number // 5_000}-CW-{25_000 + number // 20}-{number % 20 + 1:03d}"


def fill(ledger_url: str, spools: int, workers: int = WORKERS, delivered: int = 0) -> None:
    """Beside so many that were delivered before."""
    database = open_database(ledger_url)
    try:
        migrate(database)
        with database.writing() as tx:
            _hire(tx, workers)
        for start in range(delivered, spools, _PER_COMMIT):
            with database.writing() as tx:
                _deliver(tx, range(start, min(start + _PER_COMMIT, spools)))
    finally:
        database.close()
    if database.engine == "postgres":
        with psycopg.connect(ledger_url, autocommit=True) as connection:
            connection.execute(b"VACUUM ANALYZE")  # its autovacuum does so within a minute: no shop is younger


def _hire(tx: Tx, workers: int) -> None:
    people = range(1, workers + 1)
    tx.many("worker_upsert", [{"id": i, "nombre": "Mauricio", "apellido": "Rodríguez", "activo": 1} for i in people])
    roles = [(i, rol.value) for i in people for rol in (Rol.ARMADOR, Rol.SOLDADOR)]
    tx.many("role_upsert", [{"worker_id": i, "rol": rol, "activo": 1} for i, rol in roles])


def deliver_whole(ledger_url: str, tags: Sequence[str]) -> None:
    """Spools worked as a whole, with tags of their own, beside what is there."""
    database = open_database(ledger_url)
    try:
        spools = [Spool(each, str(uuid4()), fecha_materiales=_MATERIALES) for each in tags]
        with database.writing() as tx:
            _put_down(tx, spools)
    finally:
        database.close()


def _deliver(tx: Tx, numbers: range) -> None:
    spools = [
        Spool(
            tag(n), str(uuid4()), ot=f"OT-{25_000 + n // 20}", nv=f"NV-{1335 + n // 500}", fecha_materiales=_MATERIALES
        )
        for n in numbers
    ]
    _put_down(tx, spools)


def _put_down(tx: Tx, spools: Sequence[Spool]) -> None:
    save(tx, Changes(datetime.now(UTC), [SpoolWrite(spool) for spool in spools]))


def deliver_by_joint(ledger_url: str, spools: Sequence[tuple[str, int]]) -> None:
    """Tags and how many joints each has, beside what is there; a server may be running on it."""
    database = open_database(ledger_url)
    try:
        for start in range(0, len(spools), _BY_JOINT_PER_COMMIT):
            with database.writing() as tx:
                _deliver_by_joint(tx, spools[start : start + _BY_JOINT_PER_COMMIT])
    finally:
        database.close()


def _deliver_by_joint(tx: Tx, spools: Sequence[tuple[str, int]]) -> None:
    changes = Changes(datetime.now(UTC))
    for tag_spool, total in spools:
        joints = [Joint(tag_spool, n, dn_milli=4_000, tipo="BW", version=str(uuid4())) for n in range(1, total + 1)]
        spool = Spool(tag_spool, str(uuid4()), fecha_materiales=_MATERIALES, total_uniones=total)
        changes.spools.append(SpoolWrite(replace(spool, counts=count(joints, _SHOP))))
        changes.new_joints += joints
    save(tx, changes)


def hands(clients: int, spools: int) -> list[Hand]:
    """Each has spools of their own, spread over the whole shop."""
    people = max(clients, WORKERS)
    stride = spools // (people * SPOOLS_EACH)
    assert stride or clients == 1, "nobody may touch another's"
    return [
        {"worker_id": i + 1, "tags": [tag((i + k * people) * stride) for k in range(SPOOLS_EACH)]}
        for i in range(clients)
    ]
