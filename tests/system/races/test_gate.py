"""Several real processes at one gate: which one wins, what a kill -9 at each point costs, and a process that wakes up
too late."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx
import pytest

from carrete.ledger.database import Database
from tests.support.answers import refused, replayed
from tests.support.builders import a_spool, events_in, put, spool_in
from tests.support.crowd import at_once
from tests.support.gated import eventually, is_at_rest
from tests.support.local import LOCAL
from tests.support.redis_proxy import RedisProxy, running_proxy
from tests.support.redis_server import RedisServer, running_redis
from tests.support.server import RunningServer, running_server, start_server, stop
from tests.support.tablet import Tablet
from tests.system.races.conftest import CREW, staffed_ledger

ROUNDS = 200
HANDS = 16
ANA, BRUNO = CREW[0].id, CREW[1].id
SAFETY_S = 10.0
FROZEN_S = 8.0
LOOK_S = 3.0  # of the watch, with some room


@dataclass
class GatedShop:
    """Two servers on one ledger and one Redis; the first one's way to Redis can be disturbed."""

    database: Database
    url: str
    folder: Path
    redis: RedisServer
    proxy: RedisProxy
    disturbed: RunningServer
    other: RunningServer

    def restart(self) -> None:
        stop(self.disturbed)
        self.disturbed = start_server(self.url, self.folder, settings={"REDIS_URL": self.proxy.url})
        eventually(lambda: healthy(self.disturbed), 10.0)


def healthy(server: RunningServer) -> bool:
    return bool(httpx.get(f"{server.url}/api/health/redis", timeout=5, **LOCAL).json()["status"] == "healthy")


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def gated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatedShop]:
    folder: Path = tmp_path_factory.mktemp("gated")
    with ExitStack() as stack:
        url, database = staffed_ledger(request, folder, stack)
        redis = stack.enter_context(running_redis())
        proxy = stack.enter_context(running_proxy(redis))
        disturbed = start_server(url, folder, settings={"REDIS_URL": proxy.url})
        other = stack.enter_context(running_server(url, folder, settings={"REDIS_URL": redis.url}))
        shop = GatedShop(database, url, folder, redis, proxy, disturbed, other)
        stack.callback(lambda: stop(shop.disturbed))
        for server_ in (disturbed, other):
            eventually(partial(healthy, server_), 10.0)
        yield shop
        # whichever of the tests were run: when everything is quiet, the locks are the ledger's occupations
        eventually(lambda: is_at_rest(redis, database), SAFETY_S + LOOK_S)


def test_over_many_rounds_in_two_processes_each_has_one_winner(gated: GatedShop) -> None:
    put(gated.database, [a_spool("ROUNDS")])
    servers = (gated.disturbed, gated.other)
    with ExitStack() as stack:
        clients = [stack.enter_context(servers[n % 2].client()) for n in range(HANDS)]
        tablets = [Tablet(client.request) for client in clients]
        for _ in range(ROUNDS):
            answers = at_once([partial(t.tap, "TOMAR", "ROUNDS", CREW[n].id) for n, t in enumerate(tablets)])
            assert Counter(answer.status_code for answer in answers) == {200: 1, 409: HANDS - 1}
            (winner,) = [n for n, answer in enumerate(answers) if answer.status_code == 200]
            assert {a.json()["owner_id"] for a in answers if a.status_code == 409} == {CREW[winner].id}
            assert tablets[winner].tap("PAUSAR", "ROUNDS", CREW[winner].id).status_code == 200
    accions = [stored.event.accion for stored in events_in(gated.database, "ROUNDS")]
    assert accions == ["TOMAR", "PAUSAR"] * ROUNDS
    eventually(lambda: is_at_rest(gated.redis, gated.database), SAFETY_S + LOOK_S)


def test_redis_emptied_again_and_again_changes_no_answer(gated: GatedShop) -> None:
    put(gated.database, [a_spool(f"FLUSH-{n}") for n in range(4)])
    servers = (gated.disturbed, gated.other)
    with ExitStack() as stack:
        tablets = [stack.enter_context(servers[n % 2].tablet()) for n in range(8)]
        for turn in range(30):
            tag = f"FLUSH-{turn % 4}"
            taps = [partial(t.tap, "TOMAR", tag, CREW[n].id) for n, t in enumerate(tablets)]
            empties = [partial(gated.redis.ask, "FLUSHALL")] * 2
            with ThreadPoolExecutor(2) as hands:
                emptying = [hands.submit(empty) for empty in empties]
                answers = at_once(taps)
                for done in emptying:
                    done.result()
            assert Counter(answer.status_code for answer in answers) == {200: 1, 409: 7}
            (winner,) = [n for n, answer in enumerate(answers) if answer.status_code == 200]
            gated.redis.ask("FLUSHALL")
            assert tablets[(winner + 1) % 8].tap("PAUSAR", tag, CREW[winner].id).status_code == 200
    eventually(lambda: is_at_rest(gated.redis, gated.database), SAFETY_S + LOOK_S)


def tap_and_lose(server: RunningServer, accion: str, tag: str, worker: int, key: str) -> None:
    """The tablet never gets the answer."""
    with server.tablet() as tablet, pytest.raises(httpx.TransportError):
        tablet.tap(accion, tag, worker, key=key)


@contextmanager
def killed(gated: GatedShop, when: str, script: str, accion: str, tag: str) -> Iterator[Tablet]:
    """Ana taps, and the server she taps on is killed there. The tablet is one of the other server; then it is back."""
    eventually(lambda: healthy(gated.disturbed), 10.0)  # on a busy machine it may do without Redis for a moment
    try:
        trap = getattr(gated.proxy, when)(script, lambda: gated.disturbed.kill())
        tap_and_lose(gated.disturbed, accion, tag, ANA, f"lost {tag}")
        trap.wait()
        with gated.other.tablet() as other:
            yield other
    finally:
        gated.restart()


def is_left_pending(gated: GatedShop, tag: str, for_s: float) -> bool:
    """For ten seconds at most; a test that waits for its end lets most of that time pass at once."""
    left_ms = gated.redis.ttl_ms(tag)
    gated.redis.ask("PEXPIRE", f"spool_lock:{tag}", round(for_s * 1000))
    return 0 < left_ms <= SAFETY_S * 1000


def comes_to_rest(gated: GatedShop) -> None:
    """Locks = the ledger's occupations."""
    eventually(lambda: is_at_rest(gated.redis, gated.database), SAFETY_S + LOOK_S)


def holder(gated: GatedShop, tag: str) -> int | None:
    occupation = spool_in(gated.database, tag).occupation
    return occupation.worker_id if occupation else None


def lock_of(gated: GatedShop, tag: str) -> str | None:
    occupation = spool_in(gated.database, tag).occupation
    return occupation.lock if occupation else None


def accions(gated: GatedShop, tag: str) -> list[str]:
    return [stored.event.accion for stored in events_in(gated.database, tag)]


class TestKill9:
    def test_after_the_lock_leaves_a_spool_that_anybody_takes_at_once(self, gated: GatedShop) -> None:
        """Nothing was committed, and a pending lock is left. The next worker does not wait until it expires."""
        put(gated.database, [a_spool("LOCKED")])
        with killed(gated, "after", "take", "TOMAR", "LOCKED") as other:
            assert is_left_pending(gated, "LOCKED", for_s=5)
            assert holder(gated, "LOCKED") is None
            assert other.tap("TOMAR", "LOCKED", BRUNO).status_code == 200
            assert (gated.redis.value("LOCKED") or "").startswith(f"{ANA}:"), "he was let in beside her pending lock"
            refused(other.tap("TOMAR", "LOCKED", ANA, key="lost LOCKED"), 409, "SPOOL_OCCUPIED", owner_id=BRUNO)
        comes_to_rest(gated)
        assert (holder(gated, "LOCKED"), accions(gated, "LOCKED")) == (BRUNO, ["TOMAR"])

    def test_after_the_lock_does_not_keep_out_the_worker_who_is_back_before_it_expires(self, gated: GatedShop) -> None:
        """The killed process is there again within two seconds; her own pending lock is no conflict."""
        put(gated.database, [a_spool("BACK")])
        with killed(gated, "after", "take", "TOMAR", "BACK"):
            assert "BACK" in gated.redis.pending()
        assert is_left_pending(gated, "BACK", for_s=1), "back within its ten seconds"
        with gated.disturbed.tablet() as again:
            assert again.tap("TOMAR", "BACK", ANA, key="lost BACK").status_code == 200
            refused(again.tap("TOMAR", "BACK", BRUNO), 409, "SPOOL_OCCUPIED", owner_id=ANA)
        comes_to_rest(gated)
        assert (holder(gated, "BACK"), accions(gated, "BACK")) == (ANA, ["TOMAR"])

    def test_after_the_commit_of_a_take_the_worker_holds_it_and_can_end_it(self, gated: GatedShop) -> None:
        """Her lock is still pending; the next touch makes it held, and her repeated tap gets its answer."""
        put(gated.database, [a_spool("TAKEN")])
        with killed(gated, "before", "hold", "TOMAR", "TAKEN") as other:
            assert "TAKEN" in gated.redis.pending()
            assert holder(gated, "TAKEN") == ANA
            refused(other.tap("TOMAR", "TAKEN", BRUNO), 409, "SPOOL_OCCUPIED", owner_id=ANA)
            assert (gated.redis.value("TAKEN"), gated.redis.ttl_ms("TAKEN")) == (lock_of(gated, "TAKEN"), -1)
            answer = other.tap("TOMAR", "TAKEN", ANA, key="lost TAKEN")
            assert (answer.status_code, replayed(answer)) == (200, True)
        comes_to_rest(gated)
        with gated.other.tablet() as other:
            assert other.tap("PAUSAR", "TAKEN", ANA).status_code == 200
            assert other.tap("TOMAR", "TAKEN", BRUNO).status_code == 200
        assert accions(gated, "TAKEN") == ["TOMAR", "PAUSAR", "TOMAR"]
        comes_to_rest(gated)

    def test_after_the_commit_of_a_take_that_nobody_touches_the_lock_is_held_when_the_process_is_back(
        self, gated: GatedShop
    ) -> None:
        put(gated.database, [a_spool("UNTOUCHED")])
        with killed(gated, "before", "hold", "TOMAR", "UNTOUCHED"):
            assert "UNTOUCHED" in gated.redis.pending()
        comes_to_rest(gated)
        assert (gated.redis.value("UNTOUCHED"), gated.redis.ttl_ms("UNTOUCHED")) == (lock_of(gated, "UNTOUCHED"), -1)

    def test_after_the_commit_of_an_end_leaves_a_spool_that_anybody_takes_at_once(self, gated: GatedShop) -> None:
        """The spool is free, and her held lock is left over: the next taker's lock replaces it before the answer."""
        put(gated.database, [a_spool("ENDED")])
        with gated.other.tablet() as other:
            assert other.tap("TOMAR", "ENDED", ANA).status_code == 200
        with killed(gated, "before", "release", "PAUSAR", "ENDED") as other:
            assert ((gated.redis.value("ENDED") or "").split(":")[0], gated.redis.ttl_ms("ENDED")) == (str(ANA), -1)
            assert holder(gated, "ENDED") is None
            assert other.tap("TOMAR", "ENDED", BRUNO).status_code == 200
            assert (gated.redis.value("ENDED"), gated.redis.ttl_ms("ENDED")) == (lock_of(gated, "ENDED"), -1)
            answer = other.tap("PAUSAR", "ENDED", ANA, key="lost ENDED")
            assert (answer.status_code, replayed(answer)) == (200, True)
        comes_to_rest(gated)
        assert (holder(gated, "ENDED"), accions(gated, "ENDED")) == (BRUNO, ["TOMAR", "PAUSAR", "TOMAR"])

    def test_after_the_commit_of_an_end_that_nobody_touches_the_lock_is_gone_when_the_process_is_back(
        self, gated: GatedShop
    ) -> None:
        put(gated.database, [a_spool("FREED")])
        with gated.other.tablet() as other:
            assert other.tap("TOMAR", "FREED", ANA).status_code == 200
        with killed(gated, "before", "release", "PAUSAR", "FREED"):
            assert gated.redis.ttl_ms("FREED") == -1
        comes_to_rest(gated)
        assert gated.redis.value("FREED") is None


def test_a_request_frozen_for_eight_seconds_whose_twin_was_refused_never_acts(gated: GatedShop) -> None:
    """Ana's tap stops with the whole process after its lock. Her tablet repeats it elsewhere, is refused because
    Bruno has the spool, and Bruno ends. Then the frozen process goes on: the spool is free, and stays free."""
    put(gated.database, [a_spool("FROZEN")])
    trap = gated.proxy.hold("take")
    frozen_s = FROZEN_S if gated.database.engine == "sqlite" else 1.0
    with gated.disturbed.tablet() as first, gated.other.tablet() as other, ThreadPoolExecutor(1) as hand:
        stuck = hand.submit(first.tap, "TOMAR", "FROZEN", ANA, key="frozen")
        trap.wait()
        os.kill(gated.disturbed.pid, signal.SIGSTOP)
        begun = time.monotonic()
        trap.go_on.set()
        try:
            eventually(lambda: "FROZEN" in gated.redis.pending(), 2.0)
            assert other.tap("TOMAR", "FROZEN", BRUNO).status_code == 200
            refused(other.tap("TOMAR", "FROZEN", ANA, key="frozen"), 409, "SPOOL_OCCUPIED", owner_id=BRUNO)
            assert other.tap("PAUSAR", "FROZEN", BRUNO).status_code == 200
            time.sleep(max(0.0, begun + frozen_s - time.monotonic()))
        finally:
            os.kill(gated.disturbed.pid, signal.SIGCONT)
        answer = stuck.result(10)
        refused(answer, 409, "SPOOL_OCCUPIED", owner_id=BRUNO)
        assert replayed(answer)
    assert spool_in(gated.database, "FROZEN").occupation is None
    assert [stored.event.accion for stored in events_in(gated.database, "FROZEN")] == ["TOMAR", "PAUSAR"]


def test_redis_frozen_under_two_servers_is_noticed_once_by_each_and_forgotten_when_it_is_back(gated: GatedShop) -> None:
    put(gated.database, [a_spool("WINTER")])
    gated.redis.freeze()
    try:
        with gated.disturbed.tablet() as one, gated.other.tablet() as other:
            tablets = (one, other) * 8
            answers = at_once([partial(t.tap, "TOMAR", "WINTER", CREW[n].id) for n, t in enumerate(tablets)])
        assert Counter(answer.status_code for answer in answers) == {200: 1, 409: 15}
        assert not healthy(gated.other)
    finally:
        gated.redis.thaw()
    eventually(lambda: healthy(gated.other) and healthy(gated.disturbed), 5.0)
    eventually(lambda: is_at_rest(gated.redis, gated.database), SAFETY_S + LOOK_S)
    (winner,) = [CREW[n].id for n, answer in enumerate(answers) if answer.status_code == 200]
    with gated.other.tablet() as other:
        assert other.tap("PAUSAR", "WINTER", winner).status_code == 200
