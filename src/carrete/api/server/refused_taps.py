"""A refused tap leaves a log line and an access event. Neither changes the answer."""

from __future__ import annotations

from starlette.types import Scope

from carrete.api.server.cookies import device_secret_of
from carrete.api.server.gatekeeper import author_of, client_address, tap_of
from carrete.api.server.refusal_log import refusal_log, shown_path
from carrete.identity.refusals import TapRefused
from carrete.identity.refused_requests import RefusedRequests


def note_refused_tap(scope: Scope, refusal: TapRefused, refused: RefusedRequests) -> None:
    tap, author = tap_of(scope), author_of(scope)
    session_id = tap.session_id if tap else None
    claimed = author.worker_id if author else None
    refusal_log.write(scope, refusal.code, claimed, session=session_id, reason=refusal.reason)
    refused.note_tap(refusal.reason, shown_path(scope), client_address(scope), session_id, device_secret_of(scope))
