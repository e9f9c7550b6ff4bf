"""The result of a rule: the spool and joints after it, the events to record, and the sentence for the worker."""

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
        """A success that changes nothing, such as a gloved double tap."""
        return cls(spool, (), accion, message)
