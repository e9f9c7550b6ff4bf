"""Group commit: waiting items share the next commit, and are answered only after it is on the disk."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pytest

from carrete.ledger import writer
from carrete.ledger.database import Database, Tx
from carrete.ledger.errors import LedgerUnavailable, RaceLost
from carrete.ledger.writer import GROUP_MAX, RACES_MAX, WAITING_MAX, GroupWriter

WAIT_S_MAX = 20
POISON = -1


class RecordedBatches:
    """Uses the writer to insert one worker per item, and records the size of each group."""

    def __init__(self, database: Database, linger_s: float) -> None:
        self.groups: list[int] = []
        self.open = threading.Event()
        self.open.set()
        self.lose = 0
        self.writer: GroupWriter[int, str] = GroupWriter(database, self._insert_workers, linger_s=linger_s)

    def _insert_workers(self, tx: Tx, items: Sequence[int]) -> list[str]:
        self.groups.append(len(items))
        assert self.open.wait(WAIT_S_MAX)
        for item in items:
            tx.run("worker_upsert", id=abs(item), nombre="N", apellido="A", activo=1)
            if item == POISON:
                raise ValueError("poison")
        if self.lose:
            self.lose -= 1
            raise RaceLost("another process was faster")
        return [f"written {item}" for item in items]


@pytest.fixture
def linger_s() -> float:
    return writer.LINGER_S


@pytest.fixture
def batches(database: Database, linger_s: float) -> Iterator[RecordedBatches]:
    batches = RecordedBatches(database, linger_s)
    yield batches
    batches.open.set()
    batches.writer.stop()


def written(database: Database) -> list[int]:
    with database.reading() as tx:
        return [row[0] for row in tx.all("workers")]


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(WAIT_S_MAX):
        while not condition():  # noqa: ASYNC110 - it is another thread that makes it true
            await asyncio.sleep(0.002)


async def all_of(batches: RecordedBatches, items: Sequence[int]) -> list[str | BaseException]:
    """The first item's commit is held up until all others wait behind it."""
    batches.open.clear()
    first = asyncio.ensure_future(batches.writer.submit(items[0]))
    await until(lambda: bool(batches.groups))
    rest = [asyncio.ensure_future(batches.writer.submit(item)) for item in items[1:]]
    await asyncio.sleep(0)
    batches.open.set()
    async with asyncio.timeout(WAIT_S_MAX):
        return await asyncio.gather(first, *rest, return_exceptions=True)


def test_waiting_items_share_a_commit(batches: RecordedBatches, database: Database) -> None:
    answers = asyncio.run(all_of(batches, range(1, 102)))
    assert batches.groups == [1, GROUP_MAX, 100 - GROUP_MAX]
    assert answers == [f"written {item}" for item in range(1, 102)], "each item gets its own answer"
    assert written(database) == list(range(1, 102))


async def one_by_one(batches: RecordedBatches, items: Sequence[int]) -> None:
    """Each item is submitted when the writer has seen the one before."""
    coming = []
    for item in items:
        coming.append(asyncio.ensure_future(batches.writer.submit(item)))
        await asyncio.sleep(0.005)
    async with asyncio.timeout(WAIT_S_MAX):
        await asyncio.gather(*coming)


@pytest.mark.parametrize("linger_s", [float(WAIT_S_MAX)])
def test_items_that_shared_a_commit_share_the_next_though_they_come_one_by_one(batches: RecordedBatches) -> None:
    async def twice() -> None:
        await all_of(batches, range(1, 10))
        await one_by_one(batches, range(1, 9))

    asyncio.run(twice())
    assert batches.groups == [1, 8, 8]


@pytest.mark.parametrize("linger_s", [0.2])
def test_the_wait_goes_on_only_while_further_items_come(batches: RecordedBatches) -> None:
    """An item that arrives within the wait starts the wait again; when none arrives, the commit begins, however many
    are expected."""

    async def three_of_eight() -> None:
        await all_of(batches, range(1, 10))
        await one_by_one(batches, range(1, 4))

    asyncio.run(three_of_eight())
    assert batches.groups == [1, 8, 3]


def test_the_wait_for_an_item_that_does_not_come_back_is_short(batches: RecordedBatches) -> None:
    async def then_alone() -> None:
        await all_of(batches, range(1, 10))
        for item in range(1, 12):
            await batches.writer.submit(item)

    asyncio.run(then_alone())
    assert batches.groups == [1, 8] + [1] * 11


@pytest.mark.parametrize("linger_s", [float("inf")])
def test_housekeeping_does_not_wait_for_further_items(batches: RecordedBatches) -> None:
    async def then_sweep() -> int:
        await all_of(batches, range(1, 10))
        async with asyncio.timeout(WAIT_S_MAX):
            return await batches.writer.run_exclusive(lambda tx: len(tx.all("workers")))

    assert asyncio.run(then_sweep()) == 9


@pytest.mark.parametrize("linger_s", [float("inf")])
def test_where_few_are_at_work_no_item_waits_for_others(batches: RecordedBatches) -> None:
    async def then_alone() -> None:
        await all_of(batches, range(1, writer.LINGER_FROM + 1))
        await batches.writer.submit(1)

    asyncio.run(then_alone())
    assert batches.groups == [1, writer.LINGER_FROM - 1, 1]


def test_an_item_that_fails_makes_no_other_fail(batches: RecordedBatches, database: Database) -> None:
    answers = asyncio.run(all_of(batches, [10, 11, 12, POISON, 13]))
    assert isinstance(answers[3], ValueError)
    assert [answer for answer in answers if isinstance(answer, str)] == [f"written {n}" for n in (10, 11, 12, 13)]
    assert written(database) == [10, 11, 12, 13], "and what it had written before it failed is gone"


def test_a_lost_race_is_tried_again(batches: RecordedBatches, database: Database) -> None:
    batches.lose = RACES_MAX
    assert asyncio.run(batches.writer.submit(7)) == "written 7"
    assert (len(batches.groups), written(database)) == (RACES_MAX + 1, [7])


def test_a_race_lost_again_and_again_is_given_up(batches: RecordedBatches, database: Database) -> None:
    batches.lose = RACES_MAX + 1
    with pytest.raises(RaceLost):
        asyncio.run(batches.writer.submit(7))
    assert (len(batches.groups), written(database)) == (RACES_MAX + 1, [])


def test_housekeeping_has_a_commit_of_its_own(batches: RecordedBatches, database: Database) -> None:
    def sweep(tx: Tx) -> int:
        return tx.run("worker_upsert", id=99, nombre="N", apellido="A", activo=1)

    async def both() -> tuple[int, str]:
        return await batches.writer.run_exclusive(sweep), await batches.writer.submit(1)

    assert asyncio.run(both()) == (1, "written 1")
    assert (batches.groups, written(database)) == ([1], [1, 99])


def test_an_item_waits_for_one_housekeeping_at_most(batches: RecordedBatches) -> None:
    """Fifty people who sign in at once hold up no tap: their transactions take turns with the taps."""
    groups_before_housekeeping: list[int] = []

    async def run() -> None:
        batches.open.clear()
        waiting: list[asyncio.Future[object]] = [asyncio.ensure_future(batches.writer.submit(1))]
        await until(lambda: bool(batches.groups))
        for _ in range(5):
            housekeeping = batches.writer.run_exclusive(
                lambda tx: groups_before_housekeeping.append(len(batches.groups))
            )
            waiting.append(asyncio.ensure_future(housekeeping))
        waiting.append(asyncio.ensure_future(batches.writer.submit(2)))
        await asyncio.sleep(0)
        batches.open.set()
        async with asyncio.timeout(WAIT_S_MAX):
            await asyncio.gather(*waiting)

    asyncio.run(run())
    assert groups_before_housekeeping == [1, 2, 2, 2, 2]


def test_a_caller_that_gave_up_waiting_disturbs_no_other(batches: RecordedBatches, database: Database) -> None:
    async def one_gives_up() -> str:
        batches.open.clear()
        gone = asyncio.ensure_future(batches.writer.submit(1))
        await until(lambda: bool(batches.groups))
        gone.cancel()
        other = asyncio.ensure_future(batches.writer.submit(2))
        await asyncio.sleep(0)
        batches.open.set()
        return await asyncio.wait_for(other, WAIT_S_MAX)

    assert asyncio.run(one_gives_up()) == "written 2"
    assert written(database) == [1, 2]


def test_the_queue_of_the_writer_is_bounded(batches: RecordedBatches) -> None:
    async def overfill() -> list[str | BaseException]:
        batches.open.clear()
        first = asyncio.ensure_future(batches.writer.submit(1))
        await until(lambda: bool(batches.groups))
        line = [asyncio.ensure_future(batches.writer.submit(2)) for _ in range(WAITING_MAX)]
        await asyncio.sleep(0)
        with pytest.raises(LedgerUnavailable):
            await batches.writer.submit(3)
        batches.open.set()
        return await asyncio.wait_for(asyncio.gather(first, *line, return_exceptions=True), WAIT_S_MAX)

    assert all(isinstance(answer, str) for answer in asyncio.run(overfill()))


def test_stopping_finishes_what_waits_and_takes_nothing_more(batches: RecordedBatches, database: Database) -> None:
    async def stop_in_the_middle() -> list[str]:
        batches.open.clear()
        line = [asyncio.ensure_future(batches.writer.submit(item)) for item in (1, 2, 3)]
        await until(lambda: bool(batches.groups))
        stopping = asyncio.ensure_future(asyncio.to_thread(batches.writer.stop, WAIT_S_MAX))
        await asyncio.sleep(0.05)
        with pytest.raises(LedgerUnavailable):
            await batches.writer.submit(4)
        batches.open.set()
        await stopping
        return await asyncio.wait_for(asyncio.gather(*line), WAIT_S_MAX)

    assert asyncio.run(stop_in_the_middle()) == ["written 1", "written 2", "written 3"]
    assert written(database) == [1, 2, 3]


class SlowToCommit:
    """The real ledger, whose commit can be held back or lost."""

    def __init__(self, real: Database) -> None:
        self.engine, self.schema = real.engine, real.schema
        self.reading, self.close = real.reading, real.close
        self._real = real
        self.decided = threading.Event()
        self.may_commit = threading.Event()
        self.lost = False

    @contextmanager
    def writing(self) -> Iterator[Tx]:
        with self._real.writing() as tx:
            yield tx
            self.decided.set()
            assert self.may_commit.wait(WAIT_S_MAX)
            if self.lost:
                raise LedgerUnavailable("the disk went away during the commit")


def test_no_item_is_answered_before_the_commit(database: Database) -> None:
    slow = SlowToCommit(database)
    batches = RecordedBatches(slow, writer.LINGER_S)

    async def ask() -> str:
        waiting = asyncio.ensure_future(batches.writer.submit(5))
        await until(slow.decided.is_set)
        await asyncio.sleep(0.1)
        assert not waiting.done(), "decided, but not on the disk"
        assert written(database) == []
        slow.may_commit.set()
        answer = await asyncio.wait_for(waiting, WAIT_S_MAX)
        assert written(database) == [5], "the answer came after the commit"
        return answer

    assert asyncio.run(ask()) == "written 5"
    batches.writer.stop()


def test_a_commit_that_fails_answers_no_item_with_success(database: Database) -> None:
    slow = SlowToCommit(database)
    slow.lost = True
    slow.may_commit.set()
    batches = RecordedBatches(slow, writer.LINGER_S)
    answers = asyncio.run(all_of(batches, [1, 2, 3]))
    assert all(isinstance(answer, LedgerUnavailable) for answer in answers)
    assert written(database) == []
    slow.lost = False
    assert asyncio.run(batches.writer.submit(4)) == "written 4"
    batches.writer.stop()
