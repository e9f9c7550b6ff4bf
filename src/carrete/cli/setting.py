"""`carrete setting`: shows every setting and where it comes from, and changes the shop's own."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from carrete.addresses import without_secrets
from carrete.cli.common import load_settings, open_ledger, out
from carrete.domain.refusals import NotValid
from carrete.domain.shop_time import whole_second
from carrete.settings import ADDRESSES, Settings, WrongSetting, setting_name
from carrete.shop_settings import change, fixed_by_machine, in_force, read, require_not_fixed
from carrete.shop_settings.in_force import MACHINE_NAMES, SettingFixed
from carrete.shop_settings.values import SETTINGS

setting_app = typer.Typer(no_args_is_help=True, help="Every setting; and the shop's own, which the page changes too.")


@setting_app.command("list")
def list_settings() -> None:
    """The shop's settings, then this machine's, without secrets."""
    from rich.table import Table

    configured = load_settings()
    with open_ledger(configured) as database, database.reading() as tx:
        current = in_force(configured, read(tx))
    table = Table("Setting", "Value", "")
    fixed = fixed_by_machine(configured)
    for name, kind in SETTINGS.items():
        shown = kind.shown(getattr(current, kind.field))
        table.add_row(name, _text(shown), f"fixed by {MACHINE_NAMES[name][1]}" if name in fixed else "")
    for field in Settings.model_fields:
        if field not in {of_machine for of_machine, _ in MACHINE_NAMES.values()}:
            name = setting_name(field)
            given = "" if field in configured.model_fields_set else "default"
            table.add_row(name, _machine_text(name, getattr(configured, field)), given)
    out.print(table)


@setting_app.command("set")
def set_setting(
    name: Annotated[str, typer.Argument(help=f"One of: {', '.join(SETTINGS)}.")],
    value: Annotated[
        str,
        typer.Argument(
            help="Text; joint types, methods and defects with commas; shifts, limits and sampling rules as JSON; "
            "true or false."
        ),
    ],
) -> None:
    """Changes one setting of the shop. A server that runs follows within 5 seconds."""
    configured = load_settings()
    try:
        require_not_fixed(configured, [name])
        with open_ledger(configured) as database, database.writing() as tx:
            after = change(tx, {name: _typed(name, value)}, None, whole_second(datetime.now(UTC)))
    except SettingFixed:
        variable = MACHINE_NAMES[name][1]
        raise WrongSetting(f"{name} is fixed by {variable} in this machine's settings: change it there.") from None
    except NotValid as error:
        known = "" if name in SETTINGS else f" The shop's settings are {', '.join(SETTINGS)}."
        raise WrongSetting(error.detail + known) from None
    kind = SETTINGS[name]
    out.print(f"{name}: {_text(kind.shown(getattr(after, kind.field)))}")


_WORDS = ("tipos_solo_arm", "ndt_metodos", "ndt_defectos")
_JSON = (
    *("turnos", "limites_atraso", "foto_en_rechazo"),
    *("ndt_reglas", "ndt_adicionales", "ndt_en_ciclo", "ndt_bloquea"),
)


def _typed(name: str, value: str) -> Any:
    if name in _WORDS:
        return value.replace(",", " ").split()
    if name in _JSON:
        try:
            return json.loads(value)
        except ValueError:
            return value  # refused, with a sentence about its form
    return value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _machine_text(name: str, value: Any) -> str:
    if name in ADDRESSES:
        return without_secrets(str(value))
    return " ".join(sorted(value)) if isinstance(value, frozenset) else str(value)
