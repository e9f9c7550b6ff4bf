"""`carrete serve` with HTTPS as a process, on a loopback address: local authority, or a certificate of one's own."""

from __future__ import annotations

import re
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from cryptography import x509

from carrete.api.server.invitation import qr_code
from carrete.ledger import open_database
from carrete.tls.authority import fingerprint, read_authority_certificate
from carrete.tls.certificate import read_certificate
from carrete.tls.files import tls_folder
from tests.conftest import migrated
from tests.integration.cli.test_serving import in_a_terminal
from tests.support.builders import TAG, a_spool, put
from tests.support.lan import HOST, lan_server
from tests.support.local import LOCAL
from tests.support.people import CREW
from tests.support.server import RunningServer, clean_environment, running_server
from tests.support.tablet import Tablet
from tests.support.tls import own_certificate, trusting

TAKEN_UP_S_MAX = 60.0
NAME = "carrete.empresa.cl"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def database_url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'carrete.db'}"
    migrated(url)
    database = open_database(url)
    put(database, [a_spool(TAG)], CREW)
    database.close()
    return url


def eventually(true: Callable[[], bool]) -> None:
    until = time.monotonic() + TAKEN_UP_S_MAX
    while not true():
        assert time.monotonic() < until, f"not within {TAKEN_UP_S_MAX} s"
        time.sleep(0.05)


def shown_by(server: RunningServer) -> str:
    """The fingerprint of the certificate in a new handshake, whoever signed it."""
    address = urlsplit(server.url)
    assert address.hostname is not None
    assert address.port is not None
    pem = ssl.get_server_certificate((address.hostname, address.port), timeout=10)
    return fingerprint(x509.load_pem_x509_certificate(pem.encode()))


def run(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = clean_environment(CARRETE_DATA=str(data), CARRETE_MDNS="off")
    command = [sys.executable, "-m", "carrete", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=data, timeout=60)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_tablet_that_trusts_the_authority_takes_a_spool_and_one_that_does_not_is_warned(
    workers: str, database_url: str, data: Path
) -> None:
    with lan_server(database_url, data, "--workers", workers) as lan:
        assert lan.url.startswith(f"https://{HOST}:")
        with lan.client() as client:
            assert Tablet(client.request).tap("TOMAR").status_code == 200
            assert "strict-transport-security" not in client.get("/").headers
        for context in (trusting(None), ssl.create_default_context()):
            with lan.client(verify=context) as stranger, pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY"):
                stranger.get("/api/health")
        assert lan.server.terminate() < 10
        assert "Traceback" not in lan.server.complaints
        assert "ERROR" not in lan.server.complaints


def test_the_terminal_shows_the_fingerprint_that_the_page_shows(database_url: str, data: Path) -> None:
    with lan_server(database_url, data) as lan:
        (shown,) = re.findall(r"(?:[0-9A-F]{2}:){31}[0-9A-F]{2}", lan.server.output)
        assert shown == fingerprint(read_authority_certificate(lan.folder))
        assert f"{lan.page_url}\n" in lan.server.output
        page = httpx.get(lan.page_url, **LOCAL)
        assert shown in page.text.replace("</span> <span>", ":")
        assert f'href="{lan.url}/"' in page.text
        assert httpx.get(f"{lan.page_url}/api/health", **LOCAL).status_code == 404


def test_a_terminal_shows_both_addresses_as_codes_too(data: Path) -> None:
    """Nobody types with gloves on. The first is the page that helps, the second is Carrete."""
    command = [sys.executable, "-m", "carrete", "serve", "--lan", "--host", HOST, "--port", "0", "--http-port", "0"]
    settings = clean_environment(CARRETE_DATA=str(data), CARRETE_MDNS="off", PYTHONIOENCODING="utf-8")
    shown = in_a_terminal(command, settings, until=b"Carrete listens on").replace("\r\n", "\n")
    addresses = re.findall(rf"(https?://{HOST}:\d+)$", shown.partition("Carrete listens on")[0], re.MULTILINE)
    assert [address.partition(":")[0] for address in addresses] == ["http", "https"]
    assert all(qr_code(address, "utf-8") in shown for address in addresses)


def test_a_plain_port_in_use_is_a_sentence_that_names_its_option(data: Path) -> None:
    with socket.create_server((HOST, 0)) as taken:
        port = str(taken.getsockname()[1])
        ran = run(data, "serve", "--lan", "--host", HOST, "--port", "0", "--http-port", port)
    assert ran.returncode == 1
    assert f"{HOST}:{port} is in use by another program; choose another with --http-port." in " ".join(
        ran.stderr.split()
    )


def test_a_renewed_certificate_is_shown_by_every_process_and_no_open_connection_ends(
    database_url: str, data: Path
) -> None:
    with lan_server(database_url, data, "--workers", "2") as lan:
        files = lan.served.files
        with lan.client() as kept:
            assert kept.get("/api/health").status_code == 200
            files.certificate.unlink()  # as if its end had come: the keeper makes a new one
            eventually(files.certificate.exists)
            renewed = fingerprint(read_certificate(files.certificate))
            eventually(lambda: all(shown_by(lan.server) == renewed for _ in range(20)))
            assert kept.get("/api/health").status_code == 200
            assert Tablet(kept.request).tap("TOMAR").status_code == 200


def test_everything_that_is_kept_for_https_belongs_to_this_user_alone(database_url: str, data: Path) -> None:
    with lan_server(database_url, data) as lan:
        assert lan.folder.stat().st_mode & 0o077 == 0
        assert [path.name for path in lan.folder.iterdir() if path.stat().st_mode & 0o077] == []


# ─── a certificate of one's own ───────────────────────────────────────────────────────────────────────────────


def test_a_certificate_of_ones_own_is_served_with_hsts_and_taken_up_when_its_files_change(
    database_url: str, data: Path, tmp_path: Path
) -> None:
    certificate, key = own_certificate(tmp_path, NAME)
    options = ("--tls-cert", str(certificate), "--tls-key", str(key), "--host", HOST, "--http-port", "0")
    settings = {"CARRETE_HOSTS": NAME}
    with running_server(database_url, data, *options, settings=settings) as server, server.client() as client:
        for path in ("/", "/api/health", "/api/spools/nobody", "/nothing.js"):
            assert client.get(path).headers["strict-transport-security"] == "max-age=31536000", path
        assert shown_by(server) == fingerprint(read_certificate(certificate))
        own_certificate(tmp_path, NAME, kind="rsa")
        eventually(lambda: shown_by(server) == fingerprint(read_certificate(certificate)))
        assert client.get("/api/health").status_code == 200
        assert "fingerprint" not in server.output, "there is nothing to install"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--tls-cert", "cert.pem"), "--tls-cert and --tls-key belong together"),
        (("--tls-cert", "none.pem", "--tls-key", "key.pem"), "none.pem cannot be read: No such file"),
        (("--tls-cert", "cert.pem", "--tls-key", "cert.pem"), "it is no private key in PEM form"),
        (("--lan", "--behind-proxy", "10.0.0.1"), "the proxy has the certificate"),
        (("--http-port", "8080"), "without HTTPS there is no second port"),
        (("--host", "0.0.0.0"), "Use --lan, or put a proxy with HTTPS in front"),
    ],
)
def test_options_that_do_not_go_together_are_one_sentence(options: tuple[str, ...], sentence: str, data: Path) -> None:
    own_certificate(data, NAME)
    environment = clean_environment(CARRETE_DATA=str(data), CARRETE_MDNS="off", CARRETE_ACCESS="pin")
    command = [sys.executable, "-m", "carrete", "serve", "--port", "0", *options]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=data, timeout=60)
    assert ran.returncode == 1
    assert sentence in " ".join(ran.stderr.split())
    assert "Traceback" not in ran.stderr


def test_a_lost_key_of_the_authority_stops_the_start_with_a_sentence(database_url: str, data: Path) -> None:
    with lan_server(database_url, data) as lan:
        authority = read_authority_certificate(lan.folder)
    (tls_folder(data) / "authority.key").unlink()
    ran = run(data, "serve", "--lan", "--host", HOST, "--port", "0", "--http-port", "0")
    assert ran.returncode == 1
    assert "authority.key is missing. Put it back from the backup of the keys" in " ".join(ran.stderr.split())
    assert read_authority_certificate(tls_folder(data)) == authority


# ─── doctor ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_doctor_looks_at_authority_certificate_and_ports(database_url: str, data: Path) -> None:
    before = run(data, "doctor").stdout
    assert "HTTPS: not served by Carrete itself" in before
    with lan_server(database_url, data) as lan:
        running = " ".join(run(data, "doctor").stdout.split())
        assert f"local authority until {read_authority_certificate(lan.folder).not_valid_after_utc:%Y-%m-%d}" in running
        assert f"port {lan.served.port} answers with it" in running
        assert "multicast DNS: off" in running
        assert "BAD HTTPS" not in running
    stopped = " ".join(run(data, "doctor").stdout.split())
    assert "HTTPS: nobody answers on port" in stopped
    (tls_folder(data) / "authority.key").write_text("nothing")
    broken = run(data, "doctor")
    assert broken.returncode == 1
    assert "authority.key cannot be read" in " ".join(broken.stdout.split())
