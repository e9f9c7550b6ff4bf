"""What a worker does next, by what they believe to hold."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from carrete_chaos import shop
from carrete_chaos.examining import ExamChoices
from carrete_chaos.hand_over_rules import ACCEPT, OFFER, WITHDRAW
from carrete_chaos.history import KEEP_ON, ActionCall, ActionDone, ActionRefused
from carrete_chaos.ndt_log import NDT_ACTIONS
from carrete_chaos.note_rules import NOTE
from carrete_chaos.sending import Choice, TabletFloor

# Shares of all actions of workers; the rest is taking spools, and ending what they hold.
ENDS_ANYTHING = 0.05
HANDS_OVER = 0.2
NOTES = 0.05
KEEPS_ON = 0.04
REPAIRS = 0.06  # a joint that an examination rejected
TAKES = 0.3  # although they hold something
RECEIVERS = 6
LATEST = 4  # of the offers that a worker may accept
ABOUT_A_JOINT = 0.4  # of the notes; some of them about a joint that there is not


@dataclass(slots=True)
class CrewMember:
    worker_id: int
    holding: dict[str, str] = field(default_factory=dict)  # tag → operation, as far as this person knows

    def learn(self, call: ActionCall) -> None:
        refused = call.outcome.code if isinstance(call.outcome, ActionRefused) else None
        if call.accion == NOTE or call.accion in NDT_ACTIONS:
            return
        if call.accion == "cadena":
            self._learn_of_chain(call)
        elif call.accion in (OFFER, WITHDRAW, KEEP_ON):
            if refused in ("NO_AUTORIZADO", "OPERACION_NO_INICIADA"):
                self.holding.pop(call.tag, None)
        elif call.takes and refused is None:
            self.holding[call.tag] = call.operacion
        elif not call.takes and refused != "UNION_NO_DISPONIBLE":
            self.holding.pop(call.tag, None)

    def _learn_of_chain(self, call: ActionCall) -> None:
        last = call.taps[-1]
        if isinstance(call.outcome, ActionDone) and last.accion in ("TOMAR", "INICIAR"):
            self.holding[call.tag] = last.operacion
        else:
            self.holding.pop(call.tag, None)


@dataclass(frozen=True, slots=True)
class NoteChoice(Choice):
    """A note about the spool or a joint. No other note has its text."""

    @property
    def path(self) -> str:
        return f"/api/spools/{self.tag}/notas"

    def content(self, named: int | None) -> bytes:
        who = {} if named is None else {"worker_id": named}
        return json.dumps({**self.more, **who}).encode()


@dataclass(frozen=True, slots=True)
class WorkerChoices:
    floor: TabletFloor
    rng: Random

    def choose(self, person: CrewMember) -> Choice:
        options: list[tuple[float, Callable[[], Choice]]] = [
            (ENDS_ANYTHING, self.end_anything),
            (HANDS_OVER, lambda: self._hand_over(person)),
            (NOTES, self._note),
            (KEEPS_ON, lambda: self._keep_on(person)),
            (REPAIRS, self._repair),
            (TAKES, self._take),
        ]
        chance = self.rng.random()
        for share, option in options:
            if chance < share:
                return option()
            chance -= share
        return self._end(person, self.rng.choice(sorted(person.holding))) if person.holding else self._take()

    def end_anything(self) -> Choice:
        """Ends any spool, as by a tap on the wrong card; its holder must keep it."""
        tag = self.rng.choice(self.floor.whole)
        return Choice(self.rng.choice(("pausar", "cancelar")), tag, self.rng.choice(("ARM", "SOLD")))

    def _any_tag(self) -> str:
        return self.rng.choice(self.rng.choice((self.floor.whole, self.floor.jointed)))

    def _take(self) -> Choice:
        """Mostly a spool that may be free; sometimes one that this worker holds, or one that another certainly
        holds."""
        tag = self._any_tag()
        operacion = self.rng.choices(("ARM", "SOLD", "REPARACION"), (5, 4, 2))[0]
        by_joint = self.floor.is_jointed(tag) and operacion != "REPARACION"
        return Choice("iniciar" if by_joint else "tomar", tag, operacion)

    def _end(self, person: CrewMember, tag: str) -> Choice:
        operacion = person.holding[tag]
        if self.floor.is_jointed(tag) and operacion != "REPARACION":
            ticked = sorted(self.rng.sample(range(1, shop.JOINTS + 1), self.rng.choice((0, 1, 1, 2, 3))))
            return Choice("finalizar", tag, operacion, {"selected_unions": ticked})
        return Choice(self.rng.choices(("pausar", "cancelar", "completar"), (5, 3, 2))[0], tag, operacion)

    def _keep_on(self, person: CrewMember) -> Choice:
        """Of a spool in hand, or, as from a page that is out of date, of one that somebody else may hold."""
        if person.holding and self.rng.random() < 0.8:
            tag = self.rng.choice(sorted(person.holding))
            return Choice(KEEP_ON, tag, person.holding[tag])
        return Choice(KEEP_ON, self._any_tag(), self.rng.choice(("ARM", "SOLD")))

    def _repair(self) -> Choice:
        return ExamChoices(self.floor.exams, self.floor.jointed, self.rng).repair() or self._take()

    def _note(self) -> Choice:
        tag = self._any_tag()
        more: dict[str, Any] = {"texto": f"campaña {self.rng.getrandbits(64):x}"}
        if self.rng.random() < ABOUT_A_JOINT:
            more["n_union"] = self.rng.randint(1, shop.JOINTS + 1)
        return NoteChoice(NOTE, tag, "", more)

    def _hand_over(self, person: CrewMember) -> Choice:
        """Offers what this worker holds, takes the offer back, or accepts what somebody offered lately."""
        holding, offered = person.holding, self.floor.offered
        if offered and (not holding or self.rng.random() < 0.5):
            return Choice(ACCEPT, *offered[-1 - self.rng.randrange(min(LATEST, len(offered)))])
        if not holding:
            return self._take()
        tag = self.rng.choice(sorted(holding))
        operacion = holding[tag]
        if self.rng.random() < 0.25:
            return Choice(WITHDRAW, tag, operacion)
        more: dict[str, Any] = {}
        if self.rng.random() < 0.2:
            more["receptor_id"] = shop.FIRST_WORKER + self.rng.randrange(RECEIVERS)
        if self.floor.is_jointed(tag) and operacion != "REPARACION" and self.rng.random() < 0.3:
            more["selected_unions"] = [self.rng.randint(1, shop.JOINTS)]
        self.floor.offered.append((tag, operacion))
        return Choice(OFFER, tag, operacion, more)
