"""The service worker: a new version replaces any old one, and no answer of the API is ever its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Response, expect

from carrete.ledger.database import Database
from tests.support.browser import Screen, Tablets
from tests.support.builders import a_spool, put
from tests.support.changed_build import IS_NEXT, next_version, served_build
from tests.support.kept_on_tablet import files_kept, wait_until
from tests.support.people import CREW, LP, MR
from tests.support.server import RunningServer, start_server, stop
from tests.support.tablet import Tablet

TAG = "MK-1335-CW-25238-001"
GONE = ("ERR_", "/api/", "Failed to load")
# The next version's worker is installed, and this page is its.
NEXT_RULES = """async () => {
    const {active, installing, waiting} = await navigator.serviceWorker.getRegistration();
    const isAlone = !installing && !waiting && navigator.serviceWorker.controller === active;
    return isAlone && active.state === 'activated' && await caches.has('carrete-next');
}"""
CONTROLLED = "navigator.serviceWorker.controller !== null"
# Workers as other shops have had them. Both take over at once and keep what they have once seen.
KEEPS_ALL = """
const CACHE = 'carrete-old';
self.addEventListener('install', event => event.waitUntil(self.skipWaiting()));
self.addEventListener('activate', event => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', event => {
    if (event.request.method !== 'GET' || !isMine(event.request)) return;
    event.respondWith(caches.open(CACHE).then(async cache => {
        const kept = await cache.match(event.request);
        if (kept) return kept;
        const answer = await fetch(event.request);
        if (answer.ok) await cache.put(event.request, answer.clone());
        return answer;
    }));
});
"""
STUCK = KEEPS_ALL + "const isMine = ({url}) => !new URL(url).pathname.startsWith('/api/');"
SERVES_API = KEEPS_ALL + "const isMine = ({url}) => /^.api.(spools|workers|dashboard)/.test(new URL(url).pathname);"


@pytest.fixture(autouse=True)
def shop(ledger: Database) -> None:
    put(ledger, [a_spool(TAG)], CREW)


def planted(script: str) -> Callable[[Path], None]:
    def change(web: Path) -> None:
        (web / "sw.js").write_text(script)

    return change


def controlled(screen: Screen, path: str = "/trabajo/ARM") -> Page:
    """Opened twice: from the second time on its worker is asked."""
    page = screen.open(path)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.wait_for_function(CONTROLLED)
    page.reload()
    screen.row(TAG).wait_for()
    return page


def test_a_new_version_is_there_at_the_next_load_and_then_without_a_connection_too(
    tablets: Tablets, ledger_url: str, tmp_path: Path
) -> None:
    old = start_server(ledger_url, tmp_path)
    try:
        with tablets.one(old.url, worker=LP, installed=True, allow=GONE) as screen:
            page = controlled(screen)
            old.kill()
            with served_build(ledger_url, tmp_path / "next", next_version, port=port_of(old)):
                page.reload()
                page.wait_for_function(IS_NEXT)
                wait_until(page, NEXT_RULES)
                screen.row(TAG).wait_for()
            page.reload()  # nobody answers
            page.wait_for_function(IS_NEXT)
            assert "/assets/next.css" in files_kept(page)
    finally:
        stop(old)


def test_a_worker_that_keeps_its_old_page_for_ever_is_replaced(
    tablets: Tablets, ledger_url: str, tmp_path: Path
) -> None:
    with (
        served_build(ledger_url, tmp_path / "stuck", planted(STUCK)) as old,
        tablets.one(old.url, worker=LP, installed=True, allow=GONE) as screen,
    ):
        page = controlled(screen)
        old.kill()
        with served_build(ledger_url, tmp_path / "next", next_version, port=port_of(old)):
            page.reload()
            assert not page.evaluate(IS_NEXT), "the planted worker does not show its old page"
            wait_until(page, NEXT_RULES)
            page.reload()
            page.wait_for_function(IS_NEXT)


def port_of(server: RunningServer) -> str:
    return server.url.rpartition(":")[2]


def answered_by_worker(page: Page) -> list[str]:
    """Grows with every answer of the API that is the worker's, from now on."""
    found: list[str] = []

    def note(response: Response) -> None:
        if response.from_service_worker and "/api/" in response.url:
            found.append(response.url)

    page.on("response", note)
    return found


def use(screen: Screen, api: Tablet) -> list[str]:
    """The floor, the board and the supervisor's page, each loaded twice, and what the worker answered there."""
    page = controlled(screen)
    found = answered_by_worker(page)
    assert api.tap("tomar", TAG, MR.id).status_code == 200
    for path in ("/trabajo/ARM", "/tablero", "/supervision", f"/trabajo/ARM/{TAG}") * 2:
        screen.open(path)
        expect(page.locator("main").first).to_be_visible()
        page.wait_for_load_state("load")
    return found


def test_no_answer_of_the_api_is_the_workers(tablets: Tablets, server: RunningServer, api: Tablet) -> None:
    with tablets.one(server.url, worker=LP, installed=True, allow=GONE) as screen:
        assert use(screen, api) == []
        expect(screen.page.get_by_role("region", name="Mauricio Rodríguez")).to_be_visible()  # has it


def test_a_stale_worker_that_serves_the_api_is_caught(tablets: Tablets, ledger_url: str, tmp_path: Path) -> None:
    with (
        served_build(ledger_url, tmp_path / "stale", planted(SERVES_API)) as stale,
        tablets.one(stale.url, worker=LP, installed=True, allow=GONE) as screen,
        stale.tablet() as api,
    ):
        assert use(screen, api) != []
