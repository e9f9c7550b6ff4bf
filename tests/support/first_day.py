"""The first day of a shop as docs/first-day.md describes it: from the plain page to the first take on an enrolled
tablet, over HTTPS, in a Chromium that trusts the local authority because a person has installed it."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Locator, Page, Playwright, expect

from carrete.domain.workers import Rol
from tests.integration.workbook.files import PEOPLE, ROLES, write_file
from tests.support.browser import TABLET, WAIT_MS_MAX, launch
from tests.support.builders import a_worker
from tests.support.chromium_trust import trust_authority

OFFICE = (1280, 800)
PIN = "483915"
FINGER_MS = 120
TAG = "MK-1335-CW-25238-011"
WORKER = a_worker(93, "Mauricio", "Rodríguez", roles=(Rol.ARMADOR,))
FINGERPRINT = re.compile(r"(?:[0-9A-F]{2}:){31}[0-9A-F]{2}")
_CODE = re.compile(r"https://\S+/inscribir#[\w-]+")


@dataclass
class FirstDay:
    """Steps that a person does, with the seconds that each took, and a picture of each."""

    playwright: Playwright
    plain_page: str
    setup_page: str
    fingerprint: str  # as the terminal shows it
    folder: Path
    pictures: Path | None = None
    steps: list[tuple[str, float]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return self.setup_page.partition("/configurar")[0]

    def walk(self) -> None:
        self._nobody_trusts_it_by_itself()
        home = self.folder / "home"
        with self._step("trust the local authority"):
            trust_authority(home, self._authority_from_the_plain_page())
        with self._browser(home) as browser:
            office, tablet = _page(browser, OFFICE), _page(browser, TABLET)
            self._administrator(office)
            self._shop(office)
            self._spools(office)
            self._enrol(office, tablet)
            pin = self._pin_cards(office)
            self._first_take(office, tablet, pin)
            self._system(office)

    @contextmanager
    def _browser(self, home: Path) -> Iterator[Browser]:
        home.mkdir(exist_ok=True)
        browser = launch(self.playwright, home=home)
        try:
            yield browser
        finally:
            browser.close()

    @contextmanager
    def _step(self, what: str) -> Iterator[None]:
        begun = time.monotonic()
        yield
        self.steps.append((what, time.monotonic() - begun))

    def _picture(self, page: Page, name: str) -> None:
        if self.pictures:
            page.screenshot(path=self.pictures / f"{name}.png")

    def _nobody_trusts_it_by_itself(self) -> None:
        refused = pytest.raises(Error, match="ERR_CERT_AUTHORITY_INVALID")
        with self._browser(self.folder / "nobody") as browser, refused:
            _page(browser, OFFICE).goto(self.url)

    def _authority_from_the_plain_page(self) -> Path:
        """The person compares the fingerprint with the terminal's before installing what was downloaded."""
        with self._browser(self.folder / "nobody") as browser:
            page = _page(browser, OFFICE)
            page.goto(self.plain_page)
            assert ":".join(page.locator(".fingerprint").inner_text().split()) == self.fingerprint
            self._picture(page, "trust")
            downloaded = page.request.get(f"{self.plain_page}/carrete.pem")
            assert downloaded.ok
            certificate = self.folder / "carrete.pem"
            certificate.write_bytes(downloaded.body())
            return certificate

    def _administrator(self, office: Page) -> None:
        with self._step("make the administrator"):
            office.goto(self.setup_page)
            office.get_by_label("Su número de trabajador").fill("500")
            office.get_by_label("Nombre", exact=True).fill("Ana")
            office.get_by_label("Apellido").fill("Díaz")
            office.get_by_label("PIN de 6 dígitos").fill(PIN)
            office.get_by_label("El mismo PIN otra vez").fill(PIN)
            office.get_by_label("Nombre de este equipo").fill("Oficina")
            self._picture(office, "administrator")
            office.get_by_role("button", name="Crear administrador").click()
            expect(office.get_by_text("AD(500) es administrador.")).to_be_visible()
            office.get_by_role("link", name="Seguir con el taller").click()

    def _shop(self, office: Page) -> None:
        with self._step("describe the shop"):
            office.get_by_label("Nombre del taller").fill("Maestranza Norte")
            self._picture(office, "shop")
            office.get_by_role("button", name="Guardar y seguir").click()
            expect(office.get_by_text("Elegir o soltar un archivo .xlsx")).to_be_visible()

    def _spools(self, office: Page) -> None:
        with self._step("preview and import the workbook"):
            office.locator("input[type=file]").set_input_files(a_workbook(self.folder / "spools.xlsx"))
            apply = office.get_by_role("button", name=re.compile(r"^Importar \d+ cambios?$"))
            expect(apply).to_be_enabled()
            office.get_by_role("button", name=re.compile("rechazad")).first.click()
            expect(office.get_by_text("pronto").first).to_be_visible()
            self._picture(office, "preview")
            apply.click()
            self._confirm(office, "Sí, importar")
            expect(office.get_by_text(re.compile(r"^Importado\b"))).to_be_visible()
            office.get_by_role("button", name="Seguir", exact=True).click()

    def _enrol(self, office: Page, tablet: Page) -> None:
        with self._step("enrol the tablet"):
            office.get_by_label("Nombre del equipo").fill("Tablet nave 1")
            office.get_by_role("button", name="Tablet", exact=True).click()
            office.get_by_role("button", name="Inscribir un equipo", exact=True).click()
            expect(office.get_by_role("img", name="Código QR de inscripción")).to_be_visible()
            self._picture(office, "enrol")
            found = _CODE.search(office.locator("main").inner_text())
            assert found is not None
            tablet.goto(found[0])  # what the QR says
            number = tablet.get_by_role("status").filter(has_text=re.compile(r"^\d{4}$"))
            expect(number).to_be_visible()
            self._picture(tablet, "tablet-number")
            expect(office.get_by_text(number.inner_text(), exact=True)).to_be_visible()
            office.get_by_role("button", name="Sí, es ese").click()
            expect(tablet.get_by_text("Listo: este equipo es «Tablet nave 1».")).to_be_visible()
            office.get_by_role("button", name="Terminar", exact=True).click()
            expect(office.get_by_text("El taller está listo.")).to_be_visible()

    def _pin_cards(self, office: Page) -> str:
        with self._step("print the PIN cards"):
            office.get_by_role("link", name="Agregar personas y dar PIN").click()
            office.get_by_role("button", name="Tarjetas con PIN").click()
            office.get_by_role("button", name=re.compile(r"^Hacer \d+ tarjetas?$")).click()
            card = self._card_of(office, WORKER.nombre)
            expect(card).to_be_visible()
            self._picture(office, "pin-card")
            found = re.search(r"\b(\d{3})\s?(\d{3})\b", card.inner_text())
            assert found is not None, card.inner_text()
            office.get_by_role("button", name="Ya está, cerrar").click()
            return found[1] + found[2]

    def _card_of(self, office: Page, name: str) -> Locator:
        return office.locator("dialog[open]").get_by_role("listitem").filter(has_text=name)

    def _first_take(self, office: Page, tablet: Page, pin: str) -> None:
        with self._step("sign in on the tablet and take a spool"):
            tablet.goto(f"{self.url}/")
            tablet.get_by_role("button", name=f"{WORKER.nombre} {WORKER.apellido}").first.click()
            _type_like_a_person(tablet, pin)
            tablet.get_by_text("Armado", exact=True).click()
            tablet.locator(f'[data-tag="{TAG}"]').click()
            tablet.get_by_role("button", name="TOMAR", exact=True).click()
            expect(tablet.locator('[data-outcome="good"]')).to_contain_text(f"{WORKER.label} tiene el spool {TAG}")
            mine = tablet.get_by_role("list", name="En mis manos").locator(f'[data-tag="{TAG}"]')
            expect(mine).to_be_visible()  # it goes back to the list by itself
            self._picture(tablet, "take")
            office.goto(f"{self.url}/tablero")
            expect(office.get_by_text(TAG).first).to_be_visible()

    def _system(self, office: Page) -> None:
        with self._step("see that all is well"):
            office.goto(f"{self.url}/administracion/sistema")
            expect(office.get_by_text("HTTPS").first).to_be_visible()
            self._picture(office, "system")

    def _confirm(self, page: Page, name: str) -> None:
        """In the question that is open; the PIN too, if it is asked for."""
        page.locator("dialog[open]").last.get_by_role("button", name=name, exact=True).click()


def _type_like_a_person(page: Page, pin: str) -> None:
    """A digit may come twice in a row; what is faster than a finger is taken for a glove that bounces."""
    for digit in pin:
        page.locator("[data-pin-pad]").last.get_by_role("button", name=digit, exact=True).click()
        page.wait_for_timeout(FINGER_MS)


def _page(browser: Browser, size: tuple[int, int]) -> Page:
    context: BrowserContext = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        locale="es-CL",
        timezone_id="America/Santiago",
        reduced_motion="reduce",
        has_touch=size == TABLET,
    )
    context.set_default_timeout(WAIT_MS_MAX)
    return context.new_page()


def a_workbook(path: Path) -> Path:
    """As engineering has it: people, roles, spools, and one cell that cannot be read."""
    spools = [
        {"TAG_SPOOL": f"MK-1335-CW-25238-0{n}", "OT": "25238", "NV": "NV-1335", "Fecha_Materiales": "10-11-2026"}
        for n in range(11, 31)
    ]
    spools.append({"TAG_SPOOL": "MK-1335-CW-25238-031", "OT": "25238", "NV": "NV-1335", "Fecha_Materiales": "pronto"})
    return write_file(path, Operaciones=spools, Trabajadores=PEOPLE, Roles=ROLES)
