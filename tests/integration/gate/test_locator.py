"""The address of Redis: fixed, or reported by Sentinels."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from redis.asyncio.connection import ConnectionPool
from redis.exceptions import RedisError

from carrete.addresses import without_secrets
from carrete.redis.locator import FixedLocator, SentinelLocator, locator
from carrete.redis.sentinels import Sentinels, parse
from tests.integration.gate.conftest import fill
from tests.support.gated import a_gated_floor, is_at_rest
from tests.support.redis_server import running_redis


@pytest.mark.parametrize(
    ("url", "meaning"),
    [
        ("sentinel://a/shop", Sentinels((("a", 26379),), "shop")),
        ("sentinel://sentinel/shop", Sentinels((("sentinel", 26379),), "shop")),
        ("sentinel://a:1,b:2,[fd00::1]:3/shop/7", Sentinels((("a", 1), ("b", 2), ("fd00::1", 3)), "shop", 7)),
        ("sentinel://:p%40ss@a/shop", Sentinels((("a", 26379),), "shop", password="p@ss")),
        ("sentinel://u:p@a/shop?sentinel_password=q", Sentinels((("a", 26379),), "shop", 0, "u", "p", "q")),
    ],
)
def test_an_address_says_the_sentinels_the_master_and_who_we_are(url: str, meaning: Sentinels) -> None:
    assert parse(url) == meaning


def test_no_password_is_ever_shown() -> None:
    shown = without_secrets("sentinel://u:secreto@a:1,b:2/shop?sentinel_password=secreta")
    assert shown == "sentinel://a:1,b:2/shop"


def test_a_master_that_no_sentinel_knows_is_reported_and_no_connection_is_made() -> None:
    async def scenario() -> None:
        sentinels = SentinelLocator(parse("sentinel://127.0.0.1:1,127.0.0.1:2/shop"))
        pool = sentinels.pool(ConnectionPool)
        with pytest.raises(RedisError, match=r"no Sentinel of 127.0.0.1:1, 127.0.0.1:2 knows a master called shop"):
            await sentinels.refresh()
        with pytest.raises(RedisError, match="no Sentinel has said yet where shop is"):
            await pool.get_connection()  # type: ignore[no-untyped-call]
        await sentinels.close()

    asyncio.run(scenario())


def test_a_plain_address_never_moves(tmp_path: Path) -> None:
    fixed = locator("redis://127.0.0.1:1/0", tmp_path)
    assert isinstance(fixed, FixedLocator)
    assert asyncio.run(fixed.refresh()) is False


def test_a_connection_that_leads_to_where_the_master_was_is_not_kept(ledger_url: str, tmp_path: Path) -> None:
    """The old Redis still answers but is read-only; another Redis has its address now."""
    with (
        running_redis() as old,
        running_redis() as new,
        a_gated_floor(ledger_url, old.url, tmp_path, background=True) as floor,
    ):
        fill(floor.services.database)
        assert floor.take("MK-1", 1) == "OK"
        old.ask("REPLICAOF", "127.0.0.1", "1")
        os.replace(new.socket, old.socket)
        assert floor.take("MK-2", 2) == "OK"
        floor.rest_until(lambda: not floor.gate.breaker.is_open and is_at_rest(new, floor.services.database))
        assert new.locks().keys() == {"MK-1", "MK-2"}
