"""The commands: what a person asks to do on which spool. The rules decide whether and how."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from carrete.domain.spool import Operacion


@dataclass(frozen=True, slots=True)
class Command:
    tag: str
    worker_id: int  # the person who gives the command
    version: str | None = field(default=None, kw_only=True)  # the token the client last saw


@dataclass(frozen=True, slots=True)
class Work(Command):
    """A worker's command about one operation."""

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
class Seguir(Work):
    """The holder goes on with the spool after the end of a shift."""


@dataclass(frozen=True, slots=True)
class JointWeld:
    """What a welder says about the weld of one joint. None: as it is planned; "" for a heat: there is none."""

    n_union: int
    wps: str | None = None
    colada_1: str | None = None
    colada_2: str | None = None


@dataclass(frozen=True, slots=True)
class Finalizar(Work):
    unions: tuple[int, ...] = ()
    soldadura: tuple[JointWeld, ...] = ()  # of SOLD only


@dataclass(frozen=True, slots=True)
class RelevoCommand(Work):
    """About handing a spool over to another worker. It is the same in both workflows."""


@dataclass(frozen=True, slots=True)
class Ofrecer(RelevoCommand):
    """The holder offers the spool to one person, or with None to everybody who is qualified. `unions` are the joints
    that the holder did."""

    receiver_id: int | None = None
    unions: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Aceptar(RelevoCommand):
    pass


@dataclass(frozen=True, slots=True)
class Retirar(RelevoCommand):
    pass


@dataclass(frozen=True, slots=True)
class Rechazar(RelevoCommand):
    pass


@dataclass(frozen=True, slots=True)
class Step:
    """One tap of a chain. `hecho_en` is when it was tapped, by the tablet's clock; None: just now, or not known."""

    command: Work
    hecho_en: str | None = None


@dataclass(frozen=True, slots=True)
class Chain(Command):
    """What a worker tapped on one spool without a connection, in order: all of it is done, or nothing."""

    steps: tuple[Step, ...]


@dataclass(frozen=True, order=True, slots=True)
class WorkItem:
    """A piece of work that can be registered late: one joint, or the operation on the whole spool."""

    operacion: Operacion
    n_union: int | None = None


@dataclass(frozen=True, slots=True)
class Reclamar(Command):
    """A tap with work in it was refused: its author asks that a supervisor looks at it. `refused_key` is the
    idempotency key of that tap, under which the refusal is stored; `refused_fingerprint` is what the tap's request must
    have been, if it was about this work; `batch` are the spools of the tap, if it was one for several."""

    steps: tuple[Step, ...]
    refused_key: str
    refused_fingerprint: str
    batch: tuple[str, ...] = ()


class Resultado(StrEnum):
    APROBADO = "APROBADO"
    RECHAZADO = "RECHAZADO"


@dataclass(frozen=True, slots=True)
class Inspeccionar(Command):
    """METROLOGIA: an instant action, for which nobody occupies the spool."""

    resultado: Resultado


@dataclass(frozen=True, slots=True)
class Anotar(Command):
    """A note about the spool, or about one of its joints. `photos` are the ids of photos that were uploaded before."""

    texto: str
    n_union: int | None = None
    photos: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NdtCommand(Command):
    """About the examination (NDT) of a joint, or of a whole v3.0 spool. It never changes who holds the spool."""


@dataclass(frozen=True, slots=True)
class SolicitarNdt(NdtCommand):
    """A supervisor asks for an examination of these joints; without joints, of a v3.0 spool."""

    metodo: str
    unions: tuple[int, ...] = ()
    motivo: str = ""


@dataclass(frozen=True, slots=True)
class ResultadoNdt(NdtCommand):
    """The result of one examination. `photos` are the ids of photos that were uploaded before."""

    examen: str
    resultado: Resultado
    informe: str
    dia: date | None = None
    defectos: tuple[str, ...] = ()
    photos: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RepararUnion(NdtCommand):
    """A rejected joint was repaired; None: a v3.0 spool."""

    n_union: int | None = None


@dataclass(frozen=True, slots=True)
class Supervise(Command):
    """A supervisor's command, always with a reason."""

    motivo: str


@dataclass(frozen=True, slots=True)
class Liberar(Supervise):
    """Ends another worker's occupation."""


@dataclass(frozen=True, slots=True)
class Desbloquear(Supervise):
    pass


@dataclass(frozen=True, slots=True)
class Corregir(Supervise):
    """Reopens an operation that was completed by mistake. v4.0: only the joints in `unions`, or all that are done."""

    operacion: Operacion
    unions: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Resolver(Supervise):
    """Decides a reclamo: what of it is registered, on which day. What is not accepted is declined."""

    reclamo_id: str
    claimant_id: int
    accepted: tuple[WorkItem, ...]
    dia: date
