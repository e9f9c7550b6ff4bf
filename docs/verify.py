#!/usr/bin/env python3
"""Checks an exported trail of Carrete, alone and against receipts. It needs Python 3.11 or newer, and nothing else.

    python3 verify.py TRAIL.jsonl [RECEIPTS.json or FOLDER …] [--copy OTHER.jsonl] [--key FINGERPRINT] [--es]

TRAIL.jsonl comes from `carrete verify --export TRAIL.jsonl`, receipts from the tablets. `--copy` is an export that you
kept from earlier: it is compared event by event. `--key` is the fingerprint of the shop's key that you were told by
another way than the file: only what that key signed counts then. Exit 0: whole; 1: not whole; 2: wrong call or no such
file; 3: whole, but some witness is of no use. What is checked, byte by byte, is in docs/trail.md of Carrete.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from argparse import ArgumentParser, Namespace
from base64 import urlsafe_b64decode, urlsafe_b64encode
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from hashlib import sha256
from io import TextIOWrapper
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, NamedTuple


# ─── canonical ───
# The canonical form of an event, byte by byte, and the hash that chains it to the event before.
#
# The hash of an event is SHA-256, in lower-case hexadecimal, over the UTF-8 bytes of
#
#     "carrete-event-1" LF, the hash of the event before (64 characters) LF, then the 16 fields, one after another
#
# A field that has a value is its length in bytes, ":", its text, ","; a field without a value is "-,". Integers are
# written in decimal. The first event has 64 zeros for the hash before it.

FIELDS = (
    *("seq", "id", "at", "evento_tipo", "tag", "worker_id", "worker", "operacion", "accion", "fecha_operacion"),
    *("n_union", "metadata", "ocupado_por", "estado_detalle", "version", "workflow"),
)
STORED_TYPES = frozenset((str, int, type(None)))  # of the values that Carrete writes
GENESIS = "0" * 64
_canonical_PREFIX = "carrete-event-1\n"


class ChainHead(NamedTuple):
    """The last event of the trail and its hash, which stands for all events up to it."""

    seq: int
    hash: str


EMPTY = ChainHead(0, GENESIS)


def event_hash(previous: str, values: Sequence[Any]) -> str:
    """`values` are those of FIELDS, in their order, as they are stored."""
    try:
        text = _canonical_short_form(previous, values)
        if text.isascii():
            return sha256(text.encode()).hexdigest()
    except (IndexError, TypeError, ValueError):  # a long field, or other values than Carrete writes
        pass
    return sha256(_canonical_encoded("".join((f"{_canonical_PREFIX}{previous}\n", *map(_canonical_field, values))))).hexdigest()


def _canonical_short_form(previous: str, values: Sequence[Any]) -> str:
    """What is hashed, in less than half of the time that `_canonical_field` needs: right only if the result is ASCII. Every
    action waits for this. A field that is too long for `_canonical_LENGTHS` is an IndexError."""
    seq, id_, at, tipo, tag, person, worker, op, accion, fecha, union, facts, holder, estado, version, workflow = values
    size, usual = _canonical_LENGTHS, _usual_fields
    return (
        f"{_canonical_PREFIX}{previous}\n"
        f"{'-,' if seq is None else f'{size[len(str(seq))]}{seq},'}{size[len(id_)]}{id_},{usual[at]}"
        f"{usual[tipo]}{size[len(tag)]}{tag},"
        f"{'-,' if person is None else f'{size[len(str(person))]}{person},'}"
        f"{usual[worker]}{usual[op]}{usual[accion]}{usual[fecha]}"
        f"{'-,' if union is None else f'{size[len(str(union))]}{union},'}"
        f"{'-,' if facts is None else f'{size[len(facts)]}{facts},'}"
        f"{usual[holder]}{usual[estado]}{size[len(version)]}{version},{usual[workflow]}"
    )


class _canonical_UsualFields(dict[Any, str]):
    """The written fields of texts that many events have."""

    def __missing__(self, value: Any) -> str:
        field = _canonical_field(value)
        if value is None or (type(value) is str and len(value) <= _USUAL_LENGTH_MAX):
            if len(self) >= _USUAL_MAX:
                self.clear()
            self[value] = field
        return field


_USUAL_MAX, _USUAL_LENGTH_MAX = 2_000, 200
_usual_fields = _canonical_UsualFields()
_canonical_LENGTHS = tuple(f"{length}:" for length in range(1_000))  # how a field of so many characters begins


def _canonical_encoded(text: str) -> bytes:
    """Half of a surrogate pair, which JSON can write into an exported trail, gets bytes that no text of Carrete has:
    the hash is another one, so that the event counts as changed."""
    return text.encode("utf-8", "surrogatepass")


def _canonical_field(value: Any) -> str:
    if value is None:
        return "-,"
    text = value if type(value) is str else str(value)
    return f"{len(text) if text.isascii() else len(_canonical_encoded(text))}:{text},"


# ─── printable ───
# Text that a stranger may have written, as a terminal can show it: a person who tampers with a trail must not be able
# to clear or rewrite the screen of the person who checks it.

TEXT_LENGTH_MAX = 200
PATH_LENGTH_MAX = 4_096


def printable(value: object, length_max: int = TEXT_LENGTH_MAX) -> str:
    """No control characters, nothing that cannot be encoded, and not too long."""
    text = str(value)[:length_max]
    return text if text.isprintable() else "".join(letter if letter.isprintable() else "�" for letter in text)


# ─── findings ───
# What an examination of a trail finds: what was done to which events, after when and before when.

TrailRow = tuple[Any, ...]  # the values of FIELDS, then the stored hash
SEQ, ID, AT, TIPO, TAG, WORKER, ACCION, VERSION, HASH = 0, 1, 2, 3, 4, 6, 8, 14, 16


class Kind(StrEnum):
    CHANGED = "changed"  # an event is not the one that was written
    MISSING = "missing"
    ADDED = "added"  # an event that Carrete did not write
    MOVED = "moved"  # `first` is where it was, `now_at` where it stands
    REWRITTEN = "rewritten"  # changed, and the chain after it was computed anew: one of `first` to `last`, or several
    HEAD_CHANGED = (
        "head"  # the ledger's own head names `first`, and a witness agrees with what the trail has up to `last`
    )


@dataclass(frozen=True, slots=True)
class TrailFinding:
    """It was done after `since` and before `until` (ISO 8601); "" when nothing tells. `unsure` is for missing events
    from before the chain, whose numbers may have gaps, and for an added one that may be another event of Carrete's that
    was moved there. `witness` is what showed it, "" for the trail itself."""

    kind: Kind
    first: int
    last: int
    now_at: int = 0
    since: str = ""
    until: str = ""
    witness: str = ""
    event: str = ""  # type, spool and person of the first event, as far as the trail or the witness tells
    fields: tuple[str, ...] = ()  # that differ, where a copy tells them
    unsure: bool = False
    or_others: bool = (
        False  # other events may be missing, or what stands before the last of the changed ones was changed
    )
    at_least: int = 0  # how many of `first` to `last` are missing, where nothing tells which; 0: all of them


def event_text(row: TrailRow) -> str:
    return " ".join(printable(part) for part in (row[TIPO], row[TAG], row[WORKER]) if part)


def event_time(row: TrailRow) -> str:
    """When the event was written, "" for something that is no text: whoever has the database can put anything there."""
    return printable(row[AT]) if isinstance(row[AT], str) else ""


def merged(findings: Iterable[TrailFinding]) -> list[TrailFinding]:
    """Neighbours of which the same is to be said become one finding."""
    result: list[TrailFinding] = []
    for found in findings:
        last = result[-1] if result else None
        if last is not None and _findings_continues(last, found):
            result[-1] = replace(last, last=found.last, or_others=last.or_others or found.or_others)
        else:
            result.append(found)
    return result


def _findings_continues(one: TrailFinding, other: TrailFinding) -> bool:
    moves_alike = one.kind is not Kind.MOVED or one.now_at - one.first == other.now_at - other.first
    told_alike = (one.kind, one.witness, one.unsure) == (other.kind, other.witness, other.unsure)
    if other.or_others and one.kind is not Kind.CHANGED:
        return False
    follows = other.first == one.last + 1 and one.kind is not Kind.REWRITTEN
    return told_alike and moves_alike and follows and one.fields == other.fields


# ─── ed25519 ───
# Checks Ed25519 signatures (RFC 8032) with whole numbers alone: about a millisecond each, and nothing to install.

KEYS_KEPT_MAX = 16
_ed25519_P = 2**255 - 19
_ed25519_ORDER = 2**252 + 27742317777372353535851937790883648493
_ed25519_D = -121665 * pow(121666, _ed25519_P - 2, _ed25519_P) % _ed25519_P
_ed25519_SQRT_MINUS_ONE = pow(2, (_ed25519_P - 1) // 4, _ed25519_P)
_Point = tuple[int, int, int, int]  # x, y, z and x·y in projective coordinates
_ed25519_ZERO: _Point = (0, 1, 1, 0)


def is_signature(signature: bytes, message: bytes, public_key: bytes) -> bool:
    if len(signature) != 64 or len(public_key) != 32:
        return False
    key, commitment = _ed25519_decompressed(public_key), _ed25519_decompressed(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if key is None or commitment is None or scalar >= _ed25519_ORDER:
        return False
    digest = hashlib.sha512(signature[:32] + public_key + message).digest()
    challenge = int.from_bytes(digest, "little") % _ed25519_ORDER
    return _ed25519_same(_ed25519_times(scalar, _ed25519_BASE), _ed25519_sum(commitment, _ed25519_times(challenge, key)))


def _ed25519_sum(a: _Point, b: _Point) -> _Point:
    left, right = (a[1] - a[0]) * (b[1] - b[0]) % _ed25519_P, (a[1] + a[0]) * (b[1] + b[0]) % _ed25519_P
    c, d = 2 * a[3] * b[3] * _ed25519_D % _ed25519_P, 2 * a[2] * b[2] % _ed25519_P
    e, f, g, h = right - left, d - c, d + c, right + left
    return e * f % _ed25519_P, g * h % _ed25519_P, f * g % _ed25519_P, e * h % _ed25519_P


def _ed25519_times(scalar: int, point: _Point) -> _Point:
    result = _ed25519_ZERO
    for n, doubled in enumerate(_ed25519_doublings(point)):
        if scalar >> n & 1:
            result = _ed25519_sum(result, doubled)
    return result


@lru_cache(KEYS_KEPT_MAX)
def _ed25519_doublings(point: _Point) -> tuple[_Point, ...]:
    """The point times 1, 2, 4 … up to the largest scalar: two thirds of the work, and the same for all signatures of a
    key. An exported trail has thousands of seals."""
    found = [point]
    while len(found) < _ed25519_ORDER.bit_length():
        found.append(_ed25519_sum(found[-1], found[-1]))
    return tuple(found)


def _ed25519_same(a: _Point, b: _Point) -> bool:
    return (a[0] * b[2] - b[0] * a[2]) % _ed25519_P == 0 and (a[1] * b[2] - b[1] * a[2]) % _ed25519_P == 0


def _ed25519_decompressed(encoded: bytes) -> _Point | None:
    y = int.from_bytes(encoded, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    x = _ed25519_x_of(y, sign) if y < _ed25519_P else None
    return None if x is None else (x, y, 1, x * y % _ed25519_P)


def _ed25519_x_of(y: int, sign: int) -> int | None:
    square = (y * y - 1) * pow(_ed25519_D * y * y + 1, _ed25519_P - 2, _ed25519_P) % _ed25519_P
    x = pow(square, (_ed25519_P + 3) // 8, _ed25519_P)
    if (x * x - square) % _ed25519_P:
        x = x * _ed25519_SQRT_MINUS_ONE % _ed25519_P
    if (x * x - square) % _ed25519_P or (x == 0 and sign):
        return None
    return _ed25519_P - x if x & 1 != sign else x


_ed25519_BASE_Y = 4 * pow(5, _ed25519_P - 2, _ed25519_P) % _ed25519_P
_ed25519_BASE = _ed25519_decompressed(_ed25519_BASE_Y.to_bytes(32, "little")) or _ed25519_ZERO


# ─── witness ───
# A witness: a copy of the chain's head that is kept where whoever has the database cannot change it.

KEY_BYTES = 32
NOTE_TYPE = "NOTA"  # of an event, and of the action that writes it: it keeps the token that its spool has already
SEAL_SOURCE = "sello guardado en el registro"
Sign = Callable[[ChainHead], str]  # signs a head with the shop's key, as base64url


class Witness(NamedTuple):
    """`made_at` is an instant at which nothing of what it covers had been changed yet (ISO 8601, UTC), "" when that is
    not known; `known_at` one at which the witness existed already. `event_id` names the event that stands at its seq,
    where the witness tells it, and `event` says its type, spool and person; `event_seq` and `version` name the last
    event of the acknowledged action and its token; `what` says in plain words what was acknowledged, and
    `is_note` whether it was a note."""

    seq: int
    hash: str
    source: str
    made_at: str = ""
    known_at: str = ""
    event_id: str = ""
    event_seq: int = 0
    version: str = ""
    what: str = ""
    event: str = ""
    is_note: bool = False


class SignedHead(NamedTuple):
    """`at` is "" in a receipt, which says nothing of the time."""

    head: ChainHead
    signature: str
    at: str = ""


class MissingKey(NamedTuple):
    """A public key that the ledger had and has no more. `source` and `seq` name what was signed with it."""

    fingerprint: str
    source: str
    seq: int


def key_fingerprint(public_key: bytes) -> str:
    return hashlib.sha256(public_key).hexdigest()


def seal_message(fingerprint: str, head: ChainHead, at: str = "") -> bytes:
    """The bytes that are signed: five lines, each with a line feed at its end."""
    return f"carrete-seal-1\n{fingerprint}\n{head.seq}\n{head.hash}\n{at}\n".encode()


def encoded(raw: bytes) -> str:
    """base64url without padding."""
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def public_key_of(text: object) -> bytes | None:
    """The 32 bytes of a stored public key, None for anything else."""
    try:
        key = decoded(str(text))
    except ValueError:
        return None
    return key if len(key) == KEY_BYTES else None


def signed_by(seal: SignedHead, public_keys: Iterable[bytes]) -> str | None:
    """The fingerprint of the key that signed it, None when none of them did."""
    try:
        signature = decoded(seal.signature)
        for key in public_keys:
            fingerprint = key_fingerprint(key)
            if is_signature(signature, seal_message(fingerprint, seal.head, seal.at), key):
                return fingerprint
    except ValueError:  # no base64url, or a time that cannot be encoded: nobody signed that
        return None
    return None


# ─── localise ───
# Which events do not fit their neighbours, and what must have been done to them.
#
# The stored hash of an event covers its fields and the hash before it. Whoever changes rows and leaves the hashes, or
# computes some of them anew, leaves places where they do not fit; this finds the simplest deed that explains each place.

SUSPECTS_MAX = 300  # rows that are tried at other places; each place costs so many hashes
DELETED_TRIED_MAX = 50  # events that were deleted in one place and whose numbers were closed up
TRIES_MAX = 300_000  # hashes that an examination tries, some seconds; after that a row is only "changed"
_localise_FIELDS = len(FIELDS)


def fits(previous: str, row: TrailRow, seq: int, stored: str | None = None) -> bool:
    """Whether the row, at this seq and after that hash, has the hash that is stored with it."""
    return event_hash(previous, (seq, *row[1:_localise_FIELDS])) == (stored or row[HASH])


def explained(
    rows: Iterable[TrailRow],
    suspects: list[TrailRow],
    head: ChainHead,
    gapless_after: int,
    witnessed: Mapping[int, set[str]],
) -> list[TrailFinding]:
    """`suspects` are rows that do not fit the row before them, the first SUSPECTS_MAX of them. `witnessed` are the
    hashes that witnesses tell of each seq."""
    walk = _localise_Walk(suspects, head, gapless_after, witnessed)
    for row, following in _localise_with_next(rows):
        walk.step(row, following)
    walk.finish()
    return merged(walk.findings)


def _localise_with_next(rows: Iterable[TrailRow]) -> Iterator[tuple[TrailRow, TrailRow | None]]:
    before: TrailRow | None = None
    for row in rows:
        if before is not None:
            yield before, row
        before = row
    if before is not None:
        yield before, None


class _localise_Walk:
    """Goes through the trail with the hash that the next event was chained to, and how far its numbers were shifted."""

    def __init__(
        self, suspects: list[TrailRow], head: ChainHead, gapless_after: int, witnessed: Mapping[int, set[str]]
    ) -> None:
        self.findings: list[TrailFinding] = []
        self._suspects = suspects
        self._moved_from: set[int] = set()  # seqs whose rows were written at another place
        self._holes: list[tuple[str, int]] = []  # hash before, and seq, of events that are missing
        self._withdrawn: set[tuple[Kind, int]] = set()  # findings of which more is known now
        self._head = head
        self._gapless_after = gapless_after
        self._witnessed = witnessed
        self._previous = self._before_last = GENESIS
        self._stored = GENESIS  # the hash that the row before has, whatever was done to it
        self._last: TrailRow | None = None  # the row before, if it fitted
        self._seq = 0  # of the row before
        self._fitted = 0  # the seq with which the last row that fitted was written
        self._unfitted = 0  # rows after it
        self._at = ""  # when the last event that fitted was written: of another one somebody may have changed the time
        self._shift = 0  # the seq of a row minus the one that it was written with
        self._tries_left = TRIES_MAX

    def step(self, row: TrailRow, following: TrailRow | None) -> None:
        fitted = self._fits(row)
        before = self._previous
        if fitted:
            self._previous = row[HASH]
        elif self._last is not None and self._fits_without(row, self._before_last):
            self._add(self._last, sure=self._goes_on(row, following))
            self._previous = row[HASH]
        elif following is not None and not self._is_witnessed(row) and self._fits_without(following, self._previous):
            self._add(row, sure=False)
        elif not (row[SEQ] > self._seq + 1 and self._fill_gap(row, following)) and not self._replaced(row):
            self._explain(row, following)
        self._seq, self._stored = row[SEQ], row[HASH]
        self._at = event_time(row) if fitted else self._at
        self._last, self._before_last = (row, before) if fitted else (None, before)
        self._fitted, self._unfitted = (row[SEQ] - self._shift, 0) if fitted else (self._fitted, self._unfitted + 1)

    def finish(self) -> None:
        """The last events may stand at other places."""
        self._take_from_elsewhere(None)
        kept = [each for each in self.findings if (each.kind, each.first) not in self._withdrawn]
        # What is missing may be one of these.
        guessed = any(each.unsure if each.kind is Kind.ADDED else each.kind is Kind.CHANGED for each in kept)
        self.findings = [
            replace(each, or_others=True) if guessed and each.kind is Kind.MISSING else each for each in kept
        ]

    def _take_from_elsewhere(self, end: int | None) -> None:
        """Events that were written here, before that seq, and stand at other places."""
        written = self._seq - self._shift + 1
        while (end is None or written < end) and (moved := self._elsewhere(written, None)):
            self._note_move(moved, written)
            self._previous = moved[HASH]
            written += 1

    def _fits(self, row: TrailRow) -> bool:
        if fits(self._previous, row, row[SEQ] - self._shift):
            self._note_number(row)
            return True
        if self._shift and fits(self._previous, row, row[SEQ]):
            self._take_from_elsewhere(row[SEQ])
            self._shift = 0  # the shop went on after the deed: what came later has its own number
            return True
        return False

    def _fits_another(self, row: TrailRow) -> bool:
        """Whether it was chained to the hash that is stored with the row before, because the shop went on after the
        deed; or to the event that a witness tells, which stands before it no more."""
        others = (self._stored, *self._witnessed.get(row[SEQ] - 1, ()))
        return any(fits(other, row, row[SEQ]) for other in others)

    def _may_be_before(self, written: int) -> bool:
        """Whether nothing tells that the hash before is the one that was there: the owner may have changed it, or
        computed the chain anew up to it."""
        return written > 1 and self._previous not in self._witnessed.get(written - 1, ())

    def _may_try(self, hashes: int) -> bool:
        self._tries_left -= hashes
        return self._tries_left >= 0

    def _note_number(self, row: TrailRow) -> None:
        """Carrete leaves no gaps, and gives no number twice: events are missing or were added, and the chain was
        computed anew over their place."""
        if row[SEQ] - self._shift <= self._fitted:
            text = event_text(row)
            self.findings.append(TrailFinding(Kind.ADDED, row[SEQ], row[SEQ], since=self._at, event=text, unsure=True))
        elif row[SEQ] > self._seq + 1 > self._gapless_after:
            first, last = self._seq + 1, row[SEQ] - 1
            found = TrailFinding(Kind.MISSING, first, last, since=self._at, or_others=True)
            if self.findings and (self.findings[-1].kind, self.findings[-1].first) == (Kind.CHANGED, self._seq):
                # Its hash is that of the event right before this row: it was written there, or only its hash was.
                del self.findings[-1]
                found = replace(found, first=self._fitted + 1, at_least=last - self._fitted - self._unfitted)
            self.findings.append(found)

    def _fits_without(self, following: TrailRow, previous: str) -> bool:
        """Without the row its neighbours fit, with the number that the next one has or had before."""
        for shift in (self._shift, self._shift + 1):
            if fits(previous, following, following[SEQ] - shift):
                self._shift = shift
                return True
        return False

    def _has_its_number(self, row: TrailRow, following: TrailRow | None) -> bool:
        return row[SEQ] == self._head.seq if following is None else fits(row[HASH], following, following[SEQ])

    def _is_witnessed(self, row: TrailRow) -> bool:
        return row[HASH] in self._witnessed.get(row[SEQ], ())

    def _goes_on(self, row: TrailRow, following: TrailRow | None) -> bool:
        """Whether the next event was chained to this one: this is the one that was there, not the one before."""
        return row[HASH] == self._head.hash if following is None else self._fits_on(row[HASH], following)

    def _fits_on(self, previous: str, following: TrailRow) -> bool:
        return any(fits(previous, following, following[SEQ] - shift) for shift in (self._shift, 0))

    def _add(self, row: TrailRow, *, sure: bool) -> None:
        """Not `sure`: its hash was not made for this place, or it may be the neighbour that was added."""
        if row[SEQ] in self._moved_from:
            return
        holes = self._holes if self._may_try(len(self._holes)) else []
        for previous, written in holes:
            if fits(previous, row, written):
                self._withdrawn.add((Kind.MISSING, written))
                self._note_move(row, written)
                return
        self._suspects.append(row)
        found = TrailFinding(Kind.ADDED, row[SEQ], row[SEQ], since=self._at, event=event_text(row), unsure=not sure)
        self.findings.append(found)

    def _fill_gap(self, row: TrailRow, following: TrailRow | None) -> bool:
        """Numbers are missing before the row: their events stand elsewhere, or nowhere. False: the row is wrong too."""
        first = self._seq - self._shift + 1
        if self._has_its_number(row, following):
            self._shift = 0  # the shop went on after the deed
        last = row[SEQ] - self._shift - 1
        while first <= last and (moved := self._elsewhere(first, None)):
            self._note_move(moved, first)
            self._previous = moved[HASH]
            first += 1
        if first > last and not fits(self._previous, row, row[SEQ] - self._shift):
            return False
        if first <= last:
            unsure, goes_on = first <= self._gapless_after, following is None or self._fits_on(row[HASH], following)
            before = self._may_be_before(first) or not goes_on
            found = TrailFinding(Kind.MISSING, first, last, since=self._at, unsure=unsure, or_others=before)
            self.findings.append(found)
            self._holes.append((self._previous, first))
        self._previous = row[HASH]
        return True

    def _replaced(self, row: TrailRow) -> bool:
        """The event that was written here stands elsewhere; the row takes its place, or comes after it."""
        written = row[SEQ] - self._shift
        moved = self._elsewhere(written, row)
        if moved is None:
            return row[SEQ] in self._moved_from
        self._note_move(moved, written)
        self._previous = moved[HASH]
        if fits(self._previous, row, written + 1):
            self._shift -= 1
            self._previous = row[HASH]
        return True

    def _elsewhere(self, written: int, row: TrailRow | None) -> TrailRow | None:
        """The row that was written at this place and stands at another now. Its hash went with it, or stayed here."""
        here = row[HASH] if row else None
        if not self._may_try(len(self._suspects)):
            return None
        for suspect in self._suspects:
            if suspect[SEQ] != written and (row is None or suspect[SEQ] != row[SEQ]):
                found = event_hash(self._previous, (written, *suspect[1:_localise_FIELDS]))
                if found in (suspect[HASH], here):
                    return (*suspect[:HASH], found)
        return None

    def _note_move(self, moved: TrailRow, written: int) -> None:
        self._moved_from.add(moved[SEQ])
        self._withdrawn.add((Kind.ADDED, moved[SEQ]))
        text = event_text(moved)
        self.findings.append(
            TrailFinding(Kind.MOVED, written, written, moved[SEQ], since=event_time(moved), event=text)
        )

    def _explain(self, row: TrailRow, following: TrailRow | None) -> None:
        """Its fields or its hash were changed, or events before it were deleted and the numbers closed up."""
        written = row[SEQ] - self._shift
        before = self._may_be_before(written)
        if self._fits_another(row):
            self._shift, self._previous = 0, row[HASH]
            return
        if deleted := self._deleted_before(row, following):
            last = written + deleted - 1
            self.findings.append(TrailFinding(Kind.MISSING, written, last, since=self._at, or_others=before))
            self._holes.append((self._previous, written))
            self._shift -= deleted
        else:
            text = event_text(row)
            found = TrailFinding(Kind.CHANGED, row[SEQ], row[SEQ], since=self._at, event=text, or_others=before)
            self.findings.append(found)
        computed = event_hash(self._previous, (written, *row[1:_localise_FIELDS]))
        hash_alone = following is not None and fits(computed, following, following[SEQ] - self._shift)
        self._previous = computed if hash_alone else row[HASH]

    def _deleted_before(self, row: TrailRow, following: TrailRow | None) -> int:
        """How many events are gone before the row, if the numbers after them were closed up; 0 when that is not so."""
        if following is None:
            return max(0, self._head.seq - (row[SEQ] - self._shift)) if row[HASH] == self._head.hash else 0
        if fits(row[HASH], following, following[SEQ] - self._shift) or not self._may_try(DELETED_TRIED_MAX):
            return 0
        for deleted in range(1, DELETED_TRIED_MAX + 1):
            if fits(row[HASH], following, following[SEQ] - self._shift + deleted):
                return deleted
        return 0


# ─── seen ───
# What one reading of the trail notes, for the comparison with witnesses: of each seq, hash, id and token they name.

@dataclass(slots=True)
class TrailSeen:
    """The first four are what is looked for. `misfits` are places at which the trail does not fit itself."""

    seqs: set[int]
    hashes: set[str]
    ids: set[str]
    versions: set[str]
    at_seq: dict[int, TrailRow] = field(default_factory=dict)
    of_hash: dict[str, int] = field(default_factory=dict)
    of_id: dict[str, int] = field(default_factory=dict)
    of_version: dict[str, TrailRow] = field(default_factory=dict)  # the newest event with that token
    of_action: dict[tuple[str, str], int] = field(default_factory=dict)  # the newest with that token and `accion`
    suspects: list[TrailRow] = field(default_factory=list)
    misfits: int = 0
    events: int = 0
    last: TrailRow | None = None

    @classmethod
    def of(cls, witnesses: Sequence[Witness]) -> TrailSeen:
        ids = {w.event_id for w in witnesses if w.event_id}
        versions = {w.version for w in witnesses if w.version}
        return cls({w.seq for w in witnesses}, {w.hash for w in witnesses}, ids, versions)

    def note(self, row: TrailRow) -> None:
        if row[SEQ] in self.seqs:
            self.at_seq[row[SEQ]] = row
        if row[HASH] in self.hashes:
            self.of_hash[row[HASH]] = row[SEQ]
        if self.ids and row[ID] in self.ids:
            self.of_id[row[ID]] = row[SEQ]
        if row[VERSION] in self.versions:
            self._note_token(row)

    def _note_token(self, row: TrailRow) -> None:
        token = row[VERSION]
        self.of_version[token] = row
        self.of_action[token, NOTE_TYPE if row[TIPO] == NOTE_TYPE else row[ACCION]] = row[SEQ]

    @property
    def end(self) -> ChainHead:
        return ChainHead(self.last[SEQ], self.last[HASH]) if self.last else ChainHead(0, GENESIS)

    def agrees(self, w: Witness) -> bool:
        return w.seq in self.at_seq and self.at_seq[w.seq][HASH] == w.hash


# ─── compared ───
# The witnesses beside the trail: which of them agree with it and which deny it, and what their times tell.

@dataclass(frozen=True, slots=True)
class Compared:
    seen: TrailSeen
    agreeing: Sequence[Witness]
    denying: Sequence[Witness]  # by their seqs
    now: str = ""  # a later time is that of a clock that is ahead

    @classmethod
    def of(cls, seen: TrailSeen, witnesses: Iterable[Witness], now: str = "") -> Compared:
        agreeing: list[Witness] = []
        denying: list[Witness] = []
        for w in witnesses:
            (agreeing if seen.agrees(w) else denying).append(w)
        agreeing.sort(key=lambda w: w.seq)
        return cls(seen, agreeing, sorted(denying, key=lambda w: (w.seq, not w.event_id)), now)

    def foreign_workbooks(self) -> Set[str]:
        """They tell every event as missing or another one; a person may have taken the workbook of another shop."""
        known = {w.source for w in self.agreeing}
        known |= {w.source for w in self.denying if w.event_id in self.seen.of_id}
        return {w.source for w in self.denying if w.event_id} - known

    def is_of_the_future(self, time: str) -> bool:
        return bool(self.now) and time > self.now

    def newest_time(self, witnesses: Iterable[Witness]) -> str:
        return max((w.made_at for w in witnesses if not self.is_of_the_future(w.made_at)), default="")

    def may_be_of_before(self, w: Witness, sources: Set[str]) -> bool:
        """A workbook does not say when it was written. If no row of it denies anything, it may be of the trail as it
        was made anew. `sources` are those that deny something."""
        return not w.event_id or w.source in sources

    def unchanged_up_to(self, denying: Sequence[Witness]) -> int:
        """The hash of an event stands for everything before it: up to this seq the trail is the one of the first of
        the witnesses that deny what follows. Of that one's kind the first whose clock was not ahead tells the time."""
        if not denying:
            return 0
        first, told = denying[0], (w for w in denying if not self.is_of_the_future(w.made_at))
        timed = next((w for w in told if w.source == first.source or not (w.event_id or first.event_id)), None)
        of_before = (w.seq for w in self.agreeing if timed and w.seq < first.seq and is_of_the_trail_of(w, timed))
        return max(of_before, default=0)

    def confirmed(self) -> int:
        """The last seq at which a witness of the trail as it was agrees."""
        sources = {w.source for w in self.denying}
        return max((w.seq for w in self.agreeing if self.may_be_of_before(w, sources)), default=0)

    def hashes_from_before(self) -> dict[int, set[str]]:
        """What witnesses tell of each seq, as far as they are of the trail as it was. The head of a receipt or a seal
        was signed before the next event was written."""
        sources, hashes = {w.source for w in self.denying}, dict[int, set[str]]()
        for w in (*self.denying, *(each for each in self.agreeing if self.may_be_of_before(each, sources))):
            hashes.setdefault(w.seq, set()).add(w.hash)
        return hashes


def told_at(w: Witness) -> str:
    """A workbook does not say when its rows were written, only when their events were."""
    return w.made_at if w.event_id else w.known_at or w.made_at


def is_of_the_trail_of(w: Witness, denying: Witness) -> bool:
    """What was made later may be of a trail that was made anew and went on. Rows of a workbook are of the same trail as
    others of that workbook alone."""
    told = w.source == denying.source if w.event_id else bool(told_at(w))
    return told and told_at(w) <= denying.made_at


class Stood:
    """When witnesses saw single events stand in the trail, for the question when those of a range stood last."""

    def __init__(self, witnesses: Iterable[Witness]) -> None:
        timed = ((w.event_seq if w.what else w.seq, w.made_at) for w in witnesses if w.made_at)
        self._times = sorted(timed)

    def last(self, first: int, last: int) -> str:
        times = self._times
        begin, end = bisect_left(times, (first, "")), bisect_left(times, (last + 1, ""))
        return max((times[at][1] for at in range(begin, end)), default="")


# Which times count: "after" must never be later than the deed. A seal, a backup's head and a receipt have the hash
# that is stored with the last event; nobody computed it from the event's fields. Who changed them in place left the
# hash, and whatever is signed afterwards agrees with it: of such an event nothing tells more than that the one before
# was written. A missing event stood when a receipt named its own seq (the server had just written the row, or read
# the seq from it), when it was written, which its row in a sheet tells, and when a head that ends with it was signed
# for a seal or a backup: they look for its row first. A receipt does not: its head may be one that was left after the
# event was deleted.


def sharpened(findings: Iterable[TrailFinding], denying: Iterable[Witness], seen: TrailSeen) -> list[TrailFinding]:
    """A missing event stood later than the one before it was written."""
    stood = Stood(w for w in denying if w.hash not in seen.of_hash)
    return [
        replace(found, since=max(found.since, stood.last(found.first, found.last)))
        if found.kind is Kind.MISSING and not found.at_least
        else found
        for found in findings
    ]


# ─── deeds ───
# Which witnesses deny one deed, and which a later one.
#
# After a restore the shop goes on, with witnesses of its new events beside those of the lost ones: what was done to the
# new events is told on its own.

DEEDS_TOLD_MAX = 5  # one after another; if there seem to be more, clocks are wrong, or two servers went on


def by_deed(compared: Compared, denying: Sequence[Witness]) -> list[Sequence[Witness]]:
    """These witnesses in parts: what those of a part deny was done before those of the next one were made."""
    parts, rest = list[Sequence[Witness]](), denying
    for _ in range(DEEDS_TOLD_MAX):
        later = _deeds_of_later_deeds(compared, rest)
        parts.append([w for w in rest if w not in later])
        rest = [w for w in rest if w in later]
    return [denying] if rest else parts


def _deeds_of_later_deeds(compared: Compared, denying: Sequence[Witness]) -> Set[Witness]:
    """Those that were made after the first deed. A witness that agrees with the trail at the first place that is
    denied, or beyond it, was made after that deed; one that denies it still further on, and is younger, tells another
    deed."""
    agreeing, later, earliest = compared.agreeing, set[Witness](), dict[str, Witness]()
    foreign = compared.foreign_workbooks()
    at = bisect_left(agreeing, denying[0].seq, key=lambda w: w.seq) if denying else 0
    newest = ""  # when the witnesses so far were made
    for w in denying:
        while at < len(agreeing) and agreeing[at].seq < w.seq:
            if told_at(agreeing[at]) > newest:  # else a clock is wrong, or the time is not that of the writing
                _deeds_note_earliest(earliest, agreeing[at])
            at += 1
        if w.source in foreign or compared.is_of_the_future(w.made_at):
            continue  # its time says nothing of this trail
        if any(source in earliest and is_of_the_trail_of(earliest[source], w) for source in ("", w.source)):
            later.add(w)
        newest = max(newest, w.made_at)
    return later


def _deeds_note_earliest(earliest: dict[str, Witness], w: Witness) -> None:
    """Of each workbook, and of all other witnesses together."""
    source = w.source if w.event_id else ""
    if source not in earliest or told_at(w) < told_at(earliest[source]):
        earliest[source] = w


# ─── denied ───
# What witnesses tell that the trail does not have: where it differs from theirs, and which of their events are gone.
#
# A receipt, a seal and a backup's head are a seq and a hash: up to there the trail was another one, and it had so many
# events. Which of them was changed or is gone, they do not tell. The row of a sheet also has the event's id, so that its
# event is found wherever it stands.

class _denied_Places:
    """Ranges of seqs."""

    def __init__(self, findings: Iterable[TrailFinding]) -> None:
        ordered = sorted(findings, key=lambda each: each.first)
        self._firsts = [each.first for each in ordered]
        self._last_so_far = list(accumulate((each.last for each in ordered), max))

    def __contains__(self, seq: int) -> bool:
        at = bisect_right(self._firsts, seq) - 1
        return at >= 0 and self._last_so_far[at] >= seq


def denied_by_witnesses(compared: Compared, known: Sequence[TrailFinding]) -> list[TrailFinding]:
    """What the trail alone does not show: its end is cut off, or the chain was computed anew. `known` is what the
    trail itself shows."""
    seen, places = compared.seen, _denied_Places(known)
    known_from = min((min(each.first, each.now_at or each.first) for each in known), default=0)
    unmoved = [w for w in compared.denying if not (known and w.hash in seen.of_hash and w.seq >= known_from)]
    found: list[TrailFinding] = []
    for part in by_deed(compared, unmoved):
        if other := [w for w in part if w.seq not in places]:
            found += _denied_denied_by(compared, known, part, other)
    return found


def _denied_denied_by(
    compared: Compared, known: Sequence[TrailFinding], part: Sequence[Witness], other: Sequence[Witness]
) -> list[TrailFinding]:
    """What the witnesses of one trail tell. `other` are those of the part at places that the trail itself does not
    show."""
    seen = compared.seen
    gone, end = _denied_gone_by_their_ids(other, compared), seen.end.seq
    found = list(gone)
    beyond = [w for w in other if w.seq > end and w.hash not in seen.of_hash]
    told = sum(each.last - each.first + 1 for each in [*known, *gone] if each.kind is Kind.MISSING)
    unchanged, is_fewer = compared.unchanged_up_to(other), bool(beyond) and beyond[-1].seq - end > told
    if other[0] not in beyond[:1] or (not is_fewer and unchanged + 1 < other[0].seq):
        rewritten = _denied_rewritten(compared, part)
        found += [rewritten] if rewritten.kind is not Kind.MISSING else []
    if is_fewer:
        fewer = _denied_fewer(unchanged, end, beyond)
        fewer = replace(fewer, or_others=any(each.kind in (Kind.CHANGED, Kind.ADDED) for each in known))
        found = [each for each in found if each.first < fewer.first or fewer.at_least] + [fewer]
    return sharpened(found, part, seen)


def told_by_places(compared: Compared, shown: Sequence[TrailFinding]) -> list[TrailFinding]:
    """What the trail itself shows, without being sure that events are missing of which a witness tells that they stand
    elsewhere."""
    seen = compared.seen
    there = sorted(w.seq for w in compared.denying if w.hash in seen.of_hash or w.event_id in seen.of_id)

    def contradicted(found: TrailFinding) -> bool:
        return found.kind is Kind.MISSING and bisect_left(there, found.first) < bisect_right(there, found.last)

    return [replace(each, or_others=True) if contradicted(each) else each for each in shown]


def _denied_gone_by_their_ids(denying: Sequence[Witness], compared: Compared) -> list[TrailFinding]:
    """Events of which no event in the trail has the id."""
    since = compared.newest_time(denying)
    by_seq = {w.seq: w for w in denying if w.event_id and w.event_id not in compared.seen.of_id}
    return merged(
        TrailFinding(Kind.MISSING, seq, seq, since=since, witness=w.source, event=w.event) for seq, w in by_seq.items()
    )


def _denied_fewer(unchanged: int, end: int, beyond: Sequence[Witness]) -> TrailFinding:
    """The trail ends before these witnesses. The events after its end are those that are missing only if all before
    are unchanged; if not, others may be, and the chain after them computed anew."""
    newest = beyond[-1]
    since = Stood(beyond).last(end + 1, newest.seq)
    found = TrailFinding(Kind.MISSING, unchanged + 1, newest.seq, since=since, witness=newest.source)
    if unchanged < end:
        return replace(found, at_least=newest.seq - end)
    return replace(found, event=beyond[0].event if beyond[0].seq == found.first else "")


def _denied_rewritten(compared: Compared, denying: Sequence[Witness]) -> TrailFinding:
    """The first event that differs comes after the last one that some witness of the trail from before agrees with,
    and not after the first one that some witness denies."""
    seen, first, unchanged = compared.seen, denying[0], compared.unchanged_up_to(denying)
    since = compared.newest_time(denying)
    after = [w.known_at for w in compared.agreeing if w.seq >= first.seq and w.known_at and not seen.misfits]
    until = min((at for at in after if not compared.is_of_the_future(at)), default="")
    found = TrailFinding(Kind.REWRITTEN, unchanged + 1, first.seq, since=since, until=until)
    if first.event_id and unchanged + 1 == first.seq:
        found = _denied_told_by_id(found, compared, first)
    now_at = seen.of_id.get(first.event_id) or seen.of_hash.get(first.hash, first.seq)
    if first.hash in seen.of_hash and now_at != first.seq:
        found = replace(found, kind=Kind.MOVED, first=first.seq, now_at=now_at)
    event = _denied_event_told(found.kind, seen, first) if found.first == found.last else ""
    return replace(found, witness=first.source, event=event)


def _denied_event_told(kind: Kind, seen: TrailSeen, w: Witness) -> str:
    """The row that was changed or added as it stands, else what the witness says of its event."""
    row = seen.at_seq.get(w.seq)
    return event_text(row) if row is not None and kind in (Kind.CHANGED, Kind.ADDED) else w.event or w.what


def _denied_told_by_id(found: TrailFinding, compared: Compared, w: Witness) -> TrailFinding:
    """The event at this seq is the first that differs: the same id means changed; an id that is gone means missing;
    otherwise another event was moved or added here."""
    seen, row = compared.seen, compared.seen.at_seq.get(w.seq)
    if row is not None and row[ID] == w.event_id:
        return replace(found, kind=Kind.CHANGED)
    if w.event_id not in seen.of_id:
        return replace(found, kind=Kind.MISSING)
    if row is None or row[ID] in seen.ids:
        return replace(found, kind=Kind.MOVED, now_at=seen.of_id[w.event_id])
    return replace(found, kind=Kind.ADDED, unsure=not _denied_has_all_of_before(compared, w.source, row))


def _denied_has_all_of_before(compared: Compared, source: str, row: TrailRow) -> bool:
    """Whether the sheet has every event of the time of this one. If not, it may be one that the sheet does not have,
    and was moved."""
    rows = [w for w in (*compared.agreeing, *compared.denying) if w.event_id and w.source == source]
    newest, seqs = max(w.made_at for w in rows), {w.seq for w in rows}
    return max(seqs) == len(seqs) and "" < event_time(row) < newest


# ─── lost ───
# Acknowledged actions that the trail does not have: after a restore, what was lost.

def lost_actions(compared: Compared) -> list[Witness]:
    unchanged = compared.unchanged_up_to(compared.denying)
    return [w for w in compared.denying if _lost_is_lost(w, compared, unchanged)]


def _lost_is_lost(w: Witness, compared: Compared, unchanged: int) -> bool:
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
    return w.is_note or seen.of_version[w.version][SEQ] <= unchanged or _lost_is_too_far(w, compared)


def _lost_is_too_far(w: Witness, compared: Compared) -> bool:
    """Beyond the end: whether the event with the token stands further away than deletions before it can have moved the
    one that was acknowledged. Then it is an older one of its spool."""
    seen, end = compared.seen, compared.seen.end.seq
    fewer = compared.denying[-1].seq - end
    return w.event_seq > end and seen.of_version[w.version][SEQ] < w.event_seq - fewer


# ─── compare ───
# Examines a trail: every event against the one before, the end against the head, and everything against witnesses.

Progress = Callable[[int], None]
PROGRESS_EVERY = 5_000  # events
_compare_FIELDS = len(FIELDS)


@dataclass(frozen=True, slots=True)
class TrailReport:
    """`agreeing` of the witnesses say what the trail says. `lost` are acknowledged actions that it does not have."""

    events: int
    head: ChainHead
    witnesses: int
    agreeing: int
    findings: Sequence[TrailFinding]
    lost: Sequence[Witness]
    written_at: Mapping[int, int] = field(default_factory=dict)  # of events that stand elsewhere now, by their seqs
    foreign: Sequence[str] = ()  # workbooks of which the trail has nothing


def examine(
    read: Callable[[], Iterable[TrailRow]],
    head: ChainHead,
    witnesses: Sequence[Witness] = (),
    gapless_after: int = 0,
    now: str = "",
    on_progress: Progress = lambda _: None,
) -> TrailReport:
    """`read` gives the rows in the order of their seqs; it is called again if something does not fit. `now` is the end
    of every "before". A witness of the empty trail says nothing about any event."""
    witnesses = [w for w in witnesses if (w.seq, w.hash) != EMPTY]
    seen = _compare_first_pass(read(), TrailSeen.of(witnesses), gapless_after, on_progress)
    compared = Compared.of(seen, witnesses, now)
    shown: list[TrailFinding] = []
    if seen.misfits:
        shown = explained(read(), seen.suspects, head, gapless_after, compared.hashes_from_before())
        shown = told_by_places(compared, shown)
    denied = denied_by_witnesses(compared, shown)
    shown = _compare_with_the_end(shown, _compare_at_the_end(compared, head), denied, compared)
    shown = sharpened(shown, compared.denying, seen)
    ended = [_compare_ended(found, now) for found in (*shown, *denied)]
    return TrailReport(
        seen.events,
        seen.end,
        len(witnesses),
        len(compared.agreeing),
        sorted(ended, key=lambda f: f.first),
        lost_actions(compared),
        _compare_written_at(shown, compared),
        sorted(compared.foreign_workbooks()),
    )


def _compare_first_pass(rows: Iterable[TrailRow], seen: TrailSeen, gapless_after: int, on_progress: Progress) -> TrailSeen:
    previous, expected = GENESIS, 1
    for row in rows:
        if row[SEQ] > expected > gapless_after or row[SEQ] < expected:
            seen.misfits += 1
        if event_hash(previous, row[:_compare_FIELDS]) != row[HASH]:
            seen.misfits += 1
            if len(seen.suspects) < SUSPECTS_MAX:
                seen.suspects.append(row)
        previous, expected = row[HASH], row[SEQ] + 1
        seen.note(row)
        seen.events += 1
        if seen.events % PROGRESS_EVERY == 0:
            on_progress(seen.events)
        seen.last = row
    on_progress(seen.events)
    return seen


def _compare_at_the_end(compared: Compared, head: ChainHead) -> TrailFinding | None:
    """The head is written in the commit of the last event: events beyond it, or none at it, were not left by us. But
    the head itself can be changed, and then a witness may agree with an event that it denies."""
    seen, last = compared.seen, compared.seen.end.seq
    if seen.end.hash == head.hash:  # an event keeps its hash when numbers are closed up
        same = seen.end.seq == head.seq or seen.misfits
        return None if same else TrailFinding(Kind.HEAD_CHANGED, head.seq, last)
    confirmed = compared.confirmed()
    if last < head.seq:
        at = event_time(seen.last) if seen.last else ""
        return TrailFinding(Kind.MISSING, last + 1, head.seq, since=at, witness=HEAD)
    if confirmed > head.seq or confirmed == last > 0:
        return TrailFinding(Kind.HEAD_CHANGED, head.seq, confirmed, witness=HEAD)
    if last > head.seq:
        return TrailFinding(Kind.ADDED, head.seq + 1, last, witness=HEAD)
    return None if seen.misfits or not last else TrailFinding(Kind.REWRITTEN, confirmed + 1, last, witness=HEAD)


def _compare_with_the_end(
    shown: Sequence[TrailFinding], end: TrailFinding | None, denied: Sequence[TrailFinding], compared: Compared
) -> list[TrailFinding]:
    """The head's sentence is left out where witnesses tell as much: they are out of the owner's reach. Where some of
    them agree further on, the shop went on after the deed, and its head was another one. It says all of a forged end
    that does not fit the event before: not that it was changed, too."""
    confirmed = compared.confirmed()
    of_the_end = [each for each in denied if each.last > confirmed]
    if end is None or (end.kind is Kind.REWRITTEN and of_the_end):
        return [*shown]
    missing = [each for each in of_the_end if each.kind is Kind.MISSING]
    number = sum(each.at_least or each.last - each.first + 1 for each in missing)
    if end.kind is Kind.MISSING and (number > end.last - end.first or any(each.last > end.last for each in missing)):
        return [*shown]
    last = shown[-1] if shown and end.kind is Kind.ADDED else None
    if last and last.kind is Kind.CHANGED and (last.first, last.last) == (end.first, end.last):
        return [*shown[:-1], replace(end, since=last.since, event=last.event)]
    return [*shown, end]


def _compare_ended(found: TrailFinding, now: str) -> TrailFinding:
    """The clock of a tablet may be wrong: of times that contradict each other none counts."""
    since, until = "" if now and found.since > now else found.since, found.until or now
    return replace(found, since="", until=now) if until and since > until else replace(found, since=since, until=until)


def _compare_written_at(shown: Iterable[TrailFinding], compared: Compared) -> dict[int, int]:
    """Where the events were written that stand elsewhere now: by the seq at which they stand. The id in a sheet tells
    it; of a receipt and the one before it the hashes do, which are those of that event at that place."""
    seen, places = compared.seen, dict[int, int]()
    hashes = compared.hashes_from_before() if compared.denying else {}
    for w in compared.denying:
        row = seen.of_version.get(w.version)
        before = hashes.get(w.seq - 1, {GENESIS} if w.seq == 1 else set[str]())
        if row and any(event_hash(each, (w.seq, *row[1:_compare_FIELDS])) == w.hash for each in before):
            places[row[SEQ]] = w.seq
        if w.event_id in seen.of_id:
            places[seen.of_id[w.event_id]] = w.seq
    for each in shown:
        if each.kind is Kind.MOVED:
            places |= {each.now_at + n: each.first + n for n in range(each.last - each.first + 1)}
    return {now: written for now, written in places.items() if now != written}


HEAD = "head"


# ─── copies ───
# The trail against a whole copy of it, event by event: what a copy tells is exact, also if the chain was rewritten.

DIFFERENCES_MAX = 100_000  # seqs that are compared by the ids of their events; the rest is not told one by one
_copies_FIELDS = len(FIELDS)


def compare_with_copy(
    trail: Iterable[TrailRow],
    copy: Iterable[TrailRow],
    source: str,
    made_at: str,
    written_at: Mapping[int, int] | None = None,
) -> list[TrailFinding]:
    """Events after the end of the copy are none of its business. Hashes are not compared: an older copy has none.
    Where nothing tells when it was made, it was when the newest of its events had been written.
    `written_at` tells of events that stand at these seqs now where they were written, as far as other witnesses and
    the chain do."""
    compared = _copies_Compared(written_at or {})
    compared.read(trail, copy)
    return [
        replace(each, since=made_at or compared.newest, witness=source)
        for each in merged(sorted(compared.findings(), key=lambda f: (f.kind, f.first)))
    ]


class _copies_Compared:
    """The events that differ, by their ids, and where the trail has the last one that the copy has too."""

    def __init__(self, written_at: Mapping[int, int]) -> None:
        self._written_at = written_at
        self._now: dict[str, TrailRow] = {}
        self._then: dict[str, TrailRow] = {}
        self._sought: set[str] = set()  # ids of the copy that the trail has not shown yet
        self._last_alike = 0  # seq of the last event that did not change
        self._end = 0  # seq of the last event of the copy that was compared
        self.newest = ""  # the latest time of an event of the copy

    def read(self, trail: Iterable[TrailRow], copy: Iterable[TrailRow]) -> None:
        """Both are in the order of their seqs. Beyond the copy's end its events are sought that were moved there."""
        ours, theirs = iter(trail), iter(copy)
        one, other = next(ours, None), next(theirs, None)
        while other is not None and len(self._then) + len(self._now) <= DIFFERENCES_MAX:
            self._end, self.newest = other[SEQ], max(self.newest, event_time(other))
            if one is None or one[SEQ] > other[SEQ]:
                self._note_theirs(other)
                other = next(theirs, None)
            elif one[SEQ] < other[SEQ]:
                self._note_ours(one)
                one = next(ours, None)
            else:
                self._note_both(one, other)
                one, other = next(ours, None), next(theirs, None)
        while one is not None and self._sought:
            if one[ID] in self._sought:
                self._note_ours(one)
            one = next(ours, None)

    def _note_both(self, one: TrailRow, other: TrailRow) -> None:
        if one[:_copies_FIELDS] == other[:_copies_FIELDS]:
            self._last_alike = one[SEQ]
        else:
            self._note_ours(one)
            self._note_theirs(other)

    def _note_ours(self, row: TrailRow) -> None:
        self._now[row[ID]] = row
        self._sought.discard(row[ID])

    def _note_theirs(self, row: TrailRow) -> None:
        self._then[row[ID]] = row
        if row[ID] not in self._now:
            self._sought.add(row[ID])

    def findings(self) -> Iterator[TrailFinding]:
        """An event is added where one of the copy stands after it. What follows the last of those may be from after the
        copy: if events were deleted and the numbers closed up, such events stand where the copy has others."""
        both = self._now.keys() & self._then.keys()
        last = max([self._last_alike, *(self._now[id_][SEQ] for id_ in both)])
        yield from (_copies_of_copy(row, self._now.get(id_)) for id_, row in self._then.items())
        for id_, row in self._now.items():
            if id_ not in self._then and row[SEQ] < last:
                yield self._put_there(row)

    def _put_there(self, row: TrailRow) -> TrailFinding:
        """An event that the copy does not have stands before one that it has. By its own time it may be one from after
        the copy, which was moved."""
        written = self._written_at.get(row[SEQ], 0)
        if written > self._end:
            return replace(_copies_found(Kind.MOVED, row), first=written, last=written, now_at=row[SEQ])
        return replace(_copies_found(Kind.ADDED, row), unsure=event_time(row) >= self.newest)


def _copies_of_copy(row: TrailRow, now: TrailRow | None) -> TrailFinding:
    if now is None:
        return _copies_found(Kind.MISSING, row)
    if now[SEQ] != row[SEQ]:
        return replace(_copies_found(Kind.MOVED, row), now_at=now[SEQ])
    fields = tuple(name for name, a, b in zip(FIELDS, row, now, strict=False) if a != b)
    return replace(_copies_found(Kind.CHANGED, now), fields=fields)


def _copies_found(kind: Kind, row: TrailRow) -> TrailFinding:
    return TrailFinding(kind, row[SEQ], row[SEQ], event=event_text(row))


# ─── sentences ───
# What an examination found, in plain words, English and Spanish.

FINDINGS_NAMED_MAX, LOST_NAMED_MAX = 200, 200
# Witnesses are named in Spanish, by what they are and of whom; the longest beginning first.
_sentences_ENGLISH_BEGINNINGS = {
    SEAL_SOURCE: "a seal kept in the ledger",
    "sello de tiempo de ": "a time stamp of ",
    "recibo de ": "a receipt of ",
    "respaldo ": "the backup ",
    "sello ": "the seal ",
}


class Sentence(NamedTuple):
    en: str
    es: str


def report_sentences(
    report: TrailReport,
    differences: Sequence[TrailFinding] = (),
    missing_keys: Sequence[MissingKey] = (),
    copies: int = 0,
) -> Iterator[Sentence]:
    """The first says whether all is well. `differences` are those from whole copies, of which so many were compared."""
    checked = _sentences_checked(report, copies)
    if report.findings or report.lost or differences:
        yield Sentence(f"THE TRAIL IS NOT WHOLE: {checked.en}.", f"EL REGISTRO NO ESTÁ ÍNTEGRO: {checked.es}.")
        yield from _sentences_of_findings(report, differences)
        yield from map(_sentences_foreign_workbook, report.foreign)
    elif missing_keys:
        yield Sentence(
            f"A KEY WAS DELETED, so witnesses may be missing. The events fit together: {checked.en}.",
            f"SE BORRÓ UNA CLAVE: pueden faltar testigos. Los eventos calzan: {checked.es}.",
        )
    elif report.witnesses or copies:
        yield Sentence(f"The trail is whole: {checked.en}.", f"El registro está íntegro: {checked.es}.")
    else:
        yield _sentences_without_witness(checked.en, checked.es)
    yield from map(missing_key_sentence, missing_keys)


def _sentences_of_findings(report: TrailReport, differences: Sequence[TrailFinding]) -> Iterator[Sentence]:
    yield from map(finding_sentence, [*report.findings, *differences][:FINDINGS_NAMED_MAX])
    if (more := len(report.findings) + len(differences) - FINDINGS_NAMED_MAX) > 0:
        yield Sentence(f"… and {more} more places.", f"… y {more} lugares más.")
    yield from map(_sentences_lost, report.lost[:LOST_NAMED_MAX])
    if (more := len(report.lost) - LOST_NAMED_MAX) > 0:
        yield Sentence(f"… and {more} more acknowledged actions.", f"… y {more} acciones confirmadas más.")


def _sentences_foreign_workbook(source: str) -> Sentence:
    name = printable(source, PATH_LENGTH_MAX)
    return Sentence(
        f"Nothing of {name} is in the trail. If it is the workbook of another shop, verify without it.",
        f"Nada de {name} está en el registro. Si es la planilla de otro taller, verifique sin ella.",
    )


def _sentences_checked(report: TrailReport, copies: int) -> Sentence:
    en, es = f"{report.events} events up to {report.head.seq}", f"{report.events} eventos hasta el {report.head.seq}"
    agreeing, witnesses = report.agreeing, report.witnesses
    if witnesses:
        en, es = (
            f"{en}, {agreeing} of {witnesses} witnesses agree",
            f"{es}, {agreeing} de {witnesses} testigos coinciden",
        )
    if copies:
        en = f"{en}, compared event by event with {copies} {'copies' if copies > 1 else 'copy'}"
        es = f"{es}, comparado evento por evento con {copies} {'copias' if copies > 1 else 'copia'}"
    if not witnesses and not copies:
        return Sentence(f"{en}, no witness to compare with", f"{es}, ningún testigo con que comparar")
    return Sentence(en, es)


def _sentences_without_witness(checked: str, revised: str) -> Sentence:
    """A chain that was computed anew as a whole fits together as well."""
    return Sentence(
        f"The events fit together: {checked}. Nothing from outside was compared, neither receipts nor a workbook, a "
        "backup or a seal: a trail that somebody computed anew as a whole would not be seen.",
        f"Los eventos calzan entre sí: {revised}. No se comparó con nada de fuera, ni recibos ni planilla, respaldo o "
        "sello: no se vería un registro que alguien rehízo por completo.",
    )


def missing_key_sentence(missing: MissingKey) -> Sentence:
    key, source = printable(missing.fingerprint), _sentences_source(missing.source)
    return Sentence(
        f"The public key {key} is missing from the ledger: somebody deleted it. It signed "
        f"{source.en}, event {missing.seq}. Put it back from an exported trail: what it signed counts again then.",
        f"Falta en el registro la clave pública {key}: alguien la borró. Con ella se firmó "
        f"{source.es}, evento {missing.seq}. Repóngala desde un registro exportado: lo que firmó vuelve a valer.",
    )


def finding_sentence(found: TrailFinding) -> Sentence:
    what = _sentences_WHAT[found.kind](found)
    event = f" ({found.event})" if found.event else ""
    when = _sentences_when(found)
    shown = Sentence("", "")
    if found.witness:
        source = _sentences_source(found.witness)
        shown = Sentence(f" Shown by {source.en}.", f" Lo muestra {source.es}.")
    other = _sentences_or_others(found)
    return Sentence(
        f"{what.en}{event}{when.en}.{shown.en}{other.en}", f"{what.es}{event}{when.es}.{shown.es}{other.es}"
    )


def _sentences_or_others(found: TrailFinding) -> Sentence:
    """Only the head tells it; or the link between two events is broken, and nothing tells on which side of it."""
    if found.witness == HEAD and found.kind is not Kind.HEAD_CHANGED:
        return Sentence(" Or only that head was changed: nothing tells.", " O solo se cambió esa cabeza: nada lo dice.")
    if found.kind is Kind.ADDED and found.unsure:
        return Sentence(
            " Or it is another event of the shop, and was moved there: nothing tells.",
            " O es otro evento del taller, movido ahí: nada lo dice.",
        )
    if not found.or_others:
        return Sentence("", "")
    if found.kind is Kind.MISSING:
        return Sentence(
            " Or the events beside were numbered and chained anew, and others are missing, or none: nothing tells.",
            " O se numeraron y encadenaron de nuevo los eventos vecinos, y faltan otros o ninguno: nada lo dice.",
        )
    return Sentence(
        f" Or what stands before event {found.last} was, and the chain computed anew up to there: nothing tells which.",
        f" O lo fue algo anterior al evento {found.last}, y la cadena se rehízo hasta ahí: nada dice cuál.",
    )


def _sentences_source(witness: str) -> Sentence:
    if witness == HEAD:
        return Sentence("the ledger's own head", "la cabeza guardada en el registro")
    source = printable(witness, PATH_LENGTH_MAX)
    for spanish, english in _sentences_ENGLISH_BEGINNINGS.items():
        if source.startswith(spanish):
            return Sentence(english + source.removeprefix(spanish), source)
    return Sentence(source, source)


def _sentences_events(first: int, last: int) -> Sentence:
    if first == last:
        return Sentence(f"Event {first}", f"El evento {first}")
    return Sentence(f"Events {first} to {last}", f"Los eventos {first} a {last}")


def _sentences_changed(found: TrailFinding) -> Sentence:
    place, one = _sentences_events(found.first, found.last), found.first == found.last
    fields = f": {', '.join(found.fields)}" if found.fields else ""
    return Sentence(
        f"{place.en} {'was' if one else 'were'} changed{fields}",
        f"{place.es} {'fue cambiado' if one else 'fueron cambiados'}{fields}",
    )


def _sentences_missing(found: TrailFinding) -> Sentence:
    if found.at_least or found.witness == HEAD:
        return _sentences_fewer(found)
    place, one = _sentences_events(found.first, found.last), found.first == found.last
    or_en = f", or event {found.last + 1} was changed (numbers of that time have gaps)" if found.unsure else ""
    or_es = (
        f", o el evento {found.last + 1} fue cambiado (la numeración de entonces tiene saltos)" if found.unsure else ""
    )
    return Sentence(
        f"{place.en} {'is' if one else 'are'} missing{or_en}", f"{place.es} {'falta' if one else 'faltan'}{or_es}"
    )


def _sentences_fewer(found: TrailFinding) -> Sentence:
    """Which events are missing, a number beyond the end of the trail does not tell."""
    number = found.at_least or found.last - found.first + 1
    en = f"At least {number} event{'s are' if number > 1 else ' is'} missing"
    es = f"{'Faltan' if number > 1 else 'Falta'} al menos {number} evento{'s' if number > 1 else ''}"
    if found.at_least:
        return Sentence(
            f"{en} of {found.first} to {found.last}; nothing tells which",
            f"{es} del {found.first} al {found.last}; nada dice cuáles",
        )
    return Sentence(
        f"{en}: the last one is {found.first - 1}, and that was {found.last}",
        f"{es}: el último es el {found.first - 1}, y era el {found.last}",
    )


def _sentences_added(found: TrailFinding) -> Sentence:
    place, one = _sentences_events(found.first, found.last), found.first == found.last
    return Sentence(
        f"{place.en} {'was' if one else 'were'} added, not by Carrete",
        f"{place.es} {'fue agregado' if one else 'fueron agregados'}, no por Carrete",
    )


def _sentences_head_changed(found: TrailFinding) -> Sentence:
    if not found.witness:
        en, es = f", with the hash of event {found.last}", f", con el hash del evento {found.last}"
    else:
        other_en, other_es = (" with another hash", " con otro hash") if found.first == found.last else ("", "")
        en = f"{other_en}, and witnesses agree with what the trail has up to {found.last}"
        es = f"{other_es}, y hay testigos que coinciden con el registro hasta el {found.last}"
    return Sentence(
        f"The ledger's own head was changed: it names event {found.first}{en}",
        f"Se cambió la cabeza guardada en el registro: nombra el evento {found.first}{es}",
    )


def _sentences_moved(found: TrailFinding) -> Sentence:
    place, one = _sentences_events(found.first, found.last), found.first == found.last
    return Sentence(
        f"{place.en} {'stands' if one else 'stand'} in another place: at {found.now_at}",
        f"{place.es} {'está' if one else 'están'} en otro lugar: en el {found.now_at}",
    )


def _sentences_rewritten(found: TrailFinding) -> Sentence:
    if found.first == found.last:
        place = Sentence(f"from event {found.first} on: that event", f"desde el evento {found.first}: ese evento")
    else:
        place = Sentence(
            f"from one of the events {found.first} to {found.last} on: it",
            f"desde uno de los eventos {found.first} a {found.last}: ese evento",
        )
    return Sentence(
        f"The trail was rewritten {place.en} was changed, added, removed or moved, and the chain after it was computed "
        "anew",
        f"El registro fue reescrito {place.es} fue cambiado, agregado, quitado o movido, y la cadena que sigue se "
        "rehízo",
    )


_sentences_WHAT = {
    Kind.CHANGED: _sentences_changed,
    Kind.MISSING: _sentences_missing,
    Kind.ADDED: _sentences_added,
    Kind.MOVED: _sentences_moved,
    Kind.REWRITTEN: _sentences_rewritten,
    Kind.HEAD_CHANGED: _sentences_head_changed,
}


def _sentences_when(found: TrailFinding) -> Sentence:
    en = [f"after {found.since}"] if found.since else []
    es = [f"después de {found.since}"] if found.since else []
    if found.until:
        en.append(f"at the latest {found.until}")
        es.append(f"a más tardar {found.until}")
    return Sentence("".join(f", {part}" for part in en), "".join(f", {part}" for part in es))


def _sentences_lost(w: Witness) -> Sentence:
    what, when = w.what or f"event {w.seq}", f", {w.made_at}" if w.made_at else ""
    source = _sentences_source(w.source)
    return Sentence(
        f"Acknowledged and not in the trail: {what}{when} (event {w.event_seq or w.seq}; {source.en}).",
        f"Confirmado y no está en el registro: {w.what or f'evento {w.seq}'}{when} "
        f"(evento {w.event_seq or w.seq}; {source.es}).",
    )


# ─── files ───
# The texts of witnesses: the receipts that a tablet kept, and an exported trail. What does not parse is said.

RECEIPTS, TRAIL = "carrete-recibos", "carrete-trail"
SEQ_LENGTH_MAX = 20  # of something that is no seq
_files_HASH = re.compile("[0-9a-f]{64}")
_files_NOT_AS_WRITTEN = (ValueError, KeyError, TypeError, AttributeError, RecursionError)  # the last: 100,000 brackets
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
    except _files_NOT_AS_WRITTEN:
        raise NotReadable("it is no file of receipts") from None
    if not isinstance(entries, list):
        raise NotReadable("it has no list of receipts")
    witnesses: list[Witness] = []
    refused: list[object] = []
    for entry in entries:
        head = _files_head_or_none(entry)
        if head is None or check(SignedHead(head, str(entry.get("firma", ""))), keys) is None:
            refused.append(_files_seq_of(entry))
        else:
            witnesses.append(_files_receipt(head, entry, f"recibo de {device}"))
    return Receipts(witnesses, refused)


def _files_receipt(head: ChainHead, entry: dict[str, Any], source: str) -> Witness:
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
        head = _files_head_or_none(entry)
        at = "" if head is None else str(entry.get("en", ""))
        if head is None or check(SignedHead(head, str(entry.get("firma", "")), at), keys) is None:
            refused.append(_files_seq_of(entry))
        else:
            witnesses.append(Witness(head.seq, head.hash, source, made_at=utc_text(at), known_at=utc_text(at)))
    return Receipts(witnesses, refused)


def named_keys(seals: Iterable[Any]) -> list[NamedKey]:
    """Which keys the seals of an exported trail name."""
    texts = [seal for seal in seals if isinstance(seal, dict) and isinstance(seal.get("clave"), str)]
    return [NamedKey(seal["clave"], seal["seq"]) for seal in texts if type(seal.get("seq")) is int]


def _files_head(entry: dict[str, Any]) -> ChainHead:
    seq, hash_ = entry["seq"], entry["hash"]
    if type(seq) is not int or not isinstance(hash_, str) or not _files_HASH.fullmatch(hash_):
        raise ValueError(f"{entry!r} is no head of a chain")
    return ChainHead(seq, hash_)


def _files_head_or_none(entry: Any) -> ChainHead | None:
    try:
        return _files_head(entry)
    except _files_NOT_AS_WRITTEN:
        return None


def _files_seq_of(entry: Any) -> object:
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
    except _files_NOT_AS_WRITTEN as error:
        raise NotReadable(f"{source} is no exported trail: {error!r}") from None


def parse_trail_row(line: str) -> TrailRow:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not _files_is_event(row):
        raise NotReadable(f"not an event: {printable(line[:100])}")
    return tuple(row)


def _files_is_event(row: Any) -> bool:
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


# ─── checker ───
# Checks an exported trail of Carrete, alone and against receipts. It needs Python 3.11 or newer, and nothing else.
#
#     python3 verify.py TRAIL.jsonl [RECEIPTS.json or FOLDER …] [--copy OTHER.jsonl] [--key FINGERPRINT] [--es]
#
# TRAIL.jsonl comes from `carrete verify --export TRAIL.jsonl`, receipts from the tablets. `--copy` is an export that you
# kept from earlier: it is compared event by event. `--key` is the fingerprint of the shop's key that you were told by
# another way than the file: only what that key signed counts then. Exit 0: whole; 1: not whole; 2: wrong call or no such
# file; 3: whole, but some witness is of no use. What is checked, byte by byte, is in docs/trail.md of Carrete.

WHOLE, NOT_WHOLE, WRONG_CALL, WITNESSES_UNUSABLE = 0, 1, 2, 3


def main(arguments: Sequence[str] | None = None) -> int:
    for stream in (sys.stdout, sys.stderr):  # a name that the terminal cannot show must not end the check
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    options = _checker_options(arguments)
    try:
        return check(options)
    except (NotReadable, OSError, ValueError) as error:
        print(f"verify: {error}", file=sys.stderr)
        return WRONG_CALL


def _checker_options(arguments: Sequence[str] | None) -> Namespace:
    parser = ArgumentParser(prog="verify.py", description="Checks an exported trail of Carrete.")
    parser.add_argument("trail", type=Path)
    parser.add_argument("receipts", type=Path, nargs="*")
    parser.add_argument("--copy", type=Path, action="append", default=[])
    parser.add_argument("--key", default="")
    parser.add_argument("--es", action="store_true")
    return parser.parse_args(arguments)


def check(options: Namespace) -> int:
    _checker_require_existing([*options.receipts, *options.copy])
    trail, unusable = _checker_header(options.trail), list[str]()
    copies = _checker_copies(options.copy, unusable)
    keys = [key for key in trail.keys if not options.key or key_fingerprint(key) == options.key.lower()]
    missing = _checker_missing_keys(trail, copies)
    if not keys and (options.key or not missing):
        raise NotReadable("the file has no key with that fingerprint" if options.key else "the file has no key")
    witnesses = _checker_witnesses(trail, options.receipts, keys, unusable)
    report = examine(lambda: _checker_rows(options.trail), trail.head, witnesses, trail.gapless_after, trail.exported_at)
    differences: list[TrailFinding] = []
    compared = 0
    for copy, header in copies.items():
        copied = _checker_rows_up_to_damage(copy, header.head.seq, unusable)
        if (first := next(copied, None)) is None:
            continue
        found = compare_with_copy(
            _checker_rows(options.trail), chain([first], copied), copy.name, header.exported_at, report.written_at
        )
        differences += [replace(each, until=trail.exported_at) for each in found]
        compared += 1
    for sentence in report_sentences(report, differences, missing, compared):
        print(sentence.es if options.es else sentence.en)
    for line in unusable:
        print(line, file=sys.stderr)
    if report.findings or report.lost or differences or missing:
        return NOT_WHOLE
    return WITNESSES_UNUSABLE if unusable else WHOLE


def _checker_require_existing(paths: Sequence[Path]) -> None:
    for path in paths:
        if not path.exists():
            raise NotReadable(f"{path} does not exist")


def _checker_witnesses(
    trail: ExportedTrail, paths: Sequence[Path], keys: Sequence[bytes], unusable: list[str]
) -> list[Witness]:
    """What cannot be used is noted in `unusable`: it must not hide what the trail and the other witnesses show."""
    of_seals = seal_witnesses(trail.seals, SEAL_SOURCE, keys)
    found = [each for each in of_seals.witnesses if not _checker_made_for_the_export(each, trail)]
    unusable += [f"seal {seq}: not signed by the shop's key" for seq in of_seals.refused]
    for file in _checker_receipt_files(paths, unusable):
        try:
            parsed = parse_receipts(file.read_text("utf-8"), file.name, keys)
        except (NotReadable, OSError, ValueError) as error:
            unusable.append(f"{file.name} cannot be used: {error}")
            continue
        found += parsed.witnesses
        unusable += [f"{file.name}, event {seq}: not signed by the shop's key" for seq in parsed.refused]
    return found


def _checker_made_for_the_export(seal: Witness, trail: ExportedTrail) -> bool:
    """The export signs the head that it finds. That it agrees with the events of the same file proves nothing."""
    return (seal.seq, seal.hash) == trail.head and seal.known_at == utc_text(trail.exported_at)


def _checker_receipt_files(paths: Sequence[Path], unusable: list[str]) -> Iterator[Path]:
    for path in paths:
        files = sorted(path.glob("*.json")) if path.is_dir() else [path]
        if not files:
            unusable.append(f"{path} cannot be used: no .json file in it")
        yield from files


def _checker_copies(paths: Sequence[Path], unusable: list[str]) -> dict[Path, ExportedTrail]:
    """The first line of each earlier export."""
    found: dict[Path, ExportedTrail] = {}
    for path in paths:
        try:
            found[path] = _checker_header(path)
        except (NotReadable, OSError, ValueError) as error:
            unusable.append(f"{path.name} cannot be used: {error}")
    return found


def _checker_missing_keys(trail: ExportedTrail, copies: Mapping[Path, ExportedTrail]) -> list[MissingKey]:
    """Keys that the ledger had: an earlier export has them, or a seal names them."""
    known = {key_fingerprint(key) for key in trail.keys}
    named = [(head.key, SEAL_SOURCE, head.seq) for head in named_keys(trail.seals)]
    for copy, earlier in copies.items():
        named += [(key_fingerprint(key), copy.name, earlier.head.seq) for key in earlier.keys]
    missing = {key: MissingKey(key, source, seq) for key, source, seq in named if key not in known}
    return list(missing.values())


def _checker_header(path: Path) -> ExportedTrail:
    with path.open(encoding="utf-8") as file:
        return parse_trail_header(file.readline(), str(path))


def _checker_rows(path: Path) -> Iterator[TrailRow]:
    with path.open(encoding="utf-8", newline="\n") as file:
        file.readline()
        for line in file:
            yield parse_trail_row(line)


def _checker_rows_up_to_damage(copy: Path, end: int, unusable: list[str]) -> Iterator[TrailRow]:
    """What stands before a damaged line, or before the end of a file that was cut off, counts."""
    last = 0
    try:
        for row in _checker_rows(copy):
            yield row
            last = row[SEQ]
        if last < end:
            raise NotReadable(f"it has events up to {last}, and its first line names {end}")
    except (NotReadable, OSError, ValueError) as error:
        unusable.append(f"{copy.name} cannot be used to its end: {error}")


if __name__ == "__main__":
    sys.exit(main())
