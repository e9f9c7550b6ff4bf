"""One message to an address: its facts, and a Spanish sentence for people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from carrete.domain.shop_time import whole_second
from carrete.domain.spool import REJECTIONS_MAX
from carrete.ledger.columns import EVENT
from carrete.ledger.database import Row
from carrete.ledger.tokens import fresh_token
from carrete.webhooks.kinds import TEST_KIND, WebhookKind

_PRIVATE = ("via",)  # parts of an event's metadata that name devices, sessions and tokens


@dataclass(frozen=True, slots=True)
class WebhookMessage:
    """`id` is the same at every attempt and for every address. `seq` is None for what is no event of a spool."""

    id: str
    kind: str
    at: datetime
    text: str
    tag: str | None = None
    seq: int | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


def new_message(
    kind: WebhookKind, text: str, at: datetime, tag: str | None = None, data: Mapping[str, Any] | None = None
) -> WebhookMessage:
    return WebhookMessage(f"avi_{fresh_token()}", kind.value, at, text, tag, None, data or {})


def message_of_conflict(tag: str, worker_id: int, context: Mapping[str, Any]) -> WebhookMessage:
    """`context` is what the refusal SPOOL_OCCUPIED says of the holder."""
    text = f"{tag}: lo quiso usar ({worker_id}) y lo tiene {context['owner']} para {context['operacion']}."
    data = {"code": "SPOOL_OCCUPIED", "worker_id": worker_id, **context}
    return new_message(WebhookKind.OCUPADO, text, whole_second(datetime.now(UTC)), tag, data)


def message_of_test(name: str, at: datetime) -> WebhookMessage:
    return WebhookMessage(f"pru_{fresh_token()}", TEST_KIND, at, f"Prueba de Carrete para {name}: si lee esto, llega.")


def message_of_event(row: Row, kind: WebhookKind) -> WebhookMessage:
    """The event's own id is a part of the message's: a ledger that was restored from a copy gives seqs again."""
    event = dict(zip(EVENT, row, strict=True))
    metadata = json.loads(event["metadata"] or "{}")
    data = {
        "evento_tipo": event["evento_tipo"],
        "operacion": event["operacion"],
        "accion": event["accion"],
        "worker_id": event["worker_id"],
        "worker": event["worker"],
        "n_union": event["n_union"],
        "ocupado_por": event["ocupado_por"],
        "estado_detalle": event["estado_detalle"],
        "version_workflow": event["workflow"],
        "metadata": {name: value for name, value in metadata.items() if name not in _PRIVATE},
    }
    text = _sentence(kind, event, metadata)
    at = datetime.fromisoformat(event["at"])
    return WebhookMessage(f"evt_{event['id']}", kind.value, at, text, event["tag"], int(event["seq"]), data)


def _sentence(kind: WebhookKind, event: Mapping[str, Any], metadata: Mapping[str, Any]) -> str:
    tag, worker = event["tag"], event["worker"] or "alguien"
    match kind:
        case WebhookKind.BLOQUEADO:
            return f"{tag} quedó bloqueado: {worker} lo rechazó por tercera vez. Lo desbloquea un supervisor."
        case WebhookKind.RECHAZADO:
            return f"{tag} fue rechazado por {worker} (rechazo {metadata.get('ciclo', 1)} de {REJECTIONS_MAX})."
        case WebhookKind.NDT_RECHAZADO:
            where = f"la unión {event['n_union']} de {tag}" if event["n_union"] else tag
            return f"{metadata.get('metodo', 'NDT')} rechazado en {where} por {worker}: hay que reparar."
        case WebhookKind.RELEVO:
            return f"{tag} cambió de manos: ahora lo tiene {event['ocupado_por'] or worker}."
    return f"{tag}: {event['estado_detalle']}"
