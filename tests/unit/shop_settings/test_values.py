"""What a shop may decide about itself, and the sentence for what it may not."""

from __future__ import annotations

from typing import Any

import pytest

from carrete.domain.overdue_limits import OperationHours, OverdueLimits
from carrete.domain.refusals import NotValid
from carrete.domain.shop import QualificationCheck
from carrete.settings import Settings
from carrete.shop_settings import Shift, ShopSettings, fixed_by_machine, in_force, require_not_fixed, shop_of
from carrete.shop_settings.in_force import SettingFixed
from carrete.shop_settings.values import SETTINGS, SHIFTS_MAX, TYPES_MAX, changed

NIGHT = {"nombre": "Noche", "dias": [5, 1, 1], "desde": "23:00", "hasta": "07:00"}
HOURS = {
    "ocupado": {"ARM": 1, "SOLD": 2, "REPARACION": 0},
    "pausado": {"ARM": 3, "SOLD": 8_760, "REPARACION": 5},
    "inspeccion": 0,
}
SHEET = "1AbC-dEf_0123456789"

RIGHT = [
    ("nombre_taller", "  Taller Ñuñoa ", "Taller Ñuñoa"),
    ("nombre_taller", "", ""),
    ("zona_horaria", "Europe/Madrid", "Europe/Madrid"),
    ("tipos_solo_arm", ["fw", " Tap ", "FW"], frozenset({"FW", "TAP"})),
    ("tipos_solo_arm", [], frozenset()),
    ("turnos", [NIGHT], (Shift("Noche", (1, 5), "23:00", "07:00"),)),
    ("turnos", [], ()),
    ("webhook_conflictos", "https://mensajes.example/s/abc", "https://mensajes.example/s/abc"),
    ("webhook_conflictos", "", ""),
    ("foto_en_rechazo", True, True),
    ("google_sheet", SHEET, SHEET),
    ("google_sheet", f"https://docs.google.com/spreadsheets/d/{SHEET}/edit?gid=0#gid=0", SHEET),
    ("google_sheet", f"https://docs.google.com/spreadsheets/u/1/d/{SHEET}", SHEET),
    ("google_sheet", "", ""),
    ("calificacion", "exigir", QualificationCheck.EXIGIR),
    ("calificacion", "", None),
    ("limites_atraso", HOURS, OverdueLimits(OperationHours(1, 2, 0), OperationHours(3, 8_760, 5), 0)),
]
WRONG: list[tuple[str, Any]] = [
    ("nombre_taller", "x" * 81),
    ("nombre_taller", "a\nb"),
    ("nombre_taller", None),
    ("zona_horaria", "Marte/Olympus"),
    ("zona_horaria", "../../etc/passwd"),
    ("zona_horaria", "America"),
    ("zona_horaria", ""),
    ("tipos_solo_arm", "FW"),
    ("tipos_solo_arm", ["F W"]),
    ("tipos_solo_arm", ["FW,BR"]),
    ("tipos_solo_arm", [""]),
    ("tipos_solo_arm", [7]),
    ("tipos_solo_arm", [f"T{n}" for n in range(TYPES_MAX + 1)]),
    ("turnos", {}),
    ("turnos", ["Noche"]),
    ("turnos", [{**NIGHT, "nombre": " "}]),
    ("turnos", [{**NIGHT, "dias": []}]),
    ("turnos", [{**NIGHT, "dias": [0]}]),
    ("turnos", [{**NIGHT, "dias": [8]}]),
    ("turnos", [{**NIGHT, "dias": [True]}]),
    ("turnos", [{**NIGHT, "desde": "7:00"}]),
    ("turnos", [{**NIGHT, "desde": "24:00"}]),
    ("turnos", [{**NIGHT, "desde": "07:60"}]),
    ("turnos", [{**NIGHT, "hasta": "23:00"}]),
    ("turnos", [{**NIGHT, "color": "rojo"}]),
    ("turnos", [NIGHT, {**NIGHT, "nombre": "NOCHE"}]),
    ("turnos", [{**NIGHT, "nombre": f"T{n}"} for n in range(SHIFTS_MAX + 1)]),
    ("webhook_conflictos", "ftp://mensajes.example/"),
    ("webhook_conflictos", "mensajes.example"),
    ("webhook_conflictos", "https://"),
    ("foto_en_rechazo", "sí"),
    ("foto_en_rechazo", 1),
    ("google_sheet", "https://example.com/otra"),
    ("google_sheet", "una planilla"),
    ("calificacion", "siempre"),
    ("calificacion", None),
    ("limites_atraso", 12),
    ("limites_atraso", {}),
    ("limites_atraso", {**HOURS, "espera": 1}),
    ("limites_atraso", {**HOURS, "inspeccion": -1}),
    ("limites_atraso", {**HOURS, "inspeccion": 8_761}),
    ("limites_atraso", {**HOURS, "inspeccion": 1.5}),
    ("limites_atraso", {**HOURS, "inspeccion": True}),
    ("limites_atraso", {**HOURS, "ocupado": {"ARM": 1, "SOLD": 2}}),
    ("limites_atraso", {**HOURS, "pausado": {"ARM": 1, "SOLD": 2, "REPARACION": "3"}}),
]


@pytest.mark.parametrize(("name", "value", "kept"), RIGHT)
def test_a_setting_is_read_as_people_write_it(name: str, value: Any, kept: Any) -> None:
    after = changed(ShopSettings(), {name: value})
    assert getattr(after, SETTINGS[name].field) == kept
    assert changed(ShopSettings(), after.to_json()) == after, "what is stored is read again as the same"


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_wrong_setting_is_refused_with_its_name(name: str, value: Any) -> None:
    with pytest.raises(NotValid) as refused:
        changed(ShopSettings(), {name: value})
    (error,) = refused.value.context["errors"]
    assert error["campo"] == name
    assert error["motivo"].endswith(".")


def test_every_wrong_setting_is_named_at_once() -> None:
    with pytest.raises(NotValid) as refused:
        changed(ShopSettings(), {"zona_horaria": "Marte", "nada": 1, "nombre_taller": "Taller", "turnos": 5})
    assert [error["campo"] for error in refused.value.context["errors"]] == ["zona_horaria", "nada", "turnos"]


def test_what_the_machine_gives_wins_and_is_fixed() -> None:
    stored = changed(ShopSettings(), {"zona_horaria": "Europe/Madrid", "tipos_solo_arm": ["BR"], "google_sheet": SHEET})
    machine = Settings(timezone="Europe/Lisbon", arm_only_types=frozenset(), conflict_webhook="", google_sheet_id="")
    assert fixed_by_machine(machine) == ["zona_horaria", "tipos_solo_arm"], "an empty address is as good as none"
    current = in_force(machine, stored)
    assert (current.timezone, current.arm_only_types, current.google_sheet) == ("Europe/Lisbon", frozenset(), SHEET)
    require_not_fixed(machine, ["nombre_taller", "google_sheet"])
    with pytest.raises(SettingFixed, match="CARRETE_ARM_ONLY_TYPES"):
        require_not_fixed(machine, ["nombre_taller", "tipos_solo_arm"])


def test_without_the_machine_the_shop_decides() -> None:
    stored = changed(ShopSettings(), {"zona_horaria": "Europe/Madrid", "tipos_solo_arm": ["BR"], "turnos": [NIGHT]})
    machine = Settings(access="open")
    assert fixed_by_machine(machine) == []
    shop = shop_of(machine, in_force(machine, stored))
    assert (shop.zone.key, shop.arm_only_types, shop.confirmed_roles_only) == (
        "Europe/Madrid",
        frozenset({"BR"}),
        False,
    )
    assert [shift.name for shift in shop.shifts] == ["Noche"]


def test_a_traceback_or_log_line_never_shows_the_path_of_the_webhook() -> None:
    assert "s3cr3t-path" not in repr(changed(ShopSettings(), {"webhook_conflictos": "https://h.example/s3cr3t-path"}))
