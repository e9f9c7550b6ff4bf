"""Viewers of one process get the events of another: by poke with Redis, by the regular read of the ledger without."""

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from carrete.domain.workers import Rol
from carrete.ledger.database import Database
from carrete.live.tail import TailLimits
from tests.integration.workbook.files import write_file
from tests.support.builders import a_finished_spool, a_spool, a_worker, events_in, put
from tests.support.gated import WAIT_S_MAX, until
from tests.support.people import CREW, MR
from tests.support.quality import inspect
from tests.support.redis_server import RedisServer, running_redis
from tests.support.server import RunningServer, clean_environment, running_server
from tests.support.services import InProcessViewer, running_services
from tests.support.watching import Watcher, watching

Result = TypeVar("Result")
HANDS = 50
TURNS = 5
ONLY_POKES = TailLimits(read_every_s=3_600.0)


def work(server: RunningServer, tag: str, worker_id: int, turns: int = 1) -> int:
    """Takes and pauses the spool on that server; returns the seq of the last event."""
    seq = 0
    with server.tablet() as tablet:
        for _ in range(turns):
            for accion in ("tomar", "pausar"):
                answer = tablet.tap(accion, tag, worker_id)
                assert answer.status_code == 200, answer.text
                seq = answer.json()["event_seq"]
    return seq


@pytest.mark.parametrize("engine", ["sqlite"])
def test_what_one_process_commits_reaches_the_viewers_of_another_by_poke_alone(
    database: Database, database_url: str, tmp_path: Path, engine: str
) -> None:
    """Only a poke can wake the tail. Redis is killed in the middle and comes back."""
    put(database, [a_spool("MK-1"), a_finished_spool("MK-2")], CREW)

    async def scenario(server: RunningServer, redis: RedisServer) -> None:
        async with running_services(database_url, tmp_path, redis.url, ONLY_POKES) as services:
            viewer = await InProcessViewer(services).opened()
            await until(lambda: subscribers(redis) == 2, WAIT_S_MAX)
            last = await elsewhere(work, server, "MK-1", MR.id)
            await until(lambda: last in viewer.seqs, WAIT_S_MAX)
            with server.tablet() as tablet:  # an inspection changes no lock, so that the process itself must poke
                assert (await elsewhere(inspect, tablet, "APROBADO", "MK-2")).status_code == 200
            await until(lambda: b"METROLOGIA_APROBADO" in viewer.body, WAIT_S_MAX)
            redis.kill()
            await elsewhere(work, server, "MK-1", MR.id)
            redis.start()
            await until(lambda: subscribers(redis) == 2, WAIT_S_MAX)  # subscribing again is a poke too
            await until(lambda: len(viewer.seqs) == 5, WAIT_S_MAX)
            await until(lambda: healthy(server), WAIT_S_MAX)
            last = await elsewhere(work, server, "MK-1", MR.id)
            await until(lambda: last in viewer.seqs, WAIT_S_MAX)
            assert viewer.seqs == [event.seq for event in events_in(database)]

    with running_redis() as redis, running_server(database_url, tmp_path, settings={"REDIS_URL": redis.url}) as server:
        asyncio.run(scenario(server, redis))


@pytest.mark.parametrize("engine", ["sqlite"])
def test_an_import_by_a_command_reaches_the_viewers_of_a_server_at_once(
    database: Database, database_url: str, tmp_path: Path, engine: str
) -> None:
    put(database, [a_spool("MK-1", ot="OT-1")], CREW)
    file = write_file(tmp_path / "in.xlsx", Operaciones=[{"TAG_SPOOL": "MK-1", "OT": "OT-2"}])

    async def scenario(redis: RedisServer) -> None:
        async with running_services(database_url, tmp_path, redis.url, ONLY_POKES) as services:
            viewer = await InProcessViewer(services).opened()
            await until(lambda: subscribers(redis) == 1, WAIT_S_MAX)
            environment = clean_environment(DATABASE_URL=database_url, CARRETE_DATA=str(tmp_path), REDIS_URL=redis.url)
            command = [sys.executable, "-m", "carrete", "import", str(file)]
            done = await elsewhere(partial(subprocess.run, env=environment, capture_output=True), command)
            assert done.returncode == 0, done.stderr
            await until(lambda: b"EDICION_EXTERNA" in viewer.body, WAIT_S_MAX)

    with running_redis() as redis:
        asyncio.run(scenario(redis))


def test_a_viewer_that_reconnects_again_and_again_gets_every_event_once_while_fifty_workers_tap(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    """The viewer gets each seq once and in order, whichever server it connects to and however often it reconnects."""
    crew = [a_worker(100 + n, "Ana", "Soto", roles=(Rol.ARMADOR,)) for n in range(HANDS)]
    put(database, [a_spool(f"MK-{n}") for n in range(HANDS)], crew)
    with running_server(database_url, tmp_path) as first, running_server(database_url, tmp_path) as second:
        servers = (first, second)
        over = threading.Event()
        with ThreadPoolExecutor(HANDS + 2) as hands:
            viewers = [hands.submit(restless, servers, over, random.Random(n)) for n in range(2)]
            taps = [hands.submit(work, servers[n % 2], f"MK-{n}", 100 + n, TURNS) for n in range(HANDS)]
            last = max(tap.result() for tap in taps)
            over.set()
            seen = [viewer.result() for viewer in viewers]
        for url, (seqs, at) in zip((first.url, second.url), seen, strict=True):
            with watching(url, at) as viewer:
                seqs += viewer.seqs_until(last) if at < last else []
    every = [event.seq for event in events_in(database)]
    assert len(every) == HANDS * TURNS * 2
    assert seen[0][0] == every
    assert seen[1][0] == every


def restless(servers: tuple[RunningServer, ...], over: threading.Event, chance: random.Random) -> tuple[list[int], int]:
    """The seqs that a viewer got who disconnects again and again and comes back with its last seq; and that seq."""
    seqs: list[int] = []
    at = 0
    while not over.is_set():
        with watching(chance.choice(servers).url, at) as viewer:
            over.wait(chance.uniform(0.0, 0.3))
        seqs += viewer.seqs()
        at = seqs[-1] if seqs else 0
    return seqs, at


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_server_that_stops_ends_its_streams_at_once(database_url: str, tmp_path: Path, engine: str) -> None:
    with running_server(database_url, tmp_path) as server:
        viewers = [Watcher(server.url) for _ in range(4)]
        server.terminate()
        assert all(viewer.ended.wait(WAIT_S_MAX) for viewer in viewers)
        assert server.exit_code in (0, -signal.SIGTERM)
        assert "Cancel" not in server.complaints  # no task had to be cancelled
        assert "Exception" not in server.complaints


async def elsewhere(work: Callable[..., Result], *arguments: object) -> Result:
    return await asyncio.to_thread(work, *arguments)


def subscribers(redis: RedisServer) -> int:
    return int(redis.ask("PUBSUB", "NUMSUB", "carrete:events")[1])


def healthy(server: RunningServer) -> bool:
    with server.tablet() as tablet:
        return bool(tablet.see("/api/health/redis")["status"] == "healthy")
