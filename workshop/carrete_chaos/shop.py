"""The shop of a campaign: few enough spools that workers compete for them, enough that all of them find work."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from carrete.domain.joints import Joint, count
from carrete.domain.shop import Shop
from carrete.domain.shop_time import whole_second
from carrete.domain.spool import Spool
from carrete.domain.workers import Rol, Worker
from carrete.ledger import open_database
from carrete.ledger.migrate import migrate
from carrete.ledger.store import Changes, SpoolWrite, save
from carrete.shop_settings import store

JOINTS = 12
SUPERVISOR = 901
INSPECTOR = 902
EXAMINER = 903
FIRST_WORKER = 1
TIMEKEEPER = 900  # whose taps measure how long something took to come back
VICTIM = 899  # whose PIN somebody tries to guess
PINS = ("402917", "518364", "736205", "861539")
MATERIALES = date(2026, 1, 1)
TIPO = "BW"
NO_SETTINGS: Mapping[str, Any] = {}


def whole_tags(spools: int) -> list[str]:
    return [f"CH-W-{n:03}" for n in range(spools)]


def jointed_tags(spools: int) -> list[str]:
    return [f"CH-J-{n:03}" for n in range(spools)]


def pin_of(worker_id: int) -> str:
    """People who share a tablet have different PINs. A hash for each person would take the campaign too long."""
    return PINS[worker_id % len(PINS)]


def fill(url: str, workers: int, spools: int, settings: Mapping[str, Any] = NO_SETTINGS) -> None:
    """Fills the ledger with `spools` spools of each workflow, with materials, nothing begun."""
    database = open_database(url)
    try:
        migrate(database)
        with database.writing() as tx:
            for person in people(workers):
                who = {"id": person.id, "nombre": person.nombre, "apellido": person.apellido, "activo": 1}
                tx.run("worker_upsert", **who)
                for rol in sorted(person.roles):
                    tx.run("role_upsert", worker_id=person.id, rol=rol.value, activo=1)
            shop = Shop()
            joints = [_joint(tag, n) for tag in jointed_tags(spools) for n in range(1, JOINTS + 1)]
            by_tag = {tag: [j for j in joints if j.tag == tag] for tag in jointed_tags(spools)}
            new = [_spool(tag, None, by_tag, shop) for tag in whole_tags(spools)]
            new += [_spool(tag, JOINTS, by_tag, shop) for tag in jointed_tags(spools)]
            store.change(tx, settings, None, whole_second(datetime.now(UTC)))
            save(tx, Changes(whole_second(datetime.now(UTC)), [SpoolWrite(spool) for spool in new], joints))
    finally:
        database.close()


def people(workers: int) -> list[Worker]:
    floor = [Worker(FIRST_WORKER + n, "Ana", "Soto", True, frozenset({Rol.AYUDANTE})) for n in range(workers)]
    office = [
        Worker(VICTIM, "Vito", "Ríos", True, frozenset({Rol.AYUDANTE})),
        Worker(TIMEKEEPER, "Tito", "Paz", True, frozenset({Rol.AYUDANTE})),
        Worker(SUPERVISOR, "Sara", "Vega", True, frozenset({Rol.SUPERVISOR})),
        Worker(INSPECTOR, "Inés", "Mora", True, frozenset({Rol.METROLOGIA})),
        Worker(EXAMINER, "Elsa", "Pino", True, frozenset({Rol.NDT})),
    ]
    return [*floor, *office]


def _spool(tag: str, total: int | None, joints: dict[str, list[Joint]], shop: Shop) -> Spool:
    counts = count(joints.get(tag, ()), shop)
    return Spool(tag, _token(tag), total_uniones=total, fecha_materiales=MATERIALES, counts=counts)


def _joint(tag: str, n: int) -> Joint:
    return Joint(tag, n, dn_milli=1000 * n, tipo=TIPO, version=_token(f"{tag}/{n}"))


def _token(text: str) -> str:
    return str(UUID(bytes=text.encode().ljust(16, b"\0")[:16], version=4))
