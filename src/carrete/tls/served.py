"""How `carrete serve` serves HTTPS just now, in one file: what `carrete doctor` and the page *Sistema* look at."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from carrete.tls.files import CertificateFiles, locked, tls_folder, write_private

FILE = "served.json"


@dataclass(frozen=True, slots=True)
class Served:
    certificate: str
    key: str
    own: bool  # a certificate of the shop's own, not of the local authority
    host: str
    port: int
    http_port: int | None = None  # of the page that tells how to trust the local authority
    local_name: str | None = None  # by multicast DNS

    @property
    def files(self) -> CertificateFiles:
        return CertificateFiles(Path(self.certificate), Path(self.key))


def write(data: Path, served: Served) -> None:
    folder = tls_folder(data)
    with locked(folder):
        write_private(folder / FILE, json.dumps(asdict(served), indent=2).encode() + b"\n")


def forget(data: Path) -> None:
    """For a server without HTTPS of its own."""
    with suppress(OSError):
        (tls_folder(data) / FILE).unlink(missing_ok=True)


def read(data: Path) -> Served | None:
    """None without HTTPS, and for a file that another version wrote."""
    try:
        return Served(**json.loads((tls_folder(data) / FILE).read_bytes()))
    except (OSError, ValueError, TypeError):
        return None
