"""The nightly copy: made by one process of several, again when it failed, never in the way of a server that stops."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from carrete.background import cancel_and_wait
from carrete.backups import nightly
from carrete.backups.errors import BackupNotMade, BackupUnderWay
from carrete.backups.folder import Backup, backups_in
from carrete.backups.nightly import NightlyBackups
from carrete.backups.schedule import BackupTimings
from carrete.ledger import open_database
from carrete.ledger.database import Database, Tx
from carrete.settings import Settings
from tests.integration.backups.conftest import rows_of, run_sql
from tests.support.machines import wait_for

AT_ONCE = BackupTimings(after_start_s=0.0, first_after_s=0.0)
SANTIAGO = ZoneInfo("America/Santiago")
PROCESSES = 4
WAIT_S_MAX = 60.0

MakeProcess = Callable[..., NightlyBackups]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "backups"


@pytest.fixture
def process(shop_url: str, folder: Path, tmp_path: Path) -> Iterator[MakeProcess]:
    """Each process of the shop has its own connections to the ledger."""
    with ExitStack() as stack:

        def make(timings: BackupTimings = AT_ONCE) -> NightlyBackups:
            database = stack.enter_context(closing(open_database(shop_url)))
            settings = Settings(data=tmp_path, database_url=shop_url, backup_dir=str(folder))
            return NightlyBackups(settings, *transactions(database), lambda: SANTIAGO, timings)

        yield make


Work = Callable[[Tx], Any]


def transactions(database: Database) -> tuple[Callable[[Work], Any], Callable[[Work], Any]]:
    one_writes = asyncio.Lock()

    def in_reading(work: Work) -> Any:
        with database.reading() as tx:
            return work(tx)

    def in_writing(work: Work) -> Any:
        with database.writing() as tx:
            return work(tx)

    async def read(work: Work) -> Any:
        return await asyncio.to_thread(in_reading, work)

    async def write(work: Work) -> Any:
        async with one_writes:
            return await asyncio.to_thread(in_writing, work)

    return read, write


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(work, WAIT_S_MAX))


def test_of_four_processes_that_find_a_copy_due_one_makes_it(
    process: MakeProcess, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    processes = [process() for _ in range(PROCESSES)]
    children: list[NightlyBackups] = []
    real = NightlyBackups._made_by_child

    async def counted(here: NightlyBackups) -> dict[str, Any]:
        children.append(here)
        return await real(here)

    monkeypatch.setattr(NightlyBackups, "_made_by_child", counted)

    async def every_process_checks() -> None:
        await asyncio.gather(*(each.make_if_due() for each in processes))

    run(every_process_checks())
    (made,) = backups_in(folder)
    run(every_process_checks())
    assert backups_in(folder) == [made], "the next is due next night"
    assert len(children) == 1
    for each in processes:
        assert each.age_s is not None
        assert each.age_s < WAIT_S_MAX


def test_a_process_that_gets_the_lease_after_another_made_the_copy_makes_none(
    process: MakeProcess, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = process(), process()
    take_lease = second._take_lease
    made: list[Backup] = []

    async def take_it_late() -> None:
        await first.make_if_due()
        made.extend(backups_in(folder))
        await take_lease()

    monkeypatch.setattr(second, "_take_lease", take_it_late)
    run(second.make_if_due())
    assert (len(made), backups_in(folder)) == (1, made)
    assert run(second.look()).run.failure is None, "nor did it try: within the same second that would fail"


def test_the_lease_of_a_process_that_died_ends_by_itself(process: MakeProcess, shop_url: str, folder: Path) -> None:
    alive, now = process(), datetime.now(UTC)
    dead = "INSERT INTO backup_run (id, holder, until, last, failure) VALUES (1, 'dead:1', '{}', '', '')"
    run_sql(shop_url, dead.format((now + timedelta(minutes=5)).isoformat(timespec="seconds")))
    run(alive.make_if_due())
    assert backups_in(folder) == []
    with pytest.raises(BackupUnderWay):
        run(alive.make_on_request(WAIT_S_MAX))
    past = (now - timedelta(seconds=2)).isoformat(timespec="seconds")
    run_sql(shop_url, f"UPDATE backup_run SET until = '{past}'")
    run(alive.make_if_due())
    assert len(backups_in(folder)) == 1


def test_a_failure_is_on_record_for_all_processes_and_is_tried_again_only_after_an_hour(
    process: MakeProcess, shop_url: str, folder: Path
) -> None:
    folder.write_text("in the way of the folder")
    first, second = process(), process()
    run(first.make_if_due())
    status = run(second.look())
    assert status.run.failure is not None
    assert "backups" in status.run.failure.words.es
    folder.unlink()
    run(second.make_if_due())
    assert not folder.exists()
    long_ago = (datetime.now(UTC) - timedelta(minutes=61)).isoformat()
    now = status.run.failure.at.isoformat()
    run_sql(shop_url, f"UPDATE backup_run SET failure = replace(failure, '{now}', '{long_ago}')")
    run(second.make_if_due())
    assert len(backups_in(folder)) == 1
    status = run(first.look())
    assert (status.run.failure, status.is_late) == (None, False)


def test_a_copy_that_cannot_even_begin_is_a_failure_on_record_and_the_next_one_is_made(
    process: MakeProcess, shop_url: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As during an upgrade of the program, or on a machine without free memory."""
    here = process(replace(AT_ONCE, check_every_s=0.01, retry_after_s=0.0))
    child = nightly._CHILD
    monkeypatch.setattr(nightly, "_CHILD", ("/no/such/python", "-m", "carrete.backups.child"))
    failures: list[str] = []

    async def broken_then_repaired() -> None:
        running = asyncio.create_task(here.run())
        await asyncio.to_thread(wait_for, lambda: bool(rows_of(shop_url, "backup_run", "failure")[-1:] > [("",)]))
        failure = (await here.look()).run.failure
        failures.append(failure.words.es if failure else "")
        monkeypatch.setattr(here, "make_if_due", raises_once(here.make_if_due))
        monkeypatch.setattr(nightly, "_CHILD", child)
        await asyncio.to_thread(wait_for, lambda: bool(backups_in(folder)))
        await cancel_and_wait([running])

    run(broken_then_repaired())
    assert "No se pudo iniciar" in failures[0]


def raises_once(work: Callable[[], Any]) -> Callable[[], Any]:
    raised: list[Exception] = []

    async def first_raises() -> None:
        if not raised:
            raised.append(RuntimeError("a mistake of ours"))
            raise raised[0]
        await work()

    return first_raises


def test_an_administrator_gets_a_copy_at_once_or_the_reason(process: MakeProcess, folder: Path) -> None:
    here = process(BackupTimings())
    folder.write_text("in the way of the folder")
    with pytest.raises(BackupNotMade, match="No se pudo escribir"):
        run(here.make_on_request(WAIT_S_MAX))
    folder.unlink()
    assert run(here.make_on_request(WAIT_S_MAX)) is True
    assert len(backups_in(folder)) == 1


def test_a_server_that_stops_ends_the_copy_under_way_and_frees_the_lease(
    process: MakeProcess, shop_url: str, folder: Path
) -> None:
    here, next_one = process(), process()

    async def stop_in_the_middle() -> None:
        assert await here.make_on_request(0.0) is False
        with pytest.raises(BackupUnderWay):
            await here.make_on_request(WAIT_S_MAX)
        await asyncio.to_thread(wait_for, lambda: bool(rows_of(shop_url, "backup_run")))
        await here.stop()

    run(stop_in_the_middle())
    assert backups_in(folder) == []
    run(next_one.make_if_due())
    assert len(backups_in(folder)) == 1
    assert rows_of(shop_url, "backup_run", "until") == [("",)]


def test_the_copy_of_another_machine_counts_and_a_deleted_one_of_ours_does_not(
    process: MakeProcess, shop_url: str, folder: Path
) -> None:
    here = process()
    run(here.make_if_due())
    for file in folder.iterdir():
        file.unlink()
    assert run(here.look()).last_at is None
    run_sql(shop_url, f"UPDATE backup_run SET last = replace(last, '{os.uname().nodename}', 'another-machine')")
    assert run(here.look()).age_s < WAIT_S_MAX


def test_a_ledger_without_a_copy_is_late_two_days_after_it_was_made(process: MakeProcess, shop_url: str) -> None:
    here = process()
    assert not run(here.look()).is_late
    made = (datetime.now(UTC) - timedelta(hours=49)).isoformat(timespec="seconds")
    run_sql(shop_url, f"UPDATE schema_version SET applied_at = '{made}'")
    assert run(here.look()).is_late
