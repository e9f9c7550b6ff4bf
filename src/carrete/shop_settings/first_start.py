"""The steps of the first start in the browser. Each can be left and taken up again, on any device and after a restart.

What the ledger shows by itself (there is an administrator, there are spools, a tablet is enrolled) makes a step done; a
person may also mark a step as done or as not done, and that wins."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from carrete.ledger.database import Tx
from carrete.ledger.values import instant_text


class FirstStep(StrEnum):
    ADMINISTRADOR = "administrador"
    TALLER = "taller"
    SPOOLS = "spools"
    TABLET = "tablet"


def steps(tx: Tx) -> dict[FirstStep, bool]:
    """Whether each is done, in their order. Only an administrator can ask, so that the first step is done."""
    marked = {str(step): bool(done) for step, done in tx.all("first_start_steps")}
    seen = {
        FirstStep.ADMINISTRADOR: True,
        FirstStep.TALLER: False,
        FirstStep.SPOOLS: tx.one("any_spool") is not None,
        FirstStep.TABLET: tx.one("any_tablet") is not None,
    }
    return {step: marked.get(step.value, done) for step, done in seen.items()}


def mark(tx: Tx, step: FirstStep, *, done: bool, by_id: int | None, at: datetime) -> None:
    tx.run("first_start_step_put", step=step.value, done=int(done), at=instant_text(at), by_id=by_id)
