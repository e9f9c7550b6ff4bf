"""Between the domain's dataclasses and the ledger's rows. Knows the order of columns, decides nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Any, NamedTuple

from carrete.domain.decide import inspectable, takeable
from carrete.domain.events import Event, EventoTipo
from carrete.domain.joints import Joint, JointCounts
from carrete.domain.spool import Before, Estado, Metrologia, Occupation, Operacion, Reparacion, Spool
from carrete.domain.version import workflow
from carrete.domain.workers import Rol, Worker, folded
from carrete.ledger.database import Row

_ESTADO = {e.value: e for e in Estado}
_METROLOGIA = {e.value: e for e in Metrologia}
_REPARACION = {e.value: e for e in Reparacion}
_OPERACION = {e.value: e for e in Operacion}
_TIPO = {e.value: e for e in EventoTipo}


@lru_cache(maxsize=1024)
def instant_text(instant: datetime) -> str:
    """Always the same width and offset, so that text order is time order."""
    return instant.astimezone(UTC).isoformat(timespec="seconds")


def _text(value: date | datetime | None) -> str | None:
    if value is None:
        return None
    return instant_text(value) if isinstance(value, datetime) else value.isoformat()


@lru_cache(maxsize=4096)
def _date(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def _instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def spool_from(row: Row) -> Spool:
    held = None
    if row[17] is not None:
        before = Before(row[22], row[23])
        since = datetime.fromisoformat(row[20])
        held = Occupation(row[17], row[18], _OPERACION[row[19]], since, row[21], before)
    return Spool(
        row[0],
        row[1],
        row[2],
        row[3],
        row[4],
        row[5],
        _date(row[6]),
        _date(row[7]),
        _date(row[8]),
        _date(row[9]),
        row[10],
        row[11],
        _ESTADO[row[12]],
        _ESTADO[row[13]],
        _METROLOGIA[row[14]],
        _REPARACION[row[15]],
        row[16],
        held,
        JointCounts(*row[24:31]),
        bool(row[31]),
    )


def spool_row(spool: Spool) -> dict[str, Any]:
    held = spool.occupation
    counts = spool.counts
    free_for = takeable(spool)
    return {
        "tag": spool.tag,
        "version": spool.version,
        "ot": spool.ot,
        "nv": spool.nv,
        "total_uniones": spool.total_uniones,
        "total_uniones_text": spool.total_uniones_text,
        "fecha_materiales": _text(spool.fecha_materiales),
        "fecha_armado": _text(spool.fecha_armado),
        "fecha_soldadura": _text(spool.fecha_soldadura),
        "fecha_qc": _text(spool.fecha_qc),
        "armador": spool.armador,
        "soldador": spool.soldador,
        "arm": spool.arm.value,
        "sold": spool.sold.value,
        "metrologia": spool.metrologia.value,
        "reparacion": spool.reparacion.value,
        "ciclo": spool.ciclo,
        "ocupado_por_id": held.worker_id if held else None,
        "ocupado_por": held.label if held else None,
        "operacion_actual": held.operacion.value if held else None,
        "fecha_ocupacion": instant_text(held.since) if held else None,
        "lock_value": held.lock if held else None,
        "before_estado": held.before.estado if held else None,
        "before_nombre": held.before.nombre if held else None,
        "joint_rows": counts.rows,
        "arm_only": counts.arm_only,
        "armed": counts.armed,
        "welded": counts.welded,
        "weldable": counts.weldable,
        "milli_armed": counts.milli_armed,
        "milli_welded": counts.milli_welded,
        "retired": int(spool.retired),
        "workflow": workflow(spool).value,
        "take_arm": int(Operacion.ARM in free_for),
        "take_sold": int(Operacion.SOLD in free_for),
        "take_rep": int(Operacion.REPARACION in free_for),
        "inspectable": int(inspectable(spool)),
        "search": search_text(spool),
    }


def search_text(spool: Spool) -> str:
    """Tag, OT and NV as people search them; the separator is nothing they can type. Never empty."""
    return "\x1f" + folded("\x1f".join((spool.tag, spool.ot or "", spool.nv or "")))


def joint_from(row: Row) -> Joint:
    return Joint(
        tag=row[0],
        n_union=row[1],
        id=row[2],
        ot=row[3],
        dn_milli=row[4],
        dn_text=row[5],
        tipo=row[6],
        arm_inicio=_instant(row[7]),
        arm_fin=_instant(row[8]),
        arm_worker=row[9],
        sol_inicio=_instant(row[10]),
        sol_fin=_instant(row[11]),
        sol_worker=row[12],
        ndt_union=row[13],
        r_ndt_union=row[14],
        ndt_fecha=row[15],
        ndt_status=row[16],
        version=row[17],
        retired=bool(row[18]),
    )


def joint_row(joint: Joint) -> dict[str, Any]:
    return {
        "tag": joint.tag,
        "n_union": joint.n_union,
        "id": joint.id,
        "ot": joint.ot,
        "dn_milli": joint.dn_milli,
        "dn_text": joint.dn_text,
        "tipo": joint.tipo,
        "arm_inicio": _text(joint.arm_inicio),
        "arm_fin": _text(joint.arm_fin),
        "arm_worker": joint.arm_worker,
        "sol_inicio": _text(joint.sol_inicio),
        "sol_fin": _text(joint.sol_fin),
        "sol_worker": joint.sol_worker,
        "ndt_union": joint.ndt_union,
        "r_ndt_union": joint.r_ndt_union,
        "ndt_fecha": joint.ndt_fecha,
        "ndt_status": joint.ndt_status,
        "version": joint.version,
        "retired": int(joint.retired),
    }


def worker_from(row: Row) -> Worker:
    return Worker(row[0], row[1], row[2], bool(row[3]), _roles(row[4]))


@lru_cache(maxsize=256)
def _roles(names: str | None) -> frozenset[Rol]:
    return frozenset(Rol(name) for name in names.split(",")) if names else frozenset()


class StoredEvent(NamedTuple):
    """An event with its place in the trail and the spool as it left it. A history has thousands: a tuple costs
    a fifth of an object."""

    seq: int
    id: str
    tag: str
    event: Event
    ocupado_por: str | None
    estado_detalle: str
    version: str
    workflow: str


def event_row(stored: StoredEvent) -> dict[str, Any]:
    event = stored.event
    return {
        "seq": stored.seq,
        "id": stored.id,
        "at": instant_text(event.at),
        "evento_tipo": event.tipo.value,
        "tag": stored.tag,
        "worker_id": event.worker_id,
        "worker": event.worker,
        "operacion": event.operacion,
        "accion": event.accion,
        "fecha_operacion": _text(event.fecha_operacion),
        "n_union": event.n_union,
        "metadata": _json(event.metadata),
        "ocupado_por": stored.ocupado_por,
        "estado_detalle": stored.estado_detalle,
        "version": stored.version,
        "workflow": stored.workflow,
    }


def event_from(row: Row) -> StoredEvent:
    seq, id_, at, tipo, tag, worker_id, worker, operacion, accion, fecha, n_union, metadata = row[:12]
    event = Event(
        _TIPO[tipo],
        datetime.fromisoformat(at),
        accion,
        operacion,
        worker_id,
        worker,
        _date(fecha),
        n_union,
        json.loads(metadata) if metadata else {},
    )
    return StoredEvent(seq, id_, tag, event, *row[12:])


class TrailEvent(NamedTuple):
    """An event as a history shows it: words as they are stored, because nothing is decided from them."""

    seq: int
    id: str
    evento_tipo: str
    worker: str | None
    worker_id: int | None
    operacion: str | None
    accion: str
    n_union: int | None
    at: datetime
    metadata: Mapping[str, Any]
    ocupado_por: str | None


def trail_event_from(row: Row) -> TrailEvent:
    seq, id_, tipo, worker, worker_id, operacion, accion, n_union, at, metadata, holder = row
    said = _said(metadata) if metadata else _NOTHING_SAID
    return TrailEvent(seq, id_, tipo, worker, worker_id, operacion, accion, n_union, _moment(at), said, holder)


_NOTHING_SAID: Mapping[str, Any] = {}


@lru_cache(maxsize=4096)
def _moment(text: str) -> datetime:
    """The same object for the same text: whoever shows it finds its wall time again without working out its hash."""
    return datetime.fromisoformat(text)


@lru_cache(maxsize=512)
def _said(metadata: str) -> Mapping[str, Any]:
    """Shared by all who ask, so nobody may change it. Most events say what another has said."""
    said: dict[str, Any] = json.loads(metadata)
    return said


def _json(metadata: Mapping[str, Any]) -> str | None:
    return json.dumps(metadata, ensure_ascii=False, sort_keys=True) if metadata else None
