"""Examinations through the one path: asked for by rule and by hand, their results, and the repair of a joint."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from carrete.domain.commands import (
    Anotar,
    Chain,
    Completar,
    Corregir,
    Finalizar,
    Iniciar,
    Inspeccionar,
    Ofrecer,
    RepararUnion,
    Resultado,
    SolicitarNdt,
    Step,
    Tomar,
)
from carrete.domain.events import EventoTipo
from carrete.domain.ndt.examination import ExamStatus, Origin
from carrete.domain.qualification import Procedure
from carrete.domain.shop import QualificationCheck, Shop
from carrete.domain.spool import Ensayos, Metrologia, Operacion
from carrete.ledger.database import Database
from carrete.ledger.welding import save_procedures
from tests.support.acting import Floor, a_floor, bodies, code
from tests.support.builders import HOY, an_armed_spool, events_in, put, spool_in
from tests.support.ndt import (
    EVERY_WELD,
    EXAMINER,
    METROLOGIST,
    OTHER,
    SOLD,
    SUPERVISOR,
    WELDER,
    a_policy,
    a_rule,
    exams,
    fill,
    groups,
    joint_in,
    pending,
    result,
    use,
    weld,
)

APROBADO = Resultado.APROBADO


@pytest.fixture
def shop(database: Database) -> Database:
    fill(database, ["MK-1", "MK-2", "MK-3"])
    return database


@pytest.fixture
def floor(shop: Database) -> Iterator[Floor]:
    with a_floor(shop) as floor:
        use(floor, a_policy(EVERY_WELD))
        yield floor


def kinds(database: Database, tag: str = "MK-1") -> list[str]:
    return [stored.event.tipo.value for stored in events_in(database, tag)]


# ─── asked for by rule ────────────────────────────────────────────────────────────────────────────────────────


def test_a_rule_asks_for_the_examination_in_the_commit_of_the_weld(floor: Floor, shop: Database) -> None:
    weld(floor, "MK-1", 1, 2)
    requested = pending(shop)
    assert [(exam.n_union, exam.method, exam.origin, exam.welder) for exam in requested] == [
        (1, "RT", Origin.REGLA, WELDER.label),
        (2, "RT", Origin.REGLA, WELDER.label),
    ]
    assert kinds(shop)[-2:] == ["NDT_SOLICITADO", "NDT_SOLICITADO"]
    facts = events_in(shop, "MK-1")[-1].event.metadata
    assert (facts["regla"], facts["semilla"], facts["soldadas"]) == ("r1", "5eed", 2)
    assert spool_in(shop, "MK-1").ndt is Ensayos.PENDIENTE


def test_the_columns_of_the_sheet_follow_in_the_same_commit(floor: Floor, shop: Database) -> None:
    weld(floor, "MK-1", 1)
    joint = joint_in(shop, "MK-1", 1)
    assert (joint.ndt_union, joint.r_ndt_union, joint.ndt_fecha, joint.ndt_status) == ("RT", None, None, "PENDIENTE")
    with shop.writing() as tx:
        tx.run("outbox_see")
    floor.do(result(pending(shop)[0], informe="RT-77"))
    joint = joint_in(shop, "MK-1", 1)
    assert (joint.r_ndt_union, joint.ndt_fecha, joint.ndt_status) == ("RT-77", HOY.isoformat(), "APROBADO")
    with shop.reading() as tx:
        assert ("Uniones", "MK-1", 1, joint.version) in tx.all("outbox_all")


def test_a_chain_counts_every_weld_of_its_steps(floor: Floor, shop: Database) -> None:
    steps = [Iniciar("MK-1", 93, SOLD), Finalizar("MK-1", 93, SOLD, (1,))]
    steps += [Iniciar("MK-1", 93, SOLD), Finalizar("MK-1", 93, SOLD, (2, 3))]
    assert code(floor.do(Chain("MK-1", 93, tuple(Step(step) for step in steps)))) == "OK"
    assert [exam.n_union for exam in pending(shop)] == [1, 2, 3]
    assert [(group.welded, group.selected) for group in groups(shop)] == [(3, 3)]
    assert spool_in(shop, "MK-1").ndt is Ensayos.PENDIENTE


def test_joints_ticked_with_an_offer_are_the_givers_welds(floor: Floor, shop: Database) -> None:
    floor.do(Iniciar("MK-1", 93, SOLD))
    assert code(floor.do(Ofrecer("MK-1", 93, SOLD, OTHER.id, (1,)))) == "OK"
    assert [(exam.n_union, exam.welder) for exam in pending(shop)] == [(1, WELDER.label)]


def test_the_percentage_is_of_each_welder_and_ot(floor: Floor, shop: Database) -> None:
    use(floor, a_policy(a_rule(50)))
    weld(floor, "MK-1", 1, 2, 3)
    weld(floor, "MK-2", 1, 2, 3, by=OTHER.id)
    for group in groups(shop):
        assert group.welded == 3
        assert 2 <= group.selected <= 3


def test_a_whole_spool_is_examined_when_its_sold_is_complete(floor: Floor, shop: Database) -> None:
    put(shop, [an_armed_spool("ENTERO")])
    floor.do(Tomar("ENTERO", 93, SOLD))
    floor.do(Completar("ENTERO", 93, SOLD))
    (exam,) = pending(shop, "ENTERO")
    assert (exam.n_union, exam.welder) == (0, WELDER.label)
    assert events_in(shop, "ENTERO")[-1].event.n_union is None
    floor.do(result(exam, "RECHAZADO"))
    assert code(floor.do(RepararUnion("ENTERO", 93))) == "OK"
    assert [(again.round, again.origin) for again in pending(shop, "ENTERO")] == [(1, Origin.REEXAMEN)]


# ─── asked for by hand ────────────────────────────────────────────────────────────────────────────────────────


def test_a_supervisor_asks_for_an_examination_of_welded_joints(floor: Floor, shop: Database) -> None:
    use(floor, a_policy())
    weld(floor, "MK-1", 1, 2)
    before = spool_in(shop, "MK-1").version
    answer = floor.do(SolicitarNdt("MK-1", SUPERVISOR.id, "PT", (1, 2), "Cliente"))
    assert code(answer) == "OK"
    assert [(exam.n_union, exam.requested_by) for exam in pending(shop)] == [(1, "SV(62)"), (2, "SV(62)")]
    assert spool_in(shop, "MK-1").version == before, "an examination keeps the token, like a note"
    assert joint_in(shop, "MK-1", 2).ndt_union == "PT"


@pytest.mark.parametrize(
    ("command", "refused"),
    [
        (SolicitarNdt("MK-1", WELDER.id, "RT", (1,)), "ROL_NO_AUTORIZADO"),
        (SolicitarNdt("MK-1", SUPERVISOR.id, "XX", (1,)), "DATOS_INVALIDOS"),
        (SolicitarNdt("MK-1", SUPERVISOR.id, "RT", ()), "DATOS_INVALIDOS"),
        (SolicitarNdt("MK-1", SUPERVISOR.id, "RT", (9,)), "UNION_NO_ENCONTRADA"),
        (SolicitarNdt("MK-1", SUPERVISOR.id, "RT", (3,)), "UNION_NO_DISPONIBLE"),
        (SolicitarNdt("MK-1", SUPERVISOR.id, "RT", (1,)), "OPERACION_NO_DISPONIBLE"),
        (SolicitarNdt("NO-HAY", SUPERVISOR.id, "RT", (1,)), "SPOOL_NO_ENCONTRADO"),
        (SolicitarNdt("MK-1", SUPERVISOR.id, "PT", (1,), version="viejo"), "VERSION_CONFLICT"),
        (RepararUnion("MK-1", WELDER.id, 1), "OPERACION_NO_DISPONIBLE"),
        (RepararUnion("MK-1", EXAMINER.id, 1), "ROL_NO_AUTORIZADO"),
        (RepararUnion("MK-1", WELDER.id, 9), "UNION_NO_ENCONTRADA"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(floor: Floor, shop: Database, command: object, refused: str) -> None:
    weld(floor, "MK-1", 1)
    before = len(events_in(shop))
    assert code(floor.do(command)) == refused  # type: ignore[arg-type]
    assert len(events_in(shop)) == before


# ─── the result ───────────────────────────────────────────────────────────────────────────────────────────────


def test_the_result_keeps_holder_token_and_an_open_offer(floor: Floor, shop: Database) -> None:
    weld(floor, "MK-1", 1)
    floor.do(Iniciar("MK-1", 93, SOLD))
    before = spool_in(shop, "MK-1")
    assert code(floor.do(result(pending(shop)[0], by=METROLOGIST.id))) == "OK"
    after = spool_in(shop, "MK-1")
    assert (after.version, after.occupation) == (before.version, before.occupation)
    assert after.ndt is Ensayos.AL_DIA
    assert kinds(shop)[-1] == "NDT_APROBADO"


@pytest.mark.parametrize(
    ("resultado", "facts", "refused"),
    [
        ("APROBADO", {"by": WELDER.id}, "ROL_NO_AUTORIZADO"),
        ("APROBADO", {"dia": HOY + timedelta(days=1)}, "DATOS_INVALIDOS"),
        ("RECHAZADO", {"defectos": ()}, "DATOS_INVALIDOS"),
        ("RECHAZADO", {"defectos": ("RAYO",)}, "DATOS_INVALIDOS"),
        ("APROBADO", {"defectos": ("POROSIDAD",)}, "DATOS_INVALIDOS"),
        ("APROBADO", {"photos": ("f" * 64,)}, "FOTO_NO_ENCONTRADA"),
    ],
)
def test_a_result_that_cannot_be_is_refused(
    floor: Floor, shop: Database, resultado: str, facts: dict[str, object], refused: str
) -> None:
    weld(floor, "MK-1", 1)
    assert code(floor.do(result(pending(shop)[0], resultado, **facts))) == refused
    assert len(pending(shop)) == 1


def test_an_examination_has_one_result(floor: Floor, shop: Database) -> None:
    weld(floor, "MK-1", 1)
    (exam,) = pending(shop)
    floor.do(result(exam))
    assert code(floor.do(result(exam, "RECHAZADO"))) == "ENSAYO_CERRADO"
    assert code(floor.do(result(exam.but(id="otro")))) == "ENSAYO_NO_ENCONTRADO"
    assert code(floor.do(result(exam.but(tag="MK-2")))) == "ENSAYO_NO_ENCONTRADO"


def test_the_same_key_records_a_result_once(floor: Floor, shop: Database) -> None:
    weld(floor, "MK-1", 1)
    (exam,) = pending(shop)
    first = floor.do(result(exam), key="uno")
    assert floor.do(result(exam), key="uno").body == first.body
    assert kinds(shop).count("NDT_APROBADO") == 1


# ─── the repair ───────────────────────────────────────────────────────────────────────────────────────────────


def test_a_rejected_joint_is_repaired_and_examined_again_by_the_same_method(floor: Floor, shop: Database) -> None:
    weld(floor, "MK-1", 1, 2, 3)
    before, spool = joint_in(shop, "MK-1", 1), spool_in(shop, "MK-1")
    for number in (1, 2):
        exam = next(exam for exam in pending(shop) if exam.n_union == 1)
        floor.do(result(exam, "RECHAZADO"))
        assert joint_in(shop, "MK-1", 1).ndt_status == "RECHAZADO"
        assert code(floor.do(RepararUnion("MK-1", OTHER.id, 1))) == "OK"
        again = next(exam for exam in pending(shop) if exam.n_union == 1)
        assert (again.method, again.round, again.welder) == ("RT", number, WELDER.label)
        assert joint_in(shop, "MK-1", 1).ndt_status == "REPARADO"
    floor.do(result(next(exam for exam in pending(shop) if exam.n_union == 1)))
    after = joint_in(shop, "MK-1", 1)
    assert after.ndt_status == "APROBADO"
    assert (after.sol_worker, after.sol_fin, after.dn_milli) == (before.sol_worker, before.sol_fin, before.dn_milli)
    assert spool_in(shop, "MK-1").counts == spool.counts
    assert [e.event.metadata["reparacion"] for e in events_in(shop) if e.event.tipo == "REPARACION_UNION"] == [
        "R1",
        "R2",
    ]


def test_nobody_repairs_a_joint_of_a_spool_that_another_holds(floor: Floor, shop: Database) -> None:
    weld(floor, "MK-1", 1)
    floor.do(result(pending(shop)[0], "RECHAZADO"))
    floor.do(Iniciar("MK-1", OTHER.id, SOLD))
    assert code(floor.do(RepararUnion("MK-1", WELDER.id, 1))) == "SPOOL_OCCUPIED"
    assert code(floor.do(RepararUnion("MK-1", OTHER.id, 1))) == "OK"


def test_who_repairs_must_be_qualified_for_the_procedure_of_the_joint(floor: Floor, shop: Database) -> None:
    weld(floor, "MK-1", 1)
    floor.do(result(pending(shop)[0], "RECHAZADO"))
    with shop.writing() as tx:
        save_procedures(tx, [Procedure("W-1", ("GTAW", "SMAW"))])
        tx.execute("UPDATE joint SET wps = 'W-1' WHERE tag = 'MK-1' AND n_union = 1")
    floor.performer.shop = Shop(ndt=a_policy(EVERY_WELD), qualification_check=QualificationCheck.EXIGIR)
    assert code(floor.do(RepararUnion("MK-1", WELDER.id, 1))) == "SOLDADOR_NO_CALIFICADO"
    floor.performer.shop = Shop(ndt=a_policy(EVERY_WELD), qualification_check=QualificationCheck.AVISAR)
    assert code(floor.do(RepararUnion("MK-1", WELDER.id, 1))) == "OK"
    (repaired,) = [stored.event for stored in events_in(shop) if stored.event.tipo == "REPARACION_UNION"]
    assert repaired.metadata["proceso"] == ["GTAW", "SMAW"]
    assert repaired.metadata["no_calificado"]


def test_an_examination_knows_the_process_that_its_weld_was_registered_with(floor: Floor, shop: Database) -> None:
    with shop.writing() as tx:
        save_procedures(tx, [Procedure("W-1", ("GTAW", "SMAW"))])
        tx.execute("UPDATE joint SET wps = 'W-1' WHERE tag = 'MK-1'")
    weld(floor, "MK-1", 1)
    floor.do(SolicitarNdt("MK-1", SUPERVISOR.id, "PT", (1,)))
    assert [exam.process for exam in pending(shop)] == ["GTAW+SMAW", "GTAW+SMAW"]


# ─── additional examinations ──────────────────────────────────────────────────────────────────────────────────


def test_a_rejection_asks_for_two_more_joints_of_the_same_welder(floor: Floor, shop: Database) -> None:
    use(floor, a_policy(additional=2))
    weld(floor, "MK-1", 1)
    weld(floor, "MK-2", 1, 2)
    weld(floor, "MK-3", 1, by=OTHER.id)
    floor.do(SolicitarNdt("MK-1", SUPERVISOR.id, "RT", (1,)))
    (body,) = bodies(floor.do(result(pending(shop)[0], "RECHAZADO")))
    assert body["tag_spool"] == "MK-1"
    assert [(exam.tag, exam.n_union, exam.origin) for exam in pending(shop)] == [
        ("MK-2", n, Origin.ADICIONAL) for n in sorted((1, 2), key=lambda n: pending_order(shop, n))
    ]
    assert kinds(shop, "MK-2")[-2:] == ["NDT_SOLICITADO", "NDT_SOLICITADO"], "each on its own spool"
    assert spool_in(shop, "MK-2").ndt is Ensayos.PENDIENTE
    assert joint_in(shop, "MK-2", 1).ndt_status == "PENDIENTE"
    assert [stored.event.metadata["debidos"] for stored in events_in(shop) if "debidos" in stored.event.metadata] == [0]


def pending_order(database: Database, n_union: int) -> int:
    return [exam.n_union for exam in pending(database)].index(n_union)


def test_additional_joints_of_the_same_spool_are_asked_for_too(floor: Floor, shop: Database) -> None:
    use(floor, a_policy(additional=2))
    weld(floor, "MK-1", 1, 2, 3)
    floor.do(SolicitarNdt("MK-1", SUPERVISOR.id, "RT", (1,)))
    floor.do(result(pending(shop)[0], "RECHAZADO"))
    assert sorted(exam.n_union for exam in pending(shop)) == [2, 3]
    assert [joint_in(shop, "MK-1", n).ndt_status for n in (1, 2, 3)] == ["RECHAZADO", "PENDIENTE", "PENDIENTE"]


def test_additional_examinations_that_no_joint_is_left_for_are_owed_by_the_next_welds(
    floor: Floor, shop: Database
) -> None:
    use(floor, a_policy(additional=2))
    weld(floor, "MK-1", 1)
    floor.do(SolicitarNdt("MK-1", SUPERVISOR.id, "RT", (1,)))
    floor.do(result(pending(shop)[0], "RECHAZADO"))
    assert [group.owed for group in groups(shop)] == [2]
    weld(floor, "MK-2", 1, by=OTHER.id)
    assert pending(shop) == [], "another welder owes nothing"
    weld(floor, "MK-3", 1, 2, 3)
    assert [(exam.tag, exam.n_union, exam.origin) for exam in pending(shop)] == [
        ("MK-3", 1, Origin.ADICIONAL),
        ("MK-3", 2, Origin.ADICIONAL),
    ]
    assert [group.owed for group in groups(shop)] == [0]


def test_a_rejected_re_examination_calls_for_no_more(floor: Floor, shop: Database) -> None:
    use(floor, a_policy(additional=2))
    weld(floor, "MK-1", 1, 2, 3)
    floor.do(SolicitarNdt("MK-1", SUPERVISOR.id, "RT", (1, 2, 3)))
    floor.do(result(next(e for e in pending(shop) if e.n_union == 1), "RECHAZADO"))
    owed = [group.owed for group in groups(shop)]
    floor.do(RepararUnion("MK-1", WELDER.id, 1))
    floor.do(result(next(e for e in pending(shop) if e.n_union == 1), "RECHAZADO"))
    assert [group.owed for group in groups(shop)] == owed == [2]
    rejections = [stored.event.metadata for stored in events_in(shop) if stored.event.tipo is EventoTipo.NDT_RECHAZADO]
    assert ["debidos" in facts for facts in rejections] == [True, False]


def test_a_later_rejection_of_an_approved_joint_opens_a_repair_and_calls_for_no_more(
    floor: Floor, shop: Database
) -> None:
    use(floor, a_policy(additional=2))
    weld(floor, "MK-1", 1, 2, 3)
    for resultado in ("APROBADO", "RECHAZADO"):
        floor.do(SolicitarNdt("MK-1", SUPERVISOR.id, "RT", (1,)))
        assert code(floor.do(result(pending(shop)[0], resultado))) == "OK"
    assert pending(shop) == []
    assert [group.owed for group in groups(shop)] == []
    assert "adicionales" not in events_in(shop)[-1].event.metadata
    assert joint_in(shop, "MK-1", 1).ndt_status == "RECHAZADO"
    assert code(floor.do(RepararUnion("MK-1", WELDER.id, 1))) == "OK"
    assert [(exam.n_union, exam.round) for exam in pending(shop)] == [(1, 1)]


def test_a_weld_that_is_made_anew_has_a_first_examination_again(floor: Floor, shop: Database) -> None:
    use(floor, a_policy(additional=2))
    weld(floor, "MK-1", 1, 2, 3)
    floor.do(SolicitarNdt("MK-1", SUPERVISOR.id, "RT", (1,)))
    floor.do(result(pending(shop)[0]))
    assert code(floor.do(Corregir("MK-1", SUPERVISOR.id, "Se corta", SOLD, (1,)))) == "OK"
    weld(floor, "MK-1", 1)
    floor.do(result(pending(shop)[0], "RECHAZADO"))
    assert sorted(exam.n_union for exam in pending(shop)) == [2, 3]


# ─── approval and cycle ───────────────────────────────────────────────────────────────────────────────────────


def test_a_spool_with_an_open_examination_cannot_be_approved(floor: Floor, shop: Database) -> None:
    weld(floor, "MK-1", 1, 2, 3)
    approve = Inspeccionar("MK-1", METROLOGIST.id, APROBADO)
    assert code(floor.do(approve)) == "NDT_PENDIENTE"
    for exam in pending(shop):
        floor.do(result(exam, "RECHAZADO" if exam.n_union == 1 else "APROBADO"))
    assert code(floor.do(approve)) == "NDT_PENDIENTE", "rejected and not repaired"
    floor.do(RepararUnion("MK-1", WELDER.id, 1))
    assert code(floor.do(approve)) == "NDT_PENDIENTE", "repaired and not examined again"
    floor.do(result(pending(shop)[0]))
    assert code(floor.do(approve)) == "OK"


def test_a_shop_may_approve_all_the_same_and_a_rejection_is_never_held_up(floor: Floor, shop: Database) -> None:
    weld(floor, "MK-1", 1, 2, 3)
    weld(floor, "MK-2", 1, 2, 3)
    assert code(floor.do(Inspeccionar("MK-1", METROLOGIST.id, Resultado.RECHAZADO))) == "OK"
    use(floor, a_policy(EVERY_WELD, blocks_approval=False))
    assert code(floor.do(Inspeccionar("MK-2", METROLOGIST.id, APROBADO))) == "OK"


def test_a_rejected_examination_is_a_rejection_of_the_spool_only_by_setting(floor: Floor, shop: Database) -> None:
    weld(floor, "MK-1", 1, 2, 3)
    first, second, third = pending(shop)
    floor.do(result(first, "RECHAZADO"))
    assert spool_in(shop, "MK-1").ciclo == 0
    use(floor, a_policy(EVERY_WELD, counts_in_cycle=True))
    before = spool_in(shop, "MK-1")
    floor.do(result(second, "RECHAZADO"))
    after = spool_in(shop, "MK-1")
    assert (after.ciclo, after.metrologia) == (1, Metrologia.RECHAZADO)
    assert after.version != before.version
    floor.do(result(third, "RECHAZADO"))
    assert (spool_in(shop, "MK-1").ciclo, spool_in(shop, "MK-1").metrologia) == (2, Metrologia.RECHAZADO)


# ─── a weld that is reopened ──────────────────────────────────────────────────────────────────────────────────


def test_a_reopened_weld_voids_its_open_examination_in_the_same_commit(floor: Floor, shop: Database) -> None:
    weld(floor, "MK-1", 1, 2)
    floor.do(result(next(e for e in pending(shop) if e.n_union == 2)))
    assert code(floor.do(Corregir("MK-1", SUPERVISOR.id, "No era", SOLD, (1, 2)))) == "OK"
    assert pending(shop) == []
    found = {exam.n_union: exam for exam in exams(shop, "MK-1")}
    assert found[1].status is ExamStatus.ANULADO
    assert (found[2].status, found[2].superseded) == (ExamStatus.APROBADO, True)
    assert kinds(shop)[-2:] == ["CORRECCION", "NDT_ANULADO"]
    assert joint_in(shop, "MK-1", 1).ndt_status is None
    assert [group.selected for group in groups(shop)] == [0]


def test_a_weld_that_is_made_anew_is_examined_by_what_the_old_one_was(floor: Floor, shop: Database) -> None:
    use(floor, a_policy())
    weld(floor, "MK-1", 1)
    floor.do(SolicitarNdt("MK-1", SUPERVISOR.id, "PT", (1,)))
    floor.do(result(pending(shop)[0], "RECHAZADO"))
    floor.do(Corregir("MK-1", SUPERVISOR.id, "Se corta", SOLD, (1,)))
    weld(floor, "MK-1", 1, by=OTHER.id)
    (again,) = pending(shop)
    assert (again.method, again.origin, again.round, again.welder) == ("PT", Origin.REEXAMEN, 0, OTHER.label)
    assert spool_in(shop, "MK-1").ndt is Ensayos.PENDIENTE


def test_a_group_that_lost_an_examination_takes_the_next_weld(floor: Floor, shop: Database) -> None:
    use(floor, a_policy(a_rule(1)))
    weld(floor, "MK-1", 1)
    weld(floor, "MK-2", 1)
    assert len(pending(shop)) == 1, "one per cent of two is one"
    floor.do(Corregir("MK-1", SUPERVISOR.id, "No era", SOLD, (1,)))
    weld(floor, "MK-3", 1)
    assert [exam.tag for exam in pending(shop)] == ["MK-3"]


def test_arm_reopened_takes_the_weld_and_its_examination_along(floor: Floor, shop: Database) -> None:
    weld(floor, "MK-1", 1)
    floor.do(Corregir("MK-1", SUPERVISOR.id, "Mal armado", Operacion.ARM, (1,)))
    assert [exam.status for exam in exams(shop, "MK-1")] == [ExamStatus.ANULADO]


def test_a_note_changes_no_examination(floor: Floor, shop: Database) -> None:
    weld(floor, "MK-1", 1)
    assert code(floor.do(Anotar("MK-1", 93, "Ojo", 1))) == "OK"
    assert len(pending(shop)) == 1


def test_an_additional_examination_whose_weld_is_reopened_is_owed_by_its_welder(floor: Floor, shop: Database) -> None:
    use(floor, a_policy(additional=1))
    weld(floor, "MK-1", 1)
    weld(floor, "MK-2", 1)
    floor.do(SolicitarNdt("MK-1", SUPERVISOR.id, "RT", (1,)))
    floor.do(result(pending(shop)[0], "RECHAZADO"))
    assert [(exam.tag, exam.origin) for exam in pending(shop)] == [("MK-2", Origin.ADICIONAL)]
    floor.do(Corregir("MK-2", SUPERVISOR.id, "Se corta", SOLD, (1,)))
    assert [group.owed for group in groups(shop)] == [1]
    weld(floor, "MK-2", 1, by=OTHER.id)
    weld(floor, "MK-3", 1)
    requested = [(exam.tag, exam.welder, exam.origin) for exam in pending(shop)]
    assert requested == [("MK-2", OTHER.label, Origin.REEXAMEN), ("MK-3", WELDER.label, Origin.ADICIONAL)]
    assert [group.owed for group in groups(shop)] == [0]
