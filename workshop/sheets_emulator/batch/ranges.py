"""Filters, protected ranges and named ranges."""

from __future__ import annotations

from sheets_emulator import a1, resource
from sheets_emulator.batch.work import BatchWork, Handler
from sheets_emulator.errors import Json, invalid
from sheets_emulator.resource import MADE_BY


def set_basic_filter(work: BatchWork, body: Json) -> None:
    wanted = dict(body.get("filter") or {})
    area = a1.from_grid_range(work.draft.book, wanted.get("range") or {})
    work.draft.own(area.sheet_id).basic_filter = {**wanted, "range": area.grid_range}


def clear_basic_filter(work: BatchWork, body: Json) -> None:
    work.draft.own(int(body.get("sheetId") or 0)).basic_filter = None


def add_protected_range(work: BatchWork, body: Json) -> Json:
    wanted = dict(body.get("protectedRange") or {})
    area = a1.from_grid_range(work.draft.book, wanted.get("range") or {})
    sheet = work.draft.own(area.sheet_id)
    whole = area == a1.whole(sheet)
    if whole and any(a1.from_grid_range(work.draft.book, one["range"]) == area for one in sheet.protected):
        raise invalid(f'Sheet "{sheet.title}" already has sheet protection.')
    id_ = work.fresh_id() if wanted.get("protectedRangeId") is None else int(wanted["protectedRangeId"])
    if any(one["protectedRangeId"] == id_ for other in work.draft.book.sheets for one in other.protected):
        raise invalid(f"Protected range with ID {id_} already exists.")
    editors = {name: who for name, who in (wanted.get("editors") or {}).items() if who}
    settings = {name: value for name, value in wanted.items() if value}
    grid = {"sheetId": area.sheet_id, **area.grid_range}
    made = {**settings, "range": grid, "protectedRangeId": id_, "editors": editors, MADE_BY: work.user}
    sheet.protected = (*sheet.protected, made)
    shown = {**resource.protected_range(made, work.user), "editors": editors}
    return {"addProtectedRange": {"protectedRange": shown}}


def delete_protected_range(work: BatchWork, body: Json) -> None:
    id_ = int(body.get("protectedRangeId") or 0)
    for sheet in work.draft.book.sheets:
        if any(one["protectedRangeId"] == id_ for one in sheet.protected):
            own = work.draft.own(sheet.sheet_id)
            own.protected = tuple(one for one in own.protected if one["protectedRangeId"] != id_)
            return
    raise invalid(f"No protected range with ID {id_}.")


def add_named_range(work: BatchWork, body: Json) -> Json:
    wanted = dict(body.get("namedRange") or {})
    area = a1.from_grid_range(work.draft.book, wanted.get("range") or {})
    held = work.draft.own_named_ranges()
    if any(named["name"].casefold() == str(wanted.get("name")).casefold() for named in held.values()):
        raise invalid(f'A named range with the name "{wanted.get("name")}" already exists.')
    id_ = str(wanted.get("namedRangeId") or work.fresh_id())
    held[id_] = {"namedRangeId": id_, "name": wanted["name"], "range": area.grid_range}
    return {"addNamedRange": {"namedRange": held[id_]}}


def update_named_range(work: BatchWork, body: Json) -> None:
    change = body.get("namedRange") or {}
    held = work.draft.own_named_ranges()
    id_ = str(change.get("namedRangeId"))
    if id_ not in held:
        raise invalid(f"No named range with ID {id_}.")
    named = dict(held[id_])
    if change.get("name"):
        named["name"] = change["name"]
    if change.get("range") is not None:
        named["range"] = a1.from_grid_range(work.draft.book, change["range"]).grid_range
    held[id_] = named


def delete_named_range(work: BatchWork, body: Json) -> None:
    if work.draft.own_named_ranges().pop(str(body.get("namedRangeId")), None) is None:
        raise invalid(f"No named range with ID {body.get('namedRangeId')}.")


HANDLERS: dict[str, Handler] = {
    "setBasicFilter": set_basic_filter,
    "clearBasicFilter": clear_basic_filter,
    "addProtectedRange": add_protected_range,
    "deleteProtectedRange": delete_protected_range,
    "addNamedRange": add_named_range,
    "updateNamedRange": update_named_range,
    "deleteNamedRange": delete_named_range,
}
