"""Requests in another person's name and taps that do not hold, as access events. They are written a moment later, so
that no answer waits for them. Every client that reaches the server can send a tap that does not hold: those are
bounded, so that they cannot fill the ledger."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from carrete.identity.access_events import AccessKind, record
from carrete.identity.author import Author
from carrete.identity.lookup_queries import devices_of_secrets, sessions_of_ids
from carrete.ledger.database import Tx

WAITING_MAX = 1_000
TAPS_PER_MINUTE_MAX = 30  # of this process; one for each address and reason


@dataclass(frozen=True, slots=True)
class RefusedRequest:
    """`session_id` and `device_secret` are what a tap's request brought; whose they are is read when it is written."""

    at: datetime
    address: str | None
    detail: str
    device_id: str | None = None
    worker_id: int | None = None
    session_id: str | None = None
    device_secret: str | None = None


class RefusedRequests:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._waiting: list[RefusedRequest] = []
        self._minute = 0
        self._taps_noted: set[tuple[str | None, str]] = set()  # address and reason, in this minute

    def note_other_person(self, author: Author, named: int | None, path: str, address: str | None) -> None:
        device = author.device.id if author.device else author.via.device
        detail = f"nombra al trabajador {named}: {path}"  # a long path is cut off at its end
        self._note(RefusedRequest(datetime.now(UTC), address, detail, device, author.worker_id))

    def note_tap(
        self, reason: str, path: str, address: str | None, session_id: str | None, device_secret: str | None
    ) -> None:
        """Nothing of the tap was proven: every client that has seen the session's number could have sent it."""
        if not self._has_room(address, reason):
            return
        session = f" Sesión {session_id}." if session_id else ""
        detail = f"toque: {reason}{session} {path}"
        self._note(
            RefusedRequest(datetime.now(UTC), address, detail, session_id=session_id, device_secret=device_secret)
        )

    def take(self) -> list[RefusedRequest]:
        taken, self._waiting = self._waiting, []
        return taken

    def put_back(self, taken: list[RefusedRequest]) -> None:
        """They could not be written yet."""
        self._waiting = [*taken, *self._waiting][:WAITING_MAX]

    def _note(self, refused: RefusedRequest) -> None:
        if len(self._waiting) < WAITING_MAX:
            self._waiting.append(refused)

    def _has_room(self, address: str | None, reason: str) -> bool:
        minute = int(self._clock() // 60)
        if minute != self._minute:
            self._minute, self._taps_noted = minute, set()
        if len(self._taps_noted) >= TAPS_PER_MINUTE_MAX or (address, reason) in self._taps_noted:
            return False
        self._taps_noted.add((address, reason))
        return True


def write_refused(tx: Tx, refused: Sequence[RefusedRequest]) -> None:
    """A tap's event has the device of the request's cookie, or else the one on which the tap's session began."""
    sessions = sessions_of_ids(tx, [each.session_id for each in refused if each.session_id])
    devices = devices_of_secrets(tx, [each.device_secret for each in refused if each.device_secret])
    for each in refused:
        session, device = sessions.get(each.session_id or ""), devices.get(each.device_secret or "")
        record(
            tx,
            AccessKind.IDENTIDAD_RECHAZADA,
            at=each.at,
            device_id=device.id if device else session.device_id if session else each.device_id,
            worker_id=session.worker.id if session else each.worker_id,
            address=each.address,
            detail=each.detail,
        )
