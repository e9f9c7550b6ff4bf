"""`carrete admin`, `device`, `token`, `worker pin`, and what `doctor` says about identity."""

from __future__ import annotations

import re
import stat
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from carrete.cli import serve, service
from carrete.cli.admin import offer_setup
from carrete.domain.authorship import Proof
from carrete.domain.workers import Rol
from carrete.identity import devices, people, privileges, sessions, setup
from carrete.identity.people import ChangeAuthor
from carrete.identity.pins import PinHasher
from carrete.identity.records import DeviceKind, TokenScope
from carrete.identity.server_keys import KEY_FILE, ServerKeys
from carrete.ledger.database import Database
from carrete.settings import Settings, WrongSetting
from tests.integration.cli.conftest import Carrete, CommandResult
from tests.support.builders import a_worker, put
from tests.support.lookups import token_of_secret
from tests.support.people import CREW, IN, LP, MR, SV
from tests.support.server import running_server

NOW = datetime.now(UTC).replace(microsecond=0)
AD = a_worker(1, "Ada", "Díaz", roles=(Rol.ADMINISTRADOR,))
Command = Callable[..., CommandResult]


@pytest.fixture
def command(carrete: Carrete, database_url: str, tmp_path: Path) -> Command:
    """On the ledger of the test, with a data folder of its own."""

    def run(*arguments: object, **settings: str) -> CommandResult:
        data = {"DATABASE_URL": database_url, "CARRETE_DATA": str(tmp_path / "data")}
        return carrete(*arguments, **{**data, "REDIS_URL": "off", "CARRETE_ACCESS": "pin", **settings})

    return run


def hasher_of(database: Database, tmp_path: Path) -> PinHasher:
    with database.writing() as tx:
        return PinHasher(ServerKeys.load(tmp_path / "data", tx).pepper)


def pin_is(database: Database, hasher: PinHasher, worker_id: int, pin: str) -> bool:
    with database.reading() as tx:
        row = tx.one("person_signing_in", id=worker_id)
    assert row is not None
    return hasher.verify_blocking(row[-1], pin)


def signed_in(database: Database, worker_id: int) -> None:
    with database.writing() as tx:
        device = devices.enrol(
            tx, secret_hash=str(worker_id), name="Tablet 1", kind=DeviceKind.TABLET, by_id=None, at=NOW
        )
        sessions.begin(tx, device_id=device.id, worker_id=worker_id, proof=Proof.PIN, now=NOW)


# ─── the setup code ───────────────────────────────────────────────────────────────────────────────────────────


def test_admin_code_prints_a_code_that_works_and_the_page(command: Command, database: Database) -> None:
    result = command("admin", "code", "--address", "https://taller.cl/")
    assert result.exit_code == 0, result.err
    found = re.search(r"Setup code: (\w{4})-(\w{4}), once", result.out)
    assert found is not None
    code = found[1] + found[2]
    assert f"Open https://taller.cl/configurar#{code}" in result.out
    with database.writing() as tx:
        assert setup.try_code(tx, code, at=datetime.now(UTC))


@pytest.mark.parametrize("address", ["nonsense", "ftp://taller.cl", "https://", ""])
def test_an_address_that_is_none_makes_no_code_and_ends_none(
    command: Command, database: Database, address: str
) -> None:
    found = re.search(r"Setup code: (\w{4})-(\w{4}), once", command("admin", "code").out)
    assert found is not None
    result = command("admin", "code", "--address", address)
    assert result.exit_code == 1
    assert result.err.startswith("carrete: --address must be")
    with database.writing() as tx:
        assert setup.try_code(tx, found[1] + found[2], at=datetime.now(UTC))


def test_admin_code_names_no_address_that_it_does_not_know(command: Command, database: Database) -> None:
    result = command("admin", "code")
    assert "Open http" not in result.out
    printed = " ".join(result.out.split())
    assert "Open /configurar at the address of your server" in printed
    assert "for example http://127.0.0.1:8000/configurar#" in printed


def test_a_new_code_leaves_no_file_with_a_code_that_ended(
    command: Command, database: Database, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configured = settings_of(database_url, tmp_path / "data")
    offer_setup(database, configured, "http://x")
    assert command("admin", "code").exit_code == 0
    assert not (configured.data / setup.CODE_FILE).exists()
    offer_setup(database, configured, "http://x")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    offer_setup(database, configured, "http://x")
    assert not (configured.data / setup.CODE_FILE).exists()


def settings_of(database_url: str, folder: Path, **more: str) -> Settings:
    return Settings(database_url=database_url, data=folder, redis_url="off", **more)  # type: ignore[arg-type]


def test_a_server_without_a_terminal_writes_the_code_to_a_private_file(
    database: Database, database_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    offer_setup(database, settings_of(database_url, tmp_path / "data"), "http://127.0.0.1:8000")
    path = tmp_path / "data" / setup.CODE_FILE
    readable, page = path.read_text().split()
    code = readable.replace("-", "")
    assert page == f"http://127.0.0.1:8000/configurar#{code}"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    printed = capsys.readouterr()
    assert str(path) in " ".join(printed.out.split())
    assert code not in printed.out + printed.err
    assert readable not in printed.out + printed.err
    with database.writing() as tx:
        assert setup.try_code(tx, code, at=datetime.now(UTC))


def test_behind_a_proxy_the_first_pin_is_not_typed_at_the_address_without_https(tmp_path: Path) -> None:
    url, settings = f"sqlite:///{tmp_path / 'carrete.db'}", {"CARRETE_ACCESS": "pin"}
    with running_server(url, tmp_path, "--behind-proxy", "127.0.0.1", settings=settings) as server:
        code, page = (tmp_path / setup.CODE_FILE).read_text().split()
        assert page == f"/configurar#{code.replace('-', '')}"
        assert server.output.count("http://") == 1, "only what it listens on is said"


def test_behind_a_proxy_no_example_of_an_address_is_without_https(
    database: Database,
    database_url: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In a terminal the page is shown at an example: the server's own address would be taken for the right one."""
    offer_setup(database, settings_of(database_url, tmp_path), None)
    service._print_setup_code(tmp_path)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    offer_setup(database, settings_of(database_url, tmp_path), None)
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.count("for example https://") == 2
    assert shown.count("`carrete admin code --address https://…` puts it here") == 2
    assert "http://" not in shown


def test_behind_a_proxy_tablets_are_not_invited_to_the_address_without_https(
    database_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for has_proxy in (True, False):
        serve._print_addresses(
            settings_of(database_url, tmp_path), "10.0.0.11", "http://10.0.0.11:8001", False, has_proxy
        )
        assert ("Tablets open" in capsys.readouterr().out) is not has_proxy


@pytest.mark.parametrize("address", [None, "https://carrete.taller.cl"])
def test_the_service_shows_the_code_and_only_an_address_that_is_known(
    address: str | None, database: Database, database_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    offer_setup(database, settings_of(database_url, tmp_path), address)
    code, _ = (tmp_path / setup.CODE_FILE).read_text().split()
    capsys.readouterr()
    service._print_setup_code(tmp_path)
    shown = " ".join(capsys.readouterr().out.split())
    assert f"There is no administrator yet. Setup code: {code}, once" in shown
    assert ("Open /configurar at the address of your server" in shown) is (address is None)
    assert (f"Open {address}/configurar#{code.replace('-', '')}" in shown) is (address is not None)


def test_servers_that_start_together_leave_a_code_that_works(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    configured = settings_of(database_url, tmp_path)
    with ThreadPoolExecutor(8) as servers:
        for _ in range(5):
            started = [servers.submit(offer_setup, database, configured, "http://x") for _ in range(8)]
            for each in started:
                each.result()
            readable = (tmp_path / setup.CODE_FILE).read_text().split()[0]
            with database.writing() as tx:
                assert setup.try_code(tx, readable, at=datetime.now(UTC))
    assert [path.name for path in tmp_path.glob(".setup*")] == []


def test_a_data_folder_that_cannot_be_written_is_one_sentence(database: Database, database_url: str) -> None:
    with pytest.raises(WrongSetting, match="setup-code cannot be written"):
        offer_setup(database, settings_of(database_url, Path("/dev/null/x")), "http://x")


def test_a_server_in_a_terminal_shows_the_code_with_its_qr(
    database: Database,
    database_url: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    offer_setup(database, settings_of(database_url, tmp_path), "http://127.0.0.1:8000")
    printed = capsys.readouterr().out
    assert "no administrator yet" in printed
    assert re.search(r"Setup code: \w{4}-\w{4}", printed)
    assert "▀" in printed or "█" in printed
    assert not (tmp_path / setup.CODE_FILE).exists()


def test_no_code_is_offered_with_an_administrator_or_without_identity(
    database: Database, database_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    offer_setup(database, settings_of(database_url, tmp_path, access="open"), "http://x")
    put(database, workers=[AD])
    offer_setup(database, settings_of(database_url, tmp_path, access="device"), "http://x")
    assert capsys.readouterr().out == ""
    assert not (tmp_path / setup.CODE_FILE).exists()


def test_a_new_key_ends_all_pins_and_sessions(command: Command, database: Database, tmp_path: Path) -> None:
    put(database, workers=CREW)
    assert command("worker", "pin", "--all").exit_code == 0
    signed_in(database, MR.id)
    key = (tmp_path / "data" / KEY_FILE).read_bytes()
    result = command("admin", "new-key", "--yes")
    assert (result.exit_code, "admin code" in result.out) == (0, True)
    before, _, after = result.out.partition("There is a new key")
    assert "Stop all servers first" in before
    assert "Restart every server that still runs" in after
    assert (tmp_path / "data" / KEY_FILE).read_bytes() != key
    with database.reading() as tx:
        assert tx.all("pin_owners") == []
        assert tx.all("workers_signed_in") == []
    assert command("worker", "pin", MR.id).exit_code == 0


def test_a_new_key_helps_when_the_old_one_is_lost(command: Command, database: Database, tmp_path: Path) -> None:
    put(database, workers=CREW)
    command("worker", "pin", MR.id)
    (tmp_path / "data" / KEY_FILE).unlink()
    assert "carrete admin new-key" in command("worker", "pin", MR.id).sentence
    assert "BAD   identity: " in command("doctor").out
    served = command("serve", "--port", "0")
    assert (served.exit_code, "listens" in served.out) == (1, False)
    assert "carrete admin new-key" in served.sentence
    assert command("admin", "new-key", "--yes").exit_code == 0
    assert command("worker", "pin", MR.id).exit_code == 0
    assert "BAD   identity: " not in command("doctor").out


def test_the_help_of_a_token_says_that_no_scope_includes_another(command: Command) -> None:
    assert "None includes another" in " ".join(command("token", "make", "--help").out.replace("│", " ").split())


# ─── devices and tokens ───────────────────────────────────────────────────────────────────────────────────────


def test_devices_are_listed_and_revoked(command: Command, database: Database) -> None:
    put(database, workers=CREW)
    signed_in(database, MR.id)
    with database.reading() as tx:
        (device,) = devices.devices(tx)
    assert device.id in command("device", "list").out
    assert command("device", "revoke", device.id).out == "Tablet 1 is revoked."
    with database.reading() as tx:
        assert devices.known_device(tx, device.id).revoked_at is not None
        assert tx.all("workers_signed_in") == []
    result = command("device", "revoke", "d-x")
    assert (result.exit_code, "There is no device d-x" in result.sentence) == (1, True)


def test_a_token_is_printed_once_and_revoked(command: Command, database: Database) -> None:
    token = command("token", "make", "ERP", "--scope", "leer", "--scope", "actuar", "--days", 30).out
    with database.reading() as tx:
        found = token_of_secret(tx, token)
    assert found is not None
    assert found.scopes == {TokenScope.LEER, TokenScope.ACTUAR}
    listed = command("token", "list").out
    assert found.id in listed
    assert token not in listed
    assert command("token", "revoke", found.id).out == "ERP is revoked."
    with database.reading() as tx:
        assert token_of_secret(tx, token) is None
    assert "There is no token t-x" in command("token", "revoke", "t-x").sentence
    for wrong in (("ERP",), ("ERP", "--scope", "todo"), ("ERP", "--scope", "leer", "--days", 0)):
        assert command("token", "make", *wrong).exit_code == 2
    assert command("token", "make", " ", "--scope", "leer").exit_code == 1


# ─── people ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_one_person_gets_a_pin_that_is_shown_once(command: Command, database: Database, tmp_path: Path) -> None:
    put(database, workers=CREW)
    signed_in(database, MR.id)
    shown = command("worker", "pin", MR.id).out
    (pin,) = re.findall(r"\b\d{6}\b", shown)
    assert MR.label in shown
    assert pin_is(database, hasher_of(database, tmp_path), MR.id, pin)
    with database.reading() as tx:
        assert tx.all("workers_signed_in") == []
        assert tx.all("pin_owners") == [(MR.id,)]
    again = re.findall(r"\b\d{6}\b", command("worker", "pin", MR.id).out)
    assert pin_is(database, hasher_of(database, tmp_path), MR.id, again[0])


def test_everybody_without_a_pin_gets_one_and_the_others_keep_theirs(
    command: Command, database: Database, tmp_path: Path
) -> None:
    put(database, workers=CREW)
    (mine,) = re.findall(r"\b\d{6}\b", command("worker", "pin", MR.id).out)
    shown = command("worker", "pin", "--all").out
    assert len(re.findall(r"\b\d{6}\b", shown)) == len(CREW) - 2, "not for MR, who has one, nor for IN, who left"
    assert IN.label not in shown
    assert pin_is(database, hasher_of(database, tmp_path), MR.id, mine)
    assert command("worker", "pin", "--all").out == "Everybody has a PIN."
    assert MR.label in command("worker", "pin", "--all", "--replace").out
    assert not pin_is(database, hasher_of(database, tmp_path), MR.id, mine)


def test_cards_are_a_private_page_with_name_label_pin_and_badge(
    command: Command, database: Database, tmp_path: Path
) -> None:
    put(database, workers=[a_worker(5, "<b>Ana", "Soto & Cía"), LP])
    with database.writing() as tx:
        people.set_badge(tx, LP.id, "00417", ChangeAuthor(NOW))
    page = tmp_path / "cards.html"
    result = command("worker", "pin", "--all", "--html", page)
    assert (result.exit_code, re.findall(r"\b\d{6}\b", result.out)) == (0, [])
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    text = page.read_text()
    pins = re.findall(r'class="pin">(\d{6})<', text)
    assert len(pins) == 2
    assert "&lt;b&gt;Ana Soto &amp; Cía" in text
    assert LP.label in text
    assert text.count("<svg") == 1
    assert "http" not in text.replace("http://www.w3.org", "")
    assert pin_is(database, hasher_of(database, tmp_path), 5, pins[0])


def test_a_page_that_exists_is_not_overwritten_and_no_pin_changes(
    command: Command, database: Database, tmp_path: Path
) -> None:
    put(database, workers=CREW)
    (page := tmp_path / "cards.html").write_text("precious")
    for where in (page, tmp_path / "nowhere" / "cards.html"):
        assert command("worker", "pin", "--all", "--html", where).exit_code == 1
    assert page.read_text() == "precious"
    with database.reading() as tx:
        assert tx.all("pin_owners") == []


def test_who_gets_a_pin_must_be_clear(command: Command, database: Database) -> None:
    put(database, workers=CREW)
    for wrong in ((), (MR.id, "--all"), (MR.id, "--replace")):
        result = command("worker", "pin", *wrong)
        assert (result.exit_code, "Name one worker" in result.sentence) == (1, True)
    for nobody in (404, IN.id):
        assert f"There is no active worker {nobody}" in command("worker", "pin", nobody).sentence


def test_commands_never_remove_the_last_administrator(command: Command, database: Database) -> None:
    put(database, workers=[AD, *CREW])
    for change in (("deactivate", AD.id), ("roles", AD.id, "--rol", "Supervisor")):
        result = command("worker", *change)
        assert (result.exit_code, result.sentence) == (
            1,
            "carrete: AD(1) is the last active administrator: make another one first.",
        )
    with database.writing() as tx:
        assert privileges.administrators(tx) == {AD.id}
    assert command("worker", "roles", SV.id, "--rol", "Administrador").exit_code == 0
    assert command("worker", "deactivate", AD.id).exit_code == 0


def test_roles_given_by_command_act_at_once_and_end_pending_requests(command: Command, database: Database) -> None:
    put(database, workers=CREW)
    with database.writing() as tx:
        tx.run("role_ask", worker_id=LP.id, rol="Administrador", activo=1)
        tx.run("role_ask", worker_id=LP.id, rol="NDT", activo=1)
    command("worker", "roles", LP.id, "--rol", "NDT")
    with database.reading() as tx:
        assert privileges.pending(tx) == []
        assert privileges.known_worker(tx, LP.id).roles == {Rol.NDT}


def test_a_person_deactivated_by_command_has_no_session_any_more(command: Command, database: Database) -> None:
    put(database, workers=CREW)
    signed_in(database, MR.id)
    command("worker", "deactivate", MR.id)
    with database.reading() as tx:
        assert tx.all("workers_signed_in") == []


# ─── doctor ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_doctor_says_how_identity_stands(command: Command, database: Database) -> None:
    assert "note  identity (pin in these settings): 0 administrators, 0 enrolled devices" in command("doctor").out
    put(database, workers=[AD, *CREW])
    signed_in(database, MR.id)
    found = command("doctor", CARRETE_ACCESS="device").out
    assert "ok    identity (device in these settings): 1 administrators, 1 enrolled devices" in found
    assert f"identity: {len(CREW)} active people have no PIN" in found
    assert "wait" not in found
    command("worker", "pin", "--all")
    assert "no PIN" not in command("doctor").out


@pytest.mark.parametrize("mode", ["pin", "open"])
def test_the_doctor_names_the_privileges_that_wait(command: Command, database: Database, mode: str) -> None:
    put(database, workers=[AD, *CREW])
    with database.writing() as tx:
        tx.run("role_ask", worker_id=LP.id, rol="Supervisor", activo=1)
        tx.run("worker_change_ask", worker_id=SV.id, nombre="Otro", apellido="Vidal", activo=1, at="2026")
    result = command("doctor", CARRETE_ACCESS=mode)
    assert "identity: 2 privileges wait for confirmation: LP(7) Supervisor, SV(21) name or return" in result.out
    assert ("identity: none with these settings" in result.out) == (mode == "open")
    assert result.exit_code == 0


def test_the_list_of_people_shows_roles_that_wait_as_waiting(command: Command, database: Database) -> None:
    put(database, workers=[AD, *CREW])
    with database.writing() as tx:
        tx.run("role_ask", worker_id=LP.id, rol="Supervisor", activo=1)
    printed = " ".join(command("worker", "list").out.split())
    assert "Supervisor (waits)" in printed
    assert printed.count("(waits") == 1


def test_the_doctor_does_not_make_a_key(command: Command, database: Database, tmp_path: Path) -> None:
    command("doctor")
    assert not (tmp_path / "data" / KEY_FILE).exists()
