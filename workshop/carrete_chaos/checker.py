"""The rules that must hold at the end of a campaign, whatever was killed, frozen, lost or repeated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from carrete.domain.workers import labelled_id
from carrete_chaos import (
    hand_over_rules,
    identity_rules,
    inch_rules,
    ndt_rules,
    note_rules,
    offline_rules,
    sheet_rules,
)
from carrete_chaos.chains import single_calls
from carrete_chaos.editing import EDICION, HOLDER, Explained, changes_holder, explained, holder_seen, holder_typed
from carrete_chaos.history import (
    KEEP_ON,
    ActionCall,
    ActionDone,
    ActionRefused,
    ActionUnanswered,
    CampaignEvidence,
    RecordedEvent,
    ReplacedEdit,
    StoredKey,
)
from carrete_chaos.linearizability import HolderRead, HoldStep, misfits
from carrete_chaos.ndt_trail import NDT_EVENTS
from carrete_chaos.rules import RULES
from carrete_chaos.sending import done, refused

_TAKEN = ("TOMAR_SPOOL", "INICIAR_SPOOL", "TOMAR_REPARACION", hand_over_rules.RELEVO)
# The event that each path writes and that names the action.
_WRITES: dict[str, tuple[str, ...]] = {
    "tomar": ("TOMAR_SPOOL", "TOMAR_REPARACION"),
    "iniciar": ("INICIAR_SPOOL",),
    "pausar": ("PAUSAR_SPOOL", "PAUSAR_REPARACION"),
    "completar": ("COMPLETAR_ARM", "COMPLETAR_SOLD", "COMPLETAR_REPARACION"),
    "cancelar": ("CANCELAR_ARM", "CANCELAR_SOLD", "CANCELAR_REPARACION"),
    "finalizar": (
        *("SPOOL_ARM_PAUSADO", "SPOOL_SOLD_PAUSADO", "SPOOL_ARM_COMPLETADO", "SPOOL_SOLD_COMPLETADO"),
        "SPOOL_CANCELADO",
    ),
    hand_over_rules.OFFER: ("UNION_ARM_REGISTRADA", "UNION_SOLD_REGISTRADA"),
    hand_over_rules.ACCEPT: (hand_over_rules.RELEVO,),
    KEEP_ON: ("SIGUE_TURNO",),
    "inspeccionar": ("METROLOGIA_APROBADO", "METROLOGIA_RECHAZADO"),
    "liberar": ("LIBERAR_SPOOL",),
    "desbloquear": ("SUPERVISOR_OVERRIDE",),
    "corregir": ("CORRECCION",),
}


@dataclass(frozen=True, slots=True)
class Violation:
    rule: str
    tag: str
    sentence: str


@dataclass(frozen=True, slots=True)
class RecordedChange:
    """The events of one commit on one spool. They share the version token that the spool had after it."""

    tag: str
    version: str
    facts: tuple[RecordedEvent, ...]

    @property
    def seq(self) -> int:
        return self.facts[0].seq

    @property
    def fact(self) -> RecordedEvent:
        """The event that names the action."""
        naming = [
            f for f in self.facts if not f.tipo.startswith("UNION_") and f.tipo not in identity_rules.WITHOUT_AUTHOR
        ]
        return naming[0] if naming else self.facts[0]

    @property
    def of_a_person(self) -> bool:
        """Whether somebody typed it into the workbook."""
        return self.fact.tipo == EDICION

    @property
    def is_beside(self) -> bool:
        """Whether no tap on the spool made it: an edit in the sheet, or a decision about a reclamo."""
        return self.of_a_person or self.fact.reclamo is not None

    def holder(self, before: int | None) -> int | None:
        """The holder after this change."""
        if self.of_a_person:
            typed = [holder_typed(fact) for fact in self.facts if changes_holder(fact)]
            return typed[-1] if typed else before
        return self.fact.worker_id if self.fact.tipo in _TAKEN else None if _ends(self.fact) else before


def check(evidence: CampaignEvidence) -> list[Violation]:
    requests = [_settled(call, evidence.keys.get(call.key)) for call in evidence.calls]
    versions = {fact.seq: fact.version for fact in evidence.facts}
    every_call = [single for call in requests for single in single_calls(call, versions)]
    calls = [call for call in every_call if not hand_over_rules.is_quiet(call)]
    changes = _changes(evidence.facts)
    by_tag = _by_tag(changes.values())
    typed = explained(evidence.facts, evidence.edits)
    unrecorded = sheet_rules.unrecorded(evidence)
    holders = [one for one in unrecorded if one.edit.typed.column == HOLDER]
    found = [
        *_answers_kept(evidence.calls, evidence.keys),
        *_in_the_ledger_once(calls, changes, _holders_after(by_tag)),
        *_edits_were_made(typed),
        *_one_holder_at_a_time(by_tag, evidence.holders),
        *_holds_never_overlap(calls, changes, _taken_away(by_tag, typed)),
        *_every_answer_fits(every_call, changes, by_tag, typed, holders),
        *_handed_over(every_call, by_tag),
        *_edits_are_recorded(unrecorded),
        *_locks_are_occupations(evidence),
        *_no_gap_in_the_stream(evidence),
        *(Violation(*finding) for finding in sheet_rules.findings(evidence)),
        *(Violation(*finding) for finding in identity_rules.findings(evidence)),
        *(Violation(*finding) for finding in offline_rules.findings(evidence, requests)),
        *(Violation(*finding) for finding in note_rules.findings(evidence.facts, requests)),
        *(Violation(*finding) for finding in ndt_rules.findings(evidence.facts, requests, evidence.ndt)),
    ]
    if evidence.offline is not None:
        found += [Violation(*finding) for finding in inch_rules.findings(evidence.facts, evidence.offline)]
    assert {violation.rule for violation in found} <= RULES, "each rule is in the table, and so has a planted bug"
    return found


def _settled(call: ActionCall, stored: StoredKey | None) -> ActionCall:
    """An action without an answer gets the answer that the ledger stored under its key."""
    if not isinstance(call.outcome, ActionUnanswered) or stored is None:
        return call
    if stored.status == 200:
        return replace(call, outcome=done(stored.body))
    return replace(call, outcome=refused(stored.status, stored.body))


_BESIDE = ("NOTA", *NDT_EVENTS)  # change no holder: they have the version of the change before them


def _changes(facts: Iterable[RecordedEvent]) -> dict[tuple[str, str], RecordedChange]:
    grouped: dict[tuple[str, str], list[RecordedEvent]] = defaultdict(list)
    for fact in facts:
        if fact.tipo not in _BESIDE:
            grouped[fact.tag, fact.version].append(fact)
    return {key: RecordedChange(*key, tuple(sorted(group, key=lambda f: f.seq))) for key, group in grouped.items()}


def _by_tag(changes: Iterable[RecordedChange]) -> dict[str, list[RecordedChange]]:
    found: dict[str, list[RecordedChange]] = defaultdict(list)
    for change in sorted(changes, key=lambda c: c.seq):
        found[change.tag].append(change)
    return found


def _holders_after(by_tag: dict[str, list[RecordedChange]]) -> dict[tuple[str, str], int | None]:
    """The holder of the spool after each change, by the ledger."""
    found: dict[tuple[str, str], int | None] = {}
    for tag, changes in by_tag.items():
        holder = None
        for change in changes:
            found[tag, change.version] = holder = change.holder(holder)
    return found


def _made_at(change: RecordedChange, typed: Explained) -> float:
    """The earliest moment of a change that a person typed: not before any of its edits."""
    return max((typed.made_at.get(fact.seq, float("-inf")) for fact in change.facts), default=float("-inf"))


def _taken_away(by_tag: dict[str, list[RecordedChange]], typed: Explained) -> dict[str, list[tuple[int, float]]]:
    """For each spool, the edits of its holder in the sheet: their seq, and the earliest moment at which they
    counted."""
    return {
        tag: [(c.seq, _made_at(c, typed)) for c in changes if any(changes_holder(fact) for fact in c.facts)]
        for tag, changes in by_tag.items()
    }


def _answers_kept(calls: Iterable[ActionCall], keys: dict[str, StoredKey]) -> list[Violation]:
    """The answer that a tablet received under a key is the answer that the ledger stored under it."""
    found = []
    for call in calls:
        stored = keys.get(call.key)
        match call.outcome:
            case ActionDone():
                same = stored is not None and stored.status == 200 and done(stored.body) == call.outcome
            case ActionRefused(status=status) if status != 422:
                same = stored is not None and refused(stored.status, stored.body) == call.outcome
            case _:
                continue
        if not same:
            kept = "nothing" if stored is None else f"{stored.status} {stored.body.get('code', '')}".strip()
            found.append(Violation("answers are final", call.tag, f"{_call_text(call)}; the ledger keeps {kept}"))
    return found


def _in_the_ledger_once(
    calls: Sequence[ActionCall],
    changes: dict[tuple[str, str], RecordedChange],
    holders: dict[tuple[str, str], int | None],
) -> list[Violation]:
    """Every success is one change of that worker; every change belongs to one success or to an edit in the sheet.
    Taking a spool that the worker already holds, for whatever reason, is a read that names the worker."""
    found: list[Violation] = []
    claims: dict[tuple[str, str], list[ActionCall]] = defaultdict(list)
    for call in calls:
        if isinstance(call.outcome, ActionDone):
            claims[call.tag, call.outcome.version].append(call)
    for key, claimants in claims.items():
        if key not in changes:
            lost = [f"{_call_text(call)}, and is not in the ledger" for call in claimants]
            found += [Violation("acknowledged is kept", key[0], sentence) for sentence in lost]
            continue
        if changes[key].is_beside:
            wrong = [call for call in claimants if not (call.takes and holders[key] == call.worker_id)]
            found += [
                Violation("as answered", key[0], f"{_call_text(call)}, and the ledger says {changes[key].fact}")
                for call in wrong
            ]
            continue
        doers = [call for call in claimants if _did(call, changes[key].fact)]
        again = [call for call in claimants if call not in doers]
        if not doers:
            sentence = f"{_call_text(claimants[0])}, and the ledger says {changes[key].fact}"
            found.append(Violation("as answered", key[0], sentence))
            continue
        if len(doers) > 1 and not all(call.takes for call in doers):
            found.append(Violation("once", key[0], f"{[_call_text(c) for c in doers]} are one change"))
        found += [
            Violation("as answered", key[0], f"{_call_text(call)}, and the ledger says {changes[key].fact}")
            for call in again
            if not (call.takes and holders[key] == call.worker_id)
        ]
    for key, change in changes.items():
        if key not in claims and not change.is_beside:
            found.append(Violation("each change has a cause", key[0], f"nobody asked for {change.fact}"))
    return found


def _edits_were_made(typed: Explained) -> list[Violation]:
    return [Violation("each change has a cause", fact.tag, f"nobody typed {fact}") for fact in typed.made_up]


def _did(call: ActionCall, fact: RecordedEvent) -> bool:
    return fact.tipo in _WRITES[call.accion] and fact.worker_id == call.worker_id


def _one_holder_at_a_time(by_tag: dict[str, list[RecordedChange]], holders: dict[str, int]) -> list[Violation]:
    """By the ledger alone: nobody takes an occupied spool, nobody ends an occupation of another worker, and an edit
    of the holder in the sheet applies to the holder that the person saw."""
    found = []
    for tag, changes in by_tag.items():
        holder: int | None = None
        for change in changes:
            if not _may_come_after(change, holder):
                found.append(Violation("one holder", tag, f"{change.fact} while {holder} held it"))
            holder = change.holder(holder)
        if holder != holders.get(tag):
            sentence = f"its events leave it with {holder}, its row says {holders.get(tag)}"
            found.append(Violation("one holder", tag, sentence))
    return found


def _may_come_after(change: RecordedChange, holder: int | None) -> bool:
    fact = change.fact
    if change.of_a_person:
        return all(holder_seen(each) == holder for each in change.facts if changes_holder(each))
    if fact.tipo == hand_over_rules.RELEVO:
        return holder is not None and holder == fact.giver
    if fact.tipo in _TAKEN:
        return holder is None
    needs_holder = _ends(fact) or fact.tipo in _WRITES[KEEP_ON]
    return not needs_holder or fact.tipo == "LIBERAR_SPOOL" or holder == fact.worker_id


def _ends(fact: RecordedEvent) -> bool:
    ending = ("pausar", "completar", "cancelar", "finalizar", "liberar")
    return any(fact.tipo in _WRITES[accion] for accion in ending)


def _holds_never_overlap(
    calls: Sequence[ActionCall],
    changes: dict[tuple[str, str], RecordedChange],
    taken_away: dict[str, list[tuple[int, float]]],
) -> list[Violation]:
    """By the tablets' clocks: between the answer to a take and the first call or edit that could have ended it, no
    other worker got the answer that the spool is theirs."""
    found = []
    by_tag: dict[str, list[ActionCall]] = defaultdict(list)
    for call in calls:
        by_tag[call.tag].append(call)
    for tag, on_spool in by_tag.items():
        ends = sorted((c for c in on_spool if _may_end(c)), key=lambda c: c.began)
        certain = [
            (take.ended, min(_could_have_ended(take, ends), _could_have_lost(take, changes, taken_away)), take)
            for take in on_spool
            if take.takes and isinstance(take.outcome, ActionDone) and take.ended < float("inf")
        ]
        certain.sort(key=lambda hold: hold[0])
        for i, (_, until, take) in enumerate(certain):
            for other_from, other_until, other in certain[i + 1 :]:
                if other_from >= until:
                    break
                if other.worker_id != take.worker_id and other_from < other_until:
                    found.append(Violation("holds overlap", tag, f"{_call_text(take)} and {_call_text(other)}"))
    return found


def _may_end(call: ActionCall) -> bool:
    return call.accion == hand_over_rules.ACCEPT or not (call.takes or call.accion in (hand_over_rules.OFFER, KEEP_ON))


def _handed_over(calls: Sequence[ActionCall], by_tag: dict[str, list[RecordedChange]]) -> list[Violation]:
    trails = {tag: [(change.version, change.fact) for change in changes] for tag, changes in by_tag.items()}
    return [Violation(*finding) for finding in hand_over_rules.findings(calls, trails)]


def _could_have_ended(take: ActionCall, others: Sequence[ActionCall]) -> float:
    """The earliest moment at which the holder or a supervisor could have ended this occupation. Refused calls
    changed nothing. A call that began before the take was answered may have been delayed, so it counts too."""
    for call in others:
        own = call.worker_id == take.worker_id
        handed_over = call.accion == hand_over_rules.ACCEPT
        mine = handed_over is not own or call.accion == "liberar"  # who accepts it is another person
        if mine and call.ended > take.began and not isinstance(call.outcome, ActionRefused):
            return max(call.began, take.began)
    return float("inf")


def _could_have_lost(
    take: ActionCall, changes: dict[tuple[str, str], RecordedChange], taken_away: dict[str, list[tuple[int, float]]]
) -> float:
    """The earliest moment at which an edit in the sheet could have ended this occupation: an edit with a higher seq,
    not before it was typed."""
    assert isinstance(take.outcome, ActionDone)
    change = changes.get((take.tag, take.outcome.version))
    seq = change.seq if change else 0
    later = [made_at for at, made_at in taken_away.get(take.tag, ()) if at > seq]
    return max(min(later, default=float("inf")), take.began)


def _every_answer_fits(
    calls: Sequence[ActionCall],
    changes: dict[tuple[str, str], RecordedChange],
    by_tag: dict[str, list[RecordedChange]],
    typed: Explained,
    silent: Sequence[ReplacedEdit],
) -> list[Violation]:
    """Each spool is linearizable: a 409 is a read of the holder, a double tap a read that names its author. A holder
    that a person typed without leaving an event (`silent`) must be one that the ledger itself had at some moment."""
    doers, reads = _done_and_read([call for call in calls if not hand_over_rules.is_quiet(call)], changes)
    for tag, held in hand_over_rules.reads_of(calls).items():
        reads[tag] += held
    found = []
    for tag, on_spool in by_tag.items():
        steps, holder = [], None
        for change in on_spool:
            holder = change.holder(holder)
            doer = doers.get((tag, change.version))
            if doer is not None:
                steps.append(HoldStep(doer.began, doer.ended, holder, _call_text(doer)))
            else:
                steps.append(HoldStep(_made_at(change, typed), float("inf"), holder, str(change.fact)))
        found += [Violation("linearizable", tag, sentence) for sentence in misfits(None, steps, reads[tag])]
        agreed = [_as_a_read(one) for one in silent if one.edit.tag == tag]
        if agreed:
            found += [Violation("edits are recorded", tag, sentence) for sentence in misfits(None, steps, agreed)]
    return found


def _done_and_read(
    calls: Sequence[ActionCall], changes: dict[tuple[str, str], RecordedChange]
) -> tuple[dict[tuple[str, str], ActionCall], dict[str, list[HolderRead]]]:
    """The call behind each change, and every answer that named a holder."""
    doers: dict[tuple[str, str], ActionCall] = {}
    reads: dict[str, list[HolderRead]] = defaultdict(list)
    for call in calls:
        match call.outcome:
            case ActionDone(version=version):
                key = (call.tag, version)
                if key in changes and changes[key].is_beside:
                    reads[call.tag].append(HolderRead(call.began, call.ended, call.worker_id, _call_text(call)))
                elif key in changes and _did(call, changes[key].fact):
                    known = doers.get(key)
                    first = call if known is None or call.began < known.began else known
                    if known is not None:
                        later = known if first is call else call
                        reads[call.tag].append(HolderRead(later.began, later.ended, later.worker_id, _call_text(later)))
                    doers[key] = first
                elif key in changes and call.takes:
                    reads[call.tag].append(HolderRead(call.began, call.ended, call.worker_id, _call_text(call)))
            case ActionRefused(code="SPOOL_OCCUPIED", owner_id=owner) if owner is not None:
                reads[call.tag].append(HolderRead(call.began, call.ended, owner, _call_text(call)))
    return doers, reads


def _as_a_read(one: ReplacedEdit) -> HolderRead:
    return HolderRead(one.edit.at, one.at, labelled_id(one.edit.typed.value), f"{one.edit}")


def _edits_are_recorded(unrecorded: Sequence[ReplacedEdit]) -> list[Violation]:
    """Every edit that was read and then replaced has an event. A holder is checked in `_every_answer_fits` instead:
    the ledger may have had that holder already."""
    return [
        Violation("edits are recorded", one.edit.tag, f"{one.edit} was read, replaced, and is nowhere in the trail")
        for one in unrecorded
        if one.edit.typed.column != HOLDER
    ]


def _locks_are_occupations(evidence: CampaignEvidence) -> list[Violation]:
    if evidence.locks is None or evidence.locks == evidence.lock_values:
        return []
    wrong = sorted(set(evidence.locks.items()) ^ set(evidence.lock_values.items()))
    return [Violation("locks", tag, f"Redis and the ledger differ at rest about {value}") for tag, value in wrong]


def _no_gap_in_the_stream(evidence: CampaignEvidence) -> list[Violation]:
    if evidence.streamed is None:
        return []
    wanted = [fact.seq for fact in evidence.facts]
    if evidence.streamed == wanted:
        return []
    missing = sorted(set(wanted) - set(evidence.streamed))[:5]
    return [Violation("stream", "", f"{len(evidence.streamed)} of {len(wanted)} events, first missing {missing}")]


def _call_text(call: ActionCall) -> str:
    outcome = call.outcome
    answer = outcome.code if isinstance(outcome, ActionRefused) else type(outcome).__name__
    return f"{call.worker_id} {call.accion} {call.operacion} → {answer} [{call.began:.3f}, {call.ended:.3f}]"
