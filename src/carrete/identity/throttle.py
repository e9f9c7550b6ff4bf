"""How often a PIN may be tried. Every attempt is counted in the ledger, as failed, before the PIN is checked: neither
a restart nor a second process gives more attempts.

who on one device     after 3 failures a growing wait, at 10 in a row a lock
who on all devices    at 50 in a day a lock
one device            after 20 failures in an hour a wait for everybody there
the whole shop        at 100 failures in an hour one access event
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from carrete.identity import access_events
from carrete.identity.access_events import AccessKind
from carrete.identity.refusals import PinLocked, TooManyAttempts
from carrete.ledger.database import Row, Tx
from carrete.ledger.store import workers_known
from carrete.ledger.values import instant_text
from carrete.webhooks.kinds import WebhookKind
from carrete.webhooks.message import new_message
from carrete.webhooks.notices import notify

WAITS_S = (5, 15, 30, 60, 180, 420, 900)  # after the 3rd, 4th … 9th failure
FREE_FAILURES = 3
ROW_MAX = 10
DAY_MAX = 50
DEVICE_WAITS_S = (5, 10, 20, 40, 60)  # after the 20th, 21st … failure; then the last one
DEVICE_FREE_FAILURES = 20
SHOP_MANY = 100
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
FAILURES_KEPT_FOR = timedelta(days=30)
EVERYWHERE = ""  # the device of a lock on every device


@dataclass(frozen=True, slots=True)
class PinAttempt:
    """An attempt that counts as failed until `clear`. `locks` are the locks that it left, on a device or everywhere."""

    who: str
    device_id: str
    at: datetime
    locks: tuple[str, ...]


def who_is(worker_id: int) -> str:
    return f"w:{worker_id}"


def who_has_unknown_badge(badge: str) -> str:
    """Hashed, because the text may be anything that somebody typed."""
    return f"b:{hashlib.sha256(badge.encode()).hexdigest()}"


def count_attempt(tx: Tx, who: str, device_id: str, now: datetime) -> PinAttempt:
    """Counts an attempt as failed, or refuses it. The lock of a last attempt is written with it, so that a crash before
    the PIN was checked does not save anybody from it."""
    here = {"who": who, "device_id": device_id}
    _, of_who, everywhere, locks_before, on_device = tx.all_of(
        ("sign_in_lock", {}),
        ("pin_failures_of", here),
        ("pin_failures_everywhere", {"who": who, "since": instant_text(now - DAY)}),
        ("pin_locks_of", here),
        ("pin_failures_on_device", {"device_id": device_id, "since": instant_text(now - HOUR)}),
    )
    in_a_row, last_at = _counted(of_who)
    ((in_a_day,),) = everywhere
    if locks_before or in_a_row >= ROW_MAX or in_a_day >= DAY_MAX:
        raise PinLocked
    _require_wait(in_a_row - FREE_FAILURES, WAITS_S, last_at, now)
    failures_here, last_here_at = _counted(on_device)
    _require_wait(failures_here - DEVICE_FREE_FAILURES, DEVICE_WAITS_S, last_here_at, now)
    reached = {device_id: in_a_row + 1 >= ROW_MAX, EVERYWHERE: in_a_day + 1 >= DAY_MAX}
    locks = tuple(where for where, is_reached in reached.items() if is_reached)
    at = instant_text(now)
    tx.write_last(
        ("pin_failure_insert", [{**here, "at": at}]),
        ("pin_lock_insert", [{"who": who, "device_id": where, "at": at} for where in locks]),
    )
    return PinAttempt(who, device_id, now, locks)


def clear(tx: Tx, attempt: PinAttempt) -> None:
    """The PIN was right: forgets the failures of that person on that device, and the locks that this attempt left."""
    tx.write_last(
        ("pin_failures_clear", [{"who": attempt.who, "device_id": attempt.device_id}]),
        ("pin_lock_remove", [{"who": attempt.who, "device_id": where} for where in attempt.locks]),
    )


def failed(tx: Tx, attempt: PinAttempt, worker_id: int | None, address: str | None) -> None:
    """The PIN was wrong: records it, the lock that it left, and that the shop has many failures."""
    at, device_id = attempt.at, attempt.device_id
    kinds = [AccessKind.PIN_INCORRECTO, *(AccessKind.PIN_BLOQUEADO for _ in attempt.locks)]
    details = [None, *("en este dispositivo" if where else "en todo el taller" for where in attempt.locks)]
    for kind, detail in zip(kinds, details, strict=True):
        access_events.record(tx, kind, at=at, device_id=device_id, worker_id=worker_id, address=address, detail=detail)
    if attempt.locks:
        _notify_locked(tx, attempt, worker_id)
    _report_many_failures(tx, at)


def _notify_locked(tx: Tx, attempt: PinAttempt, worker_id: int | None) -> None:
    """An unknown badge can be locked too; then there is no person to name."""
    workers = workers_known(tx, [] if worker_id is None else [worker_id])
    label = workers[worker_id].label if worker_id in workers else None
    device = tx.one("device", id=attempt.device_id)
    data = {"worker_id": worker_id, "worker": label, "device_id": attempt.device_id, "device": device and device[1]}
    where = "en todo el taller" if EVERYWHERE in attempt.locks else f"en {data['device']}"
    text = f"El PIN de {label or 'una credencial desconocida'} quedó bloqueado {where}: demasiados intentos."
    notify(tx, new_message(WebhookKind.PIN_BLOQUEADO, text, attempt.at, data=data))


def reset(tx: Tx, worker_id: int) -> None:
    """A supervisor lets the person try again, on every device."""
    tx.run("pin_failures_reset", who=who_is(worker_id))
    tx.run("pin_locks_reset", who=who_is(worker_id))


def forget_old(tx: Tx, now: datetime) -> int:
    return tx.run("pin_failures_forget", before=instant_text(now - FAILURES_KEPT_FOR))


def _counted(rows: Sequence[Row]) -> tuple[int, datetime | None]:
    ((count, last_at),) = rows
    return int(count), datetime.fromisoformat(last_at) if last_at else None


def _require_wait(step: int, waits_s: tuple[int, ...], last_at: datetime | None, now: datetime) -> None:
    """Raises TooManyAttempts until the wait after the last attempt is over. `step` is the index in `waits_s`; below 0
    there is no wait, above its end the last one is meant."""
    if step < 0 or last_at is None:
        return
    wait = timedelta(seconds=waits_s[min(step, len(waits_s) - 1)])
    left_s = (last_at + wait - now).total_seconds()
    if left_s > 0:
        raise TooManyAttempts(max(1, round(left_s)))


def had_many_failures(tx: Tx, now: datetime) -> bool:
    """Whether so many PINs were wrong in the last hour that supervisors are told."""
    since = instant_text(now - HOUR)
    return tx.one("access_event_since", kind=AccessKind.MUCHOS_FALLOS.value, since=since) is not None


def _report_many_failures(tx: Tx, now: datetime) -> None:
    since = instant_text(now - HOUR)
    (count,) = tx.one("pin_failures_in_shop", since=since) or (0,)
    if count >= SHOP_MANY and not had_many_failures(tx, now):
        detail = f"{count} intentos fallidos en una hora"
        access_events.record(tx, AccessKind.MUCHOS_FALLOS, at=now, detail=detail)
