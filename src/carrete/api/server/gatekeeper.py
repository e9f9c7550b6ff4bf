"""Decides for each request who acts and whether the route is open to them, before any endpoint sees it.

Every endpoint is behind it: FastAPI's, the direct ones of actions and streams, and the web app's files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import NamedTuple

from starlette.exceptions import HTTPException
from starlette.types import Scope

from carrete.api.access_table import ACT, TABLE, Level, Need, methods_of, need_of
from carrete.api.server.cookies import IdentityCookies
from carrete.api.server.headers import headers_of
from carrete.api.server.origin import SAFE_METHODS
from carrete.api.server.visitors import Visitor, Visitors
from carrete.identity.author import Author
from carrete.identity.last_use import LastUse
from carrete.identity.lookups import Lookups
from carrete.identity.records import Device, DeviceKind, Session
from carrete.identity.refusals import (
    ApiTokenRefused,
    DeviceNotEnrolled,
    NotPermitted,
    PinRequired,
    SessionRequired,
    TapRefused,
)
from carrete.identity.taps import SignedTap
from carrete.settings import Access

TOKEN_PREFIX = b"carrete_"
_TOKEN_LENGTH_MAX = 100
# Giving a PIN to a locked session is no use of it: a wrong PIN must not unlock.
_USES_SESSION = (Level.SESSION, Level.ACTION)
_AUTHOR = "carrete.author"
_DEVICE = "carrete.device"
_TAP = "carrete.tap"


@dataclass(frozen=True, slots=True)
class AccessRules:
    """How this process serves: the mode, its cookies, and whether a proxy stands in front of it."""

    mode: Access
    cookies: IdentityCookies
    behind_proxy: bool = False


class Gatekeeper:
    def __init__(
        self,
        rules: AccessRules,
        lookups: Lookups,
        last_use: LastUse,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.rules = rules
        self._lookups = lookups
        self._last_use = last_use
        self._clock = clock
        self._visitors = Visitors(rules.cookies, lookups)

    def admits_at_once(self, scope: Scope, method: str, path: str) -> bool:
        """Whether this is an action of a person whose last one was admitted a moment ago. Most requests of a shop are,
        and these wait for nothing. All others go to `admit`."""
        if self.rules.mode == "open" or TABLE.get((method, path)) is not ACT:
            return False
        headers = headers_of(scope)
        if b"authorization" in headers:
            return False
        if (header := headers.get(b"carrete-tap")) is not None:
            tap = SignedTap.parse_quickly(header)
            author = self._visitors.kept_author(tap.session_id) if tap else None
            if author is None:
                return False  # and nothing of an unchecked header is noted
            scope[_AUTHOR], scope[_TAP] = author, tap
            return True
        cookie = headers.get(b"cookie")
        visitor = self._visitors.kept(cookie) if cookie else None
        if visitor is None or not visitor.in_use:
            return False
        scope[_DEVICE], scope[_AUTHOR] = visitor.device, visitor.author
        return True

    async def admit(self, scope: Scope, method: str, path: str) -> None:
        """Raises the Refusal, or LedgerUnavailable. Afterwards `author_of` and `device_of` return who acts."""
        need = need_of(method, path)
        if self.rules.mode == "open":
            if need and not need.without_identity:
                raise NotPermitted("Este servidor corre sin identidad (CARRETE_ACCESS=open): aquí no hay sesiones.")
            return
        if need is None:
            if methods := methods_of(path):
                raise HTTPException(405, headers={"Allow": ", ".join(methods)})
            raise HTTPException(404)
        if need.level is Level.NOTHING:
            return
        given = _given(scope)
        if given.authorization is not None:
            if given.tap is not None:
                raise TapRefused("una solicitud con token no se firma.")
            scope[_AUTHOR] = await self._token_author(_bearer(given.authorization), need)
        elif need.level is Level.LOCAL:
            if self.rules.behind_proxy or not _is_local(scope):
                raise NotPermitted("Esto lo lee un programa en esta máquina, o uno con un token.")
        elif given.tap is not None:
            await self._admit_tap(scope, given.tap, need)
        else:
            await self._admit_cookies(scope, method, need, given.cookie)

    async def _token_author(self, secret: str, need: Need) -> Author:
        token = await self._lookups.token(secret)
        if token is None:
            raise ApiTokenRefused
        if need.scope not in token.scopes:
            raise NotPermitted("Este token no alcanza para esto.", alcance=need.scope)
        self._last_use.token(token)
        return Author(None, token.via, token=token)

    async def _admit_tap(self, scope: Scope, header: bytes, need: Need) -> None:
        """The tap's own session says who acts, never the cookie. The endpoint checks the signature over the body."""
        if need.level is not Level.ACTION:
            raise TapRefused("sólo las acciones se firman.")
        tap = scope[_TAP] = SignedTap.parse(header)
        now = self._clock()
        session = await self._lookups.session_by_id(tap.session_id)
        if session is None or session.is_over(now) or session.lacks_pin(self.rules.mode):
            session = await self._lookups.session_by_id(tap.session_id, fresh=True)
        tap.require_session(session, now)
        assert session is not None
        if session.lacks_pin(self.rules.mode):
            raise SessionRequired(locked=True)
        author = Author.of_session(session)
        if session.accepts_every_tap(now):
            self._visitors.keep_author(author, session)
        scope[_AUTHOR] = author

    async def _admit_cookies(self, scope: Scope, method: str, need: Need, cookie: bytes) -> None:
        visitor = self._visitors.kept(cookie)
        if visitor is None:
            visitor = await self._visitors.look_up(cookie)
            if visitor is None:
                raise DeviceNotEnrolled
            self._last_use.device(visitor.device)
        scope[_DEVICE] = visitor.device
        if need.level is Level.DEVICE and not need.boards and visitor.device.kind is DeviceKind.TABLERO:
            raise NotPermitted("Este dispositivo está inscrito como tablero: sólo muestra.")
        author = visitor.author
        if author is None:
            if need.level is not Level.DEVICE:
                raise SessionRequired
            return
        if need.level is not Level.DEVICE and not visitor.in_use:
            author = await self._require_session(visitor, author, need)
        if need.roles and not need.roles & author.roles:
            raise NotPermitted(roles=sorted(need.roles))
        asks_here = need.fresh_pin and not need.replays_first
        if asks_here and not await self._lookups.has_fresh_pin(author.session):
            raise PinRequired
        if not visitor.in_use and method not in SAFE_METHODS and need.level in _USES_SESSION:
            assert author.session is not None
            self._last_use.session(author.session)
            visitor.in_use = author is visitor.author
        scope[_AUTHOR] = author

    async def _require_session(self, visitor: Visitor, author: Author, need: Need) -> Author:
        """A session that was unlocked in another process a moment ago is read again before it is refused."""
        session = author.session
        assert session is not None
        if need.level is Level.LOCKED_SESSION or not self._is_locked(session):
            return author
        fresh = await self._lookups.session(visitor.session_secret or "", fresh=True)
        if fresh is None or self._is_locked(fresh):
            raise SessionRequired(locked=fresh is not None)
        return Author.of_session(fresh, visitor.device)

    def _is_locked(self, session: Session) -> bool:
        return self._last_use.is_idle(session) or session.lacks_pin(self.rules.mode)


def author_of(scope: Scope) -> Author | None:
    """The person who acts; None without identity, and where only a device is needed and no person is signed in."""
    author: Author | None = scope.get(_AUTHOR)
    return author


def device_of(scope: Scope) -> Device | None:
    device: Device | None = scope.get(_DEVICE)
    return device


def tap_of(scope: Scope) -> SignedTap | None:
    """The tap, if the request is signed. Code that uses its author must check the signature first."""
    tap: SignedTap | None = scope.get(_TAP)
    return tap


class _Given(NamedTuple):
    """What a request brings to prove who acts."""

    authorization: bytes | None
    tap: bytes | None
    cookie: bytes


def _given(scope: Scope) -> _Given:
    authorization = tap = None
    cookie = b""
    for name, value in scope["headers"]:
        if name == b"cookie":
            cookie = cookie + b"; " + value if cookie else value
        elif name == b"carrete-tap":
            tap = value
        elif name == b"authorization" and authorization is None:
            authorization = value
    return _Given(authorization, tap, cookie)


def _bearer(header: bytes) -> str:
    """The whole token. Anything else under `Authorization` counts as an unknown token."""
    kind, _, token = header.partition(b" ")
    is_ours = kind.lower() == b"bearer" and token.startswith(TOKEN_PREFIX) and len(token) <= _TOKEN_LENGTH_MAX
    if not is_ours or not token.isascii():
        raise ApiTokenRefused
    return token.decode()


def client_address(scope: Scope) -> str | None:
    client = scope.get("client")
    return client[0] if client else None


def _is_local(scope: Scope) -> bool:
    try:
        return ip_address(client_address(scope) or "").is_loopback
    except ValueError:
        return False
