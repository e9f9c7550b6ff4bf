"""PINs of the demo shop's people. They are the same everywhere and printed at the start: a demo keeps no secret."""

from __future__ import annotations

from datetime import datetime
from random import Random

from carrete.demo.people import demo_workers
from carrete.domain.workers import Worker
from carrete.identity.people import ChangeAuthor, give_pin
from carrete.identity.pins import PIN_DIGITS, PinHasher, is_obvious
from carrete.ledger import queries
from carrete.ledger.database import Tx

IS_DEMO = "demo"  # the setting of a ledger that was filled with the demo shop
_SEED = 4120


def demo_pins() -> dict[int, str]:
    """By the worker's id; active people only."""
    rng = Random(_SEED)
    return {worker.id: _pin(rng) for worker in demo_workers() if worker.activo}


def give_demo_pins(tx: Tx, hasher: PinHasher, now: datetime) -> list[tuple[Worker, str]]:
    """Gives its PIN to everybody who has none. Each person and PIN; nobody when this is not a demo's ledger."""
    if not tx.one("setting", name=IS_DEMO):
        return []
    with_pin = {row[0] for row in tx.all("pins_held")}
    active = {person.id: person for person in queries.workers(tx)}
    shown = []
    for id_, pin in demo_pins().items():
        if id_ in active:
            shown.append((active[id_], pin))
            if id_ not in with_pin:
                give_pin(tx, id_, hasher.hash_blocking(pin), ChangeAuthor(now))
    return shown


def _pin(rng: Random) -> str:
    while is_obvious(pin := f"{rng.randrange(10**PIN_DIGITS):0{PIN_DIGITS}d}"):
        pass
    return pin
