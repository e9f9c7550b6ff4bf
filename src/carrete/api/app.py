"""Builds the ASGI application of a process from its services."""

from __future__ import annotations

import gc
import warnings
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.warnings import UnsupportedFieldAttributeWarning

from carrete.api import (
    access_log,
    backups,
    by_joint,
    chains,
    codes,
    devices,
    dossier,
    drawings,
    first_start,
    google_connection,
    health,
    history,
    labels,
    live,
    my_day,
    ndt,
    notes,
    occupation,
    offline,
    people,
    photos,
    pin_cards,
    planilla,
    problems,
    quality,
    reclamos,
    relevos,
    reports,
    scraping,
    setup,
    shift_end,
    shop_settings,
    sign_in,
    spools,
    stage_times,
    sync,
    system,
    tokens,
    upload,
    verification,
    webhooks,
    welding,
)
from carrete.api.access_table import need_of, refusals_of
from carrete.api.actions import documented_problems
from carrete.api.documented_body import write_schemas
from carrete.api.history import HistoryWaits
from carrete.api.problems import STATUS
from carrete.api.request_refusals import ForeignOrigin, HostUnknown
from carrete.api.schemas.history import SpoolUpdate
from carrete.api.schemas.problem import PROBLEM, ProblemDetails
from carrete.api.server.application import Application
from carrete.api.server.cookies import IdentityCookies
from carrete.api.server.gatekeeper import AccessRules, Gatekeeper
from carrete.api.server.origin import LOOPBACK, SAFE_METHODS, Listening, OriginCheck
from carrete.api.server.web import WebApp, web_dist
from carrete.optional_modules import without_modules
from carrete.services import Services

_DESCRIPTION = "¿Quién tiene qué spool ahora? Nadie más puede tenerlo, y queda escrito quién hizo qué."


def create_app(
    services: Services,
    after_start: Callable[[], None] = lambda: None,
    before_stop: Callable[[], None] = lambda: None,
    web_folder: Path | None = None,
    listening: Listening = LOOPBACK,
    history_waits: HistoryWaits | None = None,
    version_wait_s_min: float = by_joint.WAIT_S_MIN,
) -> Application:
    origin_check = OriginCheck(listening, services.settings.hosts)
    identity = services.identity
    rules = AccessRules(identity.mode, IdentityCookies(secure=not listening.insecure_http), bool(listening.proxies))

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        services.start()
        origin_check.hosts.look_up_full_name()
        after_start()
        _tune_garbage_collector()
        yield
        before_stop()
        await services.stop()

    app = Application(
        WebApp(web_folder or web_dist()),
        origin_check,
        Gatekeeper(rules, identity.lookups, identity.last_use),
        identity.refused,
        listening.own_certificate,
        title="Carrete",
        version=version("carrete"),
        description=_DESCRIPTION,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    problems.add_handlers(app)
    with without_modules("pydantic.v1"):  # FastAPI would load it, to ask whether our types are so old
        _add_identity(app, services, rules)
        _add_administration(app, services)
        by_joint.add(app, services, version_wait_s_min)
        history.add(app, services, history_waits or HistoryWaits())
        _add_floor(app, services)
        health.add(app, services)
        scraping.add(app, services)
        live.add(app, services)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]
    return app


def _add_identity(app: Application, services: Services, rules: AccessRules) -> None:
    sign_in.add(app, services, rules)
    setup.add(app, services, rules)
    devices.add(app, services, rules)
    people.add(app, services)
    pin_cards.add(app, services)
    tokens.add(app, services)
    access_log.add(app, services)


def _add_floor(app: Application, services: Services) -> None:
    occupation.add(app, services)
    quality.add(app, services)
    chains.add(app, services)
    reclamos.add(app, services)
    relevos.add(app, services)
    offline.add(app, services)
    notes.add(app, services)
    photos.add(app, services)
    ndt.add(app, services)
    drawings.add(app, services)
    spools.add(app, services)
    codes.add(app, services)
    reports.add(app, services)
    my_day.add(app, services)
    shift_end.add(app, services)
    stage_times.add(app, services)
    welding.add(app, services)
    labels.add(app, services)
    dossier.add(app, services)
    sync.add(app, services)


def _add_administration(app: Application, services: Services) -> None:
    """The workbook, copies, settings and the server itself."""
    upload.add(app, services)
    planilla.add(app, services)
    google_connection.add(app, services)
    backups.add(app, services)
    shop_settings.add(app, services)
    first_start.add(app, services)
    system.add(app, services)
    verification.add(app, services)
    webhooks.add(app, services)


def _openapi(app: FastAPI) -> dict[str, Any]:
    """FastAPI's document, with the types that no route answers as JSON and without FastAPI's own error type."""
    if app.openapi_schema is None:
        write_schemas(app.routes)
        with warnings.catch_warnings():  # FastAPI drops them too, where it makes types that are not put off
            warnings.simplefilter("ignore", UnsupportedFieldAttributeWarning)
            schema = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        components = schema["components"]["schemas"]
        components[PROBLEM] = _component(ProblemDetails)
        components["SpoolUpdate"] = _component(SpoolUpdate)
        components.pop("HTTPValidationError", None)
        components.pop("ValidationError", None)
        _move_body_types(schema["paths"], components)
        _document_origin_check(schema["paths"])
        _document_gatekeeper(schema["paths"])
        app.openapi_schema = schema
    return app.openapi_schema


def _component(model: type[BaseModel]) -> dict[str, Any]:
    """The enums that the model names are components already."""
    schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
    schema.pop("$defs", None)
    return schema


def _move_body_types(paths: dict[str, Any], components: dict[str, Any]) -> None:
    """Routes that read their body themselves bring the types that it names along."""
    for operation in (operation for operations in paths.values() for operation in operations.values()):
        for content in operation.get("requestBody", {}).get("content", {}).values():
            for name, definition in content["schema"].pop("$defs", {}).items():
                components.setdefault(name, definition)


def _document_origin_check(paths: dict[str, Any]) -> None:
    """Adds the refusals that every route shares, because they come before the route."""
    for path, operations in paths.items():
        for method, operation in operations.items():
            only_own_pages = method.upper() not in SAFE_METHODS or path == live.PATH
            for refusal in (HostUnknown, ForeignOrigin) if only_own_pages else (HostUnknown,):
                _add_problem(operation["responses"], STATUS[refusal], refusal.code)


def _document_gatekeeper(paths: dict[str, Any]) -> None:
    """Adds the refusals of identity that a route's entry in the access table can lead to."""
    for path, operations in paths.items():
        for method, operation in operations.items():
            for refusal in refusals_of(need_of(method.upper(), path)):
                _add_problem(operation["responses"], STATUS[refusal], refusal.code)


def _add_problem(responses: dict[str, Any], status: int, code: str) -> None:
    if known := responses.get(str(status)):
        if code not in known["description"]:
            known["description"] += f", {code}"
    else:
        responses[str(status)] = documented_problems({status: code})[status]


def _tune_garbage_collector() -> None:
    """Objects that exist after the start live for ever; collecting them again and again took a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
