"""The part of `carrete serve` that is about HTTPS: which certificate, which ports, and what the terminal says."""

from __future__ import annotations

import ipaddress
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from carrete.cli.common import out
from carrete.settings import Settings, WrongSetting
from carrete.tls import served
from carrete.tls.files import CertificateFiles, local_files, tls_folder

if TYPE_CHECKING:
    from carrete.tls.keeper import CertificateKeeper

HTTPS_PORT, HTTP_PAGE_PORT = 8443, 8080


@dataclass(frozen=True, slots=True)
class HttpsChoice:
    """What the options of `carrete serve` say about HTTPS. `own` is a certificate of the shop's own."""

    lan: bool = False
    own: CertificateFiles | None = None

    @property
    def on(self) -> bool:
        return self.lan or self.own is not None


def https_choice(lan: bool, certificate: Path | None, key: Path | None, has_proxy: bool) -> HttpsChoice:
    if (certificate is None) != (key is None):
        raise WrongSetting("--tls-cert and --tls-key belong together: a certificate, and the key it was made for.")
    if lan and has_proxy:
        raise WrongSetting("--lan: with --behind-proxy the proxy has the certificate; use --host instead of --lan.")
    if certificate is None or key is None:
        return HttpsChoice(lan)
    from carrete.tls.certificate import make_context  # loads x509, which a server without HTTPS does not need

    own = CertificateFiles(certificate.absolute(), key.absolute())
    make_context(own)
    return HttpsChoice(lan, own)


@contextmanager
def https_beside(
    configured: Settings, choice: HttpsChoice, host: str, port: int, page: Sequence[socket.socket]
) -> Iterator[CertificateFiles]:
    """What runs beside the server as long as it serves: the keeper of the certificate, and the plain port."""
    from carrete.api.server.hosts import OwnHosts
    from carrete.api.server.plain_port import PlainPort
    from carrete.api.server.trust_page.app import PlainPortApp

    http_port = page[0].getsockname()[1] if page else None
    folder = tls_folder(configured.data)
    files = choice.own or local_files(folder)
    as_served = served.Served(str(files.certificate), str(files.key), choice.own is not None, host, port, http_port)
    keeper = _keeper(configured, as_served)
    hosts = OwnHosts(host, configured.hosts)
    plain_port = (
        PlainPort(page, PlainPortApp(hosts, port, keeper.authority.certificate if keeper else None)) if page else None
    )
    try:
        _invite(host, port, http_port, keeper)
        if keeper:
            keeper.start()
        if plain_port:
            hosts.look_up_full_name()
            plain_port.start()
        yield files
    finally:
        if plain_port:
            plain_port.stop()
        if keeper:
            keeper.stop()


def _keeper(configured: Settings, as_served: served.Served) -> CertificateKeeper | None:
    """None with a certificate of one's own, which others renew."""
    from carrete.tls.keeper import CertificateKeeper
    from carrete.tls.multicast_dns import Announcer

    if as_served.own:
        served.write(configured.data, as_served)
        return None
    announced = configured.mdns and not is_loopback(as_served.host)
    return CertificateKeeper(configured, as_served, Announcer(as_served.port) if announced else None)


def _invite(host: str, port: int, http_port: int | None, keeper: CertificateKeeper | None) -> None:
    """The addresses that tablets open; in a terminal also as QR codes, because nobody types with gloves on."""
    from carrete.addresses import browser_url
    from carrete.api.server.invitation import lan_url

    url = lan_url(host, port, "https")
    if url is None:
        out.print("This machine has no address on a network yet: connect it, and tablets can open Carrete.")
        return
    if keeper and http_port is not None:
        _show("The first time, each tablet opens this page and does what it says:", lan_url(host, http_port) or "")
        out.print("Compare the fingerprint on that page with the authority's (SHA-256):")
        out.print(f"  {keeper.authority.fingerprint}")
    _show("Tablets open", url)
    if keeper and keeper.local_name:
        out.print(f"or {browser_url('https', keeper.local_name, port)}")


def _show(text: str, url: str) -> None:
    from carrete.api.server.invitation import qr_code

    out.print(f"{text} {url}")
    if sys.stdout.isatty() and (drawn := qr_code(url, sys.stdout.encoding)):
        sys.stdout.write(drawn)


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
