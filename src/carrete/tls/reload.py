"""A running server takes up a new certificate for every connection that begins from then on.

Connections that are open keep the certificate they began with; none of them is dropped.
"""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass
from typing import Any

import structlog

from carrete.tls.files import CertificateFiles, WrongCertificate

LOOKED_AT_EVERY_S = 5.0

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class ContextFactory:
    """For uvicorn: makes the context in each process, inside its event loop, and looks at the files from then on."""

    files: CertificateFiles

    def __call__(self, config: Any, default: Any) -> ssl.SSLContext:
        del config, default
        reloading = ReloadingContext(self.files)
        reloading.watch(asyncio.get_running_loop())
        return reloading.context


class ReloadingContext:
    """`context` is the one that the server listens with. At the beginning of each handshake it hands over to the newest
    context, which was made whole before: no client meets a new certificate with an old key."""

    def __init__(self, files: CertificateFiles) -> None:
        from carrete.tls.certificate import make_context  # loads x509, which a server without HTTPS does not need

        self._files = files
        self._make_context = make_context
        self._seen = files.stamp()
        self._newest = self.context = make_context(files)
        self.context.sni_callback = self._hand_over

    def watch(self, loop: asyncio.AbstractEventLoop) -> None:
        loop.call_later(LOOKED_AT_EVERY_S, self._look_again, loop)

    def refresh(self) -> bool:
        """Loads the certificate if its files have changed, and returns whether it did. One that cannot be used is
        named in the log, and the old one stays."""
        try:
            stamp = self._files.stamp()
            if stamp == self._seen:
                return False
            self._seen = stamp
            self._newest = self._make_context(self._files)
        except (WrongCertificate, OSError) as error:
            log.warning("new certificate not used; the old one stays", reason=str(error))
            return False
        log.info("new certificate in use", file=str(self._files.certificate))
        return True

    def _look_again(self, loop: asyncio.AbstractEventLoop) -> None:
        self.refresh()
        self.watch(loop)

    def _hand_over(self, connection: ssl.SSLObject, name: str | None, context: ssl.SSLContext) -> None:
        """OpenSSL calls this for clients that ask for no name too, such as those that open an address."""
        del name, context
        if self._newest is not self.context:
            connection.context = self._newest
