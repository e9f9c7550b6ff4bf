"""Checks the addresses of the settings at the start, with the parser of the driver that will use each.

A driver's error may quote a part of the password, so its text is never passed on.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from carrete.addresses import is_clear
from carrete.redis.sentinels import parse as parse_sentinels
from carrete.redis.sentinels import watched_by_sentinels

PORT_MAX = 65_535
_ESCAPING = "in a name or password write @ : / ? # % as %40 %3A %2F %3F %23 %25; a port is a number from 1 to 65535"
_WEB = "must be empty or an address such as https://host/path"
_REDIS = "must be embedded, off, or an address such as redis://host:6379/0"
_REDIS_SCHEMES = ("redis", "rediss", "valkey", "valkeys", "unix")
_UNKNOWN_OPTION = re.compile(r'invalid URI query parameter: "(\w+)"')


def require_web(url: str) -> None:
    from httpx import URL, InvalidURL  # imported late: few shops need a web client

    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and bool(URL(url).host)
    except (ValueError, InvalidURL):
        valid = False
    if not valid or not is_clear(url) or " " in url:
        raise ValueError(_WEB)


def require_redis(url: str) -> None:
    if watched_by_sentinels(url):
        _require_clear(url)
        parse_sentinels(url)
        return
    scheme = url.partition("://")[0].lower()
    if "://" not in url or scheme not in _REDIS_SCHEMES:
        raise ValueError(_REDIS)
    _require_clear(url)
    from redis.asyncio.connection import ConnectionPool

    redis_url = re.sub("^valkey", "redis", url, flags=re.IGNORECASE)
    try:
        if urlsplit(url).port == 0:
            raise ValueError
        ConnectionPool.from_url(redis_url).make_connection()  # type: ignore[no-untyped-call]  # fails on an unknown option
    except TypeError:
        raise ValueError("has an option that Redis's client does not know") from None
    except ValueError:
        raise ValueError(f"is no address of Redis: {_ESCAPING}") from None


def require_postgres(url: str) -> None:
    from psycopg import (
        ProgrammingError,  # imported late: it takes a tenth of a server's start, and only PostgreSQL needs it
    )
    from psycopg.conninfo import conninfo_to_dict

    _require_clear(url)
    try:
        parts = conninfo_to_dict(url)
    except ProgrammingError as error:
        unknown = _UNKNOWN_OPTION.search(str(error))
        if unknown and f"{unknown[1]}=" in url:
            raise ValueError(f"PostgreSQL knows no option {unknown[1]}") from None
        raise ValueError(f"is no address of PostgreSQL: {_ESCAPING}") from None
    ports = str(parts.get("port") or "").split(",")
    hosts = str(parts.get("host") or "").split(",")
    if not all(map(_is_port, filter(None, ports))) or any("@" in host[1:] for host in hosts):
        raise ValueError(f"is no address of PostgreSQL: {_ESCAPING}")


def _require_clear(url: str) -> None:
    if not is_clear(url):
        raise ValueError(_ESCAPING)


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdigit() and 1 <= int(text) <= PORT_MAX
