"""One Chromium for all tests of a process; a shop and its server for each."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from carrete.ledger import open_database
from carrete.ledger.database import Database
from tests.conftest import migrated
from tests.support.browser import Tablets, launch
from tests.support.server import RunningServer, running_server


@pytest.fixture(scope="session")
def tablets() -> Iterator[Tablets]:
    if not files("carrete").joinpath("web_dist", "index.html").is_file():
        pytest.fail("The tests need the web app: `make setup` builds it.", pytrace=False)
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield Tablets(browser)
        browser.close()


@pytest.fixture
def ledger_url(tmp_path: Path) -> str:
    """A browser sees no difference between engines: SQLite, which the other tests hold equal to PostgreSQL."""
    url = f"sqlite:///{tmp_path / 'carrete.db'}"
    migrated(url)
    return url


@pytest.fixture
def ledger(ledger_url: str) -> Iterator[Database]:
    opened = open_database(ledger_url)
    yield opened
    opened.close()


@pytest.fixture
def server(ledger_url: str, tmp_path: Path) -> Iterator[RunningServer]:
    with running_server(ledger_url, tmp_path) as running:
        yield running


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """The demo shop: for tests that only look."""
    folder = tmp_path_factory.mktemp("demo")
    with running_server(f"sqlite:///{folder / 'carrete.db'}", folder, "--demo") as running:
        yield running
