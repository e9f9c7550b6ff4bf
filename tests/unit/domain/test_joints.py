"""Joints: how many there are, how many are done, how many an operation needs, and their inches."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from carrete.domain.joints import Joint, JointCounts, count, inches, milli_from
from carrete.domain.progress import inconsistencies, joints_done, joints_needed
from carrete.domain.shop import Shop
from carrete.domain.spool import Metrologia, Operacion, Spool
from carrete.domain.version import Workflow, workflow
from tests.support.builders import NOW, SHOP, a_joint, a_spool

ARM, SOLD = Operacion.ARM, Operacion.SOLD


def armed(n: int, **facts: Any) -> Joint:
    return a_joint(n, arm_fin=NOW, arm_worker="MR(93)", **facts)


def welded(n: int, **facts: Any) -> Joint:
    return a_joint(n, arm_fin=NOW, arm_worker="MR(93)", sol_fin=NOW, sol_worker="JS(8)", **facts)


def with_joints(joints: list[Joint], total: int | None = None, shop: Shop = SHOP) -> Spool:
    return a_spool(total_uniones=len(joints) if total is None else total, counts=count(joints, shop))


@pytest.mark.parametrize(
    ("total", "expected"),
    [(None, Workflow.V3), (0, Workflow.V3), (1, Workflow.V4), (10, Workflow.V4)],
)
def test_a_spool_with_joints_is_worked_joint_by_joint_and_one_without_as_a_whole(
    total: int | None, expected: Workflow
) -> None:
    assert workflow(a_spool(total_uniones=total)) is expected


def test_total_uniones_decides_even_where_the_rows_differ() -> None:
    assert workflow(with_joints([a_joint(1), a_joint(2)], total=0)) is Workflow.V3
    assert workflow(a_spool(total_uniones=3, counts=JointCounts())) is Workflow.V4


def test_a_total_that_is_no_number_is_v3_and_is_reported() -> None:
    spool = a_spool(total_uniones=None, total_uniones_text="diez")
    assert workflow(spool) is Workflow.V3
    assert any("diez" in sentence for sentence in inconsistencies(spool))


def test_rows_that_differ_from_the_total_are_reported() -> None:
    assert inconsistencies(with_joints([a_joint(1), a_joint(2)], total=3)) != []
    assert inconsistencies(with_joints([a_joint(1), a_joint(2)])) == []


def test_an_approved_spool_with_open_joints_is_reported_as_inconsistent() -> None:
    spool = replace(with_joints([welded(1), armed(2)]), metrologia=Metrologia.APROBADO)
    assert any("SOLD" in sentence for sentence in inconsistencies(spool))
    assert not any("ARM " in sentence for sentence in inconsistencies(spool))


def test_joints_are_counted_by_what_was_done_on_them() -> None:
    joints = [a_joint(1), armed(2), armed(3, tipo="FW"), welded(4)]
    assert count(joints, SHOP) == JointCounts(
        rows=4, arm_only=1, armed=3, welded=1, weldable=1, milli_armed=12_000, milli_welded=4_000
    )


def test_a_retired_joint_counts_for_nothing() -> None:
    assert count([welded(1, retired=True)], SHOP) == JointCounts()


def test_an_arm_only_joint_needs_no_weld_and_offers_none() -> None:
    counts = count([armed(1, tipo="FW")], SHOP)
    assert (counts.armed, counts.weldable, counts.welded) == (1, 0, 0)


def test_a_weld_on_an_arm_only_joint_is_no_progress() -> None:
    """Or three welds, one of them on a joint that needs none, would complete a spool that needs three."""
    counts = count([welded(1, tipo="FW"), welded(2)], SHOP)
    assert (counts.welded, counts.milli_welded) == (1, 4_000)


@pytest.mark.parametrize("tipo", ["FW", "fw", " Fw "])
def test_arm_only_types_are_recognised_however_they_are_typed(tipo: str) -> None:
    assert count([a_joint(1, tipo=tipo)], SHOP).arm_only == 1


@pytest.mark.parametrize("tipo", ["BW", "XYZ", "", None])
def test_an_unknown_type_needs_welding(tipo: str | None) -> None:
    assert count([a_joint(1, tipo=tipo)], SHOP).arm_only == 0


def test_a_shop_chooses_its_own_arm_only_types() -> None:
    shop = Shop(arm_only_types=frozenset({"BR", "SO"}))
    assert count([a_joint(1, tipo="FW"), a_joint(2, tipo="BR"), a_joint(3, tipo="SO")], shop).arm_only == 2


def test_fitting_needs_every_joint_and_welding_all_but_the_arm_only_ones() -> None:
    spool = with_joints([armed(1), armed(2, tipo="FW"), a_joint(3)], total=10)
    assert (joints_needed(spool, ARM), joints_needed(spool, SOLD)) == (10, 9)
    assert (joints_done(spool, ARM), joints_done(spool, SOLD)) == (2, 0)


def test_what_is_needed_never_depends_on_what_is_available_now() -> None:
    """Six armed and welded of ten: two of seven welds once went to inspection because of this."""
    spool = with_joints([welded(n) for n in range(1, 7)] + [a_joint(n) for n in range(7, 11)])
    assert (joints_done(spool, SOLD), joints_needed(spool, SOLD)) == (6, 10)


def test_a_spool_of_arm_only_joints_needs_no_weld_at_all() -> None:
    assert joints_needed(with_joints([a_joint(1, tipo="FW"), a_joint(2, tipo="FW")]), SOLD) == 0
    assert joints_needed(with_joints([a_joint(n, tipo="FW") for n in (1, 2, 3)], total=2), SOLD) == 0


@pytest.mark.parametrize(
    ("typed", "milli"),
    [("4", 4_000), ("0.75", 750), ("2.5", 2_500), ("0.001", 1), ("1000", 1_000_000)],
)
def test_a_diameter_is_kept_in_exact_thousandths(typed: str, milli: int) -> None:
    assert milli_from(Decimal(typed)) == milli
    assert inches(milli) == float(typed)


@pytest.mark.parametrize("typed", ["0", "-2", "1000.001", "0.0001", "NaN", "Infinity", "1e30"])
def test_what_cannot_be_a_diameter_is_none(typed: str) -> None:
    assert milli_from(Decimal(typed)) is None


def test_a_thousand_small_joints_add_up_exactly() -> None:
    counts = count([armed(n, dn_milli=100) for n in range(1000)], SHOP)
    assert inches(counts.milli_armed) == 100.0


def test_a_joint_without_a_readable_diameter_counts_as_a_joint_without_inches() -> None:
    counts = count([armed(1, dn_milli=None, dn_text="4 pulg")], SHOP)
    assert (counts.armed, counts.milli_armed) == (1, 0)
