"""The result of a rule: the spool and joints after it, the events to record, and the sentence for the worker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from carrete.domain.events import Event
from carrete.domain.joints import Joint
from carrete.domain.ndt.examination import Examination
from carrete.domain.spool import Spool


class EndedStage(NamedTuple):
    """The stage that a change ended (`domain.stage`), and how long it lasted."""

    stage: str
    lasted_s: int


@dataclass(frozen=True, slots=True)
class Change:
    spool: Spool
    events: tuple[Event, ...]
    accion: str
    message: str
    joints: tuple[Joint, ...] = ()
    ended: EndedStage | None = None
    keeps_version: bool = False  # the spool is as it was: its version token stays
    exams: tuple[Examination, ...] = ()  # examinations that are new or changed
    others: tuple[Change, ...] = ()  # changes of other spools that are part of this one
    warnings: tuple[str, ...] = ()  # sentences for the worker: it succeeded, but somebody should know

    def with_spool(self, spool: Spool) -> Change:
        return self._with(spool, self.events, self.ended)

    def with_stage(self, spool: Spool, ended: EndedStage | None, context: Mapping[str, Any] | None = None) -> Change:
        return self._with(spool, self._events_with(context) if context else self.events, ended)

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
        return self._with(self.spool, self._events_with(context), self.ended)

    def _events_with(self, context: Mapping[str, Any]) -> tuple[Event, ...]:
        return tuple(
            [event.with_metadata({**event.metadata, **context} if event.metadata else context) for event in self.events]
        )

    @classmethod
    def nothing(cls, spool: Spool, accion: str, message: str) -> Change:
        """A success that changes nothing, such as a gloved double tap."""
        return cls(spool, (), accion, message)
