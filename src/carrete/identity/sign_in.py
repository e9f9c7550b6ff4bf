"""Signing in, unlocking and changing a PIN.

Each attempt is counted as failed in a short transaction, then the PIN is checked outside any transaction, then success
is recorded or the failure stays. Whether a person exists changes neither the answer, nor its time, nor what is counted.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from carrete.domain.authorship import Proof
from carrete.domain.refusals import NotValid
from carrete.domain.shop_time import whole_second
from carrete.domain.workers import PRIVILEGED, Worker
from carrete.identity import access_events, sessions, throttle
from carrete.identity.access_events import AccessKind
from carrete.identity.pins import PinHasher, is_obvious, is_pin
from carrete.identity.records import Device, DeviceKind, Session
from carrete.identity.refusals import NotPermitted, PinRequired, WrongPin
from carrete.identity.secrets import secret_hash
from carrete.identity.server_keys import NotSealedForUs, ServerKeys
from carrete.identity.throttle import PinAttempt
from carrete.ledger.database import Tx
from carrete.ledger.rows import roles_from, worker_from
from carrete.ledger.values import instant_text
from carrete.settings import Access

_WITH_PIN = "Para entrar ingrese su PIN."
Transact = Callable[[Callable[[Tx], Any]], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A new session, the secret of its cookie, and the key with which its taps are signed."""

    session: Session
    secret: str
    tap_key: bytes


@dataclass(frozen=True, slots=True)
class SignInCandidate:
    """Somebody who wants to sign in. `pin_hash` is None without a PIN; then no PIN is right."""

    worker: Worker
    is_privileged: bool
    pin_hash: str | None


@dataclass(frozen=True, slots=True)
class CountedAttempt:
    attempt: PinAttempt
    person: SignInCandidate | None

    @property
    def pin_hash(self) -> str | None:
        return self.person.pin_hash if self.person else None

    @property
    def worker_id(self) -> int | None:
        return self.person.worker.id if self.person else None


class SignIn:
    """`write` and `read` run a transaction on a thread of its own (`Performer.housekeeping`, `Services.read`).
    `on_change` is called after a commit that began, ended or unlocked a session, with its device and its person if that
    is known, so that no request uses an old look-up.
    """

    def __init__(
        self,
        write: Transact,
        read: Transact,
        keys: ServerKeys,
        hasher: PinHasher,
        mode: Access,
        *,
        on_change: Callable[[str, int | None], None] = lambda *_: None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._write = write
        self._read = read
        self.keys = keys
        self._hasher = hasher
        self._mode = mode
        self._on_change = on_change
        self._clock = clock

    async def sign_in(
        self,
        device: Device,
        *,
        worker_id: int | None = None,
        badge: str | None = None,
        pin: str | None = None,
        address: str | None = None,
    ) -> SignedIn:
        """By id or by badge. A new secret each time; the session before on this device ends."""
        if device.kind is DeviceKind.TABLERO:
            raise NotPermitted("En un tablero nadie se identifica: sólo muestra.")
        if pin is None:
            return await self._sign_in_without_pin(device, worker_id, badge, address)
        with self._hasher.place():
            counted = await self._count(device.id, worker_id, badge)
            await self._require_right_pin(counted, pin, address)

            def begin(tx: Tx) -> tuple[Session, str]:
                person = _require_unchanged(tx, counted)
                throttle.clear(tx, counted.attempt)
                return self._begin(tx, device, person, Proof.PIN, address)

            return self._signed_in(*await self._write(begin))

    async def unlock(self, session: Session, pin: str, address: str | None = None) -> Session:
        """The person of the session gives the PIN again."""
        return await self._unlock(session, pin, address)

    async def unlock_sealed(self, session: Session, sealed: str, address: str | None = None) -> Session:
        """The PIN was typed while the tablet was offline. It unlocks once, and does not count as given just now. Sent
        again, it changes nothing: it was in the browser's storage, and a thief of it must not unlock with it."""
        pin, seal_hash = self._unsealed_pin(sealed, session), secret_hash(sealed)
        if await self._read(lambda tx: tx.one("sealed_pin_known", hash=seal_hash)):
            return session
        return await self._unlock(session, pin, address, seal_hash)

    async def change_pin(self, session: Session, pin: str, new_pin: str, address: str | None = None) -> None:
        """Ends the person's sessions on other devices: somebody else may have known the PIN. This one is proven by the
        PIN from now on."""
        _require_allowed(new_pin, pin)
        with self._hasher.place():
            counted = await self._count(session.device_id, session.worker.id, None)
            await self._require_right_pin(counted, pin, address)
            new_hash = await self._hasher.hash(new_pin)
            await self._write(lambda tx: self._put_pin(tx, session, counted, new_hash, address))
        self._on_change(session.device_id, session.worker.id)

    async def sign_out(
        self,
        device: Device,
        session_id: str,
        *,
        last_tap: int | None = None,
        unsent: Collection[str] | None = None,
        address: str | None = None,
    ) -> bool:
        now = self._now()
        was_open: bool = await self._write(
            lambda tx: sessions.sign_out(
                tx, session_id, device.id, now=now, last_tap=last_tap, unsent=unsent, address=address
            )
        )
        self._on_change(device.id, None)
        return was_open

    async def people_on(self, device: Device) -> list[Worker]:
        now = self._now()
        people: list[Worker] = await self._read(lambda tx: sessions.people_on_device(tx, device.id, now))
        return people

    async def _sign_in_without_pin(
        self, device: Device, worker_id: int | None, badge: str | None, address: str | None
    ) -> SignedIn:
        """Only in the mode `device`, only for workers of the floor. All others, known or not, are asked for a PIN."""
        if self._mode != "device":
            raise PinRequired(_WITH_PIN)

        def begin(tx: Tx) -> tuple[Session, str]:
            person = _person(tx, _owner(tx, badge) if badge is not None else worker_id)
            if person is None or person.is_privileged:
                raise PinRequired(_WITH_PIN)
            return self._begin(tx, device, person, Proof.NAME if badge is None else Proof.BADGE, address)

        with self._hasher.place():  # nothing is hashed, but a flood of names must not queue in front of a revocation
            return self._signed_in(*await self._write(begin))

    async def _unlock(self, session: Session, pin: str, address: str | None, seal_hash: str | None = None) -> Session:
        with self._hasher.place():
            counted = await self._count(session.device_id, session.worker.id, None)
            await self._require_right_pin(counted, pin, address)
            now = self._now()

            def unlock(tx: Tx) -> Session:
                _require_unchanged(tx, counted)
                throttle.clear(tx, counted.attempt)
                if seal_hash and not tx.run("sealed_pin_insert", hash=seal_hash, session_id=session.id):
                    return session
                return sessions.unlock(tx, session.id, now=now, pin_is_fresh=seal_hash is None)

            unlocked: Session = await self._write(unlock)
        self._on_change(session.device_id, session.worker.id)
        return unlocked

    async def _count(self, device_id: str, worker_id: int | None, badge: str | None) -> CountedAttempt:
        """Counted before the PIN is checked: a process that dies in between has not given away an uncounted attempt."""
        now = self._now()

        def count(tx: Tx) -> CountedAttempt:
            id_ = worker_id if badge is None else _owner(tx, badge)
            who = throttle.who_has_unknown_badge(badge or "") if id_ is None else throttle.who_is(id_)
            attempt = throttle.count_attempt(tx, who, device_id, now)
            return CountedAttempt(attempt, _person(tx, id_))

        counted: CountedAttempt = await self._write(count)
        return counted

    async def _require_right_pin(self, counted: CountedAttempt, pin: str, address: str | None) -> None:
        if not await self._hasher.verify(counted.pin_hash, pin):
            await self._write(lambda tx: throttle.failed(tx, counted.attempt, counted.worker_id, address))
            raise WrongPin

    def _begin(
        self, tx: Tx, device: Device, person: SignInCandidate, proof: Proof, address: str | None
    ) -> tuple[Session, str]:
        return sessions.begin(
            tx, device_id=device.id, worker_id=person.worker.id, proof=proof, now=self._now(), address=address
        )

    def _signed_in(self, session: Session, secret: str) -> SignedIn:
        self._on_change(session.device_id, session.worker.id)
        return SignedIn(session, secret, self.keys.tap_key(session.id))

    def _put_pin(self, tx: Tx, session: Session, counted: CountedAttempt, new_hash: str, address: str | None) -> None:
        now, worker_id = self._now(), session.worker.id
        if not tx.run(
            "pin_change", worker_id=worker_id, hash=new_hash, checked_hash=counted.pin_hash, at=instant_text(now)
        ):
            raise WrongPin
        throttle.clear(tx, counted.attempt)
        sessions.unlock(tx, session.id, now=now, pin_is_fresh=True)
        sessions.end_all_of_worker(tx, worker_id, now=now, why=sessions.EndReason.NEW_PIN, except_id=session.id)
        access_events.record(
            tx,
            AccessKind.PIN_NUEVO,
            at=now,
            device_id=session.device_id,
            worker_id=worker_id,
            by_id=worker_id,
            address=address,
        )

    def _unsealed_pin(self, sealed: str, session: Session) -> str:
        with suppress(NotSealedForUs, ValueError):
            content = json.loads(self.keys.unseal(sealed))
            if isinstance(content, dict) and content.get("session") == session.id and is_pin(content.get("pin")):
                return str(content["pin"])
        raise NotValid([{"campo": "sellado", "motivo": "no es un PIN sellado para esta sesión."}])

    def _now(self) -> datetime:
        return whole_second(self._clock())


def _owner(tx: Tx, badge: str) -> int | None:
    row = tx.one("badge_owner", code=badge)
    return int(row[0]) if row else None


def _person(tx: Tx, worker_id: int | None) -> SignInCandidate | None:
    """None for a person who does not exist or is not active. The same query runs for everybody."""
    row = tx.one("person_signing_in", id=-1 if worker_id is None else worker_id)
    if row is None or not row[3]:
        return None
    *worker, all_roles, pin_hash = row
    return SignInCandidate(worker_from(tuple(worker)), bool(roles_from(all_roles) & PRIVILEGED), pin_hash)


def _require_unchanged(tx: Tx, counted: CountedAttempt) -> SignInCandidate:
    """While the PIN was checked, a supervisor may have given a new one, or deactivated the person."""
    person = _person(tx, counted.worker_id)
    if person is None or person.pin_hash != counted.pin_hash:
        raise WrongPin
    return person


def _require_allowed(new_pin: str, pin: str) -> None:
    if is_obvious(new_pin):
        reason = "es muy fácil de adivinar: sin repeticiones, series, años ni fechas."
        raise NotValid([{"campo": "nuevo", "motivo": reason}])
    if new_pin == pin:
        raise NotValid([{"campo": "nuevo", "motivo": "debe ser otro que el de ahora."}])
