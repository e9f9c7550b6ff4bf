"""The file `.env` of the working directory: the environment wins, and a line that cannot be read is a sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from carrete import env_file, settings
from carrete.settings import WrongSetting
from tests.integration.cli.conftest import Carrete
from tests.support.server import clean_environment


@pytest.fixture
def dotenv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file, in a working directory of its own, without any setting in the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(env_file, "NAME", ".env")
    for name in clean_environment():
        if name.startswith(("CARRETE_", "GOOGLE_", "REDIS_", "DATABASE_")):
            monkeypatch.delenv(name, raising=False)
    (file := tmp_path / ".env").touch(0o600)
    return file


def test_settings_are_read_from_it_as_people_write_them(dotenv: Path) -> None:
    dotenv.write_text(
        "\ufeff# the shop\n"
        "\n"
        "export CARRETE_TIMEZONE = Europe/Madrid   # there\n"
        "CARRETE_DATA='/srv/my shop'\n"
        'REDIS_URL="redis://:pa\\"ss${HOME}@127.0.0.1:1/0" # quoted\n'
        "DATABASE_URL=sqlite:///a#b.db\n"
        "CARRETE_ARM_ONLY_TYPES=FW,TAP\r\n"
        "REDIS_MAX_CONNECTIONS=7\n"
        "carrete_log_level=warning\n"
        "SOMEBODY_ELSES=x\n"
    )
    found = settings.load()
    assert (found.timezone, found.data) == ("Europe/Madrid", Path("/srv/my shop"))
    assert found.redis_url == 'redis://:pa"ss${HOME}@127.0.0.1:1/0'
    assert found.database_url == "sqlite:///a#b.db"
    assert found.arm_only_types == {"FW", "TAP"}
    assert (found.redis_max_connections, found.log_level) == (7, "WARNING")


def test_names_that_other_programs_use_are_not_ours(dotenv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"LOG_LEVEL": "trace", "HOSTS": "evil.example", "DATA": "/nowhere"}.items():
        monkeypatch.setenv(name, value)
    dotenv.write_text("TIMEZONE=Nowhere/Else\n")
    found = settings.load()
    assert (found.log_level, found.hosts, found.data, found.timezone) == (
        *("INFO", frozenset(), Path("data")),
        "America/Santiago",
    )


def test_the_environment_wins_also_when_its_value_is_empty(dotenv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dotenv.write_text("CARRETE_TIMEZONE=Europe/Madrid\nDATABASE_URL=postgresql://h/db\nREDIS_URL=off\n")
    monkeypatch.setenv("CARRETE_TIMEZONE", "America/Lima")
    monkeypatch.setenv("database_url", "")
    found = settings.load()
    assert (found.timezone, found.database_url, found.redis_url) == ("America/Lima", "", "off")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"CARRETE_DATA=x\nDATABASE_URL postgresql://juan:S3cr3t@h/db\n", "line 2"),
        (b'DATABASE_URL="postgresql://juan:S3cr3t@h/db\n', "line 1"),
        (b"DATABASE_URL='S3cr3t' S3cr3t\n", "line 1"),
        (b"=S3cr3t\n", "line 1"),
        (b"DATABASE_URL=S3cr3t\x00\n", "line 1"),
        (b"\xff\xfeS\x003\x00", "UTF-8"),
        (b"#" * 70_000, "64 kB"),
        (b"CARRETE_TIMEZONE=Marte\n", "CARRETE_TIMEZONE=Marte"),
        (b"DATABASE_URL=mysql://juan:S3cr3t@h/db\n", "DATABASE_URL=mysql://h"),
    ],
)
def test_what_cannot_be_read_is_one_sentence_without_the_line(dotenv: Path, content: bytes, reason: str) -> None:
    dotenv.write_bytes(content)
    with pytest.raises(WrongSetting, match=reason) as complaint:
        settings.load()
    assert "S3cr3t" not in str(complaint.value)


def test_a_missing_file_or_a_folder_of_that_name_is_ignored(dotenv: Path) -> None:
    dotenv.unlink()
    assert settings.load().log_level == "INFO"
    dotenv.mkdir()
    assert settings.load().log_level == "INFO"


def test_a_file_that_every_user_can_write_is_refused(dotenv: Path) -> None:
    dotenv.write_text("CARRETE_TIMEZONE=Europe/Madrid\n")
    dotenv.chmod(0o666)
    with pytest.raises(WrongSetting, match="every user"):
        settings.load()


def test_a_file_of_another_user_is_refused(dotenv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dotenv.write_text("CARRETE_TIMEZONE=Europe/Madrid\n")
    owner, root = 1_234, 0
    if os.geteuid() == root:
        os.chown(dotenv, owner, -1)
    monkeypatch.setattr(os, "geteuid", lambda: 4_321)
    with pytest.raises(WrongSetting, match="another user"):
        settings.load()


def test_a_key_of_another_program_may_have_several_lines(dotenv: Path) -> None:
    key = "-----BEGIN KEY-----\n" + "\n".join(f"c2V{n}==" for n in range(50)) + "\n-----END KEY-----"
    dotenv.write_text(
        f"export THEIRS=\"{key}\" # a key\nCARRETE_TIMEZONE=Europe/Madrid\nOTHER='{key}'\nREDIS_URL=off\n"
    )
    found = settings.load()
    assert (found.timezone, found.redis_url) == ("Europe/Madrid", "off")


def test_the_doctor_warns_of_a_password_that_others_can_read(carrete: Carrete, dotenv: Path) -> None:
    warning = "BAD   files: .env has a password and other users can read it"
    for content, mode, warned in (
        ("CARRETE_CONFLICT_WEBHOOK=http://127.0.0.1:1/services/T0/B0/abcdefgh\n", 0o644, True),
        ("CARRETE_CONFLICT_WEBHOOK=http://127.0.0.1:1/services/T0/B0/abcdefgh\n", 0o600, False),
        ("CARRETE_TIMEZONE=Europe/Madrid\n", 0o644, False),
    ):
        dotenv.write_text(content)
        dotenv.chmod(mode)
        result = carrete("doctor", CARRETE_DATA=str(dotenv.parent / "data"))
        assert (warning in result.out) == warned, result.out
        assert "abcdefgh" not in result.out


def test_the_real_command_reads_it(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"CARRETE_DATA={tmp_path / 'shop'}\n")
    environment = clean_environment()
    del environment["CARRETE_DATA"]
    command = [sys.executable, "-m", "carrete", "worker", "list"]
    ended = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "shop" / "carrete.db").exists()
