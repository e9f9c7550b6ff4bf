"""Chains as the rules of single taps see them: one call for each step, all of them in the time of the one request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from carrete_chaos.history import ActionCall, ActionDone, ActionRefused, Outcome
from carrete_chaos.ndt_log import REPAIR, REQUEST, RESULT
from carrete_chaos.note_rules import NOTE
from carrete_chaos.offline_log import KeptTap

CHAIN = "cadena"
CLAIM = "reclamar"
DECISION = "resolver"


def single_calls(call: ActionCall, versions: Mapping[int, str]) -> list[ActionCall]:
    """`versions` has the spool's version after each event, by seq. Claims, decisions, notes and examinations say
    nothing about the holder (except a refused repair) and have rules of their own. Nor does a chain that was refused at
    a later step: that step was decided on the spool as the steps before would have left it."""
    is_done = isinstance(call.outcome, ActionDone)
    if call.accion in (CLAIM, DECISION, NOTE, REQUEST, RESULT) or (call.accion == REPAIR and is_done):
        return []
    if call.accion != CHAIN:
        return [call]
    match call.outcome:
        case ActionDone(accion=accion, seqs=seqs):
            steps = zip(call.taps, seqs, strict=False)  # `all or none` sees a missing one
            return [_step(call, tap, ActionDone(versions.get(seq, f"seq {seq}"), accion)) for tap, seq in steps]
        case ActionRefused(step=step) as refused:
            owner_id = refused.owner_id if step == 1 else None
            return [_step(call, call.taps[step - 1], replace(refused, owner_id=owner_id))]
        case unanswered:
            return [_step(call, tap, unanswered) for tap in call.taps]


def _step(call: ActionCall, tap: KeptTap, outcome: Outcome) -> ActionCall:
    return replace(call, accion=tap.accion.lower(), operacion=tap.operacion, outcome=outcome)
