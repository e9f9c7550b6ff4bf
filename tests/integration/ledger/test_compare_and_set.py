"""One commit holds everything of a change or nothing, and only if the spool still has the token that was read."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import Any

import pytest

from carrete.domain.events import Event, EventoTipo
from carrete.domain.spool import Spool
from carrete.ledger.database import Database, Tx
from carrete.ledger.errors import RaceLost
from carrete.ledger.rows import StoredEvent, spool_row
from carrete.ledger.store import Changes, JointWrite, KnownKey, SpoolWrite, joints_of_many, last_seqs, save
from tests.support.builders import NOW, a_joint, a_spool, a_worker, events_in, every_event, held, put, spool_in


@dataclass
class Commit:
    changes: Changes
    events: list[StoredEvent]
    keys: dict[str, KnownKey]


def a_change(*spools: tuple[Spool, str | None], seq: int = 1, key: str | None = None) -> Commit:
    """Those spools as they will be, each with the token it was read with, one event each, and a key."""
    events = [
        StoredEvent(seq + place, f"id-{seq + place}", spool.tag, _taken(), "MR(93)", "…", spool.version, "v3.0")
        for place, (spool, _) in enumerate(spools)
    ]
    keys = {key: KnownKey("body", 200, "{}")} if key else {}
    return Commit(Changes(NOW, [SpoolWrite(spool, read) for spool, read in spools]), events, keys)


def _taken() -> Event:
    return Event(EventoTipo.TOMAR_SPOOL, NOW, "TOMAR", "ARM", 93, "MR(93)")


def commit(database: Database, whole: Commit) -> None:
    with database.writing() as tx:
        write(tx, whole)


def write(tx: Tx, whole: Commit) -> None:
    save(tx, whole.changes, whole.events, whole.keys)


def everything(database: Database) -> tuple[Any, ...]:
    """All that a change could touch, except the queue for the workbook as `put` left it."""
    with database.reading() as tx:
        keys = tx.all("keys_known", keys=["key"])
        return (tx.all("spools_all"), tx.all("joints_all"), every_event(tx), keys, tx.all("outbox_length"))


@pytest.fixture
def three(database: Database) -> list[Spool]:
    spools = [a_spool(f"MK-{n}") for n in (1, 2, 3)]
    put(database, spools, [a_worker()])
    return spools


def taken(spool: Spool) -> Spool:
    return replace(held(spool, a_worker()), version="the next token")


def test_a_change_on_the_token_that_was_read_is_kept_whole(database: Database, three: list[Spool]) -> None:
    commit(database, a_change((taken(three[0]), three[0].version), key="key"))
    assert spool_in(database, "MK-1") == replace(taken(three[0]), occupation=spool_in(database, "MK-1").occupation)
    assert [stored.event.tipo for stored in events_in(database, "MK-1")] == [EventoTipo.TOMAR_SPOOL]
    with database.reading() as tx:
        assert tx.all("keys_known", keys=["key"]) == [("key", "body", 200, "{}")]
        assert last_seqs(tx, ["MK-1", "MK-2"]) == {"MK-1": 1, "MK-2": 0}


def test_a_change_on_an_old_token_loses_and_leaves_nothing(database: Database, three: list[Spool]) -> None:
    before = everything(database)
    with pytest.raises(RaceLost):
        commit(database, a_change((taken(three[0]), "an older token"), key="key"))
    assert everything(database) == before


def test_one_old_token_among_three_keeps_all_three_from_being_written(database: Database, three: list[Spool]) -> None:
    before = everything(database)
    first, second, third = three
    writes = a_change(
        (taken(first), first.version), (taken(second), "an older token"), (taken(third), third.version), key="key"
    )
    with pytest.raises(RaceLost):
        commit(database, writes)
    assert everything(database) == before


def test_of_two_changes_on_the_same_token_only_the_first_is_kept(database: Database, three: list[Spool]) -> None:
    spool = three[0]
    commit(database, a_change((replace(spool, ot="first", version="a"), spool.version), seq=1))
    with pytest.raises(RaceLost):
        commit(database, a_change((replace(spool, ot="second", version="b"), spool.version), seq=2))
    assert (spool_in(database, "MK-1").ot, len(events_in(database))) == ("first", 1)


def test_a_key_that_was_decided_meanwhile_keeps_the_change_from_happening(
    database: Database, three: list[Spool]
) -> None:
    first, second, _ = three
    commit(database, a_change((taken(first), first.version), seq=1, key="key"))
    before = everything(database)
    with pytest.raises(RaceLost):
        commit(database, a_change((taken(second), second.version), seq=2, key="key"))
    assert everything(database) == before


def test_a_spool_that_vanished_cannot_be_changed(database: Database) -> None:
    with pytest.raises(RaceLost):
        commit(database, a_change((a_spool("MK-GONE"), "token")))
    assert events_in(database) == []


def test_a_joint_that_vanished_cannot_be_changed(database: Database, three: list[Spool]) -> None:
    before = everything(database)
    writes = a_change((taken(three[0]), three[0].version))
    writes.changes.changed_joints.append(JointWrite(a_joint(1, "MK-1"), "token"))
    with pytest.raises(RaceLost):
        commit(database, writes)
    assert everything(database) == before


def test_a_joint_with_another_token_than_the_one_read_takes_everything_back(
    database: Database, three: list[Spool]
) -> None:
    joint = a_joint(1, "MK-1")
    with database.writing() as tx:
        save(tx, Changes(NOW, new_joints=[joint]))
    before = everything(database)
    writes = a_change((taken(three[0]), three[0].version), key="key")
    writes.changes.changed_joints.append(
        JointWrite(replace(joint, arm_fin=NOW, version="the next token"), "an older token")
    )
    with pytest.raises(RaceLost):
        commit(database, writes)
    assert everything(database) == before


def test_a_failure_at_the_last_row_takes_the_first_back(database: Database, three: list[Spool]) -> None:
    commit(database, a_change((taken(three[0]), three[0].version), seq=1))
    before = everything(database)
    same_number_again = a_change((taken(three[1]), three[1].version), seq=1)
    with pytest.raises(Exception, match=r"(?i)never changed|duplicate"):
        commit(database, same_number_again)
    assert everything(database) == before


def test_an_error_of_ours_in_the_middle_leaves_nothing(database: Database, three: list[Spool]) -> None:
    before = everything(database)

    def fail_after_writing() -> None:
        with database.writing() as tx:
            write(tx, a_change((taken(three[0]), three[0].version)))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_after_writing()
    assert everything(database) == before
    commit(database, a_change((taken(three[0]), three[0].version)))


def test_an_update_of_the_work_alone_leaves_what_the_workbook_delivers(database: Database, three: list[Spool]) -> None:
    changed = replace(taken(three[0]), ot="OT-9", fecha_materiales=None, total_uniones=4, retired=True)
    whole = a_change((changed, three[0].version))
    whole.changes.only_work = True
    commit(database, whole)
    after = spool_in(database, "MK-1")
    assert after == replace(taken(three[0]), occupation=after.occupation)


def test_an_update_of_the_work_alone_loses_on_an_old_token(database: Database, three: list[Spool]) -> None:
    whole = a_change((taken(three[0]), "an older token"))
    whole.changes.only_work = True
    with pytest.raises(RaceLost):
        commit(database, whole)
    assert spool_in(database, "MK-1") == three[0]


def test_an_update_of_the_work_alone_writes_what_an_action_does_to_a_joint(
    database: Database, three: list[Spool]
) -> None:
    joint = a_joint(1, "MK-1")
    with database.writing() as tx:
        save(tx, Changes(NOW, new_joints=[joint]))
    done = replace(joint, arm_fin=NOW, arm_worker="MR(93)", wps="WPS-1", colada_1="H1", version="the next token")
    writes = a_change((taken(three[0]), three[0].version))
    writes.changes.only_work = True
    writes.changes.changed_joints.append(JointWrite(replace(done, dn_milli=9_000, tipo="FW"), joint.version))
    commit(database, writes)
    with database.reading() as tx:
        assert joints_of_many(tx, ["MK-1"]) == {"MK-1": [done]}


@pytest.mark.parametrize("missing", ["operacion_actual", "fecha_ocupacion", "lock_value"])
def test_half_an_occupation_cannot_be_stored(database: Database, three: list[Spool], missing: str) -> None:
    row = {**spool_row(taken(three[0])), "read_version": three[0].version, missing: None}

    def store() -> None:
        with database.writing() as tx:
            tx.many("spool_update", [row])

    with pytest.raises(Exception, match=r"(?i)check"):
        store()
    assert spool_in(database, "MK-1") == three[0]


def test_a_reader_sees_a_change_only_after_its_commit(database: Database, three: list[Spool]) -> None:
    with database.writing() as tx:
        write(tx, a_change((taken(three[0]), three[0].version)))
        seen_by_others: list[Spool] = []
        reader = threading.Thread(target=lambda: seen_by_others.append(spool_in(database, "MK-1")))
        reader.start()
        reader.join(10)
    assert seen_by_others == [three[0]], "and did not wait for the writer either"
    assert spool_in(database, "MK-1").occupation is not None


def test_a_reader_sees_one_moment_however_many_statements_it_runs(database: Database, three: list[Spool]) -> None:
    with database.reading() as tx:
        before = every_event(tx), tx.all("spools_all")
        writer = threading.Thread(target=commit, args=(database, a_change((taken(three[0]), three[0].version))))
        writer.start()
        writer.join(10)
        assert (every_event(tx), tx.all("spools_all")) == before
    assert len(events_in(database)) == 1


def test_numbers_of_events_rise(database: Database) -> None:
    with database.writing() as tx:
        numbers = [*tx.write_and_allocate_seqs(3)[1].seqs]
    assert numbers == sorted(set(numbers))
    assert len(numbers) == 3
    with database.writing() as tx:
        assert [*tx.write_and_allocate_seqs(0)[1].seqs] == []
