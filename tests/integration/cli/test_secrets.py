"""No password, user name, query or webhook's path is ever shown, and an odd address is a sentence, never a trace."""

from __future__ import annotations

import asyncio
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from carrete import webhook
from carrete.addresses import redact, without_secrets
from carrete.settings import Settings
from tests.integration.cli.conftest import Carrete, CommandResult
from tests.integration.cli.test_workbook_files import a_workbook
from tests.support.gated import until

SECRET = "S3cr3t"

ODD_POSTGRES = [
    f"postgresql://juan:{SECRET}@127.0.0.1:abc/db",
    f"postgresql://juan:{SECRET}@127.0.0.1:99999/db",
    f"postgresql://juan:{SECRET}@127.0.0.1:0/db",
    f"postgresql://juan:{SECRET}@127.0.0.1:-1/db",
    f"postgresql://juan:{SECRET}@127.0.0.1:1,127.0.0.2:x/db",
    f"postgresql://juan:x@{SECRET}@127.0.0.1:1/db",
    f"postgresql://juan:x/{SECRET}@127.0.0.1:1/db",
    f"postgresql://juan:12/{SECRET}@127.0.0.1:1/db",
    f"postgresql://juan:x%zz{SECRET}@127.0.0.1:1/db",
    f"postgresql://juan:{SECRET}%00@127.0.0.1:1/db",
    f"postgresql://juan:{SECRET}@[::1/db",
    f"postgresql://juan:{SECRET}\t@127.0.0.1:1/db",
    f"postgresql://juan:{SECRET}\udcff@127.0.0.1:1/db",
    f"postgresql://juan:{SECRET}@127.0.0.1:1/db?nosuch=1",
    f"postgresql://127.0.0.1:1/db?password={SECRET}&nosuch=1",
    f"postgresql://127.0.0.1:1/db?{SECRET}",
    f"host=127.0.0.1 port=1 dbname=db password={SECRET}",
    f"mysql://juan:{SECRET}@host/db",
    f"postgresql//juan:{SECRET}@host/db",
    SECRET,
]
UNREACHABLE_POSTGRES = [
    f"postgresql://juan:{SECRET}@127.0.0.1:1/db",
    f"postgresql://juan:{SECRET}%40%2F%3F%23%25@127.0.0.1:1/db",
    f"postgresql://juan:x#{SECRET}@127.0.0.1:1/db",
    f"postgresql://juan:x:{SECRET}@127.0.0.1:1/db",
    f"postgresql://juan@127.0.0.1:1/db?password={SECRET}",
    f"postgresql:///db?host=127.0.0.1&port=1&password={SECRET}",
    f"postgresql://juan:{SECRET}@[::1]:1/db",
    f"postgresql://{SECRET}:{SECRET}@no.such.host.invalid/db",
]
ODD_REDIS = [
    f"redis://juan:{SECRET}@127.0.0.1:abc/0",
    f"redis://juan:{SECRET}@127.0.0.1:99999/0",
    f"redis://juan:{SECRET}@127.0.0.1:0/0",
    f"redis://juan:x/{SECRET}@127.0.0.1:1/0",
    f"redis://juan:x?{SECRET}@127.0.0.1:1/0",
    f"redis://juan:x#{SECRET}@127.0.0.1:1/0",
    f"redis://juan?{SECRET}@127.0.0.1:1/0",
    f"redis://juan:{SECRET}@[::1/0",
    f"redis://juan:{SECRET}@127.0.0.1:1/0?nosuch=1",
    f"redis://juan:{SECRET}@127.0.0.1:1/0?socket_timeout={SECRET}",
    f"redis://juan:{SECRET}\n@127.0.0.1:1/0",
    f"rediss://juan:{SECRET}@ho\u2100st/0",
    f"sentinel://juan:{SECRET}@127.0.0.1:abc/shop",
    f"sentinel://juan:x/{SECRET}@127.0.0.1:1/shop",
    f"sentinel://juan:{SECRET}@127.0.0.1:1/shop?password={SECRET}",
    f"http://juan:{SECRET}@host",
    f"juan:{SECRET}@host:6379",
    SECRET,
]
UNREACHABLE_REDIS = [
    f"redis://juan:{SECRET}@127.0.0.1:1/0",
    f"redis://juan:x@{SECRET}@127.0.0.1:1/0",
    f"redis://:{SECRET}%40%2F@[::1]:1/0",
    f"valkey://127.0.0.1:1/0?password={SECRET}",
    f"unix:///no/such/redis.sock?password={SECRET}",
    f"sentinel://juan:{SECRET}@127.0.0.1:1/shop?sentinel_password={SECRET}",
]
ODD_WEB = [
    f"https://juan:{SECRET}@host:abc/x",
    f"https://host:99999/{SECRET}",
    f"https://[::1/{SECRET}",
    f"https://ho\u2100st/{SECRET}",
    f"https:///{SECRET}",
    f"htps://hooks.example/services/{SECRET}",
    f"hooks.example/services/{SECRET}",
    f"https://hooks.example/services/{SECRET} \n",
    SECRET,
]


def in_one_sentence(result: CommandResult) -> None:
    assert SECRET not in result.out + result.err
    assert result.exit_code == 1, result
    assert len(result.sentence) < 500


def no_secret(result: CommandResult) -> None:
    assert SECRET not in result.out + result.err
    assert "Traceback" not in result.out + result.err
    assert result.exit_code == 1, result


@pytest.fixture
def commands(tmp_path: Path) -> list[tuple[object, ...]]:
    workbook = a_workbook(tmp_path / "in.xlsx", [("A-1", "OT-1", "", "", "")])
    return [
        ("serve", "--port", "0"),
        ("import", workbook),
        ("export", tmp_path / "out.xlsx"),
        ("worker", "list"),
        ("backup", tmp_path / "copy.db"),
        ("sync", "--once"),
    ]


@pytest.mark.parametrize("url", ODD_POSTGRES)
def test_an_odd_address_of_postgresql_is_one_sentence_for_every_command(
    carrete: Carrete, url: str, commands: list[tuple[object, ...]], tmp_path: Path
) -> None:
    here = {"CARRETE_DATA": str(tmp_path / "data"), "GOOGLE_SHEET_ID": "x", "DATABASE_URL": url}
    for command in (*commands, ("doctor",)):
        result = carrete(*command, **here)
        in_one_sentence(result)
        assert "DATABASE_URL" in result.sentence
    assert not (tmp_path / "data").exists(), "nothing was begun"


@pytest.mark.parametrize("url", UNREACHABLE_POSTGRES)
def test_a_postgresql_that_cannot_be_reached_is_reported_without_its_password(
    carrete: Carrete, url: str, commands: list[tuple[object, ...]], tmp_path: Path
) -> None:
    here = {"CARRETE_DATA": str(tmp_path / "data"), "GOOGLE_SHEET_ID": "x", "DATABASE_URL": url}
    for command in commands:
        if command[0] != "serve":  # it says first that there is no key for Google
            in_one_sentence(carrete(*command, **here))
    in_one_sentence(carrete("serve", "--port", "0", **{**here, "GOOGLE_SHEET_ID": ""}))
    no_secret(carrete("doctor", **here))


@pytest.mark.parametrize("url", ODD_REDIS)
def test_an_odd_address_of_redis_is_one_sentence_for_every_command(
    carrete: Carrete, url: str, commands: list[tuple[object, ...]], tmp_path: Path
) -> None:
    for command in (*commands, ("doctor",)):
        result = carrete(*command, CARRETE_DATA=str(tmp_path / "data"), REDIS_URL=url)
        in_one_sentence(result)
        assert "REDIS_URL" in result.sentence


@pytest.mark.parametrize("url", UNREACHABLE_REDIS)
def test_the_doctor_says_that_redis_is_away_without_its_password(carrete: Carrete, url: str, tmp_path: Path) -> None:
    no_secret(carrete("doctor", CARRETE_DATA=str(tmp_path), REDIS_URL=url))


@pytest.mark.parametrize("name", ["CARRETE_CONFLICT_WEBHOOK", "CARRETE_SHEETS_URL"])
@pytest.mark.parametrize("url", ODD_WEB)
def test_an_odd_web_address_is_one_sentence(carrete: Carrete, name: str, url: str, tmp_path: Path) -> None:
    for command in (("serve", "--port", "0"), ("doctor",), ("worker", "list")):
        result = carrete(*command, **{"CARRETE_DATA": str(tmp_path), name: url})
        in_one_sentence(result)
        assert name in result.sentence


def test_a_key_given_instead_of_its_file_is_not_shown(carrete: Carrete, tmp_path: Path) -> None:
    given = {"GOOGLE_SHEET_ID": "x", "GOOGLE_APPLICATION_CREDENTIALS": '{"private_key": "' + SECRET * 1000 + '"}'}
    for command in (("serve", "--port", "0"), ("sync", "--once"), ("doctor",)):
        no_secret(carrete(*command, CARRETE_DATA=str(tmp_path), **given))


@pytest.mark.parametrize(
    ("address", "as_shown"),
    [
        ("", ""),
        ("embedded", "embedded"),
        ("off", "off"),
        ("sqlite:////var/lib/carrete/carrete.db", "sqlite:////var/lib/carrete/carrete.db"),
        (f"postgresql://juan:{SECRET}@db1:5432,db2/carrete?password={SECRET}", "postgresql://db1:5432,db2/carrete"),
        (f"postgresql:///carrete?password={SECRET}", "postgresql:///carrete"),
        (f"redis://:{SECRET}@[fd00::1]:6379/0", "redis://[fd00::1]:6379/0"),
        (f"redis://:x@{SECRET}@host/0", "redis://host/0"),
        (f"redis://juan:{SECRET}", "redis://***"),
        (f"redis://juan:x/{SECRET}@host/0", "redis://***"),
        (f"redis://juan:x?{SECRET}@host/0", "redis://***"),
        (f"sentinel://:{SECRET}@a:1,b:2/shop?sentinel_password={SECRET}", "sentinel://a:1,b:2/shop"),
        (f"https://hooks.slack.example/services/T0/{SECRET}?x={SECRET}", "https://hooks.slack.example"),
        (f"https://api.telegram.example:443/bot1:{SECRET}/send", "https://api.telegram.example:443"),
        (f"host=db password={SECRET}", "***"),
        (SECRET, "***"),
    ],
)
def test_an_address_as_it_may_be_shown(address: str, as_shown: str) -> None:
    assert without_secrets(address) == as_shown


@pytest.mark.parametrize("address", [*UNREACHABLE_POSTGRES, *UNREACHABLE_REDIS, *ODD_POSTGRES[:8], *ODD_REDIS[:8]])
def test_a_text_that_quotes_an_address_or_a_piece_of_it_loses_the_secret(address: str) -> None:
    text = f'could not translate host name "{SECRET}@127.0.0.1" of {address} to address'
    assert SECRET not in redact(text, address)


def test_settings_do_not_show_their_secrets() -> None:
    configured = Settings(
        access="open",
        database_url=f"postgresql://juan:{SECRET}@h/db",
        redis_url=f"redis://:{SECRET}@h/0",
        conflict_webhook=f"https://h/{SECRET}",
        sheets_url=f"http://juan:{SECRET}@h",
    )
    assert SECRET not in repr(configured)
    assert SECRET not in str(configured)


class _Refusing(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.send_response(404)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def refusing() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Refusing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_webhook_that_fails_is_logged_by_its_host_alone(refusing: str) -> None:
    for host in (refusing, "127.0.0.1:1", "no.such.host.invalid"):
        url = f"http://juan:{SECRET}@{host}/services/T0/{SECRET}{SECRET}?token={SECRET}"
        with capture_logs() as logged:
            asyncio.run(_run_until_it_failed(webhook.Webhook(url, tries_max=1)))
        (line,) = logged
        assert SECRET not in str(line)
        assert line["to"] == f"http://{host}"
        assert line["log_level"] == "warning"


async def _run_until_it_failed(hook: webhook.Webhook) -> None:
    hook.enqueue({"code": "SPOOL_OCCUPIED"})
    sending = asyncio.create_task(hook.run())
    await until(lambda: hook.failed > 0, 10.0)
    sending.cancel()
