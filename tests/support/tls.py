"""Handshakes without a network, and clients that trust one authority alone."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

from carrete.tls.authority import CERTIFICATE_FILE

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
_MESSAGES_MAX = 10


def trusting(folder: Path | None) -> ssl.SSLContext:
    """A client that trusts the local authority in this folder and nobody else; with None, nobody at all."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if folder is not None:
        context.load_verify_locations(folder / CERTIFICATE_FILE)
    return context


def handshake(server: ssl.SSLContext, client: ssl.SSLContext, name: str) -> x509.Certificate:
    """The certificate that the client accepted. Raises the SSLError of the side that refuses."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours = client.wrap_bio(to_client, to_server, server_hostname=name)
    theirs = server.wrap_bio(to_server, to_client, server_side=True)
    done: set[ssl.SSLObject] = set()
    for _ in range(_MESSAGES_MAX):
        for side in (ours, theirs):
            if side not in done:
                try:
                    side.do_handshake()
                    done.add(side)
                except ssl.SSLWantReadError:
                    pass
        if len(done) == 2:
            shown = ours.getpeercert(binary_form=True)
            assert shown is not None
            return x509.load_der_x509_certificate(shown)
    raise AssertionError("the handshake does not end")


def own_certificate(
    folder: Path, name: str, *, kind: str = "ec", now: datetime | None = None, passphrase: bytes | None = None
) -> tuple[Path, Path]:
    """A certificate of somebody else's making, signed by itself, as a shop may bring one: its file and its key's."""
    key = ec.generate_private_key(ec.SECP256R1()) if kind == "ec" else rsa.generate_private_key(65537, 2048)
    begins = (now or datetime.now(UTC)) - timedelta(days=1)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(begins + timedelta(days=90))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    protection = serialization.BestAvailableEncryption(passphrase) if passphrase else serialization.NoEncryption()
    files = folder / "cert.pem", folder / "key.pem"
    files[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, protection))
    return files
