"""The exported file: dates are dates, numbers are numbers, and text stays text."""

from __future__ import annotations

import errno
import json
from datetime import date, datetime
from pathlib import Path

import pytest
from xlsxwriter.exceptions import FileCreateError

from carrete.domain.commands import Anotar, Chain, Finalizar, Resolver, Step, Tomar, WorkItem
from carrete.domain.spool import Operacion
from carrete.domain.workers import Rol
from carrete.ledger.notes import NewPhoto, save_photo
from carrete.ledger.reclamos import waiting
from carrete.workbook.columns import PLANS, UNIONES
from carrete.workbook.errors import WorkbookError
from carrete.workbook.exporting import export_workbook
from tests.integration.workbook.files import RowEditor, read_sheet
from tests.support.acting import a_floor
from tests.support.builders import NOW, SHOP, a_joint, a_spool, a_worker, put


def test_the_sheets_have_the_columns_of_the_contract_in_their_order(desk: RowEditor) -> None:
    put(desk.database, [a_spool("A-1")], [a_worker()], [a_joint(1, "A-1")])
    desk.act(Tomar("A-1", 93, Operacion.ARM))
    path = desk.export()
    for plan in PLANS:
        assert list(read_sheet(path, plan.name)[0]) == [column.name for column in plan.without_optional().columns]


def test_the_columns_of_the_weld_record_are_written_once_one_joint_has_any(desk: RowEditor) -> None:
    put(
        desk.database,
        [a_spool("A-1")],
        [a_worker()],
        [a_joint(1, "A-1"), a_joint(2, "A-1", wps="W-1", espesor_milli=6_350)],
    )
    first, second = read_sheet(desk.export(), "Uniones")
    assert list(first) == [column.name for column in UNIONES.columns]
    assert (second["WPS"], second["Espesor"], first["Colada_1"]) == ("W-1", 6.35, "")


def test_dates_are_dates_numbers_are_numbers_and_formulas_are_text(desk: RowEditor) -> None:
    put(desk.database, [a_spool("A-1", ot="=1+1", total_uniones=1)], [a_worker()], [a_joint(1, "A-1", arm_fin=NOW)])
    path = desk.export()
    (spool,) = read_sheet(path, "Operaciones")
    (joint,) = read_sheet(path, "Uniones")
    assert (spool["OT"], spool["Fecha_Materiales"], spool["Total_Uniones"]) == ("=1+1", date(2026, 11, 2), 1.0)
    assert (joint["DN_UNION"], joint["ARM_FECHA_FIN"]) == (4.0, datetime.fromisoformat("2026-11-16T10:30"))
    assert spool["Pulgadas_ARM"] == 4.0
    (worker,) = read_sheet(path, "Trabajadores")
    assert worker == {"Id": 93.0, "Nombre": "Mauricio", "Apellido": "Rodríguez", "Activo": True}


def test_every_event_is_in_metadata(desk: RowEditor) -> None:
    put(desk.database, [a_spool("A-1")], [a_worker()])
    desk.act(Tomar("A-1", 93, Operacion.ARM))
    (event,) = read_sheet(desk.export(), "Metadata")
    assert (event["Evento_Tipo"], event["Worker_ID"], event["Worker_Nombre"]) == ("TOMAR_SPOOL", 93.0, "MR(93)")
    assert event["Timestamp"] == datetime.fromisoformat("2026-11-16T10:01")


def test_late_work_is_in_the_sheet_with_the_day_it_counts_on_and_the_time_of_its_tap(desk: RowEditor) -> None:
    supervisor = a_worker(21, "Sergio", "Vidal", roles=[Rol.SUPERVISOR])
    put(desk.database, [a_spool("A-1", total_uniones=1)], [a_worker(), supervisor], [a_joint(1, "A-1")])
    tapped = "2026-11-16T11:00:00+00:00"
    with a_floor(desk.database) as floor:
        floor.do(Chain("A-1", 93, (Step(Finalizar("A-1", 93, Operacion.ARM, (1,)), tapped),)))
        with desk.database.reading() as tx:
            (reclamo,) = waiting(tx, None, 0, 1).reclamos
        item = WorkItem(Operacion.ARM, 1)
        floor.do(Resolver("A-1", 21, "Visto", reclamo.id, 93, (item,), date(2026, 11, 15)))
    path = desk.export()
    (event,) = read_sheet(path, "Metadata")
    assert (event["Evento_Tipo"], event["Worker_Nombre"], event["N_UNION"]) == ("REGISTRO_TARDIO", "MR(93)", 1.0)
    assert event["Fecha_Operacion"] == date(2026, 11, 15)
    assert json.loads(event["Metadata_JSON"])["hecho_en"] == tapped
    (joint,) = read_sheet(path, "Uniones")
    assert (joint["ARM_WORKER"], joint["ARM_FECHA_FIN"]) == ("MR(93)", datetime.fromisoformat("2026-11-15T12:00"))


def test_a_note_is_in_the_sheet_with_its_text_and_the_number_of_its_photos(desk: RowEditor) -> None:
    put(desk.database, [a_spool("A-1", total_uniones=1)], [a_worker()], [a_joint(1, "A-1")])
    photos = tuple(f"{number:064x}" for number in range(2))
    with desk.database.writing() as tx:
        for id_ in photos:
            save_photo(tx, NewPhoto(id_, b"x", 1, 1), None, NOW)
    with a_floor(desk.database) as floor:
        floor.do(Anotar("A-1", 93, "=Poro en la raíz", 1, photos))
    (event,) = read_sheet(desk.export(), "Metadata")
    assert (event["Evento_Tipo"], event["Accion"], event["N_UNION"]) == ("NOTA", "NOTA", 1.0)
    assert json.loads(event["Metadata_JSON"]) == {"fotos": "2 fotos", "texto": "=Poro en la raíz"}


def test_retired_spools_and_their_joints_are_out(desk: RowEditor) -> None:
    put(desk.database, [a_spool("A-1", retired=True)], joints=[a_joint(1, "A-1")])
    shown = desk.exported()
    assert shown == {"Operaciones": [], "Uniones": []}


def test_a_place_that_cannot_be_written_is_one_sentence_and_leaves_nothing(desk: RowEditor) -> None:
    with pytest.raises(WorkbookError, match="No existe la carpeta"):
        export_workbook(desk.database, desk.folder / "nada" / "a.xlsx", SHOP, NOW)
    with pytest.raises(WorkbookError, match="es una carpeta"):
        export_workbook(desk.database, desk.folder, SHOP, NOW)
    assert list(desk.folder.iterdir()) == []


def test_a_full_disk_is_one_sentence_and_leaves_nothing(desk: RowEditor, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_book: object) -> None:
        raise FileCreateError(OSError(errno.ENOSPC, "No space left on device"))

    monkeypatch.setattr("xlsxwriter.Workbook._store_workbook", full)
    with pytest.raises(WorkbookError, match="no se puede escribir: No space left on device"):
        export_workbook(desk.database, desk.folder / "a.xlsx", SHOP, NOW)
    assert list(desk.folder.iterdir()) == []


def test_an_older_file_of_that_name_is_replaced_whole(desk: RowEditor) -> None:
    path = desk.folder / "a.xlsx"
    path.write_text("older")
    assert export_workbook(desk.database, path, SHOP, NOW) == 0
    assert [p.name for p in Path(desk.folder).iterdir()] == ["a.xlsx"]
    assert read_sheet(path, "Operaciones") == []
