"""Acknowledged actions that the trail does not have: after a restore, what was lost."""

from __future__ import annotations

from carrete.domain.trail.compared import Compared
from carrete.domain.trail.findings import SEQ
from carrete.domain.trail.witness import NOTE_TYPE, Witness


def lost_actions(compared: Compared) -> list[Witness]:
    unchanged = compared.unchanged_up_to(compared.denying)
    return [w for w in compared.denying if _is_lost(w, compared, unchanged)]


def _is_lost(w: Witness, compared: Compared, unchanged: int) -> bool:
    """A version token names the change that was acknowledged. That it is there does not suffice, because a note keeps
    the token of its spool: such an event counts only where the trail may have another one than the tablet was told of,
    and for a note only if it is one."""
    seen, end = compared.seen, compared.seen.end
    if w.version and w.version not in seen.of_version:
        return True
    seq = w.event_seq or w.seq
    if not w.what or w.hash in seen.of_hash or seq <= unchanged:
        return False
    if not w.version:
        return seq > end.seq == unchanged
    if seen.of_action.get((w.version, NOTE_TYPE if w.is_note else w.what.partition(" ")[0]), 0) > unchanged:
        return False
    return w.is_note or seen.of_version[w.version][SEQ] <= unchanged or _is_too_far(w, compared)


def _is_too_far(w: Witness, compared: Compared) -> bool:
    """Beyond the end: whether the event with the token stands further away than deletions before it can have moved the
    one that was acknowledged. Then it is an older one of its spool."""
    seen, end = compared.seen, compared.seen.end.seq
    fewer = compared.denying[-1].seq - end
    return w.event_seq > end and seen.of_version[w.version][SEQ] < w.event_seq - fewer
