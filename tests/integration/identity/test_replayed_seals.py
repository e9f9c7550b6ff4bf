"""A PIN that was typed offline lies sealed in the browser's storage: it unlocks its session once."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from carrete.identity.server_keys import seal
from tests.support.answers import done, refused
from tests.support.builders import a_spool, put
from tests.support.people import MR
from tests.support.signed_in import EnrolledTablet, IdentityShop, change_session
from tests.support.signing_in import KEYS, PIN, WRONG_PIN


def sealed_pin(tablet: EnrolledTablet) -> dict[str, str]:
    content = {"pin": PIN, "session": tablet.session_id, "at": "2026-11-16T13:30:00Z"}
    return {"sellado": seal(KEYS.seal_public_key(), json.dumps(content))}


def test_a_seal_unlocks_once(one: EnrolledTablet, pin_shop: IdentityShop) -> None:
    put(pin_shop.database, [a_spool()])
    one.begin(MR.id, ago=timedelta(minutes=7))
    sealed = sealed_pin(one)
    assert not done(one.post("/api/sesion/pin", sealed))["locked"]
    assert not done(one.post("/api/sesion/pin", sealed))["locked"], "a lost answer is asked for again"
    one.begin(MR.id, ago=timedelta(minutes=7))
    sealed = sealed_pin(one)
    done(one.post("/api/sesion/pin", sealed))
    make_idle(one, pin_shop)
    assert done(one.post("/api/sesion/pin", sealed))["locked"]
    refused(one.tap("TOMAR", worker_id=MR.id), 401, "SESION_REQUERIDA", bloqueada=True)


def test_a_seal_sent_again_forgives_no_wrong_pins(one: EnrolledTablet) -> None:
    one.begin(MR.id)
    sealed = sealed_pin(one)
    done(one.post("/api/sesion/pin", sealed))
    for _ in range(3):
        refused(one.post("/api/sesion/pin", {"pin": WRONG_PIN}), 401, "PIN_INCORRECTO")
        done(one.post("/api/sesion/pin", sealed))
    refused(one.post("/api/sesion/pin", {"pin": WRONG_PIN}), 429, "DEMASIADOS_INTENTOS")


def make_idle(tablet: EnrolledTablet, shop: IdentityShop) -> None:
    change_session(shop.database, tablet.session_id, used_at=datetime.now(UTC) - timedelta(minutes=7))
    shop.forget_lookups()
