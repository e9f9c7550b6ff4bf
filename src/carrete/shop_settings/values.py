"""The shop's settings as values, and how each is read from JSON: a wrong one is refused with a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from carrete.address_checks import require_web
from carrete.addresses import without_secrets
from carrete.domain.joint_types import comparable_type
from carrete.domain.ndt.policy import DEFAULT_NDT, NdtRule
from carrete.domain.overdue_limits import OperationHours, OverdueLimits
from carrete.domain.refusals import NotValid
from carrete.domain.shifts import Shift
from carrete.domain.shop import QualificationCheck, Shop
from carrete.shop_settings.ndt_values import (
    additional,
    defects,
    methods,
    rules,
    rules_json,
)
from carrete.shop_settings.texts import text_value

NAME_LENGTH_MAX = 80
ZONE_LENGTH_MAX = 64
TYPES_MAX = 20
TYPE_LENGTH_MAX = 20
SHIFTS_MAX = 12
SHIFT_NAME_LENGTH_MAX = 40
ADDRESS_LENGTH_MAX = 1_000
LIMIT_HOURS_MAX = 8_760  # a year
DAYS = range(1, 8)  # ISO: Monday is 1
_TYPE = re.compile(r"[^\s,]+")
_HOUR = re.compile(r"([01]\d|2[0-3]):[0-5]\d")
_SHEET_ID = re.compile(r"[A-Za-z0-9_-]{1,200}")
_IN_SHEET_ADDRESS = re.compile(r"/spreadsheets/(?:u/\d+/)?d/([A-Za-z0-9_-]{1,200})")


@dataclass(frozen=True, slots=True)
class ShopSettings:
    name: str = ""
    timezone: str = Shop().zone.key
    arm_only_types: frozenset[str] = Shop().arm_only_types
    shifts: tuple[Shift, ...] = ()
    conflict_webhook: str = field(default="", repr=False)
    photo_on_rejection: bool = False  # a rejection asks for a photo; it goes on without one
    google_sheet: str = ""  # the workbook's id; empty: none is connected
    overdue_limits: OverdueLimits = Shop().overdue
    qualification_check: QualificationCheck | None = None  # None: warn, once there are qualifications
    ndt_methods: tuple[str, ...] = DEFAULT_NDT.methods
    ndt_defects: tuple[str, ...] = DEFAULT_NDT.defects
    ndt_rules: tuple[NdtRule, ...] = ()
    ndt_additional: int = DEFAULT_NDT.additional
    ndt_counts_in_cycle: bool = DEFAULT_NDT.counts_in_cycle
    ndt_blocks_approval: bool = DEFAULT_NDT.blocks_approval

    def to_json(self) -> dict[str, Any]:
        return {name: kind.to_json(getattr(self, kind.field)) for name, kind in SETTINGS.items()}


class SettingKind(NamedTuple):
    """`parse` raises ValueError with a sentence for people; `shown` is the value for the history, without secrets."""

    field: str
    parse: Callable[[Any], Any]
    to_json: Callable[[Any], Any] = lambda value: value
    shown: Callable[[Any], Any] = lambda value: value


def changed(settings: ShopSettings, changes: Mapping[str, Any]) -> ShopSettings:
    """`changes` are JSON values by the names of SETTINGS. Raises NotValid, which names every wrong one."""
    values: dict[str, Any] = {}
    wrong: list[dict[str, str]] = []
    for name, value in changes.items():
        try:
            values[SETTINGS[name].field] = SETTINGS[name].parse(value)
        except KeyError:
            wrong.append({"campo": name, "motivo": "no es un ajuste."})
        except ValueError as error:
            wrong.append({"campo": name, "motivo": str(error)})
    if wrong:
        raise NotValid(wrong)
    return replace(settings, **values)


def _name(value: Any) -> str:
    return text_value(value, NAME_LENGTH_MAX)


def _zone(value: Any) -> str:
    name = text_value(value, ZONE_LENGTH_MAX)
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError("debe ser una zona horaria como America/Santiago.") from None
    return name


def _types(value: Any) -> frozenset[str]:
    if not isinstance(value, list) or len(value) > TYPES_MAX:
        raise ValueError(f"debe ser una lista de a lo más {TYPES_MAX} tipos de unión.")
    types = [comparable_type(text_value(each, TYPE_LENGTH_MAX)) for each in value]
    if not all(map(_TYPE.fullmatch, types)):
        raise ValueError("cada tipo de unión es una palabra, como FW.")
    return frozenset(types)


def _shifts(value: Any) -> tuple[Shift, ...]:
    if not isinstance(value, list) or len(value) > SHIFTS_MAX:
        raise ValueError(f"debe ser una lista de a lo más {SHIFTS_MAX} turnos.")
    shifts = tuple(map(_shift, value))
    if len({shift.name.casefold() for shift in shifts}) < len(shifts):
        raise ValueError("dos turnos tienen el mismo nombre.")
    return shifts


def _shift(value: Any) -> Shift:
    if not isinstance(value, dict) or set(value) != {"nombre", "dias", "desde", "hasta"}:
        raise ValueError("cada turno tiene nombre, dias, desde y hasta.")
    name, days = text_value(value["nombre"], SHIFT_NAME_LENGTH_MAX), value["dias"]
    if not name:
        raise ValueError("cada turno tiene un nombre.")
    if not isinstance(days, list) or not days or not all(type(day) is int and day in DAYS for day in days):
        raise ValueError(f"{name}: los días son números de 1 (lunes) a 7 (domingo), al menos uno.")
    begins, ends = text_value(value["desde"], len("07:00")), text_value(value["hasta"], len("07:00"))
    if not _HOUR.fullmatch(begins) or not _HOUR.fullmatch(ends) or begins == ends:
        raise ValueError(f"{name}: desde y hasta son dos horas distintas como 07:00 y 15:30.")
    return Shift(name, tuple(sorted(set(days))), begins, ends)


def _shifts_json(shifts: tuple[Shift, ...]) -> list[dict[str, Any]]:
    return [
        {"nombre": shift.name, "dias": list(shift.days), "desde": shift.begins, "hasta": shift.ends} for shift in shifts
    ]


def _web_address(value: Any) -> str:
    address = text_value(value, ADDRESS_LENGTH_MAX)
    if address:
        try:
            require_web(address)
        except ValueError:
            raise ValueError("debe ser una dirección como https://servidor/camino, o nada.") from None
    return address


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("debe ser true o false.")
    return value


def _sheet(value: Any) -> str:
    """The id, also out of the address that a browser shows."""
    text = text_value(value, ADDRESS_LENGTH_MAX)
    found = _IN_SHEET_ADDRESS.search(text)
    sheet_id = found[1] if found else text
    if sheet_id and not _SHEET_ID.fullmatch(sheet_id):
        raise ValueError("debe ser la dirección de una planilla de Google, o su identificador.")
    return sheet_id


def _limits(value: Any) -> OverdueLimits:
    if not isinstance(value, dict) or set(value) != {"ocupado", "pausado", "inspeccion"}:
        raise ValueError("tiene ocupado, pausado e inspeccion.")
    return OverdueLimits(
        _hours_each("ocupado", value["ocupado"]),
        _hours_each("pausado", value["pausado"]),
        _hours("inspeccion", value["inspeccion"]),
    )


def _hours_each(name: str, value: Any) -> OperationHours:
    if not isinstance(value, dict) or set(value) != {"ARM", "SOLD", "REPARACION"}:
        raise ValueError(f"{name}: tiene ARM, SOLD y REPARACION.")
    return OperationHours(*(_hours(f"{name}, {op}", value[op]) for op in ("ARM", "SOLD", "REPARACION")))


def _hours(name: str, value: Any) -> int:
    if type(value) is not int or not 0 <= value <= LIMIT_HOURS_MAX:
        raise ValueError(f"{name}: un número entero de horas, de 0 (nunca) a {LIMIT_HOURS_MAX}.")
    return value


def _limits_json(limits: OverdueLimits) -> dict[str, Any]:
    return {
        "ocupado": _hours_json(limits.held),
        "pausado": _hours_json(limits.paused),
        "inspeccion": limits.inspection,
    }


def _hours_json(hours: OperationHours) -> dict[str, int]:
    return {"ARM": hours.arm, "SOLD": hours.sold, "REPARACION": hours.reparacion}


def _qualification_check(value: Any) -> QualificationCheck | None:
    """Empty: as if the setting had never been changed."""
    text = text_value(value, NAME_LENGTH_MAX)
    if text and text not in list(QualificationCheck):
        raise ValueError(f"debe ser {', '.join(QualificationCheck)}, o nada.")
    return QualificationCheck(text) if text else None


def _check_json(check: QualificationCheck | None) -> str:
    return check.value if check else ""


SETTINGS: dict[str, SettingKind] = {
    "nombre_taller": SettingKind("name", _name),
    "zona_horaria": SettingKind("timezone", _zone),
    "tipos_solo_arm": SettingKind("arm_only_types", _types, sorted, sorted),
    "turnos": SettingKind("shifts", _shifts, _shifts_json, _shifts_json),
    "webhook_conflictos": SettingKind("conflict_webhook", _web_address, shown=without_secrets),
    "foto_en_rechazo": SettingKind("photo_on_rejection", _flag),
    "google_sheet": SettingKind("google_sheet", _sheet),
    "limites_atraso": SettingKind("overdue_limits", _limits, _limits_json, _limits_json),
    "calificacion": SettingKind("qualification_check", _qualification_check, _check_json, _check_json),
    "ndt_metodos": SettingKind("ndt_methods", methods, list, list),
    "ndt_defectos": SettingKind("ndt_defects", defects, list, list),
    "ndt_reglas": SettingKind("ndt_rules", rules, rules_json, rules_json),
    "ndt_adicionales": SettingKind("ndt_additional", additional),
    "ndt_en_ciclo": SettingKind("ndt_counts_in_cycle", _flag),
    "ndt_bloquea": SettingKind("ndt_blocks_approval", _flag),
}
