"""Look-ups on a real ledger: while it cannot be reached, known callers are admitted for four seconds, then nobody."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.types import Receive, Scope, Send

from carrete.domain.authorship import Proof
from carrete.identity.lookup_queries import DEVICE, SESSION, SESSION_ID, TOKEN, found_of
from carrete.identity.records import DeviceKind, TokenScope
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.settings import Settings
from tests.conftest import migrated
from tests.integration.identity.conftest import staffed
from tests.support.answers import done, refused
from tests.support.builders import a_spool, put
from tests.support.gated import eventually
from tests.support.lookups import device_of_secret, session_of_secret, token_of_secret
from tests.support.people import JS, LP, MR
from tests.support.postgres import PostgresServer, running_postgres
from tests.support.signed_in import EnrolledTablet, IdentityShop, enrol, identity_shop, make_token
from tests.support.signing_in import PIN

BACK_S_MAX = 8.0
ADMITTED_STATUS = 299
Gone = Callable[[], AbstractContextManager[None]]


@pytest.fixture(scope="module")
def mortal_postgres() -> Iterator[PostgresServer]:
    """A server of its own: stopping it disturbs nobody else."""
    with running_postgres() as server:
        yield server


@pytest.fixture
def own_url(engine: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    url = f"sqlite:///{tmp_path / 'carrete.db'}"
    if engine == "postgres":
        server: PostgresServer = request.getfixturevalue("mortal_postgres")
        url = server.url(server.create())
    migrated(url)
    return url


@pytest.fixture
def own_shop(own_url: str, tmp_path: Path) -> Iterator[IdentityShop]:
    database = open_database(own_url)
    settings = Settings(access="pin", database_url=own_url, data=tmp_path, redis_url="off")
    try:
        with identity_shop(settings, database) as shop:
            yield staffed(shop)
    finally:
        database.close()


@pytest.fixture
def gone(engine: str, tmp_path: Path, request: pytest.FixtureRequest) -> Gone:
    """Inside the block there is no ledger: its file is moved away, or PostgreSQL is stopped."""

    @contextmanager
    def moved_away() -> Iterator[None]:
        files = list(tmp_path.glob("carrete.db*"))
        for file in files:
            file.rename(file.with_name(f"away-{file.name}"))
        yield
        for file in files:
            file.with_name(f"away-{file.name}").rename(file)

    @contextmanager
    def stopped() -> Iterator[None]:
        server: PostgresServer = request.getfixturevalue("mortal_postgres")
        server.stop()
        try:
            yield
        finally:
            server.start()

    return moved_away if engine == "sqlite" else stopped


class MovedClock:
    """The monotonic clock, some seconds later."""

    def __init__(self, shop: IdentityShop) -> None:
        self.later_s = 0.0
        shop.services.identity.lookups._clock = self

    def __call__(self) -> float:
        return time.monotonic() + self.later_s


def admit_everybody_behind_the_gatekeeper(shop: IdentityShop) -> None:
    """Every endpoint would need the ledger; this test is only about who is admitted."""

    async def admitted(_: Scope, __: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": ADMITTED_STATUS, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    shop.app._direct = dict.fromkeys(shop.app._direct, admitted)
    shop.app._through_fastapi = admitted  # type: ignore[method-assign, assignment]


def test_without_a_ledger_known_callers_are_admitted_for_four_seconds_and_then_nobody(
    own_shop: IdentityShop, gone: Gone, engine: str
) -> None:
    clock = MovedClock(own_shop)
    admit_everybody_behind_the_gatekeeper(own_shop)
    one, two, other = own_shop.tablet(), own_shop.tablet(), own_shop.token(TokenScope.LEER)
    one.begin(MR.id)
    two.begin(LP.id)
    assert one.tap("TOMAR").status_code == other.get("/api/spools").status_code == ADMITTED_STATUS
    with gone():
        clock.later_s = 1.0
        assert [one.tap("TOMAR").status_code, other.get("/api/spools").status_code] == [ADMITTED_STATUS] * 2
        clock.later_s = 2.5
        if engine == "sqlite":  # PostgreSQL is waited for until the four seconds are over
            assert [one.tap("TOMAR").status_code, other.get("/api/spools").status_code] == [ADMITTED_STATUS] * 2
        for unknown in (two.tap("TOMAR"), two.get("/api/spools"), one.deliver(one.sign_tap("TOMAR", MR.id, "k"))):
            refused(unknown, 503, "LEDGER_UNAVAILABLE")
        clock.later_s = 4.1
        for nobody in (one.tap("TOMAR"), one.get("/api/spools"), other.get("/api/spools")):
            refused(nobody, 503, "LEDGER_UNAVAILABLE")
        refused(own_shop.stranger().get("/api/spools"), 401, "DISPOSITIVO_NO_INSCRITO")
    eventually(lambda: one.tap("TOMAR").status_code == ADMITTED_STATUS, BACK_S_MAX)


def test_nobody_signs_in_without_a_ledger_and_everything_works_when_it_is_back(
    own_shop: IdentityShop, gone: Gone
) -> None:
    put(own_shop.database, [a_spool()])
    one = own_shop.tablet()
    assert one.get("/api/spools").status_code == 200
    with gone():
        problem = refused(one.sign_in(MR.id), 503, "LEDGER_UNAVAILABLE")
        assert "Intente de nuevo" in problem["detail"]
        code = {"codigo": "7KQ2M9XA", "worker_id": 1, "pin": PIN, "dispositivo": "PC"}
        unused = refused(one.post("/api/configuracion/administrador", code), 503, "LEDGER_UNAVAILABLE")
        assert unused["detail"] == problem["detail"]
        refused(one.get("/api/acceso"), 503, "LEDGER_UNAVAILABLE")
        assert one.get("/api/health").status_code == 200
    eventually(lambda: one.sign_in(MR.id).status_code == 200, BACK_S_MAX)
    done(one.tap("TOMAR", worker_id=MR.id))


# ─── what the ledger says ─────────────────────────────────────────────────────────────────────────────────────


def test_a_secret_leads_to_its_device_session_or_token(database: Database) -> None:
    put(database, workers=(MR, JS))
    at = enrol(database, DeviceKind.OFICINA)
    tablet = EnrolledTablet(lambda *_, **__: None, at, database)  # type: ignore[arg-type]
    tablet.begin(MR.id, Proof.BADGE)
    secret = tablet.cookies["__Host-carrete-session"]
    token = make_token(database, TokenScope.LEER, TokenScope.ACTUAR)
    with database.reading() as tx:
        device, session, api = (
            device_of_secret(tx, at.secret),
            session_of_secret(tx, secret),
            token_of_secret(tx, token.token),
        )
        assert device is not None
        assert session is not None
        assert api is not None
        assert (device.id, device.kind) == (at.device.id, DeviceKind.OFICINA)
        assert (session.worker, session.proof, session.pin_at) == (MR, Proof.BADGE, None)
        assert (api.id, api.scopes) == (token.id, frozenset({TokenScope.LEER, TokenScope.ACTUAR}))
        for other in ("", at.secret[:-1], at.secret.swapcase(), secret, token.token):
            assert device_of_secret(tx, other) is None
        assert session_of_secret(tx, at.secret) is None
        assert token_of_secret(tx, secret) is None


def test_secrets_and_ids_of_all_kinds_are_found_together_and_what_is_not_there_is_left_out(database: Database) -> None:
    put(database, workers=(MR, JS))
    one, two = enrol(database, DeviceKind.OFICINA), enrol(database, DeviceKind.TABLET)
    tablet = EnrolledTablet(lambda *_, **__: None, one, database)  # type: ignore[arg-type]
    tablet.begin(MR.id, Proof.BADGE)
    session, token = tablet.cookies["__Host-carrete-session"], make_token(database, TokenScope.LEER)
    there = [(DEVICE, one.secret), (DEVICE, two.secret), (SESSION, session), (TOKEN, token.token)]
    missing = [(DEVICE, session), (SESSION, one.secret), (SESSION_ID, "s-none"), (TOKEN, "carrete_none")]
    with database.reading() as tx:
        found = found_of(tx, [*there, *missing])
        by_id = found_of(tx, [(SESSION_ID, found[SESSION, session].id)])
        assert found_of(tx, []) == {}
    assert set(found) == set(there)
    assert (found[DEVICE, one.secret].id, found[DEVICE, two.secret].id) == (one.device.id, two.device.id)
    assert list(by_id.values()) == [found[SESSION, session]]


def test_a_session_of_a_person_whom_a_workbook_deactivated_is_not_found(database: Database) -> None:
    """A workbook's cell ends no session, so the look-up itself asks whether the person is active."""
    put(database, workers=(MR,))
    tablet = EnrolledTablet(lambda *_, **__: None, enrol(database), database)  # type: ignore[arg-type]
    tablet.begin(MR.id)
    put(database, workers=(replace(MR, activo=False),))
    with database.reading() as tx:
        assert session_of_secret(tx, tablet.cookies["__Host-carrete-session"]) is None


def test_no_secret_is_in_the_ledger(pin_shop: IdentityShop, one: EnrolledTablet) -> None:
    done(one.sign_in(MR.id))
    token = make_token(pin_shop.database, TokenScope.LEER).token
    with pin_shop.database.reading() as tx:
        everything = repr([tx.all("devices"), tx.all("tokens"), tx.all("sessions_by_ids", ids=[one.session_id])])
    for secret in (*one.cookies.values(), token, token.removeprefix("carrete_"), one.tap_key.hex()):
        assert secret not in everything
