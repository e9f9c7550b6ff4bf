"""Inspector, supervisor and holder at once, in several processes with a Redis in front: one of them wins."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import httpx
import pytest

from carrete.domain.spool import Estado, Metrologia, Operacion, Spool
from tests.support.answers import done, refused, replayed
from tests.support.builders import (
    a_blocked_spool,
    a_finished_spool,
    a_joint,
    a_spool,
    an_armed_spool,
    put,
    spool_in,
)
from tests.support.by_joint import begin, finish
from tests.support.crowd import at_once
from tests.support.quality import inspect, supervise
from tests.support.tablet import Tablet
from tests.system.races.conftest import CLIENTS, CREW, SupervisedShop, statuses

HOLDER = CREW[0].id

Tap = Callable[[], httpx.Response]


@pytest.fixture(scope="module")
def shop(gated_shop: SupervisedShop) -> SupervisedShop:
    return gated_shop


@pytest.mark.parametrize(
    ("resultado", "later"), [("RECHAZADO", "OPERACION_NO_DISPONIBLE"), ("APROBADO", "OPERACION_YA_COMPLETADA")]
)
def test_twelve_inspections_at_once_and_one_of_them_counts(shop: SupervisedShop, resultado: str, later: str) -> None:
    for turn in range(4):
        tag = f"INSPECTED-{resultado}-{turn}"
        put(shop.database, [a_finished_spool(tag, ciclo=1)])
        answers = at_once([partial(inspect, tablet, resultado, tag) for tablet in shop.tablets])
        assert statuses(answers) == {"OK": 1, later: CLIENTS - 1}
        assert shop.events(tag) == [f"METROLOGIA_{resultado}"]
        assert spool_in(shop.database, tag).ciclo == (2 if resultado == "RECHAZADO" else 0)


def test_of_twelve_who_unblock_at_once_one_succeeds(shop: SupervisedShop) -> None:
    put(shop.database, [a_blocked_spool("BLOCKED")])
    answers = at_once([partial(supervise, tablet, "desbloquear", "BLOCKED") for tablet in shop.tablets])
    assert statuses(answers) == {"OK": 1, "OPERACION_NO_DISPONIBLE": CLIENTS - 1}
    assert (shop.events("BLOCKED"), spool_in(shop.database, "BLOCKED").ciclo) == (["SUPERVISOR_OVERRIDE"], 2)


@pytest.mark.parametrize("accion", ["PAUSAR", "COMPLETAR", "CANCELAR"])
def test_when_the_supervisor_frees_while_the_holder_ends_one_of_the_two_succeeds(
    shop: SupervisedShop, accion: str
) -> None:
    tags = [f"FREED-{accion}-{turn}" for turn in range(6)]
    put(shop.database, [a_spool(tag) for tag in tags])
    for tag in tags:
        done(shop.tablets[0].tap("TOMAR", tag, HOLDER))
        both: list[Tap] = [
            partial(supervise, shop.tablets[1], "liberar", tag),
            partial(shop.tablets[2].tap, accion, tag, HOLDER),
        ]
        assert statuses(at_once(both)) == {"OK": 1, "OPERACION_NO_INICIADA": 1}
        assert len(shop.events(tag)) == 2
        assert spool_in(shop.database, tag).occupation is None
    shop.rests()


def test_the_supervisor_frees_while_joints_are_finished_and_they_are_done_or_not_at_all(shop: SupervisedShop) -> None:
    tags = [f"FREED-JOINTS-{turn}" for turn in range(6)]
    joints = [a_joint(n, tag) for tag in tags for n in (1, 2)]
    put(shop.database, [a_spool(tag, total_uniones=2) for tag in tags], joints=joints)
    for tag in tags:
        done(begin(shop.tablets[0], tag, HOLDER))
        both: list[Tap] = [
            partial(supervise, shop.tablets[1], "liberar", tag),
            partial(finish, shop.tablets[2], [1, 2], tag, HOLDER),
        ]
        freed, finished = at_once(both)
        assert statuses([freed, finished]) == {"OK": 1, "OPERACION_NO_INICIADA": 1}
        spool = spool_in(shop.database, tag)
        won = finished.status_code == 200
        assert (spool.counts.armed, spool.arm) == ((2, Estado.COMPLETADO) if won else (0, Estado.PAUSADO))
    shop.rests()


def test_what_is_freed_is_taken_by_somebody_else_at_once_and_its_lock_is_theirs(shop: SupervisedShop) -> None:
    put(shop.database, [a_spool("HANDED-ON")])
    for turn in range(6):
        holder, other = CREW[turn].id, CREW[turn + 1].id
        done(shop.tablets[0].tap("TOMAR", "HANDED-ON", holder))
        taps: list[Tap] = [partial(supervise, shop.tablets[1], "liberar", "HANDED-ON")]
        taps += [partial(tablet.tap, "TOMAR", "HANDED-ON", other) for tablet in shop.tablets[2:5]]
        freed, *takes = at_once(taps)
        done(freed)
        if not any(take.status_code == 200 for take in takes):
            done(shop.tablets[3].tap("TOMAR", "HANDED-ON", other))
        held = spool_in(shop.database, "HANDED-ON").occupation
        assert held is not None
        assert held.worker_id == other
        refused(shop.tablets[0].tap("PAUSAR", "HANDED-ON", holder), 403, "NO_AUTORIZADO")
        done(shop.tablets[4].tap("PAUSAR", "HANDED-ON", other))
    shop.rests()


def test_a_correction_and_a_take_at_once_leave_a_spool_that_makes_sense(shop: SupervisedShop) -> None:
    """In any order: the second one is refused, or meets the state that the first one left."""
    for turn in range(6):
        tag = f"CORRECTED-{turn}"
        put(shop.database, [an_armed_spool(tag)])
        correct: Tap = partial(supervise, shop.tablets[1], "corregir", tag, operacion="ARM")
        take: Tap = partial(shop.tablets[2].tap, "TOMAR", tag, HOLDER, "SOLD")
        corrected, taken = at_once([correct, take])
        done(taken)
        spool = spool_in(shop.database, tag)
        assert spool.occupation is not None
        if corrected.status_code == 200:
            assert shop.events(tag) == ["CORRECCION", "TOMAR_SPOOL"]
            assert (spool.arm, spool.fecha_armado) == (Estado.PAUSADO, None)
        else:
            refused(corrected, 409, "SPOOL_OCCUPIED", owner_id=HOLDER, operacion="SOLD")
            assert (shop.events(tag), spool.arm) == (["TOMAR_SPOOL"], Estado.COMPLETADO)
        done(supervise(shop.tablets[3], "liberar", tag))
    shop.rests()


def _situations() -> dict[str, tuple[Spool, Callable[[Tablet, str, str], httpx.Response]]]:
    return {
        "inspeccionar": (a_finished_spool(), lambda t, tag, key: inspect(t, "RECHAZADO", tag, key=key)),
        "liberar": (a_spool(), lambda t, tag, key: supervise(t, "liberar", tag, key=key)),
        "desbloquear": (a_blocked_spool(), lambda t, tag, key: supervise(t, "desbloquear", tag, key=key)),
        "corregir": (
            a_finished_spool(metrologia=Metrologia.EN_COLA),
            lambda t, tag, key: supervise(t, "corregir", tag, operacion="SOLD", key=key),
        ),
    }


@pytest.mark.parametrize("what", list(_situations()))
def test_twelve_repeats_of_one_key_act_once_and_get_the_same_answer(shop: SupervisedShop, what: str) -> None:
    spool, act = _situations()[what]
    tag = f"KEY-{what}"
    put(shop.database, [Spool(**{**spool.__dict__, "tag": tag})])
    if what == "liberar":
        done(shop.tablets[0].tap("TOMAR", tag, HOLDER))
    before = len(shop.events(tag))
    answers = at_once([partial(act, tablet, tag, f"one {what}") for tablet in shop.tablets])
    assert len({(answer.status_code, answer.content) for answer in answers}) == 1
    assert (answers[0].status_code, sum(not replayed(answer) for answer in answers)) == (200, 1)
    assert len(shop.events(tag)) == before + 1
    shop.rests()


def test_an_inspection_and_a_correction_leave_no_lock_behind(shop: SupervisedShop) -> None:
    """They take nothing, also where an old take left a pending lock: that one stays until its time is over."""
    put(shop.database, [a_finished_spool("PENDING")])
    shop.redis.ask("SET", "spool_lock:PENDING", f"{HOLDER}:0f4a2c9e-7a51-4f0e-9d5e-3a1f8f6b2c77:x", "PX", "1500")
    done(inspect(shop.tablets[0], "APROBADO", "PENDING"))
    done(supervise(shop.tablets[1], "corregir", "PENDING", operacion="METROLOGIA"))
    done(inspect(shop.tablets[2], "RECHAZADO", "PENDING"))
    done(shop.tablets[3].tap("TOMAR", "PENDING", HOLDER, Operacion.REPARACION))
    done(supervise(shop.tablets[4], "liberar", "PENDING"))
    shop.rests()


def test_a_batch_meets_a_supervisor_and_each_spool_has_one_end(shop: SupervisedShop) -> None:
    tags = [f"BATCH-{n:02}" for n in range(10)]
    put(shop.database, [a_spool(tag) for tag in tags])
    done(shop.tablets[0].batch("TOMAR", tags, HOLDER))
    taps: list[Tap] = [partial(shop.tablets[1].batch, "COMPLETAR", tags, HOLDER)]
    taps += [partial(supervise, shop.tablets[2 + n], "liberar", tag) for n, tag in enumerate(tags[:8])]
    batch, *freed = at_once(taps)
    details = done(batch)["details"]
    assert [row["tag_spool"] for row in details] == tags
    for row, answer in zip(details, freed, strict=False):
        assert row["success"] != (answer.status_code == 200), row
    assert all(len(shop.events(tag)) == 2 for tag in tags)
    shop.rests()
