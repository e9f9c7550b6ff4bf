"""Alive, ready, and what Redis is doing."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.metadata import version

from fastapi import FastAPI

from carrete.api.actions import documented_problems
from carrete.api.responses import Json
from carrete.api.schemas.health import Alive, Ready, RedisHealth
from carrete.domain.shop_time import iso, whole_second
from carrete.services import Services

_READY = documented_problems({503: "LEDGER_UNAVAILABLE"})


def add(app: FastAPI, services: Services) -> None:
    @app.get("/api/health", response_model=Alive, tags=["salud"])
    async def alive() -> Json:
        """Está en pie; y qué hora es en el taller."""
        now = iso(whole_second(datetime.now(UTC)), services.shop.zone)
        return Json({"status": "ok", "version": version("carrete"), "now": now})

    @app.get("/api/health/ready", response_model=Ready, responses=_READY, tags=["salud"])
    async def ready() -> Json:
        """Puede atender: el registro responde."""
        await services.read(lambda tx: tx.one("alive"))
        return Json({"status": "ready", "ledger": services.database.engine})

    @app.get("/api/health/redis", response_model=RedisHealth, tags=["salud"])
    async def redis() -> Json:
        """Sin Redis decide el registro solo: más lento, nunca equivocado."""
        gate = services.gate_services
        if gate is None:
            return Json({"status": "degraded", "reason": "REDIS_URL=off: the ledger alone decides"})
        return Json(gate.health())
