"""Privileges do not come from a workbook alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from carrete.domain.authorship import Proof
from carrete.domain.workers import Rol
from carrete.identity import access_events, devices, privileges, sessions
from carrete.identity.access_events import AccessKind
from carrete.identity.privileges import AskedChange
from carrete.identity.records import DeviceKind
from carrete.ledger import queries
from carrete.ledger.database import Database
from carrete.workbook.importing import import_workbook
from carrete.workbook.report import ImportReport
from tests.integration.workbook.files import write_file
from tests.support.builders import NOW, SHOP, a_worker, put
from tests.support.people import CREW, LP, MI, MR, SV

AD = a_worker(1, "Ada", "Díaz", roles=(Rol.ADMINISTRADOR,))
AE = a_worker(2, "Aldo", "Erazo", roles=(Rol.ADMINISTRADOR,))
WITHOUT_IDENTITY = replace(SHOP, confirmed_roles_only=False)
Rows = Sequence[Mapping[str, Any]]


class Office:
    """Somebody who can edit the workbook and imports it."""

    def __init__(self, database: Database, folder: Path) -> None:
        self.database, self._file = database, folder / "people.xlsx"

    def brings(self, people: Rows = (), roles: Rows = (), *, identity: bool = True) -> ImportReport:
        write_file(self._file, Operaciones=[{"TAG_SPOOL": "A-1"}], Trabajadores=people, Roles=roles)
        return import_workbook(self.database, self._file, SHOP if identity else WITHOUT_IDENTITY, NOW)

    def roles_of(self, id_: int, *, identity: bool = True) -> set[Rol]:
        with self.database.reading() as tx:
            person = queries.worker(tx, id_, confirmed_roles_only=identity)
        assert person is not None
        return set(person.roles)

    def person(self, id_: int) -> tuple[str, str, bool]:
        with self.database.reading() as tx:
            person = queries.worker(tx, id_)
        assert person is not None
        return person.nombre, person.apellido, person.activo

    def waiting(self) -> dict[int, tuple[tuple[Rol, ...], AskedChange | None]]:
        with self.database.reading() as tx:
            return {each.worker_id: (each.roles, each.change) for each in privileges.pending(tx)}


@pytest.fixture
def office(database: Database, tmp_path: Path) -> Office:
    put(database, workers=(*CREW, AD))
    return Office(database, tmp_path)


def row(worker: Any, **cells: Any) -> dict[str, Any]:
    return {"Id": worker.id, "Nombre": worker.nombre, "Apellido": worker.apellido, "Activo": worker.activo, **cells}


@pytest.mark.parametrize("rol", [Rol.SUPERVISOR, Rol.ADMINISTRADOR, Rol.METROLOGIA, Rol.NDT])
def test_a_privileged_role_in_the_workbook_waits_for_an_administrator(office: Office, rol: Rol) -> None:
    roles = [{"Id": LP.id, "Rol": rol.value, "Activo": "SI"}]
    report = office.brings(roles=roles)
    assert (report.problems, report.roles.new, report.exit_code) == ([], 1, 0)
    assert [notice.reason for notice in report.notices if notice.sheet == "Roles"] == [
        f"{rol.value} espera que un administrador lo confirme en Carrete."
    ]
    assert office.roles_of(LP.id) == LP.roles
    assert office.waiting() == {LP.id: ((rol,), None)}
    with office.database.writing() as tx:
        privileges.confirm(tx, LP.id, by_id=AD.id, at=NOW)
    assert office.roles_of(LP.id) == {*LP.roles, rol}
    assert office.brings(roles=roles).roles.unchanged == 1
    assert office.roles_of(LP.id) == {*LP.roles, rol}, "the next import leaves what was confirmed"


def test_a_floor_role_acts_at_once(office: Office) -> None:
    office.brings(roles=[{"Id": LP.id, "Rol": "Soldador"}, {"Id": LP.id, "Rol": "Armador", "Activo": "NO"}])
    assert office.roles_of(LP.id) == {Rol.SOLDADOR}
    assert office.waiting() == {}


def test_a_role_that_was_taken_away_waits_when_it_comes_back(office: Office) -> None:
    office.brings(roles=[{"Id": MI.id, "Rol": "Metrologia", "Activo": "NO"}])
    assert office.roles_of(MI.id) == set(), "taking away acts at once"
    office.brings(roles=[{"Id": MI.id, "Rol": "Metrologia", "Activo": "SI"}])
    assert office.roles_of(MI.id) == set()
    assert office.waiting() == {MI.id: ((Rol.METROLOGIA,), None)}


def test_a_refused_role_stays_refused_until_the_workbook_changes_it(office: Office) -> None:
    roles = [{"Id": LP.id, "Rol": "Supervisor", "Activo": "SI"}]
    office.brings(roles=roles)
    with office.database.writing() as tx:
        privileges.refuse(tx, LP.id, by_id=AD.id, at=NOW)
    office.brings(roles=roles)
    assert office.waiting() == {}
    assert office.roles_of(LP.id) == LP.roles
    with office.database.reading() as tx:
        (listed,) = [person for person in queries.workers(tx) if person.id == LP.id]
    assert listed.roles == LP.roles
    office.brings(roles=[{**roles[0], "Activo": "NO"}])
    office.brings(roles=roles)
    assert office.waiting() == {LP.id: ((Rol.SUPERVISOR,), None)}


def test_without_identity_roles_are_written_as_waiting_and_count_meanwhile(office: Office) -> None:
    report = office.brings(roles=[{"Id": LP.id, "Rol": "Supervisor", "Activo": "SI"}], identity=False)
    assert "Roles" not in {notice.sheet for notice in report.notices}
    assert office.roles_of(LP.id, identity=False) == {*LP.roles, Rol.SUPERVISOR}
    assert office.roles_of(LP.id) == LP.roles
    assert office.waiting() == {LP.id: ((Rol.SUPERVISOR,), None)}


def test_renaming_somebody_with_privileges_waits(office: Office) -> None:
    report = office.brings([row(SV, Nombre="Otro"), row(MR, Nombre="Mauro")])
    assert office.person(SV.id) == ("Sergio", "Vidal", True)
    assert office.person(MR.id) == ("Mauro", "Rodríguez", True), "without privileges it acts at once"
    assert office.waiting() == {SV.id: ((), AskedChange("Otro", "Vidal", True))}
    assert [notice.row for notice in report.notices if notice.sheet == "Trabajadores"] == [2]
    assert (report.workers.changed, report.workers.unchanged) == (1, 1)
    with office.database.writing() as tx:
        privileges.confirm(tx, SV.id, by_id=AD.id, at=NOW)
    assert office.person(SV.id) == ("Otro", "Vidal", True)
    assert office.brings([row(SV, Nombre="Otro")]).workers.unchanged == 1
    assert office.waiting() == {}


def test_a_change_that_the_workbook_takes_back_no_longer_waits(office: Office) -> None:
    office.brings([row(SV, Nombre="Otro")])
    office.brings([row(SV)])
    assert office.waiting() == {}


def test_somebody_with_privileges_is_deactivated_at_once_and_reactivated_by_an_administrator(office: Office) -> None:
    office.brings([row(SV, Activo="NO")])
    assert office.person(SV.id) == ("Sergio", "Vidal", False)
    office.brings([row(SV, Activo="SI")])
    assert office.person(SV.id) == ("Sergio", "Vidal", False)
    assert office.waiting() == {SV.id: ((), AskedChange("Sergio", "Vidal", True))}
    with office.database.writing() as tx:
        privileges.confirm(tx, SV.id, by_id=AD.id, at=NOW)
    assert office.person(SV.id) == ("Sergio", "Vidal", True)


def test_of_a_rename_and_a_deactivation_only_the_name_waits(office: Office) -> None:
    office.brings([row(SV, Nombre="Otro", Activo="NO")])
    assert office.person(SV.id) == ("Sergio", "Vidal", False)
    assert office.waiting() == {SV.id: ((), AskedChange("Otro", "Vidal", False))}


def test_without_identity_names_and_reactivations_act_at_once(office: Office) -> None:
    office.brings([row(SV, Nombre="Otro", Activo="NO")], identity=False)
    office.brings([row(SV, Nombre="Otro", Activo="SI")], identity=False)
    assert office.person(SV.id) == ("Otro", "Vidal", True)
    assert office.waiting() == {}


def test_a_role_that_waits_protects_nobody(office: Office) -> None:
    """Otherwise a cell could keep a person's own row from being corrected."""
    office.brings(roles=[{"Id": LP.id, "Rol": "Supervisor"}])
    office.brings([row(LP, Nombre="Lucho")])
    assert office.person(LP.id) == ("Lucho", "Pérez", True)


@pytest.mark.parametrize("identity", [True, False])
@pytest.mark.parametrize("what", ["person", "role"])
def test_the_workbook_never_removes_the_last_administrator(office: Office, what: str, identity: bool) -> None:
    def remove(*people: Any) -> ImportReport:
        if what == "person":
            return office.brings([row(each, Activo="NO") for each in people], identity=identity)
        roles = [{"Id": each.id, "Rol": "Administrador", "Activo": "NO"} for each in people]
        return office.brings(roles=roles, identity=identity)

    def administrators() -> set[int]:
        with office.database.writing() as tx:
            return privileges.administrators(tx)

    report = remove(AD)
    (problem,) = report.problems
    assert (problem.sheet, problem.row, problem.column) == (
        "Trabajadores" if what == "person" else "Roles",
        2,
        "Activo",
    )
    assert "último administrador" in problem.reason
    assert report.exit_code == 3
    assert administrators() == {AD.id}
    put(office.database, workers=[AE])
    assert len(remove(AD, AE).problems) == 1, "one of the two may go"
    assert administrators() == {AE.id}


def test_a_person_whom_the_workbook_deactivates_has_no_session_any_more(office: Office) -> None:
    now = datetime.now(UTC)
    with office.database.writing() as tx:
        device = devices.enrol(tx, secret_hash="x", name="T", kind=DeviceKind.TABLET, by_id=None, at=now)
        for worker in (MR, SV):
            sessions.begin(tx, device_id=device.id, worker_id=worker.id, proof=Proof.PIN, now=now)
            device = devices.enrol(tx, secret_hash=f"x{worker.id}", name="T", kind=DeviceKind.TABLET, by_id=1, at=now)
    office.brings([row(MR, Activo="NO"), row(SV, Activo="NO")])
    with office.database.reading() as tx:
        assert [tx.all("sessions_open_of_worker", worker_id=worker.id) for worker in (MR, SV)] == [[], []]


def test_what_the_workbook_does_to_floor_roles_is_recorded(office: Office) -> None:
    roles = [{"Id": LP.id, "Rol": "Soldador"}, {"Id": LP.id, "Rol": "Armador", "Activo": "NO"}]
    never_had = {"Id": LP.id, "Rol": "Ayudante", "Activo": "NO"}
    office.brings(roles=[*roles, never_had])
    office.brings(roles=roles)
    with office.database.reading() as tx:
        events = access_events.page(tx).events
    assert {event.kind for event in events} == {AccessKind.ROL_CAMBIADO}
    assert sorted((event.worker_id, event.detail) for event in events) == [
        (LP.id, "planilla: Armador retirado"),
        (LP.id, "planilla: Soldador dado"),
    ]


def test_what_the_workbook_does_to_privileges_is_recorded(office: Office) -> None:
    office.brings(roles=[{"Id": LP.id, "Rol": "Supervisor"}, {"Id": LP.id, "Rol": "Ayudante"}])
    office.brings(roles=[{"Id": LP.id, "Rol": "Supervisor", "Activo": "NO"}])
    with office.database.reading() as tx:
        events = [(event.worker_id, event.by_id, event.detail) for event in access_events.page(tx).events]
    assert [event for event in events if "Ayudante" not in (event[2] or "")] == [
        (LP.id, None, "planilla: Supervisor retirado"),
        (LP.id, None, "planilla: Supervisor pedido"),
    ]
