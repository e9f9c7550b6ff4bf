"""Deletes what the ledger need not keep: old idempotency keys, photos of no note and drawings of no spool."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import structlog

from carrete.ledger.database import Tx
from carrete.ledger.drawings import forget_unused_drawings
from carrete.ledger.errors import LedgerUnavailable, RaceLost
from carrete.ledger.notes import forget_unused_photos
from carrete.ledger.values import instant_text

KEYS_KEPT_FOR = timedelta(days=35)
DELETED_EVERY_S = 6 * 3600
UNUSED_KEPT_FOR = timedelta(days=7)
DELETED_AT_ONCE_MAX = 20  # taps are committed between two such steps

log = structlog.get_logger()
Write = Callable[[Callable[[Tx], int]], Awaitable[int]]


async def delete_regularly(write: Write) -> None:
    """The API promises to keep keys for 30 days. Without this, they and unused pictures would fill the disk."""
    while True:
        try:
            await write(_delete_old_keys)
            for delete in (_delete_unused_photos, _delete_unused_drawings):
                while await write(delete) == DELETED_AT_ONCE_MAX:
                    pass
        except (LedgerUnavailable, RaceLost) as error:
            log.warning("old idempotency keys or unused pictures not deleted", reason=str(error))
        await asyncio.sleep(DELETED_EVERY_S)


def _delete_old_keys(tx: Tx) -> int:
    return tx.run("keys_forget", before=instant_text(datetime.now(UTC) - KEYS_KEPT_FOR))


def _delete_unused_photos(tx: Tx) -> int:
    return forget_unused_photos(tx, datetime.now(UTC) - UNUSED_KEPT_FOR, DELETED_AT_ONCE_MAX)


def _delete_unused_drawings(tx: Tx) -> int:
    return forget_unused_drawings(tx, datetime.now(UTC) - UNUSED_KEPT_FOR, DELETED_AT_ONCE_MAX)
