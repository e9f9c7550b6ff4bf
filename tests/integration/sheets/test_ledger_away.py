"""The ledger cannot be written for a moment, as on a full disk: nothing that the lane has read by then is lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from carrete.domain.commands import Tomar
from carrete.domain.spool import Operacion
from carrete.ledger.errors import LedgerUnavailable
from carrete.ledger.sqlite import SqliteDatabase
from carrete.sheets.structure import SPOOLS
from tests.support.sheets import SheetShop

ARM = Operacion.ARM
TAG = "A-1"


def freed_a_moment_ago(shop: SheetShop) -> None:
    """A person has emptied the cell, and no write of ours has come after that: no stamp shows which state is newer."""
    shop.types(TAG, "Ocupado_Por", "MR(93)")
    shop.settle()
    shop.fault("503", times=None, probability=1.0)
    shop.types(TAG, "Ocupado_Por", "")
    until(shop, lambda: shop.spool(TAG).occupation is None)


def holder_edits(shop: SheetShop) -> list[tuple[str, str]]:
    return [(edit["anterior"], edit["nuevo"]) for edit in shop.editions() if edit.get("columna") == "Ocupado_Por"]


def until(shop: SheetShop, happened: Callable[[], object]) -> None:
    for _ in range(60):
        if happened():
            return
        shop.pass_time(1)
    raise AssertionError("it did not happen within a minute")


@pytest.mark.parametrize(
    ("meanwhile", "holder"),
    [(lambda shop: None, "MR(93)"), (lambda shop: shop.do(Tomar(TAG, 7, ARM)), "LP(7)")],
    ids=["nobody takes it", "somebody takes it"],
)
def test_an_edit_whose_confirming_read_could_not_be_saved_still_counts(
    shop: SheetShop, meanwhile: Callable[[SheetShop], None], holder: str
) -> None:
    """A read that says again what a row said a moment ago may be stale: the next one decides. If that one could not be
    saved, the one after it does."""
    freed_a_moment_ago(shop)
    shop.types(TAG, "Ocupado_Por", "MR(93)")
    until(shop, lambda: shop.lane.puller.doubted)
    with shop.ledger_locked():
        shop.pass_time(20)
    shop.emulator.faults.clear()
    meanwhile(shop)
    shop.settle()
    assert holder_edits(shop)[2:] == [("", "MR(93)")]
    held = shop.spool(TAG).occupation
    assert held is not None
    assert held.label == shop.row(TAG)["Ocupado_Por"] == holder


def test_a_lane_that_could_not_read_the_ledger_at_its_beginning_begins_again(shop: SheetShop) -> None:
    assert isinstance(shop.database, SqliteDatabase)
    ledger, elsewhere = shop.database.path, shop.database.path.with_suffix(".away")
    shop.lane.begin_anew("a mistake")
    ledger.rename(elsewhere)
    shop.lane.step()
    assert not shop.lane.leading
    elsewhere.rename(ledger)
    shop.lane.step()
    assert shop.lane.leading


def test_a_lane_that_could_not_save_a_read_still_has_the_lease(shop: SheetShop) -> None:
    """`carrete sync --init` would otherwise end with a sentence about another process, and a process that stops then
    would leave the lease to run out."""
    shop.settle()
    shop.types(TAG, "Ocupado_Por", "MR(93)")
    with shop.ledger_locked():
        with pytest.raises(LedgerUnavailable):
            shop.lane.cycle({SPOOLS.name}, flush=False)
        assert shop.lane.leading
        assert not shop.lane.at_rest(), "the edit is not in the ledger yet"
    assert holder_edits(shop) == []
    shop.lane.stop()
    shop.lane = shop.new_lane()
    shop.lane.step()
    assert shop.lane.leading
    shop.settle()
    assert holder_edits(shop) == [("", "MR(93)")]


def test_google_and_the_ledger_away_at_once_is_no_mistake_of_the_lane(shop: SheetShop) -> None:
    shop.fault("503", kind="read", times=None, probability=1.0)
    shop.do(Tomar(TAG, 7, ARM))
    requests_before = len(shop.emulator.journal.entries())
    with shop.ledger_locked():
        for _ in range(6):
            assert shop.lane.step() > 0
            shop.clock.sleep(1)
    assert len(shop.emulator.journal.entries()) > requests_before
