"""Parses `sentinel://host1:26379,host2:26379/mymaster`: the Sentinels, and the master that they watch."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

SCHEME = "sentinel"
PORT = 26379
FORM = "sentinel://[user:password@]host:26379,host:26379/name-of-the-master[/database][?sentinel_password=…]"


@dataclass(frozen=True, slots=True)
class Sentinels:
    """User and password are those of Redis; Sentinels may have a password of their own."""

    hosts: tuple[tuple[str, int], ...]
    master: str
    db: int = 0
    username: str | None = None
    password: str | None = None
    sentinel_password: str | None = None


def watched_by_sentinels(url: str) -> bool:
    return url.startswith(f"{SCHEME}://")


def parse(url: str) -> Sentinels:
    """Raises ValueError, whose text says what such an address looks like."""
    try:
        return _parse(url)
    except ValueError:
        raise ValueError(f"must look like {FORM}") from None


def _parse(url: str) -> Sentinels:
    rest = url.removeprefix(f"{SCHEME}://")
    netloc = re.split("[/?#]", rest, maxsplit=1)[0]
    parts = urlsplit(rest.removeprefix(netloc))  # newer Pythons refuse a list of hosts with an IPv6 address in it
    credentials, _, hosts_part = netloc.rpartition("@")
    username, _, password = credentials.partition(":")
    master, _, db = parts.path.removeprefix("/").partition("/")
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    sentinel_password = options.pop("sentinel_password", None)
    if options or not master:
        raise ValueError
    hosts = tuple(_host(host) for host in hosts_part.split(","))
    return Sentinels(
        hosts, unquote(master), int(db or 0), unquote(username) or None, unquote(password) or None, sentinel_password
    )


def _host(text: str) -> tuple[str, int]:
    """Parses `host`, `host:port` or `[v6]:port`."""
    parts = urlsplit(f"//{text}")
    if not parts.hostname or parts.path or text.strip() != text:
        raise ValueError
    return parts.hostname, parts.port or PORT
