"""`carrete worker`: adds and changes people without a spreadsheet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from carrete.actions import workers
from carrete.cli.common import load_settings, open_ledger, out
from carrete.domain.workers import Rol
from carrete.identity import privileges
from carrete.ledger import queries
from carrete.settings import WrongSetting

worker_app = typer.Typer(no_args_is_help=True, help="People, without a spreadsheet.")

WorkerId = Annotated[int, typer.Argument(min=1, max=2_147_483_647)]
RolesOption = Annotated[list[Rol], typer.Option("--rol", help="Repeat it for several roles.")]


@worker_app.command("list")
def list_workers() -> None:
    """Active people with their roles, and those that wait until an administrator confirms them."""
    from rich.table import Table

    with open_ledger(load_settings()) as database, database.reading() as tx:
        people = queries.workers(tx)
        waiting = {each.worker_id: each.roles for each in privileges.pending(tx)}
    table = Table("Id", "Label", "Nombre", "Apellido", "Roles")
    for person in people:
        waits = [f"{rol} (waits)" for rol in waiting.get(person.id, ())]
        roles = ", ".join([*sorted(person.roles), *waits])
        table.add_row(str(person.id), person.label, person.nombre, person.apellido, roles)
    out.print(table)


@worker_app.command("add")
def add_worker(id_: WorkerId, nombre: str, apellido: str, rol: RolesOption = []) -> None:  # noqa: B006
    """A new person."""
    try:
        with open_ledger(load_settings()) as database, database.writing() as tx:
            person = workers.add(tx, id_, nombre, apellido, rol)
    except workers.WorkerRefused as error:
        raise WrongSetting(str(error)) from None
    out.print(f"{person.label} added.")


@worker_app.command("roles")
def set_roles(id_: WorkerId, rol: RolesOption = []) -> None:  # noqa: B006
    """Exactly these roles from now on."""
    try:
        with open_ledger(load_settings()) as database, database.writing() as tx:
            person = workers.set_roles(tx, id_, rol)
    except workers.WorkerRefused as error:
        raise WrongSetting(str(error)) from None
    out.print(f"{person.label}: {', '.join(sorted(rol)) or 'no roles'}.")


@worker_app.command("deactivate")
def deactivate(id_: WorkerId) -> None:
    """May do nothing any more; what they hold stays theirs until a supervisor frees it."""
    try:
        with open_ledger(load_settings()) as database, database.writing() as tx:
            person = workers.deactivate(tx, id_)
    except workers.WorkerRefused as error:
        raise WrongSetting(str(error)) from None
    out.print(f"{person.label} is inactive now.")


@worker_app.command("pin")
def give_pins(
    id_: Annotated[int | None, typer.Argument(min=1, max=2_147_483_647)] = None,
    everybody: Annotated[bool, typer.Option("--all", help="Everybody who has no PIN yet.")] = False,
    replace: Annotated[bool, typer.Option("--replace", help="With --all: also for those who have one.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write a page of cards to print instead of showing PINs.")] = None,
) -> None:
    """New PINs, shown once. The PIN before and the person's sessions end."""
    from carrete.cli.pin_cards import hand_out

    if (id_ is None) != everybody or (replace and not everybody):
        raise WrongSetting("Name one worker, or use --all (with --replace also for those who have a PIN).")
    given = hand_out(load_settings(), id_, replace=replace, page=html)
    if not given:
        out.print("Everybody has a PIN.")
    elif html:
        out.print(f"{given} cards are in {html}: print them, hand them out and delete the file.")
