"""Bugs of chains and reclamos that are planted in a running `carrete`, and one in the tablet, from outside."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from carrete.actions import group
from carrete.actions import reclamos as claims
from carrete.domain import late_work, reclamo
from carrete.domain.chain import decide_chain
from carrete.domain.change import Change
from carrete.domain.commands import Chain
from carrete.domain.decide import decide
from carrete.domain.refusals import Refusal
from carrete.ledger import reclamos as ledger_reclamos
from carrete_chaos.offline_tablet import TapStorage

FORGETS = 0.3


def plant(where: Any, name: str, grown: Callable[[Any], Any]) -> None:
    """Replaces the attribute by what `grown` makes of it."""
    setattr(where, name, grown(getattr(where, name)))


def stored(tx: Any, reclamo_id: str) -> Any:
    return ledger_reclamos.reclamo(tx, reclamo_id)


def chain_goes_on_after_a_refusal() -> None:
    """A refused step is left out, and the next one is done."""

    def leniently(chain: Any, case: Any) -> list[Change]:
        changes = []
        for step in chain.steps:
            try:
                change = decide(step.command, case)
            except Refusal:
                change = Change.nothing(case.spool, "NADA", "")
            done = {joint.n_union: joint for joint in change.joints}
            case = case._replace(spool=change.spool, joints=[done.get(j.n_union, j) for j in case.joints])
            changes.append(change)
        return changes

    plant(group, "decide_chain", lambda _: leniently)


def steps_before_a_refusal_stay() -> None:
    """The take is left behind whose ending was refused."""

    def outcome(right: Any) -> Any:
        def decided(requests: Any, chain: Any, case: Any, request: Any) -> Any:
            found = right(requests, chain, case, request)
            if not isinstance(found, Refusal):
                return found
            before = chain.steps[: found.context["paso"] - 1]
            for step, change in zip(before, decide_chain(Chain(chain.tag, chain.worker_id, before), case), strict=True):
                requests._success(change, {**request.event_context, "hecho_en": step.hecho_en})
            return found

        return decided

    plant(group.RequestGroup, "_chain_outcome", outcome)


def refused_work_is_thrown_away() -> None:
    plant(claims.GroupReclamos, "of_refused_chain", lambda _: lambda *_: None)


def one_refusal_makes_two_reclamos() -> None:
    def twice(save: Any) -> Any:
        def saved(tx: Any, new: Any, decided: Any) -> None:
            save(tx, [*new, *(replace(each, id=f"{each.id}-2", origin_key=None) for each in new)], decided)

        return saved

    plant(claims, "save_reclamos", twice)


def reclamo_is_decided_twice() -> None:
    """It is not checked whether the reclamo is decided already."""

    def again(right: Any) -> Any:
        return lambda command, case: right(command, replace(case, reclamo=replace(case.reclamo, resolution=None)))

    def saved(save: Any) -> Any:
        def first(tx: Any, new: Any, decided: Any) -> None:
            each_once = {each.id: each for each in decided}.values()
            save(tx, new, [each for each in each_once if stored(tx, each.id).resolution is None])

        return first

    plant(claims, "resolve", again)
    plant(claims, "save_reclamos", saved)
    joint_of_another_is_counted_again()


def joint_of_another_is_counted_again() -> None:
    """A joint that somebody else did meanwhile is accepted all the same."""
    plant(late_work, "_of_joint", lambda _: lambda *_: None)


def late_work_is_the_supervisors() -> None:
    def events(right: Any) -> Any:
        def made(resolution: Any, *what: Any) -> Any:
            return [e._replace(worker_id=resolution.supervisor_id) for e in right(resolution, *what)]

        return made

    plant(reclamo, "_late_events", events)


def tap_is_lost_at_a_kill() -> None:
    """The tablet says "guardado", and now and then the page alone knows the tap."""

    def forgetful(right: Any) -> Any:
        return lambda storage, tag, entry: None if random.random() < FORGETS else right(storage, tag, entry)

    plant(TapStorage, "write", forgetful)


OFFLINE_BUGS: Mapping[str, Callable[[], None]] = {
    bug.__name__: bug
    for bug in (
        chain_goes_on_after_a_refusal,
        steps_before_a_refusal_stay,
        refused_work_is_thrown_away,
        one_refusal_makes_two_reclamos,
        reclamo_is_decided_twice,
        joint_of_another_is_counted_again,
        late_work_is_the_supervisors,
    )
}
