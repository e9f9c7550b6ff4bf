"""Properties of work by joint, in any order of actions: a spool is complete exactly when all joints that it needs are,
its inches are the sum of their diameters, and every spool that somebody holds can be ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from fractions import Fraction
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from carrete.actions.answer import Answer
from carrete.domain.commands import (
    Cancelar,
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
    Tomar,
    Work,
)
from carrete.domain.decide import Case, decide
from carrete.domain.edits.cells import Edit, EditContext, JointEdits, RowEdits
from carrete.domain.edits.spool import apply_edits
from carrete.domain.events import EventoTipo
from carrete.domain.joints import Joint, count
from carrete.domain.offers import Offer, offers
from carrete.domain.refusals import Refusal
from carrete.domain.spool import REJECTIONS_MAX, Estado, Metrologia, Operacion, Spool
from carrete.domain.version import Workflow, workflow
from carrete.domain.workers import Rol
from carrete.ledger.database import Database
from carrete.ledger.queries import joints_of
from tests.support.acting import Floor, a_floor, a_request, bodies, code
from tests.support.builders import (
    NOW,
    SHOP,
    TAG,
    a_joint,
    a_rejected_spool,
    a_spool,
    a_worker,
    empty,
    events_in,
    held,
    put,
    spool_in,
)
from tests.support.floor import LOCK

ARM, SOLD = Operacion.ARM, Operacion.SOLD
COMMANDS: dict[str, type[Work]] = {
    **{"TOMAR": Tomar, "PAUSAR": Pausar, "COMPLETAR": Completar, "CANCELAR": Cancelar},
    **{"INICIAR": Iniciar, "FINALIZAR": Finalizar},
}
BOTH = (ARM, SOLD)
ARMADOR = a_worker(1, "Ana", "Rojas", roles=[Rol.ARMADOR])
SOLDADOR = a_worker(2, "Boris", "Soto", roles=[Rol.SOLDADOR])
AYUDANTE = a_worker(3, "Carla", "Yáñez", roles=[Rol.AYUDANTE])
INSPECTOR = a_worker(4, "Diego", "Mora", roles=[Rol.METROLOGIA])
SUPERVISOR = a_worker(6, "Félix", "Silva", roles=[Rol.SUPERVISOR])
CREW = {worker.id: worker for worker in (ARMADOR, SOLDADOR, AYUDANTE)}
EVERYBODY = {**CREW, INSPECTOR.id: INSPECTOR, SUPERVISOR.id: SUPERVISOR}
WHY = "Por error"
TIPOS = ["BW", "SO", "FW", "fw", None, "INVENTADO"]
DIAMETERS = [None, 100, 375, 700, 1_125, 12_000]
STEPS_MAX = 12

kinds = st.tuples(st.sampled_from(DIAMETERS), st.sampled_from(TIPOS))
turns = st.tuples(st.sampled_from(sorted(CREW)), st.sampled_from(BOTH), st.sets(st.integers(1, 7), max_size=7))


def repeatable(examples: int) -> settings:
    return settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )


def is_welded(joint: Joint) -> bool:
    return (joint.tipo or "").upper() != "FW"


def complete_by_the_rules(spool: Spool, joints: Iterable[Joint]) -> tuple[bool, bool]:
    """Whether ARM and SOLD are complete on a free v4.0 spool, according to rules 2 and 6."""
    rows = [joint for joint in joints if not joint.retired]
    total = spool.total_uniones or 0
    to_weld = max(0, total - sum(not is_welded(joint) for joint in rows))
    arm = sum(joint.arm_fin is not None for joint in rows) >= total
    sold = sum(joint.sol_fin is not None and is_welded(joint) for joint in rows) >= to_weld
    return arm, (sold if to_weld else arm)


def inches_of(joints: Iterable[Joint], operacion: Operacion) -> Fraction:
    done = [j for j in joints if (j.arm_fin if operacion is ARM else j.sol_fin and is_welded(j))]
    return sum((Fraction(joint.dn_milli or 0, 1000) for joint in done), Fraction(0))


# ─── through the ledger ───────────────────────────────────────────────────────────────────────────────────────


def put_anew(database: Database, joints: list[Joint]) -> None:
    empty(database)
    twins = [replace(joint, tag="TWIN") for joint in joints]
    spools = [a_spool(tag, total_uniones=len(joints)) for tag in (TAG, "TWIN")]
    put(database, spools, list(CREW.values()), [*joints, *twins])


def joints_in(database: Database, tag: str = TAG) -> list[Joint]:
    with database.reading() as tx:
        return joints_of(tx, tag)


def test_figures_and_progress_are_right_in_any_order_of_arming_and_welding(database: Database) -> None:
    ends: set[str] = set()

    @repeatable(25)
    @given(st.lists(kinds, min_size=1, max_size=5), st.lists(turns, min_size=4, max_size=STEPS_MAX), st.randoms())
    def a_spools_life(made: list[tuple[Any, Any]], work: list[tuple[int, Operacion, set[int]]], chance: Any) -> None:
        put_anew(database, [a_joint(n, dn_milli=dn, tipo=tipo) for n, (dn, tipo) in enumerate(made, 1)])
        floor = Floor(database)
        try:
            for worker, operacion, wanted in work:
                took = code(floor.do(Iniciar(TAG, worker, operacion)))
                before = joints_in(database)
                chosen = sorted(wanted & set(range(1, len(before) + 1)))
                if chance.random() < 0.7:  # mostly joints that can be ticked, so that the work makes progress
                    chosen = [n for n in chosen if could_be_ticked(before[n - 1], operacion)]
                answer = floor.do(Finalizar(TAG, worker, operacion, unions=tuple(chosen)))
                right = all(could_be_ticked(before[n - 1], operacion) for n in chosen)
                outcome = code(answer)
                assert (outcome == "OK") == (took == "OK" and right)
                if took == "OK" and not right:
                    assert outcome == "UNION_NO_DISPONIBLE"
                    assert joints_in(database) == before
                    code(floor.do(Finalizar(TAG, worker, operacion)))
                elif outcome == "OK":
                    ends.add(bodies(answer)[0]["action_taken"])
                check(database)
        finally:
            floor.close()
        if spool_in(database).metrologia is Metrologia.EN_COLA:
            ends.add("EN_COLA")

    a_spools_life()
    assert ends == {"CANCELADO", "PAUSAR", "COMPLETAR", "EN_COLA"}, "the lives were varied enough"


def test_spools_of_one_ot_finished_in_one_commit_never_mix_their_joints(database: Database) -> None:
    tags = [f"OT-7-{n}" for n in range(1, 9)]
    spools = [held(a_spool(tag, ot="7", total_uniones=3), AYUDANTE) for tag in tags]
    joints = [a_joint(n, tag, dn_milli=1_000 * place + n) for place, tag in enumerate(tags, 1) for n in (1, 2, 3)]
    put(database, spools, list(CREW.values()), joints)
    with a_floor(database) as floor:
        answers = floor.do_all(a_request(Finalizar(tag, 3, ARM, unions=(1, 3))) for tag in tags)
    assert [code(answer) for answer in answers if isinstance(answer, Answer)] == ["OK"] * len(tags)
    for place, tag in enumerate(tags, 1):
        assert [joint.n_union for joint in joints_in(database, tag) if joint.armed] == [1, 3]
        assert spool_in(database, tag).counts.milli_armed == 2_000 * place + 4
        assert [stored.event.n_union for stored in events_in(database, tag)] == [1, 3, None]


def work_stored(database: Database) -> list[tuple[str, str, int, int]]:
    ever = {"since": "0", "until": "9", "desde": "9", "hasta": "0"}
    with database.reading() as tx:
        rows = [(op.value, *row) for op in BOTH for row in tx.all("work_by_worker", **ever, **only(op))]
    return sorted((op, worker, milli, joints) for op, worker, milli, joints, _spools in rows)


def only(operacion: Operacion) -> dict[str, int]:
    return {"arm": int(operacion is ARM), "sold": int(operacion is not ARM)}


def work_summed(joints: Iterable[Joint]) -> list[tuple[str, str, int, int]]:
    done: dict[tuple[str, Any], list[int]] = {}
    for joint in joints:
        for op, fin, worker in (("ARM", joint.arm_fin, joint.arm_worker), ("SOLD", joint.sol_fin, joint.sol_worker)):
            if fin:
                done.setdefault((op, worker), []).append(joint.dn_milli or 0)
    return sorted((op, worker, sum(milli), len(milli)) for (op, worker), milli in done.items())


def could_be_ticked(joint: Joint, operacion: Operacion) -> bool:
    if operacion is ARM:
        return joint.arm_fin is None
    return joint.arm_fin is not None and joint.sol_fin is None and is_welded(joint)


def check(database: Database) -> None:
    spool, joints = spool_in(database), joints_in(database)
    arm, sold = complete_by_the_rules(spool, joints)
    assert spool.occupation is None
    assert (spool.arm is Estado.COMPLETADO, spool.sold is Estado.COMPLETADO) == (arm, sold)
    assert (spool.metrologia is Metrologia.EN_COLA) == (arm and sold)
    assert spool.counts == count(joints, SHOP)
    assert Fraction(spool.counts.milli_armed, 1000) == inches_of(joints, ARM)
    assert Fraction(spool.counts.milli_welded, 1000) == inches_of(joints, SOLD)
    assert work_stored(database) == work_summed([*joints, *joints_in(database, "TWIN")]), (
        "what the reports read is what the joints say"
    )
    trail = [stored.event for stored in events_in(database, TAG)]
    for operacion, fin in ((ARM, "arm_fin"), (SOLD, "sol_fin")):
        registered = sorted(e.n_union or 0 for e in trail if e.tipo == f"UNION_{operacion}_REGISTRADA")
        assert registered == [joint.n_union for joint in joints if getattr(joint, fin)], "each joint once"
        inches = sum(
            (Fraction(str(e.metadata["pulgadas"])) for e in trail if e.tipo.startswith(f"SPOOL_{operacion}_")),
            Fraction(0),
        )
        assert inches == inches_of(joints, operacion)
    triggered = [e for e in trail if e.tipo is EventoTipo.METROLOGIA_AUTO_TRIGGERED]
    assert len(triggered) == (arm and sold)
    assert not any(joint.arm_fin or joint.sol_fin for joint in joints_in(database, "TWIN")), (
        "the same OT, another spool"
    )
    assert events_in(database, "TWIN") == []


# ─── while engineering goes on editing ────────────────────────────────────────────────────────────────────────


@dataclass
class Piece:
    """A spool and its joints, edited and worked through the rules, without a ledger."""

    spool: Spool
    joints: dict[int, Joint]
    now: datetime = NOW

    def act(self, command: Command) -> bool:
        case = Case(self.spool, EVERYBODY[command.worker_id], self.now, SHOP, LOCK, list(self.joints.values()))
        try:
            change = decide(command, case)
        except Refusal:
            return False
        self.spool = change.spool
        self.joints |= {joint.n_union: joint for joint in change.joints}
        return True

    def type_total(self, value: str) -> None:
        ours = str(self.spool.total_uniones or "")
        self._edit(RowEdits((Edit("Total_Uniones", ours, ours, value),)))

    def type_joint(self, n_union: int, column: str, value: str) -> None:
        joint = self.joints.get(n_union)
        if joint is None:
            self._edit(RowEdits(), JointEdits(a_joint(n_union, tipo="BW"), new=True))
        else:
            self._edit(RowEdits(), JointEdits(joint, (Edit(column, "", "", value),)))

    def _edit(self, row: RowEdits, *joints: JointEdits) -> None:
        load_state = EditContext(self.now, SHOP, CREW, lambda _worker, _since: LOCK)
        result = apply_edits(self.spool, list(self.joints.values()), row, joints, load_state)
        self.spool = result.spool
        self.joints |= {joint.n_union: joint for joint in result.joints}

    def check(self) -> None:
        spool, held = self.spool, self.spool.occupation
        assert spool.counts == count(self.joints.values(), SHOP)
        if held is not None:
            assert spool.estado(held.operacion) == Estado.EN_PROGRESO
            worker = EVERYBODY[held.worker_id]
            offered = offers(spool, list(self.joints.values()), worker, self.now, SHOP)
            assert offered, "somebody holds what no call of theirs ends"
        assert (spool.metrologia is Metrologia.BLOQUEADO) == (spool.ciclo == REJECTIONS_MAX)
        assert (spool.metrologia is Metrologia.APROBADO) == (spool.fecha_qc is not None)
        if spool.metrologia is Metrologia.APROBADO:
            return  # an approved spool stays as it is, and a difference is only reported
        arm, sold = self._complete()
        assert (spool.arm is Estado.COMPLETADO, spool.sold is Estado.COMPLETADO) == (arm, sold)
        if spool.metrologia in (Metrologia.PENDIENTE, Metrologia.EN_COLA):
            assert spool.metrologia is (Metrologia.EN_COLA if arm and sold else Metrologia.PENDIENTE)

    def _complete(self) -> tuple[bool, bool]:
        """A held operation is in progress; one that needs no joint completes with the operation before it."""
        spool, held = self.spool, self.spool.occupation
        operacion = held.operacion if held else None
        arm, sold = spool.fecha_armado is not None, spool.fecha_soldadura is not None
        if workflow(spool) is Workflow.V4:
            arm, sold = complete_by_the_rules(spool, self.joints.values())
            if operacion is ARM and not self._something_to_weld():
                sold = False
        return arm and operacion is not ARM, sold and operacion is not SOLD

    def _something_to_weld(self) -> bool:
        return (self.spool.total_uniones or 0) > self.spool.counts.arm_only

    def go_on_to_inspection(self) -> None:
        """The holder ends the spool, then a helper does the remaining work: the spool must be complete."""
        if held := self.spool.occupation:
            assert self.act(self._ending(held.worker_id, held.operacion)), "the holder is stuck"
        assert self.spool.occupation is None
        total = self.spool.total_uniones or 0
        if workflow(self.spool) is Workflow.V4:  # engineering adds the missing joints
            while self.spool.counts.rows < total:
                self.type_joint(max(self.joints, default=0) + 1, "", "")
        self._undo_the_inspection()
        for operacion in BOTH:
            self.complete(operacion)
        assert self.spool.metrologia is Metrologia.EN_COLA

    def _undo_the_inspection(self) -> None:
        """After any result of an inspection the spool can be worked again."""
        if self.spool.metrologia is Metrologia.BLOQUEADO:
            assert self.act(Desbloquear(TAG, SUPERVISOR.id, WHY))
        if self.spool.metrologia is Metrologia.RECHAZADO:
            assert self.act(Tomar(TAG, 3, Operacion.REPARACION))
            assert self.act(Completar(TAG, 3, Operacion.REPARACION))
        if self.spool.metrologia is Metrologia.APROBADO:
            assert self.act(Corregir(TAG, SUPERVISOR.id, WHY, Operacion.METROLOGIA))
        self.check()

    def _ending(self, worker: int, operacion: Operacion) -> Command:
        if workflow(self.spool) is Workflow.V4 and operacion is not Operacion.REPARACION:
            return Finalizar(TAG, worker, operacion)
        return Pausar(TAG, worker, operacion)

    def complete(self, operacion: Operacion) -> None:
        if self.spool.estado(operacion) is Estado.COMPLETADO:
            return
        if workflow(self.spool) is Workflow.V3:
            assert self.act(Tomar(TAG, 3, operacion))
            assert self.act(Completar(TAG, 3, operacion))
            return
        assert self.act(Iniciar(TAG, 3, operacion))
        assert self.act(Finalizar(TAG, 3, operacion, unions=tuple(self.to_tick(operacion))))
        self.check()

    def to_tick(self, operacion: Operacion) -> list[int]:
        return [n for n, joint in sorted(self.joints.items()) if could_be_ticked(joint, operacion)]


CELLS = [
    *(("ARM_FECHA_FIN", "2026-11-14T12:00:00"), ("ARM_FECHA_FIN", ""), ("SOL_FECHA_FIN", "2026-11-14T15:00:00")),
    *(("SOL_FECHA_FIN", ""), ("TIPO_UNION", "FW"), ("TIPO_UNION", "BW"), ("DN_UNION", "0.375"), ("DN_UNION", "x")),
]
TOTALS = ["", "0", "1", "2", "3", "4", "tres"]


def one_step(piece: Piece, chance: Random) -> None:
    """Usually an action that the card offers to some worker, sometimes an edit."""
    match chance.choices(["tap", "total", "joint"], [8, 2, 3])[0]:
        case "total":
            piece.type_total(chance.choice(TOTALS))
        case "joint":
            piece.type_joint(chance.randint(1, 5), *chance.choice(CELLS))
        case "tap":
            people = CREW.values() if chance.random() < 0.7 else (INSPECTOR, SUPERVISOR)
            joints = list(piece.joints.values())
            offered = [(w.id, offer) for w in people for offer in offers(piece.spool, joints, w, piece.now, SHOP)]
            if offered:
                command = offered_command(piece, *chance.choice(offered), chance)
                assert piece.act(command), "what the card offers, succeeds"


def offered_command(piece: Piece, worker: int, offer: Offer, chance: Random) -> Command:
    match offer.accion:
        case "INSPECCIONAR":
            return Inspeccionar(TAG, worker, chance.choice(list(Resultado)))
        case "LIBERAR":
            return Liberar(TAG, worker, WHY)
        case "DESBLOQUEAR":
            return Desbloquear(TAG, worker, WHY)
        case "CORREGIR":
            return Corregir(TAG, worker, WHY, offer.operacion, some_done(piece, offer.operacion, chance))
        case "FINALIZAR":
            left = piece.to_tick(offer.operacion)
            unions = tuple(chance.sample(left, chance.randint(0, len(left))))
            return Finalizar(TAG, worker, offer.operacion, unions=unions)
    return COMMANDS[offer.accion](TAG, worker, offer.operacion)


def some_done(piece: Piece, operacion: Operacion, chance: Random) -> tuple[int, ...] | None:
    """Some of the joints that can be opened again, or None for all of them."""
    if workflow(piece.spool) is Workflow.V3 or operacion is Operacion.METROLOGIA or chance.random() < 0.3:
        return None
    done = [n for n, j in piece.joints.items() if (j.arm_fin if operacion is ARM else j.sol_fin)]
    return tuple(chance.sample(done, chance.randint(1, len(done))))


def test_after_any_edit_every_held_spool_can_be_ended_and_nothing_is_completed_wrongly() -> None:
    seen: set[tuple[str, ...]] = set()
    states: set[Metrologia] = set()

    @repeatable(160)
    @given(st.integers(0, 2**32))
    def a_spools_life(seed: int) -> None:
        chance = Random(seed)
        piece = Piece(chance.choice([a_spool(), a_rejected_spool(ciclo=2)]), {})
        for _ in range(chance.randint(10, 60)):
            before = piece.spool
            one_step(piece, chance)
            piece.now += timedelta(minutes=5)
            piece.check()
            states.add(piece.spool.metrologia)
            if before.occupation and workflow(before) is not workflow(piece.spool):
                seen.add((workflow(before), workflow(piece.spool), str(before.occupation.operacion)))
        piece.go_on_to_inspection()

    a_spools_life()
    assert seen >= {(a, b, str(op)) for a, b in (("v3.0", "v4.0"), ("v4.0", "v3.0")) for op in BOTH}
    assert states == set(Metrologia), "the inspector met them all"
