"""The stages that a spool can be in, each as the steps of work that lead there."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from random import Random

from carrete.domain.spool import Operacion


class Ending(StrEnum):
    SIGUE = "SIGUE"  # the worker still holds it
    PAUSAR = "PAUSAR"
    COMPLETAR = "COMPLETAR"
    CANCELAR = "CANCELAR"
    APROBADO = "APROBADO"
    RECHAZADO = "RECHAZADO"


@dataclass(frozen=True, slots=True)
class StoryStep:
    """One session of work, or one inspection."""

    operacion: Operacion
    ending: Ending


Steps = tuple[StoryStep, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """One stage, and the number of spools in it."""

    name: str
    spools: int
    steps: Steps = ()
    materials: bool = True

    @property
    def still_held(self) -> bool:
        return bool(self.steps) and self.steps[-1].ending is Ending.SIGUE


def _steps(operacion: Operacion, *endings: Ending) -> Steps:
    return tuple(StoryStep(operacion, ending) for ending in endings)


_ARM_PAUSED = _steps(Operacion.ARM, Ending.PAUSAR)
_ARMED = _steps(Operacion.ARM, Ending.COMPLETAR)
_WELDED = _ARMED + _steps(Operacion.SOLD, Ending.COMPLETAR)
_REJECTED = _WELDED + _steps(Operacion.METROLOGIA, Ending.RECHAZADO)
_REPAIRED = _REJECTED + _steps(Operacion.REPARACION, Ending.COMPLETAR)
_REJECTED_TWICE = _REPAIRED + _steps(Operacion.METROLOGIA, Ending.RECHAZADO)
_REPAIRED_TWICE = _REJECTED_TWICE + _steps(Operacion.REPARACION, Ending.COMPLETAR)

SHOWN_STORY = Story("listo para ARM", 36)  # the story of the documentation's spool
STORIES = (
    Story("sin materiales", 15, materials=False),
    SHOWN_STORY,
    Story("ARM en progreso", 5, _steps(Operacion.ARM, Ending.SIGUE)),
    Story("ARM retomado", 2, _ARM_PAUSED + _steps(Operacion.ARM, Ending.SIGUE)),
    Story("ARM pausado", 14, _ARM_PAUSED),
    Story("listo para SOLD", 22, _ARMED),
    Story("SOLD en progreso", 4, _ARMED + _steps(Operacion.SOLD, Ending.SIGUE)),
    Story("SOLD en progreso, ARM a medias", 2, _ARM_PAUSED + _steps(Operacion.SOLD, Ending.SIGUE)),
    Story("SOLD pausado", 14, _ARMED + _steps(Operacion.SOLD, Ending.PAUSAR)),
    Story("ARM y SOLD a medias", 6, _ARM_PAUSED + _steps(Operacion.SOLD, Ending.PAUSAR)),
    Story("en cola", 18, _WELDED),
    Story("aprobado", 36, _WELDED + _steps(Operacion.METROLOGIA, Ending.APROBADO)),
    Story("aprobado tras reparación", 6, _REPAIRED + _steps(Operacion.METROLOGIA, Ending.APROBADO)),
    Story("rechazado", 7, _REJECTED),
    Story("rechazado dos veces", 4, _REJECTED_TWICE),
    Story("en reparación", 3, _REJECTED + _steps(Operacion.REPARACION, Ending.SIGUE)),
    Story("en segunda reparación", 2, _REJECTED_TWICE + _steps(Operacion.REPARACION, Ending.SIGUE)),
    Story("reparación pausada", 4, _REJECTED + _steps(Operacion.REPARACION, Ending.PAUSAR)),
    Story("reparado", 5, _REPAIRED),
    Story("bloqueado", 3, _REPAIRED_TWICE + _steps(Operacion.METROLOGIA, Ending.RECHAZADO)),
)
# For how many minutes the present holders have held their spools; one of them forgot to end it yesterday.
HELD_MINUTES = (4, 11, 19, 27, 38, 52, 66, 81, 95, 118, 142, 170, 205, 248, 301, 355, 430, 1310)

_PAUSE_SHARE = 0.35
_CANCEL_SHARE = 0.05


def with_interruptions(steps: Steps, rng: Random) -> Steps:
    """Adds pauses and cancellations: few operations are completed without one."""
    found: list[StoryStep] = []
    for step in steps:
        pause, cancel = rng.random() < _PAUSE_SHARE, rng.random() < _CANCEL_SHARE
        if step.ending is Ending.COMPLETAR:
            found += _steps(step.operacion, Ending.CANCELAR) if cancel else ()
            found += _steps(step.operacion, Ending.PAUSAR) if pause else ()
        found.append(step)
    return tuple(found)
