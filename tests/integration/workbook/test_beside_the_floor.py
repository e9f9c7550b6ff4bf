"""An import beside a second import of the same file, and beside workers who tap meanwhile."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

from carrete.domain.commands import Pausar, Tomar
from carrete.domain.events import EventoTipo
from carrete.domain.spool import Operacion
from carrete.ledger import open_database
from carrete.workbook.importing import import_workbook
from carrete.workbook.report import ImportReport
from tests.integration.workbook.files import RowEditor, Rows, write_file
from tests.support.builders import NOW, SHOP, a_spool, a_worker, events_in, put, spool_in

BETWEEN_TAPS_S = 0.005


def many(count: int, ot: str) -> tuple[Rows, Rows]:
    spools = [{"TAG_SPOOL": f"A-{n:04}", "OT": ot, "Total_Uniones": 2} for n in range(count)]
    joints = [{"TAG_SPOOL": s["TAG_SPOOL"], "N_UNION": n, "DN_UNION": 2} for s in spools for n in (1, 2)]
    return spools, joints


def imported_alone(url: str, path: Path) -> ImportReport:
    """Uses a connection of its own, like another process."""
    database = open_database(url)
    try:
        return import_workbook(database, path, SHOP, NOW)
    finally:
        database.close()


def test_the_same_file_imported_twice_at_once_comes_in_once(database_url: str, desk: RowEditor) -> None:
    spools, joints = many(600, "7")
    path = write_file(desk.folder / "a.xlsx", Operaciones=spools, Uniones=joints)
    with ThreadPoolExecutor(3) as pool:
        reports = list(pool.map(lambda _: imported_alone(database_url, path), range(3)))
    assert sum(report.spools.new for report in reports) == 600
    assert sum(report.joints.new for report in reports) == 1200
    assert [report.problems for report in reports] == [[], [], []]
    assert set(Counter(stored.tag for stored in events_in(desk.database)).values()) == {1}


def test_workers_tap_while_a_file_comes_in_and_both_are_kept(database_url: str, desk: RowEditor) -> None:
    put(desk.database, [a_spool("A-0300", ot="1", total_uniones=None)], [a_worker()])
    spools, joints = many(600, "7")
    spools = [{k: v for k, v in row.items() if k != "Total_Uniones"} for row in spools]
    path = write_file(desk.folder / "a.xlsx", Operaciones=spools, Uniones=joints)
    over = Event()
    taps = 0
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(imported_alone, database_url, path)
        done.add_done_callback(lambda _: over.set())
        while not over.is_set():
            desk.act(Tomar("A-0300", 93, Operacion.ARM))
            desk.act(Pausar("A-0300", 93, Operacion.ARM))
            taps += 1
            over.wait(BETWEEN_TAPS_S)
        report = done.result()
    tipos = Counter(stored.event.tipo for stored in events_in(desk.database, "A-0300"))
    assert taps > 0
    assert tipos[EventoTipo.TOMAR_SPOOL] == tipos[EventoTipo.PAUSAR_SPOOL] == taps
    assert spool_in(desk.database, "A-0300").ot == "7"
    assert (report.exit_code, report.spools.new, report.spools.changed) == (0, 599, 1)
