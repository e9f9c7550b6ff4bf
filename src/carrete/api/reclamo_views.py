"""Reclamos as JSON: what was claimed, whether it can be registered now and why not, and what was decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from carrete.domain.change import Change
from carrete.domain.commands import WorkItem
from carrete.domain.events import EventoTipo
from carrete.domain.joints import Joint, inches
from carrete.domain.late_work import with_open_joints
from carrete.domain.reclamo import Reclamo, obstacles
from carrete.domain.shop import Shop
from carrete.domain.shop_time import iso
from carrete.domain.spool import Spool
from carrete.domain.workers import Worker
from carrete.ledger import queries
from carrete.ledger.database import Tx
from carrete.ledger.store import joints_of_many, workers_known


def reclamos_json(tx: Tx, found: Sequence[Reclamo], shop: Shop) -> list[dict[str, Any]]:
    """Each with the spool as it is now."""
    tags = {each.tag for each in found}
    joints = joints_of_many(tx, tags) if tags else {}
    spools = {tag: queries.spool(tx, tag) for tag in tags}
    people = workers_known(tx, {each.worker_id for each in found}, shop.confirmed_roles_only) if found else {}
    return [_one(each, spools[each.tag], joints.get(each.tag, []), people, shop) for each in found]


def _one(
    reclamo: Reclamo, spool: Spool | None, joints: Sequence[Joint], people: Mapping[int, Worker], shop: Shop
) -> dict[str, Any]:
    held = spool.occupation if spool else None
    resolution = reclamo.resolution
    present = {joint.n_union: joint for joint in joints}
    body: dict[str, Any] = {
        "id": reclamo.id,
        "tag_spool": reclamo.tag,
        "worker": reclamo.worker,
        "worker_id": reclamo.worker_id,
        "estado": "resuelto" if resolution else "pendiente",
        "recibido_en": iso(reclamo.received_at, shop.zone),
        "pasos": list(reclamo.steps),
        "paso": reclamo.step,
        "code": reclamo.code,
        "detail": reclamo.detail,
        "ocupado_por": held.label if held else None,
        "resolucion": None,
    }
    if resolution is None:
        claimant = people.get(reclamo.worker_id)
        offered = with_open_joints(reclamo.work, spool, joints, shop)
        why = _obstacles(offered, reclamo, spool, joints, claimant, shop)
        return {**body, "trabajo": [_item(item, present, why.get(item), None) for item in offered]}
    work = tuple(dict.fromkeys((*reclamo.work, *resolution.accepted)))
    accepted = [item for item in work if item in resolution.accepted]
    body["trabajo"] = [_item(item, present, None, item in resolution.accepted) for item in work]
    body["resolucion"] = {
        "en": iso(resolution.at, shop.zone),
        "por": resolution.supervisor,
        "por_id": resolution.supervisor_id,
        "dia": resolution.dia.isoformat(),
        "motivo": resolution.motivo,
        "aceptados": len(accepted),
        "pulgadas": inches(sum(_milli(item, present) for item in accepted)),
    }
    return body


def _obstacles(
    offered: Sequence[WorkItem],
    reclamo: Reclamo,
    spool: Spool | None,
    joints: Sequence[Joint],
    claimant: Worker | None,
    shop: Shop,
) -> dict[WorkItem, str]:
    if claimant is None:
        return dict.fromkeys(offered, f"No existe el trabajador {reclamo.worker_id}.")
    return obstacles(offered, reclamo, spool, joints, claimant, shop)


def _item(item: WorkItem, joints: Mapping[int, Joint], why: str | None, accepted: bool | None) -> dict[str, Any]:
    joint = joints.get(item.n_union) if item.n_union is not None else None
    return {
        "operacion": item.operacion,
        "n_union": item.n_union,
        "dn_union": inches(joint.dn_milli) if joint and joint.dn_milli is not None else None,
        "tipo_union": joint.tipo if joint else None,
        "aceptable": accepted is None and why is None,
        "motivo": why,
        "aceptado": accepted,
    }


def _milli(item: WorkItem, joints: Mapping[int, Joint]) -> int:
    joint = joints.get(item.n_union) if item.n_union is not None else None
    return (joint.dn_milli or 0) if joint else 0


def resolved_figures(change: Change) -> dict[str, Any]:
    """How much was registered. A joint accepted as armed and as welded counts for both."""
    late = [event for event in change.events if event.tipo is EventoTipo.REGISTRO_TARDIO]
    milli = {joint.n_union: joint.dn_milli or 0 for joint in change.joints}
    return {
        "aceptados": len(late),
        "pulgadas": inches(sum(milli[event.n_union] for event in late if event.n_union is not None)),
        "metrologia_triggered": any(event.tipo is EventoTipo.METROLOGIA_AUTO_TRIGGERED for event in change.events),
    }
