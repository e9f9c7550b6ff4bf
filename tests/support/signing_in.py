"""A shop where people sign in: enrolled devices, PINs, a clock that a test moves, and the service of one process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cache
from typing import Any, TypeVar

from carrete.identity import access_events
from carrete.identity.access_events import AccessKind
from carrete.identity.pins import PinHasher
from carrete.identity.records import Device, DeviceKind
from carrete.identity.refusals import IdentityRefusal
from carrete.identity.secrets import new_secret, secret_hash
from carrete.identity.server_keys import ServerKeys
from carrete.identity.sign_in import SignedIn, SignIn
from carrete.ledger import open_database
from carrete.ledger.database import Database, Tx
from carrete.ledger.migrate import migrate
from carrete.ledger.values import instant_text
from carrete.ledger.writer import GroupWriter
from carrete.settings import Access
from tests.support.builders import NOW

T = TypeVar("T")
KEYS = ServerKeys(bytes(32))
PIN, OTHER_PIN, WRONG_PIN = "482915", "739264", "918273"
ADDRESS = "192.168.1.77"


class TestClock:
    __test__ = False

    def __init__(self, now: datetime = NOW) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **amount: float) -> None:
        self.now += timedelta(**amount)


class Process:
    """The sign-in service of one process, with a connection of its own to the ledger."""

    def __init__(self, url: str, clock: TestClock, mode: Access = "pin") -> None:
        self.database = open_database(url)
        migrate(self.database)
        self.writer: GroupWriter[None, None] = GroupWriter(self.database, lambda tx, items: [])
        self.hasher = hasher()
        self.changes = 0
        self.sign_in = SignIn(
            self.writer.run_exclusive, self.read, KEYS, self.hasher, mode, on_change=self._changed, clock=clock
        )

    def _changed(self, device_id: str, worker_id: int | None) -> None:
        self.changes += 1

    async def read(self, query: Callable[[Tx], T]) -> T:
        with self.database.reading() as tx:
            return query(tx)

    def close(self) -> None:
        self.writer.stop()
        self.database.close()

    def enter(
        self, device: Device, worker_id: int | None = None, pin: str | None = PIN, *, badge: str | None = None
    ) -> SignedIn:
        return asyncio.run(self.sign_in.sign_in(device, worker_id=worker_id, badge=badge, pin=pin, address=ADDRESS))

    def refusal(self, device: Device, worker_id: int | None = None, pin: str | None = WRONG_PIN, **how: Any) -> str:
        """The code of the refusal; for a wait, with its seconds."""
        return refused(self.sign_in.sign_in(device, worker_id=worker_id, pin=pin, address=ADDRESS, **how))


@contextmanager
def running_process(url: str, clock: TestClock, mode: Access = "pin") -> Iterator[Process]:
    process = Process(url, clock, mode)
    try:
        yield process
    finally:
        process.close()


def refused(work: Coroutine[Any, Any, Any]) -> str:
    try:
        asyncio.run(work)
    except IdentityRefusal as refusal:
        wait_s = refusal.context.get("retry_after_s")
        return f"{refusal.code} {wait_s}" if wait_s else refusal.code
    return "let in"


@cache
def hasher() -> PinHasher:
    return PinHasher(KEYS.pepper)


@cache
def hash_of(pin: str) -> str:
    return hasher().hash_blocking(pin)


def enrolled(database: Database, name: str, kind: DeviceKind = DeviceKind.TABLET) -> Device:
    with database.writing() as tx:
        tx.run(
            "device_insert",
            id=f"d-{name}",
            secret_hash=secret_hash(new_secret()),
            name=name,
            kind=kind.value,
            at=instant_text(NOW),
            by_id=None,
        )
    return Device(f"d-{name}", name, kind, NOW)


def give_pin(database: Database, worker_id: int, pin: str = PIN) -> None:
    with database.writing() as tx:
        tx.run("pin_put", worker_id=worker_id, hash=hash_of(pin), at=instant_text(NOW))


def give_badge(database: Database, worker_id: int, code: str) -> None:
    with database.writing() as tx:
        tx.run("badge_insert", code=code, worker_id=worker_id, at=instant_text(NOW))


def access_kinds(database: Database) -> list[str]:
    """The kinds of the access events, oldest first."""
    return [event.kind.value for event in recorded(database)]


def recorded(database: Database, kind: AccessKind | None = None) -> list[access_events.AccessEvent]:
    with database.reading() as tx:
        found = access_events.page(tx, access_events.AccessFilter(kind=kind), limit=500).events
    return found[::-1]
