"""Counts the welds of each sampling rule again, from the events alone, and reports the selections that are wrong.

Only rules that name types of joints: a v3.0 spool, which only other rules cover, is a weld when its SOLD is complete,
and an edit of its holder in the workbook can reopen it without saying so."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256

from carrete.domain.ndt.policy import NdtRule
from carrete.domain.workers import labelled_id
from carrete_chaos.history import RecordedEvent
from carrete_chaos.ndt_evidence import NdtEvidence
from carrete_chaos.ndt_trail import SOLICITADO, Finding, Weld, ndt_of, weld_of, welds_undone

SAMPLED = "a sample reaches its percentage"
BY_RULE, AGAIN, BY_HAND = "regla", "reexamen", "manual"
_REGISTERS = ("UNION_SOLD_REGISTRADA", "REGISTRO_TARDIO")

Group = tuple[str, int]  # OT, welder


def required(percent: int, welded: int) -> int:
    return -(-percent * welded // 100)


def chosen_by_hash(rule: NdtRule, weld: Weld) -> bool:
    """Whether docs/ndt.md's hash selects this weld."""
    text = "\x1f".join((rule.seed, rule.id, weld[0], str(weld[1])))
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big") * 100 < rule.percent * 2**64


@dataclass(slots=True)
class SampleCount:
    """One rule: welds counted and welds selected of each OT and welder."""

    rule: NdtRule
    welded: dict[Group, int] = field(default_factory=lambda: defaultdict(int))
    selected: dict[Group, int] = field(default_factory=lambda: defaultdict(int))
    found: list[Finding] = field(default_factory=list)
    _draws: dict[Weld, tuple[Group, bool]] = field(default_factory=dict)

    def weld(self, fact: RecordedEvent, group: Group, request: RecordedEvent | None) -> None:
        """`request` is the examination by the rule's method that was asked for in the same commit."""
        self._leave_group(weld_of(fact))
        self.welded[group] += 1
        origin = ndt_of(request)["origen"] if request else ""
        self._require_right(fact, group, origin)
        is_selected = origin in (BY_RULE, AGAIN)
        self.selected[group] += is_selected
        self._draws[weld_of(fact)] = (group, is_selected)
        counted = (self.welded[group], self.selected[group])
        if request and origin == BY_RULE and (ndt_of(request)["soldadas"], ndt_of(request)["seleccionadas"]) != counted:
            self.found.append((SAMPLED, fact.tag, f"{request}, and {group} has {counted}"))

    def _leave_group(self, weld: Weld) -> None:
        """Takes a weld that was reopened out of the group in which it was counted."""
        if weld in self._draws:
            before, was_selected = self._draws[weld]
            self.welded[before] -= 1
            self.selected[before] -= was_selected

    def _require_right(self, fact: RecordedEvent, group: Group, origin: object) -> None:
        need, has = required(self.rule.percent, self.welded[group]), self.selected[group]
        by_chance = has == need and chosen_by_hash(self.rule, weld_of(fact))
        wanted = has < need or by_chance
        if origin != AGAIN and wanted is not (origin == BY_RULE):
            counts = f"{has} of {self.welded[group]} were selected, {self.rule.percent} % is {need}"
            self.found.append((SAMPLED, fact.tag, f"{fact} in {group}: {counts}; selected: {origin == BY_RULE}"))

    def lost(self, weld: Weld) -> None:
        self._mark(weld, selected=False)

    def left(self, tag: str) -> None:
        """The spool went to another OT: its welds leave the samples of the one before."""
        for weld in [weld for weld in self._draws if weld[0] == tag]:
            self._mark(weld, selected=False)

    def requested_by_hand(self, weld: Weld) -> None:
        """An examination by hand counts for the welds that a group still lacks."""
        group, is_selected = self._draws.get(weld, (("", 0), True))
        if not is_selected and self.selected[group] < required(self.rule.percent, self.welded[group]):
            self._mark(weld, selected=True)

    def _mark(self, weld: Weld, *, selected: bool) -> None:
        if weld in self._draws:
            group, was = self._draws[weld]
            self.selected[group] += selected - was
            self._draws[weld] = (group, selected)


def findings(facts: Iterable[RecordedEvent], ndt: NdtEvidence) -> Iterator[Finding]:
    by_seq = sorted(facts, key=lambda f: f.seq)
    requests: dict[tuple[Weld, str, str], RecordedEvent] = {}
    for fact in by_seq:
        if fact.tipo == SOLICITADO and ndt_of(fact)["origen"] in (BY_RULE, AGAIN) and not ndt_of(fact)["ronda"]:
            requests.setdefault((weld_of(fact), str(ndt_of(fact)["metodo"]), fact.version), fact)
    for rule in ndt.rules:
        if rule.types:
            count = _counted(rule, by_seq, requests)
            yield from count.found
            yield from _as_the_rows_say(count, ndt)


def _counted(
    rule: NdtRule, facts: Iterable[RecordedEvent], requests: dict[tuple[Weld, str, str], RecordedEvent]
) -> SampleCount:
    count, ots = SampleCount(rule), defaultdict[str, str](str)
    for fact in facts:
        weld = weld_of(fact)
        if fact.typed and fact.typed.column == "OT" and not fact.typed.n_union and fact.accepted:
            ots[fact.tag] = fact.typed.value
            count.left(fact.tag)
        elif fact.tipo in _REGISTERS and fact.operacion == "SOLD" and fact.n_union:
            count.weld(fact, (ots[fact.tag], fact.worker_id or 0), requests.get((weld, rule.method, fact.version)))
        elif fact.tipo == SOLICITADO and ndt_of(fact)["origen"] == BY_HAND and ndt_of(fact)["metodo"] == rule.method:
            count.requested_by_hand(weld)
        for undone in welds_undone(fact):
            count.lost(undone)
    return count


def _as_the_rows_say(count: SampleCount, ndt: NdtEvidence) -> Iterator[Finding]:
    """The counters at rest; a group without welds may have no row."""
    rows = {
        (group.key.ot, labelled_id(group.key.welder) or 0): (group.welded, group.selected)
        for group in ndt.groups
        if group.key.rule == count.rule.id
    }
    for group in sorted({*rows, *count.welded}):
        counted = (count.welded[group], count.selected[group])
        if rows.get(group, (0, 0)) != counted:
            yield SAMPLED, "", f"{count.rule.method} of {group}: its row says {rows.get(group)}, its events {counted}"
