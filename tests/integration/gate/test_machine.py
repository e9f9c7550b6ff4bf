"""Random actions and faults at the gate: every answer follows from the ledger, and in the end the locks equal it."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from carrete.actions import Performer
from carrete.actions.answer import Answer
from carrete.domain.commands import Pausar, Tomar
from carrete.domain.spool import Operacion
from carrete.domain.workers import Rol
from carrete.gate import Gate, LockAttempt
from carrete.gate.locks import KEY_PREFIX
from carrete.ledger.database import Database
from tests.support.acting import a_request, code
from tests.support.builders import SHOP, a_spool, a_worker, empty, put
from tests.support.gated import GatedFloor, a_gated_floor, assert_at_rest, occupations
from tests.support.redis_server import RedisServer

TAGS = ["MK-1", "MK-2", "MK-3"]
WORKERS = [1, 2, 3]
ACCIONES = ("TOMAR", "PAUSAR")
PLACES = ("before the commit", "after the commit")

tags = st.sampled_from(TAGS)
workers = st.sampled_from(WORKERS)
processes = st.sampled_from([0, 1])
keys = st.sampled_from([None, None, None, "key 1", "key 2", "key 3"])


class DayAtTheGate(RuleBasedStateMachine):
    """Two processes without background tasks share a ledger and a Redis. The model knows only who holds which spool."""

    redis: RedisServer
    floors: list[GatedFloor]
    met: Counter[str]

    def __init__(self) -> None:
        super().__init__()
        self.redis.ask("FLUSHALL")
        database = self.floors[0].services.database
        empty(database)
        put(database, [a_spool(tag) for tag in TAGS], [a_worker(n, roles=[Rol.AYUDANTE]) for n in WORKERS])
        self.holder: dict[str, int | None] = dict.fromkeys(TAGS)
        self.answers: dict[str, tuple[str, str, int, str]] = {}
        self.seen: list[tuple[str, str]] = []
        self.stopped: list[tuple[int, Stopped]] = []
        for floor in self.floors:
            floor.open_the_gate()

    def teardown(self) -> None:
        self.at_rest()

    # ─── what workers do ──────────────────────────────────────────────────────────────────────────────────

    @rule(process=processes, tag=tags, worker=workers, key=keys)
    def somebody_takes(self, process: int, tag: str, worker: int, key: str | None) -> None:
        if key not in self.answers:
            self.tap(process, "TOMAR", tag, worker, key)

    @rule(process=processes, tag=tags, worker=workers, key=keys)
    def somebody_ends(self, process: int, tag: str, worker: int, key: str | None) -> None:
        if key not in self.answers:
            self.tap(process, "PAUSAR", tag, worker, key)

    @precondition(lambda self: any(self.holder.values()))
    @rule(process=processes, data=st.data())
    def a_holder_ends(self, process: int, data: st.DataObject) -> None:
        tag, worker = data.draw(st.sampled_from([(tag, holder) for tag, holder in self.holder.items() if holder]))
        self.tap(process, "PAUSAR", tag, worker)

    @precondition(lambda self: self.answers)
    @rule(process=processes, data=st.data())
    def a_tablet_repeats_itself(self, process: int, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.answers)))
        accion, tag, worker, _ = self.answers[key]
        self.tap(process, accion, tag, worker, key)
        self.met["repeated"] += 1

    @rule(process=processes, tag=tags)
    def everybody_takes_at_once(self, process: int, tag: str) -> None:
        before = self.holder[tag]
        answers = dict(zip(WORKERS, self.floors[process].all_take(tag, WORKERS), strict=True))
        winners = [worker for worker, answer in answers.items() if answer == "OK"]
        assert len(winners) == 1
        assert before in (None, winners[0])
        self.holder[tag] = winners[0]
        self.met["at once"] += 1

    # ─── what happens to Redis ────────────────────────────────────────────────────────────────────────────

    @rule(tag=tags)
    def a_lock_is_lost(self, tag: str) -> None:
        self.redis.ask("DEL", KEY_PREFIX + tag)

    @rule()
    def redis_is_emptied(self) -> None:
        self.redis.ask("FLUSHALL")
        self.met["emptied"] += 1

    @rule()
    def somebody_copies_the_file(self) -> None:
        self.seen = list(self.redis.locks().items())

    @precondition(lambda self: self.seen)
    @rule()
    def the_old_file_comes_back(self) -> None:
        self.redis.ask("FLUSHALL")
        for tag, value in self.seen:
            self.redis.put_lock(tag, value, score=time.time())
        self.met["old file"] += 1

    @rule(process=processes)
    def redis_is_out_of_reach(self, process: int) -> None:
        self.floors[process].gate.breaker.open("out of reach")
        self.met["out of reach"] += 1

    @rule(process=processes)
    def redis_is_back(self, process: int) -> None:
        self.floors[process].gate.breaker.close()
        self.floors[process].rebuild()

    @rule(process=processes)
    def a_rebuild(self, process: int) -> None:
        if not self.floors[process].gate.breaker.is_open:
            self.floors[process].rebuild()

    # ─── where processes stop: some are killed there, some were only frozen ───────────────────────────────

    @precondition(lambda self: len(self.stopped) < 3)
    @rule(process=processes, tag=tags, worker=workers, accion=st.sampled_from(["TOMAR", "TOMAR", "PAUSAR"]))
    def somebody_stops_before_the_commit(self, process: int, tag: str, worker: int, accion: str) -> None:
        if not self.floors[process].gate.breaker.is_open:
            self.stop(process, Stopped("before the commit", accion, tag, worker))

    @precondition(lambda self: len(self.stopped) < 3)
    @rule(process=processes, tag=tags, worker=workers)
    def somebody_stops_after_the_commit_of_a_take(self, process: int, tag: str, worker: int) -> None:
        if not self.floors[process].gate.breaker.is_open:
            self.stop(process, Stopped("after the commit", "TOMAR", tag, worker))

    @precondition(lambda self: len(self.stopped) < 3 and any(self.holder.values()))
    @rule(process=processes, data=st.data())
    def somebody_stops_after_the_commit_of_an_end(self, process: int, data: st.DataObject) -> None:
        tag, worker = data.draw(st.sampled_from([(tag, holder) for tag, holder in self.holder.items() if holder]))
        if not self.floors[process].gate.breaker.is_open:
            self.stop(process, Stopped("after the commit", "PAUSAR", tag, worker))

    @precondition(lambda self: self.stopped)
    @rule(data=st.data())
    def one_that_stopped_was_killed(self, data: st.DataObject) -> None:
        process, who = data.draw(st.sampled_from(self.stopped))
        self.stopped.remove((process, who))
        self.floors[process].run(who.killed())
        self.met[f"killed {who.where} of {who.accion}"] += 1

    @precondition(lambda self: self.stopped)
    @rule(data=st.data())
    def one_that_stopped_goes_on(self, data: st.DataObject) -> None:
        self.go_on(*data.draw(st.sampled_from(self.stopped)))

    @precondition(lambda self: self.stopped)
    @rule()
    def ten_seconds_pass(self) -> None:
        self.end_every_time_limit()

    # ─── what must hold ───────────────────────────────────────────────────────────────────────────────────

    @invariant()
    def the_ledger_agrees_with_the_model(self) -> None:
        held = {tag: int(value.split(":")[0]) for tag, value in occupations(self.floors[0].services.database).items()}
        assert held == {tag: worker for tag, worker in self.holder.items() if worker}

    @rule()
    def everything_comes_to_rest(self) -> None:
        self.at_rest()

    def at_rest(self) -> None:
        for process, who in list(self.stopped):
            self.go_on(process, who)
        self.end_every_time_limit()
        for floor in self.floors:
            floor.gate.breaker.close()
            floor.rebuild()
            floor.run(floor.gate.healer.heal_due())
        assert_at_rest(self.redis, self.floors[0].services.database)
        self.met["at rest"] += 1

    # ─── how it is done ───────────────────────────────────────────────────────────────────────────────────

    def tap(self, process: int, accion: str, tag: str, worker: int, key: str | None = None) -> None:
        """Checks the answer, and the lock too when no other action is under way on the spool."""
        floor = self.floors[process]
        quiet = self.is_quiet(process, tag)
        answer = floor.take(tag, worker, key=key) if accion == "TOMAR" else floor.end(tag, worker, key=key)
        if key in self.answers:
            assert answer == self.answers[key][3]
        else:
            assert answer == self.expected(accion, tag, worker)
            self.met[f"{accion} {answer}"] += 1
        if key is not None:
            self.answers[key] = (accion, tag, worker, answer)
        if quiet:
            self.check_lock(tag)

    def is_quiet(self, process: int, tag: str) -> bool:
        """This process uses Redis, and no other action is under way on this spool."""
        under_way = self.redis.pending() | {who.tag for _, who in self.stopped}
        return not self.floors[process].gate.breaker.is_open and tag not in under_way

    def check_lock(self, tag: str) -> None:
        assert self.redis.value(tag) == occupations(self.floors[0].services.database).get(tag)
        assert tag not in self.redis.pending()

    def expected(self, accion: str, tag: str, worker: int) -> str:
        """The answer according to the model, which this changes too."""
        holder = self.holder[tag]
        if accion == "TOMAR":
            answer = "OK" if holder in (None, worker) else "SPOOL_OCCUPIED"
        else:
            answer = "OK" if holder == worker else "OPERACION_NO_INICIADA" if holder is None else "NO_AUTORIZADO"
        if answer == "OK":
            self.holder[tag] = worker if accion == "TOMAR" else None
        return answer

    def stop(self, process: int, who: Stopped) -> None:
        floor = self.floors[process]
        floor.run(who.acts(Performer(floor.services.database, who.gate(floor.gate.gate), SHOP)))
        if who.where == "after the commit":
            self.decide(who)
        self.stopped.append((process, who))

    def go_on(self, process: int, who: Stopped) -> None:
        self.stopped.remove((process, who))
        answer = self.floors[process].run(who.went_on())
        if who.where == "before the commit":
            self.decide(who)
        assert answer == who.answer
        if who.changed and self.is_quiet(process, who.tag):
            self.check_lock(who.tag)
        self.met[f"went on {who.where} of {who.accion}"] += 1

    def decide(self, who: Stopped) -> None:
        before = self.holder[who.tag]
        who.answer = self.expected(who.accion, who.tag, who.worker)
        who.changed = self.holder[who.tag] != before

    def end_every_time_limit(self) -> None:
        pending = self.redis.pending()
        for tag in pending:
            self.redis.ask("PEXPIRE", KEY_PREFIX + tag, 1)
        if pending:
            time.sleep(0.003)


class Stopped:
    """An action that stops in the middle of its path."""

    def __init__(self, where: str, accion: str, tag: str, worker: int) -> None:
        self.where = where
        self.accion = accion
        self.tag = tag
        self.worker = worker
        self.answer = ""
        self.changed = False
        self._there = asyncio.Event()
        self._on = asyncio.Event()
        self._performer: Performer | None = None
        self._task: asyncio.Task[Answer] | None = None

    def gate(self, real: Gate) -> Gate:
        return StoppingGate(real, self)

    async def pause(self, where: str) -> None:
        if where == self.where:
            self._there.set()
            await self._on.wait()

    async def acts(self, performer: Performer) -> None:
        self._performer = performer
        kind = Tomar if self.accion == "TOMAR" else Pausar
        self._task = asyncio.create_task(performer.perform(a_request(kind(self.tag, self.worker, Operacion.ARM))))
        await asyncio.wait_for(self._there.wait(), 5)

    async def went_on(self) -> str:
        assert self._task is not None
        self._on.set()
        answer = await asyncio.wait_for(self._task, 30)
        self._stop()
        return code(answer)

    async def killed(self) -> None:
        assert self._task is not None
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        self._stop()

    def _stop(self) -> None:
        assert self._performer is not None
        self._performer.stop()


class StoppingGate:
    """The real gate, in which one action stops."""

    def __init__(self, real: Gate, who: Stopped) -> None:
        self._real = real
        self._who = who

    async def enter(self, attempts: Sequence[LockAttempt]) -> None:
        await self._real.enter(attempts)
        await self._who.pause("before the commit")

    def extend(self, attempts: Sequence[LockAttempt]) -> None:
        pass

    async def leave(self, attempts: Sequence[LockAttempt]) -> None:
        await self._who.pause("after the commit")
        await self._real.leave(attempts)


EVERYTHING = {
    *("TOMAR OK", "TOMAR SPOOL_OCCUPIED", "PAUSAR OK", "PAUSAR NO_AUTORIZADO", "PAUSAR OPERACION_NO_INICIADA"),
    *("repeated", "at once", "emptied", "old file", "out of reach", "at rest"),
    *(f"{fate} {where} of {accion}" for fate in ("killed", "went on") for where in PLACES for accion in ACCIONES),
}


def test_whatever_happens_to_redis_the_ledger_answers_and_at_rest_the_locks_are_its_own(
    ledger: Database, ledger_url: str, redis: RedisServer, tmp_path: Path
) -> None:
    seen: Counter[str] = Counter()
    with ExitStack() as stack:
        floors = [stack.enter_context(a_gated_floor(ledger_url, redis.url, tmp_path)) for _ in range(2)]
        facts = {"redis": redis, "floors": floors, "met": seen}
        run_state_machine_as_test(
            type("Day", (DayAtTheGate,), facts),
            settings=settings(
                max_examples=45,
                stateful_step_count=40,
                derandomize=True,
                database=None,
                deadline=None,
                phases=(Phase.generate,),  # shrinking a failure takes minutes, and forty steps can be read as they are
                suppress_health_check=list(HealthCheck),
            ),
        )
    assert EVERYTHING - set(seen) == set(), "the days were varied enough to meet everything there is"
