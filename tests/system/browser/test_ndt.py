"""A weld is asked for, rejected with a photo, repaired and examined again, each by the person whose part it is."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from playwright.sync_api import FilePayload, Page, expect

from carrete.domain.spool import Estado
from carrete.domain.workers import Rol
from carrete.ledger.database import Database
from carrete.shop_settings.store import change
from tests.support.browser import SIZES, Tablets, look, overflow_px, small_targets, violations
from tests.support.builders import EARLIER, NOW, a_joint, a_spool, a_worker, put
from tests.support.gated import eventually
from tests.support.local import LOCAL
from tests.support.ndt import exams, joint_in
from tests.support.people import CREW, JS, LP, SV
from tests.support.photos import numbered_photo
from tests.support.server import RunningServer

NAME = "Taller con ensayos"
EXAMINER = a_worker(60, "Elena", "Díaz", roles=(Rol.NDT,))
ONE, TWO = (f"MK-1335-CW-25238-{n:03}" for n in (1, 2))
WELDED: dict[str, Any] = {"arm_fin": EARLIER, "arm_worker": LP.label, "sol_fin": EARLIER, "sol_worker": JS.label}


@pytest.fixture
def shop(ledger: Database, server: RunningServer) -> Database:
    done = {"total_uniones": 2, "arm": Estado.COMPLETADO, "sold": Estado.COMPLETADO}
    joints = [a_joint(n, tag, **WELDED) for tag in (ONE, TWO) for n in (1, 2)]
    with ledger.writing() as tx:
        change(tx, {"ndt_adicionales": 2, "nombre_taller": NAME}, None, NOW)
    put(ledger, [a_spool(ONE, **done), a_spool(TWO, **done)], [*CREW, EXAMINER], joints)
    eventually(lambda: shop_name(server) == NAME, within_s=30.0)
    return ledger


def shop_name(server: RunningServer) -> str:
    """Everybody may read it, and it comes into force together with the other settings."""
    name: str = httpx.get(f"{server.url}/api/acceso", **LOCAL).json()["taller"]
    return name


def statuses(ledger: Database, tag: str) -> list[str | None]:
    return [joint_in(ledger, tag, n).ndt_status for n in (1, 2)]


def request(page: Page) -> None:
    page.get_by_role("button", name="Solicitar ensayo").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("RT", exact=True).click()
    dialog.get_by_text("Unión 1", exact=True).click()
    dialog.get_by_label("Motivo").fill("Lo pide el cliente")
    dialog.get_by_role("button", name="Solicitar", exact=True).click()
    expect(page.get_by_role("dialog")).to_have_count(0)


def record(page: Page, verdict: str, *defects: str, photo: FilePayload | None = None) -> None:
    page.get_by_role("button", name="Resultado", exact=True).first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text(verdict, exact=True).click()
    dialog.get_by_label("Número de informe").fill("RT-2026-118")
    for defect in defects:
        dialog.get_by_text(defect, exact=True).click()
    if photo:
        page.locator("input[data-photo=camera]").set_input_files(photo)
        expect(dialog.get_by_role("img", name="Foto 1")).to_be_visible()
    dialog.get_by_role("button", name="Guardar resultado").click()
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_joint_is_led_from_the_request_to_its_repair_and_re_examination(
    tablets: Tablets, server: RunningServer, shop: Database
) -> None:
    with tablets.one(server.url, worker=SV) as screen:
        page = screen.open(f"/supervision?ver=spool&spool={ONE}")
        request(page)
        expect(page.locator("[data-item=NDT_SOLICITADO]")).to_contain_text("Lo pide el cliente")
    with tablets.one(server.url, worker=EXAMINER) as screen:
        page = screen.open("/")
        expect(page).to_have_url(f"{server.url}/ensayos")  # who only examines begins here
        photo: FilePayload = {"name": "f.jpg", "mimeType": "image/jpeg", "buffer": numbered_photo(1)}
        record(page, "Rechazado", "POROSIDAD", photo=photo)
        expect(page.locator("[data-exam]")).to_have_count(2)  # two more of the same welder
    assert sorted((exam.tag, exam.n_union) for exam in exams(shop) if exam.origin == "adicional") == sorted(
        (tag, n) for tag, n in [(ONE, 2), (TWO, 1), (TWO, 2)] if statuses(shop, tag)[n - 1] == "PENDIENTE"
    )
    with tablets.one(server.url, worker=JS) as screen:
        page = screen.open(f"/trabajo/SOLD/{ONE}")
        page.get_by_role("button", name="Reparada").click()
        page.get_by_role("dialog").get_by_role("button", name="Reparada").click()
        expect(page.get_by_text("Reexamen R1")).to_be_visible()
    assert statuses(shop, ONE)[0] == "REPARADO"
    with tablets.one(server.url, worker=EXAMINER) as screen:
        page = screen.open("/ensayos")
        for left in (2, 1, 0):
            record(page, "Aprobado")
            expect(page.get_by_role("button", name="Resultado", exact=True)).to_have_count(left)
    assert set(statuses(shop, ONE) + statuses(shop, TWO)) <= {"APROBADO", None}
    (rejected,) = [exam for exam in exams(shop) if exam.status == "RECHAZADO"]
    assert len(rejected.photos) == 1


@pytest.mark.long
def test_the_request_of_a_supervisor_is_accessible(tablets: Tablets, server: RunningServer, shop: Database) -> None:
    with tablets.one(server.url, worker=SV, for_axe=True) as screen:
        page = screen.open(f"/supervision?ver=spool&spool={ONE}")
        page.get_by_role("button", name="Solicitar ensayo").click()
        page.get_by_role("dialog").get_by_text("Unión 1", exact=True).wait_for()
        for theme in ("light", "dark"):
            for size in SIZES:
                look(page, theme, size)
                assert [*violations(page), *small_targets(page)] == []
                assert overflow_px(page) <= 0
