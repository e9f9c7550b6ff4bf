"""Routes of people: roles, PINs, badges, and the privileges that a workbook asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import Response

from carrete.api.administration import (
    PersonId,
    acting_roles,
    body_of,
    reading,
    shown_instant,
)
from carrete.api.kept_changes import change_once, changing_once
from carrete.api.responses import Json
from carrete.api.schemas.devices import EmptyBody
from carrete.api.schemas.people import (
    AskedChangeOut,
    BadgeBody,
    BadgesGivenOut,
    NameBody,
    PersonBody,
    PersonChangedOut,
    PersonList,
    PrivilegesBody,
    RolesBody,
)
from carrete.api.spools import worker_json
from carrete.domain.shop import Shop
from carrete.domain.workers import Rol, Worker
from carrete.identity import people, privileges
from carrete.identity.people import ChangeAuthor, Person
from carrete.identity.privileges import AskedChange, PendingPrivileges
from carrete.ledger.database import Tx
from carrete.services import Services

TAG = "personas"
UNKNOWN = {404: "WORKER_NO_ENCONTRADO"}
_LAST = {**UNKNOWN, 409: "ULTIMO_ADMINISTRADOR"}
_Change = Callable[[Tx, int, ChangeAuthor], Worker]


def add(app: FastAPI, services: Services) -> None:
    _add_list(app, services)
    _add_new(app, services)
    _add_name(app, services)
    _add_roles(app, services)
    _add_badge(app, services)
    _add_privileges(app, services)
    _add_simple(app, services, "desactivar", people.deactivate, "{} quedó inactivo.", "Ya no puede hacer nada.", _LAST)
    _add_simple(app, services, "activar", people.activate, "{} está activo.", "Puede trabajar de nuevo.", UNKNOWN)
    _add_simple(
        app,
        services,
        "pin/desbloquear",
        people.unlock_pin,
        "{} puede intentar de nuevo.",
        "Olvida los PIN incorrectos y los bloqueos.",
        UNKNOWN,
    )


def _add_list(app: FastAPI, services: Services) -> None:
    @app.get("/api/personas", **reading(PersonList, TAG))
    async def list_people(request: Request) -> Json:
        """Todas las personas, también las que se fueron, y lo que espera confirmación."""
        with_badges = Rol.ADMINISTRADOR in acting_roles(request)
        found = await services.read(people.people)
        return Json({"personas": [person_json(each, services.shop, with_badges=with_badges) for each in found]})


def _add_new(app: FastAPI, services: Services) -> None:
    @app.post("/api/personas", **changing_once(PersonChangedOut, PersonBody, TAG))
    async def add_person(request: Request) -> Response:
        """Una persona nueva. Con un token, sólo con roles del piso."""
        body = await body_of(PersonBody, request)

        def work(tx: Tx, author: ChangeAuthor) -> Worker:
            return people.add(tx, body.id, body.nombre, body.apellido, body.roles, author)

        return await change_once(services, request, body, work, _changed("{} quedó agregado."))


def _add_name(app: FastAPI, services: Services) -> None:
    @app.post("/api/personas/{id}/nombre", **changing_once(PersonChangedOut, NameBody, TAG, UNKNOWN))
    async def rename(id: PersonId, request: Request) -> Response:
        """Otro nombre; la etiqueta lo sigue. Si la planilla tiene otro, vuelve cuando se lea."""
        body = await body_of(NameBody, request)

        def work(tx: Tx, author: ChangeAuthor) -> Worker:
            return people.rename(tx, id, body.nombre, body.apellido, author)

        return await change_once(services, request, body, work, _changed("{}: nombre guardado."))


def _add_roles(app: FastAPI, services: Services) -> None:
    @app.post("/api/personas/{id}/roles", **changing_once(PersonChangedOut, RolesBody, TAG, _LAST))
    async def set_roles(id: PersonId, request: Request) -> Response:
        """Exactamente estos roles. Lo que pidió la planilla y no está entre ellos sigue esperando."""
        body = await body_of(RolesBody, request)

        def work(tx: Tx, author: ChangeAuthor) -> Worker:
            return people.set_roles(tx, id, body.roles, author)

        return await change_once(services, request, body, work, _changed("{} tiene los roles nuevos."))


def _add_badge(app: FastAPI, services: Services) -> None:
    @app.post("/api/personas/{id}/badge", **changing_once(PersonChangedOut, BadgeBody, TAG, UNKNOWN))
    async def set_badge(id: PersonId, request: Request) -> Response:
        """La credencial dice quién quiere entrar; nunca reemplaza al PIN."""
        body = await body_of(BadgeBody, request)

        def work(tx: Tx, author: ChangeAuthor) -> Worker:
            return people.set_badge(tx, id, body.badge, author)

        done = _changed("{}: credencial guardada." if body.badge else "{}: credencial retirada.")
        return await change_once(services, request, body, work, done)

    @app.post("/api/personas/badges", **changing_once(BadgesGivenOut, EmptyBody, TAG))
    async def give_badges(request: Request) -> Response:
        """Una credencial al azar para cada persona activa que no tiene, para imprimirla en su tarjeta."""
        body = await body_of(EmptyBody, request)
        return await change_once(services, request, body, people.give_badges, lambda given: {"dadas": given})


def _add_privileges(app: FastAPI, services: Services) -> None:
    refusals = {404: "WORKER_NO_ENCONTRADO, NO_ENCONTRADO", 409: "ULTIMO_ADMINISTRADOR, PENDIENTE_DISTINTO"}

    @app.post("/api/personas/{id}/privilegios", **changing_once(PersonChangedOut, PrivilegesBody, TAG, refusals))
    async def decide(id: PersonId, request: Request) -> Response:
        """Confirma o rechaza lo que la planilla pidió para esta persona."""
        body = await body_of(PrivilegesBody, request)
        rule = privileges.confirm if body.confirmar else privileges.refuse
        seen = PendingPrivileges(id, tuple(body.roles_pendientes), _asked(body.cambio_pendiente))

        def work(tx: Tx, author: ChangeAuthor) -> Worker:
            return rule(tx, id, by_id=author.by_id, at=author.at, address=author.address, seen=seen)

        done = _changed("{}: quedó confirmado." if body.confirmar else "{}: quedó rechazado.")
        return await change_once(services, request, body, work, done)


def _asked(change: AskedChangeOut | None) -> AskedChange | None:
    return AskedChange(change.nombre, change.apellido, change.activo) if change else None


def _add_simple(
    app: FastAPI, services: Services, path: str, change: _Change, done: str, what: str, refusals: dict[int, str]
) -> None:
    """A route whose body is empty."""

    async def route(id: PersonId, request: Request) -> Response:
        body = await body_of(EmptyBody, request)
        return await change_once(services, request, body, lambda tx, by: change(tx, id, by), _changed(done))

    route.__name__ = path.replace("/", "_")
    documented = changing_once(PersonChangedOut, EmptyBody, TAG, refusals)
    app.post(f"/api/personas/{{id}}/{path}", description=what, **documented)(route)


def _changed(sentence: str) -> Callable[[Worker], dict[str, Any]]:
    return lambda person: {
        "success": True,
        "message": sentence.format(person.label),
        "worker": worker_json(person),
    }


def person_json(person: Person, shop: Shop, *, with_badges: bool) -> dict[str, Any]:
    """A badge's code lets somebody ask for a PIN in another's name, so that only administrators see it."""
    change = person.pending_change
    return {
        **worker_json(person.worker),
        "activo": person.worker.activo,
        "roles_pendientes": person.pending_roles,
        "cambio_pendiente": change and {"nombre": change.nombre, "apellido": change.apellido, "activo": change.activo},
        "tiene_pin": person.has_pin,
        "badge": person.badge if with_badges else None,
        "bloqueado": [{"dispositivo": lock.device, "desde": shown_instant(lock.since, shop)} for lock in person.locks],
    }
