"""What strangers and floods cannot do to the memory of identity and to the queue of its transactions."""

from __future__ import annotations

import time

from carrete.domain.workers import Rol
from carrete.identity.pins import WAITING_MAX
from carrete.identity.throttle import DEVICE_FREE_FAILURES, DEVICE_WAITS_S
from tests.support.answers import done, refused
from tests.support.builders import a_spool, a_worker, put
from tests.support.people import MR
from tests.support.signed_in import EnrolledTablet, IdentityShop, give_pins


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


def test_a_long_cookie_is_accepted_and_not_cached(pin_shop: IdentityShop, one: EnrolledTablet) -> None:
    put(pin_shop.database, [a_spool()])
    one.begin(MR.id)
    one.cookies["other"] = "x" * 4_000
    done(one.tap("TOMAR", worker_id=MR.id))
    kept = pin_shop.app._gatekeeper._visitors._by_cookie._values
    assert all(len(cookie) < 4_000 for cookie in kept)


def test_one_pin_sprayed_over_two_hundred_people_is_slowed_from_the_twentieth_on(
    pin_shop: IdentityShop, one: EnrolledTablet, two: EnrolledTablet
) -> None:
    crowd = [a_worker(1_000 + n, "Ana", f"Paz {n}", roles=(Rol.ARMADOR,)) for n in range(200)]
    put(pin_shop.database, workers=crowd)
    give_pins(pin_shop.database, *(person.id for person in crowd))
    began = time.monotonic()
    answers = [one.sign_in(person.id, "739264") for person in crowd]
    seconds = time.monotonic() - began
    admitted = [answer.status_code == 401 for answer in answers]
    assert all(admitted[:DEVICE_FREE_FAILURES])
    assert not admitted[DEVICE_FREE_FAILURES] or seconds > DEVICE_WAITS_S[0], "the next one waits"
    assert sum(admitted) <= DEVICE_FREE_FAILURES + 1 + seconds / DEVICE_WAITS_S[0]
    slowed = next(answer for answer in answers if answer.status_code != 401)
    refused(slowed, 429, "DEMASIADOS_INTENTOS")
    assert 1 <= int(slowed.headers["Retry-After"]) <= max(DEVICE_WAITS_S)
    done(two.sign_in(MR.id))
