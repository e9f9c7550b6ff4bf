"""Viewers that missed many events: they get them all, and read the ledger one at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Protocol

import pytest

from carrete.ledger.database import Database, Tx
from carrete.live import tail
from carrete.live.tail import TailLimits
from carrete.services import Services
from tests.support.builders import a_spool, put
from tests.support.gated import WAIT_S_MAX, until
from tests.support.people import CREW
from tests.support.services import InProcessViewer, running_services

Scenario = Callable[[Services], Awaitable[None]]


class RunScenario(Protocol):
    def __call__(self, scenario: Scenario, limits: TailLimits = ...) -> None: ...


FAR_BACK = (tail.DEFAULT_LIMITS.near_pages_max + 3) * tail.PAGE_MAX + 7
VIEWERS = 12


def events(first: int, last: int) -> list[dict[str, Any]]:
    same = {"at": "2026-11-16T13:30:00+00:00", "evento_tipo": "TOMAR_SPOOL", "tag": "MK-1", "worker_id": 93}
    more = {"worker": "MR(93)", "operacion": "ARM", "accion": "TOMAR", "fecha_operacion": None, "n_union": None}
    state = {"metadata": None, "ocupado_por": "MR(93)", "estado_detalle": "", "version": "v", "workflow": "v3.0"}
    state |= {"stage_ended": None, "stage_s": None, "hash": ""}
    return [{"seq": seq, "id": f"e{seq}", **same, **more, **state} for seq in range(first, last + 1)]


class Counted:
    """Counts the reads of the ledger, and the most at the same time."""

    def __init__(self, services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = self.most = self.pages = 0
        self._read = services.tail._read
        monkeypatch.setattr(services.tail, "_read", self)

    async def __call__(self, query: Callable[[Tx], Any]) -> Any:
        self.now += 1
        self.pages += 1
        self.most = max(self.most, self.now)
        try:
            await asyncio.sleep(0)
            return await self._read(query)
        finally:
            self.now -= 1


@pytest.fixture
def run_scenario(database: Database, database_url: str, tmp_path: Path) -> RunScenario:
    put(database, [a_spool("MK-1")], CREW)
    with database.writing() as tx:
        tx.many("event_insert", events(1, FAR_BACK))

    def run_here(scenario: Scenario, limits: TailLimits = tail.DEFAULT_LIMITS) -> None:
        async def run() -> None:
            async with running_services(database_url, tmp_path, tail_limits=limits) as services:
                await scenario(services)

        asyncio.run(run())

    return run_here


def test_many_viewers_that_begin_at_the_first_event_get_everything_once_and_in_order(
    run_scenario: RunScenario, database: Database
) -> None:
    async def scenario(services: Services) -> None:
        viewers = [await InProcessViewer(services, 0).opened() for _ in range(VIEWERS)]
        with database.writing() as tx:  # new events while the viewers catch up
            tx.many("event_insert", events(FAR_BACK + 1, FAR_BACK + 5))
        services.tail.poke()
        await until(lambda: all(len(viewer.seqs) >= FAR_BACK + 5 for viewer in viewers), WAIT_S_MAX)
        for viewer in viewers:
            assert viewer.seqs == list(range(1, FAR_BACK + 6))

    run_scenario(scenario)


def test_of_viewers_that_missed_very_much_one_reads_at_a_time(
    run_scenario: RunScenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a shop the first thousand events are read without waiting for a turn; here no event is."""

    async def scenario(services: Services) -> None:
        watching = await InProcessViewer(services).opened()  # so that the tail is at the newest event
        counted = Counted(services, monkeypatch)
        viewers = [await InProcessViewer(services, 0).opened() for _ in range(VIEWERS)]
        await until(lambda: all(viewer.seqs[-1:] == [FAR_BACK] for viewer in viewers), WAIT_S_MAX)
        assert counted.pages >= VIEWERS * FAR_BACK // tail.PAGE_MAX
        assert counted.most <= 2  # one viewer, and the tail itself
        assert watching.seqs == []

    run_scenario(scenario, TailLimits(near_pages_max=0))


def test_a_viewer_that_leaves_while_waiting_for_its_turn_reads_nothing_more(run_scenario: RunScenario) -> None:
    async def scenario(services: Services) -> None:
        async with services.tail.turn_to_read():
            viewer = await InProcessViewer(services, 0).opened()
            await until(lambda: len(viewer.seqs) == tail.PAGE_MAX, WAIT_S_MAX)
            leaving = asyncio.create_task(viewer.go())
            await asyncio.sleep(0.05)
        await leaving
        assert len(viewer.seqs) == tail.PAGE_MAX
        assert services.tail.viewers == 0

    run_scenario(scenario, TailLimits(near_pages_max=1))
