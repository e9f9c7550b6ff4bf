"""What a server process uses at one moment: memory, open handles, threads, and files in its data folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from carrete_bench.errors import BenchFailed

LEDGER_NAME = "shop.db"
LOG_NAME = "server.log"  # of the measurement; a service writes to the system's journal
_REDIS_FILE_FOLDER = "appendonlydir"


@dataclass(frozen=True, slots=True)
class ResourceSample:
    """`memory_mb` is the private memory of the process. `handles` leaves out its connections to Redis, whose pool opens
    more of them at times, up to a bound of its own. `other_kb` is what the data folder holds beside the ledger,
    which grows with its events, and the file of Redis, which Redis rewrites now and then: `redis_file_mb`."""

    actions: int
    memory_mb: float
    handles: int
    threads: int
    redis_mb: float
    redis_connections: int
    files: int
    other_kb: float
    redis_file_mb: float
    ledger_mb: float


def take_sample(pid: int, folder: Path, actions: int) -> ResourceSample:
    """`pid` is the server; its child is the embedded Redis."""
    try:
        status = _status(pid)
        handles = len(os.listdir(f"/proc/{pid}/fd"))
        redis = _children(pid)
        redis_mb = sum(_anonymous_mb(_status(child)) for child in redis)
        redis_connections = sum(_accepted_connections(child) for child in redis)
    except OSError as error:
        raise BenchFailed(f"the server process cannot be looked at (this needs Linux's /proc): {error}") from None
    sizes = list(_sizes(folder))
    return ResourceSample(
        actions,
        memory_mb=_anonymous_mb(status),
        handles=handles - redis_connections,
        threads=int(status["Threads"]),
        redis_mb=redis_mb,
        redis_connections=redis_connections,
        files=len(sizes),
        other_kb=sum(size for kind, size in sizes if kind == "other") / 1024,
        redis_file_mb=sum(size for kind, size in sizes if kind == "redis") / 2**20,
        ledger_mb=sum(size for kind, size in sizes if kind == "ledger") / 2**20,
    )


def _status(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _anonymous_mb(status: dict[str, str]) -> float:
    """Without mapped files: pages of the program and of the ledger come and go as the system likes."""
    return int(status.get("RssAnon", "0 kB").split()[0]) / 1024


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def _accepted_connections(pid: int) -> int:
    """The number of open connections of a process that listens on one socket."""
    sockets = 0
    for handle in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            sockets += os.readlink(handle).startswith("socket:")
    return max(0, sockets - 1)


def _sizes(folder: Path) -> Iterator[tuple[str, int]]:
    for file in folder.rglob("*"):
        with suppress(FileNotFoundError):  # a file of Redis that it has just replaced
            if file.is_file():
                yield _kind(file), file.stat().st_size


def _kind(file: Path) -> str:
    if file.name.startswith(LEDGER_NAME) or file.name == LOG_NAME:
        return "ledger"
    return "redis" if file.parent.name == _REDIS_FILE_FOLDER else "other"
