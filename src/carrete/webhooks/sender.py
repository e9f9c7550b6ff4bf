"""Sends one message to one address, signed, in a bounded time, and says how it went."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from carrete.webhooks.formats import body_of
from carrete.webhooks.message import WebhookMessage
from carrete.webhooks.network import IPAddress, NotReachable, allowed_addresses
from carrete.webhooks.registry import RegisteredAddress
from carrete.webhooks.signature import signed_headers

if TYPE_CHECKING:
    import httpx  # imported late: few shops need a web client

POST_S_MAX = 5.0  # for the whole exchange: name, connection, TLS, request, answer
READ_S_MAX = 1.0  # for the body of an answer, of which nothing is needed
ANSWER_BYTES_MAX = 64 * 1024
_GONE = 410
_PORTS = {"http": 80, "https": 443}


class Outcome(Enum):
    DELIVERED = "delivered"
    FAILED = "failed"
    GONE = "gone"  # 410: the receiver wants nothing more


@dataclass(frozen=True, slots=True)
class SendResult:
    """`reason` says in Spanish why it failed; `retry_after_s` is what the receiver asked for."""

    outcome: Outcome
    status: int | None = None
    reason: str = ""
    retry_after_s: float = 0.0


class WebhookSender:
    """`key_of` gives the secret of an address. A connection is never used twice: two names of one IP address must not
    share one, because the certificate was checked for the first name only."""

    def __init__(
        self, key_of: Callable[[str], bytes], zone: Callable[[], ZoneInfo], post_s_max: float = POST_S_MAX
    ) -> None:
        self._key_of = key_of
        self._zone = zone
        self._post_s_max = post_s_max
        self._client: httpx.AsyncClient | None = None

    async def send(self, address: RegisteredAddress, message: WebhookMessage) -> SendResult:
        """The first call loads the web client and the trusted authorities, off the event loop: taps must not wait."""
        if self._client is None:
            self._client = await asyncio.to_thread(_new_client, self._post_s_max)
        import httpx

        try:
            async with asyncio.timeout(self._post_s_max):
                return await self._post(self._client, address, message)
        except (TimeoutError, httpx.TimeoutException):
            reason = f"no respondió en {self._post_s_max:g} segundos"
        except NotReachable as error:
            reason = str(error)
        except httpx.ConnectError as error:
            reason = _connect_reason(error)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            reason = f"la conexión falló ({type(error).__name__})"
        return SendResult(Outcome.FAILED, None, reason)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()

    async def _post(self, client: httpx.AsyncClient, address: RegisteredAddress, message: WebhookMessage) -> SendResult:
        import httpx

        url = httpx.URL(address.url)
        body = body_of(message, address.format, address.url, self._zone())
        headers = {
            "content-type": "application/json",
            "user-agent": "Carrete-Webhooks/1",
            "host": url.netloc.decode("ascii"),
            **signed_headers(self._key_of(address.id), message.id, int(time.time()), body),
        }
        addresses = await allowed_addresses(url.host, url.port or _PORTS[url.scheme], private=address.allow_private)
        async with _first_answer(client, url, addresses, headers, body) as answer:
            result = _result(answer)
            with suppress(httpx.HTTPError, TimeoutError):  # the status has decided
                async with asyncio.timeout(READ_S_MAX):
                    await _read_some(answer)
            return result


@asynccontextmanager
async def _first_answer(
    client: httpx.AsyncClient, url: httpx.URL, addresses: list[IPAddress], headers: dict[str, str], body: bytes
) -> AsyncIterator[httpx.Response]:
    """Connects to one checked IP address after the other until one can be reached."""
    import httpx

    for n, ip in enumerate(addresses, 1):
        request = client.build_request(
            "POST",
            url.copy_with(host=str(ip)),
            headers=headers,
            content=body,
            extensions={"sni_hostname": url.host},
        )
        try:
            answer = await client.send(request, stream=True)
        except httpx.ConnectError:
            if n == len(addresses):
                raise
            continue
        try:
            yield answer
        finally:
            await answer.aclose()
        return


def _new_client(post_s_max: float) -> httpx.AsyncClient:
    """A proxy of the environment is not used: it would connect to addresses that nobody has checked."""
    import httpx

    limits = httpx.Limits(max_keepalive_connections=0)
    trusted = httpx.create_ssl_context()
    return httpx.AsyncClient(timeout=post_s_max, limits=limits, verify=trusted, trust_env=False, follow_redirects=False)


def _result(answer: httpx.Response) -> SendResult:
    status = answer.status_code
    if answer.is_success:
        return SendResult(Outcome.DELIVERED, status)
    if status == _GONE:
        return SendResult(Outcome.GONE, status, "el receptor respondió 410: ya no existe")
    if answer.is_redirect or 300 <= status < 400:
        return SendResult(Outcome.FAILED, status, f"el receptor redirige a otra dirección ({status}), y no se sigue")
    return SendResult(Outcome.FAILED, status, f"el receptor respondió {status}", _retry_after_s(answer))


def _retry_after_s(answer: httpx.Response) -> float:
    """Only a number of seconds is understood, not a date."""
    text = answer.headers.get("retry-after", "")
    return float(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0.0


async def _read_some(answer: httpx.Response) -> None:
    """So that the receiver can finish its answer; without decompressing it."""
    read = 0
    async for chunk in answer.aiter_raw():
        read += len(chunk)
        if read > ANSWER_BYTES_MAX:
            return


def _connect_reason(error: httpx.ConnectError) -> str:
    if "certificate" in str(error).lower():
        return "el certificado del receptor no es válido"
    return "no se pudo conectar con esa dirección"
