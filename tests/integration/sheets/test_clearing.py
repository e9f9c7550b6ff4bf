"""Google refuses to clear what is ours in rows without a key: only that waits, rows and events go on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from carrete.domain.commands import Pausar, Tomar
from carrete.domain.spool import Operacion
from carrete.sheets.google.errors import BadBatch
from carrete.sheets.push.batch import batch_of
from carrete.sheets.push.clearing import TRIED_AGAIN_S, Clearing
from carrete.sheets.push.plan import BatchPlan
from carrete.sheets.rows import storage
from carrete.sheets.rows.classify import Orphan
from carrete.sheets.rows.storage import Flush
from carrete.sheets.structure import SELLO
from sheets_emulator.metadata import BUDGET_CHARACTERS
from tests.support.builders import SHOP
from tests.support.sheets import BOOK, SheetShop

ARM = Operacion.ARM


class Refusing:
    """Google takes every batch, apart from those with a request of this kind."""

    def __init__(self, shop: SheetShop, kind: str, *, names_it: bool) -> None:
        self._write = shop.lane.client.write
        self._kind, self._names_it = kind, names_it
        self.refused = 0
        shop.lane.client.write = self  # type: ignore[method-assign]

    def __call__(self, requests: Sequence[Mapping[str, Any]]) -> None:
        at = next((n for n, request in enumerate(requests) if self._kind in request), None)
        if at is not None:
            self.refused += 1
            raise BadBatch(f"Invalid requests[{at}].{self._kind}: no.", at if self._names_it else None)
        self._write(requests)


def parked(shop: SheetShop) -> object:
    with shop.database.reading() as tx:
        return storage.parked_rows(tx)


def stamps_without_a_key(shop: SheetShop) -> int:
    return sum("TAG_SPOOL" not in row and SELLO in row for row in shop.rows())


@pytest.mark.parametrize("names_it", [True, False])
def test_a_stamp_that_may_not_be_cleared_holds_nothing_else_back(shop: SheetShop, names_it: bool) -> None:
    at = shop.row_number("Operaciones", "A-3")
    with shop.meanwhile(lambda: shop.person("insert_rows", at=at)):
        shop.do(Tomar("A-3", 93, ARM))
        google = Refusing(shop, "findReplace", names_it=names_it)
        shop.pass_time(15)
    assert google.refused
    shop.do(Tomar("A-1", 93, ARM), Tomar("A-2", 93, ARM))
    shop.settle()
    assert [shop.row(tag)["Ocupado_Por"] for tag in ("A-1", "A-2", "A-3")] == ["MR(93)"] * 3
    assert parked(shop) == {}
    shop.assert_every_event_once_in_order()
    assert stamps_without_a_key(shop) == 1
    assert google.refused == 1, "it is not tried at each write"
    shop.restart()
    shop.settle()
    assert stamps_without_a_key(shop) == 0


def test_it_is_tried_again_after_a_while(shop: SheetShop) -> None:
    with shop.meanwhile(lambda: shop.person("insert_rows", at=shop.row_number("Operaciones", "A-3"))):
        shop.do(Tomar("A-3", 93, ARM))
        google = Refusing(shop, "findReplace", names_it=True)
        shop.pass_time(15)
    shop.pass_time(2 * TRIED_AGAIN_S + 60)
    assert google.refused == 3


def test_what_is_cleared_has_a_part_of_its_own_in_the_batch(shop: SheetShop) -> None:
    plan = BatchPlan(orphans=[Orphan("Operaciones", 3, (4,))], stamps=[("Operaciones", "1.1.1-abcdef", "")])
    with shop.database.reading() as tx:
        located = storage.located_sheets(tx)
    batch = batch_of(plan, Flush(1, 1, 1), shop.lane.puller.views, located, None, SHOP.zone)
    assert set(batch.parts[1:]) == {Clearing("Operaciones")}


def test_marks_that_are_refused_say_nothing_about_the_formats_of_events(shop: SheetShop) -> None:
    """A workbook without room for marks, whose trail is then made a table with a typed column."""
    used = sum(datum.size for datum in shop.emulator.file(BOOK).book.metadata.values())
    location = {"sheetId": shop.tab("Operaciones").sheet_id}
    text = "x" * (BUDGET_CHARACTERS - used - len("otro"))
    datum = {"metadataKey": "otro", "metadataValue": text, "location": location, "visibility": "DOCUMENT"}
    shop.lane.client.write([{"createDeveloperMetadata": {"developerMetadata": datum}}])
    shop.do(Tomar("A-1", 93, ARM))
    shop.settle()
    shop.person("make_table", "Metadata", types={"Timestamp": "DATE_TIME"})
    shop.do(Pausar("A-1", 93, ARM))
    shop.settle()
    shop.assert_every_event_once_in_order()
