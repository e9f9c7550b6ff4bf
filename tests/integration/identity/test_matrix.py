"""Who is admitted where: every route of the application with every kind of caller, as the table of access says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from starlette.routing import Match, Route
from starlette.types import Receive, Scope, Send

from carrete.api.access_table import READ, TABLE, Level, Need, need_of
from carrete.api.server.application import Application
from carrete.domain.workers import Rol
from carrete.identity.records import DeviceKind, TokenScope
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.settings import Access, Settings
from tests.conftest import migrated
from tests.support.builders import a_worker, put
from tests.support.signed_in import (
    AWAY,
    HERE,
    SESSION_COOKIE,
    Enrolled,
    EnrolledTablet,
    IdentityShop,
    change_session,
    enrol,
    identity_shop,
    make_token,
    revoke_device,
)
from tests.support.tablet import Sends

ADMITTED = "admitted"
ADMINISTRATOR = "a session: Administrador"
ADMITTED_STATUS = 299
NOT_ENROLLED, SESSION, PERMISSION = "DISPOSITIVO_NO_INSCRITO", "SESION_REQUERIDA", "PERMISO_INSUFICIENTE"
ROLES = [frozenset({rol}) for rol in Rol] + [frozenset()]
WITHOUT_CREDENTIALS = {
    ("GET", "/api/health"),
    ("GET", "/api/health/ready"),
    ("GET", "/api/health/redis"),
    ("GET", "/api/acceso"),
    ("POST", "/api/configuracion/administrador"),
    ("POST", "/api/dispositivos/inscripciones/usar"),
}
NEVER_BY_TOKEN = re.compile(
    r"/liberar|/desbloquear|/corregir|/resolver|/pin|/inscripciones|/tokens|/privilegios|/sesion|/roles|/nombre|/activar|/badge"
)


@dataclass(frozen=True, slots=True)
class Caller:
    """A kind of caller: the headers that it sends, and what they prove."""

    headers: dict[str, str]
    device: bool = False
    board: bool = False
    session: bool = False
    locked: bool = False
    fresh_pin: bool = True
    roles: frozenset[Rol] = frozenset()
    scope: TokenScope | None = None
    bearer: bool = False
    address: tuple[str, int] = HERE


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedApp]:
    with guarded_app(tmp_path_factory.mktemp("pin"), "pin") as made:
        yield made


@pytest.fixture(scope="module")
def unguarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedApp]:
    with guarded_app(tmp_path_factory.mktemp("open"), "open") as made:
        yield made


class GuardedApp:
    """The application, in which every endpoint is replaced by one that answers that the caller was admitted."""

    def __init__(self, shop: IdentityShop) -> None:
        self.app = shop.app
        self.table_of_routes = routes_of(shop.app)
        self._sends: dict[tuple[str, int], Sends] = {address: shop.sends(address) for address in (HERE, AWAY)}
        shop.app._direct = dict.fromkeys(shop.app._direct, admitted)
        shop.app._through_fastapi = admitted  # type: ignore[method-assign, assignment]
        self.callers = callers(shop.database)

    def ask(self, caller: Caller, method: str, path: str) -> str:
        return result_of(self.answer(caller, method, path))

    def answer(self, caller: Caller, method: str, path: str) -> httpx.Response:
        return self._sends[caller.address](method, path, headers=caller.headers)


class guarded_app:
    def __init__(self, folder: Path, mode: Access) -> None:
        url = f"sqlite:///{folder / 'carrete.db'}"
        migrated(url)
        self._database = open_database(url)
        settings = Settings(access=mode, database_url=url, data=folder, redis_url="off")
        self._shop = identity_shop(settings, self._database)

    def __enter__(self) -> GuardedApp:
        return GuardedApp(self._shop.__enter__())

    def __exit__(self, *error: object) -> None:
        self._shop.__exit__(None, None, None)
        self._database.close()


async def admitted(_: Scope, __: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": ADMITTED_STATUS, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def result_of(answer: httpx.Response) -> str:
    return ADMITTED if answer.status_code == ADMITTED_STATUS else str(answer.json()["code"])


def callers(database: Database) -> dict[str, Caller]:
    people = [a_worker(100 + n, roles=roles) for n, roles in enumerate(ROLES)]
    put(database, workers=people)
    made: dict[str, Caller] = {
        "nobody": Caller({}),
        "nobody, from another machine": Caller({}, address=AWAY),
        "an unknown cookie": Caller({"Cookie": f"__Host-carrete-device={'A' * 43}"}),
        "garbage as a token": Caller({"Authorization": "Bearer carrete_nothing"}, bearer=True),
        "a password": Caller({"Authorization": "Basic YTpi"}, bearer=True),
    }
    for kind in DeviceKind:
        made[f"a device: {kind}"] = Caller(
            cookie(enrol(database, kind).secret), device=True, board=kind is DeviceKind.TABLERO, address=AWAY
        )
    for person in people:
        made[f"a session: {' '.join(person.roles) or 'no role'}"] = Caller(
            signed_in(database, person.id)[0], device=True, session=True, roles=person.roles
        )
    made.update(former_sessions(database, people[list(Rol).index(Rol.ADMINISTRADOR)].id))
    for scope in TokenScope:
        token = make_token(database, scope).token
        made[f"a token: {scope}"] = Caller({"Authorization": f"Bearer {token}"}, bearer=True, scope=scope, address=AWAY)
    revoked, late = make_token(database, *TokenScope), make_token(database, *TokenScope)
    with database.writing() as tx:
        tx.execute(f"UPDATE api_token SET revoked_at = made_at WHERE id = '{revoked.id}'")
        tx.execute(f"UPDATE api_token SET ends_at = made_at WHERE id = '{late.id}'")
    made["a revoked token"] = Caller({"Authorization": f"Bearer {revoked.token}"}, bearer=True)
    made["a token whose time is over"] = Caller({"Authorization": f"Bearer {late.token}"}, bearer=True)
    return made


def former_sessions(database: Database, admin: int) -> dict[str, Caller]:
    """Administrators whose sessions are not, or no longer, in use."""
    now = datetime.now(UTC)
    locked, locked_id = signed_in(database, admin)
    change_session(database, locked_id, used_at=now - timedelta(minutes=7))
    long_ago, long_ago_id = signed_in(database, admin)
    change_session(database, long_ago_id, pin_at=now - timedelta(minutes=6))
    no_pin, no_pin_id = signed_in(database, admin)
    change_session(database, no_pin_id, pin_at=None)
    with database.writing() as tx:
        tx.execute(f"UPDATE session SET proof = 'name' WHERE id = '{no_pin_id}'")
    expired, expired_id = signed_in(database, admin)
    change_session(database, expired_id, ends_at=now - timedelta(seconds=2))
    ended, ended_id = signed_in(database, admin)
    change_session(database, ended_id, ended_at=now)
    revoked = enrol(database)
    on_revoked, _ = signed_in(database, admin, revoked)
    revoke_device(database, revoked.device)
    elsewhere, _ = signed_in(database, admin)
    stolen = {"Cookie": cookie(enrol(database).secret)["Cookie"] + "; " + elsewhere["Cookie"].partition("; ")[2]}
    without_device = {"Cookie": elsewhere["Cookie"].partition("; ")[2]}
    unused = enrol(database)
    on_unused, _ = signed_in(database, admin, unused)
    with database.writing() as tx:
        tx.execute(f"UPDATE device SET used_at = '2024-01-01T00:00:00+00:00' WHERE id = '{unused.device.id}'")
    administers = frozenset({Rol.ADMINISTRADOR})
    return {
        "a locked session": Caller(locked, device=True, session=True, locked=True, roles=administers),
        "a PIN of six minutes ago": Caller(long_ago, device=True, session=True, fresh_pin=False, roles=administers),
        "a session from the mode device": Caller(no_pin, device=True, session=True, locked=True, roles=administers),
        "a session after 12 hours": Caller(expired, device=True),
        "a session that was ended": Caller(ended, device=True),
        "a revoked device": Caller(on_revoked),
        "a session's cookie at another device": Caller(stolen, device=True),
        "a session's cookie without a device's": Caller(without_device),
        "a device that nobody used for 400 days": Caller(on_unused),
    }


def cookie(device: str, session: str = "") -> dict[str, str]:
    second = f"; {SESSION_COOKIE}={session}" if session else ""
    return {"Cookie": f"__Host-carrete-device={device}{second}"}


def signed_in(database: Database, worker_id: int, enrolled: Enrolled | None = None) -> tuple[dict[str, str], str]:
    at = enrolled or enrol(database)
    tablet = EnrolledTablet(no_network, at, database)
    tablet.begin(worker_id)
    return cookie(at.secret, tablet.cookies[SESSION_COOKIE]), tablet.session_id


def no_network(*_: object, **__: object) -> httpx.Response:
    raise AssertionError("nothing is sent")


def expected(need: Need, caller: Caller) -> str:
    """Who should be admitted according to the design, computed from the table's entry alone."""
    if need.level is Level.NOTHING:
        return ADMITTED
    if caller.bearer:
        if caller.scope is None:
            return SESSION
        return ADMITTED if caller.scope is need.scope else PERMISSION
    if need.level is Level.LOCAL:
        return ADMITTED if caller.address == HERE else PERMISSION
    if not caller.device:
        return NOT_ENROLLED
    if need.level is Level.DEVICE:
        return PERMISSION if caller.board and not need.boards else ADMITTED
    if not caller.session or (caller.locked and need.level is not Level.LOCKED_SESSION):
        return SESSION
    if need.roles and not need.roles & caller.roles:
        return PERMISSION
    asks_for_pin = need.fresh_pin and not need.replays_first
    return "PIN_REQUERIDO" if asks_for_pin and not caller.fresh_pin else ADMITTED


def routes_of(app: Application) -> set[tuple[str, str]]:
    """Every method and path that an endpoint answers: FastAPI's, undocumented ones included, and the direct ones."""
    found = {(method, path) for method, path in app._direct}
    for route in app.routes:
        assert isinstance(route, Route), f"{route} is of a kind that this test does not know"
        found |= {(method, nameless(route.path)) for method in (route.methods or ()) if method != "HEAD"}
    return found


def nameless(path: str) -> str:
    """`/api/spools/{tag:path}` and `/api/spools/{tag}` are one path."""
    return re.sub(r"\{[^}]*\}", "{}", path)


def concrete(path: str, value: str = "x-1") -> str:
    return re.sub(r"\{[^}]*\}", value, path)


def test_every_route_has_an_entry_in_the_table_and_every_entry_a_route(guarded: GuardedApp) -> None:
    table = {(method, nameless(path)) for method, path in TABLE}
    assert guarded.table_of_routes - table == set(), "routes without an entry: nobody can reach them"
    assert table - guarded.table_of_routes == set(), "entries without a route"


def test_every_documented_route_has_an_entry(guarded: GuardedApp) -> None:
    documented = {
        (method.upper(), nameless(path))
        for path, operations in guarded.app.openapi()["paths"].items()
        for method in operations
    }
    assert documented <= {(method, nameless(path)) for method, path in TABLE}


@pytest.mark.parametrize(("method", "path"), sorted(TABLE))
def test_each_kind_of_caller_is_admitted_as_the_table_says(guarded: GuardedApp, method: str, path: str) -> None:
    need = TABLE[method, path]
    wanted = {name: expected(need, caller) for name, caller in guarded.callers.items()}
    assert {name: guarded.ask(caller, method, concrete(path)) for name, caller in guarded.callers.items()} == wanted


def test_only_these_routes_are_open_to_everybody() -> None:
    assert {route for route, need in TABLE.items() if need.level is Level.NOTHING} == WITHOUT_CREDENTIALS


def test_a_wall_board_reaches_nothing_that_changes_something(guarded: GuardedApp) -> None:
    """Signing in and out are for every device: the routes themselves know that a board has nobody."""
    board = guarded.callers[f"a device: {DeviceKind.TABLERO}"]
    changing = [(method, path) for method, path in TABLE if method != "GET" and need_of(method, path) is not READ]
    reached = {
        (method, path)
        for method, path in changing
        if TABLE[method, path].level is not Level.NOTHING and guarded.ask(board, method, concrete(path)) == ADMITTED
    }
    assert reached == {("POST", "/api/sesion"), ("DELETE", "/api/sesion")}


def test_no_token_reaches_what_only_a_person_may_do() -> None:
    by_token = {path for (_, path), need in TABLE.items() if need.scope}
    assert [path for path in by_token if NEVER_BY_TOKEN.search(path) and path != "/api/personas/{id}/desactivar"] == []


def test_only_administrators_and_supervisors_reach_people_and_only_administrators_the_rest() -> None:
    office = {Rol.ADMINISTRADOR, Rol.SUPERVISOR}
    for (method, path), need in TABLE.items():
        if re.match(r"/api/(dispositivos|personas|tokens|accesos)", path) and need.level is not Level.NOTHING:
            supervisors_too = path.startswith("/api/personas") and (method == "GET" or "/pin" in path)
            allowed = office if supervisors_too and path != "/api/personas/pins" else {Rol.ADMINISTRADOR}
            assert need.level is Level.SESSION, path
            assert need.roles == allowed, path


def test_only_these_endpoints_ask_for_the_pin_themselves() -> None:
    """The gatekeeper lets a stale PIN through to them, because they give a stored answer first."""
    assert {path for (_, path), need in TABLE.items() if need.replays_first} == {
        "/api/occupation/liberar",
        "/api/metrologia/desbloquear",
        "/api/occupation/corregir",
        "/api/reclamos/{id}/resolver",
    }


def test_what_gives_power_over_others_needs_a_fresh_pin() -> None:
    """Forced release, unblocking, corrections; PINs, roles, privileges, badges, tokens and webhooks; whole workbooks;
    and who is qualified for what."""
    assert {path for (_, path), need in TABLE.items() if need.fresh_pin} == {
        "/api/occupation/liberar",
        "/api/metrologia/desbloquear",
        "/api/occupation/corregir",
        "/api/reclamos/{id}/resolver",
        "/api/personas",
        "/api/personas/pins",
        "/api/personas/{id}/nombre",
        "/api/personas/{id}/roles",
        "/api/personas/{id}/activar",
        "/api/personas/{id}/pin",
        "/api/personas/{id}/pin/desbloquear",
        "/api/personas/{id}/badge",
        "/api/personas/badges",
        "/api/etiquetas/credenciales",
        "/api/personas/{id}/privilegios",
        "/api/tokens",
        "/api/webhooks",
        "/api/webhooks/{id}/editar",
        "/api/respaldos/claves",
        "/api/planilla/cargas/{id}/aplicar",
        "/api/planilla/google/clave",
        "/api/planilla/google/conectar",
        "/api/planilla/google/desconectar",
        "/api/soldadura/wps",
        "/api/soldadura/calificaciones",
    }


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"])
def test_other_methods_of_a_path_reach_no_endpoint(guarded: GuardedApp, method: str) -> None:
    known = {concrete(path) for _, path in TABLE}
    administrator = guarded.callers[ADMINISTRATOR]
    for path in sorted(known):
        need = need_of(method, path)
        if need is None:
            assert guarded.ask(administrator, method, path) == "METODO_NO_PERMITIDO", path


def test_a_head_request_needs_what_a_get_request_needs(guarded: GuardedApp) -> None:
    for method, path in TABLE:
        if method == "GET":
            for caller in guarded.callers.values():
                head, get = (guarded.answer(caller, each, concrete(path)) for each in ("HEAD", "GET"))
                assert head.status_code == get.status_code, path


@pytest.mark.parametrize(
    "path",
    [
        "/api",
        "/api/",
        "/api/nada",
        "/api//spools",
        "//api/spools",
        "/API/spools",
        "/api/spools/",
        "/api/personas/",
        "/api/personas/1/pin/",
        "/api/personas/1/2/pin",
        "/api/personas//pin",
        "/api/dispositivos/a%2Fb/revocar",
        "/api/tokens/%00/../revocar",
        "/metrics/",
        "/api/openapi.json/",
        "/api/docs",
        "/docs",
        "/bench/empty",
    ],
)
def test_paths_beside_the_table_reach_no_endpoint(guarded: GuardedApp, path: str) -> None:
    for caller in guarded.callers.values():
        assert guarded.ask(caller, "POST", path) in ("NO_EXISTE", "METODO_NO_PERMITIDO")


@pytest.mark.parametrize("value", ["x-1", "inscripciones", "pins", "usar", "pin", "revocar", "%20", "é", "a.b"])
def test_table_and_fastapi_agree_on_which_route_a_path_is(guarded: GuardedApp, value: str) -> None:
    """Otherwise a path could be let in as one route and served as another."""
    by_shape: dict[tuple[str, str], Need] = {(method, nameless(path)): need for (method, path), need in TABLE.items()}
    for method, template in TABLE:
        path = concrete(template, value)
        scope = {"type": "http", "method": method, "path": path, "root_path": "", "headers": []}
        served = next((r for r in guarded.app.routes if r.matches(scope)[0] is Match.FULL), None)
        if served is None:
            continue  # another test says that each entry has a route
        assert isinstance(served, Route), path
        assert by_shape[method, nameless(served.path)] is need_of(method, path), path


def test_without_identity_its_own_routes_are_refused_and_all_others_are_open(unguarded: GuardedApp) -> None:
    caller = Caller({})
    for (method, path), need in TABLE.items():
        wanted = ADMITTED if need.without_identity else PERMISSION
        assert unguarded.ask(caller, method, concrete(path)) == wanted, path


def test_a_route_that_is_missing_in_the_table_is_refused(guarded: GuardedApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(TABLE, ("POST", "/api/occupation/tomar"))
    administrator = guarded.callers[ADMINISTRATOR]
    assert guarded.ask(administrator, "POST", "/api/occupation/tomar") in ("NO_EXISTE", "METODO_NO_PERMITIDO")
