"""The facts of a dossier, as they are read from the ledger on both engines."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from carrete.domain.events import Event, EventoTipo
from carrete.domain.ndt.examination import Examination, ExamStatus, Origin
from carrete.domain.refusals import SpoolUnknown
from carrete.domain.shop import Shop
from carrete.domain.workers import Rol, Worker
from carrete.dossier.choice import SPOOLS_MAX, DossierChoice
from carrete.dossier.facts import DossierFacts, ExaminationFacts, MarkFacts, RepairFacts
from carrete.dossier.gather import gather
from carrete.dossier.refusals import DossierEmpty, DossierTooLarge
from carrete.ledger.database import Database
from carrete.ledger.drawings import JointMark, NewDrawing, SpoolDrawing, attach_drawing, save_drawing
from carrete.ledger.ndt import save_exams
from tests.support.builders import NOW, TAG, a_joint, a_spool, a_worker, put
from tests.support.ledger_events import add_events
from tests.support.people import CREW, LP, MR

SHOP = Shop()
WELDED = NOW - timedelta(days=3)
NDT_WORKER = a_worker(70, "Natalia", "Vega", roles=(Rol.NDT,))
RT = Examination("rt-1", TAG, 1, "RT", Origin.REGLA, NOW, welder=LP.label)


def facts_of(database: Database, *tags: str, **choice: object) -> DossierFacts:
    with database.reading() as tx:
        return gather(tx, DossierChoice(tags, **choice), "Taller Sur", SHOP)  # type: ignore[arg-type]


@pytest.fixture
def welded(database: Database) -> Database:
    """A v4.0 spool with two welded joints and a field weld."""
    done: Any = {"arm_fin": WELDED, "arm_worker": MR.label, "sol_fin": WELDED, "sol_worker": LP.label}
    joints = [
        a_joint(1, dn_milli=1_500, tipo="BW", wps="WPS-01", espesor_milli=6_020, colada_1="H1", colada_2="H2", **done),
        a_joint(2, dn_milli=None, dn_text="cuatro", tipo="SO", wps="WPS-99", **done),
        a_joint(3, dn_milli=2_000, tipo="FW", arm_fin=WELDED, arm_worker=MR.label),
        a_joint(4, retired=True),
    ]
    put(database, [a_spool(TAG, ot="4711", nv="NV-9", total_uniones=3)], [*CREW, NDT_WORKER], joints)
    return database


def test_a_joint_is_listed_with_procedure_heats_people_and_days(welded: Database) -> None:
    (spool,) = facts_of(welded, TAG).spools
    first, second, third = spool.welds
    assert (first.n_union, first.dn, first.thickness, first.wps, first.heats) == (
        1,
        "1.5",
        "6.02",
        "WPS-01",
        ("H1", "H2"),
    )
    assert (first.fitter, first.welder, first.welded_on) == (MR.label, LP.label, "2026-11-13")
    assert (second.dn, second.needs_welding) == ("cuatro", True)
    assert (third.needs_welding, third.welded_on) == (False, "")
    assert (spool.ot, spool.nv, spool.workflow) == ("4711", "NV-9", "v4.0")


def test_a_spool_without_anything_has_an_empty_dossier(database: Database) -> None:
    put(database, [a_spool("VACIO", total_uniones=2)], CREW)
    facts = facts_of(database, "VACIO")
    assert (facts.spools[0].welds, facts.people, facts.last_event.seq) == ((), (), 0)
    assert facts.identity().number.startswith("D-0-")


def test_a_v3_spool_is_listed_as_a_whole(database: Database) -> None:
    put(database, [a_spool("ENTERO", armador=MR.label, soldador=LP.label)], CREW, [a_joint(1, "ENTERO")])
    (spool,) = facts_of(database, "ENTERO").spools
    assert (spool.workflow, spool.welds, spool.fitter, spool.welder) == ("v3.0", (), MR.label, LP.label)


def test_people_have_their_names_and_what_they_did(welded: Database) -> None:
    people = {each.label: each for each in facts_of(welded, TAG).people}
    assert people[MR.label].name == f"{MR.nombre} {MR.apellido}"
    assert (people[MR.label].works, people[LP.label].works) == (("ARM",), ("SOLD",))


def test_examinations_and_repairs_come_with_their_reports(welded: Database) -> None:
    rejected = RT.but(
        status=ExamStatus.RECHAZADO,
        report="RT-31",
        examiner=NDT_WORKER.label,
        defects=("poro",),
        result_day=date(2026, 11, 14),
        repaired_by=LP.label,
        repaired_at=NOW,
    )
    again = RT.but(id="rt-2", round=1, origin=Origin.REEXAMEN, status=ExamStatus.APROBADO, report="RT-35")
    old = RT.but(id="rt-0", status=ExamStatus.APROBADO, superseded=True)
    with welded.writing() as tx:
        save_exams(tx, [old, rejected, again], [])
    facts = facts_of(welded, TAG)
    weld = facts.spools[0].welds[0]
    assert [each.superseded for each in weld.examinations] == [True, False, False]
    assert weld.examinations[1] == ExaminationFacts(
        "RT", 0, "RECHAZADO", "RT-31", NDT_WORKER.label, "2026-11-14", ("poro",), "regla"
    )
    assert weld.repairs == (RepairFacts(1, LP.label, "2026-11-16"),)
    assert {each.label: each.works for each in facts.people}[NDT_WORKER.label] == ("NDT",)


def test_what_people_typed_in_the_sheet_stands_where_nothing_was_recorded(database: Database) -> None:
    joint = a_joint(1, "TECLEADO", ndt_union="RT", r_ndt_union="INF-7", ndt_fecha="12/11/26", ndt_status="OK")
    put(database, [a_spool("TECLEADO", total_uniones=1)], CREW, [joint])
    (weld,) = facts_of(database, "TECLEADO").spools[0].welds
    assert weld.examinations == (ExaminationFacts("RT", 0, "OK", "INF-7", "", "12/11/26"),)


def test_procedures_and_qualifications_are_those_that_were_used(welded: Database) -> None:
    with welded.writing() as tx:
        tx.execute(
            "INSERT INTO wps VALUES ('WPS-01', 'GTAW, SMAW', '1', '6', 1500, 11000, 500, NULL, '6G', '3', "
            "'2024-01-01', NULL, 1), ('WPS-02', 'GMAW', '', '', NULL, NULL, NULL, NULL, '', '', NULL, NULL, 1)"
        )
        for process, document, since, expires in (
            ("GTAW", "WPQ-1", "2024-01-01", "'2027-01-01'"),
            ("GTAW", "VENCIDA", "2020-01-01", "'2022-01-01'"),
            ("SMAW", "FUTURA", "2027-01-01", "NULL"),
            ("GMAW", "OTRO-PROCESO", "2024-01-01", "NULL"),
        ):
            tx.execute(
                "INSERT INTO qualification (worker_id, proceso, documento, p_numeros, f_numeros, espesor_min, "
                "espesor_max, dn_min, dn_max, posiciones, fecha, vence, ultimo_uso, activo) VALUES "
                f"({LP.id}, '{process}', '{document}', '1', '6', 1500, NULL, NULL, NULL, '6G', '{since}', "
                f"{expires}, NULL, 1)"
            )
    facts = facts_of(welded, TAG)
    assert [(each.wps, each.known, each.thickness, each.diameter) for each in facts.procedures] == [
        ("WPS-01", True, "1.5 – 11", "≥ 0.5"),
        ("WPS-99", False, "", ""),
    ]
    assert [(each.label, each.document) for each in facts.qualifications] == [(LP.label, "WPQ-1")]


def put_procedure(database: Database, number: str, revision: str, processes: str = "GTAW") -> None:
    with database.writing() as tx:
        tx.execute(f"DELETE FROM wps WHERE wps = '{number}'")
        tx.execute(
            f"INSERT INTO wps VALUES ('{number}', '{processes}', '1', '6', 1500, 11000, 500, NULL, '6G', "
            f"'{revision}', '2024-01-01', NULL, 1)"
        )


def put_qualification(database: Database, document: str, since: str, expires: str | None, *, active: bool) -> None:
    until = f"'{expires}'" if expires else "NULL"
    with database.writing() as tx:
        tx.execute(
            "INSERT INTO qualification (worker_id, proceso, documento, p_numeros, f_numeros, posiciones, fecha, vence, "
            f"activo) VALUES ({LP.id}, 'GTAW', '{document}', '', '', '', '{since}', {until}, {int(active)})"
        )


def a_weld_event(n_union: int, worker: Worker = LP, **facts: object) -> Event:
    metadata = {"dn_union": 1.5, "wps": "WPS-01", "proceso": ["GTAW"], "wps_revision": "2", **facts}
    tipo = EventoTipo.UNION_SOLD_REGISTRADA
    return Event(tipo, WELDED, "FINALIZAR", "SOLD", worker.id, worker.label, n_union=n_union, metadata=metadata)


def test_the_revision_is_the_one_that_the_weld_was_made_under(welded: Database) -> None:
    put_procedure(welded, "WPS-01", "3", "SMAW")
    add_events(welded, TAG, a_weld_event(1, wps_revision="1"), a_weld_event(1))
    facts = facts_of(welded, TAG)
    assert [weld.wps_revision for weld in facts.spools[0].welds] == ["2", "", ""]
    procedures = [(each.wps, each.revision, each.listed_revision, each.processes) for each in facts.procedures]
    assert procedures == [("WPS-01", "2", "3", "GTAW"), ("WPS-99", "", "", "")]
    assert facts.procedures[0].thickness == "", "the list tells the limits of another revision"
    put_procedure(welded, "WPS-01", "2")
    (same, _) = facts_of(welded, TAG).procedures
    assert (same.revision, same.listed_revision, same.thickness) == ("2", "", "1.5 – 11")


def test_a_revision_that_no_record_gives_is_shown_as_unknown(welded: Database) -> None:
    """The weld was typed into the sheet, or the sheet has another welder or procedure since then."""
    put_procedure(welded, "WPS-01", "3")
    for event in (None, a_weld_event(1, MR), a_weld_event(1, wps="WPS-02")):
        if event:
            add_events(welded, TAG, event)
        (one, _) = facts_of(welded, TAG).procedures
        assert (one.revision, one.listed_revision, one.thickness) == ("", "3", "1.5 – 11")


def a_correction(operacion: str, *unions: int) -> Event:
    facts = {"motivo": "Se corta", "unions": [{"n_union": n} for n in unions]}
    return Event(EventoTipo.CORRECCION, NOW, "CORREGIR", operacion, 3, "SV(3)", metadata=facts)


def an_edit(n_union: int, columna: str, nuevo: str, **facts: object) -> Event:
    metadata = {"hoja": "Uniones", "columna": columna, "anterior": "2026-11-13T09:00:00", "nuevo": nuevo, **facts}
    return Event(EventoTipo.EDICION_EXTERNA, NOW, "EDITAR", n_union=n_union, metadata=metadata)


@pytest.mark.parametrize(
    "reopened",
    [a_correction("SOLD", 2, 1), a_correction("ARM", 1), an_edit(1, "SOL_FECHA_FIN", "")],
    ids=["weld corrected", "fit-up corrected", "date emptied in the sheet"],
)
def test_a_weld_typed_after_the_first_was_reopened_has_nothing_of_the_event_of_the_first(
    welded: Database, reopened: Event
) -> None:
    put_procedure(welded, "WPS-01", "3")
    put_qualification(welded, "RETIRADA", "2024-01-01", None, active=False)
    not_qualified = a_weld_event(1, no_calificado=[{"motivo": "no tiene GTAW"}])
    typed = an_edit(1, "SOL_FECHA_FIN", "2026-11-13T10:00:00")
    add_events(welded, TAG, not_qualified, reopened, typed)
    facts = facts_of(welded, TAG)
    assert facts.spools[0].welds[0].wps_revision == ""
    assert (facts.procedures[0].revision, facts.procedures[0].listed_revision) == ("", "3")
    assert [each.document for each in facts.qualifications] == ["RETIRADA"], "nothing tells that LP was not qualified"


def test_a_weld_made_anew_on_the_floor_has_its_own_event(welded: Database) -> None:
    add_events(welded, TAG, a_weld_event(1, wps_revision="1"), a_correction("SOLD", 1), a_weld_event(1))
    assert facts_of(welded, TAG).spools[0].welds[0].wps_revision == "2"


@pytest.mark.parametrize(
    "edit",
    [
        an_edit(1, "SOL_FECHA_FIN", "2026-11-12T09:00:00"),
        an_edit(1, "SOL_FECHA_FIN", "", aceptado=False),
        an_edit(1, "SOL_FECHA_INICIO", ""),
        an_edit(2, "SOL_FECHA_FIN", ""),
        a_correction("SOLD", 2),
        a_correction("METROLOGIA"),
    ],
    ids=["date corrected", "edit refused", "other column", "other joint", "other joint corrected", "inspection"],
)
def test_a_weld_that_was_not_reopened_keeps_its_revision(welded: Database, edit: Event) -> None:
    add_events(welded, TAG, a_weld_event(1), edit)
    assert facts_of(welded, TAG).spools[0].welds[0].wps_revision == "2"


def test_a_repair_under_a_later_revision_adds_it(welded: Database) -> None:
    put_procedure(welded, "WPS-01", "3")
    rejected = RT.but(status=ExamStatus.RECHAZADO, repaired_by=LP.label, repaired_at=NOW)
    with welded.writing() as tx:
        save_exams(tx, [rejected, RT.but(id="rt-2", round=1, origin=Origin.REEXAMEN)], [])
    metadata = {"reparacion": "R1", "wps": "WPS-01", "proceso": ["GTAW"], "wps_revision": "3"}
    repair = Event(EventoTipo.REPARACION_UNION, NOW, "REPARAR", None, LP.id, LP.label, n_union=1, metadata=metadata)
    add_events(welded, TAG, a_weld_event(1), repair)
    facts = facts_of(welded, TAG)
    assert [(each.wps, each.revision) for each in facts.procedures[:2]] == [("WPS-01", "2"), ("WPS-01", "3")]
    assert facts.spools[0].welds[0].repairs == (RepairFacts(1, LP.label, "2026-11-16", "3"),)


def test_a_qualification_that_was_retired_since_the_weld_is_there(welded: Database) -> None:
    """The list does not say when it was retired; the event says whether the welder was found qualified."""
    put_procedure(welded, "WPS-01", "2")
    put_qualification(welded, "RETIRADA", "2024-01-01", None, active=False)
    put_qualification(welded, "VENCIDA-Y-RETIRADA", "2020-01-01", "2022-01-01", active=False)
    put_qualification(welded, "DEL-DIA", "2026-11-13", "2026-11-13", active=True)
    put_qualification(welded, "DE-DESPUES", "2026-11-14", None, active=True)
    add_events(welded, TAG, a_weld_event(1))
    found = facts_of(welded, TAG).qualifications
    assert [(each.document, each.retired) for each in found] == [("DEL-DIA", False), ("RETIRADA", True)]


def test_a_qualification_that_was_retired_before_the_weld_is_not_there(welded: Database) -> None:
    put_procedure(welded, "WPS-01", "2")
    put_procedure(welded, "WPS-99", "1", "GMAW")
    put_qualification(welded, "RETIRADA", "2024-01-01", None, active=False)
    add_events(welded, TAG, a_weld_event(1, no_calificado=[{"motivo": "no tiene GTAW"}]))
    assert facts_of(welded, TAG).qualifications == ()


@pytest.mark.parametrize("revision", ["", "2"])
def test_a_retired_qualification_is_not_there_for_a_repair_by_somebody_who_was_not_qualified(
    welded: Database, revision: str
) -> None:
    """Whether the WPS has a revision says nothing about the repairer."""
    for number in ("WPS-01", "WPS-99"):
        put_procedure(welded, number, revision)
    put_qualification(welded, "RETIRADA", "2026-11-16", None, active=False)  # since the day of the repair
    rejected = RT.but(status=ExamStatus.RECHAZADO, repaired_by=LP.label, repaired_at=NOW)
    with welded.writing() as tx:
        save_exams(tx, [rejected, RT.but(id="rt-2", round=1, origin=Origin.REEXAMEN)], [])
    metadata: dict[str, Any] = {"wps": "WPS-01", "proceso": ["GTAW"], "wps_revision": revision}
    unqualified = {**metadata, "reparacion": "R1", "no_calificado": [{"motivo": "no tiene GTAW"}]}
    repair = Event(EventoTipo.REPARACION_UNION, NOW, "REPARAR", None, LP.id, LP.label, n_union=1, metadata=unqualified)
    add_events(welded, TAG, a_weld_event(1, **metadata), repair)
    assert facts_of(welded, TAG).qualifications == ()


def test_inspections_and_corrections_come_from_the_trail_with_their_reasons(welded: Database) -> None:
    edited = {"hoja": "Uniones", "columna": "DN_UNION", "anterior": "4", "nuevo": "6"}
    add_events(
        welded,
        TAG,
        Event(EventoTipo.METROLOGIA_RECHAZADO, NOW, "RECHAZADO", "METROLOGIA", 12, "MI(12)", metadata={"ciclo": 1}),
        Event(EventoTipo.CORRECCION, NOW, "CORREGIR", "SOLD", 3, "SV(3)", metadata={"motivo": "Era otra unión"}),
        Event(EventoTipo.EDICION_EXTERNA, NOW, "EDITAR", n_union=2, metadata=edited),
        Event(EventoTipo.EDICION_EXTERNA, NOW, "NUEVO", metadata={"hoja": "Operaciones"}),
        Event(
            EventoTipo.NOTA, NOW, "NOTA", None, 93, MR.label, n_union=1, metadata={"texto": "Poro", "fotos": ["f" * 64]}
        ),
    )
    facts = facts_of(welded, TAG)
    (spool,) = facts.spools
    assert [(each.event, each.by, each.cycle) for each in spool.inspections] == [("METROLOGIA_RECHAZADO", "MI(12)", 1)]
    assert [(each.reason, each.column, each.before, each.after) for each in spool.corrections] == [
        ("Era otra unión", "", "", ""),
        ("", "DN_UNION", "4", "6"),
    ]
    assert (spool.photos, facts.last_event.seq) == ((), 5)
    (photo,) = facts_of(welded, TAG, with_photos=True).spools[0].photos
    assert (photo.id, photo.text, photo.n_union) == ("f" * 64, "Poro", 1)


def test_the_hash_stays_until_something_happens_to_these_spools(welded: Database) -> None:
    put(welded, [a_spool("OTRO")])
    before = facts_of(welded, TAG).identity()
    add_events(welded, "OTRO", Event(EventoTipo.NOTA, NOW, "NOTA"))
    assert facts_of(welded, TAG).identity() == before
    add_events(welded, TAG, Event(EventoTipo.SIGUE_TURNO, NOW, "SIGO"))
    after = facts_of(welded, TAG).identity()
    assert after.hash != before.hash
    assert after.number != before.number


def test_the_drawing_and_its_numbers_are_facts(welded: Database) -> None:
    before = facts_of(welded, TAG).identity()
    with welded.writing() as tx:
        save_drawing(tx, NewDrawing("a" * 64, "image/png", b"png", 300, 200), None, NOW)
        attach_drawing(tx, TAG, SpoolDrawing(1, "a" * 64, (JointMark(2, 9, 9), JointMark(1, 5, 7)), NOW))
    facts = facts_of(welded, TAG)
    drawing = facts.spools[0].drawing
    assert drawing is not None
    assert (drawing.id, drawing.width, drawing.marks) == ("a" * 64, 300, (MarkFacts(1, 5, 7), MarkFacts(2, 9, 9)))
    assert facts.identity().hash != before.hash


def test_a_work_order_has_its_spools_by_tag_and_not_the_retired_ones(database: Database) -> None:
    spools = [a_spool(tag, ot="4711") for tag in ("B", "A")] + [a_spool("C", ot="4711", retired=True)]
    put(database, [*spools, a_spool("D", ot="4712")], CREW)
    facts = facts_of(database, ot="4711")
    assert [spool.tag for spool in facts.spools] == ["A", "B"]
    assert (facts.scope, facts.scope_name) == ("OT", "4711")


def test_unknown_spools_and_work_orders_and_too_many_of_them_are_refused(database: Database) -> None:
    put(database, [a_spool(f"S-{n:03}", ot="GRANDE") for n in range(SPOOLS_MAX + 1)], CREW)
    with pytest.raises(SpoolUnknown):
        facts_of(database, "NADA")
    with pytest.raises(DossierEmpty):
        facts_of(database, ot="NADA")
    with pytest.raises(DossierTooLarge):
        facts_of(database, ot="GRANDE")


def test_days_are_those_of_the_shop(database: Database) -> None:
    late = datetime(2026, 11, 14, 1, 30, tzinfo=UTC)  # still the 13th in Santiago
    put(database, [a_spool("TARDE", total_uniones=1)], CREW, [a_joint(1, "TARDE", arm_fin=late, arm_worker=MR.label)])
    assert facts_of(database, "TARDE").spools[0].welds[0].fitted_on == "2026-11-13"
