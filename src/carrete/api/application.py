"""FastAPI with a table of actions in front: an action's POST goes straight to its endpoint."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import FastAPI
from starlette.types import Message, Receive, Scope, Send

from carrete.api.actions import ActionEndpoint, document
from carrete.api.problems import response_to
from carrete.ledger.errors import LedgerUnavailable


class Application(FastAPI):
    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._actions: dict[str, ActionEndpoint[Any]] = {}

    def add_action(self, endpoint: ActionEndpoint[Any], answer: type[Any], refusals: dict[int, str], what: str) -> None:
        self._actions[endpoint.path] = endpoint
        document(self, endpoint, answer, refusals, what)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "POST" and (action := self._actions.get(scope["path"])):
            await action(scope, receive, send)
        elif scope["type"] == "http":
            await self._general(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

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
