"""Which hosts are ours, whose forwarded headers are trusted, and how often refused requests are logged."""

from __future__ import annotations

import asyncio
import socket
from ipaddress import ip_address
from typing import Any

import pytest
from structlog.testing import capture_logs

from carrete.api.server import hosts
from carrete.api.server.hosts import ACCEPTED_MAX, OwnHosts
from carrete.api.server.minute_count import MinuteCount
from carrete.api.server.proxies import TrustedProxies, proxy_networks
from carrete.api.server.refusal_log import LINES_PER_MINUTE_MAX, RefusalLog

NGINX, TABLET = "10.0.0.10", "192.168.1.77"


# ─── hosts ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_names_of_this_machine_are_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "Taller")
    own = OwnHosts("127.0.0.1")
    for host in (b"taller", b"TALLER:8000", b"taller.local", b"Taller.local.:80"):
        assert own.accepts(host)
    assert not own.accepts(b"taller.evil.example")


def test_the_full_name_of_this_machine_is_ours_once_it_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "taller")
    for full, ours in (("taller.empresa.cl", True), ("evil.example", False)):
        monkeypatch.setattr(socket, "getfqdn", lambda name=full: name)
        own = OwnHosts("127.0.0.1")
        own._add_full_name()
        assert own.accepts(full.encode()) is ours


def test_an_address_of_this_machine_is_ours_as_soon_as_it_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """127.0.0.0/8 belongs to every Linux machine; the answer about it stands for an address that an interface got."""
    assert hosts._belongs_to_this_machine(ip_address("127.0.0.77"))
    for foreign in ("203.0.113.9", "2001:db8::9", "0.0.0.0", "::", "224.0.0.1", "ff02::1"):
        assert not hosts._belongs_to_this_machine(ip_address(foreign)), foreign
    own = OwnHosts("0.0.0.0")
    assert not own.accepts(b"192.168.1.20:8000")
    monkeypatch.setattr(hosts, "_belongs_to_this_machine", lambda address: str(address) == "192.168.1.20")
    assert own.accepts(b"192.168.1.20:8000")
    assert not own.accepts(b"192.168.1.21:8000")


def test_what_is_configured_and_what_is_listened_on_is_ours() -> None:
    own = OwnHosts("Carrete.Empresa.cl", ["tablero.empresa.cl", "203.0.113.9", "2001:db8::9"])
    for host in (b"carrete.empresa.cl", b"tablero.empresa.cl:8443", b"203.0.113.9", b"[2001:DB8::9]:80"):
        assert own.accepts(host), host
    assert OwnHosts("0.0.0.0").accepts(b"0.0.0.0:8000")
    assert not OwnHosts("127.0.0.1").accepts(b"0.0.0.0:8000")


def test_only_so_many_hosts_are_remembered() -> None:
    own = OwnHosts("127.0.0.1")
    for n in range(5 * ACCEPTED_MAX):
        assert own.accepts(b"localhost:%d" % n)
        assert not own.accepts(b"evil-%d.example" % n)
    assert len(own._accepted) <= ACCEPTED_MAX


# ─── proxies ──────────────────────────────────────────────────────────────────────────────────────────────────


def forwarded(peer: str | None, *headers: tuple[str, str], trusted: tuple[str, ...] = (NGINX,)) -> dict[str, Any]:
    fields = [(name.encode(), value.encode()) for name, value in (("host", "carrete"), *headers)]
    scope: dict[str, Any] = {"client": (peer, 1234) if peer else None, "scheme": "http", "headers": fields}
    TrustedProxies(proxy_networks(trusted)).apply(scope)
    hosts_said = [value.decode() for name, value in scope["headers"] if name == b"host"]
    client = scope["client"][0] if scope["client"] else None
    return {"client": client, "scheme": scope["scheme"], "hosts": hosts_said}


ALL = (("x-forwarded-for", TABLET), ("x-forwarded-proto", "https"), ("x-forwarded-host", "taller.cl"))


@pytest.mark.parametrize("trusted", [(), ("10.0.0.11",), ("10.0.1.0/24", "fd00::1")])
@pytest.mark.parametrize("peer", [NGINX, "127.0.0.1", "::1", None])
def test_a_proxy_that_was_not_configured_is_not_trusted(peer: str | None, trusted: tuple[str, ...]) -> None:
    assert forwarded(peer, *ALL, trusted=trusted) == {"client": peer, "scheme": "http", "hosts": ["carrete"]}


@pytest.mark.parametrize("trusted", [(NGINX,), ("10.0.0.0/24",), ("fd00::1, 10.0.0.10",)])
@pytest.mark.parametrize("peer", [NGINX, f"::ffff:{NGINX}"])
def test_a_configured_proxy_is_trusted(peer: str, trusted: tuple[str, ...]) -> None:
    assert forwarded(peer, *ALL, trusted=trusted) == {"client": TABLET, "scheme": "https", "hosts": ["taller.cl"]}


@pytest.mark.parametrize(
    ("forwarded_for", "client"),
    [
        ("", NGINX),
        ("evil", NGINX),
        (f"127.0.0.1, {TABLET}", TABLET),  # the tablet may put anything in front
        (f"{TABLET}, {NGINX}", TABLET),
        (f"evil, {NGINX}", NGINX),
        (NGINX, NGINX),
        ("2001:db8::7", "2001:db8::7"),
    ],
)
def test_the_client_is_the_last_address_that_is_no_proxy(forwarded_for: str, client: str) -> None:
    assert forwarded(NGINX, ("x-forwarded-for", forwarded_for))["client"] == client


def test_an_invalid_forwarded_scheme_is_ignored_and_of_two_hosts_both_are_checked() -> None:
    assert forwarded(NGINX, ("x-forwarded-proto", "javascript"))["scheme"] == "http"
    both = forwarded(NGINX, ("x-forwarded-host", "a.cl"), ("x-forwarded-host", "b.cl"))
    assert both["hosts"] == ["a.cl", "b.cl"]


# ─── counted and logged once a minute ─────────────────────────────────────────────────────────────────────────


def test_a_thousand_events_of_one_kind_are_two_log_lines() -> None:
    every_s = 0.2

    async def count() -> MinuteCount:
        counted = MinuteCount("junk", every_s)
        for n in range(1_000):
            counted.add("A" if n % 2 else "B")
        await asyncio.sleep(3 * every_s)
        return counted

    with capture_logs() as logged:
        counted = asyncio.run(count())
    assert [(line["event"], line["count"]) for line in logged] == [("junk", 1), ("junk", 999)]
    assert logged[1]["by_kind"] == {"A": 500, "B": 499}
    assert counted.total == {"A": 500, "B": 500}


def test_refusals_beyond_so_many_a_minute_are_counted_instead() -> None:
    async def write() -> None:
        written = RefusalLog()
        for _ in range(3 * LINES_PER_MINUTE_MAX):
            written.write({"method": "GET", "path": "/", "client": ("127.0.0.1", 1)}, "HOST_DESCONOCIDO")

    with capture_logs() as logged:
        asyncio.run(write())
    one_by_one = [line for line in logged if line["event"] == "refused"]
    assert LINES_PER_MINUTE_MAX <= len(one_by_one) <= 2 * LINES_PER_MINUTE_MAX  # a minute may end meanwhile
    assert len(logged) - len(one_by_one) == 1
