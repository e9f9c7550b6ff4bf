"""Actions through the one path: requests as a server would make them, and answers that are easy to compare."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from carrete.actions import Outcome, Performer, Request, Success
from carrete.actions.answer import Answer
from carrete.domain import estado_detalle
from carrete.domain.commands import Command
from carrete.gate import Gate, OpenGate
from carrete.ledger.database import Database
from tests.support.builders import NOW, SHOP

OK, REFUSED = 200, 400


def answer_of(_: Sequence[Command], outcomes: Sequence[Outcome]) -> Answer:
    """For each command the result that the caller gets: the state of the spool, or the code of the refusal."""
    bodies = [_body(outcome) for outcome in outcomes]
    status = OK if any("code" not in body for body in bodies) else REFUSED
    return Answer(status, json.dumps(bodies, sort_keys=True))


def _body(outcome: Outcome) -> dict[str, Any]:
    if not isinstance(outcome, Success):
        return {"code": outcome.code, "detail": outcome.detail, **outcome.context}
    spool = outcome.change.spool
    return {
        "tag_spool": spool.tag,
        "action_taken": outcome.change.accion,
        "ocupado_por": spool.occupation.label if spool.occupation else None,
        "estado_detalle": estado_detalle.render(spool),
        "version": spool.version,
        "event_seq": outcome.event_seq,
    }


def a_request(*commands: Command, key: str | None = None, fingerprint: str | None = None) -> Request:
    body = repr(commands) if fingerprint is None else fingerprint
    return Request(commands, answer_of, key, body)


def bodies(answer: Answer) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(answer.body)
    return found


def code(answer: Answer) -> str:
    """Of a request with one command: the code it was refused with, or OK."""
    (body,) = bodies(answer)
    return str(body.get("code", "OK"))


class Floor:
    """One running process, as far as actions go: a ledger, the path over it and an event loop."""

    def __init__(
        self, database: Database, *, clock: Callable[[], datetime] = lambda: NOW, gate: Gate | None = None
    ) -> None:
        self.performer = Performer(database, gate or OpenGate(), SHOP, clock)
        self._loop = asyncio.Runner()

    def do(self, *commands: Command, key: str | None = None, fingerprint: str | None = None) -> Answer:
        return self._loop.run(self.performer.perform(a_request(*commands, key=key, fingerprint=fingerprint)))

    def do_all(self, requests: Iterable[Request]) -> list[Answer | BaseException]:
        """All of them at the same moment."""

        async def together() -> list[Answer | BaseException]:
            tasks = (self.performer.perform(request) for request in requests)
            return await asyncio.gather(*tasks, return_exceptions=True)

        return self._loop.run(together())

    def close(self) -> None:
        self.performer.stop()
        self._loop.close()


@contextmanager
def a_floor(
    database: Database, *, clock: Callable[[], datetime] = lambda: NOW, gate: Gate | None = None
) -> Iterator[Floor]:
    floor = Floor(database, clock=clock, gate=gate)
    try:
        yield floor
    finally:
        floor.close()
