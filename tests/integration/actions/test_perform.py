"""The path of an action: everything is in one commit, and the answer comes after it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from carrete.domain.commands import Completar, Pausar, Tomar
from carrete.domain.events import EventoTipo
from carrete.domain.spool import Operacion
from carrete.gate import LockAttempt
from carrete.ledger.database import Database, Tx
from carrete.ledger.errors import LedgerUnavailable
from carrete.ledger.migrate import migrate
from carrete.ledger.sqlite import SqliteDatabase
from tests.support.acting import OK, REFUSED, Floor, a_floor, a_request, bodies, code
from tests.support.builders import NOW, a_spool, a_worker, events_in, put, spool_in

ARM, SOLD = Operacion.ARM, Operacion.SOLD


def test_an_action_is_in_the_ledger_with_its_event_token_and_answer(floor: Floor, shop: Database) -> None:
    before = spool_in(shop, "MK-1").version
    (body,) = bodies(floor.do(Tomar("MK-1", 7, ARM)))
    spool = spool_in(shop, "MK-1")
    (stored,) = events_in(shop)
    assert spool.occupation is not None
    assert spool.occupation.worker_id == 7
    assert body["version"] == spool.version == stored.version != before
    assert body["event_seq"] == stored.seq
    assert (stored.event.tipo, stored.event.worker_id, stored.event.at) == (EventoTipo.TOMAR_SPOOL, 7, NOW)


def test_an_event_shows_the_spool_as_it_left_it(floor: Floor, shop: Database) -> None:
    floor.do(Tomar("MK-1", 7, ARM))
    floor.do(Pausar("MK-1", 7, ARM))
    taken, paused = events_in(shop, "MK-1")
    assert (taken.ocupado_por, taken.workflow) == ("AM(7)", "v3.0")
    assert taken.estado_detalle == "AM(7) trabajando ARM (ARM en progreso, SOLD pendiente)"
    assert (paused.ocupado_por, paused.estado_detalle) == (None, "Disponible - ARM pausado, SOLD pendiente")


def test_every_change_queues_its_row_for_the_workbook(floor: Floor, shop: Database) -> None:
    with shop.writing() as tx:
        tx.execute("DELETE FROM outbox")
    floor.do(Tomar("MK-1", 7, ARM))
    floor.do(Pausar("MK-1", 7, ARM))
    floor.do(Tomar("MK-2", 404, ARM))
    with shop.reading() as tx:
        (length, _) = tx.one("outbox_length") or (None, None)
    assert length == 1, "one row of one spool, however often it changed, and none for a refusal"


def test_a_refused_action_leaves_nothing_behind(floor: Floor, shop: Database) -> None:
    before = spool_in(shop, "MK-1")
    answer = floor.do(Pausar("MK-1", 7, ARM))
    assert (answer.status, code(answer)) == (REFUSED, "OPERACION_NO_INICIADA")
    assert spool_in(shop, "MK-1") == before
    assert events_in(shop) == []


def test_the_lock_value_names_worker_and_time_of_the_shop(floor: Floor, shop: Database) -> None:
    floor.do(Tomar("MK-1", 7, ARM))
    held = spool_in(shop, "MK-1").occupation
    assert held is not None
    assert re.fullmatch(r"7:[0-9a-f]{8}-[0-9a-f-]{27}:16-11-2026 10:30:00", held.lock)
    assert held.since == NOW


def test_times_are_kept_to_the_second(shop: Database) -> None:
    fine = datetime(2026, 11, 16, 13, 30, 59, 999_999, tzinfo=UTC)
    with a_floor(shop, clock=lambda: fine) as floor:
        floor.do(Tomar("MK-1", 7, ARM))
    held = spool_in(shop, "MK-1").occupation
    assert held is not None
    assert held.since == fine.replace(microsecond=0) == events_in(shop)[0].event.at


def test_a_double_tap_succeeds_without_an_event_and_names_the_last_one(floor: Floor, shop: Database) -> None:
    first, second = (bodies(floor.do(Tomar("MK-1", 7, ARM)))[0] for _ in range(2))
    assert first == second
    assert len(events_in(shop)) == 1


def test_two_taps_at_the_same_moment_are_one_event(floor: Floor, shop: Database) -> None:
    floor.do_all(a_request(Tomar("MK-1", 7, ARM)) for _ in range(10))
    assert len(events_in(shop)) == 1


def test_an_old_token_is_a_conflict_and_the_present_one_is_not(floor: Floor, shop: Database) -> None:
    old = spool_in(shop, "MK-1").version
    floor.do(Tomar("MK-1", 7, ARM, version=old))
    assert code(floor.do(Pausar("MK-1", 7, ARM, version=old))) == "VERSION_CONFLICT"
    assert code(floor.do(Pausar("MK-1", 7, ARM, version=spool_in(shop, "MK-1").version))) == "OK"


def test_completing_both_writes_its_two_events_in_one_go(floor: Floor, shop: Database) -> None:
    for command in (Tomar, Completar):
        floor.do(command("MK-1", 7, ARM))
    floor.do(Tomar("MK-1", 7, SOLD))
    (body,) = bodies(floor.do(Completar("MK-1", 7, SOLD)))
    *_, completed, queued = events_in(shop, "MK-1")
    assert (completed.event.tipo, queued.event.tipo) == (
        EventoTipo.COMPLETAR_SOLD,
        EventoTipo.METROLOGIA_AUTO_TRIGGERED,
    )
    assert body["event_seq"] == queued.seq > completed.seq
    assert body["estado_detalle"] == queued.estado_detalle == "En Cola Metrología"


def test_emoji_and_arabic_tags_go_through_unchanged(database: Database) -> None:
    tags = ["🔩-MK-1", "مخزن-7", "Ñ/25 «x»", "'; DROP TABLE spool; --", "100%(tag)s"]
    put(database, [a_spool(tag) for tag in tags], [a_worker(7)])
    with a_floor(database) as floor:
        floor.do(*(Tomar(tag, 7, ARM) for tag in tags))
    assert sorted(stored.tag for stored in events_in(database)) == sorted(tags)


# ─── batches ──────────────────────────────────────────────────────────────────────────────────────────────


class CountingCommits:
    """The real ledger, which counts its commits."""

    def __init__(self, real: Database) -> None:
        self.engine, self.reading, self.close = real.engine, real.reading, real.close
        self.schema = real.schema
        self._real = real
        self.commits = 0

    @contextmanager
    def writing(self) -> Iterator[Tx]:
        with self._real.writing() as tx:
            yield tx
        self.commits += 1


def test_a_batch_is_one_commit_and_each_spool_is_on_its_own(shop: Database) -> None:
    counting = CountingCommits(shop)
    with a_floor(counting) as floor:
        floor.do(Tomar("MK-3", 8, ARM))
        counting.commits = 0
        answer = floor.do(*(Tomar(tag, 7, ARM) for tag in ("MK-5", "MK-3", "GONE", "MK-1")))
    assert counting.commits == 1
    assert answer.status == OK
    assert [body.get("code", "OK") for body in bodies(answer)] == [
        "OK",
        "SPOOL_OCCUPIED",
        "SPOOL_NO_ENCONTRADO",
        "OK",
    ]
    assert [stored.tag for stored in events_in(shop)] == ["MK-3", "MK-5", "MK-1"]


def test_a_batch_under_a_key_is_replayed_as_a_whole(floor: Floor, shop: Database) -> None:
    batch = [Tomar(tag, 7, ARM) for tag in ("MK-2", "GONE", "MK-1")]
    first, again = floor.do(*batch, key="k"), floor.do(*batch, key="k")
    assert (first.body, again.replayed) == (again.body, True)
    assert len(events_in(shop)) == 2


def test_a_second_tap_gets_the_seq_of_the_event_it_repeats_whatever_the_same_commit_does_next(
    floor: Floor, shop: Database
) -> None:
    (earlier,) = bodies(floor.do(Tomar("MK-1", 7, ARM)))
    held, paused = bodies(floor.do(Tomar("MK-1", 7, ARM), Pausar("MK-1", 7, ARM)))
    taken, again, let_go = bodies(floor.do(Tomar("MK-1", 7, ARM), Tomar("MK-1", 7, ARM), Pausar("MK-1", 7, ARM)))
    numbers = {stored.version: stored.seq for stored in events_in(shop, "MK-1")}
    for body in (earlier, held, paused, taken, again, let_go):
        assert body["event_seq"] == numbers[body["version"]]
    assert (held["version"], again["version"]) == (earlier["version"], taken["version"])


def test_two_commands_on_one_spool_in_one_commit_build_on_each_other(floor: Floor, shop: Database) -> None:
    answers = floor.do_all(
        [a_request(Tomar("MK-1", 7, ARM)), a_request(Pausar("MK-1", 7, ARM)), a_request(Tomar("MK-1", 8, ARM))]
    )
    assert all(not isinstance(answer, BaseException) for answer in answers)
    events = events_in(shop, "MK-1")
    assert [stored.event.accion for stored in events] == ["TOMAR", "PAUSAR", "TOMAR"]
    assert [stored.seq for stored in events] == sorted(stored.seq for stored in events)
    held = spool_in(shop, "MK-1").occupation
    assert held is not None
    assert held.worker_id == 8


def test_batches_over_the_same_spools_in_opposite_order_do_not_wait_for_each_other(floor: Floor) -> None:
    tags = [f"MK-{n}" for n in range(1, 11)]
    forwards = a_request(*(Tomar(tag, 1, ARM) for tag in tags))
    backwards = a_request(*(Tomar(tag, 2, ARM) for tag in reversed(tags)))
    answers = floor.do_all([forwards, backwards])
    taken = [body for answer in answers if not isinstance(answer, BaseException) for body in bodies(answer)]
    assert [("code" in body) for body in taken].count(False) == 10


# ─── the gate ─────────────────────────────────────────────────────────────────────────────────────────────


class RecordingGate:
    """A gate that notes each call, and the lock value that the ledger has at that moment."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.notes: list[tuple[str, bool, str | None]] = []
        self.transitions: list[tuple[bool, str | None, str | None]] = []

    async def enter(self, attempts: Sequence[LockAttempt]) -> None:
        self._note("enter", attempts)

    def extend(self, attempts: Sequence[LockAttempt]) -> None:
        raise AssertionError("no commit here takes that long")

    async def leave(self, attempts: Sequence[LockAttempt]) -> None:
        self.transitions += [(attempt.decided, attempt.before, attempt.after) for attempt in attempts]
        self._note("leave", attempts)

    def _note(self, what: str, attempts: Sequence[LockAttempt]) -> None:
        for attempt in attempts:
            held = spool_in(self._database, attempt.tag).occupation
            self.notes.append((what, attempt.takes, held.lock if held else None))


def test_the_gate_is_entered_before_and_left_after_the_commit(shop: Database) -> None:
    gate = RecordingGate(shop)
    with a_floor(shop, gate=gate) as floor:
        floor.do(Tomar("MK-1", 7, ARM))
        held = spool_in(shop, "MK-1").occupation
        floor.do(Pausar("MK-1", 7, ARM))
    assert held is not None
    assert gate.notes == [
        ("enter", True, None),
        ("leave", True, held.lock),
        ("enter", False, held.lock),
        ("leave", False, None),
    ]
    assert gate.transitions == [(True, None, held.lock), (True, held.lock, None)]


def test_the_gate_is_left_after_a_refusal_too(shop: Database) -> None:
    gate = RecordingGate(shop)
    with a_floor(shop, gate=gate) as floor:
        floor.do(Tomar("MK-1", 404, ARM))
    assert [what for what, _, _ in gate.notes] == ["enter", "leave"]


# ─── a ledger that is gone ────────────────────────────────────────────────────────────────────────────────


def test_while_the_ledger_is_gone_the_outcome_is_unknown_and_the_same_key_then_decides(tmp_path: Path) -> None:
    """The same with a PostgreSQL that was stopped is in `tests/integration/ledger/test_postgres.py`."""
    database = SqliteDatabase(tmp_path / "carrete.db")
    migrate(database)
    put(database, [a_spool("MK-1")], [a_worker(7)])
    away = tmp_path / "away"
    away.mkdir()
    files = sorted(tmp_path.glob("carrete.db*"))
    with a_floor(database) as floor:
        for file in files:
            file.rename(away / file.name)
        with pytest.raises(LedgerUnavailable):
            floor.do(Tomar("MK-1", 7, ARM), key="k")
        for file in files:
            (away / file.name).rename(file)
        answer = floor.do(Tomar("MK-1", 7, ARM), key="k")
    assert (code(answer), answer.replayed) == ("OK", False)
    assert len(events_in(database)) == 1
    database.close()
