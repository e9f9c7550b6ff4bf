"""A shop that examines its welds: armed joints, welders, an examiner, and what the ledger says afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from carrete.domain.commands import Finalizar, Iniciar, Resultado, ResultadoNdt
from carrete.domain.joints import Joint
from carrete.domain.ndt.examination import Examination, ExamStatus
from carrete.domain.ndt.policy import NdtPolicy, NdtRule
from carrete.domain.ndt.sampling import SampleGroup
from carrete.domain.shop import Shop
from carrete.domain.spool import Estado, Operacion
from carrete.domain.workers import Rol
from carrete.ledger.database import Database
from carrete.ledger.ndt import exam_from, exams_of, group_from
from carrete.ledger.store import joints_of_many
from tests.support.acting import Floor, code
from tests.support.builders import EARLIER, a_joint, a_spool, a_worker, put

SOLD = Operacion.SOLD
WELDER = a_worker(93, roles=[Rol.SOLDADOR])
OTHER = a_worker(94, "Luis", "Pérez", roles=[Rol.SOLDADOR])
EXAMINER = a_worker(60, "Elena", "Díaz", roles=[Rol.NDT])
METROLOGIST = a_worker(61, "Inés", "Mora", roles=[Rol.METROLOGIA])
SUPERVISOR = a_worker(62, "Sonia", "Vera", roles=[Rol.SUPERVISOR])
PEOPLE = (WELDER, OTHER, EXAMINER, METROLOGIST, SUPERVISOR)
EVERY_WELD = NdtRule("r1", "RT", 100, "5eed")


def a_rule(percent: int = 10, method: str = "RT", **facts: Any) -> NdtRule:
    return NdtRule("r1", method, percent, "5eed", **facts)


def a_policy(*rules: NdtRule, **facts: Any) -> NdtPolicy:
    return NdtPolicy(rules=rules, **facts)


def fill(database: Database, tags: Sequence[str] = ("MK-1",), joints: int = 3) -> None:
    """Spools whose joints are armed and wait for a welder."""
    spools = [a_spool(tag, total_uniones=joints, arm=Estado.COMPLETADO, armador="LP(7)") for tag in tags]
    armed = [
        a_joint(n, tag, arm_inicio=EARLIER, arm_fin=EARLIER, arm_worker="LP(7)")
        for tag in tags
        for n in range(1, joints + 1)
    ]
    put(database, spools, PEOPLE, armed)


def use(floor: Floor, policy: NdtPolicy) -> None:
    floor.performer.shop = Shop(ndt=policy)


def weld(floor: Floor, tag: str, *unions: int, by: int = WELDER.id) -> None:
    assert code(floor.do(Iniciar(tag, by, SOLD))) == "OK"
    assert code(floor.do(Finalizar(tag, by, SOLD, unions))) == "OK"


def exams(database: Database, tag: str | None = None) -> list[Examination]:
    with database.reading() as tx:
        if tag is not None:
            return exams_of(tx, [tag]).get(tag, [])
        pending = tx.all("ndt_list_pending", method="", ot="", tag="", after=0, limit=10_000)
        done = tx.all("ndt_list_newest", status="", method="", ot="", tag="", before=2**62, limit=10_000)
        return [exam_from(row) for row in (*pending, *done)]


def pending(database: Database, tag: str | None = None) -> list[Examination]:
    return [exam for exam in exams(database, tag) if exam.status is ExamStatus.PENDIENTE]


def groups(database: Database) -> list[SampleGroup]:
    with database.reading() as tx:
        return [group_from(row) for row in tx.all("ndt_groups_all")]


def joint_in(database: Database, tag: str, n_union: int) -> Joint:
    with database.reading() as tx:
        return next(joint for joint in joints_of_many(tx, [tag])[tag] if joint.n_union == n_union)


def result(exam: Examination, resultado: str = "APROBADO", **facts: Any) -> ResultadoNdt:
    rejected = resultado == "RECHAZADO"
    given = {"defectos": ("POROSIDAD",) if rejected else (), **facts}
    informe = given.pop("informe", "RT-0001")
    by = given.pop("by", EXAMINER.id)
    return ResultadoNdt(exam.tag, by, exam.id, Resultado(resultado), informe, **given)
