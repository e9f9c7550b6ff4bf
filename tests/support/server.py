"""A real `carrete serve`, in a process of its own: started, waited for, and always stopped by its own id."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx
from pydantic import AliasChoices

from carrete.settings import Settings
from tests.support.local import LOCAL
from tests.support.preloaded import PreloadedProcess
from tests.support.tablet import Tablet

START_S_MAX = 120.0
ANSWER_S_MAX = 30.0
_LISTENS = re.compile(rb"Carrete listens on (https?://\S+)")
_SETTINGS = ("DATABASE_URL", "REDIS_URL", "REDIS_MAX_CONNECTIONS", "GOOGLE_", "CARRETE_")


ServerProcess = PreloadedProcess | subprocess.Popen[bytes]


class RunningServer:
    def __init__(self, process: ServerProcess, output: bytes, errors: Path) -> None:
        self._process = process
        self._errors = errors
        self.output = output.decode()
        found = _LISTENS.search(output)
        assert found is not None
        self.url = found[1].decode()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def complaints(self) -> str:
        """What it wrote on standard error so far."""
        return self._errors.read_text(errors="replace")

    def client(self, **options: object) -> httpx.Client:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
        return httpx.Client(base_url=self.url, timeout=ANSWER_S_MAX, limits=limits, **{**LOCAL, **options})

    @contextmanager
    def tablet(self) -> Iterator[Tablet]:
        with self.client() as client:
            yield Tablet(client.request)

    def kill(self) -> None:
        """kill -9: the process cannot log anything or finish anything."""
        self._process.kill()
        self._process.wait()

    def terminate(self, wait_s_max: float = 10.0) -> float:
        """SIGTERM; the seconds it took to end."""
        begun = time.monotonic()
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(wait_s_max)
        return time.monotonic() - begun

    @property
    def exit_code(self) -> int | None:
        return self._process.poll()

    def descendants(self) -> set[int]:
        return descendants_of(self.pid)


@contextmanager
def running_server(
    database_url: str, folder: Path, *arguments: str, settings: Mapping[str, str] | None = None
) -> Iterator[RunningServer]:
    """A server that is ready when the block begins and gone, with its children, when it ends."""
    server = start_server(database_url, folder, *arguments, settings=settings)
    try:
        yield server
    finally:
        stop(server)


def start_server(
    database_url: str, folder: Path, *arguments: str, settings: Mapping[str, str] | None = None, ready: bool = True
) -> RunningServer:
    errors = folder / f"serve-{time.monotonic_ns()}.log"
    errors.touch(0o600)  # in the data folder everything is
    environment = clean_environment(DATABASE_URL=database_url, CARRETE_DATA=str(folder), **(settings or {}))
    output = errors.with_name(f"{errors.stem}-out.log")
    output.touch(0o600)
    command = ["serve", "--port", "0", *arguments]
    process = _start(command, environment, folder, output, errors)
    try:
        server = RunningServer(process, _output_until_it_listens(process, output, errors), errors)
        if ready:
            _wait_until_ready(server)
    except BaseException:
        process.kill()
        process.wait()
        raise
    return server


def stop(server: RunningServer) -> None:
    children = server.descendants()
    if server.exit_code is None:
        try:
            server.terminate()
        except subprocess.TimeoutExpired:
            server.kill()
    for pid in children & {pid for pid in children if is_alive(pid)}:
        os.kill(pid, signal.SIGKILL)


def clean_environment(**settings: str) -> dict[str, str]:
    """Our environment without any setting of Carrete's, plus exactly these. All others are set to their defaults, so
    that no file `.env` changes them; but there is no identity unless a test asks for it."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(_SETTINGS)}
    return {
        **ours,
        **_defaults(),
        "REDIS_URL": "off",
        "CARRETE_ACCESS": "open",
        "PYTHONUNBUFFERED": "1",
        "TERM": "dumb",
        **settings,
    }


def _defaults() -> dict[str, str]:
    """Without the settings that the shop decides itself: in the environment they would be fixed."""
    found = {}
    for field, info in Settings.model_fields.items():
        assert isinstance(info.validation_alias, AliasChoices)
        value = info.default
        if field in ("timezone", "arm_only_types"):
            continue
        found[str(info.validation_alias.choices[0])] = ",".join(value) if isinstance(value, frozenset) else str(value)
    return found


def descendants_of(pid: int) -> set[int]:
    parents = dict(_processes())
    found: set[int] = set()
    while fresh := {child for child, parent in parents.items() if parent in {pid, *found}} - found:
        found |= fresh
    return found


def is_alive(pid: int) -> bool:
    """A zombie that nobody has waited for yet is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _processes() -> Iterator[tuple[int, int]]:
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            yield int(stat.parent.name), int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue


def _start(command: list[str], environment: dict[str, str], folder: Path, output: Path, errors: Path) -> ServerProcess:
    """A server of several processes starts them as Python's `spawn` does, which a forked process cannot; and one that
    runs another copy of the product must not have loaded ours."""
    is_ours = environment.get("PYTHONPATH") == os.environ.get("PYTHONPATH")
    if is_ours and "--workers" not in command:
        return PreloadedProcess(command, environment, folder, output, errors)
    whole = [sys.executable, "-m", "carrete", *command]
    with output.open("wb") as out, errors.open("wb") as log:
        return subprocess.Popen(whole, stdin=subprocess.DEVNULL, stdout=out, stderr=log, env=environment, cwd=folder)


def _output_until_it_listens(process: ServerProcess, output: Path, errors: Path) -> bytes:
    until = time.monotonic() + START_S_MAX
    while True:
        ended = process.poll() is not None
        printed = output.read_bytes() if output.exists() else b""
        if _LISTENS.search(printed):
            return printed
        if ended or time.monotonic() > until:
            raise AssertionError(f"carrete serve did not listen; it printed {printed!r} and {errors.read_text()!r}")
        time.sleep(0.02)


def _wait_until_ready(server: RunningServer) -> None:
    until = time.monotonic() + START_S_MAX
    while time.monotonic() < until:
        try:
            if httpx.get(f"{server.url}/api/health/ready", timeout=5, **LOCAL).status_code == 200:
                return
        except httpx.TransportError:
            pass
        assert server.exit_code is None, f"it ended with {server.exit_code}: {server.complaints}"
        time.sleep(0.02)
    raise AssertionError(f"carrete serve was not ready within {START_S_MAX} s: {server.complaints}")
