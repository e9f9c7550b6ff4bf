"""Routes of the registered addresses of webhooks, for administrators. A secret is answered once, when it is made."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from fastapi import FastAPI, Request

from carrete.addresses import without_secrets
from carrete.api.administration import (
    RecordId,
    body_of,
    change_author,
    changing,
    label_of,
    labels,
    reading,
    shown_instant,
    write,
)
from carrete.api.responses import Json
from carrete.api.schemas.devices import ChangedOut, EmptyBody
from carrete.api.schemas.webhooks import (
    NewWebhookOut,
    WebhookBody,
    WebhookDeliveryTestOut,
    WebhookEditBody,
    WebhookList,
    WebhookParkedOut,
)
from carrete.domain.refusals import NotValid
from carrete.domain.shop import Shop
from carrete.identity.access_events import AccessKind, record
from carrete.identity.people import ChangeAuthor
from carrete.identity.refusals import RecordUnknown
from carrete.ledger.database import Tx
from carrete.services import Services
from carrete.webhooks import deliveries, registry
from carrete.webhooks.deliveries import ParkedMessage
from carrete.webhooks.kinds import WebhookKind
from carrete.webhooks.message import message_of_test
from carrete.webhooks.network import NotReachable, PrivateAddress, allowed_addresses
from carrete.webhooks.registry import AddressFields, RegisteredAddress
from carrete.webhooks.sender import Outcome
from carrete.webhooks.signature import secret_text

LOOK_UP_S_MAX = 3.0  # for a name, when an address is saved
_TAG = "webhooks"
_UNKNOWN = {404: "NO_ENCONTRADO"}


def add(app: FastAPI, services: Services) -> None:
    _add_list(app, services)
    _add_making(app, services)
    _add_test(app, services)
    _add_switches(app, services)
    _add_parked(app, services)


def _add_list(app: FastAPI, services: Services) -> None:
    @app.get("/api/webhooks", **reading(WebhookList, _TAG))
    async def list_webhooks() -> Json:
        """Las direcciones registradas, cómo les va, y los mensajes que no recibieron. Ninguna muestra su secreto."""
        return Json({"webhooks": await services.read(lambda tx: _list_json(tx, services.shop))})


def _add_making(app: FastAPI, services: Services) -> None:
    @app.post("/api/webhooks", **changing(NewWebhookOut, WebhookBody, _TAG))
    async def make_webhook(request: Request) -> Json:
        """Registra una dirección: recibe lo que pase desde ahora. El secreto se muestra una sola vez."""
        body, author = await body_of(WebhookBody, request), change_author(request)
        fields = registry.checked(
            AddressFields(body.nombre, body.url, body.formato, frozenset(body.tipos), body.red_privada)
        )
        await _require_allowed(fields)

        def make(tx: Tx) -> RegisteredAddress:
            made = registry.add(tx, fields, author.at, author.by_id)
            _record(tx, author, "creado", made)
            return made

        made = await write(services, make)
        secret = secret_text(services.identity.webhook_key(made.id))
        return Json({"id": made.id, "nombre": made.name, "secreto": secret})

    @app.post("/api/webhooks/{id}/editar", **changing(ChangedOut, WebhookEditBody, _TAG, _UNKNOWN))
    async def edit_webhook(id: RecordId, request: Request) -> Json:
        """Cambia una dirección. Lo que espera va a la dirección nueva."""
        body, author = await body_of(WebhookEditBody, request), change_author(request)
        fields = registry.checked(_edited(await services.read(lambda tx: _found(tx, id)), body))
        await _require_allowed(fields)

        def edit(tx: Tx) -> None:
            registry.edit(tx, id, fields)
            _record(tx, author, "cambiado", _found(tx, id))

        await write(services, edit)
        return Json({"success": True, "message": f"{fields.name} quedó guardado."})


def _add_test(app: FastAPI, services: Services) -> None:
    @app.post("/api/webhooks/{id}/probar", **changing(WebhookDeliveryTestOut, EmptyBody, _TAG, _UNKNOWN))
    async def test_registered_webhook(id: RecordId, request: Request) -> Json:
        """Envía un mensaje de prueba, una vez, también a una dirección desactivada, y dice qué respondió."""
        await body_of(EmptyBody, request)
        address = await services.read(lambda tx: _found(tx, id))
        result = await services.webhooks.sender.send(address, message_of_test(address.name, change_author(request).at))
        if result.outcome is Outcome.DELIVERED:
            return Json({"ok": True, "estado": result.status, "mensaje": f"Respondió {result.status}."})
        return Json({"ok": False, "estado": result.status, "mensaje": f"No se pudo entregar: {result.reason}."})


def _add_switches(app: FastAPI, services: Services) -> None:
    async def change(id_: str, request: Request, what: str, work: Callable[[Tx, ChangeAuthor], None]) -> Json:
        await body_of(EmptyBody, request)
        author = change_author(request)

        def change_and_record(tx: Tx) -> str:
            address = _found(tx, id_)
            work(tx, author)
            _record(tx, author, what, address)
            return address.name

        name = await write(services, change_and_record)
        return Json({"success": True, "message": f"{name} quedó {what}."})

    @app.post("/api/webhooks/{id}/activar", **changing(ChangedOut, EmptyBody, _TAG, _UNKNOWN))
    async def enable_webhook(id: RecordId, request: Request) -> Json:
        """La dirección recibe lo que pase desde ahora; lo que pasó mientras tanto no se le envía."""
        return await change(id, request, "activado", lambda tx, _: registry.enable(tx, id))

    @app.post("/api/webhooks/{id}/desactivar", **changing(ChangedOut, EmptyBody, _TAG, _UNKNOWN))
    async def disable_webhook(id: RecordId, request: Request) -> Json:
        """No se le envía nada más. Lo que esperaba queda estacionado."""
        return await change(id, request, "desactivado", lambda tx, author: registry.disable(tx, id, author.at))

    @app.post("/api/webhooks/{id}/borrar", **changing(ChangedOut, EmptyBody, _TAG, _UNKNOWN))
    async def delete_webhook(id: RecordId, request: Request) -> Json:
        """Se borra con todo lo que esperaba o estaba estacionado."""
        return await change(id, request, "borrado", lambda tx, _: registry.delete(tx, id))


def _add_parked(app: FastAPI, services: Services) -> None:
    async def change(id_: str, request: Request, work: Callable[[Tx, ChangeAuthor], int]) -> int:
        await body_of(EmptyBody, request)
        author = change_author(request)

        def change_parked(tx: Tx) -> int:
            _found(tx, id_)
            return work(tx, author)

        return await write(services, change_parked)

    @app.post("/api/webhooks/{id}/reintentar", **changing(WebhookParkedOut, EmptyBody, _TAG, _UNKNOWN))
    async def retry_parked(id: RecordId, request: Request) -> Json:
        """Los mensajes estacionados se intentan de nuevo durante un día."""
        timings = services.webhooks.timings
        count = await change(id, request, lambda tx, author: deliveries.retry_parked(tx, id, author.at, timings))
        return Json({"success": True, "mensajes": count, "message": f"Mensajes que se intentan de nuevo: {count}."})

    @app.post("/api/webhooks/{id}/descartar", **changing(WebhookParkedOut, EmptyBody, _TAG, _UNKNOWN))
    async def drop_parked(id: RecordId, request: Request) -> Json:
        """Los mensajes estacionados se borran sin enviarse."""
        count = await change(id, request, lambda tx, _: deliveries.drop_parked(tx, id))
        return Json({"success": True, "mensajes": count, "message": f"Mensajes descartados: {count}."})


def _found(tx: Tx, id_: str) -> RegisteredAddress:
    found = registry.find(tx, id_)
    if found is None:
        raise RecordUnknown("No existe esa integración.")
    return found


def _edited(address: RegisteredAddress, body: WebhookEditBody) -> AddressFields:
    return AddressFields(
        address.name if body.nombre is None else body.nombre,
        address.url if body.url is None else body.url,
        address.format if body.formato is None else body.formato,
        address.kinds if body.tipos is None else frozenset(body.tipos),
        address.allow_private if body.red_privada is None else body.red_privada,
    )


async def _require_allowed(fields: AddressFields) -> None:
    """Tells at once what the delivery would refuse each time. A name that cannot be looked up now may be later."""
    from httpx import URL  # imported late: few shops need a web client

    url = URL(fields.url)
    try:
        async with asyncio.timeout(LOOK_UP_S_MAX):
            await allowed_addresses(url.host, url.port or 0, private=fields.allow_private)
    except PrivateAddress as error:
        raise NotValid([{"campo": "url", "motivo": f"{error}."}]) from None
    except (NotReachable, TimeoutError):
        return


def _record(tx: Tx, author: ChangeAuthor, what: str, address: RegisteredAddress) -> None:
    record(
        tx,
        AccessKind.WEBHOOK_CAMBIADO,
        at=author.at,
        by_id=author.by_id,
        address=author.address,
        detail=f"{what}: {address.name}, {without_secrets(address.url)}",
    )


def _list_json(tx: Tx, shop: Shop) -> list[dict[str, Any]]:
    names, waiting, parked = labels(tx), deliveries.figures(tx), deliveries.parked_counts(tx)
    return [
        {
            "id": address.id,
            "nombre": address.name,
            "url": without_secrets(address.url),
            "formato": address.format,
            "tipos": [kind for kind in WebhookKind if kind in address.kinds],
            "red_privada": address.allow_private,
            "activo": address.enabled,
            "motivo_desactivado": address.stopped or None,
            "creado_en": shown_instant(address.made_at, shop),
            "creado_por": label_of(names, address.made_by),
            "ultimo_exito_en": shown_instant(address.succeeded_at, shop),
            "ultima_falla_en": shown_instant(address.failed_at, shop),
            "falla": address.failure or None,
            "esperando": waiting[address.id].count if address.id in waiting else 0,
            "estacionados": parked.get(address.id, 0),
            "ultimos_estacionados": [_parked_json(each, shop) for each in deliveries.parked(tx, address.id)],
        }
        for address in registry.addresses(tx)
    ]


def _parked_json(message: ParkedMessage, shop: Shop) -> dict[str, Any]:
    return {
        "id": message.message_id,
        "tipo": message.kind,
        "seq": message.seq,
        "tag_spool": message.tag,
        "texto": message.text,
        "at": shown_instant(message.at, shop),
        "intentos": message.tries,
        "estacionado_en": shown_instant(message.parked_at, shop),
        "motivo": message.failure,
    }
