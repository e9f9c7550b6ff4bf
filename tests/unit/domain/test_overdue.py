"""Held, paused or waiting for inspection for longer than the shop's limit."""

from __future__ import annotations

from datetime import timedelta

import pytest

from carrete.domain.overdue import Limit, TipoAtraso, limit_of, overdue
from carrete.domain.overdue_limits import OperationHours, OverdueLimits
from carrete.domain.spool import Estado, Operacion, Reparacion, Spool
from carrete.domain.stage import in_its_stage
from tests.support.builders import NOW, a_finished_spool, a_rejected_spool, a_spool, a_worker, an_armed_spool, held

ARM, SOLD, METROLOGIA, REPARACION = Operacion
LIMITS = OverdueLimits(OperationHours(1, 2, 3), OperationHours(4, 5, 6), 7)
MR = a_worker()


def lasting(spool: Spool, hours: float) -> Spool:
    since = NOW - timedelta(hours=hours)
    if spool.occupation:
        spool = held(spool.but(occupation=None), MR, spool.occupation.operacion, since)
    return in_its_stage(spool, since)


@pytest.mark.parametrize(
    ("spool", "limit"),
    [
        (held(a_spool(), MR, ARM), Limit(TipoAtraso.OCUPADO, ARM, 1)),
        (held(an_armed_spool(), MR, SOLD), Limit(TipoAtraso.OCUPADO, SOLD, 2)),
        (held(a_rejected_spool(), MR, REPARACION), Limit(TipoAtraso.OCUPADO, REPARACION, 3)),
        (a_spool(arm=Estado.PAUSADO, armador="MR(93)"), Limit(TipoAtraso.PAUSADO, ARM, 4)),
        (an_armed_spool(sold=Estado.PAUSADO), Limit(TipoAtraso.PAUSADO, SOLD, 5)),
        (a_rejected_spool(reparacion=Reparacion.PAUSADO), Limit(TipoAtraso.PAUSADO, REPARACION, 6)),
        (a_finished_spool(), Limit(TipoAtraso.EN_COLA, METROLOGIA, 7)),
    ],
)
def test_each_has_a_limit_of_its_own(spool: Spool, limit: Limit) -> None:
    assert overdue(lasting(spool, limit.hours), LIMITS, NOW) is None, "at the limit it is not overdue yet"
    late = overdue(lasting(spool, limit.hours + 0.5), LIMITS, NOW)
    assert late is not None
    assert (late.limit, late.hours) == (limit, limit.hours + 0.5)
    assert late.since == NOW - timedelta(hours=limit.hours + 0.5)


@pytest.mark.parametrize("spool", [a_spool(), an_armed_spool(), a_rejected_spool(), a_spool(fecha_materiales=None)])
def test_what_waits_to_be_begun_is_never_overdue(spool: Spool) -> None:
    assert overdue(lasting(spool, 10_000), LIMITS, NOW) is None


def test_a_limit_of_zero_means_never() -> None:
    never = OverdueLimits(OperationHours(0, 0, 0), OperationHours(0, 0, 0), 0)
    for spool in (held(a_spool(), MR), an_armed_spool(sold=Estado.PAUSADO), a_finished_spool()):
        assert overdue(lasting(spool, 10_000), never, NOW) is None


def test_where_two_operations_are_paused_the_shorter_limit_counts() -> None:
    both = "pausa:ARM pausa:SOLD"
    assert limit_of(both, LIMITS) == Limit(TipoAtraso.PAUSADO, ARM, 4)
    without_arm = OverdueLimits(LIMITS.held, OperationHours(0, 5, 6), 7)
    assert limit_of(both, without_arm) == Limit(TipoAtraso.PAUSADO, SOLD, 5)


def test_a_typed_start_counts_as_the_start() -> None:
    spool = held(a_spool(), MR, ARM, NOW - timedelta(hours=30))
    late = overdue(in_its_stage(spool, NOW), LIMITS, NOW)
    assert late is not None
    assert late.hours == 30
