"""The columns of the tables `spool`, `joint` and `event`, each listed once.

The column lists of `statements.sql` and the mapping between rows and dataclasses in `rows.py` are made from these
lists, once at import. A new column is a migration, a field of the dataclass and one line here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from operator import attrgetter
from typing import Any, NamedTuple

from carrete.domain.decide import inspectable, takeable
from carrete.domain.ndt.examination import ExamStatus, Origin
from carrete.domain.spool import ARM, REPARACION, SOLD, Ensayos, Estado, Metrologia, Operacion, Reparacion, Spool
from carrete.domain.trail.canonical import FIELDS
from carrete.domain.version import workflow
from carrete.domain.workers import folded
from carrete.ledger.values import (
    date_from,
    date_text,
    instant_or_none_from,
    instant_or_none_text,
    instant_text,
)


class Conversion(NamedTuple):
    """How a field is stored: `write` makes the column's value from the field's, `read` makes the field's from it."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def _enum(members: Iterable[StrEnum]) -> Conversion:
    return Conversion(str, {member.value: member for member in members}.__getitem__)


DATE = Conversion(date_text, date_from)
INSTANT = Conversion(instant_text, datetime.fromisoformat)
INSTANT_OR_NONE = Conversion(instant_or_none_text, instant_or_none_from)
FLAG = Conversion(int, bool)
WORDS = Conversion(",".join, lambda text: tuple(text.split(",")) if text else ())


class TableColumn(NamedTuple):
    name: str
    conversion: Conversion | None = None  # None: the column has the field's own value
    field: str = ""  # of the dataclass, where it is not called like the column


class Columns:
    """Consecutive columns of a table that hold the fields of one dataclass."""

    def __init__(self, *columns: TableColumn) -> None:
        self.names = tuple(column.name for column in columns)
        self.fields = tuple(column.field or column.name for column in columns)
        self._field_values = attrgetter(*self.fields)
        self._writes = [(index, column.conversion.write) for index, column in enumerate(columns) if column.conversion]
        self._reads = [(index, column.conversion.read) for index, column in enumerate(columns) if column.conversion]

    def write(self, instance: object) -> list[Any]:
        """The value of each column, made from the fields of the dataclass."""
        values = list(self._field_values(instance))
        for index, write in self._writes:
            values[index] = write(values[index])
        return values

    def read(self, row: Sequence[Any]) -> list[Any]:
        """The value of each field, made from these columns of a row."""
        values = list(row)
        for index, read in self._reads:
            values[index] = read(values[index])
        return values


_SPOOL_COLUMNS = (
    TableColumn("tag"),
    TableColumn("version"),
    TableColumn("ot"),
    TableColumn("nv"),
    TableColumn("total_uniones"),
    TableColumn("total_uniones_text"),
    TableColumn("fecha_materiales", DATE),
    TableColumn("fecha_armado", DATE),
    TableColumn("fecha_soldadura", DATE),
    TableColumn("fecha_qc", DATE),
    TableColumn("armador"),
    TableColumn("soldador"),
    TableColumn("arm", _enum(Estado)),
    TableColumn("sold", _enum(Estado)),
    TableColumn("metrologia", _enum(Metrologia)),
    TableColumn("reparacion", _enum(Reparacion)),
    TableColumn("ciclo"),
    TableColumn("retired", FLAG),
    TableColumn("stage"),
    TableColumn("stage_since", INSTANT_OR_NONE),
    TableColumn("begun_at", INSTANT_OR_NONE),
    TableColumn("ndt", _enum(Ensayos)),
)
# Only the workbook changes these, so an action need not write them. SQLite renews each index that has one of the
# written columns: with these, the update of a spool and its part of the commit cost a quarter more.
_DELIVERED = ("ot", "nv", "total_uniones", "total_uniones_text", "fecha_materiales", "retired")
SPOOL_FIELDS = Columns(*_SPOOL_COLUMNS)
delivered_values = attrgetter(*_DELIVERED)
WORK_FIELDS = Columns(*(column for column in _SPOOL_COLUMNS if column.name not in _DELIVERED))
# What taking a spool and letting it go change, besides its occupation. Many taps change nothing else.
_HOLDER = ("tag", "version", "armador", "soldador", "arm", "sold", "stage", "stage_since")
HOLDER_FIELDS = Columns(*(column for column in _SPOOL_COLUMNS if column.name in _HOLDER))
other_work_values = attrgetter("counts", *(name for name in WORK_FIELDS.names if name not in _HOLDER))
OCCUPATION = Columns(  # all of them are NULL while nobody holds the spool
    TableColumn("ocupado_por_id", field="worker_id"),
    TableColumn("ocupado_por", field="label"),
    TableColumn("operacion_actual", _enum(Operacion), "operacion"),
    TableColumn("fecha_ocupacion", INSTANT, "since"),
    TableColumn("lock_value", field="lock"),
    TableColumn("before_estado", field="before.estado"),
    TableColumn("before_nombre", field="before.nombre"),
)
JOINT_COUNTS = Columns(
    TableColumn("joint_rows", field="rows"),
    TableColumn("arm_only"),
    TableColumn("armed"),
    TableColumn("welded"),
    TableColumn("weldable"),
    TableColumn("milli_armed"),
    TableColumn("milli_welded"),
)
_JOINT_COLUMNS = (
    TableColumn("tag"),
    TableColumn("n_union"),
    TableColumn("id"),
    TableColumn("ot"),
    TableColumn("dn_milli"),
    TableColumn("dn_text"),
    TableColumn("tipo"),
    TableColumn("arm_inicio", INSTANT_OR_NONE),
    TableColumn("arm_fin", INSTANT_OR_NONE),
    TableColumn("arm_worker"),
    TableColumn("sol_inicio", INSTANT_OR_NONE),
    TableColumn("sol_fin", INSTANT_OR_NONE),
    TableColumn("sol_worker"),
    TableColumn("ndt_union"),
    TableColumn("r_ndt_union"),
    TableColumn("ndt_fecha"),
    TableColumn("ndt_status"),
    TableColumn("wps"),
    TableColumn("espesor_milli"),
    TableColumn("espesor_text"),
    TableColumn("material"),
    TableColumn("posicion"),
    TableColumn("colada_1"),
    TableColumn("colada_2"),
    TableColumn("version"),
    TableColumn("retired", FLAG),
)
_JOINT_DELIVERED = (
    *("id", "ot", "dn_milli", "dn_text", "tipo", "espesor_milli", "espesor_text", "material", "posicion", "retired"),
)
JOINT = Columns(*_JOINT_COLUMNS)
delivered_joint_values = attrgetter(*_JOINT_DELIVERED)
JOINT_PROGRESS = Columns(*(column for column in _JOINT_COLUMNS if column.name not in _JOINT_DELIVERED))
WORK_FILTERS = ("take_arm", "take_sold", "take_rep", "inspectable")
DELIVERED_FILTERS = ("workflow", "search")


def work_filters(spool: Spool) -> tuple[Any, ...]:
    """The values of WORK_FILTERS: derived columns that lists are filtered by. They are written and never read back."""
    free_for = takeable(spool)
    return (int(ARM in free_for), int(SOLD in free_for), int(REPARACION in free_for), int(inspectable(spool)))


def delivered_filters(spool: Spool) -> tuple[str, str]:
    """The values of DELIVERED_FILTERS: they depend on nothing that an action changes."""
    return str(workflow(spool)), search_text(spool)


def search_text(spool: Spool) -> str:
    """Tag, OT and NV as people search them; the separator is a character that nobody can type. Never empty."""
    return "\x1f" + folded("\x1f".join((spool.tag, spool.ot or "", spool.nv or "")))


SPOOL_READ = SPOOL_FIELDS.names + OCCUPATION.names + JOINT_COUNTS.names
SPOOL_WRITTEN = SPOOL_READ + WORK_FILTERS + DELIVERED_FILTERS
SPOOL_HOLDER_WRITTEN = HOLDER_FIELDS.names + OCCUPATION.names
SPOOL_WORK_WRITTEN = WORK_FIELDS.names + OCCUPATION.names + JOINT_COUNTS.names + WORK_FILTERS
EVENT = FIELDS  # the columns of an event that its hash covers
EVENT_WRITTEN = (*EVENT, "stage_ended", "stage_s", "hash")  # for stage times and checks: no other reader asks for them
RECLAMO = (
    *("n", "id", "origin_key", "tag", "worker_id", "worker", "work", "steps", "step", "code", "detail", "via"),
    *("received_at", "resolved_at", "supervisor_id", "supervisor", "day", "reason", "accepted", "seen_at"),
)
RELEVO = (
    *("id", "tag", "lock_value", "version", "giver_id", "giver", "receiver_id", "receiver", "operacion", "offered_at"),
    *("ended_at", "ended_how"),
)
_SCOPE = ("p_numeros", "f_numeros", "espesor_min", "espesor_max", "dn_min", "dn_max", "posiciones")
WPS = ("wps", "procesos", *_SCOPE, "revision", "vigente_desde", "vigente_hasta", "activo")
QUALIFICATION = ("worker_id", "proceso", "documento", *_SCOPE, "fecha", "vence", "ultimo_uso", "activo")
NDT = Columns(
    TableColumn("id"),
    TableColumn("tag"),
    TableColumn("n_union"),
    TableColumn("method"),
    TableColumn("origin", _enum(Origin)),
    TableColumn("requested_at", INSTANT),
    TableColumn("round"),
    TableColumn("rule"),
    TableColumn("seed"),
    TableColumn("ot"),
    TableColumn("welder"),
    TableColumn("process"),
    TableColumn("dn_milli"),
    TableColumn("tipo"),
    TableColumn("requested_by_id"),
    TableColumn("requested_by"),
    TableColumn("status", _enum(ExamStatus)),
    TableColumn("report"),
    TableColumn("examiner_id"),
    TableColumn("examiner"),
    TableColumn("defects", WORDS),
    TableColumn("photos", WORDS),
    TableColumn("result_day", DATE),
    TableColumn("result_at", INSTANT_OR_NONE),
    TableColumn("repaired_by_id"),
    TableColumn("repaired_by"),
    TableColumn("repaired_at", INSTANT_OR_NONE),
    TableColumn("superseded", FLAG),
)
WEBHOOK = (
    *("id", "name", "url", "format", "kinds", "allow_private", "enabled", "stopped", "made_at", "made_by"),
    *("event_seq", "succeeded_at", "failed_at", "failure"),
)
