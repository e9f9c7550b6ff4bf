"""The server's certificate: the one that the local authority signs, or one of the shop's own."""

from __future__ import annotations

import ssl
from datetime import datetime, timedelta
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature

from carrete.tls.authority import Authority
from carrete.tls.files import SERVER_FILE, CertificateFiles, WrongCertificate, locked, write_private
from carrete.tls.names import CertificateNames

RENEWED_BEFORE_END = timedelta(days=30)


def renew_if_needed(folder: Path, authority: Authority, wanted: CertificateNames, now: datetime) -> bool:
    """Whether a new certificate was made. Names that the authority may not vouch for are left out."""
    with locked(folder):
        path = folder / SERVER_FILE
        if not _needs_renewal(path, authority, authority.permitted(wanted), now):
            return False
        try:
            write_private(path, authority.sign(wanted, now))
        except OSError as error:
            raise WrongCertificate(f"{path} cannot be written: {error.strerror}.") from None
        return True


def _needs_renewal(path: Path, authority: Authority, wanted: CertificateNames, now: datetime) -> bool:
    """An address that is gone is no reason: it may come back, and no client is refused because of it."""
    try:
        certificate = read_certificate(path)
        certificate.verify_directly_issued_by(authority.certificate)
    except (WrongCertificate, InvalidSignature, ValueError, TypeError):
        return True
    ends = certificate.not_valid_after_utc
    is_old = ends - now < RENEWED_BEFORE_END and ends < authority.certificate.not_valid_after_utc
    return is_old or certificate.not_valid_before_utc > now or not wanted <= names_of(certificate)


def read_certificate(path: Path) -> x509.Certificate:
    """The first certificate of the file: the server's own. The others are those that signed it."""
    try:
        return x509.load_pem_x509_certificate(path.read_bytes())
    except OSError as error:
        raise WrongCertificate(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError:
        raise WrongCertificate(f"{path} has no certificate in PEM form.") from None


def names_of(certificate: x509.Certificate) -> CertificateNames:
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (x509.ExtensionNotFound, ValueError):
        return CertificateNames(frozenset(), frozenset())
    addresses = names.get_values_for_type(x509.IPAddress)
    return CertificateNames(
        frozenset(names.get_values_for_type(x509.DNSName)),
        frozenset(each for each in addresses if isinstance(each, IPv4Address | IPv6Address)),
    )


def make_context(files: CertificateFiles) -> ssl.SSLContext:
    """Raises WrongCertificate with a sentence for the person who gave the files."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.set_alpn_protocols(["http/1.1"])
    for path in (files.certificate, files.key):
        try:
            path.read_bytes()
        except OSError as error:
            raise WrongCertificate(f"{path} cannot be read: {error.strerror}.") from None
    read_certificate(files.certificate)
    try:
        context.load_cert_chain(files.certificate, files.key, password=_no_passphrase)
    except (ssl.SSLError, ValueError) as error:
        raise WrongCertificate(f"{files.key} cannot be used with {files.certificate}: {_reason(error)}.") from None
    return context


def _no_passphrase() -> str:
    """Without this, OpenSSL would ask for the passphrase in the terminal and the server would wait."""
    raise ValueError("the key is protected by a passphrase; give one that is not")


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLError) and error.reason == "KEY_VALUES_MISMATCH":
        return "it is the key of another certificate"
    return str(error) if not isinstance(error, ssl.SSLError) else "it is no private key in PEM form"
