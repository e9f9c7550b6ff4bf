"""`carrete token`: API tokens for other systems."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from carrete.cli.common import load_settings, minute_text, open_ledger, open_shop, out
from carrete.cli.device import ID_WIDTH
from carrete.domain.refusals import NotValid
from carrete.domain.shop_time import whole_second
from carrete.identity import tokens
from carrete.identity.records import TokenScope
from carrete.identity.refusals import RecordUnknown
from carrete.settings import WrongSetting

token_app = typer.Typer(no_args_is_help=True, help="API tokens for other systems.")

SCOPES = (
    "leer: lists and reports. actuar: actions for a worker. administrar: people of the floor and devices. "
    "None includes another: repeat the option for several."
)
Scopes = Annotated[list[TokenScope], typer.Option("--scope", help=SCOPES)]
Days = Annotated[int, typer.Option(min=1, max=tokens.DAYS_MAX, help="It ends after so many days.")]


@token_app.command("make")
def make_token(name: str, scope: Scopes, days: Days = tokens.DAYS_DEFAULT) -> None:
    """Prints a new token, once."""
    try:
        with open_ledger(load_settings()) as database, database.writing() as tx:
            made = tokens.make(tx, name, scope, at=whole_second(datetime.now(UTC)), days=days)
    except NotValid as error:
        raise WrongSetting(error.detail) from None
    out.print(made.token)


@token_app.command("list")
def list_tokens() -> None:
    """Tokens, the newest first, without their secrets."""
    from rich.table import Column, Table

    with open_shop(load_settings()) as (database, configured), database.reading() as tx:
        zone = configured.shop.zone
        found = tokens.tokens(tx)
    table = Table(Column("Id", min_width=ID_WIDTH), "Name", "Scopes", "Ends", "Last use", "")
    for token in found:
        times = (minute_text(token.ends_at, zone), minute_text(token.used_at, zone))
        table.add_row(token.id, token.name, " ".join(token.scopes), *times, "revoked" if token.revoked_at else "")
    out.print(table)


@token_app.command("revoke")
def revoke_token(id_: str) -> None:
    """The token is worth nothing from now on."""
    try:
        with open_ledger(load_settings()) as database, database.writing() as tx:
            token = tokens.revoke(tx, id_, at=whole_second(datetime.now(UTC)))
    except RecordUnknown:
        raise WrongSetting(f"There is no token {id_}; see `carrete token list`.") from None
    out.print(f"{token.name} is revoked.")
