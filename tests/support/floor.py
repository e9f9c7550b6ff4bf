"""Decides by the rules alone: a command on one spool for one worker, without any ledger."""

from __future__ import annotations

from datetime import date, datetime

import pytest

from carrete.domain.change import Change
from carrete.domain.commands import Cancelar, Completar, Pausar, Tomar, Work
from carrete.domain.decide import Case, decide
from carrete.domain.refusals import Refusal
from carrete.domain.shop import Shop
from carrete.domain.spool import Operacion, Spool
from carrete.domain.workers import Worker
from tests.support.builders import NOW, SHOP, TAG

LOCK = "93:0f4a2c9e-7a51-4f0e-9d5e-3a1f8f6b2c77:16-11-2026 10:30:00"

ENDINGS: tuple[type[Work], ...] = (Pausar, Completar, Cancelar)
EVERYTHING: tuple[type[Work], ...] = (Tomar, *ENDINGS)


def ask(
    kind: type[Work],
    spool: Spool | None,
    worker: Worker | None,
    operacion: Operacion = Operacion.ARM,
    *,
    version: str | None = None,
    fecha: date | None = None,
    now: datetime = NOW,
    shop: Shop = SHOP,
    lock: str = LOCK,
) -> Change:
    tag = spool.tag if spool else TAG
    worker_id = worker.id if worker else 404
    command = kind(tag, worker_id, operacion, version=version)
    if fecha is not None:
        command = Completar(tag, worker_id, operacion, fecha, version=version)
    return decide(command, Case(spool, worker, now, shop, lock))


def refusal(
    kind: type[Work],
    spool: Spool | None,
    worker: Worker | None,
    operacion: Operacion = Operacion.ARM,
    *,
    version: str | None = None,
) -> Refusal:
    """The refusal of the command; the test fails when it succeeds."""
    with pytest.raises(Refusal) as refused:
        ask(kind, spool, worker, operacion, version=version)
    return refused.value
