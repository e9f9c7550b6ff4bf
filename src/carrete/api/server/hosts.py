"""Which names and addresses in a `Host` header mean this server.

A page whose own name was made to resolve to our address (DNS rebinding) sends that name as `Host`: it is not ours.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import threading
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address

REMEMBERED_MAX = 64  # accepted values of `Host`, as bytes
_AUTHORITY = re.compile(r"(?:\[(?P<ip6>[0-9a-f:.]+)\]|(?P<name>[a-z0-9_.-]+?)\.?)(?::(?P<port>[0-9]{0,5}))?", re.ASCII)

Address = IPv4Address | IPv6Address


def split_authority(text: str) -> tuple[str, str] | None:
    """Name or address, and port (may be empty), of what stands in `Host`; None when it is neither."""
    found = _AUTHORITY.fullmatch(text.lower())
    return (found["ip6"] or found["name"], found["port"] or "") if found else None


def plain_address(text: str) -> Address | None:
    """None for a name. An IPv4 address that came over an IPv6 socket is the IPv4 address."""
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    return found.ipv4_mapped or found if isinstance(found, IPv6Address) else found


class OwnHosts:
    """Loopback, the address listened on, this machine's names and addresses, and what CARRETE_HOSTS adds."""

    def __init__(self, listening_on: str, configured: Iterable[str] = ()) -> None:
        given = {listening_on.lower(), *configured}
        self._addresses = {address for name in given if (address := plain_address(name))}
        self._names = {name for name in given if plain_address(name) is None} | machine_names()
        self._remembered: set[bytes] = set()

    def accepts(self, host: bytes) -> bool:
        """Connections send the same bytes again and again: those that were accepted are remembered."""
        if host in self._remembered:
            return True
        if not self._is_ours(host.decode("latin-1")):
            return False
        if len(self._remembered) >= REMEMBERED_MAX:
            self._remembered.clear()
        self._remembered.add(host)
        return True

    def look_up_full_name(self) -> None:
        """In a thread of its own: it may ask a DNS server that does not answer for seconds."""
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


def machine_names() -> set[str]:
    """As the shop's network may know this machine; `.local` is how tablets find it without a DNS server."""
    full = socket.gethostname().lower()
    short = full.partition(".")[0]
    return {name for name in (full, short, f"{short}.local") if name.strip(".")} - {".local"}


def _belongs_to_this_machine(address: Address) -> bool:
    """Only an address of one of our interfaces can be bound; asked anew, because a network may give us another one."""
    if address.is_unspecified or address.is_multicast:
        return False
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.bind((str(address), 0))
    except OSError:
        return False
    return True
