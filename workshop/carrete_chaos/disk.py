"""A small disk for the ledger that can be filled and emptied: a memory file system, where mounting is allowed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from carrete_chaos.cluster import on_path

CHUNK = b"\0" * (1 << 20)


class SmallDisk:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"

    def fill(self) -> None:
        """Leaves no free byte."""
        with suppress(OSError), self._ballast.open("ab", buffering=0) as file:
            while True:
                file.write(CHUNK)
        with suppress(OSError), self._ballast.open("ab", buffering=0) as file:
            while True:
                file.write(b"\0")

    def empty(self) -> None:
        self._ballast.unlink(missing_ok=True)


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[SmallDisk | None]:
    """Yields None where this machine does not let us mount anything."""
    folder.mkdir(exist_ok=True)
    if not _mounted(folder, megabytes):
        yield None
        return
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=False)


def _mounted(folder: Path, megabytes: int) -> bool:
    mount = on_path("mount")
    if mount is None or os.geteuid() != 0:
        return False
    command = [mount, "-t", "tmpfs", "-o", f"size={megabytes}m", "carrete-chaos", str(folder)]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0
