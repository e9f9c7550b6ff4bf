"""RELEVO: who may offer, accept, withdraw and decline; what a hand-over leaves; and when an offer is in force."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from carrete.domain.change import Change
from carrete.domain.commands import Aceptar, Cancelar, Finalizar, Ofrecer, Pausar, Rechazar, RelevoCommand, Retirar
from carrete.domain.decide import Case, decide
from carrete.domain.events import EventoTipo
from carrete.domain.joints import Joint
from carrete.domain.refusals import Refusal
from carrete.domain.relevo import RelevoCase, RelevoOffer
from carrete.domain.shifts import Shift
from carrete.domain.spool import Before, Estado, Metrologia, Operacion, Reparacion, Spool
from carrete.domain.workers import Worker
from tests.support.builders import EARLIER, HOY, NOW, SHOP, a_joint, a_rejected_spool, a_spool, an_armed_spool, held
from tests.support.people import AY, IN, JS, LP, MR, NN

ARM, SOLD, REPARACION = Operacion.ARM, Operacion.SOLD, Operacion.REPARACION
THEIRS = "7:lock-of-the-receiver:16-11-2026 10:30:00"
JOINTS = [a_joint(n) for n in (1, 2, 3)]


def by_joint(holder: Worker = MR) -> Spool:
    return held(a_spool(total_uniones=3), holder)


def offer_of(spool: Spool, receiver: Worker | None = None, at: datetime = EARLIER) -> RelevoOffer:
    now_held = spool.occupation
    assert now_held is not None
    return RelevoOffer(
        "o-1",
        spool.tag,
        now_held.lock,
        spool.version,
        now_held.worker_id,
        now_held.label,
        receiver.id if receiver else None,
        receiver.label if receiver else None,
        now_held.operacion,
        at,
    )


def ask(
    kind: type[RelevoCommand],
    spool: Spool,
    worker: Worker | None,
    *,
    offer: RelevoOffer | None = None,
    receiver: Worker | None = None,
    joints: Sequence[Joint] = (),
    operacion: Operacion = ARM,
    now: datetime = NOW,
    shop: Any = SHOP,
    **more: Any,
) -> Change:
    who = worker.id if worker else 0
    command = kind(spool.tag, who, operacion, **more)
    return decide(command, Case(spool, worker, now, shop, THEIRS, joints, RelevoCase(offer, receiver)))


def refusal(*arguments: Any, **options: Any) -> str:
    with pytest.raises(Refusal) as refused:
        ask(*arguments, **options)
    return refused.value.code


def accepted(spool: Spool, receiver: Worker = LP, **options: Any) -> Change:
    return ask(Aceptar, spool, receiver, offer=offer_of(spool, receiver), **options)


# offering


def test_an_offer_without_joints_changes_nothing_and_records_no_event() -> None:
    spool = held(a_spool(), MR)
    change = ask(Ofrecer, spool, MR, receiver_id=LP.id, receiver=LP)
    assert (change.spool, change.events, change.accion) == (spool, (), "OFRECER")
    assert "LP(7)" in change.message
    assert "quien corresponda" in ask(Ofrecer, spool, MR).message


def test_only_the_holder_offers_and_withdraws() -> None:
    spool = held(a_spool(), MR)
    for kind in (Ofrecer, Retirar):
        assert refusal(kind, spool, LP) == "NO_AUTORIZADO"
        assert refusal(kind, a_spool(), MR) == "OPERACION_NO_INICIADA"
        assert refusal(kind, spool, MR, operacion=SOLD) == "OPERACION_NO_INICIADA"


@pytest.mark.parametrize(
    ("receiver_id", "receiver", "code"),
    [
        (404, None, "WORKER_NO_ENCONTRADO"),
        (IN.id, IN, "WORKER_INACTIVO"),
        (JS.id, JS, "ROL_NO_AUTORIZADO"),
        (MR.id, MR, "DATOS_INVALIDOS"),
    ],
)
def test_the_receiver_is_another_active_and_qualified_person(
    receiver_id: int, receiver: Worker | None, code: str
) -> None:
    assert refusal(Ofrecer, held(a_spool(), MR), MR, receiver_id=receiver_id, receiver=receiver) == code


def test_a_repair_is_offered_to_anybody_active() -> None:
    spool = held(a_rejected_spool(), MR, REPARACION)
    assert ask(Ofrecer, spool, MR, receiver_id=NN.id, receiver=NN, operacion=REPARACION).accion == "OFRECER"


def test_joints_ticked_at_the_offer_are_the_givers_and_the_occupation_goes_on() -> None:
    spool = by_joint()
    change = ask(Ofrecer, spool, MR, joints=JOINTS, unions=(1, 3))
    assert [(e.tipo, e.n_union, e.worker, e.accion) for e in change.events] == [
        (EventoTipo.UNION_ARM_REGISTRADA, 1, "MR(93)", "OFRECER"),
        (EventoTipo.UNION_ARM_REGISTRADA, 3, "MR(93)", "OFRECER"),
    ]
    assert {(j.arm_worker, j.arm_inicio, j.arm_fin) for j in change.joints} == {("MR(93)", EARLIER, NOW)}
    after = change.spool
    assert (after.arm, after.armador, after.counts.armed) == (Estado.EN_PROGRESO, "MR(93)", 2)
    assert after.occupation is not None
    assert (after.occupation.worker_id, after.occupation.since) == (MR.id, EARLIER)


def test_a_giver_who_finishes_without_joints_after_that_keeps_the_registered_ones() -> None:
    change = ask(Ofrecer, by_joint(), MR, joints=JOINTS, unions=(1,))
    joints = [change.joints[0], *JOINTS[1:]]
    case = Case(change.spool, MR, NOW, SHOP, "", joints)
    ended = decide(Finalizar(change.spool.tag, MR.id, ARM), case).spool
    assert (ended.arm, ended.armador, ended.occupation) == (Estado.PAUSADO, "MR(93)", None)


def test_joints_that_complete_the_operation_leave_nothing_to_hand_over() -> None:
    with pytest.raises(Refusal, match="FINALIZAR") as refused:
        ask(Ofrecer, by_joint(), MR, joints=JOINTS, unions=(1, 2, 3))
    assert refused.value.code == "OPERACION_YA_COMPLETADA"


def test_joints_that_cannot_be_ticked_are_refused_as_in_finalizar() -> None:
    done = [replace(JOINTS[0], arm_fin=EARLIER), *JOINTS[1:]]
    for unions in ((1,), (9,), (2, 2)):
        assert refusal(Ofrecer, by_joint(), MR, joints=done, unions=unions) == "UNION_NO_DISPONIBLE"


def test_there_are_no_joints_to_tick_on_a_whole_spool_or_in_a_repair() -> None:
    assert refusal(Ofrecer, held(a_spool(), MR), MR, unions=(1,)) == "UNION_NO_DISPONIBLE"
    repair = held(a_rejected_spool(total_uniones=3), MR, REPARACION)
    assert refusal(Ofrecer, repair, MR, unions=(1,), joints=JOINTS, operacion=REPARACION) == "UNION_NO_DISPONIBLE"


# accepting


@pytest.mark.parametrize("operacion", [ARM, SOLD, REPARACION])
def test_accepting_changes_holder_and_lock_with_one_event(operacion: Operacion) -> None:
    free = {ARM: a_spool(), SOLD: an_armed_spool(), REPARACION: a_rejected_spool()}[operacion]
    change = accepted(held(free, MR, operacion), AY, operacion=operacion)
    now_held = change.spool.occupation
    assert now_held is not None
    assert (now_held.worker_id, now_held.label, now_held.since, now_held.lock) == (AY.id, "ÁY(5)", NOW, THEIRS)
    (event,) = change.events
    assert (event.tipo, event.worker_id, event.operacion) == (EventoTipo.RELEVO, AY.id, operacion)
    assert event.metadata == {"de": "MR(93)", "de_id": MR.id, "ofrecido_en": "2026-11-16T08:00:00-03:00"}


def test_a_whole_spool_names_the_receiver_and_cancelling_gives_the_giver_back() -> None:
    spool = accepted(held(a_spool(), MR)).spool
    assert (spool.armador, spool.arm) == ("LP(7)", Estado.EN_PROGRESO)
    case = Case(spool, LP, NOW, SHOP, "")
    cancelled = decide(Cancelar(spool.tag, LP.id, ARM), case).spool
    assert (cancelled.armador, cancelled.arm, cancelled.occupation) == ("MR(93)", Estado.PAUSADO, None)


def test_a_spool_worked_by_joint_names_nobody_new_and_cancelling_is_worked_out_from_the_joints() -> None:
    offered = ask(Ofrecer, by_joint(), MR, joints=JOINTS, unions=(2,))
    joints = [JOINTS[0], offered.joints[0], JOINTS[2]]
    spool = accepted(offered.spool).spool
    assert spool.armador == "MR(93)"
    ended = decide(Finalizar(spool.tag, LP.id, ARM), Case(spool, LP, NOW, SHOP, "", joints)).spool
    assert (ended.arm, ended.armador) == (Estado.PAUSADO, "MR(93)")
    nothing_done = accepted(by_joint()).spool
    ended = decide(Finalizar(nothing_done.tag, LP.id, ARM), Case(nothing_done, LP, NOW, SHOP, "", JOINTS)).spool
    assert (ended.arm, ended.armador) == (Estado.PENDIENTE, None)


def test_cancelling_a_repair_that_was_handed_over_leaves_it_paused() -> None:
    spool = accepted(held(a_rejected_spool(), MR, REPARACION), NN, operacion=REPARACION).spool
    ended = decide(Cancelar(spool.tag, NN.id, REPARACION), Case(spool, NN, NOW, SHOP, "")).spool
    assert (ended.reparacion, ended.metrologia) == (Reparacion.PAUSADO, Metrologia.RECHAZADO)


def test_an_operation_that_a_person_dated_meanwhile_stays_complete_when_the_receiver_cancels() -> None:
    spool = accepted(replace(held(a_spool(), MR), fecha_armado=HOY)).spool
    assert spool.occupation is not None
    assert spool.occupation.before == Before(Estado.COMPLETADO, "MR(93)")


def test_accepting_what_one_holds_changes_nothing() -> None:
    spool = held(a_spool(), LP)
    assert ask(Aceptar, spool, LP).events == ()


def test_without_an_offer_to_this_person_the_spool_is_occupied() -> None:
    spool = held(a_spool(), MR)
    assert refusal(Aceptar, spool, LP) == "SPOOL_OCCUPIED"
    assert refusal(Aceptar, spool, LP, offer=offer_of(spool, AY)) == "SPOOL_OCCUPIED"
    assert refusal(Aceptar, a_spool(), LP) == "OPERACION_NO_INICIADA"
    both = held(an_armed_spool(), MR, SOLD)
    assert refusal(Aceptar, both, AY, offer=offer_of(both), operacion=ARM) == "SPOOL_OCCUPIED"


def test_an_offer_for_everybody_is_for_the_qualified_only() -> None:
    spool = held(a_spool(), MR)
    assert ask(Aceptar, spool, AY, offer=offer_of(spool)).events
    assert refusal(Aceptar, spool, JS, offer=offer_of(spool)) == "ROL_NO_AUTORIZADO"
    assert refusal(Aceptar, spool, IN, offer=offer_of(spool)) == "WORKER_INACTIVO"


@pytest.mark.parametrize("change", [{"version": "another"}, {"occupation": "another"}])
def test_any_other_change_of_the_spool_voids_the_offer(change: dict[str, Any]) -> None:
    spool = held(a_spool(), MR)
    offer = offer_of(spool, LP)
    assert spool.occupation is not None
    if "occupation" in change:
        change = {"occupation": spool.occupation._replace(lock="93:another:16-11-2026 08:00:00")}
    assert refusal(Aceptar, replace(spool, **change), LP, offer=offer) == "SPOOL_OCCUPIED"


def test_an_offer_is_judged_for_its_expiry_when_it_is_accepted() -> None:
    spool = held(a_spool(), MR)
    shop = replace(SHOP, shifts=(Shift("Día", (1, 2, 3, 4, 5), "07:00", "15:30"),))
    offer = offer_of(spool, LP)
    last = offer.expires(shop) - timedelta(seconds=1)
    assert ask(Aceptar, spool, LP, offer=offer, now=last, shop=shop).events
    assert refusal(Aceptar, spool, LP, offer=offer, now=last + timedelta(seconds=1), shop=shop) == "RELEVO_VENCIDO"


# declining and withdrawing


def test_only_a_person_whom_the_offer_names_declines_it() -> None:
    spool = held(a_spool(), MR)
    assert ask(Rechazar, spool, LP, offer=offer_of(spool, LP)).events == ()
    assert refusal(Rechazar, spool, LP, offer=offer_of(spool, AY)) == "NO_AUTORIZADO"
    assert refusal(Rechazar, spool, LP, offer=offer_of(spool)) == "NO_AUTORIZADO"
    assert refusal(Rechazar, spool, LP) == "RELEVO_VENCIDO"


def test_withdrawing_an_offer_that_is_no_more_succeeds() -> None:
    assert ask(Retirar, held(a_spool(), MR), MR).events == ()


def test_a_blocked_or_unknown_spool_is_not_handed_over() -> None:
    blocked = replace(held(a_spool(), MR), metrologia=Metrologia.BLOQUEADO)
    for kind, worker in ((Ofrecer, MR), (Aceptar, LP), (Retirar, MR), (Rechazar, LP)):
        assert refusal(kind, blocked, worker, offer=offer_of(blocked, LP)) == "SPOOL_BLOQUEADO"
        assert refusal(kind, blocked, None) == "WORKER_NO_ENCONTRADO"
        assert refusal(kind, replace(blocked, retired=True), worker) == "SPOOL_NO_ENCONTRADO"


def test_the_version_that_the_client_saw_counts() -> None:
    spool = held(a_spool(), MR)
    assert refusal(Ofrecer, spool, MR, version="old") == "VERSION_CONFLICT"
    assert ask(Ofrecer, spool, MR, version=spool.version).accion == "OFRECER"


def test_a_giver_who_pauses_after_the_offer_leaves_what_a_pause_leaves() -> None:
    spool = held(a_spool(), MR)
    ask(Ofrecer, spool, MR)
    paused = decide(Pausar(spool.tag, MR.id, ARM), Case(spool, MR, NOW, SHOP, "")).spool
    assert (paused.arm, paused.armador) == (Estado.PAUSADO, "MR(93)")
