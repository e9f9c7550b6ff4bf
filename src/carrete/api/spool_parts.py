"""Routes of a part of a spool, such as `/api/spools/{tag}/notas`. Clients send a slash of the tag as `%2F`, and only
that tells the notes of the spool `A` from the card of the spool `A/notas`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import unquote_to_bytes

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.routing import Match, Route
from starlette.types import Scope

Endpoint = Callable[..., Any]


class SpoolPartRoute(Route):
    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        match, child = super().matches(scope)
        if match is not Match.NONE and _last_segment(scope) != self.path.rpartition("/")[2].encode():
            return Match.NONE, {}
        return match, child


class SpoolPartApiRoute(SpoolPartRoute, APIRoute):
    """The same route of FastAPI's."""


def part_of_spool(app: FastAPI, method: str, path: str, **documented: Any) -> Callable[[Endpoint], Endpoint]:
    """As `app.get` and `app.post`."""

    def add(endpoint: Endpoint) -> Endpoint:
        app.router.add_api_route(path, endpoint, methods=[method], route_class_override=SpoolPartApiRoute, **documented)
        return endpoint

    return add


def sent_path(scope: Scope) -> bytes:
    """The path as the client sent it, still escaped."""
    sent: bytes = scope.get("raw_path") or scope["path"].encode()
    return sent.partition(b"?")[0]


def _last_segment(scope: Scope) -> bytes:
    return unquote_to_bytes(sent_path(scope).rpartition(b"/")[2])
