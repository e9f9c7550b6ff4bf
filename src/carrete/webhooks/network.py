"""Which IP addresses a name leads to, and whether they are public.

Every address that a name resolves to is checked, and the connection is made to a checked one: a name that resolves to
something else a moment later (DNS rebinding) gains nothing.
"""

from __future__ import annotations

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

ADDRESSES_TRIED_MAX = 4
_NAT64 = IPv6Network("64:ff9b::/96")  # an IPv4 address in its last 32 bits

# A name server that does not answer keeps a thread for long: other work of the process must not wait for it.
_LOOK_UPS = ThreadPoolExecutor(2, "webhook-names")

IPAddress = IPv4Address | IPv6Address


class NotReachable(Exception):
    """Why nothing was sent, in Spanish."""


class PrivateAddress(NotReachable):
    """The name leads into a private network, and that is not allowed for this address."""


async def resolved(host: str, port: int) -> list[IPAddress]:
    """Raises NotReachable."""
    try:
        found = await asyncio.get_running_loop().run_in_executor(
            _LOOK_UPS, lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        )
    except (OSError, UnicodeError):
        raise NotReachable("no se encontró ese nombre de servidor") from None
    return list(dict.fromkeys(ip_address(str(address[0])) for *_, address in found))


async def allowed_addresses(host: str, port: int, *, private: bool) -> list[IPAddress]:
    """The addresses to connect to. Raises NotReachable."""
    found = await resolved(host, port)
    if not private and (refused := next((ip for ip in found if not is_public(ip)), None)):
        raise PrivateAddress(f"la dirección {refused} es privada y esta integración no la permite")
    return found[:ADDRESSES_TRIED_MAX]


def is_public(ip: IPAddress) -> bool:
    if (inner := _inside(ip)) is not None:
        return is_public(inner)
    if isinstance(ip, IPv6Address) and ip.is_site_local:
        return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_link_local or ip.is_unspecified)


def _inside(ip: IPAddress) -> IPv4Address | None:
    """The IPv4 address that an IPv6 address stands for."""
    if isinstance(ip, IPv4Address):
        return None
    if ip in _NAT64:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
