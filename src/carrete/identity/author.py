"""Who acts in a request, and through what."""

from __future__ import annotations

from dataclasses import dataclass

from carrete.domain.authorship import Via
from carrete.domain.workers import Rol, Worker
from carrete.identity.records import ApiToken, Device, Session
from carrete.identity.taps import SignedTap


@dataclass(frozen=True, slots=True)
class Author:
    """The person who acts, and how. With a token, the request itself says which worker: `worker_id` is None until then,
    and for a token that only reads."""

    worker_id: int | None
    via: Via
    worker: Worker | None = None
    device: Device | None = None
    session: Session | None = None
    token: ApiToken | None = None
    tap: SignedTap | None = None  # the request is signed; whoever uses this author checks the signature

    @property
    def roles(self) -> frozenset[Rol]:
        """The confirmed roles of the person."""
        return self.worker.roles if self.worker else frozenset()
