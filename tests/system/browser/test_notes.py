"""Notes in the browser: written with a photo, shown, asked for at a rejection, and kept without a connection."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from PIL import Image
from playwright.sync_api import FilePayload, Page, expect

from carrete.ledger.database import Database
from carrete.shop_settings.store import change
from tests.support.browser import SIZES, Screen, Tablets, Theme, look, overflow_px, small_targets, violations
from tests.support.builders import NOW, a_finished_spool, a_joint, a_spool, held, put
from tests.support.kept_on_tablet import files_kept, wait_until_kept
from tests.support.local import LOCAL
from tests.support.machines import wait_for
from tests.support.people import CREW, LP, MI, MR
from tests.support.photos import HEIC, SVG, a_png_of_100_megapixels, with_location
from tests.support.pin_shop import PinShop, pin_shop, sign_in
from tests.support.server import RunningServer

ONE, JOINTS, QUEUED = (f"MK-1335-CW-25238-{n:03}" for n in (1, 2, 3))


def a_file(name: str, content: bytes, kind: str = "image/jpeg") -> FilePayload:
    return {"name": name, "mimeType": kind, "buffer": content}


def from_a_camera() -> bytes:
    """Lying on its side: 3000 × 2000 points that the camera says to turn, with the place where it was taken."""
    image = Image.effect_noise((3000, 2000), 90).convert("RGB")
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010F] = "CamaraSecreta"
    held_ = io.BytesIO()
    image.save(held_, "JPEG", quality=95, exif=exif)
    return held_.getvalue()


@pytest.fixture
def shop(ledger: Database) -> Database:
    spools = [a_spool(ONE), a_spool(JOINTS, total_uniones=2), a_finished_spool(QUEUED)]
    put(ledger, spools, CREW, [a_joint(n, JOINTS) for n in (1, 2)])
    return ledger


def open_notes(screen: Screen, tag: str = ONE, operacion: str = "ARM") -> Page:
    page = screen.open(f"/trabajo/{operacion}/{tag}")
    screen.is_live()
    page.get_by_role("button", name="Notas:").click()
    page.get_by_role("dialog").wait_for()
    return page


def add_photo(page: Page, file: FilePayload) -> None:
    page.locator("input[data-photo=camera]").set_input_files(file)


def test_a_note_with_a_photo_is_on_the_card_upright_small_and_without_its_place(
    tablets: Tablets, server: RunningServer, shop: Database
) -> None:
    with tablets.one(server.url, worker=MR) as screen:
        page = open_notes(screen, JOINTS)
        page.get_by_label("Nota", exact=True).fill("Poro en la raíz")
        page.get_by_label("Sobre").select_option("2")
        add_photo(page, a_file("IMG_1.jpg", from_a_camera()))
        expect(page.get_by_role("img", name="Foto 1")).to_be_visible()
        page.get_by_role("button", name="Guardar nota").click()
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.get_by_role("article")).to_contain_text("Poro en la raíz")
        expect(page.get_by_role("article")).to_contain_text("1 foto")
        page.get_by_role("button", name="Notas: 1").click()
        thumbnail = page.get_by_role("img", name="Foto 1")
        expect(thumbnail).to_have_js_property("complete", True)
        assert thumbnail.evaluate("image => image.naturalWidth") > 0
        thumbnail.click()
        expect(page.get_by_role("heading", name="Foto 1")).to_be_visible()
    (note,) = httpx.get(f"{server.url}/api/spools/{JOINTS}/notas", **LOCAL).json()["notas"]
    assert (note["worker"], note["n_union"], note["texto"]) == (MR.label, 2, "Poro en la raíz")
    content = httpx.get(f"{server.url}/api/fotos/{note['fotos'][0]}", **LOCAL).content
    stored = Image.open(io.BytesIO(content))
    assert stored.height > stored.width, "turned as the camera said"
    assert max(stored.size) <= 1600
    assert len(content) <= 400_000
    assert b"CamaraSecreta" not in content


def test_a_camera_that_is_closed_without_a_photo_leaves_the_note_as_it_is(
    tablets: Tablets, server: RunningServer, shop: Database
) -> None:
    with tablets.one(server.url, worker=MR) as screen:
        page = open_notes(screen)
        page.get_by_label("Nota", exact=True).fill("Poro en la raíz")
        page.locator("input[data-photo=camera]").dispatch_event("cancel", {"bubbles": True})
        expect(page.get_by_label("Nota", exact=True)).to_have_value("Poro en la raíz")


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        (a_file("foto.heic", HEIC, "image/heic"), "HEIC"),
        (a_file("grande.png", a_png_of_100_megapixels(), "image/png"), "demasiado grande"),
        (a_file("dibujo.svg", SVG, "image/svg+xml"), "No se pudo abrir"),
        (a_file("cortada.jpg", with_location()[:300]), "No se pudo abrir"),
        (a_file("texto.jpg", b"hola"), "No se pudo abrir"),
    ],
    ids=["HEIC", "100 megapixels", "SVG", "cut off", "text"],
)
def test_a_file_that_is_no_photo_gets_a_sentence(
    tablets: Tablets, server: RunningServer, shop: Database, file: FilePayload, sentence: str
) -> None:
    with tablets.one(server.url, worker=MR) as screen:
        page = open_notes(screen)
        add_photo(page, file)
        expect(page.get_by_role("dialog")).to_contain_text(sentence)
        expect(page.get_by_role("button", name="Guardar nota")).to_be_disabled()


def test_a_rejection_asks_for_a_photo_where_the_shop_wants_it_and_goes_on_without(
    tablets: Tablets, server: RunningServer, shop: Database
) -> None:
    with shop.writing() as tx:
        change(tx, {"foto_en_rechazo": True}, None, NOW)
    with tablets.one(server.url, worker=MI) as screen:
        wait_for(lambda: httpx.get(f"{server.url}/api/acceso", **LOCAL).json()["foto_en_rechazo"])
        page = screen.open(f"/trabajo/METROLOGIA/{QUEUED}")
        page.get_by_role("button", name="RECHAZADO").click()
        page.get_by_role("button", name="Foto del defecto").click()
        add_photo(page, a_file("defecto.jpg", with_location()))
        page.get_by_role("button", name="Guardar nota").click()
        expect(page.get_by_text("Nota guardada en el spool").first).to_be_visible()
        page.get_by_role("dialog").get_by_role("button", name="RECHAZADO").click()
        expect(page.get_by_text("pasa a reparación").first).to_be_visible()
    with shop.writing() as tx:
        change(tx, {"foto_en_rechazo": False}, None, NOW)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_notes_are_readable_and_large_enough_to_tap_at_every_size(
    tablets: Tablets, server: RunningServer, shop: Database, theme: Theme
) -> None:
    body = {"worker_id": MR.id, "texto": "Poro en la raíz, " * 10}
    for _ in range(6):
        assert httpx.post(f"{server.url}/api/spools/{ONE}/notas", json=body, **LOCAL).status_code == 200
    with tablets.one(server.url, worker=MR, for_axe=True) as screen:
        page = open_notes(screen)
        add_photo(page, a_file("defecto.jpg", with_location()))
        expect(page.get_by_role("img", name="Foto 1")).to_be_visible()
        for size in SIZES:
            look(page, theme, size)
            assert violations(page) == []
            assert overflow_px(page) <= 0
            assert small_targets(page) == []


@pytest.fixture
def racks(tablets: Tablets, tmp_path: Path) -> Iterator[PinShop]:
    with pin_shop(tablets, tmp_path, [held(a_spool(ONE), LP)], []) as running:
        yield running


def test_a_note_with_a_photo_written_without_a_connection_arrives_signed_when_it_is_back(racks: PinShop) -> None:
    with racks.tablet(installed=True) as screen:
        page = screen.open()
        sign_in(screen, LP)
        screen.row(ONE).wait_for()
        assert "/index.html" in files_kept(page)
        wait_until_kept(page, "cards", 1)
        screen.pick(ONE)
        page.get_by_role("button", name="Notas: 0").wait_for()
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")  # it starts two seconds after the page
        page.context.set_offline(True)
        page.get_by_role("button", name="Notas: 0").click()
        page.get_by_label("Nota", exact=True).fill("Falta el soporte")
        add_photo(page, a_file("defecto.jpg", with_location()))
        expect(page.get_by_role("img", name="Foto 1")).to_be_visible()
        page.get_by_role("button", name="Guardar nota").click()
        expect(page.get_by_text("se envía sola con sus fotos").first).to_be_visible()
        expect(page.get_by_text("1 acción sin enviar")).to_be_visible()
        expect(page.get_by_role("button", name="COMPLETAR")).to_be_enabled()
        page.reload()
        assert [event["evento_tipo"] for event in racks.history(ONE)] == []
        page.context.set_offline(False)
        expect(page.get_by_text("Nota guardada en el spool").first).to_be_visible()
        (event,) = racks.history(ONE)
        assert (event["evento_tipo"], event["worker"]) == ("NOTA", LP.label)
        assert event["metadata"]["texto"] == "Falta el soporte"
        assert len(event["metadata"]["fotos"]) == 1
        assert page.evaluate(KEPT_PHOTOS) == 0


KEPT_PHOTOS = """() => new Promise((resolve) => {
  const request = indexedDB.open("carrete-photos");
  request.onsuccess = () => {
    const count = request.result.transaction("photos").objectStore("photos").count();
    count.onsuccess = () => resolve(count.result);
  };
})"""
