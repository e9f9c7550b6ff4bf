"""One spool from its heats to its dossier, as docs/weld-record.md describes it: procedure and qualification, fit-up,
welding with heats, a rejected radiograph, two more joints of the same welder, repair, re-examination, approval, and the
paper (`weld_paper.py`). `python -m tests.support.weld_day FOLDER` takes the pictures of docs/weld-record.md and
docs/dossier.md anew."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from playwright.sync_api import Locator, Page, expect, sync_playwright

from carrete.domain.workers import Rol, Worker
from carrete.identity.records import DeviceKind
from tests.support.browser import Screen, Tablets, launch
from tests.support.builders import a_joint, a_spool, a_worker
from tests.support.office import as_administrator, card
from tests.support.people import JS, LP, MI, SV
from tests.support.pin_shop import PinShop, pin_shop, sign_in
from tests.support.weld_paper import OFFICE_PX, Papers, Picture, photos_are_drawn, save_pages, save_paper
from tests.support.weld_pictures import JOINTS, a_radiograph

TAG = "MK-1335-CW-25238-011"
NAME = "Maestranza Norte"
EXAMINER = a_worker(60, "Elena", "Díaz", roles=(Rol.NDT,))
WPS = "WPS-GTAW-01"
DOCUMENT = "WPQ-2026-014"
PLANNED_HEAT = "H48201"  # of the pipe, planned by engineering
HEATS = {1: "K7710", 2: "K7711", 3: "K7712", 4: "K7713", 5: "K7710"}  # of the fittings, typed by the welder
REJECTED = 2
REJECTING, RE_EXAMINING = "RT-2026-118", "RT-2026-121"
OF_ADDITIONAL = ("RT-2026-119", "RT-2026-120")
ADDITIONAL = 2
POST = """async ([path, body]) => {
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    return (await answer.json()).code;
}"""  # the action of a person who goes around the buttons


def walk(shop: PinShop, picture: Picture) -> Papers:
    _fill_in_the_office(shop, picture)
    _fit_up(shop)
    _weld(shop, picture)
    _ask_for_a_radiograph(shop, picture)
    _cannot_be_approved(shop, picture)
    _reject(shop, picture)
    _repair(shop, picture)
    _examine_the_rest(shop, picture)
    _approve(shop)
    with _at_desk(shop, SV, f"/supervision?ver=spool&spool={TAG}") as desk:
        return save_paper(desk.page, TAG, picture)


def shop_of_the_walk(tablets: Tablets, folder: Path) -> AbstractContextManager[PinShop]:
    """A spool of which engineering planned all but the heats of the fittings; its last joint is welded on site."""
    planned = {"espesor_milli": 6_020, "material": "A106 Gr. B", "posicion": "6G", "wps": WPS, "colada_1": PLANNED_HEAT}
    joints = [*(a_joint(n, TAG, **planned) for n in HEATS), a_joint(len(HEATS) + 1, TAG, tipo="FW")]
    return pin_shop(tablets, folder, [a_spool(TAG, total_uniones=len(joints))], joints, more_people=[EXAMINER])


@contextmanager
def _at_tablet(shop: PinShop, person: Worker) -> Iterator[Screen]:
    """The person's own first screen."""
    with shop.tablet() as screen:
        screen.open()
        sign_in(screen, person)
        yield screen


@contextmanager
def _at_desk(shop: PinShop, person: Worker, path: str) -> Iterator[Screen]:
    with shop.tablet(kind=DeviceKind.OFICINA, size=OFFICE_PX) as screen:
        screen.open(path)
        sign_in(screen, person)
        yield screen


def _fill_in_the_office(shop: PinShop, picture: Picture) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA, size=OFFICE_PX) as office:
        page = as_administrator(office, "/administracion/ajustes")
        page.get_by_label("Nombre del taller").fill(NAME)
        page.get_by_label("Uniones más del mismo soldador tras un rechazo").fill(str(ADDITIONAL))
        office.tap("Guardar")
        expect(page.get_by_text("Guardado. Vale en todo el taller")).to_be_visible()
        office.open("/administracion/soldadura")
        office.tap("Agregar WPS")
        _fill(page, {"Número de WPS": WPS, "Procesos": "GTAW", "Revisión": "3", **_ranges()})
        office.tap("Guardar")
        expect(card(page, "Procedimientos (WPS)").locator(f"[data-record='{WPS}']")).to_contain_text("Vigente")
        office.tap("Agregar calificación")
        page.get_by_role("dialog").get_by_label("Persona").select_option(str(JS.id))
        since = datetime.now(UTC).date() - timedelta(days=30)
        _fill(page, {"Proceso": "GTAW", "Documento": DOCUMENT, "Fecha de calificación": f"{since}", **_ranges()})
        office.tap("Guardar")
        expect(card(page, "Calificaciones").get_by_text(DOCUMENT).first).to_be_visible()
        picture(page, "procedures")


def _ranges() -> dict[str, str]:
    names = (
        "Números P",
        "Números F",
        "Espesor mínimo (mm)",
        "Espesor máximo (mm)",
        "DN mínimo (pulgadas)",
        "Posiciones",
    )
    return dict(zip(names, ("1", "6", "1,5", "11", "1", "6G"), strict=True))


def _fill(page: Page, fields: dict[str, str]) -> None:
    dialog = page.get_by_role("dialog")
    for label, text in fields.items():
        dialog.get_by_label(label, exact=True).fill(text)


def _fit_up(shop: PinShop) -> None:
    with _at_tablet(shop, LP) as tablet:
        _begin(tablet)
        for number in range(1, len(JOINTS) + 1):
            tablet.joint(number).click()
        tablet.tap("FINALIZAR")
        _is_done(tablet)


def _begin(tablet: Screen) -> None:
    tablet.pick(TAG)
    tablet.tap("INICIAR")
    _is_done(tablet)
    tablet.go_back()  # nobody has to wait for it
    tablet.pick(TAG)


def _is_done(tablet: Screen) -> None:
    expect(tablet.page.locator("[data-outcome=good]")).to_be_visible()


def _weld(shop: PinShop, picture: Picture) -> None:
    with _at_tablet(shop, JS) as tablet:
        _begin(tablet)
        for number in HEATS:
            tablet.joint(number).click()
        tablet.tap("FINALIZAR")
        joints = tablet.page.get_by_role("dialog").get_by_role("listitem")
        expect(joints).to_have_count(len(HEATS))
        for number, heat in HEATS.items():
            expect(joints.nth(number - 1).get_by_label("WPS")).to_have_value(WPS)
            joints.nth(number - 1).get_by_label("Colada 2").fill(heat)
        picture(tablet.page, "heats")
        tablet.tap("FINALIZAR")
        _is_done(tablet)


def _ask_for_a_radiograph(shop: PinShop, picture: Picture) -> None:
    with _at_desk(shop, SV, f"/supervision?ver=spool&spool={TAG}") as desk:
        desk.tap("Solicitar ensayo")
        dialog = desk.page.get_by_role("dialog")
        dialog.get_by_text("RT", exact=True).click()
        dialog.get_by_text(f"Unión {REJECTED}", exact=True).click()
        dialog.get_by_label("Motivo").fill("Lo pide el cliente")
        picture(desk.page, "request")
        desk.tap("Solicitar")
        expect(desk.page.get_by_role("dialog")).to_have_count(0)


def _cannot_be_approved(shop: PinShop, picture: Picture) -> None:
    with _at_tablet(shop, MI) as tablet:
        tablet.pick(TAG)
        expect(tablet.page.locator("[data-why=ndt_pending]")).to_contain_text("aún no se puede aprobar")
        expect(tablet.page.get_by_role("button", name="APROBADO", exact=True)).to_be_disabled()
        expect(tablet.page.get_by_role("button", name="RECHAZADO", exact=True)).to_be_enabled()
        picture(tablet.page, "pending")
        body = {"tag_spool": TAG, "worker_id": MI.id, "resultado": "APROBADO"}
        assert tablet.page.evaluate(POST, ["/api/metrologia/completar", body]) == "NDT_PENDIENTE"


def _reject(shop: PinShop, picture: Picture) -> None:
    with _at_tablet(shop, EXAMINER) as tablet:
        page = tablet.page
        dialog = _result(_exam(page, f"Unión {REJECTED}"), "Rechazado", REJECTING)
        dialog.get_by_text("POROSIDAD", exact=True).click()
        film = {"name": "film.jpg", "mimeType": "image/jpeg", "buffer": a_radiograph()}
        page.locator("input[data-photo=camera]").set_input_files(film)  # type: ignore[arg-type]
        expect(dialog.get_by_role("img", name="Foto 1")).to_be_visible()
        picture(page, "result")
        _save_result(page)
        expect(page.locator("[data-exam]").filter(has_text="Adicional por un rechazo")).to_have_count(ADDITIONAL)
        picture(page, "additional")


def _exam(page: Page, text: str) -> Locator:
    return page.locator("[data-exam]").filter(has_text=text).first


def _result(exam: Locator, verdict: str, report: str) -> Locator:
    exam.get_by_role("button", name="Resultado", exact=True).click()
    dialog = exam.page.get_by_role("dialog")
    dialog.get_by_text(verdict, exact=True).click()
    dialog.get_by_label("Número de informe").fill(report)
    return dialog


def _save_result(page: Page) -> None:
    page.get_by_role("dialog").get_by_role("button", name="Guardar resultado").click()
    expect(page.get_by_role("dialog")).to_have_count(0)


def _repair(shop: PinShop, picture: Picture) -> None:
    with _at_tablet(shop, JS) as tablet:
        rejected = tablet.page.get_by_role("link", name="1 unión rechazada por reparar")
        expect(rejected).to_be_visible()
        picture(tablet.page, "to-repair")
        rejected.click()
        tablet.tap("Reparada")
        picture(tablet.page, "repair")
        tablet.tap("Reparada")
        expect(tablet.page.get_by_text("No hay ensayos aquí.")).to_be_visible()


def _examine_the_rest(shop: PinShop, picture: Picture) -> None:
    with _at_tablet(shop, EXAMINER) as tablet:
        page = tablet.page
        left = page.get_by_role("button", name="Resultado", exact=True)
        expect(left).to_have_count(ADDITIONAL + 1)
        rest = [*(("Adicional por un rechazo", report) for report in OF_ADDITIONAL), ("Reexamen R1", RE_EXAMINING)]
        for done, (which, report) in enumerate(rest, 1):
            _result(_exam(page, which), "Aprobado", report)
            _save_result(page)
            expect(left).to_have_count(len(rest) - done)
        page.get_by_text("Resultados", exact=True).click()
        expect(page.locator("[data-exam]")).to_have_count(len(rest) + 1)
        photos_are_drawn(page)
        picture(page, "results")


def _approve(shop: PinShop) -> None:
    with _at_tablet(shop, MI) as tablet:
        tablet.pick(TAG)
        tablet.tap("APROBADO")
        tablet.says(f"Spool {TAG} aprobado por metrología.")


def _screenshot(page: Page, file: Path) -> None:
    page.screenshot(path=file)


if __name__ == "__main__":
    screens, pages = (Path(sys.argv[1]) / name for name in ("weld-record", "dossier"))
    for each in (screens, pages):
        each.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as running:
        browser = launch(running)
        with shop_of_the_walk(Tablets(browser, running), Path(scratch)) as opened:
            papers = walk(opened, lambda page, name: _screenshot(page, screens / f"{name}.png"))
            save_pages(papers.spanish, pages)
        browser.close()
