"""Reads a dossier's facts from the ledger, all of them in one consistent read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from carrete.domain.joints import Joint
from carrete.domain.refusals import SpoolUnknown
from carrete.domain.shop import Shop
from carrete.domain.shop_time import iso, wall
from carrete.domain.spool import Spool
from carrete.domain.version import workflow
from carrete.domain.workers import Worker, labelled_id
from carrete.dossier.choice import DossierChoice, chosen_tags
from carrete.dossier.facts import (
    DossierFacts,
    DrawingFacts,
    LastEvent,
    MarkFacts,
    PersonFacts,
    SpoolFacts,
    WeldFacts,
)
from carrete.dossier.refusals import DossierTooLarge
from carrete.dossier.spool_events import SpoolEvents
from carrete.dossier.weld_record import (
    DossierWeldRecord,
    SpoolExaminations,
    milli_text,
    typed_examinations,
    welded_with,
)
from carrete.ledger import queries
from carrete.ledger.database import Tx
from carrete.ledger.drawings import drawing_of

JOINTS_MAX = 2_000
PHOTOS_MAX = 60  # of the whole dossier
_WORKS = ("ARM", "SOLD", "NDT", "METROLOGIA")


@dataclass(frozen=True, slots=True)
class _FactsReader:
    tx: Tx
    shop: Shop
    record: DossierWeldRecord

    def day(self, instant: datetime | None) -> str:
        """The day in the shop."""
        return wall(instant, self.shop.zone).date().isoformat() if instant else ""


def gather(tx: Tx, choice: DossierChoice, shop_name: str, shop: Shop) -> DossierFacts:
    """`shop_name` is what stands on the cover. Raises the Refusal for an unknown spool and for too many of them."""
    tags = chosen_tags(tx, choice)
    reading = _FactsReader(tx, shop, DossierWeldRecord(tx, tags, shop))
    spools: list[SpoolFacts] = []
    joints = photos = 0
    for tag in tags:
        made = _spool(reading, tag, PHOTOS_MAX - photos if choice.with_photos else None)
        joints, photos = joints + len(made.welds), photos + len(made.photos)
        if joints > JOINTS_MAX:
            raise DossierTooLarge(f"Son más de {JOINTS_MAX} uniones. Elija menos spools para cada dossier.")
        spools.append(made)
    return DossierFacts(
        shop=shop_name,
        scope=choice.scope,
        scope_name=choice.scope_name,
        last_event=_last_event(reading, spools),
        spools=tuple(spools),
        people=_people(tx, spools),
        procedures=reading.record.procedures(),
        qualifications=reading.record.qualifications(),
        with_photos=choice.with_photos,
    )


def _spool(reading: _FactsReader, tag: str, photos_max: int | None) -> SpoolFacts:
    """`photos_max` is None for a dossier without photos."""
    spool = queries.spool(reading.tx, tag)
    if spool is None:
        raise SpoolUnknown(tag)
    joints = [joint for joint in queries.joints_of(reading.tx, tag) if not joint.retired]
    examined = reading.record.of_spool(tag)
    events = SpoolEvents(reading.tx, tag, reading.shop)
    photos = [] if photos_max is None else [*events.photos(), *examined.photos()]
    kept = photos[: photos_max or 0]
    is_whole = workflow(spool).value == "v3.0"
    state = _state(spool)
    welds = () if is_whole else tuple(_weld(reading, joint, examined, events) for joint in joints)
    if not welds:
        reading.record.whole_spool(state["welder"], state["welded_on"])
    return SpoolFacts(
        tag=tag,
        ot=spool.ot or "",
        nv=spool.nv or "",
        workflow=workflow(spool).value,
        **state,
        last_seq=queries.trail_end(reading.tx, tag),
        welds=welds,
        examinations=examined.examinations(0),
        repairs=examined.repairs(0),
        inspections=events.inspections(),
        corrections=events.corrections(),
        corrections_left_out=events.corrections_left_out(),
        drawing=_drawing(reading, tag),
        photos=tuple(kept),
        photos_left_out=len(photos) - len(kept),
    )


def _state(spool: Spool) -> dict[str, str]:
    days = {
        "materials_on": spool.fecha_materiales,
        "fitted_on": spool.fecha_armado,
        "welded_on": spool.fecha_soldadura,
        "approved_on": spool.fecha_qc,
    }
    return {
        "arm": spool.arm.value,
        "sold": spool.sold.value,
        "metrologia": spool.metrologia.value,
        "fitter": spool.armador or "",
        "welder": spool.soldador or "",
        **{name: day.isoformat() if day else "" for name, day in days.items()},
    }


def _weld(reading: _FactsReader, joint: Joint, examined: SpoolExaminations, events: SpoolEvents) -> WeldFacts:
    needs_welding = reading.shop.needs_welding(joint.tipo)
    under, repairs = reading.record.welded_under(joint, examined.repairs(joint.n_union), events)
    return WeldFacts(
        n_union=joint.n_union,
        type=joint.tipo or "",
        dn=milli_text(joint.dn_milli) or joint.dn_text or "",
        **welded_with(joint),
        wps_revision=under.revision,
        fitter=joint.arm_worker or "",
        fitted_on=reading.day(joint.arm_fin),
        welder=joint.sol_worker or "",
        welded_on=reading.day(joint.sol_fin),
        needs_welding=needs_welding,
        repairs=repairs,
        examinations=examined.examinations(joint.n_union) or typed_examinations(joint),
    )


def _drawing(reading: _FactsReader, tag: str) -> DrawingFacts | None:
    saved = drawing_of(reading.tx, tag)
    if saved.drawing_id is None:
        return None
    marks = tuple(MarkFacts(mark.n_union, mark.x, mark.y) for mark in saved.marks)
    return DrawingFacts(
        saved.drawing_id,
        saved.media_type,
        saved.width,
        saved.height,
        saved.revision,
        reading.day(saved.at),
        tuple(sorted(marks, key=lambda mark: mark.n_union)),
    )


def _last_event(reading: _FactsReader, spools: Sequence[SpoolFacts]) -> LastEvent:
    """With its hash, which vouches for the whole trail before it: a dossier is a witness outside (docs/trail.md)."""
    seq = max((spool.last_seq for spool in spools), default=0)
    row = reading.tx.one("dossier_event_at", seq=seq)
    if row is None:
        return LastEvent(seq)
    at, trail_hash = row
    return LastEvent(seq, iso(datetime.fromisoformat(at), reading.shop.zone), trail_hash)


def _people(tx: Tx, spools: Sequence[SpoolFacts]) -> tuple[PersonFacts, ...]:
    """Every person who is named, with their work; a label in the sheet that is no worker's stays without a name."""
    works: dict[str, set[str]] = {}
    for spool in spools:
        for work, label in _done_by(spool):
            if label:
                works.setdefault(label, set()).add(work)
    names = {Worker(id_, *name).label: f"{name[0]} {name[1]}".strip() for id_, *name, _ in tx.all("workers")}
    known = {labelled_id(label): name for label, name in names.items()}
    return tuple(
        PersonFacts(label, known.get(labelled_id(label), ""), tuple(work for work in _WORKS if work in works[label]))
        for label in sorted(works)
    )


def _done_by(spool: SpoolFacts) -> Iterable[tuple[str, str]]:
    yield "ARM", spool.fitter
    yield "SOLD", spool.welder
    for weld in spool.welds:
        yield "ARM", weld.fitter
        yield "SOLD", weld.welder
    repairs = [*spool.repairs, *(repair for weld in spool.welds for repair in weld.repairs)]
    examined = [*spool.examinations, *(each for weld in spool.welds for each in weld.examinations)]
    yield from (("SOLD", repair.welder) for repair in repairs)
    yield from (("NDT", each.examiner) for each in examined)
    yield from (("METROLOGIA", each.by) for each in spool.inspections if each.event.startswith("METROLOGIA"))
