"""Whether the process, the ledger and Redis answer."""

from __future__ import annotations

from typing import Literal

from carrete.api.schemas.fields import ApiModel


class Alive(ApiModel):
    """`now` is the shop's clock."""

    status: Literal["ok"]
    version: str
    now: str


class Ready(ApiModel):
    status: Literal["ready"]
    ledger: str


class RedisHealth(ApiModel):
    status: Literal["healthy", "degraded"]
    reason: str | None = None
    since_s: int | None = None
    server: str | None = None
    locks_rebuilt: int | None = None
    pool: dict[str, int] | None = None
