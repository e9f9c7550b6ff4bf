"""Puts the parts of one process together, and takes them apart again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

import structlog
from redis.exceptions import RedisError

from carrete.action_metrics import Figures
from carrete.actions import Outcome, Performer
from carrete.actions.recount import recount
from carrete.background import end
from carrete.domain.commands import Command
from carrete.domain.refusals import Refusal, SpoolOccupied, VersionConflict, WrongVersion
from carrete.domain.shop import Shop
from carrete.domain.shop_time import iso, whole_second
from carrete.gate import OpenGate
from carrete.gate.assembly import RedisGateServices, heal_now, reconcile_now
from carrete.gate.heal import Ledger, LedgerLock, ledger_locks
from carrete.ledger import open_database
from carrete.ledger.database import Database, Tx
from carrete.ledger.errors import LedgerUnavailable, RaceLost
from carrete.ledger.migrate import migrate
from carrete.ledger.values import instant_text
from carrete.live.limit import StreamLimit
from carrete.live.sse import frames
from carrete.live.tail import Tail
from carrete.redis.embedded_server import socket_path
from carrete.redis.subscriber import subscribe
from carrete.settings import Settings
from carrete.sheets.listeners import Listeners

if TYPE_CHECKING:
    from carrete.sheets.running import LaneThread
    from carrete.webhook import Webhook

T = TypeVar("T")
READERS = 4
KEYS_KEPT = timedelta(days=35)
KEYS_SWEPT_EVERY_S = 6 * 3600
CONFLICTS = (SpoolOccupied, VersionConflict, WrongVersion)  # what is answered with 409

log = structlog.get_logger()


class Services:
    """A running shop: the ledger, the one path over it, readers, and what runs in the background."""

    def __init__(self, settings: Settings, database: Database | None = None) -> None:
        self.settings = settings
        self.shop: Shop = settings.shop
        self.database = database or open_database(settings.ledger_url)
        migrate(self.database)
        self._count_as_set()
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="ledger-reader")
        self.gate_services = None if settings.redis_url == "off" else self._gate_house()
        self.performer = Performer(
            self.database, self.gate_services.gate if self.gate_services else OpenGate(), self.shop
        )
        self.figures = Figures()
        self.webhook = _webhook(settings.conflict_webhook)
        self.performer.observe = self._observe
        self.tail = Tail(self.read, lambda rows: frames(rows, self.shop.zone))
        self.stream_limit = StreamLimit(settings.streams_per_address)
        self.performer.announce = self.announce
        self._background: list[asyncio.Task[None]] = []
        self.lane: LaneThread | None = None

    def _count_as_set(self) -> None:
        """Stored figures hold for the types they were counted under."""
        if changed := recount(self.database, self.shop, datetime.now(UTC)):
            log.info("joints counted anew", spools=changed, arm_only_types=sorted(self.shop.arm_only_types))

    def _gate_house(self) -> RedisGateServices:
        return RedisGateServices(
            self.settings.redis_url,
            self.settings.data,
            self.settings.redis_max_connections,
            self._locks,
            self.shop.zone,
        )

    async def _locks(self, tags: Sequence[str] | None) -> dict[str, LedgerLock]:
        """The ledger's word for the gate."""
        return await self.read(lambda tx: ledger_locks(tx, tags))

    def _observe(self, commands: Sequence[Command], outcomes: Sequence[Outcome]) -> None:
        self.figures.saw(commands, outcomes)
        for command, outcome in zip(commands, outcomes, strict=True):
            if isinstance(outcome, CONFLICTS):
                self._conflict(command, outcome)

    def _conflict(self, command: Command, refusal: Refusal) -> None:
        who = {"tag_spool": command.tag, "worker_id": command.worker_id}
        log.info("conflict", code=refusal.code, **who, **refusal.context)
        if self.webhook and isinstance(refusal, SpoolOccupied):
            at = iso(whole_second(datetime.now(UTC)), self.shop.zone)
            self.webhook.tell({"code": refusal.code, **who, "at": at, **refusal.context})

    def announce(self, tags: Sequence[str]) -> None:
        """Events of these spools were committed and no lock changed: live streams look now, here and elsewhere.
        Without spools, others have heard it from the locks."""
        self.tail.poke()
        if tags and self.gate_services:
            self.gate_services.poke(tags)

    async def read(self, query: Callable[[Tx], T]) -> T:
        """A consistent look at the ledger, off the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._read, query)

    def _read(self, query: Callable[[Tx], T]) -> T:
        with self.database.reading() as tx:
            return query(tx)

    def start(self) -> None:
        self._spawn(self._forget_old_keys())
        self._spawn(self.tail.run())
        self._spawn(self.tail.beats())
        if self.gate_services:
            self.gate_services.start()
            self._spawn(subscribe(self.gate_services.locator, self.tail.poke))
        if self.webhook:
            self._spawn(self.webhook.run())
        if self.settings.google_sheet_id:
            self._start_lane()

    def _start_lane(self) -> None:
        from carrete.sheets.running import LaneThread  # an eighth of a server's start, and few shops have a sheet

        self.lane = LaneThread(self.settings, self.shop, self._listeners())
        self.lane.start()

    def _listeners(self) -> Listeners:
        """What the lane's thread asks of this loop; it never waits for an answer."""
        gate, loop = self.gate_services, asyncio.get_running_loop()

        def edited(tags: Sequence[str], held_anew: Sequence[str]) -> None:
            loop.call_soon_threadsafe(self.announce, tags)
            if gate:
                for tag in held_anew:
                    asyncio.run_coroutine_threadsafe(gate.healer.heal(tag), loop)

        def first_read() -> None:
            if gate:
                loop.call_soon_threadsafe(gate.watcher.rebuild_soon)

        return Listeners(edited, first_read)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        self._background.append(asyncio.create_task(work))

    async def stop(self) -> None:
        self.tail.close()
        await end(self._background)
        if self.lane:
            await asyncio.get_running_loop().run_in_executor(None, self.lane.stop)
        self.performer.stop()
        if self.gate_services:
            await self.gate_services.stop()
        self._readers.shutdown(wait=False, cancel_futures=True)
        self.database.close()

    async def _forget_old_keys(self) -> None:
        """Keys are promised for 30 days; a few more do no harm, for ever would fill the disk."""
        while True:
            try:
                await self.performer.housekeeping(_forget_old_keys)
            except (LedgerUnavailable, RaceLost) as error:
                log.warning("old idempotency keys not swept", reason=str(error))
            await asyncio.sleep(KEYS_SWEPT_EVERY_S)


def _webhook(url: str) -> Webhook | None:
    if not url:
        return None
    from carrete.webhook import Webhook  # brings an HTTP client along, which few shops need

    return Webhook(url)


def _forget_old_keys(tx: Tx) -> int:
    return tx.run("keys_forget", before=instant_text(datetime.now(UTC) - KEYS_KEPT))


def heal_locks(settings: Settings, database: Database, tags: Sequence[str]) -> None:
    """After a person changed in a workbook who holds these spools, done by a process without a gate of its own. Those
    that serve hear of the import too."""
    if _redis_runs(settings):
        asyncio.run(heal_now(settings.redis_url, settings.data, _ledger_of(database), tags))


def reconcile_locks(settings: Settings, database: Database) -> None:
    """After the first read of the sheet, done by a process without a gate of its own."""
    if _redis_runs(settings):
        with suppress(RedisError, OSError, TimeoutError):  # whoever serves rebuilds them too
            asyncio.run(reconcile_now(settings.redis_url, settings.data, _ledger_of(database)))


def _redis_runs(settings: Settings) -> bool:
    nobody_runs = settings.redis_url == "embedded" and not socket_path(settings.data).exists()
    return not nobody_runs and settings.redis_url != "off"


def _ledger_of(database: Database) -> Ledger:
    async def ledger(wanted: Sequence[str] | None) -> dict[str, LedgerLock]:
        with database.reading() as tx:
            return ledger_locks(tx, wanted)

    return ledger
