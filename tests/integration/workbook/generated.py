"""Workbooks made up at random from a seed: what people type, mistype, copy twice, leave out and send late."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from random import Random
from typing import Any

from tests.integration.workbook.files import MONDAY, PEOPLE, ROLES, Rows

Row = dict[str, Any]
Sheets = dict[str, list[Row]]
TAGS = [f"P-{n}" for n in range(1, 13)]
LABELS = ["MR(93)", "JP(12)", "mr ( 93 )", "DISPONIBLE", "", "XX(99)", "MI(30)", "Juan"]
_UNREADABLE = ["ayer", "31-02-2026", True, "1" * 1_001, "campana\x07"]


def a_day(random: Random) -> Any:
    day = date(2026, 11, 1) + timedelta(days=random.randrange(20))
    return random.choice([day, day.strftime("%d-%m-%Y"), day.isoformat(), "", "ayer", 46_340.0])


def a_moment(random: Random) -> Any:
    moment = datetime(2026, 11, 16, 9) + timedelta(minutes=random.randrange(-3_000, 3_000))  # noqa: DTZ001 - wall clock
    return random.choice([moment, moment.strftime("%d-%m-%Y %H:%M:%S"), "", "ayer"])


SPOOL_CELLS: dict[str, Callable[[Random], Any]] = {
    "OT": lambda r: r.choice(["25238", 25_239.0, "", " 25240 ", "=1+1"]),
    "NV": lambda r: r.choice(["1335", "", "Ñandú"]),
    "Fecha_Materiales": a_day,
    "Fecha_Armado": a_day,
    "Armador": lambda r: r.choice(LABELS),
    "Fecha_Soldadura": a_day,
    "Soldador": lambda r: r.choice(LABELS),
    "Fecha_QC_Metrología": a_day,
    "Ocupado_Por": lambda r: r.choice(LABELS),
    "Fecha_Ocupacion": a_moment,
    "Estado_Detalle": lambda r: r.choice(["", "BLOQUEADO", "RECHAZADO", "otra cosa", "MR(93) trabajando ARM"]),
    "Total_Uniones": lambda r: r.choice([0, 1, 2, 3, "muchas", "", 99_999]),
    "Pulgadas_ARM": lambda r: r.choice([1, "", "2,5"]),
}
JOINT_CELLS: dict[str, Callable[[Random], Any]] = {
    "ID": lambda r: r.choice(["", "u-1"]),
    "DN_UNION": lambda r: r.choice([2, 2.5, '4"', "ancha", ""]),
    "TIPO_UNION": lambda r: r.choice(["BW", "FW", "", "SW"]),
    "ARM_FECHA_INICIO": a_moment,
    "ARM_FECHA_FIN": a_moment,
    "ARM_WORKER": lambda r: r.choice(LABELS),
    "SOL_FECHA_FIN": a_moment,
    "NDT_FECHA": a_day,
    "NDT_STATUS": lambda r: r.choice(["OK", "", "pendiente"]),
    "WPS": lambda r: r.choice(["W-1", "", "W-2"]),
    "Espesor": lambda r: r.choice([6.35, "", "SCH 40"]),
    "Colada_1": lambda r: r.choice(["H1", "", "H" * 200]),
}


def a_workbook(random: Random, exported: Sheets | None) -> dict[str, Rows]:
    """Made by hand, or a file that was exported at some time before and then edited."""
    sheets: Sheets = {name: [dict(row) for row in rows] for name, rows in (exported or {}).items()}
    for name in ("Operaciones", "Uniones"):
        sheets.setdefault(name, [])
    _edit(random, sheets["Operaciones"], SPOOL_CELLS)
    _edit(random, sheets["Uniones"], JOINT_CELLS)
    for tag in random.sample(TAGS, random.randrange(4)):
        sheets["Operaciones"].append({"TAG_SPOOL": tag, **_some(random, SPOOL_CELLS)})
    for tag in random.sample(TAGS, random.randrange(4)):
        sheets["Uniones"].append({"TAG_SPOOL": tag, "N_UNION": random.randrange(1, 4), **_some(random, JOINT_CELLS)})
    _spoil(random, sheets)
    found: dict[str, Rows] = {**sheets}
    if random.random() < 0.6:
        found["Trabajadores"] = [_person(random, row) for row in PEOPLE if random.random() < 0.9]
        found["Roles"] = [_role(random, row) for row in ROLES if random.random() < 0.9]
    if not sheets["Operaciones"]:
        found["Operaciones"] = [{"TAG_SPOOL": random.choice(TAGS)}]
    if random.random() < 0.1:
        del found["Uniones"]
    return found


def _some(random: Random, columns: dict[str, Callable[[Random], Any]]) -> Row:
    return {name: value(random) for name, value in columns.items() if random.random() < 0.5}


def _edit(random: Random, rows: list[Row], columns: dict[str, Callable[[Random], Any]]) -> None:
    for row in rows:
        if random.random() < 0.4:
            name = random.choice(list(columns))
            row[name] = columns[name](random)
        if random.random() < 0.05:
            row["version"] = random.choice(["", "otra"])


def _spoil(random: Random, sheets: Sheets) -> None:
    for rows in sheets.values():
        if rows and random.random() < 0.15:
            rows.append(dict(random.choice(rows)))  # the same key twice
        if rows and random.random() < 0.15:
            random.choice(rows)["TAG_SPOOL"] = random.choice(["", "P-1\u200b", "x" * 200])
        if rows and random.random() < 0.2:
            row = random.choice(rows)
            row[random.choice([name for name in row if name not in ("TAG_SPOOL", "N_UNION")] or ["OT"])] = (
                random.choice(_UNREADABLE[:4])
            )
        if rows and random.random() < 0.2:
            del rows[random.randrange(len(rows))]
        random.shuffle(rows)


def _person(random: Random, row: Any) -> Row:
    spoiled = random.random()
    if spoiled < 0.15:
        return {**row, "Activo": random.choice([False, "quizás", True])}
    if spoiled < 0.3:
        return {**row, "Nombre": random.choice(["", "Otra", "Mauricio"])}
    return dict(row)


def _role(random: Random, row: Any) -> Row:
    if random.random() < 0.2:
        return {**row, "Rol": random.choice(["Armador", "Jefe", "Administrador", "soldador"])}
    return {**row, "Activo": random.random() < 0.8}


def later(minutes: int) -> datetime:
    return MONDAY + timedelta(minutes=minutes)
