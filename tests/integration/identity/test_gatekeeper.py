"""Who acts: the person who is signed in, whatever the request says; and the answer to everybody else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import httpx
import pytest

from carrete.domain.workers import Rol
from carrete.identity import tokens
from carrete.identity.access_events import AccessKind
from carrete.identity.records import TokenScope
from carrete.identity.refusals import SessionRequired
from carrete.ledger.database import Database
from tests.support.answers import done, invalid, refused, replayed
from tests.support.builders import TAG, a_spool, held, put, spool_in
from tests.support.gated import eventually
from tests.support.lookups import session_of_id
from tests.support.people import LP, MR, SV
from tests.support.signed_in import (
    AWAY,
    SESSION_COOKIE,
    BearerClient,
    EnrolledTablet,
    IdentityShop,
    acted,
    change_session,
    make_token,
)
from tests.support.signing_in import PIN, WRONG_PIN, recorded

TOMAR = "/api/occupation/tomar"
LIBERAR = "/api/occupation/liberar"
BODY = {"tag_spool": TAG, "operacion": "ARM"}
FREE = {"tag_spool": "H", "supervisor_id": SV.id, "motivo": "Se fue a casa"}
NOTE_S_MAX = 5.0
LONG_AGO = timedelta(minutes=7)


@pytest.fixture
def ledger(pin_shop: IdentityShop) -> Database:
    put(pin_shop.database, [a_spool()])
    return pin_shop.database


def test_the_person_who_is_signed_in_acts_and_the_event_says_how(one: EnrolledTablet, ledger: Database) -> None:
    one.begin(MR.id)
    done(one.tap("TOMAR", worker_id=MR.id))
    (event,) = acted(ledger)
    via = {"device": one.device.id, "session": one.session_id, "proof": "pin"}
    assert (event.worker_id, event.metadata["via"]) == (MR.id, via)
    assert "hecho_en" not in event.metadata
    (shown,) = one.see_history()["events"]
    assert shown["metadata"]["via"] == via


def test_the_worker_may_be_left_out(one: EnrolledTablet, ledger: Database) -> None:
    one.begin(MR.id)
    assert done(one.post(TOMAR, BODY))["ocupado_por"] == "MR(93)"
    one.begin(SV.id)
    done(one.post(LIBERAR, {"tag_spool": TAG, "motivo": "Se fue a casa"}))
    assert [event.worker_id for event in acted(ledger)] == [MR.id, SV.id]


def test_a_body_with_and_without_the_worker_is_the_same_request(one: EnrolledTablet, ledger: Database) -> None:
    one.begin(MR.id)
    done(one.post(TOMAR, BODY, key="k"))
    assert replayed(one.post(TOMAR, {**BODY, "worker_id": MR.id}, key="k"))


@pytest.mark.parametrize("path", [TOMAR, "/api/occupation/batch-tomar", LIBERAR, "/api/sync/retry"])
def test_nobody_acts_in_another_persons_name(
    pin_shop: IdentityShop, one: EnrolledTablet, ledger: Database, path: str
) -> None:
    one.begin(MR.id)
    named = LP if "tomar" in path else SV
    body = {
        TOMAR: {**BODY, "worker_id": LP.id},
        "/api/occupation/batch-tomar": {"tag_spools": [TAG], "operacion": "ARM", "worker_id": LP.id},
        LIBERAR: FREE,
        "/api/sync/retry": {"supervisor_id": SV.id},
    }[path]
    refused(one.post(path, body, key="k"), 403, "IDENTIDAD_DISTINTA")
    assert acted(ledger) == []
    eventually(lambda: recorded(ledger, AccessKind.IDENTIDAD_RECHAZADA) != [], NOTE_S_MAX)
    (event,) = recorded(ledger, AccessKind.IDENTIDAD_RECHAZADA)
    detail = f"nombra al trabajador {named.id}: {path}"
    assert (event.worker_id, event.device_id, event.detail) == (MR.id, one.device.id, detail)


def test_a_refused_identity_is_not_kept_under_the_key(one: EnrolledTablet, ledger: Database) -> None:
    one.begin(MR.id)
    refused(one.tap("TOMAR", worker_id=LP.id, key="k"), 403, "IDENTIDAD_DISTINTA")
    one.begin(LP.id)
    answer = one.tap("TOMAR", worker_id=LP.id, key="k")
    assert (done(answer)["ocupado_por"], replayed(answer)) == ("LP(7)", False)


def test_the_key_of_another_person_shows_nothing_of_the_first_answer(
    one: EnrolledTablet, two: EnrolledTablet, ledger: Database
) -> None:
    one.begin(MR.id)
    two.begin(LP.id)
    done(one.post(TOMAR, BODY, key="k"))
    answer = two.post(TOMAR, BODY, key="k")
    refused(answer, 422, "IDEMPOTENCY_KEY_REUSED")
    assert "MR" not in answer.text
    assert TAG not in answer.text
    assert not replayed(answer)
    assert spool_in(ledger).version not in answer.text


def test_a_change_of_person_on_one_tablet_changes_who_acts(one: EnrolledTablet, ledger: Database) -> None:
    put(ledger, [a_spool("A"), a_spool("B")])
    one.begin(MR.id)
    done(one.tap("TOMAR", "A", worker_id=MR.id))
    one.begin(LP.id)
    refused(one.tap("TOMAR", "B", worker_id=MR.id), 403, "IDENTIDAD_DISTINTA")
    done(one.tap("TOMAR", "B", worker_id=LP.id))
    assert [event.worker_id for event in acted(ledger)] == [MR.id, LP.id]


def test_the_session_before_a_change_of_person_is_worth_nothing(
    pin_shop: IdentityShop, one: EnrolledTablet, ledger: Database
) -> None:
    one.begin(MR.id)
    done(one.tap("TOMAR", worker_id=MR.id))
    first = one.cookies[SESSION_COOKIE]
    one.begin(LP.id)
    one.cookies[SESSION_COOKIE] = first
    pin_shop.forget_lookups()
    refused(one.tap("PAUSAR", worker_id=MR.id), 401, "SESION_REQUERIDA", bloqueada=False)


def test_a_worker_who_lost_a_role_still_gets_the_stored_answer(
    pin_shop: IdentityShop, one: EnrolledTablet, ledger: Database
) -> None:
    one.begin(LP.id)
    first = one.tap("TOMAR", worker_id=LP.id, key="k")
    take_role(pin_shop, LP.id, Rol.ARMADOR)
    again = one.tap("TOMAR", worker_id=LP.id, key="k")
    assert (again.content, replayed(again)) == (first.content, True)
    refused(one.tap("PAUSAR", worker_id=LP.id), 403, "ROL_NO_AUTORIZADO")


def take_role(shop: IdentityShop, worker_id: int, rol: Rol) -> None:
    with shop.database.writing() as tx:
        tx.run("role_upsert", worker_id=worker_id, rol=rol.value, activo=0)
    shop.forget_lookups()


def test_a_supervisor_gives_the_pin_again_and_the_same_key_works(one: EnrolledTablet, ledger: Database) -> None:
    put(ledger, [held(a_spool("H"), MR)])
    one.begin(SV.id)
    change_session(ledger, one.session_id, pin_at=datetime.now(UTC) - timedelta(minutes=5, seconds=2))
    for _ in range(2):
        refused(one.post(LIBERAR, FREE, key="k"), 403, "PIN_REQUERIDO")
    assert spool_in(ledger, "H").occupation is not None
    refused(one.post("/api/sesion/pin", {"pin": WRONG_PIN}), 401, "PIN_INCORRECTO")
    refused(one.post(LIBERAR, FREE, key="k"), 403, "PIN_REQUERIDO")
    assert 295 <= done(one.post("/api/sesion/pin", {"pin": PIN}))["pin_fresh_s"] <= 300
    answer = one.post(LIBERAR, FREE, key="k")
    done(answer)
    assert not replayed(answer)
    assert spool_in(ledger, "H").occupation is None


def test_without_a_fresh_pin_a_supervisor_still_gets_the_stored_answer(
    pin_shop: IdentityShop, one: EnrolledTablet, ledger: Database
) -> None:
    put(ledger, [held(a_spool("H"), MR)])
    one.begin(SV.id)
    first = one.post(LIBERAR, FREE, key="k")
    done(first)
    change_session(ledger, one.session_id, pin_at=datetime.now(UTC) - timedelta(hours=1))
    pin_shop.forget_lookups()
    again = one.post(LIBERAR, FREE, key="k")
    assert (again.content, replayed(again)) == (first.content, True)
    refused(one.post(LIBERAR, FREE, key="another"), 403, "PIN_REQUERIDO")
    refused(one.post(LIBERAR, {**FREE, "motivo": "Otro"}, key="k"), 422, "IDEMPOTENCY_KEY_REUSED")


def test_a_floor_worker_with_a_fresh_pin_frees_nothing(one: EnrolledTablet, ledger: Database) -> None:
    put(ledger, [held(a_spool("H"), MR)])
    one.begin(LP.id)
    refused(one.post(LIBERAR, {**FREE, "supervisor_id": LP.id}), 403, "ROL_NO_AUTORIZADO")
    assert spool_in(ledger, "H").occupation is not None


def test_refusals_of_identity_leave_the_key_unused(
    pin_shop: IdentityShop, one: EnrolledTablet, ledger: Database
) -> None:
    """Each of them, with one key: it still works when the right person is there at last."""
    key = str(uuid4())

    def tap() -> httpx.Response:
        return one.post(TOMAR, BODY, key=key)

    refused(pin_shop.stranger().post(TOMAR, BODY, key=key), 401, "DISPOSITIVO_NO_INSCRITO")
    refused(tap(), 401, "SESION_REQUERIDA")
    one.begin(MR.id, ago=LONG_AGO)
    refused(tap(), 401, "SESION_REQUERIDA", bloqueada=True)
    refused(pin_shop.token(TokenScope.LEER).post(TOMAR, BODY, key=key), 403, "PERMISO_INSUFICIENTE")
    refused(one.post(TOMAR, BODY, key=key, headers={"Carrete-Tap": "x"}), 401, "TOQUE_NO_VALIDO")
    one.begin(MR.id)
    refused(one.tap("TOMAR", worker_id=LP.id, key=key), 403, "IDENTIDAD_DISTINTA")
    answer = tap()
    done(answer)
    assert not replayed(answer)


# ─── locked and over ──────────────────────────────────────────────────────────────────────────────────────────


def test_an_idle_session_is_locked_until_its_pin_is_given(one: EnrolledTablet, ledger: Database) -> None:
    one.begin(MR.id, ago=LONG_AGO)
    problem = refused(one.tap("TOMAR", worker_id=MR.id), 401, "SESION_REQUERIDA", bloqueada=True)
    assert problem["detail"] == SessionRequired(locked=True).detail
    assert one.see("/api/sesion")["locked"]
    assert one.get("/api/spools").status_code == 200, "a locked tablet still shows the lists"
    assert not done(one.post("/api/sesion/pin", {"pin": PIN}))["locked"]
    done(one.tap("TOMAR", worker_id=MR.id))


def test_a_wrong_pin_does_not_unlock(one: EnrolledTablet, ledger: Database) -> None:
    one.begin(MR.id, ago=LONG_AGO)
    refused(one.post("/api/sesion/pin", {"pin": WRONG_PIN}), 401, "PIN_INCORRECTO")
    invalid(one.post("/api/sesion/pin", {"pin": "12"}), "pin")
    refused(one.tap("TOMAR", worker_id=MR.id), 401, "SESION_REQUERIDA", bloqueada=True)


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE"])
def test_looking_at_a_locked_session_does_not_unlock_it(one: EnrolledTablet, ledger: Database, method: str) -> None:
    one.begin(MR.id, ago=LONG_AGO)
    path = "/api/sesion?sesion=s-another" if method == "DELETE" else "/api/sesion"
    one.send(method, path)
    refused(one.tap("TOMAR", worker_id=MR.id), 401, "SESION_REQUERIDA", bloqueada=True)


def test_a_locked_session_does_not_unlock_itself_by_use(one: EnrolledTablet, ledger: Database) -> None:
    one.begin(MR.id, ago=LONG_AGO)
    for _ in range(2):
        refused(one.post("/api/sesion/uso", {}), 401, "SESION_REQUERIDA", bloqueada=True)


def test_a_session_that_another_process_unlocked_a_moment_ago_is_not_refused(
    one: EnrolledTablet, ledger: Database
) -> None:
    one.begin(MR.id, ago=LONG_AGO)
    assert one.see("/api/sesion")["locked"]
    change_session(ledger, one.session_id, used_at=datetime.now(UTC))
    done(one.tap("TOMAR", worker_id=MR.id))


def test_the_last_use_of_a_session_is_written_so_that_every_process_sees_it(
    one: EnrolledTablet, ledger: Database
) -> None:
    one.begin(MR.id, ago=timedelta(minutes=4))
    done(one.post("/api/sesion/uso", {}))
    eventually(lambda: seconds_unused(ledger, one.session_id) < 60, NOTE_S_MAX)


def seconds_unused(database: Database, session_id: str) -> float:
    with database.reading() as tx:
        session = session_of_id(tx, session_id)
    assert session is not None
    return (datetime.now(UTC) - session.used_at).total_seconds()


@pytest.mark.parametrize("column", ["ends_at", "ended_at"])
def test_a_session_that_is_over_is_not_merely_locked(
    pin_shop: IdentityShop, one: EnrolledTablet, ledger: Database, column: str
) -> None:
    one.begin(MR.id)
    done(one.tap("TOMAR", worker_id=MR.id))
    change_session(ledger, one.session_id, **{column: datetime.now(UTC) - timedelta(seconds=2)})
    pin_shop.forget_lookups()
    refused(one.tap("PAUSAR", worker_id=MR.id), 401, "SESION_REQUERIDA", bloqueada=False)
    refused(one.post("/api/sesion/pin", {"pin": PIN}), 401, "SESION_REQUERIDA", bloqueada=False)


def test_a_session_ends_after_12_hours_although_its_look_up_is_kept(one: EnrolledTablet, ledger: Database) -> None:
    one.begin(MR.id)
    change_session(ledger, one.session_id, ends_at=datetime.now(UTC) + timedelta(seconds=1))
    done(one.tap("TOMAR", worker_id=MR.id))
    eventually(lambda: one.tap("PAUSAR", worker_id=MR.id).status_code == 401, 4)


# ─── tokens ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_token_that_acts_names_the_worker_and_the_event_names_the_token(
    pin_shop: IdentityShop, ledger: Database
) -> None:
    planning = pin_shop.token(TokenScope.ACTUAR, client=AWAY)
    invalid(planning.post(TOMAR, BODY), "worker_id")
    done(planning.tap("TOMAR", worker_id=MR.id))
    (event,) = acted(ledger)
    assert event.worker_id == MR.id
    assert set(event.metadata["via"]) == {"token", "proof"}
    assert event.metadata["via"]["proof"] == "token"


def test_each_scope_allows_its_own_and_nothing_else(pin_shop: IdentityShop, ledger: Database) -> None:
    reads, acts, manages = (pin_shop.token(scope, client=AWAY) for scope in TokenScope)
    assert [each.get("/api/spools").status_code for each in (reads, acts, manages)] == [200, 403, 403]
    assert [each.tap("TOMAR", worker_id=MR.id).status_code for each in (reads, manages, acts)] == [403, 403, 200]
    for each in (reads, acts, manages):
        for path in (LIBERAR, "/api/occupation/corregir", "/api/metrologia/desbloquear"):
            refused(each.post(path, FREE), 403, "PERMISO_INSUFICIENTE")


def test_with_a_token_and_cookies_the_token_counts(
    pin_shop: IdentityShop, one: EnrolledTablet, ledger: Database
) -> None:
    one.begin(SV.id)
    token = pin_shop.token(TokenScope.LEER)
    refused(one.post(LIBERAR, FREE, headers=token.headers), 403, "PERMISO_INSUFICIENTE")


@pytest.mark.parametrize("path", ["/metrics", "/api/openapi.json"])
def test_figures_and_the_document_are_for_this_machine_or_a_token(pin_shop: IdentityShop, path: str) -> None:
    assert pin_shop.stranger().get(path).status_code == 200
    refused(pin_shop.stranger(AWAY).get(path), 403, "PERMISO_INSUFICIENTE")
    refused(pin_shop.stranger(("::ffff:192.168.1.7", 1)).get(path), 403, "PERMISO_INSUFICIENTE")
    assert pin_shop.stranger(("::1", 1)).get(path).status_code == 200
    assert pin_shop.token(TokenScope.LEER, client=AWAY).get(path).status_code == 200
    refused(pin_shop.token(TokenScope.ACTUAR).get(path), 403, "PERMISO_INSUFICIENTE")


def test_a_program_with_a_bad_token_is_told_that_its_token_is_refused(pin_shop: IdentityShop, ledger: Database) -> None:
    """One sentence for a token that is unknown, revoked, expired or malformed: the answer does not say which."""
    over, revoked = (make_token(ledger, TokenScope.LEER) for _ in range(2))
    with ledger.writing() as tx:
        tokens.revoke(tx, revoked.id, at=datetime.now(UTC))
        tx.execute(f"UPDATE api_token SET ends_at = made_at WHERE id = '{over.id}'")
    given = (over.token, revoked.token, "carrete_" + "x" * 43, "something else")
    answers = [BearerClient(pin_shop.sends(), token).get("/api/spools") for token in given]
    for answer in answers:
        refused(answer, 401, "SESION_REQUERIDA", bloqueada=False)
    assert {answer.json()["detail"] for answer in answers} == {
        "El token no existe, venció o fue revocado. Pida otro a un administrador."
    }


def test_a_method_that_a_path_does_not_have_is_told_which_it_has(one: EnrolledTablet, ledger: Database) -> None:
    has = {
        "/api/spools": "GET",
        TOMAR: "POST",
        "/api/sesion": "DELETE, GET, POST",
        f"/api/spools/{TAG}/notas": "GET, POST",
        "/api/dispositivos/d-1/revocar": "POST",
    }
    for path, methods in has.items():
        answer = one.send("PUT", path)
        refused(answer, 405, "METODO_NO_PERMITIDO")
        assert answer.headers["allow"] == methods, path
    assert "allow" not in one.send("PUT", "/api/nada").headers
