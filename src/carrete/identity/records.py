"""Devices, sessions and tokens as a request meets them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from carrete.domain.authorship import Proof, Via
from carrete.domain.workers import PRIVILEGED, Worker
from carrete.settings import Access

FRESH_PIN = timedelta(minutes=5)


class DeviceKind(StrEnum):
    TABLET = "tablet"
    TABLERO = "tablero"  # a wall board: it reads and nobody signs in on it
    OFICINA = "oficina"


class TokenScope(StrEnum):
    LEER = "leer"
    ACTUAR = "actuar"
    ADMINISTRAR = "administrar"


@dataclass(frozen=True, slots=True)
class Device:
    id: str
    name: str
    kind: DeviceKind
    used_at: datetime


@dataclass(frozen=True, slots=True)
class Session:
    """A person at a device. `ended_at` is set once it was ended; without that it ends at `ends_at`. `unsent`: the
    signatures of the taps that the tablet had not seen answered when it reported the end; None if it sent no list."""

    id: str
    device_id: str
    worker: Worker
    proof: Proof
    began_at: datetime
    ends_at: datetime
    used_at: datetime
    pin_at: datetime | None
    ended_at: datetime | None = None
    last_tap: int | None = None
    device_revoked: bool = False
    unsent: frozenset[str] | None = None

    @property
    def via(self) -> Via:
        return Via(self.proof, device=self.device_id, session=self.id)

    def is_over(self, now: datetime) -> bool:
        return self.ended_at is not None or now >= self.ends_at

    def accepts_every_tap(self, now: datetime) -> bool:
        """Not once it was ended, which leaves a last number, or its device was revoked."""
        return not (self.is_over(now) or self.last_tap is not None or self.device_revoked)

    def lacks_pin(self, mode: Access) -> bool:
        """Whether a session that began by name or badge alone has come to need the PIN: because the person has a
        privilege by now, or because the server asks everybody for one by now. A PIN that was sealed without a
        connection does not count: how long ago it was typed is unknown."""
        return self.pin_at is None and (mode == "pin" or bool(self.worker.roles & PRIVILEGED))

    def pin_is_fresh(self, now: datetime) -> bool:
        """Whether the PIN was given so recently that a supervisor's action does not ask for it again. Never in a
        session that is over: what a supervisor does is not done later."""
        return not self.is_over(now) and self.pin_at is not None and now - self.pin_at <= FRESH_PIN

    def over_at(self) -> datetime:
        return min(self.ended_at, self.ends_at) if self.ended_at else self.ends_at


@dataclass(frozen=True, slots=True)
class ApiToken:
    id: str
    name: str
    scopes: frozenset[TokenScope]
    ends_at: datetime | None
    used_at: datetime | None

    @property
    def via(self) -> Via:
        return Via(Proof.TOKEN, token=self.id)
