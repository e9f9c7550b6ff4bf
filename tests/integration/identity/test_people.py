"""What administrators, supervisors and tokens may do with people."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from carrete.domain.authorship import Proof
from carrete.domain.refusals import NotValid, WorkerInactive, WorkerUnknown
from carrete.domain.workers import Rol, Worker
from carrete.identity import access_events, devices, people, privileges, sessions, throttle
from carrete.identity.access_events import AccessFilter, AccessKind
from carrete.identity.people import ChangeAuthor, Person
from carrete.identity.records import DeviceKind
from carrete.identity.refusals import LastAdministrator, NotPermitted
from carrete.ledger.database import Database, Tx
from tests.support.builders import a_worker, put
from tests.support.people import CREW, IN, JS, LP, MI, MR, SV

NOW = datetime.now(UTC).replace(microsecond=0)
AD = a_worker(1, "Ada", "Díaz", roles=(Rol.ADMINISTRADOR,))
AE = a_worker(2, "Aldo", "Erazo", roles=(Rol.ADMINISTRADOR, Rol.SUPERVISOR))
BY_AD = ChangeAuthor(NOW, AD.id, "10.0.0.5")
BY_TOKEN = ChangeAuthor(NOW, floor_only=True)
BY_SUPERVISOR = ChangeAuthor(NOW, SV.id, "10.0.0.6", floor_only=True)


@pytest.fixture(autouse=True)
def shop(database: Database) -> None:
    put(database, workers=(*CREW, AD))


def person(tx: Tx, id_: int) -> Person:
    return next(each for each in people.people(tx) if each.worker.id == id_)


def signed_in(tx: Tx, worker: Worker) -> str:
    device = devices.enrol(tx, secret_hash=f"h{worker.id}", name="T", kind=DeviceKind.TABLET, by_id=None, at=NOW)
    return sessions.begin(tx, device_id=device.id, worker_id=worker.id, proof=Proof.PIN, now=NOW)[0].id


def test_the_list_has_everybody_with_roles_pin_badge_and_locks(database: Database) -> None:
    with database.writing() as tx:
        people.give_pin(tx, MR.id, "hash", BY_AD)
        people.set_badge(tx, MR.id, " 00417 ", BY_AD)
        device = devices.enrol(tx, secret_hash="x", name="Patio", kind=DeviceKind.TABLET, by_id=None, at=NOW)
        tx.run("pin_lock_insert", who=throttle.who_is(LP.id), device_id=device.id, at="2026-11-16T10:00:00+00:00")
        tx.run("pin_lock_insert", who=throttle.who_is(LP.id), device_id="", at="2026-11-16T11:00:00+00:00")
        tx.run("pin_lock_insert", who="b:feed", device_id="", at="2026-11-16T11:00:00+00:00")
        mr, lp, left = person(tx, MR.id), person(tx, LP.id), person(tx, IN.id)
    assert (mr.worker.roles, mr.has_pin, mr.badge, mr.locks) == (MR.roles, True, "00417", ())
    assert (lp.has_pin, lp.badge) == (False, None)
    assert [lock.device for lock in lp.locks] == ["Patio", None]
    assert not left.worker.activo


def test_a_person_is_added_with_roles_that_act_at_once(database: Database) -> None:
    with database.writing() as tx:
        added = people.add(tx, 300, " Rosa ", "Luna", [Rol.SUPERVISOR, Rol.ARMADOR], BY_AD)
        assert (added.nombre, added.roles) == ("Rosa", frozenset({Rol.SUPERVISOR, Rol.ARMADOR}))
        (event,) = access_events.page(tx).events
        assert (event.kind, event.worker_id, event.by_id) == (AccessKind.ROL_CAMBIADO, 300, AD.id)
        with pytest.raises(NotValid, match="ya existe"):
            people.add(tx, 300, "Otra", "Luna", [], BY_AD)
        for names in (("", "Luna"), ("Rosa", ""), ("x" * 101, "Luna"), ("R\x00", "Luna")):
            with pytest.raises(NotValid):
                people.add(tx, 301, *names, [], BY_AD)


def test_roles_are_given_and_taken(database: Database) -> None:
    with database.writing() as tx:
        assert people.set_roles(tx, MR.id, [Rol.NDT, Rol.ARMADOR], BY_AD).roles == {Rol.NDT, Rol.ARMADOR}
        (event,) = access_events.page(tx).events
        assert event.detail == "Armador, Soldador → Armador, NDT"
        assert people.set_roles(tx, MR.id, [], BY_AD).roles == frozenset()


def test_a_deactivated_person_has_no_session_and_no_pin_any_more(database: Database) -> None:
    with database.writing() as tx:
        signed_in(tx, MR)
        tx.run("pin_put", worker_id=MR.id, hash="hash", at="2026")
        assert not people.deactivate(tx, MR.id, BY_AD).activo
        assert tx.all("sessions_open_of_worker", worker_id=MR.id) == []
        assert people.activate(tx, MR.id, BY_AD).activo
        assert not person(tx, MR.id).has_pin, "whoever comes back gets a new one"
        details = [event.detail for event in access_events.page(tx, AccessFilter(worker_id=MR.id)).events]
    assert details == ["activado", "desactivado", "persona desactivada", "pin"]


REMOVALS: list[Callable[[Tx, int], object]] = [
    lambda tx, id_: people.deactivate(tx, id_, BY_AD),
    lambda tx, id_: people.set_roles(tx, id_, [Rol.SUPERVISOR], BY_AD),
]


@pytest.mark.parametrize("remove", REMOVALS, ids=["deactivate", "roles"])
def test_the_last_administrator_cannot_be_removed(database: Database, remove: Callable[[Tx, int], object]) -> None:
    with database.writing() as tx, pytest.raises(LastAdministrator, match=r"AD\(1\)"):
        remove(tx, AD.id)
    put(database, workers=[AE])
    with database.writing() as tx:
        remove(tx, AD.id)
        with pytest.raises(LastAdministrator):
            remove(tx, AE.id)


@pytest.mark.parametrize("remove", REMOVALS, ids=["deactivate", "roles"])
def test_an_administrator_who_is_inactive_or_waits_for_confirmation_does_not_count(
    database: Database, remove: Callable[[Tx, int], object]
) -> None:
    put(database, workers=[a_worker(3, "Inés", "Vera", roles=(Rol.ADMINISTRADOR,), activo=False)])
    with database.writing() as tx:
        tx.run("role_ask", worker_id=SV.id, rol="Administrador", activo=1)
        with pytest.raises(LastAdministrator):
            remove(tx, AD.id)


def test_somebody_who_is_no_administrator_can_be_removed_when_there_is_one(database: Database) -> None:
    with database.writing() as tx:
        people.deactivate(tx, SV.id, BY_AD)
        people.set_roles(tx, MI.id, [], BY_AD)


def test_a_new_pin_ends_sessions_and_locks(database: Database) -> None:
    with database.writing() as tx:
        signed_in(tx, MR)
        who = throttle.who_is(MR.id)
        tx.run("pin_lock_insert", who=who, device_id="", at="2026-11-16T11:00:00+00:00")
        tx.run("pin_failure_insert", who=who, device_id="d", at="2026-11-16T11:00:00+00:00")
        people.give_pin(tx, MR.id, "first", BY_AD)
        people.give_pin(tx, MR.id, "second", BY_AD)
        assert tx.all("sessions_open_of_worker", worker_id=MR.id) == []
        assert tx.one("pin_locks_of", who=who, device_id="d") is None
        assert tx.one("pin_failures_of", who=who, device_id="d") == (0, None)
        row = tx.one("person_signing_in", id=MR.id)
        assert row is not None
        assert row[-1] == "second"
        events = access_events.page(tx, AccessFilter(kind=AccessKind.PIN_NUEVO)).events
    assert [(event.worker_id, event.by_id) for event in events] == [(MR.id, AD.id)] * 2


def test_nobody_who_left_gets_a_pin(database: Database) -> None:
    with database.writing() as tx:
        with pytest.raises(WorkerInactive):
            people.give_pin(tx, IN.id, "hash", BY_AD)
        with pytest.raises(WorkerUnknown):
            people.give_pin(tx, 404, "hash", BY_AD)


def test_a_supervisor_resets_and_unlocks_pins_but_not_those_of_people_with_privileges(database: Database) -> None:
    with database.writing() as tx:
        tx.run("role_ask", worker_id=JS.id, rol="Administrador", activo=1)
        for worker in (MR, LP):
            people.require_may_reset_pin(tx, worker.id, BY_SUPERVISOR)
            people.unlock_pin(tx, worker.id, BY_SUPERVISOR)
        for protected in (AD, SV, MI, JS):
            with pytest.raises(NotPermitted):
                people.require_may_reset_pin(tx, protected.id, BY_SUPERVISOR)
            with pytest.raises(NotPermitted):
                people.unlock_pin(tx, protected.id, BY_SUPERVISOR)
            people.require_may_reset_pin(tx, protected.id, BY_AD)
            people.unlock_pin(tx, protected.id, BY_AD)
        with pytest.raises(WorkerUnknown):
            people.require_may_reset_pin(tx, 404, BY_AD)


def test_unlocking_forgets_failures_and_locks_on_every_device(database: Database) -> None:
    with database.writing() as tx:
        who = throttle.who_is(LP.id)
        tx.run("pin_lock_insert", who=who, device_id="d1", at="2026-11-16T11:00:00+00:00")
        tx.run("pin_failure_insert", who=who, device_id="d2", at="2026-11-16T11:00:00+00:00")
        people.unlock_pin(tx, LP.id, BY_AD)
        assert person(tx, LP.id).locks == ()
        assert tx.one("pin_failures_of", who=who, device_id="d2") == (0, None)


def test_a_badge_is_one_persons(database: Database) -> None:
    with database.writing() as tx:
        people.set_badge(tx, MR.id, "00417", BY_AD)
        people.set_badge(tx, MR.id, "00418", BY_AD)
        people.set_badge(tx, LP.id, "00417", BY_AD)
    with database.writing() as tx, pytest.raises(NotValid, match="93"):
        people.set_badge(tx, LP.id, "00418", BY_AD)
    with database.writing() as tx:
        assert person(tx, LP.id).badge == "00417", "a refused badge leaves the one before"
        people.set_badge(tx, MR.id, None, BY_AD)
        assert person(tx, MR.id).badge is None
        for wrong in ("", "  ", "a\nb", "x" * 65):
            with pytest.raises(NotValid):
                people.set_badge(tx, MR.id, wrong, BY_AD)


def test_a_token_manages_only_people_without_privileges(database: Database) -> None:
    with database.writing() as tx:
        people.add(tx, 300, "Rosa", "Luna", [Rol.ARMADOR], BY_TOKEN)
        people.deactivate(tx, 300, BY_TOKEN)
        with pytest.raises(NotPermitted):
            people.add(tx, 301, "Rosa", "Luna", [Rol.ARMADOR, Rol.METROLOGIA], BY_TOKEN)
        for worker in (SV, MI, AD):
            with pytest.raises(NotPermitted):
                people.deactivate(tx, worker.id, BY_TOKEN)
        tx.run("role_ask", worker_id=LP.id, rol="Supervisor", activo=1)
        with pytest.raises(NotPermitted):
            people.deactivate(tx, LP.id, BY_TOKEN)


def test_cards_are_for_active_people_and_at_first_for_those_without_a_pin(database: Database) -> None:
    with database.writing() as tx:
        people.give_pin(tx, MR.id, "hash", BY_AD)
        missing = {each.worker.id for each in people.people_for_cards(tx, everybody=False)}
        everybody = {each.worker.id for each in people.people_for_cards(tx, everybody=True)}
    active = {worker.id for worker in (*CREW, AD)} - {IN.id}
    assert (missing, everybody) == (active - {MR.id}, active)


def test_what_waits_is_confirmed_or_refused(database: Database) -> None:
    with database.writing() as tx:
        tx.run("role_ask", worker_id=MR.id, rol="Supervisor", activo=1)
        tx.run("worker_change_ask", worker_id=SV.id, nombre="Sergia", apellido="Vidal", activo=1, at="2026")
        assert person(tx, MR.id).pending_roles == (Rol.SUPERVISOR,)
        assert person(tx, MR.id).worker.roles == MR.roles
        assert [each.worker_id for each in privileges.pending(tx)] == [SV.id, MR.id]
        assert Rol.SUPERVISOR in privileges.confirm(tx, MR.id, by_id=AD.id, at=NOW).roles
        assert privileges.confirm(tx, SV.id, by_id=AD.id, at=NOW).nombre == "Sergia"
        assert privileges.pending(tx) == []
        tx.run("role_ask", worker_id=LP.id, rol="Administrador", activo=1)
        tx.run("worker_change_ask", worker_id=SV.id, nombre="Otra", apellido="Vez", activo=1, at="2026")
        assert privileges.refuse(tx, LP.id, by_id=AD.id, at=NOW).roles == LP.roles
        assert privileges.refuse(tx, SV.id, by_id=AD.id, at=NOW).nombre == "Sergia"
        assert privileges.pending(tx) == []
        assert privileges.administrators(tx) == {AD.id}
        events = [(event.kind.value, event.worker_id, event.detail) for event in access_events.page(tx).events]
    assert events == [
        ("PRIVILEGIO_RECHAZADO", SV.id, "Otra Vez, activo"),
        ("PRIVILEGIO_RECHAZADO", LP.id, "Administrador"),
        ("PRIVILEGIO_CONFIRMADO", SV.id, "Sergia Vidal, activo"),
        ("PRIVILEGIO_CONFIRMADO", MR.id, "Supervisor"),
    ]
