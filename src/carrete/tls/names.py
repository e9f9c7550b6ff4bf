"""The names and addresses of this machine, as certificates and `Host` headers have them."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

FULL_NAME_S_MAX = 2.0  # a DNS server may not answer for much longer
LOCAL_NAME = "carrete.local"
# Where another server has the first name already, the next is used.
LOCAL_NAMES = (LOCAL_NAME, *(f"carrete-{number}.local" for number in range(2, 10)))
PRIVATE_NETWORKS: tuple[IPv4Network | IPv6Network, ...] = tuple(
    ip_network(text)
    for text in (
        *("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "127.0.0.0/8"),
        *("fc00::/7", "fe80::/10", "::1/128"),
    )
)
_DNS_NAME = re.compile(r"(?!.{254})[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?)*")
_ALL_INTERFACES = ("0.0.0.0", "::")

Address = IPv4Address | IPv6Address


@dataclass(frozen=True, slots=True)
class CertificateNames:
    """What a certificate is for: names and addresses under which browsers open the server."""

    dns: frozenset[str]
    addresses: frozenset[Address]

    def __le__(self, other: CertificateNames) -> bool:
        return self.dns <= other.dns and self.addresses <= other.addresses

    def texts(self) -> list[str]:
        """Names first, then addresses in their order."""
        return [*sorted(self.dns), *map(str, sorted(self.addresses, key=lambda each: (each.version, int(each))))]


def machine_names() -> set[str]:
    """The names of this machine in the shop's network; tablets find `.local` names without a DNS server."""
    full = socket.gethostname().lower()
    short = full.partition(".")[0]
    return {name for name in (full, short, f"{short}.local") if _DNS_NAME.fullmatch(name)}


def full_name(wait_s_max: float = FULL_NAME_S_MAX) -> str | None:
    """The machine's name with its domain. None when DNS does not know it, or does not answer in time."""
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(socket.getfqdn().lower().rstrip(".")), daemon=True)
    thread.start()
    thread.join(wait_s_max)
    is_ours = found and found[0].startswith(f"{socket.gethostname().lower()}.") and _DNS_NAME.fullmatch(found[0])
    return found[0] if is_ours else None


def machine_addresses() -> list[Address]:
    """The addresses of all interfaces but loopback. Link-local IPv6 is left out: no browser opens such an address."""
    import ifaddr  # imported late: a server on loopback never asks

    texts = [ip.ip if isinstance(ip.ip, str) else ip.ip[0] for adapter in ifaddr.get_adapters() for ip in adapter.ips]
    found = {ip_address(text.partition("%")[0]) for text in texts}
    usable = (each for each in found if not each.is_loopback and not (each.version == 6 and each.is_link_local))
    return sorted(usable, key=lambda each: (each.version, int(each)))


def lan_addresses(host: str) -> list[Address]:
    """The addresses at which other machines reach a server that listens on `host`."""
    if host in _ALL_INTERFACES:
        return machine_addresses()
    try:
        return [ip_address(host)]
    except ValueError:
        return []


def is_private(address: Address) -> bool:
    return any(address in network for network in PRIVATE_NETWORKS)


def certificate_names(
    host: str, configured: Iterable[str] = (), local_name: str | None = None, full: str | None = None
) -> CertificateNames:
    """Everything under which a server that listens on `host` can be opened, this machine's own browser included."""
    dns = {"localhost", *machine_names()} | {name for name in (local_name, full) if name}
    addresses: set[Address] = {ip_address("127.0.0.1"), ip_address("::1"), *lan_addresses(host)}
    for name in configured:
        try:
            addresses.add(ip_address(name))
        except ValueError:
            dns.add(name)
    return CertificateNames(frozenset(filter(_DNS_NAME.fullmatch, dns)), frozenset(addresses))
