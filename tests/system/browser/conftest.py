"""One Chromium and one server for the tests of a file; a shop of its own for each.

A file or a test marked `access("open", "pin")` runs once in each of these modes; `access("open")` on a test of such a
file leaves it there.

Playwright keeps an event loop running while it is there: no other test of the process could run one of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

from carrete.domain.trail.canonical import GENESIS
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.settings import Access
from tests.conftest import migrated
from tests.support.browser import Tablets, launch
from tests.support.floor_access import FloorServers, PinTablets
from tests.support.server import RunningServer
from tests.support.tablet import Tablet
from tests.support.tampering import tampering

FLOOR = (
    "ndt",
    "ndt_group",
    "ndt_draw",
    "joint_work",
    "joint",
    "spool",
    "worker_role",
    "worker",
    "event",
    "outbox",
    "idempotency",
    "workbook_base",
)
IDENTITY = ("session", "pin", "pin_failure", "pin_lock", "device", "api_token", "access_event")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marker = metafunc.definition.get_closest_marker("access")
    if marker is not None and "access" in metafunc.fixturenames:
        metafunc.parametrize("access", marker.args, indirect=True, scope="module")


@pytest.fixture(scope="module")
def access(request: pytest.FixtureRequest) -> Access:
    mode: Access = getattr(request, "param", "open")
    return mode


@pytest.fixture(scope="module")
def servers(access: Access) -> FloorServers:
    return FloorServers(access)


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    if not files("carrete").joinpath("web_dist", "index.html").is_file():
        pytest.fail("The tests need the web app: `make setup` builds it.", pytrace=False)
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    browser = launch(playwright)
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def tablets(playwright: Playwright, browser: Browser, servers: FloorServers) -> Tablets:
    return Tablets(browser, playwright) if servers.access == "open" else PinTablets(browser, playwright, servers)


@pytest.fixture(scope="module")
def ledger_url(access: Access, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A browser sees no difference between engines: SQLite, which the other tests hold equal to PostgreSQL."""
    url = f"sqlite:///{tmp_path_factory.mktemp(f'ledger-{access}') / 'carrete.db'}"
    migrated(url)
    return url


@pytest.fixture
def ledger(ledger_url: str) -> Iterator[Database]:
    """Empty when a test begins: a server is started once for the tests of a file, a shop is put into it for each."""
    opened = open_database(ledger_url)
    with tampering(opened) as tx:
        for table in (*FLOOR, *IDENTITY):
            tx.execute(f"DELETE FROM {table}")
        tx.execute(f"UPDATE trail_head SET seq = 0, hash = '{GENESIS}'")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def server(ledger_url: str, servers: FloorServers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with servers.running(ledger_url, tmp_path_factory.mktemp("serve")) as running:
        yield running


@pytest.fixture
def api(server: RunningServer, servers: FloorServers) -> Iterator[Tablet]:
    """The actions of other people, without a browser."""
    with servers.others(server) as tablet:
        yield tablet


@pytest.fixture(scope="module")
def demo(servers: FloorServers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """The demo shop: for tests that only look."""
    folder = tmp_path_factory.mktemp("demo")
    with servers.running(f"sqlite:///{folder / 'carrete.db'}", folder, "--demo") as running:
        yield running
