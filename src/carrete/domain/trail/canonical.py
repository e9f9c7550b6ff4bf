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
    begin = f"{_PREFIX}{previous}\n"
    try:
        fields = _short_fields(*values)
    except (IndexError, TypeError):  # a long field, or values of other types than Carrete writes
        fields = ""
    if not fields or not fields.isascii():
        fields = "".join(map(_field, values))
    return sha256(_encoded(begin + fields)).hexdigest()


def _short_fields(
    seq: int | None,
    id_: str,
    at: str,
    tipo: str,
    tag: str,
    worker_id: int | None,
    worker: str | None,
    operacion: str | None,
    accion: str,
    fecha: str | None,
    n_union: int | None,
    metadata: str | None,
    holder: str | None,
    estado: str,
    version: str,
    workflow: str,
) -> str:
    """All fields as `_field` writes them, in a third of the time: right only if the result is ASCII. Every action waits
    for this. A field that is too long for `_LENGTHS` is an IndexError."""
    size = _LENGTHS
    return (
        f"{'-,' if seq is None else f'{size[len(str(seq))]}{seq},'}{size[len(id_)]}{id_},{size[len(at)]}{at},"
        f"{size[len(tipo)]}{tipo},{size[len(tag)]}{tag},"
        f"{'-,' if worker_id is None else f'{size[len(str(worker_id))]}{worker_id},'}"
        f"{'-,' if worker is None else f'{size[len(worker)]}{worker},'}"
        f"{'-,' if operacion is None else f'{size[len(operacion)]}{operacion},'}{size[len(accion)]}{accion},"
        f"{'-,' if fecha is None else f'{size[len(fecha)]}{fecha},'}"
        f"{'-,' if n_union is None else f'{size[len(str(n_union))]}{n_union},'}"
        f"{'-,' if metadata is None else f'{size[len(metadata)]}{metadata},'}"
        f"{'-,' if holder is None else f'{size[len(holder)]}{holder},'}"
        f"{size[len(estado)]}{estado},{size[len(version)]}{version},{size[len(workflow)]}{workflow},"
    )


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
