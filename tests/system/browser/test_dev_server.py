"""`npm run dev`: the page that Vite serves acts through Vite's proxy, and a foreign page cannot use that proxy."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from carrete.ledger import open_database
from tests.conftest import migrated
from tests.support.answers import done, refused
from tests.support.builders import a_spool, put
from tests.support.local import LOCAL
from tests.support.people import CREW
from tests.support.recipe import free_ports
from tests.support.server import clean_environment, running_server

ROOT = Path(__file__).parents[3]
START_S_MAX = 60.0


@contextmanager
def vite(server_url: str, log: Path) -> Iterator[str]:
    (port,) = free_ports(1)
    command = ["sh", str(ROOT / "scripts" / "node.sh"), "npm", "run", "dev", "--"]
    options = ["--host", "127.0.0.1", "--port", str(port), "--strictPort"]
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*command, *options],
            cwd=ROOT,
            env=clean_environment(CARRETE_URL=server_url),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until_it_answers(url, process, log)
        yield url
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(10)


def wait_until_it_answers(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_S_MAX
    while True:
        try:
            httpx.get(f"{url}/api/health", timeout=5, **LOCAL).raise_for_status()
        except httpx.HTTPError:
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.1)
        else:
            return


def test_the_page_of_the_dev_server_may_act_and_no_other(tmp_path: Path) -> None:
    ledger_url = f"sqlite:///{tmp_path / 'carrete.db'}"
    migrated(ledger_url)
    database = open_database(ledger_url)
    put(database, [a_spool("A-1"), a_spool("A-2")], CREW)
    database.close()
    with running_server(ledger_url, tmp_path) as server, vite(server.url, tmp_path / "vite.log") as url:

        def take(tag: str, origin: str, site: str) -> httpx.Response:
            body = {"tag_spool": tag, "worker_id": 93, "operacion": "ARM"}
            headers = {"Origin": origin, "Sec-Fetch-Site": site}
            return httpx.post(f"{url}/api/occupation/tomar", json=body, headers=headers, **LOCAL)

        done(take("A-1", url, "same-origin"))
        refused(take("A-2", "http://evil.example", "cross-site"), 403, "ORIGEN_NO_PERMITIDO")
        refused(take("A-2", server.url, "same-site"), 403, "ORIGEN_NO_PERMITIDO")
