"""What is to be installed, and what must hold for it. Everything is checked before anything is changed."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import carrete
from carrete.service.access import SystemUser, is_hidden, system_user, unreadable
from carrete.settings import WrongSetting

NAME = "carrete"
DATA = Path("/var/lib/carrete")
HTTPS_PORT, HTTP_PORT, PROXIED_PORT = 8443, 8080, 8000
PRIVILEGED_PORTS = 1024  # below it a program needs a capability to listen
_PLAIN_PATH = re.compile(r"(/[A-Za-z0-9._+@-]+)+")
_USER = re.compile(r"[a-z_][a-z0-9_-]{0,30}")
_NOT_FOR_DATA = ("/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/proc", "/run", "/sbin", "/sys", "/usr")


class ProgramFiles(NamedTuple):
    """What the service's user must be able to read: the command, the package and the Python that runs it."""

    command: Path
    package: Path
    python: Path
    prefix: Path


@dataclass(frozen=True, slots=True)
class ServicePlan:
    """The options of `carrete service install`."""

    program: ProgramFiles
    user: str = NAME
    data: Path = DATA
    backups: Path | None = None
    port: int | None = None
    http_port: int | None = None
    workers: int = 1
    tls_cert: Path | None = None
    tls_key: Path | None = None
    behind_proxy: tuple[str, ...] = field(default=())

    @property
    def listens_on(self) -> int:
        return self.port or (PROXIED_PORT if self.behind_proxy else HTTPS_PORT)

    @property
    def needs_low_port(self) -> bool:
        plain = 0 if self.behind_proxy else self.http_port or HTTP_PORT
        return any(0 < port < PRIVILEGED_PORTS for port in (self.listens_on, plain))

    @property
    def environment(self) -> dict[str, str]:
        backups = {"CARRETE_BACKUP_DIR": str(self.backups)} if self.backups else {}
        return {"CARRETE_DATA": str(self.data), **backups}

    @property
    def command(self) -> list[str]:
        """What systemd runs."""
        words = [str(self.program.command), "serve"]
        if self.behind_proxy:
            words += [word for proxy in self.behind_proxy for word in ("--behind-proxy", proxy)]
            words += ["--port", str(self.listens_on)]
        else:
            words += ["--lan", *(["--port", str(self.port)] if self.port else [])]
            words += ["--http-port", str(self.http_port)] if self.http_port else []
        if self.tls_cert and self.tls_key:
            words += ["--tls-cert", str(self.tls_cert), "--tls-key", str(self.tls_key)]
        return [*words, *(["--workers", str(self.workers)] if self.workers > 1 else [])]


def installed_program() -> ProgramFiles:
    """The command `carrete` of the environment that runs now."""
    command, python = Path(sysconfig.get_path("scripts")) / "carrete", Path(os.path.realpath(sys.executable))
    return ProgramFiles(command, Path(carrete.__file__), python, Path(sys.prefix))


def require_sound(plan: ServicePlan) -> None:
    """Raises WrongSetting with the first thing that would make the service fail, and what to do."""
    if not _USER.fullmatch(plan.user) or plan.user == "root":
        raise WrongSetting(f"--user {plan.user}: must be a user of Carrete's own, not root.")
    if plan.behind_proxy and (plan.tls_cert or plan.http_port):
        raise WrongSetting("--behind-proxy: the proxy has the certificate; leave --tls-cert and --http-port out.")
    if bool(plan.tls_cert) != bool(plan.tls_key):
        raise WrongSetting("--tls-cert and --tls-key belong together.")
    user = system_user(plan.user)
    _require_program(plan.program, user)
    _require_data(plan.data, user, "--data")
    if plan.backups:
        _require_data(plan.backups, user, "--backups")
    for file in filter(None, (plan.tls_cert, plan.tls_key)):
        _require_plain(file, "a certificate")
        if is_hidden(file) or (blocked := unreadable(file, user)):
            where = file.parent if is_hidden(file) else blocked
            raise WrongSetting(f"{file}: the user {plan.user} cannot read it because of {where}; use /etc/carrete.")


def _require_program(program: ProgramFiles, user: SystemUser) -> None:
    """The service runs as another user, who sees neither /root nor /home nor /tmp."""
    if not program.command.is_file():
        raise WrongSetting(f"There is no program {program.command}: install the wheel first.")
    _require_plain(program.command, "a program")
    for path in (program.command, program.package, program.python):
        if is_hidden(path):
            raise WrongSetting(
                f"{path}: a service cannot see that folder. Install the wheel where everybody can read it: "
                "python3 -m venv /opt/carrete && /opt/carrete/bin/pip install carrete-*.whl"
            )
        if blocked := unreadable(path, user):
            raise WrongSetting(
                f"{path}: the user {user.name} cannot read it because of {blocked}; chmod -R go+rX {program.prefix}"
            )


def _require_data(folder: Path, user: SystemUser, option: str) -> None:
    _require_plain(folder, "a folder")
    if is_hidden(folder) or len(folder.parts) < 3 or f"/{folder.parts[1]}" in _NOT_FOR_DATA:
        raise WrongSetting(f"{option} {folder}: a service cannot keep its data there; use {DATA} or /srv/carrete.")
    if not folder.parent.is_dir():
        raise WrongSetting(f"{option} {folder}: there is no folder {folder.parent}; make it first.")
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise WrongSetting(f"{option} {folder}: is no folder.")
    if folder.exists() and folder.stat().st_uid != user.uid:
        raise WrongSetting(
            f"{option} {folder}: belongs to another user than {user.name}. If it is Carrete's: "
            f"{_useradd_hint(user)}chown -R {user.name}: {folder}"
        )


def _useradd_hint(user: SystemUser) -> str:
    return "" if user.uid is not None else f"{' '.join(useradd(user.name))} && "


def useradd(name: str) -> Sequence[str]:
    """The command that creates the service's user. It is not possible to sign in as that user."""
    return ("useradd", "--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", name)


def _require_plain(path: Path, what: str) -> None:
    """systemd gives meaning to blanks, %, $ and quotes in a unit."""
    if not _PLAIN_PATH.fullmatch(str(path)) or ".." in path.parts:
        raise WrongSetting(f"{path}: {what} for the service needs a whole path of letters, digits and . _ + @ - /")
