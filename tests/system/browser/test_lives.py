"""The lives of spools, tapped from beginning to end on a tablet."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from carrete.domain.spool import Estado
from carrete.ledger.database import Database
from tests.support.browser import Screen, Tablets
from tests.support.builders import EARLIER, a_joint, a_spool, put
from tests.support.people import CREW, JS, LP, MR
from tests.support.server import RunningServer
from tests.support.tablet import Tablet

pytestmark = pytest.mark.access("open", "pin")
WHOLE = "MK-1335-CW-25238-001"
BY_JOINT = "MK-1335-CW-25238-010"
FINGERS_MS = 60  # between two keys; quicker than 50 ms is a badge reader
BATCH = [f"MK-1340-LS-25601-{n:03}" for n in range(1, 8)]


def test_a_worker_finds_themself_by_number_and_stays_until_salir(
    tablets: Tablets, server: RunningServer, ledger: Database
) -> None:
    put(ledger, [a_spool(WHOLE)], CREW)
    with tablets.one(server.url) as screen:
        page = screen.open()
        page.get_by_role("searchbox").fill("perez")
        page.get_by_role("button", name="Luis Pérez").click()  # an Armador: straight to the work
        screen.type_pin()
        screen.row(WHOLE).wait_for()
        page.reload()
        screen.row(WHOLE).wait_for()
        screen.tap("Salir")
        recent = page.get_by_role("region", name="En este tablet")
        expect(recent.get_by_role("button")).to_have_text([re.compile("^(7|LP)Luis Pérez$")])  # in `pin` with initials


def test_a_worker_with_two_trades_chooses_one(tablets: Tablets, server: RunningServer, ledger: Database) -> None:
    put(ledger, [a_spool(WHOLE)], CREW)
    with tablets.one(server.url) as screen:
        page = screen.open()
        screen.choose(MR)
        page.get_by_role("button", name="Armado").click()
        screen.row(WHOLE).wait_for()


@pytest.mark.access("open")  # with identity the tablet locks after five minutes: test_identity_late_taps
def test_ten_idle_minutes_end_the_visit_and_less_do_not(
    tablets: Tablets, server: RunningServer, ledger: Database
) -> None:
    put(ledger, [a_spool(WHOLE)], CREW)
    with tablets.one(server.url) as screen:
        screen.page.clock.install()
        page = screen.open()
        page.get_by_role("button", name="Luis Pérez").click()
        screen.row(WHOLE).wait_for()
        page.clock.fast_forward("09:40")
        page.get_by_role("searchbox").click()
        page.clock.fast_forward("09:40")
        expect(screen.row(WHOLE)).to_be_visible()
        page.clock.fast_forward("00:40")
        page.get_by_role("heading", name="¿Quién es usted?").wait_for()


def test_the_life_of_a_spool_worked_as_a_whole(
    tablets: Tablets, server: RunningServer, ledger: Database, api: Tablet
) -> None:
    put(ledger, [a_spool(WHOLE)], CREW)
    with tablets.one(server.url, worker=LP) as screen:
        screen.open()
        take(screen, WHOLE, "LP(7)", "ARM")
        screen.pick(WHOLE)
        screen.tap("PAUSAR")
        screen.tap("No, volver")  # asked once; nothing happened
        screen.tap("PAUSAR")
        screen.tap("PAUSAR")
        screen.says(f"ARM en pausa; el spool {WHOLE} queda disponible.")
        screen.is_back_at_the_list()
        take(screen, WHOLE, "LP(7)", "ARM")
        screen.pick(WHOLE)
        screen.tap("CANCELAR")
        screen.tap("CANCELAR")
        screen.says(f"ARM cancelada; el spool {WHOLE} queda como estaba.")
        screen.is_back_at_the_list()
        take(screen, WHOLE, "LP(7)", "ARM")
        screen.pick(WHOLE)
        screen.tap("COMPLETAR")
        screen.says(f"ARM completada en el spool {WHOLE}.")
        screen.is_back_at_the_list()
        expect(screen.row(WHOLE)).to_have_count(0)
    with tablets.one(server.url, worker=JS) as screen:
        screen.open()
        take(screen, WHOLE, "JS(8)", "SOLD")
        screen.pick(WHOLE)
        screen.tap("COMPLETAR")
        screen.says(f"SOLD completada en el spool {WHOLE}.")
    assert api.see_events(WHOLE) == [
        *("TOMAR_SPOOL", "PAUSAR_SPOOL", "TOMAR_SPOOL", "CANCELAR_ARM", "TOMAR_SPOOL", "COMPLETAR_ARM"),
        *("TOMAR_SPOOL", "COMPLETAR_SOLD", "METROLOGIA_AUTO_TRIGGERED"),
    ]


def test_the_whole_way_goes_by_keyboard(tablets: Tablets, server: RunningServer, ledger: Database) -> None:
    put(ledger, [a_spool(WHOLE), a_spool(BATCH[0])], CREW)
    with tablets.one(server.url) as screen:
        page = screen.open()
        page.get_by_role("searchbox").focus()
        page.keyboard.type("luis", delay=FINGERS_MS)
        expect(page.get_by_role("listitem")).to_have_count(1)
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        if screen.pin:
            page.locator("[data-pin-pad]").wait_for()
            page.keyboard.type(screen.pin, delay=FINGERS_MS)
        screen.row(WHOLE).focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name=WHOLE)).to_be_focused()  # a reader says which spool was opened
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Enter")
        expect(screen.row(WHOLE)).to_be_focused()  # and is back where it was
        page.keyboard.press("Enter")
        page.get_by_role("button", name="TOMAR").focus()
        page.keyboard.press("Enter")
        screen.says(f"LP(7) tiene el spool {WHOLE} para ARM.")


def take(screen: Screen, tag: str, label: str, operacion: str) -> None:
    """Two taps: the spool, TOMAR."""
    screen.pick(tag)
    screen.tap("TOMAR")
    screen.says(f"{label} tiene el spool {tag} para {operacion}.")
    screen.go_back()  # nobody has to wait for it
    expect(screen.mine()).to_have_count(1)


def test_the_life_of_a_spool_worked_joint_by_joint(
    tablets: Tablets, server: RunningServer, ledger: Database, api: Tablet
) -> None:
    done = a_joint(1, BY_JOINT, arm_fin=EARLIER, arm_worker="AY(5)")
    others = [a_joint(n, BY_JOINT, dn_milli=2_500) for n in range(2, 11)]
    put(ledger, [a_spool(BY_JOINT, total_uniones=10, arm=Estado.PAUSADO)], CREW, [done, *others])
    with tablets.one(server.url, worker=LP) as screen:
        screen.open()
        start(screen, BY_JOINT, "LP(7)", "ARM")
        finish_some_joints(screen)
        start(screen, BY_JOINT, "LP(7)", "ARM")
        release_without_recording(screen)
        start(screen, BY_JOINT, "LP(7)", "ARM")
        screen.pick(BY_JOINT)
        expect(screen.joint(8)).to_contain_text("✓ Armada")
        screen.tap("Todas")
        screen.tap("FINALIZAR")
        screen.says(f"2 uniones, 5 pulgadas. ARM completada en el spool {BY_JOINT}.")
    with tablets.one(server.url, worker=JS) as screen:
        screen.open()
        start(screen, BY_JOINT, "JS(8)", "SOLD")
        screen.pick(BY_JOINT)
        screen.tap("Todas")
        screen.tap("FINALIZAR")
        screen.says(f"10 uniones, 26.5 pulgadas. SOLD completada en el spool {BY_JOINT}.")
    card = api.see_spool(BY_JOINT)
    assert (card["arm"], card["sold"], card["metrologia"]) == ("COMPLETADO", "COMPLETADO", "EN_COLA")


def start(screen: Screen, tag: str, label: str, operacion: str) -> None:
    screen.pick(tag)
    screen.tap("INICIAR")
    screen.says(f"{label} tiene el spool {tag} para {operacion}.")
    screen.go_back()  # nobody has to wait for it
    expect(screen.mine()).to_have_count(1)


def finish_some_joints(screen: Screen) -> None:
    screen.pick(BY_JOINT)
    expect(screen.joint(1)).to_contain_text("✓ Armada")
    expect(screen.joint(1).get_by_role("checkbox")).to_be_disabled()
    for number in range(2, 9):
        screen.joint(number).click()
    expect(screen.page.get_by_text("Seleccionadas: 7/9 | Pulgadas: 17.5", exact=True)).to_be_visible()
    screen.tap("FINALIZAR")
    screen.says(f"7 uniones, 17.5 pulgadas. ARM en pausa en el spool {BY_JOINT}.")
    screen.is_back_at_the_list()
    expect(screen.row(BY_JOINT)).to_contain_text("8/10 uniones")


def release_without_recording(screen: Screen) -> None:
    screen.pick(BY_JOINT)
    screen.tap("FINALIZAR")
    expect(screen.page.get_by_role("dialog")).to_contain_text("¿Liberar sin registrar?")
    screen.tap("Liberar")
    expect(screen.page.locator("[data-outcome=good]")).to_be_visible()
    screen.is_back_at_the_list()


def test_five_spools_are_taken_and_completed_at_once(
    tablets: Tablets, server: RunningServer, ledger: Database, api: Tablet
) -> None:
    put(ledger, [a_spool(tag) for tag in BATCH[:6]], CREW)
    with tablets.one(server.url, worker=LP) as screen:
        screen.open()
        screen.tap("Elegir varios")
        for tag in BATCH[:5]:
            screen.row(tag).click()
        expect(screen.page.get_by_text("5 elegidos")).to_be_visible()
        assert api.tap("tomar", BATCH[0], 93).status_code == 200  # somebody is faster
        screen.tap("TOMAR")
        result = screen.page.get_by_role("dialog", name="4 de 5 hechos").get_by_role("listitem")
        expect(result).to_have_count(5)
        expect(result.first).to_contain_text(f"El spool {BATCH[0]} lo tiene MR(93) para ARM.")
        screen.tap("Listo")
        expect(screen.mine()).to_have_count(4)
        screen.tap("Elegir varios")
        for tag in BATCH[1:5]:
            screen.row(tag).click()
        screen.tap("COMPLETAR")
        screen.tap("COMPLETAR")
        screen.page.get_by_role("dialog", name="4 de 4 hechos").wait_for()
        screen.tap("Listo")
        expect(screen.mine()).to_have_count(0)
    assert [api.see_spool(tag)["arm"] for tag in BATCH[1:5]] == ["COMPLETADO"] * 4


def test_spools_worked_whole_and_by_joint_are_begun_together(
    tablets: Tablets, server: RunningServer, ledger: Database, api: Tablet
) -> None:
    whole, by_joint = BATCH[:2], BATCH[2:5]
    joints = [a_joint(1, tag) for tag in by_joint]
    put(ledger, [*map(a_spool, whole), *(a_spool(tag, total_uniones=1) for tag in by_joint)], CREW, joints)
    with tablets.one(server.url, worker=LP) as screen:
        screen.open()
        screen.tap("Elegir varios")
        for tag in (by_joint[0], whole[0], by_joint[1], whole[1]):
            screen.row(tag).click()
        screen.tap("TOMAR")
        result = screen.page.get_by_role("dialog", name="4 de 4 hechos").get_by_role("listitem")
        expect(result).to_have_count(4)
        screen.tap("Listo")
        expect(screen.mine()).to_have_count(4)
        screen.tap("Elegir varios")
        expect(screen.row(by_joint[0])).to_be_disabled()  # its joints are ticked, one spool at a time
        expect(screen.row(whole[0])).to_be_enabled()
        expect(screen.row(by_joint[2])).to_be_enabled()
    assert api.see_events(whole[0]) == ["TOMAR_SPOOL"]
    assert api.see_events(by_joint[1]) == ["INICIAR_SPOOL"]


def test_fifty_are_taken_at_once_and_the_fifty_first_is_refused(
    tablets: Tablets, server: RunningServer, ledger: Database, api: Tablet
) -> None:
    tags = [f"MK-1335-CW-25238-{n:03}" for n in range(1, 53)]
    put(ledger, [a_spool(tag) for tag in tags], CREW)
    with tablets.one(server.url, worker=LP, size=(768, 6_000)) as screen:  # all rows exist at once
        screen.open()
        screen.tap("Elegir varios")
        for tag in tags[:50]:
            screen.row(tag).click()
        expect(screen.page.get_by_text("50 elegidos")).to_be_visible()
        screen.row(tags[50]).click()
        expect(screen.page.get_by_text("Ya hay 50 elegidos: es el máximo de una vez.")).to_be_visible()
        expect(screen.row(tags[50])).to_have_attribute("aria-pressed", "false")
        expect(screen.page.get_by_text("50 elegidos", exact=True)).to_be_visible()
        screen.tap("TOMAR")
        screen.page.get_by_role("dialog", name="50 de 50 hechos").wait_for()
        screen.tap("Listo")
        expect(screen.mine()).to_have_count(50)
    occupied = api.see("/api/dashboard/occupied")["occupied"]
    assert sorted(one["tag_spool"] for one in occupied) == tags[:50]
