"""The name `carrete.local`, answered by multicast DNS, so that tablets find the server without a DNS server.

Where another machine has the name already, the next of `names.LOCAL_NAMES` is used.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Sequence
from ipaddress import IPv4Address

import structlog
from zeroconf import AddressResolverIPv4, Error, IPVersion, ServiceInfo, Zeroconf  # type: ignore[attr-defined]

from carrete.tls.names import LOCAL_NAMES, Address

ANSWER_MS_MAX = 2_000  # a machine that has just answered another one waits for a second before its next answer
NAME_IS_FREE_MS = 1_000  # no machine answered for so long
TRIED_AGAIN_AFTER_S = 60.0
SERVICE = "_https._tcp.local."
_INSTANCE_CHARS_MAX = 60

log = structlog.get_logger()


class Announcer:
    """To be used by one thread. `name` is the one that is answered; None while there is no network."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._announced: tuple[str, ...] = ()
        self._failed: tuple[str, ...] = ()  # the addresses of the last failure, until…
        self._again_at = 0.0
        self._zeroconf: Zeroconf | None = None
        self.name: str | None = None

    def announce(self, addresses: Sequence[Address]) -> None:
        """Does nothing while the addresses are the same. After a failure it tries again a minute later."""
        wanted = tuple(str(address) for address in addresses if isinstance(address, IPv4Address))
        if wanted == self._announced or (wanted == self._failed and time.monotonic() < self._again_at):
            return
        self.close()
        if not wanted:
            return
        try:
            self._start(wanted)
        except (OSError, Error, TimeoutError) as error:
            self.close()
            self._failed, self._again_at = wanted, time.monotonic() + TRIED_AGAIN_AFTER_S
            log.warning("carrete.local is not announced", reason=str(error) or type(error).__name__)
        else:
            self._announced = wanted
            log.info("announced by multicast DNS", name=self.name, addresses=list(wanted))

    def close(self) -> None:
        zeroconf, self._zeroconf, self._announced, self.name = self._zeroconf, None, (), None
        if zeroconf is not None:
            zeroconf.close()

    def _start(self, addresses: tuple[str, ...]) -> None:
        self._zeroconf = Zeroconf(interfaces=list(addresses), ip_version=IPVersion.V4Only)
        self.name = _free_name(self._zeroconf, addresses)
        if self.name is None:
            raise OSError(f"other machines have all names from {LOCAL_NAMES[0]} to {LOCAL_NAMES[-1]}")
        instance = f"Carrete {socket.gethostname().partition('.')[0]}"[:_INSTANCE_CHARS_MAX]
        service = ServiceInfo(
            SERVICE,
            f"{instance}.{SERVICE}",
            self._port,
            server=f"{self.name}.",
            parsed_addresses=list(addresses),
            properties={"path": "/"},
        )
        self._zeroconf.register_service(service, allow_name_change=True)


def resolve(name: str, through: Sequence[Address]) -> list[str]:
    """The machines that answer for the name on the networks of these addresses; empty when none does."""
    interfaces = [str(address) for address in through if isinstance(address, IPv4Address)]
    if not interfaces:
        return []
    try:
        with Zeroconf(interfaces=interfaces, ip_version=IPVersion.V4Only) as zeroconf:
            return _answers(zeroconf, name, ANSWER_MS_MAX)
    except (OSError, Error):
        return []


def _free_name(zeroconf: Zeroconf, own: Sequence[str]) -> str | None:
    """The first name that no other machine answers for. Another process of this machine may have it too."""
    return next((name for name in LOCAL_NAMES if set(_answers(zeroconf, name, NAME_IS_FREE_MS)) <= set(own)), None)


def _answers(zeroconf: Zeroconf, name: str, wait_ms: int) -> list[str]:
    resolver = AddressResolverIPv4(f"{name}.")
    return resolver.parsed_addresses() if resolver.request(zeroconf, wait_ms) else []
