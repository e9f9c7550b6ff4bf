"""What strangers and floods cannot do to the memory of identity and to the queue of its transactions."""

from __future__ import annotations

from carrete.identity.pins import WAITING_MAX
from tests.support.answers import done, refused
from tests.support.builders import a_spool, put
from tests.support.people import MR
from tests.support.signed_in import EnrolledTablet, IdentityShop


def test_a_stranger_s_wrong_codes_do_not_empty_the_memory(pin_shop: IdentityShop, one: EnrolledTablet) -> None:
    put(pin_shop.database, [a_spool()])
    one.begin(MR.id)
    done(one.tap("TOMAR", worker_id=MR.id))
    stranger, kept = pin_shop.stranger(), len(pin_shop.services.identity.lookups._kept)
    assert kept
    wrong = {"codigo": "AAAA-AAAA"}
    refused(stranger.post("/api/dispositivos/inscripciones/usar", wrong), 401, "CODIGO_NO_VALIDO")
    person = {"worker_id": 900, "nombre": "Ana", "apellido": "Paz", "pin": "482915", "dispositivo": "PC"}
    refused(stranger.post("/api/configuracion/administrador", {**wrong, **person}), 401, "CODIGO_NO_VALIDO")
    assert len(pin_shop.services.identity.lookups._kept) == kept


def test_a_flood_of_names_has_an_end(device_shop: IdentityShop) -> None:
    """Without one, a tablet could queue thousands of sign-ins in front of its own revocation."""
    hasher = device_shop.services.identity.hasher
    tablet = device_shop.tablet()
    hasher._waiting += WAITING_MAX
    try:
        refused(tablet.sign_in(MR.id, None), 429, "DEMASIADOS_INTENTOS")
    finally:
        hasher._waiting -= WAITING_MAX
    done(tablet.sign_in(MR.id, None))


def test_a_long_cookie_is_believed_and_not_kept(pin_shop: IdentityShop, one: EnrolledTablet) -> None:
    put(pin_shop.database, [a_spool()])
    one.begin(MR.id)
    one.cookies["other"] = "x" * 4_000
    done(one.tap("TOMAR", worker_id=MR.id))
    kept = pin_shop.app._gatekeeper._visitors._by_cookie._values
    assert all(len(cookie) < 4_000 for cookie in kept)
