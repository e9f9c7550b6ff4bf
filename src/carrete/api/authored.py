"""The person who acts, in a request's body: left out, it is the author's own; given, it must be the author's."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import ValidationError
from starlette.types import Scope

from carrete.api.problems import not_valid
from carrete.api.request_refusals import NotJson
from carrete.api.schemas.fields import Body
from carrete.api.server.gatekeeper import author_of, client_address
from carrete.api.server.refusal_log import refusal_log, shown_path
from carrete.domain.refusals import NotValid
from carrete.identity.assembly import IdentityServices
from carrete.identity.author import Author
from carrete.identity.refusals import IdentityDiffers

B = TypeVar("B", bound=Body)


def authored(body_type: type[B], raw: bytes, author: Author | None) -> B:
    """The validated body. Raises IdentityDiffers when it names another person than the one who acts.

    A token belongs to no person: the body must say for whom it acts."""
    try:
        body = body_type.model_validate_json(raw)
    except ValidationError as error:
        body = _with_author(body_type, raw, author, error)
    if author and author.worker_id not in (None, named := getattr(body, body_type.author_field)):
        raise IdentityDiffers(named)
    return body


def authored_or_recorded(body_type: type[B], raw: bytes, scope: Scope, identity: IdentityServices) -> B:
    """The validated body. A request in another person's name is an access event."""
    author = author_of(scope)
    try:
        return authored(body_type, raw, author)
    except IdentityDiffers as refusal:
        assert author is not None
        refusal_log.write(scope, refusal.code, author.worker_id, named=refusal.named)
        identity.refused.note_other_person(author, refusal.named, shown_path(scope), client_address(scope))
        raise


def _with_author(body_type: type[B], raw: bytes, author: Author | None, error: ValidationError) -> B:
    errors = error.errors(include_url=False, include_input=False)
    if errors[0]["type"] == "json_invalid":
        raise NotJson("El cuerpo no es JSON válido.") from None
    field = body_type.author_field
    is_left_out = any(each["type"] == "missing" and each["loc"] == (field,) for each in errors)
    if not author or author.worker_id is None or not is_left_out:
        raise not_valid(errors) from None
    return _validated(body_type, {**json.loads(raw), field: author.worker_id})


def _validated(body_type: type[B], fields: dict[str, Any]) -> B:
    """From JSON again, because a strict body takes enums and dates only as JSON has them."""
    try:
        return body_type.model_validate_json(json.dumps(fields))
    except ValidationError as error:
        raise not_valid(error.errors(include_url=False, include_input=False)) from None


def own_id(scope: Scope, worker_id: int | None) -> int:
    """Whose own things a read shows: the author's; without identity, or those of the person it names."""
    author = author_of(scope)
    own = author.worker_id if author else worker_id
    if own is None:
        raise NotValid([{"campo": "worker_id", "motivo": "falta."}])
    if worker_id not in (None, own):
        raise IdentityDiffers(worker_id)
    return own
