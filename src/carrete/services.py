"""Builds, starts and stops the parts of one process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

import structlog

from carrete.action_metrics import ActionMetrics
from carrete.actions import Outcome, Performer
from carrete.actions.recount import recount, recount_while_serving
from carrete.background import cancel_and_wait
from carrete.backups.nightly import NightlyBackups
from carrete.domain.commands import Command
from carrete.domain.refusals import ReclamoResolved, Refusal, SpoolOccupied, VersionConflict, WrongVersion
from carrete.domain.shop import Shop
from carrete.domain.shop_time import iso, whole_second
from carrete.gate import OpenGate
from carrete.gate.assembly import RedisGateServices
from carrete.gate.heal import LedgerLock, ledger_locks
from carrete.identity.assembly import IdentityServices
from carrete.ledger import open_database
from carrete.ledger.database import Database, Tx
from carrete.ledger.migrate import migrate
from carrete.live.limit import StreamLimit
from carrete.live.sse import frames
from carrete.live.tail import DEFAULT_LIMITS, Tail, TailLimits
from carrete.old_records import delete_regularly
from carrete.redis.pipeline import CALL_S_MAX
from carrete.redis.subscriber import subscribe
from carrete.settings import Settings
from carrete.sheets.listeners import Listeners
from carrete.sheets.timings import DEFAULT_TIMINGS, LaneTimings
from carrete.shop_settings import ShopSettings, read
from carrete.shop_settings.live import LiveShopSettings
from carrete.trail.seals import seal_regularly
from carrete.trail.signing_key import SigningKey
from carrete.uploads import UploadFolder, UploadWorker
from carrete.webhooks.delivery import WebhookDelivery
from carrete.webhooks.kinds import WebhookKind
from carrete.webhooks.message import message_of_conflict
from carrete.webhooks.sender import WebhookSender

if TYPE_CHECKING:
    from carrete.sheets.running import LaneThread
    from carrete.webhook import Webhook

T = TypeVar("T")
READERS = 4
CONFLICTS = (ReclamoResolved, SpoolOccupied, VersionConflict, WrongVersion)  # the refusals with status 409

log = structlog.get_logger()


class Services:
    """All parts of a serving process: the ledger, the path of actions, readers of the ledger and background tasks."""

    def __init__(
        self,
        settings: Settings,
        database: Database | None = None,
        *,
        redis_call_s_max: float = CALL_S_MAX,
        tail_limits: TailLimits = DEFAULT_LIMITS,
        lane_timings: LaneTimings = DEFAULT_TIMINGS,
    ) -> None:
        self.settings = settings
        self._lane_timings = lane_timings
        self.database = database or open_database(settings.ledger_url)
        migrate(self.database)
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="ledger-reader")
        self.shop_settings = LiveShopSettings(settings, self._read(read), self.read, self._on_shop_settings)
        self._recount()
        self.signing_key = SigningKey.of_ledger(settings.data, self.database)
        self.gate_services = None if settings.redis_url == "off" else self._gate_services(redis_call_s_max)
        self.action_metrics = ActionMetrics()
        self.webhook = _webhook(self.shop_settings.current.conflict_webhook)
        self.tail = Tail(self.read, lambda rows: frames(rows, self.shop.zone), tail_limits)
        self.stream_limit = StreamLimit(settings.streams_per_address)
        self.performer = Performer(
            self.database,
            self.gate_services.gate if self.gate_services else OpenGate(),
            self.shop,
            on_outcomes=self._observe,
            on_events=self.announce,
            sign=self.signing_key.sign,
        )
        self.uploads = UploadFolder(settings.data / "uploads")
        self.upload_worker = UploadWorker(self.uploads, settings)
        self.identity = IdentityServices(settings, self.database, self.read, self.performer.housekeeping)
        sender = WebhookSender(self.identity.webhook_key, lambda: self.shop.zone)
        self.webhooks = WebhookDelivery(
            sender,
            self.read,
            self.performer.housekeeping,
            shop=lambda: self.shop,
            serves=settings.access != "open",
        )
        self.backups = NightlyBackups(settings, self.read, self.performer.housekeeping, lambda: self.shop.zone)
        self._background: list[asyncio.Task[None]] = []
        self._replaceable: dict[str, asyncio.Task[None]] = {}
        self.lane: LaneThread | None = None

    @property
    def shop(self) -> Shop:
        """What the rules depend on, as it is now. A request that needs it twice keeps it in a variable."""
        return self.shop_settings.shop

    def _on_shop_settings(self, before: ShopSettings, after: ShopSettings) -> None:
        """The shop's settings changed while this process serves: every part gets the new values."""
        self.performer.shop = self.shop
        if self.gate_services:
            self.gate_services.cleaner.zone = self.shop.zone
        if after.conflict_webhook != before.conflict_webhook:
            self._follow_webhook(after.conflict_webhook)
        if after.arm_only_types != before.arm_only_types:
            self._spawn_anew("recount", self._recount_while_serving(before.arm_only_types))
        if _of_lane(after) != _of_lane(before):
            self._spawn_anew("lane", self._restart_lane())

    def _follow_webhook(self, url: str) -> None:
        """Conflicts that wait go to the new address."""
        if url and self.webhook:
            self.webhook.url = url
        elif url:
            self.webhook = _webhook(url)
            self._start_webhook()
        else:
            self.webhook = None
            if task := self._replaceable.pop("webhook", None):
                task.cancel()

    async def _recount_while_serving(self, before: frozenset[str]) -> None:
        changed = await recount_while_serving(self.read, self.performer.housekeeping, self.shop, before)
        log.info("joints counted anew", spools=changed, arm_only_types=sorted(self.shop.arm_only_types))

    def _recount(self) -> None:
        """The stored counts of joints depend on a setting, which may have changed since the last start."""
        if changed := recount(self.database, self.shop, datetime.now(UTC)):
            log.info("joints counted anew", spools=changed, arm_only_types=sorted(self.shop.arm_only_types))

    def _gate_services(self, call_s_max: float) -> RedisGateServices:
        return RedisGateServices(
            self.settings.redis_url,
            self.settings.data,
            self.settings.redis_max_connections,
            self._ledger_locks,
            self.shop.zone,
            call_s_max,
        )

    async def _ledger_locks(self, tags: Sequence[str] | None) -> dict[str, LedgerLock]:
        """The ledger's lock values, as the gate compares them with Redis."""
        return await self.read(lambda tx: ledger_locks(tx, tags))

    def _observe(self, commands: Sequence[Command], outcomes: Sequence[Outcome]) -> None:
        self.action_metrics.count(commands, outcomes)
        for command, outcome in zip(commands, outcomes, strict=True):
            if isinstance(outcome, CONFLICTS):
                self._report_conflict(command, outcome)

    def _report_conflict(self, command: Command, refusal: Refusal) -> None:
        fields = {"tag_spool": command.tag, "worker_id": command.worker_id}
        log.info("conflict", code=refusal.code, **fields, **refusal.context)
        if self.webhook and isinstance(refusal, SpoolOccupied):
            at = iso(whole_second(datetime.now(UTC)), self.shop.zone)
            self.webhook.enqueue({"code": refusal.code, **fields, "at": at, **refusal.context})
        if isinstance(refusal, SpoolOccupied) and WebhookKind.OCUPADO in self.webhooks.wanted:
            self.webhooks.notify_soon(message_of_conflict(command.tag, command.worker_id, refusal.context))

    def announce(self, tags: Sequence[str]) -> None:
        """Events were committed: pokes the live streams of this process, and those of other processes when there are
        tags, the spools whose lock did not change. A script that changes a lock pokes the other processes itself."""
        self.tail.poke()
        if tags and self.gate_services:
            self.gate_services.poke(tags)

    async def read(self, query: Callable[[Tx], T]) -> T:
        """Runs the query in a read transaction on a thread of its own, so that the event loop goes on."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._read, query)

    def _read(self, query: Callable[[Tx], T]) -> T:
        with self.database.reading() as tx:
            return query(tx)

    def start(self) -> None:
        self._spawn(delete_regularly(self.performer.housekeeping))
        self._spawn(self.tail.run())
        self._spawn(self.tail.send_heartbeats())
        if self.gate_services:
            self.gate_services.start()
            self._spawn(subscribe(self.gate_services.locator, self.tail.poke))
        self._spawn(self.backups.run())
        url = self.settings.timestamp_url
        self._spawn(seal_regularly(self.read, self.performer.housekeeping, self.signing_key, url))
        for work in (*self.identity.background(), *self.webhooks.background()):
            self._spawn(work)
        self._spawn(self.shop_settings.follow())
        self._start_webhook()
        self._start_lane()
        if self.settings.access != "open":  # without identity there are no uploads
            self.upload_worker.start(self._listeners().edited)

    def _start_webhook(self) -> None:
        if self.webhook:
            self._spawn_anew("webhook", self.webhook.run())

    def _start_lane(self) -> None:
        """Does nothing for a shop without a Google workbook."""
        if not self.shop_settings.current.google_sheet:
            return
        from carrete.sheets.running import LaneThread  # costs an eighth of a server's start, and few shops need it

        settings = self.settings.model_copy(update={"google_sheet_id": self.shop_settings.current.google_sheet})
        self.lane = LaneThread(settings, self.shop, self._listeners(), self._lane_timings)
        self.lane.start()

    async def _restart_lane(self) -> None:
        await self._stop_lane()
        self._start_lane()

    async def _stop_lane(self) -> None:
        lane, self.lane = self.lane, None
        if lane:
            await asyncio.get_running_loop().run_in_executor(None, lane.stop)

    def _listeners(self) -> Listeners:
        """Callbacks for the threads of the lane and of uploads. They run on this loop; the threads do not wait."""
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

    def _spawn_anew(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        """Cancels the task of this name that is still running, if there is one."""
        if task := self._replaceable.get(name):
            task.cancel()
        self._replaceable[name] = asyncio.create_task(work)

    async def stop(self) -> None:
        self.tail.close()
        await cancel_and_wait([*self._background, *self._replaceable.values()])
        await self._stop_lane()
        await asyncio.get_running_loop().run_in_executor(None, self.upload_worker.stop)
        await self.backups.stop()
        await self.webhooks.stop()
        self.identity.stop()
        self.performer.stop()
        if self.gate_services:
            await self.gate_services.stop()
        self._readers.shutdown(wait=False, cancel_futures=True)
        self.database.close()


def _of_lane(settings: ShopSettings) -> tuple[object, ...]:
    """The settings that the sheet lane starts with."""
    return settings.google_sheet, settings.timezone, settings.arm_only_types


def _webhook(url: str) -> Webhook | None:
    if not url:
        return None
    from carrete.webhook import Webhook  # imports an HTTP client, which few shops need

    return Webhook(url)
