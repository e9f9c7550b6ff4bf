"""The rules of notes: each is kept once, as it was written, and changes nothing else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from carrete_chaos.history import ActionCall, ActionDone, RecordedEvent

NOTE = "nota"
NOTED = "a note is kept once"
UNCHANGED = "a note changes nothing"
WAS_NOTED = "a note was kept"
_TIPO = "NOTA"

Finding = tuple[str, str, str]  # rule, tag, sentence


def findings(facts: Sequence[RecordedEvent], calls: Sequence[ActionCall]) -> Iterator[Finding]:
    """`calls` have the answers that the ledger stored in place of answers that were lost."""
    yield from _kept_once(facts, calls)
    yield from _nothing_changed(facts)


def _kept_once(facts: Sequence[RecordedEvent], calls: Sequence[ActionCall]) -> Iterator[Finding]:
    """No two notes of a campaign have the same text, so that an event can be matched with its note."""
    events: dict[str | None, list[RecordedEvent]] = defaultdict(list)
    for fact in facts:
        if fact.tipo == _TIPO:
            events[fact.text].append(fact)
    for call in calls:
        if call.accion != NOTE:
            continue
        found = events.pop(call.more["texto"], [])
        written = [(fact.seq, fact.tag, fact.worker_id, fact.n_union) for fact in found]
        wanted = []
        if isinstance(call.outcome, ActionDone):
            wanted = [(seq, call.tag, call.worker_id, call.more.get("n_union")) for seq in call.outcome.seqs]
        if written != wanted:
            yield NOTED, call.tag, f"{call} left {found or 'nothing'}"
    for found in events.values():
        yield NOTED, found[0].tag, f"nobody wrote {found[0]}"


def _nothing_changed(facts: Sequence[RecordedEvent]) -> Iterator[Finding]:
    """The spool has the version token and the holder that the event before the note left it with."""
    before: dict[str, RecordedEvent] = {}
    for fact in sorted(facts, key=lambda f: f.seq):
        last = before.get(fact.tag)
        if fact.tipo == _TIPO and last and (fact.version, fact.holder) != (last.version, last.holder):
            yield UNCHANGED, fact.tag, f"{fact} came after {last}"
        before[fact.tag] = fact
