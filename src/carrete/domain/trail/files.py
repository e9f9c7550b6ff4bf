"""The texts of witnesses: the receipts that a tablet kept, and an exported trail. What does not parse is said."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from carrete.domain.trail.canonical import FIELDS, STORED_TYPES, ChainHead
from carrete.domain.trail.findings import HASH, ID, SEQ, VERSION, TrailRow
from carrete.domain.trail.printable import printable
from carrete.domain.trail.witness import NOTE_TYPE, SignedHead, Witness, public_key_of, signed_by

RECEIPTS, TRAIL = "carrete-recibos", "carrete-trail"
SEQ_LENGTH_MAX = 20  # of something that is no seq
_HASH = re.compile("[0-9a-f]{64}")
_NOT_AS_WRITTEN = (ValueError, KeyError, TypeError, AttributeError, RecursionError)  # the last: 100,000 brackets
SignedBy = Callable[[SignedHead, Iterable[bytes]], str | None]


class NotReadable(Exception):
    """The text is not what it should be; the message says what is wrong."""


class Receipts(NamedTuple):
    witnesses: list[Witness]
    refused: list[object]  # seqs of receipts that no known key signed, or that are none: they prove nothing


class NamedKey(NamedTuple):
    """The fingerprint of a key, and the event whose seal names it."""

    key: str
    seq: int


class ExportedTrail(NamedTuple):
    """The first line of an exported trail. Its events follow, one on each line."""

    head: ChainHead
    gapless_after: int
    exported_at: str
    keys: list[bytes]
    seals: list[dict[str, Any]]


def parse_receipts(text: str, source: str, keys: Sequence[bytes], check: SignedBy = signed_by) -> Receipts:
    """Only receipts that one of the keys signed are witnesses. What is wrong with one of them is not held against the
    others: they may prove a rewrite."""
    try:
        document = json.loads(text)
        entries, device = document[RECEIPTS], printable(document.get("dispositivo") or source)
    except _NOT_AS_WRITTEN:
        raise NotReadable("it is no file of receipts") from None
    if not isinstance(entries, list):
        raise NotReadable("it has no list of receipts")
    witnesses: list[Witness] = []
    refused: list[object] = []
    for entry in entries:
        head = _head_or_none(entry)
        if head is None or check(SignedHead(head, str(entry.get("firma", ""))), keys) is None:
            refused.append(_seq_of(entry))
        else:
            witnesses.append(_receipt(head, entry, f"recibo de {device}"))
    return Receipts(witnesses, refused)


def _receipt(head: ChainHead, entry: dict[str, Any], source: str) -> Witness:
    at, event_seq = utc_text(str(entry.get("en") or "")), entry.get("event_seq")
    what = " ".join(printable(entry[name]) for name in ("accion", "operacion", "tag_spool") if entry.get(name))
    return Witness(
        head.seq,
        head.hash,
        source,
        made_at=at,
        known_at=at,
        event_seq=event_seq if type(event_seq) is int else 0,
        version=str(entry.get("version") or ""),
        what=what or f"acción del evento {head.seq}",
        is_note=entry.get("accion") == NOTE_TYPE,
    )


def seal_witnesses(
    seals: Iterable[dict[str, Any]], source: str, keys: Sequence[bytes], check: SignedBy = signed_by
) -> Receipts:
    """Signed heads with their time: `{seq, hash, firma, en}`. The time is signed too."""
    witnesses: list[Witness] = []
    refused: list[object] = []
    for entry in seals:
        head = _head_or_none(entry)
        at = "" if head is None else str(entry.get("en", ""))
        if head is None or check(SignedHead(head, str(entry.get("firma", "")), at), keys) is None:
            refused.append(_seq_of(entry))
        else:
            witnesses.append(Witness(head.seq, head.hash, source, made_at=utc_text(at), known_at=utc_text(at)))
    return Receipts(witnesses, refused)


def named_keys(seals: Iterable[Any]) -> list[NamedKey]:
    """Which keys the seals of an exported trail name."""
    texts = [seal for seal in seals if isinstance(seal, dict) and isinstance(seal.get("clave"), str)]
    return [NamedKey(seal["clave"], seal["seq"]) for seal in texts if type(seal.get("seq")) is int]


def _head(entry: dict[str, Any]) -> ChainHead:
    seq, hash_ = entry["seq"], entry["hash"]
    if type(seq) is not int or not isinstance(hash_, str) or not _HASH.fullmatch(hash_):
        raise ValueError(f"{entry!r} is no head of a chain")
    return ChainHead(seq, hash_)


def _head_or_none(entry: Any) -> ChainHead | None:
    try:
        return _head(entry)
    except _NOT_AS_WRITTEN:
        return None


def _seq_of(entry: Any) -> object:
    """What names an entry that is refused; anything may stand there."""
    seq = entry.get("seq") if isinstance(entry, dict) else entry
    return seq if type(seq) is int else printable(seq)[:SEQ_LENGTH_MAX]


def parse_trail_header(line: str, source: str) -> ExportedTrail:
    try:
        header = json.loads(line)[TRAIL]
        keys = [key for each in header["keys"] if (key := public_key_of(each["public_key"]))]
        # A hash that is none is exported as the ledger has it: it fits no event, which the examination says.
        head, gapless_after = ChainHead(header["head"]["seq"], str(header["head"]["hash"])), header["gapless_after"]
        if not type(head.seq) is type(gapless_after) is int:  # JSON of Python also has Infinity
            raise ValueError(f"{head.seq!r} or {gapless_after!r} is no seq")
        return ExportedTrail(head, gapless_after, printable(header["exported_at"]), keys, list(header["seals"]))
    except _NOT_AS_WRITTEN as error:
        raise NotReadable(f"{source} is no exported trail: {error!r}") from None


def parse_trail_row(line: str) -> TrailRow:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not _is_event(row):
        raise NotReadable(f"not an event: {printable(line[:100])}")
    return tuple(row)


def _is_event(row: Any) -> bool:
    """Whether every value is of a kind that Carrete writes: an id that is a list could not be looked up."""
    if not isinstance(row, list) or len(row) != len(FIELDS) + 1 or not STORED_TYPES.issuperset(map(type, row)):
        return False
    return type(row[SEQ]) is int and type(row[ID]) is type(row[VERSION]) is type(row[HASH]) is str


def utc_text(text: str) -> str:
    """An instant in UTC with whole seconds, so that instants compare as text; "" for anything else."""
    try:
        return datetime.fromisoformat(text).astimezone(UTC).isoformat(timespec="seconds") if text else ""
    except (ValueError, OverflowError):  # an hour before the year 1 is no instant
        return ""
