"""The rules of identity: each event has the right author and device, and no tap without the right to it is served."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise

from carrete_chaos.editing import EDICION
from carrete_chaos.history import ActionCall, ActionUnanswered, CampaignEvidence, RecordedEvent, StoredKey
from carrete_chaos.identity_log import NEED_PIN, PROPAGATION_S, IdentityLog, TapOrigin

ATTRIBUTION = "attribution"
REVOKED = "revoked"
SIGNED_OUT = "signed out"
OWN_KEY = "own key"
THROTTLE = "throttle"
SIGN_IN = "sign-in"
HONEST = "honest taps are served"

WITHOUT_AUTHOR = ("METROLOGIA_AUTO_TRIGGERED", "NDT_SOLICITADO", "NDT_ANULADO")
FREE_GUESSES = 3
WAITS_S = (5, 15, 30, 60, 180, 420, 900)  # after the third wrong PIN and each one after it
WHOLE_SECOND_S = 1.0  # the product counts in whole seconds

Finding = tuple[str, str, str]  # rule, tag, sentence


def findings(evidence: CampaignEvidence) -> Iterator[Finding]:
    log = evidence.identity
    if log is None:
        return
    signed = [(call, call.origin) for call in evidence.calls if call.origin is not None]
    yield from _attributed(evidence, signed)
    yield from _named_is_the_author(evidence, signed)
    yield from _revoked_is_refused(evidence, signed, log)
    yield from _nothing_after_the_last(evidence, signed, log)
    yield from _honest_taps_are_served(signed, log)
    yield from _keys_are_their_owners(log)
    yield from _guesses_wait(log)
    yield from ((SIGN_IN, "", sentence) for sentence in log.wrong)


def _attributed(evidence: CampaignEvidence, signed: list[tuple[ActionCall, TapOrigin]]) -> Iterator[Finding]:
    """Each event names the person, the device and the session of a tap whose key has this very change as its answer.
    A worker who takes a spool again is answered with the change of the earlier tap, so there may be several. Edits
    in the workbook and decisions about reclamos have rules of their own, and so have examinations that the rejection of
    another joint called for: they may be of another spool."""
    taps: dict[tuple[str, str], list[tuple[int, str, str]]] = defaultdict(list)
    versions = {fact.seq: fact.version for fact in evidence.facts}
    for call, origin in signed:
        stored = evidence.keys.get(call.key)
        for version in _made_by(stored, versions):
            taps[call.tag, version].append((call.worker_id, origin.device, origin.session))
    beside = {(fact.tag, fact.version) for fact in evidence.facts if fact.tipo == EDICION or fact.reclamo}
    for fact in evidence.facts:
        change = (fact.tag, fact.version)
        tapped = taps.get(change, [])
        if change not in beside and not _by_a_rejection(fact) and not any(_is_of(fact, *tap) for tap in tapped):
            sentence = f"{fact} on {fact.device} in {fact.session}; it was tapped by {tapped or 'nobody'}"
            yield ATTRIBUTION, fact.tag, sentence


def _by_a_rejection(fact: RecordedEvent) -> bool:
    return fact.ndt is not None and "por" in fact.ndt


def _made_by(stored: StoredKey | None, versions: Mapping[int, str]) -> set[str]:
    """The spool's versions that a request made: one, or one for each step of a chain."""
    if stored is None or stored.status != 200:
        return set()
    steps = {versions.get(step["event_seq"], "") for step in stored.body.get("pasos", ())}
    return {stored.body["version"], *steps} if "version" in stored.body else set()


def _is_of(fact: RecordedEvent, worker_id: int, device: str, session: str) -> bool:
    same_person = fact.worker_id == worker_id or fact.tipo in WITHOUT_AUTHOR
    return same_person and (fact.device, fact.session) == (device, session)


def _named_is_the_author(evidence: CampaignEvidence, signed: list[tuple[ActionCall, TapOrigin]]) -> Iterator[Finding]:
    for call, origin in signed:
        if origin.named not in (None, call.worker_id) and _was_served(call, evidence):
            yield ATTRIBUTION, call.tag, f"{call.worker_id} acted in the name of {origin.named}: {call}"


def _revoked_is_refused(
    evidence: CampaignEvidence, signed: list[tuple[ActionCall, TapOrigin]], log: IdentityLog
) -> Iterator[Finding]:
    revoked = {one.device: one.answered for one in log.revoked}
    for call, origin in signed:
        if call.began > revoked.get(origin.device, float("inf")) + PROPAGATION_S and _was_served(call, evidence):
            late = call.began - revoked[origin.device]
            yield REVOKED, call.tag, f"served {late:.1f} s after its device was revoked: {call}"


def _nothing_after_the_last(
    evidence: CampaignEvidence, signed: list[tuple[ActionCall, TapOrigin]], log: IdentityLog
) -> Iterator[Finding]:
    """Late taps are served up to the last number, and only those that the tablet named; what a supervisor does with the
    PIN is not done later at all."""
    closed = {one.session: one for one in log.closed}
    for call, origin in signed:
        end = closed.get(origin.session)
        if end is None or call.began <= end.answered + PROPAGATION_S:
            continue
        if end.covers(call.key, origin.number) and call.accion not in NEED_PIN:
            continue
        if _was_served(call, evidence):
            yield SIGNED_OUT, call.tag, f"tap {origin.number} was served after {end}: {call}"


def _was_served(call: ActionCall, evidence: CampaignEvidence) -> bool:
    """Whether it was decided, whatever the decision: refusals of identity are not stored under a key."""
    return not isinstance(call.outcome, ActionUnanswered) or call.key in evidence.keys


def _honest_taps_are_served(signed: list[tuple[ActionCall, TapOrigin]], log: IdentityLog) -> Iterator[Finding]:
    """Identity refuses no tap that is allowed; a late tap still belongs to its author."""
    revoked = {one.device for one in log.revoked}
    closed = {one.session: one for one in log.closed}
    for call, origin in signed:
        if not isinstance(call.outcome, ActionUnanswered) or not call.outcome.why or origin.device in revoked:
            continue
        is_own = origin.named in (None, call.worker_id)
        if call.outcome.why == "PIN_REQUERIDO" and call.accion in NEED_PIN:  # its session was over
            continue
        end = closed.get(origin.session)
        if is_own and (end is None or end.covers(call.key, origin.number)):
            yield HONEST, call.tag, f"{call.outcome.why}: {call}"


def _keys_are_their_owners(log: IdentityLog) -> Iterator[Finding]:
    for used in log.others_keys:
        if (used.status, used.code) != (422, "IDEMPOTENCY_KEY_REUSED"):
            yield OWN_KEY, used.tag, f"{used.worker_id} used a key of {used.owner_id}: {used.status} {used.code}"


def _guesses_wait(log: IdentityLog) -> Iterator[Finding]:
    """The fourth wrong PIN that is checked comes five seconds after the third, and so on, also after a restart."""
    for guess in log.guesses:
        if guess.status == 200:
            yield THROTTLE, "", f"a wrong PIN was right: {guess}"
    checked = [guess for guess in log.guesses if guess.code == "PIN_INCORRECTO"]
    waits_s = [0] * (FREE_GUESSES - 1) + list(WAITS_S)
    for number, (before, guess) in enumerate(pairwise(checked)):
        wait_s = waits_s[min(number, len(waits_s) - 1)]
        if guess.ended - before.began < wait_s - WHOLE_SECOND_S:
            sentence = f"wrong PIN {number + 2} was checked {guess.ended - before.began:.1f} s after the one before"
            yield THROTTLE, "", f"{sentence}, not {wait_s} s"
