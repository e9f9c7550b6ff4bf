"""Refusals as RFC 9457 problems. STATUS is the one table that says which status each refusal has."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from carrete.actions import KeyReused
from carrete.actions.answer import Answer
from carrete.api.request_refusals import (
    BodyTooLarge,
    ClientGone,
    ForeignOrigin,
    HostUnknown,
    NotJson,
    TooManyHistories,
    TooManyStreams,
)
from carrete.api.server.origin import SAFE_METHODS
from carrete.api.server.refusal_log import refusal_log
from carrete.backups.errors import BackupNotMade, BackupUnderWay
from carrete.domain import refusals as r
from carrete.domain.ndt import refusals as n
from carrete.domain.refusals import Refusal
from carrete.dossier import refusals as o
from carrete.drawings import refusals as d
from carrete.identity import refusals as i
from carrete.labels.refusals import LabelsBusy, NoBadges
from carrete.ledger.errors import LedgerUnavailable
from carrete.photos import refusals as p
from carrete.sheets.freeze.decisions import FreezeChanged, NotDecidable, NothingStopped
from carrete.sheets.refusals import GoogleDenies, GoogleSilent, KeyFixed
from carrete.shop_settings.in_force import SettingFixed
from carrete.uploads import refusals as u

log = structlog.get_logger()

MEDIA_TYPE = "application/problem+json"
FORBIDDEN = 403
RETRY_AFTER_S = 1
ERRORS_NAMED_MAX = 20
FIELD_NAME_LENGTH_MAX = 100
STREAMS_RETRY_AFTER_S = 10


STATUS: dict[type[Refusal], int] = {
    r.PrerequisiteMissing: 400,
    r.NotBegun: 400,
    r.AlreadyDone: 400,
    r.NotAvailable: 400,
    r.JointsNotAvailable: 400,
    r.WelderNotQualified: 400,
    r.WorkNotAcceptable: 400,
    r.NothingToClaim: 400,
    r.NothingToHandOver: 400,
    r.OfferExpired: 400,
    n.JointsNotWelded: 400,
    n.ExamClosed: 400,
    n.NdtPending: 400,
    r.NotTheReceiver: 403,
    r.NotTheHolder: 403,
    r.RoleMissing: 403,
    r.WorkerInactive: 403,
    r.SpoolBlocked: 403,
    r.OwnReclamo: 403,
    ForeignOrigin: 403,
    i.SessionRequired: 401,
    i.ApiTokenRefused: 401,
    i.DeviceNotEnrolled: 401,
    i.WrongPin: 401,
    i.TapRefused: 401,
    i.CodeRefused: 401,
    i.IdentityDiffers: 403,
    i.PinRequired: 403,
    i.NotPermitted: 403,
    i.PinLocked: 423,
    i.TooManyAttempts: 429,
    i.RecordUnknown: 404,
    i.LastAdministrator: 409,
    i.PendingChanged: 409,
    r.SpoolUnknown: 404,
    r.WorkerUnknown: 404,
    r.ReclamoUnknown: 404,
    r.JointUnknown: 404,
    r.PhotoUnknown: 404,
    r.DrawingUnknown: 404,
    d.PageMissing: 404,
    d.DrawingChanged: 409,
    d.DrawingTooLarge: 413,
    d.NotADrawing: 415,
    d.DrawingUnreadable: 422,
    d.TooManyDrawings: 429,
    d.DrawingsBusy: 503,
    n.ExamUnknown: 404,
    r.ReclamoResolved: 409,
    NothingStopped: 404,
    u.UploadUnknown: 404,
    r.SpoolOccupied: 409,
    r.VersionConflict: 409,
    r.WrongVersion: 409,
    FreezeChanged: 409,
    NotDecidable: 409,
    SettingFixed: 409,
    KeyFixed: 409,
    GoogleDenies: 409,
    u.UploadBusy: 409,
    u.PreviewChanged: 409,
    BodyTooLarge: 413,
    u.UploadTooLarge: 413,
    p.PhotoTooLarge: 413,
    NotJson: 415,
    p.NotAJpeg: 415,
    u.NotXlsx: 415,
    HostUnknown: 421,
    r.NotValid: 422,
    KeyReused: 422,
    p.PhotoUnreadable: 422,
    TooManyStreams: 429,
    BackupUnderWay: 409,
    u.TooManyUploads: 429,
    p.TooManyPhotos: 429,
    TooManyHistories: 503,
    GoogleSilent: 503,
    u.NoRoomOnDisk: 507,
    BackupNotMade: 503,
    LabelsBusy: 503,
    o.DossiersBusy: 503,
    o.DossierEmpty: 404,
    o.DossierTooLarge: 413,
    o.DossierTooComplex: 413,
    NoBadges: 404,
}


def problem(status: int, code: str, title: str, detail: str, context: Mapping[str, Any] | None = None) -> str:
    body = {
        "type": f"urn:carrete:problem:{code}",
        "title": title,
        "status": status,
        "code": code,
        "detail": detail,
    }
    return json.dumps({**body, **(context or {})}, ensure_ascii=False, separators=(",", ":"))


def refusal_answer(refusal: Refusal) -> Answer:
    status = STATUS[type(refusal)]
    return Answer(status, problem(status, refusal.code, refusal.title, refusal.detail, refusal.context))


def response_to(error: Exception, path: str, method: str = "POST") -> Response:
    """Turns every failure into a problem document. Unexpected errors are logged with their cause."""
    match error:
        case Refusal():
            if STATUS[type(error)] == 409:
                log.info("conflict", code=error.code, path=path, **error.context)
            return _problem_response(refusal_answer(error), error.context.get("retry_after_s"))
        case LedgerUnavailable():
            log.error("ledger unavailable", reason=str(error))
            nothing_to_know = method in SAFE_METHODS or path in _ENTRIES
            body = _UNAVAILABLE_NOW if nothing_to_know else _UNAVAILABLE
            return Response(body, 503, {"Retry-After": str(RETRY_AFTER_S)}, MEDIA_TYPE)
        case RequestValidationError():
            return _problem_response(refusal_answer(not_valid(error.errors())))
        case HTTPException():
            return _http_problem(error)
    log.error("unforeseen failure", path=path, exc_info=error)
    return Response(
        problem(500, "ERROR_INTERNO", "Error interno", "Error interno. Quedó registrado."), 500, None, MEDIA_TYPE
    )


def _problem_response(answer: Answer, retry_s: int | None = None) -> Response:
    can_retry = answer.status == 503 or '"VERSION_CONFLICT"' in answer.body
    if retry_s is None and answer.status == STATUS[TooManyStreams]:
        retry_s = STREAMS_RETRY_AFTER_S
    elif retry_s is None and can_retry:
        retry_s = RETRY_AFTER_S
    headers = {} if retry_s is None else {"Retry-After": str(retry_s)}
    return Response(answer.body, answer.status, headers, MEDIA_TYPE)


def _http_problem(error: HTTPException) -> Response:
    """For unknown paths and methods."""
    code, title = _HTTP.get(error.status_code, ("HTTP_ERROR", "Solicitud rechazada"))
    body = problem(error.status_code, code, title, title + ".")
    return Response(body, error.status_code, dict(error.headers or {}), MEDIA_TYPE)


async def _on_error(request: Request, error: Exception) -> Response:
    if isinstance(error, Refusal) and STATUS[type(error)] == FORBIDDEN:
        refusal_log.write(request.scope, error.code, getattr(request.state, "worker_id", None))
    return response_to(error, request.url.path, request.method)


async def _on_client_gone(_: Request, __: Exception) -> Response:
    return Response(status_code=400)  # nobody reads it, and it is no failure to log


def add_handlers(app: FastAPI) -> None:
    app.add_exception_handler(ClientGone, _on_client_gone)
    for kind in (Refusal, LedgerUnavailable, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, _on_error)


_UNAVAILABLE = problem(
    503,
    "LEDGER_UNAVAILABLE",
    "Registro no disponible",
    "El registro no está disponible. No se sabe si la acción quedó hecha: repita la misma solicitud.",
)
_ENTRIES = {"/api/sesion", "/api/sesion/pin", "/api/configuracion/administrador"}  # no action of a worker
_UNAVAILABLE_NOW = problem(
    503,
    "LEDGER_UNAVAILABLE",
    "Registro no disponible",
    "El registro no está disponible ahora. Intente de nuevo en un momento.",
)
_HTTP = {404: ("NO_EXISTE", "No existe esa dirección"), 405: ("METODO_NO_PERMITIDO", "Método no permitido")}


def not_valid(errors: Sequence[Any]) -> r.NotValid:
    """Lists only the first errors: a body can have tens of thousands of unknown fields."""
    return r.NotValid([_field_error(each) for each in errors[:ERRORS_NAMED_MAX]], len(errors) - ERRORS_NAMED_MAX)


def _field_error(error: Mapping[str, Any]) -> dict[str, str]:
    """Field and reason, without the value that the client sent."""
    path = ".".join(str(part) for part in error["loc"] if part not in ("body", "query", "path", "header"))
    cut = path[:FIELD_NAME_LENGTH_MAX] + "…" if len(path) > FIELD_NAME_LENGTH_MAX else path
    return {"campo": cut or "cuerpo", "motivo": _reason(error)}


def _reason(error: Mapping[str, Any]) -> str:
    kind, context = error["type"], error.get("ctx", {})
    if kind == "value_error":
        return str(error["msg"]).removeprefix("Value error, ")
    reason = _ONE.get(kind) if 1 in (context.get("min_length"), context.get("max_length")) else None
    return (reason or _REASON.get(kind, "no es válido.")).format(**context).replace(" or ", " o ")


_REASON = {
    "missing": "falta.",
    "extra_forbidden": "campo desconocido.",
    "string_type": "debe ser texto.",
    "int_type": "debe ser un número entero.",
    "int_parsing": "debe ser un número entero.",
    "int_parsing_size": "debe ser un número entero.",
    "int_from_float": "debe ser un número entero.",
    "float_type": "debe ser un número.",
    "float_parsing": "debe ser un número.",
    "finite_number": "debe ser un número finito.",
    "bool_type": "debe ser true o false.",
    "bool_parsing": "debe ser true o false.",
    "list_type": "debe ser una lista.",
    "tuple_type": "debe ser una lista.",
    "dict_type": "debe ser un objeto.",
    "enum": "debe ser uno de: {expected}.",
    "literal_error": "debe ser uno de: {expected}.",
    "string_too_long": "a lo más {max_length} caracteres.",
    "string_too_short": "al menos {min_length} caracteres.",
    "string_pattern_mismatch": "no tiene la forma debida.",
    "too_long": "a lo más {max_length} elementos.",
    "too_short": "al menos {min_length} elementos.",
    "greater_than_equal": "debe ser al menos {ge}.",
    "less_than_equal": "debe ser a lo más {le}.",
    "greater_than": "debe ser más que {gt}.",
    "less_than": "debe ser menos que {lt}.",
    "model_type": "debe ser un objeto.",
    "model_attributes_type": "debe ser un objeto.",
    "string_unicode": "no es texto Unicode.",
}
_ONE = {
    "string_too_long": "a lo más 1 carácter.",
    "string_too_short": "al menos 1 carácter.",
    "too_long": "a lo más 1 elemento.",
    "too_short": "al menos 1 elemento.",
}
