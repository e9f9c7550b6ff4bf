"""Trails in memory and the ways to tamper with them: pure rows, as an examination reads them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from carrete.domain.trail.canonical import FIELDS, GENESIS, ChainHead, event_hash
from carrete.domain.trail.findings import HASH, SEQ, TrailRow
from carrete.domain.trail.witness import Witness

Rows = list[TrailRow]
_N = len(FIELDS)


def an_event(seq: int, **fields: Any) -> list[Any]:
    usual = {
        "seq": seq,
        "id": f"id-{seq}",
        "at": f"2026-11-17T{10 + seq // 3600:02}:{seq // 60 % 60:02}:{seq % 60:02}+00:00",
        "evento_tipo": "TOMAR_SPOOL",
        "tag": f"MK-{seq % 7}",
        "worker_id": 93,
        "worker": "MR(93)",
        "operacion": "ARM",
        "accion": "TOMAR",
        "fecha_operacion": None,
        "n_union": None,
        "metadata": '{"motivo": "ñandú"}' if seq % 3 else None,
        "ocupado_por": "MR(93)",
        "estado_detalle": "MR(93) trabajando ARM (ARM en progreso, SOLD pendiente)",
        "version": f"version-{seq}",
        "workflow": "v3.0",
    }
    return [{**usual, **fields}[name] for name in FIELDS]


def chained(events: list[list[Any]], previous: str = GENESIS) -> Rows:
    rows: Rows = []
    for event in events:
        previous = event_hash(previous, event)
        rows.append((*event, previous))
    return rows


def a_trail(events: int) -> Rows:
    return chained([an_event(seq) for seq in range(1, events + 1)])


def head_of(rows: Rows) -> ChainHead:
    return ChainHead(rows[-1][SEQ], rows[-1][HASH])


def receipts_of(rows: Rows, every: int = 1) -> list[Witness]:
    """One at each commit of so many events, given when its last event was written."""
    return [
        Witness(
            row[SEQ], row[HASH], "recibo", row[2], row[2], event_seq=row[SEQ], version=row[14], what=f"TOMAR {row[4]}"
        )
        for row in rows[every - 1 :: every]
    ]


def renumbered(rows: Rows) -> Rows:
    return [(seq, *row[1:]) for seq, row in enumerate(rows, 1)]


def rechained(rows: Rows, first: int) -> Rows:
    """The chain computed anew from this place on."""
    previous = rows[first - 1][HASH] if first else GENESIS
    return [*rows[:first], *chained([list(row[:_N]) for row in rows[first:]], previous)]


def edit(rows: Rows, at: int, chance: Random) -> Rows:
    field, value = chance.choice(
        [(6, "XX(1)"), (4, "MK-other"), (11, '{"motivo": "otro"}'), (2, "2020-01-01T00:00:00+00:00")]
    )
    return [*rows[:at], (*rows[at][:field], value, *rows[at][field + 1 :]), *rows[at + 1 :]]


def delete(rows: Rows, at: int, _: Random) -> Rows:
    return [*rows[:at], *rows[at + 1 :]]


def delete_and_close_up(rows: Rows, at: int, _: Random) -> Rows:
    return renumbered([*rows[:at], *rows[at + 1 :]])


def insert(rows: Rows, at: int, chance: Random) -> Rows:
    """A forged event, its hash computed or made up; those after it get the next numbers."""
    forged = an_event(0, id="forged", worker="XX(1)")
    forged[0] = at + 1
    hash_ = event_hash(rows[at - 1][HASH] if at else GENESIS, forged) if chance.random() < 0.5 else "f" * 64
    return renumbered([*rows[:at], (*forged, hash_), *rows[at:]])


def swap(rows: Rows, at: int, chance: Random) -> Rows:
    """Two events change places, with their hashes or without them."""
    other = chance.choice([n for n in range(len(rows)) if n != at])
    one, two = min(at, other), max(at, other)
    with_hash = chance.random() < 0.5
    result = list(rows)
    first, second = rows[one], rows[two]
    end = HASH if not with_hash else HASH + 1
    result[one] = (first[SEQ], *second[1:end], *first[end:])
    result[two] = (second[SEQ], *first[1:end], *second[end:])
    return result


def move(rows: Rows, at: int, chance: Random) -> Rows:
    """One event is put elsewhere, and those in between close up."""
    rest = [*rows[:at], *rows[at + 1 :]]
    to = chance.choice([n for n in range(len(rows)) if abs(n - at) > 1])
    return renumbered([*rest[:to], rows[at], *rest[to:]])


def cut_off(rows: Rows, at: int, _: Random) -> Rows:
    return rows[: max(at, 1)]


Deed = Callable[[Rows, int, Random], Rows]
