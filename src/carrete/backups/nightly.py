"""Makes the nightly copies. Every process looks whether one is due; a lease in the ledger lets one of them make it."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

import structlog

from carrete.background import cancel_and_wait
from carrete.backups.errors import BackupFailed, BackupNotMade, BackupUnderWay
from carrete.backups.schedule import DEFAULT_BACKUP_TIMINGS, BackupTimings, is_due
from carrete.backups.status import BackupStatus, backup_status, failure_text, last_text, read_run
from carrete.domain.shop_time import whole_second
from carrete.findings import Words
from carrete.ledger.database import Tx
from carrete.ledger.errors import LedgerUnavailable, RaceLost
from carrete.ledger.values import instant_text
from carrete.settings import Settings
from carrete.webhooks.kinds import WebhookKind
from carrete.webhooks.message import new_message
from carrete.webhooks.notices import notify

log = structlog.get_logger()

_CHILD = (sys.executable, "-P", "-m", "carrete.backups.child")
_TOO_SLOW = Words("The copy took too long and was given up.", "El respaldo tardó demasiado y se abandonó.")
_CHILD_DIED = Words("The process that made the copy ended.", "El proceso que hacía el respaldo terminó de golpe.")


class NightlyBackups:
    """`read` and `write` run a function in a transaction, off the event loop."""

    def __init__(
        self,
        settings: Settings,
        read: Callable[[Callable[[Tx], Any]], Awaitable[Any]],
        write: Callable[[Callable[[Tx], Any]], Awaitable[Any]],
        zone: Callable[[], ZoneInfo],
        timings: BackupTimings = DEFAULT_BACKUP_TIMINGS,
    ) -> None:
        self._settings = settings
        self._read, self._write = read, write
        self._zone = zone
        self._timings = timings
        self._began = time.monotonic()
        self._holder = f"{socket.gethostname()}:{os.getpid()}:{uuid4().hex[:8]}"
        self._on_request: asyncio.Task[None] | None = None
        self.seen: BackupStatus | None = None  # at the last look, for the metrics

    @property
    def age_s(self) -> float | None:
        """For how long the ledger is in no copy. None before the first look."""
        if self.seen is None:
            return None
        return self.seen.unprotected_s + (datetime.now(UTC) - self.seen.at).total_seconds()

    async def look(self) -> BackupStatus:
        run = await self._read(read_run)
        self.seen = await asyncio.to_thread(backup_status, self._settings.backup_folder, run)
        return self.seen

    async def run(self) -> None:
        """Goes on after any failure: without this task no copy would be made until the next start."""
        while True:
            try:
                await self.make_if_due()
            except Exception as error:
                log.error("the nightly backup failed", exc_info=error)
            await asyncio.sleep(self._timings.check_every_s)

    async def make_if_due(self) -> None:
        """Failures are in the log, and those of a copy in the ledger too."""
        try:
            if self._is_due(await self.look()):
                await self._make_with_lease(only_if_due=True)
                await self.look()
        except BackupUnderWay:
            log.debug("another process makes the backup")
        except BackupFailed:
            await self.look()
        except (LedgerUnavailable, RaceLost) as error:
            log.warning("no backup: the ledger is not available", reason=str(error))

    async def stop(self) -> None:
        """A copy under way is given up: what is there of it has no good name."""
        if self._on_request is not None:
            await cancel_and_wait([self._on_request])

    async def make_on_request(self, wait_s_max: float) -> bool:
        """Makes a copy now; returns whether it is done. After `wait_s_max` it goes on by itself. Raises BackupUnderWay
        or BackupNotMade."""
        if self._on_request is None or self._on_request.done():
            self._on_request = asyncio.create_task(self._make_with_lease())
        else:
            raise BackupUnderWay
        done, _ = await asyncio.wait([self._on_request], timeout=wait_s_max)
        if not done:
            self._on_request.add_done_callback(_forget_outcome)
            return False
        try:
            self._on_request.result()
        except BackupFailed as error:
            raise BackupNotMade(error.words.es) from None
        await self.look()
        return True

    def _is_due(self, status: BackupStatus) -> bool:
        failure = status.run.failure
        return is_due(
            status.at,
            self._zone(),
            last_at=status.last_at,
            failed_at=failure.at if failure else None,
            running_s=time.monotonic() - self._began,
            timings=self._timings,
        )

    async def _make_with_lease(self, *, only_if_due: bool = False) -> None:
        """`only_if_due`: another process may have made one between our look and our lease."""
        keep = asyncio.create_task(self._keep_lease())
        try:
            await self._take_lease()
            if not only_if_due or self._is_due(await self.look()):
                await self._make()
        finally:
            await cancel_and_wait([keep])
            with suppress(LedgerUnavailable, RaceLost):  # then it expires
                await self._write(lambda tx: tx.run("backup_lease_free", holder=self._holder))

    async def _make(self) -> None:
        try:
            made = await self._made_by_child()
        except BackupFailed as error:
            log.error("no backup was made", reason=error.words.en)
            await self._write(partial(_record_failure, words=error.words, now=datetime.now(UTC)))
            raise
        log.info("backup made", file=made["file"], bytes=made["bytes"], deleted=made["deleted"])
        if trouble := made["unsigned"]:
            log.error("the backup has no signed head", reason=trouble)
        text = last_text(made, self._settings.backup_folder)
        await self._write(lambda tx: tx.run("backup_made", last=text))

    async def _made_by_child(self) -> dict[str, Any]:
        task = {
            "parent": os.getpid(),
            "ledger_url": self._settings.ledger_url,
            "folder": str(self._settings.backup_folder),
            "data": str(self._settings.data),
            "zone": self._zone().key,
        }
        child = await _started_child()
        try:
            async with asyncio.timeout(self._timings.make_s_max):
                answer, _ = await child.communicate(json.dumps(task).encode())
        except TimeoutError:
            raise BackupFailed(_TOO_SLOW) from None
        finally:
            if child.returncode is None:
                child.kill()
                await child.wait()
        try:
            made: dict[str, Any] = json.loads(answer)
        except ValueError:
            raise BackupFailed(_CHILD_DIED) from None
        if failed := made.get("failed"):
            raise BackupFailed(Words(failed["en"], failed["es"]))
        return made

    async def _take_lease(self) -> None:
        params = {"holder": self._holder, "now": instant_text(datetime.now(UTC)), "until": self._until()}
        if await self._write(lambda tx: tx.run("backup_lease_take", **params)) != 1:
            raise BackupUnderWay

    async def _keep_lease(self) -> None:
        """A process that froze and lost the lease makes one copy more than needed, which does no harm."""
        while True:
            await asyncio.sleep(self._timings.lease_s / 3)
            with suppress(LedgerUnavailable, RaceLost):
                await self._write(lambda tx: tx.run("backup_lease_hold", holder=self._holder, until=self._until()))

    def _until(self) -> str:
        return instant_text(datetime.now(UTC) + timedelta(seconds=self._timings.lease_s))


def _record_failure(tx: Tx, words: Words, now: datetime) -> None:
    tx.run("backup_failed", failure=failure_text(words, now))
    text = f"El respaldo del registro falló: {words.es}"
    notify(tx, new_message(WebhookKind.RESPALDO_FALLIDO, text, whole_second(now), data={"motivo": words.es}))


async def _started_child() -> asyncio.subprocess.Process:
    """The process that makes the copy. Raises BackupFailed when it cannot start: the machine has no memory or process
    left, or the program is being upgraded."""
    pipe = asyncio.subprocess.PIPE
    try:
        return await asyncio.create_subprocess_exec(*_CHILD, stdin=pipe, stdout=pipe)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise BackupFailed(
            Words(
                f"The process that makes the copy could not be started: {reason}.",
                f"No se pudo iniciar el proceso que hace el respaldo ({reason}).",
            )
        ) from None


def _forget_outcome(task: asyncio.Task[None]) -> None:
    """How it ended is in the ledger, where the page looks."""
    if not task.cancelled():
        task.exception()
