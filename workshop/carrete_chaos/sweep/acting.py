"""One action over the real `carrete serve` and its embedded Redis: the server is killed and started again, and the
action is repeated with its key."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar, TypeVar

import redis
from redis.exceptions import RedisError

from carrete.actions import Performer
from carrete.actions.recount import recount
from carrete.domain.commands import Command, Finalizar, Iniciar, Ofrecer, Tomar
from carrete.domain.shop import Shop
from carrete.domain.spool import Operacion
from carrete.gate import OpenGate
from carrete.gate.locks import KEY_PREFIX, SAFETY_MS
from carrete.ledger import open_database
from carrete.ledger.database import Tx
from carrete.redis.embedded_server import socket_path
from carrete_chaos import shop
from carrete_chaos.sheets.shop import Taps
from carrete_chaos.sweep.http import HttpAnswer, get, post
from carrete_chaos.sweep.scenario import ReferenceRun, Scenario, ScenarioOutcome, TrialResult
from carrete_chaos.sweep.snapshot import Snapshot, difference
from carrete_chaos.sweep.traced_process import GONE_S_MAX, START_S_MAX, DidNotStart, TracedProcess
from carrete_chaos.sweep.tracer import Tracer

T = TypeVar("T")
WHOLE = shop.whole_tags(3)
(JOINTED,) = shop.jointed_tags(1)
WORKER = shop.FIRST_WORKER
RECEIVER = WORKER + 1
ALL_JOINTS = tuple(range(1, shop.JOINTS + 1))
KEY = "barrido"
CALM_S = 0.2  # after strace has attached, until the server is idle again
LATE_S = 0.4  # what a server still does after its answer
LOCKS_S_MAX = SAFETY_MS / 1000 + 10.0  # a pending lock of a process that was killed is released by its time limit


def fill(url: str, spools: int, done: Sequence[Command], settings: Mapping[str, Any] = shop.NO_SETTINGS) -> None:
    """Fills a shop that had been started before, with the work that the action needs."""
    shop.fill(url, 2, spools, settings)
    database = open_database(url)
    recount(database, Shop(), datetime.now(UTC))  # as every start does
    database.close()
    tap_all(url, done)


def tap_all(url: str, done: Sequence[Command]) -> None:
    database = open_database(url)
    taps = Taps(Performer(database, OpenGate(), Shop()))
    for command in done:
        taps.all_at_once([command])
    taps.close()
    database.close()


def write(url: str, work: Callable[[Tx], T]) -> T:
    """One commit from outside of the server."""
    database = open_database(url)
    try:
        with database.writing() as tx:
            return work(tx)
    finally:
        database.close()


class Action(Scenario):
    path: ClassVar[str]
    body: ClassVar[dict[str, Any]]
    done_before: ClassVar[tuple[Command, ...]] = ()
    status: ClassVar[int] = 200  # of its answer
    answer: HttpAnswer | None = None

    def prepare(self) -> None:
        fill(self.ledger.url, spools=len(WHOLE), done=self.done_before)

    def snapshot(self) -> Snapshot:
        return self.ledger.snapshot()

    def run(self, tracer: Tracer) -> bool:
        server, port = self._serve()
        tracer.attach(server.pid)
        time.sleep(CALM_S)
        self.answer = self._ask(port)
        killed = server.gone(LATE_S if self.answer else GONE_S_MAX) and server.was_killed
        if not killed and (self.answer is None or self.answer.status != self.status):
            raise DidNotStart(f"{self.path} was answered {self.answer}: {server.output[-500:]}")
        return killed

    def _serve(self) -> tuple[TracedProcess, int]:
        server = self.carrete("serve", "--port", "0", redis="embedded")
        port = server.listening()
        until = time.monotonic() + START_S_MAX
        while time.monotonic() < until:
            health = get(port, "/api/health/redis")
            if health.get("status") == "healthy" and health.get("locks_rebuilt"):
                return server, port
            time.sleep(0.02)
        raise DidNotStart(f"carrete serve has no Redis within {START_S_MAX:.0f} s: {server.output[-500:]}")

    def _ask(self, port: int) -> HttpAnswer | None:
        return post(port, self.path, self.body, KEY)

    def judge(self, reference: ReferenceRun) -> TrialResult:
        try:
            _, port = self._serve()
        except DidNotStart as error:
            return TrialResult(ScenarioOutcome.NEITHER, (str(error),))
        found = self.outcome(self.snapshot(), reference)
        wrong = [*found.wrong, *self.ledger.damage()]
        happened = found.outcome is ScenarioOutcome.HAPPENED
        if self.answer is not None and not happened:
            wrong.append(f"it was answered {self.answer.status}, and {found.outcome}")
        wrong += [*self._tried_again(port, reference, happened), *self.ledger.damage()]
        return TrialResult(found.outcome, tuple(dict.fromkeys(wrong)))

    def _tried_again(self, port: int, reference: ReferenceRun, happened: bool) -> Iterator[str]:
        """What is wrong after the person has tried again."""
        yield from self._again(port, reference, happened)
        yield from self._locks()

    def _again(self, port: int, reference: ReferenceRun, happened: bool) -> Iterator[str]:
        """Repeating the action with the same key is answered alike and makes exactly one change."""
        first = self._ask(port)
        second = self._ask(port)
        if first is None or first.status != self.status:
            yield f"the same key again was answered {first}"
        elif happened and not first.replayed:
            yield "it had happened, and the same key did it again"
        elif self.answer is not None and self.answer.body != first.body:
            yield f"it was answered {self.answer.body!r} and then {first.body!r}"
        if second is None or first is None or (second.body, second.replayed) != (first.body, True):
            yield f"the same key was answered {first} and then {second}"
        if not (now := self.snapshot()).same_as(reference.after):
            yield f"after the same key again: {difference(now, reference.after)}"

    def _locks(self) -> Iterator[str]:
        until = time.monotonic() + LOCKS_S_MAX
        while (found := self._in_redis()) != (wanted := self.ledger.locks()):
            if time.monotonic() > until:
                yield f"the locks are {found}, and the occupations {wanted}"
                return
            time.sleep(0.05)

    def _in_redis(self) -> dict[str, str] | None:
        client = redis.Redis(unix_socket_path=str(socket_path(self.folder)), decode_responses=True)
        try:
            names = [str(name) for name in client.scan_iter(f"{KEY_PREFIX}*", count=1000)]
            return {name.removeprefix(KEY_PREFIX): str(client.get(name)) for name in names}
        except RedisError:
            return None
        finally:
            client.close()


class KeylessAction(Action):
    """A request without an idempotency key. After a kill the ledger is as before or as after, what was answered is
    there, and a person who tries again gets what they want."""

    def _tried_again(self, port: int, _: ReferenceRun, happened: bool) -> Iterator[str]:
        return self._afterwards(port, happened)

    @abstractmethod
    def _afterwards(self, port: int, happened: bool) -> Iterator[str]:
        """Tries again, and returns what is wrong then."""


WHOLE_ARM = {"tag_spool": WHOLE[0], "worker_id": WORKER, "operacion": "ARM"}
TAKEN = (Tomar(WHOLE[0], WORKER, Operacion.ARM),)
WELDING = (
    Iniciar(JOINTED, WORKER, Operacion.ARM),
    Finalizar(JOINTED, WORKER, Operacion.ARM, unions=ALL_JOINTS),
    Iniciar(JOINTED, WORKER, Operacion.SOLD),
)


class Take(Action):
    name = "take"
    what = "TOMAR"
    path = "/api/occupation/tomar"
    body = WHOLE_ARM


class TakeMany(Action):
    name = "take-many"
    what = "TOMAR of three spools in one call"
    path = "/api/occupation/batch-tomar"
    body: ClassVar[dict[str, Any]] = {"tag_spools": WHOLE, "worker_id": WORKER, "operacion": "ARM"}


class Pause(Action):
    name = "pause"
    what = "PAUSAR"
    path = "/api/occupation/pausar"
    body = WHOLE_ARM
    done_before = TAKEN


class Complete(Action):
    name = "complete"
    what = "COMPLETAR"
    path = "/api/occupation/completar"
    body = WHOLE_ARM
    done_before = TAKEN


class Cancel(Action):
    name = "cancel"
    what = "CANCELAR"
    path = "/api/occupation/cancelar"
    body = WHOLE_ARM
    done_before = TAKEN


class OfferHandOver(Action):
    """Joints of the giver and the offer in one commit; the occupation goes on."""

    name = "offer"
    what = "OFRECER a hand-over, with two joints"
    path = "/api/occupation/relevo/ofrecer"
    body: ClassVar[dict[str, Any]] = {
        **{"tag_spool": JOINTED, "worker_id": WORKER, "operacion": "SOLD"},
        **{"receptor_id": RECEIVER, "selected_unions": [1, 2]},
    }
    done_before = WELDING


class HandOver(Action):
    name = "hand-over"
    what = "ACEPTAR a hand-over"
    path = "/api/occupation/relevo/aceptar"
    body: ClassVar[dict[str, Any]] = {**WHOLE_ARM, "worker_id": RECEIVER}
    done_before = (*TAKEN, Ofrecer(WHOLE[0], WORKER, Operacion.ARM, receiver_id=RECEIVER))

    def prepare(self) -> None:
        """Waits until the second of the take is over: a stage of less than a second is not recorded."""
        super().prepare()
        time.sleep(1.0)


class Finish(Action):
    """The last welds of a spool: twelve joints, the spool and the inspection queue in one commit."""

    name = "finish"
    what = "FINALIZAR of twelve joints, the last that the spool needed"
    path = "/api/v4/occupation/finalizar"
    body: ClassVar[dict[str, Any]] = {
        **{"tag_spool": JOINTED, "worker_id": WORKER, "operacion": "SOLD"},
        "selected_unions": list(ALL_JOINTS),
    }
    done_before = WELDING
