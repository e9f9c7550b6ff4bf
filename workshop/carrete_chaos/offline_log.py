"""What a campaign did without a connection: the taps that tablets kept, and what supervisors decided about reclamos."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from carrete.domain.joints import Joint, JointCounts
from carrete.domain.reclamo import Reclamo

WENT_OFFLINE = "a tablet worked without a connection"
FOR_MINUTES = "a tablet worked without a connection for a minute or more"
KILLED_OFFLINE = "a browser was killed with kept taps"
KILLED_SENDING = "a browser was killed while it sent"
CHAIN_DONE = "a chain was confirmed"
CHAIN_REFUSED = "a chain without work was refused"
CHAIN_CLAIMED = "a refused chain became a reclamo"
ENDING_CLAIMED = "a refused ending was claimed"
ACCEPTED = "a reclamo was accepted in part or whole"
DECLINED = "a reclamo was declined"
DECIDED_BEFORE = "a second decision of a reclamo was refused"
OFFLINE_HAPPENINGS = (
    *(WENT_OFFLINE, KILLED_OFFLINE, KILLED_SENDING, CHAIN_DONE, CHAIN_REFUSED, CHAIN_CLAIMED, ENDING_CLAIMED),
    *(ACCEPTED, DECLINED, DECIDED_BEFORE),
)
ALONE = ("pausar", "completar", "cancelar", "finalizar")  # endings that are sent alone, tapped before the tablet knew


@dataclass(frozen=True, slots=True)
class KeptTap:
    """A tap that a tablet has shown as kept. `hecho_en` is its time by the tablet's clock; no other tap of the campaign
    has the same, so that an event can be matched with its tap."""

    worker_id: int
    session: str
    tag: str
    accion: str  # as in a chain: TOMAR, FINALIZAR, …
    operacion: str
    hecho_en: str
    uniones: tuple[int, ...] | None = None  # ticked; only of a FINALIZAR

    @property
    def work(self) -> list[tuple[str, int | None]]:
        """The work that it would register: an operation and a joint, or no joint for the whole spool."""
        if self.accion == "COMPLETAR":
            return [(self.operacion, None)]
        return [(self.operacion, n_union) for n_union in self.uniones or ()]

    @property
    def step(self) -> dict[str, object]:
        """As a step in the body of a chain."""
        ticked = {"uniones": list(self.uniones)} if self.uniones is not None else {}
        return {"accion": self.accion, "operacion": self.operacion, "hecho_en": self.hecho_en, **ticked}


@dataclass(frozen=True, slots=True)
class OfflineEvidence:
    """What the tablets kept, and reclamos, joints and figures at rest."""

    kept: Sequence[KeptTap]
    reclamos: Sequence[Reclamo] = ()
    joints: Sequence[Joint] = ()
    counts: Mapping[str, JointCounts] | None = None  # of each spool's row
    reported: Mapping[str, int] | None = None  # thousandths of an inch of each worker, as the report says
