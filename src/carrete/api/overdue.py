"""`atraso` in answers about a spool: how it is overdue, or null."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from carrete.domain.overdue import Overdue, overdue
from carrete.domain.shop import Shop
from carrete.domain.shop_time import iso
from carrete.domain.spool import Spool


def overdue_json(spool: Spool, shop: Shop, now: datetime | None) -> dict[str, Any] | None:
    """`now` is None in a copy that is kept for later: what is overdue then is not known yet."""
    late = overdue(spool, shop.overdue, now) if now else None
    return late_json(late, shop) if late else None


def late_json(late: Overdue, shop: Shop) -> dict[str, Any]:
    return {
        "tipo": late.limit.tipo,
        "operacion": late.limit.operacion,
        "desde": iso(late.since, shop.zone),
        "horas": late.hours,
        "limite": late.limit.hours,
    }
