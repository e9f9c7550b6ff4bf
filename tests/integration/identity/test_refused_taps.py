"""A refused tap leaves an access event: who it claims to be from, and which device sent it. Each test has a client
address of its own, because each reason is recorded once a minute for one address."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from structlog.testing import capture_logs

from carrete.api.server.refusal_log import refusal_log
from carrete.identity.access_events import AccessEvent, AccessKind
from carrete.identity.lookup_queries import sessions_of_ids
from carrete.identity.records import TokenScope
from carrete.ledger.database import Database
from tests.support.answers import done, refused
from tests.support.builders import TAG, a_spool, put
from tests.support.gated import eventually
from tests.support.people import LP, MR
from tests.support.signed_in import EnrolledTablet, IdentityShop, SignedPost, acted, enrol, revoke_device
from tests.support.signing_in import recorded

NOTE_S_MAX = 5.0
TOMAR = "/api/occupation/tomar"
_ADDRESSES = (f"198.51.100.{number}" for number in count(1))

Forge = Callable[[IdentityShop, EnrolledTablet], SignedPost]


@pytest.fixture
def ledger(pin_shop: IdentityShop) -> Database:
    put(pin_shop.database, [a_spool()])
    return pin_shop.database


def tablet_elsewhere(shop: IdentityShop) -> EnrolledTablet:
    return EnrolledTablet(shop.sends((next(_ADDRESSES), 4711)), enrol(shop.database), shop.database)


def refusals_recorded(ledger: Database, at_least: int = 1) -> list[AccessEvent]:
    eventually(lambda: len(recorded(ledger, AccessKind.IDENTIDAD_RECHAZADA)) >= at_least, NOTE_S_MAX)
    return recorded(ledger, AccessKind.IDENTIDAD_RECHAZADA)


def wrongly_signed(_: IdentityShop, tablet: EnrolledTablet) -> SignedPost:
    tap = tablet.sign_tap("TOMAR", MR.id, "k")
    return replace(tap, header=tap.header[:-64] + "0" * 64)


def above_the_last_number(shop: IdentityShop, tablet: EnrolledTablet) -> SignedPost:
    tap = tablet.sign_tap("TOMAR", MR.id, "k", number=3)
    tablet.end(last_tap=2)
    shop.forget_lookups()
    return tap


def with_a_used_number(shop: IdentityShop, tablet: EnrolledTablet) -> SignedPost:
    tablet.end(last_tap=1, unsent=[])
    shop.forget_lookups()
    return tablet.sign_tap("TOMAR", MR.id, "k", number=1)


def too_late(shop: IdentityShop, tablet: EnrolledTablet) -> SignedPost:
    tablet.begin(MR.id, ago=timedelta(hours=37))
    return tablet.sign_tap("TOMAR", MR.id, "k")


def of_a_revoked_device(shop: IdentityShop, tablet: EnrolledTablet) -> SignedPost:
    tap = tablet.sign_tap("TOMAR", MR.id, "k")
    revoke_device(shop.database, tablet.device)
    shop.forget_lookups()
    return tap


@pytest.mark.parametrize(
    ("forge", "reason"),
    [
        (wrongly_signed, "la firma no corresponde."),
        (above_the_last_number, "la sesión había terminado antes."),
        (with_a_used_number, "al salir, el tablet no lo contó entre los toques que le faltaba enviar."),
        (too_late, "su sesión terminó hace más de 24 horas."),
        (of_a_revoked_device, "su dispositivo fue revocado."),
    ],
)
def test_a_refused_tap_of_a_known_session_is_recorded_with_its_person_and_device(
    pin_shop: IdentityShop, ledger: Database, forge: Forge, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refusal_log, "lines_per_minute_max", 10**9)  # earlier tests used up the minute
    tablet = tablet_elsewhere(pin_shop)
    tablet.begin(MR.id)
    tap = forge(pin_shop, tablet)
    with capture_logs() as logged:
        refused(tablet.deliver(tap), 401, "TOQUE_NO_VALIDO")
    (event,) = refusals_recorded(ledger)
    assert (event.worker_id, event.device_id) == (MR.id, tablet.device.id)
    assert event.detail == f"toque: {reason} Sesión {tablet.session_id}. {TOMAR}"
    assert event.address is not None
    (line,) = [line for line in logged if line["event"] == "refused"]
    assert (line["code"], line["session"], line["reason"]) == ("TOQUE_NO_VALIDO", tablet.session_id, reason)


def test_a_forged_tap_is_recorded_with_the_device_that_sent_it(pin_shop: IdentityShop, ledger: Database) -> None:
    """Somebody at one tablet sends a tap in the name of who is signed in at another."""
    victim, forger = pin_shop.tablet(), tablet_elsewhere(pin_shop)
    victim.begin(MR.id)
    forger.begin(LP.id)
    refused(forger.deliver(wrongly_signed(pin_shop, victim)), 401, "TOQUE_NO_VALIDO")
    (event,) = refusals_recorded(ledger)
    assert (event.worker_id, event.device_id) == (MR.id, forger.device.id)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "no header of ours",
        "s-0000, 1, 2026-11-16T13:30:00Z, " + "0" * 64,
        "A" * 60_000 + ", 1, 2026-11-16T13:30:00Z, " + "0" * 64,
    ],
)
def test_a_refused_tap_of_no_known_session_is_recorded_with_its_address(
    pin_shop: IdentityShop, ledger: Database, header: str
) -> None:
    address = next(_ADDRESSES)
    stranger = pin_shop.stranger((address, 4711))
    body = {"tag_spool": TAG, "operacion": "ARM"}
    refused(stranger.post(TOMAR, body, key="k", headers={"Carrete-Tap": header}), 401, "TOQUE_NO_VALIDO")
    (event,) = refusals_recorded(ledger)
    assert (event.worker_id, event.device_id, event.address) == (None, None, address)
    assert event.detail is not None
    assert event.detail.endswith(TOMAR)
    assert len(event.detail) < 200, "whatever a stranger sends"


@pytest.mark.parametrize("path", [TOMAR, "/api/spools"])
def test_a_program_with_a_token_signs_nothing(pin_shop: IdentityShop, ledger: Database, path: str) -> None:
    """For a tap with a bad signature neither the token nor anybody else counts; a tap with a good one belongs to its
    author."""
    tablet = tablet_elsewhere(pin_shop)
    tablet.begin(MR.id)
    program = pin_shop.token(TokenScope.LEER, TokenScope.ACTUAR, client=(next(_ADDRESSES), 4711))
    body = {"tag_spool": TAG, "operacion": "ARM", "worker_id": LP.id}
    for header in (tablet.sign(TOMAR, body, "k").header, wrongly_signed(pin_shop, tablet).header, ""):
        method = "POST" if path == TOMAR else "GET"
        answer = program.send(method, path, json=body, headers={"Carrete-Tap": header, "Idempotency-Key": "k"})
        refused(answer, 401, "TOQUE_NO_VALIDO")
    assert acted(ledger) == []
    (event,) = refusals_recorded(ledger)
    assert event.detail == f"toque: una solicitud con token no se firma. {path}"
    done(program.post(TOMAR, body, key="k"))


def test_many_refused_taps_of_one_address_are_one_event_a_reason(pin_shop: IdentityShop, ledger: Database) -> None:
    tablet = tablet_elsewhere(pin_shop)
    tablet.begin(MR.id)
    forged = wrongly_signed(pin_shop, tablet)
    for _ in range(20):
        refused(tablet.deliver(forged), 401, "TOQUE_NO_VALIDO")
    refused(tablet.deliver(replace(forged, header="")), 401, "TOQUE_NO_VALIDO")
    details = [event.detail or "" for event in refusals_recorded(ledger, at_least=2)]
    assert [detail.partition(".")[0] for detail in details] == [
        "toque: la firma no corresponde",
        "toque: la cabecera Carrete-Tap no tiene la forma debida",
    ]


def test_a_path_with_characters_that_no_ledger_stores_is_recorded_as_it_was_sent(
    pin_shop: IdentityShop, ledger: Database
) -> None:
    stranger = pin_shop.stranger((next(_ADDRESSES), 4711))
    refused(stranger.post("/api/spools/a%00b%0Ac/notas", {}, headers={"Carrete-Tap": "x"}), 401, "TOQUE_NO_VALIDO")
    (event,) = refusals_recorded(ledger)
    assert event.detail is not None
    assert event.detail.endswith("/api/spools/a%00b%0Ac/notas")


def test_refused_taps_that_cannot_be_written_hold_nothing_else_back(pin_shop: IdentityShop, ledger: Database) -> None:
    tablet = tablet_elsewhere(pin_shop)
    tablet.begin(MR.id, ago=timedelta(minutes=2))
    with ledger.writing() as tx:
        tx.execute("ALTER TABLE access_event RENAME TO access_event_elsewhere")
    refused(tablet.deliver(wrongly_signed(pin_shop, tablet)), 401, "TOQUE_NO_VALIDO")
    done(tablet.tap("TOMAR", worker_id=MR.id))
    eventually(lambda: session_used_since(ledger, tablet.session_id, timedelta(minutes=1)), NOTE_S_MAX)
    with ledger.writing() as tx:
        tx.execute("ALTER TABLE access_event_elsewhere RENAME TO access_event")
    (event,) = refusals_recorded(ledger)
    assert event.worker_id == MR.id


def session_used_since(ledger: Database, session_id: str, ago: timedelta) -> bool:
    with ledger.reading() as tx:
        return sessions_of_ids(tx, [session_id])[session_id].used_at > datetime.now(UTC) - ago
