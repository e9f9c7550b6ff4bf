"""The whole recipe on one machine: processes of Carrete behind nginx, PostgreSQL, Redis with a replica, Sentinels."""

from __future__ import annotations

import os
import select
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import redis

from carrete.parent_death import end_with_parent
from tests.support.local import LOCAL
from tests.support.nginx import running_nginx
from tests.support.recipe import CARRETE, DEPLOY, environment, free_ports, shipped, unit
from tests.support.redis_server import RedisServer
from tests.support.server import clean_environment

PASSWORD = "salsa"
MASTER = "carrete"
READY_S_MAX = 120.0
HERE = "127.0.0.1"


class Node(RedisServer):
    """One Redis from the recipe's redis.conf, which Sentinel writes into."""

    def __init__(self, port: int, replica_of: int | None = None) -> None:
        super().__init__(password=PASSWORD)
        self.port = port
        text = shipped("redis/redis.conf", {"bind 10.0.0.11": f"bind {HERE}", "CHANGE-ME": PASSWORD})
        text = text.replace("port 6379", f"port {port}")
        if replica_of is not None:
            text += f"replicaof {HERE} {replica_of}\n"
        self._conf = self.folder / "redis.conf"
        self._conf.write_text(text + f"unixsocket {self.socket}\ndir {self.folder}\nlogfile {self.folder}/log\n")

    def launch(self) -> None:
        self._process = _child([self._binary, str(self._conf)], self.folder / "out")

    def start(self) -> None:
        self.launch()
        self.wait_until_it_answers()

    @property
    def follows(self) -> bool:
        """A replica that has everything its master had. Making it a replica cuts its clients off."""
        with suppress(redis.RedisError):
            role = self.ask("ROLE")
            return bool(role[0] == "slave" and role[3] == "connected")
        return False


class Watchman:
    """One Sentinel from the recipe's sentinel.conf."""

    def __init__(self, node: Node, port: int, master_port: int) -> None:
        self.port = port
        instead = {"bind 10.0.0.11": f"bind {HERE}", "26379": str(port), "CHANGE-ME": PASSWORD}
        text = shipped("redis/sentinel.conf", {**instead, "10.0.0.11 6379": f"{HERE} {master_port}"})
        folder = node.folder / f"sentinel-{port}"
        folder.mkdir()
        (folder / "sentinel.conf").write_text(text + f"dir {folder}\nlogfile {folder}/log\n")
        command = [node._binary, str(folder / "sentinel.conf"), "--sentinel"]
        self._process = _child(command, folder / "out")
        self._client = redis.Redis(HERE, port, socket_timeout=5.0)

    def master_port(self) -> int | None:
        with suppress(redis.RedisError):
            found = self._client.sentinel_get_master_addr_by_name(MASTER)
            return int(found[1]) if isinstance(found, tuple) else None
        return None

    def knows(self, others: int) -> bool:
        """Of the replica and of so many other Sentinels: before that it can promote nobody."""
        with suppress(redis.RedisError, KeyError):
            state: Any = self._client.sentinel_master(MASTER)
            return int(state["num-other-sentinels"]) >= others and int(state["num-slaves"]) >= 1
        return False

    def hand_over(self) -> None:
        """The administrator hands the master's role to the replica."""
        self._client.sentinel_failover(MASTER)

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        self._client.close()


class Process:
    """`carrete@PORT` as the unit file says it, started and stopped as systemd would."""

    def __init__(self, port: int, settings: dict[str, str], folder: Path) -> None:
        self.port = port
        self.url = f"http://{HERE}:{port}"
        service = unit()["Service"]
        command = service["ExecStart"].replace("%i", str(port))
        for name in ("LISTEN", "NGINX"):
            assert f"${{{name}}}" in command
            command = command.replace(f"${{{name}}}", settings[name])
        words = shlex.split(command)
        assert words[0] == CARRETE
        self._command = [sys.executable, "-m", "carrete", *words[1:], "--insecure-open"]
        self._stop_s_max = float(service["TimeoutStopSec"])
        self._settings = settings
        self._log = folder / f"carrete-{port}.log"
        self._process: subprocess.Popen[bytes] | None = None
        self.killed = 0

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def log_text(self) -> str:
        return self._log.read_text(errors="replace")

    def start(self) -> None:
        self._process = _child(self._command, self._log, clean_environment(**self._settings))

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(self._stop_s_max)
        except subprocess.TimeoutExpired:
            self.killed += 1
            process.kill()
            process.wait()

    def kill(self) -> None:
        """kill -9."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        self._process = None

    def restart(self) -> None:
        self.stop()
        self.start()

    def is_ready(self) -> bool:
        return self._says("/api/health/ready", "ready")

    def has_redis(self) -> bool:
        return self._says("/api/health/redis", "healthy")

    def _says(self, path: str, status: str) -> bool:
        with suppress(httpx.HTTPError):
            return bool(httpx.get(self.url + path, timeout=5, **LOCAL).json().get("status") == status)
        return False


class Machines:
    """All processes of the recipe together. `url` is nginx; each process can also be reached directly."""

    def __init__(
        self,
        url: str,
        settings: Mapping[str, str],
        processes: Sequence[Process],
        nodes: Sequence[Node],
        watchmen: Sequence[Watchman],
    ) -> None:
        self.url = url
        self.settings = settings
        self.processes = processes
        self.nodes = nodes
        self.watchmen = watchmen

    @property
    def master(self) -> Node:
        """The master according to most Sentinels."""
        ports = [watchman.master_port() for watchman in self.watchmen]
        port = max(ports, key=ports.count)
        return next(node for node in self.nodes if node.port == port)

    def other(self, node: Node) -> Node:
        return next(one for one in self.nodes if one is not node)


def rolling_restart(processes: Sequence[Process], folder: Path) -> str:
    """The recipe's script, with us in systemd's place: it asks for a port by one pipe and is answered by another."""
    ask, answer = folder / "ask", folder / "answer"
    for pipe in (ask, answer):
        os.mkfifo(pipe)
    ports = [str(process.port) for process in processes]
    restart = f"sh -c 'echo {{port}} >{ask} && read -r done <{answer}'"
    script = subprocess.Popen(
        [sys.executable, str(DEPLOY / "rolling-restart"), "--restart", restart, *ports],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=end_with_parent,
    )
    requests = os.open(ask, os.O_RDWR)
    try:
        while script.poll() is None:
            if select.select([requests], [], [], 0.05)[0]:
                port = int(os.read(requests, 64))
                next(process for process in processes if process.port == port).restart()
                answer.write_text("done\n")
    finally:
        os.close(requests)
        script.kill()
    output = script.communicate()[0]
    assert script.returncode == 0, output
    return output


@contextmanager
def running_machines(database_url: str, folder: Path) -> Iterator[Machines]:
    http, *ports = free_ports(1 + 3 + 2 + 3)
    carretes, redises, sentinels = ports[:3], ports[3:5], ports[5:]
    with ExitStack() as stack:
        nodes = _replicated(stack, redises)
        watchmen = [Watchman(nodes[0], port, redises[0]) for port in sentinels]
        for watchman in watchmen:
            stack.callback(watchman.stop)
        settings = _settings(database_url, folder, sentinels)
        processes = _serving(stack, carretes, settings, folder)
        url = stack.enter_context(running_nginx(folder / "nginx", _site(http, carretes), http))
        wait_for(lambda: all(watchman.knows(2) for watchman in watchmen))
        wait_for(lambda: all(process.is_ready() and process.has_redis() for process in processes))
        yield Machines(url, settings, processes, nodes, watchmen)


def _replicated(stack: ExitStack, ports: Sequence[int]) -> list[Node]:
    master, replica = Node(ports[0]), Node(ports[1], replica_of=ports[0])
    for node in (master, replica):
        stack.callback(node.remove)
        node.start()
    wait_for(lambda: replica.follows)
    return [master, replica]


def _settings(database_url: str, folder: Path, sentinels: Sequence[int]) -> dict[str, str]:
    data = folder / "data"
    data.mkdir()
    places = ("10.0.0.11:26379", "10.0.0.12:26379", "10.0.0.20:26379")
    instead = {place: f"{HERE}:{port}" for place, port in zip(places, sentinels, strict=True)}
    instead |= {"LISTEN=10.0.0.11": f"LISTEN={HERE}", "/var/lib/carrete": str(data), "CHANGE-ME": PASSWORD}
    instead |= {"NGINX=10.0.0.10": f"NGINX={HERE}", "carrete.example.com 10.0.0.10": "carrete.example.com"}
    return environment({**instead, "postgresql://carrete@10.0.0.20/carrete": database_url})


def _serving(stack: ExitStack, ports: Sequence[int], settings: dict[str, str], folder: Path) -> list[Process]:
    processes = [Process(port, settings, folder) for port in ports]
    for process in processes:
        stack.callback(process.stop)
        process.start()
    return processes


_CERTIFICATE = (
    "ssl_certificate /etc/carrete/tls/cert.pem;",
    "ssl_certificate_key /etc/carrete/tls/key.pem;",
)


def _site(http: int, ports: Sequence[int]) -> str:
    places = ("10.0.0.11:8001", "10.0.0.11:8002", "10.0.0.12:8001")
    instead = {place: f"{HERE}:{port}" for place, port in zip(places, ports, strict=True)}
    plain = {"listen 443 ssl;": f"listen {HERE}:{http};", **dict.fromkeys(_CERTIFICATE, "")}
    return shipped("nginx/carrete.conf", {**instead, **plain})


def wait_for(true: Callable[[], bool], within_s: float = READY_S_MAX) -> None:
    until = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < until, f"it did not come true within {within_s} s"
        time.sleep(0.05)


def _child(command: Sequence[str], log: Path, environment: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Tests that are killed leave nobody behind."""
    with log.open("ab") as out:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            env=environment,
            preexec_fn=end_with_parent,
        )
