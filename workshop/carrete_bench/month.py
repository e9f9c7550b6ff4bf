"""A month of the shop, led through the rules: spools by joint and as a whole, inspected, some rejected and repaired."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from uuid import uuid4

from carrete.actions.record import save_changes
from carrete.domain.change import Change
from carrete.domain.commands import (
    Command,
    Completar,
    Finalizar,
    Iniciar,
    Inspeccionar,
    Pausar,
    Resultado,
    Tomar,
)
from carrete.domain.decide import Case, decide
from carrete.domain.joints import Joint
from carrete.domain.shop import Shop
from carrete.domain.spool import Operacion, Spool
from carrete.domain.workers import Rol, Worker
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.store import Changes, SpoolWrite
from carrete_bench.shop import WORKERS

DAYS = 30
JOINTS = 10
MUCH_HANDLED = "MK-9999-CW-99999-001"  # the spool with the long history
_SHOP = Shop()
_ROLES = frozenset({Rol.ARMADOR, Rol.SOLDADOR, Rol.METROLOGIA})
_SPOOLS_PER_COMMIT = 200
_WHOLE_EVERY = 4  # one spool in four is worked as a whole
_REJECTED_EVERY = 9
_SPLIT = 6  # joints done in the first of two sessions


@dataclass(slots=True)
class _Life:
    """One spool and all that happened to it; `at` goes on with every step."""

    spool: Spool
    joints: list[Joint]
    at: datetime
    crew: int  # the first of the workers it meets
    changes: list[Change] = field(default_factory=list)
    events: int = 0

    def do(self, command: Command, hours: float) -> None:
        self.at += timedelta(hours=hours)
        case = Case(self.spool, _worker(command.worker_id), self.at, _SHOP, f"{uuid4()}", self.joints)
        change = decide(command, case)
        self.spool = change.spool.but(version=str(uuid4()))
        done = {joint.n_union: joint for joint in change.joints}
        self.joints = [done.get(joint.n_union, joint) for joint in self.joints]
        self.changes.append(change.with_spool(self.spool))
        self.events += len(change.events)

    def worker(self, place: int) -> int:
        return (self.crew + place) % WORKERS + 1


def fill(ledger_url: str, events: int, handlings: int, until: date) -> int:
    """At least so many events within the month that ends with that day (their number is returned), and besides one
    spool that was taken and paused as many times as asked."""
    begin = datetime(until.year, until.month, until.day, 12, tzinfo=UTC) - timedelta(days=DAYS - 1)
    lives = [*_month(begin, events), _handled(begin, handlings)]
    database = open_database(ledger_url)
    try:
        for first in range(0, len(lives), _SPOOLS_PER_COMMIT):
            _put_down(database, lives[first : first + _SPOOLS_PER_COMMIT])
        with database.writing() as tx:
            tx.run("analyze")
    finally:
        database.close()
    return sum(life.events for life in lives[:-1])


def _month(begin: datetime, events: int) -> Iterator[_Life]:
    """Each spool begins a little later than the one before; all of them end within the month."""
    written, number = 0, 0
    per_spool = timedelta(days=DAYS - 4) * _EVENTS_EACH / events
    while written < events:
        life = _whole(begin, number) if number % _WHOLE_EVERY == 0 else _by_joint(begin, number)
        yield life
        written += life.events
        number += 1
        begin += per_spool


_EVENTS_EACH = 24  # of a spool, on average


def _by_joint(at: datetime, number: int) -> _Life:
    tag = _tag(number)
    joints = [
        Joint(tag, n, dn_milli=1_000 * (n % 8 + 2), tipo="FW" if n == JOINTS else "BW", version=str(uuid4()))
        for n in range(1, JOINTS + 1)
    ]
    life = _Life(_spool(tag, JOINTS), joints, at, number)
    for operacion, last in ((Operacion.ARM, JOINTS), (Operacion.SOLD, JOINTS - 1)):
        for place, ticked in enumerate((range(1, _SPLIT + 1), range(_SPLIT + 1, last + 1))):
            life.do(Iniciar(tag, life.worker(place), operacion), 3)
            life.do(Finalizar(tag, life.worker(place), operacion, unions=tuple(ticked)), 4)
    return _inspected(life, number)


def _whole(at: datetime, number: int) -> _Life:
    life = _Life(_spool(_tag(number), None), [], at, number)
    tag = life.spool.tag
    life.do(Tomar(tag, life.worker(0), Operacion.ARM), 1)
    life.do(Pausar(tag, life.worker(0), Operacion.ARM), 4)
    for place, operacion in enumerate((Operacion.ARM, Operacion.SOLD), 1):
        life.do(Tomar(tag, life.worker(place), operacion), 2)
        life.do(Completar(tag, life.worker(place), operacion), 5)
    return _inspected(life, number)


def _inspected(life: _Life, number: int) -> _Life:
    tag, inspector = life.spool.tag, life.worker(7)
    if number % _REJECTED_EVERY == 0:
        life.do(Inspeccionar(tag, inspector, Resultado.RECHAZADO), 6)
        life.do(Tomar(tag, life.worker(3), Operacion.REPARACION), 2)
        life.do(Completar(tag, life.worker(3), Operacion.REPARACION), 2)
    life.do(Inspeccionar(tag, inspector, Resultado.APROBADO), 6)
    return life


def _handled(at: datetime, times: int) -> _Life:
    life = _Life(_spool(MUCH_HANDLED, None), [], at, 0)
    for turn in range(times):
        life.do(Tomar(MUCH_HANDLED, life.worker(turn), Operacion.ARM), 0.2)
        life.do(Pausar(MUCH_HANDLED, life.worker(turn), Operacion.ARM), 0.7)
    return life


def _tag(number: int) -> str:
    return f"MK-{2335 + number // 5_000}-CW-{45_000 + number // 20}-{number % 20 + 1:03d}"


def _spool(tag: str, total: int | None) -> Spool:
    return Spool(tag, str(uuid4()), ot="OT-45000", total_uniones=total, fecha_materiales=date(2026, 1, 2))


def _worker(id_: int) -> Worker:
    return Worker(id_, "Mauricio", "Rodríguez", True, _ROLES)


def _put_down(database: Database, lives: Sequence[_Life]) -> None:
    with database.writing() as tx:
        changes = sorted((c for life in lives for c in life.changes), key=lambda change: change.events[0].at)
        spools = [SpoolWrite(life.spool) for life in lives]
        joints = [replace(joint, version=str(uuid4())) for life in lives for joint in life.joints]
        save_changes(tx, Changes(datetime.now(UTC), spools, joints), changes)
