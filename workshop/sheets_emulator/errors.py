"""The API's error answers, in Google's own shape and, where they were recorded, in Google's own words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Json = dict[str, Any]

STATUS_NAMES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    413: "INVALID_ARGUMENT",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}
PROJECT_NUMBER = "269908437164"
PROTECTED = (
    "You are trying to edit a protected cell or object. Please contact the spreadsheet owner to remove protection "
    "if you need to edit."
)
UNAUTHENTICATED = (
    "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid "
    "authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project."
)
HTML_502 = (
    "<!DOCTYPE html>\n<html lang=en>\n  <title>Error 502 (Server Error)!!1</title>\n"
    "  <p><b>502.</b> <ins>That’s an error.</ins>\n  <p>The server encountered a temporary error and could not "
    "complete your request.<p>Please try again in 30 seconds.  <ins>That’s all we know.</ins>\n"
)


class ApiError(Exception):
    def __init__(self, code: int, message: str, details: Sequence[Json] = (), reason: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = list(details)
        self.reason = reason  # the reason in Drive's own words

    @property
    def status(self) -> str:
        return STATUS_NAMES[self.code]

    def body(self) -> Json:
        error: Json = {"code": self.code, "message": self.message, "status": self.status}
        if self.details:
            error["details"] = self.details
        return {"error": error}

    def drive_body(self) -> Json:
        """Drive has the older shape of an error, with a list."""
        one = {"message": self.message, "domain": "global", "reason": self.reason or "badRequest"}
        return {"error": {"errors": [one], "code": self.code, "message": self.message}}


def invalid(message: str) -> ApiError:
    return ApiError(400, message)


def invalid_field(field: str, description: str) -> ApiError:
    """A body that does not fit the schema of its request."""
    violation = {"field": field, "description": description}
    detail = {"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [violation]}
    return ApiError(400, description, [detail])


def not_found() -> ApiError:
    return ApiError(404, "Requested entity was not found.")


def no_permission() -> ApiError:
    return ApiError(403, "The caller does not have permission")


def unavailable() -> ApiError:
    return ApiError(503, "The service is currently unavailable.")


def internal() -> ApiError:
    return ApiError(500, "Internal error encountered.")


def unauthenticated() -> ApiError:
    return ApiError(401, UNAUTHENTICATED)


def scope_insufficient() -> ApiError:
    info = _error_info("ACCESS_TOKEN_SCOPE_INSUFFICIENT", {"service": "sheets.googleapis.com"})
    return ApiError(403, "Request had insufficient authentication scopes.", [info])


def api_disabled() -> ApiError:
    where = f"https://console.developers.google.com/apis/api/sheets.googleapis.com/overview?project={PROJECT_NUMBER}"
    message = (
        f"Google Sheets API has not been used in project {PROJECT_NUMBER} before or it is disabled. Enable it by "
        f"visiting {where} then retry. If you enabled this API recently, wait a few minutes for the action to "
        "propagate to our systems and retry."
    )
    metadata = {"service": "sheets.googleapis.com", "consumer": f"projects/{PROJECT_NUMBER}"}
    return ApiError(403, message, [_error_info("SERVICE_DISABLED", metadata)])


def quota_exceeded(kind: str, per_user: bool) -> ApiError:
    """kind is Read or Write."""
    whose = " per user" if per_user else ""
    message = (
        f"Quota exceeded for quota metric '{kind} requests' and limit '{kind} requests per minute{whose}' of service "
        f"'sheets.googleapis.com' for consumer 'project_number:{PROJECT_NUMBER}'."
    )
    metadata = {
        "consumer": f"projects/{PROJECT_NUMBER}",
        "quota_limit": f"{kind}RequestsPerMinutePer{'User' if per_user else 'Project'}",
        "quota_metric": f"sheets.googleapis.com/{kind.lower()}_requests",
        "service": "sheets.googleapis.com",
    }
    return ApiError(429, message, [_error_info("RATE_LIMIT_EXCEEDED", metadata)])


def _error_info(reason: str, metadata: Json) -> Json:
    return {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": reason,
        "domain": "googleapis.com",
        "metadata": metadata,
    }
