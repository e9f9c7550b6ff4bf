"""How tablets find the server: its address on the shop's network, as text and as a QR code."""

from __future__ import annotations

import io
import ipaddress
import socket

from carrete.addresses import browser_url
from carrete.tls.names import machine_addresses

# Addresses reserved for documentation. Connecting a datagram socket sends no packet, but picks the LAN address.
_ANY_REMOTE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}


def lan_url(host: str, port: int, scheme: str = "http") -> str | None:
    """None when the server listens on all interfaces and this machine is in no network."""
    ip = _own_address(host) if host in ("0.0.0.0", "::") else host
    return None if ip is None else browser_url(scheme, ip, port)


def _own_address(host: str) -> str | None:
    """The address of the interface that the default route uses; IPv4 first, because people read it aloud. A shop's
    network without a way to the internet has no such route: then the first address of any interface."""
    families = [socket.AF_INET] if host == "0.0.0.0" else [socket.AF_INET, socket.AF_INET6]
    for family in families:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect((_ANY_REMOTE[family], 9))
            except OSError:
                continue
            ip: str = probe.getsockname()[0]
            if not ipaddress.ip_address(ip).is_loopback:
                return ip
    versions = [4 if family == socket.AF_INET else 6 for family in families]
    return next((str(each) for each in machine_addresses() if each.version in versions), None)


def qr_code(url: str, encoding: str) -> str:
    """Text of half-block characters; empty for a terminal whose encoding has none."""
    import segno  # a server in the background never draws it

    drawn = io.StringIO()
    segno.make(url, micro=False).terminal(drawn, compact=True)
    try:
        drawn.getvalue().encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return ""
    return drawn.getvalue()
