"""One Chromium and one server for the tests of a file; a shop of its own for each.

Playwright keeps an event loop running while it is there: no other test of the process could run one of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

import pytest
from playwright.sync_api import sync_playwright

from carrete.ledger import open_database
from carrete.ledger.database import Database
from tests.conftest import migrated
from tests.support.browser import Tablets, launch
from tests.support.server import RunningServer, running_server

TABLES = ("joint_work", "joint", "spool", "worker_role", "worker", "event", "outbox", "idempotency", "workbook_base")


@pytest.fixture(scope="module")
def tablets() -> Iterator[Tablets]:
    if not files("carrete").joinpath("web_dist", "index.html").is_file():
        pytest.fail("The tests need the web app: `make setup` builds it.", pytrace=False)
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield Tablets(browser, playwright)
        browser.close()


@pytest.fixture(scope="module")
def ledger_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A browser sees no difference between engines: SQLite, which the other tests hold equal to PostgreSQL."""
    url = f"sqlite:///{tmp_path_factory.mktemp('ledger') / 'carrete.db'}"
    migrated(url)
    return url


@pytest.fixture
def ledger(ledger_url: str) -> Iterator[Database]:
    """Empty when a test begins: a server is started once for the tests of a file, a shop is put into it for each."""
    opened = open_database(ledger_url)
    with opened.writing() as tx:
        for table in TABLES:
            tx.execute(f"DELETE FROM {table}")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def server(ledger_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with running_server(ledger_url, tmp_path_factory.mktemp("serve")) as running:
        yield running


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """The demo shop: for tests that only look."""
    folder = tmp_path_factory.mktemp("demo")
    with running_server(f"sqlite:///{folder / 'carrete.db'}", folder, "--demo") as running:
        yield running
