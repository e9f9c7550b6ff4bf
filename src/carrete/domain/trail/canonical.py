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
    fields = ["-," if v is None else f"{len(v)}:{v}," if type(v) is str and v.isascii() else _field(v) for v in values]
    return sha256(_encoded(f"{_PREFIX}{previous}\n{''.join(fields)}")).hexdigest()


def _encoded(text: str) -> bytes:
    """Half of a surrogate pair, which JSON can write into an exported trail, gets bytes that no text of Carrete has:
    the hash is another one, so that the event counts as changed."""
    return text.encode("utf-8", "surrogatepass")


def _field(value: Any) -> str:
    text = value if type(value) is str else str(value)
    return f"{len(text) if text.isascii() else len(_encoded(text))}:{text},"
