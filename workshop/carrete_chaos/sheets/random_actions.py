"""The actions of fifty workers, at random: mostly allowed ones, some that are refused."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from carrete.domain.commands import (
    Cancelar,
    Command,
    Completar,
    Corregir,
    Desbloquear,
    Finalizar,
    Iniciar,
    Inspeccionar,
    Liberar,
    Pausar,
    Resultado,
    Tomar,
)
from carrete.domain.spool import Metrologia, Occupation, Operacion, Spool
from carrete.ledger.rows import spool_from
from carrete_chaos.sheets.shop import WORKERS, ChaosShop

WHY = "prueba"
_RESULTS = (Resultado.APROBADO, Resultado.RECHAZADO)
_OPERATIONS = (Operacion.ARM, Operacion.ARM, Operacion.SOLD)


class RandomActions:
    def __init__(self, shop: ChaosShop, rng: Random) -> None:
        self._shop = shop
        self._rng = rng

    def taps(self, count: int) -> Iterable[Command]:
        with self._shop.database.reading() as tx:
            spools = [spool_from(row) for row in tx.all("spools_all")]
        for _ in range(count if spools else 0):
            spool = self._rng.choice(spools)
            worker = self._rng.randint(1, WORKERS)
            held = spool.occupation
            yield self._begin(spool, worker) if held is None else self._end(spool, held, worker)

    def _begin(self, spool: Spool, worker: int) -> Command:
        """Sends approved spools back to the beginning now and then, so that there is always work."""
        match spool.metrologia:
            case Metrologia.EN_COLA:
                return Inspeccionar(spool.tag, worker, self._rng.choice(_RESULTS))
            case Metrologia.RECHAZADO:
                return Tomar(spool.tag, worker, Operacion.REPARACION)
            case Metrologia.BLOQUEADO:
                return Desbloquear(spool.tag, worker, WHY)
            case Metrologia.APROBADO:
                return Corregir(spool.tag, worker, WHY, self._rng.choice((Operacion.ARM, Operacion.SOLD)))
        taken = Iniciar if spool.total_uniones else Tomar
        return taken(spool.tag, worker, self._rng.choice(_OPERATIONS))

    def _end(self, spool: Spool, held: Occupation, worker: int) -> Command:
        if self._rng.random() < 0.03:
            return Liberar(spool.tag, worker, WHY)
        if spool.total_uniones and held.operacion is not Operacion.REPARACION:
            unions = self._rng.sample(range(1, self._shop.joints_each + 1), self._rng.randint(0, 3))
            return Finalizar(spool.tag, held.worker_id, held.operacion, unions=tuple(sorted(unions)))
        ending = self._rng.choice((Pausar, Pausar, Completar, Cancelar))
        return ending(spool.tag, held.worker_id, held.operacion)
