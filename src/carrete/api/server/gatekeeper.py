"""Decides for each request who acts and whether the route is open to them, before any endpoint sees it.

Every endpoint is behind it: FastAPI's, the direct ones of actions and streams, and the web app's files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from ipaddress import ip_address

from starlette.exceptions import HTTPException
from starlette.types import Scope

from carrete.api.access_table import Level, Need, is_path, need_of
from carrete.api.server.cookies import IdentityCookies
from carrete.api.server.origin import SAFE_METHODS
from carrete.identity.author import Author
from carrete.identity.last_use import LastUse
from carrete.identity.lookups import Lookups
from carrete.identity.records import Device, Session
from carrete.identity.refusals import DeviceNotEnrolled, NotPermitted, PinRequired, SessionRequired, TapRefused
from carrete.identity.taps import SignedTap
from carrete.settings import Access

TOKEN_PREFIX = b"carrete_"
_TOKEN_LENGTH_MAX = 100
# Giving a PIN to a locked session is no use of it: a wrong PIN must not unlock.
_USES_SESSION = (Level.SESSION, Level.ACTION)
_AUTHOR = "carrete.author"
_DEVICE = "carrete.device"


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

    async def admit(self, scope: Scope, method: str, path: str) -> None:
        """Raises the Refusal, or LedgerUnavailable. Afterwards `author_of` and `device_of` tell who acts."""
        need = need_of(method, path)
        if self.rules.mode == "open":
            if need and not need.without_identity:
                raise NotPermitted("Este servidor corre sin identidad (CARRETE_ACCESS=open): aquí no hay sesiones.")
            return
        if need is None:
            raise HTTPException(405 if is_path(path) else 404)
        if need.level is Level.NOTHING:
            return
        if token := _bearer(scope):
            scope[_AUTHOR] = await self._token_author(token, need)
        elif need.level is Level.LOCAL:
            if self.rules.behind_proxy or not _is_local(scope):
                raise NotPermitted("Esto lo lee un programa en esta máquina, o uno con un token.")
        elif (tap := _tap(scope)) is not None:
            scope[_AUTHOR] = await self._tap_author(tap, need)
        else:
            await self._admit_cookies(scope, method, need)

    async def _token_author(self, secret: str, need: Need) -> Author:
        token = await self._lookups.token(secret)
        if token is None:
            raise SessionRequired
        if need.scope not in token.scopes:
            raise NotPermitted("Este token no alcanza para esto.", alcance=need.scope)
        self._last_use.token(token)
        return Author(None, token.via, token=token)

    async def _tap_author(self, header: bytes, need: Need) -> Author:
        """The tap's own session says who acts, never the cookie. The endpoint checks the signature over the body."""
        if need.level is not Level.ACTION:
            raise TapRefused("sólo las acciones se firman.")
        tap = SignedTap.parse(header)
        now = self._clock()
        session = await self._lookups.session_by_id(tap.session_id)
        if session is None or session.is_over(now) or session.lacks_pin(self.rules.mode):
            session = await self._lookups.session_by_id(tap.session_id, fresh=True)
        tap.require_session(session, now)
        assert session is not None
        if session.lacks_pin(self.rules.mode):
            raise SessionRequired(locked=True)
        return Author(session.worker.id, session.via, session.worker, session=session, tap=tap)

    async def _admit_cookies(self, scope: Scope, method: str, need: Need) -> None:
        device_secret, session_secret = self.rules.cookies.secrets(scope)
        device = await self._lookups.device(device_secret) if device_secret else None
        if device is None:
            raise DeviceNotEnrolled
        scope[_DEVICE] = device
        self._last_use.device(device)
        session = await self._lookups.session(session_secret) if session_secret else None
        if session is None or session.device_id != device.id:
            if need.level is not Level.DEVICE:
                raise SessionRequired
            return
        author = Author(session.worker.id, session.via, session.worker, device, session)
        if need.level is not Level.DEVICE:
            author = await self._require_session(author, session_secret or "", need)
        if need.roles and not need.roles & author.roles:
            raise NotPermitted(roles=sorted(need.roles))
        is_action = need.level is Level.ACTION  # it looks for a stored answer first, and then asks for the PIN itself
        if need.fresh_pin and not is_action and not await self._lookups.has_fresh_pin(author.session):
            raise PinRequired
        if method not in SAFE_METHODS and need.level in _USES_SESSION:
            self._last_use.session(session)
        scope[_AUTHOR] = author

    async def _require_session(self, author: Author, secret: str, need: Need) -> Author:
        """A session that was unlocked in another process a moment ago is read again before it is refused."""
        session = author.session
        assert session is not None
        if need.level is Level.LOCKED_SESSION or not self._is_locked(session):
            return author
        fresh = await self._lookups.session(secret, fresh=True)
        if fresh is None or self._is_locked(fresh):
            raise SessionRequired(locked=fresh is not None)
        return Author(fresh.worker.id, fresh.via, fresh.worker, author.device, fresh)

    def _is_locked(self, session: Session) -> bool:
        return self._last_use.is_idle(session) or session.lacks_pin(self.rules.mode)


def author_of(scope: Scope) -> Author | None:
    """Who acts; None without identity, and where only a device is needed and nobody is signed in."""
    author: Author | None = scope.get(_AUTHOR)
    return author


def device_of(scope: Scope) -> Device | None:
    device: Device | None = scope.get(_DEVICE)
    return device


def _bearer(scope: Scope) -> str | None:
    """The whole token. Anything else under `Authorization` counts as a token that nobody has."""
    for name, value in scope["headers"]:
        if name == b"authorization":
            kind, _, token = value.partition(b" ")
            is_ours = kind.lower() == b"bearer" and token.startswith(TOKEN_PREFIX) and len(token) <= _TOKEN_LENGTH_MAX
            if not is_ours or not token.isascii():
                raise SessionRequired
            return str(token.decode())
    return None


def _tap(scope: Scope) -> bytes | None:
    for name, value in scope["headers"]:
        if name == b"carrete-tap":
            return bytes(value)
    return None


def client_address(scope: Scope) -> str | None:
    client = scope.get("client")
    return client[0] if client else None


def _is_local(scope: Scope) -> bool:
    try:
        return ip_address(client_address(scope) or "").is_loopback
    except ValueError:
        return False
