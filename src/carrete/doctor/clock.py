"""This machine's clock. Certificates, sessions, shifts and the trail depend on it; so it is compared with every other
source of the time: the program's own files, the newest event, PostgreSQL, Redis, and the kernel's state of the
clock."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import carrete
from carrete.domain.shop_time import wall
from carrete.findings import Finding, Words, bad, good, note
from carrete.ledger.database import Database
from carrete.settings import Settings

APART_S_MAX = 10
OLDER_THAN_PROGRAM = timedelta(days=1)  # a file may have the time of another zone
_TIMEX_BYTES = 512  # the kernel's struct timex has 208
_NOT_SYNCHRONISED = 5  # adjtimex's TIME_ERROR
_KEPT_BY_TIMESYNCD = Path("/run/systemd/timesync/synchronized")

SET_IT = Words(
    "set this machine's clock: `timedatectl set-ntp true`, then restart Carrete",
    "ponga en hora este equipo con `timedatectl set-ntp true`, y después reinicie Carrete",
)


def this_machine(settings: Settings) -> Iterator[Finding]:
    now = datetime.now(UTC)
    shown = wall(now, ZoneInfo(settings.timezone)).strftime("%d-%m-%Y %H:%M")
    what = Words(f"clock: it is {shown}", f"reloj: el equipo dice {shown}")
    if now < _program_installed() - OLDER_THAN_PROGRAM:
        when = Words(", before this program was made", ", antes de que existiera este programa")
        yield bad(Words(what.en + when.en, what.es + when.es), SET_IT)
    elif kept_right() is False:
        when = Words(", and nobody keeps it right", ", y nadie lo mantiene en hora")
        yield note(
            Words(what.en + when.en, what.es + when.es),
            Words(
                "use `timedatectl set-ntp true`; in a network without internet name a time server in timesyncd.conf",
                "use `timedatectl set-ntp true`; en una red sin internet, ponga un servidor de hora en timesyncd.conf",
            ),
        )
    else:
        yield good(what)


def of_ledger(database: Database) -> Iterator[Finding]:
    """Events are dated by the clocks of the machines that served: one from the future means that a clock
    was changed."""
    with database.reading() as tx:
        newest = tx.one("event_newest_at")
    if newest and (finding := behind_newest_event(datetime.fromisoformat(newest[0]), datetime.now(UTC))):
        yield finding
    if database.engine == "postgres":
        yield compared("PostgreSQL", lambda: _clock_of(database))


def behind_newest_event(newest: datetime, now: datetime) -> Finding | None:
    ahead_s = (newest - now).total_seconds()
    if ahead_s <= APART_S_MAX:
        return None
    span = duration(ahead_s)
    return bad(
        Words(
            f"clock: the ledger's newest event is {span} in the future: this machine's clock is behind, or was ahead",
            f"reloj: el último movimiento guardado está {span} en el futuro: este reloj atrasa, o antes adelantaba",
        ),
        SET_IT,
    )


def compared(name: str, read: Callable[[], datetime]) -> Finding:
    """Asks another server for its time. The answer belongs to the middle of the round trip, on average."""
    before = datetime.now(UTC)
    there = read()
    after = datetime.now(UTC)
    apart_s = (there - (before + (after - before) / 2)).total_seconds()
    if abs(apart_s) <= APART_S_MAX:
        return good(Words(f"clock: agrees with {name}'s", f"reloj: coincide con el de {name}"))
    span, ahead = duration(abs(apart_s)), apart_s < 0
    return bad(
        Words(
            f"clock: this machine is {span} {'ahead of' if ahead else 'behind'} {name}'s",
            f"reloj: este equipo {'adelanta' if ahead else 'atrasa'} {span} respecto de {name}",
        ),
        Words("use `timedatectl set-ntp true` on both machines", "use `timedatectl set-ntp true` en los dos equipos"),
    )


def duration(seconds: float) -> str:
    """`3 d 4 h`, `2 h 5 min`, `40 s`: the two largest units."""
    left, parts = round(seconds), []
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {unit}")
    return " ".join(parts[:2]) or "0 s"


def kept_right() -> bool | None:
    """Whether something keeps this clock right, as the kernel knows; None where it cannot be asked, as in a
    service that must not touch the clock."""
    if _KEPT_BY_TIMESYNCD.exists():
        return True
    try:
        state = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES))  # all zero: only reads
    except (AttributeError, OSError):
        return None
    return None if state < 0 else bool(state != _NOT_SYNCHRONISED)


def _clock_of(database: Database) -> datetime:
    with database.reading() as tx:
        row = tx.one("clock")
    assert row is not None
    moment: datetime = row[0]
    return moment


def _program_installed() -> datetime:
    return datetime.fromtimestamp(Path(carrete.__file__).stat().st_mtime, UTC)
