"""An enrolled tablet: its cookies, and the session and signing key of the person who is signed in on it."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random

from carrete.api.server.cookies import IdentityCookies
from carrete.identity.taps import TapKey
from carrete_chaos.identity_log import MISTYPED, SIGNED_IN, SessionClosed, TapOrigin
from carrete_chaos.sending import Choice, PreparedTap, TabletFloor, new_key
from carrete_chaos.shop import pin_of
from carrete_chaos.wire import NoAnswer, RawAnswer, delete, post

SIGN_IN_S_MAX = 6.0
TRIES_MAX = 20
NAMES_UNSENT = 0.7  # of all sign-outs; the others are of pages of an older version
COOKIES = IdentityCookies()


@dataclass(frozen=True, slots=True)
class DeviceSecret:
    """An enrolled device and the secret of its cookie."""

    id: str
    secret: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Cookie": f"{COOKIES.device}={self.secret}"}


@dataclass(slots=True)
class TabletSession:
    """What the page keeps of a sign-in, and the taps that were signed with its key."""

    id: str
    worker_id: int
    device: str
    secret: str
    tap_key: bytes
    taps: int = 0
    signatures: dict[str, str] = field(default_factory=dict)  # of each tap, by its idempotency key

    def sign(
        self, choice: Choice, named: int | None, key: str, number: int | None = None, time: str | None = None
    ) -> PreparedTap:
        """A tap of now, or of the `time` of a tablet whose clock is wrong. Without a `number` it gets the next one;
        with one it is a tap of somebody who has read the key, and the page does not know of it."""
        of_the_page = number is None
        if number is None:
            number = self.taps = self.taps + 1
        content, time = choice.content(named), time or datetime.now(UTC).isoformat(timespec="milliseconds")
        mac = TapKey(self.tap_key).signature(choice.path, key, number, time, content)
        if of_the_page:
            self.signatures[key] = mac
        header = f"{self.id}, {number}, {time}, {mac}"
        return PreparedTap(key, self.worker_id, choice, content, header, TapOrigin(self.device, self.id, number, named))


class TabletDevice:
    def __init__(self, floor: TabletFloor, rng: Random, device: DeviceSecret) -> None:
        self.device = device
        self.session: TabletSession | None = None
        self._floor = floor
        self._rng = rng
        self._waits_until = 0.0

    def replace(self, device: DeviceSecret) -> None:
        """The tablet was enrolled anew."""
        self.device, self.session = device, None

    def cookies(self) -> dict[str, str]:
        """The cookies of the person who is signed in now. They are sent with every tap, also with one of an earlier
        person."""
        headers = self.device.headers
        if self.session is None or self.session.device != self.device.id:
            return headers
        return {"Cookie": f"{headers['Cookie']}; {COOKIES.session}={self.session.secret}"}

    def prepare(self, choice: Choice, named: int | None) -> PreparedTap:
        assert self.session is not None, "somebody is signed in"
        return self.session.sign(choice, named, new_key(self._rng))

    async def sign_in(self, worker_id: int) -> bool:
        """One attempt. Waits if the server asks for it; the session before goes on until there is a new one."""
        if self._floor.clock() < self._waits_until:
            return False
        device = self.device
        answer = await self._give_pin(worker_id, pin_of(worker_id))
        if answer is None:
            return False
        if answer.status == 429:
            self._waits_until = self._floor.clock() + answer.body["retry_after_s"]
        elif answer.body.get("code") == "PIN_INCORRECTO":
            self._floor.log.wrong.append(f"the right PIN of {worker_id} was refused on {device.id}")
        elif answer.status == 200 and device == self.device:
            self._begin(answer, worker_id)
            return True
        return False

    async def mistype(self, worker_id: int) -> None:
        answer = await self._give_pin(worker_id, wrong_pin(self._rng, worker_id))
        if answer is not None and answer.status == 200:
            self._floor.log.wrong.append(f"a wrong PIN of {worker_id} was taken for the right one")
        elif answer is not None and answer.body.get("code") == "PIN_INCORRECTO":
            self._floor.log.happened[MISTYPED] += 1

    async def close(self, session: TabletSession) -> bool:
        """Tells the server that the session is over, which tap was its last and which have no answer yet, until the
        server has answered."""
        path = f"/api/sesion?sesion={session.id}&ultimo_toque={session.taps}"
        last, device, names_unsent = session.taps, self.device, self._rng.random() < NAMES_UNSENT
        if session.device != device.id:  # the tablet was enrolled anew, and may not end what was begun before
            return False
        for _ in range(TRIES_MAX):
            unsent = self._floor.unanswered(session.signatures) if names_unsent else None
            content = b"" if unsent is None else json.dumps({"sin_enviar": list(unsent.values())}).encode()
            port = self._rng.choice(self._floor.ports)
            try:
                answer = await delete(port, path, device.headers, SIGN_IN_S_MAX, content)
            except NoAnswer:
                answer = None
            if answer is not None and answer.status < 500:
                if answer.status == 200:
                    keys = None if unsent is None else frozenset(unsent)
                    self._floor.log.closed.append(SessionClosed(session.id, last, self._floor.clock(), keys))
                return answer.status == 200
            if not await self._floor.stays_open(self._rng.uniform(0.05, 0.5)):
                break
        return False

    async def _give_pin(self, worker_id: int, pin: str) -> RawAnswer | None:
        content = json.dumps({"worker_id": worker_id, "pin": pin}).encode()
        port = self._rng.choice(self._floor.ports)
        try:
            return await post(port, "/api/sesion", content, self.device.headers, SIGN_IN_S_MAX)
        except NoAnswer:
            return None

    def _begin(self, answer: RawAnswer, worker_id: int) -> None:
        body, key = answer.body, answer.body["tap_key"]
        if body["worker"]["id"] != worker_id:
            self._floor.log.wrong.append(f"{worker_id} was signed in as {body['worker']['id']}")
        tap_key = urlsafe_b64decode(key + "=" * (-len(key) % 4))
        secret = answer.cookies[COOKIES.session]
        self.session = TabletSession(body["session"], worker_id, self.device.id, secret, tap_key)
        self._floor.log.happened[SIGNED_IN] += 1


def wrong_pin(rng: Random, worker_id: int) -> str:
    while (pin := f"{rng.randrange(10**6):06}") == pin_of(worker_id):
        pass
    return pin
