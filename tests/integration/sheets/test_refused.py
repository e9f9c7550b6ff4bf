"""Google refuses a part, or everything: the rest is written, nothing is lost, and what was set aside is reported."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

import pytest

from carrete.api.sync import status_json
from carrete.domain.commands import Pausar, Tomar
from carrete.domain.spool import Operacion
from carrete.sheets.google.cell_requests import guard_request
from carrete.sheets.google.errors import GuardTaken
from carrete.sheets.status import sync_status
from tests.integration.sheets.conftest import MakeShop
from tests.support.builders import SHOP
from tests.support.sheets import BOOK, READY, SheetShop
from tests.support.tampering import tampering

ARM = Operacion.ARM


def parked(shop: SheetShop) -> list[str]:
    with shop.database.reading() as tx:
        return [one["tag_spool"] for one in sync_status(tx, BOOK, shop.clock.now()).parked]


def test_a_protected_row_is_set_aside_and_the_others_are_written(shop: SheetShop) -> None:
    number = shop.row_number("Operaciones", "A-2")
    shop.person("protect", range=f"A{number}:S{number}")
    shop.do(Tomar("A-1", 93, ARM), Tomar("A-2", 93, ARM), Tomar("A-3", 93, ARM))
    shop.settle()
    assert shop.row("A-1")["Ocupado_Por"] == "MR(93)"
    assert shop.row("A-3")["Ocupado_Por"] == "MR(93)"
    assert "Ocupado_Por" not in shop.row("A-2")
    assert parked(shop) == ["A-2"]
    shop.assert_every_event_once_in_order()


def test_what_was_set_aside_goes_on_when_it_changes_again_or_is_released(shop: SheetShop) -> None:
    number = shop.row_number("Operaciones", "A-2")
    shop.person("protect", range=f"A{number}:S{number}")
    shop.do(Tomar("A-2", 93, ARM))
    shop.settle()
    shop.person("unprotect")
    shop.pass_time(120)
    assert "Ocupado_Por" not in shop.row("A-2")
    with shop.database.writing() as tx:
        assert tx.run("parked_release") == 1
    shop.settle()
    assert shop.row("A-2")["Ocupado_Por"] == "MR(93)"
    assert parked(shop) == []


def test_what_was_set_aside_is_forgotten_when_its_next_change_is_written(shop: SheetShop) -> None:
    number = shop.row_number("Operaciones", "A-2")
    shop.person("protect", range=f"A{number}:S{number}")
    shop.do(Tomar("A-2", 93, ARM))
    shop.settle()
    shop.person("unprotect")
    shop.do(Pausar("A-2", 93, ARM))
    shop.settle()
    assert shop.row("A-2")["Estado_Detalle"].startswith("Disponible - ARM pausado")
    assert parked(shop) == []


def test_a_filter_on_the_trail_loses_no_event(shop: SheetShop) -> None:
    shop.person("filter", "Metadata", range="A1:K100")
    shop.emulator.options.filter_bug = "overwrite"
    for tag in ("A-1", "A-2"):
        shop.do(Tomar(tag, 93, ARM))
        shop.settle()
    shop.assert_every_event_once_in_order()


@pytest.mark.parametrize("fault", ["403-revoked", "404-trashed", "403-disabled"])
def test_without_access_everything_waits_and_then_flows(shop: SheetShop, fault: str) -> None:
    shop.fault(fault, times=None)
    shop.fault(fault, times=None, kind="read")
    shop.do(Tomar("A-1", 93, ARM))
    shop.pass_time(600)
    assert shop.lane.stats.reason
    use = [one for one in shop.emulator.journal.entries() if one["status"] in (403, 404)]
    assert len(use) <= 12, "asked about once a minute"
    shop.do(Tomar("A-2", 93, ARM))
    shop.emulator.faults.clear()
    shop.settle()
    assert shop.lane.stats.reason == ""
    assert shop.row("A-2")["Ocupado_Por"] == "MR(93)"
    shop.assert_every_event_once_in_order()


def test_when_access_is_lost_the_supervisor_is_told_which_address_to_share_with(shop: SheetShop) -> None:
    shop.emulator.file(BOOK).shared_with = set()
    shop.pass_time(60)
    assert "carrete@carrete-demo.iam.gserviceaccount.com" in shop.lane.stats.reason
    assert "comparta la planilla" in shop.lane.stats.reason


def test_all_of_it_at_once_as_in_the_worst_week(shop: SheetShop) -> None:
    number = shop.row_number("Operaciones", "A-2")
    shop.person("filter", "Metadata", range="A1:K100")
    shop.person("protect", range=f"J{number}:J{number}")
    shop.fault("403-revoked", times=2)
    for n in range(1, 6):
        shop.do(Tomar(f"A-{n}", 93, ARM))
        shop.pass_time(7)
    shop.settle(900)
    assert parked(shop) == ["A-2"]
    assert [row["Ocupado_Por"] for row in shop.rows() if row["TAG_SPOOL"] in ("A-1", "A-3", "A-4", "A-5")] == [
        "MR(93)"
    ] * 4
    shop.assert_every_event_once_in_order()


def test_an_event_that_google_does_not_take_is_set_aside_and_the_others_follow(shop: SheetShop) -> None:
    """50,000 characters are too many for a cell."""
    shop.do(Tomar("A-1", 93, ARM))
    with tampering(shop.database) as tx:
        long = "'{\"x\": \"' || hex(zeroblob(30000)) || '\"}'"
        tx.execute(f"UPDATE event SET metadata = {long} WHERE tag = 'A-1' AND accion = 'TOMAR'")
    shop.do(Tomar("A-2", 93, ARM))
    shop.settle(600)
    assert len(shop.events_in_the_sheet()) == len(shop.events()) - 1
    assert parked(shop) == ["A-1"]
    assert shop.row("A-1")["Ocupado_Por"] == "MR(93)"


def test_over_the_quota_of_somebody_else_we_wait_and_lose_nothing(shop: SheetShop) -> None:
    user = "carrete@carrete-demo.iam.gserviceaccount.com"
    for n in range(1, 6):
        shop.emulator.quota.spend("Write", user, 58, shop.clock.google.seconds())
        shop.emulator.quota.spend("Read", user, 50, shop.clock.google.seconds())
        shop.do(Tomar(f"A-{n}", 93, ARM))
        shop.pass_time(20)
    shop.settle(900)
    shop.assert_every_event_once_in_order()


def test_a_token_that_ran_out_is_renewed(shop: SheetShop) -> None:
    shop.emulator.accounts.expire_all()
    shop.do(Tomar("A-1", 93, ARM))
    shop.settle()
    shop.emulator.advance(timedelta(hours=3))
    shop.do(Tomar("A-2", 93, ARM))
    shop.settle()
    assert shop.row("A-2")["Ocupado_Por"] == "MR(93)"


def test_a_trail_that_nobody_may_write_does_not_hold_the_rows_back(make_shop: MakeShop) -> None:
    shop = make_shop([{"TAG_SPOOL": f"B-{n:03}", **READY} for n in range(60)])
    shop.person("protect", "Metadata", range="A1:K5000")
    for n in range(30):
        shop.do(Tomar(f"B-{n:03}", 93, ARM), Tomar(f"B-{n + 30:03}", 93, ARM))
        shop.pass_time(2)
    assert sum("Ocupado_Por" in row for row in shop.rows()) > 40, "while there is an event to send at any moment"
    shop.person("unprotect", "Metadata")
    shop.settle()
    with shop.database.writing() as tx:
        assert tx.run("parked_events_release")
    shop.settle()
    assert sorted(shop.events_in_the_sheet()) == sorted(e.id for e in shop.events())


def test_a_workbook_without_room_for_a_guard_is_reported_and_goes_on_when_there_is_room(shop: SheetShop) -> None:
    shop.lane.client.write([guard_request(5, "x", "x" * 29_900)])
    with suppress(GuardTaken):
        for number in range(6, 100):
            shop.lane.client.write([guard_request(number, "x", "xxx")])
    shop.do(Tomar("A-1", 93, ARM))
    shop.pass_time(120)
    assert "no acepta la marca" in shop.lane.stats.reason
    requests_before = len(shop.emulator.journal.entries())
    shop.pass_time(600)
    assert len(shop.emulator.journal.entries()) - requests_before < 60, "it is not asked all the time"
    somebody_elses = {"developerMetadataLookup": {"metadataId": 5}}
    shop.lane.client.write([{"deleteDeveloperMetadata": {"dataFilter": somebody_elses}}])
    shop.settle()
    assert shop.row("A-1")["Ocupado_Por"] == "MR(93)"
    shop.assert_every_event_once_in_order()


def test_old_guards_are_taken_out_also_when_some_are_not_there(shop: SheetShop) -> None:
    """A batch that Google refused left no guard; restoring an older version of the workbook removed others."""
    long_ago = "2026-11-10T00:00:00+00:00"
    with shop.database.writing() as tx:
        for n in range(1_000, 1_700):
            tx.run("flush_put", id=n, guard=n, attempts=1, planned_at=long_ago)
            tx.run("flush_settle", id=n, state="APPLIED", guard_kept=1)
    shop.lane.client.write([guard_request(n, "carrete", str(n)) for n in range(1_100, 1_700)])
    shop.do(Tomar("A-1", 93, ARM))
    shop.settle()
    assert shop.lane.stats.reason == ""
    assert shop.row("A-1")["Ocupado_Por"] == "MR(93)"
    assert len(shop.lane.client.guards()) < 50
    with shop.database.reading() as tx:
        assert (tx.one("flush_last") or (0,))[0] > 1_699, "the numbers go on"


def test_everything_that_waits_for_a_supervisor_is_counted_and_dated(shop: SheetShop) -> None:
    with shop.database.writing() as tx:
        for n in range(250):
            row = {"sheet": "Operaciones", "tag": f"X-{n}", "n_union": 0, "change": "c", "reason": "no"}
            tx.run("parked_put", **row, parked_at="2026-11-16T13:30:00+00:00")
    with shop.database.reading() as tx:
        found = sync_status(tx, BOOK, shop.clock.now())
    shown = status_json(found, BOOK, SHOP, shop.clock.now())
    assert (shown["parked_count"], len(shown["parked"])) == (250, 200)
    assert shown["parked"][0]["desde"] == "2026-11-16T10:30:00-03:00"


def test_a_conflict_is_shown_in_the_shops_own_time(shop: SheetShop) -> None:
    shop.do(Tomar("A-1", 93, ARM))
    shop.types("A-1", "Armador", "otro")
    shop.settle()
    with shop.database.reading() as tx:
        found = sync_status(tx, BOOK, shop.clock.now())
    (conflict,) = status_json(found, BOOK, SHOP, shop.clock.now())["conflicts"]
    assert conflict["at"].endswith("-03:00")


def test_writes_over_the_quota_are_tried_less_and_less_often_though_reads_are_answered(shop: SheetShop) -> None:
    shop.fault("429", times=None)
    shop.do(Tomar("A-1", 93, ARM))
    shop.pass_time(900)
    tried = sum(one["status"] == 429 for one in shop.emulator.journal.entries())
    assert 10 <= tried <= 25, "6, 12, 24, 48 s and then about once a minute"
