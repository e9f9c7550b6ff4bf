"""The shop that is measured: as many free v3.0 spools as asked for, and fifty workers."""

from __future__ import annotations

from datetime import UTC, date, datetime
from uuid import uuid4

from carrete.bench.load import Hand
from carrete.domain.spool import Spool
from carrete.domain.workers import Rol
from carrete.ledger import open_database
from carrete.ledger.database import Tx
from carrete.ledger.migrate import migrate
from carrete.ledger.store import SpoolWrite, Writes, keep

WORKERS = 50
SPOOLS_EACH = 4
SPOOLS_MIN = WORKERS * SPOOLS_EACH
_PER_COMMIT = 2_000
_MATERIALES = date(2026, 11, 2)


def tag(number: int) -> str:
    return f"MK-{1335 + number // 5_000}-CW-{25_000 + number // 20}-{number % 20 + 1:03d}"


def fill(ledger_url: str, spools: int) -> None:
    database = open_database(ledger_url)
    try:
        migrate(database)
        with database.writing() as tx:
            _hire(tx)
        for start in range(0, spools, _PER_COMMIT):
            with database.writing() as tx:
                _deliver(tx, range(start, min(start + _PER_COMMIT, spools)))
        if database.engine == "postgres":
            with database.writing() as tx:
                tx.execute("ANALYZE")  # what its autovacuum does within a minute: no shop is younger than that
    finally:
        database.close()


def _hire(tx: Tx) -> None:
    people = range(1, WORKERS + 1)
    tx.many("worker_upsert", [{"id": i, "nombre": "Mauricio", "apellido": "Rodríguez", "activo": 1} for i in people])
    roles = [(i, rol.value) for i in people for rol in (Rol.ARMADOR, Rol.SOLDADOR)]
    tx.many("role_upsert", [{"worker_id": i, "rol": rol, "activo": 1} for i, rol in roles])


def _deliver(tx: Tx, numbers: range) -> None:
    spools = [
        Spool(
            tag(n), str(uuid4()), ot=f"OT-{25_000 + n // 20}", nv=f"NV-{1335 + n // 500}", fecha_materiales=_MATERIALES
        )
        for n in numbers
    ]
    keep(tx, Writes([SpoolWrite(spool, None, 0) for spool in spools], [], [], [], {}, datetime.now(UTC)))


def hands(clients: int, spools: int) -> list[Hand]:
    """Each has spools of their own, spread over the whole shop."""
    stride = spools // SPOOLS_MIN
    return [
        {"worker_id": i + 1, "tags": [tag((i + k * WORKERS) * stride) for k in range(SPOOLS_EACH)]}
        for i in range(clients)
    ]
