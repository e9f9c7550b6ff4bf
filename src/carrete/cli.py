"""The commands. Each is thin: it reads the settings, calls the part that does the work, and speaks plainly."""

from __future__ import annotations

import errno
import ipaddress
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import structlog
import typer
from rich.console import Console
from rich.text import Text

from carrete import logs, private_files, settings
from carrete.bench.command import bench_app
from carrete.chaos.command import chaos_app
from carrete.domain.texts import writable
from carrete.domain.workers import Rol, Worker
from carrete.ledger import open_database, queries
from carrete.ledger.database import Database
from carrete.ledger.errors import LedgerUnavailable, SchemaTooNew
from carrete.ledger.migrate import migrate
from carrete.lifeline import end_with_parent
from carrete.loading import loading
from carrete.settings import Settings, WrongSetting
from carrete.sheets.errors import SheetsError
from carrete.workbook.errors import WorkbookError

if TYPE_CHECKING:
    from carrete.sheets_emulator.emulator import Emulator
    from carrete.workbook.report import ImportReport

T = TypeVar("T")

log = structlog.get_logger()

# A trace never shows the values of variables: a password may be among them.
app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
    help="¿Quién tiene qué spool ahora?",
)
worker_app = typer.Typer(no_args_is_help=True, help="People, without a spreadsheet.")
app.add_typer(worker_app, name="worker")
app.add_typer(bench_app, name="bench")
app.add_typer(chaos_app, name="chaos")

# What people typed is shown as they typed it: square brackets are no markup.
out = Console(highlight=False, soft_wrap=True, markup=False)
err = Console(stderr=True, highlight=False, soft_wrap=True, markup=False)

NO_IDENTITY = "There is no identity yet: whoever reaches this address can act as any worker."
FINDINGS_SHOWN_MAX = 50
PATHS_LOGGED_MAX = 10


def main() -> None:
    """Foreseeable failures end in one sentence and a status, never in a trace."""
    private_files.set_umask()
    logs.set_up()
    try:
        app()
    except (WrongSetting, SchemaTooNew, WorkbookError, SheetsError) as error:
        err.print(f"carrete: {error}", markup=False)
        sys.exit(1)
    except LedgerUnavailable as error:
        err.print(f"carrete: the ledger is not available: {error}", markup=False)
        sys.exit(1)


def _configured() -> Settings:
    """How every command begins: the settings, the log as they say, and what we keep closed to other users."""
    configured = settings.load()
    logs.set_up(configured.log_level)
    if closed := private_files.tighten(configured.data, configured.ledger_file):
        log.warning("other users could read or change these files; they no longer can", **_some(closed))
    return configured


def _some(paths: Sequence[Path]) -> dict[str, object]:
    return {"count": len(paths), "files": [str(path) for path in paths[:PATHS_LOGGED_MAX]]}


@contextmanager
def ledger(configured: Settings) -> Iterator[Database]:
    database = open_database(configured.ledger_url)
    try:
        migrate(database)
        yield database
    finally:
        database.close()


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8000,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes.")] = 1,
    demo: Annotated[bool, typer.Option("--demo", help="Fill an empty ledger with a believable shop.")] = False,
    behind_proxy: Annotated[
        list[str],
        typer.Option(help="Address of a proxy whose X-Forwarded-* headers are believed. Repeat it for several."),
    ] = [],  # noqa: B006
) -> None:
    """API, web app and background work."""
    with loading():
        from carrete.api import origin, serving  # each command loads only what it needs: a server stays small

    configured = _configured()
    listening = origin.Listening(host, _proxies(behind_proxy))
    if configured.google_sheet_id:
        _require_key(configured)
    sock = _listening(serving.bound_socket, host, port)
    with ledger(configured) as database:
        if demo:
            _fill(database, configured)
    if not _is_loopback(host):
        err.print(f"carrete: {NO_IDENTITY} Use it only on a network that the shop alone can reach.")
    serving.end_well_on_sigterm()
    address = f"[{host}]" if ":" in host else host
    port = sock.getsockname()[1]
    if not _is_loopback(host):
        _invite_tablets(host, port)
    out.print(f"Carrete listens on http://{address}:{port}", markup=False)
    sys.stdout.flush()
    serving.run(sock, workers, listening)


def _proxies(words: Sequence[str]) -> tuple[str, ...]:
    from carrete.api.proxies import proxy_networks

    try:
        return tuple(proxy_networks(words))
    except ValueError as error:
        raise WrongSetting(
            f"--behind-proxy: {error}; it must be an address such as 10.0.0.10 or 10.0.0.0/24."
        ) from None


def _require_key(configured: Settings) -> None:
    """A bad key is told now, not in the log of the lane."""
    from carrete.sheets.account import read_key

    read_key(configured.google_credentials)


def _fill(database: Database, configured: Settings) -> None:
    from carrete.demo.fill import fill

    if fill(database, configured.shop, datetime.now(UTC)):
        out.print("The ledger was empty: filled with a demo shop.")


def _invite_tablets(host: str, port: int) -> None:
    """The address that tablets open; in a terminal also as a QR code, because nobody types with gloves on."""
    from carrete.api.invitation import lan_url, qr_code

    url = lan_url(host, port)
    if url is None:
        out.print("This machine has no address on a network yet: connect it, and tablets can open Carrete.")
        return
    out.print(f"Tablets open {url}", markup=False)
    if sys.stdout.isatty() and (drawn := qr_code(url, sys.stdout.encoding)):
        sys.stdout.write(drawn)


def _listening(bind: Callable[[str, int], T], host: str, port: int) -> T:
    try:
        return bind(host, port)
    except OSError as error:
        reason = (
            "is in use by another program" if error.errno == errno.EADDRINUSE else f"cannot be used: {error.strerror}"
        )
        raise WrongSetting(f"{host}:{port} {reason}; choose another with --host and --port.") from None


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@app.command("import")
def import_(file: Annotated[Path, typer.Argument(help="The workbook, .xlsx")]) -> None:
    """A workbook in: what people changed there wins, what the floor did meanwhile stays."""
    from carrete.wiring import heal_locks
    from carrete.workbook.importing import import_workbook

    configured = _configured()
    with ledger(configured) as database, _progress("Importing") as advance:
        report = import_workbook(database, file, configured.shop, datetime.now(UTC), advance)
        heal_locks(configured, database, report.held_anew)
    _show(report.problems, len(report.problems))  # what was left out is named, every row of it
    _show(report.conflicts, FINDINGS_SHOWN_MAX)
    _show(report.notices, FINDINGS_SHOWN_MAX)
    out.print(report.summary(), markup=False)
    raise typer.Exit(report.exit_code)


def _show(findings: Sequence[object], at_most: int) -> None:
    for finding in findings[:at_most]:
        err.print(str(finding), markup=False)
    if (hidden := len(findings) - at_most) > 0:
        err.print(f"… and {hidden} more.")


@app.command()
def export(file: Annotated[Path, typer.Argument(help="The workbook to write, .xlsx")]) -> None:
    """The workbook out, as the ledger has it now."""
    from carrete.workbook.exporting import export_workbook

    configured = _configured()
    # The file is for other people; the ledger's, which is open by now, is not.
    with ledger(configured) as database, _progress("Exporting") as advance, private_files.usual_umask():
        rows = export_workbook(database, file, configured.shop, datetime.now(UTC), advance)
    out.print(f"{file}: {rows} rows.", markup=False)


@contextmanager
def _progress(what: str) -> Iterator[Callable[[int, int], None]]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())

    def above(line: str) -> None:
        err.print(Text.from_ansi(line.rstrip("\n")))

    with Progress(*columns, console=err, transient=False) as bar, logs.above(above):
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@app.command("sheets-emulator")
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
    from carrete.sheets_emulator import command
    from carrete.sheets_emulator.emulator import Emulator
    from carrete.sheets_emulator.server import HOST, Server

    configured = _configured()
    emulator = Emulator(seed)
    server = _listening(lambda _host, number: Server(emulator, number, control_port), HOST, port)
    command.load_or_fill(emulator, snapshot, lambda empty: _first_workbook(empty, configured, demo))
    key = service_account or configured.data / "emulator-service-account.json"
    command.write_service_account(server, key)
    environment = command.environment(server, key)
    lines = [f"export {name}={shlex.quote(value)}" for name, value in environment.items()]
    server.hints = {"environment": "\n".join([*lines, "carrete serve"])}
    server.start()
    out.print(f"The Sheets emulator listens on {server.url} (control: {server.control_url})", markup=False)
    out.print("Edit the workbook there in a browser. To run Carrete against it:\n", markup=False)
    out.print(server.hints["environment"], markup=False)
    sys.stdout.flush()
    with _carrete_beside(environment, shop_port) if demo else nullcontext():
        command.run(server, snapshot)


@contextmanager
def _carrete_beside(environment: Mapping[str, str], port: int) -> Iterator[None]:
    """Both ways at work in one command: on a ledger of its own that is gone afterwards. Ends with us."""
    with tempfile.TemporaryDirectory(prefix="carrete-demo-") as folder:
        ours = {**os.environ, **environment, "CARRETE_DATA": folder, "DATABASE_URL": ""}
        command = [sys.executable, "-m", "carrete", "serve", "--port", str(port)]
        carrete = subprocess.Popen(command, env=ours, preexec_fn=end_with_parent)
        try:
            yield
        finally:
            carrete.terminate()
            carrete.wait()


def _first_workbook(emulator: Emulator, configured: Settings, demo: bool) -> None:
    from carrete.sheets_demo import TITLE, demo_tabs
    from carrete.sheets_emulator.workbooks import make_book

    if demo:
        make_book(emulator, TITLE, demo_tabs(configured.shop, datetime.now(UTC)))
    else:
        emulator.create("Libro")


@app.command()
def sync(
    once: Annotated[bool, typer.Option("--once", help="Read, write what waits, and end.")] = False,
    init: Annotated[bool, typer.Option("--init", help="Look at the workbook; say what connecting would do.")] = False,
    apply: Annotated[bool, typer.Option("--apply", help="With --init: connect.")] = False,
) -> None:
    """The Google Sheets lane in a process of its own; `serve` runs it too, and only one of them at a time."""
    from carrete.sheets.command import connect, look, run, run_once
    from carrete.sheets.listeners import Listeners
    from carrete.wiring import heal_locks, reconcile_locks

    configured = _configured()
    if not configured.google_sheet_id:
        raise WrongSetting("GOOGLE_SHEET_ID is not set: docs/google-sheets.md tells how to connect a workbook.")
    with ledger(configured) as database:
        locks = Listeners(
            lambda tags, held_anew: heal_locks(configured, database, held_anew or tags[:1]),
            lambda: reconcile_locks(configured, database),
        )
        if init:
            with _progress("Reading") as advance:
                report, lines = (connect if apply else look)(configured, database, advance)
            for line in lines:
                out.print(line, markup=False)
            _show_report(report)
            out.print(
                "Conectada." if apply else "Nada cambió. Para conectarla: carrete sync --init --apply", markup=False
            )
        elif once:
            report = run_once(configured, database, locks)
            _show_report(report)
        else:
            run(configured, database, lambda text: out.print(text, markup=False), locks)
            return
    raise typer.Exit(3 if report.problems else 0)


def _show_report(report: ImportReport) -> None:
    _show(report.problems, FINDINGS_SHOWN_MAX)
    _show(report.conflicts, FINDINGS_SHOWN_MAX)
    out.print(report.summary(), markup=False)


@app.command()
def backup(file: Annotated[Path, typer.Argument(help="Where the copy goes")]) -> None:
    """A consistent copy of the ledger while the shop works."""
    from carrete.backup import back_up

    size = back_up(_configured(), file)
    out.print(f"{file}: {size // 1024} kB. To use it: stop Carrete and put it where the ledger was.")


@app.command()
def doctor() -> None:
    """Checks settings, ledger, Redis and workbook; says what is wrong and what to do."""
    from carrete.doctor import examine

    configured = _configured()
    wrong = False
    for finding in examine(configured):
        mark = {True: "ok  ", False: "BAD ", None: "note"}[finding.ok]
        advice = f"\n      → {finding.advice}" if finding.advice else ""
        out.print(f"{mark}  {finding.what}{advice}", markup=False)
        wrong = wrong or finding.ok is False
    raise typer.Exit(1 if wrong else 0)


@worker_app.command("list")
def list_workers() -> None:
    """Active people with their roles."""
    from rich.table import Table

    with ledger(_configured()) as database, database.reading() as tx:
        people = queries.workers(tx)
    table = Table("Id", "Label", "Nombre", "Apellido", "Roles")
    for person in people:
        roles = ", ".join(sorted(person.roles))
        table.add_row(str(person.id), person.label, person.nombre, person.apellido, roles)
    out.print(table)


WorkerId = Annotated[int, typer.Argument(min=1, max=2_147_483_647)]
RolesOption = Annotated[list[Rol], typer.Option("--rol", help="Repeat it for several roles.")]


@worker_app.command("add")
def add_worker(id_: WorkerId, nombre: str, apellido: str, rol: RolesOption = []) -> None:  # noqa: B006
    """A new person."""
    with ledger(_configured()) as database, database.writing() as tx:
        if queries.worker(tx, id_) is not None:
            raise WrongSetting(f"Worker {id_} exists already.")
        person = Worker(id_, nombre.strip(), apellido.strip())
        if not person.nombre or not person.apellido:
            raise WrongSetting("A worker needs a first name and a surname: the label is made of them.")
        if not writable(person.nombre + person.apellido):
            raise WrongSetting("A name cannot have control characters.")
        tx.run("worker_upsert", id=id_, nombre=person.nombre, apellido=person.apellido, activo=1)
        for name in rol:
            tx.run("role_upsert", worker_id=id_, rol=name.value, activo=1)
    out.print(f"{person.label} added.")


@worker_app.command("roles")
def set_roles(id_: WorkerId, rol: RolesOption = []) -> None:  # noqa: B006
    """Exactly these roles from now on."""
    with ledger(_configured()) as database, database.writing() as tx:
        person = _existing(queries.worker(tx, id_), id_)
        for name in Rol:
            if name in rol or name in person.roles:
                tx.run("role_upsert", worker_id=id_, rol=name.value, activo=int(name in rol))
    out.print(f"{person.label}: {', '.join(sorted(rol)) or 'no roles'}.")


@worker_app.command("deactivate")
def deactivate(id_: WorkerId) -> None:
    """May do nothing any more; what they hold stays theirs until a supervisor frees it."""
    with ledger(_configured()) as database, database.writing() as tx:
        person = _existing(queries.worker(tx, id_), id_)
        tx.run("worker_upsert", id=id_, nombre=person.nombre, apellido=person.apellido, activo=0)
    out.print(f"{person.label} is inactive now.")


def _existing(person: Worker | None, id_: int) -> Worker:
    if person is None:
        raise WrongSetting(f"There is no worker {id_}.")
    return person
