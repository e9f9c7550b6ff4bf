"""The answer that is stored under a request's idempotency key: given again, and made to be stored.

All successful answers of a commit have the same receipt. The ledger has it once, in the first of them that is stored
plain; the others name the key of that one instead. Otherwise receipts were a twentieth of what a busy server writes.
"""

from __future__ import annotations

import json

from carrete.actions.answer import Answer
from carrete.actions.receipts import RECEIPT_MEMBER
from carrete.actions.requests import KeyReused, Request
from carrete.domain.refusals import Refusal
from carrete.ledger.database import Tx
from carrete.ledger.packing import pack_answer, unpack_answer
from carrete.ledger.store import KnownKey, keys_known

_REFERENCE = f"{RECEIPT_MEMBER}@"  # before the key of the answer that has the receipt: no JSON


def answer_under_key(tx: Tx, request: Request) -> Answer | Refusal | None:
    """The answer that is stored under the request's key, None when there is none."""
    known = keys_known(tx, [request.key]) if request.key else {}
    return stored_answer(tx, request, known) if request.key in known else None


def stored_answer(tx: Tx, request: Request, known: dict[str, KnownKey]) -> Answer | Refusal:
    """`known` has the request's key, and those of this commit; it gets the key that has the receipt, for the next
    request. Another request under the same key is refused."""
    assert request.key is not None
    key = known[request.key]
    if key.fingerprint != request.fingerprint:
        return KeyReused()
    body = unpack_answer(key.body, request.tags)
    if named := key_with_receipt(body):
        if named not in known:
            known |= keys_known(tx, [named])
        body = with_receipt_of(body, known[named].body if named in known else "")
    return Answer(key.status, body, replayed=True)


def key_to_store(request: Request, answer: Answer) -> KnownKey:
    return KnownKey(request.fingerprint, answer.status, pack_answer(answer.body, request.tags))


class KeysToStore:
    """The keys of one commit with their answers. `receipt` ends each answer that has one."""

    def __init__(self, receipt: str) -> None:
        self.keys: dict[str, KnownKey] = {}
        self._receipt = receipt
        self._reference = ""  # what stands for the receipt, once an answer has it

    def add(self, request: Request, answer: Answer) -> KnownKey:
        assert request.key is not None
        receipt = self._receipt
        if self._reference and answer.body.endswith(receipt):
            answer = Answer(answer.status, answer.body[: -len(receipt)] + self._reference)
        self.keys[request.key] = stored = key_to_store(request, answer)
        if receipt and not self._reference and stored.body.endswith(receipt):
            self._reference = f"{_REFERENCE}{json.dumps(request.key)}}}"
        return stored


def without_reference(body: str) -> str:
    """The stored answer as JSON, for a reader who does not need its receipt."""
    return with_receipt_of(body, "") if key_with_receipt(body) else body


def key_with_receipt(body: str) -> str | None:
    """The key that the stored answer names instead of its receipt."""
    _, reference, key = body.rpartition(_REFERENCE)
    return json.loads(key[:-1]) if reference else None


def with_receipt_of(body: str, first: str) -> str:
    """The stored answer as it was given. `first` is the body under the key that it names; without one, which cannot
    be while both are kept for the same time, the answer has no receipt."""
    _, member, receipt = first.rpartition(RECEIPT_MEMBER)
    return f"{body.rpartition(_REFERENCE)[0]}{member}{receipt or '}'}"
