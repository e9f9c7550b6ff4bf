"""The parts of identity in one serving process, put together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from typing import Any, TypeVar

import structlog

from carrete.identity import access_events, enrolment, throttle
from carrete.identity.last_use import LastUse, write_uses
from carrete.identity.lookups import Lookups
from carrete.identity.open_streams import OpenStreams
from carrete.identity.pins import PinHasher
from carrete.identity.records import Session
from carrete.identity.refused_requests import RefusedRequests, write_refused
from carrete.identity.server_keys import ServerKeys
from carrete.identity.sessions import UNSENT_KEPT_FOR
from carrete.identity.sign_in import SignIn
from carrete.identity.taps import TapKey
from carrete.ledger.database import Database, Tx
from carrete.ledger.errors import LedgerUnavailable, RaceLost
from carrete.ledger.values import instant_text
from carrete.settings import Settings

log = structlog.get_logger()
T = TypeVar("T")

TAP_KEYS_KEPT = 1_024  # every tap of a session needs its key
FLUSH_EVERY_S = 1.0
DELETE_OLD_EVERY_S = 6 * 3600
SESSIONS_KEPT_FOR = timedelta(days=731)


class IdentityServices:
    """`read` and `write` run a function in a transaction, off the event loop. Without identity (mode `open`) there are
    no keys, and the gatekeeper refuses every route that would need them."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        read: Callable[[Callable[[Tx], Any]], Awaitable[Any]],
        write: Callable[[Callable[[Tx], Any]], Awaitable[Any]],
    ) -> None:
        self.mode = settings.access
        self.lookups = Lookups(read)
        self.last_use = LastUse(timedelta(seconds=settings.idle_s))
        self.open_streams = OpenStreams(read)
        self.refused = RefusedRequests()
        self.tap_key = lru_cache(TAP_KEYS_KEPT)(lambda session_id: TapKey(self.keys.tap_key(session_id)))
        self._write = write
        self._keys: ServerKeys | None = None
        self._hasher: PinHasher | None = None
        self._sign_in: SignIn | None = None
        if self.mode != "open":
            with database.writing() as tx:
                self._keys = ServerKeys.load(settings.data, tx)
            self._hasher = PinHasher(self._keys.pepper)
            self._sign_in = SignIn(
                write, read, self._keys, self._hasher, self.mode, on_change=self.lookups.drop_sessions
            )

    @property
    def keys(self) -> ServerKeys:
        assert self._keys is not None, "the gatekeeper lets nobody come here without identity"
        return self._keys

    @property
    def hasher(self) -> PinHasher:
        assert self._hasher is not None, "the gatekeeper lets nobody come here without identity"
        return self._hasher

    @property
    def sign_in(self) -> SignIn:
        assert self._sign_in is not None, "the gatekeeper lets nobody come here without identity"
        return self._sign_in

    def webhook_key(self, webhook_id: str) -> bytes:
        return self.keys.webhook_key(webhook_id)

    def is_locked(self, session: Session) -> bool:
        return self.last_use.is_idle(session) or session.lacks_pin(self.mode)

    def background(self) -> list[Coroutine[Any, Any, None]]:
        """What runs as long as the process serves."""
        if self.mode == "open":
            return []
        return [self._flush_regularly(), self._delete_old_regularly(), self.open_streams.run()]

    def stop(self) -> None:
        self.lookups.stop()
        if self._hasher:
            self._hasher.close()

    async def _flush_regularly(self) -> None:
        while True:
            await asyncio.sleep(FLUSH_EVERY_S)
            if uses := self.last_use.take():
                await self._in_background(partial(write_uses, uses=uses))
            refused = self.refused.take()
            if refused and not await self._in_background(partial(write_refused, refused=refused)):
                self.refused.put_back(refused)

    async def _delete_old_regularly(self) -> None:
        while True:
            await self._in_background(lambda tx: delete_old(tx, datetime.now(UTC)))
            await asyncio.sleep(DELETE_OLD_EVERY_S)

    async def _in_background(self, work: Callable[[Tx], object]) -> bool:
        """Whether it may be forgotten: it was committed, or would fail for ever."""
        try:
            await self._write(work)
        except (LedgerUnavailable, RaceLost) as error:
            log.warning("notes of identity not written", reason=str(error))
            return False
        except Exception as error:  # without this task the process would never note anything again
            log.error("notes of identity lost", exc_info=error)
        return True


def delete_old(tx: Tx, now: datetime) -> None:
    """Sessions, unsent taps, failed attempts, codes and access events that nothing needs any more."""
    access_events.forget_old(tx, now)
    enrolment.forget_old_codes(tx, now)
    throttle.forget_old(tx, now)
    tx.run("sessions_forget", before=instant_text(now - SESSIONS_KEPT_FOR))
    tx.run("sealed_pins_forget")
    tx.run("unsent_taps_forget", before=instant_text(now - UNSENT_KEPT_FOR))
