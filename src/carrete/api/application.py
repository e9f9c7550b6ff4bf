"""FastAPI with a table in front: an action's POST, a live stream and the web app go straight to their endpoint."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import FastAPI
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from carrete.api.actions import ActionEndpoint, document
from carrete.api.headers import protected
from carrete.api.problems import response_to
from carrete.api.web import WebApp
from carrete.ledger.errors import LedgerUnavailable


class Application(FastAPI):
    def __init__(self, web: WebApp | None = None, **settings: Any) -> None:
        super().__init__(**settings)
        self._direct: dict[tuple[str, str], ASGIApp] = {}  # by method and path
        self._web = web

    def add_action(self, endpoint: ActionEndpoint[Any], answer: type[Any], refusals: dict[int, str], what: str) -> None:
        self.add_direct("POST", endpoint.path, endpoint)
        document(self, endpoint, answer, refusals, what)

    def add_direct(self, method: str, path: str, endpoint: ASGIApp) -> None:
        """Served ahead of FastAPI's stack, which would cost more than the endpoint itself."""
        self._direct[method, path] = endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        send = protected(send)
        if endpoint := self._direct.get((scope["method"], scope["path"])):
            await endpoint(scope, receive, send)
        elif self._web is not None and self._web.serves(scope["method"], scope["path"]):
            await self._web(scope, receive, send)
        else:
            await self._general(scope, receive, send)

    async def _general(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Everything else. A reader that waits for the ledger when the server stops hears 503 like any other."""
        started = False

        async def noting(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await super().__call__(scope, receive, noting)
        except asyncio.CancelledError:
            if not started:
                error = LedgerUnavailable("stopped before the ledger answered")
                await response_to(error, scope["path"])(scope, receive, send)
