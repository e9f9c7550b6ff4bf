"""`carrete migrate`: brings the schema up to date, as the database's owner, and grants the server its rights."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from carrete.cli.common import load_settings, out
from carrete.ledger import open_database
from carrete.ledger.migrate import known_schema, migrate
from carrete.settings import WrongSetting


def migrate_command(
    server_role: Annotated[
        str,
        typer.Option(
            "--server-role",
            help="PostgreSQL: grant this role what a server needs, but not to change events.",
        ),
    ] = "",
) -> None:
    """Brings the ledger to this program's schema. `carrete serve` does so by itself where it may."""
    configured = load_settings()
    with closing(open_database(configured.ledger_url)) as database:
        steps = migrate(database)
        if server_role:
            from carrete.ledger.rights import grant_server_rights

            if database.engine != "postgres":
                raise WrongSetting("--server-role is for PostgreSQL: a SQLite file has no roles.")
            grant_server_rights(database, server_role)
            out.print(f"{server_role}: may add events, and not change or delete them.")
    out.print(f"Schema {known_schema()}: {f'{len(steps)} steps applied' if steps else 'up to date'}.")
