"""The row of a spool, a joint or an event, in normal form: what is compared, exported and stored as a base."""

from __future__ import annotations

import json
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from zoneinfo import ZoneInfo

from carrete.domain import estado_detalle
from carrete.domain.events import EventoTipo
from carrete.domain.joints import Joint
from carrete.domain.notes import metadata_for_sheet
from carrete.domain.shop_time import wall
from carrete.domain.spool import Spool
from carrete.ledger.rows import StoredEvent
from carrete.workbook.columns import HASH, N_UNION, TAG

Cells = dict[str, str]


def spool_cells(spool: Spool, zone: ZoneInfo) -> Cells:
    """Without key and token, which identify the row."""
    held = spool.occupation
    counts = spool.counts
    shown = bool(counts.rows or spool.total_uniones)
    return {
        "OT": spool.ot or "",
        "NV": spool.nv or "",
        "Fecha_Materiales": _day(spool.fecha_materiales),
        "Fecha_Armado": _day(spool.fecha_armado),
        "Armador": spool.armador or "",
        "Fecha_Soldadura": _day(spool.fecha_soldadura),
        "Soldador": spool.soldador or "",
        "Fecha_QC_Metrología": _day(spool.fecha_qc),
        "Ocupado_Por": held.label if held else "",
        "Fecha_Ocupacion": local(held.since, zone) if held else "",
        "Estado_Detalle": estado_detalle.render(spool),
        "Total_Uniones": spool.total_uniones_text or _count(spool.total_uniones),
        "Uniones_ARM_Completadas": str(counts.armed) if shown else "",
        "Uniones_SOLD_Completadas": str(counts.welded) if shown else "",
        "Pulgadas_ARM": milli_text(counts.milli_armed) if shown else "",
        "Pulgadas_SOLD": milli_text(counts.milli_welded) if shown else "",
    }


def joint_cells(joint: Joint, zone: ZoneInfo) -> Cells:
    return {
        "ID": joint.id or "",
        "OT": joint.ot or "",
        "DN_UNION": joint.dn_text or ("" if joint.dn_milli is None else milli_text(joint.dn_milli)),
        "TIPO_UNION": joint.tipo or "",
        "ARM_FECHA_INICIO": local(joint.arm_inicio, zone),
        "ARM_FECHA_FIN": local(joint.arm_fin, zone),
        "ARM_WORKER": joint.arm_worker or "",
        "SOL_FECHA_INICIO": local(joint.sol_inicio, zone),
        "SOL_FECHA_FIN": local(joint.sol_fin, zone),
        "SOL_WORKER": joint.sol_worker or "",
        "NDT_UNION": joint.ndt_union or "",
        "R_NDT_UNION": joint.r_ndt_union or "",
        "NDT_FECHA": joint.ndt_fecha or "",
        "NDT_STATUS": joint.ndt_status or "",
        "WPS": joint.wps or "",
        "Espesor": joint.espesor_text or ("" if joint.espesor_milli is None else milli_text(joint.espesor_milli)),
        "Material": joint.material or "",
        "Posicion": joint.posicion or "",
        "Colada_1": joint.colada_1 or "",
        "Colada_2": joint.colada_2 or "",
    }


def event_cells(stored: StoredEvent, zone: ZoneInfo) -> Cells:
    event = stored.event
    metadata = metadata_for_sheet(event.metadata) if event.tipo is EventoTipo.NOTA else event.metadata
    return {
        "ID": stored.id,
        "Timestamp": local(event.at, zone),
        "Evento_Tipo": event.tipo.value,
        TAG: stored.tag,
        "Worker_ID": str(event.worker_id or ""),
        "Worker_Nombre": event.worker or "",
        "Operacion": event.operacion or "",
        "Accion": event.accion,
        "Fecha_Operacion": event.fecha_operacion.isoformat() if event.fecha_operacion else "",
        "Metadata_JSON": json.dumps(metadata, ensure_ascii=False, sort_keys=True) if metadata else "",
        N_UNION: str(event.n_union or ""),
        HASH: f"{stored.seq}.{stored.hash}" if stored.hash else "",
    }


def local(instant: datetime | None, zone: ZoneInfo) -> str:
    return wall(instant, zone).replace(tzinfo=None).isoformat() if instant else ""


@lru_cache(maxsize=4096)
def milli_text(milli: int) -> str:
    return format(Decimal(milli).scaleb(-3).normalize(), "f") if milli else "0"


def _day(day: date | None) -> str:
    return day.isoformat() if day else ""


def _count(total: int | None) -> str:
    return "" if total is None else str(total)
