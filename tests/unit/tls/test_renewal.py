"""The server's certificate is made anew in time, and taken up by a running server whole or not at all."""

from __future__ import annotations

import socket
from datetime import timedelta
from ipaddress import ip_address
from pathlib import Path
from threading import Event

import pytest
from structlog.testing import capture_logs

from carrete.tls import names
from carrete.tls.authority import Authority, fingerprint, load_or_make
from carrete.tls.certificate import (
    make_context,
    names_of,
    read_certificate,
    renew_if_needed,
)
from carrete.tls.files import CertificateFiles, WrongCertificate, local_files
from carrete.tls.names import CertificateNames, certificate_names
from carrete.tls.reload import ReloadingContext
from tests.support.tls import NOW, handshake, own_certificate, trusting

SHOP = CertificateNames(frozenset({"taller.local"}), frozenset({ip_address("192.168.1.20")}))
LONGEST = timedelta(days=397)  # Apple's and Google's limit


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return load_or_make(tmp_path, SHOP, NOW)


def made_at(folder: Path) -> tuple[str, CertificateNames]:
    certificate = read_certificate(local_files(folder).certificate)
    return fingerprint(certificate), names_of(certificate)


def test_a_certificate_is_made_anew_a_month_before_its_end(authority: Authority, tmp_path: Path) -> None:
    assert renew_if_needed(tmp_path, authority, SHOP, NOW)
    first = read_certificate(local_files(tmp_path).certificate)
    assert first.not_valid_after_utc - first.not_valid_before_utc < LONGEST
    assert first.not_valid_before_utc < NOW, "a tablet whose clock is behind must not refuse it"
    assert not renew_if_needed(tmp_path, authority, SHOP, NOW + timedelta(days=363))
    assert renew_if_needed(tmp_path, authority, SHOP, NOW + timedelta(days=365))


def test_a_new_address_makes_a_new_certificate_and_a_lost_one_does_not(authority: Authority, tmp_path: Path) -> None:
    """A tablet that opened the old address is not refused when the network comes back."""
    renew_if_needed(tmp_path, authority, SHOP, NOW)
    before = made_at(tmp_path)
    without = CertificateNames(SHOP.dns, frozenset())
    assert not renew_if_needed(tmp_path, authority, without, NOW)
    assert made_at(tmp_path) == before
    moved = CertificateNames(SHOP.dns, frozenset({ip_address("192.168.7.9")}))
    assert renew_if_needed(tmp_path, authority, moved, NOW)
    assert made_at(tmp_path)[1] == moved


def test_a_damaged_or_foreign_certificate_is_made_anew(authority: Authority, tmp_path: Path) -> None:
    path = local_files(tmp_path).certificate
    path.write_bytes(b"half a")
    assert renew_if_needed(tmp_path, authority, SHOP, NOW)
    other = load_or_make(tmp_path / "other", SHOP, NOW)
    path.write_bytes(other.sign(SHOP, NOW))
    assert renew_if_needed(tmp_path, authority, SHOP, NOW)


def test_no_certificate_outlives_its_authority_nor_is_made_again(authority: Authority, tmp_path: Path) -> None:
    late = authority.certificate.not_valid_after_utc - timedelta(days=10)
    assert renew_if_needed(tmp_path, authority, SHOP, late)
    made = read_certificate(local_files(tmp_path).certificate)
    assert made.not_valid_after_utc == authority.certificate.not_valid_after_utc
    assert not renew_if_needed(tmp_path, authority, SHOP, late)


# ─── taken up while serving ───────────────────────────────────────────────────────────────────────────────────


def test_a_running_server_takes_a_new_certificate_up(authority: Authority, tmp_path: Path) -> None:
    renew_if_needed(tmp_path, authority, SHOP, NOW)
    server = ReloadingContext(local_files(tmp_path))
    assert not server.refresh()
    before = handshake(server.context, trusting(tmp_path), "taller.local")
    moved = CertificateNames(SHOP.dns, frozenset({ip_address("192.168.7.9")}))
    renew_if_needed(tmp_path, authority, moved, NOW)
    assert server.refresh()
    after = handshake(server.context, trusting(tmp_path), "192.168.7.9")
    assert fingerprint(after) != fingerprint(before)
    assert names_of(after) == moved


def test_a_certificate_of_another_kind_of_key_replaces_the_old_one_altogether(tmp_path: Path) -> None:
    """OpenSSL keeps one certificate for each kind: loaded into the same context, both would be served."""
    files = CertificateFiles(*own_certificate(tmp_path, "carrete.empresa.cl", kind="rsa"))
    server = ReloadingContext(files)
    own_certificate(tmp_path, "carrete.empresa.cl", kind="ec")
    assert server.refresh()
    client = trusting(None)
    client.load_verify_locations(files.certificate)
    shown = handshake(server.context, client, "carrete.empresa.cl")
    assert shown == read_certificate(files.certificate)


def test_half_of_a_new_pair_is_not_served(tmp_path: Path) -> None:
    files = CertificateFiles(*own_certificate(tmp_path, "carrete.empresa.cl"))
    server = ReloadingContext(files)
    client = trusting(None)
    client.load_verify_locations(files.certificate)
    other = tmp_path / "other"
    other.mkdir()
    certificate, key = own_certificate(other, "carrete.empresa.cl")
    files.certificate.write_bytes(certificate.read_bytes())
    with capture_logs() as logs:
        assert not server.refresh()
        assert not server.refresh()
    assert [line["reason"] for line in logs] == [
        f"{files.key} cannot be used with {files.certificate}: it is the key of another certificate."
    ]
    handshake(server.context, client, "carrete.empresa.cl")
    files.key.write_bytes(key.read_bytes())
    assert server.refresh()


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda certificate, key: certificate.unlink(), "cert.pem cannot be read: No such file"),
        (lambda certificate, key: key.unlink(), "key.pem cannot be read: No such file"),
        (lambda certificate, key: certificate.write_text("nothing"), "cert.pem has no certificate in PEM form"),
        (lambda certificate, key: key.write_text("nothing"), "it is no private key in PEM form"),
    ],
)
def test_files_that_cannot_be_used_are_a_sentence(spoil: object, sentence: str, tmp_path: Path) -> None:
    certificate, key = own_certificate(tmp_path, "carrete.empresa.cl")
    spoil(certificate, key)  # type: ignore[operator]
    with pytest.raises(WrongCertificate, match=sentence):
        make_context(CertificateFiles(certificate, key))


def test_a_key_with_a_passphrase_is_a_sentence_and_no_question_in_the_terminal(tmp_path: Path) -> None:
    files = CertificateFiles(*own_certificate(tmp_path, "carrete.empresa.cl", passphrase=b"salsa"))
    with pytest.raises(WrongCertificate, match="protected by a passphrase"):
        make_context(files)


# ─── names ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_certificate_is_for_every_name_under_which_a_tablet_can_open_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "Taller")
    monkeypatch.setattr(names, "machine_addresses", lambda: [ip_address("192.168.1.20"), ip_address("fd00::20")])
    found = certificate_names("0.0.0.0", ["carrete.empresa.cl", "10.0.0.5"], "carrete.local", "taller.empresa.cl")
    assert found.texts() == [
        *("carrete.empresa.cl", "carrete.local", "localhost", "taller", "taller.empresa.cl", "taller.local"),
        *("10.0.0.5", "127.0.0.1", "192.168.1.20", "::1", "fd00::20"),
    ]
    assert certificate_names("127.0.0.2").addresses == {ip_address(a) for a in ("127.0.0.1", "127.0.0.2", "::1")}


def test_a_dns_server_that_does_not_answer_does_not_hold_the_start_up(monkeypatch: pytest.MonkeyPatch) -> None:
    silent = Event()
    monkeypatch.setattr(socket, "getfqdn", lambda: "taller" if silent.wait(60) else "")
    try:
        assert names.full_name(wait_s_max=0.01) is None
    finally:
        silent.set()
