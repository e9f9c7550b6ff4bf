"""When devices, sessions and tokens were last used: noted in memory, written to the ledger at most once a minute."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from carrete.identity.records import ApiToken, Device, Session
from carrete.ledger.database import Tx
from carrete.ledger.values import instant_text

WRITE_EVERY_MAX = timedelta(seconds=60)
_STATEMENTS = {"device": "device_used", "session": "session_used", "token": "token_used"}


def _utc_now() -> datetime:
    return datetime.now(UTC)


class LastUse:
    """`idle` is how long a session may be unused. It is written often enough that another process can read it in the
    ledger."""

    def __init__(self, idle: timedelta, clock: Callable[[], datetime] = _utc_now) -> None:
        self.idle = idle
        self.write_every = min(WRITE_EVERY_MAX, idle / 5)
        self._clock = clock
        self._used: dict[tuple[str, str], datetime] = {}
        self._to_write: set[tuple[str, str]] = set()

    def device(self, device: Device) -> None:
        self._note("device", device.id, device.used_at)

    def session(self, session: Session) -> None:
        self._note("session", session.id, session.used_at)

    def token(self, token: ApiToken) -> None:
        self._note("token", token.id, token.used_at)

    def _note(self, kind: str, id_: str, written_at: datetime | None) -> None:
        now = self._clock()
        self._used[kind, id_] = now
        if written_at is None or now - written_at >= self.write_every:
            self._to_write.add((kind, id_))

    def is_idle(self, session: Session) -> bool:
        """Whether the session was unused for so long that its PIN must be given again. Another process may have used
        it and not have written that yet, so it has that much longer."""
        used_at = max(session.used_at, self._used.get(("session", session.id), session.used_at))
        return self._clock() - used_at > self.idle + self.write_every

    def take(self) -> list[tuple[str, str, datetime]]:
        """What is to be written now. Entries of long ago are forgotten."""
        due = [(kind, id_, self._used[kind, id_]) for kind, id_ in self._to_write]
        self._to_write.clear()
        oldest = self._clock() - self.idle - self.write_every
        self._used = {name: at for name, at in self._used.items() if at > oldest}
        return due


def write_uses(tx: Tx, uses: list[tuple[str, str, datetime]]) -> None:
    for kind, id_, at in sorted(uses):
        tx.run(_STATEMENTS[kind], id=id_, at=instant_text(at))
