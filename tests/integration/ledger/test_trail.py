"""The trail of a spool, read for its history, against the events that were put into it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from carrete.api.history import history_json
from carrete.api.responses import Json
from carrete.domain.events import Event, EventoTipo
from carrete.domain.reports.history import SessionEvent, sessions
from carrete.domain.shop_time import duration
from carrete.ledger import queries
from carrete.ledger.database import Database
from carrete.ledger.rows import StoredEvent
from carrete.ledger.store import Changes, save
from tests.support.builders import SHOP, TAG

SAID: list[dict[str, Any]] = [
    {},
    {"dn_union": 4.5},
    {"fecha_ocupacion": "2026-04-04T22:10:00-03:00"},
    {"motivo": "quedó «así» \U0001f527", "antes": {"arm": None, "n": [1, 2]}},
]
PEOPLE = [None, "LP(7)", "JS(8)", "nobody's label"]


def a_trail(chance: Random, at: datetime) -> list[StoredEvent]:
    found = []
    for seq in range(1, 200):
        at += timedelta(seconds=chance.choice([0, 1, chance.randint(0, 20_000)]))
        event = Event(
            chance.choice(list(EventoTipo)),
            at,
            "TOMAR",
            chance.choice([None, "ARM", "SOLD"]),
            chance.choice([None, 7]),
            chance.choice(PEOPLE),
            chance.choice([None, at.date()]),
            chance.choice([None, 3]),
            chance.choice(SAID),
        )
        tag = chance.choice([TAG, TAG, "MK-OTHER"])
        found.append(StoredEvent(seq, f"e{seq}", tag, event, chance.choice(PEOPLE), "", "v", "v4.0"))
    return found


def told_plainly(trail: list[StoredEvent], now: datetime) -> dict[str, Any]:
    work = sessions(
        SessionEvent(e.event.tipo, e.event.at, e.event.operacion, e.event.metadata, e.ocupado_por) for e in trail
    )
    return {
        "tag_spool": TAG,
        "sessions": [
            {
                "worker": session.worker,
                "worker_id": session.worker_id,
                "operacion": session.operacion,
                "inicio": session.inicio.astimezone(SHOP.zone).isoformat(),
                "fin": session.fin.astimezone(SHOP.zone).isoformat() if session.fin else None,
                "duracion": duration(session.inicio, session.fin or now),
                "resultado": session.resultado,
                "pulgadas": float(session.pulgadas),
            }
            for session in work
        ],
        "events": [
            {
                "seq": stored.seq,
                "id": stored.id,
                "evento_tipo": stored.event.tipo.value,
                "worker": stored.event.worker,
                "worker_id": stored.event.worker_id,
                "operacion": stored.event.operacion,
                "accion": stored.event.accion,
                "n_union": stored.event.n_union,
                "at": stored.event.at.astimezone(SHOP.zone).isoformat(),
                "metadata": dict(sorted(stored.event.metadata.items())),
            }
            for stored in trail
        ],
    }


def test_a_history_is_byte_for_byte_what_its_events_say_over_the_change_of_hour(database: Database) -> None:
    everything = a_trail(Random(7), datetime(2026, 4, 4, 12, tzinfo=UTC))
    now = datetime(2026, 6, 1, tzinfo=UTC)
    with database.writing() as tx:
        save(tx, Changes(now), everything)

    with database.reading() as tx:
        trails = [queries.trail_page(tx, TAG, 0, 200, 200) for _ in range(2)]
        first, second = (Json(history_json(TAG, trail, SHOP, now)).body for trail in trails)

    plain = told_plainly([stored for stored in everything if stored.tag == TAG], now)
    assert bytes(first).decode() == json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    assert first == second, "what is remembered between two readers has not changed"
