"""The canonical form of an event, byte by byte, and the hash that chains it to the event before.

The hash of an event is SHA-256, in lower-case hexadecimal, over the UTF-8 bytes of

    "carrete-event-1" LF, the hash of the event before (64 characters) LF, then the 16 fields, one after another

A field that has a value is its length in bytes, ":", its text, ","; a field without a value is "-,". Integers are
written in decimal. The first event has 64 zeros for the hash before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple

FIELDS = (
    *("seq", "id", "at", "evento_tipo", "tag", "worker_id", "worker", "operacion", "accion", "fecha_operacion"),
    *("n_union", "metadata", "ocupado_por", "estado_detalle", "version", "workflow"),
)
STORED_TYPES = frozenset((str, int, type(None)))  # of the values that Carrete writes
GENESIS = "0" * 64
_PREFIX = "carrete-event-1\n"


class ChainHead(NamedTuple):
    """The last event of the trail and its hash, which stands for all events up to it."""

    seq: int
    hash: str


EMPTY = ChainHead(0, GENESIS)


def event_hash(previous: str, values: Sequence[Any]) -> str:
    """`values` are those of FIELDS, in their order, as they are stored."""
    try:
        text = _short_form(previous, values)
        if text.isascii():
            return sha256(text.encode()).hexdigest()
    except (IndexError, TypeError, ValueError):  # a long field, or other values than Carrete writes
        pass
    return sha256(_encoded("".join((f"{_PREFIX}{previous}\n", *map(_field, values))))).hexdigest()


def _short_form(previous: str, values: Sequence[Any]) -> str:
    """What is hashed, in less than half of the time that `_field` needs: right only if the result is ASCII. Every
    action waits for this. A field that is too long for `_LENGTHS` is an IndexError."""
    seq, id_, at, tipo, tag, person, worker, op, accion, fecha, union, facts, holder, estado, version, workflow = values
    size, usual = _LENGTHS, _usual_fields
    return (
        f"{_PREFIX}{previous}\n"
        f"{'-,' if seq is None else f'{size[len(str(seq))]}{seq},'}{size[len(id_)]}{id_},{usual[at]}"
        f"{usual[tipo]}{size[len(tag)]}{tag},"
        f"{'-,' if person is None else f'{size[len(str(person))]}{person},'}"
        f"{usual[worker]}{usual[op]}{usual[accion]}{usual[fecha]}"
        f"{'-,' if union is None else f'{size[len(str(union))]}{union},'}"
        f"{'-,' if facts is None else f'{size[len(facts)]}{facts},'}"
        f"{usual[holder]}{usual[estado]}{size[len(version)]}{version},{usual[workflow]}"
    )


class _UsualFields(dict[Any, str]):
    """The written fields of texts that many events have."""

    def __missing__(self, value: Any) -> str:
        field = _field(value)
        if value is None or (type(value) is str and len(value) <= _USUAL_LENGTH_MAX):
            if len(self) >= _USUAL_MAX:
                self.clear()
            self[value] = field
        return field


_USUAL_MAX, _USUAL_LENGTH_MAX = 2_000, 200
_usual_fields = _UsualFields()
_LENGTHS = tuple(f"{length}:" for length in range(1_000))  # how a field of so many characters begins


def _encoded(text: str) -> bytes:
    """Half of a surrogate pair, which JSON can write into an exported trail, gets bytes that no text of Carrete has:
    the hash is another one, so that the event counts as changed."""
    return text.encode("utf-8", "surrogatepass")


def _field(value: Any) -> str:
    if value is None:
        return "-,"
    text = value if type(value) is str else str(value)
    return f"{len(text) if text.isascii() else len(_encoded(text))}:{text},"
