"""A failed answer may hide an applied write, or one that is still to come: each event is in the sheet exactly once."""

from __future__ import annotations

import httpx
import pytest

from carrete.domain.commands import Finalizar, Iniciar, Tomar
from carrete.domain.spool import Operacion
from carrete.sheets.push.guards import forget_guards
from carrete_chaos.sheets.shop import Killed
from tests.integration.sheets.conftest import MakeShop
from tests.support.sheets import READY, SheetShop

ARM = Operacion.ARM
APPLIED = ("apply-then-reset", "apply-then-503", "apply-then-hang", "apply-then-502-html")
NOT_APPLIED = ("503", "500", "502-html", "reset-before-apply", "429", "401-once")


@pytest.fixture
def twenty(make_shop: MakeShop) -> SheetShop:
    """One spool with twenty joints: finishing them is a flush with many audit rows."""
    spool = {"TAG_SPOOL": "U-9", **READY, "Total_Uniones": 20}
    joints = [{"TAG_SPOOL": "U-9", "N_UNION": n, "DN_UNION": 2, "TIPO_UNION": "BW"} for n in range(1, 21)]
    return make_shop([spool], joints)


def work(shop: SheetShop) -> None:
    shop.do(Iniciar("U-9", 93, ARM), Finalizar("U-9", 93, ARM, unions=tuple(range(1, 21))))


@pytest.mark.parametrize("fault", [*APPLIED, *NOT_APPLIED, "apply-later"])
def test_a_flush_of_22_events_whose_answer_is_lost_is_in_the_sheet_once(twenty: SheetShop, fault: str) -> None:
    twenty.fault(fault, delay_s=30)
    work(twenty)
    twenty.settle()
    twenty.assert_every_event_once_in_order()
    assert len(twenty.events()) >= 23
    assert twenty.row("U-9", "Uniones", 20)["ARM_WORKER"] == "MR(93)"


@pytest.mark.parametrize("fault", ["apply-then-reset", "apply-later"])
def test_a_flush_is_in_the_sheet_once_also_when_the_process_is_killed_before_the_answer(
    twenty: SheetShop, fault: str
) -> None:
    twenty.fault(fault, delay_s=40)
    work(twenty)
    twenty.pass_time(4)
    twenty.restart()
    twenty.pass_time(20)
    twenty.restart()
    twenty.settle()
    twenty.assert_every_event_once_in_order()
    assert twenty.row("U-9")["Uniones_ARM_Completadas"] == 20


@pytest.mark.parametrize("applied", [True, False])
def test_killed_in_the_middle_of_a_send(twenty: SheetShop, applied: bool) -> None:
    """kill -9 between the journal's commit and Google's answer, before or after Google applied the batch."""

    def killed(request: httpx.Request) -> None:
        twenty.google.meanwhile = lambda _: None
        if applied:
            twenty.google.handle_request(request)
        raise Killed

    work(twenty)
    twenty.google.meanwhile = killed
    with pytest.raises(Killed):
        twenty.pass_time(10)
    twenty.restart()
    twenty.settle()
    twenty.assert_every_event_once_in_order()


def test_a_late_twin_comes_after_its_retry_was_applied_and_does_nothing(twenty: SheetShop) -> None:
    twenty.fault("apply-later", delay_s=120, answer="503")
    work(twenty)
    twenty.settle()
    twenty.pass_time(150)
    assert not twenty.emulator.waiting
    twenty.assert_every_event_once_in_order()


def test_one_storm_after_another_loses_nothing(shop: SheetShop) -> None:
    for number, fault in enumerate([*APPLIED, *NOT_APPLIED, "apply-later"] * 2):
        shop.fault(fault, delay_s=10 + number)
    for tag in ("A-1", "A-2", "A-3", "A-4"):
        shop.do(Tomar(tag, 93, ARM))
        shop.pass_time(20)
    shop.settle(3_600)
    shop.assert_every_event_once_in_order()
    assert shop.refused_for_quota() == 0


def test_a_read_that_fails_is_asked_again(shop: SheetShop) -> None:
    for fault in ("503", "502-html", "truncate-body", "reset-before-apply", "401-once", "hang"):
        shop.fault(fault, kind="read")
    shop.types("A-1", "NV", "7")
    shop.pass_time(300)
    assert shop.spool("A-1").nv == "7"


def test_a_batch_that_is_called_off_while_its_late_twin_arrives_is_not_sent_twice(shop: SheetShop) -> None:
    """The trail lost a column, so the batch cannot be sent again; its first attempt arrives in that very second, and
    the answer about its guard is a stale one."""
    shop.fault("apply-later", times=1, delay_s=300)
    shop.do(Tomar("A-1", 93, ARM))
    shop.pass_time(4)
    shop.person("rename_header", "Metadata", column="Accion", to="Otra")

    def the_twin_arrives() -> None:
        shop.emulator.run_all()
        shop.emulator.options.stale_reads = 1.0

    with shop.meanwhile(the_twin_arrives):
        shop.pass_time(12)
    shop.emulator.options.stale_reads = 0.0
    shop.person("rename_header", "Metadata", column="Otra", to="Accion")
    shop.settle()
    shop.assert_every_event_once_in_order()


@pytest.mark.parametrize("fault", ["apply-then-503", "apply-then-hang"])
def test_a_batch_that_is_called_off_and_no_answer_says_so_is_sent_later(shop: SheetShop, fault: str) -> None:
    """The guard is then in the workbook, and nothing else of the batch: its events wait again."""
    shop.fault("reset-before-apply", times=1)
    shop.do(Tomar("A-1", 93, ARM))
    shop.pass_time(4)
    shop.person("rename_header", "Metadata", column="Accion", to="Otra")
    shop.fault(fault, times=1)
    shop.pass_time(60)
    shop.person("rename_header", "Metadata", column="Otra", to="Accion")
    shop.settle()
    shop.assert_every_event_once_in_order()


def test_the_guard_of_a_batch_that_was_called_off_is_removed_like_any_other(shop: SheetShop) -> None:
    shop.fault("reset-before-apply", times=1)
    shop.do(Tomar("A-1", 93, ARM))
    shop.pass_time(4)
    shop.person("rename_header", "Metadata", column="Accion", to="Otra")
    shop.pass_time(60)
    assert [value for value in shop.lane.client.guards().values() if not value.isdigit()]
    shop.person("rename_header", "Metadata", column="Otra", to="Accion")
    shop.settle()
    shop.clock.sleep(3_600)
    shop.pass_time(60)
    forget_guards(shop.lane.lease, shop.database, shop.lane.client, shop.clock, most=0)
    assert [value for value in shop.lane.client.guards().values() if not value.isdigit()] == []
