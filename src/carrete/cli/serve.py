"""`carrete serve`: API, web app and background work."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from carrete.cli.admin import offer_setup
from carrete.cli.common import err, lane_timings, listen, load_settings, open_shop, out
from carrete.cli.serve_https import HTTP_PAGE_PORT, HTTPS_PORT, HttpsChoice, https_beside, https_choice, is_loopback
from carrete.domain.shop_time import whole_second
from carrete.domain.workers import Rol, Worker
from carrete.gc_freeze import loading_modules
from carrete.ledger.database import Database
from carrete.settings import Settings, WrongSetting
from carrete.tls import served

HTTP_PORT = 8000
NO_IDENTITY = "There is no identity in this mode: whoever reaches this address can act as any worker."
PLAIN_HTTP = "Without HTTPS, whoever is on this network can read and copy cookies and PINs."
BehindProxy = Annotated[
    list[str],
    typer.Option(help="Address of a proxy whose X-Forwarded-* headers are believed. Repeat it for several."),
]


Lan = Annotated[
    bool, typer.Option("--lan", help="HTTPS on all interfaces, with a certificate of this machine's own authority.")
]
Host = Annotated[str | None, typer.Option(help="Address to listen on: 127.0.0.1, or all with --lan.")]
Port = Annotated[int | None, typer.Option(min=0, max=65535, help="8000, or 8443 with HTTPS.")]
HttpPort = Annotated[
    int | None, typer.Option(min=0, max=65535, help="With HTTPS: the page that helps devices; 8080 with --lan.")
]
TlsCert = Annotated[Path | None, typer.Option(help="HTTPS with a certificate of your own, in PEM form.")]
TlsKey = Annotated[Path | None, typer.Option(help="The key of --tls-cert.")]
InsecureHttp = Annotated[
    bool, typer.Option("--insecure-http", help="Serve other machines without HTTPS: cookies and PINs can be read.")
]
InsecureOpen = Annotated[
    bool, typer.Option("--insecure-open", help="With CARRETE_ACCESS=open: serve other machines all the same.")
]


def serve(
    context: typer.Context,
    lan: Lan = False,
    host: Host = None,
    port: Port = None,
    http_port: HttpPort = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes.")] = 1,
    demo: Annotated[bool, typer.Option("--demo", help="Fill an empty ledger with a believable shop.")] = False,
    behind_proxy: BehindProxy = [],  # noqa: B006
    insecure_http: InsecureHttp = False,
    insecure_open: InsecureOpen = False,
) -> None:
    """API, web app and background work."""
    with loading_modules():
        from carrete.api.server import origin, serving

    configured = _settings_of(demo)
    proxies = _proxies(behind_proxy)
    https = https_choice(lan, tls_cert, tls_key, bool(proxies))
    host = host or ("0.0.0.0" if lan else "127.0.0.1")
    _require_safe(configured, host, bool(proxies), insecure_http or https.on, insecure_open)
    plain_lan = insecure_http and not https.on and not is_loopback(host)
    listening = origin.Listening(host, proxies, plain_lan, own_certificate=https.own is not None)
    if configured.google_sheet_id:
        _require_key(configured)
    sockets, page = _bind(host, port, http_port, https)
    bound_port = sockets[0].getsockname()[1]
    url = _url("https" if https.on else "http", host, bound_port)
    with open_shop(configured) as (database, of_shop):
        if demo:
            _fill(database, of_shop)
        _require_identity_key(configured, database)
        offer_setup(database, configured, None if proxies else _reachable(host, bound_port, url))
    serving.exit_cleanly_on_sigterm()
    if not https.on:
        served.forget(configured.data)
    beside = https_beside(configured, https, host, bound_port, page) if https.on else nullcontext()
    with beside as certificate:
        _print_addresses(configured, host, url, https.on, bool(proxies))
        serving.run(sockets, workers, listening, lane_timings(context), certificate)


def _bind(
    host: str, port: int | None, http_port: int | None, https: HttpsChoice
) -> tuple[list[socket.socket], list[socket.socket]]:
    """The sockets of the server, and those of the plain page beside HTTPS, if there is one."""
    from carrete.api.server.serving import bound_socket, bound_sockets

    if port is None:
        port = HTTPS_PORT if https.on else HTTP_PORT
    if not https.on:
        if http_port is not None:
            raise WrongSetting("--http-port: without HTTPS there is no second port; use it with --lan or --tls-cert.")
        return [listen(bound_socket, host, port)], []
    sockets = listen(bound_sockets, host, port)
    if http_port is None and https.lan:
        http_port = HTTP_PAGE_PORT
    page = [] if http_port is None else listen(bound_sockets, host, http_port, "--http-port")
    return sockets, page


def _settings_of(demo: bool) -> Settings:
    """A demo shop is open to every user of this machine, unless CARRETE_ACCESS says otherwise. The processes that
    serve read the environment again."""
    configured = load_settings()
    if demo and "access" not in configured.model_fields_set:
        os.environ["CARRETE_ACCESS"] = "open"
        return load_settings()
    return configured


def _require_safe(configured: Settings, host: str, has_proxy: bool, http_allowed: bool, insecure_open: bool) -> None:
    """Identity needs HTTPS, and serving without identity is for this machine alone."""
    if configured.access == "open":
        if (has_proxy or not is_loopback(host)) and not insecure_open:
            option = "--behind-proxy" if has_proxy else f"--host {host}"
            raise WrongSetting(
                f"{option}: CARRETE_ACCESS=open serves this machine alone. Use CARRETE_ACCESS=pin, "
                "or --insecure-open if nobody but the shop can reach that network."
            )
    elif not is_loopback(host) and not has_proxy and not http_allowed:
        raise WrongSetting(
            f"--host {host}: cookies and PINs need HTTPS. Use --lan, or put a proxy with HTTPS in front "
            "(--behind-proxy), or use --insecure-http if nobody else can listen on that network."
        )


def _url(scheme: str, host: str, port: int) -> str:
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


def _reachable(host: str, port: int, url: str) -> str:
    """The address that a browser can open: 0.0.0.0 stands for all of them."""
    from carrete.api.server.invitation import lan_url

    return url if is_loopback(host) else lan_url(host, port, url.partition(":")[0]) or url


def _print_addresses(configured: Settings, host: str, url: str, is_https: bool, has_proxy: bool) -> None:
    """Behind a proxy nobody is invited: tablets open the proxy's address, which only the shop knows. At our own, PINs
    would be typed without HTTPS."""
    if not is_loopback(host) and (configured.access == "open" or not is_https):
        warning = NO_IDENTITY if configured.access == "open" else PLAIN_HTTP
        err.print(f"carrete: {warning} Use it only on a network that the shop alone can reach.")
    if not is_loopback(host) and not is_https and not has_proxy:
        _invite_tablets(host, int(url.rpartition(":")[2]))
    out.print(f"Carrete listens on {url}")
    sys.stdout.flush()


def _proxies(addresses: Sequence[str]) -> tuple[str, ...]:
    from carrete.api.server.proxies import proxy_networks

    try:
        return tuple(proxy_networks(addresses))
    except ValueError as error:
        raise WrongSetting(
            f"--behind-proxy: {error}; it must be an address such as 10.0.0.10 or 10.0.0.0/24."
        ) from None


def _require_identity_key(configured: Settings, database: Database) -> None:
    """Called before the command prints that Carrete listens: without the key no process can serve."""
    if configured.access != "open":
        from carrete.identity.server_keys import ServerKeys

        with database.writing() as tx:
            ServerKeys.load(configured.data, tx)


def _require_key(configured: Settings) -> None:
    """Reads the Google key now, so that a bad one stops the command instead of filling the log of the sheet lane."""
    from carrete.sheets.google.account import read_key
    from carrete.sheets.key_file import key_path

    read_key(key_path(configured))


def _fill(database: Database, configured: Settings) -> None:
    from carrete.demo.fill import fill

    if fill(database, configured.shop, datetime.now(UTC)):
        out.print("The ledger was empty: filled with a demo shop.")
    if configured.access != "open":
        _print_demo_pins(database, configured)


def _print_demo_pins(database: Database, configured: Settings) -> None:
    from carrete.demo.pins import give_demo_pins
    from carrete.identity.pins import PinHasher
    from carrete.identity.server_keys import ServerKeys

    with database.writing() as tx:
        hasher = PinHasher(ServerKeys.load(configured.data, tx).pepper)
        shown = give_demo_pins(tx, hasher, whole_second(datetime.now(UTC)))
    hasher.close()
    if shown:
        out.print("PINs of the demo shop:")
        out.print("\n".join(f"  {pin}  {_demo_person(person)}" for person, pin in shown))
        if not any(Rol.ADMINISTRADOR in person.roles for person, _ in shown):
            out.print("None of them is an administrator: the setup code makes one (`carrete admin code` for another).")


def _demo_person(person: Worker) -> str:
    return f"{person.label} {person.nombre} {person.apellido}: {', '.join(sorted(person.roles)) or 'no roles'}"


def _invite_tablets(host: str, port: int) -> None:
    """Prints the address that tablets open; in a terminal also as a QR code, because nobody types with gloves on."""
    from carrete.api.server.invitation import lan_url, qr_code

    url = lan_url(host, port)
    if url is None:
        out.print("This machine has no address on a network yet: connect it, and tablets can open Carrete.")
        return
    out.print(f"Tablets open {url}")
    if sys.stdout.isatty() and (drawn := qr_code(url, sys.stdout.encoding)):
        sys.stdout.write(drawn)
