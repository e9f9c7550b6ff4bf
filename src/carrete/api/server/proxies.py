"""`X-Forwarded-For`, `-Proto` and `-Host`: believed only when the proxy that we were told of sends them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_network

from starlette.types import Scope

from carrete.api.server.hosts import plain_address

PEERS_REMEMBERED_MAX = 1_024
REMEMBERED_BYTES_MAX = 100  # a longer list of addresses is read each time
_PREFIX = b"x-forwarded-"


def proxy_networks(words: Iterable[str]) -> list[str]:
    """`10.0.0.10`, `10.0.0.0/24` or several with commas between them. Raises ValueError for anything else."""
    found = [part.strip() for word in words for part in word.split(",") if part.strip()]
    return [str(ip_network(each)) for each in found]


class TrustedProxies:
    def __init__(self, networks: Sequence[str] = ()) -> None:
        self._networks: list[IPv4Network | IPv6Network] = [ip_network(each) for each in networks]
        self._is_trusted = lru_cache(PEERS_REMEMBERED_MAX)(self._belongs)
        self._remembered_client = lru_cache(PEERS_REMEMBERED_MAX)(self._client)

    def apply(self, scope: Scope) -> None:
        """Puts the client, scheme and host that a trusted proxy names into the request; else leaves it as it is."""
        client = scope.get("client")
        if not self._networks or client is None or not self._is_trusted(client[0]):
            return
        said = [(name, value) for name, value in scope["headers"] if name.startswith(_PREFIX)]
        forwarded_for = b",".join([value for name, value in said if name == b"x-forwarded-for"])
        short = len(forwarded_for) <= REMEMBERED_BYTES_MAX
        if address := (self._remembered_client if short else self._client)(forwarded_for):
            scope["client"] = (address, 0)
        for name, value in said:
            if name == b"x-forwarded-proto" and value in (b"http", b"https"):
                scope["scheme"] = value.decode()
        if hosts := [(b"host", value) for name, value in said if name == b"x-forwarded-host"]:
            scope["headers"] = [*hosts, *(field for field in scope["headers"] if field[0] != b"host")]

    def _client(self, forwarded_for: bytes) -> str | None:
        """Each proxy adds its peer at the end: the last address that is no proxy of ours is the client's."""
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
