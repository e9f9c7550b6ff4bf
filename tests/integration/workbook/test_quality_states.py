"""The results of inspectors and supervisors, exported and imported again: unchanged, unless a person edits them."""

from __future__ import annotations

import pytest

from carrete.domain.commands import Command, Completar, Corregir, Desbloquear, Inspeccionar, Liberar, Resultado, Tomar
from carrete.domain.events import EventoTipo
from carrete.domain.spool import Estado, Metrologia, Operacion, Reparacion
from tests.integration.workbook.files import RowEditor
from tests.support.builders import events_in, spool_in

ARM, SOLD, REPARACION, METROLOGIA = Operacion.ARM, Operacion.SOLD, Operacion.REPARACION, Operacion.METROLOGIA
TAG = "A-1"
DONE = {
    **{"TAG_SPOOL": TAG, "Fecha_Materiales": "02-11-2026", "Fecha_Armado": "10-11-2026", "Armador": "MR(93)"},
    **{"Fecha_Soldadura": "12-11-2026", "Soldador": "JP(12)"},
}
REJECT = Inspeccionar(TAG, 30, Resultado.RECHAZADO)
APPROVE = Inspeccionar(TAG, 30, Resultado.APROBADO)
REPAIR = (Tomar(TAG, 93, REPARACION), Completar(TAG, 93, REPARACION))
BLOCK = (REJECT, *REPAIR, REJECT, *REPAIR, REJECT)
FREE = Liberar(TAG, 21, "Se fue")
LIVES: dict[str, tuple[Command, ...]] = {
    "En Cola Metrología": (),
    "METROLOGIA_APROBADO ✓": (APPROVE,),
    "RECHAZADO (Ciclo 1/3) - Pendiente reparación": (REJECT,),
    "EN_REPARACION (Ciclo 1/3) - Ocupado: MR(93)": (REJECT, REPAIR[0]),
    "REPARACION_PAUSADA (Ciclo 1/3)": (REJECT, REPAIR[0], FREE),
    "PENDIENTE_METROLOGIA": (REJECT, *REPAIR),
    "BLOQUEADO - Contactar supervisor": BLOCK,
    "RECHAZADO (Ciclo 2/3) - Pendiente reparación": (*BLOCK, Desbloquear(TAG, 21, "Visto")),
    "Disponible - ARM completado, SOLD pausado": (APPROVE, Corregir(TAG, 21, "Por error", SOLD)),
    "Disponible - ARM pausado, SOLD pausado": (APPROVE, Corregir(TAG, 21, "Por error", ARM)),
}


@pytest.mark.parametrize("line", list(LIVES))
def test_each_state_goes_out_as_it_is_and_comes_back_without_doing_anything(desk: RowEditor, line: str) -> None:
    desk.bring([DONE])
    for command in LIVES[line]:
        desk.act(command)
    exported = desk.exported()
    (row,) = exported["Operaciones"]
    assert row["Estado_Detalle"] == line
    before = (spool_in(desk.database, TAG), events_in(desk.database))
    desk.import_(desk.save(exported))
    assert (spool_in(desk.database, TAG), events_in(desk.database)) == before


def test_a_correction_empties_the_dates_of_the_workbook(desk: RowEditor) -> None:
    desk.bring([DONE])
    desk.act(APPROVE)
    (row,) = desk.exported()["Operaciones"]
    assert row["Fecha_QC_Metrología"]
    desk.act(Corregir(TAG, 21, "Por error", ARM))
    (row,) = desk.exported()["Operaciones"]
    assert [row[f"Fecha_{what}"] for what in ("Armado", "Soldadura", "QC_Metrología")] == ["", "", ""]
    assert (row["Armador"], row["Soldador"]) == ("MR(93)", "JP(12)")


def test_a_file_from_before_the_correction_does_not_undo_it(desk: RowEditor) -> None:
    desk.bring([DONE])
    desk.act(APPROVE)
    before = desk.export()
    desk.act(Corregir(TAG, 21, "Por error", SOLD))
    desk.import_(before)
    spool = spool_in(desk.database, TAG)
    assert (spool.sold, spool.fecha_soldadura, spool.metrologia) == (Estado.PAUSADO, None, Metrologia.PENDIENTE)


def test_a_joint_opened_by_a_correction_is_empty_in_the_workbook(desk: RowEditor) -> None:
    joints = [
        {"TAG_SPOOL": TAG, "N_UNION": n, "DN_UNION": 2, "ARM_FECHA_FIN": "05-11-2026", "SOL_FECHA_FIN": "06-11-2026"}
        for n in (1, 2)
    ]
    desk.bring([{"TAG_SPOOL": TAG, "Fecha_Materiales": "02-11-2026", "Total_Uniones": 2}], joints)
    desk.act(Corregir(TAG, 21, "Por error", ARM, (2,)))
    exported = desk.exported()
    assert [bool(row["ARM_FECHA_FIN"]) for row in exported["Uniones"]] == [True, False]
    assert [bool(row["SOL_FECHA_FIN"]) for row in exported["Uniones"]] == [True, False]
    (row,) = exported["Operaciones"]
    assert (row["Uniones_ARM_Completadas"], row["Fecha_Armado"]) == (1, "")
    before = (spool_in(desk.database, TAG), events_in(desk.database))
    desk.import_(desk.save(exported))
    assert (spool_in(desk.database, TAG), events_in(desk.database)) == before


def test_a_person_who_empties_the_date_of_an_approval_sends_it_back_to_the_queue(desk: RowEditor) -> None:
    desk.bring([DONE])
    desk.act(APPROVE)
    exported = desk.exported()
    desk.edit(exported, TAG, None, **{"Fecha_QC_Metrología": ""})
    desk.import_(desk.save(exported))
    spool = spool_in(desk.database, TAG)
    assert (spool.metrologia, spool.fecha_qc) == (Metrologia.EN_COLA, None)
    desk.act(REJECT)


def test_a_supervisor_who_overwrites_bloqueado_in_the_sheet_lifts_it_once(desk: RowEditor) -> None:
    desk.bring([DONE])
    for command in BLOCK:
        desk.act(command)
    exported = desk.exported()
    desk.edit(exported, TAG, Estado_Detalle="Revisado con calidad")
    path = desk.save(exported)
    desk.import_(path)
    spool = spool_in(desk.database, TAG)
    assert (spool.metrologia, spool.reparacion, spool.ciclo) == (Metrologia.RECHAZADO, Reparacion.PENDIENTE, 2)
    desk.import_(path)
    tipos = [stored.event.tipo for stored in events_in(desk.database, TAG)]
    assert tipos.count(EventoTipo.SUPERVISOR_OVERRIDE) == 1
    for command in (*REPAIR, REJECT):
        desk.act(command)
    assert spool_in(desk.database, TAG).metrologia is Metrologia.BLOQUEADO


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ({"Ocupado_Por": "MR(93)", "Estado_Detalle": "EN_REPARACION (Ciclo 2/3) - Ocupado: MR(93)"}, "REPARACION"),
        ({"Ocupado_Por": "MR(93)", "Fecha_Ocupacion": "15-11-2026 08:00:00", "Fecha_Soldadura": ""}, "SOLD"),
        ({"Estado_Detalle": "BLOQUEADO - Contactar supervisor"}, None),
    ],
)
def test_a_spool_first_seen_half_way_can_be_led_on(
    desk: RowEditor, cells: dict[str, str], expected: str | None
) -> None:
    desk.bring([{**DONE, **cells}])
    held = spool_in(desk.database, TAG).occupation
    assert (str(held.operacion) if held else None) == expected
    if held:
        desk.act(FREE)
        desk.act(Tomar(TAG, 93, held.operacion))
        desk.act(Completar(TAG, 93, held.operacion))
    else:
        desk.act(Desbloquear(TAG, 21, "Visto"))
        for command in REPAIR:
            desk.act(command)
    desk.act(APPROVE)
    assert spool_in(desk.database, TAG).metrologia is Metrologia.APROBADO
