"""Refuses requests that a foreign web page makes a browser send, and requests to a host name that is not ours.

Every request must name one of our hosts. Requests that change something, and live streams, must also come from our own
pages, as far as the browser tells in `Origin` and `Sec-Fetch-Site`. Other programs send neither header.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from starlette.types import Scope

from carrete.api.request_refusals import ForeignOrigin, HostUnknown
from carrete.api.server.headers import headers_of
from carrete.api.server.hosts import OwnHosts, split_authority
from carrete.api.server.proxies import TrustedProxies
from carrete.domain.refusals import Refusal

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_SITES = (None, b"same-origin", b"none")  # `same-site` may be another port of this machine
_DEFAULT_PORTS = {b"http": "80", b"https": "443"}


@dataclass(frozen=True, slots=True)
class Listening:
    """The address that `carrete serve` listens on, and the proxies in front of it."""

    host: str = "127.0.0.1"
    proxies: tuple[str, ...] = ()
    insecure_http: bool = False  # cookies without HTTPS, on an address that is not this machine's own
    own_certificate: bool = False  # HTTPS with a certificate that browsers trust by themselves


LOOPBACK = Listening()


class OriginCheck:
    def __init__(self, listening: Listening, configured_hosts: Iterable[str]) -> None:
        self.hosts = OwnHosts(listening.host, configured_hosts)
        self._proxies = TrustedProxies(listening.proxies)

    def refusal(self, scope: Scope, own_pages_only: bool) -> Refusal | None:
        """None when the request is allowed. It also applies the headers of a trusted proxy to the scope."""
        self._proxies.apply(scope)
        headers = headers_of(scope)
        host, origin, site = headers.get(b"host", b""), headers.get(b"origin"), headers.get(b"sec-fetch-site")
        if len(headers) != len(scope["headers"]):  # some came twice
            hosts, origins, sites = (_values(scope, name) for name in (b"host", b"origin", b"sec-fetch-site"))
            host = next((each for each in hosts if not self.hosts.accepts(each)), host)
            origin = origin if len(origins) < 2 else b"null"  # no page of ours sends two
            site = site if len(sites) < 2 else b""
        if not self.hosts.accepts(host):
            return HostUnknown(host)
        if own_pages_only and not (site in _OWN_SITES and (origin is None or same_origin(origin, host))):
            return ForeignOrigin(origin or b"")
        return None


def _values(scope: Scope, name: bytes) -> list[bytes]:
    return [value for each, value in scope["headers"] if each == name]


def same_origin(origin: bytes, host: bytes) -> bool:
    """Compares name and port, not the scheme: a proxy may speak HTTPS with the browser and HTTP with this server."""
    scheme, separator, authority = origin.partition(b"://")
    port = _DEFAULT_PORTS.get(scheme) if separator else None
    if authority == host and port is not None:
        return True
    theirs, ours = (split_authority(each.decode("latin-1")) for each in (authority, host))
    if port is None or theirs is None or ours is None:
        return False
    return (theirs[0], theirs[1] or port) == (ours[0], ours[1] or port)
