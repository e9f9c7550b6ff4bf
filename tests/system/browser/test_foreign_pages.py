"""A page of another site in the worker's browser tries every trick on every POST and on the stream: nothing changes."""

from __future__ import annotations

import re
import socket
import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, sync_playwright

from carrete.ledger import open_database
from tests.conftest import migrated
from tests.support.browser import launch
from tests.support.every_post import BODIES, everything_in, posts_of, prepare
from tests.support.local import LOCAL
from tests.support.server import RunningServer, running_server

SCRIPT = (Path(__file__).parent / "foreign_page.js").read_text()
PAGE = b"<!doctype html><title>Sorteo</title><body></body>"
EVIL, REBOUND, OURS = "evil.example", "rebound.example", "carrete.taller.cl"  # the last one is in CARRETE_HOSTS
RESOLVER = "--host-resolver-rules=" + ", ".join(f"MAP {name} 127.0.0.1" for name in (EVIL, REBOUND, OURS))
ARRIVED_MIN = 5  # of the tricks on each path: the others are stopped by the browser itself
QUIET_S = 1.0
WAIT_S_MAX = 30.0


class _Foreign(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_: object) -> None:
        """The page needs no log."""


@contextmanager
def foreign_site(address: str) -> Iterator[int]:
    """The port at which somebody else's page is served."""
    with ThreadingHTTPServer((address, 0), _Foreign) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        yield site.server_address[1]
        site.shutdown()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright, RESOLVER)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def sites() -> Iterator[list[str]]:
    """Another port of the server's own address, another address of this machine, and a name."""
    with foreign_site("127.0.0.1") as one, foreign_site("127.0.0.2") as other:
        yield [f"http://127.0.0.1:{one}", f"http://127.0.0.2:{other}", f"http://{EVIL}:{one}"]


@contextmanager
def turned_to(shop: Shop) -> Iterator[int]:
    """A port that serves somebody's page first, and then is our server: what a name that resolves anew looks like."""

    class Turned(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            received = self.request.recv(65_536)
            if received.startswith(b"GET / "):
                head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n"
                self.request.sendall(head + PAGE)
            elif received:
                with socket.create_connection(("127.0.0.1", shop.port)) as server, suppress(OSError):
                    server.sendall(received)
                    threading.Thread(target=_copy, args=(self.request, server), daemon=True).start()
                    _copy(server, self.request)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Turned) as site:
        site.daemon_threads = True
        threading.Thread(target=site.serve_forever, daemon=True).start()
        yield site.server_address[1]
        site.shutdown()


def _copy(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(65_536):
            sink.sendall(piece)
        sink.shutdown(socket.SHUT_WR)


class Shop:
    """A server, and everything in its ledger before any attack."""

    def __init__(self, server: RunningServer, ledger_url: str) -> None:
        self.server = server
        self.port = urlsplit(server.url).port
        self._ledger_url = ledger_url
        database = open_database(ledger_url)
        prepare(database)
        database.close()
        self._before = everything_in(ledger_url)

    def is_unchanged(self) -> bool:
        return everything_in(self._ledger_url) == self._before

    def figure(self, pattern: str) -> float:
        metrics = httpx.get(f"http://127.0.0.1:{self.port}/metrics", **LOCAL).text
        return sum(map(float, re.findall(rf"^{pattern} (\S+)$", metrics, re.MULTILINE)))

    @property
    def refused(self) -> float:
        return self.figure(r"carrete_refused_requests_total\{.*\}")

    def wait_until_quiet(self) -> None:
        """A page does not learn when its beacons have arrived."""
        seen, until = -1.0, time.monotonic() + WAIT_S_MAX
        while (now := self.refused) != seen and time.monotonic() < until:
            seen = now
            time.sleep(QUIET_S)


@pytest.fixture(params=["127.0.0.1", "0.0.0.0"])
def shop(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shop]:
    """Listening on all interfaces is what is tried here; it is asked under loopback addresses alone."""
    url = f"sqlite:///{tmp_path / 'carrete.db'}"
    migrated(url)
    settings = {"CARRETE_HOSTS": OURS}
    with running_server(url, tmp_path, "--host", request.param, "--insecure-open", settings=settings) as server:
        yield Shop(server, url)


def names_of(shop: Shop) -> list[str]:
    """Under which the server can be reached: its own, and one that somebody made up."""
    everywhere = ["127.0.0.2"] if "0.0.0.0" in shop.server.url else []
    return ["127.0.0.1", OURS, REBOUND, *everywhere]


def attack(chromium: Browser, site: str, shop: Shop, targets: list[str]) -> None:
    """Enough of the attacks reach the server and are refused; nothing is changed, and no answer can be read."""
    before = shop.refused
    page = chromium.new_page()
    page.goto(site)
    page.add_script_tag(content=SCRIPT)
    page.evaluate("([targets, bodies]) => attack(targets, bodies)", [targets, BODIES])
    shop.wait_until_quiet()
    assert shop.is_unchanged(), site
    assert page.evaluate("globalThis.overheard") is None, site
    assert shop.refused - before >= ARRIVED_MIN * len(BODIES) * len(targets), site
    assert shop.figure("carrete_live_viewers") == 0, site
    page.close()


def test_a_page_of_another_origin_changes_nothing_and_reads_nothing(
    chromium: Browser, sites: list[str], shop: Shop
) -> None:
    posts_of(httpx.get(f"http://127.0.0.1:{shop.port}/api/openapi.json", **LOCAL).json())
    for site in sites:
        attack(chromium, site, shop, [f"http://{name}:{shop.port}" for name in names_of(shop)])


def test_a_page_whose_name_was_turned_to_our_address_changes_nothing(chromium: Browser, shop: Shop) -> None:
    """To the browser the page and our server are one origin; only the name in `Host` differs."""
    with turned_to(shop) as port:
        for name in (EVIL, REBOUND):
            attack(chromium, f"http://{name}:{port}", shop, [f"http://{name}:{port}"])


def test_our_own_page_may_do_all_of_it(chromium: Browser, shop: Shop) -> None:
    """The tricks fail because they come from another origin, not because of their bodies."""
    page = chromium.new_page()
    page.goto(f"http://{OURS}:{shop.port}")
    outcomes = page.evaluate(
        """async (bodies) => {
            const found = {};
            for (const [path, body] of Object.entries(bodies)) {
                const options = { method: "POST", headers: { "Content-Type": "application/json" } };
                found[path] = (await fetch(path, { ...options, body: JSON.stringify(body) })).status;
            }
            found.stream = (await fetch("/api/sse/stream")).status;
            return found;
        }""",
        BODIES,
    )
    page.close()
    assert outcomes == dict.fromkeys([*BODIES, "stream"], 200)
    assert not shop.is_unchanged()
