"""The receiver of the webhook may answer anything: only a little of its answer is read."""

from __future__ import annotations

import asyncio
import gzip
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from carrete.webhook import ANSWER_BYTES_MAX, POST_S_MAX, Webhook

Answer = Callable[[asyncio.StreamWriter], Awaitable[None]]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
BUFFERED_BYTES_MAX = 16 * 1024 * 1024  # what two sockets of one machine may hold between them


class RawReceiver:
    """Answers each POST in the given way, and counts what it could send before the other side hung up."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.posts = 0

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            self.posts += 1
            await self._answer(writer)
        writer.close()


@asynccontextmanager
async def notified(answer: Answer, post_s_max: float = POST_S_MAX) -> AsyncIterator[tuple[Webhook, RawReceiver]]:
    """A webhook that has one conflict to deliver to that receiver."""
    receiver = RawReceiver(answer)
    server = await asyncio.start_server(receiver, "127.0.0.1", 0)
    hook = Webhook(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/", post_s_max)
    hook.enqueue({"code": "SPOOL_OCCUPIED"})
    sending = asyncio.create_task(hook.run())
    try:
        yield hook, receiver
    finally:
        sending.cancel()
        server.close()


async def until(true: Callable[[], bool]) -> None:
    for _ in range(1_000):
        if true():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it did not come to pass in 20 s")


def test_an_endless_answer_is_read_up_to_64_kb_and_the_connection_is_closed() -> None:
    sent = 0

    async def endless(writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(HEAD + b"\r\n")
        while sent < 2 * BUFFERED_BYTES_MAX:
            writer.write(b"x" * 65_536)
            await writer.drain()
            sent += 65_536

    async def run() -> None:
        async with notified(endless) as (hook, receiver):
            await until(lambda: hook.sent == 1)
            assert (receiver.posts, hook.failed) == (1, 0)

    asyncio.run(run())
    assert ANSWER_BYTES_MAX == 65_536
    assert sent < BUFFERED_BYTES_MAX


def test_a_packed_answer_is_never_unpacked() -> None:
    packed = gzip.compress(b"\0" * 50_000_000)

    async def bomb(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed) + packed)
        await writer.drain()

    async def run() -> None:
        async with notified(bomb) as (hook, receiver):
            await until(lambda: hook.sent == 1)
            assert receiver.posts == 1

    tracemalloc.start()
    asyncio.run(run())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000


def test_an_answer_that_drips_ends_in_time_and_is_tried_again() -> None:
    async def drips(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"\r\n")
        for _ in range(200):
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.05)

    async def run() -> None:
        async with notified(drips, post_s_max=0.3) as (hook, receiver):
            await until(lambda: receiver.posts >= 2)
            assert hook.sent == 0

    asyncio.run(run())
