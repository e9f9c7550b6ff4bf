"""One POST: over HTTPS to the address that was checked, under the receiver's own name; answers of any kind."""

from __future__ import annotations

import asyncio
import gzip
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from carrete.sheets.freeze import limits
from carrete.sheets.rows import storage
from carrete.webhooks.formats import WebhookFormat
from carrete.webhooks.kinds import WebhookKind
from carrete.webhooks.message import WebhookMessage, message_of_test
from carrete.webhooks.registry import RegisteredAddress
from carrete.webhooks.sender import Outcome, SendResult, WebhookSender
from tests.support.builders import NOW
from tests.support.tls import own_certificate
from tests.support.webhook_receiver import WebhookReceiver, webhook_receiver
from tests.support.webhook_shop import EVERY_KIND, KEY, ZONE, DeliveringProcess, WebhookShop

NAME = "receptor.example"
MESSAGE = message_of_test("Receptor", NOW)


def address(url: str, *, private: bool = True) -> RegisteredAddress:
    at = "2026-11-16T13:30:00+00:00"
    made = (True, "", at, None, 0, None, None, "")
    return RegisteredAddress("w-1", "Receptor", url, WebhookFormat.JSON, EVERY_KIND, private, *made)


def sent(url: str, message: WebhookMessage = MESSAGE, *, private: bool = True, post_s_max: float = 5.0) -> SendResult:
    async def send() -> SendResult:
        sender = WebhookSender(lambda _: KEY, lambda: ZONE, post_s_max)
        try:
            return await sender.send(address(url, private=private), message)
        finally:
            await sender.close()

    return asyncio.run(send())


@contextmanager
def answering(answer: bytes) -> Iterator[str]:
    """A receiver that answers every request with these bytes."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listening.accept()
        with connection:
            connection.recv(65_536)
            try:
                connection.sendall(answer)
            except OSError:
                return

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
    finally:
        listening.close()


@pytest.fixture
def secure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WebhookReceiver]:
    """A receiver with a certificate for its name, which leads to this machine."""
    real: Callable[..., Any] = socket.getaddrinfo

    def resolves(host: str, port: int, *more: Any, **options: Any) -> Any:
        return real("127.0.0.1" if host == NAME else host, port, *more, **options)

    monkeypatch.setattr(socket, "getaddrinfo", resolves)
    with webhook_receiver(own_certificate(tmp_path, NAME)) as receiver:
        yield receiver


def test_https_is_checked_against_the_name_and_not_against_the_ip_address(
    secure: WebhookReceiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
    assert sent(f"https://{NAME}:{secure.port}/x").outcome is Outcome.DELIVERED
    (got,) = secure.received
    assert got.headers["host"] == f"{NAME}:{secure.port}"
    refused = sent(f"https://127.0.0.1:{secure.port}/x")
    assert (refused.outcome, refused.reason) == (Outcome.FAILED, "el certificado del receptor no es válido")


def test_a_certificate_that_nobody_vouches_for_is_refused(secure: WebhookReceiver) -> None:
    refused = sent(f"https://{NAME}:{secure.port}/x")
    assert (refused.outcome, refused.reason) == (Outcome.FAILED, "el certificado del receptor no es válido")
    assert secure.received == []


def test_a_name_that_leads_elsewhere_after_the_check_gains_nothing(
    receiver: WebhookReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DNS rebinding: public at the first look, this machine at the second."""
    real: Callable[..., Any] = socket.getaddrinfo
    looks: list[str] = []

    def rebinds(host: Any, port: int, *more: Any, **options: Any) -> Any:
        if host not in (NAME, NAME.encode()):  # the web client would ask with bytes
            return real(host, port, *more, **options)
        looks.append(NAME)
        return real("192.0.2.1" if len(looks) == 1 else "127.0.0.1", port, *more, **options)

    monkeypatch.setattr(socket, "getaddrinfo", rebinds)
    monkeypatch.setattr("carrete.webhooks.network.is_public", lambda ip: ip == ip_address("192.0.2.1"))
    result = sent(f"http://{NAME}:{receiver.port}/x", private=False, post_s_max=3.0)
    assert (result.outcome, len(looks), receiver.attempts) == (Outcome.FAILED, 1, 0)


def test_one_private_address_among_those_of_a_name_is_enough_to_refuse_it(
    receiver: WebhookReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    public, private = ("8.8.8.8", receiver.port), ("127.0.0.1", receiver.port)
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", each) for each in (public, private)]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    result = sent(f"http://{NAME}:{receiver.port}/x", private=False)
    assert result.reason == "la dirección 127.0.0.1 es privada y esta integración no la permite"


def test_an_ipv6_address_can_be_reached() -> None:
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as listening:
        port = listening.getsockname()[1]
    assert sent(f"http://[::1]:{port}/x").reason == "no se pudo conectar con esa dirección"
    assert sent(f"http://[::1]:{port}/x", private=False).reason.startswith("la dirección ::1 es privada")


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (b"HTTP/1.1 204 No Content\r\n\r\n", Outcome.DELIVERED),
        (b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 10_000_000, Outcome.DELIVERED),
        (b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n" + gzip.compress(b"\0" * 10_000_000), Outcome.DELIVERED),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nx", Outcome.DELIVERED),
        (b"HTTP/1.1 304 Not Modified\r\n\r\n", Outcome.FAILED),
        (b"HTTP/1.1 410 Gone\r\n\r\n", Outcome.GONE),
        (b"SSH-2.0-OpenSSH_9.2\r\n", Outcome.FAILED),
        (b"", Outcome.FAILED),
    ],
)
def test_the_status_decides_and_nothing_else_of_the_answer(answer: bytes, outcome: Outcome) -> None:
    with answering(answer) as url:
        assert sent(url).outcome is outcome


def test_a_sheet_that_stops_is_reported_once_for_each_reason(
    shop: WebhookShop, process: DeliveringProcess, receiver: WebhookReceiver
) -> None:
    shop.register(receiver.url, [WebhookKind.PLANILLA_DETENIDA])
    for reason in ("30 de 40 filas desaparecieron a la vez", "31 de 40 filas desaparecieron a la vez"):
        with shop.database.writing() as tx:
            storage.freeze(tx, "Operaciones", limits.VANISHED, reason, NOW)
    process.look()
    (got,) = receiver.received
    assert got.json["tipo"] == "planilla_detenida"
    assert got.json["texto"].startswith("La hoja Operaciones está detenida: 30 de 40 filas")
