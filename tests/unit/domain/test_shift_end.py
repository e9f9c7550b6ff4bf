"""The end of a shift: who is asked about which spool and when, and what "Sigo yo" writes."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from carrete.domain.commands import Seguir
from carrete.domain.decide import Case, decide
from carrete.domain.events import EventoTipo
from carrete.domain.refusals import Refusal
from carrete.domain.shift_end import asked_from, concerns, next_question, shift_in_question
from carrete.domain.shifts import Shift
from carrete.domain.shop import Shop
from carrete.domain.shop_time import from_wall
from carrete.domain.spool import Metrologia, Operacion, Spool
from carrete.domain.workers import Worker
from tests.support.builders import NOW, SHOP, TAG, a_rejected_spool, a_spool, a_worker, held

ARM = Operacion.ARM
MR = a_worker()
LP = a_worker(7, "Luis", "Pérez")
EVERY_DAY = (1, 2, 3, 4, 5, 6, 7)
MORNING, NIGHT = Shift("Mañana", EVERY_DAY, "07:00", "15:30"), Shift("Noche", EVERY_DAY, "23:00", "07:00")
SATURDAY = Shift("Sábado", (6,), "08:00", "13:00")


def at(text: str) -> datetime:
    """By the shop's clock; Monday is 16 November 2026."""
    return from_wall(datetime.fromisoformat(text), SHOP.zone)


def shift_asked_about(moment: str, *shifts: Shift) -> tuple[str, str] | None:
    ending = shift_in_question(shifts, at(moment), SHOP.zone)
    return (ending.shift.name, ending.ends.astimezone(SHOP.zone).isoformat()[:16]) if ending else None


@pytest.mark.parametrize(
    ("moment", "name", "ends"),
    [
        ("2026-11-16T15:14:59", "Noche", "2026-11-16T07:00"),
        ("2026-11-16T15:15:00", "Mañana", "2026-11-16T15:30"),
        ("2026-11-16T15:30:00", "Mañana", "2026-11-16T15:30"),
        ("2026-11-17T06:44:59", "Mañana", "2026-11-16T15:30"),
        ("2026-11-17T06:45:00", "Noche", "2026-11-17T07:00"),
    ],
)
def test_people_are_asked_from_fifteen_minutes_before_an_end_until_the_next(moment: str, name: str, ends: str) -> None:
    assert shift_asked_about(moment, MORNING, NIGHT) == (name, ends)


def test_a_shift_of_once_a_week_is_still_asked_about_six_days_later() -> None:
    assert shift_asked_about("2026-11-20T23:00:00", SATURDAY) == ("Sábado", "2026-11-14T13:00")


def test_a_shop_without_shifts_never_asks() -> None:
    assert shift_asked_about("2026-11-16T15:15:00") is None
    assert next_question((), NOW, SHOP.zone) is None


def test_the_next_question_comes_fifteen_minutes_before_the_next_end() -> None:
    both = (MORNING, NIGHT)
    assert next_question(both, at("2026-11-16T15:14:59"), SHOP.zone) == at("2026-11-16T15:15:00")
    assert next_question(both, at("2026-11-16T15:15:00"), SHOP.zone) == at("2026-11-17T06:45:00")


@pytest.mark.parametrize("shifts", [(MORNING, NIGHT), (SATURDAY,), (MORNING, NIGHT, SATURDAY)])
def test_at_every_minute_of_a_week_with_a_change_of_hour_the_two_questions_are_neighbours(
    shifts: tuple[Shift, ...],
) -> None:
    """On 6 September 2026 the clocks of Santiago go forward."""
    before = None
    for minute in range(0, 9 * 24 * 60, 7):
        now = at("2026-09-02T00:00:00") + timedelta(minutes=minute)
        ending, coming = shift_in_question(shifts, now, SHOP.zone), next_question(shifts, now, SHOP.zone)
        assert ending is not None
        assert coming is not None
        assert asked_from(ending) <= now < coming
        if before is not None and before <= now:
            assert asked_from(ending) >= before
        before = coming


@pytest.mark.parametrize(
    ("taken", "expected"),
    [("2026-11-16T08:00:00", True), ("2026-11-16T15:14:59", True), ("2026-11-16T15:15:00", False)],
)
def test_a_spool_taken_after_the_question_began_belongs_to_the_next_shift(taken: str, expected: bool) -> None:
    ending = shift_in_question((MORNING,), at("2026-11-16T15:40:00"), SHOP.zone)
    occupation = held(a_spool(), MR, since=at(taken)).occupation
    assert ending is not None
    assert occupation is not None
    assert concerns(ending, occupation) is expected


def keep_on(spool: Spool | None, worker: Worker = MR, *, shop: Shop = SHOP, version: str | None = None) -> object:
    now = at("2026-11-16T15:20:00")
    case = Case(spool, worker, now, shop, lock="")
    try:
        return decide(Seguir(TAG, worker.id, ARM, version=version), case)
    except Refusal as refusal:
        return refusal.code


@pytest.mark.parametrize("spool", [a_spool(), a_spool(total_uniones=3), a_spool(retired=True)])
def test_sigo_yo_writes_one_event_and_changes_nothing_else_in_both_workflows(spool: Spool) -> None:
    mine = held(spool, MR, since=at("2026-11-16T08:00:00"))
    change = keep_on(mine, shop=replace(SHOP, shifts=(MORNING, NIGHT)))
    assert change.spool == mine  # type: ignore[attr-defined]
    (event,) = change.events  # type: ignore[attr-defined]
    assert (event.tipo, event.accion, event.worker, event.operacion) == (
        EventoTipo.SIGUE_TURNO,
        "SEGUIR",
        "MR(93)",
        ARM,
    )
    assert event.metadata == {"turno": "Mañana", "hasta": "2026-11-16T15:30:00-03:00"}
    assert change.message == f"MR(93) sigue con el spool {TAG} para ARM."  # type: ignore[attr-defined]


def test_sigo_yo_that_nobody_asked_for_names_no_shift() -> None:
    mine = held(a_spool(), MR, since=at("2026-11-16T15:16:00"))
    for shifts in ((), (MORNING,)):
        change = keep_on(mine, shop=replace(SHOP, shifts=shifts))
        assert change.events[0].metadata == {}  # type: ignore[attr-defined]


def test_only_the_holder_says_sigo_yo_and_only_for_the_operation_held() -> None:
    mine = held(a_spool(), MR)
    assert keep_on(held(a_spool(), LP)) == "NO_AUTORIZADO"
    assert keep_on(a_spool()) == "OPERACION_NO_INICIADA"
    assert keep_on(held(a_rejected_spool(), MR, Operacion.REPARACION)) == "OPERACION_NO_INICIADA"
    assert keep_on(mine, version="an older token") == "VERSION_CONFLICT"
    assert keep_on(mine, replace(MR, activo=False)) == "WORKER_INACTIVO"
    assert keep_on(mine, replace(MR, roles=frozenset())) == "ROL_NO_AUTORIZADO"
    assert keep_on(replace(mine, metrologia=Metrologia.BLOQUEADO)) == "SPOOL_BLOQUEADO"
    assert keep_on(None) == "SPOOL_NO_ENCONTRADO"
