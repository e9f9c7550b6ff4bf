"""`GET /api/spools`: every filter, the search, and paging by cursor while the floor goes on working."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import product

import pytest

from carrete.domain.spool import Estado, Metrologia, Operacion, Reparacion, Spool
from carrete.domain.workers import Worker
from carrete.ledger.database import Database
from carrete.ledger.store import Changes, SpoolWrite, save
from tests.support.answers import done, invalid, refused
from tests.support.builders import (
    NOW,
    a_blocked_spool,
    a_finished_spool,
    a_joint,
    a_rejected_spool,
    a_spool,
    an_armed_spool,
    held,
    put,
    spool_in,
)
from tests.support.people import AY, CREW, IN, JS, LP, MI, MR, NN, SV, UNKNOWN_ID
from tests.support.tablet import Tablet

ARM, SOLD, REPARACION = Operacion.ARM, Operacion.SOLD, Operacion.REPARACION
SPOOL_FIELDS = {
    *("tag_spool", "ot", "nv", "version_workflow", "total_uniones", "arm", "sold", "metrologia", "reparacion"),
    *("uniones_sold_necesarias", "uniones_arm_completadas", "uniones_sold_completadas"),  # the progress on its card
    *("ocupado_por", "ocupado_por_id", "operacion_actual", "fecha_ocupacion", "armador", "soldador"),
    *("fecha_materiales", "fecha_armado", "fecha_soldadura", "fecha_qc_metrologia", "ciclo", "estado_detalle"),
    *("version", "atraso", "ndt"),
}


def a_mixed_ledger() -> list[Spool]:
    """Every stage that the rules tell apart, free and held, in both workflows."""
    stages = {
        "NEW": a_spool(),
        "NO-MATERIAL": a_spool(fecha_materiales=None),
        "PAUSED": a_spool(arm=Estado.PAUSADO, armador="LP(7)"),
        "ARMED": an_armed_spool(),
        "ARMED-NO-MATERIAL": an_armed_spool(fecha_materiales=None),
        "WELD-PAUSED": an_armed_spool(sold=Estado.PAUSADO, soldador="JS(8)"),
        "WELDED-FIRST": a_spool(armador="LP(7)", sold=Estado.COMPLETADO, soldador="JS(8)"),
        "QUEUED": a_finished_spool(),
        "APPROVED": a_finished_spool(metrologia=Metrologia.APROBADO),
        "REJECTED": a_rejected_spool(),
        "REJECTED-NO-MATERIAL": a_rejected_spool(fecha_materiales=None),
        "REPAIR-PAUSED": a_rejected_spool(reparacion=Reparacion.PAUSADO, ciclo=2),
        "REPAIRED": a_finished_spool(reparacion=Reparacion.COMPLETADO, ciclo=1),
        "BLOCKED": a_blocked_spool(),
        "RETIRED": a_spool(retired=True),
        "H-ARM-MR": held(a_spool(), MR),
        "H-ARM-AY": held(a_spool(), AY),
        "H-ARM-LP-PAUSED": held(a_spool(arm=Estado.PAUSADO, armador="AY(5)"), LP),
        "H-SOLD-MR": held(an_armed_spool(), MR, SOLD),
        "H-SOLD-JS": held(an_armed_spool(), JS, SOLD),
        "H-REP-NN": held(a_rejected_spool(), NN, REPARACION),
        "H-REP-MR": held(a_rejected_spool(reparacion=Reparacion.PAUSADO), MR, REPARACION),
        "H-BLOCKED": held(a_blocked_spool(), MR, REPARACION),
        "H-RETIRED": replace(held(a_spool(), MR), retired=True),
        "H-ROLE-LOST": held(a_spool(), JS),
        "V4-NEW": a_spool(total_uniones=4),
        "V4-ARMED": an_armed_spool(total_uniones=4),
        "V4-HELD": held(a_spool(total_uniones=4), MR),
        "V4-REJECTED": a_rejected_spool(total_uniones=4),
        "V4-H-REP": held(a_rejected_spool(total_uniones=4), MR, REPARACION),
    }
    return [replace(spool, tag=tag) for tag, spool in stages.items()]


def test_a_spool_in_the_list_says_everything_the_contract_promises(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_finished_spool("F"), held(a_spool("H"), MR), a_rejected_spool("R", total_uniones=3, ciclo=2)])
    page = tablet.see("/api/spools")
    assert set(page) == {"spools", "total", "next_cursor"}
    assert (page["total"], page["next_cursor"]) == (3, None)
    assert all(set(spool) == SPOOL_FIELDS for spool in page["spools"])
    finished, taken, rejected = page["spools"]
    assert finished == {
        "tag_spool": "F",
        "ot": "OT-25238",
        "nv": "NV-1335",
        "version_workflow": "v3.0",
        "total_uniones": None,
        "uniones_sold_necesarias": 0,
        "uniones_arm_completadas": 0,
        "uniones_sold_completadas": 0,
        "arm": "COMPLETADO",
        "sold": "COMPLETADO",
        "metrologia": "EN_COLA",
        "reparacion": "NO_REQUERIDA",
        "ocupado_por": None,
        "ocupado_por_id": None,
        "operacion_actual": None,
        "fecha_ocupacion": None,
        "armador": "LP(7)",
        "soldador": "JS(8)",
        "fecha_materiales": "2026-11-02",
        "fecha_armado": "2026-11-10",
        "fecha_soldadura": "2026-11-12",
        "fecha_qc_metrologia": None,
        "ciclo": 0,
        "estado_detalle": "En Cola Metrología",
        "version": spool_in(ledger, "F").version,
        "atraso": None,
        "ndt": "",
    }
    assert (taken["ocupado_por"], taken["ocupado_por_id"], taken["operacion_actual"]) == ("MR(93)", 93, "ARM")
    assert taken["fecha_ocupacion"] == "2026-11-16T08:00:00-03:00"
    assert (rejected["version_workflow"], rejected["total_uniones"], rejected["ciclo"]) == ("v4.0", 3, 2)
    assert rejected["estado_detalle"] == "RECHAZADO (Ciclo 2/3) - Pendiente reparación"


def test_without_filters_everything_that_is_not_retired_is_listed(tablet: Tablet, ledger: Database) -> None:
    put(ledger, a_mixed_ledger())
    everything = {spool.tag for spool in a_mixed_ledger() if not spool.retired}
    assert set(tablet.see_list()) == everything


def test_an_operation_alone_lists_where_it_is_still_open(tablet: Tablet, ledger: Database) -> None:
    put(ledger, spools := a_mixed_ledger())
    listed = {operacion: set(tablet.see_list(operacion=operacion)) for operacion in Operacion}
    here = [spool for spool in spools if not spool.retired]
    assert listed[ARM] == {s.tag for s in here if s.arm is not Estado.COMPLETADO}
    assert listed[SOLD] == {s.tag for s in here if s.sold is not Estado.COMPLETADO}
    assert listed[Operacion.METROLOGIA] == {"QUEUED", "REPAIRED"}
    open_repairs = (Reparacion.PENDIENTE, Reparacion.EN_PROGRESO, Reparacion.PAUSADO)
    assert listed[REPARACION] == {s.tag for s in here if s.reparacion in open_repairs}


def test_a_worker_alone_lists_what_they_hold(tablet: Tablet, ledger: Database) -> None:
    put(ledger, a_mixed_ledger())
    assert set(tablet.see_list(worker_id=JS.id)) == {"H-SOLD-JS", "H-ROLE-LOST"}
    assert tablet.see_list(worker_id=MI.id) == []


def test_a_worker_and_an_operation_list_what_they_hold_for_it(tablet: Tablet, ledger: Database) -> None:
    put(ledger, a_mixed_ledger())
    assert set(tablet.see_list(worker_id=JS.id, operacion="SOLD")) == {"H-SOLD-JS"}
    assert set(tablet.see_list(worker_id=JS.id, operacion="ARM")) == {"H-ROLE-LOST"}


def test_an_unknown_worker_is_not_an_empty_list(tablet: Tablet, ledger: Database) -> None:
    refused(tablet.get("/api/spools", worker_id=UNKNOWN_ID), 404, "WORKER_NO_ENCONTRADO")


WORKERS = (MR, LP, JS, AY, NN, IN)
OPERACIONES = (ARM, SOLD, REPARACION)


@pytest.mark.parametrize("accion", ["TOMAR", "PAUSAR", "COMPLETAR", "CANCELAR"])
def test_the_list_of_an_action_shows_exactly_the_spools_on_which_it_succeeds(
    tablet: Tablet, ledger: Database, accion: str
) -> None:
    """For every worker and operation, and without naming either; taking what one holds already is not offered."""
    put(ledger, spools := a_mixed_ledger())
    worked: dict[tuple[int, str], set[str]] = {}
    for worker, operacion in product(WORKERS, OPERACIONES):
        listed = set(tablet.see_list(accion=accion, operacion=operacion, worker_id=worker.id))
        worked[worker.id, operacion] = really_succeeds(tablet, ledger, spools, accion, worker, operacion)
        assert listed == worked[worker.id, operacion], (worker.label, operacion)
    for worker in WORKERS:
        every = set[str]().union(*(worked[worker.id, operacion] for operacion in OPERACIONES))
        assert set(tablet.see_list(accion=accion, worker_id=worker.id)) == every, worker.label
    if accion == "TOMAR":
        for operacion in OPERACIONES:
            anybody = set[str]().union(*(worked[worker.id, operacion] for worker in WORKERS))
            assert set(tablet.see_list(accion=accion, operacion=operacion)) == anybody, operacion


def really_succeeds(
    tablet: Tablet, ledger: Database, spools: Iterable[Spool], accion: str, worker: Worker, operacion: Operacion
) -> set[str]:
    """Tries it on every spool, and puts each back as it was."""
    mine = {spool.tag for spool in spools if accion == "TOMAR" and spool.held_by(worker.id, operacion)}
    before = {spool.tag: spool for spool in spools}
    if accion == "CANCELAR":
        answers = {tag: tablet.tap(accion, tag, worker.id, operacion).is_success for tag in before}
    else:
        details = done(tablet.batch(accion, list(before), worker.id, operacion))["details"]
        answers = {detail["tag_spool"]: detail["success"] for detail in details}
    changed = {tag for tag, success in answers.items() if success} - mine
    back = [SpoolWrite(before[tag], spool_in(ledger, tag).version) for tag in sorted(changed)]
    with ledger.writing() as tx:
        save(tx, Changes(NOW, back))
    return changed


def test_ending_is_not_listed_where_the_holder_may_not_end_it(tablet: Tablet, ledger: Database) -> None:
    """An inactive holder's spool, or one whose role was taken away, waits for a supervisor."""
    put(ledger, [held(a_spool("INACTIVE"), IN), held(a_spool("ROLE-LOST"), JS), held(a_spool("MINE"), MR)])
    for accion in ("PAUSAR", "COMPLETAR", "CANCELAR"):
        assert tablet.see_list(accion=accion) == ["MINE"]


def test_the_card_offers_what_the_lists_show(tablet: Tablet, ledger: Database) -> None:
    put(ledger, spools := a_mixed_ledger())
    for worker in (MR, IN):
        offered: dict[tuple[str, str], set[str]] = {}
        for spool in spools:
            for offer in tablet.see_spool(spool.tag, worker_id=worker.id)["acciones"]:
                offered.setdefault((offer["accion"], offer["operacion"]), set()).add(spool.tag)
        for accion, operacion in product(("TOMAR", "PAUSAR", "COMPLETAR", "CANCELAR"), OPERACIONES):
            listed = set(tablet.see_list(accion=accion, operacion=operacion, worker_id=worker.id))
            assert listed == offered.get((accion, str(operacion)), set()), (worker.label, accion, operacion)


def test_spools_worked_by_joints_are_listed_for_iniciar_and_finalizar(tablet: Tablet, ledger: Database) -> None:
    armed = [a_joint(n, "V4-WELDABLE", arm_fin=NOW, arm_worker="LP(7)") for n in (1, 2)]
    spools = [*a_mixed_ledger(), an_armed_spool("V4-WELDABLE", total_uniones=2)]
    put(ledger, spools, joints=armed)
    assert set(tablet.see_list(accion="INICIAR", operacion="ARM")) == {"V4-NEW"}
    assert set(tablet.see_list(accion="INICIAR", operacion="SOLD")) == {"V4-WELDABLE"}
    assert set(tablet.see_list(accion="INICIAR", worker_id=LP.id)) == {"V4-NEW"}
    assert set(tablet.see_list(accion="FINALIZAR")) == {"V4-HELD"}
    assert tablet.see_list(accion="FINALIZAR", worker_id=LP.id) == []
    assert tablet.see_list(accion="INICIAR", operacion="REPARACION") == []


def test_what_waits_for_inspection_is_listed_for_those_who_inspect(tablet: Tablet, ledger: Database) -> None:
    put(ledger, a_mixed_ledger())
    for query in ({}, {"operacion": "METROLOGIA"}, {"worker_id": MI.id}):
        assert set(tablet.see_list(accion="INSPECCIONAR", **query)) == {"QUEUED", "REPAIRED"}
    assert tablet.see_list(accion="INSPECCIONAR", worker_id=MR.id) == []
    assert tablet.see_list(accion="INSPECCIONAR", operacion="ARM") == []
    assert tablet.see_list(accion="TOMAR", operacion="METROLOGIA") == []


def test_what_is_blocked_is_listed_for_those_who_can_lift_it(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [*a_mixed_ledger(), a_blocked_spool("LOCKED"), a_blocked_spool("GONE", retired=True)])
    for query in ({}, {"operacion": "METROLOGIA"}, {"worker_id": SV.id}):
        listed = set(tablet.see_list(accion="DESBLOQUEAR", **query))
        assert listed & {"LOCKED", "GONE"} == {"LOCKED"}, query
        assert {tablet.see_spool(tag)["metrologia"] for tag in listed} == {"BLOQUEADO"}
    assert tablet.see_list(accion="DESBLOQUEAR", worker_id=MR.id) == []
    assert tablet.see_list(accion="DESBLOQUEAR", operacion="ARM") == []


def test_an_inactive_worker_is_offered_nothing(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool("A"), held(a_spool("H"), IN)])
    for accion in ("TOMAR", "PAUSAR", "COMPLETAR", "CANCELAR", "INICIAR", "FINALIZAR", "INSPECCIONAR", "DESBLOQUEAR"):
        assert tablet.see_list(accion=accion, worker_id=IN.id) == []
    assert tablet.see_list(worker_id=IN.id) == ["H"]


SEARCHES = [
    ("mk-1335", ["MK-1335-CW-1", "MK-1335-CW-2"]),
    ("CW-2", ["MK-1335-CW-2"]),
    ("ot-77", ["ÑANDÚ-ÁÉ"]),
    ("nv-peñón", ["MK-1335-CW-1"]),
    ("PENON", ["MK-1335-CW-1"]),
    ("nandu", ["ÑANDÚ-ÁÉ"]),
    ("Ñandú-áé", ["ÑANDÚ-ÁÉ"]),
    ("N\u0303ANDU", ["ÑANDÚ-ÁÉ"]),
    ("  cw-1  ", ["MK-1335-CW-1"]),
    ("100%", ["100%_'X"]),
    ("_'", ["100%_'X"]),
    ("%", ["100%_'X"]),
    ("STRASSE", ["STRAßE 😀"]),
    ("😀", ["STRAßE 😀"]),
    ("شبكة", ["شبكة-١"]),
    ("NO-HAY", []),
    ("1335-cw-1ot", []),
    ("\\", []),
]


def test_the_search_looks_in_tag_ot_and_nv_without_case_or_accents(tablet: Tablet, ledger: Database) -> None:
    put(
        ledger,
        [
            a_spool("MK-1335-CW-1", ot="OT-1", nv="NV-Peñón"),
            a_spool("MK-1335-CW-2", ot=None, nv=None),
            a_spool("ÑANDÚ-ÁÉ", ot="OT-77", nv=None),
            a_spool("100%_'X", ot=None, nv=None),
            a_spool("STRAßE 😀", ot=None, nv=None),
            a_spool("شبكة-١", ot=None, nv=None),
        ],
    )
    for q, found in SEARCHES:
        page = tablet.see("/api/spools", q=q)
        assert [spool["tag_spool"] for spool in page["spools"]] == found, q
        assert page["total"] == len(found)


def test_the_search_goes_together_with_the_filters(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool("MK-1"), held(a_spool("MK-2"), MR), a_spool("XX-1")])
    assert tablet.see_list(accion="TOMAR", operacion="ARM", q="mk") == ["MK-1"]
    assert tablet.see_list(worker_id=93, q="mk") == ["MK-2"]
    assert tablet.see_list(worker_id=93, q="xx") == []


def test_a_search_for_a_nul_byte_finds_nothing_and_breaks_nothing(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool("MK-1")])
    assert tablet.get("/api/spools", q="MK\0").status_code in (200, 422)
    assert tablet.get("/api/spools", q="\0").status_code in (200, 422)


def test_pages_hold_what_was_asked_for_and_the_last_says_so(tablet: Tablet, ledger: Database) -> None:
    tags = [f"S-{n:03}" for n in range(120)]
    put(ledger, [a_spool(tag) for tag in reversed(tags)])
    assert [len(page) for page in tablet.pages()] == [100, 20]
    assert [len(page) for page in tablet.pages(limit=40)] == [40, 40, 40]
    assert [len(page) for page in tablet.pages(limit=119)] == [119, 1]
    assert [len(page) for page in tablet.pages(limit=500)] == [120]
    assert tablet.see_list(limit=7) == tags
    assert tablet.see("/api/spools", limit=1)["total"] == 120


def test_the_order_is_the_same_in_both_engines(tablet: Tablet, ledger: Database) -> None:
    tags = ["a", "B", "b", "A", "Z", "ñ", "n", "é", "😀", "שלום", "1", "10", "2", "-", "_", "/", "%", "A B", "A-B"]
    put(ledger, [a_spool(tag) for tag in tags])
    assert tablet.see_list(limit=3) == sorted(tags, key=str.encode)


def test_no_spool_is_missed_or_listed_twice_while_workers_tap(tablet: Tablet, ledger: Database) -> None:
    tags = [f"S-{n:03}" for n in range(60)]
    put(ledger, [a_spool(tag) for tag in tags])
    seen: list[str] = []
    for number, page in enumerate(tablet.pages(limit=7)):
        seen += page
        done(tablet.tap("TOMAR", tags[(number * 11) % 60]))
        done(tablet.tap("TOMAR", page[-1]))
        put(ledger, [a_spool(f"A-{number}"), a_spool(f"S-{number * 7:03}-NEW")])
    assert len(seen) == len(set(seen))
    assert [tag for tag in seen if tag in set(tags)] == tags


def test_a_filtered_list_shows_everything_that_stayed_in_it(tablet: Tablet, ledger: Database) -> None:
    tags = [f"S-{n:03}" for n in range(60)]
    put(ledger, [a_spool(tag) for tag in tags])
    taken: set[str] = set()
    seen: list[str] = []
    for page in tablet.pages(limit=7, accion="TOMAR", operacion="ARM"):
        seen += page
        for tag in (page[-1], page[0]):
            done(tablet.tap("TOMAR", tag))
        behind = [tag for tag in tags if tag > page[-1]][:2]
        taken.update(behind)
        for tag in behind:
            done(tablet.tap("TOMAR", tag))
    assert len(seen) == len(set(seen))
    assert set(seen) == set(tags) - taken


WRONG = {
    "limit": ("0", "501", "-1", "diez", "1.5", ""),
    "operacion": ("PINTAR", "arm", ""),
    "accion": ("BORRAR", "tomar", ""),
    "worker_id": ("-1", "MR(93)", "2147483648", "9" * 400, ""),
    "q": ("x" * 201,),
    "cursor": ("x", "_w==", "A" * 1001),
}


def test_a_wrong_parameter_is_named(tablet: Tablet) -> None:
    for campo, values in WRONG.items():
        for value in values:
            invalid(tablet.get("/api/spools", **{campo: value}), campo)


def test_a_damaged_cursor_does_not_begin_the_list_anew(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(tag) for tag in "ABC"])
    for damaged in ("?????", "á", "!!!!"):
        invalid(tablet.get("/api/spools", cursor=damaged), "cursor")


def test_the_whole_crew_can_look_at_an_empty_shop(tablet: Tablet) -> None:
    for worker in CREW:
        assert tablet.see("/api/spools", worker_id=worker.id) == {"spools": [], "total": 0, "next_cursor": None}
