"""The state of one spool and its occupation. Every rule decides from these fields."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any, NamedTuple

from carrete.domain.joints import JointCounts


class Operacion(StrEnum):
    ARM = "ARM"
    SOLD = "SOLD"
    METROLOGIA = "METROLOGIA"
    REPARACION = "REPARACION"


class Estado(StrEnum):
    """The progress of ARM, and that of SOLD."""

    PENDIENTE = "PENDIENTE"
    EN_PROGRESO = "EN_PROGRESO"
    PAUSADO = "PAUSADO"
    COMPLETADO = "COMPLETADO"


class Metrologia(StrEnum):
    PENDIENTE = "PENDIENTE"  # ARM or SOLD is still open
    EN_COLA = "EN_COLA"
    APROBADO = "APROBADO"
    RECHAZADO = "RECHAZADO"
    BLOQUEADO = "BLOQUEADO"


class Reparacion(StrEnum):
    NO_REQUERIDA = "NO_REQUERIDA"
    PENDIENTE = "PENDIENTE"
    EN_PROGRESO = "EN_PROGRESO"
    PAUSADO = "PAUSADO"
    COMPLETADO = "COMPLETADO"


class Ensayos(StrEnum):
    """The examinations (NDT) of a spool."""

    NINGUNO = ""
    AL_DIA = "AL_DIA"  # all that were asked for are approved
    PENDIENTE = "PENDIENTE"  # one waits for its result, or a rejected joint for its repair


# The same words as names of this module: in Python 3.11 `Estado.PAUSADO` takes five times as long to look up, and some
# rules run ten times in each action.
ARM, SOLD, METROLOGIA, REPARACION = Operacion
PENDIENTE, EN_PROGRESO, PAUSADO, COMPLETADO = Estado

REJECTIONS_MAX = 3


class Before(NamedTuple):
    """The state of an operation before the present occupation. CANCELAR returns to it."""

    estado: str
    nombre: str | None = None


class Occupation(NamedTuple):
    worker_id: int
    label: str
    operacion: Operacion
    since: datetime
    lock: str
    before: Before


@dataclass(frozen=True)
class Spool:
    tag: str
    version: str = ""
    ot: str | None = None
    nv: str | None = None
    total_uniones: int | None = None
    total_uniones_text: str | None = None  # the cell's text when it is not a number
    fecha_materiales: date | None = None
    fecha_armado: date | None = None
    fecha_soldadura: date | None = None
    fecha_qc: date | None = None
    armador: str | None = None
    soldador: str | None = None
    arm: Estado = Estado.PENDIENTE
    sold: Estado = Estado.PENDIENTE
    metrologia: Metrologia = Metrologia.PENDIENTE
    reparacion: Reparacion = Reparacion.NO_REQUERIDA
    ciclo: int = 0
    occupation: Occupation | None = None
    counts: JointCounts = JointCounts()
    retired: bool = False
    ndt: Ensayos = Ensayos.NINGUNO
    # As it was read: only a write sets them (`domain.stage`), no rule looks at them.
    stage: str | None = field(default=None, compare=False)
    stage_since: datetime | None = field(default=None, compare=False)
    begun_at: datetime | None = field(default=None, compare=False)

    @classmethod
    def from_fields(cls, fields: Iterable[tuple[str, Any]]) -> Spool:
        """Cheaper than the constructor of a frozen dataclass. `fields` must name every field of the class."""
        made = object.__new__(cls)
        made.__dict__.update(fields)
        return made

    def but(self, **changes: Any) -> Spool:
        """`dataclasses.replace` at a tenth of its cost: every action makes several of these."""
        fields = self.__dict__ | changes
        assert len(fields) == len(self.__dict__), f"{changes.keys()} are not all fields of a spool"
        changed = object.__new__(Spool)
        object.__setattr__(changed, "__dict__", fields)
        return changed

    def held_by(self, worker_id: int, operacion: Operacion) -> bool:
        held = self.occupation
        return held is not None and held.worker_id == worker_id and held.operacion is operacion

    def estado(self, operacion: Operacion) -> StrEnum:
        estado: StrEnum = getattr(self, _FIELD[operacion])
        return estado

    def operario(self, operacion: Operacion) -> str | None:
        """`Armador` or `Soldador`; a repair names nobody."""
        match operacion:
            case Operacion.ARM:
                return self.armador
            case Operacion.SOLD:
                return self.soldador
        return None

    def fecha(self, operacion: Operacion) -> date | None:
        match operacion:
            case Operacion.ARM:
                return self.fecha_armado
            case Operacion.SOLD:
                return self.fecha_soldadura
        return None

    def with_estado(self, operacion: Operacion, estado: str) -> Spool:
        match operacion:
            case Operacion.ARM:
                return self.but(arm=Estado(estado))
            case Operacion.SOLD:
                return self.but(sold=Estado(estado))
            case Operacion.REPARACION:
                return self.but(reparacion=Reparacion(estado))
        raise ValueError(f"{operacion} has no progress of its own")

    def with_progress(
        self, operacion: Operacion, estado: Estado, held: Occupation | None, operario: str | None
    ) -> Spool:
        """An operation that is taken or let go, with who is named for it. A repair names nobody."""
        if operacion is ARM:
            return self.but(arm=estado, occupation=held, armador=operario)
        if operacion is SOLD:
            return self.but(sold=estado, occupation=held, soldador=operario)
        return self.with_estado(operacion, estado).but(occupation=held)

    def with_operario(self, operacion: Operacion, label: str | None) -> Spool:
        match operacion:
            case Operacion.ARM:
                return self.but(armador=label)
            case Operacion.SOLD:
                return self.but(soldador=label)
        return self

    def with_fecha(self, operacion: Operacion, dia: date | None) -> Spool:
        match operacion:
            case Operacion.ARM:
                return self.but(fecha_armado=dia)
            case Operacion.SOLD:
                return self.but(fecha_soldadura=dia)
        return self


_FIELD = {
    Operacion.ARM: "arm",
    Operacion.SOLD: "sold",
    Operacion.METROLOGIA: "metrologia",
    Operacion.REPARACION: "reparacion",
}
