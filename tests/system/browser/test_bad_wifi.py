"""Between steel racks answers get lost, but no action is lost and none happens twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from carrete.ledger.database import Database
from tests.support.browser import Screen, Tablets, covered
from tests.support.builders import a_joint, a_spool, put
from tests.support.floor_access import FloorServers
from tests.support.people import CREW, LP
from tests.support.server import RunningServer, stop
from tests.support.tablet import Tablet

pytestmark = pytest.mark.access("open", "pin")
ONE, TWO = "MK-1335-CW-25238-001", "MK-1335-CW-25238-002"
TAPS = "**/api/**/occupation/*"
LOST = ["ERR_", "/api/"]


@pytest.fixture
def shop(ledger: Database) -> None:
    joints = [a_joint(1, ONE), a_joint(2, ONE)]
    put(ledger, [a_spool(ONE, total_uniones=2), a_spool(TWO)], CREW, joints)


@pytest.mark.usefixtures("shop")
def test_the_server_is_killed_in_the_middle_of_a_tap_and_the_tap_happens_once(
    tablets: Tablets, servers: FloorServers, ledger_url: str, tmp_path: Path
) -> None:
    first = servers.start(ledger_url, tmp_path)
    keys: list[str | None] = []

    def executed_and_then_killed(route: Route) -> None:
        keys.append(route.request.headers.get("idempotency-key"))
        if len(keys) == 1:
            assert route.fetch().status == 200  # the server does the action…
            first.kill()  # …and its answer is lost
            route.abort()
        else:
            route.continue_()

    try:
        with tablets.one(first.url, worker=LP, allow=LOST) as screen:
            screen.page.route(TAPS, executed_and_then_killed)
            screen.open("/trabajo/ARM")
            screen.pick(ONE)
            screen.tap("INICIAR")
            expect(screen.page.get_by_text(f"Sin enviar: INICIAR {ONE}")).to_be_visible()
            again = servers.start(ledger_url, tmp_path, "--port", first.url.rpartition(":")[2])
            try:
                screen.says(f"LP(7) tiene el spool {ONE} para ARM.")
                with servers.others(again) as api:
                    assert api.see_events(ONE) == ["INICIAR_SPOOL"]
            finally:
                stop(again)
    finally:
        stop(first)
    assert len(keys) >= 2
    assert len(set(keys)) == 1
    assert keys[0]


@pytest.mark.usefixtures("shop")
def test_a_tap_that_was_not_sent_survives_a_reload(tablets: Tablets, server: RunningServer, api: Tablet) -> None:
    with tablets.one(server.url, worker=LP, allow=LOST) as screen:
        tap_into_the_void(screen)
        screen.page.reload()
        expect(screen.page.get_by_text("1 acción sin enviar")).to_be_visible()
        expect(screen.row(TWO)).to_contain_text("Sin enviar")
        screen.page.unroute(TAPS)
        expect(screen.page.get_by_text(f"LP(7) tiene el spool {TWO} para ARM.")).to_be_visible()
        expect(screen.mine()).to_have_count(1)
    assert api.see_events(TWO) == ["TOMAR_SPOOL"]


@pytest.mark.usefixtures("shop")
def test_a_tap_that_was_not_sent_can_be_retried_at_once_or_dropped(
    tablets: Tablets, server: RunningServer, api: Tablet
) -> None:
    with tablets.one(server.url, worker=LP, allow=LOST) as screen:
        tap_into_the_void(screen)
        screen.pick(TWO)
        expect(screen.page.get_by_role("button", name="TOMAR", exact=True)).to_be_disabled()
        screen.tap("Descartar")
        expect(screen.page.get_by_role("dialog")).to_contain_text("No se sabe si alcanzó a llegar.")
        screen.tap("Descartar")
        expect(screen.page.get_by_text("Descartado. Si alcanzó a llegar, la lista lo mostrará.")).to_be_visible()
        assert not covered(screen.page.get_by_role("button", name="TOMAR", exact=True))  # by that notice
        expect(screen.page.get_by_text("sin enviar")).to_have_count(0)
        assert api.see_events(TWO) == []
        screen.tap("TOMAR")
        expect(screen.page.get_by_text(f"Sin enviar: TOMAR {TWO}")).to_be_visible()
        with screen.page.expect_request(TAPS):  # lost as well: once the network is back the tap is repeated by itself
            screen.tap("Reintentar")
        screen.page.unroute(TAPS)
        screen.says(f"LP(7) tiene el spool {TWO} para ARM.")
    assert api.see_events(TWO) == ["TOMAR_SPOOL"]


@pytest.mark.usefixtures("shop")
def test_the_outcome_of_a_tap_that_a_reload_interrupted_is_shown(tablets: Tablets, server: RunningServer) -> None:
    with tablets.one(server.url, worker=LP, allow=LOST) as screen:
        tap_into_the_void(screen)
        screen.page.unroute(TAPS)
        screen.page.route("**/assets/floor-*.js", late)  # the answer is there before the screen
        screen.page.reload()
        expect(screen.page.get_by_text(f"LP(7) tiene el spool {TWO} para ARM.")).to_be_visible()


def late(route: Route) -> None:
    route.request.frame.page.wait_for_timeout(400)
    route.continue_()


@pytest.mark.usefixtures("shop")
def test_two_tabs_of_a_tablet_share_its_taps_and_its_worker(
    tablets: Tablets, server: RunningServer, api: Tablet
) -> None:
    with tablets.one(server.url, worker=LP, allow=LOST) as screen:
        screen.page.context.route(TAPS, lambda route: route.abort())
        tap_into_the_void(screen)
        other = screen.page.context.new_page()
        other.goto(f"{server.url}/trabajo/ARM/{TWO}")
        expect(other.get_by_text("LP(7) · No hay respuesta del servidor.")).to_be_visible()  # whose it is
        screen.pick(TWO)
        screen.tap("Descartar")
        screen.tap("Descartar")
        expect(other.get_by_text("sin enviar")).to_have_count(0)
        screen.page.unroute(TAPS)
        screen.page.context.unroute(TAPS)
        screen.tap("Salir")
        other.get_by_role("heading", name="¿Quién es usted?").wait_for()
    assert api.see_events(TWO) == []


def tap_into_the_void(screen: Screen) -> None:
    screen.page.route(TAPS, lambda route: route.abort())
    screen.open("/trabajo/ARM")
    screen.pick(TWO)
    screen.tap("TOMAR")
    expect(screen.page.get_by_text(f"Sin enviar: TOMAR {TWO}")).to_be_visible()
    screen.tap("Volver")
    expect(screen.row(TWO)).to_contain_text("Sin enviar")
