"""Chromium that trusts the local authority and nobody else; and the page of the plain port, as people see it."""

from __future__ import annotations

import os
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Playwright, sync_playwright

from carrete.tls.authority import CERTIFICATE_FILE, Authority, load
from carrete.tls.certificate import make_context
from carrete.tls.files import CertificateFiles
from carrete.tls.names import CertificateNames
from tests.conftest import migrated
from tests.support.browser import SIZES, Theme, executable, overflow_px, small_targets, violations
from tests.support.chromium_trust import trust_authority
from tests.support.lan import LanServer, lan_server

OURS, FOREIGN = "otro.local", "banco.cl"


@pytest.fixture(scope="module")
def lan(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LanServer]:
    data = tmp_path_factory.mktemp("lan")
    url = f"sqlite:///{data / 'carrete.db'}"
    migrated(url)
    with lan_server(url, data) as running:
        yield running


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as running:
        yield running


@contextmanager
def chromium(playwright: Playwright, home: Path, *arguments: str) -> Iterator[Browser]:
    """With a home of its own: its list of authorities is there."""
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    options = [*sandbox, "--disable-background-networking", "--disable-dev-shm-usage", "--disable-gpu", *arguments]
    home_of = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")}
    environment: dict[str, str | float | bool] = {**os.environ, **home_of}
    browser = playwright.chromium.launch(executable_path=executable(), args=options, env=environment)
    try:
        yield browser
    finally:
        browser.close()


@pytest.fixture(scope="module")
def trusting_home(lan: LanServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    trust_authority(home, lan.folder / CERTIFICATE_FILE)
    return home


@pytest.fixture(scope="module")
def browser(playwright: Playwright, trusting_home: Path) -> Iterator[Browser]:
    here = ", ".join(f"MAP {name} 127.0.0.1" for name in (OURS, FOREIGN))
    with chromium(playwright, trusting_home, f"--host-resolver-rules={here}") as running:
        yield running


def test_it_opens_carrete_without_a_warning_when_it_trusts_the_authority(lan: LanServer, browser: Browser) -> None:
    """A context that browsers call secure: cookies with guarantees, cameras and WebCrypto are given to it."""
    page = browser.new_page()
    answer = page.goto(lan.url)
    assert answer is not None
    assert answer.status == 200
    assert page.evaluate("isSecureContext && crypto.subtle !== undefined")
    page.close()


def test_it_refuses_carrete_when_it_does_not(lan: LanServer, playwright: Playwright, tmp_path: Path) -> None:
    with chromium(playwright, tmp_path) as stranger:
        page = stranger.new_page()
        with pytest.raises(Error, match="ERR_CERT_AUTHORITY_INVALID"):
            page.goto(lan.url)


def test_it_refuses_a_certificate_of_the_authority_for_a_foreign_name(
    lan: LanServer, browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Made as a thief of the key would: the product itself leaves such a name out."""
    monkeypatch.setattr(Authority, "permitted", lambda _, names: names)
    page = browser.new_page()
    with foreign_server(signed(lan, tmp_path / "ours.pem", OURS)) as port:
        answer = page.goto(f"https://{OURS}:{port}/")
        assert answer is not None
        assert answer.status == 200, "the name is the only difference"
    with foreign_server(signed(lan, tmp_path / "stolen.pem", FOREIGN)) as port, pytest.raises(Error, match="ERR_CERT_"):
        page.goto(f"https://{FOREIGN}:{port}/")
    page.close()


def signed(lan: LanServer, path: Path, name: str) -> CertificateFiles:
    path.write_bytes(load(lan.folder).sign(CertificateNames(frozenset({name}), frozenset()), datetime.now(UTC)))
    return CertificateFiles(path, path)


class _Greeting(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"hi")

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def foreign_server(files: CertificateFiles) -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Greeting)
    context: ssl.SSLContext = make_context(files)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("language", ["es", "en"])
def test_the_page_of_the_plain_port_in_both_themes_and_four_sizes(
    language: str, lan: LanServer, browser: Browser
) -> None:
    context = browser.new_context(bypass_csp=True)  # for axe alone
    page = context.new_page()
    page.goto(f"{lan.page_url}/?idioma={language}")
    themes: tuple[Theme, ...] = ("light", "dark")
    for theme in themes:
        page.emulate_media(color_scheme=theme)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            assert violations(page) == [], (theme, width)
            assert overflow_px(page) <= 0, (theme, width)
            assert small_targets(page) == [], (theme, width)
    context.close()


def test_the_page_leads_to_carrete(lan: LanServer, browser: Browser) -> None:
    page = browser.new_page()
    page.goto(lan.page_url)
    page.get_by_role("link", name="Abrir Carrete").or_(page.get_by_role("link", name="Open Carrete")).click()
    page.wait_for_url(f"{lan.url}/**")
    page.close()
