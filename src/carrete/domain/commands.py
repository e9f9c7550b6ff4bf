"""What a person asks for. A command says who, which spool, what; never how."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from carrete.domain.spool import Operacion


@dataclass(frozen=True, slots=True)
class Command:
    tag: str
    worker_id: int  # who asks
    version: str | None = field(default=None, kw_only=True)  # the token the client last saw


@dataclass(frozen=True, slots=True)
class Work(Command):
    """Of a worker, for one operation."""

    operacion: Operacion


@dataclass(frozen=True, slots=True)
class Tomar(Work):
    pass


@dataclass(frozen=True, slots=True)
class Iniciar(Tomar):
    """TOMAR of a v4.0 spool."""


@dataclass(frozen=True, slots=True)
class Pausar(Work):
    pass


@dataclass(frozen=True, slots=True)
class Completar(Work):
    fecha: date | None = None


@dataclass(frozen=True, slots=True)
class Cancelar(Work):
    pass


@dataclass(frozen=True, slots=True)
class Finalizar(Work):
    unions: tuple[int, ...] = ()


class Resultado(StrEnum):
    APROBADO = "APROBADO"
    RECHAZADO = "RECHAZADO"


@dataclass(frozen=True, slots=True)
class Inspeccionar(Command):
    """METROLOGIA: instant, nobody occupies the spool for it."""

    resultado: Resultado


@dataclass(frozen=True, slots=True)
class Supervise(Command):
    """Of a supervisor, who always says why."""

    motivo: str


@dataclass(frozen=True, slots=True)
class Liberar(Supervise):
    """Ends the occupation of somebody else."""


@dataclass(frozen=True, slots=True)
class Desbloquear(Supervise):
    pass


@dataclass(frozen=True, slots=True)
class Corregir(Supervise):
    """Reopens what was completed or ticked by mistake; of a v4.0 spool these joints, or all of them."""

    operacion: Operacion
    unions: tuple[int, ...] | None = None
