"""The file `carrete.toml` beside the data: the environment wins, then `.env`; a mistake in it is a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from carrete import env_file, settings
from carrete.settings import WrongSetting
from tests.integration.cli.conftest import Carrete
from tests.support.server import clean_environment


@pytest.fixture
def toml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file, in the data folder of a working directory without any setting in the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(env_file, "NAME", ".env")
    for name in (*clean_environment(), "CARRETE_TIMEZONE", "CARRETE_ARM_ONLY_TYPES"):
        if name.startswith(("CARRETE_", "GOOGLE_", "REDIS_", "DATABASE_")):
            monkeypatch.delenv(name, raising=False)
    (tmp_path / "data").mkdir(mode=0o700)
    (file := tmp_path / "data" / "carrete.toml").touch(0o600)
    return file


def test_settings_are_read_from_it_under_the_names_of_the_environment(toml: Path) -> None:
    toml.write_text(
        "# this machine\n"
        'DATABASE_URL = "postgresql://carrete@db.taller/carrete"\n'
        "REDIS_MAX_CONNECTIONS = 7\n"
        'CARRETE_HOSTS = ["carrete.taller.cl", "192.168.1.20"]\n'
        'CARRETE_TIMEZONE = "Europe/Madrid"\n'
        'CARRETE_ARM_ONLY_TYPES = ["FW", "TAP"]\n'
        "CARRETE_MDNS = false\n"
    )
    found = settings.load()
    assert found.database_url == "postgresql://carrete@db.taller/carrete"
    assert (found.redis_max_connections, found.timezone, found.mdns) == (7, "Europe/Madrid", False)
    assert found.hosts == {"carrete.taller.cl", "192.168.1.20"}
    assert found.arm_only_types == {"FW", "TAP"}


def test_the_environment_wins_then_env_then_the_file(toml: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toml.write_text("CARRETE_IDLE_S = 1\nREDIS_MAX_CONNECTIONS = 1\nCARRETE_STREAMS_PER_ADDRESS = 1\n")
    Path(".env").touch(0o600)
    Path(".env").write_text("REDIS_MAX_CONNECTIONS=2\nCARRETE_STREAMS_PER_ADDRESS=2\n")
    monkeypatch.setenv("CARRETE_STREAMS_PER_ADDRESS", "3")
    found = settings.load()
    assert (found.idle_s, found.redis_max_connections, found.streams_per_address) == (1, 2, 3)


def test_it_is_the_file_of_the_data_folder_that_the_environment_or_env_names(
    toml: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toml.write_text("CARRETE_IDLE_S = 1\n")
    for number, folder in enumerate(("srv", "opt"), 2):
        (tmp_path / folder).mkdir(mode=0o700)
        (tmp_path / folder / "carrete.toml").write_text(f"CARRETE_IDLE_S = {number}\n")
    Path(".env").touch(0o600)
    Path(".env").write_text(f"CARRETE_DATA={tmp_path / 'srv'}\n")
    assert settings.load().idle_s == 2
    monkeypatch.setenv("CARRETE_DATA", str(tmp_path / "opt"))
    assert settings.load().idle_s == 3


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("CARRETE_IDEL_S = 60\n", "CARRETE_IDEL_S is no setting. Did you mean CARRETE_IDLE_S?"),
        ("carrete_idle_s = 60\n", "Did you mean CARRETE_IDLE_S?"),
        ("[redis]\nurl = 'x'\n", "redis is no setting."),
        ('CARRETE_DATA = "/srv/carrete"\n', "CARRETE_DATA belongs into the environment"),
        ("CARRETE_IDLE_S = 0\n", "CARRETE_IDLE_S=0:"),
        ("CARRETE_HOSTS = [1, 2]\n", "CARRETE_HOSTS must be a text"),
        ("CARRETE_IDLE_S = 1.5\n", "CARRETE_IDLE_S must be a text"),
        ('X = 1\nDATABASE_URL = "postgresql://u:s3cr3t@h/d\n', ", line 2:"),
        ("CARRETE_IDLE_S = 60\nCARRETE_IDLE_S = 61\n", "carrete.toml"),
        ("x" * 70_000, "larger than 64 kB"),
        ("\udcff", "no text in UTF-8"),
    ],
)
def test_a_mistake_in_it_is_one_sentence_that_shows_no_secret(toml: Path, text: str, hint: str) -> None:
    toml.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(WrongSetting) as wrong:
        settings.load()
    assert hint in str(wrong.value)
    assert "s3cr3t" not in str(wrong.value)


def test_a_file_that_others_could_have_written_is_refused(toml: Path) -> None:
    toml.write_text("CARRETE_IDLE_S = 60\n")
    toml.chmod(0o666)
    with pytest.raises(WrongSetting, match="chmod 600"):
        settings.load()


def test_what_it_fixes_the_page_and_the_command_cannot_change(carrete: Carrete, tmp_path: Path) -> None:
    (file := tmp_path / "carrete.toml").touch(0o600)
    file.write_text('CARRETE_TIMEZONE = "Europe/Lisbon"\n')
    result = carrete("setting", "set", "zona_horaria", "Europe/Madrid", CARRETE_DATA=str(tmp_path))
    assert result.exit_code == 1
    assert "fixed by CARRETE_TIMEZONE" in result.sentence
    listed = carrete("setting", "list", CARRETE_DATA=str(tmp_path))
    assert "Europe/Lisbon" in listed.out
