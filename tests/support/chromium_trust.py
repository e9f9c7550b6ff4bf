"""Installs a certificate authority for Chromium as a person would in its settings: in the NSS database of the user. A
Chromium launched with that home trusts it beside the authorities of the whole web; with an empty home it does not."""

from __future__ import annotations

import ctypes
from pathlib import Path


class _CertificateTrust(ctypes.Structure):
    _fields_ = (("ssl", ctypes.c_uint), ("email", ctypes.c_uint), ("object_signing", ctypes.c_uint))


def trust_authority(home: Path, certificate: Path) -> None:
    """As `certutil -A -t C,,` does, which few machines have; Chromium itself brings the libraries."""
    folder = home / ".pki" / "nssdb"
    folder.mkdir(parents=True, exist_ok=True)
    nss, smime = ctypes.CDLL("libnss3.so"), ctypes.CDLL("libsmime3.so")
    for function in (nss.PK11_GetInternalKeySlot, nss.CERT_GetDefaultCertDB, smime.CERT_DecodeCertFromPackage):
        function.restype = ctypes.c_void_p
    _require(nss.NSS_InitReadWrite(f"sql:{folder}".encode()) == 0)
    try:
        slot = ctypes.c_void_p(nss.PK11_GetInternalKeySlot())
        if nss.PK11_NeedUserInit(slot):
            _require(nss.PK11_InitPin(slot, None, b"") == 0)
        pem = certificate.read_bytes()
        found = ctypes.c_void_p(smime.CERT_DecodeCertFromPackage(pem, len(pem)))
        _require(bool(found.value))
        _require(nss.PK11_ImportCert(slot, found, ctypes.c_ulong(0), b"Carrete", 0) == 0)
        trust = _CertificateTrust()
        _require(nss.CERT_DecodeTrustString(ctypes.byref(trust), b"C,,") == 0)
        database = ctypes.c_void_p(nss.CERT_GetDefaultCertDB())
        _require(nss.CERT_ChangeCertTrust(database, found, ctypes.byref(trust)) == 0)
        nss.CERT_DestroyCertificate(found)
        nss.PK11_FreeSlot(slot)
    finally:
        nss.NSS_Shutdown()


def _require(worked: bool) -> None:
    if not worked:
        raise RuntimeError(f"NSS refused: {ctypes.CDLL('libnspr4.so').PR_GetError()}")
