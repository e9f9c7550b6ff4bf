"""One lane per workbook: a process that lost the lease commits nothing, and a batch it still sends does no harm."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from carrete.domain.commands import Tomar
from carrete.domain.spool import Operacion
from carrete.ledger import open_database
from carrete.sheets.google.errors import LeaseLost
from tests.support.server import clean_environment
from tests.support.sheet_server import SheetServer
from tests.support.sheets import SheetShop

ARM = Operacion.ARM


def test_a_second_lane_waits_until_the_first_is_gone(shop: SheetShop) -> None:
    second = shop.new_lane()
    second.step()
    assert not second.leading
    shop.lane.stop()
    second.step()
    assert second.leading


def test_a_lane_that_was_killed_is_followed_by_another_when_its_lease_ran_out(shop: SheetShop) -> None:
    shop.do(Tomar("A-1", 93, ARM))
    second = shop.new_lane()
    second.step()
    assert not second.leading
    shop.clock.sleep(31)
    shop.lane = second
    shop.settle()
    assert second.leading
    assert shop.row("A-1")["Ocupado_Por"] == "MR(93)"


def test_a_lane_that_froze_and_wakes_commits_nothing(shop: SheetShop) -> None:
    first, second = shop.lane, shop.new_lane()
    shop.clock.sleep(31)
    second.step()
    assert second.leading
    with pytest.raises(LeaseLost):
        first.lease.commit(lambda tx: tx.run("lane_forget_rows"))
    with shop.database.reading() as tx:
        assert tx.all("sheet_rows_all", sheet="Operaciones")
    first.step()
    assert not first.leading


def test_a_batch_that_a_frozen_lane_sends_late_is_in_the_sheet_once(shop: SheetShop) -> None:
    """The first lane froze between its journal and its send; the second took over, and then the first woke."""
    second = shop.new_lane()
    late: list[httpx.Request] = []

    def freeze(request: httpx.Request) -> None:
        if not late:
            late.append(request)
            shop.clock.sleep(31)
            shop.lane = second
            shop.settle()

    shop.do(Tomar("A-1", 93, ARM))
    shop.google.meanwhile = freeze
    first = shop.lane
    for _ in range(8):
        first.step()
        shop.clock.sleep(1)
    assert late
    assert second.leading
    shop.settle()
    shop.assert_every_event_once_in_order()
    assert shop.row("A-1")["Ocupado_Por"] == "MR(93)"


def test_of_two_processes_only_one_runs_the_lane_and_the_other_takes_over(tmp_path: Path) -> None:
    with SheetServer(tmp_path) as google:
        command = [sys.executable, "-m", "carrete", "sync"]
        environment = clean_environment(**google.settings)
        first = subprocess.Popen(command, env=environment, cwd=tmp_path, stderr=subprocess.PIPE)
        try:
            google.wait_for(lambda: holder(google))
            led = holder(google)
            second = subprocess.Popen(command, env=environment, cwd=tmp_path, stderr=subprocess.PIPE)
            try:
                time.sleep(2.5)
                assert holder(google) == led
                first.kill()
                first.wait()
                forget_the_rest_of_the_lease(google)
                google.wait_for(lambda: holder(google) != led)
                assert f":{second.pid}:" in holder(google)
            finally:
                second.kill()
                second.wait()
        finally:
            first.kill()
            first.wait()


def holder(google: SheetServer) -> str:
    database = open_database(google.settings["DATABASE_URL"])
    try:
        with database.reading() as tx:
            row = tx.one("lease", workbook=google.settings["GOOGLE_SHEET_ID"])
            return str(row[0]) if row else ""
    finally:
        database.close()


def forget_the_rest_of_the_lease(google: SheetServer) -> None:
    """The lane acts as if half a minute had passed, which is long for a test."""
    database = open_database(google.settings["DATABASE_URL"])
    with database.writing() as tx:
        tx.execute("UPDATE sheet_lease SET until = ''")
    database.close()
