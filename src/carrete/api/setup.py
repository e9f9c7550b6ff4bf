"""The route that makes an administrator with a setup code, enrols the browser and signs it in."""

from __future__ import annotations

from datetime import UTC, datetime

import structlog
from fastapi import FastAPI, Request

from carrete.api.administration import body_of, changing, write
from carrete.api.responses import Json
from carrete.api.schemas.setup import SetupBody
from carrete.api.schemas.sign_in import SignedInOut
from carrete.api.server.gatekeeper import AccessRules, client_address
from carrete.api.server.refusal_log import refusal_log
from carrete.api.sign_in import signed_in_json
from carrete.domain.refusals import NotValid
from carrete.domain.shop_time import whole_second
from carrete.identity import setup
from carrete.identity.pins import is_obvious
from carrete.identity.records import Device
from carrete.identity.refusals import CodeRefused
from carrete.identity.setup import NewAdministrator
from carrete.services import Services

log = structlog.get_logger()
_REFUSALS = {401: "CODIGO_NO_VALIDO", 429: "DEMASIADOS_INTENTOS"}


def add(app: FastAPI, services: Services, rules: AccessRules) -> None:
    @app.post("/api/configuracion/administrador", **changing(SignedInOut, SetupBody, "identidad", _REFUSALS))
    async def make_administrator(request: Request) -> Json:
        """Con el código de configuración: hace a esta persona administradora, inscribe este navegador y entra."""
        body = await body_of(SetupBody, request)
        device = await _device(request, services, rules)
        wanted = NewAdministrator(body.worker_id, body.nombre, body.apellido, body.dispositivo)
        await _require_code(request, services, body.codigo)
        await services.read(lambda tx: setup.check_person(tx, wanted))
        _require_good_pin(body.pin)
        with services.identity.hasher.place():
            pin_hash = await services.identity.hasher.hash(body.pin)
        now, address = whole_second(datetime.now(UTC)), client_address(request.scope)
        made = await write(
            services,
            lambda tx: setup.make_administrator(tx, body.codigo, wanted, pin_hash, device, at=now, address=address),
        )
        setup.remove_code_file(services.settings.data)
        log.info("a setup code made an administrator", worker_id=body.worker_id, client=address)
        response = Json(signed_in_json(made.session, services, rules))
        if made.device_secret is not None:
            rules.cookies.set_device(response, made.device_secret)
        rules.cookies.set_session(response, made.session_secret)
        return response


async def _device(request: Request, services: Services, rules: AccessRules) -> Device | None:
    """The gatekeeper asks for nothing here, so the cookie is read here."""
    secret, _ = rules.cookies.secrets(request.scope)
    return await services.identity.lookups.device(secret, fresh=True) if secret else None


async def _require_code(request: Request, services: Services, code: str) -> None:
    """A wrong code is counted in a commit of its own, before anything else is looked at."""
    now = whole_second(datetime.now(UTC))
    if not await services.performer.housekeeping(lambda tx: setup.try_code(tx, code, at=now)):
        refusal_log.write(request.scope, CodeRefused.code)
        raise CodeRefused


def _require_good_pin(pin: str) -> None:
    if is_obvious(pin):
        reason = "es muy fácil de adivinar: sin repeticiones, series, años ni fechas."
        raise NotValid([{"campo": "pin", "motivo": reason}])
