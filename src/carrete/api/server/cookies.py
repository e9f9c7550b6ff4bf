"""The two cookies of identity: the device's, for 400 days, and the session's, for 12 hours."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta

from starlette.responses import Response
from starlette.types import Scope

from carrete.identity.sessions import SESSION_LASTS

DEVICE_MAX_AGE = timedelta(days=400)  # browsers keep no cookie for longer
_NAMES = {
    True: (b"__Host-carrete-device", b"__Host-carrete-session"),
    False: (b"carrete-device", b"carrete-session"),
}
_SECRET = re.compile(rb"[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True)
class IdentityCookies:
    """Without HTTPS (`--insecure-http`) browsers refuse the prefix `__Host-` and the attribute Secure."""

    secure: bool = True

    @property
    def device(self) -> str:
        return _NAMES[self.secure][0].decode()

    @property
    def session(self) -> str:
        return _NAMES[self.secure][1].decode()

    def secrets(self, scope: Scope) -> tuple[str | None, str | None]:
        """The secrets of device and session that the request carries. A malformed one counts as none."""
        return self.secrets_in(b";".join(value for name, value in scope["headers"] if name == b"cookie"))

    def secrets_in(self, header: bytes) -> tuple[str | None, str | None]:
        device = session = None
        device_name, session_name = _NAMES[self.secure]
        for part in header.split(b";"):
            cookie, _, secret = part.strip().partition(b"=")
            if cookie == device_name:
                device = _well_formed(secret)
            elif cookie == session_name:
                session = _well_formed(secret)
        return device, session

    def set_device(self, response: Response, secret: str) -> None:
        self._set(response, self.device, secret, DEVICE_MAX_AGE)

    def set_session(self, response: Response, secret: str) -> None:
        self._set(response, self.session, secret, SESSION_LASTS)

    def clear_session(self, response: Response) -> None:
        self._set(response, self.session, "", timedelta(0))

    def _set(self, response: Response, name: str, secret: str, max_age: timedelta) -> None:
        response.set_cookie(
            name,
            secret,
            max_age=int(max_age.total_seconds()),
            path="/",
            secure=self.secure,
            httponly=True,
            samesite="strict",
        )


def device_secret_of(scope: Scope) -> str | None:
    """The secret of the request's device cookie, with or without HTTPS. For the record of a refusal only: it admits no
    request."""
    found = (IdentityCookies(secure).secrets(scope)[0] for secure in (True, False))
    return next((secret for secret in found if secret), None)


def _well_formed(secret: bytes) -> str | None:
    return secret.decode() if _SECRET.fullmatch(secret) else None
