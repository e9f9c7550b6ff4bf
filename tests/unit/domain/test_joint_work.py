"""Rule 6: FINALIZAR, joint by joint. And rule 12 for INICIAR and FINALIZAR."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from carrete.domain.change import Change
from carrete.domain.commands import Command, Completar, Finalizar, Iniciar, Tomar
from carrete.domain.decide import Case, decide
from carrete.domain.joint_work import available
from carrete.domain.joints import Joint, count
from carrete.domain.offers import offers
from carrete.domain.progress import inconsistencies, recompute_progress, recount_joints
from carrete.domain.refusals import Refusal
from carrete.domain.shop import Shop
from carrete.domain.spool import Estado, Metrologia, Operacion, Spool
from carrete.domain.workers import Worker
from tests.support.builders import EARLIER, HOY, NOW, SHOP, TAG, a_joint, a_spool, a_worker, held
from tests.support.floor import LOCK

ARM, SOLD = Operacion.ARM, Operacion.SOLD
MR = a_worker()
LP = a_worker(7, "Luis", "Pérez")
ARMED: dict[str, Any] = {"arm_inicio": EARLIER, "arm_fin": EARLIER, "arm_worker": "LP(7)"}
WELDED: dict[str, Any] = {**ARMED, "sol_inicio": EARLIER, "sol_fin": EARLIER, "sol_worker": "LP(7)"}


def some_joints(total: int, armed: int = 0, welded: int = 0, **facts: Any) -> list[Joint]:
    """The first ones armed, the first of those welded."""

    def done(n: int) -> dict[str, Any]:
        return WELDED if n <= welded else ARMED if n <= armed else {}

    return [a_joint(n, **{**facts, **done(n)}) for n in range(1, total + 1)]


def by_joints(joints: Sequence[Joint], total: int | None = None, **facts: Any) -> Spool:
    """A free v4.0 spool as far as its joints are."""
    spool = a_spool(total_uniones=len(joints) if total is None else total, **facts)
    return recompute_progress(spool, joints, SHOP)


def finish(
    spool: Spool, joints: Sequence[Joint], *unions: int, operacion: Operacion = ARM, worker: Worker = MR
) -> Change:
    """The worker holds it since EARLIER and finishes now."""
    holding = held(spool, worker, operacion)
    return decide(Finalizar(TAG, worker.id, operacion, unions=unions), Case(holding, worker, NOW, SHOP, LOCK, joints))


def refused(spool: Spool, joints: Sequence[Joint], *unions: int, operacion: Operacion = ARM) -> Refusal:
    with pytest.raises(Refusal) as refusal:
        finish(spool, joints, *unions, operacion=operacion)
    return refusal.value


def tipos(change: Change) -> list[str]:
    return [str(event.tipo) for event in change.events]


# ─── what a selection does ────────────────────────────────────────────────────────────────────────────────────


def test_each_joint_gets_the_worker_the_take_and_now() -> None:
    joints = some_joints(3)
    change = finish(by_joints(joints), joints, 3, 1)
    assert change.joints == tuple(
        replace(joints[n - 1], arm_inicio=EARLIER, arm_fin=NOW, arm_worker="MR(93)") for n in (3, 1)
    )
    welded = finish(by_joints(armed := some_joints(2, armed=2)), armed, 2, operacion=SOLD)
    assert welded.joints == (replace(armed[1], sol_inicio=EARLIER, sol_fin=NOW, sol_worker="MR(93)"),)


def test_the_spool_is_free_and_names_who_finished() -> None:
    joints = some_joints(3)
    spool = finish(by_joints(joints, armador="LP(7)"), joints, 1).spool
    assert (spool.occupation, spool.armador, spool.soldador) == (None, "MR(93)", None)
    assert (spool.arm, spool.fecha_armado) == (Estado.PAUSADO, None)


def test_one_event_for_each_joint_and_one_for_the_call() -> None:
    joints = some_joints(3, dn_milli=375)
    change = finish(by_joints(joints), joints, 2, 1)
    assert tipos(change) == ["UNION_ARM_REGISTRADA", "UNION_ARM_REGISTRADA", "SPOOL_ARM_PAUSADO"]
    assert [event.n_union for event in change.events] == [2, 1, None]
    assert {(event.worker_id, event.worker, event.at, event.operacion) for event in change.events} == {
        (93, "MR(93)", NOW, "ARM")
    }
    assert change.events[0].metadata == {"dn_union": 0.375, "tipo_union": "BW"}
    assert change.events[-1].metadata == {"unions": [2, 1], "pulgadas": 0.75}


def test_seven_of_ten_armed_is_a_pause() -> None:
    change = finish(by_joints(joints := some_joints(10)), joints, *range(1, 8))
    assert (change.accion, change.spool.arm, change.spool.sold) == ("PAUSAR", Estado.PAUSADO, Estado.PENDIENTE)


def test_a_spool_paused_at_six_of_ten_welds_is_not_sent_to_inspection() -> None:
    """All six that were armed are welded: what is available now is not what is needed."""
    joints = some_joints(10, armed=6)
    change = finish(by_joints(joints), joints, *range(1, 7), operacion=SOLD)
    assert (change.accion, change.spool.sold) == ("PAUSAR", Estado.PAUSADO)
    assert change.spool.metrologia is Metrologia.PENDIENTE
    assert "METROLOGIA_AUTO_TRIGGERED" not in tipos(change)


def test_more_joints_needed_than_there_are_rows_is_never_complete() -> None:
    joints = some_joints(4, armed=4)
    change = finish(by_joints(joints, total=5), joints, 1, 2, 3, 4, operacion=SOLD)
    assert (change.accion, change.spool.metrologia) == ("PAUSAR", Metrologia.PENDIENTE)


def test_the_last_needed_weld_completes_dates_and_queues_once() -> None:
    joints = [*some_joints(3, armed=3, welded=2), a_joint(4, tipo="FW", **ARMED)]
    change = finish(by_joints(joints), joints, 3, operacion=SOLD)
    assert change.accion == "COMPLETAR"
    assert tipos(change) == ["UNION_SOLD_REGISTRADA", "SPOOL_SOLD_COMPLETADO", "METROLOGIA_AUTO_TRIGGERED"]
    assert (change.spool.sold, change.spool.metrologia) == (Estado.COMPLETADO, Metrologia.EN_COLA)
    assert change.spool.fecha_soldadura == HOY


def test_welding_completed_before_arming_waits_for_it() -> None:
    """Only FW joints are left to arm: SOLD is complete first, and the queue comes with ARM."""
    joints = [*some_joints(2, armed=2), a_joint(3, tipo="FW")]
    welded = finish(by_joints(joints), joints, 1, 2, operacion=SOLD)
    assert (welded.accion, welded.spool.arm) == ("COMPLETAR", Estado.PAUSADO)
    assert welded.spool.metrologia is Metrologia.PENDIENTE
    rest = finish(welded.spool, [*welded.joints, joints[2]], 3)
    assert tipos(rest) == ["UNION_ARM_REGISTRADA", "SPOOL_ARM_COMPLETADO", "METROLOGIA_AUTO_TRIGGERED"]
    assert rest.spool.metrologia is Metrologia.EN_COLA


def test_where_nothing_is_welded_welding_completes_with_arming() -> None:
    joints = some_joints(2, tipo=" fw ")
    first = finish(by_joints(joints), joints, 1)
    assert (first.spool.arm, first.spool.sold) == (Estado.PAUSADO, Estado.PENDIENTE)
    last = finish(first.spool, [*first.joints, joints[1]], 2)
    assert (last.spool.arm, last.spool.sold) == (Estado.COMPLETADO, Estado.COMPLETADO)
    assert (last.spool.fecha_armado, last.spool.fecha_soldadura) == (HOY, HOY)
    assert tipos(last).count("METROLOGIA_AUTO_TRIGGERED") == 1


def test_what_a_person_approved_meanwhile_stays_approved_and_nothing_of_it_reopens() -> None:
    joints = some_joints(5, armed=5, welded=3)
    spool = replace(by_joints(joints), metrologia=Metrologia.APROBADO, fecha_qc=HOY)
    raised = replace(spool, total_uniones=7)
    for unions in ((), (4,), (4, 5)):
        change = finish(raised, joints, *unions, operacion=SOLD)
        assert (change.spool.metrologia, change.spool.fecha_qc) == (Metrologia.APROBADO, HOY)
        assert (change.spool.arm, change.spool.fecha_armado) == (Estado.COMPLETADO, spool.fecha_armado)
        assert change.spool.sold is Estado.PAUSADO
        assert "METROLOGIA_AUTO_TRIGGERED" not in tipos(change)
    assert "Aprobado con ARM en 5 de 7." in inconsistencies(change.spool)


# ─── inches ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_inches_are_exact_sums() -> None:
    """As binary fractions, ten times 0.1 is not 1, and 0.7 + 0.1 + 0.3 is 1.0999999999999999."""
    joints = [a_joint(n, dn_milli=milli) for n, milli in enumerate((700, 100, 300, 375, 1_125), 1)]
    change = finish(by_joints(joints), joints, 1, 2, 3)
    assert change.events[-1].metadata["pulgadas"] == 1.1
    assert change.spool.counts.milli_armed == 1_100
    assert change.message == f"3 uniones, 1.1 pulgadas. ARM en pausa en el spool {TAG}."
    rest = finish(change.spool, [*change.joints, *joints[3:]], 4, 5)
    assert (rest.events[-1].metadata["pulgadas"], rest.spool.counts.milli_armed) == (1.5, 2_600)


def test_a_joint_without_a_diameter_is_worked_and_counts_no_inches() -> None:
    joints = [a_joint(1, dn_milli=None), a_joint(2, dn_milli=None, dn_text="por definir"), a_joint(3)]
    change = finish(by_joints(joints), joints, 1, 2, 3)
    assert (change.accion, change.spool.counts.milli_armed) == ("COMPLETAR", 4_000)
    assert change.events[0].metadata["dn_union"] is None


# ─── nothing ticked ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("armed", [0, 2])
def test_nothing_ticked_and_the_occupation_never_was(armed: int) -> None:
    joints = some_joints(3, armed=armed)
    free = by_joints(joints, armador="LP(7)" if armed else None)
    change = finish(free, joints)
    assert (change.accion, change.joints, tipos(change)) == ("CANCELADO", (), ["SPOOL_CANCELADO"])
    assert change.spool == free


def test_nothing_ticked_after_a_person_dated_the_last_joints_leaves_it_complete() -> None:
    """Else it were paused with nothing left to tick: nobody could ever complete it."""
    before = some_joints(2, armed=1)
    now = [before[0], replace(before[1], **ARMED)]
    holding = recompute_progress(held(by_joints(before), MR), now, SHOP)
    change = decide(Finalizar(TAG, 93, ARM), Case(holding, MR, NOW, SHOP, LOCK, now))
    assert (change.accion, change.spool.arm, change.spool.fecha_armado) == ("CANCELADO", Estado.COMPLETADO, HOY)


def test_nothing_ticked_after_the_total_was_lowered_to_what_is_done_queues_it_once() -> None:
    joints = some_joints(3, armed=3, welded=2)
    holding = recompute_progress(replace(held(by_joints(joints), MR, SOLD), total_uniones=2), joints, SHOP)
    change = decide(Finalizar(TAG, 93, SOLD), Case(holding, MR, NOW, SHOP, LOCK, joints))
    assert tipos(change) == ["SPOOL_CANCELADO", "METROLOGIA_AUTO_TRIGGERED"]
    assert (change.spool.sold, change.spool.metrologia) == (Estado.COMPLETADO, Metrologia.EN_COLA)


# ─── what cannot be ticked ────────────────────────────────────────────────────────────────────────────────────

MIXED = [
    a_joint(1),
    a_joint(2, **ARMED),
    a_joint(3, **WELDED),
    a_joint(4, tipo="FW", **ARMED),
    a_joint(5, tipo="?", **ARMED),
    a_joint(6, retired=True),
    a_joint(7, retired=True, **ARMED),
    a_joint(8, sol_fin=EARLIER),
]


@pytest.mark.parametrize(
    ("operacion", "unions", "named"),
    [
        (ARM, (2,), [2]),
        (ARM, (1, 1), [1]),
        (ARM, (1, 99), [99]),
        (ARM, (0, -1), [-1, 0]),
        (ARM, (6,), [6]),
        (ARM, (1, 3, 2, 99, 1), [1, 2, 3, 99]),
        (SOLD, (1,), [1]),
        (SOLD, (2, 3), [3]),
        (SOLD, (2, 4), [4]),
        (SOLD, (7,), [7]),
        (SOLD, (8,), [8]),
    ],
)
def test_what_cannot_be_ticked_refuses_the_whole_call_and_is_named(
    operacion: Operacion, unions: tuple[int, ...], named: list[int]
) -> None:
    refusal = refused(by_joints(MIXED), MIXED, *unions, operacion=operacion)
    assert (refusal.code, refusal.context) == ("UNION_NO_DISPONIBLE", {"unions": named})
    assert ", ".join(map(str, named)) in refusal.detail


def test_what_can_be_ticked_is_what_is_offered() -> None:
    assert [j.n_union for j in MIXED if available(j, ARM, SHOP)] == [1, 8]
    assert [j.n_union for j in MIXED if available(j, SOLD, SHOP)] == [2, 5]
    for operacion in (ARM, SOLD):
        for joint in MIXED:
            if available(joint, operacion, SHOP):
                assert finish(by_joints(MIXED), MIXED, joint.n_union, operacion=operacion).joints
            else:
                assert refused(by_joints(MIXED), MIXED, joint.n_union, operacion=operacion)
    assert count(MIXED, SHOP).weldable == 2


def test_which_types_are_only_armed_is_the_shops_to_say() -> None:
    joints = [a_joint(1, tipo="BR", **ARMED), a_joint(2, tipo="FW", **ARMED), a_joint(3, tipo=None, **ARMED)]
    none, both = Shop(arm_only_types=frozenset()), Shop(arm_only_types=frozenset({"FW", "BR"}))
    assert [available(j, SOLD, none) for j in joints] == [True, True, True]
    assert [available(j, SOLD, both) for j in joints] == [False, False, True]


def test_another_set_of_types_is_counted_anew_and_only_by_joints_moves_progress() -> None:
    joints = [a_joint(1, tipo="BR", **ARMED), a_joint(2, tipo="BW", **WELDED)]
    both = Shop(arm_only_types=frozenset({"FW", "BR"}))
    spool = recount_joints(by_joints(joints), joints, both)
    assert (spool.sold, spool.metrologia, spool.counts.arm_only) == (Estado.COMPLETADO, Metrologia.EN_COLA, 1)
    as_a_whole = replace(by_joints(joints), total_uniones=None, sold=Estado.PENDIENTE)
    assert recount_joints(as_a_whole, joints, both) == replace(as_a_whole, counts=count(joints, both))


# ─── INICIAR ──────────────────────────────────────────────────────────────────────────────────────────────────


def begin(spool: Spool, operacion: Operacion = ARM, worker: Worker = MR) -> Change:
    return decide(Iniciar(TAG, worker.id, operacion), Case(spool, worker, NOW, SHOP, LOCK))


def test_iniciar_occupies_and_names_nobody_yet() -> None:
    change = begin(by_joints(some_joints(3)))
    assert (change.accion, tipos(change), change.joints) == ("INICIAR", ["INICIAR_SPOOL"], ())
    assert change.spool.held_by(93, ARM)
    assert (change.spool.arm, change.spool.armador) == (Estado.EN_PROGRESO, None)


def test_a_second_tap_changes_nothing() -> None:
    holding = held(by_joints(some_joints(3)), MR)
    assert begin(holding) == Change.nothing(holding, "INICIAR", f"MR(93) tiene el spool {TAG} para ARM.")


@pytest.mark.parametrize(
    ("joints", "ready"),
    [
        (some_joints(3), False),
        (some_joints(3, armed=1), True),
        (some_joints(3, armed=1, welded=1), False),
        (some_joints(3, armed=2, tipo="FW"), False),
    ],
    ids=["nothing armed", "one armed", "what is armed is welded", "only FW armed"],
)
def test_welding_begins_when_an_armed_joint_is_to_be_welded(joints: list[Joint], ready: bool) -> None:
    if ready:
        assert begin(by_joints(joints), SOLD).spool.sold is Estado.EN_PROGRESO
        return
    with pytest.raises(Refusal) as refusal:
        begin(by_joints(joints), SOLD)
    assert (refusal.value.code, refusal.value.context) == ("DEPENDENCIAS_NO_SATISFECHAS", {"falta": "ARM"})


def test_the_card_offers_what_the_workflow_has() -> None:
    def offered(spool: Spool) -> set[tuple[str, str]]:
        return {(offer.accion, str(offer.operacion)) for offer in offers(spool, [], MR, NOW, SHOP)}

    assert offered(by_joints(some_joints(3))) == {("INICIAR", "ARM")}
    assert offered(by_joints(some_joints(3, armed=1))) == {("INICIAR", "ARM"), ("INICIAR", "SOLD")}
    assert offered(held(by_joints(some_joints(3)), MR)) == {("FINALIZAR", "ARM")}
    assert offered(held(by_joints(some_joints(3)), LP)) == set()


# ─── the order of the checks ──────────────────────────────────────────────────────────────────────────────────

KNOWN = ["WORKER_NO_ENCONTRADO", "SPOOL_NO_ENCONTRADO"]
PERSON = [*KNOWN, "WORKER_INACTIVO", "ROL_NO_AUTORIZADO", "WRONG_VERSION", "SPOOL_BLOQUEADO"]
INICIAR = [*PERSON, "SPOOL_OCCUPIED", "VERSION_CONFLICT", "OPERACION_YA_COMPLETADA", "DEPENDENCIAS_NO_SATISFECHAS"]
FINALIZAR = [*PERSON, "NO_AUTORIZADO", "OPERACION_NO_INICIADA", "VERSION_CONFLICT", "UNION_NO_DISPONIBLE"]


def answer(kind: type[Command], operacion: Operacion, *wrong: str) -> str:
    """The code of a call that would succeed, had not all of these gone wrong with it."""
    joints = some_joints(4, armed=2)
    spool, worker = by_joints(joints), MR
    if kind is Finalizar:
        spool = held(spool, LP if "NO_AUTORIZADO" in wrong else MR, operacion)
        if "OPERACION_NO_INICIADA" in wrong and "NO_AUTORIZADO" not in wrong:
            spool = replace(spool, occupation=None)
    if "SPOOL_OCCUPIED" in wrong:
        spool = held(spool, LP, operacion)
    if "OPERACION_YA_COMPLETADA" in wrong:
        spool = spool.with_estado(operacion, Estado.COMPLETADO)
    if "DEPENDENCIAS_NO_SATISFECHAS" in wrong:
        spool = replace(spool, fecha_materiales=None)
    if "SPOOL_BLOQUEADO" in wrong:
        spool = replace(spool, metrologia=Metrologia.BLOQUEADO)
    if "WRONG_VERSION" in wrong:
        spool = replace(spool, total_uniones=None)
    if "ROL_NO_AUTORIZADO" in wrong:
        worker = replace(MR, roles=frozenset())
    if "WORKER_INACTIVO" in wrong:
        worker = replace(worker, activo=False)
    version = "an older token" if "VERSION_CONFLICT" in wrong else None
    command: Command = Iniciar(TAG, 93, operacion, version=version)
    if kind is Finalizar:
        command = Finalizar(TAG, 93, operacion, (99,) if "UNION_NO_DISPONIBLE" in wrong else (3,), version=version)
    known = (None if "SPOOL_NO_ENCONTRADO" in wrong else spool, None if "WORKER_NO_ENCONTRADO" in wrong else worker)
    with pytest.raises(Refusal) as refusal:
        decide(command, Case(*known, NOW, SHOP, LOCK, joints))
    return refusal.value.code


@pytest.mark.parametrize("operacion", [ARM, SOLD])
@pytest.mark.parametrize(("first", "second"), list(combinations(INICIAR, 2)))
def test_iniciar_answers_with_the_earlier_of_two_reasons(first: str, second: str, operacion: Operacion) -> None:
    assert answer(Iniciar, operacion, first, second) == first


@pytest.mark.parametrize("operacion", [ARM, SOLD])
@pytest.mark.parametrize(("first", "second"), list(combinations(FINALIZAR, 2)))
def test_finalizar_answers_with_the_earlier_of_two_reasons(first: str, second: str, operacion: Operacion) -> None:
    assert answer(Finalizar, operacion, first, second) == first


@pytest.mark.parametrize(
    ("command", "use"),
    [
        (Iniciar(TAG, 93, ARM), "/api/occupation/tomar"),
        (Finalizar(TAG, 93, ARM), "/api/occupation/completar"),
        (Tomar(TAG, 93, ARM), "/api/v4/occupation/iniciar"),
        (Completar(TAG, 93, ARM), "/api/v4/occupation/finalizar"),
    ],
)
def test_the_wrong_workflow_names_the_right_call(command: Command, use: str) -> None:
    joints = some_joints(3)
    by_joint = isinstance(command, Iniciar | Finalizar)
    spool = a_spool(total_uniones=0) if by_joint else by_joints(joints, total=5)
    with pytest.raises(Refusal) as refusal:
        decide(command, Case(held(spool, MR), MR, NOW, SHOP, LOCK, joints))
    flow, unions = ("v3.0", 0) if by_joint else ("v4.0", 5)
    assert refusal.value.code == "WRONG_VERSION"
    assert refusal.value.context == {"version_workflow": flow, "union_count": unions, "use": use}
