"""Fills ledgers for the measurements: free spools, spools by joint, workers; and the clients that work on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from uuid import uuid4

import psycopg

from carrete.domain.joints import Joint, count
from carrete.domain.shop import Shop
from carrete.domain.spool import Estado, Spool
from carrete.domain.stage import in_its_stage
from carrete.domain.workers import Rol
from carrete.ledger import open_database
from carrete.ledger.database import Tx
from carrete.ledger.migrate import migrate
from carrete.ledger.store import Changes, SpoolWrite, save
from carrete_bench.load import LoadClient

WORKERS = 50
SPOOLS_EACH = 4
SPOOLS_MIN = WORKERS * SPOOLS_EACH
_PER_COMMIT = 2_000
_BY_JOINT_PER_COMMIT = 20
_SHOP = Shop()
_MATERIALES = date(2026, 11, 2)
_PAUSED_AT = datetime(2026, 1, 5, 12, tzinfo=UTC)


def tag(number: int) -> str:
    return f"MK-{1335 + number // 5_000}-CW-{25_000 + number // 20}-{number % 20 + 1:03d}"


def fill(ledger_url: str, spools: int, workers: int = WORKERS, delivered: int = 0) -> None:
    """Adds workers and free v3.0 spools until there are `spools`; the first `delivered` are in the ledger already."""
    database = open_database(ledger_url)
    try:
        migrate(database)
        with database.writing() as tx:
            _add_workers(tx, workers)
        for start in range(delivered, spools, _PER_COMMIT):
            with database.writing() as tx:
                _deliver_numbered(tx, range(start, min(start + _PER_COMMIT, spools)))
    finally:
        database.close()
    vacuum(ledger_url)


def vacuum(ledger_url: str) -> None:
    """On PostgreSQL: as autovacuum does within a minute in a real shop."""
    if ledger_url.startswith("postgres"):
        with psycopg.connect(ledger_url, autocommit=True) as connection:
            connection.execute(b"VACUUM ANALYZE")


def _add_workers(tx: Tx, workers: int) -> None:
    worker_ids = range(1, workers + 1)
    tx.many(
        "worker_upsert", [{"id": i, "nombre": "Mauricio", "apellido": "Rodríguez", "activo": 1} for i in worker_ids]
    )
    roles = [(i, rol.value) for i in worker_ids for rol in (Rol.ARMADOR, Rol.SOLDADOR)]
    tx.many("role_upsert", [{"worker_id": i, "rol": rol, "activo": 1} for i, rol in roles])


def deliver_whole(ledger_url: str, tags: Sequence[str]) -> None:
    """Adds spools that are worked as a whole."""
    database = open_database(ledger_url)
    try:
        spools = [Spool(tag_spool, str(uuid4()), fecha_materiales=_MATERIALES) for tag_spool in tags]
        with database.writing() as tx:
            _write_spools(tx, spools)
    finally:
        database.close()


def deliver_paused(ledger_url: str, tags: Sequence[str]) -> None:
    """Adds spools whose ARM is paused since long ago."""
    paused = Spool("", fecha_materiales=_MATERIALES, arm=Estado.PAUSADO, armador="MR(1)")
    database = open_database(ledger_url)
    try:
        spools = [in_its_stage(replace(paused, tag=each, version=str(uuid4())), _PAUSED_AT) for each in tags]
        with database.writing() as tx:
            _write_spools(tx, spools)
    finally:
        database.close()


def _deliver_numbered(tx: Tx, numbers: range) -> None:
    spools = [
        Spool(
            tag(n), str(uuid4()), ot=f"OT-{25_000 + n // 20}", nv=f"NV-{1335 + n // 500}", fecha_materiales=_MATERIALES
        )
        for n in numbers
    ]
    _write_spools(tx, spools)


def _write_spools(tx: Tx, spools: Sequence[Spool]) -> None:
    save(tx, Changes(datetime.now(UTC), [SpoolWrite(spool) for spool in spools]))


def deliver_by_joint(ledger_url: str, spools: Sequence[tuple[str, int]]) -> None:
    """Adds spools, each given as its tag and its number of joints. A server may be running on the ledger."""
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


def load_clients(clients: int, spools: int) -> list[LoadClient]:
    """Each client has a worker and spools of its own, spread over all spools."""
    workers = max(clients, WORKERS)
    stride = spools // (workers * SPOOLS_EACH)
    assert stride or clients == 1, "two clients would share a spool"
    return [
        {"worker_id": i + 1, "tags": [tag((i + k * workers) * stride) for k in range(SPOOLS_EACH)]}
        for i in range(clients)
    ]
