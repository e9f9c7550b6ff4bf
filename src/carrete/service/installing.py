"""Installs and removes the service. Installing again changes its options; removing it leaves the data and the user."""

from __future__ import annotations

import os
import pwd
import tempfile
from dataclasses import dataclass
from pathlib import Path

from carrete.service.access import system_user
from carrete.service.plan import ServicePlan, require_sound, useradd
from carrete.service.systemd import UNIT, Systemd
from carrete.service.unit import MARK, command_text, unit_text
from carrete.settings import WrongSetting


@dataclass(frozen=True, slots=True)
class ServiceFiles:
    """What `install` writes outside the data."""

    unit: Path = Path("/etc/systemd/system") / UNIT
    command: Path = Path("/usr/local/bin/carrete")


def install(plan: ServicePlan, systemd: Systemd, files: ServiceFiles) -> None:
    require_sound(plan)
    for file in (files.unit, files.command):
        _require_ours(file)
    if system_user(plan.user).uid is None:
        systemd.make_user(useradd(plan.user))
    for folder in filter(None, (plan.data, plan.backups)):
        _make_private(folder, plan.user)
    _write(files.unit, unit_text(plan), 0o644)
    if files.command.parent.is_dir():
        _write(files.command, command_text(plan), 0o755)
    systemd.start()


def uninstall(systemd: Systemd, files: ServiceFiles) -> Path | None:
    """Stops the service and removes its files; returns the data folder, which stays."""
    if not files.unit.exists():
        raise WrongSetting(f"There is no service: {files.unit} does not exist.")
    _require_ours(files.unit)
    data = data_folder(files.unit)
    systemd.stop()
    files.unit.unlink()
    if files.command.exists() and _is_ours(files.command):
        files.command.unlink()
    systemd.reload()
    return data


def data_folder(unit: Path) -> Path | None:
    """The data folder of an installed unit."""
    prefix = "Environment=CARRETE_DATA="
    try:
        lines = unit.read_text("utf-8").splitlines()
    except OSError:
        return None
    return next((Path(line.removeprefix(prefix)) for line in lines if line.startswith(prefix)), None)


def _require_ours(file: Path) -> None:
    if os.path.lexists(file) and not _is_ours(file):
        raise WrongSetting(f"{file} exists and was not written by `carrete service install`: remove it first.")


def _is_ours(file: Path) -> bool:
    try:
        return not file.is_symlink() and MARK in file.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return False


def _make_private(folder: Path, user: str) -> None:
    """A folder that exists already belongs to the user: `require_sound` has looked."""
    if not folder.is_dir():
        folder.mkdir(mode=0o700, parents=False)
        found = pwd.getpwnam(user)
        os.chown(folder, found.pw_uid, found.pw_gid)


def _write(file: Path, text: str, mode: int) -> None:
    """Whole or not at all: systemd may read it at any moment."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as new:
            new.write(text)
            os.fchmod(new.fileno(), mode)
        os.replace(name, file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
