"""The rules for the workbook at rest: it equals the ledger, and no edit of a person was dropped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from carrete_chaos.editing import EDICION
from carrete_chaos.history import CampaignEvidence, ReplacedEdit, SheetAtRest, SheetRowKey

Finding = tuple[str, str, str]  # rule, tag, sentence


def findings(evidence: CampaignEvidence) -> Iterator[Finding]:
    sheet = evidence.sheet
    if sheet is None:
        return
    yield from (("sheet", "", sentence) for sentence in sheet.trouble)
    yield from _rows(sheet)
    yield from _events(sheet)


def _rows(sheet: SheetAtRest) -> Iterator[Finding]:
    """Compares cell by cell, except rows that are listed as waiting for a person."""
    for place in (sheet.rows.keys() | sheet.ledger.keys()) - sheet.listed:
        theirs, ours = sheet.rows.get(place), sheet.ledger.get(place)
        if theirs is None or ours is None:
            where = "not in the sheet" if theirs is None else "not in the ledger"
            yield "sheet", place[1], f"{_named(place)} is {where}"
            continue
        for name, value in theirs.items():
            if ours.get(name, "") != value:
                wanted = f"the sheet says {value!r}, the ledger {ours.get(name, '')!r}"
                yield "sheet", place[1], f"{_named(place)} {name}: {wanted}"


def _events(sheet: SheetAtRest) -> Iterator[Finding]:
    """Every event is in the sheet once, in order."""
    there = Counter(sheet.events)
    twice = [id_ for id_, n in there.items() if n > 1]
    missing = [id_ for id_ in sheet.ledger_events if id_ not in there]
    strange = there.keys() - set(sheet.ledger_events)
    if twice:
        yield "sheet events", "", f"{len(twice)} events are in the sheet twice, such as {twice[0]}"
    if missing:
        yield "sheet events", "", f"{len(missing)} events are not in the sheet, such as {missing[0]}"
    if strange:
        yield "sheet events", "", f"{len(strange)} events of the sheet are not in the ledger, such as {min(strange)}"
    if not (twice or missing or strange) and list(sheet.events) != list(sheet.ledger_events):
        yield "sheet events", "", "the events of the sheet are not in the ledger's order"


def unrecorded(evidence: CampaignEvidence) -> list[ReplacedEdit]:
    """Edits of people that we had read, that a write of ours replaced, and that have no event."""
    if evidence.sheet is None:
        return []
    recorded = {(fact.tag, fact.typed) for fact in evidence.facts if fact.tipo == EDICION}
    return [one for one in evidence.sheet.replaced if (one.edit.tag, one.edit.typed) not in recorded]


def _named(place: SheetRowKey) -> str:
    sheet, tag, n_union = place
    return f"{sheet} {tag}/{n_union}" if n_union else f"{sheet} {tag}"
