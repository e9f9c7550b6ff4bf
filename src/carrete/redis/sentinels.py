"""`sentinel://host1:26379,host2:26379/mymaster`: where the Sentinels are, and which master they watch."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

SCHEME = "sentinel"
PORT = 26379
FORM = "sentinel://[user:password@]host:26379,host:26379/name-of-the-master[/database][?sentinel_password=…]"


@dataclass(frozen=True, slots=True)
class Sentinels:
    """The user and password are those of Redis itself; a Sentinel rarely has one, and then its own."""

    hosts: tuple[tuple[str, int], ...]
    master: str
    db: int = 0
    username: str | None = None
    password: str | None = None
    sentinel_password: str | None = None


def watched_by_sentinels(url: str) -> bool:
    return url.startswith(f"{SCHEME}://")


def parse(url: str) -> Sentinels:
    """ValueError says the form it should have."""
    try:
        return _parse(url)
    except ValueError:
        raise ValueError(f"must look like {FORM}") from None


def _parse(url: str) -> Sentinels:
    parts = urlsplit(url)
    credentials, _, places = parts.netloc.rpartition("@")
    username, _, password = credentials.partition(":")
    master, _, db = parts.path.removeprefix("/").partition("/")
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    sentinel_password = options.pop("sentinel_password", None)
    if options or not master:
        raise ValueError
    hosts = tuple(_host(place) for place in places.split(","))
    return Sentinels(
        hosts, unquote(master), int(db or 0), unquote(username) or None, unquote(password) or None, sentinel_password
    )


def _host(place: str) -> tuple[str, int]:
    """`host`, `host:port` or `[v6]:port`."""
    one = urlsplit(f"//{place}")
    if not one.hostname or one.path or place.strip() != place:
        raise ValueError
    return one.hostname, one.port or PORT
