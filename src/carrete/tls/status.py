"""The certificate that is served, as the page *Sistema* shows it."""

from __future__ import annotations

from typing import Any

from carrete.addresses import browser_url
from carrete.settings import Settings
from carrete.tls import served
from carrete.tls.authority import fingerprint, read_authority_certificate
from carrete.tls.certificate import names_of, read_certificate
from carrete.tls.files import WrongCertificate, tls_folder


def certificate_status(settings: Settings) -> dict[str, Any] | None:
    """None for a server without HTTPS of its own. The authority's fields are None for a certificate of one's own."""
    found = served.read(settings.data)
    if found is None:
        return None
    try:
        certificate = read_certificate(found.files.certificate)
        authority = None if found.own else read_authority_certificate(tls_folder(settings.data))
    except WrongCertificate:
        return None
    return {
        "huella": fingerprint(certificate),
        "vence": certificate.not_valid_after_utc.isoformat(),
        "nombres": names_of(certificate).texts(),
        "autoridad_huella": fingerprint(authority) if authority else None,
        "autoridad_vence": authority.not_valid_after_utc.isoformat() if authority else None,
    }


def https_addresses(settings: Settings) -> list[str]:
    """Where browsers open this server, the easiest address first; empty without HTTPS of its own."""
    found = served.read(settings.data)
    if found is None:
        return []
    try:
        names = names_of(read_certificate(found.files.certificate))
    except WrongCertificate:
        return []
    hosts = [found.local_name] if found.local_name in names.dns else []
    hosts += [text for text in names.texts() if text not in hosts and _opens_elsewhere(text)]
    return [browser_url("https", host, found.port) for host in hosts if host]


def _opens_elsewhere(name: str) -> bool:
    """Whether another machine can open it: addresses, and names of a DNS. A bare host name, and a `.local` that we do
    not announce, are in the certificate for the few who can resolve them."""
    if name in ("127.0.0.1", "::1") or name.startswith("*"):
        return False
    return ":" in name or ("." in name and not name.endswith(".local"))
