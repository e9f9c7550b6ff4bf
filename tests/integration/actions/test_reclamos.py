"""Properties of offline work, in any order of arrival: nothing counts twice, nobody else's occupation changes, a
refused chain leaves only its reclamo, and a reclamo is decided once, by however many processes."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from carrete.actions.answer import Answer
from carrete.actions.lost_race import refuse_lost_race
from carrete.domain.commands import (
    Chain,
    Command,
    Completar,
    Finalizar,
    Iniciar,
    Pausar,
    Resolver,
    Step,
    Tomar,
    Work,
    WorkItem,
)
from carrete.domain.events import EventoTipo
from carrete.domain.joints import count
from carrete.domain.reclamo import Reclamo
from carrete.domain.spool import Estado, Operacion, Spool
from carrete.domain.version import Workflow, workflow
from carrete.ledger import open_database
from carrete.ledger import reclamos as stored
from carrete.ledger.database import Database
from carrete.ledger.errors import LedgerUnavailable, RaceLost
from tests.integration.actions.test_joint_properties import (
    AYUDANTE,
    CREW,
    SUPERVISOR,
    complete_by_the_rules,
    joints_in,
    work_stored,
    work_summed,
)
from tests.support.acting import Floor, a_floor, a_request, bodies, code
from tests.support.builders import HOY, NOW, SHOP, TAG, a_joint, a_spool, empty, events_in, put, spool_in

ARM, SOLD = Operacion.ARM, Operacion.SOLD
PEOPLE = [*CREW.values(), SUPERVISOR]
REGISTERED = {
    **{EventoTipo.UNION_ARM_REGISTRADA: ARM, EventoTipo.UNION_SOLD_REGISTRADA: SOLD},
}


def waiting(database: Database) -> list[Reclamo]:
    with database.reading() as tx:
        return stored.waiting(tx, None, 0, 1_000).reclamos


def resolved(database: Database) -> list[Reclamo]:
    with database.reading() as tx:
        return stored.resolved(tx, None, 0, 1_000).reclamos


class Life:
    """One spool that some people work online and others without a connection."""

    def __init__(self, database: Database, seed: int) -> None:
        self.database, self.chance, self.now = database, Random(seed), NOW
        total = self.chance.choice([0, 3, 4])
        self.joints = [a_joint(n, dn_milli=n * 375, tipo=self.chance.choice(["BW", "BW", "FW"])) for n in range(1, 5)]
        empty(database)
        put(database, [a_spool(total_uniones=total)], PEOPLE, self.joints[:total])
        self.floor = Floor(database, clock=lambda: self.now)
        self.seen: Counter[str] = Counter()

    def spool(self) -> Spool:
        return spool_in(self.database)

    def some_work(self, worker: int) -> list[Work]:
        """A take, if it is not held already, and an ending, as one would tap them for the spool as it was seen."""
        operacion = self.chance.choice([ARM, SOLD])
        if workflow(self.spool()) is Workflow.V3:
            ending: Work = self.chance.choice([Pausar, Completar])(TAG, worker, operacion)
            return [Tomar(TAG, worker, operacion), ending]
        unions = tuple(self.chance.sample(range(1, 5), self.chance.randint(0, 3)))
        return [Iniciar(TAG, worker, operacion), Finalizar(TAG, worker, operacion, unions)]

    def step(self) -> None:
        self.now += timedelta(minutes=7)
        worker = self.chance.choice(list(CREW))
        match self.chance.choice(["take", "end", "chain", "chain", "resolve", "resolve"]):
            case "take":
                self.floor.do(self.some_work(worker)[0])
            case "end":
                if held := self.spool().occupation:
                    self.floor.do(self._ending(held.worker_id, held.operacion))
            case "chain":
                self._send_chain(worker)
            case "resolve":
                if reclamos := waiting(self.database):
                    self._decide(self.chance.choice(reclamos))
        self.check()

    def _ending(self, worker: int, operacion: Operacion) -> Command:
        steps = [step for _ in range(8) for step in self.some_work(worker)[1:] if step.operacion is operacion]
        return steps[0] if steps else Pausar(TAG, worker, operacion)

    def _send_chain(self, worker: int) -> None:
        steps = self.some_work(worker) + (self.some_work(worker) if self.chance.random() < 0.3 else [])
        before, claims = self._everything(), len(waiting(self.database))
        (answer,) = bodies(self.floor.do(Chain(TAG, worker, tuple(map(Step, steps)))))
        if "code" not in answer:
            self.seen["done"] += 1
            return
        self.seen["refused"] += 1
        assert self._everything() == before, "a refused chain changes nothing"
        assert len(waiting(self.database)) == claims + (answer["reclamo"] is not None)

    def _decide(self, reclamo: Reclamo) -> None:
        items = tuple(item for item in reclamo.work if self.chance.random() < 0.7)
        dia = HOY - timedelta(days=self.chance.choice([0, 0, 0, 1]))
        command = Resolver(TAG, SUPERVISOR.id, "Visto", reclamo.id, reclamo.worker_id, items, dia)
        before, holder = self._everything(), self.spool().occupation
        (answer,) = bodies(self.floor.do(command))
        after = self.spool().occupation
        assert (after and (after.worker_id, after.lock)) == (holder and (holder.worker_id, holder.lock))
        if "code" in answer:
            assert self._everything() == before
            assert answer["code"] == "TRABAJO_NO_ACEPTABLE"
            assert items, "declining is always possible"
        self.seen[answer.get("code", "accepted" if items else "declined")] += 1
        again = code(self.floor.do(command))
        assert again == answer.get("code", "RECLAMO_YA_RESUELTO")

    def _everything(self) -> tuple[Any, ...]:
        return self.spool(), joints_in(self.database), events_in(self.database)

    def check(self) -> None:
        spool, joints, trail = self._everything()
        assert spool.counts == count(joints, SHOP)
        assert work_stored(self.database) == work_summed(joints), "the reports read what the joints say"
        by_joint = Counter[tuple[str, int]]()
        for each in trail:
            late = each.event.tipo is EventoTipo.REGISTRO_TARDIO and each.event.n_union is not None
            if late or each.event.tipo in REGISTERED:
                by_joint[str(each.event.operacion), each.event.n_union or 0] += 1
        wanted = {("ARM", joint.n_union): 1 for joint in joints if joint.armed}
        wanted |= {("SOLD", joint.n_union): 1 for joint in joints if joint.welded}
        assert by_joint == wanted, "each joint is registered once"
        for joint in joints:
            assert joint.sol_fin is None or (joint.arm_fin is not None and joint.arm_fin <= joint.sol_fin)
        if workflow(spool) is Workflow.V4 and spool.occupation is None:
            arm, sold = complete_by_the_rules(spool, joints)
            assert (spool.arm is Estado.COMPLETADO, spool.sold is Estado.COMPLETADO) == (arm, sold)
        if spool.occupation:
            assert spool.estado(spool.occupation.operacion) is Estado.EN_PROGRESO


def test_in_any_order_of_online_and_offline_work_nothing_counts_twice_or_is_lost(database: Database) -> None:
    seen: Counter[str] = Counter()
    for seed in range(12):
        life = Life(database, seed)
        try:
            for _ in range(25):
                life.step()
        finally:
            life.floor.close()
        seen += life.seen
    assert min(seen[each] for each in ("done", "refused", "accepted", "declined", "TRABAJO_NO_ACEPTABLE")) > 3, seen


@pytest.fixture
def claimed(database: Database) -> Reclamo:
    put(database, [a_spool(total_uniones=2)], PEOPLE, [a_joint(1), a_joint(2)])
    with a_floor(database) as floor:
        assert code(floor.do(Chain(TAG, 3, (Step(Finalizar(TAG, 3, ARM, (1, 2))),)))) == "OPERACION_NO_INICIADA"
    (reclamo,) = waiting(database)
    return reclamo


def accept(reclamo: Reclamo, *unions: int) -> Resolver:
    items = tuple(WorkItem(ARM, n) for n in unions)
    return Resolver(TAG, SUPERVISOR.id, "Visto", reclamo.id, AYUDANTE.id, items, HOY)


def test_supervisors_at_several_processes_decide_a_reclamo_once(
    database: Database, database_url: str, claimed: Reclamo
) -> None:
    answers: list[str] = []
    gun = threading.Barrier(5)

    def one_process(number: int) -> None:
        own = open_database(database_url)
        with a_floor(own) as floor:
            gun.wait(20)
            answers.append(code_or_unknown(floor, accept(claimed, 1 + number % 2)))
        own.close()

    threads = [threading.Thread(target=one_process, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert answers.count("OK") == 1
    assert set(answers) <= {"OK", "RECLAMO_YA_RESUELTO", "unknown"}
    late = [each.event for each in events_in(database, TAG) if each.event.tipo is EventoTipo.REGISTRO_TARDIO]
    assert [joint.n_union for joint in joints_in(database) if joint.armed] == [event.n_union for event in late]
    assert len(late) == 1


def code_or_unknown(floor: Floor, command: Command) -> str:
    try:
        return code(floor.do(command))
    except LedgerUnavailable:  # lost too many races: the caller repeats the same key
        return "unknown"


def test_the_ledger_itself_refuses_a_second_decision_and_a_second_reclamo_of_one_refusal(
    database: Database, claimed: Reclamo
) -> None:
    with a_floor(database) as floor:
        assert code(floor.do(accept(claimed, 1))) == "OK"
    (decided,) = resolved(database)
    of_one_refusal = [replace(claimed, id=id_, origin_key="k") for id_ in ("a", "b")]
    for new, again in (([], [decided]), (of_one_refusal, [])):
        with pytest.raises(RaceLost), database.writing() as tx:
            stored.save_reclamos(tx, new, again)
    assert waiting(database) == []


def test_a_chain_that_loses_every_race_is_neither_refused_nor_forgotten(database: Database, claimed: Reclamo) -> None:
    """The answer is "unknown": the tablet keeps the work and sends it again under the same key."""
    for command in (Chain(TAG, 3, (Step(Finalizar(TAG, 3, ARM, (1,))),)), accept(claimed, 1)):
        with pytest.raises(LedgerUnavailable), database.writing() as tx:
            refuse_lost_race(tx, a_request(command, key="k"), NOW)
    with database.reading() as tx:
        assert tx.all("keys_all") == []


def test_two_decisions_in_one_commit_are_one(database: Database, claimed: Reclamo) -> None:
    with a_floor(database) as floor:
        first, second = bodies(floor.do(accept(claimed, 1), accept(claimed, 2)))
    assert ("code" in first, second.get("code")) == (False, "RECLAMO_YA_RESUELTO")
    assert [joint.n_union for joint in joints_in(database) if joint.armed] == [1]


def test_two_reclamos_about_one_joint_register_it_once(database: Database, claimed: Reclamo) -> None:
    with a_floor(database) as floor:
        floor.do(Chain(TAG, 1, (Step(Finalizar(TAG, 1, ARM, (1,))),)))
        _, other = waiting(database)
        assert code(floor.do(accept(claimed, 1, 2))) == "OK"
        again = Resolver(TAG, SUPERVISOR.id, "Visto", other.id, other.worker_id, (WorkItem(ARM, 1),), HOY)
        assert code(floor.do(again)) == "TRABAJO_NO_ACEPTABLE"
    assert {joint.arm_worker for joint in joints_in(database)} == {AYUDANTE.label}
    assert len(resolved(database)) == 1


def test_chains_of_several_processes_on_one_spool_never_share_it(database: Database, database_url: str) -> None:
    put(database, [a_spool()], PEOPLE)
    gun = threading.Barrier(4)
    answers: list[Answer | None] = []

    def one_process(worker: int) -> None:
        own = open_database(database_url)
        with a_floor(own) as floor:
            gun.wait(20)
            for number in range(10):
                chain = Chain(TAG, worker, tuple(map(Step, (Tomar(TAG, worker, ARM), Pausar(TAG, worker, ARM)))))
                try:
                    answers.append(floor.do(chain, key=f"{worker} {number}"))
                except LedgerUnavailable:
                    answers.append(None)
        own.close()

    threads = [threading.Thread(target=one_process, args=(worker,)) for worker in (1, 3, 1, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    trail = [each.event for each in events_in(database, TAG)]
    assert [event.tipo.value for event in trail] == ["TOMAR_SPOOL", "PAUSAR_SPOOL"] * (len(trail) // 2)
    assert all(taken.worker_id == ended.worker_id for taken, ended in zip(trail[::2], trail[1::2], strict=True))
    committed = {answer.body for answer in answers if answer and answer.status == 200}
    assert len(trail) == 2 * len(committed), "each key once, whoever sent it twice"
