"""Bugs that are planted in a running `carrete` from outside. The product has no switch for them."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from multiprocessing import process
from typing import Any

from carrete import cli, services
from carrete.actions import group
from carrete.actions.answer import Answer
from carrete.api import occupation as api
from carrete.api.server import serving as _serving  # noqa: F401 - forked processes must have it loaded already
from carrete.domain import decide, occupation
from carrete.domain.edits import holder
from carrete.domain.refusals import NotBegun, Refusal, SpoolOccupied
from carrete.gate.heal import Healer
from carrete.gate.locks import Locks
from carrete.gate.reconcile import Reconciler
from carrete.ledger import store
from carrete.parent_death import end_with_parent
from carrete.sheets.pull import puller
from carrete.sheets.push import batch, flush, planner
from carrete.sheets.rows import classify, storage
from carrete.workbook import spools as rows
from carrete_chaos.hurried import hurried_timings
from tests.system.chaos.planted_identity import IDENTITY_BUGS
from tests.system.chaos.planted_ndt import NDT_BUGS
from tests.system.chaos.planted_offline import OFFLINE_BUGS
from tests.system.chaos.planted_shift import SHIFT_BUGS

RARELY = 0.05
HASTE = 0.05  # of what the lane waits in a shop


def rarely() -> bool:
    return random.random() < RARELY


def plant(where: Any, name: str, grown: Callable[[Any], Any]) -> None:
    """Replaces the attribute by what `grown` makes of it."""
    setattr(where, name, grown(getattr(where, name)))


def no_idempotency() -> None:
    """A repeated key acts again."""
    plant(store, "_keys", lambda _: lambda rows: {})
    plant(group, "insert_keys", keys_kept(lambda tx, key, _known: not tx.all("keys_known", keys=[key])))


def refusals_are_not_remembered() -> None:
    """A request that was stuck somewhere acts after its twin was refused."""
    plant(group, "insert_keys", keys_kept(lambda _tx, _key, known: known.status == 200))


def keys_kept(wanted: Callable[[Any, str, Any], bool]) -> Callable[[Any], Any]:
    """Stores only the wanted ones of a commit's keys."""

    def some(record: Any) -> Any:
        def recorded(tx: Any, keys: Any, now: Any) -> None:
            record(tx, {key: known for key, known in keys.items() if wanted(tx, key, known)}, now)

        return recorded

    return some


def a_success_is_answered_before_the_commit() -> None:
    """The success is answered, and sometimes the change is never written."""
    plant(group.RequestGroup, "write", lose_changes)


def lose_changes(write: Any) -> Any:
    def lost(requests: Any, *what: Any) -> Any:
        decided = write(requests, *what)
        if requests._changes and rarely():
            for sql in ("ROLLBACK", "BEGIN"):
                requests._tx.execute(sql)
        return decided

    return lost


def audit_is_best_effort() -> None:
    """The spool changes, but its events are sometimes not written."""
    plant(group, "insert_events", lambda right: lambda tx, after, events: right(tx, after, some_of(events)))


def holder_and_event_in_two_writes() -> None:
    """The event is written, but the row sometimes is not."""
    plant(
        group,
        "update_rows",
        lambda right: lambda tx, after, n: right(tx, replace(after, spools=some_of(after.spools)), n),
    )


def some_of(rows: Sequence[Any]) -> Sequence[Any]:
    return [] if rarely() else rows


def released_by_the_clock() -> None:
    """No occupation lasts: a write sometimes frees another spool, without an event."""
    free = (
        "UPDATE spool SET ocupado_por_id = NULL, ocupado_por = NULL, operacion_actual = NULL, fecha_ocupacion = NULL, "
        "lock_value = NULL WHERE tag = (SELECT max(tag) FROM spool WHERE ocupado_por_id IS NOT NULL)"
    )

    def and_frees(record: Any) -> Any:
        def recorded(tx: Any, *what: Any) -> None:
            record(tx, *what)
            if rarely():
                tx.execute(free)

        return recorded

    plant(group, "insert_events", and_frees)


def a_second_holder_is_let_in() -> None:
    def let_in(right: Any) -> Any:
        def checked(command: Any, spool: Any, shop: Any) -> None:
            try:
                right(command, spool, shop)
            except SpoolOccupied:
                if not rarely():
                    raise

        return checked

    plant(decide, "_free_to_act", let_in)


def anybody_ends_it() -> None:
    def of_any_holder(command: Any, spool: Any) -> None:
        if spool.occupation is None:
            raise NotBegun(spool.tag, command.operacion)

    plant(decide, "_require_held", lambda _: of_any_holder)


def written_under_another_name() -> None:
    """Somebody acts as somebody else."""

    def as_the_first(take: Any) -> Any:
        return lambda spool, worker, *rest: take(spool, replace(worker, id=1) if rarely() else worker, *rest)

    plant(occupation, "take", as_the_first)


def a_refusal_names_the_wrong_worker() -> None:
    """The refusal names the wrong worker."""

    def another(original: Any) -> Any:
        def names(self: Any, tag: str, held: Any, since: str) -> None:
            original(self, tag, held._replace(worker_id=held.worker_id % 8 + 1) if rarely() else held, since)

        return names

    plant(SpoolOccupied, "__init__", another)


def a_refused_action_is_answered_with_success() -> None:
    success = {"success": True, "action_taken": "TOMAR", "version": "00000000-0000-4000-8000-000000000000"}

    def sometimes_yes(right: Any) -> Any:
        def render(command: Any, outcome: Any, shop: Any) -> Any:
            if isinstance(outcome, Refusal) and rarely():
                return Answer(200, api.as_json(success))
            return right(command, outcome, shop)

        return render

    plant(api, "action_answer", sometimes_yes)


def locks_are_never_released() -> None:
    """The compared value is never the one that Redis has."""
    _without_healing()
    plant(Locks, "release", lambda right: lambda self, tag, value: right(self, tag, value + " "))


def locks_are_never_held() -> None:
    """Locks stay pending, and expire."""
    _without_healing()
    plant(Locks, "hold", lambda _: Locks.extend)
    plant(Locks, "__init__", lambda made: lambda self, pipeline: made(self, pipeline, safety_ms=300))


def nothing_heals() -> None:
    """After FLUSHALL the held spools have no lock any more."""
    _without_healing()

    async def no_pass(self: Any) -> None:
        return None

    plant(Reconciler, "rebuild", lambda _: no_pass)


def _without_healing() -> None:
    async def left_alone(self: Any, tag: str) -> None:
        return None

    plant(Healer, "heal", lambda _: left_alone)


def an_event_is_skipped_in_the_stream() -> None:
    def all_but_one(encode: Any) -> Any:
        return lambda rows, zone: encode(rows[1:] if random.random() < 0.3 else rows, zone)

    plant(services, "frames", all_but_one)


# ─── the sheet ────────────────────────────────────────────────────────────────────────────────────────────────


def a_row_is_never_written() -> None:
    """A row leaves the queue as if it had been written."""

    def all_but_one(right: Any) -> Any:
        def planned(self: Any, plan: Any, place: Any, change: str, ledger: Any) -> None:
            if place[1][0] == "CH-W-000":
                plan.close.append((place, change))
            else:
                right(self, plan, place, change, ledger)

        return planned

    plant(planner.Planner, "_row", all_but_one)


def an_edit_is_dropped() -> None:
    """An edit is read and remembered as read, but has no effect."""
    plant(
        puller,
        "incoming_spools",
        lambda right: lambda edited, *rest: right([] if random.random() < 0.5 else edited, *rest),
    )


def a_value_in_the_wrong_row() -> None:
    """The values of one row are written into the next one too, and no stamp shows it."""

    def also_below(right: Any) -> Any:
        def requests(tab_id: int, index: int, columns: dict[int, Any]) -> list[Any]:
            cells = right(tab_id, index, columns)
            unstamped = {at: cell for at, cell in columns.items() if cell is not columns[max(columns)]}
            return [*cells, *right(tab_id, index + 1, unstamped)] if unstamped else cells

        return requests

    plant(batch, "row_requests", also_below)


def our_own_writes_are_taken_for_a_persons() -> None:
    """Whatever the stamp says."""

    def without_the_journal(right: Any) -> Any:
        return lambda row, reading, known, _write, *rest: right(row, reading, known, None, *rest)

    plant(classify, "classify_row", without_the_journal)


def events_are_sent_again() -> None:
    """A flush whose answer was lost counts as never sent."""

    def forgotten(_right: Any) -> Any:
        def settle(self: flush.Flusher) -> None:
            with self._database.reading() as tx:
                flush = storage.open_flush(tx)
            if flush is not None:
                self._dropped(flush)

        return settle

    plant(flush.Flusher, "settle", forgotten)


def a_person_is_obeyed_without_a_word() -> None:
    """An edit takes effect, but the trail has no record of it."""
    plant(rows, "save_changes", lambda right: lambda tx, after, happened: right(tx, after, []))


def a_person_frees_the_present_holder() -> None:
    """An emptied cell frees also a holder whom the person could not see."""
    plant(holder, "_saw_present_occupation", lambda _right: lambda spool, seen, zone: True)


BUGS: Mapping[str, Callable[[], None]] = {
    bug.__name__: bug
    for bug in (
        no_idempotency,
        refusals_are_not_remembered,
        a_success_is_answered_before_the_commit,
        audit_is_best_effort,
        holder_and_event_in_two_writes,
        released_by_the_clock,
        a_second_holder_is_let_in,
        anybody_ends_it,
        written_under_another_name,
        a_refusal_names_the_wrong_worker,
        a_refused_action_is_answered_with_success,
        locks_are_never_released,
        locks_are_never_held,
        nothing_heals,
        an_event_is_skipped_in_the_stream,
    )
}
SHEET_BUGS: Mapping[str, Callable[[], None]] = {
    bug.__name__: bug
    for bug in (
        a_row_is_never_written,
        an_edit_is_dropped,
        a_value_in_the_wrong_row,
        our_own_writes_are_taken_for_a_persons,
        events_are_sent_again,
        a_person_is_obeyed_without_a_word,
        a_person_frees_the_present_holder,
    )
}


def run(bug: str, arguments: Sequence[str], environment: Mapping[str, str], log: str) -> None:
    """In a process of its own: `carrete` with that bug in it, or with none."""
    end_with_parent()
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.environ.clear()
    os.environ.update(environment)
    process._parent_process = None  # type: ignore[attr-defined]  # it is nobody's worker process
    if bug:
        {**BUGS, **SHEET_BUGS, **IDENTITY_BUGS, **OFFLINE_BUGS, **SHIFT_BUGS, **NDT_BUGS}[bug]()
    sys.argv = ["carrete", *arguments]
    cli.main(hurried_timings(HASTE))
