"""Drawings and dossiers in Chromium: a supervisor uploads a plan, places the numbers, and saves the dossier."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from carrete.identity.records import DeviceKind
from tests.support.browser import Screen, Tablets, complaints
from tests.support.builders import NOW, a_joint, a_spool
from tests.support.drawings import a_pdf, a_png
from tests.support.pdf_text import pages_of
from tests.support.people import LP, MI, MR, SV
from tests.support.pin_shop import PinShop, face, pin_shop, type_pin

TAG = "MK-1335-CW-25238-011"
WELDED = {
    "arm_fin": NOW,
    "arm_worker": MR.label,
    "sol_fin": NOW,
    "sol_worker": LP.label,
    "dn_milli": 4_000,
    "tipo": "BW",
}
ENGLISH = 'localStorage.setItem("carrete.language", "en")'


@pytest.fixture
def shop(tablets: Tablets, tmp_path: Path) -> Iterator[PinShop]:
    spools = [a_spool(TAG, ot="25238", total_uniones=3), a_spool("ENTERO", ot="25238")]
    joints = [a_joint(n, TAG, **WELDED) for n in (1, 2, 3)]
    with pin_shop(tablets, tmp_path, spools, joints) as running:
        yield running


def as_person(screen: Screen, path: str, person: object = SV) -> Page:
    page = screen.open(path)
    face(screen, person).click()  # type: ignore[arg-type]
    type_pin(page)
    expect(page.get_by_role("banner").get_by_text(person.label)).to_be_visible()  # type: ignore[attr-defined]
    return page


def upload(page: Page, name: str, kind: str, content: bytes) -> None:
    page.locator("input[type=file]").set_input_files({"name": name, "mimeType": kind, "buffer": content})


def tap_picture(page: Page, x: float, y: float) -> None:
    """At this part of the picture's width and height."""
    box = page.get_by_role("img", name="Plano del spool").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * x, box["y"] + box["height"] * y)


def marks_of(shop: PinShop) -> list[list[int]]:
    with shop.database.reading() as tx:
        row = tx.one("spool_drawing", tag=TAG)
    return sorted(json.loads(row[2])) if row else []


def test_a_supervisor_uploads_a_plan_places_the_numbers_and_saves_the_dossier(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as screen:
        page = as_person(screen, f"/supervision?ver=spool&spool={TAG}")
        page.get_by_role("link", name="Plano y mapa").click()
        upload(page, "plano.pdf", "application/pdf", a_pdf(pages=3))
        page.get_by_label("Página del PDF").select_option("2")
        expect(page.get_by_text("Toque en el plano dónde está la unión 1.")).to_be_visible()
        page.get_by_role("img", name="Plano del spool").scroll_into_view_if_needed()
        tap_picture(page, 0.25, 0.5)
        tap_picture(page, 0.5, 0.5)
        expect(page.get_by_text("Toque en el plano dónde está la unión 3.")).to_be_visible()
        page.get_by_role("button", name="Ponerla al centro").click()
        expect(page.get_by_text("Todas las uniones están ubicadas.")).to_be_visible()
        page.get_by_role("button", name="Unión 3, ubicada").click()
        page.get_by_role("button", name="Unión 3", exact=True).press("ArrowRight")
        page.get_by_role("button", name="Guardar", exact=True).click()
        expect(page.get_by_text("Guardado por")).to_be_visible()
        placed = marks_of(shop)
        assert [n for n, _, _ in placed] == [1, 2, 3]
        assert all(abs(x - wanted) <= 2 for (_, x, _), wanted in zip(placed, (250, 500, 505), strict=True)), placed
        page.get_by_role("link", name="Volver al spool").click()
        page.get_by_role("link", name="Dossier", exact=True).click()
        with page.expect_download() as download:
            page.get_by_role("button", name="Guardar PDF").click()
        expect(page.get_by_text("Listo: dossier-D-")).to_be_visible()
        text = "".join(pages_of(download.value.path().read_bytes()))
        assert "3 de 3 uniones ubicadas en el plano" in text
        assert TAG in text


def test_a_number_is_dragged_and_removed(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as screen:
        page = as_person(screen, f"/plano/{TAG}")
        upload(page, "plano.png", "image/png", a_png(800, 600))
        picture = page.get_by_role("img", name="Plano del spool")
        picture.scroll_into_view_if_needed()
        expect(picture).to_be_visible()
        tap_picture(page, 0.3, 0.3)
        tap_picture(page, 0.6, 0.3)
        box = picture.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.3)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * 0.45, box["y"] + box["height"] * 0.45, steps=5)
        page.mouse.up()
        page.get_by_role("button", name="Unión 2, ubicada").click()
        page.get_by_role("button", name="Quitar la unión 2").click()
        page.get_by_role("button", name="Guardar", exact=True).click()
        expect(page.get_by_text("Guardado por")).to_be_visible()
        ((n_union, x, y),) = marks_of(shop)
        assert n_union == 1
        assert abs(x - 450) <= 3
        assert abs(y - 450) <= 3


def test_a_file_that_is_no_drawing_gets_the_servers_sentence(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as screen:
        page = as_person(screen, f"/plano/{TAG}")
        upload(page, "plano.pdf", "application/pdf", a_pdf()[:300])
        expect(page.get_by_role("alert")).to_contain_text("El PDF está dañado")
        upload(page, "plano.png", "image/png", b"no es una imagen")
        expect(page.get_by_role("alert")).to_contain_text("El navegador no puede abrir esa imagen")


def test_two_people_do_not_overwrite_each_others_numbers(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as screen:
        page = as_person(screen, f"/plano/{TAG}")
        upload(page, "plano.png", "image/png", a_png(800, 600))
        page.get_by_role("img", name="Plano del spool").wait_for()
        with shop.database.writing() as tx:
            tx.execute(
                "INSERT INTO spool_drawing (tag, revision, drawing_id, marks, at) "
                f"VALUES ('{TAG}', 1, NULL, '[]', '2026-11-16T13:00:00+00:00')"
            )
        page.get_by_role("button", name="Guardar", exact=True).click()
        expect(page.get_by_role("alert")).to_contain_text("Otra persona guardó el plano mientras tanto.")


def test_the_inspector_makes_the_dossier_of_a_work_order_and_a_fitter_may_not(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as screen:
        page = as_person(screen, "/dossier", MI)
        page.get_by_label("Orden de trabajo").select_option("25238")
        page.get_by_role("button", name="Inglés").click()
        with page.expect_download() as download:
            page.get_by_role("button", name="Guardar Excel").click()
        assert download.value.suggested_filename.endswith("-en.xlsx")
        page.get_by_role("button", name="Salir").click()
    with shop.tablet() as screen:
        page = as_person(screen, "/", MR)
        screen.open("/dossier")
        expect(page.get_by_text("no puede ver dossiers")).to_be_visible()


@pytest.mark.parametrize("language", ["es", "en"])
def test_the_pages_are_accessible(shop: PinShop, language: str) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA, for_axe=True, script=ENGLISH if language == "en" else "") as screen:
        page = as_person(screen, "/dossier")
        page.locator("select").wait_for()
        assert complaints(screen) == []
        screen.open(f"/plano/{TAG}")
        page.locator("input[type=file]").wait_for(state="attached")
        assert complaints(screen) == []
        upload(page, "plano.pdf", "application/pdf", a_pdf(pages=2))
        page.locator("img[draggable=false]").wait_for()
        page.get_by_role("button", name="Ponerla al centro").or_(
            page.get_by_role("button", name="Put it in the middle")
        ).click()
        assert complaints(screen) == []
