"""Several real processes at one gate: who wins, what a kill -9 at each point costs, and who wakes up too late."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx
import pytest

from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.migrate import migrate
from tests.conftest import TEMPLATE
from tests.races.conftest import CREW
from tests.support.answers import refused, replayed
from tests.support.builders import a_spool, events_in, put, spool_in
from tests.support.crowd import at_once
from tests.support.gated import eventually, is_at_rest
from tests.support.postgres import PostgresServer
from tests.support.redis_proxy import RedisProxy, running_proxy
from tests.support.redis_server import RedisServer, running_redis
from tests.support.server import RunningServer, running_server, start_server, stop
from tests.support.tablet import Tablet

ROUNDS = {"sqlite": 200, "postgres": 100}
HANDS = 16
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
    return bool(httpx.get(f"{server.url}/api/health/redis", timeout=5).json()["status"] == "healthy")


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def gated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatedShop]:
    folder: Path = tmp_path_factory.mktemp("gated")
    with ExitStack() as stack:
        url = f"sqlite:///{folder / 'carrete.db'}"
        if request.param == "postgres":
            server: PostgresServer = request.getfixturevalue("postgres")
            url = server.url(name := server.create(TEMPLATE))
            stack.callback(server.drop, name)
        database = open_database(url)
        stack.callback(database.close)
        migrate(database)
        put(database, workers=CREW)
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
    rounds = ROUNDS[gated.database.engine]
    servers = (gated.disturbed, gated.other)
    with ExitStack() as stack:
        clients = [stack.enter_context(servers[n % 2].client()) for n in range(HANDS)]
        tablets = [Tablet(client.request) for client in clients]
        for _ in range(rounds):
            answers = at_once([partial(t.tap, "TOMAR", "ROUNDS", CREW[n].id) for n, t in enumerate(tablets)])
            assert Counter(answer.status_code for answer in answers) == {200: 1, 409: HANDS - 1}
            (winner,) = [n for n, answer in enumerate(answers) if answer.status_code == 200]
            assert {a.json()["owner_id"] for a in answers if a.status_code == 409} == {CREW[winner].id}
            assert tablets[winner].tap("PAUSAR", "ROUNDS", CREW[winner].id).status_code == 200
    accions = [stored.event.accion for stored in events_in(gated.database, "ROUNDS")]
    assert accions == ["TOMAR", "PAUSAR"] * rounds
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
    """The tablet never hears what became of it."""
    with server.tablet() as tablet, pytest.raises(httpx.TransportError):
        tablet.tap(accion, tag, worker, key=key)


def test_kill_9_at_each_point_costs_nobody_the_spool(gated: GatedShop) -> None:
    """After the lock, after the commit of a take, after the commit of an end: the spool is usable at once, whoever
    repeats his tap gets his answer, and within ten seconds (see `gated`) the locks are right."""
    put(gated.database, [a_spool(tag) for tag in ("LOCKED", "LOCKED-2", "TAKEN", "ENDED")])
    ana, bruno = CREW[0].id, CREW[1].id
    with gated.other.tablet() as other:
        # after the lock: nothing was committed, a pending lock is left
        trap = gated.proxy.after("take", lambda: gated.disturbed.kill())
        tap_and_lose(gated.disturbed, "TOMAR", "LOCKED", ana, "locked")
        trap.wait()
        assert gated.redis.pending() == {"LOCKED"}
        assert spool_in(gated.database, "LOCKED").occupation is None
        begun = time.monotonic()
        assert other.tap("TOMAR", "LOCKED", bruno).status_code == 200
        assert time.monotonic() - begun < 2.0, "at once, not after ten seconds"
        refused(other.tap("TOMAR", "LOCKED", ana, key="locked"), 409, "SPOOL_OCCUPIED", owner_id=bruno)
        gated.restart()

        # the same, and the process is back within two seconds: his own pending lock does not keep him out
        trap = gated.proxy.after("take", lambda: gated.disturbed.kill())
        tap_and_lose(gated.disturbed, "TOMAR", "LOCKED-2", ana, "locked 2")
        trap.wait()
        gated.restart()
        assert "LOCKED-2" in gated.redis.pending(), "back within its ten seconds"
        with gated.disturbed.tablet() as again:
            assert again.tap("TOMAR", "LOCKED-2", ana, key="locked 2").status_code == 200
            refused(again.tap("TOMAR", "LOCKED-2", bruno), 409, "SPOOL_OCCUPIED", owner_id=ana)
        assert len(events_in(gated.database, "LOCKED-2")) == 1

        # after the commit of a take: he has it, his lock is still pending
        trap = gated.proxy.before("hold", lambda: gated.disturbed.kill())
        tap_and_lose(gated.disturbed, "TOMAR", "TAKEN", ana, "taken")
        trap.wait()
        assert "TAKEN" in gated.redis.pending()
        refused(other.tap("TOMAR", "TAKEN", bruno), 409, "SPOOL_OCCUPIED", owner_id=ana)
        answer = other.tap("TOMAR", "TAKEN", ana, key="taken")
        assert (answer.status_code, replayed(answer)) == (200, True)
        gated.restart()

        # after the commit of an end: free, his lock is left over
        assert other.tap("TOMAR", "ENDED", ana).status_code == 200
        trap = gated.proxy.before("release", lambda: gated.disturbed.kill())
        tap_and_lose(gated.disturbed, "PAUSAR", "ENDED", ana, "ended")
        trap.wait()
        assert gated.redis.ttl_ms("ENDED") == -1
        assert spool_in(gated.database, "ENDED").occupation is None
        begun = time.monotonic()
        assert other.tap("TOMAR", "ENDED", bruno).status_code == 200
        assert time.monotonic() - begun < 2.0
        answer = other.tap("PAUSAR", "ENDED", ana, key="ended")
        assert (answer.status_code, replayed(answer)) == (200, True)
        gated.restart()

    holders = {tag: spool_in(gated.database, tag).occupation for tag in ("LOCKED", "LOCKED-2", "TAKEN", "ENDED")}
    assert {tag: held.worker_id if held else None for tag, held in holders.items()} == {
        "LOCKED": bruno,
        "LOCKED-2": ana,
        "TAKEN": ana,
        "ENDED": bruno,
    }
    assert [stored.event.accion for stored in events_in(gated.database, "ENDED")] == ["TOMAR", "PAUSAR", "TOMAR"]


def test_a_request_frozen_for_eight_seconds_whose_twin_was_refused_never_acts(gated: GatedShop) -> None:
    """Ana's tap stops with the whole process after its lock. Her tablet repeats it elsewhere, is refused because
    Bruno has the spool, and Bruno ends. Then the frozen process goes on: the spool is free, and stays free."""
    put(gated.database, [a_spool("FROZEN")])
    ana, bruno = CREW[0].id, CREW[1].id
    trap = gated.proxy.hold("take")
    frozen_s = FROZEN_S if gated.database.engine == "sqlite" else 1.0
    with gated.disturbed.tablet() as first, gated.other.tablet() as other, ThreadPoolExecutor(1) as hand:
        stuck = hand.submit(first.tap, "TOMAR", "FROZEN", ana, key="frozen")
        trap.wait()
        os.kill(gated.disturbed.pid, signal.SIGSTOP)
        begun = time.monotonic()
        trap.go_on.set()
        try:
            eventually(lambda: "FROZEN" in gated.redis.pending(), 2.0)
            assert other.tap("TOMAR", "FROZEN", bruno).status_code == 200
            refused(other.tap("TOMAR", "FROZEN", ana, key="frozen"), 409, "SPOOL_OCCUPIED", owner_id=bruno)
            assert other.tap("PAUSAR", "FROZEN", bruno).status_code == 200
            time.sleep(max(0.0, begun + frozen_s - time.monotonic()))
        finally:
            os.kill(gated.disturbed.pid, signal.SIGCONT)
        answer = stuck.result(10)
        refused(answer, 409, "SPOOL_OCCUPIED", owner_id=bruno)
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
