"""Small worlds in which somebody tampers with a trail, with the witnesses that were there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from carrete.domain.trail.canonical import FIELDS, GENESIS, ChainHead, event_hash
from carrete.domain.trail.compare import TrailReport, examine
from carrete.domain.trail.copies import compare_with_copy
from carrete.domain.trail.findings import AT, HASH, ID, SEQ, VERSION, TrailFinding
from carrete.domain.trail.witness import SEAL_SOURCE, Witness
from tests.support.trails import Rows, an_event, chained, head_of, rechained, renumbered

BEGIN = datetime(2026, 11, 17, 8, 0, tzinfo=UTC)
NOW = "2026-11-18T00:00:00+00:00"
_N = len(FIELDS)


def instant(minute: int) -> str:
    return (BEGIN + timedelta(minutes=minute)).isoformat(timespec="seconds")


@dataclass
class World:
    """`before` is the trail as it was at the deed, `after` as it was left, `now` with what the shop did later."""

    before: Rows
    after: Rows
    now: Rows
    head: ChainHead
    deed_at: str
    deeds: str
    several: bool
    head_is_changed: bool
    witnesses: list[Witness] = field(default_factory=list)  # from before the deed
    later: list[Witness] = field(default_factory=list)
    copy: Rows | None = None
    copied_at: str = ""
    begun_at: str = ""  # of the first of several deeds, where that is not `deed_at`

    def examined(self) -> tuple[TrailReport, list[TrailFinding]]:
        report = examine(lambda: self.now, self.head, [*self.witnesses, *self.later], now=NOW)
        if self.copy is None:
            return report, []
        return report, compare_with_copy(self.now, self.copy, "respaldo", self.copied_at, report.written_at)


def honest(chance: Random, seqs: Iterable[int], minute: int, previous: str, name: str) -> Rows:
    """Actions of one to three events with a token of their own, and notes, which keep that of an earlier one."""
    events: list[list[Any]] = []
    token, left = "", 0
    for seq in seqs:
        note = bool(events) and not left and chance.random() < 0.15
        if note:
            token, left = chance.choice(events)[VERSION], 1
        elif not left:
            token, left = f"{name}-{seq}", chance.choice((1, 1, 1, 2, 3))
        left -= 1
        minute += chance.choice((0, 1, 1, 5))
        tipo = "NOTA" if note else "TOMAR_SPOOL"
        accion = "NOTA" if note else "TOMAR"
        event = an_event(
            seq, id=f"{name}-{seq}", at=instant(minute), version=token, evento_tipo=tipo, accion=accion, tag=f"MK-{seq}"
        )
        events.append(event)
    return chained(events, previous)


def receipt(rows: Rows, at: int, chance: Random, made_at: str = "") -> Witness:
    """Of the action whose last event this is; sometimes the head covers later events, or an answer for several."""
    last = rows[at]
    while at + 1 < len(rows) and rows[at + 1][VERSION] == last[VERSION]:
        at, last = at + 1, rows[at + 1]
    head = rows[-1] if made_at else rows[min(at + chance.choice((0, 0, 0, 1, 2)), len(rows) - 1)]
    made_at = made_at or head[AT]
    if chance.random() < 0.15:
        return Witness(head[SEQ], head[HASH], "recibo", made_at, made_at, what=f"acción del evento {head[SEQ]}")
    return Witness(
        head[SEQ],
        head[HASH],
        "recibo",
        made_at,
        made_at,
        event_seq=last[SEQ],
        version=last[VERSION],
        what=f"{last[8]} {last[4]}",
        is_note=last[3] == "NOTA",
    )


def seal(rows: Rows, at: int, made_at: str = "") -> Witness:
    row = rows[at]
    return Witness(row[SEQ], row[HASH], SEAL_SOURCE, made_at or row[AT], made_at or row[AT])


def sheet(rows: Rows, name: str) -> list[Witness]:
    return [
        Witness(row[SEQ], row[HASH], name, row[AT], event_id=row[ID], event=f"{row[3]} {row[4]} {row[6]}")
        for row in rows
    ]


def some_of(rows: Rows, chance: Random) -> Rows:
    """All rows, a beginning, or some of them."""
    kind = chance.randrange(4)
    if kind == 0:
        return rows
    if kind == 1:
        return rows[: chance.randrange(1, len(rows) + 1)]
    share = chance.random()
    return [row for row in rows if chance.random() < share]


def witnesses_of(rows: Rows, chance: Random, made_at: str, name: str) -> Iterator[Witness]:
    if chance.random() < 0.6:
        share = chance.choice((0.1, 0.5, 1.0))
        yield from (receipt(rows, at, chance) for at in range(len(rows)) if chance.random() < share)
    if chance.random() < 0.3:
        yield seal(rows, chance.randrange(len(rows)))
    if chance.random() < 0.2:
        yield seal(rows, len(rows) - 1, made_at)
    if chance.random() < 0.2:
        yield receipt(rows, chance.randrange(len(rows)), chance, made_at)
    if chance.random() < 0.3:
        yield from sheet(some_of(rows, chance), name)


def _edit(rows: Rows, at: int, chance: Random) -> Rows:
    place, value = chance.choice(((6, "XX(1)"), (4, "MK-other"), (11, '{"motivo": "otro"}'), (2, instant(-9))))
    row = rows[at]
    return [*rows[:at], (*row[:place], value, *row[place + 1 :]), *rows[at + 1 :]]


def _delete(rows: Rows, at: int, chance: Random) -> Rows:
    return [*rows[:at], *rows[at + chance.choice((1, 1, 2, 3)) :]]


def _delete_and_close_up(rows: Rows, at: int, chance: Random) -> Rows:
    return renumbered(_delete(rows, at, chance))


def _insert(rows: Rows, at: int, chance: Random) -> Rows:
    forged = an_event(at + 1, id=f"forged-{len(rows)}-{at}", worker="XX(1)", version=f"forged-{at}")
    forged[2] = rows[chance.randrange(len(rows))][AT]
    right = event_hash(rows[at - 1][HASH] if at else GENESIS, forged)
    return renumbered([*rows[:at], (*forged, chance.choice((right, "f" * 64))), *rows[at:]])


def _move(rows: Rows, at: int, chance: Random) -> Rows:
    rest = [*rows[:at], *rows[at + 1 :]]
    to = chance.randrange(len(rows))
    return renumbered([*rest[:to], rows[at], *rest[to:]])


def _swap(rows: Rows, at: int, chance: Random) -> Rows:
    other, result = chance.randrange(len(rows)), list(rows)
    end = chance.choice((HASH, HASH + 1))
    one, two = rows[at], rows[other]
    result[at], result[other] = (one[SEQ], *two[1:end], *one[end:]), (two[SEQ], *one[1:end], *two[end:])
    return result


def _cut_off(rows: Rows, at: int, _: Random) -> Rows:
    return rows[: max(at, 1)]


DEEDS: tuple[Callable[[Rows, int, Random], Rows], ...] = (
    *(_edit, _delete, _delete_and_close_up, _insert, _move, _swap, _cut_off),
)


def first_difference(before: Rows, after: Rows) -> int:
    """The index of the first row that is another one; the length where one trail begins the other."""
    pairs = enumerate(zip(before, after, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(before), len(after)))


def a_world(seed: int) -> World:
    chance = Random(seed)
    before = honest(chance, range(1, chance.randrange(4, 31)), 0, GENESIS, "id")
    minute = round((datetime.fromisoformat(before[-1][AT]) - BEGIN).total_seconds() / 60)
    deeds = [chance.choice(DEEDS) for _ in range(chance.choice((1, 1, 1, 2)))]
    after = before
    for deed in deeds:
        after = deed(after, chance.randrange(len(after)), chance) or before[:1]
    anew = chance.random() < 0.65
    if anew:
        after = rechained(after, first_difference(before, after))
    head = head_of(before) if chance.random() < (0.15 if anew else 0.7) else head_of(after)
    now, work = after, chance.choice((0, 0, 1, 4, 12))
    if work:
        later = honest(chance, range(head.seq + 1, head.seq + 1 + work), minute + 10, head.hash, "later")
        now, head = [*(row for row in after if row[SEQ] <= head.seq), *later], head_of(later)
        after = now[: len(now) - work]
    head_is_changed = not work and chance.random() < 0.1
    if head_is_changed:
        head = ChainHead(max(0, head.seq + chance.choice((-3, 0, 2))), chance.choice((head.hash, "e" * 64)))
    names = " ".join(deed.__name__ for deed in deeds)
    deed_at = instant(minute + 5)
    deeds_told = f"{names}{' anew' if anew else ''}, {work} later"
    world = World(before, after, now, head, deed_at, deeds_told, len(deeds) > 1, head_is_changed)
    world.witnesses = list(witnesses_of(before, chance, instant(minute + 4), "planilla"))
    if work:
        world.later = list(witnesses_of(now, chance, instant(minute + 600), "planilla nueva"))
        world.later = [w for w in world.later if w.source == "planilla nueva" or w.made_at > deed_at]
    elif chance.random() < 0.2:
        world.later = sheet(some_of(now, chance), "planilla nueva")
    if chance.random() < 0.4:
        copied = chance.randrange(1, len(before) + 1)
        world.copy, world.copied_at = before[:copied], before[copied - 1][AT]
    return world
