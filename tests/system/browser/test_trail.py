"""The trail in the browser: a tablet's receipts are saved there, and the office compares the trail with them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from carrete.domain.trail.canonical import EMPTY
from carrete.identity.records import DeviceKind
from carrete.ledger.database import Database
from carrete.ledger.hash_old_events import chain_events_after
from tests.support.browser import Tablets
from tests.support.builders import a_spool
from tests.support.office import as_administrator, card
from tests.support.people import LP
from tests.support.pin_shop import PinShop, pin_shop, sign_in
from tests.support.tampering import tampering

ONE = "MK-1335-CW-25238-001"


@pytest.fixture
def shop(tablets: Tablets, tmp_path: Path) -> Iterator[PinShop]:
    with pin_shop(tablets, tmp_path, [a_spool(ONE)]) as running:
        yield running


def save_receipts(shop: PinShop, folder: Path) -> Path:
    """Of a tablet on which somebody took a spool and paused it."""
    with shop.tablet() as tablet:
        page = tablet.open()
        sign_in(tablet, LP)
        for taps in (("TOMAR",), ("PAUSAR", "PAUSAR")):  # the second in a question
            tablet.pick(ONE)
            for button in taps:
                tablet.tap(button)
            tablet.is_back_at_the_list()
        tablet.tap("Idioma y pantalla")
        with page.expect_download() as download:
            tablet.tap("Guardar los recibos de este tablet")
        return Path(download.value.path()).rename(folder / download.value.suggested_filename)


def rewrite(database: Database) -> None:
    """As the owner of the database does it: another worker, and the chain computed anew."""
    with tampering(database) as tx:
        tx.execute("UPDATE event SET worker = 'JP(94)' WHERE seq = 2")
        head = chain_events_after(tx, EMPTY)
        tx.many("trail_head_put", [{"id": 1, "seq": head.seq, "hash": head.hash}])


def test_the_office_sees_a_rewritten_trail_by_the_receipts_of_a_tablet(shop: PinShop, tmp_path: Path) -> None:
    file = save_receipts(shop, tmp_path)
    kept = json.loads(file.read_text("utf-8"))
    tablet = kept["dispositivo"]
    assert (tablet[:12], len(kept["carrete-recibos"])) == ("Dispositivo ", 2)
    assert file.name.startswith(f"recibos-{tablet.replace(' ', '-')}-2")
    with shop.tablet(kind=DeviceKind.OFICINA) as screen:
        trail = card(as_administrator(screen, "/administracion/sistema"), "Integridad del registro")
        trail.locator("input[type=file]").set_input_files(file)
        expect(trail.get_by_text("Íntegro", exact=True)).to_be_visible()
        rewrite(shop.database)
        trail.locator("input[type=file]").set_input_files(file)
        expect(trail.get_by_text("NO ESTÁ ÍNTEGRO", exact=True)).to_be_visible()
        expect(trail.get_by_text("El registro fue reescrito desde el evento 2")).to_contain_text(f"recibo de {tablet}.")
