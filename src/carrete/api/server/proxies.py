"""Applies `X-Forwarded-For`, `-Proto` and `-Host`, but only from the proxies that `carrete serve` was given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_network

from starlette.types import Scope

from carrete.api.server.hosts import plain_address

PEERS_CACHED_MAX = 1_024
CACHED_BYTES_MAX = 100  # a longer list of addresses is parsed each time
_PREFIX = b"x-forwarded-"


def proxy_networks(arguments: Iterable[str]) -> list[str]:
    """`10.0.0.10`, `10.0.0.0/24` or several with commas between them. Raises ValueError for anything else."""
    found = [part.strip() for argument in arguments for part in argument.split(",") if part.strip()]
    return [str(ip_network(each)) for each in found]


class TrustedProxies:
    def __init__(self, networks: Sequence[str] = ()) -> None:
        self._networks: list[IPv4Network | IPv6Network] = [ip_network(each) for each in networks]
        self._is_trusted = lru_cache(PEERS_CACHED_MAX)(self._belongs)
        self._cached_client = lru_cache(PEERS_CACHED_MAX)(self._client)

    def apply(self, scope: Scope) -> None:
        """Puts the client, scheme and host that a trusted proxy forwards into the scope."""
        client = scope.get("client")
        if not self._networks or client is None or not self._is_trusted(client[0]):
            return
        forwarded = [(name, value) for name, value in scope["headers"] if name.startswith(_PREFIX)]
        forwarded_for = b",".join([value for name, value in forwarded if name == b"x-forwarded-for"])
        short = len(forwarded_for) <= CACHED_BYTES_MAX
        if address := (self._cached_client if short else self._client)(forwarded_for):
            scope["client"] = (address, 0)
        for name, value in forwarded:
            if name == b"x-forwarded-proto" and value in (b"http", b"https"):
                scope["scheme"] = value.decode()
        if hosts := [(b"host", value) for name, value in forwarded if name == b"x-forwarded-host"]:
            scope["headers"] = [*hosts, *(field for field in scope["headers"] if field[0] != b"host")]

    def _client(self, forwarded_for: bytes) -> str | None:
        """Each proxy appends the address of its peer: the last one that is not a trusted proxy is the client."""
        first = None
        for word in reversed(forwarded_for.decode("latin-1").split(",")):
            address = plain_address(word.strip())
            if address is None:
                return first
            first = str(address)
            if not self._is_trusted(first):
                return first
        return first

    def _belongs(self, peer: str) -> bool:
        address = plain_address(peer)
        return address is not None and any(address in network for network in self._networks)
