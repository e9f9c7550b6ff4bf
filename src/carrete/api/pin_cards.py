"""Routes that give out PINs: to one person, or cards for many. A PIN is answered once and never stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request

from carrete.api.administration import PersonId, body_of, change_author, changing, write
from carrete.api.people import TAG, UNKNOWN
from carrete.api.responses import Json
from carrete.api.schemas.devices import EmptyBody
from carrete.api.schemas.people import CardsBody, NewPinOut, PinCardList
from carrete.api.spools import worker_json
from carrete.identity import people
from carrete.identity.people import ChangeAuthor, PinCard
from carrete.identity.pins import random_pin
from carrete.ledger.database import Tx
from carrete.services import Services

CARDS_MAX = 500  # in one request: hashing them takes some ten seconds
_BUSY = {429: "DEMASIADOS_INTENTOS"}


def add(app: FastAPI, services: Services) -> None:
    _add_one(app, services)
    _add_cards(app, services)


def _add_one(app: FastAPI, services: Services) -> None:
    refusals = {**UNKNOWN, **_BUSY, 403: "PERMISO_INSUFICIENTE, WORKER_INACTIVO"}

    @app.post("/api/personas/{id}/pin", **changing(NewPinOut, EmptyBody, TAG, refusals))
    async def new_pin(id: PersonId, request: Request) -> Json:
        """Un PIN nuevo al azar, que se muestra una vez. El de quien tiene privilegios lo da sólo un administrador."""
        await body_of(EmptyBody, request)
        author = change_author(request)
        await services.read(lambda tx: people.require_may_reset_pin(tx, id, author))
        pin = random_pin()
        with services.identity.hasher.place():
            pin_hash = await services.identity.hasher.hash(pin)

        def give(tx: Tx) -> Any:
            people.require_may_reset_pin(tx, id, author)
            return worker_json(people.give_pin(tx, id, pin_hash, author))

        return Json({"pin": pin, "worker": await write(services, give)})


def _add_cards(app: FastAPI, services: Services) -> None:
    @app.post("/api/personas/pins", **changing(PinCardList, CardsBody, TAG, _BUSY))
    async def cards(request: Request) -> Json:
        """Tarjetas para imprimir, con un PIN nuevo cada una: para quien no tiene, o para todos menos quien las pide."""
        body, author = await body_of(CardsBody, request), change_author(request)
        wanted = await services.read(lambda tx: _wanted(tx, author, everybody=body.todos))
        pins = {worker_id: random_pin() for worker_id in wanted}
        with services.identity.hasher.place():
            hashes = {worker_id: await services.identity.hasher.hash(pin) for worker_id, pin in pins.items()}
        made = await write(services, lambda tx: _give(tx, pins, hashes, author, everybody=body.todos))
        return Json({"tarjetas": [card_json(card) for card in made]})


def _wanted(tx: Tx, author: ChangeAuthor, *, everybody: bool) -> list[int]:
    """An administrator who prints cards for all keeps the own PIN, and so the session that gets the answer."""
    found = people.people_for_cards(tx, everybody=everybody)
    return [each.worker.id for each in found if each.worker.id != author.by_id][:CARDS_MAX]


def _give(
    tx: Tx, pins: Mapping[int, str], hashes: Mapping[int, str], author: ChangeAuthor, *, everybody: bool
) -> list[PinCard]:
    """A person who got a PIN or left while the hashes were made is left out."""
    made = []
    for person in people.people_for_cards(tx, everybody=everybody):
        if pin := pins.get(person.worker.id):
            people.give_pin(tx, person.worker.id, hashes[person.worker.id], author)
            made.append(PinCard(person.worker, pin, person.badge))
    return made


def card_json(card: PinCard) -> dict[str, Any]:
    worker = card.worker
    return {
        "id": worker.id,
        "label": worker.label,
        "nombre": worker.nombre,
        "apellido": worker.apellido,
        "pin": card.pin,
        "badge": card.badge,
    }
