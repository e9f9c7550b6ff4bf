"""What systemd is asked to do, and what it says."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from carrete.service.plan import NAME
from carrete.settings import WrongSetting

COMMAND_S_MAX = 60
LINES_SHOWN = 20
RUNNING = Path("/run/systemd/system")  # exists where systemd is the first process
UNIT = f"{NAME}.service"
_PROPERTIES = ("LoadState", "ActiveState", "SubState", "UnitFileState", "NRestarts", "ActiveEnterTimestamp")

Run = Callable[[Sequence[str]], str]


def run(command: Sequence[str]) -> str:
    """What the command printed. Raises WrongSetting with its complaint."""
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=COMMAND_S_MAX, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WrongSetting(f"{' '.join(command)}: {error}.") from None
    if ended.returncode != 0:
        complaint = (ended.stderr or ended.stdout).strip() or f"ended with {ended.returncode}"
        raise WrongSetting(f"{' '.join(command)}: {complaint}")
    return ended.stdout


class Systemd:
    def __init__(self, run: Run = run, running: Path = RUNNING) -> None:
        self._run = run
        self._running = running

    @property
    def is_running(self) -> bool:
        return self._running.is_dir()

    def start(self) -> None:
        """Also after a change of the unit, and at every start of the machine."""
        self._run(("systemctl", "daemon-reload"))
        self._run(("systemctl", "enable", UNIT))
        self._run(("systemctl", "restart", UNIT))

    def stop(self) -> None:
        self._run(("systemctl", "disable", "--now", UNIT))

    def reload(self) -> None:
        self._run(("systemctl", "daemon-reload"))

    def make_user(self, command: Sequence[str]) -> None:
        self._run(command)

    def properties(self) -> dict[str, str]:
        shown = self._run(("systemctl", "show", UNIT, *(f"--property={name}" for name in _PROPERTIES)))
        return dict(line.split("=", 1) for line in shown.splitlines() if "=" in line)

    def last_lines(self) -> str:
        """The last lines of the service's journal; empty for a user who may not read it."""
        try:
            return self._run(("journalctl", f"--unit={UNIT}", f"--lines={LINES_SHOWN}", "--no-pager", "--output=cat"))
        except WrongSetting:
            return ""
