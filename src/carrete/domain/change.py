"""The result of a rule: the spool and joints after it, the events to record, and the sentence for the worker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from carrete.domain.events import Event
from carrete.domain.joints import Joint
from carrete.domain.ndt.examination import Examination
from carrete.domain.spool import Spool


class EndedStage(NamedTuple):
    """The stage that a change ended (`domain.stage`), and how long it lasted."""

    stage: str
    lasted_s: int


class Change(NamedTuple):
    """A named tuple, as all that every action makes several of: a frozen dataclass takes four times as long."""

    spool: Spool
    events: tuple[Event, ...]
    accion: str
    message: str
    joints: tuple[Joint, ...] = ()
    ended: EndedStage | None = None
    keeps_version: bool = False  # the spool is as it was: its version token stays
    exams: tuple[Examination, ...] = ()  # examinations that are new or changed
    others: tuple[Change, ...] = ()  # changes of other spools that are part of this one
    warnings: tuple[str, ...] = ()  # sentences for the worker: the command succeeded, but there is something to know

    def with_spool(self, spool: Spool) -> Change:
        return self._with(spool, self.events, self.ended)

    def with_stage(self, spool: Spool, ended: EndedStage | None) -> Change:
        return self._with(spool, self.events, ended)

    def _with(self, spool: Spool, events: tuple[Event, ...], ended: EndedStage | None) -> Change:
        return Change(
            spool,
            events,
            self.accion,
            self.message,
            self.joints,
            ended,
            self.keeps_version,
            self.exams,
            self.others,
            self.warnings,
        )

    def with_event_context(self, context: Mapping[str, Any]) -> Change:
        """The same change, with how it came about in the metadata of each event."""
        events = tuple(event.with_metadata({**event.metadata, **context}) for event in self.events)
        return self._with(self.spool, events, self.ended)

    @classmethod
    def nothing(cls, spool: Spool, accion: str, message: str) -> Change:
        """A success that changes nothing, such as a gloved double tap."""
        return cls(spool, (), accion, message)
