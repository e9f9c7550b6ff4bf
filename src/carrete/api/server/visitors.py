"""Whose the cookies of a request are, and whose a signed tap is. What was found is used again for as long as the
look-ups that it was made of need not be repeated, because a tablet sends the same cookies with every tap."""

from __future__ import annotations

import asyncio
from typing import Generic, TypeVar

from carrete.api.server.cookies import IdentityCookies
from carrete.identity.author import Author
from carrete.identity.lookup_queries import DEVICE, SESSION, SESSION_ID
from carrete.identity.lookups import Lookups, Validity
from carrete.identity.records import Device, Session

KEPT_MAX = 4_096
LOOKED_THROUGH_FROM = 64  # values; then those that no longer hold are dropped
COOKIE_BYTES_MAX = 1_024  # of a header that is kept: ours are 250 bytes, and a client may send 64 KiB
K = TypeVar("K")
T = TypeVar("T")


class Visitor:
    """A device and, if somebody is signed in there, the author. `in_use`: a use of the session was admitted and noted
    since this was looked up, so it is not idle."""

    __slots__ = ("author", "device", "in_use", "session_secret")

    def __init__(self, device: Device, author: Author | None, session_secret: str | None) -> None:
        self.device = device
        self.author = author
        self.session_secret = session_secret
        self.in_use = False


class Visitors:
    def __init__(self, cookies: IdentityCookies, lookups: Lookups) -> None:
        self._cookies = cookies
        self._lookups = lookups
        self._by_cookie = ValuesWhileValid[bytes, Visitor](lookups)
        self._by_session = ValuesWhileValid[str, Author](lookups)
        self.kept = self._by_cookie.get
        self.kept_author = self._by_session.get

    async def look_up(self, cookie: bytes) -> Visitor | None:
        """None if no device is enrolled with these cookies."""
        device_secret, session_secret = self._cookies.secrets_in(cookie)
        if device_secret is None:
            return None
        device, session = await self._device_and_session(device_secret, session_secret)
        if device is None:
            return None
        if session is None or session_secret is None or session.device_id != device.id:
            return Visitor(device, None, session_secret)
        visitor = Visitor(device, Author.of_session(session, device), session_secret)
        if len(cookie) <= COOKIE_BYTES_MAX:
            used = {(DEVICE, device_secret): device, (SESSION, session_secret): session}
            self._by_cookie.put(cookie, visitor, self._lookups.validity(used))
        return visitor

    async def _device_and_session(
        self, device_secret: str, session_secret: str | None
    ) -> tuple[Device | None, Session | None]:
        """Asked for together, they are read together."""
        if session_secret is None:
            return await self._lookups.device(device_secret), None
        return await asyncio.gather(self._lookups.device(device_secret), self._lookups.session(session_secret))

    def keep_author(self, author: Author, session: Session) -> None:
        """For the next taps of this session. They are not checked against it again, so it must accept every tap."""
        self._by_session.put(session.id, author, self._lookups.validity({(SESSION_ID, session.id): session}))


class ValuesWhileValid(Generic[K, T]):
    """Values that were made of look-ups, while those hold."""

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups
        self._values: dict[K, tuple[Validity, T]] = {}
        self._looked_through_at = LOOKED_THROUGH_FROM

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: K) -> T | None:
        kept = self._values.get(key)
        return kept[1] if kept and self._lookups.holds(kept[0]) else None

    def put(self, key: K, value: T, validity: Validity) -> None:
        if len(self._values) >= self._looked_through_at:
            self._drop_ended()
        self._values[key] = (validity, value)

    def _drop_ended(self) -> None:
        """Otherwise the values of people who signed out would be kept until there are KEPT_MAX of them. It is done
        again when there are twice as many, so that each value costs the same however many there are."""
        self._values = {key: kept for key, kept in self._values.items() if self._lookups.holds(kept[0])}
        if len(self._values) >= KEPT_MAX:
            self._values.clear()
        self._looked_through_at = min(KEPT_MAX, max(LOOKED_THROUGH_FROM, 2 * len(self._values)))
