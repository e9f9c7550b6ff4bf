"""A shop with identity, in this process or on servers elsewhere: enrolled devices, people who sign in, signed taps.

httpx sends no Secure cookie over plain HTTP, so cookies are sent as a header. PINs are kept as cheap hashes, because
checking a PIN costs what its stored hash says."""

from __future__ import annotations

import hmac
import json
import os
from base64 import urlsafe_b64decode
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Any

import httpx
from anyio.from_thread import BlockingPortal, start_blocking_portal
from argon2 import PasswordHasher, Type

from carrete.api.app import create_app
from carrete.api.server.application import Application
from carrete.api.server.origin import LOOPBACK, Listening
from carrete.domain.authorship import Proof
from carrete.domain.events import Event
from carrete.identity import sessions, tokens
from carrete.identity.devices import revoke
from carrete.identity.records import Device, DeviceKind, TokenScope
from carrete.identity.secrets import new_secret, secret_hash
from carrete.identity.server_keys import KEY_FILE
from carrete.identity.taps import TapKey
from carrete.ledger.database import Database
from carrete.ledger.values import instant_text
from carrete.services import Services
from carrete.settings import Settings
from tests.support.builders import TAG, events_in
from tests.support.signing_in import KEYS, PIN
from tests.support.tablet import Json, Sends, Tablet

DEVICE_COOKIE, SESSION_COOKIE = "__Host-carrete-device", "__Host-carrete-session"
HERE = ("127.0.0.1", 4711)
AWAY = ("192.168.1.77", 4711)
_NUMBERS = count(1)
_CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1, type=Type.ID)


def put_server_key(folder: Path) -> None:
    """The key that belongs to `KEYS`, so that hashes and tap keys of tests hold on every server."""
    path = folder / KEY_FILE
    if not path.exists():
        path.touch(0o600)
        path.write_bytes(bytes(32))


@cache
def cheap_hash(pin: str) -> str:
    return _CHEAP.hash(hmac.digest(KEYS.pepper, pin.encode(), "sha256"))


def give_pins(database: Database, *worker_ids: int, pin: str = PIN) -> None:
    with database.writing() as tx:
        for id_ in worker_ids:
            tx.run("pin_put", worker_id=id_, hash=cheap_hash(pin), at=instant_text(datetime.now(UTC)))


@dataclass(frozen=True, slots=True)
class Enrolled:
    device: Device
    secret: str


def enrol(database: Database, kind: DeviceKind = DeviceKind.TABLET) -> Enrolled:
    """Straight into the ledger."""
    number, now, secret = next(_NUMBERS), datetime.now(UTC), new_secret()
    device = Device(f"d-{os.getpid()}-{number}", f"Dispositivo {number}", kind, now)
    with database.writing() as tx:
        tx.run(
            "device_insert",
            id=device.id,
            secret_hash=secret_hash(secret),
            name=device.name,
            kind=kind.value,
            at=instant_text(now),
            by_id=None,
        )
    return Enrolled(device, secret)


def revoke_device(database: Database, device: Device) -> None:
    with database.writing() as tx:
        revoke(tx, device.id, at=datetime.now(UTC))


def make_token(database: Database, *scopes: TokenScope) -> tokens.NewToken:
    with database.writing() as tx:
        return tokens.make(tx, "Planificación", scopes, at=datetime.now(UTC))


class BearerClient(Tablet):
    """Another system with its API token."""

    def __init__(self, sends: Sends, token: str) -> None:
        super().__init__(lambda method, path, **more: sends(method, path, **with_headers(more, self.headers)))
        self.headers = {"Authorization": f"Bearer {token}"}


class EnrolledTablet(Tablet):
    """A tablet with a device's cookie, and a session's after somebody signed in."""

    def __init__(self, sends: Sends, enrolled: Enrolled | None, database: Database) -> None:
        super().__init__(self._send_with_cookies)
        self._plain_sends = sends
        self._database = database
        self.cookies: dict[str, str] = {DEVICE_COOKIE: enrolled.secret} if enrolled else {}
        self._enrolled = enrolled
        self.session_id = ""
        self.tap_key = b""
        self._taps = 0

    @property
    def device(self) -> Device:
        assert self._enrolled is not None
        return self._enrolled.device

    def _send_with_cookies(self, method: str, path: str, **options: Any) -> httpx.Response:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return self._plain_sends(method, path, **with_headers(options, {"Cookie": cookies} if cookies else {}))

    def sign_in(self, worker_id: int, pin: str | None = PIN) -> httpx.Response:
        """Signs in by HTTP, as the page does it."""
        answer = self.post("/api/sesion", {"worker_id": worker_id, **({} if pin is None else {"pin": pin})})
        if answer.status_code == 200:
            self.cookies[SESSION_COOKIE] = answer.headers["set-cookie"].partition(";")[0].partition("=")[2]
            self.learn_key(answer.json())
        return answer

    def learn_key(self, signed_in: Json) -> None:
        """Takes the tap key of a session that began here, or on a tablet whose traffic was read."""
        self._begun(signed_in["session"], urlsafe_b64decode(signed_in["tap_key"] + "="))

    def begin(self, worker_id: int, proof: Proof = Proof.PIN, *, ago: timedelta = timedelta()) -> None:
        """Straight into the ledger, some time ago. It was not used since."""
        now = datetime.now(UTC) - ago
        with self._database.writing() as tx:
            session, secret = sessions.begin(tx, device_id=self.device.id, worker_id=worker_id, proof=proof, now=now)
        self.cookies[SESSION_COOKIE] = secret
        self._begun(session.id, KEYS.tap_key(session.id))

    def _begun(self, session_id: str, tap_key: bytes) -> None:
        self.session_id, self.tap_key, self._taps = session_id, tap_key, 0

    def end(
        self,
        last_tap: int | None = None,
        *,
        ago: timedelta = timedelta(),
        unsent: Sequence[SignedPost] | None = None,
    ) -> None:
        """Signs out, straight in the ledger. The cookie stays in the browser."""
        signatures = None if unsent is None else [tap.mac for tap in unsent]
        now = datetime.now(UTC) - ago
        with self._database.writing() as tx:
            sessions.sign_out(tx, self.session_id, self.device.id, now=now, last_tap=last_tap, unsent=signatures)

    def sign_out(self, session_id: str, last_tap: int, unsent: Sequence[str] | None = None) -> httpx.Response:
        """Signs out by HTTP, as the page does it, perhaps after another person has signed in."""
        body = {} if unsent is None else {"json": {"sin_enviar": list(unsent)}}
        return self.send("DELETE", f"/api/sesion?sesion={session_id}&ultimo_toque={last_tap}", **body)

    def sign(self, path: str, body: Json, key: str, *, number: int | None = None, at: str | None = None) -> SignedPost:
        """The tap as the tablet stores it until it is answered."""
        self._taps = self._taps + 1 if number is None else number
        time = at or datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        content = json.dumps(body).encode()
        mac = TapKey(self.tap_key).signature(path, key, self._taps, time, content)
        return SignedPost(path, content, key, f"{self.session_id}, {self._taps}, {time}, {mac}")

    def sign_tap(self, accion: str, worker_id: int, key: str, tag: str = TAG, **more: Any) -> SignedPost:
        body = {"tag_spool": tag, "worker_id": worker_id, "operacion": "ARM"}
        return self.sign(f"/api/occupation/{accion.lower()}", body, key, **more)

    def deliver(self, tap: SignedPost) -> httpx.Response:
        return self.post(tap.path, content=tap.body, key=tap.key, headers={"Carrete-Tap": tap.header})


@dataclass(frozen=True, slots=True)
class SignedPost:
    path: str
    body: bytes
    key: str
    header: str

    @property
    def mac(self) -> str:
        return self.header.rpartition(", ")[2]


def with_headers(options: dict[str, Any], headers: dict[str, str]) -> dict[str, Any]:
    return {**options, "headers": {**headers, **(options.get("headers") or {})}}


class IdentityShop:
    """The application of one process, in a mode with identity."""

    def __init__(self, app: Application, services: Services, database: Database, portal: BlockingPortal) -> None:
        self.app = app
        self.services = services
        self.database = database
        self._portal = portal

    def sends(self, client: tuple[str, int] = HERE) -> Sends:
        """Requests from that address."""
        transport = httpx.ASGITransport(self.app, client=client)
        http = httpx.AsyncClient(transport=transport, base_url="http://localhost")
        return lambda *what, **options: self._portal.call(partial(http.request, *what, **options))

    def tablet(self, kind: DeviceKind = DeviceKind.TABLET) -> EnrolledTablet:
        return EnrolledTablet(self.sends(), enrol(self.database, kind), self.database)

    def stranger(self, client: tuple[str, int] = HERE) -> EnrolledTablet:
        return EnrolledTablet(self.sends(client), None, self.database)

    def token(self, *scopes: TokenScope, client: tuple[str, int] = HERE) -> BearerClient:
        return BearerClient(self.sends(client), make_token(self.database, *scopes).token)

    def call(self, work: Callable[[], Any]) -> Any:
        """On the application's event loop."""
        return self._portal.call(work)

    def forget_lookups(self) -> None:
        """Forgets the cached look-ups, as after two seconds."""
        self.call(self.services.identity.lookups.drop)

    def forget_refused(self) -> None:
        """Drops the access events of an earlier test that wait to be written, and waits for those being written."""
        self.call(self.services.identity.refused.take)
        self.call(partial(self.services.performer.housekeeping, lambda tx: None))


@contextmanager
def identity_shop(
    settings: Settings, database: Database, listening: Listening = LOOPBACK, **options: Any
) -> Iterator[IdentityShop]:
    put_server_key(settings.data)
    services = Services(settings, **options)
    app = create_app(services, listening=listening)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(app.router.lifespan_context(app)):
        yield IdentityShop(app, services, database, portal)


def acted(database: Database) -> list[Event]:
    """The audit trail, oldest first."""
    return [stored.event for stored in events_in(database)]


def change_session(database: Database, session_id: str, **columns: datetime | None) -> None:
    """Moves the session's times in the ledger."""
    with database.writing() as tx:
        for column, at in columns.items():
            value = "NULL" if at is None else f"'{instant_text(at)}'"
            tx.execute(f"UPDATE session SET {column} = {value} WHERE id = '{session_id}'")
