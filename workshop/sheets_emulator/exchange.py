"""One request of the API from arrival to answer: its account, quota, faults, the change itself, and the log."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import Any

from sheets_emulator import api, errors, fields
from sheets_emulator.a1 import Area
from sheets_emulator.accounts import TokenRefused, TokenSession
from sheets_emulator.api import ApiCall, Operation
from sheets_emulator.emulator import DEADLINE_S, Emulator
from sheets_emulator.errors import HTML_502, ApiError, Json
from sheets_emulator.faults import Fault, RequestInfo
from sheets_emulator.journal_records import Basis
from sheets_emulator.model import Book

TOKEN = "/token"
JSON_TYPE = "application/json; charset=UTF-8"
HTML_TYPE = "text/html; charset=UTF-8"
LATENCY_S_MAX = 60.0


@dataclass(frozen=True, slots=True)
class HttpOutcome:
    """The response as it is sent. cut: reset, hang or truncate, when a fault keeps it from arriving whole."""

    status: int
    body: bytes
    content_type: str = JSON_TYPE
    cut: str = ""
    hang_s: float = 0.0
    refuse_s: float = 0.0  # how long the port refuses connections afterwards


@dataclass(slots=True)
class _Exchange:
    """A request that is being handled; becomes its entry in the log."""

    request: RequestInfo
    call: ApiCall
    arrived_s: float
    begun_s: float
    user: str = ""
    fault: str = ""
    before: int | None = None
    after: int | None = None


class Exchanges:
    def __init__(self, emulator: Emulator, stopping: threading.Event) -> None:
        self._emulator = emulator
        self._stopping = stopping
        self._latencies = Random(emulator.seed + 3)

    def handle(self, method: str, path: str, query: str, authorization: str | None, raw: bytes) -> HttpOutcome:
        emulator = self._emulator
        emulator.run_due()
        kind = _kind(method, path)
        request = RequestInfo(emulator.next_number(), method, path, kind)
        call = ApiCall(method, path, api.query_of(query), {})
        exchange = _Exchange(request, call, emulator.clock.seconds(), time.monotonic())
        outcome = self._outage() or self._answered(exchange, authorization, raw)
        self._log(exchange, outcome, len(raw))
        return outcome

    def _outage(self) -> HttpOutcome | None:
        outage = self._emulator.outage
        return HttpOutcome(0, b"", cut="reset") if outage and outage.on(self._emulator.clock.seconds()) else None

    def _answered(self, exchange: _Exchange, authorization: str | None, raw: bytes) -> HttpOutcome:
        try:
            if exchange.call.path == TOKEN:
                return self._token(exchange, raw)
            session = self._emulator.accounts.session(authorization, exchange.arrived_s)
            exchange.user = session.user
            exchange.call = ApiCall(exchange.call.method, exchange.call.path, exchange.call.query, _body(raw))
            return self._served(exchange, session)
        except ApiError as error:
            return _error(error, exchange.request.kind)
        except _MALFORMED as error:
            return _error(_malformed(error), exchange.request.kind)

    # ─── tokens ───────────────────────────────────────────────────────────────────────────────────────────

    def _token(self, exchange: _Exchange, raw: bytes) -> HttpOutcome:
        fault = self._faulty(exchange)
        if fault and fault.kind == "invalid_grant":
            return self._grant(raw, exchange, skew_s=float(fault.setting("skew_s", 7200)))
        if fault and (early := self._answer_instead(fault, exchange)):
            return early
        return self._grant(raw, exchange)

    def _grant(self, raw: bytes, exchange: _Exchange, skew_s: float = 0.0) -> HttpOutcome:
        try:
            return _json(200, self._emulator.accounts.token(raw.decode("latin-1"), exchange.arrived_s, skew_s))
        except TokenRefused as refused:
            return _json(refused.status, refused.body)

    # ─── the API ──────────────────────────────────────────────────────────────────────────────────────────

    def _served(self, exchange: _Exchange, session: TokenSession) -> HttpOutcome:
        operation = api.operation(self._emulator, exchange.call, session)
        basis = self._basis(operation, session)
        exchange.before = exchange.after = basis.revision
        self._emulator.barriers.reached("parsed", exchange.request)
        fault = self._faulty(exchange)
        if fault and fault.kind in ("reset-before-apply", "refuse"):
            return self._dropped(fault)
        if operation.kind != "Drive" and (self._emulator.options.count_failed or fault is None):
            self._emulator.quota.take(operation.kind, session.user, self._emulator.clock.seconds())
        if fault and (early := self._answer_instead(fault, exchange)):
            return early
        self._emulator.barriers.reached("before-apply", exchange.request)
        if fault and fault.kind == "apply-later":
            return self._apply_later(fault, exchange, operation, session, basis)
        outcome, seen = self._applied_in_time(exchange, operation, session, basis)
        self._emulator.barriers.reached("after-apply", exchange.request)
        if fault is not None:
            return self._damaged(fault, outcome)
        if seen is not None and outcome.status == 200:
            self._emulator.journal.answered_read(session.user, *seen)
        return outcome

    def _basis(self, operation: Operation, session: TokenSession) -> Basis:
        with self._emulator.lock:
            file = self._emulator.files.get(operation.file_id)
            return self._emulator.journal.basis(session.user, file.book) if file else Basis(0, {})

    def _applied_in_time(
        self, exchange: _Exchange, operation: Operation, session: TokenSession, basis: Basis
    ) -> tuple[HttpOutcome, tuple[Book, list[Area]] | None]:
        """Google answers 503 after 180 s, and may have applied the request all the same."""
        late = self._emulator.clock.seconds() - exchange.arrived_s > DEADLINE_S
        if late and not self._emulator.options.deadline_applies:
            return _error(errors.unavailable(), exchange.request.kind), None
        outcome, seen = self._applied(exchange, operation, session, basis)
        return (_error(errors.unavailable(), exchange.request.kind), None) if late else (outcome, seen)

    def _applied(
        self, exchange: _Exchange, operation: Operation, session: TokenSession, basis: Basis
    ) -> tuple[HttpOutcome, tuple[Book, list[Area]] | None]:
        try:
            if operation.read is not None:
                book = self._emulator.book_to_read(operation.file_id)
                answer, areas = operation.read(book)
                return self._success(exchange, operation, answer), (book, areas)
            if operation.write is not None:
                return self._success(exchange, operation, self._write(exchange, operation, session, basis)), None
            assert operation.drive is not None
            done = operation.drive()
            return (HttpOutcome(204, b"") if done is None else self._success(exchange, operation, done)), None
        except ApiError as error:
            return _error(error, exchange.request.kind), None
        except _MALFORMED as error:
            return _error(_malformed(error), exchange.request.kind), None

    def _write(self, exchange: _Exchange, operation: Operation, session: TokenSession, basis: Basis) -> Json:
        assert operation.write is not None
        number = exchange.request.number
        with self._emulator.lock:
            answer = self._emulator.change(
                operation.file_id, f"request {number}", operation.write, user=session.user, number=number, basis=basis
            )
            exchange.after = self._emulator.file(operation.file_id).book.revision
        return answer

    def _success(self, exchange: _Exchange, operation: Operation, answer: Json) -> HttpOutcome:
        pretty = (exchange.call.one("prettyPrint") or "").lower() == "true"
        return _json(200, fields.apply(operation.mask, answer), pretty)

    # ─── faults ───────────────────────────────────────────────────────────────────────────────────────────

    def _faulty(self, exchange: _Exchange) -> Fault | None:
        """The fault of this request, for the caller to act on; a latency is waited for here."""
        fault, latency = self._emulator.faults.for_request(exchange.request)
        exchange.fault = "+".join(one.kind for one in (latency, fault) if one)
        self._wait(self._latency(latency))
        return fault

    def _latency(self, fault: Fault | None) -> float:
        least, most = self._emulator.options.latency_s
        standing = self._latencies.uniform(least, most) if most else 0.0
        if fault is None:
            return standing
        if "median_s" in fault.settings:
            sigma = float(fault.setting("sigma", 0.5))
            return float(fault.settings["median_s"]) * self._latencies.lognormvariate(0.0, sigma)
        least, most = float(fault.setting("from_s", 0.0)), float(fault.setting("to_s", 0.0))
        return float(fault.setting("seconds", self._latencies.uniform(least, most)))

    def _wait(self, seconds: float) -> None:
        if seconds > 0:
            self._stopping.wait(min(seconds, LATENCY_S_MAX))

    def _answer_instead(self, fault: Fault, exchange: _Exchange) -> HttpOutcome | None:
        """The answer of a fault that keeps the request from being applied; None if it is to be applied."""
        refusals = {
            "500": errors.internal, "503": errors.unavailable, "401-once": errors.unauthenticated,
            "403-revoked": errors.no_permission, "403-disabled": errors.api_disabled, "404-trashed": errors.not_found,
        }  # fmt: skip
        if fault.kind in refusals:
            return _error(refusals[fault.kind](), exchange.request.kind)
        if fault.kind == "429":
            kind = "Read" if exchange.request.kind == "read" else "Write"
            return _error(errors.quota_exceeded(kind, per_user=not fault.setting("per_project", False)), "read")
        if fault.kind == "502-html":
            return HttpOutcome(502, HTML_502.encode(), HTML_TYPE)
        if fault.kind in ("reset-before-apply", "refuse", "hang"):
            return self._dropped(fault)
        return None

    def _dropped(self, fault: Fault) -> HttpOutcome:
        if fault.kind == "hang":
            return HttpOutcome(0, b"", cut="hang", hang_s=float(fault.setting("hang_s", 30.0)))
        refuse_s = float(fault.setting("for_s", 1.0)) if fault.kind == "refuse" else 0.0
        return HttpOutcome(0, b"", cut="reset", refuse_s=refuse_s)

    def _damaged(self, fault: Fault, outcome: HttpOutcome) -> HttpOutcome:
        """The answer after the request was applied, as the fault changes it."""
        if fault.kind == "apply-then-503":
            return _error(errors.unavailable(), "")
        if fault.kind == "apply-then-500":
            return _error(errors.internal(), "")
        if fault.kind == "apply-then-502-html":
            return HttpOutcome(502, HTML_502.encode(), HTML_TYPE)
        if fault.kind == "apply-then-reset":
            return HttpOutcome(0, b"", cut="reset")
        if fault.kind == "apply-then-hang":
            return HttpOutcome(0, b"", cut="hang", hang_s=float(fault.setting("hang_s", 30.0)))
        if fault.kind == "truncate-body":
            return HttpOutcome(outcome.status, outcome.body, outcome.content_type, cut="truncate")
        return outcome

    def _apply_later(
        self, fault: Fault, exchange: _Exchange, operation: Operation, session: TokenSession, basis: Basis
    ) -> HttpOutcome:
        """The client gets an error or no answer; delay_s later on the emulator's clock the request is applied to the
        rows as they are then."""

        def do() -> None:
            late = _Exchange(exchange.request, exchange.call, self._emulator.clock.seconds(), time.monotonic())
            late.user, late.fault = session.user, "applied-late"
            late.before = late.after = self._basis(operation, session).revision
            outcome, _ = self._applied(late, operation, session, basis)
            self._log(late, outcome, 0)

        self._emulator.later(float(fault.setting("delay_s", 5.0)), do)
        answer = fault.setting("answer", "hang")
        if answer == "503":
            return _error(errors.unavailable(), "")
        return HttpOutcome(0, b"", cut=answer, hang_s=float(fault.setting("hang_s", 30.0)))

    # ─── log ──────────────────────────────────────────────────────────────────────────────────────────────

    def _log(self, exchange: _Exchange, outcome: HttpOutcome, bytes_in: int) -> None:
        requests = exchange.call.body.get("requests") or []
        kinds = Counter(kind for one in requests if isinstance(one, dict) for kind in one)
        self._emulator.journal.log(
            {
                "number": exchange.request.number,
                "at": exchange.arrived_s,
                "user": exchange.user,
                "method": exchange.request.method,
                "path": exchange.request.path,
                "kind": exchange.request.kind,
                "status": outcome.status,
                "cut": outcome.cut,
                "fault": exchange.fault,
                "revision_before": exchange.before,
                "revision_after": exchange.after,
                "requests": dict(kinds),
                "bytes_in": bytes_in,
                "bytes_out": len(outcome.body),
                "ms": round((time.monotonic() - exchange.begun_s) * 1000, 3),
            }
        )


_READING_VERBS = ("getByDataFilter", "batchGetByDataFilter", "developerMetadata:search")


def _kind(method: str, path: str) -> str:
    if path == TOKEN:
        return "token"
    if path.startswith(api.DRIVE):
        return "drive"
    return "read" if method == "GET" or path.endswith(_READING_VERBS) else "write"


_MALFORMED = (TypeError, ValueError, KeyError, AttributeError)


def _malformed(error: Exception) -> ApiError:
    """For a body whose parts have wrong types."""
    return ApiError(400, f"Invalid JSON payload received. {error!r}")


def _body(raw: bytes) -> Json:
    if not raw:
        return {}
    try:
        parsed: Any = json.loads(raw)
    except (ValueError, UnicodeDecodeError):
        raise ApiError(400, "Invalid JSON payload received. Unexpected token.") from None
    if not isinstance(parsed, dict):
        raise ApiError(400, 'Invalid JSON payload received. Unknown name "": Root element must be a message.')
    return parsed


def _json(status: int, content: Any, pretty: bool = False) -> HttpOutcome:
    if pretty:
        return HttpOutcome(status, (json.dumps(content, ensure_ascii=False, indent=2) + "\n").encode())
    return HttpOutcome(status, json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode())


def _error(error: ApiError, kind: str) -> HttpOutcome:
    return _json(error.code, error.drive_body() if kind == "drive" else error.body(), pretty=True)
