"""Refuses what a web page of somebody else makes a browser send, and what was sent to a name that is not ours.

Every request must be for a host of ours. What changes something, and live streams, must also come from our own pages,
as far as the browser tells: `Origin` and `Sec-Fetch-Site`. Other programs send neither.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from starlette.types import Scope

from carrete.api.problems import ForeignOrigin, HostUnknown
from carrete.api.server.hosts import OwnHosts, split_authority
from carrete.api.server.proxies import TrustedProxies
from carrete.domain.refusals import Refusal

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_SITES = (None, b"same-origin", b"none")  # `same-site` may be another port of this machine
_DEFAULT_PORTS = {b"http": "80", b"https": "443"}


@dataclass(frozen=True, slots=True)
class Listening:
    """What `carrete serve` was told about the way to it."""

    host: str = "127.0.0.1"
    proxies: tuple[str, ...] = ()


LOOPBACK = Listening()


class OriginCheck:
    def __init__(self, listening: Listening, configured_hosts: Iterable[str]) -> None:
        self.hosts = OwnHosts(listening.host, configured_hosts)
        self._proxies = TrustedProxies(listening.proxies)

    def refusal(self, scope: Scope, own_pages_only: bool) -> Refusal | None:
        """None when the request may go on. A trusted proxy's word about client and host is in the scope afterwards."""
        self._proxies.apply(scope)
        host = origin = site = None
        for name, value in scope["headers"]:
            if name == b"host":
                if not self.hosts.accepts(value):
                    return HostUnknown(value)
                host = value
            elif name == b"origin":
                origin = value if origin is None else b"null"  # two of them are nobody's
            elif name == b"sec-fetch-site":
                site = value if site is None else b""
        if host is None:
            return HostUnknown(b"")
        if own_pages_only and not (site in _OWN_SITES and (origin is None or same_origin(origin, host))):
            return ForeignOrigin(origin or b"")
        return None


def same_origin(origin: bytes, host: bytes) -> bool:
    """The same name and port. Not the scheme: a proxy in front may speak HTTPS with the browser and HTTP with us."""
    scheme, separator, authority = origin.partition(b"://")
    port = _DEFAULT_PORTS.get(scheme) if separator else None
    if authority == host and port is not None:
        return True
    theirs, ours = (split_authority(each.decode("latin-1")) for each in (authority, host))
    if port is None or theirs is None or ours is None:
        return False
    return (theirs[0], theirs[1] or port) == (ours[0], ours[1] or port)
