"""Notes and photos with identity: a late note is its author's, and its photos need only the tablet."""

from __future__ import annotations

import httpx
import pytest

from carrete.identity.records import TokenScope
from carrete.ledger.database import Database
from tests.support.answers import done, refused, replayed
from tests.support.builders import TAG, a_spool, put
from tests.support.people import JS, MR
from tests.support.photos import FOTOS, JPEG, a_photo
from tests.support.signed_in import EnrolledTablet, IdentityShop, acted
from tests.support.tablet import Tablet, in_path

SLASHED = "A/B 100%"


@pytest.fixture
def ledger(pin_shop: IdentityShop) -> Database:
    put(pin_shop.database, [a_spool(), a_spool(SLASHED)])
    return pin_shop.database


def upload(tablet: Tablet) -> httpx.Response:
    return tablet.send("POST", FOTOS, content=a_photo(), headers={"Content-Type": JPEG})


def path_of(tag: str) -> str:
    return f"/api/spools/{in_path(tag)}/notas"


@pytest.mark.parametrize("tag", [TAG, SLASHED])
def test_a_late_note_with_a_photo_belongs_to_its_author_not_to_the_person_signed_in(
    one: EnrolledTablet, ledger: Database, tag: str
) -> None:
    one.begin(MR.id)
    photo = done(upload(one))["id"]
    tap = one.sign(path_of(tag), {"worker_id": MR.id, "texto": "Poro", "fotos": [photo]}, "k")
    one.begin(JS.id)
    assert done(one.deliver(tap))["action_taken"] == "NOTA"
    assert replayed(one.deliver(tap))
    (event,) = acted(ledger)
    assert (event.worker, event.metadata["texto"], event.metadata["fotos"]) == (MR.label, "Poro", [photo])
    assert event.metadata["via"]["device"] == one.device.id


def test_a_signature_for_one_spool_is_none_for_another(one: EnrolledTablet, ledger: Database) -> None:
    one.begin(MR.id)
    tap = one.sign(path_of(TAG), {"worker_id": MR.id, "texto": "Poro"}, "k")
    sent = one.post(path_of(SLASHED), content=tap.body, key=tap.key, headers={"Carrete-Tap": tap.header})
    refused(sent, 401, "TOQUE_NO_VALIDO")
    assert acted(ledger) == []


def test_a_note_in_another_persons_name_is_refused(one: EnrolledTablet, ledger: Database) -> None:
    one.begin(MR.id)
    refused(one.post(path_of(TAG), {"worker_id": JS.id, "texto": "Poro"}), 403, "IDENTIDAD_DISTINTA")
    done(one.post(path_of(TAG), {"texto": "Poro"}))
    assert [event.worker for event in acted(ledger)] == [MR.label]


def test_a_tablet_uploads_and_shows_photos_also_while_nobody_is_signed_in(
    one: EnrolledTablet, ledger: Database
) -> None:
    photo = done(upload(one))["id"]
    assert one.get(f"{FOTOS}/{photo}").status_code == 200
    refused(one.post(path_of(TAG), {"worker_id": MR.id, "fotos": [photo]}), 401, "SESION_REQUERIDA")


def test_a_stranger_and_a_token_that_only_reads_upload_nothing(pin_shop: IdentityShop, ledger: Database) -> None:
    refused(upload(pin_shop.stranger()), 401, "DISPOSITIVO_NO_INSCRITO")
    reads = pin_shop.token(TokenScope.LEER)
    refused(upload(reads), 403, "PERMISO_INSUFICIENTE")
    acts = pin_shop.token(TokenScope.LEER, TokenScope.ACTUAR)
    photo = done(upload(acts))["id"]
    assert reads.get(f"{FOTOS}/{photo}").status_code == 200
    refused(pin_shop.stranger().get(f"{FOTOS}/{photo}"), 401, "DISPOSITIVO_NO_INSCRITO")
