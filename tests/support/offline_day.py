"""A day between the racks as docs/offline.md describes it: a tablet over HTTPS that loses its Wi-Fi, is reloaded,
killed, opened again, works on, and comes back; once to a spool that nobody else touched, once to one that another
worker took. `python -m tests.support.offline_day FOLDER` takes the pictures anew."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from playwright.sync_api import BrowserContext, Page, Playwright, expect, sync_playwright

from carrete.identity.records import DeviceKind
from carrete.tls.authority import CERTIFICATE_FILE
from carrete.tls.files import tls_folder
from tests.support.browser import Screen, Tablets, launch
from tests.support.builders import a_joint, a_spool
from tests.support.chromium_trust import trust_authority
from tests.support.kept_on_tablet import files_kept, kill_browser_of, profile, wait_until_kept
from tests.support.lan import HOST
from tests.support.people import LP, MR, SV
from tests.support.pin_shop import LOST, PinShop, pin_shop, put_device_cookie, sign_in
from tests.support.signed_in import EnrolledTablet, enrol
from tests.support.tablet import Json
from tests.support.wifi import Wifi, wifi_to

ALONE, SHARED = "MK-1335-CW-25238-010", "MK-1335-CW-25238-020"
OTHERS = [f"MK-1335-CW-25238-{n:03}" for n in (1, 2, 3)]
DN_MILLI = {1: 2_125, 2: 3_376, 3: 1_001, 4: 4_000}
LAN = ("--lan", "--host", HOST, "--http-port", "0")


@dataclass
class OfflineDay:
    playwright: Playwright
    shop: PinShop
    wifi: Wifi
    home: Path  # of the browsers: what they trust is there
    folder: Path
    pictures: Path
    tablet: Path = field(init=False)  # the profile of its browser

    def __post_init__(self) -> None:
        self.tablet = self.folder / "tablet"
        self.pictures.mkdir(parents=True, exist_ok=True)

    def picture(self, page: Page, name: str) -> None:
        page.screenshot(path=self.pictures / f"{name}.png")

    @contextmanager
    def opened(self) -> Iterator[Screen]:
        """The tablet's browser, started with the profile that it had."""
        with profile(self.playwright, self.tablet, home=self.home) as context:
            yield Screen(context.pages[0], self.wifi.url)

    def visit(self) -> None:
        """Once with a connection: from now on the tablet has the app and the spools."""
        with self.opened() as screen:
            self._enrol(screen.page.context)
            page = screen.open()
            assert page.evaluate("isSecureContext")
            assert page.url.startswith("https:")
            sign_in(screen, LP)
            screen.row(ALONE).wait_for()
            assert "/index.html" in files_kept(page)
            wait_until_kept(page, "cards", 2 + len(OTHERS))

    def _enrol(self, context: BrowserContext) -> None:
        put_device_cookie(context, self.wifi.url, enrol(self.shop.database, DeviceKind.TABLET).secret)

    def work_without_wifi(self, tag: str) -> None:
        """Reload, kill, reopen, take, kill, tick three joints, finish, kill."""
        with self.opened() as screen:
            page = screen.open("/trabajo/ARM")
            screen.row(tag).wait_for()
            self.wifi.cut()
            page.reload()
            expect(page.get_by_text("Sin conexión: spools como estaban, visto")).to_be_visible()
            self.picture(page, "list")
            kill_browser_of(self.tablet)
        with self.opened() as screen:
            page = screen.open("/trabajo/ARM")
            screen.pick(tag)
            screen.tap("INICIAR")
            expect(page.get_by_text(f"Sin enviar: INICIAR {tag}")).to_be_visible()
            expect(page.get_by_text("Guardado en este tablet.")).to_be_visible()
            self.picture(page, "taken")
            kill_browser_of(self.tablet)
        with self.opened() as screen:
            page = screen.open(f"/trabajo/ARM/{tag}")
            expect(page.get_by_role("article").get_by_text("Lo tiene usted")).to_be_visible()
            for n in (1, 2, 3):
                screen.joint(n).click()
            self.picture(page, "ticked")
            screen.tap("FINALIZAR")
            expect(page.get_by_text(f"Sin enviar: INICIAR + FINALIZAR {tag}")).to_be_visible()
            expect(page.get_by_text("Guardado en este tablet.")).to_be_visible()
            self.picture(page, "finished")
            kill_browser_of(self.tablet)
        assert not [one for one in self.shop.authors(tag) if one[1] == LP.label], "nothing has arrived yet"

    def come_back(self) -> None:
        with self.opened() as screen:
            page = screen.open("/trabajo/ARM")
            expect(page.get_by_text("2 acciones sin enviar")).to_be_visible()
            self.wifi.mend()
            expect(page.get_by_text("Confirmado:")).to_be_visible()
            expect(page.get_by_text("sin enviar")).to_have_count(0)
            self.picture(page, "confirmed")
            wait_until_kept(page, "taps", 0)

    def another_takes_it(self, tag: str) -> None:
        """MR fits the third joint, and has the spool again."""
        with self.shop.server.client() as client:
            other = EnrolledTablet(client.request, enrol(self.shop.database), self.shop.database)
            other.sign_in(MR.id)
            for path, more in (("iniciar", {}), ("finalizar", {"selected_unions": [3]}), ("iniciar", {})):
                body: Json = {"tag_spool": tag, "worker_id": MR.id, "operacion": "ARM", **more}
                answer = other.post(f"/api/v4/occupation/{path}", body)
                assert answer.status_code == 200, answer.text

    def come_back_too_late(self, tag: str) -> None:
        """A supervisor has the page open all the while, accepts two of the three joints, and the worker is told."""
        office = self.shop.tablet(kind=DeviceKind.OFICINA, size=(1280, 800), allow=LOST)
        with office as supervisor, self.opened() as screen:
            supervisor.open("/supervision")
            sign_in(supervisor, SV)
            expect(supervisor.page.get_by_role("button", name="Ahora")).to_be_visible()
            page = screen.open("/trabajo/ARM")
            expect(page.get_by_text("2 acciones sin enviar")).to_be_visible()
            self.wifi.mend()
            expect(page.get_by_text("Su trabajo no se pierde")).to_be_visible()
            expect(page.get_by_text("1 reclamo suyo espera a un supervisor.")).to_be_visible()
            self.picture(page, "refused")
            self._accept_two(supervisor, tag)
            screen.tap("Salir")
            sign_in(screen, LP)
            expect(page.get_by_text("SV(21) aceptó 2 de 3 (5.501 pulgadas)")).to_be_visible()
            self.picture(page, "decided")
            wait_until_kept(page, "taps", 0)

    def _accept_two(self, supervisor: Screen, tag: str) -> None:
        page = supervisor.page
        page.locator("[data-reclamo] button").click()  # the page has got the event by itself
        dialog = page.get_by_role("dialog", name=tag)
        expect(dialog.get_by_text(f"Ahora lo tiene {MR.label}")).to_be_visible()
        expect(dialog.locator('[data-work="ARM 3"]')).to_be_disabled()
        for n in (1, 2):
            dialog.locator(f'[data-work="ARM {n}"]').click()
        dialog.get_by_label("Motivo").fill("Visto en el taller")
        self.picture(page, "reclamo")
        dialog.get_by_role("button", name="Aceptar 2 trabajos").click()
        expect(page.get_by_text("Registrado: 2 · 5.501 pulgadas.")).to_be_visible()
        expect(page.locator("[data-reclamo]")).to_have_count(0)

    def inches(self) -> dict[str, float]:
        """Fitted today, by worker."""
        today = datetime.now(ZoneInfo("America/Santiago")).date().isoformat()
        with self.shop.server.client() as client:
            reader = EnrolledTablet(client.request, enrol(self.shop.database), self.shop.database)
            found = reader.see("/api/metrics/pulgadas", desde=today, hasta=today, por="worker", operacion="ARM")
        return {row["worker"]: row["pulgadas"] for row in found["rows"]}


@contextmanager
def offline_day(playwright: Playwright, folder: Path, pictures: Path) -> Iterator[OfflineDay]:
    data, home = folder / "data", folder / "home"
    data.mkdir()
    spools = [a_spool(tag, total_uniones=len(DN_MILLI)) for tag in (ALONE, SHARED)]
    joints = [a_joint(n, tag, dn_milli=dn) for tag in (ALONE, SHARED) for n, dn in DN_MILLI.items()]
    nobody = Tablets(None, playwright)  # type: ignore[arg-type]
    all_spools = [*spools, *(a_spool(tag) for tag in OTHERS)]
    with pin_shop(nobody, data, all_spools, joints, arguments=LAN, CARRETE_MDNS="off") as shop:
        trust_authority(home, tls_folder(data) / CERTIFICATE_FILE)
        browser = launch(playwright, home=home)
        office = replace(shop, tablets=Tablets(browser, playwright))
        try:
            with wifi_to(shop.server.url) as wifi:
                yield OfflineDay(playwright, office, wifi, home, folder, pictures)
        finally:
            browser.close()


def walk(day: OfflineDay) -> None:
    day.visit()
    day.work_without_wifi(ALONE)
    day.come_back()
    day.work_without_wifi(SHARED)
    day.another_takes_it(SHARED)
    day.come_back_too_late(SHARED)


if __name__ == "__main__":
    with (
        tempfile.TemporaryDirectory() as scratch,
        sync_playwright() as running,
        offline_day(running, Path(scratch), Path(sys.argv[1])) as walked,
    ):
        walk(walked)
