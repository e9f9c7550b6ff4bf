"""What one worker may do on one spool now: asked of the very rules that will decide it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from carrete.domain.commands import Cancelar, Command, Completar, Finalizar, Iniciar, Pausar, Tomar
from carrete.domain.decide import Case, decide
from carrete.domain.refusals import Refusal
from carrete.domain.shop import Shop
from carrete.domain.spool import Operacion, Spool
from carrete.domain.workers import Worker

_COMMANDS: dict[str, type[Command]] = {
    "TOMAR": Tomar,
    "PAUSAR": Pausar,
    "COMPLETAR": Completar,
    "CANCELAR": Cancelar,
    "INICIAR": Iniciar,
    "FINALIZAR": Finalizar,
}
_BY_JOINT = ("INICIAR", "FINALIZAR")
_OPERACIONES = (Operacion.ARM, Operacion.SOLD, Operacion.REPARACION)


@dataclass(frozen=True, slots=True)
class Offer:
    accion: str
    operacion: Operacion


def offers(spool: Spool, worker: Worker, now: datetime, shop: Shop) -> list[Offer]:
    """Taking again what one already holds would succeed too, but nobody needs to be offered that."""
    case = Case(spool, worker, now, shop, lock="")
    return [
        Offer(accion, operacion)
        for operacion in _OPERACIONES
        for accion, kind in _COMMANDS.items()
        if (operacion is not Operacion.REPARACION or accion not in _BY_JOINT)
        and _changes(kind(spool.tag, worker.id, operacion), case)
    ]


def _changes(command: Command, case: Case) -> bool:
    try:
        return bool(decide(command, case).events)
    except Refusal:
        return False
