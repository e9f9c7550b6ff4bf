"""Welds through the one path: checked, and recorded with their procedure and heats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from carrete.actions.group import decide_group
from carrete.actions.requests import QueuedRequest
from carrete.domain.commands import (
    Chain,
    Command,
    Corregir,
    Finalizar,
    Iniciar,
    JointWeld,
    Ofrecer,
    Resolver,
    Step,
    WorkItem,
)
from carrete.domain.joints import Joint
from carrete.domain.qualification import Procedure, Qualification, WeldScope
from carrete.domain.shop import QualificationCheck, Shop
from carrete.domain.spool import Operacion
from carrete.domain.workers import Rol
from carrete.gate import LockAttempt
from carrete.ledger.database import Database, NamedQuery, NamedRows, Numbering, Row, Tx
from carrete.ledger.reclamos import waiting
from carrete.ledger.rows import joint_from, joint_row
from carrete.ledger.welding import all_uses, save_procedures, save_qualifications
from tests.support.acting import a_request, bodies
from tests.support.builders import HOY, NOW, SHOP, TAG, a_joint, a_spool, a_worker, events_in, put

SOLD = Operacion.SOLD
WELDER = a_worker(93, roles=[Rol.SOLDADOR])
OTHER = a_worker(12, "Juana", "Pérez", roles=[Rol.SOLDADOR])
SUPERVISOR = a_worker(21, "Sergio", "Vidal", roles=[Rol.SUPERVISOR])
WPS = Procedure("W-1", ("GTAW", "SMAW"), revision="4")
INSISTS = replace(SHOP, qualification_check=QualificationCheck.EXIGIR)
TODAY = date.fromisoformat(str(HOY))


class CountingTx:
    """A transaction that remembers the names of the statements it ran."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self.ran: list[str] = []

    def all(self, name: str, /, **params: Any) -> list[Row]:
        self.ran.append(name)
        return self._tx.all(name, **params)

    def one(self, name: str, /, **params: Any) -> Row | None:
        self.ran.append(name)
        return self._tx.one(name, **params)

    def count(self, name: str, /, **params: Any) -> int:
        self.ran.append(name)
        return self._tx.count(name, **params)

    def run(self, name: str, /, **params: Any) -> int:
        self.ran.append(name)
        return self._tx.run(name, **params)

    def many(self, name: str, rows: Sequence[Mapping[str, Any]], /) -> int:
        self.ran.append(name)
        return self._tx.many(name, rows)

    def all_of(self, *queries: NamedQuery) -> list[list[Row]]:
        self.ran += [name for name, _ in queries]
        return self._tx.all_of(*queries)

    def all_of_and_lock_numbering(self, *queries: NamedQuery) -> list[list[Row]]:
        self.ran += [name for name, _ in queries]
        return self._tx.all_of_and_lock_numbering(*queries)

    def many_of(self, *parts: NamedRows) -> list[int]:
        self.ran += [name for name, _ in parts]
        return self._tx.many_of(*parts)

    def write_and_allocate_seqs(self, n: int, *parts: NamedRows) -> tuple[list[int], Numbering]:
        self.ran += [name for name, _ in parts]
        return self._tx.write_and_allocate_seqs(n, *parts)

    def write_last(self, *parts: NamedRows) -> None:
        self.ran += [name for name, _ in parts]
        self._tx.write_last(*parts)

    def begin_writing(self, *parts: NamedRows) -> None:
        self.ran += [name for name, _ in parts]
        self._tx.begin_writing(*parts)

    def execute(self, sql: str) -> None:
        self._tx.execute(sql)


def do(database: Database, *commands: Command, shop: Shop = SHOP, key: str | None = None) -> tuple[Any, list[str]]:
    """The outcome of the last command, and the statements of its commit."""
    body, ran = {}, list[str]()
    for command in commands:
        with database.writing() as tx:
            counted = CountingTx(tx)
            attempt = LockAttempt(command.tag, f"{command.worker_id}:lock", takes=True)
            (decided,) = decide_group(counted, shop, [QueuedRequest(a_request(command, key=key), [attempt], NOW)])
            (body,), ran = bodies(decided.answer), counted.ran  # type: ignore[arg-type]
    return body, ran


def a_shop(database: Database, *joints: Joint) -> None:
    armed = [replace(joint, arm_fin=NOW - timedelta(hours=1), arm_worker="AM(1)") for joint in joints]
    put(database, [a_spool(total_uniones=len(joints))], [WELDER, OTHER, SUPERVISOR], armed)


def qualify(database: Database, *processes: str, worker: int = 93, day: date = TODAY) -> None:
    with database.writing() as tx:
        save_procedures(tx, [WPS])
        save_qualifications(tx, [Qualification(worker, each, f"Q-{each}", WeldScope(), day) for each in processes])


def joint(database: Database, n: int = 1) -> Joint:
    with database.reading() as tx:
        return {found.n_union: found for found in map(joint_from, tx.all("joints_of", tag=TAG))}[n]


def uses(database: Database) -> dict[tuple[int, str], list[date]]:
    with database.reading() as tx:
        return all_uses(tx)


def facts(database: Database, tipo: str = "UNION_SOLD_REGISTRADA") -> list[Mapping[str, Any]]:
    return [stored.event.metadata for stored in events_in(database) if stored.event.tipo == tipo]


INICIAR = Iniciar(TAG, 93, SOLD)
WELD = Finalizar(TAG, 93, SOLD, (1,))
OF_THE_RECORD = {
    *("procedures_of", "qualifications_of", "any_qualification", "process_uses_of", "p_numbers_named"),
    "process_use_put",
}


def test_a_weld_without_procedure_runs_not_one_statement_more_than_before(database: Database) -> None:
    a_shop(database, a_joint(1), a_joint(2, wps="W-1"))
    qualify(database, "GTAW")
    _, plain = do(database, INICIAR, WELD)
    assert not OF_THE_RECORD & set(plain)
    assert "process_use_forget" not in plain
    _, with_procedure = do(database, INICIAR, Finalizar(TAG, 93, SOLD, (2,)))
    assert set(with_procedure) - set(plain) == OF_THE_RECORD


def test_a_shop_that_insists_refuses_and_nothing_is_written(database: Database) -> None:
    a_shop(database, a_joint(1, wps="W-1"))
    qualify(database, "GTAW")
    body, _ = do(database, INICIAR, WELD, shop=INSISTS)
    assert body["code"] == "SOLDADOR_NO_CALIFICADO"
    assert (body["unions"], [each["variable"] for each in body["motivos"]]) == ([1], ["proceso"])
    assert not joint(database).welded
    assert uses(database) == {}


def test_a_qualified_weld_counts_as_a_use_of_every_process_of_its_procedure(database: Database) -> None:
    a_shop(database, a_joint(1, wps="W-1", colada_1="H1"))
    qualify(database, "GTAW", "SMAW")
    do(database, INICIAR, WELD, shop=INSISTS)
    assert uses(database) == {(93, "GTAW"): [TODAY], (93, "SMAW"): [TODAY]}
    (found,) = facts(database)
    assert (found["wps"], found["proceso"], found["wps_revision"]) == ("W-1", ["GTAW", "SMAW"], "4")
    assert found["colada_1"] == "H1"


def test_a_correction_takes_the_use_back(database: Database) -> None:
    a_shop(database, a_joint(1, wps="W-1"))
    qualify(database, "GTAW", "SMAW")
    do(database, INICIAR, WELD)
    do(database, Corregir(TAG, 21, "Unión equivocada", SOLD, (1,)))
    assert uses(database) == {}


def test_a_shop_that_decided_nothing_is_warned_from_its_first_qualification_on(database: Database) -> None:
    a_shop(database, a_joint(1, wps="W-1"), a_joint(2, wps="W-1"))
    with database.writing() as tx:
        save_procedures(tx, [WPS])
    do(database, INICIAR, WELD)
    qualify(database, "GTAW", worker=12)
    do(database, INICIAR, Finalizar(TAG, 93, SOLD, (2,)))
    first, second = facts(database)
    assert "no_calificado" not in first
    assert [each["variable"] for each in second["no_calificado"]] == ["proceso", "proceso"]


def test_what_the_welder_typed_is_in_the_joint_in_the_same_commit(database: Database) -> None:
    a_shop(database, a_joint(1))
    qualify(database, "GTAW", "SMAW")
    typed = JointWeld(1, wps="W-1", colada_1="H1", colada_2="H2")
    do(database, INICIAR, Finalizar(TAG, 93, SOLD, (1,), (typed,)), shop=INSISTS)
    done = joint(database)
    assert (done.wps, done.colada_1, done.colada_2, done.welded) == ("W-1", "H1", "H2", True)


def test_joints_that_are_handed_over_as_done_are_checked_as_the_givers(database: Database) -> None:
    a_shop(database, a_joint(1, wps="W-1"), a_joint(2, wps="W-1"))
    qualify(database, "GTAW", "SMAW", worker=12)
    body, _ = do(database, INICIAR, Ofrecer(TAG, 93, SOLD, 12, (1,)), shop=INSISTS)
    assert body["code"] == "SOLDADOR_NO_CALIFICADO"
    do(database, Ofrecer(TAG, 93, SOLD, 12, (1,)))
    assert uses(database)[93, "GTAW"] == [TODAY]


def test_a_refused_chain_is_kept_and_a_supervisors_acceptance_is_recorded_with_the_warning(database: Database) -> None:
    a_shop(database, a_joint(1))
    qualify(database, "GTAW")
    typed = JointWeld(1, wps="W-1", colada_1="H1")
    chain = Chain(TAG, 93, (Step(INICIAR), Step(Finalizar(TAG, 93, SOLD, (1,), (typed,)))))
    body, _ = do(database, chain, shop=INSISTS, key="k")
    assert (body["code"], body["paso"]) == ("SOLDADOR_NO_CALIFICADO", 2)
    with database.reading() as tx:
        (reclamo,) = waiting(tx, None, 0, 1).reclamos
    dia = TODAY - timedelta(days=1)
    armed = joint(database)
    with database.writing() as tx:
        tx.many("joint_update", [{**_row(armed, arm_fin=NOW - timedelta(days=2)), "read_version": armed.version}])
    do(database, Resolver(TAG, 21, "Visto", reclamo.id, 93, (WorkItem(SOLD, 1),), dia), shop=INSISTS)
    done = joint(database)
    assert (done.wps, done.colada_1, done.welded) == ("W-1", "H1", True)
    (late,) = facts(database, "REGISTRO_TARDIO")
    assert {each["variable"] for each in late["no_calificado"]} == {"fecha", "proceso"}
    assert uses(database)[93, "GTAW"] == [dia]


def _row(found: Joint, **changes: Any) -> dict[str, Any]:
    return joint_row(replace(found, **changes))


@pytest.mark.parametrize("months", [5, 7])
def test_a_recorded_weld_keeps_a_qualification_alive(database: Database, months: int) -> None:
    """Qualified a year ago: today is covered only if welds were recorded within the last six months and without a
    longer gap before."""
    a_shop(database, a_joint(1, wps="W-1"))
    qualify(database, "GTAW", "SMAW", day=TODAY - timedelta(days=300))
    with database.writing() as tx:
        day = (TODAY - timedelta(days=30 * months)).isoformat()
        rows = [{"worker_id": 93, "proceso": p, "day": day, "tag": "X", "n_union": 1} for p in WPS.processes]
        tx.many("process_use_put", rows)
    body, _ = do(database, INICIAR, WELD, shop=INSISTS)
    assert body.get("code") == (None if months == 5 else "SOLDADOR_NO_CALIFICADO")
