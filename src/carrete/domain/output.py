"""What the shop got done in a period: inches, joints and spools, by day, by worker or by operation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from carrete.domain.spool import Operacion


class Por(StrEnum):
    DIA = "dia"
    WORKER = "worker"
    OPERACION = "operacion"


@dataclass(frozen=True, slots=True)
class WorkDone:
    """Joints of one spool that one worker finished at once; a spool worked as a whole has none."""

    dia: date
    worker: str | None
    operacion: Operacion
    tag: str
    milli: int = 0
    joints: int = 0

    def key(self, por: Por) -> str | None:
        match por:
            case Por.DIA:
                return self.dia.isoformat()
            case Por.WORKER:
                return self.worker
        return self.operacion.value


@dataclass(slots=True)
class Output:
    milli: int = 0
    joints: int = 0
    tags: set[str] = field(default_factory=set)


def output(work: Iterable[WorkDone], por: Por) -> dict[str | None, Output]:
    """In the order of the keys; whoever is not named comes last."""
    found: dict[str | None, Output] = {}
    for done in work:
        key = done.key(por)
        row = found.get(key)
        if row is None:
            row = found[key] = Output()
        row.milli += done.milli
        row.joints += done.joints
        row.tags.add(done.tag)
    return dict(sorted(found.items(), key=lambda item: (item[0] is None, item[0] or "")))
