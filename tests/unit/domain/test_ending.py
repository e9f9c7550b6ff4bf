"""Rule 5 and 7: PAUSAR, COMPLETAR and CANCELAR belong to the holder, and what each leaves behind."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import product

import pytest

from carrete.domain.commands import Cancelar, Completar, Pausar, Tomar
from carrete.domain.events import EventoTipo
from carrete.domain.spool import Before, Estado, Metrologia, Operacion, Reparacion, Spool
from tests.support.builders import (
    HOY,
    NOW,
    a_finished_spool,
    a_rejected_spool,
    a_spool,
    a_worker,
    an_armed_spool,
    held,
)
from tests.support.floor import ENDINGS, ask, refusal

ARM, SOLD, REPARACION = Operacion.ARM, Operacion.SOLD, Operacion.REPARACION
MR = a_worker()
LP = a_worker(7, "Luis", "Pérez")


def begun(operacion: Operacion) -> Spool:
    """A spool that MR took for that operation."""
    free = {ARM: a_spool(), SOLD: an_armed_spool(), REPARACION: a_rejected_spool()}[operacion]
    return ask(Tomar, free, MR, operacion).spool


@pytest.mark.parametrize(("kind", "operacion"), list(product(ENDINGS, (ARM, SOLD, REPARACION))))
def test_every_ending_frees_the_spool_and_writes_one_event_of_its_worker(kind: type, operacion: Operacion) -> None:
    change = ask(kind, begun(operacion), MR, operacion)
    assert change.spool.occupation is None
    first = change.events[0]
    assert (first.worker_id, first.worker, first.operacion, first.at) == (93, "MR(93)", operacion, NOW)
    assert change.accion == first.accion == kind.__name__.upper()


@pytest.mark.parametrize(
    ("kind", "operacion", "tipo"),
    [
        (Pausar, ARM, EventoTipo.PAUSAR_SPOOL),
        (Pausar, SOLD, EventoTipo.PAUSAR_SPOOL),
        (Pausar, REPARACION, EventoTipo.PAUSAR_REPARACION),
        (Completar, ARM, EventoTipo.COMPLETAR_ARM),
        (Completar, SOLD, EventoTipo.COMPLETAR_SOLD),
        (Completar, REPARACION, EventoTipo.COMPLETAR_REPARACION),
        (Cancelar, ARM, EventoTipo.CANCELAR_ARM),
        (Cancelar, SOLD, EventoTipo.CANCELAR_SOLD),
        (Cancelar, REPARACION, EventoTipo.CANCELAR_REPARACION),
    ],
)
def test_each_ending_has_its_own_type_of_event(kind: type, operacion: Operacion, tipo: EventoTipo) -> None:
    assert ask(kind, begun(operacion), MR, operacion).events[0].tipo is tipo


@pytest.mark.parametrize(("kind", "operacion"), list(product(ENDINGS, (ARM, SOLD, REPARACION))))
def test_nobody_but_the_holder_ends_an_occupation(kind: type, operacion: Operacion) -> None:
    no = refusal(kind, begun(operacion), LP, operacion)
    assert no.code == "NO_AUTORIZADO"
    assert no.context == {"owner": "MR(93)"}
    assert "MR(93)" in no.detail


@pytest.mark.parametrize(("kind", "operacion"), list(product(ENDINGS, (ARM, SOLD, REPARACION))))
def test_on_a_free_spool_nothing_was_begun(kind: type, operacion: Operacion) -> None:
    assert refusal(kind, a_spool(), MR, operacion).code == "OPERACION_NO_INICIADA"


@pytest.mark.parametrize(("kind", "operacion"), list(product(ENDINGS, (ARM, SOLD))))
def test_on_a_free_spool_nothing_was_begun_even_where_it_is_completed(kind: type, operacion: Operacion) -> None:
    assert refusal(kind, a_finished_spool(), MR, operacion).code == "OPERACION_NO_INICIADA"


@pytest.mark.parametrize("kind", ENDINGS)
def test_the_operation_held_is_the_one_that_ends(kind: type) -> None:
    assert refusal(kind, begun(ARM), MR, SOLD).code == "OPERACION_NO_INICIADA"
    assert refusal(kind, begun(SOLD), MR, ARM).code == "OPERACION_NO_INICIADA"


@pytest.mark.parametrize("kind", ENDINGS)
def test_an_ending_with_an_old_token_changes_nothing(kind: type) -> None:
    spool = begun(ARM)
    assert refusal(kind, spool, MR, version="older").code == "VERSION_CONFLICT"
    assert ask(kind, spool, MR, version=spool.version).spool.occupation is None


@pytest.mark.parametrize("kind", ENDINGS)
def test_the_holder_of_a_retired_spool_may_still_end(kind: type) -> None:
    assert ask(kind, replace(begun(ARM), retired=True), MR).spool.occupation is None


def test_pausing_keeps_progress_and_name_and_lets_another_go_on() -> None:
    paused = ask(Pausar, begun(ARM), MR).spool
    assert (paused.arm, paused.armador, paused.fecha_armado) == (Estado.PAUSADO, "MR(93)", None)
    assert ask(Tomar, paused, LP).spool.armador == "LP(7)"


def test_completing_dates_the_operation_with_today_in_the_shop() -> None:
    spool = ask(Completar, begun(ARM), MR).spool
    assert (spool.arm, spool.fecha_armado, spool.armador) == (Estado.COMPLETADO, HOY, "MR(93)")
    spool = ask(Completar, begun(SOLD), MR, SOLD).spool
    assert (spool.sold, spool.fecha_soldadura, spool.soldador) == (Estado.COMPLETADO, HOY, "MR(93)")


def test_completing_late_in_the_evening_is_still_today_in_the_shop() -> None:
    half_past_ten = datetime(2026, 11, 17, 1, 30, tzinfo=UTC)
    assert ask(Completar, begun(ARM), MR, now=half_past_ten).spool.fecha_armado == HOY


def test_completing_on_a_day_the_worker_names_dates_it_that_day() -> None:
    change = ask(Completar, begun(ARM), MR, fecha=date(2026, 11, 14))
    assert change.spool.fecha_armado == date(2026, 11, 14)
    assert change.events[0].fecha_operacion == date(2026, 11, 14)


def test_completing_arm_alone_does_not_send_the_spool_to_inspection() -> None:
    change = ask(Completar, begun(ARM), MR)
    assert change.spool.metrologia is Metrologia.PENDIENTE
    assert len(change.events) == 1


def test_completing_both_sends_the_spool_to_inspection_by_itself() -> None:
    change = ask(Completar, begun(SOLD), MR, SOLD)
    assert change.spool.metrologia is Metrologia.EN_COLA
    assert [event.tipo for event in change.events] == [
        EventoTipo.COMPLETAR_SOLD,
        EventoTipo.METROLOGIA_AUTO_TRIGGERED,
    ]


def test_welding_completed_before_fitting_sends_the_spool_to_inspection_when_fitting_ends() -> None:
    paused = ask(Pausar, begun(ARM), MR).spool
    welded = ask(Completar, ask(Tomar, paused, LP, SOLD).spool, LP, SOLD)
    assert welded.spool.metrologia is Metrologia.PENDIENTE
    change = ask(Completar, ask(Tomar, welded.spool, MR).spool, MR)
    assert change.spool.metrologia is Metrologia.EN_COLA
    assert change.events[-1].tipo is EventoTipo.METROLOGIA_AUTO_TRIGGERED


@pytest.mark.parametrize("kind", [Pausar, Cancelar])
def test_neither_pausing_nor_cancelling_sends_a_spool_to_inspection(kind: type) -> None:
    change = ask(kind, begun(SOLD), MR, SOLD)
    assert change.spool.metrologia is Metrologia.PENDIENTE
    assert len(change.events) == 1


@pytest.mark.parametrize(
    "before",
    [
        a_spool(),
        a_spool(arm=Estado.PAUSADO, armador="LP(7)"),
        a_spool(arm=Estado.PAUSADO, armador="LP(7)", sold=Estado.PAUSADO, soldador="JS(8)"),
    ],
)
def test_cancelling_arm_returns_the_spool_to_what_it_was(before: Spool) -> None:
    assert ask(Cancelar, ask(Tomar, before, MR).spool, MR).spool == before


@pytest.mark.parametrize(
    "before",
    [
        an_armed_spool(),
        an_armed_spool(sold=Estado.PAUSADO, soldador="JS(8)"),
        a_spool(arm=Estado.PAUSADO, armador="LP(7)"),
    ],
)
def test_cancelling_sold_returns_the_spool_to_what_it_was(before: Spool) -> None:
    assert ask(Cancelar, ask(Tomar, before, MR, SOLD).spool, MR, SOLD).spool == before


@pytest.mark.parametrize("reparacion", [Reparacion.PENDIENTE, Reparacion.PAUSADO])
def test_cancelling_a_repair_returns_the_spool_to_what_it_was(reparacion: Reparacion) -> None:
    before = a_rejected_spool(reparacion=reparacion)
    assert ask(Cancelar, ask(Tomar, before, MR, REPARACION).spool, MR, REPARACION).spool == before


def test_a_cancelled_first_fitting_leaves_nothing_to_weld() -> None:
    cancelled = ask(Cancelar, begun(ARM), MR).spool
    assert refusal(Tomar, cancelled, LP, SOLD).code == "DEPENDENCIAS_NO_SATISFECHAS"


def test_cancelling_goes_back_one_occupation_only() -> None:
    paused_by_lp = ask(Pausar, ask(Tomar, a_spool(), LP).spool, LP).spool
    back = ask(Cancelar, ask(Tomar, paused_by_lp, MR).spool, MR).spool
    assert (back.arm, back.armador) == (Estado.PAUSADO, "LP(7)")


def test_a_name_that_a_person_typed_meanwhile_survives_cancelling() -> None:
    typed = replace(begun(ARM), armador="JS(8)")
    assert ask(Cancelar, typed, MR).spool.armador == "JS(8)"


def test_a_completed_repair_sends_the_spool_back_to_the_queue_and_keeps_the_count() -> None:
    spool = ask(Completar, begun(REPARACION), MR, REPARACION).spool
    assert (spool.metrologia, spool.reparacion) == (Metrologia.EN_COLA, Reparacion.COMPLETADO)
    assert spool.ciclo == 1, "only an approval forgets rejections"


def test_a_paused_repair_stays_rejected() -> None:
    spool = ask(Pausar, begun(REPARACION), MR, REPARACION).spool
    assert (spool.metrologia, spool.reparacion) == (Metrologia.RECHAZADO, Reparacion.PAUSADO)


@pytest.mark.parametrize("kind", ENDINGS)
def test_a_repair_leaves_the_dates_of_fitting_and_welding_alone(kind: type) -> None:
    before = begun(REPARACION)
    after = ask(kind, before, MR, REPARACION).spool
    assert (after.fecha_armado, after.fecha_soldadura) == (before.fecha_armado, before.fecha_soldadura)
    assert (after.arm, after.sold) == (Estado.COMPLETADO, Estado.COMPLETADO)


@pytest.mark.parametrize("kind", ENDINGS)
def test_what_was_taken_joint_by_joint_ends_as_a_whole_when_engineering_says_so(kind: type) -> None:
    """`Total_Uniones` was emptied while MR held it: the occupation itself has no version."""
    taken_with_joints = held(a_spool(total_uniones=10), MR)
    assert refusal(kind, taken_with_joints, MR).code == "WRONG_VERSION"
    emptied = replace(taken_with_joints, total_uniones=None)
    assert ask(kind, emptied, MR).spool.occupation is None


def test_what_was_taken_joint_by_joint_and_paused_as_a_whole_can_be_welded() -> None:
    """v4.0 names the finisher, v3.0 the taker: without a name nobody could weld it."""
    emptied = replace(held(a_spool(total_uniones=10), MR), total_uniones=None)
    paused = ask(Pausar, emptied, MR).spool
    assert paused.armador == "MR(93)"
    assert ask(Tomar, paused, LP, SOLD).spool.sold is Estado.EN_PROGRESO


@pytest.mark.parametrize("end", [Pausar, Cancelar])
def test_what_a_person_dated_meanwhile_is_done_when_the_holder_lets_go_and_goes_to_inspection(
    end: type[Pausar] | type[Cancelar],
) -> None:
    soldered = a_finished_spool(arm=Estado.PENDIENTE, fecha_armado=None, armador=None, metrologia=Metrologia.PENDIENTE)
    taken = held(soldered, MR)
    assert taken.occupation is not None
    dated = taken.but(
        fecha_armado=date(2026, 11, 13),
        occupation=taken.occupation._replace(before=Before(Estado.COMPLETADO)),
    )
    change = ask(end, dated, MR, ARM)
    assert change.spool.metrologia is Metrologia.EN_COLA
    assert change.events[-1].tipo is EventoTipo.METROLOGIA_AUTO_TRIGGERED
