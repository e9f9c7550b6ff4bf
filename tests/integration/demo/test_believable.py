"""What a visitor of the demo shop finds: every stage, both workflows, people, and a trail that adds up."""

from __future__ import annotations

import re
from collections import Counter
from datetime import timedelta
from decimal import Decimal
from itertools import pairwise
from uuid import UUID

import pytest

from carrete.demo.spools import JOINTS_MAX, JOINTS_MIN, SHOWN_TAG
from carrete.domain.decide import takeable
from carrete.domain.estado_detalle import BLOQUEADO, PENDIENTE_METROLOGIA, render
from carrete.domain.events import Event, EventoTipo
from carrete.domain.joints import inches
from carrete.domain.progress import inconsistencies, recompute_progress
from carrete.domain.reports.history import EN_PROGRESO, SessionEvent, sessions
from carrete.domain.shop_time import lock_time, today
from carrete.domain.spool import Operacion, Spool
from carrete.domain.version import Workflow, workflow
from carrete.domain.workers import Rol
from carrete.ledger.rows import StoredEvent
from tests.integration.demo.conftest import Seen
from tests.support.builders import NOW, SHOP

TAKES = {EventoTipo.TOMAR_SPOOL, EventoTipo.INICIAR_SPOOL, EventoTipo.TOMAR_REPARACION}
ENDS = {
    EventoTipo.PAUSAR_SPOOL,
    EventoTipo.COMPLETAR_ARM,
    EventoTipo.COMPLETAR_SOLD,
    EventoTipo.CANCELAR_ARM,
    EventoTipo.CANCELAR_SOLD,
    EventoTipo.SPOOL_ARM_PAUSADO,
    EventoTipo.SPOOL_SOLD_PAUSADO,
    EventoTipo.SPOOL_ARM_COMPLETADO,
    EventoTipo.SPOOL_SOLD_COMPLETADO,
    EventoTipo.SPOOL_CANCELADO,
    EventoTipo.PAUSAR_REPARACION,
    EventoTipo.COMPLETAR_REPARACION,
    EventoTipo.CANCELAR_REPARACION,
}


# ─── people ───────────────────────────────────────────────────────────────────────────────────────────────


def test_forty_people_work_there_and_a_few_have_left(shop_floor: Seen) -> None:
    people = shop_floor.workers.values()
    assert len(people) == 40
    assert sum(not worker.activo for worker in people) == 2
    assert len({(worker.nombre, worker.apellido) for worker in people}) == 40


def test_every_role_is_there_and_some_have_two(shop_floor: Seen) -> None:
    people = shop_floor.workers.values()
    counts = Counter(rol for worker in people for rol in worker.roles)
    assert set(counts) == set(Rol) - {Rol.NDT, Rol.ADMINISTRADOR}
    assert counts[Rol.SUPERVISOR] == 2
    assert sum(len(worker.roles) == 2 for worker in people) >= 2


def test_the_people_of_the_documentation_are_there(shop_floor: Seen) -> None:
    mauricio, juan = shop_floor.workers[93], shop_floor.workers[94]
    assert (mauricio.label, mauricio.roles) == ("MR(93)", frozenset({Rol.ARMADOR}))
    assert (juan.label, juan.roles) == ("JP(94)", frozenset({Rol.SOLDADOR, Rol.ARMADOR}))


# ─── spools ───────────────────────────────────────────────────────────────────────────────────────────────


def test_there_are_about_two_hundred_spools_of_both_workflows(shop_floor: Seen) -> None:
    counts = Counter(workflow(spool) for spool in shop_floor.spools.values())
    assert 190 <= counts.total() <= 210
    assert 0.35 <= counts[Workflow.V3] / counts.total() <= 0.45


def test_tags_look_like_the_shops_and_belong_to_several_orders(shop_floor: Seen) -> None:
    assert all(re.fullmatch(r"MK-\d{4}-[A-Z]{2}-\d{5}-\d{3}", tag) for tag in shop_floor.spools)
    assert len({spool.ot for spool in shop_floor.spools.values()}) >= 5
    assert len({spool.nv for spool in shop_floor.spools.values()}) >= 3


def test_the_spool_of_the_documentation_is_free_for_arm(shop_floor: Seen) -> None:
    spool = shop_floor.spools[SHOWN_TAG]
    assert workflow(spool) is Workflow.V3
    assert takeable(spool) == [Operacion.ARM]
    assert render(spool) == "Disponible - ARM pendiente, SOLD pendiente"


def test_joint_by_joint_spools_have_four_to_twenty_joints_of_every_type(shop_floor: Seen) -> None:
    counts = Counter(joint.tag for joint in shop_floor.joints)
    assert all(JOINTS_MIN <= n <= JOINTS_MAX for n in counts.values())
    assert {joint.tipo for joint in shop_floor.joints} == {"BW", "SO", "BR", "FILL", "LET", "FW"}
    assert all(500 <= (joint.dn_milli or 0) <= 24000 for joint in shop_floor.joints)


FORMS = [
    r"\S+\(\d+\) trabajando ARM \(ARM en progreso, SOLD pendiente\)",
    r"\S+\(\d+\) trabajando SOLD \(ARM completado, SOLD en progreso\)",
    r"\S+\(\d+\) trabajando SOLD \(ARM pausado, SOLD en progreso\)",
    r"Disponible - ARM pendiente, SOLD pendiente",
    r"Disponible - ARM pausado, SOLD pendiente",
    r"Disponible - ARM pausado, SOLD pausado",
    r"Disponible - ARM completado, SOLD pendiente",
    r"Disponible - ARM completado, SOLD pausado",
    r"En Cola Metrología",
    r"METROLOGIA_APROBADO ✓",
    r"RECHAZADO \(Ciclo 1/3\) - Pendiente reparación",
    r"RECHAZADO \(Ciclo 2/3\) - Pendiente reparación",
    r"EN_REPARACION \(Ciclo [12]/3\) - Ocupado: \S+\(\d+\)",
    r"REPARACION_PAUSADA \(Ciclo 1/3\)",
    re.escape(PENDIENTE_METROLOGIA),
    re.escape(BLOQUEADO),
]


@pytest.mark.parametrize("flow", list(Workflow))
@pytest.mark.parametrize("form", FORMS)
def test_every_stage_can_be_seen_in_both_workflows(shop_floor: Seen, form: str, flow: Workflow) -> None:
    of_this_flow = [spool for spool in shop_floor.spools.values() if workflow(spool) is flow]
    assert any(re.fullmatch(form, render(spool)) for spool in of_this_flow)


def test_no_spool_is_in_a_stage_that_nobody_named(shop_floor: Seen) -> None:
    for spool in shop_floor.spools.values():
        assert any(re.fullmatch(form, render(spool)) for form in FORMS)


def test_some_spools_still_wait_for_their_materials(shop_floor: Seen) -> None:
    waiting = [spool for spool in shop_floor.spools.values() if spool.fecha_materiales is None]
    assert len(waiting) >= 5
    assert not any(takeable(spool) or shop_floor.events_of(spool.tag) for spool in waiting)


# ─── who has which spool right now ────────────────────────────────────────────────────────────────────────


def occupied(shop_floor: Seen) -> list[Spool]:
    return [spool for spool in shop_floor.spools.values() if spool.occupation is not None]


def test_about_eighteen_spools_are_held_for_minutes_to_a_day(shop_floor: Seen) -> None:
    ages = sorted(NOW - spool.occupation.since for spool in occupied(shop_floor) if spool.occupation)
    assert 16 <= len(ages) <= 20
    assert ages[0] < timedelta(minutes=10)
    assert timedelta(hours=20) < ages[-1] < timedelta(hours=24)
    assert sum(age > timedelta(hours=20) for age in ages) == 1


def test_spools_are_held_for_every_operation_by_people_who_may(shop_floor: Seen) -> None:
    held = [spool.occupation for spool in occupied(shop_floor) if spool.occupation]
    assert {o.operacion for o in held} == {Operacion.ARM, Operacion.SOLD, Operacion.REPARACION}
    for occupation in held:
        worker = shop_floor.workers[occupation.worker_id]
        assert worker.activo
        assert worker.may(occupation.operacion)
        assert worker.label == occupation.label


def test_each_occupation_has_its_lock_in_the_form_everybody_knows(shop_floor: Seen) -> None:
    held = [spool.occupation for spool in occupied(shop_floor) if spool.occupation]
    for occupation in held:
        worker_id, uuid, since = occupation.lock.split(":", 2)
        assert int(worker_id) == occupation.worker_id
        assert (UUID(uuid).version, str(UUID(uuid))) == (4, uuid)
        assert since == lock_time(occupation.since, SHOP.zone)
    assert len({occupation.lock for occupation in held}) == len(held)


# ─── state and joints agree ───────────────────────────────────────────────────────────────────────────────


def test_working_progress_out_anew_changes_nothing(shop_floor: Seen) -> None:
    for tag, spool in shop_floor.spools.items():
        assert recompute_progress(spool, shop_floor.joints_of(tag), SHOP) == spool
        assert inconsistencies(spool) == []


def test_the_inches_of_a_spool_are_those_of_its_joints_and_of_its_trail(shop_floor: Seen) -> None:
    for tag, spool in shop_floor.spools.items():
        joints = shop_floor.joints_of(tag)
        armed = sum(joint.dn_milli or 0 for joint in joints if joint.armed)
        welded = sum(joint.dn_milli or 0 for joint in joints if joint.welded)
        assert (spool.counts.milli_armed, spool.counts.milli_welded) == (armed, welded)
        events = [stored.event for stored in shop_floor.events_of(tag)]
        assert pulgadas(events, "ARM") == pytest.approx(inches(armed))
        assert pulgadas(events, "SOLD") == pytest.approx(inches(welded))


def pulgadas(events: list[Event], operacion: str) -> float:
    """Recorded twice, by joint and by session: both must agree."""
    joints = sum(e.metadata["dn_union"] for e in events if e.tipo == f"UNION_{operacion}_REGISTRADA")
    sessions = sum(e.metadata["pulgadas"] for e in events if e.tipo.startswith(f"SPOOL_{operacion}_"))
    assert joints == pytest.approx(sessions)
    return float(joints)


def test_each_joint_done_has_one_event_with_its_worker_and_time(shop_floor: Seen) -> None:
    from_events = {
        (stored.tag, stored.event.n_union, stored.event.operacion, stored.event.at, stored.event.worker)
        for stored in shop_floor.events
        if stored.event.n_union is not None
    }
    arm = {(j.tag, j.n_union, "ARM", j.arm_fin, j.arm_worker) for j in shop_floor.joints if j.armed}
    sold = {(j.tag, j.n_union, "SOLD", j.sol_fin, j.sol_worker) for j in shop_floor.joints if j.welded}
    assert from_events == arm | sold


def test_a_joint_is_welded_after_it_was_armed_and_never_when_arm_only(shop_floor: Seen) -> None:
    for joint in shop_floor.joints:
        if joint.sol_inicio is not None:
            assert joint.arm_fin is not None
            assert joint.arm_fin < joint.sol_inicio
            assert SHOP.needs_welding(joint.tipo)


# ─── the trail ────────────────────────────────────────────────────────────────────────────────────────────


def test_the_trail_is_in_the_order_of_time_and_ends_before_now(shop_floor: Seen) -> None:
    trail = [(stored.seq, stored.event.at) for stored in shop_floor.events]
    for (seq, at), (next_seq, next_at) in pairwise(trail):
        assert seq < next_seq
        assert at <= next_at
    assert trail[-1][1] <= NOW


def test_ids_and_tokens_are_uuid4_and_never_repeat(shop_floor: Seen) -> None:
    ids = [stored.id for stored in shop_floor.events]
    tokens = [spool.version for spool in shop_floor.spools.values()]
    tokens += [joint.version for joint in shop_floor.joints]
    assert len(set(ids + tokens)) == len(ids + tokens)
    assert all(str(UUID(text)) == text and UUID(text).version == 4 for text in ids + tokens)


def test_the_last_event_of_a_spool_tells_how_it_is_now(shop_floor: Seen) -> None:
    for stored in {stored.tag: stored for stored in shop_floor.events}.values():
        spool = shop_floor.spools[stored.tag]
        assert stored.estado_detalle == render(spool)
        assert stored.version == spool.version
        assert stored.ocupado_por == (spool.occupation.label if spool.occupation else None)
        assert stored.workflow == workflow(spool)


def test_a_spool_never_has_two_holders_and_only_its_holder_ends(shop_floor: Seen) -> None:
    for tag, spool in shop_floor.spools.items():
        holder: tuple[int | None, str | None] | None = None
        for stored in shop_floor.events_of(tag):
            event = stored.event
            if event.tipo in TAKES:
                assert holder is None
                holder = (event.worker_id, event.operacion)
            elif event.tipo in ENDS:
                assert holder == (event.worker_id, event.operacion)
                holder = None
        held = spool.occupation
        assert holder == ((held.worker_id, held.operacion) if held else None)


def test_only_active_and_qualified_people_worked(shop_floor: Seen) -> None:
    for stored in shop_floor.events:
        event = stored.event
        if event.worker_id is not None and event.operacion is not None:
            worker = shop_floor.workers[event.worker_id]
            assert worker.activo
            assert worker.may(Operacion(event.operacion))


def test_materials_were_there_before_the_first_work(shop_floor: Seen) -> None:
    first: dict[str, StoredEvent] = {}
    for stored in shop_floor.events:
        first.setdefault(stored.tag, stored)
    for tag, stored in first.items():
        materials = shop_floor.spools[tag].fecha_materiales
        assert materials is not None
        assert materials < today(stored.event.at, SHOP.zone)


def test_something_was_finished_today(shop_floor: Seen) -> None:
    dia = today(NOW, SHOP.zone)
    ended = [s for s in shop_floor.events if s.event.tipo in ENDS and today(s.event.at, SHOP.zone) == dia]
    assert ended


def test_each_session_ended_in_a_known_way_with_the_inches_of_its_joints(shop_floor: Seen) -> None:
    known = {"PAUSADO", "COMPLETADO", "CANCELADO", EN_PROGRESO}
    for tag in shop_floor.spools:
        events = [(stored.event, stored.ocupado_por) for stored in shop_floor.events_of(tag)]
        work = sessions(SessionEvent(e.tipo, e.at, e.operacion, e.metadata, holder) for e, holder in events)
        assert {session.resultado for session in work} <= known
        done = sum(Decimal(str(event.metadata.get("dn_union") or 0)) for event, _ in events)
        assert sum((session.pulgadas for session in work), Decimal(0)) == done
