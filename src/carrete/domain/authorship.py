"""How an event came about: on which device, in which session or by which token, and what proved the person."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Proof(StrEnum):
    PIN = "pin"
    BADGE = "badge"
    NAME = "name"
    TOKEN = "token"
    PLANILLA = "planilla"  # a cell of the workbook


class EventContext(dict[str, Any]):
    """What the events of one author record about how they came about. It is made once, shared by all of them and never
    changed; the ledger keeps its JSON text here, so that it is made once."""

    __slots__ = ("text",)

    def __init__(self, via: Via) -> None:
        super().__init__(via=via.as_metadata())
        self.text: str | None = None


@dataclass(frozen=True, slots=True)
class Via:
    proof: Proof
    device: str | None = None
    session: str | None = None
    token: str | None = None

    def as_metadata(self) -> dict[str, str]:
        """What an event's metadata records under `via`."""
        named = {"device": self.device, "session": self.session, "token": self.token}
        return {**{name: value for name, value in named.items() if value is not None}, "proof": self.proof.value}
