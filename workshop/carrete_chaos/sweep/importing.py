"""`carrete import` of a workbook that changes every spool of the shop and brings new ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from carrete.workbook.columns import CALIFICACIONES, OPERACIONES, ROLES, TAG, TRABAJADORES, UNIONES, WPS
from carrete.workbook.importing import SPOOLS_PER_COMMIT
from carrete.workbook.xlsx_messages import TOO_MUCH_MEMORY
from carrete.workbook.xlsx_out import BookWriter
from carrete_chaos.sweep.scenario import OnFile, ReferenceRun, ScenarioOutcome, TrialResult, ran
from carrete_chaos.sweep.snapshot import Snapshot, difference, plain
from carrete_chaos.sweep.tracer import Tracer

FIRST, SECOND = "primera.xlsx", "segunda.xlsx"
SPOOLS = 2 * SPOOLS_PER_COMMIT + 60  # three commits, after the one of the people
JOINTED = 30
JOINTS = 3


def tags(spools: int) -> list[str]:
    return [f"IMP-{n:04}" for n in range(spools)]


class Import(OnFile):
    name = "import"
    what = f"carrete import of {SPOOLS} spools, a part of them known, with procedures and qualifications"

    def prepare(self) -> None:
        _write(self.folder / FIRST, tags(SPOOLS // 2), "25238", people=3)
        _write(self.folder / SECOND, tags(SPOOLS), "25240", people=5)
        if wrong := ran(self.carrete("import", str(self.folder / FIRST))):
            raise AssertionError(wrong)

    def run(self, tracer: Tracer) -> bool:
        command = self.carrete("import", str(self.folder / SECOND), held=True)
        tracer.attach(command.pid)
        command.go()
        wrong = ran(command)
        reader_killed = command.exit_code == 1 and TOO_MUCH_MEMORY in command.output  # the process that reads the file
        if wrong and not command.was_killed and not reader_killed:
            raise AssertionError(wrong)
        return command.was_killed or reader_killed

    def judge(self, reference: ReferenceRun) -> TrialResult:
        left = self.snapshot()
        found = self.outcome(left, reference)
        wrong: list[str] = []
        if found.outcome is ScenarioOutcome.NEITHER:
            wrong += _between(left, reference)
            found = TrialResult(ScenarioOutcome.PART)
        wrong += ran(self.carrete("import", str(self.folder / SECOND)))
        wrong += self.ledger.damage()
        if not (now := self.snapshot()).same_as(reference.after):
            wrong.append(f"after the import again: {difference(now, reference.after)}")
        return TrialResult(found.outcome, tuple(wrong))


def _between(left: Snapshot, reference: ReferenceRun) -> Iterator[str]:
    """An import commits first the people, then the spools in chunks by tag; each of these states is complete."""
    done = []
    for tag in tags(SPOOLS):
        now = left.of_tag(tag)
        done.append(now == reference.after.of_tag(tag))
        if not done[-1] and now != reference.before.of_tag(tag):
            yield f"{tag} is half imported"
    imported = sum(done)
    if done != [True] * imported + [False] * (SPOOLS - imported):
        yield "the spools that are in are not the first ones"
    elif imported % SPOOLS_PER_COMMIT and imported != SPOOLS:
        yield f"{imported} spools are in: {SPOOLS_PER_COMMIT} go together"
    if imported and _people(left) != _people(reference.after):
        yield "spools are in, and the people before them are not"
    if _people(left) not in (_people(reference.before), _people(reference.after)):
        yield "the people are half imported"


def _people(snapshot: Snapshot) -> object:
    return plain({table: snapshot.raw[table] for table in ("worker", "worker_role")})


def _write(path: Path, names: Sequence[str], ot: str, people: int) -> None:
    spools = [{TAG: tag, "OT": ot, "NV": "1335", "Fecha_Materiales": "2026-11-02", **_total(tag)} for tag in names]
    joints = [
        {TAG: tag, "N_UNION": str(n), "OT": ot, "DN_UNION": str(2 + n), "TIPO_UNION": "BW"}
        for tag in names[:JOINTED]
        for n in range(1, JOINTS + 1)
    ]
    workers = [{"Id": str(n), "Nombre": "Ana", "Apellido": "Soto", "Activo": "1"} for n in range(1, people + 1)]
    roles = [{"Id": str(n), "Rol": "Armador", "Activo": "1"} for n in range(1, people + 1)]
    with BookWriter(path) as book:
        book.write(OPERACIONES, spools)
        book.write(UNIONES, joints)
        book.write(TRABAJADORES, workers)
        book.write(ROLES, roles)
        book.write(WPS, [{"WPS": f"W-{n}", "Procesos": "GTAW", "Activo": "1"} for n in range(people)])
        book.write(CALIFICACIONES, [_qualified(n) for n in range(1, people + 1)])


def _qualified(worker_id: int) -> dict[str, str]:
    day, document = "2026-01-02", f"C-{worker_id}"
    return {"Worker_ID": str(worker_id), "Proceso": "GTAW", "Fecha": day, "Documento": document, "Activo": "1"}


def _total(tag: str) -> dict[str, str]:
    return {"Total_Uniones": str(JOINTS)} if tag in tags(JOINTED) else {}
