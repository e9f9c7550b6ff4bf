"""Whether Redis can be used, and what each Sentinel says. Without Redis the ledger alone decides."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from redis.sentinel import MasterNotFoundError, Sentinel

from carrete.addresses import redact, without_secrets
from carrete.doctor import clock
from carrete.findings import Finding, Words, bad, good, note
from carrete.gate.watcher import PROBE_KEY, PROBE_KEY_MS
from carrete.redis.embedded_server import NoServer, binary, socket_path
from carrete.redis.locator import address
from carrete.redis.sentinels import Sentinels, parse, watched_by_sentinels
from carrete.settings import Settings

_TIMEOUTS: dict[str, Any] = {"socket_timeout": 2, "socket_connect_timeout": 2}
_NO_RETRIES: dict[str, Any] = {"retry": Retry(NoBackoff(), 0)}


def reachable(settings: Settings) -> Iterator[Finding]:
    name = f"Redis ({without_secrets(settings.redis_url)})"
    if settings.redis_url == "off":
        yield note(
            Words(
                f"{name}: the ledger alone decides; right, but other processes' moves are seen later",
                f"{name}: decide el registro solo; correcto, pero los movimientos de otros procesos se ven más tarde",
            )
        )
        return
    if settings.redis_url == "embedded" and not socket_path(settings.data).exists():
        yield _binary(name)
        return
    try:
        if watched_by_sentinels(settings.redis_url):
            yield from _sentinels(parse(settings.redis_url))
        with _connected(settings) as redis:
            yield from _server(name, redis, elsewhere=settings.redis_url != "embedded")
    except (RedisError, OSError) as error:
        reason = redact(str(error), settings.redis_url)
        yield bad(
            Words(f"{name}: {reason}", f"{name}: no responde ({reason})"),
            Words(
                "start it or correct REDIS_URL; until then the ledger alone decides",
                "inícielo o corrija REDIS_URL; mientras tanto decide el registro solo",
            ),
        )


def _server(name: str, redis: Redis, elsewhere: bool) -> Iterator[Finding]:
    info = redis.info("server")
    redis.set(PROBE_KEY, "1", px=PROBE_KEY_MS)
    version = info.get("valkey_version") or info.get("redis_version")
    yield good(
        Words(f"{name}: version {version}, can be written", f"{name}: versión {version}, se puede escribir en él")
    )
    if elsewhere:  # the embedded one has this machine's clock
        yield clock.compared("Redis", lambda: _clock_of(redis))


def _clock_of(redis: Redis) -> datetime:
    seconds, microseconds = redis.time()
    return datetime.fromtimestamp(seconds, UTC) + timedelta(microseconds=microseconds)


def _connected(settings: Settings) -> Redis:
    if not watched_by_sentinels(settings.redis_url):
        return Redis.from_url(address(settings.redis_url, settings.data), **_TIMEOUTS)
    sentinels = parse(settings.redis_url)
    try:
        host, port = _sentinel_client(sentinels).discover_master(sentinels.master)  # type: ignore[no-untyped-call]
    except MasterNotFoundError:
        raise RedisError(f"no Sentinel knows a master called {sentinels.master} that is up") from None
    return Redis(host, port, sentinels.db, username=sentinels.username, password=sentinels.password, **_TIMEOUTS)


def _sentinel_client(sentinels: Sentinels) -> Sentinel:
    options = {**_TIMEOUTS, "password": sentinels.sentinel_password, "decode_responses": True, **_NO_RETRIES}
    return Sentinel(sentinels.hosts, sentinel_kwargs=options)  # type: ignore[no-untyped-call]


def _sentinels(sentinels: Sentinels) -> Iterator[Finding]:
    """Each Sentinel is checked: one that is down does no harm until the master dies too."""
    for (host, port), sentinel in zip(sentinels.hosts, _sentinel_client(sentinels).sentinels, strict=True):
        name, master = f"Sentinel {host}:{port}", sentinels.master
        try:
            found: Any = sentinel.sentinel_get_master_addr_by_name(master)
        except (RedisError, OSError) as error:
            yield bad(
                Words(f"{name}: {error}", f"{name}: no responde ({error})"),
                Words(
                    "start it; without a majority nobody is promoted",
                    "inícielo; sin mayoría nadie toma el lugar del principal",
                ),
            )
            continue
        if found:
            place = f"{found[0]}:{found[1]}"
            yield good(Words(f"{name}: {master} is {place}", f"{name}: {master} está en {place}"))
        else:
            yield bad(
                Words(f"{name}: knows no master called {master}", f"{name}: no conoce ningún principal {master}"),
                Words(
                    "correct the name in REDIS_URL, or `sentinel monitor` in its configuration",
                    "corrija el nombre en REDIS_URL, o «sentinel monitor» en su configuración",
                ),
            )


def _binary(name: str) -> Finding:
    try:
        program = binary()
    except NoServer as error:
        return bad(
            Words(f"{name}: {error}", f"{name}: no hay redis-server ni valkey-server en este equipo"),
            Words("install redis-server, or set REDIS_URL", "instale redis-server, o indique REDIS_URL"),
        )
    return good(
        Words(f"{name}: {program}, starts with `carrete serve`", f"{name}: {program}, se inicia con el servidor")
    )
