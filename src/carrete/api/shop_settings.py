"""Routes of the shop's own settings: what is in force, who changed what, and a test of the webhook."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request

from carrete.addresses import without_secrets
from carrete.api.administration import (
    acting_roles,
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
from carrete.api.schemas.devices import EmptyBody
from carrete.api.schemas.shop_settings import (
    SettingHistoryOut,
    SettingsInForceOut,
    ShopSettingsBody,
    WebhookTestOut,
)
from carrete.api.server.gatekeeper import author_of
from carrete.domain.refusals import NotValid
from carrete.domain.shop_time import iso, whole_second
from carrete.domain.workers import Rol
from carrete.identity.refusals import PinRequired
from carrete.ledger.database import Tx
from carrete.services import Services
from carrete.shop_settings import change, fixed_by_machine, history, require_not_fixed
from carrete.shop_settings.store import PAGE_MAX

LIMIT_DEFAULT = 50
_TAG = "ajustes"
_REFUSALS = {403: "PERMISO_INSUFICIENTE, PIN_REQUERIDO", 409: "AJUSTE_FIJADO"}
_WEBHOOK = "webhook_conflictos"


def add(app: FastAPI, services: Services) -> None:
    _add_settings(app, services)
    _add_history(app, services)
    _add_webhook_test(app, services)


def _add_settings(app: FastAPI, services: Services) -> None:
    @app.get("/api/ajustes", **reading(SettingsInForceOut, _TAG))
    async def settings_in_force(request: Request) -> Json:
        """Los ajustes del taller que valen ahora, y cuáles fija el servidor."""
        return await _in_force(request, services)

    @app.post("/api/ajustes", **changing(SettingsInForceOut, ShopSettingsBody, _TAG, _REFUSALS))
    async def change_settings(request: Request) -> Json:
        """Cambia los ajustes que trae el cuerpo. Valen en todo el servidor en 5 segundos, sin reiniciar."""
        changes = (await body_of(ShopSettingsBody, request)).changes()
        author = change_author(request)
        require_not_fixed(services.settings, changes)
        await _require_pin_for_address(request, services, changes)
        await write(services, lambda tx: change(tx, changes, author.by_id, author.at))
        await services.shop_settings.renew()
        return await _in_force(request, services)


async def _require_pin_for_address(request: Request, services: Services, changes: Mapping[str, Any]) -> None:
    """An address gets what happens in the shop, and makes this server send requests to it: as for other webhooks, a
    screen that was left open is not enough to change it. Removing it is."""
    author = author_of(request.scope)
    if author and changes.get(_WEBHOOK) and not await services.identity.lookups.has_fresh_pin(author.session):
        raise PinRequired


async def _in_force(request: Request, services: Services) -> Json:
    last, names = await services.read(_last_change)
    fixed, shop = fixed_by_machine(services.settings), services.shop
    values = services.shop_settings.current.to_json()
    if _WEBHOOK in fixed or Rol.ADMINISTRADOR not in acting_roles(request):
        values[_WEBHOOK] = without_secrets(values[_WEBHOOK])
    return Json(
        {
            "ajustes": values,
            "fijados": fixed,
            "cambiado_en": shown_instant(last.at, shop) if last else None,
            "cambiado_por": label_of(names, last.by_id) if last else None,
        }
    )


def _last_change(tx: Tx) -> Any:
    changes = history(tx, limit=1).changes
    return (changes[0] if changes else None), labels(tx)


def _add_history(app: FastAPI, services: Services) -> None:
    @app.get("/api/ajustes/historial", **reading(SettingHistoryOut, _TAG))
    async def setting_history(
        cursor: Annotated[int | None, Query(ge=1, le=2**62)] = None,
        limit: Annotated[int, Query(ge=1, le=PAGE_MAX)] = LIMIT_DEFAULT,
    ) -> Json:
        """Quién cambió qué y cuándo. Lo más nuevo primero."""
        page, names = await services.read(lambda tx: (history(tx, cursor, limit), labels(tx)))
        shop = services.shop
        changes = [
            {
                "at": shown_instant(each.at, shop),
                "por": each.by_id,
                "por_label": label_of(names, each.by_id),
                "ajuste": each.name,
                "antes": each.before,
                "despues": each.after,
            }
            for each in page.changes
        ]
        return Json({"cambios": changes, "next_cursor": str(page.next_before) if page.next_before else None})


def _add_webhook_test(app: FastAPI, services: Services) -> None:
    @app.post("/api/ajustes/webhook/probar", **changing(WebhookTestOut, EmptyBody, _TAG))
    async def test_webhook(request: Request) -> Json:
        """Envía un conflicto de prueba a la dirección guardada, una vez, y dice qué respondió."""
        from carrete.webhook import post_once  # imports an HTTP client, which few shops need

        await body_of(EmptyBody, request)
        await services.shop_settings.renew()
        url = services.shop_settings.current.conflict_webhook
        if not url:
            raise NotValid([{"campo": _WEBHOOK, "motivo": "no hay una dirección guardada."}])
        at = iso(whole_second(datetime.now(UTC)), services.shop.zone)
        status, reason = await post_once(url, {"code": "PRUEBA", "at": at})
        if status is None:
            return Json({"estado": None, "ok": False, "mensaje": f"No se pudo entregar: {reason}."})
        ok = 200 <= status < 300
        sentence = f"Respondió {status}." if ok else f"Respondió {status}, que no es un éxito."
        return Json({"estado": status, "ok": ok, "mensaje": sentence})
