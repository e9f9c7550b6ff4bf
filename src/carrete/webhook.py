"""The conflict webhook: posts each SPOOL_OCCUPIED to another system, in the background."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import httpx
import structlog
from tenacity import AsyncRetrying, RetryError, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from carrete.addresses import redact, without_secrets

log = structlog.get_logger()

QUEUE_MAX = 1_000
TRIES_MAX = 5
POST_S_MAX = 5.0  # for one whole request, also when the answer arrives byte by byte
ANSWER_BYTES_MAX = 64 * 1024
BACKOFF_S_MAX = 30.0


class Webhook:
    """A bounded queue and one sender. A conflict that does not fit into the queue is dropped and counted. The address
    may be replaced while it runs."""

    def __init__(self, url: str, post_s_max: float = POST_S_MAX, tries_max: int = TRIES_MAX) -> None:
        self.url = url
        self._post_s_max = post_s_max
        self._tries_max = tries_max
        self._queue: asyncio.Queue[Mapping[str, Any]] = asyncio.Queue(QUEUE_MAX)
        self.sent = 0
        self.failed = 0
        self.dropped = 0

    @property
    def waiting(self) -> int:
        return self._queue.qsize()

    def enqueue(self, conflict: Mapping[str, Any]) -> None:
        try:
            self._queue.put_nowait(conflict)
        except asyncio.QueueFull:
            self.dropped += 1

    async def run(self) -> None:
        async with httpx.AsyncClient(timeout=self._post_s_max) as client:
            while True:
                await self._deliver(client, await self._queue.get())

    async def _deliver(self, client: httpx.AsyncClient, conflict: Mapping[str, Any]) -> None:
        retrying = AsyncRetrying(
            stop=stop_after_attempt(self._tries_max),
            wait=wait_random_exponential(multiplier=0.5, max=BACKOFF_S_MAX),
            retry=retry_if_exception_type((httpx.HTTPError, TimeoutError)),
        )
        try:
            async for attempt in retrying:
                with attempt:
                    await self._post(client, conflict)
            self.sent += 1
        except RetryError as error:
            self.failed += 1
            reason = _reason(error.last_attempt.exception(), self.url)
            log.warning("conflict not delivered", to=without_secrets(self.url), reason=reason)

    async def _post(self, client: httpx.AsyncClient, conflict: Mapping[str, Any]) -> None:
        """Only the status of the answer matters. The body is read, without decompressing it, so that the connection can
        be used again; a body that is too long closes the connection."""
        async with asyncio.timeout(self._post_s_max), client.stream("POST", self.url, json=conflict) as answer:
            answer.raise_for_status()
            read = 0
            async for chunk in answer.aiter_raw():
                read += len(chunk)
                if read > ANSWER_BYTES_MAX:
                    return


async def post_once(url: str, message: Mapping[str, Any]) -> tuple[int | None, str]:
    """The status of the answer, or None and why there was none, in words for people."""
    try:
        async with (
            httpx.AsyncClient(timeout=POST_S_MAX) as client,
            asyncio.timeout(POST_S_MAX),
            client.stream("POST", url, json=message) as answer,
        ):
            return answer.status_code, ""
    except (TimeoutError, httpx.TimeoutException):
        return None, f"no respondió en {POST_S_MAX:.0f} segundos"
    except httpx.ConnectError:
        return None, "no se pudo conectar con esa dirección"
    except httpx.HTTPError as error:
        return None, f"la conexión falló ({type(error).__name__})"


def _reason(error: BaseException | None, url: str) -> str:
    """Hides the address, which httpx quotes in its errors: the path of a webhook is often its only secret."""
    if isinstance(error, httpx.HTTPStatusError):
        return f"it answered {error.response.status_code}"
    return redact(f"{type(error).__name__}: {error}", url)
