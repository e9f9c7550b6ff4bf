"""Who acts in a request, and through what."""

from __future__ import annotations

from dataclasses import dataclass, field

from carrete.domain.authorship import EventContext, Via
from carrete.domain.workers import Rol, Worker
from carrete.identity.records import ApiToken, Device, Session


@dataclass(frozen=True, slots=True)
class Author:
    """The person who acts, and how. With a token, the request itself says which worker: `worker_id` is None until then,
    and for a token that only reads. `event_context` is what each event records about how it came about."""

    worker_id: int | None
    via: Via
    worker: Worker | None = None
    device: Device | None = None
    session: Session | None = None
    token: ApiToken | None = None
    event_context: EventContext = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "event_context", EventContext(self.via))

    @classmethod
    def of_session(cls, session: Session, device: Device | None = None) -> Author:
        return cls(session.worker.id, session.via, session.worker, device, session)

    @property
    def roles(self) -> frozenset[Rol]:
        """The confirmed roles of the person."""
        return self.worker.roles if self.worker else frozenset()
