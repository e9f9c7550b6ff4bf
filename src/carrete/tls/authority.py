"""The local certificate authority: made once, for ten years, and able to vouch for this machine's names alone.

Tablets trust its certificate. Name constraints limit that trust: a thief of the key can pretend to be this machine, a
`.local` name or a private address, and no other server.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from carrete.tls.files import WrongCertificate, locked, write_private
from carrete.tls.names import PRIVATE_NETWORKS, Address, CertificateNames

KEY_FILE, CERTIFICATE_FILE = "authority.key", "authority.crt"
AUTHORITY_LASTS = timedelta(days=3652)
CERTIFICATE_LASTS = timedelta(days=396)  # browsers accept no more than 397, the first and the last second included
BACKDATED = timedelta(days=2)  # for tablets whose clock is behind
CLOCK_MIN = datetime(2026, 1, 1, tzinfo=UTC)  # a machine without a battery begins in 1970
_CONSTRAINED_NAMES = ("local", "localhost")  # with every name that ends so
_COMMON_NAME_CHARS_MAX = 64
_SERVERS_ONLY = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])


@dataclass(frozen=True)
class Authority:
    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.certificate)

    def permitted(self, names: CertificateNames) -> CertificateNames:
        """Without the names that the constraints exclude: a certificate with one of them is refused as a whole."""
        networks, suffixes = permitted_subtrees(self.certificate)
        return CertificateNames(
            frozenset(name for name in names.dns if any(name == s or name.endswith(f".{s}") for s in suffixes)),
            frozenset(each for each in names.addresses if any(each in network for network in networks)),
        )

    def sign(self, names: CertificateNames, now: datetime) -> bytes:
        """A new key and the certificate for it, in one PEM text, so that replacing the file replaces both at once."""
        key = ec.generate_private_key(ec.SECP256R1())
        begins = now - BACKDATED
        ends = min(begins + CERTIFICATE_LASTS, self.certificate.not_valid_after_utc)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(_subject(f"Carrete {_short_host()}"))
            .issuer_name(self.certificate.subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(begins)
            .not_valid_after(ends)
            .add_extension(_alternative_names(self.permitted(names)), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_key_usage(signs_certificates=False), critical=True)
            .add_extension(_SERVERS_ONLY, critical=False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key()),
                critical=False,
            )
            .sign(self.key, hashes.SHA256())
        )
        return _key_pem(key) + certificate.public_bytes(serialization.Encoding.PEM)


def load_or_make(folder: Path, names: CertificateNames, now: datetime) -> Authority:
    """Makes the authority on the first call. Afterwards a missing or foreign key is never replaced by itself, because
    every tablet would have to trust the new authority first."""
    with locked(folder):
        if not (folder / CERTIFICATE_FILE).exists():  # it is written last: before that, no device can have trusted it
            _make(folder, names, now)
        return load(folder)


def load(folder: Path) -> Authority:
    certificate = read_authority_certificate(folder)
    path = folder / KEY_FILE
    try:
        key = serialization.load_pem_private_key(path.read_bytes(), password=None)
    except FileNotFoundError:
        raise WrongCertificate(_recovery(path, "is missing")) from None
    except (OSError, ValueError, TypeError):
        raise WrongCertificate(_recovery(path, "cannot be read")) from None
    if not isinstance(key, ec.EllipticCurvePrivateKey) or key.public_key() != certificate.public_key():
        raise WrongCertificate(_recovery(path, f"is not the key of {CERTIFICATE_FILE}"))
    return Authority(key, certificate)


def read_authority_certificate(folder: Path) -> x509.Certificate:
    path = folder / CERTIFICATE_FILE
    try:
        return x509.load_pem_x509_certificate(path.read_bytes())
    except (OSError, ValueError):
        raise WrongCertificate(_recovery(path, "cannot be read")) from None


def fingerprint(certificate: x509.Certificate) -> str:
    """SHA-256 in pairs of digits, as devices show it."""
    return certificate.fingerprint(hashes.SHA256()).hex(":").upper()


def permitted_subtrees(certificate: x509.Certificate) -> tuple[list[IPv4Network | IPv6Network], list[str]]:
    """The networks and the ends of names for which the authority can vouch."""
    constraints = certificate.extensions.get_extension_for_class(x509.NameConstraints).value
    permitted = constraints.permitted_subtrees or []
    networks = [each.value for each in permitted if isinstance(each, x509.IPAddress)]
    return (
        [each for each in networks if isinstance(each, IPv4Network | IPv6Network)],
        [each.value for each in permitted if isinstance(each, x509.DNSName)],
    )


def _make(folder: Path, names: CertificateNames, now: datetime) -> None:
    if now < CLOCK_MIN:
        raise WrongCertificate(f"This machine's clock says {now:%Y-%m-%d}: set it, then start again.")
    key = ec.generate_private_key(ec.SECP256R1())
    name = _subject(f"Carrete {_short_host()} {now:%Y-%m-%d}")
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATED)
        .not_valid_after(now + AUTHORITY_LASTS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_key_usage(signs_certificates=True), critical=True)
        .add_extension(_constraints(names), critical=True)
        .add_extension(_SERVERS_ONLY, critical=False)  # no mail and no programs, where a system looks at this
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    try:
        write_private(folder / KEY_FILE, _key_pem(key))
        write_private(folder / CERTIFICATE_FILE, certificate.public_bytes(serialization.Encoding.PEM))
    except OSError as error:
        raise WrongCertificate(f"{folder} cannot be written: {error.strerror}.") from None


def _constraints(names: CertificateNames) -> x509.NameConstraints:
    suffixes = {name for name in names.dns if not name.endswith(tuple(f".{end}" for end in _CONSTRAINED_NAMES))}
    dns = [x509.DNSName(name) for name in sorted(suffixes | set(_CONSTRAINED_NAMES))]
    return x509.NameConstraints([*dns, *map(x509.IPAddress, PRIVATE_NETWORKS)], None)


def _alternative_names(names: CertificateNames) -> x509.SubjectAlternativeName:
    texts = sorted(names.dns)
    addresses: list[Address] = sorted(names.addresses, key=lambda each: (each.version, int(each)))
    return x509.SubjectAlternativeName([*map(x509.DNSName, texts), *map(x509.IPAddress, addresses)])


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _subject(common_name: str) -> x509.Name:
    return x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Carrete"),
            x509.NameAttribute(NameOID.COMMON_NAME, common_name[:_COMMON_NAME_CHARS_MAX]),
        ]
    )


def _short_host() -> str:
    return socket.gethostname().partition(".")[0][:40]


def _key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _recovery(path: Path, what: str) -> str:
    return (
        f"{path} {what}. Put it back from the backup of the keys; or, to begin with a new authority that every tablet "
        f"must trust anew, remove {path.parent / KEY_FILE} and {path.parent / CERTIFICATE_FILE}."
    )
