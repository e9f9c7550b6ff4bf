"""GET /metrics, which Prometheus asks for every few seconds where there is one."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.responses import Response

from carrete.services import Services


def add(app: FastAPI, services: Services) -> None:
    @app.get("/metrics", include_in_schema=False)
    async def metrics() -> Response:
        from carrete.api.metrics import scraped  # loads Prometheus's library, which few shops need

        return await scraped(services)
