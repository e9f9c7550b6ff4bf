"""Where Redis is: at one fixed address, or at the address of the master that Sentinels report.

No tap waits for a Sentinel: the watcher asks them, and connections use the last address that they reported.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

from redis.asyncio.connection import Connection, ConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as NotReachable
from redis.exceptions import RedisError

from carrete.redis.embedded_server import socket_path
from carrete.redis.sentinels import Sentinels, parse, watched_by_sentinels

SENTINEL_S_MAX = 0.5  # for each Sentinel; redis-py asks the one that answered last first

NO_RETRY: dict[str, Any] = {"retry": Retry(NoBackoff(), 0), "health_check_interval": 0, "protocol": 2}

Pool = TypeVar("Pool", bound=ConnectionPool)


class RedisLocator(Protocol):
    def pool(self, kind: type[Pool], **options: Any) -> Pool:
        """A pool whose connections connect to the address that is known at that moment."""
        ...

    async def refresh(self) -> bool:
        """Looks for Redis and returns whether its address changed. Raises when it was never found."""
        ...

    async def close(self) -> None: ...


def locator(url: str, data: Path) -> RedisLocator:
    return SentinelLocator(parse(url)) if watched_by_sentinels(url) else FixedLocator(address(url, data))


class FixedLocator:
    def __init__(self, url: str) -> None:
        self._url = url

    def pool(self, kind: type[Pool], **options: Any) -> Pool:
        return kind.from_url(self._url, **NO_RETRY, **options)

    async def refresh(self) -> bool:
        return False

    async def close(self) -> None:
        pass


class SentinelLocator:
    """A master that Sentinels watch. When no Sentinel answers, the last known address stays in use."""

    def __init__(self, sentinels: Sentinels) -> None:
        from redis.asyncio.sentinel import Sentinel  # loads redis-py's whole client, and few shops have Sentinels

        timeouts = {"socket_timeout": SENTINEL_S_MAX, "socket_connect_timeout": SENTINEL_S_MAX}
        options = {**timeouts, **NO_RETRY, "password": sentinels.sentinel_password}
        self._sentinels = sentinels
        self._client = Sentinel(sentinels.hosts, sentinel_kwargs=options)  # type: ignore[no-untyped-call]
        self._master: tuple[str, int] | None = None

    @property
    def master(self) -> tuple[str, int]:
        """Host and port."""
        if self._master is None:
            raise NotReachable(f"no Sentinel has said yet where {self._sentinels.master} is")
        return self._master

    def pool(self, kind: type[Pool], **options: Any) -> Pool:
        sentinels = self._sentinels
        account: dict[str, Any] = {
            "username": sentinels.username,
            "password": sentinels.password,
            "db": sentinels.db,
        }
        return kind(connection_class=_LocatedConnection, locator=self, **account, **NO_RETRY, **options)

    async def refresh(self) -> bool:
        before = self._master
        with suppress(RedisError, OSError):
            host, port = await self._client.discover_master(self._sentinels.master)
            self._master = str(host), int(port)
        if self._master is None:
            hosts = ", ".join(f"{host}:{port}" for host, port in self._sentinels.hosts)
            raise NotReachable(f"no Sentinel of {hosts} knows a master called {self._sentinels.master} that is up")
        return before is not None and before != self._master

    async def close(self) -> None:
        with suppress(RedisError, OSError):
            await self._client.aclose()


class _LocatedConnection(Connection):
    def __init__(self, *, locator: SentinelLocator, **options: Any) -> None:
        self._locator = locator
        super().__init__(**options)

    async def _connect(self) -> None:
        self.host, self.port = self._locator.master
        await super()._connect()  # type: ignore[no-untyped-call]


def address(url: str, data: Path) -> str:
    """The URL for redis-py, which does not know the schemes of Valkey although the protocol is the same."""
    if url == "embedded":
        return f"unix://{socket_path(data)}"
    scheme = {"valkey": "redis", "valkeys": "rediss"}.get(urlsplit(url).scheme)
    return scheme + url[url.index(":") :] if scheme else url
