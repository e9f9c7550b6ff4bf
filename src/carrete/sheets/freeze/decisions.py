"""The rules for what a supervisor decides about the Google workbook: a frozen sheet, and parked rows and events.

Each function runs inside the caller's transaction.
"""

from __future__ import annotations

from carrete.actions.workers import require_supervisor
from carrete.domain.refusals import Refusal
from carrete.ledger.database import Tx
from carrete.sheets.freeze import limits
from carrete.sheets.rows import storage

_DECIDING = "decidir sobre la planilla"


class NothingStopped(Refusal):
    """No sheet is frozen and nothing is parked, so there is nothing to decide."""

    code = "NADA_DETENIDO"
    title = "Nada está detenido"


class FreezeChanged(Refusal):
    """The sheet is frozen for another reason than the supervisor saw, or another supervisor decided first."""

    code = "DETENCION_DISTINTA"
    title = "La hoja está detenida por otra cosa"


class NotDecidable(Refusal):
    """A freeze of this kind ends by a repair of the sheet, not by this decision."""

    code = "DECISION_NO_DISPONIBLE"
    title = "Esa decisión no sirve aquí"


def decide(
    tx: Tx, supervisor_id: int, sheet: str, freeze_id: str, decision: str, confirmed_roles_only: bool = True
) -> None:
    """`freeze_id` is the freeze that the supervisor saw. The lane acts on the decision at its next read."""
    require_supervisor(tx, supervisor_id, _DECIDING, confirmed_roles_only)
    freeze = storage.freezes(tx).get(sheet)
    if freeze is None:
        raise NothingStopped(f"La hoja {sheet} no está detenida.")
    if freeze.id != freeze_id:
        raise FreezeChanged(f"{sheet} está detenida ahora por otra cosa: {freeze.reason}. Mire y decida de nuevo.")
    if freeze.decision not in ("", decision):
        raise FreezeChanged(f"Otro supervisor ya decidió {freeze.decision} sobre {sheet}.")
    if decision not in limits.DECISIONS[freeze.kind]:
        raise NotDecidable(f"{sheet}: {freeze.reason}. Repárelo en la planilla; después sigue sola.")
    tx.run("freeze_decide", sheet=sheet, id=freeze.id, decision=decision, by=supervisor_id)
    tx.run("setting_put", name=storage.RECOUNTED_AT, value="")  # an older version of the sheet may lack events


def release_parked(tx: Tx, supervisor_id: int, confirmed_roles_only: bool = True) -> int:
    """Lets the lane try all parked rows and events again; returns how many there are."""
    require_supervisor(tx, supervisor_id, _DECIDING, confirmed_roles_only)
    released = tx.run("parked_release") + tx.run("parked_events_release")
    if not released:
        raise NothingStopped("No hay filas apartadas.")
    return released
