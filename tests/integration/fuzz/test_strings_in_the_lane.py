"""Five hundred nasty strings as tags and as text through the Google lane, twice and over a restart: nothing moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from carrete.domain.tags import hidden_character
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.sheets.rows.view import ERRORS
from tests.conftest import migrated
from tests.integration.fuzz.strings import NASTY, as_cell, as_tag, is_encodable
from tests.support.builders import a_joint, a_spool, put
from tests.support.sheets import SheetShop

TEXTS = {tag: text for text in NASTY if is_encodable(text) and (tag := as_tag(text)) is not None}  # by the tag it makes
TAGS = {
    tag: as_cell(text) or "" for tag, text in TEXTS.items()
}  # the text that the ledger has about the spool of that tag
NOT_ERRORS = {tag: cell for tag, cell in TAGS.items() if tag not in ERRORS}
VISIBLE = {tag: cell for tag, cell in NOT_ERRORS.items() if not hidden_character(tag)}
A_WHILE_S = 180.0  # every sheet is read some times, and what looks like a formula is asked about again
Open = Callable[..., SheetShop]


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Database]:
    migrated(url := f"sqlite:///{tmp_path / 'lane.db'}")
    database = open_database(url)
    yield database
    database.close()


@pytest.fixture(params=[False, True], ids=["bare", "with apostrophes"])
def open_shop(request: pytest.FixtureRequest, ledger: Database) -> Iterator[Open]:
    opened: list[SheetShop] = []

    def open_it(*arguments: Any) -> SheetShop:
        shop = SheetShop(ledger, *arguments)
        shop.emulator.options.formula_apostrophes = request.param
        opened.append(shop)
        return shop

    yield open_it
    for shop in opened:
        shop.close()


def everything(shop: SheetShop) -> dict[str, Any]:
    """Every cell of the sheet, every row of the ledger and every event."""
    with shop.database.reading() as tx:
        rows = {name: tx.all(name) for name in ("spools_all", "joints_all", "parked_all")}
    grids = {sheet: shop.grid(sheet) for sheet in ("Operaciones", "Uniones", "Metadata")}
    return rows | grids | {"events": [one.id for one in shop.events()]}


def assert_nothing_moves_any_more(shop: SheetShop) -> None:
    before = everything(shop)
    shop.pass_time(A_WHILE_S)
    assert everything(shop) == before
    shop.restart()
    shop.pass_time(A_WHILE_S)
    assert everything(shop) == before


def test_what_the_ledger_has_is_written_once_and_read_back_as_it_was(ledger: Database, open_shop: Open) -> None:
    spools = [a_spool(tag, ot=cell or None, nv=cell or None) for tag, cell in TAGS.items()]
    joints = [a_joint(1, tag, tipo=cell or None, ndt_status=cell or None) for tag, cell in TAGS.items()]
    put(ledger, spools, [], joints)
    shop = open_shop()
    shop.settle(900)
    cells = {row["TAG_SPOOL"]: row.get("NV", "") for row in shop.rows()}
    assert cells == NOT_ERRORS
    assert {r["TAG_SPOOL"]: r.get("NDT_STATUS", "") for r in shop.rows("Uniones")} == NOT_ERRORS
    assert (len(shop.rows()), len(shop.rows("Uniones"))) == (len(NOT_ERRORS), len(NOT_ERRORS))
    assert_nothing_moves_any_more(shop)
    assert {tag: shop.spool(tag).nv or "" for tag in TAGS} == TAGS
    named = {problem.reason.split("«")[1].split("»")[0] for problem in shop.lane.stats.problems if not problem.row}
    assert named == TAGS.keys() & set(ERRORS)


def test_what_people_wrote_is_read_once_and_left_as_they_wrote_it(open_shop: Open) -> None:
    """As text, in the column of the key and in another."""
    written = [{"TAG_SPOOL": text, "NV": text, "Fecha_Materiales": 46_328} for text in TEXTS.values()]
    shop = open_shop(written)
    shop.settle(900)
    assert [(row["TAG_SPOOL"], row["NV"]) for row in shop.rows()] == [(text, text) for text in TEXTS.values()]
    with shop.database.reading() as tx:
        assert {row[0] for row in tx.all("spools_all")} == VISIBLE.keys()
    assert {tag: shop.spool(tag).nv or "" for tag in VISIBLE} == VISIBLE
    left_out = sorted(p.row for p in shop.lane.puller.problems() if p.column == "TAG_SPOOL")
    assert left_out == [number for number, tag in enumerate(TEXTS, 2) if tag not in VISIBLE]
    assert_nothing_moves_any_more(shop)
