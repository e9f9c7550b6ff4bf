"""POST /api/sistema/verificar: the administrator's page checks the trail, with the receipts of a tablet."""

from __future__ import annotations

import pytest

from carrete.identity.records import DeviceKind
from tests.integration.identity.conftest import ADA
from tests.support.builders import TAG, a_spool, put
from tests.support.people import MR
from tests.support.signed_in import EnrolledTablet, IdentityShop
from tests.support.tampering import tampering

PATH = "/api/sistema/verificar"


@pytest.fixture
def admin(pin_shop: IdentityShop) -> EnrolledTablet:
    office = pin_shop.tablet(DeviceKind.OFICINA)
    office.begin(ADA.id)
    return office


def test_the_page_says_whether_the_trail_is_whole_and_what_is_not(
    admin: EnrolledTablet, pin_shop: IdentityShop
) -> None:
    put(pin_shop.database, [a_spool(TAG)])
    tablet = pin_shop.tablet()
    tablet.begin(MR.id)
    taken = tablet.tap("tomar", worker_id=MR.id).json()
    receipt = {**taken["recibo"], "event_seq": taken["event_seq"], "version": taken["version"], "tag_spool": TAG}
    body = {"dispositivo": "Tablet 3", "recibos": [receipt]}
    whole = admin.post(PATH, body)
    assert (whole.status_code, whole.json()["integro"], whole.json()["testigos"]) == (200, True, 1), whole.text
    with tampering(pin_shop.database) as tx:
        tx.execute("UPDATE event SET worker = 'XX(1)'")
    found = admin.post(f"{PATH}?idioma=en", body).json()
    assert found["integro"] is False
    assert any("Event 1 was changed (TOMAR_SPOOL" in each["que"] for each in found["hallazgos"]), found


def test_only_an_administrator_may_ask(pin_shop: IdentityShop) -> None:
    tablet = pin_shop.tablet()
    tablet.begin(MR.id)
    assert tablet.post(PATH, {"recibos": []}).status_code == 403
