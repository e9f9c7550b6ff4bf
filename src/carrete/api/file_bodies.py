"""Request bodies that are a file: their media type, and no more of them than the route accepts."""

from __future__ import annotations

import asyncio

from fastapi import Request
from starlette.requests import ClientDisconnect

DISCARD_S_MAX = 5.0


def media_type(request: Request) -> str:
    """Without parameters. A route that requires a file's type is safe from foreign pages: they can send only other
    types without a CORS preflight."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def declares_more_than(request: Request, bytes_max: int) -> bool:
    declared = request.headers.get("content-length", "")
    return declared.isdigit() and int(declared) > bytes_max


async def received(request: Request, bytes_max: int, too_large: Exception) -> bytes:
    """The whole body. Raises `too_large`, having kept no more than that in memory."""
    collected = bytearray()
    is_too_large = declares_more_than(request, bytes_max)
    if not is_too_large:
        async for chunk in request.stream():
            collected += chunk
            if is_too_large := len(collected) > bytes_max:
                break
    if is_too_large:
        await discard(request)
        raise too_large
    return bytes(collected)


async def discard(request: Request) -> None:
    """Reads on for a while: a client that still sends when the connection is reset never sees the answer."""
    try:
        async with asyncio.timeout(DISCARD_S_MAX):
            async for _ in request.stream():
                pass
    except (TimeoutError, ClientDisconnect, RuntimeError):
        pass
