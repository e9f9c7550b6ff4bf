"""The sheets and columns of a workbook: how each cell is read, and who fills it in.

Columns are found by header at each read: case, blanks, underscores and accents do not matter, order is free.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache

from carrete.domain.workers import folded
from carrete.workbook import cells
from carrete.workbook.cells import Raw, Reader


class Owner(Enum):
    """Who fills a column in. It decides who wins where there is no base that shows who changed a cell."""

    PEOPLE = "people"  # engineering
    FLOOR = "floor"  # the actions of the workers
    OURS = "ours"  # Carrete computes it, no person types it
    PLANNED = "planned"  # engineering, in an optional column: without a base, a blank cell says nothing
    CONFIRMED = "confirmed"  # engineering plans it and the floor confirms it: without a base, the ledger's value stays


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    read: Reader
    owner: Owner = Owner.PEOPLE
    width: int = 14
    optional: bool = False  # its absence is not reported: most shops have no such column


@dataclass(frozen=True, slots=True)
class SheetPlan:
    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]  # the columns that identify a row: without them the sheet cannot be read

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    def without_optional(self) -> SheetPlan:
        return replace(self, columns=tuple(column for column in self.columns if not column.optional))


VERSION = "version"
TAG = "TAG_SPOOL"
N_UNION = "N_UNION"

OPERACIONES = SheetPlan(
    "Operaciones",
    (
        Column(TAG, cells.tag, width=26),
        Column("OT", cells.text),
        Column("NV", cells.text),
        Column("Fecha_Materiales", cells.day),
        Column("Fecha_Armado", cells.day, Owner.FLOOR),
        Column("Armador", cells.text, Owner.FLOOR),
        Column("Fecha_Soldadura", cells.day, Owner.FLOOR),
        Column("Soldador", cells.text, Owner.FLOOR),
        Column("Fecha_QC_Metrología", cells.day, Owner.FLOOR),
        Column("Ocupado_Por", cells.holder, Owner.FLOOR),
        Column("Fecha_Ocupacion", cells.date_time, Owner.FLOOR, width=20),
        Column(VERSION, cells.text, Owner.OURS, width=38),
        Column("Estado_Detalle", cells.text, Owner.OURS, width=48),
        Column("Total_Uniones", cells.number),
        Column("Uniones_ARM_Completadas", cells.number, Owner.OURS),
        Column("Uniones_SOLD_Completadas", cells.number, Owner.OURS),
        Column("Pulgadas_ARM", cells.number, Owner.OURS),
        Column("Pulgadas_SOLD", cells.number, Owner.OURS),
    ),
    key=(TAG,),
)

UNIONES = SheetPlan(
    "Uniones",
    (
        Column("ID", cells.text),
        Column("OT", cells.text),
        Column(N_UNION, cells.whole_number),
        Column(TAG, cells.tag, width=26),
        Column("DN_UNION", cells.number),
        Column("TIPO_UNION", cells.text),
        Column("ARM_FECHA_INICIO", cells.date_time, Owner.FLOOR, width=20),
        Column("ARM_FECHA_FIN", cells.date_time, Owner.FLOOR, width=20),
        Column("ARM_WORKER", cells.text, Owner.FLOOR),
        Column("SOL_FECHA_INICIO", cells.date_time, Owner.FLOOR, width=20),
        Column("SOL_FECHA_FIN", cells.date_time, Owner.FLOOR, width=20),
        Column("SOL_WORKER", cells.text, Owner.FLOOR),
        Column("NDT_UNION", cells.text),
        Column("R_NDT_UNION", cells.text),
        Column("NDT_FECHA", cells.date_time_or_text),
        Column("NDT_STATUS", cells.text),
        Column(VERSION, cells.text, Owner.OURS, width=38),
        Column("WPS", cells.weld_text, Owner.CONFIRMED, optional=True),
        Column("Espesor", cells.number, Owner.PLANNED, optional=True),
        Column("Material", cells.weld_text, Owner.PLANNED, optional=True),
        Column("Posicion", cells.weld_text, Owner.PLANNED, optional=True),
        Column("Colada_1", cells.weld_text, Owner.CONFIRMED, optional=True),
        Column("Colada_2", cells.weld_text, Owner.CONFIRMED, optional=True),
    ),
    key=(TAG, N_UNION),
)

TRABAJADORES = SheetPlan(
    "Trabajadores",
    (
        Column("Id", cells.whole_number),
        Column("Nombre", cells.text, width=20),
        Column("Apellido", cells.text, width=20),
        Column("Activo", cells.yes_or_no),
    ),
    key=("Id",),
)

ROLES = SheetPlan(
    "Roles",
    (Column("Id", cells.whole_number), Column("Rol", cells.text), Column("Activo", cells.yes_or_no)),
    key=("Id", "Rol"),
)

_SCOPE = (
    Column("P_Numeros", cells.text),
    Column("F_Numero", cells.text),
    Column("Espesor_Min", cells.number),
    Column("Espesor_Max", cells.number),
    Column("DN_Min", cells.number),
    Column("DN_Max", cells.number),
    Column("Posiciones", cells.text),
)
_ACTIVE = Column("Activo", cells.yes_or_no, optional=True)

WPS = SheetPlan(
    "WPS",
    (
        Column("WPS", cells.weld_text, width=20),
        Column("Procesos", cells.text),
        *_SCOPE,
        Column("Revision", cells.weld_text),
        Column("Vigente_Desde", cells.day),
        Column("Vigente_Hasta", cells.day),
        _ACTIVE,
    ),
    key=("WPS",),
)

CALIFICACIONES = SheetPlan(
    "Calificaciones",
    (
        Column("Worker_ID", cells.whole_number),
        Column("Proceso", cells.weld_text),
        *_SCOPE,
        Column("Fecha", cells.day),
        Column("Vence", cells.day),
        Column("Ultimo_Uso", cells.day, optional=True),
        Column("Documento", cells.weld_text, width=20),
        _ACTIVE,
    ),
    key=("Worker_ID", "Proceso", "Documento"),
)

HASH = "Hash"  # of an event: seq, hash and, in some rows, a signature, with points between them (docs/trail.md)

METADATA = SheetPlan(
    "Metadata",
    (
        Column("ID", cells.text, width=38),
        Column("Timestamp", cells.date_time, width=20),
        Column("Evento_Tipo", cells.text, width=26),
        Column(TAG, cells.tag, width=26),
        Column("Worker_ID", cells.whole_number),
        Column("Worker_Nombre", cells.text),
        Column("Operacion", cells.text),
        Column("Accion", cells.text),
        Column("Fecha_Operacion", cells.day),
        Column("Metadata_JSON", cells.text, width=48),
        Column(N_UNION, cells.whole_number),
        Column(HASH, cells.text, width=20),
    ),
    key=("ID",),
)

PLANS = (OPERACIONES, UNIONES, TRABAJADORES, ROLES, METADATA)
WELDING = (WPS, CALIFICACIONES)  # optional: most shops have no such sheet
HEADER_SEARCHED_ROWS = 10  # some lines of title may stand above the header


@lru_cache(maxsize=4096)
def comparable_name(name: str) -> str:
    """Two headers, or two names of sheets, are the same when this text is."""
    return "".join(c for c in folded(name) if c.isalnum())


@dataclass(frozen=True, slots=True)
class Header:
    """Where the columns of one sheet are."""

    row: int  # index of the header's own row
    indexes: dict[str, int]  # of the columns, by name
    twice: tuple[str, ...]  # columns that appear more than once
    missing: tuple[str, ...]  # columns of the key that do not appear


def find_header(plan: SheetPlan, rows: Sequence[Sequence[Raw]]) -> Header:
    """The one of the first rows that names most of the plan's columns. A column that it names twice is not used."""
    headers = [_header(plan, index, row) for index, row in enumerate(rows[:HEADER_SEARCHED_ROWS])]
    if not headers:
        return Header(0, {}, (), plan.key)
    return max(headers, key=lambda header: (len(header.indexes) + len(header.twice), -header.row))


def _header(plan: SheetPlan, index: int, row: Sequence[Raw]) -> Header:
    known = {comparable_name(column.name): column.name for column in plan.columns}
    indexes: dict[str, list[int]] = {}
    for column_index, cell in enumerate(row):
        if isinstance(cell, str) and (name := known.get(comparable_name(cell))):
            indexes.setdefault(name, []).append(column_index)
    return Header(
        index,
        {name: found[0] for name, found in indexes.items() if len(found) == 1},
        tuple(name for name, found in indexes.items() if len(found) > 1),
        tuple(name for name in plan.key if name not in indexes),
    )
