"""Which names and addresses in a `Host` header mean this server.

A foreign page can make its own name resolve to our address (DNS rebinding). Its requests have that name as `Host`.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import threading
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address

from carrete.tls.names import LOCAL_NAMES, machine_names

ACCEPTED_MAX = 64  # accepted values of `Host`, as bytes
_AUTHORITY = re.compile(r"(?:\[(?P<ip6>[0-9a-f:.]+)\]|(?P<name>[a-z0-9_.-]+?)\.?)(?::(?P<port>[0-9]{0,5}))?", re.ASCII)

Address = IPv4Address | IPv6Address


def split_authority(text: str) -> tuple[str, str] | None:
    """The name or address in a `Host` header, and the port (may be empty); None when it is malformed."""
    found = _AUTHORITY.fullmatch(text.lower())
    return (found["ip6"] or found["name"], found["port"] or "") if found else None


def plain_address(text: str) -> Address | None:
    """None for a name. An IPv4 address mapped to IPv6 becomes the IPv4 address."""
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    return found.ipv4_mapped or found if isinstance(found, IPv6Address) else found


class OwnHosts:
    """Accepts loopback, the listening address, this machine's names and addresses, the names that
    multicast DNS may give it, and those of CARRETE_HOSTS."""

    def __init__(self, listening_on: str, configured: Iterable[str] = ()) -> None:
        given = {listening_on.lower(), *configured}
        self._addresses = {address for name in given if (address := plain_address(name))}
        self._names = {name for name in given if plain_address(name) is None} | machine_names() | set(LOCAL_NAMES)
        self._accepted: set[bytes] = set()

    def accepts(self, host: bytes) -> bool:
        """Clients send the same bytes again and again, so accepted values are cached."""
        if host in self._accepted:
            return True
        if not self._is_ours(host.decode("latin-1")):
            return False
        if len(self._accepted) >= ACCEPTED_MAX:
            self._accepted.clear()
        self._accepted.add(host)
        return True

    def look_up_full_name(self) -> None:
        """Runs in a thread of its own, because a DNS server may not answer for seconds."""
        threading.Thread(target=self._add_full_name, daemon=True).start()

    def _add_full_name(self) -> None:
        full = socket.getfqdn().lower().rstrip(".")
        if full.startswith(f"{socket.gethostname().lower()}."):
            self._names.add(full)

    def _is_ours(self, host: str) -> bool:
        split = split_authority(host)
        if split is None:
            return False
        name, _ = split
        if address := plain_address(name):
            return address.is_loopback or address in self._addresses or _belongs_to_this_machine(address)
        return name in self._names or name == "localhost" or name.endswith(".localhost")


def _belongs_to_this_machine(address: Address) -> bool:
    """Only an address of an own interface can be bound. Not cached, because the network may assign a new address."""
    if address.is_unspecified or address.is_multicast:
        return False
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.bind((str(address), 0))
    except OSError:
        return False
    return True
