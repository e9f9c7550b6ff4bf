"""`carrete sync --once` against the emulated Google: the work of the floor is written to the workbook."""

from __future__ import annotations

import re
import shlex
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from carrete.actions import Performer
from carrete.domain.commands import Completar, Finalizar, Iniciar, Pausar, Tomar
from carrete.domain.shop import Shop
from carrete.domain.spool import Operacion
from carrete.gate import OpenGate
from carrete.ledger import open_database
from carrete.sheets.rows import storage
from carrete_chaos.sheets import invariants
from carrete_chaos.sheets.link import EmulatedGoogle, StandingClock
from carrete_chaos.sheets.shop import START, ChaosShop, Taps
from carrete_chaos.sheets.unsteady_ledger import UnsteadyLedger
from carrete_chaos.sweep.scenario import OnFile, ReferenceRun, ScenarioOutcome, TrialResult, ran
from carrete_chaos.sweep.snapshot import Snapshot, difference
from carrete_chaos.sweep.traced_process import TracedProcess
from carrete_chaos.sweep.tracer import Tracer
from sheets_emulator.emulator import Emulator
from sheets_emulator.workbooks import load, save

BOOK_FILE = "planilla.json"
SPOOLS, JOINTS = 6, 4
# The lease of a lane that was killed runs out after half a minute: here, at once.
HALF_A_MINUTE_LATER = "UPDATE sheet_lease SET until = ''"
_SETTING = re.compile(r"^export (\w+)=(.*)$", re.MULTILINE)


class AtRest(ChaosShop):
    """The shop in a folder, as the rules of the sheet campaign expect it."""

    def __init__(self, folder: Path, url: str) -> None:
        self.shop = Shop()
        self.clock = StandingClock(START)
        self.emulator = Emulator(0, self.clock.google)
        load(self.emulator, folder / BOOK_FILE)
        self.google = EmulatedGoogle(self.emulator)
        self.database = open_database(url)
        self.lane_ledger = UnsteadyLedger(self.database)
        self.lane = self.new_lane()

    def close(self) -> None:
        self.database.close()


class FlushScenario(OnFile):
    name = "flush"
    what = "carrete sync --once with rows, joints and events that wait"

    def snapshot(self) -> Snapshot:
        """The ledger without the lane's record of its own progress, which changes with the clock."""
        found = super().snapshot()
        return Snapshot({table: rows for table, rows in found.raw.items() if table != "setting"}, found.schema)

    def prepare(self) -> None:
        self._engineering_makes_a_workbook()
        google, settings = self._google()
        if wrong := ran(self.carrete("sync", "--init", "--apply", google=settings)):
            raise AssertionError(wrong)
        google.end(signal.SIGTERM)
        self._people_work()

    def _engineering_makes_a_workbook(self) -> None:
        scratch = self.folder / "scratch"
        scratch.mkdir()
        shop = ChaosShop(scratch, 1, SPOOLS, JOINTS)
        save(shop.emulator, self.folder / BOOK_FILE)
        shop.close()

    def _people_work(self) -> None:
        database = open_database(self.ledger.url)
        taps = Taps(Performer(database, OpenGate(), Shop()))
        tags = [f"MK-{1000 + n}" for n in range(SPOOLS)]
        whole, jointed = tags[SPOOLS // 3 :], tags[: SPOOLS // 3]
        arm = Operacion.ARM
        taps.all_at_once([*(Tomar(tag, 1, arm) for tag in whole), *(Iniciar(tag, 2, arm) for tag in jointed)])
        ends = [Pausar(whole[0], 1, arm), Completar(whole[1], 1, arm)]
        taps.all_at_once([*ends, Finalizar(jointed[0], 2, arm, unions=(1, 2, 3))])
        taps.close()
        database.close()

    def _google(self) -> tuple[TracedProcess, dict[str, str]]:
        key = self.folder / "key.json"
        files = ("--snapshot", str(self.folder / BOOK_FILE), "--service-account", str(key))
        google = self.carrete("sheets-emulator", "--port", "0", *files)
        google.listening("The Sheets emulator listens on")
        while "carrete serve" not in google.output and not google.gone(0.01):
            pass
        return google, {name: shlex.split(value)[0] for name, value in _SETTING.findall(google.output)}

    def run(self, tracer: Tracer) -> bool:
        self._before = self._sheets()
        google, settings = self._google()
        lane = self.carrete("sync", "--once", held=True, google=settings)
        tracer.attach(lane.pid)
        lane.go()
        wrong = ran(lane)
        google.end(signal.SIGTERM)  # what was written to it is in its file
        if wrong and not lane.was_killed:
            raise AssertionError(wrong)
        return lane.was_killed

    def judge(self, reference: ReferenceRun) -> TrialResult:
        outcome = self._how_far()
        self.file.change(HALF_A_MINUTE_LATER)
        google, settings = self._google()
        wrong = [*ran(self.carrete("sync", "--once", google=settings))]
        google.end(signal.SIGTERM)
        wrong += [*self._differences()[:5], *self.ledger.damage()]
        if not (now := self.snapshot()).same_as(reference.after):
            wrong.append(f"after the next flush: {difference(now, reference.after)}")
        return TrialResult(outcome, tuple(wrong))

    def _how_far(self) -> ScenarioOutcome:
        if self._sheets() == self._before:
            return ScenarioOutcome.NOTHING
        return ScenarioOutcome.PART if self._differences() else ScenarioOutcome.HAPPENED

    @contextmanager
    def _at_rest(self) -> Iterator[AtRest]:
        """The shop as the killed lane left it, in a copy: the next lane must find it unchanged."""
        with tempfile.TemporaryDirectory(prefix="carrete-sweep-") as name:
            for file in (self.folder / BOOK_FILE, *self.folder.glob(f"{self.file.path.name}*")):
                shutil.copy2(file, name)
            shop = AtRest(Path(name), f"sqlite:///{Path(name) / self.file.path.name}")
            try:
                yield shop
            finally:
                shop.close()

    def _sheets(self) -> dict[str, list[list[Any]]]:
        with self._at_rest() as shop:
            return {name: invariants.grid(shop, name) for name in ("Operaciones", "Uniones", "Metadata")}

    def _differences(self) -> list[str]:
        """Differences between sheet and ledger, by the rules of the sheet campaign."""
        with self._at_rest() as shop:
            with shop.database.reading() as tx:
                flight = ["a batch is still in flight"] if storage.open_flush(tx) else []
            return [*flight, *invariants.findings(shop)]
