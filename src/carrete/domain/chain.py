"""Decides a chain: the steps that a worker tapped on one spool without a connection, one after the other, by the same
rules as single taps. All of them are done, or none: no take is left behind whose ending was refused."""

from __future__ import annotations

from carrete.domain.change import Change
from carrete.domain.commands import Chain
from carrete.domain.decide import Case, decide
from carrete.domain.refusals import Refusal


def decide_chain(chain: Chain, case: Case) -> list[Change]:
    """The change of each step, in order. A Refusal says in `paso` which step, counted from 1, was refused."""
    changes: list[Change] = []
    for number, step in enumerate(chain.steps, 1):
        try:
            change = decide(step.command, case)
        except Refusal as refusal:
            refusal.context["paso"] = number
            raise
        changes.append(change)
        done = {joint.n_union: joint for joint in change.joints}
        joints = [done.get(joint.n_union, joint) for joint in case.joints] if done else case.joints
        case = case._replace(spool=change.spool, joints=joints)
    return changes
