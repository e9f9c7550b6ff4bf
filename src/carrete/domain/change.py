"""What a rule decided: the spool as it will be, and the facts to write down with it."""

from __future__ import annotations

from dataclasses import dataclass

from carrete.domain.events import Event
from carrete.domain.joints import Joint
from carrete.domain.spool import Spool


@dataclass(frozen=True, slots=True)
class Change:
    spool: Spool
    events: tuple[Event, ...]
    accion: str
    message: str
    joints: tuple[Joint, ...] = ()

    def with_spool(self, spool: Spool) -> Change:
        return Change(spool, self.events, self.accion, self.message, self.joints)

    @classmethod
    def nothing(cls, spool: Spool, accion: str, message: str) -> Change:
        """A success that leaves everything as it is, such as a gloved double tap."""
        return cls(spool, (), accion, message)
