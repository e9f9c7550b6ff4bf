"""Random histories: since when each spool is in its stage, what is overdue, and how long the stages lasted are those of
a slow recount that looks at every state of every spool."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from statistics import median_low

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from carrete.actions.record import save_changes
from carrete.domain.change import Change
from carrete.domain.commands import (
    Cancelar,
    Chain,
    Command,
    Completar,
    Corregir,
    Desbloquear,
    Finalizar,
    Iniciar,
    Inspeccionar,
    Liberar,
    Pausar,
    Resultado,
    Step,
    Tomar,
)
from carrete.domain.events import Event, EventoTipo
from carrete.domain.overdue import TipoAtraso
from carrete.domain.overdue_limits import OperationHours, OverdueLimits
from carrete.domain.reports.stage_times import stage_times
from carrete.domain.spool import Estado, Metrologia, Operacion, Reparacion, Spool
from carrete.ledger.database import Database
from carrete.ledger.overdue import overdue_spools
from carrete.ledger.queries import joints_of
from carrete.ledger.reports import Period
from carrete.ledger.rows import spool_from
from carrete.ledger.stage_times import EndedInPeriods, begun_and_open, stages_now
from carrete.ledger.store import Changes, SpoolWrite, spools_to_change
from carrete.ledger.tokens import fresh_token
from tests.support.acting import Floor, a_floor, bodies
from tests.support.builders import MATERIALES, SHOP, a_joint, a_spool, empty, put, spool_in
from tests.support.people import AY, CREW, LP, MI, MR, SV

MONDAY = datetime(2026, 11, 16, 13, 30, tzinfo=UTC)
WHOLE, BY_JOINT, BARE = "MK-WHOLE", "MK-JOINTS", "MK-BARE"
TAGS = (WHOLE, BY_JOINT, BARE)
ARM, SOLD, METROLOGIA, REPARACION = Operacion
LIMITS = OverdueLimits(OperationHours(2, 3, 4), OperationHours(5, 1, 2), 6)
EXAMPLES = 12
HISTORIES = settings(
    max_examples=EXAMPLES,
    database=None,
    deadline=None,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)
Wait = tuple[Operacion, bool]  # the operation that could be begun, and whether it is paused
Length = tuple[datetime, int]  # when it ended, and how many seconds it had lasted


def begin(database: Database) -> None:
    empty(database)
    joints = [*(a_joint(n, BY_JOINT) for n in (1, 2, 3)), a_joint(4, BY_JOINT, tipo="FW")]
    spools = [a_spool(WHOLE), a_spool(BY_JOINT, total_uniones=4), a_spool(BARE, fecha_materiales=None)]
    put(database, spools, CREW, joints, in_stage_since=MONDAY)


# ─── what may happen ──────────────────────────────────────────────────────────────────────────────────────────


def commands(choice: str, tag: str, operacion: Operacion) -> list[Command]:
    """Most are refused at most moments: what is not possible changes nothing."""
    worker = (AY if operacion is not REPARACION else MR).id
    taking = (Iniciar if tag == BY_JOINT and operacion is not REPARACION else Tomar)(tag, worker, operacion)
    match choice:
        case "take":
            return [taking]
        case "pause":
            return [Pausar(tag, worker, operacion), Finalizar(tag, worker, operacion, unions=(1,))]
        case "finish":
            finishing = [Finalizar(tag, worker, operacion, unions=each) for each in ((2, 3, 4), (1, 2, 3, 4), (2, 3))]
            return [Completar(tag, worker, operacion), *finishing]
        case "cancel":
            return [Cancelar(tag, worker, operacion), Finalizar(tag, worker, operacion, unions=())]
        case "approve" | "reject":
            resultado = Resultado.APROBADO if choice == "approve" else Resultado.RECHAZADO
            return [Inspeccionar(tag, MI.id, resultado)]
        case "release":
            return [Liberar(tag, SV.id, "Turno terminado")]
        case "unblock":
            return [Desbloquear(tag, SV.id, "Revisado")]
        case "correct":
            return [Corregir(tag, SV.id, "Por error", operacion if operacion is not REPARACION else METROLOGIA)]
    taps = [taking, Pausar(tag, worker, operacion), Tomar(tag, worker, operacion)]
    return [Chain(tag, worker, tuple(Step(tap) for tap in taps))]


def edited(choice: str, spool: Spool, now: datetime) -> Spool:
    """The edits of a person's cells: an event for each, whatever it does to the stage."""
    held = spool.occupation
    match choice:
        case "materials":
            return spool.but(fecha_materiales=None if spool.fecha_materiales else MATERIALES)
        case "retired":
            return spool.but(retired=not spool.retired)
        case "typed start" if held:
            return spool.but(occupation=held._replace(since=held.since - timedelta(minutes=17)))
        case "typed holder" if held:
            return spool.but(occupation=held._replace(worker_id=LP.id, label=LP.label, since=now))
    return spool.but(ot=f"OT-{now.minute}")


CHOICES = ("take", "take", "take", "pause", "finish", "finish", "cancel", "approve", "reject", "release", "unblock")
EDITS = ("materials", "retired", "typed start", "typed holder", "ot")
what_happens = st.lists(
    st.tuples(
        st.sampled_from([*CHOICES, "correct", "chain", *EDITS]),
        st.sampled_from(TAGS),
        st.sampled_from([ARM, ARM, SOLD, SOLD, REPARACION]),
        st.sampled_from([0, 1, 40, 100, 700, 3_000]),  # minutes until then
    ),
    min_size=25,
    max_size=60,
)


def edit(database: Database, choice: str, tag: str, now: datetime) -> None:
    with database.writing() as tx:
        before = spools_to_change(tx, [tag])[tag]
        after = edited(choice, before, now).but(version=fresh_token())
        change = Change(after, (Event(EventoTipo.EDICION_EXTERNA, now, "EDITAR"),), "", "")
        save_changes(tx, Changes(now, [SpoolWrite(after, before.version)]), [change])


# ─── the slow recount ─────────────────────────────────────────────────────────────────────────────────────────


def waits(spool: Spool, weldable: bool) -> frozenset[Wait]:
    """The operations that could be begun on a free spool, from the plain states."""
    if spool.occupation or spool.retired or spool.metrologia in (Metrologia.APROBADO, Metrologia.BLOQUEADO):
        return frozenset()
    if spool.metrologia is Metrologia.EN_COLA:
        return frozenset({(METROLOGIA, False)})
    if spool.fecha_materiales is None:
        return frozenset()
    if spool.metrologia is Metrologia.RECHAZADO:
        open_ = spool.reparacion in (Reparacion.PENDIENTE, Reparacion.PAUSADO)
        return frozenset({(REPARACION, spool.reparacion is Reparacion.PAUSADO)} if open_ else ())
    found = {(ARM, spool.arm is Estado.PAUSADO)} if spool.arm is not Estado.COMPLETADO else set()
    ready = weldable if spool.total_uniones else spool.arm is not Estado.PENDIENTE or bool(spool.armador)
    if spool.sold is not Estado.COMPLETADO and ready:
        found.add((SOLD, spool.sold is Estado.PAUSADO))
    return frozenset(found)


@dataclass
class Recount:
    """Follows one spool, state by state."""

    waiting: frozenset[Wait] = frozenset()
    working: Operacion | None = None
    since: datetime = MONDAY
    ended_waits: dict[Operacion, list[Length]] = field(default_factory=lambda: defaultdict(list))
    ended_sessions: dict[Operacion, list[Length]] = field(default_factory=lambda: defaultdict(list))

    def see(self, spool: Spool, weldable: bool, now: datetime) -> None:
        held = spool.occupation
        waiting, working = waits(spool, weldable), held.operacion if held else None
        new_session = held is not None and held.since == now and self.since != now
        if (waiting, working) != (self.waiting, self.working) or new_session:
            lasted = max(0, int((now - self.since).total_seconds()))
            for operacion, _ in self.waiting:
                self.ended_waits[operacion].append((now, lasted))
            if self.working:
                self.ended_sessions[self.working].append((now, lasted))
            self.since = now
        self.waiting, self.working = waiting, working
        self.since = held.since if held else self.since

    def overdue(self, now: datetime) -> TipoAtraso | None:
        hours = (now - self.since).total_seconds() / 3_600
        if self.working:
            return TipoAtraso.OCUPADO if hours > LIMITS.held.of(self.working) else None
        if (METROLOGIA, False) in self.waiting:
            return TipoAtraso.EN_COLA if hours > LIMITS.inspection else None
        paused = [operacion for operacion, is_paused in self.waiting if is_paused]
        return TipoAtraso.PAUSADO if any(hours > LIMITS.paused.of(op) for op in paused) else None


class History:
    """A floor on which time passes, and the recount of each spool."""

    def __init__(self, database: Database, floor: Floor) -> None:
        self.database, self.floor = database, floor
        self.now = MONDAY
        self.recounts = {tag: Recount() for tag in TAGS}
        self.look()

    def happen(self, choice: str, tag: str, operacion: Operacion) -> None:
        if choice in EDITS:
            edit(self.database, choice, tag, self.now)
            self.look()
            return
        held = spool_in(self.database, tag).occupation
        for command in commands(choice, tag, held.operacion if held else operacion):
            answer = self.floor.do(command)
            if isinstance(command, Chain) and "code" not in bodies(answer)[0]:
                self.see_a_session_of_no_time(tag)
            self.look()

    def see_a_session_of_no_time(self, tag: str) -> None:
        """A chain that takes, pauses and takes again leaves only its last state: those in between lasted 0 s. If the
        worker already had the spool, the chain ended that session."""
        recount, spool = self.recounts[tag], spool_in(self.database, tag)
        assert spool.occupation
        operacion = spool.occupation.operacion
        was_working = recount.working
        if was_working and recount.since == self.now:
            recount.ended_sessions[operacion].append((self.now, 0))
        recount.see(spool, False, self.now)
        if not was_working:
            recount.ended_sessions[operacion].append((self.now, 0))
        paused = spool.with_estado(operacion, Estado.PAUSADO).but(occupation=None)
        for waiting, _ in waits(paused, weldable=False):
            recount.ended_waits[waiting].append((self.now, 0))

    def look(self) -> None:
        for tag in TAGS:
            with self.database.reading() as tx:
                joints = joints_of(tx, tag)
            weldable = any(joint.arm_fin and not joint.sol_fin and joint.tipo != "FW" for joint in joints)
            self.recounts[tag].see(spool_in(self.database, tag), weldable, self.now)


def lengths(recounts: Iterator[dict[Operacion, list[Length]]], operacion: Operacion, until: datetime) -> list[int]:
    return sorted(s for each in recounts for at, s in each[operacion] if at < until)


def assert_as_recounted(history: History) -> None:
    database, now = history.database, history.now
    period = Period(date(2026, 11, 1), (now - timedelta(days=2)).date(), SHOP.zone)
    until = datetime.fromisoformat(period.until)
    ended = EndedInPeriods()
    with database.reading() as tx:
        ended.read(tx, period, MONDAY + timedelta(days=1))  # keeps the days before, and must not change the result
        ended.read(tx, period, now)
        found = stage_times(ended.read(tx, period, now), stages_now(tx), now)
        late = overdue_spools(tx, LIMITS, now, each_max=10)
        begun = sum(spools for _, spools in begun_and_open(tx))
        spools = [spool_from(row) for row in tx.all("spools_all")]
    for operacion, times in found.items():
        for measured, of_each in (
            (times.waits, (recount.ended_waits for recount in history.recounts.values())),
            (times.sessions, (recount.ended_sessions for recount in history.recounts.values())),
        ):
            plain = lengths(iter(of_each), operacion, until)
            assert (measured.times, round(measured.total_s)) == (len(plain), sum(plain)), operacion
            if plain:
                assert measured.median_hours == pytest.approx(median_low(plain) / 3_600, rel=0.02, abs=0.03)
        waiting = [r for r in history.recounts.values() if operacion in [op for op, _ in r.waiting]]
        assert times.waiting_now.times == len(waiting)
        assert times.in_work_now == sum(r.working is operacion for r in history.recounts.values())
    plainly_late = {tag: tipo for tag, r in history.recounts.items() if (tipo := r.overdue(now))}
    assert {spool.tag: row.limit.tipo for spool, row in late.spools} == plainly_late
    assert sum(late.totals.values()) == len(plainly_late)
    assert [row.since for _, row in late.spools] == sorted(row.since for _, row in late.spools)
    for spool in spools:
        assert spool.stage_since == history.recounts[spool.tag].since, spool.tag
    open_ = [s for s in spools if s.metrologia is not Metrologia.APROBADO]
    touched = [s for s in open_ if s.occupation or s.arm != "PENDIENTE" or s.sold != "PENDIENTE"]
    assert begun >= len(touched)


def test_stages_are_those_of_a_slow_recount_over_random_histories(database: Database) -> None:
    ended = 0

    @HISTORIES
    @given(what_happens)
    def run(steps: list[tuple[str, str, Operacion, int]]) -> None:
        nonlocal ended
        begin(database)
        clock = [MONDAY]
        with a_floor(database, clock=lambda: clock[0]) as floor:
            history = History(database, floor)
            for choice, tag, operacion, minutes in steps:
                clock[0] = history.now = history.now + timedelta(minutes=minutes)
                history.happen(choice, tag, operacion)
            clock[0] = history.now = history.now + timedelta(days=2)
            assert_as_recounted(history)
            ended += sum(len(each) for r in history.recounts.values() for each in r.ended_sessions.values())

    run()
    assert ended, "in some of the histories somebody finished"
