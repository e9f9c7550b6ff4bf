"""Sampling reaches its percentage for every welder and OT: never less, at most one more, and anybody can check it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from carrete.domain.ndt.policy import NdtRule
from carrete.domain.ndt.sampling import Draw, GroupKey, SampleGroup, Sampling, Weld, in_drawn_order, required

WELDERS = ("MR(93)", "LP(7)", "JS(8)")
OTS = ("OT-1", "OT-2")

seeds = st.text("0123456789abcdef", min_size=8, max_size=24)
percents = st.integers(1, 100)
welds = st.lists(st.tuples(st.sampled_from(OTS), st.sampled_from(WELDERS)), max_size=120)


class Record:
    """The ledger's side: groups and draws that outlive a commit."""

    def __init__(self, *rules: NdtRule) -> None:
        self.rules = rules
        self.groups: dict[GroupKey, SampleGroup] = {}
        self.draws: dict[tuple[str, str, int], Draw] = {}

    def commit(self, *registered: Weld) -> list[list[str]]:
        """One transaction: the methods that each weld was selected for."""
        sampling = Sampling(self.rules, self._groups_of, self._draws_of)
        selected = [[chosen.method for chosen in sampling.weld(weld, ())] for weld in registered]
        self.groups.update(sampling.changed_groups)
        self.draws.update(sampling.changed_draws)
        return selected

    def _groups_of(self, ot: str, welder: str) -> list[SampleGroup]:
        return [group for key, group in self.groups.items() if (key.ot, key.welder) == (ot, welder)]

    def _draws_of(self, tag: str) -> list[Draw]:
        return [draw for draw in self.draws.values() if draw.tag == tag]


def weld(n: int, ot: str = "OT-1", welder: str = "MR(93)", tipo: str = "BW") -> Weld:
    return Weld(f"MK-{n}", 1, tipo, ot, welder)


def a_rule(percent: int = 10, seed: str = "5eed", **facts: object) -> NdtRule:
    return NdtRule("r1", "RT", percent, seed, **facts)  # type: ignore[arg-type]


@given(percents, seeds, welds, st.integers(1, 7))
def test_every_welder_and_ot_gets_the_percentage_and_at_most_one_more(
    percent: int, seed: str, made: list[tuple[str, str]], at_once: int
) -> None:
    record = Record(a_rule(percent, seed))
    counted: dict[tuple[str, str], list[bool]] = {}
    registered = [weld(n, ot, welder) for n, (ot, welder) in enumerate(made)]
    for first in range(0, len(registered), at_once):
        commit = registered[first : first + at_once]
        for each, methods in zip(commit, record.commit(*commit), strict=True):
            counted.setdefault((each.ot, each.welder), []).append(bool(methods))
            group = counted[each.ot, each.welder]
            assert 0 <= sum(group) - required(percent, len(group)) <= 1, "after each weld, not only in the end"


@given(percents, seeds, welds)
def test_the_same_record_and_seed_select_the_same_joints(percent: int, seed: str, made: list[tuple[str, str]]) -> None:
    registered = [weld(n, ot, welder) for n, (ot, welder) in enumerate(made)]
    one, other = Record(a_rule(percent, seed)), Record(a_rule(percent, seed))
    assert one.commit(*registered) == [selected for each in registered for selected in other.commit(each)]


@given(percents, seeds, welds, st.data())
def test_a_weld_that_is_made_anew_is_counted_once(
    percent: int, seed: str, made: list[tuple[str, str]], data: st.DataObject
) -> None:
    record = Record(a_rule(percent, seed))
    registered = [weld(n, ot, welder) for n, (ot, welder) in enumerate(made)]
    record.commit(*registered)
    if registered:
        again = data.draw(st.lists(st.sampled_from(registered), max_size=20))
        for each in again:
            record.commit(each)
    for key, group in record.groups.items():
        members = [draw for draw in record.draws.values() if draw.group == key]
        assert group.welded == len(members)
        assert group.selected == sum(draw.selected for draw in members) >= required(percent, group.welded)


@given(percents, seeds, welds, st.sampled_from(WELDERS))
def test_a_weld_that_another_welder_makes_anew_leaves_the_first_ones_group(
    percent: int, seed: str, made: list[tuple[str, str]], other: str
) -> None:
    record = Record(a_rule(percent, seed))
    registered = [weld(n, ot, welder) for n, (ot, welder) in enumerate(made)]
    record.commit(*registered)
    for each in registered[::2]:
        record.commit(each._replace(welder=other))
    assert sum(group.welded for group in record.groups.values()) == len(registered)


def test_two_rules_of_one_method_select_a_joint_once() -> None:
    first, second = a_rule(100), NdtRule("r2", "RT", 100, "other")
    assert Record(first, second).commit(weld(1)) == [["RT"]]


def test_a_rule_covers_only_its_ot_and_its_types() -> None:
    rule = a_rule(100, ot="OT-1", types=frozenset({"BW"}))
    record = Record(rule)
    assert record.commit(weld(1), weld(2, "OT-2"), weld(3, tipo="SO"), weld(4, tipo=" bw ")) == [["RT"], [], [], ["RT"]]


def test_who_raises_the_percentage_sees_the_next_welds_taken_until_it_is_reached() -> None:
    record = Record(a_rule(10))
    record.commit(*(weld(n) for n in range(20)))
    record.rules = (a_rule(50),)
    taken = [bool(record.commit(weld(n))[0]) for n in range(20, 60)]
    (group,) = record.groups.values()
    assert taken[:10] == [True] * 10
    assert 0 <= group.selected - required(50, group.welded) <= 1


@given(seeds, st.lists(st.tuples(st.text(max_size=5), st.integers(1, 50)), unique=True))
def test_the_order_of_additional_joints_depends_on_the_seed_alone(seed: str, joints: list[tuple[str, int]]) -> None:
    assert in_drawn_order(joints, seed, "r1") == in_drawn_order(list(reversed(joints)), seed, "r1")
