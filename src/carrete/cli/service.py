"""`carrete service`: Carrete as a service of this machine."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from carrete.cli.common import err, out
from carrete.settings import WrongSetting

if TYPE_CHECKING:
    from carrete.service.plan import ServicePlan
    from carrete.service.systemd import Systemd

NOT_RUNNING, NOT_INSTALLED = 3, 4  # as `systemctl status` ends

service_app = typer.Typer(no_args_is_help=True, help="Carrete as a service of this machine (systemd).")


@service_app.command("install")
def install(
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="HTTPS; without it 8443.")] = None,
    http_port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="The page that tells tablets how to trust it; without it 8080.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes.")] = 1,
    tls_cert: Annotated[Path | None, typer.Option(help="A certificate of your own.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Its key.")] = None,
    behind_proxy: Annotated[list[str], typer.Option(help="A proxy on this machine has the certificate.")] = [],  # noqa: B006
    data: Annotated[Path, typer.Option(help="The folder for everything that is kept.")] = Path("/var/lib/carrete"),
    backups: Annotated[Path | None, typer.Option(help="A folder for copies, better on another disk.")] = None,
    user: Annotated[str, typer.Option(help="The user that Carrete runs as; made if need be.")] = "carrete",
    only_print: Annotated[bool, typer.Option("--print", help="Only show the unit, change nothing.")] = False,
) -> None:
    """Writes and starts a systemd unit that runs `carrete serve --lan` as a user of its own. Run it again to change
    the options."""
    from carrete.service import installing, unit
    from carrete.service.plan import ServicePlan, installed_program
    from carrete.service.systemd import Systemd

    plan = ServicePlan(
        installed_program(), user, data, backups, port, http_port, workers, tls_cert, tls_key, tuple(behind_proxy)
    )
    if only_print:
        sys.stdout.write(unit.unit_text(plan))
        return
    systemd = Systemd()
    _require_root("install")
    if not systemd.is_running:
        raise WrongSetting(
            "systemd does not run on this machine. `carrete service install --print` shows what another supervisor "
            "should do."
        )
    files = installing.ServiceFiles()
    installing.install(plan, systemd, files)
    _report(plan, systemd)


@service_app.command("status")
def status() -> None:
    """Whether it runs, since when, and where tablets open it."""
    from carrete.service.installing import ServiceFiles, data_folder
    from carrete.service.state import service_state
    from carrete.service.systemd import Systemd

    systemd = Systemd()
    if not systemd.is_running:
        raise WrongSetting("systemd does not run on this machine: there is no service.")
    state = service_state(systemd)
    if not state.installed:
        out.print("There is no service yet: `carrete service install`.")
        raise typer.Exit(NOT_INSTALLED)
    at_start = "starts" if state.at_start else "does NOT start"
    since = f" since {state.since}" if state.since else ""
    out.print(f"Carrete is {state.detail}{since}, {state.restarts} restarts; it {at_start} with this machine.")
    if data := data_folder(ServiceFiles().unit):
        out.print(f"Its data is in {data}.")
        _print_addresses(data)
    if not state.running:
        err.print(systemd.last_lines().rstrip())
        raise typer.Exit(NOT_RUNNING)


@service_app.command("uninstall")
def uninstall() -> None:
    """Stops and removes the service. The data stays."""
    from carrete.service import installing
    from carrete.service.systemd import Systemd

    _require_root("uninstall")
    systemd = Systemd()
    if not systemd.is_running:
        raise WrongSetting("systemd does not run on this machine: there is no service.")
    data = installing.uninstall(systemd, installing.ServiceFiles())
    out.print("The service is gone. The program stays where it was installed.")
    if data:
        out.print(f"The data stays in {data}, with its keys and backups; only you delete it.")


def _require_root(command: str) -> None:
    if os.geteuid() != 0:
        raise WrongSetting(f"`carrete service {command}` changes this machine: run it with sudo.")


def _report(plan: ServicePlan, systemd: Systemd) -> None:
    from carrete.service.state import wait_until_it_answers

    if not wait_until_it_answers(plan.listens_on, https=not plan.behind_proxy):
        err.print(systemd.last_lines().rstrip())
        raise WrongSetting(
            "The service was installed but does not answer yet: see above, and `carrete service status`."
        )
    out.print("Carrete runs, and starts with this machine.")
    _print_addresses(plan.data)
    _print_setup_code(plan.data)
    out.print("`sudo carrete doctor` says whether all is well.")


def _print_addresses(data: Path) -> None:
    """Nothing for a user who may not look into the data."""
    from carrete.api.server.invitation import lan_url
    from carrete.service.state import addresses

    with suppress(OSError):
        found = addresses(data)
        if found.https:
            out.print("Tablets open " + "\n          or ".join(found.https))
        if found.authority and found.served and found.served.http_port:
            out.print(f"and the first time, to trust it, {lan_url(found.served.host, found.served.http_port)}")
        if found.authority:
            out.print(f"Fingerprint of the local authority: {found.authority}")


def _print_setup_code(data: Path) -> None:
    """The service has no terminal, so it wrote the code to a file; there is none once somebody is administrator."""
    from carrete.cli.admin import print_code
    from carrete.identity.setup import CODE_FILE, PAGE, typed_code

    try:
        code, page = (data / CODE_FILE).read_text("utf-8").splitlines()[:2]
    except (OSError, ValueError):
        return
    out.print("There is no administrator yet.")
    print_code(typed_code(code), page.partition(PAGE)[0] or None)
