"""`carrete admin`: what only somebody with a shell on the server may do about administrators."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from carrete.address_checks import require_web
from carrete.cli.common import load_settings, open_ledger, out
from carrete.domain.shop_time import whole_second
from carrete.ledger.database import Database
from carrete.settings import Settings, WrongSetting

admin_app = typer.Typer(no_args_is_help=True, help="Administrators, for whoever has a shell on the server.")

EXAMPLE_ADDRESS = "http://127.0.0.1:8000"
EXAMPLE_OF_PROXY = "https://carrete.example"


@admin_app.command("code")
def make_code(
    address: Annotated[
        str | None, typer.Option(help="Where the browser reaches the server. Without it: where it serves HTTPS now.")
    ] = None,
) -> None:
    """A setup code: it makes an administrator, or gives one a new PIN, in the browser that opens its page."""
    from carrete.identity import setup

    _require_address(address)
    configured = load_settings()
    with open_ledger(configured) as database, database.writing() as tx:
        code = setup.make_code(tx, at=whole_second(datetime.now(UTC)))
        setup.remove_code_file(configured.data)  # the code in it ended
    print_code(code, address or _served_address(configured), EXAMPLE_ADDRESS)


def _require_address(address: str | None) -> None:
    """Before the code is made: it ends the one before."""
    try:
        if address is not None:
            require_web(address)
    except ValueError:
        example = "such as https://carrete.local"
        raise WrongSetting(f"--address must be where a browser reaches the server, {example}.") from None


def _served_address(configured: Settings) -> str | None:
    """The address that `carrete serve` showed when it was started; None if it does not serve HTTPS itself."""
    from carrete.api.server.invitation import lan_url
    from carrete.tls import served

    found = served.read(configured.data)
    return lan_url(found.host, found.port, "https") if found else None


@admin_app.command("new-key")
def new_key(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """A new identity.key for a lost one. All PINs and sessions end, and taps that were not sent yet are refused.

    Stop the servers first: one that runs goes on with the old key until it is restarted, and counts every new PIN as
    wrong."""
    from carrete.identity.access_events import AccessKind, record
    from carrete.identity.server_keys import ServerKeys
    from carrete.identity.sessions import EndReason, end_all_of_worker

    out.print("Stop all servers first: one that still runs keeps the old key, and counts every new PIN as wrong.")
    if not yes:
        typer.confirm("All PINs and sessions end, and everybody needs a new PIN. Go on?", abort=True)
    configured, now = load_settings(), whole_second(datetime.now(UTC))
    with open_ledger(configured) as database, database.writing() as tx:
        for (worker_id,) in tx.all("workers_signed_in"):
            end_all_of_worker(tx, worker_id, now=now, why=EndReason.NEW_PIN)
        record(tx, AccessKind.PIN_NUEVO, at=now, detail="clave nueva del servidor: terminaron todos los PIN")
        ServerKeys.replace(configured.data, tx)
    out.print("There is a new key, and no PIN any more. Restart every server that still runs, now; then use")
    out.print("`carrete admin code` for an administrator and `carrete worker pin --all` for everybody else.")


def offer_setup(database: Database, configured: Settings, address: str | None) -> None:
    """For `carrete serve`: while there is no administrator, a new code, in the terminal or in a file. What is printed
    without a terminal may go to a log, which must not have the code. `address` is None behind a proxy: at the server's
    own address the first PIN would be typed without HTTPS.

    The file is written before the code is committed: of several processes that start together the last one ends the
    codes of the others, and its code must be the one in the file."""
    from carrete.identity import setup

    if configured.access == "open":
        return
    in_terminal = sys.stdout.isatty()
    with database.writing() as tx:
        code = setup.ensure_code(tx, at=whole_second(datetime.now(UTC)))
        if code is None:
            return
        if in_terminal:
            setup.remove_code_file(configured.data)  # the code in it ended
        path = None if in_terminal else _write_code_file(configured.data, code, address)
    out.print("There is no administrator yet" + (f": the setup code is in {path}, for 30 minutes." if path else "."))
    if in_terminal:
        print_code(code, address)


def _write_code_file(data: Path, code: str, address: str | None) -> Path:
    from carrete.identity import setup

    try:
        page = setup.page_address(address or "", code)
        return setup.write_code_file(data, f"{setup.readable_code(code)}\n{page}\n")
    except OSError as error:
        raise WrongSetting(f"{data / setup.CODE_FILE} cannot be written: {error.strerror}.") from None


def print_code(code: str, address: str | None, example: str = EXAMPLE_OF_PROXY) -> None:
    """In a terminal also as a QR code, if the address of the server is known; else with the address `example`."""
    from carrete.api.server.invitation import qr_code
    from carrete.identity import setup

    page = setup.page_address(address or example, code)
    out.print(f"Setup code: {setup.readable_code(code)}, once and for 30 minutes.")
    if address is None:
        how = "`carrete admin code --address https://…` puts it here"
        out.print(f"Open {setup.PAGE} at the address of your server ({how}), for example")
        out.print(page)
        return
    out.print(f"Open {page}")
    if sys.stdout.isatty() and (drawn := qr_code(page, sys.stdout.encoding)):
        sys.stdout.write(drawn)
