"""Between the racks: a tablet that works without a connection, says so, and is confirmed or refused when it is back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import Screen, Tablets
from tests.support.builders import a_joint, a_spool, held
from tests.support.people import JS, LP, MR
from tests.support.pin_shop import PinShop, pin_shop, posted, sign_in

WHOLE, JOINTS, MINE = "MK-1335-CW-25238-001", "MK-1335-CW-25238-010", "MK-1335-CW-25238-020"
READY = "navigator.serviceWorker.ready.then(async () => (await caches.keys()).length)"


@pytest.fixture
def shop(tablets: Tablets, tmp_path: Path) -> Iterator[PinShop]:
    spools = [a_spool(WHOLE), a_spool(JOINTS, total_uniones=4), held(a_spool(MINE, total_uniones=2), LP)]
    joints = [a_joint(n, JOINTS) for n in range(1, 5)] + [a_joint(n, MINE) for n in (1, 2)]
    with pin_shop(tablets, tmp_path, spools, joints) as running:
        yield running


def ready(screen: Screen) -> Page:
    """Signed in, with the app and the spools on the tablet."""
    page = screen.open()
    sign_in(screen, LP)
    screen.row(WHOLE).wait_for()
    assert page.evaluate(READY) == 1
    for _ in range(100):
        if page.evaluate(STORED):
            return page
        page.wait_for_timeout(100)
    raise AssertionError("the tablet keeps no copy of the spools")


STORED = """() => new Promise(found => {
    const request = indexedDB.open('carrete-offline', 1);
    request.onsuccess = () => {
        const database = request.result;
        if (!database.objectStoreNames.contains('cards')) return found(false);
        const count = database.transaction('cards').objectStore('cards').count();
        count.onsuccess = () => { database.close(); found(count.result >= 3); };
    };
    request.onerror = () => found(false);
})"""


def test_a_tablet_without_wifi_opens_after_a_reload_and_its_work_arrives_as_one_chain(shop: PinShop) -> None:
    with shop.tablet(installed=True) as screen:
        page = ready(screen)
        page.context.set_offline(True)
        page.reload()
        expect(page.get_by_text("visto recién").or_(page.get_by_text("visto hace"))).to_be_visible()
        expect(screen.mine()).to_have_count(1)
        page.get_by_role("searchbox").fill("-010")
        expect(screen.row(WHOLE)).to_have_count(0)
        screen.pick(JOINTS)
        screen.tap("INICIAR")
        expect(page.get_by_text(f"Sin enviar: INICIAR {JOINTS}")).to_be_visible()
        expect(page.get_by_text("Guardado en este tablet.")).to_be_visible()
        expect(page.get_by_role("article").get_by_text("Provisional")).to_be_visible()
        for n in (1, 2, 3):
            screen.joint(n).click()
        expect(page.get_by_text("Seleccionadas: 3/4")).to_be_visible()
        screen.tap("FINALIZAR")
        expect(page.get_by_text(f"Sin enviar: INICIAR + FINALIZAR {JOINTS}")).to_be_visible()
        assert shop.authors(JOINTS) == []
        page.reload()
        expect(page.get_by_text("2 acciones sin enviar")).to_be_visible()
        posts = posted(page)
        page.context.set_offline(False)
        expect(page.get_by_text("Confirmado:")).to_be_visible()
        expect(page.get_by_text("sin enviar")).to_have_count(0)
        assert [post.url.rpartition("/")[2] for post in posts if "occupation" in post.url] == ["cadena"]
    assert shop.authors(JOINTS) == [
        ("INICIAR_SPOOL", "LP(7)"),
        *[("UNION_ARM_REGISTRADA", "LP(7)")] * 3,
        ("PAUSAR_SPOOL", "LP(7)"),
    ]
