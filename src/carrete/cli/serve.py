"""`carrete serve`: API, web app and background work."""

from __future__ import annotations

import ipaddress
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import typer

from carrete.cli.admin import offer_setup
from carrete.cli.common import err, lane_timings, listen, load_settings, open_shop, out
from carrete.domain.shop_time import whole_second
from carrete.gc_freeze import loading_modules
from carrete.ledger.database import Database
from carrete.settings import Settings, WrongSetting

NO_IDENTITY = "There is no identity in this mode: whoever reaches this address can act as any worker."
PLAIN_HTTP = "Without HTTPS, whoever is on this network can read and copy cookies and PINs."
BehindProxy = Annotated[
    list[str],
    typer.Option(help="Address of a proxy whose X-Forwarded-* headers are believed. Repeat it for several."),
]


def serve(
    context: typer.Context,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8000,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes.")] = 1,
    demo: Annotated[bool, typer.Option("--demo", help="Fill an empty ledger with a believable shop.")] = False,
    behind_proxy: BehindProxy = [],  # noqa: B006
    insecure_http: Annotated[
        bool, typer.Option("--insecure-http", help="Serve other machines without HTTPS: cookies and PINs can be read.")
    ] = False,
    insecure_open: Annotated[
        bool, typer.Option("--insecure-open", help="With CARRETE_ACCESS=open: serve other machines all the same.")
    ] = False,
) -> None:
    """API, web app and background work."""
    with loading_modules():
        from carrete.api.server import origin, serving

    configured = _settings_of(demo)
    proxies = _proxies(behind_proxy)
    _require_safe(configured, host, bool(proxies), insecure_http, insecure_open)
    listening = origin.Listening(host, proxies, insecure_http and not _is_loopback(host))
    if configured.google_sheet_id:
        _require_key(configured)
    sock = listen(serving.bound_socket, host, port)
    url = _url(host, sock.getsockname()[1])
    with open_shop(configured) as (database, of_shop):
        if demo:
            _fill(database, of_shop)
        offer_setup(database, configured, _reachable(host, url))
    serving.exit_cleanly_on_sigterm()
    _print_addresses(configured, host, url)
    serving.run(sock, workers, listening, lane_timings(context))


def _settings_of(demo: bool) -> Settings:
    """A demo shop is open to whoever sits at this machine, unless CARRETE_ACCESS says otherwise. The processes that
    serve read the environment again."""
    configured = load_settings()
    if demo and "access" not in configured.model_fields_set:
        os.environ["CARRETE_ACCESS"] = "open"
        return load_settings()
    return configured


def _require_safe(configured: Settings, host: str, has_proxy: bool, insecure_http: bool, insecure_open: bool) -> None:
    """Identity needs HTTPS, and serving without identity is for this machine alone."""
    if configured.access == "open":
        if (has_proxy or not _is_loopback(host)) and not insecure_open:
            option = "--behind-proxy" if has_proxy else f"--host {host}"
            raise WrongSetting(
                f"{option}: CARRETE_ACCESS=open serves this machine alone. Use CARRETE_ACCESS=pin, "
                "or --insecure-open if nobody but the shop can reach that network."
            )
    elif not _is_loopback(host) and not has_proxy and not insecure_http:
        raise WrongSetting(
            f"--host {host}: cookies and PINs need HTTPS. Put a proxy with HTTPS in front (--behind-proxy), "
            "or use --insecure-http if nobody else can listen on that network."
        )


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _reachable(host: str, url: str) -> str:
    """The address that a browser can open: 0.0.0.0 stands for all of them."""
    from carrete.api.server.invitation import lan_url

    return url if _is_loopback(host) else lan_url(host, int(url.rpartition(":")[2])) or url


def _print_addresses(configured: Settings, host: str, url: str) -> None:
    if not _is_loopback(host):
        warning = NO_IDENTITY if configured.access == "open" else PLAIN_HTTP
        err.print(f"carrete: {warning} Use it only on a network that the shop alone can reach.")
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


def _require_key(configured: Settings) -> None:
    """Reads the Google key now, so that a bad one stops the command instead of filling the log of the sheet lane."""
    from carrete.sheets.google.account import read_key

    read_key(configured.google_credentials)


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
        out.print("\n".join(f"  {pin}  {person}" for person, pin in shown))


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


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
