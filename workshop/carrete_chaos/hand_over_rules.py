"""The rules of a hand-over: a RELEVO has an offer of the holder that was in force, and offers change no holder."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from carrete_chaos.history import ActionCall, ActionDone, RecordedEvent
from carrete_chaos.linearizability import HolderRead

OFFER, ACCEPT, WITHDRAW = "relevo/ofrecer", "relevo/aceptar", "relevo/retirar"
RELEVO = "RELEVO"
HANDED_OVER = "handed over by an offer"
WAS_OFFERED, WAS_HANDED_OVER, WAS_WITHDRAWN = (
    f"a spool was {what}" for what in ("offered", "handed over", "offered and withdrawn")
)
HAND_OVER_HAPPENINGS = {OFFER: WAS_OFFERED, ACCEPT: WAS_HANDED_OVER, WITHDRAW: WAS_WITHDRAWN}

Finding = tuple[str, str, str]  # rule, tag, sentence


def is_quiet(call: ActionCall) -> bool:
    """Whether a success changes nothing of the spool, and only proves that the author held it."""
    return call.accion == WITHDRAW or (call.accion == OFFER and not call.more.get("selected_unions"))


def reads_of(calls: Iterable[ActionCall]) -> dict[str, list[HolderRead]]:
    """A worker who offers a spool, or takes the offer back, holds it: each such answer is a read of the holder."""
    reads: dict[str, list[HolderRead]] = defaultdict(list)
    for call in calls:
        if isinstance(call.outcome, ActionDone) and call.accion in (OFFER, WITHDRAW):
            sentence = f"{call.worker_id} {call.accion} was answered 200"
            reads[call.tag].append(HolderRead(call.began, call.ended, call.worker_id, sentence))
    return reads


def findings(calls: Sequence[ActionCall], trails: dict[str, list[tuple[str, RecordedEvent]]]) -> Iterator[Finding]:
    """`trails` has the changes of each spool in order: the version token after it, and the event that names it."""
    by_version: dict[tuple[str, str], list[ActionCall]] = defaultdict(list)
    for call in calls:
        if isinstance(call.outcome, ActionDone) and call.accion in (OFFER, ACCEPT, WITHDRAW):
            by_version[call.tag, call.outcome.version].append(call)
    for tag, trail in trails.items():
        before = ""
        for version, fact in trail:
            if fact.tipo == RELEVO:
                accepts = [call for call in by_version[tag, version] if call.accion == ACCEPT]
                on_spool = by_version[tag, before]
                if not any(_is_for(offer, fact) and _stands(offer, on_spool, accepts) for offer in on_spool):
                    yield HANDED_OVER, tag, f"{fact}, and no offer of {fact.giver} was in force"
            before = version


def _is_for(call: ActionCall, fact: RecordedEvent) -> bool:
    """An offer belongs to the spool as it was when it was made: any change in between has voided it."""
    named = call.more.get("receptor_id")
    return call.accion == OFFER and call.worker_id == fact.giver and named in (None, fact.worker_id)


def _stands(offer: ActionCall, on_spool: Sequence[ActionCall], accepts: Sequence[ActionCall]) -> bool:
    """Whether the offer may be in force: not if it was certainly taken back or replaced before any accept began."""
    began = min((call.began for call in accepts), default=float("inf"))
    later = [call for call in on_spool if call is not offer and call.accion in (OFFER, WITHDRAW)]
    return not any(offer.ended < call.began and call.ended < began for call in later)
