"""How a spool is worked is what its card says: on the screen that is open, after a refusal, and after "Salir"."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from carrete.ledger.database import Database
from tests.integration.workbook.files import RowEditor
from tests.support.browser import SIZES, WAIT_MS_MAX, Tablets
from tests.support.builders import a_joint, a_spool, held, put
from tests.support.people import CREW, LP, MR
from tests.support.server import RunningServer
from tests.support.tablet import Tablet

pytestmark = pytest.mark.access("open", "pin")
TAG = "MK-1335-CW-25238-001"
JOINTS = [a_joint(n, TAG) for n in (1, 2)]
FALLBACK = {"tag_spool": TAG, "version": "v3.0", "union_count": 0, "detection_logic": "el registro no responde"}
AT_ONCE_MS = 5_000
NOW_BY_JOINT = "Este spool ahora se trabaja por uniones (v4.0)."
NOW_WHOLE = "Este spool ahora se trabaja completo (v3.0)."


@pytest.fixture
def engineering(ledger: Database, tmp_path: Path) -> RowEditor:
    return RowEditor(ledger, tmp_path)


def set_total(engineering: RowEditor, total: object) -> None:
    """Engineering changes the workbook: the stream sends an event about it."""
    book = engineering.exported()
    engineering.edit(book, TAG, Total_Uniones=total)
    assert engineering.import_(engineering.save(book)).problems == []


def button(page: Page, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True)


def test_a_diagnostic_that_nobody_answers_hides_no_button(
    tablets: Tablets, server: RunningServer, ledger: Database
) -> None:
    put(ledger, [a_spool(TAG, total_uniones=2)], CREW, JOINTS)
    with tablets.one(server.url, worker=LP) as screen:
        screen.page.route("**/api/diagnostic/**", lambda route: None)
        screen.open(f"/trabajo/ARM/{TAG}")
        expect(button(screen.page, "INICIAR")).to_be_visible(timeout=AT_ONCE_MS)


def test_a_failed_detection_puts_no_wrong_button_on_the_screen(
    tablets: Tablets, server: RunningServer, ledger: Database
) -> None:
    put(ledger, [a_spool(TAG, total_uniones=2)], CREW, JOINTS)
    with tablets.one(server.url, worker=LP) as screen:
        screen.page.route("**/api/diagnostic/**", lambda route: route.fulfill(json=FALLBACK))
        screen.open(f"/trabajo/ARM/{TAG}")
        expect(screen.page.get_by_role("article").get_by_text("0/2 uniones")).to_be_visible()
        expect(button(screen.page, "INICIAR")).to_be_visible(timeout=AT_ONCE_MS)
        expect(button(screen.page, "TOMAR")).to_have_count(0)


def test_what_a_tablet_knew_of_a_spool_is_forgotten_at_salir(
    tablets: Tablets, server: RunningServer, ledger: Database
) -> None:
    put(ledger, [a_spool(TAG)], CREW)
    with tablets.one(server.url, worker=LP) as screen:
        screen.open("/trabajo/ARM")
        screen.pick(TAG)
        expect(button(screen.page, "TOMAR")).to_be_visible()
        screen.tap("Salir")
        with ledger.writing() as tx:
            tx.execute("DELETE FROM spool")
        put(ledger, [a_spool(TAG, total_uniones=2)], joints=JOINTS)  # and no event reports it
        screen.choose(LP)
        screen.pick(TAG)
        expect(button(screen.page, "INICIAR")).to_be_visible()
        expect(button(screen.page, "TOMAR")).to_have_count(0)


def test_a_change_of_workflow_is_announced_before_any_button_moves(
    tablets: Tablets, server: RunningServer, ledger: Database, engineering: RowEditor
) -> None:
    put(ledger, [held(a_spool(TAG), MR)], CREW, JOINTS)
    with tablets.one(server.url, worker=MR) as screen:
        page = screen.open(f"/trabajo/ARM/{TAG}")
        screen.is_live()
        names = ("COMPLETAR", "PAUSAR", "CANCELAR")
        expect(button(page, "COMPLETAR")).to_be_enabled()
        before = [button(page, name).bounding_box() for name in names]
        set_total(engineering, 2)
        expect(page.get_by_text(NOW_BY_JOINT)).to_be_visible()
        assert [button(page, name).bounding_box() for name in names] == before
        for name in names:
            expect(button(page, name)).to_be_disabled()
        expect(button(page, "FINALIZAR")).to_have_count(0)
        screen.tap("Ver uniones")
        expect(page.get_by_text(NOW_BY_JOINT)).to_have_count(0)
        screen.joint(2).click()
        screen.tap("FINALIZAR")
        screen.says(f"1 unión, 4 pulgadas. ARM en pausa en el spool {TAG}.")


@pytest.mark.parametrize("size", SIZES)
def test_the_way_on_is_in_sight_when_it_is_announced(
    tablets: Tablets, server: RunningServer, ledger: Database, engineering: RowEditor, size: tuple[int, int]
) -> None:
    put(ledger, [held(a_spool(TAG), MR)], CREW, JOINTS)
    with tablets.one(server.url, worker=MR, size=size) as screen:
        page = screen.open(f"/trabajo/ARM/{TAG}")
        screen.is_live()
        expect(button(page, "COMPLETAR")).to_be_enabled()
        set_total(engineering, 2)
        way_on = button(page, "Ver uniones")
        expect(way_on).to_be_visible()
        box = way_on.bounding_box()
        assert box is not None
        middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]  # without scrolling to it
        assert way_on.evaluate("(e, [x, y]) => e.contains(document.elementFromPoint(x, y))", middle)


def test_a_spool_that_is_no_longer_worked_by_joints_says_so_too(
    tablets: Tablets, server: RunningServer, ledger: Database, engineering: RowEditor
) -> None:
    put(ledger, [held(a_spool(TAG, total_uniones=2), MR)], CREW, JOINTS)
    with tablets.one(server.url, worker=MR) as screen:
        page = screen.open(f"/trabajo/ARM/{TAG}")
        screen.is_live()
        screen.joint(1).click()
        set_total(engineering, 0)
        expect(page.get_by_text(NOW_WHOLE)).to_be_visible()
        expect(button(page, "FINALIZAR")).to_be_disabled()
        expect(screen.joint(2).get_by_role("checkbox")).to_be_disabled()
        screen.tap("Ver spool completo")
        screen.tap("COMPLETAR")
        screen.says(f"ARM completada en el spool {TAG}.")


class OldCard:
    """The tablet sees the card as it was, as if no change had reached it, until `until_read_again` returns."""

    def __init__(self, page: Page, card: dict[str, Any]) -> None:
        self._page, self._card = page, card
        self._old, self._reads = True, 0
        page.route(f"**/api/spools/{TAG}?*", self._answer)

    def _answer(self, route: Route) -> None:
        self._reads += 1
        route.fulfill(json=self._card) if self._old else route.continue_()

    def until_read_again(self, change: Callable[[], None]) -> None:
        """The stream reports the change, the tablet asks for the card and gets the old one."""
        before = self._reads
        change()
        for _ in range(WAIT_MS_MAX // 50):
            if self._reads > before:
                break
            self._page.wait_for_timeout(50)
        assert self._reads > before
        self._page.wait_for_timeout(300)  # whatever else asks for it now
        self._old = False


def test_completar_on_a_spool_that_is_worked_by_joints_now_leads_to_its_joints(
    tablets: Tablets, server: RunningServer, ledger: Database, engineering: RowEditor, api: Tablet
) -> None:
    put(ledger, [held(a_spool(TAG), MR)], CREW, JOINTS)
    with tablets.one(server.url, worker=MR, allow=["409"]) as screen:
        old = OldCard(screen.page, api.see_spool(TAG, worker_id=MR.id))
        page = screen.open(f"/trabajo/ARM/{TAG}")
        expect(button(page, "COMPLETAR")).to_be_enabled()
        screen.is_live()
        old.until_read_again(lambda: set_total(engineering, 2))
        screen.tap("COMPLETAR")
        expect(page.get_by_text("No se registró nada.")).to_be_visible()
        expect(page.get_by_text("Marque las uniones que hizo y toque FINALIZAR.")).to_be_visible()
        expect(button(page, "COMPLETAR")).to_have_count(0)
        screen.joint(1).click()
        screen.joint(2).click()
        screen.tap("FINALIZAR")
        screen.says(f"2 uniones, 8 pulgadas. ARM completada en el spool {TAG}.")
    assert "COMPLETAR_ARM" not in api.see_events(TAG)


def test_finalizar_on_a_spool_that_is_worked_whole_now_leads_to_its_buttons(
    tablets: Tablets, server: RunningServer, ledger: Database, engineering: RowEditor, api: Tablet
) -> None:
    put(ledger, [held(a_spool(TAG, total_uniones=2), MR)], CREW, JOINTS)
    with tablets.one(server.url, worker=MR, allow=["409"]) as screen:
        old = OldCard(screen.page, api.see_spool(TAG, worker_id=MR.id))
        page = screen.open(f"/trabajo/ARM/{TAG}")
        screen.joint(1).click()
        screen.is_live()
        old.until_read_again(lambda: set_total(engineering, 0))
        screen.tap("FINALIZAR")
        expect(page.get_by_text("No se registró nada.")).to_be_visible()
        screen.tap("COMPLETAR")
        screen.says(f"ARM completada en el spool {TAG}.")


def test_a_take_in_the_old_workflow_goes_on_in_the_right_one(
    tablets: Tablets, server: RunningServer, ledger: Database, engineering: RowEditor, api: Tablet
) -> None:
    """A take means the same in both."""
    put(ledger, [a_spool(TAG)], CREW, JOINTS)
    with tablets.one(server.url, worker=MR, allow=["409"]) as screen:
        old = OldCard(screen.page, api.see_spool(TAG, worker_id=MR.id))
        page = screen.open(f"/trabajo/ARM/{TAG}")
        expect(button(page, "TOMAR")).to_be_enabled()
        screen.is_live()
        old.until_read_again(lambda: set_total(engineering, 2))
        screen.tap("TOMAR")
        screen.says(f"MR(93) tiene el spool {TAG} para ARM.")
        expect(page.get_by_text(NOW_BY_JOINT)).to_be_visible()
    assert api.see_events(TAG)[-1] == "INICIAR_SPOOL"
