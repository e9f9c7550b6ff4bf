"""The processes of a campaign: two API servers, each with a sheet lane, and Redis. They are started, killed, frozen
and ended by their process id."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from carrete.parent_death import end_with_parent
from carrete.redis import embedded_server
from carrete.settings import Access
from carrete_chaos.google import Google
from carrete_chaos.wire import NO_HEADERS, NoAnswer, get

API_PROCESSES = 2
START_S_MAX = 30.0
_SETTINGS = ("DATABASE_URL", "REDIS_URL", "REDIS_MAX_CONNECTIONS", "GOOGLE_", "CARRETE_")


class ClusterFailed(Exception):
    """A process of the cluster did not start or ended by itself: the campaign proves nothing about the product."""


class Process:
    """One child process that can be killed, frozen and started again on the same port."""

    def __init__(self, command: Sequence[str], log: Path, environment: dict[str, str]) -> None:
        self._command = list(command)
        self._log = log
        self._environment = environment
        self._child: subprocess.Popen[bytes] | None = None
        self.starts = 0

    @property
    def pid(self) -> int:
        assert self._child is not None
        return self._child.pid

    @property
    def alive(self) -> bool:
        return self._child is not None and self._child.poll() is None

    def start(self, prefix: Sequence[str] = ()) -> None:
        with self._log.open("ab") as log:
            self._child = subprocess.Popen(
                [*prefix, *self._command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self._environment,
                cwd=self._log.parent,  # a file `.env` of this machine's Carrete is not for it
                preexec_fn=end_with_parent,
                start_new_session=True,
            )
        self.starts += 1

    def kill(self) -> None:
        """Kills the process group: `faketime` is the parent of the program it runs."""
        if self.alive:
            os.killpg(self.pid, signal.SIGKILL)
        if self._child is not None:
            self._child.wait()

    def end(self, wait_s: float) -> bool:
        """Asks it to end; whether it did so in time. Otherwise it is killed."""
        if not self.alive or self._child is None:
            return False
        self._child.terminate()
        try:
            self._child.wait(wait_s)
            return True
        except subprocess.TimeoutExpired:
            self.kill()
            return False

    def freeze(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGCONT)

    @property
    def output(self) -> str:
        return self._log.read_text(errors="replace") if self._log.exists() else ""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Cluster:
    def __init__(
        self,
        folder: Path,
        database_url: str,
        google: Google | None = None,
        processes: int = API_PROCESSES,
        access: Access = "pin",
    ) -> None:
        self.folder = folder
        self.database_url = database_url
        self.google = google
        self.access = access
        self.read_headers: Mapping[str, str] = NO_HEADERS  # of a device that may read, once there is one
        self.redis_socket = folder / "redis.sock"
        self.ports = [free_port() for _ in range(processes)]
        self.apis = [self._api(n, port) for n, port in enumerate(self.ports)]
        self.redis = Process(self._redis_command(), folder / "redis.log", dict(os.environ))

    def _api(self, number: int, port: int) -> Process:
        ours = {name: value for name, value in os.environ.items() if not name.startswith(_SETTINGS)}
        environment = {
            **ours,
            "DATABASE_URL": self.database_url,
            "REDIS_URL": f"unix://{self.redis_socket}",
            "CARRETE_DATA": str(self.folder),
            "CARRETE_ACCESS": self.access,
            **(self.google.environment if self.google else {}),
        }
        return self.carrete(["serve", "--port", str(port)], self.folder / f"api-{number}.log", environment)

    def carrete(self, arguments: list[str], log: Path, environment: dict[str, str]) -> Process:
        """The tests of the checker override this to start a server with a planted bug."""
        module = ["carrete"] if self.google is None else ["carrete_chaos.hurried", str(self.google.haste)]
        return Process([sys.executable, "-m", *module, *arguments], log, environment)

    def _redis_command(self) -> list[str]:
        data = self.folder / "redis"
        data.mkdir(exist_ok=True)
        return [
            *(embedded_server.binary(), "--port", "0", "--unixsocket", str(self.redis_socket), "--dir", str(data)),
            *("--appendonly", "yes", "--save", ""),
        ]

    async def start(self) -> None:
        self.redis.start()
        for api in self.apis:
            api.start()
        await asyncio.gather(*(self.ready(n) for n in range(len(self.apis))))

    async def ready(self, number: int) -> float:
        """Waits until this server serves; returns the seconds it took."""
        began = time.monotonic()
        while time.monotonic() - began < START_S_MAX:
            try:
                if (await get(self.ports[number], "/api/health/ready", 2.0)).status == 200:
                    return time.monotonic() - began
            except NoAnswer:
                pass
            self.require_alive(number)
            await asyncio.sleep(0.05)
        raise ClusterFailed(f"an API process was not ready within {START_S_MAX:.0f} s")

    def require_alive(self, number: int) -> None:
        if not self.apis[number].alive:
            raise ClusterFailed(f"an API process ended by itself: {self.apis[number].output[-2000:]}")

    async def redis_healthy(self) -> None:
        until = time.monotonic() + START_S_MAX
        for port in self.ports:
            while (await get(port, "/api/health/redis", 5.0)).body.get("status") != "healthy":
                if time.monotonic() > until:
                    raise ClusterFailed("Redis was not healthy again in time")
                await asyncio.sleep(0.1)

    def stop(self) -> None:
        with ExitStack() as stack:
            if self.google is not None:
                stack.callback(self.google.stop)
            for process in (*self.apis, self.redis):
                stack.callback(process.kill)
                stack.callback(process.thaw if process.alive else lambda: None)


def on_path(name: str) -> str | None:
    return shutil.which(name)
