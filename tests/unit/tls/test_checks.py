"""The findings of `carrete doctor` about HTTPS. No server runs here: ports are tested elsewhere."""

from __future__ import annotations

import socket
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from carrete.findings import Finding, Severity
from carrete.settings import Settings
from carrete.tls import served
from carrete.tls.authority import KEY_FILE, load_or_make
from carrete.tls.certificate import renew_if_needed
from carrete.tls.checks import problems
from carrete.tls.files import local_files, tls_folder
from carrete.tls.names import certificate_names
from carrete.tls.served import Served
from carrete.tls.status import certificate_status, https_addresses
from tests.support.tls import NOW, own_certificate

HOST = "127.0.0.2"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine that served with `--lan` today and does not run now."""
    monkeypatch.setattr(socket, "gethostname", lambda: "taller")
    folder = tls_folder(tmp_path)
    names = certificate_names(HOST)
    renew_if_needed(folder, load_or_make(folder, names, NOW), names, NOW)
    files = local_files(folder)
    served.write(tmp_path, Served(str(files.certificate), str(files.key), False, HOST, unused_port()))
    return tmp_path


def unused_port() -> int:
    with socket.create_server((HOST, 0)) as free:
        return int(free.getsockname()[1])


def settings(data: Path, *hosts: str) -> Settings:
    return Settings(data=data, mdns=False, hosts=frozenset(hosts))


def findings(data: Path, now: datetime = NOW, *hosts: str) -> list[Finding]:
    return list(problems(settings(data, *hosts), now))


def bad(found: list[Finding]) -> list[str]:
    assert all(each.what.es and (each.to_do.es or not each.to_do.en) for each in found), "the page speaks Spanish"
    return [each.what.en for each in found if each.severity is Severity.BAD]


def test_a_machine_that_is_right_has_nothing_bad(data: Path) -> None:
    assert bad(findings(data)) == []
    assert [each.what.en for each in findings(data) if "nobody answers on port" in each.what.en]


@pytest.mark.parametrize(
    ("days", "sentence"),
    [
        (-30, "the local authority begins on"),
        (395, "not valid today"),
        (3_700, "the local authority ended on"),
    ],
)
def test_time_makes_certificates_bad(days: int, sentence: str, data: Path) -> None:
    assert any(sentence in each for each in bad(findings(data, NOW + timedelta(days=days))))


def test_the_last_year_of_an_authority_is_noticed_before_it_ends(data: Path) -> None:
    (authority,) = [each for each in findings(data, NOW + timedelta(days=3_400)) if "local authority" in each.what.en]
    assert authority.severity is Severity.NOTE
    assert "trust the new one on each device" in authority.to_do.en


def test_a_lost_key_is_bad(data: Path) -> None:
    (tls_folder(data) / KEY_FILE).unlink()
    assert any("authority.key is missing" in each for each in bad(findings(data)))


def test_a_name_that_the_certificate_lacks_is_bad_and_one_that_the_authority_excludes_is_named(data: Path) -> None:
    found = findings(data, NOW, "tablero.local", "carrete.empresa.cl")
    assert bad(found) == ["HTTPS: the certificate lacks tablero.local"]
    assert any("may not vouch for carrete.empresa.cl" in each.what.en for each in found)


@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: path.write_text("nothing")])
def test_a_certificate_of_ones_own_that_cannot_be_used_is_bad(spoil: Callable[[Path], object], tmp_path: Path) -> None:
    certificate, key = own_certificate(tmp_path, "carrete.empresa.cl", now=NOW)
    served.write(tmp_path, Served(str(certificate), str(key), True, HOST, unused_port()))
    assert bad(findings(tmp_path)) == []
    spoil(key)
    assert len(bad(findings(tmp_path))) == 1


def test_the_page_shows_the_certificate_and_where_to_open_the_server(data: Path) -> None:
    shown = certificate_status(settings(data))
    assert shown is not None
    assert shown["nombres"] == ["localhost", "taller", "taller.local", "127.0.0.1", HOST, "::1"]
    assert len(shown["huella"]) == len(shown["autoridad_huella"]) == 32 * 3 - 1
    addresses = https_addresses(settings(data))
    assert all(address.startswith("https://") for address in addresses)
    assert not any("localhost" in address for address in addresses)
    served.forget(data)
    assert certificate_status(settings(data)) is None
    assert https_addresses(settings(data)) == []
