"""Whether the service runs, since when, and where it is reached."""

from __future__ import annotations

import socket
import time
from dataclasses import dataclass
from pathlib import Path

from carrete.service.systemd import Systemd
from carrete.settings import Settings
from carrete.tls import status
from carrete.tls.served import read as read_served

ANSWER_S_MAX = 40
TRY_EVERY_S = 0.5
HTTP = 80


@dataclass(frozen=True, slots=True)
class ServiceState:
    installed: bool
    running: bool
    at_start: bool  # it starts with the machine
    since: str
    restarts: int
    detail: str


def service_state(systemd: Systemd) -> ServiceState:
    found = systemd.properties()
    return ServiceState(
        found.get("LoadState") == "loaded",
        found.get("ActiveState") == "active",
        found.get("UnitFileState") == "enabled",
        found.get("ActiveEnterTimestamp", ""),
        int(found.get("NRestarts") or 0),
        f"{found.get('ActiveState', 'unknown')} ({found.get('SubState', '')})",
    )


@dataclass(frozen=True, slots=True)
class ServiceAddresses:
    https: list[str]
    authority: str | None  # the fingerprint of the local authority
    how_to_trust: str | None  # the page that tells tablets how to trust it


def addresses(data: Path) -> ServiceAddresses:
    settings = Settings(data=data)
    https = status.https_addresses(settings)
    certificate, served = status.certificate_status(settings), read_served(data)
    authority = certificate["autoridad_huella"] if certificate else None
    how_to_trust = None
    if https and authority and served and served.http_port:
        host = https[0].removeprefix("https://").removesuffix(f":{served.port}")
        how_to_trust = f"http://{host}" if served.http_port == HTTP else f"http://{host}:{served.http_port}"
    return ServiceAddresses(https, authority, how_to_trust)


def wait_until_it_answers(port: int, s_max: float = ANSWER_S_MAX) -> bool:
    """The first start of a small PC makes keys and a ledger."""
    until = time.monotonic() + s_max
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=TRY_EVERY_S).close()
        except OSError:
            time.sleep(TRY_EVERY_S)
        else:
            return True
    return False
