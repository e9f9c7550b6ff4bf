"""Whether the service runs, since when, and where it is reached."""

from __future__ import annotations

import ssl
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path

from carrete.service.systemd import Systemd
from carrete.settings import Settings
from carrete.tls import served, status
from carrete.tls.served import Served

ANSWER_S_MAX = 40
TRY_EVERY_S = 0.5


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
    served: Served | None


def addresses(data: Path) -> ServiceAddresses:
    settings = Settings(data=data)
    certificate = status.certificate_status(settings)
    authority = certificate["autoridad_huella"] if certificate else None
    return ServiceAddresses(status.https_addresses(settings), authority, served.read(data))


def wait_until_it_answers(port: int, *, https: bool, s_max: float = ANSWER_S_MAX) -> bool:
    """The first start of a small PC makes keys, a ledger and a certificate; it listens before it answers."""
    until = time.monotonic() + s_max
    while time.monotonic() < until:
        with suppress(OSError, HTTPException):
            if _is_alive(port, https):
                return True
        time.sleep(TRY_EVERY_S)
    return False


def _is_alive(port: int, https: bool) -> bool:
    """Only this machine's own port is asked, for nothing secret: the certificate need not prove anything."""
    connection = HTTPConnection("127.0.0.1", port, timeout=ANSWER_S_MAX)
    if https:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = HTTPSConnection("127.0.0.1", port, timeout=ANSWER_S_MAX, context=context)
    with closing(connection):
        connection.request("GET", "/api/health")
        return connection.getresponse().status == HTTPStatus.OK
