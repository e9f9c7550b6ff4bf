"""Histories of very many events: complete, a few at once, and no other read waits for them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Message

from carrete.api.app import create_app
from carrete.api.history import LONG_AT_ONCE_MAX, PAGE_EVENTS_MAX, SHORT_EVENTS_MAX, HistoryWaits, history_json
from carrete.api.responses import Json
from carrete.api.server.application import Application
from carrete.ledger import open_database, queries
from carrete.ledger.database import Tx
from carrete.services import Services
from carrete.settings import Settings
from tests.conftest import migrated
from tests.support.builders import SHOP, a_spool, empty, put
from tests.support.people import CREW
from tests.support.server import running_server

LONG = 3 * SHORT_EVENTS_MAX + 7
BEGIN = datetime(2020, 1, 1, tzinfo=UTC)


def filled(url: str, events: int, tag: str = "LONG") -> str:
    """A spool that was taken and put down again very often; an odd number of events leaves it held."""
    database = open_database(url)
    empty(database)
    put(database, [a_spool(tag), a_spool("SHORT")], CREW)
    rows = [
        {
            "seq": n + 1,
            "id": f"{tag}-{n}",
            "at": (BEGIN + timedelta(minutes=n)).isoformat(timespec="seconds"),
            "evento_tipo": "PAUSAR_SPOOL" if n % 2 else "TOMAR_SPOOL",
            "tag": tag,
            "worker_id": 93,
            "worker": "MR(93)",
            "operacion": "ARM",
            "accion": "PAUSAR" if n % 2 else "TOMAR",
            "fecha_operacion": None,
            "n_union": None,
            "metadata": json.dumps({"motivo": f"«{n}»"}, ensure_ascii=False),
            "ocupado_por": None if n % 2 else "MR(93)",
            "estado_detalle": "",
            "version": "v",
            "workflow": "v3.0",
            "stage_ended": None,
            "stage_s": None,
            "hash": "",
        }
        for n in range(events)
    ]
    with database.writing() as tx:
        for at in range(0, events, 5_000):
            tx.many("event_insert", rows[at : at + 5_000])
    database.close()
    return url


@dataclass
class Client:
    """One request, passed directly to the application. The client accepts only as many bytes as it is allowed to."""

    path: str = "/api/history/LONG"
    method: str = "GET"
    reads: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    pieces: list[bytes] = field(default_factory=list)
    complete: bool = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode().lower(): value.decode() for name, value in message["headers"]}
            return
        self.pieces.append(message.get("body", b""))
        self.complete = not message.get("more_body", False)
        await self.reads.wait()

    async def receive(self) -> Message:
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def get(self, app: Application) -> None:
        scope = {"type": "http", "method": self.method, "path": self.path, "query_string": b"", "app": app}
        headers = [(b"host", b"localhost")]
        await app(
            {**scope, "headers": headers, "raw_path": self.path.encode(), "root_path": ""}, self.receive, self.send
        )

    @property
    def body(self) -> bytes:
        return b"".join(self.pieces)


@asynccontextmanager
async def shop(
    url: str, folder: Path, waits: HistoryWaits | None = None
) -> AsyncIterator[tuple[Services, Application]]:
    services = Services(Settings(access="open", database_url=url, data=folder, redis_url="off"))
    app = create_app(services, history_waits=waits)
    async with app.router.lifespan_context(app):
        yield services, app


def run(main: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(main, 60))


async def until(true: Callable[[], bool]) -> None:
    for _ in range(1_000):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not come to pass in 10 s")


async def reading_client(app: Application, path: str) -> Client:
    client = Client(path)
    client.reads.set()
    await client.get(app)
    return client


@pytest.mark.parametrize("events", [SHORT_EVENTS_MAX, SHORT_EVENTS_MAX + 1, LONG - 1])
def test_a_long_history_is_the_same_text_as_a_short_one_would_be(
    database_url: str, tmp_path: Path, events: int
) -> None:
    url = filled(database_url, events)

    async def main() -> None:
        async with shop(url, tmp_path) as (services, app):
            got = await reading_client(app, "/api/history/LONG")
            trail = await services.read(lambda tx: queries.trail_page(tx, "LONG", 0, events, events))
        assert (got.status, got.headers["content-type"], got.complete) == (200, "application/json", True)
        if events % 2:  # it is held: that session lasts until now
            body = json.loads(got.body)
            assert [event["seq"] for event in body["events"]] == list(range(1, events + 1))
            assert body["sessions"][-1]["resultado"] == "EN_PROGRESO"
            assert len(body["sessions"]) == events // 2 + 1
        else:
            assert got.body == bytes(Json(history_json("LONG", trail, SHOP, datetime.now(UTC))).body)

    run(main())


def test_a_long_history_comes_in_pieces_and_holds_no_reader_between_them(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two clients that read nothing: everybody else is answered as if they were not there."""
    url = filled(database_url, LONG)
    pages: list[int] = []
    page_of = queries.trail_page

    def counted(tx: Tx, tag: str, after: int, upto: int, limit: int) -> list[Any]:
        pages.append(limit)
        return page_of(tx, tag, after, upto, limit)

    monkeypatch.setattr(queries, "trail_page", counted)

    async def main() -> None:
        async with shop(url, tmp_path) as (_, app):
            slow = [Client() for _ in range(LONG_AT_ONCE_MAX)]
            getting = [asyncio.create_task(client.get(app)) for client in slow]
            await until(lambda: all(client.pieces for client in slow))
            for path in ("/api/spools", "/api/spools/SHORT", "/api/history/SHORT"):
                assert (await asyncio.wait_for(reading_client(app, path), 2)).status == 200
            for client in slow:
                client.reads.set()
            await asyncio.gather(*getting)
            assert slow[0].body == slow[1].body
            assert len(json.loads(slow[0].body)["events"]) == LONG
            assert max(len(piece) for piece in slow[0].pieces) < 500 * PAGE_EVENTS_MAX

    run(main())
    assert max(limit for limit in pages if limit != SHORT_EVENTS_MAX + 1) == PAGE_EVENTS_MAX


def test_a_third_long_history_waits_for_its_turn_and_then_is_told_to_come_back(
    database_url: str, tmp_path: Path
) -> None:
    url = filled(database_url, LONG)
    waits = HistoryWaits(turn_s_max=0.3)

    async def main() -> None:
        async with shop(url, tmp_path, waits) as (_, app):
            slow = [Client() for _ in range(LONG_AT_ONCE_MAX)]
            getting = [asyncio.create_task(client.get(app)) for client in slow]
            await until(lambda: all(client.pieces for client in slow))
            third = await reading_client(app, "/api/history/LONG")
            assert (third.status, json.loads(third.body)["code"]) == (503, "DEMASIADAS_HISTORIAS")
            assert third.headers["retry-after"] == "1"
            waits.turn_s_max = 10.0
            fourth = asyncio.create_task(reading_client(app, "/api/history/LONG"))
            slow[0].reads.set()
            assert (await fourth).complete
            slow[1].reads.set()
            await asyncio.gather(*getting)

    run(main())


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_the_head_of_a_long_history_is_answered_before_the_history_is_read(database_url: str, tmp_path: Path) -> None:
    """The connection is free for the next request, and no turn is taken from those who read the history."""
    url = filled(database_url, LONG)

    async def main() -> None:
        async with shop(url, tmp_path) as (_, app):
            asked = [Client(method="HEAD") for _ in range(LONG_AT_ONCE_MAX)]
            getting = [asyncio.create_task(client.get(app)) for client in asked]
            await until(lambda: all(client.pieces for client in asked))
            assert [(client.status, client.pieces, client.complete) for client in asked] == [(200, [b""], True)] * 2
            for client in asked:  # uvicorn says so once the answer is complete
                client.left.set()
                client.reads.set()
            assert (await asyncio.wait_for(reading_client(app, "/api/history/LONG"), 5)).complete
            await asyncio.gather(*getting)
            assert [client.pieces for client in asked] == [[b""]] * 2

    run(main())


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_client_that_leaves_or_does_not_read_gives_its_turn_back(database_url: str, tmp_path: Path) -> None:
    url = filled(database_url, LONG)

    async def main() -> None:
        async with shop(url, tmp_path, HistoryWaits(send_s_max=0.3)) as (_, app):
            gone, silent = Client(), Client()
            gone.left.set()
            gone.reads.set()
            await gone.get(app)
            await silent.get(app)
            assert (gone.complete, silent.complete) == (False, False)
            for _ in range(LONG_AT_ONCE_MAX + 1):
                assert (await reading_client(app, "/api/history/LONG")).complete

    run(main())


def test_a_very_long_history_needs_little_memory(tmp_path: Path) -> None:
    """When it was read as a whole, each event took four kilobytes of the server's memory."""
    events = 30_000
    migrated(url := f"sqlite:///{tmp_path / 'long.db'}")
    filled(url, events)
    with running_server(url, tmp_path, settings={"REDIS_URL": "off"}) as server, server.client() as client:
        client.get("/api/history/SHORT")
        before = peak_mb(server.pid)
        received = 0
        with client.stream("GET", "/api/history/LONG") as answer:
            assert answer.status_code == 200
            last = b""
            for chunk in answer.iter_raw():
                received += len(chunk)
                last = chunk
        assert last.endswith(b"]}")
        assert received > 200 * events
        assert peak_mb(server.pid) - before < 45


def peak_mb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) // 1024
