"""The rules of work without a connection: no tap is lost or doubled, a chain is whole, refused work becomes a reclamo,
a reclamo counts once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from carrete.domain.reclamo import Reclamo
from carrete_chaos.chains import CHAIN, CLAIM, DECISION
from carrete_chaos.history import ActionCall, ActionDone, ActionRefused, ActionUnanswered, CampaignEvidence
from carrete_chaos.history import RecordedEvent as Fact
from carrete_chaos.offline_log import KeptTap
from carrete_chaos.returning import HOLDER_CHANGED

KEPT = "kept taps are sent once"
ENDED = "provisional work ends"
WHOLE = "all or none"
CLAIMED = "refused work is a reclamo"
DECIDED = "a reclamo counts once"
ITS_AUTHOR = "late work is its author's"
INVALID = 422  # the request was malformed, so nothing of it was decided
LATE = "REGISTRO_TARDIO"

Finding = tuple[str, str, str]  # rule, tag, sentence


def findings(evidence: CampaignEvidence, calls: Sequence[ActionCall]) -> Iterator[Finding]:
    """`calls` have the answers that the ledger stored in place of answers that were lost."""
    offline = evidence.offline
    if offline is None:
        return
    sent = [call for call in calls if call.taps]
    yield from _sent_once(offline.kept, sent)
    yield from _ended(sent)
    yield from _chains_are_whole(evidence.facts, sent)
    yield from _refused_work_is_claimed(offline.reclamos, calls)
    yield from _decided_once(offline.reclamos, evidence.facts, calls)


def _sent_once(kept: Sequence[KeptTap], sent: Sequence[ActionCall]) -> Iterator[Finding]:
    """Each tap that was shown as kept went out in one request."""
    requests = Counter(tap for call in sent for tap in call.taps)
    for tap in kept:
        if requests[tap] != 1:
            yield KEPT, tap.tag, f"{tap} was shown as kept and went out in {requests[tap]} requests"


def _ended(sent: Sequence[ActionCall]) -> Iterator[Finding]:
    """Each was confirmed, refused, or refused by identity; the rules of identity check whether that was right."""
    for call in sent:
        if isinstance(call.outcome, ActionUnanswered) and not call.outcome.why:
            yield ENDED, call.tag, f"nobody knows what became of {call}"


# ─── chains ───────────────────────────────────────────────────────────────────────────────────────────────────


def _chains_are_whole(facts: Sequence[Fact], sent: Sequence[ActionCall]) -> Iterator[Finding]:
    """Every event of a kept tap has that tap's own time. So have those of a reclamo that was made of it, and the
    examinations that its welds lead to."""
    decided = {(fact.tag, fact.version) for fact in facts if fact.reclamo}
    of_tap: dict[str, list[Fact]] = defaultdict(list)
    of_spool: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        of_spool[fact.tag].append(fact)
        if fact.tapped and (fact.tag, fact.version) not in decided:
            of_tap[fact.tapped].append(fact)
    versions = {fact.seq: fact.version for fact in facts}
    for call in sent:
        events = [of_tap[tap.hecho_en] for tap in call.taps]
        if not isinstance(call.outcome, ActionDone):
            yield from ((WHOLE, call.tag, f"{call} was not done, and left {left[0]}") for left in events if left)
        elif call.accion == CHAIN:
            yield from _done_whole(call, call.outcome.seqs, events, versions)
            yield from _uninterrupted(call, events, of_spool[call.tag])


def _done_whole(
    call: ActionCall, seqs: Sequence[int], events: Sequence[Sequence[Fact]], versions: Mapping[int, str]
) -> Iterator[Finding]:
    if len(seqs) != len(call.taps):
        yield WHOLE, call.tag, f"{len(seqs)} of {len(call.taps)} steps were done: {call}"
        return
    for tap, seq, left in zip(call.taps, seqs, events, strict=True):
        joints = {fact.n_union for fact in left if fact.tipo.startswith("UNION_")}
        if not left and tap.accion not in ("TOMAR", "INICIAR"):  # a spool that one holds may be taken again
            yield WHOLE, call.tag, f"{tap} was confirmed and left no event"
        elif {fact.version for fact in left} - {versions.get(seq)}:
            yield WHOLE, call.tag, f"{tap} was confirmed as {seq}, and its events are {left}"
        elif joints != set(tap.uniones or ()):
            yield WHOLE, call.tag, f"{tap} was confirmed and registered {sorted(map(str, joints))}"


def _uninterrupted(call: ActionCall, events: Sequence[Sequence[Fact]], on_spool: Sequence[Fact]) -> Iterator[Finding]:
    """The steps are in the order in which they were tapped, with no other change between them."""
    own = [fact.seq for left in events for fact in left]
    if own != sorted(own):
        yield WHOLE, call.tag, f"the steps are in another order in the ledger: {call}"
    between = [fact for fact in on_spool if own and own[0] < fact.seq < own[-1] and fact.seq not in own]
    yield from ((WHOLE, call.tag, f"{fact} is between the steps of {call}") for fact in between)


# ─── reclamos ─────────────────────────────────────────────────────────────────────────────────────────────────


def _refused_work_is_claimed(reclamos: Sequence[Reclamo], calls: Sequence[ActionCall]) -> Iterator[Finding]:
    """Each refusal with work in it made one reclamo, and nothing else made any."""
    made: dict[str, list[Reclamo]] = defaultdict(list)
    for reclamo in reclamos:
        made[reclamo.origin_key or ""].append(reclamo)
    claims = {call.more["clave"]: call for call in calls if call.accion == CLAIM}
    expected: set[str] = set()
    for call in calls:
        if not call.taps or not _should_be_claimed(call, claims.get(call.key)):
            continue
        expected.add(call.key)
        found, work = made[call.key], {item for tap in call.taps for item in tap.work}
        outcome = call.outcome if call.accion == CHAIN else claims[call.key].outcome
        assert isinstance(outcome, ActionDone | ActionRefused)
        if [_claim_of(each) for each in found] != [(outcome.reclamo, call.worker_id, call.tag, work)]:
            yield CLAIMED, call.tag, f"{call} became {found or 'nothing'}"
    for key, found in made.items():
        if key not in expected:
            yield CLAIMED, found[0].tag, f"nothing was refused that could be {found}"


def _should_be_claimed(call: ActionCall, claim: ActionCall | None) -> bool:
    """The server makes the reclamo of a refused chain; for one ending the tablet claims it, if identity lets it."""
    refused = call.outcome
    if not isinstance(refused, ActionRefused) or refused.status == INVALID or not any(tap.work for tap in call.taps):
        return False
    if call.accion == CHAIN:
        return True
    claim_unanswered = claim is not None and isinstance(claim.outcome, ActionUnanswered)
    return refused.code in HOLDER_CHANGED and claim is not None and not claim_unanswered


def _claim_of(reclamo: Reclamo) -> tuple[str, int, str, set[tuple[str, int | None]]]:
    return reclamo.id, reclamo.worker_id, reclamo.tag, {(str(w.operacion), w.n_union) for w in reclamo.work}


def _decided_once(reclamos: Sequence[Reclamo], facts: Sequence[Fact], calls: Sequence[ActionCall]) -> Iterator[Finding]:
    decisions: dict[str, list[ActionCall]] = defaultdict(list)
    for call in calls:
        if call.accion == DECISION and isinstance(call.outcome, ActionDone):
            decisions[call.more["reclamo"]].append(call)
    events: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        if fact.reclamo:
            events[fact.reclamo].append(fact)
    for reclamo in reclamos:
        yield from _decided(reclamo, decisions.pop(reclamo.id, []), events.pop(reclamo.id, []))
    for reclamo_id in {**decisions, **events}:
        yield DECIDED, "", f"there is no reclamo {reclamo_id}: {decisions[reclamo_id]} {events[reclamo_id]}"


def _decided(reclamo: Reclamo, decisions: Sequence[ActionCall], events: Sequence[Fact]) -> Iterator[Finding]:
    """Accepted by one decision, in one change, each piece of work once, and all of it its author's."""
    resolution = reclamo.resolution
    accepted = sorted((str(w.operacion), w.n_union or 0) for w in resolution.accepted) if resolution else []
    late = [fact for fact in events if fact.tipo == LATE]
    wanted = [sorted((w["operacion"], w["n_union"] or 0) for w in call.more["aceptar"]) for call in decisions]
    registered = sorted((fact.operacion or "", fact.n_union or 0) for fact in late)
    changes = {fact.version for fact in events}
    if len(decisions) != (resolution is not None) or len(changes) != len(decisions):
        yield DECIDED, reclamo.tag, f"{len(decisions)} decisions, {len(changes)} changes: {reclamo}"
    elif wanted and (wanted[0] != accepted or registered != accepted):
        yield DECIDED, reclamo.tag, f"{wanted[0]} was accepted, {registered} is registered: {reclamo}"
    session = reclamo.via.get("via", {}).get("session")
    for fact in late:
        if (fact.worker_id, fact.session) != (reclamo.worker_id, session):
            yield ITS_AUTHOR, fact.tag, f"{fact} is of {reclamo.worker_id} in {session}"
