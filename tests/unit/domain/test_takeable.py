"""What the lists offer is exactly what a tap would succeed on."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carrete.domain.commands import Tomar
from carrete.domain.decide import equally_takeable, inspectable, takeable
from carrete.domain.joints import JointCounts
from carrete.domain.refusals import Refusal
from carrete.domain.spool import Estado, Metrologia, Operacion, Reparacion, Spool
from carrete.domain.workers import Rol
from tests.support.builders import MATERIALES, a_spool, a_worker
from tests.support.floor import ask

ARM, SOLD, REPARACION = Operacion.ARM, Operacion.SOLD, Operacion.REPARACION
ANYBODY = a_worker(roles=Rol)

free_spools = st.builds(
    a_spool,
    total_uniones=st.sampled_from([None, 0, 1, 10]),
    fecha_materiales=st.sampled_from([None, MATERIALES]),
    armador=st.sampled_from([None, "LP(7)"]),
    soldador=st.sampled_from([None, "JS(8)"]),
    arm=st.sampled_from(Estado),
    sold=st.sampled_from(Estado),
    metrologia=st.sampled_from(Metrologia),
    reparacion=st.sampled_from(Reparacion),
    ciclo=st.integers(0, 3),
    counts=st.builds(JointCounts, rows=st.integers(0, 3), weldable=st.integers(0, 2)),
    retired=st.booleans(),
)


@settings(max_examples=500, derandomize=True, deadline=None)
@given(free_spools)
def test_the_lists_offer_exactly_what_could_be_taken(spool: Spool) -> None:
    offered = takeable(spool)
    assert (REPARACION in offered) == would_succeed(spool, REPARACION)
    if not spool.total_uniones:
        assert (ARM in offered) == would_succeed(spool, ARM)
        assert (SOLD in offered) == would_succeed(spool, SOLD)
    assert Operacion.METROLOGIA not in offered, "an inspection is instant: nobody takes it"


@settings(max_examples=500, derandomize=True, deadline=None)
@given(free_spools)
def test_the_lists_offer_a_spool_with_joints_by_rule_four(spool: Spool) -> None:
    """INICIAR has the same prerequisites, except that welding asks for an armed joint."""
    usable = not spool.retired and spool.metrologia is not Metrologia.BLOQUEADO and spool.fecha_materiales is not None
    if spool.total_uniones:
        assert (ARM in takeable(spool)) == (usable and spool.arm is not Estado.COMPLETADO)
        welding = usable and spool.sold is not Estado.COMPLETADO and spool.counts.weldable > 0
        assert (SOLD in takeable(spool)) == welding


@pytest.mark.parametrize("total_uniones", [None, 10])
def test_a_tap_that_leaves_a_spool_equally_takeable_leaves_it_in_the_same_lists(total_uniones: int | None) -> None:
    spool = a_spool(total_uniones=total_uniones, fecha_materiales=MATERIALES, counts=JointCounts(rows=10, weldable=1))
    progress = list(product(Estado, Estado, [None, "LP(7)"]))
    for metrologia, before, after in product(Metrologia, progress, progress):
        one, other = (
            spool.but(metrologia=metrologia, arm=arm, sold=sold, armador=armador)
            for arm, sold, armador in (before, after)
        )
        if equally_takeable(one, other):
            assert takeable(one) == takeable(other)
            assert inspectable(one) == inspectable(other)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(free_spools)
def test_inspection_is_offered_exactly_for_what_is_in_the_queue(spool: Spool) -> None:
    assert inspectable(spool) == (not spool.retired and spool.metrologia is Metrologia.EN_COLA)


def would_succeed(spool: Spool, operacion: Operacion) -> bool:
    try:
        return ask(Tomar, spool, ANYBODY, operacion).spool.occupation is not None
    except Refusal:
        return False
