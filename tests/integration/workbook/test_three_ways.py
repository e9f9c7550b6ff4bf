"""Exported files that are imported again: a person's edits win, and the workers' actions since then stay."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from carrete.demo.fill import fill
from carrete.domain.commands import Completar, Pausar, Tomar
from carrete.domain.events import EventoTipo
from carrete.domain.spool import Estado, Metrologia, Operacion
from carrete.domain.tags import hidden_character
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.migrate import migrate
from carrete.ledger.rows import StoredEvent
from carrete.workbook.exporting import export_workbook
from carrete.workbook.importing import import_workbook
from tests.integration.workbook.files import MONDAY, SHOP, RowEditor, read_sheet
from tests.support.builders import a_blocked_spool, a_joint, a_spool, a_worker, events_in, held, put, spool_in

ARM, SOLD = Operacion.ARM, Operacion.SOLD
READY = {"TAG_SPOOL": "A-1", "OT": "1", "Fecha_Materiales": "02-11-2026"}


def nothing_happened(report: Any) -> bool:
    counts = (report.spools, report.joints, report.workers, report.roles)
    return not any(count.new or count.changed for count in counts) and not report.conflicts


def editions(events: Sequence[StoredEvent]) -> list[dict[str, Any]]:
    """The metadata of each edit, without its `via`: a workbook proves nobody."""
    found = [dict(e.event.metadata) for e in events if e.event.accion == "EDITAR"]
    assert all(edit.pop("via") == {"proof": "planilla"} for edit in found)
    return found


def test_importing_the_same_file_again_does_nothing(desk: RowEditor) -> None:
    rows = [{**READY, "Total_Uniones": 2, "Ocupado_Por": "MR(93)", "Fecha_Armado": "ayer"}]
    joints = [{"TAG_SPOOL": "A-1", "N_UNION": n, "DN_UNION": 2.5, "ARM_FECHA_FIN": "05-11-2026"} for n in (1, 2)]
    desk.bring(rows, joints)
    before = (spool_in(desk.database, "A-1"), desk.joints("A-1"), events_in(desk.database))
    report = desk.bring(rows, joints)
    assert nothing_happened(report)
    assert (spool_in(desk.database, "A-1"), desk.joints("A-1"), events_in(desk.database)) == before


def test_a_file_with_the_same_values_changes_nothing_that_the_floor_did_since(desk: RowEditor) -> None:
    desk.bring([{**READY, "Fecha_Armado": "", "Armador": "", "Ocupado_Por": "DISPONIBLE", "Fecha_Ocupacion": ""}])
    desk.act(Tomar("A-1", 93, ARM))
    desk.act(Completar("A-1", 93, ARM))
    desk.act(Tomar("A-1", 12, SOLD))
    before = spool_in(desk.database, "A-1")
    report = desk.bring(
        [{**READY, "Fecha_Armado": "", "Armador": "", "Ocupado_Por": "DISPONIBLE", "Fecha_Ocupacion": ""}]
    )
    assert nothing_happened(report)
    assert spool_in(desk.database, "A-1") == before


def test_mondays_export_is_compared_with_monday_even_after_tuesdays(desk: RowEditor) -> None:
    desk.bring([READY])
    monday = desk.export()
    desk.act(Tomar("A-1", 93, ARM))
    desk.export()
    desk.act(Pausar("A-1", 93, ARM))
    before = spool_in(desk.database, "A-1")
    assert nothing_happened(desk.import_(monday))
    assert spool_in(desk.database, "A-1") == before


def test_an_edit_in_an_old_export_is_that_edit_and_nothing_more(desk: RowEditor) -> None:
    desk.bring([READY])
    monday = desk.exported()
    desk.act(Tomar("A-1", 93, ARM))
    desk.export()
    desk.edit(monday, "A-1", NV="99")
    desk.import_(desk.save(monday))
    spool = spool_in(desk.database, "A-1")
    assert spool.nv == "99"
    assert spool.occupation is not None
    event = {"hoja": "Operaciones", "columna": "NV", "anterior": "", "nuevo": "99"}
    assert editions(events_in(desk.database)) == [event]


def test_a_file_that_lost_its_token_is_compared_with_the_last_known_values(desk: RowEditor) -> None:
    put(desk.database, [a_spool("A-1")], [a_worker()])
    exported = desk.exported()
    for row in exported["Operaciones"]:
        del row["version"]
    desk.edit(exported, "A-1", Soldador="Pedro")
    desk.act(Tomar("A-1", 93, ARM))
    report = desk.import_(desk.save(exported))
    spool = spool_in(desk.database, "A-1")
    assert (spool.soldador, spool.armador) == ("Pedro", "MR(93)")
    assert spool.occupation is not None
    assert not report.notices


def test_a_date_that_could_not_be_read_counts_once_it_is_corrected(desk: RowEditor) -> None:
    desk.bring([{**READY, "Fecha_Armado": "31-02-2026"}])
    desk.bring([{**READY, "Fecha_Armado": "28-02-2026"}])
    spool = spool_in(desk.database, "A-1")
    assert (spool.fecha_armado, spool.arm) == (date(2026, 2, 28), Estado.COMPLETADO)
    event = {"hoja": "Operaciones", "columna": "Fecha_Armado", "anterior": "", "nuevo": "2026-02-28"}
    assert editions(events_in(desk.database)) == [event]


def test_a_date_of_a_known_spool_that_could_not_be_read_counts_once_it_is_corrected(desk: RowEditor) -> None:
    desk.bring([{**READY, "Fecha_Armado": "27-02-2026"}])
    desk.bring([{**READY, "Fecha_Armado": "31-02-2026"}])
    assert spool_in(desk.database, "A-1").fecha_armado == date(2026, 2, 27)
    desk.bring([{**READY, "Fecha_Armado": "28-02-2026"}])
    assert spool_in(desk.database, "A-1").fecha_armado == date(2026, 2, 28)


def test_a_column_that_comes_later_is_what_a_person_typed(desk: RowEditor) -> None:
    desk.bring([READY])
    later = {**READY, "Fecha_Armado": "05-11-2026", "Ocupado_Por": "MR(93)", "Pulgadas_ARM": "", "Estado_Detalle": ""}
    report = desk.bring([later])
    spool = spool_in(desk.database, "A-1")
    assert spool.fecha_armado == date(2026, 11, 5)
    assert spool.held_by(93, ARM)
    assert {edition["columna"] for edition in editions(events_in(desk.database))} == {"Fecha_Armado", "Ocupado_Por"}
    assert not report.conflicts
    assert nothing_happened(desk.bring([later]))


def test_a_column_that_comes_after_an_export_is_compared_with_the_exported_values(desk: RowEditor) -> None:
    put(desk.database, [a_spool("A-1")], [a_worker()])
    desk.bring([{"TAG_SPOOL": "A-1", "OT": "5"}])
    desk.export()
    desk.bring([{"TAG_SPOOL": "A-1", "OT": "5", "Fecha_Armado": "05-11-2026"}])
    assert spool_in(desk.database, "A-1").fecha_armado == date(2026, 11, 5)


def test_a_joints_column_that_comes_later_is_what_a_person_typed(desk: RowEditor) -> None:
    row = {**READY, "Total_Uniones": 2}
    desk.bring([row], [{"TAG_SPOOL": "A-1", "N_UNION": 1}])
    desk.bring([row], [{"TAG_SPOOL": "A-1", "N_UNION": 2}])
    dated = [{"TAG_SPOOL": "A-1", "N_UNION": n, "ARM_FECHA_FIN": "05-11-2026"} for n in (1, 2)]
    desk.bring([row], dated)
    assert all(joint.arm_fin for joint in desk.joints("A-1"))
    assert spool_in(desk.database, "A-1").arm is Estado.COMPLETADO


def test_a_file_without_the_date_of_the_occupation_is_about_the_holder_it_names(desk: RowEditor) -> None:
    desk.bring([{**READY, "Ocupado_Por": "MR(93)"}])
    desk.act(Pausar("A-1", 93, ARM))
    desk.act(Tomar("A-1", 93, ARM))
    desk.bring([{**READY, "Ocupado_Por": ""}])
    assert spool_in(desk.database, "A-1").occupation is None


def test_an_edit_of_what_carrete_works_out_is_recorded_once_and_ours_stays(desk: RowEditor) -> None:
    put(desk.database, [a_spool("A-1", total_uniones=1)], joints=[a_joint(1, "A-1")])
    exported = desk.exported()
    desk.edit(exported, "A-1", Pulgadas_ARM=99, Estado_Detalle="listo", Fecha_Armado="05-11-2026", version="otra")
    path = desk.save(exported)
    desk.import_(path)
    facts = editions(events_in(desk.database))
    assert {fact["columna"] for fact in facts} == {"Pulgadas_ARM", "Estado_Detalle", "Fecha_Armado"}
    assert all(fact["aceptado"] is False for fact in facts)
    assert next(fact["anterior"] for fact in facts if fact["columna"] == "Pulgadas_ARM") == "0"
    assert nothing_happened(desk.import_(path))
    assert editions(events_in(desk.database)) == facts
    assert spool_in(desk.database, "A-1").fecha_armado is None


def test_handing_over_begins_the_new_occupation_now(desk: RowEditor) -> None:
    desk.bring([READY])
    desk.act(Tomar("A-1", 93, ARM))
    exported = desk.exported()
    desk.edit(exported, "A-1", Ocupado_Por="JP(12)")
    desk.import_(desk.save(exported))
    occupation = spool_in(desk.database, "A-1").occupation
    assert occupation is not None
    assert (occupation.label, occupation.since) == ("JP(12)", desk.clock.now)


def test_when_both_changed_a_cell_the_person_wins_and_both_values_are_written_down(desk: RowEditor) -> None:
    desk.bring([READY])
    exported = desk.exported()
    desk.act(Tomar("A-1", 93, ARM))
    desk.act(Completar("A-1", 93, ARM, fecha=date(2026, 11, 10)))
    desk.edit(exported, "A-1", Fecha_Armado="12-11-2026")
    report = desk.import_(desk.save(exported))
    assert spool_in(desk.database, "A-1").fecha_armado == date(2026, 11, 12)
    assert [(c.column, c.ours, c.theirs, c.taken) for c in report.conflicts] == [
        ("Fecha_Armado", "2026-11-10", "2026-11-12", True)
    ]
    (edition,) = editions(events_in(desk.database))
    assert (edition["conflicto"], edition["nuestro"], edition["anterior"]) == (True, "2026-11-10", "")


def test_the_holder_that_a_person_saw_is_released_by_emptying_the_cell(desk: RowEditor) -> None:
    desk.bring([READY])
    desk.act(Tomar("A-1", 93, ARM))
    exported = desk.exported()
    desk.edit(exported, "A-1", Ocupado_Por="DISPONIBLE")
    desk.import_(desk.save(exported))
    spool = spool_in(desk.database, "A-1")
    assert (spool.occupation, spool.arm, spool.armador) == (None, Estado.PAUSADO, "MR(93)")


def test_a_holder_who_came_after_the_person_looked_stays(desk: RowEditor) -> None:
    desk.bring([READY])
    desk.act(Tomar("A-1", 93, ARM))
    exported = desk.exported()
    desk.act(Pausar("A-1", 93, ARM))
    desk.act(Tomar("A-1", 12, ARM))
    desk.edit(exported, "A-1", Ocupado_Por="")
    report = desk.import_(desk.save(exported))
    spool = spool_in(desk.database, "A-1")
    assert spool.occupation is not None
    assert spool.occupation.label == "JP(12)"
    assert [conflict.taken for conflict in report.conflicts] == [False]
    assert editions(events_in(desk.database))[0]["nuestro"] == "JP(12)"


def test_the_same_holder_who_came_back_is_another_occupation(desk: RowEditor) -> None:
    desk.bring([READY])
    desk.act(Tomar("A-1", 93, ARM))
    exported = desk.exported()
    desk.act(Pausar("A-1", 93, ARM))
    desk.act(Tomar("A-1", 93, ARM))
    desk.edit(exported, "A-1", Ocupado_Por="", Fecha_Ocupacion="")
    desk.import_(desk.save(exported))
    assert spool_in(desk.database, "A-1").occupation is not None


def test_an_unknown_label_keeps_its_whole_row_out_until_it_is_repaired(desk: RowEditor) -> None:
    desk.bring([READY])
    exported = desk.exported()
    desk.edit(exported, "A-1", Ocupado_Por="ZZ(404)", OT="77")
    report = desk.import_(desk.save(exported))
    assert [(p.row, p.column) for p in report.problems] == [(2, "Ocupado_Por")]
    assert spool_in(desk.database, "A-1").ot == "1"
    assert (report.exit_code, report.spools.taken) == (1, 0)
    desk.edit(exported, "A-1", Ocupado_Por="JP(12)")
    assert desk.import_(desk.save(exported)).exit_code == 0
    spool = spool_in(desk.database, "A-1")
    assert (spool.ot, spool.armador) == ("77", "JP(12)")


def test_no_value_of_a_row_that_stays_out_is_reported_as_taken(desk: RowEditor) -> None:
    desk.bring([READY])
    exported = desk.exported()
    desk.act(Tomar("A-1", 93, ARM))
    desk.act(Completar("A-1", 93, ARM, fecha=date(2026, 11, 10)))
    desk.edit(exported, "A-1", Ocupado_Por="ZZ(404)", Fecha_Armado="12-11-2026")
    report = desk.import_(desk.save(exported))
    assert spool_in(desk.database, "A-1").fecha_armado == date(2026, 11, 10)
    assert not [conflict for conflict in report.conflicts if conflict.taken]


UNKNOWN = {**READY, "Ocupado_Por": "ZZ(404)", "Fecha_Ocupacion": "12-11-2026 10:00:00"}


def test_a_new_spool_with_an_unknown_holder_comes_in_free_with_its_joints(desk: RowEditor) -> None:
    report = desk.bring([UNKNOWN, {**READY, "TAG_SPOOL": "A-2"}], [{"TAG_SPOOL": "A-1", "N_UNION": 1}])
    (problem,) = report.problems
    assert (problem.sheet, problem.row, problem.column) == ("Operaciones", 2, "Ocupado_Por")
    assert "El spool entró libre." in problem.reason
    assert (report.spools.new, report.joints.new, report.exit_code) == (2, 1, 3)
    assert spool_in(desk.database, "A-1").occupation is None


@pytest.mark.parametrize("through", ["the cell", "the worker"])
def test_once_the_cell_or_the_worker_is_repaired_the_occupation_follows(desk: RowEditor, through: str) -> None:
    desk.bring([UNKNOWN])
    again = desk.bring([UNKNOWN])
    assert [(p.row, p.column) for p in again.problems] == [(2, "Ocupado_Por")]
    assert spool_in(desk.database, "A-1").occupation is None
    zoe = {"Id": 404, "Nombre": "Zoe", "Apellido": "Zúñiga", "Activo": True}
    people = {"Trabajadores": [zoe]} if through == "the worker" else {}
    label = "ZZ(404)" if through == "the worker" else "MR(93)"
    report = desk.bring([{**UNKNOWN, "Ocupado_Por": label}], people=not people, **people)
    assert (report.exit_code, report.spools.changed, report.held_anew) == (0, 1, ["A-1"])
    held = spool_in(desk.database, "A-1").occupation
    assert held is not None
    assert (held.label, held.since.isoformat()) == (label, "2026-11-12T13:00:00+00:00")


def test_a_file_from_elsewhere_brings_engineerings_columns_and_leaves_the_floors_alone(desk: RowEditor) -> None:
    worker = a_worker()
    put(desk.database, [held(a_spool("A-1", ot="1"), worker)], [worker])
    report = desk.bring(
        [{"TAG_SPOOL": "A-1", "OT": "2", "Ocupado_Por": "", "Fecha_Armado": "05-11-2026"}], people=False
    )
    spool = spool_in(desk.database, "A-1")
    assert (spool.ot, spool.fecha_armado) == ("2", None)
    assert spool.occupation is not None
    assert {notice.column for notice in report.notices if notice.column} == {"Ocupado_Por", "Fecha_Armado"}
    assert report.exit_code == 0


def test_bloqueado_lifted_in_the_sheet_is_a_supervisors_override(desk: RowEditor) -> None:
    put(desk.database, [a_blocked_spool("A-1")])
    exported = desk.exported()
    desk.edit(exported, "A-1", Estado_Detalle="revisado, reparar")
    desk.import_(desk.save(exported))
    spool = spool_in(desk.database, "A-1")
    assert (spool.metrologia, spool.ciclo) == (Metrologia.RECHAZADO, 2)
    tipos = [e.event.tipo for e in events_in(desk.database, "A-1")]
    assert tipos == [EventoTipo.EDICION_EXTERNA, EventoTipo.SUPERVISOR_OVERRIDE]
    assert nothing_happened(desk.import_(desk.save(exported)))


def test_a_joint_ticked_by_hand_finishes_the_spool_and_sends_it_to_inspection(desk: RowEditor) -> None:
    put(desk.database, [a_spool("A-1", total_uniones=1)], joints=[a_joint(1, "A-1")])
    exported = desk.exported()
    desk.edit(exported, "A-1", 1, ARM_FECHA_FIN="10-11-2026 12:00:00", SOL_FECHA_FIN="11-11-2026 12:00:00")
    desk.edit(exported, "A-1", 1, ARM_WORKER="MR(93)")
    report = desk.import_(desk.save(exported))
    spool = spool_in(desk.database, "A-1")
    assert (spool.arm, spool.sold, spool.metrologia) == (Estado.COMPLETADO, Estado.COMPLETADO, Metrologia.EN_COLA)
    assert (spool.fecha_armado, spool.fecha_soldadura) == (date(2026, 11, 10), date(2026, 11, 11))
    events = events_in(desk.database, "A-1")
    assert [e.event.n_union for e in events] == [1, 1, 1, None]
    assert events[-1].event.tipo is EventoTipo.METROLOGIA_AUTO_TRIGGERED
    assert (report.spools.changed, report.joints.changed) == (1, 1)
    assert nothing_happened(desk.import_(desk.save(desk.exported())))


def test_a_spool_that_was_gone_is_back_with_its_history(desk: RowEditor) -> None:
    put(desk.database, [a_spool("A-1", retired=True)])
    desk.bring([READY])
    assert not spool_in(desk.database, "A-1").retired
    assert events_in(desk.database, "A-1")[0].event.accion == "REGRESAR"


def test_rows_that_are_not_in_the_file_are_left_alone(desk: RowEditor) -> None:
    desk.bring([READY, {**READY, "TAG_SPOOL": "A-2"}], [{"TAG_SPOOL": "A-2", "N_UNION": 1}])
    before = spool_in(desk.database, "A-2")
    desk.bring([{**READY, "OT": "5"}])
    assert spool_in(desk.database, "A-2") == before
    assert len(desk.joints("A-2")) == 1


def test_a_token_changes_only_where_a_row_changed(desk: RowEditor) -> None:
    put(desk.database, [a_spool("A-1", total_uniones=2)], joints=[a_joint(1, "A-1"), a_joint(2, "A-1")])
    before = (spool_in(desk.database, "A-1").version, *(joint.version for joint in desk.joints("A-1")))
    exported = desk.exported()
    desk.edit(exported, "A-1", 1, DN_UNION="3,5")
    desk.import_(desk.save(exported))
    after = (spool_in(desk.database, "A-1").version, *(joint.version for joint in desk.joints("A-1")))
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, False, True]


ODD = [
    "=SUMA(A1:A9)", "+1", "-1", "@x", "{=1}", "https://taller.cl", "TRUE", "00123", "1e5", "03-11-2026", "45000",
    "_x0041_", "👩\u200d🔧", "\u202eאבג\u202c", "a\nb", "a  b", "'x", '"', "#N/A", "1,5", "²", "x" * 1000,
]  # fmt: skip


def test_exporting_and_importing_changes_nothing_whatever_stands_in_the_cells(desk: RowEditor) -> None:
    """An odd text never looks edited: not after an import, and not after an export and an import."""
    tags = [f"{n}/{'' if hidden_character(odd) else odd[:90]}" for n, odd in enumerate(ODD)]
    rows = [
        {"TAG_SPOOL": tags[n], "OT": odd, "NV": odd, "Armador": odd, "Total_Uniones": odd}
        for n, odd in enumerate(ODD)
        if "\n" not in odd
    ]
    joints = [
        {"TAG_SPOOL": row["TAG_SPOOL"], "N_UNION": 1, "ID": odd, "DN_UNION": odd, "TIPO_UNION": odd, "NDT_FECHA": odd}
        for row, odd in zip(rows, ODD, strict=False)
    ]
    first = desk.bring(rows, joints)
    assert (first.spools.new, first.joints.new, first.problems) == (len(rows), len(rows), [])
    before = events_in(desk.database)
    once, twice = desk.export(), desk.export()
    for path in (once, twice, once):
        report = desk.import_(path)
        assert nothing_happened(report)
        assert not report.problems
        assert not report.notices
    assert events_in(desk.database) == before
    assert {row["OT"] for row in read_sheet(once, "Operaciones")} == {row["OT"] for row in rows}


def test_a_whole_shop_goes_out_and_in_again_unchanged(database: Database, desk: RowEditor) -> None:
    worker = a_worker()
    repeated = MONDAY.replace(month=4, day=5, hour=3, minute=30)  # 23:30 for the second time that night
    spools = [
        held(a_spool("A-1"), worker, since=repeated),
        a_blocked_spool("A-2"),
        a_spool("A-3", total_uniones=2, arm=Estado.PAUSADO),
    ]
    joints = [a_joint(1, "A-3", arm_fin=repeated, arm_inicio=MONDAY), a_joint(2, "A-3", dn_milli=None, dn_text="?")]
    put(database, spools, [worker], joints)
    before = [spool_in(database, spool.tag) for spool in spools]
    report = desk.import_(desk.export())
    assert nothing_happened(report)
    assert not report.notices
    assert [spool_in(database, spool.tag) for spool in spools] == before


def test_the_export_into_another_ledger_brings_the_same_shop(desk: RowEditor, tmp_path: Path) -> None:
    worker = a_worker()
    spools = [
        held(a_spool("A-1"), worker),
        a_blocked_spool("A-2"),
        a_spool("A-3", arm=Estado.PAUSADO, armador="MR(93)"),
    ]
    put(desk.database, spools, [worker])
    path = desk.export()
    other = open_database(f"sqlite:///{tmp_path / 'other.db'}")
    migrate(other)
    report = import_workbook(other, path, SHOP, desk.clock.tick())
    assert report.exit_code == 0
    second = tmp_path / "second.xlsx"
    export_workbook(other, second, SHOP, desk.clock.tick())
    other.close()
    shown = [[{**row, "version": ""} for row in read_sheet(p, "Operaciones")] for p in (path, second)]
    assert shown[0] == shown[1]


def test_base_values_of_more_than_ninety_days_ago_are_forgotten(desk: RowEditor) -> None:
    desk.bring([READY])
    desk.clock.now = desk.clock.now.replace(year=2027)
    desk.bring([{"TAG_SPOOL": "A-2"}])
    with desk.database.reading() as tx:
        assert not tx.all("bases_of", sheet="Operaciones", tags=["A-1"])
        assert tx.all("bases_of", sheet="Operaciones", tags=["A-2"])


def test_what_an_import_changed_is_queued_for_the_workbook(desk: RowEditor) -> None:
    desk.bring([{**READY, "Total_Uniones": 1}], [{"TAG_SPOOL": "A-1", "N_UNION": 1}])
    with desk.database.reading() as tx:
        assert (tx.one("outbox_length") or (0,))[0] == 2


def test_the_demo_shop_moves_into_another_ledger_and_looks_the_same_there(desk: RowEditor, tmp_path: Path) -> None:
    """Every stage of work, both versions, rejected, repaired, blocked: all of it can be read from the file alone."""
    fill(desk.database, SHOP, desk.clock.tick())
    path = desk.export()
    assert nothing_happened(desk.import_(path))
    other = open_database(f"sqlite:///{tmp_path / 'other.db'}")
    migrate(other)
    report = import_workbook(other, path, SHOP, desk.clock.tick())
    assert (report.exit_code, report.notices) == (0, [])
    second = tmp_path / "second.xlsx"
    export_workbook(other, second, SHOP, desk.clock.tick())
    other.close()
    for name in ("Operaciones", "Uniones", "Trabajadores", "Roles"):
        shown = [[{**row, "version": ""} for row in read_sheet(p, name)] for p in (path, second)]
        assert shown[0] == shown[1]
