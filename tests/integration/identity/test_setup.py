"""The setup code and the administrator that it makes."""

from __future__ import annotations

import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from carrete.domain.refusals import NotValid
from carrete.domain.workers import Rol
from carrete.identity import access_events, devices, privileges, setup
from carrete.identity.records import Device, DeviceKind
from carrete.identity.refusals import CodeRefused
from carrete.identity.secrets import new_secret, secret_hash
from carrete.identity.setup import NewAdministrator
from carrete.ledger import queries
from carrete.ledger.database import Database
from tests.support.builders import put
from tests.support.lookups import device_of_secret, session_of_secret
from tests.support.people import CREW, IN, SV

NOW = datetime.now(UTC).replace(microsecond=0)
MINUTE = timedelta(minutes=1)
ANA = NewAdministrator(900, "Ana", "Díaz", "PC oficina")


def new_code(database: Database) -> str:
    with database.writing() as tx:
        return setup.make_code(tx, at=NOW)


def tried(database: Database, code: str, at: datetime = NOW) -> bool:
    with database.writing() as tx:
        return setup.try_code(tx, code, at=at)


def made(
    database: Database, code: str, wanted: NewAdministrator = ANA, device: Device | None = None
) -> setup.FirstSession:
    with database.writing() as tx:
        return setup.make_administrator(tx, code, wanted, "hash", device, at=NOW)


def test_the_code_makes_an_administrator_enrols_the_browser_and_signs_it_in(database: Database) -> None:
    first = made(database, new_code(database))
    assert first.device_secret is not None
    with database.reading() as tx:
        device = device_of_secret(tx, first.device_secret)
        session = session_of_secret(tx, first.session_secret)
        person = queries.worker(tx, 900)
        kinds = {event.kind.value for event in access_events.page(tx).events}
        assert privileges.has_administrator(tx)
        assert tx.all("pin_owners") == [(900,)]
    assert device is not None
    assert (device.name, device.kind) == ("PC oficina", DeviceKind.OFICINA)
    assert session is not None
    assert session.worker.roles == {Rol.ADMINISTRADOR}
    assert session.pin_at is not None
    assert person is not None
    assert (person.nombre, person.apellido, person.activo) == ("Ana", "Díaz", True)
    assert kinds == {"PIN_NUEVO", "INSCRITO", "ADMINISTRADOR_CREADO", "ENTRO"}


def test_an_existing_worker_keeps_name_and_roles_and_is_active_again(database: Database) -> None:
    put(database, workers=CREW)
    made(database, new_code(database), NewAdministrator(IN.id, "", "", "PC"))
    with database.reading() as tx:
        person = queries.worker(tx, IN.id)
    assert person is not None
    assert (person.nombre, person.activo, person.roles) == (IN.nombre, True, IN.roles | {Rol.ADMINISTRADOR})


def test_a_mistyped_id_does_not_make_somebody_else_administrator(database: Database) -> None:
    put(database, workers=CREW)
    code = new_code(database)
    with pytest.raises(NotValid, match="Sergio Vidal"):
        made(database, code, NewAdministrator(SV.id, "Ana", "Díaz", "PC"))
    made(database, code, NewAdministrator(SV.id, "SERGIO", "vidal", "PC"))


def test_a_new_person_needs_a_name(database: Database) -> None:
    code = new_code(database)
    for names in (("", "Díaz"), ("Ana", " "), ("A\x00", "Díaz")):
        with pytest.raises(NotValid):
            made(database, code, NewAdministrator(900, *names, "PC"))


def test_a_code_works_once(database: Database) -> None:
    code = new_code(database)
    made(database, code)
    assert not tried(database, code)
    with pytest.raises(CodeRefused):
        made(database, code, NewAdministrator(901, "Otra", "Persona", "PC"))
    with database.reading() as tx:
        assert queries.worker(tx, 901) is None


def test_a_code_lasts_thirty_minutes(database: Database) -> None:
    code = new_code(database)
    assert tried(database, code, NOW + 29 * MINUTE)
    assert not tried(database, code, NOW + 30 * MINUTE)
    with database.writing() as tx, pytest.raises(CodeRefused):
        setup.make_administrator(tx, code, ANA, "hash", None, at=NOW + 30 * MINUTE)


def test_after_ten_wrong_tries_the_right_code_is_refused_too(database: Database) -> None:
    code = new_code(database)
    wrong = "00000000" if code != "00000000" else "00000001"
    for _ in range(9):
        assert not tried(database, wrong)
    assert tried(database, code), "nine wrong tries leave one"
    assert not tried(database, wrong)
    assert not tried(database, code)
    with pytest.raises(CodeRefused):
        made(database, code)


def test_right_tries_are_not_counted(database: Database) -> None:
    code = new_code(database)
    assert all(tried(database, code) for _ in range(12))


def test_a_new_code_ends_the_one_before(database: Database) -> None:
    first = new_code(database)
    second = new_code(database)
    assert not tried(database, first)
    assert tried(database, second)


def test_a_code_has_forty_bits_and_is_forgiving_about_how_it_is_typed(database: Database) -> None:
    code = new_code(database)
    assert len(code) == 8
    assert set(code) <= set("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    typed = setup.readable_code(code).lower().replace("0", "o").replace("1", "l")
    assert tried(database, f" {typed} ")


def test_a_code_is_offered_only_while_there_is_no_administrator(database: Database) -> None:
    with database.writing() as tx:
        code = setup.ensure_code(tx, at=NOW)
    assert code is not None
    made(database, code)
    with database.writing() as tx:
        assert setup.ensure_code(tx, at=NOW) is None


def test_a_browser_that_is_enrolled_already_stays_the_same_device(database: Database) -> None:
    with database.writing() as tx:
        device = devices.enrol(
            tx, secret_hash=secret_hash(new_secret()), name="PC", kind=DeviceKind.OFICINA, by_id=None, at=NOW
        )
        board = devices.enrol(tx, secret_hash="b", name="Muro", kind=DeviceKind.TABLERO, by_id=None, at=NOW)
    first = made(database, new_code(database), device=device)
    assert first.device_secret is None
    assert first.session.device_id == device.id
    on_board = made(database, new_code(database), device=board)
    assert on_board.device_secret is not None
    assert on_board.session.device_id != board.id


def test_the_code_file_is_for_this_user_only_and_goes_after_use(tmp_path: Path) -> None:
    (tmp_path / setup.CODE_FILE).write_text("old")
    (tmp_path / setup.CODE_FILE).chmod(0o644)
    path = setup.write_code_file(tmp_path, "7KQ2-M9XA\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text() == "7KQ2-M9XA\n"
    setup.remove_code_file(tmp_path)
    setup.remove_code_file(tmp_path)
    assert not path.exists()
