"""Collects the evidence for a verdict when the shop is quiet: the ledger, the locks in Redis and the workbook."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import redis.asyncio

from carrete.actions.stored_answers import without_reference
from carrete.domain.events import Event, EventoTipo
from carrete.domain.shop import Shop
from carrete.gate.locks import KEY_PREFIX
from carrete.ledger import open_database, reclamos
from carrete.ledger.database import Database, Row, Tx, stay_connected
from carrete.ledger.queries import joints_of, locks, occupied
from carrete.ledger.rows import StoredEvent, event_from, spool_from
from carrete.sheets.rows.view import read_row, readers
from carrete.sheets.structure import JOINTS, SPOOLS
from carrete.sheets.timings import DEFAULT_TIMINGS
from carrete.workbook.columns import SheetPlan
from carrete_chaos import sheet_rules
from carrete_chaos.cluster import Cluster
from carrete_chaos.google import Google
from carrete_chaos.history import (
    ActionCall,
    CampaignEvidence,
    Cells,
    RecordedEvent,
    ReplacedEdit,
    SheetAtRest,
    SheetEdit,
    SheetRowKey,
    StoredKey,
    TypedCell,
)
from carrete_chaos.ndt_at_rest import examinations
from carrete_chaos.ndt_trail import NDT_EVENTS
from carrete_chaos.offline_log import OfflineEvidence
from carrete_chaos.sheet_editor import UNKNOWN_HOLDER
from carrete_chaos.sheets import invariants
from carrete_chaos.wire import NoAnswer, get
from sheets_emulator.emulator import Emulator

LOOK_S = 0.25
MANY = 1_000_000
DAYS_REPORTED = 40
STATUS_S_MAX = 10.0


@dataclass(slots=True)
class LedgerAndSheet:
    """The ledger and the workbook."""

    emulator: Emulator
    database: Database
    shop: Shop


async def at_rest(
    cluster: Cluster, calls: list[ActionCall], edits: Sequence[SheetEdit], wait_s_max: float
) -> CampaignEvidence:
    """Waits until locks are healed and rows are written, or until the time is up; then collects everything once."""
    database = open_database(cluster.database_url)
    try:
        until = time.monotonic() + wait_s_max
        while True:
            late = time.monotonic() > until
            if late or await _written(cluster):
                evidence = await _seen(cluster, database, calls, edits)
                if late or _settled(evidence):
                    return evidence
            await asyncio.sleep(LOOK_S)
    finally:
        database.close()


async def _written(cluster: Cluster) -> bool:
    """Asks the status first: comparing every row is expensive."""
    if cluster.google is None:
        return True
    status = await _status(cluster)
    listed = len(status["problems"]) + len(status["parked"])
    return not status["events_waiting"] and status["rows_waiting"] <= listed


async def _status(cluster: Cluster) -> dict[str, Any]:
    """The sync status, from the first process that answers."""
    for port in cluster.ports[:-1]:
        with suppress(NoAnswer):
            return (await get(port, "/api/sync/status", STATUS_S_MAX, cluster.read_headers)).body
    return (await get(cluster.ports[-1], "/api/sync/status", STATUS_S_MAX, cluster.read_headers)).body


def _settled(evidence: CampaignEvidence) -> bool:
    return evidence.locks == evidence.lock_values and not any(sheet_rules.findings(evidence))


async def _seen(
    cluster: Cluster, database: Database, calls: list[ActionCall], edits: Sequence[SheetEdit]
) -> CampaignEvidence:
    """Most rows are parsed after the transaction. After an hour also those of the work without a connection take some
    seconds each."""
    with database.reading() as tx:
        stay_connected(tx, database.engine)
        wanted = {tag: value for tag, (value, _) in locks(tx).items()}
        event_rows, key_rows = tx.all("events_page", after=0, limit=100_000_000), tx.all("keys_all")
        holders = {spool.tag: spool.occupation.worker_id for spool in occupied(tx) if spool.occupation}
        offline, ndt = _late_work(tx), examinations(tx)
    events = [event_from(row) for row in event_rows]
    keys = _stored_keys(key_rows)
    facts = [fact_of(event) for event in events]
    found = await _locks(cluster)
    offline = replace(offline, reported=await _reported(cluster))
    evidence = CampaignEvidence(calls, facts, keys, holders, found, wanted, edits=edits, offline=offline, ndt=ndt)
    if cluster.google is None:
        return evidence
    status = await _status(cluster)
    return replace(evidence, sheet=_sheet(cluster.google, database, status, [event.id for event in events], edits))


def _stored_keys(rows: Sequence[Row]) -> dict[str, StoredKey]:
    """Nothing is compared with the receipts of the answers."""
    return {key: StoredKey(status, json.loads(without_reference(body))) for key, status, body in rows}


def _late_work(tx: Tx) -> OfflineEvidence:
    spools = [spool_from(row) for row in tx.all("spools_all")]
    joints = [joint for spool in spools for joint in joints_of(tx, spool.tag)]
    every = [*reclamos.waiting(tx, None, 0, MANY).reclamos, *reclamos.resolved(tx, None, 0, MANY).reclamos]
    return OfflineEvidence((), every, joints, {spool.tag: spool.counts for spool in spools})


async def _reported(cluster: Cluster) -> dict[str, int]:
    """Thousandths of an inch of each worker, by the report of the last days."""
    today = datetime.now(UTC).date()
    period = f"desde={today - timedelta(days=DAYS_REPORTED)}&hasta={today + timedelta(days=1)}"
    path = f"/api/metrics/pulgadas?{period}&por=worker"
    rows = (await get(cluster.ports[0], path, STATUS_S_MAX, cluster.read_headers)).body["rows"]
    return {row["worker"]: round(row["pulgadas"] * 1000) for row in rows if row["pulgadas"]}


def fact_of(stored: StoredEvent) -> RecordedEvent:
    event = stored.event
    operacion = str(event.operacion) if event.operacion else None
    metadata = event.metadata
    via = metadata.get("via", {})
    fact = RecordedEvent(
        stored.seq,
        stored.tag,
        str(event.tipo),
        event.worker_id,
        operacion,
        stored.version,
        stored.ocupado_por,
        device=via.get("device"),
        session=via.get("session"),
        n_union=event.n_union,
        tapped=metadata.get("hecho_en"),
        reclamo=metadata.get("reclamo"),
        undone=_undone(event),
        giver=metadata.get("de_id"),
        text=metadata.get("texto"),
        ndt=metadata if event.tipo in NDT_EVENTS else None,
    )
    if "columna" not in metadata:
        return fact
    typed = TypedCell(metadata["hoja"], event.n_union or 0, metadata["columna"], metadata["nuevo"])
    return replace(fact, typed=typed, was=metadata["anterior"], accepted=metadata.get("aceptado", True))


def _undone(event: Event) -> tuple[tuple[int, bool], ...]:
    if event.tipo is not EventoTipo.CORRECCION:
        return ()
    return tuple((joint["n_union"], event.operacion == "ARM") for joint in event.metadata.get("unions", ()))


async def _locks(cluster: Cluster) -> dict[str, str]:
    client = redis.asyncio.Redis(unix_socket_path=str(cluster.redis_socket), decode_responses=True)
    try:
        names = [name async for name in client.scan_iter(f"{KEY_PREFIX}*", count=1000)]
        values = await client.mget(names) if names else []
        found = zip(map(str, names), values, strict=True)
        return {name.removeprefix(KEY_PREFIX): str(value) for name, value in found if value}
    finally:
        with suppress(Exception):
            await client.aclose()


# ─── the workbook ─────────────────────────────────────────────────────────────────────────────────────────────


def _sheet(
    google: Google, database: Database, status: dict[str, Any], events: list[str], edits: Sequence[SheetEdit]
) -> SheetAtRest:
    both = LedgerAndSheet(google.emulator, database, google.shop)
    with google.emulator.lock:
        rows: dict[SheetRowKey, Cells] = {}
        ledger: dict[SheetRowKey, Cells] = {}
        numbers: dict[tuple[str, int], SheetRowKey] = {}
        trouble = [f"{one['hoja']} stopped: {one['motivo']}" for one in status["frozen"]]
        for plan in (SPOOLS, JOINTS):
            shown, at, left = _shown(both, plan)
            rows |= shown
            numbers |= at
            trouble += left
            ledger |= {(plan.name, tag, n): cells for (tag, n), cells in invariants.ledger_of(both, plan).items()}
        names, *there = invariants.grid(both, "Metadata")
        return SheetAtRest(
            rows,
            ledger,
            frozenset(_listed(status, numbers)),
            [row[names.index("ID")] for row in there],
            events,
            list(_replaced(both, edits, DEFAULT_TIMINGS.reversal_s * google.haste)),
            trouble,
        )


def _shown(
    both: LedgerAndSheet, plan: SheetPlan
) -> tuple[dict[SheetRowKey, Cells], dict[tuple[str, int], SheetRowKey], list[str]]:
    """The rows of a sheet by key, their row numbers, and a sentence for each row without a key that has content."""
    view = invariants.view_of(both, plan)
    columns = readers(view)
    rows: dict[SheetRowKey, Cells] = {}
    numbers: dict[tuple[str, int], SheetRowKey] = {}
    for (tag, n_union), index in view.at.items():
        reading = read_row(view, view.raws[index], columns, both.shop.zone)
        rows[plan.name, tag, n_union] = reading.cells
        numbers[plan.name, index + 1] = (plan.name, tag, n_union)
    left = [
        f"{plan.name} row {index + 1} has no key, and {view.raws[index]}"
        for index in view.keyless
        if any(str(cell).strip() for cell in view.raws[index])
    ]
    return rows, numbers, left


def _listed(status: dict[str, Any], numbers: dict[tuple[str, int], SheetRowKey]) -> Iterator[SheetRowKey]:
    """The rows that `/api/sync/status` lists: problems by row number, parked rows by key."""
    for one in status["problems"]:
        if place := numbers.get((one["hoja"], one["fila"])):
            yield place
    for one in status["parked"]:
        yield one["hoja"], one["tag_spool"], one["n_union"] or 0


def _replaced(both: LedgerAndSheet, edits: Sequence[SheetEdit], moment_s: float) -> Iterator[ReplacedEdit]:
    """Each edit of a person that a write of the lane replaced, with the last edit that typed the value and the time of
    the lane's request. A holder who does not exist leaves no event: then the cell must have the value again, unless
    somebody typed into it later."""
    apart = time.monotonic() - both.emulator.clock.seconds()
    sent_at = {one["number"]: one["at"] + apart for one in both.emulator.journal.entries()}
    for one in invariants.overwritten(both):
        typed = TypedCell(one.sheet, one.n_union, one.column, one.value)
        at = sent_at.get(one.request, float("inf"))
        since = [e for e in edits if e.tag == one.tag and replace(e.typed, value=UNKNOWN_HOLDER) == typed and e.at > at]
        if one.value == UNKNOWN_HOLDER and (one.restored or since):
            continue
        made = [edit for edit in edits if (edit.tag, edit.typed) == (one.tag, typed) and edit.at <= at]
        edit = made[-1] if made else SheetEdit(one.tag, typed, float("-inf"))
        if not removes_unknown_holder(edit, edits) and not is_typed_again(edit, edits, moment_s):
            yield ReplacedEdit(edit, at)


def removes_unknown_holder(edit: SheetEdit, edits: Sequence[SheetEdit]) -> bool:
    """Whether the edit removes a holder who does not exist and restores the value from before that. The lane read
    neither edit, so there is no event."""
    cell = replace(edit.typed, value=UNKNOWN_HOLDER)
    typed_before = [one for one in edits if (one.tag, one.typed) == (edit.tag, cell) and one.at < edit.at]
    return edit.over == UNKNOWN_HOLDER and bool(typed_before) and typed_before[-1].over == edit.typed.value


def is_typed_again(edit: SheetEdit, edits: Sequence[SheetEdit], moment_s: float) -> bool:
    """Whether the edit brings back what another edit of that cell replaced less than a moment before. If no read in
    between was saved (its answer came too late, the ledger could not be written, or it waited for the next one), the
    cell has not changed for the lane."""
    cell = replace(edit.typed, value="")
    before = [one for one in edits if (one.tag, replace(one.typed, value="")) == (edit.tag, cell) and one.at < edit.at]
    return any(one.over == edit.typed.value and edit.at - one.at < moment_s for one in before)
