"""Taps that arrive late belong to their author, whoever is signed in when they arrive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from carrete.domain.workers import Rol
from carrete.identity import people
from carrete.ledger.database import Database
from tests.support.answers import done, refused, replayed
from tests.support.builders import TAG, a_spool, events_in, held, put, spool_in
from tests.support.people import JS, LP, MR, SV
from tests.support.signed_in import (
    DEVICE_COOKIE,
    EnrolledTablet,
    IdentityShop,
    SignedPost,
    acted,
    change_session,
    revoke_device,
)
from tests.support.signing_in import KEYS

DAY = timedelta(hours=24)
LIBERAR = "/api/occupation/liberar"


@pytest.fixture
def ledger(pin_shop: IdentityShop) -> Database:
    put(pin_shop.database, [a_spool()])
    return pin_shop.database


def not_valid(answer: httpx.Response, ledger: Database) -> None:
    refused(answer, 401, "TOQUE_NO_VALIDO")
    assert acted(ledger) == []


def test_a_signed_tap_is_its_authors(one: EnrolledTablet, ledger: Database) -> None:
    one.begin(MR.id)
    tap = one.sign_tap("TOMAR", MR.id, "k")
    assert done(one.deliver(tap))["ocupado_por"] == "MR(93)"
    (event,) = acted(ledger)
    assert event.metadata["via"] == {"device": one.device.id, "session": one.session_id, "proof": "pin"}
    assert "hecho_en" not in event.metadata
    assert replayed(one.deliver(tap))


def test_the_worker_may_be_left_out_of_a_signed_tap_too(one: EnrolledTablet, ledger: Database) -> None:
    one.begin(MR.id)
    tap = one.sign("/api/occupation/tomar", {"tag_spool": TAG, "operacion": "ARM"}, "k")
    assert done(one.deliver(tap))["ocupado_por"] == "MR(93)"


def test_a_tap_stays_its_authors_after_somebody_else_signed_in(one: EnrolledTablet, ledger: Database) -> None:
    one.begin(MR.id)
    session = one.session_id
    tap = one.sign_tap("TOMAR", MR.id, "k")
    one.begin(LP.id)
    assert done(one.deliver(tap))["ocupado_por"] == "MR(93)"
    (event,) = acted(ledger)
    assert (event.worker_id, event.metadata["via"]["session"]) == (MR.id, session)


def test_a_tap_is_accepted_without_any_cookie(pin_shop: IdentityShop, one: EnrolledTablet, ledger: Database) -> None:
    """The session's cookie may have gone; the signature says whose it is."""
    one.begin(MR.id)
    tap = one.sign_tap("TOMAR", MR.id, "k")
    done(pin_shop.stranger().deliver(tap))
    assert [event.worker_id for event in acted(ledger)] == [MR.id]


def test_the_same_tap_through_cookie_and_signature_is_done_once(one: EnrolledTablet, ledger: Database) -> None:
    one.begin(MR.id)
    tap = one.sign_tap("TOMAR", MR.id, "k")
    done(one.deliver(tap))
    again = one.post(tap.path, content=tap.body, key="k")
    assert replayed(again)
    assert len(acted(ledger)) == 1


@pytest.mark.parametrize("first", [MR, LP])
def test_two_people_tap_offline_on_one_tablet_and_each_tap_is_its_own(
    one: EnrolledTablet, ledger: Database, first: object
) -> None:
    put(ledger, [a_spool("A"), a_spool("B")])
    one.begin(MR.id)
    hers = one.sign_tap("TOMAR", MR.id, "k-1", "A")
    one.end(last_tap=1)
    one.begin(LP.id)
    his = one.sign_tap("TOMAR", LP.id, "k-2", "B")
    for tap in (hers, his) if first is MR else (his, hers):
        done(one.deliver(tap))
    assert {event.worker_id: event.metadata["via"]["session"] != one.session_id for event in acted(ledger)} == {
        MR.id: True,
        LP.id: False,
    }


def test_the_taps_after_an_accepted_late_one_are_judged_too(one: EnrolledTablet, ledger: Database) -> None:
    """Whose a tap is may be remembered, but not that its session takes every tap: this one had ended."""
    one.begin(MR.id)
    taken, forged = one.sign_tap("TOMAR", MR.id, "k-1"), one.sign_tap("PAUSAR", MR.id, "k-2", number=9)
    one.end(last_tap=1)
    done(one.deliver(taken))
    refused(one.deliver(forged), 401, "TOQUE_NO_VALIDO")
    assert replayed(one.deliver(taken))
    refused(one.deliver(forged), 401, "TOQUE_NO_VALIDO")
    assert len(acted(ledger)) == 1


CHANGES: dict[str, Callable[[SignedPost], SignedPost]] = {
    "another path": lambda tap: replace(tap, path="/api/occupation/completar"),
    "another spool": lambda tap: replace(tap, body=tap.body.replace(TAG.encode(), b"MK-OTRO")),
    "another worker": lambda tap: replace(tap, body=tap.body.replace(b"93", b"7")),
    "a blank in the body": lambda tap: replace(tap, body=tap.body + b" "),
    "a shorter body": lambda tap: replace(tap, body=tap.body[:-1]),
    "another key": lambda tap: replace(tap, key="k-2"),
    "no key": lambda tap: replace(tap, key=""),
    "another number": lambda tap: replace(tap, header=tap.header.replace(", 1, ", ", 2, ", 1)),
    "another time": lambda tap: replace(tap, header=tap.header.replace("Z,", "1Z,", 1)),
    "a shorter signature": lambda tap: replace(tap, header=tap.header[:-1]),
    "half a signature": lambda tap: replace(tap, header=tap.header[:-32]),
    "a longer signature": lambda tap: replace(tap, header=tap.header + "0"),
    "a signature of zeros": lambda tap: replace(tap, header=tap.header[:-64] + "0" * 64),
    "no signature": lambda tap: replace(tap, header=tap.header[:-66]),
    "nothing": lambda tap: replace(tap, header=""),
    "an unknown session": lambda tap: replace(tap, header="s-0" + tap.header[tap.header.index(",") :]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_tap_that_was_changed_is_refused_although_its_author_is_signed_in(
    one: EnrolledTablet, ledger: Database, change: str
) -> None:
    one.begin(MR.id)
    not_valid(one.deliver(CHANGES[change](one.sign_tap("TOMAR", MR.id, "k"))), ledger)
    answer = one.deliver(one.sign_tap("TOMAR", MR.id, "k", number=1))
    assert not replayed(answer), "the refusal was kept under the key"
    done(answer)


def test_a_tap_signed_with_another_sessions_key_is_refused(
    one: EnrolledTablet, two: EnrolledTablet, ledger: Database
) -> None:
    one.begin(MR.id)
    two.begin(LP.id)
    two.session_id = one.session_id
    not_valid(two.deliver(two.sign_tap("TOMAR", MR.id, "k")), ledger)


def test_a_signature_for_another_person_than_the_body_names_is_refused(one: EnrolledTablet, ledger: Database) -> None:
    one.begin(MR.id)
    refused(one.deliver(one.sign_tap("TOMAR", LP.id, "k")), 403, "IDENTIDAD_DISTINTA")
    assert acted(ledger) == []


def test_a_tap_after_the_last_number_of_a_session_is_refused(
    pin_shop: IdentityShop, one: EnrolledTablet, ledger: Database
) -> None:
    """A person who finds the key on the tablet later cannot sign for the one who left."""
    one.begin(MR.id)
    one.sign_tap("TOMAR", MR.id, "earlier")
    last, later = one.sign_tap("TOMAR", MR.id, "k-2"), one.sign_tap("TOMAR", MR.id, "k-3")
    one.end(last_tap=2)
    pin_shop.forget_lookups()
    not_valid(one.deliver(later), ledger)
    done(one.deliver(last))


def test_the_last_number_may_come_later_and_is_never_raised(
    pin_shop: IdentityShop, one: EnrolledTablet, ledger: Database
) -> None:
    one.begin(MR.id)
    session = one.session_id
    tap = one.sign_tap("TOMAR", MR.id, "k", number=5)
    one.begin(LP.id)
    for number in (4, 9):
        done(one.send("DELETE", f"/api/sesion?sesion={session}&ultimo_toque={number}"))
    not_valid(one.deliver(tap), ledger)


# ─── the tablet told which taps it had not sent ──────────────────────────────────────────────────────────


def test_after_the_sign_out_only_the_unsent_taps_are_done(
    pin_shop: IdentityShop, one: EnrolledTablet, ledger: Database
) -> None:
    """The tap key travels to the page when a person signs in. Somebody who has read it there cannot act in the name of
    that person after the sign-out, not even with a number that was used."""
    put(ledger, [a_spool("A"), a_spool("B"), a_spool("C")])
    one.begin(MR.id)
    sent, unsent = one.sign_tap("TOMAR", MR.id, "k-1", "A"), one.sign_tap("TOMAR", MR.id, "k-2", "B")
    done(one.deliver(sent))
    one.end(last_tap=2, unsent=[unsent])
    pin_shop.forget_lookups()
    for number in (1, 2, 3):
        forged = one.sign_tap("TOMAR", MR.id, f"forged-{number}", "C", number=number)
        refused(one.deliver(forged), 401, "TOQUE_NO_VALIDO")
        copied = replace(forged, header=forged.header.replace(forged.mac, unsent.mac))
        refused(one.deliver(copied), 401, "TOQUE_NO_VALIDO")
    assert done(one.deliver(unsent))["ocupado_por"] == "MR(93)"
    assert replayed(one.deliver(unsent)), "its answer was lost, and it is sent again"
    assert [stored.tag for stored in events_in(ledger)] == ["A", "B"]


def test_an_unsent_tap_with_another_signature_is_refused(
    pin_shop: IdentityShop, one: EnrolledTablet, ledger: Database
) -> None:
    one.begin(MR.id)
    unsent = one.sign_tap("TOMAR", MR.id, "k")
    one.end(last_tap=1, unsent=[unsent])
    pin_shop.forget_lookups()
    for time in ("2026-11-16T13:30:00Z", "2026-11-16T13:30:01Z"):
        not_valid(one.deliver(one.sign_tap("TOMAR", MR.id, "k", number=1, at=time)), ledger)
    not_valid(one.deliver(one.sign_tap("TOMAR", MR.id, "k", "MK-OTRO", number=1)), ledger)
    done(one.deliver(unsent))


def test_a_stored_answer_is_replayed_also_for_a_tap_that_was_not_in_the_unsent_list(
    pin_shop: IdentityShop, one: EnrolledTablet, ledger: Database
) -> None:
    """A browser that was killed may have lost the fact that it got the answer."""
    one.begin(MR.id)
    sent = one.sign_tap("TOMAR", MR.id, "k")
    done(one.deliver(sent))
    one.end(last_tap=1, unsent=[])
    pin_shop.forget_lookups()
    assert replayed(one.deliver(sent))
    other = one.sign_tap("PAUSAR", MR.id, "k", number=1)
    refused(one.deliver(other), 422, "IDEMPOTENCY_KEY_REUSED")
    assert len(acted(ledger)) == 1


def test_without_a_list_the_last_number_alone_counts(
    pin_shop: IdentityShop, one: EnrolledTablet, ledger: Database
) -> None:
    """A client of an earlier version."""
    one.begin(MR.id)
    session, taps = one.session_id, [one.sign_tap("TOMAR", MR.id, "k-1"), one.sign_tap("PAUSAR", MR.id, "k-2")]
    done(one.sign_out(session, 1))
    done(one.deliver(taps[0]))
    refused(one.deliver(taps[1]), 401, "TOQUE_NO_VALIDO")


def test_a_list_that_comes_later_by_http_narrows_and_never_widens(
    pin_shop: IdentityShop, one: EnrolledTablet, ledger: Database
) -> None:
    """The tablet was offline when its person changed. It reports the end of that session, gets no answer, and reports
    it again."""
    put(ledger, [a_spool(tag) for tag in "ABC"])
    one.begin(MR.id)
    session = one.session_id
    a, b, c = (one.sign_tap("TOMAR", MR.id, f"k-{tag}", tag) for tag in "ABC")
    one.begin(LP.id)
    for unsent in ((a, b), (b, c)):
        done(one.sign_out(session, 3, [tap.mac for tap in unsent]))
    for tap in (a, c):
        refused(one.deliver(tap), 401, "TOQUE_NO_VALIDO")
    done(one.deliver(b))
    assert [(stored.tag, stored.event.worker_id) for stored in events_in(ledger)] == [("B", MR.id)]


def test_an_unsent_tap_is_refused_a_day_after_its_session_as_any_other(one: EnrolledTablet, ledger: Database) -> None:
    ago = DAY + timedelta(minutes=1)
    one.begin(MR.id, ago=ago + timedelta(hours=1))
    tap = one.sign_tap("TOMAR", MR.id, "k")
    one.end(last_tap=1, ago=ago, unsent=[tap])
    not_valid(one.deliver(tap), ledger)


def test_an_unsent_tap_above_the_last_number_is_refused(one: EnrolledTablet, ledger: Database) -> None:
    one.begin(MR.id)
    tap = one.sign_tap("TOMAR", MR.id, "k", number=3)
    one.end(last_tap=2, unsent=[tap])
    not_valid(one.deliver(tap), ledger)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"sin_enviar": ["0f" * 31]}, 422, "DATOS_INVALIDOS"),
        ({"sin_enviar": ["0F" * 32]}, 422, "DATOS_INVALIDOS"),
        ({"sin_enviar": ["0f" * 31 + " a"]}, 422, "DATOS_INVALIDOS"),
        ({"sin_enviar": ["0f" * 32] * 1_001}, 422, "DATOS_INVALIDOS"),
        ({"sin_enviar": None}, 422, "DATOS_INVALIDOS"),
        ({"sin_enviar": [7]}, 422, "DATOS_INVALIDOS"),
        ({}, 422, "DATOS_INVALIDOS"),
        ([], 422, "DATOS_INVALIDOS"),
        ({"sin_enviar": [], "ultimo_toque": 1}, 422, "DATOS_INVALIDOS"),
    ],
)
def test_a_list_of_another_form_is_refused_and_ends_nothing(
    one: EnrolledTablet, ledger: Database, body: object, status: int, code: str
) -> None:
    one.begin(MR.id)
    refused(one.send("DELETE", "/api/sesion", json=body), status, code)
    assert done(one.send("GET", "/api/sesion"))["session"] == one.session_id


def test_the_longest_list_is_accepted(one: EnrolledTablet, ledger: Database) -> None:
    one.begin(MR.id)
    tap = one.sign_tap("TOMAR", MR.id, "k")
    done(one.sign_out(one.session_id, 1, [f"{number:064x}" for number in range(999)] + [tap.mac]))
    done(one.deliver(tap))


def test_a_list_that_is_no_json_is_refused(one: EnrolledTablet, ledger: Database) -> None:
    one.begin(MR.id)
    refused(one.send("DELETE", "/api/sesion", content=b"{}", headers={"Content-Type": "text/plain"}), 415, "NO_ES_JSON")


def test_another_device_cannot_close_a_session(
    pin_shop: IdentityShop, one: EnrolledTablet, two: EnrolledTablet, ledger: Database
) -> None:
    one.begin(MR.id)
    tap = one.sign_tap("TOMAR", MR.id, "k")
    two.send("DELETE", f"/api/sesion?sesion={one.session_id}&ultimo_toque=0")
    done(one.deliver(tap))
    done(one.tap("PAUSAR", worker_id=MR.id))


@pytest.mark.parametrize(("ago", "accepted"), [(DAY - timedelta(minutes=1), True), (DAY + timedelta(minutes=1), False)])
def test_a_tap_is_accepted_for_24_hours_after_its_session(
    one: EnrolledTablet, ledger: Database, ago: timedelta, accepted: bool
) -> None:
    one.begin(MR.id, ago=ago + timedelta(hours=1))
    tap = one.sign_tap("TOMAR", MR.id, "k")
    one.end(last_tap=1, ago=ago)
    answer = one.deliver(tap)
    if accepted:
        done(answer)
    else:
        not_valid(answer, ledger)


@pytest.mark.parametrize(("hours", "accepted"), [(35, True), (37, False)])
def test_a_session_that_nobody_ended_was_over_after_12_hours(
    one: EnrolledTablet, ledger: Database, hours: int, accepted: bool
) -> None:
    one.begin(MR.id, ago=timedelta(hours=hours))
    answer = one.deliver(one.sign_tap("TOMAR", MR.id, "k"))
    if accepted:
        done(answer)
    else:
        not_valid(answer, ledger)


def test_the_idle_lock_ends_the_cookie_and_not_the_signing(one: EnrolledTablet, ledger: Database) -> None:
    one.begin(MR.id, ago=timedelta(hours=1))
    refused(one.tap("TOMAR", worker_id=MR.id), 401, "SESION_REQUERIDA", bloqueada=True)
    done(one.deliver(one.sign_tap("TOMAR", MR.id, "k")))
    refused(one.tap("PAUSAR", worker_id=MR.id), 401, "SESION_REQUERIDA", bloqueada=True)


def test_taps_of_a_revoked_device_are_refused(pin_shop: IdentityShop, one: EnrolledTablet, ledger: Database) -> None:
    one.begin(MR.id)
    tap = one.sign_tap("TOMAR", MR.id, "k")
    revoke_device(ledger, one.device)
    pin_shop.forget_lookups()
    not_valid(one.deliver(tap), ledger)


def test_taps_of_somebody_who_left_do_nothing(pin_shop: IdentityShop, one: EnrolledTablet, ledger: Database) -> None:
    one.begin(MR.id)
    first, second = one.sign_tap("TOMAR", MR.id, "k-1"), one.sign_tap("PAUSAR", MR.id, "k-2")
    done(one.deliver(first))
    with ledger.writing() as tx:
        people.deactivate(tx, MR.id, people.ChangeAuthor(datetime.now(UTC)))
    pin_shop.forget_lookups()
    refused(one.deliver(second), 403, "WORKER_INACTIVO")
    assert replayed(one.deliver(first)), "what was done before is still told"
    assert len(acted(ledger)) == 1


def test_a_late_tap_needs_the_role_that_its_author_has_when_it_arrives(
    pin_shop: IdentityShop, one: EnrolledTablet, ledger: Database
) -> None:
    one.begin(LP.id)
    tap = one.sign_tap("TOMAR", LP.id, "k")
    with ledger.writing() as tx:
        tx.run("role_upsert", worker_id=LP.id, rol=Rol.ARMADOR.value, activo=0)
    refused(one.deliver(tap), 403, "ROL_NO_AUTORIZADO")


@pytest.mark.parametrize(
    ("clock", "recorded"),
    [
        ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00+00:00"),
        ("2099-12-31T23:59:59.999Z", "2099-12-31T23:59:59+00:00"),
        ("2020-02-30T00:00:00Z", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("9999-12-31T23:59:59-12:00", None),
    ],
)
def test_a_tablet_with_a_wrong_clock_works_and_its_time_is_recorded(
    one: EnrolledTablet, ledger: Database, clock: str, recorded: str | None
) -> None:
    one.begin(MR.id)
    done(one.deliver(one.sign_tap("TOMAR", MR.id, "k", at=clock)))
    (event,) = acted(ledger)
    assert event.metadata.get("hecho_en") == recorded
    assert abs(event.at - datetime.now(UTC)) < timedelta(minutes=1), "the event's own time is the server's"
    (shown,) = one.see_history()["events"]
    assert shown["metadata"].get("hecho_en") == recorded


def test_a_tap_made_an_hour_ago_says_when_it_was_made(one: EnrolledTablet, ledger: Database) -> None:
    one.begin(MR.id, ago=timedelta(hours=2))
    made = (datetime.now(UTC) - timedelta(hours=1)).replace(microsecond=0)
    done(one.deliver(one.sign_tap("TOMAR", MR.id, "k", at=made.isoformat())))
    assert acted(ledger)[0].metadata["hecho_en"] == made.isoformat()


def test_only_actions_are_signed(one: EnrolledTablet, ledger: Database) -> None:
    one.begin(SV.id)
    for method, path in (("GET", "/api/spools"), ("POST", "/api/sync/retry"), ("POST", "/api/sesion/uso")):
        tap = one.sign(path, {}, "k")
        headers = {"Carrete-Tap": tap.header, "Content-Type": "application/json", "Idempotency-Key": "k"}
        refused(one.send(method, path, headers=headers), 401, "TOQUE_NO_VALIDO")


def test_a_supervisors_action_is_never_done_late(pin_shop: IdentityShop, one: EnrolledTablet, ledger: Database) -> None:
    put(ledger, [held(a_spool("H"), JS)])
    one.begin(SV.id)
    tap = one.sign(LIBERAR, {"tag_spool": "H", "supervisor_id": SV.id, "motivo": "Turno"}, "k")
    one.end(last_tap=1)
    pin_shop.forget_lookups()
    refused(one.deliver(tap), 403, "PIN_REQUERIDO")
    assert spool_in(ledger, "H").occupation is not None


def test_a_supervisors_signed_action_needs_a_fresh_pin(one: EnrolledTablet, ledger: Database) -> None:
    put(ledger, [held(a_spool("H"), JS)])
    one.begin(SV.id)
    change_session(ledger, one.session_id, pin_at=datetime.now(UTC) - timedelta(minutes=6))
    body = {"tag_spool": "H", "supervisor_id": SV.id, "motivo": "Turno"}
    refused(one.deliver(one.sign(LIBERAR, body, "k")), 403, "PIN_REQUERIDO")
    change_session(ledger, one.session_id, pin_at=datetime.now(UTC))
    done(one.deliver(one.sign(LIBERAR, body, "k")))


def test_the_tap_key_of_a_sign_in_signs(one: EnrolledTablet, ledger: Database) -> None:
    done(one.sign_in(MR.id))
    assert one.tap_key == KEYS.tap_key(one.session_id)
    done(one.deliver(one.sign_tap("TOMAR", MR.id, "k")))


def test_a_tap_is_refused_in_the_same_way_for_an_unknown_and_a_known_session(
    one: EnrolledTablet, ledger: Database
) -> None:
    """Nothing in the answer shows a stranger whether a session number exists."""
    one.begin(MR.id)
    del one.cookies[DEVICE_COOKIE]
    forged = replace(one.sign_tap("TOMAR", MR.id, "k"), header=f"{one.session_id}, 1, 2026-11-16T13:30:00Z, {'0' * 64}")
    unknown = replace(forged, header=forged.header.replace(one.session_id, "s-0000"))
    codes = [(answer.status_code, answer.json()["code"]) for answer in map(one.deliver, (forged, unknown))]
    assert codes == [(401, "TOQUE_NO_VALIDO")] * 2
