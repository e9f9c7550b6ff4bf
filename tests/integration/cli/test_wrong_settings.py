"""A wrong setting stops the start with one clear sentence: which one, what is wrong, what it may be."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from carrete.ledger import open_database
from carrete.ledger.migrate import migrate
from tests.integration.cli.conftest import Carrete
from tests.support.server import clean_environment

WRONG = [
    ("DATABASE_URL", "mysql://host/db", "postgresql://"),
    ("DATABASE_URL", "carrete.db", "sqlite:///"),
    ("DATABASE_URL", "postgresql://localhost/db?nosuch=1", "nosuch"),
    ("DATABASE_URL", "postgresql://localhost:1/db", "127.0.0.1"),
    ("DATABASE_URL", "sqlite:////dev/null/carrete.db", "/dev/null/carrete.db"),
    ("CARRETE_DATA", "/dev/null/data", "/dev/null/data"),
    ("CARRETE_TIMEZONE", "Marte/Olympus", "America/Santiago"),
    ("CARRETE_TIMEZONE", "America", "America/Santiago"),
    ("CARRETE_TIMEZONE", "", "America/Santiago"),
    ("REDIS_URL", "localhost:6379", "embedded"),
    ("REDIS_URL", "sentinel://host:26379", "name-of-the-master"),
    ("REDIS_URL", "sentinel://:secreto@host:puerto/taller", "name-of-the-master"),
    ("REDIS_URL", "sentinel://host,/taller", "name-of-the-master"),
    ("REDIS_URL", "sentinel://host/taller/x", "name-of-the-master"),
    ("REDIS_URL", "sentinel://host/taller?db=1", "name-of-the-master"),
    ("REDIS_MAX_CONNECTIONS", "muchas", "REDIS_MAX_CONNECTIONS"),
    ("REDIS_MAX_CONNECTIONS", "0", "REDIS_MAX_CONNECTIONS"),
    ("CARRETE_HOSTS", "carrete.taller.cl:8000", "without port"),
    ("CARRETE_HOSTS", "https://carrete.taller.cl", "without port"),
    ("CARRETE_HOSTS", "carrete.taller.cl, *", "without port"),
    ("CARRETE_HOSTS", "-carrete..cl", "without port"),
    ("CARRETE_STREAMS_PER_ADDRESS", "0", "CARRETE_STREAMS_PER_ADDRESS"),
    ("CARRETE_STREAMS_PER_ADDRESS", "muchos", "CARRETE_STREAMS_PER_ADDRESS"),
]


@pytest.mark.parametrize(("name", "value", "hint"), WRONG)
def test_a_wrong_setting_is_one_clear_sentence(
    carrete: Carrete, name: str, value: str, hint: str, tmp_path: Path
) -> None:
    for command in (("serve", "--port", "0"), ("worker", "list"), ("export", tmp_path / "x.xlsx")):
        result = carrete(*command, **{"CARRETE_DATA": str(tmp_path), name: value})
        assert result.exit_code == 1
        assert hint in result.sentence
        assert name in result.sentence or "ledger" in result.sentence


def test_a_password_in_a_wrong_address_is_not_shown(carrete: Carrete) -> None:
    assert "secreto" not in carrete("worker", "list", DATABASE_URL="mysql://juan:secreto@host/db").sentence


def test_a_file_that_is_no_ledger_is_one_sentence(carrete: Carrete, tmp_path: Path) -> None:
    (tmp_path / "carrete.db").write_text("hola\n" * 1000)
    result = carrete("worker", "list", CARRETE_DATA=str(tmp_path))
    assert (result.exit_code, "not a database" in result.sentence) == (1, True)


def test_a_newer_ledger_is_not_touched(carrete: Carrete, tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'carrete.db'}")
    migrate(database)
    with database.writing() as tx:
        tx.run("schema_record", version=9_999, applied_at="2030-01-01T00:00:00+00:00")
    database.close()
    result = carrete("serve", "--port", "0", CARRETE_DATA=str(tmp_path))
    assert result.exit_code == 1
    assert "9999" in result.sentence
    assert "newer" in result.sentence


def test_a_port_in_use_or_an_unknown_host_is_one_sentence(carrete: Carrete, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = carrete("serve", "--port", port, CARRETE_DATA=str(tmp_path))
    assert result.exit_code == 1
    assert f"127.0.0.1:{port} is in use by another program" in result.sentence
    assert "--port" in result.sentence
    result = carrete("serve", "--host", "no.such.host.invalid", "--port", "0", CARRETE_DATA=str(tmp_path))
    assert (result.exit_code, "no.such.host.invalid" in result.sentence) == (1, True)


@pytest.mark.parametrize("proxy", ["nginx", "10.0.0.300", "10.0.0.1/24", "*", "10.0.0.10:80"])
def test_a_proxy_that_is_no_address_is_one_sentence(carrete: Carrete, tmp_path: Path, proxy: str) -> None:
    result = carrete("serve", "--port", "0", "--behind-proxy", f"10.0.0.10,{proxy}", CARRETE_DATA=str(tmp_path))
    assert result.exit_code == 1
    assert "--behind-proxy" in result.sentence
    assert proxy in result.sentence
    assert "10.0.0.10" in result.sentence


def test_the_real_command_ends_the_same_way(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "carrete", "serve"],
        env=clean_environment(CARRETE_TIMEZONE="Marte/Olympus", CARRETE_DATA=str(tmp_path)),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    sentence = "carrete: CARRETE_TIMEZONE=Marte/Olympus: must be a time zone such as America/Santiago."
    assert ended.stderr.split() == sentence.split()
    assert list(tmp_path.iterdir()) == []
