"""Single commands for background tasks, over a pool of redis-py.

redis-py's own client has a method for every command of Redis and of its modules: they would take four megabytes of
every process, and the gate needs seven of them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from redis.asyncio.connection import AbstractConnection, ConnectionPool
from redis.exceptions import ResponseError

from carrete.redis.script_calls import Arg, pack


class RedisCommands:
    """Text in answers stays bytes, as Redis sent it."""

    def __init__(self, pool: ConnectionPool) -> None:
        self.pool = pool

    async def call(self, *command: Arg) -> Any:
        (answer,) = await self.call_all(command)
        return answer

    async def call_all(self, *commands: tuple[Arg, ...]) -> list[Any]:
        """Sends the commands in one round trip. If Redis refuses one of them, the others are executed all the same,
        and the first refusal is raised."""
        connection: AbstractConnection = await self.pool.get_connection()  # type: ignore[no-untyped-call]
        try:
            await connection.send_packed_command([pack(command) for command in commands])
            answers = [await _answer_or_refusal(connection) for _ in commands]
        except BaseException:  # answers that were not read must not be taken for those of the next command
            await connection.disconnect(nowait=True)
            raise
        finally:
            await self.pool.release(connection)
        for answer in answers:
            if isinstance(answer, ResponseError):
                raise answer
        return answers

    async def scan(self, match: str, count: int) -> AsyncIterator[bytes]:
        """The keys that match the pattern; `count` is about how many of all keys Redis looks at in a round trip."""
        cursor = b"0"
        while True:
            cursor, keys = await self.call("SCAN", cursor, "MATCH", match, "COUNT", count)
            for key in keys:
                yield key
            if cursor == b"0":
                return


async def _answer_or_refusal(connection: AbstractConnection) -> Any:
    try:
        return await connection.read_response(disable_decoding=True)
    except ResponseError as refusal:
        return refusal


def parse_info(answer: bytes) -> dict[str, str]:
    """The answer of INFO: lines such as `run_id:2f1c…` below headings."""
    lines = answer.decode(errors="replace").splitlines()
    pairs = (line.partition(":") for line in lines)
    return {name: value for name, colon, value in pairs if colon and not name.startswith("#")}
