"""The kinds of messages that an address can get, and the events of the trail that they come from."""

from __future__ import annotations

import json
from enum import StrEnum

from carrete.domain.spool import REJECTIONS_MAX


class WebhookKind(StrEnum):
    OCUPADO = "ocupado"  # a person wanted a spool that another one has
    ATRASADO = "atrasado"  # held, paused or waiting for inspection for too long
    RECHAZADO = "rechazado"
    BLOQUEADO = "bloqueado"  # the third rejection
    NDT_RECHAZADO = "ndt_rechazado"  # an examination of a weld
    CALIFICACION_POR_VENCER = "calificacion_por_vencer"  # within 30 days, by its expiry or because it is not used
    RELEVO = "relevo"  # handed over to another person
    PLANILLA_DETENIDA = "planilla_detenida"
    DISPOSITIVO_INSCRITO = "dispositivo_inscrito"
    PIN_BLOQUEADO = "pin_bloqueado"
    RESPALDO_FALLIDO = "respaldo_fallido"
    SELLO = "sello"  # the signed head of the trail, once an hour


TEST_KIND = "prueba"  # the test button's, which every address gets

# The statement `webhook_events` has the same types.
EVENT_TYPES = ("METROLOGIA_RECHAZADO", "NDT_RECHAZADO", "RELEVO")


def kinds_of_event(evento_tipo: str, metadata: str | None) -> tuple[WebhookKind, ...]:
    """The most particular first: an address that wants several of them gets one message."""
    if evento_tipo == "NDT_RECHAZADO":
        return (WebhookKind.NDT_RECHAZADO,)
    if evento_tipo == "RELEVO":
        return (WebhookKind.RELEVO,)
    if evento_tipo == "METROLOGIA_RECHAZADO":
        blocks = json.loads(metadata or "{}").get("ciclo", 0) >= REJECTIONS_MAX
        return (WebhookKind.BLOQUEADO, WebhookKind.RECHAZADO) if blocks else (WebhookKind.RECHAZADO,)
    return ()
