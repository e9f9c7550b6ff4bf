"""Routes of the copies of the ledger and of the server's keys, for administrators."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import FastAPI, Request
from fastapi import Path as PathParameter
from starlette.responses import FileResponse

from carrete.api.actions import documented_problems
from carrete.api.administration import body_of, change_author, changing, reading, write
from carrete.api.responses import Json
from carrete.api.schemas.backups import BackupList, KeysBackupBody
from carrete.api.schemas.devices import EmptyBody
from carrete.api.server.head_requests import is_by_head
from carrete.backups.errors import BackupFailed, BackupNotMade
from carrete.backups.folder import BACKUP_NAME, KEYS_NAME, Backup, regular_file
from carrete.backups.keys import KeysBackup, keys_backup, write_keys_file
from carrete.backups.schedule import next_night
from carrete.backups.status import BackupStatus
from carrete.domain.shop import Shop
from carrete.domain.shop_time import iso, whole_second
from carrete.identity.access_events import AccessKind, record
from carrete.identity.refusals import RecordUnknown
from carrete.services import Services

WAIT_S_MAX = 20.0  # a proxy waits 30 s; a copy that takes longer goes on, and the page sees it in the list
_TAG = "respaldos"
_REFUSALS = {409: "RESPALDO_EN_CURSO", 503: "RESPALDO_FALLIDO, LEDGER_UNAVAILABLE"}

BackupFileName = Annotated[str, PathParameter(pattern=f"^{BACKUP_NAME.pattern}$")]
KeysFileName = Annotated[str, PathParameter(pattern=f"^{KEYS_NAME.pattern}$")]


def add(app: FastAPI, services: Services) -> None:
    _add_copies(app, services)
    _add_keys(app, services)


def _add_copies(app: FastAPI, services: Services) -> None:
    @app.get("/api/respaldos", **reading(BackupList, _TAG))
    async def list_backups() -> Json:
        """Los respaldos del registro que hay en la carpeta, el último, y cuándo se hace el próximo."""
        return Json(await _list_json(services))

    @app.post("/api/respaldos", **changing(BackupList, EmptyBody, _TAG, _REFUSALS))
    async def make(request: Request) -> Json:
        """Hace un respaldo ahora. Si tarda más de 20 segundos sigue solo, y la lista dice `en_curso`."""
        await body_of(EmptyBody, request)
        await services.backups.make_on_request(WAIT_S_MAX)
        return Json(await _list_json(services))

    @app.get("/api/respaldos/{archivo}", **_download())
    async def download(archivo: BackupFileName, request: Request) -> FileResponse:
        """Un respaldo, para guardarlo en otra parte. Tiene todo el registro menos las fotos, que están en la carpeta
        `fotos` junto a los respaldos. Queda escrito quién lo bajó."""
        return await _sent(services, archivo, request)


def _add_keys(app: FastAPI, services: Services) -> None:
    @app.post("/api/respaldos/claves", **changing(BackupList, KeysBackupBody, _TAG, {503: _REFUSALS[503]}))
    async def make_keys(request: Request) -> Json:
        """Las claves del servidor en un archivo cifrado con la frase. La frase no se guarda."""
        body, author = await body_of(KeysBackupBody, request), change_author(request)
        settings = services.settings
        try:
            file = await asyncio.to_thread(
                write_keys_file, settings.data, settings.backup_folder, body.frase, author.at
            )
        except BackupFailed as error:
            raise BackupNotMade(error.words.es) from None
        await _record(services, AccessKind.CLAVES_RESPALDADAS, file.name, request)
        return Json(await _list_json(services))

    @app.get("/api/respaldos/claves/{archivo}", **_download())
    async def download_keys(archivo: KeysFileName, request: Request) -> FileResponse:
        """El archivo cifrado de las claves. Guárdelo lejos de los respaldos."""
        return await _sent(services, archivo, request)


async def _sent(services: Services, name: str, request: Request) -> FileResponse:
    file = await asyncio.to_thread(regular_file, services.settings.backup_folder, name)
    if file is None:
        raise RecordUnknown(f"No hay ningún archivo {name} en la carpeta de respaldos.")
    if not is_by_head(request.scope):
        await _record(services, AccessKind.RESPALDO_DESCARGADO, name, request)
    return FileResponse(file, media_type="application/octet-stream", filename=name)


async def _record(services: Services, kind: AccessKind, name: str, request: Request) -> None:
    author = change_author(request)
    await write(
        services,
        lambda tx: record(tx, kind, at=author.at, by_id=author.by_id, address=author.address, detail=name),
    )


async def _list_json(services: Services) -> dict[str, Any]:
    status = await services.backups.look()
    settings, shop = services.settings, services.shop
    keys = await asyncio.to_thread(keys_backup, settings.data, settings.backup_folder)
    return {
        "carpeta": str(status.folder),
        "respaldos": [_backup_json(backup, shop) for backup in status.backups],
        "ultimo_en": iso(status.last_at, shop.zone) if status.last_at else None,
        "edad_s": None if status.age_s is None else int(status.age_s),
        "vencido": status.is_late,
        "en_curso": status.run.is_running(datetime.now(UTC)),
        "error": _failure_json(status, shop),
        "claves": keys and _keys_json(keys, shop),
        "proximo_en": iso(next_night(whole_second(status.at), shop.zone), shop.zone),
    }


def _backup_json(backup: Backup, shop: Shop) -> dict[str, Any]:
    return {
        "archivo": backup.file.name,
        "bytes": backup.bytes,
        "hecho_en": iso(backup.made_at, shop.zone),
        "motor": backup.engine,
        "eventos": backup.events,
        "ultimo_seq": backup.last_seq,
    }


def _failure_json(status: BackupStatus, shop: Shop) -> dict[str, Any] | None:
    failure = status.run.failure
    return {"texto": failure.words.es, "en": iso(whole_second(failure.at), shop.zone)} if failure else None


def _keys_json(keys: KeysBackup, shop: Shop) -> dict[str, Any]:
    return {"archivo": keys.file.name, "hecho_en": iso(keys.made_at, shop.zone), "al_dia": keys.up_to_date}


def _download() -> dict[str, Any]:
    """How a route that answers a file is documented."""
    codes = {
        401: "SESION_REQUERIDA, DISPOSITIVO_NO_INSCRITO",
        403: "PERMISO_INSUFICIENTE",
        404: "NO_ENCONTRADO",
        422: "DATOS_INVALIDOS",
        503: "LEDGER_UNAVAILABLE",
    }
    content = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    return {
        "response_class": FileResponse,
        "responses": {200: {"content": content, "description": "El archivo"}, **documented_problems(codes)},
        "tags": [_TAG],
    }
