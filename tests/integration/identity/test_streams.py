"""Revoking a device, a token or a person takes effect in every process within five seconds, live streams included."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import httpx
import pytest

from carrete.identity import people, tokens
from carrete.identity.records import DeviceKind, TokenScope
from carrete.ledger.database import Database
from tests.integration.identity.conftest import PEOPLE
from tests.support.builders import a_spool, put
from tests.support.people import LP, MR
from tests.support.server import RunningServer, running_server
from tests.support.signed_in import (
    DEVICE_COOKIE,
    EnrolledTablet,
    IdentityShop,
    enrol,
    make_token,
    put_server_key,
    revoke_device,
)
from tests.support.watching import STREAM, Watcher, watching

HEARD_S_MAX = 5.0
SETTINGS = {"CARRETE_ACCESS": "pin"}


@pytest.fixture
def servers(database: Database, database_url: str, tmp_path: Path) -> Iterator[tuple[RunningServer, RunningServer]]:
    """Two processes on one ledger, without Redis: neither is notified of what the other does."""
    put(database, [a_spool()], PEOPLE)
    put_server_key(tmp_path)
    with (
        running_server(database_url, tmp_path, settings=SETTINGS) as first,
        running_server(database_url, tmp_path, settings=SETTINGS) as second,
    ):
        yield first, second


def cookies(tablet: EnrolledTablet) -> dict[str, str]:
    return {"Cookie": "; ".join(f"{name}={value}" for name, value in tablet.cookies.items())}


def test_revocations_take_effect_in_two_processes_within_five_seconds(
    servers: tuple[RunningServer, RunningServer], database: Database
) -> None:
    lost, kept = (EnrolledTablet(no_network, enrol(database), database) for _ in range(2))
    lost.begin(MR.id)
    kept.begin(LP.id)
    token = make_token(database, TokenScope.LEER)
    bearer = {"Authorization": f"Bearer {token.token}"}
    with ExitStack() as stack:
        clients = [stack.enter_context(server.client()) for server in servers]

        def streams(credentials: dict[str, str]) -> list[Watcher]:
            return [stack.enter_context(watching(server.url, credentials=credentials)) for server in servers]

        ending = [*streams(cookies(lost)), *streams(bearer), *streams(cookies(kept))]
        staying = streams({"Cookie": f"{DEVICE_COOKIE}={kept.cookies[DEVICE_COOKIE]}"})
        answers = refusals(clients, lost, kept, bearer)
        assert [answer().status_code for answer in answers] == [200] * 6
        revoked_at = time.monotonic()
        revoke_device(database, lost.device)
        with database.writing() as tx:
            tokens.revoke(tx, token.id, at=datetime.now(UTC))
            people.deactivate(tx, LP.id, people.ChangeAuthor(datetime.now(UTC)))
        while time.monotonic() < revoked_at + HEARD_S_MAX and not all(
            [answer().status_code == 401 for answer in answers] + [stream.ended.is_set() for stream in ending]
        ):
            time.sleep(0.05)
        took_s = time.monotonic() - revoked_at
        assert [answer().status_code for answer in answers] == [401] * 6, f"after {took_s:.1f} s"
        assert [stream.ended.is_set() for stream in ending] == [True] * 6, f"after {took_s:.1f} s"
        assert [stream.ended.is_set() for stream in staying] == [False] * 2, "the device of who left goes on"
        for client in clients:
            assert client.get(STREAM, headers=cookies(lost)).status_code == 401, "nobody comes back"
        again = streams(cookies(kept))
        assert [stream.ended.is_set() for stream in again] == [False] * 2, "the tablet comes back without its person"


def refusals(
    clients: list[httpx.Client], lost: EnrolledTablet, kept: EnrolledTablet, bearer: dict[str, str]
) -> list[Callable[[], httpx.Response]]:
    """In each process: a read of the device, a read of the token, and something that needs the person's session."""

    def ask(client: httpx.Client, path: str, headers: dict[str, str]) -> Callable[[], httpx.Response]:
        return lambda: client.get(path, headers=headers)

    return [
        ask(client, path, headers)
        for client in clients
        for path, headers in (
            ("/api/spools", cookies(lost)),
            ("/api/spools", bearer),
            ("/api/sesion", cookies(kept)),
        )
    ]


def no_network(*_: object, **__: object) -> httpx.Response:
    raise AssertionError("nothing is sent")


# ─── in one process ───────────────────────────────────────────────────────────────────────────────────────────


def test_a_stream_needs_an_enrolled_device(pin_shop: IdentityShop) -> None:
    assert pin_shop.stranger().get(STREAM).json()["code"] == "DISPOSITIVO_NO_INSCRITO"
    assert pin_shop.token(TokenScope.ACTUAR).get(STREAM).json()["code"] == "PERMISO_INSUFICIENTE"


def test_streams_of_a_token_whose_time_is_over_end(pin_shop: IdentityShop) -> None:
    database, ended = pin_shop.database, list[str]()
    late, current = make_token(database, TokenScope.LEER), make_token(database, TokenScope.LEER)
    board = enrol(database, DeviceKind.TABLERO).device
    with database.writing() as tx:
        tx.execute(f"UPDATE api_token SET ends_at = made_at WHERE id = '{late.id}'")
    with ExitStack() as stack:
        for owner in (late.id, current.id, board.id):
            stack.enter_context(pin_shop.services.identity.open_streams.open([owner], partial(ended.append, owner)))
        pin_shop.call(pin_shop.services.identity.open_streams.end_revoked)
    assert set(ended) == {late.id}
