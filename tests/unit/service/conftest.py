"""A machine of its own for `carrete service`: folders in a temporary one, and a systemd that writes down what it is
asked. The real one is asked by tests/system/operations/test_service.py."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from carrete.service import access
from carrete.service.installing import ServiceFiles
from carrete.service.plan import ProgramFiles, ServicePlan
from carrete.service.systemd import Systemd
from carrete.settings import WrongSetting

USER = "nobody"  # exists on every machine
PLACE = "/var/tmp"  # a service may keep its data there, as far as these tests are concerned; in /dev never


@dataclass
class ShopMachine:
    root: Path
    commands: list[str] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)

    def run(self, command: Sequence[str]) -> str:
        self.commands.append(line := " ".join(command))
        answer = next((answer for begin, answer in self.answers.items() if line.startswith(begin)), "")
        if answer.startswith("FAILS"):
            raise WrongSetting(answer)
        return answer

    @property
    def systemd(self) -> Systemd:
        return Systemd(self.run, self.root)

    @property
    def files(self) -> ServiceFiles:
        return ServiceFiles(self.root / "etc" / "carrete.service", self.root / "bin" / "carrete")

    def plan(self, **options: object) -> ServicePlan:
        program = self.root / "opt" / "carrete"
        files = ProgramFiles(program / "carrete", program / "package.py", program / "python", program)
        return replace(ServicePlan(files, user=USER, data=self.root / "data"), **options)  # type: ignore[arg-type]


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[ShopMachine]:
    """Its folder is not hidden from services, and everybody can enter it; into pytest's own nobody else can."""
    with tempfile.TemporaryDirectory(prefix="carrete-machine-", dir=PLACE) as folder:
        root = Path(folder)
        monkeypatch.setattr(access, "HIDDEN", (str(root / "home"),))
        made = ShopMachine(root)
        for name in ("etc", "bin", "opt/carrete"):
            (root / name).mkdir(parents=True)
        for path in (root, root / "opt", *made.plan().program[:4]):
            path.touch()
            path.chmod(0o755)
        yield made
