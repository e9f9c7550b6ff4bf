"""Sessions in the ledger: a person at a device. A device has one open session at most."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from enum import StrEnum

from carrete.domain.authorship import Proof
from carrete.domain.shop_time import whole_second
from carrete.domain.workers import Worker
from carrete.identity import access_events
from carrete.identity.access_events import AccessKind
from carrete.identity.lookup_queries import sessions_of_ids
from carrete.identity.records import FRESH_PIN, Session
from carrete.identity.refusals import DeviceNotEnrolled, SessionRequired
from carrete.identity.secrets import new_secret, secret_hash, short_id
from carrete.ledger.database import Row, Tx
from carrete.ledger.rows import worker_from
from carrete.ledger.values import instant_text

SESSION_LASTS = timedelta(hours=12)
UNSENT_MAX = 1_000  # signatures of one session; a tablet keeps 500 taps
UNSENT_KEPT_FOR = timedelta(days=3)  # late taps are accepted for one
PEOPLE_MAX = 12
PEOPLE_SEEN_FOR = timedelta(days=60)


class EndReason(StrEnum):
    """Why a session ended, as the access events show it."""

    SIGNED_OUT = "salió"
    SAME_PERSON = "entró de nuevo"
    OTHER_PERSON = "entró otra persona"
    EXPIRED = "pasaron 12 horas"
    NEW_PIN = "PIN nuevo"
    REVOKED = "dispositivo revocado"
    DEACTIVATED = "persona desactivada"


def begin(
    tx: Tx, *, device_id: str, worker_id: int, proof: Proof, now: datetime, address: str | None = None
) -> tuple[Session, str]:
    """A new session and the secret of its cookie. It ends the device's session before. The lock keeps two processes
    from leaving two open sessions on one device."""
    _, enrolled, open_sessions = tx.all_of(
        ("sign_in_lock", {}),
        ("device_enrolled", {"id": device_id}),
        ("sessions_open_on_device", {"device_id": device_id}),
    )
    if not enrolled:
        raise DeviceNotEnrolled
    for row in open_sessions:
        _end(tx, row, now, EndReason.SAME_PERSON if row[2] == worker_id else EndReason.OTHER_PERSON)
    id_, secret, at = short_id("s"), new_secret(), instant_text(now)
    session = {
        "id": id_,
        "secret_hash": secret_hash(secret),
        "device_id": device_id,
        "worker_id": worker_id,
        "proof": proof.value,
        "at": at,
        "ends_at": instant_text(now + SESSION_LASTS),
        "pin_at": at if proof is Proof.PIN else None,
    }
    tx.write_last(("session_insert", [session]))
    access_events.record(
        tx, AccessKind.ENTRO, at=now, device_id=device_id, worker_id=worker_id, address=address, detail=proof.value
    )
    return _found(tx, id_), secret


def sign_out(
    tx: Tx,
    session_id: str,
    device_id: str,
    *,
    now: datetime,
    last_tap: int | None = None,
    unsent: Collection[str] | None = None,
    address: str | None = None,
) -> bool:
    """Ends a session of this device. The number of its last tap, and the signatures of those that are unsent, may come
    later than its end; the number is only ever lowered, and no signature is ever added. Whether the session was open.
    """
    if unsent is not None:
        tx.one("sign_in_lock")  # before any row: signing in has the same order
    row = tx.one("session_open_by_id", id=session_id, device_id=device_id)
    if row:
        _end(tx, row, now, EndReason.SIGNED_OUT, address)
    if last_tap is not None:
        tx.run("session_last_tap", id=session_id, device_id=device_id, last_tap=last_tap)
    if unsent is not None:
        _keep_unsent(tx, session_id, device_id, unsent, now)
    return row is not None


def end_all_on_device(tx: Tx, device_id: str, *, now: datetime, why: EndReason) -> int:
    return _end_all(tx, tx.all("sessions_open_on_device", device_id=device_id), now, why)


def end_all_of_worker(tx: Tx, worker_id: int, *, now: datetime, why: EndReason, except_id: str | None = None) -> int:
    rows = tx.all("sessions_open_of_worker", worker_id=worker_id)
    return _end_all(tx, (row for row in rows if row[0] != except_id), now, why)


def unlock(tx: Tx, session_id: str, *, now: datetime, pin_is_fresh: bool) -> Session:
    """From now on the session is proven by the PIN, however it began. `pin_is_fresh` is False for a PIN that was typed
    while the tablet was offline, because how long ago is unknown."""
    at = instant_text(now)
    if not tx.run("session_unlock", id=session_id, at=at, pin_at=at if pin_is_fresh else None):
        raise SessionRequired
    return _found(tx, session_id)


def people_on_device(tx: Tx, device_id: str, now: datetime) -> list[Worker]:
    """The active people who signed in here, the latest first."""
    since = instant_text(now - PEOPLE_SEEN_FOR)
    return [worker_from(row) for row in tx.all("people_on_device", device_id=device_id, since=since, limit=PEOPLE_MAX)]


def pin_fresh_s(session: Session, now: datetime) -> int:
    """For how many seconds the PIN still counts for what needs it again."""
    if session.pin_at is None:
        return 0
    return max(0, int((FRESH_PIN - (now - session.pin_at)).total_seconds()))


def _keep_unsent(tx: Tx, session_id: str, device_id: str, unsent: Collection[str], now: datetime) -> None:
    """A list that comes later only narrows the one before."""
    assert len(unsent) <= UNSENT_MAX
    row = tx.one("unsent_taps_told", id=session_id, device_id=device_id)
    if row is None:
        return
    kept = set(unsent) if row[0] is None else set(unsent) & set(row[0].split())
    tx.run("unsent_taps_put", id=session_id, signatures=" ".join(sorted(kept)), at=instant_text(now))


def _end_all(tx: Tx, rows: Iterable[Row], now: datetime, why: EndReason) -> int:
    ended = 0
    for row in rows:
        _end(tx, row, now, why)
        ended += 1
    return ended


def _end(tx: Tx, row: Row, now: datetime, why: EndReason, address: str | None = None) -> None:
    """A session whose 12 hours are over ended then: its late taps are not accepted for longer."""
    id_, device_id, worker_id, ends_at = row
    at = min(whole_second(now), datetime.fromisoformat(ends_at))
    reason = EndReason.EXPIRED if at < whole_second(now) else why
    tx.write_last(("session_end", [{"id": id_, "at": instant_text(at), "why": reason.value}]))
    access_events.record(
        tx, AccessKind.SALIO, at=at, device_id=device_id, worker_id=worker_id, address=address, detail=reason.value
    )


def _found(tx: Tx, session_id: str) -> Session:
    """It was written in this transaction."""
    return sessions_of_ids(tx, [session_id])[session_id]
