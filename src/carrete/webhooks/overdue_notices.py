"""Tells the addresses that want it when a spool becomes overdue, once for each stay in a stage. It changes nothing."""

from __future__ import annotations

from datetime import datetime
from uuid import NAMESPACE_OID, uuid5
from zoneinfo import ZoneInfo

from carrete.domain.overdue import Overdue, TipoAtraso
from carrete.domain.shop import Shop
from carrete.domain.shop_time import iso
from carrete.domain.spool import Spool
from carrete.ledger.database import Tx
from carrete.ledger.overdue import became_overdue
from carrete.ledger.values import instant_text
from carrete.webhooks.kinds import WebhookKind
from carrete.webhooks.message import WebhookMessage
from carrete.webhooks.notices import notify
from carrete.webhooks.timings import OVERDUE_AT_ONCE_MAX, WebhookTimings

_WHAT = {
    TipoAtraso.OCUPADO: "ocupado",
    TipoAtraso.PAUSADO: "en pausa",
    TipoAtraso.EN_COLA: "en cola de inspección",
}


def notify_overdue(tx: Tx, shop: Shop, now: datetime, timings: WebhookTimings) -> int:
    """Of every spool whose limit passed since the last call, at most a day ago; returns how many. The first call only
    begins to look: what was overdue before has been on the supervisor's page all the time."""
    row = tx.one("webhook_overdue_seen")
    tx.run("webhook_overdue_told", at=instant_text(now))
    if not row or not row[0]:
        return 0
    after = max(datetime.fromisoformat(row[0]), now - timings.give_up())
    found = became_overdue(tx, shop.overdue, after, now, OVERDUE_AT_ONCE_MAX)
    for spool, late in found:
        notify(tx, message_of_overdue(spool, late, shop.zone, now), timings)
    return len(found)


def message_of_overdue(spool: Spool, late: Overdue, zone: ZoneInfo, now: datetime) -> WebhookMessage:
    """The id is made of the spool, the stage and its beginning: the same stay has the same id."""
    limit, held = late.limit, spool.occupation
    what = f"{_WHAT[limit.tipo]} por {held.label}" if held else _WHAT[limit.tipo]
    text = f"{spool.tag} está atrasado: {limit.operacion} {what} desde hace {late.hours} h (límite {limit.hours} h)."
    data = {
        "tipo": limit.tipo,
        "operacion": limit.operacion,
        "desde": iso(late.since, zone),
        "horas": late.hours,
        "limite": limit.hours,
        "ocupado_por": held.label if held else None,
    }
    stay = uuid5(NAMESPACE_OID, f"{spool.tag}\n{spool.stage}\n{instant_text(late.since)}")
    return WebhookMessage(f"atr_{stay}", WebhookKind.ATRASADO.value, now, text, spool.tag, None, data)
