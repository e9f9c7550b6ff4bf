"""`carrete worker`, `backup` and `doctor`."""

from __future__ import annotations

import shutil
from pathlib import Path

from carrete.ledger import open_database, queries
from carrete.ledger.database import Database
from tests.integration.cli.conftest import Carrete
from tests.support.builders import TAG, a_spool, held, put
from tests.support.people import CREW, MR
from tests.support.server import running_server


def test_people_are_added_listed_given_roles_and_deactivated(
    carrete: Carrete, database: Database, database_url: str
) -> None:
    def worker(*arguments: object) -> str:
        result = carrete("worker", *arguments, DATABASE_URL=database_url)
        assert (result.exit_code, result.err) == (0, "")
        return result.out

    assert worker("add", 93, "Mauricio", "Rodríguez", "--rol", "Armador", "--rol", "Soldador") == "MR(93) added."
    worker("add", 7, "Luis", "Pérez")
    listed = worker("list")
    assert "MR(93)" in listed
    assert "Armador, Soldador" in listed
    assert "LP(7)" in listed
    assert worker("roles", 93, "--rol", "Metrologia") == "MR(93): Metrologia."
    with database.reading() as tx:
        person = queries.worker(tx, 93)
    assert person is not None
    assert person.roles == {"Metrologia"}
    assert worker("roles", 93) == "MR(93): no roles."
    assert worker("deactivate", 93) == "MR(93) is inactive now."
    assert "MR(93)" not in worker("list")
    assert "LP(7)" in worker("list")


def test_what_cannot_be_done_with_people_is_one_sentence(carrete: Carrete, tmp_path: Path) -> None:
    here = {"CARRETE_DATA": str(tmp_path)}
    carrete("worker", "add", 5, "Ana", "Soto", **here)
    for command, complaint in (
        (("add", 5, "Otra", "Persona"), "Worker 5 exists already."),
        (("roles", 6, "--rol", "Armador"), "There is no worker 6."),
        (("deactivate", 6), "There is no worker 6."),
    ):
        result = carrete("worker", *command, **here)
        assert (result.exit_code, result.sentence) == (1, f"carrete: {complaint}")
    for mistyped in (("add", 0, "A", "B"), ("add", "x", "A", "B"), ("add", 8, "A", "B", "--rol", "Pintor"), ("add", 8)):
        result = carrete("worker", *mistyped, **here)
        assert result.exit_code == 2
        assert "Traceback" not in result.err
    assert "Otra" not in carrete("worker", "list", **here).out


def test_a_name_is_shown_as_it_is_and_what_is_no_text_is_no_name(carrete: Carrete, tmp_path: Path) -> None:
    here = {"CARRETE_DATA": str(tmp_path)}
    for number, nombre in enumerate(("[/b]", "[red]Ana", "😀 =1+1", "Ñandú"), 1):
        assert carrete("worker", "add", number, nombre, "]", **here).exit_code == 0
        assert nombre in carrete("worker", "list", **here).out
    for nombre in ("A\nB\x1b[0m", "A\x00", "\udcff"):  # the last is how a byte that is no UTF-8 arrives here
        result = carrete("worker", "add", 9, nombre, "Soto", **here)
        assert (result.exit_code, result.sentence) == (1, "carrete: A name cannot have control characters.")


def test_a_person_without_a_name_cannot_have_a_label(carrete: Carrete, tmp_path: Path) -> None:
    for names in (("", ""), ("Ana", ""), ("  ", "Soto")):
        assert carrete("worker", "add", 8, *names, CARRETE_DATA=str(tmp_path)).exit_code != 0


def test_a_backup_taken_while_running_has_every_acknowledged_action(carrete: Carrete, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'carrete.db'}"
    target = tmp_path / "copies" / "monday.db"
    target.parent.mkdir()
    with running_server(url, tmp_path) as server, server.tablet() as tablet:
        database = open_database(url)
        put(database, [a_spool(), held(a_spool("H"), MR)], CREW)
        assert tablet.tap("TOMAR").status_code == 200
        result = carrete("backup", target, DATABASE_URL=url, CARRETE_DATA=str(tmp_path))
        assert (result.exit_code, result.err) == (0, "")
        assert str(target) in result.out
        assert tablet.tap("PAUSAR").status_code == 200
        database.close()
    assert sorted(file.name for file in target.parent.iterdir()) == ["monday.db", "monday.db.json"]
    copy = open_database(f"sqlite:///{target}")
    with copy.reading() as tx:
        spool = queries.spool(tx, TAG)
        assert spool is not None
        assert spool.occupation is not None
        assert [event.accion for event in queries.trail_page(tx, TAG, 0, 100, 100)] == ["TOMAR"]
        assert queries.spool(tx, "H") is not None
    copy.close()


def test_a_backup_overwrites_nothing(carrete: Carrete, tmp_path: Path) -> None:
    (target := tmp_path / "copy.db").write_text("precious")
    result = carrete("backup", target, CARRETE_DATA=str(tmp_path))
    assert (result.exit_code, "exists already" in result.sentence) == (1, True)
    assert target.read_text() == "precious"


def test_a_backup_into_a_folder_that_is_not_there_is_one_sentence(carrete: Carrete, tmp_path: Path) -> None:
    result = carrete("backup", tmp_path / "nowhere" / "copy.db", CARRETE_DATA=str(tmp_path))
    assert result.exit_code == 1
    assert "nowhere" in result.sentence


def test_the_doctor_finds_a_healthy_shop_healthy(
    carrete: Carrete, database: Database, database_url: str, tmp_path: Path
) -> None:
    put(database, [a_spool("A"), a_spool("B")])
    result = carrete("doctor", DATABASE_URL=database_url, CARRETE_DATA=str(tmp_path))
    assert result.exit_code == 0
    assert f"ok    ledger ({database.engine}): reachable, 2 spools" in result.out
    assert "times are America/Santiago" in result.out
    assert "BAD" not in result.out
    assert "identity: none with these settings (CARRETE_ACCESS=open), whoever reaches the address" in result.out
    assert "Redis" in result.out
    assert "workbook" in result.out


def test_the_doctor_says_what_is_wrong_and_what_to_do(carrete: Carrete, tmp_path: Path) -> None:
    here = {"CARRETE_DATA": str(tmp_path)}
    for settings, what, advice in (
        ({"DATABASE_URL": "postgresql://localhost:1/x"}, "ledger: ", "DATABASE_URL"),
        ({"DATABASE_URL": "sqlite:////dev/null/x.db"}, "ledger: ", "DATABASE_URL"),
        ({"CARRETE_DATA": "/dev/null/x"}, "ledger: ", "data folder"),
        ({"GOOGLE_SHEET_ID": "x"}, "workbook: ", "JSON key"),
    ):
        result = carrete("doctor", **{**here, **settings})
        assert result.exit_code == 1
        bad = [line for line in result.out.splitlines() if line.startswith("BAD")]
        assert any(what in line for line in bad), result.out
        assert advice in result.out


def test_the_doctor_answers_a_wrong_setting_too(carrete: Carrete, tmp_path: Path) -> None:
    for name, value in (("CARRETE_TIMEZONE", "Marte"), ("DATABASE_URL", "postgresql://localhost/x?nosuch=1")):
        result = carrete("doctor", **{"CARRETE_DATA": str(tmp_path), name: value})
        assert result.exit_code == 1
        assert "Traceback" not in result.out + result.err


def test_the_doctor_never_shows_the_password_of_redis(carrete: Carrete, tmp_path: Path) -> None:
    result = carrete("doctor", CARRETE_DATA=str(tmp_path), REDIS_URL="redis://juan:secreto@host:6379/0")
    assert "secreto" not in result.out
    assert "host:6379" in result.out


def test_the_disk_is_looked_at(carrete: Carrete, tmp_path: Path) -> None:
    free = shutil.disk_usage(tmp_path).free // 1024**2
    result = carrete("doctor", CARRETE_DATA=str(tmp_path)).out
    (line,) = [line for line in result.splitlines() if "data folder" in line]
    assert abs(int(line.split()[-3]) - free) < 2_000
