"""A session that began by name alone (mode `device`) never does more than it could when it began."""

from __future__ import annotations

from carrete.domain.authorship import Proof
from tests.support.answers import done, refused
from tests.support.builders import a_spool, put
from tests.support.people import LP, MR
from tests.support.signed_in import EnrolledTablet, IdentityShop, acted
from tests.support.signing_in import OTHER_PIN, PIN, WRONG_PIN


def make_administrator(shop: IdentityShop, worker_id: int) -> None:
    with shop.database.writing() as tx:
        tx.run("role_upsert", worker_id=worker_id, rol="Administrador", activo=1)
    shop.forget_lookups()


def test_a_new_privilege_needs_the_pin_before_anything_else(device_shop: IdentityShop) -> None:
    put(device_shop.database, [a_spool()])
    tablet = device_shop.tablet()
    done(tablet.sign_in(LP.id, None))
    assert not tablet.see("/api/sesion")["locked"]
    tap = tablet.sign_tap("TOMAR", LP.id, "k-1")
    make_administrator(device_shop, LP.id)
    assert tablet.see("/api/sesion")["locked"]
    refused(tablet.get("/api/personas"), 401, "SESION_REQUERIDA", bloqueada=True)
    refused(tablet.post(f"/api/personas/{MR.id}/pin", {}), 401, "SESION_REQUERIDA", bloqueada=True)
    refused(tablet.deliver(tap), 401, "SESION_REQUERIDA", bloqueada=True)
    assert not done(tablet.post("/api/sesion/pin", {"pin": PIN}))["locked"]
    assert tablet.get("/api/personas").status_code == 200
    done(tablet.deliver(tap))


def test_a_session_by_name_is_proven_by_the_pin_once_that_was_given(device_shop: IdentityShop) -> None:
    put(device_shop.database, [a_spool()])
    tablet = device_shop.tablet()
    assert done(tablet.sign_in(LP.id, None))["proof"] == "name"
    done(tablet.tap("TOMAR", worker_id=LP.id))
    done(tablet.deliver(tablet.sign_tap("PAUSAR", LP.id, "k-1")))
    assert done(tablet.post("/api/sesion/pin", {"pin": PIN}))["proof"] == "pin"
    assert tablet.see("/api/sesion")["proof"] == "pin"
    done(tablet.tap("TOMAR", worker_id=LP.id))
    done(tablet.deliver(tablet.sign_tap("PAUSAR", LP.id, "k-2")))
    proofs = [event.metadata["via"]["proof"] for event in acted(device_shop.database)]
    assert proofs == ["name", "name", "pin", "pin"]


def test_changing_the_pin_counts_as_giving_it(device_shop: IdentityShop) -> None:
    tablet = device_shop.tablet()
    done(tablet.sign_in(LP.id, None))
    done(tablet.post("/api/sesion/pin/cambiar", {"pin": PIN, "nuevo": OTHER_PIN}))
    assert tablet.see("/api/sesion")["proof"] == "pin"


def test_a_wrong_pin_proves_nothing(device_shop: IdentityShop) -> None:
    tablet = device_shop.tablet()
    done(tablet.sign_in(LP.id, None))
    refused(tablet.post("/api/sesion/pin", {"pin": WRONG_PIN}), 401, "PIN_INCORRECTO")
    assert tablet.see("/api/sesion")["proof"] == "name"


def test_a_session_by_name_is_locked_once_the_server_asks_everybody_for_a_pin(
    one: EnrolledTablet, pin_shop: IdentityShop
) -> None:
    put(pin_shop.database, [a_spool()])
    one.begin(MR.id, Proof.NAME)
    refused(one.tap("TOMAR", worker_id=MR.id), 401, "SESION_REQUERIDA", bloqueada=True)
    done(one.post("/api/sesion/pin", {"pin": PIN}))
    done(one.tap("TOMAR", worker_id=MR.id))
