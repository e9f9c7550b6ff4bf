"""The answer to a request that lost its race for a spool too often."""

from __future__ import annotations

from datetime import datetime

from carrete.actions.requests import DecidedRequest, Request
from carrete.actions.stored_answers import answer_under_key, key_to_store
from carrete.domain.commands import Chain, Reclamar, Resolver
from carrete.domain.refusals import VersionConflict
from carrete.ledger.database import Tx
from carrete.ledger.errors import LedgerUnavailable
from carrete.ledger.store import Changes, save

_REPEATED = (Chain, Reclamar, Resolver)


def refuse_lost_race(tx: Tx, request: Request, now: datetime) -> DecidedRequest:
    """The request lost its race too often. The refusal is stored under the key like any answer, so that a repetition of
    the request cannot succeed after the worker got the answer that it failed. Work of a chain must not be lost for that
    reason: it is repeated until the rules have decided it."""
    if stored := answer_under_key(tx, request):
        return DecidedRequest(stored, ())
    if any(isinstance(command, _REPEATED) for command in request.commands):
        raise LedgerUnavailable("the spool changed while its chain was decided, too often in a row")
    outcomes = [VersionConflict(command.tag, command.version, None) for command in request.commands]
    answer = request.render(request.commands, outcomes)
    if request.key:
        save(tx, Changes(now), keys={request.key: key_to_store(request, answer)})
    return DecidedRequest(answer, outcomes)
