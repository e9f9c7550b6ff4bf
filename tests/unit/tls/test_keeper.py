"""The keeper of the certificate goes on whatever happens to its folder, and says so once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from carrete.settings import Settings
from carrete.tls import keeper as keeping
from carrete.tls import served
from carrete.tls.files import WrongCertificate, local_files, tls_folder
from carrete.tls.keeper import CertificateKeeper
from carrete.tls.served import Served

HOST = "127.0.0.2"
SOON_S_MAX = 30.0


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "LOOKED_AT_EVERY_S", 0.01)
    monkeypatch.setattr(keeping, "full_name", lambda: None)


@contextmanager
def running(data: Path) -> Iterator[CertificateKeeper]:
    files = local_files(tls_folder(data))
    as_served = Served(str(files.certificate), str(files.key), False, HOST, 8443)
    keeper = CertificateKeeper(Settings(data=data, mdns=False), as_served, None)
    keeper.start()
    try:
        yield keeper
    finally:
        keeper.stop()


def eventually(true: Callable[[], bool]) -> None:
    until = time.monotonic() + SOON_S_MAX
    while not true():
        assert time.monotonic() < until
        time.sleep(0.005)


def test_a_lost_certificate_is_made_anew(tmp_path: Path) -> None:
    certificate = local_files(tls_folder(tmp_path)).certificate
    with running(tmp_path):
        certificate.unlink()
        eventually(certificate.exists)


def test_the_file_that_says_how_the_server_serves_is_written_again_when_it_is_gone(tmp_path: Path) -> None:
    with running(tmp_path):
        found = served.read(tmp_path)
        assert found is not None
        assert (found.host, found.port, found.own) == (HOST, 8443, False)
        served.forget(tmp_path)
        eventually(lambda: served.read(tmp_path) is not None)


@pytest.mark.parametrize("error", [WrongCertificate("the disk is full"), OSError("no space"), ValueError("a mistake")])
def test_a_failure_is_logged_once_and_does_not_end_the_keeper(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    with capture_logs() as logs, running(tmp_path):

        def fail(*_: object) -> bool:
            calls.append(1)
            raise error

        with monkeypatch.context() as broken:
            broken.setattr(keeping, "renew_if_needed", fail)
            eventually(lambda: len(calls) >= 5)
        local_files(tls_folder(tmp_path)).certificate.unlink()
        eventually(local_files(tls_folder(tmp_path)).certificate.exists)
    warnings = [line for line in logs if "cannot be renewed" in line["event"]]
    assert [line["reason"] for line in warnings] == [str(error)]
