"""The command `carrete`: its subcommands, and one sentence instead of a traceback for every expected failure."""

from __future__ import annotations

import sys

import typer

from carrete import logs, private_files
from carrete.cli import (
    admin,
    backup,
    device,
    doctor,
    dossier,
    export,
    import_,
    labels,
    migrate,
    restore,
    serve,
    service,
    setting,
    sync,
    token,
    verify,
    worker,
)
from carrete.cli.common import err
from carrete.cli.workshop import add_workshop_commands
from carrete.domain.refusals import Refusal
from carrete.ledger.errors import LedgerUnavailable, RaceLost, SchemaTooNew
from carrete.settings import WrongSetting
from carrete.sheets.google.errors import SheetsError
from carrete.sheets.timings import DEFAULT_TIMINGS, LaneTimings
from carrete.workbook.errors import WorkbookError

# A traceback never shows the values of variables: a password may be among them.
app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
    help="¿Quién tiene qué spool ahora?",
)
app.command()(serve.serve)
app.command("import")(import_.import_)
app.command()(export.export)
app.command()(labels.labels)
app.command()(dossier.dossier)
app.command()(sync.sync)
app.command()(backup.backup)
app.command()(restore.restore)
app.command()(doctor.doctor)
app.command()(verify.verify)
app.command("migrate")(migrate.migrate_command)
app.add_typer(worker.worker_app, name="worker")
app.add_typer(setting.setting_app, name="setting")
app.add_typer(admin.admin_app, name="admin")
app.add_typer(device.device_app, name="device")
app.add_typer(token.token_app, name="token")
app.add_typer(service.service_app, name="service")
add_workshop_commands(app)


def main(lane_timings: LaneTimings = DEFAULT_TIMINGS) -> None:
    """Runs the command in `sys.argv`. A campaign passes shorter timings for the sheet lane; a shop cannot set them."""
    private_files.set_umask()
    logs.set_up()
    try:
        app(obj=lane_timings)
    except (WrongSetting, SchemaTooNew, WorkbookError, SheetsError, Refusal) as error:
        err.print(f"carrete: {error}")
        sys.exit(1)
    except LedgerUnavailable as error:
        err.print(f"carrete: the ledger is not available: {error}")
        sys.exit(1)
    except RaceLost:
        err.print("carrete: another process changed the ledger at the same moment. Nothing was written; try again.")
        sys.exit(1)
