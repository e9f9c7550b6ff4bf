"""Routes of the Google workbook for administrators: key, test, preview of the first connection, connect, disconnect."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from typing import Any, TypeVar

import structlog
from fastapi import FastAPI, Request

from carrete.api.actions import require_json, whole_body
from carrete.api.administration import body_of, change_author, changing, reading, write
from carrete.api.documented_body import documented_body
from carrete.api.planilla import TAG, summary_json
from carrete.api.responses import Json
from carrete.api.schemas.devices import EmptyBody
from carrete.api.schemas.planilla import (
    GoogleConnectionOut,
    GoogleKeyBody,
    GoogleKeyOut,
    GooglePreviewOut,
    GoogleTestOut,
    SheetAddressBody,
)
from carrete.domain.refusals import NotValid
from carrete.identity.access_events import AccessKind, record
from carrete.ledger import open_database
from carrete.ledger.database import Database, Tx
from carrete.ledger.migrate import known_schema
from carrete.services import Services
from carrete.settings import Settings
from carrete.sheets.key_file import account_of
from carrete.sheets.refusals import GoogleDenies, KeyFixed
from carrete.sheets.rows import storage
from carrete.sheets.status import SyncStatus, sync_status
from carrete.shop_settings import change, fixed_by_machine, require_not_fixed
from carrete.shop_settings.values import ShopSettings, changed
from carrete.uploads.upload import UploadSummary
from carrete.workbook.report import ImportReport

T = TypeVar("T")
log = structlog.get_logger()

SETTING = "google_sheet"
PROBLEMS_SHOWN_MAX = 100
_ADDRESS = "https://docs.google.com/spreadsheets/d/{}/edit"
_REFUSALS = {409: "GOOGLE_NO_PERMITE, AJUSTE_FIJADO", 503: "GOOGLE_NO_RESPONDE, LEDGER_UNAVAILABLE"}


def add(app: FastAPI, services: Services) -> None:
    _add_looking(app, services)
    _add_trying(app, services)
    _add_connecting(app, services)


def _add_looking(app: FastAPI, services: Services) -> None:
    @app.get("/api/planilla/google", **reading(GoogleConnectionOut, TAG))
    async def connection() -> Json:
        """Con qué planilla de Google está conectado el taller, y cómo va."""
        return Json(await _connection_json(services))

    @app.post("/api/planilla/google/clave", **_key_documented())
    async def store_key(request: Request) -> Json:
        """Guarda la clave de la cuenta de servicio: el archivo JSON tal como Google lo da."""
        from carrete.sheets import administration

        require_json(request.headers.get("content-type", "").encode("latin-1"))
        info = _json_object(await whole_body(request.receive))
        if services.settings.google_credentials:
            raise KeyFixed
        email = await asyncio.to_thread(administration.store_key, services.settings, info)
        author = change_author(request)
        kind, by_id, address = AccessKind.CLAVE_DE_GOOGLE, author.by_id, author.address
        await write(services, lambda tx: record(tx, kind, at=author.at, by_id=by_id, address=address, detail=email))
        log.info("the key of the Google workbook was replaced", account=email, by=author.by_id)
        return Json({"cuenta": email})


def _add_trying(app: FastAPI, services: Services) -> None:
    @app.post("/api/planilla/google/probar", **changing(GoogleTestOut, SheetAddressBody, TAG, _REFUSALS))
    async def test(request: Request) -> Json:
        """Abre la planilla y prueba si se puede escribir en ella. Nada cambia."""
        from carrete.sheets import administration

        settings = await _settings_for(services, request)
        found = await asyncio.to_thread(administration.test, settings)
        return Json({"titulo": found.title, "hojas": found.tabs, "puede_escribir": found.writable})

    @app.post("/api/planilla/google/previa", **changing(GooglePreviewOut, SheetAddressBody, TAG, _REFUSALS))
    async def preview(request: Request) -> Json:
        """Qué haría conectar esta planilla. Nada cambia."""
        from carrete.sheets import administration

        settings = await _settings_for(services, request)
        report, lines = await _with_database(services, lambda database: administration.preview(settings, database))
        problems = [str(problem) for problem in report.problems[:PROBLEMS_SHOWN_MAX]]
        return Json({"resumen": summary_json(_summary(report)), "lineas": lines, "problemas": problems})


def _add_connecting(app: FastAPI, services: Services) -> None:
    @app.post("/api/planilla/google/conectar", **changing(GoogleConnectionOut, SheetAddressBody, TAG, _REFUSALS))
    async def connect(request: Request) -> Json:
        """Conecta la planilla: desde ahora se lee y se escribe sola, en todos los procesos, sin reiniciar."""
        from carrete.sheets import administration

        settings = await _settings_for(services, request)
        require_not_fixed(services.settings, [SETTING])
        workbook, author = settings.google_sheet_id, change_author(request)
        await services.read(lambda tx: _require_free(tx, services.shop_settings.current.google_sheet, workbook))
        title = await _with_database(services, lambda database: administration.connect(settings, database))

        def store(tx: Tx) -> None:
            change(tx, {SETTING: workbook}, author.by_id, author.at)
            tx.run("setting_put", name=storage.TITLE, value=title)

        await write(services, store)
        await services.shop_settings.renew()
        return Json(await _connection_json(services))

    @app.post("/api/planilla/google/desconectar", **changing(GoogleConnectionOut, EmptyBody, TAG, _REFUSALS))
    async def disconnect(request: Request) -> Json:
        """Deja de leer y escribir la planilla. La planilla y el registro quedan como están."""
        await body_of(EmptyBody, request)
        require_not_fixed(services.settings, [SETTING])
        author = change_author(request)
        await write(services, lambda tx: change(tx, {SETTING: ""}, author.by_id, author.at))
        await services.shop_settings.renew()
        return Json(await _connection_json(services))


def _require_free(tx: Tx, current: str, workbook: str) -> None:
    """The lanes of all processes must have let go of another workbook: what they remember of it is forgotten."""
    if current and current != workbook:
        raise GoogleDenies("Ya hay otra planilla conectada: desconéctela primero.")
    connected = storage.setting(tx, storage.CONNECTED)
    if connected and connected != workbook and sync_status(tx, connected, datetime.now(UTC)).running:
        raise GoogleDenies("La planilla anterior todavía se está soltando: espere medio minuto y repita.")


async def _settings_for(services: Services, request: Request) -> Settings:
    """The settings with the workbook that the body names, and with the shop's values in force."""
    address = (await body_of(SheetAddressBody, request)).direccion
    try:
        workbook = changed(ShopSettings(), {SETTING: address}).google_sheet
    except NotValid as error:
        raise NotValid([{"campo": "direccion", "motivo": error.context["errors"][0]["motivo"]}]) from None
    if not workbook:
        raise NotValid([{"campo": "direccion", "motivo": "falta."}])
    current = services.shop_settings.current
    values = {"google_sheet_id": workbook, "timezone": current.timezone, "arm_only_types": current.arm_only_types}
    return services.settings.model_copy(update=values)


async def _with_database(services: Services, work: Callable[[Database], T]) -> T:
    """In a thread, with a connection of its own: that of the process belongs to its writer thread."""

    def run() -> T:
        with closing(open_database(services.settings.ledger_url)) as database:
            database.schema = known_schema()  # this process has migrated it
            return work(database)

    return await asyncio.to_thread(run)


def _json_object(raw: bytes) -> dict[str, Any]:
    try:
        info = json.loads(raw)
    except (ValueError, RecursionError):  # the latter: nested too deeply
        info = None
    if not isinstance(info, dict):
        raise NotValid([{"campo": "cuerpo", "motivo": "debe ser el archivo JSON de la clave."}])
    return info


def _summary(report: ImportReport) -> UploadSummary:
    counts = report.counts
    return UploadSummary(
        new=sum(count.new for count in counts),
        changed=sum(count.changed for count in counts),
        refused=len({(problem.sheet, problem.row) for problem in report.problems}),
        unchanged=sum(count.unchanged for count in counts),
        notices=len(report.notices) + len(report.conflicts),
    )


# ─── the connection as JSON ───────────────────────────────────────────────────────────────────────────────────


async def _connection_json(services: Services) -> dict[str, Any]:
    workbook = services.shop_settings.current.google_sheet
    found, title = await services.read(
        lambda tx: (sync_status(tx, workbook, datetime.now(UTC)), storage.setting(tx, storage.TITLE))
    )
    connected = bool(workbook) and found.connected == workbook
    return {
        "conectada": connected,
        "hoja": _sheet_json(workbook, title if connected else "") if workbook else None,
        "cuenta": await asyncio.to_thread(account_of, services.settings),
        "fijado": SETTING in fixed_by_machine(services.settings),
        "estado": _state(found, workbook),
    }


def _sheet_json(workbook: str, title: str) -> dict[str, str]:
    return {"id": workbook, "titulo": title, "direccion": _ADDRESS.format(workbook)}


def _state(found: SyncStatus, workbook: str) -> str:
    if not workbook:
        return "Sin planilla de Google."
    if reason := found.stats.get("reason"):
        return str(reason)
    if found.freezes:
        return "Hay hojas detenidas: un supervisor decide en Sincronización."
    if not found.running:
        return "Empieza en unos segundos."
    waiting = found.rows_waiting + found.events_waiting
    return f"Sincronizando: {waiting} filas por escribir." if waiting else "Al día."


def _key_documented() -> dict[str, Any]:
    documented = changing(GoogleKeyOut, EmptyBody, TAG, _REFUSALS)
    return {**documented, "openapi_extra": documented_body(GoogleKeyBody)}
