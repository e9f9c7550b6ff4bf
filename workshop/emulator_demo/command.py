"""`carrete sheets-emulator`: the emulator on this machine, and with `--demo` a Carrete beside it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from carrete.cli.common import listen, load_settings, out
from carrete.parent_death import end_with_parent
from carrete.settings import Settings

if TYPE_CHECKING:
    from sheets_emulator.emulator import Emulator

emulator_app = typer.Typer(add_completion=False)


@emulator_app.command()
def sheets_emulator(
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8010,
    control_port: Annotated[int, typer.Option(min=0, max=65535, help="Stays open when the API's is shut.")] = 0,
    seed: Annotated[int, typer.Option(help="The same faults at the same requests.")] = 0,
    snapshot: Annotated[Path | None, typer.Option(help="Goes on from this file, and keeps it.")] = None,
    demo: Annotated[
        bool, typer.Option("--demo", help="With the demo shop's workbook in it, and Carrete beside it.")
    ] = False,
    shop_port: Annotated[int, typer.Option(min=0, max=65535, help="Of Carrete, with --demo.")] = 8000,
    service_account: Annotated[Path | None, typer.Option(help="Where its key goes.")] = None,
) -> None:
    """Google Sheets without Google, on this machine only: the API, its failures, and a page to edit the workbook."""
    from sheets_emulator import command
    from sheets_emulator.emulator import Emulator
    from sheets_emulator.server import HOST, Server

    configured = load_settings()
    emulator = Emulator(seed)
    server = listen(lambda _host, number: Server(emulator, number, control_port), HOST, port)
    command.load_or_fill(emulator, snapshot, lambda empty: _first_workbook(empty, configured, demo))
    key = service_account or configured.data / "emulator-service-account.json"
    command.write_service_account(server, key)
    environment = command.environment(server, key)
    lines = [f"export {name}={shlex.quote(value)}" for name, value in environment.items()]
    server.hints = {"environment": "\n".join([*lines, "carrete serve"])}
    server.start()
    out.print(f"The Sheets emulator listens on {server.url} (control: {server.control_url})")
    out.print("Edit the workbook there in a browser. To run Carrete against it:\n")
    out.print(server.hints["environment"])
    sys.stdout.flush()
    with _carrete_beside(environment, shop_port) if demo else nullcontext():
        command.run(server, snapshot)


@contextmanager
def _carrete_beside(environment: Mapping[str, str], port: int) -> Iterator[None]:
    """Runs `carrete serve` against the emulator, on a ledger that is removed afterwards; ends with this process."""
    with tempfile.TemporaryDirectory(prefix="carrete-demo-") as folder:
        variables = {**os.environ, **environment, "CARRETE_DATA": folder, "DATABASE_URL": "", "CARRETE_ACCESS": "open"}
        command = [sys.executable, "-m", "carrete", "serve", "--port", str(port)]
        carrete = subprocess.Popen(command, env=variables, preexec_fn=end_with_parent)
        try:
            yield
        finally:
            carrete.terminate()
            carrete.wait()


def _first_workbook(emulator: Emulator, configured: Settings, demo: bool) -> None:
    from emulator_demo.workbook import TITLE, demo_tabs
    from sheets_emulator.workbooks import make_book

    if demo:
        make_book(emulator, TITLE, demo_tabs(configured.shop, datetime.now(UTC)))
    else:
        emulator.create("Libro")
