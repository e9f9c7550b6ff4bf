"""`carrete device`: lists and revokes enrolled devices."""

from __future__ import annotations

from datetime import UTC, datetime

import typer

from carrete.cli.common import load_settings, minute_text, open_ledger, open_shop, out
from carrete.domain.shop_time import whole_second
from carrete.settings import WrongSetting

ID_WIDTH = 18  # an id is typed again, so that it must not be cut

device_app = typer.Typer(no_args_is_help=True, help="Enrolled tablets, boards and office computers.")


@device_app.command("list")
def list_devices() -> None:
    """Devices in use, then those that were revoked."""
    from rich.table import Column, Table

    from carrete.identity.devices import devices

    with open_shop(load_settings()) as (database, configured), database.reading() as tx:
        found = devices(tx)
    table = Table(Column("Id", min_width=ID_WIDTH), "Name", "Kind", "Last use", "")
    for device in found:
        last_use = minute_text(device.used_at, configured.shop.zone)
        state = "revoked" if device.revoked_at else ""
        table.add_row(device.id, device.name, device.kind.value, last_use, state)
    out.print(table)


@device_app.command("revoke")
def revoke_device(id_: str) -> None:
    """Revokes the device: its cookie is refused and its session ends."""
    from carrete.identity.devices import revoke
    from carrete.identity.refusals import RecordUnknown

    try:
        with open_ledger(load_settings()) as database, database.writing() as tx:
            device = revoke(tx, id_, at=whole_second(datetime.now(UTC)))
    except RecordUnknown:
        raise WrongSetting(f"There is no device {id_}; see `carrete device list`.") from None
    out.print(f"{device.name} is revoked.")
