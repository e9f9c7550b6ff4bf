"""Chains and reclamos with identity: signed when tapped, the author's own whenever they arrive, decided with a PIN."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from carrete.identity.records import TokenScope
from carrete.ledger.database import Database
from tests.support.answers import SANTIAGO, done, refused, replayed
from tests.support.builders import TAG, a_joint, a_spool, events_in, held, put, spool_in
from tests.support.people import JS, LP, MR, SV
from tests.support.reclamos import CADENA, RECLAMOS, cadena, paso, resolver
from tests.support.signed_in import EnrolledTablet, IdentityShop, SignedPost, acted, change_session, revoke_device

FINISHED = [paso("INICIAR"), paso("FINALIZAR", "ARM", 1, 2)]


@pytest.fixture
def ledger(pin_shop: IdentityShop) -> Database:
    put(pin_shop.database, [a_spool(total_uniones=2)], joints=[a_joint(1), a_joint(2)])
    return pin_shop.database


def signed(tablet: EnrolledTablet, key: str = "k", *, steps: Any = None, **more: Any) -> SignedPost:
    body = {"tag_spool": TAG, "worker_id": MR.id, "pasos": steps or FINISHED}
    return tablet.sign(CADENA, body, key, **more)


def hoy() -> str:
    return datetime.now(SANTIAGO).date().isoformat()


def a_reclamo(tablet: EnrolledTablet, ledger: Database) -> str:
    with ledger.writing() as tx:
        tx.execute("DELETE FROM joint")
        tx.execute("DELETE FROM spool")
    put(ledger, [held(a_spool(total_uniones=2), LP)], joints=[a_joint(1), a_joint(2)])
    tablet.begin(MR.id)
    return str(refused(tablet.deliver(signed(tablet)), 409, "SPOOL_OCCUPIED", paso=1)["reclamo"])


def test_a_signed_chain_is_its_authors_after_another_signed_in(one: EnrolledTablet, ledger: Database) -> None:
    one.begin(MR.id)
    session = one.session_id
    tap = signed(one, at="2026-11-16T08:00:00Z")
    one.begin(LP.id)
    assert done(one.deliver(tap))["action_taken"] == "COMPLETAR"
    events = acted(ledger)
    assert {(event.worker_id, event.metadata["via"]["session"]) for event in events} == {(MR.id, session)}
    assert {event.metadata["hecho_en"] for event in events} == {"2026-11-16T08:00:00+00:00"}
    assert replayed(one.deliver(tap))


def test_the_time_of_each_step_is_signed_with_the_chain(one: EnrolledTablet, ledger: Database) -> None:
    one.begin(MR.id)
    steps = [{**FINISHED[0], "hecho_en": "2026-11-16T08:00:00Z"}, {**FINISHED[1], "hecho_en": "2026-11-16T09:00:00Z"}]
    tap = signed(one, steps=steps)
    changed = SignedPost(tap.path, tap.body.replace(b"T08:", b"T07:"), tap.key, tap.header)
    refused(one.deliver(changed), 401, "TOQUE_NO_VALIDO")
    done(one.deliver(tap))
    assert [event.metadata["hecho_en"][11:13] for event in acted(ledger)] == ["08", "09", "09", "09"]
    events = done(one.get(f"/api/history/{TAG}"))["events"]
    assert [event["metadata"]["hecho_en"][11:13] for event in events] == ["08", "09", "09", "09"]


def test_a_chain_of_a_revoked_tablet_is_refused_and_claims_nothing(one: EnrolledTablet, ledger: Database) -> None:
    one.begin(MR.id)
    tap = signed(one)
    revoke_device(ledger, one.device)
    refused(one.deliver(tap), 401, "TOQUE_NO_VALIDO")
    with ledger.reading() as tx:
        assert tx.count("reclamos_waiting_count", worker_id=-1) == 0


def test_a_refused_tap_is_claimed_by_a_signed_request_of_its_author(one: EnrolledTablet, ledger: Database) -> None:
    put(ledger, [held(a_spool("ENTERO"), LP)])
    one.begin(MR.id)
    body = {"tag_spool": "ENTERO", "worker_id": MR.id, "operacion": "ARM"}
    refused(one.deliver(one.sign("/api/occupation/completar", body, "toque")), 403, "NO_AUTORIZADO")
    claim = {"tag_spool": "ENTERO", "worker_id": MR.id, "pasos": [paso("COMPLETAR")], "clave": "toque"}
    tap = one.sign(RECLAMOS, claim, "k")
    one.begin(JS.id)
    made = done(one.deliver(tap))["reclamo"]
    refused(one.post(RECLAMOS, {**claim, "worker_id": MR.id}), 403, "IDENTIDAD_DISTINTA")
    one.begin(MR.id)
    assert [each["id"] for each in one.see(RECLAMOS)["reclamos"]] == [made]


def test_a_worker_sees_their_own_and_a_supervisor_everybodys(
    one: EnrolledTablet, two: EnrolledTablet, ledger: Database
) -> None:
    reclamo = a_reclamo(one, ledger)
    two.begin(LP.id)
    assert two.see(RECLAMOS)["reclamos"] == []
    refused(two.get(RECLAMOS, worker_id=MR.id), 403, "IDENTIDAD_DISTINTA")
    refused(two.get(f"{RECLAMOS}/avisos", worker_id=MR.id), 403, "IDENTIDAD_DISTINTA")
    for tablet, person, query in ((one, MR, {}), (two, SV, {}), (two, SV, {"worker_id": MR.id})):
        tablet.begin(person.id)
        assert [each["id"] for each in tablet.see(RECLAMOS, **query)["reclamos"]] == [reclamo]


def test_a_token_reads_reclamos_and_cannot_decide(
    pin_shop: IdentityShop, one: EnrolledTablet, ledger: Database
) -> None:
    reclamo = a_reclamo(one, ledger)
    reader, actor = pin_shop.token(TokenScope.LEER), pin_shop.token(TokenScope.ACTUAR)
    assert [each["id"] for each in reader.see(RECLAMOS)["reclamos"]] == [reclamo]
    for token in (reader, actor):
        refused(resolver(token, reclamo, ("ARM", 1), dia=hoy()), 403, "PERMISO_INSUFICIENTE")


def test_a_supervisor_decides_with_a_fresh_pin_only(
    pin_shop: IdentityShop, one: EnrolledTablet, two: EnrolledTablet, ledger: Database
) -> None:
    reclamo = a_reclamo(one, ledger)
    two.begin(SV.id)
    change_session(ledger, two.session_id, pin_at=datetime.now(UTC) - timedelta(minutes=6))
    pin_shop.forget_lookups()
    refused(resolver(two, reclamo, ("ARM", 1), dia=hoy()), 403, "PIN_REQUERIDO")
    two.begin(LP.id)
    refused(resolver(two, reclamo, ("ARM", 1), dia=hoy(), who=LP), 403, "ROL_NO_AUTORIZADO")
    refused(resolver(two, reclamo, ("ARM", 1), dia=hoy()), 403, "IDENTIDAD_DISTINTA")
    two.begin(SV.id)
    done(resolver(two, reclamo, ("ARM", 1), dia=hoy()))


def test_a_supervisor_without_a_fresh_pin_still_gets_the_stored_answer_about_their_decision(
    pin_shop: IdentityShop, one: EnrolledTablet, two: EnrolledTablet, ledger: Database
) -> None:
    reclamo = a_reclamo(one, ledger)
    two.begin(SV.id)
    first = resolver(two, reclamo, ("ARM", 1), dia=hoy(), key="decision")
    done(first)
    change_session(ledger, two.session_id, pin_at=datetime.now(UTC) - timedelta(minutes=6))
    pin_shop.forget_lookups()
    again = resolver(two, reclamo, ("ARM", 1), dia=hoy(), key="decision")
    assert (again.content, replayed(again)) == (first.content, True)
    refused(resolver(two, reclamo, ("ARM", 1), dia=hoy(), key="another"), 403, "PIN_REQUERIDO")
    refused(resolver(two, reclamo, ("ARM", 1), dia=hoy()), 403, "PIN_REQUERIDO")
    refused(resolver(two, "no-hay", ("ARM", 1), dia=hoy()), 403, "PIN_REQUERIDO")
    refused(resolver(two, reclamo, dia=hoy(), key="decision"), 422, "IDEMPOTENCY_KEY_REUSED")


def test_a_decision_cannot_be_signed_as_a_tap(one: EnrolledTablet, two: EnrolledTablet, ledger: Database) -> None:
    """A decision is never queued: the supervisor is present when it is made."""
    reclamo = a_reclamo(one, ledger)
    two.begin(SV.id)
    body = {"supervisor_id": SV.id, "aceptar": [], "dia": hoy(), "motivo": "No"}
    refused(two.deliver(two.sign(f"{RECLAMOS}/{reclamo}/resolver", body, "k")), 401, "TOQUE_NO_VALIDO")


def test_late_work_is_its_authors_through_their_own_session_and_names_who_accepted_it(
    one: EnrolledTablet, two: EnrolledTablet, ledger: Database
) -> None:
    reclamo = a_reclamo(one, ledger)
    two.begin(SV.id)
    done(resolver(two, reclamo, ("ARM", 1), dia=hoy()))
    late, declined = (stored.event for stored in events_in(ledger, TAG))
    assert (late.worker_id, late.metadata["via"]["session"]) == (MR.id, one.session_id)
    assert late.metadata["aceptado_via"]["session"] == two.session_id
    assert (declined.worker_id, declined.metadata["via"]["session"]) == (SV.id, two.session_id)
    assert spool_in(ledger).occupation is not None


def test_the_author_is_told_at_the_next_sign_in_on_any_tablet(
    one: EnrolledTablet, two: EnrolledTablet, ledger: Database
) -> None:
    reclamo = a_reclamo(one, ledger)
    one.begin(SV.id)
    done(resolver(one, reclamo, dia=hoy()))
    two.begin(MR.id)
    (notice,) = two.see(f"{RECLAMOS}/avisos")["avisos"]
    assert notice["resolucion"]["motivo"] == "Visto en el taller"
    visto = f"{RECLAMOS}/avisos/visto"
    refused(one.post(visto, {"worker_id": MR.id, "ids": [reclamo]}), 403, "IDENTIDAD_DISTINTA")
    assert done(two.post(visto, {"ids": [reclamo]}))["vistos"] == 1
    assert two.see(f"{RECLAMOS}/avisos")["avisos"] == []


def test_a_chain_by_cookie_needs_its_own_author(one: EnrolledTablet, ledger: Database) -> None:
    one.begin(LP.id)
    refused(cadena(one, *FINISHED), 403, "IDENTIDAD_DISTINTA")
    assert acted(ledger) == []
