"""The end of the weld record's walk: a supervisor places the joints on the drawing and saves the dossier."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.support.pdf_text import pages_of
from tests.support.weld_pictures import JOINTS, an_isometric, save_page

OFFICE_PX = (1280, 900)
MAP_PX_HIGH = 1240  # the whole drawing
Picture = Callable[[Page, str], None]


@dataclass(frozen=True, slots=True)
class Papers:
    """The files that a supervisor saved; `again` is a second download of the Spanish one."""

    spanish: bytes
    again: bytes
    english: bytes
    workbook: bytes


def photos_are_drawn(page: Page) -> None:
    page.wait_for_function(
        "() => { const photos = [...document.querySelectorAll('[data-exam] img')];"
        " return photos.length > 0 && photos.every(photo => photo.complete && photo.naturalWidth > 0); }"
    )


def save_paper(page: Page, tag: str, picture: Picture) -> Papers:
    """From the spool's page of a supervisor."""
    page.get_by_role("link", name="Plano y mapa").click()
    _place_joints(page, tag, picture)
    page.get_by_role("link", name="Volver al spool").click()
    expect(page.get_by_role("heading", name=tag)).to_be_visible()
    photos_are_drawn(page)
    picture(page, "spool")
    page.get_by_role("link", name="Dossier", exact=True).click()
    page.get_by_role("button", name="Con fotos").click()
    spanish, again = (_download(page, "Guardar PDF") for _ in range(2))
    picture(page, "dossier")
    page.get_by_role("button", name="Inglés").click()
    return Papers(spanish, again, _download(page, "Guardar PDF"), _download(page, "Guardar Excel"))


def _place_joints(page: Page, tag: str, picture: Picture) -> None:
    plan = {"name": "isometrico.pdf", "mimeType": "application/pdf", "buffer": an_isometric(tag)}
    page.locator("input[type=file]").set_input_files(plan)  # type: ignore[arg-type]
    drawing = page.get_by_role("img", name="Plano del spool")
    for number, (x, y) in enumerate(JOINTS, 1):
        expect(page.get_by_text(f"Toque en el plano dónde está la unión {number}.")).to_be_visible()
        drawing.scroll_into_view_if_needed()
        box = drawing.bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + box["width"] * x / 1000, box["y"] + box["height"] * y / 1000)
    expect(page.get_by_text("Todas las uniones están ubicadas.")).to_be_visible()
    page.set_viewport_size({"width": OFFICE_PX[0], "height": MAP_PX_HIGH})
    page.get_by_role("heading", name=tag).scroll_into_view_if_needed()
    picture(page, "map")
    page.set_viewport_size({"width": OFFICE_PX[0], "height": OFFICE_PX[1]})
    page.get_by_role("button", name="Guardar", exact=True).click()
    expect(page.get_by_text("Guardado por")).to_be_visible()


def _download(page: Page, button: str) -> bytes:
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    expect(page.get_by_text("Listo: dossier-D-")).to_be_visible()
    return download.value.path().read_bytes()


def save_pages(pdf: bytes, folder: Path) -> None:
    """The pages that docs/dossier.md shows, found by what stands on them."""
    titles = {
        "Registro de soldadura": "weld-log",
        "Mapa de soldadura": "weld-map",
        "Ensayos no destructivos (NDT)": "examinations",
    }
    save_page(pdf, 1, folder / "cover.png")
    for number, text in enumerate(pages_of(pdf)[1:], 2):
        for title, name in titles.items():
            if f"\n{title}\n" in text:
                save_page(pdf, number, folder / f"{name}.png")
