"""What `carrete doctor` and the page *Sistema* say about HTTPS: authority, certificate, ports, multicast DNS."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection, HTTPException

from cryptography import x509

from carrete.findings import Finding, Words, bad, good, note
from carrete.settings import Settings
from carrete.tls import served
from carrete.tls.authority import CERTIFICATE_FILE, Authority, fingerprint, load
from carrete.tls.certificate import RENEWED_BEFORE_END, make_context, names_of, read_certificate
from carrete.tls.files import WrongCertificate, tls_folder
from carrete.tls.names import LOCAL_NAME, certificate_names, lan_addresses
from carrete.tls.served import Served

ANSWER_S_MAX = 3.0
AUTHORITY_ENDS_SOON = timedelta(days=365)
NAMES_SHOWN_MAX = 8
_ALL_INTERFACES = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def problems(settings: Settings, now: datetime | None = None) -> Iterator[Finding]:
    now = now or datetime.now(UTC)
    found = served.read(settings.data)
    authority = None
    if (tls_folder(settings.data) / CERTIFICATE_FILE).exists():
        try:
            authority = load(tls_folder(settings.data))
        except WrongCertificate as error:
            yield bad(
                Words(f"HTTPS: {error}", "HTTPS: falta un archivo de la autoridad local, o no sirve."),
                Words(
                    "restore it from the backup of the keys: docs/https.md",
                    "recupérelo del respaldo de las claves: docs/https.md",
                ),
            )
        else:
            yield _authority(authority, now)
    if found is None:
        yield note(
            Words(
                "HTTPS: not served by Carrete itself; `carrete serve --lan` does, or a proxy in front of it",
                "HTTPS: Carrete no lo sirve por sí mismo; lo hace `carrete serve --lan`, o un proxy delante.",
            )
        )
        return
    yield from _served(settings, found, authority, now)


def _served(settings: Settings, found: Served, authority: Authority | None, now: datetime) -> Iterator[Finding]:
    try:
        certificate = read_certificate(found.files.certificate)
        make_context(found.files)
    except WrongCertificate as error:
        yield bad(
            Words(f"HTTPS: {error}", f"HTTPS: el certificado {found.certificate} o su clave no sirven."),
            Words("correct --tls-cert and --tls-key", "corrija --tls-cert y --tls-key")
            if found.own
            else Words("start `carrete serve --lan` again", "inicie de nuevo `carrete serve --lan`"),
        )
        return
    yield _end_of(certificate, found, now)
    if authority is not None and not found.own:
        yield from _names(settings, found, authority, certificate)
    yield from _ports(found, certificate)
    yield from _multicast_dns(settings, found)


def _authority(authority: Authority, now: datetime) -> Finding:
    begins, ends = authority.certificate.not_valid_before_utc, authority.certificate.not_valid_after_utc
    new_one = Words(
        "remove tls/authority.key and tls/authority.crt in CARRETE_DATA, restart, and trust the new one on each device",
        "borre tls/authority.key y tls/authority.crt en CARRETE_DATA, reinicie, y confíe en la nueva en cada equipo",
    )
    if now > ends:
        return bad(
            Words(
                f"HTTPS: the local authority ended on {ends:%Y-%m-%d}",
                f"HTTPS: la autoridad local venció el {ends:%d-%m-%Y}.",
            ),
            new_one,
        )
    if now < begins:
        return bad(
            Words(
                f"HTTPS: the local authority begins on {begins:%Y-%m-%d}, the clock says {now:%Y-%m-%d}",
                f"HTTPS: la autoridad local rige desde el {begins:%d-%m-%Y}, y el reloj dice {now:%d-%m-%Y}.",
            ),
            Words("set this machine's clock", "ponga el reloj de este equipo a la hora"),
        )
    what = Words(
        f"HTTPS: local authority until {ends:%Y-%m-%d}, SHA-256 {authority.fingerprint}",
        f"HTTPS: autoridad local hasta el {ends:%d-%m-%Y}, SHA-256 {authority.fingerprint}",
    )
    return note(what, new_one) if ends - now < AUTHORITY_ENDS_SOON else good(what)


def _end_of(certificate: x509.Certificate, found: Served, now: datetime) -> Finding:
    ends = certificate.not_valid_after_utc
    named = ", ".join(names_of(certificate).texts()[:NAMES_SHOWN_MAX])
    what = Words(
        f"HTTPS: certificate until {ends:%Y-%m-%d} for {named}",
        f"HTTPS: certificado hasta el {ends:%d-%m-%Y} para {named}",
    )
    to_do = (
        Words(
            "put a new certificate into its file: it is taken up by itself",
            "ponga uno nuevo en su archivo: se toma solo",
        )
        if found.own
        else Words("start `carrete serve --lan`: it renews it", "inicie `carrete serve --lan`: lo renueva")
    )
    if not certificate.not_valid_before_utc <= now <= ends:
        return bad(Words(f"{what.en}: not valid today", f"{what.es}: hoy no vale."), to_do)
    soon = ends - now < RENEWED_BEFORE_END
    return note(what, to_do) if soon else good(what)


def _names(settings: Settings, found: Served, authority: Authority, certificate: x509.Certificate) -> Iterator[Finding]:
    wanted = certificate_names(found.host, settings.hosts, found.local_name)
    permitted = authority.permitted(wanted)
    if missing := sorted(set(permitted.texts()) - set(names_of(certificate).texts())):
        yield bad(
            Words(
                f"HTTPS: the certificate lacks {', '.join(missing)}",
                f"HTTPS: al certificado le falta {', '.join(missing)}.",
            ),
            Words(
                "a running `carrete serve --lan` adds it within a minute: start it again",
                "un `carrete serve --lan` en marcha lo agrega en un minuto: inícielo de nuevo",
            ),
        )
    if excluded := sorted(set(wanted.texts()) - set(permitted.texts())):
        yield note(
            Words(
                f"HTTPS: the local authority may not vouch for {', '.join(excluded)}: browsers refuse these",
                f"HTTPS: la autoridad local no puede responder por {', '.join(excluded)}: se rechazan.",
            ),
            Words(
                "open the server under one of the other names, or make a new authority: docs/https.md",
                "abra el servidor con otro de sus nombres, o haga una autoridad nueva: docs/https.md",
            ),
        )


def _ports(found: Served, certificate: x509.Certificate) -> Iterator[Finding]:
    host = _ALL_INTERFACES.get(found.host, found.host)
    shown = _shown_fingerprint(host, found.port)
    if shown is None:
        yield note(
            Words(f"HTTPS: nobody answers on port {found.port}", f"HTTPS: nadie responde en el puerto {found.port}."),
            Words("start `carrete serve`", "inicie `carrete serve`"),
        )
        return
    if shown != fingerprint(certificate):
        yield bad(
            Words(
                f"HTTPS: port {found.port} shows another certificate than {found.certificate}",
                f"HTTPS: el puerto {found.port} muestra otro certificado que {found.certificate}.",
            ),
            Words("restart the server", "reinicie el servidor"),
        )
    else:
        yield good(
            Words(f"HTTPS: port {found.port} answers with it", f"HTTPS: el puerto {found.port} responde con él.")
        )
    if found.http_port is not None and not _answers_http(host, found.http_port):
        yield bad(
            Words(
                f"HTTPS: nobody answers on the plain port {found.http_port}",
                f"HTTPS: nadie responde en el puerto {found.http_port}.",
            ),
            Words("restart the server", "reinicie el servidor"),
        )


def _multicast_dns(settings: Settings, found: Served) -> Iterator[Finding]:
    from carrete.tls.multicast_dns import resolve  # its package is large, and most processes never need it

    if not settings.mdns:
        yield note(Words("multicast DNS: off (CARRETE_MDNS)", "DNS multicast: apagado (CARRETE_MDNS)."))
    elif found.local_name is not None:
        addresses = lan_addresses(found.host)
        theirs, ours = set(resolve(found.local_name, addresses)), set(map(str, addresses))
        what = Words(f"multicast DNS: {found.local_name}", f"DNS multicast: {found.local_name}")
        if not theirs:
            yield note(
                Words(f"{what.en} is not answered", f"{what.es} no responde."),
                Words(
                    "start the server, or let UDP port 5353 through the firewall",
                    "inicie el servidor, o deje pasar el puerto UDP 5353 en el cortafuegos",
                ),
            )
        elif not theirs <= ours:
            yield bad(
                Words(
                    f"{what.en} is also another machine: {', '.join(sorted(theirs - ours))}",
                    f"{what.es} es también otro equipo.",
                ),
                Words("restart the server: it takes another name", "reinicie el servidor: toma otro nombre"),
            )
        elif found.local_name != LOCAL_NAME:
            yield note(
                Words(f"{what.en}; another server has {LOCAL_NAME}", f"{what.es}; otro servidor tiene {LOCAL_NAME}.")
            )
        else:
            yield good(what)


def _shown_fingerprint(host: str, port: int) -> str | None:
    """The fingerprint of the certificate that a server shows; None when no server answers."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with (
            socket.create_connection((host, port), ANSWER_S_MAX) as plain,
            context.wrap_socket(plain) as secure,
        ):
            shown = secure.getpeercert(binary_form=True)
    except OSError:
        return None
    return fingerprint(x509.load_der_x509_certificate(shown)) if shown else None


def _answers_http(host: str, port: int) -> bool:
    connection = HTTPConnection(host, port, timeout=ANSWER_S_MAX)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status < 500
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
