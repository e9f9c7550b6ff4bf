"""Reclamos: work that was done and whose registration was refused, because somebody else held the spool, or it was
freed or handed over meanwhile. A supervisor accepts it piece by piece, on the day that it counts on, or declines it.

Accepting never changes the holder. Work that another person registered meanwhile stays theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Any

from carrete.domain import sentences
from carrete.domain.change import Change
from carrete.domain.commands import Completar, Finalizar, JointWeld, Resolver, Step, WorkItem
from carrete.domain.decide import require_role
from carrete.domain.events import Event, EventoTipo
from carrete.domain.joint_work import recompute_keeping_approval, with_weld_data
from carrete.domain.joints import Joint, inches
from carrete.domain.late_work import accepted_twice, checked_late_welds, hindrance, registered_whole, welded_of
from carrete.domain.occupation import queue_events
from carrete.domain.qualification import NO_WELD_RECORD, CheckedWelds, WeldRecord
from carrete.domain.refusals import NotValid, OwnReclamo, ReclamoResolved, WorkerUnknown, WorkNotAcceptable
from carrete.domain.shop import Shop
from carrete.domain.shop_time import from_wall, iso, today
from carrete.domain.spool import Operacion, Spool
from carrete.domain.workers import Worker

DAYS_BACK_MAX = 31  # how long before it arrived a piece of work may count
_NOON = time(12)
_ORDER = {Operacion.ARM: 0, Operacion.SOLD: 1, Operacion.REPARACION: 2}


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a supervisor decided. Work that is not in `accepted` was declined."""

    at: datetime
    supervisor_id: int
    supervisor: str
    dia: date
    motivo: str
    accepted: tuple[WorkItem, ...]


@dataclass(frozen=True, slots=True)
class Reclamo:
    id: str
    tag: str
    worker_id: int
    worker: str
    work: tuple[WorkItem, ...]
    steps: Sequence[Mapping[str, Any]]  # as they were tapped: `accion`, `operacion`, `uniones`, `hecho_en`
    step: int  # the number of the refused one
    code: str
    detail: str
    via: Mapping[str, Any]  # how the refused request came: `via` and `hecho_en` of an event's metadata
    received_at: datetime
    origin_key: str | None = None
    resolution: Resolution | None = None
    seen: bool = False
    n: int = 0  # the order in which reclamos arrived

    def covers(self, item: WorkItem) -> bool:
        """A claim of the operation on the whole spool is a claim of each of its joints: engineering may have listed
        joints since then."""
        return item in self.work or WorkItem(item.operacion) in self.work

    def tapped(self, item: WorkItem) -> Mapping[str, Any]:
        """How this piece of work came, for the metadata of its event: `hecho_en` is that of its own step."""
        for step in self.steps:
            ticked = step.get("uniones", (None,) if step["accion"] == "COMPLETAR" else ())
            if step["operacion"] == item.operacion and (item.n_union in ticked or None in ticked):
                return {**self.via, **({"hecho_en": step["hecho_en"]} if "hecho_en" in step else {})}
        return self.via

    def welds(self) -> list[JointWeld]:
        """What the welder said about the welds in the refused steps."""
        return [JointWeld(**weld) for step in self.steps for weld in step.get("soldadura", ())]


def work_in(steps: Iterable[Step]) -> tuple[WorkItem, ...]:
    """The work that the steps would register: joints ticked, or an operation completed on the whole spool."""
    found: list[WorkItem] = []
    for step in steps:
        command = step.command
        if isinstance(command, Finalizar):
            found += [WorkItem(command.operacion, n_union) for n_union in command.unions]
        elif isinstance(command, Completar):
            found.append(WorkItem(command.operacion))
    return tuple(dict.fromkeys(found))


def steps_as_tapped(steps: Iterable[Step]) -> list[dict[str, Any]]:
    shown = []
    for step in steps:
        accion = type(step.command).__name__.upper()
        ticked = _ticked(step.command) if isinstance(step.command, Finalizar) else {}
        tapped = {"hecho_en": step.hecho_en} if step.hecho_en else {}
        shown.append({"accion": accion, "operacion": step.command.operacion.value, **ticked, **tapped})
    return shown


def _ticked(command: Finalizar) -> dict[str, Any]:
    welds = [{name: value for name, value in asdict(weld).items() if value is not None} for weld in command.soldadura]
    return {"uniones": list(command.unions), **({"soldadura": welds} if welds else {})}


@dataclass(frozen=True, slots=True)
class ReclamoCase:
    """Everything that a supervisor's decision may depend on. `spool` is None for a tag that no spool has."""

    reclamo: Reclamo
    spool: Spool | None
    joints: Sequence[Joint]
    supervisor: Worker | None
    claimant: Worker
    now: datetime
    shop: Shop
    via: Mapping[str, Any]  # of the supervisor's request
    welds: WeldRecord = NO_WELD_RECORD


def resolve(command: Resolver, case: ReclamoCase) -> tuple[Resolution, Change]:
    """The decision, and the change that it makes. Raises the Refusal of the first check that fails."""
    if case.supervisor is None:
        raise WorkerUnknown(command.worker_id)
    require_role(command, case.supervisor)
    if earlier := case.reclamo.resolution:
        raise ReclamoResolved(case.reclamo.id, earlier.supervisor)
    if command.accepted and case.supervisor.id == case.reclamo.worker_id:
        raise OwnReclamo(case.reclamo.id)
    _require_day(command.dia, case)
    accepted = tuple(sorted(set(command.accepted), key=_order))
    _require_acceptable(accepted, command.dia, case)
    resolution = Resolution(case.now, case.supervisor.id, case.supervisor.label, command.dia, command.motivo, accepted)
    return resolution, _change(resolution, case)


def _order(item: WorkItem) -> tuple[int, int]:
    """Fit-up comes first: a joint may be accepted as armed and as welded in one decision."""
    return _ORDER[item.operacion], item.n_union or 0


def _require_day(dia: date, case: ReclamoCase) -> None:
    arrived = today(case.reclamo.received_at, case.shop.zone)
    if dia > today(case.now, case.shop.zone):
        raise NotValid([{"campo": "dia", "motivo": "no puede ser futuro."}])
    if dia < arrived - timedelta(days=DAYS_BACK_MAX):
        raise NotValid([{"campo": "dia", "motivo": f"a lo más {DAYS_BACK_MAX} días antes de que llegara el reclamo."}])


def _require_acceptable(accepted: Sequence[WorkItem], dia: date, case: ReclamoCase) -> None:
    why = obstacles(accepted, case.reclamo, case.spool, case.joints, case.claimant, case.shop, dia)
    why = {**accepted_twice(accepted), **why}
    if why:
        raise WorkNotAcceptable(
            [{"operacion": i.operacion.value, "n_union": i.n_union, "motivo": motivo} for i, motivo in why.items()]
        )


def obstacles(
    items: Iterable[WorkItem],
    reclamo: Reclamo,
    spool: Spool | None,
    joints: Sequence[Joint],
    claimant: Worker,
    shop: Shop,
    dia: date | None = None,
) -> dict[WorkItem, str]:
    """Why each of these pieces of work cannot be registered together; nothing for those that can."""
    items = list(items)
    present = {joint.n_union: joint for joint in joints if not joint.retired}
    found: dict[WorkItem, str] = {}
    for item in items:
        if not reclamo.covers(item):
            found[item] = "Eso no está en el reclamo."
        elif spool is None:
            found[item] = f"No existe el spool {reclamo.tag}."
        elif why := hindrance(item, items, spool, present, claimant, shop, dia):
            found[item] = why
    return found


def _change(resolution: Resolution, case: ReclamoCase) -> Change:
    reclamo, spool = case.reclamo, case.spool
    declined = [item for item in reclamo.work if not _is_settled(item, resolution.accepted)]
    message = sentences.resolved(reclamo.tag, reclamo.worker, len(resolution.accepted), len(declined))
    if spool is None:
        return Change.nothing(Spool(reclamo.tag), "RESOLVER", message)
    after, done = spool, dict[int, Joint]()
    joints = {joint.n_union: joint for joint in case.joints}
    for item in resolution.accepted:
        if item.n_union is None:
            after = registered_whole(after, item.operacion, reclamo.worker, resolution.dia)
        else:
            joint = done.get(item.n_union, joints[item.n_union])
            done[item.n_union] = _done(joint, item.operacion, resolution, case)
            after = after if after.operario(item.operacion) else after.with_operario(item.operacion, reclamo.worker)
    if done:
        after = recompute_keeping_approval(after, {**joints, **done}.values(), case.shop)
    welded = welded_of(resolution.accepted, done)
    checked = checked_late_welds(reclamo.tag, welded, case.claimant, resolution.dia, case.shop, case.welds)
    events = (
        *_late_events(resolution, done, checked, case),
        *([_declined_event(resolution, declined, case)] if declined or not resolution.accepted else []),
        *(e.with_metadata({**e.metadata, **case.via}) for e in queue_events(spool, after, case.now)),
    )
    return Change(after, events, "RESOLVER", message, tuple(done.values()), warnings=checked.warnings)


def _is_settled(item: WorkItem, accepted: Sequence[WorkItem]) -> bool:
    """A claim for the whole spool is settled once some of its joints were accepted."""
    return item in accepted or (item.n_union is None and any(each.operacion is item.operacion for each in accepted))


def _done(joint: Joint, operacion: Operacion, resolution: Resolution, case: ReclamoCase) -> Joint:
    """When the work began is not known, because nobody held the spool for it."""
    fin, label = _counted_at(resolution.dia, case), case.reclamo.worker
    if operacion is Operacion.ARM:
        return joint.but(arm_fin=fin, arm_worker=label)
    welded = joint.but(sol_fin=max(fin, joint.arm_fin or fin), sol_worker=label)
    return with_weld_data([welded], case.reclamo.welds())[0]


def _counted_at(dia: date, case: ReclamoCase) -> datetime:
    """An instant of that day: when the reclamo arrived, or now, or noon. Never the tablet's own time."""
    zone = case.shop.zone
    for instant in (case.reclamo.received_at, case.now):
        if today(instant, zone) == dia:
            return instant
    return from_wall(datetime.combine(dia, _NOON), zone)


def _late_events(
    resolution: Resolution, done: Mapping[int, Joint], checked: CheckedWelds, case: ReclamoCase
) -> Iterable[Event]:
    """Each is the claimant's, through the tap that was refused. The first of each operation has the sums, which the
    history shows as one session."""
    reclamo = case.reclamo
    facts = {
        "reclamo": reclamo.id,
        "recibido_en": iso(reclamo.received_at, case.shop.zone),
        "motivo": resolution.motivo,
        "aceptado_por": resolution.supervisor,
        "aceptado_por_id": resolution.supervisor_id,
        **({"aceptado_via": case.via["via"]} if "via" in case.via else {}),
    }
    summed: set[Operacion] = set()
    for item in resolution.accepted:
        joint = done.get(item.n_union) if item.n_union is not None else None
        own: dict[str, Any] = {"dn_union": _dn(joint), "tipo_union": joint.tipo} if joint else {}
        if item.operacion is Operacion.SOLD and joint is not None:
            own |= checked.facts.get(joint.n_union, {})
        if item.operacion not in summed:
            own["registro"] = _sums(item.operacion, resolution, done)
            summed.add(item.operacion)
        yield Event(
            EventoTipo.REGISTRO_TARDIO,
            case.now,
            "REGISTRAR",
            item.operacion,
            reclamo.worker_id,
            reclamo.worker,
            fecha_operacion=resolution.dia,
            n_union=item.n_union,
            metadata={**facts, **reclamo.tapped(item), **own},
        )


def _sums(operacion: Operacion, resolution: Resolution, done: Mapping[int, Joint]) -> dict[str, Any]:
    unions = [i.n_union for i in resolution.accepted if i.operacion is operacion and i.n_union is not None]
    return {"unions": unions, "pulgadas": inches(sum(done[n].dn_milli or 0 for n in unions))}


def _dn(joint: Joint) -> float | None:
    return inches(joint.dn_milli) if joint.dn_milli is not None else None


def _declined_event(resolution: Resolution, declined: Sequence[WorkItem], case: ReclamoCase) -> Event:
    operaciones = {item.operacion for item in declined}
    facts = {
        "reclamo": case.reclamo.id,
        "worker": case.reclamo.worker,
        "motivo": resolution.motivo,
        "trabajo": [{"operacion": item.operacion.value, "n_union": item.n_union} for item in declined],
    }
    return Event(
        EventoTipo.RECLAMO_RECHAZADO,
        case.now,
        "RECHAZAR",
        operaciones.pop() if len(operaciones) == 1 else None,
        resolution.supervisor_id,
        resolution.supervisor,
        metadata={**facts, **case.via},
    )


def resolved(reclamo: Reclamo, resolution: Resolution) -> Reclamo:
    return replace(reclamo, resolution=resolution)
