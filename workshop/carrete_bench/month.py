"""Fills a ledger with a month of work: spools by joint and whole spools, all inspected, some rejected and repaired.

Every step goes through the domain rules, so the events are those of a real shop.
"""

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
WORK_ORDER = "OT-45000"
MUCH_HANDLED = "MK-9999-CW-99999-001"  # the spool with the long history
_SHOP = Shop()
_ROLES = frozenset({Rol.ARMADOR, Rol.SOLDADOR, Rol.METROLOGIA})
_SPOOLS_PER_COMMIT = 200
_WHOLE_EVERY = 4  # one spool in four is worked as a whole
_REJECTED_EVERY = 9
_EVENTS_PER_SPOOL = 24  # on average
_FIRST_SESSION_JOINTS = 6  # joints finished in the first of two sessions


@dataclass(slots=True)
class _SpoolHistory:
    """One spool and its changes so far; `at` is the time of the last one."""

    spool: Spool
    joints: list[Joint]
    at: datetime
    first_worker: int
    changes: list[Change] = field(default_factory=list)
    events: int = 0

    def perform(self, command: Command, hours_later: float) -> None:
        self.at += timedelta(hours=hours_later)
        case = Case(self.spool, _worker(command.worker_id), self.at, _SHOP, f"{uuid4()}", self.joints)
        change = decide(command, case)
        self.spool = change.spool.but(version=str(uuid4()))
        changed = {joint.n_union: joint for joint in change.joints}
        self.joints = [changed.get(joint.n_union, joint) for joint in self.joints]
        self.changes.append(change.with_spool(self.spool))
        self.events += len(change.events)

    def worker_id(self, offset: int) -> int:
        return (self.first_worker + offset) % WORKERS + 1


def fill(ledger_url: str, events: int, handlings: int, until: date) -> int:
    """Writes at least `events` events in the month that ends on `until`, and returns their number. Also writes one
    spool that is taken and paused `handlings` times; its events are not counted."""
    begin = datetime(until.year, until.month, until.day, 12, tzinfo=UTC) - timedelta(days=DAYS - 1)
    histories = [*_month(begin, events), _handled_spool(begin, handlings)]
    database = open_database(ledger_url)
    try:
        for first in range(0, len(histories), _SPOOLS_PER_COMMIT):
            _write(database, histories[first : first + _SPOOLS_PER_COMMIT])
        with database.writing() as tx:
            tx.run("analyze")
    finally:
        database.close()
    return sum(history.events for history in histories[:-1])


def fill_work_order(ledger_url: str, spools: int) -> list[str]:
    """Writes spools of one work order, each worked by joint to its end, and returns their tags."""
    histories = [_worked_by_joint(datetime.now(UTC) - timedelta(days=DAYS), number) for number in range(1, spools + 1)]
    database = open_database(ledger_url)
    try:
        _write(database, histories)
    finally:
        database.close()
    return [history.spool.tag for history in histories]


def _month(begin: datetime, events: int) -> Iterator[_SpoolHistory]:
    """Each spool begins a little later than the spool before; all of them end within the month."""
    written, number = 0, 0
    per_spool = timedelta(days=DAYS - 4) * _EVENTS_PER_SPOOL / events
    while written < events:
        history = _worked_as_a_whole(begin, number) if number % _WHOLE_EVERY == 0 else _worked_by_joint(begin, number)
        yield history
        written += history.events
        number += 1
        begin += per_spool


def _worked_by_joint(at: datetime, number: int) -> _SpoolHistory:
    tag = _tag(number)
    joints = [
        Joint(tag, n, dn_milli=1_000 * (n % 8 + 2), tipo="FW" if n == JOINTS else "BW", version=str(uuid4()))
        for n in range(1, JOINTS + 1)
    ]
    history = _SpoolHistory(_spool(tag, JOINTS), joints, at, number)
    for operacion, last in ((Operacion.ARM, JOINTS), (Operacion.SOLD, JOINTS - 1)):
        sessions = (range(1, _FIRST_SESSION_JOINTS + 1), range(_FIRST_SESSION_JOINTS + 1, last + 1))
        for session, joint_numbers in enumerate(sessions):
            history.perform(Iniciar(tag, history.worker_id(session), operacion), 3)
            history.perform(Finalizar(tag, history.worker_id(session), operacion, unions=tuple(joint_numbers)), 4)
    return _inspected(history, number)


def _worked_as_a_whole(at: datetime, number: int) -> _SpoolHistory:
    history = _SpoolHistory(_spool(_tag(number), None), [], at, number)
    tag = history.spool.tag
    history.perform(Tomar(tag, history.worker_id(0), Operacion.ARM), 1)
    history.perform(Pausar(tag, history.worker_id(0), Operacion.ARM), 4)
    for session, operacion in enumerate((Operacion.ARM, Operacion.SOLD), 1):
        history.perform(Tomar(tag, history.worker_id(session), operacion), 2)
        history.perform(Completar(tag, history.worker_id(session), operacion), 5)
    return _inspected(history, number)


def _inspected(history: _SpoolHistory, number: int) -> _SpoolHistory:
    tag, inspector = history.spool.tag, history.worker_id(7)
    if number % _REJECTED_EVERY == 0:
        history.perform(Inspeccionar(tag, inspector, Resultado.RECHAZADO), 6)
        history.perform(Tomar(tag, history.worker_id(3), Operacion.REPARACION), 2)
        history.perform(Completar(tag, history.worker_id(3), Operacion.REPARACION), 2)
    history.perform(Inspeccionar(tag, inspector, Resultado.APROBADO), 6)
    return history


def _handled_spool(at: datetime, times: int) -> _SpoolHistory:
    history = _SpoolHistory(_spool(MUCH_HANDLED, None), [], at, 0)
    for session in range(times):
        history.perform(Tomar(MUCH_HANDLED, history.worker_id(session), Operacion.ARM), 0.2)
        history.perform(Pausar(MUCH_HANDLED, history.worker_id(session), Operacion.ARM), 0.7)
    return history


def _tag(number: int) -> str:
    return f"MK-{2335 + number // 5_000}-CW-{45_000 + number // 20}-{number % 20 + 1:03d}"


def _spool(tag: str, total: int | None) -> Spool:
    return Spool(tag, str(uuid4()), ot=WORK_ORDER, total_uniones=total, fecha_materiales=date(2026, 1, 2))


def _worker(id_: int) -> Worker:
    return Worker(id_, "Mauricio", "Rodríguez", True, _ROLES)


def _write(database: Database, histories: Sequence[_SpoolHistory]) -> None:
    with database.writing() as tx:
        changes = sorted((c for history in histories for c in history.changes), key=lambda change: change.events[0].at)
        spools = [SpoolWrite(history.spool) for history in histories]
        joints = [replace(joint, version=str(uuid4())) for history in histories for joint in history.joints]
        save_changes(tx, Changes(datetime.now(UTC), spools, joints), changes)
