"""The files of `CARRETE_DATA/tls`: private, written whole or not at all, by one process at a time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from carrete.settings import WrongSetting

FOLDER = "tls"
SERVER_FILE = "server.pem"  # key and certificate together
_LOCK = ".lock"


class WrongCertificate(WrongSetting):
    """A key or certificate is missing, damaged or not for this server. The message says what to do."""


@dataclass(frozen=True, slots=True)
class CertificateFiles:
    """Where a server finds its certificate and its key; the two may be one file."""

    certificate: Path
    key: Path

    def stamp(self) -> tuple[tuple[int, int, int], ...]:
        """A value that changes when one of the files is replaced or changed. Raises OSError when one cannot be
        found."""
        stats = [path.stat() for path in (self.certificate, self.key)]
        return tuple((stat.st_mtime_ns, stat.st_ino, stat.st_size) for stat in stats)


def local_files(folder: Path) -> CertificateFiles:
    path = folder / SERVER_FILE
    return CertificateFiles(path, path)


def tls_folder(data: Path) -> Path:
    return data.absolute() / FOLDER


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Several processes may share the folder: only one of them makes keys and certificates at a time."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise WrongCertificate(f"{folder} cannot be written: {error.strerror}.") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def write_private(path: Path, content: bytes) -> None:
    """The file has its new content after a power cut too, or still its old one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with suppress(FileNotFoundError):
        temporary.unlink()
    try:
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    finally:
        temporary.unlink(missing_ok=True)
