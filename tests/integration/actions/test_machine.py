"""Random actions of several workers: the ledger and the small model always agree."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from typing import Any

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from carrete.actions import KeyReused
from carrete.actions.answer import Answer
from carrete.domain.commands import (
    Cancelar,
    Command,
    Completar,
    Corregir,
    Desbloquear,
    Inspeccionar,
    Liberar,
    Pausar,
    Resultado,
    Tomar,
    Work,
)
from carrete.domain.estado_detalle import render
from carrete.domain.spool import Estado, Operacion, Spool
from carrete.domain.workers import Rol
from carrete.ledger.database import Database
from carrete.ledger.rows import event_from, spool_from
from tests.integration.actions.model import Model, Person, Piece
from tests.support.acting import Floor, bodies
from tests.support.builders import (
    a_blocked_spool,
    a_finished_spool,
    a_rejected_spool,
    a_spool,
    a_worker,
    an_armed_spool,
    empty,
    events_in,
    every_event,
    put,
    spool_in,
)

MONDAY = datetime(2026, 11, 16, 11, 0, tzinfo=UTC)
SANTIAGO_IN_NOVEMBER = timedelta(hours=-3)
COMMANDS: dict[str, type[Work]] = {"TOMAR": Tomar, "PAUSAR": Pausar, "COMPLETAR": Completar, "CANCELAR": Cancelar}
TAGS = [
    "MK-1",
    "MK-PAUSED",
    "MK-ARMED",
    "MK-WELDING",
    "MK-QUEUED",
    "MK-JOINTS",
    "MK-REJECTED",
    "MK-AGAIN",
    "MK-BLOCKED",
    "MK-NO-MATERIALS",
    "GONE",
]
WORKERS = [1, 2, 3, 4, 5, 6, 404]
INSPECTOR, SUPERVISOR = 4, 6
OPERACIONES = ("ARM", "SOLD", "REPARACION")
INSTANT = [
    *(("INSPECCIONAR", "APROBADO"), ("INSPECCIONAR", "RECHAZADO"), ("LIBERAR", ""), ("DESBLOQUEAR", "")),
    *(("CORREGIR", "ARM"), ("CORREGIR", "SOLD"), ("CORREGIR", "METROLOGIA")),
]
EVERY_ANSWER = {
    *("WORKER_NO_ENCONTRADO", "SPOOL_NO_ENCONTRADO", "WORKER_INACTIVO", "ROL_NO_AUTORIZADO", "WRONG_VERSION"),
    *("SPOOL_BLOQUEADO", "SPOOL_OCCUPIED", "NO_AUTORIZADO", "VERSION_CONFLICT", "OPERACION_NO_INICIADA"),
    *("OPERACION_YA_COMPLETADA", "OPERACION_NO_DISPONIBLE", "DEPENDENCIAS_NO_SATISFECHAS"),
    *("REPLAYED", "IDEMPOTENCY_KEY_REUSED", "a second tap", "sent to inspection"),
    *(f"{accion} {operacion}" for accion in COMMANDS for operacion in OPERACIONES),
    *(f"{accion} {what}" for accion, what in INSTANT),
}

MONTHS_MAX = 8
A_MONTH = settings(
    max_examples=12,
    stateful_step_count=45,
    database=None,
    deadline=None,
    phases=(Phase.generate,),  # shrinking a failure takes minutes, and its steps can be read as they are
    suppress_health_check=list(HealthCheck),
)

acciones = st.sampled_from(list(COMMANDS))
tags = st.sampled_from(TAGS)
workers = st.sampled_from(WORKERS)
operaciones = st.sampled_from(OPERACIONES)
instants = st.sampled_from(INSTANT)
tokens = st.sampled_from(["none", "none", "none", "present", "present", "present", "old"])
keys = st.sampled_from([None, None, None, None, *(f"key {n}" for n in range(8))])


def the_shop_in_the_model() -> Model:
    done = {"ARM": "COMPLETADO", "SOLD": "COMPLETADO", "REPARACION": "PENDIENTE"}
    names: dict[str, str | None] = {"ARM": "LP(7)", "SOLD": "JS(8)"}
    dated: dict[str, date | None] = {"ARM": date(2026, 11, 10), "SOLD": date(2026, 11, 12)}

    def rejected(metrologia: str, ciclo: int) -> Piece:
        return Piece(state=dict(done), name=dict(names), dated=dict(dated), metrologia=metrologia, ciclo=ciclo)

    return Model(
        {
            1: Person("AR(1)", {"Armador"}),
            2: Person("BS(2)", {"Soldador"}),
            3: Person("CY(3)", {"Ayudante"}),
            4: Person("DM(4)", {"Metrologia"}),
            5: Person("EA(5)", {"Armador", "Soldador"}, active=False),
            6: Person("FS(6)", {"Supervisor"}),
        },
        {
            "MK-1": Piece(),
            "MK-PAUSED": Piece(state={"ARM": "PAUSADO"}, name={"ARM": "LP(7)"}),
            "MK-ARMED": Piece(state={"ARM": "COMPLETADO"}, name={"ARM": "LP(7)"}, dated={"ARM": date(2026, 11, 10)}),
            "MK-WELDING": Piece(
                state={"ARM": "COMPLETADO", "SOLD": "PAUSADO"}, name=dict(names), dated={"ARM": date(2026, 11, 10)}
            ),
            "MK-QUEUED": Piece(
                state={"ARM": "COMPLETADO", "SOLD": "COMPLETADO"},
                name=dict(names),
                dated=dict(dated),
                metrologia="EN_COLA",
            ),
            "MK-JOINTS": Piece(joints=10),
            "MK-REJECTED": rejected("RECHAZADO", 1),
            "MK-AGAIN": rejected("RECHAZADO", 2),
            "MK-BLOCKED": rejected("BLOQUEADO", 3),
            "MK-NO-MATERIALS": Piece(materials=False),
        },
    )


def put_the_shop(database: Database) -> None:
    empty(database)
    put(
        database,
        [
            a_spool("MK-1"),
            a_spool("MK-PAUSED", arm=Estado.PAUSADO, armador="LP(7)"),
            an_armed_spool("MK-ARMED"),
            an_armed_spool("MK-WELDING", sold=Estado.PAUSADO, soldador="JS(8)"),
            a_finished_spool("MK-QUEUED"),
            a_spool("MK-JOINTS", total_uniones=10),
            a_rejected_spool("MK-REJECTED", ciclo=1),
            a_rejected_spool("MK-AGAIN", ciclo=2),
            a_blocked_spool("MK-BLOCKED"),
            a_spool("MK-NO-MATERIALS", fecha_materiales=None),
        ],
        [
            a_worker(1, "Ana", "Rojas", roles=[Rol.ARMADOR]),
            a_worker(2, "Boris", "Soto", roles=[Rol.SOLDADOR]),
            a_worker(3, "Carla", "Yáñez", roles=[Rol.AYUDANTE]),
            a_worker(4, "Diego", "Mora", roles=[Rol.METROLOGIA]),
            a_worker(5, "Elsa", "Araya", roles=[Rol.ARMADOR, Rol.SOLDADOR], activo=False),
            a_worker(6, "Félix", "Silva", roles=[Rol.SUPERVISOR]),
        ],
    )


class DayOnTheFloor(RuleBasedStateMachine):
    database: Database
    met: Counter[str]

    def __init__(self) -> None:
        super().__init__()
        put_the_shop(self.database)
        self.now = MONDAY
        self.floor = Floor(self.database, clock=lambda: self.now)
        self.model = the_shop_in_the_model()
        self.tokens = {tag: [spool_in(self.database, tag).version] for tag in self.model.pieces}
        self.used: dict[str, tuple[list[Command], Answer]] = {}

    def teardown(self) -> None:
        self.floor.close()

    @rule(accion=acciones, tag=tags, worker=workers, operacion=operaciones, token=tokens, key=keys)
    def somebody_taps(self, accion: str, tag: str, worker: int, operacion: str, token: str, key: str | None) -> None:
        self.tap([(accion, tag, worker, operacion, token)], key)

    @precondition(lambda self: self.free_for("ARM"))
    @rule(data=st.data(), token=tokens, key=keys)
    def somebody_takes_what_is_to_be_fitted(self, data: st.DataObject, token: str, key: str | None) -> None:
        tag, worker, operacion = data.draw(st.sampled_from(self.free_for("ARM")))
        self.tap([("TOMAR", tag, worker, operacion, token)], key)

    @precondition(lambda self: self.free_for("SOLD"))
    @rule(data=st.data(), token=tokens, key=keys)
    def somebody_takes_what_is_to_be_welded(self, data: st.DataObject, token: str, key: str | None) -> None:
        tag, worker, operacion = data.draw(st.sampled_from(self.free_for("SOLD")))
        self.tap([("TOMAR", tag, worker, operacion, token)], key)

    @precondition(lambda self: self.free_for("REPARACION"))
    @rule(data=st.data(), token=tokens, key=keys)
    def somebody_takes_a_repair(self, data: st.DataObject, token: str, key: str | None) -> None:
        tag, worker, operacion = data.draw(st.sampled_from(self.free_for("REPARACION")))
        self.tap([("TOMAR", tag, worker, operacion, token)], key)

    @precondition(lambda self: self.held())
    @rule(data=st.data(), accion=acciones, token=tokens, key=keys)
    def a_holder_ends_or_taps_again(self, data: st.DataObject, accion: str, token: str, key: str | None) -> None:
        tag, worker, operacion = data.draw(st.sampled_from(self.held()))
        self.tap([(accion, tag, worker, operacion, token)], key)

    @rule(instant=instants, tag=tags, worker=workers, token=tokens, key=keys)
    def somebody_inspects_or_supervises(
        self, instant: tuple[str, str], tag: str, worker: int, token: str, key: str | None
    ) -> None:
        accion, what = instant
        self.tap([(accion, tag, worker, what, token)], key)

    @precondition(lambda self: self.at("EN_COLA"))
    @rule(data=st.data(), resultado=st.sampled_from(["APROBADO", "RECHAZADO", "RECHAZADO"]), token=tokens, key=keys)
    def the_inspector_inspects(self, data: st.DataObject, resultado: str, token: str, key: str | None) -> None:
        tag = data.draw(st.sampled_from(self.at("EN_COLA")))
        self.tap([("INSPECCIONAR", tag, INSPECTOR, resultado, token)], key)

    @precondition(lambda self: self.held())
    @rule(data=st.data(), token=tokens, key=keys)
    def the_supervisor_frees(self, data: st.DataObject, token: str, key: str | None) -> None:
        tag, _, _ = data.draw(st.sampled_from(self.held()))
        self.tap([("LIBERAR", tag, SUPERVISOR, "", token)], key)

    @precondition(lambda self: self.at("BLOQUEADO"))
    @rule(data=st.data(), token=tokens, key=keys)
    def the_supervisor_unblocks(self, data: st.DataObject, token: str, key: str | None) -> None:
        tag = data.draw(st.sampled_from(self.at("BLOQUEADO")))
        self.tap([("DESBLOQUEAR", tag, SUPERVISOR, "", token)], key)

    @precondition(lambda self: self.correctable())
    @rule(data=st.data(), token=tokens, key=keys)
    def the_supervisor_corrects(self, data: st.DataObject, token: str, key: str | None) -> None:
        tag, operacion = data.draw(st.sampled_from(self.correctable()))
        self.tap([("CORREGIR", tag, SUPERVISOR, operacion, token)], key)

    @precondition(lambda self: self.held())
    @rule(data=st.data(), accion=acciones, worker=st.sampled_from([1, 2, 3]), token=tokens)
    def somebody_reaches_for_what_is_held(self, data: st.DataObject, accion: str, worker: int, token: str) -> None:
        tag, _, operacion = data.draw(st.sampled_from(self.held()))
        self.tap([(accion, tag, worker, operacion, token)], None)

    @rule(
        accion=st.sampled_from(["TOMAR", "PAUSAR", "COMPLETAR"]),
        batch=st.lists(tags, min_size=2, max_size=4, unique=True),
        worker=workers,
        operacion=operaciones,
        key=keys,
    )
    def somebody_taps_several(
        self, accion: str, batch: list[str], worker: int, operacion: str, key: str | None
    ) -> None:
        self.tap([(accion, tag, worker, operacion, "none") for tag in batch], key)

    @precondition(lambda self: bool(self.used))
    @rule(data=st.data())
    def the_tablet_repeats_itself(self, data: st.DataObject) -> None:
        """Repeats a call with its key."""
        key = data.draw(st.sampled_from(sorted(self.used)))
        commands, first = self.used[key]
        again = self.floor.do(*commands, key=key)
        assert (again.body, again.status, again.replayed) == (first.body, first.status, True)
        self.met["REPLAYED"] += 1

    @rule(worker=st.sampled_from([3, 5]))
    def somebody_leaves_or_comes_back(self, worker: int) -> None:
        person = self.model.people[worker]
        person.active = not person.active
        with self.database.writing() as tx:
            rows = {row[0]: row for row in tx.all("workers")}
            _, nombre, apellido, _ = rows[worker]
            tx.run("worker_upsert", id=worker, nombre=nombre, apellido=apellido, activo=int(person.active))

    @rule(minutes=st.sampled_from([1, 90, 600, 1500]))
    def time_passes(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)

    @invariant()
    def the_ledger_agrees_with_the_model(self) -> None:
        with self.database.reading() as tx:
            spools = {row[0]: spool_from(row) for row in tx.all("spools_all")}
            events = Counter(event_from(row).tag for row in every_event(tx))
        assert set(spools) == set(self.model.pieces)
        assert set(events) <= set(spools)
        for tag, piece in self.model.pieces.items():
            assert shown(spools[tag], events[tag]) == piece.shown(), tag

    # ─── how a tap is made on both sides ──────────────────────────────────────────────────────────────────

    def held(self) -> list[tuple[str, int, str]]:
        """Spool, holder and operation of every occupation."""
        pieces = self.model.pieces.items()
        return [(tag, p.holder, p.operacion) for tag, p in pieces if p.holder is not None and p.operacion]

    def at(self, metrologia: str) -> list[str]:
        """The free spools."""
        return [tag for tag, p in self.model.pieces.items() if p.metrologia == metrologia and p.holder is None]

    def correctable(self) -> list[tuple[str, str]]:
        """Free spools with a completed operation, and that operation."""
        free = [(tag, p) for tag, p in self.model.pieces.items() if p.holder is None and not p.joints]
        done = [(tag, op) for tag, p in free for op in ("ARM", "SOLD") if p.state[op] == "COMPLETADO"]
        return done + [(tag, "METROLOGIA") for tag, p in free if p.metrologia in ("APROBADO", "RECHAZADO")]

    def free_for(self, *operaciones: str) -> list[tuple[str, int, str]]:
        """Spool, worker and operation of every take that the model would allow."""
        model = self.model
        every = [(tag, worker, op) for op in operaciones for tag in model.pieces for worker in model.people]
        return [take for take in every if model.could_take(*take)]

    def today(self) -> date:
        return (self.now + SANTIAGO_IN_NOVEMBER).date()

    def tap(self, calls: list[tuple[str, str, int, str, str]], key: str | None) -> None:
        commands = [self.command(*call) for call in calls]
        if key in self.used:
            self.tap_under_a_used_key(commands, key)
            return
        expected = [self.expect(*call) for call in calls]
        answer = self.floor.do(*commands, key=key)
        assert not answer.replayed
        assert [body.get("code", "OK") for body in bodies(answer)] == [code for code, _ in expected]
        for body, (code, written) in zip(bodies(answer), expected, strict=True):
            if code == "OK":
                self.check_success(body, changed=written > 0)
        if key is not None:
            self.used[key] = (commands, answer)

    def tap_under_a_used_key(self, commands: list[Command], key: str | None) -> None:
        assert key is not None
        first_commands, first = self.used[key]
        try:
            answer = self.floor.do(*commands, key=key)
        except KeyReused:
            assert commands != first_commands
            self.met["IDEMPOTENCY_KEY_REUSED"] += 1
            return
        assert commands == first_commands
        assert (answer.body, answer.replayed) == (first.body, True)
        self.met["REPLAYED"] += 1

    def expect(self, accion: str, tag: str, worker: int, operacion: str, token: str) -> tuple[str, int]:
        """The model's answer, and the number of events it wrote."""
        piece = self.model.pieces.get(tag)
        before = piece.events if piece else 0
        code = self.model.act(accion, tag, worker, operacion, self.today(), token_is_old=token == "old")
        written = piece.events - before if piece else 0
        self.met[code if code != "OK" else f"{accion} {operacion}" if written else "a second tap"] += 1
        self.met["sent to inspection"] += written == 2
        return code, written

    def command(self, accion: str, tag: str, worker: int, operacion: str, token: str) -> Command:
        seen = self.tokens.get(tag, ["a token"])
        old = seen[-2] if len(seen) > 1 else "a token nobody ever had"
        version = {"none": None, "present": seen[-1], "old": old}[token]
        if accion in COMMANDS:
            return COMMANDS[accion](tag, worker, Operacion(operacion), version=version)
        return instant_command(accion, tag, worker, operacion, version)

    def check_success(self, body: dict[str, Any], *, changed: bool) -> None:
        tag, token = body["tag_spool"], body["version"]
        piece = self.model.pieces[tag]
        assert (body["ocupado_por"], body["estado_detalle"]) == (piece.holder_label, piece.line())
        if changed:
            assert token not in self.tokens[tag], "every change has a token of its own"
            self.tokens[tag].append(token)
        assert token == self.tokens[tag][-1] == spool_in(self.database, tag).version
        assert body["event_seq"] == events_in(self.database, tag)[-1].seq


def instant_command(accion: str, tag: str, worker: int, what: str, version: str | None) -> Command:
    match accion:
        case "INSPECCIONAR":
            return Inspeccionar(tag, worker, Resultado(what), version=version)
        case "LIBERAR":
            return Liberar(tag, worker, "Turno terminado", version=version)
        case "DESBLOQUEAR":
            return Desbloquear(tag, worker, "Revisado", version=version)
    return Corregir(tag, worker, "Por error", Operacion(what), version=version)


def shown(spool: Spool, events: int) -> dict[str, object]:
    """The real spool in the form of the model's `shown`."""
    held = spool.occupation
    return {
        "holder": held.worker_id if held else None,
        "ocupado_por": held.label if held else None,
        "operacion": str(held.operacion) if held else None,
        "arm": str(spool.arm),
        "sold": str(spool.sold),
        "reparacion": str(spool.reparacion),
        "metrologia": str(spool.metrologia),
        "armador": spool.armador,
        "soldador": spool.soldador,
        "fecha_armado": spool.fecha_armado,
        "fecha_soldadura": spool.fecha_soldadura,
        "fecha_qc": spool.fecha_qc,
        "ciclo": spool.ciclo,
        "estado_detalle": render(spool),
        "events": events,
    }


def test_after_any_taps_the_ledger_agrees_with_the_model_of_the_rules(database: Database) -> None:
    """Runs months with fixed seeds until every answer has come up on SQLite, and the first two on PostgreSQL too."""
    seen: Counter[str] = Counter()
    for number in range(MONTHS_MAX if database.engine == "sqlite" else 2):
        machine = seed(number)(type("Day", (DayOnTheFloor,), {"database": database, "met": seen}))
        run_state_machine_as_test(machine, settings=A_MONTH)
        if set(+seen) >= EVERY_ANSWER:
            break
    missing = EVERY_ANSWER - set(+seen) if database.engine == "sqlite" else set()
    assert missing == set(), "the days were varied enough to meet every answer there is"
