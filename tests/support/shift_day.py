"""A day in the life of a shift as docs/shifts.md describes it: two forgotten spools in the morning, a hand-over, a note
with a photo, the end of the shift with one tap for all. The clock is passed in: the hours of the shift are made around
now, and hours pass by moving what was done back. `python -m tests.support.shift_day FOLDER` takes the pictures anew."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect, sync_playwright
from python_calamine import CalamineWorkbook

from carrete.identity.records import DeviceKind
from carrete.ledger.values import instant_text
from carrete.shop_settings import change
from carrete.workbook.exporting import export_workbook
from tests.support.answers import SANTIAGO
from tests.support.browser import Screen, Tablets, launch
from tests.support.builders import SHOP, a_finished_spool, a_joint, a_spool, events_in, held
from tests.support.gated import eventually
from tests.support.people import LP, MR, SV
from tests.support.photos import a_photo
from tests.support.pin_shop import PinShop, pin_shop, sign_in
from tests.support.signed_in import EnrolledTablet, enrol
from tests.support.tampering import tampering

ONE, TWO, JOINTS, QUEUED = (f"MK-1335-CW-25238-{n}" for n in ("001", "002", "010", "030"))
EVERY_DAY = [1, 2, 3, 4, 5, 6, 7]
FOLLOWED_S = 5.0
ARRIVED_S = 20.0
OFFER_SEEN_MS_MAX = 15_000  # asked for every ten seconds
Picture = Callable[[Page, str], None]


def ago(hours: float) -> datetime:
    return datetime.now(UTC).replace(microsecond=0) - timedelta(hours=hours)


def end_shift_in(shop: PinShop, minutes: int) -> None:
    """The one shift of the shop ends then, every day; waits until the server follows."""
    end = datetime.now(SANTIAGO) + timedelta(minutes=minutes)
    hours = {"desde": f"{end - timedelta(hours=8):%H:%M}", "hasta": f"{end:%H:%M}"}
    with shop.database.writing() as tx:
        change(tx, {"turnos": [{"nombre": "Mañana", "dias": EVERY_DAY, **hours}]}, None, datetime.now(UTC))
    with shop.server.client() as client:
        device = EnrolledTablet(client.request, enrol(shop.database), shop.database)
        device.begin(LP.id)

        def ends() -> str:
            question: dict[str, Any] = device.see("/api/turno")["pregunta"] or {"termina": ""}
            return str(question["termina"])

        eventually(lambda: f"T{end:%H:%M}" in ends(), FOLLOWED_S)


def hours_pass(shop: PinShop) -> None:
    """What was done up to now was done three hours ago."""
    before = instant_text(ago(3))
    with tampering(shop.database) as tx:
        tx.execute(f"UPDATE event SET at = '{before}'")
        tx.execute(f"UPDATE spool SET fecha_ocupacion = '{before}' WHERE fecha_ocupacion > '{before}'")


def look_again(screen: Screen) -> None:
    """Somebody looks at the tablet again: it reads what is due."""
    screen.page.evaluate("dispatchEvent(new Event('visibilitychange'))")


def sheet(screen: Screen, moment: str) -> Locator:
    return screen.page.locator(f'[data-shift-end="{moment}"]')


def any_sheet(screen: Screen) -> Locator:
    return screen.page.locator("[data-shift-end]")


def answer(screen: Screen, tag: str, name: str) -> None:
    screen.page.locator(f'[data-asked="{tag}"]').get_by_role("button", name=name, exact=True).click()


def walk(shop: PinShop, picture: Picture) -> None:
    """MR comes in the morning and hands one of two forgotten spools over to LP, who goes on with it."""
    end_shift_in(shop, -30)
    with shop.tablet() as giver, shop.tablet() as taker:
        giver.open()
        sign_in(giver, MR)
        taker.open()
        sign_in(taker, LP)
        expect(sheet(giver, "forgotten")).to_be_visible()
        picture(giver.page, "forgotten")
        answer(giver, ONE, "Sigo yo")
        answer(giver, JOINTS, "Entregar a…")
        _hand_over(giver, taker, picture)
        _note_with_photo(taker, picture)
        taker.open("/trabajo/ARM")
        taker.pick(TWO)
        taker.tap("TOMAR")
        taker.is_back_at_the_list()
        hours_pass(shop)
        end_shift_in(shop, 10)
        look_again(taker)
        expect(sheet(taker, "ending")).to_be_visible()
        picture(taker.page, "ending")
        taker.tap("Sigo yo con todos")
        expect(any_sheet(taker)).to_have_count(0)
        eventually(lambda: _kept_on(shop) == 3, ARRIVED_S)  # the tablet is switched off soon
        taker.page.goto(f"{shop.server.url}/mi-dia")
        expect(taker.page.locator("[data-held]")).to_have_count(2)
        picture(taker.page, "my-day")
    _supervisor_looks(shop, picture)


def _kept_on(shop: PinShop) -> int:
    return sum(stored.event.tipo == "SIGUE_TURNO" for stored in events_in(shop.database))


def _hand_over(giver: Screen, taker: Screen, picture: Picture) -> None:
    dialog = giver.page.locator("dialog[open]").last
    dialog.get_by_role("button", name="1", exact=True).click()
    picture(giver.page, "offer")
    giver.page.locator(f'[data-receiver="{LP.id}"]').click()
    expect(any_sheet(giver)).to_have_count(0)
    offer = taker.page.locator(f'[data-relevo="{JOINTS}"]')
    offer.wait_for(timeout=OFFER_SEEN_MS_MAX)
    picture(taker.page, "offered-to-me")
    taker.tap("Aceptar")
    expect(offer).to_have_count(0)


def _note_with_photo(screen: Screen, picture: Picture) -> None:
    page = screen.page
    screen.open(f"/trabajo/ARM/{JOINTS}")
    page.get_by_role("button", name="Notas:").click()
    page.get_by_label("Nota", exact=True).fill("Falta el bisel de la unión 2")
    page.get_by_label("Sobre").select_option("2")
    photo = a_photo(800, 600, (96, 110, 128))
    page.locator("input[data-photo=camera]").set_input_files(
        {"name": "IMG_1.jpg", "mimeType": "image/jpeg", "buffer": photo}
    )
    expect(page.get_by_role("img", name="Foto 1")).to_be_visible()
    picture(page, "note")
    page.get_by_role("button", name="Guardar nota").click()
    expect(page.get_by_role("article")).to_contain_text("Falta el bisel de la unión 2")


def _supervisor_looks(shop: PinShop, picture: Picture) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA, size=(1280, 900)) as office:
        office.open("/supervision")
        sign_in(office, SV)
        expect(office.page.get_by_text("Atrasados").first).to_be_visible()
        picture(office.page, "overdue")
        office.page.get_by_role("button", name="Etapas").click()
        expect(office.page.get_by_text("esperan").first).to_be_visible()
        expect(office.page.get_by_text("Cargando…")).to_have_count(0)
        picture(office.page, "stages")


def metadata_rows(shop: PinShop, folder: Path) -> list[list[Any]]:
    """The sheet `Metadata` of the workbook after the day, without its heading."""
    file = folder / "libro.xlsx"
    export_workbook(shop.database, file, SHOP, datetime.now(UTC), lambda *_: None)
    rows: list[list[Any]] = CalamineWorkbook.from_path(file).get_sheet_by_name("Metadata").to_python()
    return rows[1:]


def shop_of_the_day(tablets: Tablets, folder: Path) -> AbstractContextManager[PinShop]:
    """MR holds two spools since yesterday; one is free, and one has waited for inspection for long."""
    forgotten = [held(a_spool(ONE), MR, since=ago(20)), held(a_spool(JOINTS, total_uniones=3), MR, since=ago(19))]
    joints = [a_joint(n, JOINTS) for n in (1, 2, 3)]
    return pin_shop(tablets, folder, [*forgotten, a_spool(TWO), a_finished_spool(QUEUED)], joints)


def _picture(page: Page, file: Path) -> None:
    page.screenshot(path=file)


if __name__ == "__main__":
    pictures = Path(sys.argv[1])
    pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as running:
        browser = launch(running)
        with shop_of_the_day(Tablets(browser, running), Path(scratch)) as opened:
            walk(opened, lambda page, name: _picture(page, pictures / f"{name}.png"))
            for row in metadata_rows(opened, Path(scratch)):
                print(row)
        browser.close()
