"""*Soldadura* of the administrator's page, its setting, and the supervisor's card about qualifications that end."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from carrete.domain.qualification import Qualification, WeldScope
from carrete.identity.records import DeviceKind
from carrete.ledger.database import Database
from carrete.ledger.welding import save_qualifications
from tests.support.browser import Tablets, complaints
from tests.support.builders import a_spool
from tests.support.office import as_administrator, card, grow_old
from tests.support.people import JS, LP, MR, SV
from tests.support.pin_shop import PinShop, face, pin_shop, type_pin

ONE = "MK-1335-CW-25238-001"
PATH = "/administracion/soldadura"
ENGLISH = 'localStorage.setItem("carrete.language", "en")'
EXPIRED = date(2026, 1, 10)
ENDING = "Calificaciones por terminar"


@pytest.fixture
def shop(tablets: Tablets, tmp_path: Path) -> Iterator[PinShop]:
    with pin_shop(tablets, tmp_path, [a_spool(ONE)]) as running:
        yield running


def some_that_end(database: Database) -> None:
    """One has expired, one lapses in some days, one lasts."""
    day = datetime.now(UTC).date()
    ended = Qualification(MR.id, "GTAW", "Q-1", WeldScope(), EXPIRED - timedelta(days=30), EXPIRED)
    unused = Qualification(JS.id, "SMAW", "Q-2", WeldScope(), day - timedelta(days=170))
    fresh = Qualification(LP.id, "GTAW", "Q-3", WeldScope(), day)
    with database.writing() as tx:
        save_qualifications(tx, [unused, fresh, ended])


def as_supervisor(page: Page) -> None:
    type_pin(page)
    expect(page.get_by_role("banner").get_by_text(SV.label)).to_be_visible()


def test_a_procedure_and_a_qualification_are_added_refused_changed_and_retired(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as office:
        page = as_administrator(office, PATH)
        procedures, qualifications = card(page, "Procedimientos (WPS)"), card(page, "Calificaciones")
        expect(procedures.get_by_text("Todavía no hay procedimientos.")).to_be_visible()
        office.tap("Agregar WPS")
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Número de WPS").fill("W-1")
        dialog.get_by_label("Espesor mínimo (mm)").fill("9")
        dialog.get_by_label("Espesor máximo (mm)").fill("8")
        office.tap("Guardar")
        expect(dialog.get_by_role("alert")).to_have_text("No se guardó: corrija lo marcado.")
        expect(dialog.get_by_label("Procesos")).to_have_accessible_description("Falta.")
        expect(dialog.get_by_label("Espesor mínimo (mm)")).to_have_accessible_description("Es mayor que Espesor_Max.")
        dialog.get_by_label("Procesos").fill("gtaw, SMAW")
        dialog.get_by_label("Espesor mínimo (mm)").fill("1,5")
        office.tap("Guardar")
        row = procedures.locator("[data-record='W-1']")
        for text in ("W-1", "Vigente", "GTAW, SMAW", "1.5–8 mm"):
            expect(row).to_contain_text(text)

        office.tap("Agregar calificación")
        dialog.get_by_label("Persona").select_option(str(JS.id))
        dialog.get_by_label("Proceso").fill("GTAW")
        dialog.get_by_label("Documento").fill("WPQ-7")
        office.tap("Guardar")
        expect(dialog.get_by_label("Fecha de calificación")).to_have_accessible_description("Falta o no se entiende.")
        dialog.get_by_label("Fecha de calificación").fill(datetime.now(UTC).date().isoformat())
        office.tap("Guardar")
        expect(qualifications.get_by_role("listitem").filter(has_text="WPQ-7")).to_contain_text("Cubre hasta")
        expect(qualifications.get_by_text(f"{JS.nombre} {JS.apellido} · {JS.label}")).to_be_visible()

        office.tap("Editar W-1")
        dialog.get_by_label("Revisión").fill("2")
        office.tap("Guardar")
        expect(row).to_contain_text("Rev. 2")
        grow_old(shop, page)
        office.tap("Retirar W-1")
        expect(page.get_by_role("dialog", name="Su PIN otra vez")).to_be_visible()
        type_pin(page)
        expect(row).to_have_count(0)
        procedures.get_by_role("button", name="Retirados (1)").click()
        office.tap("Volver a usar W-1")
        expect(row).to_have_count(0)
        office.tap("Agregar WPS")
        dialog.get_by_label("Número de WPS").fill("W-1")
        expect(dialog.get_by_text("Ya hay un procedimiento con ese número")).to_be_visible()
        expect(dialog.get_by_role("button", name="Guardar")).to_be_disabled()


def test_a_supervisor_keeps_them_too(shop: PinShop) -> None:
    some_that_end(shop.database)
    with shop.tablet(kind=DeviceKind.OFICINA) as office:
        page = office.open(PATH)
        face(office, SV).click()
        as_supervisor(page)
        office.tap(f"Retirar {MR.label} GTAW Q-1")
        expect(page.locator(f"[data-record='{MR.label} GTAW Q-1']")).to_have_count(0)
        expect(page.get_by_role("button", name="Retiradas (1)")).to_be_visible()


def test_the_setting_says_what_an_unqualified_welder_may_do(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as office:
        page = as_administrator(office, "/administracion/ajustes")
        check = page.get_by_label("Soldador no calificado")
        expect(check).to_have_value("")
        for value in ("exigir", ""):
            check.select_option(value)
            page.get_by_role("button", name="Guardar", exact=True).click()
            expect(page.get_by_text("Guardado.").first).to_be_visible()
            page.reload()
            expect(check).to_have_value(value)


def test_the_card_about_qualifications_is_absent_where_none_ends(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as office:
        with office.page.expect_response("**/api/soldadura/avisos") as response:
            page = office.open("/supervision")
            face(office, SV).click()
            as_supervisor(page)
        assert response.value.json() == {"avisos": []}
        expect(page.get_by_role("heading", name="Bloqueados")).to_be_visible()
        expect(card(page, ENDING)).to_have_count(0)


@pytest.mark.parametrize("language", ["es", "en"])
def test_the_supervisor_sees_what_ends_longest_overdue_first(shop: PinShop, language: str) -> None:
    some_that_end(shop.database)
    script = ENGLISH if language == "en" else ""
    with shop.tablet(kind=DeviceKind.OFICINA, for_axe=True, script=script) as office:
        page = office.open("/supervision")
        face(office, SV).click()
        as_supervisor(page)
        rows = page.locator("[data-qualification]")
        expect(rows).to_have_count(2)
        expect(rows.first).to_contain_text(MR.label)
        expect(rows.first).to_contain_text(f"{EXPIRED:%d-%m-%Y}")
        expect(rows.last).to_contain_text(f"{JS.label}SMAW")
        assert complaints(office) == []
        page.get_by_role("link", name="Ver calificaciones" if language == "es" else "See the qualifications").click()
        expect(page.locator("[data-record]")).to_have_count(3)
