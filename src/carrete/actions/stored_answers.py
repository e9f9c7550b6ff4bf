"""The answer that is stored under a request's idempotency key: given again, and made to be stored."""

from __future__ import annotations

from collections.abc import Mapping

from carrete.actions.answer import Answer
from carrete.actions.requests import KeyReused, Request
from carrete.domain.refusals import Refusal
from carrete.ledger.database import Tx
from carrete.ledger.packing import pack_answer, unpack_answer
from carrete.ledger.store import KnownKey, keys_known


def answer_under_key(tx: Tx, request: Request) -> Answer | Refusal | None:
    """The answer that is stored under the request's key, None when there is none."""
    known = keys_known(tx, [request.key]) if request.key else {}
    return stored_answer(request, known) if request.key in known else None


def stored_answer(request: Request, known: Mapping[str, KnownKey]) -> Answer | Refusal:
    """`known` has the request's key. Another request under the same key is refused."""
    assert request.key is not None
    key = known[request.key]
    if key.fingerprint != request.fingerprint:
        return KeyReused()
    return Answer(key.status, unpack_answer(key.body, request.tags), replayed=True)


def key_to_store(request: Request, answer: Answer) -> KnownKey:
    return KnownKey(request.fingerprint, answer.status, pack_answer(answer.body, request.tags))
