"""`carrete sync --init`: shows what connecting a workbook would do and, with `--apply`, connects it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from carrete.domain.shop import Shop
from carrete.ledger.database import Database, Tx
from carrete.sheets.clock import Clock
from carrete.sheets.connect import Connector, Survey
from carrete.sheets.google.client import SheetsClient
from carrete.sheets.google.errors import Denied
from carrete.sheets.lane import Lane
from carrete.sheets.lease import Lease
from carrete.sheets.pull.people import padded_book, people_sheets, take_edited_people
from carrete.sheets.pull.puller import Puller
from carrete.sheets.rows import storage
from carrete.sheets.structure import EVENTS, STAMPED
from carrete.sheets.timings import LaneTimings
from carrete.workbook.commits import DryRun
from carrete.workbook.report import ImportReport, Progress

STEPS_MAX = 100_000


def survey_of(database: Database, client: SheetsClient, workbook: str, clock: Clock) -> Survey:
    """Reads the workbook, and changes nothing."""
    return Connector(database, DryRun(database), client, workbook, clock).survey()


def summary(survey: Survey, workbook: str, database: Database) -> Iterator[str]:
    yield f"Planilla «{survey.workbook.title}», hora de {survey.workbook.timezone}."
    yield from (found.summary() for found in survey.sheets.values())
    for name in survey.absent:
        yield f"{name}: no está" + ("; se crea." if name == EVENTS.name else "; queda sin usar.")
    if connected_elsewhere(database, workbook):
        yield "El registro está conectado con otra planilla: al aplicar, queda conectado con esta."
    yield from (f"Hay que repararlo antes: {wrong}." for wrong in survey.wrong)


def connected_elsewhere(database: Database, workbook: str) -> bool:
    with database.reading() as tx:
        return storage.setting(tx, storage.CONNECTED) not in ("", workbook)


class LedgerWithoutWorkbook:
    """The ledger as it will be when it has forgotten the workbook that it was connected with. Every transaction forgets
    it, and is rolled back."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.engine = database.engine
        self.schema = database.schema

    @contextmanager
    def writing(self) -> Iterator[Tx]:
        with suppress(_RolledBackAgain), self._database.writing() as tx:
            storage.forget_everything(tx)
            yield tx
            raise _RolledBackAgain

    reading = writing

    def backup(self, target: str) -> None:
        raise NotImplementedError

    def close(self) -> None:
        self._database.close()


class _RolledBackAgain(Exception):
    pass


def dry_run(
    survey: Survey, database: Database, workbook: str, shop: Shop, clock: Clock, on_progress: Progress
) -> ImportReport:
    """The report of the import that connecting would do; every commit is rolled back."""
    if connected_elsewhere(database, workbook):
        database = LedgerWithoutWorkbook(database)
    sheets = people_sheets(padded_book(survey.grids()), shop)

    def people_first(tx: Tx) -> ImportReport:
        return take_edited_people(tx, sheets, shop)

    puller = Puller(database, DryRun(database, people_first), shop, clock, on_progress)
    grids = {plan.name: survey.sheets[plan.name].rows for plan in STAMPED if plan.name in survey.grids()}
    report = puller.pull(grids, survey.located()).report
    people = DryRun(database).commit(people_first)
    report.workers, report.roles = people.workers, people.roles
    report.procedures, report.qualifications = people.procedures, people.qualifications
    report.notices += people.notices
    of_sheets = [problem for sheet in sheets for problem in sheet.problems]
    report.problems = [*of_sheets, *people.problems, *puller.problems()]
    return report


def connect(
    survey: Survey,
    database: Database,
    client: SheetsClient,
    workbook: str,
    shop: Shop,
    clock: Clock,
    on_progress: Progress,
    timings: LaneTimings,
) -> Lane:
    """Connects the ledger with this workbook, also when it was connected with another one, and syncs it once."""
    attach(survey, database, client, workbook, clock, timings)
    lane = Lane(database, client, workbook, shop, clock, on_progress=on_progress, timings=timings)
    settle(lane, clock)
    return lane


def attach(
    survey: Survey, database: Database, client: SheetsClient, workbook: str, clock: Clock, timings: LaneTimings
) -> None:
    """Connects the ledger with this workbook; the next lane syncs it."""
    lease = Lease(database, workbook, clock, timings.lease_s)
    if not lease.take():
        raise Denied("Otro proceso sincroniza esta planilla ahora: deténgalo, o espere medio minuto.")
    try:
        Connector(database, lease, client, workbook, clock).connect(survey)
    finally:
        lease.free()


def settle(lane: Lane, clock: Clock) -> None:
    """Runs the lane until it has read every sheet once and written everything that waits; raises Denied if it
    cannot."""
    began = clock.monotonic()
    for _ in range(STEPS_MAX):
        wait = lane.step()
        if lane.stats.reason:
            raise Denied(lane.stats.reason)
        if not lane.leading and clock.monotonic() - began > lane.timings.lease_s:
            raise Denied("Otro proceso sincroniza esta planilla ahora.")
        if lane.at_rest():
            break
        clock.sleep(wait)
    lane.stop()
