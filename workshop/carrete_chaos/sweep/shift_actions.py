"""Actions of a shift and of work without a connection: chains, reclamos, notes, "Sigo yo"."""

from __future__ import annotations

from typing import Any, ClassVar

from carrete.domain.commands import Chain, Finalizar, Iniciar, Ofrecer, Step
from carrete.domain.spool import Operacion
from carrete_chaos import shop
from carrete_chaos.sweep.acting import JOINTED, KEY, RECEIVER, TAKEN, WHOLE, WHOLE_ARM, WORKER, Action
from carrete_chaos.sweep.http import HttpAnswer, post

_HELD = (Iniciar(JOINTED, RECEIVER, Operacion.ARM),)  # by somebody else
_CHAIN: dict[str, Any] = {
    **{"tag_spool": JOINTED, "worker_id": WORKER},
    "pasos": [
        {"accion": "INICIAR", "operacion": "ARM"},
        {"accion": "FINALIZAR", "operacion": "ARM", "uniones": [1, 2, 3]},
        {"accion": "INICIAR", "operacion": "ARM"},
    ],
}
_REFUSED = Chain(
    JOINTED,
    WORKER,
    (
        Step(Iniciar(JOINTED, WORKER, Operacion.ARM)),
        Step(Finalizar(JOINTED, WORKER, Operacion.ARM, unions=(1, 2, 3))),
    ),
)


class KeptChain(Action):
    """Three steps on one spool, three joints and a new occupation in one commit."""

    name = "chain"
    what = "a chain of three steps that was tapped without a connection"
    path = "/api/occupation/cadena"
    body = _CHAIN


class RefusedChain(Action):
    """Nothing of the chain is done; its work is a reclamo in the same commit as the refusal."""

    name = "refused-chain"
    what = "a chain whose work becomes a reclamo"
    path = "/api/occupation/cadena"
    body = _CHAIN
    done_before = _HELD
    status = 409


class DecideReclamo(Action):
    name = "reclamo"
    what = "a supervisor accepts two joints of a reclamo"
    path = "/api/reclamos/…/resolver"
    body: ClassVar[dict[str, Any]] = {
        "supervisor_id": shop.SUPERVISOR,
        "aceptar": [{"operacion": "ARM", "n_union": n} for n in (1, 2)],
        "motivo": "barrido",
    }
    done_before = (*_HELD, _REFUSED)

    def _ask(self, port: int) -> HttpAnswer | None:
        ((reclamo_id, received_at),) = self.ledger.reclamos()
        return post(port, f"/api/reclamos/{reclamo_id}/resolver", {**self.body, "dia": received_at[:10]}, KEY)


class AddNote(Action):
    name = "note"
    what = "a note about a joint"
    path = f"/api/spools/{JOINTED}/notas"
    body: ClassVar[dict[str, Any]] = {"worker_id": WORKER, "texto": "Poro en la raíz", "n_union": 2}


class KeepOn(Action):
    name = "keep-on"
    what = "Sigo yo"
    path = "/api/occupation/sigo"
    body = WHOLE_ARM
    done_before = TAKEN


class WithdrawOffer(Action):
    name = "withdraw"
    what = "RETIRAR an offer to hand a spool over"
    path = "/api/occupation/relevo/retirar"
    body = WHOLE_ARM
    done_before = (*TAKEN, Ofrecer(WHOLE[0], WORKER, Operacion.ARM, receiver_id=RECEIVER))


class StartMany(Action):
    name = "start-many"
    what = "INICIAR of three spools in one call"
    path = "/api/v4/occupation/batch-iniciar"
    body: ClassVar[dict[str, Any]] = {
        **{"tag_spools": shop.jointed_tags(3), "worker_id": WORKER},
        "operacion": "ARM",
    }
