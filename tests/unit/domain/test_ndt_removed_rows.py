"""Sampling while rows come and go: a weld that is finished while its row is out of the sheet counts like any other."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

from hypothesis import given, settings
from hypothesis import strategies as st

from carrete.domain.events import Event, EventoTipo
from carrete.domain.joints import Joint
from carrete.domain.ndt.examination import Examination, ExamStatus
from carrete.domain.ndt.policy import NdtRule
from carrete.domain.ndt.sampling import Draw, GroupKey, SampleGroup, Sampling, required
from carrete.domain.ndt.weld_changes import WeldChange, follow_welds, merged
from carrete.domain.spool import Estado, Spool
from tests.support.builders import EARLIER, NOW, a_joint, a_spool

TAGS = ("MK-1", "MK-2", "MK-3")
WELDERS = ("MR(93)", "JS(8)")
JOINTS = range(1, 13)
ARMED = {"arm_fin": EARLIER, "arm_worker": "LP(7)"}


class Yard:
    """Spools whose joints are welded on the floor while a person removes rows from the sheet and puts them back."""

    def __init__(self, *rules: NdtRule) -> None:
        self.rules = rules
        self.spools = {tag: a_spool(tag, total_uniones=len(JOINTS), arm=Estado.COMPLETADO) for tag in TAGS}
        self.joints = {tag: {n: a_joint(n, tag, **ARMED) for n in JOINTS} for tag in TAGS}
        self.exams: dict[str, list[Examination]] = {tag: [] for tag in TAGS}
        self.groups: dict[GroupKey, SampleGroup] = {}
        self.draws: dict[tuple[str, str, int], Draw] = {}
        self._ids = count()

    def weld(self, tag: str, n_union: int, welder: str) -> tuple[Event, ...]:
        joint = replace(self.joints[tag][n_union], sol_fin=NOW, sol_worker=welder)
        return self._become(self.spools[tag], joint, sample=True)

    def show(self, tag: str, shown: bool) -> tuple[Event, ...]:
        return self._become(replace(self.spools[tag], retired=not shown), None, sample=False)

    def pending(self, tag: str) -> list[int]:
        return sorted({exam.n_union for exam in self.exams[tag] if exam.status is ExamStatus.PENDIENTE})

    def _become(self, after: Spool, joint: Joint | None, *, sample: bool) -> tuple[Event, ...]:
        tag, before = after.tag, self.joints[after.tag]
        joints = {**before, joint.n_union: joint} if joint else before
        welds = WeldChange(self.spools[tag], after, before, joints, self.exams[tag], NOW, self._new_id, {})
        sampling = Sampling(self.rules if sample else (), self._groups_of, self._draws_of)
        effect = follow_welds(welds, sampling, sample=sample)
        self.groups.update(sampling.changed_groups)
        self.draws.update(sampling.changed_draws)
        self.exams[tag] = merged(self.exams[tag], effect.exams)
        self.spools[tag], self.joints[tag] = after, joints
        return effect.events

    def _new_id(self) -> str:
        return f"e{next(self._ids)}"

    def _groups_of(self, ot: str, welder: str) -> list[SampleGroup]:
        return [group for key, group in self.groups.items() if (key.ot, key.welder) == (ot, welder)]

    def _draws_of(self, tag: str) -> list[Draw]:
        return [draw for draw in self.draws.values() if draw.tag == tag]


def a_yard(percent: int = 100) -> Yard:
    return Yard(NdtRule("r1", "RT", percent, "5eed"))


def test_a_weld_out_of_the_sheet_is_asked_for_voided_and_examined_when_its_row_is_back() -> None:
    yard = a_yard()
    yard.show("MK-1", False)
    events = yard.weld("MK-1", 3, "MR(93)")
    assert [event.tipo for event in events] == [EventoTipo.NDT_SOLICITADO, EventoTipo.NDT_ANULADO]
    assert (events[0].metadata["soldadas"], events[0].metadata["seleccionadas"]) == (1, 1)
    assert yard.pending("MK-1") == []
    yard.show("MK-1", True)
    assert yard.pending("MK-1") == [3]


def test_the_next_weld_is_taken_in_the_place_of_one_that_is_out_of_the_sheet() -> None:
    yard = a_yard(1)
    yard.show("MK-1", False)
    yard.weld("MK-1", 1, "MR(93)")
    yard.weld("MK-2", 1, "MR(93)")
    assert yard.pending("MK-2") == [1]


def test_a_weld_out_of_the_sheet_pays_no_additional_examination() -> None:
    yard = Yard()
    key = GroupKey("", "", "MR(93)", "PT")
    for tag in TAGS:
        yard.spools[tag] = replace(yard.spools[tag], ot="")
    yard.groups[key] = SampleGroup(key, owed=1)
    yard.show("MK-1", False)
    yard.weld("MK-1", 1, "MR(93)")
    assert yard.groups[key].owed == 1
    yard.weld("MK-2", 1, "MR(93)")
    assert (yard.groups[key].owed, yard.pending("MK-2")) == (0, [1])


steps = st.lists(
    st.one_of(
        st.tuples(st.just("weld"), st.sampled_from(TAGS), st.sampled_from(JOINTS), st.sampled_from(WELDERS)),
        st.tuples(st.just("show"), st.sampled_from(TAGS), st.booleans()),
    ),
    max_size=60,
)


@settings(max_examples=300, deadline=None)
@given(st.integers(1, 100), st.text("0123456789abcdef", min_size=8, max_size=16), steps)
def test_no_welder_falls_below_the_percentage_whatever_rows_are_removed(
    percent: int, seed: str, happened: list[tuple[object, ...]]
) -> None:
    """Counted by hand from the welds themselves, when all rows are back and after the next weld of everybody."""
    yard = Yard(NdtRule("r1", "RT", percent, seed))
    welds: dict[str, set[tuple[str, int]]] = {welder: set() for welder in WELDERS}
    done: set[tuple[str, int]] = set()

    def weld(tag: str, n_union: int, welder: str) -> None:
        if (tag, n_union) not in done:
            done.add((tag, n_union))
            welds[welder].add((tag, n_union))
            yard.weld(tag, n_union, welder)

    for step in happened:
        match step:
            case ("weld", str(tag), int(n_union), str(welder)):
                weld(tag, n_union, welder)
            case ("show", str(tag), bool(shown)) if yard.spools[tag].retired is shown:
                yard.show(tag, shown)
        assert sum(group.welded for group in yard.groups.values()) == len(done), "each weld is counted when it is made"
        for made in welds.values():
            visible = {weld for weld in made if not yard.spools[weld[0]].retired}
            hidden = len(made) - len(visible)
            examined = {(tag, n) for tag in TAGS for n in yard.pending(tag)} & made
            assert examined <= visible
            assert len(examined) >= required(percent, len(made)) - hidden
    for tag in TAGS:
        if yard.spools[tag].retired:
            yard.show(tag, True)
    for made in welds.values():
        examined = {(tag, n) for tag in TAGS for n in yard.pending(tag)} & made
        assert len(examined) >= required(percent, len(made))
