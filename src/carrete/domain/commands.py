"""What a worker asks for. A command says who, which spool, what; never how."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from carrete.domain.spool import Operacion


@dataclass(frozen=True, slots=True)
class Command:
    tag: str
    worker_id: int
    operacion: Operacion
    version: str | None = None  # the token the client last saw


@dataclass(frozen=True, slots=True)
class Tomar(Command):
    pass


@dataclass(frozen=True, slots=True)
class Iniciar(Tomar):
    """TOMAR of a v4.0 spool."""


@dataclass(frozen=True, slots=True)
class Pausar(Command):
    pass


@dataclass(frozen=True, slots=True)
class Completar(Command):
    fecha: date | None = None


@dataclass(frozen=True, slots=True)
class Cancelar(Command):
    pass


@dataclass(frozen=True, slots=True)
class Finalizar(Command):
    unions: tuple[int, ...] = ()
