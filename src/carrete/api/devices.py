"""Routes of devices: an administrator enrols, renames and revokes them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import Response

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
from carrete.api.kept_changes import change_once, changing_once
from carrete.api.responses import Json
from carrete.api.schemas.devices import (
    ChangedOut,
    DeviceList,
    DeviceNameBody,
    EmptyBody,
    EnrolmentBody,
    EnrolmentConfirmBody,
    EnrolmentNumberOut,
    EnrolmentOut,
    EnrolmentUseBody,
)
from carrete.api.server.gatekeeper import AccessRules
from carrete.domain.shop import Shop
from carrete.domain.shop_time import iso, whole_second
from carrete.identity import devices, enrolment
from carrete.identity.devices import EnrolledDevice
from carrete.identity.people import ChangeAuthor
from carrete.identity.records import Device
from carrete.ledger.database import Tx
from carrete.services import Services

PAGE = "/inscribir"
_TAG = "dispositivos"
_UNKNOWN = {404: "NO_ENCONTRADO"}


def add(app: FastAPI, services: Services, rules: AccessRules) -> None:
    _add_list(app, services)
    _add_enrolment(app, services, rules)
    _add_confirmation(app, services)
    _add_changes(app, services)


def _add_list(app: FastAPI, services: Services) -> None:
    @app.get("/api/dispositivos", **reading(DeviceList, _TAG))
    async def list_devices() -> Json:
        """Los dispositivos inscritos, también los revocados, y las inscripciones que esperan."""
        now = datetime.now(UTC)
        return Json(await services.read(lambda tx: _list_json(tx, now, services.shop)))


def _add_enrolment(app: FastAPI, services: Services, rules: AccessRules) -> None:
    @app.post("/api/dispositivos/inscripciones", **changing(EnrolmentOut, EnrolmentBody, _TAG))
    async def make_code(request: Request) -> Json:
        """Un código para inscribir un dispositivo: se muestra como QR y sirve una vez, por 10 minutos."""
        body, author = await body_of(EnrolmentBody, request), change_author(request)
        made = await write(
            services,
            lambda tx: enrolment.make_code(tx, body.nombre, body.tipo, by_id=author.by_id, at=author.at),
        )
        return Json(
            {
                "id": made.id,
                "codigo": made.code,
                "direccion": f"{PAGE}#{made.code}",
                "vence": iso(made.ends_at, services.shop.zone),
            }
        )

    @app.post(
        "/api/dispositivos/inscripciones/usar",
        **changing(EnrolmentNumberOut, EnrolmentUseBody, _TAG, {401: "CODIGO_NO_VALIDO"}),
    )
    async def use_code(request: Request) -> Json:
        """El dispositivo nuevo usa el código y muestra el número que un administrador debe confirmar."""
        body = await body_of(EnrolmentUseBody, request)
        now = whole_second(datetime.now(UTC))
        claim = await write(services, lambda tx: enrolment.use_code(tx, body.codigo, at=now))
        response = Json({"numero": claim.number})
        rules.cookies.set_device(response, claim.secret)
        return response


def _add_confirmation(app: FastAPI, services: Services) -> None:
    @app.post(
        "/api/dispositivos/inscripciones/{id}/confirmar",
        **changing_once(ChangedOut, EnrolmentConfirmBody, _TAG, _UNKNOWN),
    )
    async def confirm(id: RecordId, request: Request) -> Response:
        """El administrador confirma el número que ve en el dispositivo: queda inscrito."""
        body = await body_of(EnrolmentConfirmBody, request)

        def work(tx: Tx, by: ChangeAuthor) -> Device:
            return enrolment.confirm(tx, id, body.numero, by_id=by.by_id, at=by.at, address=by.address)

        return await change_once(services, request, body, work, lambda device: _done(f"{device.name} quedó inscrito."))

    @app.post("/api/dispositivos/inscripciones/{id}/cancelar", **changing_once(ChangedOut, EmptyBody, _TAG, _UNKNOWN))
    async def cancel(id: RecordId, request: Request) -> Response:
        """La inscripción ya no puede usarse ni confirmarse."""
        body = await body_of(EmptyBody, request)

        def work(tx: Tx, by: ChangeAuthor) -> None:
            enrolment.cancel(tx, id, at=by.at)

        return await change_once(services, request, body, work, lambda _: _done("La inscripción quedó cancelada."))


def _add_changes(app: FastAPI, services: Services) -> None:
    @app.post("/api/dispositivos/{id}/revocar", **changing_once(ChangedOut, EmptyBody, _TAG, _UNKNOWN))
    async def revoke(id: RecordId, request: Request) -> Response:
        """El dispositivo deja de servir, y la sesión que tenga termina."""
        body = await body_of(EmptyBody, request)

        def work(tx: Tx, by: ChangeAuthor) -> EnrolledDevice:
            return devices.revoke(tx, id, at=by.at, by_id=by.by_id, token_id=by.token_id, address=by.address)

        return await change_once(services, request, body, work, lambda device: _done(f"{device.name} quedó revocado."))

    @app.post("/api/dispositivos/{id}/renombrar", **changing_once(ChangedOut, DeviceNameBody, _TAG, _UNKNOWN))
    async def rename(id: RecordId, request: Request) -> Response:
        """Otro nombre para el dispositivo."""
        body = await body_of(DeviceNameBody, request)

        def work(tx: Tx, _: ChangeAuthor) -> EnrolledDevice:
            return devices.rename(tx, id, body.nombre)

        return await change_once(services, request, body, work, lambda device: _done(f"Ahora se llama {device.name}."))


def _done(message: str) -> dict[str, Any]:
    return {"success": True, "message": message}


def _list_json(tx: Tx, now: datetime, shop: Shop) -> dict[str, Any]:
    names = labels(tx)
    return {
        "dispositivos": [_device_json(device, names, shop) for device in devices.devices(tx)],
        "inscripciones": [
            {
                "id": each.id,
                "nombre": each.name,
                "tipo": each.kind,
                "numero": each.number,
                "vence": shown_instant(each.ends_at, shop),
            }
            for each in enrolment.pending(tx, now)
        ],
    }


def _device_json(device: devices.EnrolledDevice, names: dict[int, str], shop: Shop) -> dict[str, Any]:
    return {
        "id": device.id,
        "nombre": device.name,
        "tipo": device.kind,
        "inscrito_en": shown_instant(device.enrolled_at, shop),
        "inscrito_por": label_of(names, device.enrolled_by),
        "ultimo_uso": shown_instant(device.used_at, shop),
        "revocado_en": shown_instant(device.revoked_at, shop),
        "revocado_por": label_of(names, device.revoked_by),
    }
