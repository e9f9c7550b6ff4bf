"""Which value is in force: what the machine gives (environment, `.env`, carrete.toml) wins over the ledger."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

from carrete.domain.ndt.policy import NdtPolicy
from carrete.domain.refusals import Refusal
from carrete.domain.shop import Shop
from carrete.ledger.database import Database
from carrete.settings import Settings
from carrete.shop_settings.store import read
from carrete.shop_settings.values import SETTINGS, ShopSettings

# The shop's setting, its field in `Settings`, and its name in the environment.
MACHINE_NAMES = {
    "zona_horaria": ("timezone", "CARRETE_TIMEZONE"),
    "tipos_solo_arm": ("arm_only_types", "CARRETE_ARM_ONLY_TYPES"),
    "webhook_conflictos": ("conflict_webhook", "CARRETE_CONFLICT_WEBHOOK"),
    "google_sheet": ("google_sheet_id", "GOOGLE_SHEET_ID"),
}
_EMPTY_IS_UNSET = frozenset(("webhook_conflictos", "google_sheet"))


class SettingFixed(Refusal):
    code = "AJUSTE_FIJADO"
    title = "Ajuste fijado por el servidor"

    def __init__(self, name: str) -> None:
        variable = MACHINE_NAMES[name][1]
        super().__init__(
            f"{name} está fijado en el servidor con {variable}: quítelo de allí y reinicie para cambiarlo aquí.",
            ajuste=name,
            variable=variable,
        )


def fixed_by_machine(machine: Settings) -> list[str]:
    """The shop's settings that the machine gives, in their order. An empty address counts as not given."""
    return [
        name
        for name, (field, _) in MACHINE_NAMES.items()
        if field in machine.model_fields_set and (getattr(machine, field) or name not in _EMPTY_IS_UNSET)
    ]


def require_not_fixed(machine: Settings, names: Iterable[str]) -> None:
    fixed = fixed_by_machine(machine)
    for name in names:
        if name in fixed:
            raise SettingFixed(name)


def in_force(machine: Settings, stored: ShopSettings) -> ShopSettings:
    given: dict[str, Any] = {
        SETTINGS[name].field: getattr(machine, MACHINE_NAMES[name][0]) for name in fixed_by_machine(machine)
    }
    return replace(stored, **given)


def shop_of(machine: Settings, settings: ShopSettings) -> Shop:
    """What the rules depend on, from settings in force."""
    return Shop(
        ZoneInfo(settings.timezone),
        settings.arm_only_types,
        confirmed_roles_only=machine.access != "open",
        shifts=settings.shifts,
        overdue=settings.overdue_limits,
        qualification_check=settings.qualification_check,
        ndt=NdtPolicy(
            settings.ndt_methods,
            settings.ndt_defects,
            settings.ndt_rules,
            settings.ndt_additional,
            settings.ndt_counts_in_cycle,
            settings.ndt_blocks_approval,
        ),
    )


def with_shop_settings(machine: Settings, database: Database) -> Settings:
    """For a command: the machine's settings with the shop's in force, as they are now."""
    with database.reading() as tx:
        stored = read(tx)
    current = in_force(machine, stored)
    values = {field: getattr(current, SETTINGS[name].field) for name, (field, _) in MACHINE_NAMES.items()}
    return machine.model_copy(update=values)
