"""Where Redis is: one address for good, or wherever the Sentinels say that the master is now.

Nobody's tap waits for a Sentinel. The watcher asks them; connections go to what they said last.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

from redis.asyncio.connection import Connection, ConnectionPool
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as NotReachable
from redis.exceptions import RedisError

from carrete.redis.embedded_server import socket_path
from carrete.redis.sentinels import Sentinels, parse, watched_by_sentinels

SENTINEL_S_MAX = 0.5  # each; one that answered is asked first the next time

ONCE: dict[str, Any] = {"retry": Retry(NoBackoff(), 0), "health_check_interval": 0, "protocol": 2}

Pool = TypeVar("Pool", bound=ConnectionPool)


class RedisLocator(Protocol):
    def pool(self, kind: type[Pool], **options: Any) -> Pool:
        """One whose connections go to where Redis is when they connect."""
        ...

    async def refresh(self) -> bool:
        """Looks; true when Redis is elsewhere than before. Raises when it was never found."""
        ...

    async def close(self) -> None: ...


def locator(url: str, data: Path) -> RedisLocator:
    return SentinelLocator(parse(url)) if watched_by_sentinels(url) else FixedLocator(address(url, data))


class FixedLocator:
    def __init__(self, url: str) -> None:
        self._url = url

    def pool(self, kind: type[Pool], **options: Any) -> Pool:
        return kind.from_url(self._url, **ONCE, **options)

    async def refresh(self) -> bool:
        return False

    async def close(self) -> None:
        pass


class SentinelLocator:
    """A master that Sentinels watch. When none of them answers, it is believed to be where it was."""

    def __init__(self, sentinels: Sentinels) -> None:
        patience = {"socket_timeout": SENTINEL_S_MAX, "socket_connect_timeout": SENTINEL_S_MAX}
        asking = {**patience, **ONCE, "password": sentinels.sentinel_password}
        self._who = sentinels
        self._sentinel = Sentinel(sentinels.hosts, sentinel_kwargs=asking)  # type: ignore[no-untyped-call]
        self._place: tuple[str, int] | None = None

    @property
    def place(self) -> tuple[str, int]:
        if self._place is None:
            raise NotReachable(f"no Sentinel has said yet where {self._who.master} is")
        return self._place

    def pool(self, kind: type[Pool], **options: Any) -> Pool:
        account: dict[str, Any] = {"username": self._who.username, "password": self._who.password, "db": self._who.db}
        return kind(connection_class=_LocatedConnection, locator=self, **account, **ONCE, **options)

    async def refresh(self) -> bool:
        before = self._place
        with suppress(RedisError, OSError):
            host, port = await self._sentinel.discover_master(self._who.master)
            self._place = str(host), int(port)
        if self._place is None:
            asked = ", ".join(f"{host}:{port}" for host, port in self._who.hosts)
            raise NotReachable(f"no Sentinel of {asked} knows a master called {self._who.master} that is up")
        return before is not None and before != self._place

    async def close(self) -> None:
        with suppress(RedisError, OSError):
            await self._sentinel.aclose()


class _LocatedConnection(Connection):
    def __init__(self, *, locator: SentinelLocator, **options: Any) -> None:
        self._locator = locator
        super().__init__(**options)

    async def _connect(self) -> None:
        self.host, self.port = self._locator.place
        await super()._connect()  # type: ignore[no-untyped-call]


def address(url: str, data: Path) -> str:
    """Where Redis is, as redis-py says it. Valkey speaks the same protocol under its own name."""
    if url == "embedded":
        return f"unix://{socket_path(data)}"
    scheme = {"valkey": "redis", "valkeys": "rediss"}.get(urlsplit(url).scheme)
    return scheme + url[url.index(":") :] if scheme else url
