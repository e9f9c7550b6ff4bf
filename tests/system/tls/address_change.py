"""A program for a network of its own: 50 people tap while the server's certificate is renewed and its address changes.

Everybody trusts the local authority alone. Half of them keep their connection, half open one for each tap.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import httpx

from carrete.domain.workers import Rol, Worker
from carrete.ledger import open_database
from carrete.tls import served
from carrete.tls.certificate import names_of, read_certificate
from carrete.tls.files import tls_folder
from carrete.tls.reload import LOOKED_AT_EVERY_S
from tests.conftest import migrated
from tests.support.builders import a_spool, put
from tests.support.own_network import ip
from tests.support.server import running_server
from tests.support.tls import trusting

PEOPLE = 50
OLD, NEW = "10.77.0.1", "10.77.0.9"
SOON_S_MAX = 60.0
TAPS_BETWEEN = 4  # of everybody, before and after each change


def tag(person: int) -> str:
    return f"MK-1335-CW-25238-{person:03d}"


class Person(threading.Thread):
    """Takes and pauses a spool of their own, again and again, at the address that is said on the wall."""

    def __init__(self, number: int, wall: dict[str, str], folder: Path, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.number = number
        self.taps = 0
        self.failed: list[str] = []
        self._wall, self._stop_all = wall, stop
        self._trusts = trusting(folder)
        self._keeps = number % 2 == 0

    def run(self) -> None:
        client: httpx.Client | None = None
        at = ""
        while not self._stop_all.is_set() or self.taps % 2:
            if client is None or not self._keeps or at != self._wall["url"]:
                if client is not None:
                    client.close()
                at = self._wall["url"]
                client = httpx.Client(base_url=at, verify=self._trusts, trust_env=False, timeout=30)
            self._tap(client)

    def _tap(self, client: httpx.Client) -> None:
        action = ("tomar", "pausar")[self.taps % 2]
        body = {"tag_spool": tag(self.number), "worker_id": self.number, "operacion": "ARM"}
        try:
            answer = client.post(f"/api/occupation/{action}", json=body, headers={"Idempotency-Key": str(uuid4())})
            if answer.status_code != 200:
                self.failed.append(answer.text)
        except httpx.HTTPError as error:
            self.failed.append(f"{type(error).__name__}: {error}")
        self.taps += 1


def eventually(true: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + SOON_S_MAX
    while not true():
        if time.monotonic() > until:
            raise SystemExit(f"{what}: not within {SOON_S_MAX} s")
        time.sleep(0.05)


def opens(url: str, folder: Path) -> bool:
    try:
        return httpx.get(f"{url}/api/health", verify=trusting(folder), trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False


def main(data: Path) -> None:
    ip("link", "set", "lo", "up")
    ip("address", "add", f"{OLD}/32", "dev", "lo")
    url = f"sqlite:///{data / 'carrete.db'}"
    migrated(url)
    database = open_database(url)
    people = range(1, PEOPLE + 1)
    crew = [Worker(number, "Mauricio", "Rodríguez", roles=frozenset({Rol.ARMADOR})) for number in people]
    put(database, [a_spool(tag(number)) for number in people], crew)
    database.close()
    options = ("--lan", "--workers", "2", "--http-port", "0", "--insecure-open")
    with running_server(url, data, *options, settings={"CARRETE_MDNS": "off"}) as server:
        run_shop(server.url.rpartition(":")[2], data, list(people))


def run_shop(port: str, data: Path, people: list[int]) -> None:
    folder = tls_folder(data)
    found = served.read(data)
    assert found is not None
    certificate = found.files.certificate
    wall, stop = {"url": f"https://{OLD}:{port}"}, threading.Event()
    crew = [Person(number, wall, folder, stop) for number in people]
    for person in crew:
        person.start()

    def everybody_tapped() -> None:
        before = [person.taps for person in crew]
        eventually(
            lambda: all(person.taps >= then + TAPS_BETWEEN for person, then in zip(crew, before, strict=True)),
            "everybody taps",
        )

    everybody_tapped()
    certificate.unlink()  # as if its end had come
    eventually(certificate.exists, "the certificate is renewed")
    everybody_tapped()
    ip("address", "add", f"{NEW}/32", "dev", "lo")
    eventually(lambda: NEW in names_of(read_certificate(certificate)).texts(), "the certificate has the new address")
    time.sleep(3 * LOOKED_AT_EVERY_S)  # ten connections in a row may all have met the process that is ahead
    eventually(lambda: all(opens(f"https://{NEW}:{port}", folder) for _ in range(10)), "every process shows it")
    everybody_tapped()
    wall["url"] = f"https://{NEW}:{port}"
    everybody_tapped()
    everybody_tapped()
    ip("address", "del", f"{OLD}/32", "dev", "lo")
    everybody_tapped()
    stop.set()
    for person in crew:
        person.join(SOON_S_MAX)
    failed = [failure for person in crew for failure in person.failed]
    print(f"{sum(person.taps for person in crew)} taps, {len(failed)} failed: {failed[:3]}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
