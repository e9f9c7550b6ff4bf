"""Edits and removed rows in the workbook and their effect on examinations: they reopen welds, and never influence a
sample."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from carrete.actions.ndt import EditedNdt
from carrete.domain.commands import Completar, Finalizar, Iniciar, SolicitarNdt, Tomar
from carrete.domain.edits.cells import OPERACIONES, RETIRAR, Edited, row_event
from carrete.domain.events import EventoTipo
from carrete.domain.ndt.examination import ExamStatus, Origin
from carrete.domain.reports.repair_rates import RatePor
from carrete.domain.spool import Ensayos
from carrete.ledger.ndt import rates
from carrete.ledger.store import joints_of_many
from tests.integration.workbook.files import RowEditor
from tests.support.acting import Floor, a_floor, code
from tests.support.builders import a_spool, events_in, put, spool_in
from tests.support.ndt import (
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

TAG = "MK-1"


@pytest.fixture
def floor(desk: RowEditor) -> Iterator[Floor]:
    fill(desk.database, [TAG, "MK-2"])
    with a_floor(desk.database, clock=desk.clock.tick) as floor:
        use(floor, a_policy(a_rule(100)))
        yield floor


def kinds(desk: RowEditor) -> list[str]:
    return [stored.event.tipo.value for stored in events_in(desk.database, TAG)]


def typed(desk: RowEditor, n_union: int, **cells: Any) -> None:
    exported = desk.exported()
    desk.edit(exported, TAG, n_union, **cells)
    desk.import_(desk.save(exported))


def test_examinations_go_out_in_their_columns_and_come_back_without_doing_anything(
    desk: RowEditor, floor: Floor
) -> None:
    weld(floor, TAG, 1, 2)
    floor.do(result(pending(desk.database)[0], informe="RT-7"))
    exported = desk.exported()
    row = next(row for row in exported["Uniones"] if row["TAG_SPOOL"] == TAG and row["N_UNION"] == 1)
    assert (row["NDT_UNION"], row["R_NDT_UNION"], row["NDT_STATUS"]) == ("RT", "RT-7", "APROBADO")
    before = (events_in(desk.database), exams(desk.database), groups(desk.database))
    desk.import_(desk.save(exported))
    assert (events_in(desk.database), exams(desk.database), groups(desk.database)) == before


def test_an_edit_that_reopens_a_weld_voids_its_examination_in_the_same_commit(desk: RowEditor, floor: Floor) -> None:
    weld(floor, TAG, 1, 2)
    typed(desk, 1, SOL_FECHA_FIN="", SOL_FECHA_INICIO="", SOL_WORKER="")
    assert {exam.n_union: exam.status for exam in exams(desk.database, TAG)} == {
        1: ExamStatus.ANULADO,
        2: ExamStatus.PENDIENTE,
    }
    assert "NDT_ANULADO" in kinds(desk)
    assert joint_in(desk.database, TAG, 1).ndt_status is None
    assert [(group.welded, group.selected) for group in groups(desk.database)] == [(2, 1)]
    weld(floor, TAG, 1)
    assert [exam.n_union for exam in pending(desk.database)] == [2, 1]
    assert [(group.welded, group.selected) for group in groups(desk.database)] == [(2, 2)]


def test_what_a_person_types_about_an_examined_joint_is_written_back(desk: RowEditor, floor: Floor) -> None:
    weld(floor, TAG, 1)
    with desk.database.writing() as tx:
        tx.run("outbox_see")
    typed(desk, 1, NDT_STATUS="APROBADO", R_NDT_UNION="RT-FALSO")
    joint = joint_in(desk.database, TAG, 1)
    assert (joint.ndt_status, joint.r_ndt_union) == ("PENDIENTE", None)
    assert kinds(desk)[-1] == "EDICION_EXTERNA", "that somebody typed it is on record"
    with desk.database.reading() as tx:
        assert ("Uniones", TAG, 1, joint.version) in tx.all("outbox_all")
    assert len(exams(desk.database)) == 1


def test_columns_of_joints_without_examinations_stay_as_typed(desk: RowEditor, floor: Floor) -> None:
    weld(floor, TAG, 1)
    typed(desk, 2, NDT_UNION="RT", NDT_STATUS="OK del cliente")
    joint = joint_in(desk.database, TAG, 2)
    assert (joint.ndt_union, joint.ndt_status) == ("RT", "OK del cliente")
    assert [exam.n_union for exam in exams(desk.database)] == [1]


def replaced_in(desk: RowEditor, tag: str = TAG) -> list[tuple[int | None, Any]]:
    requests = [each.event for each in events_in(desk.database, tag) if each.event.tipo is EventoTipo.NDT_SOLICITADO]
    return [(event.n_union, event.metadata.get("reemplaza")) for event in requests]


def test_what_was_typed_before_the_first_examination_is_in_the_event_that_replaces_it(
    desk: RowEditor, floor: Floor
) -> None:
    cells = {"NDT_UNION": "UT", "R_NDT_UNION": "UT-9", "NDT_FECHA": "01-10-2026", "NDT_STATUS": "OK del cliente"}
    typed(desk, 1, **cells)
    weld(floor, TAG, 1, 2)
    assert replaced_in(desk) == [(1, {**cells, "NDT_FECHA": "2026-10-01"}), (2, None)]
    assert joint_in(desk.database, TAG, 1).ndt_status == "PENDIENTE"


def test_a_request_by_hand_and_an_additional_one_say_what_they_replace_and_only_once(
    desk: RowEditor, floor: Floor
) -> None:
    use(floor, a_policy(additional=1))
    weld(floor, TAG, 1, 2)
    typed(desk, 1, NDT_STATUS="visto")
    typed(desk, 2, R_NDT_UNION="PT-3", NDT_STATUS="PENDIENTE")
    floor.do(SolicitarNdt(TAG, SUPERVISOR.id, "RT", (1,)))
    floor.do(result(pending(desk.database)[0], "RECHAZADO"))
    assert [code(floor.do(SolicitarNdt(TAG, SUPERVISOR.id, "PT", (n,)))) for n in (1, 2)] == ["OK", "OK"]
    assert replaced_in(desk) == [
        (1, {"NDT_STATUS": "visto"}),
        (2, {"R_NDT_UNION": "PT-3"}),
        (1, None),
        (2, None),
    ]


def test_a_weld_that_is_typed_into_the_workbook_is_not_sampled(desk: RowEditor, floor: Floor) -> None:
    typed(desk, 1, SOL_FECHA_FIN="16-11-2026 10:00:00", SOL_WORKER="MR(93)")
    assert joint_in(desk.database, TAG, 1).welded
    assert exams(desk.database) == []
    assert groups(desk.database) == []


def test_typing_another_welder_for_a_selected_weld_lowers_no_sample(desk: RowEditor, floor: Floor) -> None:
    use(floor, a_policy(a_rule(1)))
    weld(floor, TAG, 1)
    weld(floor, TAG, 2)
    assert [(exam.n_union, exam.welder) for exam in pending(desk.database)] == [(1, WELDER.label)]
    typed(desk, 1, SOL_WORKER=OTHER.label)
    assert [(exam.n_union, exam.welder) for exam in pending(desk.database)] == [(1, OTHER.label)]
    weld(floor, TAG, 3)
    assert [(exam.n_union, exam.welder) for exam in pending(desk.database)] == [(1, OTHER.label), (3, WELDER.label)]


def test_typing_another_ot_for_a_selected_weld_lowers_no_sample(desk: RowEditor, floor: Floor) -> None:
    use(floor, a_policy(a_rule(1)))
    weld(floor, TAG, 1)
    assert [(exam.tag, exam.n_union) for exam in pending(desk.database)] == [(TAG, 1)]
    exported = desk.exported()
    desk.edit(exported, TAG, OT="OT-9")
    desk.import_(desk.save(exported))
    weld(floor, "MK-2", 1)
    assert [(exam.tag, exam.n_union) for exam in pending(desk.database)] == [(TAG, 1), ("MK-2", 1)]


def test_an_approval_does_not_outlive_the_weld_it_is_about(desk: RowEditor, floor: Floor) -> None:
    use(floor, a_policy())
    weld(floor, TAG, 1)
    floor.do(SolicitarNdt(TAG, SUPERVISOR.id, "PT", (1,)))
    floor.do(result(pending(desk.database)[0]))
    typed(desk, 1, SOL_FECHA_FIN="")
    assert [exam.superseded for exam in exams(desk.database, TAG)] == [True]
    typed(desk, 1, SOL_FECHA_FIN="16-11-2026 12:00:00")
    (again,) = pending(desk.database)
    assert (again.method, again.origin) == ("PT", Origin.REEXAMEN)
    assert spool_in(desk.database, TAG).ndt is Ensayos.PENDIENTE


def test_importing_the_same_file_again_and_again_changes_no_counter(desk: RowEditor, floor: Floor) -> None:
    use(floor, a_policy(a_rule(30)))
    weld(floor, TAG, 1, 2, 3)
    before = groups(desk.database)
    for _ in range(3):
        desk.import_(desk.export())
    assert groups(desk.database) == before


def removed(desk: RowEditor, tag: str) -> None:
    with desk.database.writing() as tx:
        tx.execute(f"UPDATE spool SET retired = 1 WHERE tag = '{tag}'")


def test_a_weld_that_is_finished_while_its_row_is_out_of_the_sheet_is_sampled(desk: RowEditor, floor: Floor) -> None:
    assert code(floor.do(Iniciar(TAG, WELDER.id, SOLD))) == "OK"
    with_the_row = desk.export()
    removed(desk, TAG)
    assert code(floor.do(Finalizar(TAG, WELDER.id, SOLD, (1, 2)))) == "OK"
    assert kinds(desk)[-4:] == ["NDT_SOLICITADO", "NDT_ANULADO"] * 2
    assert [exam.status for exam in exams(desk.database, TAG)] == [ExamStatus.ANULADO] * 2
    assert [(group.welded, group.selected) for group in groups(desk.database)] == [(2, 0)]
    assert spool_in(desk.database, TAG).ndt is Ensayos.AL_DIA
    desk.import_(with_the_row)
    assert not spool_in(desk.database, TAG).retired
    assert [(exam.n_union, exam.origin) for exam in pending(desk.database, TAG)] == [
        (1, Origin.REGRESO),
        (2, Origin.REGRESO),
    ]
    assert joint_in(desk.database, TAG, 1).ndt_status == "PENDIENTE"


def test_a_weld_out_of_the_sheet_leaves_its_place_in_the_sample_to_the_next(desk: RowEditor, floor: Floor) -> None:
    use(floor, a_policy(a_rule(1)))
    assert code(floor.do(Iniciar(TAG, WELDER.id, SOLD))) == "OK"
    removed(desk, TAG)
    assert code(floor.do(Finalizar(TAG, WELDER.id, SOLD, (1,)))) == "OK"
    assert pending(desk.database) == []
    weld(floor, "MK-2", 1)
    assert [(exam.tag, exam.n_union) for exam in pending(desk.database)] == [("MK-2", 1)]
    assert [(group.welded, group.selected) for group in groups(desk.database)] == [(2, 1)]


def test_a_whole_spool_that_is_completed_out_of_the_sheet_is_sampled_too(desk: RowEditor, floor: Floor) -> None:
    put(desk.database, [a_spool("ENTERO", armador="LP(7)")])
    assert code(floor.do(Tomar("ENTERO", WELDER.id, SOLD))) == "OK"
    with_the_row = desk.export()
    removed(desk, "ENTERO")
    assert code(floor.do(Completar("ENTERO", WELDER.id, SOLD))) == "OK"
    assert [exam.status for exam in exams(desk.database, "ENTERO")] == [ExamStatus.ANULADO]
    desk.import_(with_the_row)
    (again,) = pending(desk.database, "ENTERO")
    assert (again.n_union, again.method, again.origin) == (0, "RT", Origin.REGRESO)


# ─── a weld whose row is removed, and back ────────────────────────────────────────────────────────────────────


def removed_and_back(desk: RowEditor, tag: str = TAG, n_union: int | None = 1, **cells: Any) -> None:
    """`cells` of that joint, or of the spool, are not as before when the row is back."""
    exported, spool, now = desk.exported(), spool_in(desk.database, tag), desk.clock.tick()
    desk.edit(exported, tag, n_union, **cells)
    with desk.database.writing() as tx:
        ndt = EditedNdt(tx, [spool])
        gone = Edited(replace(spool, retired=True), events=(row_event(OPERACIONES, RETIRAR, now),))
        ndt.follow(spool, joints_of_many(tx, [tag]).get(tag, []), gone, now)
        ndt.save()
        tx.execute(f"UPDATE spool SET retired = 1 WHERE tag = '{tag}'")
    desk.import_(desk.save(exported))
    assert not spool_in(desk.database, tag).retired


def examine(floor: Floor, desk: RowEditor, resultado: str) -> None:
    (exam,) = pending(desk.database)
    assert code(floor.do(result(exam, resultado))) == "OK"


def counted(desk: RowEditor) -> list[tuple[int, int, int]]:
    """Joints examined, rejected at their first examination, and all rejections; the same by whatever key."""
    with desk.database.reading() as tx:
        found = [[each for _, each in rates(tx, por, "2026-01-01", "2026-12-31", "")] for por in RatePor]
    assert all(each == found[0] for each in found)
    return [(each.joints, each.rejected, each.rejections) for each in found[0]]


def test_a_weld_whose_row_was_removed_and_came_back_counts_once_in_the_rates(desk: RowEditor, floor: Floor) -> None:
    use(floor, a_policy())
    weld(floor, TAG, 1)
    floor.do(SolicitarNdt(TAG, SUPERVISOR.id, "RT", (1,)))
    examine(floor, desk, "RECHAZADO")
    assert counted(desk) == [(1, 1, 1)]
    removed_and_back(desk)
    removed_and_back(desk)
    examine(floor, desk, "RECHAZADO")
    assert counted(desk) == [(1, 1, 2)]
    typed(desk, 1, SOL_FECHA_FIN="")
    weld(floor, TAG, 1)
    examine(floor, desk, "APROBADO")
    assert counted(desk) == [(2, 1, 2)], "a weld that is made anew is another weld"
    removed_and_back(desk)
    examine(floor, desk, "APROBADO")
    assert counted(desk) == [(2, 1, 2)]


def test_a_weld_that_lost_its_row_before_its_first_result_counts_when_it_has_one(desk: RowEditor, floor: Floor) -> None:
    use(floor, a_policy())
    weld(floor, TAG, 1)
    floor.do(SolicitarNdt(TAG, SUPERVISOR.id, "RT", (1,)))
    examine(floor, desk, "APROBADO")
    typed(desk, 1, SOL_FECHA_FIN="")
    weld(floor, TAG, 1)
    removed_and_back(desk)
    examine(floor, desk, "RECHAZADO")
    assert counted(desk) == [(2, 1, 1)], "the result before is of an earlier weld"


def test_removing_a_row_and_putting_it_back_calls_for_no_further_joints(desk: RowEditor, floor: Floor) -> None:
    use(floor, a_policy(additional=1))
    weld(floor, TAG, 1)
    weld(floor, "MK-2", 1)
    floor.do(SolicitarNdt(TAG, SUPERVISOR.id, "RT", (1,)))
    examine(floor, desk, "APROBADO")
    removed_and_back(desk)
    examine(floor, desk, "RECHAZADO")
    assert (pending(desk.database), groups(desk.database)) == ([], [])
    typed(desk, 1, SOL_FECHA_FIN="")
    weld(floor, TAG, 1)
    examine(floor, desk, "RECHAZADO")
    assert [exam.tag for exam in pending(desk.database)] == ["MK-2"], "its first examination does"


@pytest.mark.parametrize("cells", [{"SOL_WORKER": OTHER.label}, {"SOL_FECHA_FIN": "16-11-2026 23:00:00"}])
def test_a_row_that_is_back_with_another_welder_or_another_end_of_welding_is_another_weld(
    desk: RowEditor, floor: Floor, cells: dict[str, str]
) -> None:
    use(floor, a_policy())
    weld(floor, TAG, 1)
    floor.do(SolicitarNdt(TAG, SUPERVISOR.id, "RT", (1,)))
    examine(floor, desk, "APROBADO")
    removed_and_back(desk, TAG, 1, **cells)
    (again,) = pending(desk.database)
    assert (again.origin, again.welder) == (Origin.REEXAMEN, cells.get("SOL_WORKER", WELDER.label))
    examine(floor, desk, "RECHAZADO")
    with desk.database.reading() as tx:
        found = dict(rates(tx, RatePor.SOLDADOR, "2026-01-01", "2026-12-31", ""))
    assert sum(each.joints for each in found.values()) == 2
    assert found[again.welder].rejected == 1, "it is the first examination of that weld"


@pytest.mark.parametrize("cells", [{"Soldador": OTHER.label}, {"Fecha_Soldadura": "15-11-2026"}])
def test_a_whole_spool_that_is_back_with_another_welder_or_another_day_is_another_weld(
    desk: RowEditor, floor: Floor, cells: dict[str, str]
) -> None:
    put(desk.database, [a_spool("ENTERO", armador="LP(7)")])
    assert code(floor.do(Tomar("ENTERO", WELDER.id, SOLD))) == "OK"
    assert code(floor.do(Completar("ENTERO", WELDER.id, SOLD))) == "OK"
    removed_and_back(desk, "ENTERO", None, **cells)
    (again,) = pending(desk.database, "ENTERO")
    assert (again.origin, again.welder) == (Origin.REEXAMEN, cells.get("Soldador", WELDER.label))


def test_a_welder_whose_initials_changed_meanwhile_is_the_same_welder(desk: RowEditor, floor: Floor) -> None:
    use(floor, a_policy())
    weld(floor, TAG, 1)
    floor.do(SolicitarNdt(TAG, SUPERVISOR.id, "RT", (1,)))
    removed_and_back(desk, SOL_WORKER=f"XX({WELDER.id})")
    assert [exam.origin for exam in pending(desk.database)] == [Origin.REGRESO]
