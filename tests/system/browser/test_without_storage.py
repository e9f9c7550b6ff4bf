"""A browser that keeps nothing (private mode, a full disk, a policy): the app works all the same, and says so once."""

from __future__ import annotations

import pytest
from playwright.sync_api import Dialog, expect

from carrete.ledger.database import Database
from tests.support.browser import Screen, Tablets
from tests.support.builders import a_joint, a_spool, put
from tests.support.people import CREW, LP, SV
from tests.support.server import RunningServer
from tests.support.tablet import Tablet

pytestmark = pytest.mark.access("open", "pin")
ONE, TWO = "MK-1335-CW-25238-001", "MK-1335-CW-25238-002"
TAPS = "**/api/**/occupation/*"
LOST = ["ERR_", "/api/"]
NOTICE = "Este tablet no puede guardar nada"
KEPT = "['localStorage', 'sessionStorage', 'indexedDB']"
# Every way in which a browser refuses to keep something.
WAYS = {
    "access is forbidden": f"""for (const name of {KEPT})
        Object.defineProperty(window, name, {{get() {{ throw new DOMException('denied', 'SecurityError'); }}}});""",
    "it is absent": f"for (const name of {KEPT}) Object.defineProperty(window, name, {{get: () => undefined}});",
    "it is null": f"for (const name of {KEPT}) Object.defineProperty(window, name, {{get: () => null}});",
    "every call fails": """for (const name of ['getItem', 'setItem', 'removeItem', 'key'])
        Storage.prototype[name] = () => { throw new DOMException('denied', 'SecurityError'); };
        Object.defineProperty(Storage.prototype, 'length', {get() { throw new Error('denied'); }});""",
    "nothing can be written": """Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError');
    };""",
    # The browser's own limit, reached with somebody else's data; nothing is left of it for us.
    "it is full": """for (let size = 1 << 22, n = 0; size >= 1; n++)
        try { localStorage.setItem(`other.${n}`, 'x'.repeat(size)); } catch { size >>= 1; }""",
}


@pytest.fixture(autouse=True)
def shop(ledger: Database) -> None:
    joints = [a_joint(1, ONE), a_joint(2, ONE)]
    put(ledger, [a_spool(ONE, total_uniones=2), a_spool(TWO)], CREW, joints)


def sign_in(screen: Screen) -> None:
    screen.open()
    screen.choose(LP)
    screen.row(TWO).wait_for()


@pytest.mark.parametrize("way", WAYS)
def test_a_shift_goes_on_in_a_browser_that_keeps_nothing(
    tablets: Tablets, server: RunningServer, api: Tablet, way: str
) -> None:
    with tablets.one(server.url, script=WAYS[way]) as screen:
        sign_in(screen)
        screen.pick(TWO)
        screen.tap("TOMAR")
        screen.says(f"LP(7) tiene el spool {TWO} para ARM.")
        screen.is_back_at_the_list()
        expect(screen.mine()).to_have_count(1)
        screen.pick(TWO)
        screen.tap("PAUSAR")
        screen.tap("PAUSAR")
        screen.is_back_at_the_list()
        screen.pick(ONE)
        screen.tap("INICIAR")
        screen.is_back_at_the_list()
        screen.pick(ONE)
        screen.joint(1).click()
        screen.tap("FINALIZAR")
        screen.is_back_at_the_list()
        assert api.see_events(TWO) == ["TOMAR_SPOOL", "PAUSAR_SPOOL"]
        assert api.see_events(ONE)[0] == "INICIAR_SPOOL"


@pytest.mark.parametrize("way", WAYS)
def test_it_says_once_that_nothing_is_kept(tablets: Tablets, server: RunningServer, way: str) -> None:
    with tablets.one(server.url, script=WAYS[way]) as screen:
        sign_in(screen)
        notice = screen.page.get_by_text(NOTICE)
        expect(notice).to_be_visible()
        screen.tap("Cerrar")
        expect(notice).to_have_count(0)
        screen.pick(TWO)
        screen.tap("TOMAR")
        screen.is_back_at_the_list()
        screen.tap("Salir")
        screen.choose(LP)
        screen.row(TWO).wait_for()
        expect(notice).to_have_count(0)


def test_a_browser_that_keeps_things_says_nothing_about_it(tablets: Tablets, server: RunningServer) -> None:
    with tablets.one(server.url) as screen:
        sign_in(screen)
        screen.is_live()
        expect(screen.page.get_by_text(NOTICE)).to_have_count(0)


@pytest.mark.access("open")  # with identity a page that is loaded anew and knows of no touch is locked at once
@pytest.mark.parametrize("way", WAYS)
def test_language_theme_board_and_supervision_work_without_storage(
    tablets: Tablets, server: RunningServer, way: str
) -> None:
    with tablets.one(server.url, script=WAYS[way]) as screen:
        sign_in(screen)
        screen.tap("Idioma y pantalla")
        screen.tap("Oscura")
        screen.tap("English")
        screen.tap("Close")
        assert screen.page.evaluate("document.documentElement.dataset.theme") == "dark"
        screen.page.get_by_role("button", name="Leave", exact=True).wait_for()
        screen.open("/tablero").get_by_text("Nadie tiene ningún spool.").wait_for()
        screen.open("/supervision")
        screen.choose(SV)
        expect(screen.page.get_by_role("button", name="Ahora")).to_be_visible()


@pytest.mark.parametrize("way", ["access is forbidden", "nothing can be written"])
def test_an_unsent_tap_warns_that_a_reload_would_lose_it_and_is_sent_when_the_server_answers(
    tablets: Tablets, server: RunningServer, api: Tablet, way: str
) -> None:
    with tablets.one(server.url, script=WAYS[way], allow=LOST) as screen:
        sign_in(screen)
        screen.page.route(TAPS, lambda route: route.abort())
        screen.pick(TWO)
        screen.tap("TOMAR")
        expect(screen.page.get_by_text(f"Sin enviar: TOMAR {TWO}")).to_be_visible()
        expect(screen.page.get_by_text("si se recarga la página, se pierde")).to_be_visible()
        dialogs: list[str] = []
        screen.page.once("dialog", lambda dialog: accept_dialog(dialog, dialogs))
        screen.page.close(run_before_unload=True)
        screen.page.wait_for_timeout(500)
        assert dialogs == ["beforeunload"], "the browser asks before the tap is lost"
        screen.page.unroute(TAPS)
        screen.says(f"LP(7) tiene el spool {TWO} para ARM.")
        assert api.see_events(TWO) == ["TOMAR_SPOOL"]


def accept_dialog(dialog: Dialog, dialogs: list[str]) -> None:
    dialogs.append(dialog.type)
    dialog.dismiss()


@pytest.mark.access("open")  # with identity a device has one session, and so have all its tabs
def test_two_tabs_without_storage_do_not_disturb_each_other(tablets: Tablets, server: RunningServer) -> None:
    with tablets.one(server.url, script=WAYS["nothing can be written"]) as screen:
        sign_in(screen)
        other = screen.page.context.new_page()
        other.goto(server.url)
        other.get_by_role("button", name="Juana Soto").first.click()
        expect(other.get_by_text("JS(8)", exact=True)).to_be_visible()
        screen.pick(TWO)
        screen.tap("TOMAR")
        screen.says(f"LP(7) tiene el spool {TWO} para ARM.")
