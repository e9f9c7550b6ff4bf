"""The shop's name stands on the first screen of its tablets, however long it is."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from carrete.shop_settings import change
from carrete.shop_settings.values import NAME_LENGTH_MAX
from tests.support.browser import SIZES, Tablets, look, overflow_px, violations
from tests.support.builders import NOW, a_spool
from tests.support.gated import eventually
from tests.support.pin_shop import PinShop, pin_shop
from tests.support.signed_in import EnrolledTablet, enrol

LONG = "Maestranza y prefabricación de cañerías Ñuñoa ".ljust(NAME_LENGTH_MAX, "W")
FOLLOWED_S = 5.0


def rename(shop: PinShop, name: str) -> None:
    """As the page does it, and until the server follows."""
    with shop.database.writing() as tx:
        change(tx, {"nombre_taller": name}, None, NOW)
    with shop.server.client() as client:
        device = EnrolledTablet(client.request, enrol(shop.database), shop.database)
        eventually(lambda: device.see("/api/acceso")["taller"] == name, FOLLOWED_S)


def test_the_first_screen_shows_the_shops_name_in_every_size(tablets: Tablets, tmp_path: Path) -> None:
    with pin_shop(tablets, tmp_path, [a_spool("MK-1")]) as shop, shop.tablet(for_axe=True) as screen:
        page = screen.page
        page.goto(shop.server.url)
        bar = page.get_by_role("banner")
        expect(bar).to_contain_text("Carrete")
        rename(shop, LONG)
        page.reload()
        expect(bar).to_contain_text(LONG)
        for theme in ("light", "dark"):
            for size in SIZES:
                look(page, theme, size)
                assert overflow_px(page) == 0, size
                assert violations(page) == [], size
