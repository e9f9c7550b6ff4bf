"""Single viewers inside this process: slow ones, idle ones, lost ones, and what they may cost."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Protocol

import pytest

from carrete.actions import Performer
from carrete.domain.commands import Pausar, Tomar
from carrete.domain.spool import Operacion
from carrete.gate import OpenGate
from carrete.ledger.database import Database
from carrete.ledger.postgres import PostgresDatabase
from carrete.live import sse
from carrete.live.tail import DEFAULT_LIMITS, TailLimits
from carrete.services import Services
from tests.support.acting import a_request, bodies
from tests.support.builders import a_spool, events_in, put
from tests.support.gated import WAIT_S_MAX, until
from tests.support.people import CREW, MR
from tests.support.redis_server import running_redis
from tests.support.services import InProcessViewer, running_services
from tests.support.tampering import tampering

Scenario = Callable[[Services], Coroutine[Any, Any, None]]


class RunScenario(Protocol):
    def __call__(self, scenario: Scenario, limits: TailLimits = ...) -> None: ...


@pytest.fixture
def run_scenario(database: Database, database_url: str, tmp_path: Path) -> RunScenario:
    """Runs a scenario in a shop with three spools, without Redis."""
    put(database, [a_spool(tag) for tag in ("MK-1", "MK-2", "MK-3")], CREW)

    def run_here(scenario: Scenario, limits: TailLimits = DEFAULT_LIMITS) -> None:
        async def run() -> None:
            async with running_services(database_url, tmp_path, tail_limits=limits) as services:
                await scenario(services)

        asyncio.run(run())

    return run_here


def all_are_free(database: Database) -> bool:
    """Whether all connections of the readers' pool are free; SQLite has no such pool."""
    stats = database._pool.get_stats() if isinstance(database, PostgresDatabase) else {}
    return stats.get("pool_available") == stats.get("pool_size")


async def worked(services: Services, tag: str = "MK-1", times: int = 1) -> int:
    """Takes and pauses the spool; returns the seq of the last event."""
    return await worked_by(services.performer, tag, times)


async def worked_by(performer: Performer, tag: str = "MK-1", times: int = 1) -> int:
    for _ in range(times):
        for command in (Tomar, Pausar):
            answer = await performer.perform(a_request(command(tag, MR.id, Operacion.ARM)))
    return int(bodies(answer)[0]["event_seq"])


def test_a_viewer_who_stops_reading_is_dropped_and_resumes_without_a_gap(
    run_scenario: RunScenario, database: Database
) -> None:
    async def scenario(services: Services) -> None:
        slow = await InProcessViewer(services, send_s_max=0.1).opened()
        quick = await InProcessViewer(services).opened()
        await worked(services)
        await until(lambda: len(slow.seqs) == len(quick.seqs) == 2, WAIT_S_MAX)
        slow.reading.clear()
        last = await worked(services, times=3)
        await until(lambda: services.tail.dropped == 1, WAIT_S_MAX)
        assert (services.tail.viewers, slow.complete) == (1, False)
        slow.reading.set()  # it reads again, and finds the end of the stream
        await until(lambda: slow.complete and slow.task.done(), WAIT_S_MAX)
        back = await InProcessViewer(services, slow.seqs[-1]).opened()
        await until(lambda: last in back.seqs and last in quick.seqs, WAIT_S_MAX)
        assert slow.seqs + back.seqs == quick.seqs == [event.seq for event in events_in(database)]

    run_scenario(scenario)


def test_a_viewer_who_falls_behind_all_that_is_kept_is_dropped(
    run_scenario: RunScenario,
) -> None:
    async def scenario(services: Services) -> None:
        slow = await InProcessViewer(services).opened()
        slow.reading.clear()
        await worked(services)
        for _ in range(8):
            position = services.tail.position
            await worked(services)
            await until(lambda seen=position: services.tail.position != seen, WAIT_S_MAX)  # type: ignore[misc]
        slow.reading.set()
        await until(lambda: slow.complete, WAIT_S_MAX)
        assert services.tail.dropped == 1
        assert len(slow.seqs) < 18

    run_scenario(scenario, TailLimits(kept_bytes_max=1_000))


def test_a_stream_without_events_sends_heartbeats(run_scenario: RunScenario) -> None:
    async def scenario(services: Services) -> None:
        viewer = await InProcessViewer(services).opened()
        await until(lambda: viewer.body.endswith(2 * sse.HEARTBEAT), WAIT_S_MAX)
        await worked(services)
        await until(lambda: len(viewer.seqs) == 2, WAIT_S_MAX)

    run_scenario(scenario, TailLimits(heartbeat_every_s=0.02))


def test_a_viewer_that_left_costs_nothing_any_more(run_scenario: RunScenario) -> None:
    async def scenario(services: Services) -> None:
        viewers = [await InProcessViewer(services).opened() for _ in range(3)]
        assert services.tail.viewers == 3
        for viewer in viewers:
            await viewer.go()
        assert services.tail.viewers == 0
        last = await worked(services)
        assert services.tail.position is None  # without viewers the tail does not read the ledger
        late = await InProcessViewer(services).opened()  # it gets none of the earlier events
        fresh = await worked(services)
        await until(lambda: fresh in late.seqs, WAIT_S_MAX)
        assert late.seqs == [last + 1, last + 2]

    run_scenario(scenario)


def test_a_viewer_that_is_ahead_of_this_process_waits_until_its_tail_has_caught_up(
    run_scenario: RunScenario, database: Database
) -> None:
    """The viewer comes from a server whose tail has read further than ours."""

    async def scenario(services: Services) -> None:
        first = await InProcessViewer(services).opened()
        await until(lambda: not services.tail._poked.is_set(), WAIT_S_MAX)
        other_process = Performer(services.database, OpenGate(), services.shop)  # its commits poke nobody
        seen = await worked_by(other_process, times=2)
        other_process.stop()
        other = await InProcessViewer(services, seen - 1).opened()
        await until(lambda: other.seqs == [seen] and len(first.seqs) == 4, WAIT_S_MAX)
        last = await worked(services)
        await until(lambda: other.seqs == [seen, last - 1, last], WAIT_S_MAX)
        assert first.seqs == [event.seq for event in events_in(database)]

    run_scenario(scenario, TailLimits(read_every_s=3_600.0))


@pytest.mark.parametrize("change", ["DELETE FROM event WHERE seq > 2", "UPDATE event SET id = id || '-other'"])
def test_another_ledger_in_its_place_makes_every_viewer_begin_anew(
    run_scenario: RunScenario, database: Database, change: str
) -> None:
    """As when an older copy of the ledger is put back: its seqs end earlier, or belong to other events."""

    async def scenario(services: Services) -> None:
        viewer = await InProcessViewer(services).opened()
        last = await worked(services, times=3)
        await until(lambda: last in viewer.seqs, WAIT_S_MAX)
        with tampering(database) as tx:
            tx.execute(change)
        await until(lambda: viewer.complete, WAIT_S_MAX)
        back = await InProcessViewer(services, last).opened()
        fresh = await worked(services, "MK-2")
        await until(lambda: back.seqs[-1:] == [fresh], WAIT_S_MAX)
        assert len(back.seqs) == 2

    run_scenario(scenario)


@pytest.mark.parametrize("engine", ["sqlite"])
def test_without_a_ledger_new_viewers_get_503_and_open_streams_wait(
    run_scenario: RunScenario, tmp_path: Path, engine: str
) -> None:
    here, away = tmp_path / "carrete.db", tmp_path / "away.db"

    async def scenario(services: Services) -> None:
        os.rename(here, away)
        newcomer = InProcessViewer(services)
        await until(newcomer.task.done, WAIT_S_MAX)
        assert newcomer.status == 503
        assert b"LEDGER_UNAVAILABLE" in newcomer.body
        os.rename(away, here)
        viewer = await InProcessViewer(services).opened()
        await worked(services)
        await until(lambda: len(viewer.seqs) == 2, WAIT_S_MAX)
        os.rename(here, away)
        await until(lambda: services.tail._failing, WAIT_S_MAX)
        os.rename(away, here)
        await worked(services)
        await until(lambda: viewer.seqs == [1, 2, 3, 4], WAIT_S_MAX)

    run_scenario(scenario)


def test_two_hundred_viewers_hold_no_connection_of_any_pool(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    put(database, [a_spool("MK-1")], CREW)

    async def scenario(redis_url: str, connections: Callable[[], int]) -> None:
        async with running_services(database_url, tmp_path, redis_url) as services:
            assert services.gate_services is not None
            first = await InProcessViewer(services).opened()
            await worked(services)
            await until(lambda: len(first.seqs) == 2, WAIT_S_MAX)
            before = connections()
            viewers = [await InProcessViewer(services).opened() for _ in range(200)]
            assert connections() == before
            assert services.gate_services.pool_figures()["in_use"] == 0
            await until(lambda: all_are_free(services.database), WAIT_S_MAX)
            last = await worked(services)
            await until(lambda: all(last in viewer.seqs for viewer in viewers), WAIT_S_MAX)

    with running_redis() as redis:
        asyncio.run(scenario(redis.url, lambda: int(redis.ask("INFO", "clients")["connected_clients"])))
