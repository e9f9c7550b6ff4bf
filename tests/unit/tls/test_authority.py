"""The local authority: which servers browsers trust because of it, and which not."""

from __future__ import annotations

import socket
import ssl
import stat
import subprocess
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509

from carrete.tls.authority import CERTIFICATE_FILE, KEY_FILE, Authority, load, load_or_make
from carrete.tls.certificate import make_context, names_of, renew_if_needed
from carrete.tls.files import CertificateFiles, WrongCertificate, local_files
from carrete.tls.names import CertificateNames
from tests.support.tls import NOW, handshake, trusting

SHOP = CertificateNames(frozenset({"taller", "taller.local"}), frozenset({ip_address("192.168.1.20")}))
TODAY = datetime.now(UTC)  # browsers and OpenSSL look at the real clock


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Authority:
    monkeypatch.setattr(socket, "gethostname", lambda: "taller")
    return load_or_make(tmp_path, SHOP, TODAY)


def certificate_for(folder: Path, authority: Authority, names: CertificateNames) -> CertificateFiles:
    assert renew_if_needed(folder, authority, names, TODAY)
    return local_files(folder)


def openssl_output(folder: Path, *, with_authority: bool) -> str:
    anchors = ["-CAfile", str(folder / CERTIFICATE_FILE)] if with_authority else ["-no-CAfile"]
    command = ["openssl", "verify", "-no-CApath", "-no-CAstore", "-x509_strict", "-purpose", "sslserver", *anchors]
    ran = subprocess.run([*command, str(folder / "server.pem")], capture_output=True, text=True, timeout=30)
    return ran.stdout + ran.stderr


@pytest.mark.parametrize("name", ["taller", "taller.local", "192.168.1.20"])
def test_a_client_that_trusts_the_authority_opens_the_server_under_each_of_its_names(
    name: str, authority: Authority, tmp_path: Path
) -> None:
    server = make_context(certificate_for(tmp_path, authority, SHOP))
    assert names_of(handshake(server, trusting(tmp_path), name)) == SHOP
    assert "OK" in openssl_output(tmp_path, with_authority=True)


def test_a_client_that_does_not_trust_the_authority_is_warned(authority: Authority, tmp_path: Path) -> None:
    server = make_context(certificate_for(tmp_path, authority, SHOP))
    with pytest.raises(ssl.SSLCertVerificationError, match="unable to get local issuer"):
        handshake(server, trusting(None), "taller")
    assert "unable to get local issuer" in openssl_output(tmp_path, with_authority=False)


@pytest.mark.parametrize(
    ("stolen_for", "name"),
    [
        (CertificateNames(frozenset({"banco.cl"}), frozenset()), "banco.cl"),
        (CertificateNames(frozenset({"taller.banco.cl"}), frozenset()), "taller.banco.cl"),
        (CertificateNames(frozenset({"taller"}), frozenset({ip_address("200.1.2.3")})), "200.1.2.3"),
        (CertificateNames(frozenset({"taller"}), frozenset({ip_address("2800:3f0::1")})), "2800:3f0::1"),
    ],
    ids=["another name", "a name that begins like ours", "a public address", "a public address of IPv6"],
)
def test_a_certificate_for_a_name_outside_the_constraints_is_refused(
    stolen_for: CertificateNames, name: str, authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Made as a thief of the key would: the product itself leaves such names out."""
    monkeypatch.setattr(Authority, "permitted", lambda _, names: names)
    server = make_context(certificate_for(tmp_path, authority, stolen_for))
    with pytest.raises(ssl.SSLCertVerificationError, match="permitted subtree violation"):
        handshake(server, trusting(tmp_path), name)
    assert "permitted subtree violation" in openssl_output(tmp_path, with_authority=True)


def test_names_that_the_authority_may_not_vouch_for_are_left_out_of_a_certificate(
    authority: Authority, tmp_path: Path
) -> None:
    """With one of them in it, browsers would refuse the whole certificate."""
    public = CertificateNames(SHOP.dns | {"carrete.empresa.cl"}, SHOP.addresses | {ip_address("200.1.2.3")})
    server = make_context(certificate_for(tmp_path, authority, public))
    assert names_of(handshake(server, trusting(tmp_path), "taller.local")) == SHOP
    assert not renew_if_needed(tmp_path, authority, public, TODAY), "it would be made anew for ever"


def test_it_lasts_ten_years_and_signs_servers_only(authority: Authority) -> None:
    made = authority.certificate
    assert made.not_valid_after_utc - TODAY > timedelta(days=3650)
    constraints = made.extensions.get_extension_for_class(x509.BasicConstraints)
    assert constraints.critical
    assert (constraints.value.ca, constraints.value.path_length) == (True, 0)
    assert made.extensions.get_extension_for_class(x509.NameConstraints).critical


def test_its_key_is_readable_by_this_user_alone_and_is_made_once(authority: Authority, tmp_path: Path) -> None:
    for path in tmp_path.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path.name
    again = load_or_make(tmp_path, replace(SHOP, dns=frozenset({"otro"})), NOW + timedelta(days=400))
    assert again.fingerprint == authority.fingerprint


def test_a_lost_or_foreign_key_is_never_replaced_by_itself(authority: Authority, tmp_path: Path) -> None:
    """Every tablet trusts the certificate that goes with it."""
    key = tmp_path / KEY_FILE
    other = tmp_path / "other"
    load_or_make(other, SHOP, TODAY)
    for content, reason in ((b"nothing", "cannot be read"), ((other / KEY_FILE).read_bytes(), "is not the key of")):
        key.write_bytes(content)
        with pytest.raises(WrongCertificate, match=reason):
            load_or_make(tmp_path, SHOP, TODAY)
    key.unlink()
    with pytest.raises(WrongCertificate, match=r"is missing\. Put it back from the backup of the keys"):
        load_or_make(tmp_path, SHOP, TODAY)
    assert load(other).fingerprint != authority.fingerprint


def test_a_start_that_was_killed_before_the_certificate_was_written_is_made_good(tmp_path: Path) -> None:
    (tmp_path / KEY_FILE).write_bytes(b"half")
    made = load_or_make(tmp_path, SHOP, TODAY)
    assert load(tmp_path).fingerprint == made.fingerprint


def test_a_machine_whose_clock_begins_in_1970_is_told_to_set_it(tmp_path: Path) -> None:
    with pytest.raises(WrongCertificate, match="clock says 1970-01-01: set it"):
        load_or_make(tmp_path, SHOP, datetime(1970, 1, 1, tzinfo=UTC))
    assert not (tmp_path / CERTIFICATE_FILE).exists()


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "tls").write_text("a file in the way")
    with pytest.raises(WrongCertificate, match="cannot be written"):
        load_or_make(tmp_path / "tls", SHOP, TODAY)
