"""The answer to a request: an HTTP status and the body as text. It is stored under the request's idempotency key."""

from __future__ import annotations

from typing import NamedTuple


class Answer(NamedTuple):
    status: int
    body: str
    replayed: bool = False  # the same request was answered before: this is that answer again
