"""The checker itself: it reports nothing in a correct history and every fault in a wrong one."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from carrete_chaos.at_rest import is_typed_again, removes_unknown_holder
from carrete_chaos.checker import check
from carrete_chaos.history import (
    ActionCall,
    ActionDone,
    ActionRefused,
    ActionUnanswered,
    CampaignEvidence,
    RecordedEvent,
    ReplacedEdit,
    SheetAtRest,
    SheetEdit,
    StoredKey,
    TypedCell,
)
from carrete_chaos.sheet_editor import UNKNOWN_HOLDER

TAGS = ("A", "B", "C")
OPERACIONES = "Operaciones"


def label(worker: int | None) -> str:
    return f"AS({worker})" if worker else ""


class TabletFloor:
    """A correct history of a shop, with calls that overlap, get lost and never get an answer."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.now = 0.0
        self.holder: dict[str, int | None] = dict.fromkeys(TAGS)
        self.token: dict[str, str] = dict.fromkeys(TAGS, "")
        self.calls: list[ActionCall] = []
        self.facts: list[RecordedEvent] = []
        self.keys: dict[str, StoredKey] = {}
        self.edits: list[SheetEdit] = []
        self.replaced: list[ReplacedEdit] = []
        self.ot: dict[str, str] = dict.fromkeys(TAGS, "")

    def run(self, calls: int) -> CampaignEvidence:
        for number in range(calls):
            self.now += self.rng.expovariate(1.0)
            self._one(f"k{number}")
            if self.rng.random() < 0.2:
                self._person(number)
        holders = {tag: worker for tag, worker in self.holder.items() if worker is not None}
        locks = {tag: f"{worker}:x" for tag, worker in holders.items()}
        self.rng.shuffle(self.calls)
        streamed = [f.seq for f in self.facts]
        return CampaignEvidence(
            self.calls, self.facts, self.keys, holders, locks, dict(locks), streamed, self.edits, self._sheet()
        )

    def _sheet(self) -> SheetAtRest:
        """Right, with one row that waits for a person and says so."""
        waiting = (OPERACIONES, "waiting", 0)
        rows = {(OPERACIONES, tag, 0): {"Ocupado_Por": label(self.holder[tag]), "OT": self.ot[tag]} for tag in TAGS}
        ledger = {**rows, waiting: {"Ocupado_Por": "", "OT": ""}}
        rows = {**rows, waiting: {"Ocupado_Por": "ZZ(4711)", "OT": ""}}
        ids = [f"e{fact.seq}" for fact in self.facts]
        return SheetAtRest(rows, ledger, frozenset({waiting}), ids, list(ids), self.replaced)

    def _person(self, number: int) -> None:
        """Typed some time ago, read now; some of it came too late, and some of it was so already."""
        tag = self.rng.choice(TAGS)
        at = self.now - self.rng.expovariate(0.5)
        if self.rng.random() < 0.4:
            self._typed(tag, TypedCell(OPERACIONES, 0, "OT", f"E-{number}"), self.ot[tag], at)
            self.ot[tag] = f"E-{number}"
            return
        wanted = self.rng.choice((None, None, self.rng.randint(1, 4)))
        typed = TypedCell(OPERACIONES, 0, "Ocupado_Por", label(wanted))
        if wanted == self.holder[tag]:
            edit = SheetEdit(tag, typed, at)
            self.edits.append(edit)
            self.replaced.append(ReplacedEdit(edit, self.now))
        elif self.rng.random() < 0.2:
            self._typed(tag, typed, label(7), at, accepted=False)
        else:
            was, self.holder[tag] = self.holder[tag], wanted
            self._typed(tag, typed, label(was), at)

    def _typed(self, tag: str, typed: TypedCell, was: str, at: float, accepted: bool = True) -> None:
        self.edits.append(SheetEdit(tag, typed, at))
        if self.rng.random() < 0.3:
            self.replaced.append(ReplacedEdit(self.edits[-1], self.now + 1))
        self.token[tag] = f"v{len(self.facts)}"
        fact = RecordedEvent(len(self.facts) + 1, tag, "EDICION_EXTERNA", None, None, self.token[tag], None)
        self.facts.append(replace(fact, typed=typed, was=was, accepted=accepted))

    def _one(self, key: str) -> None:
        """It happens now; it was asked some time before and is answered some time after."""
        tag, worker = self.rng.choice(TAGS), self.rng.randint(1, 4)
        held = self.holder[tag]
        accion = "tomar" if held is None or self.rng.random() < 0.4 else "pausar"
        if accion == "pausar" and self.rng.random() < 0.8:
            worker = held or worker
        began, ended = self.now - self.rng.expovariate(0.5), self.now + self.rng.expovariate(0.5)
        outcome = self._decided(accion, tag, worker)
        status = 200 if isinstance(outcome, ActionDone) else outcome.status
        body: dict[str, Any] = {"code": getattr(outcome, "code", None), "owner_id": getattr(outcome, "owner_id", None)}
        if isinstance(outcome, ActionDone):
            body = {"version": outcome.version, "action_taken": outcome.accion}
        reply: ActionDone | ActionRefused | ActionUnanswered = outcome
        fate = self.rng.random()
        if fate < 0.1:  # the answer was lost
            reply, ended = ActionUnanswered(), math.inf
        self.keys[key] = StoredKey(status, body)
        self.calls.append(ActionCall(key, worker, accion, tag, "ARM", began, ended, reply))

    def _decided(self, accion: str, tag: str, worker: int) -> ActionDone | ActionRefused:
        held = self.holder[tag]
        if accion == "tomar" and held == worker:
            return ActionDone(self.token[tag], "TOMAR")
        if accion == "tomar" and held is not None:
            return ActionRefused(409, "SPOOL_OCCUPIED", held)
        if accion == "pausar" and held != worker:
            return ActionRefused(403 if held else 400, "NO_AUTORIZADO" if held else "OPERACION_NO_INICIADA")
        self.holder[tag] = worker if accion == "tomar" else None
        self.token[tag] = f"v{len(self.facts)}"
        tipo = "TOMAR_SPOOL" if accion == "tomar" else "PAUSAR_SPOOL"
        self.facts.append(RecordedEvent(len(self.facts) + 1, tag, tipo, worker, "ARM", self.token[tag], None))
        return ActionDone(self.token[tag], accion.upper())


def rules(evidence: CampaignEvidence) -> set[str]:
    return {violation.rule for violation in check(evidence)}


def an_ack(evidence: CampaignEvidence, accion: str = "tomar") -> ActionCall:
    """A success that changed something."""
    versions = {call.outcome.version for call in evidence.calls if isinstance(call.outcome, ActionDone)}
    changed = [f.version for f in evidence.facts if f.version in versions and f.typed is None]
    return next(
        call
        for call in evidence.calls
        if call.accion == accion and isinstance(call.outcome, ActionDone) and call.outcome.version in changed
    )


@pytest.mark.parametrize("seed", range(20))
class TestWhatIsWrongIsFound:
    def test_an_acknowledged_action_that_is_not_in_the_ledger(self, seed: int) -> None:
        evidence = TabletFloor(seed).run(60)
        lost = an_ack(evidence)
        facts = [f for f in evidence.facts if f.version != lost.outcome.version]  # type: ignore[union-attr]
        assert "acknowledged is kept" in rules(replace(evidence, facts=facts))

    def test_an_event_that_nobody_asked_for(self, seed: int) -> None:
        evidence = TabletFloor(seed).run(60)
        ghost = replace(evidence.facts[-1], seq=999, version="ghost", tipo="CORRECCION")
        assert "each change has a cause" in rules(replace(evidence, facts=[*evidence.facts, ghost]))

    def test_an_event_under_another_name(self, seed: int) -> None:
        evidence = TabletFloor(seed).run(60)
        version = an_ack(evidence).outcome.version  # type: ignore[union-attr]
        facts = [replace(f, worker_id=77) if f.version == version else f for f in evidence.facts]
        assert "as answered" in rules(replace(evidence, facts=facts))

    def test_an_answer_that_the_ledger_does_not_remember(self, seed: int) -> None:
        evidence = TabletFloor(seed).run(60)
        keys = {k: v for k, v in evidence.keys.items() if k != an_ack(evidence).key}
        assert "answers are final" in rules(replace(evidence, keys=keys))

    def test_a_refusal_that_names_a_worker_who_never_held_it(self, seed: int) -> None:
        evidence = TabletFloor(seed).run(60)
        call = ActionCall("new", 1, "tomar", "A", "ARM", 5.0, 6.0, ActionRefused(409, "SPOOL_OCCUPIED", 55))
        keys = {**evidence.keys, "new": StoredKey(409, {"code": "SPOOL_OCCUPIED", "owner_id": 55})}
        assert "linearizable" in rules(replace(evidence, calls=[*evidence.calls, call], keys=keys))

    def test_an_action_asked_after_a_later_one_in_the_ledger_was_answered(self, seed: int) -> None:
        evidence = TabletFloor(seed).run(200)
        pauses = [c for c in evidence.calls if isinstance(c.outcome, ActionDone) and c.accion == "pausar"]
        by_version = {c.outcome.version: c for c in pauses if c.ended < math.inf}  # type: ignore[union-attr]
        first, *_, last = [by_version[f.version] for f in evidence.facts if f.version in by_version and f.tag == "A"]
        late = replace(first, began=last.ended + 10, ended=last.ended + 11)
        calls = [late if call.key == first.key else call for call in evidence.calls]
        assert "linearizable" in rules(replace(evidence, calls=calls))

    def test_a_lock_that_is_no_occupation(self, seed: int) -> None:
        evidence = TabletFloor(seed).run(60)
        assert rules(replace(evidence, locks={**(evidence.locks or {}), "Z": "1:x"})) == {"locks"}

    def test_a_gap_in_the_stream(self, seed: int) -> None:
        evidence = TabletFloor(seed).run(60)
        assert rules(replace(evidence, streamed=(evidence.streamed or [])[1:])) == {"stream"}


def an_edit(evidence: CampaignEvidence, column: str) -> RecordedEvent:
    """Of a person, and obeyed."""
    typed = [fact for fact in evidence.facts if fact.typed and fact.typed.column == column and fact.accepted]
    return typed[-1]


def with_sheet(evidence: CampaignEvidence, **changed: Any) -> CampaignEvidence:
    assert evidence.sheet is not None
    return replace(evidence, sheet=replace(evidence.sheet, **changed))


@pytest.mark.parametrize("seed", range(20))
class TestWhatIsWrongWithTheSheetIsFound:
    def test_an_edit_that_nobody_made(self, seed: int) -> None:
        evidence = TabletFloor(seed).run(60)
        typed = an_edit(evidence, "OT").typed
        edits = [edit for edit in evidence.edits if edit.typed != typed]
        assert rules(replace(evidence, edits=edits)) == {"each change has a cause"}

    def test_an_edit_that_counted_before_it_was_made(self, seed: int) -> None:
        evidence = TabletFloor(seed).run(60)
        fact = an_edit(evidence, "OT")
        edits = [replace(e, at=1e9) if (e.tag, e.typed) == (fact.tag, fact.typed) else e for e in evidence.edits]
        later = ActionCall("late", 9, "tomar", fact.tag, "ARM", 1e6, 1e6 + 1, ActionDone("late", "TOMAR"))
        taken = RecordedEvent(10_000, fact.tag, "TOMAR_SPOOL", 9, "ARM", "late", None)
        found = rules(replace(evidence, edits=edits, calls=[*evidence.calls, later], facts=[*evidence.facts, taken]))
        assert "linearizable" in found

    def test_an_edit_that_acted_on_somebody_whom_nobody_saw_there(self, seed: int) -> None:
        evidence = TabletFloor(seed).run(60)
        fact = an_edit(evidence, "Ocupado_Por")
        facts = [replace(each, was=label(77)) if each is fact else each for each in evidence.facts]
        assert "one holder" in rules(replace(evidence, facts=facts))

    def test_an_edit_that_took_effect_and_was_not_recorded(self, seed: int) -> None:
        evidence = TabletFloor(seed).run(60)
        fact = an_edit(evidence, "Ocupado_Por")
        assert rules(replace(evidence, facts=[each for each in evidence.facts if each is not fact]))

    def test_an_edit_that_was_read_replaced_and_forgotten(self, seed: int) -> None:
        evidence = TabletFloor(seed).run(60)
        lost = SheetEdit("A", TypedCell(OPERACIONES, 0, "OT", "lost"), 1.0)
        assert rules(with_sheet(evidence, replaced=[ReplacedEdit(lost, 2.0)])) == {"edits are recorded"}

    def test_a_holder_that_was_read_replaced_and_never_held_it(self, seed: int) -> None:
        evidence = TabletFloor(seed).run(60)
        lost = SheetEdit("A", TypedCell(OPERACIONES, 0, "Ocupado_Por", label(77)), 1.0)
        assert rules(with_sheet(evidence, replaced=[ReplacedEdit(lost, 1e9)])) == {"edits are recorded"}

    def test_a_success_of_somebody_who_does_not_hold_what_a_person_gave_away(self, seed: int) -> None:
        evidence = TabletFloor(seed).run(60)
        fact = an_edit(evidence, "Ocupado_Por")
        call = ActionCall("new", 77, "tomar", fact.tag, "ARM", 1.0, 1e9, ActionDone(fact.version, "TOMAR"))
        keys = {**evidence.keys, "new": StoredKey(200, {"version": fact.version, "action_taken": "TOMAR"})}
        assert "as answered" in rules(replace(evidence, calls=[*evidence.calls, call], keys=keys))

    def test_a_row_that_was_never_written(self, seed: int) -> None:
        evidence = TabletFloor(seed).run(60)
        assert evidence.sheet is not None
        rows = {place: cells for place, cells in evidence.sheet.rows.items() if place[1] != "A"}
        assert rules(with_sheet(evidence, rows=rows)) == {"sheet"}

    def test_a_cell_that_says_something_else(self, seed: int) -> None:
        evidence = TabletFloor(seed).run(60)
        assert evidence.sheet is not None
        rows = {**evidence.sheet.rows, (OPERACIONES, "B", 0): {"OT": "another row's"}}
        assert rules(with_sheet(evidence, rows=rows)) == {"sheet"}

    def test_a_row_that_waits_for_a_person_and_is_not_listed(self, seed: int) -> None:
        assert rules(with_sheet(TabletFloor(seed).run(60), listed=frozenset())) == {"sheet"}

    @pytest.mark.parametrize("wrong", [lambda ids: ids[1:], lambda ids: [*ids, ids[0]], lambda ids: ids[::-1]])
    def test_an_event_that_is_missing_twice_there_or_out_of_order(self, seed: int, wrong: Any) -> None:
        evidence = TabletFloor(seed).run(60)
        assert evidence.sheet is not None
        assert rules(with_sheet(evidence, events=wrong(list(evidence.sheet.events)))) == {"sheet events"}


def test_two_people_who_both_got_a_success_for_one_spool() -> None:
    first = ActionCall("a", 1, "tomar", "A", "ARM", 0.0, 1.0, ActionDone("v1", "TOMAR"))
    second = ActionCall("b", 2, "tomar", "A", "ARM", 2.0, 3.0, ActionDone("v2", "TOMAR"))
    facts = [RecordedEvent(n, "A", "TOMAR_SPOOL", n, "ARM", f"v{n}", None) for n in (1, 2)]
    keys = {k: StoredKey(200, {"version": v, "action_taken": "TOMAR"}) for k, v in (("a", "v1"), ("b", "v2"))}
    assert {"holds overlap", "one holder"} <= rules(CampaignEvidence([first, second], facts, keys, {"A": 2}))


def test_taking_away_a_holder_who_does_not_exist_is_no_edit_when_the_cell_says_again_what_it_said() -> None:
    def typed(value: str, at: float, over: str) -> SheetEdit:
        return SheetEdit("A", TypedCell(OPERACIONES, 0, "Ocupado_Por", value), at, over)

    nobody, undone, freed = typed(UNKNOWN_HOLDER, 1.0, ""), typed("", 2.0, UNKNOWN_HOLDER), typed("", 3.0, label(1))
    of_a_holder = typed(UNKNOWN_HOLDER, 1.0, label(1))
    assert removes_unknown_holder(undone, [nobody, undone])
    assert not removes_unknown_holder(undone, [of_a_holder, undone]), "whoever held it is freed"
    assert not removes_unknown_holder(freed, [nobody, undone, freed])


def test_a_value_that_was_gone_for_a_moment_may_never_have_been_gone_for_the_lane() -> None:
    def typed(value: str, at: float, over: str, tag: str = "A") -> SheetEdit:
        return SheetEdit(tag, TypedCell(OPERACIONES, 0, "Ocupado_Por", value), at, over)

    freed, again = typed("", 1.0, label(1)), typed(label(1), 2.0, "")
    other = typed(label(2), 1.5, "")
    assert is_typed_again(again, [freed, again], 3.0)
    assert is_typed_again(typed(label(1), 2.0, label(2)), [freed, other, again], 3.0)
    assert not is_typed_again(again, [freed, again], 0.5), "so long ago that a read in between was saved"
    assert not is_typed_again(again, [again], 3.0), "a write of ours had replaced it, and its stamp tells"
    assert not is_typed_again(again, [typed("", 1.0, label(1), "B"), again], 3.0)
    assert not is_typed_again(other, [freed, other], 3.0), "it says something else than before"
