"""Which welds a rule selects (progressive random sampling, reproducible).

For each rule, OT and welder, `welded` joints were counted so far and `selected` of them. The next weld is selected when
the percentage would not be reached without it; otherwise, if the group is not one ahead already, when a hash of the
rule's seed and the joint falls below the percentage. So `selected` is the percentage rounded up, or one more, and the
welds that must be taken cannot be foreseen. Counters are never made from rows of joints, which an import can change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import NamedTuple

from carrete.domain.ndt.examination import Examination, ExamStatus, Origin
from carrete.domain.ndt.policy import NdtRule

_HASHES = 2**64


class GroupKey(NamedTuple):
    """`rule` is empty for examinations that were asked for by hand; those groups only owe."""

    rule: str
    ot: str
    welder: str
    method: str


@dataclass(frozen=True, slots=True)
class SampleGroup:
    key: GroupKey
    welded: int = 0
    selected: int = 0
    owed: int = 0  # additional examinations that no joint could be found for yet


@dataclass(frozen=True, slots=True)
class Draw:
    """That a rule counted the weld of a joint, in which group, and whether the joint is selected."""

    rule: str
    tag: str
    n_union: int
    group: GroupKey
    selected: bool


class Selection(NamedTuple):
    method: str
    origin: Origin
    rule: str
    seed: str
    welded: int
    selected: int


class Weld(NamedTuple):
    tag: str
    n_union: int
    tipo: str | None
    ot: str
    welder: str


def required(percent: int, welded: int) -> int:
    """The percentage of the welds, rounded up."""
    return (percent * welded + 99) // 100


def joint_hash(seed: str, rule: str, tag: str, n_union: int) -> int:
    text = "\x1f".join((seed, rule, tag, str(n_union)))
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big")


def falls_below(percent: int, hashed: int) -> bool:
    return hashed * 100 < percent * _HASHES


def in_drawn_order(joints: Iterable[tuple[str, int]], seed: str, rule: str) -> list[tuple[str, int]]:
    """The order in which additional joints are taken: by their hash, so that no person can choose."""
    return sorted(joints, key=lambda joint: (joint_hash(seed, rule, *joint), joint))


class Sampling:
    """The groups and draws that one transaction needs, as it changes them. They are loaded on first use: the groups of
    an OT and welder, the draws of a spool."""

    def __init__(
        self,
        rules: Sequence[NdtRule],
        load_groups: Callable[[str, str], Iterable[SampleGroup]],
        load_draws: Callable[[str], Iterable[Draw]],
    ) -> None:
        self._rules = rules
        self._load_groups, self._load_draws = load_groups, load_draws
        self._groups: dict[GroupKey, SampleGroup] = {}
        self._draws: dict[tuple[str, str, int], Draw] = {}
        self._pairs: set[tuple[str, str]] = set()
        self._tags: set[str] = set()
        self.changed_groups: dict[GroupKey, SampleGroup] = {}
        self.changed_draws: dict[tuple[str, str, int], Draw] = {}

    def weld(self, weld: Weld, in_any_case: Iterable[str], *, pays_debts: bool = True) -> list[Selection]:
        """Counts a new weld in every rule that covers it. `in_any_case` are methods by which it is examined anyway. A
        weld is taken for one examination of each method, however many rules select it. `pays_debts`: whether it can be
        an additional examination that its welder still owes."""
        self._know(weld)
        found: dict[str, Selection] = {}
        taken = set(in_any_case)
        for rule in self._rules:
            if rule.covers(weld.ot, weld.tipo):
                selection = self._draw(rule, weld, rule.method in taken)
                if selection and rule.method not in taken:
                    taken.add(rule.method)
                    found[rule.method] = selection
        for selection in self._owed(weld, taken) if pays_debts else ():
            found[selection.method] = selection
        return list(found.values())

    def _draw(self, rule: NdtRule, weld: Weld, asked: bool) -> Selection | None:
        group = self._counted(rule, weld)
        need = required(rule.percent, group.welded)
        forced = group.selected < need
        by_chance = group.selected == need and falls_below(
            rule.percent, joint_hash(rule.seed, rule.id, weld.tag, weld.n_union)
        )
        selected = asked or forced or by_chance
        if selected:
            group = self._put(replace(group, selected=group.selected + 1))
        self._put_draw(Draw(rule.id, weld.tag, weld.n_union, group.key, selected))
        if not selected:
            return None
        return Selection(rule.method, Origin.REGLA, rule.id, rule.seed, group.welded, group.selected)

    def _counted(self, rule: NdtRule, weld: Weld) -> SampleGroup:
        """The weld's group with the weld in it. A weld that was reopened is in its group already; made anew by another
        welder, or in another OT, it leaves that group."""
        key = GroupKey(rule.id, weld.ot, weld.welder, rule.method)
        earlier = self._draws.get((rule.id, weld.tag, weld.n_union))
        if earlier:
            before = self._groups.get(earlier.group, SampleGroup(earlier.group))
            gone = 0 if earlier.group == key else 1
            self._put(
                replace(
                    before,
                    welded=max(0, before.welded - gone),
                    selected=max(0, before.selected - int(earlier.selected)),
                )
            )
        group = self._groups.get(key, SampleGroup(key))
        again = earlier is not None and earlier.group == key
        return group if again else self._put(replace(group, welded=group.welded + 1))

    def _owed(self, weld: Weld, taken: set[str]) -> Iterable[Selection]:
        """The next welds of a welder pay for additional examinations that no joint was left for."""
        for group in [group for group in self._groups.values() if group.owed > 0]:
            rule, ot, welder, method = group.key
            if (ot, welder) == (weld.ot, weld.welder) and method not in taken:
                taken.add(method)
                group = self._put(replace(group, owed=group.owed - 1))
                seed = next((each.seed for each in self._rules if each.id == rule), "")
                yield Selection(method, Origin.ADICIONAL, rule, seed, group.welded, group.selected)

    def owe(self, exam: Examination, missing: int) -> None:
        self._know_pair(exam.ot, exam.welder)
        key = GroupKey(exam.rule, exam.ot, exam.welder, exam.method)
        group = self._groups.get(key, SampleGroup(key))
        self._put(replace(group, owed=group.owed + missing))

    def lose(self, exam: Examination) -> None:
        """The examination does not count any more. An additional one without a result is owed by its welder's next
        weld, also when another person welds this joint anew."""
        self.leave(exam)
        if exam.origin is Origin.ADICIONAL and exam.status is ExamStatus.PENDIENTE:
            self.owe(exam, 1)

    def leave(self, exam: Examination) -> None:
        """The examination leaves its sample: the group lacks one, and its next weld is selected instead."""
        for draw in self._draws_of(exam):
            if draw.selected:
                self._mark(draw, selected=False)

    def gain(self, exam: Examination) -> None:
        """A joint that was not selected is examined after all, by the rule's method: this settles what a group lacks. A
        group that lacks nothing stays as it is, so that nobody can lower its sample by asking for chosen joints."""
        percents = {rule.id: rule.percent for rule in self._rules}
        for draw in self._draws_of(exam):
            group = self._groups.get(draw.group, SampleGroup(draw.group))
            lacks = group.selected < required(percents.get(draw.rule, 0), group.welded)
            if lacks and not draw.selected:
                self._mark(draw, selected=True)

    def _draws_of(self, exam: Examination) -> list[Draw]:
        self._know_tag(exam.tag)
        of_joint = [draw for draw in self._draws.values() if (draw.tag, draw.n_union) == exam.joint]
        return [draw for draw in of_joint if draw.group.method == exam.method]

    def _mark(self, draw: Draw, *, selected: bool) -> None:
        group = self._groups.get(draw.group, SampleGroup(draw.group))
        self._put(replace(group, selected=max(0, group.selected + (1 if selected else -1))))
        self._put_draw(replace(draw, selected=selected))

    def _know(self, weld: Weld) -> None:
        self._know_tag(weld.tag)
        self._know_pair(weld.ot, weld.welder)

    def _know_tag(self, tag: str) -> None:
        if tag not in self._tags:
            self._tags.add(tag)
            for draw in self._load_draws(tag):
                self._draws[draw.rule, draw.tag, draw.n_union] = draw
                self._know_pair(draw.group.ot, draw.group.welder)

    def _know_pair(self, ot: str, welder: str) -> None:
        if (ot, welder) not in self._pairs:
            self._pairs.add((ot, welder))
            self._groups.update({group.key: group for group in self._load_groups(ot, welder)})

    def _put(self, group: SampleGroup) -> SampleGroup:
        self._groups[group.key] = self.changed_groups[group.key] = group
        return group

    def _put_draw(self, draw: Draw) -> None:
        key = (draw.rule, draw.tag, draw.n_union)
        self._draws[key] = self.changed_draws[key] = draw
