"""Keeps the certificate right while the server runs: its end, this machine's addresses, its name by multicast DNS.

It runs in the process that was started as `carrete serve`. The processes that serve look at the file (`reload`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import structlog

from carrete.settings import Settings
from carrete.tls import served
from carrete.tls.authority import Authority, load_or_make
from carrete.tls.certificate import renew_if_needed
from carrete.tls.files import WrongCertificate, local_files, tls_folder
from carrete.tls.multicast_dns import Announcer
from carrete.tls.names import CertificateNames, certificate_names, full_name, lan_addresses

LOOKED_AT_EVERY_S = 5.0  # with `reload.LOOKED_AT_EVERY_S`: a new address is served within ten seconds
STOP_S_MAX = 2.0

log = structlog.get_logger()


@dataclass(slots=True)
class _Seen:
    """What is in the log already: each message is logged once."""

    failure: str = ""
    left_out: list[str] = field(default_factory=list)


class CertificateKeeper:
    def __init__(
        self,
        settings: Settings,
        as_served: served.Served,
        announcer: Announcer | None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Raises WrongCertificate when there can be no certificate."""
        self._data: Path = settings.data
        self._folder = tls_folder(settings.data)
        self._hosts = settings.hosts
        self._served = as_served
        self._announcer = announcer
        self._clock = clock
        self._full_name = full_name()
        self._seen = _Seen()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="certificate", daemon=True)
        self._announce()
        self.authority: Authority = load_or_make(self._folder, self._wanted(), clock())
        self.check()

    @property
    def local_name(self) -> str | None:
        return self._announcer.name if self._announcer else None

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(STOP_S_MAX)
        if self._announcer is not None:
            self._announcer.close()

    def check(self) -> None:
        """One look at everything."""
        wanted = self._wanted()
        if renew_if_needed(self._folder, self.authority, wanted, self._clock()):
            log.info("certificate made", names=self.authority.permitted(wanted).texts())
        left_out = sorted(set(wanted.texts()) - set(self.authority.permitted(wanted).texts()))
        if left_out != self._seen.left_out:
            self._seen.left_out = left_out
            if left_out:
                log.warning("the local authority may not vouch for some names of this machine", names=left_out)
        files = local_files(self._folder)
        present = replace(
            self._served, certificate=str(files.certificate), key=str(files.key), local_name=self.local_name
        )
        if present != served.read(self._data):
            served.write(self._data, present)

    def _wanted(self) -> CertificateNames:
        return certificate_names(self._served.host, self._hosts, self.local_name, self._full_name)

    def _announce(self) -> None:
        if self._announcer is not None:
            self._announcer.announce(lan_addresses(self._served.host))

    def _run(self) -> None:
        while not self._stop.wait(LOOKED_AT_EVERY_S):
            try:
                self._announce()
                self.check()
                self._seen.failure = ""
            except (WrongCertificate, OSError) as error:
                self._report(error)
            except Exception as error:  # noqa: BLE001 - a certificate that nobody renews stops the shop in a year
                self._report(error, exc_info=True)

    def _report(self, error: Exception, *, exc_info: bool = False) -> None:
        """Once, not every five seconds."""
        if repr(error) != self._seen.failure:
            self._seen.failure = repr(error)
            log.error("the certificate cannot be renewed; the old one stays", reason=str(error), exc_info=exc_info)
