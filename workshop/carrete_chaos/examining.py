"""What supervisors, examiners and welders do about examinations of welds (NDT) in a campaign."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from carrete_chaos import shop
from carrete_chaos.ndt_log import METHODS, REPAIR, REQUEST, RESULT, ExamBoard
from carrete_chaos.sending import ATTEMPT_S_MAX, Choice, TabletFloor
from carrete_chaos.wire import NoAnswer, get

SHOWN = 200
REJECTS = 0.4
REJECTS_AGAIN = 0.7  # after a first repair: so that some joints are repaired several times
ANY_JOINT = 0.1  # of the requests, also of joints that are not welded
REEXAMINES = 0.6  # of the results, of repaired joints first
RIVALS = 0.15  # of the results, that two people record at the same moment
APPROVES_OPEN = 0.5  # of the inspections, the approval of a spool with an open examination
DEFECTS = ("POROSIDAD", "ESCORIA", "GRIETA")
_NOT_SENT = "ronda"  # a field for the campaign alone, which the request leaves out


@dataclass(frozen=True, slots=True)
class ExamChoice(Choice):
    @property
    def path(self) -> str:
        return f"/api/{self.accion}"

    def content(self, named: int | None) -> bytes:
        body = {name: value for name, value in self.more.items() if name != _NOT_SENT}
        who = {} if named is None else {"supervisor_id" if self.accion == REQUEST else "worker_id": named}
        return json.dumps({"tag_spool": self.tag, **body, **who}).encode()


async def look(floor: TabletFloor, cookies: Mapping[str, str], rng: Random) -> None:
    """Reads the work lists."""
    port = rng.choice(floor.ports)
    try:
        lists = [
            await get(port, f"/api/ndt?estado={status}&limit={SHOWN}", ATTEMPT_S_MAX, cookies)
            for status in ("PENDIENTE", "POR_REPARAR")
        ]
    except NoAnswer:
        return
    if all(answer.status == 200 for answer in lists):
        floor.exams.pending, floor.exams.to_repair = (answer.body["ensayos"] for answer in lists)


@dataclass(frozen=True, slots=True)
class ExamChoices:
    board: ExamBoard
    jointed: Sequence[str]
    rng: Random

    def request(self) -> Choice:
        """A request by hand. No other request has the same reason, so that its events can be matched with it."""
        tag, joints = self.rng.choice(self.board.welds) if self.board.welds else ("", ())
        if not tag or self.rng.random() < ANY_JOINT:
            tag, joints = self.rng.choice(self.jointed), tuple(range(1, shop.JOINTS + 1))
        more: dict[str, Any] = {"metodo": self.rng.choice(METHODS), "motivo": f"campaña {self.rng.getrandbits(64):x}"}
        if joints:
            more["unions"] = sorted(self.rng.sample(joints, self.rng.randint(1, min(2, len(joints)))))
        return ExamChoice(REQUEST, tag, "", more)

    def results(self) -> list[Choice]:
        """The results of one examination, now and then of two people at once. Each has a report number of its own."""
        again = [exam for exam in self.board.pending if exam["ronda"]]
        waiting = again if again and self.rng.random() < REEXAMINES else self.board.pending
        if not waiting:
            return []
        exam = self.rng.choice(waiting)
        return [self._result(exam) for _ in range(2 if self.rng.random() < RIVALS else 1)]

    def _result(self, exam: Mapping[str, Any]) -> Choice:
        rejected = self.rng.random() < (REJECTS_AGAIN if exam["ronda"] == 1 else REJECTS)
        more = {
            "examen": exam["id"],
            "resultado": "RECHAZADO" if rejected else "APROBADO",
            "informe": f"INF-{self.rng.getrandbits(64):x}",
        }
        if rejected:
            more["defectos"] = self.rng.sample(DEFECTS, self.rng.randint(1, 2))
        return ExamChoice(RESULT, exam["tag_spool"], "", more)

    def repair(self) -> Choice | None:
        if not self.board.to_repair:
            return None
        exam = max(self.rng.sample(self.board.to_repair, min(3, len(self.board.to_repair))), key=lambda e: e["ronda"])
        more = {"ronda": exam["ronda"], **({"n_union": exam["n_union"]} if exam["n_union"] else {})}
        return ExamChoice(REPAIR, exam["tag_spool"], "", more)

    def approval(self) -> Choice | None:
        """The approval of a spool that has an open examination, as far as this person knows."""
        if not self.board.pending or self.rng.random() > APPROVES_OPEN:
            return None
        whole = [exam for exam in self.board.pending if not exam["n_union"]]  # complete, and so in the inspection queue
        tag = self.rng.choice(whole or self.board.pending)["tag_spool"]
        return Choice("inspeccionar", tag, "METROLOGIA", {"resultado": "APROBADO"})
