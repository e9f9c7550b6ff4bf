"""Routes of signing in, of the own session and of the own PIN; and the first question of a page, `/api/acceso`."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

from fastapi import FastAPI, Query, Request

from carrete.api.actions import documented_problems, require_json, validated, whole_body
from carrete.api.documented_body import documented_body
from carrete.api.responses import Json
from carrete.api.schemas.fields import Body
from carrete.api.schemas.sign_in import (
    AccessOut,
    OwnSessionOut,
    PinBody,
    PinChangeBody,
    RecentPeopleOut,
    SessionDoneOut,
    SessionUseBody,
    SignedInOut,
    SignInBody,
    SignOutBody,
)
from carrete.api.server.gatekeeper import AccessRules, author_of, client_address, device_of
from carrete.api.server.refusal_log import refusal_log
from carrete.api.spools import worker_json
from carrete.domain.shop_time import iso
from carrete.domain.workers import Rol
from carrete.identity.lookups import Lookups
from carrete.identity.privileges import has_administrator
from carrete.identity.records import Device, Session
from carrete.identity.refusals import DeviceNotEnrolled, PinLocked, SessionRequired, TooManyAttempts, WrongPin
from carrete.identity.secrets import secret_hash
from carrete.identity.sessions import pin_fresh_s
from carrete.identity.throttle import had_many_failures
from carrete.ledger.database import Tx
from carrete.services import Services

B = TypeVar("B", bound=Body)
LAST_TAP_MAX = 2**53
SESSION_ID = "^[a-z0-9-]{1,40}$"

_PIN = {
    401: "DISPOSITIVO_NO_INSCRITO, SESION_REQUERIDA, PIN_INCORRECTO",
    403: "PERMISO_INSUFICIENTE, PIN_REQUERIDO",
    413: "CUERPO_DEMASIADO_GRANDE",
    415: "NO_ES_JSON",
    422: "DATOS_INVALIDOS",
    423: "PIN_BLOQUEADO",
    429: "DEMASIADOS_INTENTOS: Retry-After dice cuánto esperar",
    503: "LEDGER_UNAVAILABLE",
}
_READ = {
    401: "DISPOSITIVO_NO_INSCRITO, SESION_REQUERIDA",
    403: "PERMISO_INSUFICIENTE",
    422: "DATOS_INVALIDOS",
    503: "LEDGER_UNAVAILABLE",
}
_TAGS: Any = ["identidad"]
_TOLD_OF_FAILURES = frozenset({Rol.SUPERVISOR, Rol.ADMINISTRADOR})


def add(app: FastAPI, services: Services, rules: AccessRules) -> None:
    _add_first_question(app, services, rules)
    _add_entry(app, services, rules)
    _add_own_session(app, services)
    _add_pin(app, services)


def _add_first_question(app: FastAPI, services: Services, rules: AccessRules) -> None:
    @app.get("/api/acceso", response_model=AccessOut, responses=documented_problems({503: _READ[503]}), tags=_TAGS)
    async def access(request: Request) -> Json:
        """Cómo se entra aquí, si este dispositivo está inscrito y quién está identificado."""
        secret, session_secret = (None, None) if rules.mode == "open" else rules.cookies.secrets(request.scope)
        device, session = await _found(services.identity.lookups, secret, session_secret)
        claim = None if device or not secret else secret_hash(secret)
        now = datetime.now(UTC)
        supervises = session is not None and bool(session.worker.roles & _TOLD_OF_FAILURES)
        claimed, has_admin, many_failures = await services.read(
            lambda tx: (_claim_json(tx, claim, now), has_administrator(tx), supervises and had_many_failures(tx, now))
        )
        with_identity = rules.mode != "open"
        response = Json(
            {
                "modo": rules.mode,
                "taller": services.shop_settings.current.name if device or not with_identity else "",
                "dispositivo": device and {"id": device.id, "nombre": device.name, "tipo": device.kind},
                "inscripcion": claimed,
                "sesion": session and session_json(session, services),
                "administrador": has_admin,
                "bloqueo_s": services.settings.idle_s,
                "muchos_fallos": many_failures,
                "foto_en_rechazo": services.shop_settings.current.photo_on_rejection,
                "firma": with_identity and rules.cookies.secure,
                "clave_publica": services.identity.keys.seal_public_key() if with_identity else None,
            }
        )
        if device and secret:  # its 400 days begin anew each time that a page is opened
            rules.cookies.set_device(response, secret)
        return response


def _add_entry(app: FastAPI, services: Services, rules: AccessRules) -> None:
    @app.post("/api/sesion", **_documented(SignInBody, SignedInOut))
    async def sign_in(request: Request) -> Json:
        """Entra con su número o credencial, y su PIN. La sesión anterior de este dispositivo termina."""
        body, device = await _body(SignInBody, request), _device(request)
        with _logged(request, body.worker_id):
            signed_in = await services.identity.sign_in.sign_in(
                device,
                worker_id=body.worker_id,
                badge=body.badge,
                pin=body.pin,
                address=client_address(request.scope),
            )
        response = Json(signed_in_json(signed_in.session, services, rules))
        rules.cookies.set_session(response, signed_in.secret)
        return response

    SignOutBody.model_rebuild()

    @app.delete(
        "/api/sesion",
        response_model=SessionDoneOut,
        responses=documented_problems({**_READ, 413: _PIN[413], 415: _PIN[415]}),
        tags=_TAGS,
        openapi_extra=documented_body(SignOutBody, required=False),
    )
    async def sign_out(
        request: Request,
        sesion: Annotated[str | None, Query(pattern=SESSION_ID, description="Si falta, la de la cookie.")] = None,
        ultimo_toque: Annotated[int | None, Query(ge=0, le=LAST_TAP_MAX)] = None,
    ) -> Json:
        """Sale. Una sesión que ya terminó sólo recibe el número de su último toque y, en un cuerpo que puede faltar,
        cuáles siguen sin enviar. Sin cuerpo se aceptan por 24 horas todos los toques hasta ese número."""
        unsent = await _unsent(request)
        device, author = _device(request), author_of(request.scope)
        own = author.session.id if author and author.session else None
        wanted = sesion or own
        if wanted:
            await services.identity.sign_in.sign_out(
                device, wanted, last_tap=ultimo_toque, unsent=unsent, address=client_address(request.scope)
            )
        response = Json({"success": True})
        if own in (None, wanted):
            rules.cookies.clear_session(response)
        return response


def _add_own_session(app: FastAPI, services: Services) -> None:
    @app.get("/api/sesion", response_model=OwnSessionOut, responses=documented_problems(_READ), tags=_TAGS)
    async def current_session(request: Request) -> Json:
        """La sesión de esta pantalla, también bloqueada."""
        return Json(session_json(_session(request), services))

    @app.post("/api/sesion/uso", **_documented(SessionUseBody, SessionDoneOut))
    async def use(request: Request) -> Json:
        """Alguien toca la pantalla: la sesión no se bloquea todavía."""
        await _body(SessionUseBody, request)  # the gatekeeper has noted the use when it admitted the request
        return Json({"success": True})

    @app.get("/api/sesion/personas", response_model=RecentPeopleOut, responses=documented_problems(_READ), tags=_TAGS)
    async def recent_people(request: Request) -> Json:
        """Quienes entraron en este dispositivo, el último primero."""
        people = await services.identity.sign_in.people_on(_device(request))
        return Json({"recientes": [worker_json(person) for person in people]})


def _add_pin(app: FastAPI, services: Services) -> None:
    @app.post("/api/sesion/pin", **_documented(PinBody, OwnSessionOut))
    async def give_pin(request: Request) -> Json:
        """Desbloquea la sesión; por cinco minutos vale para lo que pide el PIN de nuevo (sellado no)."""
        body, session = await _body(PinBody, request), _session(request)
        service, address = services.identity.sign_in, client_address(request.scope)
        with _logged(request, session.worker.id):
            if body.pin is not None:
                unlocked = await service.unlock(session, body.pin, address)
            else:
                unlocked = await service.unlock_sealed(session, body.sellado or "", address)
        return Json(session_json(unlocked, services))

    @app.post("/api/sesion/pin/cambiar", **_documented(PinChangeBody, SessionDoneOut))
    async def change_pin(request: Request) -> Json:
        """Cambia el PIN propio. Las sesiones de la persona en otros dispositivos terminan."""
        body, session = await _body(PinChangeBody, request), _session(request)
        with _logged(request, session.worker.id):
            await services.identity.sign_in.change_pin(session, body.pin, body.nuevo, client_address(request.scope))
        return Json({"success": True})


def session_json(session: Session, services: Services) -> dict[str, Any]:
    worker = worker_json(session.worker)
    return {
        "worker": worker,
        "roles": worker["roles"],
        "ends": iso(session.ends_at, services.shop.zone),
        "session": session.id,
        "proof": session.proof,
        "locked": services.identity.is_locked(session),
        "pin_fresh_s": pin_fresh_s(session, datetime.now(UTC)),
    }


def signed_in_json(session: Session, services: Services, rules: AccessRules) -> dict[str, Any]:
    """With the tap key, unless it would travel without encryption: a page without HTTPS cannot sign anyway."""
    key = urlsafe_b64encode(services.identity.keys.tap_key(session.id)).rstrip(b"=").decode()
    return {**session_json(session, services), "tap_key": key if rules.cookies.secure else None}


async def _found(
    lookups: Lookups, secret: str | None, session_secret: str | None
) -> tuple[Device | None, Session | None]:
    device = await lookups.device(secret) if secret else None
    session = await lookups.session(session_secret) if device and session_secret else None
    return device, session if session and device and session.device_id == device.id else None


def _claim_json(tx: Tx, claim_hash: str | None, now: datetime) -> dict[str, str] | None:
    row = tx.one("claim_of_secret", claim_hash=claim_hash) if claim_hash else None
    if row is None:
        return None
    return {"numero": row[0], "estado": "esperando" if datetime.fromisoformat(row[1]) > now else "vencida"}


def _documented(body: type[Body], answer: type[Any]) -> dict[str, Any]:
    """The routes read the body themselves, so that errors in it are answered in the same way as those of actions."""
    body.model_rebuild()  # now and not when the first person signs in
    extra = documented_body(body)
    return {"response_model": answer, "responses": documented_problems(_PIN), "tags": _TAGS, "openapi_extra": extra}


async def _unsent(request: Request) -> list[str] | None:
    """Clients of an earlier version send no body."""
    raw = await whole_body(request.receive)
    if not raw:
        return None
    require_json(request.headers.get("content-type", "").encode("latin-1"))
    return validated(SignOutBody, raw).sin_enviar


async def _body(kind: type[B], request: Request) -> B:
    require_json(request.headers.get("content-type", "").encode("latin-1"))
    return validated(kind, await whole_body(request.receive))


@contextmanager
def _logged(request: Request, worker_id: int | None) -> Iterator[None]:
    """A log line for each refused PIN: it may be an attack."""
    try:
        yield
    except (WrongPin, PinLocked, TooManyAttempts) as refusal:
        refusal_log.write(request.scope, refusal.code, worker_id)
        raise


def _device(request: Request) -> Device:
    device = device_of(request.scope)
    if device is None:
        raise DeviceNotEnrolled
    return device


def _session(request: Request) -> Session:
    author = author_of(request.scope)
    if author is None or author.session is None:
        raise SessionRequired
    return author.session
