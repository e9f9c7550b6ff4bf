"""Changes by administrators under an idempotency key: the first outcome is final, and is given again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from fastapi import Request
from pydantic import BaseModel
from pydantic_core import to_json
from starlette.responses import Response

from carrete.actions.answer import Answer
from carrete.actions.requests import KeyReused
from carrete.api.actions import KEY_PARAMETER, fingerprint, idempotency_key
from carrete.api.administration import change_author, changing, write
from carrete.api.problems import MEDIA_TYPE, STATUS, refusal_answer
from carrete.api.schemas.fields import Body
from carrete.domain.refusals import Refusal
from carrete.identity.people import ChangeAuthor
from carrete.identity.refusals import IdentityDiffers, NotPermitted, PinRequired
from carrete.ledger.database import Tx
from carrete.ledger.packing import pack_answer, unpack_answer
from carrete.ledger.store import KnownKey, insert_keys, keys_known
from carrete.services import Services

T = TypeVar("T")

_OF_IDENTITY = frozenset({401, 421, 423, 429})
_NO_TAGS: Sequence[str] = ()


def changing_once(
    answer: type[BaseModel], body: type[Body], tag: str, refusals: dict[int, str] | None = None
) -> dict[str, Any]:
    """How a route is documented that changes something and takes a key. Not one whose answer carries a secret."""
    codes = {**(refusals or {}), 422: "DATOS_INVALIDOS, IDEMPOTENCY_KEY_REUSED"}
    documented: dict[str, Any] = changing(answer, body, tag, codes)
    extra = {**documented["openapi_extra"], "parameters": [KEY_PARAMETER]}
    return {**documented, "openapi_extra": extra}


async def change_once(
    services: Services,
    request: Request,
    body: Body,
    work: Callable[[Tx, ChangeAuthor], T],
    answer: Callable[[T], dict[str, Any]],
) -> Response:
    """Commits the change together with the answer under the request's key. Another author's key is another request."""
    author, key = change_author(request), idempotency_key(request.scope)
    if key is None:
        done = await write(services, lambda tx: work(tx, author))
        return _response(Answer(200, to_json(answer(done)).decode()))
    known = fingerprint(f"{author.by_id} {author.token_id} {request.url.path}", key, body)

    def decide(tx: Tx) -> Answer:
        if stored := _stored(tx, key, known):
            return stored
        done = Answer(200, to_json(answer(work(tx, author))).decode())
        _store(tx, key, known, done, author)
        return done

    def refuse(tx: Tx, refused: Answer) -> Answer:
        if stored := _stored(tx, key, known):
            return stored
        _store(tx, key, known, refused, author)
        return refused

    try:
        return _response(await write(services, decide))
    except Refusal as refusal:
        if isinstance(refusal, KeyReused) or _is_of_identity(refusal):
            raise
        refused = refusal_answer(refusal)
        first = await services.performer.housekeeping(lambda tx: refuse(tx, refused))
        if not first.replayed:
            raise
        return _response(first)  # another process has decided the same request meanwhile


def _stored(tx: Tx, key: str, known: str) -> Answer | None:
    found = keys_known(tx, [key]).get(key)
    if found is None:
        return None
    if found.fingerprint != known:
        raise KeyReused
    return Answer(found.status, unpack_answer(found.body, _NO_TAGS), replayed=True)


def _store(tx: Tx, key: str, known: str, answer: Answer, author: ChangeAuthor) -> None:
    insert_keys(tx, {key: KnownKey(known, answer.status, pack_answer(answer.body, _NO_TAGS))}, author.at)


def _is_of_identity(refusal: Refusal) -> bool:
    """The same request may come again and be done."""
    return STATUS[type(refusal)] in _OF_IDENTITY or isinstance(refusal, PinRequired | IdentityDiffers | NotPermitted)


def _response(answer: Answer) -> Response:
    headers = {"Idempotency-Replayed": "true"} if answer.replayed else {}
    media_type = MEDIA_TYPE if answer.status >= 400 else "application/json"
    return Response(answer.body, answer.status, headers, media_type)
