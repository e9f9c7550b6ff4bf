"""Tells the addresses that want it that a qualification ends within 30 days, once for each last day."""

from __future__ import annotations

from datetime import datetime
from uuid import NAMESPACE_OID, uuid5

from carrete.domain.qualification_warnings import EndingQualification, LapseReason, ending
from carrete.domain.shop import Shop
from carrete.domain.shop_time import today
from carrete.domain.workers import Worker
from carrete.ledger.database import Tx
from carrete.ledger.welding import all_qualifications, all_uses
from carrete.webhooks.kinds import WebhookKind
from carrete.webhooks.message import WebhookMessage
from carrete.webhooks.notices import notify
from carrete.webhooks.timings import OVERDUE_AT_ONCE_MAX, WebhookTimings


def notify_qualifications(tx: Tx, shop: Shop, now: datetime, timings: WebhookTimings) -> int:
    """Returns for how many messages were sent. A renewed qualification gets another when its new last day comes
    near."""
    people = {row[0]: Worker(*row[:3]) for row in tx.all("workers") if row[3]}
    announced = {tuple(row[:3]): row[3] for row in tx.all("qualifications_told")}
    found = ending(all_qualifications(tx), all_uses(tx), set(people), today(now, shop.zone))
    new = [end for end in found if announced.get(_key(end)) != end.last_day.isoformat()][:OVERDUE_AT_ONCE_MAX]
    for end in new:
        notify(tx, message_of_ending(end, people[end.qualification.worker_id].label, now), timings)
        worker_id, proceso, documento = _key(end)
        last_day = end.last_day.isoformat()
        tx.run("qualification_tell", worker_id=worker_id, proceso=proceso, documento=documento, told=last_day)
    return len(new)


def _key(end: EndingQualification) -> tuple[int, str, str]:
    one = end.qualification
    return one.worker_id, one.process, one.document


def message_of_ending(end: EndingQualification, label: str, now: datetime) -> WebhookMessage:
    one = end.qualification
    why = "vence" if end.reason is LapseReason.VENCIMIENTO else f"caduca por falta de uso de {one.process}"
    text = f"La calificación {one.document} ({one.process}) de {label} {why} el {end.last_day:%d-%m-%Y}."
    data = {
        "worker_id": one.worker_id,
        "worker": label,
        "proceso": one.process,
        "documento": one.document,
        "causa": end.reason,
        "ultimo_dia": end.last_day.isoformat(),
    }
    id_ = uuid5(NAMESPACE_OID, "\n".join((str(one.worker_id), one.process, one.document, end.last_day.isoformat())))
    return WebhookMessage(f"cal_{id_}", WebhookKind.CALIFICACION_POR_VENCER.value, now, text, None, None, data)
