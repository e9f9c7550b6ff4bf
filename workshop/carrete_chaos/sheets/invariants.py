"""The rules that must hold when a seed is quiet again. Each finding is one sentence."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from carrete.domain.shop import Shop
from carrete.ledger.database import Database
from carrete.ledger.rows import joint_from, spool_from
from carrete.sheets.rows.view import SheetView, read_row, readers, sheet_view
from carrete.sheets.structure import JOINTS, SELLO, SPOOLS, header_of
from carrete.workbook.cells import Unreadable
from carrete.workbook.columns import VERSION, Column, SheetPlan
from carrete.workbook.rows import Cells, joint_cells, spool_cells
from carrete_chaos.sheets.shop import BOOK, ChaosShop
from sheets_emulator.emulator import Emulator
from sheets_emulator.journal import plain


class ShopWithSheet(Protocol):
    """The ledger and the workbook of one shop."""

    emulator: Emulator
    database: Database
    shop: Shop


@dataclass(slots=True)
class Tally:
    """Counts and findings of one seed."""

    seed: int
    events: int = 0
    person_acts: int = 0
    requests: int = 0
    faults: int = 0
    kills: int = 0
    unsaved: int = 0  # commits of the lane that the ledger refused
    astray: int = 0
    overwritten_unread: int = 0
    exceptions: int = 0
    wrong: tuple[str, ...] = ()
    last_warnings: tuple[str, ...] = ()  # of the lane, when something is wrong


def findings(shop: ChaosShop, *, keyless: bool = True) -> Iterator[str]:
    """`keyless`: also check that rows without a key are empty."""
    yield from _events(shop)
    for plan in (SPOOLS, JOINTS):
        yield from _rows(shop, plan)
        yield from _without_key(shop, plan) if keyless else ()
    yield from _edits(shop)
    yield from _quota(shop)


def book_of(shop: ShopWithSheet) -> Any:
    return shop.emulator.file(BOOK).book


def grid(shop: ShopWithSheet, name: str) -> list[list[Any]]:
    tab = next(sheet for sheet in book_of(shop).sheets if sheet.title == name)
    return [["" if v is None else plain(v) for v in row.values] for row in tab.rows[: tab.last_row]]


def _events(shop: ChaosShop) -> Iterator[str]:
    """Every event is in the sheet once, in order."""
    names, *rows = grid(shop, "Metadata")
    there = [row[names.index("ID")] for row in rows]
    with shop.database.reading() as tx:
        ours = [row[1] for row in tx.all("events_page", after=-1, limit=1_000_000)]
    counts = Counter(there)
    if twice := [id_ for id_, n in counts.items() if n > 1]:
        yield f"{len(twice)} events are in the sheet twice, such as {twice[0]}"
    if missing := [id_ for id_ in ours if id_ not in counts]:
        yield f"{len(missing)} of {len(ours)} events are missing, such as {missing[0]}"
    if not twice and not missing and there != ours:
        yield "the events are not in order"


def view_of(shop: ShopWithSheet, plan: SheetPlan) -> SheetView:
    rows = grid(shop, plan.name)
    return sheet_view(plan, header_of(plan, rows), rows, None, shop.shop.zone)


def _rows(shop: ChaosShop, plan: SheetPlan) -> Iterator[str]:
    """The sheet equals the ledger, except rows that wait for a person."""
    view, zone = view_of(shop, plan), shop.shop.zone
    columns = readers(view)
    waiting = {row for sheet, row in shop.lane.puller.waiting if sheet == plan.name}
    ledger = ledger_of(shop, plan)
    for row, index in view.at.items():
        if row in waiting:
            continue
        if row not in ledger:
            yield f"{plan.name} {row}: in the sheet, not in the ledger"
            continue
        reading = read_row(view, view.raws[index], columns, zone)
        for name, value in reading.cells.items():
            if ledger[row].get(name) != value:
                yield f"{plan.name} {row} {name}: the sheet says {value!r}, the ledger {ledger[row].get(name)!r}"
    for row in ledger.keys() - view.at.keys() - view.doubles.keys():
        yield f"{plan.name} {row}: in the ledger, not in the sheet"


def _without_key(shop: ChaosShop, plan: SheetPlan) -> Iterator[str]:
    view = view_of(shop, plan)
    for index in view.keyless:
        if any(str(cell).strip() for cell in view.raws[index]):
            yield f"{plan.name} row {index + 1}: something is left in a row without a key: {view.raws[index]}"


def ledger_of(shop: ShopWithSheet, plan: SheetPlan) -> dict[tuple[str, int], Cells]:
    zone = shop.shop.zone
    with shop.database.reading() as tx:
        spools = [spool_from(row) for row in tx.all("spools_all")]
        if plan is SPOOLS:
            return {(s.tag, 0): {**spool_cells(s, zone), VERSION: s.version} for s in spools}
        listed = {spool.tag for spool in spools}
        joints = [joint_from(row) for row in tx.all("joints_all")]
    shown = view_of(shop, plan)
    return {
        (j.tag, j.n_union): {**joint_cells(j, zone), VERSION: j.version}
        for j in joints
        if j.tag in listed or (j.tag, j.n_union) in shown.at
    }


def _edits(shop: ChaosShop) -> Iterator[str]:
    """Every edit that a read had shown us and that we overwrote has an event, or had the value that the ledger had."""
    with shop.database.reading() as tx:
        events = tx.all("events_page", after=-1, limit=1_000_000)
    recorded = {_recorded_edit(row) for row in events if row[3] == "EDICION_EXTERNA"}
    tags = {row[4] for row in events}
    for one in overwritten(shop):
        if one.tag not in tags:
            continue  # its row had lost the key already: `_rows` checks what is in that row now
        if (one.tag, one.column, one.value) not in recorded and (one.tag, "", "") not in recorded:
            where = f"{one.sheet} {one.tag} {one.n_union or ''} {one.column}"
            yield f"{where}: {one.value!r} was read, overwritten by {one.by!r}, and is in no event"


@dataclass(frozen=True, slots=True)
class OverwrittenEdit:
    """A person's cell that a read had shown us and that a write of ours replaced."""

    sheet: str
    tag: str
    n_union: int
    column: str
    value: str
    by: Any
    request: int
    restored: bool  # the person's value is in the cell again


def overwritten(shop: ShopWithSheet) -> Iterator[OverwrittenEdit]:
    """Typing the value that a cell has already is no edit, also in another form (DISPONIBLE where it was empty): no
    read can tell the difference."""
    for one in shop.emulator.journal.overwritten(book_of(shop)):
        if not one["known"] or one["stood_anyway"]:
            continue
        column, sheet = one["column"], one["sheet"]
        if column == SELLO or sheet not in (SPOOLS.name, JOINTS.name):
            continue
        plan = SPOOLS if sheet == SPOOLS.name else JOINTS
        if column not in {known.name for known in plan.columns}:
            continue  # a column of people's own: `own_cells` checks it
        value, *stood = (_meaning(plan.column(column), text, shop) for text in (one["person"], *one["stood_before"]))
        if value is None or value in stood:
            continue
        tag, *rest = one["key"]
        if tag is None:
            continue  # a row without a key: `own_cells` checks it
        n_union = int(rest[0] or 0) if rest else 0
        yield OverwrittenEdit(sheet, str(tag), n_union, column, value, one["api"], one["request"], one["restored"])


def _meaning(column: Column, text: Any, shop: ShopWithSheet) -> str | None:
    """The value that the column reads from this text; None if it cannot be read: then it is not written either."""
    try:
        return column.read("" if text is None else text, shop.shop.zone)
    except Unreadable:
        return None


def _recorded_edit(row: Any) -> tuple[str, str, str]:
    metadata = json.loads(row[11] or "{}")
    return (row[4], metadata.get("columna", ""), metadata.get("nuevo", ""))


def _quota(shop: ChaosShop) -> Iterator[str]:
    if refused := sum(one["refused"] for one in shop.emulator.quota.use()):
        yield f"{refused} requests were over the quota"
