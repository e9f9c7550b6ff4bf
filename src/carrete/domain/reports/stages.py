"""How many spools wait, are worked on or are paused at each stage of the shop."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from carrete.domain.spool import Estado, Metrologia, Operacion, Reparacion


@dataclass(frozen=True, slots=True)
class StateCount:
    """The number of spools that share one combination of states."""

    arm: str
    sold: str
    metrologia: str
    reparacion: str
    held_for: str | None
    ready_for_arm: bool
    ready_for_sold: bool
    without_materials: bool
    spools: int


@dataclass(slots=True)
class Stage:
    waiting: int = 0
    in_work: int = 0
    paused: int = 0


@dataclass(slots=True)
class Stages:
    by_operacion: dict[Operacion, Stage] = field(default_factory=lambda: {op: Stage() for op in Operacion})
    without_materials: int = 0
    rejected: int = 0
    blocked: int = 0
    done: int = 0


def stages(groups: Iterable[StateCount]) -> Stages:
    found = Stages()
    for group in groups:
        n = group.spools
        _count_work(found, group)
        _count_inspection(found, group)
        open_arm = group.arm != Estado.COMPLETADO and group.held_for is None
        found.without_materials += n if group.without_materials and open_arm else 0
    return found


def _count_work(found: Stages, group: StateCount) -> None:
    if group.held_for is not None:
        found.by_operacion[Operacion(group.held_for)].in_work += group.spools
        return
    if group.metrologia == Metrologia.BLOQUEADO:
        return
    for operacion, estado, ready in (
        (Operacion.ARM, group.arm, group.ready_for_arm),
        (Operacion.SOLD, group.sold, group.ready_for_sold),
    ):
        stage = found.by_operacion[operacion]
        stage.paused += group.spools if estado == Estado.PAUSADO else 0
        stage.waiting += group.spools if estado == Estado.PENDIENTE and ready else 0


def _count_inspection(found: Stages, group: StateCount) -> None:
    n, free = group.spools, group.held_for is None
    match group.metrologia:
        case Metrologia.APROBADO:
            found.done += n
        case Metrologia.BLOQUEADO:
            found.blocked += n
        case Metrologia.EN_COLA if free:
            found.by_operacion[Operacion.METROLOGIA].waiting += n
        case Metrologia.RECHAZADO:
            found.rejected += n
            repair = found.by_operacion[Operacion.REPARACION]
            repair.paused += n if free and group.reparacion == Reparacion.PAUSADO else 0
            repair.waiting += n if free and group.reparacion == Reparacion.PENDIENTE else 0
