"""HEAD is answered by what answers GET: with the same head, and with no more of the body made than that needs."""

from __future__ import annotations

from starlette.types import Message, Scope, Send

_BY_HEAD = "carrete.by_head"


def as_get(scope: Scope) -> Scope:
    return {**scope, "method": "GET", _BY_HEAD: True}


def is_by_head(scope: Scope) -> bool:
    """Whether nobody gets the body of the answer, although the method is GET."""
    return _BY_HEAD in scope


def head_alone(send: Send) -> Send:
    """A `send` that completes the answer with its head. The connection is free at once, and an endpoint that sends its
    body in pieces is told that the client is gone."""
    complete = False

    async def send_head(message: Message) -> None:
        nonlocal complete
        if complete:
            return
        await send(message)
        if message["type"] == "http.response.start":
            complete = True
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    return send_head
