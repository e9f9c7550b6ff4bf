"""The receipt of an answer: the head of the chain at the end of the commit, signed. One signature serves all of it.

It proves later that the trail up to its seq was this one: docs/trail.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from carrete.actions.answer import Answer
from carrete.actions.requests import Outcome, Success
from carrete.domain.trail.canonical import ChainHead
from carrete.domain.trail.witness import Sign
from carrete.ledger.database import Tx

RECEIPT_MEMBER = ',"recibo":'  # begins the last member of an answer; in a JSON string its quotes would be escaped


def group_receipt(
    tx: Tx, rows: Sequence[dict[str, Any]], outcomes: Iterable[Sequence[Outcome] | None], sign: Sign | None
) -> str:
    """As the end of an answer's JSON object; "" if no request of the commit succeeded. `rows` are the events of the
    commit."""
    if sign is None or not any(_has_success(request or ()) for request in outcomes):
        return ""
    head = _head_after(tx, rows)
    return f"{RECEIPT_MEMBER}{_encoder.encode({'seq': head.seq, 'hash': head.hash, 'firma': sign(head)})}}}"


_encoder = json.JSONEncoder(separators=(",", ":"))  # `json.dumps` would make one for each receipt


def _head_after(tx: Tx, rows: Sequence[dict[str, Any]]) -> ChainHead:
    """The head that this commit leaves. A commit without events leaves the one that is committed already."""
    if rows:
        return ChainHead(rows[-1]["seq"], rows[-1]["hash"])
    seq, hash_, _ = tx.one("trail_head") or (0, "", 0)
    return ChainHead(seq, hash_)


def _has_success(outcomes: Sequence[Outcome]) -> bool:
    for each in outcomes:  # noqa: SIM110 - a plain loop, because every answer comes here
        if isinstance(each, Success):
            return True
    return False


def with_receipt(answer: Answer, outcomes: Sequence[Outcome], receipt: str) -> Answer:
    """The receipt is the last member of a successful answer's JSON object. A refusal has none: it left nothing. Neither
    has a batch in which every spool was refused, whose answer is 200 too, also when others of the same commit
    succeeded."""
    if not receipt or answer.status >= 300 or not answer.body.endswith("}") or not _has_success(outcomes):
        return answer
    return Answer(answer.status, answer.body[:-1] + receipt)
