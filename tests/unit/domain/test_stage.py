"""The stage of a spool: who works on it or what it waits for, since when, and what a change ended."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from carrete.domain.change import Change, EndedStage
from carrete.domain.events import Event, EventoTipo
from carrete.domain.joints import JointCounts
from carrete.domain.overdue import STAGES_WITH_LIMITS
from carrete.domain.spool import Estado, Metrologia, Operacion, Reparacion, Spool
from carrete.domain.stage import StageParts, in_its_stage, parts, stage_of, with_stage
from tests.support.builders import (
    EARLIER,
    NOW,
    a_blocked_spool,
    a_finished_spool,
    a_rejected_spool,
    a_spool,
    a_worker,
    an_armed_spool,
    held,
)

ARM, SOLD, METROLOGIA, REPARACION = Operacion
MR = a_worker()


@pytest.mark.parametrize(
    ("spool", "stage"),
    [
        (a_spool(), "espera:ARM"),
        (a_spool(fecha_materiales=None), ""),
        (held(a_spool(), MR), "trabajo:ARM"),
        (held(a_spool(retired=True), MR), "trabajo:ARM"),
        (a_spool(arm=Estado.PAUSADO, armador="MR(93)"), "pausa:ARM espera:SOLD"),
        (a_spool(arm=Estado.PAUSADO, sold=Estado.PAUSADO, armador="MR(93)"), "pausa:ARM pausa:SOLD"),
        (a_spool(total_uniones=2, arm=Estado.PAUSADO), "pausa:ARM"),
        (a_spool(total_uniones=2, arm=Estado.PAUSADO, counts=JointCounts(weldable=1)), "pausa:ARM espera:SOLD"),
        (an_armed_spool(), "espera:SOLD"),
        (an_armed_spool(sold=Estado.PAUSADO), "pausa:SOLD"),
        (a_finished_spool(), "espera:METROLOGIA"),
        (a_finished_spool(retired=True), ""),
        (a_finished_spool(metrologia=Metrologia.APROBADO), ""),
        (a_rejected_spool(), "espera:REPARACION"),
        (a_rejected_spool(reparacion=Reparacion.PAUSADO), "pausa:REPARACION"),
        (held(a_rejected_spool(), MR, REPARACION), "trabajo:REPARACION"),
        (a_blocked_spool(), ""),
    ],
)
def test_a_stage_says_who_works_or_what_could_be_begun(spool: Spool, stage: str) -> None:
    assert stage_of(spool) == stage


def test_a_stage_is_read_as_it_was_written() -> None:
    assert parts("pausa:ARM espera:SOLD") == StageParts(None, (ARM, SOLD), (ARM,))
    assert parts("trabajo:REPARACION") == StageParts(REPARACION, (), ())
    assert parts("espera:METROLOGIA") == StageParts(None, (METROLOGIA,), ())
    assert parts("") == StageParts(None, (), ())


def test_every_stage_of_held_paused_and_queued_work_can_have_a_limit() -> None:
    assert set(STAGES_WITH_LIMITS) == {
        *("trabajo:ARM", "trabajo:SOLD", "trabajo:REPARACION", "pausa:REPARACION", "espera:METROLOGIA"),
        *("pausa:ARM", "pausa:ARM espera:SOLD", "pausa:ARM pausa:SOLD", "espera:ARM pausa:SOLD", "pausa:SOLD"),
    }


def change_to(spool: Spool, at: datetime = NOW) -> Change:
    return Change(spool, (Event(EventoTipo.EDICION_EXTERNA, at, "EDITAR"),), "", "")


def staged(spool: Spool, at: datetime = EARLIER) -> Spool:
    return in_its_stage(spool, at)


def test_a_change_of_stage_begins_now_and_says_what_it_ended() -> None:
    waiting = staged(a_spool())
    took = with_stage(change_to(held(waiting, MR, since=NOW)))
    assert (took.spool.stage, took.spool.stage_since, took.spool.begun_at) == ("trabajo:ARM", NOW, NOW)
    assert took.ended == EndedStage("espera:ARM", int((NOW - EARLIER).total_seconds()))


def test_a_change_that_leaves_the_stage_as_it_is_ends_nothing() -> None:
    waiting = staged(a_spool())
    edited = with_stage(change_to(waiting.but(ot="OT-2")))
    assert (edited.spool.stage_since, edited.ended) == (EARLIER, None)


def test_looking_at_a_change_twice_gives_the_same() -> None:
    once = with_stage(change_to(held(staged(a_spool()), MR, since=NOW)))
    assert with_stage(once) == once
    assert with_stage(once).ended == once.ended


def test_a_typed_start_of_the_occupation_moves_it_and_ends_nothing() -> None:
    holding = staged(held(a_spool(), MR, since=EARLIER))
    typed = with_stage(change_to(held(holding, MR, since=EARLIER - timedelta(hours=2))))
    assert (typed.spool.stage_since, typed.ended) == (EARLIER - timedelta(hours=2), None)


def test_another_holder_from_now_on_begins_a_session_of_their_own() -> None:
    holding = staged(held(a_spool(), MR, since=EARLIER))
    handed = with_stage(change_to(held(holding, a_worker(7, "Luis", "Pérez"), since=NOW)))
    assert (handed.spool.stage, handed.spool.stage_since) == ("trabajo:ARM", NOW)
    assert handed.ended == EndedStage("trabajo:ARM", int((NOW - EARLIER).total_seconds()))


def test_a_step_of_a_chain_follows_the_step_before_it_and_not_what_was_read() -> None:
    waiting = staged(a_spool())
    took = with_stage(change_to(held(waiting, MR, since=NOW)), waiting)
    paused = waiting.but(arm=Estado.PAUSADO, armador="MR(93)")  # the chain decided it on a copy that has no stage yet
    ended = with_stage(change_to(paused), took.spool).ended
    assert ended == EndedStage("trabajo:ARM", 0)


def test_a_first_take_that_is_cancelled_leaves_nothing_begun() -> None:
    took = staged(held(a_spool(), MR, since=EARLIER))
    assert took.begun_at == EARLIER
    assert staged(a_spool().but(stage=took.stage, stage_since=EARLIER, begun_at=EARLIER), NOW).begun_at is None


def test_an_approved_spool_keeps_when_it_was_begun() -> None:
    approved = a_finished_spool(metrologia=Metrologia.APROBADO, begun_at=EARLIER)
    assert staged(approved, NOW).begun_at == EARLIER


def test_a_start_in_the_future_lasts_no_time() -> None:
    holding = staged(held(a_spool(), MR, since=NOW + timedelta(hours=1)))
    freed = with_stage(change_to(a_spool().but(stage=holding.stage, stage_since=holding.stage_since)))
    assert freed.ended == EndedStage("trabajo:ARM", 0)
