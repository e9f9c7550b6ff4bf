"""A shift over HTTP: people who tap steadily, each tap under its key, and somebody who follows the stream."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from uuid import uuid4

import httpx

from tests.support.local import LOCAL
from tests.support.watching import Watcher

ANSWER_S_MAX = 10.0  # as long as a tablet waits
PAUSE_S = 0.08


@dataclass(frozen=True)
class Tap:
    """The result of one tap: its status, or 0 when there was no answer."""

    worker_id: int
    accion: str
    tag: str
    status: int
    body: str
    seq: int | None = None


@dataclass
class Shift:
    taps: list[Tap] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def failed(self) -> list[Tap]:
        """The taps with a broken connection or a 5xx, which the worker sees as "Sin enviar"."""
        return [tap for tap in self.taps if tap.status == 0 or tap.status >= 500]

    @property
    def done(self) -> list[Tap]:
        return [tap for tap in self.taps if tap.status == 200]


@contextmanager
def a_shift(url: str, workers: Sequence[int], tags: Sequence[str]) -> Iterator[Shift]:
    """Until the block ends, each worker takes a spool that seems free and pauses it again. There are more workers than
    spools, so that they compete all the time."""
    shift = Shift()
    hands = [threading.Thread(target=_work, args=(shift, url, worker, tags)) for worker in workers]
    for hand in hands:
        hand.start()
    try:
        yield shift
    finally:
        shift.over.set()
        for hand in hands:
            hand.join()


def _work(shift: Shift, url: str, worker_id: int, tags: Sequence[str]) -> None:
    chance = random.Random(worker_id)
    with httpx.Client(base_url=url, timeout=ANSWER_S_MAX, **LOCAL) as client:
        while not shift.over.is_set():
            tag = chance.choice(tags)
            taken = _tap(client, worker_id, "tomar", tag)
            shift.taps.append(taken)
            time.sleep(PAUSE_S)
            if taken.status == 200:
                shift.taps.append(_tap(client, worker_id, "pausar", tag))
                time.sleep(PAUSE_S)


def _tap(client: httpx.Client, worker_id: int, accion: str, tag: str) -> Tap:
    body = {"tag_spool": tag, "worker_id": worker_id, "operacion": "ARM"}
    try:
        answer = client.post(f"/api/occupation/{accion}", json=body, headers={"Idempotency-Key": str(uuid4())})
    except httpx.HTTPError as error:
        return Tap(worker_id, accion, tag, 0, repr(error))
    seq = answer.json()["event_seq"] if answer.status_code == 200 else None
    return Tap(worker_id, accion, tag, answer.status_code, answer.text, seq)


class Follower:
    """Reconnects with the last seq whenever the stream ends."""

    def __init__(self, url: str, since: int) -> None:
        self._url = url
        self._last = since
        self.seqs: list[int] = []
        self.times = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._follow)
        self._thread.start()

    def _follow(self) -> None:
        while not self._over.is_set():
            self.times += 1
            watcher = Watcher(self._url, self._last)
            while not (self._over.is_set() or watcher.ended.is_set()):
                self.seqs += watcher.seqs()
                time.sleep(0.02)
            watcher.close()
            self.seqs += watcher.seqs()
            self._last = self.seqs[-1] if self.seqs else self._last

    def wait_until_it_has(self, seq: int, within_s: float = ANSWER_S_MAX) -> None:
        until = time.monotonic() + within_s
        while not self.seqs or self.seqs[-1] < seq:
            assert time.monotonic() < until, f"event {seq} did not come"
            time.sleep(0.02)

    def close(self) -> None:
        self._over.set()
        self._thread.join()


@contextmanager
def following(url: str, since: int = 0) -> Iterator[Follower]:
    follower = Follower(url, since)
    try:
        yield follower
    finally:
        follower.close()
