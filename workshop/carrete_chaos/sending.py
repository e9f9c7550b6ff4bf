"""A tap as a tablet keeps it, and how it is sent: the same bytes again and again, until there is a final answer."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any
from uuid import UUID

from carrete.identity import refusals
from carrete_chaos.history import ActionCall, ActionDone, ActionRefused, ActionUnanswered, Outcome
from carrete_chaos.identity_log import NEED_PIN, IdentityLog, TapOrigin
from carrete_chaos.ndt_log import ExamBoard
from carrete_chaos.offline_log import KeptTap
from carrete_chaos.wire import NoAnswer, RawAnswer, post

ATTEMPT_S_MAX = 4.0
GIVES_UP_AFTER_S = 25.0
ANSWERED_KEPT = 30
OFFERED_KEPT = 12
LOOK_S = 0.1

IDENTITY_CODES = frozenset(refusal.code for refusal in refusals.IdentityRefusal.__subclasses__())
_PATHS = {
    "iniciar": "/api/v4/occupation/iniciar",
    "finalizar": "/api/v4/occupation/finalizar",
    "inspeccionar": "/api/metrologia/completar",
    "desbloquear": "/api/metrologia/desbloquear",
    "reclamar": "/api/reclamos",
}
_WITHOUT_OPERATION = ("inspeccionar", "liberar", "desbloquear", "cadena", "reclamar")


@dataclass(frozen=True, slots=True)
class Choice:
    """What a worker wants to do next."""

    accion: str
    tag: str
    operacion: str
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def path(self) -> str:
        return _PATHS.get(self.accion, f"/api/occupation/{self.accion}")

    def content(self, named: int | None) -> bytes:
        """The body; `named` is the worker that it names, if any."""
        body: dict[str, Any] = {"tag_spool": self.tag, **self.more}
        if self.accion not in _WITHOUT_OPERATION:
            body["operacion"] = self.operacion
        if named is not None:
            body["supervisor_id" if self.accion in NEED_PIN else "worker_id"] = named
        return json.dumps(body).encode()


@dataclass(frozen=True, slots=True)
class PreparedTap:
    key: str
    worker_id: int
    choice: Choice
    content: bytes
    signature: str = ""  # the header `Carrete-Tap`
    origin: TapOrigin | None = None

    @property
    def headers(self) -> dict[str, str]:
        signed = {"Carrete-Tap": self.signature} if self.signature else {}
        return {"Idempotency-Key": self.key, **signed}

    @property
    def names_another(self) -> bool:
        return self.origin is not None and self.origin.named not in (None, self.worker_id)

    def call(self, began: float, ended: float, outcome: Outcome, attempts: int) -> ActionCall:
        chosen = self.choice
        return ActionCall(
            self.key,
            self.worker_id,
            chosen.accion,
            chosen.tag,
            chosen.operacion,
            began,
            ended,
            outcome,
            attempts,
            self.origin,
            more=chosen.more,
        )


@dataclass(slots=True)
class TabletFloor:
    """What all tablets share: the servers, the spools, the recorded calls, and when to stop."""

    ports: Sequence[int]
    whole: Sequence[str]
    jointed: Sequence[str]
    calls: list[ActionCall] = field(default_factory=list)
    open: bool = True
    clock: Callable[[], float] = time.monotonic
    log: IdentityLog = field(default_factory=IdentityLog)
    kept: list[KeptTap] = field(default_factory=list)  # by tablets without a connection
    offered: deque[tuple[str, str]] = field(default_factory=lambda: deque(maxlen=OFFERED_KEPT))  # tag, operation
    exams: ExamBoard = field(default_factory=ExamBoard)
    answered: deque[PreparedTap] = field(default_factory=lambda: deque(maxlen=ANSWERED_KEPT))
    settled: set[str] = field(default_factory=set)  # the keys of taps whose answer their tablet has seen

    def unanswered(self, by_key: Mapping[str, str]) -> dict[str, str]:
        return {key: value for key, value in by_key.items() if key not in self.settled}

    def is_jointed(self, tag: str) -> bool:
        return tag.startswith("CH-J-")

    async def stays_open(self, seconds: float) -> bool:
        """Waits; False as soon as the floor closes."""
        until = self.clock() + seconds
        while True:
            left_s = until - self.clock()
            if not self.open or left_s <= 0:
                return self.open
            await asyncio.sleep(min(LOOK_S, left_s))


def new_key(rng: Random) -> str:
    return str(UUID(int=rng.getrandbits(128), version=4))


async def until_answered(
    floor: TabletFloor,
    tap: PreparedTap,
    cookies: Callable[[], Mapping[str, str]],
    rng: Random,
    gives_up_after_s: float = GIVES_UP_AFTER_S,
) -> ActionCall:
    """Sends the tap with the cookies that the tablet has at each attempt, at whichever server it reaches."""
    began = floor.clock()
    attempts = 0
    while floor.clock() - began < gives_up_after_s:
        attempts += 1
        headers = {**tap.headers, **cookies()}
        try:
            answer = await post(rng.choice(floor.ports), tap.choice.path, tap.content, headers, ATTEMPT_S_MAX)
        except NoAnswer:
            await asyncio.sleep(rng.uniform(0.01, 0.2))
            continue
        outcome = outcome_of(answer)
        if not isinstance(outcome, ActionUnanswered):
            floor.settled.add(tap.key)
            return tap.call(began, floor.clock(), outcome, attempts)
        if outcome.why:
            return tap.call(began, math.inf, outcome, attempts)
        await asyncio.sleep(rng.uniform(0.01, 0.2))
    return tap.call(began, math.inf, ActionUnanswered(), attempts)


def outcome_of(answer: RawAnswer) -> Outcome:
    """The outcome of an answer: 5xx means unknown; VERSION_CONFLICT is final under its key like any other refusal. A
    refusal of identity says nothing about an earlier attempt, whose answer may be lost."""
    if answer.status == 200:
        return done(answer.body)
    if answer.status >= 500:
        return ActionUnanswered()
    code = answer.body.get("code", "")
    if code in IDENTITY_CODES:
        return ActionUnanswered(code)
    return refused(answer.status, answer.body)


def done(body: Mapping[str, Any]) -> ActionDone:
    """`seqs` are those of the steps of a chain, or the one of a note or of the last event about an examination."""
    seqs = tuple(step["event_seq"] for step in body.get("pasos", ()))
    exams = tuple(body.get("ensayos", ()))
    if body.get("action_taken") == "NOTA" or exams:
        seqs = (body["event_seq"],)
    return ActionDone(body.get("version", ""), body.get("action_taken", ""), seqs, body.get("reclamo"), exams)


def refused(status: int, body: Mapping[str, Any]) -> ActionRefused:
    code, owner_id = body.get("code", ""), body.get("owner_id")
    return ActionRefused(status, code, owner_id, body.get("paso", 1), body.get("reclamo"))
