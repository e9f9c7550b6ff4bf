"""FastAPI with a table of actions in front: an action's POST goes straight to its endpoint."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from carrete.api.actions import ActionEndpoint, document


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
        else:
            await super().__call__(scope, receive, send)
